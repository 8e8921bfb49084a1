// machine.c - a problem with joints, solved along the trees that the joints make.
#include "solvers/tree/machine.h"

#include "base/error.h"
#include "constraints/problem/block.h"
#include "math/worse.h"
#include "solvers/solve/budget.h"
#include "solvers/tree/machine_parts.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Solutions for what the first has left.
#define REFINEMENTS 2

// Of the work budget of a solve: what may be spent before the rest is left to other solvers.
#define ATTEMPT_SHARE 0.015625

// Trees from which on rows outside are swept; blocks outside for each joint, and axes on the paths
// of a row, on average, up to which they are.
#define LEAST_TREES 2
#define BLOCKS_PER_JOINT 4
#define MOST_PATH 100.0

// Sweeps until most stops are known to be closed or open, and until it is seen first whether closed
// ones would have to pull; later twice as many each time. Changes of what is held, at most: in the
// second half of them all stops are swept.
#define SETTLING_SWEEPS 60
#define STOP_ROUNDS 60

// Of the work of a solve, what is kept for when the rest is spent: stops that would have to pull
// have no impulse then, and others feel that.
#define LAST_SHARE 0.05

#define NO_LIMIT (INT_MAX / 2)

// Multiplications of factor and solve, for each link.
#define WORK_OF_LINK 1500.0

bool cn_machine_suits(const CnProblem* problem, const CnSolverDef* def) {
    if (problem->response != NULL || problem->masses != NULL || def->regularisation > 0.0 ||
        def->impulse_limit > 0.0 || problem->friction_model != CN_FRICTION_EXACT) {
        return false;
    }
    // One visit of a contact with torsion or rolling may take very long on a condensed W.
    bool has_wide = false;
    int joints = 0, movable = 0;
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        joints += block->law == CN_LAW_EQUALITY;
        has_wide = has_wide || (block->law == CN_LAW_COULOMB && block->row_count > 3);
    }
    for (int i = 0; i < problem->body_count; ++i) {
        movable += problem->inverse_mass[i] > 0.0;
    }
    // A forest has at most a joint for each body: all others close loops, with a row or more each.
    return joints > 0 && !has_wide && joints - movable <= CN_MACHINE_OUTER_ROWS;
}

// u without impulses, and the states that the guess tells.
static void start(CnMachine* machine, const double* guess) {
    const CnProblem* problem = machine->problem;
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        cn_block_free_velocity(problem, block, machine->u + block->first_row);
    }
    for (int link = 0; link < machine->links.link_count; ++link) {
        for (int i = machine->first_drive[link]; i >= 0; i = machine->next_drive[i]) {
            const CnBlock* block = &problem->blocks[i];
            for (int k = 0; k < block->row_count; ++k) {
                int row = block->first_row + k;
                bool has_bounds = block->law == CN_LAW_BOUNDS;
                bool is_low = has_bounds && guess[row] <= problem->lower[row];
                bool is_high = has_bounds && guess[row] >= problem->upper[row];
                machine->state[row] = is_low    ? CN_AXIS_AT_LOWER
                                      : is_high ? CN_AXIS_AT_UPPER
                                                : CN_AXIS_ACTS;
            }
        }
    }
}

// A row that pushes one way, and does not yield.
static bool is_stop(const CnProblem* problem, int row) {
    return isinf(problem->lower[row]) != isinf(problem->upper[row]) &&
           problem->compliance[row] == 0.0;
}

// A closed stop of a machine that others act on is solved for together with them: held, it may
// leave them nothing that moves. Where rows outside are swept, at first all stops are among them,
// so that there is no need to sweep for every set of closed ones; then those that are open.
// mechanisms.md (18), (25), (59).
static bool belongs_outside(const CnMachine* machine, int row) {
    bool is_closed = machine->state[row] == CN_AXIS_ACTS;
    return is_stop(machine->problem, row) &&
           (machine->is_swept ? !(machine->holds_stops && is_closed) : is_closed);
}

// Unlinks a block of bounds from the axes of a link.
static void move_outside(CnMachine* machine, int link, int block) {
    int* place = &machine->first_drive[link];
    while (*place != block) {
        place = &machine->next_drive[*place];
    }
    *place = machine->next_drive[block];
    machine->outer[machine->outer_count++] = block;
    machine->outer_rows += machine->problem->blocks[block].row_count;
}

static void move_stops_outside(CnMachine* machine) {
    for (int link = 0; machine->outer_count > 0 && link < machine->links.link_count; ++link) {
        for (int i = machine->first_drive[link], next; i >= 0; i = next) {
            const CnBlock* block = &machine->problem->blocks[i];
            bool is_outside = false;
            next = machine->next_drive[i];
            for (int k = 0; block->law == CN_LAW_BOUNDS && k < block->row_count; ++k) {
                is_outside = is_outside || belongs_outside(machine, block->first_row + k);
            }
            if (is_outside) {
                move_outside(machine, link, i);
            }
        }
    }
}

// u of a row on a link's axes after the machine has moved.
static double moved_velocity(const CnMachine* machine, int link, const CnMachineSide* side, int k) {
    int parent = machine->plan.parent[link], row = side->first_row + k;
    double relative[6];
    cn_linkage_relative(machine->links.arm[link], machine->moved[link],
                        parent < 0 ? NULL : machine->moved[parent], relative);
    return machine->u[row] + cn_dot6(side->child[k], relative) +
           machine->problem->compliance[row] * machine->change[row];
}

// Changes of states: how many there are, the lowest row, and all or that one of them made.
typedef struct StateChanges {
    int count, lowest;
} StateChanges;

// W of the block of a row that acts out of its bounds; others do not ask for it.
static double trace_if_out(const CnMachine* machine, const CnBlock* block, int row) {
    double p = machine->change[row];
    bool is_out = p < machine->problem->lower[row] || p > machine->problem->upper[row];
    return machine->state[row] == CN_AXIS_ACTS && is_out ? cn_block_trace(machine->problem, block)
                                                         : 1.0;
}

static StateChanges visit_states(CnMachine* machine, int only, bool makes) {
    StateChanges flips = {.lowest = -1};
    for (int link = 0; link < machine->links.link_count; ++link) {
        for (int i = machine->first_drive[link]; i >= 0; i = machine->next_drive[i]) {
            CnMachineSide side = cn_machine_side(machine, link, i);
            const CnBlock* block = &machine->problem->blocks[i];
            for (int k = 0; block->law == CN_LAW_BOUNDS && k < side.row_count; ++k) {
                int row = side.first_row + k;
                CnAxisState next = cn_axis_next_state(
                    machine->problem, row, machine->state[row], machine->change[row],
                    moved_velocity(machine, link, &side, k), machine->slack,
                    trace_if_out(machine, block, row));
                if (next == machine->state[row] || (only >= 0 && row != only)) {
                    continue;
                }
                ++flips.count;
                flips.lowest = flips.lowest < 0 || row < flips.lowest ? row : flips.lowest;
                machine->state[row] = makes ? next : machine->state[row];
            }
        }
    }
    return flips;
}

// The impulses of rows outside, and those of all others that follow.
static CnStatus solve_rows(CnMachine* machine, const CnSolverDef* def, CnArena* arena,
                           CnSolverReport* report, bool* found) {
    CnStatus status = CN_OK;
    memset(machine->pushed, 0, (size_t)machine->links.link_count * sizeof *machine->pushed);
    if (machine->outer_count > 0) {
        status = cn_machine_solve_outer(machine, def, arena, report, found);
        if (status == CN_OK && *found) {
            cn_machine_move(machine);
        }
    }
    if (status == CN_OK && *found) {
        cn_machine_find_changes(machine);
    }
    return status;
}

// The impulses that the present states lead to, from none.
static CnStatus make_round(CnMachine* machine, const CnSolverDef* def, CnArena* arena,
                           CnSolverReport* report, bool* found) {
    size_t links = (size_t)machine->links.link_count;
    report->work += WORK_OF_LINK * (double)links;
    machine->sweeps = NULL; // they know other factors, or other impulses so far
    cn_machine_set_offsets(machine);
    memset(machine->pushed, 0, links * sizeof *machine->pushed);
    cn_machine_move(machine);
    return solve_rows(machine, def, arena, report, found);
}

// The active set: all rows that miss their law change while their number falls or patience lasts,
// then the lowest alone. mechanisms.md (17).
static CnStatus find_states(CnMachine* machine, const CnSolverDef* def, CnArena* arena,
                            CnSolverReport* report, bool* found) {
    CnAxisRounds rounds = cn_axis_rounds_begin(machine->problem->row_count);
    while (cn_axis_rounds_next(&rounds)) {
        CnArenaMark mark = cn_arena_mark(arena);
        move_stops_outside(machine);
        *found = cn_machine_factor(machine);
        CnStatus status = *found ? make_round(machine, def, arena, report, found) : CN_OK;
        cn_arena_release(arena, mark);
        if (status != CN_OK || !*found) {
            return status;
        }
        ++report->iterations;
        StateChanges flips = visit_states(machine, -1, false);
        if (flips.count == 0) {
            return CN_OK;
        }
        bool all = cn_axis_rounds_change_all(&rounds, flips.count);
        visit_states(machine, all ? -1 : flips.lowest, true);
    }
    *found = false;
    return CN_OK;
}

// ---- swept machines ----

// The blocks on the axes of each link, and those outside, before stops are moved.
typedef struct DriveLists {
    int *first, *next;           // [link_count], [block_count]
    int outer_count, outer_rows; // the first of `outer` stay
} DriveLists;

static CnStatus keep_lists(const CnMachine* machine, CnArena* arena, DriveLists* lists) {
    size_t links = (size_t)machine->links.link_count;
    size_t blocks = (size_t)machine->problem->block_count;
    *lists = (DriveLists){CN_ARENA_RAW(arena, int, links), CN_ARENA_RAW(arena, int, blocks),
                          machine->outer_count, machine->outer_rows};
    if (lists->first == NULL || lists->next == NULL) {
        return CN_NO_MEMORY;
    }
    memcpy(lists->first, machine->first_drive, links * sizeof(int));
    memcpy(lists->next, machine->next_drive, blocks * sizeof(int));
    return CN_OK;
}

static void restore_lists(CnMachine* machine, const DriveLists* lists) {
    memcpy(machine->first_drive, lists->first, (size_t)machine->links.link_count * sizeof(int));
    memcpy(machine->next_drive, lists->next, (size_t)machine->problem->block_count * sizeof(int));
    machine->outer_count = lists->outer_count;
    machine->outer_rows = lists->outer_rows;
}

// Stops after sweeps: those that push, those that were held, how many of these would have to pull,
// and whether others are to be held than were.
typedef struct StopCounts {
    int pushing, held, pulling;
    bool differ;
} StopCounts;

// A stop is closed where it pushes.
static StopCounts judge_stops(CnMachine* machine, const DriveLists* lists) {
    const CnProblem* problem = machine->problem;
    StopCounts counts = {0};
    for (int link = 0; link < machine->links.link_count; ++link) {
        for (int i = lists->first[link]; i >= 0; i = lists->next[i]) {
            const CnBlock* block = &problem->blocks[i];
            int end = block->law == CN_LAW_BOUNDS ? block->first_row + block->row_count : 0;
            for (int row = block->first_row; row < end; ++row) {
                if (!is_stop(problem, row)) {
                    continue;
                }
                bool is_lower = isinf(problem->upper[row]),
                     was_held = !belongs_outside(machine, row);
                double p = machine->impulse[row] + machine->change[row];
                bool pushes = is_lower ? p > problem->lower[row] : p < problem->upper[row];
                counts.pushing += pushes;
                counts.held += was_held;
                counts.pulling += was_held && !pushes;
                counts.differ = counts.differ || was_held != pushes;
                machine->state[row] = pushes     ? CN_AXIS_ACTS
                                      : is_lower ? CN_AXIS_AT_LOWER
                                                 : CN_AXIS_AT_UPPER;
            }
        }
    }
    return counts;
}

// The impulses that sweeps have reached, as the guess of the next ones.
static void keep_reached(const CnMachine* machine, double* reached) {
    const CnProblem* problem = machine->problem;
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
            double p = machine->impulse[row] + machine->change[row];
            bool has_bounds = block->law == CN_LAW_BOUNDS;
            reached[row] = has_bounds ? fmax(problem->lower[row], fmin(problem->upper[row], p)) : p;
        }
    }
}

// Factor and sweep with stops as they were judged last. Closed stops whose rows depend on those of
// their joint cannot be held: all are outside then.
static CnStatus sweep_anew(CnMachine* machine, const DriveLists* lists, const CnSolverDef* def,
                           CnArena* arena, CnSolverReport* report, bool* found) {
    restore_lists(machine, lists);
    move_stops_outside(machine);
    *found = cn_machine_factor(machine);
    if (!*found && machine->holds_stops) {
        machine->holds_stops = false;
        machine->most_sweeps = NO_LIMIT;
        restore_lists(machine, lists);
        move_stops_outside(machine);
        *found = cn_machine_factor(machine);
    }
    return *found ? make_round(machine, def, arena, report, found) : CN_OK;
}

// Whether motors and springs are in the states that sweeps have led to; if not, these change.
static bool settle_drives(CnMachine* machine, CnAxisRounds* rounds) {
    StateChanges flips = visit_states(machine, -1, false);
    if (flips.count > 0) {
        bool all = cn_axis_rounds_change_all(rounds, flips.count);
        visit_states(machine, all ? -1 : flips.lowest, true);
    }
    return flips.count == 0;
}

// Displacements that put positions right have none: their gaps are bounds. Stops are not held among
// them: that has left joints of a heap far apart. mechanisms.md, after (59).
static bool has_contacts(const CnMachine* machine) {
    bool has = false;
    for (int i = 0; i < machine->outer_count; ++i) {
        has = has || machine->problem->blocks[machine->outer[i]].law == CN_LAW_COULOMB;
    }
    return has;
}

// Which stops are closed: first all are swept, until most of them are known, then only those that
// are open. Sweeps are cut to see whether closed ones would have to pull. No stop may pull in the
// end, because impulses of joints go with those of stops. mechanisms.md (59).
static CnStatus sweep_states(CnMachine* machine, const CnSolverDef* def, CnArena* arena,
                             CnSolverReport* report, bool* found) {
    DriveLists lists;
    double* reached = CN_ARENA_RAW(arena, double, machine->problem->row_count);
    machine->ahead = CN_ARENA_RAW(arena, double, machine->problem->row_count);
    machine->age = CN_ARENA_NEW(arena, int, machine->problem->block_count);
    if (reached == NULL || machine->ahead == NULL || machine->age == NULL ||
        keep_lists(machine, arena, &lists) != CN_OK) {
        return CN_NO_MEMORY;
    }
    CnAxisRounds rounds = cn_axis_rounds_begin(machine->problem->row_count);
    CnArenaMark mark = cn_arena_mark(arena);
    CnStatus status = CN_OK;
    bool holds = has_contacts(machine), is_last = !holds, is_new = true, ends = false;
    machine->most_sweeps = holds ? SETTLING_SWEEPS : NO_LIMIT;
    machine->most_work = HUGE_VAL;
    for (int round = 0; !ends && round < STOP_ROUNDS; ++round) {
        CnSolverDef own = *def;
        own.work_budget *= is_last ? 1.0 : 1.0 - LAST_SHARE;
        if (is_new) {
            cn_arena_release(arena, mark);
            status = sweep_anew(machine, &lists, &own, arena, report, found);
        } else {
            status = solve_rows(machine, &own, arena, report, found);
        }
        if (status != CN_OK || !*found) {
            break;
        }
        bool held = machine->holds_stops;
        StopCounts stops = judge_stops(machine, &lists);
        bool is_spent = report->work >= fmin(own.work_budget, machine->most_work);
        bool may_end = stops.pulling == 0 && (is_last || is_spent || !machine->is_cut);
        ends = may_end && settle_drives(machine, &rounds);
        keep_reached(machine, reached);
        machine->guess = reached;
        machine->goes_on = true;
        bool is_settled = round > 0 && stops.pulling == 0 && !may_end;
        is_last = !holds || is_spent || round >= STOP_ROUNDS / 2;
        machine->most_sweeps = is_last      ? NO_LIMIT
                               : is_settled ? 2 * machine->most_sweeps
                                            : SETTLING_SWEEPS;
        machine->holds_stops = !is_last;
        is_new = may_end || (held && is_last ? stops.held > 0
                             : held          ? stops.differ
                                             : !is_last && stops.pushing > 0);
    }
    cn_arena_release(arena, mark);
    machine->sweeps = NULL;
    memset(machine->age, 0, (size_t)machine->problem->block_count * sizeof *machine->age);
    *found = *found && ends;
    return status;
}

// The changes are taken; impulses end between their bounds. u is that of the impulses, by the sums
// of the certificate.
static void take_changes(CnMachine* machine, double (*velocity)[6]) {
    const CnProblem* problem = machine->problem;
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
            double p = machine->impulse[row] + machine->change[row];
            if (block->law == CN_LAW_BOUNDS) {
                p = fmax(problem->lower[row], fmin(problem->upper[row], p));
            }
            machine->impulse[row] = p;
        }
    }
    cn_problem_velocity(problem, machine->impulse, velocity);
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        cn_block_velocity(problem, block, (const double(*)[6])velocity, machine->impulse,
                          machine->u + block->first_row);
    }
}

// The largest velocity that a joint's rows leave [m/s]; infinite where it is not a number.
static double joint_error(const CnMachine* machine) {
    double worst = 0.0;
    for (int link = 0; link < machine->links.link_count; ++link) {
        if (machine->kept[link] >= 0) {
            const CnBlock* block = &machine->problem->blocks[machine->kept[link]];
            double square = 0.0;
            for (int k = 0; k < block->row_count; ++k) {
                square += machine->u[block->first_row + k] * machine->u[block->first_row + k];
            }
            worst = cn_worse(worst, square);
        }
    }
    return sqrt(worst);
}

// The largest residual of a row outside, as the certificate has it. Condensed rows are measured
// against what joints let them move, and look better than that.
static double outer_error(const CnMachine* machine) {
    const CnProblem* problem = machine->problem;
    double worst = 0.0;
    for (int i = 0; i < machine->outer_count; ++i) {
        const CnBlock* block = &problem->blocks[machine->outer[i]];
        double w[CN_MAX_ROWS * CN_MAX_ROWS];
        cn_block_delassus(problem, block, w);
        double largest = cn_block_largest_eigenvalue(w, block->row_count);
        worst =
            fmax(worst, cn_block_residual(problem, block, w, largest, machine->u + block->first_row,
                                          machine->impulse + block->first_row));
    }
    return worst;
}

// Once the states are known: what round-off leaves of joints is solved for again, and rows outside
// are, to a tolerance that their residual asks for.
static CnStatus refine(CnMachine* machine, const CnSolverDef* def, CnArena* arena,
                       CnSolution* solution, CnSolverReport* report, bool* found) {
    CnSolverDef own = *def;
    double goal = 0.5 * def->tolerance;
    take_changes(machine, solution->velocity);
    double joints = joint_error(machine), outer = outer_error(machine);
    machine->guess = machine->impulse;
    for (int i = 0; i < REFINEMENTS && *found &&
                    (joints > goal || (outer > def->tolerance && !machine->is_swept));
         ++i) {
        own.tolerance *= outer > def->tolerance ? goal / outer : 1.0;
        CnStatus status = make_round(machine, &own, arena, report, found);
        if (status != CN_OK) {
            return status;
        }
        if (*found) {
            take_changes(machine, solution->velocity);
            joints = joint_error(machine);
            outer = outer_error(machine);
        }
    }
    *found = *found && joints <= goal && outer <= def->tolerance;
    return CN_OK;
}

// Whether rows outside may be swept: there are many, none of them closes a loop, through which
// sweeps carry information as slowly as through joints, paths are short, and there are several
// trees: on one alone every row feels every other. Where joints are few, other sweeps are faster.
static CnStatus choose_sweeps(CnMachine* machine, CnArena* arena) {
    const CnLinkage* links = &machine->links;
    int* axes = CN_ARENA_RAW(arena, int, links->link_count); // of the path to the root
    double entries = 0.0;
    int trees = 0, joints = 0;
    bool has_loops = false;
    if (axes == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < links->link_count; ++i) {
        axes[i] = links->first_axis[i + 1] - links->first_axis[i];
        axes[i] += links->parent[i] >= 0 ? axes[links->parent[i]] : 0;
        trees += links->parent[i] < 0;
        joints += machine->kept[i] >= 0;
    }
    for (int i = 0; i < machine->outer_count; ++i) {
        const CnBlock* block = &machine->problem->blocks[machine->outer[i]];
        has_loops = has_loops || block->law == CN_LAW_EQUALITY;
        for (int side = 0; side < cn_block_sides(block); ++side) {
            int body = cn_block_body(block, side), link = body < 0 ? -1 : machine->plan.link[body];
            entries += link < 0 ? 0.0 : (double)block->row_count * axes[link];
        }
    }
    machine->is_swept = machine->outer_rows > CN_MACHINE_SWEPT_ROWS && !has_loops &&
                        trees >= LEAST_TREES && machine->outer_count <= BLOCKS_PER_JOINT * joints &&
                        entries <= MOST_PATH * (double)machine->outer_rows;
    return CN_OK;
}

// How far to go: many rows outside are swept; solved in any other way; solved by Newton steps
// alone.
typedef enum Effort { EFFORT_SWEEPS, EFFORT_DENSE, EFFORT_NEAR } Effort;

static CnStatus solve(const CnProblem* problem, const CnSolverDef* def, Effort effort,
                      CnArena* arena, CnSolution* solution, CnSolverReport* report, bool* found) {
    CnSolverDef own = *def;
    CnMachine machine = {.slack = CN_AXIS_SLACK_SHARE * def->tolerance,
                         .guess = solution->impulse,
                         .is_near = effort == EFFORT_NEAR};
    CnStatus status = cn_machine_plan(&machine, problem, arena, found);
    if (status == CN_OK && *found) {
        status = choose_sweeps(&machine, arena);
    }
    *found = *found && (machine.is_swept ? effort == EFFORT_SWEEPS
                                         : machine.outer_rows <= CN_MACHINE_OUTER_ROWS);
    if (status != CN_OK || !*found) {
        return status;
    }
    own.work_budget *= machine.is_swept ? 1.0 : ATTEMPT_SHARE; // sweeps limit themselves
    start(&machine, solution->impulse);
    status = machine.is_swept ? sweep_states(&machine, &own, arena, report, found)
                              : find_states(&machine, &own, arena, report, found);
    machine.most_sweeps = NO_LIMIT;
    bool has_answer = status == CN_OK && *found;
    if (has_answer) {
        status = refine(&machine, &own, arena, solution, report, found);
    }
    if (status == CN_OK && has_answer && (*found || machine.is_swept)) {
        memcpy(solution->impulse, machine.impulse, (size_t)problem->row_count * sizeof(double));
        report->outcome = *found ? CN_CONVERGED : CN_STALLED;
        snprintf(report->remark, sizeof report->remark,
                 "%d bodies in trees of joints, %d rows outside", machine.links.link_count,
                 machine.outer_rows);
    }
    return status;
}

CnStatus cn_machine_solve(const CnProblem* problem, const CnSolverDef* def, CnArena* arena,
                          CnSolution* solution, CnSolverReport* report, bool* found) {
    CnArenaMark mark = cn_arena_mark(arena);
    CnStatus status = solve(problem, def, EFFORT_SWEEPS, arena, solution, report, found);
    cn_arena_release(arena, mark);
    return status;
}

bool cn_machine_suits_def(const CnSolverDef* def) {
    return strcmp(def->name, cn_solver_auto.info.name) == 0 && def->measure == CN_ERROR_VELOCITY &&
           def->friction == CN_FRICTION_EXACT && !def->minimum_norm && def->deadline == 0.0 &&
           !(def->regularisation > 0.0) && !(def->impulse_limit > 0.0);
}

static CnStatus attempt(const CnProblem* problem, const CnSolverDef* def, Effort effort,
                        CnArena* arena, CnSolution* solution, CnSolverReport* report, bool* found) {
    CnSolverDef own = *def;
    *found = false;
    if (!cn_machine_suits_def(def) || !cn_machine_suits(problem, def)) {
        return CN_OK;
    }
    *report = (CnSolverReport){.solver = cn_solver_tree.info.name, .redundant_block = -1};
    own.work_budget = cn_budget_resolve(problem, def->work_budget);
    if (!def->warm_start) {
        memset(solution->impulse, 0, (size_t)problem->row_count * sizeof(double));
    }
    CnArenaMark mark = cn_arena_mark(arena);
    CnStatus status = solve(problem, &own, effort, arena, solution, report, found);
    cn_arena_release(arena, mark);
    return status;
}

CnStatus cn_machine_try(const CnProblem* problem, const CnSolverDef* def, CnArena* arena,
                        CnSolution* solution, CnSolverReport* report, bool* found) {
    return attempt(problem, def, EFFORT_DENSE, arena, solution, report, found);
}

CnStatus cn_machine_try_near(const CnProblem* problem, const CnSolverDef* def, CnArena* arena,
                             CnSolution* solution, CnSolverReport* report, bool* found) {
    return attempt(problem, def, EFFORT_NEAR, arena, solution, report, found);
}

static CnStatus tree_prepare(void* memory, const CnSolverDef* def, const CnProblem* problem,
                             CnArena* arena, CnError* error) {
    (void)memory, (void)arena;
    return cn_machine_suits(problem, def)
               ? CN_OK
               : cn_error_set(error, CN_UNSUPPORTED,
                              "tree needs bodies and joints: this problem has no equality");
}

static CnStatus tree_solve(void* memory, const CnSolverDef* def, const CnProblem* problem,
                           CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    bool found;
    (void)memory;
    CnStatus status = cn_machine_solve(problem, def, arena, solution, report, &found);
    bool has_answer = found || report->outcome == CN_STALLED;
    return status == CN_OK && !has_answer ? CN_UNSUPPORTED : status;
}

const CnSolver cn_solver_tree = {
    .info = {.name = "tree",
             .summary = "joints along their trees in linear time, other rows on what they leave",
             .laws = CN_ALL_LAWS,
             .wide_contacts = true,
             .needs_bodies = true,
             .exact = true},
    .state_size = 1,
    .prepare = tree_prepare,
    .solve = tree_solve,
};

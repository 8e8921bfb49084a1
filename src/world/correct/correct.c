// correct.c - position errors of a step: measured, and put back where asked.
//
// The correction is a problem like any other, one level down: unknown displacements dq instead of
// velocities, rows that ask J dq = -C (constraints) and gap + J dq >= 0 (contacts, no friction),
// nearest in the mass metric. Velocities in body axes stay as they are, so kinetic energy does too.
// Every island makes its own way: it has its own line search, its own metric, and ends when it is
// within the tolerance or gains no more. docs/theory/stabilisation.md.
#include "world/correct/correct.h"

#include "base/error.h"
#include "base/tasks.h"
#include "constraints/problem/islands.h"
#include "solvers/net/net_factor.h"
#include "world/bodies/motion.h"
#include "world/contacts/contacts.h"
#include "world/correct/correct_along_trees.h"
#include "world/correct/correct_contacts.h"
#include "world/correct/correct_limits.h"
#include "world/correct/correct_rows.h"
#include "world/correct/correct_scope.h"
#include "world/correct/project_trees.h"
#include "world/step/solve.h"
#include "world/step/step_check.h"

#include <math.h>
#include <string.h>

// What an answer of the linear problem may leave, as a share of the tolerance: the rest is for the
// curvature of its rows.
#define SOLVER_SHARE 0.5

// With more rows than this, which are no longer solved by dense factors to round-off, not less than
// that share of the error of any island: curvature leaves more, and rows that are nearly dependent
// are solved to no more digits. docs/theory/stabilisation.md (15).
#define ROUGH_ROWS 300
#define ROUGH_SHARE 1e-3

// More than so many tolerances, and than the next number, counts as missed: a point that jumps
// between two features of a shape leaves some tolerances.
#define MISSED_TOLERANCES 10.0
#define MISSED_LEAST 1e-9 // [m or rad]

// Newton's steps for the curvature of the rows; three suffice near the solution.
#define MAX_PASSES 100

// A pass gains if it leaves less than this share of the least error so far. An island may make so
// many in a row that do not: points of contact that move along an edge take turns.
#define GAIN 0.9
#define PATIENCE 5

// Passes in a row that only learn of contacts: in a deep pile each of them brings more, and a
// shortened step gains what waiting for all of them does not.
#define LEARNING_PASSES 2

// A step is taken in full if it removes this share of what straight rows would; else it is halved,
// at most so often. Rows that were not solved promise less, but the second share at least.
#define ARMIJO 0.5
#define LEAST_PROMISE 0.1
#define MAX_HALVINGS 8

// Overlaps that constraints forbid to open have no answer: the solver may look this long, not more.
#define MAX_ITERATIONS 1000

// What takes as long as so many multiplications: to measure a constraint or a contact once.
#define WORK_OF_MEASURE 500.0

// What is known of a body's island from the passes before.
typedef struct IslandProgress {
    double best;    // least error so far [m or rad]
    int idle;       // passes in a row that gained nothing
    bool was_short; // the last step was not taken in full
} IslandProgress;

// An island in one pass.
typedef struct Island {
    IslandProgress progress;
    double before, after; // largest error [m or rad]
    double share;         // of the displacements that is taken
    bool is_active;
    bool has_constraints;
    bool is_net;     // joints alone that may be a net:
    double unsolved; // by the answer of this pass, of its straight rows [m or rad]
} Island;

typedef struct Correction {
    CnWorld* world;
    CnInstant instant;
    bool searches;            // halves steps that do not gain
    double tolerance;         // [m or rad]
    double work;              // multiplications so far
    double unsolved;          // by the answer of this pass, of all straight rows [m or rad]
    CnBodyState* states;      // the caller's   [order.count]
    CnBodyState* trial;       // scratch   [order.count]
    IslandProgress* progress; // of each body's island   [order.count]
    int* group;               // island of each movable body in this pass, -1: none   [order.count]
    int* movers;              // bodies with a group   [mover_count]
    int mover_count;
    bool* scope;     // its contacts are measured: correct_scope.h   [order.count]
    double outside;  // deepest overlap of all others [m]
    bool* wanted;    // its island has errors to correct   [order.count]
    Island* islands; // of this pass   [island_count]
    double* error;   // scratch: of each island   [island_count]
    int island_count;
    bool has_net;          // one of them is, or was in a pass before
    int row_count;         // posed in the last pass
    int missed;            // islands whose error is above most_left()
    bool moved;            // states may have changed
    CnPositionErrors left; // at states
} Correction;

static double budget_of(const Correction* correction, const CnStepReport* report) {
    return cn_correction_budget(correction->world, correction->instant.ahead, correction->row_count,
                                correction->has_net, report);
}

// From the states by each island's share of the displacements. Velocities stay as they are in body
// axes. Of all other bodies the trial has the states already.
static void displace(const Correction* correction) {
    const CnWorld* world = correction->world;
    for (int k = 0; k < correction->mover_count; ++k) {
        int i = correction->movers[k];
        const CnMotion* motion = &world->step.motions.data[i];
        const CnBodyState* from = &correction->states[i];
        CnBodyState* to = &correction->trial[i];
        const double* d = world->correction.displacement[i];
        *to = *from;
        double share = correction->islands[correction->group[i]].share;
        CnQuat turn = cn_quat_exp(cn_vec3_scale(share, cn_vec3(d[3], d[4], d[5])));
        to->center = cn_vec3_add_scaled(from->center, share, cn_vec3(d[0], d[1], d[2]));
        to->rotation = cn_quat_normalize(cn_quat_multiply(turn, from->rotation));
        to->angular_velocity = cn_quat_rotate(
            to->rotation, correction->instant.ahead ? motion->ahead_spin : motion->end_spin);
    }
}

// Bodies whose island's last step was short count as 1 kg, with the radii of gyration they have:
// stabilisation.md (6).
static CnStatus weigh_evenly(Correction* correction) {
    CnWorld* world = correction->world;
    double* even = CN_ARENA_NEW(&world->arena, double, world->order.count);
    for (int i = 0; even != NULL && i < world->order.count; ++i) {
        double inverse = world->correction.inverse_mass[i];
        even[i] = inverse;
        if (inverse > 0.0 && correction->progress[i].was_short) {
            even[i] = 1.0;
            for (int k = 0; k < 9; ++k) {
                world->correction.inverse_inertia[i][k] /= inverse;
            }
        }
    }
    world->correction.problem.inverse_mass = even;
    return even != NULL ? CN_OK : CN_NO_MEMORY;
}

// The progress of islands that have met is that of the one with more to do.
static void join_progress(Island* island, const IslandProgress* progress) {
    island->progress.best = fmax(island->progress.best, progress->best);
    island->progress.idle =
        progress->idle < island->progress.idle ? progress->idle : island->progress.idle;
    island->progress.was_short |= progress->was_short;
}

typedef CnStatus Measuring(CnWorld* world, const CnBodyState* states, CnInstant instant,
                           const CnErrorGroups* groups, const CnContactArray* old,
                           CnPositionErrors* errors);

static CnStatus measure(Correction* correction, Measuring* measuring, const CnBodyState* states,
                        const CnErrorGroups* groups, const CnContactArray* old) {
    CnWorld* world = correction->world;
    CnPositionErrors* left = &correction->left;
    world->correction.scope = correction->scope;
    CnStatus status = measuring(world, states, correction->instant, groups, old, left);
    world->correction.scope = NULL;
    left->penetration = fmax(left->penetration, correction->outside);
    correction->work +=
        WORK_OF_MEASURE * (world->active.constraints.count + world->correction.contacts.count);
    return status;
}

// All contacts of the bodies that the correction is about, where the states are: constraints have
// been measured there.
static CnStatus measure_scope(Correction* correction) {
    CnStatus status = correction->instant.ahead
                          ? CN_OK
                          : cn_correction_find_scope(correction->world, correction->tolerance,
                                                     correction->scope, &correction->outside);
    return status == CN_OK
               ? measure(correction, cn_positions_collect, correction->states, NULL, NULL)
               : status;
}

// Takes all that is wanted into the scope. False: some of it was not there yet.
static bool is_within_scope(Correction* correction) {
    bool is_within = true;
    for (int i = 0; i < correction->world->order.count && !correction->instant.ahead; ++i) {
        is_within = is_within && (!correction->wanted[i] || correction->scope[i]);
        correction->scope[i] |= correction->wanted[i];
    }
    return is_within;
}

// Bodies with something to correct. A pass may bring them upon others whose contacts are not known
// yet: these are measured then.
static CnStatus mark_wanted(Correction* correction) {
    CnStatus status;
    bool is_complete = false;
    do {
        status =
            cn_correction_find_wanted(correction->world, correction->states, correction->instant,
                                      correction->tolerance, correction->wanted);
        is_complete = status != CN_OK || is_within_scope(correction);
        if (!is_complete) {
            status = measure_scope(correction);
        }
    } while (status == CN_OK && !is_complete);
    return status;
}

// Islands with their errors, those that have something to do and have not given up as active. The
// rows of the others ask for nothing.
static CnStatus find_islands(Correction* correction) {
    CnWorld* world = correction->world;
    CnRows* rows = &world->correction.rows;
    const CnProblem* problem = &world->correction.problem;
    CnIslands found;
    CnPositionErrors errors;
    if (cn_islands_find(problem, &world->arena, &found) != CN_OK) {
        return CN_NO_MEMORY;
    }
    for (int k = 0; k < correction->mover_count; ++k) {
        correction->group[correction->movers[k]] = -1;
    }
    correction->mover_count = 0;
    correction->island_count = found.count;
    correction->islands = CN_ARENA_NEW(&world->arena, Island, found.count);
    correction->error = CN_ARENA_NEW(&world->arena, double, found.count);
    if (correction->islands == NULL || correction->error == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < found.count; ++i) {
        Island* island = &correction->islands[i];
        *island = (Island){.progress = {.idle = PATIENCE + 1}, .share = 1.0};
        int loops = found.block_start[i + 1] - found.block_start[i]; // blocks more than bodies
        for (int k = found.body_start[i]; k < found.body_start[i + 1]; ++k) {
            int body = found.body[k];
            if (problem->inverse_mass[body] > 0.0) {
                correction->group[body] = i;
                correction->movers[correction->mover_count++] = body;
                join_progress(island, &correction->progress[body]);
                --loops;
            }
        }
        island->is_net = loops >= CN_NET_LEAST_LOOPS;
        correction->error[i] = 0.0;
    }
    CnErrorGroups groups = {correction->group, correction->error};
    cn_positions_sum_up(world, correction->states, correction->instant, &groups, &errors);
    for (int i = 0; i < found.count; ++i) {
        Island* island = &correction->islands[i];
        island->before = island->after = correction->error[i];
        island->is_active =
            island->before > correction->tolerance && island->progress.idle <= PATIENCE;
        for (int k = found.block_start[i]; k < found.block_start[i + 1]; ++k) {
            const CnBlock* block = &rows->blocks.data[found.block[k]];
            bool is_constraint = rows->sources.data[found.block[k]].constraint >= 0;
            island->has_constraints |= is_constraint;
            island->is_net = island->is_net && is_constraint && block->law == CN_LAW_EQUALITY;
            if (!island->is_active) {
                memset(rows->target + block->first_row, 0,
                       (size_t)block->row_count * sizeof(double));
            }
        }
        correction->has_net = correction->has_net || island->is_net;
    }
    return CN_OK;
}

// All that is wanted as one island: a tree, and what it touches.
static CnStatus take_one_island(Correction* correction) {
    CnWorld* world = correction->world;
    Island* island = CN_ARENA_NEW(&world->arena, Island, 1);
    double* error = CN_ARENA_NEW(&world->arena, double, 1);
    if (island == NULL || error == NULL) {
        return CN_NO_MEMORY;
    }
    *island = (Island){.progress = {.idle = PATIENCE + 1}, .share = 1.0, .has_constraints = true};
    for (int k = 0; k < correction->mover_count; ++k) {
        correction->group[correction->movers[k]] = -1;
    }
    correction->mover_count = 0;
    for (int i = 0; i < world->order.count; ++i) {
        if (correction->wanted[i]) {
            correction->group[i] = 0;
            correction->movers[correction->mover_count++] = i;
            join_progress(island, &correction->progress[i]);
        }
    }
    correction->islands = island;
    correction->error = error;
    correction->island_count = 1;
    CnErrorGroups groups = {correction->group, error};
    CnPositionErrors errors;
    cn_positions_sum_up(world, correction->states, correction->instant, &groups, &errors);
    island->before = island->after = error[0];
    island->is_active = true;
    return CN_OK;
}

static bool has_active_island(const Correction* correction) {
    for (int i = 0; i < correction->island_count; ++i) {
        if (correction->islands[i].is_active) {
            return true;
        }
    }
    return false;
}

static CnSolverDef def_of_pass(const Correction* correction, double budget) {
    CnSolverDef def = cn_solver_def_default();
    def.tolerance = SOLVER_SHARE * correction->tolerance;
    def.warm_start = false;
    def.max_iterations = MAX_ITERATIONS;
    def.work_budget = budget - correction->work;
    return def;
}

// The displacements of one tree in contact, along it. False in *found: rows have to be posed, after
// steps that were not taken in full too, since they change the metric.
static CnStatus solve_along_trees(Correction* correction, double budget, bool* found) {
    bool suits = correction->searches && correction->work < budget;
    for (int i = 0; suits && i < correction->world->order.count; ++i) {
        suits = !correction->wanted[i] ||
                (!correction->progress[i].was_short && correction->progress[i].idle == 0);
    }
    *found = false;
    if (!suits) {
        return CN_OK;
    }
    CnSolverDef def = def_of_pass(correction, budget);
    CnStatus status =
        cn_correct_along_trees(correction->world, correction->states, correction->instant,
                               correction->wanted, &def, &correction->work, found);
    correction->unsolved = 0.0;
    return status == CN_OK && *found ? take_one_island(correction) : status;
}

// The least error of an island that has something to do [m or rad].
static double least_error(const Correction* correction) {
    double least = INFINITY;
    for (int i = 0; i < correction->island_count; ++i) {
        if (correction->islands[i].is_active) {
            least = fmin(least, correction->islands[i].before);
        }
    }
    return least;
}

static CnStatus solve(Correction* correction, double budget, CnError* error) {
    CnWorld* world = correction->world;
    CnSolverDef def = def_of_pass(correction, budget);
    if (correction->searches && world->correction.rows.row_count > ROUGH_ROWS) {
        def.tolerance = fmax(def.tolerance, ROUGH_SHARE * least_error(correction));
    }
    CnIslandSummary summary;
    world->correction.damps_nets = true;
    CnStatus status =
        cn_world_solve(world, &world->correction.problem, &def, 1.0, world->correction.rows.impulse,
                       world->correction.displacement, &summary, error);
    world->correction.damps_nets = false;
    correction->work += summary.work;
    correction->unsolved = summary.not_converged > 0 ? summary.report.error : 0.0;
    memset(correction->error, 0, (size_t)correction->island_count * sizeof(double));
    if (status == CN_OK && correction->has_net && summary.not_converged > 0) {
        cn_correction_find_left(world, correction->group, correction->error);
    }
    for (int i = 0; i < correction->island_count; ++i) {
        correction->islands[i].unsolved = correction->error[i];
    }
    return status;
}

// What the answer of this pass leaves of straight rows [m or rad]. Where there are constraints half
// an answer does not count: it may open them for the sake of deeper overlaps.
static double unsolved_by(const Correction* correction, const Island* island) {
    return island->has_constraints ? 0.0 : correction->unsolved;
}

// Whether the island is better off by half of what its share of the displacements promises.
static bool is_step_good(const Correction* correction, const Island* island) {
    double promised =
        fmax(LEAST_PROMISE * island->before, island->before - unsolved_by(correction, island));
    return island->share == 0.0 || island->after <= correction->tolerance ||
           island->after <= island->before - ARMIJO * island->share * promised;
}

// An island that has come upon contacts its problem did not know stays where it is and takes them
// along; else a taut light chain with a heavy ball is shortened most cheaply by turning its links
// far, farther than rows are straight, and its step is halved: docs/theory/stabilisation.md (5),
// (10).
static CnStatus shorten_step(Correction* correction, int index, int halvings) {
    Island* island = &correction->islands[index];
    int learned = 0;
    CnStatus status = CN_OK;
    if (halvings == 0 && unsolved_by(correction, island) == 0.0 &&
        island->progress.idle < LEARNING_PASSES) {
        status =
            cn_correction_learn(correction->world, correction->group, index, correction->tolerance,
                                correction->trial, correction->states, &learned);
    }
    island->share = learned > 0 ? 0.0 : 0.5 * island->share;
    return status;
}

// The states move by what islands gain from.
static CnStatus search(Correction* correction) {
    CnWorld* world = correction->world;
    CnErrorGroups groups = {correction->group, correction->error};
    bool is_done = false;
    cn_correction_keep_posed(world);
    for (int halvings = 0; !is_done; ++halvings) {
        displace(correction);
        memset(correction->error, 0, (size_t)correction->island_count * sizeof(double));
        if (halvings > 0) { // the last collection is that of the trial before
            CnContactArray previous = world->correction.previous;
            world->correction.previous = world->correction.contacts;
            world->correction.contacts = previous;
        }
        CnStatus status =
            measure(correction, cn_positions_measure, correction->trial, &groups,
                    halvings > 0 ? &world->correction.previous : &world->correction.posed);
        is_done = true;
        for (int i = 0; status == CN_OK && i < correction->island_count; ++i) {
            Island* island = &correction->islands[i];
            island->after = correction->error[i];
            if (correction->searches && halvings < MAX_HALVINGS && island->is_active &&
                !is_step_good(correction, island)) {
                status = shorten_step(correction, i, halvings);
                is_done = false;
            }
        }
        if (status != CN_OK) {
            return status;
        }
    }
    CnStatus status = correction->left.pending > correction->tolerance
                          ? cn_correction_follow(world, &groups, correction->tolerance,
                                                 correction->states, correction->trial)
                          : CN_OK;
    for (int k = 0; k < correction->mover_count; ++k) {
        correction->states[correction->movers[k]] = correction->trial[correction->movers[k]];
    }
    return status;
}

static double most_left(const Correction* correction) {
    return fmax(MISSED_LEAST, MISSED_TOLERANCES * correction->tolerance);
}

static void keep_progress(Correction* correction) {
    correction->missed = 0;
    for (int i = 0; i < correction->island_count; ++i) {
        Island* island = &correction->islands[i];
        IslandProgress* progress = &island->progress;
        if (island->is_active) {
            bool is_short = island->share > 0.0 && island->share < 1.0;
            bool gains = island->after < GAIN * progress->best ||
                         (is_short && is_step_good(correction, island));
            bool is_stuck = island->is_net &&
                            cn_net_pass_is_last(island->before, island->after, island->unsolved,
                                                progress->idle > 0 || progress->was_short);
            progress->idle = is_stuck ? PATIENCE + 1 : gains ? 0 : progress->idle + 1;
            progress->best = fmin(progress->best, island->after);
            progress->was_short = island->share > 0.0 ? island->share < 1.0 : progress->was_short;
        }
        correction->missed += island->after > most_left(correction);
    }
    for (int k = 0; k < correction->mover_count; ++k) {
        int i = correction->movers[k];
        correction->progress[i] = correction->islands[correction->group[i]].progress;
    }
}

// The displacements that the rows of all that is wanted ask for. *is_over: nothing more can be
// done.
static CnStatus solve_rows(Correction* correction, const CnStepReport* report, bool* is_over,
                           CnError* error) {
    CnStatus status = cn_correction_build_rows(correction->world, correction->states,
                                               correction->instant, correction->wanted);
    if (status == CN_OK) {
        status = find_islands(correction);
    }
    correction->row_count = correction->world->correction.rows.row_count;
    double budget = budget_of(correction, report);
    *is_over = status == CN_OK && (!has_active_island(correction) || correction->work >= budget);
    if (status == CN_OK && !*is_over) {
        status = weigh_evenly(correction);
    }
    if (status != CN_OK) {
        return cn_error_set(error, status, "no memory to correct positions");
    }
    return *is_over ? CN_OK : solve(correction, budget, error);
}

// One linear problem, and the step that its answer allows. *is_over: nothing more can be done.
static CnStatus pass(Correction* correction, const CnStepReport* report, bool* is_over,
                     CnError* error) {
    CnWorld* world = correction->world;
    CnArenaMark mark = cn_arena_mark(&world->arena);
    bool is_solved = false;
    *is_over = false;
    CnStatus status = mark_wanted(correction);
    if (status == CN_OK) {
        status = solve_along_trees(correction, budget_of(correction, report), &is_solved);
    }
    if (status != CN_OK) {
        cn_error_set(error, status, "no memory to correct positions");
    } else if (!is_solved) {
        status = solve_rows(correction, report, is_over, error);
    }
    if (status == CN_OK && !*is_over) {
        if (search(correction) != CN_OK) {
            status = cn_error_set(error, CN_NO_MEMORY, "no memory to measure position errors");
        }
        keep_progress(correction);
    }
    cn_arena_release(&world->arena, mark);
    return status;
}

// What passes keep of every body: most steps need none.
static bool prepare(Correction* correction) {
    CnArena* arena = &correction->world->arena;
    int count = correction->world->order.count;
    correction->trial = cn_world_states(correction->world, CN_STATES_TRIAL);
    correction->progress = CN_ARENA_NEW(arena, IslandProgress, count);
    correction->group = CN_ARENA_RAW(arena, int, count);
    correction->movers = CN_ARENA_RAW(arena, int, count);
    correction->scope = CN_ARENA_NEW(arena, bool, count);
    correction->wanted = CN_ARENA_NEW(arena, bool, count);
    if (correction->trial == NULL || correction->progress == NULL || correction->group == NULL ||
        correction->movers == NULL || correction->scope == NULL || correction->wanted == NULL ||
        cn_motion_reserve_correction(correction->world) != CN_OK) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        correction->progress[i].best = INFINITY;
        correction->group[i] = -1;
    }
    CnIndexList moving = cn_active_bodies(correction->world);
    for (int k = 0; k < moving.count; ++k) {
        int i = cn_index_at(&moving, k);
        correction->trial[i] = correction->states[i];
    }
    return true;
}

// Joints alone, whose errors are measured and put right along their trees. False in *serves:
// contacts may be pressed into each other by that, or trees do not serve, and nothing has changed.
static CnStatus correct_trees(Correction* correction, bool* serves) {
    CnWorld* world = correction->world;
    CnTreeProjection projection = {
        .world = world,
        .instant = correction->instant,
        .tolerance = correction->tolerance,
        .states = correction->states,
    };
    bool has_contacts = world->step.manifolds.count > 0 || world->correction.contacts.count > 0 ||
                        world->given_contacts.count > 0;
    *serves = false;
    if (!correction->searches || (has_contacts && !correction->instant.ahead)) {
        return CN_OK;
    }
    CnStatus status = cn_project_trees(&projection, serves);
    correction->work += projection.work;
    correction->left = projection.left;
    correction->moved = *serves && projection.moved;
    return status;
}

// Passes of all that has errors, wherever they come from. They have been measured.
static CnStatus make_passes(Correction* correction, int limit, const CnStepReport* report,
                            CnError* error) {
    bool is_needed =
        fmax(correction->left.pending, correction->left.penetration) > correction->tolerance;
    CnStatus status = CN_OK;
    if (is_needed && limit > 0) {
        status = prepare(correction) ? measure_scope(correction) : CN_NO_MEMORY;
        correction->moved = true;
    }
    if (status != CN_OK) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory to measure position errors");
    }
    bool is_over = false;
    for (int i = 0; status == CN_OK && !is_over && i < limit &&
                    correction->left.pending > correction->tolerance;
         ++i) {
        status = pass(correction, report, &is_over, error);
    }
    return status;
}

static CnStatus correct(Correction* correction, int limit, const CnStepReport* report,
                        CnError* error) {
    CnWorld* world = correction->world;
    double least_gap;
    bool serves = false;
    world->correction.learned.count = 0;
    CnStatus status =
        cn_positions_end_overlaps(world, correction->states, correction->instant, &least_gap);
    if (status == CN_OK && limit > 0 && world->active.constraints.count > 0) {
        status = correct_trees(correction, &serves);
    }
    if (status == CN_OK && !serves) {
        cn_positions_evaluate(world, correction->states, correction->instant);
        cn_positions_sum_up(world, correction->states, correction->instant, NULL,
                            &correction->left);
    }
    if (status != CN_OK) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory to measure position errors");
    }
    correction->left.penetration = fmax(correction->left.penetration, -least_gap);
    return serves ? CN_OK : make_passes(correction, limit, report, error);
}

static Correction begin(CnWorld* world, CnBodyState* states, CnInstant instant) {
    return (Correction){
        .world = world,
        .instant = instant,
        .searches = world->def.step.stabilisation == CN_STABILISATION_PROJECTION,
        .tolerance = cn_correction_tolerance(world),
        .states = states,
    };
}

static int pass_limit(const CnWorld* world) {
    switch (world->def.step.stabilisation) {
    case CN_STABILISATION_PROJECTION:
        return MAX_PASSES;
    case CN_STABILISATION_SPLIT_IMPULSE:
        return 1;
    default:
        return 0;
    }
}

// Errors that should not be there any more.
static void report_missed(const Correction* correction, CnPositionReport* positions) {
    *positions = (CnPositionReport){0};
    if (correction->left.pending <= most_left(correction)) {
        return;
    }
    positions->missed = correction->missed > 0 ? correction->missed : 1;
    positions->error = correction->left.pending;
    cn_positions_name(correction->world, &correction->left, positions->pair,
                      sizeof positions->pair);
}

static CnStatus give_up(CnWorld* world, const CnEndLook* look, CnError* error) {
    cn_arena_release(&world->arena, look->mark);
    return cn_error_set(error, CN_NO_MEMORY, "no memory to measure position errors");
}

CnStatus cn_correct_begin(CnWorld* world, CnBodyState* states, CnEndLook* look, CnError* error) {
    look->mark = cn_arena_mark(&world->arena);
    look->states = states != NULL ? states : cn_world_present_states(world, CN_STATES_LOOK);
    CnStatus status = look->states == NULL ? CN_NO_MEMORY : CN_OK;
    if (status == CN_OK) {
        status = cn_places_update(world, look->states, 0.0);
    }
    if (status == CN_OK) {
        status = cn_world_assign_records(world);
    }
    if (status == CN_OK) {
        status = cn_search_begin(world, CN_SEARCH_MOVED, &look->search);
    }
    world->correction.contacts.count = 0;
    return status == CN_OK ? CN_OK : give_up(world, look, error);
}

CnStatus cn_correct_take(CnWorld* world, CnEndLook* look, CnError* error) {
    CnStatus status =
        cn_world_list_overlaps(world, look->states, &look->search, cn_correction_tolerance(world),
                               &world->correction.contacts);
    return status == CN_OK ? CN_OK : give_up(world, look, error);
}

// Bodies go where the correction has brought them: none out of its scope has moved.
static void take_states(const Correction* correction, CnEndLook* look) {
    CnWorld* world = correction->world;
    CnIndexList moving = cn_active_bodies(world);
    look->corrected = correction->moved;
    bool is_checked_later = world->active.constraints.count > 0; // once velocities are relaxed
    look->is_sound = look->is_placed = true;
    for (int k = 0; look->corrected && k < moving.count; ++k) {
        int i = cn_index_at(&moving, k);
        if (correction->scope == NULL || correction->scope[i]) {
            CnBody* body = cn_world_body_by_index(world, i);
            const CnBodyState* end = &look->states[i];
            look->is_placed = look->is_placed && cn_places_hold_on(world, i, &body->state, end);
            body->state = *end;
            look->is_sound = look->is_sound && (is_checked_later || cn_step_is_sound(world, body));
        }
    }
}

CnStatus cn_correct_end(CnWorld* world, CnEndLook* look, bool corrects, CnStepReport* report,
                        CnError* error) {
    CnInstant end = {.time = world->step.time + world->step.dt};
    int limit = corrects ? pass_limit(world) : 0;
    Correction correction = begin(world, look->states, end);
    correction.work = report->correction_work;
    CnStatus status = correct(&correction, limit, report, error);
    take_states(&correction, look);
    report->penetration = correction.left.penetration;
    report->joint_error = correction.left.joint;
    report->joint_angle_error = correction.left.angle;
    report->correction_work = correction.work;
    if (status == CN_OK && limit > 0 && correction.searches) {
        report_missed(&correction, &report->positions);
    }
    cn_arena_release(&world->arena, look->mark);
    return status;
}

// As a whole: all constraints reach the tolerance, or no state changes.
static CnStatus correct_all_ahead(Correction* correction, bool* moved, CnStepReport* report,
                                  CnError* error) {
    CnWorld* world = correction->world;
    size_t bytes = (size_t)world->order.count * sizeof(CnBodyState);
    CnBodyState* kept = CN_ARENA_RAW(&world->arena, CnBodyState, world->order.count);
    if (kept == NULL) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory to correct positions");
    }
    memcpy(kept, correction->states, bytes);
    for (int i = 0; i < world->order.count; ++i) { // the step's problem is still to be posed
        world->step.inverse_mass[i] = cn_world_body_by_index(world, i)->mass->inverse_mass;
    }
    cn_positions_evaluate(world, correction->states, correction->instant);
    cn_positions_sum_up(world, correction->states, correction->instant, NULL, &correction->left);
    world->correction.learned.count = 0;
    CnStatus status = make_passes(correction, MAX_PASSES, report, error);
    report->correction_work += correction->work;
    *moved = status == CN_OK && correction->left.pending <= correction->tolerance &&
             memcmp(correction->states, kept, bytes) != 0;
    if (status == CN_OK && !*moved) {
        memcpy(correction->states, kept, bytes);
    }
    return status;
}

CnStatus cn_world_correct_ahead(CnWorld* world, double time, CnBodyState* states, bool* moved,
                                CnStepReport* report, CnError* error) {
    *moved = false;
    if (world->constraints.count == 0 ||
        world->def.step.stabilisation != CN_STABILISATION_PROJECTION) {
        return CN_OK;
    }
    CnArenaMark mark = cn_arena_mark(&world->arena);
    CnInstant instant = {.time = time, .ahead = true};
    Correction correction = begin(world, states, instant);
    bool serves;
    world->correction.contacts.count = 0; // they are still to be met
    CnStatus status = correct_trees(&correction, &serves);
    if (status != CN_OK) {
        cn_error_set(error, status, "no memory to correct positions");
    } else if (serves) {
        *moved = correction.moved;
        report->correction_work += correction.work;
    } else {
        status = correct_all_ahead(&correction, moved, report, error);
    }
    cn_arena_release(&world->arena, mark);
    return status;
}

CnStatus cn_world_correct_positions(CnWorld* world, bool corrects, CnStepReport* report,
                                    CnError* error) {
    CnEndLook look;
    CnStatus status = cn_correct_begin(world, NULL, &look, error);
    while (status == CN_OK && cn_search_next(&look.search)) {
        cn_tasks_for(&world->def.tasks, look.search.part_looks, CN_SEARCH_GRAIN, cn_search_range,
                     &look.search);
        status = cn_correct_take(world, &look, error);
    }
    return status == CN_OK ? cn_correct_end(world, &look, corrects, report, error) : status;
}

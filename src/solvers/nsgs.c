// nsgs.c - nonsmooth Gauss-Seidel: exact block answers in sweeps, accelerated and graded.
//
// Sweeps alone converge at a rate that falls with stack height and mass ratio. So from some point
// on each pair of sweeps counts as one step of a fixed-point iteration that is accelerated, and
// small problems that are still not solved get bursts of Newton steps on all blocks at once.
// Neither is trusted: a combination that makes the sweeps work harder is taken back, a burst counts
// only if it ends with a smaller residual. Where joints may be what makes sweeps slow, they take
// turns with sweeps over what is left without joints. docs/theory/nsgs.md.
#include "constraints/block.h"
#include "solvers/anderson.h"
#include "solvers/block_newton.h"
#include "solvers/block_sweep.h"
#include "solvers/mechanisms.h"
#include "solvers/refusal.h"
#include "solvers/solver.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_ITERATIONS 10000 // sweeps and Newton steps

// One step of the fixed-point iteration. A single sweep leaves the last blocks exact and the first
// ones stale, which two even out; more would be work that the acceleration does better.
#define SWEEPS_PER_STEP 2

// Grading costs about as much as a sweep; every tenth sweep it adds a tenth. The first steps are
// graded too: many problems are done by then.
#define STEPS_PER_CHECK 5
#define FIRST_STEPS 2

// Easy problems are done by then and are spared the memory of the acceleration.
#define SWEEPS_BEFORE_ACCELERATION 20

// A combination is taken back when the next step is longer than the last by this factor. Some
// growth must be allowed: contacts that open or close on the way make good steps look bad.
#define ALLOWED_GROWTH 2.0

// Newton needs the contacts to have roughly sorted themselves into open, sticking and sliding; the
// cubic cost of its matrix is that of thousands of sweeps beyond some hundred rows.
#define ITERATIONS_BEFORE_NEWTON 40
#define ITERATIONS_BETWEEN_BURSTS 100
#define LARGEST_NEWTON_ROWS 450
#define BURST_STEPS 200

// The residual rises and falls while contacts change state; a burst is given up after so many steps
// without a new low.
#define BURST_PATIENCE 10

// Without joints a few contacts carry much, and how far Newton's step goes along what they do not
// determine decides whether it arrives. Bursts on mechanisms take these in turn; they were found by
// trial on machines in contact, of which no single value solved all.
static const double mechanism_raises[] = {1e-8, 1e-6, 1e-10, 1e-4};
#define RAISES ((int)(sizeof mechanism_raises / sizeof mechanism_raises[0]))

// The answer is at round-off when its residual is within this factor of what round-off leaves of
// the terms of u, and this many iterations have not improved it.
#define NOISE_FACTOR 16.0
#define NOISE_PATIENCE 200

// Problems without an answer (joints that contradict each other) would be swept to the end.
#define PATIENCE 3000

// Sweeps with joints and sweeps without take turns, until one of them has the answer: those with
// joints first, and always this many times as long in multiplications, so that having tried the
// others in vain is little loss. These are first given time for so many sweeps, later for twice
// what they had.
#define SWEEPS_BEFORE_ELIMINATION 30
#define PLAIN_SHARE 2.0
#define EXPECTED_SWEEPS 40

// What joints did not make slow is hard for sweeps as such: without joints patience is shorter.
#define ELIMINATED_PATIENCE 1000

// One course of sweeps and bursts, on all rows or on those that are left without joints.
typedef struct State {
    CnSweep sweep;
    const CnSweep* whole; // on all rows: what the certificate grades
    CnArena* arena;       // for grading and for answers of joints
    bool out_of_memory;   // while these were found
    double* impulse;      // of all rows, when joints are eliminated   [whole row_count]
    CnErrorMeasure measure;
    double tolerance;      // in the unit of the measure
    double sweep_cost;     // in multiplications
    double spent, budget;  // idem; the turn is over when it has spent as much
    int last_iteration;    // of its last turn
    int patience;          // iterations without progress
    double (*velocity)[6]; // the solution's, scratch until the end   [body_count]
    double* weight;        // sqrt(W_ii), 1 where that is 0: makes all rows comparable   [row_count]
    double* best;          // impulses with the least residual   [row_count]
    double best_residual;
    int best_iteration;

    CnAnderson anderson;
    bool is_accelerating;
    double* start;      // impulses before the step   [row_count]
    double* plain;      // impulses before they were combined   [row_count]
    double last_length; // of the step before
    bool was_combined;  // the step started from a combination

    CnBlockNewton newton;
    bool has_newton;
    int next_burst; // iteration
    int bursts;     // so far
    int newton_steps;
} State;

// Memory and scales for a course of sweeps that are prepared.
static CnStatus begin(State* state, const CnSweep* whole, double tolerance, CnArena* arena) {
    const CnProblem* problem = state->sweep.problem;
    int rows = problem->row_count;
    state->whole = whole;
    state->arena = arena;
    state->tolerance = tolerance;
    state->best_residual = HUGE_VAL;
    state->next_burst = ITERATIONS_BEFORE_NEWTON;
    state->patience = PATIENCE;
    state->budget = HUGE_VAL;
    state->weight = CN_ARENA_NEW(arena, double, rows);
    state->start = CN_ARENA_NEW(arena, double, rows);
    state->plain = CN_ARENA_NEW(arena, double, rows);
    state->best = CN_ARENA_NEW(arena, double, rows);
    state->impulse = CN_ARENA_NEW(arena, double, whole->problem->row_count);
    if (state->weight == NULL || state->start == NULL || state->plain == NULL ||
        state->best == NULL || state->impulse == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        for (int k = 0; k < block->row_count; ++k) {
            double diagonal = state->sweep.blocks[i].w[k * block->row_count + k];
            state->weight[block->first_row + k] = diagonal > 0.0 ? sqrt(diagonal) : 1.0;
        }
    }
    return CN_OK;
}

static CnStatus prepare(void* memory, const CnSolverDef* def, const CnProblem* problem,
                        CnArena* arena, CnError* error) {
    State* state = memory;
    if (cn_refuse_box_friction(def, "nsgs", error) != CN_OK) {
        return CN_UNSUPPORTED;
    }
    CnStatus status = cn_sweep_prepare(&state->sweep, problem, def->over_relaxation, arena);
    return status == CN_OK ? begin(state, &state->sweep, def->tolerance, arena) : status;
}

// The impulses of all rows, joints answering. False: the joints do not hold.
static bool expand(State* state, const double* p) {
    const CnJointSplit* split = &state->sweep.mechanisms->split;
    bool held;
    for (int i = 0; i < split->others.row_count; ++i) {
        state->impulse[split->row[i]] = p[i];
    }
    CnStatus status = cn_joint_split_answer(split, state->tolerance, state->arena, state->impulse,
                                            state->velocity, NULL, &held);
    state->out_of_memory = status != CN_OK;
    return held;
}

// The worst residual exactly as the certificate will compute it. The sweep's own may differ by
// round-off, which matters where impulses are large and tolerances small.
static double certified_residual(State* state, const double* p) {
    const CnProblem* problem = state->whole->problem;
    double worst = 0.0;
    if (state->sweep.mechanisms != NULL) {
        if (!expand(state, p)) {
            return HUGE_VAL;
        }
        p = state->impulse;
    }
    cn_problem_velocity(problem, p, state->velocity);
    for (int i = 0; i < problem->block_count; ++i) {
        const CnSweepBlock* item = &state->whole->blocks[i];
        double u[CN_MAX_ROWS];
        cn_block_velocity(problem, item->block, (const double(*)[6])state->velocity, p, u);
        worst = fmax(worst, cn_block_residual(problem, item->block, item->w, item->lambda_max, u,
                                              p + item->block->first_row));
    }
    return worst;
}

// Grades p with fresh velocities and keeps it if it is the best so far.
static double grade(State* state, const double* p, int iteration) {
    cn_sweep_set_impulse(&state->sweep, p);
    double residual = state->measure == CN_ERROR_VELOCITY
                          ? cn_sweep_residual(&state->sweep, p)
                          : cn_sweep_relative_error(&state->sweep, p, state->arena);
    if (residual <= state->tolerance && state->measure == CN_ERROR_VELOCITY) {
        residual = certified_residual(state, p);
    }
    if (residual < state->best_residual) {
        state->best_residual = residual;
        state->best_iteration = iteration;
        memcpy(state->best, p, (size_t)state->sweep.problem->row_count * sizeof(double));
    }
    return residual;
}

static int imin(int a, int b) {
    return a < b ? a : b;
}

static double step_length(const State* state, const double* p) {
    double sum = 0.0;
    for (int i = 0; i < state->sweep.problem->row_count; ++i) {
        double change = state->weight[i] * (p[i] - state->start[i]);
        sum += change * change;
    }
    return sqrt(sum);
}

// Turns the step from start to p into a combination with those before it, or takes the last
// combination back.
static CnStatus accelerate(State* state, CnArena* arena, double* p) {
    int rows = state->sweep.problem->row_count;
    size_t bytes = (size_t)rows * sizeof(double);
    if (!state->is_accelerating) {
        state->is_accelerating = true;
        if (cn_anderson_init(&state->anderson, rows, arena) != CN_OK) {
            return CN_NO_MEMORY;
        }
    }
    double length = step_length(state, p);
    if (state->was_combined && length > ALLOWED_GROWTH * state->last_length) {
        cn_anderson_reset(&state->anderson);
        memcpy(p, state->plain, bytes);
        state->was_combined = false;
    } else {
        state->last_length = length;
        memcpy(state->plain, p, bytes);
        cn_anderson_step(&state->anderson, state->start, state->plain, state->weight, p);
        state->was_combined = state->anderson.count > 0;
    }
    cn_sweep_set_impulse(&state->sweep, p);
    return CN_OK;
}

static double newton_cost(double rows) {
    return 2.0 / 3.0 * rows * rows * rows;
}

// Newton steps from p until the tolerance is met or the residual finds no new low. Afterwards p is
// what the burst has found if that is the best so far, else what it was.
static CnStatus burst(State* state, int limit, CnArena* arena, double* p, int* iterations) {
    CnSweep* sweep = &state->sweep;
    size_t bytes = (size_t)sweep->problem->row_count * sizeof(double);
    if (!state->has_newton) {
        state->has_newton = true;
        if (cn_block_newton_init(&state->newton, sweep, state->weight, arena) != CN_OK) {
            return CN_NO_MEMORY;
        }
    }
    if (sweep->mechanisms != NULL) {
        state->newton.raise = mechanism_raises[state->bursts++ % RAISES];
    }
    double lowest = HUGE_VAL;
    double before = state->best_residual;
    memcpy(state->start, p, bytes);
    cn_sweep_set_impulse(sweep, p);
    for (int step = 0, low_step = 0; step < BURST_STEPS && step - low_step <= BURST_PATIENCE &&
                                     lowest > state->tolerance && *iterations < limit;
         ++step) {
        state->spent += newton_cost(sweep->problem->row_count);
        if (!cn_block_newton_step(&state->newton, sweep, p)) {
            break;
        }
        ++*iterations;
        ++state->newton_steps;
        double residual = grade(state, p, *iterations);
        if (residual < lowest) {
            lowest = residual;
            low_step = step;
        }
    }
    memcpy(p, state->best_residual < before ? state->best : state->start, bytes);
    cn_sweep_set_impulse(sweep, p);
    if (state->is_accelerating) { // what it remembers belongs to another place
        cn_anderson_reset(&state->anderson);
        state->was_combined = false;
    }
    state->next_burst = *iterations + ITERATIONS_BETWEEN_BURSTS;
    return CN_OK;
}

// Whether to stop, and how: converged, or nothing more to gain from these digits.
static bool is_finished(const State* state, CnSolverReport* report) {
    if (state->best_residual <= state->tolerance) {
        report->outcome = CN_CONVERGED;
        return true;
    }
    int idle = report->iterations - state->best_iteration;
    double noise = NOISE_FACTOR * cn_sweep_noise(&state->sweep, state->best);
    if (idle >= state->patience || (idle >= NOISE_PATIENCE && state->measure == CN_ERROR_VELOCITY &&
                                    state->best_residual <= noise)) {
        report->outcome = CN_STALLED;
        snprintf(report->remark, sizeof report->remark, "%s; ",
                 idle >= state->patience ? "no progress" : "stopped at round-off");
        return true;
    }
    return false;
}

// One step: sweeps, and when due a grade; then a burst of Newton steps or an acceleration.
static CnStatus advance(State* state, int step, int limit, CnArena* arena, double* p,
                        CnSolverReport* report) {
    int rows = state->sweep.problem->row_count;
    memcpy(state->start, p, (size_t)rows * sizeof(double));
    for (int i = 0; i < SWEEPS_PER_STEP && report->iterations < limit; ++i) {
        cn_sweep_run(&state->sweep, p);
        ++report->iterations;
        state->spent += state->sweep_cost;
    }
    bool is_due = step <= FIRST_STEPS || step % STEPS_PER_CHECK == 0 || report->iterations == limit;
    if (is_due && grade(state, p, report->iterations) <= state->tolerance) {
        return CN_OK;
    }
    bool affordable = state->sweep.mechanisms == NULL ||
                      state->spent + BURST_PATIENCE * newton_cost(rows) <= state->budget;
    if (is_due && report->iterations >= state->next_burst && rows <= LARGEST_NEWTON_ROWS &&
        affordable) {
        return burst(state, limit, arena, p, &report->iterations);
    }
    if (report->iterations >= SWEEPS_BEFORE_ACCELERATION) {
        return accelerate(state, arena, p);
    }
    return CN_OK;
}

// Steps until the course is finished, has spent its budget or has come to the limit.
static CnStatus run(State* state, int limit, CnArena* arena, double* p, CnSolverReport* report) {
    CnStatus status = CN_OK;
    int away = report->iterations - state->last_iteration; // in turns of the other course
    state->best_iteration += away;
    state->next_burst += away;
    report->outcome = CN_OUT_OF_ITERATIONS;
    report->remark[0] = '\0';
    cn_sweep_set_impulse(&state->sweep, p);
    for (int step = 1;
         status == CN_OK && report->iterations < limit && state->spent < state->budget; ++step) {
        status = advance(state, step, limit, arena, p, report);
        if (state->out_of_memory || is_finished(state, report)) {
            break;
        }
    }
    state->last_iteration = report->iterations;
    return state->out_of_memory ? CN_NO_MEMORY : status;
}

// The course without joints.
typedef struct Elimination {
    CnMechanisms mechanisms;
    CnMechanismCost cost;
    State state;
    double* p;     // [row_count of the others]
    bool is_built; // on its first turn
    bool is_over;  // not possible, or finished in vain
} Elimination;

// A burst of Newton steps that elimination makes much cheaper is left to it.
static bool replaces_burst(const Elimination* other) {
    int rows = other->mechanisms.split.problem->row_count;
    int left = other->mechanisms.split.others.row_count;
    return rows <= LARGEST_NEWTON_ROWS && 2 * left <= rows &&
           other->cost.set_up + EXPECTED_SWEEPS * other->cost.sweep < newton_cost(rows);
}

// What a first turn costs.
static double first_turn(const Elimination* other) {
    double rows = other->mechanisms.split.others.row_count;
    double burst = replaces_burst(other) ? BURST_PATIENCE * newton_cost(rows) : 0.0;
    return other->cost.set_up + EXPECTED_SWEEPS * other->cost.sweep + burst;
}

static CnStatus begin_elimination(Elimination* other, const State* plain, CnArena* arena,
                                  const double* p) {
    const CnJointSplit* split = &other->mechanisms.split;
    bool found;
    other->is_built = true;
    CnStatus status = cn_mechanisms_build(&other->mechanisms, plain->tolerance, arena, &found);
    other->is_over = !found;
    if (status != CN_OK || !found) {
        return status;
    }
    State* state = &other->state;
    other->p = CN_ARENA_NEW(arena, double, split->others.row_count);
    status = other->p == NULL ? CN_NO_MEMORY
                              : cn_sweep_prepare_mechanisms(&state->sweep, &other->mechanisms,
                                                            plain->sweep.over_relaxation, arena);
    if (status == CN_OK) {
        status = begin(state, &plain->sweep, plain->tolerance, arena);
    }
    for (int i = 0; status == CN_OK && i < split->others.row_count; ++i) {
        other->p[i] = p[split->row[i]];
    }
    state->velocity = plain->velocity;
    state->patience = ELIMINATED_PATIENCE;
    state->sweep_cost = other->cost.sweep;
    state->spent = other->cost.set_up;
    return status;
}

// A turn of the course without joints. Its answer becomes the best of the plain course if it is.
static CnStatus run_eliminated(State* plain, Elimination* other, double budget, int limit,
                               CnArena* arena, const double* p, CnSolverReport* report) {
    State* state = &other->state;
    CnStatus status = CN_OK;
    if (!other->is_built) {
        status = begin_elimination(other, plain, arena, p);
    }
    if (status != CN_OK || other->is_over) {
        return status;
    }
    state->budget = budget;
    status = run(state, limit, arena, other->p, report);
    other->is_over = report->outcome != CN_OUT_OF_ITERATIONS;
    if (status == CN_OK && state->best_residual < plain->best_residual &&
        expand(state, state->best)) {
        grade(plain, state->impulse, report->iterations);
    }
    return status;
}

// Turns of both courses until one of them converges, or none has anything left to try.
static CnStatus alternate(State* plain, Elimination* other, int limit, CnArena* arena, double* p,
                          CnSolverReport* report) {
    CnStatus status = CN_OK;
    bool plain_is_over = false;
    other->is_over = !isfinite(other->cost.set_up) || plain->measure != CN_ERROR_VELOCITY;
    bool skips_plain = !other->is_over && replaces_burst(other);
    double turn = first_turn(other);
    while (status == CN_OK && report->iterations < limit && report->outcome != CN_CONVERGED &&
           !(plain_is_over && other->is_over)) {
        plain->budget = other->is_over ? HUGE_VAL : PLAIN_SHARE * turn;
        if (!skips_plain) {
            status = run(plain, limit, arena, p, report);
            plain_is_over = report->outcome == CN_STALLED;
        }
        bool goes_on = status == CN_OK && report->outcome != CN_CONVERGED;
        other->is_over = other->is_over || (plain_is_over && PLAIN_SHARE * turn > plain->spent);
        if (goes_on && report->iterations < limit && !other->is_over) {
            status = run_eliminated(plain, other, fmax(turn, plain->spent / PLAIN_SHARE), limit,
                                    arena, p, report);
        }
        other->is_over = other->is_over || plain_is_over;
        skips_plain = plain_is_over;
        turn *= 2.0;
    }
    return status;
}

static void write_remark(const State* state, const Elimination* other, CnSolverReport* report) {
    const CnSweep* sweep = &state->sweep;
    int newton_steps = state->newton_steps + other->state.newton_steps;
    char* text = report->remark;
    size_t size = sizeof report->remark;
    int used = (int)strlen(text); // why it stopped
    used +=
        snprintf(text + used, size - (size_t)used, "%d sweeps%s", report->iterations - newton_steps,
                 state->is_accelerating ? ", accelerated" : "");
    if (newton_steps > 0) {
        used += snprintf(text + used, size - (size_t)used, ", %d Newton steps", newton_steps);
    }
    if (other->is_built) {
        used += snprintf(text + used, size - (size_t)used, ", joints eliminated");
    }
    if (sweep->enumerated + sweep->projected + sweep->failed > 0) {
        snprintf(text + used, size - (size_t)used,
                 "; contact answers by enumeration %d, by projection %d, not found %d",
                 sweep->enumerated, sweep->projected, sweep->failed);
    }
}

static CnStatus solve(void* memory, const CnSolverDef* def, const CnProblem* problem,
                      CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    State* state = memory;
    double* p = solution->impulse;
    int limit = def->max_iterations > 0 ? def->max_iterations : DEFAULT_ITERATIONS;
    Elimination other = {.is_built = false};
    state->measure = def->measure;
    state->velocity = solution->velocity;
    CnStatus status = run(state, imin(limit, SWEEPS_BEFORE_ELIMINATION), arena, p, report);
    if (status == CN_OK && report->outcome == CN_OUT_OF_ITERATIONS && report->iterations < limit) {
        status = cn_mechanisms_plan(&other.mechanisms, problem, arena, &other.cost);
        state->sweep_cost = other.cost.plain_sweep;
        state->spent = report->iterations * state->sweep_cost;
        if (status == CN_OK) {
            status = alternate(state, &other, limit, arena, p, report);
        }
    }
    if (state->best_residual < HUGE_VAL) {
        memcpy(p, state->best, (size_t)problem->row_count * sizeof(double));
    }
    write_remark(state, &other, report);
    return status;
}

const CnSolver cn_solver_nsgs = {
    .info =
        {
            .name = "nsgs",
            .summary = "block Gauss-Seidel with exact one-contact answers, accelerated",
            .laws = CN_ALL_LAWS,
            .wide_contacts = true,
            .exact = true,
        },
    .state_size = sizeof(State),
    .prepare = prepare,
    .solve = solve,
};

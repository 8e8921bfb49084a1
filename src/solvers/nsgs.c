// nsgs.c - nonsmooth Gauss-Seidel: exact block answers in sweeps, accelerated and graded.
//
// Sweeps alone converge at a rate that falls with stack height and mass ratio, so from some point
// on each pair of sweeps counts as one step of a fixed-point iteration that is accelerated. The
// acceleration is guarded: a combination after which the sweeps have to do more work than before is
// taken back. docs/theory/nsgs.md.
#include "base/error.h"
#include "solvers/anderson.h"
#include "solvers/block_sweep.h"
#include "solvers/solver.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_SWEEPS 10000

// One step of the fixed-point iteration. A single sweep leaves the last blocks exact and the first
// ones stale, which two even out; more would be work that the acceleration does better.
#define SWEEPS_PER_STEP 2

// Grading costs about as much as a sweep; every tenth sweep it adds a tenth.
#define STEPS_PER_CHECK 5

// Easy problems are done by then and are spared the memory of the acceleration.
#define SWEEPS_BEFORE_ACCELERATION 20

// A combination is taken back when the next step is longer than the last by this factor. Some
// growth must be allowed: contacts that open or close on the way make good steps look bad.
#define ALLOWED_GROWTH 2.0

// The certificate recomputes velocities in another way; a hundredth of the tolerance is far more
// than the round-off between the two.
#define STOP_FRACTION 0.99

typedef struct State {
    CnSweep sweep;
    CnAnderson anderson;
    bool is_accelerating;
    double* weight;       // sqrt(W_ii): makes impulses of all rows comparable   [row_count]
    double* start;        // impulses before the step   [row_count]
    double* plain;        // impulses before they were combined   [row_count]
    double* best;         // impulses with the least residual   [row_count]
    double best_residual; // [m/s]
    double last_length;   // of the step before
    bool was_combined;    // the step started from a combination
    int taken_back;       // combinations
} State;

static CnStatus prepare(void* memory, const CnSolverDef* def, const CnProblem* problem,
                        CnArena* arena, CnError* error) {
    State* state = memory;
    int rows = problem->row_count;
    if (def->friction != CN_FRICTION_EXACT) {
        return cn_error_set(error, CN_UNSUPPORTED,
                            "solver nsgs knows only the exact friction cone; pgs has the box");
    }
    state->weight = CN_ARENA_NEW(arena, double, rows);
    state->start = CN_ARENA_NEW(arena, double, rows);
    state->plain = CN_ARENA_NEW(arena, double, rows);
    state->best = CN_ARENA_NEW(arena, double, rows);
    if (state->weight == NULL || state->start == NULL || state->plain == NULL ||
        state->best == NULL) {
        return CN_NO_MEMORY;
    }
    CnStatus status = cn_sweep_prepare(&state->sweep, problem, def->over_relaxation, arena);
    for (int i = 0; status == CN_OK && i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        for (int k = 0; k < block->row_count; ++k) {
            state->weight[block->first_row + k] =
                sqrt(state->sweep.blocks[i].w[k * block->row_count + k]);
        }
    }
    return status;
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
        ++state->taken_back;
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

// Grades p with fresh velocities and keeps it if it is the best so far. True: good enough.
static bool check(State* state, const double* p, double tolerance) {
    cn_sweep_set_impulse(&state->sweep, p);
    double residual = cn_sweep_residual(&state->sweep, p);
    if (residual < state->best_residual) {
        state->best_residual = residual;
        memcpy(state->best, p, (size_t)state->sweep.problem->row_count * sizeof(double));
    }
    return residual <= STOP_FRACTION * tolerance;
}

static void write_remark(const State* state, CnSolverReport* report) {
    const CnSweep* sweep = &state->sweep;
    int written = snprintf(report->remark, sizeof report->remark, "%d sweeps%s", report->iterations,
                           state->is_accelerating ? ", accelerated" : "");
    if (sweep->enumerated + sweep->projected + sweep->failed > 0) {
        snprintf(report->remark + written, sizeof report->remark - (size_t)written,
                 "; contact answers found by enumeration %d, by projection %d, not found %d",
                 sweep->enumerated, sweep->projected, sweep->failed);
    }
}

static CnStatus solve(void* memory, const CnSolverDef* def, const CnProblem* problem,
                      CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    State* state = memory;
    double* p = solution->impulse;
    size_t bytes = (size_t)problem->row_count * sizeof(double);
    int limit = def->max_iterations > 0 ? def->max_iterations : DEFAULT_SWEEPS;
    CnStatus status = CN_OK;
    state->best_residual = HUGE_VAL;
    report->outcome = CN_OUT_OF_ITERATIONS;
    cn_sweep_set_impulse(&state->sweep, p);
    for (int step = 1; status == CN_OK && report->iterations < limit; ++step) {
        memcpy(state->start, p, bytes);
        for (int i = 0; i < SWEEPS_PER_STEP && report->iterations < limit; ++i) {
            cn_sweep_run(&state->sweep, p);
            ++report->iterations;
        }
        bool is_due = step % STEPS_PER_CHECK == 0 || report->iterations == limit;
        if (is_due && check(state, p, def->tolerance)) {
            report->outcome = CN_CONVERGED;
            break;
        }
        if (report->iterations >= SWEEPS_BEFORE_ACCELERATION) {
            status = accelerate(state, arena, p);
        }
    }
    if (state->best_residual < HUGE_VAL) {
        memcpy(p, state->best, bytes);
    }
    write_remark(state, report);
    return status;
}

const CnSolver cn_solver_nsgs = {
    .info =
        {
            .name = "nsgs",
            .summary = "block Gauss-Seidel with exact one-contact answers, accelerated",
            .laws = 1u << CN_LAW_EQUALITY | 1u << CN_LAW_BOUNDS | 1u << CN_LAW_COULOMB |
                    1u << CN_LAW_FORCE,
            .exact = true,
        },
    .state_size = sizeof(State),
    .prepare = prepare,
    .solve = solve,
};

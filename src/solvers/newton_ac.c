// newton_ac.c - Newton's method on the Alart-Curnier equations, inside a proximal-point loop.
//
// The proximal term alpha D (p - p_k), D = diag(W), makes every inner problem regular, whatever the
// rank of W, and vanishes as the loop converges. It is nothing but compliance and a shifted target,
// so the inner problem is a problem like any other. docs/theory/newton_ac.md.
#include "base/error.h"
#include "constraints/certificate.h"
#include "solvers/block_newton.h"
#include "solvers/block_sweep.h"
#include "solvers/solver.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// Two dense matrices of this many rows take 64 MB; a factorisation takes seconds.
#define MAX_ROWS 2000

#define DEFAULT_NEWTON_STEPS 500 // in all

// Sweeps before the first Newton step, and before an inner problem is tried again: they find out
// cheaply which contacts are open, and Newton is only local.
#define FIRST_SWEEPS 100
#define INNER_SWEEPS 20

// Full steps: near the answer of a regular problem they find out which contacts stick, slide and
// open within a few rounds, where a line search would creep along a kink. If they do not, the
// proximal weight was too small.
#define MAX_INNER_STEPS 15

// The proximal weight starts at the relative error and stays between the first number, where the
// inner problem is as well conditioned as its diagonal, and the second, where it is lost in the
// round-off of W.
#define LARGEST_WEIGHT 1.0
#define SMALLEST_WEIGHT 1e-13
#define WEIGHT_DECREASE 0.3
#define WEIGHT_INCREASE 4.0
#define QUICK_STEPS 4 // Newton steps of an inner problem that was no trouble
#define REST 4        // inner problems to solve after a failure before trying smaller weights again

// An inner problem need not be solved much better than the outer error it can remove.
#define INNER_SHARE 0.1

// Outer steps without halving the error before giving up: weights have gone up and down their range
// several times by then.
#define PATIENCE 60

// Relative round-off of a sum of a few products.
#define ROUND_OFF 0x1p-51

typedef struct State {
    CnSweep sweep;                        // on the problem as it is
    double *diagonal, *weight;            // W_ii and its root   [n]
    double *p, *best, *center;            // iterate; the best by the certificate; p_k   [n]
    double *compliance, *target;          // of the inner problem   [n]
    double (*velocity)[6], (*scratch)[6]; // of the certificate   [bodies]
    double best_worst;                    // [m/s]
    int steps, limit;                     // Newton steps
    int rest;                             // inner problems to solve before the weight may fall
} State;

static CnStatus prepare(void* memory, const CnSolverDef* def, const CnProblem* problem,
                        CnArena* arena, CnError* error) {
    State* state = memory;
    double** vectors[] = {&state->diagonal, &state->weight, &state->p,         &state->best,
                          &state->center,   &state->target, &state->compliance};
    size_t bodies = (size_t)problem->body_count;

    if (def->friction != CN_FRICTION_EXACT) {
        return cn_error_set(error, CN_UNSUPPORTED,
                            "solver newton_ac knows only the exact friction cone; pgs has the box");
    }
    if (problem->row_count > MAX_ROWS) {
        return cn_error_set(error, CN_UNSUPPORTED,
                            "solver newton_ac factors a dense matrix and takes at most %d rows; "
                            "the problem has %d",
                            MAX_ROWS, problem->row_count);
    }
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
        *vectors[i] = CN_ARENA_NEW(arena, double, problem->row_count);
        if (*vectors[i] == NULL) {
            return CN_NO_MEMORY;
        }
    }
    state->velocity = cn_arena_allocate(arena, bodies, sizeof(double[6]));
    state->scratch = cn_arena_allocate(arena, bodies, sizeof(double[6]));
    state->limit = def->max_iterations > 0 ? def->max_iterations : DEFAULT_NEWTON_STEPS;
    return state->velocity == NULL || state->scratch == NULL
               ? CN_NO_MEMORY
               : cn_sweep_prepare(&state->sweep, problem, def->over_relaxation, arena);
}

static void read_diagonal(State* state, const CnProblem* problem) {
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        for (int k = 0; k < block->row_count; ++k) {
            int row = block->first_row + k;
            state->diagonal[row] = state->sweep.blocks[i].w[k * block->row_count + k];
            state->weight[row] = state->diagonal[row] > 0.0 ? sqrt(state->diagonal[row]) : 1.0;
        }
    }
}

// Keeps p if it is the best so far.
static void grade(State* state, const CnProblem* problem, const double* p) {
    CnCertificate certificate;
    size_t bytes = (size_t)problem->row_count * sizeof(double);
    CnSolution solution = {state->target, state->velocity}; // target is free between inner problems
    memcpy(solution.impulse, p, bytes);
    cn_problem_velocity(problem, p, state->velocity);
    cn_certify(problem, &solution, state->scratch, NULL, &certificate);
    if (certificate.worst < state->best_worst) {
        state->best_worst = certificate.worst;
        memcpy(state->best, p, bytes);
    }
}

// docs/theory/newton_ac.md (2): the proximal problem around the center.
static CnProblem pose_inner(State* state, const CnProblem* problem, double alpha) {
    CnProblem inner = *problem;
    for (int i = 0; i < problem->row_count; ++i) {
        double softness = alpha * state->diagonal[i];
        state->compliance[i] = problem->compliance[i] + softness;
        state->target[i] = problem->target[i] + softness * state->center[i];
    }
    inner.compliance = state->compliance;
    inner.target = state->target;
    return inner;
}

// True when the residual of the inner problem came below the wanted one.
static bool run_newton(State* state, CnSweep* sweep, CnBlockNewton* newton, double wanted) {
    cn_sweep_set_impulse(sweep, state->p);
    for (int i = 0; i < MAX_INNER_STEPS; ++i) {
        if (cn_sweep_residual(sweep, state->p) <= wanted) {
            return true;
        }
        if (state->steps == state->limit || !cn_block_newton_step(newton, sweep, state->p)) {
            return false;
        }
        ++state->steps;
        cn_sweep_set_impulse(sweep, state->p);
    }
    return cn_sweep_residual(sweep, state->p) <= wanted;
}

// Newton straight from the center; if that fails, once more after sweeps.
static CnStatus solve_inner(State* state, const CnProblem* problem, double alpha, double wanted,
                            CnArena* arena, bool* solved) {
    CnArenaMark mark = cn_arena_mark(arena);
    CnProblem inner = pose_inner(state, problem, alpha);
    size_t bytes = (size_t)problem->row_count * sizeof(double);
    CnSweep sweep;
    CnBlockNewton newton;
    CnStatus status = cn_sweep_prepare(&sweep, &inner, 1.0, arena);

    if (status == CN_OK) {
        status = cn_block_newton_init(&newton, &sweep, state->weight, arena);
    }
    if (status == CN_OK) {
        memcpy(state->p, state->center, bytes);
        *solved = run_newton(state, &sweep, &newton, wanted);
        if (!*solved) {
            memcpy(state->p, state->center, bytes);
            cn_sweep_set_impulse(&sweep, state->p);
            for (int i = 0; i < INNER_SWEEPS; ++i) {
                cn_sweep_run(&sweep, state->p);
            }
            *solved = run_newton(state, &sweep, &newton, wanted);
        }
    }
    cn_arena_release(arena, mark);
    return status;
}

// The size of the velocities that rows ask about, to call an error relative [m/s].
static double velocity_scale(const State* state, int n) {
    double scale = 0.0;
    for (int i = 0; i < n; ++i) {
        scale = fmax(scale, fabs(state->sweep.q[i]));
    }
    return scale > 0.0 ? scale : 1.0;
}

// What cancellation leaves of the terms of u [m/s].
static double round_off(const State* state, int n) {
    double largest = 0.0;
    for (int i = 0; i < n; ++i) {
        largest = fmax(largest, state->diagonal[i] * fabs(state->best[i]));
    }
    return ROUND_OFF * largest;
}

// An inner problem that gave in quickly earns a smaller weight, one that failed a larger, which is
// then kept for a while.
static double next_weight(State* state, double alpha, bool solved, int steps) {
    state->rest = !solved ? REST : state->rest > 0 ? state->rest - 1 : 0;
    bool quick = solved && state->rest == 0 && steps <= QUICK_STEPS;
    double factor = !solved ? WEIGHT_INCREASE : quick ? WEIGHT_DECREASE : 1.0;
    return fmax(SMALLEST_WEIGHT, fmin(LARGEST_WEIGHT, factor * alpha));
}

static CnStatus iterate(State* state, const CnSolverDef* def, const CnProblem* problem,
                        CnArena* arena) {
    int n = problem->row_count, idle = 0;
    double alpha = state->best_worst / velocity_scale(state, n);
    alpha = fmax(SMALLEST_WEIGHT, fmin(LARGEST_WEIGHT, alpha));
    memcpy(state->center, state->best, (size_t)n * sizeof(double));
    while (state->best_worst > def->tolerance && state->steps < state->limit && idle < PATIENCE) {
        double before = state->best_worst;
        int steps = state->steps;
        double wanted = INNER_SHARE * fmax(def->tolerance, INNER_SHARE * before);
        bool solved;
        wanted = fmax(wanted, round_off(state, n));
        CnStatus status = solve_inner(state, problem, alpha, wanted, arena, &solved);
        if (status != CN_OK) {
            return status;
        }
        grade(state, problem, state->p);
        if (solved) {
            memcpy(state->center, state->p, (size_t)n * sizeof(double));
        }
        alpha = next_weight(state, alpha, solved, state->steps - steps);
        idle = state->best_worst < 0.5 * before ? 0 : idle + 1; // infinity has no half
    }
    return CN_OK;
}

static CnStatus solve(void* memory, const CnSolverDef* def, const CnProblem* problem,
                      CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    State* state = memory;
    size_t bytes = (size_t)problem->row_count * sizeof(double);

    read_diagonal(state, problem);
    state->best_worst = HUGE_VAL;
    memcpy(state->best, solution->impulse, bytes);
    memcpy(state->p, solution->impulse, bytes);
    grade(state, problem, state->p);
    cn_sweep_set_impulse(&state->sweep, state->p);
    for (int i = 0; i < FIRST_SWEEPS; ++i) {
        cn_sweep_run(&state->sweep, state->p);
    }
    grade(state, problem, state->p);
    CnStatus status = iterate(state, def, problem, arena);
    memcpy(solution->impulse, state->best, bytes);
    report->iterations = state->steps;
    report->outcome = state->best_worst <= def->tolerance ? CN_CONVERGED
                      : state->steps == state->limit      ? CN_OUT_OF_ITERATIONS
                                                          : CN_STALLED;
    snprintf(report->remark, sizeof report->remark, "%d Newton steps", state->steps);
    return status;
}

const CnSolver cn_solver_newton_ac = {
    .info =
        {
            .name = "newton_ac",
            .summary = "Alart-Curnier Newton in a proximal-point loop, dense; any rank, any masses",
            .laws = CN_ALL_LAWS,
            .needs_bodies = true,
            .wide_contacts = true,
            .exact = true,
        },
    .state_size = sizeof(State),
    .prepare = prepare,
    .solve = solve,
};

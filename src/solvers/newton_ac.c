// newton_ac.c - Newton's method on the Alart-Curnier equations, inside a proximal-point loop.
//
// The proximal term alpha D (p - p_k), D = diag(W), makes every inner problem regular, whatever the
// rank of W, and vanishes as the loop converges; it is nothing but compliance and a shifted target,
// so the inner problem is a problem like any other and can be swept too. docs/theory/newton_ac.md.
#include "base/error.h"
#include "constraints/block.h"
#include "constraints/certificate.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "solvers/alart_curnier.h"
#include "solvers/block_sweep.h"
#include "solvers/delassus.h"
#include "solvers/solver.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// Two dense matrices of this many rows take 64 MB; a factorisation takes seconds.
#define MAX_ROWS 2000

#define DEFAULT_NEWTON_STEPS 500 // in all

// Sweeps before the first Newton step, and before each inner solve: they find out cheaply which
// contacts are open, and Newton is only local.
#define FIRST_SWEEPS 100
#define INNER_SWEEPS 20
#define MAX_INNER_STEPS 15

// The proximal weight starts at the relative error and stays between the first number, where the
// inner problem is as well conditioned as its diagonal, and the last, where it is lost in round-off
// of W.
#define LARGEST_WEIGHT 1.0
#define SMALLEST_WEIGHT 1e-13
#define WEIGHT_DECREASE 0.3
#define WEIGHT_INCREASE 4.0
#define QUICK_STEPS 4 // Newton steps of an inner problem that was no trouble
#define REST 4        // inner problems to solve after a failure before trying smaller weights again

// An inner problem need not be solved much better than the outer error it can remove.
#define INNER_SHARE 0.1

// Relative round-off of a sum of a few products.
#define ROUND_OFF 0x1p-51

// Outer steps without halving the error before giving up: weights have gone up and down their range
// several times by then.
#define PATIENCE 60

typedef struct State {
    CnBlockMatrix w;  // of the problem as it is
    double* dense;    // W + alpha D of the inner problem   [n * n]
    CnLu lu;          // A W + B
    CnSweep sweep;    // on the problem as it is
    double* diagonal; // of W   [n]
    double* rho;      // by block: 1 / largest eigenvalue of W_aa   [blocks]
    double* right;    // target - J v_free   [n]
    double *p, *best; // iterate; the best by the certificate   [n]
    double* center;   // p_k of the proximal term   [n]
    double *u, *dp;   // [n]
    double *compliance, *target, *inner_right; // of the inner problem   [n]
    double (*velocity)[6], (*scratch)[6];
    double best_worst; // [m/s]
    int steps, limit;
    int rest; // inner problems to solve before the weight may fall
} State;

static bool reserve(State* state, const CnProblem* problem, CnArena* arena) {
    double** vectors[] = {&state->diagonal, &state->right,      &state->p,  &state->best,
                          &state->center,   &state->u,          &state->dp, &state->compliance,
                          &state->target,   &state->inner_right};
    size_t n = (size_t)problem->row_count;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
        *vectors[i] = CN_ARENA_NEW(arena, double, n);
        if (*vectors[i] == NULL) {
            return false;
        }
    }
    state->rho = CN_ARENA_NEW(arena, double, problem->block_count);
    state->dense = CN_ARENA_NEW(arena, double, n* n);
    state->velocity = cn_arena_allocate(arena, (size_t)problem->body_count, sizeof(double[6]));
    state->scratch = cn_arena_allocate(arena, (size_t)problem->body_count, sizeof(double[6]));
    return state->rho != NULL && state->dense != NULL && state->velocity != NULL &&
           state->scratch != NULL && cn_lu_init(&state->lu, problem->row_count, arena) == CN_OK;
}

static CnStatus prepare(void* memory, const CnSolverDef* def, const CnProblem* problem,
                        CnArena* arena, CnError* error) {
    State* state = memory;
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
    if (!reserve(state, problem, arena) ||
        cn_delassus_assemble(problem, arena, &state->w) != CN_OK ||
        cn_sweep_prepare(&state->sweep, problem, def->over_relaxation, arena) != CN_OK) {
        return CN_NO_MEMORY;
    }
    cn_delassus_right(problem, state->right);
    cn_block_matrix_diagonal(&state->w, state->diagonal);
    for (int i = 0; i < problem->block_count; ++i) {
        state->rho[i] = 1.0 / state->sweep.blocks[i].lambda_max;
    }
    state->limit = def->max_iterations > 0 ? def->max_iterations : DEFAULT_NEWTON_STEPS;
    return CN_OK;
}

// Keeps p if it is the best so far; returns its residual [m/s].
static double grade(State* state, const CnProblem* problem, const double* p) {
    CnCertificate certificate;
    CnSolution solution = {(double*)p, state->velocity};
    cn_problem_velocity(problem, p, state->velocity);
    cn_certify(problem, &solution, state->scratch, NULL, &certificate);
    if (certificate.worst < state->best_worst) {
        state->best_worst = certificate.worst;
        memcpy(state->best, p, (size_t)problem->row_count * sizeof(double));
    }
    return certificate.worst;
}

// docs/theory/newton_ac.md (8): the proximal problem around the best impulses.
static CnProblem pose_inner(State* state, const CnProblem* problem, double alpha) {
    int n = problem->row_count;
    CnProblem inner = *problem;
    for (int i = 0; i < n; ++i) {
        double softness = alpha * state->diagonal[i];
        state->compliance[i] = problem->compliance[i] + softness;
        state->target[i] = problem->target[i] + softness * state->center[i];
        state->inner_right[i] = state->right[i] + softness * state->center[i];
    }
    inner.compliance = state->compliance;
    inner.target = state->target;
    return inner;
}

static void expand(State* state, int n, double alpha) {
    const CnBlockMatrix* w = &state->w;
    memset(state->dense, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int b = 0; b < w->block_count; ++b) {
        int columns = w->first_row[b + 1] - w->first_row[b];
        for (int e = w->start[b]; e < w->start[b + 1]; ++e) {
            int a = w->block_row[e];
            int rows = w->first_row[a + 1] - w->first_row[a];
            const double* value = w->value + w->position[e];
            for (int i = 0; i < rows; ++i) {
                for (int k = 0; k < columns; ++k) {
                    size_t row = (size_t)(w->first_row[a] + i);
                    size_t column = (size_t)(w->first_row[b] + k);
                    double number = value[i * columns + k];
                    state->dense[row * (size_t)n + column] = number;
                    state->dense[column * (size_t)n + row] = number;
                }
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        state->dense[(size_t)i * (size_t)n + (size_t)i] += alpha * state->diagonal[i];
    }
}

// u = (W + alpha D) p - right
static void inner_velocity(const State* state, int n, double alpha, const double* p, double* u) {
    cn_block_matrix_multiply(&state->w, p, u);
    for (int i = 0; i < n; ++i) {
        u[i] += alpha * state->diagonal[i] * p[i] - state->inner_right[i];
    }
}

// The sum of squares of F / rho over all rows, a squared velocity.
static double evaluate(const State* state, const CnProblem* inner, const double* p,
                       const double* u) {
    double merit = 0.0;
    for (int i = 0; i < inner->block_count; ++i) {
        const CnBlock* block = &inner->blocks[i];
        CnAlartCurnier law;
        cn_alart_curnier(inner, block, state->rho[i], u + block->first_row, p + block->first_row,
                         &law);
        for (int k = 0; k < block->row_count; ++k) {
            double velocity = law.f[k] / state->rho[i];
            merit += velocity * velocity;
        }
    }
    return merit;
}

// Rows of K = A W + B, each block scaled by 1 / rho so that all count as velocities.
static void assemble(State* state, const CnProblem* inner) {
    size_t n = (size_t)inner->row_count;
    memset(state->lu.a, 0, n * n * sizeof(double));
    for (int i = 0; i < inner->block_count; ++i) {
        const CnBlock* block = &inner->blocks[i];
        int m = block->row_count, first = block->first_row;
        double scale = 1.0 / state->rho[i];
        CnAlartCurnier law;
        cn_alart_curnier(inner, block, state->rho[i], state->u + first, state->p + first, &law);
        for (int r = 0; r < m; ++r) {
            double* row = state->lu.a + (size_t)(first + r) * n;
            for (int k = 0; k < m; ++k) {
                if (law.a[r * m + k] != 0.0) {
                    cn_dense_add_scaled((int)n, scale * law.a[r * m + k],
                                        state->dense + (size_t)(first + k) * n, row);
                }
            }
            for (int k = 0; k < m; ++k) {
                row[first + k] += scale * law.b[r * m + k];
            }
            state->dp[first + r] = -scale * law.f[r];
        }
    }
}

// Full steps: near the answer of a regular problem they find out which contacts stick, slide and
// open within a few rounds, where a line search would creep along a kink. If they do not, the
// proximal weight was too small, and the caller says so.
// Newton on the inner problem from p. True when its residual came below the wanted one.
static bool newton(State* state, const CnProblem* inner, double alpha, double wanted) {
    int n = inner->row_count;
    inner_velocity(state, n, alpha, state->p, state->u);
    double merit = evaluate(state, inner, state->p, state->u);
    for (int i = 0; i < MAX_INNER_STEPS && merit > wanted * wanted; ++i) {
        if (state->steps == state->limit) {
            return false;
        }
        ++state->steps;
        assemble(state, inner);
        if (!cn_lu_factor(&state->lu)) {
            return false;
        }
        cn_lu_solve(&state->lu, state->dp);
        cn_dense_add_scaled(n, 1.0, state->dp, state->p);
        inner_velocity(state, n, alpha, state->p, state->u);
        merit = evaluate(state, inner, state->p, state->u);
    }
    return merit <= wanted * wanted;
}

static void run_sweeps(CnSweep* sweep, double* p, int count) {
    cn_sweep_set_impulse(sweep, p);
    for (int i = 0; i < count; ++i) {
        cn_sweep_run(sweep, p);
    }
}

// Newton straight from where the last inner problem ended; if that fails, once more after sweeps.
static CnStatus solve_inner(State* state, const CnProblem* problem, double alpha, double wanted,
                            CnArena* arena, bool* solved) {
    CnProblem inner = pose_inner(state, problem, alpha);
    size_t bytes = (size_t)problem->row_count * sizeof(double);
    expand(state, problem->row_count, alpha);
    memcpy(state->p, state->center, bytes);
    *solved = newton(state, &inner, alpha, wanted);
    if (!*solved && state->steps < state->limit) {
        CnArenaMark mark = cn_arena_mark(arena);
        CnSweep sweep;
        CnStatus status = cn_sweep_prepare(&sweep, &inner, 1.0, arena);
        if (status == CN_OK) {
            memcpy(state->p, state->center, bytes);
            run_sweeps(&sweep, state->p, INNER_SWEEPS);
            *solved = newton(state, &inner, alpha, wanted);
        }
        cn_arena_release(arena, mark);
        return status;
    }
    return CN_OK;
}

// The size of the velocities that rows ask about, to call an error relative [m/s].
static double velocity_scale(const State* state, int n) {
    double scale = 0.0;
    for (int i = 0; i < n; ++i) {
        scale = fmax(scale, fabs(state->right[i]));
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
        idle = state->best_worst <= 0.5 * before ? 0 : idle + 1;
    }
    return CN_OK;
}

static CnStatus solve(void* memory, const CnSolverDef* def, const CnProblem* problem,
                      CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    State* state = memory;
    size_t bytes = (size_t)problem->row_count * sizeof(double);

    state->best_worst = HUGE_VAL;
    memcpy(state->best, solution->impulse, bytes);
    grade(state, problem, solution->impulse);
    memcpy(state->p, solution->impulse, bytes);
    run_sweeps(&state->sweep, state->p, FIRST_SWEEPS);
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
            .summary = "Alart-Curnier Newton in a proximal-point loop, dense; any rank and mass "
                       "ratio",
            .laws = 1u << CN_LAW_EQUALITY | 1u << CN_LAW_BOUNDS | 1u << CN_LAW_COULOMB |
                    1u << CN_LAW_FORCE,
            .exact = true,
        },
    .state_size = sizeof(State),
    .prepare = prepare,
    .solve = solve,
};

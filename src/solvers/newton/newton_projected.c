// newton_projected.c - inexact Newton steps on the natural map, projected onto the cones.
//
// Solfec's projected quasi-Newton method: the linear system needs only products with W and is
// solved to two digits by some steps of GMRES. docs/theory/solvers/newton_projected.md.
#include "constraints/problem/block.h"
#include "linalg/dense.h"
#include "linalg/gmres.h"
#include "solvers/first_order/extragradient.h"
#include "solvers/newton/linearised.h"
#include "solvers/solve/budget.h"
#include "solvers/solve/report_parts.h"
#include "solvers/solve/solver.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_ITERATIONS 2000

// Iterations without halving the error before giving up.
#define PATIENCE 600

// A relative residual of the linear solves. The projection changes the direction anyway, so two
// digits are enough; one digit fails for light bodies between heavy ones.
#define LINEAR_STEPS 40
#define LINEAR_TOLERANCE 0.01

// The diagonal of W is raised by this share of lambda_a, times the merit relative to the first one,
// (7): it vanishes with the error. Of 1, 0.1, 0.01 and 0 the second solves most problems of FCLib.
#define DAMPING 0.1

// Raises the diagonal of W_aa further, so that redundant rows leave the preconditioner regular.
#define DIAGONAL_RAISE 1e-10

// A step counts as descent when it ends below the largest of this many last merits: contacts that
// change state raise the merit before they lower it.
#define MEMORY 4
#define LEAST_DESCENT 0.999
#define MAX_HALVINGS 4

// Extragradient steps where no step descends; twice as many each time, until the error halves.
#define FIRST_REST_STEPS 10
#define MOST_REST_STEPS 640
#define PROJECTIONS_PER_NEWTON_STEP 10 // by the number of products with W

typedef struct ProjectedNewton {
    CnIterate iterate;
    CnExtragradient projections;
    CnGmres gmres;
    CnLinearised* laws;                          // at the last point   [block_count]
    double (*factor)[CN_MAX_ROWS * CN_MAX_ROWS]; // LU of A W_aa + B   [block_count]
    int (*pivot)[CN_MAX_ROWS];                   // [block_count]
    bool* is_singular;                           // [block_count]
    double *p, *u;                               // [row_count]
    double *dp, *candidate;                      // [row_count]
    double *right, *work;                        // of the linear system   [row_count]
    double merit, first_merit;                   // |Phi| in the metric of the blocks [J^(1/2)]
    double merits[MEMORY];                       // the last ones
    double damping;                              // delta of (7)
    int iteration, rest_steps, rests;            // several projections count as one iteration
    int steps;                                   // of Newton's
    CnBudget budget;
    int projected;          // steps of the extragradient method so far ...
    double projecting_work; // ... and their work
} ProjectedNewton;

// Costs of a block's law with its derivatives, and of one product with these, in multiplications.
#define WORK_OF_LAW 400.0
#define WORK_OF_PRODUCT 120.0

static CnStatus prepare(void* memory, const CnSolverDef* def, const CnProblem* problem,
                        CnArena* arena, CnError* error) {
    (void)error;
    ProjectedNewton* state = memory;
    size_t blocks = (size_t)problem->block_count;
    double** vectors[] = {&state->p,         &state->u,     &state->dp,
                          &state->candidate, &state->right, &state->work};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
        *vectors[i] = CN_ARENA_NEW(arena, double, problem->row_count);
        if (*vectors[i] == NULL) {
            return CN_NO_MEMORY;
        }
    }
    state->laws = CN_ARENA_NEW(arena, CnLinearised, blocks);
    state->factor = cn_arena_allocate(arena, blocks, sizeof *state->factor);
    state->pivot = cn_arena_allocate(arena, blocks, sizeof *state->pivot);
    state->is_singular = CN_ARENA_NEW(arena, bool, blocks);
    if (state->laws == NULL || state->factor == NULL || state->pivot == NULL ||
        state->is_singular == NULL ||
        cn_gmres_init(&state->gmres, problem->row_count, LINEAR_STEPS, arena) != CN_OK ||
        cn_iterate_init(&state->iterate, problem, def, arena) != CN_OK) {
        return CN_NO_MEMORY;
    }
    return cn_extragradient_init(&state->projections, &state->iterate, arena);
}

// Every law and its derivatives at p; returns the merit.
static double linearise(ProjectedNewton* state, const double* p) {
    CnIterate* iterate = &state->iterate;
    const CnProblem* problem = iterate->problem;
    double sum = 0.0;
    cn_budget_spend(&state->budget, iterate->work_to_respond + WORK_OF_LAW * problem->block_count);
    cn_iterate_velocity(iterate, p, state->u);
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        CnLinearised* law = &state->laws[i];
        memset(law, 0, sizeof *law);
        cn_linearise_natural(problem, block, iterate->w[i], 1.0 / iterate->lambda[i],
                             state->u + block->first_row, p + block->first_row, law);
        for (int k = 0; k < block->row_count; ++k) {
            sum += iterate->lambda[i] * law->phi[k] * law->phi[k];
        }
    }
    return sqrt(sum);
}

// A (W_aa + delta lambda_a) + B of each block: the preconditioner, (8).
static void factor_blocks(ProjectedNewton* state) {
    const CnIterate* iterate = &state->iterate;
    cn_budget_spend(&state->budget, WORK_OF_LAW * iterate->problem->block_count);
    for (int i = 0; i < iterate->problem->block_count; ++i) {
        int n = iterate->problem->blocks[i].row_count;
        const CnLinearised* law = &state->laws[i];
        const double* w = iterate->w[i];
        double raise = (state->damping + DIAGONAL_RAISE) * iterate->lambda[i];
        double* k = state->factor[i];
        for (int r = 0; r < n; ++r) {
            for (int c = 0; c < n; ++c) {
                k[r * n + c] = law->b[r][c] + law->a[r][c] * raise;
                for (int j = 0; j < n; ++j) {
                    k[r * n + c] += law->a[r][j] * w[j * n + c];
                }
            }
        }
        state->is_singular[i] = !cn_dense_lu_factor(n, k, state->pivot[i]);
    }
}

// One block of A du + B dp.
static void change_of_law(const CnLinearised* law, int n, const double* du, const double* dp,
                          double* out) {
    for (int r = 0; r < n; ++r) {
        out[r] = 0.0;
        for (int c = 0; c < n; ++c) {
            out[r] += law->a[r][c] * du[c] + law->b[r][c] * dp[c];
        }
    }
}

// Vectors of the linear system are weighted with S = sqrt(lambda_a), so that their lengths are
// energies: y = S (A (W + delta S^2) + B) S^-1 x.
static void apply(const double* x, double* y, void* context) {
    ProjectedNewton* state = context;
    const CnProblem* problem = state->iterate.problem;
    const double* weight = state->projections.weight;
    for (int i = 0; i < problem->row_count; ++i) {
        state->work[i] = x[i] / weight[i];
    }
    cn_iterate_multiply(&state->iterate, state->work, y);
    for (int i = 0; i < problem->block_count; ++i) {
        int first = problem->blocks[i].first_row, n = problem->blocks[i].row_count;
        double du[CN_MAX_ROWS];
        for (int k = 0; k < n; ++k) {
            du[k] = y[first + k] + state->damping * weight[first] * x[first + k];
        }
        change_of_law(&state->laws[i], n, du, state->work + first, y + first);
        for (int k = 0; k < n; ++k) {
            y[first + k] *= weight[first];
        }
    }
}

static void precondition(const double* x, double* y, void* context) {
    ProjectedNewton* state = context;
    const CnProblem* problem = state->iterate.problem;
    memcpy(y, x, (size_t)problem->row_count * sizeof(double));
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        if (!state->is_singular[i]) {
            cn_dense_lu_solve(block->row_count, state->factor[i], state->pivot[i],
                              y + block->first_row);
        }
    }
}

// Products, and directions that are kept orthogonal to all before them.
static double linear_work(const ProjectedNewton* state, double steps) {
    const CnProblem* problem = state->iterate.problem;
    return steps * (state->iterate.work_to_respond + WORK_OF_PRODUCT * problem->block_count) +
           steps * steps * problem->row_count;
}

// From the laws at p, the last point evaluated.
static void find_direction(ProjectedNewton* state) {
    const CnProblem* problem = state->iterate.problem;
    const double* weight = state->projections.weight;
    CnLinearSystem system = {problem->row_count, apply, precondition, state, state->right};
    CnKrylovSettings settings = {LINEAR_STEPS, LINEAR_TOLERANCE, 0.0};
    CnKrylovReport report;
    state->damping = DAMPING * state->merit / state->first_merit;
    for (int i = 0; i < problem->block_count; ++i) {
        int first = problem->blocks[i].first_row;
        for (int k = 0; k < problem->blocks[i].row_count; ++k) {
            state->right[first + k] = -weight[first] * state->laws[i].phi[k];
        }
    }
    factor_blocks(state);
    cn_gmres_solve(&state->gmres, &system, &settings, state->dp, &report);
    cn_budget_spend(&state->budget, linear_work(state, report.iterations));
    for (int i = 0; i < problem->row_count; ++i) {
        state->dp[i] /= weight[i];
    }
}

// p + t dp, projected: for u = 0 the natural map is p - P(p).
static void move(ProjectedNewton* state, double t) {
    const CnProblem* problem = state->iterate.problem;
    const double rest[CN_MAX_ROWS] = {0.0};
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        double outside[CN_MAX_ROWS];
        double* to = state->candidate + block->first_row;
        for (int k = 0; k < block->row_count; ++k) {
            int row = block->first_row + k;
            to[k] = state->p[row] + t * state->dp[row];
        }
        if (block->law == CN_LAW_COULOMB || block->law == CN_LAW_BOUNDS) {
            cn_block_natural_map(problem, block, 1.0, rest, to, outside);
            for (int k = 0; k < block->row_count; ++k) {
                to[k] -= outside[k];
            }
        }
    }
}

// Line search: shortens the step until the merit is below the largest of the last few. False: no
// such step was found.
static bool search(ProjectedNewton* state) {
    double allowed = 0.0, t = 1.0;
    for (int i = 0; i < MEMORY; ++i) {
        allowed = fmax(allowed, state->merits[i]);
    }
    for (int k = 0; k <= MAX_HALVINGS; ++k, t *= 0.5) {
        move(state, t);
        state->merit = linearise(state, state->candidate);
        if (state->merit <= LEAST_DESCENT * allowed) {
            memcpy(state->p, state->candidate,
                   (size_t)state->iterate.problem->row_count * sizeof(double));
            return true;
        }
    }
    return false;
}

// Extragradient steps lead away from points where Newton's method cycles; more of them each time it
// happens.
static void rest(ProjectedNewton* state) {
    cn_extragradient_start(&state->projections, state->p);
    double before = *state->budget.work;
    for (int k = 0; k < state->rest_steps && !cn_budget_is_over(&state->budget); ++k) {
        cn_extragradient_advance(&state->projections, &state->budget);
        ++state->projected;
    }
    state->projecting_work += *state->budget.work - before;
    memcpy(state->p, state->projections.p,
           (size_t)state->iterate.problem->row_count * sizeof(double));
    state->merit = linearise(state, state->p);
    state->iteration += state->rest_steps / PROJECTIONS_PER_NEWTON_STEP;
    state->rest_steps =
        state->rest_steps < MOST_REST_STEPS ? 2 * state->rest_steps : MOST_REST_STEPS;
    ++state->rests;
}

static void advance(ProjectedNewton* state) {
    CnIterate* iterate = &state->iterate;
    double before = iterate->best_error;
    ++state->steps;
    find_direction(state);
    if (!search(state)) {
        rest(state);
    }
    state->merits[state->iteration++ % MEMORY] = state->merit;
    cn_budget_spend(&state->budget, iterate->work_to_grade);
    cn_iterate_grade(iterate, state->p);
    if (iterate->best_error < 0.5 * before) {
        state->rest_steps = FIRST_REST_STEPS;
    }
}

static CnStatus solve(void* memory, const CnSolverDef* def, const CnProblem* problem,
                      CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    ProjectedNewton* state = memory;
    CnIterate* iterate = &state->iterate;
    int limit = def->max_iterations > 0 ? def->max_iterations : DEFAULT_ITERATIONS;
    (void)arena;
    state->budget = cn_budget_of(def, report);
    cn_budget_spend(&state->budget, 2.0 * iterate->work_to_grade); // preparing, and the first grade
    memcpy(state->p, solution->impulse, (size_t)problem->row_count * sizeof(double));
    cn_iterate_grade(iterate, state->p);
    state->rest_steps = FIRST_REST_STEPS;
    state->first_merit = state->merit = linearise(state, state->p);
    for (int i = 0; i < MEMORY; ++i) {
        state->merits[i] = state->merit;
    }
    while (state->iteration < limit && !cn_iterate_is_solved(iterate) &&
           !cn_iterate_is_idle(iterate, state->iteration, PATIENCE) &&
           !cn_budget_is_over(&state->budget)) {
        advance(state);
    }
    cn_iterate_conclude(iterate, state->iteration, limit, solution, report);
    report->iterations = state->steps + state->projected;
    cn_report_add_part(report, cn_solver_newton_projected.info.name, state->steps,
                       report->work - state->projecting_work);
    if (state->projected > 0) {
        cn_report_add_part(report, cn_solver_extragradient.info.name, state->projected,
                           state->projecting_work);
    }
    snprintf(report->remark, sizeof report->remark, "%d fallbacks to projections", state->rests);
    return CN_OK;
}

const CnSolver cn_solver_newton_projected = {
    .info =
        {
            .name = "newton_projected",
            .summary = "projected quasi-Newton on the natural map, GMRES inside; matrix-free",
            .laws = CN_ALL_LAWS,
            .wide_contacts = true,
            .slow_at_mass_ratios = true,
            .exact = false,
        },
    .state_size = sizeof(ProjectedNewton),
    .prepare = prepare,
    .solve = solve,
};

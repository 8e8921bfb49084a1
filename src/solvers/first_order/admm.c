// admm.c - alternating directions: one linear system for all rows, one projection for each block.
//
// The matrix is factored once and used in every iteration; only a change of the penalty, which
// balances primal and dual residuals, needs another factorisation. docs/theory/solvers/admm.md.
#include "constraints/problem/block.h"
#include "linalg/lu/lu.h"
#include "solvers/first_order/acceleration.h"
#include "solvers/first_order/iterate.h"
#include "solvers/matrix/assembled.h"
#include "solvers/matrix/kkt.h"
#include "solvers/solve/budget.h"
#include "solvers/solve/solver.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_ITERATIONS 10000

// A certificate costs about as much as an iteration, so it is computed every few iterations.
#define GRADE_INTERVAL 10

// Iterations without halving the error after which it is not expected to halve again.
#define PATIENCE 2000

// The penalty in units of lambda_a, (2), and how it is kept in balance, (8).
#define FIRST_PENALTY 0.1
#define SMALLEST_PENALTY 1e-8
#define LARGEST_PENALTY 1e4
#define IMBALANCE 5.0
#define FIRST_BALANCE                                                                              \
    20 // iterations before the first look; twice as many each time: it must converge first

// Equalities have no projection; the small penalty that they keep makes redundant rows regular and
// has no effect at the fixed point.
#define EQUALITY_PENALTY 1e-6

typedef struct AdmmState {
    CnIterate iterate;
    CnAssembled assembled;
    CnBlockRows matrix; // W + Sigma
    CnLu lu;
    CnKkt* kkt; // with masses, in place of both; else NULL
    CnAcceleration acceleration;
    double* weight;                     // sqrt(lambda_a)   [row_count]
    double *v, *start, *z, *last_z, *p; // (3)-(6)   [row_count]
    double *right, *defect;             // of the linear system   [row_count]
    double penalty;                     // rho
    double primal, dual;                // primal residual |p - z|, dual residual: change of z
    int factorisations, next_balance;
    bool is_too_large; // a factorisation costs more than allowed: only planned
    CnBudget budget;
    double work_to_factor, work_to_advance; // multiplications
} AdmmState;

// Cost of a block's projection and of the norms of its step, in multiplications.
#define WORK_OF_PROJECTION 400.0

// An iteration solves, refines and multiplies once.
static void count_work(AdmmState* state, const CnLuPlan* plan) {
    double numbers = (double)cn_block_rows_numbers(&state->assembled.w);
    state->work_to_factor = cn_lu_factor_work(plan);
    state->work_to_advance = 2.0 * cn_lu_solve_work(plan) + 2.0 * numbers +
                             WORK_OF_PROJECTION * state->iterate.problem->block_count;
}

// Equalities keep only a small share of the penalty.
static CnStatus prepare_masses(AdmmState* state, const CnProblem* problem, double most,
                               CnArena* arena) {
    CnKktRow* kind = CN_ARENA_NEW(arena, CnKktRow, problem->row_count);
    state->kkt = CN_ARENA_NEW(arena, CnKkt, 1);
    if (kind == NULL || state->kkt == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        for (int k = 0; k < block->row_count; ++k) {
            kind[block->first_row + k] = block->law == CN_LAW_EQUALITY ? CN_KKT_BARE : CN_KKT_PLAIN;
        }
    }
    CnStatus status = cn_kkt_init(state->kkt, problem, kind, NULL, arena);
    if (status == CN_OK) {
        count_work(state, &state->kkt->lu.plan);
        state->is_too_large = state->work_to_factor > most;
    }
    return status;
}

// A factorisation of more than `most` multiplications is planned, not prepared.
static CnStatus prepare_system(AdmmState* state, const CnProblem* problem, double most,
                               CnArena* arena) {
    if (problem->masses != NULL) {
        return prepare_masses(state, problem, most, arena);
    }
    CnStatus status = cn_block_rows_copy(&state->assembled.w, arena, &state->matrix);
    status = status == CN_OK ? cn_lu_begin(&state->lu, &state->matrix, arena) : status;
    if (status != CN_OK) {
        return status;
    }
    count_work(state, &state->lu.plan);
    state->is_too_large = state->work_to_factor > most;
    return state->is_too_large ? CN_OK : cn_lu_allocate(&state->lu, &state->matrix, arena);
}

static CnStatus prepare(void* memory, const CnSolverDef* def, const CnProblem* problem,
                        CnArena* arena, CnError* error) {
    (void)error;
    AdmmState* state = memory;
    double** vectors[] = {&state->weight, &state->v, &state->start, &state->z,
                          &state->last_z, &state->p, &state->right, &state->defect};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
        *vectors[i] = CN_ARENA_NEW(arena, double, problem->row_count);
        if (*vectors[i] == NULL) {
            return CN_NO_MEMORY;
        }
    }
    if (cn_iterate_init(&state->iterate, problem, def, arena) != CN_OK ||
        cn_assemble(problem, arena, &state->assembled) != CN_OK ||
        prepare_system(state, problem, def->work_budget, arena) != CN_OK) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        for (int k = 0; k < block->row_count; ++k) {
            state->weight[block->first_row + k] = sqrt(state->iterate.lambda[i]);
        }
    }
    return cn_acceleration_init(&state->acceleration, problem->row_count, state->weight, arena);
}

// Sigma of a block, (2).
static double penalty_of(const AdmmState* state, int block) {
    bool equality = state->iterate.problem->blocks[block].law == CN_LAW_EQUALITY;
    return (equality ? EQUALITY_PENALTY : state->penalty) * state->iterate.lambda[block];
}

static bool factor_masses(AdmmState* state) {
    const CnProblem* problem = state->iterate.problem;
    cn_kkt_begin(state->kkt);
    for (int a = 0; a < problem->block_count; ++a) {
        const CnBlock* block = &problem->blocks[a];
        for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
            double c = problem->compliance[row] + penalty_of(state, a);
            cn_kkt_add(state->kkt, row, 1, &c);
        }
    }
    return cn_kkt_factor(state->kkt);
}

static bool factor(AdmmState* state) {
    const CnProblem* problem = state->iterate.problem;
    cn_budget_spend(&state->budget, state->work_to_factor);
    ++state->factorisations;
    if (state->kkt != NULL) {
        return factor_masses(state);
    }
    const CnBlockRows* w = &state->assembled.w;
    memcpy(state->matrix.value, w->value,
           w->position[w->start[problem->block_count]] * sizeof(double));
    for (int a = 0; a < problem->block_count; ++a) {
        int n = problem->blocks[a].row_count;
        double* own = cn_block_rows_diagonal(&state->matrix, a);
        for (int i = 0; i < n; ++i) {
            own[i * (n + 1)] += penalty_of(state, a);
        }
    }
    return cn_lu_factor(&state->lu, &state->matrix);
}

// z = P(v), the nearest allowed impulse or the resolvent of a spring: the natural map at
// u = 0, (3).
static void project(AdmmState* state) {
    const CnProblem* problem = state->iterate.problem;
    const double rest[CN_MAX_ROWS] = {0.0};
    for (int a = 0; a < problem->block_count; ++a) {
        const CnBlock* block = &problem->blocks[a];
        const double* v = state->v + block->first_row;
        double outside[CN_MAX_ROWS];
        cn_block_natural_map(problem, block, 1.0 / penalty_of(state, a), rest, v, outside);
        for (int k = 0; k < block->row_count; ++k) {
            state->z[block->first_row + k] = v[k] - outside[k];
        }
    }
}

// The right side of (5): -(q + s) + Sigma (2 z - v), with s = mu |u_T| of the velocity that the
// multipliers stand for, (4).
static void set_right(AdmmState* state) {
    const CnProblem* problem = state->iterate.problem;
    for (int a = 0; a < problem->block_count; ++a) {
        const CnBlock* block = &problem->blocks[a];
        double sigma = penalty_of(state, a);
        double u[CN_MAX_ROWS], shifted[CN_MAX_ROWS];
        for (int k = 0; k < block->row_count; ++k) {
            int row = block->first_row + k;
            u[k] = -sigma * (state->v[row] - state->z[row]);
            state->right[row] = sigma * state->z[row] + u[k] - state->assembled.q[row];
        }
        if (block->law == CN_LAW_COULOMB) {
            cn_block_shift(problem, block, u, shifted);
            state->right[block->first_row] -= shifted[0] - u[0];
        }
    }
}

static void advance(AdmmState* state) {
    CnIterate* iterate = &state->iterate;
    int n = iterate->problem->row_count;
    size_t bytes = (size_t)n * sizeof(double);
    cn_budget_spend(&state->budget, state->work_to_advance);
    memcpy(state->last_z, state->z, bytes);
    memcpy(state->start, state->v, bytes);
    project(state);
    set_right(state);
    if (state->kkt != NULL) {
        cn_kkt_solve(state->kkt, state->right, state->p);
    } else {
        cn_lu_solve(&state->lu, state->right, state->p);
        cn_lu_refine(&state->lu, &state->matrix, state->right, state->p, state->defect);
    }
    for (int i = 0; i < n; ++i) {
        double gap = state->p[i] - state->z[i];
        state->v[i] += gap; // (6)
        state->defect[i] = gap;
        state->last_z[i] -= state->z[i];
    }
    state->primal = sqrt(cn_iterate_impulse_dot(iterate, state->defect, state->defect));
    state->dual =
        state->penalty * sqrt(cn_iterate_impulse_dot(iterate, state->last_z, state->last_z));
    cn_acceleration_advance(&state->acceleration, state->start, state->v);
}

// Multipliers are scaled by the penalty: their velocities stay the same when it changes.
static bool rescale(AdmmState* state, double penalty) {
    const CnProblem* problem = state->iterate.problem;
    project(state);
    for (int a = 0; a < problem->block_count; ++a) {
        const CnBlock* block = &problem->blocks[a];
        double ratio = block->law == CN_LAW_EQUALITY ? 1.0 : state->penalty / penalty;
        for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
            state->v[row] = state->z[row] + ratio * (state->v[row] - state->z[row]);
        }
    }
    state->penalty = penalty;
    cn_acceleration_reset(&state->acceleration);
    return factor(state);
}

// (8): a penalty that is too small leaves p and z apart, one that is too large lets z hardly move.
static bool balance(AdmmState* state, int iteration) {
    double ratio = state->dual > 0.0 ? sqrt(state->primal / state->dual) : 1.0;
    state->next_balance = 2 * iteration;
    bool is_balanced = !(ratio > IMBALANCE || ratio < 1.0 / IMBALANCE);
    if (is_balanced || !cn_budget_allows(&state->budget, state->work_to_factor)) {
        return true;
    }
    return rescale(state, fmax(SMALLEST_PENALTY, fmin(LARGEST_PENALTY, state->penalty * ratio)));
}

// v = p - u~ / sigma, whose projection is p where p is a solution. Equalities have no multipliers.
static void start(AdmmState* state, const double* impulse) {
    const CnProblem* problem = state->iterate.problem;
    memcpy(state->v, impulse, (size_t)problem->row_count * sizeof(double));
    cn_assembled_velocity(&state->assembled, impulse, state->p);
    for (int a = 0; a < problem->block_count; ++a) {
        const CnBlock* block = &problem->blocks[a];
        double* u = state->p + block->first_row;
        if (block->law == CN_LAW_COULOMB) {
            cn_block_shift(problem, block, u, u);
        }
        for (int k = 0; k < block->row_count && block->law != CN_LAW_EQUALITY; ++k) {
            state->v[block->first_row + k] -= u[k] / penalty_of(state, a);
        }
    }
}

static CnStatus solve(void* memory, const CnSolverDef* def, const CnProblem* problem,
                      CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    AdmmState* state = memory;
    CnIterate* iterate = &state->iterate;
    int limit = def->max_iterations > 0 ? def->max_iterations : DEFAULT_ITERATIONS;
    int iteration = 0;
    (void)problem;
    (void)arena;
    state->penalty = FIRST_PENALTY;
    state->next_balance = FIRST_BALANCE;
    state->budget = cn_budget_of(def, report);
    cn_budget_spend(&state->budget, state->assembled.work + iterate->work_to_grade);
    cn_iterate_grade(iterate, solution->impulse);
    start(state, solution->impulse);
    bool fits = !state->is_too_large && cn_budget_allows(&state->budget, state->work_to_factor);
    bool regular = fits && factor(state);
    while (regular && iteration < limit && !cn_iterate_is_solved(iterate) &&
           !cn_iterate_is_idle(iterate, iteration, PATIENCE) &&
           !cn_budget_is_over(&state->budget)) {
        advance(state);
        bool is_last = iteration + 1 == limit || cn_budget_is_over(&state->budget);
        if (++iteration % GRADE_INTERVAL == 0 || is_last) {
            cn_budget_spend(&state->budget, iterate->work_to_grade);
            cn_iterate_grade(iterate, state->z);
        }
        if (iteration == state->next_balance) {
            regular = balance(state, iteration);
        }
    }
    cn_iterate_conclude(iterate, iteration, limit, solution, report);
    if (report->outcome == CN_STALLED && !fits) {
        report->outcome = CN_OUT_OF_BUDGET;
    }
    snprintf(report->remark, sizeof report->remark, "penalty %.2g, %d factorisations, %d restarts",
             state->penalty, state->factorisations, state->acceleration.restarts);
    return CN_OK;
}

const CnSolver cn_solver_admm = {
    .info =
        {
            .name = "admm",
            .summary = "alternating directions: factored once, balanced penalty, accelerated",
            .laws = CN_ALL_LAWS,
            .frictions = 1u << CN_FRICTION_ASSOCIATED,
            .wide_contacts = true,
            .takes_masses = true,
            .slow_at_mass_ratios = true,
            .exact = false,
        },
    .state_size = sizeof(AdmmState),
    .prepare = prepare,
    .solve = solve,
};

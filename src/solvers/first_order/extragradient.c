// extragradient.c - two projections per iteration, with an adaptive step size.
//
// Needs nothing but u = W p + q: no factorisation, no matrix. docs/theory/solvers/extragradient.md.
#include "solvers/first_order/extragradient.h"

#include "constraints/problem/block.h"
#include "solvers/solve/solver.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_ITERATIONS 20000

// A certificate costs about as much as an iteration, so it is computed every few iterations.
#define GRADE_INTERVAL 10

// Iterations without halving the error after which it is not expected to halve again.
#define PATIENCE 5000

// A step is safe while it changes velocities by less than the first share of what it changes
// impulses, (3); below the second it is too short. After He and Liao (2002), as in Siconos.
#define SAFE_RATIO 0.9
#define TIMID_RATIO 0.3
#define STEP_DECREASE (2.0 / 3.0)
#define STEP_INCREASE 1.5
#define MAX_TRIALS 60 // a step 1e10 times smaller still fails

// Cost of a block's projection and of the norms of its step, in multiplications.
#define WORK_OF_PROJECTION 250.0

CnStatus cn_extragradient_init(CnExtragradient* method, CnIterate* iterate, CnArena* arena) {
    const CnProblem* problem = iterate->problem;
    *method = (CnExtragradient){.iterate = iterate, .step = 1.0};
    double** vectors[] = {&method->p,  &method->u,  &method->trial, &method->trial_u,
                          &method->dp, &method->du, &method->weight};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
        *vectors[i] = CN_ARENA_NEW(arena, double, problem->row_count);
        if (*vectors[i] == NULL) {
            return CN_NO_MEMORY;
        }
    }
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        for (int k = 0; k < block->row_count; ++k) {
            method->weight[block->first_row + k] = sqrt(iterate->lambda[i]);
        }
    }
    return cn_acceleration_init(&method->acceleration, problem->row_count, method->weight, arena);
}

void cn_extragradient_start(CnExtragradient* method, const double* p) {
    memcpy(method->p, p, (size_t)method->iterate->problem->row_count * sizeof(double));
    cn_iterate_velocity(method->iterate, method->p, method->u);
    cn_acceleration_reset(&method->acceleration);
}

// u~ - u~' of all rows, into the first.
static void subtract_shifted(const CnProblem* problem, double* u, const double* other) {
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        double* own = u + block->first_row;
        double shifted[CN_MAX_ROWS];
        memcpy(shifted, other + block->first_row, (size_t)block->row_count * sizeof(double));
        if (block->law == CN_LAW_COULOMB) {
            cn_block_shift(problem, block, own, own);
            cn_block_shift(problem, block, shifted, shifted);
        }
        for (int k = 0; k < block->row_count; ++k) {
            own[k] -= shifted[k];
        }
    }
}

// The first projection, (1), and the ratio of the step size to the safe one, (3).
static double predict(CnExtragradient* method) {
    CnIterate* iterate = method->iterate;
    int n = iterate->problem->row_count;
    cn_iterate_natural_map(iterate, method->step, method->u, method->p, method->dp);
    for (int i = 0; i < n; ++i) {
        method->trial[i] = method->p[i] - method->dp[i];
    }
    cn_iterate_velocity(iterate, method->trial, method->trial_u);
    memcpy(method->du, method->trial_u, (size_t)n * sizeof(double));
    subtract_shifted(iterate->problem, method->du, method->u);
    double moved = cn_iterate_impulse_dot(iterate, method->dp, method->dp);
    double turned = cn_iterate_velocity_dot(iterate, method->du, method->du);
    return moved > 0.0 ? method->step * sqrt(turned / moved) : 0.0;
}

void cn_extragradient_advance(CnExtragradient* method, const CnBudget* budget) {
    CnIterate* iterate = method->iterate;
    int n = iterate->problem->row_count;
    double work = iterate->work_to_respond + WORK_OF_PROJECTION * iterate->problem->block_count;
    cn_budget_spend(budget, 2.0 * work);
    double ratio = predict(method);
    for (int i = 0; i < MAX_TRIALS && ratio > SAFE_RATIO; ++i) {
        cn_budget_spend(budget, work);
        method->step *= STEP_DECREASE * fmin(1.0, 1.0 / ratio);
        ratio = predict(method);
    }
    cn_iterate_natural_map(iterate, method->step, method->trial_u, method->p, method->dp); // (2)
    memcpy(method->trial, method->p, (size_t)n * sizeof(double));
    for (int i = 0; i < n; ++i) {
        method->p[i] -= method->dp[i];
    }
    cn_acceleration_advance(&method->acceleration, method->trial, method->p);
    cn_iterate_velocity(iterate, method->p, method->u);
    if (ratio < TIMID_RATIO) {
        method->step *= STEP_INCREASE;
    }
}

typedef struct ExtragradientState {
    CnIterate iterate;
    CnExtragradient method;
} ExtragradientState;

static CnStatus prepare(void* memory, const CnSolverDef* def, const CnProblem* problem,
                        CnArena* arena, CnError* error) {
    (void)error;
    ExtragradientState* state = memory;
    CnStatus status = cn_iterate_init(&state->iterate, problem, def, arena);
    return status == CN_OK ? cn_extragradient_init(&state->method, &state->iterate, arena) : status;
}

static CnStatus solve(void* memory, const CnSolverDef* def, const CnProblem* problem,
                      CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    ExtragradientState* state = memory;
    CnIterate* iterate = &state->iterate;
    CnExtragradient* method = &state->method;
    int limit = def->max_iterations > 0 ? def->max_iterations : DEFAULT_ITERATIONS;
    int iteration = 0;
    (void)problem;
    (void)arena;
    CnBudget budget = cn_budget_of(def, report);
    cn_budget_spend(&budget, 2.0 * iterate->work_to_grade); // preparing, and the first grade
    cn_iterate_grade(iterate, solution->impulse);
    cn_extragradient_start(method, solution->impulse);
    while (iteration < limit && !cn_iterate_is_solved(iterate) &&
           !cn_iterate_is_idle(iterate, iteration, PATIENCE) && !cn_budget_is_over(&budget)) {
        cn_extragradient_advance(method, &budget);
        bool is_last = iteration + 1 == limit || cn_budget_is_over(&budget);
        if (++iteration % GRADE_INTERVAL == 0 || is_last) {
            cn_budget_spend(&budget, iterate->work_to_grade);
            cn_iterate_grade(iterate, method->p);
        }
    }
    cn_iterate_conclude(iterate, iteration, limit, solution, report);
    snprintf(report->remark, sizeof report->remark, "step %.2g, %d restarts", method->step,
             method->acceleration.restarts);
    return CN_OK;
}

const CnSolver cn_solver_extragradient = {
    .info =
        {
            .name = "extragradient",
            .summary = "projections with a self-adaptive step; matrix-free, robust, few digits",
            .laws = CN_ALL_LAWS,
            .frictions = 1u << CN_FRICTION_ASSOCIATED,
            .wide_contacts = true,
            .takes_masses = true,
            .slow_at_mass_ratios = true,
            .exact = false,
        },
    .state_size = sizeof(ExtragradientState),
    .prepare = prepare,
    .solve = solve,
};

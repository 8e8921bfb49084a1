// newton_fb_step.c - one Newton step on Fischer and Burmeister's function, for scheme implicit.
//
// The scheme poses the laws at the end of a step anew after every step of this solver, so that all
// of them together are Newton's method on positions, velocities and impulses at once:
// docs/theory/implicit.md (14)-(17). Not in the list of solvers: alone it answers nothing.
#include "solvers/newton/newton.h"
#include "solvers/solve/budget.h"
#include "solvers/solve/solver.h"
#include <math.h>
#include <stdio.h>

// Added to the diagonal of W where it is differentiated, relative to it: contacts that share a face
// leave W singular. Far below the eigenvalues of a mass ratio of 1e6, far above round-off.
#define SOFTNESS 1e-9

// The step is halved until |Phi| falls; if that does not help, the shortest is made: the next look
// is at other poses.
#define MAX_HALVINGS 6

typedef struct State {
    CnAssembled assembled;
    CnNewtonSystem newton;
    double* candidate; // [row_count]
} State;

static CnStatus prepare(void* memory, const CnSolverDef* def, const CnProblem* problem,
                        CnArena* arena, CnError* error) {
    (void)error;
    State* state = memory;
    state->candidate = CN_ARENA_NEW(arena, double, problem->row_count);
    bool complete =
        state->candidate != NULL && cn_assemble(problem, arena, &state->assembled) == CN_OK &&
        cn_newton_init(&state->newton, &state->assembled, cn_linearise_fischer_burmeister,
                       def->work_budget, arena) == CN_OK;
    return complete ? CN_OK : CN_NO_MEMORY;
}

static void soften(const State* state, const CnProblem* problem, const double* p) {
    for (int a = 0; a < problem->block_count; ++a) {
        const CnBlock* block = &problem->blocks[a];
        const double* w = cn_block_rows_diagonal(&state->assembled.w, a);
        for (int i = 0; i < block->row_count; ++i) {
            int row = block->first_row + i;
            state->newton.softness[row] = SOFTNESS * w[i * (block->row_count + 1)];
            state->newton.center[row] = p[row];
        }
    }
}

static double evaluate(State* state, const CnBudget* budget, const double* p) {
    cn_budget_spend(budget, state->newton.work_to_evaluate);
    return cn_newton_evaluate(&state->newton, p);
}

static CnStatus solve(void* memory, const CnSolverDef* def, const CnProblem* problem,
                      CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    (void)arena;
    State* state = memory;
    CnBudget budget = cn_budget_of(def, report);
    double* p = solution->impulse;
    cn_budget_spend(&budget, state->assembled.work);
    report->outcome = CN_OUT_OF_BUDGET;
    if (state->newton.is_too_large || !cn_budget_allows(&budget, state->newton.work_to_step)) {
        return CN_OK;
    }
    soften(state, problem, p);
    double merit = evaluate(state, &budget, p), t = 1.0, reached = HUGE_VAL;
    cn_budget_spend(&budget, state->newton.work_to_step);
    report->outcome = CN_OUT_OF_ITERATIONS;
    if (!cn_newton_direction(&state->newton)) {
        report->outcome = CN_BROKE_DOWN;
        return CN_OK;
    }
    for (int i = 0; i <= MAX_HALVINGS && !(reached < merit); ++i, t *= 0.5) {
        for (int row = 0; row < problem->row_count; ++row) {
            state->candidate[row] = p[row] + t * state->newton.dp[row];
        }
        reached = evaluate(state, &budget, state->candidate);
    }
    for (int row = 0; row < problem->row_count; ++row) {
        p[row] = state->candidate[row];
    }
    report->iterations = 1;
    snprintf(report->remark, sizeof report->remark, "one Newton step");
    return CN_OK;
}

const CnSolver cn_solver_newton_fb_step = {
    .info =
        {
            .name = "newton_fb_step",
            .summary = "one Newton step on Fischer-Burmeister's function, for scheme implicit",
            .laws = CN_ALL_LAWS,
            .wide_contacts = true,
        },
    .state_size = sizeof(State),
    .prepare = prepare,
    .solve = solve,
};

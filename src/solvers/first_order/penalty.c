// penalty.c - constraints as stiff springs and dashpots, a named approximation.
//
// Every block gets a compliance of a fixed share of its own W_aa, which makes the problem regular;
// it is solved implicitly, by projected Newton steps. docs/theory/solvers/penalty.md.
#include "constraints/problem/block.h"
#include "solvers/solve/solver.h"
#include <stdio.h>

// The compliance of a block relative to W_aa, (2): stiff enough to look rigid (a box at rest on
// four points sinks at a thousandth of the speed it would gain in a step), soft enough to be solved
// in a few steps at any mass ratio.
#define SOFTNESS 1e-3

#define DEFAULT_ITERATIONS 200 // projected Newton steps; soft problems need a tenth of that

// Relative: a hundredth of what the softness costs.
#define INNER_TOLERANCE (0.01 * SOFTNESS)

typedef struct PenaltyState {
    CnProblem soft;
    CnSolverDef def;    // of the solver inside
    double* compliance; // [row_count]
    void* newton;       // state of the solver inside
} PenaltyState;

static const CnSolver* const inside = &cn_solver_newton_projected;

static CnStatus prepare(void* memory, const CnSolverDef* def, const CnProblem* problem,
                        CnArena* arena, CnError* error) {
    PenaltyState* state = memory;
    state->compliance = CN_ARENA_NEW(arena, double, problem->row_count);
    state->newton = cn_arena_allocate(arena, 1, inside->state_size);
    if (state->compliance == NULL || state->newton == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        double w[CN_MAX_ROWS * CN_MAX_ROWS];
        cn_block_delassus(problem, block, w);
        double lambda = cn_block_largest_eigenvalue(w, block->row_count);
        bool is_spring = block->law == CN_LAW_FORCE; // has its own stiffness
        for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
            state->compliance[row] =
                problem->compliance[row] + (is_spring ? 0.0 : SOFTNESS * lambda);
        }
    }
    state->soft = *problem;
    state->soft.compliance = state->compliance;
    state->def = *def;
    state->def.measure = CN_ERROR_RELATIVE;
    state->def.tolerance = INNER_TOLERANCE;
    state->def.max_iterations = def->max_iterations > 0 ? def->max_iterations : DEFAULT_ITERATIONS;
    return inside->prepare(state->newton, &state->def, &state->soft, arena, error);
}

static CnStatus solve(void* memory, const CnSolverDef* def, const CnProblem* problem,
                      CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    PenaltyState* state = memory;
    (void)problem;
    (void)def;
    CnStatus status =
        inside->solve(state->newton, &state->def, &state->soft, arena, solution, report);
    report->approximation = "springs and dashpots";
    return status;
}

const CnSolver cn_solver_penalty = {
    .info =
        {
            .name = "penalty",
            .summary = "constraints as stiff springs and dashpots, implicit; approximate",
            .laws = CN_ALL_LAWS,
            .wide_contacts = true,
            .slow_at_mass_ratios = true,
            .exact = false,
        },
    .state_size = sizeof(PenaltyState),
    .prepare = prepare,
    .solve = solve,
};

// direct.c - equalities and forces by one sparse factorisation; redundancy found and named.
//
// docs/theory/direct.md derives what is cited here.
#include "constraints/block.h"
#include "linalg/dense.h"
#include "linalg/ldlt.h"
#include "solvers/box.h"
#include "solvers/refusal.h"
#include "solvers/solver.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME_SIZE 80 // of a block, in a remark

// Each step gains some ten digits less the logarithm of the condition number; two reach round-off
// for conditions up to 1e10, a third is for worse ones.
#define REFINEMENT_STEPS 3

// Rows whose own share, with all others holding, is below this fraction of what it is alone are
// first taken for redundant: closing a loop of a hundred bodies leaves noise of 1e-12. Should the
// answer then miss, they were not, and the pivots are told from round-off as finely as can be.
static const double pivot_limits[] = {0x1p-33, CN_LDLT_ROUND_OFF};
#define ATTEMPTS ((int)(sizeof pivot_limits / sizeof pivot_limits[0]))

typedef struct State {
    CnBox box;
    CnLdlt ldlt;
    double *x, *u, *correction; // [box.n]
    double* best;               // of all attempts   [box.n]
    bool* redundant;            // rows, of the best attempt   [box.n]
    int redundant_rows;
    double residual; // of the best attempt [m/s]
    int worst;       // row with that residual
} State;

static CnStatus prepare(void* memory, const CnSolverDef* def, const CnProblem* problem,
                        CnArena* arena, CnError* error) {
    State* state = memory;
    CnStatus status = cn_refuse_laws(problem, &cn_solver_direct.info, error);
    if (status == CN_OK) {
        bool unit_diagonal = def->preconditioner == CN_PRECONDITIONER_DIAGONAL;
        status = cn_box_build(problem, unit_diagonal, arena, &state->box);
    }
    if (status == CN_OK) {
        status = cn_ldlt_analyze(&state->ldlt, &state->box.w, arena);
    }
    if (status != CN_OK) {
        return status;
    }
    int n = state->box.n;
    state->x = CN_ARENA_NEW(arena, double, n);
    state->u = CN_ARENA_NEW(arena, double, n);
    state->correction = CN_ARENA_NEW(arena, double, n);
    state->best = CN_ARENA_NEW(arena, double, n);
    state->redundant = CN_ARENA_NEW(arena, bool, n);
    bool complete = state->x != NULL && state->u != NULL && state->correction != NULL &&
                    state->best != NULL && state->redundant != NULL;
    return complete ? CN_OK : CN_NO_MEMORY;
}

// True when the refinement still gains: the residual at least halves.
static bool keep_if_better(State* state, double* last) {
    int worst;
    double residual = cn_box_residual(&state->box, state->x, state->u, &worst);
    if (residual < state->residual) {
        size_t n = (size_t)state->box.n;
        memcpy(state->best, state->x, n * sizeof(double));
        memcpy(state->redundant, state->ldlt.redundant, n * sizeof(bool));
        state->redundant_rows = state->ldlt.n - state->ldlt.rank;
        state->residual = residual;
        state->worst = worst;
    }
    bool gains = residual <= 0.5 * *last;
    *last = residual;
    return gains;
}

// direct.md (6): x += W^-1 (b - W x), from x = 0; the first round is the solution itself.
static void solve_and_refine(State* state) {
    int n = state->box.n;
    double last = HUGE_VAL;
    memset(state->x, 0, (size_t)n * sizeof(double));
    cn_box_velocity(&state->box, state->x, state->u);
    for (int step = 0; step <= REFINEMENT_STEPS; ++step) {
        cn_ldlt_solve(&state->ldlt, state->u, state->correction);
        cn_dense_add_scaled(n, -1.0, state->correction, state->x);
        cn_box_velocity(&state->box, state->x, state->u);
        if (!keep_if_better(state, &last)) {
            return;
        }
    }
}

static void report_redundancy(const State* state, const CnProblem* problem,
                              CnSolverReport* report) {
    report->redundant_rows = state->redundant_rows;
    report->redundant_block = -1;
    for (int i = 0; i < state->box.n && report->redundant_block < 0; ++i) {
        if (state->redundant[i]) {
            report->redundant_block = state->box.block[i];
        }
    }
    if (state->redundant_rows > 0) {
        char name[NAME_SIZE];
        cn_block_describe(problem, report->redundant_block, name, sizeof name);
        snprintf(report->remark, sizeof report->remark, "%d redundant row%s, the first in %s",
                 state->redundant_rows, state->redundant_rows == 1 ? "" : "s", name);
    }
}

static void report_miss(const State* state, const CnProblem* problem, CnSolverReport* report) {
    char name[NAME_SIZE];
    cn_block_describe(problem, state->box.block[state->worst], name, sizeof name);
    report->outcome = CN_STALLED;
    if (state->redundant_rows > 0) {
        snprintf(report->remark, sizeof report->remark,
                 "%s contradicts rows it depends on, by %.3g m/s", name, state->residual);
    } else {
        snprintf(report->remark, sizeof report->remark,
                 "round-off leaves %.3g m/s in %s: the rows are nearly dependent", state->residual,
                 name);
    }
}

static CnStatus solve(void* memory, const CnSolverDef* def, const CnProblem* problem,
                      CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    (void)arena;
    State* state = memory;
    state->residual = HUGE_VAL;
    bool missed = true;
    for (int attempt = 0; attempt < ATTEMPTS && missed; ++attempt) {
        if (!cn_ldlt_factor(&state->ldlt, &state->box.w, pivot_limits[attempt])) {
            report->outcome = CN_BROKE_DOWN;
            return CN_OK;
        }
        solve_and_refine(state);
        ++report->iterations;
        missed = !(state->residual <= def->tolerance);
        if (state->ldlt.rank == state->ldlt.n) {
            break; // nothing was left out that a finer limit could bring back
        }
    }
    if (!isfinite(state->residual)) {
        report->outcome = CN_BROKE_DOWN;
        return CN_OK;
    }
    cn_box_write(&state->box, problem, state->best, solution);
    report->outcome = CN_CONVERGED;
    report_redundancy(state, problem, report);
    if (missed) {
        report_miss(state, problem, report);
    }
    return CN_OK;
}

const CnSolver cn_solver_direct = {
    .info = {.name = "direct",
             .summary = "sparse LDL^T on equalities and forces; finds and names redundancy",
             .laws = 1u << CN_LAW_EQUALITY | 1u << CN_LAW_FORCE,
             .exact = true},
    .state_size = sizeof(State),
    .prepare = prepare,
    .solve = solve,
};

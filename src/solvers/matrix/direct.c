// direct.c - equalities and forces by one sparse factorisation; reports redundant rows.
//
// docs/theory/solvers/direct.md derives what is cited here.
#include "constraints/problem/block.h"
#include "linalg/dense.h"
#include "linalg/ldlt.h"
#include "solvers/matrix/split_bodies.h"
#include "solvers/solve/budget.h"
#include "solvers/solve/refusal.h"
#include "solvers/solve/solver.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME_SIZE 80 // of a block, in a remark

// Steps of iterative refinement. Each gains ten digits minus the logarithm of the condition number;
// two reach round-off up to a condition of 1e10, a third serves worse ones.
#define REFINEMENT_STEPS 3

// Rows whose pivot is below this fraction of its terms are first treated as redundant: a loop of a
// hundred bodies leaves noise of 1e-12. If the solution then misses the tolerance, the
// factorisation is repeated with the smallest limit that is safe against round-off.
static const double pivot_limits[] = {0x1p-33, CN_LDLT_ROUND_OFF};
#define ATTEMPTS ((int)(sizeof pivot_limits / sizeof pivot_limits[0]))

// Weight of the regularising term by which redundant rows share their load, direct.md (11). The
// first gives ten correct digits of the shares; if nearly dependent rows make it converge slowly,
// the second gives six.
static const double sharing_weights[] = {0x1p-20, 0x1p-32};
#define SHARINGS ((int)(sizeof sharing_weights / sizeof sharing_weights[0]))

// Rows whose generalised eigenvalue is that of the weight need one step per binary digit.
#define SHARING_STEPS 30

typedef struct CandidateSolution {
    double* x;       // [box.n]
    double residual; // [m/s]
    int worst;       // row with that residual
} CandidateSolution;

typedef struct DirectState {
    CnProblem split; // the problem with its hubs split
    CnBoxLcp box;    // of the split problem
    CnLdlt ldlt;
    double *x, *u, *correction;     // [box.n]
    double* impulse;                // [problem rows]
    double (*velocity)[6];          // of the solution, scratch until the end   [problem bodies]
    CandidateSolution best, shared; // of all attempts; with the load shared among redundant rows
    int redundant_rows;
    int redundant_block; // the first to report, -1: none
    double goal;         // for the residual of each row [m/s]
    CnBudget budget;
    double work_to_factor, work_to_refine; // multiplications
} DirectState;

// Costs in multiplications: of an entry of W, assembled and ordered; and of one multiplication of a
// factorisation that is not blocked.
#define WORK_OF_ENTRY 60.0
#define WORK_OF_FACTORING 2.0

static void count_work(DirectState* state, const CnProblem* problem) {
    state->work_to_factor =
        WORK_OF_FACTORING * state->ldlt.multiplications + 4.0 * (double)state->ldlt.factor_count;
    state->work_to_refine =
        2.0 * (double)state->ldlt.factor_count + 2.0 * cn_cost_of_velocities(problem);
}

// Whether the budget allows another factorisation; if so it is spent.
static bool begin_factoring(DirectState* state) {
    bool fits = cn_budget_allows(&state->budget, state->work_to_factor);
    if (fits) {
        cn_budget_spend(&state->budget, state->work_to_factor);
    }
    return fits;
}

static CnStatus allocate(DirectState* state, const CnProblem* problem, CnArena* arena) {
    int n = state->box.n;
    double** vectors[] = {&state->x, &state->u, &state->correction, &state->best.x,
                          &state->shared.x};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
        *vectors[i] = CN_ARENA_NEW(arena, double, n);
        if (*vectors[i] == NULL) {
            return CN_NO_MEMORY;
        }
    }
    state->impulse = CN_ARENA_NEW(arena, double, problem->row_count);
    return state->impulse != NULL ? CN_OK : CN_NO_MEMORY;
}

static CnStatus prepare(void* memory, const CnSolverDef* def, const CnProblem* problem,
                        CnArena* arena, CnError* error) {
    DirectState* state = memory;
    bool unit_diagonal = def->preconditioner == CN_PRECONDITIONER_DIAGONAL;
    CnStatus status = cn_refuse_laws(problem, &cn_solver_direct.info, error);
    if (status == CN_OK) {
        status = cn_split_bodies(problem, arena, &state->split);
    }
    if (status == CN_OK) {
        status = cn_box_lcp_build(&state->split, unit_diagonal, arena, &state->box);
    }
    if (status == CN_OK) {
        status = cn_ldlt_analyze(&state->ldlt, &state->box.w, arena);
    }
    return status == CN_OK ? allocate(state, problem, arena) : status;
}

// u of the original problem, by the sums of the certificate: the W of a split hub passes the
// impulses of many joints through light parts, which costs digits. Welds hold by definition.
static void feel(DirectState* state, const CnProblem* problem) {
    const CnBoxLcp* box = &state->box;
    int block = -1;
    double u[CN_MAX_ROWS];
    cn_box_lcp_impulse(box, problem, state->x, state->impulse);
    cn_problem_velocity(problem, state->impulse, state->velocity);
    for (int i = 0; i < box->n; ++i) {
        int row = box->row[i];
        if (row >= problem->row_count) {
            state->u[i] = 0.0;
            continue;
        }
        if (box->block[i] != block) {
            block = box->block[i];
            cn_block_velocity(problem, &problem->blocks[block], (const double(*)[6])state->velocity,
                              state->impulse, u);
        }
        double own = u[row - problem->blocks[block].first_row];
        own += box->softness[i] * state->impulse[row] - box->shift[i];
        state->u[i] = box->scale[i] * own;
    }
}

// direct.md (6): x += W^-1 (b - W x), from x = 0; the first round is the solution itself. Ends when
// the residual no longer halves. True when an iterate is better than the best so far.
static bool solve_and_refine(DirectState* state, const CnProblem* problem, int steps,
                             CandidateSolution* answer) {
    int n = state->box.n, worst;
    double last = HUGE_VAL;
    bool improved = false;
    memset(state->x, 0, (size_t)n * sizeof(double));
    feel(state, problem);
    for (int step = 0; step <= steps; ++step) {
        cn_budget_spend(&state->budget, state->work_to_refine);
        cn_ldlt_solve(&state->ldlt, state->u, state->correction);
        cn_dense_add_scaled(n, -1.0, state->correction, state->x);
        feel(state, problem);
        double residual = cn_box_lcp_residual(&state->box, state->x, state->u, &worst);
        if (residual < answer->residual) {
            memcpy(answer->x, state->x, (size_t)n * sizeof(double));
            answer->residual = residual;
            answer->worst = worst;
            improved = true;
        }
        if (!(residual <= 0.5 * last) || cn_budget_is_over(&state->budget)) {
            break;
        }
        last = residual;
    }
    return improved;
}

// The rows that the current factorisation found redundant.
static void note_redundancy(DirectState* state, int block_count) {
    state->redundant_rows = state->ldlt.n - state->ldlt.rank;
    state->redundant_block = -1;
    for (int i = 0; i < state->box.n && state->redundant_block < 0; ++i) {
        if (state->ldlt.redundant[i]) {
            state->redundant_block = cn_split_bodies_redundant_block(
                &state->box, &state->ldlt, i, block_count, state->correction);
        }
    }
}

// G of direct.md (10), scaled as the box is, in the places of the box's W.
static void fill_metric(const CnBoxLcp* box, const CnProblem* problem, double* metric) {
    int filled = -1; // block that w holds
    double w[CN_MAX_ROWS * CN_MAX_ROWS];
    for (int j = 0; j < box->n; ++j) {
        for (int e = box->w.start[j]; e < box->w.start[j + 1]; ++e) {
            int i = box->w.row[e], b = box->block[j];
            if (box->block[i] != b || b >= problem->block_count) {
                continue; // welds are not joints and have no share
            }
            const CnBlock* block = &problem->blocks[b];
            if (filled != b) {
                cn_block_delassus(problem, block, w);
                filled = b;
            }
            int row = box->row[i] - block->first_row, column = box->row[j] - block->first_row;
            metric[e] = box->scale[i] * w[row * block->row_count + column] * box->scale[j];
        }
    }
}

// direct.md (11): from zero, steps with W + weight G converge to the solution of least norm.
static CnStatus share(DirectState* state, const CnProblem* problem, CnArena* arena) {
    CnSparse raised = state->box.w;
    int entries = raised.start[raised.n];
    double* metric = CN_ARENA_NEW(arena, double, entries);
    raised.value = CN_ARENA_NEW(arena, double, entries);
    if (metric == NULL || raised.value == NULL) {
        return CN_NO_MEMORY;
    }
    fill_metric(&state->box, problem, metric);
    for (int i = 0; i < SHARINGS && !(state->shared.residual <= state->goal); ++i) {
        for (int e = 0; e < entries; ++e) {
            raised.value[e] = state->box.w.value[e] + sharing_weights[i] * metric[e];
        }
        if (begin_factoring(state) && cn_ldlt_factor(&state->ldlt, &raised, CN_LDLT_ROUND_OFF)) {
            solve_and_refine(state, problem, SHARING_STEPS, &state->shared);
        }
    }
    return CN_OK;
}

static void report_redundancy(const DirectState* state, const CnProblem* problem,
                              CnSolverReport* report) {
    report->redundant_rows = state->redundant_rows;
    report->redundant_block = state->redundant_block;
    if (state->redundant_block >= 0) {
        char name[NAME_SIZE];
        cn_block_describe(problem, report->redundant_block, name, sizeof name);
        snprintf(report->remark, sizeof report->remark, "%d redundant row%s, the first in %s",
                 state->redundant_rows, state->redundant_rows == 1 ? "" : "s", name);
    }
}

static void report_miss(const DirectState* state, CnSolverReport* report) {
    char name[NAME_SIZE];
    cn_block_describe(&state->split, state->box.block[state->best.worst], name, sizeof name);
    report->outcome = CN_STALLED;
    if (state->redundant_rows > 0) {
        snprintf(report->remark, sizeof report->remark,
                 "%s contradicts rows it depends on, by %.3g m/s", name, state->best.residual);
    } else {
        snprintf(report->remark, sizeof report->remark,
                 "round-off leaves %.3g m/s in %s: the rows are nearly dependent",
                 state->best.residual, name);
    }
}

// The attempts with coarser and finer pivots; false when numbers are not finite.
static bool attempt(DirectState* state, const CnProblem* problem, int* iterations) {
    for (int i = 0; i < ATTEMPTS && !(state->best.residual <= state->goal); ++i) {
        if (!begin_factoring(state)) {
            break;
        }
        if (!cn_ldlt_factor(&state->ldlt, &state->box.w, pivot_limits[i])) {
            return false;
        }
        ++*iterations;
        if (solve_and_refine(state, problem, REFINEMENT_STEPS, &state->best)) {
            note_redundancy(state, problem->block_count);
        }
        if (state->ldlt.rank == state->ldlt.n) {
            break; // no row was redundant, so a smaller limit changes nothing
        }
    }
    return isfinite(state->best.residual);
}

static CnStatus solve(void* memory, const CnSolverDef* def, const CnProblem* problem,
                      CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    DirectState* state = memory;
    state->velocity = solution->velocity;
    state->budget = cn_budget_of(def, report);
    count_work(state, problem);
    cn_budget_spend(&state->budget, WORK_OF_ENTRY * state->box.w.start[state->box.n]);
    if (!cn_budget_allows(&state->budget, state->work_to_factor)) {
        report->outcome = CN_OUT_OF_BUDGET;
        return CN_OK;
    }
    // Blocks are graded by the norm of their rows, at most CN_MAX_ROWS of them.
    state->goal = def->tolerance / sqrt(CN_MAX_ROWS);
    state->best.residual = state->shared.residual = HUGE_VAL;
    if (!attempt(state, problem, &report->iterations)) {
        report->outcome = CN_BROKE_DOWN;
        return CN_OK;
    }
    bool missed = !(state->best.residual <= def->tolerance);
    if (!missed && state->redundant_rows > 0 && share(state, problem, arena) != CN_OK) {
        return CN_NO_MEMORY;
    }
    bool is_shared = state->shared.residual <= state->goal;
    cn_box_lcp_write(&state->box, problem, is_shared ? state->shared.x : state->best.x, solution);
    report->outcome = CN_CONVERGED;
    report_redundancy(state, problem, report);
    if (missed) {
        report_miss(state, report);
    }
    return CN_OK;
}

const CnSolver cn_solver_direct = {
    .info = {.name = "direct",
             .summary = "sparse LDL^T on equalities and forces; finds and names redundancy",
             .laws = 1u << CN_LAW_EQUALITY | 1u << CN_LAW_FORCE,
             .needs_bodies = true,
             .exact = true},
    .state_size = sizeof(DirectState),
    .prepare = prepare,
    .solve = solve,
};

// lemke.c - bounds and equalities exactly, by Lemke's complementary pivoting.
//
// Rows without limits are eliminated, limits become complementary pairs, and lcp.c does the rest.
// docs/theory/lemke.md derives what is cited here.
#include "base/error.h"
#include "linalg/dense.h"
#include "solvers/lcp.h"
#include "solvers/pivoting.h"
#include <float.h>
#include <math.h>

// Lemke's method rarely needs more pivots than a few times the number of pairs.
#define PIVOTS_PER_PAIR 50
#define PIVOTS_AT_LEAST 100

// Sums carry errors of some epsilons of their terms; what is below that is not felt.
#define ROUND_OFF (64.0 * DBL_EPSILON)

typedef struct State {
    CnPivoting pivoting;
    CnCholesky free; // the independent rows without limits; at the end also those between limits
    CnLcp lcp;
    int* pair;       // pair of each row's lower limit (upper, if it has no other), -1: none   [n]
    int* upper_pair; // pair of the upper limit of a row that has both, -1: none   [n]
    int pair_count;
    double* reduced; // L^-1 W_Fi of each row, and of b   [(n + 1) * n]
    int max_pivots;
} State;

static bool has_limits(const CnBox* box, int i) {
    return box->lower[i] > -HUGE_VAL || box->upper[i] < HUGE_VAL;
}

static bool has_both_limits(const CnBox* box, int i) {
    return box->lower[i] > -HUGE_VAL && box->upper[i] < HUGE_VAL;
}

static CnStatus refuse_size(const CnBox* box, CnError* error) {
    int pairs = 0;
    for (int i = 0; i < box->n; ++i) {
        pairs += (has_limits(box, i) ? 1 : 0) + (has_both_limits(box, i) ? 1 : 0);
    }
    if (pairs > CN_PIVOTING_MAX_ROWS) {
        return cn_error_set(error, CN_UNSUPPORTED,
                            "solver lemke works on at most %d limits, and the problem has %d",
                            CN_PIVOTING_MAX_ROWS, pairs);
    }
    return CN_OK;
}

static CnStatus prepare(void* memory, const CnSolverDef* def, const CnProblem* problem,
                        CnArena* arena, CnError* error) {
    State* state = memory;
    CnStatus status =
        cn_pivoting_prepare(&state->pivoting, &cn_solver_lemke.info, problem, arena, error);
    if (status == CN_OK) {
        status = refuse_size(&state->pivoting.box, error);
    }
    if (status != CN_OK) {
        return status;
    }
    int n = state->pivoting.box.n;
    state->max_pivots = def->max_iterations;
    state->pair = CN_ARENA_NEW(arena, int, n);
    state->upper_pair = CN_ARENA_NEW(arena, int, n);
    state->reduced = CN_ARENA_NEW(arena, double, (size_t)(n + 1) * (size_t)n);
    bool complete = state->pair != NULL && state->upper_pair != NULL && state->reduced != NULL;
    return complete ? cn_cholesky_init(&state->free, state->pivoting.w, n, arena) : CN_NO_MEMORY;
}

static double* reduced_row(const State* state, int i) {
    return &state->reduced[(size_t)i * (size_t)state->pivoting.box.n];
}

// lemke.md (1): the rows without limits, as far as they are independent, are eliminated.
static CnStatus eliminate_unlimited(State* state, CnArena* arena) {
    const CnBox* box = &state->pivoting.box;
    int* unlimited = state->pair; // not in use yet
    int count = 0;
    for (int i = 0; i < box->n; ++i) {
        if (!has_limits(box, i)) {
            unlimited[count++] = i;
        }
    }
    CnStatus status =
        cn_pivoting_free_rows(&state->pivoting, unlimited, count, arena, &state->free);
    for (int i = 0; i <= box->n; ++i) {
        const double* source =
            i < box->n ? &state->pivoting.w[(size_t)i * (size_t)box->n] : box->right;
        double* reduced = reduced_row(state, i);
        for (int k = 0; k < state->free.count; ++k) {
            reduced[k] = source[state->free.row[k]];
        }
        cn_dense_solve_lower(state->free.count, state->free.l, box->n, reduced);
    }
    return status;
}

// Elements of the reduced matrix and right-hand side, lemke.md (2).
static double reduced_matrix(const State* state, int i, int j) {
    int n = state->pivoting.box.n;
    return state->pivoting.w[(size_t)i * (size_t)n + (size_t)j] -
           cn_dense_dot(state->free.count, reduced_row(state, i), reduced_row(state, j));
}

static double reduced_right(const State* state, int i) {
    int n = state->pivoting.box.n;
    return state->pivoting.box.right[i] -
           cn_dense_dot(state->free.count, reduced_row(state, i), reduced_row(state, n));
}

// A limited row that depends on the eliminated ones, along `direction`, has a u that nothing can
// change. It goes to the limit which that u asks for, and out of the problem.
static void place_fixed_row(State* state, int i, const double* direction) {
    const CnBox* box = &state->pivoting.box;
    double u = -box->right[i];
    double terms = fabs(u);
    for (int k = 0; k < state->free.count; ++k) {
        double share = direction[k] * box->right[state->free.row[k]];
        u += share;
        terms += fabs(share);
    }
    double limit = u > 0.0 ? box->lower[i] : box->upper[i];
    double nearest = fmin(fmax(0.0, box->lower[i]), box->upper[i]);
    bool felt = fabs(u) > ROUND_OFF * terms;
    state->pivoting.x[i] = felt && isfinite(limit) ? limit : nearest;
}

// Where x starts, and which way it goes: up from the lower limit, or down from the only one.
static double base(const CnBox* box, int i) {
    return box->lower[i] > -HUGE_VAL ? box->lower[i] : box->upper[i];
}

static double direction(const CnBox* box, int i) {
    return box->lower[i] > -HUGE_VAL ? 1.0 : -1.0;
}

static void number_pairs(State* state) {
    const CnBox* box = &state->pivoting.box;
    state->pair_count = 0;
    for (int i = 0; i < box->n; ++i) {
        state->pivoting.x[i] = 0.0;
        state->pair[i] = state->upper_pair[i] = -1;
        if (!has_limits(box, i)) {
            continue;
        }
        double remainder;
        double* direction = state->pivoting.step;
        if (cn_pivoting_depends(&state->free, i, &remainder, direction)) {
            place_fixed_row(state, i, direction);
        } else {
            state->pair[i] = state->pair_count++;
            state->pivoting.x[i] = base(box, i);
        }
    }
    for (int i = 0; i < box->n; ++i) {
        if (state->pair[i] >= 0 && has_both_limits(box, i)) {
            state->upper_pair[i] = state->pair_count++;
        }
    }
}

// lemke.md (3), (4)
static void fill_lcp(State* state) {
    const CnBox* box = &state->pivoting.box;
    for (int i = 0; i < box->n; ++i) {
        if (state->pair[i] < 0) {
            continue;
        }
        double* row = cn_lcp_row(&state->lcp, state->pair[i]);
        double u = -reduced_right(state, i);
        for (int j = 0; j < box->n; ++j) {
            if (state->pair[j] >= 0) {
                double s = reduced_matrix(state, i, j);
                row[1 + state->pair[j]] = direction(box, i) * direction(box, j) * s;
                u += s * base(box, j);
            }
        }
        row[0] = direction(box, i) * u;
        if (state->upper_pair[i] >= 0) {
            double* upper_row = cn_lcp_row(&state->lcp, state->upper_pair[i]);
            row[1 + state->upper_pair[i]] = 1.0;
            upper_row[1 + state->pair[i]] = -1.0;
            upper_row[0] = box->upper[i] - box->lower[i];
        }
    }
}

// x of all rows from the pairs; rows strictly between their limits join the free ones.
static void read_lcp(State* state) {
    CnPivoting* pivoting = &state->pivoting;
    const CnBox* box = &pivoting->box;
    for (int i = 0; i < box->n; ++i) {
        if (state->pair[i] >= 0) {
            double x = base(box, i) + direction(box, i) * cn_lcp_z(&state->lcp, state->pair[i]);
            pivoting->x[i] = fmin(fmax(x, box->lower[i]), box->upper[i]);
        }
    }
    cn_box_velocity(box, pivoting->x, pivoting->u);
    cn_pivoting_correct(pivoting, &state->free); // so far these are the rows without limits
    for (int i = 0; i < box->n; ++i) {
        bool below =
            state->upper_pair[i] < 0 || !cn_lcp_z_is_basic(&state->lcp, state->upper_pair[i]);
        if (state->pair[i] >= 0 && cn_lcp_z_is_basic(&state->lcp, state->pair[i]) && below) {
            cn_pivoting_add(&state->pivoting, &state->free, i);
        }
    }
}

// A row that was left out as dependent, and whose u still is not what its law wants.
static bool is_contradicted(State* state, double tolerance) {
    CnPivoting* pivoting = &state->pivoting;
    int worst;
    cn_box_velocity(&pivoting->box, pivoting->x, pivoting->u);
    double residual = cn_box_residual(&pivoting->box, pivoting->x, pivoting->u, &worst);
    return residual > tolerance && state->pair[worst] < 0;
}

static const CnPivotingEnd ends[] = {
    [CN_LCP_SOLVED] = CN_PIVOTING_SOLVED,
    [CN_LCP_RAY] = CN_PIVOTING_CONTRADICTION,
    [CN_LCP_EXHAUSTED] = CN_PIVOTING_EXHAUSTED,
};

static CnStatus solve(void* memory, const CnSolverDef* def, const CnProblem* problem,
                      CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    State* state = memory;
    CnStatus status = eliminate_unlimited(state, arena);
    number_pairs(state);
    if (status == CN_OK) {
        status = cn_lcp_init(&state->lcp, state->pair_count, arena);
    }
    if (status != CN_OK) {
        return status;
    }
    fill_lcp(state);
    state->lcp.deadline = def->deadline;
    int max_pivots = state->max_pivots > 0 ? state->max_pivots
                                           : PIVOTS_PER_PAIR * state->pair_count + PIVOTS_AT_LEAST;
    CnPivotingEnd end = ends[cn_lcp_solve(&state->lcp, max_pivots)];
    read_lcp(state);
    if (end == CN_PIVOTING_SOLVED && is_contradicted(state, def->tolerance)) {
        end = CN_PIVOTING_CONTRADICTION;
    }
    report->iterations = state->lcp.pivots;
    cn_pivoting_finish(&state->pivoting, &state->free, end, def, problem, solution, report);
    return CN_OK;
}

const CnSolver cn_solver_lemke = {
    .info = {.name = "lemke",
             .summary = "complementary pivoting on bounds, equalities, contacts without friction",
             .laws = 1u << CN_LAW_EQUALITY | 1u << CN_LAW_BOUNDS | 1u << CN_LAW_FORCE,
             .needs_bodies = true,
             .exact = true},
    .state_size = sizeof(State),
    .prepare = prepare,
    .solve = solve,
};

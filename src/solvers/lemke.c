// lemke.c - bounds, equalities and friction pyramids exactly, by Lemke's complementary pivoting.
//
// Rows without limits are eliminated, limits and friction become complementary pairs, and lcp.c
// does the rest. docs/theory/lemke.md and pyramid.md derive what is cited here.
#include "base/error.h"
#include "cairn/math.h"
#include "constraints/block.h"
#include "constraints/certificate.h"
#include "linalg/dense.h"
#include "solvers/deadline.h"
#include "solvers/lcp.h"
#include "solvers/pivoting.h"
#include "solvers/pyramids.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Lemke's method rarely needs more pivots than a few times the number of pairs.
#define PIVOTS_PER_PAIR 50
#define PIVOTS_AT_LEAST 100

// Sums carry errors of some epsilons of their terms; what is below that is not felt.
#define ROUND_OFF (64.0 * DBL_EPSILON)

#define POLISH_STEPS 20 // each gains what the tableau is worth

// With friction: a proximal term in units of the scaled diagonal, well above the smallest pivot,
// and how often it is moved.
#define PROXIMITY 1e-7
#define PROXIMAL_ROUNDS 5
#define NAME_SIZE 80 // of a block, in a remark

// The pairs whose z move a row: x = base + sum of weight * z.
typedef struct RowPairs {
    int first, count;     // count 0: none does
    const double* weight; // [count]
} RowPairs;

typedef struct State {
    CnPivoting pivoting;
    CnPyramids pyramids;
    CnCholesky free; // the independent rows without limits; at the end also those between limits
    CnLcp lcp;
    RowPairs* pairs; // of its lower limit (upper, if it has no other), or its pyramid's corners [n]
    int* upper_pair; // pair of the upper limit of a row that has both, -1: none   [n]
    int pair_count;
    double* reduced; // L^-1 W_Fi of each row, and of b   [(n + 1) * n]
    int max_pivots;
} State;

static const double up = 1.0, down = -1.0; // the weights of limits

static bool has_limits(const CnBox* box, int i) {
    return box->lower[i] > -HUGE_VAL || box->upper[i] < HUGE_VAL;
}

static bool has_both_limits(const CnBox* box, int i) {
    return box->lower[i] > -HUGE_VAL && box->upper[i] < HUGE_VAL;
}

// The corners of pyramids are limits too. Known before anything is allocated.
static CnStatus refuse_pyramids(const CnProblem* problem, CnError* error) {
    double pairs = cn_pyramids_pair_count(problem);
    if (problem->friction_model == CN_FRICTION_EXACT || pairs <= CN_PIVOTING_MAX_ROWS) {
        return CN_OK;
    }
    return cn_error_set(error, CN_UNSUPPORTED,
                        "solver lemke works on at most %d limits, and with %s friction the "
                        "contacts have %.0f%s",
                        CN_PIVOTING_MAX_ROWS, cn_friction_model_name(problem->friction_model),
                        pairs,
                        problem->friction_model == CN_FRICTION_PYRAMID && problem->pyramid_sides > 4
                            ? "; pyramid_sides makes most of them"
                            : "");
}

static CnStatus refuse_size(const State* state, CnError* error) {
    const CnBox* box = &state->pivoting.box;
    int pairs = 0;
    for (int i = 0; i < box->n; ++i) {
        pairs += (has_limits(box, i) ? 1 : 0) + (has_both_limits(box, i) ? 1 : 0);
    }
    for (int i = 0; i < state->pyramids.count; ++i) {
        pairs += state->pyramids.item[i].corners + 1;
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
    (void)def;
    State* state = memory;
    CnStatus status = refuse_pyramids(problem, error);
    if (status == CN_OK) {
        status =
            cn_pivoting_prepare(&state->pivoting, &cn_solver_lemke.info, problem, arena, error);
    }
    if (status == CN_OK) {
        status = cn_pyramids_build(&state->pyramids, problem, &state->pivoting.box, arena);
    }
    if (status == CN_OK) {
        status = refuse_size(state, error);
    }
    if (status != CN_OK) {
        return status;
    }
    int n = state->pivoting.box.n;
    state->pairs = CN_ARENA_NEW(arena, RowPairs, n);
    state->upper_pair = CN_ARENA_NEW(arena, int, n);
    state->reduced = CN_ARENA_NEW(arena, double, (size_t)(n + 1) * (size_t)n);
    bool complete = state->pairs != NULL && state->upper_pair != NULL && state->reduced != NULL;
    return complete ? cn_cholesky_init(&state->free, state->pivoting.w, n, arena) : CN_NO_MEMORY;
}

static double* reduced_row(const State* state, int i) {
    return &state->reduced[(size_t)i * (size_t)state->pivoting.box.n];
}

// lemke.md (1): the rows without limits, as far as they are independent, are eliminated.
static CnStatus eliminate_unlimited(State* state, CnArena* arena) {
    const CnBox* box = &state->pivoting.box;
    int* unlimited = state->upper_pair; // not in use yet
    int count = 0;
    for (int i = 0; i < box->n; ++i) {
        if (!has_limits(box, i) && state->pyramids.of_row[i] < 0) {
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

// Where x starts: at the lower limit, or at the only one.
static double base(const CnBox* box, int i) {
    if (!has_limits(box, i)) {
        return 0.0;
    }
    return box->lower[i] > -HUGE_VAL ? box->lower[i] : box->upper[i];
}

static void number_limits(State* state) {
    const CnBox* box = &state->pivoting.box;
    state->pair_count = 0;
    for (int i = 0; i < box->n; ++i) {
        state->pivoting.x[i] = 0.0;
        state->pairs[i] = (RowPairs){0};
        state->upper_pair[i] = -1;
        if (!has_limits(box, i)) {
            continue;
        }
        double remainder;
        double* direction = state->pivoting.step;
        if (cn_pivoting_depends(&state->free, i, &remainder, direction)) {
            place_fixed_row(state, i, direction);
        } else {
            const double* weight = box->lower[i] > -HUGE_VAL ? &up : &down;
            state->pairs[i] = (RowPairs){state->pair_count++, 1, weight};
            state->pivoting.x[i] = base(box, i);
        }
    }
    for (int i = 0; i < box->n; ++i) {
        if (state->pairs[i].count > 0 && has_both_limits(box, i)) {
            state->upper_pair[i] = state->pair_count++;
        }
    }
}

// A contact whose normal was placed carries nothing, and neither does its friction.
static void number_corners(State* state) {
    for (int i = 0; i < state->pyramids.count; ++i) {
        CnPyramid* pyramid = &state->pyramids.item[i];
        if (state->pairs[pyramid->normal].count == 0) {
            continue;
        }
        pyramid->pair = state->pair_count;
        state->pair_count += pyramid->corners + 1;
        for (int r = 0; r < pyramid->row_count; ++r) {
            state->pairs[pyramid->first + r] =
                (RowPairs){pyramid->pair, pyramid->corners, pyramid->weight + r * pyramid->corners};
        }
    }
}

// Every pair of row i meets every pair of row j.
static void add_to_lcp(const State* state, int i, int j, double s) {
    const RowPairs *pairs = &state->pairs[i], *others = &state->pairs[j];
    for (int a = 0; a < pairs->count; ++a) {
        double* row = cn_lcp_row(&state->lcp, pairs->first + a) + 1 + others->first;
        cn_dense_add_scaled(others->count, pairs->weight[a] * s, others->weight, row);
    }
}

// lemke.md (3), pyramid.md (7); with a proximal term (11) about the x at hand, on the diagonal.
static void fill_rows(State* state, double proximity) {
    const CnBox* box = &state->pivoting.box;
    for (int i = 0; i < box->n; ++i) {
        const RowPairs* pairs = &state->pairs[i];
        double u = pairs->count > 0 ? -reduced_right(state, i) : 0.0;
        for (int j = 0; j < box->n && pairs->count > 0; ++j) {
            if (state->pairs[j].count > 0) {
                double s = reduced_matrix(state, i, j);
                add_to_lcp(state, i, j, s);
                u += s * base(box, j);
            }
        }
        if (proximity > 0.0) {
            add_to_lcp(state, i, i, proximity);
            u -= proximity * (state->pivoting.x[i] - base(box, i));
        }
        for (int a = 0; a < pairs->count; ++a) {
            cn_lcp_row(&state->lcp, pairs->first + a)[0] += pairs->weight[a] * u;
        }
    }
}

static int normal_pair(const State* state, const CnPyramid* pyramid) {
    return state->pairs[pyramid->normal].first;
}

static void fill_lcp(State* state, double proximity) {
    const CnBox* box = &state->pivoting.box;
    fill_rows(state, proximity);
    for (int i = 0; i < box->n; ++i) {
        int pair = state->pairs[i].first, upper_pair = state->upper_pair[i];
        if (upper_pair >= 0) { // lemke.md (4)
            double* upper_row = cn_lcp_row(&state->lcp, upper_pair);
            cn_lcp_row(&state->lcp, pair)[1 + upper_pair] = 1.0;
            upper_row[1 + pair] = -1.0;
            upper_row[0] = box->upper[i] - box->lower[i];
        }
    }
    for (int i = 0; i < state->pyramids.count; ++i) {
        const CnPyramid* pyramid = &state->pyramids.item[i];
        if (pyramid->pair >= 0) {
            cn_pyramid_couple(pyramid, normal_pair(state, pyramid), &state->lcp);
        }
    }
}

static double z_of(const State* state, int pair) {
    return fmax(0.0, cn_lcp_z(&state->lcp, pair));
}

// x of all rows: those with pairs, then the others so that their u is 0.
static void read_lcp(State* state) {
    CnPivoting* pivoting = &state->pivoting;
    const CnBox* box = &pivoting->box;
    for (int i = 0; i < box->n; ++i) {
        const RowPairs* pairs = &state->pairs[i];
        if (pairs->count > 0) {
            double x = base(box, i);
            for (int a = 0; a < pairs->count; ++a) {
                x += pairs->weight[a] * z_of(state, pairs->first + a);
            }
            pivoting->x[i] = fmin(fmax(x, box->lower[i]), box->upper[i]);
        }
    }
    cn_box_velocity(box, pivoting->x, pivoting->u);
    cn_pivoting_correct(pivoting, &state->free);
}

// Without friction the rows strictly between their limits join those without.
static void free_rows_between_limits(State* state) {
    for (int i = 0; i < state->pivoting.box.n; ++i) {
        int upper_pair = state->upper_pair[i];
        bool below = upper_pair < 0 || !cn_lcp_z_is_basic(&state->lcp, upper_pair);
        if (state->pairs[i].count > 0 && below &&
            cn_lcp_z_is_basic(&state->lcp, state->pairs[i].first)) {
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
    return residual > tolerance && state->pairs[worst].count == 0;
}

static const CnPivotingEnd ends[] = {
    [CN_LCP_SOLVED] = CN_PIVOTING_SOLVED,
    [CN_LCP_RAY] = CN_PIVOTING_CONTRADICTION,
    [CN_LCP_EXHAUSTED] = CN_PIVOTING_EXHAUSTED,
};

// w = M z + q of all pairs for the z at hand, from W itself rather than the reduced one: u is that
// of x, with which the rows without limits hold.
static void find_w(State* state, const double* z, double* w) {
    CnPivoting* pivoting = &state->pivoting;
    const CnBox* box = &pivoting->box;
    memset(w, 0, (size_t)state->pair_count * sizeof *w);
    cn_box_velocity(box, pivoting->x, pivoting->u);
    for (int i = 0; i < box->n; ++i) {
        const RowPairs* pairs = &state->pairs[i];
        int upper_pair = state->upper_pair[i];
        cn_dense_add_scaled(pairs->count, pivoting->u[i], pairs->weight, w + pairs->first);
        if (upper_pair >= 0) {
            w[pairs->first] += z[upper_pair];
            w[upper_pair] = box->upper[i] - box->lower[i] - z[pairs->first];
        }
    }
    for (int i = 0; i < state->pyramids.count; ++i) {
        const CnPyramid* pyramid = &state->pyramids.item[i];
        if (pyramid->pair >= 0) {
            cn_pyramid_add_ties(pyramid, normal_pair(state, pyramid), z, w);
        }
    }
}

// How answers with friction are told from each other.
typedef struct Grading {
    const CnProblem* problem;
    CnErrorMeasure measure;
    CnSolution* solution;
    double (*scratch)[6]; // [body_count]
    double *z, *w;        // [pair_count]
    double last;          // error of the x at hand
    CnCertificate best;   // under the law asked for, of the x kept
} Grading;

static double best_error(const Grading* grading) {
    return cn_certificate_error(&grading->best, grading->measure);
}

// The answer for the z at hand. True if it is better than the last; the best of all is kept.
static bool grade(State* state, Grading* grading) {
    CnPivoting* pivoting = &state->pivoting;
    CnCertificate certificate;
    double before = grading->last;
    read_lcp(state);
    cn_box_write(&pivoting->box, grading->problem, pivoting->x, grading->solution);
    cn_certify(grading->problem, grading->solution, grading->scratch, NULL, &certificate);
    grading->last = cn_certificate_error(&certificate, grading->measure);
    if (grading->last < best_error(grading)) {
        grading->best = certificate;
        memcpy(pivoting->kept, pivoting->x, (size_t)pivoting->box.n * sizeof(double));
    }
    return grading->last < before;
}

// pyramid.md (10): corrects z while that helps.
static void polish(State* state, Grading* grading) {
    grading->last = HUGE_VAL;
    for (int i = 0; grade(state, grading) && i < POLISH_STEPS; ++i) {
        for (int k = 0; k < state->pair_count; ++k) {
            grading->z[k] = z_of(state, k);
        }
        find_w(state, grading->z, grading->w);
        cn_lcp_correct(&state->lcp, grading->w);
    }
}

// How each end reads in a remark when the law does not hold: name of the worst block, its residual.
static const char* const friction_remarks[] = {
    [CN_LCP_SOLVED] = "round-off leaves %s with %.3g m/s",
    [CN_LCP_RAY] = "pivoting found no way on; %s is left with %.3g m/s",
    [CN_LCP_EXHAUSTED] = "out of pivots; the worst is %s with %.3g m/s",
};

static void report_friction(const State* state, CnLcpEnd end, const CnSolverDef* def,
                            const Grading* grading, CnSolverReport* report) {
    const CnProblem* problem = grading->problem;
    const CnCertificate* best = &grading->best;
    if (cn_certificate_error(best, def->measure) <= def->tolerance) {
        report->outcome = CN_CONVERGED;
        if (problem->friction_model == CN_FRICTION_PYRAMID) {
            double loss = 1.0 - cn_cos(CN_PI / problem->pyramid_sides);
            snprintf(report->remark, sizeof report->remark,
                     "%d limits; pyramids of %d sides: friction up to %.2g %% too weak",
                     state->pair_count, problem->pyramid_sides, 100.0 * loss);
        }
        return;
    }
    char name[NAME_SIZE] = "nothing";
    if (best->worst_block >= 0) {
        cn_block_describe(problem, best->worst_block, name, sizeof name);
    }
    report->outcome = end == CN_LCP_EXHAUSTED ? CN_OUT_OF_ITERATIONS : CN_STALLED;
    snprintf(report->remark, sizeof report->remark, friction_remarks[end], name, best->worst);
}

static CnLcpEnd run(State* state, double proximity) {
    cn_lcp_clear(&state->lcp);
    fill_lcp(state, proximity);
    return cn_lcp_solve(&state->lcp, state->max_pivots);
}

// As it is first; where round-off spoils that, with a proximal term, in rounds: pyramid.md (11).
static CnLcpEnd solve_friction(State* state, const CnSolverDef* def, Grading* grading) {
    CnPivoting* pivoting = &state->pivoting;
    CnLcpEnd end = run(state, 0.0);
    polish(state, grading);
    memset(pivoting->x, 0, (size_t)pivoting->box.n * sizeof(double)); // what was spoilt is no guess
    for (int i = 0; i < PROXIMAL_ROUNDS && best_error(grading) > def->tolerance &&
                    end != CN_LCP_EXHAUSTED && !cn_deadline_is_over(def->deadline);
         ++i) {
        end = run(state, PROXIMITY);
        polish(state, grading);
    }
    cn_box_write(&pivoting->box, grading->problem, pivoting->kept, grading->solution);
    return end;
}

static CnStatus answer_friction(State* state, const CnSolverDef* def, const CnProblem* problem,
                                CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    Grading grading = {
        .problem = problem,
        .measure = def->measure,
        .solution = solution,
        .scratch = cn_arena_allocate(arena, (size_t)problem->body_count, sizeof(double[6])),
        .z = CN_ARENA_NEW(arena, double, state->pair_count),
        .w = CN_ARENA_NEW(arena, double, state->pair_count),
        .best = {.worst = HUGE_VAL, .fclib_error = HUGE_VAL, .worst_block = -1},
    };
    if (grading.scratch == NULL || grading.z == NULL || grading.w == NULL) {
        return CN_NO_MEMORY;
    }
    CnLcpEnd end = solve_friction(state, def, &grading);
    report->iterations = state->lcp.pivots;
    report_friction(state, end, def, &grading, report);
    return CN_OK;
}

static void answer_bounds(State* state, const CnSolverDef* def, const CnProblem* problem,
                          CnSolution* solution, CnSolverReport* report) {
    CnPivotingEnd end = ends[run(state, 0.0)];
    read_lcp(state);
    free_rows_between_limits(state);
    if (end == CN_PIVOTING_SOLVED && is_contradicted(state, def->tolerance)) {
        end = CN_PIVOTING_CONTRADICTION;
    }
    report->iterations = state->lcp.pivots;
    cn_pivoting_finish(&state->pivoting, &state->free, end, def, problem, solution, report);
}

static CnStatus solve(void* memory, const CnSolverDef* def, const CnProblem* problem,
                      CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    State* state = memory;
    CnStatus status = eliminate_unlimited(state, arena);
    number_limits(state);
    number_corners(state);
    if (status == CN_OK) {
        status = cn_lcp_init(&state->lcp, state->pair_count, arena);
    }
    if (status != CN_OK) {
        return status;
    }
    state->lcp.deadline = def->deadline;
    state->max_pivots = def->max_iterations > 0
                            ? def->max_iterations
                            : PIVOTS_PER_PAIR * state->pair_count + PIVOTS_AT_LEAST;
    if (state->pyramids.count > 0) {
        return answer_friction(state, def, problem, arena, solution, report);
    }
    answer_bounds(state, def, problem, solution, report);
    return CN_OK;
}

const CnSolver cn_solver_lemke = {
    .info = {.name = "lemke",
             .summary = "complementary pivoting on bounds, equalities, pyramid and box friction",
             .laws = 1u << CN_LAW_EQUALITY | 1u << CN_LAW_BOUNDS | 1u << CN_LAW_FORCE,
             .frictions = 1u << CN_FRICTION_BOX | 1u << CN_FRICTION_PYRAMID,
             .needs_bodies = true,
             .wide_contacts = true,
             .exact = true},
    .state_size = sizeof(State),
    .prepare = prepare,
    .solve = solve,
};

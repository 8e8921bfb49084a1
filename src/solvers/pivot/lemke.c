// lemke.c - bounds, equalities and friction pyramids exactly, by Lemke's complementary pivoting.
//
// lemke_pairs.c turns rows into complementary pairs, lcp.c pivots on them, and this file refines
// and reports the solution. docs/theory/solvers/lemke.md and pyramid.md derive what is cited here.
#include "base/error.h"
#include "cairn/math.h"
#include "constraints/problem/block.h"
#include "constraints/problem/certificate.h"
#include "solvers/pivot/lemke_pairs.h"
#include "solvers/solve/budget.h"
#include "solvers/solve/report_parts.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// Lemke's method rarely needs more pivots than a few times the number of pairs.
#define PIVOTS_PER_PAIR 50
#define PIVOTS_AT_LEAST 100

#define POLISH_STEPS 20 // each gains the digits of the tableau

// With friction: a proximal term in units of the scaled diagonal, well above the smallest pivot,
// and how many times its center is updated.
#define PROXIMITY 1e-7
#define PROXIMAL_ROUNDS 5

#define NAME_SIZE 80 // of a block, in a remark

typedef struct LemkeState {
    CnPairs pairs;
    int max_pivots;
    CnBudget budget;
} LemkeState;

// ---- refused problems ----

// The corners of pyramids are limits too. Known before anything is allocated.
static CnStatus refuse_pyramids(const CnProblem* problem, CnError* error) {
    double pairs = cn_pyramids_pair_count(problem);
    if (problem->friction_model == CN_FRICTION_EXACT || pairs <= CN_PIVOTING_MAX_ROWS) {
        return CN_OK;
    }
    bool is_fine = problem->friction_model == CN_FRICTION_PYRAMID && problem->pyramid_sides > 4;
    return cn_error_set(error, CN_UNSUPPORTED,
                        "solver lemke works on at most %d limits, and with %s friction the "
                        "contacts have %.0f%s",
                        CN_PIVOTING_MAX_ROWS, cn_friction_model_name(problem->friction_model),
                        pairs, is_fine ? "; pyramid_sides makes most of them" : "");
}

static CnStatus refuse_size(const CnPairs* pairs, CnError* error) {
    int count = cn_pairs_bound(pairs);
    return count <= CN_PIVOTING_MAX_ROWS
               ? CN_OK
               : cn_error_set(error, CN_UNSUPPORTED,
                              "solver lemke works on at most %d limits, and the problem has %d",
                              CN_PIVOTING_MAX_ROWS, count);
}

// Symmetry is needed to eliminate rows and, without friction, to polish.
static CnStatus refuse_asymmetry(CnPairs* pairs, const CnProblem* problem, CnError* error) {
    bool fits = pairs->pivoting.box.asymmetry > CN_SYMMETRIC && pairs->pyramids.count > 0 &&
                cn_pairs_take_response(pairs, problem);
    return fits ? CN_OK
                : cn_pivoting_refuse_asymmetry(
                      &pairs->pivoting, "lemke",
                      ", unless there is friction and no row without limits", error);
}

static CnStatus prepare(void* memory, const CnSolverDef* def, const CnProblem* problem,
                        CnArena* arena, CnError* error) {
    (void)def;
    LemkeState* state = memory;
    CnPairs* pairs = &state->pairs;
    CnStatus status = refuse_pyramids(problem, error);
    if (status == CN_OK) {
        status =
            cn_pivoting_prepare(&pairs->pivoting, &cn_solver_lemke.info, problem, arena, error);
    }
    if (status == CN_OK) {
        status = cn_pyramids_build(&pairs->pyramids, problem, &pairs->pivoting.box, arena);
    }
    if (status == CN_OK) {
        status = refuse_size(pairs, error);
    }
    if (status == CN_OK) {
        status = refuse_asymmetry(pairs, problem, error);
    }
    return status == CN_OK ? cn_pairs_allocate(pairs, arena) : status;
}

static CnLcpEnd run(LemkeState* state, double proximity) {
    cn_budget_spend(&state->budget, cn_pairs_filling_work(&state->pairs));
    cn_pairs_fill(&state->pairs, proximity);
    return cn_lcp_solve(&state->pairs.lcp, state->max_pivots);
}

// ---- with friction ----

// Comparing candidates.
typedef struct CandidateGrading {
    const CnProblem* problem;
    CnErrorMeasure measure;
    CnSolution* solution;
    double (*scratch)[6]; // [body_count]
    double last;          // error of the current x
    CnCertificate best;   // under the law asked for, of the x kept
} CandidateGrading;

static double best_error(const CandidateGrading* grading) {
    return cn_certificate_error(&grading->best, grading->measure);
}

// The solution for the current z. True if it is better than the last; the best of all is kept.
static bool grade(LemkeState* state, CandidateGrading* grading) {
    CnPivoting* pivoting = &state->pairs.pivoting;
    CnCertificate certificate;
    double before = grading->last;
    cn_budget_spend(&state->budget, cn_pairs_reading_work(&state->pairs) +
                                        cn_cost_of_certificate(grading->problem));
    cn_pairs_read(&state->pairs);
    cn_box_lcp_write(&pivoting->box, grading->problem, pivoting->x, grading->solution);
    cn_certify(grading->problem, grading->solution, grading->scratch, NULL, &certificate);
    grading->last = cn_certificate_error(&certificate, grading->measure);
    if (grading->last < best_error(grading)) {
        grading->best = certificate;
        memcpy(pivoting->kept, pivoting->x, (size_t)pivoting->box.n * sizeof(double));
    }
    return grading->last < before;
}

// pyramid.md (10): corrects z while that helps.
static void polish(LemkeState* state, CandidateGrading* grading) {
    grading->last = HUGE_VAL;
    for (int i = 0; grade(state, grading) && i < POLISH_STEPS && !cn_budget_is_over(&state->budget);
         ++i) {
        cn_pairs_correct(&state->pairs);
    }
}

// Without a proximal term first; if round-off spoils that, with one, updated several times:
// pyramid.md (11).
static CnLcpEnd solve_friction(LemkeState* state, const CnSolverDef* def,
                               CandidateGrading* grading) {
    CnPivoting* pivoting = &state->pairs.pivoting;
    CnLcpEnd end = run(state, 0.0);
    polish(state, grading);
    cn_pairs_clear_x(&state->pairs); // a spoilt solution is not a good guess
    for (int i = 0; i < PROXIMAL_ROUNDS && best_error(grading) > def->tolerance &&
                    end != CN_LCP_EXHAUSTED && !cn_budget_is_over(&state->budget);
         ++i) {
        end = run(state, PROXIMITY);
        polish(state, grading);
    }
    cn_box_lcp_write(&pivoting->box, grading->problem, pivoting->kept, grading->solution);
    return end;
}

// Remarks for each outcome when the law is violated: name of the worst block, its residual.
static const char* const friction_remarks[] = {
    [CN_LCP_SOLVED] = "round-off leaves %s with %.3g m/s",
    [CN_LCP_RAY] = "pivoting found no way on; %s is left with %.3g m/s",
    [CN_LCP_EXHAUSTED] = "out of pivots; the worst is %s with %.3g m/s",
};

static void report_friction(const LemkeState* state, CnLcpEnd end, const CnSolverDef* def,
                            const CandidateGrading* grading, CnSolverReport* report) {
    const CnProblem* problem = grading->problem;
    const CnCertificate* best = &grading->best;
    if (best_error(grading) <= def->tolerance) {
        report->outcome = CN_CONVERGED;
        if (problem->friction_model == CN_FRICTION_PYRAMID) {
            double loss = 1.0 - cn_cos(CN_PI / problem->pyramid_sides);
            snprintf(report->remark, sizeof report->remark,
                     "%d limits; pyramids of %d sides: friction up to %.2g %% too weak",
                     state->pairs.count, problem->pyramid_sides, 100.0 * loss);
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

static CnStatus answer_friction(LemkeState* state, const CnSolverDef* def, const CnProblem* problem,
                                CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    CandidateGrading grading = {
        .problem = problem,
        .measure = def->measure,
        .solution = solution,
        .scratch = cn_arena_allocate(arena, (size_t)problem->body_count, sizeof(double[6])),
        .best = {.worst = HUGE_VAL, .fclib_error = HUGE_VAL, .worst_block = -1},
    };
    if (grading.scratch == NULL) {
        return CN_NO_MEMORY;
    }
    memset(state->pairs.pivoting.kept, 0, (size_t)state->pairs.pivoting.box.n * sizeof(double));
    CnLcpEnd end = solve_friction(state, def, &grading);
    report_friction(state, end, def, &grading, report);
    return CN_OK;
}

// ---- without ----

// A row that was skipped as dependent and is still violated.
static bool is_contradicted(CnPairs* pairs, double tolerance) {
    CnPivoting* pivoting = &pairs->pivoting;
    int worst;
    cn_box_lcp_velocity(&pivoting->box, pivoting->x, pivoting->u);
    double residual = cn_box_lcp_residual(&pivoting->box, pivoting->x, pivoting->u, &worst);
    return residual > tolerance && pairs->rows[worst].count == 0;
}

static const CnPivotingEnd ends[] = {
    [CN_LCP_SOLVED] = CN_PIVOTING_SOLVED,
    [CN_LCP_RAY] = CN_PIVOTING_CONTRADICTION,
    [CN_LCP_EXHAUSTED] = CN_PIVOTING_EXHAUSTED,
};

// Rows strictly between their limits join those without: both have u = 0.
static void answer_bounds(LemkeState* state, const CnSolverDef* def, const CnProblem* problem,
                          CnSolution* solution, CnSolverReport* report) {
    CnPairs* pairs = &state->pairs;
    CnPivotingEnd end = ends[run(state, 0.0)];
    cn_pairs_read(pairs);
    for (int i = 0; i < pairs->pivoting.box.n; ++i) {
        if (cn_pairs_is_between(pairs, i)) {
            cn_pivoting_add(&pairs->pivoting, &pairs->free, i);
        }
    }
    if (end == CN_PIVOTING_SOLVED && is_contradicted(pairs, def->tolerance)) {
        end = CN_PIVOTING_CONTRADICTION;
    }
    cn_pivoting_finish(&pairs->pivoting, &pairs->free, end, def, problem, solution, report);
}

// Pivots of active_set from the current impulses; adds their number and work to the report.
static CnStatus drive(const CnSolverDef* def, const CnProblem* problem, CnArena* arena,
                      CnSolution* solution, CnSolverReport* report) {
    const CnSolver* driver = &cn_solver_active_set;
    CnSolverReport said = {.redundant_block = -1};
    CnSolverDef own = *def;
    own.work_budget = fmax(0.0, def->work_budget - report->work);
    void* state = cn_arena_allocate(arena, 1, driver->state_size);
    CnStatus status =
        state == NULL ? CN_NO_MEMORY : driver->prepare(state, &own, problem, arena, NULL);
    if (status == CN_OK) {
        status = driver->solve(state, &own, problem, arena, solution, &said);
    }
    if (status == CN_OK && said.outcome == CN_CONVERGED) {
        report->outcome = CN_CONVERGED;
    }
    report->iterations += said.iterations;
    report->work += said.work;
    cn_report_add_part(report, driver->info.name, said.iterations, said.work);
    return status;
}

// The tableau is updated by every pivot and never recomputed: mass ratios of 1e6 on redundant rows
// can cost all its digits. Rows that are then violated are corrected by active_set, whose factor
// comes from W itself: from the current solution, or from zero if there is none. lemke.md (10).
static CnStatus refine(const CnSolverDef* def, const CnProblem* problem, CnArena* arena,
                       CnSolution* solution, CnSolverReport* report) {
    size_t bytes = (size_t)problem->row_count * sizeof(double);
    double* kept = CN_ARENA_NEW(arena, double, problem->row_count);
    CnStatus status = kept == NULL ? CN_NO_MEMORY : CN_OK;
    int pivots = report->iterations;
    if (status == CN_OK) {
        memcpy(kept, solution->impulse, bytes);
        status = drive(def, problem, arena, solution, report);
    }
    if (status == CN_OK && report->outcome != CN_CONVERGED) {
        memset(solution->impulse, 0, bytes);
        status = drive(def, problem, arena, solution, report);
    }
    if (status == CN_OK && report->outcome != CN_CONVERGED) {
        memcpy(solution->impulse, kept, bytes);
    } else if (status == CN_OK) {
        snprintf(report->remark, sizeof report->remark,
                 "%d pivots of active_set removed round-off of the tableau",
                 report->iterations - pivots);
    }
    return status;
}

static CnStatus solve(void* memory, const CnSolverDef* def, const CnProblem* problem,
                      CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    LemkeState* state = memory;
    CnPairs* pairs = &state->pairs;
    double making = cn_pairs_making_work(pairs);
    state->budget = cn_budget_of(def, report);
    if (!cn_budget_allows(&state->budget, making)) {
        report->outcome = CN_OUT_OF_BUDGET;
        return CN_OK;
    }
    cn_budget_spend(&state->budget, making);
    CnStatus status = cn_pairs_make(pairs, arena);
    if (status != CN_OK) {
        return status;
    }
    pairs->lcp.budget = &state->budget;
    state->max_pivots = def->max_iterations > 0 ? def->max_iterations
                                                : PIVOTS_PER_PAIR * pairs->count + PIVOTS_AT_LEAST;
    if (pairs->pyramids.count > 0) {
        status = answer_friction(state, def, problem, arena, solution, report);
    } else {
        answer_bounds(state, def, problem, solution, report);
    }
    report->iterations = pairs->lcp.pivots;
    cn_report_add_part(report, cn_solver_lemke.info.name, report->iterations, report->work);
    bool may_refine = status == CN_OK && report->outcome != CN_CONVERGED &&
                      pairs->pyramids.count == 0 && !pairs->is_asymmetric &&
                      !cn_budget_is_over(&state->budget);
    return may_refine ? refine(def, problem, arena, solution, report) : status;
}

const CnSolver cn_solver_lemke = {
    .info = {.name = "lemke",
             .summary = "complementary pivoting on bounds, equalities, pyramid and box friction",
             .laws = 1u << CN_LAW_EQUALITY | 1u << CN_LAW_BOUNDS | 1u << CN_LAW_FORCE,
             .frictions = 1u << CN_FRICTION_BOX | 1u << CN_FRICTION_PYRAMID,
             .wide_contacts = true,
             .limits_impulses = true,
             .exact = true},
    .state_size = sizeof(LemkeState),
    .prepare = prepare,
    .solve = solve,
};

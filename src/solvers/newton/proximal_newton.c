// proximal_newton.c - Newton's method inside a proximal-point loop, for any form of the laws.
#include "solvers/newton/proximal_newton.h"

#include "solvers/solve/report_parts.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_NEWTON_STEPS 500 // in all

// Projections before the first Newton step, and before an inner problem is tried again: they find
// the open contacts cheaply, since Newton's method converges only locally.
#define FIRST_PROJECTIONS 30
#define INNER_PROJECTIONS 20

// Near the solution of a regular problem Newton's method finds the active set (sticking, sliding,
// open) within a few steps. If it does not, the proximal weight was too small.
#define MAX_INNER_STEPS 15

// The proximal weight starts at a multiple of the relative error and stays between the first
// number, where the inner problem is as well conditioned as its diagonal, and the second, where it
// is lost in the round-off of W.
#define FIRST_WEIGHT 5.0
#define LARGEST_WEIGHT 1.0
#define SMALLEST_WEIGHT 1e-13
#define WEIGHT_DECREASE 0.2
#define WEIGHT_INCREASE 4.0
#define QUICK_STEPS 5 // Newton steps of an easy inner problem
#define REST 4        // inner problems to solve after a failure before trying smaller weights again

// An inner problem need not be solved much better than the outer error it can remove.
#define INNER_SHARE 0.01

// Outer steps without halving the error before giving up: by then the weight has been raised and
// lowered through its range several times.
#define PATIENCE 60

// A step counts as descent when it ends below the largest of this many last merits.
#define MEMORY 4
#define MAX_HALVINGS 6

CnStatus cn_proximal_newton_prepare(CnProximalNewton* loop, CnProximalRules rules,
                                    const CnSolverDef* def, const CnProblem* problem,
                                    CnArena* arena) {
    *loop = (CnProximalNewton){
        .rules = rules,
        .p = CN_ARENA_NEW(arena, double, problem->row_count),
        .candidate = CN_ARENA_NEW(arena, double, problem->row_count),
        .limit = def->max_iterations > 0 ? def->max_iterations : DEFAULT_NEWTON_STEPS,
    };
    if (loop->p == NULL || loop->candidate == NULL ||
        cn_iterate_init(&loop->iterate, problem, def, arena) != CN_OK ||
        cn_assemble(problem, arena, &loop->assembled) != CN_OK ||
        cn_newton_init(&loop->newton, &loop->assembled, rules.linearise, def->work_budget, arena) !=
            CN_OK) {
        return CN_NO_MEMORY;
    }
    return cn_extragradient_init(&loop->projections, &loop->iterate, arena);
}

static size_t byte_count(const CnProximalNewton* loop) {
    return (size_t)loop->assembled.problem->row_count * sizeof(double);
}

static void project(CnProximalNewton* loop, const double* from, int steps) {
    double before = *loop->budget.work;
    cn_extragradient_start(&loop->projections, from);
    for (int i = 0; i < steps && !cn_budget_is_over(&loop->budget); ++i) {
        cn_extragradient_advance(&loop->projections, &loop->budget);
        ++loop->projected;
    }
    loop->projecting_work += *loop->budget.work - before;
    memcpy(loop->p, loop->projections.p, byte_count(loop));
}

// The proximal problem around the center: docs/theory/solvers/newton_ac.md (2).
static void pose(CnProximalNewton* loop, double alpha) {
    const CnProblem* problem = loop->assembled.problem;
    for (int a = 0; a < problem->block_count; ++a) {
        const CnBlock* block = &problem->blocks[a];
        const double* w = cn_block_rows_diagonal(&loop->assembled.w, a);
        for (int i = 0; i < block->row_count; ++i) {
            loop->newton.softness[block->first_row + i] = alpha * w[i * (block->row_count + 1)];
        }
    }
}

static double evaluate(CnProximalNewton* loop, const double* p) {
    cn_budget_spend(&loop->budget, loop->newton.work_to_evaluate);
    return cn_newton_evaluate(&loop->newton, p);
}

// Whether another Newton step fits into the budget and the limit.
static bool may_step(const CnProximalNewton* loop) {
    return loop->steps < loop->limit && !loop->newton.is_too_large &&
           !cn_budget_is_over(&loop->budget) &&
           cn_budget_allows(&loop->budget, loop->newton.work_to_step);
}

// p + t dp for the first t that lowers the merit below the largest remembered; or t = 1 without a
// search. Returns the new merit, infinite if no t did.
static double move(CnProximalNewton* loop, const double* merits) {
    int n = loop->assembled.problem->row_count;
    double allowed = 0.0, t = 1.0;
    for (int i = 0; i < MEMORY; ++i) {
        allowed = fmax(allowed, merits[i]);
    }
    for (int halvings = 0; halvings <= MAX_HALVINGS; ++halvings, t *= 0.5) {
        for (int i = 0; i < n; ++i) {
            loop->candidate[i] = loop->p[i] + t * loop->newton.dp[i];
        }
        double merit = evaluate(loop, loop->candidate);
        if (!loop->rules.searches || merit <= (1.0 - 1e-4 * t) * allowed) {
            memcpy(loop->p, loop->candidate, byte_count(loop));
            return merit;
        }
    }
    return HUGE_VAL;
}

// True when the merit of the inner problem came below the wanted one.
static bool run_newton(CnProximalNewton* loop, double wanted) {
    double merit = evaluate(loop, loop->p);
    double merits[MEMORY];
    for (int i = 0; i < MEMORY; ++i) {
        merits[i] = merit;
    }
    for (int i = 0; i < MAX_INNER_STEPS && merit > wanted; ++i) {
        if (!may_step(loop)) {
            return false;
        }
        cn_budget_spend(&loop->budget, loop->newton.work_to_step);
        if (!cn_newton_direction(&loop->newton)) {
            return false;
        }
        ++loop->steps;
        merit = move(loop, merits);
        if (!isfinite(merit)) {
            return false;
        }
        merits[i % MEMORY] = merit;
    }
    return merit <= wanted;
}

// Newton's method from the center; if that fails, once more after projections on the original
// problem.
static bool solve_inner(CnProximalNewton* loop, double wanted) {
    memcpy(loop->p, loop->newton.center, byte_count(loop));
    pose(loop, loop->alpha);
    if (run_newton(loop, wanted)) {
        return true;
    }
    project(loop, loop->newton.center, INNER_PROJECTIONS);
    return run_newton(loop, wanted);
}

static double clamp_weight(double alpha) {
    return fmax(SMALLEST_WEIGHT, fmin(LARGEST_WEIGHT, alpha));
}

// After an easy inner problem the weight is lowered; after a failure it is raised and kept for a
// while.
static void adapt_weight(CnProximalNewton* loop, bool solved, int steps) {
    loop->rest = !solved ? REST : loop->rest > 0 ? loop->rest - 1 : 0;
    bool quick = solved && loop->rest == 0 && steps <= QUICK_STEPS;
    double factor = !solved ? WEIGHT_INCREASE : quick ? WEIGHT_DECREASE : 1.0;
    loop->alpha = clamp_weight(factor * loop->alpha);
}

// The merit of the original problem, at the center.
static double outer_merit(CnProximalNewton* loop) {
    pose(loop, 0.0);
    return evaluate(loop, loop->newton.center);
}

static void advance(CnProximalNewton* loop) {
    CnIterate* iterate = &loop->iterate;
    double* center = loop->newton.center;
    int steps = loop->steps;
    double ahead = 0.1 * iterate->tolerance / iterate->best_error; // no need to go further
    double wanted = outer_merit(loop) * fmax(INNER_SHARE, fmin(ahead, 0.1));
    bool solved = solve_inner(loop, wanted);
    cn_budget_spend(&loop->budget, iterate->work_to_grade);
    cn_iterate_grade(iterate, loop->p);
    if (solved) {
        memcpy(center, loop->p, byte_count(loop));
    }
    adapt_weight(loop, solved, loop->steps - steps);
    ++loop->outer;
}

CnStatus cn_proximal_newton_solve(void* memory, const CnSolverDef* def, const CnProblem* problem,
                                  CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    (void)problem, (void)arena; // prepared with the loop
    CnProximalNewton* loop = memory;
    CnIterate* iterate = &loop->iterate;
    loop->budget = cn_budget_of(def, report);
    cn_budget_spend(&loop->budget, loop->assembled.work + 2.0 * iterate->work_to_grade);
    cn_iterate_grade(iterate, solution->impulse);
    project(loop, solution->impulse, FIRST_PROJECTIONS);
    cn_iterate_grade(iterate, loop->p);
    memcpy(loop->newton.center, iterate->best, byte_count(loop));
    cn_assembled_velocity(&loop->assembled, iterate->best, loop->newton.u);
    loop->alpha =
        clamp_weight(FIRST_WEIGHT * cn_assembled_error(&loop->assembled, CN_ERROR_RELATIVE,
                                                       iterate->best, loop->newton.u));
    while (!cn_iterate_is_solved(iterate) && may_step(loop) &&
           !cn_iterate_is_idle(iterate, loop->outer, PATIENCE)) {
        advance(loop);
    }
    cn_iterate_conclude(iterate, loop->steps, loop->limit, solution, report);
    if (report->outcome == CN_STALLED && !may_step(loop)) {
        report->outcome = CN_OUT_OF_BUDGET;
    }
    report->iterations = loop->projected + loop->steps;
    cn_report_add_part(report, cn_solver_extragradient.info.name, loop->projected,
                       loop->projecting_work);
    cn_report_add_part(report, loop->rules.solver->info.name, loop->steps,
                       report->work - loop->projecting_work);
    snprintf(report->remark, sizeof report->remark, "%d Newton steps in %d proximal problems",
             loop->steps, loop->outer);
    return CN_OK;
}

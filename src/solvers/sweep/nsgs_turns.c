// nsgs_turns.c - sweeps with joints and sweeps without take turns until one has the answer.
//
// Which of the two it is can not be told from rates of convergence that change on the way:
// docs/theory/nsgs.md, "Joints eliminated".
#include "solvers/sweep/nsgs_turns.h"

#include <math.h>

// Those with joints go first, and always this many times as long in multiplications, so that having
// tried the others in vain is little loss. These are first given time for so many sweeps, later for
// twice what they had.
#define PLAIN_SHARE 2.0
#define EXPECTED_SWEEPS 40

// What joints did not make slow is hard for sweeps as such: without joints patience is shorter.
#define ELIMINATED_PATIENCE 1000

// A burst of Newton steps that elimination makes much cheaper is left to it.
static bool replaces_burst(const CnElimination* other) {
    int rows = other->mechanisms.split.problem->row_count;
    int left = other->mechanisms.split.others.row_count;
    return rows <= CN_COURSE_NEWTON_ROWS && 2 * left <= rows &&
           other->cost.set_up + EXPECTED_SWEEPS * other->cost.sweep < cn_course_newton_cost(rows);
}

// What a first turn costs.
static double first_turn(const CnElimination* other) {
    double rows = other->mechanisms.split.others.row_count;
    double burst = replaces_burst(other) ? cn_course_burst_cost(rows) : 0.0;
    return other->cost.set_up + EXPECTED_SWEEPS * other->cost.sweep + burst;
}

static CnStatus begin_elimination(CnElimination* other, const CnCourse* plain,
                                  const CnSolverDef* def, const double* p) {
    const CnJointSplit* split = &other->mechanisms.split;
    CnCourse* course = &other->course;
    bool found;
    other->is_over = !cn_budget_allows(&plain->total, other->cost.set_up);
    if (other->is_over) {
        return CN_OK;
    }
    cn_budget_spend(&plain->total, other->cost.set_up);
    other->is_built = true;
    CnStatus status = cn_mechanisms_build(&other->mechanisms, plain->tolerance, &plain->total,
                                          plain->arena, &found);
    other->is_over = !found;
    if (status != CN_OK || !found) {
        return status;
    }
    other->p = CN_ARENA_NEW(plain->arena, double, split->others.row_count);
    status = other->p == NULL ? CN_NO_MEMORY
                              : cn_sweep_prepare_mechanisms(&course->sweep, &other->mechanisms,
                                                            def->over_relaxation, plain->arena);
    if (status == CN_OK) {
        status = cn_course_begin(course, &plain->sweep, def, plain->arena);
    }
    for (int i = 0; status == CN_OK && i < split->others.row_count; ++i) {
        other->p[i] = p[split->row[i]];
    }
    course->velocity = plain->velocity;
    course->total = plain->total;
    course->work_of_sweep = other->cost.sweep;
    course->patience = ELIMINATED_PATIENCE;
    course->sweep_cost = other->cost.sweep;
    course->spent = other->cost.set_up;
    return status;
}

// A turn of the course without joints. Its answer becomes the best of the plain course if it is.
static CnStatus run_eliminated(CnCourse* plain, CnElimination* other, const CnSolverDef* def,
                               double budget, int limit, const double* p, CnSolverReport* report) {
    CnCourse* course = &other->course;
    CnStatus status = CN_OK;
    if (!other->is_built) {
        status = begin_elimination(other, plain, def, p);
    }
    if (status != CN_OK || other->is_over) {
        return status;
    }
    course->budget = budget;
    status = cn_course_run(course, limit, other->p, report);
    other->is_over = report->outcome != CN_OUT_OF_ITERATIONS;
    if (status == CN_OK && course->best_residual < plain->best_residual &&
        cn_course_expand(course, course->best)) {
        cn_course_grade(plain, course->impulse, report->iterations);
    }
    return status;
}

static CnStatus alternate(CnCourse* plain, CnElimination* other, const CnSolverDef* def, int limit,
                          double* p, CnSolverReport* report) {
    CnStatus status = CN_OK;
    bool plain_is_over = false;
    other->is_over = !isfinite(other->cost.set_up) || plain->measure != CN_ERROR_VELOCITY;
    bool skips_plain = !other->is_over && replaces_burst(other);
    double turn = first_turn(other);
    while (status == CN_OK && report->iterations < limit && report->outcome != CN_CONVERGED &&
           !cn_budget_is_over(&plain->total) && !(plain_is_over && other->is_over)) {
        plain->budget = other->is_over ? HUGE_VAL : PLAIN_SHARE * turn;
        if (!skips_plain) {
            status = cn_course_run(plain, limit, p, report);
            plain_is_over = report->outcome == CN_STALLED;
        }
        bool goes_on = status == CN_OK && report->outcome != CN_CONVERGED &&
                       report->outcome != CN_OUT_OF_BUDGET;
        other->is_over = other->is_over || (plain_is_over && PLAIN_SHARE * turn > plain->spent);
        if (goes_on && report->iterations < limit && !other->is_over) {
            status = run_eliminated(plain, other, def, fmax(turn, plain->spent / PLAIN_SHARE),
                                    limit, p, report);
        }
        other->is_over = other->is_over || plain_is_over;
        skips_plain = plain_is_over;
        turn *= 2.0;
    }
    return status;
}

CnStatus cn_turns_run(CnCourse* plain, CnElimination* other, const CnSolverDef* def, int limit,
                      double* p, CnSolverReport* report) {
    CnStatus status =
        cn_mechanisms_plan(&other->mechanisms, plain->sweep.problem, plain->arena, &other->cost);
    plain->sweep_cost = other->cost.plain_sweep;
    plain->spent = report->iterations * plain->sweep_cost;
    return status == CN_OK ? alternate(plain, other, def, limit, p, report) : status;
}

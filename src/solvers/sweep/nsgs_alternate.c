// nsgs_alternate.c - alternates sweeps on all rows with sweeps whose joints are eliminated.
//
// Which of the two converges first cannot be predicted, since rates of convergence change on the
// way: docs/theory/solvers/nsgs.md, "Joints eliminated".
#include "solvers/sweep/nsgs_alternate.h"

#include <math.h>

// Sweeps on all rows go first and always get this many times the multiplications, so that a useless
// elimination costs little. Sweeps without joints first get enough for so many sweeps; each later
// phase is twice as long.
#define PLAIN_SHARE 2.0
#define EXPECTED_SWEEPS 40

// If joints are not the reason for slow convergence, elimination will not help: give up sooner.
#define ELIMINATED_PATIENCE 1000

// Whether elimination makes Newton steps so much cheaper that the plain run should skip them.
static bool replaces_burst(const CnElimination* other) {
    int rows = other->mechanisms.split.problem->row_count;
    int left = other->mechanisms.split.others.row_count;
    return rows <= CN_NSGS_NEWTON_ROWS && 2 * left <= rows &&
           other->cost.set_up + EXPECTED_SWEEPS * other->cost.sweep < cn_nsgs_newton_cost(rows);
}

// The cost of the first phase without joints.
static double first_turn(const CnElimination* other) {
    double rows = other->mechanisms.split.others.row_count;
    double burst = replaces_burst(other) ? cn_nsgs_burst_cost(rows) : 0.0;
    return other->cost.set_up + EXPECTED_SWEEPS * other->cost.sweep + burst;
}

static CnStatus begin_elimination(CnElimination* other, const CnNsgsRun* plain,
                                  const CnSolverDef* def, const double* p) {
    const CnJointSplit* split = &other->mechanisms.split;
    CnNsgsRun* run = &other->run;
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
                              : cn_sweep_prepare_mechanisms(&run->sweep, &other->mechanisms,
                                                            def->over_relaxation, plain->arena);
    if (status == CN_OK) {
        status = cn_nsgs_run_begin(run, &plain->sweep, def, plain->arena);
    }
    for (int i = 0; status == CN_OK && i < split->others.row_count; ++i) {
        other->p[i] = p[split->row[i]];
    }
    run->velocity = plain->velocity;
    run->total = plain->total;
    run->work_of_sweep = other->cost.sweep;
    run->patience = ELIMINATED_PATIENCE;
    run->sweep_cost = other->cost.sweep;
    run->spent = other->cost.set_up;
    return status;
}

// One phase of the run without joints. If its solution is better it becomes the best of the plain
// run.
static CnStatus run_eliminated(CnNsgsRun* plain, CnElimination* other, const CnSolverDef* def,
                               double budget, int limit, const double* p, CnSolverReport* report) {
    CnNsgsRun* run = &other->run;
    CnStatus status = CN_OK;
    if (!other->is_built) {
        status = begin_elimination(other, plain, def, p);
    }
    if (status != CN_OK || other->is_over) {
        return status;
    }
    run->budget = budget;
    status = cn_nsgs_run_advance(run, limit, other->p, report);
    other->is_over = report->outcome != CN_OUT_OF_ITERATIONS;
    if (status == CN_OK && run->best_residual < plain->best_residual &&
        cn_nsgs_run_expand(run, run->best)) {
        cn_nsgs_run_grade(plain, run->impulse, report->iterations);
    }
    return status;
}

static CnStatus alternate(CnNsgsRun* plain, CnElimination* other, const CnSolverDef* def, int limit,
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
            status = cn_nsgs_run_advance(plain, limit, p, report);
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

CnStatus cn_nsgs_alternate(CnNsgsRun* plain, CnElimination* other, const CnSolverDef* def,
                           int limit, double* p, CnSolverReport* report) {
    CnStatus status =
        cn_mechanisms_plan(&other->mechanisms, plain->sweep.problem, plain->arena, &other->cost);
    plain->sweep_cost = other->cost.plain_sweep;
    plain->spent = report->iterations * plain->sweep_cost;
    return status == CN_OK ? alternate(plain, other, def, limit, p, report) : status;
}

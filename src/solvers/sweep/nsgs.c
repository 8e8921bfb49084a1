// nsgs.c - nonsmooth Gauss-Seidel: sweeps that solve each block exactly, accelerated and graded.
//
// A run of sweeps on all rows. Where joints may make it slow, it alternates with a run on the rows
// that remain when joints are eliminated: which of the two converges first cannot be predicted,
// since rates of convergence change on the way. docs/theory/solvers/nsgs.md.
#include "solvers/matrix/mechanisms.h"
#include "solvers/solve/solver.h"
#include "solvers/sweep/nsgs_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_ITERATIONS 10000 // sweeps and Newton steps

// Problems solved within so many sweeps never consider eliminating joints.
#define SWEEPS_BEFORE_ELIMINATION 30

// Sweeps on all rows go first and always get this many times the multiplications, so that a useless
// elimination costs little. Sweeps without joints first get enough for so many sweeps; each later
// phase is twice as long.
#define PLAIN_SHARE 2.0
#define EXPECTED_SWEEPS 40

// If joints are not the reason for slow convergence, elimination will not help: give up sooner.
#define ELIMINATED_PATIENCE 1000

// The run on the rows that remain when joints are eliminated.
typedef struct Elimination {
    CnMechanisms mechanisms;
    CnMechanismCost cost;
    CnNsgsRun run;
    double* p;     // [row_count of the others]
    bool is_built; // in its first phase
    bool is_over;  // not possible, or stopped without converging
} Elimination;

// Whether elimination makes Newton steps so much cheaper that the plain run should skip them.
static bool replaces_burst(const Elimination* other) {
    int rows = other->mechanisms.split.problem->row_count;
    int left = other->mechanisms.split.others.row_count;
    return rows <= CN_NSGS_NEWTON_ROWS && 2 * left <= rows &&
           other->cost.set_up + EXPECTED_SWEEPS * other->cost.sweep < cn_nsgs_newton_cost(rows);
}

// The cost of the first phase without joints.
static double first_turn(const Elimination* other) {
    double rows = other->mechanisms.split.others.row_count;
    double burst = replaces_burst(other) ? cn_nsgs_burst_cost(rows) : 0.0;
    return other->cost.set_up + EXPECTED_SWEEPS * other->cost.sweep + burst;
}

static CnStatus begin_elimination(Elimination* other, const CnNsgsRun* plain,
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
static CnStatus run_eliminated(CnNsgsRun* plain, Elimination* other, const CnSolverDef* def,
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

static CnStatus take_turns(CnNsgsRun* plain, Elimination* other, const CnSolverDef* def, int limit,
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

// Alternates both runs until one of them converges or both have stalled. The plain run has done
// report->iterations already; its best solution is the best of both.
static CnStatus alternate(CnNsgsRun* plain, Elimination* other, const CnSolverDef* def, int limit,
                          double* p, CnSolverReport* report) {
    CnStatus status =
        cn_mechanisms_plan(&other->mechanisms, plain->sweep.problem, plain->arena, &other->cost);
    plain->sweep_cost = other->cost.plain_sweep;
    plain->spent = report->iterations * plain->sweep_cost;
    return status == CN_OK ? take_turns(plain, other, def, limit, p, report) : status;
}

static CnStatus prepare(void* memory, const CnSolverDef* def, const CnProblem* problem,
                        CnArena* arena, CnError* error) {
    (void)error;
    CnNsgsRun* run = memory;
    CnStatus status = cn_sweep_prepare(&run->sweep, problem, def->over_relaxation, arena);
    return status == CN_OK ? cn_nsgs_run_begin(run, &run->sweep, def, arena) : status;
}

static void write_remark(const CnNsgsRun* run, const Elimination* other, CnSolverReport* report) {
    const CnBlockSweep* sweep = &run->sweep;
    int newton_steps = run->newton_steps + (other != NULL ? other->run.newton_steps : 0);
    char* text = report->remark;
    size_t size = sizeof report->remark;
    int used = (int)strlen(text); // why it stopped
    used +=
        snprintf(text + used, size - (size_t)used, "%d sweeps%s", report->iterations - newton_steps,
                 run->is_accelerating ? ", accelerated" : "");
    if (newton_steps > 0) {
        used += snprintf(text + used, size - (size_t)used, ", %d Newton steps", newton_steps);
    }
    if (other != NULL && other->is_built) {
        used += snprintf(text + used, size - (size_t)used, ", joints eliminated");
    }
    if (sweep->order != NULL && sweep->order->freeze_after > 0) {
        used += snprintf(text + used, size - (size_t)used, ", %lld visits skipped",
                         (long long)sweep->order->spared);
    }
    if (sweep->enumerated + sweep->projected + sweep->failed > 0) {
        snprintf(text + used, size - (size_t)used,
                 "; contacts solved by enumeration %d, by projection %d, not solved %d",
                 sweep->enumerated, sweep->projected, sweep->failed);
    }
}

static CnStatus solve(void* memory, const CnSolverDef* def, const CnProblem* problem,
                      CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    CnNsgsRun* run = memory;
    double* p = solution->impulse;
    int limit = def->max_iterations > 0 ? def->max_iterations : DEFAULT_ITERATIONS;
    int first = limit < SWEEPS_BEFORE_ELIMINATION ? limit : SWEEPS_BEFORE_ELIMINATION;
    Elimination* other = NULL;
    run->velocity = solution->velocity;
    run->total = cn_budget_of(def, report);
    cn_budget_spend(&run->total, run->work_of_grade); // preparing the sweep costs as much
    CnStatus status = cn_nsgs_run_advance(run, first, p, report);
    if (status == CN_OK && report->outcome == CN_OUT_OF_ITERATIONS && report->iterations < limit) {
        other = CN_ARENA_NEW(arena, Elimination, 1);
        status = other == NULL ? CN_NO_MEMORY : alternate(run, other, def, limit, p, report);
    }
    if (run->best_residual < HUGE_VAL) {
        memcpy(p, run->best, (size_t)problem->row_count * sizeof(double));
    }
    write_remark(run, other, report);
    return status;
}

const CnSolver cn_solver_nsgs = {
    .info =
        {
            .name = "nsgs",
            .summary = "block Gauss-Seidel with an exact solver for each contact, accelerated",
            .laws = CN_ALL_LAWS,
            .wide_contacts = true,
            .exact = true,
        },
    .state_size = sizeof(CnNsgsRun),
    .prepare = prepare,
    .solve = solve,
};

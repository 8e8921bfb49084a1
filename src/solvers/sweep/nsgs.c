// nsgs.c - nonsmooth Gauss-Seidel: sweeps that solve each block exactly, accelerated and graded.
//
// A run of sweeps on all rows. Where joints may make it slow, it alternates with a run on the rows
// that remain when joints are eliminated. docs/theory/solvers/nsgs.md.
#include "solvers/solve/solver.h"
#include "solvers/sweep/nsgs_alternate.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_ITERATIONS 10000 // sweeps and Newton steps

// Problems solved within so many sweeps never consider eliminating joints.
#define SWEEPS_BEFORE_ELIMINATION 30

static CnStatus prepare(void* memory, const CnSolverDef* def, const CnProblem* problem,
                        CnArena* arena, CnError* error) {
    (void)error;
    CnNsgsRun* run = memory;
    CnStatus status = cn_sweep_prepare(&run->sweep, problem, def->over_relaxation, arena);
    return status == CN_OK ? cn_nsgs_run_begin(run, &run->sweep, def, arena) : status;
}

static void write_remark(const CnNsgsRun* run, const CnElimination* other, CnSolverReport* report) {
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
    CnElimination* other = NULL;
    run->velocity = solution->velocity;
    run->total = cn_budget_of(def, report);
    cn_budget_spend(&run->total, run->work_of_grade); // preparing the sweep costs as much
    CnStatus status = cn_nsgs_run_advance(run, first, p, report);
    if (status == CN_OK && report->outcome == CN_OUT_OF_ITERATIONS && report->iterations < limit) {
        other = CN_ARENA_NEW(arena, CnElimination, 1);
        status =
            other == NULL ? CN_NO_MEMORY : cn_nsgs_alternate(run, other, def, limit, p, report);
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

// few_contacts.c - a problem of a few contacts, solved by sweeps without asking `auto`.
#include "solvers/solve/few_contacts.h"

#include "solvers/solve/budget.h"
#include "solvers/solve/report_parts.h"
#include "solvers/sweep/nsgs_run.h"

#include <stdio.h>
#include <string.h>

// Up to so many rows; at most so many sweeps, after which nsgs would look for joints.
#define FEW_ROWS 60
#define FEW_SWEEPS 30

// `auto` gives its first attempt half of the budget.
#define ATTEMPT_SHARE 0.5

bool cn_few_contacts_suit(const CnProblem* problem, const CnSolverDef* def) {
    bool is_rough = false;
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        if (block->law != CN_LAW_COULOMB || block->row_count > 3) {
            return false;
        }
        is_rough = is_rough || block->friction > 0.0;
    }
    return is_rough && problem->row_count <= FEW_ROWS && problem->response == NULL &&
           problem->masses == NULL && cn_solver_find(def->name) == &cn_solver_auto &&
           def->max_iterations == 0 && def->deadline == 0.0 && cn_guess_may_be_kept(def);
}

static bool found_by_plain_routes(const CnBlockSweep* sweep) {
    return sweep->enumerated + sweep->projected + sweep->failed == 0;
}

static void write_remark(int contacts, const char* how, CnSolverReport* report) {
    snprintf(report->remark, sizeof report->remark, "%s: %d frictional contact%s; %d sweeps%s",
             report->solver, contacts, contacts == 1 ? "" : "s", report->iterations, how);
}

CnStatus cn_few_contacts_solve(const CnProblem* problem, const CnSolverDef* def,
                               CnWorkspace* workspace, CnSolution* solution, CnSolverReport* report,
                               bool* is_solved) {
    CnArena* arena = &workspace->arena;
    CnArenaMark mark = cn_arena_mark(arena);
    CnNsgsRun run = {0};
    CnSolverDef own = *def;
    size_t bytes = (size_t)problem->row_count * sizeof(double);
    double grade = cn_cost_of_certificate(problem); // of the guess, and of the answer
    double* impulse = CN_ARENA_RAW(arena, double, problem->row_count);
    *is_solved = false;
    own.work_budget = ATTEMPT_SHARE * (cn_budget_resolve(problem, def->work_budget) - grade);
    *report = (CnSolverReport){.solver = cn_solver_nsgs.info.name, .redundant_block = -1};
    CnStatus status = impulse == NULL ? CN_NO_MEMORY : CN_OK;
    if (status == CN_OK) {
        memcpy(impulse, solution->impulse, bytes);
        status = cn_sweep_prepare(&run.sweep, problem, own.over_relaxation, arena);
    }
    if (status == CN_OK) {
        status = cn_nsgs_run_begin(&run, &run.sweep, &own, arena);
    }
    if (status == CN_OK) {
        run.velocity = solution->velocity;
        run.total = cn_budget_of(&own, report);
        cn_budget_spend(&run.total, run.work_of_grade); // preparing the sweep costs as much
        status = cn_nsgs_run_advance(&run, FEW_SWEEPS, impulse, report);
    }
    if (status == CN_OK && report->outcome == CN_CONVERGED && found_by_plain_routes(&run.sweep)) {
        *is_solved = true;
        memcpy(solution->impulse, run.best, bytes);
        report->error = run.best_residual;
        cn_report_own_part(report, report->solver);
        report->work += 2.0 * grade;
        if (run.is_accelerating) {
            write_remark(problem->block_count, ", accelerated", report);
        }
    }
    cn_arena_release(arena, mark);
    return status;
}

void cn_few_contacts_remark(int contacts, CnSolverReport* report) {
    if (report->remark[0] == '\0') {
        write_remark(contacts, "", report);
    }
}

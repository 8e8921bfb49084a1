// solve.c - solving a problem island by island, on all workers.
#include "world/step/solve.h"

#include "base/error.h"
#include "base/tasks.h"
#include "base/timer.h"
#include "constraints/problem/islands.h"
#include "solvers/solve/budget.h"
#include "solvers/solve/solver.h"
#include "solvers/tree/machine.h"
#include "world/islands/nets.h"

#include <math.h>
#include <string.h>

typedef struct SolveJob {
    CnWorld* world;
    const CnProblem* problem;
    const CnSolverDef* def;
    double share; // of the budget of each island
    const CnIslands* islands;
    double* impulse;
    double (*velocity)[6];
    CnIslandResult* results; // [islands->count]
} SolveJob;

// Movable bodies belong to one island only; the others keep their velocity and are not written.
static void scatter(const SolveJob* job, const CnIslandProblem* part, const CnSolution* solution) {
    for (int i = 0; i < part->problem.row_count; ++i) {
        job->impulse[part->row[i]] = solution->impulse[i];
    }
    for (int i = 0; i < part->problem.body_count; ++i) {
        if (part->problem.inverse_mass[i] > 0.0) {
            memcpy(job->velocity[part->body[i]], solution->velocity[i], 6 * sizeof(double));
        }
    }
}

// Blocks in reports are numbered as in the whole problem.
static void number_report(const int* blocks, int count, CnSolverReport* report) {
    int* const numbers[] = {&report->certificate.worst_block, &report->redundant_block,
                            &report->infeasible_block};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        *numbers[i] = *numbers[i] >= 0 && *numbers[i] < count ? blocks[*numbers[i]] : -1;
    }
}

// Nets of joints by the factor that is kept of them, other joints along their trees, without a
// guess to grade; all else as the def says.
static CnStatus solve_part(const SolveJob* job, const CnIslandProblem* part, const CnSolverDef* def,
                           CnWorkspace* workspace, CnSolution* solution, CnSolverReport* report,
                           CnError* error) {
    const CnProblem* problem = &part->problem;
    const CnPast nothing = {0};
    bool found = false;
    CnStatus status = cn_nets_solve(job->world, problem, part->body, def, &nothing,
                                    job->world->correction.damps_nets, &workspace->arena, solution,
                                    report, &found);
    if (status == CN_OK && !found) {
        status = cn_machine_try(problem, def, &workspace->arena, solution, report, &found);
    }
    return status != CN_OK || found
               ? status
               : cn_solve_on(problem, def, &nothing, workspace, solution, report, error);
}

static CnStatus solve_island(const SolveJob* job, int island, CnWorkspace* workspace,
                             CnIslandResult* result, CnError* error) {
    CnArena* arena = &workspace->arena;
    CnArenaMark mark = cn_arena_mark(arena);
    CnIslandProblem part;
    CnStatus status = cn_island_extract(job->problem, job->islands, island, arena, &part);
    if (status == CN_OK) {
        CnSolution solution = {
            .impulse = CN_ARENA_NEW(arena, double, part.problem.row_count),
            .velocity = cn_arena_allocate(arena, (size_t)part.problem.body_count,
                                          sizeof *solution.velocity),
        };
        if (solution.impulse == NULL || solution.velocity == NULL) {
            status = CN_NO_MEMORY;
        } else {
            for (int i = 0; i < part.problem.row_count; ++i) {
                solution.impulse[i] = job->impulse[part.row[i]];
            }
            CnSolverDef def = *job->def;
            result->budget = cn_budget_of_step(&part.problem, &def);
            def.work_budget = job->share * result->budget;
            status = solve_part(job, &part, &def, workspace, &solution, result->report, error);
        }
        if (status == CN_OK) {
            scatter(job, &part, &solution);
            number_report(job->islands->block + job->islands->block_start[island],
                          part.problem.block_count, result->report);
            cn_island_result_take(result);
        }
    }
    cn_arena_release(arena, mark);
    return status;
}

static void solve_range(int begin, int end, int worker, void* data) {
    SolveJob* job = data;
    for (int i = begin; i < end; ++i) {
        job->results[i].status =
            solve_island(job, i, job->world->workspaces[worker], &job->results[i], NULL);
    }
}

void cn_island_result_take(CnIslandResult* result) {
    const CnSolverReport* report = result->report;
    result->outcome = report->outcome;
    result->iterations = report->iterations;
    result->work = report->work;
    result->worst = report->certificate.worst;
}

// What missed its law before what met it, then by the residual.
static bool is_worse(const CnIslandResult* a, const CnIslandResult* b) {
    bool missed = a->outcome != CN_CONVERGED, other_missed = b->outcome != CN_CONVERGED;
    return missed != other_missed ? missed : a->worst > b->worst;
}

void cn_islands_summarise(const CnIslandResult* results, int count, CnIslandSummary* summary) {
    summary->island_count = count;
    summary->report.certificate.worst_block = -1;
    summary->report.redundant_block = -1;
    summary->worst = -1;
    int worst = -1, contradictory = -1;
    const char* approximation = NULL;
    for (int i = 0; i < count; ++i) {
        const CnIslandResult* result = &results[i];
        const CnSolverReport* report = result->report;
        summary->work += result->work;
        summary->out_of_budget += result->outcome == CN_OUT_OF_BUDGET;
        summary->spent = fmax(summary->spent, result->work / result->budget);
        summary->not_converged += result->outcome != CN_CONVERGED;
        summary->kept += result->outcome == CN_CONVERGED && result->iterations == 0;
        if (report != NULL && report->approximation != NULL) {
            approximation = report->approximation;
        }
        if (worst < 0 || is_worse(result, &results[worst])) {
            worst = i;
        }
        if (contradictory < 0 && report != NULL && report->infeasible_blocks > 0) {
            contradictory = i;
        }
    }
    if (worst < 0) {
        return;
    }
    summary->worst = worst;
    if (results[worst].report != NULL) {
        summary->report = *results[worst].report;
    }
    summary->report.approximation = approximation;
    if (contradictory >= 0) { // a proof is told whether or not its island is the worst
        const CnSolverReport* proof = results[contradictory].report;
        summary->report.infeasible_blocks = proof->infeasible_blocks;
        summary->report.infeasibility = proof->infeasibility;
        summary->report.infeasible_block = proof->infeasible_block;
    }
}

static CnStatus solve_islands(SolveJob* job, CnIslandSummary* summary, CnError* error) {
    CnWorld* world = job->world;
    job->results = CN_ARENA_NEW(&world->arena, CnIslandResult, job->islands->count);
    CnSolverReport* reports = CN_ARENA_NEW(&world->arena, CnSolverReport, job->islands->count);
    if (job->results == NULL || reports == NULL || !cn_nets_reserve(world)) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory to solve %d islands",
                            job->islands->count);
    }
    for (int i = 0; i < job->islands->count; ++i) {
        job->results[i].report = &reports[i];
    }
    cn_tasks_for(&world->def.tasks, job->islands->count, 1, solve_range, job);
    for (int i = 0; i < job->islands->count; ++i) {
        CnIslandResult* result = &job->results[i];
        if (result->status != CN_OK) { // once more, for its sentence; memory may be back by now
            result->status = solve_island(job, i, world->workspaces[0], result, error);
        }
        if (result->status == CN_NO_MEMORY) {
            return cn_error_set(error, CN_NO_MEMORY, "no memory to solve an island");
        }
        if (result->status != CN_OK) {
            return result->status;
        }
    }
    cn_islands_summarise(job->results, job->islands->count, summary);
    return CN_OK;
}

CnStatus cn_world_solve(CnWorld* world, const CnProblem* problem, const CnSolverDef* def,
                        double share, double* impulse, double (*velocity)[6],
                        CnIslandSummary* summary, CnError* error) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    CnIslands islands;
    double start = cn_timer_now();
    CnStatus status = cn_islands_find(problem, &world->arena, &islands);

    *summary = (CnIslandSummary){.cut_seconds = cn_timer_now() - start};
    if (status != CN_OK) {
        cn_error_set(error, status, "no memory to cut a problem into islands");
    } else {
        if (problem->body_count > 0) {
            memcpy(velocity, problem->free_velocity,
                   (size_t)problem->body_count * sizeof *velocity);
        }
        SolveJob job = {.world = world,
                        .problem = problem,
                        .def = def,
                        .share = share,
                        .islands = &islands,
                        .impulse = impulse,
                        .velocity = velocity};
        status = solve_islands(&job, summary, error);
    }
    cn_arena_release(&world->arena, mark);
    return status;
}

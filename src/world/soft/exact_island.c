// exact_island.c - scheme soft_step: islands with an exact body, solved in double precision.
#include "world/soft/exact_island.h"

#include "base/error.h"
#include "solvers/solve/budget.h"
#include "solvers/solve/solver.h"
#include "world/soft/exact_rows.h"

#include <math.h>
#include <string.h>

// Positions are put right where they are off by more than this [m, rad].
#define POSITION_TOLERANCE 1e-9

bool cn_island_is_exact(const CnWorld* world, int island) {
    const CnIslandStore* islands = &world->islands;
    bool is_exact = false;
    for (int k = islands->body_start.data[island];
         world->exact_count > 0 && !is_exact && k < islands->body_start.data[island + 1]; ++k) {
        const CnBody* body = &world->bodies.data[islands->body.data[k]];
        is_exact = body->exact && body->type == CN_BODY_DYNAMIC;
    }
    return is_exact;
}

static int manifolds_of(const CnWorld* world, const CnSoftGroup* group) {
    const CnIslandStore* islands = &world->islands;
    return group->island < 0 ? 0
                             : islands->manifold_start.data[group->island + 1] -
                                   islands->manifold_start.data[group->island];
}

// Not from the arena: where steps are cut, they are solved and graded in two runs of stages.
CnStatus cn_exact_reserve(CnWorld* world) {
    CnSoftStore* store = world->soft;
    int groups = store->groups.count, gaps = 0;
    store->exact.count = store->exact_gaps.count = 0;
    if (world->exact_count == 0) {
        return CN_OK;
    }
    for (int i = 0; i < groups; ++i) {
        const CnSoftGroup* group = &store->groups.data[i];
        gaps += group->is_exact ? manifolds_of(world, group) : 0;
    }
    if (!cn_array_reserve(&store->exact, &world->allocator, groups) ||
        !cn_array_reserve(&store->exact_gaps, &world->allocator, gaps + 1)) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < groups; ++i) {
        const CnSoftGroup* group = &store->groups.data[i];
        store->exact.data[i] =
            (CnExactResult){.gap = store->exact_gaps.data + store->exact_gaps.count};
        store->exact_gaps.count += group->is_exact ? manifolds_of(world, group) : 0;
    }
    store->exact.count = groups;
    return CN_OK;
}

// ---- solving ----

static CnStatus answer(CnWorld* world, const CnExactRows* rows, double tolerance, int worker,
                       CnSolution* solution, CnSolverReport* report) {
    CnSolverDef def = world->def.solver;
    CnWorkspace* workspace = world->workspaces[worker];
    def.warm_start = def.warm_start && world->def.step.warm_start != CN_WARM_START_OFF;
    def.tolerance = tolerance;
    def.work_budget = cn_budget_of_step(&rows->problem, &def);
    return cn_solve(&rows->problem, &def, workspace, solution, report, NULL);
}

static bool reserve_solution(const CnExactRows* rows, CnArena* arena, CnSolution* solution) {
    *solution = (CnSolution){
        .impulse = CN_ARENA_NEW(arena, double, rows->problem.row_count),
        .velocity = cn_arena_allocate(arena, (size_t)rows->problem.body_count, sizeof(double[6])),
    };
    return solution->impulse != NULL && solution->velocity != NULL;
}

static void displace(CnBodyState* state, const double v[6], double dt) {
    CnVec3 turn = cn_vec3_scale(dt, cn_vec3(v[3], v[4], v[5]));
    state->center = cn_vec3_add_scaled(state->center, dt, cn_vec3(v[0], v[1], v[2]));
    state->rotation = cn_quat_normalize(cn_quat_multiply(cn_quat_exp(turn), state->rotation));
}

// Poses and velocities at the end of the step; those that are given move as they do. (E3)
static void move(const CnExactRows* rows, const double (*velocity)[6], double dt) {
    for (int i = 0; i < rows->problem.body_count; ++i) {
        const double* v = rows->inverse_mass[i] > 0.0 ? velocity[i] : rows->free_velocity[i];
        displace(&rows->state[i], v, dt);
        rows->state[i].velocity = cn_vec3(v[0], v[1], v[2]);
        rows->state[i].angular_velocity = cn_vec3(v[3], v[4], v[5]);
    }
}

// One displacement that closes what is open and opens what overlaps, of least kinetic energy. (E4)
static CnStatus put_right(CnWorld* world, CnExactRows* rows, CnArena* arena, int worker,
                          double* work) {
    CnSolution solution;
    CnSolverReport report;
    if (cn_exact_measure(world, rows) <= POSITION_TOLERANCE) {
        return CN_OK;
    }
    if (!reserve_solution(rows, arena, &solution)) {
        return CN_NO_MEMORY;
    }
    cn_exact_pose_positions(world, rows);
    CnStatus status = answer(world, rows, 0.1 * POSITION_TOLERANCE, worker, &solution, &report);
    if (status == CN_OK) {
        *work += report.work;
        for (int i = 0; i < rows->problem.body_count; ++i) {
            if (rows->inverse_mass[i] > 0.0) {
                displace(&rows->state[i], solution.velocity[i], 1.0);
            }
        }
        cn_exact_measure(world, rows);
    }
    return status;
}

static CnStatus solve(CnWorld* world, CnSoftGroup* group, CnArena* arena, int worker,
                      CnExactResult* result) {
    CnExactRows rows;
    CnSolution solution;
    CnStatus status = cn_exact_pose(world, group, arena, &rows);
    if (status != CN_OK || !reserve_solution(&rows, arena, &solution)) {
        return CN_NO_MEMORY;
    }
    double dt = world->step.dt;
    result->block_count = rows.problem.block_count;
    if (rows.problem.row_count == 0) {
        move(&rows, rows.problem.free_velocity, dt);
        cn_exact_store_states(world, &rows);
        return CN_OK;
    }
    memcpy(solution.impulse, rows.guess, (size_t)rows.problem.row_count * sizeof(double));
    status = answer(world, &rows, world->def.solver.tolerance, worker, &solution, &result->report);
    if (status == CN_OK) {
        move(&rows, (const double(*)[6])solution.velocity, dt);
        status = put_right(world, &rows, arena, worker, &result->report.work);
    }
    if (status == CN_OK) {
        cn_exact_store_states(world, &rows);
        cn_exact_store_impulses(world, group, &rows, solution.impulse);
        result->penetration = cn_exact_gaps(&rows, result->gap);
    }
    return status;
}

void cn_exact_solve(CnWorld* world, CnSoftGroup* group, int worker) {
    CnArena* arena = &world->workspaces[worker]->arena;
    CnArenaMark mark = cn_arena_mark(arena);
    CnExactResult* result = &world->soft->exact.data[group - world->soft->groups.data];
    group->joint_error = group->joint_angle_error = 0.0;
    result->status = solve(world, group, arena, worker, result);
    cn_arena_release(arena, mark);
}

// ---- reports ----

// The record of a manifold of an island.
static CnPairRecord* record_at(const CnWorld* world, int island, int k) {
    const CnIslandStore* islands = &world->islands;
    int place = islands->manifold.data[islands->manifold_start.data[island] + k];
    int manifold = world->step.manifolds.data[place];
    return &world->pairs.records.data[cn_manifold_at(&world->pairs, manifold)->pair];
}

// The least gap of the manifolds of each pair.
static void note_gaps(CnWorld* world, const CnSoftGroup* group, const CnExactResult* result) {
    int count = manifolds_of(world, group);
    for (int k = 0; k < count; ++k) {
        record_at(world, group->island, k)->end_gap = HUGE_VAL;
    }
    for (int k = 0; k < count; ++k) {
        CnPairRecord* record = record_at(world, group->island, k);
        record->end_gap = fmin(record->end_gap, result->gap[k]);
    }
}

static double squares(int count, double rms) {
    return count * rms * rms;
}

// Blocks of an exact island have no names after the step.
static void add_certificate(const CnExactResult* result, CnStepReport* report) {
    const CnCertificate* own = &result->report.certificate;
    CnCertificate* all = &report->certificate;
    double sum = squares(report->block_count, all->rms) + squares(result->block_count, own->rms);
    report->block_count += result->block_count;
    all->rms = sqrt(sum / fmax(report->block_count, 1.0));
    if (own->worst > all->worst) {
        all->worst = own->worst;
        all->worst_block = -1;
    }
}

void cn_exact_report(CnWorld* world, CnStepReport* report) {
    CnSoftStore* store = world->soft;
    const CnSolverReport* worst = NULL;
    for (int i = 0; i < store->exact.count; ++i) {
        const CnSoftGroup* group = &store->groups.data[i];
        const CnExactResult* result = &store->exact.data[i];
        if (!group->is_exact || result->report.solver == NULL) {
            continue;
        }
        ++report->exact_islands;
        report->work += result->report.work;
        report->not_converged += result->report.outcome != CN_CONVERGED;
        report->out_of_budget += result->report.outcome == CN_OUT_OF_BUDGET;
        report->penetration = fmax(report->penetration, result->penetration);
        add_certificate(result, report);
        note_gaps(world, group, result);
        if (worst == NULL || result->report.certificate.worst > worst->certificate.worst) {
            worst = &result->report;
        }
    }
    if (worst != NULL) {
        report->solver = *worst;
        report->solver.certificate.worst_block = report->solver.redundant_block = -1;
        report->solver.infeasible_block = -1; // blocks have no names after the step
    }
}

CnStatus cn_exact_check(const CnWorld* world, CnError* error) {
    const CnSoftStore* store = world->soft;
    CnStatus status = CN_OK;
    for (int i = 0; i < store->exact.count; ++i) {
        status = store->exact.data[i].status != CN_OK ? store->exact.data[i].status : status;
    }
    if (status == CN_UNSUPPORTED) {
        return cn_error_set(error, status,
                            "solver %s does not support the contacts or joints of an exact body; "
                            "auto does",
                            world->def.solver.name);
    }
    return status == CN_OK ? CN_OK
                           : cn_error_set(error, status, "no memory to solve an exact island");
}

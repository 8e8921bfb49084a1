// machine_sweep.c - many rows that act on machines from outside: sweeps along paths, and clusters.
//
// Blocks are visited in turn, each with its momentum; where sweeps stall, all that acts on the two
// trees of the worst block is solved exactly. docs/theory/mechanisms.md (23)-(25).
#include "solvers/interior/interior_run.h"
#include "solvers/solve/budget.h"
#include "solvers/solve/solver.h"
#include "solvers/tree/machine_paths.h"

#include <math.h>
#include <string.h>

// Sweeps between grades (a round): few at first, while contacts still become active, then more.
#define FIRST_ROUND 5.0
#define LONGEST_ROUND 20.0
#define ROUND_GROWTH 1.25

// The largest extrapolation, as a share of the last change of an impulse.
#define MOST_MOMENTUM 0.97

// Sweeps have stalled when neither the worst residual nor the rms has halved within so many rounds.
// A cluster is solved then, and sweeps end if that has happened so often since one of both halved.
#define STALLED_ROUNDS 3
#define MOST_STALLS 24

// Rows of a cluster, and what it may spend of the budget. It is solved to CLUSTER_SHARE of the
// worst residual, or of the tolerance if that is larger: more digits are lost again when its
// neighbours move.
#define CLUSTER_ROWS 240
#define CLUSTER_BUDGET 0.1
#define CLUSTER_SHARE 0.3

// Iterations that the interior point usually needs. To plan its factor takes 2000 to 4400
// multiplications for each row, which is done once sweeps have spent so many times that.
#define INTERIOR_ITERATIONS 25
#define PLAN_OF_ROW 4000.0
#define LIMIT_SHARE 10.0

typedef struct CnPathSweeps {
    CnMachine* machine;
    CnPaths paths;
    CnSolverDef def;
    CnArena* arena;
    CnSolverReport* report;
    double* best;      // impulses of the least residual   [row_count]
    double* spare;     // scratch   [row_count]
    double* zero;      // [row_count]
    double least;      // residual of the best [m/s]
    double worst, rms; // when one of them has halved for the last time
    int idle, stalls;  // rounds and stalls since then
    double length;     // of a round [sweeps]
} CnPathSweeps;

// After all blocks were graded: keeps the best impulses.
static void take_grade(CnPathSweeps* it) {
    CnPaths* paths = &it->paths;
    it->report->work += paths->work_of_grade;
    if (paths->worst < it->least) {
        it->least = paths->worst;
        memcpy(it->best, paths->p, (size_t)paths->problem->row_count * sizeof(double));
    }
}

static CnStatus grade(CnPathSweeps* it) {
    CnStatus status = cn_paths_grade(&it->paths, it->arena);
    if (status == CN_OK) {
        take_grade(it);
    }
    return status;
}

// Begins anew from other impulses.
static CnStatus restart(CnPathSweeps* it, const double* p) {
    CnStatus status = cn_paths_restart(&it->paths, p, it->arena);
    if (status == CN_OK) {
        take_grade(it);
    }
    return status;
}

// ---- clusters ----

static bool is_near(const CnPathBlock* it, const CnPathBlock* center) {
    bool near = false;
    for (int side = 0; side < 2; ++side) {
        int root = it->root[side];
        near = near || (root >= 0 && (root == center->root[0] || root == center->root[1]));
    }
    return near;
}

// What acts on the trees of the worst block, itself first, as far as there is room.
static int list_cluster(const CnPaths* paths, int* list, int* rows) {
    const CnPathBlock* center = paths->blocks[paths->worst_block];
    int count = 1;
    list[0] = paths->worst_block;
    *rows = center->item.block->row_count;
    for (int i = 0; i < paths->count; ++i) {
        const CnPathBlock* it = paths->blocks[i];
        int more = it == NULL ? 0 : it->item.block->row_count;
        if (it != NULL && it != center && it->acts && is_near(it, center) &&
            *rows + more <= CLUSTER_ROWS) {
            list[count++] = i;
            *rows += more;
        }
    }
    return count;
}

// u and impulses of a cluster as they are.
static void read_cluster(const CnPaths* paths, const int* list, CnOuterRows* outer) {
    int i = 0;
    for (int k = 0; k < outer->block_count; ++k) {
        const CnPathBlock* it = paths->blocks[list[k]];
        outer->block[k] = it->index;
        cn_paths_read(paths, it, outer->b + i);
        for (int row = 0; row < it->item.block->row_count; ++row, ++i) {
            outer->before[i] = outer->p[i] = it->p[row];
        }
    }
}

static void write_cluster(const CnPaths* paths, const int* list, const CnOuterRows* outer) {
    int i = 0;
    for (int k = 0; k < outer->block_count; ++k) {
        CnPathBlock* it = paths->blocks[list[k]];
        cn_paths_set(it, outer->p + i);
        i += it->item.block->row_count;
    }
}

// The trees of the worst block, with all other impulses held. Impulses stay where the cluster has
// no solution: others must give way first.
static CnStatus solve_cluster(CnPathSweeps* it) {
    CnPaths* paths = &it->paths;
    int rows, list[CLUSTER_ROWS];
    int count = list_cluster(paths, list, &rows);
    CnOuterRows outer = {
        .n = rows,
        .block_count = count,
        .block = CN_ARENA_RAW(it->arena, int, count),
        .w = CN_ARENA_RAW(it->arena, double, rows* rows),
        .b = CN_ARENA_RAW(it->arena, double, rows),
        .before = CN_ARENA_RAW(it->arena, double, rows),
        .p = CN_ARENA_RAW(it->arena, double, rows),
    };
    if (outer.block == NULL || outer.w == NULL || outer.b == NULL || outer.before == NULL ||
        outer.p == NULL) {
        return CN_NO_MEMORY;
    }
    CnSolverDef def = it->def;
    bool found = false;
    read_cluster(paths, list, &outer);
    cn_paths_response(paths, list, count, rows, outer.w);
    it->report->work += 30.0 * rows * rows;
    def.tolerance = CLUSTER_SHARE * fmax(def.tolerance, paths->worst);
    def.work_budget = it->report->work + CLUSTER_BUDGET * it->def.work_budget;
    CnStatus status =
        cn_outer_solve_condensed(paths->problem, &def, &outer, it->arena, it->report, &found);
    if (status == CN_OK && found) {
        write_cluster(paths, list, &outer);
    }
    return status;
}

static CnStatus try_cluster(CnPathSweeps* it) {
    CnArenaMark mark = cn_arena_mark(it->arena);
    CnStatus status = solve_cluster(it);
    cn_arena_release(it->arena, mark);
    return status == CN_OK ? grade(it) : status;
}

// ---- the whole ----

// As many of the sweeps wanted as the budget allows, at least one; then grades.
static CnStatus run_sweeps(CnPathSweeps* it, double wanted) {
    double affordable = (it->def.work_budget - it->report->work) / it->paths.work;
    int sweeps = (int)fmax(1.0, fmin(wanted, affordable));
    for (int s = 0; s < sweeps; ++s) {
        cn_paths_sweep(&it->paths);
    }
    it->report->work += it->paths.work * sweeps;
    it->report->iterations += sweeps;
    return grade(it);
}

// Starts from the guess or from zero, whichever has the smaller rms residual after a first round
// from each. Before that round new contacts would hide that a guess is good.
static CnStatus choose_start(CnPathSweeps* it) {
    int rows = it->paths.problem->row_count;
    bool has_guess = false;
    for (int i = 0; i < rows; ++i) {
        has_guess = has_guess || it->paths.p[i] != 0.0;
    }
    CnStatus status = CN_OK;
    double guess = HUGE_VAL;
    if (has_guess) {
        status = run_sweeps(it, FIRST_ROUND);
        guess = it->paths.rms;
        if (status != CN_OK || it->least <= it->def.tolerance) {
            return status;
        }
        memcpy(it->spare, it->paths.p, (size_t)rows * sizeof(double));
        status = restart(it, it->zero);
    }
    status = status == CN_OK ? run_sweeps(it, FIRST_ROUND) : status;
    if (status == CN_OK && has_guess && guess <= it->paths.rms) {
        status = restart(it, it->spare);
    }
    return status;
}

// Whether sweeps have stalled.
static bool has_stalled(CnPathSweeps* it) {
    const CnPaths* paths = &it->paths;
    bool gains = paths->worst < 0.5 * it->worst || paths->rms < 0.5 * it->rms;
    ++it->idle;
    if (gains) {
        it->worst = fmin(it->worst, paths->worst);
        it->rms = fmin(it->rms, paths->rms);
        it->idle = it->stalls = 0;
    }
    return it->idle > 0 && it->idle % STALLED_ROUNDS == 0;
}

// Sweeps that cost as much as the interior point is expected to are not worth going on with. What
// that costs is found when they have spent so much that finding it is a small part, and if it is a
// small part of what is left: most end before.
static CnStatus limit_work(CnPathSweeps* it) {
    const CnProblem* problem = it->paths.problem;
    double iteration, work, worth_it = LIMIT_SHARE * PLAN_OF_ROW * problem->row_count;
    double spent = it->report->work, left = it->def.work_budget - spent;
    if (isfinite(it->machine->most_work) || spent < worth_it || left < worth_it) {
        return CN_OK;
    }
    CnArenaMark mark = cn_arena_mark(it->arena);
    CnStatus status = cn_interior_cost(problem, it->arena, &iteration, &work);
    cn_arena_release(it->arena, mark);
    it->report->work += work;
    it->machine->most_work = INTERIOR_ITERATIONS * iteration;
    it->def.work_budget = fmin(it->def.work_budget, it->machine->most_work);
    return status;
}

// Until the worst residual is within the tolerance, the budget is spent or nothing is gained, or
// until there are as many sweeps as this round may make, clusters' iterations included.
static CnStatus run(CnPathSweeps* it) {
    double before = it->report->iterations;
    CnStatus status = CN_OK;
    it->machine->is_cut = false;
    while (status == CN_OK && it->least > it->def.tolerance && !it->machine->is_cut &&
           it->report->work < it->def.work_budget && it->stalls < MOST_STALLS) {
        if (has_stalled(it)) {
            ++it->stalls;
            status = try_cluster(it);
        }
        status = status == CN_OK ? limit_work(it) : status;
        status = status == CN_OK ? run_sweeps(it, it->length) : status;
        it->length = fmin(LONGEST_ROUND, ROUND_GROWTH * it->length);
        it->machine->is_cut = it->least > it->def.tolerance &&
                              it->report->iterations - before >= it->machine->most_sweeps;
    }
    return status;
}

// Blocks are written out, and what is known of them begins anew.
static CnStatus begin(CnPathSweeps* it) {
    size_t rows = (size_t)it->machine->problem->row_count;
    it->best = CN_ARENA_NEW(it->arena, double, rows);
    it->spare = CN_ARENA_RAW(it->arena, double, rows);
    it->zero = CN_ARENA_NEW(it->arena, double, rows);
    if (it->best == NULL || it->spare == NULL || it->zero == NULL) {
        return CN_NO_MEMORY;
    }
    CnStatus status = cn_paths_prepare(it->machine, MOST_MOMENTUM, it->arena, &it->paths);
    if (status == CN_OK) {
        take_grade(it);
        status = it->machine->goes_on || it->least <= it->def.tolerance ? CN_OK : choose_start(it);
    }
    return status;
}

// Where sweeps are cut they go on from the impulses that they have reached: the best ones may be
// those that they began with, and would lead to the same ones again. At the end the best count.
static void note_changes(const CnPathSweeps* it) {
    CnMachine* machine = it->machine;
    bool goes_on = machine->is_cut && it->report->work < it->def.work_budget;
    const double* p = goes_on ? it->paths.p : it->best;
    for (int i = 0; i < machine->outer_count; ++i) {
        const CnBlock* block = &machine->problem->blocks[machine->outer[i]];
        for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
            machine->change[row] = p[row] - machine->impulse[row];
        }
    }
}

CnStatus cn_machine_sweep_outer(CnMachine* machine, const CnSolverDef* def, CnArena* arena,
                                CnSolverReport* report, bool* found) {
    CnStatus status = CN_OK;
    CnPathSweeps* it = machine->sweeps;
    bool is_new = it == NULL;
    if (is_new) {
        it = machine->sweeps = CN_ARENA_RAW(arena, CnPathSweeps, 1);
        if (it == NULL) {
            return CN_NO_MEMORY;
        }
        *it = (CnPathSweeps){.machine = machine,
                             .arena = arena,
                             .report = report,
                             .least = HUGE_VAL,
                             .worst = HUGE_VAL,
                             .rms = HUGE_VAL,
                             .length = FIRST_ROUND};
    }
    it->def = *def;
    it->def.work_budget = fmin(def->work_budget, machine->most_work);
    status = is_new ? begin(it) : CN_OK;
    status = status == CN_OK ? run(it) : status;
    *found = status == CN_OK && isfinite(it->least);
    if (*found) {
        note_changes(it);
        cn_paths_keep_momentum(&it->paths, machine->age, machine->ahead);
    }
    return status;
}

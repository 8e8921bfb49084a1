// solve_step.c - the solve stage: each island of the step gets its impulses, on all workers.
//
// First every island of plain contacts looks at its guess: at rest that is all. The others are
// written out as problems and solved; their manifolds are saved before, in case the step fails.
#include "world/step/solve_step.h"

#include "base/error.h"
#include "base/sort.h"
#include "base/tasks.h"
#include "base/timer.h"
#include "constraints/problem/block.h"
#include "math/worse.h"
#include "solvers/rest/keep_guess.h"
#include "solvers/rest/rest_rules.h"
#include "solvers/solve/budget.h"
#include "solvers/solve/few_contacts.h"
#include "solvers/solve/solver.h"
#include "solvers/solve/tile_sweep.h"
#include "solvers/tree/machine.h"
#include "world/contacts/manifolds.h"
#include "world/islands/island_guess.h"
#include "world/islands/island_rows.h"
#include "world/islands/nets.h"
#include "world/step/stages.h"
#include "world/trees/tree_store.h"

#include <math.h>
#include <string.h>

// At rest answers more exact than a loose tolerance are worth their work if they come seldom: in
// the first steps of every so many. The first closes gaps, the second stops what closes them, the
// third holds it.
#define REFINING_STEPS 3
#define REFINING_PERIOD 64

// Bodies whose velocities are written by one task.
#define BODIES_PER_TASK 128

// Multiplications of looking at the guess of a contact point.
#define WORK_OF_LOOK 60.0

static bool is_refining(const CnWorld* world) {
    return world->steps_made % REFINING_PERIOD < REFINING_STEPS;
}

typedef struct IslandJob {
    CnWorld* world;
    const CnStepSolve* solve;
    CnTileBodies bodies;
    CnIslandResult* results; // [islands]
    CnGradeSums* grades;     // [islands]
    bool sweeps;             // a few contacts may be swept on their tiles
    bool* is_kept;           // its tiles have the answer   [islands]
    bool* is_restless;       // its bodies are at rest, and the guess does not keep them there
    bool* is_looked_at;      // its guess is known not to be an answer
    bool* is_put_off;        // to be swept on its tiles once these are saved
    bool* is_few;            // solved by sweeps alone, or along trees: not graded yet
    bool* failed;            // for want of memory to look   [workers]
} IslandJob;

CnTileBodies cn_step_tile_bodies(const CnStep* step) {
    return (CnTileBodies){
        .is_dynamic = step->is_dynamic,
        .inverse_mass = step->inverse_mass,
        .inverse_inertia = (const double(*)[9])step->inverse_inertia,
        .center = (const double(*)[3])step->center,
        .free_velocity = (const double(*)[6])step->free_velocity,
        .before = (const double(*)[6])step->start_velocity,
        .mean_velocity = (const double(*)[6])step->mean_velocity,
        .momentum = step->momentum,
        .velocity = step->velocity,
    };
}

// The guess of an island, as it was or refined, is its answer: it spends nothing of its budget.
static void accept_guess(const IslandJob* job, int island, double work) {
    const CnGradeSums* grades = &job->grades[island];
    job->results[island] = (CnIslandResult){
        .outcome = CN_CONVERGED,
        .work = work + WORK_OF_LOOK * grades->block_count,
        .budget = HUGE_VAL,
        .worst = grades->worst,
    };
}

// The report of an island whose guess was accepted, or which was swept.
static void report_tiles(const IslandJob* job, int island, CnSolverReport* report) {
    const CnGradeSums* grades = &job->grades[island];
    *report = (CnSolverReport){
        .outcome = CN_CONVERGED,
        .solver = cn_solver_find(job->solve->def->name)->info.name,
        .redundant_block = -1,
    };
    if (job->results[island].iterations > 0) {
        cn_tile_sweep_report(grades->block_count, job->results[island].iterations, report);
    }
    report->work = job->results[island].work;
    report->error = grades->worst;
    cn_grade_finish(grades, job->solve->rho, &report->certificate);
}

// The impulses of an island's manifolds have changed.
static void mark_solved(CnWorld* world, int island) {
    const CnIslandStore* store = &world->islands;
    for (int i = store->manifold_start.data[island]; i < store->manifold_start.data[island + 1];
         ++i) {
        int manifold = world->step.manifolds.data[store->manifold.data[i]];
        cn_manifold_at(&world->pairs, manifold)->is_solved = true;
    }
}

// Whether a step that fails takes the impulses of all manifolds of an island back.
static bool is_saved(const CnWorld* world, int island) {
    const CnIslandStore* store = &world->islands;
    bool saved = true;
    for (int i = store->manifold_start.data[island];
         saved && i < store->manifold_start.data[island + 1]; ++i) {
        int manifold = world->step.manifolds.data[store->manifold.data[i]];
        saved = cn_pair_store_has_saved_impulses(&world->pairs, manifold);
    }
    return saved;
}

// A few contacts whose guess is not good enough; velocity is that of the guess.
static void sweep_tiles(const IslandJob* job, int island, const CnTileIsland* tiles) {
    CnGradeSums* grades = &job->grades[island];
    double tolerance = job->solve->def->tolerance;
    if (job->is_restless[island]) { // so that the next step keeps it
        tolerance = CN_REST_FRESH * cn_rest_tolerance(tolerance);
    }
    double work;
    int sweeps = cn_tile_sweep_solve(tiles, tolerance, job->solve->rho, grades, &work);
    if (sweeps > 0) {
        CnProblem size = {.row_count = 3 * grades->block_count};
        job->results[island] = (CnIslandResult){
            .outcome = CN_CONVERGED,
            .iterations = sweeps,
            .work = work,
            .budget = cn_budget_of_step(&size, job->solve->def),
            .worst = grades->worst,
        };
        mark_solved(job->world, island);
        job->is_kept[island] = true;
    }
}

// What becomes of an island whose guess was graded. Islands of a few contacts are solved at once,
// while their tiles are at hand, if that can be undone; else once it can. Which of the two is a
// matter of what was looked at before, and changes no bit.
static void judge_guess(const IslandJob* job, int island, double gain, const CnTileIsland* tiles) {
    const CnWorld* world = job->world;
    double worst = job->grades[island].worst;
    job->is_kept[island] = cn_guess_holds(
        job->solve->def, worst, job->solve->goes_on ? gain : HUGE_VAL, is_refining(world));
    job->is_restless[island] =
        job->solve->goes_on && cn_rest_is_restless(worst, gain, job->solve->def->tolerance);
    if (job->is_kept[island]) {
        accept_guess(job, island, 0.0);
    }
    job->is_looked_at[island] = isfinite(worst);
    bool sweeps = !job->is_kept[island] && job->sweeps && job->is_looked_at[island] &&
                  !job->is_restless[island];
    job->is_put_off[island] = sweeps && !is_saved(world, island);
    if (sweeps && !job->is_put_off[island]) {
        sweep_tiles(job, island, tiles);
    }
}

// The same as look_at_island() for several of them at once.
static void look_at_singles(const IslandJob* job, CnSingleIslands* singles) {
    double gains[CN_SINGLES];
    CnGradeSums grades[CN_SINGLES];
    CnTileSet all = {singles->count, singles->tile, singles->first_block};
    cn_tiles_look_at_singles(&all, &job->bodies, job->solve->rho, gains, grades);
    for (int i = 0; i < singles->count; ++i) {
        CnTileSet own = {1, &singles->tile[i], &singles->first_block[i]};
        int island = singles->island[i], list[2];
        int count = cn_island_list_dynamic(job->world, island, list);
        job->grades[island] = grades[i];
        judge_guess(job, island, gains[i], &(CnTileIsland){&own, &job->bodies, count, list});
    }
    singles->count = 0;
}

// A net of joints at rest is looked at where its rows stand. Those whose guess is no answer are
// looked at again when they are written out.
static void look_at_net(const IslandJob* job, int island, int count, const int* list) {
    CnGradeSums* grades = &job->grades[island];
    double gain =
        cn_nets_look(job->world, island, &job->bodies, count, list, job->solve->rho, grades);
    job->is_kept[island] = gain >= 0.0 && cn_guess_holds(job->solve->def, grades->worst, gain,
                                                         is_refining(job->world));
    if (job->is_kept[island]) {
        accept_guess(job, island, 0.0);
    }
}

// Velocities that the guess leads to, and how good it is: those of a few tiles are found here.
static CnStatus look_at_island(const IslandJob* job, int island, const CnTasks* tasks,
                               CnArena* arena) {
    CnWorld* world = job->world;
    CnTileSet tiles;
    int *list, count;
    bool has_blocks = cn_island_has_blocks(&world->islands, island);
    if (has_blocks && !(job->solve->goes_on && cn_nets_suit(world, island, job->solve->def))) {
        return CN_OK;
    }
    if (cn_island_find_tiles(world, island, arena, &tiles, &list, &count) != CN_OK) {
        return CN_NO_MEMORY;
    }
    if (has_blocks) {
        look_at_net(job, island, count, list);
        return CN_OK;
    }
    const CnTileBodies* bodies = &job->bodies;
    CnIslandGuess guess = {world, island, &tiles, bodies, count, list, job->solve->rho};
    double gain;
    if (tiles.count <= CN_TILES_PER_GRADE) {
        cn_grade_begin(&job->grades[island]);
        gain = cn_island_guess_move(&guess);
        cn_tiles_grade(&tiles, bodies, guess.rho, &job->grades[island]);
    } else if (cn_island_guess_look(&guess, tasks, arena, &gain, &job->grades[island]) != CN_OK) {
        return CN_NO_MEMORY;
    }
    judge_guess(job, island, gain, &(CnTileIsland){&tiles, bodies, count, list});
    return CN_OK;
}

static void look_at_range(int begin, int end, int worker, void* data) {
    const IslandJob* job = data;
    const CnTasks in_place = {0};
    CnArena* arena = &job->world->workspaces[worker]->arena;
    CnSingleIslands singles = {0};
    for (int i = begin; i < end; ++i) {
        cn_island_fetch(job->world, i + 2);
        if (cn_single_islands_add(job->world, i, &singles)) {
            if (singles.count == CN_SINGLES) {
                look_at_singles(job, &singles);
            }
            continue;
        }
        CnArenaMark mark = cn_arena_mark(arena);
        if (!cn_island_is_large(&job->world->islands, i) &&
            look_at_island(job, i, &in_place, arena) != CN_OK) {
            job->failed[worker] = true;
        }
        cn_arena_release(arena, mark);
    }
    look_at_singles(job, &singles);
}

// One after the other, each by all workers.
static void look_at_large_islands(IslandJob* job) {
    const CnWorld* world = job->world;
    CnArena* arena = &world->workspaces[0]->arena;
    int count = world->islands.count;
    for (int i = 0; i < count; ++i) {
        CnArenaMark mark = cn_arena_mark(arena);
        if (cn_island_is_large(&world->islands, i) &&
            look_at_island(job, i, &world->def.tasks, arena) != CN_OK) {
            job->failed[0] = true;
        }
        cn_arena_release(arena, mark);
    }
}

// Where the impulses of an island lead, and the residuals of its blocks.
typedef struct Grading {
    double (*velocity)[6]; // [bodies of the part]
    double* residual;      // [blocks of the part]
    bool is_done;          // the grades are those of the answer
    bool is_restless;      // its bodies are at rest, and the guess does not keep them there
} Grading;

// Short ways leave the velocities that their impulses lead to. NULL: no memory.
static double (*velocity_of_answer(const IslandJob* job, int island, const CnProblem* problem,
                                   const CnSolution* solution, CnArena* arena))[6] {
    double(*velocity)[6] = solution->velocity;
    if (!job->is_few[island]) {
        velocity = cn_arena_allocate(arena, (size_t)problem->body_count, sizeof *velocity);
        if (velocity != NULL) {
            cn_problem_velocity(problem, solution->impulse, velocity);
        }
    }
    return velocity;
}

// Residuals go to tiles and explicit blocks, the rest into the sums and the result.
static void take_grades(const IslandJob* job, int island, const CnIslandRows* part,
                        const CnSolution* solution, const Grading* grading) {
    CnStep* step = &job->world->step;
    const CnProblem* problem = &part->problem;
    CnGradeSums* grades = &job->grades[island];
    for (int i = 0; i < problem->body_count; ++i) {
        for (int k = 0; k < 6; ++k) {
            double defect = fabs(grading->velocity[i][k] - solution->velocity[i][k]);
            grades->velocity_defect =
                fmax(grades->velocity_defect, isnan(defect) ? HUGE_VAL : defect);
        }
    }
    if (grades->worst_block >= 0) {
        grades->worst_block = part->block[grades->worst_block];
    }
    int block = 0;
    for (int i = 0; i < part->tiles.count; ++i) {
        CnContactTile* tile = part->tiles.tiles[i];
        for (int k = 0; k < CN_TILE_POINTS; ++k) {
            if ((tile->acting >> k & 1u) != 0) {
                tile->residual[k] = (float)grading->residual[block++];
            }
        }
    }
    for (; block < problem->block_count; ++block) {
        step->block_residual.data[part->block[block] - step->tile_block_count] =
            grading->residual[block];
    }
    CnIslandResult* result = &job->results[island];
    if (job->is_few[island]) { // short ways do not certify themselves
        cn_grade_finish(grades, job->solve->rho, &result->report->certificate);
        result->report->error = result->report->certificate.worst;
    }
    cn_island_result_take(result);
}

// Blocks in reports are numbered as in the whole step.
static void number_report(const CnIslandRows* part, CnSolverReport* report) {
    int* const numbers[] = {&report->certificate.worst_block, &report->redundant_block,
                            &report->infeasible_block};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        bool is_there = *numbers[i] >= 0 && *numbers[i] < part->problem.block_count;
        *numbers[i] = is_there ? part->block[*numbers[i]] : -1;
    }
}

// The answer goes to tiles, explicit blocks and bodies. Movable bodies belong to one island only;
// the others keep their velocity and are not written.
static void take_answer(const IslandJob* job, int island, const CnIslandRows* part,
                        const CnSolution* solution) {
    CnStep* step = &job->world->step;
    const CnIslandStore* store = &job->world->islands;
    cn_tiles_read_impulses(&part->tiles, solution->impulse);
    mark_solved(job->world, island);
    int first = part->problem.block_count -
                (store->block_start.data[island + 1] - store->block_start.data[island]);
    for (int i = first; i < part->problem.block_count; ++i) {
        const CnBlock* block = &step->rows.blocks.data[part->block[i] - step->tile_block_count];
        memcpy(step->rows.impulse + block->first_row,
               solution->impulse + part->problem.blocks[i].first_row,
               (size_t)block->row_count * sizeof(double));
    }
    for (int i = 0; i < part->problem.body_count; ++i) {
        if (step->is_dynamic[part->body[i]]) {
            memcpy(step->velocity[part->body[i]], solution->velocity[i], sizeof *step->velocity);
        }
    }
    number_report(part, job->results[island].report);
}

static bool is_before(int a, int b, const void* context) {
    (void)context;
    return a < b;
}

// Bodies at rest that the guess would set moving: refined by a factor that is kept with the body of
// the lowest index. It changes no bit whether it is there.
static CnStatus refine(const IslandJob* job, const CnTileIsland* tiles, int* list, CnArena* arena,
                       CnGuess* guess) {
    CnWorld* world = job->world;
    cn_sort(list, tiles->body_count, is_before, NULL);
    CnRestIsland rest = {*tiles->set, tiles->bodies, tiles->body_count, list};
    CnGuessRules rules = {job->solve->def->tolerance, is_refining(world), &world->rest_memory};
    CnRestFactor** factor = &world->rest_factors.data[list[0]];
    CnStatus status = cn_keep_guess(&rest, &rules, factor, arena, guess);
    if (status != CN_OK) { // half a factor is none
        cn_rest_factor_destroy(*factor);
        *factor = NULL;
    }
    return status;
}

// A body that touches at one or two points can roll: its rows do not hold it, and it has no factor.
static bool may_roll(const IslandJob* job, int island, const CnTileIsland* tiles) {
    return job->sweeps && tiles->body_count == 1 && job->grades[island].block_count < 3;
}

// What is done on the tiles of an island that is saved, before it is written out as a problem. What
// does not keep bodies at rest is refined, and kept if that is its answer; what was put off is
// swept, since bodies still have the velocities of the guess, and so is what could not be refined.
static CnStatus try_tiles(const IslandJob* job, int island, CnArena* arena) {
    bool refines = job->is_restless[island] && !job->is_kept[island] && !job->is_put_off[island];
    if (!refines && !job->is_put_off[island]) {
        return CN_OK;
    }
    CnArenaMark mark = cn_arena_mark(arena);
    CnTileSet set = {0};
    int *list = NULL, count = 0;
    CnGuess guess = {0};
    CnStatus status = cn_island_find_tiles(job->world, island, arena, &set, &list, &count);
    CnTileIsland tiles = {&set, &job->bodies, count, list};
    if (status == CN_OK && refines && !may_roll(job, island, &tiles)) {
        status = refine(job, &tiles, list, arena, &guess);
    }
    if (status == CN_OK && guess.is_kept) {
        cn_grade_begin(&job->grades[island]);
        cn_tiles_grade(&set, &job->bodies, job->solve->rho, &job->grades[island]);
        accept_guess(job, island, guess.refining.work);
        mark_solved(job->world, island);
        job->is_kept[island] = true;
    } else if (status == CN_OK && (job->sweeps || job->is_put_off[island])) {
        sweep_tiles(job, island, &tiles);
        job->is_put_off[island] = false;
    }
    cn_arena_release(arena, mark);
    return status;
}

static void try_tiles_of_range(int begin, int end, int worker, void* data) {
    const IslandJob* job = data;
    for (int i = begin; i < end; ++i) {
        CnStatus status = try_tiles(job, i, &job->world->workspaces[worker]->arena);
        job->results[i].status = status;
    }
}

// The def of the solve with the island's share of the budget.
static CnSolverDef def_of_part(const IslandJob* job, int island, const CnIslandRows* part) {
    CnSolverDef def = *job->solve->def;
    CnIslandResult* result = &job->results[island];
    result->budget = cn_budget_of_step(&part->problem, &def);
    def.work_budget = job->solve->share * result->budget;
    return def;
}

// Whether the guess of a machine in contact holds its bodies at rest; if so it is graded.
static void keep_guess(const IslandJob* job, int island, const CnIslandRows* part,
                       const CnSolverDef* def, const CnPast* past, CnSolution* solution,
                       Grading* grading) {
    const CnProblem* problem = &part->problem;
    double gain = 0.0;
    if (past->velocity == NULL || !cn_guess_may_be_kept(def)) {
        return;
    }
    cn_problem_velocity(problem, solution->impulse, solution->velocity);
    for (int i = 0; i < problem->body_count; ++i) {
        for (int k = 0; k < 6; ++k) {
            gain = cn_worse(gain, fabs(solution->velocity[i][k] - past->velocity[i][k]));
        }
    }
    grading->velocity = solution->velocity;
    cn_grade_begin(&job->grades[island]);
    cn_grade_blocks(problem, 0, (const double(*)[6])solution->velocity, solution->impulse,
                    job->solve->rho, grading->residual, &job->grades[island]);
    double worst = job->grades[island].worst;
    grading->is_done = cn_guess_holds(def, worst, gain, past->refines);
    grading->is_restless = cn_rest_is_restless(worst, gain, def->tolerance);
    *job->results[island].report = (CnSolverReport){.solver = cn_solver_find(def->name)->info.name,
                                                    .outcome = CN_CONVERGED,
                                                    .work = WORK_OF_LOOK * problem->block_count,
                                                    .redundant_block = -1,
                                                    .remark = "a machine at rest"};
}

// A few contacts on their own are swept, nets and trees of joints have ways of their own: then
// is_few is set.
static CnStatus try_short_ways(const IslandJob* job, int island, const CnIslandRows* part,
                               const CnSolverDef* def, const CnPast* past, CnWorkspace* workspace,
                               CnSolution* solution, Grading* grading) {
    CnSolverReport* report = job->results[island].report;
    bool* found = &job->is_few[island];
    if (job->is_looked_at[island] && !job->is_restless[island] && !is_refining(job->world) &&
        cn_few_contacts_suit(&part->problem, def)) {
        CnStatus status =
            cn_few_contacts_solve(&part->problem, def, workspace, solution, report, found);
        if (status != CN_OK || *found) {
            return status;
        }
    }
    if (part->tiles.count == 0 && cn_nets_have_guess(&part->problem, def, solution->impulse)) {
        CnStatus status = cn_nets_solve(job->world, &part->problem, part->body, def, past, false,
                                        &workspace->arena, solution, report, found);
        if (status != CN_OK || *found) {
            return status;
        }
    }
    bool is_at_rest = job->solve->goes_on && // else velocities before are not known
                      !cn_island_is_moving(job->world, island);
    if (part->tiles.count == 0 || !is_at_rest) { // a tree takes as long as to grade a guess
        return cn_machine_try(&part->problem, def, &workspace->arena, solution, report, found);
    }
    if (!cn_island_has_blocks(&job->world->islands, island)) { // its tiles were looked at
        return CN_OK;
    }
    keep_guess(job, island, part, def, past, solution, grading);
    *found = grading->is_done;
    if (grading->is_done || grading->is_restless) { // refinement follows
        return CN_OK;
    }
    CnSolverDef own = *def; // velocities that are left would ask for a solve in every step
    own.tolerance = CN_REST_HELD * cn_rest_tolerance(def->tolerance);
    return cn_machine_try_near(&part->problem, &own, &workspace->arena, solution, report, found);
}

// Machines at rest are looked at first where they are in contact.
static bool may_follow_trees(const IslandJob* job, int island) {
    const CnIslandStore* store = &job->world->islands;
    bool has_contacts = store->manifold_start.data[island + 1] > store->manifold_start.data[island];
    return cn_island_has_blocks(store, island) &&
           (!has_contacts || !job->solve->goes_on || cn_island_is_moving(job->world, island));
}

// Along its trees, by a short way, or as the def says.
static CnStatus solve_island(const IslandJob* job, int island, CnWorkspace* workspace,
                             CnError* error) {
    CnArena* arena = &workspace->arena;
    CnArenaMark mark = cn_arena_mark(arena);
    CnIslandResult* result = &job->results[island];
    CnStatus status = CN_OK;
    if (may_follow_trees(job, island)) {
        status = cn_trees_solve(job->world, island, job->solve->def, job->solve->rho, arena, result,
                                &job->grades[island], &job->is_few[island]);
    }
    if (status != CN_OK || job->is_few[island]) {
        mark_solved(job->world, island);
        return status;
    }
    CnIslandRows part;
    CnSolution solution;
    CnSolverDef def;
    Grading grading = {0};
    status = cn_island_rows_write(job->world, island, arena, &part, &solution);
    if (status == CN_OK) {
        grading.residual = CN_ARENA_NEW(arena, double, part.problem.block_count);
        status = grading.residual == NULL ? CN_NO_MEMORY : CN_OK;
    }
    CnPast past = {.refines = is_refining(job->world)};
    if (status == CN_OK) {
        def = def_of_part(job, island, &part);
        past.velocity = job->solve->goes_on ? (const double(*)[6])part.before : NULL;
        status = try_short_ways(job, island, &part, &def, &past, workspace, &solution, &grading);
    }
    if (status == CN_OK && !job->is_few[island]) {
        status =
            cn_solve_on(&part.problem, &def, &past, workspace, &solution, result->report, error);
    }
    if (status == CN_OK) {
        take_answer(job, island, &part, &solution);
    }
    if (status == CN_OK && !grading.is_done) {
        grading.velocity = velocity_of_answer(job, island, &part.problem, &solution, arena);
        status = grading.velocity == NULL ? CN_NO_MEMORY : CN_OK;
    }
    if (status == CN_OK && !grading.is_done) {
        cn_grade_begin(&job->grades[island]);
        cn_grade_blocks(&part.problem, 0, (const double(*)[6])grading.velocity, solution.impulse,
                        job->solve->rho, grading.residual, &job->grades[island]);
    }
    if (status == CN_OK) {
        take_grades(job, island, &part, &solution, &grading);
    }
    cn_arena_release(arena, mark);
    return status;
}

static void solve_range(int begin, int end, int worker, void* data) {
    const IslandJob* job = data;
    for (int i = begin; i < end; ++i) {
        if (!job->is_kept[i] && job->results[i].status == CN_OK) {
            job->results[i].status = solve_island(job, i, job->world->workspaces[worker], NULL);
        }
    }
}

// Of the islands that are to be solved: a step that fails takes their impulses back.
static CnStatus save_manifolds(const IslandJob* job) {
    CnWorld* world = job->world;
    const CnIslandStore* store = &world->islands;
    for (int i = 0; i < store->count; ++i) {
        for (int k = store->manifold_start.data[i];
             !job->is_kept[i] && k < store->manifold_start.data[i + 1]; ++k) {
            int manifold = world->step.manifolds.data[store->manifold.data[k]];
            if (!cn_pair_store_save_impulses(&world->pairs, manifold)) {
                return CN_NO_MEMORY;
            }
        }
    }
    return CN_OK;
}

// Room for the reports of islands whose guess is no answer.
static CnStatus reserve_reports(const IslandJob* job) {
    int count = job->world->islands.count, solved = 0;
    for (int i = 0; i < count; ++i) {
        solved += job->is_kept[i] ? 0 : 1;
    }
    CnSolverReport* reports = CN_ARENA_NEW(&job->world->arena, CnSolverReport, solved);
    for (int i = 0; reports != NULL && i < count; ++i) {
        job->results[i].report = job->is_kept[i] ? NULL : reports++;
    }
    return reports == NULL ? CN_NO_MEMORY : CN_OK;
}

// rows / trace(W) of the whole step, a constant of the relative errors: certificate.md (12). No
// residual depends on it: without contacts, which need it to be kept, and without a certificate any
// number does.
static double common_step(CnWorld* world) {
    const CnStep* step = &world->step;
    if (!step->is_graded && step->manifolds.count == 0) {
        return 1.0;
    }
    double trace = cn_trees_explicit_trace(world);
    for (int i = 0; i < step->manifolds.count; ++i) {
        trace += step->traces.data[i];
    }
    return (step->tile_row_count + step->rows.row_count) / trace;
}

// What could not be done before: memory may be back by now, or there is a sentence.
static CnStatus try_again(const IslandJob* job, int island, CnError* error) {
    CnWorkspace* workspace = job->world->workspaces[0];
    CnStatus status = try_tiles(job, island, &workspace->arena);
    return status != CN_OK || job->is_kept[island] ? status
                                                   : solve_island(job, island, workspace, error);
}

static CnStatus check_results(const IslandJob* job, CnError* error) {
    for (int i = 0; i < job->world->islands.count; ++i) {
        CnIslandResult* result = &job->results[i];
        if (result->status != CN_OK) {
            result->status = try_again(job, i, error);
        }
        if (result->status == CN_NO_MEMORY) {
            return cn_error_set(error, CN_NO_MEMORY, "no memory to solve an island");
        }
        if (result->status != CN_OK) {
            return result->status;
        }
    }
    return CN_OK;
}

static void sum_up(const IslandJob* job, CnStepSolve* solve) {
    cn_grade_begin(&solve->grades);
    for (int i = 0; i < job->world->islands.count; ++i) {
        cn_grade_merge(&solve->grades, &job->grades[i]);
    }
    cn_islands_summarise(job->results, job->world->islands.count, &solve->summary);
    int worst = solve->summary.worst;
    if (worst >= 0 && job->results[worst].report == NULL) {
        CnSolverReport* report = &solve->summary.report;
        CnSolverReport summed = *report; // what came from the others
        report_tiles(job, worst, report);
        report->approximation = summed.approximation;
        report->infeasible_blocks = summed.infeasible_blocks;
        report->infeasibility = summed.infeasibility;
        report->infeasible_block = summed.infeasible_block;
    }
    if (worst >= 0 && job->is_few[worst]) {
        cn_few_contacts_remark(job->grades[worst].block_count, &solve->summary.report);
    }
}

static bool reserve_factors(CnWorld* world) {
    if (!cn_array_reserve(&world->rest_factors, &world->allocator, world->bodies.count)) {
        return false;
    }
    while (world->rest_factors.count < world->bodies.count) {
        world->rest_factors.data[world->rest_factors.count++] = NULL;
    }
    return true;
}

// Bodies without rows keep their free velocity.
static void free_range(int begin, int end, int worker, void* data) {
    const IslandJob* job = data;
    CnStep* step = &job->world->step;
    CnIndexList list = cn_step_bodies(job->world);
    (void)worker;
    for (int k = begin; k < end; ++k) {
        int i = cn_index_at(&list, k);
        memcpy(step->velocity[i], step->free_velocity[i], sizeof *step->velocity);
    }
}

// Counts of the step and of its solve, into the report.
static void report_solve(const CnWorld* world, const CnStepSolve* solve, CnStepReport* report) {
    const CnStep* step = &world->step;
    const CnIslandSummary* summary = &solve->summary;
    report->contact_count = 0;
    for (int i = 0; i < step->tile_parts.count; ++i) {
        report->contact_count += step->tile_parts.data[i].contacts;
    }
    report->block_count = step->tile_block_count + step->rows.blocks.count;
    report->row_count = step->tile_row_count + step->rows.row_count;
    report->island_count = summary->island_count;
    report->kept_islands = summary->kept;
    report->not_converged = summary->not_converged;
    report->out_of_budget = summary->out_of_budget;
    report->solver = summary->report;
    report->work += summary->work;
}

CnStatus cn_stage_solve(CnStepRun* run, CnError* error) {
    CnWorld* world = run->world;
    CnStepSolve* solve = &run->solve;
    CnArenaMark mark = cn_arena_mark(&world->arena);
    int count = world->islands.count;
    int blocks = world->step.rows.blocks.count;
    if (!cn_array_reserve(&world->step.block_trace, &world->allocator, blocks)) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory to solve %d islands", count);
    }
    solve->rho = common_step(world);
    solve->summary = (CnIslandSummary){0};
    IslandJob job = {
        .world = world,
        .solve = solve,
        .bodies = cn_step_tile_bodies(&world->step),
        .sweeps = cn_tile_sweep_suits_def(solve->def) && !is_refining(world),
        .results = CN_ARENA_NEW(&world->arena, CnIslandResult, count),
        .grades = CN_ARENA_NEW(&world->arena, CnGradeSums, count),
        .is_kept = CN_ARENA_NEW(&world->arena, bool, count),
        .is_restless = CN_ARENA_NEW(&world->arena, bool, count),
        .is_looked_at = CN_ARENA_NEW(&world->arena, bool, count),
        .is_put_off = CN_ARENA_NEW(&world->arena, bool, count),
        .is_few = CN_ARENA_NEW(&world->arena, bool, count),
        .failed = CN_ARENA_NEW(&world->arena, bool, world->workspace_count),
    };
    if (job.results == NULL || job.grades == NULL || job.is_kept == NULL ||
        job.is_restless == NULL || job.is_looked_at == NULL || job.is_put_off == NULL ||
        job.is_few == NULL || job.failed == NULL || !reserve_factors(world) ||
        !cn_nets_reserve(world)) {
        cn_arena_release(&world->arena, mark);
        return cn_error_set(error, CN_NO_MEMORY, "no memory to solve %d islands", count);
    }
    if (!solve->goes_on) {
        cn_tasks_for(&world->def.tasks, cn_step_bodies(world).count, BODIES_PER_TASK, free_range,
                     &job);
    }
    if (cn_guess_may_be_kept(solve->def)) {
        look_at_large_islands(&job);
        cn_tasks_for(&world->def.tasks, count, 1, look_at_range, &job);
    }
    CnStatus status = save_manifolds(&job);
    if (status == CN_OK) {
        status = reserve_reports(&job);
    }
    for (int i = 0; i < world->workspace_count; ++i) {
        status = job.failed[i] ? CN_NO_MEMORY : status;
    }
    if (status == CN_OK) {
        cn_tasks_for(&world->def.tasks, count, 1, try_tiles_of_range, &job);
        cn_tasks_for(&world->def.tasks, count, 1, solve_range, &job);
        status = check_results(&job, error);
    } else {
        cn_error_set(error, status, "no memory to keep the impulses of the last step");
    }
    if (status == CN_OK) {
        sum_up(&job, solve);
        world->step.certificate = cn_certificate_of_nothing();
        if (world->step.is_graded) {
            cn_grade_finish(&solve->grades, solve->rho, &world->step.certificate);
        }
        report_solve(world, solve, run->report);
        run->repeats = cn_trees_meet_stops(world);
    }
    if (run->repeats) { // from the rows on
        cn_tasks_for(&world->def.tasks, cn_step_bodies(world).count, BODIES_PER_TASK, free_range,
                     &job);
    }
    cn_arena_release(&world->arena, mark);
    return status;
}

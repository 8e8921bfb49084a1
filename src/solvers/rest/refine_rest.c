// refine_rest.c - refines the impulses of bodies at rest: contacts that hold go on holding.
//
// A small change of impulses leaves a contact sticking that sticks inside its cone. The laws are
// then linear equations in that change, u = 0 for all rows that hold, which the bodies can meet:
// they can stand still. Where forces are not unique many changes do, and the smallest is taken: by
// a factor over bodies, or by conjugate residuals where rows yield or do not resist all motions.
// docs/theory/warm_start.md (6)-(9), (14)-(16).
#include "solvers/rest/refine_rest.h"

#include "constraints/problem/block.h"
#include "constraints/problem/friction_cone.h"
#include "linalg/krylov.h"
#include "solvers/rest/rest_rows.h"
#include <math.h>

// Each costs half as much as grading. Walls and arches of 2000 rows take 200; where this is not
// enough the solver's turn has come.
#define MAX_ITERATIONS 500

// Multiplications, or what takes as long, of a row besides its products: six vectors.
#define WORK_OF_ROW 20.0

// A factor is worth at most so many conjugate residuals.
#define FACTOR_ITERATIONS 150.0

typedef struct System {
    CnProblem linear; // the same rows with nothing to answer: no targets, no free velocities
    bool* holds;      // [row_count]
    double* softness; // of rows that yield, beside their compliance [m/s per N s]   [row_count]
    double* diagonal; // of W with both; 1 where a row does not hold   [row_count]
    double* right;    // what rows that hold feel, negated   [row_count]
    double* change;   // of the impulses   [row_count]
    double (*velocity)[6]; // scratch   [body_count]
    bool yields;           // one of the rows that hold
} System;

static bool allocate(System* system, const CnProblem* problem, CnArena* arena) {
    int rows = problem->row_count;
    size_t bodies = (size_t)problem->body_count;
    double* target = CN_ARENA_NEW(arena, double, rows);
    double(*still)[6] = cn_arena_allocate(arena, bodies, sizeof *still);
    *system = (System){
        .linear = *problem,
        .holds = CN_ARENA_NEW(arena, bool, rows),
        .softness = CN_ARENA_NEW(arena, double, rows),
        .diagonal = CN_ARENA_NEW(arena, double, rows),
        .right = CN_ARENA_NEW(arena, double, rows),
        .change = CN_ARENA_NEW(arena, double, rows),
        .velocity = cn_arena_allocate(arena, bodies, sizeof *system->velocity),
    };
    system->linear.target = target;
    system->linear.free_velocity = (const double(*)[6])still;
    return target != NULL && still != NULL && system->holds != NULL && system->softness != NULL &&
           system->diagonal != NULL && system->right != NULL && system->change != NULL &&
           system->velocity != NULL;
}

// A contact holds while p - rho u~ is inside its cone: there the natural map is rho u~, zero
// without velocity. One without friction holds along its normal only.
static void find_held_contact(const CnBlock* block, double rho, const double* u, const double* p,
                              bool* holds) {
    int n = block->row_count;
    double step[CN_MAX_ROWS], nearest[CN_MAX_ROWS];
    holds[0] = p[0] - rho * u[0] > 0.0;
    if (n == 1 || block->friction == 0.0) {
        return;
    }
    cn_friction_cone_shift(block->friction, n, u, step);
    for (int i = 0; i < n; ++i) {
        step[i] = p[i] - rho * step[i];
    }
    cn_friction_cone_project(block->friction, n, step, nearest);
    for (int i = 0; i < n; ++i) {
        holds[0] = holds[0] && nearest[i] == step[i];
    }
    for (int i = 1; i < n; ++i) {
        holds[i] = holds[0];
    }
}

// Of rows with bounds those between them; of forces those that answer to a velocity.
static void find_held(const CnProblem* problem, const CnBlock* block, const double* w,
                      const double* u, const double* p, bool* holds) {
    double rho = 1.0 / cn_block_largest_eigenvalue(w, block->row_count);
    if (block->law == CN_LAW_COULOMB) {
        find_held_contact(block, rho, u, p, holds);
        return;
    }
    for (int i = 0; i < block->row_count; ++i) {
        int row = block->first_row + i;
        double step = p[i] - rho * u[i];
        bool between = step > problem->lower[row] && step < problem->upper[row];
        holds[i] = block->law == CN_LAW_EQUALITY || (block->law == CN_LAW_BOUNDS && between) ||
                   (block->law == CN_LAW_FORCE && problem->slope[row] > 0.0);
    }
}

// What a row that holds is to lose: its u; of a force u + (p - offset) / slope; of a contact that
// stays where it is the velocity without the one that would close its gap.
static double felt(const CnProblem* problem, const CnBlock* block, int i, double softness,
                   bool closing, const double* u, const double* p) {
    int row = block->first_row + i;
    if (block->law == CN_LAW_FORCE) {
        return u[i] + softness * (p[i] - problem->offset[row]);
    }
    bool has_gap = block->law == CN_LAW_COULOMB && i == 0;
    return has_gap && !closing ? u[i] + fmin(problem->target[row], 0.0) : u[i];
}

static void pose(System* system, const CnProblem* problem, const double* impulse,
                 CnRestRefinement* refinement) {
    cn_problem_velocity(problem, impulse, system->velocity);
    for (int b = 0; b < problem->block_count; ++b) {
        const CnBlock* block = &problem->blocks[b];
        int n = block->row_count;
        double w[CN_MAX_ROWS * CN_MAX_ROWS], u[CN_MAX_ROWS];
        const double* p = impulse + block->first_row;
        cn_block_delassus(problem, block, w);
        cn_block_velocity(problem, block, (const double(*)[6])system->velocity, impulse, u);
        find_held(problem, block, w, u, p, system->holds + block->first_row);
        for (int i = 0; i < n; ++i) {
            int row = block->first_row + i;
            system->diagonal[row] = 1.0;
            if (system->holds[row]) {
                double softness = block->law == CN_LAW_FORCE ? 1.0 / problem->slope[row] : 0.0;
                system->softness[row] = softness;
                system->right[row] = -felt(problem, block, i, softness, refinement->closing, u, p);
                system->diagonal[row] = w[i * n + i] + softness;
                system->yields = system->yields || softness > 0.0 || problem->compliance[row] > 0.0;
                ++refinement->held_rows;
            }
        }
    }
}

// W and softness, of rows that hold; the others are not there.
static void apply(const double* x, double* y, void* context) {
    System* system = context;
    const CnProblem* linear = &system->linear;
    cn_problem_velocity(linear, x, system->velocity);
    for (int b = 0; b < linear->block_count; ++b) {
        const CnBlock* block = &linear->blocks[b];
        double u[CN_MAX_ROWS];
        cn_block_velocity(linear, block, (const double(*)[6])system->velocity, x, u);
        for (int i = 0; i < block->row_count; ++i) {
            int row = block->first_row + i;
            y[row] = system->holds[row] ? u[i] + system->softness[row] * x[row] : 0.0;
        }
    }
}

static void precondition(const double* x, double* y, void* context) {
    const System* system = context;
    for (int i = 0; i < system->linear.row_count; ++i) {
        y[i] = x[i] / system->diagonal[i];
    }
}

// Multiplications of one conjugate residual.
static double iteration_work(const CnProblem* problem) {
    return cn_cost_of_velocities(problem) + WORK_OF_ROW * problem->row_count;
}

static CnStatus refine_by_bodies(System* system, const CnProblem* problem,
                                 CnRestRefinement* refinement, const CnBudget* budget,
                                 CnArena* arena) {
    double left = budget->limit - *budget->work;
    CnRestRows rows = {.problem = problem,
                       .holds = system->holds,
                       .diagonal = system->diagonal,
                       .right = system->right,
                       .goal = refinement->goal,
                       .limit = fmin(left, FACTOR_ITERATIONS * iteration_work(problem))};
    CnStatus status = cn_rest_rows_solve(&rows, arena, system->change);
    refinement->by_bodies = rows.is_held;
    refinement->iterations = rows.rounds;
    refinement->work = rows.work;
    return status;
}

static CnStatus refine_by_residuals(System* system, const CnProblem* problem,
                                    CnRestRefinement* refinement, const CnBudget* budget,
                                    CnArena* arena) {
    CnLinearSystem equations = {problem->row_count, apply, precondition, system, system->right};
    double work = iteration_work(problem);
    double most = (budget->limit - *budget->work) / work - 2.0; // two products to begin with
    CnKrylovSettings settings = {.max_iterations = (int)fmax(0.0, fmin(MAX_ITERATIONS, most)),
                                 .absolute_tolerance = refinement->goal};
    CnKrylovReport report;
    CnStatus status = cn_krylov_cr(&equations, &settings, arena, system->change, &report);
    refinement->iterations = report.iterations;
    refinement->work += work * (report.iterations + 2);
    return status;
}

CnStatus cn_refine_rest(const CnProblem* problem, CnRestRefinement* refinement,
                        const CnBudget* budget, CnArena* arena, double* impulse) {
    System system;
    CnArenaMark mark = cn_arena_mark(arena);
    CnStatus status = allocate(&system, problem, arena) ? CN_OK : CN_NO_MEMORY;
    refinement->by_bodies = false;
    refinement->held_rows = refinement->iterations = 0;
    refinement->work = 0.0;
    if (status == CN_OK) {
        pose(&system, problem, impulse, refinement);
        if (!system.yields) {
            status = refine_by_bodies(&system, problem, refinement, budget, arena);
        }
        if (status == CN_OK && !refinement->by_bodies) {
            status = refine_by_residuals(&system, problem, refinement, budget, arena);
        }
        cn_budget_spend(budget, refinement->work);
        for (int i = 0; status == CN_OK && i < problem->row_count; ++i) {
            impulse[i] += system.change[i];
        }
    }
    cn_arena_release(arena, mark);
    return status;
}

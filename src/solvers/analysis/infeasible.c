// infeasible.c - a proof that a problem has no solution, and the blocks in conflict.
//
// Least squares: the velocities with the least violation of all rows, found by solving the same
// problem with a small compliance in every row. If the violation is not zero, the impulses are a
// combination of rows that moves no body but has a nonzero target: a Farkas certificate. It is
// verified before use. docs/theory/infeasible.md derives what is cited here.
#include "solvers/analysis/infeasible.h"

#include "constraints/problem/block.h"
#include "constraints/problem/owned_problem.h"
#include "solvers/solve/solver.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// Compliance of a row, relative to its W_ii: (5). Half of the digits.
#define SOFTNESS 1e-8

// The solver's tolerance for the compliant problem, relative to the largest velocity that a row
// requires.
#define ACCURACY 1e-6

// The compliance of conflicting rows relative to W_ii: forces stay within a thousand times the
// ordinary ones.
#define YIELDING 1e-3

// Velocities that would meet all rows must be this many times those that break them least, in
// energy, (7): with room for what the softness and the solver leave.
#define FARTHEST 1e3

#define NAME_SIZE 64 // of a block, in a remark

// Iterations of the interior point; without friction 10 to 25 are enough.
#define ITERATIONS 60

// A block belongs to the conflict when its share is at least this fraction of the largest.
#define LEAST_SHARE 1e-3

// The least-squares problem: of each block the rows that may contradict others.
typedef struct Relaxed {
    CnOwnedProblem rows;
    int* source;     // block of the problem that a block of the rows is   [block_count]
    double* asked;   // J v of immovable bodies - target: the velocity required of the movable ones
    double* impulse; // [row_count]
    double (*velocity)[6]; // [body_count]
    double most_asked;     // the largest that can cause a conflict [m/s or rad/s]
} Relaxed;

static double dot6(const double a[6], const double b[6]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

// The signs that a row's multiplier in a contradiction may have: (3).
typedef struct Signs {
    bool may_push, may_pull;
} Signs;

// Rows that give way to a force, or whose force is limited, contradict no other row.
static Signs signs_of(const CnProblem* problem, const CnBlock* block, int row) {
    bool is_normal = row == block->first_row;
    if (problem->compliance[row] > 0.0 || block->law == CN_LAW_FORCE) {
        return (Signs){false, false};
    }
    if (block->law == CN_LAW_EQUALITY) {
        return (Signs){true, true};
    }
    if (block->law == CN_LAW_COULOMB) {
        return (Signs){is_normal, false};
    }
    return (Signs){problem->upper[row] == HUGE_VAL, problem->lower[row] == -HUGE_VAL};
}

static double immovable_velocity(const CnProblem* problem, int body, const double jacobian[6]) {
    bool counts = body >= 0 && !cn_body_moves(problem, body);
    return counts ? dot6(jacobian, problem->free_velocity[body]) : 0.0;
}

// The velocity that a row requires of the movable bodies, (1).
static double asked_by(const CnProblem* problem, const CnBlock* block, int row) {
    double asked = immovable_velocity(problem, block->body_a, problem->jacobian_a[row]) +
                   immovable_velocity(problem, block->body_b, problem->jacobian_b[row]) -
                   problem->target[row];
    for (int side = 2; side < cn_block_sides(block); ++side) {
        asked += immovable_velocity(problem, cn_block_body(block, side),
                                    cn_block_jacobian(problem, row, side));
    }
    return asked;
}

// The velocity that a row requires and that may contradict other rows, (4) [m/s or rad/s]; 0: none.
static double asks_for_motion(const CnProblem* problem, const CnBlock* block, int row) {
    Signs signs = signs_of(problem, block, row);
    double asked = asked_by(problem, block, row);
    return fmax(signs.may_push ? -asked : 0.0, signs.may_pull ? asked : 0.0);
}

// (4): the largest velocity that a row requires; 0: no contradiction is possible.
static double find_most_asked(const CnProblem* problem) {
    double most = 0.0;
    for (int b = 0; b < problem->block_count; ++b) {
        const CnBlock* block = &problem->blocks[b];
        for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
            most = fmax(most, asks_for_motion(problem, block, row));
        }
    }
    return most;
}

static bool allocate(Relaxed* relaxed, const CnProblem* problem, CnArena* arena) {
    size_t bodies = (size_t)problem->body_count;
    relaxed->source = CN_ARENA_NEW(arena, int, problem->block_count);
    relaxed->asked = CN_ARENA_NEW(arena, double, problem->row_count);
    relaxed->impulse = CN_ARENA_NEW(arena, double, problem->row_count);
    relaxed->velocity = cn_arena_allocate(arena, bodies, sizeof *relaxed->velocity);
    return relaxed->source != NULL && relaxed->asked != NULL && relaxed->impulse != NULL &&
           relaxed->velocity != NULL &&
           cn_owned_problem_init(&relaxed->rows, arena, problem->body_count, problem->block_count,
                                 problem->row_count) &&
           (problem->jacobian_c == NULL || cn_owned_problem_add_second(&relaxed->rows, arena));
}

// A compliant row whose impulse has no limit.
static void copy_row(Relaxed* relaxed, const CnProblem* problem, const CnBlock* block, int row,
                     double own) {
    CnOwnedProblem* rows = &relaxed->rows;
    Signs signs = signs_of(problem, block, row);
    int to = rows->problem.row_count++;
    memcpy(rows->jacobian_a[to], problem->jacobian_a[row], sizeof rows->jacobian_a[to]);
    memcpy(rows->jacobian_b[to], problem->jacobian_b[row], sizeof rows->jacobian_b[to]);
    if (rows->jacobian_c != NULL) {
        memcpy(rows->jacobian_c[to], problem->jacobian_c[row], sizeof rows->jacobian_c[to]);
        memcpy(rows->jacobian_d[to], problem->jacobian_d[row], sizeof rows->jacobian_d[to]);
    }
    rows->target[to] = problem->target[row];
    rows->compliance[to] = SOFTNESS * (own > 0.0 ? own : 1.0);
    rows->lower[to] = signs.may_pull ? -HUGE_VAL : 0.0;
    rows->upper[to] = signs.may_push ? HUGE_VAL : 0.0;
    relaxed->asked[to] = asked_by(problem, block, row);
}

static void copy_block(Relaxed* relaxed, const CnProblem* problem, int index) {
    CnOwnedProblem* rows = &relaxed->rows;
    const CnBlock* block = &problem->blocks[index];
    CnBlock* to = &rows->blocks[rows->problem.block_count];
    double w[CN_MAX_ROWS * CN_MAX_ROWS];
    cn_block_delassus(problem, block, w);
    *to = *block;
    to->law = CN_LAW_BOUNDS;
    to->friction = 0.0;
    to->first_row = rows->problem.row_count;
    for (int i = 0; i < block->row_count; ++i) {
        Signs signs = signs_of(problem, block, block->first_row + i);
        if (signs.may_push || signs.may_pull) {
            copy_row(relaxed, problem, block, block->first_row + i, w[i * (block->row_count + 1)]);
        }
    }
    to->row_count = rows->problem.row_count - to->first_row;
    if (to->row_count > 0) {
        relaxed->source[rows->problem.block_count++] = index;
    }
}

static void relax(Relaxed* relaxed, const CnProblem* problem) {
    CnOwnedProblem* rows = &relaxed->rows;
    rows->problem.block_count = rows->problem.row_count = 0;
    for (int i = 0; i < problem->body_count; ++i) {
        rows->inverse_mass[i] = problem->inverse_mass[i];
        memcpy(rows->inverse_inertia[i], problem->inverse_inertia[i], sizeof(double[9]));
        memcpy(rows->free_velocity[i], problem->free_velocity[i], sizeof(double[6]));
    }
    for (int b = 0; b < problem->block_count; ++b) {
        copy_block(relaxed, problem, b);
    }
}

static CnStatus solve(Relaxed* relaxed, const CnBudget* budget, CnArena* arena) {
    const CnSolver* solver = &cn_solver_cone_ip;
    const CnProblem* problem = &relaxed->rows.problem;
    CnSolution solution = {relaxed->impulse, relaxed->velocity};
    CnSolverReport report = {.redundant_block = -1};
    CnSolverDef def = cn_solver_def_default();
    CnArenaMark mark = cn_arena_mark(arena);
    def.tolerance = ACCURACY * relaxed->most_asked;
    def.max_iterations = ITERATIONS;
    def.work_budget = fmax(0.0, budget->limit - *budget->work);
    def.deadline = budget->deadline;
    void* state = cn_arena_allocate(arena, 1, solver->state_size);
    CnStatus status =
        state == NULL ? CN_NO_MEMORY : solver->prepare(state, &def, problem, arena, NULL);
    if (status == CN_OK) {
        status = solver->solve(state, &def, problem, arena, &solution, &report);
        cn_budget_spend(budget, report.work);
    }
    cn_arena_release(arena, mark);
    return status;
}

// sqrt(x . J M^-1 J^T x): the energy norm of the velocities due to impulses x.
static double energy_norm(const Relaxed* relaxed, const double* x, double (*moved)[6]) {
    const CnProblem* problem = &relaxed->rows.problem;
    double sum = 0.0;
    memset(moved, 0, (size_t)problem->body_count * sizeof *moved);
    for (int b = 0; b < problem->block_count; ++b) {
        cn_block_apply(problem, &problem->blocks[b], x + problem->blocks[b].first_row, moved);
    }
    for (int b = 0; b < problem->block_count; ++b) {
        const CnBlock* block = &problem->blocks[b];
        for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
            double u = 0.0;
            for (int side = 0; side < cn_block_sides(block); ++side) {
                int body = cn_block_body(block, side);
                u += body >= 0 ? dot6(cn_block_jacobian(problem, row, side), moved[body]) : 0.0;
            }
            sum += x[row] * u;
        }
    }
    return sqrt(fmax(sum, 0.0));
}

// How much of a contradiction a block carries, comparable between blocks: |p| sqrt(W_aa).
static double part_of(const Relaxed* relaxed, const CnBlock* block) {
    double square = 0.0;
    for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
        double part = relaxed->impulse[row];
        square += part * part * relaxed->rows.compliance[row] / SOFTNESS;
    }
    return sqrt(square);
}

// The block with the largest share, and the number of blocks in the conflict.
static void name_blocks(const Relaxed* relaxed, CnInfeasibility* found) {
    const CnProblem* problem = &relaxed->rows.problem;
    double most = 0.0, largest = 0.0;
    for (int b = 0; b < problem->block_count; ++b) {
        const CnBlock* block = &problem->blocks[b];
        double asks = 0.0;
        for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
            asks -= relaxed->impulse[row] * relaxed->asked[row];
        }
        if (asks > most) {
            most = asks;
            found->block = relaxed->source[b];
        }
        largest = fmax(largest, part_of(relaxed, block));
    }
    for (int b = 0; b < problem->block_count; ++b) {
        bool takes_part = part_of(relaxed, &problem->blocks[b]) >= LEAST_SHARE * largest;
        found->block_count += takes_part ? 1 : 0;
    }
}

// (7), (8): the impulses change almost no velocity, and their required velocity exceeds the
// tolerance.
static void judge(Relaxed* relaxed, double tolerance, CnInfeasibility* found) {
    double asked = 0.0, sum = 0.0;
    for (int row = 0; row < relaxed->rows.problem.row_count; ++row) {
        double part = relaxed->impulse[row];
        relaxed->impulse[row] =
            fmin(fmax(part, relaxed->rows.lower[row]), relaxed->rows.upper[row]);
        asked -= relaxed->impulse[row] * relaxed->asked[row];
        sum += fabs(relaxed->impulse[row]);
    }
    double norm = energy_norm(relaxed, relaxed->impulse, relaxed->velocity);
    found->least = sum > 0.0 ? asked / sum : 0.0;
    if (isfinite(norm) && found->least > tolerance && asked >= FARTHEST * norm * norm) {
        name_blocks(relaxed, found);
    }
}

CnStatus cn_infeasible_find(const CnProblem* problem, double tolerance, const CnBudget* budget,
                            CnArena* arena, CnInfeasibility* found) {
    Relaxed relaxed;
    *found = (CnInfeasibility){0};
    if (problem->response != NULL || problem->masses != NULL) {
        return CN_OK;
    }
    relaxed.most_asked = find_most_asked(problem);
    if (!(relaxed.most_asked > tolerance)) {
        return CN_OK;
    }
    CnArenaMark mark = cn_arena_mark(arena);
    CnStatus status = allocate(&relaxed, problem, arena) ? CN_OK : CN_NO_MEMORY;
    if (status == CN_OK) {
        relax(&relaxed, problem);
        status = solve(&relaxed, budget, arena);
    }
    if (status == CN_OK) {
        judge(&relaxed, tolerance, found);
    }
    cn_arena_release(arena, mark);
    return status;
}

CnStatus cn_infeasible_soften(const CnProblem* problem, CnArena* arena, CnProblem* softened) {
    double* compliance = CN_ARENA_NEW(arena, double, problem->row_count);
    if (compliance == NULL) {
        return CN_NO_MEMORY;
    }
    for (int b = 0; b < problem->block_count; ++b) {
        const CnBlock* block = &problem->blocks[b];
        double w[CN_MAX_ROWS * CN_MAX_ROWS];
        cn_block_delassus(problem, block, w);
        for (int i = 0; i < block->row_count; ++i) {
            int row = block->first_row + i;
            bool asks = asks_for_motion(problem, block, row) > 0.0;
            double own = w[i * (block->row_count + 1)];
            compliance[row] = asks ? YIELDING * (own > 0.0 ? own : 1.0) : problem->compliance[row];
        }
    }
    *softened = *problem;
    softened->compliance = compliance;
    return CN_OK;
}

void cn_infeasible_report(const CnProblem* problem, const CnInfeasibility* found,
                          CnSolverReport* report) {
    char name[NAME_SIZE];
    report->infeasible_blocks = found->block_count;
    report->infeasible_block = found->block;
    report->infeasibility = found->least;
    cn_block_describe(problem, found->block, name, sizeof name);
    snprintf(report->remark, sizeof report->remark,
             "infeasible: %s contradicts %d other blocks, by at least %.2g m/s", name,
             found->block_count - 1, found->least);
}

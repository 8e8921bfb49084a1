// test_machine_newton.c - Newton steps on rows outside a machine end at Coulomb's law.
#include "constraints/problem/block.h"
#include "solvers/tree/machine_parts.h"
#include "support/problems/solving.h"
#include "support/shapes/random_poses.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

enum { CONTACTS = 6, STOPS = 2, ROWS = 3 * CONTACTS + STOPS, AXES = 40 };

#define TOLERANCE 1e-9 // [m/s]
#define BUDGET 1e9     // multiplications

// Rows outside with a known solution: contacts that stick, slide and are open in turn, then a stop
// that is closed and one that is open.
typedef struct Outside {
    Problem problem;
    CnOuterRows outer;
    int block[CONTACTS + STOPS];
    double y[ROWS * AXES], w[ROWS * ROWS], b[ROWS], before[ROWS], p[ROWS];
    double known[ROWS]; // impulses of the solution
} Outside;

static void set_contact(Outside* it, CnRandom* random, int contact, double* u) {
    int row = 3 * contact, state = contact % 3;
    double* p = it->known + row;
    double mu = 0.3, turn = cn_random_between(random, 0.0, 6.0);
    int block = problem_add_block(&it->problem, CN_LAW_COULOMB, 3, -1, -1);
    it->problem.blocks[block].friction = mu;
    if (state == 0) { // sticks
        p[0] = cn_random_between(random, 1.0, 2.0);
        p[1] = 0.5 * mu * p[0] * cos(turn);
        p[2] = 0.5 * mu * p[0] * sin(turn);
    } else if (state == 1) { // slides
        p[0] = cn_random_between(random, 1.0, 2.0);
        p[1] = mu * p[0] * cos(turn);
        p[2] = mu * p[0] * sin(turn);
        u[row + 1] = -0.4 * cos(turn);
        u[row + 2] = -0.4 * sin(turn);
    } else { // is open
        u[row] = cn_random_between(random, 0.5, 1.0);
        u[row + 1] = 0.2;
    }
}

// b such that the known impulses lead to u; the guess misses them by a share of their size.
static void set_up(Outside* it, uint64_t seed, int axes, double share) {
    CnRandom random = {seed};
    double u[ROWS] = {0.0};
    memset(it, 0, sizeof *it);
    for (int i = 0; i < CONTACTS; ++i) {
        set_contact(it, &random, i, u);
    }
    for (int i = 0; i < STOPS; ++i) {
        int row = 3 * CONTACTS + i;
        problem_add_block(&it->problem, CN_LAW_BOUNDS, 1, -1, -1);
        it->known[row] = i == 0 ? 1.5 : 0.0;
        u[row] = i == 0 ? 0.0 : 0.7;
    }
    for (int i = 0; i < ROWS * axes; ++i) {
        it->y[i] = cn_random_between(&random, -0.3, 0.3);
    }
    for (int i = 0; i < ROWS; ++i) {
        it->before[i] = cn_random_between(&random, -1.0, 1.0);
        for (int j = 0; j < ROWS; ++j) {
            it->w[i * ROWS + j] = cn_dense_dot(axes, it->y + i * axes, it->y + j * axes);
        }
    }
    for (int i = 0; i < ROWS; ++i) {
        it->b[i] = u[i];
        it->p[i] = it->known[i] * (1.0 + cn_random_between(&random, -share, share));
        for (int j = 0; j < ROWS; ++j) {
            it->b[i] -= it->w[i * ROWS + j] * (it->known[j] - it->before[j]);
        }
    }
    for (int i = 0; i < CONTACTS + STOPS; ++i) {
        it->block[i] = i;
    }
    it->outer = (CnOuterRows){.n = ROWS,
                              .block_count = CONTACTS + STOPS,
                              .block = it->block,
                              .w = it->w,
                              .b = it->b,
                              .before = it->before,
                              .p = it->p};
}

// The largest residual of a block, with W of its own rows.
static double residual_of(const Outside* it, const CnProblem* problem) {
    double worst = 0.0;
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        double u[CN_MAX_ROWS], w[CN_MAX_ROWS * CN_MAX_ROWS];
        for (int k = 0; k < block->row_count; ++k) {
            int row = block->first_row + k;
            u[k] = it->b[row];
            for (int j = 0; j < ROWS; ++j) {
                u[k] += it->w[row * ROWS + j] * (it->p[j] - it->before[j]);
            }
            memcpy(w + k * block->row_count, it->w + row * ROWS + block->first_row,
                   (size_t)block->row_count * sizeof(double));
        }
        double largest = cn_block_largest_eigenvalue(w, block->row_count);
        worst =
            fmax(worst, cn_block_residual(problem, block, w, largest, u, it->p + block->first_row));
    }
    return worst;
}

// Runs Newton; how often out of the seeds it gets there, always with a residual that shows it.
static int count_found(int axes, double share, double* farthest) {
    int count = 0;
    *farthest = 0.0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        static Outside it;
        CnArena arena;
        CnSolverReport report = {0};
        CnSolverDef def = cn_solver_def_default();
        bool found;
        double start[ROWS];
        set_up(&it, seed, axes, share);
        const CnProblem* problem = problem_view(&it.problem);
        memcpy(start, it.p, sizeof start);
        def.tolerance = TOLERANCE;
        def.work_budget = BUDGET;
        cn_arena_init(&arena, NULL);
        CHECK_INT(cn_outer_newton(problem, &def, &it.outer, &arena, &report, &found), CN_OK);
        if (found) {
            ++count;
            CHECK(residual_of(&it, problem) <= TOLERANCE);
            for (int i = 0; i < ROWS; ++i) {
                *farthest = fmax(*farthest, fabs(it.p[i] - it.known[i]));
            }
        } else {
            CHECK(memcmp(it.p, start, sizeof start) == 0);
        }
        cn_arena_destroy(&arena);
        problem_free(&it.problem);
    }
    return count;
}

// W is regular, and the guess of a step before has most states right: always found, the only
// solution near, with impulses as far off as the residual over the least eigenvalue of W, which
// is above 0.01 for 40 axes.
static void near_guesses_lead_to_the_solution(void) {
    double farthest;
    CHECK_INT(count_found(AXES, 0.05, &farthest), 20);
    CHECK(farthest <= 100.0 * TOLERANCE);
}

// Fewer axes than rows: impulses are not unique, and a matrix without the raised diagonal is
// singular. Most are found, and all that are hold the laws.
static void singular_responses_are_solved_too(void) {
    double farthest;
    CHECK(count_found(12, 0.05, &farthest) >= 15);
}

// 8 axes for the 14 rows that stick or slide, and a guess that misses by half: whole steps go back
// and forth between sets of states for two of the seeds, shorter ones find all: mechanisms.md (43).
static void steps_are_shortened_where_states_alternate(void) {
    double farthest;
    CHECK_INT(count_found(8, 0.5, &farthest), 20);
}

// One solve with a given budget.
static bool is_found(Outside* it, double budget, CnSolverReport* report) {
    CnArena arena;
    CnSolverDef def = cn_solver_def_default();
    bool found;
    def.tolerance = TOLERANCE;
    def.work_budget = budget;
    *report = (CnSolverReport){0};
    cn_arena_init(&arena, NULL);
    CHECK_INT(cn_outer_newton(problem_view(&it->problem), &def, &it->outer, &arena, report, &found),
              CN_OK);
    cn_arena_destroy(&arena);
    return found;
}

// A step costs the number of rows cubed.
static void steps_stay_within_the_budget(void) {
    static Outside it;
    CnSolverReport report;
    set_up(&it, 1, AXES, 0.05);
    CHECK(!is_found(&it, 1.5 * ROWS * ROWS * ROWS, &report));
    CHECK_INT(report.iterations, 1);
    CHECK(is_found(&it, BUDGET, &report));
    CHECK(report.iterations > 1);
    problem_free(&it.problem);
}

// From the solution itself: a velocity that is not a number is no answer, whichever row has it.
static void what_is_not_a_number_is_no_answer(void) {
    for (int row = 0; row < ROWS; ++row) {
        static Outside it;
        CnSolverReport report;
        set_up(&it, 1, AXES, 0.0);
        it.b[row] = NAN;
        CHECK(!is_found(&it, BUDGET, &report));
        problem_free(&it.problem);
    }
}

TEST_MAIN("unit/solvers/tree/machine_newton", TEST(near_guesses_lead_to_the_solution),
          TEST(singular_responses_are_solved_too), TEST(steps_are_shortened_where_states_alternate),
          TEST(steps_stay_within_the_budget), TEST(what_is_not_a_number_is_no_answer))

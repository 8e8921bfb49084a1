// test_second_pairs.c - blocks with a second pair of bodies: docs/theory/problem.md (19).
#include "cairn/random.h"
#include "cairn/solver.h"
#include "constraints/problem/block.h"
#include "constraints/problem/islands.h"
#include "support/problems/problems.h"
#include "support/test.h"

#include <stdio.h>
#include <unistd.h>

enum { BODIES = 6, MOST_ROWS = 32, MOST_ENTRIES = 24 * MOST_ROWS };

static void fill_row(CnRandom* random, double row[6]) {
    for (int k = 0; k < 6; ++k) {
        row[k] = cn_random_between(random, -1.0, 1.0);
    }
}

// Six bodies: blocks between two, on three and on four of them, contacts with friction.
static void fill(Problem* problem) {
    CnRandom random = {7};
    const struct {
        CnLaw law;
        int rows, bodies[4];
    } blocks[] = {
        {CN_LAW_EQUALITY, 3, {0, 1, -1, -1}}, {CN_LAW_EQUALITY, 2, {2, 3, 4, 5}},
        {CN_LAW_BOUNDS, 1, {1, 2, 3, -1}},    {CN_LAW_COULOMB, 3, {4, 5, -1, -1}},
        {CN_LAW_FORCE, 2, {5, 0, 2, 1}},      {CN_LAW_EQUALITY, 1, {3, -1, 0, 4}},
        {CN_LAW_COULOMB, 3, {-1, 0, -1, -1}},
    };
    for (int i = 0; i < BODIES; ++i) {
        int body = problem_add_body(problem, 0.5 + 0.3 * i, 2.0 - 0.2 * i);
        fill_row(&random, problem->free_velocity[body]);
    }
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; ++i) {
        const int* bodies = blocks[i].bodies;
        int block = problem_add_block(problem, blocks[i].law, blocks[i].rows, bodies[0], bodies[1]);
        problem->blocks[block].friction = 0.4;
        problem_add_second(problem, block, bodies[2], bodies[3]);
        for (int k = 0; k < blocks[i].rows; ++k) {
            int row = problem->blocks[block].first_row + k;
            double* const sides[4] = {problem->jacobian_a[row], problem->jacobian_b[row],
                                      problem->jacobian_c[row], problem->jacobian_d[row]};
            for (int side = 0; side < 4; ++side) {
                if (bodies[side] >= 0) {
                    fill_row(&random, sides[side]);
                }
            }
            problem->target[row] = cn_random_between(&random, -0.2, 0.2);
            problem->slope[row] = 0.3;
            problem->offset[row] = 0.1;
        }
    }
}

// The same problem with M and J as general sparse matrices, which know no bodies.
typedef struct General {
    int mass_start[6 * BODIES + 1], mass_column[6 * BODIES];
    double mass[6 * BODIES];
    int row_start[MOST_ROWS + 1], row_column[MOST_ENTRIES];
    double row[MOST_ENTRIES];
    CnBlock blocks[16];
    CnMasses* masses;
    CnProblem problem;
} General;

static void write_general(const CnProblem* problem, General* general) {
    memset(general, 0, sizeof *general);
    for (int i = 0; i < 6 * BODIES; ++i) { // balls: M is diagonal
        int body = i / 6;
        double inverse =
            i % 6 < 3 ? problem->inverse_mass[body] : problem->inverse_inertia[body][0];
        general->mass_column[i] = i;
        general->mass_start[i + 1] = i + 1;
        general->mass[i] = 1.0 / inverse;
    }
    for (int b = 0; b < problem->block_count; ++b) {
        const CnBlock* block = &problem->blocks[b];
        general->blocks[b] = *block;
        general->blocks[b].body_a = general->blocks[b].body_b = -1;
        general->blocks[b].second[0] = general->blocks[b].second[1] = 0;
        for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
            int used = general->row_start[row];
            for (int body = 0; body < BODIES; ++body) {
                for (int side = 0; side < 4; ++side) {
                    for (int k = 0; cn_block_body(block, side) == body && k < 6; ++k) {
                        general->row_column[used] = 6 * body + k;
                        general->row[used++] = cn_block_jacobian(problem, row, side)[k];
                    }
                }
            }
            general->row_start[row + 1] = used;
        }
    }
    CnMassesDef def = {
        .coordinate_count = 6 * BODIES,
        .mass = {general->mass_start, general->mass_column, general->mass},
        .jacobian = {general->row_start, general->row_column, general->row},
        .blocks = general->blocks,
        .block_count = problem->block_count,
    };
    CnError error = {0};
    general->masses = cn_masses_create(&def, &error);
    ck_assert_msg(general->masses != NULL, "%s", error.message);
    general->problem = *problem;
    general->problem.blocks = general->blocks;
    general->problem.masses = general->masses;
    general->problem.jacobian_c = general->problem.jacobian_d = NULL;
}

static void the_response_is_that_of_general_masses(void) {
    Problem problem = {0};
    General general;
    static double a[MOST_ROWS * MOST_ROWS], expected[MOST_ROWS * MOST_ROWS];
    double b[MOST_ROWS], expected_b[MOST_ROWS];
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CnError error = {0};
    fill(&problem);
    const CnProblem* view = problem_view(&problem);
    ck_assert_msg(cn_problem_check(view, &error) == CN_OK, "%s", error.message);
    write_general(view, &general);
    CHECK(cn_problem_response(view, workspace, a, b, NULL) == CN_OK);
    CHECK(cn_problem_response(&general.problem, workspace, expected, expected_b, NULL) == CN_OK);
    for (int i = 0; i < view->row_count; ++i) { // sums of 24 products of numbers up to 4
        for (int j = 0; j < view->row_count; ++j) {
            CHECK_NEAR(a[i * view->row_count + j], expected[i * view->row_count + j], 1e-13);
        }
        CHECK_NEAR(b[i], expected_b[i], 1e-13);
    }
    cn_masses_destroy(general.masses);
    cn_workspace_destroy(workspace);
    problem_free(&problem);
}

// Impulses are unique here: W is regular.
static void every_solver_answers_as_with_general_masses(void) {
    Problem problem = {0};
    General general;
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    double expected[MOST_ROWS] = {0.0}, velocity[BODIES][6];
    CnSolverDef def = cn_solver_def_default();
    CnSolverReport report;
    int answers = 0;
    fill(&problem);
    const CnProblem* view = problem_view(&problem);
    write_general(view, &general);
    def.tolerance = 1e-11;
    CnSolution reference = {expected, velocity};
    CHECK(cn_solve(&general.problem, &def, workspace, &reference, &report, NULL) == CN_OK);
    CHECK_INT(report.outcome, CN_CONVERGED);
    for (int i = 0; i < cn_solver_count(); ++i) {
        CnSolverInfo info = cn_solver_at(i);
        CnSolution solution = problem_solution(&problem);
        def.name = info.name;
        if (cn_solve(view, &def, workspace, &solution, &report, NULL) == CN_UNSUPPORTED ||
            !info.exact) {
            continue;
        }
        answers += 1;
        ck_assert_msg(report.outcome == CN_CONVERGED, "%s: %s, %g", info.name,
                      cn_outcome_name(report.outcome), report.error);
        for (int row = 0; row < view->row_count; ++row) { // residual / smallest eigenvalue of W
            ck_assert_msg(fabs(solution.impulse[row] - expected[row]) < 1e-8, "%s, row %d: %g, %g",
                          info.name, row, solution.impulse[row], expected[row]);
        }
    }
    CHECK(answers >= 5);
    cn_masses_destroy(general.masses);
    cn_workspace_destroy(workspace);
    problem_free(&problem);
}

static void velocities_of_rows_follow_from_the_definition(void) {
    Problem problem = {0};
    CnRandom random = {3};
    double p[MOST_ROWS], expected[MOST_ROWS], velocity[BODIES][6], u[CN_MAX_ROWS];
    fill(&problem);
    const CnProblem* view = problem_view(&problem);
    for (int row = 0; row < view->row_count; ++row) {
        p[row] = cn_random_between(&random, -1.0, 1.0);
    }
    problem_row_velocity(view, p, expected);
    cn_problem_velocity(view, p, velocity);
    for (int b = 0; b < view->block_count; ++b) {
        const CnBlock* block = &view->blocks[b];
        cn_block_velocity(view, block, (const double(*)[6])velocity, p, u);
        for (int k = 0; k < block->row_count; ++k) {
            CHECK_NEAR(u[k], expected[block->first_row + k], 1e-13);
        }
    }
    problem_free(&problem);
}

static void islands_are_joined_by_second_pairs(void) {
    Problem problem = {0};
    CnArena arena;
    CnIslands islands;
    CnIslandProblem part;
    for (int i = 0; i < BODIES; ++i) {
        problem_add_body(&problem, 1.0, 1.0);
    }
    int block = problem_add_block(&problem, CN_LAW_EQUALITY, 1, 4, 1);
    problem_add_second(&problem, block, -1, 3);
    problem_add_block(&problem, CN_LAW_EQUALITY, 1, 0, -1);
    problem_add_block(&problem, CN_LAW_EQUALITY, 1, 3, 5);
    for (int row = 0; row < 3; ++row) {
        problem.jacobian_a[row][0] = 1.0;
    }
    problem.jacobian_d[0][2] = 3.0;
    cn_arena_init(&arena, NULL);
    CHECK(cn_islands_find(problem_view(&problem), &arena, &islands) == CN_OK);
    CHECK_INT(islands.count, 2); // {4, 1, 3, 5} and {0}; body 2 has no rows
    CHECK(cn_island_extract(&problem.view, &islands, 0, &arena, &part) == CN_OK);
    CHECK_INT(part.problem.body_count, 4);
    CHECK_INT(part.body[part.problem.blocks[0].second[1] - 1], 3);
    CHECK_INT(part.problem.blocks[0].second[0], 0);
    CHECK_NEAR(part.problem.jacobian_d[0][2], 3.0, 0.0);
    CHECK(cn_island_extract(&problem.view, &islands, 1, &arena, &part) == CN_OK);
    CHECK(part.problem.jacobian_c == NULL); // who has no second pair pays nothing
    cn_arena_destroy(&arena);
    problem_free(&problem);
}

static void a_problem_survives_its_file(void) {
    Problem problem = {0};
    char path[80];
    CnError error = {0};
    fill(&problem);
    snprintf(path, sizeof path, "second_pairs_%d.json", (int)getpid());
    CHECK(cn_problem_save(problem_view(&problem), path, &error) == CN_OK);
    CnOwnedProblem* owned = cn_problem_load(path, &error);
    remove(path);
    ck_assert_msg(owned != NULL, "%s", error.message);
    const CnProblem* loaded = cn_owned_problem_get(owned);
    size_t rows = (size_t)problem.row_count * sizeof(double[6]);
    CHECK(memcmp(loaded->jacobian_c, problem.jacobian_c, rows) == 0);
    CHECK(memcmp(loaded->jacobian_d, problem.jacobian_d, rows) == 0);
    for (int i = 0; i < problem.block_count; ++i) {
        CHECK_INT(loaded->blocks[i].second[0], problem.blocks[i].second[0]);
        CHECK_INT(loaded->blocks[i].second[1], problem.blocks[i].second[1]);
    }
    CnOwnedProblem* copy = cn_problem_copy(loaded, &error);
    CHECK(copy != NULL &&
          memcmp(cn_owned_problem_get(copy)->jacobian_c, problem.jacobian_c, rows) == 0);
    cn_owned_problem_destroy(copy);
    cn_owned_problem_destroy(owned);
    problem_free(&problem);
}

static void check_refused(Problem* problem, const char* words) {
    CnError error = {0};
    CHECK(cn_problem_check(problem_view(problem), &error) == CN_INVALID);
    CHECK_CONTAINS(error.message, words);
}

static void wrong_pairs_are_refused(void) {
    Problem problem = {0};
    CnError error = {0};
    fill(&problem);
    problem.blocks[1].second[1] = BODIES + 1;
    check_refused(&problem,
                  "block 1 (equality): body_d is 6; it must be -1 (the world) or below 6");
    problem.blocks[1].second[1] = 3;
    check_refused(&problem, "block 1 (equality): body_a and body_d are both 2");
    problem.blocks[1].second[1] = 6;
    problem.blocks[3].second[0] = 1;
    check_refused(&problem, "block 3 (coulomb): a contact cannot have a second pair of bodies");
    problem.blocks[3].second[0] = 0;
    problem.blocks[1].second[0] = 0;
    check_refused(&problem, "but body_c is the world; it must be 0");
    problem.blocks[1].second[0] = 5;
    CnProblem bare = *problem_view(&problem);
    bare.jacobian_d = NULL;
    CHECK(cn_problem_check(&bare, &error) == CN_INVALID);
    CHECK_CONTAINS(error.message, "has a second pair of bodies, but jacobian_d is NULL");
    problem_free(&problem);
}

TEST_MAIN("constraints/second_pairs", TEST(the_response_is_that_of_general_masses),
          TEST(every_solver_answers_as_with_general_masses),
          TEST(velocities_of_rows_follow_from_the_definition),
          TEST(islands_are_joined_by_second_pairs), TEST(a_problem_survives_its_file),
          TEST(wrong_pairs_are_refused))

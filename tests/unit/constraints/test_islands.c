// test_islands.c - islands are the connected parts of a problem, and solve as the whole does.
#include "constraints/problem/islands.h"

#include "cairn/solver.h"
#include "support/problems/piles.h"
#include "support/test.h"

// Bodies of which one in `static_every` cannot move, joined by random one-row blocks.
static Problem random_graph(CnRandom* random, int bodies, int blocks, int static_every) {
    Problem problem = {0};
    for (int i = 0; i < bodies; ++i) {
        double inverse = i % static_every == 0 ? 0.0 : 1.0;
        problem_add_body(&problem, inverse, inverse);
    }
    for (int i = 0; i < blocks; ++i) {
        int a = (int)cn_random_between(random, -1.0 + 1e-9, bodies);
        int b = (a + 1 + (int)cn_random_between(random, 0.0, bodies - 1)) % bodies;
        int block = problem_add_block(&problem, CN_LAW_EQUALITY, 1, a, b);
        problem_set_row(&problem, problem.blocks[block].first_row, cn_vec3(1, 0, 0),
                        cn_vec3(0, 0, 0), cn_vec3(0, 0, 0));
    }
    return problem;
}

// The island of every block by flooding, one block at a time: slow and plain.
static int flood(const CnProblem* problem, int* island) {
    int count = 0;
    for (int i = 0; i < problem->block_count; ++i) {
        island[i] = -1;
    }
    for (int seed = 0; seed < problem->block_count; ++seed) {
        if (island[seed] >= 0) {
            continue;
        }
        island[seed] = count;
        for (bool grew = true; grew;) {
            grew = false;
            for (int i = 0; i < problem->block_count; ++i) {
                for (int j = 0; j < problem->block_count && island[i] < 0; ++j) {
                    if (island[j] != count) {
                        continue;
                    }
                    const int mine[2] = {problem->blocks[i].body_a, problem->blocks[i].body_b};
                    const int other[2] = {problem->blocks[j].body_a, problem->blocks[j].body_b};
                    for (int k = 0; k < 4; ++k) {
                        int body = mine[k / 2];
                        if (body >= 0 && body == other[k % 2] &&
                            problem->inverse_mass[body] > 0.0) {
                            island[i] = count;
                            grew = true;
                        }
                    }
                }
            }
        }
        ++count;
    }
    return count;
}

static void islands_are_what_flooding_finds(void) {
    CnRandom random = {1};
    for (int k = 0; k < 60; ++k) {
        Problem problem = random_graph(&random, 4 + k % 30, 1 + k % 25, 3 + k % 4);
        const CnProblem* view = problem_view(&problem);
        CnArena arena;
        cn_arena_init(&arena, NULL);
        CnIslands islands;
        CHECK(cn_islands_find(view, &arena, &islands) == CN_OK);
        int expected[25];
        CHECK_INT(islands.count, flood(view, expected));
        CHECK_INT(islands.block_start[islands.count], view->block_count);
        for (int island = 0; island < islands.count; ++island) {
            for (int i = islands.block_start[island]; i < islands.block_start[island + 1]; ++i) {
                CHECK_INT(expected[islands.block[i]], island);
                CHECK(i == islands.block_start[island] ||
                      islands.block[i] > islands.block[i - 1]); // in their order
            }
        }
        cn_arena_destroy(&arena);
        problem_free(&problem);
    }
}

static void an_extracted_island_says_the_same_of_its_parts(void) {
    CnRandom random = {2};
    Problem problem = random_graph(&random, 30, 25, 4);
    problem_name_block(&problem, 0, "first");
    const CnProblem* view = problem_view(&problem);
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CnIslands islands;
    CHECK(cn_islands_find(view, &arena, &islands) == CN_OK);
    CHECK(islands.count > 2);
    int rows = 0;
    for (int island = 0; island < islands.count; ++island) {
        CnIslandProblem part;
        CHECK(cn_island_extract(view, &islands, island, &arena, &part) == CN_OK);
        rows += part.problem.row_count;
        for (int i = 0; i < part.problem.block_count; ++i) {
            const CnBlock* own = &part.problem.blocks[i];
            int index = islands.block[islands.block_start[island] + i];
            const CnBlock* original = &view->blocks[index];
            CHECK_INT(own->body_a < 0 ? -1 : part.body[own->body_a], original->body_a);
            CHECK_INT(own->body_b < 0 ? -1 : part.body[own->body_b], original->body_b);
            CHECK_INT(part.row[own->first_row], original->first_row);
            CHECK(part.problem.block_names[i] == view->block_names[index]);
            CHECK(memcmp(part.problem.jacobian_b[own->first_row],
                         view->jacobian_b[original->first_row], sizeof(double[6])) == 0);
        }
        for (int i = 0; i < part.problem.body_count; ++i) {
            CHECK(part.problem.inverse_mass[i] == view->inverse_mass[part.body[i]]);
        }
    }
    CHECK_INT(rows, view->row_count);
    cn_arena_destroy(&arena);
    problem_free(&problem);
}

// Three stacks that share only the ground: solved apart, their impulses certify the whole.
static void islands_solved_apart_solve_the_whole(void) {
    Problem problem = {0};
    for (int i = 0; i < 3; ++i) {
        const double mass[2] = {1.0, 1.0 + i};
        pile_add_stack(&problem, 2, mass, 0.5, 1.0);
    }
    const CnProblem* view = problem_view(&problem);
    CnSolution whole = problem_solution(&problem);
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CnIslands islands;
    CHECK(cn_islands_find(view, &arena, &islands) == CN_OK);
    CHECK_INT(islands.count, 3);
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    for (int island = 0; island < 3; ++island) {
        CnIslandProblem part;
        CHECK(cn_island_extract(view, &islands, island, &arena, &part) == CN_OK);
        double impulse[24] = {0.0}, velocity[2][6];
        CnSolution solution = {impulse, velocity};
        CnSolverDef def = cn_solver_def_default();
        def.tolerance = 1e-10;
        CnSolverReport report;
        CHECK(cn_problem_check(&part.problem, NULL) == CN_OK);
        CHECK(cn_solve(&part.problem, &def, workspace, &solution, &report, NULL) == CN_OK);
        for (int i = 0; i < part.problem.row_count; ++i) {
            whole.impulse[part.row[i]] = impulse[i];
        }
    }
    cn_problem_velocity(view, whole.impulse, whole.velocity);
    CnCertificate certificate;
    cn_problem_certify(view, &whole, NULL, &certificate);
    CHECK(certificate.worst <= 1e-10);
    cn_workspace_destroy(workspace);
    cn_arena_destroy(&arena);
    problem_free(&problem);
}

TEST_MAIN("constraints/islands", TEST(islands_are_what_flooding_finds),
          TEST(an_extracted_island_says_the_same_of_its_parts),
          TEST(islands_solved_apart_solve_the_whole))

// test_nsgs.c - block Gauss-Seidel reaches many digits, on easy problems and on hard ones.
#include "cairn/solver.h"
#include "support/problems/piles.h"
#include "support/problems/solving.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static CnSolverDef def_of(const char* name, double tolerance) {
    CnSolverDef def = cn_solver_def_default();
    def.name = name;
    def.tolerance = tolerance;
    return def;
}

static void require_converged(const CnSolverReport* report) {
    ck_assert_msg(report->outcome == CN_CONVERGED, "%s: %g m/s after %d iterations (%s)",
                  cn_outcome_name(report->outcome), report->certificate.worst, report->iterations,
                  report->remark);
}

// Four parallel normals on one body have rank 3: no factorisation of W exists, and how the weight
// divides is undetermined. The sum is not: m g dt = 0.0981 N s.
static void a_box_on_four_points_is_carried(void) {
    Problem problem = {0};
    const double mass[1] = {1.0};
    pile_add_stack(&problem, 1, mass, 0.5, 0.0);
    CnSolverReport report = solve_problem(&problem, def_of("nsgs", 1e-14));
    require_converged(&report);
    double sum = 0.0;
    for (int i = 0; i < 4; ++i) {
        sum += problem.impulse[3 * i];
    }
    CHECK_NEAR(sum, 0.0981, 1e-14); // the residual is a velocity; the mass is 1 kg
    problem_free(&problem);
}

// A million kilograms on top of one: sweeps alone would need millions. The lowest contacts carry
// everything, g dt times the total mass; the body's velocity, a residual of 1e-10 m/s, is the error
// of that balance, times the mass.
static void a_heavy_box_on_light_ones_is_carried(void) {
    Problem problem = {0};
    const double mass[5] = {1.0, 1.0, 1.0, 1.0, 1e6};
    pile_add_stack(&problem, 5, mass, 0.5, 0.0);
    CnSolverReport report = solve_problem(&problem, def_of("nsgs", 1e-10));
    require_converged(&report);
    double sum = 0.0;
    for (int i = 0; i < 4; ++i) {
        sum += problem.impulse[3 * i];
    }
    CHECK_NEAR(sum, 0.0981 * (1e6 + 4.0), 1e-10 * 1e6 * 10.0);
    problem_free(&problem);
}

static void stacks_of_any_mass_ratio_converge_with_friction(void) {
    const int heights[4] = {2, 3, 6, 12};
    for (int k = 0; k < 4; ++k) {
        for (int order = 0; order < 3; ++order) { // heavy on top, alternating, heavy below
            Problem problem = {0};
            double mass[12];
            for (int i = 0; i < heights[k]; ++i) {
                bool heavy = order == 0 ? i == heights[k] - 1 : (order == 1 ? i % 2 == 1 : i == 0);
                mass[i] = heavy ? 1e4 : 1.0;
            }
            pile_add_stack(&problem, heights[k], mass, 0.5, 1.0);
            CnSolverReport report = solve_problem(&problem, def_of("nsgs", 1e-10));
            require_converged(&report);
            problem_free(&problem);
        }
    }
}

static void a_hundred_links_converge_with_a_heavy_end(void) {
    Problem problem = {0};
    pile_add_chain(&problem, 100, 1e6);
    CnSolverReport report = solve_problem(&problem, def_of("nsgs", 1e-10));
    require_converged(&report);
    CHECK(report.iterations < 200);
    problem_free(&problem);
}

// Contact can only take energy from bodies that would meet a world at rest.
static void random_piles_converge_and_lose_energy(void) {
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        CnRandom random = {seed};
        Problem problem = {0};
        int bodies = 2 + (int)cn_random_between(&random, 0.0, 30.0);
        int contacts = bodies + (int)cn_random_between(&random, 0.0, 2.0 * bodies);
        pile_add_random(&problem, &random, bodies, contacts, (double)(seed % 3),
                        seed % 2 == 0 ? 0.5 : -1.0);
        CnSolverReport report = solve_problem(&problem, def_of("nsgs", 1e-10));
        require_converged(&report);
        const CnProblem* view = problem_view(&problem);
        double before = pile_energy(view, view->free_velocity);
        double after = pile_energy(view, (const double(*)[6])problem.velocity);
        CHECK(after <= before * (1.0 + 1e-12));
        problem_free(&problem);
    }
}

// The velocity of a frictional pile is unique for small friction, whoever computes it. With masses
// of 0.1 to 1 kg W is well conditioned; both residuals are 1e-11, velocities agree to 1e-8.
static void pgs_and_nsgs_agree(void) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        CnRandom random = {100 + seed};
        Problem problem = {0};
        pile_add_random(&problem, &random, 8, 12, 1.0, 0.2);
        CnSolverReport first = solve_problem(&problem, def_of("nsgs", 1e-11));
        require_converged(&first);
        double velocity[8][6];
        memcpy(velocity, problem.velocity, sizeof velocity);
        CnSolverDef def = def_of("pgs", 1e-11);
        def.max_iterations = 100000;
        CnSolverReport second = solve_problem(&problem, def);
        require_converged(&second);
        for (int i = 0; i < 8; ++i) {
            for (int k = 0; k < 6; ++k) {
                CHECK_NEAR(problem.velocity[i][k], velocity[i][k], 1e-8);
            }
        }
        problem_free(&problem);
    }
}

// W = [2 0.5; 0.5 3], b = (1, 1.5): p = (9, 10) / 23; with b = (1, -1.5) the second row opens and
// p = (1/2, 0).
static void two_bounded_rows_have_a_known_answer(void) {
    const double a[4] = {2.0, 0.5, 0.5, 3.0};
    const double closed[2] = {1.0, 1.5};
    const double half_open[2] = {1.0, -1.5};
    Problem problem = {0};
    problem_from_matrix(&problem, CN_LAW_BOUNDS, 2, a, closed);
    solve_problem(&problem, def_of("nsgs", 1e-14));
    CHECK_NEAR(problem.impulse[0], 9.0 / 23.0, 1e-14);
    CHECK_NEAR(problem.impulse[1], 10.0 / 23.0, 1e-14);
    memcpy(problem.target, half_open, sizeof half_open);
    solve_problem(&problem, def_of("nsgs", 1e-14));
    CHECK_NEAR(problem.impulse[0], 0.5, 1e-14);
    CHECK(problem.impulse[1] == 0.0);
    problem_free(&problem);
}

// Six rows with bounds on one body, one block: an LCP that the block must answer in one go. Against
// six blocks of one row, swept by pgs.
static void a_block_of_six_bounds_is_solved_as_one(void) {
    CnRandom random = {7};
    for (int k = 0; k < 200; ++k) {
        Problem joined = {0}, split = {0};
        problem_add_body(&joined, 1.0, 2.0);
        problem_add_body(&split, 1.0, 2.0);
        problem_add_block(&joined, CN_LAW_BOUNDS, 6, -1, 0);
        for (int i = 0; i < 6; ++i) {
            problem_add_block(&split, CN_LAW_BOUNDS, 1, -1, 0);
        }
        for (int i = 0; i < 6; ++i) {
            for (int j = 0; j < 6; ++j) {
                joined.jacobian_b[i][j] = cn_random_between(&random, -1.0, 1.0) + (i == j);
                split.jacobian_b[i][j] = joined.jacobian_b[i][j];
            }
            joined.target[i] = split.target[i] = cn_random_between(&random, -1.0, 1.0);
            joined.lower[i] = split.lower[i] = -0.3;
            joined.upper[i] = split.upper[i] = i % 2 == 0 ? HUGE_VAL : 0.4;
        }
        CnSolverReport report = solve_problem(&joined, def_of("nsgs", 1e-13));
        require_converged(&report);
        CHECK(report.iterations <= 10); // the first check finds it
        CnSolverDef def = def_of("pgs", 1e-11);
        def.max_iterations = 1000000;
        solve_problem(&split, def);
        for (int i = 0; i < 6; ++i) { // same velocities: u is unique, 1e-11 over conditioning
            CHECK_NEAR(split.velocity[0][i], joined.velocity[0][i], 1e-8);
        }
        problem_free(&joined);
        problem_free(&split);
    }
}

// Three dampers and given forces on one body in one block: p = offset - slope u for every row at
// once; one exact answer, residual at round-off after the first sweep.
static void a_block_of_forces_is_solved_as_one(void) {
    CnRandom random = {8};
    Problem problem = {0};
    int body = problem_add_body(&problem, 0.5, 2.0);
    problem_add_block(&problem, CN_LAW_FORCE, 3, -1, body);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 6; ++j) {
            problem.jacobian_b[i][j] = cn_random_between(&random, -1.0, 1.0);
        }
        problem.offset[i] = cn_random_between(&random, -5.0, 5.0);
        problem.slope[i] = i == 2 ? 0.0 : 10.0 * i; // 0, 10, and a plain given force
    }
    CnSolverReport report = solve_problem(&problem, def_of("nsgs", 1e-13));
    require_converged(&report);
    double u[3];
    problem_row_velocity(problem_view(&problem), problem.impulse, u);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(problem.impulse[i], problem.offset[i] - problem.slope[i] * u[i], 1e-12);
    }
    problem_free(&problem);
}

// The same joint twice: consistent, singular, and no trouble.
static void a_redundant_joint_is_no_trouble(void) {
    Problem problem = {0};
    pile_add_chain(&problem, 3, 1.0);
    problem_add_point_joint(&problem, 0, 1, cn_vec3(0.5, 0, 0), cn_vec3(-0.5, 0, 0));
    int body = problem_add_body(&problem, 1.0, 6.0); // six rows where five would do
    int block = problem_add_block(&problem, CN_LAW_EQUALITY, 6, -1, body);
    for (int i = 0; i < 6; ++i) {
        problem.jacobian_b[problem.blocks[block].first_row + i][i % 5] = 1.0;
    }
    problem.free_velocity[body][0] = 1.0;
    CnSolverReport report = solve_problem(&problem, def_of("nsgs", 1e-12));
    require_converged(&report);
    problem_free(&problem);
}

// Turning the tangents of every contact by its own angle turns their impulses and nothing else.
static void friction_does_not_see_the_tangent_axes(void) {
    CnRandom random = {9};
    Problem problem = {0};
    pile_add_random(&problem, &random, 10, 20, 1.0, 0.3);
    CnSolverReport report = solve_problem(&problem, def_of("nsgs", 1e-13));
    require_converged(&report);
    double velocity[10][6];
    memcpy(velocity, problem.velocity, sizeof velocity);
    for (int i = 0; i < problem.block_count; ++i) {
        int row = problem.blocks[i].first_row + 1;
        double c = cos(i + 1.0), s = sin(i + 1.0);
        double(*const sides[2])[6] = {problem.jacobian_a, problem.jacobian_b};
        for (int side = 0; side < 2; ++side) {
            for (int k = 0; k < 6; ++k) {
                double first = sides[side][row][k], second = sides[side][row + 1][k];
                sides[side][row][k] = c * first + s * second;
                sides[side][row + 1][k] = c * second - s * first;
            }
        }
    }
    report = solve_problem(&problem, def_of("nsgs", 1e-13));
    require_converged(&report);
    for (int i = 0; i < 10; ++i) {
        for (int k = 0; k < 6; ++k) { // residual 1e-13, a pile ten bodies high
            CHECK_NEAR(problem.velocity[i][k], velocity[i][k], 1e-11);
        }
    }
    problem_free(&problem);
}

static void over_relaxation_keeps_the_answer(void) {
    Problem problem = {0};
    pile_add_chain(&problem, 10, 1.0);
    solve_problem(&problem, def_of("nsgs", 1e-12));
    double velocity[10][6];
    memcpy(velocity, problem.velocity, sizeof velocity);
    CnSolverDef def = def_of("nsgs", 1e-12);
    def.over_relaxation = 1.5;
    CnSolverReport report = solve_problem(&problem, def);
    require_converged(&report);
    for (int i = 0; i < 10; ++i) {
        for (int k = 0; k < 6; ++k) { // ten links: errors add up along the chain
            CHECK_NEAR(problem.velocity[i][k], velocity[i][k], 1e-10);
        }
    }
    problem_free(&problem);
}

// Alternating masses of 1 and 1e6 kg: impulses of 5e5 N s act on bodies of 1 kg, so round-off alone
// leaves 5e5 * 2.2e-16 * 10 = 1e-9 m/s. Asking for less must end, and say so.
static void below_round_off_it_stops_and_says_so(void) {
    Problem problem = {0};
    double mass[10];
    for (int i = 0; i < 10; ++i) {
        mass[i] = i % 2 == 1 ? 1e6 : 1.0;
    }
    pile_add_stack(&problem, 10, mass, 0.5, 1.0);
    CnSolverReport report = solve_problem(&problem, def_of("nsgs", 1e-13));
    CHECK(report.outcome == CN_STALLED);
    CHECK(report.certificate.worst < 2e-9);
    CHECK_CONTAINS(report.remark, "round-off");
    problem_free(&problem);
}

static void box_friction_is_refused_with_a_sentence(void) {
    Problem problem = {0};
    const double mass[1] = {1.0};
    pile_add_stack(&problem, 1, mass, 0.5, 0.0);
    CnSolverDef def = def_of("nsgs", 1e-8);
    def.friction = CN_FRICTION_BOX;
    CnSolution solution = problem_solution(&problem);
    CnSolverReport report;
    CnError error;
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CHECK(cn_solve(problem_view(&problem), &def, workspace, &solution, &report, &error) ==
          CN_UNSUPPORTED);
    CHECK(report.outcome == CN_REFUSED);
    CHECK_CONTAINS(error.message, "\"box\" friction; these do: auto, pgs, lemke");
    cn_workspace_destroy(workspace);
    problem_free(&problem);
}

// A chain that hangs by one end, with a ball at the other that is thrown against a wall. Sweeps
// alone pass the blow on from joint to joint: a thousand links take thousands of them.
static void a_blow_at_the_end_of_a_long_chain_is_answered_at_once(void) {
    const int links[3] = {30, 300, 1000};
    for (int i = 0; i < 3; ++i) {
        Problem problem = {0};
        pile_add_chain(&problem, links[i], 1000.0);
        int ball = problem.body_count - 1;
        CnVec3 none = {0.0, 0.0, 0.0};
        problem_add_contact(&problem, ball, -1, none, none,
                            0.5); // the wall is above: z leads there
        problem.free_velocity[ball][2] = 2.0;
        problem.free_velocity[ball][1] = 0.7;
        CnSolverReport report = solve_problem(&problem, def_of("nsgs", 1e-10));
        require_converged(&report);
        CHECK(report.iterations <= 200);
        CHECK(problem.impulse[problem.row_count - 3] > 0.0);
        problem_free(&problem);
    }
}

// Ten boxes on top of each other: the four contacts under the i-th carry what is above them,
// (10 - i) m g dt together, whatever the order of the visits. The momentum of each box is wrong by
// some 1e-11 N s (four residuals of 1e-11 m/s, 1 kg), and the lowest contacts add up those of ten.
static void the_order_of_visits_keeps_the_answer(void) {
    const double mass[10] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
    for (int seed = 0; seed < 4; ++seed) {
        Problem problem = {0};
        pile_add_stack(&problem, 10, mass, 0.5, 0.0);
        CnSolverDef def = def_of("nsgs", 1e-11);
        def.shuffle = seed;
        def.freeze_after = seed % 2 == 0 ? 0 : 3;
        CnSolverReport report = solve_problem(&problem, def);
        require_converged(&report);
        for (int i = 0; i < 10; ++i) {
            const double* p = problem.impulse + 12 * i;
            CHECK_NEAR(p[0] + p[3] + p[6] + p[9], (10 - i) * 0.0981, 1e-9);
        }
        problem_free(&problem);
    }
}

// How four points share a weight is open, so that the order of the visits shows.
static void a_seed_gives_the_same_bits(void) {
    double impulse[3][3 * 40];
    const int seeds[3] = {5, 5, 6};
    for (int i = 0; i < 3; ++i) {
        Problem problem = {0};
        const double mass[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
        pile_add_stack(&problem, 10, mass, 0.5, 0.0);
        CnSolverDef def = def_of("nsgs", 1e-10);
        def.shuffle = seeds[i];
        CnSolverReport report = solve_problem(&problem, def);
        require_converged(&report);
        CHECK_INT(problem.row_count, 3 * 40);
        memcpy(impulse[i], problem.impulse, sizeof impulse[i]);
        problem_free(&problem);
    }
    CHECK(memcmp(impulse[0], impulse[1], sizeof impulse[0]) == 0);
    CHECK(memcmp(impulse[0], impulse[2], sizeof impulse[0]) != 0);
}

// Machines saved from scenes, with the iterations that they take when joints are eliminated.
static void machines_in_contact_converge_in_few_iterations(void) {
    const char* const names[] = {"wrecking_ball_hits_wall", "hard/robot_of_32_hinges_stands",
                                 "hard/rope_bridge_with_boxes"};
    for (int i = 0; i < 3; ++i) {
        char path[400];
        CnError error = {0};
        CnSolverReport report;
        CnSolverDef def = def_of("nsgs", 1e-8);
        snprintf(path, sizeof path, "%s/tests/problems/%s.json", TEST_SOURCE_DIR, names[i]);
        CnOwnedProblem* owned = cn_problem_load(path, &error);
        ck_assert_msg(owned != NULL, "%s", error.message);
        const CnProblem* problem = cn_owned_problem_get(owned);
        CnWorkspace* workspace = cn_workspace_create(NULL, &error);
        CnSolution solution = {calloc((size_t)problem->row_count, sizeof(double)),
                               calloc((size_t)problem->body_count, sizeof(double[6]))};
        CHECK_INT(cn_solve(problem, &def, workspace, &solution, &report, &error), CN_OK);
        require_converged(&report);
        ck_assert_msg(report.iterations <= 100, "%s: %d iterations", names[i], report.iterations);
        free(solution.impulse);
        free(solution.velocity);
        cn_workspace_destroy(workspace);
        cn_owned_problem_destroy(owned);
    }
}

TEST_MAIN("solvers/nsgs", TEST(a_box_on_four_points_is_carried),
          TEST(a_heavy_box_on_light_ones_is_carried),
          TEST(stacks_of_any_mass_ratio_converge_with_friction),
          TEST(a_hundred_links_converge_with_a_heavy_end),
          TEST(random_piles_converge_and_lose_energy), TEST(pgs_and_nsgs_agree),
          TEST(two_bounded_rows_have_a_known_answer), TEST(a_block_of_six_bounds_is_solved_as_one),
          TEST(a_block_of_forces_is_solved_as_one), TEST(a_redundant_joint_is_no_trouble),
          TEST(friction_does_not_see_the_tangent_axes), TEST(over_relaxation_keeps_the_answer),
          TEST(below_round_off_it_stops_and_says_so), TEST(box_friction_is_refused_with_a_sentence),
          TEST(a_blow_at_the_end_of_a_long_chain_is_answered_at_once),
          TEST(the_order_of_visits_keeps_the_answer), TEST(a_seed_gives_the_same_bits),
          TEST(machines_in_contact_converge_in_few_iterations))

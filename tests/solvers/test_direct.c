// test_direct.c - the direct solver on mechanisms with known forces, and on contradictions.
#include "cairn/random.h"
#include "constraints/problem/block.h"
#include "solvers/matrix/split_bodies.h"
#include "support/problems/solving.h"
#include "support/test.h"

#define TOLERANCE 1e-10        // [m/s]
#define GRAVITY 9.81           // [m/s^2]
#define STEP 0.01              // [s]
#define TURN 6.283185307179586 // [rad]

static const CnVec3 origin = {0.0, 0.0, 0.0};

// A chain of bodies of 1 kg hanging from the world by point joints half a metre from each centre.
static void build_chain(Problem* problem, int links) {
    CnVec3 up = cn_vec3(0.0, 0.0, 0.5), down = cn_vec3(0.0, 0.0, -0.5);
    int last = -1;
    for (int i = 0; i < links; ++i) {
        int body = problem_add_body(problem, 1.0, 10.0);
        problem->free_velocity[body][2] = -GRAVITY * STEP;
        problem_add_point_joint(problem, last, body, last < 0 ? origin : down, up);
        last = body;
    }
}

static void a_hanging_chain_carries_what_is_below(void) {
    enum { LINKS = 50 };
    Problem problem = {0};
    CnSolution solution;
    build_chain(&problem, LINKS);
    CnSolverReport report = run_solver(&cn_solver_direct, &problem, TOLERANCE, &solution);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK(report.certificate.worst <= 1e-13); // round-off of velocities of 0.1 m/s, times LINKS
    for (int i = 0; i < LINKS; ++i) {
        double weight = (LINKS - i) * GRAVITY * STEP; // [N s]
        CHECK_NEAR(solution.impulse[3 * i + 2], weight, 1e-11);
    }
    CHECK_INT(report.redundant_rows, 0);
    CHECK_INT(report.redundant_block, -1);
    CHECK_STRING(report.remark, "");
    problem_free(&problem);
}

static void heavy_at_the_end_of_a_light_chain(void) {
    enum { LINKS = 20 };
    Problem problem = {0};
    CnSolution solution;
    build_chain(&problem, LINKS);
    problem.inverse_mass[LINKS - 1] = 1e-6; // 1e6 kg
    for (int axis = 0; axis < 3; ++axis) {
        problem.inverse_inertia[LINKS - 1][4 * axis] = 1e-5;
    }
    CnSolverReport report = run_solver(&cn_solver_direct, &problem, TOLERANCE, &solution);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK(report.certificate.worst <= TOLERANCE);
    double weight = (1e6 + LINKS - 1) * GRAVITY * STEP;
    // The mass ratio 1e6 is the condition number: 1e6 * epsilon, relative, with some margin.
    CHECK_NEAR(solution.impulse[2], weight, 1e-8 * weight);
    problem_free(&problem);
}

static void a_repeated_joint_is_redundant_and_named(void) {
    Problem problem = {0};
    CnSolution solution;
    build_chain(&problem, 3);
    CnVec3 up = cn_vec3(0.0, 0.0, 0.5), down = cn_vec3(0.0, 0.0, -0.5);
    int twin = problem_add_point_joint(&problem, 0, 1, down, up);
    problem_name_block(&problem, 1, "elbow");
    problem_name_block(&problem, twin, "elbow again");
    CnSolverReport report = run_solver(&cn_solver_direct, &problem, TOLERANCE, &solution);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK(report.certificate.worst <= TOLERANCE);
    CHECK_INT(report.redundant_rows, 3);
    CHECK(report.redundant_block == 1 || report.redundant_block == twin);
    CHECK_CONTAINS(report.remark, "3 redundant rows");
    CHECK_CONTAINS(report.remark, "elbow");
    int row = problem.blocks[twin].first_row;
    CHECK_NEAR(solution.impulse[5] + solution.impulse[row + 2], 2.0 * GRAVITY * STEP, 1e-12);
    problem_free(&problem);
}

// A ring of n bodies and n hinges with parallel axes, moving in its plane. A hinge has 5 rows, of
// which 2 keep the axes parallel and 1 keeps the bodies in the plane: these 3 act across the plane,
// and going around the ring the last 3 follow from the others.
static void check_planar_ring(int n) {
    Problem problem = {0};
    CnSolution solution;
    for (int i = 0; i < n; ++i) {
        double angle = TURN * i / n;
        int body = problem_add_body(&problem, 1.0, 3.0);
        problem.free_velocity[body][0] = cos(3.0 * angle); // something to correct, in the plane
        problem.free_velocity[body][2] = sin(angle);
    }
    for (int i = 0; i < n; ++i) {
        int next = (i + 1) % n;
        double here = TURN * i / n;
        double half = here + TURN / (2 * n), there = here + TURN / n;
        CnVec3 joint = cn_vec3(cos(half), 0.0, sin(half));
        CnVec3 arm_a = cn_vec3_sub(joint, cn_vec3(cos(here), 0.0, sin(here)));
        CnVec3 arm_b = cn_vec3_sub(joint, cn_vec3(cos(there), 0.0, sin(there)));
        problem_add_point_joint(&problem, i, next, arm_a, arm_b);
        int hinge = problem_add_block(&problem, CN_LAW_EQUALITY, 2, i, next);
        int row = problem.blocks[hinge].first_row;
        for (int k = 0; k < 2; ++k) { // no turning about x and z
            problem.jacobian_a[row + k][3 + 2 * k] = -1.0;
            problem.jacobian_b[row + k][3 + 2 * k] = 1.0;
        }
    }
    CnSolverReport report = run_solver(&cn_solver_direct, &problem, TOLERANCE, &solution);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK(report.certificate.worst <= TOLERANCE);
    CHECK_INT(report.redundant_rows, 3);
    problem_free(&problem);
}

static void planar_rings_have_three_redundant_rows(void) {
    check_planar_ring(4);
    check_planar_ring(60);
}

static void rows_that_contradict_each_other_stall(void) {
    Problem problem = {0};
    CnSolution solution;
    int body = problem_add_body(&problem, 1.0, 1.0);
    for (int i = 0; i < 2; ++i) {
        int block = problem_add_block(&problem, CN_LAW_EQUALITY, 1, -1, body);
        problem_set_row(&problem, problem.blocks[block].first_row, cn_vec3(1.0, 0.0, 0.0), origin,
                        origin);
        problem.target[i] = i; // 0 m/s and 1 m/s at once
        problem_name_block(&problem, block, i == 0 ? "stop" : "go");
    }
    CnSolverReport report = run_solver(&cn_solver_direct, &problem, TOLERANCE, &solution);
    CHECK_INT(report.outcome, CN_STALLED);
    CHECK_NEAR(report.certificate.worst, 1.0, 1e-12); // one of the two is met
    CHECK_INT(report.redundant_rows, 1);
    CHECK_CONTAINS(report.remark, "contradicts");
    problem_free(&problem);
}

// p = offset - slope u and u = v - target with v = p / m: p = (offset + slope target) m / (m +
// slope).
static void forces_with_and_without_slope_are_exact(void) {
    Problem problem = {0};
    CnSolution solution;
    int a = problem_add_body(&problem, 0.5, 1.0); // 2 kg
    problem_add_block(&problem, CN_LAW_FORCE, 2, -1, a);
    problem_set_row(&problem, 0, cn_vec3(1.0, 0.0, 0.0), origin, origin);
    problem_set_row(&problem, 1, cn_vec3(0.0, 1.0, 0.0), origin, origin);
    problem.offset[0] = 3.0;
    problem.slope[0] = 4.0;
    problem.target[0] = 0.25;
    problem.offset[1] = -5.0; // slope 0: a given impulse
    CnSolverReport report = run_solver(&cn_solver_direct, &problem, TOLERANCE, &solution);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK_NEAR(solution.impulse[0], (3.0 + 4.0 * 0.25) * 2.0 / (2.0 + 4.0), 1e-15);
    CHECK_NEAR(solution.impulse[1], -5.0, 0.0);
    CHECK_NEAR(solution.velocity[a][1], -2.5, 1e-15);
    CHECK(report.certificate.worst <= 1e-14);
    problem_free(&problem);
}

static void a_given_impulse_is_felt_by_the_joints(void) {
    Problem problem = {0};
    CnSolution solution;
    int body = problem_add_body(&problem, 1.0, 1.0);
    problem_add_block(&problem, CN_LAW_FORCE, 1, -1, body);
    problem_set_row(&problem, 0, cn_vec3(0.0, 0.0, 1.0), origin, origin);
    problem.offset[0] = 7.0;
    problem_add_point_joint(&problem, -1, body, origin, origin);
    run_solver(&cn_solver_direct, &problem, TOLERANCE, &solution);
    CHECK_NEAR(solution.impulse[3], -7.0, 1e-14); // the joint holds it
    CHECK_NEAR(solution.velocity[body][2], 0.0, 1e-15);
    problem_free(&problem);
}

static void without_the_preconditioner_the_answer_is_the_same(void) {
    Problem problem = {0};
    CnSolution solution;
    build_chain(&problem, 5);
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CnSolverDef def = {
        .tolerance = TOLERANCE, .preconditioner = CN_PRECONDITIONER_NONE, .work_budget = HUGE_VAL};
    CnSolverReport report = {0};
    solution = problem_solution(&problem);
    void* state = cn_arena_allocate(&arena, 1, cn_solver_direct.state_size);
    const CnProblem* view = problem_view(&problem);
    CHECK_INT(cn_solver_direct.prepare(state, &def, view, &arena, NULL), CN_OK);
    CHECK_INT(cn_solver_direct.solve(state, &def, view, &arena, &solution, &report), CN_OK);
    CHECK_NEAR(solution.impulse[2], 5.0 * GRAVITY * STEP, 1e-13);
    cn_arena_destroy(&arena);
    problem_free(&problem);
}

// A body of 1 kg on the world carries `children` of 1 kg, each by a point joint in its centre.
static void build_star(Problem* problem, int children) {
    int hub = problem_add_body(problem, 1.0, 10.0);
    problem->free_velocity[hub][2] = -GRAVITY * STEP;
    problem_add_point_joint(problem, -1, hub, origin, origin);
    for (int i = 0; i < children; ++i) {
        int body = problem_add_body(problem, 1.0, 10.0);
        problem->free_velocity[body][2] = -GRAVITY * STEP;
        problem_add_point_joint(problem, hub, body, origin, origin);
    }
}

// Every body hangs on one of those before it, all equally likely.
static void build_tree(Problem* problem, int bodies) {
    CnRandom random = {5};
    CnVec3 up = cn_vec3(0.1, 0.0, 0.5), down = cn_vec3(0.0, 0.2, -0.5);
    for (int i = 0; i < bodies; ++i) {
        int parent = i == 0 ? -1 : (int)cn_random_between(&random, 0.0, (double)i);
        int body = problem_add_body(problem, 1.0, 10.0);
        problem->free_velocity[body][2] = -GRAVITY * STEP;
        problem_add_point_joint(problem, parent, body, i == 0 ? origin : down, up);
    }
}

static double factor_entries_per_body(void (*build)(Problem*, int), int bodies) {
    Problem problem = {0};
    CnProblem split;
    CnBoxLcp box;
    CnLdlt ldlt;
    CnArena arena;
    cn_arena_init(&arena, NULL);
    build(&problem, bodies);
    CHECK_INT(cn_split_bodies(problem_view(&problem), &arena, &split), CN_OK);
    CHECK_INT(cn_box_lcp_build(&split, true, &arena, &box), CN_OK);
    CHECK_INT(cn_ldlt_analyze(&ldlt, &box.w, &arena), CN_OK);
    double entries = (double)ldlt.factor_count / bodies;
    cn_arena_destroy(&arena);
    problem_free(&problem);
    return entries;
}

// Time is proportional to the factor. A ratio of 1.26 over a factor of ten in size would be growth
// with the power 1.1.
static void trees_have_factors_in_proportion_to_their_bodies(void) {
    void (*const builders[])(Problem*, int) = {build_chain, build_star, build_tree};
    for (int i = 0; i < 3; ++i) {
        double small = factor_entries_per_body(builders[i], 1000);
        double large = factor_entries_per_body(builders[i], 10000);
        CHECK(large <= 1.26 * small);
    }
}

static void a_hub_carries_ten_thousand_bodies(void) {
    enum { CHILDREN = 10000 };
    Problem problem = {0};
    CnSolution solution;
    double worst = 0.0;
    build_star(&problem, CHILDREN);
    // The hub's velocity is a sum of 1e4 impulses up to 981 N s: 1e4 * 1.1e-16 * 981 m/s.
    double round_off = 1.1e-9;
    CnSolverReport report = run_solver(&cn_solver_direct, &problem, round_off, &solution);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK_INT(report.redundant_rows, 0);
    for (int i = 1; i <= CHILDREN; ++i) {
        worst = fmax(worst, fabs(solution.impulse[3 * i + 2] - GRAVITY * STEP));
    }
    CHECK_NEAR(worst, 0.0, round_off); // of the 1 kg that each moves
    double weight = (CHILDREN + 1) * GRAVITY * STEP;
    CHECK_NEAR(solution.impulse[2], weight, 1e-12 * weight);
    problem_free(&problem);
}

static void long_chains_are_solved_to_round_off(void) {
    Problem problem = {0};
    CnSolution solution;
    build_chain(&problem, 10000);
    CnSolverReport report = run_solver(&cn_solver_direct, &problem, TOLERANCE, &solution);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK(report.certificate.worst <= TOLERANCE);
    problem_free(&problem);
}

// The second pin of one child repeats the first: three rows, found through the welds of the hub.
static void redundancy_at_a_hub_names_a_joint(void) {
    Problem problem = {0};
    CnSolution solution;
    build_star(&problem, 200);
    int twin = problem_add_point_joint(&problem, 0, 60, origin, origin);
    CnSolverReport report = run_solver(&cn_solver_direct, &problem, TOLERANCE, &solution);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK_INT(report.redundant_rows, 3);
    CHECK(report.redundant_block == 60 || report.redundant_block == twin);
    double half = 0.5 * GRAVITY * STEP; // the two pins are equal, and so are their shares
    CHECK_NEAR(solution.impulse[3 * 60 + 2], half, 1e-9);
    CHECK_NEAR(solution.impulse[3 * twin + 2], half, 1e-9);
    problem_free(&problem);
}

static void a_table_stands_equally_on_four_legs(void) {
    Problem problem = {0};
    CnSolution solution;
    int table = problem_add_body(&problem, 1.0, 3.0);
    problem.free_velocity[table][2] = -GRAVITY * STEP;
    for (int i = 0; i < 4; ++i) {
        int leg = problem_add_block(&problem, CN_LAW_EQUALITY, 1, -1, table);
        CnVec3 corner = cn_vec3(i < 2 ? 1.0 : -1.0, i % 2 == 0 ? 1.0 : -1.0, -0.3);
        problem_set_row(&problem, problem.blocks[leg].first_row, cn_vec3(0.0, 0.0, 1.0), corner,
                        corner);
    }
    CnSolverReport report = run_solver(&cn_solver_direct, &problem, TOLERANCE, &solution);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK_INT(report.redundant_rows, 1);
    for (int i = 0; i < 4; ++i) {
        CHECK_NEAR(solution.impulse[i], 0.25 * GRAVITY * STEP, 1e-11); // ten digits: direct.md
    }
    problem_free(&problem);
}

// Sum over hinges of z . W_aa p: zero when p has the least norm and z is a dependency.
static double metric_product(Problem* problem, const double* z, const double* p) {
    const CnProblem* view = problem_view(problem);
    double sum = 0.0, w[CN_MAX_ROWS * CN_MAX_ROWS];
    for (int i = 0; i < view->block_count; ++i) {
        const CnBlock* block = &view->blocks[i];
        int n = block->row_count;
        cn_block_delassus(view, block, w);
        for (int k = 0; k < n * n; ++k) {
            sum += z[block->first_row + k / n] * w[k] * p[block->first_row + k % n];
        }
    }
    return sum;
}

// A door on three hinges on one line has 15 rows for 5 constraints. Two of its dependencies: the
// lift of one hinge against that of the next; and of the forces along x, 1, -2, 1.
static void a_door_on_three_hinges_has_reactions_of_least_norm(void) {
    Problem problem = {0};
    CnSolution solution;
    double lift[15] = {0.0}, push[15] = {0.0};
    const double pattern[3] = {1.0, -2.0, 1.0};
    int door = problem_add_body(&problem, 0.05, 0.02);
    problem.free_velocity[door][0] = 0.3;
    problem.free_velocity[door][2] = -GRAVITY * STEP;
    for (int i = 0; i < 3; ++i) {
        CnVec3 arm = cn_vec3(-0.5, 0.0, i - 1.0);
        int hinge = problem_add_block(&problem, CN_LAW_EQUALITY, 5, -1, door);
        int row = problem.blocks[hinge].first_row;
        problem_set_row(&problem, row, cn_vec3(1.0, 0.0, 0.0), arm, arm);
        problem_set_row(&problem, row + 1, cn_vec3(0.0, 1.0, 0.0), arm, arm);
        problem_set_row(&problem, row + 2, cn_vec3(0.0, 0.0, 1.0), arm, arm);
        problem.jacobian_b[row + 3][3] = problem.jacobian_b[row + 4][4] = 1.0;
        lift[row + 2] = i == 0 ? 1.0 : i == 1 ? -1.0 : 0.0;
        push[row] = pattern[i];
    }
    CnSolverReport report = run_solver(&cn_solver_direct, &problem, TOLERANCE, &solution);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK_INT(report.redundant_rows, 10);
    double size = metric_product(&problem, solution.impulse, solution.impulse);
    CHECK(size > 0.0);
    CHECK_NEAR(metric_product(&problem, lift, solution.impulse), 0.0, 1e-9 * size);
    CHECK_NEAR(metric_product(&problem, push, solution.impulse), 0.0, 1e-9 * size);
    // Seen from above the hinges are the same, and the upper mirrors the lower.
    CHECK_NEAR(solution.impulse[2], solution.impulse[12], 1e-9 * GRAVITY * STEP * 20.0);
    problem_free(&problem);
}

static void running_out_of_memory_is_reported(void) {
    Problem problem = {0};
    build_chain(&problem, 500); // large enough for many blocks of an arena
    check_memory_failures(&cn_solver_direct, &problem);
    problem_free(&problem);
}

static void an_empty_problem_is_solved(void) {
    Problem problem = {0};
    CnSolution solution;
    problem_add_body(&problem, 1.0, 1.0);
    CHECK_INT(run_solver(&cn_solver_direct, &problem, TOLERANCE, &solution).outcome, CN_CONVERGED);
    problem_free(&problem);
}

static void a_contact_is_refused_with_a_sentence(void) {
    Problem problem = {0};
    CnError error = {0};
    int body = problem_add_body(&problem, 1.0, 1.0);
    problem_add_point_joint(&problem, -1, body, origin, origin);
    problem_add_contact(&problem, -1, body, origin, origin, 0.5);
    problem_name_block(&problem, 1, "heel");
    CHECK_INT(refuse_solver(&cn_solver_direct, &problem, &error), CN_UNSUPPORTED);
    CHECK_CONTAINS(error.message, "direct");
    CHECK_CONTAINS(error.message, "coulomb");
    CHECK_CONTAINS(error.message, "heel");
    CHECK_CONTAINS(error.message, "nsgs");
    problem_free(&problem);
}

TEST_MAIN("solvers/direct", TEST(a_hanging_chain_carries_what_is_below),
          TEST(heavy_at_the_end_of_a_light_chain), TEST(a_repeated_joint_is_redundant_and_named),
          TEST(planar_rings_have_three_redundant_rows), TEST(rows_that_contradict_each_other_stall),
          TEST(forces_with_and_without_slope_are_exact),
          TEST(a_given_impulse_is_felt_by_the_joints),
          TEST(without_the_preconditioner_the_answer_is_the_same),
          TEST(trees_have_factors_in_proportion_to_their_bodies),
          TEST(a_hub_carries_ten_thousand_bodies), TEST(long_chains_are_solved_to_round_off),
          TEST(redundancy_at_a_hub_names_a_joint), TEST(a_table_stands_equally_on_four_legs),
          TEST(a_door_on_three_hinges_has_reactions_of_least_norm),
          TEST(running_out_of_memory_is_reported), TEST(an_empty_problem_is_solved),
          TEST(a_contact_is_refused_with_a_sentence))

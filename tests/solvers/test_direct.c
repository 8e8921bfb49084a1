// test_direct.c - the direct solver on mechanisms with known forces, and on contradictions.
#include "support/solving.h"
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

// A ring of N bodies and N hinges with parallel axes, moving in its plane. A hinge has 5 rows, of
// which 2 keep the axes parallel and 1 keeps the bodies in the plane: these 3 act across the plane,
// and going around the ring the last 3 follow from the others.
static void a_planar_ring_has_three_redundant_rows(void) {
    enum { N = 60 };
    Problem problem = {0};
    CnSolution solution;
    for (int i = 0; i < N; ++i) {
        double angle = TURN * i / N;
        int body = problem_add_body(&problem, 1.0, 3.0);
        problem.free_velocity[body][0] = cos(3.0 * angle); // something to correct, in the plane
        problem.free_velocity[body][2] = sin(angle);
    }
    for (int i = 0; i < N; ++i) {
        int next = (i + 1) % N;
        double here = TURN * i / N;
        double half = here + TURN / (2 * N), there = here + TURN / N;
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
    CnSolverDef def = {.tolerance = TOLERANCE, .preconditioner = CN_PRECONDITIONER_NONE};
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
          TEST(a_planar_ring_has_three_redundant_rows), TEST(rows_that_contradict_each_other_stall),
          TEST(forces_with_and_without_slope_are_exact),
          TEST(a_given_impulse_is_felt_by_the_joints),
          TEST(without_the_preconditioner_the_answer_is_the_same),
          TEST(running_out_of_memory_is_reported), TEST(an_empty_problem_is_solved),
          TEST(a_contact_is_refused_with_a_sentence))

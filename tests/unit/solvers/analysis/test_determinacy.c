// test_determinacy.c - tables, tripods and slides: how many of their forces are open.
#include "cairn/solver.h"
#include "support/problems/piles.h"
#include "support/test.h"

// A slab of 1 kg on legs at the corners of a square, falling at 0.1 m/s and drifting at `drift`.
static Problem slab(int legs, double friction, double drift) {
    static const double corner[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    Problem problem = {0};
    int body = problem_add_body(&problem, 1.0, 3.0);
    problem.free_velocity[body][0] = drift;
    problem.free_velocity[body][2] = -0.1;
    for (int i = 0; i < legs; ++i) {
        CnVec3 arm = {corner[i][0], corner[i][1], -0.1};
        problem_add_contact(&problem, -1, body, cn_vec3(0, 0, 0), arm, friction);
    }
    return problem;
}

static CnDeterminacy judge(Problem* problem, bool* open) {
    CnSolverDef def = cn_solver_def_default();
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CnSolution solution = problem_solution(problem);
    CnSolverReport report;
    CnDeterminacy determinacy;
    def.name = "nsgs";
    def.tolerance = 1e-11;
    CHECK_INT(cn_solve(problem_view(problem), &def, workspace, &solution, &report, NULL), CN_OK);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK_INT(cn_problem_determinacy(problem_view(problem), &solution, 1e-9, workspace, open,
                                     &determinacy, NULL),
              CN_OK);
    cn_workspace_destroy(workspace);
    problem_free(problem);
    return determinacy;
}

// Four vertical forces, one weight and two moments to balance.
static void a_table_without_friction_has_one_open_force(void) {
    Problem problem = slab(4, 0.0, 0.0);
    bool open[4];
    CnDeterminacy determinacy = judge(&problem, open);
    CHECK_INT(determinacy.directions, 4);
    CHECK_INT(determinacy.open_directions, 1);
    CHECK_INT(determinacy.open_blocks, 4);
    CHECK_INT(determinacy.first_open_block, 0);
}

// Twelve forces, six equations of balance.
static void a_table_that_sticks_has_six(void) {
    Problem problem = slab(4, 0.5, 0.001);
    bool open[4];
    CnDeterminacy determinacy = judge(&problem, open);
    CHECK_INT(determinacy.directions, 12);
    CHECK_INT(determinacy.open_directions, 6);
    CHECK(!isfinite(determinacy.force_error));
}

// Each leg pushes along its cone: four parallel forces again.
static void a_table_that_slides_has_one(void) {
    Problem problem = slab(4, 0.1, 5.0);
    bool open[4];
    CnDeterminacy determinacy = judge(&problem, open);
    CHECK_INT(determinacy.directions, 4);
    CHECK_INT(determinacy.open_directions, 1);
}

static void a_tripod_without_friction_is_determinate(void) {
    Problem problem = slab(3, 0.0, 0.0);
    bool open[4] = {true, true, true, true};
    problem.free_velocity[0][3] = 0.0; // the centre of mass is above an edge: two legs carry it
    CnDeterminacy determinacy = judge(&problem, open);
    CHECK_INT(determinacy.open_directions, 0);
    CHECK_INT(determinacy.first_open_block, -1);
    CHECK(!open[0] && !open[1] && !open[2]);
    CHECK(determinacy.force_error <= 1e-10); // 1 kg, a residual of 1e-11 m/s, arms of 1 m
}

// A ball of 2 kg on the ground pushes with 0.2 N s; 1e-6 N s more is that wrong, and is told.
static void the_force_error_is_what_forces_are_wrong_by(void) {
    Problem problem = {0};
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CnDeterminacy determinacy;
    bool open[1];
    int ball = problem_add_body(&problem, 0.5, 1.0);
    problem.free_velocity[ball][2] = -0.1;
    problem_add_contact(&problem, -1, ball, cn_vec3(0, 0, 0), cn_vec3(0, 0, -1), 0.5);
    CnSolution solution = problem_solution(&problem);
    solution.impulse[0] = 0.2 + 1e-6;
    CHECK_INT(cn_problem_determinacy(problem_view(&problem), &solution, 1e-5, workspace, open,
                                     &determinacy, NULL),
              CN_OK);
    CHECK_NEAR(determinacy.force_error, 1e-6, 1e-12);
    cn_workspace_destroy(workspace);
    problem_free(&problem);
}

// A ball beside the table is none of its business: only the table's blocks are named.
static void only_blocks_with_a_part_are_open(void) {
    Problem problem = slab(4, 0.0, 0.0);
    int ball = problem_add_body(&problem, 1.0, 1.0);
    problem.free_velocity[ball][2] = -0.1;
    problem_add_contact(&problem, -1, ball, cn_vec3(0, 0, 0), cn_vec3(0, 0, -1), 0.5);
    bool open[5];
    CnDeterminacy determinacy = judge(&problem, open);
    CHECK_INT(determinacy.open_directions, 1);
    CHECK_INT(determinacy.open_blocks, 4);
    CHECK(open[0] && open[3] && !open[4]);
}

// A body pinned twice at the same place: three of its six rows repeat the others.
static void a_joint_given_twice_has_three_open_forces(void) {
    Problem problem = {0};
    int body = problem_add_body(&problem, 1.0, 2.0);
    problem.free_velocity[body][2] = -1.0;
    problem_add_point_joint(&problem, -1, body, cn_vec3(0, 0, 0), cn_vec3(0.3, 0, 0));
    problem_add_point_joint(&problem, -1, body, cn_vec3(0, 0, 0), cn_vec3(0.3, 0, 0));
    bool open[2];
    CnDeterminacy determinacy = judge(&problem, open);
    CHECK_INT(determinacy.directions, 6);
    CHECK_INT(determinacy.open_directions, 3);
    CHECK(open[0] && open[1]);
}

TEST_MAIN("unit/solvers/analysis/determinacy", TEST(a_table_without_friction_has_one_open_force),
          TEST(a_table_that_sticks_has_six), TEST(a_table_that_slides_has_one),
          TEST(a_tripod_without_friction_is_determinate),
          TEST(the_force_error_is_what_forces_are_wrong_by), TEST(only_blocks_with_a_part_are_open),
          TEST(a_joint_given_twice_has_three_open_forces))

// test_infeasible.c - proofs that nothing satisfies a problem, and who asks for too much.
#include "solvers/analysis/infeasible.h"

#include "support/problems/budget.h"
#include "support/problems/problems.h"
#include "support/problems/solving.h"
#include "support/test.h"

#define TOLERANCE 1e-8 // [m/s]
#define SPEED 1.0      // of the press and the motor [m/s, rad/s]

// What the softness of 1e-8 and the accuracy of 1e-6 leave of what is proved.
#define PROOF 1e-5

static const CnVec3 origin = {0.0, 0.0, 0.0};

// A press that comes down on a stack of boxes of 1 kg on the ground: one contact above each other.
// Contacts 0 to boxes - 1 are below the boxes, the last one is that of the press.
static Problem press(int boxes, double friction, double speed) {
    Problem problem = {0};
    for (int i = 0; i < boxes; ++i) {
        int body = problem_add_body(&problem, 1.0, 6.0);
        problem.free_velocity[body][2] = -0.1;
        problem_add_contact(&problem, body - 1, body, cn_vec3(0.0, 0.0, 0.5),
                            cn_vec3(0.0, 0.0, -0.5), friction);
    }
    int body = problem_add_body(&problem, 0.0, 0.0);
    problem.free_velocity[body][2] = -speed;
    problem_add_contact(&problem, boxes - 1, body, cn_vec3(0.0, 0.0, 0.5), cn_vec3(0.0, 0.0, -0.5),
                        friction);
    return problem;
}

static CnInfeasibility find(Problem* problem) {
    CnInfeasibility found;
    CnArena arena;
    cn_arena_init(&arena, NULL);
    CHECK_INT(cn_infeasible_find(problem_view(problem), TOLERANCE, &no_budget, &arena, &found),
              CN_OK);
    cn_arena_destroy(&arena);
    return found;
}

// Between ground and press the gaps must close at the speed of the press; n + 1 contacts share it.
static void a_press_is_named_and_the_least_violation_known(void) {
    for (int boxes = 1; boxes <= 9; boxes += 4) {
        Problem problem = press(boxes, 0.5, SPEED);
        CnInfeasibility found = find(&problem);
        CHECK_INT(found.block_count, boxes + 1);
        CHECK_INT(found.block, boxes);
        CHECK_NEAR(found.least, SPEED / (boxes + 1), PROOF);
        problem_free(&problem);
    }
}

// A block whose joint is driven at 1 m/s along x and stopped there: u = 1 and u <= 0.
static Problem stalled_motor(double max_force) {
    Problem problem = {0};
    int body = problem_add_body(&problem, 1.0, 1.0);
    problem_add_block(&problem, CN_LAW_BOUNDS, 1, -1, body);
    problem_set_row(&problem, 0, cn_vec3(1.0, 0.0, 0.0), origin, origin);
    problem.target[0] = SPEED;
    problem.lower[0] = -max_force;
    problem.upper[0] = max_force;
    problem_add_block(&problem, CN_LAW_BOUNDS, 1, -1, body);
    problem_set_row(&problem, 1, cn_vec3(1.0, 0.0, 0.0), origin, origin);
    problem.lower[1] = -HUGE_VAL;
    problem.upper[1] = 0.0;
    return problem;
}

static void a_motor_against_a_stop_is_named(void) {
    Problem problem = stalled_motor(HUGE_VAL);
    CnInfeasibility found = find(&problem);
    CHECK_INT(found.block_count, 2);
    CHECK_INT(found.block, 0);
    CHECK_NEAR(found.least, 0.5 * SPEED, PROOF); // both miss by half
    problem_free(&problem);
}

static void a_motor_with_a_largest_force_contradicts_nobody(void) {
    Problem problem = stalled_motor(100.0);
    CHECK_INT(find(&problem).block_count, 0);
    problem_free(&problem);
}

// The ground that does not move asks for nothing: not even a search.
static void a_pile_on_still_ground_is_told_at_a_glance(void) {
    Problem problem = press(9, 0.5, 0.0);
    double before = unlimited_work;
    CHECK_INT(find(&problem).block_count, 0);
    CHECK_NEAR(unlimited_work, before, 0.0);
    problem_free(&problem);
}

// Pressed by a slope of 45 degrees the ball rolls out from under it, at the speed of the press.
static void what_can_get_away_is_no_contradiction(void) {
    Problem problem = {0};
    int ball = problem_add_body(&problem, 1.0, 1.0), slope = problem_add_body(&problem, 0.0, 0.0);
    problem.free_velocity[slope][2] = -SPEED;
    problem_add_contact(&problem, -1, ball, origin, cn_vec3(0.0, 0.0, -1.0), 0.1);
    problem_add_block(&problem, CN_LAW_BOUNDS, 1, ball, slope);
    problem_set_row(&problem, 3, cn_vec3(-sqrt(0.5), 0.0, sqrt(0.5)), origin, origin);
    problem.lower[3] = 0.0;
    problem.upper[3] = HUGE_VAL;
    CHECK_INT(find(&problem).block_count, 0);
    problem_free(&problem);
}

// Only the press gives way: all others hold to the tolerance, and forces are bounded.
static void in_the_answer_of_auto_only_the_one_that_asks_gives_way(void) {
    Problem problem = press(5, 0.5, SPEED);
    CnSolverReport report;
    CnError error = {0};
    double residual[6];
    CnCertificate certificate;
    CnSolverDef def = cn_solver_def_default();
    CnWorkspace* workspace = cn_workspace_create(NULL, &error);
    CnSolution solution = problem_solution(&problem);
    def.warm_start = false;
    CHECK_INT(cn_solve(problem_view(&problem), &def, workspace, &solution, &report, &error), CN_OK);
    CHECK_INT(report.outcome, CN_STALLED);
    CHECK_INT(report.infeasible_blocks, 6);
    CHECK_INT(report.infeasible_block, 5);
    CHECK_CONTAINS(report.remark, "infeasible: block 5");
    cn_problem_certify(problem_view(&problem), &solution, residual, &certificate);
    for (int i = 0; i < 5; ++i) {
        CHECK(residual[i] <= 1e-7); // ten tolerances: those of the softened problem are its own
    }
    CHECK_INT(certificate.worst_block, 5);
    CHECK_NEAR(certificate.worst, SPEED, 1e-2);
    CHECK(solution.impulse[15] < 1e4 * SPEED); // 1 kg, softness 1e-3, five boxes in a row [N s]
    cn_workspace_destroy(workspace);
    problem_free(&problem);
}

TEST_MAIN("unit/solvers/analysis/infeasible", TEST(a_press_is_named_and_the_least_violation_known),
          TEST(a_motor_against_a_stop_is_named),
          TEST(a_motor_with_a_largest_force_contradicts_nobody),
          TEST(a_pile_on_still_ground_is_told_at_a_glance),
          TEST(what_can_get_away_is_no_contradiction),
          TEST(in_the_answer_of_auto_only_the_one_that_asks_gives_way))

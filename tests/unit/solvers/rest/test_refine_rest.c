// test_refine_rest.c - what a guess that is nearly right becomes: still, and as near as can be.
#include "solvers/rest/refine_rest.h"

#include "solvers/solve/solver.h"
#include "support/problems/budget.h"
#include "support/problems/problems.h"
#include "support/test.h"

#define WEIGHT 0.1 // impulse of a step: 1 kg that gains 0.1 m/s [N s]
#define NOISE 1e-8 // how far the guess is off [N s]
#define GOAL 1e-13 // [m/s]

// What the bodies may be left with: the goal, and the round-off of ten terms of 0.1 m/s.
#define STILL (GOAL + 10.0 * 0.1 * 2.3e-16)

// A slab of 1 kg on four legs at the corners of a square of 2 m, guessed to share its weight.
static Problem table(double friction) {
    static const double corner[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    Problem problem = {0};
    int body = problem_add_body(&problem, 1.0, 3.0);
    problem.free_velocity[body][2] = -WEIGHT;
    for (int i = 0; i < 4; ++i) {
        CnVec3 arm = {corner[i][0], corner[i][1], -0.1};
        problem_add_contact(&problem, -1, body, cn_vec3(0, 0, 0), arm, friction);
    }
    for (int i = 0; i < 4; ++i) {
        problem.impulse[3 * i] = 0.25 * WEIGHT;
    }
    return problem;
}

static CnRestRefinement settle(Problem* problem, bool closing) {
    CnArena arena;
    CnRestRefinement refinement = {.goal = GOAL, .closing = closing};
    cn_arena_init(&arena, NULL);
    CHECK_INT(
        cn_refine_rest(problem_view(problem), &refinement, &no_budget, &arena, problem->impulse),
        CN_OK);
    CHECK_INT(arena.used, 0);
    cn_arena_destroy(&arena);
    return refinement;
}

static double fastest_row(Problem* problem) {
    double u[16], most = 0.0;
    problem_row_velocity(problem_view(problem), problem->impulse, u);
    for (int i = 0; i < problem->row_count; ++i) {
        most = fmax(most, fabs(u[i]));
    }
    return most;
}

// One leg carries too much; taking a quarter of it from each lifts nothing and tilts the slab by
// (1, 1), (-1, -1); what the pair of opposite legs has too much and too little of stays where it
// is, since nothing moves by it: e = (1, 0, 0, 0) = (1, 1, 1, 1)/4 + (1, 0, -1, 0)/2 +
// (1, -1, 1, -1)/4, of which the first two move and the third does not.
static void only_what_moves_the_body_is_taken_back(void) {
    const double expected[4] = {0.25, -0.25, 0.25, -0.25};
    Problem problem = table(0.0);
    problem.impulse[0] += NOISE;
    CnRestRefinement refinement = settle(&problem, true);
    CHECK_INT(refinement.held_rows, 4); // without friction the normals
    CHECK(!refinement.by_bodies);       // which do not keep the slab from sliding
    CHECK(refinement.iterations <= 3);  // as many as velocities that the legs answer to
    CHECK(fastest_row(&problem) <= STILL);
    for (int i = 0; i < 4; ++i) {
        CHECK_NEAR(problem.impulse[3 * i] - 0.25 * WEIGHT, NOISE * expected[i], 1e-4 * NOISE);
    }
    problem_free(&problem);
}

static void contacts_that_stick_hold_in_all_rows(void) {
    Problem problem = table(0.5);
    problem.impulse[1] += NOISE;
    problem.impulse[5] -= NOISE;
    CnRestRefinement refinement = settle(&problem, true);
    CHECK_INT(refinement.held_rows, 12);
    CHECK(refinement.by_bodies && refinement.iterations <= 2);
    CHECK(fastest_row(&problem) <= STILL);
    problem_free(&problem);
}

// A factor over bodies gives what conjugate residuals tend to, the smallest change in the metric of
// diag(W): they are asked for by a row that yields by next to nothing, a leg of 1e-14 m/s per N s,
// which moves the answer by less than 1e-13 of it. Round-off of 60 conjugate residuals is below
// 1e-6.
static void both_ways_find_the_same_change(void) {
    Problem direct = table(0.5), iterated = table(0.5);
    for (int i = 0; i < 12; ++i) {
        direct.impulse[i] += NOISE * ((7 * i) % 5 - 2);
        iterated.impulse[i] = direct.impulse[i];
    }
    iterated.compliance[4] = 1e-14;
    CHECK(settle(&direct, true).by_bodies);
    CHECK(!settle(&iterated, true).by_bodies);
    for (int i = 0; i < 12; ++i) {
        CHECK_NEAR(direct.impulse[i], iterated.impulse[i], 1e-4 * NOISE);
    }
    problem_free(&direct);
    problem_free(&iterated);
}

// A joint to the world holds three motions of the slab, its four legs the others.
static void joints_hold_too(void) {
    Problem problem = table(0.0);
    problem_add_point_joint(&problem, -1, 0, cn_vec3(0, 0, 0), cn_vec3(0.3, 0.2, -0.1));
    problem_add_block(&problem, CN_LAW_EQUALITY, 1, -1, 0); // it does not turn about the vertical
    problem.jacobian_b[15][5] = 1.0;
    problem.impulse[0] += NOISE;
    problem.impulse[13] += NOISE;
    CnRestRefinement refinement = settle(&problem, true);
    CHECK(refinement.by_bodies);
    CHECK_INT(refinement.held_rows, 4 + 4);
    CHECK(fastest_row(&problem) <= STILL);
    problem_free(&problem);
}

// All legs slip, whatever their impulses say.
static void what_slides_is_left_alone(void) {
    Problem problem = table(0.1);
    problem.free_velocity[0][0] = 1.0;
    CHECK_INT(settle(&problem, true).held_rows, 0);
    for (int i = 0; i < 12; ++i) {
        CHECK_NEAR(problem.impulse[i], i % 3 == 0 ? 0.25 * WEIGHT : 0.0, 0.0);
    }
    problem_free(&problem);
}

// A gap of 1e-12 m under one leg, in a step of 1 ms, is to close at 1e-9 m/s. The slab stays where
// it is or, asked to close, meets all four legs as well as a plane can: (1, 1, 1, 1)/4,
// (1, 0, -1, 0)/2 of them and not the (1, -1, 1, -1)/4 that no plane has.
static void gaps_are_left_open_or_closed_as_asked(void) {
    const double gap_rate = 1e-9; // [m/s]
    Problem problem = table(0.0);
    problem.target[0] = -gap_rate;
    problem.impulse[3] += NOISE;
    settle(&problem, false);
    CHECK_NEAR(fastest_row(&problem), gap_rate, STILL);
    settle(&problem, true);
    CHECK_NEAR(fastest_row(&problem), 0.25 * gap_rate, STILL);
    problem_free(&problem);
}

// A spring that pushes with p = offset - slope u, under a slab that one leg holds up too.
static void springs_answer_by_their_slope(void) {
    Problem problem = {0};
    int body = problem_add_body(&problem, 1.0, 3.0);
    problem.free_velocity[body][2] = -WEIGHT;
    problem_add_contact(&problem, -1, body, cn_vec3(0, 0, 0), cn_vec3(0, 0, -0.1), 0.0);
    problem_add_block(&problem, CN_LAW_FORCE, 1, -1, body);
    problem_set_row(&problem, 3, cn_vec3(0, 0, 1), cn_vec3(0, 0, 0), cn_vec3(0, 0, 0));
    problem.offset[3] = 0.4 * WEIGHT;
    problem.slope[3] = 2.0;
    problem.impulse[0] = 0.6 * WEIGHT + NOISE;
    problem.impulse[3] = 0.4 * WEIGHT;
    CHECK_INT(settle(&problem, true).held_rows, 2);
    CHECK_NEAR(problem.impulse[0], 0.6 * WEIGHT, 1e-4 * NOISE);
    CHECK_NEAR(problem.impulse[3], 0.4 * WEIGHT, 1e-4 * NOISE);
    problem_free(&problem);
}

// The impulses that have just stopped the slab are within the tolerance for the next step, and
// would push it off again in the one after that. Alone they are kept; in a course they are not.
static void impulses_that_stopped_a_body_are_not_kept_to_hold_it(void) {
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    const double before[1][6] = {{0.0}};
    for (int course = 0; course < 2; ++course) {
        CnSolverDef def = cn_solver_def_default();
        CnSolverReport report;
        Problem problem = table(0.5);
        CnSolution solution = problem_solution(&problem);
        for (int i = 0; i < 4; ++i) {
            problem.impulse[3 * i] = 0.25 * (WEIGHT + 0.9 * def.tolerance); // 0.9e-8 m/s of 1 kg
        }
        CnPast past = {.velocity = course == 1 ? before : NULL};
        CHECK_INT(
            cn_solve_on(problem_view(&problem), &def, &past, workspace, &solution, &report, NULL),
            CN_OK);
        CHECK_INT(report.outcome, CN_CONVERGED);
        CHECK_NEAR(report.certificate.worst, course == 1 ? 0.0 : 0.9 * def.tolerance, STILL);
        problem_free(&problem);
    }
    cn_workspace_destroy(workspace);
}

TEST_MAIN("unit/solvers/rest/refine_rest", TEST(only_what_moves_the_body_is_taken_back),
          TEST(contacts_that_stick_hold_in_all_rows), TEST(both_ways_find_the_same_change),
          TEST(joints_hold_too), TEST(what_slides_is_left_alone),
          TEST(gaps_are_left_open_or_closed_as_asked), TEST(springs_answer_by_their_slope),
          TEST(impulses_that_stopped_a_body_are_not_kept_to_hold_it))

// test_few_contacts.c - a few contacts swept on their own: what `auto` answers, to the bit.
#include "solvers/solve/few_contacts.h"

#include "cairn/random.h"
#include "support/problems/problems.h"
#include "support/shapes/random_poses.h"
#include "support/test.h"

#include <string.h>

// Bodies that fall onto each other and onto the ground, with a guess that is far from the answer.
static Problem few(CnRandom* random) {
    Problem problem = {0};
    int bodies = 1 + (int)(3.0 * cn_random_between(random, 0.0, 1.0));
    int contacts = 1 + (int)(4.0 * cn_random_between(random, 0.0, 1.0));
    for (int i = 0; i < bodies; ++i) {
        double inverse_mass = cn_random_between(random, 0.5, 2.0);
        double inverse_inertia = cn_random_between(random, 0.1, 1.0);
        int body = problem_add_body(&problem, inverse_mass, inverse_inertia);
        for (int k = 0; k < 6; ++k) {
            problem.free_velocity[body][k] = cn_random_between(random, -1.0, 0.5);
        }
    }
    for (int i = 0; i < contacts; ++i) {
        int b = (int)(bodies * cn_random_between(random, 0.0, 1.0)), a = b - 1;
        CnVec3 arm_a = random_within(random, 0.5), arm_b = random_within(random, 0.5);
        double friction = cn_random_between(random, 0.1, 0.9);
        problem_add_contact(&problem, a, b, arm_a, arm_b, friction);
        problem.impulse[3 * i] = cn_random_between(random, 0.0, 1.0);
    }
    return problem;
}

typedef struct Answer {
    double impulse[16];
    double velocity[4][6];
    CnSolverReport report;
} Answer;

static Answer ask_auto(const CnProblem* problem, const double* guess, CnWorkspace* workspace) {
    Answer answer = {0};
    CnSolution solution = {answer.impulse, answer.velocity};
    CnSolverDef def = cn_solver_def_default();
    CnError error = {0};
    memcpy(answer.impulse, guess, (size_t)problem->row_count * sizeof(double));
    CHECK_INT(cn_solve(problem, &def, workspace, &solution, &answer.report, &error), CN_OK);
    return answer;
}

static Answer sweep(const CnProblem* problem, const double* guess, CnWorkspace* workspace,
                    bool* is_solved) {
    Answer answer = {0};
    CnSolution solution = {answer.impulse, answer.velocity};
    CnSolverDef def = cn_solver_def_default();
    memcpy(answer.impulse, guess, (size_t)problem->row_count * sizeof(double));
    CHECK(cn_few_contacts_suit(problem, &def));
    CHECK_INT(cn_few_contacts_solve(problem, &def, workspace, &solution, &answer.report, is_solved),
              CN_OK);
    CHECK_INT(workspace->arena.used, 0);
    return answer;
}

static void answers_are_those_of_auto_to_the_bit(void) {
    CnRandom random = {7};
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    int solved = 0;
    for (int i = 0; i < 300; ++i) {
        Problem problem = few(&random);
        const CnProblem* view = problem_view(&problem);
        bool is_solved;
        Answer expected = ask_auto(view, problem.impulse, workspace);
        Answer found = sweep(view, problem.impulse, workspace, &is_solved);
        if (is_solved) {
            ++solved;
            cn_few_contacts_remark(view->block_count, &found.report);
            CHECK(memcmp(found.impulse, expected.impulse, sizeof found.impulse) == 0);
            CHECK(memcmp(found.velocity, expected.velocity, sizeof found.velocity) == 0);
            CHECK_INT(found.report.iterations, expected.report.iterations);
            CHECK_NEAR(found.report.work, expected.report.work, 0.0);
            CHECK_NEAR(found.report.error, expected.report.error, 0.0);
            CHECK(strcmp(found.report.solver, expected.report.solver) == 0);
            CHECK(strcmp(found.report.remark, expected.report.remark) == 0);
        } else { // as it was
            CHECK(memcmp(found.impulse, problem.impulse,
                         (size_t)view->row_count * sizeof(double)) == 0);
        }
        problem_free(&problem);
    }
    CHECK(solved > 200); // most are that easy
    cn_workspace_destroy(workspace);
}

static void other_problems_are_left_to_auto(void) {
    CnSolverDef def = cn_solver_def_default(), other = def;
    Problem problem = {0};
    int body = problem_add_body(&problem, 1.0, 1.0);
    problem_add_contact(&problem, -1, body, cn_vec3(0, 0, 0), cn_vec3(0, 0, -1), 0.5);
    CHECK(cn_few_contacts_suit(problem_view(&problem), &def));
    other.name = "newton_ac";
    CHECK(!cn_few_contacts_suit(problem_view(&problem), &other));
    other = def;
    other.max_iterations = 5;
    CHECK(!cn_few_contacts_suit(problem_view(&problem), &other));
    problem_add_point_joint(&problem, -1, body, cn_vec3(0, 0, 0), cn_vec3(0, 0, 1));
    CHECK(!cn_few_contacts_suit(problem_view(&problem), &def));
    problem_free(&problem);
}

TEST_MAIN("unit/solvers/sweep/few_contacts", TEST(answers_are_those_of_auto_to_the_bit),
          TEST(other_problems_are_left_to_auto))

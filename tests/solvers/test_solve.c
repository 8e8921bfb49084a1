// test_solve.c - the one door: what cn_solve() promises whatever the solver behind it.
#include "cairn/solver.h"
#include "support/failing_allocator.h"
#include "support/problems/piles.h"
#include "support/test.h"

typedef struct Attempt {
    CnStatus status;
    CnSolverReport report;
    CnError error;
} Attempt;

static Attempt attempt(Problem* problem, CnSolverDef def, CnSolution* solution) {
    Attempt result = {0};
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CHECK(workspace != NULL);
    result.status =
        cn_solve(problem_view(problem), &def, workspace, solution, &result.report, &result.error);
    cn_workspace_destroy(workspace);
    return result;
}

static Problem small_stack(void) {
    Problem problem = {0};
    const double mass[3] = {1.0, 2.0, 1.0};
    pile_add_stack(&problem, 3, mass, 0.5, 1.0);
    return problem;
}

static void every_listed_solver_is_found_and_described(void) {
    CHECK(cn_solver_count() >= 3);
    for (int i = 0; i < cn_solver_count(); ++i) {
        CnSolverInfo info = cn_solver_at(i);
        CHECK(strlen(info.name) > 0 && strlen(info.summary) > 10 && info.laws != 0);
    }
    CHECK_STRING(cn_solver_at(0).name, "auto");
}

static void a_misspelt_solver_is_answered_with_the_nearest(void) {
    Problem problem = small_stack();
    CnSolution solution = problem_solution(&problem);
    CnSolverDef def = cn_solver_def_default();
    def.name = "nsgd";
    Attempt result = attempt(&problem, def, &solution);
    CHECK(result.status == CN_INVALID);
    CHECK_CONTAINS(result.error.message, "\"nsgd\"; did you mean \"nsgs\"?");
    def.name = "tree"; // reports have it
    result = attempt(&problem, def, &solution);
    CHECK(result.status == CN_INVALID);
    CHECK_CONTAINS(result.error.message, "\"tree\" is a part of \"auto\"");
    problem_free(&problem);
}

static void a_wrong_def_is_answered_with_the_field(void) {
    Problem problem = small_stack();
    CnSolution solution = problem_solution(&problem);
    CnSolverDef good = cn_solver_def_default();
    CnSolverDef def = {.name = "nsgs"};
    CHECK_CONTAINS(attempt(&problem, def, &solution).error.message, "cn_solver_def_default");
    def = good;
    def.tolerance = 0.0;
    CHECK_CONTAINS(attempt(&problem, def, &solution).error.message, "tolerance is 0");
    def = good;
    def.max_iterations = -1;
    CHECK_CONTAINS(attempt(&problem, def, &solution).error.message, "max_iterations is -1");
    def = good;
    def.over_relaxation = 2.0;
    CHECK_CONTAINS(attempt(&problem, def, &solution).error.message, "over_relaxation is 2");
    def = good;
    def.regularisation = -1.0;
    CHECK_CONTAINS(attempt(&problem, def, &solution).error.message, "regularisation is -1");
    def = good;
    def.name = NULL;
    CHECK_CONTAINS(attempt(&problem, def, &solution).error.message, "name is NULL");
    problem_free(&problem);
}

static void a_certified_guess_is_kept_as_it_is(void) {
    Problem problem = small_stack();
    CnSolution solution = problem_solution(&problem);
    CnSolverDef def = cn_solver_def_default();
    def.name = "nsgs";
    def.tolerance = 1e-10;
    CHECK(attempt(&problem, def, &solution).report.outcome == CN_CONVERGED);
    double impulse[36];
    memcpy(impulse, solution.impulse, sizeof impulse);
    Attempt again = attempt(&problem, def, &solution);
    CHECK(again.report.outcome == CN_CONVERGED);
    CHECK_INT(again.report.iterations, 0);
    CHECK(memcmp(impulse, solution.impulse, sizeof impulse) == 0);
    def.warm_start = false;
    CHECK(attempt(&problem, def, &solution).report.iterations > 0);
    problem_free(&problem);
}

static void a_guess_that_is_not_a_number_is_refused(void) {
    Problem problem = small_stack();
    CnSolution solution = problem_solution(&problem);
    solution.impulse[4] = (double)NAN;
    Attempt result = attempt(&problem, cn_solver_def_default(), &solution);
    CHECK(result.status == CN_INVALID);
    CHECK_CONTAINS(result.error.message, "impulse 4");
    CnSolverDef def = cn_solver_def_default();
    def.warm_start = false;
    CHECK(attempt(&problem, def, &solution).report.outcome == CN_CONVERGED);
    problem_free(&problem);
}

// One sweep is not enough: the outcome says so although the call succeeds, and the certificate is
// that of the answer.
static void an_unconverged_answer_is_reported_not_hidden(void) {
    Problem problem = small_stack();
    CnSolution solution = problem_solution(&problem);
    CnSolverDef def = cn_solver_def_default();
    def.name = "pgs";
    def.max_iterations = 1;
    Attempt result = attempt(&problem, def, &solution);
    CHECK(result.status == CN_OK);
    CHECK(result.report.outcome == CN_OUT_OF_ITERATIONS);
    CHECK_INT(result.report.iterations, 1);
    CnCertificate certificate;
    cn_problem_certify(problem_view(&problem), &solution, NULL, &certificate);
    CHECK(certificate.worst == result.report.certificate.worst);
    CHECK(certificate.worst > 1e-8 && certificate.velocity_defect == 0.0);
    problem_free(&problem);
}

// Regularising adds a fraction of the mean of W's diagonal to it: a mass of 1 kg on one row with
// W = 1 then gets p = b / (1 + 0.01), and the certificate shows the lack: b - p = b / 101.
static void regularisation_is_labelled_and_its_price_is_shown(void) {
    Problem problem = {0};
    int body = problem_add_body(&problem, 1.0, 0.0);
    problem_add_block(&problem, CN_LAW_EQUALITY, 1, -1, body);
    problem.jacobian_b[0][0] = 1.0;
    problem.target[0] = 1.0;
    CnSolution solution = problem_solution(&problem);
    const char* const solvers[2] = {"nsgs", "auto"};
    for (int i = 0; i < 2; ++i) {
        CnSolverDef def = cn_solver_def_default();
        def.name = solvers[i];
        def.regularisation = 0.01;
        Attempt result = attempt(&problem, def, &solution);
        CHECK_STRING(result.report.approximation, "regularised");
        CHECK_NEAR(solution.impulse[0], 1.0 / 1.01, 1e-15);
        CHECK_NEAR(result.report.certificate.worst, 1.0 / 101.0, 1e-15);
        CHECK(result.report.outcome == CN_STALLED);
    }
    problem_free(&problem);
}

static void an_empty_problem_is_solved(void) {
    Problem problem = {0};
    int body = problem_add_body(&problem, 1.0, 1.0);
    problem.free_velocity[body][0] = 3.0;
    CnSolution solution = {.impulse = NULL, .velocity = problem.velocity};
    for (int i = 0; i < cn_solver_count(); ++i) {
        CnSolverDef def = cn_solver_def_default();
        def.name = cn_solver_at(i).name;
        Attempt result = attempt(&problem, def, &solution);
        CHECK(result.status == CN_OK && result.report.outcome == CN_CONVERGED);
        CHECK(problem.velocity[0][0] == 3.0);
    }
    problem_free(&problem);
}

// The problem is read only: every byte of it is the same after every solver.
static void no_solver_changes_the_problem(void) {
    Problem problem = small_stack();
    CnOwnedProblem* before = cn_problem_copy(problem_view(&problem), NULL);
    const CnProblem* copy = cn_owned_problem_get(before);
    for (int i = 0; i < cn_solver_count(); ++i) {
        CnSolution solution = problem_solution(&problem);
        CnSolverDef def = cn_solver_def_default();
        def.name = cn_solver_at(i).name;
        attempt(&problem, def, &solution);
        size_t rows = (size_t)problem.row_count, bodies = (size_t)problem.body_count;
        CHECK(memcmp(copy->jacobian_a, problem.jacobian_a, rows * sizeof(double[6])) == 0);
        CHECK(memcmp(copy->jacobian_b, problem.jacobian_b, rows * sizeof(double[6])) == 0);
        CHECK(memcmp(copy->target, problem.target, rows * sizeof(double)) == 0);
        CHECK(memcmp(copy->compliance, problem.compliance, rows * sizeof(double)) == 0);
        CHECK(memcmp(copy->free_velocity, problem.free_velocity, bodies * sizeof(double[6])) == 0);
        CHECK(memcmp(copy->inverse_mass, problem.inverse_mass, bodies * sizeof(double)) == 0);
    }
    cn_owned_problem_destroy(before);
    problem_free(&problem);
}

// A workspace that has grown asks for no more memory.
static void solving_again_allocates_nothing(void) {
    Problem problem = small_stack();
    FailingAllocator counter = {0};
    CnAllocator allocator = failing_allocator(&counter);
    CnWorkspace* workspace = cn_workspace_create(&allocator, NULL);
    CnSolverReport report;
    int after_growth = 0;
    for (int i = 0; i < 6; ++i) {
        CnSolution solution = problem_solution(&problem);
        CnSolverDef def = cn_solver_def_default();
        def.name = i % 2 == 0 ? "nsgs" : "pgs";
        CHECK(cn_solve(problem_view(&problem), &def, workspace, &solution, &report, NULL) == CN_OK);
        if (i == 3) {
            after_growth = counter.requests;
        }
    }
    CHECK_INT(counter.requests, after_growth);
    cn_workspace_destroy(workspace);
    CHECK_INT(counter.live, 0);
    problem_free(&problem);
}

// Every request for memory refused in turn: CN_NO_MEMORY with a sentence, and nothing leaks.
static void running_out_of_memory_is_a_status(void) {
    Problem problem = small_stack();
    bool finished = false;
    for (int refuse = 1; !finished; ++refuse) {
        FailingAllocator failing = {.refuse_at = refuse};
        CnAllocator allocator = failing_allocator(&failing);
        CnError error = {0};
        CnWorkspace* workspace = cn_workspace_create(&allocator, &error);
        if (workspace == NULL) {
            CHECK(error.status == CN_NO_MEMORY);
            continue;
        }
        CnSolution solution = problem_solution(&problem);
        CnSolverDef def = cn_solver_def_default();
        def.tolerance = 1e-12;
        CnSolverReport report;
        CnStatus status =
            cn_solve(problem_view(&problem), &def, workspace, &solution, &report, &error);
        finished = failing.requests < refuse;
        CHECK(status == (finished ? CN_OK : CN_NO_MEMORY));
        CHECK(finished || error.status == CN_NO_MEMORY);
        cn_workspace_destroy(workspace);
        CHECK_INT(failing.live, 0);
    }
    problem_free(&problem);
}

// A bar of 2 kg between two pins of the world, which hold its length twice, with a ball of 1 kg on
// its middle. All fall at 0.1 m/s, the bar moves along itself at 0.3 m/s. Pins that are alike
// share: each takes half of 2 * 0.3 N s along the bar and half of 3 * 0.1 N s up; the ball asks for
// 0.1. Residuals of 1e-10 m/s are 1e-10 of a few kilograms, and sharing leaves ten digits.
static void redundant_joints_share_under_contacts_whoever_solves(void) {
    CnVec3 ends[2] = {{-0.5, 0.0, 0.0}, {0.5, 0.0, 0.0}}, none = {0.0, 0.0, 0.0};
    int solved = 0;
    for (int i = 0; i < cn_solver_count(); ++i) {
        Problem problem = {0};
        CnSolverDef def = cn_solver_def_default();
        CnSolverReport report;
        CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
        int bar = problem_add_body(&problem, 0.5, 1.0),
            ball = problem_add_body(&problem, 1.0, 10.0);
        problem_add_point_joint(&problem, -1, bar, none, ends[0]);
        problem_add_point_joint(&problem, -1, bar, none, ends[1]);
        problem_add_contact(&problem, bar, ball, cn_vec3(0.0, 0.0, 0.1), cn_vec3(0.0, 0.0, -0.2),
                            0.5);
        problem.free_velocity[bar][0] = 0.3;
        problem.free_velocity[bar][2] = problem.free_velocity[ball][2] = -0.1;
        CnSolution solution = problem_solution(&problem);
        def.name = cn_solver_at(i).name;
        def.tolerance = 1e-10;
        cn_solve(problem_view(&problem), &def, workspace, &solution, &report, NULL);
        if (report.outcome == CN_CONVERGED && report.approximation == NULL) {
            ++solved;
            for (int pin = 0; pin < 2; ++pin) {
                CHECK_NEAR(problem.impulse[3 * pin], -0.3, 1e-9);
                CHECK_NEAR(problem.impulse[3 * pin + 1], 0.0, 1e-9);
                CHECK_NEAR(problem.impulse[3 * pin + 2], 0.15, 1e-9);
            }
            CHECK_NEAR(problem.impulse[6], 0.1, 1e-9);
            CHECK_INT(report.redundant_rows, 1);
            CHECK(report.redundant_block == 0 || report.redundant_block == 1);
            CHECK(report.certificate.worst <= 1e-10);
        }
        cn_workspace_destroy(workspace);
        problem_free(&problem);
    }
    CHECK(solved >= 3); // nsgs, newton_ac and auto at least
}

// Ten bodies of 1 kg to 20 tons on each other; half of the solvers take no friction.
static Problem hard_stack(double friction) {
    Problem problem = {0};
    double mass[10] = {1.0};
    for (int i = 1; i < 10; ++i) {
        mass[i] = 3.0 * mass[i - 1];
    }
    pile_add_stack(&problem, 10, mass, friction, 1.0);
    return problem;
}

// A nanosecond is over when a solver first looks, and no answer is within 1e-300 m/s: whoever has
// something left to do stops after the iteration at hand, with an answer that is graded.
static void every_solver_stops_when_the_deadline_is_over(void) {
    int stopped = 0;
    for (int i = 0; i < 2 * cn_solver_count(); ++i) {
        Problem problem = hard_stack(i % 2 == 0 ? 0.5 : 0.0);
        CnSolution solution = problem_solution(&problem);
        CnSolverDef def = cn_solver_def_default();
        def.name = cn_solver_at(i / 2).name;
        def.tolerance = 1e-300;
        def.deadline = 1e-9;
        Attempt result = attempt(&problem, def, &solution);
        if (result.status != CN_UNSUPPORTED) {
            CHECK_INT(result.status, CN_OK);
            ck_assert_msg(result.report.outcome == CN_OUT_OF_TIME, "%s: %s", def.name,
                          cn_outcome_name(result.report.outcome));
            CHECK(isfinite(result.report.certificate.worst));
            ck_assert_msg(result.report.iterations <= 10, "%s: %d iterations", def.name,
                          result.report.iterations);
            ++stopped;
        }
        problem_free(&problem);
    }
    CHECK(stopped >= cn_solver_count()); // with friction or without it, all but direct
    CHECK_STRING(cn_outcome_name(CN_OUT_OF_TIME), "out_of_time");
}

static void a_deadline_that_is_far_away_changes_no_bit(void) {
    for (int i = 0; i < cn_solver_count(); ++i) {
        double impulse[256];
        Problem problem = hard_stack(0.5);
        CnSolution solution = problem_solution(&problem);
        CnSolverDef def = cn_solver_def_default();
        size_t bytes = (size_t)problem.row_count * sizeof(double);
        CHECK(bytes <= sizeof impulse);
        def.name = cn_solver_at(i).name;
        def.warm_start = false;
        def.max_iterations = 100;
        Attempt result = attempt(&problem, def, &solution);
        memcpy(impulse, solution.impulse, bytes);
        def.deadline = 1e9; // 30 years
        attempt(&problem, def, &solution);
        if (result.status == CN_OK) {
            CHECK(memcmp(impulse, solution.impulse, bytes) == 0);
        }
        problem_free(&problem);
    }
}

TEST_MAIN("solvers/solve", TEST(every_listed_solver_is_found_and_described),
          TEST(a_misspelt_solver_is_answered_with_the_nearest),
          TEST(a_wrong_def_is_answered_with_the_field), TEST(a_certified_guess_is_kept_as_it_is),
          TEST(a_guess_that_is_not_a_number_is_refused),
          TEST(an_unconverged_answer_is_reported_not_hidden),
          TEST(regularisation_is_labelled_and_its_price_is_shown), TEST(an_empty_problem_is_solved),
          TEST(no_solver_changes_the_problem), TEST(solving_again_allocates_nothing),
          TEST(running_out_of_memory_is_a_status),
          TEST(every_solver_stops_when_the_deadline_is_over),
          TEST(a_deadline_that_is_far_away_changes_no_bit),
          TEST(redundant_joints_share_under_contacts_whoever_solves))

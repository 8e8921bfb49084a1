// test_budget.c - the work budget: counted, kept, the same whenever it is run.
#include "solvers/solve/budget.h"

#include "cairn/solver.h"
#include "support/problems/problems.h"
#include "support/problems/solving.h"
#include "support/test.h"
#include <math.h>
#include <stdio.h>

#define BOXES 40

// Boxes of 1 kg in a tower, four contacts between two, which fell for 10 ms: sweeps need thousands
// of turns to carry the weight down.
static void build_tower(Problem* problem, int boxes, double friction) {
    static const double corner[4][2] = {{0.5, 0.5}, {-0.5, 0.5}, {-0.5, -0.5}, {0.5, -0.5}};
    for (int i = 0; i < boxes; ++i) {
        int body = problem_add_body(problem, 1.0, 1.0 / 6.0);
        problem->free_velocity[body][2] = -0.0981;
        for (int k = 0; k < 4; ++k) {
            CnVec3 below = {corner[k][0], corner[k][1], 0.5}, above = below;
            above.z = -0.5;
            problem_add_contact(problem, body - 1, body, below, above, friction);
        }
    }
}

static CnSolverReport solve(Problem* problem, const char* name, double budget, double* impulse) {
    CnSolverReport report;
    CnError error = {0};
    CnSolverDef def = cn_solver_def_default();
    CnWorkspace* workspace = cn_workspace_create(NULL, &error);
    CnSolution solution = problem_solution(problem);
    def.name = name;
    def.warm_start = false;
    def.work_budget = budget;
    CnStatus status = cn_solve(problem_view(problem), &def, workspace, &solution, &report, &error);
    CHECK(status == CN_OK || status == CN_UNSUPPORTED);
    for (int i = 0; i < problem->row_count; ++i) {
        impulse[i] = solution.impulse[i];
    }
    cn_workspace_destroy(workspace);
    return report;
}

static bool takes(const CnSolverInfo* info, double friction) {
    return friction == 0.0 || (info->laws & 1u << CN_LAW_COULOMB) != 0;
}

// An iteration that has begun is finished, so what is done may exceed the budget by one. Of all
// solvers the longest unit that is not planned for is the rest of projections of newton_projected,
// and what comes before and after: the certificates of cn_solve().
static void no_solver_exceeds_its_budget_by_more_than_an_iteration(void) {
    static const double frictions[] = {0.0, 0.5};
    static double impulse[12 * BOXES];
    for (int f = 0; f < 2; ++f) {
        Problem problem = {0};
        build_tower(&problem, BOXES, frictions[f]);
        double unit = 50.0 * cn_cost_of_certificate(problem_view(&problem));
        for (int i = 0; i < cn_solver_count(); ++i) {
            CnSolverInfo info = cn_solver_at(i);
            if (!takes(&info, frictions[f])) {
                continue;
            }
            for (double budget = 1e4; budget < 1e9; budget *= 10.0) {
                CnSolverReport report = solve(&problem, info.name, budget, impulse);
                if (report.outcome == CN_REFUSED) {
                    break;
                }
                CHECK(report.work > 0.0);
                CHECK(report.work <= budget + unit);
                CHECK(isfinite(report.error));
                CHECK(report.outcome != CN_OUT_OF_BUDGET || report.error > 1e-8);
            }
        }
        problem_free(&problem);
    }
}

static void a_spent_budget_is_the_outcome(void) {
    static const char* const names[] = {
        "auto",      "pgs",     "pgs_lanes",        "nsgs",    "extragradient", "admm",
        "newton_ac", "cone_ip", "newton_projected", "penalty", "newton_fb"};
    static double impulse[12 * BOXES];
    Problem problem = {0};
    build_tower(&problem, BOXES, 0.5);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        CnSolverReport report = solve(&problem, names[i], 1e5, impulse);
        CHECK_STRING(cn_outcome_name(report.outcome), "out_of_budget");
    }
    problem_free(&problem);
}

static void a_budget_gives_the_same_bits_every_time(void) {
    static double first[12 * BOXES], second[12 * BOXES];
    Problem problem = {0};
    build_tower(&problem, BOXES, 0.5);
    CnSolverReport a = solve(&problem, "auto", 3e6, first);
    CnSolverReport b = solve(&problem, "auto", 3e6, second);
    CHECK_INT(a.outcome, CN_OUT_OF_BUDGET);
    CHECK(a.work == b.work);
    CHECK(memcmp(first, second, sizeof first) == 0);
    problem_free(&problem);
}

static void more_budget_is_never_worse_with_auto(void) {
    static double impulse[12 * BOXES];
    Problem problem = {0};
    double last = HUGE_VAL;
    build_tower(&problem, BOXES, 0.5);
    for (double budget = 1e6; budget < 1e10; budget *= 100.0) {
        CnSolverReport report = solve(&problem, "auto", budget, impulse);
        CHECK(report.error <= last);
        last = report.error;
    }
    CHECK(last <= 1e-8);
    problem_free(&problem);
}

static void the_default_grows_with_the_problem(void) {
    Problem small = {0}, large = {0};
    build_tower(&small, 1, 0.5);
    build_tower(&large, BOXES, 0.5);
    CHECK(cn_budget_resolve(problem_view(&large), 0.0) >
          cn_budget_resolve(problem_view(&small), 0.0));
    CnSolverDef def = cn_solver_def_default();
    CHECK(cn_budget_of_step(problem_view(&large), &def) >
          cn_budget_of_step(problem_view(&small), &def));
    def.work_budget = 5.0;
    CHECK_NEAR(cn_budget_of_step(problem_view(&small), &def), 5.0, 0.0);
    problem_free(&small);
    problem_free(&large);
}

// budget.md (8): five digits fewer leave 0.57^5 = 0.060 of what large problems get.
static void fewer_digits_get_less(void) {
    CnProblem problem = {.row_count = 100000};
    CnSolverDef def = cn_solver_def_default();
    double all = cn_budget_of_step(&problem, &def), before = all;
    for (def.tolerance = 1e-9; def.tolerance < 1.0; def.tolerance *= 3.0) {
        double budget = cn_budget_of_step(&problem, &def);
        CHECK(budget > 0.0 && budget <= before);
        before = budget;
    }
    def.tolerance = 1e-3;
    CHECK_NEAR(cn_budget_of_step(&problem, &def) / all, 0.060, 1e-3);
}

// Newton's projections solve a box on the ground before its first step: they are who did it.
static void iterations_are_told_for_each_solver_that_took_part(void) {
    static double impulse[12 * BOXES];
    Problem problem = {0};
    build_tower(&problem, 1, 0.5);
    CnSolverReport report = solve(&problem, "newton_fb", 0.0, impulse);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK(report.iterations > 0);
    CHECK_INT(report.part_count, 2);
    CHECK_STRING(report.parts[0].solver, "extragradient");
    CHECK(report.parts[0].iterations > 0);
    CHECK_STRING(report.parts[1].solver, "newton_fb");
    problem_free(&problem);

    problem = (Problem){0};
    build_tower(&problem, BOXES, 0.5);
    report = solve(&problem, "auto", 0.0, impulse);
    int iterations = 0;
    double work = 0.0;
    for (int i = 0; i < report.part_count; ++i) {
        iterations += report.parts[i].iterations;
        work += report.parts[i].work;
    }
    CHECK_STRING(report.parts[0].solver, "nsgs_momentum");
    CHECK(report.part_count >= 2);
    CHECK_INT(iterations, report.iterations);
    CHECK(work <= report.work && work > 0.5 * report.work); // the rest are grades between them
    problem_free(&problem);
}

// Printed, never judged: multiplications of each solver in a millisecond.
static void the_rates_of_solvers_are_printed(void) {
    static double impulse[12 * BOXES];
    Problem problem = {0};
    build_tower(&problem, BOXES, 0.5);
    for (int i = 0; i < cn_solver_count(); ++i) {
        CnSolverReport report = solve(&problem, cn_solver_at(i).name, 3e8, impulse);
        if (report.outcome != CN_REFUSED) {
            printf("%-16s %9.3g multiplications, %6.2f million in a millisecond\n",
                   cn_solver_at(i).name, report.work, report.work / report.seconds * 1e-9);
        }
    }
    problem_free(&problem);
}

TEST_MAIN("solvers/budget", TEST(no_solver_exceeds_its_budget_by_more_than_an_iteration),
          TEST(a_spent_budget_is_the_outcome), TEST(a_budget_gives_the_same_bits_every_time),
          TEST(more_budget_is_never_worse_with_auto), TEST(the_default_grows_with_the_problem),
          TEST(fewer_digits_get_less), TEST(iterations_are_told_for_each_solver_that_took_part),
          TEST(the_rates_of_solvers_are_printed))

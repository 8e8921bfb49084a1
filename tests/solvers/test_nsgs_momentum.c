// test_nsgs_momentum.c - sweeps with momentum: piles for a given work, and every law on the way.
#include "cairn/cairn.h"
#include "support/problems/solver_claims.h"
#include "support/test.h"

#include <stdio.h>

// Steps of @pile:3 and @pile:4, balls, boxes and capsules that fall into a container; the later
// ones are the harder. Written by cairn run @pile:3 --dump-problem 60 FILE.
static const struct {
    const char* name;
    double work; // four times what it takes to 1e-6 m/s
} piles[] = {
    {"192_bodies_step_60", 1.6e7},  // 339 contacts
    {"192_bodies_step_100", 8e7},   // 487
    {"256_bodies_step_80", 6e7},    // 696
    {"256_bodies_step_100", 1.4e8}, // 727
};
#define PILE_COUNT ((int)(sizeof piles / sizeof piles[0]))

static CnOwnedProblem* load(const char* name) {
    char path[400];
    CnError error = {0};
    snprintf(path, sizeof path, "%s/tests/problems/piles/%s.json", TEST_SOURCE_DIR, name);
    CnOwnedProblem* owned = cn_problem_load(path, &error);
    ck_assert_msg(owned != NULL, "%s", error.message);
    return owned;
}

// From zero. impulse: NULL, or where the answer goes   [row_count]
static CnSolverReport solve(const char* solver, const CnProblem* problem, double tolerance,
                            double budget, double* impulse) {
    CnSolverDef def = cn_solver_def_default();
    CnSolverReport report;
    CnError error = {0};
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CnSolution solution = {
        .impulse = calloc((size_t)problem->row_count, sizeof(double)),
        .velocity = calloc((size_t)problem->body_count, sizeof *solution.velocity),
    };
    def.name = solver;
    def.tolerance = tolerance;
    def.work_budget = budget;
    CHECK_INT(cn_solve(problem, &def, workspace, &solution, &report, &error), CN_OK);
    if (impulse != NULL) {
        memcpy(impulse, solution.impulse, (size_t)problem->row_count * sizeof(double));
    }
    free(solution.impulse);
    free(solution.velocity);
    cn_workspace_destroy(workspace);
    return report;
}

static void piles_are_solved_within_their_work(void) {
    static const char* const solvers[] = {"nsgs_momentum", "auto"};
    for (int i = 0; i < PILE_COUNT; ++i) {
        CnOwnedProblem* owned = load(piles[i].name);
        for (int k = 0; k < 2; ++k) {
            CnSolverReport report =
                solve(solvers[k], cn_owned_problem_get(owned), 1e-6, piles[i].work, NULL);
            ck_assert_msg(report.outcome == CN_CONVERGED, "%s on %s: %s at %g m/s", solvers[k],
                          piles[i].name, cn_outcome_name(report.outcome), report.error);
            CHECK_STRING(report.solver, "nsgs_momentum");
        }
        cn_owned_problem_destroy(owned);
    }
}

// A longer run is the same run with more behind it, and keeps the best of it: only the clusters of
// the last pass see how much is left.
static void more_work_is_never_worse(void) {
    CnOwnedProblem* owned = load("256_bodies_step_100");
    const CnProblem* problem = cn_owned_problem_get(owned);
    double before = HUGE_VAL;
    for (double budget = 1e5; budget < 1e8; budget *= 4.0) {
        CnSolverReport report = solve("nsgs_momentum", problem, 1e-9, budget, NULL);
        CHECK(report.error <= before);
        CHECK(report.work <= budget + 1e7); // a grade, and the clusters that have begun
        before = report.error;
    }
    CHECK(before < 1e-4); // m/s; it begins with 5
    cn_owned_problem_destroy(owned);
}

static void the_same_budget_gives_the_same_bits(void) {
    CnOwnedProblem* owned = load("192_bodies_step_60");
    const CnProblem* problem = cn_owned_problem_get(owned);
    size_t bytes = (size_t)problem->row_count * sizeof(double);
    double *first = malloc(bytes), *second = malloc(bytes);
    solve("nsgs_momentum", problem, 1e-8, 2e6, first);
    solve("nsgs_momentum", problem, 1e-8, 2e6, second);
    CHECK(memcmp(first, second, bytes) == 0);
    free(first);
    free(second);
    cn_owned_problem_destroy(owned);
}

static void a_sliding_contact_obeys_coulomb_and_not_the_convex_cone(void) {
    claim_coulomb_and_not_the_convex_cone(&cn_solver_nsgs_momentum, 1e-11); // W = 2
}

static void a_box_on_four_points_carries_its_weight(void) {
    claim_weight_on_four_points(&cn_solver_nsgs_momentum, 1e-11); // m = 1 kg, four points
}

static void joints_motors_springs_and_contacts_are_solved_together(void) {
    claim_mixed_laws(&cn_solver_nsgs_momentum, 1e-10);
}

static void torsion_and_rolling_are_solved_too(void) {
    claim_wide_contact(&cn_solver_nsgs_momentum, 1e-10);
}

static void running_out_of_memory_is_a_status(void) {
    claim_memory_failures_are_statuses(&cn_solver_nsgs_momentum);
}

TEST_MAIN("solvers/nsgs_momentum", TEST(piles_are_solved_within_their_work),
          TEST(more_work_is_never_worse), TEST(the_same_budget_gives_the_same_bits),
          TEST(a_sliding_contact_obeys_coulomb_and_not_the_convex_cone),
          TEST(a_box_on_four_points_carries_its_weight),
          TEST(joints_motors_springs_and_contacts_are_solved_together),
          TEST(torsion_and_rolling_are_solved_too), TEST(running_out_of_memory_is_a_status))

// test_masses.c - general masses: known answers, and the same ones with and without forming W.
#include "cairn/solver.h"
#include "support/problems/elastic_blocks.h"
#include "support/problems/problems.h"
#include "support/test.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static CnSolverDef def_of(const char* solver, double tolerance) {
    CnSolverDef def = cn_solver_def_default();
    def.name = solver;
    def.tolerance = tolerance;
    def.measure = CN_ERROR_RELATIVE;
    def.warm_start = false;
    return def;
}

static CnSolverReport solve_by(const CnProblem* problem, const CnSolverDef* def, double* impulse,
                               double (*velocity)[6]) {
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CnSolverReport report;
    CnError error = {0};
    CnSolution solution = {impulse, velocity};
    CnStatus status = cn_solve(problem, def, workspace, &solution, &report, &error);
    ck_assert_msg(status == CN_OK, "%s: %s", def->name, error.message);
    CHECK_STRING(error.message, "");
    cn_workspace_destroy(workspace);
    return report;
}

static CnSolverReport solve(const CnProblem* problem, const char* solver, double tolerance,
                            double* impulse, double (*velocity)[6]) {
    CnSolverDef def = def_of(solver, tolerance);
    return solve_by(problem, &def, impulse, velocity);
}

static bool keeps_masses(const CnSolverReport* report) {
    return strstr(report->remark, "masses kept") != NULL;
}

// Columns of springs hang on a plate, all alike, so that springs between them carry nothing: each
// is a bar of n springs in series, compliance n / k, whose end the load alone would move by f n (n
// + 1) / (2 k).
static const ElasticBlockDef bars = {.x = 60,
                                     .y = 1,
                                     .z = 3,
                                     .along = 50.0,
                                     .across = 20.0,
                                     .hangs = true,
                                     .load = {0.3, 0.0, -2.0},
                                     .gap = 0.01,
                                     .friction = 0.5};

// Solvers that keep the masses and those that need W agree with that.
static void a_bar_is_pressed_against_a_wall(void) {
    const double layers = bars.z;
    const double normal = -bars.load[2] * (layers + 1.0) / 2.0 - bars.gap * bars.along / layers;
    const double needed = bars.load[0] * (layers + 1.0) / 2.0; // of friction, to stick
    const struct {
        const char* solver;
        double friction;
        bool keeps;
    } cases[] = {{"auto", 0.5, true},    {"auto", 0.1, true},  {"cone_ip", 0.5, true},
                 {"cone_ip", 0.1, true}, {"admm", 0.1, true},  {"extragradient", 0.5, true},
                 {"nsgs", 0.1, false},   {"nsgs", 0.5, false}, {"newton_ac", 0.1, false}};
    ElasticBlock block = elastic_block_create(&bars);
    CHECK_INT(cn_problem_check(&block.problem, NULL), CN_OK);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        for (int i = 0; i < block.contact_count; ++i) {
            block.blocks[i].friction = cases[c].friction;
        }
        CnSolverReport report =
            solve(&block.problem, cases[c].solver, 1e-11, block.impulse, block.velocity);
        double tangent = fmin(needed, cases[c].friction * normal);
        double slip = (needed - tangent) * layers / bars.across, worst = 0.0;
        for (int i = 0; i < block.contact_count; ++i) {
            const double* v = (const double*)block.velocity + 2 * i; // the lowest layer comes first
            worst = fmax(worst, fabs(block.impulse[2 * i] - normal));
            worst = fmax(worst, fabs(block.impulse[2 * i + 1] + tangent));
            worst = fmax(worst, fabs(v[0] - slip));
            worst = fmax(worst, fabs(v[1] + bars.gap));
        }
        ck_assert_msg(report.outcome == CN_CONVERGED, "%s: %s", cases[c].solver, report.remark);
        ck_assert_msg(keeps_masses(&report) == cases[c].keeps, "%s: %s", cases[c].solver,
                      report.remark);
        // 1e-11 of a vector of 120 numbers near 4, stiffness over compliance 150.
        ck_assert_msg(worst <= 1e-8, "%s, friction %g: off by %g", cases[c].solver,
                      cases[c].friction, worst);
    }
    elastic_block_free(&block);
}

static double uneven(int i) {
    return 1.0 + 0.5 * (double)(i * 37 % 11) / 11.0 - (i % 13 == 0 ? 4.0 : 0.0);
}

// The largest difference of impulses, relative to the largest of them.
static double difference(const double* a, const double* b, int count) {
    double worst = 0.0, size = 0.0;
    for (int i = 0; i < count; ++i) {
        worst = fmax(worst, fabs(a[i] - b[i]));
        size = fmax(size, fabs(a[i]));
    }
    return worst / size;
}

// W of these blocks is positive definite and its friction small, so that the answer is unique; an
// error of 1e-13 in p - P(p - rho u) is one of at most that times the condition of the scaled W,
// some hundreds.
static void check_problem(const CnProblem* problem, const char* solver, double tolerance) {
    CnError error = {0};
    CnOwnedProblem* condensed = cn_problem_condense(problem, &error);
    ck_assert_msg(condensed != NULL, "%s", error.message);
    int rows = problem->row_count;
    double* impulse = calloc(2 * (size_t)rows, sizeof *impulse);
    double(*velocity)[6] = calloc((size_t)problem->body_count, sizeof *velocity);
    CnSolverReport kept = solve(problem, solver, tolerance, impulse, velocity);
    CnSolverReport formed =
        solve(cn_owned_problem_get(condensed), "cone_ip", 1e-13, impulse + rows, velocity);
    ck_assert_msg(keeps_masses(&kept), "%s", kept.remark);
    ck_assert_msg(kept.outcome == CN_CONVERGED, "%s, %g", kept.remark,
                  kept.certificate.scaled_error);
    ck_assert_msg(formed.outcome == CN_CONVERGED, "%s, %g", formed.remark,
                  formed.certificate.scaled_error);
    double worst = difference(impulse + rows, impulse, rows);
    ck_assert_msg(worst <= 1e3 * tolerance, "%s: %g", solver, worst);
    CHECK(kept.certificate.velocity_defect == 0.0);
    free(impulse);
    free(velocity);
    cn_owned_problem_destroy(condensed);
}

static void check_forms(const ElasticBlockDef* def) {
    ElasticBlock block = elastic_block_create(def);
    check_problem(&block.problem, "cone_ip", 1e-13);
    elastic_block_free(&block);
}

static const ElasticBlockDef plane = {.x = 60,
                                      .y = 1,
                                      .z = 3,
                                      .mass = 30.0,
                                      .along = 50.0,
                                      .across = 20.0,
                                      .diagonal = 30.0,
                                      .load = {0.4, 0.0, -2.0},
                                      .extra = uneven,
                                      .friction = 0.3};

static void the_answer_is_the_same_with_and_without_w(void) {
    ElasticBlockDef def = plane;
    check_forms(&def);
    def.friction = 0.0;
    check_forms(&def);
    def = plane;
    def.x = 16;
    def.y = 8;
    def.z = 2;
    def.load[1] = 0.2;
    check_forms(&def);
}

static void a_mass_matrix_need_not_be_symmetric(void) {
    ElasticBlockDef def = plane;
    def.skew = 15.0;
    check_forms(&def);
}

// Limits, springs, soft rows and equalities beside contacts, for both solvers that factor M and J.
// Alternating directions are made for few digits: 1e-9.
static void all_laws_are_met_with_and_without_w(void) {
    ElasticBlockDef def = plane;
    def.held = 20;
    ElasticBlock block = elastic_block_create(&def);
    int rows = block.problem.row_count;
    double* numbers = calloc(4 * (size_t)rows, sizeof *numbers);
    double *compliance = numbers, *upper = numbers + rows, *slope = numbers + 2 * rows;
    double* offset = numbers + 3 * rows;
    for (int i = 0; i < block.problem.block_count; ++i) {
        CnBlock* own = &block.blocks[i];
        own->law = i % 5 == 1 ? CN_LAW_BOUNDS : i % 5 == 3 ? CN_LAW_FORCE : own->law;
        for (int row = own->first_row; row < own->first_row + own->row_count; ++row) {
            compliance[row] = i % 3 == 0 ? 0.01 : 0.0;
            upper[row] = row % 2 == 0 ? HUGE_VAL : 1.0;
            slope[row] = row % 2 == 0 ? 20.0 : 0.0; // with and without: a spring, a given force
            offset[row] = 0.5;
        }
    }
    block.problem.compliance = compliance;
    block.problem.upper = upper;
    block.problem.slope = slope;
    block.problem.offset = offset;
    CHECK_INT(cn_problem_check(&block.problem, NULL), CN_OK);
    check_problem(&block.problem, "cone_ip", 1e-13);
    check_problem(&block.problem, "admm", 1e-9);
    free(numbers);
    elastic_block_free(&block);
}

static void equalities_hold_the_same_with_and_without_w(void) {
    ElasticBlockDef def = plane;
    def.held = 7;
    check_forms(&def);
}

// Nodes held by equalities do not move; springs push nodes against each other, so that the momentum
// of all changes by loads and by the forces from outside alone.
static void held_nodes_stay_where_they_are(void) {
    ElasticBlockDef def = plane;
    def.held = 7;
    def.extra = NULL;
    ElasticBlock block = elastic_block_create(&def);
    CnSolverReport report = solve(&block.problem, "auto", 1e-11, block.impulse, block.velocity);
    CHECK_INT(report.outcome, CN_CONVERGED);
    const double* v = (const double*)block.velocity;
    int nodes = def.x * def.z;
    double worst = 0.0, force[2] = {0.0, 0.0}, momentum[2] = {0.0, 0.0};
    for (int i = 0; i < 2 * def.held; ++i) {
        worst = fmax(worst, fabs(v[2 * def.x * (def.z - 1) + i]));
    }
    for (int i = 0; i < block.problem.row_count; ++i) {
        force[1 - i % 2] += block.impulse[i]; // normals, along z, come first
    }
    for (int i = 0; i < 2 * nodes; ++i) {
        momentum[i % 2] += def.mass * v[i];
    }
    CHECK(worst <= 1e-9); // the tolerance times forces of 100 N, over stiffnesses of 100 N/m
    CHECK_NEAR(force[0] + nodes * def.load[0], momentum[0], 1e-9); // sums of 360 terms of some N
    CHECK_NEAR(force[1] + nodes * def.load[2], momentum[1], 1e-9);
    elastic_block_free(&block);
}

// 2^27 entries are 11585^2: 5800 contacts in the plane that all feel each other have more.
static void a_w_that_is_too_large_is_refused_by_who_needs_it(void) {
    ElasticBlockDef def = plane;
    def.x = 5800;
    def.z = 2; // diagonals couple both axes
    ElasticBlock block = elastic_block_create(&def);
    CnSolverDef solver = cn_solver_def_default();
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CnSolution solution = {block.impulse, block.velocity};
    CnSolverReport report;
    CnError error = {0};
    solver.name = "nsgs";
    CHECK_INT(cn_solve(&block.problem, &solver, workspace, &solution, &report, &error),
              CN_UNSUPPORTED);
    CHECK_INT(report.outcome, CN_REFUSED);
    CHECK_STRING(error.message, "solver nsgs needs W, which may have 1.3e+08 entries (at most "
                                "1.3e+08); cone_ip, admm and extragradient work on masses");
    cn_workspace_destroy(workspace);
    elastic_block_free(&block);
}

// No solver reaches zero: auto, which kept the masses, tries all who need W as well, and what it
// returns is no worse than the first.
static void auto_forms_w_when_masses_lead_nowhere(void) {
    ElasticBlockDef def = plane;
    def.x = 30;
    ElasticBlock block = elastic_block_create(&def);
    CnSolverReport report = solve(&block.problem, "auto", 1e-11, block.impulse, block.velocity);
    CHECK(keeps_masses(&report));
    report = solve(&block.problem, "auto", DBL_MIN, block.impulse, block.velocity);
    CHECK(report.outcome != CN_CONVERGED);
    CHECK_CONTAINS(report.remark, "condensed");
    CHECK(report.certificate.scaled_error <= 1e-11);
    elastic_block_free(&block);
}

// In the plane a polygon is an interval, as the disc is: friction by name, whose solvers need W,
// has the answer of the exact law.
static void friction_by_name_is_solved_with_w(void) {
    static const CnFrictionModel models[] = {CN_FRICTION_PYRAMID, CN_FRICTION_BOX};
    ElasticBlockDef def = plane;
    def.x = 30;
    ElasticBlock block = elastic_block_create(&def);
    int rows = block.problem.row_count;
    double* exact = calloc((size_t)rows, sizeof *exact);
    CnSolverReport report = solve(&block.problem, "auto", 1e-12, exact, block.velocity);
    CHECK(keeps_masses(&report) && report.outcome == CN_CONVERGED);
    for (int i = 0; i < 2; ++i) {
        CnSolverDef named = def_of("auto", 1e-12);
        named.friction = models[i];
        report = solve_by(&block.problem, &named, block.impulse, block.velocity);
        CHECK_STRING(report.solver, "lemke");
        CHECK_INT(report.outcome, CN_CONVERGED);
        CHECK(difference(exact, block.impulse, rows) <= 1e-9); // as in check_problem()
    }
    free(exact);
    elastic_block_free(&block);
}

static double mean_diagonal_of_w(const CnProblem* problem) {
    CnOwnedProblem* condensed = cn_problem_condense(problem, NULL);
    const CnProblem* w = cn_owned_problem_get(condensed);
    double trace = 0.0;
    for (int i = 0; i < problem->row_count; ++i) {
        trace += problem_response_at(w, i, i);
    }
    cn_owned_problem_destroy(condensed);
    return trace / problem->row_count;
}

// Bars each of whose rows gives way by a fraction of W's mean diagonal. That does not meet the law,
// so auto goes on from masses to W, where rows must still give way: p = (f n (n + 1) / (2 k) - gap)
// / (n / k + compliance).
static void a_regularised_problem_stays_so_when_w_is_formed(void) {
    ElasticBlock block = elastic_block_create(&bars);
    CnSolverDef soft = def_of("auto", 1e-11);
    soft.regularisation = 0.1;
    CnSolverReport report = solve_by(&block.problem, &soft, block.impulse, block.velocity);
    const double layers = bars.z, sum = layers * (layers + 1.0) / 2.0;
    double compliance = soft.regularisation * mean_diagonal_of_w(&block.problem), worst = 0.0;
    double normal =
        (-bars.load[2] * sum / bars.along - bars.gap) / (layers / bars.along + compliance);
    double tangent =
        bars.load[0] * sum / bars.across / (layers / bars.across + compliance); // sticks
    for (int i = 0; i < block.contact_count; ++i) {
        worst = fmax(worst, fabs(block.impulse[2 * i] - normal));
        worst = fmax(worst, fabs(block.impulse[2 * i + 1] + tangent));
    }
    CHECK_CONTAINS(report.remark, "condensed");
    CHECK_STRING(report.approximation, "regularised");
    CHECK(worst <= 1e-8); // as in a_bar_is_pressed_against_a_wall()
    elastic_block_free(&block);
}

TEST_MAIN("solvers/masses", TEST(a_bar_is_pressed_against_a_wall),
          TEST(the_answer_is_the_same_with_and_without_w),
          TEST(a_mass_matrix_need_not_be_symmetric), TEST(all_laws_are_met_with_and_without_w),
          TEST(equalities_hold_the_same_with_and_without_w), TEST(held_nodes_stay_where_they_are),
          TEST(a_w_that_is_too_large_is_refused_by_who_needs_it),
          TEST(auto_forms_w_when_masses_lead_nowhere), TEST(friction_by_name_is_solved_with_w),
          TEST(a_regularised_problem_stays_so_when_w_is_formed))

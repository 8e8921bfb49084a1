// test_fclib_save.c - what is written as FCLib says the same when it is read again.
#include "support/test.h"

#include "cairn/fclib.h"
#include "cairn/solver.h"
#include "constraints/problem/block.h"
#include "support/problems/piles.h"
#include <float.h>
#include <stdio.h>
#include <unistd.h>

static const char* path_of(const char* name) {
    static char paths[4][300];
    static int next;
    char* path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/fclib_save_%ld_%s", TEST_BINARY_DIR, (long)getpid(), name);
    return path;
}

static CnOwnedProblem* save_and_load(const CnProblem* problem, const char* path) {
    CnError error = {0};
    ck_assert_msg(cn_fclib_save(problem, NULL, path, &error) == CN_OK, "%s", error.message);
    CnOwnedProblem* loaded = cn_fclib_load(path, &error);
    ck_assert_msg(loaded != NULL, "%s", error.message);
    unlink(path);
    return loaded;
}

// A pile in which a chain hangs: contacts, then equalities, and a body that nothing can move but
// which moves itself.
static void fill(Problem* problem) {
    CnRandom random = {5};
    pile_add_random(problem, &random, 12, 30, 2.0, -1.0);
    pile_add_chain(problem, 3, 4.0);
    int belt = problem_add_body(problem, 0.0, 0.0);
    problem->free_velocity[belt][0] = 0.5;
    problem_add_contact(problem, belt, 0, cn_vec3(0, 0, 1), cn_vec3(0, 0, -1), 0.4);
    double(*inertia)[9] = &problem->inverse_inertia[1]; // one that is not a ball's
    const double turned[9] = {2.0, 0.5, 0.0, 0.5, 3.0, 0.25, 0.0, 0.25, 1.0};
    memcpy(*inertia, turned, sizeof turned);
}

static void row_velocities(const CnProblem* problem, const double* impulse, double* u) {
    double(*velocity)[6] = calloc((size_t)problem->body_count + 1, sizeof *velocity);
    CHECK(velocity != NULL);
    cn_problem_velocity(problem, impulse, velocity);
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        cn_block_velocity(problem, block, (const double(*)[6])velocity, impulse,
                          u + block->first_row);
    }
    free(velocity);
}

// place[i]: where row i of a problem goes in FCLib's order.
static int* fclib_order(const CnProblem* problem) {
    int* place = calloc((size_t)problem->row_count, sizeof *place);
    int next = 0;
    CHECK(place != NULL);
    for (int pass = 0; pass < 2; ++pass) {
        CnLaw law = pass == 0 ? CN_LAW_COULOMB : CN_LAW_EQUALITY;
        for (int i = 0; i < problem->block_count; ++i) {
            for (int k = 0; problem->blocks[i].law == law && k < problem->blocks[i].row_count;
                 ++k) {
                place[problem->blocks[i].first_row + k] = next++;
            }
        }
    }
    return place;
}

// Both give the same u for the same impulses. The largest difference, relative to the largest u.
static double difference(const CnProblem* a, const CnProblem* b) {
    CnRandom random = {9};
    int rows = a->row_count;
    double* values = calloc(4 * (size_t)rows, sizeof *values);
    int* place = fclib_order(a);
    double *p_a = values, *p_b = p_a + rows, *u_a = p_b + rows, *u_b = u_a + rows;
    double worst = 0.0, largest = 0.0;
    CHECK_INT(b->row_count, rows);
    for (int i = 0; i < rows; ++i) {
        p_a[i] = cn_random_between(&random, -1.0, 1.0);
        p_b[place[i]] = p_a[i];
    }
    row_velocities(a, p_a, u_a);
    row_velocities(b, p_b, u_b);
    for (int i = 0; i < rows; ++i) {
        worst = fmax(worst, fabs(u_a[i] - u_b[place[i]]));
        largest = fmax(largest, fabs(u_a[i]));
    }
    free(values);
    free(place);
    return worst / largest;
}

// Some hundred sums and an inverted inertia of condition 4: a thousand round-offs are many.
#define ROUND_OFF (1000 * DBL_EPSILON)

static void bodies_become_masses_and_directions(void) {
    Problem problem = {0};
    fill(&problem);
    CnOwnedProblem* loaded = save_and_load(problem_view(&problem), path_of("bodies.hdf5"));
    const CnProblem* read = cn_owned_problem_get(loaded);
    CHECK(read->masses != NULL);
    CHECK_INT(cn_masses_coordinate_count(read->masses), 6 * (problem.body_count - 1)); // no belt
    CHECK(difference(problem_view(&problem), read) <= ROUND_OFF);
    CHECK(read->blocks[0].friction == problem.blocks[0].friction);
    cn_owned_problem_destroy(loaded);
    problem_free(&problem);
}

static void rows_that_give_way_are_written_as_w(void) {
    Problem problem = {0};
    fill(&problem);
    problem.compliance[4] = 0.25;
    CnOwnedProblem* loaded = save_and_load(problem_view(&problem), path_of("soft.h5"));
    CHECK(cn_owned_problem_get(loaded)->response != NULL);
    CHECK(difference(problem_view(&problem), cn_owned_problem_get(loaded)) <= ROUND_OFF);
    cn_owned_problem_destroy(loaded);
    problem_free(&problem);
}

static void a_response_keeps_every_bit(void) {
    char path[300];
    snprintf(path, sizeof path, "%s/tests/problems/fclib/gen_soup-s00080-44.hdf5", TEST_SOURCE_DIR);
    CnOwnedProblem* first = cn_fclib_load(path, NULL);
    CHECK(first != NULL);
    const CnProblem* a = cn_owned_problem_get(first);
    const char* const names[2] = {"again.hdf5", "again.json"};
    for (int i = 0; i < 2; ++i) {
        CnOwnedProblem* second = save_and_load(a, path_of(names[i]));
        const CnProblem* b = cn_owned_problem_get(second);
        int entries = a->response->start[a->row_count];
        CHECK_INT(b->response->start[b->row_count], entries);
        CHECK(memcmp(a->response->column, b->response->column, (size_t)entries * sizeof(int)) == 0);
        CHECK(memcmp(a->response->value, b->response->value, (size_t)entries * sizeof(double)) ==
              0);
        CHECK(memcmp(a->target, b->target, (size_t)a->row_count * sizeof(double)) == 0);
        cn_owned_problem_destroy(second);
    }
    cn_owned_problem_destroy(first);
}

static void masses_survive_both_formats(void) {
    Problem problem = {0};
    fill(&problem);
    CnOwnedProblem* global = save_and_load(problem_view(&problem), path_of("global.hdf5"));
    CnOwnedProblem* again = save_and_load(cn_owned_problem_get(global), path_of("global.json"));
    CnOwnedProblem* third = save_and_load(cn_owned_problem_get(global), path_of("third.hdf5"));
    const CnProblem* a = cn_owned_problem_get(global);
    const CnProblem* b = cn_owned_problem_get(again);
    size_t bytes = (size_t)cn_masses_coordinate_count(a->masses) * sizeof(double);
    CHECK_INT(b->body_count, a->body_count);
    CHECK(memcmp(a->free_velocity, b->free_velocity, bytes) == 0);
    CHECK(difference(a, b) == 0.0);
    CHECK(cn_owned_problem_get(third)->masses != NULL);
    CHECK(difference(a, cn_owned_problem_get(third)) <= ROUND_OFF); // f = M v_free is rounded
    cn_owned_problem_destroy(global);
    cn_owned_problem_destroy(again);
    cn_owned_problem_destroy(third);
    problem_free(&problem);
}

// FCLib's header has contacts with the normal first, and impulses that push bodies apart: a box of
// 2 kg on the ground needs the impulse 0.02 g in the first row.
static void the_normal_comes_first(void) {
    Problem problem = {0};
    int box = problem_add_body(&problem, 0.5, 1.0);
    problem.free_velocity[box][2] = -0.0981;
    problem_add_contact(&problem, -1, box, cn_vec3(0, 0, 0), cn_vec3(0, 0, 0), 0.5);
    CnOwnedProblem* loaded = save_and_load(problem_view(&problem), path_of("box.hdf5"));
    const CnProblem* read = cn_owned_problem_get(loaded);
    double velocity[1][6];
    const double impulse[3] = {2.0 * 0.0981, 0.0, 0.0};
    CHECK_NEAR(read->free_velocity[0][2], -0.0981, DBL_EPSILON);
    cn_problem_velocity(read, impulse, velocity);
    CHECK_NEAR(velocity[0][2], 0.0, DBL_EPSILON);
    cn_owned_problem_destroy(loaded);
    problem_free(&problem);
}

// The relative errors of an answer do not depend on the form that its problem is written in.
static void an_answer_is_as_wrong_in_either_form(void) {
    Problem problem = {0};
    const double mass[3] = {1.0, 1.0, 1.0};
    pile_add_stack(&problem, 3, mass, 0.5, 1.0); // all are contacts: the order of rows is the same
    const CnProblem* bodies = problem_view(&problem);
    CnSolution solution = problem_solution(&problem);
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CnSolverDef def = cn_solver_def_default();
    CnSolverReport report;
    CnCertificate certificate;
    def.name = "nsgs";
    def.max_iterations = 5;
    CHECK_INT(cn_solve(bodies, &def, workspace, &solution, &report, NULL), CN_OK);
    CnOwnedProblem* loaded = save_and_load(bodies, path_of("stack.hdf5"));
    double velocity[3][6];
    CnSolution same = {solution.impulse, velocity};
    cn_problem_velocity(cn_owned_problem_get(loaded), same.impulse, same.velocity);
    cn_problem_certify(cn_owned_problem_get(loaded), &same, NULL, &certificate);
    CHECK(report.certificate.fclib_error > 1e-9); // something is wrong with it
    // Errors of u are ROUND_OFF of the largest, which is about what the errors are relative to.
    CHECK_NEAR(certificate.fclib_error, report.certificate.fclib_error, ROUND_OFF);
    CHECK_NEAR(certificate.scaled_error, report.certificate.scaled_error, ROUND_OFF);
    cn_owned_problem_destroy(loaded);
    cn_workspace_destroy(workspace);
    problem_free(&problem);
}

static void what_fclib_cannot_hold_is_refused(void) {
    const char* path = path_of("refused.hdf5");
    CnError error;
    Problem problem = {0};
    fill(&problem);
    int stop = problem_add_block(&problem, CN_LAW_BOUNDS, 1, -1, 0);
    problem_set_row(&problem, problem.blocks[stop].first_row, cn_vec3(0, 0, 1), cn_vec3(0, 0, 0),
                    cn_vec3(0, 0, 0));
    problem_name_block(&problem, stop, "stop");
    CHECK_INT(cn_fclib_save(problem_view(&problem), NULL, path, &error), CN_UNSUPPORTED);
    CHECK_CONTAINS(error.message, "stop: FCLib holds contacts");
    problem_free(&problem);

    Problem mixed = {0};
    fill(&mixed);
    int planar = problem_add_block(&mixed, CN_LAW_COULOMB, 2, -1, 0);
    problem_set_row(&mixed, mixed.blocks[planar].first_row, cn_vec3(0, 0, 1), cn_vec3(0, 0, 0),
                    cn_vec3(0, 0, 0));
    CHECK_INT(cn_fclib_save(problem_view(&mixed), NULL, path, &error), CN_UNSUPPORTED);
    CHECK_CONTAINS(error.message, "has 2 rows where others have 3");
    problem_free(&mixed);

    Problem rolling = {0};
    fill(&rolling);
    int contact = problem_add_block(&rolling, CN_LAW_COULOMB, 4, -1, 0);
    problem_set_row(&rolling, rolling.blocks[contact].first_row, cn_vec3(0, 0, 1), cn_vec3(0, 0, 0),
                    cn_vec3(0, 0, 0));
    CHECK_INT(cn_fclib_save(problem_view(&rolling), NULL, path, &error), CN_UNSUPPORTED);
    CHECK_CONTAINS(error.message, "has 4 rows; FCLib knows neither torsion nor rolling");
    problem_free(&rolling);

    Problem hinge = {0};
    fill(&hinge);
    memset(hinge.inverse_inertia[0], 0, sizeof hinge.inverse_inertia[0]);
    hinge.inverse_inertia[0][0] = 1.0;
    CHECK_INT(cn_fclib_save(problem_view(&hinge), NULL, path, &error), CN_UNSUPPORTED);
    CHECK_CONTAINS(error.message, "body 0 can turn about some axes only");
    problem_free(&hinge);

    Problem plain = {0};
    fill(&plain);
    CHECK_INT(cn_fclib_save(problem_view(&plain), NULL, "no/such/folder.hdf5", &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "no/such/folder.hdf5: cannot be written");
    problem_free(&plain);
    CHECK(access(path, F_OK) != 0);
}

TEST_MAIN("unit/fclib/fclib_save", TEST(bodies_become_masses_and_directions),
          TEST(rows_that_give_way_are_written_as_w), TEST(a_response_keeps_every_bit),
          TEST(masses_survive_both_formats), TEST(the_normal_comes_first),
          TEST(an_answer_is_as_wrong_in_either_form), TEST(what_fclib_cannot_hold_is_refused))

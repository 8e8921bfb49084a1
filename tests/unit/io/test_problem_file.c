// test_problem_file.c - problems survive being written and read, bit by bit.
#include "support/test.h"

#include "cairn/problem.h"
#include "cairn/random.h"
#include "io/text/file.h"
#include "support/problems/problems.h"
#include <stdio.h>
#include <unistd.h>

static const char* path_of(const char* name) {
    static char paths[4][300];
    static int next;
    char* path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/problem_%ld_%s", TEST_BINARY_DIR, (long)getpid(), name);
    return path;
}

static void write_text(const char* path, const char* text) {
    CHECK_INT(cn_file_write(path, text, strlen(text), NULL), CN_OK);
}

// Bodies, laws and numbers of every kind the format has, with awkward values.
static void fill(Problem* problem) {
    CnRandom random = {11};
    for (int i = 0; i < 4; ++i) {
        int body = problem_add_body(problem, cn_random_between(&random, 0.1, 3.0), 1.0 / 3.0);
        for (int k = 0; k < 6; ++k) {
            problem->free_velocity[body][k] = cn_random_between(&random, -1e-9, 1e9);
        }
    }
    problem->inverse_mass[3] = 5e-324;
    problem->free_velocity[0][0] = -0.0;
    int contact = problem_add_contact(problem, 0, 1, cn_vec3(0, 0, 1), cn_vec3(0.1, 0, -1), 0.6);
    problem_name_block(problem, contact, "block \"one\"\n\xc3\xa9");
    problem->blocks[contact].key = UINT64_MAX; // not a double
    problem_add_point_joint(problem, 2, -1, cn_vec3(0, 0, 0), cn_vec3(0, 0, 0.5));
    int bounds = problem_add_block(problem, CN_LAW_BOUNDS, 2, -1, 3);
    int row = problem->blocks[bounds].first_row;
    for (int i = 0; i < 2; ++i) {
        problem_set_row(problem, row + i, cn_vec3(i, 1, 0.1), cn_vec3(0, 0, 0), cn_vec3(1, 0, 0));
    }
    problem->lower[row] = -HUGE_VAL;
    problem->upper[row] = 1e-300;
    problem->compliance[row + 1] = 1e-7;
    problem->target[row + 1] = 0.3;
    int spring = problem_add_block(problem, CN_LAW_FORCE, 1, 0, 3);
    row = problem->blocks[spring].first_row;
    problem_set_row(problem, row, cn_vec3(0, 0, 1), cn_vec3(0, 0, 0), cn_vec3(0, 0, 0));
    problem->offset[row] = -2.5;
    problem->slope[row] = 1.0 / 7.0;
}

#define CHECK_SAME(a, b, member, count)                                                            \
    CHECK(memcmp((a)->member, (b)->member, (size_t)(count) * sizeof *(a)->member) == 0)

static void check_same(const CnProblem* a, const CnProblem* b) {
    CHECK_INT(a->body_count, b->body_count);
    CHECK_INT(a->block_count, b->block_count);
    CHECK_INT(a->row_count, b->row_count);
    CHECK_SAME(a, b, inverse_mass, a->body_count);
    CHECK_SAME(a, b, inverse_inertia, a->body_count);
    CHECK_SAME(a, b, free_velocity, a->body_count);
    CHECK_SAME(a, b, jacobian_a, a->row_count);
    CHECK_SAME(a, b, jacobian_b, a->row_count);
    CHECK_SAME(a, b, target, a->row_count);
    CHECK_SAME(a, b, compliance, a->row_count);
    CHECK_SAME(a, b, lower, a->row_count);
    CHECK_SAME(a, b, upper, a->row_count);
    CHECK_SAME(a, b, offset, a->row_count);
    CHECK_SAME(a, b, slope, a->row_count);
    for (int i = 0; i < a->block_count; ++i) {
        CHECK_INT(a->blocks[i].law, b->blocks[i].law);
        CHECK_INT(a->blocks[i].first_row, b->blocks[i].first_row);
        CHECK_INT(a->blocks[i].body_a, b->blocks[i].body_a);
        CHECK_INT(a->blocks[i].body_b, b->blocks[i].body_b);
        CHECK(a->blocks[i].key == b->blocks[i].key);
        CHECK(a->blocks[i].friction == b->blocks[i].friction);
    }
}

static void loading_what_was_saved_gives_every_bit_back(void) {
    Problem problem = {0};
    CnError error;
    const char* path = path_of("bits.json");
    fill(&problem);
    CHECK_INT(cn_problem_save(problem_view(&problem), path, &error), CN_OK);
    CnOwnedProblem* loaded = cn_problem_load(path, &error);
    ck_assert_msg(loaded != NULL, "%s", error.message);
    check_same(problem_view(&problem), cn_owned_problem_get(loaded));
    CHECK_STRING(cn_owned_problem_get(loaded)->block_names[0], "block \"one\"\n\xc3\xa9");
    CHECK(cn_owned_problem_get(loaded)->block_names[1] == NULL);
    cn_owned_problem_destroy(loaded);
    problem_free(&problem);
    unlink(path);
}

static void saving_what_was_loaded_gives_the_same_bytes(void) {
    Problem problem = {0};
    CnArena arena;
    CnErrorList errors;
    const char *first = path_of("first.json"), *second = path_of("second.json");
    fill(&problem);
    CHECK_INT(cn_problem_save(problem_view(&problem), first, NULL), CN_OK);
    CnOwnedProblem* loaded = cn_problem_load(first, NULL);
    CHECK_INT(cn_problem_save(cn_owned_problem_get(loaded), second, NULL), CN_OK);
    char *a, *b;
    size_t a_length, b_length;
    cn_arena_init(&arena, NULL);
    cn_error_list_init(&errors, "", NULL, 0);
    CHECK(cn_file_read(first, 1 << 20, &arena, &a, &a_length, &errors));
    CHECK(cn_file_read(second, 1 << 20, &arena, &b, &b_length, &errors));
    CHECK_STRING(a, b);
    cn_arena_destroy(&arena);
    cn_owned_problem_destroy(loaded);
    problem_free(&problem);
    unlink(first);
    unlink(second);
}

static void what_a_file_leaves_out_has_its_documented_default(void) {
    const char* path = path_of("defaults.json");
    write_text(path, "{\"cairn_problem\": 1,\n"
                     " \"bodies\": [{\"inverse_mass\": 2},\n"
                     "   {\"inverse_mass\": 1, \"inverse_inertia\": 3},\n"
                     "   {\"inverse_mass\": 1, \"inverse_inertia\": [3, 4, 5, 0.1, 0.2, 0.3]}],\n"
                     " \"blocks\": [{\"law\": \"bounds\", \"bodies\": [\"world\", 0],\n"
                     "   \"rows\": [{\"jacobian_b\": [0, 0, 1, 0, 0, 0]}]}]}");
    CnError error;
    CnOwnedProblem* loaded = cn_problem_load(path, &error);
    ck_assert_msg(loaded != NULL, "%s", error.message);
    const CnProblem* problem = cn_owned_problem_get(loaded);
    const double full[9] = {3, 0.1, 0.2, 0.1, 4, 0.3, 0.2, 0.3, 5};
    CHECK(memcmp(problem->inverse_inertia[2], full, sizeof full) == 0);
    CHECK(problem->inverse_inertia[1][4] == 3.0 && problem->inverse_inertia[1][1] == 0.0);
    CHECK(problem->inverse_inertia[0][0] == 0.0 && problem->free_velocity[0][3] == 0.0);
    CHECK_INT(problem->blocks[0].body_a, -1);
    CHECK(problem->lower[0] == 0.0 && problem->upper[0] == HUGE_VAL);
    CHECK(problem->target[0] == 0.0 && problem->compliance[0] == 0.0);
    CHECK(problem->block_names == NULL || problem->block_names[0] == NULL);
    CHECK(problem->blocks[0].key == 0);
    cn_owned_problem_destroy(loaded);
    unlink(path);
}

static void problems_that_no_file_can_hold_are_refused(void) {
    Problem problem = {0};
    CnError error;
    const char* path = path_of("refused.json");
    fill(&problem);
    problem.slope[0] =
        (double)NAN; // a contact row: no law looks at it, but JSON has no word for it
    CHECK_INT(cn_problem_save(problem_view(&problem), path, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "row 0");
    problem.slope[0] = 0.0;
    problem.inverse_mass[1] = -1.0;
    CHECK_INT(cn_problem_save(problem_view(&problem), path, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "inverse_mass");
    CHECK(access(path, F_OK) != 0); // nothing was written
    problem_free(&problem);
}

// The first bytes of any HDF5 file.
static void files_of_fclib_are_referred_to_their_library(void) {
    CnError error = {0};
    const char* path = path_of("named.hdf5");
    write_text(path, "\x89HDF\r\n\x1a\n");
    CHECK(cn_problem_load(path, &error) == NULL);
    CHECK_INT(error.status, CN_UNSUPPORTED);
    CHECK_CONTAINS(error.message, "named.hdf5");
    CHECK_CONTAINS(error.message, "cn_fclib_load() of cairn/fclib.h");
    Problem problem = {0};
    fill(&problem);
    CnSolution solution = problem_solution(&problem);
    const char* const names[] = {"x.hdf5", "x.h5"};
    for (int i = 0; i < 2; ++i) {
        CHECK_INT(cn_problem_save(problem_view(&problem), names[i], &error), CN_UNSUPPORTED);
        CHECK_CONTAINS(error.message, "cn_fclib_save() of cairn/fclib.h");
        CHECK_INT(cn_solution_save(problem_view(&problem), &solution, names[i], &error),
                  CN_UNSUPPORTED);
        CHECK_CONTAINS(error.message, "cn_fclib_save() of cairn/fclib.h");
    }
    problem_free(&problem);
    unlink(path);
}

TEST_MAIN("io/problem_file", TEST(loading_what_was_saved_gives_every_bit_back),
          TEST(saving_what_was_loaded_gives_the_same_bytes),
          TEST(what_a_file_leaves_out_has_its_documented_default),
          TEST(problems_that_no_file_can_hold_are_refused),
          TEST(files_of_fclib_are_referred_to_their_library))

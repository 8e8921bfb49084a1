// test_solution_file.c - answers are written to the last bit, or not at all.
#include "support/test.h"

#include "cairn/problem.h"
#include <stdio.h>
#include <unistd.h>

static const CnProblem two_rows_one_body = {.body_count = 1, .row_count = 2};

static const char* path_of(const char* name) {
    static char path[300];
    snprintf(path, sizeof path, "%s/solution_%ld_%s", TEST_BINARY_DIR, (long)getpid(), name);
    return path;
}

static void every_number_survives_to_the_last_bit(void) {
    double impulse[2] = {0.1 + 0.2, -1e-300};
    double velocity[1][6] = {{1.0 / 3.0, 2.0, 0.0, -5e-324, 1e22, 7.0}};
    const CnSolution solution = {impulse, velocity};
    const char* path = path_of("bits.json");
    CHECK_INT(cn_solution_save(&two_rows_one_body, &solution, path, NULL), CN_OK);

    FILE* file = fopen(path, "r");
    CHECK(file != NULL);
    double read[8] = {0};
    int found =
        fscanf(file,
               " { \"impulse\": [ %lf , %lf ] , \"velocity\": [ %lf , %lf , %lf , %lf ,"
               " %lf , %lf ] }",
               &read[0], &read[1], &read[2], &read[3], &read[4], &read[5], &read[6], &read[7]);
    fclose(file);
    unlink(path);
    CHECK_INT(found, 8);
    CHECK(memcmp(read, impulse, sizeof impulse) == 0);
    CHECK(memcmp(read + 2, velocity, sizeof velocity) == 0);
}

static void what_is_not_finite_is_refused_by_name_and_not_written(void) {
    double impulse[2] = {0.0, 0.0};
    double velocity[1][6] = {{0.0, 0.0, (double)NAN}};
    const CnSolution solution = {impulse, velocity};
    CnError error;
    const char* path = path_of("nan.json");
    CHECK_INT(cn_solution_save(&two_rows_one_body, &solution, path, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "velocity[2]");
    CHECK(access(path, F_OK) != 0);
}

TEST_MAIN("io/solution_file", TEST(every_number_survives_to_the_last_bit),
          TEST(what_is_not_finite_is_refused_by_name_and_not_written))

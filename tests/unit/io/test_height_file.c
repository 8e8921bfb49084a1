// test_height_file.c - heights over a grid are read from plain text, or refused by line.
#include "support/failing_allocator.h"
#include "support/test.h"

#include "io/mesh/height_file.h"
#include "io/text/file.h"
#include <stdio.h>
#include <unistd.h>

static const CnAllocator plain = {0};

static const char* path_of_file(void) {
    static char path[300];
    snprintf(path, sizeof path, "%s/heights_%ld.txt", TEST_BINARY_DIR, (long)getpid());
    return path;
}

static CnStatus load_bytes(const char* bytes, size_t length, CnHeightGrid* grid, CnError* error) {
    const char* path = path_of_file();
    CHECK_INT(cn_file_write(path, bytes, length, NULL), CN_OK);
    CnStatus status = cn_height_file_load(path, &plain, grid, error);
    unlink(path);
    return status;
}

static void rows_may_be_written_in_many_ways(void) {
    static const char* const texts[] = {
        "1 2 3\n4 5 6\n",
        "1,2,3\n4,5,6",
        "# two rows\n\n 1 , 2,3 # the first\r\n\r\n4\t5 6\r\n# that was all",
        "+1 2.0 3e0\r4 .5e1 60e-1\r",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        CnHeightGrid grid;
        CnError error;
        CnStatus status = load_bytes(texts[i], strlen(texts[i]), &grid, &error);
        ck_assert_msg(status == CN_OK, "%s", error.message);
        CHECK_INT(grid.columns, 3);
        CHECK_INT(grid.rows, 2);
        for (int k = 0; k < 6; ++k) {
            CHECK_NEAR(grid.heights[k], k + 1, 0.0);
        }
        cn_height_grid_free(&grid, &plain);
    }
}

static void every_mistake_is_told_with_its_line(void) {
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"", ": holds no heights"},
        {"# nothing\n\n", ": holds no heights"},
        {"1 2\n3\n", ":2: the row has 1 heights; the first one has 2"},
        {"1 2\n\n3 4 5\n", ":3: the row has 3 heights; the first one has 2"},
        {"1 2\n3 nan\n", ":2: \"nan\" is not a height; expected a finite decimal number"},
        {"1 inf\n", ":1: \"inf\" is not a height"},
        {"1 0x10\n", ":1: \"0x10\" is not a height"},
        {"1 2m\n", ":1: \"2m\" is not a height"},
        {"1 1e999\n", ":1: height is inf; coordinates must be finite"},
        {"1 1e13\n", ":1: height is 1e+13 m; coordinates beyond 1e+12 m are refused"},
        {"1,,2\n", ":1: a number is missing beside a comma"},
        {"1 2\n,3\n", ":2: a number is missing beside a comma"},
        {"1,2,\n", ":1: a number is missing beside a comma"},
        {"1,2, # end\n", ":1: a number is missing beside a comma"},
        {"1;2\n", ":1: \"1;2\" is not a height"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        CnHeightGrid grid;
        CnError error;
        CHECK_INT(load_bytes(rows[i].text, strlen(rows[i].text), &grid, &error), CN_INVALID);
        CHECK_CONTAINS(error.message, rows[i].words);
        CHECK(grid.heights == NULL);
    }
}

static void what_is_no_text_is_refused(void) {
    CnHeightGrid grid;
    CnError error;
    CHECK_INT(load_bytes("1 2\n3\0 4\n", 9, &grid, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "is not plain text");
    CHECK_INT(cn_height_file_load("no/such.txt", &plain, &grid, &error), CN_INVALID);
    CHECK_STRING(error.message, "no/such.txt: cannot be read: No such file or directory");
    CHECK_INT(cn_height_file_load(TEST_BINARY_DIR, &plain, &grid, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "Is a directory");
}

static void every_allocation_may_fail(void) {
    const char* path = path_of_file();
    CnStatus status = CN_NO_MEMORY;
    CHECK_INT(cn_file_write(path, "1 2\n3 4\n", 8, NULL), CN_OK);
    for (int refuse = 1; status != CN_OK; ++refuse) {
        FailingAllocator state = {.refuse_at = refuse};
        CnAllocator allocator = failing_allocator(&state);
        CnHeightGrid grid;
        status = cn_height_file_load(path, &allocator, &grid, NULL);
        CHECK(status == (state.requests < refuse ? CN_OK : CN_NO_MEMORY));
        cn_height_grid_free(&grid, &allocator);
        CHECK_INT(state.live, 0);
    }
    unlink(path);
}

TEST_MAIN("io/height_file", TEST(rows_may_be_written_in_many_ways),
          TEST(every_mistake_is_told_with_its_line), TEST(what_is_no_text_is_refused),
          TEST(every_allocation_may_fail))

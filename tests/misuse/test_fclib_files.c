// test_fclib_files.c - FCLib files with mistakes are refused with a sentence that names the list.
#include "support/test.h"

#include "cairn/fclib.h"
#include "cairn/random.h"
#include "fclib/fclib_file.h"
#include "support/problems/fclib_writer.h"
#include <limits.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static const char* file_path(void) {
    static char path[300];
    snprintf(path, sizeof path, "%s/fclib_files_%ld.hdf5", TEST_BINARY_DIR, (long)getpid());
    return path;
}

// ---- two files without mistakes: two contacts in the plane, one equality ----

#define ROWS 4

static void write_matrix(FclibWriter file, const char* group, int rows, int columns) {
    int index[2][16], count = 0;
    double value[16];
    for (int i = 0; i < rows * columns; ++i) {
        index[0][count] = i / columns;
        index[1][count] = i % columns;
        value[count++] = i / columns == i % columns ? 2.0 : 0.125;
    }
    fclib_triplets(file, group, rows, columns, count, index[0], index[1], value);
}

static void write_local(FclibWriter file) {
    const double q[ROWS] = {-1.0, 0.5, 0.25, 1.0}, mu[2] = {0.7, 0.3}, s[1] = {1.0};
    fclib_integer(file, "/fclib_local/spacedim", 2);
    fclib_reals(file, "/fclib_local/vectors/q", q, ROWS);
    fclib_reals(file, "/fclib_local/vectors/mu", mu, 2);
    fclib_reals(file, "/fclib_local/vectors/s", s, 1);
    write_matrix(file, "/fclib_local/W", ROWS, ROWS);
    write_matrix(file, "/fclib_local/V", ROWS, 1);
    write_matrix(file, "/fclib_local/R", 1, 1);
}

static void write_global(FclibWriter file) {
    const double f[3] = {-1.0, 0.5, 0.25}, w[ROWS] = {0.0}, mu[2] = {0.7, 0.3}, b[1] = {1.0};
    fclib_integer(file, "/fclib_global/spacedim", 2);
    fclib_reals(file, "/fclib_global/vectors/f", f, 3);
    fclib_reals(file, "/fclib_global/vectors/w", w, ROWS);
    fclib_reals(file, "/fclib_global/vectors/mu", mu, 2);
    fclib_reals(file, "/fclib_global/vectors/b", b, 1);
    write_matrix(file, "/fclib_global/M", 3, 3);
    write_matrix(file, "/fclib_global/H", 3, ROWS);
    write_matrix(file, "/fclib_global/G", 3, 1);
}

// ---- mistakes ----

static void give_integer(FclibWriter file, const char* path, int value) {
    fclib_remove(file, path);
    fclib_integer(file, path, value);
}

static void give_reals(FclibWriter file, const char* path, double value, int count) {
    double values[8];
    for (int i = 0; i < count; ++i) {
        values[i] = value;
    }
    fclib_remove(file, path);
    fclib_reals(file, path, values, count);
}

static void give_text(FclibWriter file, const char* path) {
    fclib_remove(file, path);
    fclib_text(file, path, "four");
}

static void put_text_for_q(FclibWriter file) {
    give_text(file, "/fclib_local/vectors/q");
}

static void put_integers_for_q(FclibWriter file) {
    give_integer(file, "/fclib_local/vectors/q", 4);
}

static void put_a_group_for_q(FclibWriter file) {
    fclib_remove(file, "/fclib_local/vectors/q");
    fclib_group(file, "/fclib_local/vectors/q");
}

static void put_a_table_for_q(FclibWriter file) {
    const double values[4] = {1.0, 2.0, 3.0, 4.0};
    fclib_remove(file, "/fclib_local/vectors/q");
    fclib_table(file, "/fclib_local/vectors/q", values, 2, 2);
}

static void put_nan_in_q(FclibWriter file) {
    give_reals(file, "/fclib_local/vectors/q", NAN, ROWS);
}

static void put_infinity_in_w(FclibWriter file) {
    give_reals(file, "/fclib_local/W/x", (double)INFINITY, 8);
}

static void leave_q_unwritten(FclibWriter file) {
    fclib_remove(file, "/fclib_local/vectors/q");
    fclib_unwritten(file, "/fclib_local/vectors/q", ROWS);
}

static void claim_an_exabyte(FclibWriter file) {
    fclib_remove(file, "/fclib_local/vectors/q");
    fclib_unwritten(file, "/fclib_local/vectors/q", INT64_C(1) << 57);
}

static void claim_a_gibibyte(FclibWriter file) {
    fclib_remove(file, "/fclib_local/vectors/q");
    fclib_unwritten(file, "/fclib_local/vectors/q", INT64_C(1) << 27);
}

static void keep_q_in_another_file(FclibWriter file) {
    fclib_remove(file, "/fclib_local/vectors/q");
    fclib_external(file, "/fclib_local/vectors/q", ROWS);
}

static void link_q_outside(FclibWriter file) {
    fclib_remove(file, "/fclib_local/vectors/q");
    fclib_link_outside(file, "/fclib_local/vectors/q", file_path(), "/fclib_local/vectors/mu");
}

static void link_all_outside(FclibWriter file) {
    fclib_remove(file, "/fclib_local");
    fclib_link_outside(file, "/fclib_local", file_path(), "/fclib_local");
}

static void drop_everything(FclibWriter file) {
    fclib_remove(file, "/fclib_local");
}

static void drop_mu(FclibWriter file) {
    fclib_remove(file, "/fclib_local/vectors/mu");
}

static void drop_w(FclibWriter file) {
    fclib_remove(file, "/fclib_local/W");
}

static void drop_x(FclibWriter file) {
    fclib_remove(file, "/fclib_local/W/x");
}

static void drop_r(FclibWriter file) {
    fclib_remove(file, "/fclib_local/R");
}

static void drop_s(FclibWriter file) {
    fclib_remove(file, "/fclib_local/vectors/s");
}

static void ask_for_four_dimensions(FclibWriter file) {
    give_integer(file, "/fclib_local/spacedim", 4);
}

static void give_two_numbers_for_spacedim(FclibWriter file) {
    const int values[2] = {2, 2};
    fclib_remove(file, "/fclib_local/spacedim");
    fclib_integers(file, "/fclib_local/spacedim", values, 2);
}

static void give_a_long_for_m(FclibWriter file) {
    fclib_remove(file, "/fclib_local/W/m");
    fclib_long(file, "/fclib_local/W/m", INT64_C(4) + (INT64_C(1) << 32));
}

static void miss_a_friction(FclibWriter file) {
    give_reals(file, "/fclib_local/vectors/mu", 0.5, 1);
}

static void give_negative_friction(FclibWriter file) {
    give_reals(file, "/fclib_local/vectors/mu", -0.5, 2);
}

static void make_w_larger_than_q(FclibWriter file) {
    give_integer(file, "/fclib_local/W/m", 5);
}

static void make_w_enormous(FclibWriter file) {
    give_integer(file, "/fclib_local/W/n", INT_MAX);
}

static void give_negative_nz(FclibWriter file) {
    give_integer(file, "/fclib_local/W/nz", -3);
}

static void claim_more_triplets(FclibWriter file) {
    give_integer(file, "/fclib_local/W/nz", INT_MAX);
}

static void claim_rows(FclibWriter file) { // p and i hold triplets
    give_integer(file, "/fclib_local/W/nz", -2);
}

static void claim_columns_with_few_starts(FclibWriter file) {
    const int start[2] = {0, 16};
    claim_rows(file);
    fclib_remove(file, "/fclib_local/W/p");
    fclib_integers(file, "/fclib_local/W/p", start, 2);
}

static void give_starts_beyond_the_end(FclibWriter file) {
    const int start[5] = {0, 4, 8, 12, 17};
    claim_rows(file);
    fclib_remove(file, "/fclib_local/W/p");
    fclib_integers(file, "/fclib_local/W/p", start, 5);
}

static void give_starts_that_go_back(FclibWriter file) {
    const int start[5] = {0, 8, 4, 12, 16};
    claim_rows(file);
    fclib_remove(file, "/fclib_local/W/p");
    fclib_integers(file, "/fclib_local/W/p", start, 5);
}

static void point_outside(FclibWriter file) {
    int index[16];
    for (int i = 0; i < 16; ++i) {
        index[i] = i == 5 ? ROWS : 0;
    }
    fclib_remove(file, "/fclib_local/W/i");
    fclib_integers(file, "/fclib_local/W/i", index, 16);
}

static void point_below_zero(FclibWriter file) {
    const int index[16] = {0, -1};
    fclib_remove(file, "/fclib_local/W/p");
    fclib_integers(file, "/fclib_local/W/p", index, 16);
}

static void make_a_contact_that_nothing_moves(FclibWriter file) {
    give_integer(file, "/fclib_local/W/nz", 0);
}

static void make_m_singular(FclibWriter file) {
    double ones[9];
    for (int i = 0; i < 9; ++i) {
        ones[i] = 1.0;
    }
    fclib_remove(file, "/fclib_global/M/x");
    fclib_reals(file, "/fclib_global/M/x", ones, 9);
}

static void make_m_rectangular(FclibWriter file) {
    give_integer(file, "/fclib_global/M/n", 2);
}

static void make_h_narrow(FclibWriter file) {
    give_integer(file, "/fclib_global/H/n", 3);
}

static void drop_b(FclibWriter file) {
    fclib_remove(file, "/fclib_global/vectors/b");
}

static void drop_f(FclibWriter file) {
    fclib_remove(file, "/fclib_global/vectors/f");
}

typedef void FileFunction(FclibWriter file);

static const struct {
    FileFunction *write, *damage;
    const char* complaint;
} mistakes[] = {
    {write_local, put_text_for_q, "/fclib_local/vectors/q: must hold floating-point numbers"},
    {write_local, put_integers_for_q, "/fclib_local/vectors/q: must hold floating-point numbers"},
    {write_local, put_a_group_for_q, "/fclib_local/vectors/q: must be a list of numbers"},
    {write_local, put_a_table_for_q, "/fclib_local/vectors/q: must be a list of numbers, of one"},
    {write_local, put_nan_in_q, "/fclib_local/vectors/q: entry 0 is "},
    {write_local, put_infinity_in_w, "/fclib_local/W/x: entry 0 is inf"},
    {write_local, leave_q_unwritten, "/fclib_local/vectors/q: claims 32 bytes"},
    {write_local, claim_an_exabyte, "/fclib_local/vectors/q: has 144115188075855872 entries"},
    {write_local, claim_a_gibibyte, "/fclib_local/vectors/q: claims 1073741824 bytes"},
    {write_local, keep_q_in_another_file, "/fclib_local/vectors/q: is kept in another file"},
    {write_local, link_q_outside, "/fclib_local/vectors/q: is a link elsewhere"},
    {write_local, link_all_outside, "is a link elsewhere"},
    {write_local, drop_everything, "neither /fclib_local nor /fclib_global"},
    {write_local, drop_mu, "/fclib_local/vectors/mu: is missing"},
    {write_local, drop_w, "/fclib_local/W/m: is missing"},
    {write_local, drop_x, "/fclib_local/W/x: is missing"},
    {write_local, drop_r, "/fclib_local/R/m: is missing"},
    {write_local, drop_s, "/fclib_local/vectors/s: is missing"},
    {write_local, ask_for_four_dimensions, "/fclib_local/spacedim: is 4; it must be 2 or 3"},
    {write_local, give_two_numbers_for_spacedim, "/fclib_local/spacedim: has 2 entries"},
    {write_local, give_a_long_for_m, "/fclib_local/W/m: entry 0 is 4294967300"},
    {write_local, miss_a_friction, "/fclib_local/vectors/mu: has 1 entries"},
    {write_local, give_negative_friction, "friction is -0.5"},
    {write_local, make_w_larger_than_q, "/fclib_local/W: is 5 x 4"},
    {write_local, make_w_enormous, "/fclib_local/W: is 4 x 2147483647"},
    {write_local, give_negative_nz, "/fclib_local/W: nz is -3"},
    {write_local, claim_more_triplets, "/fclib_local/W: has 2147483647 triplets"},
    {write_local, claim_rows, "/fclib_local/W/p: entry 4 is 0"},
    {write_local, claim_columns_with_few_starts, "/fclib_local/W/p: has 2 entries"},
    {write_local, give_starts_beyond_the_end, "/fclib_local/W/p: entry 4 is 17"},
    {write_local, give_starts_that_go_back, "/fclib_local/W/p: entry 2 is 4"},
    {write_local, point_outside, "/fclib_local/W/i: entry 5 is 4; it must be from 0 to 3"},
    {write_local, point_below_zero, "/fclib_local/W/p: entry 1 is -1"},
    {write_local, make_a_contact_that_nothing_moves, "no impulse of its rows moves anything"},
    {write_global, make_m_singular,
     "/fclib_global/M: mass is singular (coordinate 0 and those tied to it)"},
    {write_global, make_m_rectangular, "/fclib_global/M: is 3 x 2"},
    {write_global, make_h_narrow, "/fclib_global/H: is 3 x 3"},
    {write_global, drop_b, "/fclib_global/vectors/b: is missing"},
    {write_global, drop_f, "/fclib_global/vectors/f: is missing"},
};

static void make_file(FileFunction* write, FileFunction* damage) {
    FclibWriter file = fclib_create(file_path());
    write(file);
    if (damage != NULL) {
        damage(file);
    }
    fclib_close(file);
}

static void every_mistake_is_named(void) {
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; ++i) {
        CnError error = {0};
        make_file(mistakes[i].write, mistakes[i].damage);
        ck_assert_msg(cn_fclib_load(file_path(), &error) == NULL, "accepted where \"%s\"",
                      mistakes[i].complaint);
        CHECK_CONTAINS(error.message, mistakes[i].complaint);
        CHECK_CONTAINS(error.message, file_path());
        CHECK(error.status == CN_INVALID);
        remove(file_path());
    }
}

// A chain of unit springs that nothing holds: any common velocity solves M v = 0.
static void a_large_singular_mass_matrix_is_named(void) {
    enum { N = 200 };
    static int row[3 * N], column[3 * N];
    static double m[3 * N], f[N];
    const double w[2] = {0.0, 0.0}, mu[1] = {0.3};
    const int h_index[2] = {0, 1};
    const double h[2] = {1.0, 1.0};
    int count = 0;
    for (int i = 0; i < N; ++i) {
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; ++j) {
            row[count] = i;
            column[count] = j;
            m[count++] = j != i ? -1.0 : (i == 0 || i == N - 1 ? 1.0 : 2.0);
        }
    }
    FclibWriter file = fclib_create(file_path());
    fclib_integer(file, "/fclib_global/spacedim", 2);
    fclib_reals(file, "/fclib_global/vectors/f", f, N);
    fclib_reals(file, "/fclib_global/vectors/w", w, 2);
    fclib_reals(file, "/fclib_global/vectors/mu", mu, 1);
    fclib_triplets(file, "/fclib_global/M", N, N, count, row, column, m);
    fclib_triplets(file, "/fclib_global/H", N, 2, 2, h_index, h_index, h);
    fclib_close(file);
    CnError error = {0};
    CHECK(cn_fclib_load(file_path(), &error) == NULL);
    CHECK_CONTAINS(error.message, "/fclib_global/M: mass is singular (coordinate 0 and those tied");
    remove(file_path());
}

// ---- damaged bytes ----

#define LARGEST_FILE (1 << 16)

static size_t read_bytes(FileFunction* write, char bytes[LARGEST_FILE]) {
    make_file(write, NULL);
    FILE* file = fopen(file_path(), "rb");
    CHECK(file != NULL);
    size_t length = fread(bytes, 1, LARGEST_FILE, file);
    CHECK(length > 0 && length < LARGEST_FILE);
    fclose(file);
    remove(file_path());
    return length;
}

static bool parses(const char* bytes, size_t length) {
    CnError error = {0};
    CnOwnedProblem* owned = cn_fclib_parse(bytes, length, "damaged.hdf5", &error);
    CHECK((owned != NULL) == (error.message[0] == 0));
    bool ok = owned != NULL;
    cn_owned_problem_destroy(owned);
    return ok;
}

static void a_file_cut_short_is_refused_wherever_it_ends(void) {
    static char bytes[LARGEST_FILE];
    FileFunction* const writers[2] = {write_local, write_global};
    for (int i = 0; i < 2; ++i) {
        size_t length = read_bytes(writers[i], bytes);
        CHECK(parses(bytes, length));
        size_t stride = UNDER_SANITIZER ? 101 : 13; // prime, so that it meets all alignments
        for (size_t end = 0; end < length; end += end < 100 ? 1 : stride) {
            ck_assert_msg(!parses(bytes, end), "accepted after %zu bytes", end);
        }
    }
}

TEST_MAIN("misuse/fclib_files", TEST(every_mistake_is_named),
          TEST(a_large_singular_mass_matrix_is_named),
          TEST(a_file_cut_short_is_refused_wherever_it_ends))

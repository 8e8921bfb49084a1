// test_fclib_load.c - FCLib files say what the problem they hold says.
#include "support/test.h"

#include "cairn/fclib.h"
#include "support/problems/fclib_writer.h"
#include "support/problems/problems.h"
#include <float.h>
#include <stdio.h>
#include <unistd.h>

static const char* file_path(void) {
    static char path[300];
    snprintf(path, sizeof path, "%s/fclib_%ld.hdf5", TEST_BINARY_DIR, (long)getpid());
    return path;
}

static CnOwnedProblem* load(const char* path) {
    CnError error = {0};
    CnOwnedProblem* owned = cn_fclib_load(path, &error);
    ck_assert_msg(owned != NULL, "%s", error.message);
    return owned;
}

static CnOwnedProblem* load_and_remove(void) {
    CnOwnedProblem* owned = load(file_path());
    remove(file_path());
    return owned;
}

// W of these tests, 3 x 3 and not symmetric; the zero is left out of sparse forms.
static const double w[9] = {2.0, 0.5, 0.25, 0.5, 3.0, 0.0, 0.125, 0.0, 4.0};

static void check_w(const CnProblem* problem) {
    for (int i = 0; i < 9; ++i) {
        CHECK_NEAR(problem_response_at(problem, i / 3, i % 3), w[i],
                   0.0); // numbers are only copied
    }
}

static void write_vectors(FclibWriter file) {
    const double q[3] = {-1.0, 0.5, 0.25}, mu[1] = {0.7};
    fclib_reals(file, "/fclib_local/vectors/q", q, 3);
    fclib_reals(file, "/fclib_local/vectors/mu", mu, 1);
}

static FclibWriter begin_local(int spacedim) {
    FclibWriter file = fclib_create(file_path());
    fclib_integer(file, "/fclib_local/spacedim", spacedim);
    return file;
}

static void write_compressed(FclibWriter file, int nz, const int* index, const double* value) {
    const int start[4] = {0, 3, 5, 7};
    fclib_integer(file, "/fclib_local/W/m", 3);
    fclib_integer(file, "/fclib_local/W/n", 3);
    fclib_integer(file, "/fclib_local/W/nz", nz);
    fclib_integer(file, "/fclib_local/W/nzmax", -7); // nobody may trust it
    fclib_integers(file, "/fclib_local/W/p", start, 4);
    fclib_integers(file, "/fclib_local/W/i", index, 7);
    fclib_reals(file, "/fclib_local/W/x", value, 7);
}

static void a_local_problem_is_w_minus_q_and_mu(void) {
    const int index[7] = {0, 1, 2, 0, 1, 0, 2};
    const double value[7] = {2.0, 0.5, 0.25, 0.5, 3.0, 0.125, 4.0};
    FclibWriter file = begin_local(3);
    write_vectors(file);
    write_compressed(file, -2, index, value);
    fclib_close(file);
    CnOwnedProblem* owned = load_and_remove();
    const CnProblem* problem = cn_owned_problem_get(owned);
    CHECK_INT(problem->body_count, 0);
    CHECK_INT(problem->block_count, 1);
    CHECK_INT(problem->row_count, 3);
    CHECK_INT(problem->blocks[0].law, CN_LAW_COULOMB);
    CHECK_NEAR(problem->blocks[0].friction, 0.7, 0.0);
    CHECK_NEAR(problem->target[0], 1.0, 0.0);
    CHECK_NEAR(problem->target[2], -0.25, 0.0);
    CHECK(problem->masses == NULL);
    check_w(problem);
    cn_owned_problem_destroy(owned);
}

static void columns_and_rows_are_told_apart(void) {
    const int index[7] = {0, 1, 2, 0, 1, 0, 2};
    const double by_columns[7] = {2.0, 0.5, 0.125, 0.5, 3.0, 0.25, 4.0};
    FclibWriter file = begin_local(3);
    write_vectors(file);
    write_compressed(file, -1, index, by_columns);
    fclib_close(file);
    CnOwnedProblem* owned = load_and_remove();
    check_w(cn_owned_problem_get(owned));
    cn_owned_problem_destroy(owned);
}

static void triplets_come_in_any_order_and_are_summed(void) {
    const int row[8] = {2, 0, 0, 1, 0, 1, 2, 0};
    const int column[8] = {2, 1, 0, 1, 2, 0, 0, 0};
    const double value[8] = {4.0, 0.5, 1.5, 3.0, 0.25, 0.5, 0.125, 0.5}; // W_00 in two parts
    FclibWriter file = begin_local(3);
    write_vectors(file);
    fclib_triplets(file, "/fclib_local/W", 3, 3, 8, row, column, value);
    fclib_close(file);
    CnOwnedProblem* owned = load_and_remove();
    check_w(cn_owned_problem_get(owned));
    CHECK_INT(cn_owned_problem_get(owned)->response->start[3], 7);
    cn_owned_problem_destroy(owned);
}

static void contacts_of_the_plane_have_two_rows(void) {
    const int index[4] = {0, 1, 2, 3};
    const double ones[4] = {1.0, 1.0, 1.0, 1.0}, mu[2] = {0.1, 0.2};
    FclibWriter file = begin_local(2);
    fclib_reals(file, "/fclib_local/vectors/q", ones, 4);
    fclib_reals(file, "/fclib_local/vectors/mu", mu, 2);
    fclib_triplets(file, "/fclib_local/W", 4, 4, 4, index, index, ones);
    fclib_close(file);
    CnOwnedProblem* owned = load_and_remove();
    const CnProblem* problem = cn_owned_problem_get(owned);
    CHECK_INT(problem->block_count, 2);
    CHECK_INT(problem->blocks[1].first_row, 2);
    CHECK_INT(problem->blocks[1].row_count, 2);
    CHECK_NEAR(problem->blocks[1].friction, 0.2, 0.0);
    cn_owned_problem_destroy(owned);
}

static void numbers_may_be_stored_in_other_ways(void) {
    const int index[4] = {0, 1, 2, 3};
    const double ones[4] = {1.0, 1.0, 1.0, 1.0};
    const float mu[2] = {0.5F, 0.25F};
    FclibWriter file = fclib_create(file_path());
    fclib_scalar(file, "/fclib_local/spacedim", 2); // 16 bits, most significant first
    fclib_compressed(file, "/fclib_local/vectors/q", ones, 4);
    fclib_floats(file, "/fclib_local/vectors/mu", mu, 2);
    fclib_triplets(file, "/fclib_local/W", 4, 4, 4, index, index, ones);
    fclib_close(file);
    CnOwnedProblem* owned = load_and_remove();
    CHECK_NEAR(cn_owned_problem_get(owned)->target[3], -1.0, 0.0);
    CHECK_NEAR(cn_owned_problem_get(owned)->blocks[1].friction, 0.25, 0.0);
    cn_owned_problem_destroy(owned);
}

// [W V; V^T R] with the equality behind the contact.
static void equalities_of_a_local_problem_stand_behind_its_contacts(void) {
    const int diagonal[3] = {0, 1, 2}, row[2] = {0, 2}, column[2] = {0, 0};
    const double ones[3] = {1.0, 1.0, 1.0}, v[2] = {0.25, -0.5}, r[1] = {2.0}, s[1] = {0.125};
    FclibWriter file = begin_local(3);
    write_vectors(file);
    fclib_reals(file, "/fclib_local/vectors/s", s, 1);
    fclib_triplets(file, "/fclib_local/W", 3, 3, 3, diagonal, diagonal, ones);
    fclib_triplets(file, "/fclib_local/V", 3, 1, 2, row, column, v);
    fclib_triplets(file, "/fclib_local/R", 1, 1, 1, diagonal, diagonal, r);
    fclib_close(file);
    CnOwnedProblem* owned = load_and_remove();
    const CnProblem* problem = cn_owned_problem_get(owned);
    CHECK_INT(problem->block_count, 2);
    CHECK_INT(problem->blocks[1].law, CN_LAW_EQUALITY);
    CHECK_NEAR(problem->target[3], -0.125, 0.0);
    CHECK_NEAR(problem_response_at(problem, 2, 3), -0.5, 0.0);
    CHECK_NEAR(problem_response_at(problem, 3, 0), 0.25, 0.0);
    CHECK_NEAR(problem_response_at(problem, 3, 3), 2.0, 0.0);
    cn_owned_problem_destroy(owned);
}

// M = diag([2 1; 0 1], 4), H = [I 0; 0 2; 0 0] of a contact in the plane, G = (0, 0, 1):
// M^-1 H = [1/2 -1; 0 2; 0 0], M^-1 G = (0, 0, 1/4), M^-1 f = (1, 2, 1/2) for f = (4, 2, 2).
// H is given with rows and columns exchanged, which only its three rows give away.
static void a_global_problem_keeps_its_masses_and_can_be_condensed(void) {
    const int m_row[4] = {0, 0, 1, 2}, m_column[4] = {0, 1, 1, 2};
    const double m[4] = {2.0, 1.0, 1.0, 4.0}, f[3] = {4.0, 2.0, 2.0};
    const int h_row[3] = {0, 1, 2}, h_column[3] = {0, 1, 1};
    const double h[3] = {1.0, 2.0, 0.0}, offset[2] = {0.5, 0.25}, mu[1] = {0.3};
    const int g_row[1] = {2}, g_column[1] = {0};
    const double g[1] = {1.0}, b[1] = {0.5};
    FclibWriter file = fclib_create(file_path());
    fclib_integer(file, "/fclib_global/spacedim", 2);
    fclib_reals(file, "/fclib_global/vectors/f", f, 3);
    fclib_reals(file, "/fclib_global/vectors/w", offset, 2);
    fclib_reals(file, "/fclib_global/vectors/b", b, 1);
    fclib_reals(file, "/fclib_global/vectors/mu", mu, 1);
    fclib_triplets(file, "/fclib_global/M", 3, 3, 4, m_row, m_column, m);
    fclib_triplets(file, "/fclib_global/H", 3, 2, 3, h_column, h_row, h);
    fclib_triplets(file, "/fclib_global/G", 3, 1, 1, g_row, g_column, g);
    fclib_close(file);
    CnOwnedProblem* owned = load_and_remove();
    const CnProblem* problem = cn_owned_problem_get(owned);
    CHECK_INT(problem->row_count, 3);
    CHECK_INT(problem->blocks[1].law, CN_LAW_EQUALITY);
    // All are sums and quotients of small powers of two: exact.
    const double response[9] = {0.5, -1.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.25};
    const double free_velocity[3] = {1.0 + 0.5, 4.0 + 0.25, 0.5 + 0.5}; // H^T M^-1 f + w, G^T ...
    CnOwnedProblem* condensed = cn_problem_condense(problem, NULL);
    for (int i = 0; i < 9; ++i) {
        CHECK_NEAR(problem_response_at(cn_owned_problem_get(condensed), i / 3, i % 3), response[i],
                   0.0);
    }
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(cn_owned_problem_get(condensed)->target[i], -free_velocity[i], 0.0);
    }
    const double impulse[3] = {2.0, 1.0, 4.0}, velocity[3] = {1.0 + 1.0 - 1.0, 2.0 + 2.0, 1.5};
    double found[1][6];
    CHECK_INT(cn_masses_coordinate_count(problem->masses), 3);
    CHECK_INT(problem->body_count, 1);
    cn_problem_velocity(problem, impulse, found);
    for (int i = 0; i < 6; ++i) {
        CHECK_NEAR(found[0][i], i < 3 ? velocity[i] : 0.0, 0.0);
    }
    cn_owned_problem_destroy(condensed);
    cn_owned_problem_destroy(owned);
}

// A chain of coordinates, M = tridiagonal(-1, 4, -1.5): too large for a dense factor. Its inverse
// is at most 1 / (4 - 2.5), so that v solves M v = H r + f to some round-offs of what is in the
// sum.
static void a_large_mass_matrix_is_factored_as_it_is(void) {
    enum { N = 2000 };
    static int row[3 * N], column[3 * N];
    static double m[3 * N], f[N], v[N + 6];
    const int h_row[2] = {10, N - 5}, h_column[2] = {0, 1};
    const double h[2] = {1.0, -2.0}, w_offset[2] = {0.0, 0.0}, mu[1] = {0.3};
    const double r[2] = {0.75, 0.5};
    int count = 0;
    for (int i = 0; i < N; ++i) {
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; ++j) {
            row[count] = i;
            column[count] = j;
            m[count++] = j == i ? 4.0 : (j < i ? -1.0 : -1.5);
        }
        f[i] = (double)(i % 7) - 3.0;
    }
    FclibWriter file = fclib_create(file_path());
    fclib_integer(file, "/fclib_global/spacedim", 2);
    fclib_reals(file, "/fclib_global/vectors/f", f, N);
    fclib_reals(file, "/fclib_global/vectors/w", w_offset, 2);
    fclib_reals(file, "/fclib_global/vectors/mu", mu, 1);
    fclib_triplets(file, "/fclib_global/M", N, N, count, row, column, m);
    fclib_triplets(file, "/fclib_global/H", N, 2, 2, h_row, h_column, h);
    fclib_close(file);
    CnOwnedProblem* owned = load_and_remove();
    cn_problem_velocity(cn_owned_problem_get(owned), r, (double(*)[6])v);
    double defect[N], worst = 0.0;
    for (int i = 0; i < N; ++i) {
        defect[i] =
            f[i] + (i == h_row[0] ? h[0] * r[0] : 0.0) + (i == h_row[1] ? h[1] * r[1] : 0.0);
    }
    for (int e = 0; e < count; ++e) {
        defect[row[e]] -= m[e] * v[column[e]];
    }
    for (int i = 0; i < N; ++i) {
        worst = fmax(worst, fabs(defect[i]));
    }
    CHECK(worst <= 20 * 4.0 * 2.0 * DBL_EPSILON); // three products of at most 4 * 2, summed twice
    cn_owned_problem_destroy(owned);
}

// Made with another code; sizes, asymmetry and friction are those it reported.
static void files_of_another_code_are_read(void) {
    static const struct {
        const char* name;
        int contacts;
        double friction, asymmetry; // largest |W_ij - W_ji| / largest |W_ij|
    } known[] = {
        {"gen_soup-s00080-44", 44, 0.7, 3e-3},
        {"gen_soup-s00120-97", 97, 0.7, 2e-3},
        {"gen_massratio-s00020-107", 107, 0.5, 2e-16},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        char path[300];
        snprintf(path, sizeof path, "%s/tests/problems/fclib/%s.hdf5", TEST_SOURCE_DIR,
                 known[i].name);
        CnOwnedProblem* owned = load(path);
        const CnProblem* problem = cn_owned_problem_get(owned);
        double largest = 0.0, difference = 0.0;
        CHECK_INT(problem->block_count, known[i].contacts);
        CHECK_INT(problem->row_count, 3 * known[i].contacts);
        CHECK_NEAR(problem->blocks[0].friction, known[i].friction, 0.0);
        for (int row = 0; row < problem->row_count; ++row) {
            for (int e = problem->response->start[row]; e < problem->response->start[row + 1];
                 ++e) {
                int column = problem->response->column[e];
                double value = problem->response->value[e];
                largest = fmax(largest, fabs(value));
                difference =
                    fmax(difference, fabs(value - problem_response_at(problem, column, row)));
            }
        }
        CHECK(difference <= 1.5 * known[i].asymmetry * largest); // the report has one digit
        CHECK(difference >= 0.5 * known[i].asymmetry * largest);
        cn_owned_problem_destroy(owned);
    }
}

TEST_MAIN("unit/fclib/fclib_load", TEST(a_local_problem_is_w_minus_q_and_mu),
          TEST(columns_and_rows_are_told_apart), TEST(triplets_come_in_any_order_and_are_summed),
          TEST(contacts_of_the_plane_have_two_rows), TEST(numbers_may_be_stored_in_other_ways),
          TEST(equalities_of_a_local_problem_stand_behind_its_contacts),
          TEST(a_global_problem_keeps_its_masses_and_can_be_condensed),
          TEST(a_large_mass_matrix_is_factored_as_it_is), TEST(files_of_another_code_are_read))

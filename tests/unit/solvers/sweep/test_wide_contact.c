// test_wide_contact.c - contacts with two to six rows: the law holds, and known answers are found.
#include "solvers/sweep/wide_contact.h"

#include "cairn/random.h"
#include "constraints/problem/block.h"
#include "solvers/sweep/one_contact.h"
#include "support/test.h"
#include <string.h>

#define CASES 20000

// W = A A^T / n with the rows of A scaled over some decades; rank below n leaves it singular.
static void random_matrix(CnRandom* random, int n, int rank, double decades, double* w) {
    double a[CN_MAX_ROWS][CN_MAX_ROWS] = {{0.0}};
    for (int i = 0; i < n; ++i) {
        double exponent = cn_random_between(random, -decades, 0.0);
        for (int k = 0; k < rank; ++k) {
            a[i][k] = pow(10.0, exponent) * cn_random_between(random, -1.0, 1.0);
        }
        a[i][i < rank ? i : 0] += pow(10.0, exponent);
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            w[i * n + j] = 0.0;
            for (int k = 0; k < n; ++k) {
                w[i * n + j] += a[i][k] * a[j][k];
            }
        }
    }
}

// The certificate's residual of one contact, relative to the terms that cancel in u.
static double violation(int n, double mu, const double* w, const double* q, const double* p) {
    CnBlock block = {.law = CN_LAW_COULOMB, .row_count = n, .friction = mu};
    double u[CN_MAX_ROWS], size = 0.0, lambda = cn_block_largest_eigenvalue(w, n);
    for (int i = 0; i < n; ++i) {
        u[i] = q[i];
        for (int j = 0; j < n; ++j) {
            u[i] += w[i * n + j] * p[j];
        }
        size += fabs(q[i]) + lambda * fabs(p[i]);
    }
    return cn_block_residual(&(CnProblem){0}, &block, w, lambda, u, p) / size;
}

// Where friction presses the bodies together faster than the normal parts them, mu |W_NT| > W_NN,
// an answer need not exist; all others must be solved. S + slip is solved by Cholesky with a
// relative error of its condition, up to 1e4 for rows over one decade, times some n^2 DBL_EPSILON:
// 1e-10 of the terms.
static void the_law_holds_for_any_number_of_rows(void) {
    CnRandom random = {11};
    double worst = 0.0;
    int failed = 0, slid = 0, stuck = 0;
    for (int i = 0; i < CASES; ++i) {
        int n = 2 + (int)cn_random_between(&random, 0.0, 5.0);
        double mu = cn_random_between(&random, 0.01, 1.0);
        double w[CN_MAX_ROWS * CN_MAX_ROWS], q[CN_MAX_ROWS], p[CN_MAX_ROWS];
        random_matrix(&random, n, n, 1.0, w);
        for (int k = 0; k < n; ++k) {
            q[k] = cn_random_between(&random, -1.0, 1.0);
        }
        CnWideContact contact;
        cn_wide_contact_init(&contact, n, mu, w);
        bool solved = cn_wide_contact_solve(&contact, q, p);
        double tangent = 0.0, coupling = 0.0;
        for (int k = 1; k < n; ++k) {
            tangent += p[k] * p[k];
            coupling += w[k] * w[k];
        }
        slid += p[0] > 0.0 && sqrt(tangent) > 0.999999 * mu * p[0];
        stuck += p[0] > 0.0 && sqrt(tangent) < 0.999 * mu * p[0];
        if (mu * sqrt(coupling) < w[0]) {
            failed += !solved;
            worst = fmax(worst, violation(n, mu, w, q, p));
        }
    }
    CHECK_INT(failed, 0);
    CHECK(slid > CASES / 10 && stuck > CASES / 100);
    CHECK_NEAR(worst, 0.0, 1e-11);
}

// Bodies that cannot turn, or a point mass: some friction rows move nothing or repeat others.
static void rows_that_repeat_others_are_no_obstacle(void) {
    CnRandom random = {12};
    double worst = 0.0;
    int slow = 0;
    for (int i = 0; i < CASES; ++i) {
        double w[36], q[6], p[6], twist[6];
        random_matrix(&random, 6, 4, 0.0, w);
        for (int k = 1; k < 6; ++k) {
            w[k] = w[6 * k] = 0.0;
        }
        for (int k = 0; k < 6; ++k) { // in the range of W, as velocities of bodies are
            twist[k] = cn_random_between(&random, -1.0, 1.0);
        }
        for (int k = 0; k < 6; ++k) {
            q[k] = 0.0;
            for (int j = 0; j < 6; ++j) {
                q[k] += w[6 * k + j] * twist[j];
            }
        }
        CnWideContact contact;
        cn_wide_contact_init(&contact, 6, 0.3, w);
        bool solved = cn_wide_contact_solve(&contact, q, p);
        // A slip that is tried takes 5^3 / 6 + 3 5^2 + 20 5 = 196 multiplications; what is given up
        // has taken 500 passes of at least two.
        CHECK(contact.work >= (q[0] >= 0.0 ? 0.0 : 195.0));
        CHECK(solved || contact.work > 1000 * 195.0);
        slow += !solved;
        worst = solved ? fmax(worst, violation(6, 0.3, w, q, p)) : worst;
    }
    CHECK_NEAR(worst, 0.0, 1e-11); // groups are on their discs to 1e-11
    CHECK(slow < CASES / 1000);    // groups that share the load pass it on slowly, and say so
}

// With W_NT = 0 the answer is unique, so the two routes must agree.
static void three_rows_agree_with_the_quartic(void) {
    CnRandom random = {13};
    double worst = 0.0;
    for (int i = 0; i < CASES; ++i) {
        double w[9], q[3], wide[3], p[3] = {0.0};
        random_matrix(&random, 3, 3, 0.5, w);
        w[1] = w[2] = w[3] = w[6] = 0.0;
        for (int k = 0; k < 3; ++k) {
            q[k] = cn_random_between(&random, -1.0, 1.0);
        }
        CnWideContact contact;
        CnOneContact quartic;
        cn_wide_contact_init(&contact, 3, 0.4, w);
        cn_wide_contact_solve(&contact, q, wide);
        cn_one_contact_init(&quartic, 3, 0.4, w, cn_block_largest_eigenvalue(w, 3));
        cn_one_contact_solve(&quartic, q, p);
        for (int k = 0; k < 3; ++k) {
            worst = fmax(worst, fabs(wide[k] - p[k]) / (1.0 + fabs(p[0])));
        }
    }
    CHECK_NEAR(worst, 0.0, 1e-11); // condition of W_TT up to 1e3, times DBL_EPSILON
}

// A unit sphere on the ground spins about the normal at 3 rad/s and is pressed down with 1 N s:
// W = 1 everywhere, the row of torsion is scaled by c / mu. The moment is c p_N against the spin.
static void a_spinning_contact_feels_its_torsion(void) {
    double mu = 0.5, length = 0.01, scale = length / mu;
    double w[16] = {0.0}, p[4];
    const double q[4] = {-1.0, 0.0, 0.0, scale * 3.0};
    for (int i = 0; i < 3; ++i) {
        w[5 * i] = 1.0;
    }
    w[15] = scale * scale;
    CnWideContact contact;
    cn_wide_contact_init(&contact, 4, mu, w);
    CHECK(cn_wide_contact_solve(&contact, q, p));
    CHECK_NEAR(p[0], 1.0, 1e-15);
    CHECK_NEAR(scale * p[3], -length, 1e-16); // [N m s]
    CHECK(p[1] == 0.0 && p[2] == 0.0);
}

TEST_MAIN("unit/solvers/sweep/wide_contact", TEST(the_law_holds_for_any_number_of_rows),
          TEST(rows_that_repeat_others_are_no_obstacle), TEST(three_rows_agree_with_the_quartic),
          TEST(a_spinning_contact_feels_its_torsion))

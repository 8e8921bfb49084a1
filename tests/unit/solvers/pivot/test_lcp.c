// test_lcp.c - Lemke's method on complementarity problems from the literature.
#include "solvers/pivot/lcp.h"

#include "support/problems/budget.h"
#include "support/test.h"

#define MAX_PIVOTS 100

static void fill(CnLcp* lcp, CnArena* arena, int n, const double* m, const double* q) {
    CHECK_INT(cn_lcp_init(lcp, n, arena), CN_OK);
    lcp->budget = &no_budget;
    for (int i = 0; i < n; ++i) {
        double* row = cn_lcp_row(lcp, i);
        row[0] = q[i];
        memcpy(&row[1], &m[i * n], (size_t)n * sizeof(double));
    }
}

static void a_positive_definite_problem_is_solved(void) {
    static const double m[4] = {2.0, 1.0, 1.0, 2.0}, q[2] = {-5.0, -6.0};
    CnArena arena;
    CnLcp lcp;
    cn_arena_init(&arena, NULL);
    fill(&lcp, &arena, 2, m, q);
    CHECK_INT(cn_lcp_solve(&lcp, MAX_PIVOTS), CN_LCP_SOLVED);
    CHECK_NEAR(cn_lcp_z(&lcp, 0), 4.0 / 3.0, 1e-15); // M z = -q
    CHECK_NEAR(cn_lcp_z(&lcp, 1), 7.0 / 3.0, 1e-15);
    cn_arena_destroy(&arena);
}

static void nothing_to_do_takes_no_pivot(void) {
    static const double m[4] = {1.0, 0.0, 0.0, 1.0}, q[2] = {1.0, 0.0};
    CnArena arena;
    CnLcp lcp;
    cn_arena_init(&arena, NULL);
    fill(&lcp, &arena, 2, m, q);
    CHECK_INT(cn_lcp_solve(&lcp, MAX_PIVOTS), CN_LCP_SOLVED);
    CHECK_INT(lcp.pivots, 0);
    CHECK_NEAR(cn_lcp_z(&lcp, 0), 0.0, 0.0);
    cn_arena_destroy(&arena);
}

// Murty's matrix: 2 below the diagonal, 1 on it, 0 above; z = (1, 0, ..., 0) for q = -1. The method
// is known to walk through all 2^N bases.
static void murtys_matrix_is_solved(void) {
    enum { N = 8 };
    double m[N * N] = {0}, q[N];
    CnArena arena;
    CnLcp lcp;
    for (int i = 0; i < N; ++i) {
        q[i] = -1.0;
        for (int j = 0; j <= i; ++j) {
            m[i * N + j] = i == j ? 1.0 : 2.0;
        }
    }
    cn_arena_init(&arena, NULL);
    fill(&lcp, &arena, N, m, q);
    CHECK_INT(cn_lcp_solve(&lcp, 1 << N), CN_LCP_SOLVED);
    CHECK_NEAR(cn_lcp_z(&lcp, 0), 1.0, 1e-15); // w = M e_0 + q = (0, 1, 1, ...)
    for (int i = 1; i < N; ++i) {
        CHECK_NEAR(cn_lcp_z(&lcp, i), 0.0, 1e-15);
    }
    cn_arena_destroy(&arena);
}

// All rows tie at the start, and again later.
static void ties_do_not_make_it_cycle(void) {
    static const double m[9] = {1.0, 2.0, 0.0, 0.0, 1.0, 2.0, 2.0, 0.0, 1.0};
    static const double q[3] = {-1.0, -1.0, -1.0};
    CnArena arena;
    CnLcp lcp;
    cn_arena_init(&arena, NULL);
    fill(&lcp, &arena, 3, m, q);
    CHECK_INT(cn_lcp_solve(&lcp, MAX_PIVOTS), CN_LCP_SOLVED);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(cn_lcp_z(&lcp, i), 1.0 / 3.0, 1e-15); // by symmetry: z + 2 z = 1
    }
    cn_arena_destroy(&arena);
}

static void a_problem_without_solution_ends_in_a_ray(void) {
    static const double m[4] = {1.0, -1.0, -1.0, 1.0}, q[2] = {-1.0, -1.0};
    CnArena arena;
    CnLcp lcp;
    cn_arena_init(&arena, NULL);
    fill(&lcp, &arena, 2, m, q); // w_0 + w_1 = -2 whatever z is
    CHECK_INT(cn_lcp_solve(&lcp, MAX_PIVOTS), CN_LCP_RAY);
    cn_arena_destroy(&arena);
}

static void running_out_of_pivots_is_reported(void) {
    static const double m[4] = {2.0, 1.0, 1.0, 2.0}, q[2] = {-5.0, -6.0};
    CnArena arena;
    CnLcp lcp;
    cn_arena_init(&arena, NULL);
    fill(&lcp, &arena, 2, m, q);
    CHECK_INT(cn_lcp_solve(&lcp, 1), CN_LCP_EXHAUSTED);
    cn_arena_destroy(&arena);
}

// Constants that lost digits come back from w = M z + q, which is 0 for the z that are not.
static void lost_digits_are_found_again(void) {
    static const double m[4] = {2.0, 1.0, 1.0, 2.0}, q[2] = {-5.0, -6.0};
    CnArena arena;
    CnLcp lcp;
    cn_arena_init(&arena, NULL);
    fill(&lcp, &arena, 2, m, q);
    CHECK_INT(cn_lcp_solve(&lcp, MAX_PIVOTS), CN_LCP_SOLVED);
    cn_lcp_row(&lcp, 0)[0] += 1e-3;
    cn_lcp_row(&lcp, 1)[0] += 1e-3;
    double w[2];
    for (int i = 0; i < 2; ++i) {
        w[i] = q[i] + m[2 * i] * cn_lcp_z(&lcp, 0) + m[2 * i + 1] * cn_lcp_z(&lcp, 1);
        CHECK_NEAR(w[i], 3e-3, 1e-14);
    }
    cn_lcp_correct(&lcp, w);
    CHECK_NEAR(cn_lcp_z(&lcp, 0), 4.0 / 3.0, 1e-15);
    CHECK_NEAR(cn_lcp_z(&lcp, 1), 7.0 / 3.0, 1e-15);
    cn_arena_destroy(&arena);
}

TEST_MAIN("unit/solvers/pivot/lcp", TEST(a_positive_definite_problem_is_solved),
          TEST(nothing_to_do_takes_no_pivot), TEST(murtys_matrix_is_solved),
          TEST(ties_do_not_make_it_cycle), TEST(a_problem_without_solution_ends_in_a_ray),
          TEST(running_out_of_pivots_is_reported), TEST(lost_digits_are_found_again))

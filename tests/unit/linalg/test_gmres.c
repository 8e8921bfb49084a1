// test_gmres.c - minimal residuals do what their theory says, without symmetry.
#include "linalg/gmres.h"

#include "cairn/random.h"
#include "linalg/dense.h"
#include "support/problems/dense.h"
#include "support/test.h"

#define N 12

typedef struct Matrix {
    double a[N * N];
    double lu[N * N];
    int pivot[N];
} Matrix;

static void apply(const double* x, double* y, void* context) {
    const Matrix* matrix = context;
    dense_multiply(N, matrix->a, x, y);
}

static void solve_exactly(const double* x, double* y, void* context) {
    const Matrix* matrix = context;
    memcpy(y, x, N * sizeof(double));
    cn_dense_lu_solve(N, matrix->lu, matrix->pivot, y);
}

static void fill(Matrix* matrix, uint64_t seed) {
    CnRandom random = {seed};
    for (int i = 0; i < N * N; ++i) {
        matrix->a[i] = cn_random_between(&random, -1.0, 1.0) + (i % (N + 1) == 0 ? 4.0 : 0.0);
    }
    memcpy(matrix->lu, matrix->a, sizeof matrix->a);
    CHECK(cn_dense_lu_factor(N, matrix->lu, matrix->pivot));
}

static double true_residual(const Matrix* matrix, const double* right, const double* x) {
    double y[N], sum = 0.0;
    dense_multiply(N, matrix->a, x, y);
    for (int i = 0; i < N; ++i) {
        sum += (right[i] - y[i]) * (right[i] - y[i]);
    }
    return sqrt(sum);
}

typedef struct Run {
    CnKrylovReport report;
    double x[N];
} Run;

static Run run(Matrix* matrix, const double* right, CnOperator* preconditioner, int steps) {
    Run result;
    CnArena arena;
    CnGmres gmres;
    CnLinearSystem system = {N, apply, preconditioner, matrix, right};
    CnKrylovSettings settings = {steps, 0.0, 1e-12};
    cn_arena_init(&arena, NULL);
    CHECK_INT(cn_gmres_init(&gmres, N, N, &arena), CN_OK);
    cn_gmres_solve(&gmres, &system, &settings, result.x, &result.report);
    cn_arena_destroy(&arena);
    return result;
}

static void n_steps_solve_n_equations(void) {
    Matrix matrix;
    double right[N] = {1.0, -2.0, 0.5, 3.0};
    for (uint64_t seed = 1; seed < 20; ++seed) {
        fill(&matrix, seed);
        Run result = run(&matrix, right, NULL, N);
        CHECK_INT(result.report.end, CN_KRYLOV_CONVERGED);
        CHECK(result.report.iterations <= N);
        CHECK(true_residual(&matrix, right, result.x) < 1e-12); // |b| = 4, condition below 100
    }
}

static void the_residual_never_grows_and_is_the_true_one(void) {
    Matrix matrix;
    double right[N] = {1.0, 1.0, 1.0};
    double last = sqrt(3.0); // |b|: the guess is 0
    fill(&matrix, 3);
    for (int steps = 1; steps <= N; ++steps) {
        Run result = run(&matrix, right, NULL, steps);
        CHECK(result.report.residual <= last);
        CHECK_NEAR(result.report.residual, true_residual(&matrix, right, result.x), 1e-13);
        last = result.report.residual;
    }
}

static void the_exact_inverse_needs_one_step(void) {
    Matrix matrix;
    double right[N] = {0.0, 0.0, 2.0, 0.0, 5.0};
    fill(&matrix, 4);
    Run result = run(&matrix, right, solve_exactly, N);
    CHECK_INT(result.report.end, CN_KRYLOV_CONVERGED);
    CHECK_INT(result.report.iterations, 1);
}

// Rows 0 and 1 the same, the right side too: the answer exists, though not alone.
static void a_singular_system_with_an_answer_is_solved(void) {
    Matrix matrix;
    double right[N] = {2.0, 2.0, -1.0};
    fill(&matrix, 5);
    memcpy(matrix.a + N, matrix.a, N * sizeof(double));
    Run result = run(&matrix, right, NULL, N);
    CHECK(true_residual(&matrix, right, result.x) < 1e-11);
}

static void nothing_to_do_is_done_and_nonsense_is_refused(void) {
    Matrix matrix;
    double right[N] = {0.0};
    fill(&matrix, 6);
    Run result = run(&matrix, right, NULL, N);
    CHECK_INT(result.report.end, CN_KRYLOV_CONVERGED);
    CHECK_INT(result.report.iterations, 0);
    CHECK(result.x[0] == 0.0);
    right[3] = NAN;
    result = run(&matrix, right, NULL, N);
    CHECK_INT(result.report.end, CN_KRYLOV_BROKE_DOWN);
    CHECK(result.x[3] == 0.0);
}

TEST_MAIN("linalg/gmres", TEST(n_steps_solve_n_equations),
          TEST(the_residual_never_grows_and_is_the_true_one),
          TEST(the_exact_inverse_needs_one_step), TEST(a_singular_system_with_an_answer_is_solved),
          TEST(nothing_to_do_is_done_and_nonsense_is_refused))

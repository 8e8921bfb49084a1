// test_krylov.c - conjugate residuals do what their theory says.
#include "linalg/krylov.h"

#include "cairn/random.h"
#include "support/problems/dense.h"
#include "support/test.h"

#define MAX_N 40

typedef struct Matrix {
    int n;
    double a[MAX_N * MAX_N];
} Matrix;

static void apply(const double* x, double* y, void* context) {
    const Matrix* matrix = context;
    dense_multiply(matrix->n, matrix->a, x, y);
}

static void divide_by_diagonal(const double* x, double* y, void* context) {
    const Matrix* matrix = context;
    for (int i = 0; i < matrix->n; ++i) {
        y[i] = x[i] / matrix->a[i * matrix->n + i];
    }
}

// D^1/2 (tridiagonal -1 2+shift -1) D^1/2 with D from 1 to `spread`.
static void fill_chain(Matrix* matrix, int n, double shift, double spread) {
    *matrix = (Matrix){.n = n};
    for (int i = 0; i < n; ++i) {
        double si = pow(spread, 0.5 * i / n);
        matrix->a[i * n + i] = (2.0 + shift) * si * si;
        if (i + 1 < n) {
            double off = -si * pow(spread, 0.5 * (i + 1) / n);
            matrix->a[i * n + i + 1] = off;
            matrix->a[(i + 1) * n + i] = off;
        }
    }
}

static double true_residual(const CnLinearSystem* system, const double* x) {
    double ax[MAX_N], sum = 0.0;
    system->apply(x, ax, system->context);
    for (int i = 0; i < system->n; ++i) {
        sum += (system->right[i] - ax[i]) * (system->right[i] - ax[i]);
    }
    return sqrt(sum);
}

static void fill_right(int n, double* right) {
    CnRandom random = {9};
    for (int i = 0; i < n; ++i) {
        right[i] = cn_random_between(&random, -1.0, 1.0);
    }
}

static void check_steps(CnOperator* preconditioner, double spread) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    for (int n = 1; n <= MAX_N; n += 3) {
        Matrix matrix;
        double right[MAX_N], x[MAX_N] = {0};
        fill_chain(&matrix, n, 0.5, spread);
        fill_right(n, right);
        CnLinearSystem system = {n, apply, preconditioner, &matrix, right};
        CnKrylovSettings settings = {.max_iterations = n, .relative_tolerance = 1e-10};
        CnKrylovReport report;
        CHECK_INT(cn_krylov_cr(&system, &settings, &arena, x, &report), CN_OK);
        CHECK_INT(report.end, CN_KRYLOV_CONVERGED);
        CHECK(true_residual(&system, x) <= 2e-10 * sqrt(n)); // the recurrence does not lie
    }
    CHECK_INT(arena.used, 0);
    cn_arena_destroy(&arena);
}

static void finishes_in_n_steps(void) {
    check_steps(NULL, 1.0);
}

static void a_diagonal_preconditioner_undoes_bad_scaling(void) {
    // Scaled back, the matrix has condition 9 / 1 whatever the spread: n steps still do.
    check_steps(divide_by_diagonal, 1e6);
}

static void the_residual_never_grows(void) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    Matrix matrix;
    double right[MAX_N];
    fill_chain(&matrix, MAX_N, 0.0, 100.0);
    fill_right(MAX_N, right);
    CnLinearSystem system = {MAX_N, apply, NULL, &matrix, right};
    double last = HUGE_VAL;
    for (int steps = 0; steps <= MAX_N; ++steps) {
        double x[MAX_N] = {0};
        CnKrylovSettings settings = {.max_iterations = steps};
        CnKrylovReport report;
        CHECK_INT(cn_krylov_cr(&system, &settings, &arena, x, &report), CN_OK);
        CHECK(true_residual(&system, x) <= last * (1.0 + 1e-12)); // equal up to round-off
        last = true_residual(&system, x);
    }
    cn_arena_destroy(&arena);
}

static void of_many_answers_the_nearest_is_found(void) {
    // [1 -1; -1 1] x = (2, -2): x = (1, -1) + t (1, 1) for any t; nearest to (3, 3) is t = 3.
    CnArena arena;
    cn_arena_init(&arena, NULL);
    Matrix matrix = {.n = 2, .a = {1.0, -1.0, -1.0, 1.0}};
    double right[2] = {2.0, -2.0}, x[2] = {3.0, 3.0};
    CnLinearSystem system = {2, apply, NULL, &matrix, right};
    CnKrylovSettings settings = {.max_iterations = 5, .relative_tolerance = 1e-14};
    CnKrylovReport report;
    CHECK_INT(cn_krylov_cr(&system, &settings, &arena, x, &report), CN_OK);
    CHECK_INT(report.end, CN_KRYLOV_CONVERGED);
    CHECK_NEAR(x[0], 4.0, 1e-14);
    CHECK_NEAR(x[1], 2.0, 1e-14);
    cn_arena_destroy(&arena);
}

static void where_none_answers_the_least_residual_is_left(void) {
    // A = J J^T with rows (1), (2), (2) of J: x moves b = (1, 0, 0) by multiples of (1, 2, 2), so
    // that least is left by its part across: |b|^2 - (1/3)^2 = 8/9.
    CnArena arena;
    cn_arena_init(&arena, NULL);
    Matrix matrix = {.n = 3, .a = {1.0, 2.0, 2.0, 2.0, 4.0, 4.0, 2.0, 4.0, 4.0}};
    double right[3] = {1.0, 0.0, 0.0}, x[3] = {0};
    CnLinearSystem system = {3, apply, NULL, &matrix, right};
    CnKrylovSettings settings = {.max_iterations = 100, .relative_tolerance = 1e-14};
    CnKrylovReport report;
    CHECK_INT(cn_krylov_cr(&system, &settings, &arena, x, &report), CN_OK);
    CHECK_INT(report.end, CN_KRYLOV_STATIONARY);
    CHECK(report.iterations <= 2); // A has one eigenvalue beside 0
    CHECK_NEAR(true_residual(&system, x), sqrt(8.0 / 9.0), 1e-14);
    cn_arena_destroy(&arena);
}

static void what_is_out_of_reach_is_reported(void) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    Matrix negative = {.n = 1, .a = {-1.0}};
    Matrix zero = {.n = 1, .a = {0.0}};
    double right = 1.0, x = 0.0;
    CnLinearSystem system = {1, apply, NULL, &negative, &right};
    CnKrylovSettings settings = {.max_iterations = 3};
    CnKrylovReport report;
    CHECK_INT(cn_krylov_cr(&system, &settings, &arena, &x, &report), CN_OK);
    CHECK_INT(report.end, CN_KRYLOV_CONVERGED); // symmetric is enough
    CHECK_NEAR(x, -1.0, 0.0);
    system.context = &zero;
    CHECK_INT(cn_krylov_cr(&system, &settings, &arena, &x, &report), CN_OK);
    CHECK_INT(report.end, CN_KRYLOV_STATIONARY);
    CHECK_NEAR(report.residual, 1.0, 0.0);
    cn_arena_destroy(&arena);
}

static void an_exact_guess_costs_nothing(void) {
    CnArena arena;
    cn_arena_init(&arena, NULL);
    Matrix matrix = {.n = 1, .a = {2.0}};
    double right = 4.0, x = 2.0;
    CnLinearSystem system = {1, apply, NULL, &matrix, &right};
    CnKrylovSettings settings = {.max_iterations = 3};
    CnKrylovReport report;
    CHECK_INT(cn_krylov_cr(&system, &settings, &arena, &x, &report), CN_OK);
    CHECK_INT(report.iterations, 0);
    CHECK_INT(report.end, CN_KRYLOV_CONVERGED);
    cn_arena_destroy(&arena);
}

TEST_MAIN("linalg/krylov", TEST(finishes_in_n_steps),
          TEST(a_diagonal_preconditioner_undoes_bad_scaling), TEST(the_residual_never_grows),
          TEST(of_many_answers_the_nearest_is_found),
          TEST(where_none_answers_the_least_residual_is_left),
          TEST(what_is_out_of_reach_is_reported), TEST(an_exact_guess_costs_nothing))

// test_assembled.c - W, q and the errors of an assembled problem are those of the definition.
#include "solvers/matrix/assembled.h"

#include "constraints/problem/certificate.h"
#include "support/problems/pivoting_claims.h"

enum { ROWS = 25, BODIES = 4 };

// u = W p + q from the matrix against the definition; sums of some 40 products of numbers below 10.
static void velocities_are_those_of_the_definition(void) {
    Problem problem = {0};
    CnArena arena;
    CnAssembled assembled;
    double p[ROWS], u[ROWS], wanted[ROWS];
    fill_random_problem(&problem, 3, BODIES, ROWS, 0.5);
    const CnProblem* view = problem_view(&problem);
    problem.target[7] = 0.3;
    for (int i = 0; i < ROWS; ++i) {
        problem.compliance[i] = 0.1 * (i % 3);
        p[i] = 0.1 * ((i * 7) % 11) - 0.4;
    }
    cn_arena_init(&arena, NULL);
    CHECK_INT(cn_assemble(view, &arena, &assembled), CN_OK);
    cn_assembled_velocity(&assembled, p, u);
    problem_row_velocity(view, p, wanted);
    for (int i = 0; i < ROWS; ++i) {
        CHECK_NEAR(u[i], wanted[i], 1e-13);
    }
    cn_arena_destroy(&arena);
    problem_free(&problem);
}

// Two contacts; the first does not feel the second, but the second feels the first.
typedef struct OneSided {
    int start[7], column[27];
    double value[27];
    CnResponse response;
    Problem problem;
    CnProblem view;
} OneSided;

static void build_one_sided(OneSided* it) {
    *it = (OneSided){0};
    int used = 0;
    for (int row = 0; row < 6; ++row) {
        for (int column = 0; column < (row < 3 ? 3 : 6); ++column) {
            it->column[used] = column;
            it->value[used++] = row == column ? 2.0 : 0.01 * (row + 2 * column);
        }
        it->start[row + 1] = used;
    }
    it->response = (CnResponse){it->start, it->column, it->value};
    for (int i = 0; i < 2; ++i) {
        problem_add_block(&it->problem, CN_LAW_COULOMB, 3, -1, -1);
        it->problem.blocks[i].friction = 0.5;
        it->problem.target[3 * i] = 1.0 + i; // q_N = -1, -2
        it->problem.target[3 * i + 1] = 0.2;
    }
    it->view = *problem_view(&it->problem);
    it->view.response = &it->response;
}

static void an_unsymmetric_response_is_kept_as_it_is(void) {
    OneSided it;
    CnArena arena;
    CnAssembled assembled;
    const double p[6] = {1.0, 0.2, -0.3, 2.0, 0.5, 0.1};
    double u[6];
    build_one_sided(&it);
    CHECK_INT(cn_problem_check(&it.view, NULL), CN_OK);
    cn_arena_init(&arena, NULL);
    CHECK_INT(cn_assemble(&it.view, &arena, &assembled), CN_OK);
    CHECK_INT(assembled.w.start[2], 4); // the pattern is symmetric all the same
    cn_assembled_velocity(&assembled, p, u);
    for (int row = 0; row < 6; ++row) {
        double wanted = -it.problem.target[row];
        for (int e = it.start[row]; e < it.start[row + 1]; ++e) {
            wanted += it.value[e] * p[it.column[e]];
        }
        CHECK_NEAR(u[row], wanted, 1e-15);
    }
    cn_arena_destroy(&arena);
    problem_free(&it.problem);
}

// Both measures, for impulses that are wrong in every way.
static void errors_are_those_of_the_certificate(void) {
    OneSided it;
    CnArena arena;
    CnAssembled assembled;
    double p[6] = {1.0, 0.2, -0.8, 2.0, 0.5, 0.1}, u[6], scratch[1][6];
    CnSolution solution = {p, NULL};
    CnCertificate certificate;
    build_one_sided(&it);
    cn_arena_init(&arena, NULL);
    CHECK_INT(cn_assemble(&it.view, &arena, &assembled), CN_OK);
    cn_assembled_velocity(&assembled, p, u);
    cn_certify(&it.view, &solution, scratch, NULL, &certificate);
    for (int measure = 0; measure < CN_ERROR_COUNT; ++measure) {
        double wanted = cn_certificate_error(&certificate, (CnErrorMeasure)measure);
        CHECK_NEAR(cn_assembled_error(&assembled, (CnErrorMeasure)measure, p, u), wanted,
                   1e-14 * wanted);
        CHECK(wanted > 0.1);
    }
    cn_arena_destroy(&arena);
    problem_free(&it.problem);
}

// D (W D p' + q / unit) is D u / unit, and the friction cone of p is the unit cone of p'.
static void scaling_is_undone_by_its_own_factors(void) {
    OneSided it;
    CnArena arena;
    CnAssembled assembled;
    CnScaled scaled;
    const double x[6] = {1.0, 0.6, -0.8, 2.0, 0.5, 0.1};
    double p[6], u[6], y[6];
    build_one_sided(&it);
    cn_arena_init(&arena, NULL);
    CHECK_INT(cn_assemble(&it.view, &arena, &assembled), CN_OK);
    CHECK_INT(cn_assembled_scale(&assembled, &arena, &scaled), CN_OK);
    for (int i = 0; i < 6; ++i) {
        p[i] = scaled.unit * scaled.scale[i] * x[i];
    }
    cn_assembled_velocity(&assembled, p, u);
    cn_block_rows_multiply(&scaled.w, x, y);
    for (int i = 0; i < 6; ++i) {
        CHECK_NEAR(y[i] + scaled.q[i], scaled.scale[i] * u[i] / scaled.unit, 1e-14);
    }
    CHECK_NEAR(sqrt(p[1] * p[1] + p[2] * p[2]), 0.5 * p[0], 1e-15); // x is on the unit cone
    cn_arena_destroy(&arena);
    problem_free(&it.problem);
}

TEST_MAIN("unit/solvers/matrix/assembled", TEST(velocities_are_those_of_the_definition),
          TEST(an_unsymmetric_response_is_kept_as_it_is), TEST(errors_are_those_of_the_certificate),
          TEST(scaling_is_undone_by_its_own_factors))

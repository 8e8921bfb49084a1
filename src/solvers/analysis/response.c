// response.c - A and b of u = A p - b for any problem, and the condition number of A.
#include "base/error.h"
#include "constraints/problem/masses.h"
#include "linalg/eigenvalues.h"
#include "solvers/matrix/assembled.h"
#include "solvers/solve/solver.h"
#include <float.h>
#include <math.h>
#include <string.h>

// Eigenvalues up to this many times rows epsilon of the largest are round-off: linalg.md (26).
#define RANK_MARGIN 4.0

static CnStatus refuse_size(const CnProblem* problem, CnError* error) {
    return problem->row_count <= CN_MAX_DENSE_ROWS
               ? CN_OK
               : cn_error_set(error, CN_UNSUPPORTED,
                              "the dense matrix of %d rows would be too large; at most %d",
                              problem->row_count, CN_MAX_DENSE_ROWS);
}

static CnStatus fail_memory(const CnProblem* problem, CnError* error) {
    return cn_error_set(error, CN_NO_MEMORY, "no memory for the dense matrix of %d rows",
                        problem->row_count);
}

static void spread(const CnBlockRows* matrix, double* a) {
    size_t n = (size_t)matrix->row_count;
    memset(a, 0, n * n * sizeof(double));
    for (int i = 0; i < matrix->block_count; ++i) {
        int rows = matrix->first_row[i + 1] - matrix->first_row[i];
        for (int e = matrix->start[i]; e < matrix->start[i + 1]; ++e) {
            int j = matrix->column[e], columns = matrix->first_row[j + 1] - matrix->first_row[j];
            const double* value = &matrix->value[matrix->position[e]];
            for (int r = 0; r < rows; ++r) {
                memcpy(a + (size_t)(matrix->first_row[i] + r) * n + (size_t)matrix->first_row[j],
                       value + (size_t)r * (size_t)columns, (size_t)columns * sizeof(double));
            }
        }
    }
}

static CnStatus find_response(const CnProblem* problem, CnArena* arena, double* a, double* b) {
    CnProblem condensed;
    CnAssembled assembled;
    CnStatus status = CN_OK;
    if (problem->masses != NULL) {
        status = cn_condense(problem, arena, &condensed);
        problem = &condensed;
    }
    if (status == CN_OK) {
        status = cn_assemble(problem, arena, &assembled);
    }
    if (status == CN_OK) {
        spread(&assembled.w, a);
        for (int i = 0; b != NULL && i < problem->row_count; ++i) {
            b[i] = -assembled.q[i];
        }
    }
    return status;
}

CnStatus cn_problem_response(const CnProblem* problem, CnWorkspace* workspace, double* a, double* b,
                             CnError* error) {
    CnStatus status = refuse_size(problem, error);
    if (status != CN_OK) {
        return status;
    }
    CnArenaMark mark = cn_arena_mark(&workspace->arena);
    status = find_response(problem, &workspace->arena, a, b);
    cn_arena_release(&workspace->arena, mark);
    return status == CN_OK ? CN_OK : fail_memory(problem, error);
}

// Memory to find eigenvalues of n rows in.
typedef struct Eigen {
    int n;
    double *a, *copy;        // [n * n]
    double *value, *scratch; // [n]
} Eigen;

static bool eigen_init(Eigen* eigen, int n, CnArena* arena) {
    size_t size = (size_t)n * (size_t)n;
    *eigen = (Eigen){.n = n,
                     .a = CN_ARENA_NEW(arena, double, size),
                     .copy = CN_ARENA_NEW(arena, double, size),
                     .value = CN_ARENA_NEW(arena, double, n),
                     .scratch = CN_ARENA_NEW(arena, double, n)};
    return eigen->a != NULL && eigen->copy != NULL && eigen->value != NULL &&
           eigen->scratch != NULL;
}

// The symmetric part, with rows and columns divided by the square roots of its diagonal if
// `is_scaled`; rows without an effect stay as they are.
static void copy_symmetric(const Eigen* eigen, bool is_scaled) {
    size_t n = (size_t)eigen->n;
    for (size_t i = 0; i < n; ++i) {
        double own = eigen->a[i * n + i];
        eigen->scratch[i] = is_scaled && own > 0.0 ? 1.0 / sqrt(own) : 1.0;
    }
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j <= i; ++j) {
            double mean = 0.5 * eigen->a[i * n + j] + 0.5 * eigen->a[j * n + i];
            eigen->copy[i * n + j] = eigen->scratch[i] * mean * eigen->scratch[j];
        }
    }
}

// Ascending eigenvalues in eigen->value; how many of them are above round-off.
static bool find_rank(Eigen* eigen, bool is_scaled, int* rank) {
    copy_symmetric(eigen, is_scaled);
    if (!cn_eigenvalues_symmetric(eigen->n, eigen->copy, eigen->value, eigen->scratch)) {
        return false;
    }
    double largest = eigen->value[eigen->n - 1];
    double noise = RANK_MARGIN * eigen->n * DBL_EPSILON * largest;
    *rank = 0;
    for (int i = 0; i < eigen->n; ++i) {
        *rank += eigen->value[i] > noise;
    }
    return isfinite(largest);
}

static bool find_condition(Eigen* eigen, CnCondition* condition) {
    int n = eigen->n, rank = 0;
    if (!find_rank(eigen, true, &rank)) {
        return false;
    }
    condition->scaled_number = rank == n ? eigen->value[n - 1] / eigen->value[0] : HUGE_VAL;
    if (!find_rank(eigen, false, &condition->rank)) {
        return false;
    }
    condition->largest = eigen->value[n - 1];
    condition->smallest = condition->rank > 0 ? eigen->value[n - condition->rank] : 0.0;
    condition->number = condition->rank == n ? condition->largest / condition->smallest : HUGE_VAL;
    return true;
}

CnStatus cn_problem_condition(const CnProblem* problem, CnWorkspace* workspace,
                              CnCondition* condition, CnError* error) {
    *condition = (CnCondition){.number = 1.0, .scaled_number = 1.0};
    CnStatus status = refuse_size(problem, error);
    if (status != CN_OK || problem->row_count == 0) {
        return status;
    }
    CnArenaMark mark = cn_arena_mark(&workspace->arena);
    Eigen eigen;
    status = eigen_init(&eigen, problem->row_count, &workspace->arena)
                 ? find_response(problem, &workspace->arena, eigen.a, NULL)
                 : CN_NO_MEMORY;
    bool found = status == CN_OK && find_condition(&eigen, condition);
    cn_arena_release(&workspace->arena, mark);
    if (status != CN_OK) {
        return fail_memory(problem, error);
    }
    return found ? CN_OK : cn_error_set(error, CN_INVALID, "the numbers of the problem overflow");
}

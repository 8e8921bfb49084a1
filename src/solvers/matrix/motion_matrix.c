// motion_matrix.c - what rows do to the motion: G with W = G G^T, and sums of G^T X G.
#include "solvers/matrix/motion_matrix.h"

#include <math.h>
#include <string.h>

// Multiplications of a row of bodies: J v of two and J^T p.
#define WORK_OF_ROW 24.0

CnStatus cn_motion_matrix_of_bodies(CnMotionMatrix* motions, const CnProblem* problem,
                                    CnArena* arena) {
    *motions = (CnMotionMatrix){.row_count = problem->row_count};
    if (cn_body_matrix_init(&motions->bodies, problem, arena) != CN_OK ||
        cn_lu_analyze(&motions->lu, &motions->bodies.matrix, arena) != CN_OK) {
        return CN_NO_MEMORY;
    }
    motions->motion_count = motions->bodies.matrix.row_count;
    return CN_OK;
}

// ---- a given W ----

static size_t square(int n) {
    return (size_t)n * (size_t)n;
}

// The lower triangle of the symmetric part, without compliance: that is no motion.
static void fill_lower(const CnResponse* response, int n, double* w) {
    for (int i = 0; i < n; ++i) {
        for (int e = response->start[i]; e < response->start[i + 1]; ++e) {
            int j = response->column[e];
            double half = i == j ? response->value[e] : 0.5 * response->value[e];
            w[(size_t)(i > j ? i : j) * (size_t)n + (size_t)(i > j ? j : i)] += half;
        }
    }
}

// Row i of W's factor P^T L sqrt(D): column k of L belongs to the k-th motion.
static double factor_entry(const CnDenseLdlt* ldlt, int place, int k) {
    size_t n = (size_t)ldlt->n;
    double below = k == place ? 1.0 : ldlt->factor[(size_t)place * n + (size_t)k];
    return k > place ? 0.0 : below * sqrt(ldlt->factor[(size_t)k * (n + 1)]);
}

static void combine_rows(CnMotionMatrix* motions, const CnDenseLdlt* ldlt, const int* from,
                         const double* factor) {
    for (int place = 0; place < ldlt->n; ++place) {
        int row = ldlt->order[place];
        if (from[row] >= 0) {
            double* g = motions->g + (size_t)from[row] * (size_t)motions->motion_count;
            for (int k = 0; k < motions->motion_count; ++k) {
                g[k] += factor[row] * factor_entry(ldlt, place, k);
            }
        }
    }
}

CnStatus cn_motion_matrix_of_response(CnMotionMatrix* motions, const CnProblem* problem,
                                      int row_count, const int* from, const double* factor,
                                      CnArena* arena) {
    int n = problem->row_count;
    CnDenseLdlt ldlt;
    double* w = CN_ARENA_NEW(arena, double, square(n));
    if (w == NULL || cn_dense_ldlt_init(&ldlt, n, arena) != CN_OK) {
        return CN_NO_MEMORY;
    }
    fill_lower(problem->response, n, w);
    cn_dense_ldlt_factor(&ldlt, w);
    int rank = ldlt.rank;
    *motions = (CnMotionMatrix){
        .motion_count = rank,
        .row_count = row_count,
        .g = CN_ARENA_NEW(arena, double, (size_t)row_count*(size_t)rank),
        .matrix = CN_ARENA_NEW(arena, double, square(rank)),
        .factor = CN_ARENA_NEW(arena, double, square(rank)),
        .pivot = CN_ARENA_NEW(arena, int, rank),
    };
    if (motions->g == NULL || motions->matrix == NULL || motions->factor == NULL ||
        motions->pivot == NULL) {
        return CN_NO_MEMORY;
    }
    combine_rows(motions, &ldlt, from, factor);
    return CN_OK;
}

static const double* row_of(const CnMotionMatrix* motions, int row) {
    return motions->g + (size_t)row * (size_t)motions->motion_count;
}

// ---- products ----

double cn_motion_matrix_row_length(const CnMotionMatrix* motions, int row) {
    const CnProblem* problem = motions->bodies.problem;
    int n = motions->g != NULL ? motions->motion_count : 12;
    const double* g = motions->g != NULL ? row_of(motions, row) : motions->bodies.jacobian[row];
    double square = cn_dense_dot(n, g, g);
    if (motions->g == NULL && problem->jacobian_c != NULL) { // of a second pair
        g = motions->bodies.jacobian[problem->row_count + row];
        square += cn_dense_dot(n, g, g);
    }
    return sqrt(square);
}

void cn_motion_matrix_push(const CnMotionMatrix* motions, const double* p, double* z) {
    if (motions->g == NULL) {
        cn_body_matrix_push(&motions->bodies, p, z);
        return;
    }
    memset(z, 0, (size_t)motions->motion_count * sizeof(double));
    for (int i = 0; i < motions->row_count; ++i) {
        cn_dense_add_scaled(motions->motion_count, p[i], row_of(motions, i), z);
    }
}

void cn_motion_matrix_feel(const CnMotionMatrix* motions, const double* z, double* u) {
    if (motions->g == NULL) {
        cn_body_matrix_feel(&motions->bodies, z, u);
        return;
    }
    for (int i = 0; i < motions->row_count; ++i) {
        u[i] = cn_dense_dot(motions->motion_count, row_of(motions, i), z);
    }
}

// ---- the sum of G^T X G ----

void cn_motion_matrix_reset(CnMotionMatrix* motions) {
    if (motions->g == NULL) {
        cn_body_matrix_reset(&motions->bodies, 0.0);
    } else {
        memset(motions->matrix, 0, square(motions->motion_count) * sizeof(double));
    }
}

void cn_motion_matrix_add(CnMotionMatrix* motions, int block, int row, int n, const double* x) {
    int count = motions->motion_count;
    if (motions->g == NULL) {
        cn_body_matrix_add(&motions->bodies, block, row, n, x);
        return;
    }
    for (int i = 0; i < n; ++i) {
        const double* left = row_of(motions, row + i);
        for (int j = 0; j < n; ++j) {
            for (int k = 0; x[i * n + j] != 0.0 && k < count; ++k) {
                cn_dense_add_scaled(count, x[i * n + j] * left[k], row_of(motions, row + j),
                                    motions->matrix + (size_t)k * (size_t)count);
            }
        }
    }
}

// Entry (i, i), in the order of motions.
static double* diagonal_of(CnMotionMatrix* motions, int i) {
    CnBlockRows* matrix = &motions->bodies.matrix;
    if (motions->g != NULL) {
        return motions->matrix + (size_t)i * (size_t)(motions->motion_count + 1);
    }
    int rows = 6, b = i / rows; // every body has six
    return cn_block_rows_diagonal(matrix, b) + (i % rows) * (rows + 1);
}

static void raise_diagonal(CnMotionMatrix* motions, double share) {
    double largest = 0.0;
    for (int i = 0; i < motions->motion_count; ++i) {
        largest = fmax(largest, *diagonal_of(motions, i));
    }
    for (int i = 0; i < motions->motion_count; ++i) {
        *diagonal_of(motions, i) += share * (largest > 0.0 ? largest : 1.0);
    }
}

bool cn_motion_matrix_factor(CnMotionMatrix* motions, double share) {
    raise_diagonal(motions, share);
    if (motions->g == NULL) {
        return cn_lu_factor(&motions->lu, &motions->bodies.matrix);
    }
    memcpy(motions->factor, motions->matrix, square(motions->motion_count) * sizeof(double));
    return cn_dense_lu_factor(motions->motion_count, motions->factor, motions->pivot);
}

void cn_motion_matrix_solve(CnMotionMatrix* motions, const double* b, double* z, double* scratch) {
    int n = motions->motion_count;
    if (motions->g == NULL) {
        cn_lu_solve(&motions->lu, b, z);
        cn_lu_refine(&motions->lu, &motions->bodies.matrix, b, z, scratch);
        return;
    }
    memcpy(z, b, (size_t)n * sizeof(double));
    cn_dense_lu_solve(n, motions->factor, motions->pivot, z);
    for (int i = 0; i < n; ++i) {
        scratch[i] = b[i] - cn_dense_dot(n, motions->matrix + (size_t)i * (size_t)n, z);
    }
    cn_dense_lu_solve(n, motions->factor, motions->pivot, scratch);
    cn_dense_add_scaled(n, 1.0, scratch, z);
}

// ---- cost ----

double cn_motion_matrix_step_work(const CnMotionMatrix* motions) {
    double n = motions->motion_count;
    return motions->g != NULL
               ? n * n * (n / 3.0 + motions->row_count + 4.0)
               : cn_lu_factor_work(&motions->lu.plan) + 2.0 * cn_lu_solve_work(&motions->lu.plan) +
                     (double)cn_block_rows_numbers(&motions->bodies.matrix);
}

double cn_motion_matrix_product_work(const CnMotionMatrix* motions) {
    return motions->row_count * (motions->g != NULL ? 2.0 * motions->motion_count : WORK_OF_ROW);
}

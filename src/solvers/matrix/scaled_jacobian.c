// scaled_jacobian.c - J L with M^-1 = L L^T: rows in which every body has unit mass.
#include "solvers/matrix/scaled_jacobian.h"

#include "constraints/problem/block.h"
#include <float.h>
#include <math.h>
#include <string.h>

// L of a symmetric semidefinite A = L L^T, row-major 3 x 3. A column without a pivot is zero.
static void factor_inertia(const double a[9], double l[9]) {
    memset(l, 0, 9 * sizeof(double));
    for (int j = 0; j < 3; ++j) {
        double pivot = a[4 * j];
        for (int k = 0; k < j; ++k) {
            pivot -= l[3 * j + k] * l[3 * j + k];
        }
        if (!(pivot > DBL_EPSILON * a[4 * j])) {
            continue;
        }
        l[4 * j] = sqrt(pivot);
        for (int i = j + 1; i < 3; ++i) {
            double sum = a[3 * i + j];
            for (int k = 0; k < j; ++k) {
                sum -= l[3 * i + k] * l[3 * j + k];
            }
            l[3 * i + j] = sum / l[4 * j];
        }
    }
}

// out = j L for one body of one row.
static void scale_row(const CnProblem* problem, int body, const double l[9], const double j[6],
                      double out[6]) {
    if (body < 0) {
        return;
    }
    double root = sqrt(problem->inverse_mass[body]);
    for (int i = 0; i < 3; ++i) {
        out[i] = root * j[i];
        out[3 + i] = j[3] * l[i] + j[4] * l[3 + i] + j[5] * l[6 + i];
    }
}

static void scale_rows(const CnProblem* problem, const CnBlock* block,
                       const double (*inertia_root)[9], double (*jacobian)[12]) {
    for (int i = 0; i < block->row_count; ++i) {
        int row = block->first_row + i;
        for (int side = 0; side < cn_block_sides(block); ++side) {
            int body = cn_block_body(block, side);
            double* out = jacobian[row + (side < 2 ? 0 : problem->row_count)] + 6 * (side % 2);
            scale_row(problem, body, body >= 0 ? inertia_root[body] : NULL,
                      cn_block_jacobian(problem, row, side), out);
        }
    }
}

CnStatus cn_scaled_jacobian(const CnProblem* problem, CnArena* arena, double (**jacobian)[12]) {
    double(*inertia_root)[9] =
        cn_arena_allocate(arena, (size_t)problem->body_count, sizeof(double[9]));
    size_t rows = (size_t)problem->row_count * (problem->jacobian_c != NULL ? 2 : 1);
    *jacobian = cn_arena_allocate(arena, rows, sizeof(double[12]));
    if (inertia_root == NULL || *jacobian == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < problem->body_count; ++i) {
        factor_inertia(problem->inverse_inertia[i], inertia_root[i]);
    }
    for (int i = 0; i < problem->block_count; ++i) {
        scale_rows(problem, &problem->blocks[i], (const double(*)[9])inertia_root, *jacobian);
    }
    return CN_OK;
}

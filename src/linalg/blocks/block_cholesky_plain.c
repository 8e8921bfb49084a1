// block_cholesky_plain.c - passes over a block Cholesky factor, one number after the other.
//
// The reference of block_cholesky_lanes.h, to the bit.
#include "linalg/blocks/block_cholesky.h"

#include <string.h>

#define ROWS CN_CHOLESKY_ROWS

// to -= x y^T
static void subtract_product(double* to, const double* x, const double* y) {
    for (int c = 0; c < ROWS; ++c) {
        for (int k = 0; k < ROWS; ++k) {
            for (int r = 0; r < ROWS; ++r) {
                to[c * ROWS + r] -= x[k * ROWS + r] * y[k * ROWS + c];
            }
        }
    }
}

// Rows of a column are among those of its later ones.
static void eliminate(CnBlockCholesky* factor, int k) {
    for (int e = factor->start[k]; e < factor->start[k + 1]; ++e) {
        int j = factor->row[e], at = factor->start[j];
        subtract_product(factor->diagonal[j], factor->below[e], factor->below[e]);
        for (int f = e + 1; f < factor->start[k + 1]; ++f, ++at) {
            while (factor->row[at] != factor->row[f]) {
                ++at;
            }
            subtract_product(factor->below[at], factor->below[f], factor->below[e]);
        }
    }
}

// x <- inverse x
static void multiply_lower(const double* inverse, double* x) {
    double out[ROWS] = {0.0};
    for (int c = 0; c < ROWS; ++c) {
        for (int r = 0; r < ROWS; ++r) { // what is above the diagonal is zero
            out[r] += inverse[c * ROWS + r] * x[c];
        }
    }
    memcpy(x, out, sizeof out);
}

// x <- inverse^T x
static void multiply_upper(const double* inverse, double* x) {
    for (int c = 0; c < ROWS; ++c) {
        double sum = 0.0;
        for (int r = c; r < ROWS; ++r) {
            sum += inverse[c * ROWS + r] * x[r];
        }
        x[c] = sum;
    }
}

// x -= sum over the column of L^T y: products are added up place by place, and summed at the end.
static void subtract_column(const CnBlockCholesky* factor, int k, double* x) {
    double sum[CN_CHOLESKY_NUMBERS] = {0.0};
    for (int e = factor->start[k]; e < factor->start[k + 1]; ++e) {
        const double *block = factor->below[e], *y = factor->work[factor->row[e]];
        for (int c = 0; c < ROWS; ++c) {
            for (int r = 0; r < ROWS; ++r) {
                sum[c * ROWS + r] += block[c * ROWS + r] * y[r];
            }
        }
    }
    for (int c = 0; c < ROWS; ++c) {
        const double* s = sum + c * ROWS;
        x[c] -= ((s[0] + s[1]) + (s[2] + s[3])) + (s[4] + s[5]);
    }
}

static void solve_lower(const CnBlockCholesky* factor) {
    for (int k = 0; k < factor->block_count; ++k) {
        double* y = factor->work[k];
        multiply_lower(factor->diagonal[k], y);
        for (int e = factor->start[k]; e < factor->start[k + 1]; ++e) {
            double* below = factor->work[factor->row[e]];
            for (int c = 0; c < ROWS; ++c) {
                for (int r = 0; r < ROWS; ++r) {
                    below[r] -= factor->below[e][c * ROWS + r] * y[c];
                }
            }
        }
    }
}

static void solve_upper(const CnBlockCholesky* factor) {
    for (int k = factor->block_count - 1; k >= 0; --k) {
        subtract_column(factor, k, factor->work[k]);
        multiply_upper(factor->diagonal[k], factor->work[k]);
    }
}

const CnCholeskyPasses cn_cholesky_passes_plain = {eliminate, solve_lower, solve_upper};

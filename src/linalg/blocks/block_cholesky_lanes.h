// block_cholesky_lanes.h - passes over a block Cholesky factor, for one width of registers.
//
// block_cholesky_plain.c is the scalar reference; tests compare the two bit by bit. Six numbers are
// one and a half registers of four: two columns of a block are taken together, as three of them.
#include "linalg/blocks/block_cholesky.h"
#include "math/simd.h"

#define ROWS CN_CHOLESKY_ROWS
#define PARTS 9 // of a block: three of each two columns

// The same six numbers for two columns: 0 to 3, 4 5 0 1, 2 to 5.
typedef struct TwoColumns {
    CnDouble4 part[3];
} TwoColumns;

CN_LANE_FUNCTION TwoColumns load_twice(const double* x) {
    return (TwoColumns){
        {cn_double4_load(x), (CnDouble4){x[4], x[5], x[0], x[1]}, cn_double4_load(x + 2)}};
}

CN_LANE_FUNCTION void load_block(const double* block, CnDouble4 out[PARTS]) {
    CN_UNROLLED for (int i = 0; i < PARTS; ++i) {
        out[i] = cn_double4_load(block + 4 * i);
    }
}

// to -= x y^T
CN_LANE_FUNCTION void subtract_product(double* to, const double* x, const double* y) {
    CnDouble4 sum[PARTS];
    load_block(to, sum);
    CN_UNROLLED for (int k = 0; k < ROWS; ++k) {
        TwoColumns column = load_twice(x + k * ROWS);
        CN_UNROLLED for (int pair = 0; pair < 3; ++pair) {
            double a = y[k * ROWS + 2 * pair], b = y[k * ROWS + 2 * pair + 1];
            CnDouble4* own = sum + 3 * pair;
            own[0] = own[0] - column.part[0] * a;
            own[1] = own[1] - column.part[1] * (CnDouble4){a, a, b, b};
            own[2] = own[2] - column.part[2] * b;
        }
    }
    CN_UNROLLED for (int i = 0; i < PARTS; ++i) {
        cn_double4_store(sum[i], to + 4 * i);
    }
}

static CN_LANE_TARGET void eliminate_blocks(CnBlockCholesky* factor, int k) {
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

// Six numbers as four and two.
typedef struct FourAndTwo {
    CnDouble4 four;
    CnDouble2 two;
} FourAndTwo;

CN_LANE_FUNCTION FourAndTwo load_four_and_two(const double* x) {
    FourAndTwo out = {.four = cn_double4_load(x)};
    memcpy(&out.two, x + 4, sizeof out.two);
    return out;
}

CN_LANE_FUNCTION void store_four_and_two(FourAndTwo x, double* to) {
    cn_double4_store(x.four, to);
    memcpy(to + 4, &x.two, sizeof x.two);
}

// x <- inverse x
CN_LANE_FUNCTION void multiply_lower(const double* inverse, double* x) {
    FourAndTwo out = {.four = {0.0}};
    CN_UNROLLED for (int c = 0; c < ROWS; ++c) {
        FourAndTwo column = load_four_and_two(inverse + c * ROWS);
        out.four = out.four + column.four * x[c];
        out.two = out.two + column.two * x[c];
    }
    store_four_and_two(out, x);
}

// x <- inverse^T x
CN_LANE_FUNCTION void multiply_upper(const double* inverse, double* x) {
    for (int c = 0; c < ROWS; ++c) {
        double sum = 0.0;
        for (int r = c; r < ROWS; ++r) {
            sum += inverse[c * ROWS + r] * x[r];
        }
        x[c] = sum;
    }
}

static CN_LANE_TARGET void solve_lower(const CnBlockCholesky* factor) {
    for (int k = 0; k < factor->block_count; ++k) {
        double* y = factor->work[k];
        multiply_lower(factor->diagonal[k], y);
        for (int e = factor->start[k]; e < factor->start[k + 1]; ++e) {
            double* below = factor->work[factor->row[e]];
            FourAndTwo sum = load_four_and_two(below);
            CN_UNROLLED for (int c = 0; c < ROWS; ++c) {
                FourAndTwo column = load_four_and_two(factor->below[e] + c * ROWS);
                sum.four = sum.four - column.four * y[c];
                sum.two = sum.two - column.two * y[c];
            }
            store_four_and_two(sum, below);
        }
    }
}

// x -= sum over the column of L^T y
CN_LANE_FUNCTION void subtract_column(const CnBlockCholesky* factor, int k, double* x) {
    CnDouble4 sum[PARTS] = {{0.0}};
    double all[CN_CHOLESKY_NUMBERS];
    for (int e = factor->start[k]; e < factor->start[k + 1]; ++e) {
        CnDouble4 block[PARTS];
        TwoColumns y = load_twice(factor->work[factor->row[e]]);
        load_block(factor->below[e], block);
        CN_UNROLLED for (int i = 0; i < PARTS; ++i) {
            sum[i] = sum[i] + block[i] * y.part[i % 3];
        }
    }
    memcpy(all, sum, sizeof all);
    for (int c = 0; c < ROWS; ++c) {
        const double* s = all + c * ROWS;
        x[c] -= ((s[0] + s[1]) + (s[2] + s[3])) + (s[4] + s[5]);
    }
}

static CN_LANE_TARGET void solve_upper(const CnBlockCholesky* factor) {
    for (int k = factor->block_count - 1; k >= 0; --k) {
        subtract_column(factor, k, factor->work[k]);
        multiply_upper(factor->diagonal[k], factor->work[k]);
    }
}

#define CHOLESKY_PASSES                                                                            \
    { eliminate_blocks, solve_lower, solve_upper }

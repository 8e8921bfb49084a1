// block_cholesky.h - sparse Cholesky factor of a positive definite matrix of 6 x 6 blocks.
//
//     cn_block_cholesky_plan(&factor, n, count, first, second, limit, scratch, arena);
//     cn_block_cholesky_clear(&factor);
//     cn_block_cholesky_add(&factor, a, b, x);                           numbers, block by block
//     cn_block_cholesky_factor(&factor);
//     cn_block_cholesky_solve(&factor, x);                               as often as wanted
//
// The matrix is summed up where its factor will be. docs/theory/linalg.md (21)-(23).
#pragma once

#include "base/arena.h"

#define CN_CHOLESKY_ROWS 6
#define CN_CHOLESKY_NUMBERS (CN_CHOLESKY_ROWS * CN_CHOLESKY_ROWS)

typedef struct CnBlockCholesky {
    int block_count;
    int* place; // when each block is eliminated   [block_count]
    int* start; // blocks below the diagonal, by columns [block_count+1]
    int* row;   // their places, ascending   [start[block_count]]
    double (*diagonal)[CN_CHOLESKY_NUMBERS]; // factor: inverse of the lower triangle [block_count]
    double (*below)[CN_CHOLESKY_NUMBERS];    // column-major   [start[block_count]]
    double (*work)[CN_CHOLESKY_ROWS];        // [block_count]
    double multiplications;                  // of one factorisation and one solution
} CnBlockCholesky;

// Pairs (first[i], second[i]) of blocks that meet, in any order, repeated or not. What is kept
// comes from the arena, the rest from scratch, which may be the same. CN_UNSUPPORTED: factoring and
// solving once take more multiplications than the limit; no memory was taken for them.
CnStatus cn_block_cholesky_plan(CnBlockCholesky* factor, int block_count, int pair_count,
                                const int* first, const int* second, double limit, CnArena* scratch,
                                CnArena* arena);

void cn_block_cholesky_clear(CnBlockCholesky* factor);

// A_ab += x, and A_ba += x^T where a and b differ; x is column-major, and symmetric where a = b.
void cn_block_cholesky_add(CnBlockCholesky* factor, int a, int b,
                           const double x[CN_CHOLESKY_NUMBERS]);

// False when a pivot is not above round_off times the diagonal entry that it began as: the matrix
// is singular to that precision, and must be summed up anew.
bool cn_block_cholesky_factor(CnBlockCholesky* factor, double round_off);

// x = A^-1 x   [6 block_count]
void cn_block_cholesky_solve(const CnBlockCholesky* factor, double* x);

// What takes the time, for one width of registers and one number after the other, to the same bits:
// block_cholesky_lanes.h, block_cholesky_plain.c.
typedef struct CnCholeskyPasses {
    // What is left of the matrix behind column k, which is that of the factor already.
    void (*eliminate)(CnBlockCholesky* factor, int k);
    void (*solve_lower)(const CnBlockCholesky* factor); // work = L^-1 work
    void (*solve_upper)(const CnBlockCholesky* factor); // work = L^-T work
} CnCholeskyPasses;
extern const CnCholeskyPasses cn_cholesky_passes_plain, cn_cholesky_passes_128,
    cn_cholesky_passes_256;

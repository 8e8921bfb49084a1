// block_rows.h - a square matrix of small blocks by block rows; values need not be symmetric.
//
// The pattern is symmetric: where block (a, b) is stored, so is (b, a). Coupling
// through bodies has such a pattern, and symbolic analysis needs only the pattern.
#pragma once

#include "linalg/blocks/block_matrix.h"

typedef struct CnBlockRows {
    int block_count, row_count;
    int* first_row;   // rows of block a: first_row[a] .. first_row[a+1]   [block_count + 1]
    int* start;       // block row a: entries start[a] .. start[a+1]   [block_count + 1]
    int* column;      // ascending in a block row; a itself is among them   [start[block_count]]
    int* diagonal;    // entry of (a, a)   [block_count]
    int* mirror;      // entry of (b, a) for entry (a, b)   [start[block_count]]
    size_t* position; // of an entry's numbers in value   [start[block_count] + 1]
    double* value;    // row-major, rows of a by rows of the column; zero at first
} CnBlockRows;

// block_rows[b] is the number of rows of block b, 1..6.
CnStatus cn_block_rows_init(CnBlockRows* matrix, const CnBlockGraph* graph, const int* block_rows,
                            CnArena* arena);

// A copy with its own values; the pattern is shared.
CnStatus cn_block_rows_copy(const CnBlockRows* matrix, CnArena* arena, CnBlockRows* copy);

// Both triangles of a symmetric matrix.
CnStatus cn_block_rows_from_symmetric(const CnBlockMatrix* symmetric, CnArena* arena,
                                      CnBlockRows* matrix);

// (A + A^T) / 2, and how far A is from it: the largest |A_ij - A_ji| / sqrt(A_ii A_jj).
CnStatus cn_block_rows_to_symmetric(const CnBlockRows* matrix, CnArena* arena,
                                    CnBlockMatrix* symmetric, double* asymmetry);

// y = A x
void cn_block_rows_multiply(const CnBlockRows* matrix, const double* x, double* y);

// y = A x for the rows of block a alone; y has as many numbers as the block has rows.
void cn_block_rows_multiply_block(const CnBlockRows* matrix, int a, const double* x, double* y);

// The entry (a, b), which is stored.
int cn_block_rows_find(const CnBlockRows* matrix, int a, int b);

// Number of stored entries.
size_t cn_block_rows_numbers(const CnBlockRows* matrix);

// The numbers of block (a, a), row-major.
double* cn_block_rows_diagonal(const CnBlockRows* matrix, int a);

// A <- L A R with diagonal matrices L and R; NULL is the identity.
void cn_block_rows_scale(CnBlockRows* matrix, const double* left, const double* right);

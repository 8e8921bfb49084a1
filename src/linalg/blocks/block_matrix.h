// block_matrix.h - a symmetric sparse matrix of small dense blocks.
#pragma once

#include "linalg/sparse.h"

// Block (a, b) with a > b is stored in block column b, after the diagonal block (b, b).
typedef struct CnBlockMatrix {
    int block_count, row_count;
    int* first_row;   // rows of block b: first_row[b] .. first_row[b+1]   [block_count + 1]
    int* start;       // block column b: entries start[b] .. start[b+1]   [block_count + 1]
    int* block_row;   // ascending in a column, the diagonal first   [start[block_count]]
    size_t* position; // of an entry's numbers in value   [start[block_count] + 1]
    double* value;    // row-major, rows of block_row by rows of b; zero at first
} CnBlockMatrix;

// Which blocks are coupled: b with those of neighbor[start[b] .. start[b+1]), all > b and
// ascending.
typedef struct CnBlockGraph {
    int block_count;
    int* start;    // [block_count + 1]
    int* neighbor; // [start[block_count]]
} CnBlockGraph;

// block_rows[b] is the number of rows of block b, 1..6.
CnStatus cn_block_matrix_init(CnBlockMatrix* matrix, const CnBlockGraph* graph,
                              const int* block_rows, CnArena* arena);

// y = A x
void cn_block_matrix_multiply(const CnBlockMatrix* matrix, const double* x, double* y);

// The rows and columns for which keep is true (NULL: all) as a sparse matrix, in their order.
// CN_NO_MEMORY also when an int cannot count the elements.
CnStatus cn_block_matrix_to_sparse(const CnBlockMatrix* matrix, const bool* keep, CnArena* arena,
                                   CnSparse* sparse);

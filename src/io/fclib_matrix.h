// fclib_matrix.h - the sparse matrices of FCLib files, whichever way they are stored.
#pragma once

#include "io/hdf5_file.h"

// By compressed rows.
typedef struct CnFclibMatrix {
    int rows, columns;
    int* start;    // entries of row i: start[i] .. start[i+1]   [rows + 1]
    int* column;   // ascending in a row   [start[rows]]
    double* value; // none is zero   [start[rows]]
} CnFclibMatrix;

// The matrix of the group at `path`, which must be rows x columns. Entries given twice are summed.
// False after a complaint.
bool cn_fclib_matrix_read(CnHdf5* file, const char* path, int rows, int columns,
                          CnFclibMatrix* matrix);

// Entries in any order.
typedef struct CnFclibEntries {
    int count;
    const int *row, *column;
    const double* value;
} CnFclibEntries;

// Sorts, sums and drops zeros. False: no memory.
bool cn_fclib_matrix_gather(int rows, int columns, const CnFclibEntries* entries, CnArena* arena,
                            CnFclibMatrix* matrix);

bool cn_fclib_matrix_transpose(const CnFclibMatrix* a, CnArena* arena, CnFclibMatrix* transposed);

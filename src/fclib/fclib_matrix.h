// fclib_matrix.h - the sparse matrices of FCLib files in any storage.
#pragma once

#include "fclib/hdf5_file.h"
#include "linalg/sparse_rows.h"

// The matrix of the group at `path`, which must be rows x columns. Repeated entries are summed,
// zeros are dropped. false after an error was reported.
bool cn_fclib_matrix_read(CnHdf5* file, const char* path, int rows, int columns,
                          CnSparseRows* matrix);

// lu_partial_solve.h - selected rows of several solutions, visiting only the fronts they need.
#pragma once

#include "linalg/lu/lu.h"

// Selected rows of A^-1 B, for B that is zero in all other rows: only fronts on the path from these
// rows to the root of the elimination tree are visited. value[i * columns + c] belongs to rows[i]
// and column c, B in, solution out; the rows belong to blocks of one row each.
//
// scratch has cn_lu_partial_scratch() numbers, zero before and after.
void cn_lu_solve_partial(CnLu* lu, int count, const int* rows, int columns, double* value,
                         double* scratch);
size_t cn_lu_partial_scratch(const CnLu* lu, int columns);

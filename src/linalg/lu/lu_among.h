// lu_among.h - a few rows of several solutions at once, with as little of a sparse LU as they need.
#pragma once

#include "linalg/lu/lu.h"

// The parts of A^-1 B in some rows, for B that is zero outside them: only fronts on the way from
// these rows to the roots are visited. value[i * columns + c] is that of rows[i] in column c, B in,
// solution out; the rows belong to blocks of one row each.
//
// scratch has cn_lu_among_scratch() numbers, zero before and after.
void cn_lu_solve_among(CnLu* lu, int count, const int* rows, int columns, double* value,
                       double* scratch);
size_t cn_lu_among_scratch(const CnLu* lu, int columns);

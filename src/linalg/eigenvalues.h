// eigenvalues.h - all eigenvalues of a dense symmetric matrix.
#pragma once

#include "base/arena.h"

// value: the eigenvalues, ascending   [n]. Only the lower triangle of a is read; a is destroyed.
// Each is right to about n epsilon of the largest. docs/theory/linalg.md (24)-(26).
// False when the QL iteration does not end, which finite matrices do not do.
bool cn_eigenvalues_symmetric(int n, double* a, double* value, double* scratch);

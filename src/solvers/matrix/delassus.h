// delassus.h - assembles the Delassus matrix W = J M^-1 J^T + compliance, in blocks.
#pragma once

#include "cairn/problem.h"
#include "linalg/blocks/block_matrix.h"

// W = J M^-1 J^T + compliance. Block (a, b) is stored when a and b share a movable body.
CnStatus cn_delassus_assemble(const CnProblem* problem, CnArena* arena, CnBlockMatrix* w);

// b = target - J v_free, so that u = W p - b   [row_count]
void cn_delassus_right(const CnProblem* problem, double* right);

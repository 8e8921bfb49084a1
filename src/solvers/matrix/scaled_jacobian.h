// scaled_jacobian.h - J L with M^-1 = L L^T: rows in which every body has unit mass.
#pragma once

#include "base/arena.h"
#include "cairn/problem.h"

// For each row J L of body a, then of body b; zero for the world and for immovable bodies. Where
// blocks have a second pair, as many rows follow: of body c, then of body d. The problem has
// bodies. docs/theory/solvers/nsgs.md (1)-(3).
CnStatus cn_scaled_jacobian(const CnProblem* problem, CnArena* arena, double (**jacobian)[12]);

// Which row of the array, and where in it: the part of a row on one side of its block.
static inline const double* cn_scaled_side(const CnProblem* problem, const double (*jacobian)[12],
                                           int row, int side) {
    return jacobian[row + (side < 2 ? 0 : problem->row_count)] + 6 * (side % 2);
}

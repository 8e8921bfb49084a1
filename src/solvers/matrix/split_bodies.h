// split_bodies.h - splits bodies with many joints to keep factorisations sparse.
//
// All rows on a body are coupled in W, so a hub (a body with many joints, k) causes a fill-in of
// k^2 entries. Split into parts of equal mass, each with a few of the joints, and welded into a
// tree, it causes k. The motion and the impulses of the joints stay the same.
// docs/theory/solvers/direct.md (7), (8).
#pragma once

#include "linalg/ldlt.h"
#include "solvers/pivot/box_lcp.h"

// *split is *problem itself when it has no hub. Else its first blocks and rows are those of the
// problem, and the welds come after them.
CnStatus cn_split_bodies(const CnProblem* problem, CnArena* arena, CnProblem* split);

// The block of the problem to report for a redundant row of the split problem: its own, or for a
// weld the block with the largest share in the dependency. z is scratch   [box->n]
int cn_split_bodies_redundant_block(const CnBoxLcp* box, const CnLdlt* ldlt, int row,
                                    int block_count, double* z);

// hubs.h - bodies that many blocks meet, taken apart so that factorisations stay sparse.
//
// All rows that meet at a body are coupled in W. A hub with k joints fills k^2 entries; cut into
// parts of equal mass, each with a few of the joints, and welded into a tree, it fills k. The
// motion and the impulses of the joints are the same. docs/theory/direct.md (7), (8).
#pragma once

#include "linalg/ldlt.h"
#include "solvers/pivot/box.h"

// *split is *problem itself when it has no hub. Else its first blocks and rows are those of the
// problem, and the welds come after them.
CnStatus cn_hubs_split(const CnProblem* problem, CnArena* arena, CnProblem* split);

// The block of the problem to name for a redundant row of the split one: its own, or for a weld the
// block with the largest share in the dependency. z is scratch   [box->n]
int cn_hubs_blame(const CnBox* box, const CnLdlt* ldlt, int row, int block_count, double* z);

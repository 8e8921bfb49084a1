// spin.h - the spin of a body whose angular momentum is given where that spin takes it.
#pragma once

#include "math/mat3.h"

// Solves exp(h W) J W = momentum for W: all vectors in the axes the body has before it turns by
// h W. docs/theory/implicit.md (4), (5). The best spin found, if the equation resists: what is
// missing shows in the ledger of whoever uses it.
CnVec3 cn_spin_of_momentum(const CnMat3* inertia, CnVec3 guess, CnVec3 momentum, double h);

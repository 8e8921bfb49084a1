// spin.h - spins of given angular momenta, and turns of more than half a turn.
#pragma once

#include "math/mat3.h"

// Solves exp(h W) J W = momentum for W: all vectors in the axes the body has before it turns by
// h W. docs/theory/implicit.md (4), (5). The best spin found, if the equation resists: what is
// missing shows in the ledger of whoever uses it.
CnVec3 cn_spin_of_momentum(const CnMat3* inertia, CnVec3 guess, CnVec3 momentum, double h);

// Of the turns that lead from one rotation to another, the one nearest to a turn by the given
// vector: what a body does between is told as one turn about one axis,
// docs/theory/collision/continuous.md (1).
CnVec3 cn_turn_near(CnQuat from, CnQuat to, CnVec3 near);

// The turn from one rotation to another, which is about `turn` and another one, `added`, that is
// small: beyond half a turn the rotations at its ends do not tell it.
CnVec3 cn_turn_between(CnQuat from, CnQuat to, CnVec3 turn, CnVec3 added);

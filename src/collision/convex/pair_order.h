// pair_order.h - which of two shapes a pair function is told first, whoever asks.
#pragma once

#include "geometry/shape.h"

// A direction in a shape's own axes by which equal shapes are ordered: docs/theory/sat.md (10).
// The weights are sqrt(2) - 1, sqrt(3) - 1 and 1, of which no sum with whole factors is 0: no
// simple attitude makes them cancel.
static inline CnVec3 cn_pair_weights(void) {
    return cn_vec3(0.41421356237309505, 0.73205080756887729, 1.0);
}

// Whether B goes before A: two shapes of one type in an order that hangs on the shapes and on how
// they lie, not on who is called A. It does not change while they rest. docs/theory/sat.md (10).
bool cn_pair_is_reversed(CnPlacedShape a, CnPlacedShape b);

// The same for those who know how far A and B see each other along the weights, (10) [m].
bool cn_pair_is_reversed_if(const CnShape* a, const CnQuat* turn_a, const CnShape* b,
                            const CnQuat* turn_b, double seen);

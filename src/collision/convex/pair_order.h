// pair_order.h - the order of two shapes, independent of which is passed as A.
#pragma once

#include "geometry/shape.h"

// A direction in a shape's own axes by which equal shapes are ordered: docs/theory/collision/sat.md
// (10). The weights are sqrt(2) - 1, sqrt(3) - 1 and 1, of which no sum with whole factors is 0: no
// simple attitude makes them cancel.
static inline CnVec3 cn_pair_weights(void) {
    return cn_vec3(0.41421356237309505, 0.73205080756887729, 1.0);
}

// Whether B goes before A: the order of two shapes of one type depends on the shapes and their
// relative pose, not on which is passed as A. It does not change while they rest.
// docs/theory/collision/sat.md (10).
bool cn_pair_is_reversed(CnPlacedShape a, CnPlacedShape b);

// The same where `seen`, the sum of (10) along the weights, is already known [m].
bool cn_pair_is_reversed_if(const CnShape* a, const CnQuat* turn_a, const CnShape* b,
                            const CnQuat* turn_b, double seen);

// free_rotation.h - how a body turns when no moment acts on it: docs/theory/moreau.md (18), (21).
#pragma once

#include "math/mat3.h"

// The rotation from the axes of a body after the time h to those it has now; spin, in body axes
// [rad/s], becomes that after the time h. Energy and angular momentum are kept to round-off at any
// h, any spin and any inertia.
CnQuat cn_free_rotation(const CnMat3* inertia, const CnMat3* inverse, double h, CnVec3* spin);

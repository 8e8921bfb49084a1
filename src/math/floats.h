// floats.h - vectors in single precision.
#pragma once

#include "cairn/math.h"

static inline void cn_vec3_to_floats(CnVec3 v, float to[3]) {
    to[0] = (float)v.x;
    to[1] = (float)v.y;
    to[2] = (float)v.z;
}

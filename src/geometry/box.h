// box.h - boxes along the axes of a frame.
#pragma once

#include "cairn/math.h"

typedef struct CnBounds {
    CnVec3 low, high; // may be infinite [m]
} CnBounds;

static inline CnBounds cn_bounds_of_point(CnVec3 p) {
    return (CnBounds){p, p};
}

static inline CnBounds cn_bounds_union(const CnBounds* a, const CnBounds* b) {
    return (CnBounds){
        cn_vec3(fmin(a->low.x, b->low.x), fmin(a->low.y, b->low.y), fmin(a->low.z, b->low.z)),
        cn_vec3(fmax(a->high.x, b->high.x), fmax(a->high.y, b->high.y), fmax(a->high.z, b->high.z)),
    };
}

static inline CnBounds cn_bounds_of_triangle(const CnVec3 points[3]) {
    CnBounds box = cn_bounds_of_point(points[0]);
    for (int i = 1; i < 3; ++i) {
        CnBounds corner = cn_bounds_of_point(points[i]);
        box = cn_bounds_union(&box, &corner);
    }
    return box;
}

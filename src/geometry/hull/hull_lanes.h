// hull_lanes.h - columns of a convex polyhedron, several entries at a time.
//
// The file that includes it says how many: math/lanes.h. CN_HULL_LANES is a multiple of that.
#pragma once

#include "geometry/hull/hull.h"
#include "math/lanes.h"

CN_LANE_FUNCTION CnLanes either(CnLaneBits first, CnLanes x, CnLanes y) {
#if defined(__x86_64__) && CN_LANES == 4
    return (CnLanes)_mm256_blendv_pd((__m256d)y, (__m256d)x, (__m256d)first);
#else
    return (CnLanes)(((CnLaneBits)x & first) | ((CnLaneBits)y & ~first));
#endif
}

// One bit for each lane, the first the lowest.
CN_LANE_FUNCTION unsigned bits(CnLaneBits answers) {
#if defined(__x86_64__) && CN_LANES == 4
    return (unsigned)_mm256_movemask_pd((__m256d)answers);
#elif defined(__x86_64__)
    return (unsigned)_mm_movemask_pd((__m128d)answers);
#else
    return (unsigned)(answers[0] & 1) | (unsigned)(answers[1] & 2);
#endif
}

// x > y ? x : y, one instruction where there is one: loops wait for it.
CN_LANE_FUNCTION CnLanes larger(CnLanes x, CnLanes y) {
#if defined(__x86_64__) && CN_LANES == 4
    return (CnLanes)_mm256_max_pd((__m256d)x, (__m256d)y);
#elif defined(__x86_64__)
    return (CnLanes)_mm_max_pd((__m128d)x, (__m128d)y);
#else
    return either(x > y, x, y);
#endif
}

// Columns of vectors, and one for all of them.
typedef struct Products {
    const double *x, *y, *z;
    CnLanes along_x, along_y, along_z;
} Products;

CN_LANE_FUNCTION Products products(const double* x, const double* y, const double* z,
                                   CnVec3 along) {
    return (Products){x, y, z, cn_lanes(along.x), cn_lanes(along.y), cn_lanes(along.z)};
}

CN_LANE_FUNCTION CnLanes product(const Products* of, int i) {
    return of->along_x * cn_lanes_load(of->x + i) + of->along_y * cn_lanes_load(of->y + i) +
           of->along_z * cn_lanes_load(of->z + i);
}

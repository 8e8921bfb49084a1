// hull_lanes.h - columns of a convex polyhedron, several entries at a time.
//
// The file that includes it says how many: math/simd.h. CN_HULL_LANES is a multiple of that.
#pragma once

#include "geometry/hull/hull.h"
#include "math/simd.h"

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

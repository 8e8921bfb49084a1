// round.h - what the pairs with balls, capsules and cylinders share.
#pragma once

#include "collision/closest.h"
#include "collision/collide.h"

// Pairs are computed from A's position: far from the world's origin the difference of two
// positions is exact where the positions themselves are coarse.

static inline CnVec3 cn_placed_axis(CnPlacedShape placed) {
    return cn_quat_rotate(placed.pose.rotation, cn_vec3(0.0, 0.0, 1.0));
}

// The axis of a capsule or cylinder, counted from origin.
static inline CnSegment cn_placed_segment(CnPlacedShape placed, CnVec3 origin) {
    CnVec3 middle = cn_vec3_sub(placed.pose.position, origin);
    CnVec3 axis = cn_placed_axis(placed);
    return (CnSegment){cn_vec3_add_scaled(middle, -placed.shape->half_length, axis),
                       cn_vec3_add_scaled(middle, placed.shape->half_length, axis)};
}

// The contact of two shapes that are round at the nearest points of their cores: the balls of
// radii ra and rb around them. Nearest points are counted from origin.
static inline CnManifoldPoint cn_round_contact(const CnNearest* nearest, double ra, double rb,
                                               CnVec3 origin, uint32_t feature) {
    double gap = nearest->distance - ra - rb;
    CnVec3 middle = cn_vec3_add_scaled(nearest->point_a, ra + 0.5 * gap, nearest->normal);
    return (CnManifoldPoint){
        .point = cn_vec3_add(origin, middle),
        .normal = nearest->normal,
        .gap = gap,
        .feature = feature,
    };
}

// Keeps the point if it is within margin; returns the new count.
static inline int cn_manifold_keep(CnManifoldPoint point, double margin,
                                   CnManifoldPoint points[CN_MANIFOLD_POINTS], int count) {
    if (!(point.gap <= margin) || count == CN_MANIFOLD_POINTS) {
        return count;
    }
    points[count] = point;
    return count + 1;
}

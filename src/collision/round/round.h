// round.h - functions shared by pairs with balls, capsules and cylinders.
#pragma once

#include "collision/collide.h"
#include "collision/round/closest.h"

// Pairs are computed relative to A's position: far from the world's origin the difference of two
// positions is exact while the positions are coarse. They are computed in A's axes, so that
// arbitrary choices rotate with A.

static inline CnVec3 cn_placed_axis(CnPlacedShape placed) {
    return cn_quat_rotate(placed.pose.rotation, cn_vec3(0.0, 0.0, 1.0));
}

// The axis of a capsule or cylinder, relative to origin.
static inline CnSegment cn_placed_segment(CnPlacedShape placed, CnVec3 origin) {
    CnVec3 middle = cn_vec3_sub(placed.pose.position, origin);
    CnVec3 axis = cn_placed_axis(placed);
    return (CnSegment){cn_vec3_add_scaled(middle, -placed.shape->half_length, axis),
                       cn_vec3_add_scaled(middle, placed.shape->half_length, axis)};
}

// The same in the frame.
static inline CnSegment cn_placed_segment_in(CnPlacedShape placed, CnTransform frame) {
    CnVec3 across = cn_vec3_sub(placed.pose.position, frame.position);
    CnQuat turn = cn_quat_multiply(cn_quat_conjugate(frame.rotation), placed.pose.rotation);
    CnPlacedShape seen = {placed.shape, {cn_quat_unrotate(frame.rotation, across), turn}};
    return cn_placed_segment(seen, cn_vec3(0.0, 0.0, 0.0));
}

// The contact of two round shapes: balls of radii ra and rb around the nearest points of their
// cores, which are in the frame.
static inline CnManifoldPoint cn_round_contact(const CnNearest* nearest, double ra, double rb,
                                               CnTransform frame, uint32_t feature) {
    double gap = nearest->distance - ra - rb;
    CnVec3 middle = cn_vec3_add_scaled(nearest->point_a, ra + 0.5 * gap, nearest->normal);
    return (CnManifoldPoint){
        .point = cn_transform_point(frame, middle),
        .normal = cn_quat_rotate(frame.rotation, nearest->normal),
        .gap = gap,
        .feature = feature,
    };
}

// The contact of a ball A, whose surface is `gap` from B along the unit vector `outward` of B's
// frame, if that is within margin. Returns the number of points, 0 or 1.
static inline int cn_ball_contact(CnPlacedShape a, CnPlacedShape b, CnVec3 outward, double gap,
                                  double margin, CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    if (!(gap <= margin)) {
        return 0;
    }
    CnVec3 normal = cn_vec3_negate(cn_quat_rotate(b.pose.rotation, outward));
    points[0] = (CnManifoldPoint){
        .point = cn_vec3_add_scaled(a.pose.position, a.shape->radius + 0.5 * gap, normal),
        .normal = normal,
        .gap = gap,
    };
    return 1;
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

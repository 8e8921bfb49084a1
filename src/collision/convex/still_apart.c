// still_apart.c - whether two shapes are still separated along a remembered axis.
#include "collision/convex/still_apart.h"

#include "geometry/support.h"

// The support of a shape along an axis, relative to a common origin [m times the axis' length].
static double reach(CnPlacedShape placed, CnVec3 from, CnVec3 axis, double length) {
    CnVec3 local = cn_quat_unrotate(placed.pose.rotation, axis);
    CnVec3 farthest = cn_shape_support(placed.shape, local);
    return cn_vec3_dot(cn_vec3_sub(placed.pose.position, from), axis) +
           cn_vec3_dot(farthest, local) + length * cn_shape_rounding(placed.shape);
}

bool cn_still_apart(CnPlacedShape a, CnPlacedShape b, CnVec3 axis, double margin) {
    double length = cn_vec3_length(axis);
    if (!(length > 0.0)) {
        return false;
    }
    CnVec3 from = a.pose.position;
    double gap = -reach(b, from, cn_vec3_negate(axis), length) - reach(a, from, axis, length);
    double size =
        cn_vec3_length(cn_vec3_sub(b.pose.position, from)) + a.shape->extent + b.shape->extent;
    return gap > length * (margin + CN_APART_SLACK * size);
}

// rim.c - the parts of a cylinder that face a direction.
#include "collision/convex/rim.h"

#include "collision/round/round.h"

// Below this sine of the angle between axis and direction [rad] only round-off decides which point
// of the rim is farthest. Then points fixed to the cylinder are used: they do not move, and no
// point of the rim is farther than the farthest of them by more than 0.3 of this times the radius.
#define UPRIGHT 1e-9

CnCylinderRims cn_cylinder_rims(CnPlacedShape cylinder, CnVec3 direction, CnVec3 origin) {
    CnSegment segment = cn_placed_segment(cylinder, origin);
    CnVec3 axis = cn_placed_axis(cylinder);
    double along = cn_vec3_dot(axis, direction);
    CnVec3 out = cn_vec3_add_scaled(direction, -along, axis);
    double sine = cn_vec3_length(out);
    if (sine <= UPRIGHT) {
        out = cn_quat_rotate(cylinder.pose.rotation, cn_vec3(1.0, 0.0, 0.0));
    } else {
        out = cn_vec3_scale(1.0 / sine, out);
    }
    return (CnCylinderRims){
        .centers = {segment.start, segment.end},
        .axis = axis,
        .facing_out = out,
        .sideways = cn_vec3_cross(axis, out),
        .radius = cylinder.shape->radius,
        .standing = fabs(along) >= sine,
        .facing = along > 0.0 ? 1 : 0,
    };
}

CnVec3 cn_rim_point(const CnCylinderRims* rims, uint32_t end, uint32_t quarter) {
    CnVec3 out = quarter % 2 == 0 ? rims->facing_out : rims->sideways;
    double r = quarter < 2 ? rims->radius : -rims->radius;
    return cn_vec3_add_scaled(rims->centers[end], r, out);
}

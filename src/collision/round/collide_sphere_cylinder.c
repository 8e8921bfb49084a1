// collide_sphere_cylinder.c - a ball against a cylinder, in the half plane of its centre and axis.
#include "collision/collide_pairs.h"
#include "collision/round/round.h"

// In the half plane through the axis and the point, the cylinder is the rectangle: distance from
// the axis <= radius, |z| <= half_length. `outward` points from the nearest point of the surface to
// the point, or away from the point if that is inside. Ties: a cap before the side, the upper cap
// before the lower one.
static double distance_to_cylinder(CnVec3 p, const CnShape* cylinder, CnVec3* outward) {
    double tie = CN_TOUCHING * cylinder->extent;
    double from_axis = sqrt(p.x * p.x + p.y * p.y);
    // On the axis all sides are equally near: always take x.
    CnVec3 radial =
        from_axis > tie ? cn_vec3(p.x / from_axis, p.y / from_axis, 0.0) : cn_vec3(1.0, 0.0, 0.0);
    CnVec3 axial = cn_vec3(0.0, 0.0, p.z < -tie ? -1.0 : 1.0);
    double beside = from_axis - cylinder->radius;
    double above = fabs(p.z) - cylinder->half_length;

    if (beside > 0.0 && above > 0.0 && fmax(beside, above) > tie) { // nearest to the rim
        double distance = sqrt(beside * beside + above * above);
        *outward =
            cn_vec3_add_scaled(cn_vec3_scale(beside / distance, radial), above / distance, axial);
        return distance;
    }
    *outward = above >= beside - tie ? axial : radial; // nearest to a cap, or to the side
    return fmax(above, beside);
}

int cn_collide_sphere_cylinder(CnPlacedShape a, CnPlacedShape b, double margin,
                               CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnVec3 outward;
    CnVec3 center =
        cn_quat_unrotate(b.pose.rotation, cn_vec3_sub(a.pose.position, b.pose.position));
    double gap = distance_to_cylinder(center, b.shape, &outward) - a.shape->radius;
    return cn_ball_contact(a, b, outward, gap, margin, points);
}

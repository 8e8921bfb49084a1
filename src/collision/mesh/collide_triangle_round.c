// collide_triangle_round.c - a ball or a capsule against one triangle.
#include "collision/collide_pairs.h"
#include "collision/round/closest.h"
#include "collision/round/round.h"

// A triangle placed by cn_triangle_place(): a hull of three vertices about the first.
static CnVec3 corner(CnPlacedShape triangle, int i) {
    return cn_vec3_add(triangle.pose.position, triangle.shape->hull->vertices[i]);
}

static CnVec3 front(CnPlacedShape triangle) {
    return triangle.shape->hull->faces[0].normal;
}

// Whether the projection of p onto the plane is inside the triangle.
static bool is_over(CnPlacedShape triangle, CnVec3 p) {
    for (int i = 0; i < 3; ++i) {
        CnVec3 from = corner(triangle, i);
        CnVec3 along = cn_vec3_sub(corner(triangle, (i + 1) % 3), from);
        CnVec3 outward = cn_vec3_cross(along, front(triangle));
        if (cn_vec3_dot(outward, cn_vec3_sub(p, from)) > 0.0) {
            return false;
        }
    }
    return true;
}

static CnVec3 nearest_on_sides(CnPlacedShape triangle, CnVec3 p) {
    CnVec3 best = corner(triangle, 0);
    double least = HUGE_VAL;
    for (int i = 0; i < 3; ++i) {
        CnSegment side = {corner(triangle, i), corner(triangle, (i + 1) % 3)};
        CnVec3 q = cn_segment_at(side, cn_closest_on_segment(side, p));
        double distance = cn_vec3_length(cn_vec3_sub(p, q));
        if (distance < least) {
            least = distance;
            best = q;
        }
    }
    return best;
}

// Over the triangle the normal is that of the triangle. From behind it is the opposite direction,
// which is never accepted: docs/theory/collision/meshes.md (1).
int cn_collide_triangle_sphere(CnPlacedShape a, CnPlacedShape b, double margin,
                               CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnVec3 center = b.pose.position, normal = front(a);
    double distance = cn_vec3_dot(normal, cn_vec3_sub(center, a.pose.position));
    if (!is_over(a, center)) {
        CnVec3 across = cn_vec3_sub(center, nearest_on_sides(a, center));
        distance = cn_vec3_length(across);
        normal = distance > 0.0 ? cn_vec3_normalize(across) : normal;
    } else if (distance < 0.0) {
        normal = cn_vec3_negate(normal);
    }
    double gap = distance - b.shape->radius;
    CnManifoldPoint contact = {
        .point = cn_vec3_add_scaled(center, -(b.shape->radius + 0.5 * gap), normal),
        .normal = normal,
        .gap = gap,
    };
    return cn_manifold_keep(contact, margin, points, 0);
}

// An axis that pierces the triangle has no nearest point; its normal is the backward direction.
int cn_collide_triangle_capsule(CnPlacedShape a, CnPlacedShape b, double margin,
                                CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnSegment axis = cn_placed_segment(b, cn_vec3(0.0, 0.0, 0.0));
    double start = cn_vec3_dot(front(a), cn_vec3_sub(axis.start, a.pose.position));
    double end = cn_vec3_dot(front(a), cn_vec3_sub(axis.end, a.pose.position));
    if (!(start * end < 0.0)) {
        return cn_collide_convex(a, b, margin, points);
    }
    CnVec3 crossing = cn_segment_at(axis, start / (start - end));
    if (!is_over(a, crossing)) {
        return cn_collide_convex(a, b, margin, points);
    }
    points[0] = (CnManifoldPoint){
        .point = crossing,
        .normal = cn_vec3_negate(front(a)),
        .gap = fmin(start, end) - b.shape->radius,
    };
    return 1;
}

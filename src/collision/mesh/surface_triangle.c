// surface_triangle.c - one triangle of a surface as a convex shape, and its admissible normals.
#include "collision/mesh/surface_triangle.h"

#include "geometry/support.h"

// Directions whose cosine is this close to 1 are equal: an angle of 1.4 microradians, well above
// the round-off of a normal (1e-10 where shapes almost touch) and below anything that is modelled.
#define SAME_DIRECTION 1e-12

// A corner counts as highest if it is lower by less than this fraction of the longest side: an
// angle of a microradian, as above.
#define AS_HIGH 1e-6

// A neighbour rises above the plane across a normal if its sine is more than this: ten times the
// round-off of a normal.
#define RISES 1e-9

CnPlacedShape cn_triangle_place(const CnTriangle* triangle, CnTriangleShape* storage) {
    static const CnHullEdge edges[3] = {{0, 1, 0, 1}, {1, 2, 0, 1}, {0, 2, 1, 0}};
    static const int loop[6] = {0, 1, 2, 0, 2, 1}, side[6] = {0, 1, 2, 2, 1, 0};
    CnTriangleShape* s = storage;
    s->shape = (CnShape){.type = CN_SHAPE_CONVEX, .local.rotation = cn_quat_identity()};
    for (int i = 0; i < 3; ++i) {
        s->vertices[i] = cn_vec3_sub(triangle->points[i], triangle->points[0]);
        s->edges[i] = edges[i];
        s->shape.extent = fmax(s->shape.extent, cn_vec3_length(s->vertices[i]));
    }
    for (int i = 0; i < 6; ++i) {
        s->loop[i] = loop[i];
        s->side[i] = side[i];
    }
    s->faces[0] = (CnHullFace){triangle->normal, 0.0, 0, 3};
    s->faces[1] = (CnHullFace){cn_vec3_negate(triangle->normal), 0.0, 3, 3};
    s->hull = (CnHull){
        .vertex_count = 3,
        .face_count = 1,
        .edge_count = 3,
        .loop_count = 6,
        .vertices = s->vertices,
        .faces = s->faces,
        .edges = s->edges,
        .loop = s->loop,
        .side = s->side,
        .outer = s->shape.extent,
        .reach = s->shape.extent,
    };
    cn_hull_lay_columns(&s->hull, s->columns);
    s->shape.hull = &s->hull;
    return (CnPlacedShape){&s->shape, {triangle->points[0], cn_quat_identity()}};
}

bool cn_triangle_goes_on(const CnShape* surface, const CnTriangle* triangle, int side) {
    int beyond = triangle->neighbours[side];
    if (beyond < 0) {
        return false;
    }
    CnVec3 normal = cn_surface_triangle(surface, beyond / 3).normal;
    return cn_vec3_dot(normal, triangle->normal) > 1.0 - SAME_DIRECTION;
}

static bool rises(CnVec3 from, CnVec3 to, CnVec3 normal) {
    CnVec3 along = cn_vec3_sub(to, from);
    return cn_vec3_dot(normal, along) > RISES * cn_vec3_length(along);
}

// The corner of the neighbour that is not on the shared side.
static bool neighbour_rises(const CnShape* surface, const CnTriangle* triangle, int side,
                            CnVec3 normal) {
    int beyond = triangle->neighbours[side];
    if (beyond < 0) {
        return false;
    }
    CnTriangle other = cn_surface_triangle(surface, beyond / 3);
    return rises(triangle->points[side], other.points[(beyond % 3 + 2) % 3], normal);
}

// Walks around a corner from triangle to triangle, over the side that leaves it (turn 0) or the one
// that arrives (turn 2). Returns whether any corner on the way rises. Ends at a border or at the
// start.
static bool ring_rises(const CnShape* surface, const CnTriangle* start, int corner, int turn,
                       CnVec3 normal, bool* closed) {
    CnVec3 tip = start->points[corner];
    int side = start->neighbours[(corner + turn) % 3];
    *closed = false;
    while (side >= 0) {
        CnTriangle next = cn_surface_triangle(surface, side / 3);
        if (next.index == start->index) {
            *closed = true;
            return false;
        }
        if (rises(tip, next.points[(side % 3 + 2) % 3], normal)) {
            return true;
        }
        // The walk came over side s: the tip is its end (turn 0) or its start (turn 2).
        int own = turn == 0 ? (side % 3 + 1) % 3 : side % 3;
        side = next.neighbours[(own + turn) % 3];
    }
    return false;
}

static bool corner_rises(const CnShape* surface, const CnTriangle* triangle, int corner,
                         CnVec3 normal) {
    bool closed;
    if (ring_rises(surface, triangle, corner, 0, normal, &closed)) {
        return true;
    }
    return !closed && ring_rises(surface, triangle, corner, 2, normal, &closed);
}

CnNormalRegion cn_triangle_normal_region(const CnShape* surface, const CnTriangle* triangle,
                                         CnVec3 normal) {
    double facing = cn_vec3_dot(normal, triangle->normal);
    if (facing > 1.0 - SAME_DIRECTION) {
        return CN_NORMAL_FACE;
    }
    if (facing < -RISES) {
        return CN_NORMAL_HIDDEN;
    }
    double height[3], top = -HUGE_VAL, longest = 0.0;
    for (int i = 0; i < 3; ++i) {
        CnVec3 along = cn_vec3_sub(triangle->points[i], triangle->points[0]);
        height[i] = cn_vec3_dot(normal, along);
        top = fmax(top, height[i]);
        longest = fmax(longest, cn_vec3_length(along));
    }
    for (int i = 0; i < 3; ++i) { // a side is highest: only the two triangles on it matter
        double lower = fmin(height[i], height[(i + 1) % 3]);
        if (lower >= top - AS_HIGH * longest) {
            bool hidden = neighbour_rises(surface, triangle, i, normal);
            return hidden ? CN_NORMAL_HIDDEN : CN_NORMAL_RIDGE;
        }
    }
    int corner = height[0] == top ? 0 : height[1] == top ? 1 : 2;
    bool hidden = corner_rises(surface, triangle, corner, normal);
    return hidden ? CN_NORMAL_HIDDEN : CN_NORMAL_RIDGE;
}

double cn_triangle_reach(const CnTriangle* triangle, CnPlacedShape convex, double sign) {
    CnVec3 direction = cn_vec3_scale(sign, triangle->normal);
    CnVec3 local = cn_quat_unrotate(convex.pose.rotation, direction);
    CnVec3 far = cn_transform_point(convex.pose, cn_shape_support(convex.shape, local));
    CnVec3 along = cn_vec3_sub(far, triangle->points[0]);
    return cn_vec3_dot(triangle->normal, along) + sign * cn_shape_rounding(convex.shape);
}

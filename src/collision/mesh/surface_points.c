// surface_points.c - contact points of one triangle of a surface.
#include "collision/mesh/surface_points.h"

#include "base/hash.h"
#include "collision/convex/facing.h"
#include "collision/hull/reduce.h"

// A projected point this close to a side, relative to the lengths it comes from, is on it: an angle
// of two microradians, just above that of CN_NORMAL_FACE, so that points with the normal of the
// face count as over the face.
#define ON_SIDE 2e-6

// Keys distinguish normals in steps of a 64th.
#define NORMAL_STEPS 64.0

typedef struct Over {
    const CnTriangle* triangle;
    bool goes_on[3]; // the surface continues in the same plane beyond the side
    double margin;   // [m]
    CnManifoldPoint* points;
    int count;
} Over;

// The key of a point: the feature of the convex shape and, coarsely, the direction of contact, but
// not the triangle. So the key stays the same when the point slides from one triangle to the next,
// and differs between the two sides of a valley.
static uint32_t key_of(CnVec3 normal, uint64_t feature) {
    double parts[3] = {normal.x, normal.y, normal.z};
    uint64_t key = cn_hash_mix(CN_HASH_SEED, feature);
    for (int i = 0; i < 3; ++i) {
        key = cn_hash_mix(key, (uint64_t)(int64_t)floor(NORMAL_STEPS * parts[i] + 0.5));
    }
    return (uint32_t)(key >> 32 ^ key);
}

static uint64_t of_triangle(const CnTriangle* triangle, uint64_t feature) {
    return cn_hash_mix((uint64_t)triangle->index + 1, feature);
}

// A point of the shape, with a ball of the given radius around it.
static void add_over(Over* over, CnVec3 p, double radius, uint64_t feature) {
    const CnTriangle* t = over->triangle;
    double gap = cn_vec3_dot(t->normal, cn_vec3_sub(p, t->points[0])) - radius;
    if (gap <= over->margin) {
        over->points[over->count++] = (CnManifoldPoint){
            .point = cn_vec3_add_scaled(p, -(radius + 0.5 * gap), t->normal),
            .normal = t->normal,
            .gap = gap,
            .feature = key_of(t->normal, feature),
        };
    }
}

// The distance of a point beyond a side, measured in the triangle's plane.
static double beyond(const CnTriangle* t, int side, CnVec3 p) {
    CnVec3 along = cn_vec3_sub(t->points[(side + 1) % 3], t->points[side]);
    CnVec3 outward = cn_vec3_normalize(cn_vec3_cross(along, t->normal));
    return cn_vec3_dot(outward, cn_vec3_sub(p, t->points[side]));
}

static bool is_over(const CnTriangle* t, CnVec3 p, double near) {
    return beyond(t, 0, p) <= near && beyond(t, 1, p) <= near && beyond(t, 2, p) <= near;
}

static void put_point(Over* over, CnPlacedShape ball) {
    const CnTriangle* t = over->triangle;
    CnVec3 center = ball.pose.position;
    double height = fabs(cn_vec3_dot(t->normal, cn_vec3_sub(center, t->points[0])));
    if (is_over(t, center, ON_SIDE * (ball.shape->radius + height))) {
        add_over(over, center, ball.shape->radius, 0);
    }
}

// The part of a segment over the triangle. Where it leaves across a side beyond which the surface
// continues, its end belongs to another triangle.
static void put_line(Over* over, const CnFacing* facing, double near) {
    const CnTriangle* t = over->triangle;
    double enter = 0.0, leave = 1.0;
    int enter_side = -1, leave_side = -1;
    for (int i = 0; i < 3; ++i) {
        double start = beyond(t, i, facing->line.start), end = beyond(t, i, facing->line.end);
        if (start > near && end > near) {
            return;
        }
        if (end > near && -start / (end - start) < leave) {
            leave = -start / (end - start);
            leave_side = i;
        } else if (start > near && start / (start - end) > enter) {
            enter = start / (start - end);
            enter_side = i;
        }
    }
    if (enter > leave) {
        return;
    }
    if (enter_side < 0 || !over->goes_on[enter_side]) {
        uint64_t feature = enter_side < 0 ? 1 : of_triangle(t, (uint64_t)enter_side);
        add_over(over, cn_segment_at(facing->line, enter), facing->radius, feature);
    }
    if (leave_side < 0 || !over->goes_on[leave_side]) {
        uint64_t feature = leave_side < 0 ? 2 : of_triangle(t, (uint64_t)leave_side + 3);
        add_over(over, cn_segment_at(facing->line, leave), facing->radius, feature);
    }
}

// Whether the corner exists only because the triangle ends there while the surface continues.
static bool is_seam(const Over* over, const CnClipCorner* corner) {
    switch (corner->kind) {
    case CN_CORNER_OF_SIDES:
        return over->goes_on[corner->reference];
    case CN_CORNER_OF_REFERENCE:
        return over->goes_on[corner->reference] && over->goes_on[(corner->reference + 2) % 3];
    default:
        return false;
    }
}

static uint64_t vertex_feature(int vertex) {
    return (uint64_t)vertex << 2 | 3u;
}

static uint64_t corner_feature(const Over* over, const CnFacing* facing,
                               const CnClipCorner* corner) {
    uint64_t flat = (uint64_t)facing->feature << 32;
    switch (corner->kind) {
    case CN_CORNER_OF_SIDES:
        return of_triangle(over->triangle, flat | (uint64_t)corner->incident << 4 |
                                               (uint64_t)corner->reference << 2 | 1u);
    case CN_CORNER_OF_REFERENCE:
        return of_triangle(over->triangle, (uint64_t)corner->reference << 2 | 2u);
    default:
        return vertex_feature(corner->incident);
    }
}

static void put_flat(Over* over, const CnFacing* facing, double near) {
    CnPolygon base = {.vertex = {0, 1, 2}, .side = {0, 1, 2}, .count = 3};
    CnClipCorner corners[CN_CLIP_CORNERS];
    for (int i = 0; i < 3; ++i) {
        base.points[i] = over->triangle->points[i];
    }
    int count = cn_clip_face(&base, over->triangle->normal, &facing->polygon, near, corners);
    for (int i = 0; i < count; ++i) {
        if (!is_seam(over, &corners[i])) {
            add_over(over, corners[i].point, 0.0, corner_feature(over, facing, &corners[i]));
        }
    }
}

static bool has_vertex(const CnPolygon* polygon, int vertex) {
    for (int i = 0; i < polygon->count; ++i) {
        if (polygon->vertex[i] == vertex) {
            return true;
        }
    }
    return false;
}

// The face of a hull that faces the triangle most does not always contain all vertices near the
// triangle, or even the lowest one.
static void put_other_vertices(Over* over, CnPlacedShape convex, const CnFacing* facing,
                               double near) {
    const CnHull* hull = convex.shape->hull;
    const CnTriangle* t = over->triangle;
    CnVec3 up = cn_quat_unrotate(convex.pose.rotation, t->normal);
    double height =
        cn_vec3_dot(t->normal, cn_vec3_sub(convex.pose.position, t->points[0])); // of its origin
    for (int i = 0; i < hull->vertex_count && over->count < CN_TRIANGLE_POINTS; ++i) {
        if (height + cn_vec3_dot(up, hull->vertices[i]) > over->margin ||
            has_vertex(&facing->polygon, i)) {
            continue;
        }
        CnVec3 p = cn_transform_point(convex.pose, hull->vertices[i]);
        if (is_over(t, p, near)) {
            add_over(over, p, 0.0, vertex_feature(i));
        }
    }
}

int cn_points_over_triangle(const CnShape* surface, const CnTriangle* triangle,
                            CnPlacedShape convex, double margin,
                            CnManifoldPoint points[CN_TRIANGLE_POINTS]) {
    Over over = {.triangle = triangle, .margin = margin, .points = points};
    CnFacing facing;
    double near = CN_TIE_TOLERANCE * convex.shape->extent;
    for (int i = 0; i < 3; ++i) {
        over.goes_on[i] = cn_triangle_goes_on(surface, triangle, i);
    }
    cn_shape_facing(convex, cn_vec3_negate(triangle->normal), &facing);
    if (facing.kind == CN_FACING_FLAT) {
        put_flat(&over, &facing, near);
        if (convex.shape->type == CN_SHAPE_CONVEX) {
            put_other_vertices(&over, convex, &facing, near);
        }
    } else if (facing.kind == CN_FACING_LINE) {
        put_line(&over, &facing, near);
    } else {
        put_point(&over, convex);
    }
    return over.count;
}

void cn_points_name(const CnTriangle* triangle, CnManifoldPoint* points, int count) {
    for (int i = 0; i < count; ++i) {
        uint64_t feature = (uint64_t)points[i].feature << 8 | 4u;
        points[i].feature = key_of(triangle->normal, of_triangle(triangle, feature));
    }
}

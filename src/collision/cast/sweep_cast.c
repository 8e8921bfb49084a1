// sweep_cast.c - when a shape that moves along a line first touches another.
//
// The distance f of two convex shapes is a convex function of how far one has moved, because it is
// the distance of a point to their Minkowski difference. So the tangent of f is a lower bound, and
// Newton's method, started where the shapes are apart, never passes the first contact. The slope
// comes with the nearest points: f' = -normal . direction. Flat shapes need two or three
// iterations, round ones converge quadratically, and for grazing shapes the error still halves in
// each iteration.
#include "collision/cast/sweep_cast.h"

#include "collision/broad/bounds.h"
#include "collision/convex/distance.h"
#include "collision/mesh/surface_search.h"
#include "collision/mesh/surface_triangle.h"

// A step shorter than this ends the search [m]. It is a tenth of the promised accuracy: the steps
// of grazing shapes only halve, so all remaining steps add up to the last one.
#define LAST_STEP 1e-10

// Shapes closer than this fraction of their size count as touching; otherwise round-off would
// decide whether a shape that slides along another one hits it. Ten times the threshold of the
// choice of normals.
#define TOUCHES (10.0 * CN_TOUCHING)

// Halving 1e6 m down to the last step takes 54 rounds.
#define MAX_ROUNDS 64

static CnPlacedShape pushed(CnPlacedShape shape, CnVec3 direction, double distance) {
    shape.pose.position = cn_vec3_add_scaled(shape.pose.position, distance, direction);
    return shape;
}

static bool cast_convex(CnPlacedShape moving, CnPlacedShape still, CnVec3 direction, double length,
                        CnSweepHit* hit) {
    CnNearest nearest = cn_nearest(moving, still);
    double touching = TOUCHES * (moving.shape->extent + still.shape->extent);
    bool inside = nearest.distance <= touching;
    double distance = 0.0, step = INFINITY;
    for (int round = 0; round < MAX_ROUNDS && nearest.distance > touching && step > LAST_STEP;
         ++round) {
        double approach = cn_vec3_dot(nearest.normal, direction);
        step = nearest.distance / approach;
        if (approach <= 0.0 || distance + step > length) { // the tangent is a lower bound
            return false;
        }
        distance += step;
        nearest = cn_nearest(pushed(moving, direction, distance), still);
    }
    *hit = (CnSweepHit){distance, nearest.point_b, cn_vec3_negate(nearest.normal), inside};
    return true;
}

// A surface is not convex, but each of its triangles is.
typedef struct SurfaceCast {
    CnPlacedShape moving; // in the surface's frame
    CnVec3 direction;
    CnVec3 middle, half; // of the box around it
    CnSweepHit hit;      // so far
    bool is_hit;
} SurfaceCast;

static double measure_way(const CnBounds* box, const void* query) {
    const SurfaceCast* sweep = query;
    CnBounds grown = {cn_vec3_sub(box->low, sweep->half), cn_vec3_add(box->high, sweep->half)};
    return cn_box_entry(&grown, sweep->middle, sweep->direction);
}

// A triangle is hit from the front only, not by a shape that leaves it or lies behind it.
static double cast_at_triangle(const CnTriangle* triangle, double limit, void* query) {
    SurfaceCast* sweep = query;
    CnTriangleShape storage;
    CnSweepHit hit;
    if (cn_vec3_dot(triangle->normal, sweep->direction) > 0.0 ||
        cn_triangle_reach(triangle, sweep->moving, 1.0) <= 0.0) {
        return limit;
    }
    CnPlacedShape placed = cn_triangle_place(triangle, &storage);
    if (!cast_convex(sweep->moving, placed, sweep->direction, limit, &hit) ||
        (sweep->is_hit && hit.distance >= sweep->hit.distance)) {
        return limit;
    }
    hit.normal = hit.inside ? triangle->normal : hit.normal;
    sweep->hit = hit;
    sweep->is_hit = true;
    return hit.distance;
}

static bool cast_at_surface(CnPlacedShape moving, CnPlacedShape surface, CnVec3 direction,
                            double length, CnSweepHit* hit) {
    CnTransform pose = surface.pose;
    SurfaceCast sweep = {
        .moving = cn_surface_view(pose, moving),
        .direction = cn_quat_unrotate(pose.rotation, direction),
    };
    CnBounds box = cn_shape_bounds(sweep.moving, 0.0);
    sweep.middle = cn_vec3_scale(0.5, cn_vec3_add(box.low, box.high));
    sweep.half = cn_vec3_scale(0.5, cn_vec3_sub(box.high, box.low));
    cn_surface_search(surface.shape, measure_way, cast_at_triangle, length, &sweep);
    if (sweep.is_hit) {
        *hit = sweep.hit;
        hit->point = cn_transform_point(pose, hit->point);
        hit->normal = cn_quat_rotate(pose.rotation, hit->normal);
    }
    return sweep.is_hit;
}

// Moving a surface towards a shape is the same as moving the shape the opposite way.
static bool cast_surface(CnPlacedShape surface, CnPlacedShape still, CnVec3 direction,
                         double length, CnSweepHit* hit) {
    if (!cast_at_surface(still, surface, cn_vec3_negate(direction), length, hit)) {
        return false;
    }
    hit->point = cn_vec3_add_scaled(hit->point, hit->distance, direction);
    hit->normal = cn_vec3_negate(hit->normal);
    return true;
}

bool cn_sweep_cast(CnPlacedShape moving, CnPlacedShape still, CnVec3 direction, double length,
                   CnSweepHit* hit) {
    bool boundless = still.shape->type == CN_SHAPE_PLANE || cn_shape_is_surface(still.shape);
    if (cn_shape_is_surface(moving.shape)) {
        return !boundless && cast_surface(moving, still, direction, length, hit);
    }
    return cn_shape_is_surface(still.shape) ? cast_at_surface(moving, still, direction, length, hit)
                                            : cast_convex(moving, still, direction, length, hit);
}

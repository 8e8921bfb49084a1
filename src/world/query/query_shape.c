// query_shape.c - shapes held into the world: what they overlap, what is nearest, what stops them.
#include "base/error.h"
#include "base/shortlist.h"
#include "collision/broad/bounds.h"
#include "collision/cast/sweep_cast.h"
#include "collision/convex/distance.h"
#include "geometry/surface.h"
#include "world/bodies/geometries.h"
#include "world/query/query.h"
#include "world/validate.h"

// What round-off may do to a distance, relative to the lengths it is made of: some thousand units
// in the last place, so that it never decides what a query meets.
#define SLACK 1e-12

// The shape asked about, where it is. Free it with cn_shape_free().
static CnStatus make_probe(const CnWorld* world, const CnShapeDef* def, CnTransform pose,
                           CnShape* shape, CnPlacedShape* probe, CnError* error) {
    CnShapeDef frame =
        cn_shape_def_default(CN_SHAPE_SPHERE); // a pose is held to the rules of a def
    frame.radius = 1.0;
    frame.position = pose.position;
    frame.rotation = pose.rotation;
    CnStatus status = cn_validate_shape(&frame, NULL, NULL, error);
    if (status == CN_OK) {
        status = cn_validate_shape(def, NULL, NULL, error);
    }
    if (status == CN_OK) {
        status = cn_world_check_geometry(world, def, error);
    }
    if (status == CN_OK) {
        status = cn_world_make_shape(world, def, shape, error);
    }
    if (status == CN_OK) {
        pose.rotation = cn_quat_normalize(pose.rotation);
        *probe = cn_shape_place(shape, pose);
    }
    return status;
}

static bool is_convex_solid(const CnShape* shape) {
    return shape->type != CN_SHAPE_PLANE && !cn_shape_is_surface(shape);
}

static bool can_measure(CnPlacedShape a, CnPlacedShape b) {
    return is_convex_solid(a.shape) || is_convex_solid(b.shape);
}

// However they are turned, two shapes that have an end lie in balls about their origins, and these
// cannot be nearer than this; good to the same round-off as the boxes of a walk.
static bool is_within(CnPlacedShape a, CnPlacedShape b, double limit) {
    if (a.shape->type == CN_SHAPE_PLANE || b.shape->type == CN_SHAPE_PLANE) {
        return can_measure(a, b);
    }
    double between = cn_vec3_length(cn_vec3_sub(b.pose.position, a.pose.position));
    double reach = a.shape->extent + b.shape->extent + limit;
    double size = cn_vec3_length(a.pose.position) + cn_vec3_length(b.pose.position);
    return between <= reach + SLACK * (reach + size);
}

static bool touches(CnPlacedShape probe, const CnCandidate* candidate) {
    return is_within(probe, candidate->placed, 0.0) &&
           cn_nearest(probe, candidate->placed).distance <= 0.0;
}

// Each shape of a body is met for itself; the first of those that touch speaks for the body.
static bool speaks_for_body(const CnQueryWalk* walk, CnPlacedShape probe,
                            const CnCandidate* candidate) {
    CnCandidate earlier;
    int slot = cn_world_shape_at(walk->world, candidate->proxy)->previous;
    for (; slot >= 0; slot = cn_world_shape_at(walk->world, slot)->previous) {
        if (cn_query_look_at(walk, slot, &earlier) && touches(probe, &earlier)) {
            return false;
        }
    }
    return true;
}

static bool is_after(const void* first, const void* second, const void* world) {
    const CnBodyId *a = first, *b = second;
    return cn_world_body_index(world, *a) > cn_world_body_index(world, *b);
}

static int list_overlaps(const CnWorld* world, const CnQueryFilter* filter, CnPlacedShape probe,
                         CnBodyId* bodies, int capacity) {
    CnShortlist first = {bodies, sizeof *bodies, 0, capacity, is_after, world};
    CnBounds box = cn_shape_bounds(probe, 0.0);
    CnQueryWalk walk;
    CnCandidate candidate;
    int count = 0;
    cn_query_begin_around(&walk, world, filter, &box);
    walk.near.limit = 0.0;
    while (cn_query_next(&walk, &candidate)) {
        if (touches(probe, &candidate) && speaks_for_body(&walk, probe, &candidate)) {
            cn_shortlist_offer(&first, &candidate.body);
            ++count;
        }
    }
    cn_shortlist_sort(&first);
    return count;
}

int cn_world_overlap(const CnWorld* world, const CnShapeDef* shape, CnTransform pose,
                     const CnQueryFilter* filter, CnBodyId* bodies, int capacity, CnError* error) {
    CnShape own;
    CnPlacedShape probe;
    if (make_probe(world, shape, pose, &own, &probe, error) != CN_OK) {
        return -1;
    }
    int count = list_overlaps(world, filter, probe, bodies, capacity);
    cn_shape_free(&own, &world->allocator);
    return count;
}

static CnClosest describe_nearest(const CnCandidate* candidate, const CnNearest* nearest) {
    return (CnClosest){
        .body = candidate->body,
        .shape = candidate->shape,
        .distance = nearest->distance,
        .own_point = nearest->point_a,
        .body_point = nearest->point_b,
        .normal = nearest->normal,
    };
}

static void find_closest(const CnWorld* world, const CnQueryFilter* filter, CnPlacedShape probe,
                         CnClosest* closest) {
    CnBounds box = cn_shape_bounds(probe, 0.0);
    CnQueryWalk walk;
    CnCandidate candidate;
    cn_query_begin_around(&walk, world, filter, &box);
    while (cn_query_next(&walk, &candidate)) {
        if (!is_within(probe, candidate.placed, walk.near.limit)) {
            continue;
        }
        CnNearest nearest = cn_nearest(probe, candidate.placed);
        if (isnan(nearest.distance)) { // so far away that lengths overflow: nothing is known of it
            continue;
        }
        if (closest->body.index == 0 || nearest.distance < closest->distance ||
            (nearest.distance == closest->distance &&
             cn_query_is_before(&walk, &candidate, closest->shape))) {
            *closest = describe_nearest(&candidate, &nearest);
            walk.near.limit = fmax(0.0, nearest.distance);
        }
    }
}

CnStatus cn_world_closest(const CnWorld* world, const CnShapeDef* shape, CnTransform pose,
                          const CnQueryFilter* filter, CnClosest* closest, CnError* error) {
    CnShape own;
    CnPlacedShape probe;
    *closest = (CnClosest){0};
    CnStatus status = make_probe(world, shape, pose, &own, &probe, error);
    if (status == CN_OK) {
        find_closest(world, filter, probe, closest);
        cn_shape_free(&own, &world->allocator);
    }
    return status;
}

static int first_shape(const CnWorld* world, const CnBody* body) {
    return cn_world_details_of(world, body)->first_shape;
}

CnStatus cn_world_closest_bodies(const CnWorld* world, CnBodyId body, CnBodyId other,
                                 CnClosest* closest, CnError* error) {
    const CnBody *own = cn_world_body(world, body), *met = cn_world_body(world, other);
    *closest = (CnClosest){0};
    if (own == NULL || met == NULL) {
        return cn_error_set(error, CN_STALE, "one of the two bodies does not exist");
    }
    if (body.index == other.index) {
        return cn_error_set(error, CN_INVALID, "a distance needs two different bodies");
    }
    CnTransform own_pose = {own->state.center, own->state.rotation};
    CnTransform pose = {met->state.center, met->state.rotation};
    for (int i = first_shape(world, own); i >= 0; i = cn_world_shape_at(world, i)->next) {
        CnShape shape = cn_world_shape_alone(world, i);
        CnPlacedShape probe = cn_shape_place(&shape, own_pose);
        for (int k = first_shape(world, met); k >= 0; k = cn_world_shape_at(world, k)->next) {
            CnShape target = cn_world_shape_alone(world, k);
            CnCandidate candidate = {.body = other,
                                     .shape = cn_world_shape_id(world, k),
                                     .placed = cn_shape_place(&target, pose)};
            CnNearest nearest;
            if (shape.sensor || target.sensor || !can_measure(probe, candidate.placed)) {
                continue;
            }
            nearest = cn_nearest(probe, candidate.placed);
            bool is_known = !isnan(nearest.distance); // lengths may overflow
            if (is_known && (closest->body.index == 0 || nearest.distance < closest->distance)) {
                *closest = describe_nearest(&candidate, &nearest);
            }
        }
    }
    return CN_OK;
}

static void cast_probe(const CnWorld* world, const CnQueryFilter* filter, CnPlacedShape probe,
                       CnVec3 translation, CnCastHit* hit) {
    CnRay way = cn_ray_make(probe.pose.position, translation);
    CnBounds box = cn_shape_bounds(probe, 0.0);
    CnQueryWalk walk;
    CnCandidate candidate;
    cn_query_begin_along(&walk, world, filter, &box, way);
    while (cn_query_next(&walk, &candidate)) {
        CnSweepHit sweep;
        if (!cn_sweep_cast(probe, candidate.placed, way.direction, walk.near.limit, &sweep) ||
            (hit->body.index != 0 && sweep.distance == hit->distance &&
             !cn_query_is_before(&walk, &candidate, hit->shape))) {
            continue;
        }
        *hit = (CnCastHit){
            .body = candidate.body,
            .shape = candidate.shape,
            .fraction = sweep.inside ? 0.0 : sweep.distance / way.length,
            .distance = sweep.distance,
            .point = sweep.point,
            .normal = sweep.normal,
            .inside = sweep.inside,
        };
        walk.near.limit = sweep.distance; // nothing farther matters any more
    }
}

CnStatus cn_world_cast_shape(const CnWorld* world, const CnShapeDef* shape, CnTransform pose,
                             CnVec3 translation, const CnQueryFilter* filter, CnCastHit* hit,
                             CnError* error) {
    CnShape own;
    CnPlacedShape probe;
    *hit = (CnCastHit){0};
    CnStatus status = cn_query_check_translation(translation, error);
    if (status == CN_OK) {
        status = make_probe(world, shape, pose, &own, &probe, error);
    }
    if (status != CN_OK) {
        return status;
    }
    if (own.type == CN_SHAPE_PLANE) {
        return cn_error_set(error, CN_INVALID, "a plane is boundless and cannot be pushed along");
    }
    cast_probe(world, filter, probe, translation, hit);
    cn_shape_free(&own, &world->allocator);
    return CN_OK;
}

// query_shape.c - shapes held into the world: what they overlap, what is nearest, what stops them.
#include "base/error.h"
#include "collision/distance.h"
#include "collision/sweep_cast.h"
#include "world/query.h"
#include "world/validate.h"

// The shape asked about, where it is. Free it with cn_shape_free().
static CnStatus make_probe(const CnWorld* world, const CnShapeDef* def, CnTransform pose,
                           CnShape* shape, CnPlacedShape* probe, CnError* error) {
    CnShapeDef frame =
        cn_shape_def_default(CN_SHAPE_SPHERE); // a pose is held to the rules of a def
    frame.radius = 1.0;
    frame.position = pose.position;
    frame.rotation = pose.rotation;
    CnStatus status = cn_validate_shape(&frame, NULL, error);
    if (status == CN_OK) {
        status = cn_validate_shape(def, NULL, error);
    }
    if (status == CN_OK) {
        status = cn_shape_make(def, &world->allocator, shape, error);
    }
    if (status == CN_OK) {
        pose.rotation = cn_quat_normalize(pose.rotation);
        *probe = cn_shape_place(shape, pose);
    }
    return status;
}

static bool can_measure(CnPlacedShape a, CnPlacedShape b) {
    return a.shape->type != CN_SHAPE_PLANE || b.shape->type != CN_SHAPE_PLANE;
}

// A ball about its origin that holds the shape [m].
static double radius_of(CnPlacedShape probe) {
    return probe.shape->type == CN_SHAPE_PLANE ? HUGE_VAL : probe.shape->extent;
}

static CnQueryWalk begin_walk(const CnWorld* world, const CnQueryFilter* filter,
                              CnPlacedShape probe, CnVec3 translation) {
    return cn_query_begin(world, filter, cn_ray_make(probe.pose.position, translation),
                          radius_of(probe));
}

int cn_world_overlap(const CnWorld* world, const CnShapeDef* shape, CnTransform pose,
                     const CnQueryFilter* filter, CnBodyId* bodies, int capacity, CnError* error) {
    CnShape own;
    CnPlacedShape probe;
    if (make_probe(world, shape, pose, &own, &probe, error) != CN_OK) {
        return -1;
    }
    CnQueryWalk walk = begin_walk(world, filter, probe, cn_vec3(0.0, 0.0, 0.0));
    CnCandidate candidate;
    int count = 0;
    while (cn_query_next(&walk, &candidate)) {
        if (can_measure(probe, candidate.placed) &&
            cn_nearest(probe, candidate.placed).distance <= 0.0) {
            if (count < capacity) {
                bodies[count] = candidate.body;
            }
            ++count;
            cn_query_skip_body(&walk);
        }
    }
    cn_shape_free(&own, &world->allocator);
    return count;
}

// Keeps the nearest to probe of all that the filter accepts, or what closest holds already.
static void find_closest(const CnWorld* world, const CnQueryFilter* filter, CnPlacedShape probe,
                         CnClosest* closest) {
    CnQueryWalk walk = begin_walk(world, filter, probe, cn_vec3(0.0, 0.0, 0.0));
    double radius = walk.radius;
    bool is_first = closest->body.index == 0;
    CnCandidate candidate;
    walk.radius += is_first ? HUGE_VAL : fmax(0.0, closest->distance);
    while (cn_query_next(&walk, &candidate)) {
        if (!can_measure(probe, candidate.placed)) {
            continue;
        }
        CnNearest nearest = cn_nearest(probe, candidate.placed);
        if (is_first || nearest.distance < closest->distance) {
            is_first = false;
            walk.radius = radius + fmax(0.0, nearest.distance);
            *closest = (CnClosest){
                .body = candidate.body,
                .shape = candidate.shape,
                .distance = nearest.distance,
                .own_point = nearest.point_a,
                .body_point = nearest.point_b,
                .normal = nearest.normal,
            };
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

static bool is_body(CnBodyId body, int shape, void* data) {
    const CnBodyId* wanted = data;
    (void)shape;
    return body.index == wanted->index;
}

CnStatus cn_world_closest_bodies(const CnWorld* world, CnBodyId body, CnBodyId other,
                                 CnClosest* closest, CnError* error) {
    const CnBody* own = cn_world_body(world, body);
    *closest = (CnClosest){0};
    if (own == NULL || cn_world_body(world, other) == NULL) {
        return cn_error_set(error, CN_STALE, "one of the two bodies does not exist");
    }
    if (body.index == other.index) {
        return cn_error_set(error, CN_INVALID, "a distance needs two different bodies");
    }
    CnQueryFilter only_other = {.accept = is_body, .data = &other};
    CnTransform pose = {own->state.center, own->state.rotation};
    for (int i = 0; i < own->shape_count; ++i) {
        find_closest(world, &only_other, cn_shape_place(&own->shapes[i], pose), closest);
    }
    return CN_OK;
}

static void cast_probe(CnPlacedShape probe, CnQueryWalk walk, CnCastHit* hit) {
    CnRay way = walk.way;
    CnCandidate candidate;
    while (cn_query_next(&walk, &candidate)) {
        CnSweepHit sweep;
        if (!cn_sweep_cast(probe, candidate.placed, way.direction, walk.way.length, &sweep) ||
            (hit->body.index != 0 && sweep.distance >= hit->distance)) {
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
        walk.way.length = sweep.distance; // nothing farther matters any more
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
    cast_probe(probe, begin_walk(world, filter, probe, translation), hit);
    cn_shape_free(&own, &world->allocator);
    return CN_OK;
}

// all_queries.c - brute-force queries over every shape of a world: the reference.
#include "support/shapes/all_queries.h"

#include "collision/cast/ray.h"
#include "collision/cast/sweep_cast.h"
#include "collision/convex/distance.h"
#include "support/test.h"
#include "world/bodies/body_shapes.h"

// In the order of bodies and their shapes.
typedef struct Round {
    const CnWorld* world;
    const CnQueryFilter* filter;
    int body, shape; // the next one
    CnBodyId id;     // of the present one
    CnShapeId present;
    CnPlacedShape placed;
} Round;

static bool accepts(const CnQueryFilter* filter, const CnBody* body, CnBodyId id,
                    CnShapeId shape_id, const CnWorldShape* shape) {
    return filter == NULL ||
           (!filter->ignore[body->type] &&
            (filter->mask == 0 || (shape->shape->category & filter->mask) != 0) &&
            (filter->accept == NULL || filter->accept(id, shape_id, filter->data)));
}

static bool next(Round* round) {
    for (; round->body < round->world->order.count; ++round->body, round->shape = 0) {
        const CnBody* body = cn_world_body_by_index(round->world, round->body);
        round->id = round->world->order.data[round->body];
        while (round->shape < round->world->details.data[round->body].shape_count) {
            int slot = cn_body_shape_slot(round->world, round->body, round->shape++);
            round->present = cn_world_shape_id(round->world, slot);
            const CnWorldShape* shape = cn_world_shape_at(round->world, slot);
            if (accepts(round->filter, body, round->id, round->present, shape)) {
                CnTransform pose = {body->state.center, body->state.rotation};
                round->placed = cn_world_shape_placed(round->world, shape, pose);
                return true;
            }
        }
    }
    return false;
}

static bool cast_at(const Round* round, const CnRay* ray, CnCastHit* hit) {
    CnRaySurface surface;
    if (!cn_ray_cast(round->placed, ray, &surface)) {
        return false;
    }
    *hit = (CnCastHit){
        .body = round->id,
        .shape = round->present,
        .fraction = surface.distance / ray->length,
        .distance = surface.distance,
        .point = cn_ray_at(ray, surface.distance),
        .normal = surface.normal,
        .inside = surface.inside,
    };
    return true;
}

void ask_all_ray(const CnWorld* world, CnVec3 origin, CnVec3 translation,
                 const CnQueryFilter* filter, CnCastHit* hit) {
    Round round = {.world = world, .filter = filter};
    CnRay ray = cn_ray_make(origin, translation);
    CnCastHit one;
    *hit = (CnCastHit){0};
    while (next(&round)) {
        if (cast_at(&round, &ray, &one) && (hit->body.index == 0 || one.distance < hit->distance)) {
            *hit = one;
        }
    }
}

int ask_all_ray_hits(const CnWorld* world, CnVec3 origin, CnVec3 translation,
                     const CnQueryFilter* filter, CnCastHit* hits) {
    Round round = {.world = world, .filter = filter};
    CnRay ray = cn_ray_make(origin, translation);
    CnCastHit one;
    int count = 0;
    while (next(&round)) {
        if (cast_at(&round, &ray, &one)) {
            int place = count++;
            for (; place > 0 && hits[place - 1].distance > one.distance; --place) {
                hits[place] = hits[place - 1];
            }
            hits[place] = one;
        }
    }
    return count;
}

static CnPlacedShape probe_of(const CnShapeDef* def, CnTransform pose, CnShape* shape) {
    CHECK(def->type != CN_SHAPE_CONVEX); // would have to be freed
    CHECK_INT(cn_shape_make(def, NULL, shape, NULL), CN_OK);
    pose.rotation = cn_quat_normalize(pose.rotation);
    return cn_shape_place(shape, pose);
}

static bool are_planes(CnPlacedShape a, CnPlacedShape b) {
    return a.shape->type == CN_SHAPE_PLANE && b.shape->type == CN_SHAPE_PLANE;
}

int ask_all_overlap(const CnWorld* world, const CnShapeDef* shape, CnTransform pose,
                    const CnQueryFilter* filter, CnBodyId* bodies) {
    Round round = {.world = world, .filter = filter};
    CnShape own;
    CnPlacedShape probe = probe_of(shape, pose, &own);
    int count = 0;
    while (next(&round)) {
        bool is_known = count > 0 && bodies[count - 1].index == round.id.index;
        if (!is_known && !are_planes(probe, round.placed) &&
            cn_nearest(probe, round.placed).distance <= 0.0) {
            bodies[count++] = round.id;
        }
    }
    return count;
}

void ask_all_closest(const CnWorld* world, const CnShapeDef* shape, CnTransform pose,
                     const CnQueryFilter* filter, CnClosest* closest) {
    Round round = {.world = world, .filter = filter};
    CnShape own;
    CnPlacedShape probe = probe_of(shape, pose, &own);
    *closest = (CnClosest){0};
    while (next(&round)) {
        if (are_planes(probe, round.placed)) {
            continue;
        }
        CnNearest nearest = cn_nearest(probe, round.placed);
        if (closest->body.index == 0 || nearest.distance < closest->distance) {
            *closest = (CnClosest){round.id,        round.present,   nearest.distance,
                                   nearest.point_a, nearest.point_b, nearest.normal};
        }
    }
}

void ask_all_cast(const CnWorld* world, const CnShapeDef* shape, CnTransform pose,
                  CnVec3 translation, const CnQueryFilter* filter, CnCastHit* hit) {
    Round round = {.world = world, .filter = filter};
    CnShape own;
    CnPlacedShape probe = probe_of(shape, pose, &own);
    CnRay way = cn_ray_make(probe.pose.position, translation);
    *hit = (CnCastHit){0};
    while (next(&round)) {
        CnSweepHit sweep;
        if (cn_sweep_cast(probe, round.placed, way.direction, way.length, &sweep) &&
            (hit->body.index == 0 || sweep.distance < hit->distance)) {
            *hit = (CnCastHit){
                .body = round.id,
                .shape = round.present,
                .fraction = sweep.inside ? 0.0 : sweep.distance / way.length,
                .distance = sweep.distance,
                .point = sweep.point,
                .normal = sweep.normal,
                .inside = sweep.inside,
            };
        }
    }
}

// query_ray.c - rays through the world.
#include "base/error.h"
#include "base/shortlist.h"
#include "base/tasks.h"
#include "collision/cast/ray.h"
#include "world/query/query.h"

static CnStatus check_ray(CnVec3 origin, CnVec3 translation, CnError* error) {
    CnStatus status = cn_query_check_point(origin, "origin", error);
    return status == CN_OK ? cn_query_check_translation(translation, error) : status;
}

static CnCastHit describe_hit(const CnCandidate* candidate, const CnRay* ray,
                              const CnRaySurface* surface) {
    bool is_point = ray->length == 0.0;
    return (CnCastHit){
        .body = candidate->body,
        .shape = candidate->shape,
        .fraction = is_point ? 0.0 : surface->distance / ray->length,
        .distance = surface->distance,
        .point = cn_ray_at(ray, surface->distance),
        .normal = is_point ? cn_vec3(0.0, 0.0, 0.0) : surface->normal,
        .inside = is_point || surface->inside,
    };
}

static void begin_walk(CnQueryWalk* walk, const CnWorld* world, const CnQueryFilter* filter,
                       const CnRay* ray) {
    CnBounds point = {ray->origin, ray->origin};
    cn_query_begin_along(walk, world, filter, &point, *ray);
}

static CnCastHit cast_ray(const CnWorld* world, CnVec3 origin, CnVec3 translation,
                          const CnQueryFilter* filter) {
    CnCastHit hit = {0};
    CnRay ray = cn_ray_make(origin, translation);
    CnQueryWalk walk;
    CnCandidate candidate;
    begin_walk(&walk, world, filter, &ray);
    while (cn_query_next(&walk, &candidate)) {
        CnRaySurface surface;
        if (!cn_ray_cast(candidate.placed, &ray, &surface)) {
            continue;
        }
        bool is_nearest =
            hit.body.index == 0 || surface.distance < hit.distance ||
            (surface.distance == hit.distance && cn_query_is_before(&walk, &candidate, hit.shape));
        if (is_nearest) {
            hit = describe_hit(&candidate, &ray, &surface);
            walk.near.limit = surface.distance; // nothing farther matters any more
        }
    }
    return hit;
}

CnStatus cn_world_cast_ray(const CnWorld* world, CnVec3 origin, CnVec3 translation,
                           const CnQueryFilter* filter, CnCastHit* hit, CnError* error) {
    CnStatus status = check_ray(origin, translation, error);
    *hit = status == CN_OK ? cast_ray(world, origin, translation, filter) : (CnCastHit){0};
    return status;
}

// ---- many rays ----

#define RAYS_PER_TASK 16 // some ten microseconds

typedef struct RayList {
    const CnWorld* world;
    const CnRayDef* rays;
    const CnQueryFilter* filter;
    CnCastHit* hits;
} RayList;

static void cast_range(int begin, int end, int worker, void* data) {
    const RayList* list = data;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        const CnRayDef* ray = &list->rays[i];
        list->hits[i] = cast_ray(list->world, ray->origin, ray->translation, list->filter);
    }
}

static CnStatus check_rays(const CnRayDef* rays, int count, CnError* error) {
    if (count < 0) {
        return cn_error_set(error, CN_INVALID, "count is %d; it must not be negative", count);
    }
    for (int i = 0; i < count; ++i) {
        CnError reason = {0};
        if (check_ray(rays[i].origin, rays[i].translation, &reason) != CN_OK) {
            return cn_error_set(error, reason.status, "ray %d: %.300s", i, reason.message);
        }
    }
    return CN_OK;
}

CnStatus cn_world_cast_rays(const CnWorld* world, const CnRayDef* rays, int count,
                            const CnQueryFilter* filter, CnCastHit* hits, CnError* error) {
    CnStatus status = check_rays(rays, count, error);
    if (status != CN_OK) {
        return status;
    }
    RayList list = {world, rays, filter, hits};
    if (world->stepping) { // asked by a callback: the workers are busy with the step
        cast_range(0, count, 0, &list);
    } else {
        cn_tasks_for(&world->def.tasks, count, RAYS_PER_TASK, cast_range, &list);
    }
    return CN_OK;
}

static bool is_farther(const void* first, const void* second, const void* world) {
    const CnCastHit *a = first, *b = second;
    if (a->distance != b->distance) {
        return a->distance > b->distance;
    }
    const CnWorldShape* shape_a = cn_world_shape_at(world, (int)a->shape.index - 1);
    const CnWorldShape* shape_b = cn_world_shape_at(world, (int)b->shape.index - 1);
    return shape_a->body != shape_b->body ? shape_a->body > shape_b->body
                                          : shape_a->number > shape_b->number;
}

int cn_world_cast_ray_all(const CnWorld* world, CnVec3 origin, CnVec3 translation,
                          const CnQueryFilter* filter, CnCastHit* hits, int capacity,
                          CnError* error) {
    if (check_ray(origin, translation, error) != CN_OK) {
        return -1;
    }
    CnRay ray = cn_ray_make(origin, translation);
    CnShortlist nearest = {hits, sizeof *hits, 0, capacity, is_farther, world};
    CnQueryWalk walk;
    CnCandidate candidate;
    int count = 0;
    begin_walk(&walk, world, filter, &ray);
    while (cn_query_next(&walk, &candidate)) {
        CnRaySurface surface;
        if (cn_ray_cast(candidate.placed, &ray, &surface)) {
            CnCastHit hit = describe_hit(&candidate, &ray, &surface);
            cn_shortlist_offer(&nearest, &hit);
            ++count;
        }
    }
    cn_shortlist_sort(&nearest);
    return count;
}

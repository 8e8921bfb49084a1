// query_ray.c - rays through the world.
#include "collision/ray.h"
#include "world/query.h"

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

CnStatus cn_world_cast_ray(const CnWorld* world, CnVec3 origin, CnVec3 translation,
                           const CnQueryFilter* filter, CnCastHit* hit, CnError* error) {
    CnStatus status = check_ray(origin, translation, error);
    *hit = (CnCastHit){0};
    if (status != CN_OK) {
        return status;
    }
    CnRay ray = cn_ray_make(origin, translation);
    CnQueryWalk walk = cn_query_begin(world, filter, ray, 0.0);
    CnCandidate candidate;
    while (cn_query_next(&walk, &candidate)) {
        CnRaySurface surface;
        if (cn_ray_cast(candidate.placed, &ray, &surface) &&
            (hit->body.index == 0 || surface.distance < hit->distance)) {
            *hit = describe_hit(&candidate, &ray, &surface);
        }
    }
    return CN_OK;
}

// A heap of the nearest hits so far, the farthest on top, in the caller's own array.
typedef struct Nearest {
    const CnWorld* world;
    CnCastHit* hits; // [capacity]
    int count, capacity;
} Nearest;

static bool is_farther(const Nearest* nearest, const CnCastHit* a, const CnCastHit* b) {
    if (a->distance != b->distance) {
        return a->distance > b->distance;
    }
    int first = cn_world_body_index(nearest->world, a->body);
    int second = cn_world_body_index(nearest->world, b->body);
    return first != second ? first > second : a->shape > b->shape;
}

static void swap_hits(CnCastHit* a, CnCastHit* b) {
    CnCastHit old = *a;
    *a = *b;
    *b = old;
}

// Lets hit i sink until both hits below it are nearer.
static void sift_down(Nearest* nearest, int i) {
    CnCastHit* hits = nearest->hits;
    for (int child = 2 * i + 1; child < nearest->count; child = 2 * i + 1) {
        if (child + 1 < nearest->count && is_farther(nearest, &hits[child + 1], &hits[child])) {
            ++child;
        }
        if (!is_farther(nearest, &hits[child], &hits[i])) {
            return;
        }
        swap_hits(&hits[child], &hits[i]);
        i = child;
    }
}

static void sift_up(Nearest* nearest, int i) {
    CnCastHit* hits = nearest->hits;
    for (int parent = (i - 1) / 2; i > 0 && is_farther(nearest, &hits[i], &hits[parent]);
         i = parent, parent = (i - 1) / 2) {
        swap_hits(&hits[i], &hits[parent]);
    }
}

static void keep_nearest(Nearest* nearest, const CnCastHit* hit) {
    if (nearest->count < nearest->capacity) {
        nearest->hits[nearest->count++] = *hit;
        sift_up(nearest, nearest->count - 1);
    } else if (nearest->count > 0 && is_farther(nearest, &nearest->hits[0], hit)) {
        nearest->hits[0] = *hit;
        sift_down(nearest, 0);
    }
}

// The farthest goes to the end, and so on with the rest.
static void sort_hits(Nearest* nearest) {
    while (nearest->count > 1) {
        --nearest->count;
        swap_hits(&nearest->hits[0], &nearest->hits[nearest->count]);
        sift_down(nearest, 0);
    }
}

int cn_world_cast_ray_all(const CnWorld* world, CnVec3 origin, CnVec3 translation,
                          const CnQueryFilter* filter, CnCastHit* hits, int capacity,
                          CnError* error) {
    if (check_ray(origin, translation, error) != CN_OK) {
        return -1;
    }
    CnRay ray = cn_ray_make(origin, translation);
    CnQueryWalk walk = cn_query_begin(world, filter, ray, 0.0);
    Nearest nearest = {.world = world, .hits = hits, .capacity = capacity};
    CnCandidate candidate;
    int count = 0;
    while (cn_query_next(&walk, &candidate)) {
        CnRaySurface surface;
        if (cn_ray_cast(candidate.placed, &ray, &surface)) {
            CnCastHit hit = describe_hit(&candidate, &ray, &surface);
            keep_nearest(&nearest, &hit);
            ++count;
        }
    }
    sort_hits(&nearest);
    return count;
}

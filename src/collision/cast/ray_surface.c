// ray_surface.c - where a ray meets the triangles of a surface.
#include "collision/cast/ray.h"
#include "collision/mesh/surface_search.h"

typedef struct Shot {
    CnVec3 origin, direction; // in the surface's frame
    double distance;          // so far
    int triangle;             // -1: none
    CnVec3 normal;
} Shot;

static double measure_entry(const CnBounds* box, const void* query) {
    const Shot* shot = query;
    return cn_box_entry(box, shot->origin, shot->direction);
}

// The volume spanned by the direction and a side, as seen from the origin. Its sign tells on which
// side of that edge the ray passes. Both triangles at an edge compute the same number with opposite
// signs, so no ray slips through between them.
static double passes(const Shot* shot, CnVec3 from, CnVec3 to) {
    CnVec3 a = cn_vec3_sub(from, shot->origin), b = cn_vec3_sub(to, shot->origin);
    return cn_vec3_dot(shot->direction, cn_vec3_cross(b, a));
}

static double shoot(const CnTriangle* triangle, double limit, void* query) {
    Shot* shot = query;
    const CnVec3* p = triangle->points;
    double rate = cn_vec3_dot(triangle->normal, shot->direction);
    if (!(rate < 0.0) || passes(shot, p[0], p[1]) < 0.0 || passes(shot, p[1], p[2]) < 0.0 ||
        passes(shot, p[2], p[0]) < 0.0) {
        return limit;
    }
    double height = cn_vec3_dot(triangle->normal, cn_vec3_sub(shot->origin, p[0]));
    double distance = -height / rate;
    if (distance >= 0.0 && (distance < shot->distance ||
                            (distance == shot->distance && triangle->index < shot->triangle))) {
        shot->distance = distance;
        shot->triangle = triangle->index;
        shot->normal = triangle->normal;
    }
    return fmin(limit, shot->distance);
}

bool cn_ray_cast_triangles(CnPlacedShape placed, const CnRay* ray, CnRaySurface* surface) {
    CnTransform pose = placed.pose;
    Shot shot = {
        .origin = cn_quat_unrotate(pose.rotation, cn_vec3_sub(ray->origin, pose.position)),
        .direction = cn_quat_unrotate(pose.rotation, ray->direction),
        .distance = HUGE_VAL,
        .triangle = -1,
    };
    cn_surface_search(placed.shape, measure_entry, shoot, ray->length, &shot);
    if (!(shot.distance <= ray->length)) {
        return false;
    }
    *surface = (CnRaySurface){
        .distance = shot.distance,
        .normal = cn_quat_rotate(pose.rotation, shot.normal),
    };
    return true;
}

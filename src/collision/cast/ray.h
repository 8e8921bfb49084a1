// ray.h - where a ray meets a shape: one table of functions.
#pragma once

#include "geometry/shape.h"

typedef struct CnRay {
    CnVec3 origin;
    CnVec3 direction; // unit; any unit vector when length is 0
    double length;    // finite, >= 0 [m]
} CnRay;

typedef struct CnRaySurface {
    double distance; // from the origin [m]
    CnVec3 normal;   // unit, outward; against the direction when the ray starts inside
    bool inside;     // the origin is in the shape; distance is 0
} CnRaySurface;

// From origin to origin + translation, whose length must be finite.
CnRay cn_ray_make(CnVec3 origin, CnVec3 translation);

static inline CnVec3 cn_ray_at(const CnRay* ray, double distance) {
    return cn_vec3_add_scaled(ray->origin, distance, ray->direction);
}

// The first point of the ray that is in the shape. Shapes are closed: a ray that only touches one
// hits it. Meshes and height fields are hit from the front only; a ray from behind passes through.
// False if the ray hits nothing.
bool cn_ray_cast(CnPlacedShape placed, const CnRay* ray, CnRaySurface* surface);

// The function of cn_ray_cast for meshes and height fields.
bool cn_ray_cast_triangles(CnPlacedShape placed, const CnRay* ray, CnRaySurface* surface);

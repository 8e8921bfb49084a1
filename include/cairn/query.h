// query.h - queries about a world: rays, overlaps, nearest points, shapes moved along a line.
//
//     CnCastHit hit;
//     cn_world_cast_ray(world, eye, cn_vec3(0.0, 0.0, -100.0), NULL, &hit, NULL);
//     if (hit.body.index != 0) { ... hit.distance, hit.point, hit.normal ... }
//
// Queries use the present poses and change nothing: many threads may query at once while no thread
// steps or changes the world. They allocate no memory, unless they are given a shape made of points
// or heights, which is built for the call. Their time grows with the logarithm of the number of
// bodies.
#pragma once

#include "cairn/world.h"

// The shapes a query considers. A zeroed filter, or NULL, means all except sensors.
typedef struct CnQueryFilter {
    bool ignore[CN_BODY_KINEMATIC + 1]; // by CnBodyType: ignore[CN_BODY_STATIC] = true
    uint32_t mask; // only shapes with one of these bits in their category; 0: any category
    bool sensors;  // sensors too
    bool (*accept)(CnBodyId body, CnShapeId shape, void* data); // NULL: all. Asked in any order,
                                                                // and not about all
    void* data;
} CnQueryFilter;

// The first contact of a ray or a moving shape with a shape of the world. Shapes are solid and
// closed: touching one is a hit.
typedef struct CnCastHit {
    CnBodyId body;   // none: nothing was hit, and the rest means nothing
    CnShapeId shape; // of the body
    double fraction; // of the translation, [0, 1]; 0 when that has no length
    double distance; // along the translation [m]
    CnVec3 point;    // where they meet, world [m]
    CnVec3 normal;   // unit, out of the body that was hit
    bool inside;     // met at the start: distance is 0 and, for a ray, the normal is against the
                     // translation (zero when that is)
} CnCastHit;

// From origin to origin + translation: the nearest hit, of equals the first in the order of bodies
// and shapes. A translation of zero asks what is at a point.
CN_API CnStatus cn_world_cast_ray(const CnWorld* world, CnVec3 origin, CnVec3 translation,
                                  const CnQueryFilter* filter, CnCastHit* hit, CnError* error);

// A ray of a list: from origin to origin + translation [m].
typedef struct CnRayDef {
    CnVec3 origin, translation;
} CnRayDef;

// cn_world_cast_ray() for each of rays [count] into hits [count], on the world's tasks: the same
// bits for any number of workers. filter->accept may be asked by several threads at once. All rays
// are checked before the first is cast.
CN_API CnStatus cn_world_cast_rays(const CnWorld* world, const CnRayDef* rays, int count,
                                   const CnQueryFilter* filter, CnCastHit* hits, CnError* error);

// Everything the ray meets, each shape once, where the ray enters it; by distance, then in the
// order of bodies and shapes. Returns how many there are, -1 on bad input; the nearest capacity are
// written.
CN_API int cn_world_cast_ray_all(const CnWorld* world, CnVec3 origin, CnVec3 translation,
                                 const CnQueryFilter* filter, CnCastHit* hits, int capacity,
                                 CnError* error);

// The bodies with a shape that touches or overlaps the given one, in the order of bodies. pose is
// that of the frame the def is in. Two planes never meet. Returns how many there are, -1 on bad
// input or when memory runs out; at most capacity are written.
CN_API int cn_world_overlap(const CnWorld* world, const CnShapeDef* shape, CnTransform pose,
                            const CnQueryFilter* filter, CnBodyId* bodies, int capacity,
                            CnError* error);

// The distance of two things and their nearest points.
typedef struct CnClosest {
    CnBodyId body;     // the other thing; none: there was nothing to measure
    CnShapeId shape;   // of the body
    double distance;   // negative when overlapping: the shortest way out [m]
    CnVec3 own_point;  // on the given shape, world [m]
    CnVec3 body_point; // on the body, world [m]
    CnVec3 normal;     // unit, from the given shape to the body
} CnClosest;

// The body nearest to a shape, or deepest in it; the first if several are equal. Two planes are
// skipped.
CN_API CnStatus cn_world_closest(const CnWorld* world, const CnShapeDef* shape, CnTransform pose,
                                 const CnQueryFilter* filter, CnClosest* closest, CnError* error);

// From body to other: own_point lies on body, and closest->body is other (none when one of them has
// no shapes, sensors aside).
CN_API CnStatus cn_world_closest_bodies(const CnWorld* world, CnBodyId body, CnBodyId other,
                                        CnClosest* closest, CnError* error);

// Moves a shape (not a plane) along translation without turning it, and finds the first shape it
// meets, to 1e-9 m of the path. A shape that it overlaps at the start is met there; the normal is
// then the shortest way out.
CN_API CnStatus cn_world_cast_shape(const CnWorld* world, const CnShapeDef* shape, CnTransform pose,
                                    CnVec3 translation, const CnQueryFilter* filter, CnCastHit* hit,
                                    CnError* error);

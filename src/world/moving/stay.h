// stay.h - bodies without pairs that stay where they were placed.
//
// docs/theory/collision/broad_phase.md (5a), and leashes, (5d), which save that test.
#pragma once

#include "geometry/surface.h"
#include "world/world.h"

#include <math.h>

// Bounds are made anew when a body can travel further than they allow for, and by this much [m]
// further than it needs: a body at rest, whose free velocity trembles, keeps its bounds.
#define CN_SPARE_REACH 1e-6

// Of a body without pairs that stays where it was placed: it may come this share of the distance to
// its farthest point further before it is looked at again. Fat boxes allow for fifty times as much.
#define CN_STAY_SHARE 0x1p-10

// Whether how far its points come depends on where one looks.
static inline bool cn_shape_is_wide(const CnShape* shape) {
    return shape->type == CN_SHAPE_PLANE || cn_shape_is_surface(shape);
}

// From the centre of its body to the farthest point of a bounded shape, or more [m].
static inline double cn_stay_arm(const CnWorld* world, const CnWorldShape* shape) {
    return cn_vec3_length(cn_world_shape_offset(world, shape)) + shape->shape->extent;
}

// Rotations that differ by little differ by twice the length of the difference of their quaternions
// [rad].
static inline double cn_stay_angle(CnQuat a, CnQuat b) {
    double w = a.w - b.w, x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return 2.0 * sqrt(w * w + x * x + y * y + z * z);
}

// What is known of a shape whose body is at a state and may stay where it was placed.
typedef struct CnStay {
    bool fits;   // its bounds there, had it been placed, or larger ones, are within its fat box
    double arm;  // cn_stay_arm()
    double room; // that is left for further motion [m]; no more than 0: not known
} CnStay;

// dt: the time that bounds look ahead along the velocities.
CnStay cn_stay_find(const CnWorld* world, int slot, const CnBodyState* state, double dt);

// Of a body with one shape that fits at a state: its leash.
CnLeash cn_leash_from(const CnBodyState* state, const CnStay* stay);

// Whether the leash says that cn_stay_find() would say the body's shape fits. Several at once:
// CnMovingLanes.hold.
bool cn_leash_holds(const CnLeash* leash, const CnBodyState* state, double dt);

// Whether its leash alone tells that a body is within its fat box.
static inline bool cn_leash_tells(const CnWorld* world, int body, const CnBodyState* state) {
    return body < world->leashes.count && cn_leash_holds(&world->leashes.data[body], state, 0.0);
}

// A body is placed, or its fat boxes may be others: it has no leash.
static inline void cn_leash_drop(CnWorld* world, int body) {
    if (body < world->leashes.count) {
        world->leashes.data[body].room = 0.0f;
    }
}

// soft_look.h - scheme soft_step: where shapes may come in a step, in a few numbers.
//
// Most pairs of the broad phase are too far apart to touch in a step. A ball around each shape, or
// the plane that it is, and the way of its body, half a cache line, tell so of most of them,
// without reading shapes, places and records.
#pragma once

#include "cairn/math.h"
#include "world/soft/soft_store.h"

struct CnWorld;

// Room for all shapes; nothing is known of new ones. False: no memory.
bool cn_soft_reserve_looks(struct CnWorld* world);

// A body has been placed: way of its centre in the step, and how far besides points of its shapes
// may be from where they were placed [m].
void cn_soft_note_look(struct CnWorld* world, int body, CnVec3 way, double ahead);

static inline bool cn_soft_look_is_plane(const CnSoftLook* look) {
    return look->plane < INFINITY;
}

// Whether a ball stays so far above a plane.
static inline bool cn_soft_look_above(const CnSoftLook* plane, const CnSoftLook* ball,
                                      float reach) {
    const float *n = plane->center, *c = ball->center;
    return !cn_soft_look_is_plane(ball) &&
           n[0] * c[0] + n[1] * c[1] + n[2] * c[2] - plane->plane > reach;
}

// Whether no points of two shapes come within `margin` [m] of each other in the step. What floats
// round off is allowed for in `reach`. docs/theory/collision/broad_phase.md (5b), (5c).
static inline bool cn_soft_look_apart(const CnSoftLook* a, const CnSoftLook* b, float margin) {
    float x = b->center[0] - a->center[0], u = b->way[0] - a->way[0];
    float y = b->center[1] - a->center[1], v = b->way[1] - a->way[1];
    float z = b->center[2] - a->center[2], w = b->way[2] - a->way[2];
    float reach = a->reach + b->reach + margin + sqrtf(u * u + v * v + w * w);
    if (cn_soft_look_is_plane(a)) {
        return cn_soft_look_above(a, b, reach);
    }
    return cn_soft_look_is_plane(b) ? cn_soft_look_above(b, a, reach)
                                    : x * x + y * y + z * z > reach * reach;
}

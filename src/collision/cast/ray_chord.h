// ray_chord.h - the interval of an infinite line inside a convex shape.
//
// All shapes are convex, so the points of a line inside a shape form one interval. Everything here
// is in the shape's own frame. Distances are measured along a unit direction.
#pragma once

#include "geometry/shape.h"

typedef struct CnLine {
    CnVec3 origin, direction; // unit direction
} CnLine;

typedef struct CnChord {
    double enter, leave; // along the line; may be infinite [m]
    CnVec3 normal;       // outward, where the line enters; undefined when enter is infinite
} CnChord;

// False when the line misses the shape.
typedef bool CnChordFunction(const CnShape* shape, const CnLine* line, CnChord* chord);
CnChordFunction cn_chord_sphere, cn_chord_capsule, cn_chord_cylinder; // ray_round.c
CnChordFunction cn_chord_plane, cn_chord_box, cn_chord_hull;          // ray_flat.c

// The whole infinite line; planes then clip it.
static inline CnChord cn_chord_all(void) {
    return (CnChord){.enter = -INFINITY, .leave = INFINITY};
}

// Clips the interval to the slab |axis . x| <= half_width. False if nothing is left.
bool cn_chord_clip_slab(CnChord* chord, const CnLine* line, CnVec3 axis, double half_width);

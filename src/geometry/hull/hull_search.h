// hull_search.h - searches through all vertices or faces of a convex polyhedron.
#pragma once

#include "geometry/hull/hull.h"

// How low the hull reaches along a direction [m times its length], and the first vertex that does.
double cn_hull_lowest(const CnHull* hull, CnVec3 direction, int* vertex);

// The first face that faces a direction as much as any does, to within a tie [its length].
int cn_hull_first_facing(const CnHull* hull, CnVec3 direction, double tie);

// Faces that are looked at together: a block. The last is padded, with face 0 moved out to
// infinity: it is never the highest bound, and never faces more than all before it.
#define CN_HULL_BLOCK 128

// Faces of the block from `first` on, with what pads it.
static inline int cn_hull_block(const CnHull* hull, int first) {
    int left = cn_hull_padded(hull->face_count) - first;
    return left < CN_HULL_BLOCK ? left : CN_HULL_BLOCK;
}

// How much each face of the block faces a direction. Returns the one that does most, in the block;
// the first of equals.
int cn_hull_facings(const CnHull* hull, int first, CnVec3 direction, double facings[CN_HULL_BLOCK]);

// hull_search.h - searches through all vertices or faces of a convex polyhedron.
#pragma once

#include "geometry/hull.h"

// How low the hull reaches along a direction [m times its length], and the first vertex that does.
double cn_hull_lowest(const CnHull* hull, CnVec3 direction, int* vertex);

// Faces that are looked at together: a block. The last is padded, copies of face 0 at its end.
#define CN_HULL_BLOCK 128

static inline int cn_hull_block(const CnHull* hull, int first) {
    int left = cn_hull_padded(hull->face_count) - first;
    return left < CN_HULL_BLOCK ? left : CN_HULL_BLOCK;
}

// Of the block from `first` on: the height of a point above each face [m], and how much each faces
// a direction.
void cn_hull_heights(const CnHull* hull, int first, CnVec3 point, double heights[CN_HULL_BLOCK]);
void cn_hull_facings(const CnHull* hull, int first, CnVec3 direction,
                     double facings[CN_HULL_BLOCK]);

// The largest of count numbers, a multiple of CN_HULL_LANES; the first of equals.
int cn_largest(const double* numbers, int count);

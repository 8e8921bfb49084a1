// nearest_edges.h - nearest points of the edges of two convex polyhedra.
#pragma once

#include "collision/round/closest.h"
#include "collision/sat/sat.h"

// Edge i of a hull as a segment in the frame that pose is given in; NULL: its own.
CnSegment cn_hull_edge(const CnHull* hull, int edge, const CnRelativePose* pose);

// The nearest points of all edges of two disjoint hulls, in A's frame: those of the hulls
// themselves unless a vertex is nearest to the inside of a face. The axis separates the hulls;
// edges that are farther apart along it than the best pair so far, or than `within`, are not looked
// at. edges is which two. If all are farther apart than `within`, the distance is some number above
// it, maybe HUGE_VAL.
CnNearest cn_nearest_edges(const CnHull* a, const CnHull* b, const CnRelativePose* pose,
                           const CnSatAxis* axis, double within, int edges[2]);

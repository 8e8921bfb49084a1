// oracle.h - signed distances of convex shapes by brute force, in long double.
//
// Shares nothing with src/collision. A shape is a polyhedron (or a point, or a segment) with a
// disc, a ball or nothing rolled around it. The signed distance is the greatest separation over all
// directions, and the greatest is found by looking at every direction that can be it: normals of
// faces and discs, crossings of edges, lines between vertices and edges, rims against all of these.
// What is returned is the separation along a direction, so it is never above the distance.
#pragma once

#include "geometry/shape.h"

// Negative when they overlap [m]. Not for two planes.
long double oracle_distance(CnPlacedShape a, CnPlacedShape b);

// The separation along one direction of any length: a lower bound of the distance [m].
long double oracle_separation(CnPlacedShape a, CnPlacedShape b, CnVec3 direction);

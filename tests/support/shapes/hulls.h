// hulls.h - invariants of every convex polyhedron.
#pragma once

#include "geometry/hull/hull.h"

// Every loop and edge names what exists; every edge lies between two faces that run through it in
// opposite directions; all pairs of neighbours in loops are edges; V - E + F = 2; every face has at
// least three vertices and every vertex three faces.
const char* hull_topology_flaw(const CnHull* hull); // NULL: none
void check_hull_topology(const CnHull* hull);

// Normals are unit and outward; no vertex is more than tolerance [m] above any face; the vertices
// of a face are within tolerance of its plane; neighbours lie below each other's plane.
const char* hull_convexity_flaw(const CnHull* hull, double tolerance); // NULL: none
void check_hull_convexity(const CnHull* hull, double tolerance);

// The greatest height of a point above a face [m]; negative when all are inside.
double greatest_height(const CnHull* hull, const CnVec3* points, int count);

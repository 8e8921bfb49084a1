// sat_edges.h - the pair of edges whose cross product parts two convex polyhedra best.
#pragma once

#include "collision/sat.h"
#include "collision/sat_sides.h"

// Sets axes->edges, given the best faces and vertices of B in A and of A in B, which only save
// time. False as soon as a pair of edges shows more than margin.
bool cn_sat_edges(const CnHull* a, const CnHull* b, const CnRelativePose* pose,
                  const CnWitnesses* in_a, const CnWitnesses* in_b, double margin, double tie,
                  CnSatAxes* axes);

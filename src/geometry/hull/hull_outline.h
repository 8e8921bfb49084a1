// hull_outline.h - faces of a convex polyhedron in their planes.
#pragma once

#include "geometry/hull/hull.h"

// The axes of the outline of a face, and where its loop is.
void cn_outline_start(const CnHull* hull, int index, CnOutline* outline);

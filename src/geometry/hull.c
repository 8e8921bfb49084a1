// hull.c - convex polyhedra in one block of memory.
#include "geometry/hull.h"

#include "base/memory.h"

void cn_hull_free(CnHull* hull, const CnAllocator* allocator) {
    cn_release(allocator, hull);
}

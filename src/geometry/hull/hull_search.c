// hull_search.c - searches through all vertices or faces of a convex polyhedron.
#include "geometry/hull/hull_search_table.h"
#include "math/simd.h"

static const CnHullSearch* widest(void) {
    return CN_WIDEST(cn_hull_search);
}

double cn_hull_lowest(const CnHull* hull, CnVec3 direction, int* vertex) {
    return widest()->lowest(hull, direction, vertex);
}

int cn_hull_first_facing(const CnHull* hull, CnVec3 direction, double tie) {
    return widest()->facing(hull, direction, tie);
}

int cn_hull_facings(const CnHull* hull, int first, CnVec3 direction,
                    double facings[CN_HULL_BLOCK]) {
    return widest()->facings(hull, first, direction, facings);
}

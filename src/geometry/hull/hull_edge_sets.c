// hull_edge_sets.c - the edges of each face of a convex polyhedron, a bit each.
#include "geometry/hull/hull.h"

void cn_hull_lay_edge_sets(CnHull* hull, uint64_t* storage) {
    int sets = cn_hull_edge_sets(hull->edge_count);
    for (int i = 0; i < cn_hull_edge_words(hull->face_count, hull->edge_count); ++i) {
        storage[i] = 0;
    }
    for (int i = 0; i < hull->edge_count && sets > 0; ++i) {
        const CnHullEdge* edge = &hull->edges[i];
        storage[edge->left * sets + i / 64] |= UINT64_C(1) << i % 64;
        storage[edge->right * sets + i / 64] |= UINT64_C(1) << i % 64;
    }
    hull->edge_sets = sets > 0 ? storage : NULL;
}

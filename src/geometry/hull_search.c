// hull_search.c - searches through all vertices or faces of a convex polyhedron.
//
// Inner loops over CN_HULL_LANES entries are what compilers make vector instructions of; they do
// the same arithmetic, in the same order, as one entry after the other.
#include "geometry/hull_search.h"

#define LANES CN_HULL_LANES
#define VERTICES 64 // looked at together

// 0 if none is the number wanted: all may be NaN.
static int find(const double* numbers, int count, double wanted) {
    for (int i = 0; i < count; ++i) {
        if (numbers[i] == wanted) {
            return i;
        }
    }
    return 0;
}

static double least_of(const double* numbers, int count) {
    double least[LANES] = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
    for (int i = 0; i < count; i += LANES) {
        for (int k = 0; k < LANES; ++k) {
            least[k] = numbers[i + k] < least[k] ? numbers[i + k] : least[k];
        }
    }
    double a = least[0] < least[1] ? least[0] : least[1];
    double b = least[2] < least[3] ? least[2] : least[3];
    return a < b ? a : b;
}

// Products of a vector with count others.
static void project(const double* x, const double* y, const double* z, int count, CnVec3 v,
                    double* restrict products) {
    for (int i = 0; i < count; i += LANES) {
        for (int k = i; k < i + LANES; ++k) {
            products[k] = v.x * x[k] + v.y * y[k] + v.z * z[k];
        }
    }
}

double cn_hull_lowest(const CnHull* hull, CnVec3 direction, int* vertex) {
    const CnHullColumns* columns = &hull->columns;
    int padded = cn_hull_padded(hull->vertex_count);
    double heights[VERTICES], lowest = HUGE_VAL;
    *vertex = 0;
    for (int first = 0; first < padded; first += VERTICES) {
        int count = padded - first < VERTICES ? padded - first : VERTICES;
        project(columns->x + first, columns->y + first, columns->z + first, count, direction,
                heights);
        double low = least_of(heights, count);
        if (low < lowest) {
            lowest = low;
            *vertex = first + find(heights, count, low);
        }
    }
    return lowest;
}

void cn_hull_facings(const CnHull* hull, int first, CnVec3 direction,
                     double facings[CN_HULL_BLOCK]) {
    const CnHullColumns* columns = &hull->columns;
    project(columns->normal_x + first, columns->normal_y + first, columns->normal_z + first,
            cn_hull_block(hull, first), direction, facings);
}

void cn_hull_heights(const CnHull* hull, int first, CnVec3 point, double heights[CN_HULL_BLOCK]) {
    const double* offset = hull->columns.offset + first;
    double* restrict out = heights;
    cn_hull_facings(hull, first, point, heights);
    for (int i = 0, count = cn_hull_block(hull, first); i < count; i += LANES) {
        for (int k = i; k < i + LANES; ++k) {
            out[k] -= offset[k];
        }
    }
}

int cn_largest(const double* numbers, int count) {
    double most[LANES] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < count; i += LANES) {
        for (int k = 0; k < LANES; ++k) {
            most[k] = numbers[i + k] > most[k] ? numbers[i + k] : most[k];
        }
    }
    double a = most[0] > most[1] ? most[0] : most[1], b = most[2] > most[3] ? most[2] : most[3];
    return find(numbers, count, a > b ? a : b);
}

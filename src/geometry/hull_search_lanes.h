// hull_search_lanes.h - searches through vertices or faces, several at a time.
//
// Of equals the first is found, whatever the width of the registers.
#pragma once

#include "geometry/hull_lanes.h"
#include "geometry/hull_search_table.h"

LANE_FUNCTION Products normals(const CnHull* hull, int first, CnVec3 along) {
    const CnHullColumns* columns = &hull->columns;
    return products(columns->normal_x + first, columns->normal_y + first, columns->normal_z + first,
                    along);
}

// The largest number of each lane so far, and where it was first.
typedef struct Largest {
    Lanes most, at;
} Largest;

// 0, 1, ...
LANE_FUNCTION Lanes first_lanes(void) {
    Lanes numbers = {0.0};
    for (int k = 1; k < LANES; ++k) {
        numbers[k] = (double)k;
    }
    return numbers;
}

LANE_FUNCTION Largest nothing_yet(void) {
    return (Largest){all(-HUGE_VAL), all(0.0)};
}

LANE_FUNCTION void offer(Largest* largest, Lanes numbers, int i) {
    largest->at = either(numbers > largest->most, all((double)i), largest->at);
    largest->most = larger(numbers, largest->most);
}

// Of equals the first; 0 if there is none: all may be NaN.
LANE_FUNCTION int first_of_largest(const Largest* largest, double* most) {
    double best = largest->most[0], at = largest->at[0];
    for (int k = 1; k < LANES; ++k) {
        double number = largest->most[k], where = largest->at[k] + (double)k;
        bool is_more = number > best || (number == best && where < at);
        best = is_more ? number : best;
        at = is_more ? where : at;
    }
    *most = best;
    return best > -HUGE_VAL ? (int)at : 0;
}

static TARGET double lowest(const CnHull* hull, CnVec3 direction, int* vertex) {
    const CnHullColumns* columns = &hull->columns;
    Products depths = products(columns->x, columns->y, columns->z, cn_vec3_negate(direction));
    Largest deepest = nothing_yet();
    double depth;
    for (int i = 0, count = cn_hull_padded(hull->vertex_count); i < count; i += LANES) {
        offer(&deepest, product(&depths, i), i);
    }
    *vertex = first_of_largest(&deepest, &depth);
    return -depth;
}

static TARGET int facings_of(const CnHull* hull, int first, CnVec3 direction,
                             double facings[CN_HULL_BLOCK]) {
    Products along = normals(hull, first, direction);
    Largest largest = nothing_yet();
    double most;
    for (int i = 0, count = cn_hull_block(hull, first); i < count; i += LANES) {
        Lanes facing = product(&along, i);
        store(facing, facings + i);
        offer(&largest, facing, i);
    }
    return first_of_largest(&largest, &most);
}

static TARGET void heights_of(const CnHull* hull, int first, CnVec3 point,
                              double heights[CN_HULL_BLOCK]) {
    const double* offsets = hull->columns.offset + first;
    Products along = normals(hull, first, point);
    for (int i = 0, count = cn_hull_block(hull, first); i < count; i += LANES) {
        store(product(&along, i) - load(offsets + i), heights + i);
    }
}

static TARGET int bounds_of(const CnHull* hull, int first, CnVec3 point, double below,
                            double bounds[CN_HULL_BLOCK]) {
    const double* offsets = hull->columns.offset + first;
    Products along = normals(hull, first, point);
    Largest largest = nothing_yet();
    double most;
    for (int i = 0, count = cn_hull_block(hull, first); i < count; i += LANES) {
        Lanes bound = product(&along, i) - load(offsets + i) - all(below);
        store(bound, bounds + i);
        offer(&largest, bound, i);
    }
    return first_of_largest(&largest, &most);
}

// What is not a number is never the largest. The face that is left out is put to minus infinity in
// its lane: written alone before, it would keep the lanes waiting.
static TARGET int lower_bounds(const CnHull* hull, int first, CnVec3 point, int out,
                               double bounds[CN_HULL_BLOCK]) {
    const double* offsets = hull->columns.offset + first;
    Products along = normals(hull, first, point);
    Largest largest = nothing_yet();
    Lanes face = first_lanes();
    double most;
    for (int i = 0, count = cn_hull_block(hull, first); i < count; i += LANES) {
        Lanes height = product(&along, i) - load(offsets + i);
        Lanes before = either(face == all((double)out), all(-HUGE_VAL), load(bounds + i));
        Lanes bound = either(before < height, before, height);
        store(bound, bounds + i);
        offer(&largest, bound, i);
        face += (double)LANES;
    }
    return first_of_largest(&largest, &most);
}

#define SEARCH                                                                                     \
    { lowest, facings_of, heights_of, bounds_of, lower_bounds }

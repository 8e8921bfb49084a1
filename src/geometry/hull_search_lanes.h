// hull_search_lanes.h - searches through vertices or faces, several at a time.
//
// Of equals the first is found, whatever the width of the registers.
#pragma once

#include "geometry/hull_lanes.h"
#include "geometry/hull_search_table.h"

CN_LANE_FUNCTION Products normals(const CnHull* hull, int first, CnVec3 along) {
    const CnHullColumns* columns = &hull->columns;
    return products(columns->normal_x + first, columns->normal_y + first, columns->normal_z + first,
                    along);
}

// The largest number of each lane so far, and where it was first.
typedef struct Largest {
    CnLanes most, at;
} Largest;

// 0, 1, ...
CN_LANE_FUNCTION CnLanes first_lanes(void) {
    CnLanes numbers = {0.0};
    for (int k = 1; k < CN_LANES; ++k) {
        numbers[k] = (double)k;
    }
    return numbers;
}

CN_LANE_FUNCTION Largest nothing_yet(void) {
    return (Largest){cn_lanes(-HUGE_VAL), cn_lanes(0.0)};
}

CN_LANE_FUNCTION void offer(Largest* largest, CnLanes numbers, int i) {
    largest->at = either(numbers > largest->most, cn_lanes((double)i), largest->at);
    largest->most = larger(numbers, largest->most);
}

// Of equals the first; 0 if there is none: all may be NaN.
CN_LANE_FUNCTION int first_of_largest(const Largest* largest, double* most) {
    double best = largest->most[0], at = largest->at[0];
    for (int k = 1; k < CN_LANES; ++k) {
        double number = largest->most[k], where = largest->at[k] + (double)k;
        bool is_more = number > best || (number == best && where < at);
        best = is_more ? number : best;
        at = is_more ? where : at;
    }
    *most = best;
    return best > -HUGE_VAL ? (int)at : 0;
}

static CN_LANE_TARGET double lowest(const CnHull* hull, CnVec3 direction, int* vertex) {
    const CnHullColumns* columns = &hull->columns;
    Products depths = products(columns->x, columns->y, columns->z, cn_vec3_negate(direction));
    Largest deepest = nothing_yet();
    double depth;
    for (int i = 0, count = cn_hull_padded(hull->vertex_count); i < count; i += CN_LANES) {
        offer(&deepest, product(&depths, i), i);
    }
    *vertex = first_of_largest(&deepest, &depth);
    return -depth;
}

static CN_LANE_TARGET int facings_of(const CnHull* hull, int first, CnVec3 direction,
                                     double facings[CN_HULL_BLOCK]) {
    Products along = normals(hull, first, direction);
    Largest largest = nothing_yet();
    double most;
    for (int i = 0, count = cn_hull_block(hull, first); i < count; i += CN_LANES) {
        CnLanes facing = product(&along, i);
        cn_lanes_store(facing, facings + i);
        offer(&largest, facing, i);
    }
    return first_of_largest(&largest, &most);
}

static CN_LANE_TARGET void heights_of(const CnHull* hull, int first, CnVec3 point,
                                      double heights[CN_HULL_BLOCK]) {
    const double* offsets = hull->columns.offset + first;
    Products along = normals(hull, first, point);
    for (int i = 0, count = cn_hull_block(hull, first); i < count; i += CN_LANES) {
        cn_lanes_store(product(&along, i) - cn_lanes_load(offsets + i), heights + i);
    }
}

static CN_LANE_TARGET int bounds_of(const CnHull* hull, int first, CnVec3 point, double below,
                                    double bounds[CN_HULL_BLOCK]) {
    const double* offsets = hull->columns.offset + first;
    Products along = normals(hull, first, point);
    Largest largest = nothing_yet();
    double most;
    for (int i = 0, count = cn_hull_block(hull, first); i < count; i += CN_LANES) {
        CnLanes bound = product(&along, i) - cn_lanes_load(offsets + i) - cn_lanes(below);
        cn_lanes_store(bound, bounds + i);
        offer(&largest, bound, i);
    }
    return first_of_largest(&largest, &most);
}

// What is not a number is never the largest. The face that is left out is put to minus infinity in
// its lane: written alone before, it would keep the lanes waiting.
static CN_LANE_TARGET int lower_bounds(const CnHull* hull, int first, CnVec3 point, int out,
                                       double bounds[CN_HULL_BLOCK]) {
    const double* offsets = hull->columns.offset + first;
    Products along = normals(hull, first, point);
    Largest largest = nothing_yet();
    CnLanes face = first_lanes();
    double most;
    for (int i = 0, count = cn_hull_block(hull, first); i < count; i += CN_LANES) {
        CnLanes height = product(&along, i) - cn_lanes_load(offsets + i);
        CnLanes before =
            either(face == cn_lanes((double)out), cn_lanes(-HUGE_VAL), cn_lanes_load(bounds + i));
        CnLanes bound = either(before < height, before, height);
        cn_lanes_store(bound, bounds + i);
        offer(&largest, bound, i);
        face += (double)CN_LANES;
    }
    return first_of_largest(&largest, &most);
}

#define SEARCH                                                                                     \
    { lowest, facings_of, heights_of, bounds_of, lower_bounds }

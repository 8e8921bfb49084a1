// hull_search_lanes.h - searches through vertices or faces, several at a time.
//
// Of equals the first is found, whatever the width of the registers.
#pragma once

#include "geometry/hull/hull_lanes.h"
#include "geometry/hull/hull_search_table.h"

CN_LANE_FUNCTION Products normals(const CnHull* hull, int first, CnVec3 along) {
    const CnHullColumns* columns = &hull->columns;
    return products(columns->normal_x + first, columns->normal_y + first, columns->normal_z + first,
                    along);
}

// The largest number of each lane so far, and minus where it was first and where the next ones are:
// the largest of these is the first place.
typedef struct Largest {
    CnLanes most, at, next;
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
    return (Largest){cn_lanes(-HUGE_VAL), -first_lanes(), -first_lanes()};
}

CN_LANE_FUNCTION void offer(Largest* largest, CnLanes numbers) {
    largest->at = cn_select(numbers > largest->most, largest->next, largest->at);
    largest->most = cn_lanes_max(largest->most, numbers);
    largest->next -= (double)CN_LANES;
}

// Of equals the first; 0 if there is none: all may be NaN. No branches: which lane it is in would
// be a surprise each time.
CN_LANE_FUNCTION int first_of_largest(const Largest* largest, double* most) {
    CnLanes best = cn_lanes_max_across(largest->most);
    CnLanes at =
        cn_lanes_max_across(cn_select(largest->most == best, largest->at, cn_lanes(-HUGE_VAL)));
    *most = best[0];
    return *most > -HUGE_VAL ? -(int)at[0] : 0;
}

// How far the hull reaches along a direction, and the first vertex that does.
CN_LANE_FUNCTION double farthest(const CnHull* hull, CnVec3 direction, int* vertex) {
    const CnHullColumns* columns = &hull->columns;
    Products reaches = products(columns->x, columns->y, columns->z, direction);
    Largest largest = nothing_yet();
    double most;
    for (int i = 0, count = cn_hull_padded(hull->vertex_count); i < count; i += CN_LANES) {
        offer(&largest, product(&reaches, i));
    }
    *vertex = first_of_largest(&largest, &most);
    return most;
}

CN_LANE_FUNCTION double lowest(const CnHull* hull, CnVec3 direction, int* vertex) {
    return -farthest(hull, cn_vec3_negate(direction), vertex);
}

#define WORD_BITS 64 // numbers that have a bit each in one word

// Those of a few numbers that are at least so much, one bit each.
CN_LANE_FUNCTION uint64_t at_least(const double* numbers, int count, CnLanes least) {
    uint64_t found = 0;
    for (int i = 0; i < count; i += CN_LANES) {
        found |= (uint64_t)cn_mask_bits(cn_lanes_load(numbers + i) >= least) << i;
    }
    return found;
}

// 0 if there is none.
CN_LANE_FUNCTION int first_at_least(const double* numbers, int count, double least) {
    for (int i = 0; i < count; i += WORD_BITS) {
        int left = count - i;
        uint64_t found =
            at_least(numbers + i, left < WORD_BITS ? left : WORD_BITS, cn_lanes(least));
        if (found != 0) {
            return i + __builtin_ctzll(found);
        }
    }
    return 0;
}

CN_LANE_FUNCTION int facing_of(const CnHull* hull, CnVec3 direction, double tie) {
    int best = 0;
    double most = -HUGE_VAL;
    for (int first = 0; first < hull->face_count; first += CN_HULL_BLOCK) {
        Products along = normals(hull, first, direction);
        CnLanes highest = cn_lanes(-HUGE_VAL);
        double facings[CN_HULL_BLOCK];
        int count = cn_hull_block(hull, first);
        for (int i = 0; i < count; i += CN_LANES) {
            CnLanes facing = product(&along, i);
            cn_lanes_store(facing, facings + i);
            highest = cn_lanes_max(highest, facing);
        }
        double here = cn_lanes_max_across(highest)[0];
        if (here > most + tie) {
            most = here;
            best = first + first_at_least(facings, count, most - tie);
        }
    }
    return best;
}

CN_LANE_FUNCTION int facings_of(const CnHull* hull, int first, CnVec3 direction,
                                double facings[CN_HULL_BLOCK]) {
    Products along = normals(hull, first, direction);
    Largest largest = nothing_yet();
    double most;
    for (int i = 0, count = cn_hull_block(hull, first); i < count; i += CN_LANES) {
        CnLanes facing = product(&along, i);
        cn_lanes_store(facing, facings + i);
        offer(&largest, facing);
    }
    return first_of_largest(&largest, &most);
}

// Of a hull with few faces. Returns the largest, in all lanes.
CN_LANE_FUNCTION CnLanes heights_and_most(const CnHull* hull, CnVec3 point,
                                          double heights[WORD_BITS]) {
    const double* offsets = hull->columns.offset;
    Products along = normals(hull, 0, point);
    CnLanes most = cn_lanes(-HUGE_VAL);
    for (int i = 0, count = cn_hull_padded(hull->face_count); i < count; i += CN_LANES) {
        CnLanes height = product(&along, i) - cn_lanes_load(offsets + i);
        cn_lanes_store(height, heights + i);
        most = cn_lanes_max(most, height);
    }
    return cn_lanes_max_across(most);
}

// Heights less `below`. Returns the face of the largest, in the block; the first of equals.
CN_LANE_FUNCTION int bounds_of(const CnHull* hull, int first, CnVec3 point, double below,
                               double bounds[CN_HULL_BLOCK]) {
    const double* offsets = hull->columns.offset + first;
    Products along = normals(hull, first, point);
    Largest largest = nothing_yet();
    double most;
    for (int i = 0, count = cn_hull_block(hull, first); i < count; i += CN_LANES) {
        CnLanes bound = product(&along, i) - cn_lanes_load(offsets + i) - cn_lanes(below);
        cn_lanes_store(bound, bounds + i);
        offer(&largest, bound);
    }
    return first_of_largest(&largest, &most);
}

#define SEARCH                                                                                     \
    { lowest, facing_of, facings_of }

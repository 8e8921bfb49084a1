// sat_side_lanes.h - which edges of a convex polyhedron may part it from another.
//
// The file that includes it says how many sides are looked at together: math/lanes.h.
#pragma once

#include "collision/sat_functions.h"
#include "geometry/hull_lanes.h"

// A search for edges of one hull that may part the two by more than limit <= 0. docs/theory/sat.md
// (8): those of which no witness, a point of the other hull, is that deep under both faces, and
// (13): nor the ball inside the other hull. One of the two faces is high: the point is more than
// this above it.
typedef struct SideSearch {
    const CnHull* hull; // with columns of what is beyond
    const CnWitnesses* witnesses;
    double limit; // [m]
    double high;  // [m]
    CnVec3 point; // the ball's centre, or the first witness
} SideSearch;

#define SIDES_AT_ONCE 64

// Planes in columns: the height of a point above each [m].
CN_LANE_FUNCTION CnLanes heights(const double* const columns[4], int i, CnVec3 point) {
    return cn_lanes(point.x) * cn_lanes_load(columns[0] + i) +
           cn_lanes(point.y) * cn_lanes_load(columns[1] + i) +
           cn_lanes(point.z) * cn_lanes_load(columns[2] + i) - cn_lanes_load(columns[3] + i);
}

CN_LANE_FUNCTION uint64_t high_faces(const SideSearch* search, int first) {
    const CnHullColumns* columns = &search->hull->columns;
    const double* const planes[4] = {columns->normal_x + first, columns->normal_y + first,
                                     columns->normal_z + first, columns->offset + first};
    int left = cn_hull_padded(search->hull->face_count) - first;
    int count = left < SIDES_AT_ONCE ? left : SIDES_AT_ONCE;
    uint64_t found = 0;
    for (int i = 0; i < count; i += CN_LANES) {
        CnLanes height = heights(planes, i, search->point);
        found |= (uint64_t)bits(height > search->high) << i;
    }
    return found;
}

// docs/theory/sat.md (13), of the edges between a face, a below the centre of the ball, and those
// whose planes are at i: no direction of the arc has the ball higher than it is above a face, or
// than its centre is away from the edge if the arc has the direction from there to the centre.
CN_LANE_FUNCTION CnLaneBits ball_beats(const SideSearch* search, const double* const planes[4],
                                       int i, CnVec3 normal, double a) {
    double most = search->limit + search->witnesses->radius;
    CnLanes b = heights(planes, i, search->witnesses->center);
    CnLanes cosine = cn_lanes(normal.x) * cn_lanes_load(planes[0] + i) +
                     cn_lanes(normal.y) * cn_lanes_load(planes[1] + i) +
                     cn_lanes(normal.z) * cn_lanes_load(planes[2] + i);
    CnLanes square = a * a + b * b - 2.0 * cosine * a * b;
    CnLaneBits is_past_an_end = (b <= cosine * a) | (cn_lanes(a) <= cosine * b);
    CnLaneBits is_near =
        square <= cn_lanes(most > 0.0 ? most * most : -HUGE_VAL) * (1.0 - cosine * cosine);
    return (cn_lanes(a) <= cn_lanes(most)) & (b <= cn_lanes(most)) & (is_past_an_end | is_near);
}

// Sides of a face from some corner on whose edges may part the hulls, one bit each.
CN_LANE_FUNCTION uint64_t counting_sides(const SideSearch* search, int index, int corner) {
    const CnHullColumns* columns = &search->hull->columns;
    const CnHullFace* face = &search->hull->faces[index];
    const CnWitnesses* witnesses = search->witnesses;
    int first = face->first + corner, left = face->count - corner;
    int count = left < SIDES_AT_ONCE ? left : SIDES_AT_ONCE;
    const double* const planes[4] = {columns->beyond_x + first, columns->beyond_y + first,
                                     columns->beyond_z + first, columns->beyond_offset + first};
    double center = cn_vec3_dot(face->normal, witnesses->center) - face->offset;
    double
        limits[CN_WITNESSES]; // of the height above what is beyond; those not deep here have none
    for (int k = 0; k < witnesses->count; ++k) {
        double height = cn_vec3_dot(face->normal, witnesses->points[k]) - face->offset;
        limits[k] = height <= search->limit ? search->limit : -HUGE_VAL;
    }
    uint64_t found = 0;
    for (int i = 0; i < count; i += CN_LANES) {
        CnLaneBits beaten = ball_beats(search, planes, i, face->normal, center);
        for (int k = 0; k < witnesses->count; ++k) {
            beaten |= heights(planes, i, witnesses->points[k]) <= cn_lanes(limits[k]);
        }
        found |= (uint64_t)bits(~beaten) << i;
    }
    return found & ~UINT64_C(0) >> (SIDES_AT_ONCE - count);
}

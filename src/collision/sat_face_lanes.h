// sat_face_lanes.h - the face whose normal parts two convex polyhedra best.
//
// The file that includes it says how many faces are looked at together: math/lanes.h.
#pragma once

#include "collision/sat_functions.h"
#include "geometry/hull_search_lanes.h"

#include <float.h>

// The first place is for that of the best face; when all are taken, the last gives way.
CN_LANE_FUNCTION CnVec3 add_witness(CnFaceSearch* search, int vertex, bool is_best) {
    CnWitnesses* witnesses = &search->witnesses;
    CnVec3 point = cn_relative_pose_place(search->pose, search->other->vertices[vertex]);
    int last = witnesses->count < CN_WITNESSES ? witnesses->count++ : CN_WITNESSES - 1;
    witnesses->points[last] = is_best ? witnesses->points[0] : point;
    witnesses->points[0] = is_best ? point : witnesses->points[0];
    return point;
}

// docs/theory/sat.md (2): how far the lowest vertex of the other, a new witness, is above a face.
// Of equals the face of lower index is kept, whatever the order of the search. False: more than
// margin.
CN_LANE_FUNCTION bool try_face(CnFaceSearch* search, int i, CnVec3* witness) {
    const CnHullFace* face = &search->hull->faces[i];
    const CnRelativePose* pose = search->pose;
    CnVec3 down = cn_mat3_apply_transposed(&pose->turn, face->normal);
    double height = cn_vec3_dot(face->normal, pose->offset) - face->offset;
    int vertex;
    double separation = height + lowest(search->other, down, &vertex);
    if (separation > search->margin) {
        return false;
    }
    bool is_best = separation > search->most + search->tie ||
                   (separation >= search->most - search->tie && i < search->best);
    if (is_best) {
        search->separation = separation;
        search->best = i;
    }
    search->most = separation > search->most ? separation : search->most;
    *witness = add_witness(search, vertex, is_best);
    return true;
}

// What a face must show to be the best [m]; less by round-off may be as much. Those tried are
// bounded by minus infinity, which is not enough.
CN_LANE_FUNCTION double least_bound(const CnFaceSearch* search) {
    double wanted = search->most + (search->best < 0 ? search->tie : -search->tie);
    double least = wanted - search->round_off;
    return least > -DBL_MAX ? least : -DBL_MAX;
}

// Whether some face but the one that was tried last may be the best.
CN_LANE_FUNCTION bool others_may_be_best(const CnFaceSearch* search, int first, int tried,
                                         const double bounds[CN_HULL_BLOCK]) {
    CnLanes least = cn_lanes(least_bound(search)), face = first_lanes();
    CnLaneBits found = face < 0.0;
    for (int i = 0, count = cn_hull_block(search->hull, first); i < count; i += CN_LANES) {
        found |= (cn_lanes_load(bounds + i) >= least) & (face != cn_lanes((double)tried));
        face += (double)CN_LANES;
    }
    return bits(found) != 0;
}

// docs/theory/sat.md (7) and (12): no face parts the hulls by more than its bound, the height of
// the ball inside the other hull or of a witness. Returns the face of the highest.
CN_LANE_FUNCTION int bound_block(const CnFaceSearch* search, int first,
                                 double bounds[CN_HULL_BLOCK]) {
    const CnWitnesses* witnesses = &search->witnesses;
    int likeliest = bounds_of(search->hull, first, witnesses->center, witnesses->radius, bounds);
    for (int k = 0; k < witnesses->count; ++k) {
        likeliest = lower_bounds(search->hull, first, witnesses->points[k], -1, bounds);
    }
    return likeliest;
}

// The face of the highest bound is tried first, until those left clearly cannot be the best: most
// often after one or two. One is tried at least, for its witness.
CN_LANE_FUNCTION bool search_block(CnFaceSearch* search, int first) {
    CnVec3 witness;
    double bounds[CN_HULL_BLOCK];
    int likeliest = bound_block(search, first, bounds);
    while (bounds[likeliest] >= least_bound(search) || search->witnesses.count == 0) {
        if (!try_face(search, first + likeliest, &witness)) {
            return false;
        }
        if (!others_may_be_best(search, first, likeliest, bounds)) {
            return true;
        }
        likeliest = lower_bounds(search->hull, first, witness, likeliest, bounds);
    }
    return true;
}

static CN_LANE_TARGET bool best_face(CnFaceSearch* search) {
    for (int first = 0; first < search->hull->face_count; first += CN_HULL_BLOCK) {
        if (!search_block(search, first)) {
            return false;
        }
    }
    return true;
}

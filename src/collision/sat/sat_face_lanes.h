// sat_face_lanes.h - the face normal of the largest separation.
//
// The file that includes it says how many faces are looked at together: math/simd.h.
#pragma once

#include "collision/sat/sat_functions.h"
#include "geometry/hull/hull_search_lanes.h"
#include "math/simd.h"

#include <float.h>

// Three numbers; the fourth is undefined. Loaded in two parts: a load of what was stored in parts
// just before would have to wait.
CN_LANE_FUNCTION CnDouble4 row_of(const void* three) {
    CnDouble2 start;
    double last;
    memcpy(&start, three, sizeof start);
    memcpy(&last, (const double*)three + 2, sizeof last);
    CnDouble2 end = last - (CnDouble2){0.0};
    return __builtin_shufflevector(start, end, 0, 1, 2, 3);
}

CN_LANE_FUNCTION CnVec3 vector_of(CnDouble4 row) {
    return cn_vec3(row[0], row[1], row[2]);
}

// A rotation by its columns: where it takes the axes.
typedef struct Turn {
    CnDouble4 x, y, z;
} Turn;

CN_LANE_FUNCTION Turn turn_of_rows(const CnMat3* transposed) {
    const double(*rows)[3] = transposed->m;
    return (Turn){row_of(rows[0]), row_of(rows[1]), row_of(rows[2])};
}

// With the bits of cn_mat3_apply().
CN_LANE_FUNCTION CnDouble4 turned(const Turn* turn, CnVec3 v) {
    return v.x * turn->x + v.y * turn->y + v.z * turn->z;
}

// How the other hull lies in the frame of the one whose faces are looked at.
typedef struct Placement {
    Turn turn;        // from the other's axes to the hull's
    Turn back;        // the reverse
    CnDouble4 offset; // of the other's origin [m]
} Placement;

// The pose of the other hull in the frame of this one. The rows of the reverse turn are the columns
// of the turn.
CN_LANE_FUNCTION Placement placement_of(const CnFaceSearch* search) {
    return (Placement){turn_of_rows(&search->back->turn), turn_of_rows(&search->pose->turn),
                       row_of(&search->pose->offset)};
}

CN_LANE_FUNCTION CnVec3 place(const Placement* placement, CnVec3 point) {
    return vector_of(placement->offset + turned(&placement->turn, point));
}

// docs/theory/collision/sat.md (2): how far the lowest vertex of the other is above a face [m].
CN_LANE_FUNCTION double face_separation(const CnFaceSearch* search, const Placement* placement,
                                        const CnHullFace* face, int* vertex) {
    CnVec3 down = vector_of(-turned(&placement->back, face->normal));
    double height = cn_vec3_dot(face->normal, vector_of(placement->offset)) - face->offset;
    return height - farthest(search->other, down, vertex);
}

// The first place is for that of the best face; when all are taken, the last gives way.
CN_LANE_FUNCTION void add_witness(CnWitnesses* witnesses, CnVec3 point, bool is_best) {
    int last = witnesses->count < CN_WITNESSES ? witnesses->count++ : CN_WITNESSES - 1;
    witnesses->points[last] = is_best ? witnesses->points[0] : point;
    witnesses->points[0] = is_best ? point : witnesses->points[0];
}

// The lowest vertex of the other is a new witness. Of equals the face of lower index is kept,
// whatever the order of the search. False: it is higher than margin.
CN_LANE_FUNCTION bool try_face(CnFaceSearch* search, const Placement* placement, int i,
                               CnVec3* witness) {
    int vertex;
    double separation = face_separation(search, placement, &search->hull->faces[i], &vertex);
    if (separation > search->margin) {
        return false;
    }
    bool is_best = separation > search->most + search->tie ||
                   (separation >= search->most - search->tie && i < search->best);
    if (is_best) {
        search->separation = separation;
        search->best = i;
    }
    search->likely = is_best || search->witnesses.count == 0 ? i : search->likely;
    search->most = separation > search->most ? separation : search->most;
    *witness = place(placement, search->other->vertices[vertex]);
    add_witness(&search->witnesses, *witness, is_best);
    return true;
}

// What a face must show to be the best [m]; less by round-off may be as much. Those tried are
// bounded by minus infinity, which is not enough.
CN_LANE_FUNCTION double least_bound(const CnFaceSearch* search) {
    double wanted = search->most + (search->best < 0 ? search->tie : -search->tie);
    double least = wanted - search->round_off;
    return least > -DBL_MAX ? least : -DBL_MAX;
}

// Faces of a block that may be the best are a few of many. They are kept as the groups they are in,
// CN_LANES neighbours that are looked at together; other groups are not looked at again.
typedef struct FaceGroups {
    int first;                            // of the block
    int count;                            // of groups
    int groups[CN_HULL_BLOCK / CN_LANES]; // where they start in the block
    double bounds[CN_HULL_BLOCK];         // of separations of all faces [m]
} FaceGroups;

// Keeps a group if a face of it may be the best. Returns how many are kept. No branches: they would
// be mispredicted.
CN_LANE_FUNCTION int keep_group(FaceGroups* candidates, int kept, int group, CnLanes bounds,
                                CnLanes least) {
    candidates->groups[kept] = group;
    return kept + (cn_mask_bits(bounds >= least) != 0);
}

// Of all faces of a block those whose bounds are enough.
CN_LANE_FUNCTION void find_candidates(const CnFaceSearch* search, FaceGroups* candidates) {
    CnLanes least = cn_lanes(least_bound(search));
    int kept = 0;
    for (int i = 0, count = cn_hull_block(search->hull, candidates->first); i < count;
         i += CN_LANES) {
        kept = keep_group(candidates, kept, i, cn_lanes_load(candidates->bounds + i), least);
    }
    candidates->count = kept;
}

// docs/theory/collision/sat.md (7): the separation along a face normal is at most the height of a
// witness above the face. The face that was tried is put to minus infinity in its lane: written
// alone before, it would keep the lanes waiting. What is not a number is never enough.
CN_LANE_FUNCTION void lower_candidates(const CnFaceSearch* search, CnVec3 witness, int tried,
                                       FaceGroups* candidates) {
    const double* offsets = search->hull->columns.offset + candidates->first;
    Products along = normals(search->hull, candidates->first, witness);
    CnLanes least = cn_lanes(least_bound(search)), lanes = first_lanes();
    int kept = 0;
    for (int k = 0; k < candidates->count; ++k) {
        int i = candidates->groups[k];
        CnLaneBits is_tried = lanes == cn_lanes((double)(tried - i));
        CnLanes height = product(&along, i) - cn_lanes_load(offsets + i);
        CnLanes before =
            cn_select(is_tried, cn_lanes(-HUGE_VAL), cn_lanes_load(candidates->bounds + i));
        CnLanes bound = cn_lanes_min(height, before);
        cn_lanes_store(bound, candidates->bounds + i);
        kept = keep_group(candidates, kept, i, bound, least);
    }
    candidates->count = kept;
}

// The face of the highest bound, in the block; of equals the first.
CN_LANE_FUNCTION int likeliest_of(const FaceGroups* candidates, double* bound) {
    Largest largest = nothing_yet();
    for (int k = 0; k < candidates->count; ++k) {
        int i = candidates->groups[k];
        largest.next = -first_lanes() - (double)i;
        offer(&largest, cn_lanes_load(candidates->bounds + i));
    }
    return first_of_largest(&largest, bound);
}

// Of those left the face of the highest bound is next, until none can be the best.
CN_LANE_FUNCTION bool try_candidates(CnFaceSearch* search, const Placement* placement,
                                     FaceGroups* candidates) {
    double bound;
    int likeliest = likeliest_of(candidates, &bound);
    while (bound >= least_bound(search)) {
        CnVec3 witness;
        if (!try_face(search, placement, candidates->first + likeliest, &witness)) {
            return false;
        }
        lower_candidates(search, witness, likeliest, candidates);
        likeliest = likeliest_of(candidates, &bound);
    }
    return true;
}

// docs/theory/collision/sat.md (12): the separation along a face normal is at most the height above
// the face of the ball inside the other hull. The face of the highest bound is tried first, for its
// witness; most often that leaves few others.
static CN_LANE_TARGET bool search_blocks(CnFaceSearch* search, const Placement* placement) {
    const CnWitnesses* witnesses = &search->witnesses;
    FaceGroups candidates;
    for (int first = 0; first < search->hull->face_count; first += CN_HULL_BLOCK) {
        int tried = -1, likeliest = bounds_of(search->hull, first, witnesses->center,
                                              witnesses->radius, candidates.bounds);
        if (witnesses->count == 0) {
            CnVec3 witness;
            tried = likeliest;
            if (!try_face(search, placement, first + tried, &witness)) {
                return false;
            }
        }
        candidates.first = first;
        find_candidates(search, &candidates);
        for (int k = 0; k < witnesses->count; ++k) {
            lower_candidates(search, witnesses->points[k], tried, &candidates);
        }
        if (!try_candidates(search, placement, &candidates)) {
            return false;
        }
    }
    return true;
}

// docs/theory/collision/sat.md (21): the separation of the face with the highest bound is at least
// that bound less the difference of the radii of the balls around and inside the other hull.
// Returns the faces that may reach that, one bit each. Where nothing is finite, padding lanes seem
// to be as high.
CN_LANE_FUNCTION uint64_t faces_worth_a_try(const CnFaceSearch* search, double heights[WORD_BITS]) {
    const CnHull *hull = search->hull, *other = search->other;
    double less = other->outer - other->inner + search->tie + 2.0 * search->round_off;
    CnLanes highest = heights_and_most(hull, search->witnesses.center, heights);
    uint64_t faces = UINT64_MAX >> (WORD_BITS - hull->face_count);
    return faces & at_least(heights, cn_hull_padded(hull->face_count), highest - less);
}

#define TRIED_IN_TURN 3 // faces at most: to choose among them first would cost more

// Most hulls have few faces, and most often one of them is worth a try. One is tried at least, for
// its witness.
CN_LANE_FUNCTION bool best_face(CnFaceSearch* search, const Placement* placement) {
    double heights[WORD_BITS]; // of the ball's centre [m]
    bool has_few = search->hull->face_count <= WORD_BITS;
    uint64_t worth = has_few ? faces_worth_a_try(search, heights) : 0;
    if (worth == 0 || __builtin_popcountll(worth) > TRIED_IN_TURN) {
        return search_blocks(search, placement);
    }
    for (; worth != 0; worth &= worth - 1) {
        int i = __builtin_ctzll(worth);
        double bound = heights[i] - search->witnesses.radius;
        if (search->witnesses.count == 0 || bound >= least_bound(search)) {
            CnVec3 witness;
            if (!try_face(search, placement, i, &witness)) {
                return false;
            }
        }
    }
    return true;
}

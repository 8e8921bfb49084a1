// box_write.h - contact points of pairs of boxes, from what was found out side by side.
#pragma once

#include "collision/box/box_deepest.h"
#include "collision/box/box_points.h"
#include "collision/hull/choose_lanes.h"

// The reference face in the world, and the normal of the contact. Points are at `middle` of the
// face, plus u and v along its axes, plus half the height along its normal.
typedef struct ReferenceRows {
    CnDouble4 middle, u, v, half; // the last is half the unit outward normal
    CnDouble4 normal;
} ReferenceRows;

CN_LANE_FUNCTION ReferenceRows reference_rows(const CnBoxBlock* found, int i) {
    static const int next[4] = {1, 2, 0, 1};
    const CnPlacedPolyhedron* box = found->boxes[cn_whole(found->owner[i])][i];
    uint32_t axis = cn_whole(found->axis[i]);
    CnDouble4 out = found->outward[i] * cn_double4_load(box->axes[axis]);
    CnDouble4 u = cn_double4_load(box->axes[next[axis]]),
              v = cn_double4_load(box->axes[next[axis + 1]]);
    return (ReferenceRows){
        .middle = cn_double4_load(box->center) + box->axes[axis][3] * out,
        .u = u,
        .v = v,
        .half = 0.5 * out,
        .normal = found->normal[0][i] * u + found->normal[1][i] * v + found->normal[2][i] * out,
    };
}

_Static_assert(offsetof(CnManifoldPoint, normal) == 3 * sizeof(double) &&
                   offsetof(CnManifoldPoint, gap) == 6 * sizeof(double),
               "point, normal and gap follow each other");

// Candidate k. Four numbers at a time: what the first row has too much the second puts right.
CN_LANE_FUNCTION void write_point(const CnBoxBlock* found, int i, unsigned k,
                                  const ReferenceRows* rows, CnManifoldPoint* point) {
    CnDouble4 at = rows->middle + found->u[k][i] * rows->u + found->v[k][i] * rows->v +
                   found->height[k][i] * rows->half;
    CnDouble4 gap = found->gap[k][i] - (CnDouble4){0.0};
    CnDouble4 normal = __builtin_shufflevector(rows->normal, gap, 0, 1, 2, 7);
    memcpy(&point->point, &at, sizeof at);
    memcpy(&point->normal, &normal, sizeof normal);
    point->feature = cn_whole(found->keys[k][i]);
}

CN_LANE_STAGE void write_crossing(const CnBoxBlock* found, int i) {
    ReferenceRows rows = reference_rows(found, i);
    write_point(found, i, CN_DEEPEST, &rows, &found->contacts[i]->points[0]);
    found->contacts[i]->count = 1;
}

// Four points are written, however many there are: a branch would be taken at random.
CN_LANE_FUNCTION void write_corners(const CnBoxBlock* found, int i) {
    ReferenceRows rows = reference_rows(found, i);
    CnBoxContact* contact = found->contacts[i];
    unsigned kept = (unsigned)found->kept[i], left = kept;
    CN_UNROLLED
    for (int n = 0; n < CN_MANIFOLD_POINTS; ++n, left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctz(left | 1u << CN_DEEPEST);
        write_point(found, i, k, &rows, &contact->points[n]);
    }
    contact->count = __builtin_popcount(kept);
}

// Copies what was found of a pair that has too many candidates to a place in another block, where
// it waits for company: choosing pays if all lanes have to.
CN_LANE_STAGE void wait_for_choice(const CnBoxBlock* found, int i, CnBoxBlock* waiting) {
    int j = waiting->count++;
    waiting->boxes[0][j] = found->boxes[0][i];
    waiting->boxes[1][j] = found->boxes[1][i];
    waiting->contacts[j] = found->contacts[i];
    waiting->size[j] = found->size[i];
    waiting->owner[j] = found->owner[i];
    waiting->axis[j] = found->axis[i];
    waiting->outward[j] = found->outward[i];
    for (int x = 0; x < 3; ++x) {
        waiting->normal[x][j] = found->normal[x][i];
    }
    CN_UNROLLED
    for (int k = 0; k < CN_BOX_CANDIDATES; ++k) {
        waiting->u[k][j] = found->u[k][i];
        waiting->v[k][j] = found->v[k][i];
        waiting->gap[k][j] = found->gap[k][i];
        waiting->height[k][j] = found->height[k][i];
        waiting->keys[k][j] = found->keys[k][i];
    }
}

CN_LANE_FUNCTION bool has_too_many(const CnBoxBlock* found, int i) {
    return __builtin_popcount((unsigned)found->kept[i]) > CN_MANIFOLD_POINTS;
}

// Of the pair in lane i.
CN_LANE_FUNCTION void write_contact(const CnBoxBlock* found, int i, CnBoxBlock* waiting) {
    CnBoxMeeting meeting = (CnBoxMeeting)found->meeting[i];
    if (meeting == CN_BOXES_ON_FACES) {
        if (has_too_many(found, i)) {
            wait_for_choice(found, i, waiting);
        } else {
            write_corners(found, i);
        }
    } else if (meeting == CN_BOXES_ON_EDGES) {
        write_crossing(found, i);
    } else if (meeting == CN_BOXES_DISJOINT) {
        cn_box_points_of_disjoint(found, i, (int)cn_whole(found->first[i]));
    } else {
        found->contacts[i]->count = 0;
    }
}

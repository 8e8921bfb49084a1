// box_write.h - contact points of pairs of boxes, from what was found out side by side.
#pragma once

#include "collision/box_choose.h"
#include "collision/box_points.h"

// The columns of a box's axes, weighted.
CN_LANE_FUNCTION CnRow apply_axes(const CnPlacedBox* box, const double (*local)[CN_BLOCK],
                                  int lane) {
    return local[0][lane] * cn_row_load(box->axes[0]) + local[1][lane] * cn_row_load(box->axes[1]) +
           local[2][lane] * cn_row_load(box->axes[2]);
}

_Static_assert(offsetof(CnManifoldPoint, normal) == 3 * sizeof(double) &&
                   offsetof(CnManifoldPoint, gap) == 6 * sizeof(double),
               "point, normal and gap follow each other");

// Four numbers at a time: what the first row has too much the second puts right.
CN_LANE_FUNCTION void write_point(CnRow at, CnRow normal, double gap, double key,
                                  CnManifoldPoint* point) {
    normal[3] = gap;
    memcpy(&point->point, &at, sizeof at);
    memcpy(&point->normal, &normal, sizeof normal);
    point->feature = (uint32_t)key;
}

CN_LANE_FUNCTION void write_crossing(const CnBoxBlock* found, int i) {
    const CnPlacedBox* first = cn_box_first(found, i);
    CnRow at = cn_row_load(first->center) + apply_axes(first, found->point, i);
    write_point(at, apply_axes(first, found->normal, i), found->least_gap[i], found->key[i],
                &found->contacts[i]->points[0]);
    found->contacts[i]->count = 1;
}

CN_LANE_FUNCTION CnRow select_row(bool first, CnRow one, CnRow other) {
    const CnRowBits mask = -(int64_t)first | (CnRowBits){0};
    return (CnRow)(((CnRowBits)one & mask) | ((CnRowBits)other & ~mask));
}

// Corners are midway between the reference face and the other box: at `middle` of the face, plus u
// and v along its axes, plus half the height along its normal. Four points are written, however
// many there are, and the normal is chosen from two: a branch would be taken at random.
CN_LANE_STAGE void write_corners(const CnBoxBlock* found, int i) {
    static const int next[4] = {1, 2, 0, 1};
    const CnPlacedBox* box = found->boxes[(int)found->owner[i]][i];
    int axis = (int)found->axis[i];
    CnRow own = cn_row_load(box->axes[axis]), out = found->outward[i] * own;
    CnRow u = cn_row_load(box->axes[next[axis]]), v = cn_row_load(box->axes[next[axis + 1]]);
    CnRow middle = cn_row_load(box->center) + box->axes[axis][3] * out, half = 0.5 * out;
    CnRow of_edges = apply_axes(cn_box_first(found, i), found->normal, i);
    CnRow normal = select_row(found->crossed[i] != 0.0, of_edges, found->forward[i] * own);
    CnBoxContact* contact = found->contacts[i];
    unsigned kept = (unsigned)found->kept[i], left = kept;
    CN_UNROLLED
    for (int n = 0; n < CN_MANIFOLD_POINTS; ++n, left &= left - 1) {
        int k = __builtin_ctz(left | 1u << CN_DEEPEST);
        CnRow at = middle + found->u[k][i] * u + found->v[k][i] * v + found->height[k][i] * half;
        write_point(at, normal, found->gap[k][i], found->keys[k][i], &contact->points[n]);
    }
    contact->count = __builtin_popcount(kept);
    if ((kept >> CN_DEEPEST) != 0) { // it comes last
        CnManifoldPoint* deepest = &contact->points[contact->count - 1];
        cn_box_copy_deepest(found, i, deepest);
        memcpy(&deepest->normal, &normal, sizeof deepest->normal);
    }
}

// Copies what was found of a pair that has too many candidates to a place in another block, where
// it waits for company: choosing pays if all lanes have to.
CN_LANE_STAGE void wait_for_choice(const CnBoxBlock* found, int i, CnBoxBlock* waiting) {
    int j = waiting->count++;
    waiting->boxes[0][j] = found->boxes[0][i];
    waiting->boxes[1][j] = found->boxes[1][i];
    waiting->contacts[j] = found->contacts[i];
    waiting->size[j] = found->size[i];
    waiting->first[j] = found->first[i];
    waiting->crossed[j] = found->crossed[i];
    waiting->owner[j] = found->owner[i];
    waiting->axis[j] = found->axis[i];
    waiting->outward[j] = found->outward[i];
    waiting->forward[j] = found->forward[i];
    if (((unsigned)found->kept[i] >> CN_DEEPEST) != 0) {
        cn_box_copy_deepest(found, i, &waiting->deepest[j]);
    }
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

// Of the pair in lane i.
CN_LANE_FUNCTION void write_contact(const CnBoxBlock* found, int i, CnBoxBlock* waiting) {
    CnBoxMeeting meeting = (CnBoxMeeting)found->meeting[i];
    if (meeting == CN_BOXES_ON_FACES) {
        bool too_many = __builtin_popcount((unsigned)found->kept[i]) > CN_MANIFOLD_POINTS;
        if (too_many) {
            wait_for_choice(found, i, waiting);
        } else {
            write_corners(found, i);
        }
    } else if (meeting == CN_BOXES_ON_EDGES) {
        write_crossing(found, i);
    } else if (meeting == CN_BOXES_DISJOINT) {
        cn_box_points_of_disjoint(found, i);
    } else {
        found->contacts[i]->count = 0;
    }
}

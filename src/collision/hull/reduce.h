// reduce.h - of many candidates for contact points, the four that matter.
#pragma once

#include "collision/collide.h"

// As many as clipping two faces can give (clip.h). A half space may add more.
#define CN_CANDIDATES 64

// Of two choices that differ by less than this fraction of the smaller shape's size the first is
// taken, so that a body at rest keeps its contact points: well above what creep and round-off
// change in thousands of steps (1e-9), well below anything that a shape is built to.
#define CN_TIE_TOLERANCE 1e-7

// Gaps that differ by less than this fraction of the smaller shape's size belong to one contact: a
// face that comes to rest on a face, still tilted by a milliradian.
#define CN_SAME_CONTACT_GAP 1e-3

typedef struct CnCandidates {
    CnManifoldPoint points[CN_CANDIDATES];
    int count;
    double size; // of the smaller shape [m]
} CnCandidates;

// Padding behind the last point, because several are loaded at a time: in the origin, with a gap of
// HUGE_VAL.
#define CN_FLAT_PAD 8
#define CN_FLAT_POINTS (CN_CANDIDATES + CN_FLAT_PAD)

// Points of one contact, seen along its normal.
typedef struct CnFlatPoints {
    const double *x, *y, *gap; // [m]   [count + CN_FLAT_PAD]
    int count;                 // 1 to CN_CANDIDATES
    double size;               // of the smaller shape [m]
} CnFlatPoints;

// At most four of them, one bit each: the deepest (to within CN_TIE_TOLERANCE of the size) and what
// spans much of the area of all; points of the same contact as the deepest come before those with
// wider gaps. docs/theory/collision/sat.md.
uint64_t cn_choose_four(const CnFlatPoints* points);

// The same in plain scalar code, to the bit (choose_plain.c): the reference that tests compare
// with. It needs no padding.
uint64_t cn_choose_four_plain(const CnFlatPoints* points);

void cn_candidates_start(CnCandidates* candidates, double size);

// Reduces those so far to four: the deepest stays, and so does what spans the area.
void cn_candidates_make_room(CnCandidates* candidates);

// All share one normal.
static inline void cn_candidates_add(CnCandidates* candidates, CnManifoldPoint point) {
    if (candidates->count == CN_CANDIDATES) {
        cn_candidates_make_room(candidates);
    }
    candidates->points[candidates->count++] = point;
}

// Those that cn_choose_four() takes, in the order of the candidates; all of them if there are no
// more than four.
int cn_candidates_reduce(const CnCandidates* candidates,
                         CnManifoldPoint points[CN_MANIFOLD_POINTS]);

// reduce.c - of many candidates for contact points, the four that matter.
#include "collision/hull/reduce.h"

#include "collision/hull/face_points.h"
#include "math/simd.h"

#include <string.h>

uint64_t cn_choose_four(const CnFlatPoints* points) {
    return CN_WIDEST(cn_face_functions)->choose(points);
}

// Seen along the normal of the first, with the padding that CnFlatPoints wants.
static uint64_t choose(const CnCandidates* candidates) {
    double x[CN_FLAT_POINTS], y[CN_FLAT_POINTS], gap[CN_FLAT_POINTS];
    const CnManifoldPoint* points = candidates->points;
    int count = candidates->count;
    CnVec3 first, second;
    cn_tangent_basis(points[0].normal, &first, &second);
    for (int i = 0; i < count; ++i) {
        CnVec3 way = cn_vec3_sub(points[i].point, points[0].point);
        x[i] = cn_vec3_dot(first, way);
        y[i] = cn_vec3_dot(second, way);
        gap[i] = points[i].gap;
    }
    for (int i = count; i < count + CN_FLAT_PAD; ++i) {
        x[i] = y[i] = 0.0;
        gap[i] = HUGE_VAL;
    }
    return cn_choose_four(&(CnFlatPoints){x, y, gap, count, candidates->size});
}

int cn_candidates_reduce(const CnCandidates* candidates,
                         CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    int count = candidates->count;
    uint64_t chosen = ~UINT64_C(0);
    if (count > CN_MANIFOLD_POINTS) {
        chosen = choose(candidates);
    }
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        if ((chosen >> i & 1) != 0) {
            points[kept++] = candidates->points[i];
        }
    }
    return kept;
}

void cn_candidates_start(CnCandidates* candidates, double size) {
    candidates->count = 0; // the points, 4 KB, stay as they are
    candidates->size = size;
}

void cn_candidates_make_room(CnCandidates* candidates) {
    CnManifoldPoint kept[CN_MANIFOLD_POINTS];
    candidates->count = cn_candidates_reduce(candidates, kept);
    memcpy(candidates->points, kept, (size_t)candidates->count * sizeof kept[0]);
}

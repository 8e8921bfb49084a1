// pair_order.c - which of two shapes a pair function is told first, whoever asks.
#include "collision/pair_order.h"

#include "collision/reduce.h"

#include <string.h>

// Negative if A goes first, positive if B does, 0 if these do not tell.
static int compare(double a, double b) {
    return (a > b) - (a < b);
}

static int compare_vectors(CnVec3 a, CnVec3 b) {
    int order = compare(a.x, b.x);
    order = order != 0 ? order : compare(a.y, b.y);
    return order != 0 ? order : compare(a.z, b.z);
}

// Bodies of one making have copies of one hull, which is seen soonest byte by byte.
static bool are_copies(const CnHull* a, const CnHull* b) {
    return a == b ||
           (a->vertex_count == b->vertex_count &&
            memcmp(a->vertices, b->vertices, (size_t)a->vertex_count * sizeof a->vertices[0]) == 0);
}

static int compare_hulls(const CnHull* a, const CnHull* b) {
    if (are_copies(a, b)) {
        return 0;
    }
    int order = (a->vertex_count > b->vertex_count) - (a->vertex_count < b->vertex_count);
    for (int i = 0; order == 0 && i < a->vertex_count; ++i) {
        order = compare_vectors(a->vertices[i], b->vertices[i]);
    }
    return order;
}

static int compare_shapes(const CnShape* a, const CnShape* b) {
    if (a == b) {
        return 0;
    }
    int order = compare(a->extent, b->extent);
    order = order != 0 ? order : compare(a->radius, b->radius);
    order = order != 0 ? order : compare(a->half_length, b->half_length);
    order = order != 0 ? order : compare_vectors(a->half_size, b->half_size);
    return order != 0 || a->hull == NULL || b->hull == NULL ? order
                                                            : compare_hulls(a->hull, b->hull);
}

// docs/theory/sat.md (14): along the weights, the axis that A must be turned about to lie as B
// does. 0 if they lie alike, or if it is half a turn and the axis may as well be the opposite.
static double compare_attitudes(CnQuat a, CnQuat b, CnVec3 weights) {
    CnQuat turn = cn_quat_multiply(cn_quat_conjugate(a), b);
    double along = cn_vec3_dot(weights, cn_vec3(turn.x, turn.y, turn.z));
    bool decides = fabs(along) > CN_TIE && fabs(turn.w) > CN_TIE;
    return decides ? copysign(along, along * turn.w) : 0.0;
}

// docs/theory/sat.md (10), (14). 0 where half a turn takes each to the place of the other: nothing
// that is seen tells them apart.
static int compare_poses(const CnQuat* a, const CnQuat* b, double seen, double tie) {
    if (fabs(seen) > tie) {
        return compare(0.0, seen);
    }
    return compare(0.0, compare_attitudes(*a, *b, cn_pair_weights()));
}

bool cn_pair_is_reversed_if(const CnShape* a, const CnQuat* turn_a, const CnShape* b,
                            const CnQuat* turn_b, double seen) {
    int order = compare_shapes(a, b);
    order = order != 0 ? order : compare_poses(turn_a, turn_b, seen, CN_TIE * a->extent);
    return order > 0 || (order == 0 && a->serial > b->serial);
}

bool cn_pair_is_reversed(CnPlacedShape a, CnPlacedShape b) {
    const CnVec3 weights = cn_pair_weights();
    CnVec3 across = cn_vec3_sub(b.pose.position, a.pose.position);
    CnVec3 both = cn_vec3_add(cn_quat_rotate(a.pose.rotation, weights),
                              cn_quat_rotate(b.pose.rotation, weights));
    return cn_pair_is_reversed_if(a.shape, &a.pose.rotation, b.shape, &b.pose.rotation,
                                  cn_vec3_dot(both, across));
}

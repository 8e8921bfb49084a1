// pair_order.c - the order of two shapes, independent of which is passed as A.
#include "collision/convex/pair_order.h"

#include "collision/hull/reduce.h"

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

// Bodies made alike have copies of one hull: comparing bytes is fastest.
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

static __attribute__((noinline)) int compare_shapes(const CnShape* a, const CnShape* b) {
    int order = compare(a->extent, b->extent);
    order = order != 0 ? order : compare(a->radius, b->radius);
    order = order != 0 ? order : compare(a->half_length, b->half_length);
    order = order != 0 ? order : compare_vectors(a->half_size, b->half_size);
    return order != 0 || a->hull == NULL || b->hull == NULL ? order
                                                            : compare_hulls(a->hull, b->hull);
}

// docs/theory/collision/sat.md (14): along the weights, the axis that A must be turned about to lie
// as B does. 0 if their rotations are equal, or if it is half a turn, where the opposite axis is as
// good: then no geometry distinguishes the two.
static double compare_attitudes(CnQuat a, CnQuat b, CnVec3 weights) {
    CnQuat turn = cn_quat_multiply(cn_quat_conjugate(a), b);
    double along = cn_vec3_dot(weights, cn_vec3(turn.x, turn.y, turn.z));
    bool decides = fabs(along) > CN_TIE_TOLERANCE && fabs(turn.w) > CN_TIE_TOLERANCE;
    return decides ? copysign(along, along * turn.w) : 0.0;
}

// For equal shapes that (10) does not order.
static __attribute__((noinline)) bool are_twins_reversed(const CnShape* a, const CnQuat* turn_a,
                                                         const CnShape* b, const CnQuat* turn_b) {
    double turn = compare_attitudes(*turn_a, *turn_b, cn_pair_weights());
    return turn < 0.0 || (!(turn > 0.0) && a->serial > b->serial);
}

// Mostly docs/theory/collision/sat.md (10) decides; the rest is not inlined, as it would slow all
// pairs.
bool cn_pair_is_reversed_if(const CnShape* a, const CnQuat* turn_a, const CnShape* b,
                            const CnQuat* turn_b, double seen) {
    int order = a == b ? 0 : compare_shapes(a, b);
    if (order != 0) {
        return order > 0;
    }
    return fabs(seen) > CN_TIE_TOLERANCE * a->extent ? seen < 0.0
                                                     : are_twins_reversed(a, turn_a, b, turn_b);
}

bool cn_pair_is_reversed(CnPlacedShape a, CnPlacedShape b) {
    const CnVec3 weights = cn_pair_weights();
    CnVec3 across = cn_vec3_sub(b.pose.position, a.pose.position);
    CnVec3 both = cn_vec3_add(cn_quat_rotate(a.pose.rotation, weights),
                              cn_quat_rotate(b.pose.rotation, weights));
    return cn_pair_is_reversed_if(a.shape, &a.pose.rotation, b.shape, &b.pose.rotation,
                                  cn_vec3_dot(both, across));
}

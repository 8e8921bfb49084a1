// gjk.c - the distance of two convex cores by their support points (Gilbert, Johnson, Keerthi).
#include "collision/convex/gjk.h"

#include "geometry/support.h"
#include "math/mat3.h"
#include <float.h>

#define MAX_ITERATIONS 128 // curved pairs take about twenty

// Differences of supports have a round-off of a few units in the last place of the sizes.
#define ROUND_OFF (8.0 * DBL_EPSILON)

CnCorePair cn_core_pair(CnPlacedShape a, CnPlacedShape b) {
    CnVec3 across = cn_vec3_sub(b.pose.position, a.pose.position);
    CnQuat turn = cn_quat_multiply(cn_quat_conjugate(a.pose.rotation), b.pose.rotation);
    CnCorePair pair = {
        .a = a.shape,
        .b = b.shape,
        .rotation = cn_mat3_from_quat(turn),
        .offset = cn_quat_unrotate(a.pose.rotation, across),
    };
    pair.size = cn_core_extent(a.shape) + cn_core_extent(b.shape) + cn_vec3_length(across);
    return pair;
}

CnCorePoint cn_core_support(const CnCorePair* pair, CnVec3 direction) {
    CnVec3 inward = cn_vec3_negate(cn_mat3_apply_transposed(&pair->rotation, direction));
    return cn_core_point(pair, cn_shape_support(pair->a, direction),
                         cn_shape_support(pair->b, inward));
}

double cn_core_separation(const CnCorePair* pair, CnVec3 normal) {
    return cn_vec3_dot(normal, cn_core_support(pair, normal).difference);
}

// The point of a simplex nearest to the origin: the corners that carry it, with their weights.
typedef struct Carrier {
    int corners[4]; // [count]
    double weights[4];
    int count;
    CnVec3 point;
    double square; // of its length
} Carrier;

static void keep_nearer(const Carrier* candidate, Carrier* best) {
    if (candidate->square < best->square) {
        *best = *candidate;
    }
}

static void finish(const CnCorePoint* simplex, Carrier* carrier) {
    carrier->point = cn_vec3(0.0, 0.0, 0.0);
    for (int i = 0; i < carrier->count; ++i) {
        carrier->point = cn_vec3_add_scaled(carrier->point, carrier->weights[i],
                                            simplex[carrier->corners[i]].difference);
    }
    carrier->square = cn_vec3_dot(carrier->point, carrier->point);
}

static void try_corner(const CnCorePoint* simplex, int i, Carrier* best) {
    Carrier carrier = {.corners = {i}, .weights = {1.0}, .count = 1};
    finish(simplex, &carrier);
    keep_nearer(&carrier, best);
}

static void try_edge(const CnCorePoint* simplex, int i, int j, Carrier* best) {
    CnVec3 a = simplex[i].difference;
    CnVec3 along = cn_vec3_sub(simplex[j].difference, a);
    double square = cn_vec3_dot(along, along);
    double t = -cn_vec3_dot(a, along);
    if (!(t > 0.0)) {
        try_corner(simplex, i, best);
    } else if (!(t < square)) {
        try_corner(simplex, j, best);
    } else {
        Carrier carrier = {
            .corners = {i, j}, .weights = {1.0 - t / square, t / square}, .count = 2};
        finish(simplex, &carrier);
        keep_nearer(&carrier, best);
    }
}

// The barycentric coordinates of the projected origin, docs/theory/collision/gjk.md (4): signed
// areas of the three triangles that it makes with the edges, divided by the whole area. If one is
// not positive, the nearest point is on an edge. Which edge is decided by distances, because signs
// near zero are unreliable.
static void try_triangle(const CnCorePoint* simplex, int i, int j, int k, Carrier* best) {
    CnVec3 a = simplex[i].difference, b = simplex[j].difference, c = simplex[k].difference;
    CnVec3 normal = cn_vec3_cross(cn_vec3_sub(b, a), cn_vec3_sub(c, a));
    double square = cn_vec3_dot(normal, normal);
    CnVec3 foot = cn_vec3_scale(square > 0.0 ? cn_vec3_dot(a, normal) / square : 0.0, normal);
    CnVec3 pa = cn_vec3_sub(a, foot), pb = cn_vec3_sub(b, foot), pc = cn_vec3_sub(c, foot);
    double wa = cn_vec3_dot(cn_vec3_cross(pb, pc), normal);
    double wb = cn_vec3_dot(cn_vec3_cross(pc, pa), normal);
    double wc = cn_vec3_dot(cn_vec3_cross(pa, pb), normal);

    if (square > 0.0 && wa > 0.0 && wb > 0.0 && wc > 0.0) {
        double sum = wa + wb + wc;
        Carrier carrier = {
            .corners = {i, j, k}, .weights = {wa / sum, wb / sum, wc / sum}, .count = 3};
        finish(simplex, &carrier);
        keep_nearer(&carrier, best);
        return;
    }
    try_edge(simplex, i, j, best);
    try_edge(simplex, j, k, best);
    try_edge(simplex, k, i, best);
}

static double volume(CnVec3 a, CnVec3 b, CnVec3 c) {
    return cn_vec3_dot(a, cn_vec3_cross(b, c));
}

// The same with volumes: docs/theory/collision/gjk.md (5).
static void try_tetrahedron(const CnCorePoint* simplex, Carrier* best) {
    CnVec3 a = simplex[0].difference, b = simplex[1].difference;
    CnVec3 c = simplex[2].difference, d = simplex[3].difference;
    double wa = volume(b, d, c), wb = volume(a, c, d), wc = volume(a, d, b), wd = volume(a, b, c);
    double sum = wa + wb + wc + wd;
    bool inside = (wa > 0.0 && wb > 0.0 && wc > 0.0 && wd > 0.0) ||
                  (wa < 0.0 && wb < 0.0 && wc < 0.0 && wd < 0.0);
    if (inside) {
        *best = (Carrier){.corners = {0, 1, 2, 3},
                          .weights = {wa / sum, wb / sum, wc / sum, wd / sum},
                          .count = 4};
        return;
    }
    try_triangle(simplex, 0, 1, 2, best);
    try_triangle(simplex, 0, 2, 3, best);
    try_triangle(simplex, 0, 3, 1, best);
    try_triangle(simplex, 1, 3, 2, best);
}

static Carrier nearest_of_simplex(const CnCorePoint* simplex, int count) {
    Carrier best = {.square = HUGE_VAL};
    switch (count) {
    case 1:
        try_corner(simplex, 0, &best);
        break;
    case 2:
        try_edge(simplex, 0, 1, &best);
        break;
    case 3:
        try_triangle(simplex, 0, 1, 2, &best);
        break;
    default:
        try_tetrahedron(simplex, &best);
        break;
    }
    return best;
}

static void reduce(CnGjk* gjk, const Carrier* carrier) {
    CnCorePoint kept[4];
    for (int i = 0; i < carrier->count; ++i) {
        kept[i] = gjk->simplex[carrier->corners[i]];
        gjk->weights[i] = carrier->weights[i];
    }
    for (int i = 0; i < carrier->count; ++i) {
        gjk->simplex[i] = kept[i];
    }
    gjk->count = carrier->count;
}

static bool holds(const CnGjk* gjk, CnVec3 difference) {
    for (int i = 0; i < gjk->count; ++i) {
        CnVec3 d = gjk->simplex[i].difference;
        if (d.x == difference.x && d.y == difference.y && d.z == difference.z) {
            return true;
        }
    }
    return false;
}

// One iteration from v, the nearest point so far. False if it is the last.
static bool advance(const CnCorePair* pair, double relative_gap, CnGjk* gjk, CnVec3* v) {
    double square = cn_vec3_dot(*v, *v);
    double noise = ROUND_OFF * pair->size;
    if (!(square > noise * noise)) {
        gjk->end = CN_GJK_OVERLAP;
        return false;
    }
    CnCorePoint w = cn_core_support(pair, *v);
    double duality_gap = square - cn_vec3_dot(*v, w.difference);
    if (duality_gap <= relative_gap * square) {
        gjk->end = CN_GJK_CONVERGED;
        return false;
    }
    gjk->end = CN_GJK_STALLED;
    if (holds(gjk, w.difference)) {
        return false;
    }
    gjk->simplex[gjk->count] = w;
    Carrier carrier = nearest_of_simplex(gjk->simplex, gjk->count + 1);
    if (carrier.count == 4) {
        ++gjk->count;
        reduce(gjk, &carrier);
        gjk->end = CN_GJK_OVERLAP;
        return false;
    }
    if (!(carrier.square < square)) {
        return false;
    }
    ++gjk->count;
    reduce(gjk, &carrier);
    *v = carrier.point;
    return true;
}

static CnNearest nearest_points(const CnGjk* gjk, CnVec3 v) {
    CnNearest nearest = {.normal = cn_vec3_normalize(v), .distance = cn_vec3_length(v)};
    for (int i = 0; i < gjk->count; ++i) {
        double weight = gjk->weights[i];
        nearest.point_a = cn_vec3_add_scaled(nearest.point_a, weight, gjk->simplex[i].a);
        nearest.point_b = cn_vec3_add_scaled(nearest.point_b, weight, gjk->simplex[i].b);
    }
    return nearest;
}

CnGjk cn_gjk(const CnCorePair* pair, double relative_gap) {
    bool apart = cn_vec3_dot(pair->offset, pair->offset) > 0.0;
    CnCorePoint first = cn_core_support(pair, apart ? pair->offset : cn_vec3(1.0, 0.0, 0.0));
    CnGjk gjk = {.simplex = {first}, .weights = {1.0}, .count = 1};
    CnVec3 v = first.difference;

    while (gjk.iterations < MAX_ITERATIONS && advance(pair, relative_gap, &gjk, &v)) {
        ++gjk.iterations;
    }
    if (gjk.iterations == MAX_ITERATIONS) {
        gjk.end = CN_GJK_ITERATIONS;
    }
    if (gjk.end == CN_GJK_OVERLAP) {
        v = cn_vec3(0.0, 0.0, 0.0);
    }
    gjk.nearest = nearest_points(&gjk, v);
    return gjk;
}

#define ON_THE_SLOPE 1e-2
#define CONVERGED 1e-12

double cn_gjk_gap(const CnCorePair* pair) {
    bool has_disc = pair->a->type == CN_SHAPE_CYLINDER || pair->b->type == CN_SHAPE_CYLINDER;
    return has_disc ? ON_THE_SLOPE : CONVERGED;
}

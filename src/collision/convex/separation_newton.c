// separation_newton.c - Newton's method for the direction of largest separation of two cores.
//
// A cylinder is the Minkowski sum of a segment and a disc, so every core is the sum of a polyhedron
// (or nothing) and a disc (or nothing). Corners of the polyhedra are added and removed as in GJK,
// but the discs are kept whole: between corners the separation is a smooth function of the normal,
// and Newton's method finds its maximum to round-off. docs/theory/collision/gjk.md (9) to (12).
#include "collision/convex/separation_newton.h"

#include "collision/convex/smooth.h"
#include "geometry/support.h"
#include "math/mat3.h"

#define MAX_CORNERS 4 // three that carry a maximum, and a new one
#define MAX_ROUNDS 32 // of adding and removing corners; few pairs take more than ten
#define MAX_NEAR_ROUNDS 8

// Overlapping cores have many maxima. One whose cosine with the present normal is below this (25
// degrees) belongs to another slope.
#define SAME_SLOPE 0.9

// How far overlapping cores are moved apart at first, relative to the smaller of them: far enough
// for a normal of 13 digits. Each pass reduces the error of the normal by the factor stand_off /
// (stand_off + radius of curvature), so later distances are smaller.
#define STAND_OFF 1e-3
#define MAX_STAND_OFFS 8

// A smaller gain of the separation counts as none, relative to the size.
#define SETTLED 4e-15

// Weights of carrying corners may be negative by this much through round-off. The points that prove
// a maximum must meet along its normal to this accuracy, relative to the size.
#define PROOF 1e-12

typedef struct NormalSearch {
    const CnCorePair* pair;
    CnDiscs discs;
    CnCorePoint corners[MAX_CORNERS]; // of the difference of the polyhedra; the newest last
    int corner_count;
    CnVec3 slope; // a normal, and the least cosine with it that is on its slope
    double reach;
} NormalSearch;

// The corners with equal separation at a normal, and the value there.
typedef struct Maximum {
    CnVec3 normal;
    double value; // [m]
    int carriers[3];
    int carrier_count; // 0: none found
} Maximum;

static CnVec3 corner_of(const CnShape* shape, CnVec3 direction) {
    if (shape->type == CN_SHAPE_CYLINDER) {
        return cn_vec3(0.0, 0.0, copysign(shape->half_length, direction.z));
    }
    return cn_shape_support(shape, direction);
}

static CnCorePoint corner_along(const CnCorePair* pair, CnVec3 normal) {
    CnVec3 inward = cn_vec3_negate(cn_mat3_apply_transposed(&pair->rotation, normal));
    return cn_core_point(pair, corner_of(pair->a, normal), corner_of(pair->b, inward));
}

static double value_at(const NormalSearch* search, const CnCorePoint* corner, CnVec3 n) {
    return cn_vec3_dot(n, corner->difference) - cn_discs_reach(&search->discs, n);
}

// The least separation over all present corners.
static double least_value_at(const NormalSearch* search, CnVec3 n) {
    double least = HUGE_VAL;
    for (int i = 0; i < search->corner_count; ++i) {
        least = fmin(least, cn_vec3_dot(n, search->corners[i].difference));
    }
    return least - cn_discs_reach(&search->discs, n);
}

// Perpendicular to two edges; orthogonalised twice, because the cross product of nearly parallel
// edges is inaccurate.
static bool square_to(CnVec3 first, CnVec3 second, CnVec3* normal) {
    CnVec3 across = cn_without(second, first);
    CnVec3 n = cn_vec3_normalize(cn_vec3_cross(first, across));
    n = cn_vec3_normalize(cn_without(cn_without(n, first), across));
    *normal = cn_vec3_dot(n, *normal) < 0.0 ? cn_vec3_negate(n) : n;
    return cn_vec3_dot(n, n) > 0.0;
}

// A search that leaves the neighbourhood of its start stops at its border; a corner that limits it
// is found there.
static CnVec3 within_reach(const NormalSearch* search, CnVec3 n) {
    double cosine = cn_vec3_dot(n, search->slope);
    if (cosine >= search->reach) {
        return n;
    }
    CnVec3 aside = cn_vec3_normalize(cn_vec3_add_scaled(n, -cosine, search->slope));
    double sine = sqrt(1.0 - search->reach * search->reach);
    return cn_vec3_add_scaled(cn_vec3_scale(search->reach, search->slope), sine, aside);
}

static void try_carriers(const NormalSearch* search, CnVec3 start, int count, int i, int j,
                         Maximum* best) {
    int newest = search->corner_count - 1;
    const CnCorePoint* corners = search->corners;
    CnVec3 origin = corners[newest].difference, edges[2], normal = start;
    bool found = false;
    edges[0] = cn_vec3_sub(corners[i].difference, origin);
    edges[1] = cn_vec3_sub(corners[j].difference, origin);
    if (count == 3) {
        found = square_to(edges[0], edges[1], &normal);
    } else {
        const CnVec3* edge = count == 2 ? &edges[0] : NULL;
        found = cn_smooth_maximise(&search->discs, origin, edge, search->reach, &normal);
    }
    normal = within_reach(search, normal);
    double value = found ? least_value_at(search, normal) : -HUGE_VAL;
    if (value > best->value) {
        *best = (Maximum){normal, value, {newest, i, j}, count};
    }
}

// The maximum of the least separation over the present corners: the newest carries it, alone or
// with others.
static Maximum find_maximum(const NormalSearch* search, CnVec3 start) {
    int newest = search->corner_count - 1;
    Maximum best = {.normal = start, .value = -HUGE_VAL};
    try_carriers(search, start, 1, newest, newest, &best);
    for (int i = 0; i < newest; ++i) {
        try_carriers(search, start, 2, i, newest, &best);
        for (int j = 0; j < i; ++j) {
            try_carriers(search, start, 3, i, j, &best);
        }
    }
    return best;
}

static void keep_carriers(NormalSearch* search, const Maximum* maximum) {
    CnCorePoint kept[3];
    for (int i = 0; i < maximum->carrier_count; ++i) {
        kept[i] = search->corners[maximum->carriers[i]];
    }
    for (int i = 0; i < maximum->carrier_count; ++i) {
        search->corners[i] = kept[i];
    }
    search->corner_count = maximum->carrier_count;
}

// (12): the convex combination of the carriers, all moved by the same rim points, that lies on the
// line along the normal.
static void weigh(const NormalSearch* search, CnVec3 rims, double weights[3]) {
    CnVec3 x = cn_vec3_sub(search->corners[0].difference, rims);
    weights[0] = 1.0;
    weights[1] = weights[2] = 0.0;
    if (search->corner_count == 2) {
        CnVec3 e = cn_vec3_sub(search->corners[1].difference, search->corners[0].difference);
        weights[1] = -cn_vec3_dot(x, e) / cn_vec3_dot(e, e);
    } else if (search->corner_count == 3) {
        CnVec3 e = cn_vec3_sub(search->corners[1].difference, search->corners[0].difference);
        CnVec3 f = cn_vec3_sub(search->corners[2].difference, search->corners[0].difference);
        CnVec3 across = cn_without(f, e);
        weights[2] = -cn_vec3_dot(x, across) / cn_vec3_dot(across, across);
        x = cn_vec3_add_scaled(x, weights[2], f);
        weights[1] = -cn_vec3_dot(x, e) / cn_vec3_dot(e, e);
    }
    weights[0] = 1.0 - weights[1] - weights[2];
}

// For an edge over a cap: the combination nearest to the axis that is still on the edge.
static void keep_on_edge(int count, double weights[3]) {
    if (count == 2) {
        weights[1] = fmin(fmax(weights[1], 0.0), 1.0);
        weights[0] = 1.0 - weights[1];
    }
}

// Points of both cores that meet along the normal: they prove the maximum. A disc provides the
// farthest point of its rim; a cap provides any point within its radius.
static bool find_points(const NormalSearch* search, CnNearest* nearest) {
    CnVec3 n = nearest->normal;
    CnVec3 rims[2] = {{0.0, 0.0, 0.0},
                      {0.0, 0.0, 0.0}}; // of A and B, added to corners of A, taken from those of B
    double caps[2] = {0.0, 0.0};        // radii
    double weights[3];
    for (int i = 0; i < search->discs.count; ++i) {
        CnVec3 out = cn_disc_radial(&search->discs.of[i], n);
        double sine = cn_vec3_length(out);
        int whose = i == 0 && search->pair->a->type == CN_SHAPE_CYLINDER ? 0 : 1;
        if (sine > CN_ON_AXIS) {
            rims[whose] = cn_vec3_scale(search->discs.of[i].radius / sine, out);
        } else {
            caps[whose] = search->discs.of[i].radius;
        }
    }
    weigh(search, cn_vec3_add(rims[0], rims[1]), weights);
    double cap = caps[0] + caps[1];
    if (cap > 0.0) {
        keep_on_edge(search->corner_count, weights);
    }
    nearest->point_a = rims[0];
    nearest->point_b = cn_vec3_negate(rims[1]);
    for (int i = 0; i < search->corner_count; ++i) {
        if (!(weights[i] >= -PROOF)) {
            return false;
        }
        const CnCorePoint* corner = &search->corners[i];
        nearest->point_a = cn_vec3_add_scaled(nearest->point_a, weights[i], corner->a);
        nearest->point_b = cn_vec3_add_scaled(nearest->point_b, weights[i], corner->b);
    }
    CnVec3 across = cn_vec3_sub(nearest->point_b, nearest->point_a);
    CnVec3 aside = cn_vec3_add_scaled(across, -nearest->distance, n);
    if (cap > 0.0) {
        CnVec3 reach = cn_vec3_add_scaled(aside, -cn_vec3_dot(aside, n), n);
        reach = cn_vec3_scale(fmin(1.0, cap / fmax(cn_vec3_length(reach), cap)), reach);
        nearest->point_a = cn_vec3_add_scaled(nearest->point_a, caps[0] / cap, reach);
        nearest->point_b = cn_vec3_add_scaled(nearest->point_b, -caps[1] / cap, reach);
        aside = cn_vec3_sub(aside, reach);
    }
    return cn_vec3_length(aside) <= PROOF * search->pair->size;
}

static NormalSearch begin_search(const CnCorePair* pair) {
    return (NormalSearch){.pair = pair, .discs = cn_core_discs(pair), .reach = -1.0};
}

static void add_corner(NormalSearch* search, CnCorePoint corner) {
    CnVec3 x = corner.difference;
    for (int i = 0; i < search->corner_count; ++i) {
        CnVec3 y = search->corners[i].difference;
        if (x.x == y.x && x.y == y.y && x.z == y.z) {
            return;
        }
    }
    search->corners[search->corner_count++] = corner;
}

// The corners of the difference in GJK's simplex, without the rim points.
static void start_from_simplex(NormalSearch* search, const CnGjk* gjk) {
    const CnCorePair* pair = search->pair;
    search->corner_count = 0;
    for (int i = 0; i < gjk->count && i < 3; ++i) {
        CnCorePoint corner = gjk->simplex[i];
        if (pair->a->type == CN_SHAPE_CYLINDER) {
            corner.a = cn_vec3(0.0, 0.0, copysign(pair->a->half_length, corner.a.z));
        }
        if (pair->b->type == CN_SHAPE_CYLINDER) {
            CnVec3 local = cn_vec3_sub(corner.b, pair->offset);
            local = cn_mat3_apply_transposed(&pair->rotation, local);
            local = cn_vec3(0.0, 0.0, copysign(pair->b->half_length, local.z));
            corner.b = cn_vec3_add(pair->offset, cn_mat3_apply(&pair->rotation, local));
        }
        corner.difference = cn_vec3_sub(corner.b, corner.a);
        add_corner(search, corner);
    }
}

// Takes a maximum over the present corners as the best if it separates the cores no worse. True if
// no other corner is nearer: it is then the maximum of the cores.
static bool judge(NormalSearch* search, const Maximum* maximum, CnCorePoint* corner,
                  CnSeparationMaximum* best) {
    double none = SETTLED * search->pair->size;
    keep_carriers(search, maximum);
    *corner = corner_along(search->pair, maximum->normal);
    double separation = value_at(search, corner, maximum->normal);
    bool settled = maximum->value - separation <= none;
    double gain = separation - best->nearest.distance;
    if (gain > 0.0 || (settled && gain >= -none)) {
        best->nearest.normal = maximum->normal;
        best->nearest.distance = separation;
        best->exact = settled && find_points(search, &best->nearest);
    }
    return settled;
}

// If the cores are apart, the separation has one maximum, and corners that limit it are found one
// by one. Often those of GJK's simplex carry it already. The search keeps the corners that carry
// the last maximum.
static CnSeparationMaximum search_apart(NormalSearch* search, const CnGjk* gjk) {
    CnVec3 normal = gjk->nearest.normal;
    CnSeparationMaximum best = {.nearest = {.normal = normal, .distance = -HUGE_VAL}};
    CnCorePoint corner;
    start_from_simplex(search, gjk);
    Maximum maximum = {.value = -HUGE_VAL};
    try_carriers(search, normal, search->corner_count, 0, search->corner_count > 2 ? 1 : 0,
                 &maximum);
    if (maximum.carrier_count > 0 && judge(search, &maximum, &corner, &best) && best.exact) {
        return best; // proved: what GJK's own normal shows need not be known
    }
    double separation = cn_core_separation(search->pair, normal);
    if (separation > best.nearest.distance) {
        best = (CnSeparationMaximum){.nearest = {.normal = normal, .distance = separation}};
    }
    search->corners[0] = corner_along(search->pair, best.nearest.normal);
    search->corner_count = 1;
    for (int i = 0; i < MAX_ROUNDS; ++i) {
        maximum = find_maximum(search, best.nearest.normal);
        if (maximum.carrier_count == 0 || judge(search, &maximum, &corner, &best)) {
            break;
        }
        search->corners[search->corner_count++] = corner;
    }
    search->corner_count = search->corner_count > 3 ? 3 : search->corner_count;
    return best;
}

static void take_back(NormalSearch* search, const CnCorePair* pair, CnVec3 move) {
    search->pair = pair;
    for (int i = 0; i < search->corner_count; ++i) {
        search->corners[i].b = cn_vec3_sub(search->corners[i].b, move);
        search->corners[i].difference = cn_vec3_sub(search->corners[i].b, search->corners[i].a);
    }
}

// Accepts the normal if it separates the cores no worse than the best; the present carriers may
// prove it.
static void try_normal(const NormalSearch* search, CnVec3 normal, CnSeparationMaximum* best) {
    double size = search->pair->size;
    CnSeparationMaximum candidate = {.nearest = {.normal = normal}};
    CnCorePoint corner = corner_along(search->pair, normal);
    candidate.nearest.distance = value_at(search, &corner, normal);
    double gain = candidate.nearest.distance - best->nearest.distance;
    if (gain > 0.0 || (gain >= -SETTLED * size && !best->exact)) {
        candidate.exact = find_points(search, &candidate.nearest);
        *best = candidate;
    }
}

// Continues at the actual position with the corners that carry the maximum of the moved cores, as
// long as the search stays on the same slope.
static void search_with_carriers(NormalSearch* search, CnVec3 moved, CnSeparationMaximum* best) {
    int count = search->corner_count;
    CnCorePoint corner;
    Maximum maximum = {.value = -HUGE_VAL};
    try_normal(search, moved, best);
    search->slope = moved;
    search->reach = SAME_SLOPE;
    try_carriers(search, moved, count, 0, count > 2 ? 1 : 0, &maximum);
    for (int i = 0; i < MAX_NEAR_ROUNDS && !best->exact && maximum.carrier_count > 0; ++i) {
        if (judge(search, &maximum, &corner, best)) {
            break;
        }
        search->corners[search->corner_count++] = corner;
        maximum = find_maximum(search, maximum.normal);
    }
}

CnSeparationMaximum cn_maximum_apart(const CnCorePair* pair, const CnGjk* gjk) {
    NormalSearch search = begin_search(pair);
    return search_apart(&search, gjk);
}

// After moving apart along the present normal the cores have one maximum, which gives the next
// normal (8).
CnSeparationMaximum cn_maximum_overlapping(const CnCorePair* pair, CnVec3 normal) {
    double stand_off = STAND_OFF * fmin(pair->a->extent, pair->b->extent);
    CnSeparationMaximum best = {
        .nearest = {.normal = normal, .distance = cn_core_separation(pair, normal)}};
    for (int i = 0; i < MAX_STAND_OFFS && !best.exact; ++i) {
        CnCorePair apart = *pair;
        double before = best.nearest.distance;
        CnVec3 move = cn_vec3_scale(stand_off - before, best.nearest.normal);
        apart.offset = cn_vec3_add(pair->offset, move);
        CnGjk gjk = cn_gjk(&apart, cn_gjk_gap(pair));
        if (gjk.end == CN_GJK_OVERLAP) {
            break;
        }
        NormalSearch search = begin_search(&apart);
        CnVec3 moved = search_apart(&search, &gjk).nearest.normal;
        take_back(&search, pair, move);
        search_with_carriers(&search, moved, &best);
        if (i > 1 && best.nearest.distance <= before) {
            break;
        }
        stand_off *= 0.1;
    }
    return best;
}

// distance.c - the signed distance of two shapes.
#include "collision/convex/distance.h"

#include "collision/convex/chosen_normal.h"
#include "collision/convex/epa.h"
#include "collision/convex/pair_order.h"
#include "collision/convex/segment_box.h"
#include "collision/convex/separation_newton.h"
#include "collision/convex/smooth.h"
#include "geometry/hull/hull_search.h"
#include "geometry/support.h"
#include "math/mat3.h"

#define CONVERGED 1e-12 // the accuracy GJK reaches

// How far touching or overlapping cores are moved apart to find a normal or points, relative to the
// smaller of them: far enough for 13 digits.
#define STAND_OFF 1e-3

// At least this fraction of the size of both: GJK compares squared distances and cannot resolve
// points at gaps below the square root of round-off, 1.5e-8 of the size.
#define LEAST_STAND_OFF 1e-6

#define FURTHER 100.0 // factor of the distance if GJK fails: four tries reach the size

// Depths that EPA need not resolve, relative to the size: the search for maxima refines them.
#define DEPTH_TOLERANCE 1e-6
#define POLYHEDRAL_DEPTH_TOLERANCE 1e-12

// A flat part whose normal separates the cores as well as any other, to this fraction of the size,
// is in contact: its normal has no noise from step to step.
#define AS_GOOD 1e-14

#define SAME_NORMAL (1.0 - 1e-12) // cosine of a microradian

#define PROOF 1e-13 // distances this close are equal, relative to the size

static bool facing_flat_of_box(const CnShape* shape, CnVec3 d, CnVec3* normal) {
    (void)shape;
    double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    *normal = x >= y && x >= z ? cn_vec3(copysign(1.0, d.x), 0.0, 0.0)
              : y >= z         ? cn_vec3(0.0, copysign(1.0, d.y), 0.0)
                               : cn_vec3(0.0, 0.0, copysign(1.0, d.z));
    return true;
}

static bool facing_flat_of_cylinder(const CnShape* shape, CnVec3 d, CnVec3* normal) {
    (void)shape;
    *normal = cn_vec3(0.0, 0.0, copysign(1.0, d.z));
    return true;
}

static bool facing_flat_of_convex(const CnShape* shape, CnVec3 d, CnVec3* normal) {
    double most = -HUGE_VAL;
    for (int first = 0; first < shape->hull->face_count; first += CN_HULL_BLOCK) {
        double facings[CN_HULL_BLOCK];
        int i = cn_hull_facings(shape->hull, first, d, facings);
        if (facings[i] > most) {
            most = facings[i];
            *normal = shape->hull->faces[first + i].normal;
        }
    }
    return true;
}

typedef bool FacingFlatFunction(const CnShape* shape, CnVec3 direction, CnVec3* normal);
static FacingFlatFunction* const facing_flat_table[CN_SHAPE_TYPE_COUNT] = {
    [CN_SHAPE_BOX] = facing_flat_of_box,
    [CN_SHAPE_CYLINDER] = facing_flat_of_cylinder,
    [CN_SHAPE_CONVEX] = facing_flat_of_convex,
};

// The outward normal of the flat part of a shape that faces a direction most, both in its frame.
// False for a shape without flat parts.
static bool flat_facing(const CnShape* shape, CnVec3 direction, CnVec3* normal) {
    FacingFlatFunction* flat = facing_flat_table[shape->type];
    return flat != NULL && flat(shape, direction, normal);
}

// If the nearest points of the cores are d > 0 apart along n, the separation along f is at most d n
// . f. So most flat parts need no support search.
static bool prefer_flat(const CnCorePair* pair, CnVec3 flat, CnNearest* nearest) {
    double lost = nearest->distance * (1.0 - cn_vec3_dot(flat, nearest->normal));
    if (lost > 2.0 * AS_GOOD * pair->size) {
        return false;
    }
    return cn_take_if_as_good(pair, flat, AS_GOOD, nearest);
}

static bool prefer_flats(const CnCorePair* pair, CnNearest* nearest) {
    CnMat3 back = cn_mat3_transpose(&pair->rotation);
    CnVec3 flat;
    CnVec3 inward = cn_vec3_negate(nearest->normal);
    bool found = false;
    if (flat_facing(pair->b, cn_mat3_apply(&back, inward), &flat)) {
        found |= prefer_flat(pair, cn_vec3_negate(cn_mat3_apply(&pair->rotation, flat)), nearest);
    }
    if (flat_facing(pair->a, nearest->normal, &flat)) {
        found |= prefer_flat(pair, flat, nearest);
    }
    return found;
}

static bool has_disc(const CnCorePair* pair) {
    return pair->a->type == CN_SHAPE_CYLINDER || pair->b->type == CN_SHAPE_CYLINDER;
}

// docs/theory/collision/gjk.md (14): among normals with equal separation, the one with the larger
// product with the weights in A's frame. Products that differ by less than this are equal; the
// first normal is kept.
#define AS_LEANING 1e-9

static bool leans_more(CnVec3 normal, CnVec3 other) {
    CnVec3 weights = cn_pair_weights();
    return cn_vec3_dot(weights, normal) > cn_vec3_dot(weights, other) + AS_LEANING;
}

static void keep_better(const CnCorePair* pair, CnSeparationMaximum maximum,
                        CnSeparationMaximum* best) {
    double gain = maximum.nearest.distance - best->nearest.distance;
    bool is_tied = fabs(gain) <= CN_TOUCHING * pair->size;
    bool is_same = cn_vec3_dot(maximum.nearest.normal, best->nearest.normal) > SAME_NORMAL;
    bool is_preferred = is_same ? maximum.exact && !best->exact
                                : leans_more(maximum.nearest.normal, best->nearest.normal);
    if (is_tied ? is_preferred : gain > 0.0) {
        *best = maximum;
    }
}

// GJK gives no bounds for overlapping cores.
static CnSeparationMaximum maximum_of_apart(const CnCorePair* pair, CnGjk* gjk) {
    CnSeparationMaximum maximum = {.nearest = {.distance = -HUGE_VAL}};
    *gjk = cn_gjk(pair, cn_gjk_gap(pair));
    if (gjk->end != CN_GJK_OVERLAP) {
        maximum = cn_maximum_apart(pair, gjk);
    }
    if (gjk->end != CN_GJK_OVERLAP && !maximum.exact) { // a better normal to start from
        *gjk = cn_gjk(pair, CONVERGED);
        keep_better(pair, cn_maximum_apart(pair, gjk), &maximum);
    }
    return maximum;
}

// The points of a maximum. The cores are moved apart along its normal: moved along the best normal
// they keep it and their nearest points, at any distance. Returns the difference between the
// distance then found and the distance moved [m]. GJK finds points on a disc only to the square
// root of round-off, because it compares squared distances; the maximum of the moved cores has all
// digits.
static double find_points(const CnCorePair* pair, double stand_off, CnNearest* nearest) {
    CnCorePair apart = *pair;
    CnVec3 move = cn_vec3_scale(stand_off - nearest->distance, nearest->normal);
    apart.offset = cn_vec3_add(pair->offset, move);
    CnGjk gjk;
    CnSeparationMaximum maximum = {.exact = false};
    if (has_disc(pair)) {
        maximum = maximum_of_apart(&apart, &gjk);
    }
    CnNearest moved = maximum.exact ? maximum.nearest : cn_gjk(&apart, CONVERGED).nearest;
    nearest->point_a = moved.point_a;
    nearest->point_b = cn_vec3_sub(moved.point_b, move);
    return fabs(moved.distance - stand_off);
}

static double stand_off_of(const CnCorePair* pair) {
    double smaller = fmin(cn_core_extent(pair->a), cn_core_extent(pair->b));
    return fmax(STAND_OFF * smaller, LEAST_STAND_OFF * pair->size);
}

// The maximum is confirmed if the distance found equals the distance moved. That holds for
// polyhedra; but between vertices of a needle that are a million times farther apart GJK may stop
// too early, and is run again from farther away.
static bool prove(const CnCorePair* pair, CnNearest* nearest) {
    double stand_off = stand_off_of(pair);
    double least = find_points(pair, stand_off, nearest);
    while (least > PROOF * pair->size && !has_disc(pair) && stand_off < pair->size) {
        CnNearest again = *nearest;
        stand_off *= FURTHER;
        double missed = find_points(pair, stand_off, &again);
        if (missed < least) {
            *nearest = again;
            least = missed;
        }
    }
    return least <= PROOF * pair->size;
}

static bool is_thin(const CnShape* shape) {
    return shape->type == CN_SHAPE_SPHERE || shape->type == CN_SHAPE_CAPSULE;
}

static CnSegment core_segment(const CnShape* shape, CnVec3 middle, CnVec3 axis) {
    return (CnSegment){cn_vec3_add_scaled(middle, -shape->half_length, axis),
                       cn_vec3_add_scaled(middle, shape->half_length, axis)};
}

static CnVec3 axis_of_b(const CnCorePair* pair) {
    return cn_vec3(pair->rotation.m[0][2], pair->rotation.m[1][2], pair->rotation.m[2][2]);
}

// The two caps of a wide, thin plate are almost equally near, closer than EPA can resolve: take the
// better one.
static void try_caps(const CnCorePair* pair, CnSeparationMaximum* best) {
    CnDiscs discs = cn_core_discs(pair);
    for (int i = 0; i < 2 * discs.count; ++i) {
        CnVec3 axis = discs.of[i / 2].axis;
        CnSeparationMaximum cap = {.nearest = {.normal = i % 2 == 0 ? axis : cn_vec3_negate(axis)}};
        cap.nearest.distance = cn_core_separation(pair, cap.nearest.normal);
        keep_better(pair, cap, best);
    }
}

// If a half turn R maps each of two equal cores onto the other, -R n separates them as well as n
// does. The two normals may be too close to each other for EPA to start from both.
static void try_mirrored(const CnCorePair* pair, CnSeparationMaximum* best) {
    CnVec3 normal = cn_vec3_negate(cn_mat3_apply(&pair->rotation, best->nearest.normal));
    CnSeparationMaximum mirrored = {.nearest = {.normal = normal}};
    mirrored.nearest.distance = cn_core_separation(pair, normal);
    keep_better(pair, mirrored, best);
}

// For polyhedra the polytope ends at the face of least depth. For round cores it may still hide
// smaller depths than the best one found.
static CnSeparationMaximum maximum_of_overlapping(const CnCorePair* pair, const CnGjk* gjk) {
    double tolerance = has_disc(pair) ? DEPTH_TOLERANCE : POLYHEDRAL_DEPTH_TOLERANCE;
    CnEpa epa = cn_epa(pair, gjk, tolerance * pair->size);
    CnSeparationMaximum best = {.nearest = {.normal = epa.normal, .distance = epa.separation}};
    try_caps(pair, &best);
    if (prefer_flats(pair, &best.nearest)) {
        best.exact = prove(pair, &best.nearest);
    }
    if (best.exact && epa.start_count == 1) {
        return best;
    }
    for (int i = 0; i < epa.start_count; ++i) {
        keep_better(pair, cn_maximum_overlapping(pair, epa.starts[i]), &best);
    }
    return best;
}

// The normal between nearest points has the round-off of the size over their distance; over a face
// of the box it is exact.
#define FAR_APART 0.05
#define APART_OVER_FACE STAND_OFF

// A box, and a segment or point that is well apart from it: most pairs of a box and a capsule.
bool cn_core_segment_is_apart(const CnCorePair* pair, CnNearest* nearest) {
    if (pair->a->type != CN_SHAPE_BOX || !is_thin(pair->b)) {
        return false;
    }
    CnSegment segment = core_segment(pair->b, pair->offset, axis_of_b(pair));
    *nearest = cn_segment_box_nearest(pair->a->half_size, segment);
    CnVec3 n = nearest->normal;
    bool is_over_face = fabs(n.x) + fabs(n.y) + fabs(n.z) == 1.0;
    return nearest->distance > (is_over_face ? APART_OVER_FACE : FAR_APART) * pair->size;
}

CnNearest cn_core_distance(const CnCorePair* pair) {
    if (is_thin(pair->a) && is_thin(pair->b)) { // points and segments: no volume to overlap
        CnVec3 zero = cn_vec3(0.0, 0.0, 0.0), up = cn_vec3(0.0, 0.0, 1.0);
        return cn_closest_segments(core_segment(pair->a, zero, up),
                                   core_segment(pair->b, pair->offset, axis_of_b(pair)));
    }
    CnGjk gjk;
    CnSeparationMaximum maximum = {.exact = true};
    if (cn_core_segment_is_apart(pair, &maximum.nearest)) {
        prefer_flats(pair, &maximum.nearest);
        return maximum.nearest;
    }
    maximum = maximum_of_apart(pair, &gjk);
    // A maximum below zero is one of many: round-off made GJK report that the cores are apart.
    double least = AS_GOOD * pair->size;
    if (maximum.nearest.distance < (maximum.exact ? -least : least)) {
        keep_better(pair, maximum_of_overlapping(pair, &gjk), &maximum);
        try_mirrored(pair, &maximum);
    }
    // For overlapping cores a flat part may be as good as a maximum elsewhere, with other points.
    CnVec3 normal = maximum.nearest.normal;
    bool preferred = prefer_flats(pair, &maximum.nearest);
    if (maximum.nearest.distance <= CN_TOUCHING * pair->size) {
        preferred |= cn_choose_normal(pair, &maximum.nearest);
    }
    bool moved = preferred && cn_vec3_dot(normal, maximum.nearest.normal) < SAME_NORMAL;
    if (moved || !maximum.exact) {
        prove(pair, &maximum.nearest);
    }
    return maximum.nearest;
}

// The deepest point of B in the half space A, relative to A's position, so that no digits are lost
// far from the world's origin.
static CnNearest nearest_of_plane(CnPlacedShape a, CnPlacedShape b) {
    CnVec3 normal = cn_quat_rotate(a.pose.rotation, a.shape->normal);
    CnVec3 local = cn_quat_unrotate(b.pose.rotation, cn_vec3_negate(normal));
    CnVec3 lowest = cn_quat_rotate(b.pose.rotation, cn_shape_support(b.shape, local));
    lowest = cn_vec3_add(cn_vec3_sub(b.pose.position, a.pose.position), lowest);
    CnVec3 on_b = cn_vec3_add_scaled(lowest, -cn_shape_rounding(b.shape), normal);
    double distance = cn_vec3_dot(normal, on_b);
    CnVec3 on_a = cn_vec3_add_scaled(on_b, -distance, normal);
    return (CnNearest){cn_vec3_add(a.pose.position, on_a), cn_vec3_add(a.pose.position, on_b),
                       normal, distance};
}

typedef CnNearest NearestFunction(CnPlacedShape a, CnPlacedShape b);

// Replacements for shapes without a core.
static NearestFunction* const nearest_table[CN_SHAPE_TYPE_COUNT] = {
    [CN_SHAPE_PLANE] = nearest_of_plane,
    [CN_SHAPE_MESH] = cn_nearest_of_surface,
    [CN_SHAPE_HEIGHT_FIELD] = cn_nearest_of_surface,
};

static CnNearest nearest_of_cores(CnPlacedShape a, CnPlacedShape b) {
    CnCorePair pair = cn_core_pair(a, b);
    CnNearest nearest = cn_core_distance(&pair);
    double ra = cn_shape_rounding(a.shape), rb = cn_shape_rounding(b.shape);
    CnVec3 on_a = cn_vec3_add_scaled(nearest.point_a, ra, nearest.normal);
    CnVec3 on_b = cn_vec3_add_scaled(nearest.point_b, -rb, nearest.normal);
    return (CnNearest){cn_transform_point(a.pose, on_a), cn_transform_point(a.pose, on_b),
                       cn_quat_rotate(a.pose.rotation, nearest.normal), nearest.distance - ra - rb};
}

// Ties are broken in the frame of the first shape. The frame of a ball says nothing about the
// direction of a capsule, so balls come last.
static int rank(const CnShape* shape) {
    return shape->type == CN_SHAPE_SPHERE ? CN_SHAPE_TYPE_COUNT : (int)shape->type;
}

// Ordered by type as in cn_collide(), except for balls, and within one type as there. The result is
// the same to the bit whichever shape is passed as A.
static bool goes_second(CnPlacedShape a, CnPlacedShape b) {
    return a.shape->type != b.shape->type ? rank(a.shape) > rank(b.shape)
                                          : cn_pair_is_reversed(a, b);
}

CnNearest cn_nearest(CnPlacedShape a, CnPlacedShape b) {
    NearestFunction *of_a = nearest_table[a.shape->type], *of_b = nearest_table[b.shape->type];
    if (of_a != NULL && of_b != NULL) {
        return (CnNearest){a.pose.position, b.pose.position, cn_vec3(0.0, 0.0, 1.0), HUGE_VAL};
    }
    if (of_a != NULL) {
        return of_a(a, b);
    }
    if (of_b != NULL || goes_second(a, b)) {
        CnNearest mirrored = of_b != NULL ? of_b(b, a) : nearest_of_cores(b, a);
        return (CnNearest){mirrored.point_b, mirrored.point_a, cn_vec3_negate(mirrored.normal),
                           mirrored.distance};
    }
    return nearest_of_cores(a, b);
}

// test_sat.c - separating axes against projections of every vertex on every axis.
#include "cairn/random.h"
#include "collision/sat/polyhedron.h"
#include "support/shapes/random_poses.h"
#include "support/test.h"

#define PAIRS (UNDER_SANITIZER ? 10000 : 100000)

typedef struct Pair {
    CnVec3 half_a, half_b; // [m]
    CnTransform a, b;
    double reach; // sum of the half diagonals [m]
} Pair;

// Boxes of 0.2 to 2 m, from concentric (nested when one is much smaller) to out of reach.
static Pair random_pair(CnRandom* random) {
    Pair pair = {
        .half_a = random_between(random, 0.1, 1.0),
        .half_b = random_between(random, 0.1, 1.0),
        .a = {random_between(random, -1.0, 1.0), random_turn(random)},
        .b = {{0.0, 0.0, 0.0}, random_turn(random)},
    };
    double nearness = cn_random_between(random, 0.0, 2.5);
    CnVec3 apart = cn_vec3_scale(nearness, random_between(random, -1.0, 1.0));
    pair.b.position = cn_vec3_add(pair.a.position, apart);
    pair.reach = cn_vec3_length(pair.half_a) + cn_vec3_length(pair.half_b);
    return pair;
}

static CnSatAxes axes_of(const Pair* pair) {
    CnRelativePose seen[2];
    cn_relative_poses(&pair->a, &pair->b, seen);
    CnBoxHull storage[2];
    const CnHull* a = cn_box_hull(pair->half_a, &storage[0]);
    const CnHull* b = cn_box_hull(pair->half_b, &storage[1]);
    CnSatAxes axes;
    CHECK(cn_sat_hulls(a, b, seen, INFINITY, 0.0, &axes));
    return axes;
}

static CnSatAxis best_of(const CnSatAxes* axes) {
    CnSatAxis best = axes->face_a;
    best = axes->face_b.separation > best.separation ? axes->face_b : best;
    return axes->edges.separation > best.separation ? axes->edges : best;
}

// The oracle: a hull as points in the world, and nothing else.
typedef struct Cloud {
    CnVec3 points[64];
    int count;
} Cloud;

static Cloud cloud_of(const CnHull* hull, CnTransform pose) {
    Cloud cloud = {.count = hull->vertex_count};
    for (int i = 0; i < hull->vertex_count; ++i) {
        cloud.points[i] = cn_transform_point(pose, hull->vertices[i]);
    }
    return cloud;
}

// How far B's shadow on the axis is beyond A's, the better of the two ways round.
static double separation_along(const Cloud* a, const Cloud* b, CnVec3 axis) {
    double low_a = INFINITY, high_a = -INFINITY, low_b = INFINITY, high_b = -INFINITY;
    for (int i = 0; i < a->count; ++i) {
        double at = cn_vec3_dot(axis, a->points[i]);
        low_a = fmin(low_a, at);
        high_a = fmax(high_a, at);
    }
    for (int i = 0; i < b->count; ++i) {
        double at = cn_vec3_dot(axis, b->points[i]);
        low_b = fmin(low_b, at);
        high_b = fmax(high_b, at);
    }
    return fmax(low_b - high_a, low_a - high_b);
}

static CnVec3 world_edge(const CnHull* hull, CnTransform pose, int edge) {
    CnVec3 along =
        cn_vec3_sub(hull->vertices[hull->edges[edge].to], hull->vertices[hull->edges[edge].from]);
    return cn_quat_rotate(pose.rotation, along);
}

static double best_face_separation(const CnHull* hull, CnTransform pose, const Cloud* a,
                                   const Cloud* b) {
    double best = -INFINITY;
    for (int i = 0; i < hull->face_count; ++i) {
        CnVec3 normal = cn_quat_rotate(pose.rotation, hull->faces[i].normal);
        best = fmax(best, separation_along(a, b, normal));
    }
    return best;
}

// Every face normal and every cross product of two edges, no pruning.
static double brute_force(const CnHull* a, CnTransform pose_a, const CnHull* b,
                          CnTransform pose_b) {
    Cloud cloud_a = cloud_of(a, pose_a), cloud_b = cloud_of(b, pose_b);
    double best = fmax(best_face_separation(a, pose_a, &cloud_a, &cloud_b),
                       best_face_separation(b, pose_b, &cloud_a, &cloud_b));
    for (int i = 0; i < a->edge_count; ++i) {
        CnVec3 edge_a = world_edge(a, pose_a, i);
        for (int j = 0; j < b->edge_count; ++j) {
            CnVec3 edge_b = world_edge(b, pose_b, j);
            CnVec3 axis = cn_vec3_cross(edge_a, edge_b);
            double sine = cn_vec3_length(axis) / (cn_vec3_length(edge_a) * cn_vec3_length(edge_b));
            if (sine > CN_PARALLEL_TOLERANCE) {
                best = fmax(best, separation_along(&cloud_a, &cloud_b, cn_vec3_normalize(axis)));
            }
        }
    }
    return best;
}

// Positions and sizes below 4 m, a dozen operations each: 1e-15 times some tens. Axes of edges that
// are a milliradian from parallel are a thousand times less certain.
static const double tolerance = 1e-12; // [m]

static void boxes_agree_with_brute_force_on_every_pair(void) {
    CnRandom random = {1};
    int overlapping = 0, nested = 0;
    for (int i = 0; i < PAIRS; ++i) {
        Pair pair = random_pair(&random);
        CnBoxHull storage[2];
        const CnHull* a = cn_box_hull(pair.half_a, &storage[0]);
        const CnHull* b = cn_box_hull(pair.half_b, &storage[1]);
        CnSatAxes axes = axes_of(&pair);
        CnSatAxis best = best_of(&axes);
        CHECK_NEAR(best.separation, brute_force(a, pair.a, b, pair.b), tolerance);
        CHECK_NEAR(cn_vec3_length(best.normal), 1.0, 1e-14);
        overlapping += best.separation < 0.0;
        nested += best.separation < -0.5;
    }
    CHECK(overlapping > PAIRS / 4 && overlapping < PAIRS * 9 / 10); // both kinds are well covered
    CHECK(nested > PAIRS / 50);
}

// Pushed apart along the best axis until they touch: 0, whichever way it is computed.
static void touching_boxes_are_found_to_touch(void) {
    CnRandom random = {2};
    for (int i = 0; i < PAIRS / 10; ++i) {
        Pair pair = random_pair(&random);
        CnSatAxes axes = axes_of(&pair);
        CnSatAxis best = best_of(&axes);
        if (best.separation > 0.0) {
            continue;
        }
        CnVec3 normal = cn_quat_rotate(pair.a.rotation, best.normal);
        pair.b.position = cn_vec3_add_scaled(pair.b.position, -best.separation, normal);
        axes = axes_of(&pair);
        CHECK_NEAR(best_of(&axes).separation, 0.0, tolerance);
        CnBoxHull storage[2];
        const CnHull* a = cn_box_hull(pair.half_a, &storage[0]);
        const CnHull* b = cn_box_hull(pair.half_b, &storage[1]);
        CHECK_NEAR(brute_force(a, pair.a, b, pair.b), 0.0, tolerance);
    }
}

static void a_margin_below_the_separation_ends_the_search(void) {
    CnRandom random = {4};
    for (int i = 0; i < PAIRS / 10; ++i) {
        Pair pair = random_pair(&random);
        CnBoxHull storage[2];
        const CnHull* a = cn_box_hull(pair.half_a, &storage[0]);
        const CnHull* b = cn_box_hull(pair.half_b, &storage[1]);
        CnRelativePose seen[2];
        cn_relative_poses(&pair.a, &pair.b, seen);
        CnSatAxes axes = axes_of(&pair), ignored;
        double best = best_of(&axes).separation;
        CHECK(!cn_sat_hulls(a, b, seen, best - 1e-9, 0.0, &ignored));
        CHECK(cn_sat_hulls(a, b, seen, best + 1e-9, 0.0, &ignored));
    }
}

// Two unit cubes, B on its edge: turned by 45 degrees about x, so that it reaches 1/sqrt(2) down to
// an edge along x; A turned by 45 degrees about y, with an edge along y on top. Centres 1.5 apart:
// 1.5 - sqrt(2) = 0.0857864 m of air.
static void crossed_edges_are_sqrt_2_apart_when_they_touch(void) {
    Pair pair = {
        .half_a = {0.5, 0.5, 0.5},
        .half_b = {0.5, 0.5, 0.5},
        .a = {{0.0, 0.0, 0.0}, cn_quat_from_axis_angle(cn_vec3(0.0, 1.0, 0.0), CN_PI / 4.0)},
        .b = {{0.0, 0.0, 1.5}, cn_quat_from_axis_angle(cn_vec3(1.0, 0.0, 0.0), CN_PI / 4.0)},
    };
    CnSatAxes axes = axes_of(&pair);
    CnSatAxis best = best_of(&axes);
    CnVec3 normal = cn_quat_rotate(pair.a.rotation, best.normal);
    CHECK_NEAR(best.separation, 1.5 - sqrt(2.0), 1e-15);
    CHECK_NEAR(normal.z, 1.0, 1e-15);
    CHECK(axes.edges.separation > axes.face_a.separation + 0.1);
}

// The same numbers a million metres away: positions there are multiples of 1.2e-10 m, so the
// corners are placed on that grid first and nothing else may be lost.
static void far_from_the_origin_nothing_is_lost_but_the_position(void) {
    CnRandom random = {5};
    const double grid = 0x1p-32, far = 0x1p20; // 1048576 m
    for (int i = 0; i < PAIRS / 10; ++i) {
        Pair here = random_pair(&random);
        here.a.position = cn_vec3(0.0, 0.0, 0.0);
        here.b.position =
            cn_vec3(grid * floor(here.b.position.x / grid), grid * floor(here.b.position.y / grid),
                    grid * floor(here.b.position.z / grid));
        Pair there = here;
        there.a.position = cn_vec3(far, -far, far);
        there.b.position = cn_vec3_add(here.b.position, there.a.position);
        CnSatAxes near_axes = axes_of(&here), far_axes = axes_of(&there);
        CHECK(best_of(&near_axes).separation == best_of(&far_axes).separation);
    }
}

static void parallel_and_coincident_boxes_have_no_edge_axis(void) {
    CnVec3 half = cn_vec3(0.5, 0.5, 0.5);
    CnTransform here = {.rotation = cn_quat_identity()};
    CnRelativePose same[2];
    CnBoxHull storage;
    CnSatAxes axes;
    const CnHull* hull = cn_box_hull(half, &storage);
    cn_relative_poses(&here, &here, same);
    CHECK(cn_sat_hulls(hull, hull, same, 0.0, 0.0, &axes));
    CHECK(best_of(&axes).separation == -1.0);
    CHECK_INT(axes.edges.a, -1);
}

TEST_MAIN("unit/collision/sat/sat", TEST(boxes_agree_with_brute_force_on_every_pair),
          TEST(touching_boxes_are_found_to_touch),
          TEST(a_margin_below_the_separation_ends_the_search),
          TEST(crossed_edges_are_sqrt_2_apart_when_they_touch),
          TEST(far_from_the_origin_nothing_is_lost_but_the_position),
          TEST(parallel_and_coincident_boxes_have_no_edge_axis))

// test_gjk.c - distances, depths and contact points by GJK and EPA.
#include "collision/collide.h"
#include "collision/convex/distance.h"
#include "support/shapes/known_pairs.h"
#include "support/test.h"

#define PAIRS (UNDER_SANITIZER ? 300 : 2500) // of each kind
#define POLYHEDRAL 1e-9                      // error relative to the sizes
#define CURVED 1e-6                          // with a cylinder

static const CnShapeType kinds[][2] = {
    {CN_SHAPE_SPHERE, CN_SHAPE_SPHERE},    {CN_SHAPE_SPHERE, CN_SHAPE_BOX},
    {CN_SHAPE_SPHERE, CN_SHAPE_CAPSULE},   {CN_SHAPE_SPHERE, CN_SHAPE_CYLINDER},
    {CN_SHAPE_BOX, CN_SHAPE_BOX},          {CN_SHAPE_BOX, CN_SHAPE_CAPSULE},
    {CN_SHAPE_BOX, CN_SHAPE_CYLINDER},     {CN_SHAPE_CAPSULE, CN_SHAPE_CAPSULE},
    {CN_SHAPE_CAPSULE, CN_SHAPE_CYLINDER}, {CN_SHAPE_CYLINDER, CN_SHAPE_CYLINDER},
    {CN_SHAPE_SPHERE, CN_SHAPE_CONVEX},    {CN_SHAPE_CAPSULE, CN_SHAPE_CONVEX},
    {CN_SHAPE_CYLINDER, CN_SHAPE_CONVEX},  {CN_SHAPE_CONVEX, CN_SHAPE_CONVEX},
    {CN_SHAPE_PLANE, CN_SHAPE_CYLINDER},   {CN_SHAPE_PLANE, CN_SHAPE_BOX},
};
#define KINDS ((int)(sizeof kinds / sizeof kinds[0]))

static double tolerance_of(int kind) {
    bool curved = kinds[kind][0] == CN_SHAPE_CYLINDER || kinds[kind][1] == CN_SHAPE_CYLINDER;
    return curved ? CURVED : POLYHEDRAL;
}

static double distance_between(CnPlacedShape a, CnPlacedShape b, CnVec3* on_a, CnVec3* on_b) {
    CnNearest nearest = cn_nearest(a, b);
    *on_a = nearest.point_a;
    *on_b = nearest.point_b;
    return nearest.distance;
}

// Hulls of 4, 8, ... points in a ball of a given radius.
#define HULLS 6
static CnHull hulls[HULLS];

static void build_hulls(double radius) {
    CnRandom random = {77};
    CnVec3 points[4 * HULLS];
    for (int i = 0; i < HULLS; ++i) {
        CnHull* hull = NULL;
        for (int k = 0; k < 4 * (i + 1); ++k) {
            points[k] = cn_vec3_scale(radius, known_direction(&random));
        }
        CHECK_INT(cn_hull_build(points, 4 * (i + 1), NULL, &hull, NULL), CN_OK);
        hulls[i] = *hull; // lives as long as the process of the test
    }
}

static KnownPairDef def_of(int kind, double smallest, double largest, double far) {
    if (hulls[0].vertex_count == 0) {
        build_hulls(sqrt(smallest * largest));
    }
    return (KnownPairDef){kinds[kind][0], kinds[kind][1], smallest, largest, far, hulls, HULLS};
}

// The distance, and points on the surfaces as far apart as it says.
static void check_distances(double smallest, double largest, double far) {
    for (int kind = 0; kind < KINDS; ++kind) {
        CnRandom random = {(uint64_t)kind + 1};
        KnownPairDef def = def_of(kind, smallest, largest, far);
        for (int i = 0; i < PAIRS; ++i) {
            KnownPair pair;
            CnVec3 on_a, on_b;
            known_pair(&def, &random, &pair);
            double distance = distance_between(pair.a, pair.b, &on_a, &on_b);
            double apart = cn_vec3_length(cn_vec3_sub(on_b, on_a));
            double allowed = tolerance_of(kind) * pair.size + 8.0 * far * 0x1p-52;
            ck_assert_msg(fabs(distance - pair.gap) <= allowed,
                          "kind %d, pair %d: distance %.17g, not %.17g", kind, i, distance,
                          pair.gap);
            ck_assert_msg(fabs(apart - fabs(distance)) <= allowed,
                          "kind %d, pair %d: points are %.17g apart, not %.17g", kind, i, apart,
                          fabs(distance));
        }
    }
}

static void distances_of_40000_pairs_are_the_known_ones(void) {
    check_distances(0.1, 10.0, 0.0);
}

static void distances_are_as_good_between_millimetres(void) {
    check_distances(1e-3, 1e-2, 0.0);
}

static void distances_are_as_good_between_kilometres(void) {
    check_distances(10.0, 1e3, 0.0);
}

static void distances_a_thousand_kilometres_out_are_good_to_the_grid_there(void) {
    check_distances(0.1, 10.0, 1e6);
}

// Depths: no direction may part the shapes by less than EPA says. Directions are sampled, and the
// best of them climbed to the nearest summit by turns that halve down to 1e-9.

static bool climb(CnPlacedShape a, CnPlacedShape b, double turn, CnVec3* n, double* best) {
    CnVec3 t1, t2;
    cn_tangent_basis(*n, &t1, &t2);
    for (int k = 0; k < 8; ++k) {
        double c = turn * cos(k * CN_PI / 4.0), s = turn * sin(k * CN_PI / 4.0);
        CnVec3 m = cn_vec3_normalize(cn_vec3_add_scaled(cn_vec3_add_scaled(*n, c, t1), s, t2));
        double separation = known_separation(a, b, m);
        if (separation > *best) {
            *best = separation;
            *n = m;
            return true;
        }
    }
    return false;
}

static double summit_from(CnPlacedShape a, CnPlacedShape b, CnVec3 n) {
    double best = known_separation(a, b, n);
    for (double turn = 0.1; turn > 1e-9; turn *= 0.5) {
        for (int guard = 0; guard < 50 && climb(a, b, turn, &n, &best); ++guard) {
        }
    }
    return best;
}

#define SAMPLES 150
#define SUMMITS 5

static double sampled_separation(CnPlacedShape a, CnPlacedShape b, CnRandom* random) {
    CnVec3 directions[SAMPLES];
    double separations[SAMPLES], best = -HUGE_VAL;
    for (int k = 0; k < SAMPLES; ++k) {
        directions[k] = known_direction(random);
        separations[k] = known_separation(a, b, directions[k]);
    }
    for (int i = 0; i < SUMMITS; ++i) {
        int most = 0;
        for (int k = 1; k < SAMPLES; ++k) {
            most = separations[k] > separations[most] ? k : most;
        }
        best = fmax(best, summit_from(a, b, directions[most]));
        separations[most] = -HUGE_VAL;
    }
    return best;
}

static void check_depths(double smallest, double largest) {
    for (int kind = 0; kind < KINDS - 2; ++kind) { // all but planes
        CnRandom random = {(uint64_t)kind + 101};
        KnownPairDef def = def_of(kind, smallest, largest, 0.0);
        for (int i = 0; i < PAIRS / 10; ++i) {
            KnownPair pair;
            CnVec3 on_a, on_b;
            known_pair(&def, &random, &pair);
            double size = pair.shapes[0].extent + pair.shapes[1].extent;
            double apart = i == 0 ? 0.0 : cn_random_between(&random, 0.0, 0.5 * size);
            pair.b.pose.position =
                cn_vec3_add_scaled(pair.a.pose.position, apart, known_direction(&random));
            double distance = distance_between(pair.a, pair.b, &on_a, &on_b);
            double sampled = sampled_separation(pair.a, pair.b, &random);
            ck_assert_msg(isfinite(distance) && distance >= sampled - tolerance_of(kind) * size,
                          "kind %d, pair %d: %.17g, but a direction parts them by %.17g", kind, i,
                          distance, sampled);
            CnVec3 way = cn_vec3_sub(on_b, on_a);
            // Points move to first order with the normal, depths to second.
            CHECK_NEAR(cn_vec3_length(way), fabs(distance), sqrt(tolerance_of(kind)) * size);
        }
    }
}

static void no_direction_is_a_shorter_way_out_than_the_depth(void) {
    check_depths(0.1, 10.0);
}

static void no_direction_is_a_shorter_way_out_between_millimetres(void) {
    check_depths(1e-3, 1e-2);
}

// Sizes six orders apart: every answer is finite, is the separation along some direction, and so
// never deeper than the shapes are large.
static void a_millimetre_deep_in_a_kilometre_gives_finite_answers(void) {
    for (int kind = 0; kind < KINDS - 2; ++kind) {
        CnRandom random = {(uint64_t)kind + 201};
        KnownPairDef def = def_of(kind, 1e-3, 1e3, 0.0);
        for (int i = 0; i < PAIRS; ++i) {
            KnownPair pair;
            CnVec3 on_a, on_b;
            known_pair(&def, &random, &pair);
            double apart = cn_random_between(&random, 0.0, pair.shapes[0].extent);
            pair.b.pose.position = cn_vec3_scale(apart, known_direction(&random));
            pair.a.pose.position = cn_vec3(0.0, 0.0, 0.0);
            double distance = distance_between(pair.a, pair.b, &on_a, &on_b);
            CHECK(isfinite(distance) && cn_vec3_is_finite(on_a) && cn_vec3_is_finite(on_b));
            CHECK(distance >= -2.0 * (pair.shapes[0].extent + pair.shapes[1].extent));
        }
    }
}

// Invariance

static void order_place_and_attitude_of_a_pair_change_no_distance(void) {
    for (int kind = 0; kind < KINDS; ++kind) {
        CnRandom random = {(uint64_t)kind + 31};
        KnownPairDef def = def_of(kind, 0.1, 10.0, 1.0);
        double tolerance = tolerance_of(kind);
        for (int i = 0; i < PAIRS / 3; ++i) {
            KnownPair pair;
            CnVec3 on_a, on_b;
            known_pair(&def, &random, &pair);
            double distance = distance_between(pair.a, pair.b, &on_a, &on_b);
            CnTransform by = {cn_vec3_scale(10.0, known_direction(&random)),
                              known_rotation(&random)};
            pair.a.pose = (CnTransform){cn_transform_point(by, pair.a.pose.position),
                                        cn_quat_multiply(by.rotation, pair.a.pose.rotation)};
            pair.b.pose = (CnTransform){cn_transform_point(by, pair.b.pose.position),
                                        cn_quat_multiply(by.rotation, pair.b.pose.rotation)};
            CHECK_NEAR(distance_between(pair.b, pair.a, &on_b, &on_a), distance,
                       tolerance * pair.size);
        }
    }
}

// Contact points: the least gap is the distance, all gaps are in the margin, none below the least.

static void contact_points_hold_the_nearest_and_keep_to_the_margin(void) {
    for (int kind = 0; kind < KINDS; ++kind) {
        if (kinds[kind][0] == kinds[kind][1] &&
            (kinds[kind][0] == CN_SHAPE_BOX || kinds[kind][0] == CN_SHAPE_CONVEX)) {
            continue; // polyhedra meet by separating axes
        }
        CnRandom random = {(uint64_t)kind + 41};
        KnownPairDef def = def_of(kind, 0.1, 10.0, 0.0);
        for (int i = 0; i < PAIRS; ++i) {
            KnownPair pair;
            CnManifoldPoint points[CN_MANIFOLD_POINTS];
            known_pair(&def, &random, &pair);
            double margin = pair.gap + 0.1 * pair.size, least = HUGE_VAL;
            int count = cn_collide(pair.a, pair.b, margin, points);
            CHECK(count >= 1 && count <= CN_MANIFOLD_POINTS);
            for (int k = 0; k < count; ++k) {
                CHECK_NEAR(cn_vec3_length(points[k].normal), 1.0, 1e-12);
                CHECK(cn_vec3_is_finite(points[k].point) && points[k].gap <= margin);
                least = fmin(least, points[k].gap);
            }
            double allowed =
                fmax(tolerance_of(kind), 2e-7) * pair.size; // CN_TIE_TOLERANCE of reduce.h
            ck_assert_msg(fabs(least - pair.gap) <= allowed,
                          "kind %d, pair %d: gap %.17g not %.17g", kind, i, least, pair.gap);
        }
    }
}

static const CnShape box = {.type = CN_SHAPE_BOX, .half_size = {1.0, 1.0, 1.0}, .extent = 1.7321};
static const CnShape capsule = {
    .type = CN_SHAPE_CAPSULE, .radius = 0.25, .half_length = 0.5, .extent = 0.75};
static const CnShape cylinder = {
    .type = CN_SHAPE_CYLINDER, .radius = 0.5, .half_length = 1.0, .extent = 1.1181};

static CnPlacedShape upright(const CnShape* shape, double x, double y, double z) {
    return (CnPlacedShape){shape, {{x, y, z}, {1.0, 0.0, 0.0, 0.0}}};
}

static CnPlacedShape lying(const CnShape* shape, double x, double y, double z) {
    return (CnPlacedShape){shape, {{x, y, z}, {sqrt(0.5), 0.0, sqrt(0.5), 0.0}}};
}

// Every point at height z with the gap, the normal up; the sum of x and y shows that they lie
// evenly around (x, y).
static void check_level(CnPlacedShape a, CnPlacedShape b, int expected, double gap, double x,
                        double z) {
    for (double away = -1e-7; away <= 1e-7; away += 5e-8) { // pressed in, touching, lifted
        CnManifoldPoint points[CN_MANIFOLD_POINTS];
        CnPlacedShape moved = b;
        double sum = 0.0;
        moved.pose.position.z += away;
        CHECK_INT(cn_collide(a, moved, 0.01, points), expected);
        for (int i = 0; i < expected; ++i) {
            CHECK_NEAR(points[i].normal.z, 1.0, 1e-15);
            CHECK_NEAR(points[i].gap, gap + away, 1e-14);
            CHECK_NEAR(points[i].point.z, z + 0.5 * away, 1e-14);
            sum += points[i].point.x;
        }
        CHECK_NEAR(sum / expected, x, 1e-12);
    }
}

static void a_capsule_lying_on_a_box_touches_at_two_points(void) {
    check_level(upright(&box, 0, 0, 0), lying(&capsule, 0.0, 0.3, 1.25), 2, 0.0, 0.0, 1.0);
}

// Reaching from x = .25 to 1.25 over a box that ends at 1: points at .25 and 1.
static void a_capsule_over_the_edge_of_a_box_touches_where_the_box_ends(void) {
    check_level(upright(&box, 0, 0, 0), lying(&capsule, 0.75, 0.3, 1.25), 2, 0.0, 0.625, 1.0);
}

// A box on its edge, the opposite one along x at a height of sqrt(2).
static void a_capsule_lying_along_an_edge_of_a_box_touches_at_two_points(void) {
    CnPlacedShape on_edge = {&box, {{0.0, 0.0, 0.0}, cn_quat_exp(cn_vec3(0.25 * CN_PI, 0.0, 0.0))}};
    double top = sqrt(2.0);
    check_level(on_edge, lying(&capsule, 0.1, 0.0, top + 0.25), 2, 0.0, 0.1, top);
    check_level(on_edge, lying(&capsule, 0.75, 0.0, top + 0.25), 2, 0.0, 0.625, top);
    check_level(on_edge, lying(&cylinder, 0.5, 0.0, top + 0.5), 2, 0.0, 0.25, top);
}

// A body over the box's edge at x = 1 that leans by 0.01 rad: its lower side is nearest to the
// edge, at r - (r cos - s sin) below it, s = 0.25 from the middle, with a normal that leans. The
// other end is over the box, and so high.
static void check_leaning(const CnShape* shape, double high) {
    const double lean = 0.01, r = shape->radius;
    CnPlacedShape over = lying(shape, 0.75, 0.3, 1.0 + r);
    CnQuat turn = cn_quat_exp(cn_vec3(0.0, lean, 0.0)); // the end beyond the edge goes down
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    over.pose.rotation = cn_quat_multiply(turn, over.pose.rotation);
    CHECK_INT(cn_collide(upright(&box, 0, 0, 0), over, 0.02, points), 2);
    int nearest = points[0].gap < points[1].gap ? 0 : 1;
    CHECK_NEAR(points[nearest].gap, r * cos(lean) - 0.25 * sin(lean) - r, 1e-14);
    CHECK_NEAR(points[nearest].point.x, 1.0, 0.002); // half way through the overlap
    CHECK_NEAR(points[!nearest].gap, high, 1e-14);
    CHECK_NEAR(points[!nearest].point.x, 0.75 - shape->half_length * cos(lean), 0.01); // leans
    for (int i = 0; i < 2; ++i) {
        CHECK_NEAR(points[i].normal.x, sin(lean), 1e-14);
        CHECK_NEAR(points[i].normal.z, cos(lean), 1e-14);
    }
    CHECK_INT(cn_collide(upright(&box, 0, 0, 0), over, 0.5 * high, points), 1); // out of margin
}

static void what_leans_over_an_edge_of_a_box_keeps_its_other_end(void) {
    check_leaning(&capsule, capsule.half_length * sin(0.01));
    check_leaning(&cylinder, sin(0.01) + cylinder.radius * (1.0 - cos(0.01)));
}

// Beyond 0.1 rad there is the edge alone.
static void what_leans_far_over_an_edge_of_a_box_touches_there_alone(void) {
    CnPlacedShape over = lying(&capsule, 0.75, 0.3, 1.25);
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    over.pose.rotation = cn_quat_multiply(cn_quat_exp(cn_vec3(0.0, 0.11, 0.0)), over.pose.rotation);
    CHECK_INT(cn_collide(upright(&box, 0, 0, 0), over, 0.2, points), 1);
}

// Its cap leans across the corner of a box: the rim is nearest to a side of the top, the rest of
// the top is under the cap, no higher than a lean of 0.01 rad over 1 m makes it.
static void a_cylinder_leaning_at_an_edge_of_a_box_stands_on_four_points(void) {
    CnPlacedShape over = upright(&cylinder, 0.75, 0.3, 2.0);
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    double inside = 1.0;
    over.pose.rotation = cn_quat_exp(cn_vec3(-0.004, 0.01, 0.0));
    CHECK_INT(cn_collide(upright(&box, 0, 0, 0), over, 0.02, points), CN_MANIFOLD_POINTS);
    for (int i = 0; i < CN_MANIFOLD_POINTS; ++i) {
        CHECK(points[i].normal.z > 0.995 && fabs(points[i].gap) < 0.011);
        inside = fmin(inside, points[i].point.x);
    }
    CHECK(inside < 0.4); // the cap ends at 0.25
}

static void a_cylinder_standing_on_a_box_touches_at_four_points(void) {
    check_level(upright(&box, 0, 0, 0), upright(&cylinder, 0.1, 0.2, 2.0), 4, 0.0, 0.1, 1.0);
}

static void a_cylinder_lying_on_a_box_touches_at_two_points(void) {
    check_level(upright(&box, 0, 0, 0), lying(&cylinder, 0.0, 0.1, 1.5), 2, 0.0, 0.0, 1.0);
}

static void a_cylinder_standing_on_a_cylinder_touches_at_four_points(void) {
    check_level(upright(&cylinder, 0, 0, 0), upright(&cylinder, 0, 0, 2.0), 4, 0.0, 0.0, 1.0);
}

static void a_capsule_lying_on_a_cap_touches_at_two_points(void) {
    check_level(upright(&cylinder, 0, 0, 0), lying(&capsule, 0, 0, 1.25), 2, 0.0, 0.0, 1.0);
}

static void a_cylinder_lying_along_a_cylinder_touches_at_two_points(void) {
    check_level(lying(&cylinder, 0, 0, 0), lying(&cylinder, 0.5, 0, 1.0), 2, 0.0, 0.25, 0.5);
}

TEST_MAIN("unit/collision/convex/gjk", TEST(distances_of_40000_pairs_are_the_known_ones),
          TEST(distances_are_as_good_between_millimetres),
          TEST(distances_are_as_good_between_kilometres),
          TEST(distances_a_thousand_kilometres_out_are_good_to_the_grid_there),
          TEST(no_direction_is_a_shorter_way_out_than_the_depth),
          TEST(no_direction_is_a_shorter_way_out_between_millimetres),
          TEST(a_millimetre_deep_in_a_kilometre_gives_finite_answers),
          TEST(order_place_and_attitude_of_a_pair_change_no_distance),
          TEST(contact_points_hold_the_nearest_and_keep_to_the_margin),
          TEST(a_capsule_lying_on_a_box_touches_at_two_points),
          TEST(a_capsule_over_the_edge_of_a_box_touches_where_the_box_ends),
          TEST(a_capsule_lying_along_an_edge_of_a_box_touches_at_two_points),
          TEST(what_leans_over_an_edge_of_a_box_keeps_its_other_end),
          TEST(what_leans_far_over_an_edge_of_a_box_touches_there_alone),
          TEST(a_cylinder_leaning_at_an_edge_of_a_box_stands_on_four_points),
          TEST(a_cylinder_standing_on_a_box_touches_at_four_points),
          TEST(a_cylinder_lying_on_a_box_touches_at_two_points),
          TEST(a_cylinder_standing_on_a_cylinder_touches_at_four_points),
          TEST(a_capsule_lying_on_a_cap_touches_at_two_points),
          TEST(a_cylinder_lying_along_a_cylinder_touches_at_two_points))

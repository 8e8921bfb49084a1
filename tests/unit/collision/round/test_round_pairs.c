// test_round_pairs.c - closed forms: balls, capsules and cylinders against what they meet.
#include "collision/collide.h"
#include "support/shapes/known_pairs.h"
#include "support/test.h"

#define PAIRS (UNDER_SANITIZER ? 2000 : 20000) // of each kind

static const CnShapeType kinds[][2] = {
    {CN_SHAPE_SPHERE, CN_SHAPE_BOX},      {CN_SHAPE_SPHERE, CN_SHAPE_CAPSULE},
    {CN_SHAPE_SPHERE, CN_SHAPE_CYLINDER}, {CN_SHAPE_PLANE, CN_SHAPE_CAPSULE},
    {CN_SHAPE_PLANE, CN_SHAPE_CYLINDER},  {CN_SHAPE_CAPSULE, CN_SHAPE_CAPSULE},
};
#define KINDS ((int)(sizeof kinds / sizeof kinds[0]))

// The least gap of the contact points; checks what all of them must be.
static double least_gap(const KnownPair* pair, double margin, CnManifoldPoint* nearest) {
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    int count = cn_collide(pair->a, pair->b, margin, points);
    CHECK(count >= 1 && count <= CN_MANIFOLD_POINTS);
    *nearest = points[0];
    for (int i = 0; i < count; ++i) {
        CHECK_NEAR(cn_vec3_length(points[i].normal), 1.0, 1e-14);
        CHECK(cn_vec3_is_finite(points[i].point));
        for (int k = 0; k < i; ++k) {
            CHECK(points[i].feature != points[k].feature);
        }
        if (points[i].gap < nearest->gap) {
            *nearest = points[i];
        }
    }
    return nearest->gap;
}

static void check_known_pairs(double smallest, double largest, double far, double tolerance) {
    for (int kind = 0; kind < KINDS; ++kind) {
        CnRandom random = {(uint64_t)kind + 1};
        KnownPairDef def = {
            .type_a = kinds[kind][0],
            .type_b = kinds[kind][1],
            .smallest = smallest,
            .largest = largest,
            .far = far,
        };
        for (int i = 0; i < PAIRS; ++i) {
            KnownPair pair;
            CnManifoldPoint nearest;
            known_pair(&def, &random, &pair);
            double allowed = tolerance * pair.size + 4.0 * far * 0x1p-52;
            double gap = least_gap(&pair, pair.gap + pair.size, &nearest);
            ck_assert_msg(fabs(gap - pair.gap) <= allowed, "kind %d, pair %d: gap %.17g, not %.17g",
                          kind, i, gap, pair.gap);
            double parted = known_separation(pair.a, pair.b, nearest.normal);
            ck_assert_msg(fabs(parted - pair.gap) <= allowed,
                          "kind %d, pair %d: the normal parts them by %.17g, not %.17g", kind, i,
                          parted, pair.gap);
        }
    }
}

// Relative to the sizes: a dozen operations of 2^-53 each, and quaternions that are unit to as
// much.
static void gaps_of_120000_pairs_are_the_known_ones(void) {
    check_known_pairs(0.1, 10.0, 0.0, 1e-13);
}

static void gaps_are_as_good_from_a_millimetre_to_a_kilometre(void) {
    check_known_pairs(1e-3, 1e3, 0.0, 1e-13);
}

static void gaps_a_thousand_kilometres_out_are_good_to_the_grid_there(void) {
    check_known_pairs(0.1, 10.0, 1e6, 1e-13);
}

// Centres inside: the depth is the least over all faces, here as planes in world axes.

static double depth_under(CnPlacedShape placed, CnVec3 normal, double offset, CnVec3 p) {
    CnVec3 outward = cn_quat_rotate(placed.pose.rotation, normal);
    return offset - cn_vec3_dot(outward, cn_vec3_sub(p, placed.pose.position));
}

static CnVec3 point_inside(CnVec3 half, CnTransform pose, CnRandom* random) {
    double x = cn_random_between(random, -half.x, half.x);
    double y = cn_random_between(random, -half.y, half.y);
    double z = cn_random_between(random, -half.z, half.z);
    return cn_transform_point(pose, cn_vec3(x, y, z));
}

static double gap_of_ball_at(double radius, CnVec3 center, CnPlacedShape other) {
    CnShape ball = {.type = CN_SHAPE_SPHERE, .radius = radius, .extent = radius};
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    CHECK_INT(cn_collide((CnPlacedShape){&ball, {center, cn_quat_identity()}}, other, 0.0, points),
              1);
    return points[0].gap;
}

static void a_ball_with_its_centre_in_a_box_leaves_by_the_nearest_face(void) {
    CnRandom random = {21};
    KnownPairDef def = {.smallest = 0.1, .largest = 10.0};
    for (int i = 0; i < PAIRS; ++i) {
        CnShape box = known_shape(CN_SHAPE_BOX, &def, &random);
        CnVec3 h = box.half_size;
        CnPlacedShape placed = {&box, {{1.0, 2.0, 3.0}, known_rotation(&random)}};
        CnVec3 center = point_inside(h, placed.pose, &random);
        double depth = HUGE_VAL;
        for (double sign = -1.0; sign <= 1.0; sign += 2.0) {
            depth = fmin(depth, depth_under(placed, cn_vec3(sign, 0.0, 0.0), h.x, center));
            depth = fmin(depth, depth_under(placed, cn_vec3(0.0, sign, 0.0), h.y, center));
            depth = fmin(depth, depth_under(placed, cn_vec3(0.0, 0.0, sign), h.z, center));
        }
        CHECK_NEAR(gap_of_ball_at(0.3, center, placed), -depth - 0.3, 1e-14 * (1.0 + box.extent));
    }
}

// The side of a cylinder is the envelope of its tangent planes: the least depth is under the one
// that faces the point.
static void a_ball_with_its_centre_in_a_cylinder_leaves_by_the_cap_or_the_side(void) {
    CnRandom random = {22};
    KnownPairDef def = {.smallest = 0.1, .largest = 10.0};
    for (int i = 0; i < PAIRS; ++i) {
        CnShape cylinder = known_shape(CN_SHAPE_CYLINDER, &def, &random);
        double side = cylinder.radius / sqrt(2.0);
        CnPlacedShape placed = {&cylinder, {{1.0, 2.0, 3.0}, known_rotation(&random)}};
        CnVec3 center =
            point_inside(cn_vec3(side, side, cylinder.half_length), placed.pose, &random);
        CnVec3 axis = cn_quat_rotate(placed.pose.rotation, cn_vec3(0.0, 0.0, 1.0));
        CnVec3 from_axis = cn_vec3_cross(axis, cn_vec3_sub(center, placed.pose.position));
        double depth = cylinder.radius - cn_vec3_length(from_axis);
        for (double sign = -1.0; sign <= 1.0; sign += 2.0) {
            double half = cylinder.half_length;
            depth = fmin(depth, depth_under(placed, cn_vec3(0.0, 0.0, sign), half, center));
        }
        CHECK_NEAR(gap_of_ball_at(0.3, center, placed), -depth - 0.3,
                   1e-14 * (1.0 + cylinder.extent));
    }
}

// Concentric and crossing shapes have a normal of length 1 and the full depth.
static void shapes_with_one_centre_are_as_deep_as_they_can_be(void) {
    CnShape ball = {.type = CN_SHAPE_SPHERE, .radius = 0.5, .extent = 0.5};
    CnShape box = {.type = CN_SHAPE_BOX, .half_size = {1.0, 2.0, 3.0}, .extent = 4.0};
    CnShape capsule = {
        .type = CN_SHAPE_CAPSULE, .radius = 0.25, .half_length = 1.0, .extent = 1.25};
    CnShape cylinder = {.type = CN_SHAPE_CYLINDER, .radius = 2.0, .half_length = 1.0, .extent = 3};
    CnTransform middle = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    struct {
        const CnShape *a, *b;
        double gap;
    } cases[] = {{&ball, &box, -1.5},
                 {&ball, &capsule, -0.75},
                 {&ball, &cylinder, -1.5},
                 {&capsule, &capsule, -0.5}};
    for (int i = 0; i < 4; ++i) {
        CnManifoldPoint points[CN_MANIFOLD_POINTS];
        CHECK(cn_collide((CnPlacedShape){cases[i].a, middle}, (CnPlacedShape){cases[i].b, middle},
                         0.0, points) >= 1);
        CHECK_NEAR(points[0].gap, cases[i].gap, 1e-15);
        CHECK_NEAR(cn_vec3_length(points[0].normal), 1.0, 1e-15);
    }
}

// Invariance

static void order_place_and_attitude_of_a_pair_change_no_gap(void) {
    for (int kind = 0; kind < KINDS; ++kind) {
        CnRandom random = {(uint64_t)kind + 31};
        KnownPairDef def = {kinds[kind][0], kinds[kind][1], 0.1, 10.0, 1.0, NULL, 0};
        for (int i = 0; i < PAIRS / 10; ++i) {
            KnownPair pair;
            CnManifoldPoint nearest, turned;
            known_pair(&def, &random, &pair);
            double gap = least_gap(&pair, pair.gap + pair.size, &nearest);
            CnTransform by = {cn_vec3_scale(10.0, known_direction(&random)),
                              known_rotation(&random)};
            CnPlacedShape a = pair.a;
            pair.a = pair.b;
            pair.b = a;
            pair.a.pose = (CnTransform){cn_transform_point(by, pair.a.pose.position),
                                        cn_quat_multiply(by.rotation, pair.a.pose.rotation)};
            pair.b.pose = (CnTransform){cn_transform_point(by, pair.b.pose.position),
                                        cn_quat_multiply(by.rotation, pair.b.pose.rotation)};
            CHECK_NEAR(least_gap(&pair, pair.gap + pair.size, &turned), gap, 1e-13 * pair.size);
        }
    }
}

// Manifolds

static const CnShape plane = {.type = CN_SHAPE_PLANE, .normal = {0.0, 0.0, 1.0}};
static const CnTransform origin = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};

static CnTransform lying_at(double x, double y, double z) { // local z along world x
    return (CnTransform){{x, y, z}, {sqrt(0.5), 0.0, sqrt(0.5), 0.0}};
}

static void check_point(CnManifoldPoint point, double x, double y, double z, double gap) {
    CHECK_NEAR(point.point.x, x, 1e-14);
    CHECK_NEAR(point.point.y, y, 1e-14);
    CHECK_NEAR(point.point.z, z, 1e-14);
    CHECK_NEAR(point.gap, gap, 1e-14);
}

static void a_capsule_lying_on_a_plane_touches_at_both_ends(void) {
    CnShape capsule = {.type = CN_SHAPE_CAPSULE, .radius = 0.5, .half_length = 2.0, .extent = 2.5};
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    CnPlacedShape lying = {&capsule, lying_at(1.0, 3.0, 0.4)};
    CHECK_INT(cn_collide((CnPlacedShape){&plane, origin}, lying, 0.0, points), 2);
    check_point(points[0], -1.0, 3.0, -0.05, -0.1); // midway between -0.1 and 0
    check_point(points[1], 3.0, 3.0, -0.05, -0.1);
    CHECK(points[0].feature != points[1].feature);
}

static void a_capsule_lying_along_another_touches_at_both_ends_of_what_they_share(void) {
    // Over x from -2 to 2 and from 0 to 4, one a metre above the other: radii .5 and .4, gap .1.
    CnShape low = {.type = CN_SHAPE_CAPSULE, .radius = 0.5, .half_length = 2.0, .extent = 2.5};
    CnShape high = {.type = CN_SHAPE_CAPSULE, .radius = 0.4, .half_length = 2.0, .extent = 2.4};
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    CnPlacedShape a = {&low, lying_at(0.0, 0.0, 0.0)}, b = {&high, lying_at(2.0, 0.0, 1.0)};
    CHECK_INT(cn_collide(a, b, 0.2, points), 2);
    check_point(points[0], 0.0, 0.0, 0.55, 0.1);
    check_point(points[1], 2.0, 0.0, 0.55, 0.1);
    CHECK_NEAR(points[0].normal.z, 1.0, 1e-15);
    CHECK_INT(cn_collide(a, b, 0.05, points), 0); // out of the margin
}

static void capsules_crossing_square_touch_once(void) {
    CnShape capsule = {.type = CN_SHAPE_CAPSULE, .radius = 0.5, .half_length = 2.0, .extent = 2.5};
    CnTransform along_y = {{0.0, 0.0, 1.0}, {sqrt(0.5), sqrt(0.5), 0.0, 0.0}};
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    CnPlacedShape a = {&capsule, lying_at(0.0, 0.0, 0.0)}, b = {&capsule, along_y};
    CHECK_INT(cn_collide(a, b, 1.0, points), 1);
    check_point(points[0], 0.0, 0.0, 0.5, 0.0);
}

static void a_standing_cylinder_touches_at_four_points_of_its_rim(void) {
    CnShape cylinder = {
        .type = CN_SHAPE_CYLINDER, .radius = 0.5, .half_length = 1.0, .extent = 1.5};
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    CnTransform standing = {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0, 0.0}};
    CHECK_INT(cn_collide((CnPlacedShape){&plane, origin}, (CnPlacedShape){&cylinder, standing},
                         0.01, points),
              4);
    check_point(points[0], 0.5, 0.0, 0.0, 0.0);
    check_point(points[1], 0.0, 0.5, 0.0, 0.0);
    check_point(points[2], -0.5, 0.0, 0.0, 0.0);
    check_point(points[3], 0.0, -0.5, 0.0, 0.0);
}

// Leaning by a towards an angle p around its axis, the lowest point of the rim leads the way: at
// (r cos a - L sin a) from the centre along the lean, r sin a + L cos a below it.
static void a_leaning_cylinder_touches_first_where_it_is_lowest(void) {
    CnShape cylinder = {
        .type = CN_SHAPE_CYLINDER, .radius = 0.5, .half_length = 1.0, .extent = 1.5};
    for (int i = 1; i < 60; ++i) {
        double lean = 0.02 * i, towards = 0.7 * i;
        CnVec3 way = cn_vec3(cos(towards), sin(towards), 0.0);
        CnQuat rotation = cn_quat_from_axis_angle(cn_vec3(-way.y, way.x, 0.0), lean);
        double depth = 0.5 * sin(lean) + cos(lean), reach = 0.5 * cos(lean) - sin(lean);
        CnManifoldPoint points[CN_MANIFOLD_POINTS];
        CnPlacedShape leaning = {&cylinder, {{0.0, 0.0, depth}, rotation}};
        CHECK_INT(cn_collide((CnPlacedShape){&plane, origin}, leaning, 1e-3, points), 1);
        check_point(points[0], reach * way.x, reach * way.y, 0.0, 0.0);
    }
}

static void a_lying_cylinder_touches_at_both_rims(void) {
    CnShape cylinder = {
        .type = CN_SHAPE_CYLINDER, .radius = 0.5, .half_length = 1.0, .extent = 1.5};
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    CnPlacedShape lying = {&cylinder, lying_at(0.0, 0.0, 0.5)};
    CHECK_INT(cn_collide((CnPlacedShape){&plane, origin}, lying, 0.01, points), 2);
    check_point(points[0], -1.0, 0.0, 0.0, 0.0);
    check_point(points[1], 1.0, 0.0, 0.0, 0.0);
}

TEST_MAIN("unit/collision/round/round_pairs", TEST(gaps_of_120000_pairs_are_the_known_ones),
          TEST(gaps_are_as_good_from_a_millimetre_to_a_kilometre),
          TEST(gaps_a_thousand_kilometres_out_are_good_to_the_grid_there),
          TEST(a_ball_with_its_centre_in_a_box_leaves_by_the_nearest_face),
          TEST(a_ball_with_its_centre_in_a_cylinder_leaves_by_the_cap_or_the_side),
          TEST(shapes_with_one_centre_are_as_deep_as_they_can_be),
          TEST(order_place_and_attitude_of_a_pair_change_no_gap),
          TEST(a_capsule_lying_on_a_plane_touches_at_both_ends),
          TEST(a_capsule_lying_along_another_touches_at_both_ends_of_what_they_share),
          TEST(capsules_crossing_square_touch_once),
          TEST(a_standing_cylinder_touches_at_four_points_of_its_rim),
          TEST(a_leaning_cylinder_touches_first_where_it_is_lowest),
          TEST(a_lying_cylinder_touches_at_both_rims))

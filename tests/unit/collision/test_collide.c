// test_collide.c - contact points of balls and half spaces, from every side.
#include "cairn/random.h"
#include "collision/collide.h"
#include "support/shapes/random_poses.h"
#include "support/test.h"

static CnShape ball_of(double radius) {
    return (CnShape){.type = CN_SHAPE_SPHERE, .radius = radius, .extent = radius};
}

static CnShape ground(void) {
    return (CnShape){.type = CN_SHAPE_PLANE, .normal = {0.0, 0.0, 1.0}};
}

static CnPlacedShape placed(const CnShape* shape, double x, double y, double z) {
    return (CnPlacedShape){shape, {{x, y, z}, {1.0, 0.0, 0.0, 0.0}}};
}

static void check_vector(CnVec3 value, double x, double y, double z, double tolerance) {
    CHECK_NEAR(value.x, x, tolerance);
    CHECK_NEAR(value.y, y, tolerance);
    CHECK_NEAR(value.z, z, tolerance);
}

// Balls

static void overlapping_balls_meet_halfway_through_the_overlap(void) {
    // Radii 1 and 2, centres 2.5 apart along (3, 4, 0)/5: overlap 0.5, the middle of it at
    // 1 - 0.25 = 0.75 from A. Round-off of a few operations below 3.
    CnShape small = ball_of(1.0), large = ball_of(2.0);
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    CHECK_INT(cn_collide(placed(&small, 0, 0, 0), placed(&large, 1.5, 2.0, 0), 0.0, points), 1);
    CHECK_NEAR(points[0].gap, -0.5, 1e-15);
    check_vector(points[0].normal, 0.6, 0.8, 0.0, 1e-15);
    check_vector(points[0].point, 0.45, 0.6, 0.0, 1e-15);
}

static void the_other_order_of_balls_turns_the_normal_round(void) {
    CnShape small = ball_of(1.0), large = ball_of(2.0);
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    CHECK_INT(cn_collide(placed(&large, 1.5, 2.0, 0), placed(&small, 0, 0, 0), 0.0, points), 1);
    CHECK_NEAR(points[0].gap, -0.5, 1e-15);
    check_vector(points[0].normal, -0.6, -0.8, 0.0, 1e-15);
    check_vector(points[0].point, 0.45, 0.6, 0.0, 1e-15);
}

static void concentric_balls_part_along_z(void) {
    CnShape small = ball_of(1.0), large = ball_of(2.0);
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    CHECK_INT(cn_collide(placed(&small, 1, 2, 3), placed(&large, 1, 2, 3), 0.0, points), 1);
    check_vector(points[0].normal, 0.0, 0.0, 1.0, 0.0);
    CHECK(points[0].gap == -3.0);
}

static void the_margin_is_the_largest_gap_reported(void) {
    CnShape a = ball_of(1.0), b = ball_of(1.0), plane = ground();
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    CnPlacedShape near = placed(&b, 2.25, 0, 0), above = placed(&b, 0, 0, 1.25);

    CHECK_INT(cn_collide(placed(&a, 0, 0, 0), near, 0.25, points), 1); // gap exactly 0.25
    CHECK(points[0].gap == 0.25);
    CHECK_INT(cn_collide(placed(&a, 0, 0, 0), near, 0.2499, points), 0);
    CHECK_INT(cn_collide(placed(&plane, 0, 0, 0), above, 0.25, points), 1);
    CHECK(points[0].gap == 0.25);
    CHECK_INT(cn_collide(placed(&plane, 0, 0, 0), above, 0.2499, points), 0);
}

// Ball and half space

static void a_ball_sunk_into_the_ground_is_pushed_up(void) {
    // Centre 0.75 above, radius 1: overlap 0.25, its middle 0.125 below the surface.
    CnShape ball = ball_of(1.0), plane = ground();
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    CHECK_INT(cn_collide(placed(&plane, 0, 0, 0), placed(&ball, 3, 4, 0.75), 0.0, points), 1);
    check_vector(points[0].normal, 0.0, 0.0, 1.0, 0.0);
    check_vector(points[0].point, 3.0, 4.0, -0.125, 0.0);
    CHECK(points[0].gap == -0.25);
}

static void ball_first_gives_the_same_point_with_the_normal_down(void) {
    CnShape ball = ball_of(1.0), plane = ground();
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    CHECK_INT(cn_collide(placed(&ball, 3, 4, 0.75), placed(&plane, 0, 0, 0), 0.0, points), 1);
    check_vector(points[0].normal, 0.0, 0.0, -1.0, 0.0);
    check_vector(points[0].point, 3.0, 4.0, -0.125, 0.0);
    CHECK(points[0].gap == -0.25);
}

static void a_half_space_is_solid_all_the_way_down(void) {
    CnShape ball = ball_of(1.0), plane = ground();
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    CHECK_INT(cn_collide(placed(&plane, 0, 0, 0), placed(&ball, 0, 0, -100), 0.0, points), 1);
    CHECK(points[0].gap == -101.0);
}

static void planes_never_meet(void) {
    CnShape plane = ground();
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    CHECK_INT(cn_collide(placed(&plane, 0, 0, 0), placed(&plane, 0, 0, -1), 10.0, points), 0);
}

// Moving the world about

static CnPlacedShape moved(CnPlacedShape shape, CnTransform by) {
    CnTransform pose = {cn_transform_point(by, shape.pose.position),
                        cn_quat_multiply(by.rotation, shape.pose.rotation)};
    return (CnPlacedShape){shape.shape, pose};
}

// The same contact seen from a moved frame, to a few dozen roundings of positions up to 20 m.
static void check_moves_along(CnPlacedShape a, CnPlacedShape b, CnTransform by) {
    CnManifoldPoint here[CN_MANIFOLD_POINTS], there[CN_MANIFOLD_POINTS];
    CHECK_INT(cn_collide(a, b, 100.0, here), 1);
    CHECK_INT(cn_collide(moved(a, by), moved(b, by), 100.0, there), 1);
    CnVec3 normal = cn_quat_rotate(by.rotation, here[0].normal);
    CnVec3 point = cn_transform_point(by, here[0].point);
    CHECK_NEAR(there[0].gap, here[0].gap, 5e-14);
    check_vector(there[0].normal, normal.x, normal.y, normal.z, 5e-14);
    check_vector(there[0].point, point.x, point.y, point.z, 5e-14);
    CHECK(there[0].feature == here[0].feature);
}

static CnTransform random_pose(CnRandom* random, double size) {
    CnVec3 position = random_within(random, size);
    return (CnTransform){position, cn_quat_exp(random_within(random, 3.0))};
}

static void contacts_move_along_with_the_world(void) {
    CnRandom random = {21};
    for (int i = 0; i < 1000; ++i) {
        CnShape first = ball_of(cn_random_between(&random, 0.1, 2.0));
        CnShape second = ball_of(cn_random_between(&random, 0.1, 2.0));
        CnShape plane = ground();
        plane.normal = cn_vec3_normalize(random_within(&random, 1.0));
        CnPlacedShape a = {&first, random_pose(&random, 3.0)};
        CnPlacedShape b = {&second, random_pose(&random, 3.0)};
        CnPlacedShape p = {&plane, random_pose(&random, 3.0)};
        CnTransform by = random_pose(&random, 10.0);

        CnVec3 across = cn_vec3_sub(a.pose.position, b.pose.position);
        if (cn_vec3_length(across) > 0.5) { // nearer, the direction loses more than we allow
            check_moves_along(a, b, by);
        }
        check_moves_along(p, a, by);
        check_moves_along(b, p, by);
    }
}

TEST_MAIN("unit/collision/collide", TEST(overlapping_balls_meet_halfway_through_the_overlap),
          TEST(the_other_order_of_balls_turns_the_normal_round),
          TEST(concentric_balls_part_along_z), TEST(the_margin_is_the_largest_gap_reported),
          TEST(a_ball_sunk_into_the_ground_is_pushed_up),
          TEST(ball_first_gives_the_same_point_with_the_normal_down),
          TEST(a_half_space_is_solid_all_the_way_down), TEST(planes_never_meet),
          TEST(contacts_move_along_with_the_world))

// test_plain_scene.c - what benches measure of poses, against cases with a known overlap.
#include "support/shapes/random_poses.h"
#include "support/test.h"

#include "bench/plain_scene.c"

static CnBodyState pose_of(CnVec3 center, CnQuat rotation) {
    return (CnBodyState){.center = center, .rotation = rotation};
}

// The hull of a box: its eight corners and twelve triangles.
static PlainBody box_as_hull(const PlainBody* box, CnVec3 points[8], int triangles[12][3]) {
    static const int sides[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int i = 0; i < 8; ++i) {
        points[i] =
            cn_vec3((i & 1) ? box->half[0] : -box->half[0], (i & 2) ? box->half[1] : -box->half[1],
                    (i & 4) ? box->half[2] : -box->half[2]);
    }
    for (int i = 0; i < 12; ++i) {
        const int* side = sides[i / 2];
        triangles[i][0] = side[0];
        triangles[i][1] = side[1 + i % 2];
        triangles[i][2] = side[2 + i % 2];
    }
    double radius = sqrt(box->half[0] * box->half[0] + box->half[1] * box->half[1] +
                         box->half[2] * box->half[2]);
    return (PlainBody){.shape = PLAIN_HULL, .half = {radius}, .hull = {points, triangles, 8, 12}};
}

// Both are the least overlap over axes; hulls have those of boxes, a few more that separate no
// better, and round-off of 1e-15 of sizes of 1 m.
static void hulls_of_boxes_overlap_as_boxes_do(void) {
    CnRandom random = {7};
    int overlapping = 0;
    for (int i = 0; i < 500; ++i) {
        CnVec3 points[2][8];
        int triangles[2][12][3];
        PlainBody box[2], hull[2];
        CnBodyState at[2];
        for (int k = 0; k < 2; ++k) {
            CnVec3 half = random_between(&random, 0.2, 1.0);
            box[k] = (PlainBody){.shape = PLAIN_BOX, .half = {half.x, half.y, half.z}};
            hull[k] = box_as_hull(&box[k], points[k], triangles[k]);
            at[k] = pose_of(random_within(&random, 0.8), random_turn(&random));
        }
        double wanted = plain_pair_overlap(&box[0], &at[0], &box[1], &at[1]);
        double found = plain_pair_overlap(&hull[0], &at[0], &hull[1], &at[1]);
        double mixed = plain_pair_overlap(&box[0], &at[0], &hull[1], &at[1]);
        if (wanted > 0.0) { // apart they only agree that they are
            CHECK_NEAR(found, wanted, 1e-14);
            CHECK_NEAR(mixed, wanted, 1e-14);
            ++overlapping;
        } else {
            CHECK(found <= 0.0 && mixed <= 0.0);
        }
    }
    CHECK(overlapping > 50 && overlapping < 450);
}

static CnBodyDef body_of(CnBodyType type, const CnShapeDef* shapes, int count) {
    CnBodyDef def = cn_body_def_default();
    def.type = type;
    def.shapes = shapes;
    def.shape_count = count;
    return def;
}

// Walls at x = -2 and a floor at z = 0 become two boxes of 200 x 200 x 2 m behind them; the ball of
// 0.5 m at z = 0.4 is 0.1 m deep in the floor, and at x = -1.4 not yet in the wall.
static void shapes_of_a_fixed_body_become_bodies(void) {
    CnError error = {0};
    CnWorldDef world_def = cn_world_def_default();
    CnWorld* world = cn_world_create(&world_def, &error);
    CnShapeDef planes[2] = {cn_shape_def_default(CN_SHAPE_PLANE),
                            cn_shape_def_default(CN_SHAPE_PLANE)};
    planes[1].normal = cn_vec3(1.0, 0.0, 0.0);
    planes[1].position = cn_vec3(-2.0, 0.0, 0.0);
    CnShapeDef ball = cn_shape_def_default(CN_SHAPE_SPHERE);
    ball.radius = 0.5;
    CnBodyDef room = body_of(CN_BODY_STATIC, planes, 2), loose = body_of(CN_BODY_DYNAMIC, &ball, 1);
    loose.position = cn_vec3(-1.4, 0.0, 0.4);
    cn_world_add_body(world, &room, &error);
    cn_world_add_body(world, &loose, &error);
    PlainScene scene = {0};
    PlainOverlaps overlaps = {0};
    CHECK(plain_scene_read(world, &scene, &error));
    ck_assert_int_eq(scene.body_count, 3);
    CHECK(plain_scene_overlaps(&scene, scene.start, &overlaps));
    ck_assert_int_eq(overlaps.count, 1);
    CHECK_NEAR(overlaps.deepest, 0.1, 1e-14);
    plain_overlaps_free(&overlaps);
    plain_scene_free(&scene);
    cn_world_destroy(world);
}

static void what_moves_by_itself_is_refused(void) {
    CnError error = {0};
    CnWorldDef world_def = cn_world_def_default();
    CnWorld* world = cn_world_create(&world_def, &error);
    CnShapeDef ball = cn_shape_def_default(CN_SHAPE_SPHERE);
    CnBodyDef driven = body_of(CN_BODY_KINEMATIC, &ball, 1);
    driven.name = "door";
    ball.radius = 0.5;
    cn_world_add_body(world, &driven, &error);
    PlainScene scene = {0};
    CHECK(!plain_scene_read(world, &scene, &error));
    ck_assert_int_eq(error.status, CN_UNSUPPORTED);
    ck_assert_str_eq(error.message, "body \"door\" is kinematic");
    plain_scene_free(&scene);
    cn_world_destroy(world);
}

TEST_MAIN("cli/plain_scene", TEST(hulls_of_boxes_overlap_as_boxes_do),
          TEST(shapes_of_a_fixed_body_become_bodies), TEST(what_moves_by_itself_is_refused))

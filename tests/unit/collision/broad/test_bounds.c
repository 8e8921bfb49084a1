// test_bounds.c - boxes around shapes hold them and touch them.
#include "collision/broad/bounds.h"

#include "cairn/random.h"
#include "geometry/support.h"
#include "support/shapes/solids.h"
#include "support/test.h"

static CnTransform random_pose(CnRandom* random) {
    double v[7];
    for (int i = 0; i < 7; ++i) {
        v[i] = cn_random_between(random, -1.0, 1.0);
    }
    return (CnTransform){{v[0], v[1], v[2]}, cn_quat_normalize(cn_quat(v[3], v[4], v[5], v[6]))};
}

// How far the shape comes along a world direction [m].
static double reach(CnPlacedShape placed, CnVec3 direction) {
    CnVec3 own = cn_quat_unrotate(placed.pose.rotation, direction);
    CnVec3 core = cn_transform_point(placed.pose, cn_shape_support(placed.shape, own));
    return cn_vec3_dot(core, direction) + cn_shape_rounding(placed.shape);
}

static void every_box_touches_its_shape_on_all_six_sides(void) {
    // Support points and boxes are computed apart, each with some ten operations on numbers below
    // two.
    const double tolerance = 4e-15; // [m]
    CnRandom random = {51};
    for (int i = 0; i < SOLID_COUNT; ++i) {
        CnShape solid = solid_make(solid_types[i]);
        for (int k = 0; k < 200; ++k) {
            CnPlacedShape placed = cn_shape_place(&solid, random_pose(&random));
            CnBounds b = cn_shape_bounds(placed, 0.0);
            CHECK_NEAR(b.high.x, reach(placed, cn_vec3(1.0, 0.0, 0.0)), tolerance);
            CHECK_NEAR(b.high.y, reach(placed, cn_vec3(0.0, 1.0, 0.0)), tolerance);
            CHECK_NEAR(b.high.z, reach(placed, cn_vec3(0.0, 0.0, 1.0)), tolerance);
            CHECK_NEAR(b.low.x, -reach(placed, cn_vec3(-1.0, 0.0, 0.0)), tolerance);
            CHECK_NEAR(b.low.y, -reach(placed, cn_vec3(0.0, -1.0, 0.0)), tolerance);
            CHECK_NEAR(b.low.z, -reach(placed, cn_vec3(0.0, 0.0, -1.0)), tolerance);
        }
        solid_release(&solid);
    }
}

static void a_cube_turned_by_45_degrees_is_sqrt2_wide(void) {
    CnShape cube = {.type = CN_SHAPE_BOX, .half_size = {0.5, 0.5, 0.5}};
    CnTransform pose = {{0.0, 0.0, 0.0},
                        cn_quat_from_axis_angle(cn_vec3(0.0, 0.0, 1.0), CN_PI / 4.0)};
    CnBounds b = cn_shape_bounds((CnPlacedShape){&cube, pose}, 0.25);
    CHECK_NEAR(b.high.x, sqrt(0.5) + 0.25, 2e-16);
    CHECK_NEAR(b.low.y, -sqrt(0.5) - 0.25, 2e-16);
    CHECK_NEAR(b.high.z, 0.75, 0.0);
}

TEST_MAIN("unit/collision/broad/bounds", TEST(every_box_touches_its_shape_on_all_six_sides),
          TEST(a_cube_turned_by_45_degrees_is_sqrt2_wide))

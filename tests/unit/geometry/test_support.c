// test_support.c - support points are points of the shape, and none of it is farther.
#include "geometry/support.h"

#include "cairn/random.h"
#include "support/shapes/solids.h"
#include "support/test.h"

// Sums of three products of numbers up to one: a few units in the last place.
#define ROUND_OFF 1e-15 // [m]

static CnVec3 random_vector(CnRandom* random, double half) {
    double x = cn_random_between(random, -half, half), y = cn_random_between(random, -half, half);
    return cn_vec3(x, y, cn_random_between(random, -half, half));
}

static CnVec3 farthest(const CnShape* solid, CnVec3 unit) {
    return cn_vec3_add_scaled(cn_shape_support(solid, unit), cn_shape_rounding(solid), unit);
}

static void no_point_is_farther_than_the_support_point(void) {
    enum { POINTS = 2000, DIRECTIONS = 50 };
    CnRandom random = {41};
    for (int i = 0; i < SOLID_COUNT; ++i) {
        CnShape solid = solid_make(solid_types[i]);
        CnVec3 direction[DIRECTIONS];
        double reach[DIRECTIONS];
        for (int k = 0; k < DIRECTIONS; ++k) {
            direction[k] = cn_vec3_normalize(random_vector(&random, 1.0));
            reach[k] = cn_vec3_dot(direction[k], farthest(&solid, direction[k]));
        }
        for (int n = 0; n < POINTS; ++n) {
            CnVec3 p = random_vector(&random, solid.extent);
            for (int k = 0; k < DIRECTIONS && solid_contains(&solid, p, 0.0); ++k) {
                CHECK(cn_vec3_dot(direction[k], p) <= reach[k] + ROUND_OFF);
            }
        }
        solid_release(&solid);
    }
}

static void the_support_point_belongs_to_the_shape(void) {
    CnRandom random = {42};
    for (int i = 0; i < SOLID_COUNT; ++i) {
        CnShape solid = solid_make(solid_types[i]);
        for (int k = 0; k < 1000; ++k) {
            CnVec3 direction = cn_vec3_normalize(random_vector(&random, 1.0));
            CHECK(solid_contains(&solid, farthest(&solid, direction), ROUND_OFF));
        }
        solid_release(&solid);
    }
}

static void directions_along_axes_and_tiny_ones_are_fine(void) {
    const CnVec3 directions[] = {{0, 0, 1},       {0, 0, -1},     {1, 0, 0},
                                 {0, -1, 0},      {1e-200, 0, 0}, {3e-180, 4e-180, 1e-170},
                                 {0, 1e-310, -1}, {0, 0, 0}};
    for (int i = 0; i < SOLID_COUNT; ++i) {
        CnShape solid = solid_make(solid_types[i]);
        for (size_t k = 0; k < sizeof directions / sizeof directions[0]; ++k) {
            CnVec3 core = cn_shape_support(&solid, directions[k]);
            CHECK(solid_contains(&solid, core, ROUND_OFF));
        }
        solid_release(&solid);
    }
}

static void nothing_is_farther_from_the_origin_than_the_extent(void) {
    // Corners and rims are the farthest points, so directions towards them attain it: 20000 random
    // ones come within an angle of about 0.02 rad, which costs 2e-4 of the extent.
    CnRandom random = {43};
    for (int i = 0; i < SOLID_COUNT; ++i) {
        CnShape solid = solid_make(solid_types[i]);
        double largest = 0.0;
        for (int k = 0; k < 20000; ++k) {
            CnVec3 unit = cn_vec3_normalize(random_vector(&random, 1.0));
            largest = fmax(largest, cn_vec3_length(farthest(&solid, unit)));
        }
        CHECK(largest <= solid.extent + ROUND_OFF);
        CHECK(largest >= (1.0 - 2e-4) * solid.extent);
        solid_release(&solid);
    }
}

TEST_MAIN("unit/geometry/support", TEST(no_point_is_farther_than_the_support_point),
          TEST(the_support_point_belongs_to_the_shape),
          TEST(directions_along_axes_and_tiny_ones_are_fine),
          TEST(nothing_is_farther_from_the_origin_than_the_extent))

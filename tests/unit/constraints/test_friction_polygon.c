// test_friction_polygon.c - the polygon of a friction pyramid: its corners and nearest points.
#include "constraints/problem/friction_polygon.h"

#include "cairn/math.h"
#include "cairn/random.h"
#include "support/test.h"

#include <float.h>
#include <math.h>

static void corners_lie_on_the_circle_and_opposite_each_other(void) {
    double worst = 0.0;
    for (int sides = 4; sides <= CN_MAX_PYRAMID_SIDES; sides += 2) {
        CnFrictionPolygon polygon;
        cn_friction_polygon_init(sides, &polygon);
        CHECK_NEAR(polygon.corner[0][0], 1.0, 0.0);
        for (int k = 0; k < sides; ++k) {
            double angle = 2.0 * CN_PI * k / sides;
            const double* opposite = polygon.corner[(k + sides / 2) % sides];
            worst = fmax(worst, fabs(polygon.corner[k][0] - cos(angle)));
            worst = fmax(worst, fabs(polygon.corner[k][1] - sin(angle)));
            CHECK(polygon.corner[k][0] == -opposite[0] && polygon.corner[k][1] == -opposite[1]);
        }
    }
    CHECK(worst <=
          10 * DBL_EPSILON); // an angle of up to 2 pi is rounded three times: 3 pi epsilons
}

// The nearest of very many points of all sides.
static double distance_by_search(int sides, double radius, const double p[2]) {
    enum { STEPS = 2000 };
    double least = HUGE_VAL;
    for (int k = 0; k < sides; ++k) {
        double a = 2.0 * CN_PI * k / sides, b = 2.0 * CN_PI * (k + 1) / sides;
        for (int i = 0; i <= STEPS; ++i) {
            double t = (double)i / STEPS;
            double x = radius * ((1.0 - t) * cos(a) + t * cos(b));
            double y = radius * ((1.0 - t) * sin(a) + t * sin(b));
            least = fmin(least, hypot(p[0] - x, p[1] - y));
        }
    }
    return least;
}

// Outside, the search misses the nearest point by up to half a step of a side, sqrt(2) radius /
// 4000, at a right angle to the way there: by its square over twice the distance, and never more
// than the half step itself.
static void the_nearest_point_is_the_nearest(void) {
    CnRandom random = {5};
    double half_step = sqrt(2.0) * 3.0 / 4000.0;
    for (int i = 0; i < (UNDER_SANITIZER ? 20 : 200); ++i) {
        int sides = 4 + 2 * (i % 5);
        double radius = cn_random_between(&random, 0.1, 3.0);
        double p[2], nearest[2];
        p[0] = cn_random_between(&random, -4.0, 4.0);
        p[1] = cn_random_between(&random, -4.0, 4.0);
        CnFrictionPolygon polygon;
        cn_friction_polygon_init(sides, &polygon);
        cn_friction_polygon_project(&polygon, radius, p, nearest);
        double distance = hypot(p[0] - nearest[0], p[1] - nearest[1]);
        bool is_inside = true;
        for (int k = 0; k < sides; ++k) {
            double angle = CN_PI * (2 * k + 1) / sides;
            double reach = radius * cos(CN_PI / sides);
            is_inside = is_inside && p[0] * cos(angle) + p[1] * sin(angle) <= reach;
            CHECK(nearest[0] * cos(angle) + nearest[1] * sin(angle) <= reach + 1e-14);
        }
        if (is_inside) {
            CHECK_NEAR(distance, 0.0, 0.0);
        } else {
            CHECK_NEAR(distance, distance_by_search(sides, radius, p), half_step);
        }
    }
}

static void without_a_normal_impulse_only_the_origin_is_left(void) {
    CnFrictionPolygon polygon;
    double p[2] = {3.0, -4.0};
    cn_friction_polygon_init(8, &polygon);
    cn_friction_polygon_project(&polygon, 0.0, p, p);
    CHECK_NEAR(p[0], 0.0, 0.0);
    CHECK_NEAR(p[1], 0.0, 0.0);
}

TEST_MAIN("unit/constraints/friction_polygon",
          TEST(corners_lie_on_the_circle_and_opposite_each_other),
          TEST(the_nearest_point_is_the_nearest),
          TEST(without_a_normal_impulse_only_the_origin_is_left))

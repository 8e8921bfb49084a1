// test_nearest_edges.c - edges that are not looked at would not have been the nearest.
#include "collision/hull/nearest_edges.h"

#include "collision/sat/polyhedron.h"
#include "support/shapes/hull_shapes.h"
#include "support/shapes/random_poses.h"
#include "support/test.h"

#include <string.h>

#define PAIRS (UNDER_SANITIZER ? 30 : 300)
#define POINTS 16

static CnShape random_hull(CnRandom* random) {
    CnVec3 points[POINTS];
    for (int i = 0; i < POINTS; ++i) {
        points[i] = cn_vec3_scale(0.5, cn_vec3_normalize(random_within(random, 1.0)));
    }
    return hull_shape(points, POINTS);
}

// Inside balls of 0.5 m whose centres are more than 1 m apart: any edges are disjoint, and the line
// of centres parts them.
static CnSatAxis set_apart(CnRandom* random, CnRelativePose seen[2]) {
    CnVec3 way = cn_vec3_normalize(random_within(random, 1.0));
    double distance = cn_random_between(random, 1.01, 1.2); // [m]
    CnTransform a = {.rotation = cn_quat_identity()};
    CnTransform b = {.position = cn_vec3_scale(distance, way), .rotation = random_turn(random)};
    cn_relative_poses(&a, &b, seen);
    return (CnSatAxis){.normal = way};
}

typedef struct Tally {
    int lost, different, kept;
} Tally;

static void compare(const CnHull* a, const CnHull* b, CnRandom* random, Tally* tally) {
    CnRelativePose seen[2];
    int of_all[2], of_near[2], of_none[2];
    CnSatAxis axis = set_apart(random, seen);
    CnNearest all = cn_nearest_edges(a, b, seen, &axis, HUGE_VAL, of_all);
    CnNearest near = cn_nearest_edges(a, b, seen, &axis, all.distance, of_near);
    CnNearest none = cn_nearest_edges(a, b, seen, &axis, 0.9 * all.distance, of_none);
    tally->different +=
        memcmp(&all, &near, sizeof all) != 0 || memcmp(of_all, of_near, sizeof of_all) != 0;
    tally->lost += !(all.distance < HUGE_VAL);
    tally->kept += !(none.distance >= all.distance);
}

static void a_limit_that_is_not_exceeded_changes_nothing(void) {
    CnRandom random = {53};
    Tally tally = {0};
    for (int i = 0; i < PAIRS; ++i) {
        CnShape a = random_hull(&random), b = random_hull(&random);
        compare(a.hull, b.hull, &random, &tally);
        hull_shape_free(&a);
        hull_shape_free(&b);
    }
    CHECK_INT(tally.lost, 0);
    CHECK_INT(tally.different, 0);
    CHECK_INT(tally.kept, 0);
}

TEST_MAIN("unit/collision/sat/nearest_edges", TEST(a_limit_that_is_not_exceeded_changes_nothing))

// test_least_gap.c - contacts are there when shapes are near, and as deep as shapes are.
#include "collision/collide.h"
#include "collision/convex/distance.h"
#include "collision/hull/reduce.h"
#include "support/shapes/regimes.h"
#include "support/test.h"

#define PAIRS (UNDER_SANITIZER ? 10 : 150)         // of each kind and regime
#define NEAR_PAIRS (UNDER_SANITIZER ? 500 : 10000) // of each kind: 200,000 in all

// Shapes without faces, or with one normal: nothing is chosen between.
#define ROUND_OFF 1e-13

static bool is_polyhedron(CnShapeType type) {
    return type == CN_SHAPE_BOX || type == CN_SHAPE_CONVEX;
}

// Of polyhedra an axis may be taken, or the deepest of many points, that is off by CN_TIE_TOLERANCE
// of the smaller shape's size. Of others points that a patch misses by 1e-9 are not added to it.
static double allowed_for(int kind) {
    CnShapeType a = regime_kinds[kind][0], b = regime_kinds[kind][1];
    if (is_polyhedron(a) && is_polyhedron(b)) {
        return CN_TIE_TOLERANCE;
    }
    bool round = a == CN_SHAPE_SPHERE || b == CN_SHAPE_SPHERE;
    return round ? ROUND_OFF : is_polyhedron(b) && a == CN_SHAPE_PLANE ? CN_TIE_TOLERANCE : 1e-9;
}

static double least_gap(const CnManifoldPoint* points, int count) {
    double least = HUGE_VAL;
    for (int i = 0; i < count; ++i) {
        least = fmin(least, points[i].gap);
    }
    return least;
}

static double error_of(const KnownPair* pair, double beyond) {
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    double size = regime_size(pair);
    CnNearest nearest = cn_nearest(pair->a, pair->b);
    int count = cn_collide(pair->a, pair->b, nearest.distance + beyond * size, points);
    return fabs(least_gap(points, count) - nearest.distance) / size;
}

static void the_least_gap_of_a_contact_is_the_distance(void) {
    regime_start();
    for (int i = 0; i < REGIME_COUNT * REGIME_KINDS; ++i) {
        Regime regime = (Regime)(i / REGIME_KINDS);
        int kind = i % REGIME_KINDS;
        CnRandom random = {(uint64_t)i + 3};
        double worst = 0.0;
        int ties = 0;
        for (int k = 0; k < PAIRS; ++k) {
            KnownPair pair;
            regime_pair(regime, kind, &random, &pair);
            double error = error_of(&pair, 0.01);
            worst = fmax(worst, error);
            ties += error > 1e-9;
            regime_release(&pair);
        }
        ck_assert_msg(worst <= allowed_for(kind), "%s, kind %d: off by %g", regime_names[regime],
                      kind, worst);
        // Ties are met by chance in few pairs: one in twenty of those that are made to touch.
        ck_assert_msg(ties <= PAIRS / 10, "%s, kind %d: %d ties", regime_names[regime], kind, ties);
    }
}

// Moved along the normal until they are up to 1e-2 of their size apart, or as deep; most much less.
static void bring_together(CnRandom* random, KnownPair* pair) {
    CnNearest nearest = cn_nearest(pair->a, pair->b);
    double part = cn_random_between(random, -1.0, 1.0);
    double gap = 1e-2 * part * part * part * part * part * regime_size(pair);
    pair->b.pose.position =
        cn_vec3_add_scaled(pair->b.pose.position, gap - nearest.distance, nearest.normal);
}

// A margin of a hair more than the distance: the contact hangs on the deepest point alone.
static void no_contact_of_200000_pairs_within_the_margin_is_missed(void) {
    regime_start();
    for (int kind = 0; kind < REGIME_KINDS; ++kind) {
        CnRandom random = {(uint64_t)kind + 17};
        int missed = 0;
        double worst = 0.0;
        for (int i = 0; i < NEAR_PAIRS; ++i) {
            KnownPair pair;
            regime_pair(REGIME_RANDOM, kind, &random, &pair);
            bring_together(&random, &pair);
            double error = error_of(&pair, 2.0 * CN_TIE_TOLERANCE);
            missed += !(error < HUGE_VAL);
            worst = fmax(worst, error);
            regime_release(&pair);
        }
        ck_assert_msg(missed == 0, "kind %d: %d missed", kind, missed);
        ck_assert_msg(worst <= allowed_for(kind), "kind %d: off by %g", kind, worst);
    }
}

// A blade whose lowest point, 0.01 m over the middle of a plate, is the end of a keel that rises 1
// in 10 between sides that rise 10 in 1. The face most opposed to the plate is the bow at the
// keel's other end, which rises 1 in 1 and is nowhere over the plate; the edges of the plate are 1
// m away.
static void a_tip_over_the_inside_of_a_face_touches_it(void) {
    const CnVec3 blade_points[] = {{0, 0, 0},   {0, 1.1, 0.11}, {0.17, 3, 2}, {-0.17, 3, 2},
                                   {0.2, 0, 2}, {-0.2, 0, 2},   {0, -0.05, 2}};
    const CnVec3 plate_points[] = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}, {0, 0, -1}};
    CnHull *blade_hull, *plate_hull;
    CHECK_INT(cn_hull_build(blade_points, 7, NULL, &blade_hull, NULL), CN_OK);
    CHECK_INT(cn_hull_build(plate_points, 4, NULL, &plate_hull, NULL), CN_OK);
    CnShape blade = {.type = CN_SHAPE_CONVEX, .hull = blade_hull, .extent = 3.7};
    CnShape plate = {.type = CN_SHAPE_CONVEX, .hull = plate_hull, .extent = 1.5};
    CnPlacedShape above = {&blade, {{0.0, 0.0, 0.01}, cn_quat_identity()}};
    CnPlacedShape below = {&plate, {{0.0, 0.0, 0.0}, cn_quat_identity()}};
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    int count = cn_collide(below, above, 0.011, points);
    CHECK_INT(count, 1);
    CHECK_NEAR(points[0].gap, 0.01, 1e-15); // a few units of round-off of 1
    CHECK_NEAR(points[0].normal.z, 1.0, 1e-15);
    CHECK_NEAR(cn_vec3_length(cn_vec3_sub(points[0].point, cn_vec3(0.0, 0.0, 0.005))), 0.0, 1e-15);
    cn_hull_free(blade_hull, NULL);
    cn_hull_free(plate_hull, NULL);
}

TEST_MAIN("unit/collision/sat/least_gap", TEST(the_least_gap_of_a_contact_is_the_distance),
          TEST(no_contact_of_200000_pairs_within_the_margin_is_missed),
          TEST(a_tip_over_the_inside_of_a_face_touches_it))

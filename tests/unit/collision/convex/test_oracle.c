// test_oracle.c - distances and depths of every pair of shapes against brute force.
//
// The same comparison for a million pairs, with a table: make oracle.
#include "collision/convex/distance.h"
#include "support/shapes/oracle.h"
#include "support/shapes/regimes.h"
#include "support/test.h"

// Brute force takes 20 times longer where a disc or a hull meets something with edges.
#define PAIRS (UNDER_SANITIZER ? 10 : 200)
#define SLOW_PAIRS (UNDER_SANITIZER ? 4 : 40)

// Sums of a dozen terms as large as the pair, each rounded: 12 x 1.1e-16, and as much again for the
// rotations that go in.
#define ROUND_OFF 1e-14

static bool has_edges(CnShapeType type) {
    return type != CN_SHAPE_SPHERE && type != CN_SHAPE_PLANE;
}

static int pairs_of(int kind) {
    CnShapeType a = regime_kinds[kind][0], b = regime_kinds[kind][1];
    bool slow = a == CN_SHAPE_CYLINDER || b == CN_SHAPE_CYLINDER || b == CN_SHAPE_CONVEX;
    return slow && has_edges(a) && has_edges(b) ? SLOW_PAIRS : PAIRS;
}

static void check_pair(const KnownPair* pair, double* worst) {
    double size = regime_size(pair);
    CnNearest nearest = cn_nearest(pair->a, pair->b);
    CnVec3 across = cn_vec3_sub(nearest.point_b, nearest.point_a);
    long double along = oracle_separation(pair->a, pair->b, nearest.normal);
    long double wanted = fmaxl(oracle_distance(pair->a, pair->b), along);
    double grid = 4.0 * 0x1p-52 * cn_vec3_length(pair->a.pose.position); // points are in the world
    double errors[4] = {
        fabs(nearest.distance - (double)wanted) / size,
        fabs(nearest.distance - (double)along) / size,
        fmax(fabs(cn_vec3_length(across) - fabs(nearest.distance)) - grid, 0.0) / size,
        fabs(cn_vec3_length(nearest.normal) - 1.0),
    };
    for (int i = 0; i < 4; ++i) {
        worst[i] = isfinite(errors[i]) ? fmax(worst[i], errors[i]) : HUGE_VAL;
    }
}

static void check_regime(Regime regime) {
    regime_start();
    for (int kind = 0; kind < REGIME_KINDS; ++kind) {
        CnRandom random = {1000 + (uint64_t)((int)regime * REGIME_KINDS + kind)};
        double worst[4] = {0};
        for (int i = 0; i < pairs_of(kind); ++i) {
            KnownPair pair;
            regime_pair(regime, kind, &random, &pair);
            check_pair(&pair, worst);
            regime_release(&pair);
        }
        ck_assert_msg(worst[0] <= ROUND_OFF, "kind %d: distances are off by %g", kind, worst[0]);
        ck_assert_msg(worst[1] <= ROUND_OFF, "kind %d: normals are off by %g", kind, worst[1]);
        // Of flats GJK finds points a stand-off of 1e-3 apart, to the root of its 1e-12.
        ck_assert_msg(worst[2] <= 1e-9, "kind %d: points are off by %g", kind, worst[2]);
        // A rotation by a quaternion whose length is off by 4 epsilon stretches by twice that.
        ck_assert_msg(worst[3] <= 16.0 * 0x1p-52, "kind %d: lengths are off by %g", kind, worst[3]);
    }
}

static void distances_are_those_of_the_oracle(void) {
    check_regime(REGIME_RANDOM);
}

static void touching_pairs_are_as_exact(void) {
    check_regime(REGIME_TOUCHING);
}

static void depths_of_nested_pairs_are_as_exact(void) {
    check_regime(REGIME_NESTED);
}

static void parallel_coaxial_and_concentric_pairs_are_as_exact(void) {
    check_regime(REGIME_DEGENERATE);
}

static void millimetres_are_as_exact(void) {
    check_regime(REGIME_TINY);
}

static void kilometres_are_as_exact(void) {
    check_regime(REGIME_HUGE);
}

static void a_millimetre_against_a_kilometre_is_as_exact(void) {
    check_regime(REGIME_MIXED);
}

static void a_thousand_kilometres_out_is_as_exact(void) {
    check_regime(REGIME_FAR);
}

TEST_MAIN("unit/collision/convex/oracle", TEST(distances_are_those_of_the_oracle),
          TEST(touching_pairs_are_as_exact), TEST(depths_of_nested_pairs_are_as_exact),
          TEST(parallel_coaxial_and_concentric_pairs_are_as_exact), TEST(millimetres_are_as_exact),
          TEST(kilometres_are_as_exact), TEST(a_millimetre_against_a_kilometre_is_as_exact),
          TEST(a_thousand_kilometres_out_is_as_exact))

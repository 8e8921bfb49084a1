// test_reduce.c - the four contact points that are kept of many.
#include "cairn/random.h"
#include "collision/hull/face_points.h"
#include "collision/hull/reduce.h"
#include "support/test.h"

static void add(CnCandidates* candidates, double x, double y, double gap) {
    cn_candidates_add(candidates, (CnManifoldPoint){
                                      .point = {x, y, 0.0},
                                      .normal = {0.0, 0.0, 1.0},
                                      .gap = gap,
                                      .feature = (uint32_t)candidates->count,
                                  });
}

static bool holds(const CnManifoldPoint* points, int count, uint32_t feature) {
    for (int i = 0; i < count; ++i) {
        if (points[i].feature == feature) {
            return true;
        }
    }
    return false;
}

static void four_points_are_left_alone(void) {
    CnCandidates candidates = {.size = 1.0};
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    for (int i = 0; i < 4; ++i) {
        add(&candidates, i, 0.0, 0.1 * i); // in a line: nothing to span
    }
    CHECK_INT(cn_candidates_reduce(&candidates, points), 4);
    for (uint32_t i = 0; i < 4; ++i) {
        CHECK_INT(points[i].feature, i);
    }
}

// The corners of a square and the middles of its sides, which add no area.
static void of_a_square_with_midpoints_the_corners_are_kept(void) {
    CnCandidates candidates = {.size = 1.0};
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    for (int i = 0; i < 9; ++i) {
        add(&candidates, i % 3 - 1.0, i / 3 - 1.0, 0.0);
    }
    CHECK_INT(cn_candidates_reduce(&candidates, points), 4);
    CHECK(holds(points, 4, 0) && holds(points, 4, 2) && holds(points, 4, 6) && holds(points, 4, 8));
}

static void the_deepest_point_is_always_kept(void) {
    CnRandom random = {7};
    for (int k = 0; k < 1000; ++k) {
        CnCandidates candidates = {.size = 1.0};
        CnManifoldPoint points[CN_MANIFOLD_POINTS];
        int count = 5 + k % 60;
        uint32_t deepest = 0;
        for (int i = 0; i < count; ++i) {
            double x = cn_random_between(&random, -1.0, 1.0);
            double y = cn_random_between(&random, -1.0, 1.0);
            add(&candidates, x, y, cn_random_between(&random, -0.1, 0.1));
            if (candidates.points[i].gap < candidates.points[deepest].gap) {
                deepest = (uint32_t)i;
            }
        }
        int kept = cn_candidates_reduce(&candidates, points);
        double smallest = INFINITY;
        for (int i = 0; i < kept; ++i) {
            smallest = fmin(smallest, points[i].gap);
        }
        CHECK(kept == 4 || kept == 3); // three when they span all others
        CHECK_NEAR(smallest, candidates.points[deepest].gap, CN_TIE_TOLERANCE);
    }
}

// Five corners of a resting face and a wide ring that is still 2 cm away: the face wins, or the
// body would tip into the gap.
static void points_that_touch_come_before_points_that_may(void) {
    CnCandidates candidates = {.size = 1.0};
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    for (int i = 0; i < 5; ++i) {
        add(&candidates, 3.0 * cos(0.4 * CN_PI * i), 3.0 * sin(0.4 * CN_PI * i), 0.02);
        add(&candidates, cos(0.4 * CN_PI * i), sin(0.4 * CN_PI * i), 0.0);
    }
    CHECK_INT(cn_candidates_reduce(&candidates, points), 4);
    for (int i = 0; i < 4; ++i) {
        CHECK(points[i].gap == 0.0);
    }
}

// Two points touch; the two left over are the ones that add the most area.
static void points_that_may_touch_fill_what_is_left(void) {
    CnCandidates candidates = {.size = 1.0};
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    add(&candidates, -1.0, 0.0, 0.0);
    add(&candidates, 1.0, 0.0, 0.0);
    add(&candidates, 0.0, 1.0, 0.02);
    add(&candidates, 0.0, 2.0, 0.02);
    add(&candidates, 0.0, -2.0, 0.02);
    CHECK_INT(cn_candidates_reduce(&candidates, points), 4);
    CHECK(!holds(points, 4, 2));
}

// An octagon at rest: gaps and places that round-off moves by 1e-12 do not change the choice.
static void round_off_does_not_change_the_choice(void) {
    CnRandom random = {8};
    uint32_t chosen[CN_MANIFOLD_POINTS];
    for (int k = 0; k < 1000; ++k) {
        CnCandidates candidates = {.size = 1.0};
        CnManifoldPoint points[CN_MANIFOLD_POINTS];
        for (int i = 0; i < 8; ++i) {
            double angle = 0.25 * CN_PI * i;
            double x = cos(angle) + cn_random_between(&random, -1e-12, 1e-12);
            double y = sin(angle) + cn_random_between(&random, -1e-12, 1e-12);
            add(&candidates, x, y, cn_random_between(&random, -1e-12, 1e-12));
        }
        CHECK_INT(cn_candidates_reduce(&candidates, points), 4);
        for (int i = 0; i < CN_MANIFOLD_POINTS; ++i) {
            chosen[i] = k == 0 ? points[i].feature : chosen[i];
            CHECK_INT(points[i].feature, chosen[i]);
        }
    }
}

static void points_in_one_place_count_once(void) {
    CnCandidates candidates = {.size = 1.0};
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    for (int i = 0; i < 20; ++i) {
        add(&candidates, 0.5, 0.5, -0.1);
    }
    CHECK_INT(cn_candidates_reduce(&candidates, points), 1);
}

// 1000 points on a circle, offered one by one, one of them deeper: it is kept, and the four hold
// the centre (each side of theirs has it on the left), so that a prism on them stands.
static void a_long_offer_keeps_the_deepest_and_holds_the_centre(void) {
    CnCandidates candidates = {.size = 1.0};
    CnManifoldPoint p[CN_MANIFOLD_POINTS];
    for (int i = 0; i < 1000; ++i) {
        double angle = 2.0 * CN_PI * i / 1000.0;
        add(&candidates, cos(angle), sin(angle), i == 300 ? -1e-4 : 0.0);
        CHECK(candidates.count <= CN_CANDIDATES);
    }
    CHECK_INT(cn_candidates_reduce(&candidates, p), 4);
    double deepest = 0.0;
    for (int i = 0; i < 4; ++i) {
        CnVec3 here = p[i].point, next = p[(i + 1) % 4].point;
        CHECK(here.x * next.y - next.x * here.y > 0.0);
        deepest = fmin(deepest, p[i].gap);
    }
    CHECK(deepest == -1e-4);
}

// Random points; on a grid, where many choices tie; on a line; in one place.
static void draw_points(CnRandom* random, int kind, int count, double x[], double y[],
                        double gap[]) {
    for (int i = 0; i < count + CN_FLAT_PAD; ++i) {
        double u = cn_random_between(random, -1.0, 1.0), v = cn_random_between(random, -1.0, 1.0);
        double w = cn_random_between(random, -0.01, 0.01);
        bool is_point = i < count;
        u = kind == 1 ? floor(2.0 * u) : kind == 3 ? 0.25 : u;
        v = kind == 1 ? floor(2.0 * v) : kind == 2 ? 0.5 * u : kind == 3 ? 0.5 : v;
        w = kind == 1 ? 1e-3 * floor(300.0 * w) : w;
        x[i] = is_point ? u : 0.0;
        y[i] = is_point ? v : 0.0;
        gap[i] = is_point ? w : HUGE_VAL;
    }
}

static void the_lanes_choose_as_the_plain_code(void) {
    CnRandom random = {11};
    int different = 0, fours = 0;
    for (int k = 0; k < 20000; ++k) {
        double x[CN_FLAT_POINTS], y[CN_FLAT_POINTS], gap[CN_FLAT_POINTS];
        int count = k % 3 == 0 ? 5 + k % 60 : 5 + k % 8; // mostly few, as there are
        draw_points(&random, k % 4, count, x, y, gap);
        CnFlatPoints points = {x, y, gap, count, 1.0};
        uint64_t plain = cn_choose_four_plain(&points);
        different += cn_face_functions_128.choose(&points) != plain;
        different += cn_choose_four(&points) != plain;
        fours += __builtin_popcountll(plain) == 4;
    }
    CHECK_INT(different, 0);
    CHECK(fours > 8000); // of the half that is not degenerate nearly all
}

TEST_MAIN("unit/collision/sat/reduce", TEST(four_points_are_left_alone),
          TEST(of_a_square_with_midpoints_the_corners_are_kept),
          TEST(the_deepest_point_is_always_kept),
          TEST(points_that_touch_come_before_points_that_may),
          TEST(points_that_may_touch_fill_what_is_left), TEST(round_off_does_not_change_the_choice),
          TEST(points_in_one_place_count_once), TEST(the_lanes_choose_as_the_plain_code),
          TEST(a_long_offer_keeps_the_deepest_and_holds_the_centre))

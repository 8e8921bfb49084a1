// test_sat_edges.c - edges that are ruled out would not have changed the axes.
#include "collision/sat/polyhedron.h"
#include "collision/sat/sat_functions.h"
#include "support/shapes/random_poses.h"
#include "support/test.h"

#include <string.h>

#define PAIRS (UNDER_SANITIZER ? 20 : 200) // of each two kinds
#define MOST_POINTS 110

// Points on an ellipsoid; n of them have 3 n - 6 edges. The last kind has an edge of 0.02 m between
// faces that are almost opposite.
typedef struct Kind {
    int points;
    CnVec3 radii; // [m]
} Kind;

static const Kind kinds[] = {
    {12, {0.5, 0.5, 0.5}},  // 30 edges: a set of 64
    {60, {0.5, 0.6, 0.4}},  // 174: four sets
    {110, {0.6, 0.5, 0.5}}, // 324: no sets
    {9, {0.6, 0.5, 0.01}},  // thin: all count
};
#define KINDS ((int)(sizeof kinds / sizeof kinds[0]))

static CnHull* hull_of(const Kind* kind, CnRandom* random) {
    CnVec3 points[MOST_POINTS];
    CnHull* hull = NULL;
    for (int i = 0; i < kind->points; ++i) {
        CnVec3 p = cn_vec3_normalize(random_within(random, 1.0));
        points[i] = cn_vec3(kind->radii.x * p.x, kind->radii.y * p.y, kind->radii.z * p.z);
    }
    CHECK_INT(cn_hull_build(points, kind->points, NULL, &hull, NULL), CN_OK);
    return hull;
}

// Of what is thin enough all edges count.
static CnHull thin(const CnHull* hull) {
    CnHull copy = *hull;
    copy.sharpest = 0.0;
    return copy;
}

typedef struct Tally {
    int different, by_edges, apart;
} Tally;

// From one inside the other to just apart.
static void place_at_random(CnRandom* random, CnRelativePose seen[2]) {
    CnTransform a = {.rotation = random_turn(random)};
    CnVec3 way = cn_vec3_normalize(random_within(random, 1.0));
    double distance = cn_random_between(random, 0.1, 1.1); // [m]
    CnTransform b = {.position = cn_vec3_scale(distance, way), .rotation = random_turn(random)};
    cn_relative_poses(&a, &b, seen);
}

static void compare(const CnHull* a, const CnHull* b, CnRandom* random, Tally* tally) {
    CnRelativePose seen[2];
    CnHull all_of_a = thin(a), all_of_b = thin(b);
    CnSatAxes all, some, narrow;
    place_at_random(random, seen);
    bool touch = cn_sat_hulls(&all_of_a, &all_of_b, seen, 0.02, 1e-9, &all);
    bool same = cn_sat_hulls(a, b, seen, 0.02, 1e-9, &some) == touch &&
                cn_sat_search_128(a, b, seen, 0.02, 1e-9, &narrow) == touch;
    tally->different += !same || (touch && memcmp(&all, &some, sizeof all) != 0) ||
                        (touch && memcmp(&all, &narrow, sizeof all) != 0);
    tally->by_edges += touch && all.edges.a >= 0;
    tally->apart += !touch;
}

static void edges_that_are_ruled_out_change_no_bit(void) {
    CnRandom random = {5};
    CnHull* hulls[KINDS];
    Tally tally = {0};
    for (int i = 0; i < KINDS; ++i) {
        hulls[i] = hull_of(&kinds[i], &random);
    }
    for (int i = 0; i < KINDS * KINDS * PAIRS; ++i) {
        compare(hulls[i % KINDS], hulls[i / KINDS % KINDS], &random, &tally);
    }
    CHECK_INT(tally.different, 0);
    CHECK(tally.by_edges > 2 * PAIRS);
    CHECK(tally.apart > PAIRS);
    for (int i = 0; i < KINDS; ++i) {
        cn_hull_free(hulls[i], NULL);
    }
}

static void the_kinds_have_sets_of_all_sizes_and_none(void) {
    static const int sets[KINDS] = {1, 4, 0, 1};
    CnRandom random = {6};
    for (int i = 0; i < KINDS; ++i) {
        CnHull* hull = hull_of(&kinds[i], &random);
        CHECK_INT(cn_hull_edge_sets(hull->edge_count), sets[i]);
        CHECK((hull->sharpest < 0.05) == (i == KINDS - 1));
        cn_hull_free(hull, NULL);
    }
}

TEST_MAIN("unit/collision/sat/sat_edges", TEST(edges_that_are_ruled_out_change_no_bit),
          TEST(the_kinds_have_sets_of_all_sizes_and_none))

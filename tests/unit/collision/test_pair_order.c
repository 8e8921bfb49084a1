// test_pair_order.c - which of two shapes is first hangs on them alone, and not on round-off.
#include "collision/convex/pair_order.h"
#include "support/shapes/known_pairs.h"
#include "support/test.h"

#define PAIRS 20000

static const CnShape cube = {
    .type = CN_SHAPE_BOX, .half_size = {0.5, 0.5, 0.5}, .extent = 0.86602540378443865};

static CnPlacedShape placed(const CnShape* shape, CnVec3 position, CnQuat rotation) {
    return (CnPlacedShape){shape, {position, rotation}};
}

static CnPlacedShape placed_anyhow(const CnShape* shape, CnRandom* random) {
    CnVec3 position = known_direction(random);
    return placed(shape, position, known_rotation(random));
}

static CnPlacedShape turned(CnPlacedShape shape, CnQuat by) {
    return placed(shape.shape, cn_quat_rotate(by, shape.pose.position),
                  cn_quat_multiply(by, shape.pose.rotation));
}

static void one_of_two_equal_shapes_is_first_whoever_asks_and_however_turned(void) {
    CnRandom random = {5};
    int undecided = 0, changed = 0;
    for (int i = 0; i < PAIRS; ++i) {
        CnPlacedShape a = placed_anyhow(&cube, &random);
        CnPlacedShape b = placed_anyhow(&cube, &random);
        CnQuat by = known_rotation(&random);
        bool reversed = cn_pair_is_reversed(a, b);
        undecided += cn_pair_is_reversed(b, a) == reversed;
        changed += cn_pair_is_reversed(turned(a, by), turned(b, by)) != reversed;
    }
    CHECK_INT(undecided, 0);
    CHECK_INT(changed, 0); // a tie to CN_TIE_TOLERANCE, by chance, is 1e-7 x 20000 = 0.002 pairs
}

static void shapes_of_one_type_are_ordered_by_size_wherever_they_are(void) {
    CnRandom random = {6};
    CnShape larger = cube;
    larger.half_size.y = 0.6;
    larger.extent = sqrt(0.86);
    int wrong = 0;
    for (int i = 0; i < PAIRS; ++i) {
        CnPlacedShape a = placed_anyhow(&cube, &random);
        CnPlacedShape b = placed_anyhow(&larger, &random);
        wrong += cn_pair_is_reversed(a, b) || !cn_pair_is_reversed(b, a);
    }
    CHECK_INT(wrong, 0);
}

static void hulls_are_ordered_by_their_vertices(void) {
    const CnVec3 points[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.1, 0.9, 0.5}};
    CnVec3 others[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.2, 0.9, 0.5}};
    CnHull *hull = NULL, *other = NULL, *copy = NULL;
    CHECK_INT(cn_hull_build(points, 5, NULL, &hull, NULL), CN_OK);
    CHECK_INT(cn_hull_build(points, 5, NULL, &copy, NULL), CN_OK);
    CHECK_INT(cn_hull_build(others, 5, NULL, &other, NULL), CN_OK);
    CnShape a = {.type = CN_SHAPE_CONVEX, .hull = hull, .extent = 1.1};
    CnShape b = {.type = CN_SHAPE_CONVEX, .hull = other, .extent = 1.1};
    CnShape c = {.type = CN_SHAPE_CONVEX, .hull = copy, .extent = 1.1};
    CnVec3 here = cn_vec3(0.0, 0.0, 0.0), there = cn_vec3(0.0, 0.0, 1.0);
    CnQuat as_is = cn_quat_identity();
    for (int i = 0; i < 2; ++i) { // 0.1 < 0.2, above or below
        CHECK(!cn_pair_is_reversed(placed(&a, i ? here : there, as_is),
                                   placed(&b, i ? there : here, as_is)));
        // Equal hulls: the places tell.
        CHECK_INT(cn_pair_is_reversed(placed(&a, i ? here : there, as_is),
                                      placed(&c, i ? there : here, as_is)),
                  i == 0);
    }
    cn_hull_free(hull, NULL);
    cn_hull_free(other, NULL);
    cn_hull_free(copy, NULL);
}

static CnVec3 creep(CnRandom* random) {
    double size = cn_random_between(random, 0.0, 1e-8);
    return cn_vec3_scale(size, known_direction(random));
}

// Stacked and side by side, in each of four attitudes about each axis: half a turn about x or y is
// where the two see each other alike. They creep by ten times what bodies at rest do in thousands
// of steps, a tenth of what (10) calls alike.
static void the_order_of_equal_boxes_at_rest_outlives_creep(void) {
    static const CnVec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    CnRandom random = {7};
    int changed = 0;
    for (int i = 0; i < 3 * 3 * 4; ++i) {
        CnQuat rotation = cn_quat_exp(cn_vec3_scale(0.5 * CN_PI * (i % 4), axes[i / 4 % 3]));
        CnPlacedShape a = placed(&cube, cn_vec3(0.0, 0.0, 0.0), cn_quat_identity());
        CnPlacedShape b = placed(&cube, axes[i / 12], rotation);
        bool reversed = cn_pair_is_reversed(a, b);
        for (int k = 0; k < 1000; ++k) {
            CnPlacedShape crept = b;
            crept.pose.position = cn_vec3_add(b.pose.position, creep(&random));
            crept.pose.rotation = cn_quat_multiply(cn_quat_exp(creep(&random)), b.pose.rotation);
            changed += cn_pair_is_reversed(a, crept) != reversed;
        }
    }
    CHECK_INT(changed, 0);
}

TEST_MAIN("unit/collision/pair_order",
          TEST(one_of_two_equal_shapes_is_first_whoever_asks_and_however_turned),
          TEST(shapes_of_one_type_are_ordered_by_size_wherever_they_are),
          TEST(hulls_are_ordered_by_their_vertices),
          TEST(the_order_of_equal_boxes_at_rest_outlives_creep))

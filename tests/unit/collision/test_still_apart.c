// test_still_apart.c - directions that parted two shapes save work and never a contact.
#include "collision/broad/pair_set.h"
#include "collision/collide.h"
#include "collision/convex/distance.h"
#include "collision/convex/still_apart.h"
#include "collision/round/thin_apart.h"
#include "support/shapes/regimes.h"
#include "support/test.h"

#define PAIRS 2000

// However a pair moves on, what is said to be apart along the old direction has no contact points
// within the margin; and most pairs that are far enough apart are recognised.
static void what_is_still_apart_does_not_touch(void) {
    int said = 0, wrong = 0, apart = 0;
    regime_start();
    for (int i = 0; i < PAIRS; ++i) {
        CnRandom random = {(uint64_t)i + 11};
        KnownPair pair;
        CnManifoldPoint points[CN_MANIFOLD_POINTS];
        int kind = i % REGIME_KINDS;
        regime_pair(REGIME_RANDOM, kind, &random, &pair);
        CnPlacedShape a = pair.a, b = pair.b;
        if (a.shape->type != CN_SHAPE_PLANE && b.shape->type != CN_SHAPE_PLANE) {
            CnVec3 axis = cn_nearest(a, b).normal;
            double size = a.shape->extent + b.shape->extent, margin = 0.01 * size;
            for (int step = 0; step < 10; ++step) {
                double x = cn_random_between(&random, -0.1, 0.1);
                double y = cn_random_between(&random, -0.1, 0.1);
                double z = cn_random_between(&random, -0.1, 0.1);
                b.pose.position = cn_vec3_add_scaled(b.pose.position, size, cn_vec3(x, y, z));
                b.pose.rotation = cn_quat_normalize(
                    cn_quat_multiply(cn_quat_exp(cn_vec3(z, x, y)), b.pose.rotation));
                bool is_apart = cn_still_apart(a, b, axis, margin);
                said += is_apart;
                apart += cn_nearest(a, b).distance > margin;
                wrong += is_apart && cn_collide(a, b, margin, points) > 0;
            }
        }
        regime_release(&pair);
    }
    CHECK_INT(wrong, 0);
    CHECK(apart > 100);
    CHECK(2 * said > apart); // the direction is old, but mostly good enough
}

static void no_direction_says_nothing(void) {
    CnShape ball = {.type = CN_SHAPE_SPHERE, .radius = 1.0, .extent = 1.0};
    CnPlacedShape a = {&ball, {{0.0, 0.0, 0.0}, {.w = 1.0}}};
    CnPlacedShape b = {&ball, {{9.0, 0.0, 0.0}, {.w = 1.0}}};
    CHECK(!cn_still_apart(a, b, cn_vec3(0.0, 0.0, 0.0), 0.1));
    CHECK(cn_still_apart(a, b, cn_vec3(1.0, 0.0, 0.0), 0.1));
    CHECK(!cn_still_apart(a, b, cn_vec3(0.0, 1.0, 0.0), 0.1));
}

// Balls and capsules are told apart from each other by almost their distance, from boxes by that of
// bounding boxes: at corners of the box some pairs are missed.
static void thin_shapes_are_told_apart(void) {
    const CnShape shapes[] = {
        {.type = CN_SHAPE_SPHERE, .radius = 0.4, .extent = 0.4},
        {.type = CN_SHAPE_CAPSULE, .radius = 0.2, .half_length = 0.5, .extent = 0.7},
        {.type = CN_SHAPE_BOX, .half_size = {0.3, 0.4, 0.5}, .extent = 0.7071067811865476},
    };
    int said[2] = {0, 0}, apart[2] = {0, 0}, wrong = 0;
    const double margin = 0.05;
    for (int i = 0; i < PAIRS; ++i) {
        CnRandom random = {(uint64_t)i + 7};
        CnPlacedShape pair[2];
        for (int side = 0; side < 2; ++side) {
            double x[7];
            for (int k = 0; k < 7; ++k) {
                x[k] = cn_random_between(&random, -1.0, 1.0);
            }
            pair[side].shape = &shapes[side == 0 ? i % 2 : i % 3];
            pair[side].pose.position = cn_vec3(x[0], x[1], x[2]);
            pair[side].pose.rotation = cn_quat_normalize(cn_quat(x[3], x[4], x[5], x[6]));
        }
        CnPlacedPolyhedron box;
        bool is_box = pair[1].shape->type == CN_SHAPE_BOX;
        if (is_box) {
            cn_polyhedron_place(&pair[1], &box);
        }
        CnManifoldPoint points[CN_MANIFOLD_POINTS];
        bool says = is_box ? cn_thin_is_apart_from_box(&pair[0], &box, margin)
                           : cn_thin_is_apart_from_thin(&pair[0], &pair[1], margin);
        said[is_box] += says;
        apart[is_box] += cn_nearest(pair[0], pair[1]).distance > margin * (1.0 + 1e-9);
        wrong += says && cn_collide(pair[0], pair[1], margin, points) > 0;
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(said[0], apart[0]);
    CHECK(apart[0] > 100 && apart[1] > 100);
    CHECK(10 * said[1] > 8 * apart[1]);
}

// Pairs that stay keep their records when others come between them.
static void pairs_keep_their_records(void) {
    CnAllocator allocator = {0};
    CnPairSet set = {0};
    for (int i = 0; i < 10; i += 2) {
        CHECK(cn_array_push(&set.added, &allocator, cn_pair(i, i + 1)));
    }
    CHECK(cn_pair_set_merge(&set, NULL, 20, NULL, &allocator));
    for (int i = 0; i < set.pairs.count; ++i) {
        CHECK_INT(set.records.data[i], CN_NO_RECORD);
        set.records.data[i] = 1 + cn_pair_first(set.pairs.data[i]);
    }
    for (int i = 1; i < 10; i += 2) {
        CHECK(cn_array_push(&set.added, &allocator, cn_pair(i, i + 1)));
    }
    CHECK(cn_pair_set_merge(&set, NULL, 20, NULL, &allocator));
    CHECK_INT(set.pairs.count, 10);
    for (int i = 0; i < set.pairs.count; ++i) {
        int first = cn_pair_first(set.pairs.data[i]);
        CHECK_INT(set.records.data[i], first % 2 == 0 ? 1 + first : CN_NO_RECORD);
    }
    cn_pair_set_free(&set, &allocator);
}

// Pairs that are taken out and found again keep their record; the others are lost, and may come
// back.
static void pairs_found_again_keep_their_record(void) {
    CnAllocator allocator = {0};
    CnPairSet set = {0};
    uint8_t is_loose[12] = {0};
    for (int i = 0; i < 10; ++i) {
        CHECK(cn_array_push(&set.added, &allocator, cn_pair(i, i + 1)));
    }
    CHECK(cn_pair_set_merge(&set, NULL, 12, NULL, &allocator));
    for (int i = 0; i < 10; ++i) {
        set.records.data[i] = 100 + i;
    }
    is_loose[4] = is_loose[7] = 1; // pairs 3-4, 4-5, 6-7, 7-8
    CHECK(cn_array_push(&set.added, &allocator, cn_pair(7, 8)));
    CHECK(cn_array_push(&set.added, &allocator, cn_pair(4, 9)));
    CHECK(cn_array_push(&set.added, &allocator, cn_pair(3, 4)));
    CHECK(cn_pair_set_merge(&set, is_loose, 12, NULL, &allocator));
    const CnPair pairs[] = {cn_pair(0, 1), cn_pair(1, 2), cn_pair(2, 3),
                            cn_pair(3, 4), cn_pair(4, 9), cn_pair(5, 6),
                            cn_pair(7, 8), cn_pair(8, 9), cn_pair(9, 10)};
    const int records[] = {100, 101, 102, 103, CN_NO_RECORD, 105, 107, 108, 109};
    CHECK_INT(set.pairs.count, 9);
    for (int i = 0; i < 9; ++i) {
        CHECK(set.pairs.data[i] == pairs[i]);
        CHECK_INT(set.records.data[i], records[i]);
    }
    CHECK_INT(set.lost.count, 2);
    CHECK(set.lost.data[0] == cn_pair(4, 5) && set.lost.data[1] == cn_pair(6, 7));
    cn_pair_set_restore_lost(&set);
    CHECK_INT(set.pairs.count, 11);
    CHECK(set.pairs.data[4] == cn_pair(4, 5) && set.records.data[4] == 104);
    CHECK(set.pairs.data[7] == cn_pair(6, 7) && set.records.data[7] == 106);
    cn_pair_set_free(&set, &allocator);
}

// One pair comes and goes several times before all of it is undone, as in a step that is cut into
// parts: it has the record of the beginning.
static void a_pair_lost_twice_comes_back_with_its_first_record(void) {
    CnAllocator allocator = {0};
    CnPairSet set = {0};
    const uint8_t is_loose[3] = {1, 0, 0};
    for (int record = 100; record < 103; ++record) {
        CHECK(cn_array_push(&set.added, &allocator, cn_pair(0, 2)));
        CHECK(cn_pair_set_merge(&set, NULL, 3, NULL, &allocator)); // found
        set.records.data[0] = record;
        CHECK(cn_pair_set_merge(&set, is_loose, 3, NULL, &allocator)); // lost
    }
    CHECK_INT(set.lost.count, 3);
    cn_pair_set_restore_lost(&set);
    CHECK_INT(set.pairs.count, 1);
    CHECK_INT(set.records.data[0], 100);
    cn_pair_set_free(&set, &allocator);
}

TEST_MAIN("unit/collision/apart", TEST(what_is_still_apart_does_not_touch),
          TEST(no_direction_says_nothing), TEST(thin_shapes_are_told_apart),
          TEST(pairs_keep_their_records), TEST(pairs_found_again_keep_their_record),
          TEST(a_pair_lost_twice_comes_back_with_its_first_record))

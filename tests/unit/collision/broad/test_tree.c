// test_tree.c - the tree finds what comparing with every box finds, and stays in shape.
#include "cairn/random.h"
#include "collision/broad/tree.h"
#include "support/failing_allocator.h"
#include "support/test.h"

#define MAX_ITEMS 2000

typedef struct Forest {
    CnTree tree;
    CnFloatBox boxes[MAX_ITEMS]; // of items in the tree, as the tree should know them
    CnTreeQuery query;
} Forest;

static Forest forest; // too large for the stack

static void start(int item_count) {
    cn_tree_init(&forest.tree, NULL);
    CHECK(cn_tree_reserve(&forest.tree, item_count, item_count));
}

static void stop(void) {
    cn_tree_query_free(&forest.query, &forest.tree.allocator);
    cn_tree_destroy(&forest.tree);
}

static CnFloatBox random_box(CnRandom* random, double spread) {
    CnFloatBox box;
    for (int i = 0; i < 3; ++i) {
        // Corners on a grid of 1/8: many boxes touch, coincide or are flat.
        box.low[i] = (float)(floor(cn_random_between(random, -8.0 * spread, 8.0 * spread)) / 8.0);
        box.high[i] = box.low[i] + (float)(floor(cn_random_between(random, 0.0, 16.0)) / 8.0);
    }
    return box;
}

static void put(int item, CnFloatBox box) {
    if (cn_tree_has(&forest.tree, item)) {
        cn_tree_remove(&forest.tree, item);
    }
    forest.boxes[item] = box;
    cn_tree_insert(&forest.tree, item, &box);
}

static bool same_box(const CnFloatBox* a, const CnFloatBox* b) {
    return memcmp(a, b, sizeof *a) == 0;
}

// Every parent's box is exactly the union of its children's, heights and places are right, and the
// leaves have the boxes they were given. Returns the number of leaves.
static int check_below(int child, int place, const CnFloatBox* box) {
    const CnTree* tree = &forest.tree;
    if (child < 0) {
        CHECK_INT(tree->place.data[~child], place);
        CHECK(same_box(box, &forest.boxes[~child]));
        return 1;
    }
    const CnTreeNode* node = &tree->nodes.data[child];
    int height = 0;
    for (int side = 0; side < 2; ++side) {
        int below = node->child[side] < 0 ? 0 : tree->nodes.data[node->child[side]].height;
        height = below > height ? below : height;
    }
    CHECK_INT(node->height, height + 1);
    CHECK_INT(node->place, place);
    CnFloatBox both = cn_float_box_union(&node->box[0], &node->box[1]);
    CHECK(same_box(box, &both));
    return check_below(node->child[0], 2 * child, &node->box[0]) +
           check_below(node->child[1], 2 * child + 1, &node->box[1]);
}

static void check_shape(void) {
    const CnTree* tree = &forest.tree;
    if (tree->leaf_count > 0) {
        CHECK_INT(check_below(tree->root, CN_TREE_ROOT, &tree->root_box), tree->leaf_count);
    }
}

static void check_query(const CnFloatBox* box, int item_count) {
    static bool hit[MAX_ITEMS];
    int expected = 0;
    memset(hit, 0, sizeof hit);
    forest.query.found.count = 0;
    CHECK(cn_tree_query(&forest.tree, box, &forest.query, &forest.tree.allocator));
    for (int i = 0; i < forest.query.found.count; ++i) {
        CHECK(!hit[forest.query.found.data[i]]); // none twice
        hit[forest.query.found.data[i]] = true;
    }
    for (int item = 0; item < item_count; ++item) {
        bool overlaps =
            cn_tree_has(&forest.tree, item) && cn_float_box_overlap(box, &forest.boxes[item]);
        CHECK(hit[item] == overlaps);
        expected += overlaps;
    }
    CHECK_INT(forest.query.found.count, expected);
}

static void random_changes_keep_the_tree_right(void) {
    CnRandom random = {41};
    const int item_count = 200;
    for (int round = 0; round < 20; ++round) {
        start(item_count);
        double spread = cn_random_between(&random, 0.5, 10.0);
        for (int change = 0; change < 600; ++change) {
            int item = (int)cn_random_between(&random, 0.0, item_count);
            if (cn_tree_has(&forest.tree, item) && cn_random_between(&random, 0.0, 1.0) < 0.4) {
                cn_tree_remove(&forest.tree, item);
            } else {
                put(item, random_box(&random, spread));
            }
            if (change % 20 == 0) {
                CnFloatBox box = random_box(&random, spread);
                check_shape();
                check_query(&box, item_count);
            }
        }
        for (int item = 0; item < item_count; ++item) { // and down to nothing
            if (cn_tree_has(&forest.tree, item)) {
                cn_tree_remove(&forest.tree, item);
            }
        }
        CHECK_INT(forest.tree.leaf_count, 0);
        CnFloatBox box = random_box(&random, spread);
        check_query(&box, item_count);
        stop();
    }
}

static void build_all(int count) {
    int items[MAX_ITEMS];
    for (int i = 0; i < count; ++i) {
        items[i] = i;
    }
    CHECK(cn_tree_build(&forest.tree, items, count, forest.boxes));
}

static void a_built_tree_is_right_for_every_small_count(void) {
    CnRandom random = {42};
    for (int count = 0; count < 100; ++count) {
        start(count);
        for (int i = 0; i < count; ++i) {
            forest.boxes[i] = random_box(&random, 3.0);
        }
        build_all(count);
        CHECK_INT(forest.tree.leaf_count, count);
        check_shape();
        CnFloatBox box = random_box(&random, 3.0);
        check_query(&box, count);
        for (int i = 0; i < count; i += 3) { // changes go on from there
            put(i, random_box(&random, 3.0));
        }
        check_shape();
        check_query(&box, count);
        stop();
    }
}

// No cut tells equal boxes apart: they are halved, so the height is that of a balanced tree.
static void equal_boxes_make_a_balanced_tree(void) {
    start(1024);
    for (int i = 0; i < 1024; ++i) {
        forest.boxes[i] = (CnFloatBox){{1.0f, 2.0f, 3.0f}, {2.0f, 3.0f, 4.0f}};
    }
    build_all(1024);
    check_shape();
    CHECK_INT(cn_tree_height(&forest.tree), 10);
    stop();
}

static void refitting_gives_the_boxes_of_what_moved(void) {
    CnRandom random = {43};
    start(500);
    for (int i = 0; i < 500; ++i) {
        put(i, random_box(&random, 5.0));
    }
    for (int round = 0; round < 10; ++round) {
        for (int i = 0; i < 200; ++i) {
            int item = (int)cn_random_between(&random, 0.0, 500.0);
            forest.boxes[item] = random_box(&random, 5.0);
            cn_tree_set_box(&forest.tree, item, &forest.boxes[item]);
        }
        cn_tree_refit(&forest.tree);
        check_shape();
    }
    stop();
}

static CnFloatBox cube_at(CnRandom* random, float edge) {
    CnFloatBox box;
    for (int i = 0; i < 3; ++i) {
        box.low[i] = (float)cn_random_between(random, 0.0, 20.0);
        box.high[i] = box.low[i] + edge;
    }
    return box;
}

// Insertion looks at one path, a build at everything: 1.5 times the cost is what that may lose,
// and it must not get worse however long it goes on.
static void the_cost_after_ten_thousand_moves_is_near_that_of_a_build(void) {
    CnRandom random = {44};
    start(MAX_ITEMS);
    for (int i = 0; i < MAX_ITEMS; ++i) {
        put(i, cube_at(&random, 1.0f));
    }
    for (int move = 0; move < 10000; ++move) {
        int item = (int)cn_random_between(&random, 0.0, MAX_ITEMS);
        put(item, cube_at(&random, 1.0f));
    }
    check_shape();
    double moved = cn_tree_cost(&forest.tree);
    int height = cn_tree_height(&forest.tree);
    build_all(MAX_ITEMS);
    check_shape();
    double built = cn_tree_cost(&forest.tree);
    ck_assert_msg(moved <= 1.5 * built, "cost %g after moves, %g when built", moved, built);
    CHECK(height <= 44); // twice the 2 log2(n) of a red-black tree
    stop();
}

// Boxes in a row, inserted from one end to the other: the worst order for a tree without rotations
// (height n - 1).
static void inserting_in_order_does_not_make_a_list(void) {
    start(MAX_ITEMS);
    for (int i = 0; i < MAX_ITEMS; ++i) {
        float x = (float)i;
        put(i, (CnFloatBox){{x, 0.0f, 0.0f}, {x + 1.0f, 1.0f, 1.0f}});
    }
    check_shape();
    CHECK(cn_tree_height(&forest.tree) <= 44); // as above
    stop();
}

static void a_hundred_thousand_boxes_are_built_and_searched(void) {
    enum { COUNT = 100000 };
    CnRandom random = {45};
    CnTree tree;
    CnTreeQuery query = {0};
    CnFloatBox* boxes = malloc(COUNT * sizeof *boxes);
    int* items = malloc(COUNT * sizeof *items);
    CHECK(boxes != NULL && items != NULL);
    cn_tree_init(&tree, NULL);
    for (int i = 0; i < COUNT; ++i) {
        boxes[i] = cube_at(&random, 0.2f);
        items[i] = i;
    }
    CHECK(cn_tree_reserve(&tree, COUNT, COUNT));
    CHECK(cn_tree_build(&tree, items, COUNT, boxes));
    CHECK(cn_tree_height(&tree) <= 34); // 2 log2(n)
    for (int round = 0; round < 20; ++round) {
        CnFloatBox box = cube_at(&random, 2.0f);
        int expected = 0;
        for (int i = 0; i < COUNT; ++i) {
            expected += cn_float_box_overlap(&box, &boxes[i]);
        }
        query.found.count = 0;
        CHECK(cn_tree_query(&tree, &box, &query, NULL));
        CHECK_INT(query.found.count, expected);
    }
    cn_tree_query_free(&query, NULL);
    cn_tree_destroy(&tree);
    free(boxes);
    free(items);
}

static void float_boxes_are_rounded_outwards(void) {
    CnRandom random = {47};
    for (int i = 0; i < 1000; ++i) {
        double scale = ldexp(1.0, (int)cn_random_between(&random, -60.0, 60.0));
        double x = scale * cn_random_between(&random, -1.0, 1.0);
        CnBounds point = {{x, x, x}, {x, x, x}};
        CnFloatBox box = cn_float_box_around(&point);
        CHECK(cn_float_box_contains(&box, &point));
        CHECK(nextafterf(box.low[0], INFINITY) >= box.high[0]); // by no more than it must
    }
}

static void memory_that_runs_out_leaves_the_tree_as_it_was(void) {
    CnRandom random = {48};
    CnStatus status = CN_NO_MEMORY;
    int refusals = 0;
    for (int refuse_at = 1; status != CN_OK; ++refuse_at) {
        FailingAllocator state = {.refuse_at = refuse_at};
        CnAllocator allocator = failing_allocator(&state);
        int items[100];
        cn_tree_init(&forest.tree, &allocator);
        bool ok = cn_tree_reserve(&forest.tree, 100, 100);
        for (int i = 0; i < 100; ++i) {
            items[i] = i;
            if (ok) {
                put(i, random_box(&random, 2.0));
            }
        }
        ok = ok && cn_tree_build(&forest.tree, items, 100, forest.boxes);
        CnFloatBox all = forest.tree.root_box;
        forest.query.found.count = 0;
        ok = ok && cn_tree_query(&forest.tree, &all, &forest.query, &allocator);
        check_shape();
        cn_tree_query_free(&forest.query, &allocator);
        cn_tree_destroy(&forest.tree);
        CHECK_INT(state.live, 0);
        status = ok ? CN_OK : CN_NO_MEMORY;
        refusals += !ok;
    }
    CHECK(refusals >= 5); // nodes, places, leaves to build from, stack, found
}

// Corners on a grid, so that many boxes just touch; some are unbounded, or nowhere.
static void a_probe_meets_what_overlaps(void) {
    CnRandom random = {5};
    const CnFloatBox odd[2] = {{{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}},
                               {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}};
    int meetings = 0;
    for (int i = 0; i < 20000; ++i) {
        CnFloatBox a = i % 50 < 2 ? odd[i % 50] : random_box(&random, 1.0);
        CnFloatBox b = i % 70 < 2 ? odd[i % 70] : random_box(&random, 1.0);
        CnBoxProbe probe = cn_box_probe(&a);
        bool meets = cn_box_probe_meets(&probe, &b);
        CHECK(meets == cn_float_box_overlap(&a, &b));
        meetings += meets;
    }
    CHECK(meetings > 1000 && meetings < 19000);
}

TEST_MAIN("unit/collision/broad/tree", TEST(random_changes_keep_the_tree_right),
          TEST(a_built_tree_is_right_for_every_small_count), TEST(equal_boxes_make_a_balanced_tree),
          TEST(refitting_gives_the_boxes_of_what_moved),
          TEST(the_cost_after_ten_thousand_moves_is_near_that_of_a_build),
          TEST(inserting_in_order_does_not_make_a_list),
          TEST(a_hundred_thousand_boxes_are_built_and_searched),
          TEST(float_boxes_are_rounded_outwards), TEST(a_probe_meets_what_overlaps),
          TEST(memory_that_runs_out_leaves_the_tree_as_it_was))

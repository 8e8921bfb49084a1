// test_tree_walk.c - a walk finds what comparing with every box finds, the nearest first.
#include "collision/broad/tree_walk.h"

#include "cairn/random.h"
#include "support/test.h"

#define ITEMS 600

static CnFloatBox boxes[ITEMS];
static bool found[ITEMS];

static CnFloatBox random_box(CnRandom* random) {
    CnFloatBox box;
    for (int i = 0; i < 3; ++i) {
        // Corners on a grid of 1/8: many boxes touch, coincide or are flat.
        box.low[i] = (float)(floor(cn_random_between(random, -80.0, 80.0)) / 8.0);
        box.high[i] = box.low[i] + (float)(floor(cn_random_between(random, 0.0, 16.0)) / 8.0);
    }
    return box;
}

// Even items in one tree, odd ones in the other.
static void grow_trees(CnTree* trees, CnRandom* random) {
    for (int t = 0; t < 2; ++t) {
        cn_tree_init(&trees[t], NULL);
        CHECK(cn_tree_reserve(&trees[t], ITEMS, ITEMS));
    }
    for (int i = 0; i < ITEMS; ++i) {
        boxes[i] = random_box(random);
        cn_tree_insert(&trees[i % 2], i, &boxes[i]);
    }
}

// A tree in which each node has one leaf: as high as can be.
static void grow_chain(CnTree* tree, CnRandom* random) {
    cn_tree_init(tree, NULL);
    CHECK(cn_tree_reserve(tree, ITEMS, ITEMS));
    for (int i = 0; i < ITEMS; ++i) {
        boxes[i] = random_box(random);
    }
    tree->leaf_count = ITEMS;
    tree->nodes.count = ITEMS - 1;
    int place = CN_TREE_ROOT;
    for (int i = 0; i < ITEMS - 1; ++i) {
        cn_tree_hang(tree, place, i, &boxes[i]);
        cn_tree_hang(tree, 2 * i + i % 2, ~i, &boxes[i]);
        place = 2 * i + 1 - i % 2;
    }
    cn_tree_hang(tree, place, ~(ITEMS - 1), &boxes[ITEMS - 1]);
    cn_tree_refit(tree);
    CHECK_INT(cn_tree_height(tree), ITEMS - 1);
}

static CnVec3 random_point(CnRandom* random, double size) {
    double x = cn_random_between(random, -size, size);
    double y = cn_random_between(random, -size, size);
    double z = cn_random_between(random, -size, size);
    return cn_vec3(x, y, z);
}

static CnBounds bounds_of(const CnFloatBox* box) {
    return (CnBounds){cn_vec3((double)box->low[0], (double)box->low[1], (double)box->low[2]),
                      cn_vec3((double)box->high[0], (double)box->high[1], (double)box->high[2])};
}

// At the far end of a walk everything must have come once.
static int follow(CnTreeWalk* walk) {
    int item, count = 0, twice = 0;
    memset(found, 0, sizeof found);
    while (cn_tree_walk_next(walk, &item)) {
        twice += found[item];
        found[item] = true;
        ++count;
    }
    CHECK_INT(twice, 0);
    return count;
}

// At no point of the way does the box overlap one that was not found; and what was found overlaps
// the box around the whole way.
static void check_way(CnTreeWalk* walk, const CnTree* trees, int tree_count, const CnBounds* box,
                      CnVec3 translation) {
    CnRay way = cn_ray_make(box->low, translation);
    cn_tree_walk_along(walk, trees, tree_count, box, way);
    follow(walk);
    int missed = 0;
    for (int k = 0; k <= 200; ++k) {
        CnVec3 shift = cn_vec3_scale(k / 200.0, translation);
        CnBounds there = {cn_vec3_add(box->low, shift), cn_vec3_add(box->high, shift)};
        for (int i = 0; i < ITEMS; ++i) {
            CnBounds other = bounds_of(&boxes[i]);
            missed += cn_bounds_overlap(&there, &other) && !found[i];
        }
    }
    CHECK_INT(missed, 0);
    CnBounds hull = {
        cn_vec3_add(box->low, cn_vec3(fmin(translation.x, 0.0), fmin(translation.y, 0.0),
                                      fmin(translation.z, 0.0))),
        cn_vec3_add(box->high, cn_vec3(fmax(translation.x, 0.0), fmax(translation.y, 0.0),
                                       fmax(translation.z, 0.0)))};
    hull.low = cn_vec3_sub(hull.low, cn_vec3(1e-9, 1e-9, 1e-9));
    hull.high = cn_vec3_add(hull.high, cn_vec3(1e-9, 1e-9, 1e-9));
    int idle = 0;
    for (int i = 0; i < ITEMS; ++i) {
        CnBounds other = bounds_of(&boxes[i]);
        idle += found[i] && !cn_bounds_overlap(&hull, &other);
    }
    CHECK_INT(idle, 0); // not even the box around the way meets them
}

static void check_ways(const CnTree* trees, int tree_count, CnRandom* random) {
    static CnTreeWalk walk;
    int met = 0;
    for (int k = 0; k < 60; ++k) {
        CnVec3 low = random_point(random, 12.0), way = random_point(random, 10.0);
        double size = k % 3 == 0 ? 0.0 : cn_random_between(random, 0.0, 2.0);
        if (k % 4 == 1) { // along an axis, through corners of the grid
            way.x = way.z = 0.0;
            low = cn_vec3(floor(low.x), floor(low.y), floor(low.z));
        }
        if (k % 10 == 9) {
            way = cn_vec3(0.0, 0.0, 0.0);
        }
        CnBounds box = {low, cn_vec3_add(low, cn_vec3(size, size, size))};
        check_way(&walk, trees, tree_count, &box, way);
        for (int i = 0; i < ITEMS; ++i) {
            met += found[i];
        }
    }
    CHECK(met > 60); // one each, at least on average
}

static double gap_of(const CnBounds* a, const CnBounds* b) {
    double x = fmax(0.0, fmax(a->low.x - b->high.x, b->low.x - a->high.x));
    double y = fmax(0.0, fmax(a->low.y - b->high.y, b->low.y - a->high.y));
    double z = fmax(0.0, fmax(a->low.z - b->high.z, b->low.z - a->high.z));
    return sqrt(x * x + y * y + z * z);
}

// With a limit that follows what was found, the nearest is found, and with a fixed one all within.
static void check_distances(const CnTree* trees, int tree_count, CnRandom* random) {
    static CnTreeWalk walk;
    for (int k = 0; k < 100; ++k) {
        CnVec3 low = random_point(random, 15.0);
        CnBounds box = {low, cn_vec3_add(low, cn_vec3(0.1, 0.2, 0.3))};
        double least = INFINITY, nearest = INFINITY;
        int within = 0, item;
        for (int i = 0; i < ITEMS; ++i) {
            CnBounds other = bounds_of(&boxes[i]);
            least = fmin(least, gap_of(&box, &other));
            within += gap_of(&box, &other) <= 2.0;
        }
        cn_tree_walk_around(&walk, trees, tree_count, &box);
        while (cn_tree_walk_next(&walk, &item)) {
            CnBounds other = bounds_of(&boxes[item]);
            nearest = fmin(nearest, gap_of(&box, &other));
            walk.limit = nearest;
        }
        CHECK(nearest == least);
        cn_tree_walk_around(&walk, trees, tree_count, &box);
        walk.limit = 2.0;
        CHECK_INT(follow(&walk), within);
    }
}

static void a_walk_finds_all_that_it_may_meet(void) {
    CnRandom random = {31};
    CnTree trees[2];
    grow_trees(trees, &random);
    check_ways(trees, 2, &random);
    check_distances(trees, 2, &random);
    cn_tree_destroy(&trees[0]);
    cn_tree_destroy(&trees[1]);
}

static void a_tree_of_any_height_can_be_walked(void) {
    CnRandom random = {32};
    CnTree trees[2];
    grow_chain(&trees[0], &random);
    cn_tree_init(&trees[1], NULL); // an empty one beside it
    check_ways(trees, 2, &random);
    check_distances(trees, 2, &random);
    cn_tree_destroy(&trees[0]);
    cn_tree_destroy(&trees[1]);
}

static void an_infinite_box_meets_everything(void) {
    CnRandom random = {33};
    CnTree trees[2];
    static CnTreeWalk walk;
    CnBounds all = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    grow_trees(trees, &random);
    cn_tree_walk_around(&walk, trees, 2, &all);
    walk.limit = 0.0;
    CHECK_INT(follow(&walk), ITEMS);
    cn_tree_walk_along(&walk, trees, 2, &all, cn_ray_make(cn_vec3(0, 0, 0), cn_vec3(1, 0, 0)));
    CHECK_INT(follow(&walk), ITEMS);
    cn_tree_destroy(&trees[0]);
    cn_tree_destroy(&trees[1]);
}

// Leaves on a line, apart: the first one met is the nearest, and with it the limit keeps the walk
// from the rest.
static void near_branches_come_first(void) {
    CnTree tree;
    static CnTreeWalk walk;
    CnBounds eye = {{-1.0, 0.5, 0.5}, {-1.0, 0.5, 0.5}};
    int item, order = 0;
    cn_tree_init(&tree, NULL);
    CHECK(cn_tree_reserve(&tree, ITEMS, ITEMS));
    for (int k = 0; k < ITEMS; ++k) {
        int i = k * 7 % ITEMS; // 7 and 600 have no common factor
        float x = 2.0f * (float)i;
        cn_tree_insert(&tree, i, &(CnFloatBox){{x, 0.0f, 0.0f}, {x + 1.0f, 1.0f, 1.0f}});
    }
    cn_tree_walk_along(&walk, &tree, 1, &eye, cn_ray_make(eye.low, cn_vec3(1e6, 0.0, 0.0)));
    while (cn_tree_walk_next(&walk, &item)) {
        CHECK_INT(item, order);
        ++order;
    }
    CHECK_INT(order, ITEMS);
    cn_tree_walk_along(&walk, &tree, 1, &eye, cn_ray_make(eye.low, cn_vec3(1e6, 0.0, 0.0)));
    CHECK(cn_tree_walk_next(&walk, &item));
    walk.limit = 1.0;
    CHECK(!cn_tree_walk_next(&walk, &item));
    CHECK(walk.node_count <= cn_tree_height(&tree));
    cn_tree_destroy(&tree);
}

TEST_MAIN("unit/collision/broad/tree_walk", TEST(a_walk_finds_all_that_it_may_meet),
          TEST(a_tree_of_any_height_can_be_walked), TEST(an_infinite_box_meets_everything),
          TEST(near_branches_come_first))

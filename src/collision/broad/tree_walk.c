// tree_walk.c - the items of trees of boxes that a box may meet, the nearest branches first.
#include "collision/broad/tree_walk.h"

#include "base/error.h"
#include "math/order.h"

// What round-off may do to a position, relative to the lengths it is made of: some thousand units
// in the last place, so that it never decides what a walk meets.
#define SLACK 1e-12

// The bound of what a pushed box passes by.
#define PASSED_BY (-1.0)

// A component of a direction below this counts as zero: its inverse might overflow.
#define SMALLEST_SLOPE 1e-300

// How far the pushed box goes before it meets another: along each axis they overlap while
// low <= t d <= high, and what they do on all three begins with the last and ends with the first
// (docs/theory/collision/broad_phase.md (6)).
static double bound_along(const CnTreeWalk* walk, const double low[3], const double high[3]) {
    double enter = 0.0, leave = walk->limit;
    for (int i = 0; i < 3; ++i) {
        if (walk->inverse[i] == 0.0) {
            leave = low[i] > 0.0 || high[i] < 0.0 ? -1.0 : leave;
            continue;
        }
        double first = walk->inverse[i] * low[i], last = walk->inverse[i] * high[i];
        enter = cn_larger(enter, cn_smaller(first, last));
        leave = cn_smaller(leave, cn_larger(first, last));
    }
    return enter <= leave ? enter : PASSED_BY;
}

static double bound_around(const double low[3], const double high[3]) {
    double square = 0.0;
    for (int i = 0; i < 3; ++i) {
        double gap = cn_larger(0.0, cn_larger(low[i], -high[i]));
        square += gap * gap;
    }
    return sqrt(square);
}

// No point of the box is nearer than this [m], or PASSED_BY.
static double bound_of(const CnTreeWalk* walk, const CnFloatBox* box) {
    const CnBounds* own = &walk->box;
    const double low[3] = {(double)box->low[0] - own->high.x, (double)box->low[1] - own->high.y,
                           (double)box->low[2] - own->high.z};
    const double high[3] = {(double)box->high[0] - own->low.x, (double)box->high[1] - own->low.y,
                            (double)box->high[2] - own->low.z};
    return walk->pushed ? bound_along(walk, low, high) : bound_around(low, high);
}

static bool is_met(const CnTreeWalk* walk, double bound) {
    return bound != PASSED_BY && bound <= walk->limit;
}

static void push(CnTreeWalk* walk, int tree, int child, double bound) {
    if (is_met(walk, bound)) {
        walk->stops[walk->waiting++] = (CnTreeStop){bound, child, tree};
    }
}

// While a tree of height h is walked no more than h + 1 of its branches wait, and one for each
// other tree.
static bool is_high(const CnTreeWalk* walk, int tree) {
    return cn_tree_height(&walk->trees[tree]) + walk->tree_count > CN_TREE_WALK_STOPS;
}

static double finite_size(double x) {
    return isfinite(x) ? fabs(x) : 0.0;
}

static double largest_coordinate(const CnBounds* box) {
    double xy = cn_larger(cn_larger(finite_size(box->low.x), finite_size(box->high.x)),
                          cn_larger(finite_size(box->low.y), finite_size(box->high.y)));
    return cn_larger(xy, cn_larger(finite_size(box->low.z), finite_size(box->high.z)));
}

static CnBounds bounds_of(const CnFloatBox* box) {
    return (CnBounds){cn_vec3((double)box->low[0], (double)box->low[1], (double)box->low[2]),
                      cn_vec3((double)box->high[0], (double)box->high[1], (double)box->high[2])};
}

static CnBounds grow(const CnBounds* box, double margin) {
    CnVec3 all = cn_vec3(margin, margin, margin);
    return (CnBounds){cn_vec3_sub(box->low, all), cn_vec3_add(box->high, all)};
}

// The nearest root is looked at first.
static void begin(CnTreeWalk* walk, const CnTree* trees, int tree_count, const CnBounds* box) {
    double size = 0.0;
    for (int i = 0; i < tree_count; ++i) {
        if (trees[i].leaf_count > 0) {
            CnBounds root = bounds_of(&trees[i].root_box);
            size = cn_larger(size, largest_coordinate(&root));
        }
    }
    walk->trees = trees;
    walk->tree_count = tree_count;
    walk->box = grow(box, SLACK * (size + largest_coordinate(box)));
    walk->waiting = walk->high_tree = walk->node_count = 0;
    walk->place = CN_TREE_ROOT;
    for (int i = 0; i < tree_count; ++i) {
        if (trees[i].leaf_count > 0 && !is_high(walk, i)) {
            push(walk, i, trees[i].root, bound_of(walk, &trees[i].root_box));
        }
    }
    for (int i = 1; i < walk->waiting; ++i) {
        if (walk->stops[i - 1].bound < walk->stops[i].bound) {
            CnTreeStop nearer = walk->stops[i - 1];
            walk->stops[i - 1] = walk->stops[i];
            walk->stops[i] = nearer;
        }
    }
}

void cn_tree_walk_along(CnTreeWalk* walk, const CnTree* trees, int tree_count, const CnBounds* box,
                        CnRay way) {
    const double direction[3] = {way.direction.x, way.direction.y, way.direction.z};
    for (int i = 0; i < 3; ++i) {
        walk->inverse[i] = fabs(direction[i]) < SMALLEST_SLOPE ? 0.0 : 1.0 / direction[i];
    }
    walk->pushed = true;
    walk->limit = way.length;
    begin(walk, trees, tree_count, box);
}

void cn_tree_walk_around(CnTreeWalk* walk, const CnTree* trees, int tree_count,
                         const CnBounds* box) {
    walk->pushed = false;
    walk->limit = HUGE_VAL;
    begin(walk, trees, tree_count, box);
}

// After everything that hangs in a place: its sibling, or that of the nearest ancestor that has
// one to come; CN_TREE_ABSENT at the end.
static int place_after(const CnTree* tree, int place) {
    while (place != CN_TREE_ROOT && place % 2 == 1) {
        place = tree->nodes.data[place / 2].place;
    }
    return place == CN_TREE_ROOT ? CN_TREE_ABSENT : place + 1;
}

static bool next_in_high_tree(CnTreeWalk* walk, const CnTree* tree, int* item) {
    while (walk->place != CN_TREE_ABSENT) {
        int place = walk->place, child = cn_tree_child_at(tree, place);
        bool meets = is_met(walk, bound_of(walk, cn_tree_box_at(tree, place)));
        if (meets && child >= 0) {
            walk->place = 2 * child;
            ++walk->node_count;
            continue;
        }
        walk->place = place_after(tree, place);
        if (meets) {
            *item = ~child;
            return true;
        }
    }
    return false;
}

static bool next_from_link_to_link(CnTreeWalk* walk, int* item) {
    for (; walk->high_tree < walk->tree_count; ++walk->high_tree) {
        const CnTree* tree = &walk->trees[walk->high_tree];
        if (tree->leaf_count > 0 && is_high(walk, walk->high_tree)) {
            if (next_in_high_tree(walk, tree, item)) {
                return true;
            }
            walk->place = CN_TREE_ROOT;
        }
    }
    return false;
}

bool cn_tree_walk_next(CnTreeWalk* walk, int* item) {
    while (walk->waiting > 0) {
        CnTreeStop stop = walk->stops[--walk->waiting];
        if (stop.bound > walk->limit) {
            continue;
        }
        if (stop.child < 0) {
            *item = ~stop.child;
            return true;
        }
        ++walk->node_count;
        const CnTreeNode* node = &walk->trees[stop.tree].nodes.data[stop.child];
        double bound[2] = {bound_of(walk, &node->box[0]), bound_of(walk, &node->box[1])};
        int near = bound[1] < bound[0];
        CN_ASSERT(walk->waiting + 2 <= CN_TREE_WALK_STOPS);
        push(walk, stop.tree, node->child[1 - near], bound[1 - near]);
        push(walk, stop.tree, node->child[near], bound[near]);
    }
    return next_from_link_to_link(walk, item);
}

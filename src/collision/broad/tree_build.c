// tree_build.c - building a whole tree of boxes at once, from the top down.
#include "base/error.h"
#include "collision/broad/tree.h"

// Enough to find the best cut within a few per cent (Wald 2007).
#define BIN_COUNT 16

typedef struct Bin {
    CnFloatBox box;
    int count;
} Bin;

// Leaves [first, first + count) that become what hangs in a place.
typedef struct LeafRange {
    int first, count, place;
} LeafRange;

// How bins lie along the axis in which the middles of the leaves spread most.
typedef struct Ruler {
    int axis;
    float low;   // twice the smallest middle [m]
    float scale; // bins per length of twice the middle [1/m]; 0: all middles are the same
} Ruler;

static const CnFloatBox nowhere = {{INFINITY, INFINITY, INFINITY},
                                   {-INFINITY, -INFINITY, -INFINITY}};

// Twice the middle: saves a multiplication that no comparison needs.
static float middle(const CnTreeLeaf* leaf, int axis) {
    return leaf->box.low[axis] + leaf->box.high[axis];
}

static Ruler lay_ruler(const CnTreeLeaf* leaves, int count) {
    Ruler ruler = {0};
    float widest = 0.0f;
    for (int axis = 0; axis < 3; ++axis) {
        float low = middle(&leaves[0], axis), high = low;
        for (int i = 1; i < count; ++i) {
            float x = middle(&leaves[i], axis);
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        if (high - low > widest) {
            widest = high - low;
            ruler.axis = axis;
            ruler.low = low;
        }
    }
    float scale = (float)BIN_COUNT / widest;
    ruler.scale = isfinite(widest) && isfinite(scale) ? scale : 0.0f;
    return ruler;
}

static int bin_of(const Ruler* ruler, const CnTreeLeaf* leaf) {
    int bin = (int)((middle(leaf, ruler->axis) - ruler->low) * ruler->scale);
    return bin < BIN_COUNT ? bin : BIN_COUNT - 1;
}

static void fill_bins(const Ruler* ruler, const CnTreeLeaf* leaves, int count, Bin* bins) {
    for (int i = 0; i < BIN_COUNT; ++i) {
        bins[i] = (Bin){nowhere, 0};
    }
    for (int i = 0; i < count; ++i) {
        Bin* bin = &bins[bin_of(ruler, &leaves[i])];
        bin->box = cn_float_box_union(&bin->box, &leaves[i].box);
        ++bin->count;
    }
}

// The cut before bin `result` makes the sum of surface times leaves on both sides smallest
// (docs/theory/collision/broad_phase.md (4)). The first and the last bin are never empty, so some
// cut has leaves on both sides.
static int best_cut(const Bin* bins) {
    float right_cost[BIN_COUNT];
    CnFloatBox box = nowhere;
    int count = 0;
    for (int i = BIN_COUNT - 1; i > 0; --i) {
        box = cn_float_box_union(&box, &bins[i].box);
        count += bins[i].count;
        right_cost[i] = cn_float_box_area(&box) * (float)count;
    }
    float best = INFINITY;
    int cut = BIN_COUNT / 2;
    box = nowhere;
    count = 0;
    for (int i = 1; i < BIN_COUNT; ++i) {
        box = cn_float_box_union(&box, &bins[i - 1].box);
        count += bins[i - 1].count;
        float cost = cn_float_box_area(&box) * (float)count + right_cost[i];
        if (cost < best) {
            best = cost;
            cut = i;
        }
    }
    return cut;
}

// Leaves of the bins before the cut come first; returns how many.
static int partition(const Ruler* ruler, int cut, CnTreeLeaf* leaves, int count) {
    int left = 0, right = count;
    while (left < right) {
        if (bin_of(ruler, &leaves[left]) < cut) {
            ++left;
        } else {
            CnTreeLeaf moved = leaves[left];
            leaves[left] = leaves[--right];
            leaves[right] = moved;
        }
    }
    return left;
}

static int split(CnTreeLeaf* leaves, int count) {
    Ruler ruler = lay_ruler(leaves, count);
    if (count == 2 || ruler.scale == 0.0f) {
        return count / 2;
    }
    Bin bins[BIN_COUNT];
    fill_bins(&ruler, leaves, count, bins);
    int left = partition(&ruler, best_cut(bins), leaves, count);
    return left > 0 && left < count ? left : count / 2;
}

// Nodes are numbered as they are met, a whole branch after the other, so that what is searched
// together lies together. The larger half waits: then no more than log2(count) wait at a time.
static void hang_all(CnTree* tree, int leaf_count) {
    LeafRange waiting[32];
    int wait_count = 0;
    waiting[wait_count++] = (LeafRange){0, leaf_count, CN_TREE_ROOT};
    while (wait_count > 0) {
        LeafRange range = waiting[--wait_count];
        while (range.count > 1) {
            int node = tree->nodes.count++;
            int left = split(&tree->leaves.data[range.first], range.count);
            LeafRange low = {range.first, left, 2 * node};
            LeafRange high = {range.first + left, range.count - left, 2 * node + 1};
            cn_tree_hang(tree, range.place, node, &nowhere); // refit knows the right box
            CN_ASSERT(wait_count < 32);
            waiting[wait_count++] = left > range.count / 2 ? low : high;
            range = left > range.count / 2 ? high : low;
        }
        const CnTreeLeaf* leaf = &tree->leaves.data[range.first];
        cn_tree_hang(tree, range.place, ~leaf->item, &leaf->box);
    }
}

// A small tree keeps the memory it is built with, so that small worlds do not ask for any in the
// middle of a run; a large one is built rarely.
#define FEW_LEAVES_KEPT 1024

bool cn_tree_build(CnTree* tree, const int* items, int count, const CnFloatBox* boxes) {
    if (!cn_array_reserve(&tree->leaves, &tree->allocator, count) ||
        !cn_tree_reserve(tree, tree->place.count, count)) {
        return false;
    }
    for (int i = 0; i < tree->place.count; ++i) {
        tree->place.data[i] = CN_TREE_ABSENT;
    }
    for (int i = 0; i < count; ++i) {
        tree->leaves.data[i] = (CnTreeLeaf){boxes[items[i]], items[i]};
    }
    tree->nodes.count = 0;
    tree->first_free = -1;
    tree->leaf_count = count;
    if (count > 0) {
        hang_all(tree, count);
        cn_tree_refit(tree);
    }
    if (count > FEW_LEAVES_KEPT) {
        cn_array_free(&tree->leaves, &tree->allocator);
    }
    return true;
}

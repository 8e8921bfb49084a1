// box_tree.c - a tree over boxes that never change.
#include "geometry/box_tree.h"

#include "base/memory.h"

typedef struct AxisOrder {
    const CnBounds* boxes;
    int axis;
} AxisOrder;

static double component(CnVec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// Twice the middle of a box along the axis; ties are told apart by number, so that the order is
// strict and every build of the same boxes is the same.
static bool comes_before(const AxisOrder* order, int a, int b) {
    const CnBounds *box_a = &order->boxes[a], *box_b = &order->boxes[b];
    double at_a = component(box_a->low, order->axis) + component(box_a->high, order->axis);
    double at_b = component(box_b->low, order->axis) + component(box_b->high, order->axis);
    return at_a < at_b || (at_a == at_b && a < b);
}

// A step of a linear congruential generator (Knuth's MMIX): pivots from it make the expected time
// of a selection linear whatever the order of the boxes.
static uint64_t next_random(uint64_t* state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static void swap(int* items, int i, int k) {
    int kept = items[i];
    items[i] = items[k];
    items[k] = kept;
}

// Puts the item that is `wanted`-th in the order in its place, smaller ones before it (Hoare).
static void select_item(const AxisOrder* order, int* items, int count, int wanted) {
    int low = 0, high = count - 1;
    uint64_t random = (uint64_t)count;
    while (low < high) {
        swap(items, high, low + (int)(next_random(&random) % (uint64_t)(high - low + 1)));
        int pivot = items[high];
        int place = low;
        for (int i = low; i < high; ++i) {
            if (comes_before(order, items[i], pivot)) {
                swap(items, i, place++);
            }
        }
        swap(items, place, high);
        if (place == wanted) {
            return;
        }
        low = place < wanted ? place + 1 : low;
        high = place < wanted ? high : place - 1;
    }
}

static CnBounds box_of(const CnBounds* boxes, const int* items, int count) {
    CnBounds box = boxes[items[0]];
    for (int i = 1; i < count; ++i) {
        box = cn_bounds_union(&box, &boxes[items[i]]);
    }
    return box;
}

static int longest_axis(const CnBounds* box) {
    CnVec3 edge = cn_vec3_sub(box->high, box->low);
    return edge.x >= edge.y && edge.x >= edge.z ? 0 : edge.y >= edge.z ? 1 : 2;
}

// Items [first, first + count) that become a node; it is the second child of parent, if not -1.
typedef struct ItemRange {
    int first, count, parent;
} ItemRange;

static void build_nodes(CnBoxTree* tree, const CnBounds* boxes, int leaf_size) {
    ItemRange waiting[CN_BOX_TREE_DEPTH + 1];
    int wait_count = 0;
    waiting[wait_count++] = (ItemRange){0, tree->item_count, -1};
    while (wait_count > 0) {
        ItemRange range = waiting[--wait_count];
        int* items = &tree->items[range.first];
        int index = tree->node_count++;
        CnBoxTreeNode* node = &tree->nodes[index];
        node->box = box_of(boxes, items, range.count);
        if (range.parent >= 0) {
            tree->nodes[range.parent].first = index;
        }
        if (range.count <= leaf_size) {
            node->first = range.first;
            node->count = range.count;
            continue;
        }
        int half = range.count / 2;
        AxisOrder order = {boxes, longest_axis(&node->box)};
        select_item(&order, items, range.count, half);
        waiting[wait_count++] = (ItemRange){range.first + half, range.count - half, index};
        waiting[wait_count++] = (ItemRange){range.first, half, -1};
    }
}

// A leaf that was split has more than leaf_size items, so no leaf has fewer than half as many.
static size_t most_nodes(int count, int leaf_size) {
    int least = leaf_size / 2 > 0 ? leaf_size / 2 : 1;
    return 2 * ((size_t)count / (size_t)least + 1);
}

bool cn_box_tree_build(CnBoxTree* tree, const CnBounds* boxes, int count, int leaf_size,
                       const CnAllocator* allocator) {
    *tree = (CnBoxTree){
        .nodes = cn_allocate(allocator, most_nodes(count, leaf_size), sizeof(CnBoxTreeNode)),
        .items = cn_allocate(allocator, (size_t)count, sizeof(int)),
        .item_count = count,
    };
    if (tree->nodes == NULL || tree->items == NULL) {
        cn_box_tree_free(tree, allocator);
        return false;
    }
    for (int i = 0; i < count; ++i) {
        tree->items[i] = i;
    }
    build_nodes(tree, boxes, leaf_size);
    return true;
}

void cn_box_tree_free(CnBoxTree* tree, const CnAllocator* allocator) {
    cn_release(allocator, tree->nodes);
    cn_release(allocator, tree->items);
    *tree = (CnBoxTree){0};
}

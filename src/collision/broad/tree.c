// tree.c - a binary tree of boxes that finds the items whose boxes overlap a given one.
#include "collision/broad/tree.h"

#include "base/error.h"

#define NO_NODE (-1)

_Static_assert(sizeof(CnTreeNode) == 64, "a node fills one cache line");

void cn_tree_init(CnTree* tree, const CnAllocator* allocator) {
    *tree = (CnTree){.first_free = NO_NODE};
    if (allocator != NULL) {
        tree->allocator = *allocator;
    }
}

void cn_tree_destroy(CnTree* tree) {
    cn_array_free(&tree->nodes, &tree->allocator);
    cn_array_free(&tree->place, &tree->allocator);
    cn_array_free(&tree->leaves, &tree->allocator);
    tree->leaf_count = 0;
    tree->first_free = NO_NODE;
}

bool cn_tree_reserve(CnTree* tree, int item_count, int leaf_count) {
    if (!cn_array_reserve(&tree->nodes, &tree->allocator, leaf_count) ||
        !cn_array_reserve(&tree->place, &tree->allocator, item_count)) {
        return false;
    }
    while (tree->place.count < item_count) {
        tree->place.data[tree->place.count++] = CN_TREE_ABSENT;
    }
    return true;
}

bool cn_tree_has(const CnTree* tree, int item) {
    return tree->place.data[item] != CN_TREE_ABSENT;
}

static int parent_of(int place) {
    return place == CN_TREE_ROOT ? NO_NODE : place / 2;
}

static void set_box_at(CnTree* tree, int place, const CnFloatBox* box) {
    if (place == CN_TREE_ROOT) {
        tree->root_box = *box;
    } else {
        tree->nodes.data[place / 2].box[place % 2] = *box;
    }
}

void cn_tree_hang(CnTree* tree, int place, int child, const CnFloatBox* box) {
    if (place == CN_TREE_ROOT) {
        tree->root = child;
    } else {
        tree->nodes.data[place / 2].child[place % 2] = child;
    }
    set_box_at(tree, place, box);
    if (child >= 0) {
        tree->nodes.data[child].place = place;
    } else {
        tree->place.data[~child] = place;
    }
}

static int height_of(const CnTree* tree, int child) {
    return child < 0 ? 0 : tree->nodes.data[child].height;
}

static void measure_height(CnTree* tree, int node) {
    CnTreeNode* n = &tree->nodes.data[node];
    int left = height_of(tree, n->child[0]), right = height_of(tree, n->child[1]);
    n->height = 1 + (left > right ? left : right);
}

// Lets a child of the node change places with a grandchild on the other side when that makes the
// box of the child between them smaller; the node's own box stays what it is
// (docs/theory/collision/broad_phase.md (3)).
static void rotate(CnTree* tree, int node) {
    CnTreeNode* n = &tree->nodes.data[node];
    float best_gain = 0.0f;
    int best_side = -1, best_grandchild = 0;
    for (int side = 0; side < 2; ++side) {
        if (n->child[side] < 0) {
            continue;
        }
        const CnTreeNode* middle = &tree->nodes.data[n->child[side]];
        float area = cn_float_box_area(&n->box[side]);
        for (int k = 0; k < 2; ++k) {
            CnFloatBox swapped = cn_float_box_union(&n->box[1 - side], &middle->box[1 - k]);
            float gain = area - cn_float_box_area(&swapped);
            if (gain > best_gain) {
                best_gain = gain;
                best_side = side;
                best_grandchild = k;
            }
        }
    }
    if (best_side < 0) {
        return;
    }
    int between = n->child[best_side];
    int down = n->child[1 - best_side];
    CnTreeNode* middle = &tree->nodes.data[between];
    int up = middle->child[best_grandchild];
    CnFloatBox down_box = n->box[1 - best_side], up_box = middle->box[best_grandchild];
    cn_tree_hang(tree, 2 * between + best_grandchild, down, &down_box);
    cn_tree_hang(tree, 2 * node + 1 - best_side, up, &up_box);
    n->box[best_side] = cn_float_box_union(&middle->box[0], &middle->box[1]);
    measure_height(tree, between);
}

// Box and height of a node whose children are as they should be; returns the surface.
static float close_node(CnTree* tree, int node) {
    const CnTreeNode* n = &tree->nodes.data[node];
    CnFloatBox both = cn_float_box_union(&n->box[0], &n->box[1]);
    set_box_at(tree, n->place, &both);
    measure_height(tree, node);
    return cn_float_box_area(&both);
}

// Boxes and heights from a changed node to the root, with rotations on the way.
static void refit_ancestors(CnTree* tree, int node) {
    for (; node != NO_NODE; node = parent_of(tree->nodes.data[node].place)) {
        rotate(tree, node);
        close_node(tree, node);
    }
}

// Where a new leaf costs the least (docs/theory/collision/broad_phase.md (2)): a walk down the
// cheaper side, which ends when no place below can beat the best one seen.
static int cheapest_place(const CnTree* tree, const CnFloatBox* box) {
    float leaf = cn_float_box_area(box);
    CnFloatBox both = cn_float_box_union(&tree->root_box, box);
    float grown = cn_float_box_area(&both);
    float inherited = grown - cn_float_box_area(&tree->root_box); // growth of all ancestors
    float best_cost = grown;
    int best = CN_TREE_ROOT;

    for (int node = tree->root; node >= 0;) {
        const CnTreeNode* n = &tree->nodes.data[node];
        float growth[2], bound[2];
        for (int side = 0; side < 2; ++side) {
            both = cn_float_box_union(&n->box[side], box);
            grown = cn_float_box_area(&both);
            growth[side] = grown - cn_float_box_area(&n->box[side]);
            bound[side] = n->child[side] < 0 ? INFINITY : inherited + growth[side] + leaf;
            if (inherited + grown < best_cost) {
                best_cost = inherited + grown;
                best = 2 * node + side;
            }
        }
        int side = bound[1] < bound[0];
        if (bound[side] >= best_cost) {
            break;
        }
        inherited += growth[side];
        node = n->child[side];
    }
    return best;
}

static int take_node(CnTree* tree) {
    int node = tree->first_free;
    if (node != NO_NODE) {
        tree->first_free = tree->nodes.data[node].place;
        return node;
    }
    CN_ASSERT(tree->nodes.count < tree->nodes.capacity);
    return tree->nodes.count++;
}

void cn_tree_insert(CnTree* tree, int item, const CnFloatBox* box) {
    CN_ASSERT(!cn_tree_has(tree, item));
    if (tree->leaf_count++ == 0) {
        cn_tree_hang(tree, CN_TREE_ROOT, ~item, box);
        return;
    }
    int place = cheapest_place(tree, box);
    int sibling = cn_tree_child_at(tree, place);
    CnFloatBox sibling_box = *cn_tree_box_at(tree, place);
    int node = take_node(tree);
    cn_tree_hang(tree, 2 * node, sibling, &sibling_box);
    cn_tree_hang(tree, 2 * node + 1, ~item, box);
    cn_tree_hang(tree, place, node, box); // refit_ancestors() knows the right box
    refit_ancestors(tree, node);
}

void cn_tree_remove(CnTree* tree, int item) {
    CN_ASSERT(cn_tree_has(tree, item));
    int place = tree->place.data[item];
    tree->place.data[item] = CN_TREE_ABSENT;
    --tree->leaf_count;
    if (place == CN_TREE_ROOT) {
        return;
    }
    int node = place / 2;
    CnTreeNode* n = &tree->nodes.data[node];
    int sibling = 1 - place % 2;
    int above = n->place;
    CnFloatBox box = n->box[sibling];
    cn_tree_hang(tree, above, n->child[sibling], &box);
    n->place = tree->first_free;
    tree->first_free = node;
    refit_ancestors(tree, parent_of(above));
}

void cn_tree_set_box(CnTree* tree, int item, const CnFloatBox* box) {
    set_box_at(tree, tree->place.data[item], box);
}

// The node below which no other node hangs that is visited before it.
static int first_below(const CnTree* tree, int node) {
    for (;;) {
        const CnTreeNode* n = &tree->nodes.data[node];
        if (n->child[0] < 0 && n->child[1] < 0) {
            return node;
        }
        node = n->child[0] >= 0 ? n->child[0] : n->child[1];
    }
}

// Children before parents, without a stack: the place of a node says which way it was entered.
static int next_node(const CnTree* tree, int node) {
    int place = tree->nodes.data[node].place;
    int parent = parent_of(place);
    bool sibling_waits =
        parent != NO_NODE && place % 2 == 0 && tree->nodes.data[parent].child[1] >= 0;
    return sibling_waits ? first_below(tree, tree->nodes.data[parent].child[1]) : parent;
}

static int first_node(const CnTree* tree) {
    return tree->leaf_count < 2 ? NO_NODE : first_below(tree, tree->root);
}

static double relative_to_root(const CnTree* tree, double area) {
    return area > 0.0 ? area / (double)cn_float_box_area(&tree->root_box) : 0.0;
}

double cn_tree_refit(CnTree* tree) {
    double area = 0.0;
    for (int node = first_node(tree); node != NO_NODE; node = next_node(tree, node)) {
        area += (double)close_node(tree, node);
    }
    return relative_to_root(tree, area);
}

// Level by level: which node is next does not wait for what the last one says, so that many are
// under way at a time, and no branch depends on a box.
bool cn_tree_query(const CnTree* tree, const CnFloatBox* box, CnTreeQuery* query,
                   const CnAllocator* allocator) {
    if (tree->leaf_count == 0 || !cn_float_box_overlap(&tree->root_box, box)) {
        return true;
    }
    if (tree->root < 0) {
        return cn_array_push(&query->found, allocator, ~tree->root);
    }
    if (!cn_array_reserve(&query->nodes, allocator, tree->leaf_count + 1)) {
        return false;
    }
    CnBoxProbe probe = cn_box_probe(box);
    int* nodes = query->nodes.data;
    int count = 1, found = query->found.count;
    nodes[0] = tree->root;
    for (int i = 0; i < count; ++i) {
        const CnTreeNode* n = &tree->nodes.data[nodes[i]];
        if (found + 2 > query->found.capacity) {
            query->found.count = found;
            if (!cn_array_reserve(&query->found, allocator, found + 2)) {
                return false;
            }
        }
        for (int side = 0; side < 2; ++side) {
            int child = n->child[side], meets = cn_box_probe_meets(&probe, &n->box[side]);
            nodes[count] = child;
            count += meets & (child >= 0);
            query->found.data[found] = ~child;
            found += meets & (child < 0);
        }
    }
    query->found.count = found;
    return true;
}

void cn_tree_query_free(CnTreeQuery* query, const CnAllocator* allocator) {
    cn_array_free(&query->nodes, allocator);
    cn_array_free(&query->found, allocator);
}

int cn_tree_height(const CnTree* tree) {
    return tree->leaf_count == 0 ? 0 : height_of(tree, tree->root);
}

double cn_tree_cost(const CnTree* tree) {
    double area = 0.0;
    for (int node = first_node(tree); node != NO_NODE; node = next_node(tree, node)) {
        area += (double)cn_float_box_area(cn_tree_box_at(tree, tree->nodes.data[node].place));
    }
    return relative_to_root(tree, area);
}

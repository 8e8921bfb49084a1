// tree.h - a binary tree of boxes that finds the items whose boxes overlap a given one.
//
// A node is one cache line: the boxes of its two children and who they are. Leaves are no nodes but
// negative children, so a search reads one line and tests two boxes at every stop. Items are small
// numbers the caller gives out. docs/theory/collision/broad_phase.md.
#pragma once

#include "base/array.h"
#include "collision/broad/float_box.h"

typedef struct CnTreeNode {
    CnFloatBox box[2]; // around each child
    int child[2];      // another node, or ~item
    int place;         // where this node hangs: 2 * parent + side; free nodes: the next free one
    int height;        // longest way down to a leaf; 1 when both children are leaves
} CnTreeNode;

typedef struct CnTreeLeaf {
    CnFloatBox box;
    int item;
} CnTreeLeaf;

typedef struct CnTree {
    CnAllocator allocator;
    CN_ARRAY(CnTreeNode) nodes; // in use or free
    int first_free;             // node, -1: none
    CN_ARRAY(int) place;        // where each item hangs, as in CnTreeNode, or one of those below
    int root;                   // node or ~item; means nothing when leaf_count is 0
    CnFloatBox root_box;
    int leaf_count;
    CN_ARRAY(CnTreeLeaf) leaves; // scratch of cn_tree_build
} CnTree;

#define CN_TREE_ROOT (-1)   // the place of the topmost node or only leaf
#define CN_TREE_ABSENT (-2) // the place of an item that is not in the tree

// What a search needs and finds; keeps its memory. One per thread.
typedef struct CnTreeQuery {
    CN_ARRAY(int) nodes; // that the box meets
    CN_ARRAY(int) found; // items, in no useful order
} CnTreeQuery;

void cn_tree_init(CnTree* tree, const CnAllocator* allocator);
void cn_tree_destroy(CnTree* tree);

// Room for items 0 .. item_count - 1, of which leaf_count are in the tree at a time: with it,
// nothing but a build and a query asks for memory. False: no memory.
bool cn_tree_reserve(CnTree* tree, int item_count, int leaf_count);

bool cn_tree_has(const CnTree* tree, int item);
void cn_tree_insert(CnTree* tree, int item, const CnFloatBox* box);
void cn_tree_remove(CnTree* tree, int item);

// The cheap way for many: set boxes where they hang, then refit all at once. Returns the cost,
// which grows as things move apart that hang together.
void cn_tree_set_box(CnTree* tree, int item, const CnFloatBox* box);
double cn_tree_refit(CnTree* tree);

// Forgets everything and builds the tree of these items anew. boxes: by item. False: no memory,
// and the tree is as it was.
bool cn_tree_build(CnTree* tree, const int* items, int count, const CnFloatBox* boxes);

// Appends the items whose boxes overlap box to query->found. False: no memory.
bool cn_tree_query(const CnTree* tree, const CnFloatBox* box, CnTreeQuery* query,
                   const CnAllocator* allocator);
void cn_tree_query_free(CnTreeQuery* query, const CnAllocator* allocator);

int cn_tree_height(const CnTree* tree); // 0: at most one leaf

// Expected stops of a search: the surfaces of all nodes over that of the root
// (docs/theory/collision/broad_phase.md (1)).
double cn_tree_cost(const CnTree* tree);

// What hangs in a place, and its box.
static inline int cn_tree_child_at(const CnTree* tree, int place) {
    return place == CN_TREE_ROOT ? tree->root : tree->nodes.data[place / 2].child[place % 2];
}

static inline const CnFloatBox* cn_tree_box_at(const CnTree* tree, int place) {
    return place == CN_TREE_ROOT ? &tree->root_box : &tree->nodes.data[place / 2].box[place % 2];
}

// For tree_build.c: hangs a node or leaf in a place, with its box; ancestors are not told.
void cn_tree_hang(CnTree* tree, int place, int child, const CnFloatBox* box);

// box_tree.h - a tree over boxes that never change.
#pragma once

#include "geometry/box.h"

typedef struct CnBoxTreeNode {
    CnBounds box;
    int first; // leaf: its items are items[first .. first + count); else the second child, the
               // first being the next node
    int count; // 0: not a leaf
} CnBoxTreeNode;

typedef struct CnBoxTree {
    CnBoxTreeNode* nodes; // the root first   [node_count]
    int* items;           // [item_count]
    int node_count, item_count;
} CnBoxTree;

// Halves are equal in number, so no way down is longer than this.
#define CN_BOX_TREE_DEPTH 32

// Over boxes[0 .. count), count >= 1, with at most leaf_size items in a leaf; n log n. False: no
// memory.
bool cn_box_tree_build(CnBoxTree* tree, const CnBounds* boxes, int count, int leaf_size,
                       const CnAllocator* allocator);
void cn_box_tree_free(CnBoxTree* tree, const CnAllocator* allocator);

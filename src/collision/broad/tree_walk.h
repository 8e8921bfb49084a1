// tree_walk.h - the items of trees of boxes that a box may meet, the nearest branches first.
//
//     cn_tree_walk_along(&walk, trees, 2, &box, way);
//     while (cn_tree_walk_next(&walk, &item)) { ... walk.limit = how far is far enough; ... }
//
// A walk reads the trees, changes nothing and asks for no memory.
#pragma once

#include "collision/broad/tree.h"
#include "collision/cast/ray.h"

// Branches that can wait at a time. Trees are seldom half as high; those that do not fit are walked
// from link to link instead, which needs no memory but takes near and far branches as they come.
#define CN_TREE_WALK_STOPS 64

// A branch or leaf to be looked at.
typedef struct CnTreeStop {
    double bound; // nothing in it is nearer [m]
    int child;    // node, or ~item
    int tree;
} CnTreeStop;

typedef struct CnTreeWalk {
    const CnTree* trees; // [tree_count]
    int tree_count;
    CnBounds box;      // grown by what round-off may do
    bool pushed;       // false: distances count, not ways
    double inverse[3]; // pushed: 1 / direction; 0 across it
    double limit;      // what is farther does not matter; may shrink on the way [m]
    CnTreeStop stops[CN_TREE_WALK_STOPS];
    int waiting;          // of the stops
    int high_tree, place; // where the walk from link to link is
    int node_count;       // looked at so far
} CnTreeWalk;

// What the box, pushed along the way from where it is, may meet; bounds are lengths along the way,
// and so is the limit, which starts as the length of the way. The box may be infinite.
void cn_tree_walk_along(CnTreeWalk* walk, const CnTree* trees, int tree_count, const CnBounds* box,
                        CnRay way);

// What is around the box; bounds are distances, and the limit starts at infinity.
void cn_tree_walk_around(CnTreeWalk* walk, const CnTree* trees, int tree_count,
                         const CnBounds* box);

// The next item; false at the end.
bool cn_tree_walk_next(CnTreeWalk* walk, int* item);

// linkage_plan.h - a spanning forest of joints: which of them lead to the root, which close loops.
//
// docs/theory/mechanisms.md (1), (2).
#pragma once

#include "base/arena.h"

// Two bodies that a joint connects. -1 is the world, and so is a body that nothing can move.
typedef struct CnLinkageEdge {
    int body_a, body_b;
    int weight; // rows it keeps: edges with more are taken into the forest first
} CnLinkageEdge;

// The most that a weight may be.
#define CN_LINKAGE_WEIGHT_LIMIT 6

// The links of the forest are the bodies that move, numbered by depth: a link comes after its
// parent, and branches that do not depend on each other lie side by side.
typedef struct CnLinkagePlan {
    int link_count;
    int* body;        // of each link   [link_count]
    int* parent;      // link, -1: the world   [link_count]
    int* edge;        // that leads to the parent, -1: none, the link floats   [link_count]
    int* link;        // of each body, -1: it does not move   [body_count]
    int depth;        // links of the longest path
    int loop_count;   // edges that are not in the forest
    int* loops;       // in the order of the edges   [loop_count]
    bool* is_in_tree; // [edge_count]
} CnLinkagePlan;

// Edges with most rows first, ties in their order; the world is the root of all it is connected
// with, the body with the lowest index of the others. Memory from the arena.
CnStatus cn_linkage_plan(int body_count, const bool* moves, int edge_count,
                         const CnLinkageEdge* edges, CnArena* arena, CnLinkagePlan* plan);

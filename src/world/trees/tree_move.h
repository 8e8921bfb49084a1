// tree_move.h - moves the bodies of a tree by twists.
#pragma once

#include "world/trees/tree_store.h"

// Some links of a tree, from where they are, by twists about their centres [m, rad]. What turns
// keeps its spin in body axes: that at the poses of the problem (ahead), or at the end of the step.
void cn_tree_displace(const CnWorld* world, const CnJointTree* tree, int begin, int end,
                      const double (*twist)[6], bool ahead, CnBodyState* states);

// One body, and up to CN_TREE_BODIES, some of them side by side, to the same bits:
// tree_move_lanes.h. Returned are the bits of those that turn far, or are next to one that does;
// these are left to the first function.
typedef struct CnTreeMove {
    CnBodyState* state;
    const double* twist; // [6]
    const CnVec3* spin;  // body axes
} CnTreeMove;
void cn_tree_displace_one(const CnTreeMove* move);
unsigned cn_tree_displace_128(int count, const CnTreeMove* moves);
unsigned cn_tree_displace_256(int count, const CnTreeMove* moves);

// Up to this square of half a turn, seven digits after the leading one, series of two and three
// terms have all digits: what is left out is below 2^-80.
#define CN_SMALL_HALF_TURN 0x1p-24

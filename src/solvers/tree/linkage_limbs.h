// linkage_limbs.h - limbs of a tree of bodies that are factored and solved side by side.
//
// A limb ends in a leaf, and each of its links has one child and one axis at most: arms of robots,
// fingers, single bodies on hinges. Several are passed at a time, one in each lane, aligned at
// their bases. docs/theory/mechanisms.md (49).
#pragma once

#include "base/arena.h"

#define CN_LIMBS 4 // at most so many side by side

// What the way up to the base leaves for the way down, of each lane.
#define CN_LIMB_NUMBERS 22

// What the parent of a base takes: an inertia as CnLinkage has it, and a momentum.
#define CN_LIMB_GIVEN 54

typedef struct CnLimbGroup {
    int count;             // limbs, 2 at least
    int length;            // links of the longest
    int (*link)[CN_LIMBS]; // from the base on, -1: the limb is shorter   [length]
    double (*kept)[CN_LIMB_NUMBERS * CN_LIMBS]; // scratch   [length]
    double (*given)[CN_LIMB_GIVEN]; // scratch: inertia and momentum that the parents of the bases
                                    // take   [count]
} CnLimbGroup;

typedef struct CnLimbs {
    int group_count;
    CnLimbGroup* groups;
    int* place; // of each link: -1: in no limb, -2: in one, else that of the base of a limb, group
                // times CN_LIMBS plus lane; NULL: there are no groups   [link_count]
    bool have_axes; // each link of limbs has its axis: none is held
    int member_count, rest_count;
    int* member; // links of limbs   [member_count]
    int* rest;   // other links and bases of limbs, in their order   [rest_count]
} CnLimbs;

// Memory from the arena. last_child: of each link, -1: none.
CnStatus cn_limbs_find(CnLimbs* limbs, int link_count, const int* parent, const int* first_axis,
                       const int* last_child, CnArena* arena);

// tree_contacts.h - contacts of one tree of joints in the solve of a step, as rows from outside.
//
// They see W = Y Y^T of the tree and of the bodies on no tree that it touches, and are solved by
// Newton steps from the impulses of the last step. docs/theory/mechanisms.md (11), (12), (37).
#pragma once

#include "constraints/tiles/contact_tile.h"
#include "solvers/tree/machine_parts.h"
#include "world/trees/tree_store.h"

typedef struct CnTreeContacts {
    const CnWorld* world;
    CnTileSet tiles;
    CnTileRows rows;   // of the tiles, bodies by index
    CnProblem problem; // these rows
    CnOuterRows outer;
    int* place; // of each body of the island: its link, -1: none, -2 - i: loose body i   [bodies]
    int loose_count;
    int* loose; // movable bodies on no tree   [loose_count]
} CnTreeContacts;

// The contacts of an island whose movable bodies are those of the tree and a few on none. *suits is
// false where there are too many of either. Memory from the arena.
CnStatus cn_tree_contacts_begin(const CnWorld* world, const CnJointTree* tree, int island,
                                CnArena* arena, CnTreeContacts* contacts, bool* suits);

// The impulses of the contacts once the tree is factored and has moved, what they add to `moved`,
// and what they give each link. *found is false where they miss the tolerance.
CnStatus cn_tree_contacts_solve(CnTreeContacts* contacts, const CnJointTree* tree,
                                const CnSolverDef* def, CnArena* arena, CnSolverReport* report,
                                double (*moved)[6], double (*pushed)[6], bool* found);

// Adds what the impulses give each link.
void cn_tree_contacts_push(const CnTreeContacts* contacts, double (*momentum)[6]);

// Impulses to their tiles, velocities of loose bodies to the step.
void cn_tree_contacts_hand_over(const CnTreeContacts* contacts, CnStep* step);

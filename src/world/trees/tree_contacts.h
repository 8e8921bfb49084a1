// tree_contacts.h - contacts of one tree of joints, as rows from outside.
//
// In the solve of a step and in corrections of positions they see W = Y Y^T of the tree and of the
// bodies on no tree that it touches, and are solved by Newton steps from the impulses of the last
// step. docs/theory/mechanisms.md (11), (12), (37), (54), (55).
#pragma once

#include "constraints/tiles/contact_tile.h"
#include "solvers/tree/machine_parts.h"
#include "world/trees/tree_store.h"

typedef struct CnTreeContacts {
    const CnWorld* world;
    CnTileSet tiles;   // of an island in a step
    CnProblem problem; // the rows, bodies by index
    CnOuterRows outer;
    int* place; // of each body of the island: its link, -1: none, -2 - i: loose body i   [bodies]
    int loose_count;
    int* loose; // movable bodies on no tree   [loose_count]
} CnTreeContacts;

// The contacts of an island whose movable bodies are those of the tree and a few on none. *suits is
// false where there are too many of either. Memory from the arena.
CnStatus cn_tree_contacts_begin(const CnWorld* world, const CnJointTree* tree, int island,
                                CnArena* arena, CnTreeContacts* contacts, bool* suits);

// The same for the rows of any problem whose bodies are those of the step, and a list of bodies
// that take part. impulse: the guess, and the answer. The tree's joints stand where it was read
// last.
CnStatus cn_tree_contacts_take(const CnWorld* world, const CnJointTree* tree,
                               const CnProblem* problem, double* impulse, CnIndexList bodies,
                               CnArena* arena, CnTreeContacts* contacts, bool* suits);

// The impulses of the contacts once the tree is factored and has moved, what they add to `moved`,
// and what they give each link. *found is false where they miss the tolerance.
CnStatus cn_tree_contacts_solve(CnTreeContacts* contacts, const CnJointTree* tree,
                                const CnSolverDef* def, CnArena* arena, CnSolverReport* report,
                                double (*moved)[6], double (*pushed)[6], bool* found);

// Adds what the impulses give each link.
void cn_tree_contacts_push(const CnTreeContacts* contacts, double (*momentum)[6]);

// The velocity of a loose body: its free one, and what the impulses lead to.
void cn_tree_contacts_move_loose(const CnTreeContacts* contacts, int loose, double velocity[6]);

// Impulses to their tiles, velocities of loose bodies to the step.
void cn_tree_contacts_hand_over(const CnTreeContacts* contacts, CnStep* step);

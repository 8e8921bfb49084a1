// box_pairs.h - contact points of many pairs of boxes at once.
#pragma once

#include "collision/collide.h"
#include "collision/sat/polyhedron.h"

typedef struct CnBoxPair {
    const CnPlacedPolyhedron *a, *b; // boxes
    double margin;                   // largest gap that counts [m]
} CnBoxPair;

typedef struct CnBoxContact {
    CnManifoldPoint* points; // of the caller   [CN_MANIFOLD_POINTS]
    int count;               // cn_collide_boxes: those that were found
} CnBoxContact;

// Fills contacts[count]; of those with any point all four places may be written to. A pair gets the
// same bits whichever others it is given with, on whichever machine; and as cn_collide() does, with
// its boxes swapped the same points with opposite normals. docs/theory/collision/sat.md, "Two
// boxes".
void cn_collide_boxes(const CnBoxPair* pairs, int count, CnBoxContact* contacts);

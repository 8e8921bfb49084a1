// box_pairs.h - contact points of many pairs of boxes at once.
#pragma once

#include "collision/collide.h"
#include "collision/pair_set.h"
#include "math/mat3.h"

// A box as all its pairs need it: made once per step.
typedef struct CnPlacedBox {
    CnMat3 axes;   // its own, as columns, in the world
    CnVec3 half;   // half edges [m]
    CnVec3 center; // [m]
    double size;   // its extent [m]
    CnPlacedShape placed;
} CnPlacedBox;

CnPlacedBox cn_box_place(CnPlacedShape box);

static inline CnVec3 cn_box_axis(const CnPlacedBox* box, int k) {
    return cn_vec3(box->axes.m[0][k], box->axes.m[1][k], box->axes.m[2][k]);
}

typedef struct CnBoxPair {
    const CnPlacedBox *a, *b;
    double margin;        // largest gap that counts [m]
    CnPairMemory* memory; // a direction that parted them before; may be NULL
} CnBoxPair;

typedef struct CnBoxContact {
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    int count;
} CnBoxContact;

// Fills contacts[count]. A pair gets the same bits whichever others it is given with, whatever it
// remembers, on whichever machine; and as cn_collide() does, with its boxes swapped the same points
// with opposite normals. docs/theory/sat.md, "Two boxes".
void cn_collide_boxes(const CnBoxPair* pairs, int count, CnBoxContact* contacts);

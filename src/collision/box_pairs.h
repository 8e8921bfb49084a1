// box_pairs.h - contact points of many pairs of boxes at once.
#pragma once

#include "collision/collide.h"

// A box as all its pairs need it: made once per step.
typedef struct CnPlacedBox {
    double center[4];  // and behind it the box's extent [m]
    double axes[3][4]; // its own in the world, and behind each the half edge along it [m]
    float rough[3][4]; // axes, rounded
    const CnPlacedShape* shape;
    double unused; // fills the third cache line
} CnPlacedBox;

// The shape must live as long. Boxes are three cache lines long and should begin with one.
CnPlacedBox cn_box_place(const CnPlacedShape* shape);

static inline CnVec3 cn_box_axis(const CnPlacedBox* box, int k) {
    return cn_vec3(box->axes[k][0], box->axes[k][1], box->axes[k][2]);
}

static inline CnVec3 cn_box_center(const CnPlacedBox* box) {
    return cn_vec3(box->center[0], box->center[1], box->center[2]);
}

static inline double cn_box_size(const CnPlacedBox* box) {
    return box->center[3];
}

typedef struct CnBoxPair {
    const CnPlacedBox *a, *b;
    double margin; // largest gap that counts [m]
} CnBoxPair;

typedef struct CnBoxContact {
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    int count;
} CnBoxContact;

// Fills contacts[count]. A pair gets the same bits whichever others it is given with, on whichever
// machine; and as cn_collide() does, with its boxes swapped the same points with opposite normals.
// docs/theory/sat.md, "Two boxes".
void cn_collide_boxes(const CnBoxPair* pairs, int count, CnBoxContact* contacts);

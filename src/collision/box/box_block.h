// box_block.h - a few pairs of boxes side by side: input and results.
#pragma once

#include "collision/box/box_pairs.h"

#include <string.h>

// Differences below this fraction of the smaller box's size may be round-off, which must not decide
// a choice: a thousand times what rotating two boxes of that size changes. Where the larger box is
// more than a hundred times as large, a fraction of its size: ten times what rotating it changes.
#define CN_BOX_ROUND_OFF 1e-12
#define CN_LARGER_BOX_ROUND_OFF 1e-14

// A double of this much plus a whole number below 2^32 has that number as its low bits, which saves
// a conversion.
#define CN_INTEGER_BASE 0x1p52

static inline uint32_t cn_integer_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (uint32_t)bits;
}

#define CN_BLOCK 4 // pairs at most: as many as the widest registers hold

// Candidates for contact points: corners of the part of the incident face that lies over the
// reference face, where each of its edges begins there (a vertex, or where it enters), where it
// leaves, and the vertices of the reference face under it (bit 0: high u, bit 1: high v); and maybe
// one deeper than all of these.
typedef enum CnBoxCorner {
    CN_BEGINS,
    CN_LEAVES = 4,
    CN_COVERED = 8,
    CN_BOX_CORNERS = 12,
    CN_DEEPEST = CN_BOX_CORNERS,
    CN_BOX_CANDIDATES
} CnBoxCorner;

typedef enum CnBoxContactKind {
    CN_BOXES_APART,    // by more than the margin
    CN_BOXES_ON_FACES, // with the normal of a face, or of edges that lean little from it
    CN_BOXES_ON_EDGES, // in one point, where two edges cross
    CN_BOXES_DISJOINT  // their nearest points are not where the best axis would have them
} CnBoxContactKind;

// First is the box that cn_pair_is_reversed() wants first. Whole numbers are kept as doubles, those
// marked (+) as cn_integer_of() reads them.
typedef struct CnBoxBlock {
    // Input. Aligned to a cache line, so that no load crosses two.
    _Alignas(64) const CnPlacedPolyhedron* boxes[2][CN_BLOCK]; // A, B
    double margin[CN_BLOCK];                                   // [m]
    CnBoxContact* contacts[CN_BLOCK];                          // [count]

    // Found for all that are not apart.
    double size[CN_BLOCK];      // of the smaller box [m]
    double first[CN_BLOCK];     // which box is first (+)
    double meeting[CN_BLOCK];   // CnBoxContactKind
    double least_gap[CN_BLOCK]; // along the normal of the contact [m]
    double owner[CN_BLOCK];     // which box has the reference face (+)
    double axis[CN_BLOCK];      // of that face (+)
    double outward[CN_BLOCK];   // 1 or -1 times the axis is its normal
    double normal[3][CN_BLOCK]; // of the contact, unit, from A to B, along u, v and outward

    // Candidates. Where edges cross the point is CN_DEEPEST.
    int64_t kept[CN_BLOCK];                // those within the margin, one bit each
    double u[CN_BOX_CANDIDATES][CN_BLOCK]; // from the middle of the reference face, along the axes
    double v[CN_BOX_CANDIDATES][CN_BLOCK]; // after its own in the order x y z x [m]
    double height[CN_BOX_CANDIDATES][CN_BLOCK]; // over it; points are half as high [m]
    double gap[CN_BOX_CANDIDATES][CN_BLOCK];    // [m]; HUGE_VAL: is none
    double keys[CN_BOX_CANDIDATES][CN_BLOCK];   // cn_feature_key() (+)

    int count; // of pairs; those after them repeat some pair
} CnBoxBlock;

// Before the first pairs are added. Zero the unused lanes: denormals there would slow the whole
// register.
static inline void cn_box_block_start(CnBoxBlock* block) {
    memset(block->u[CN_DEEPEST], 0, sizeof block->u[CN_DEEPEST]);
    memset(block->v[CN_DEEPEST], 0, sizeof block->v[CN_DEEPEST]);
    memset(block->height[CN_DEEPEST], 0, sizeof block->height[CN_DEEPEST]);
    memset(block->gap[CN_DEEPEST], 0, sizeof block->gap[CN_DEEPEST]);
    memset(block->keys[CN_DEEPEST], 0, sizeof block->keys[CN_DEEPEST]);
    block->count = 0;
}

// One text (box_contact_lanes.h, box_rough_lanes.h) for every width of registers; the same bits.
//
// Finds and writes the contacts of a block, except those with more than four candidates: these are
// copied to `waiting`, and four are chosen when that is full, or by cn_box_flush at the end.
void cn_box_block_128(CnBoxBlock* block, CnBoxBlock* waiting);
void cn_box_block_256(CnBoxBlock* block, CnBoxBlock* waiting); // takes AVX2
void cn_box_flush_128(CnBoxBlock* waiting);
void cn_box_flush_256(CnBoxBlock* waiting);

#define CN_ROUGH_BLOCK 8 // pairs that are looked at together first

// Pairs that are certainly farther apart than their margin, one bit each. Others may be, too.
unsigned cn_boxes_apart_128(const CnBoxPair pairs[CN_ROUGH_BLOCK]);
unsigned cn_boxes_apart_256(const CnBoxPair pairs[CN_ROUGH_BLOCK]);

// Writes the contact of the pair in lane i, of which `first` goes first, as that of two hulls:
// disjoint boxes whose nearest points are corners, or edges beside faces. Rare.
void cn_box_points_of_disjoint(const CnBoxBlock* found, int i, int first);

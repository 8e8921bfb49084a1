// box_block.h - a few pairs of boxes side by side: what is asked and what is found.
#pragma once

#include "collision/box_pairs.h"

#define CN_BLOCK 4 // pairs at most: as many as the widest registers hold

// Corners of the part of the incident face that lies over the reference face: where each of its
// edges begins there (a vertex, or where it enters), where it leaves, and the vertices of the
// reference face under it (bit 0: high u, bit 1: high v).
typedef enum CnBoxCorner {
    CN_BEGINS,
    CN_LEAVES = 4,
    CN_COVERED = 8,
    CN_BOX_CORNERS = 12
} CnBoxCorner;

typedef enum CnBoxMeeting {
    CN_BOXES_APART,    // by more than the margin
    CN_BOXES_ON_FACES, // with the normal of a face, or of edges that lean little from it
    CN_BOXES_ON_EDGES, // in one point, where two edges cross
    CN_BOXES_DISJOINT  // their nearest points are not where the best axis would have them
} CnBoxMeeting;

// First is the box that cn_pair_is_reversed() wants first. Whole numbers are kept as doubles.
typedef struct CnBoxBlock {
    int count; // of pairs; those after them repeat some pair

    // What is asked.
    const CnPlacedBox *a[CN_BLOCK], *b[CN_BLOCK];
    double margin[CN_BLOCK]; // [m]

    // Found for all.
    double reversed[CN_BLOCK];  // 1: first is B
    double meeting[CN_BLOCK];   // CnBoxMeeting
    double axis[CN_BLOCK];      // of those apart, that parts them: 0..2 of the first, 3..5 of the
                                // second, or 6 + 3 i + j, the cross product of axis i of the first
                                // and j of the second
    double least_gap[CN_BLOCK]; // along the normal of the contact [m]
    double lean[CN_BLOCK];      // cosine of its angle with that of the better face

    // Found where edges cross.
    double crossed[CN_BLOCK];   // 1: they give the normal, whatever gives the points
    double normal[3][CN_BLOCK]; // unit, from the first to the second, in the first's axes
    double point[3][CN_BLOCK];  // in the first's frame [m]
    double key[CN_BLOCK];       // cn_meeting_key()

    // Found where a face meets a face.
    double reference[CN_BLOCK];         // face of the first, or 6 + face of the second
    double corners[CN_BLOCK];           // that there are, one bit each
    double u[CN_BOX_CORNERS][CN_BLOCK]; // from the middle of the reference face, along the axes
    double v[CN_BOX_CORNERS][CN_BLOCK]; // after its own in the order x y z x [m]
    double height[CN_BOX_CORNERS][CN_BLOCK]; // over it [m]
    double keys[CN_BOX_CORNERS][CN_BLOCK];   // cn_meeting_key()
} CnBoxBlock;

// One text (box_lanes.h) for two widths of registers; the same bits.
void cn_box_block_128(CnBoxBlock* block);
void cn_box_block_256(CnBoxBlock* block); // takes AVX2

// box_points.h - contact points of two boxes that are rare, one pair at a time.
#pragma once

#include "collision/box_block.h"

// Looks for the deepest point of the pair in lane i, which no corner over the face is, and adds it
// to the candidates, or finds that the boxes are disjoint.
void cn_box_add_deepest(CnBoxBlock* found, int i);

// The candidate CN_DEEPEST of lane i. Not a copy in line: that might take registers of 512 bits.
void cn_box_copy_deepest(const CnBoxBlock* found, int i, CnManifoldPoint* point);

// Writes the contact of the pair in lane i: corners near corners, and edges near faces.
void cn_box_points_of_disjoint(const CnBoxBlock* found, int i);

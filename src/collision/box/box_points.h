// box_points.h - contact points of two boxes that are rare, one pair at a time.
#pragma once

#include "collision/box/box_block.h"

// Writes the contact of the pair in lane i, of which `first` is told first: corners near corners,
// and edges near faces.
void cn_box_points_of_disjoint(const CnBoxBlock* found, int i, int first);

// box_points.h - contact points of two boxes from what was found out about them in a block.
#pragma once

#include "collision/box_block.h"

// Of the pair in lane i, which is not apart; returns how many.
int cn_box_points(const CnBoxBlock* found, int i, CnManifoldPoint points[CN_MANIFOLD_POINTS]);

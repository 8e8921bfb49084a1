// choose_line.h - lines through points in a plane, one in each lane.
#pragma once

#include "math/simd.h"

typedef struct Spot {
    CnLanes x, y; // [m]
} Spot;

// A line through two points. The doubled area of its triangle with a point to its left, over the
// size, is a x + b y + c [m].
typedef struct Line {
    CnLanes a, b, c;
} Line;

CN_LANE_FUNCTION Line line_through(Spot from, Spot to, CnLanes scale) {
    CnLanes a = scale * (from.y - to.y), b = scale * (to.x - from.x);
    return (Line){a, b, -a * from.x - b * from.y};
}

CN_LANE_FUNCTION CnLanes left_of(const Line* line, Spot spot) {
    return line->a * spot.x + line->b * spot.y + line->c;
}

// The scale of lines to whose left is what is outside a triangle, where `turn` is to the left of
// its first side: outside is to the right of its sides if they turn left.
CN_LANE_FUNCTION CnLanes scale_outside(CnLanes scale, CnLanes turn) {
    return cn_lanes_times_sign(-scale, turn);
}

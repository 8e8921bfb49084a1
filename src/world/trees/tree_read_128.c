// tree_read_128.c - joints of a tree and stars of loops, two numbers at a time, for any processor.
#define CN_LANES 2
#define CN_LANE_TARGET
#include "world/trees/tree_move_lanes.h"
#include "world/trees/tree_read_lanes.h"
#include "world/trees/tree_star_lanes.h"

const CnLoopPasses cn_loop_passes_128 = LOOP_PASSES;

CN_LANE_TARGET unsigned cn_tree_read_128(int count, const CnTreeReading* readings, unsigned what,
                                         const CnBodyState* states, double* worst) {
    return read_all(count, readings, what, states, worst);
}

CN_LANE_TARGET void cn_tree_turn_128(int count, const CnTreeTensor* tensors) {
    turn_all(count, tensors);
}

void cn_tree_twists_128(int count, const CnTreeReading* readings, const CnBodyState* states) {
    find_twists(count, readings, states);
}

unsigned cn_tree_displace_128(int count, const CnTreeMove* moves) {
    return displace_all(count, moves);
}

// tree_read_256.c - joints of a tree and stars of loops, four numbers at a time, with AVX2.
#if defined(__x86_64__)
#define CN_LANES 4
#define CN_LANE_TARGET __attribute__((target("avx2")))
#include "world/trees/tree_move_lanes.h"
#include "world/trees/tree_read_lanes.h"
#include "world/trees/tree_star_lanes.h"

const CnLoopPasses cn_loop_passes_256 = LOOP_PASSES;

CN_LANE_TARGET unsigned cn_tree_read_256(int count, const CnTreeReading* readings, unsigned what,
                                         const CnBodyState* states, double* worst) {
    return read_all(count, readings, what, states, worst);
}

CN_LANE_TARGET void cn_tree_turn_256(int count, const CnTreeTensor* tensors) {
    turn_all(count, tensors);
}
CN_LANE_TARGET void cn_tree_twists_256(int count, const CnTreeReading* readings,
                                       const CnBodyState* states) {
    find_twists(count, readings, states);
}

CN_LANE_TARGET unsigned cn_tree_displace_256(int count, const CnTreeMove* moves) {
    return displace_all(count, moves);
}
#endif

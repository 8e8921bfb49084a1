// box_block_masked.c - pairs of boxes four at a time, for processors with AVX-512.
//
// With registers of 256 bits: of those there are twice as many as with AVX2, and others for
// answers. After a burst of work in registers of 512 bits some processors run slower for longer
// than the burst takes.
#if defined(__x86_64__)
#define CN_LANES 4
#define CN_LANE_MASKS
#define CN_LANE_TARGET __attribute__((target("avx512f,avx512dq,avx512vl")))
#include "collision/box/box_lanes.h"
#include "collision/box/box_rough.h"

CN_LANE_TARGET void cn_box_block_masked(CnBoxBlock* block, CnBoxBlock* waiting) {
    collide_block(block, waiting);
}

CN_LANE_TARGET void cn_box_settle_masked(CnBoxBlock* waiting) {
    settle_block(waiting);
}

CN_LANE_TARGET unsigned cn_boxes_apart_masked(const CnBoxPair pairs[CN_ROUGH_BLOCK]) {
    return find_apart(pairs);
}
#endif

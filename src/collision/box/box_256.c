// box_256.c - pairs of boxes four at a time, for processors with AVX2.
#if defined(__x86_64__)
#define CN_LANES 4
#define CN_LANE_TARGET __attribute__((target("avx2")))
#include "collision/box/box_contact_lanes.h"
#include "collision/box/box_rough_lanes.h"

CN_LANE_TARGET void cn_box_block_256(CnBoxBlock* block, CnBoxBlock* waiting) {
    collide_block(block, waiting);
}

CN_LANE_TARGET void cn_box_flush_256(CnBoxBlock* waiting) {
    flush_block(waiting);
}

CN_LANE_TARGET unsigned cn_boxes_apart_256(const CnBoxPair pairs[CN_ROUGH_BLOCK]) {
    return find_apart(pairs);
}
#endif

// box_block_256.c - pairs of boxes four at a time, for processors with AVX2.
#if defined(__x86_64__)
#define CN_LANES 4
#define CN_LANE_TARGET __attribute__((target("avx2")))
#include "collision/box_lanes.h"

CN_LANE_TARGET void cn_box_block_256(CnBoxBlock* block) {
    collide_block(block);
}
#endif

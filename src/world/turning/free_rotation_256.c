// free_rotation_256.c - free turns of bodies, four at a time, with AVX2.
#if defined(__x86_64__)
#define CN_LANES 4
#define CN_LANE_TARGET __attribute__((target("avx2")))
#include "world/turning/free_rotation_lanes.h"

CN_LANE_TARGET void cn_free_rotations_256(int count, double h, CnFreeTurn* turns) {
    turn_all(count, h, turns);
}
#endif

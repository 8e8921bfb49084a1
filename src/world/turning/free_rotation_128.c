// free_rotation_128.c - free turns of bodies, two at a time, for any processor.
#define CN_LANES 2
#define CN_LANE_TARGET
#include "world/turning/free_rotation_lanes.h"

CN_LANE_TARGET void cn_free_rotations_128(int count, double h, CnFreeTurn* turns) {
    turn_all(count, h, turns);
}

// moving.c - bodies that only gravity and contacts move: which registers they are taken in.
#include "world/moving/moving.h"

#include "math/simd.h"

const CnMovingLanes* cn_moving_lanes(void) {
    return CN_WIDEST(cn_moving);
}

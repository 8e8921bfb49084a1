// tile_256.c - tiles four points at a time, for processors with AVX2.
#if defined(__x86_64__)
#define CN_LANES 4
#define CN_LANE_TARGET __attribute__((target("avx2")))
#include "constraints/tiles/single_lanes.h"

const CnTileFunctions cn_tile_functions_256 = {
    prepare, push, worst, grade, book, find_holds, relax, prepare_singles, look_at_singles};
#endif

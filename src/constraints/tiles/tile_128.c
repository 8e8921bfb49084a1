// tile_128.c - tiles two points at a time, for every processor.
#define CN_LANES 2
#define CN_LANE_TARGET
#include "constraints/tiles/single_lanes.h"

const CnTileFunctions cn_tile_functions_128 = {
    prepare, push, worst, grade, book, find_holds, relax, prepare_singles, look_at_singles};

// polyhedron_128.c - polyhedra seen by each other and by the world, for any processor.
#define CN_LANES 2
#define CN_LANE_TARGET
#include "collision/polyhedron_lanes.h"

const CnPolyhedronFunctions cn_polyhedron_functions_128 = {see, write};

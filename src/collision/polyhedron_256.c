// polyhedron_256.c - polyhedra seen by each other and by the world, with AVX2.
#if defined(__x86_64__)
#define CN_LANES 4
#define CN_LANE_TARGET __attribute__((target("avx2")))
#include "collision/polyhedron_lanes.h"

const CnPolyhedronFunctions cn_polyhedron_functions_256 = {see, write};
#endif

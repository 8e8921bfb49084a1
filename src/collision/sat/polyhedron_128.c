// polyhedron_128.c - polyhedra as they see each other, for any processor.
#define CN_LANES 2
#define CN_LANE_TARGET
#include "collision/sat/polyhedron_lanes.h"

CN_LANE_TARGET void cn_see_128(CnSight a, CnSight b, CnRelativePose seen[2]) {
    see(a, b, seen);
}

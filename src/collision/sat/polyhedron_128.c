// polyhedron_128.c - relative poses of polyhedra, for any processor.
#define CN_LANES 2
#define CN_LANE_TARGET
#include "collision/sat/polyhedron_lanes.h"

CN_LANE_TARGET void cn_relative_poses_128(CnPolyhedronPose a, CnPolyhedronPose b,
                                          CnRelativePose seen[2]) {
    see(a, b, seen);
}

// polyhedron_256.c - relative poses of polyhedra, with AVX2.
#if defined(__x86_64__)
#define CN_LANES 4
#define CN_LANE_TARGET __attribute__((target("avx2")))
#include "collision/sat/polyhedron_lanes.h"

CN_LANE_TARGET void cn_relative_poses_256(CnPolyhedronPose a, CnPolyhedronPose b,
                                          CnRelativePose seen[2]) {
    see(a, b, seen);
}
#endif

// soft_256.c - soft contacts eight manifolds at a time, for processors with AVX2.
#if defined(__x86_64__)
#define CN_SOFT_WIDTH 8
#define CN_LANES 4
#define CN_LANE_TARGET __attribute__((target("avx2")))
#include "solvers/soft/soft_lanes.h"

#include "solvers/soft/soft_joint_lanes.h"

const CnSoftKernels cn_soft_kernels_256 = {
    prepare, note_approach, warm_start, push, relax, bounce, begin, go_on, advance, observe, judge};

const CnSoftJointKernels cn_soft_joint_kernels_256 = {
    refresh_joints,    open_joints, close_joints, shift_joints,
    warm_start_joints, push_joints, relax_joints};
#endif

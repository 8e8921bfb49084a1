// soft_128.c - soft contacts four manifolds at a time, for every processor.
#define CN_SOFT_WIDTH 4
#define CN_LANES 2
#define CN_LANE_TARGET
#include "solvers/soft/soft_lanes.h"

#include "solvers/soft/soft_joint_lanes.h"

const CnSoftKernels cn_soft_kernels_128 = {
    prepare, note_approach, warm_start, push, relax, bounce, begin, go_on, advance, observe, judge};

const CnSoftJointKernels cn_soft_joint_kernels_128 = {
    refresh_joints,    open_joints, close_joints, shift_joints,
    warm_start_joints, push_joints, relax_joints};

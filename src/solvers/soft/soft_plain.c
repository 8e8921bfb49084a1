// soft_plain.c - soft contacts one manifold at a time: to read, to step through, to compare with.
#define CN_SOFT_WIDTH 1
#include "solvers/soft/soft_lanes.h"

#include "solvers/soft/soft_joint_lanes.h"

const CnSoftKernels cn_soft_kernels_plain = {
    prepare, note_approach, warm_start, push, relax, bounce, begin, go_on, advance, observe, judge};

const CnSoftJointKernels cn_soft_joint_kernels_plain = {
    refresh_joints,    open_joints, close_joints, shift_joints,
    warm_start_joints, push_joints, relax_joints};

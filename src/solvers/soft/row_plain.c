// row_plain.c - rows one block at a time: to read, to step through, to compare with.
#define CN_SOFT_WIDTH 1
#include "solvers/soft/row_lanes.h"

const CnRowKernels cn_row_kernels_plain = {sweep};

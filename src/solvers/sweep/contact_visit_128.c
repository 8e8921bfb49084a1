// contact_visit_128.c - contacts two at a time, for every processor.
#define CN_LANES 2
#define CN_LANE_TARGET
#include "solvers/sweep/contact_visit_lanes.h"

const CnGroupFunctions cn_group_functions_128 = {visit, extrapolate};

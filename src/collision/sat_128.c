// sat_128.c - the best axis of two convex polyhedra, two faces at a time, for any processor.
#define CN_LANES 2
#define CN_LANE_TARGET
#include "collision/sat_edge_lanes.h"
#include "collision/sat_face_lanes.h"

const CnSatFunctions cn_sat_functions_128 = {best_face, best_edges};

// face_points_128.c - contact points of faces two at a time, for any processor.
#define CN_LANES 2
#define CN_LANE_TARGET
#include "collision/hull/manifold_lanes.h"

const CnFaceFunctions cn_face_functions_128 = {cut, choose};
const CnContactFunctions cn_contact_functions_128 = {put_faces, keep, write_kept, make};

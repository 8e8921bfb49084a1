// face_points_256.c - contact points of faces four at a time, for processors with AVX2.
#if defined(__x86_64__)
#define CN_LANES 4
#define CN_LANE_TARGET __attribute__((target("avx2")))
#include "collision/hull/manifold_lanes.h"

const CnFaceFunctions cn_face_functions_256 = {cut, choose};
const CnContactFunctions cn_contact_functions_256 = {put_faces, keep, write_kept, make};
#endif

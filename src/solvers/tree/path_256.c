// path_256.c - products of rows with coordinates along paths, with AVX2.
#if defined(__x86_64__)
#define CN_LANES 4
#define CN_LANE_TARGET __attribute__((target("avx2")))
#include "solvers/tree/path_lanes.h"

const CnPathProducts cn_path_products_256 = PATH_PRODUCTS;
#endif

// path_128.c - products of rows with coordinates along paths, for any processor.
#define CN_LANES 2
#define CN_LANE_TARGET
#include "solvers/tree/path_lanes.h"

const CnPathProducts cn_path_products_128 = PATH_PRODUCTS;

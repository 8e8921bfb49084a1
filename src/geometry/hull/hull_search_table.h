// hull_search_table.h - the searches of hull_search.h for each width of registers.
#pragma once

#include "geometry/hull/hull_search.h"

typedef struct CnHullSearch {
    double (*lowest)(const CnHull* hull, CnVec3 direction, int* vertex);
    int (*facing)(const CnHull* hull, CnVec3 direction, double tie);
    int (*facings)(const CnHull* hull, int first, CnVec3 direction, double facings[CN_HULL_BLOCK]);
} CnHullSearch;

// One text (hull_search_lanes.h) for both; the same bits.
extern const CnHullSearch cn_hull_search_128;
extern const CnHullSearch cn_hull_search_256; // takes AVX2

// series.h - a quantity given at points in time, straight lines between, constant outside.
#pragma once

#include "cairn/base.h"

typedef struct CnSeriesId {
    uint32_t index, generation; // all zero: none
} CnSeriesId;

typedef struct CnSeriesDef {
    const char* name;     // shown in messages; copied, may be NULL
    int count;            // at least 1
    const double* times;  // strictly increasing [s]   [count]
    const double* values; // in the unit of what they drive   [count]
} CnSeriesDef;

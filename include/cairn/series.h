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

// From a text file with a time and a value to a line, blanks or a comma between them; `#` begins a
// comment, and the first line may be words. "-" is standard input. A bad line is refused as
// "file:line: ...". The samples are the caller's, to be given back with cn_series_free().
CN_API CnStatus cn_series_load(const char* path, CnSeriesDef* def, CnError* error);
CN_API void cn_series_free(CnSeriesDef* def);

// A series at a time, exact for its straight lines.
typedef struct CnSeriesReading {
    double value;
    double derivative;      // at a sample that of the line that begins there; 0 outside [1/s]
    double integral;        // from the first sample on [s]
    double second_integral; // of the integral, from the first sample on [s^2]
} CnSeriesReading;

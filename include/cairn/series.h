// series.h - a quantity as a function of time: points with straight lines between, or a formula.
#pragma once

#include "cairn/base.h"

typedef struct CnSeriesId {
    uint32_t index, generation; // all zero: none
} CnSeriesId;

typedef enum CnSeriesKind {
    CN_SERIES_TABLE, // straight lines between points, constant outside
    CN_SERIES_SINE,
    CN_SERIES_RAMP,
    CN_SERIES_PULSE,
    CN_SERIES_KIND_COUNT
} CnSeriesKind;

// offset + amplitude sin(2 pi frequency t + phase), at all times.
typedef struct CnSineDef {
    double amplitude, offset; // in the unit of what the series drives
    double frequency;         // > 0 [1/s]
    double phase;             // [rad]
} CnSineDef;

// A straight line between two times, constant before and after.
typedef struct CnRampDef {
    double from, to;   // values at the two times
    double start, end; // end > start [s]
} CnRampDef;

// A trapezoid: `low` up to the start, a straight rise to `high`, which is held for `width`, and a
// straight fall back. Without a rise it jumps, and has the new value at the time of the jump.
typedef struct CnPulseDef {
    double low, high;
    double start;  // [s]
    double width;  // of the top, >= 0 [s]
    double rise;   // of each flank, >= 0 [s]; a pulse lasts width + 2 rise, which is > 0
    double period; // from one start to the next, at least that long [s]; 0: one pulse only
} CnPulseDef;

typedef struct CnSeriesDef {
    const char* name; // shown in messages; copied, may be NULL
    // A table.
    int count;            // at least 1
    const double* times;  // strictly increasing [s]   [count]
    const double* values; // in the unit of what they drive   [count]

    CnSeriesKind kind; // 0: a table; only the members of this kind are read
    CnSineDef sine;
    CnRampDef ramp;
    CnPulseDef pulse;
} CnSeriesDef;

// From a text file with a time and a value to a line, blanks or a comma between them; `#` begins a
// comment, and the first line may be words. "-" is standard input. A bad line is refused as
// "file:line: ...". The samples are the caller's, to be given back with cn_series_free().
CN_API CnStatus cn_series_load(const char* path, CnSeriesDef* def, CnError* error);
CN_API void cn_series_free(CnSeriesDef* def);

// A series at a time, exact to round-off. Integrals begin at the first sample of a table, the start
// of a ramp or pulse, time 0 of a sine.
typedef struct CnSeriesReading {
    double value;
    double derivative;      // at a corner that of the line that begins there; 0 outside [1/s]
    double integral;        // [s]
    double second_integral; // of the integral [s^2]
} CnSeriesReading;

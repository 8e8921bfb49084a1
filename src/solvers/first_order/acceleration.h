// acceleration.h - Anderson acceleration with a safeguard: bad steps are undone and it restarts.
#pragma once

#include "solvers/first_order/anderson.h"

typedef struct CnAcceleration {
    CnAnderson anderson;
    const double* weight; // makes entries of different units comparable   [n]
    double* plain;        // where the last step led before it was combined   [n]
    double last_length;   // of the step before, weighted
    bool was_combined;    // this step started from a combination
    int rest;             // plain steps to take before the next combination
    int restarts;         // so far
} CnAcceleration;

CnStatus cn_acceleration_init(CnAcceleration* acceleration, int n, const double* weight,
                              CnArena* arena);

// One step has led from start to x = G(start); x becomes the point to start the next one from. A
// combination whose step is much longer than the last is undone, the window is cleared, and some
// steps without acceleration follow.
void cn_acceleration_advance(CnAcceleration* acceleration, const double* start, double* x);

// After a change of the map.
void cn_acceleration_reset(CnAcceleration* acceleration);

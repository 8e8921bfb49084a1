// schedule.h - how a run is cut into steps.
#pragma once

#include "cairn/scene.h"

// A duration is cut into whole steps of dt and, if it is not a multiple, a last shorter one.
typedef struct Schedule {
    int64_t steps;
    double dt;      // of all but the last step [s]
    double last_dt; // [s]
} Schedule;

// From the time on that the world has: the scene's start_time, or that of the state it went on
// from.
bool schedule_make(const CnSceneSettings* settings, double start, Schedule* schedule,
                   CnError* error);

// Length of a step, counted from 0 [s].
double schedule_dt(const Schedule* schedule, int64_t step);

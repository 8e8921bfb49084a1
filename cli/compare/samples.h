// samples.h - where the bodies of a run were, at times that all runs of a comparison have.
#pragma once

#include "cairn/scene.h"
#include "run/run_outputs.h"
#include "run/schedule.h"

typedef struct Samples {
    int64_t every; // steps from one sample to the next; 0: only the end
    int64_t steps; // of the whole run
    int body_count;
    bool* is_dynamic; // [body_count]
    int count, capacity;
    double* time;          // [s]   [count]
    CnVec3* position;      // of the bodies' frames [m]   [count][body_count]
    double* speed;         // of centres of mass at the end [m/s]   [body_count]
    double* earlier_speed; // the same one sample before   [body_count]
    CnTransform* poses;    // scratch   [body_count]
    CnBodyState* states;   // scratch   [body_count]
} Samples;

// The shortest time of at least a sixtieth of a second that is a whole number of steps of every
// schedule [count]: the first entry of steps [count] is how many of the first schedule. All zero
// when there is none.
void samples_choose(const Schedule* schedules, int count, int64_t* steps);

// For a world before its first step. False: no memory, with a sentence; samples_free() is due.
bool samples_begin(Samples* samples, const CnWorld* world, const Schedule* schedule, int64_t every,
                   CnError* error);
StepWatch samples_watch(Samples* samples); // takes them
void samples_free(Samples* samples);

// Whether the last sample is that of the end of the run.
bool samples_are_whole(const Samples* samples);

// Largest distance of a body from where it is in the other samples [m], at one sample of both.
// worst_body: its index, -1: all are at the same place.
double samples_difference(const Samples* samples, const Samples* other, int sample,
                          int* worst_body);

// A body is at rest when it is slower than this at the end and one sample earlier [m/s]: a body
// that only turns round gains 0.16 m/s from gravity in between.
#define REST_SPEED 1e-3

// Largest speed at the end of the bodies that are at rest in other [m/s]; NaN: none is.
double samples_creep(const Samples* samples, const Samples* other);

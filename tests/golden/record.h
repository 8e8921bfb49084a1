// record.h - what is kept of a run: a digest of every step, and the state at a few.
#pragma once

#include "cairn/world.h"
#include <stdio.h>

#define RECORD_STEPS 400
#define RECORD_SAMPLES 2
#define RECORD_BODIES 4

// The state after a step: its hash is that of all bodies, the states are those of a few of them.
typedef struct Sample {
    int step; // counted from 1
    uint64_t hash;
    double energy; // [J]
    int body_count;
    int bodies[RECORD_BODIES]; // indices in order of creation
    CnBodyState states[RECORD_BODIES];
} Sample;

typedef struct Record {
    char name[64];
    char status[16];                // of the last step
    int steps;                      // made
    uint16_t digests[RECORD_STEPS]; // of the hash after each step: names the first that differs
    int sample_count;
    Sample samples[RECORD_SAMPLES];
} Record;

void record_write(const Record* record, FILE* file);

typedef enum RecordReading { RECORD_READ, RECORD_END, RECORD_UNREADABLE } RecordReading;
RecordReading record_read(Record* record, FILE* file);

// Largest differences of the states kept of one step.
typedef struct Distance {
    double position;         // [m]
    double rotation;         // [rad]
    double velocity;         // [m/s]
    double angular_velocity; // [rad/s]
    double energy;           // [J]
} Distance;
Distance sample_distance(const Sample* a, const Sample* b);

// The first step after which the two are not the same; 0: all the same, their ends too.
int record_first_difference(const Record* a, const Record* b);

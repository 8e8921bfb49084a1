// runs.h - the runs whose bits are kept: one table, and how one of them is made.
#pragma once

#include "record.h"

// Names of settings are as in scenes; what is left out stays as the scene has it.
typedef struct GoldenRun {
    const char* name;  // unique, without blanks
    const char* scene; // "@name[:size]", or a file relative to the root of the project
    int steps;         // at most RECORD_STEPS
    const char* scheme;
    const char* solver;
    const char* stabilisation;
    const char* rotation;
    const char* integrator;
    const char* warm_start;
    const char* friction;
    double dt; // [s]
    double theta;
    double tolerance; // [m/s]
    int substeps;
    int max_iterations;
    int threads; // 0: 1
} GoldenRun;

extern const GoldenRun golden_runs[];
extern const int golden_run_count;

// The world of a run before its first step, and the length of its steps [s]. NULL: the scene or a
// setting is wrong, or memory ran out.
CnWorld* golden_run_open(const GoldenRun* run, const CnWorldDef* hooks, double* dt, CnError* error);

// Makes the run with so many threads (0: as the table says). False: the scene or a setting is
// wrong, or memory ran out. A step that fails ends the run; its status is part of the record.
bool golden_run_make(const GoldenRun* run, int threads, Record* record, CnError* error);

// recorded_run.h - a scene run from start to end with a recording of it: for pictures and pages.
#pragma once

#include "run/live_scene.h"
#include "run/run_summary.h"

typedef struct RecordedRun {
    const char* scene; // as the command line has it
    SceneOverrides overrides;
    const char* path; // of the recording, overwritten: 60 frames a second
    Console* console;
} RecordedRun;

// A run that was interrupted leaves a recording of what there was.
bool record_run(const RecordedRun* run, RunSummary* summary, CnError* error);

// run_outputs.h - what a run writes while it goes on: events, a recording, a log, a problem.
#pragma once

#include "cairn/recording.h"
#include "run/event_file.h"
#include "run/live_scene.h"
#include "run/run_log.h"

// A hash reads every byte of a state: one in a quarter of a second costs 0.2 % of a run, one in
// every frame 3 %.
#define FRAMES_PER_HASH 15

// A step whose problem is written.
typedef struct ProblemDump {
    int step;         // from 1; 0: none
    const char* path; // its ending says in which format
} ProblemDump;

// Called after every step of a run, counted from 1.
typedef struct StepWatch {
    bool (*look)(void* context, const CnWorld* world, int64_t step, CnError* error); // NULL: none
    void* context;
} StepWatch;

typedef struct OutputOptions {
    const char *events, *record, *log; // files; NULL: none
    const char* quantities;            // of log and recording; NULL: those of the log's default
    double frame_rate;                 // of the recording [1/s]; 0: every step
    double log_every;                  // [s]; 0: every step
    bool with_state;                   // the run does not start from the scene's own state
    ProblemDump dump;
    StepWatch watch;
} OutputOptions;

OutputOptions output_options_none(void);

typedef struct RunOutputs {
    EventFile events;
    RunLog log;
    CnRecorder* recorder;     // NULL: none
    CnQuantities* quantities; // of the recorder; NULL: none
    ProblemDump dump;
    StepWatch watch;
    int64_t steps; // so far
} RunOutputs;

RunOutputs run_outputs_none(void);

// Each is false with a sentence; run_outputs_close() is due in any case, and does nothing the
// second time.
bool run_outputs_open(RunOutputs* outputs, const OutputOptions* options, const LiveScene* live,
                      CnError* error);
// After every step.
bool run_outputs_add(RunOutputs* outputs, const CnWorld* world, const CnStepReport* report,
                     CnError* error);
bool run_outputs_close(RunOutputs* outputs, CnError* error);

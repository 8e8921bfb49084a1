// comparison.h - a scene run in several ways, and how far each is from the most accurate one.
#pragma once

#include "compare/samples.h"
#include "compare/variant.h"
#include "run/run_summary.h"

#define MAX_VARIANTS 12 // views that a page can show side by side

// One variant, and what came of it.
typedef struct VariantRun {
    Variant variant;
    CnSceneSettings settings; // solver.name is NULL: see solver
    char solver[40];
    int64_t sample_steps; // from one sample to the next; 0: only the end
    RunSummary summary;
    Samples samples;
    char recording[256]; // temporary file, "": none
    CnError error;       // why it stopped, if it did
    bool is_whole;       // ran up to the end
    double creep;        // largest speed at the end of what rests in the most accurate run [m/s]
    double difference_end, difference_worst; // of positions to the most accurate run [m]
    double worst_time;                       // when it was worst [s]
} VariantRun;                                // what cannot be said is not a number

typedef struct Comparison {
    const char* argument; // the scene, as the command line has it
    VariantRun runs[MAX_VARIANTS];
    int count;
    bool has_shared_times; // else runs are compared at the end only
    int best;              // the most accurate run; -1: none reached the end
    char reason[200];      // why it is
} Comparison;

// Opens every variant once, so that nothing runs when one of them is wrong. The code of the first
// that is, after its sentence.
ExitCode comparison_check(Comparison* comparison, Console* console);

// Runs all; with recordings: each to a temporary file. A variant whose run stops is reported as
// stopped, and the others go on. False: no memory or no file to write, with a sentence.
bool comparison_run(Comparison* comparison, bool with_recordings, Console* console, CnError* error);

// Removes the recordings, too.
void comparison_free(Comparison* comparison);

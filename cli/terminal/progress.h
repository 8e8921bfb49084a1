// progress.h - how far a long job is: a bar on a terminal, otherwise a line now and then.
#pragma once

#include "terminal/console.h"

typedef struct Progress {
    const Console* console;
    const char* label; // what is under way
    bool bar;          // stderr is a terminal: one line, rewritten
    bool shown;        // the bar is on the screen
    double started;    // [s]
    double next;       // when to say something again [s]
} Progress;

Progress progress_begin(const Console* console, const char* label);

// Whether it is time to say something again; never when quiet.
bool progress_is_due(const Progress* progress);

// share: done so far, 0..1; detail: a few words, e.g. the simulated time.
void progress_show(Progress* progress, double share, const char* detail);

// Takes the bar away, so that what follows starts on a clean line.
void progress_end(Progress* progress);

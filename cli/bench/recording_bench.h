// recording_bench.h - what recording a run costs: time next to that of its steps, and bytes.
#pragma once

#include "terminal/console.h"
#include "terminal/json_out.h"

typedef struct RecordingBench {
    char** scenes; // [scene_count]; none: some of about a thousand bodies
    int scene_count;
    int threads, steps;
} RecordingBench;

ExitCode recording_bench_run(const RecordingBench* bench, Console* console, JsonOut* json);

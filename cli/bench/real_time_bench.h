// real_time_bench.h - frames of 1/60 s with the real-time preset: times, and errors of positions.
#pragma once

#include "terminal/json_out.h"
#include "terminal/options.h"

typedef struct RealTimeBench {
    char** scenes; // none: S1 to S9, and pyramids in growing numbers
    int scene_count;
    int threads, steps; // steps 0: the duration of the scene
} RealTimeBench;

ExitCode real_time_bench_run(const RealTimeBench* bench, Console* console, JsonOut* json);

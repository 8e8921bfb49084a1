// step_bench.h - a scene step by step: how long, how much work, how good.
#pragma once

#include "terminal/console.h"
#include "terminal/json_out.h"

typedef struct StepBench {
    char** scenes; // [scene_count]
    int scene_count;
    int threads, steps;
    int every;        // a row for every so many steps
    double tolerance; // [m/s]; 0: what the scene says
} StepBench;

ExitCode step_bench_run(const StepBench* bench, Console* console, JsonOut* json);

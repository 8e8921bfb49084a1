// problem_bench.h - steps of scenes as problems for `auto`: how well, how long, how it grows.
//
// Each problem is what a step of a scene poses, solved from zero to 1e-8 m/s. Its time is also
// given as a ratio to the yardstick of solver_cost.h on the same problem.
#pragma once

#include "terminal/console.h"
#include "terminal/json_out.h"

#define PROBLEM_STEPS 5 // made before the problem is taken, unless said otherwise

// Without scenes: those that solvers find hard, and families that grow to some ten thousand
// contacts; of these, what is larger than max_contacts is left out.
typedef struct ProblemBench {
    char** scenes; // [scene_count]
    int scene_count;
    int steps; // of the scenes named
    int max_contacts;
} ProblemBench;

ExitCode problem_bench_run(const ProblemBench* bench, Console* console, JsonOut* json);

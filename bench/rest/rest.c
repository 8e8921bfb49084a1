// rest.c - what a step of piles at rest and of falling balls costs, next to Bullet.
//
//     bench_rest [S1] [S2] [S10] [--threads N] [--steps N] [--stages] [--alone] [--sleep]
//
// The engines take turns of ten steps in one process, so that a busy machine disturbs them alike.
// With --threads N Cairn runs twice, with one thread and with N, and everything is wall-clock time;
// without it everything is CPU time. Turns have fifty steps then: a thread that has slept through
// the turn of others takes up to some milliseconds to wake in a virtual machine, which a run
// without turns does not see. --alone leaves the other engines out, for a profiler.
// --sleep lets islands sleep: Cairn alone, from when all that comes to rest has fallen asleep.
#include "rest_scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TURN 10           // steps that an engine does before it is the next one's turn
#define WALL_TURN 50      // the same where threads are compared
#define MAX_TURNS 1000    // that speed-ups are the middle of
#define SETTLE 60         // steps before sleepers are measured: twice the default sleep_time
#define SLEEP_TARGET 50.0 // of a step in which everything sleeps [us]

typedef struct Options {
    int threads, steps; // 0: as the scene says
    bool stages, alone, sleep;
    bool wanted[REST_CASES];
} Options;

typedef struct Run {
    const RestEngine* engine; // NULL: not measured
    int threads;
    void* self;
    double* seconds;             // of each step; sorted at the end   [steps]
    double* stages[REST_STAGES]; // the same of its stages   [steps]
    int turn;                    // TURN or WALL_TURN
    double* turns;               // median of each turn   [steps / TURN + 1]
    double median, mean, high;
    RestState state; // after the last step
} Run;

enum { CAIRN, CAIRN_THREADS, BULLET, RUN_COUNT };

static double now(bool wall) {
    struct timespec time;
    clock_gettime(wall ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int compare(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// The middle one of some values, which are sorted.
static double middle(double* values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

static void summarise_turns(Run* run, int steps) {
    for (int i = 0; i < steps; i += run->turn) {
        double seconds[WALL_TURN];
        int count = steps - i < run->turn ? steps - i : run->turn;
        memcpy(seconds, run->seconds + i, (size_t)count * sizeof *seconds);
        run->turns[i / run->turn] = middle(seconds, count);
    }
}

static void summarise(Run* run, int steps) {
    double sum = 0.0;
    summarise_turns(run, steps);
    for (int i = 0; i < steps; ++i) {
        sum += run->seconds[i];
    }
    run->median = middle(run->seconds, steps);
    for (int k = 0; k < REST_STAGES; ++k) {
        qsort(run->stages[k], (size_t)steps, sizeof(double), compare);
    }
    run->mean = sum / steps;
    run->high = run->seconds[steps * 99 / 100];
    run->engine->read(run->self, &run->state);
}

static bool settle(Run* run, const RestScene* scene) {
    double stages[REST_STAGES];
    bool ok = true;
    for (int i = 0; ok && scene->sleep && i < SETTLE; ++i) {
        ok = run->engine->step(run->self, stages);
    }
    return ok;
}

static bool begin(Run* run, const RestScene* scene, int steps) {
    bool ok = true;
    run->seconds = calloc((size_t)steps, sizeof *run->seconds);
    run->turns = calloc((size_t)(steps / TURN + 1), sizeof *run->turns);
    for (int k = 0; k < REST_STAGES; ++k) {
        run->stages[k] = calloc((size_t)steps, sizeof(double));
        ok = ok && run->stages[k] != NULL;
    }
    run->self = run->engine->create(scene, run->threads);
    return ok && run->self != NULL && run->seconds != NULL && run->turns != NULL &&
           settle(run, scene);
}

static void end(Run* run) {
    if (run->self != NULL) {
        run->engine->destroy(run->self);
    }
    for (int k = 0; k < REST_STAGES; ++k) {
        free(run->stages[k]);
    }
    free(run->turns);
    free(run->seconds);
}

static bool measure_step(Run* run, int place, bool wall) {
    double stages[REST_STAGES] = {0};
    double start = now(wall);
    bool ok = run->engine->step(run->self, stages);
    run->seconds[place] = now(wall) - start;
    for (int k = 0; k < REST_STAGES; ++k) {
        run->stages[k][place] = stages[k];
    }
    return ok;
}

static bool measure(Run* runs, const RestScene* scene, int steps, bool wall) {
    int turn = wall ? WALL_TURN : TURN;
    for (int r = 0; r < RUN_COUNT; ++r) {
        runs[r].turn = turn;
        if (runs[r].engine != NULL && !begin(&runs[r], scene, steps)) {
            return false;
        }
    }
    for (int i = 0; i < steps; i += turn) {
        for (int r = 0; r < RUN_COUNT; ++r) {
            for (int k = i; k < steps && k < i + turn && runs[r].engine != NULL; ++k) {
                if (!measure_step(&runs[r], k, wall)) {
                    return false;
                }
            }
        }
    }
    for (int r = 0; r < RUN_COUNT; ++r) {
        if (runs[r].engine != NULL) {
            summarise(&runs[r], steps);
        }
    }
    return true;
}

static void print_run(const Run* run) {
    const RestState* state = &run->state;
    printf("  %-6s %7d %8.3f %8.3f %8.3f %9ld %12.2e %11.2e", run->engine->name, run->threads,
           1e3 * run->median, 1e3 * run->mean, 1e3 * run->high, state->contacts, state->penetration,
           state->kinetic_energy);
    if (run->engine == &rest_cairn) {
        printf(" %9.1e %6d %7.1f %7.1f", state->residual, state->missed,
               1e-6 * (double)state->bytes, 1e-6 * (double)state->peak);
    }
    printf("\n");
}

static void print_stages(const Run* run, int steps) {
    printf("  stages, p50 [ms], %d thread(s):", run->threads);
    for (int i = 0; i < run->state.stage_count; ++i) {
        printf(" %s %.3f", run->state.stages[i], 1e3 * run->stages[i][steps / 2]);
    }
    printf("\n");
}

static void print_target(const char* what, double measured, double target, bool at_least) {
    bool met = at_least ? measured >= target : measured <= target;
    printf("  %-44s %10.2f   %s %.2f   %s\n", what, measured, at_least ? ">=" : "<=", target,
           met ? "met" : "missed");
}

// Turns that follow each other see the same machine: the middle of their ratios.
static double speed_up(const Run* one, const Run* many, int steps) {
    double ratio[MAX_TURNS];
    int count = 0;
    for (int i = 0; i < steps && count < MAX_TURNS; i += one->turn) {
        ratio[count++] = one->turns[i / one->turn] / many->turns[i / many->turn];
    }
    return middle(ratio, count);
}

static void print_targets(const RestCase* test, const Run* runs, int steps) {
    const Run *cairn = &runs[CAIRN], *many = &runs[CAIRN_THREADS], *bullet = &runs[BULLET];
    char what[80];
    if (bullet->engine != NULL) {
        const char* by = test->by_mean ? "mean" : "p50";
        double ratio = test->by_mean ? bullet->mean / cairn->mean : bullet->median / cairn->median;
        snprintf(what, sizeof what, "%s: Bullet / Cairn, %s", test->name, by);
        print_target(what, ratio, test->ratio, true);
    }
    if (many->engine != NULL) {
        double ratio = speed_up(cairn, many, steps);
        snprintf(what, sizeof what, "%s: one thread / %d threads, turns", test->name,
                 many->threads);
        if (test->threads > 0.0 && many->threads == 2) {
            print_target(what, ratio, test->threads, true);
        } else {
            printf("  %-44s %10.2f\n", what, ratio);
        }
        printf("  %s: states of one and of %d threads %s\n", test->name, many->threads,
               cairn->state.hash == many->state.hash ? "are the same bits" : "DIFFER");
    }
    if (test->bytes > 0.0) {
        snprintf(what, sizeof what, "%s: peak memory [MB]", test->name);
        print_target(what, 1e-6 * (double)cairn->state.peak, 1e-6 * test->bytes, false);
    }
}

static void print_sleepers(const RestCase* test, const RestScene* scene, const Run* run) {
    char what[80];
    printf("  %s: %d of %d bodies sleep\n", test->name, run->state.sleeping, scene->count);
    snprintf(what, sizeof what, "%s: a step with sleepers, p50 [us]", test->name);
    print_target(what, 1e6 * run->median, SLEEP_TARGET, false);
}

static bool run_case(const RestCase* test, const Options* options) {
    RestScene scene = test->make();
    scene.sleep = options->sleep;
    scene.stages = options->stages;
    int steps = options->steps > 0 ? options->steps : test->steps;
    bool wall = options->threads > 1;
    Run runs[RUN_COUNT] = {[CAIRN] = {.engine = &rest_cairn, .threads = 1}};
    if (options->threads > 1) {
        runs[CAIRN_THREADS] = (Run){.engine = &rest_cairn, .threads = options->threads};
    }
#ifdef BENCH_BULLET
    if (!options->alone) {
        runs[BULLET] = (Run){.engine = &rest_bullet, .threads = 1};
    }
#endif
    bool ok = measure(runs, &scene, steps, wall);
    printf("%s: %s, %d steps, %s time\n", test->name, test->text, steps,
           wall ? "wall-clock" : "CPU");
    printf("  %-6s %7s %8s %8s %8s %9s %12s %11s %9s %6s %7s %7s\n", "engine", "threads",
           "p50 [ms]", "mean", "p99", "contacts", "overlap [m]", "kinetic [J]", "residual",
           "missed", "MB end", "MB peak");
    for (int r = 0; ok && r < RUN_COUNT; ++r) {
        if (runs[r].engine != NULL) {
            print_run(&runs[r]);
        }
    }
    for (int r = 0; ok && options->stages && r <= CAIRN_THREADS; ++r) {
        if (runs[r].engine != NULL) {
            print_stages(&runs[r], steps);
        }
    }
    if (ok) {
        printf("  %-44s %10s   target\n", "", "measured");
        print_targets(test, runs, steps);
        if (scene.sleep) {
            print_sleepers(test, &scene, &runs[CAIRN]);
        }
    }
    fflush(stdout);
    for (int r = 0; r < RUN_COUNT; ++r) {
        end(&runs[r]);
    }
    free(scene.bodies);
    return ok;
}

static bool take_number(int argc, char** argv, int* i, int* number) {
    *number = *i + 1 < argc ? atoi(argv[++*i]) : 0;
    return *number > 0;
}

static bool take_scene(const char* word, Options* options) {
    for (int k = 0; k < REST_CASES; ++k) {
        if (strcmp(word, rest_cases[k].name) == 0) {
            options->wanted[k] = true;
            return true;
        }
    }
    return false;
}

static bool read_options(int argc, char** argv, Options* options) {
    bool any = false;
    for (int i = 1; i < argc; ++i) {
        bool ok = true;
        if (strcmp(argv[i], "--threads") == 0) {
            ok = take_number(argc, argv, &i, &options->threads);
        } else if (strcmp(argv[i], "--steps") == 0) {
            ok = take_number(argc, argv, &i, &options->steps);
        } else if (strcmp(argv[i], "--stages") == 0) {
            options->stages = true;
        } else if (strcmp(argv[i], "--alone") == 0) {
            options->alone = true;
        } else if (strcmp(argv[i], "--sleep") == 0) {
            options->sleep = options->alone = true;
        } else {
            any = ok = take_scene(argv[i], options);
        }
        if (!ok) {
            return false;
        }
    }
    for (int k = 0; k < REST_CASES && !any; ++k) {
        options->wanted[k] = true;
    }
    return true;
}

int main(int argc, char** argv) {
    Options options = {0};
    if (!read_options(argc, argv, &options)) {
        fprintf(stderr,
                "use: bench_rest [S1] [S2] [S10] [--threads N] [--steps N] [--stages] [--alone] "
                "[--sleep]\n");
        return 2;
    }
    for (int k = 0; k < REST_CASES; ++k) {
        if (options.wanted[k] && !run_case(&rest_cases[k], &options)) {
            return 1;
        }
    }
    return 0;
}

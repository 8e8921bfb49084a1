// real_time.c - whole frames of 1/60 s: Cairn's real-time preset next to Bullet and ODE.
//
//     bench_real_time [S1 ...] [@scene:size ...] [--repeats N] [--steps N] [--threads N] [--alone]
//                     [--no-ode] [--csv FILE] [--svg FILE] [--frames FILE]
//
// Scenes are those of the table below, or any built-in scene or file of balls, boxes, capsules and
// hulls, ball joints and hinges (ODE is left out where there are hulls).
//
// CPU time of one thread (wall-clock time with --threads), the least mean of the repeats, in which
// engines take turns. With --threads N Cairn then runs with one and with N threads side by side, in
// turns of ten frames, so that a busy machine disturbs both alike. What is wrong with positions is
// measured by one function for all engines (cli/bench/plain_scene.c), every 20 steps of the first
// repeat. --frames writes the stages of every frame of Cairn, each the least of the repeats: frames
// are the same in all of them, so that what is above the others is work and no disturbance.
#define _POSIX_C_SOURCE 200809L
#include "real_time.h"
#include "builtin/builtin_scenes.h"
#include "chart.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SAMPLE_EVERY 20
#define TURN 10 // frames of one thread, then as many of several
#define MAX_REPEATS 100
#define MAX_STEPS 100000
#define MAX_OTHERS 32
#define OTHER_STEPS 300 // of scenes that are not in the table

typedef struct Case {
    const char *label, *argument;
    int steps;
    double target; // times faster than Bullet; 0: none
    int substeps;  // of Cairn, with their frequency; 0: those of the preset
    double hertz;
} Case;

// A light chain holds a heavy ball, and light cubes a heavy one, with more substeps.
static const Case cases[] = {
    {"S1", "@s1:40", 300, 13.0, 0, 0.0},     {"S2", "@s2:10", 300, 14.0, 0, 0.0},
    {"S3", "@s3:40", 400, 7.0, 0, 0.0},      {"S5a", "@net:30", 200, 5.0, 0, 0.0},
    {"S5b", "@chains:10", 200, 4.0, 0, 0.0}, {"S6", "@s6:1000", 600, 0.0, 0, 0.0},
    {"S7", "@s7:1000", 600, 0.0, 64, 480.0}, {"S9", "@s9:2720", 300, 0.0, 0, 0.0},
};
#define CASES ((int)(sizeof cases / sizeof cases[0]))

typedef struct Options {
    int repeats, steps, threads; // steps 0: those of the scene
    bool alone, no_ode;
    const char *csv, *svg, *frames;
    bool wanted[CASES];
    Case others[MAX_OTHERS]; // in the order given
    int other_count;
} Options;

typedef struct Frame {
    double whole; // by the clock of the bench [ms]
    RtStages stages;
} Frame;

typedef struct Result {
    bool is_there;
    double mean, p50, p99;                                 // of the best repeat [ms]
    double deepest, deepest_p99, end_depth, joint, energy; // [m], [m], [m], [m], [J]
    RtStages stages;
    Frame* frames; // each the least of the repeats; NULL: nobody asks   [steps]
} Result;

static double now(const Options* options) {
    struct timespec time;
    clock_gettime(options->threads > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int compare_doubles(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static bool measure(const PlainScene* scene, const RtEngine* engine, void* self,
                    CnBodyState* states, PlainOverlaps* overlaps, Result* result) {
    engine->read(self, states);
    bool ok = plain_scene_overlaps(scene, states, overlaps);
    result->end_depth = overlaps->deepest;
    result->deepest = fmax(result->deepest, overlaps->deepest);
    result->joint = fmax(result->joint, plain_scene_joint_error(scene, states));
    result->energy = plain_scene_kinetic_energy(scene, states);
    return ok;
}

// The stages of a frame are the sums after it less those before it, which become those after it.
static void note_frame(const RtEngine* engine, void* self, double whole, RtStages* sums,
                       Frame* frame) {
    RtStages after = {0};
    bool is_first = frame->stages.count == 0;
    engine->stages(self, &after);
    for (int i = 0; i < after.count; ++i) {
        double seconds = after.seconds[i] - sums->seconds[i];
        double* least = &frame->stages.seconds[i];
        frame->stages.names[i] = after.names[i];
        *least = is_first ? seconds : fmin(*least, seconds);
    }
    frame->whole = is_first ? whole : fmin(frame->whole, whole);
    frame->stages.count = after.count;
    *sums = after;
}

// One repeat of one engine. The first one is measured.
static bool run_once(const Options* options, const RtScene* scene, const RtEngine* engine,
                     int steps, bool measures, Result* result) {
    void* self = engine->create(scene);
    double* times = calloc((size_t)steps, sizeof *times);
    CnBodyState* states = calloc((size_t)scene->plain->body_count, sizeof *states);
    PlainOverlaps overlaps = {0};
    RtStages sums = {0};
    bool ok = self != NULL && times != NULL && states != NULL;
    double sum = 0.0;
    for (int i = 0; ok && i < steps; ++i) {
        double started = now(options);
        ok = engine->step(self);
        times[i] = 1e3 * (now(options) - started);
        sum += times[i];
        if (ok && result->frames != NULL) {
            note_frame(engine, self, times[i], &sums, &result->frames[i]);
        }
        if (ok && measures && ((i + 1) % SAMPLE_EVERY == 0 || i == steps - 1)) {
            ok = measure(scene->plain, engine, self, states, &overlaps, result);
        }
    }
    if (ok && (!result->is_there || sum / steps < result->mean)) {
        qsort(times, (size_t)steps, sizeof *times, compare_doubles);
        result->mean = sum / steps;
        result->p50 = times[steps / 2];
        result->p99 = times[(int)(0.99 * (steps - 1))];
        if (engine->stages != NULL) {
            engine->stages(self, &result->stages);
        }
    }
    if (ok && measures) {
        result->deepest_p99 = plain_overlaps_share(&overlaps, 0.99);
    }
    result->is_there = ok;
    if (self != NULL) {
        engine->destroy(self);
    }
    plain_overlaps_free(&overlaps);
    free(states);
    free(times);
    return ok;
}

static int list_engines(const Options* options, bool ode_has_shapes, const RtEngine* engines[3]) {
    int count = 0;
    engines[count++] = &rt_cairn;
    (void)options; // unused where no other engine is installed
    (void)ode_has_shapes;
#if defined(BENCH_BULLET)
    if (!options->alone) {
        engines[count++] = &rt_bullet;
    }
#endif
#if defined(BENCH_ODE)
    if (!options->alone && !options->no_ode && ode_has_shapes) {
        engines[count++] = &rt_ode;
    }
#endif
    return count;
}

static bool has_hulls(const PlainScene* scene) {
    bool any = false;
    for (int i = 0; i < scene->body_count; ++i) {
        any = any || scene->bodies[i].shape == PLAIN_HULL;
    }
    return any;
}

static void print_result(const Case* bench, const PlainScene* plain, const RtEngine* engine,
                         const Result* result, int steps, FILE* csv) {
    printf("%-4s %-7s %7d %6d %9.4f %9.4f %9.4f %9.3f %9.3f %9.3f %10.3f %11.3g\n", bench->label,
           engine->name, plain->body_count, steps, result->mean, result->p50, result->p99,
           1e3 * result->deepest, 1e3 * result->deepest_p99, 1e3 * result->end_depth,
           1e3 * result->joint, result->energy);
    fflush(stdout);
    if (csv != NULL) {
        fprintf(csv, "%s,%s,%s,%d,%d,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", bench->label,
                bench->argument, engine->name, plain->body_count, steps, result->mean, result->p50,
                result->p99, result->deepest, result->deepest_p99, result->end_depth, result->joint,
                result->energy);
    }
}

static void print_stages(const Result* result, int steps) {
    printf("     stages [ms]:");
    for (int i = 0; i < result->stages.count; ++i) {
        printf(" %s %.4f", result->stages.names[i], 1e3 * result->stages.seconds[i] / steps);
    }
    printf("\n");
}

// Seconds of all frames of two worlds that take turns, and whether they end with the same bits.
static bool take_turns(const RtScene scenes[2], int steps, double seconds[2], bool* same) {
    void* self[2] = {rt_cairn.create(&scenes[0]), rt_cairn.create(&scenes[1])};
    int count = scenes[0].plain->body_count;
    CnBodyState* states = calloc(2 * (size_t)count, sizeof *states);
    bool ok = self[0] != NULL && self[1] != NULL && states != NULL;
    seconds[0] = seconds[1] = 0.0;
    for (int i = 0; ok && i < steps; i += TURN) {
        for (int k = 0; k < 2; ++k) {
            double started = now(&(Options){.threads = 2});
            for (int j = i; ok && j < steps && j < i + TURN; ++j) {
                ok = rt_cairn.step(self[k]);
            }
            seconds[k] += now(&(Options){.threads = 2}) - started;
        }
    }
    for (int k = 0; k < 2; ++k) {
        if (ok) {
            rt_cairn.read(self[k], states + k * count);
        }
        if (self[k] != NULL) {
            rt_cairn.destroy(self[k]);
        }
    }
    *same = ok && memcmp(states, states + count, (size_t)count * sizeof *states) == 0;
    free(states);
    return ok;
}

// How many times as fast Cairn is with several threads: the middle of the repeats.
static bool compare_threads(const Options* options, const RtScene* wanted, int steps) {
    RtScene scenes[2] = {*wanted, *wanted};
    double ratios[MAX_REPEATS], seconds[2];
    int repeats = options->repeats < MAX_REPEATS ? options->repeats : MAX_REPEATS;
    bool ok = true, same = true;
    scenes[0].threads = 1;
    for (int r = 0; ok && r < repeats; ++r) {
        bool are_same;
        ok = take_turns(scenes, steps, seconds, &are_same);
        ratios[r] = seconds[0] / seconds[1];
        same = same && are_same;
    }
    if (ok) {
        qsort(ratios, (size_t)repeats, sizeof *ratios, compare_doubles);
        printf("     one thread / %d threads: %.2f (%.2f to %.2f in %d repeats), %s\n",
               options->threads, ratios[repeats / 2], ratios[0], ratios[repeats - 1], repeats,
               same ? "the same bits" : "OTHER BITS");
    }
    return ok;
}

// A line for each frame, in ms.
static void write_frames(const char* label, const Frame* frames, int steps, FILE* file) {
    fprintf(file, "scene,frame,whole");
    for (int i = 0; i < frames[0].stages.count; ++i) {
        fprintf(file, ",%s", frames[0].stages.names[i]);
    }
    fprintf(file, "\n");
    for (int k = 0; k < steps; ++k) {
        fprintf(file, "%s,%d,%.5f", label, k + 1, frames[k].whole);
        for (int i = 0; i < frames[k].stages.count; ++i) {
            fprintf(file, ",%.5f", 1e3 * frames[k].stages.seconds[i]);
        }
        fprintf(file, "\n");
    }
}

// Where results go besides standard output; NULL: nowhere.
typedef struct Outputs {
    FILE *csv, *frames;
    Chart* chart;
} Outputs;

static bool open_output(const char* path, FILE** file) {
    *file = path != NULL ? fopen(path, "w") : NULL;
    if (path != NULL && *file == NULL) {
        fprintf(stderr, "bench_real_time: %s: cannot be written: %s\n", path, strerror(errno));
    }
    return path == NULL || *file != NULL;
}

static bool run_case(const Options* options, const Case* bench, const Outputs* outputs) {
    const RtEngine* engines[3];
    Result results[3] = {{0}};
    PlainScene plain = {0};
    CnError error = {0};
    int steps = options->steps > 0 && options->steps < bench->steps ? options->steps : bench->steps;
    CnScene* scene = cn_open_scene(bench->argument, &error);
    CnWorld* world = scene == NULL ? NULL : cn_scene_build(scene, NULL, &error);
    bool ok = world != NULL && plain_scene_read(world, &plain, &error);
    cn_world_destroy(world);
    cn_scene_destroy(scene);
    if (!ok) {
        fprintf(stderr, "bench_real_time: %s: %s\n", bench->argument, error.message);
    }
    int count = list_engines(options, ok && !has_hulls(&plain), engines);
    RtScene wanted = {bench->argument, &plain, options->threads, bench->substeps, bench->hertz};
    results[0].frames =
        outputs->frames != NULL ? calloc((size_t)steps, sizeof *results[0].frames) : NULL;
    ok = ok && (outputs->frames == NULL || results[0].frames != NULL);
    for (int r = 0; ok && r < options->repeats; ++r) {
        for (int i = 0; ok && i < count; ++i) {
            int engine = (i + r) % count;
            ok = run_once(options, &wanted, engines[engine], steps, r == 0, &results[engine]);
        }
    }
    for (int i = 0; ok && i < count; ++i) {
        print_result(bench, &plain, engines[i], &results[i], steps, outputs->csv);
        chart_add(outputs->chart, bench->label, engines[i]->name, results[i].mean);
    }
    if (ok) {
        print_stages(&results[0], steps);
    }
    if (ok && outputs->frames != NULL) {
        write_frames(bench->label, results[0].frames, steps, outputs->frames);
    }
    for (int i = 1; ok && i < count; ++i) {
        double ratio = results[i].mean / results[0].mean;
        bool is_yardstick = bench->target > 0.0 && strcmp(engines[i]->name, "bullet") == 0;
        printf("     %.2f times faster than %s", ratio, engines[i]->name);
        printf(is_yardstick ? " (target %g: %s)\n" : "\n", bench->target,
               ratio >= bench->target ? "met" : "missed");
    }
    if (ok && options->threads > 1) {
        ok = compare_threads(options, &wanted, steps);
    }
    free(results[0].frames);
    plain_scene_free(&plain);
    return ok;
}

// A built-in scene or a scene file.
static bool is_scene(const char* argument) {
    size_t length = strlen(argument);
    return argument[0] == '@' || (length > 5 && strcmp(argument + length - 5, ".json") == 0);
}

static int refuse_number(const char* name, const char* value) {
    fprintf(stderr, "bench_real_time: %s %s: takes a whole number from 1 to %d\n", name,
            value == NULL ? "without a number" : value, MAX_STEPS);
    return -1;
}

static int refuse_file(const char* name) {
    fprintf(stderr, "bench_real_time: %s takes the name of a file\n", name);
    return -1;
}

// Takes an option with its value, NULL: there is none. Returns how many arguments that are, 0: it
// is no option, -1: the value will not do, and a sentence has said so.
static int take_option(const char* name, const char* value, Options* options) {
    const struct {
        const char *name, **path;
    } files[] = {
        {"--csv", &options->csv}, {"--svg", &options->svg}, {"--frames", &options->frames}};
    const struct {
        const char* name;
        int* number;
    } numbers[] = {{"--repeats", &options->repeats},
                   {"--steps", &options->steps},
                   {"--threads", &options->threads}};
    for (int i = 0; i < 3; ++i) {
        if (strcmp(name, files[i].name) == 0) {
            *files[i].path = value;
            return value != NULL ? 2 : refuse_file(name);
        }
        if (strcmp(name, numbers[i].name) == 0) {
            *numbers[i].number = value == NULL ? 0 : atoi(value);
            bool is_valid = *numbers[i].number >= 1 && *numbers[i].number <= MAX_STEPS;
            return is_valid ? 2 : refuse_number(name, value);
        }
    }
    options->alone = options->alone || strcmp(name, "--alone") == 0;
    options->no_ode = options->no_ode || strcmp(name, "--no-ode") == 0;
    return strcmp(name, "--alone") == 0 || strcmp(name, "--no-ode") == 0;
}

static bool take_scene(const char* name, Options* options) {
    bool is_listed = false;
    for (int k = 0; k < CASES; ++k) {
        if (strcmp(name, cases[k].label) == 0) {
            options->wanted[k] = is_listed = true;
        }
    }
    bool is_other = is_scene(name) && options->other_count < MAX_OTHERS;
    if (is_other) {
        options->others[options->other_count++] = (Case){name, name, OTHER_STEPS, 0, 0, 0};
    }
    return is_listed || is_other;
}

static bool parse(int argc, char** argv, Options* options) {
    bool any = false;
    for (int i = 1; i < argc;) {
        bool is_taken = take_scene(argv[i], options);
        int count = is_taken ? 1 : take_option(argv[i], i + 1 < argc ? argv[i + 1] : NULL, options);
        if (count == 0) {
            fprintf(stderr,
                    "bench_real_time: \"%s\" is no scene (S1, S2, S3, S5a, S5b, S6, S7, S9, "
                    "@name:size, a file; at most %d of these) or option (--repeats N, --steps N, "
                    "--threads N, --alone, --no-ode, --csv F, --svg F, --frames F)\n",
                    argv[i], MAX_OTHERS);
        }
        if (count <= 0) {
            return false;
        }
        any = any || is_taken;
        i += count;
    }
    for (int k = 0; !any && k < CASES; ++k) {
        options->wanted[k] = true;
    }
    return true;
}

int main(int argc, char** argv) {
    Options options = {.repeats = 5, .threads = 1};
    Chart chart = {0};
    if (!parse(argc, argv, &options)) {
        return 2;
    }
    Outputs outputs = {.chart = &chart};
    if (!open_output(options.csv, &outputs.csv) || !open_output(options.frames, &outputs.frames)) {
        return 1;
    }
    if (outputs.csv != NULL) {
        fprintf(outputs.csv,
                "scene,argument,engine,bodies,steps,ms_mean,ms_p50,ms_p99,penetration_worst,"
                "penetration_p99,penetration_end,joint_error,kinetic_energy_end\n");
    }
    printf("%-4s %-7s %7s %6s %9s %9s %9s %9s %9s %9s %10s %11s\n", "", "engine", "bodies", "steps",
           "mean[ms]", "p50", "p99", "pen.[mm]", "p99", "at end", "joint[mm]", "energy[J]");
    bool ok = true;
    for (int k = 0; ok && k < CASES; ++k) {
        ok = !options.wanted[k] || run_case(&options, &cases[k], &outputs);
    }
    for (int k = 0; ok && k < options.other_count; ++k) {
        ok = run_case(&options, &options.others[k], &outputs);
    }
    if (outputs.csv != NULL) {
        fclose(outputs.csv);
    }
    if (outputs.frames != NULL) {
        fclose(outputs.frames);
    }
    if (ok && options.svg != NULL) {
        ok = chart_write(&chart, options.svg);
    }
    return ok ? 0 : 1;
}

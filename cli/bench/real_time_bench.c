// real_time_bench.c - frames of 1/60 s with the real-time preset: times, and errors of positions.
#include "bench/real_time_bench.h"

#include "bench/counted_memory.h"
#include "bench/position_errors.h"
#include "run/live_scene.h"
#include "terminal/interrupt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME (1.0 / 60.0) // [s]
#define SAMPLE_EVERY 20    // frames between two looks at positions
#define GROWTH_STEPS 60    // of scenes that only show how costs grow

typedef struct BenchScene {
    const char *label, *argument;
    bool is_growth; // of a family: costs per body are compared with the first
    int substeps;   // with their frequency; 0: those of the preset
    double hertz;
} BenchScene;

// Light cubes hold a heavy one with more substeps.
static const BenchScene default_scenes[] = {
    {"S1", "@s1:40", false, 0, 0.0},      {"S2", "@s2:10", false, 0, 0.0},
    {"S3", "@s3:40", false, 0, 0.0},      {"S5a", "@net:30", false, 0, 0.0},
    {"S5b", "@chains:10", false, 0, 0.0}, {"S6", "@s6:1000", false, 0, 0.0},
    {"S7", "@s7:1000", false, 64, 480.0}, {"S9", "@s9:2720", false, 0, 0.0},
    {"growth", "@s2:4", true, 0, 0.0},    {"growth", "@s2:14", true, 0, 0.0},
    {"growth", "@s2:43", true, 0, 0.0},
};
#define DEFAULT_COUNT ((int)(sizeof default_scenes / sizeof default_scenes[0]))

typedef struct RealTimeResult {
    BenchScene scene;
    int bodies, steps;
    double mean, p50, p99;      // [ms]
    double deepest, deepest_99; // overlap: worst, and what 99 % of overlapping pairs stay below [m]
    double joint_error;         // [m]
    double energy;              // kinetic, at the end [J]
    bool is_independent;        // overlaps and joints measured from poses and shapes alone
    double growth;              // of the cost per body, over the first of its family; 0: none
    double bytes;               // that the world asked for, the most at once [byte]
    double stage_ms[CN_STAGE_COUNT];
} RealTimeResult;

// A scene of the list keeps its substeps, whether it is named by its label or by its argument.
static BenchScene find_scene(const char* name) {
    for (int i = 0; i < DEFAULT_COUNT; ++i) {
        const BenchScene* own = &default_scenes[i];
        if (!own->is_growth &&
            (strcmp(name, own->label) == 0 || strcmp(name, own->argument) == 0)) {
            return *own;
        }
    }
    return (BenchScene){"", name, false, 0, 0.0};
}

// What cannot be opened and is spelt nearly like a scene of the list was meant to be that.
static void suggest_scene(const char* name, CnError* error) {
    const char* labels[DEFAULT_COUNT];
    int count = 0;
    for (int i = 0; i < DEFAULT_COUNT; ++i) {
        if (!default_scenes[i].is_growth) {
            labels[count++] = default_scenes[i].label;
        }
    }
    const char* nearest = cn_nearest_name(name, labels, count);
    if (nearest != NULL) {
        snprintf(error->message, sizeof error->message,
                 "\"%s\" is no scene of the list and no file; did you mean %s?", name, nearest);
    }
}

static int compare_doubles(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static bool fail(CnError* error, CnStatus status, const char* sentence) {
    error->status = status;
    snprintf(error->message, sizeof error->message, "%s", sentence);
    return false;
}

static bool time_frames(CnWorld* world, double* times, PositionErrors* errors,
                        RealTimeResult* result, CnError* error) {
    int made = 0;
    bool ok = true;
    while (ok && made < result->steps && !interrupt_asked()) {
        CnStepReport report;
        double started = console_clock();
        ok = cn_world_step(world, FRAME, &report, error) == CN_OK;
        times[made] = 1e3 * (console_clock() - started);
        for (int i = 0; ok && i < CN_STAGE_COUNT; ++i) {
            result->stage_ms[i] += 1e3 * report.stage_seconds[i] / result->steps;
        }
        ++made;
        if (ok && (made % SAMPLE_EVERY == 0 || made == result->steps)) {
            ok = position_errors_look(errors, world, &report, error);
        }
    }
    result->steps = made;
    return ok;
}

static void summarise(double* times, RealTimeResult* result) {
    double sum = 0.0;
    for (int i = 0; i < result->steps; ++i) {
        sum += times[i];
    }
    qsort(times, (size_t)result->steps, sizeof *times, compare_doubles);
    result->mean = sum / result->steps;
    result->p50 = times[result->steps / 2];
    result->p99 = times[(int)(0.99 * (result->steps - 1))];
}

static void take_errors(PositionErrors* errors, RealTimeResult* result) {
    result->deepest = errors->deepest;
    result->deepest_99 = position_errors_deepest_99(errors);
    result->joint_error = errors->joint_error;
    result->energy = errors->kinetic_energy;
    result->is_independent = errors->is_independent;
}

static bool bench_scene(const RealTimeBench* bench, RealTimeResult* result, Console* console,
                        CnError* error) {
    SceneOverrides overrides = scene_overrides_none();
    overrides.real_time = true;
    overrides.threads = bench->threads;
    CountedMemory memory = {0};
    overrides.allocator = counted_memory_allocator(&memory);
    LiveScene live;
    PositionErrors errors = {0};
    bool ok = live_scene_open(&live, result->scene.argument, &overrides, console, error);
    if (!ok && result->scene.label[0] == '\0') {
        suggest_scene(result->scene.argument, error);
    }
    if (ok) { // the cost of bodies that are awake
        CnStepDef step = live.settings.step;
        step.sleep = false;
        if (result->scene.substeps > 0) {
            step.soft.substeps = result->scene.substeps;
            step.soft.contact_hertz = step.soft.joint_hertz = result->scene.hertz;
        }
        ok = cn_world_set_step(live.world, &step, error) == CN_OK &&
             position_errors_begin(&errors, live.world, error);
        int frames = (int)(live.settings.duration / FRAME + 0.5);
        frames = result->scene.is_growth ? GROWTH_STEPS : frames > 0 ? frames : 1;
        result->steps = bench->steps > 0 ? bench->steps : frames;
        result->bodies = cn_world_body_count(live.world);
    }
    double* times = ok ? calloc((size_t)result->steps, sizeof *times) : NULL;
    if (ok && times == NULL) {
        ok = fail(error, CN_NO_MEMORY, "no memory for the times of frames");
    }
    ok = ok && time_frames(live.world, times, &errors, result, error);
    if (ok && result->steps > 0) {
        summarise(times, result);
        take_errors(&errors, result);
    }
    free(times);
    position_errors_end(&errors);
    live_scene_close(&live);
    result->bytes = (double)atomic_load(&memory.peak);
    return ok;
}

static void write_head(void) {
    printf("%-7s %-12s %7s %6s %9s %9s %9s %9s %9s %10s %10s %8s %7s %6s\n", "", "scene", "bodies",
           "frames", "mean [ms]", "p50", "p99", "pen. [mm]", "p99", "joint [mm]", "energy [J]",
           "us/body", "kB/body", "growth");
}

static void write_row(const RealTimeResult* result) {
    printf("%-7s %-12s %7d %6d %9.4g %9.4g %9.4g %9.3g %9.3g %10.3g %10.3g %8.3g %7.3g",
           result->scene.label, result->scene.argument, result->bodies, result->steps, result->mean,
           result->p50, result->p99, 1e3 * result->deepest, 1e3 * result->deepest_99,
           1e3 * result->joint_error, result->energy, 1e3 * result->mean / result->bodies,
           1e-3 * result->bytes / result->bodies);
    if (result->growth > 0.0) {
        printf(" %6.3g", result->growth);
    }
    printf(result->is_independent ? "\n"
                                  : "  (overlap and joint error as the engine reports them)\n");
    fflush(stdout); // a long bench shows what it has
}

static void write_object(const RealTimeResult* result, int threads, JsonOut* json) {
    json_begin_object(json, NULL);
    json_text(json, "label", result->scene.label);
    json_text(json, "scene", result->scene.argument);
    json_integer(json, "bodies", result->bodies);
    json_integer(json, "threads", threads);
    json_integer(json, "steps", result->steps);
    json_begin_object(json, "ms_per_frame");
    json_real(json, "mean", result->mean);
    json_real(json, "p50", result->p50);
    json_real(json, "p99", result->p99);
    json_end(json);
    json_begin_object(json, "penetration");
    json_real(json, "worst", result->deepest);
    json_real(json, "p99", result->deepest_99);
    json_end(json);
    json_real(json, "joint_error", result->joint_error);
    json_text(json, "measured_from", result->is_independent ? "poses" : "contacts");
    json_real(json, "kinetic_energy", result->energy);
    json_real(json, "us_per_body", 1e3 * result->mean / result->bodies);
    json_real(json, "bytes_per_body", result->bytes / result->bodies);
    json_real(json, "growth", result->growth);
    json_begin_object(json, "stages_ms");
    for (int i = 0; i < CN_STAGE_COUNT; ++i) {
        json_real(json, cn_stage_name((CnStage)i), result->stage_ms[i]);
    }
    json_end(json);
    json_end(json);
}

ExitCode real_time_bench_run(const RealTimeBench* bench, Console* console, JsonOut* json) {
    int count = bench->scene_count > 0 ? bench->scene_count : DEFAULT_COUNT;
    double first = 0.0; // cost per body of the smallest of the family
    for (int i = 0; i < count && !interrupt_asked(); ++i) {
        CnError error = {0};
        RealTimeResult result = {.scene = default_scenes[i < DEFAULT_COUNT ? i : 0]};
        if (bench->scene_count > 0) {
            result.scene = find_scene(bench->scenes[i]);
        }
        if (!bench_scene(bench, &result, console, &error)) {
            return console_fail(console, &error);
        }
        if (result.scene.is_growth && result.steps > 0) {
            double cost = result.mean / result.bodies;
            first = first > 0.0 ? first : cost;
            result.growth = cost / first;
        }
        if (console->json && result.steps > 0) {
            write_object(&result, bench->threads, json);
        } else if (result.steps > 0) {
            if (i == 0) {
                write_head();
            }
            write_row(&result);
        }
    }
    return CODE_OK;
}

// recording_bench.c - what recording a run costs: time next to that of its steps, and bytes.
#include "bench/recording_bench.h"

#include "recording/codec.h"
#include "run/live_scene.h"
#include "run/run_outputs.h"
#include "terminal/interrupt.h"

#include <time.h>

static const char* const default_scenes[] = {"@pyramid:45", "@spheres:1000", "@pile:16"};
#define DEFAULT_SCENE_COUNT ((int)(sizeof default_scenes / sizeof default_scenes[0]))

typedef struct Cost {
    const char* scene;
    int bodies, contacts, steps;
    int64_t frames, bytes;
    double stepping, recording; // seconds of processor time
} Cost;

// Seconds of processor time: a busy machine does not count. With threads those of all.
static double processor_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Steps and recorder take turns in one run: both see the same machine.
static bool measure(const LiveScene* live, int steps, CnRecorder* recorder, Cost* cost,
                    CnError* error) {
    for (int i = 0; i < steps && !interrupt_asked(); ++i) {
        CnStepReport report;
        double before = processor_clock();
        if (cn_world_step(live->world, live->settings.dt, &report, error) != CN_OK) {
            return false;
        }
        double between = processor_clock();
        if (cn_recorder_add(recorder, &report, error) != CN_OK) {
            return false;
        }
        cost->stepping += between - before;
        cost->recording += processor_clock() - between;
        cost->contacts = report.contact_count;
        cost->steps += 1;
    }
    return true;
}

static bool measure_scene(const char* scene, const RecordingBench* bench, Console* console,
                          Cost* cost, CnError* error) {
    SceneOverrides overrides = scene_overrides_none();
    CnRecorderDef def = cn_recorder_def_default();
    LiveScene live;
    overrides.threads = bench->threads;
    *cost = (Cost){.scene = scene};
    bool ok = live_scene_open(&live, scene, &overrides, console, error);
    def.path = "/dev/null"; // the disk is not what is measured
    def.scene = live.scene;
    def.hash_every = FRAMES_PER_HASH; // as `cairn run --record` does
    def.codec = codec_for_writing();
    CnRecorder* recorder = ok ? cn_recorder_create(live.world, &def, error) : NULL;
    ok = recorder != NULL && measure(&live, bench->steps, recorder, cost, error);
    if (recorder != NULL) {
        double before = processor_clock();
        cost->bodies = cn_world_body_count(live.world);
        ok = cn_recorder_flush(recorder, ok ? error : NULL) == CN_OK && ok;
        cost->frames = cn_recorder_frames(recorder);
        cost->bytes = cn_recorder_bytes(recorder);
        ok = cn_recorder_close(recorder, ok ? error : NULL) == CN_OK && ok;
        cost->recording += processor_clock() - before;
    }
    live_scene_close(&live);
    return ok;
}

static void write_cost(const Cost* cost, const Console* console, JsonOut* json) {
    double share = cost->recording / (cost->stepping + cost->recording);
    double bytes = (double)cost->bytes / ((double)cost->bodies * (double)cost->frames);
    if (!console->json) {
        printf("%-20s %7d %9d %6d %7lld %10.4g %10.4g %8.2f %16.3g\n", cost->scene, cost->bodies,
               cost->contacts, cost->steps, (long long)cost->frames, cost->stepping,
               cost->recording, 100.0 * share, bytes);
        fflush(stdout); // a long bench shows what it has
        return;
    }
    json_begin_object(json, NULL);
    json_text(json, "scene", cost->scene);
    json_integer(json, "bodies", cost->bodies);
    json_integer(json, "contacts", cost->contacts);
    json_integer(json, "steps", cost->steps);
    json_integer(json, "frames", cost->frames);
    json_real(json, "step_seconds", cost->stepping);
    json_real(json, "record_seconds", cost->recording);
    json_real(json, "share", share);
    json_real(json, "bytes_per_body_and_frame", bytes);
    json_end(json);
}

ExitCode recording_bench_run(const RecordingBench* bench, Console* console, JsonOut* json) {
    int count = bench->scene_count > 0 ? bench->scene_count : DEFAULT_SCENE_COUNT;
    if (!console->json) {
        printf("%-20s %7s %9s %6s %7s %10s %10s %8s %16s\n", "scene", "bodies", "contacts", "steps",
               "frames", "steps [s]", "record [s]", "share %", "bytes/body/frame");
    }
    for (int i = 0; i < count && !interrupt_asked(); ++i) {
        const char* scene = bench->scene_count > 0 ? bench->scenes[i] : default_scenes[i];
        Cost cost;
        CnError error = {0};
        if (!measure_scene(scene, bench, console, &cost, &error)) {
            return console_fail(console, &error);
        }
        write_cost(&cost, console, json);
    }
    return CODE_OK;
}

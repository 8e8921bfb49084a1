// step_bench.c - a scene step by step: how long, how much work, how good.
#include "bench/step_bench.h"

#include "run/live_scene.h"
#include "terminal/interrupt.h"

#include <math.h>

// Steps since the last row, and all of them.
typedef struct StepTally {
    int steps, missed;       // missed: steps with an island above the tolerance
    double seconds, slowest; // sum, and the longest step
} StepTally;

static void add(StepTally* tally, const CnStepReport* report, double seconds) {
    ++tally->steps;
    tally->missed += report->not_converged > 0;
    tally->seconds += seconds;
    tally->slowest = fmax(tally->slowest, seconds);
}

static void write_header(const Console* console) {
    if (!console->json) {
        printf("%-16s %6s %9s %9s %10s %11s %11s %10s %7s %12s\n", "scene", "step", "contacts",
               "mean [s]", "slowest", "work", "correction", "residual", "missed", "penetration");
    }
}

static void write_row(const char* scene, int step, const StepTally* tally,
                      const CnStepReport* report, const Console* console, JsonOut* json) {
    double mean = tally->seconds / tally->steps;
    if (!console->json) {
        printf("%-16s %6d %9d %9.4f %10.4f %11.3g %11.3g %10.2e %7d %12.2e\n", scene, step,
               report->contact_count, mean, tally->slowest, report->work, report->correction_work,
               report->certificate.worst, tally->missed, report->penetration);
        fflush(stdout); // a long bench shows what it has
        return;
    }
    json_begin_object(json, NULL);
    json_text(json, "scene", scene);
    json_integer(json, "step", step);
    json_integer(json, "contacts", report->contact_count);
    json_real(json, "mean_seconds", mean);
    json_real(json, "slowest_seconds", tally->slowest);
    json_real(json, "work", report->work);
    json_real(json, "correction_work", report->correction_work);
    json_real(json, "residual", report->certificate.worst);
    json_integer(json, "missed", tally->missed);
    json_real(json, "penetration", report->penetration);
    json_end(json);
}

static bool run_scene(const StepBench* bench, const char* scene, Console* console, JsonOut* json,
                      CnError* error) {
    SceneOverrides overrides = scene_overrides_none();
    overrides.threads = bench->threads;
    overrides.tolerance = bench->tolerance;
    LiveScene live;
    StepTally all = {0}, recent = {0};
    bool ok = live_scene_open(&live, scene, &overrides, console, error);
    for (int step = 1; ok && step <= bench->steps && !interrupt_asked(); ++step) {
        CnStepReport report;
        double started = console_clock();
        ok = cn_world_step(live.world, live.settings.dt, &report, error) == CN_OK;
        double seconds = console_clock() - started;
        if (ok) {
            add(&all, &report, seconds);
            add(&recent, &report, seconds);
        }
        if (ok && step % bench->every == 0) {
            write_row(scene, step, &recent, &report, console, json);
            recent = (StepTally){0};
        }
    }
    if (ok && all.steps > 0 && !console->json) {
        printf("%-16s %d steps, %.4g s in all, %.4g s each, the slowest %.4g s, %d missed the "
               "tolerance\n",
               scene, all.steps, all.seconds, all.seconds / all.steps, all.slowest, all.missed);
    }
    live_scene_close(&live);
    return ok;
}

ExitCode step_bench_run(const StepBench* bench, Console* console, JsonOut* json) {
    write_header(console);
    for (int i = 0; i < bench->scene_count && !interrupt_asked(); ++i) {
        CnError error = {0};
        if (!run_scene(bench, bench->scenes[i], console, json, &error)) {
            return console_fail(console, &error);
        }
    }
    return CODE_OK;
}

// recorded_run.c - a scene run from start to end with a recording of it: for pictures and pages.
#include "run/recorded_run.h"

#include "run/run_outputs.h"
#include "run/schedule.h"
#include "terminal/interrupt.h"
#include "terminal/progress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool take_steps(const LiveScene* live, const Schedule* schedule, RunOutputs* outputs,
                       const Console* console, RunSummary* summary, CnError* error) {
    Progress progress = progress_begin(console, cn_scene_name(live->scene));
    double started = console_clock();
    bool ok = true;
    for (int64_t i = 0; i < schedule->steps && ok && !interrupt_asked(); ++i) {
        CnStepReport report;
        ok = cn_world_step(live->world, schedule_dt(schedule, i), &report, error) == CN_OK &&
             run_outputs_add(outputs, live->world, &report, error);
        if (ok) {
            run_summary_add(summary, live->world, &report);
        }
        if (ok && progress_is_due(&progress)) {
            char detail[40];
            snprintf(detail, sizeof detail, "t = %.4g s", report.time);
            progress_show(&progress, (double)(i + 1) / (double)schedule->steps, detail);
        }
    }
    summary->seconds = console_clock() - started;
    summary->is_interrupted = ok && summary->steps < schedule->steps;
    progress_end(&progress);
    return ok;
}

static bool record(const RecordedRun* run, const LiveScene* live, RunSummary* summary,
                   CnError* error) {
    Schedule schedule;
    OutputOptions options = output_options_none();
    RunOutputs outputs = run_outputs_none();
    CnError closing = {0};
    options.record = run->path;
    *summary = run_summary_begin(live->world);
    bool ok = schedule_make(&live->settings, cn_world_time(live->world), &schedule, error) &&
              run_outputs_open(&outputs, &options, live, error) &&
              take_steps(live, &schedule, &outputs, run->console, summary, error);
    bool is_closed = run_outputs_close(&outputs, &closing);
    if (ok && !is_closed) {
        *error = closing;
    }
    return ok && is_closed;
}

bool record_run(const RecordedRun* run, RunSummary* summary, CnError* error) {
    LiveScene live;
    bool ok = live_scene_open(&live, run->scene, &run->overrides, run->console, error) &&
              record(run, &live, summary, error);
    live_scene_close(&live);
    return ok;
}

bool is_recording(const char* path) {
    char start[8] = {0};
    FILE* file = fopen(path, "rb");
    if (file != NULL) {
        size_t read = fread(start, 1, sizeof start, file);
        fclose(file);
        return read == sizeof start && memcmp(start, "CAIRNREC", sizeof start) == 0;
    }
    return false;
}

bool make_temporary(char* path, size_t size, CnError* error) {
    const char* folder = getenv("TMPDIR");
    snprintf(path, size, "%s/cairn-XXXXXX", folder == NULL || folder[0] == 0 ? "/tmp" : folder);
    int file = mkstemp(path);
    if (file < 0) {
        error->status = CN_INVALID;
        snprintf(error->message, sizeof error->message, "%s cannot be written: %s", path,
                 strerror(errno));
        return false;
    }
    close(file);
    return true;
}

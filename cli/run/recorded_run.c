// recorded_run.c - a scene run from start to end with a recording of it: for pictures and pages.
#include "run/recorded_run.h"

#include "run/run_loop.h"

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
              run_steps(live, &schedule, &outputs, run->console, summary, error);
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

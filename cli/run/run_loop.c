// run_loop.c - the steps of a run, one after the other, with what they write and say.
#include "run/run_loop.h"

#include "terminal/interrupt.h"
#include "terminal/progress.h"

// One step; its report also goes to the outputs and into the summary.
static bool take_step(const LiveScene* live, double dt, RunOutputs* outputs, RunSummary* summary,
                      CnStepReport* report, CnError* error) {
    double started = console_clock();
    if (cn_world_step(live->world, dt, report, error) != CN_OK) {
        return false;
    }
    summary->step_seconds += console_clock() - started;
    run_summary_add(summary, live->world, report);
    return run_outputs_add(outputs, live->world, report, error);
}

static void show_progress(Progress* progress, const CnStepReport* report, double share) {
    char detail[64];
    snprintf(detail, sizeof detail, "t = %.4g s, %d contacts", report->time, report->contact_count);
    progress_show(progress, share, detail);
}

bool run_steps(const LiveScene* live, const Schedule* schedule, RunOutputs* outputs,
               const Console* console, RunSummary* summary, CnError* error) {
    Progress progress = progress_begin(console, cn_scene_name(live->scene));
    double started = console_clock();
    bool ok = true;

    for (int64_t i = 0; i < schedule->steps && ok && !interrupt_asked(); ++i) {
        CnStepReport report;
        ok = take_step(live, schedule_dt(schedule, i), outputs, summary, &report, error);
        if (ok && progress_is_due(&progress)) {
            show_progress(&progress, &report, (double)(i + 1) / (double)schedule->steps);
        }
    }
    summary->seconds = console_clock() - started;
    summary->is_interrupted = ok && summary->steps < schedule->steps;
    progress_end(&progress);
    return ok;
}

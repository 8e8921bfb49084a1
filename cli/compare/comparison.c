// comparison.c - a scene run in several ways, and how far each is from the most accurate one.
#include "compare/comparison.h"

#include "run/files.h"
#include "run/run_loop.h"
#include "terminal/interrupt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// ---- before the first run ----

// What a wrong variant is called in messages.
static void blame_variant(const VariantRun* run, CnError* error) {
    CnError reason = *error;
    if (run->variant.words != NULL) {
        snprintf(error->message, sizeof error->message, "--with \"%.90s\": ", run->variant.name);
        size_t used = strlen(error->message);
        snprintf(error->message + used, sizeof error->message - used, "%s", reason.message);
    }
}

// The settings and the schedule of one variant.
static bool look_at(VariantRun* run, const char* argument, Console* console, Schedule* schedule,
                    CnError* error) {
    LiveScene live;
    bool ok = live_scene_open(&live, argument, &run->variant.overrides, console, error) &&
              schedule_make(&live.settings, cn_world_time(live.world), schedule, error);
    if (ok) {
        run->settings = live.settings;
        snprintf(run->solver, sizeof run->solver, "%s", live.settings.solver.name);
        run->settings.solver.name = NULL;
    } else {
        blame_variant(run, error);
    }
    live_scene_close(&live);
    return ok;
}

ExitCode comparison_check(Comparison* comparison, Console* console) {
    Schedule schedules[MAX_VARIANTS];
    int64_t steps[MAX_VARIANTS];
    CnError error = {0};
    for (int i = 0; i < comparison->count; ++i) {
        if (!look_at(&comparison->runs[i], comparison->argument, console, &schedules[i], &error)) {
            return console_fail(console, &error);
        }
    }
    samples_choose(schedules, comparison->count, steps);
    comparison->has_shared_times = steps[0] > 0;
    for (int i = 0; i < comparison->count; ++i) {
        comparison->runs[i].sample_steps = steps[i];
    }
    return CODE_OK;
}

// ---- the runs ----

static bool take_run(VariantRun* run, const LiveScene* live, Console* console, CnError* error) {
    Schedule schedule;
    OutputOptions options = output_options_none();
    RunOutputs outputs = run_outputs_none();
    CnError closing = {0};
    options.record = run->recording[0] != '\0' ? run->recording : NULL;
    options.watch = samples_watch(&run->samples);
    if (run->sample_steps > 0) { // frames of all runs at the same times
        options.frame_rate = 1.0 / ((double)run->sample_steps * run->settings.dt);
    }
    run->summary = run_summary_begin(live->world);
    bool ok = schedule_make(&live->settings, cn_world_time(live->world), &schedule, error) &&
              samples_begin(&run->samples, live->world, &schedule, run->sample_steps, error) &&
              run_outputs_open(&outputs, &options, live, error);
    if (ok) {
        run->is_whole = run_steps(live, &schedule, &outputs, console, &run->summary, &run->error) &&
                        samples_are_whole(&run->samples);
    }
    bool is_closed = run_outputs_close(&outputs, &closing);
    if (ok && !is_closed) {
        *error = closing;
    }
    return ok && is_closed;
}

static bool run_variant(VariantRun* run, const char* argument, bool with_recording,
                        Console* console, CnError* error) {
    LiveScene live = {0};
    bool ok = !with_recording || make_temporary(run->recording, sizeof run->recording, error);
    if (!ok) {
        run->recording[0] = '\0';
        return false;
    }
    ok = live_scene_open(&live, argument, &run->variant.overrides, console, error) &&
         take_run(run, &live, console, error);
    live_scene_close(&live);
    return ok;
}

// ---- how accurate they are ----

static double step_length(const VariantRun* run) {
    return run->settings.dt / run->settings.step.substeps;
}

// Residuals as an order: what was never graded, or is not a number, is worst.
static double grade(const VariantRun* run) {
    double residual = run_summary_residual(&run->summary);
    return isnan(residual) ? (double)INFINITY : residual;
}

// Runs that solve every step to the tightest tolerance of all tie in their residuals: there the
// shorter step tells more than what is left below the tolerance.
static bool is_better(const VariantRun* a, const VariantRun* b, double tolerance) {
    bool both_solve = grade(a) <= tolerance && grade(b) <= tolerance;
    if (!both_solve && grade(a) != grade(b)) {
        return grade(a) < grade(b);
    }
    if (step_length(a) != step_length(b)) {
        return step_length(a) < step_length(b);
    }
    return grade(a) < grade(b);
}

static double tightest_tolerance(const Comparison* comparison) {
    double tolerance = comparison->runs[0].settings.solver.tolerance;
    for (int i = 1; i < comparison->count; ++i) {
        tolerance = fmin(tolerance, comparison->runs[i].settings.solver.tolerance);
    }
    return tolerance;
}

// A sentence that says by which rule the best run was chosen.
static void explain_best(Comparison* comparison, double tolerance) {
    const VariantRun* best = &comparison->runs[comparison->best];
    char* reason = comparison->reason;
    size_t size = sizeof comparison->reason;
    int solving = 0, equal = 0; // of these, with steps of the same length
    for (int i = 0; i < comparison->count; ++i) {
        const VariantRun* run = &comparison->runs[i];
        bool solves = run->is_whole && grade(run) <= tolerance;
        solving += solves;
        equal += solves && step_length(run) == step_length(best);
    }
    if (solving < 2) {
        snprintf(reason, size, "it has the least worst residual, %.3g m/s",
                 best->summary.worst_residual);
    } else if (equal == 1) {
        snprintf(reason, size,
                 "of %d that solve every step to %g m/s it has the shortest step, %g s", solving,
                 tolerance, step_length(best));
    } else {
        snprintf(
            reason, size,
            "of %d that solve every step to %g m/s, with steps of %g s, it has the least worst "
            "residual, %.3g m/s",
            equal, tolerance, step_length(best), best->summary.worst_residual);
    }
}

static void choose_best(Comparison* comparison) {
    double tolerance = tightest_tolerance(comparison);
    comparison->best = -1;
    for (int i = 0; i < comparison->count; ++i) {
        const VariantRun* run = &comparison->runs[i];
        if (run->is_whole && (comparison->best < 0 ||
                              is_better(run, &comparison->runs[comparison->best], tolerance))) {
            comparison->best = i;
        }
    }
    if (comparison->best >= 0) {
        explain_best(comparison, tolerance);
    }
}

// To the most accurate run; a run that stopped is compared as far as it came.
static void compare_with(VariantRun* run, const VariantRun* best) {
    const Samples *samples = &run->samples, *other = &best->samples;
    run->creep = run->difference_end = run->difference_worst = run->worst_time = (double)NAN;
    if (samples->body_count != other->body_count || samples->capacity != other->capacity) {
        return; // not the same bodies
    }
    int body;
    for (int i = 0; i < samples->count; ++i) {
        double difference = samples_difference(samples, other, i, &body);
        if (!(difference <= run->difference_worst)) {
            run->difference_worst = difference;
            run->worst_time = samples->time[i];
        }
        if (i + 1 == samples->capacity) {
            run->difference_end = difference;
            run->creep = samples_creep(samples, other);
        }
    }
}

bool comparison_run(Comparison* comparison, bool with_recordings, Console* console,
                    CnError* error) {
    for (int i = 0; i < comparison->count && !interrupt_asked(); ++i) {
        VariantRun* run = &comparison->runs[i];
        console_note(console, "%d of %d: %s", i + 1, comparison->count, run->variant.name);
        if (!run_variant(run, comparison->argument, with_recordings, console, error)) {
            blame_variant(run, error);
            return false;
        }
        if (run->error.status != CN_OK) {
            console_note(console, "%s stopped at %g s: %s", run->variant.name,
                         (double)run->summary.steps * run->settings.dt, run->error.message);
        }
    }
    choose_best(comparison);
    for (int i = 0; comparison->best >= 0 && i < comparison->count; ++i) {
        compare_with(&comparison->runs[i], &comparison->runs[comparison->best]);
    }
    return true;
}

void comparison_free(Comparison* comparison) {
    for (int i = 0; i < comparison->count; ++i) {
        VariantRun* run = &comparison->runs[i];
        if (run->recording[0] != '\0') {
            unlink(run->recording);
        }
        run_attribution_release(&run->summary.attribution);
        samples_free(&run->samples);
        variant_free(&run->variant);
    }
}

// comparison_report.c - a comparison as a table, as JSON and as a page.
#include "compare/comparison_report.h"

#include "serve/html.h"
#include "terminal/json_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- table ----

#define LONGEST_NAME 44 // columns of the first column at most

static int name_width(const Comparison* comparison) {
    size_t width = strlen("variant");
    for (int i = 0; i < comparison->count; ++i) {
        size_t length = strlen(comparison->runs[i].variant.name);
        width = length > width ? length : width;
    }
    return width < LONGEST_NAME ? (int)width : LONGEST_NAME;
}

static void print_number(double value, int width) {
    if (isnan(value)) {
        printf(" %*s", width, "-");
    } else {
        printf(" %*.3g", width, value);
    }
}

static void print_row(const VariantRun* run, int width, bool is_best) {
    const RunSummary* summary = &run->summary;
    const double columns[] = {
        summary->step_seconds, run_summary_residual(summary),
        summary->penetration,  run->creep,
        summary->joint_error,  run_summary_ledger(summary, summary->energy_error),
        run->difference_end,   run->difference_worst,
    };
    printf("%s %-*s", is_best ? "*" : " ", width, run->variant.name);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; ++i) {
        print_number(columns[i], 10);
    }
    printf(" %7lld%s\n", (long long)summary->not_converged,
           run->is_whole ? "" : "  stopped before the end");
}

void comparison_print(const Comparison* comparison) {
    int width = name_width(comparison);
    printf("  %-*s %10s %10s %10s %10s %10s %10s %10s %10s %7s\n", width, "variant", "time",
           "residual", "penetr.", "creep", "joint err.", "energy e.", "diff. end", "diff. max",
           "missed");
    printf("  %-*s %10s %10s %10s %10s %10s %10s %10s %10s %7s\n", width, "", "[s]", "[m/s]", "[m]",
           "[m/s]", "[m]", "[1]", "[m]", "[m]", "steps");
    for (int i = 0; i < comparison->count; ++i) {
        print_row(&comparison->runs[i], width, i == comparison->best);
    }
    if (comparison->best < 0) {
        printf("no variant reached the end: there is nothing to compare with\n");
        return;
    }
    printf("* most accurate: %s; %s\n", comparison->runs[comparison->best].variant.name,
           comparison->reason);
    if (!comparison->has_shared_times) {
        printf("differences are those of the end: the steps have no other time in common\n");
    }
}

// ---- JSON ----

// At every sample, for the plot of a page.
static void write_series(JsonOut* json, const VariantRun* run, const VariantRun* best) {
    const Samples* samples = &run->samples;
    int body;
    json_begin_array(json, "times");
    for (int i = 0; i < samples->count; ++i) {
        json_real(json, NULL, samples->time[i]);
    }
    json_end(json);
    json_begin_array(json, "differences");
    for (int i = 0; i < samples->count && !isnan(run->difference_worst); ++i) {
        json_real(json, NULL, samples_difference(samples, &best->samples, i, &body));
    }
    json_end(json);
}

static void write_run(JsonOut* json, const VariantRun* run, const VariantRun* best,
                      bool with_series) {
    const RunSummary* summary = &run->summary;
    json_begin_object(json, NULL);
    json_text(json, "name", run->variant.name);
    json_text(json, "scheme", cn_scheme_name(run->settings.step.scheme));
    json_text(json, "solver", run->solver);
    json_real(json, "dt", run->settings.dt);
    json_integer(json, "substeps", run->settings.step.substeps);
    json_real(json, "tolerance", run->settings.solver.tolerance);
    json_integer(json, "steps", summary->steps);
    json_real(json, "seconds", summary->step_seconds);
    json_real(json, "work", summary->work);
    json_real(json, "residual", run_summary_residual(summary));
    json_integer(json, "not_converged", summary->not_converged);
    json_real(json, "penetration", summary->penetration);
    json_real(json, "creep", run->creep);
    json_real(json, "joint_error", summary->joint_error);
    json_real(json, "energy_error", run_summary_ledger(summary, summary->energy_error));
    json_begin_object(json, "difference");
    json_real(json, "end", run->difference_end);
    json_real(json, "worst", run->difference_worst);
    json_real(json, "time", run->worst_time);
    json_end(json);
    json_text(json, "stopped",
              run->is_whole                   ? NULL
              : run->error.message[0] != '\0' ? run->error.message
                                              : "interrupted");
    if (with_series && best != NULL) {
        write_series(json, run, best);
    }
    json_end(json);
}

static void write_json(JsonOut* json, const Comparison* comparison, bool with_series) {
    const VariantRun* best = comparison->best >= 0 ? &comparison->runs[comparison->best] : NULL;
    json_begin_object(json, NULL);
    json_text(json, "scene", comparison->argument);
    json_text(json, "most_accurate", best != NULL ? best->variant.name : NULL);
    json_integer(json, "most_accurate_index", comparison->best);
    json_text(json, "reason", best != NULL ? comparison->reason : NULL);
    json_boolean(json, "has_shared_times", comparison->has_shared_times);
    json_begin_array(json, "variants");
    for (int i = 0; i < comparison->count; ++i) {
        write_run(json, &comparison->runs[i], best, with_series);
    }
    json_end(json);
    json_end(json);
}

void comparison_print_json(const Comparison* comparison) {
    JsonOut json = json_open(stdout);
    write_json(&json, comparison, false);
}

// ---- page ----

bool comparison_write_page(const Comparison* comparison, const char* html, CnError* error) {
    HtmlTrack tracks[MAX_VARIANTS];
    char* text = NULL;
    size_t length = 0;
    FILE* memory = open_memstream(&text, &length);
    if (memory != NULL) {
        JsonOut json = json_open_line(memory);
        write_json(&json, comparison, true);
    }
    if (memory == NULL || fclose(memory) != 0) {
        free(text);
        error->status = CN_NO_MEMORY;
        snprintf(error->message, sizeof error->message, "no memory for the page");
        return false;
    }
    int count = 0;
    for (; count < comparison->count && comparison->runs[count].recording[0] != '\0'; ++count) {
        tracks[count] =
            (HtmlTrack){comparison->runs[count].variant.name, comparison->runs[count].recording};
    }
    const HtmlPage page = {tracks, count, "comparison", text};
    bool ok = html_write(html, &page, error);
    free(text);
    return ok;
}

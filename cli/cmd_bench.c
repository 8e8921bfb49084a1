// cmd_bench.c - `cairn bench`: the time of steps, or the cost of solvers and of problems.
#include "bench/problem_bench.h"
#include "bench/real_time_bench.h"
#include "bench/recording_bench.h"
#include "bench/solver_cost.h"
#include "bench/step_bench.h"
#include "run/live_scene.h"
#include "run/run_summary.h"
#include "terminal/interrupt.h"
#include "terminal/json_out.h"
#include "terminal/options.h"
#include "terminal/progress.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_STEPS 1000
#define MAX_BENCH_STEPS 10000000 // 80 MB of times

// Without scenes on the command line: stacks that rest, balls that pile up, chains that swing, each
// at several sizes, and machines with motors.
static const char* const default_scenes[] = {
    "@stack:5",  "@stack:10", "@stack:20",  "@heavy_stack:4", "@spheres:32", "@spheres:64",
    "@chain:10", "@chain:40", "@chain:160", "@robot",         "@stewart",
};
#define DEFAULT_SCENE_COUNT ((int)(sizeof default_scenes / sizeof default_scenes[0]))

// Whose cost is measured: the two that sweep contact by contact.
static const char* const swept_solvers[] = {"pgs", "nsgs"};
#define SWEPT_SOLVER_COUNT ((int)(sizeof swept_solvers / sizeof swept_solvers[0]))

typedef struct BenchResult {
    const char* scene;
    int bodies, contacts; // contacts: the most any step had
    int threads, steps;
    double mean, p50, p99; // [ms]
    double residual;       // worst [m/s]
    double penetration;    // worst [m]
} BenchResult;

// Where the results of a command go, one by one as they are ready.
typedef struct Report {
    const Console* console;
    JsonOut json;
} Report;

// ---- scenes ----

static int compare_doubles(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// The smallest time that a share of all steps did not exceed (nearest rank); times are sorted.
static double percentile(const double* times, int count, double share) {
    int rank = (int)ceil(share * count);
    return times[rank > 0 ? rank - 1 : 0];
}

static void summarise_times(double* times, int count, BenchResult* result) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        sum += times[i];
    }
    qsort(times, (size_t)count, sizeof times[0], compare_doubles);
    result->mean = sum / count;
    result->p50 = percentile(times, count, 0.50);
    result->p99 = percentile(times, count, 0.99);
}

static bool time_steps(const LiveScene* live, const Console* console, double* times,
                       BenchResult* result, CnError* error) {
    Progress progress = progress_begin(console, result->scene);
    RunSummary summary = run_summary_begin(live->world);
    bool ok = true;
    int made = 0;
    while (ok && made < result->steps && !interrupt_asked()) {
        CnStepReport report;
        double started = console_clock();
        ok = cn_world_step(live->world, live->settings.dt, &report, error) == CN_OK;
        times[made] = 1e3 * (console_clock() - started);
        if (ok) {
            ++made;
            run_summary_add(&summary, live->world, &report);
            if (report.contact_count > result->contacts) {
                result->contacts = report.contact_count;
            }
            if (progress_is_due(&progress)) {
                progress_show(&progress, (double)made / result->steps, "timing steps");
            }
        }
    }
    progress_end(&progress);
    result->steps = made;
    result->residual = summary.worst_residual;
    result->penetration = summary.penetration;
    return ok;
}

// Scene, threads and steps of the result are given; the rest is measured, steps too when it is
// interrupted.
static bool bench_scene(BenchResult* result, Console* console, CnError* error) {
    SceneOverrides overrides = scene_overrides_none();
    overrides.threads = result->threads;
    LiveScene live;
    double* times = calloc((size_t)result->steps, sizeof *times);
    bool ok = live_scene_open(&live, result->scene, &overrides, console, error);
    if (ok && times == NULL) {
        error->status = CN_NO_MEMORY;
        snprintf(error->message, sizeof error->message, "no memory for the times of %d steps",
                 result->steps);
        ok = false;
    }
    if (ok) {
        result->bodies = cn_world_body_count(live.world);
        ok = time_steps(&live, console, times, result, error);
    }
    if (ok && result->steps > 0) {
        summarise_times(times, result->steps, result);
    }
    live_scene_close(&live);
    free(times);
    return ok;
}

static void write_result(Report* report, const BenchResult* result) {
    JsonOut* json = &report->json;
    if (!report->console->json) {
        printf("%-28s %8d %9d %8d %7d %10.4g %10.4g %10.4g %10.3g %12.3g\n", result->scene,
               result->bodies, result->contacts, result->threads, result->steps, result->mean,
               result->p50, result->p99, result->residual, result->penetration);
        fflush(stdout); // a long bench shows what it has
        return;
    }
    json_begin_object(json, NULL);
    json_text(json, "scene", result->scene);
    json_integer(json, "bodies", result->bodies);
    json_integer(json, "contacts", result->contacts);
    json_integer(json, "threads", result->threads);
    json_integer(json, "steps", result->steps);
    json_begin_object(json, "ms_per_step");
    json_real(json, "mean", result->mean);
    json_real(json, "p50", result->p50);
    json_real(json, "p99", result->p99);
    json_end(json);
    json_real(json, "residual", result->residual);
    json_real(json, "penetration", result->penetration);
    json_end(json);
}

static ExitCode bench_scenes(Arguments* arguments, Report* report, int threads, int steps) {
    bool named = arguments->operand_count > 0;
    int count = named ? arguments->operand_count : DEFAULT_SCENE_COUNT;
    if (!arguments->console.json) {
        printf("%-28s %8s %9s %8s %7s %10s %10s %10s %10s %12s\n", "scene", "bodies", "contacts",
               "threads", "steps", "mean [ms]", "p50 [ms]", "p99 [ms]", "residual", "penetration");
    }
    for (int i = 0; i < count && !interrupt_asked(); ++i) {
        BenchResult result = {.scene = named ? arguments->operands[i] : default_scenes[i],
                              .threads = threads,
                              .steps = steps};
        CnError error = {0};
        if (!bench_scene(&result, &arguments->console, &error)) {
            return console_fail(&arguments->console, &error);
        }
        if (result.steps > 0) {
            write_result(report, &result);
        }
    }
    return CODE_OK;
}

// ---- solvers ----

static void write_cost(Report* report, const SolverCost* cost) {
    JsonOut* json = &report->json;
    for (int i = 0; i < cost->row_count; ++i) {
        const CostRow* row = &cost->rows[i];
        if (!report->console->json) {
            printf("%-8s %9d %8d %11d %14.4g %12.4g %8.3g\n", row->solver, row->contacts,
                   row->bodies, row->iterations, row->nanoseconds, row->yardstick, row->ratio);
            continue;
        }
        json_begin_object(json, NULL);
        json_text(json, "solver", row->solver);
        json_integer(json, "contacts", row->contacts);
        json_integer(json, "bodies", row->bodies);
        json_integer(json, "iterations", row->iterations);
        json_real(json, "ns_per_contact_iteration", row->nanoseconds);
        json_real(json, "yardstick_ns", row->yardstick);
        json_real(json, "ratio", row->ratio);
        json_real(json, "growth", cost->growth);
        json_end(json);
    }
    if (!report->console->json && cost->row_count > 1) {
        printf("%-8s grows with contacts^%.3f, against the yardstick\n", cost->rows[0].solver,
               cost->growth);
    }
}

static ExitCode bench_solvers(Report* report, int max_contacts) {
    if (!report->console->json) {
        printf("%-8s %9s %8s %11s %14s %12s %8s\n", "solver", "contacts", "bodies", "iterations",
               "ns/contact/it", "yardstick ns", "ratio");
    }
    for (int i = 0; i < SWEPT_SOLVER_COUNT && !interrupt_asked(); ++i) {
        SolverCost cost;
        CnError error = {0};
        if (solver_cost_measure(swept_solvers[i], max_contacts, &cost, &error) != CN_OK) {
            return console_fail(report->console, &error);
        }
        write_cost(report, &cost);
    }
    return CODE_OK;
}

// ---- the command ----

#define RECORDED_STEPS 180 // of --recording: three chunks of frames at 60 steps per second

static const char notes[] =
    "Without scenes: some built-in ones at several sizes. --solver-cost times iterations of pgs\n"
    "and nsgs on generated problems of 100 to 100000 contacts, also as a ratio to one pass\n"
    "u = J v over the same rows. --problems takes the problem of one step of each scene and lets "
    "auto\n"
    "solve it from zero; without scenes, hard ones and families that grow. --every shows the\n"
    "scenes named step by step: seconds, work and residual. --recording records scenes (without\n"
    "scenes: some of a thousand bodies) and says which share of the time that takes. --real-time\n"
    "measures overlaps and joint errors too; without scenes: S1, S2, S3, S5a, S5b, S6, S7 and S9 "
    "of\n"
    "the bench (which go by these names), and pyramids in growing numbers.";

typedef struct BenchOptions {
    int threads, steps; // steps 0: not said
    bool solver_cost, problems, recording, real_time;
    int max_contacts;
    int every;        // 0: not said
    double tolerance; // [m/s]; 0: what the scenes say
} BenchOptions;

// What the table of options cannot say: which of them go together.
static bool check_options(const BenchOptions* chosen, const Arguments* arguments) {
    if (chosen->solver_cost + chosen->problems + chosen->recording + chosen->real_time > 1) {
        console_error(&arguments->console, "--solver-cost, --problems, --recording and --real-time "
                                           "are different benches: name one");
        return false;
    }
    if (chosen->solver_cost && arguments->operand_count > 0) {
        console_error(&arguments->console,
                      "--solver-cost makes its own problems and takes no scene; there is \"%s\"",
                      arguments->operands[0]);
        return false;
    }
    if (chosen->every > 0 &&
        (chosen->solver_cost || chosen->problems || chosen->recording || chosen->real_time)) {
        console_error(&arguments->console, "--every shows scenes step by step, not with %s",
                      chosen->problems      ? "--problems"
                      : chosen->real_time   ? "--real-time"
                      : chosen->solver_cost ? "--solver-cost"
                                            : "--recording");
        return false;
    }
    if (chosen->every > 0 && arguments->operand_count == 0) {
        console_error(&arguments->console, "--every needs a scene");
        return false;
    }
    if (chosen->tolerance > 0.0 && chosen->every == 0) {
        console_error(&arguments->console, "--tolerance goes with --every");
        return false;
    }
    if (chosen->max_contacts < COST_FIRST_SIZE) {
        console_error(&arguments->console, "--max-contacts is %d; the smallest problem has %d",
                      chosen->max_contacts, COST_FIRST_SIZE);
        return false;
    }
    return true;
}

static ExitCode run_chosen(const BenchOptions* chosen, Arguments* arguments, Report* report) {
    if (chosen->solver_cost) {
        return bench_solvers(report, chosen->max_contacts);
    }
    if (chosen->problems) {
        ProblemBench bench = {.scenes = arguments->operands,
                              .scene_count = arguments->operand_count,
                              .steps = chosen->steps > 0 ? chosen->steps : PROBLEM_STEPS,
                              .max_contacts = chosen->max_contacts};
        return problem_bench_run(&bench, &arguments->console, &report->json);
    }
    if (chosen->real_time) {
        RealTimeBench bench = {.scenes = arguments->operands,
                               .scene_count = arguments->operand_count,
                               .threads = chosen->threads,
                               .steps = chosen->steps};
        return real_time_bench_run(&bench, &arguments->console, &report->json);
    }
    if (chosen->recording) {
        RecordingBench bench = {.scenes = arguments->operands,
                                .scene_count = arguments->operand_count,
                                .threads = chosen->threads,
                                .steps = chosen->steps > 0 ? chosen->steps : RECORDED_STEPS};
        return recording_bench_run(&bench, &arguments->console, &report->json);
    }
    if (chosen->every > 0) {
        StepBench bench = {.scenes = arguments->operands,
                           .scene_count = arguments->operand_count,
                           .threads = chosen->threads,
                           .steps = chosen->steps > 0 ? chosen->steps : DEFAULT_STEPS,
                           .every = chosen->every,
                           .tolerance = chosen->tolerance};
        return step_bench_run(&bench, &arguments->console, &report->json);
    }
    return bench_scenes(arguments, report, chosen->threads,
                        chosen->steps > 0 ? chosen->steps : DEFAULT_STEPS);
}

ExitCode command_bench(const Command* self, int argc, char** argv) {
    BenchOptions chosen = {.threads = 1, .max_contacts = COST_LAST_SIZE};
    const Option options[] = {
        option_count("threads", "N", &chosen.threads, MAX_THREADS, "workers (default 1)"),
        option_count("steps", "N", &chosen.steps, MAX_BENCH_STEPS,
                     "steps to time in each scene (default 1000; 180 with --recording; its "
                     "duration with --real-time); with "
                     "--problems: the step to "
                     "solve (5)"),
        option_flag("solver-cost", &chosen.solver_cost, "measure solvers instead of scenes"),
        option_flag("problems", &chosen.problems, "solve one step of each scene, from zero"),
        option_flag("recording", &chosen.recording,
                    "what recording costs next to the steps, and its bytes"),
        option_flag("real-time", &chosen.real_time,
                    "frames of 1/60 s with the real-time preset: times and errors of positions"),
        option_count("max-contacts", "N", &chosen.max_contacts, COST_LAST_SIZE,
                     "of --solver-cost and --problems: leave out larger problems"),
        option_count("every", "N", &chosen.every, MAX_BENCH_STEPS,
                     "a row for every N-th step: seconds, work, residual"),
        option_positive("tolerance", "E", &chosen.tolerance,
                        "of --every: largest residual of a block [m/s]"),
    };
    const Usage usage = {
        self, "[SCENE...]", 0, ANY_NUMBER_OF_OPERANDS, options, OPTION_TABLE_COUNT(options), notes};
    Arguments arguments;
    ExitCode code;
    if (!options_parse(&usage, argc, argv, &arguments, &code)) {
        return code;
    }
    if (!check_options(&chosen, &arguments)) {
        return CODE_USAGE;
    }
    Report report = {.console = &arguments.console, .json = json_open(stdout)};
    if (arguments.console.json) {
        json_begin_array(&report.json, NULL);
    }
    interrupt_hold(arguments.console.quiet);
    code = run_chosen(&chosen, &arguments, &report);
    if (arguments.console.json) {
        json_end(&report.json);
    }
    if (interrupt_asked()) {
        console_note(&arguments.console, "interrupted: what is missing was not measured");
    }
    return code;
}

// problem_bench.c - steps of scenes as problems for `auto`: how well, how long, how it grows.
#include "bench/problem_bench.h"

#include "bench/solver_cost.h"
#include "cairn/solver.h"
#include "run/live_scene.h"
#include "terminal/interrupt.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

// Solves are repeated until they have taken so long, and their mean counts: of the processor, which
// others on the machine do not change, but which counts in ticks of some milliseconds.
#define LEAST_SECONDS 0.3

// A step of a scene, and about how many contacts it has: what is left out is not even posed.
typedef struct Subject {
    const char* scene;
    int step; // from 1
    int contacts;
} Subject;

// Stacks that lean on each other, mass ratios of 1e3 and 1e6, joints with contacts.
static const Subject hard_ones[] = {
    {"@pyramid:20", 5, 1600},  {"@cardhouse:5", 5, 130}, {"@arch:1095", 5, 110},
    {"@wall:57", 5, 5000},     {"@kapla:40", 5, 640},    {"@heavy_stack:4", 5, 16},
    {"@heavy_stack:7", 5, 28}, {"@grasp", 50, 8},        {"@ground_chain:50", 30, 100},
    {"@pile:2", 100, 300},
};

// Scenes of one kind whose contacts grow from a hundred to ten thousand.
#define FAMILY_SIZES 5

typedef struct Family {
    const char* name;
    Subject members[FAMILY_SIZES];
} Family;

static const Family families[] = {
    {"pyramid",
     {{"@pyramid:5", 5, 100},
      {"@pyramid:9", 5, 324},
      {"@pyramid:16", 5, 1024},
      {"@pyramid:28", 5, 3136},
      {"@pyramid:50", 5, 10000}}},
    {"wall",
     {{"@wall:2", 5, 128},
      {"@wall:4", 5, 300},
      {"@wall:12", 5, 1000},
      {"@wall:36", 5, 3000},
      {"@wall:115", 5, 10000}}},
    {"kapla",
     {{"@kapla:6", 5, 96},
      {"@kapla:20", 5, 320},
      {"@kapla:62", 5, 992},
      {"@kapla:200", 5, 3200},
      {"@kapla:625", 5, 10000}}},
    {"ground_chain",
     {{"@ground_chain:50", 5, 100},
      {"@ground_chain:160", 5, 320},
      {"@ground_chain:500", 5, 1000},
      {"@ground_chain:1600", 5, 3200},
      {"@ground_chain:5000", 5, 10000}}},
    {"pile",
     {{"@pile:1", 60, 130},
      {"@pile:3", 60, 340},
      {"@pile:8", 60, 1066},
      {"@pile:20", 60, 1850},
      {"@pile:60", 60, 3550}}},
};

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

typedef struct Result {
    Subject subject;
    int contacts, rows;
    int iterations;
    double residual; // [m/s]
    double seconds;
    double yardstick; // [s]
    bool converged;
    char solver[16]; // whose answer auto kept
} Result;

// ---- one problem ----

static int count_contacts(const CnProblem* problem) {
    int count = 0;
    for (int i = 0; i < problem->block_count; ++i) {
        count += problem->blocks[i].law == CN_LAW_COULOMB;
    }
    return count;
}

static bool time_solves(const CnProblem* problem, CnSolution* solution, Result* result,
                        CnError* error) {
    CnSolverDef def = cn_solver_def_default();
    CnWorkspace* workspace = cn_workspace_create(NULL, error);
    bool ok = workspace != NULL;
    double spent = 0.0; // [s]
    int tries = 0;
    clock_t started = clock();
    def.warm_start = false;
    while (ok && spent < LEAST_SECONDS && !interrupt_asked()) {
        CnSolverReport report;
        ok = cn_solve(problem, &def, workspace, solution, &report, error) == CN_OK;
        result->iterations = report.iterations;
        result->residual = report.certificate.worst;
        result->converged = report.outcome == CN_CONVERGED;
        snprintf(result->solver, sizeof result->solver, "%s", report.solver);
        spent = (double)(clock() - started) / CLOCKS_PER_SEC;
        ++tries;
    }
    result->seconds = spent / tries;
    cn_workspace_destroy(workspace);
    return ok;
}

static bool solve_from_zero(const CnProblem* problem, Result* result, CnError* error) {
    CnSolution solution = {calloc((size_t)problem->row_count + 1, sizeof(double)),
                           calloc((size_t)problem->body_count + 1, sizeof(double[6]))};
    bool ok = solution.impulse != NULL && solution.velocity != NULL;
    if (ok) {
        ok = time_solves(problem, &solution, result, error);
    } else {
        error->status = CN_NO_MEMORY;
        snprintf(error->message, sizeof error->message, "no memory for %d impulses",
                 problem->row_count);
    }
    free(solution.impulse);
    free(solution.velocity);
    return ok;
}

// The scene goes as it would in `cairn run` up to the step whose problem is taken.
static bool measure(const Subject* subject, Console* console, Result* result, CnError* error) {
    SceneOverrides overrides = scene_overrides_none();
    LiveScene live;
    *result = (Result){.subject = *subject};
    bool ok = live_scene_open(&live, subject->scene, &overrides, console, error);
    for (int i = 0; ok && i < subject->step && !interrupt_asked(); ++i) {
        ok = cn_world_step(live.world, live.settings.dt, NULL, error) == CN_OK;
    }
    if (ok && !interrupt_asked()) {
        const CnProblem* problem = cn_world_problem(live.world);
        result->contacts = count_contacts(problem);
        result->rows = problem->row_count;
        result->yardstick = solver_cost_yardstick(problem);
        ok = solve_from_zero(problem, result, error);
    }
    live_scene_close(&live);
    return ok;
}

// ---- the tables ----

static void write_header(void) {
    printf("%-22s %5s %9s %7s  %-13s %10s %10s %10s %9s\n", "scene", "step", "contacts", "rows",
           "by", "residual", "iterations", "seconds", "ratio");
}

static void write_row(const Result* result, const Console* console, JsonOut* json) {
    double ratio = result->seconds / result->yardstick;
    if (!console->json) {
        printf("%-22s %5d %9d %7d  %-13s %10.2g %10d %10.3g %9.3g%s\n", result->subject.scene,
               result->subject.step, result->contacts, result->rows, result->solver,
               result->residual, result->iterations, result->seconds, ratio,
               result->converged ? "" : "  not solved");
        fflush(stdout); // a long bench shows what it has
        return;
    }
    json_begin_object(json, NULL);
    json_text(json, "scene", result->subject.scene);
    json_integer(json, "step", result->subject.step);
    json_integer(json, "contacts", result->contacts);
    json_integer(json, "rows", result->rows);
    json_text(json, "solver", result->solver);
    json_boolean(json, "converged", result->converged);
    json_real(json, "residual", result->residual);
    json_integer(json, "iterations", result->iterations);
    json_real(json, "seconds", result->seconds);
    json_real(json, "ratio", ratio);
    json_end(json);
}

static bool bench_family(const Family* family, int max_contacts, Console* console, JsonOut* json,
                         CnError* error) {
    double contacts[FAMILY_SIZES], seconds[FAMILY_SIZES], scaled[FAMILY_SIZES];
    int count = 0;
    for (int i = 0; i < FAMILY_SIZES && family->members[i].contacts <= max_contacts; ++i) {
        Result result;
        if (!measure(&family->members[i], console, &result, error)) {
            return false;
        }
        if (interrupt_asked()) {
            break; // of half a measurement there is nothing to say
        }
        write_row(&result, console, json);
        contacts[count] = result.contacts;
        seconds[count] = result.seconds;
        scaled[count++] = result.seconds / result.yardstick * result.contacts;
    }
    if (!console->json && count > 1) {
        printf("%s: seconds grow with contacts^%.2f, against the yardstick ^%.2f\n", family->name,
               solver_cost_growth(contacts, seconds, count),
               solver_cost_growth(contacts, scaled, count));
    }
    return true;
}

static bool bench_subjects(const Subject* subjects, int count, int max_contacts, Console* console,
                           JsonOut* json, CnError* error) {
    for (int i = 0; i < count && !interrupt_asked(); ++i) {
        Result result;
        if (subjects[i].contacts > max_contacts) {
            continue;
        }
        if (!measure(&subjects[i], console, &result, error)) {
            return false;
        }
        if (interrupt_asked()) {
            break;
        }
        write_row(&result, console, json);
    }
    return true;
}

ExitCode problem_bench_run(const ProblemBench* bench, Console* console, JsonOut* json) {
    CnError error = {0};
    bool ok = true;
    if (!console->json) {
        write_header();
    }
    for (int i = 0; ok && i < bench->scene_count && !interrupt_asked(); ++i) {
        Subject subject = {bench->scenes[i], bench->steps, 0};
        ok = bench_subjects(&subject, 1, bench->max_contacts, console, json, &error);
    }
    if (bench->scene_count == 0) {
        ok =
            bench_subjects(hard_ones, COUNT(hard_ones), bench->max_contacts, console, json, &error);
        for (int i = 0; ok && i < COUNT(families) && !interrupt_asked(); ++i) {
            ok = bench_family(&families[i], bench->max_contacts, console, json, &error);
        }
    }
    return ok ? CODE_OK : console_fail(console, &error);
}

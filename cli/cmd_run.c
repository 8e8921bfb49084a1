// cmd_run.c - `cairn run`: a scene from start to end, and one honest line about it.
#include "cairn/joint.h"
#include "cairn/state.h"
#include "cairn/warning.h"
#include "run/files.h"
#include "run/run_loop.h"
#include "run/scene_options.h"
#include "serve/run_page.h"
#include "terminal/interrupt.h"
#include "terminal/json_out.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- reporting ----

static void write_body(JsonOut* json, const CnWorld* world, CnBodyId body) {
    CnTransform pose = {0};
    CnBodyState state = {0};
    cn_body_pose(world, body, &pose);
    cn_body_state(world, body, &state);
    json_begin_object(json, NULL);
    json_text(json, "name", cn_body_name(world, body));
    json_vec3(json, "position", pose.position);
    json_quat(json, "rotation", pose.rotation);
    json_vec3(json, "velocity", state.velocity);
    json_vec3(json, "angular_velocity", state.angular_velocity);
    json_end(json);
}

// Force and torque act on the first body, in world axes, about the joint's point on it.
static void write_joint(JsonOut* json, const CnWorld* world, CnJointId joint) {
    CnJointState state = {0};
    cn_joint_read(world, joint, &state);
    json_begin_object(json, NULL);
    json_text(json, "name", cn_joint_name(world, joint));
    json_text(json, "type", cn_joint_type_name(cn_joint_type(world, joint)));
    json_vec3(json, "force", state.force);
    json_vec3(json, "torque", state.torque);
    json_real(json, "error", state.error);
    json_real(json, "angle_error", state.angle_error);
    json_reals(json, "position", state.position, CN_AXIS_COUNT);
    json_reals(json, "velocity", state.velocity, CN_AXIS_COUNT);
    json_reals(json, "axis_force", state.axis_force, CN_AXIS_COUNT);
    json_boolean(json, "broken", state.broken);
    json_end(json);
}

static const char* name_of(const CnWorld* world, CnBodyId body) {
    return body.index == 0 ? "world" : cn_body_name(world, body);
}

// The contact points of the last step; the force is on the second body.
static void write_contacts(JsonOut* json, const CnWorld* world) {
    int count = cn_world_contacts(world, NULL, 0);
    CnContactPoint* points = malloc((size_t)count * sizeof *points + 1);
    json_begin_array(json, "contacts");
    count = points == NULL ? 0 : cn_world_contacts(world, points, count);
    for (int i = 0; i < count; ++i) {
        const CnContactPoint* point = &points[i];
        json_begin_object(json, NULL);
        json_begin_array(json, "bodies");
        json_text(json, NULL, name_of(world, point->body_a));
        json_text(json, NULL, name_of(world, point->body_b));
        json_end(json);
        json_vec3(json, "point", point->point);
        json_vec3(json, "normal", point->normal);
        json_real(json, "gap", point->gap);
        json_vec3(json, "force", point->force);
        json_real(json, "residual", point->residual);
        json_end(json);
    }
    json_end(json);
    free(points);
}

static void write_warnings(JsonOut* json, const CnWorld* world) {
    CnWarning warning;
    json_begin_array(json, "warnings");
    for (int i = 0; cn_world_warning_at(world, i, &warning) == CN_OK; ++i) {
        json_begin_object(json, NULL);
        json_text(json, "kind", cn_warning_kind_name(warning.kind));
        json_integer(json, "count", warning.count);
        json_integer(json, "step", warning.step);
        json_text(json, "message", warning.message);
        json_end(json);
    }
    json_end(json);
}

// The parts of the contract that grade the run.
static void write_grades(JsonOut* json, const CnWorld* world, const RunSummary* summary) {
    double residual = run_summary_residual(summary);
    json_begin_object(json, "residual");
    json_real(json, "worst", residual);
    json_real(json, "rms", isnan(residual) ? residual : summary->residual_rms);
    json_integer(json, "step", summary->worst_step);
    json_text(json, "block", summary->worst_block[0] != '\0' ? summary->worst_block : NULL);
    json_integer(json, "not_graded", summary->not_graded);
    json_end(json);
    json_integer(json, "not_converged", summary->not_converged);
    if (summary->newton_most > 0) {
        json_begin_object(json, "newton");
        json_real(json, "mean", summary->newton_mean);
        json_integer(json, "most", summary->newton_most);
        json_real(json, "residual", summary->newton_residual);
        json_end(json);
    }
    json_begin_object(json, "penetration");
    json_real(json, "worst", summary->penetration);
    json_end(json);
    json_begin_object(json, "joint_error");
    json_real(json, "worst", summary->joint_error);
    json_real(json, "worst_angle", summary->joint_angle_error);
    json_end(json);
    json_begin_object(json, "positions");
    json_integer(json, "missed", summary->positions_missed);
    json_real(json, "error", summary->positions_error);
    json_integer(json, "step", summary->positions_step);
    json_text(json, "pair", summary->positions_step > 0 ? summary->positions_pair : NULL);
    json_end(json);
    json_integer(json, "out_of_budget", summary->out_of_budget);
    json_integer(json, "sleeping_bodies", summary->sleeping_bodies);
    json_integer(json, "sleeping_islands", summary->sleeping_islands);
    json_integer(json, "exact_islands", summary->exact_islands);
    write_warnings(json, world);
    json_begin_object(json, "energy");
    json_real(json, "start", summary->energy_start);
    json_real(json, "end", summary->energy_end);
    json_real(json, "kinetic_linear", summary->energy_parts.linear);
    json_real(json, "kinetic_angular", summary->energy_parts.angular);
    json_real(json, "potential", summary->energy_parts.potential);
    json_real(json, "ledger_error", run_summary_ledger(summary, summary->energy_error));
    json_end(json);
    json_begin_object(json, "momentum");
    json_real(json, "ledger_error", run_summary_ledger(summary, summary->momentum_error));
    json_end(json);
    run_attribution_write(&summary->attribution, world, json);
}

static void print_json(const LiveScene* live, const RunSummary* summary) {
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, cn_world_hash(live->world));
    JsonOut json = json_open(stdout);
    json_begin_object(&json, NULL);
    json_text(&json, "scene", cn_scene_name(live->scene));
    json_integer(&json, "steps", summary->steps);
    json_real(&json, "time", cn_world_time(live->world));
    json_real(&json, "seconds", summary->seconds);
    if (summary->is_interrupted) {
        json_boolean(&json, "interrupted", true);
    }
    json_text(&json, "scheme", cn_scheme_name(live->settings.step.scheme));
    json_text(&json, "solver", live->settings.solver.name);
    if (summary->approximation != NULL) {
        json_text(&json, "approximation", summary->approximation);
    }
    write_grades(&json, live->world, summary);
    json_begin_array(&json, "bodies");
    for (int i = 0; i < cn_world_body_count(live->world); ++i) {
        write_body(&json, live->world, cn_world_body_at(live->world, i));
    }
    json_end(&json);
    json_begin_array(&json, "joints");
    for (int i = 0; i < cn_world_joint_count(live->world); ++i) {
        write_joint(&json, live->world, cn_world_joint_at(live->world, i));
    }
    json_end(&json);
    write_contacts(&json, live->world);
    json_real(&json, "work", summary->work);
    json_text(&json, "hash", hash);
    json_end(&json);
}

static void print_positions(const RunSummary* summary) {
    if (summary->positions_missed == 0) {
        printf("; 0 positions missed");
        return;
    }
    printf("; %s%" PRId64 " positions missed%s, worst %.3g at step %" PRId64 " (%s)",
           console_color(stdout, COLOR_RED), summary->positions_missed, console_plain(stdout),
           summary->positions_error, summary->positions_step, summary->positions_pair);
}

// Who answers, and what the worst answer is worth against the exact laws.
static void print_grade(const LiveScene* live, const RunSummary* summary) {
    bool is_soft = live->settings.step.scheme == CN_SCHEME_SOFT_STEP;
    const char* block = is_soft ? "of contacts" : "in an earlier substep";
    if (summary->worst_step > 0) {
        printf("; worst residual %.3g m/s at step %" PRId64 " (%s, by %s)", summary->worst_residual,
               summary->worst_step, summary->worst_block[0] != '\0' ? summary->worst_block : block,
               summary->worst_solver);
    } else if (summary->not_graded == 0) {
        printf("; nothing to solve");
    }
    if (summary->not_graded > 0) {
        printf("; %" PRId64 " steps not graded", summary->not_graded);
    }
}

static void print_ledgers(const RunSummary* summary) {
    if (isnan(run_summary_ledger(summary, summary->energy_error))) {
        printf("; ledgers of energy and momentum not kept");
    } else {
        printf("; energy ledger error %.3g; momentum ledger error %.3g", summary->energy_error,
               summary->momentum_error);
    }
}

static void print_line(const LiveScene* live, const RunSummary* summary) {
    printf("%s: ", cn_scene_name(live->scene));
    if (summary->is_interrupted) {
        printf("%sinterrupted%s at %g of %g s; ", console_color(stdout, COLOR_RED),
               console_plain(stdout), cn_world_time(live->world), live->settings.duration);
    }
    printf("%" PRId64 " steps, %g s in %.3g s; %s, %s", summary->steps, cn_world_time(live->world),
           summary->seconds, cn_scheme_name(live->settings.step.scheme),
           live->settings.solver.name);
    if (summary->approximation != NULL) {
        printf(" (approximation: %s)", summary->approximation);
    }
    print_grade(live, summary);
    if (summary->newton_most > 0) {
        printf("; %.1f Newton iterations per step, at most %d, last change %.3g m/s",
               summary->newton_mean, summary->newton_most, summary->newton_residual);
    }
    if (summary->out_of_budget > 0) {
        printf("; %" PRId64 " out of budget", summary->out_of_budget);
    }
    printf("; %s%" PRId64 " not converged%s",
           summary->not_converged > 0 ? console_color(stdout, COLOR_RED) : "",
           summary->not_converged, summary->not_converged > 0 ? console_plain(stdout) : "");
    print_positions(summary);
    if (summary->sleeping_bodies > 0) {
        printf("; %d bodies in %d islands sleep, not in the residual of the last step",
               summary->sleeping_bodies, summary->sleeping_islands);
    }
    if (summary->exact_islands > 0) {
        printf("; %d of %d islands exact in the last step", summary->exact_islands,
               summary->islands);
    }
    printf("; penetration %.3g m; joint error %.3g", summary->penetration, summary->joint_error);
    print_ledgers(summary);
    printf("; hash %016" PRIx64 "\n", cn_world_hash(live->world));
}

// The log had each message when it came up; what is left to say is how often.
static void note_warnings(const LiveScene* live, const Console* console) {
    CnWarning warning;
    for (int i = 0; cn_world_warning_at(live->world, i, &warning) == CN_OK; ++i) {
        console_note(console, "%s: %" PRId64 " step%s, first in step %" PRId64,
                     cn_warning_kind_name(warning.kind), warning.count,
                     warning.count == 1 ? "" : "s", warning.step);
    }
}

// ---- the command ----

typedef struct RunOptions {
    SceneOverrides scene;
    OutputOptions outputs;
    const char* from_state;
    const char* save_state;
    const char* save_scene;
    const char* html; // page of the run; NULL: none
    bool strict;
} RunOptions;

static ExitCode run_with_summary(const LiveScene* live, const Schedule* schedule,
                                 const RunOptions* options, RunOutputs* outputs,
                                 const Console* console, RunSummary* summary) {
    CnError error = {0};
    bool is_whole = run_steps(live, schedule, outputs, console, summary, &error);
    note_warnings(live, console);
    if (!is_whole) {
        console_note(console, "stopped at %g s, after %" PRId64 " step%s",
                     cn_world_time(live->world), summary->steps, summary->steps == 1 ? "" : "s");
        return console_fail(console, &error);
    }
    if (!run_outputs_close(outputs, &error)) {
        return console_fail(console, &error);
    }
    if (options->save_state != NULL &&
        cn_world_save_state(live->world, options->save_state, &error) != CN_OK) {
        return console_fail(console, &error);
    }
    if (options->save_scene != NULL &&
        (cn_scene_take_state(live->scene, live->world, &error) != CN_OK ||
         cn_scene_save(live->scene, options->save_scene, &error) != CN_OK)) {
        return console_fail(console, &error);
    }
    const ProblemDump* dump = &options->outputs.dump;
    if (dump->step > summary->steps) {
        console_note(console, "interrupted before step %d: %s was not written", dump->step,
                     dump->path);
    }
    if (console->json) {
        print_json(live, summary);
    } else {
        print_line(live, summary);
    }
    bool is_missed = summary->not_converged > 0 || summary->positions_missed > 0;
    return options->strict && is_missed ? CODE_NOT_CONVERGED : CODE_OK;
}

static ExitCode run_to_end(const LiveScene* live, const Schedule* schedule,
                           const RunOptions* options, RunOutputs* outputs, const Console* console) {
    RunSummary summary = run_summary_begin(live->world);
    ExitCode code = run_with_summary(live, schedule, options, outputs, console, &summary);
    run_attribution_release(&summary.attribution);
    return code;
}

static bool check_dump(const ProblemDump* dump, const Schedule* schedule, CnError* error) {
    if (dump->step <= schedule->steps) {
        return true;
    }
    error->status = CN_INVALID;
    snprintf(error->message, sizeof error->message,
             "there is no step %d to write: the scene ends after %" PRId64, dump->step,
             schedule->steps);
    return false;
}

// The quantities of the scene are asked for, not a run.
static bool is_help(const RunOptions* options) {
    const char* quantities = options->outputs.quantities;
    return quantities != NULL && strcmp(quantities, "help") == 0;
}

static ExitCode run_scene(const char* argument, const RunOptions* options, Console* console) {
    LiveScene live;
    Schedule schedule;
    RunOutputs outputs = run_outputs_none();
    CnError error = {0};
    ExitCode code;

    if (strcmp(argument, "-") != 0) { // who waits for standard input has nothing to finish
        interrupt_hold(console->quiet);
    }
    if (!live_scene_open(&live, argument, &options->scene, console, &error) ||
        !check_writable(options->html, &error) || !check_writable(options->save_state, &error) ||
        !check_writable(options->save_scene, &error) ||
        (options->from_state != NULL &&
         !live_scene_load_state(&live, options->from_state, &options->scene, &error)) ||
        !schedule_make(&live.settings, cn_world_time(live.world), &schedule, &error) ||
        !check_dump(&options->outputs.dump, &schedule, &error) ||
        (!is_help(options) && !run_outputs_open(&outputs, &options->outputs, &live, &error))) {
        code = console_fail(console, &error);
    } else if (is_help(options)) {
        code = run_log_list(live.world, console->json, &error) ? CODE_OK
                                                               : console_fail(console, &error);
    } else {
        interrupt_hold(console->quiet);
        code = run_to_end(&live, &schedule, options, &outputs, console);
    }
    run_outputs_close(&outputs, &error); // what matters has been said
    live_scene_close(&live);
    return code;
}

// With a page of the run behind it: from the recording that is asked for too, or from one of its
// own.
static ExitCode run_for_page(const char* argument, RunOptions* options, Console* console) {
    char path[256];
    CnError error = {0};
    bool is_own = options->outputs.record == NULL;
    if (is_own) {
        if (!make_temporary(path, sizeof path, &error)) {
            return console_fail(console, &error);
        }
        options->outputs.record = path;
    }
    ExitCode code = run_scene(argument, options, console);
    if (code == CODE_OK || code == CODE_NOT_CONVERGED) {
        ExitCode written = write_page(options->outputs.record, options->html, console);
        code = written == CODE_OK ? code : written;
    }
    if (is_own) {
        unlink(path);
    }
    return code;
}

static const char notes[] = "Options that are not given are those of the scene. A duration that is "
                            "not a multiple\nof dt ends with one shorter step.";

ExitCode command_run(const Command* self, int argc, char** argv) {
    RunOptions chosen = {.scene = scene_overrides_none(), .outputs = output_options_none()};
    const Option dump_file = option_text("dump-problem", "FILE", &chosen.outputs.dump.path, "");
    Option dump_step = option_count("dump-problem", "STEP", &chosen.outputs.dump.step, INT_MAX,
                                    "write the problem of this step: .json, or FCLib's .hdf5");
    dump_step.second = &dump_file;
    const Option own[] = {
        option_text("events", "F", &chosen.outputs.events, "write the events to this file"),
        option_text("record", "F", &chosen.outputs.record,
                    "record the run to this file, for replay, convert and view"),
        option_text("html", "F", &chosen.html, "write a page that shows the run in any browser"),
        option_non_negative("frame-rate", "R", &chosen.outputs.frame_rate,
                            "frames of the recording [1/s] (default 60); 0: every step"),
        option_text("log", "F", &chosen.outputs.log,
                    "write quantities over time to this file: .csv, .npy or .npz"),
        option_positive("log-every", "T", &chosen.outputs.log_every,
                        "time from one row of the log to the next [s] (default: every step)"),
        option_text("quantities", "LIST", &chosen.outputs.quantities,
                    "which, by name, with commas and wildcards; \"help\" lists them"),
        option_text("from-state", "F", &chosen.from_state,
                    "go on from the state in this file, up to the duration"),
        option_text("save-state", "F", &chosen.save_state,
                    "save the state at the end to this file"),
        option_text("save-scene", "F", &chosen.save_scene,
                    "write the scene as it is at the end to this file"),
        dump_step,
        option_flag("strict", &chosen.strict,
                    "exit with 4 when a step missed the tolerance or its positions"),
    };
    Option options[SCENE_OPTION_COUNT + OPTION_TABLE_COUNT(own)];
    scene_options(&chosen.scene, options);
    memcpy(options + SCENE_OPTION_COUNT, own, sizeof own);
    const Usage usage = {self, "SCENE", 1, 1, options, OPTION_TABLE_COUNT(options), notes};
    Arguments arguments;
    ExitCode code;
    if (!options_parse(&usage, argc, argv, &arguments, &code)) {
        return code;
    }
    chosen.outputs.with_state = chosen.from_state != NULL;
    return chosen.html == NULL ? run_scene(arguments.operands[0], &chosen, &arguments.console)
                               : run_for_page(arguments.operands[0], &chosen, &arguments.console);
}

// cmd_replay.c - `cairn replay`: a recorded scene again, and whether it has the same bits.
#include "cairn/state.h"
#include "recording/codec.h"
#include "run/live_scene.h"
#include "run/schedule.h"
#include "terminal/interrupt.h"
#include "terminal/json_out.h"
#include "terminal/options.h"
#include "terminal/progress.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// What the comparison found.
typedef struct Verdict {
    int64_t steps; // made
    int hashes;    // compared and equal
    bool differs;
    int64_t step;   // first that differs
    double time;    // its time [s]
    char body[120]; // that differs; "" when none could be named
    char how[120];  // by how much, or that only bits do
} Verdict;

typedef struct Replay {
    CnRecording* recording;
    const CnRecordingInfo* info;
    LiveScene live;
    int frame;       // the next to be compared
    bool wants_body; // a frame differs; the next hashes of bodies tell which one
    Verdict verdict;
} Replay;

// ---- comparing ----

static double distance(CnVec3 a, CnVec3 b) {
    return cn_vec3_length(cn_vec3_sub(a, b));
}

// How far a body is from its recorded pose, in multiples of what rounding explains; beyond 1 it is
// elsewhere.
static double excess_of(const CnWorld* world, CnBodyId id, const CnRecordedMotion* recorded,
                        const double quanta[4]) {
    CnTransform pose;
    CnBodyState state;
    if (cn_body_pose(world, id, &pose) != CN_OK || cn_body_state(world, id, &state) != CN_OK) {
        return (double)INFINITY;
    }
    // sqrt(3) times half a quantum is the farthest that rounding takes a vector.
    double moved = distance(pose.position, recorded->pose.position) / quanta[0];
    double faster = distance(state.velocity, recorded->velocity) / quanta[2];
    return fmax(moved, faster) / sqrt(3.0) * 2.0;
}

static void name_body(Replay* replay, int body, const char* how) {
    Verdict* verdict = &replay->verdict;
    const char* name = replay->info->bodies[body].name;
    if (name[0] != '\0') {
        snprintf(verdict->body, sizeof verdict->body, "%s", name);
    } else {
        snprintf(verdict->body, sizeof verdict->body, "body %d", body);
    }
    snprintf(verdict->how, sizeof verdict->how, "%s", how);
}

// The body that is farthest from its recorded place, if rounding does not explain it.
static void find_displaced(Replay* replay, const CnRecordedFrame* frame) {
    double most = 1.0;
    int worst = -1;
    for (int i = 0; i < replay->info->body_count; ++i) {
        CnBodyId id = cn_world_body_at(replay->live.world, i);
        double excess = excess_of(replay->live.world, id, &frame->bodies[i], frame->quanta);
        if (excess > most) {
            most = excess;
            worst = i;
        }
    }
    if (worst >= 0) {
        char how[120];
        CnTransform pose = {0};
        cn_body_pose(replay->live.world, cn_world_body_at(replay->live.world, worst), &pose);
        snprintf(how, sizeof how, "it is %.3g m from its recorded place",
                 distance(pose.position, frame->bodies[worst].pose.position));
        name_body(replay, worst, how);
    }
    replay->wants_body = worst < 0;
}

// The first body whose bits differ, where a chunk of frames ends.
static void find_changed(Replay* replay, const CnRecordedFrame* frame) {
    for (int i = 0; i < replay->info->body_count && replay->wants_body; ++i) {
        CnBodyId id = cn_world_body_at(replay->live.world, i);
        if ((uint32_t)cn_body_hash(replay->live.world, id) != frame->body_hashes[i]) {
            name_body(replay, i, "by less than the recording's quanta");
            replay->wants_body = false;
        }
    }
}

static void compare(Replay* replay, const CnRecordedFrame* frame) {
    Verdict* verdict = &replay->verdict;
    if (!verdict->differs && frame->hash != 0) {
        if (cn_world_hash(replay->live.world) == frame->hash) {
            verdict->hashes += 1;
        } else {
            verdict->differs = true;
            verdict->step = frame->step;
            verdict->time = frame->time;
            find_displaced(replay, frame);
        }
    }
    if (replay->wants_body && frame->body_hashes != NULL) {
        find_changed(replay, frame);
        replay->wants_body = false;
    }
}

// All frames of the step that was made last.
static bool compare_step(Replay* replay, int64_t step, CnError* error) {
    CnRecordedFrame frame;
    while (replay->frame < replay->info->frame_count) {
        if (cn_recording_read(replay->recording, replay->frame, &frame, error) != CN_OK) {
            return false;
        }
        if (frame.step > step) {
            return true;
        }
        if (frame.step == step) {
            compare(replay, &frame);
        }
        replay->frame += 1;
    }
    return true;
}

// ---- running ----

static bool is_over(const Replay* replay) {
    return replay->frame >= replay->info->frame_count ||
           (replay->verdict.differs && !replay->wants_body);
}

static bool take_steps(Replay* replay, const Console* console, CnError* error) {
    Schedule schedule;
    CnWorld* world = replay->live.world;
    Progress progress = progress_begin(console, replay->info->scene_name);
    bool ok = schedule_make(&replay->live.settings, cn_world_time(world), &schedule, error) &&
              compare_step(replay, 0, error);
    for (int64_t i = 0; ok && i < schedule.steps && !is_over(replay) && !interrupt_asked(); ++i) {
        ok = cn_world_step(world, schedule_dt(&schedule, i), NULL, error) == CN_OK &&
             compare_step(replay, i + 1, error);
        replay->verdict.steps = i + 1;
        if (progress_is_due(&progress)) {
            char detail[64];
            snprintf(detail, sizeof detail, "t = %.4g s", cn_world_time(world));
            progress_show(&progress, (double)(i + 1) / (double)schedule.steps, detail);
        }
    }
    progress_end(&progress);
    return ok;
}

static bool set_error(CnError* error, const char* path, const char* what) {
    error->status = CN_INVALID;
    snprintf(error->message, sizeof error->message, "%s: %s", path, what);
    return false;
}

static bool open_replay(Replay* replay, const char* path, const SceneOverrides* overrides,
                        Console* console, CnError* error) {
    replay->recording = codec_open_recording(path, error);
    if (replay->recording == NULL) {
        return false;
    }
    replay->info = cn_recording_info(replay->recording);
    if (replay->info->scene == NULL) {
        return set_error(error, path, "the recording has no scene, so it cannot be run again");
    }
    CnScene* scene =
        cn_scene_parse(replay->info->scene, replay->info->scene_size, "recorded scene", error);
    if (!live_scene_build(&replay->live, scene, path, overrides, console, error)) {
        return false;
    }
    if (cn_world_body_count(replay->live.world) != replay->info->body_count) {
        return set_error(error, path, "the recorded scene has other bodies than the recording");
    }
    return replay->info->state == NULL ||
           cn_world_load_state_memory(replay->live.world, replay->info->state,
                                      replay->info->state_size, error) == CN_OK;
}

// ---- telling ----

static void print_json(const char* path, const Replay* replay) {
    const Verdict* verdict = &replay->verdict;
    JsonOut json = json_open(stdout);
    json_begin_object(&json, NULL);
    json_text(&json, "recording", path);
    json_text(&json, "scene", replay->info->scene_name);
    json_boolean(&json, "whole", replay->info->is_whole);
    json_integer(&json, "frames", replay->info->frame_count);
    json_integer(&json, "steps", verdict->steps);
    json_integer(&json, "hashes", verdict->hashes);
    json_boolean(&json, "equal", !verdict->differs);
    if (verdict->differs) {
        json_integer(&json, "step", verdict->step);
        json_real(&json, "time", verdict->time);
        json_text(&json, "body", verdict->body[0] != '\0' ? verdict->body : NULL);
    }
    json_end(&json);
}

static void print_line(const Replay* replay) {
    const Verdict* verdict = &replay->verdict;
    printf("%s: %" PRId64 " steps, %d hashes equal", replay->info->scene_name, verdict->steps,
           verdict->hashes);
    if (!verdict->differs) {
        printf("\n");
        return;
    }
    printf("; %sdiffers%s first at step %" PRId64 " (%g s)", console_color(stdout, COLOR_RED),
           console_plain(stdout), verdict->step, verdict->time);
    if (verdict->body[0] != '\0') {
        printf(" in %s: %s\n", verdict->body, verdict->how);
    } else {
        printf(", in no body's state at the end of its chunk\n");
    }
}

static ExitCode replay_file(const char* path, const SceneOverrides* overrides, Console* console) {
    Replay replay = {0};
    CnError error = {0};
    ExitCode code;
    if (!open_replay(&replay, path, overrides, console, &error)) {
        code = console_fail(console, &error);
    } else {
        if (!replay.info->is_whole) {
            console_note(console, "%s: %s; its %d frames are compared", path, replay.info->remark,
                         replay.info->frame_count);
        }
        interrupt_hold(console->quiet);
        code = take_steps(&replay, console, &error) ? CODE_OK : console_fail(console, &error);
    }
    if (code == CODE_OK) {
        if (console->json) {
            print_json(path, &replay);
        } else {
            print_line(&replay);
        }
        code = replay.verdict.differs ? CODE_MISMATCH : CODE_OK;
    }
    live_scene_close(&replay.live);
    cn_recording_close(replay.recording);
    return code;
}

static const char notes[] =
    "The scene in the recording is run again and its hash compared with those of the\n"
    "frames that have one. Exit code 6 at the first difference. A run with a --deadline depends on "
    "the\n"
    "speed of the machine and need not repeat.";

ExitCode command_replay(const Command* self, int argc, char** argv) {
    SceneOverrides overrides = scene_overrides_none();
    const Option options[] = {
        option_count("threads", "N", &overrides.threads, MAX_THREADS,
                     "workers (default 1); results do not depend on it"),
    };
    const Usage usage = {self, "RECORDING", 1, 1, options, OPTION_TABLE_COUNT(options), notes};
    Arguments arguments;
    ExitCode code;
    if (!options_parse(&usage, argc, argv, &arguments, &code)) {
        return code;
    }
    return replay_file(arguments.operands[0], &overrides, &arguments.console);
}

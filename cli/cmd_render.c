// cmd_render.c - `cairn render`: a frame of a scene or recording as a picture, or all as a film.
#include "command.h"
#include "recording/codec.h"
#include "render/movie.h"
#include "render/png_file.h"
#include "render/render.h"
#include "run/files.h"
#include "run/recorded_run.h"
#include "terminal/choices.h"
#include "terminal/interrupt.h"
#include "terminal/options.h"
#include "terminal/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOVIE_RATE 30.0 // [1/s], unless the recording has fewer
#define MAX_SIZE 8192   // of a picture, each way [pixels]

typedef struct RenderOptions {
    SceneOverrides scene;
    const char* out;
    int frame;   // from 1; 0: not given
    double time; // [s]; -1: not given
    bool is_movie;
    const char* camera;
    const char* size;
    bool hides_forces, hides_title;
} RenderOptions;

// ---- what the options mean ----

// "1280x720"
static bool read_size(const char* text, RenderDef* def, CnError* error) {
    char* end;
    long width = strtol(text, &end, 10);
    long height = *end == 'x' ? strtol(end + 1, &end, 10) : 0;
    if (*end != 0 || width < 16 || height < 16 || width > MAX_SIZE || height > MAX_SIZE) {
        error->status = CN_INVALID;
        snprintf(error->message, sizeof error->message,
                 "--size is \"%s\"; expected WIDTHxHEIGHT, each from 16 to %d", text, MAX_SIZE);
        return false;
    }
    def->width = (int)width;
    def->height = (int)height;
    return true;
}

static bool read_vector(const char* text, char ending, CnVec3* vector, const char** next) {
    double numbers[3];
    bool ok = true;
    for (int i = 0; ok && i < 3; ++i) {
        char* end;
        numbers[i] = strtod(text, &end);
        ok = end != text && isfinite(numbers[i]) && *end == (i < 2 ? ',' : ending);
        text = end + (ok && *end != 0);
    }
    *vector = ok ? (CnVec3){numbers[0], numbers[1], numbers[2]} : *vector;
    *next = text;
    return ok;
}

// A name, or "x,y,z:x,y,z": from where to where.
static bool read_camera(const char* text, RenderDef* def, CnError* error) {
    static const struct {
        const char* name;
        CnVec3 direction;
    } named[] = {{"corner", {0.75, -1.25, 0.62}}, {"front", {0.0, -1.0, 0.12}},
                 {"back", {0.0, 1.0, 0.12}},      {"left", {-1.0, 0.0, 0.12}},
                 {"right", {1.0, 0.0, 0.12}},     {"top", {0.0, -0.02, 1.0}}};
    for (size_t i = 0; i < sizeof named / sizeof named[0]; ++i) {
        if (strcmp(text, named[i].name) == 0) {
            def->direction = named[i].direction;
            return true;
        }
    }
    const char* next;
    def->has_camera =
        read_vector(text, ':', &def->from, &next) && read_vector(next, 0, &def->to, &next);
    if (!def->has_camera || cn_vec3_length(cn_vec3_sub(def->from, def->to)) == 0.0) {
        error->status = CN_INVALID;
        snprintf(error->message, sizeof error->message,
                 "--camera is \"%s\"; expected corner, front, back, left, right, top, or "
                 "x,y,z:x,y,z, the places it looks from and to",
                 text);
        return false;
    }
    return true;
}

// The last frame that is not after the time.
static int frame_at(const CnRecordingInfo* info, double time) {
    int frame = 0;
    while (frame + 1 < info->frame_count && info->times[frame + 1] <= time + 1e-9) {
        frame += 1;
    }
    return frame;
}

static bool choose_frame(const RenderOptions* options, const CnRecordingInfo* info, int* frame,
                         CnError* error) {
    *frame = options->frame > 0     ? options->frame - 1
             : options->time >= 0.0 ? frame_at(info, options->time)
                                    : info->frame_count - 1;
    if (*frame >= info->frame_count) {
        error->status = CN_INVALID;
        snprintf(error->message, sizeof error->message,
                 "there is no frame %d; the recording has %d", options->frame, info->frame_count);
        return false;
    }
    return true;
}

// ---- drawing ----

static bool draw_picture(Renderer* renderer, const RenderOptions* options, const RenderDef* def,
                         const CnRecordingInfo* info, CnError* error) {
    int frame;
    if (!choose_frame(options, info, &frame, error)) {
        return false;
    }
    const uint8_t* rgb = renderer_draw(renderer, frame, error);
    return rgb != NULL && png_write(options->out, rgb, def->width, def->height, error);
}

// Every frame, or fewer so that the film has MOVIE_RATE pictures in a second of the run.
static bool draw_movie(Renderer* renderer, const RenderOptions* options, const RenderDef* def,
                       const CnRecordingInfo* info, const Console* console, CnError* error) {
    double length = info->times[info->frame_count - 1] - info->times[0];
    double rate = length > 0.0 ? (info->frame_count - 1) / length : MOVIE_RATE;
    int pictures = rate > MOVIE_RATE ? (int)(length * MOVIE_RATE) + 1 : info->frame_count;
    Movie* movie = movie_open(options->out, def->width, def->height, fmin(rate, MOVIE_RATE), error);
    Progress progress = progress_begin(console, options->out);
    bool ok = movie != NULL;
    for (int i = 0; ok && i < pictures && !interrupt_asked(); ++i) {
        int frame = rate > MOVIE_RATE ? frame_at(info, info->times[0] + i / MOVIE_RATE) : i;
        const uint8_t* rgb = renderer_draw(renderer, frame, error);
        ok = rgb != NULL && movie_add(movie, rgb, error);
        if (progress_is_due(&progress)) {
            progress_show(&progress, (double)i / pictures, "pictures");
        }
    }
    progress_end(&progress);
    return movie != NULL && movie_close(movie, error) && ok;
}

static ExitCode render(const char* recording_path, const RenderOptions* options,
                       const RenderDef* def, const Console* console) {
    CnError error = {0};
    CnRecording* recording = codec_open_recording(recording_path, &error);
    Renderer* renderer = recording == NULL ? NULL : renderer_create(recording, def, &error);
    bool ok = renderer != NULL;
    if (ok) {
        const CnRecordingInfo* info = cn_recording_info(recording);
        ok = options->is_movie ? draw_movie(renderer, options, def, info, console, &error)
                               : draw_picture(renderer, options, def, info, &error);
    }
    renderer_destroy(renderer);
    cn_recording_close(recording);
    return ok ? CODE_OK : console_fail(console, &error);
}

// A scene is run first, up to the time that is asked for.
static ExitCode render_scene(const char* scene, const RenderOptions* options, const RenderDef* def,
                             Console* console) {
    char path[256];
    CnError error = {0};
    RunSummary summary;
    RecordedRun run = {.scene = scene, .overrides = options->scene, .console = console};
    if (options->time >= 0.0 && !options->is_movie) {
        run.overrides.duration = options->time;
    }
    interrupt_hold(console->quiet);
    if (!check_writable(options->out, &error) || !make_temporary(path, sizeof path, &error)) {
        return console_fail(console, &error);
    }
    run.path = path;
    ExitCode code = record_run(&run, &summary, &error) ? render(path, options, def, console)
                                                       : console_fail(console, &error);
    unlink(path);
    return code;
}

// ---- the command ----

static bool has_ending(const char* path, const char* ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

static bool check_out(RenderOptions* options, CnError* error) {
    bool is_film = options->out != NULL &&
                   (has_ending(options->out, ".mp4") || has_ending(options->out, ".gif"));
    bool is_picture = options->out != NULL && has_ending(options->out, ".png");
    options->is_movie = options->is_movie || is_film;
    if (options->out == NULL || !(is_film || is_picture) || (options->is_movie && is_picture)) {
        error->status = CN_INVALID;
        snprintf(error->message, sizeof error->message,
                 "--output must end in .png for a picture, in .mp4 or .gif for a film");
        return false;
    }
    return true;
}

ExitCode command_render(const Command* self, int argc, char** argv) {
    RenderOptions chosen = {.scene = scene_overrides_none(), .time = -1.0};
    const Option options[] = {
        option_text("output", "F", &chosen.out, "the picture (.png) or the film (.mp4, .gif)"),
        option_count("frame", "N", &chosen.frame, INT_MAX,
                     "of the recording, from 1 (default: the last)"),
        option_non_negative("time", "T", &chosen.time, "the frame at this time [s]"),
        option_flag("movie", &chosen.is_movie, "all frames, at 30 a second"),
        option_text("camera", "C", &chosen.camera,
                    "corner, front, back, left, right, top, or x,y,z:x,y,z: from where to where"),
        option_text("size", "WxH", &chosen.size, "of the picture [pixels] (default 1280x720)"),
        option_flag("no-forces", &chosen.hides_forces, "leave out the arrows of contact forces"),
        option_flag("no-title", &chosen.hides_title, "leave out the line with time and residual"),
        option_choice("solver", "S", &chosen.scene.solver, choice_solver, "who finds the impulses"),
        option_choice("scheme", "S", &chosen.scene.scheme, choice_scheme, "how time advances"),
        option_flag("real-time", &chosen.scene.real_time,
                    "the real-time preset: soft_step, steps of 1/60 s, sleeping"),
        option_non_negative("duration", "T", &chosen.scene.duration, "simulated time [s]"),
        option_count("threads", "N", &chosen.scene.threads, MAX_THREADS, "workers (default 1)"),
    };
    const Usage usage = {
        self,
        "SCENE|RECORDING",
        1,
        1,
        options,
        OPTION_TABLE_COUNT(options),
        "The same frame gives the same bytes on every machine. Films need the program ffmpeg."};
    Arguments arguments;
    ExitCode code;
    CnError error = {0};
    RenderDef def = render_def_default();
    if (!options_parse(&usage, argc, argv, &arguments, &code)) {
        return code;
    }
    if (!check_out(&chosen, &error) ||
        (chosen.size != NULL && !read_size(chosen.size, &def, &error)) ||
        (chosen.camera != NULL && !read_camera(chosen.camera, &def, &error))) {
        console_error(&arguments.console, "%s", error.message);
        return CODE_USAGE;
    }
    def.shows_forces = !chosen.hides_forces;
    def.shows_title = !chosen.hides_title;
    const char* argument = arguments.operands[0];
    return is_recording(argument) ? render(argument, &chosen, &def, &arguments.console)
                                  : render_scene(argument, &chosen, &def, &arguments.console);
}

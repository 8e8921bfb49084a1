// live_run.c - a scene that runs at the pace of the clock while a page watches and steers it.
//
// This thread steps the world. Commands come on threads of the server, one at a time, and wait
// until this thread has carried them out between two steps; so only one thread ever touches the
// world.
#include "serve/live_run.h"

#include "cairn/recording.h"
#include "serve/server.h"
#include "terminal/choices.h"
#include "terminal/interrupt.h"
#include "terminal/json_out.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define FRAME_RATE 60.0    // sent to the page [1/s]
#define NAP 2e-3           // between two looks for commands while paused or ahead [s]
#define MOST_BEHIND 0.1    // a run slower than the clock does not catch up more than this [s]
#define LOOK_AT_FILE 0.5   // between two looks whether the scene file changed [s]
#define DRAG_FREQUENCY 1.5 // of the spring between a body and the pointer [Hz]
#define COMMAND_PATIENCE 5 // a command is refused when no step ended for this long [s]

typedef struct Drag {
    bool is_on;
    int body;
    CnVec3 point;  // on the body, in its frame [m]
    CnVec3 target; // in the world [m]
} Drag;

typedef struct LiveRun {
    const LiveRunDef* def;
    LiveScene live;
    Stream* stream;
    CnRecorder* recorder;
    bool is_running;
    int steps_asked;   // while paused
    double clock_zero; // time of the clock at which the simulated time was zero [s]
    Drag drag;
    struct timespec changed; // of the scene file
    double next_look;        // at the scene file [s]

    // One command at a time passes from a thread of the server to this one.
    pthread_mutex_t lock, turn;
    pthread_cond_t is_done;
    const ServerCommand* command; // NULL: none waits
    char* refusal;
    size_t refusal_size;
    bool is_accepted;
} LiveRun;

static void nap(double seconds) {
    struct timespec length = {0, (long)(seconds * 1e9)};
    nanosleep(&length, NULL);
}

// ---- recording into the stream ----

// What describes the world goes to every page, however late it comes.
static bool is_preamble(const char* bytes) {
    static const char* const kinds[] = {"CAIR", "HEAD", "MESH", "TEXT"};
    bool found = false;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        found = found || memcmp(bytes, kinds[i], 4) == 0;
    }
    return found;
}

// Of type CnRecordingOutput.write.
static bool write_to_stream(const void* bytes, size_t size, void* context) {
    return stream_write(context, bytes, size, is_preamble(bytes));
}

static bool start_recorder(LiveRun* run, CnError* error) {
    CnRecorderDef def = cn_recorder_def_default();
    def.output = (CnRecordingOutput){write_to_stream, run->stream};
    def.frame_rate = FRAME_RATE;
    def.chunk_frames = 1;
    def.hash_every = 0;
    def.dt = run->live.settings.dt;
    stream_restart(run->stream);
    run->recorder = cn_recorder_create(run->live.world, &def, error);
    return run->recorder != NULL;
}

static void keep_pace(LiveRun* run) {
    run->clock_zero = console_clock() - cn_world_time(run->live.world);
}

static void note_file(LiveRun* run) {
    struct stat status;
    if (stat(run->def->scene, &status) == 0) {
        run->changed = status.st_mtim;
    }
}

static bool start(LiveRun* run, CnError* error) {
    note_file(run);
    return live_scene_open(&run->live, run->def->scene, &run->def->overrides, run->def->console,
                           error) &&
           start_recorder(run, error);
}

static void stop(LiveRun* run) {
    CnError error = {0};
    cn_recorder_close(run->recorder, &error); // nobody reads what follows the last frame
    run->recorder = NULL;
    live_scene_close(&run->live);
    run->live = (LiveScene){0};
}

// From the beginning, with the scene as it is now. The old one goes on when that cannot be opened.
static bool restart(LiveRun* run, CnError* error) {
    LiveScene fresh;
    note_file(run);
    if (!live_scene_open(&fresh, run->def->scene, &run->def->overrides, run->def->console, error)) {
        live_scene_close(&fresh);
        return false;
    }
    stop(run);
    run->live = fresh;
    run->drag.is_on = false;
    keep_pace(run);
    return start_recorder(run, error);
}

// ---- commands ----

static bool refuse(LiveRun* run, const char* sentence) {
    snprintf(run->refusal, run->refusal_size, "%s", sentence);
    return false;
}

static const char* text_of(const LiveRun* run, const char* key) {
    const char* text = run->command->parameter(run->command, key);
    return text == NULL ? "" : text;
}

// Numbers with blanks between them.
static bool numbers_of(const LiveRun* run, const char* key, double* numbers, int count) {
    const char* at = text_of(run, key);
    bool ok = true;
    for (int i = 0; ok && i < count; ++i) {
        char* end;
        numbers[i] = strtod(at, &end);
        ok = end != at && isfinite(numbers[i]);
        at = end;
    }
    return ok && *at == 0;
}

static bool vector_of(const LiveRun* run, const char* key, CnVec3* vector) {
    double numbers[3];
    bool ok = numbers_of(run, key, numbers, 3);
    *vector = ok ? (CnVec3){numbers[0], numbers[1], numbers[2]} : *vector;
    return ok;
}

static bool body_of(const LiveRun* run, int* body) {
    double number;
    bool ok = numbers_of(run, "body", &number, 1) && number >= 0.0 &&
              number < cn_world_body_count(run->live.world);
    *body = ok ? (int)number : -1;
    return ok;
}

static bool do_run(LiveRun* run) {
    run->is_running = true;
    keep_pace(run);
    return true;
}

static bool do_pause(LiveRun* run) {
    run->is_running = false;
    return true;
}

static bool do_step(LiveRun* run) {
    run->is_running = false;
    run->steps_asked += 1;
    return true;
}

static bool do_reset(LiveRun* run) {
    CnError error = {0};
    return restart(run, &error) || refuse(run, error.message);
}

static bool do_drag(LiveRun* run) {
    Drag drag = {.is_on = true};
    if (!body_of(run, &drag.body) || !vector_of(run, "point", &drag.point) ||
        !vector_of(run, "target", &drag.target)) {
        return refuse(run, "drag needs body, point and target");
    }
    run->drag = drag;
    return true;
}

static bool do_release(LiveRun* run) {
    run->drag.is_on = false;
    return true;
}

// velocity: what the body gets, if nothing holds it [m/s]
static bool do_push(LiveRun* run) {
    CnError error = {0};
    CnVec3 velocity;
    int body;
    if (!body_of(run, &body) || !vector_of(run, "velocity", &velocity)) {
        return refuse(run, "push needs body and velocity");
    }
    CnBodyId id = cn_world_body_at(run->live.world, body);
    CnMassProperties mass = {0};
    CnBodyState state = {0};
    cn_body_mass_properties(run->live.world, id, &mass);
    cn_body_state(run->live.world, id, &state);
    CnVec3 impulse = cn_vec3_scale(mass.mass, velocity);
    return cn_body_apply_impulse(run->live.world, id, impulse, state.center, &error) == CN_OK ||
           refuse(run, error.message);
}

static bool set_solver(LiveRun* run, CnSolverDef* solver) {
    CnError error = {0};
    return cn_world_set_solver(run->live.world, solver, &error) == CN_OK ||
           refuse(run, error.message);
}

static bool do_set_solver(LiveRun* run) {
    CnSolverDef solver = cn_world_read(run->live.world).solver;
    int choice = choice_find(choice_solver, text_of(run, "value"));
    if (choice < 0) {
        return refuse(run, "there is no such solver");
    }
    solver.name = choice_solver(choice);
    return set_solver(run, &solver);
}

static bool do_set_tolerance(LiveRun* run) {
    CnSolverDef solver = cn_world_read(run->live.world).solver;
    return numbers_of(run, "value", &solver.tolerance, 1) ? set_solver(run, &solver)
                                                          : refuse(run, "this is not a number");
}

static bool do_set_scheme(LiveRun* run) {
    CnError error = {0};
    CnStepDef step = cn_world_read(run->live.world).step;
    int choice = choice_find(choice_scheme, text_of(run, "value"));
    if (choice < 0) {
        return refuse(run, "there is no such scheme");
    }
    step.scheme = (CnScheme)choice;
    return cn_world_set_step(run->live.world, &step, &error) == CN_OK || refuse(run, error.message);
}

static bool do_set_gravity_z(LiveRun* run) {
    CnError error = {0};
    CnVec3 gravity = cn_world_read(run->live.world).gravity;
    return numbers_of(run, "value", &gravity.z, 1)
               ? cn_world_set_gravity(run->live.world, gravity, &error) == CN_OK ||
                     refuse(run, error.message)
               : refuse(run, "this is not a number");
}

static bool carry_out(LiveRun* run) {
    static const struct {
        const char* name;
        bool (*act)(LiveRun*);
    } commands[] = {
        {"run", do_run},
        {"pause", do_pause},
        {"step", do_step},
        {"reset", do_reset},
        {"drag", do_drag},
        {"release", do_release},
        {"push", do_push},
        {"solver", do_set_solver},
        {"scheme", do_set_scheme},
        {"tolerance", do_set_tolerance},
        {"gravity_z", do_set_gravity_z},
    };
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
        if (strcmp(run->command->name, commands[i].name) == 0) {
            return commands[i].act(run);
        }
    }
    return refuse(run, "there is no such command");
}

// On this thread, between two steps.
static void take_command(LiveRun* run) {
    pthread_mutex_lock(&run->lock);
    if (run->command != NULL) {
        run->is_accepted = carry_out(run);
        run->command = NULL;
        pthread_cond_signal(&run->is_done);
    }
    pthread_mutex_unlock(&run->lock);
}

// Of type ServerDef.command: on a thread of the server. Gives up when a step takes too long.
static bool pass_command(const ServerCommand* command, char* refusal, size_t size, void* context) {
    LiveRun* run = context;
    struct timespec limit;
    pthread_mutex_lock(&run->turn);
    pthread_mutex_lock(&run->lock);
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += COMMAND_PATIENCE;
    run->command = command;
    run->refusal = refusal;
    run->refusal_size = size;
    bool is_late = false;
    while (run->command != NULL && !is_late) {
        is_late = pthread_cond_timedwait(&run->is_done, &run->lock, &limit) != 0;
    }
    bool ok = run->command == NULL && run->is_accepted;
    if (run->command != NULL) {
        snprintf(refusal, size, "a step takes longer than %d s; try again", COMMAND_PATIENCE);
    }
    run->command = NULL;
    pthread_mutex_unlock(&run->lock);
    pthread_mutex_unlock(&run->turn);
    return ok;
}

// ---- steps ----

// A spring and a damper at critical damping between the point of the body and the pointer, so
// strong that the body alone would follow at DRAG_FREQUENCY.
static void pull(const LiveRun* run) {
    const CnWorld* world = run->live.world;
    CnBodyId body = cn_world_body_at(world, run->drag.body);
    CnMassProperties mass = {0};
    CnBodyState state = {0};
    CnTransform pose = {0};
    CnError error = {0};
    cn_body_mass_properties(world, body, &mass);
    cn_body_state(world, body, &state);
    cn_body_pose(world, body, &pose);
    double w = 2.0 * CN_PI * DRAG_FREQUENCY; // [rad/s]
    CnVec3 point = cn_transform_point(pose, run->drag.point);
    CnVec3 velocity = cn_vec3_add(
        state.velocity, cn_vec3_cross(state.angular_velocity, cn_vec3_sub(point, state.center)));
    CnVec3 force =
        cn_vec3_sub(cn_vec3_scale(mass.mass * w * w, cn_vec3_sub(run->drag.target, point)),
                    cn_vec3_scale(2.0 * mass.mass * w, velocity));
    cn_body_apply_force(run->live.world, body, force, point, &error); // a static body stays
}

// A step that fails pauses the run; the page shows the last frame and the console says why.
static void take_step(LiveRun* run) {
    CnStepReport report = {0};
    CnError error = {0};
    if (run->drag.is_on) {
        pull(run);
    }
    if (cn_world_step(run->live.world, run->live.settings.dt, &report, &error) != CN_OK ||
        cn_recorder_add(run->recorder, &report, &error) != CN_OK) {
        console_error(run->def->console, "%s", error.message);
        run->is_running = false;
    }
}

static void look_at_file(LiveRun* run) {
    struct stat status;
    CnError error = {0};
    double now = console_clock();
    if (now < run->next_look) {
        return;
    }
    run->next_look = now + LOOK_AT_FILE;
    if (stat(run->def->scene, &status) == 0 && (status.st_mtim.tv_sec != run->changed.tv_sec ||
                                                status.st_mtim.tv_nsec != run->changed.tv_nsec)) {
        if (restart(run, &error)) {
            console_note(run->def->console, "%s has changed: started again", run->def->scene);
        } else {
            console_error(run->def->console, "%s", error.message);
        }
    }
}

static void go_on(LiveRun* run) {
    double behind = console_clock() - run->clock_zero - cn_world_time(run->live.world);
    if (run->is_running && behind > 0.0) {
        if (behind > MOST_BEHIND) {
            run->clock_zero += behind - MOST_BEHIND;
        }
        take_step(run);
    } else if (!run->is_running && run->steps_asked > 0) {
        run->steps_asked -= 1;
        take_step(run);
    } else {
        nap(NAP);
    }
}

// ---- the page's settings ----

static void write_names(JsonOut* json, const char* key, const char* (*choice)(int)) {
    json_begin_array(json, key);
    for (int i = 0; choice(i) != NULL; ++i) {
        json_text(json, NULL, choice(i));
    }
    json_end(json);
}

// What the page's controls start with; to be freed. NULL: no memory.
static char* make_settings(const LiveRun* run) {
    char* text = NULL;
    size_t size;
    FILE* file = open_memstream(&text, &size);
    if (file == NULL) {
        return NULL;
    }
    CnWorldDef def = cn_world_read(run->live.world);
    JsonOut json = json_open_line(file);
    json_begin_object(&json, NULL);
    json_text(&json, "mode", "live");
    json_begin_object(&json, "settings");
    json_text(&json, "solver", def.solver.name);
    json_text(&json, "scheme", cn_scheme_name(def.step.scheme));
    json_real(&json, "tolerance", def.solver.tolerance);
    json_vec3(&json, "gravity", def.gravity);
    write_names(&json, "solvers", choice_solver);
    write_names(&json, "schemes", choice_scheme);
    json_end(&json);
    json_end(&json);
    fclose(file);
    return text;
}

static bool has_browser(void) {
    const char* display = getenv("DISPLAY");
    const char* wayland = getenv("WAYLAND_DISPLAY");
    return (display != NULL && display[0] != 0) || (wayland != NULL && wayland[0] != 0);
}

void show_address(const Console* console, const char* address, bool opens_browser) {
    char command[256];
    printf("%s\n", address);
    fflush(stdout);
    console_note(console, "open the address in a browser; Ctrl-C ends it");
    if (opens_browser && has_browser()) {
        snprintf(command, sizeof command, "xdg-open '%s' >/dev/null 2>&1 &", address);
        if (system(command) != 0) { // NOLINT: our own text
            console_note(console, "no browser could be opened");
        }
    }
}

static ExitCode serve(LiveRun* run) {
    CnError error = {0};
    char* settings = make_settings(run);
    Server* server = settings == NULL ? NULL
                                      : server_start(&(ServerDef){.port = run->def->port,
                                                                  .settings = settings,
                                                                  .stream = run->stream,
                                                                  .command = pass_command,
                                                                  .context = run},
                                                     &error);
    if (server != NULL) {
        show_address(run->def->console, server_address(server), run->def->opens_browser);
        interrupt_hold(true);
        keep_pace(run);
        while (!interrupt_asked()) {
            take_command(run);
            look_at_file(run);
            go_on(run);
        }
    }
    server_stop(server);
    free(settings);
    return server == NULL ? console_fail(run->def->console, &error) : CODE_OK;
}

ExitCode live_run(const LiveRunDef* def) {
    LiveRun run = {.def = def,
                   .is_running = true,
                   .lock = PTHREAD_MUTEX_INITIALIZER,
                   .turn = PTHREAD_MUTEX_INITIALIZER,
                   .is_done = PTHREAD_COND_INITIALIZER,
                   .stream = stream_create()};
    CnError error = {CN_NO_MEMORY, "no memory for the stream of frames"};
    ExitCode code = run.stream != NULL && start(&run, &error) ? serve(&run)
                                                              : console_fail(def->console, &error);
    stop(&run);
    stream_destroy(run.stream);
    return code;
}

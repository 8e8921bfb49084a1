// cmd_view.c - `cairn view`: a recording or a running scene in a web page.
#include "command.h"
#include "run/files.h"
#include "run/recorded_run.h"
#include "serve/live_run.h"
#include "serve/run_page.h"
#include "serve/server.h"
#include "terminal/choices.h"
#include "terminal/interrupt.h"
#include "terminal/options.h"

#include <time.h>

typedef struct ViewOptions {
    SceneOverrides scene;
    const char* html; // file; NULL: a server
    int port;
    bool stays_closed; // no browser is opened
} ViewOptions;

static ExitCode serve_recording(const char* path, const ViewOptions* options, Console* console) {
    CnError error = {0};
    const ServerDef def = {
        .port = options->port, .settings = "{\"mode\": \"replay\"}", .recording = path};
    Server* server = server_start(&def, &error);
    if (server == NULL) {
        return console_fail(console, &error);
    }
    show_address(console, server_address(server), !options->stays_closed);
    interrupt_hold(true);
    while (!interrupt_asked()) {
        nanosleep(&(struct timespec){0, 100000000L}, NULL);
    }
    server_stop(server);
    return CODE_OK;
}

static ExitCode view(const char* argument, const ViewOptions* options, Console* console) {
    RunSummary summary;
    if (is_recording(argument)) {
        return options->html != NULL ? write_page(argument, options->html, console)
                                     : serve_recording(argument, options, console);
    }
    if (options->html != NULL) {
        const RecordedRun run = {
            .scene = argument, .overrides = options->scene, .console = console};
        return write_run_page(&run, options->html, &summary);
    }
    return live_run(
        &(LiveRunDef){argument, options->scene, options->port, !options->stays_closed, console});
}

ExitCode command_view(const Command* self, int argc, char** argv) {
    ViewOptions chosen = {.scene = scene_overrides_none()};
    const Option options[] = {
        option_text("html", "F", &chosen.html,
                    "write one file that opens from disk, instead of serving a page"),
        option_between("port", "N", &chosen.port, 1, 65535,
                       "of the server on this machine (default: any free one)"),
        option_flag("no-browser", &chosen.stays_closed, "only print the address"),
        option_choice("solver", "S", &chosen.scene.solver, choice_solver, "who finds the impulses"),
        option_choice("scheme", "S", &chosen.scene.scheme, choice_scheme, "how time advances"),
        option_flag("real-time", &chosen.scene.real_time,
                    "the real-time preset: soft_step, steps of 1/60 s, sleeping"),
        option_positive("dt", "H", &chosen.scene.dt, "length of a step [s]"),
        option_non_negative("duration", "T", &chosen.scene.duration,
                            "simulated time of --html [s]"),
        option_positive("tolerance", "E", &chosen.scene.tolerance,
                        "largest residual of a block [m/s]"),
        option_count("threads", "N", &chosen.scene.threads, MAX_THREADS, "workers (default 1)"),
    };
    const Usage usage = {
        self,
        "SCENE|RECORDING",
        1,
        1,
        options,
        OPTION_TABLE_COUNT(options),
        "A scene runs live, at the pace of the clock: pause it, step it, pull bodies, change the\n"
        "solver. It starts again when its file changes. The server answers only to this machine,\n"
        "and only to who knows the printed address. Ctrl-C ends it."};
    Arguments arguments;
    ExitCode code;
    if (!options_parse(&usage, argc, argv, &arguments, &code)) {
        return code;
    }
    return view(arguments.operands[0], &chosen, &arguments.console);
}

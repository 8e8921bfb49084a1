// main.c - the cairn program: one table of commands.
#include "builtin/builtin_scenes.h"
#include "command.h"
#include "terminal/console.h"
#include "terminal/interrupt.h"

#include <string.h>

static const Command commands[] = {
    {"run", "Run a scene and report how far its answers can be trusted", command_run},
    {"solve", "Solve one saved problem with one solver or all of them", command_solve},
    {"solvers", "List the solvers: the laws they meet and whether they are exact", command_solvers},
    {"check", "List everything that is wrong with a scene, by line", command_check},
    {"validate", "Compare simulations with answers known from theory", command_validate},
    {"replay", "Run a recorded scene again and compare it with the recording", command_replay},
    {"convert", "Write a recording as CSV, NumPy, ParaView or glTF", command_convert},
    {"view", "Show a recording or a running scene in a web page", command_view},
    {"render", "Draw a frame as a picture, or all frames as a film", command_render},
    {"bench", "Measure the time of steps, or the cost of solvers", command_bench},
};
#define COMMAND_COUNT ((int)(sizeof commands / sizeof commands[0]))

static void print_commands(FILE* stream) {
    for (int i = 0; i < COMMAND_COUNT; ++i) {
        fprintf(stream, "  %-10s%s\n", commands[i].name, commands[i].summary);
    }
}

static void print_builtin_scenes(void) {
    for (int i = 0; i < cn_builtin_scene_count(); ++i) {
        CnBuiltinScene scene = cn_builtin_scene_at(i);
        char argument[64];
        snprintf(argument, sizeof argument, "@%s:%d", scene.name, scene.default_size);
        printf("  %-18s%s\n", argument, scene.summary);
    }
}

static ExitCode print_help(void) {
    printf("usage: cairn COMMAND [options]\n\n"
           "Rigid-body dynamics whose every answer carries a measure of its error.\n\ncommands:\n");
    print_commands(stdout);
    printf("\n`cairn COMMAND --help` explains one command. A scene is a file, - for standard\n"
           "input, or one of these, with another size if you like:\n");
    print_builtin_scenes();
    printf("\nexit codes: 0 ok, 1 failure, 2 usage, 3 invalid input, 4 not converged (or\n"
           "positions not corrected) under --strict, 5 resource limit, 6 replay differs,\n"
           "130 and 143 interrupted\n");
    return CODE_OK;
}

static ExitCode refuse_unknown(const char* name) {
    const Console console = {.command = ""};
    const char* names[COMMAND_COUNT];
    for (int i = 0; i < COMMAND_COUNT; ++i) {
        names[i] = commands[i].name;
    }
    const char* nearest = cn_nearest_name(name, names, COMMAND_COUNT);
    if (nearest != NULL) {
        console_error(&console,
                      "unknown command \"%s\"; did you mean \"%s\"? The commands are:", name,
                      nearest);
    } else {
        console_error(&console, "unknown command \"%s\". The commands are:", name);
    }
    print_commands(stderr);
    return CODE_USAGE;
}

static ExitCode dispatch(int argc, char** argv) {
    if (argc < 2) {
        const Console console = {.command = ""};
        console_error(&console, "a command is missing. The commands are:");
        print_commands(stderr);
        return CODE_USAGE;
    }
    const char* name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        return print_help();
    }
    if (strcmp(name, "--version") == 0) {
        printf("cairn %s\n", cn_version());
        return CODE_OK;
    }
    for (int i = 0; i < COMMAND_COUNT; ++i) {
        if (strcmp(commands[i].name, name) == 0) {
            return commands[i].run(&commands[i], argc - 1, argv + 1);
        }
    }
    return refuse_unknown(name);
}

int main(int argc, char** argv) {
    interrupt_watch();
    ExitCode code = dispatch(argc, argv);
    // A full disk shows up here at the latest: data that was not written is a failure.
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == CODE_OK) {
        const Console console = {.command = ""};
        console_error(&console, "standard output could not be written");
        code = CODE_FAILURE;
    }
    return interrupt_code((int)code);
}

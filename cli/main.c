// main.c - the cairn program: one table of commands.
#include "command.h"
#include "terminal/console.h"
#include "terminal/interrupt.h"

#include <string.h>

static const Command commands[] = {
    {"run", "Run a scene and report how far its answers can be trusted", command_run, false, NULL},
    {"compare", "Run a scene in several ways and compare them with the most accurate",
     command_compare, false, NULL},
    {"solve", "Solve one saved problem with one solver or all of them", command_solve, false, NULL},
    {"solvers", "List the solvers: the laws they meet and whether they are exact", command_solvers,
     false, NULL},
    {"check", "List everything that is wrong with scenes, by line", command_check, false, NULL},
    {"validate", "Compare simulations with answers known from theory", command_validate, false,
     NULL},
    {"replay", "Run a recorded scene again and compare it with the recording", command_replay,
     false, NULL},
    {"convert", "Write a recording as CSV, NumPy, ParaView or glTF", command_convert, false, NULL},
    {"view", "Show a recording or a running scene in a web page", command_view, false, NULL},
    {"render", "Draw a frame as a picture, or all frames as a film", command_render, false, NULL},
    {"bench", "Measure the time of steps, or the cost of solvers", command_bench, false, NULL},
    {"export", "Write a scene out as one file that needs no other", command_export, false, NULL},
    {"help", "Explain the program, or one command", command_help, false, NULL},
    {"version", "Show version, compiler, libraries and vector registers", command_version, false,
     NULL},
    {"describe", "Write man pages and completion to a folder", command_describe, true, NULL},
};
#define COMMAND_COUNT ((int)(sizeof commands / sizeof commands[0]))

const Command* command_at(int index) {
    return index < COMMAND_COUNT ? &commands[index] : NULL;
}

const Command* command_find(const char* name) {
    for (int i = 0; i < COMMAND_COUNT; ++i) {
        if (strcmp(commands[i].name, name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

static ExitCode dispatch(int argc, char** argv) {
    if (argc < 2) {
        const Console console = {.command = ""};
        console_error(&console, "a command is missing. The commands are:");
        help_print_commands(stderr);
        return CODE_USAGE;
    }
    const char* name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        help_print();
        return CODE_OK;
    }
    if (strcmp(name, "--version") == 0) {
        printf("cairn %s\n", cn_version());
        return CODE_OK;
    }
    const Command* command = command_find(name);
    return command != NULL ? command->run(command, argc - 1, argv + 1) : help_refuse_unknown(name);
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

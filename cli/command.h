// command.h - what a subcommand is, and what its exit code means.
#pragma once

#include <stdbool.h>
#include <stdio.h>

// Scripts depend on these numbers.
typedef enum ExitCode {
    CODE_OK = 0,
    CODE_FAILURE = 1,       // something went wrong that is none of the below
    CODE_USAGE = 2,         // the command line is wrong
    CODE_INVALID = 3,       // a scene or problem is wrong
    CODE_NOT_CONVERGED = 4, // under --strict: an answer missed its tolerance
    CODE_RESOURCE = 5,      // out of memory, or a size limit was met
    CODE_MISMATCH = 6,      // a replay differs from its recording
} ExitCode;

#define EXIT_CODES                                                                                 \
    "0 ok, 1 failure, 2 usage, 3 invalid input, 4 not converged (or\n"                             \
    "positions not corrected) under --strict, 5 resource limit, 6 replay differs,\n"               \
    "130 and 143 interrupted"

typedef struct Command Command;
struct Command {
    const char* name;
    const char* summary; // one line, no full stop

    // argv[0] is the command's own name.
    ExitCode (*run)(const Command* self, int argc, char** argv);

    bool hidden; // for the build, not for people: no list has it

    // When set the command hands its table of options to it and does nothing else.
    const struct Description* description;
};

// All commands in the order of help; NULL after the last.
const Command* command_at(int index);
const Command* command_find(const char* name); // NULL: there is none

ExitCode command_run(const Command* self, int argc, char** argv);
ExitCode command_solve(const Command* self, int argc, char** argv);
ExitCode command_solvers(const Command* self, int argc, char** argv);
ExitCode command_check(const Command* self, int argc, char** argv);
ExitCode command_validate(const Command* self, int argc, char** argv);
ExitCode command_replay(const Command* self, int argc, char** argv);
ExitCode command_convert(const Command* self, int argc, char** argv);
ExitCode command_bench(const Command* self, int argc, char** argv);
ExitCode command_compare(const Command* self, int argc, char** argv);
ExitCode command_view(const Command* self, int argc, char** argv);
ExitCode command_render(const Command* self, int argc, char** argv);
ExitCode command_export(const Command* self, int argc, char** argv);
ExitCode command_help(const Command* self, int argc, char** argv);
ExitCode command_version(const Command* self, int argc, char** argv);
ExitCode command_describe(const Command* self, int argc, char** argv);

// All commands and built-in scenes, on standard output.
void help_print(void);
void help_print_commands(FILE* stream);

// "unknown command ...; did you mean ...?" Returns CODE_USAGE.
ExitCode help_refuse_unknown(const char* name);

// command.h - what a subcommand is, and what its exit code means.
#pragma once

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

typedef struct Command Command;
struct Command {
    const char* name;
    const char* summary; // one line, no full stop

    // argv[0] is the command's own name.
    ExitCode (*run)(const Command* self, int argc, char** argv);
};

ExitCode command_run(const Command* self, int argc, char** argv);
ExitCode command_solve(const Command* self, int argc, char** argv);
ExitCode command_solvers(const Command* self, int argc, char** argv);
ExitCode command_check(const Command* self, int argc, char** argv);
ExitCode command_validate(const Command* self, int argc, char** argv);
ExitCode command_replay(const Command* self, int argc, char** argv);
ExitCode command_convert(const Command* self, int argc, char** argv);
ExitCode command_bench(const Command* self, int argc, char** argv);
ExitCode command_view(const Command* self, int argc, char** argv);
ExitCode command_render(const Command* self, int argc, char** argv);

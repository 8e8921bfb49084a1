// cmd_describe.c - `cairn describe`: man pages and completion, written by the build.
#include "terminal/describe.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define FOLDER_SIZE 4096
#define PATH_SIZE (FOLDER_SIZE + 64) // with the name of a page

static bool fail(const Console* console, const char* path) {
    console_error(console, "%s: %s", path, strerror(errno));
    return false;
}

static void describe(const Command* command, const Description* description) {
    Command described = *command;
    char name[32];
    char* argv[] = {name, NULL};
    snprintf(name, sizeof name, "%s", command->name);
    described.description = description;
    described.run(&described, 1, argv);
}

static bool write_page(const Console* console, const char* folder, const Command* command) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/cairn%s%s.1", folder, command != NULL ? "-" : "",
             command != NULL ? command->name : "");
    FILE* out = fopen(path, "w");
    if (out == NULL) {
        return fail(console, path);
    }
    const Description page = {out, describe_man_page};
    if (command != NULL) {
        describe(command, &page);
    } else {
        describe_main_page(out);
    }
    return fclose(out) == 0 || fail(console, path);
}

static bool write_completion(const Console* console, const char* folder) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/cairn", folder);
    FILE* out = fopen(path, "w");
    if (out == NULL) {
        return fail(console, path);
    }
    const Description cases = {out, describe_completion};
    describe_completion_begin(out);
    for (int i = 0; command_at(i) != NULL; ++i) {
        if (!command_at(i)->hidden) {
            describe(command_at(i), &cases);
        }
    }
    describe_completion_end(out);
    return fclose(out) == 0 || fail(console, path);
}

static bool make_folder(const Console* console, const char* path) {
    return mkdir(path, 0777) == 0 || errno == EEXIST || fail(console, path);
}

ExitCode command_describe(const Command* self, int argc, char** argv) {
    const Usage usage = {self, "FOLDER", 1, 1, NULL, 0, NULL};
    Arguments arguments;
    ExitCode code;
    if (!options_parse(&usage, argc, argv, &arguments, &code)) {
        return code;
    }
    const Console* console = &arguments.console;
    char man[FOLDER_SIZE], completion[FOLDER_SIZE];
    snprintf(man, sizeof man, "%s/man1", arguments.operands[0]);
    snprintf(completion, sizeof completion, "%s/completions", arguments.operands[0]);
    bool ok = make_folder(console, arguments.operands[0]) && make_folder(console, man) &&
              make_folder(console, completion) && write_page(console, man, NULL) &&
              write_completion(console, completion);
    for (int i = 0; ok && command_at(i) != NULL; ++i) {
        ok = command_at(i)->hidden || write_page(console, man, command_at(i));
    }
    return ok ? CODE_OK : CODE_FAILURE;
}

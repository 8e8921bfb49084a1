// cmd_help.c - `cairn help`: the commands, or one of them.
#include "builtin/builtin_scenes.h"
#include "terminal/options.h"

#include <string.h>

#define MAX_COMMANDS 32

void help_print_commands(FILE* stream) {
    for (int i = 0; command_at(i) != NULL; ++i) {
        if (!command_at(i)->hidden) {
            fprintf(stream, "  %-10s%s\n", command_at(i)->name, command_at(i)->summary);
        }
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

void help_print(void) {
    printf("usage: cairn COMMAND [options]\n\n"
           "Rigid-body dynamics whose every answer carries a measure of its error.\n\ncommands:\n");
    help_print_commands(stdout);
    printf("\n`cairn help COMMAND` explains one command. A scene is a file, - for standard\n"
           "input, or one of these, with another size if you like:\n");
    print_builtin_scenes();
    printf("\nexit codes: " EXIT_CODES "\n");
}

ExitCode help_refuse_unknown(const char* name) {
    const Console console = {.command = ""};
    const char* names[MAX_COMMANDS];
    int count = 0;
    for (int i = 0; command_at(i) != NULL && count < MAX_COMMANDS; ++i) {
        if (!command_at(i)->hidden) {
            names[count++] = command_at(i)->name;
        }
    }
    const char* nearest = cn_nearest_name(name, names, count);
    if (nearest != NULL) {
        console_error(&console,
                      "unknown command \"%s\"; did you mean \"%s\"? The commands are:", name,
                      nearest);
    } else {
        console_error(&console, "unknown command \"%s\". The commands are:", name);
    }
    help_print_commands(stderr);
    return CODE_USAGE;
}

ExitCode command_help(const Command* self, int argc, char** argv) {
    const Usage usage = {self, "[COMMAND]", 0, 1, NULL, 0, NULL};
    Arguments arguments;
    ExitCode code;
    if (!options_parse(&usage, argc, argv, &arguments, &code)) {
        return code;
    }
    if (arguments.operand_count == 0) {
        help_print();
        return CODE_OK;
    }
    const Command* command = command_find(arguments.operands[0]);
    if (command == NULL) {
        return help_refuse_unknown(arguments.operands[0]);
    }
    char option[] = "--help";
    char* words[] = {arguments.operands[0], option, NULL};
    return command->run(command, 2, words);
}

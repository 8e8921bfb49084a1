// options.h - a command's options as a table: parsed, checked and explained from the same rows.
//
//     double dt = 0.0;
//     const Option options[] = {option_positive("dt", "H", &dt, "length of a step [s]")};
//     const Usage usage = {self, "SCENE", 1, 1, options, OPTION_TABLE_COUNT(options)};
//     Arguments arguments;
//     ExitCode code;
//     if (!options_parse(&usage, argc, argv, &arguments, &code)) {
//         return code;
//     }
//
// Every command also has --json, --quiet and --help. Man pages and completion (describe.h) come
// from the same rows.
#pragma once

#include "command.h"
#include "terminal/console.h"

#include <limits.h>

typedef enum OptionKind {
    OPTION_FLAG,         // bool: true when given
    OPTION_TEXT,         // const char*: any word but the empty one
    OPTION_POSITIVE,     // double: finite, > 0
    OPTION_NON_NEGATIVE, // double: finite, >= 0
    OPTION_COUNT,        // int: least..limit
    OPTION_CHOICE,       // int: the index of one of the choices
    OPTION_LIST,         // TextList: may be given several times
} OptionKind;

#define MAX_LIST_WORDS 64
typedef struct TextList {
    const char* words[MAX_LIST_WORDS];
    int count;
} TextList;

// The names an OPTION_CHOICE knows, NULL after the last.
typedef const char* ChoiceName(int index);

// Made by the functions below, which tie the kind to the type of its target.
typedef struct Option {
    OptionKind kind;
    const char* name;        // without the dashes
    const char* placeholder; // what help calls the value; NULL for a flag
    void* target;            // left as it is when the option is not given
    const char* help;
    int least, limit;            // OPTION_COUNT: the smallest and the largest value
    ChoiceName* choice;          // OPTION_CHOICE
    const struct Option* second; // of the value behind this one; NULL: there is none
} Option;

static inline Option option_flag(const char* name, bool* target, const char* help) {
    return (Option){.kind = OPTION_FLAG, .name = name, .target = target, .help = help};
}

static inline Option option_text(const char* name, const char* placeholder, const char** target,
                                 const char* help) {
    return (Option){OPTION_TEXT, name, placeholder, target, help, 0, 0, NULL, NULL};
}

static inline Option option_positive(const char* name, const char* placeholder, double* target,
                                     const char* help) {
    return (Option){OPTION_POSITIVE, name, placeholder, target, help, 0, 0, NULL, NULL};
}

static inline Option option_non_negative(const char* name, const char* placeholder, double* target,
                                         const char* help) {
    return (Option){OPTION_NON_NEGATIVE, name, placeholder, target, help, 0, 0, NULL, NULL};
}

static inline Option option_between(const char* name, const char* placeholder, int* target,
                                    int least, int limit, const char* help) {
    return (Option){OPTION_COUNT, name, placeholder, target, help, least, limit, NULL, NULL};
}

static inline Option option_count(const char* name, const char* placeholder, int* target, int limit,
                                  const char* help) {
    return option_between(name, placeholder, target, 1, limit, help);
}

static inline Option option_choice(const char* name, const char* placeholder, int* target,
                                   ChoiceName* choice, const char* help) {
    return (Option){OPTION_CHOICE, name, placeholder, target, help, 0, 0, choice, NULL};
}

static inline Option option_list(const char* name, const char* placeholder, TextList* target,
                                 const char* help) {
    return (Option){OPTION_LIST, name, placeholder, target, help, 0, 0, NULL, NULL};
}

typedef struct Usage {
    const Command* command;
    const char* operands; // "SCENE", "[CASE...]"
    int minimum_operands, maximum_operands;
    const Option* options;
    int option_count;
    const char* notes; // paragraphs under the options in help; may be NULL
} Usage;

#define OPTION_TABLE_COUNT(options) ((int)(sizeof(options) / sizeof((options)[0])))
#define ANY_NUMBER_OF_OPERANDS INT_MAX

#define MAX_THREADS 256 // what cn_task_pool_create() takes

typedef struct Arguments {
    Console console;
    char** operands; // what is left of argv without options   [operand_count]
    int operand_count;
} Arguments;

// Reorders argv so that operands come together. False when the command is already done: help was
// shown (*code is CODE_OK), or the command line is wrong and a sentence said why (CODE_USAGE).
bool options_parse(const Usage* usage, int argc, char** argv, Arguments* arguments, ExitCode* code);

// One value of a table by the name of its option, as in "name=value" elsewhere than on the command
// line; origin begins every message. At most 64 options; flags cannot be set.
bool options_set(const Console* console, const char* origin, const Option* options, int count,
                 const char* name, const char* value);

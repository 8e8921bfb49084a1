// options.c - a command's options as a table: parsed, checked and explained from the same rows.
#include "terminal/options.h"

#include "terminal/choices.h"
#include "terminal/describe.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Options every command has, written straight into the Arguments.
#define COMMON_OPTION_COUNT 3

// Names looked at for the nearest one: several times what any command has.
#define MAX_NAMES 64

// Characters of all values of an option: several times what any has.
#define MAX_VALUES 1000

typedef struct Parser {
    const Usage* usage;
    Option common[COMMON_OPTION_COUNT];
    const Console* console;
    const char* prefix; // of names in messages: "--" on the command line
    bool help;
    const Option* pair;      // the last option given that takes two values; NULL: none
    const char* second_word; // what it took as the second
} Parser;

static const Option* option_at(const Parser* parser, int index) {
    const Usage* usage = parser->usage;
    if (index < usage->option_count) {
        return &usage->options[index];
    }
    index -= usage->option_count;
    return index < COMMON_OPTION_COUNT ? &parser->common[index] : NULL;
}

static Option common_option(int index, Console* console, bool* help) {
    const Option common[COMMON_OPTION_COUNT] = {
        option_flag("json", &console->json, "data as JSON"),
        option_flag("quiet", &console->quiet, "no progress or remarks, only errors"),
        option_flag("help", help, "this text"),
    };
    return common[index];
}

// ---- values ----

static bool parse_real(const Parser* parser, const Option* option, const char* text) {
    char* end;
    double value = strtod(text, &end);
    bool zero_allowed = option->kind == OPTION_NON_NEGATIVE;
    const char* rule = zero_allowed ? "zero or more" : "more than zero";

    if (isspace((unsigned char)text[0]) || end == text || *end != '\0') {
        console_error(parser->console, "%s%s is \"%s\", which is not a number", parser->prefix,
                      option->name, text);
        return false;
    }
    if (!isfinite(value) || value < 0.0 || (value == 0.0 && !zero_allowed)) {
        console_error(parser->console, "%s%s is %s; it must be finite and %s", parser->prefix,
                      option->name, text, rule);
        return false;
    }
    *(double*)option->target = value;
    return true;
}

static bool parse_count(const Parser* parser, const Option* option, const char* text) {
    char* end;
    errno = 0;
    long value = strtol(text, &end, 10);
    bool is_first = option->second != NULL; // of two values: say which
    const char *blank = is_first ? " " : "", *which = is_first ? option->placeholder : "";

    if (isspace((unsigned char)text[0]) || end == text || *end != '\0') {
        console_error(parser->console, "%s%s%s%s is \"%s\", which is not a whole number",
                      parser->prefix, option->name, blank, which, text);
        return false;
    }
    if (errno == ERANGE || value < option->least || value > option->limit) {
        console_error(parser->console, "%s%s%s%s is %s; it must be between %d and %d",
                      parser->prefix, option->name, blank, which, text, option->least,
                      option->limit);
        return false;
    }
    *(int*)option->target = (int)value;
    return true;
}

// Names with commas between; text [size], cut where it ends.
static void join_names(const char* const* names, int count, char* text, size_t size) {
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < count && length < size; ++i) {
        int added = snprintf(text + length, size - length, "%s%s", i == 0 ? "" : ", ", names[i]);
        length += added > 0 ? (size_t)added : 0;
    }
}

static bool parse_choice(const Parser* parser, const Option* option, const char* text) {
    int index = choice_find(option->choice, text);
    if (index >= 0) {
        *(int*)option->target = index;
        return true;
    }
    const char* names[MAX_NAMES];
    int count = 0;
    while (count < MAX_NAMES && option->choice(count) != NULL) {
        names[count] = option->choice(count);
        ++count;
    }
    const char* nearest = cn_nearest_name(text, names, count);
    if (nearest != NULL) {
        console_error(parser->console, "%s%s has no value \"%s\"; did you mean \"%s\"?",
                      parser->prefix, option->name, text, nearest);
        return false;
    }
    char values[MAX_VALUES];
    join_names(names, count, values, sizeof values);
    console_error(parser->console, "%s%s has no value \"%s\"; the values are %s", parser->prefix,
                  option->name, text, values);
    return false;
}

static bool parse_text(const Parser* parser, const Option* option, const char* text) {
    if (text[0] == '\0') {
        console_error(parser->console, "%s%s is empty", parser->prefix, option->name);
        return false;
    }
    *(const char**)option->target = text;
    return true;
}

static bool parse_list(const Parser* parser, const Option* option, const char* text) {
    TextList* list = option->target;
    if (list->count == MAX_LIST_WORDS) {
        console_error(parser->console, "--%s is given more than %d times", option->name,
                      MAX_LIST_WORDS);
        return false;
    }
    list->words[list->count++] = text;
    return true;
}

static bool parse_value(const Parser* parser, const Option* option, const char* text) {
    typedef bool ParseFunction(const Parser* parser, const Option* option, const char* text);
    static ParseFunction* const parse[] = {
        [OPTION_TEXT] = parse_text,         [OPTION_POSITIVE] = parse_real,
        [OPTION_NON_NEGATIVE] = parse_real, [OPTION_COUNT] = parse_count,
        [OPTION_CHOICE] = parse_choice,     [OPTION_LIST] = parse_list,
    };
    return parse[option->kind](parser, option, text);
}

// ---- words of the command line ----

static const Option* find_option(const Parser* parser, const char* name, size_t length) {
    for (int i = 0; option_at(parser, i) != NULL; ++i) {
        const Option* option = option_at(parser, i);
        if (strlen(option->name) == length && memcmp(option->name, name, length) == 0) {
            return option;
        }
    }
    return NULL;
}

static bool refuse_unknown(const Parser* parser, const char* word, size_t length) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    const char* names[MAX_NAMES];
    int count = 0;
    while (count < MAX_NAMES && option_at(parser, count) != NULL) {
        names[count] = option_at(parser, count)->name;
        ++count;
    }
    const char* nearest = cn_nearest_name(name + strspn(name, "-"), names, count);
    if (nearest != NULL) {
        console_error(parser->console, "unknown option %s; did you mean --%s?", name, nearest);
    } else {
        console_error(parser->console, "unknown option %s; `cairn %s --help` lists the options",
                      name, parser->console->command);
    }
    return false;
}

static bool refuse_missing_value(const Parser* parser, const Option* option,
                                 const Option* missing) {
    if (option->second == NULL) {
        console_error(parser->console, "--%s needs a value: --%s %s", option->name, option->name,
                      option->placeholder);
    } else {
        console_error(parser->console, "--%s needs two values, %s and %s: %s is missing",
                      option->name, option->placeholder, option->second->placeholder,
                      missing->placeholder);
    }
    return false;
}

// Values are words of their own, but for the first of --name=value. A second one never looks like
// an option: it was forgotten.
static bool parse_values(Parser* parser, const Option* option, const char* first, int argc,
                         char** argv, int* next) {
    if (first == NULL) {
        if (*next >= argc) {
            return refuse_missing_value(parser, option, option);
        }
        first = argv[(*next)++];
    }
    if (!parse_value(parser, option, first)) {
        return false;
    }
    if (option->second == NULL) {
        return true;
    }
    if (*next >= argc || strncmp(argv[*next], "--", 2) == 0) {
        return refuse_missing_value(parser, option, option->second);
    }
    parser->pair = option;
    parser->second_word = argv[(*next)++];
    return parse_value(parser, option->second, parser->second_word);
}

// Takes the option at argv[*next] and its values, and moves *next behind them.
static bool parse_option(Parser* parser, int argc, char** argv, int* next) {
    const char* word = argv[*next];
    size_t length = strcspn(word, "=");
    const char* value = word[length] == '=' ? word + length + 1 : NULL;
    const Option* option = NULL;

    if (strcmp(word, "-h") == 0) {
        option = find_option(parser, "help", strlen("help"));
    } else if (strncmp(word, "--", 2) == 0) {
        option = find_option(parser, word + 2, length - 2);
    }
    *next += 1;
    if (option == NULL) {
        return refuse_unknown(parser, word, length);
    }
    if (option->kind == OPTION_FLAG) {
        if (value != NULL) {
            console_error(parser->console, "--%s takes no value", option->name);
            return false;
        }
        *(bool*)option->target = true;
        return true;
    }
    return parse_values(parser, option, value, argc, argv, next);
}

static bool check_operand_count(const Parser* parser, const Arguments* arguments) {
    const Usage* usage = parser->usage;
    const Console* console = &arguments->console;
    if (arguments->operand_count < usage->minimum_operands && parser->pair != NULL) {
        console_error(console,
                      "%s is missing: --%s needs two values, %s and %s, and took \"%s\" as the "
                      "second; usage: cairn %s %s [options]",
                      usage->operands, parser->pair->name, parser->pair->placeholder,
                      parser->pair->second->placeholder, parser->second_word, console->command,
                      usage->operands);
        return false;
    }
    if (arguments->operand_count < usage->minimum_operands) {
        console_error(console, "%s is missing; usage: cairn %s %s [options]", usage->operands,
                      console->command, usage->operands);
        return false;
    }
    if (arguments->operand_count > usage->maximum_operands) {
        console_error(console, "unexpected \"%s\"; usage: cairn %s %s%s[options]",
                      arguments->operands[usage->maximum_operands], console->command,
                      usage->operands, usage->operands[0] != '\0' ? " " : "");
        return false;
    }
    return true;
}

// ---- help ----

static void print_choices(const Option* option) {
    int column = 0;
    for (int i = 0; option->choice(i) != NULL; ++i) {
        const char* name = option->choice(i);
        if (column == 0 || column + (int)strlen(name) + 2 > 70) { // keeps help within 96 columns
            column = printf("%s\n%26s%s", column == 0 ? ":" : ",", "", name) - 27;
        } else {
            column += printf(", %s", name);
        }
    }
}

static void print_help(const Parser* parser) {
    const Usage* usage = parser->usage;
    printf("usage: cairn %s %s%s[options]\n\n%s.\n\noptions:\n", usage->command->name,
           usage->operands, usage->operands[0] != '\0' ? " " : "", usage->command->summary);
    for (int i = 0; option_at(parser, i) != NULL; ++i) {
        const Option* option = option_at(parser, i);
        char left[64];
        snprintf(left, sizeof left, "--%s%s%s%s%s", option->name,
                 option->placeholder != NULL ? " " : "",
                 option->placeholder != NULL ? option->placeholder : "",
                 option->second != NULL ? " " : "",
                 option->second != NULL ? option->second->placeholder : "");
        printf("  %-22s  %s", left, option->help);
        if (option->kind == OPTION_CHOICE) {
            print_choices(option);
        }
        putchar('\n');
    }
    if (usage->notes != NULL) {
        printf("\n%s\n", usage->notes);
    }
}

bool options_parse(const Usage* usage, int argc, char** argv, Arguments* arguments,
                   ExitCode* code) {
    *arguments = (Arguments){.console = {.command = usage->command->name}, .operands = argv + 1};
    Console* console = &arguments->console;
    Parser parser = {.usage = usage, .console = console, .prefix = "--"};
    for (int i = 0; i < COMMON_OPTION_COUNT; ++i) {
        parser.common[i] = common_option(i, console, &parser.help);
    }

    const Description* description = usage->command->description;
    if (description != NULL) {
        description->write(description, usage, parser.common, COMMON_OPTION_COUNT);
        *code = CODE_OK;
        return false;
    }
    *code = CODE_USAGE;
    bool only_operands = false;
    for (int next = 1; next < argc;) {
        char* word = argv[next];
        if (!only_operands && strcmp(word, "--") == 0) {
            only_operands = true;
            ++next;
        } else if (!only_operands && word[0] == '-' && word[1] != '\0') { // "-" alone is stdin
            if (!parse_option(&parser, argc, argv, &next)) {
                return false;
            }
        } else {
            arguments->operands[arguments->operand_count++] = word;
            ++next;
        }
    }
    if (parser.help) {
        print_help(&parser);
        *code = CODE_OK;
        return false;
    }
    return check_operand_count(&parser, arguments);
}

bool options_set(const Console* console, const char* origin, const Option* options, int count,
                 const char* name, const char* value) {
    const char* names[MAX_NAMES];
    const Parser parser = {.console = console, .prefix = origin};
    for (int i = 0; i < count; ++i) {
        const Option* option = &options[i];
        names[i] = option->name;
        if (strcmp(name, option->name) == 0 && option->kind == OPTION_FLAG) {
            console_error(console, "%s%s cannot be set here", origin, name);
            return false;
        }
        if (strcmp(name, option->name) == 0) {
            return parse_value(&parser, option, value);
        }
    }
    const char* nearest = cn_nearest_name(name, names, count);
    if (nearest != NULL) {
        console_error(console, "%sthere is no \"%s\"; did you mean \"%s\"?", origin, name, nearest);
    } else {
        console_error(console, "%sthere is no \"%s\"", origin, name);
    }
    return false;
}

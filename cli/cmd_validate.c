// cmd_validate.c - `cairn validate`: simulations against answers known from theory.
#include "terminal/interrupt.h"
#include "terminal/json_out.h"
#include "terminal/options.h"
#include "terminal/progress.h"
#include "validate/validation.h"

#include <string.h>

// Names looked at for the nearest one; more cases than this are still found when spelt right.
#define MAX_NAMES 512

// A word names a case or its whole group.
static bool selects(const char* word, int index) {
    const ValidationGroup* group;
    const ValidationCase* item = validation_case_at(index, &group);
    return strcmp(word, item->name) == 0 || strcmp(word, group->name) == 0;
}

// No words select everything.
static bool is_selected(const Arguments* arguments, int index) {
    for (int i = 0; i < arguments->operand_count; ++i) {
        if (selects(arguments->operands[i], index)) {
            return true;
        }
    }
    return arguments->operand_count == 0;
}

// ---- names ----

static bool is_known(const char* word) {
    for (int i = 0; validation_case_at(i, NULL) != NULL; ++i) {
        if (selects(word, i)) {
            return true;
        }
    }
    return false;
}

static const char* nearest_name(const char* word) {
    const char* names[MAX_NAMES];
    int count = 0;
    for (int i = 0; count + 2 <= MAX_NAMES && validation_case_at(i, NULL) != NULL; ++i) {
        const ValidationGroup* group;
        names[count++] = validation_case_at(i, &group)->name;
        names[count++] = group->name;
    }
    return cn_nearest_name(word, names, count);
}

static bool check_names(const Arguments* arguments) {
    for (int i = 0; i < arguments->operand_count; ++i) {
        const char* word = arguments->operands[i];
        if (is_known(word)) {
            continue;
        }
        const char* nearest = nearest_name(word);
        if (nearest != NULL) {
            console_error(&arguments->console, "unknown case \"%s\"; did you mean \"%s\"?", word,
                          nearest);
        } else {
            console_error(&arguments->console,
                          "unknown case \"%s\"; `cairn validate --list` names them", word);
        }
        return false;
    }
    return true;
}

static void list_json(const Arguments* arguments) {
    JsonOut json = json_open(stdout);
    json_begin_array(&json, NULL);
    for (int i = 0; validation_case_at(i, NULL) != NULL; ++i) {
        if (is_selected(arguments, i)) {
            const ValidationGroup* group;
            const ValidationCase* item = validation_case_at(i, &group);
            json_begin_object(&json, NULL);
            json_text(&json, "case", item->name);
            json_text(&json, "group", group->name);
            json_text(&json, "summary", item->summary);
            json_end(&json);
        }
    }
    json_end(&json);
}

static void list_table(const Arguments* arguments) {
    printf("%-24s %-14s %s\n", "case", "group", "claim");
    for (int i = 0; validation_case_at(i, NULL) != NULL; ++i) {
        if (is_selected(arguments, i)) {
            const ValidationGroup* group;
            const ValidationCase* item = validation_case_at(i, &group);
            printf("%-24s %-14s %s\n", item->name, group->name, item->summary);
        }
    }
}

// ---- running ----

static void run_cases(const Arguments* arguments, Validation* validation) {
    Progress progress = progress_begin(&arguments->console, "validate");
    int total = 0;
    for (int i = 0; validation_case_at(i, NULL) != NULL; ++i) {
        total += is_selected(arguments, i);
    }
    int done = 0;
    interrupt_hold(arguments->console.quiet);
    for (int i = 0; validation_case_at(i, NULL) != NULL && !interrupt_asked(); ++i) {
        if (is_selected(arguments, i)) {
            int rows = validation->count;
            const ValidationCase* item = validation_case_at(i, NULL);
            if (progress_is_due(&progress)) {
                progress_show(&progress, (double)done / total, item->name);
            }
            validation->running = item->name;
            item->run(validation);
            if (interrupt_asked()) {
                validation->count = rows; // of half a case there is nothing to say
            } else {
                ++done;
            }
        }
    }
    progress_end(&progress);
    if (interrupt_asked()) {
        console_note(&arguments->console, "interrupted after %d of %d cases", done, total);
    }
}

static void print_json(const Validation* validation) {
    JsonOut json = json_open(stdout);
    json_begin_array(&json, NULL);
    for (int i = 0; i < validation->count; ++i) {
        const ValidationRow* row = &validation->rows[i];
        const char* const keys[] = {"reference", "value", "error", "tolerance"};
        const double numbers[] = {row->reference, row->value, row->error, row->tolerance};
        json_begin_object(&json, NULL);
        json_text(&json, "case", row->name);
        json_text(&json, "quantity", row->quantity);
        for (int k = 0; k < 4; ++k) {
            if (row->ran) {
                json_real(&json, keys[k], numbers[k]);
            } else {
                json_null(&json, keys[k]);
            }
        }
        json_boolean(&json, "pass", row->pass);
        json_end(&json);
    }
    json_end(&json);
}

static void print_table(const Validation* validation) {
    printf("%-5s %-20s %-46s %16s %16s %10s %10s\n", "", "case", "quantity", "reference", "value",
           "error", "tolerance");
    for (int i = 0; i < validation->count; ++i) {
        const ValidationRow* row = &validation->rows[i];
        printf("%s%-5s%s %-20s %-46s", console_color(stdout, row->pass ? COLOR_GREEN : COLOR_RED),
               row->pass ? "pass" : "FAIL", console_plain(stdout), row->name, row->quantity);
        if (row->ran) {
            printf(" %16.10g %16.10g %10.2g %10.2g", row->reference, row->value, row->error,
                   row->tolerance);
        }
        putchar('\n');
    }
}

static ExitCode report(const Validation* validation, const Console* console) {
    int failed = 0;
    for (int i = 0; i < validation->count; ++i) {
        failed += !validation->rows[i].pass;
    }
    if (console->json) {
        print_json(validation);
    } else {
        print_table(validation);
    }
    console_note(console, "%d passed, %d failed", validation->count - failed, failed);
    if (validation->out_of_memory) {
        console_error(console, "no memory for all rows; some are missing");
        return CODE_RESOURCE;
    }
    return failed > 0 ? CODE_FAILURE : CODE_OK;
}

ExitCode command_validate(const Command* self, int argc, char** argv) {
    bool list = false;
    const Option options[] = {option_flag("list", &list, "name the cases instead of running them")};
    const Usage usage = {self,
                         "[CASE...]",
                         0,
                         ANY_NUMBER_OF_OPERANDS,
                         options,
                         OPTION_TABLE_COUNT(options),
                         "CASE is the name of a case or of a group of them; none means all."};
    Arguments arguments;
    ExitCode code;
    if (!options_parse(&usage, argc, argv, &arguments, &code)) {
        return code;
    }
    if (!check_names(&arguments)) {
        return CODE_USAGE;
    }
    if (list) {
        (arguments.console.json ? list_json : list_table)(&arguments);
        return CODE_OK;
    }
    Validation validation = {.running = NULL};
    run_cases(&arguments, &validation);
    code = report(&validation, &arguments.console);
    validation_release(&validation);
    return code;
}

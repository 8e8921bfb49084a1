// cmd_compare.c - `cairn compare`: a scene run in several ways, side by side.
#include "command.h"
#include "compare/comparison_report.h"
#include "run/files.h"
#include "terminal/interrupt.h"

#include <string.h>

typedef struct CompareOptions {
    SceneOverrides common; // of all variants
    TextList variants;     // but the scene as it is
    const char* html;      // file; NULL: none
} CompareOptions;

// The scene as it is comes first. False when a sentence said what is wrong.
static bool take_variants(Comparison* comparison, const CompareOptions* options,
                          const Console* console) {
    const TextList* list = &options->variants;
    comparison->runs[0].variant = (Variant){.name = "scene", .overrides = options->common};
    comparison->count = 1;
    if (list->count == 0 || list->count >= MAX_VARIANTS) {
        console_error(console,
                      "%d variants are given; it takes 1 to %d: --with solver=pgs --with dt=0.001",
                      list->count, MAX_VARIANTS - 1);
        return false;
    }
    for (int i = 0; i < list->count; ++i) {
        VariantRun* run = &comparison->runs[comparison->count++];
        if (!variant_parse(&run->variant, list->words[i], &options->common, console)) {
            return false;
        }
    }
    return true;
}

// What the program ends with: the first variant that stopped says why.
static ExitCode judge(const Comparison* comparison, const Console* console) {
    for (int i = 0; i < comparison->count; ++i) {
        if (comparison->runs[i].error.status != CN_OK) {
            return console_fail(console, &comparison->runs[i].error);
        }
    }
    return CODE_OK;
}

static ExitCode run_comparison(Comparison* comparison, const CompareOptions* options,
                               Console* console) {
    CnError error = {0};
    ExitCode code = comparison_check(comparison, console);
    if (code != CODE_OK) {
        return code;
    }
    interrupt_hold(console->quiet);
    if (!comparison_run(comparison, options->html != NULL, console, &error)) {
        return console_fail(console, &error);
    }
    if (console->json) {
        comparison_print_json(comparison);
    } else {
        comparison_print(comparison);
    }
    if (options->html != NULL) {
        if (!comparison_write_page(comparison, options->html, &error)) {
            return console_fail(console, &error);
        }
        console_note(console, "%s opens in any browser", options->html);
    }
    return judge(comparison, console);
}

static ExitCode compare(const char* argument, const CompareOptions* options, Console* console) {
    Comparison comparison = {.argument = argument, .best = -1};
    CnError error = {0};
    ExitCode code = CODE_USAGE;
    if (strcmp(argument, "-") == 0) {
        console_error(console, "a scene is opened once per variant: name a file or @scene, not -");
    } else if (!check_writable(options->html, &error)) {
        code = console_fail(console, &error);
    } else if (take_variants(&comparison, options, console)) {
        code = run_comparison(&comparison, options, console);
    }
    comparison_free(&comparison);
    return code;
}

static const char notes[] =
    "A variant is a list key=value,key=value. Keys are options of `cairn run` without the dashes\n"
    "(solver, scheme, dt, substeps, theta, tolerance, iterations, stabilisation, threads, ...) or\n"
    "paths of the scene as in --set (bodies.block.mass=2). The scene as it is is the first "
    "variant.\n"
    "The most accurate run has the least worst residual; of those that solve every step to the\n"
    "tightest tolerance, the one with the shortest step. Creep: the largest speed at the end of\n"
    "the bodies that rest in that run. Differences are of positions, to that run.";

ExitCode command_compare(const Command* self, int argc, char** argv) {
    CompareOptions chosen = {.common = scene_overrides_none()};
    const Option options[] = {
        option_list("with", "VARIANT", &chosen.variants,
                    "another way to run the scene: solver=pgs,iterations=20; may be repeated"),
        option_text("html", "F", &chosen.html,
                    "write a page that shows the runs side by side in any browser"),
        option_non_negative("duration", "T", &chosen.common.duration,
                            "simulated time of all variants [s]"),
        option_list("set", "PATH=VALUE", &chosen.common.changes,
                    "change a value of the scene in all variants: bodies.block.mass=2"),
        option_count("threads", "N", &chosen.common.threads, MAX_THREADS,
                     "workers (default 1); results do not depend on it"),
    };
    const Usage usage = {self, "SCENE", 1, 1, options, OPTION_TABLE_COUNT(options), notes};
    Arguments arguments;
    ExitCode code;
    if (!options_parse(&usage, argc, argv, &arguments, &code)) {
        return code;
    }
    return compare(arguments.operands[0], &chosen, &arguments.console);
}

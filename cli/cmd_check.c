// cmd_check.c - `cairn check`: all that is wrong with scenes, by line.
#include "builtin/builtin_scenes.h"
#include "cairn/scene.h"
#include "terminal/json_out.h"
#include "terminal/options.h"

#include <stdlib.h>
#include <string.h>

// More complaints than anyone reads; those beyond are counted.
#define MAX_SHOWN 1000

typedef struct Findings {
    const char* file;
    CnSceneProblem* problems; // [shown]
    int count, shown;
    bool ok; // warnings only
} Findings;

static const char* severity(const CnSceneProblem* problem) {
    return problem->warning ? "warning" : "error";
}

static void write_problems(const Findings* findings, JsonOut* json) {
    for (int i = 0; i < findings->shown; ++i) {
        const CnSceneProblem* problem = &findings->problems[i];
        json_begin_object(json, NULL);
        json_text(json, "file", findings->file);
        json_integer(json, "line", problem->line);
        json_text(json, "path", problem->path);
        json_text(json, "message", problem->message);
        json_text(json, "severity", severity(problem));
        json_end(json);
    }
}

static void print_json(const Findings* all, int count) {
    JsonOut json = json_open(stdout);
    bool ok = true;
    for (int i = 0; i < count; ++i) {
        ok = ok && all[i].ok;
    }
    json_begin_object(&json, NULL);
    json_boolean(&json, "ok", ok);
    json_begin_array(&json, "problems");
    for (int i = 0; i < count; ++i) {
        write_problems(&all[i], &json);
    }
    json_end(&json);
    json_end(&json);
}

// "file:line: path: message", as compilers write it; parts that do not apply are left out.
static void print_lines(const Findings* findings) {
    for (int i = 0; i < findings->shown; ++i) {
        const CnSceneProblem* problem = &findings->problems[i];
        printf("%s:", findings->file);
        if (problem->line > 0) {
            printf("%d:", problem->line);
        }
        if (problem->path[0] != '\0') {
            printf(" %s:", problem->path);
        }
        printf(" %s%s\n", problem->warning ? "warning: " : "", problem->message);
    }
}

static bool has_errors(const Findings* findings) {
    for (int i = 0; i < findings->shown; ++i) {
        if (!findings->problems[i].warning) {
            return true;
        }
    }
    return false;
}

// A scene that could not be looked at (no such file) is one complaint without a line.
static void add_failure(Findings* findings, const CnError* error) {
    CnSceneProblem* problem = &findings->problems[0];
    *problem = (CnSceneProblem){.warning = false};
    snprintf(problem->message, sizeof problem->message, "%.*s", (int)sizeof problem->message - 1,
             error->message);
    findings->count = findings->shown = 1;
}

// Fills the findings; NULL when an error, as opposed to a warning, is among them.
static CnScene* check_scene(Findings* findings, CnError* error) {
    CnScene* scene = NULL;
    if (findings->file[0] == '@') {
        scene = cn_builtin_scene_make(findings->file, error);
        findings->count =
            scene == NULL ? 0 : cn_scene_find_problems(scene, findings->problems, MAX_SHOWN, error);
    } else {
        findings->count =
            cn_scene_check(findings->file, findings->problems, MAX_SHOWN, &scene, error);
    }
    findings->shown = findings->count < MAX_SHOWN ? findings->count : MAX_SHOWN;
    if (scene == NULL && !has_errors(findings)) {
        add_failure(findings, error);
    }
    findings->ok = scene != NULL && !has_errors(findings);
    return scene;
}

// Checks one scene and shows what was found, unless it goes out as JSON later.
static ExitCode check_one(Findings* findings, const Console* console) {
    CnError error = {.status = CN_OK};
    CnScene* scene = check_scene(findings, &error);
    if (!console->json) {
        print_lines(findings);
    }
    if (findings->count > findings->shown) {
        console_note(console, "%s: %d more problems are not shown", findings->file,
                     findings->count - findings->shown);
    }
    if (findings->ok) {
        console_note(console, "%s: ok", findings->file);
    }
    cn_scene_destroy(scene);
    return findings->ok ? CODE_OK : error.status == CN_NO_MEMORY ? CODE_RESOURCE : CODE_INVALID;
}

// The worst of all codes.
static ExitCode check_all(Findings* all, int count, const Console* console) {
    ExitCode worst = CODE_OK;
    for (int i = 0; i < count; ++i) {
        ExitCode code = check_one(&all[i], console);
        worst = code > worst ? code : worst;
    }
    if (console->json) {
        print_json(all, count);
    }
    return worst;
}

ExitCode command_check(const Command* self, int argc, char** argv) {
    const Usage usage = {self, "SCENE...", 1, ANY_NUMBER_OF_OPERANDS, NULL, 0, NULL};
    Arguments arguments;
    ExitCode code;
    if (!options_parse(&usage, argc, argv, &arguments, &code)) {
        return code;
    }
    size_t count = (size_t)arguments.operand_count;
    Findings* all = calloc(count, sizeof *all);
    CnSceneProblem* problems = calloc(count * MAX_SHOWN, sizeof *problems);
    CnError error = {.status = CN_NO_MEMORY, .message = "no memory for the list of problems"};
    if (all != NULL && problems != NULL) {
        for (size_t i = 0; i < count; ++i) {
            all[i] =
                (Findings){.file = arguments.operands[i], .problems = problems + i * MAX_SHOWN};
        }
        code = check_all(all, (int)count, &arguments.console);
    } else {
        code = console_fail(&arguments.console, &error);
    }
    free(problems);
    free(all);
    return code;
}

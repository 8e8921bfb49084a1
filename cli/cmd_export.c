// cmd_export.c - `cairn export`: any scene, with all that it stands for written out.
#include "run/live_scene.h"
#include "terminal/options.h"

#include <string.h>

static const char notes[] =
    "What \"include\" and \"repeat\" stand for, meshes, series and default values are all in the\n"
    "file, which needs no other and runs to the same bits. FILE may be - for standard output.";

ExitCode command_export(const Command* self, int argc, char** argv) {
    TextList changes = {.count = 0};
    const Option options[] = {
        option_list("set", "PATH=VALUE", &changes, "change a value of the scene first"),
    };
    const Usage usage = {self, "SCENE FILE", 2, 2, options, OPTION_TABLE_COUNT(options), notes};
    Arguments arguments;
    ExitCode code;
    if (!options_parse(&usage, argc, argv, &arguments, &code)) {
        return code;
    }
    const Console* console = &arguments.console;
    const char* path = arguments.operands[1];
    CnError error = {0};
    CnScene* scene =
        scene_open_changed(arguments.operands[0], changes.words, changes.count, &error);
    if (scene != NULL) {
        cn_scene_save(scene, strcmp(path, "-") == 0 ? "/dev/stdout" : path, &error);
    }
    code = error.status == CN_OK ? CODE_OK : console_fail(console, &error);
    cn_scene_destroy(scene);
    return code;
}

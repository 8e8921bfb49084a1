// cmd_convert.c - `cairn convert`: a recording as a file of another program.
#include "recording/codec.h"
#include "recording/convert.h"
#include "terminal/json_out.h"
#include "terminal/options.h"

#include <string.h>

static const struct {
    const char* ending;
    bool (*convert)(const Conversion* conversion, CnError* error);
} formats[] = {
    {".csv", convert_to_table},    {".npy", convert_to_table}, {".npz", convert_to_table},
    {".pvd", convert_to_paraview}, {".glb", convert_to_gltf},  {".html", convert_to_html},
};
#define FORMAT_COUNT ((int)(sizeof formats / sizeof formats[0]))

static int find_format(const char* path) {
    size_t length = strlen(path);
    for (int i = 0; i < FORMAT_COUNT; ++i) {
        size_t ending = strlen(formats[i].ending);
        if (length > ending && strcmp(path + length - ending, formats[i].ending) == 0) {
            return i;
        }
    }
    return -1;
}

static void print_json(const Conversion* conversion) {
    JsonOut json = json_open(stdout);
    json_begin_object(&json, NULL);
    json_text(&json, "output", conversion->path);
    json_integer(&json, "frames", conversion->info->frame_count);
    json_integer(&json, "bodies", conversion->info->body_count);
    json_boolean(&json, "whole", conversion->info->is_whole);
    json_end(&json);
}

static ExitCode convert_file(const char* from, const char* to, const Console* console) {
    int format = find_format(to);
    if (format < 0) {
        console_error(
            console,
            "%s: the ending must be .csv, .npy, .npz, .pvd, .glb or .html, which says what it "
            "becomes",
            to);
        return CODE_USAGE;
    }
    CnError error = {0};
    Conversion conversion = {
        .recording = codec_open_recording(from, &error), .from = from, .path = to};
    if (conversion.recording == NULL) {
        return console_fail(console, &error);
    }
    conversion.info = cn_recording_info(conversion.recording);
    if (!conversion.info->is_whole) {
        console_note(console, "%s: %s; its %d frames are converted", from, conversion.info->remark,
                     conversion.info->frame_count);
    }
    ExitCode code = CODE_OK;
    if (!formats[format].convert(&conversion, &error)) {
        code = console_fail(console, &error);
    } else if (console->json) {
        print_json(&conversion);
    }
    cn_recording_close(conversion.recording);
    return code;
}

static const char notes[] =
    "The ending of OUT says what it becomes:\n"
    "  .csv, .npy, .npz   a row per frame: time, scalars, poses and velocities of all bodies\n"
    "  .pvd               for ParaView, with a folder of .vtp files: bodies and contacts\n"
    "  .glb               glTF animation: opens in Blender and in viewers of the web\n"
    "  .html              a page that shows the run in any browser";

ExitCode command_convert(const Command* self, int argc, char** argv) {
    const Usage usage = {self, "RECORDING OUT", 2, 2, NULL, 0, notes};
    Arguments arguments;
    ExitCode code;
    if (!options_parse(&usage, argc, argv, &arguments, &code)) {
        return code;
    }
    return convert_file(arguments.operands[0], arguments.operands[1], &arguments.console);
}

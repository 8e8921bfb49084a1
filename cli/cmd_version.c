// cmd_version.c - `cairn version`: what this program was built from and what it runs on.
#include "cairn/math.h"
#include "terminal/json_out.h"
#include "terminal/options.h"

typedef struct Fact {
    const char *key, *words, *value;
} Fact;

#if defined(__clang__)
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

ExitCode command_version(const Command* self, int argc, char** argv) {
    const Usage usage = {self, "", 0, 0, NULL, 0, NULL};
    Arguments arguments;
    ExitCode code;
    if (!options_parse(&usage, argc, argv, &arguments, &code)) {
        return code;
    }
    const Fact facts[] = {
        // the last three are from CMakeLists.txt
        {"compiler", "compiler", COMPILER},
        {"build", "build", CAIRN_BUILD_TYPE},
        {"amd", "AMD (SuiteSparse)", CAIRN_AMD_VERSION},
        {"hdf5", "HDF5", CAIRN_HDF5_VERSION},
    };
    const int count = sizeof facts / sizeof facts[0];
    if (!arguments.console.json) {
        printf("cairn %s\n", cn_version());
        for (int i = 0; i < count; ++i) {
            printf("  %-20s%s\n", facts[i].words, facts[i].value);
        }
        printf("  %-20s%d bits\n", "vector registers", cn_simd_width());
        return CODE_OK;
    }
    JsonOut json = json_open(stdout);
    json_begin_object(&json, NULL);
    json_text(&json, "version", cn_version());
    for (int i = 0; i < count; ++i) {
        json_text(&json, facts[i].key, facts[i].value);
    }
    json_integer(&json, "simd_width", cn_simd_width());
    json_end(&json);
    return CODE_OK;
}

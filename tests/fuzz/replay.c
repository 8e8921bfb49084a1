// replay.c - the kept inputs of a fuzz target, run without libFuzzer.
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#define LONGEST_INPUT ((size_t)1 << 20u) // kept inputs are small on purpose [bytes]

static int replay(const char* path) {
    static uint8_t bytes[LONGEST_INPUT];
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return 1;
    }
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    uint8_t* exact = malloc(length + 1); // so that a sanitizer sees a read past the end
    if (exact == NULL) {
        return 1;
    }
    memmove(exact + 1, bytes, length);
    LLVMFuzzerTestOneInput(exact + 1, length);
    free(exact);
    return 0;
}

int main(int argument_count, char** arguments) {
    DIR* folder = argument_count == 2 ? opendir(arguments[1]) : NULL;
    int count = 0, failed = 0;
    if (folder == NULL) {
        fprintf(stderr, "usage: %s FOLDER\n", arguments[0]);
        return 2;
    }
    for (struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char path[4096];
        if (entry->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", arguments[1], entry->d_name);
            failed += replay(path);
            count += 1;
        }
    }
    closedir(folder);
    printf("%d inputs replayed\n", count);
    return failed > 0 || count == 0;
}

// files.c - files that commands read or write by name: what they are, and whether they can be.
#include "run/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool is_recording(const char* path) {
    char start[8] = {0};
    FILE* file = fopen(path, "rb");
    if (file != NULL) {
        size_t read = fread(start, 1, sizeof start, file);
        fclose(file);
        return read == sizeof start && memcmp(start, "CAIRNREC", sizeof start) == 0;
    }
    return false;
}

static bool refuse(const char* path, const char* reason, CnError* error) {
    error->status = CN_INVALID;
    snprintf(error->message, sizeof error->message, "%s: cannot be written: %s", path, reason);
    return false;
}

bool make_temporary(char* path, size_t size, CnError* error) {
    const char* folder = getenv("TMPDIR");
    snprintf(path, size, "%s/cairn-XXXXXX", folder == NULL || folder[0] == 0 ? "/tmp" : folder);
    int file = mkstemp(path);
    if (file < 0) {
        return refuse(path, strerror(errno), error);
    }
    close(file);
    return true;
}

// "out/run.html" -> "out", "run.html" -> ".", "/run.html" -> "/"; to be freed. NULL: no memory.
static char* folder_of(const char* path) {
    const char* slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - path);
    return slash == NULL ? strdup(".") : strndup(path, length == 0 ? 1 : length);
}

bool check_writable(const char* path, CnError* error) {
    struct stat there;
    char reason[300];
    if (path == NULL) {
        return true;
    }
    if (stat(path, &there) == 0) {
        return S_ISDIR(there.st_mode)    ? refuse(path, "it is a folder", error)
               : access(path, W_OK) != 0 ? refuse(path, strerror(errno), error)
                                         : true;
    }
    char* folder = folder_of(path);
    bool is_folder = folder != NULL && stat(folder, &there) == 0 && S_ISDIR(there.st_mode);
    snprintf(reason, sizeof reason, "there is no folder %.250s", folder == NULL ? "" : folder);
    bool ok = is_folder ? access(folder, W_OK) == 0 || refuse(path, strerror(errno), error)
                        : refuse(path, reason, error);
    free(folder);
    return ok;
}

// file.c - reads and replaces whole files.
#define _XOPEN_SOURCE 700 // realpath()
#include "io/text/file.h"

#include "base/error.h"
#include "base/signals.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_ROOM 65536 // bytes for a file of unknown size
#define REASON_SIZE 80   // of the system's error message

static const char* reason(int code, char text[REASON_SIZE]) {
    if (strerror_r(code, text, REASON_SIZE) != 0) {
        snprintf(text, REASON_SIZE, "error %d", code);
    }
    return text;
}

// ---- reading ----

static bool fail_read(CnErrorList* errors, int code) {
    char why[REASON_SIZE];
    return cn_report_error(errors, CN_INVALID, 0, "", "cannot be read: %s", reason(code, why));
}

// Reading a pipe may block forever, and a device may never end.
static bool fail_kind(CnErrorList* errors) {
    return cn_report_error(
        errors, CN_INVALID, 0, "",
        "cannot be read: it is not a regular file, but a pipe, a device or a socket");
}

static bool fail_size(CnErrorList* errors, size_t limit) {
    return cn_report_error(errors, CN_NO_MEMORY, 0, "", "is larger than the limit of %zu bytes",
                           limit);
}

// Reads to the end and doubles the buffer as needed. `room` is a guess that fits regular files, at
// most limit + 1: one byte more than the limit shows that a file of unknown length is too large.
static bool read_all(int file, size_t room, size_t limit, CnArena* arena, char** text,
                     size_t* length, CnErrorList* errors) {
    char* memory = CN_ARENA_NEW(arena, char, room + 1);
    size_t used = 0;
    while (memory != NULL) {
        if (used == room) {
            if (room > limit) {
                return fail_size(errors, limit);
            }
            room = room <= limit / 2 ? 2 * room : limit + 1;
            char* larger = CN_ARENA_NEW(arena, char, room + 1);
            if (larger == NULL) {
                break;
            }
            memcpy(larger, memory, used);
            memory = larger;
        }
        ssize_t got = read(file, memory + used, room - used);
        if (got == 0) {
            memory[used] = 0;
            *text = memory;
            *length = used;
            return true;
        }
        if (got < 0 && errno != EINTR) {
            return fail_read(errors, errno);
        }
        used += got > 0 ? (size_t)got : 0;
    }
    return cn_report_no_memory(errors);
}

const char* cn_file_label(const char* path) {
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

// Reads an open file and leaves it open.
static bool read_open(int file, bool must_be_regular, size_t limit, CnArena* arena, char** text,
                      size_t* length, CnErrorList* errors) {
    struct stat status;
    bool ok = fstat(file, &status) == 0;
    size_t room = FIRST_ROOM <= limit ? FIRST_ROOM : limit + 1;
    if (!ok) {
        fail_read(errors, errno);
    } else if (S_ISDIR(status.st_mode)) {
        ok = fail_read(errors, EISDIR);
    } else if (!S_ISREG(status.st_mode) && must_be_regular) {
        ok = fail_kind(errors);
    } else if (S_ISREG(status.st_mode) && (uintmax_t)status.st_size > limit) {
        ok = fail_size(errors, limit);
    } else if (S_ISREG(status.st_mode)) {
        room = (size_t)status.st_size + 1; // one more, to meet the end without growing
    }
    return ok && read_all(file, room, limit, arena, text, length, errors);
}

bool cn_file_read(const char* path, size_t limit, CnArena* arena, char** text, size_t* length,
                  CnErrorList* errors) {
    bool is_standard_input = strcmp(path, "-") == 0;
    int file = is_standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return fail_read(errors, errno);
    }
    bool ok = read_open(file, false, limit, arena, text, length, errors);
    if (!is_standard_input) {
        close(file);
    }
    return ok;
}

// Opening a pipe blocks until there is a writer, unless O_NONBLOCK is set; regular files ignore it.
bool cn_file_read_regular(const char* path, size_t limit, CnArena* arena, char** text,
                          size_t* length, CnErrorList* errors) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        return fail_read(errors, errno);
    }
    bool ok = read_open(file, true, limit, arena, text, length, errors);
    close(file);
    return ok;
}

// ---- writing ----

CnStatus cn_file_fail_write(const char* path, int code, CnError* error) {
    char why[REASON_SIZE];
    return cn_error_set(error, CN_INVALID, "%s: cannot be written: %s", path, reason(code, why));
}

int cn_file_put(int file, const void* bytes, size_t length) {
    const char* text = bytes;
    while (length > 0) {
        ssize_t written = write(file, text, length);
        if (written < 0 && errno != EINTR) {
            return errno;
        }
        if (written > 0) {
            text += written;
            length -= (size_t)written;
        }
    }
    return 0;
}

static int write_and_close(int file, const char* text, size_t length, bool sync) {
    if (file < 0) {
        return errno;
    }
    int code = cn_file_put(file, text, length);
    if (code == 0 && sync && fsync(file) != 0) {
        code = errno;
    }
    if (close(file) != 0 && code == 0) {
        code = errno;
    }
    return code;
}

// Writes the new text under another name, then renames it. mode 0: a new file, with the user's
// umask.
static int replace_file(const char* path, mode_t mode, const char* text, size_t length) {
    char partial[PATH_MAX];
    int size = snprintf(partial, sizeof partial, "%s.%ld.partial", path, (long)getpid());
    if (size < 0 || (size_t)size >= sizeof partial) {
        return ENAMETOOLONG;
    }
    int file = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int code = write_and_close(file, text, length, true);
    if (code == 0 && mode != 0 && chmod(partial, mode) != 0) {
        code = errno;
    }
    if (code == 0 && rename(partial, path) != 0) {
        code = errno;
    }
    if (code != 0 && file >= 0) {
        unlink(partial);
    }
    return code;
}

CnStatus cn_file_load(const char* path, size_t limit, CnFileReader* reader,
                      const CnAllocator* allocator, void* out, CnError* error) {
    CnArena arena;
    CnErrorList errors;
    char* text;
    size_t length;
    cn_arena_init(&arena, allocator);
    cn_error_list_init(&errors, path, NULL, 0);
    if (cn_file_read_regular(path, limit, &arena, &text, &length, &errors)) {
        reader(text, length, allocator, &errors, out);
    }
    cn_arena_destroy(&arena);
    return cn_error_list_first(&errors, error);
}

// Signals that end the program are delayed until no partial file is left.
static int replace_uninterrupted(const char* path, mode_t mode, const char* text, size_t length) {
    sigset_t before;
    cn_signals_block(&before);
    int code = replace_file(path, mode, text, length);
    cn_signals_restore(&before);
    return code;
}

CnStatus cn_file_write(const char* path, const char* text, size_t length, CnError* error) {
    char target[PATH_MAX]; // the file itself when path is a link to it
    struct stat status;
    mode_t mode = 0;
    int code = 0;
    if (stat(path, &status) == 0) {
        if (S_ISDIR(status.st_mode)) {
            return cn_file_fail_write(path, EISDIR, error);
        }
        if (!S_ISREG(status.st_mode)) {
            int file = open(path, O_WRONLY | O_CLOEXEC);
            code = write_and_close(file, text, length, false);
            return code == 0 ? CN_OK : cn_file_fail_write(path, code, error);
        }
        mode = status.st_mode & 0777;
        if (access(path, W_OK) != 0 || realpath(path, target) == NULL) {
            return cn_file_fail_write(path, errno, error);
        }
        path = target;
    }
    code = replace_uninterrupted(path, mode, text, length);
    return code == 0 ? CN_OK : cn_file_fail_write(path, code, error);
}

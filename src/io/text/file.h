// file.h - whole files in and out of memory.
#pragma once

#include "base/arena.h"
#include "io/text/error_list.h"

// How messages name a file: its path, or "standard input" for "-".
const char* cn_file_label(const char* path);

// The content of a file ("-": standard input) followed by a null character, in the arena. False
// after an error was reported: missing, unreadable, a directory, larger than limit bytes.
bool cn_file_read(const char* path, size_t limit, CnArena* arena, char** text, size_t* length,
                  CnErrorList* errors);

// The same for files that are named in other files. Nobody is there to feed a pipe, so pipes and
// devices are refused, and "-" is an ordinary file name.
bool cn_file_read_regular(const char* path, size_t limit, CnArena* arena, char** text,
                          size_t* length, CnErrorList* errors);

// Parses such a file: reports an error, or fills out. text[length] is 0.
typedef void CnFileReader(const char* text, size_t length, const CnAllocator* allocator,
                          CnErrorList* errors, void* out);
CnStatus cn_file_load(const char* path, size_t limit, CnFileReader* reader,
                      const CnAllocator* allocator, void* out, CnError* error);

// Writes a file next to it and renames that, so that path holds the old or the new text, never a
// part. Pipes and devices (/dev/null) are written to directly.
CnStatus cn_file_write(const char* path, const char* text, size_t length, CnError* error);

// All of the bytes to an open file: 0, or the errno of what failed.
int cn_file_put(int file, const void* bytes, size_t length);

// "run.cairn: cannot be written: No space left on device", for an errno.
CnStatus cn_file_fail_write(const char* path, int code, CnError* error);

// file.h - whole files in and out of memory.
#pragma once

#include "base/arena.h"
#include "io/text/error_list.h"

// How messages name a file: its path, or "standard input" for "-".
const char* cn_file_label(const char* path);

// All of a file ("-": standard input) and a null character behind it, in the arena. False after an
// error was reported: missing, unreadable, a directory, larger than limit bytes.
bool cn_file_read(const char* path, size_t limit, CnArena* arena, char** text, size_t* length,
                  CnErrorList* errors);

// The same for files that other files name: whoever wrote the name is not there to wait, so that
// pipes and devices are refused, and "-" is a file like any other.
bool cn_file_read_regular(const char* path, size_t limit, CnArena* arena, char** text,
                          size_t* length, CnErrorList* errors);

// What becomes of such a file: reports an error, or fills out. text[length] is 0.
typedef void CnFileReader(const char* text, size_t length, const CnAllocator* allocator,
                          CnErrorList* errors, void* out);
CnStatus cn_file_load(const char* path, size_t limit, CnFileReader* reader,
                      const CnAllocator* allocator, void* out, CnError* error);

// Writes next to the file and renames, so that path holds the old text or the new and never a
// part. What is not a regular file (a pipe, /dev/null) is written to as it is.
CnStatus cn_file_write(const char* path, const char* text, size_t length, CnError* error);

// All of the bytes to an open file: 0, or the errno of what failed.
int cn_file_put(int file, const void* bytes, size_t length);

// "run.cairn: cannot be written: No space left on device", for an errno.
CnStatus cn_file_fail_write(const char* path, int code, CnError* error);

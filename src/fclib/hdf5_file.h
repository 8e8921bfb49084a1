// hdf5_file.h - reads lists of numbers from an untrusted HDF5 file.
//
// Sizes come from the file's metadata and are compared with the length of the file before anything
// is allocated. Lists that are missing, of another kind or too large are reported by their path in
// the file. Links to other files are not followed.
//
// HDF5 has global state: use it from one thread at a time, unless it was built thread-safe
// (Debian's is).
#pragma once

#include "base/arena.h"
#include "io/text/error_list.h"

// Most numbers in one list: a gibibyte of doubles.
#define CN_HDF5_MAX_COUNT (1 << 27)

typedef struct CnHdf5 CnHdf5;

// From a file's bytes. Lists, and the handle itself, come from the arena. NULL after an error was
// reported.
CnHdf5* cn_hdf5_open(const char* bytes, size_t length, CnArena* arena, CnErrorList* errors);
void cn_hdf5_close(CnHdf5* file); // NULL is fine

// Whether there is a group or a list at this path.
bool cn_hdf5_has(CnHdf5* file, const char* path);

// All of a list; false after an error was reported. Integers fit an int, reals are finite.
bool cn_hdf5_read_integers(CnHdf5* file, const char* path, int** values, int* count);
bool cn_hdf5_read_reals(CnHdf5* file, const char* path, double** values, int* count);
bool cn_hdf5_read_integer(CnHdf5* file, const char* path, int* value); // a list of one

// Reports an error about the object at a path and returns false, for the caller to pass on.
__attribute__((format(printf, 3, 4))) bool cn_hdf5_report_error(CnHdf5* file, const char* path,
                                                                const char* format, ...);
bool cn_hdf5_report_no_memory(CnHdf5* file);
CnArena* cn_hdf5_arena(CnHdf5* file);

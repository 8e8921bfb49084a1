// fclib_writer.h - writes HDF5 files, valid or invalid, for tests of the reader.
#pragma once

#include <stdint.h>

typedef int64_t FclibWriter; // an open file

FclibWriter fclib_create(const char* path);
void fclib_close(FclibWriter file);

// Paths are absolute; groups on the way are made.
void fclib_integers(FclibWriter file, const char* path, const int* values, int count);
void fclib_integer(FclibWriter file, const char* path, int value);
void fclib_reals(FclibWriter file, const char* path, const double* values, int count);
void fclib_floats(FclibWriter file, const char* path, const float* values, int count);
void fclib_long(FclibWriter file, const char* path, int64_t value);
void fclib_text(FclibWriter file, const char* path, const char* text);
void fclib_table(FclibWriter file, const char* path, const double* values, int rows, int columns);
void fclib_scalar(FclibWriter file, const char* path, int value); // a dataspace without dimensions
void fclib_unwritten(FclibWriter file, const char* path, int64_t count); // reals that are not there
void fclib_compressed(FclibWriter file, const char* path, const double* values, int count);
void fclib_external(FclibWriter file, const char* path, int count); // reals in another file
void fclib_group(FclibWriter file, const char* path);
void fclib_remove(FclibWriter file, const char* path);
void fclib_link_outside(FclibWriter file, const char* path, const char* other_file,
                        const char* other_path);

// A matrix by triplets: rows in i, columns in p.
void fclib_triplets(FclibWriter file, const char* group, int rows, int columns, int count,
                    const int* row, const int* column, const double* value);

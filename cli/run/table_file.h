// table_file.h - rows of numbers in a file: CSV, or NumPy's .npy and .npz.
#pragma once

#include "cairn/quantity.h"

#include <stdio.h>

typedef struct TableFormat TableFormat;

typedef struct TableFile {
    const TableFormat* format; // NULL: not open
    const char* path;
    FILE* file;
    const CnQuantityInfo* columns; // the caller's; the first is the time   [count]
    int count;
    int64_t rows;
    double* table; // all rows, for formats that need them at once   [capacity][count]
    int64_t capacity;
} TableFile;

// Each is false with a sentence (error may be NULL); table_file_close() is due in any case, and
// does nothing the second time. The ending of path (.csv, .npy, .npz) says which format it is.
bool table_file_open(TableFile* table, const char* path, const CnQuantityInfo* columns, int count,
                     CnError* error);
bool table_file_add(TableFile* table, const double* row, CnError* error); // row [count]
bool table_file_close(TableFile* table, CnError* error);

// Whether the ending is one of the formats.
bool table_file_knows(const char* path);

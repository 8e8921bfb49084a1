// height_file.h - heights over a grid, from plain text.
//
// A row of the grid is a line of numbers separated by blanks, tabs or commas. "#" begins a comment;
// lines without numbers are skipped. The first line is the row at the lowest y, the first number of
// a line is the height at the lowest x.
#pragma once

#include "cairn/base.h"

typedef struct CnHeightGrid {
    int columns, rows; // at least 1 each
    double* heights;   // x fastest, finite [m]   [columns * rows]
} CnHeightGrid;

// On failure *grid is empty and the error names the file and the line.
CnStatus cn_height_file_load(const char* path, const CnAllocator* allocator, CnHeightGrid* grid,
                             CnError* error);
// The same from memory: length characters followed by a null character.
CnStatus cn_height_parse(const char* text, size_t length, const char* label,
                         const CnAllocator* allocator, CnHeightGrid* grid, CnError* error);
void cn_height_grid_free(CnHeightGrid* grid, const CnAllocator* allocator);

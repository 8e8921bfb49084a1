// height_file.h - heights over a grid, from plain text.
//
// A row of the grid is a line of numbers with blanks, tabs or commas between them; "#" begins a
// comment, and lines that hold nothing else are skipped. The first line is the row at the lowest y,
// the first number of a line is the height at the lowest x.
#pragma once

#include "cairn/base.h"

typedef struct CnHeightGrid {
    int columns, rows; // at least 1 each
    double* heights;   // x fastest, finite [m]   [columns * rows]
} CnHeightGrid;

// On failure *grid is empty and the sentence names the file and the line.
CnStatus cn_height_file_load(const char* path, const CnAllocator* allocator, CnHeightGrid* grid,
                             CnError* error);
// The same from memory: length characters and a null character behind them.
CnStatus cn_height_parse(const char* text, size_t length, const char* label,
                         const CnAllocator* allocator, CnHeightGrid* grid, CnError* error);
void cn_height_grid_free(CnHeightGrid* grid, const CnAllocator* allocator);

// front_update.h - what a panel of eliminated columns does to the rest of a dense front.
#pragma once

#include <stddef.h>

// Columns that are eliminated before the rest of the front is updated with all of them at once:
// as many rows of U as stay near the registers while every row of the front passes.
#define CN_FRONT_PANEL 8

// Numbers behind every row of a front that belong to nobody: what fills the last register.
#define CN_FRONT_PADDING 3

// All numbers lie in row-major matrices of one stride. Each sees the same operations in the same
// order whatever the width of the registers: the bits are those of plain loops.
typedef struct CnFrontFunctions {
    // c_ij -= l_i0 u_0j, then l_i1 u_1j and so on up to depth, for rows x columns numbers c. Up to
    // CN_FRONT_PADDING numbers behind the columns of c and u are touched.
    void (*update)(double* c, const double* l, const double* u, size_t stride, int rows,
                   int columns, int depth);

    // x <- x U^-1 for rows x of `width` numbers and U upper triangular, whose diagonal is given by
    // its inverse. width is CN_FRONT_PANEL at most.
    void (*reduce)(double* x, const double* u, const double* inverse, size_t stride, int rows,
                   int width);
} CnFrontFunctions;

// One text (front_update_lanes.h) for two widths of registers.
extern const CnFrontFunctions cn_front_functions_128;
extern const CnFrontFunctions cn_front_functions_256; // takes AVX2

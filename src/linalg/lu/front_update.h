// front_update.h - updates the rest of a dense front with a panel of eliminated columns.
#pragma once

#include <stddef.h>

// Columns in a panel, after which the rest of the front is updated with all of them at once: as
// many rows of U as stay in the first-level cache during the update.
#define CN_FRONT_PANEL 8

// Padding behind every row of a front, so that the last register load stays inside it.
#define CN_FRONT_PADDING 3

// All arguments are row-major matrices of one stride. Each entry gets the same operations in the
// same order whatever the register width: the bits are those of scalar loops.
typedef struct CnFrontFunctions {
    // c_ij -= l_i0 u_0j, then l_i1 u_1j and so on up to depth, for rows x columns numbers c. Up to
    // CN_FRONT_PADDING numbers behind the columns of c and u are read, and those of c written.
    void (*update)(double* c, const double* l, const double* u, size_t stride, int rows,
                   int columns, int depth);

    // x <- x U^-1 for rows x of `width` numbers and U upper triangular, whose diagonal is given by
    // its inverse. width is CN_FRONT_PANEL at most.
    void (*reduce)(double* x, const double* u, const double* inverse, size_t stride, int rows,
                   int width);
} CnFrontFunctions;

// One source (front_update_lanes.h) for two register widths.
extern const CnFrontFunctions cn_front_functions_128;
extern const CnFrontFunctions cn_front_functions_256; // requires AVX2

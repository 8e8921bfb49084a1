// row_tile.h - rows of any law in single precision: eight blocks of one kind side by side.
//
// A tile holds eight blocks with the same law and the same number of rows, none of which shares a
// movable body with another; arrays have the block (lane) in the last index. What a tile knows are
// changes since a base, the impulses p and velocities v of double precision that it was posed with:
// single precision then limits how fast sweeps converge, not to what.
//
// The mathematics is written once, in row_lanes.h, and compiled for one, four and eight lanes: the
// bits are the same. docs/theory/solvers/pgs_lanes.md has the equations that are cited.
#pragma once

#include "cairn/problem.h"
#include "solvers/soft/soft_tile.h"

// One body of a row.
typedef struct CnRowSide {
    float jacobian[6][CN_SOFT_LANES];
    float response[6][CN_SOFT_LANES]; // M^-1 J^T: velocity that a unit of impulse gives
} CnRowSide;

typedef struct CnRowLanes {
    float step[CN_SOFT_LANES];       // (3), (4), (5); 0: the row keeps its impulse
    float compliance[CN_SOFT_LANES]; // [1/kg]
    float gain[CN_SOFT_LANES];       // 1; of force rows the slope
    float keep[CN_SOFT_LANES];       // 0; of force rows 1
    float wanted[CN_SOFT_LANES];     // at the base: -u; of force rows offset - slope u - p
    float least[CN_SOFT_LANES];      // the smallest and
    float most[CN_SOFT_LANES];       // the largest change that the law allows [N s]
    float impulse[CN_SOFT_LANES];    // at the base: what friction discs are centred by [N s]
    float change[CN_SOFT_LANES];     // since the base [N s]
} CnRowLanes;

// Of contacts `friction` counts, and their rows after the first are projected onto discs.
typedef struct CnRowTile {
    int32_t offset[4][CN_SOFT_LANES]; // of bodies A, B, C, D among the rows of bodies [byte]
    float friction[CN_SOFT_LANES];
    CnLaw law;
    int row_count, side_count; // sides: 2, or 4 where blocks have a second pair of bodies
    CnRowLanes* rows;          // [row_count]
    CnRowSide* sides;          // [row_count * side_count]
} CnRowTile;

// One table for each number of lanes; all give the same bits. A sweep visits every row of every
// tile once and returns the largest change of an impulse [N s]; velocities of bodies are changes
// since the base, and the first body is everything that does not move. (2)-(6)
typedef struct CnRowKernels {
    float (*sweep)(CnRowTile* tiles, int count, CnSoftBody* bodies);
} CnRowKernels;

extern const CnRowKernels cn_row_kernels_plain, cn_row_kernels_128, cn_row_kernels_256;

// sweep_order.h - which blocks a sweep visits, in which order: shuffled, or without frozen blocks.
#pragma once

#include "base/arena.h"

typedef struct CnSweepOrder {
    int block_count;
    int* order;          // of the visits   [block_count]
    int freeze_after;    // sweeps without a change before a block is skipped for as many; 0: none
    int* rest;           // > 0: sweeps without a change; < 0: sweeps still to skip   [block_count]
    double least_square; // a smaller |dp|^2 counts as no change [(N s)^2]
    int64_t spared;      // visits skipped, so far
} CnSweepOrder;

// The order is random for a seed other than 0, and the same in every sweep.
CnStatus cn_sweep_order_init(CnSweepOrder* order, int block_count, int seed, int freeze_after,
                             CnArena* arena);

// Before a sweep; step_square is the sum of |dp|^2 of the one before it, 0 for the first.
void cn_sweep_order_begin(CnSweepOrder* order, double step_square);

// Whether a block is left out of this sweep.
bool cn_sweep_order_skips(CnSweepOrder* order, int block);

// After the visit of a block, with its |dp|^2.
void cn_sweep_order_note(CnSweepOrder* order, int block, double step_square);

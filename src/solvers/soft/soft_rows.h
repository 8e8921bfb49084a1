// soft_rows.h - rows of joints and user constraints in single precision, one constraint at a time.
//
// Every kind of constraint can be swept like this: it only needs values and Jacobians, which its
// owner refreshes in every substep. Ball joints and hinges have tiles of their own (soft_joint.h).
// docs/theory/soft_step.md (J1)-(J5), (J10), (J11).
#pragma once

#include "solvers/soft/soft_tile.h"

#define CN_SOFT_ROWS 6

typedef enum CnSoftRowType {
    CN_SOFT_ROW_KEEPS,  // value = 0; all such rows of a block are solved together
    CN_SOFT_ROW_PUSHES, // value >= 0
    CN_SOFT_ROW_PULLS,  // value <= 0
    CN_SOFT_ROW_DRIVES, // rate = 0, as far as impulses within bounds do it
    CN_SOFT_ROW_YIELDS, // impulse = offset - slope rate, within bounds: springs, dampers
} CnSoftRowType;

typedef struct CnSoftRow {
    CnSoftRowType type;
    float lower, upper;     // impulse of one substep
    float restitution;      // of a row that pushes or pulls
    float jacobian[2][6];   // rate by (v, w) of A and B
    float moves[2][6];      // what an impulse of one changes these by
    float response;         // of the rate to an impulse of one
    float value, time_rate; // at the present poses
    float offset, slope;    // of a row that yields, for the present substep
    float next_offset;      // and for the next one; cn_soft_block_push() goes on to it
    float next_slope;
    float impulse, total;      // of the present substep; of the whole step
    float approach;            // rate before the step
    float share[CN_SOFT_ROWS]; // of an impulse of one that rows of the same joint take back. (J11)
} CnSoftRow;

typedef struct CnSoftBlock {
    int body[2]; // rows of the group; 0: what does not move
    int row_count;
    bool is_far;  // a stop that is open and stays so: sweeps leave the block out. (J3a)
    float turned; // of its bodies against each other since its value was read, at most [rad]
    bool is_read; // its rows were read at the turns below, and depend on turns alone. (J3b)
    float read_turn[2][4]; // turn of A and B since they were placed
    float read_value;      // of its one row there
    float by_turn[2][3];   // how the value changes by turns of A and B
    CnSoftRow row[CN_SOFT_ROWS];
    float factor[CN_SOFT_ROWS][CN_SOFT_ROWS]; // of the rows that keep: W = L D L', lower half, with
                                              // the inverse of D on the diagonal
} CnSoftBlock;

// Makes the rows of a block independent of those that another block between the same bodies keeps,
// and which is prepared: a motor on a hinge then turns what hangs on it, as if both were solved at
// once. Before cn_soft_block_prepare(). (J11)
void cn_soft_block_detach(CnSoftBlock* block, const CnSoftBlock* kept);

// moves, response and factor, from the Jacobians.
void cn_soft_block_prepare(CnSoftBlock* block, const CnSoftBodies* bodies);

// The same for rows that have impulses, once their Jacobians are new: velocities get them along the
// new ones. (J10)
void cn_soft_block_shift(CnSoftBlock* block, const CnSoftBodies* bodies);

// The impulses of the last step once more; rates before the step.
void cn_soft_block_note_approach(CnSoftBlock* block, const CnSoftBodies* bodies);
void cn_soft_block_warm_start(CnSoftBlock* block, const CnSoftBodies* bodies);

// One visit: with softness and errors, or without. The second one ends the substep.
void cn_soft_block_push(CnSoftBlock* block, const CnSoftBodies* bodies, const CnSoftRates* rates);
void cn_soft_block_relax(CnSoftBlock* block, const CnSoftBodies* bodies, const CnSoftRates* rates);

// Rows that came to their stop return speed.
void cn_soft_block_bounce(CnSoftBlock* block, const CnSoftBodies* bodies, const CnSoftRates* rates);

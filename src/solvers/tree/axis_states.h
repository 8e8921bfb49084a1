// axis_states.h - which rows on the axes of joints act: an active set, mechanisms.md (16), (17).
#pragma once

#include "cairn/problem.h"

// What a row on a tree's joint does now.
typedef enum CnAxisState {
    CN_AXIS_AT_LOWER, // its impulse is the lower bound, or the only one there is
    CN_AXIS_ACTS,     // u = 0, or the law of its force
    CN_AXIS_AT_UPPER,
} CnAxisState;

// Of the tolerance: what a law may miss by and still count as held, so that round-off flips
// nothing.
#define CN_AXIS_SLACK_SHARE 1e-3

// What a row of bounds should do next, by its impulse p and its velocity u: from one bound never
// straight to the other, which can go round for ever. slack: of u [m/s]. trace: W of the row; asked
// for where it acts alone.
CnAxisState cn_axis_next_state(const CnProblem* problem, int row, CnAxisState state, double p,
                               double u, double slack, double trace);

// The rounds of a search for the states: usual ones take one or two, the most in 180,000 steps of a
// robot was 8.
typedef struct CnAxisRounds {
    int made;
    int fewest;   // rows that had to change, in the best round so far
    int patience; // rounds left in which their number need not fall
} CnAxisRounds;
CnAxisRounds cn_axis_rounds_begin(int row_count);

// Counts a round. False: too many were made.
bool cn_axis_rounds_next(CnAxisRounds* rounds);

// After a round that leaves `count` rows to change: whether all of them do, else the lowest alone.
bool cn_axis_rounds_change_all(CnAxisRounds* rounds, int count);

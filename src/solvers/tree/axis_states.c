// axis_states.c - which rows on the axes of joints act: an active set, mechanisms.md (16), (17).
#include "solvers/tree/axis_states.h"

#define MOST_ROUNDS 60

// Rounds in a row in which the number of rows to change need not fall; then one changes at a time.
#define PATIENCE 4

CnAxisState cn_axis_next_state(const CnProblem* problem, int row, CnAxisState state, double p,
                               double u, double slack, double trace) {
    double lower = problem->lower[row], upper = problem->upper[row];
    if (state != CN_AXIS_ACTS) {
        bool leaves = state == CN_AXIS_AT_LOWER ? u < -slack : u > slack;
        return leaves && lower < upper ? CN_AXIS_ACTS : state;
    }
    if (p >= lower && p <= upper) {
        return CN_AXIS_ACTS;
    }
    double of_impulse = slack / trace;
    return p < lower - of_impulse   ? CN_AXIS_AT_LOWER
           : p > upper + of_impulse ? CN_AXIS_AT_UPPER
                                    : CN_AXIS_ACTS;
}

CnAxisRounds cn_axis_rounds_begin(int row_count) {
    return (CnAxisRounds){.fewest = row_count + 1, .patience = PATIENCE};
}

bool cn_axis_rounds_next(CnAxisRounds* rounds) {
    return rounds->made++ < MOST_ROUNDS;
}

bool cn_axis_rounds_change_all(CnAxisRounds* rounds, int count) {
    if (count < rounds->fewest) {
        rounds->fewest = count;
        rounds->patience = PATIENCE;
    } else if (rounds->patience > 0) {
        --rounds->patience;
    }
    return rounds->patience > 0;
}

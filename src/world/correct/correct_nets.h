// correct_nets.h - what is other in the passes of a correction where joints make a net.
//
// Its rows are nearly dependent wherever it bends. A pass is one damped step, mechanisms.md (65),
// which leaves errors along such rows; more passes do too.
#pragma once

#include "solvers/net/net_factor.h"

// A net gains while passes leave at most this share of the error.
#define CN_NET_PASS_GAIN 0.5

// Multiplications that all passes of a step may take: as many as to relax its velocities,
// stabilisation.md (14), which are some factorisations.
static inline double cn_net_pass_budget(double rows) {
    return 1e8 + 3e4 * rows;
}

// Whether a pass is the last: its rows ask for more than half of the error still, or it is the
// second in a row that has gained little, or was not taken in full. unsolved: what the answer
// leaves of straight rows [m or rad], as the errors are.
static inline bool cn_net_pass_is_last(double before, double after, double unsolved,
                                       bool was_slow) {
    bool gains = after <= CN_NET_PASS_GAIN * before;
    return !gains && (was_slow || unsolved > CN_NET_PASS_GAIN * before);
}

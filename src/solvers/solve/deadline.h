// deadline.h - the time at which solvers stop, tested once in each iteration.
//
// cn_solve() gives solvers a time of cn_timer_now() as CnSolverDef.deadline, in place of the
// seconds it was given; when a solver stops, cn_solve() reports why. Without a deadline no clock is
// read.
#pragma once

#include "base/timer.h"
#include <stdbool.h>

static inline bool cn_deadline_is_over(double instant) {
    return instant > 0.0 && cn_timer_now() >= instant;
}

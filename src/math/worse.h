// worse.h - the larger of two errors, where no number is worse than any.
#pragma once

#include <math.h>

// The larger one. An error that is not a number counts as infinite: numbers after it do not hide
// it, as they would with fmax().
static inline double cn_worse(double worst, double error) {
    return error <= worst ? worst : isnan(error) ? HUGE_VAL : error;
}

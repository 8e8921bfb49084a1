// zero_start.h - a cheap test whether zero impulses miss the tolerance.
#pragma once

#include "cairn/solver.h"

// True when the blocks visited so far show that the error of p = 0 is above the tolerance and all
// numbers are finite; most problems that start from zero need only a few blocks. False: unknown,
// the certificate must be computed.
bool cn_zero_is_wrong(const CnProblem* problem, const CnSolverDef* def);

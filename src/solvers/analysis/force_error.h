// force_error.h - how far unique forces are from exact, to first order.
#pragma once

#include "base/arena.h"
#include "cairn/problem.h"

// The largest entry of the next Newton step, [N s] or the unit of its row; infinite where
// the laws do not determine the forces. docs/theory/determinacy.md (3), (4).
CnStatus cn_force_error(const CnProblem* problem, const double* impulse, CnArena* arena,
                        double* largest);

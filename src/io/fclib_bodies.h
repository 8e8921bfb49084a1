// fclib_bodies.h - rigid bodies and their rows as masses and directions: docs/theory/problem.md.
#pragma once

#include "cairn/problem.h"
#include "io/fclib_condense.h"

// M, A, f and w of (11), of the coordinates that can move, with rows in the order of `row`: row[i]
// is the place of the problem's row i. CN_UNSUPPORTED: a body can turn about some axes only.
CnStatus cn_fclib_from_bodies(const CnProblem* problem, const int* row, CnArena* arena,
                              CnFclibGlobal* global, CnError* error);

// The same coordinates of a solution's velocities, at most 6 of a body. Returns their number.
int cn_fclib_gather_velocity(const CnProblem* problem, const double (*velocity)[6], double* out);

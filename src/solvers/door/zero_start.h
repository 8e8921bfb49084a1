// zero_start.h - whether impulses of zero are plainly not the answer.
#pragma once

#include "cairn/solver.h"

// True as soon as enough of the error of p = 0 is seen to say that it is above the tolerance, and
// everything is finite: what most problems that start from zero learn at the price of a few blocks.
// False: the certificate must tell.
bool cn_zero_is_wrong(const CnProblem* problem, const CnSolverDef* def);

// scaled_jacobian.h - J L with M^-1 = L L^T: rows in which every body has unit mass.
#pragma once

#include "base/arena.h"
#include "cairn/problem.h"

// For each row J L of body a, then of body b; zero for the world and for immovable bodies. The
// problem has bodies. docs/theory/solvers/nsgs.md (1)-(3).
CnStatus cn_scaled_jacobian(const CnProblem* problem, CnArena* arena, double (**jacobian)[12]);

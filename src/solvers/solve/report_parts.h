// report_parts.h - the share of each solver in a solve: iterations and work.
#pragma once

#include "cairn/solver.h"

// Adds to the part of a solver, which is created if needed. If there is no room for another, the
// last part is used.
void cn_report_add_part(CnSolverReport* report, const char* solver, int iterations, double work);

// The part of a solver that has called no other.
void cn_report_own_part(CnSolverReport* report, const char* solver);

// Adds the parts of a solver that was called.
void cn_report_add_parts(CnSolverReport* report, const CnSolverReport* called);

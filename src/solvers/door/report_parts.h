// report_parts.h - who took part in an answer: iterations and work of each solver.
#pragma once

#include "cairn/solver.h"

// Adds to a solver's part, which is begun where there is none. When there is no room for another,
// the last one takes it.
void cn_report_add_part(CnSolverReport* report, const char* solver, int iterations, double work);

// What a solver reports of itself when it has called no other.
void cn_report_own_part(CnSolverReport* report, const char* solver);

// Adds the parts of a solver that was called.
void cn_report_add_parts(CnSolverReport* report, const CnSolverReport* called);

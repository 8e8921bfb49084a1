// nsgs_turns.h - sweeps with joints and sweeps without take turns until one has the answer.
#pragma once

#include "solvers/matrix/mechanisms.h"
#include "solvers/sweep/nsgs_course.h"

// The course without joints.
typedef struct CnElimination {
    CnMechanisms mechanisms;
    CnMechanismCost cost;
    CnCourse course;
    double* p;     // [row_count of the others]
    bool is_built; // on its first turn
    bool is_over;  // not possible, or finished in vain
} CnElimination;

// Turns of both courses until one of them converges, or none has anything left to try. The plain
// one has run for report->iterations; its best answer is that of both.
CnStatus cn_turns_run(CnCourse* plain, CnElimination* other, const CnSolverDef* def, int limit,
                      double* p, CnSolverReport* report);

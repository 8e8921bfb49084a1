// exact_island.h - scheme soft_step: islands with an exact body, solved in double precision.
//
// One problem for the whole step, with rigid contacts and the exact friction cone, answered by the
// world's solver and graded; then positions are put right by a second one. docs/theory/soft_step.md
// (E1)-(E5).
#pragma once

#include "world/soft/soft_pack.h"

// What came of one of them.
typedef struct CnExactResult {
    CnStatus status;       // CN_NO_MEMORY: there was none
    CnSolverReport report; // of its solve; solver NULL: there were no rows
    int block_count;       // that it speaks for
    double penetration;    // at the end, >= 0 [m]
    double* gap;           // of each manifold at the end, the least; by its place in the island [m]
} CnExactResult;

// Whether an island has to be solved exactly.
bool cn_island_is_exact(const CnWorld* world, int island);

// Memory for the exact groups, before they are solved. CN_OK or CN_NO_MEMORY.
CnStatus cn_exact_reserve(CnWorld* world);

// Solves and moves the bodies of a group that is exact: states, impulses of manifolds and
// constraints are those of the end of the step. Groups may be solved by several workers at once.
void cn_exact_solve(CnWorld* world, CnSoftGroup* group, int worker);

// Adds what came of all of them to the report, and gaps to the records of pairs.
void cn_exact_report(CnWorld* world, CnStepReport* report);

// CN_OK, or the reason why one of them was not solved: no memory, or a solver that does not take
// its rows.
CnStatus cn_exact_check(const CnWorld* world, CnError* error);

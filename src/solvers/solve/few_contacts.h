// few_contacts.h - a problem of a few contacts, solved by sweeps without asking `auto`.
//
// The first thing `auto` tries on a small problem with friction are sweeps, and a handful of
// contacts needs no more. This is that attempt alone, to the same bits, without the plans and the
// repeated grades around it, which cost several times as much as the sweeps.
#pragma once

#include "solvers/solve/solver.h"

// Whether `auto` would begin with sweeps, and nothing in the def says otherwise.
bool cn_few_contacts_suit(const CnProblem* problem, const CnSolverDef* def);

// Sweeps from the guess in the solution, which is known to miss the tolerance. *is_solved false:
// they did not get there, and the solution is as it was. Else it is the answer, with its
// velocities; the report has everything but the certificate and the remark.
CnStatus cn_few_contacts_solve(const CnProblem* problem, const CnSolverDef* def,
                               CnWorkspace* workspace, CnSolution* solution, CnSolverReport* report,
                               bool* is_solved);

// The remark that `auto` would have made, where there is none yet: most are never read.
void cn_few_contacts_remark(int contacts, CnSolverReport* report);

// solving.h - runs one solver on one small problem and grades it.
#pragma once

#include "solvers/solve/solver.h"
#include "support/problems/problems.h"

// cn_solve() from zero; fails the test unless it returns CN_OK. The answer stays in the problem's
// own arrays.
CnSolverReport solve_problem(Problem* problem, CnSolverDef def);

// Without cn_solve(): runs prepare and solve from a cold start; fails the test unless both return
// CN_OK. The report's certificate is filled in. tolerance is the solver's [m/s].
CnSolverReport run_solver(const CnSolver* solver, Problem* problem, double tolerance,
                          CnSolution* solution);

// What prepare returns, and its sentence.
CnStatus refuse_solver(const CnSolver* solver, Problem* problem, CnError* error);

// Refuses each allocation of a solve in turn: all but the last try must end in CN_NO_MEMORY, and
// none may leak.
void check_memory_failures(const CnSolver* solver, Problem* problem);

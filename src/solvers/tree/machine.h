// machine.h - a problem with joints, solved along the trees that the joints make.
//
// Equalities between two bodies that depend on their relative pose become the joints of a linkage;
// bounds and forces on the same two bodies (motors, stops, springs, friction of the axis) act on
// its axes, by an active set. All other rows act from outside: loops by a dense factor, contacts
// as a small problem whose W is the linkage's response; many of them are swept along the paths of
// the trees. docs/theory/mechanisms.md (13)-(19), (23)-(25).
#pragma once

#include "solvers/solve/solver.h"

// Whether a problem has joints that this file can do something about: bodies, an equality, and not
// so many of these that too many close loops.
bool cn_machine_suits(const CnProblem* problem, const CnSolverDef* def);

// The answer, and in the report iterations, work and remark. *found is false when the problem is
// none for trees (too many rows outside, rows that depend on each other), or the answer misses the
// tolerance; the impulses of the solution are then as they were, or those that sweeps have reached:
// the outcome is CN_STALLED then.
CnStatus cn_machine_solve(const CnProblem* problem, const CnSolverDef* def, CnArena* arena,
                          CnSolution* solution, CnSolverReport* report, bool* found);

// Whether a def asks for no more than the exact laws to a tolerance of velocities, by `auto`.
bool cn_machine_suits_def(const CnSolverDef* def);

// The same for callers that have a def of `auto`, without its guess, grade and second opinions:
// *found is false too when the def does not suit, and where rows would have to be swept.
CnStatus cn_machine_try(const CnProblem* problem, const CnSolverDef* def, CnArena* arena,
                        CnSolution* solution, CnSolverReport* report, bool* found);

// The same from impulses that are nearly an answer, as at rest: rows outside are solved by a few
// Newton steps, or not at all.
CnStatus cn_machine_try_near(const CnProblem* problem, const CnSolverDef* def, CnArena* arena,
                             CnSolution* solution, CnSolverReport* report, bool* found);

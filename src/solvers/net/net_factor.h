// net_factor.h - nets: many joints that close loops, solved by a factor kept between steps.
//
// Rows are scaled so that every body has unit mass and every joint a unit response. Impulses come
// from conjugate gradients whose preconditioner is a sparse factor by bodies, made of the same rows
// rounded to multiples of 2^-15. While nothing moves by more than that the factor stays.
// docs/theory/mechanisms.md (32)-(36).
//
// The factor is a function of the rounded rows alone, and is used only where they are those that it
// was made of. So throwing it away, or restoring a world without it, changes no bit of any result;
// work is counted as if it were made anew each time.
//
// Nets that move begin without impulses, with a factor of their rows as they are; where those are
// nearly dependent, impulses of least norm follow: net_least.h.
#pragma once

#include "base/arena.h"
#include "solvers/solve/solver.h"

typedef struct CnNetFactor CnNetFactor;

// Joints more than bodies that move: so many loops at least.
#define CN_NET_LEAST_LOOPS 40

// NULL: no memory.
CnNetFactor* cn_net_factor_create(const CnAllocator* allocator);
void cn_net_factor_destroy(CnNetFactor* factor); // NULL is fine

// Whether a problem is a net: rigid equalities between two bodies and nothing else, so many that a
// good part of them closes loops; and the def asks for no more than the exact laws.
bool cn_net_suits(const CnProblem* problem, const CnSolverDef* def);

// Impulses and velocities of a net at rest from the impulses of the solution where the def says so,
// which stay if they hold bodies there; of others from none. In the report: outcome, iterations,
// work, error, remark; rows that are nearly dependent may leave more than the tolerance. damps: the
// problem is one of positions, and one damped step is made. *found is false, and the impulses are
// as they were, when rows contradict each other, a joint has rows that depend on each other, or the
// budget does not allow for a factor.
CnStatus cn_net_solve(CnNetFactor* factor, const CnProblem* problem, const CnSolverDef* def,
                      const CnPast* past, bool damps, CnArena* scratch, CnSolution* solution,
                      CnSolverReport* report, bool* found);

// nets.h - factors of nets of joints, kept in the world: solvers/net/net_factor.h.
#pragma once

#include "solvers/net/net_factor.h"
#include "world/world.h"

// Room for the factor of every island, before they are solved on all workers. False: no memory.
bool cn_nets_reserve(CnWorld* world);

// Whether there are impulses to begin with. Where there are none, a net is left to other solvers,
// which name redundant rows.
bool cn_nets_have_guess(const CnProblem* problem, const CnSolverDef* def, const double* impulse);

// An island that may be a net, with the factor that is kept with its body of the lowest index.
// body: index of each body of the problem. damps: see cn_net_solve(). *found is false when it is
// none, or has no such answer; the impulses are then as they were.
CnStatus cn_nets_solve(CnWorld* world, const CnProblem* problem, const int* body,
                       const CnSolverDef* def, const CnPast* past, bool damps, CnArena* scratch,
                       CnSolution* solution, CnSolverReport* report, bool* found);

// Whether an island is joints alone that may be a net, and the def one for nets.
bool cn_nets_suit(const CnWorld* world, int island, const CnSolverDef* def);

// What the impulses of the last step do to such an island, in CnStep: velocities of its bodies,
// residuals of its blocks, sums of grades. The most that a velocity changes; below 0: there are no
// impulses, or rows other than rigid equalities between two bodies. list: the bodies that impulses
// move   [count]
double cn_nets_look(CnWorld* world, int island, const CnTileBodies* bodies, int count,
                    const int* list, double rho, CnGradeSums* grades);

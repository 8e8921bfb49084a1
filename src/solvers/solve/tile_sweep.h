// tile_sweep.h - islands of a few contacts, swept on their tiles.
//
// A ball on the ground or two stones that meet are islands of their own, and a scene may have
// thousands of them. They need no problem written out. Sweeps as those of nsgs: one contact after
// the other is solved exactly; a single contact takes one sweep. Where contacts share bodies
// Newton's method on all of them takes over between two sweeps. docs/theory/solvers/nsgs.md.
#pragma once

#include "cairn/solver.h"
#include "constraints/tiles/contact_tile.h"

// Whether `auto` would sweep a few contacts, and nothing in the def says otherwise.
bool cn_tile_sweep_suits_def(const CnSolverDef* def);

// An island whose rows are those of tiles alone.
typedef struct CnTileIsland {
    const CnTileSet* set;
    const CnTileBodies* bodies; // velocity: that of the impulses of the tiles, on entry and on exit
    int body_count;
    const int* body; // its dynamic bodies   [body_count]
} CnTileIsland;

// Sweeps from the impulses of the tiles, which are known to miss the tolerance. Returns the number
// of sweeps that it took; then impulses and velocity are the answer, and the grades are
// those of all points with the common step rho. 0: there are too many points, one has no friction,
// or the sweeps did not get there; impulses are as they were. *work: multiplications, with grades.
int cn_tile_sweep_solve(const CnTileIsland* island, double tolerance, double rho,
                        CnGradeSums* grades, double* work);

// What nsgs would report of such an answer; certificate and work are left to the caller.
void cn_tile_sweep_report(int contacts, int sweeps, CnSolverReport* report);

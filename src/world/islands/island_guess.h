// island_guess.h - where the impulses that an island's tiles have lead, and how good they are.
#pragma once

#include "base/arena.h"
#include "constraints/tiles/contact_tile.h"

// Islands of more manifolds are to be looked at one after the other, each by all workers.
#define CN_LARGE_ISLAND 256

typedef struct CnIslandGuess {
    const CnTileSet* tiles;
    const CnTileBodies* bodies;
    int count;       // of movable bodies
    const int* list; // these   [count]
    double rho;      // common step of the certificate
} CnIslandGuess;

// Writes velocities; grades are those of the island alone, *gain is the largest change of a
// velocity in the step [m/s or rad/s]. The work is cut by size, so that sums do not depend on the
// workers. CN_NO_MEMORY: the arena is full.
CnStatus cn_island_guess_look(const CnIslandGuess* guess, const CnTasks* tasks, CnArena* arena,
                              double* gain, CnGradeSums* grades);

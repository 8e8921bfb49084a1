// island_guess.h - where the impulses that an island's tiles have lead, and how good they are.
#pragma once

#include "base/arena.h"
#include "constraints/tiles/contact_tile.h"

// Islands of more manifolds are to be looked at one after the other, each by all workers.
#define CN_LARGE_ISLAND 256

struct CnWorld;

typedef struct CnIslandGuess {
    const struct CnWorld* world;
    int island;
    const CnTileSet* tiles;
    const CnTileBodies* bodies;
    int count;       // of movable bodies
    const int* list; // these   [count]
    double rho;      // common step of the certificate
} CnIslandGuess;

// Writes velocities; grades are those of the island alone, *gain is the largest change of a
// velocity in the step [m/s or rad/s]. Grades are summed in parts of a given size, and momenta body
// by body in the order of tiles, so that no sum depends on the workers. CN_NO_MEMORY: the arena is
// full.
CnStatus cn_island_guess_look(const CnIslandGuess* guess, const CnTasks* tasks, CnArena* arena,
                              double* gain, CnGradeSums* grades);

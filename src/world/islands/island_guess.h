// island_guess.h - where the impulses that an island's tiles have lead, and how good they are.
#pragma once

#include "base/arena.h"
#include "constraints/tiles/contact_tile.h"
#include "world/world.h"

// Islands of more manifolds are to be looked at one after the other, each by all workers.
#define CN_LARGE_ISLAND 256

static inline bool cn_island_is_large(const CnIslandStore* store, int island) {
    return store->manifold_start.data[island + 1] - store->manifold_start.data[island] >
           CN_LARGE_ISLAND;
}

// Whether it has explicit blocks besides tiles.
static inline bool cn_island_has_blocks(const CnIslandStore* store, int island) {
    return store->block_start.data[island + 1] > store->block_start.data[island];
}

// Whether a body of the island moved as the step began, by more than what a guess may hold at rest.
bool cn_island_is_moving(const CnWorld* world, int island);

// In a loop over islands, whose manifolds lie anywhere: prefetches the first one of a later island.
void cn_island_fetch(const CnWorld* world, int later);

typedef struct CnIslandGuess {
    const CnWorld* world;
    int island;
    const CnTileSet* tiles;
    const CnTileBodies* bodies;
    int count;       // of movable bodies
    const int* list; // these   [count]
    double rho;      // common step of the certificate
} CnIslandGuess;

// Tiles whose grades are summed together, by one task.
#define CN_TILES_PER_GRADE 64

// Writes the velocities that the guess leads to; returns the largest change of one in the step [m/s
// or rad/s].
double cn_island_guess_move(const CnIslandGuess* guess);

// The same by several workers, and then the grades: of an island with more than CN_TILES_PER_GRADE
// tiles. Writes velocities; grades are those of the island alone, *gain is the largest change of a
// velocity in the step [m/s or rad/s]. Grades are summed in parts of a given size, and momenta body
// by body in the order of tiles, so that no sum depends on the workers. CN_NO_MEMORY: the arena is
// full.
CnStatus cn_island_guess_look(const CnIslandGuess* guess, const CnTasks* tasks, CnArena* arena,
                              double* gain, CnGradeSums* grades);

// Islands of one contact point each, whose guesses are looked at side by side:
// cn_tiles_look_at_singles().
typedef struct CnSingleIslands {
    int count;
    int island[CN_SINGLES];
    CnContactTile* tile[CN_SINGLES];
    int first_block[CN_SINGLES];
} CnSingleIslands;

// Takes an island if it is one of these; there is room.
bool cn_single_islands_add(const CnWorld* world, int island, CnSingleIslands* singles);

// island_rows.h - an island of the step as a problem of its own.
#pragma once

#include "base/arena.h"
#include "cairn/problem.h"
#include "constraints/tiles/contact_tile.h"

struct CnWorld;

typedef struct CnIslandRows {
    CnProblem problem;
    CnTileSet tiles;
    CnTileRows rows;
    double (*jacobian_c)[6]; // NULL: no block of the step has a second pair
    double (*jacobian_d)[6];
    const int* body;     // indices   [problem.body_count]
    int* block;          // number of each block in the step   [problem.block_count]
    double (*before)[6]; // velocities as the step began   [problem.body_count]
} CnIslandRows;

// How many bodies are in the island's list, movable or not.
int cn_island_body_count(const struct CnWorld* world, int island);

// Lists the bodies of an island that impulses move; returns how many there are.
int cn_island_list_dynamic(const struct CnWorld* world, int island, int* list);

// The tiles of an island. NULL pointers: no memory.
CnTileSet cn_island_tiles(const struct CnWorld* world, int island, CnArena* arena);

// These and the movable bodies, which are listed, in the arena. CN_OK or CN_NO_MEMORY.
CnStatus cn_island_find_tiles(const struct CnWorld* world, int island, CnArena* arena,
                              CnTileSet* tiles, int** list, int* count);

// Writes tiles and explicit blocks of an island out as rows. The solution is that of the problem,
// not yet found: its impulses are the guess. CN_OK or CN_NO_MEMORY.
CnStatus cn_island_rows_write(const struct CnWorld* world, int island, CnArena* arena,
                              CnIslandRows* part, CnSolution* solution);

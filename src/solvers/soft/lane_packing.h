// lane_packing.h - pairs of bodies put into tiles of eight, so that no body is in a tile twice.
//
// First fit over the tiles that still have room, at most 64 of them: the oldest is closed for
// another. The result depends on the order of the pairs and on nothing else.
#pragma once

#include "base/arena.h"

#define CN_PACKING_LANES 8
#define CN_PACKING_OPEN 64

typedef struct CnLanePacking {
    int tile_count;  // so far
    int oldest;      // the first open tile
    uint64_t full;   // bits from `oldest` on: tiles without a free lane
    uint64_t second; // tiles of pairs of the second kind
    uint64_t* tiles; // open tiles that a body is in, as bits from `since` on   [bodies]
    int* since;      // tile of the lowest bit   [bodies]
    uint8_t lanes[CN_PACKING_OPEN]; // used, of tile % 64
} CnLanePacking;

// False: no memory.
bool cn_lane_packing_init(CnLanePacking* packing, int body_count, CnArena* arena);

// Tiles from now on are new ones.
void cn_lane_packing_close(CnLanePacking* packing);

// Two bodies (negative: one that impulses do not move, which may be in any lane) get 8 * tile +
// lane. Pairs of the second kind have tiles of their own.
int cn_lane_packing_add(CnLanePacking* packing, int body_a, int body_b, bool is_second);

// lane_packing.c - pairs of bodies put into tiles of eight, so that no body is in a tile twice.
#include "solvers/soft/lane_packing.h"

bool cn_lane_packing_init(CnLanePacking* packing, int body_count, CnArena* arena) {
    *packing = (CnLanePacking){
        .tiles = CN_ARENA_NEW(arena, uint64_t, body_count),
        .since = CN_ARENA_NEW(arena, int, body_count),
    };
    return packing->tiles != NULL && packing->since != NULL;
}

void cn_lane_packing_close(CnLanePacking* packing) {
    packing->oldest = packing->tile_count;
    packing->full = packing->second = 0;
}

// Open tiles with this body, as bits from the oldest on.
static uint64_t tiles_with(const CnLanePacking* packing, int body) {
    int passed = body < 0 ? CN_PACKING_OPEN : packing->oldest - packing->since[body];
    return passed < CN_PACKING_OPEN ? packing->tiles[body] >> passed : 0;
}

static void note_tile(CnLanePacking* packing, int body, uint64_t bit) {
    if (body >= 0) {
        packing->tiles[body] = tiles_with(packing, body) | bit;
        packing->since[body] = packing->oldest;
    }
}

// Tiles that exist, of the other kind.
static uint64_t tiles_of_others(const CnLanePacking* packing, bool is_second) {
    int open = packing->tile_count - packing->oldest;
    uint64_t existing = open >= CN_PACKING_OPEN ? ~UINT64_C(0) : (UINT64_C(1) << open) - 1;
    return existing & (is_second ? ~packing->second : packing->second);
}

int cn_lane_packing_add(CnLanePacking* packing, int body_a, int body_b, bool is_second) {
    uint64_t free = 0;
    while ((free = ~(tiles_with(packing, body_a) | tiles_with(packing, body_b) | packing->full |
                     tiles_of_others(packing, is_second))) == 0) {
        ++packing->oldest;
        packing->full >>= 1;
        packing->second >>= 1;
    }
    int place = __builtin_ctzll(free), tile = packing->oldest + place;
    uint64_t bit = UINT64_C(1) << place;
    if (tile >= packing->tile_count) { // the first new one is the lowest free bit
        packing->tile_count = tile + 1;
        packing->lanes[tile % CN_PACKING_OPEN] = 0;
        packing->second |= is_second ? bit : 0;
    }
    int lane = packing->lanes[tile % CN_PACKING_OPEN]++;
    packing->full |= lane == CN_PACKING_LANES - 1 ? bit : 0;
    note_tile(packing, body_a, bit);
    note_tile(packing, body_b, bit);
    return CN_PACKING_LANES * tile + lane;
}

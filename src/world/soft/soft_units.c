// soft_units.c - scheme soft_step: the contacts of a large island in units that workers share.
#include "world/soft/soft_units.h"

#include "base/tasks.h"
#include "world/world.h"

#include <string.h>

// Bodies of a part: those that follow each other. Contacts between the same two parts are a block.
#define PART_BODIES 256

// Contacts of a unit, at least: of one block or of several. Half or twice as many bodies, or twice
// as many contacts, take the same time in @s3:40; these make the fewest levels.
#define UNIT_MANIFOLDS 60
#define MOST_LEVELS 64

static int manifolds_of(const CnIslandStore* islands, int island) {
    return islands->manifold_start.data[island + 1] - islands->manifold_start.data[island];
}

static bool is_kinematic(const CnWorld* world, int body) {
    return body >= 0 && world->bodies.data[body].type == CN_BODY_KINEMATIC;
}

// Contacts that one task looks at.
#define CONTACTS_PER_TASK 512

// The contacts of an island by the parts of their bodies. A body that does not move has the part
// of the other one; every contact of an island has one that moves.
typedef struct UnitBlocks {
    const CnIslandStore* islands;
    const int* manifold; // of the island        [contacts]
    int *low, *high;     // parts of each; low <= high
    int parts, count;
} UnitBlocks;

static void read_parts(int begin, int end, int worker, void* data) {
    const UnitBlocks* blocks = data;
    (void)worker;
    for (int k = begin; k < end; ++k) {
        const CnIslandLink* link = &blocks->islands->links.data[blocks->manifold[k]];
        unsigned moves = blocks->islands->moves.data[blocks->manifold[k]];
        int a = ((moves & 1u) != 0 ? link->body_a : link->body_b) / PART_BODIES;
        int b = ((moves & 2u) != 0 ? link->body_b : link->body_a) / PART_BODIES;
        blocks->low[k] = a < b ? a : b;
        blocks->high[k] = a < b ? b : a;
    }
}

static bool is_within_part(const UnitBlocks* blocks, int k) {
    return blocks->low[k] == blocks->high[k];
}

// Blocks within one part come before all others.
static int order_by_low(const UnitBlocks* blocks, int k) {
    return is_within_part(blocks, k) ? blocks->low[k] : blocks->parts + blocks->low[k];
}

static int order_by_high(const UnitBlocks* blocks, int k) {
    return blocks->high[k];
}

// Contacts in the order of a number below 2 parts; those of equal numbers stay as they are.
static void sort_by(int number(const UnitBlocks* blocks, int k), const UnitBlocks* blocks,
                    const int* from, int* to, int* next) {
    memset(next, 0, (2 * (size_t)blocks->parts + 1) * sizeof *next);
    for (int i = 0; i < blocks->count; ++i) {
        ++next[number(blocks, from[i]) + 1];
    }
    for (int n = 0; n < 2 * blocks->parts; ++n) {
        next[n + 1] += next[n];
    }
    for (int i = 0; i < blocks->count; ++i) {
        to[next[number(blocks, from[i])]++] = from[i];
    }
}

static bool is_same_block(const UnitBlocks* blocks, int i, int k) {
    return blocks->low[i] == blocks->low[k] && blocks->high[i] == blocks->high[k];
}

// Blocks are put together until a unit has enough contacts; those within parts apart from others.
static void cut_units(const UnitBlocks* blocks, CnSoftUnits* units) {
    const int* place = units->place;
    units->count = 0;
    units->start[0] = 0;
    for (int i = 1; i <= blocks->count; ++i) {
        bool is_full = i - units->start[units->count] >= UNIT_MANIFOLDS;
        if (i == blocks->count ||
            is_within_part(blocks, place[i - 1]) != is_within_part(blocks, place[i]) ||
            (is_full && !is_same_block(blocks, place[i - 1], place[i]))) {
            units->start[++units->count] = i;
        }
    }
}

// Contacts by blocks, each block in the order of pairs, and the units they are cut into. False: no
// memory.
static bool sort_contacts(CnWorld* world, int island, CnSoftUnits* units) {
    CnArena* arena = &world->arena;
    const CnIslandStore* islands = &world->islands;
    int count = manifolds_of(islands, island);
    UnitBlocks blocks = {
        .islands = islands,
        .manifold = islands->manifold.data + islands->manifold_start.data[island],
        .low = CN_ARENA_RAW(arena, int, count),
        .high = CN_ARENA_RAW(arena, int, count),
        .parts = world->bodies.count / PART_BODIES + 1,
        .count = count,
    };
    int* order = CN_ARENA_RAW(arena, int, count);
    int* next = CN_ARENA_RAW(arena, int, 2 * (size_t)blocks.parts + 1);
    if (blocks.low == NULL || blocks.high == NULL || order == NULL || next == NULL) {
        return false;
    }
    cn_tasks_for(&world->def.tasks, count, CONTACTS_PER_TASK, read_parts, &blocks);
    for (int k = 0; k < count; ++k) {
        units->place[k] = k;
    }
    sort_by(order_by_high, &blocks, units->place, order, next);
    sort_by(order_by_low, &blocks, order, units->place, next);
    cut_units(&blocks, units);
    for (int k = 0; k < count; ++k) {
        units->place[k] = blocks.manifold[units->place[k]];
    }
    return true;
}

// What units have bodies of.
typedef struct UnitReading {
    const CnWorld* world;
    CnSoftUnits* units;
    int* seen; // by each worker, of each body: one more than the last unit that had it
} UnitReading;

// Written in any case, and kept if it is new: no processor predicts which body is.
static void list_body(const UnitReading* reading, int unit, int* seen, int body) {
    CnSoftUnits* units = reading->units;
    units->body[2 * units->start[unit] + units->body_count[unit]] = body;
    units->body_count[unit] += seen[body] != unit + 1;
    seen[body] = unit + 1;
}

static void read_units(int begin, int end, int worker, void* data) {
    const UnitReading* reading = data;
    const CnWorld* world = reading->world;
    CnSoftUnits* units = reading->units;
    int* seen = reading->seen + (size_t)worker * (size_t)world->bodies.count;
    for (int unit = begin; unit < end; ++unit) {
        units->body_count[unit] = 0;
        units->is_driven[unit] = false;
        for (int k = units->start[unit]; k < units->start[unit + 1]; ++k) {
            const CnIslandLink* link = &world->islands.links.data[units->place[k]];
            const int bodies[2] = {link->body_a, link->body_b};
            unsigned moves = world->islands.moves.data[units->place[k]];
            for (int side = 0; side < 2; ++side) {
                if ((moves >> side & 1u) != 0) {
                    list_body(reading, unit, seen, bodies[side]);
                } else if (is_kinematic(world, bodies[side])) {
                    units->is_driven[unit] = true;
                }
            }
        }
    }
}

// The lowest level in which no other unit has one of these bodies; those beyond the last have a
// level for each unit.
static int find_level(const CnSoftUnits* units, int unit, int* extra) {
    const int* bodies = units->body + (size_t)(2 * units->start[unit]);
    uint64_t taken = 0;
    for (int k = 0; k < units->body_count[unit]; ++k) {
        taken |= units->levels[bodies[k]];
    }
    int level = taken == ~UINT64_C(0) ? MOST_LEVELS + (*extra)++ : __builtin_ctzll(~taken);
    uint64_t bit = UINT64_C(1) << (level < MOST_LEVELS ? level : MOST_LEVELS - 1);
    for (int k = 0; k < units->body_count[unit]; ++k) {
        units->levels[bodies[k]] |= bit;
    }
    return level;
}

static void sort_levels(CnSoftUnits* units) {
    int extra = 0, count = 0;
    for (int i = 0; i < units->count; ++i) {
        units->level[i] = find_level(units, i, &extra);
    }
    for (int level = 0; count < units->count; ++level) {
        for (int i = 0; i < units->count; ++i) {
            if (units->level[i] == level) {
                units->unit[count++] = i;
            }
        }
    }
}

bool cn_soft_find_units(CnWorld* world, int island, CnSoftUnits* units) {
    CnArena* arena = &world->arena;
    int contacts = manifolds_of(&world->islands, island);
    int bodies = world->bodies.count, workers = world->workspace_count;
    int most = contacts / UNIT_MANIFOLDS + 2;
    *units = (CnSoftUnits){
        .place = CN_ARENA_RAW(arena, int, contacts),
        .start = CN_ARENA_RAW(arena, int, most + 1),
        .unit = CN_ARENA_RAW(arena, int, most),
        .level = CN_ARENA_RAW(arena, int, most),
        .body = CN_ARENA_RAW(arena, int, 2 * (size_t)contacts),
        .body_count = CN_ARENA_RAW(arena, int, most),
        .is_driven = CN_ARENA_RAW(arena, bool, most),
        .levels = CN_ARENA_NEW(arena, uint64_t, bodies),
    };
    UnitReading reading = {world, units, CN_ARENA_NEW(arena, int, (size_t)bodies*(size_t)workers)};
    if (units->place == NULL || units->start == NULL || units->unit == NULL ||
        units->level == NULL || units->body == NULL || units->body_count == NULL ||
        units->is_driven == NULL || units->levels == NULL || reading.seen == NULL ||
        !sort_contacts(world, island, units)) {
        return false;
    }
    cn_tasks_for(&world->def.tasks, units->count, 1, read_units, &reading);
    sort_levels(units);
    return true;
}

// soft_units.c - scheme soft_step: the contacts of a large island in units that workers share.
#include "world/soft/soft_units.h"

#include "base/tasks.h"
#include "world/world.h"

// Contacts of a unit, at least, of bodies that follow each other; in ranges, so that what comes and
// goes leaves the other units as they are.
#define UNIT_MANIFOLDS 120
#define RANGE_BODIES 16
#define MOST_LEVELS 64

static int manifolds_of(const CnIslandStore* islands, int island) {
    return islands->manifold_start.data[island + 1] - islands->manifold_start.data[island];
}

static bool is_kinematic(const CnWorld* world, int body) {
    return body >= 0 && world->bodies.data[body].type == CN_BODY_KINEMATIC;
}

// The first movable body of the contact at a place; every contact of an island has one.
static int first_body_of(const CnIslandStore* islands, int place) {
    const CnIslandLink* link = &islands->links.data[place];
    unsigned moves = islands->moves.data[place];
    bool is_a = moves == 1u || (moves == 3u && link->body_a < link->body_b);
    return is_a ? link->body_a : link->body_b;
}

// Contacts that one task looks at.
#define CONTACTS_PER_TASK 512

typedef struct RangeReading {
    const CnIslandStore* islands;
    const int* manifold; // of the island   [contacts]
    int* range;          // of bodies that each belongs to
} RangeReading;

static void read_ranges(int begin, int end, int worker, void* data) {
    const RangeReading* reading = data;
    (void)worker;
    for (int k = begin; k < end; ++k) {
        reading->range[k] = first_body_of(reading->islands, reading->manifold[k]) / RANGE_BODIES;
    }
}

// Sorts contacts by ranges of bodies, first[r] .. first[r + 1], all of them in the order of pairs.
// False: no memory.
static bool sort_contacts(CnWorld* world, int island, int* first, int ranges, int* place) {
    const CnIslandStore* islands = &world->islands;
    int count = manifolds_of(islands, island);
    RangeReading reading = {
        .islands = islands,
        .manifold = islands->manifold.data + islands->manifold_start.data[island],
        .range = CN_ARENA_RAW(&world->arena, int, count),
    };
    if (reading.range == NULL) {
        return false;
    }
    cn_tasks_for(&world->def.tasks, count, CONTACTS_PER_TASK, read_ranges, &reading);
    for (int k = 0; k < count; ++k) {
        ++first[reading.range[k] + 2];
    }
    for (int r = 0; r < ranges; ++r) {
        first[r + 2] += first[r + 1];
    }
    for (int k = 0; k < count; ++k) {
        place[first[reading.range[k] + 1]++] = reading.manifold[k];
    }
    return true;
}

// Ranges are put together until a unit has enough contacts.
static void cut_units(const int* first, int ranges, CnSoftUnits* units) {
    units->count = 0;
    units->start[0] = 0;
    for (int r = 0; r < ranges; ++r) {
        int size = first[r + 1] - units->start[units->count];
        if (size >= UNIT_MANIFOLDS || (size > 0 && r == ranges - 1)) {
            units->start[++units->count] = first[r + 1];
        }
    }
}

// What units have bodies of.
typedef struct UnitReading {
    const CnWorld* world;
    CnSoftUnits* units;
    int* seen; // by each worker, of each body: one more than the last unit that had it
} UnitReading;

static void list_body(const UnitReading* reading, int unit, int* seen, int body) {
    CnSoftUnits* units = reading->units;
    if (seen[body] != unit + 1) {
        seen[body] = unit + 1;
        units->body[2 * units->start[unit] + units->body_count[unit]++] = body;
    }
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
    int bodies = world->bodies.count, ranges = bodies / RANGE_BODIES + 1;
    int workers = world->workspace_count;
    int most = contacts / UNIT_MANIFOLDS + 1;
    int* first = CN_ARENA_NEW(arena, int, ranges + 2);
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
    if (first == NULL || units->place == NULL || units->start == NULL || units->unit == NULL ||
        units->level == NULL || units->body == NULL || units->body_count == NULL ||
        units->is_driven == NULL || units->levels == NULL || reading.seen == NULL ||
        !sort_contacts(world, island, first, ranges, units->place)) {
        return false;
    }
    cut_units(first, ranges, units);
    cn_tasks_for(&world->def.tasks, units->count, 1, read_units, &reading);
    sort_levels(units);
    return true;
}

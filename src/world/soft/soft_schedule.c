// soft_schedule.c - who is solved with whom in scheme soft_step: groups, rows and lanes.
#include "world/soft/soft_store.h"

#include "world/contacts/manifolds.h"
#include "world/world.h"

#include <string.h>

// Manifolds of a group: 400 are 160 kB of tiles. A larger island is a group alone.
#define GROUP_MANIFOLDS 400

// Bodies of a group of those that nothing touches.
#define GROUP_BODIES 512

// Tiles of a group that still have free lanes; the oldest is closed for another.
#define OPEN_TILES 64

void cn_soft_store_free(CnSoftStore* store, const CnAllocator* allocator) {
    if (store == NULL) {
        return;
    }
    cn_array_free(&store->rows, allocator);
    cn_array_free(&store->masses, allocator);
    cn_array_free(&store->drifts, allocator);
    cn_array_free(&store->body, allocator);
    cn_array_free(&store->epoch, allocator);
    cn_array_free(&store->tiles, allocator);
    cn_array_free(&store->manifold, allocator);
    cn_array_free(&store->groups, allocator);
    cn_array_free(&store->listed, allocator);
    cn_array_free(&store->lane, allocator);
    cn_array_free(&store->renewed, allocator);
    cn_release(allocator, store);
}

CnSoftBodies cn_soft_bodies(const CnSoftStore* store, const CnSoftGroup* group) {
    return (CnSoftBodies){
        .rows = store->rows.data + group->first_body,
        .masses = store->masses.data + group->first_body,
        .drifts = store->drifts.data + group->first_body,
        .count = group->body_count,
    };
}

// A schedule on its way.
typedef struct Scheduling {
    CnWorld* world;
    CnSoftStore* store;
    CnSoftGroup group;
    int group_manifolds; // in it so far
    int* row;            // of each body in its group; CN_NONE: not yet   [bodies]
    uint64_t* tiles;     // open tiles that a body is in, as bits from `since` on   [bodies]
    int* since;          // tile of the lowest bit   [bodies]
    int oldest;          // the first open tile
    uint64_t full;       // bits from `oldest` on: tiles without a free lane
    bool failed;         // for want of memory
} Scheduling;

static bool moves(const CnWorld* world, int body) {
    return body >= 0 && world->bodies.data[body].type != CN_BODY_STATIC;
}

static void add_row(Scheduling* schedule, int body) {
    CnSoftStore* store = schedule->store;
    const CnAllocator* allocator = &schedule->world->allocator;
    schedule->failed = schedule->failed || !cn_array_push(&store->body, allocator, body);
    ++schedule->group.body_count;
}

static void begin_group(Scheduling* schedule, int island) {
    schedule->group = (CnSoftGroup){
        .first_body = schedule->store->body.count,
        .first_tile = schedule->store->tiles.count,
        .first_island = island,
    };
    schedule->group_manifolds = 0;
    schedule->oldest = schedule->store->tiles.count;
    schedule->full = 0;
    add_row(schedule, CN_NONE);
}

static void end_group(Scheduling* schedule) {
    while (schedule->group.body_count % CN_SOFT_LANES != 0) {
        add_row(schedule, CN_NONE);
    }
    schedule->failed =
        schedule->failed ||
        !cn_array_push(&schedule->store->groups, &schedule->world->allocator, schedule->group);
}

// Movable bodies are in one island only; a kinematic one has a row in each group that it is in.
static void add_island_bodies(Scheduling* schedule, int island) {
    const CnWorld* world = schedule->world;
    const CnIslandStore* islands = &world->islands;
    for (int k = islands->body_start.data[island]; k < islands->body_start.data[island + 1]; ++k) {
        int body = islands->body.data[k];
        bool is_new =
            schedule->row[body] < 0 || schedule->row[body] >= schedule->group.body_count ||
            schedule->store->body.data[schedule->group.first_body + schedule->row[body]] != body;
        if (moves(world, body) && is_new) {
            schedule->row[body] = schedule->group.body_count;
            schedule->tiles[body] = 0;
            schedule->since[body] = schedule->oldest;
            add_row(schedule, body);
        }
    }
}

// Open tiles that a body is in, from the oldest on; those that impulses do not move are in none.
static uint64_t tiles_with(const Scheduling* schedule, int body) {
    if (body < 0 || schedule->world->bodies.data[body].type != CN_BODY_DYNAMIC) {
        return 0;
    }
    int passed = schedule->oldest - schedule->since[body];
    return passed < OPEN_TILES ? schedule->tiles[body] >> passed : 0;
}

static void note_tile(Scheduling* schedule, int body, int tile) {
    if (body >= 0) {
        schedule->tiles[body] = tiles_with(schedule, body) | UINT64_C(1)
                                                                 << (tile - schedule->oldest);
        schedule->since[body] = schedule->oldest;
    }
}

static void add_tile(Scheduling* schedule) {
    CnSoftStore* store = schedule->store;
    const CnAllocator* allocator = &schedule->world->allocator;
    schedule->failed =
        schedule->failed || !cn_array_reserve(&store->tiles, allocator, store->tiles.count + 1) ||
        !cn_array_reserve(&store->manifold, allocator, CN_SOFT_LANES * (store->tiles.count + 1));
    if (schedule->failed) {
        return;
    }
    memset(&store->tiles.data[store->tiles.count++], 0, sizeof(CnSoftTile));
    for (int i = 0; i < CN_SOFT_LANES; ++i) {
        store->manifold.data[store->manifold.count++] = CN_NONE;
    }
    ++schedule->group.tile_count;
}

// The first open tile without these bodies that has a free lane; a new one if there is none.
static int find_tile(Scheduling* schedule, const int bodies[2]) {
    uint64_t taken = tiles_with(schedule, bodies[0]) | tiles_with(schedule, bodies[1]);
    uint64_t free = ~(taken | schedule->full);
    while (free == 0) { // none of the open ones will do
        ++schedule->oldest;
        schedule->full >>= 1;
        taken >>= 1;
        free = ~(taken | schedule->full);
    }
    int tile = schedule->oldest + __builtin_ctzll(free);
    while (tile >= schedule->store->tiles.count && !schedule->failed) {
        add_tile(schedule);
    }
    return tile;
}

static void add_lane(Scheduling* schedule, int manifold) {
    CnSoftStore* store = schedule->store;
    int bodies[2], lane = 0;
    cn_manifold_bodies(schedule->world, &schedule->world->pairs.manifolds.data[manifold], bodies);
    int tile = find_tile(schedule, bodies);
    if (schedule->failed) {
        return;
    }
    while (store->manifold.data[CN_SOFT_LANES * tile + lane] >= 0) {
        ++lane;
    }
    store->manifold.data[CN_SOFT_LANES * tile + lane] = manifold;
    store->lane.data[manifold] = CN_SOFT_LANES * tile + lane;
    for (int side = 0; side < 2; ++side) {
        note_tile(schedule, bodies[side], tile);
        store->tiles.data[tile].offset[side][lane] =
            moves(schedule->world, bodies[side])
                ? schedule->row[bodies[side]] * (int32_t)sizeof(CnSoftBody)
                : 0;
    }
    if (lane == CN_SOFT_LANES - 1) {
        schedule->full |= UINT64_C(1) << (tile - schedule->oldest);
    }
    ++schedule->group_manifolds;
}

static void add_island(Scheduling* schedule, int island) {
    const CnIslandStore* islands = &schedule->world->islands;
    add_island_bodies(schedule, island);
    for (int k = islands->manifold_start.data[island]; k < islands->manifold_start.data[island + 1];
         ++k) {
        add_lane(schedule, schedule->world->step.manifolds.data[islands->manifold.data[k]]);
    }
    ++schedule->group.island_count;
}

static void group_islands(Scheduling* schedule) {
    const CnIslandStore* islands = &schedule->world->islands;
    for (int i = 0; i < islands->count && !schedule->failed; ++i) {
        int count = islands->manifold_start.data[i + 1] - islands->manifold_start.data[i];
        bool has_room = i > 0 && schedule->group_manifolds + count <= GROUP_MANIFOLDS;
        if (i > 0 && !has_room) {
            end_group(schedule);
        }
        if (!has_room) {
            begin_group(schedule, i);
        }
        add_island(schedule, i);
    }
    if (islands->count > 0) {
        end_group(schedule);
    }
}

// Bodies in no island, in groups of their own.
static void group_others(Scheduling* schedule) {
    CnIndexList moving = cn_active_bodies(schedule->world);
    bool is_open = false;
    for (int k = 0; k < moving.count && !schedule->failed; ++k) {
        int body = cn_index_at(&moving, k);
        if (schedule->row[body] >= 0) {
            continue;
        }
        if (!is_open) {
            begin_group(schedule, schedule->world->islands.count);
        }
        add_row(schedule, body);
        is_open = schedule->group.body_count < GROUP_BODIES;
        if (!is_open) {
            end_group(schedule);
        }
    }
    if (is_open) {
        end_group(schedule);
    }
}

static bool reserve_rows(CnWorld* world) {
    CnSoftStore* store = world->soft;
    int count = store->body.count;
    const CnAllocator* allocator = &world->allocator;
    if (!cn_array_reserve(&store->rows, allocator, count) ||
        !cn_array_reserve(&store->masses, allocator, count) ||
        !cn_array_reserve(&store->drifts, allocator, count) ||
        !cn_array_reserve(&store->epoch, allocator, count)) {
        return false;
    }
    store->rows.count = store->masses.count = store->drifts.count = store->epoch.count = count;
    for (int i = 0; i < count; ++i) {
        store->rows.data[i] = (CnSoftBody){.turned = {0.0f, 0.0f, 0.0f, 1.0f}};
        store->masses.data[i] = (CnSoftMass){{0.0f}, 0.0f, 0.0f};
        store->drifts.data[i] = (CnSoftDrift){{0.0f}, {0.0f}};
        store->epoch.data[i] = 0;
    }
    return true;
}

CnStatus cn_soft_schedule(CnWorld* world) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    CnSoftStore* store = world->soft;
    int count = world->bodies.count;
    Scheduling schedule = {
        .world = world,
        .store = store,
        .row = CN_ARENA_RAW(&world->arena, int, count),
        .tiles = CN_ARENA_RAW(&world->arena, uint64_t, count),
        .since = CN_ARENA_RAW(&world->arena, int, count),
    };
    const CnIntArray* listed = &world->step.manifolds;
    schedule.failed =
        schedule.row == NULL || schedule.tiles == NULL || schedule.since == NULL ||
        !cn_array_copy(&store->listed, &world->allocator, listed) ||
        !cn_array_reserve(&store->lane, &world->allocator, world->pairs.manifolds.count);
    store->is_made = false;
    store->body.count = store->tiles.count = store->manifold.count = store->groups.count = 0;
    for (int i = 0; !schedule.failed && i < count; ++i) {
        schedule.row[i] = CN_NONE;
    }
    store->lane.count = 0;
    while (!schedule.failed && store->lane.count < world->pairs.manifolds.count) {
        store->lane.data[store->lane.count++] = CN_NONE;
    }
    if (!schedule.failed) {
        group_islands(&schedule);
        group_others(&schedule);
    }
    store->is_made = !schedule.failed && reserve_rows(world);
    store->islands = world->islands.rebuilds;
    store->active = world->active.version;
    cn_arena_release(&world->arena, mark);
    return store->is_made ? CN_OK : CN_NO_MEMORY;
}

bool cn_soft_is_scheduled(const CnWorld* world) {
    const CnSoftStore* store = world->soft;
    const CnIntArray* listed = &world->step.manifolds;
    return store->is_made && store->islands == world->islands.rebuilds &&
           store->active == world->active.version && store->listed.count == listed->count &&
           (listed->count == 0 || memcmp(store->listed.data, listed->data,
                                         (size_t)listed->count * sizeof *listed->data) == 0);
}

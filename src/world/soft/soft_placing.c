// soft_placing.c - scheme soft_step: which lanes of which tiles the contacts of a group get.
#include "world/soft/soft_placing.h"

#include "base/error.h"
#include "base/tasks.h"
#include "world/soft/soft_known.h"
#include "world/soft/soft_pack.h"
#include "world/world.h"

#include <stddef.h>
#include <string.h>

static int lane_index(const CnSoftStore* store, const CnSoftMember* member) {
    return store->is_per_point ? CN_SOFT_POINTS * member->manifold + member->point
                               : member->manifold;
}

void cn_soft_forget_tiles(CnWorld* world) {
    CnSoftStore* store = world->soft;
    cn_soft_flush(world);
    for (int i = 0; i < store->manifold.count; ++i) {
        if (store->manifold.data[i] >= 0) {
            cn_soft_wake_record(world, store->record.data[i]);
        }
    }
    store->run.was_ahead = false;
    store->slots.count = store->owner.count = store->manifold.count = store->point.count = 0;
    store->lane.count = 0;
    store->is_per_point = world->def.step.soft.friction_per_point;
}

static void* copy_of(CnArena* arena, const void* from, int count, size_t size) {
    void* copy = cn_arena_allocate_raw(arena, (size_t)count, size);
    if (copy != NULL && count > 0) {
        memcpy(copy, from, (size_t)count * size);
    }
    return copy;
}

bool cn_soft_begin_placing(CnWorld* world, bool carries, CnSoftPlacing* placing) {
    CnSoftStore* store = world->soft;
    if (!carries) {
        cn_soft_forget_tiles(world);
    }
    int points = store->is_per_point ? CN_SOFT_POINTS : 1;
    int lanes = world->pairs.manifolds.count * points;
    int groups = carries ? store->groups.count : 0, members = carries ? store->members.count : 0;
    int rows = carries ? store->body.count : 0;
    CnArena* arena = &world->arena;
    *placing = (CnSoftPlacing){
        .world = world,
        .old_groups = copy_of(arena, store->groups.data, groups, sizeof(CnSoftGroup)),
        .old_members = copy_of(arena, store->members.data, members, sizeof(CnSoftMember)),
        .old_body = copy_of(arena, store->body.data, rows, sizeof(int)),
        .old_group_count = groups,
        .old_row_count = rows,
        .most = world->step.manifolds.count * points,
        .carries = carries,
    };
    placing->place = CN_ARENA_RAW(arena, int, placing->most);
    placing->slot = CN_ARENA_RAW(arena, int, placing->most);
    placing->packings = CN_ARENA_RAW(arena, CnLanePacking, world->workspace_count);
    if (placing->old_groups == NULL || placing->old_members == NULL || placing->old_body == NULL ||
        placing->place == NULL || placing->slot == NULL || placing->packings == NULL ||
        !cn_array_reserve(&store->lane, &world->allocator, lanes)) {
        return false;
    }
    for (int i = 0; i < world->workspace_count; ++i) {
        if (!cn_lane_packing_init(&placing->packings[i], world->bodies.count, arena)) {
            return false;
        }
    }
    while (store->lane.count < lanes) {
        store->lane.data[store->lane.count++] = CN_NONE;
    }
    return true;
}

// ---- groups as they were ----

// The group before that had all members of this one, and no others, in their order. CN_NONE: none.
static int find_old(const CnSoftPlacing* placing, const CnSoftGroup* group) {
    const CnSoftStore* store = placing->world->soft;
    const CnSoftMember* members = store->members.data + group->first_member;
    int lane = placing->carries ? store->lane.data[lane_index(store, members)] : CN_NONE;
    if (lane < 0) {
        return CN_NONE;
    }
    int index = store->owner.data[lane / CN_SOFT_LANES];
    const CnSoftGroup* old = &placing->old_groups[index];
    bool is_same = old->member_count == group->member_count &&
                   memcmp(placing->old_members + old->first_member, members,
                          (size_t)group->member_count * sizeof *members) == 0;
    return is_same ? index : CN_NONE;
}

// ---- tiles ----

// CN_NONE: impulses do not move it.
static int movable(const CnSoftMember* member, int side) {
    return (member->moves >> side & 1) != 0 ? member->body[side] : CN_NONE;
}

// Slots of the tile that a member is in.
static int slots_for(const CnSoftStore* store, const CnSoftMember* member) {
    return member->single ? 1 : store->has_singles ? 2 : CN_SOFT_MOST_SLOTS;
}

// Returns how many slots the tiles of a group need, and where in them its members go.
static int pack(const CnSoftPlacing* placing, const CnSoftGroup* group, CnLanePacking* packing) {
    const CnSoftStore* store = placing->world->soft;
    const CnSoftMember* members = store->members.data + group->first_member;
    int* place = placing->place + group->first_member;
    int* slot = placing->slot + group->first_member; // of each tile, as it is first met in `place`
    int tiles = 0, slots = 0;
    cn_lane_packing_close(packing);
    int first = packing->tile_count;
    for (int i = 0; i < group->member_count; ++i) {
        int a = movable(&members[i], 0), b = movable(&members[i], 1);
        place[i] = cn_lane_packing_add(packing, a, b, members[i].single != 0);
        int tile = place[i] / CN_SOFT_LANES - first;
        if (tile >= tiles) { // the next one: tiles are opened one after the other
            slot[tiles++] = slots;
            slots += slots_for(store, &members[i]);
        }
        place[i] = CN_SOFT_LANES * slot[tile] + place[i] % CN_SOFT_LANES;
    }
    return slots;
}

static void pack_range(int begin, int end, int worker, void* data) {
    const CnSoftPlacing* placing = data;
    for (int i = begin; i < end; ++i) {
        CnSoftGroup* group = &placing->world->soft->groups.data[i];
        placing->old[i] = group->member_count > 0 ? find_old(placing, group) : CN_NONE;
        if (group->member_count > 0 && placing->old[i] < 0) {
            group->slot_count = pack(placing, group, &placing->packings[worker]);
        }
    }
}

// Free slots that lie together, the first ones from the last find on, else behind all others.
static int find_free(const CnSoftPlacing* placing, int count) {
    const CnIntArray* owner = &placing->world->soft->owner;
    int first = placing->free, end = first;
    while (end < owner->count && end - first < count) {
        first = owner->data[end] >= 0 ? end + 1 : first;
        ++end;
    }
    return first;
}

static bool reserve_slots(CnWorld* world, int count) {
    CnSoftStore* store = world->soft;
    const CnAllocator* allocator = &world->allocator;
    int lanes = CN_SOFT_LANES * count;
    if (!cn_array_reserve(&store->slots, allocator, count) ||
        !cn_array_reserve(&store->owner, allocator, count) ||
        !cn_array_reserve(&store->manifold, allocator, lanes) ||
        !cn_array_reserve(&store->record, allocator, lanes) ||
        (store->is_per_point && !cn_array_reserve(&store->point, allocator, lanes))) {
        return false;
    }
    while (store->owner.count < count) {
        store->owner.data[store->owner.count++] = CN_NONE;
    }
    while (store->manifold.count < lanes) {
        store->manifold.data[store->manifold.count++] = CN_NONE;
    }
    store->slots.count = store->owner.count;
    store->record.count = store->manifold.count;
    store->point.count = store->is_per_point ? store->manifold.count : 0;
    return true;
}

// Free slots for a group, or those of the group that it was.
static bool take_slots(CnSoftPlacing* placing, int index) {
    CnSoftStore* store = placing->world->soft;
    CnSoftGroup* group = &store->groups.data[index];
    if (placing->old[index] >= 0) {
        CnSoftGroup* old = &placing->old_groups[placing->old[index]];
        group->first_slot = old->first_slot;
        group->slot_count = old->slot_count;
        old->slot_count = 0;
    } else {
        int first = find_free(placing, group->slot_count), end = first + group->slot_count;
        if (!reserve_slots(placing->world, end > store->slots.count ? end : store->slots.count)) {
            return false;
        }
        placing->free = end;
        group->first_slot = first;
    }
    for (int i = group->first_slot; i < cn_soft_end_slot(group); ++i) {
        store->owner.data[i] = index;
    }
    return true;
}

// ---- lanes ----

// Rows of a tile that follow each other.
typedef struct TileRows {
    size_t first; // [byte]
    size_t count;
} TileRows;

// Rows of several members, from one of them to another, both included.
#define LANE_BYTES sizeof(float[CN_SOFT_LANES])
#define ROWS(from, to)                                                                             \
    {                                                                                              \
        offsetof(CnSoftTile, from),                                                                \
            (offsetof(CnSoftTile, to) - offsetof(CnSoftTile, from)) / LANE_BYTES + 1               \
    }

// What is set when a manifold enters its lane, and impulses; by slots of tiles.
static const TileRows lane_rows[] = {
    ROWS(belt, restitution),
    ROWS(friction, arm[1][2]),
    ROWS(slide, slide.total[1]),
    ROWS(point[0].gap, point[0].gap),
    ROWS(point[0].push, point[0].push.total),
    ROWS(point[1].gap, point[1].gap),
    ROWS(point[1].push, point[1].push.total),
    ROWS(point[2].gap, point[2].gap),
    ROWS(point[2].push, point[2].push.total),
    ROWS(point[3].gap, point[3].gap),
    ROWS(point[3].push, point[3].push.total),
    ROWS(u, w[3]),
    ROWS(twist, twist.total),
    ROWS(torsion, rolling),
    ROWS(roll, roll.total[1]),
};
static const int rows_of_slots[CN_SOFT_MOST_SLOTS] = {5, 13, 15};

static float* row_at(const CnSoftTile* tile, size_t byte) {
    return (float*)((uintptr_t)tile + byte);
}

// What a lane would be loaded with is in another one, with the same bits.
static void carry_lane(const CnSoftTile* from, int lane, CnSoftTile* to, int to_lane) {
    CN_ASSERT(from->slots == to->slots);
    for (int k = 0; k < rows_of_slots[to->slots - 1]; ++k) {
        const float* source = row_at(from, lane_rows[k].first) + lane;
        float* target = row_at(to, lane_rows[k].first) + to_lane;
        for (size_t i = 0; i < lane_rows[k].count; ++i) {
            target[CN_SOFT_LANES * i] = source[CN_SOFT_LANES * i];
        }
    }
    to->has_belt = to->has_belt || to->belt[0][to_lane] != 0.0f || to->belt[1][to_lane] != 0.0f;
    to->has_bounce = to->has_bounce || to->restitution[to_lane] > 0.0f;
    to->has_rolling =
        to->has_rolling || (to->slots == CN_SOFT_MOST_SLOTS && to->rolling[to_lane] > 0.0f);
    to->touching = (uint8_t)(to->touching | ((unsigned)from->touching >> lane & 1u) << to_lane);
    for (int i = 0; i < CN_SOFT_POINTS; ++i) {
        to->exists[i] =
            (uint8_t)(to->exists[i] | ((unsigned)from->exists[i] >> lane & 1u) << to_lane);
    }
}

// All that a lane without a contact must not have, and that prepare() and sweeps do not set.
static void clear_tile(CnSoftTile* tile, int slots, bool is_single) {
    tile->slots = (uint8_t)slots;
    tile->is_single = is_single;
    for (int k = 0; k < rows_of_slots[slots - 1]; ++k) {
        memset(row_at(tile, lane_rows[k].first), 0, lane_rows[k].count * LANE_BYTES);
    }
    tile->has_belt = tile->has_rolling = tile->has_bounce = 0;
    tile->fresh = tile->touching = tile->turned = 0;
    memset(tile->exists, 0, sizeof tile->exists);
    tile->is_stale = 1;
}

// A member is the first one in its tile if it is in the first lane.
static void clear_tiles(const CnSoftPlacing* placing, const CnSoftGroup* group) {
    const CnSoftStore* store = placing->world->soft;
    for (int i = group->first_member; i < group->first_member + group->member_count; ++i) {
        const CnSoftMember* member = &store->members.data[i];
        if (placing->place[i] % CN_SOFT_LANES == 0) {
            int slot = group->first_slot + placing->place[i] / CN_SOFT_LANES;
            clear_tile(cn_soft_tile_at(store, slot), slots_for(store, member), member->single != 0);
        }
    }
}

static void fill_tiles(const CnSoftPlacing* placing, const CnSoftGroup* group) {
    const CnSoftStore* store = placing->world->soft;
    clear_tiles(placing, group);
    for (int i = group->first_member; i < group->first_member + group->member_count; ++i) {
        const CnSoftMember* member = &store->members.data[i];
        int place = CN_SOFT_LANES * group->first_slot + placing->place[i];
        int* lane = &store->lane.data[lane_index(store, member)];
        CnSoftTile* tile = cn_soft_tile_of(store, place);
        if (*lane >= 0 && cn_soft_keeps_lane(placing->world, member->manifold)) {
            carry_lane(cn_soft_tile_of(store, *lane), *lane % CN_SOFT_LANES, tile,
                       place % CN_SOFT_LANES);
        } else {
            tile->fresh = (uint8_t)(tile->fresh | 1u << place % CN_SOFT_LANES);
        }
        *lane = place;
        store->manifold.data[place] = member->manifold;
        store->record.data[place] = cn_soft_record_of(placing->world, member->manifold);
        if (store->is_per_point) {
            store->point.data[place] = member->point;
        }
    }
}

// A kinematic body has a row in each group that it is in.
static int row_of(const CnSoftPlacing* placing, const CnSoftGroup* group,
                  const CnSoftMember* member, int side) {
    const CnWorld* world = placing->world;
    int body = member->body[side];
    if (movable(member, side) >= 0) {
        return placing->row[body];
    }
    if (body < 0 || world->bodies.data[body].type == CN_BODY_STATIC) {
        return group->first_body - group->base;
    }
    int row = group->first_body, end = group->first_body + group->body_count;
    while (row < end && world->soft->body.data[row] != body) {
        ++row;
    }
    CN_ASSERT(row < end);
    return row - group->base;
}

// Rows of bodies are those of this schedule. Lanes without a contact read and write the row of what
// does not move: that of the group itself, as groups of one level are swept side by side.
static void set_offsets(const CnSoftPlacing* placing, const CnSoftGroup* group) {
    const CnSoftStore* store = placing->world->soft;
    int fixed = group->first_body - group->base;
    int slots = 0;
    for (int i = group->first_slot; i < cn_soft_end_slot(group); i += slots) {
        CnSoftTile* tile = cn_soft_tile_at(store, i);
        slots = tile->slots;
        for (int lane = 0; lane < CN_SOFT_LANES; ++lane) {
            tile->offset[0][lane] = tile->offset[1][lane] = fixed * (int32_t)sizeof(CnSoftBody);
        }
    }
    for (int i = 0; i < group->member_count; ++i) {
        const CnSoftMember* member = &store->members.data[group->first_member + i];
        int place = store->lane.data[lane_index(store, member)];
        for (int side = 0; side < 2; ++side) {
            cn_soft_tile_of(store, place)->offset[side][place % CN_SOFT_LANES] =
                row_of(placing, group, member, side) * (int32_t)sizeof(CnSoftBody);
        }
    }
}

// Whether a group has the tiles that it had, of bodies in the rows that they had.
static bool keeps_offsets(const CnSoftPlacing* placing, int index) {
    const CnSoftGroup* group = &placing->world->soft->groups.data[index];
    if (placing->old[index] < 0 || !placing->has_same_rows) {
        return false;
    }
    const CnSoftGroup* old = &placing->old_groups[placing->old[index]];
    return old->base == group->base && old->first_body == group->first_body;
}

// Tiles of groups before are only read, and those that a group takes are its own.
static void fill_range(int begin, int end, int worker, void* data) {
    const CnSoftPlacing* placing = data;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        const CnSoftGroup* group = &placing->world->soft->groups.data[i];
        if (group->member_count > 0 && placing->old[i] < 0) {
            fill_tiles(placing, group);
        }
        if (group->member_count > 0 && !keeps_offsets(placing, i)) {
            set_offsets(placing, group);
        }
    }
}

// Room for the tiles of all new groups at once, no more than the first ones need: moving tiles to a
// larger place costs a long frame.
static bool reserve_tiles(const CnSoftPlacing* placing) {
    const CnSoftStore* store = placing->world->soft;
    int wanted = 0;
    for (int i = 0; i < store->groups.count; ++i) {
        wanted += store->groups.data[i].slot_count;
    }
    return reserve_slots(placing->world, wanted > store->slots.count ? wanted : store->slots.count);
}

bool cn_soft_place_groups(CnSoftPlacing* placing, const int* row) {
    const CnSoftStore* store = placing->world->soft;
    const CnTasks* tasks = &placing->world->def.tasks;
    int count = store->groups.count;
    placing->row = row;
    int bodies = store->body.count;
    placing->has_same_rows = placing->old_row_count == bodies;
    if (placing->has_same_rows && bodies > 0) {
        placing->has_same_rows =
            memcmp(placing->old_body, store->body.data, (size_t)bodies * sizeof(int)) == 0;
    }
    placing->old = CN_ARENA_RAW(&placing->world->arena, int, count);
    bool ok = placing->old != NULL;
    if (ok) {
        cn_tasks_for(tasks, count, 1, pack_range, placing);
        ok = reserve_tiles(placing);
    }
    for (int i = 0; ok && i < count; ++i) {
        ok = store->groups.data[i].member_count == 0 || take_slots(placing, i);
    }
    if (ok) {
        cn_tasks_for(tasks, count, 1, fill_range, placing);
    }
    return ok;
}

// One who was here and is in no other lane has its impulses from now on.
static void leave_lane(CnWorld* world, int place) {
    CnSoftStore* store = world->soft;
    int manifold = store->manifold.data[place];
    if (manifold >= 0 && store->lane.data[manifold] == place) {
        if (store->is_ahead && cn_soft_has_lane(world, manifold)) {
            cn_soft_flush_lane(world, place);
        }
        store->lane.data[manifold] = CN_NONE;
        cn_soft_wake_record(world, store->record.data[place]);
    }
    store->manifold.data[place] = CN_NONE;
}

void cn_soft_end_placing(CnSoftPlacing* placing) {
    CnSoftStore* store = placing->world->soft;
    for (int i = 0; i < placing->old_group_count; ++i) {
        const CnSoftGroup* old = &placing->old_groups[i];
        for (int slot = old->first_slot; slot < cn_soft_end_slot(old); ++slot) {
            for (int lane = 0; lane < CN_SOFT_LANES; ++lane) {
                leave_lane(placing->world, CN_SOFT_LANES * slot + lane);
            }
            store->owner.data[slot] = CN_NONE;
        }
    }
    while (store->owner.count > 0 && store->owner.data[store->owner.count - 1] < 0) {
        --store->owner.count;
    }
    store->slots.count = store->owner.count;
    store->manifold.count = CN_SOFT_LANES * store->slots.count;
    store->point.count = store->is_per_point ? store->manifold.count : 0;
}

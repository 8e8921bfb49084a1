// soft_schedule.c - who is solved with whom in scheme soft_step: groups, rows and lanes.
#include "world/soft/soft_store.h"

#include "base/error.h"
#include "base/tasks.h"
#include "solvers/soft/lane_packing.h"
#include "world/soft/exact_island.h"
#include "world/soft/soft_joints.h"
#include "world/soft/soft_placing.h"
#include "world/soft/soft_trees.h"
#include "world/soft/soft_units.h"
#include "world/world.h"

#include <string.h>

// Manifolds of a group: 400 are 200 kB of tiles. A larger island is a group alone.
#define GROUP_MANIFOLDS 400

// An island with more is cut into units.
#define LARGE_ISLAND 2000

// In place of the row of a body: its island is solved exactly. CN_NONE: none yet.
#define IS_EXACT (-2)

// Bodies of a group of those that nothing touches, and of one of a large island: this has some
// twenty, which workers share evenly.
#define GROUP_BODIES 512
#define TEAM_BODIES 128

void cn_soft_store_free(CnSoftStore* store, const CnAllocator* allocator) {
    if (store == NULL) {
        return;
    }
    cn_array_free(&store->rows, allocator);
    cn_array_free(&store->masses, allocator);
    cn_array_free(&store->drifts, allocator);
    cn_array_free(&store->body, allocator);
    cn_array_free(&store->epoch, allocator);
    cn_array_free(&store->calm, allocator);
    cn_array_free(&store->slots, allocator);
    cn_array_free(&store->owner, allocator);
    cn_array_free(&store->members, allocator);
    cn_array_free(&store->manifold, allocator);
    cn_array_free(&store->record, allocator);
    cn_array_free(&store->point, allocator);
    cn_array_free(&store->joint_tiles, allocator);
    cn_array_free(&store->joint, allocator);
    cn_array_free(&store->blocks, allocator);
    cn_array_free(&store->block, allocator);
    cn_array_free(&store->posed, allocator);
    cn_array_free(&store->links, allocator);
    cn_array_free(&store->groups, allocator);
    cn_array_free(&store->listed, allocator);
    cn_array_free(&store->lane, allocator);
    cn_array_free(&store->renewed, allocator);
    cn_array_free(&store->stirred, allocator);
    cn_array_free(&store->looks, allocator);
    cn_array_free(&store->known, allocator);
    cn_array_free(&store->only, allocator);
    cn_array_free(&store->notes, allocator);
    cn_array_free(&store->exact, allocator);
    cn_array_free(&store->exact_gaps, allocator);
    cn_release(allocator, store);
}

static CnSoftBodies bodies_from(const CnSoftStore* store, int first, int count) {
    return (CnSoftBodies){
        .rows = store->rows.data + first,
        .masses = store->masses.data + first,
        .drifts = store->drifts.data + first,
        .count = count,
    };
}

CnSoftLanes cn_soft_lanes_of(const CnWorld* world, int manifold) {
    if (!world->soft->is_per_point) {
        return (CnSoftLanes){manifold, 1};
    }
    return (CnSoftLanes){CN_SOFT_POINTS * manifold, cn_manifold_at(&world->pairs, manifold)->count};
}

CnSoftLanes cn_soft_points_of(const CnWorld* world, int lane) {
    const CnSoftStore* store = world->soft;
    if (store->is_per_point) {
        return (CnSoftLanes){store->point.data[lane], 1};
    }
    return (CnSoftLanes){0, cn_manifold_at(&world->pairs, store->manifold.data[lane])->count};
}

CnSoftBodies cn_soft_bodies(const CnSoftStore* store, const CnSoftGroup* group) {
    return bodies_from(store, group->base, group->first_body + group->body_count - group->base);
}

CnSoftBodies cn_soft_own_bodies(const CnSoftStore* store, const CnSoftGroup* group) {
    return bodies_from(store, group->first_body, group->body_count);
}

// A schedule on its way.
typedef struct Scheduling {
    CnWorld* world;
    CnSoftStore* store;
    CnSoftGroup group;
    int group_manifolds; // in it so far, and joints
    int* row;            // of each body, from the base of its group; CN_NONE: not yet   [bodies]
    CnSoftPlacing placing;
    CnLanePacking joints;
    bool failed; // for want of memory
} Scheduling;

static bool moves(const CnWorld* world, int body) {
    return body >= 0 && world->bodies.data[body].type != CN_BODY_STATIC;
}

static void add_row(Scheduling* schedule, int body) {
    CnSoftStore* store = schedule->store;
    const CnBody* own = body < 0 ? NULL : &schedule->world->bodies.data[body];
    if (own != NULL && cn_body_is_damped(own)) {
        store->damped_dt = schedule->world->step.dt;
    }
    if (store->body.count == store->body.capacity) {
        schedule->failed =
            schedule->failed ||
            !cn_array_reserve(&store->body, &schedule->world->allocator, store->body.count + 1);
    }
    if (!schedule->failed) {
        store->body.data[store->body.count++] = body;
    }
    ++schedule->group.body_count;
}

// base: of the team it joins; CN_NONE: none.
static void begin_group(Scheduling* schedule, int base) {
    schedule->group = (CnSoftGroup){
        .base = base < 0 ? schedule->store->body.count : base,
        .first_body = schedule->store->body.count,
        .first_member = schedule->store->members.count,
        .first_joint_tile = schedule->store->joint_tiles.count,
        .first_block = schedule->store->blocks.count,
        .first_link = schedule->store->links.count,
        .team = base < 0 ? 1 : 0,
    };
    schedule->group_manifolds = 0;
    cn_lane_packing_close(&schedule->joints);
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

static void add_body(Scheduling* schedule, int body) {
    schedule->row[body] = schedule->store->body.count - schedule->group.base;
    add_row(schedule, body);
}

// Whether a kinematic body has no row in the present group yet: it has one in each that it is in.
static bool is_absent(const Scheduling* schedule, int body) {
    int row = schedule->row[body] + schedule->group.base;
    return schedule->row[body] < 0 || row < schedule->group.first_body ||
           row >= schedule->store->body.count || schedule->store->body.data[row] != body;
}

static bool is_dynamic(const Scheduling* schedule, int body) {
    return schedule->world->bodies.data[body].type == CN_BODY_DYNAMIC;
}

static bool is_kinematic(const Scheduling* schedule, int body) {
    return moves(schedule->world, body) && !is_dynamic(schedule, body);
}

// Movable bodies are in one island only.
static void add_island_bodies(Scheduling* schedule, int island) {
    const CnIslandStore* islands = &schedule->world->islands;
    for (int k = islands->body_start.data[island]; k < islands->body_start.data[island + 1]; ++k) {
        int body = islands->body.data[k];
        if (is_dynamic(schedule, body) ||
            (is_kinematic(schedule, body) && is_absent(schedule, body))) {
            add_body(schedule, body);
        }
    }
}

// All manifolds act: the links of islands are those of the step's manifolds, in their order.
static CnSoftMember member_at(const CnWorld* world, int place, int point) {
    const CnSoftStore* store = world->soft;
    const CnIslandLink* link = &world->islands.links.data[place];
    int points = world->step.notes.data[place].contacts;
    CN_ASSERT(link->place == place);
    return (CnSoftMember){
        .manifold = world->step.manifolds.data[place],
        .point = (int16_t)point,
        .moves = (int8_t)world->islands.moves.data[place],
        .single = store->has_singles && (points == 1 || store->is_per_point),
        .body = {link->body_a, link->body_b},
    };
}

static void add_members(Scheduling* schedule, int place) {
    CnSoftStore* store = schedule->store;
    const CnWorld* world = schedule->world;
    int count = store->is_per_point ? world->step.notes.data[place].contacts : 1;
    for (int i = 0; i < count && !schedule->failed; ++i) {
        schedule->failed =
            !cn_array_push(&store->members, &world->allocator, member_at(world, place, i));
        ++schedule->group.member_count;
        ++schedule->group_manifolds;
    }
}

// ---- joints ----

static int row_of(const Scheduling* schedule, int body) {
    return moves(schedule->world, body) ? schedule->row[body] : 0;
}

static int movable(const CnWorld* world, int body) {
    return body >= 0 && world->bodies.data[body].type == CN_BODY_DYNAMIC ? body : CN_NONE;
}

static void add_joint_tile(Scheduling* schedule, bool is_hinge) {
    CnSoftStore* store = schedule->store;
    const CnAllocator* allocator = &schedule->world->allocator;
    int count = store->joint_tiles.count + 1;
    schedule->failed = schedule->failed ||
                       !cn_array_reserve(&store->joint_tiles, allocator, count) ||
                       !cn_array_reserve(&store->joint, allocator, CN_SOFT_LANES * count);
    if (schedule->failed) {
        return;
    }
    CnSoftJointTile* tile = &store->joint_tiles.data[store->joint_tiles.count++];
    memset(tile, 0, sizeof *tile);
    tile->is_hinge = is_hinge;
    for (int i = 0; i < CN_SOFT_LANES; ++i) {
        store->joint.data[store->joint.count++] = CN_NONE;
    }
    ++schedule->group.joint_tile_count;
}

static void add_joint_lane(Scheduling* schedule, int index, bool is_hinge) {
    CnSoftStore* store = schedule->store;
    const CnBlock* block = &schedule->world->step.rows.blocks.data[index];
    int a = movable(schedule->world, block->body_a), b = movable(schedule->world, block->body_b);
    int place = cn_lane_packing_add(&schedule->joints, a, b, is_hinge);
    int tile = place / CN_SOFT_LANES, lane = place % CN_SOFT_LANES;
    if (tile >= store->joint_tiles.count) {
        add_joint_tile(schedule, is_hinge);
    }
    if (!schedule->failed) {
        const int bodies[2] = {block->body_a, block->body_b};
        store->joint.data[place] = index;
        ++schedule->group_manifolds;
        for (int side = 0; side < 2; ++side) {
            store->joint_tiles.data[tile].offset[side][lane] =
                row_of(schedule, bodies[side]) * (int32_t)sizeof(CnSoftBody);
        }
    }
}

static void add_block(Scheduling* schedule, int index) {
    CnSoftStore* store = schedule->store;
    const CnAllocator* allocator = &schedule->world->allocator;
    const CnBlock* source = &schedule->world->step.rows.blocks.data[index];
    CnSoftBlock block = {
        .body = {row_of(schedule, source->body_a), row_of(schedule, source->body_b)},
        .row_count = source->row_count,
    };
    schedule->failed = schedule->failed || !cn_array_push(&store->blocks, allocator, block) ||
                       !cn_array_push(&store->block, allocator, index);
    ++schedule->group.block_count;
    ++schedule->group_manifolds;
}

// Trees of joints that sweeps would not hold are solved as such; all other joints are swept.
static void add_island_joints(Scheduling* schedule, int island) {
    const CnIslandStore* islands = &schedule->world->islands;
    int first = islands->block_start.data[island], end = islands->block_start.data[island + 1];
    bool is_tree = false;
    if (first == end || schedule->failed) { // trees read the rows of bodies
        return;
    }
    if (cn_soft_trees_add(schedule->world, island, schedule->row, &schedule->group, &is_tree) !=
        CN_OK) {
        schedule->failed = true;
    }
    for (int k = first; k < end; ++k) {
        int block = islands->block.data[k];
        if (is_tree && cn_soft_trees_take(schedule->world, block)) {
            ++schedule->group_manifolds;
            continue;
        }
        CnSoftJointForm form = cn_soft_joint_form(schedule->world, block);
        if (form == CN_SOFT_FORM_BLOCK) {
            add_block(schedule, block);
        } else {
            add_joint_lane(schedule, block, form == CN_SOFT_FORM_HINGE);
        }
    }
}

static int manifolds_of(const CnIslandStore* islands, int island) {
    return islands->manifold_start.data[island + 1] - islands->manifold_start.data[island];
}

static int rows_of(const CnIslandStore* islands, int island) {
    return manifolds_of(islands, island) + islands->block_start.data[island + 1] -
           islands->block_start.data[island];
}

static void add_island(Scheduling* schedule, int island) {
    const CnIslandStore* islands = &schedule->world->islands;
    add_island_bodies(schedule, island);
    for (int k = islands->manifold_start.data[island]; k < islands->manifold_start.data[island + 1];
         ++k) {
        add_members(schedule, islands->manifold.data[k]);
    }
    add_island_joints(schedule, island);
}

// ---- large islands ----

// The movable bodies of a team in the order of bodies, so that rows stay theirs, in groups without
// contacts.
static void add_team_bodies(Scheduling* schedule, const CnSoftUnits* units, int base) {
    int count = schedule->world->bodies.count;
    begin_group(schedule, base);
    for (int body = 0; body < count && !schedule->failed; ++body) {
        if (units->levels[body] == 0) {
            continue;
        }
        if (schedule->group.body_count >= TEAM_BODIES) {
            end_group(schedule);
            begin_group(schedule, base);
        }
        add_body(schedule, body);
    }
    end_group(schedule);
}

// The members of a unit are written later by all workers, where each contact has one.
static void add_unit(Scheduling* schedule, const CnSoftUnits* units, int unit, int base) {
    CnSoftStore* store = schedule->store;
    int count = units->start[unit + 1] - units->start[unit];
    begin_group(schedule, base);
    schedule->group.level = units->level[unit] + 1;
    bool is_looked_at = units->is_driven[unit] || store->is_per_point;
    for (int k = units->start[unit]; is_looked_at && k < units->start[unit + 1]; ++k) {
        const CnIslandLink* link = &schedule->world->islands.links.data[units->place[k]];
        const int bodies[2] = {link->body_a, link->body_b};
        unsigned moves = schedule->world->islands.moves.data[units->place[k]];
        for (int side = 0; moves != 3u && side < 2; ++side) {
            if (is_kinematic(schedule, bodies[side]) && is_absent(schedule, bodies[side])) {
                add_body(schedule, bodies[side]);
            }
        }
        if (store->is_per_point) {
            add_members(schedule, units->place[k]);
        }
    }
    if (!store->is_per_point) {
        schedule->group.member_count = count;
        store->members.count += count;
    }
    end_group(schedule);
}

typedef struct UnitFilling {
    const CnWorld* world;
    const CnSoftUnits* units;
    int first; // of the groups that have their members, in the order of units
} UnitFilling;

static void fill_units_range(int begin, int end, int worker, void* data) {
    const UnitFilling* filling = data;
    const CnSoftStore* store = filling->world->soft;
    const CnSoftUnits* units = filling->units;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        int start = units->start[units->unit[i]];
        const CnSoftGroup* group = &store->groups.data[filling->first + i];
        for (int k = 0; k < group->member_count; ++k) {
            store->members.data[group->first_member + k] =
                member_at(filling->world, units->place[start + k], 0);
        }
    }
}

static void fill_units(const Scheduling* schedule, const CnSoftUnits* units) {
    UnitFilling filling = {schedule->world, units, schedule->store->groups.count - units->count};
    cn_tasks_for(&schedule->world->def.tasks, units->count, 1, fill_units_range, &filling);
}

static void add_large_island(Scheduling* schedule, int island) {
    CnArenaMark mark = cn_arena_mark(&schedule->world->arena);
    CnSoftStore* store = schedule->store;
    int base = store->body.count, team = store->groups.count;
    int most = store->members.count + manifolds_of(&schedule->world->islands, island);
    CnSoftUnits units;
    schedule->failed = schedule->failed || !cn_soft_find_units(schedule->world, island, &units) ||
                       !cn_array_reserve(&store->members, &schedule->world->allocator, most);
    if (!schedule->failed) {
        add_team_bodies(schedule, &units, base);
    }
    for (int i = 0; !schedule->failed && i < units.count; ++i) {
        add_unit(schedule, &units, units.unit[i], base);
    }
    if (!schedule->failed) {
        store->groups.data[team].team = store->groups.count - team;
    }
    if (!schedule->failed && !store->is_per_point) {
        fill_units(schedule, &units);
    }
    cn_arena_release(&schedule->world->arena, mark);
}

// Joints keep their islands whole.
static bool is_large(const CnIslandStore* islands, int island) {
    bool has_blocks = islands->block_start.data[island + 1] > islands->block_start.data[island];
    return !has_blocks && manifolds_of(islands, island) >= LARGE_ISLAND;
}

// A group that is solved exactly, of an island or of one body.
static void add_exact(Scheduling* schedule, int island, int body) {
    CnSoftStore* store = schedule->store;
    CnSoftGroup group = {
        .base = store->body.count,
        .first_body = store->body.count,
        .first_member = store->members.count,
        .first_joint_tile = store->joint_tiles.count,
        .first_block = store->blocks.count,
        .first_link = store->links.count,
        .team = 1,
        .is_exact = true,
        .island = island,
        .body = body,
    };
    schedule->failed =
        schedule->failed || !cn_array_push(&store->groups, &schedule->world->allocator, group);
    const CnIslandStore* islands = &schedule->world->islands;
    int first = island < 0 ? 0 : islands->body_start.data[island];
    int end = island < 0 ? 0 : islands->body_start.data[island + 1];
    for (int k = first; k < end; ++k) {
        if (is_dynamic(schedule, islands->body.data[k])) {
            schedule->row[islands->body.data[k]] = IS_EXACT;
        }
    }
    if (body >= 0) {
        schedule->row[body] = IS_EXACT;
    }
}

static void group_islands(Scheduling* schedule) {
    const CnIslandStore* islands = &schedule->world->islands;
    bool is_open = false;
    for (int i = 0; i < islands->count && !schedule->failed; ++i) {
        if (cn_island_is_exact(schedule->world, i)) {
            if (is_open) {
                end_group(schedule);
                is_open = false;
            }
            add_exact(schedule, i, CN_NONE);
            continue;
        }
        bool is_team = is_large(islands, i);
        bool has_room =
            is_open && schedule->group_manifolds + rows_of(islands, i) <= GROUP_MANIFOLDS;
        if (is_open && (!has_room || is_team)) {
            end_group(schedule);
            is_open = false;
        }
        if (is_team) {
            add_large_island(schedule, i);
            continue;
        }
        if (!is_open) {
            begin_group(schedule, CN_NONE);
            is_open = true;
        }
        add_island(schedule, i);
    }
    if (is_open) {
        end_group(schedule);
    }
}

// Bodies in no island, in groups of their own.
static void group_others(Scheduling* schedule) {
    CnIndexList moving = cn_active_bodies(schedule->world);
    bool is_open = false;
    for (int k = 0; k < moving.count && !schedule->failed; ++k) {
        int body = cn_index_at(&moving, k);
        if (schedule->row[body] != CN_NONE) {
            continue;
        }
        if (schedule->world->bodies.data[body].exact && is_dynamic(schedule, body)) {
            continue; // later, in groups of their own
        }
        if (!is_open) {
            begin_group(schedule, CN_NONE);
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

// Exact bodies in no island, and a note of all bodies that are solved exactly now.
static void group_exact_bodies(Scheduling* schedule) {
    CnWorld* world = schedule->world;
    CnIndexList moving = cn_active_bodies(world);
    if (schedule->placing.carries && world->exact_count == 0 && !schedule->store->has_exact) {
        return;
    }
    schedule->store->has_exact = world->exact_count > 0;
    for (int k = 0; k < moving.count && !schedule->failed; ++k) {
        int body = cn_index_at(&moving, k);
        CnBody* own = &world->bodies.data[body];
        if (schedule->row[body] == CN_NONE && own->exact && is_dynamic(schedule, body)) {
            add_exact(schedule, CN_NONE, body);
        }
        own->was_exact = schedule->row[body] == IS_EXACT;
    }
}

// Rows of bodies that keep their places in the schedule keep what was found for them.
static bool reserve_rows(CnWorld* world, const CnSoftPlacing* placing) {
    CnSoftStore* store = world->soft;
    int count = store->body.count;
    const CnAllocator* allocator = &world->allocator;
    if (!cn_array_reserve(&store->rows, allocator, count) ||
        !cn_array_reserve(&store->masses, allocator, count) ||
        !cn_array_reserve(&store->drifts, allocator, count) ||
        !cn_array_reserve(&store->epoch, allocator, count) ||
        !cn_array_reserve(&store->calm, allocator, count)) {
        return false;
    }
    store->rows.count = store->masses.count = store->drifts.count = store->epoch.count = count;
    store->calm.count = count;
    for (int i = 0; i < count; ++i) {
        if (i < placing->old_row_count && placing->old_body[i] == store->body.data[i]) {
            continue;
        }
        store->rows.data[i] = (CnSoftBody){.turned = {0.0f, 0.0f, 0.0f, 1.0f}};
        store->masses.data[i] = (CnSoftMass){{0.0f}, 0.0f, 0.0f};
        store->drifts.data[i] = (CnSoftDrift){{0.0f}, {0.0f}};
        store->epoch.data[i] = 0;
    }
    return true;
}

static void clear(CnSoftStore* store) {
    store->body.count = store->members.count = store->groups.count = 0;
    store->joint_tiles.count = store->joint.count = store->blocks.count = store->block.count = 0;
    store->links.count = 0;
    store->damped_dt = 0.0;
}

CnStatus cn_soft_schedule(CnWorld* world) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    CnSoftStore* store = world->soft;
    int count = world->bodies.count;
    bool keeps = store->is_made && store->active == world->active.version &&
                 cn_soft_has_same_masses(world) && !store->is_per_point &&
                 !world->def.step.soft.friction_per_point &&
                 store->has_singles == cn_soft_sets_singles_apart(world);
    Scheduling schedule = {
        .world = world,
        .store = store,
        .row = CN_ARENA_RAW(&world->arena, int, count),
    };
    schedule.failed = schedule.row == NULL ||
                      !cn_lane_packing_init(&schedule.joints, count, &world->arena) ||
                      !cn_soft_note_joints(world) ||
                      !cn_array_copy(&store->listed, &world->allocator, &world->step.manifolds) ||
                      !cn_array_reserve(&store->members, &world->allocator, store->listed.count) ||
                      !cn_soft_begin_placing(world, keeps, &schedule.placing);
    store->is_made = false;
    store->has_singles = cn_soft_sets_singles_apart(world);
    store->tree_ratio = world->def.step.soft.tree_mass_ratio;
    for (int i = 0; !schedule.failed && i < count; ++i) {
        schedule.row[i] = CN_NONE;
    }
    if (!schedule.failed) {
        clear(store);
        group_islands(&schedule);
        group_others(&schedule);
        group_exact_bodies(&schedule);
        schedule.failed = schedule.failed || !cn_soft_place_groups(&schedule.placing, schedule.row);
        cn_soft_end_placing(&schedule.placing);
    }
    store->is_made = !schedule.failed && reserve_rows(world, &schedule.placing);
    store->islands = world->islands.rebuilds;
    store->active = world->active.version;
    cn_arena_release(&world->arena, mark);
    return store->is_made ? CN_OK : CN_NO_MEMORY;
}

// Whether each point of the manifolds has a lane, and no lane is left over.
static bool has_same_points(const CnWorld* world) {
    const CnSoftStore* store = world->soft;
    bool same = true;
    for (int i = 0; store->is_per_point && same && i < store->listed.count; ++i) {
        int manifold = store->listed.data[i];
        CnSoftLanes lanes = cn_soft_lanes_of(world, manifold);
        for (int k = 0; same && k < CN_SOFT_POINTS; ++k) {
            same = (store->lane.data[lanes.first + k] >= 0) == (k < lanes.count);
        }
    }
    return same;
}

bool cn_soft_sets_singles_apart(const CnWorld* world) {
    return !world->pairs.has_extras && world->given_contacts.count == 0;
}

// Whether manifolds that were found anew are still in tiles of their kind.
static bool has_same_singles(const CnWorld* world) {
    const CnSoftStore* store = world->soft;
    bool same = store->has_singles == cn_soft_sets_singles_apart(world);
    for (int i = 0; same && !store->is_per_point && i < store->renewed.count; ++i) {
        int manifold = store->renewed.data[i];
        int lane = store->lane.data[manifold];
        bool is_single = store->has_singles && cn_manifold_at(&world->pairs, manifold)->count == 1;
        same = lane < 0 || cn_soft_tile_of(store, lane)->is_single == is_single;
    }
    return same;
}

bool cn_soft_has_same_masses(const CnWorld* world) {
    double dt = world->soft->damped_dt;
    return dt == 0.0 || dt == world->step.dt;
}

bool cn_soft_is_scheduled(const CnWorld* world) {
    const CnSoftStore* store = world->soft;
    const CnIntArray* listed = &world->step.manifolds;
    bool same = store->is_made && cn_soft_has_same_masses(world) &&
                store->tree_ratio == world->def.step.soft.tree_mass_ratio &&
                store->is_per_point == world->def.step.soft.friction_per_point &&
                store->islands == world->islands.rebuilds && cn_soft_has_same_joints(world) &&
                store->active == world->active.version && store->listed.count == listed->count &&
                (listed->count == 0 || memcmp(store->listed.data, listed->data,
                                              (size_t)listed->count * sizeof *listed->data) == 0);
    return same && has_same_points(world) && has_same_singles(world);
}

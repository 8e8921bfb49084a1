// scheme_soft_step.c - real time: soft contacts in single precision, swept in substeps.
//
//     contacts are found once; then in every substep
//     velocities: loads and last impulses -> push (overlap goes) -> poses move -> relax
//
// A step in which nothing has moved far, the quiet case, keeps contacts, islands and tiles.
// docs/theory/soft_step.md.
#include "base/error.h"
#include "base/fetch.h"
#include "base/tasks.h"
#include "world/bodies/body_shapes.h"
#include "world/bodies/drive.h"
#include "world/bodies/motion.h"
#include "world/contacts/contact_friction.h"
#include "world/contacts/contact_totals.h"
#include "world/contacts/contacts.h"
#include "world/events/events.h"
#include "world/schemes/schemes.h"
#include "world/soft/exact_island.h"
#include "world/soft/soft_bodies.h"
#include "world/soft/soft_gaps.h"
#include "world/soft/soft_grade.h"
#include "world/soft/soft_joints.h"
#include "world/soft/soft_known.h"
#include "world/soft/soft_pack.h"
#include "world/soft/soft_trees.h"
#include "world/soft/soft_warm_start.h"
#include "world/step/ledger.h"
#include "world/step/rollback.h"
#include "world/step/step_check.h"

#include <string.h>

// Stiffness beyond this share of the rate of substeps would not be resolved.
#define HERTZ_LIMIT 0.125

// That of joints: they are few at a body, and never let go.
#define JOINT_HERTZ_LIMIT 0.3

static CnStatus no_memory(const CnWorld* world, CnError* error) {
    return cn_error_set(error, CN_NO_MEMORY, "no memory for a soft step with %d bodies",
                        world->order.count);
}

// ---- begin ----

// Steps of several parts are undone part by part: what a manifold has is saved in each.
static bool has_parts(const CnWorld* world) {
    return world->fast_count > 0 || world->def.step.substeps > 1;
}

// Whether manifolds are written before tiles are: their impulses are then saved as they are.
static bool saves_impulses(const CnWorld* world) {
    return has_parts(world) || world->soft->run.asks || world->exact_count > 0;
}

static bool find_loads(CnWorld* world, CnSoftRun* own) {
    if (!cn_world_has_loads(world)) {
        return true;
    }
    CnLoad* loads = CN_ARENA_RAW(&world->arena, CnLoad, world->bodies.count);
    const CnBodyState* states = cn_world_present_states(world, CN_STATES_POSED);
    if (loads != NULL && states != NULL) {
        cn_world_loads(world, states, world->step.time, loads);
    }
    own->loads = loads;
    return loads != NULL && states != NULL;
}

// Motions are for steps that may be cut: others do without arrays of doubles by body. No problem is
// posed in either.
static CnStatus reserve_motions(CnWorld* world) {
    CnStatus status = has_parts(world) ? cn_motion_reserve(world) : cn_motion_forget(world);
    world->step.body_count = 0;
    return status;
}

static CnStatus begin(CnStepRun* run, CnError* error) {
    CnWorld* world = run->world;
    const CnStepDef* def = &world->def.step;
    CnSoftRun* own = &world->soft->run;
    double h = world->step.dt / def->soft.substeps;
    *run->report = (CnStepReport){.certificate.worst_block = -1, .solver.redundant_block = -1};
    world->assembled.is_valid = false;
    if (cn_active_update(world) != CN_OK || reserve_motions(world) != CN_OK) {
        return no_memory(world, error);
    }
    cn_drives_begin(world);
    if (own->is_swept) { // a part that was undone
        cn_soft_take_back(world);
    }
    own->asks = cn_soft_asks_policy(world);
    if (saves_impulses(world) && !cn_soft_reserve_flush(world)) {
        return no_memory(world, error);
    }
    if (saves_impulses(world)) {
        cn_soft_flush(world);
    }
    if (has_parts(world)) {
        cn_motion_begin(world, false, 1.0, NULL, NULL);
    }
    cn_soft_open(world);
    own->are_known =
        world->soft->changes == world->pairs.changes && world->soft->surfaces == world->surfaces;
    own->loads = NULL;
    bool is_warm = def->warm_start != CN_WARM_START_OFF && world->kept_dt > 0.0;
    own->is_cold = def->warm_start != CN_WARM_START_OFF && !is_warm;
    own->ratio = is_warm ? def->warm_start_factor * h / world->kept_dt : 0.0;
    own->rates = cn_soft_rates(h, fmin(def->soft.contact_hertz, HERTZ_LIMIT / h),
                               def->soft.contact_damping_ratio, def->soft.push_speed,
                               def->restitution_threshold);
    own->joint_rates = cn_soft_rates(h, fmin(def->soft.joint_hertz, JOINT_HERTZ_LIMIT / h),
                                     def->soft.joint_damping_ratio, def->soft.push_speed,
                                     def->restitution_threshold);
    own->kernels = cn_soft_kernels();
    world->soft->has_far_gaps = world->soft->has_far_gaps && world->tile_posing.is_valid &&
                                world->tile_posing.theta == CN_SOFT_POSING;
    return find_loads(world, own) ? CN_OK : no_memory(world, error);
}

// ---- contacts ----

// Whether the search has looked at every material: one that resists spinning changes all tiles.
static bool are_materials_known(const CnWorld* world) {
    return world->pairs.has_extras ||
           world->plain_materials == cn_pool_slot_count(&world->materials);
}

// Whether no manifold can have changed since the last step.
static bool is_quiet(const CnWorld* world) {
    const CnSoftStore* soft = world->soft;
    return soft->is_made && !soft->run.asks && world->exact_count == 0 &&
           soft->tree_ratio == world->def.step.soft.tree_mass_ratio &&
           soft->is_per_point == world->def.step.soft.friction_per_point &&
           soft->has_singles == cn_soft_sets_singles_apart(world) && are_materials_known(world) &&
           cn_soft_has_same_masses(world) && cn_soft_has_same_joints(world) &&
           world->moved_shapes == 0 && !world->broad_phase.has_new_pairs &&
           world->broad_phase.set.lost.count == 0 && soft->changes == world->pairs.changes &&
           soft->active == world->active.version && soft->islands == world->islands.rebuilds &&
           world->tile_posing.is_valid && world->tile_posing.theta == CN_SOFT_POSING &&
           world->given_contacts.count == 0 && world->sensor_count == 0 &&
           world->def.contact_hooks.filter == NULL && world->def.contact_hooks.material == NULL &&
           world->step.notes.count == soft->listed.count && !cn_soft_is_any_stirred(world);
}

static CnStatus find_pairs(CnStepRun* run, CnError* error) {
    CnWorld* world = run->world;
    CnSoftRun* own = &run->world->soft->run;
    CnStatus status = cn_soft_pose_joints(world, error);
    if (status != CN_OK) {
        return status;
    }
    if (cn_places_update(world, NULL, world->step.dt) != CN_OK) {
        return no_memory(world, error);
    }
    own->is_quiet = is_quiet(world);
    status = own->is_quiet ? CN_OK : cn_world_assign_records(world);
    return status == CN_OK ? CN_OK : no_memory(world, error);
}

// Lists the manifolds of the step before again, unless both of the world's steps have that list.
// Notes need no copy: the two steps share them.
static bool take_over_contacts(CnWorld* world) {
    CnSoftStore* soft = world->soft;
    if (soft->copies == 2 && !has_parts(world) &&
        world->step.manifolds.count == soft->listed.count) {
        return true;
    }
    bool ok = cn_array_copy(&world->step.manifolds, &world->allocator, &soft->listed);
    soft->copies = ok && !has_parts(world) ? 2 : 1;
    return ok;
}

// Whether manifolds that are as they were keep their frames.
static bool keeps_frames(const CnWorld* world) {
    return world->tile_posing.is_valid && world->tile_posing.theta == CN_SOFT_POSING &&
           world->def.contact_hooks.material == NULL;
}

// Whether a search asks for states as one array, which costs a copy of all.
static bool needs_states(const CnWorld* world) {
    return world->given_contacts.count > 0 || world->def.contact_hooks.filter != NULL;
}

static CnStatus find_contacts(CnStepRun* run, CnError* error) {
    CnWorld* world = run->world;
    CnSoftRun* own = &run->world->soft->run;
    if (own->is_quiet) {
        return take_over_contacts(world) ? CN_OK : no_memory(world, error);
    }
    world->soft->copies = 1;
    bool needs = needs_states(world);
    const CnBodyState* states = needs ? cn_world_present_states(world, CN_STATES_POSED) : NULL;
    if ((needs && states == NULL) || !cn_soft_reserve_notes(world) ||
        !cn_soft_reserve_flush(world)) {
        return no_memory(world, error);
    }
    own->poses_found =
        keeps_frames(world) && !saves_impulses(world) && world->def.contact_hooks.filter == NULL;
    run->look = (CnLook){.states = states, .dt = world->step.dt};
    return cn_stage_find_contacts(run, error);
}

// Bodies whose places one task notes.
#define PLACES_PER_TASK 128

static void note_places_range(int begin, int end, int worker, void* data) {
    CnWorld* world = data;
    CnIndexList list = cn_active_bodies_since(world, world->active.posed);
    (void)worker;
    for (int k = begin; k < end; ++k) {
        int i = cn_index_at(&list, k);
        const CnTransform* pose = &world->places.data[i].pose;
        bool is_new =
            i >= world->posed.count || memcmp(&world->posed.data[i], pose, sizeof *pose) != 0;
        if (is_new && cn_rollback_keep_posed(world, i, k)) {
            world->posed.data[i] = *pose;
        }
    }
}

// Manifolds live where bodies were placed. False: no memory.
static bool note_places(CnWorld* world) {
    int count = cn_active_bodies_since(world, world->active.posed).count;
    cn_tasks_for(&world->def.tasks, count, PLACES_PER_TASK, note_places_range, world);
    bool is_again;
    if (!cn_rollback_make_room(world, &is_again)) {
        return false;
    }
    if (is_again) {
        cn_tasks_for(&world->def.tasks, count, PLACES_PER_TASK, note_places_range, world);
    }
    world->posed.count = world->bodies.count;
    world->active.posed = world->active.version;
    return true;
}

// What others read of a manifold without looking at it. Two plain materials are no belt.
static void note_manifold(CnWorld* world, int place) {
    const CnManifold* manifold = cn_manifold_at(&world->pairs, world->step.manifolds.data[place]);
    const CnPairRecord* record = &world->pairs.records.data[manifold->pair];
    bool is_plain = record->given < 0 && record->surfaces == world->surfaces;
    CnContact contact = {0};
    if (!is_plain) {
        contact = cn_manifold_contact(world, manifold, NULL);
    }
    world->step.notes.data[place] = (CnTileNote){
        .body_a = manifold->tile.body_a,
        .body_b = manifold->tile.body_b,
        .contacts = (uint8_t)manifold->count,
        .points = (uint8_t)manifold->count,
        .row_count = (uint8_t)manifold->tile.row_count,
        .is_belt = !is_plain && cn_contact_is_belt(&contact),
    };
}

// Of a manifold that is as it was and whose friction does not depend on the last step.
static void keep_note(const CnWorld* world, int place) {
    const CnTileNote* note = &world->step.notes.data[place];
    int index = world->step.manifolds.data[place];
    const CnManifold* manifold = cn_manifold_at(&world->pairs, index);
    if (!note->is_belt && note->row_count == 3) {
        world->soft->notes.data[index] = (CnSoftNote){
            {note->body_a, note->body_b}, manifold->pair, note->contacts, manifold->is_solved};
    }
}

#define NOTES_PER_TASK 1024
#define NOTES_AHEAD 48 // prefetched: some 100 ns

// What is known of manifolds; nothing: no contacts.
static void take_notes_range(int begin, int end, int worker, void* data) {
    const CnWorld* world = data;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        if (i + NOTES_AHEAD < end) {
            cn_fetch(&world->soft->notes.data[world->step.manifolds.data[i + NOTES_AHEAD]]);
        }
        const CnSoftNote* known = &world->soft->notes.data[world->step.manifolds.data[i]];
        world->step.notes.data[i] = (CnTileNote){
            .body_a = known->body[0],
            .body_b = known->body[1],
            .contacts = known->contacts,
            .points = known->contacts,
            .row_count = 3,
        };
    }
}

// With moments of rolling, which are beside the manifold, as a whole.
static bool save_impulses(CnWorld* world, int manifold) {
    return world->pairs.has_extras ? cn_pair_store_save_manifold(&world->pairs, manifold)
                                   : cn_pair_store_save_impulses(&world->pairs, manifold);
}

// Frames of manifolds that were found anew; all of them where materials changed, and those whose
// friction depends on what the last step did.
static CnStatus pose_manifolds(CnWorld* world) {
    const CnIntArray* list = &world->step.manifolds;
    bool saves = saves_impulses(world);
    bool is_kept = keeps_frames(world);
    if (!cn_array_reserve(&world->step.notes, &world->allocator, list->count) ||
        !cn_soft_reserve_notes(world)) {
        return CN_NO_MEMORY;
    }
    world->step.notes.count = list->count;
    bool has_notes = is_kept && !saves;
    if (has_notes) {
        cn_tasks_for(&world->def.tasks, list->count, NOTES_PER_TASK, take_notes_range, world);
    }
    for (int i = 0; i < list->count; ++i) {
        if (has_notes && world->step.notes.data[i].contacts > 0) {
            continue;
        }
        CnManifold* manifold = cn_manifold_at(&world->pairs, list->data[i]);
        int given = world->pairs.records.data[manifold->pair].given;
        if (saves && !save_impulses(world, list->data[i])) {
            return CN_NO_MEMORY;
        }
        if (is_kept && manifold->has_tile && !manifold->has_hold && given < 0) {
            note_manifold(world, i);
            keep_note(world, i);
            continue;
        }
        cn_soft_flush_record(world, manifold->pair);
        if (!cn_pair_store_save_manifold(&world->pairs, list->data[i]) ||
            !cn_array_push(&world->soft->renewed, &world->allocator, list->data[i])) {
            return CN_NO_MEMORY;
        }
        cn_soft_pose_manifold(world, list->data[i]);
        note_manifold(world, i);
    }
    world->soft->points = 0;
    for (int i = 0; i < list->count; ++i) {
        world->soft->points += world->step.notes.data[i].contacts;
    }
    world->tile_posing = (CnTilePosing){true, world->step.dt, CN_SOFT_POSING};
    return CN_OK;
}

// Of a step whose manifolds stay as they are but for their impulses.
static bool save_all_impulses(CnWorld* world) {
    const CnIntArray* list = &world->step.manifolds;
    bool ok = true;
    for (int i = 0; ok && saves_impulses(world) && i < list->count; ++i) {
        ok = save_impulses(world, list->data[i]);
    }
    return ok;
}

static CnStatus build_rows(CnStepRun* run, CnError* error) {
    CnWorld* world = run->world;
    const CnSoftRun* own = &run->world->soft->run;
    CnStep* step = &world->step;
    step->tile_block_count = step->tile_row_count = 0;
    step->first_block.count = step->block_residual.count = 0;
    if (own->is_quiet) {
        return save_all_impulses(world) ? CN_OK : no_memory(world, error);
    }
    if (!cn_array_reserve(&world->posed, &world->allocator, world->bodies.count) ||
        !note_places(world)) {
        return no_memory(world, error);
    }
    return pose_manifolds(world) == CN_OK ? CN_OK : no_memory(world, error);
}

static CnStatus update_islands(CnStepRun* run, CnError* error) {
    const CnSoftRun* own = &run->world->soft->run;
    return own->is_quiet ? CN_OK : cn_stage_update_islands(run, error);
}

// ---- solve ----

typedef struct Sweeping {
    CnWorld* world;
    const CnSoftRun* own;
} Sweeping;

// Tiles with a lane that has changed.
static void prepare(const Sweeping* sweeping, const CnSoftGroup* group,
                    const CnSoftBodies* bodies) {
    const CnWorld* world = sweeping->world;
    int slots = 0, end = cn_soft_end_slot(group);
    for (int i = group->first_slot; i < end; i += slots) {
        CnSoftTile* tile = cn_soft_tile_at(world->soft, i);
        slots = tile->slots;
        if (tile->fresh != 0 || tile->is_stale) {
            CnSoftTiles alone = {&world->soft->slots.data[i], slots};
            cn_soft_load_tile(world, i, end, sweeping->own->ratio);
            sweeping->own->kernels->prepare(alone, bodies);
            if (world->soft->is_per_point) {
                cn_soft_use_one_step(tile);
            }
        }
    }
}

// Sweeps of contacts before the first substep of a world that has no impulses to start from. (24)
#define COLD_SWEEPS 8

// What a group does between two meetings of the workers that sweep a large island.
typedef enum Phase {
    PHASE_LOAD,
    PHASE_PREPARE,
    PHASE_BEGIN, // the first substep
    PHASE_FIND,  // in it, without impulses of a step before
    PHASE_FOUND, // after that
    PHASE_GO_ON, // another one
    PHASE_PUSH,
    PHASE_RELAX,
    PHASE_BOUNCE,
    PHASE_STORE, // states of bodies, while what they need is near
} Phase;

// Rows of bodies.
static void run_bodies(const Sweeping* sweeping, CnSoftGroup* group, Phase phase) {
    const CnWorld* world = sweeping->world;
    const CnSoftRun* own = sweeping->own;
    CnSoftBodies bodies = cn_soft_own_bodies(world->soft, group);
    if (phase == PHASE_LOAD) {
        cn_soft_load_bodies(world, world->step.dt, own->loads, group);
    } else if (phase == PHASE_BEGIN) {
        own->kernels->begin(&bodies);
    } else if (phase == PHASE_GO_ON) {
        own->kernels->go_on(&bodies);
    } else if (phase == PHASE_RELAX) {
        own->kernels->advance(&bodies, &own->rates);
    } else if (phase == PHASE_STORE) {
        cn_soft_store_bodies(sweeping->world, group);
    }
}

// Rows of joints and contacts. Joints are swept before contacts, in the same phases. Large islands
// have no joints.
static void run_rows(const Sweeping* sweeping, CnSoftGroup* group, Phase phase, int substep) {
    const CnWorld* world = sweeping->world;
    const CnSoftRun* own = sweeping->own;
    const CnSoftKernels* kernels = own->kernels;
    CnSoftBodies seen = cn_soft_bodies(world->soft, group);
    CnSoftTiles tiles = cn_soft_tiles(world->soft, group);
    CnSoftJoints joints = {sweeping->world, group, seen, own->joint_rates, own->ratio};
    switch (phase) {
    case PHASE_LOAD:
    case PHASE_STORE:
        break;
    case PHASE_PREPARE:
        prepare(sweeping, group, &seen);
        cn_soft_joints_begin(&joints);
        kernels->note_approach(tiles, &seen);
        break;
    case PHASE_BEGIN:
        cn_soft_joints_warm_start(&joints);
        kernels->warm_start(tiles, &seen);
        break;
    case PHASE_FIND:
        kernels->relax(tiles, &seen, &own->rates);
        break;
    case PHASE_FOUND: // the step has done nothing yet
        cn_soft_clear_totals(tiles);
        break;
    case PHASE_GO_ON:
        cn_soft_joints_go_on(&joints);
        break;
    case PHASE_PUSH:
        cn_soft_joints_push(&joints);
        kernels->push(tiles, &seen, &own->rates);
        break;
    case PHASE_RELAX:
        cn_soft_joints_relax(&joints, substep);
        kernels->relax(tiles, &seen, &own->rates);
        break;
    case PHASE_BOUNCE:
        kernels->bounce(tiles, &seen, &own->rates);
        cn_soft_joints_end(&joints);
        group->has_changed = false;
        group->deepest = kernels->observe(tiles, &group->has_changed);
        break;
    }
}

static void run_phase(const Sweeping* sweeping, CnSoftGroup* group, Phase phase, int substep) {
    run_bodies(sweeping, group, phase);
    run_rows(sweeping, group, phase, substep);
}

static void sweep_range(int begin, int end, int worker, void* data) {
    const Sweeping* sweeping = data;
    for (int i = begin; i < end; ++i) {
        CnSoftGroup* group = &sweeping->world->soft->groups.data[i];
        if (group->is_exact) {
            cn_exact_solve(sweeping->world, group, worker);
            continue;
        }
        if (group->team != 1) {
            continue;
        }
        run_phase(sweeping, group, PHASE_LOAD, 0);
        run_phase(sweeping, group, PHASE_PREPARE, 0);
        for (int k = 0; k < sweeping->world->def.step.soft.substeps; ++k) {
            run_phase(sweeping, group, k == 0 ? PHASE_BEGIN : PHASE_GO_ON, k);
            for (int n = 0; n <= COLD_SWEEPS && k == 0 && sweeping->own->is_cold; ++n) {
                run_phase(sweeping, group, n < COLD_SWEEPS ? PHASE_FIND : PHASE_FOUND, k);
            }
            run_phase(sweeping, group, PHASE_PUSH, k);
            run_phase(sweeping, group, PHASE_RELAX, k);
        }
        run_phase(sweeping, group, PHASE_BOUNCE, 0);
        run_phase(sweeping, group, PHASE_STORE, 0);
    }
}

// A large island: bodies of all groups side by side, then contacts level by level.
typedef struct Team {
    const Sweeping* sweeping;
    CnSoftGroup* groups; // [count]
    int count;
    int first; // of the groups that run now
    Phase phase;
} Team;

static void team_bodies_range(int begin, int end, int worker, void* data) {
    const Team* team = data;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        run_bodies(team->sweeping, &team->groups[i], team->phase);
    }
}

static void team_contacts_range(int begin, int end, int worker, void* data) {
    const Team* team = data;
    (void)worker;
    for (int i = team->first + begin; i < team->first + end; ++i) {
        run_rows(team->sweeping, &team->groups[i], team->phase, 0);
    }
}

static bool has_bodies(Phase phase) {
    return phase == PHASE_LOAD || phase == PHASE_BEGIN || phase == PHASE_GO_ON ||
           phase == PHASE_RELAX || phase == PHASE_STORE;
}

static bool has_contacts(Phase phase) {
    return phase != PHASE_LOAD && phase != PHASE_GO_ON && phase != PHASE_STORE;
}

static void run_team(Team* team, Phase phase) {
    const CnTasks* tasks = &team->sweeping->world->def.tasks;
    bool shares = phase != PHASE_PREPARE && phase != PHASE_FOUND; // velocities are changed
    int i = 0;
    team->phase = phase;
    if (has_bodies(phase)) {
        cn_tasks_for(tasks, team->count, 1, team_bodies_range, team);
    }
    while (i < team->count && team->groups[i].level == 0) {
        ++i;
    }
    for (int end = i; has_contacts(phase) && i < team->count; i = end) {
        while (end < team->count && (!shares || team->groups[end].level == team->groups[i].level)) {
            ++end;
        }
        team->first = i;
        cn_tasks_for(tasks, end - i, 1, team_contacts_range, team);
    }
}

static void sweep_team(const Sweeping* sweeping, int first) {
    CnSoftGroup* groups = &sweeping->world->soft->groups.data[first];
    Team team = {.sweeping = sweeping, .groups = groups, .count = groups->team};
    run_team(&team, PHASE_LOAD);
    run_team(&team, PHASE_PREPARE);
    for (int k = 0; k < sweeping->world->def.step.soft.substeps; ++k) {
        run_team(&team, k == 0 ? PHASE_BEGIN : PHASE_GO_ON);
        for (int n = 0; n <= COLD_SWEEPS && k == 0 && sweeping->own->is_cold; ++n) {
            run_team(&team, n < COLD_SWEEPS ? PHASE_FIND : PHASE_FOUND);
        }
        run_team(&team, PHASE_PUSH);
        run_team(&team, PHASE_RELAX);
    }
    run_team(&team, PHASE_BOUNCE);
    run_team(&team, PHASE_STORE);
}

// A manifold that was found anew may be that of another pair of the same bodies.
static void freshen(CnWorld* world, const CnIntArray* manifolds) {
    const CnSoftStore* soft = world->soft;
    for (int i = 0; i < manifolds->count; ++i) {
        CnSoftLanes lanes = cn_soft_lanes_of(world, manifolds->data[i]);
        for (int k = lanes.first; k < lanes.first + lanes.count; ++k) {
            int lane = soft->lane.data[k];
            if (lane >= 0) {
                uint8_t* fresh = &cn_soft_tile_of(soft, lane)->fresh;
                *fresh = (uint8_t)(*fresh | 1u << lane % CN_SOFT_LANES);
                soft->record.data[lane] = cn_soft_record_of(world, manifolds->data[i]);
            }
        }
    }
}

// Lanes of manifolds that have changed are to be loaded; impulses of another length of step, or
// scaled ones, are loaded again too.
static CnStatus update_tiles(CnWorld* world, const CnSoftRun* own) {
    CnSoftStore* soft = world->soft;
    if (own->is_quiet && own->ratio == 1.0) {
        return CN_OK;
    }
    bool are_kept = own->ratio == 1.0 && !own->asks;
    if (!are_kept && !cn_soft_reserve_flush(world)) {
        return CN_NO_MEMORY;
    }
    if (!are_kept) {
        cn_soft_flush(world);
        soft->run.was_ahead = false;
    }
    if (!cn_soft_is_scheduled(world) && cn_soft_schedule(world) != CN_OK) {
        return CN_NO_MEMORY;
    }
    freshen(world, are_kept ? &soft->renewed : &world->step.manifolds);
    soft->changes = world->pairs.changes;
    return CN_OK;
}

static CnStatus solve(CnStepRun* run, CnError* error) {
    CnWorld* world = run->world;
    Sweeping sweeping = {world, &world->soft->run};
    if (update_tiles(world, &world->soft->run) != CN_OK || cn_soft_trees_reserve(world) != CN_OK ||
        cn_exact_reserve(world) != CN_OK) {
        return no_memory(world, error);
    }
    world->soft->run.is_swept = true;
    cn_tasks_for(&world->def.tasks, world->soft->groups.count, 1, sweep_range, &sweeping);
    for (int i = 0; i < world->soft->groups.count; ++i) {
        if (world->soft->groups.data[i].team > 1) {
            sweep_team(&sweeping, i);
        }
    }
    run->report->island_count = world->islands.count;
    return cn_exact_check(world, error);
}

// ---- after it ----

// A kinematic body keeps its velocity.
static void move_given(CnBody* body, double dt) {
    CnBodyState* state = &body->state;
    CnQuat turn = cn_quat_exp(cn_vec3_scale(dt, state->angular_velocity));
    state->center = cn_vec3_add_scaled(state->center, dt, state->velocity);
    state->rotation = cn_quat_normalize(cn_quat_multiply(turn, state->rotation));
}

// How a body came through the step, for cuts at impacts.
static void note_motion(const CnBody* body, CnMotion* motion, CnMotionExtras* extras, double dt) {
    extras->turn_after = cn_vec3_scale(
        0.5 * dt, cn_vec3_add(extras->stored_angular_velocity, body->state.angular_velocity));
    extras->end_velocity = body->state.velocity;
    motion->end_spin = cn_quat_unrotate(body->state.rotation, body->state.angular_velocity);
    extras->final_spin = motion->end_spin;
    extras->end_center = body->state.center;
    motion->end_rotation = body->state.rotation;
}

// Whether all bodies that move were stored by their groups: these know which are to be looked at.
static bool are_stored(const CnWorld* world) {
    int stored = 0;
    for (int i = 0; i < world->soft->groups.count; ++i) {
        stored += world->soft->groups.data[i].stored;
    }
    return stored == cn_active_bodies(world).count;
}

static CnStatus move(CnStepRun* run, CnError* error) {
    CnWorld* world = run->world;
    CnIndexList moving = cn_active_bodies(world);
    (void)error;
    bool is_done = world->fast_count == 0 && are_stored(world);
    for (int k = 0; !is_done && k < moving.count; ++k) {
        int i = cn_index_at(&moving, k);
        CnBody* body = &world->bodies.data[i];
        if (body->type != CN_BODY_DYNAMIC) {
            move_given(body, world->step.dt);
        }
        if (world->fast_count > 0) {
            note_motion(body, &world->step.motions.data[i], &world->step.extras.data[i],
                        world->step.dt);
        }
    }
    return CN_OK;
}

// Those that came further than was looked ahead may be outside of their fat boxes.
static CnStatus check_body(CnStepRun* run, int body, CnError* error) {
    CnStatus status = cn_step_check_state(run->world, body, run->report, error);
    if (status == CN_OK && !cn_soft_is_within_bounds(run->world, body)) {
        cn_body_place(run->world, body);
    }
    return status;
}

static CnStatus check_group(CnStepRun* run, const CnSoftGroup* group, CnError* error) {
    const CnSoftStore* soft = run->world->soft;
    CnStatus status = CN_OK;
    int end = group->first_body + group->body_count;
    for (int i = group->first_body; status == CN_OK && i < end; ++i) {
        if (!soft->calm.data[i]) {
            status = check_body(run, soft->body.data[i], error);
        }
    }
    return status;
}

static CnStatus check(CnStepRun* run, CnError* error) {
    const CnWorld* world = run->world;
    CnIndexList moving = cn_active_bodies(world);
    CnStatus status = CN_OK;
    run->is_placed = true;
    if (!are_stored(world)) {
        for (int k = 0; status == CN_OK && k < moving.count; ++k) {
            status = check_body(run, cn_index_at(&moving, k), error);
        }
        return status;
    }
    for (int i = 0; status == CN_OK && i < world->soft->groups.count; ++i) {
        const CnSoftGroup* group = &world->soft->groups.data[i];
        if (!group->is_calm) {
            status = check_group(run, group, error);
        }
    }
    return status;
}

static CnStatus grade(CnStepRun* run, CnError* error) {
    CnWorld* world = run->world;
    CnSoftRun* own = &world->soft->run;
    cn_soft_grade(world, run->report);
    run->report->solver.solver = "soft_step";
    bool has_changed = !own->is_quiet || has_parts(world);
    run->report->contact_count = world->soft->points;
    for (int i = 0; i < world->soft->groups.count; ++i) {
        const CnSoftGroup* group = &world->soft->groups.data[i];
        has_changed = has_changed || group->has_changed;
        run->report->penetration = fmax(run->report->penetration, (double)group->deepest);
        run->report->joint_error = fmax(run->report->joint_error, group->joint_error);
        run->report->joint_angle_error =
            fmax(run->report->joint_angle_error, group->joint_angle_error);
    }
    world->soft->is_ahead = own->is_kept = true;
    own->is_swept = false;
    world->kept_dt = world->step.dt / world->def.step.soft.substeps;
    CnStatus status = cn_contact_totals_add(world);
    if (status == CN_OK && has_changed) {
        cn_soft_wake_records(world);
        status = cn_soft_note_gaps(world);
        cn_exact_report(world, run->report);
        status = status == CN_OK ? cn_events_add(world) : status;
    } else if (status == CN_OK) {
        status = cn_events_add_pending(world);
    }
    return status == CN_OK ? CN_OK : no_memory(world, error);
}

static CnStatus finish(CnStepRun* run, CnError* error) {
    (void)error;
    cn_world_advance_constraints(run->world);
    return CN_OK;
}

const CnSchemeTable cn_scheme_soft_step = {
    .step =
        {
            .stage =
                {
                    [CN_STAGE_BEGIN] = begin,
                    [CN_STAGE_PAIRS] = find_pairs,
                    [CN_STAGE_CONTACTS] = find_contacts,
                    [CN_STAGE_ROWS] = build_rows,
                    [CN_STAGE_ISLANDS] = update_islands,
                    [CN_STAGE_SOLVE] = solve,
                    [CN_STAGE_MOVE] = move,
                    [CN_STAGE_CORRECT] = check,
                    [CN_STAGE_GRADE] = grade,
                    [CN_STAGE_FINISH] = finish,
                },
        },
    .has_contacts = true,
};

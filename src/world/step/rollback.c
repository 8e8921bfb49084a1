// rollback.c - a world as a step finds it, to go back to should the step fail.
//
// A step changes: time, states and places of bodies; results and memory of constraints; pair
// records and manifolds, which save themselves (pair_store.h); the buffers from which the last step
// can be read; events; warnings; the fat boxes of the broad phase, which only save work and may
// stay.
#include "world/step/rollback.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/tasks.h"
#include "world/bodies/body_links.h"
#include "world/bodies/body_settings.h"
#include "world/contacts/contacts.h"
#include "world/soft/soft_pack.h"
#include "world/step/warnings.h"

#include <string.h>

// Scratch of a step that nobody reads afterwards goes to the present one: there is one of it.
static void hand_scratch_over(CnStep* from, CnStep* to) {
    to->motions = from->motions;
    to->extras = from->extras;
    to->start_velocity = from->start_velocity;
    to->momentum = from->momentum;
    to->mean_velocity = from->mean_velocity;
    to->scratch_capacity = from->scratch_capacity;
    if (from->notes.capacity > to->notes.capacity) {
        CnTileNotes notes = to->notes;
        to->notes = from->notes;
        from->notes = notes;
    }
    if (from->traces.capacity > to->traces.capacity) {
        CnTileTraces traces = to->traces;
        to->traces = from->traces;
        from->traces = traces;
    }
    from->motions.data = NULL;
    from->motions.count = from->motions.capacity = 0;
    from->extras.data = NULL;
    from->extras.count = from->extras.capacity = 0;
    from->start_velocity = from->momentum = from->mean_velocity = NULL;
    from->scratch_capacity = 0;
}

static void swap_steps(CnWorld* world) {
    CnStep step = world->step;
    CnContactTotals totals = world->contact_totals;
    CnAssembledStep assembled = world->assembled;
    CnAttributionStore attribution = world->attribution;
    world->step = world->spare_step;
    world->contact_totals = world->spare_totals;
    world->assembled = world->spare_assembled;
    world->attribution = world->spare_attribution;
    world->spare_step = step;
    world->spare_totals = totals;
    world->spare_assembled = assembled;
    world->spare_attribution = attribution;
    hand_scratch_over(&world->spare_step, &world->step);
}

static unsigned char* results_of(CnUserConstraint* constraint) {
    return (unsigned char*)constraint + offsetof(CnUserConstraint, impulse);
}

// Results as numbers: of a constraint with one row, most drives, only those of the row.
#define RESULT_NUMBERS ((CN_CONSTRAINT_RESULTS + sizeof(double) - 1) / sizeof(double))
#define NUMBERS_OF_ROW 5

// It has not given any impulse in this step yet.
static inline double* save_results(CnUserConstraint* constraint, double* memory) {
    if (constraint->kind->dimension == 1) {
        memory[0] = constraint->impulse[0];
        memory[1] = constraint->value[0];
        memory[2] = constraint->kept[0];
        memory[3] = constraint->residual;
        memory[4] = constraint->age;
        constraint->impulse[0] = 0.0;
        return memory + NUMBERS_OF_ROW;
    }
    memcpy(memory, results_of(constraint), CN_CONSTRAINT_RESULTS);
    memset(constraint->impulse, 0, sizeof constraint->impulse);
    return memory + RESULT_NUMBERS;
}

static const double* restore_results(CnUserConstraint* constraint, const double* memory) {
    if (constraint->kind->dimension == 1) {
        constraint->impulse[0] = memory[0];
        constraint->value[0] = memory[1];
        constraint->kept[0] = memory[2];
        constraint->residual = memory[3];
        constraint->age = (int)memory[4];
        return memory + NUMBERS_OF_ROW;
    }
    memcpy(results_of(constraint), memory, CN_CONSTRAINT_RESULTS);
    return memory + RESULT_NUMBERS;
}

// What a step may change of a constraint's data, if they advance: of a part of a joint the angles
// that count on, in the terms of its rows; else all.
static bool counts_angles(const CnUserConstraint* constraint) {
    return constraint->joint.index != 0 && constraint->kind->body_count != 4;
}

static inline double* save_data(const CnUserConstraint* constraint, double* memory) {
    if (!counts_angles(constraint)) {
        memcpy(memory, constraint->data, constraint->data_size);
        return memory + (constraint->data_size + sizeof(double) - 1) / sizeof(double);
    }
    CnJointPart* part = constraint->data;
    const CnJointRow* rows = cn_joint_part_rows(part);
    for (int i = 0; i < part->row_count; ++i) {
        const CnJointTerm* terms = rows[i].terms;
        *memory++ = terms[0].near;
        *memory++ = terms[1].near;
    }
    return memory;
}

static const double* restore_data(const CnUserConstraint* constraint, const double* memory) {
    if (!counts_angles(constraint)) {
        memcpy(constraint->data, memory, constraint->data_size);
        return memory + (constraint->data_size + sizeof(double) - 1) / sizeof(double);
    }
    CnJointPart* part = constraint->data;
    for (int i = 0; i < part->row_count; ++i) {
        CnJointTerm* terms = cn_joint_part_rows(part)[i].terms;
        terms[0].near = *memory++;
        terms[1].near = *memory++;
    }
    return memory;
}

size_t cn_rollback_numbers(const CnUserConstraint* constraint, bool advances) {
    size_t data = (constraint->data_size + sizeof(double) - 1) / sizeof(double);
    return RESULT_NUMBERS + (advances ? data : 0);
}

// Bodies that are saved by one task: for most of them only their number is written.
#define GRAIN 512

static void save_body(const CnWorld* world, const CnRollback* rollback, int k, int index) {
    rollback->bodies[k] = (CnSavedBody){.body = index};
    if (k >= rollback->first_state) {
        const CnBody* body = cn_world_body_by_index(world, index);
        rollback->bodies[k].was_exact = body->was_exact;
        rollback->states[k - rollback->first_state] = body->state;
    }
    if (rollback->sleeps != NULL) {
        rollback->sleeps[k] = world->bodies.data[index].sleep;
    }
}

static void save_place(const CnWorld* world, const CnRollback* rollback, int k) {
    CnSavedBody* saved = &rollback->bodies[k];
    if (!saved->has_place && saved->body < rollback->place_count) {
        saved->has_place = true;
        rollback->places[k].place = world->places.data[saved->body];
        if (saved->body < rollback->soft_place_count) {
            rollback->places[k].soft = world->soft_places.data[saved->body];
        }
    }
}

static void save_posed(const CnWorld* world, const CnRollback* rollback, int k) {
    CnSavedBody* saved = &rollback->bodies[k];
    if (!saved->has_posed && saved->body < rollback->posed_count) {
        saved->has_posed = true;
        rollback->places[k].posed = world->posed.data[saved->body];
    }
}

// Among the bodies that the step began with; CN_NONE: it is not one of them.
static int find_body(const CnRollback* rollback, int body, int near) {
    int low = 0, high = rollback->first_count;
    if (near < high && rollback->bodies[near].body == body) {
        return near;
    }
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (rollback->bodies[middle].body < body) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < rollback->first_count && rollback->bodies[low].body == body ? low : CN_NONE;
}

// Whether there is room to save places. Any worker may ask.
static bool has_room(CnWorld* world) {
    CnRollback* rollback = world->rollback;
    atomic_bool* mark =
        rollback->places == NULL ? &rollback->waits : &world->saved_places.was_needed;
    if (!atomic_load_explicit(mark, memory_order_relaxed)) {
        atomic_store_explicit(mark, true, memory_order_relaxed);
    }
    return rollback->places != NULL;
}

// What of those that woke since is saved already.
bool cn_rollback_keep_place(CnWorld* world, int body, int near) {
    CnRollback* rollback = world->rollback;
    int k = rollback == NULL ? CN_NONE : find_body(rollback, body, near);
    if (k >= 0 && body < rollback->place_count && !rollback->bodies[k].has_place) {
        if (!has_room(world)) {
            return false;
        }
        save_place(world, rollback, k);
    }
    return true;
}

bool cn_rollback_keep_posed(CnWorld* world, int body, int near) {
    CnRollback* rollback = world->rollback;
    int k = rollback == NULL ? CN_NONE : find_body(rollback, body, near);
    if (k >= 0 && body < rollback->posed_count && !rollback->bodies[k].has_posed) {
        if (!has_room(world)) {
            return false;
        }
        save_posed(world, rollback, k);
    }
    return true;
}

bool cn_rollback_make_room(CnWorld* world, bool* is_again) {
    CnRollback* rollback = world->rollback;
    *is_again = rollback != NULL && atomic_load_explicit(&rollback->waits, memory_order_relaxed);
    if (!*is_again) {
        return true;
    }
    if (!cn_array_reserve(&world->saved_places, &world->allocator, rollback->first_count)) {
        return false;
    }
    rollback->places = world->saved_places.data;
    atomic_store_explicit(&rollback->waits, false, memory_order_relaxed);
    return true;
}

void cn_rollback_trim(CnWorld* world) {
    if (!atomic_exchange(&world->saved_places.was_needed, false)) {
        cn_array_free(&world->saved_places, &world->allocator);
    }
}

void cn_rollback_note_starts(CnWorld* world) {
    if (world->rollback != NULL) {
        world->rollback->has_starts = true;
    }
}

static inline void add_constraint(const CnWorld* world, CnRollback* rollback, int slot,
                                  bool advances) {
    CnUserConstraint* constraint = cn_pool_element(&world->constraints, slot);
    double* end = save_results(constraint, rollback->memory + rollback->memory_size);
    end = advances ? save_data(constraint, end) : end;
    rollback->constraints[rollback->constraint_count++] = 2 * slot + advances;
    rollback->memory_size = end - rollback->memory;
}

// Constraints that come to act in the middle of a step have the impulses of their last one.
void cn_rollback_add_body(CnWorld* world, int body) {
    CnRollback* rollback = world->rollback;
    int k = find_body(rollback, body, 0);
    if (k < 0) {
        k = rollback->body_count++;
        save_body(world, rollback, k, body);
    }
    CN_ASSERT(rollback->places != NULL || rollback->place_count + rollback->posed_count == 0);
    save_place(world, rollback, k);
    save_posed(world, rollback, k);
    for (int link = cn_body_first_link(world, body, CN_LINK_CONSTRAINT); link != 0;
         link = cn_link_next(world, CN_LINK_CONSTRAINT, link)) {
        const CnUserConstraint* constraint = cn_pool_at(&world->constraints, cn_link_slot(link));
        if (cn_constraint_is_idle(world, constraint)) {
            add_constraint(world, rollback, cn_link_slot(link), cn_constraint_advances(constraint));
        }
    }
}

// Those whose place or pose a step may write: all, if what is kept about the others is out of date.
static CnIndexList bodies_to_save(const CnWorld* world) {
    const CnActive* active = &world->active;
    bool placed_first = active->placed < active->posed;
    return cn_active_bodies_since(world, placed_first ? active->placed : active->posed);
}

typedef struct Saving {
    const CnWorld* world;
    const CnRollback* rollback;
    CnIndexList list;
} Saving;

static void save_range(int begin, int end, int worker, void* data) {
    const Saving* saving = data;
    (void)worker;
    for (int k = begin; k < end; ++k) {
        save_body(saving->world, saving->rollback, k, cn_index_at(&saving->list, k));
    }
}

// Whether bodies change only after their motions have noted where they start: not in steps of
// several parts.
static bool starts_are_noted(const CnWorld* world) {
    return world->def.step.scheme == CN_SCHEME_MOREAU && world->def.step.substeps == 1 &&
           world->driven_count == 0 && world->fast_count == 0;
}

CnStatus cn_rollback_begin(CnWorld* world, CnRollback* rollback) {
    CnArena* arena = &world->arena;
    const CnActive* active = &world->active;
    CnIndexList bodies = bodies_to_save(world);
    int room = bodies.count + world->sleeping.bodies;
    int first_state = starts_are_noted(world) ? bodies.count : 0;
    bool is_soft = world->def.step.scheme == CN_SCHEME_SOFT_STEP; // its tiles have no centres
    bool may_wait = is_soft && world->sleeping.bodies == 0;       // nobody wakes
    bool has_places = world->places.count > 0 || world->posed.count > 0;
    bool may_sleep = world->def.step.sleep || world->sleeping.bodies > 0;
    size_t of_body = sizeof(CnSavedBody) + (has_places && !may_wait ? sizeof(CnSavedPlace) : 0) +
                     (first_state == 0 ? sizeof(CnBodyState) : 0) +
                     (may_sleep ? sizeof(CnSleep) : 0);
    size_t of_constraints = (size_t)cn_pool_slot_count(&world->constraints) * sizeof(int) +
                            active->saved_numbers * sizeof(double);
    if (!cn_arena_reserve(arena, (size_t)room * of_body + of_constraints + 6 * CN_ALIGNMENT)) {
        return CN_NO_MEMORY;
    }
    *rollback = (CnRollback){
        .time = world->time,
        .whole_dt = world->whole_dt,
        .kept_dt = world->kept_dt,
        .tile_posing = world->tile_posing,
        .place_count = world->places.count,
        .soft_place_count = world->soft_places.count,
        .posed_count = world->posed.count,
        .bodies = CN_ARENA_RAW(arena, CnSavedBody, room),
        .body_count = bodies.count,
        .first_count = bodies.count,
        .places = has_places && !may_wait ? CN_ARENA_RAW(arena, CnSavedPlace, room) : NULL,
        .states = CN_ARENA_RAW(arena, CnBodyState, room - first_state),
        .first_state = first_state,
        .sleeps = may_sleep ? CN_ARENA_RAW(arena, CnSleep, room) : NULL,
        .sleeping = world->sleeping,
        .constraints = CN_ARENA_RAW(arena, int, cn_pool_slot_count(&world->constraints)),
        .memory = CN_ARENA_RAW(arena, double, active->saved_numbers),
    };
    if (rollback->bodies == NULL || rollback->states == NULL || rollback->constraints == NULL ||
        rollback->memory == NULL || (has_places && !may_wait && rollback->places == NULL) ||
        (may_sleep && rollback->sleeps == NULL)) {
        return CN_NO_MEMORY;
    }
    if (may_wait && world->saved_places.capacity >= room) {
        rollback->places = world->saved_places.data;
    }
    for (int i = 0, next = 0; i < active->constraints.count; ++i) {
        int slot = active->constraints.data[i];
        bool advances = next < active->advancing.count && active->advancing.data[next] == slot;
        add_constraint(world, rollback, slot, advances);
        next += advances;
    }
    world->rollback = rollback;
    Saving saving = {world, rollback, bodies};
    cn_tasks_for(&world->def.tasks, bodies.count, GRAIN, save_range, &saving);
    world->pairs.hints.dt = world->tile_posing.dt;
    world->pairs.hints.posed = is_soft ? NULL : world->posed.data;
    world->pairs.hints.posed_count = world->posed.count;
    cn_pair_store_begin(&world->pairs);
    cn_soft_open(world);
    swap_steps(world);
    world->assembled.is_valid = false;
    return CN_OK;
}

// Pairs stay lost that nothing is kept of, as those of shapes that were removed before the step: a
// slot may be another shape's by now.
static void forget_gone(CnWorld* world) {
    CnPairSet* set = &world->broad_phase.set;
    int kept = 0;
    for (int i = 0; i < set->lost.count; ++i) {
        int record = set->lost_records.data[i];
        if (record == CN_NO_RECORD) {
            continue;
        }
        if (world->pairs.records.data[record].is_gone) {
            cn_pair_store_drop_record(&world->pairs, record);
            continue;
        }
        set->lost.data[kept] = set->lost.data[i];
        set->lost_records.data[kept++] = record;
    }
    set->lost.count = set->lost_records.count = kept;
}

// Pairs that the step lost are back. Why it lost them, a joint or a filter for example, still
// holds: the next step asks again.
static void restore_lost(CnWorld* world) {
    CnPairSet* set = &world->broad_phase.set;
    forget_gone(world);
    for (int i = 0; i < set->lost.count; ++i) {
        cn_broad_phase_filter_again(&world->broad_phase, cn_pair_first(set->lost.data[i]));
    }
    cn_pair_set_restore_lost(set);
}

// Pairs that the step found have no record again, those that it lost are back.
static void restore_contacts(CnWorld* world, const CnRollback* rollback) {
    CnPairSet* set = &world->broad_phase.set;
    world->pairs.hints.posed = world->posed.data; // where bodies were is back by now
    cn_pair_store_restore(&world->pairs);
    cn_soft_undo(world);
    restore_lost(world);
    for (int i = 0; i < set->pairs.count; ++i) {
        int record = set->records.data[i];
        if (record != CN_NO_RECORD && !world->pairs.records.data[record].in_use) {
            set->records.data[i] = CN_NO_RECORD;
        }
    }
    cn_places_search_again(world);
    world->places.count = rollback->place_count;
    world->soft_places.count = rollback->soft_place_count;
    world->posed.count = rollback->posed_count;
    world->kept_dt = rollback->kept_dt;
    world->tile_posing = rollback->tile_posing;
    world->islands.links.count = -1; // to be found anew
}

// Those that woke sleep on, those that fell asleep do not.
static void restore_body(CnWorld* world, const CnRollback* rollback, int k) {
    const CnSavedBody* saved = &rollback->bodies[k];
    CnBody* body = cn_world_body_by_index(world, saved->body);
    bool was_shown = body->sleep.is_asleep;
    if (k >= rollback->first_state) {
        body->state = rollback->states[k - rollback->first_state];
        body->was_exact = saved->was_exact;
    } else if (rollback->has_starts) {
        body->state = world->step.motions.data[saved->body].start;
    }
    if (rollback->sleeps != NULL) {
        body->sleep = rollback->sleeps[k];
    }
    body->sleep.is_placed = false;
    if (body->sleep.is_asleep != was_shown) {
        cn_body_show_type(world, saved->body);
    }
    if (saved->has_place) {
        world->places.data[saved->body] = rollback->places[k].place;
    }
    if (saved->has_place && saved->body < rollback->soft_place_count) {
        world->soft_places.data[saved->body] = rollback->places[k].soft;
    }
    if (saved->has_posed) {
        world->posed.data[saved->body] = rollback->places[k].posed;
    }
}

void cn_rollback_restore(CnWorld* world, const CnRollback* rollback) {
    world->time = rollback->time;
    world->whole_dt = rollback->whole_dt;
    for (int i = 0; i < rollback->body_count; ++i) {
        restore_body(world, rollback, i);
    }
    world->sleeping = rollback->sleeping;
    const double* memory = rollback->memory;
    for (int i = 0; i < rollback->constraint_count; ++i) {
        CnUserConstraint* constraint =
            cn_pool_element(&world->constraints, rollback->constraints[i] / 2);
        memory = restore_results(constraint, memory);
        if (rollback->constraints[i] % 2 != 0) {
            memory = restore_data(constraint, memory);
        }
    }
    restore_contacts(world, rollback);
    swap_steps(world);
    cn_warnings_restore(world, 0);
    cn_active_change(world);
}

void cn_rollback_commit(CnWorld* world) {
    CnPairSet* set = &world->broad_phase.set;
    cn_world_keep_pairs_with_points(world);
    for (int i = 0; i < set->lost.count; ++i) {
        if (set->lost_records.data[i] != CN_NO_RECORD) {
            cn_pair_store_drop_record(&world->pairs, set->lost_records.data[i]);
        }
    }
    cn_pair_set_forget_lost(set);
    cn_pair_store_commit(&world->pairs);
}

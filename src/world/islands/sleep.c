// sleep.c - islands that have come to rest and cost nothing until something meets them.
#include "world/islands/sleep.h"

#include "base/error.h"
#include "constraints/problem/block.h"
#include "world/bodies/body_links.h"
#include "world/bodies/body_settings.h"
#include "world/bodies/body_shapes.h"
#include "world/contacts/contacts.h"
#include "world/soft/soft_pack.h"
#include "world/step/ledger.h"
#include "world/step/rollback.h"
#include "world/world.h"

static CnSleep* sleep_of(const CnWorld* world, int body) {
    return &world->bodies.data[body].sleep;
}

double cn_sleep_mass(const CnWorld* world, int body) {
    return world->details.data[body].mass->mass;
}

// ---- waking ----

// Impulses that are a guess for steps of another length are scaled to that of the last one. False:
// no memory to save them, within a step.
static bool scale_manifold(CnWorld* world, int index, double ratio) {
    if (world->rollback != NULL && !cn_pair_store_save_manifold(&world->pairs, index)) {
        return false;
    }
    CnManifold* manifold = cn_manifold_at(&world->pairs, index);
    cn_pair_store_unframe(&world->pairs, index);
    for (int i = 0; i < manifold->count; ++i) {
        cn_pair_store_set_impulse(
            &world->pairs, index, i,
            cn_vec3_scale(ratio, cn_pair_store_impulse(&world->pairs, index, i)));
    }
    return true;
}

// Other bodies may have been stepped otherwise since: tiles are built anew. A pair of two that wake
// is met twice; its impulses are scaled from its first side. False: no memory, within a step.
static bool renew_contacts(CnWorld* world, int body) {
    const CnSleep* sleep = sleep_of(world, body);
    bool ok = true;
    double ratio = sleep->part_dt > 0.0 ? world->kept_dt / sleep->part_dt : 1.0;
    for (int s = world->details.data[body].first_shape; s >= 0;
         s = cn_world_shape_at(world, s)->next) {
        cn_world_forget_tiles(world, s);
        for (int l = cn_pair_store_first(&world->pairs, s); ratio != 1.0 && l >= 0;
             l = cn_pair_store_next(&world->pairs, l)) {
            const CnPairRecord* record = &world->pairs.records.data[l / 2];
            int other = cn_world_shape_at(world, record->shape[1 - l % 2])->body;
            bool is_first = l % 2 == 0 || world->details.data[other].type != CN_BODY_DYNAMIC;
            for (int m = record->manifold; is_first && m >= 0;
                 m = cn_manifold_at(&world->pairs, m)->next) {
                ok = scale_manifold(world, m, ratio) && ok;
            }
        }
    }
    return ok;
}

// False: it is awake, but within a step there was no memory to save its contacts.
static bool wake_one(CnWorld* world, int body) {
    CnSleep* sleep = sleep_of(world, body);
    if (world->rollback != NULL) {
        cn_rollback_add_body(world, body);
    }
    bool ok = renew_contacts(world, body);
    *sleep = (CnSleep){.previous = body, .next = body, .was_asleep = sleep->was_asleep};
    --world->sleeping.bodies;
    cn_body_show_type(world, body);
    return ok;
}

static bool wake_ring(CnWorld* world, int body) {
    if (!sleep_of(world, body)->is_asleep) {
        return true;
    }
    int next = body;
    bool ok = true;
    do {
        int present = next;
        next = sleep_of(world, present)->next;
        ok = wake_one(world, present) && ok;
    } while (next != body);
    --world->sleeping.islands;
    return ok;
}

// Between steps nothing is saved, so that no memory is needed; within a step, bodies of a joint
// that breaks are awake.
void cn_sleep_wake(CnWorld* world, int body) {
    bool is_saved = wake_ring(world, body);
    CN_ASSERT(is_saved);
    (void)is_saved;
}

void cn_sleep_wake_two(CnWorld* world, CnBodyId a, CnBodyId b) {
    const CnBodyId ids[2] = {a, b};
    for (int i = 0; world->sleeping.bodies > 0 && i < 2; ++i) {
        int body = cn_world_body_index(world, ids[i]);
        if (body >= 0) {
            cn_sleep_wake(world, body);
        }
    }
}

void cn_sleep_wake_all(CnWorld* world) {
    for (int i = 0; world->sleeping.bodies > 0 && i < world->bodies.count; ++i) {
        cn_sleep_wake(world, i);
    }
}

// ---- neighbours ----

typedef void VisitBody(CnWorld* world, int body, void* data);

// The bodies of the two sides of a joint, a constraint or a contact given by hand.
static void linked_bodies(const CnWorld* world, CnLinkKind kind, int slot, CnBodyId bodies[2]) {
    if (kind == CN_LINK_JOINT) {
        const CnJoint* joint = cn_pool_at(&world->joints, slot);
        bodies[0] = joint->body_a;
        bodies[1] = joint->body_b;
    } else if (kind == CN_LINK_CONSTRAINT) {
        const CnUserConstraint* constraint = cn_pool_at(&world->constraints, slot);
        bodies[0] = constraint->body_a;
        bodies[1] = constraint->body_b;
    } else {
        const CnGivenContact* given = cn_pool_at(&world->given_contacts, slot);
        bodies[0] = given->body_a;
        bodies[1] = given->body_b;
    }
}

static void visit_linked(CnWorld* world, int body, CnLinkKind kind, VisitBody* visit, void* data) {
    for (int link = cn_body_first_link(world, body, kind); link != 0;
         link = cn_link_next(world, kind, link)) {
        CnBodyId bodies[2];
        linked_bodies(world, kind, cn_link_slot(link), bodies);
        for (int side = 0; side < 2; ++side) {
            int other = cn_world_body_index(world, bodies[side]);
            if (other >= 0 && other != body) {
                visit(world, other, data);
            }
        }
    }
}

// All that a body is joined to, and all that is near it or, if only that is asked for, touches it.
static void visit_neighbours(CnWorld* world, int body, bool touching, VisitBody* visit,
                             void* data) {
    for (int s = world->details.data[body].first_shape; s >= 0;
         s = cn_world_shape_at(world, s)->next) {
        for (int l = cn_pair_store_first(&world->pairs, s); l >= 0;
             l = cn_pair_store_next(&world->pairs, l)) {
            const CnPairRecord* record = &world->pairs.records.data[l / 2];
            if (!record->is_sensor && (touching ? record->is_touching : record->manifold >= 0)) {
                visit(world, cn_world_shape_at(world, record->shape[1 - l % 2])->body, data);
            }
        }
    }
    visit_linked(world, body, CN_LINK_JOINT, visit, data);
    visit_linked(world, body, CN_LINK_CONSTRAINT, visit, data);
    visit_linked(world, body, CN_LINK_CONTACT, visit, data);
}

static void wake_visited(CnWorld* world, int body, void* data) {
    (void)data;
    cn_sleep_wake(world, body);
}

void cn_sleep_disturb(CnWorld* world, int body) {
    if (world->sleeping.bodies > 0) {
        visit_neighbours(world, body, false, wake_visited, NULL);
        cn_sleep_wake(world, body);
    }
}

void cn_sleep_move_body(CnWorld* world, int index, int last) {
    CnSleep* sleep = sleep_of(world, index);
    if (!sleep->is_asleep || sleep->next == last) { // alone
        sleep->previous = sleep->next = index;
        return;
    }
    sleep_of(world, sleep->previous)->next = index;
    sleep_of(world, sleep->next)->previous = index;
}

// ---- being met ----

static bool is_awake_dynamic(const CnWorld* world, int body) {
    return body >= 0 && world->bodies.data[body].type == CN_BODY_DYNAMIC;
}

static bool sleeps(const CnWorld* world, int body) {
    return body >= 0 && sleep_of(world, body)->is_asleep;
}

static bool moves(const CnBody* body) {
    CnVec3 v = body->state.velocity, w = body->state.angular_velocity;
    return cn_vec3_dot(v, v) > 0.0 || cn_vec3_dot(w, w) > 0.0;
}

bool cn_sleep_is_pair_idle(const CnWorld* world, const CnPairRecord* record) {
    int bodies[2] = {record->body[0], record->body[1]};
    bool asleep[2] = {sleeps(world, bodies[0]), sleeps(world, bodies[1])};
    if (asleep[0] == asleep[1]) {
        return asleep[0];
    }
    int other = asleep[0] ? 1 : 0;
    return !is_awake_dynamic(world, bodies[other]) &&
           record->epoch[other] == world->places.data[bodies[other]].epoch;
}

double cn_sleep_dt(const CnWorld* world, int body_a, int body_b, double* part_dt) {
    const int bodies[2] = {body_a, body_b};
    for (int side = 0; side < 2; ++side) {
        if (sleeps(world, bodies[side]) && !is_awake_dynamic(world, bodies[1 - side])) {
            *part_dt = sleep_of(world, bodies[side])->part_dt;
            return sleep_of(world, bodies[side])->dt;
        }
    }
    *part_dt = world->step.dt;
    return world->whole_dt;
}

double cn_constraint_dt(const CnWorld* world, const CnUserConstraint* constraint) {
    double part_dt;
    return cn_sleep_dt(world, cn_world_body_index(world, constraint->body_a),
                       cn_world_body_index(world, constraint->body_b), &part_dt);
}

bool cn_sleep_are_idle(const CnWorld* world, CnBodyId a, CnBodyId b) {
    int bodies[2] = {cn_world_body_index(world, a), cn_world_body_index(world, b)};
    return (sleeps(world, bodies[0]) || sleeps(world, bodies[1])) &&
           !is_awake_dynamic(world, bodies[0]) && !is_awake_dynamic(world, bodies[1]);
}

bool cn_constraint_is_idle(const CnWorld* world, const CnUserConstraint* constraint) {
    bool idle = cn_sleep_are_idle(world, constraint->body_a, constraint->body_b);
    if (!idle || constraint->kind->body_count < 4) {
        return idle;
    }
    return !is_awake_dynamic(world, cn_world_body_index(world, constraint->body_c)) &&
           !is_awake_dynamic(world, cn_world_body_index(world, constraint->body_d));
}

static void meet(CnWorld* world, int body) {
    if (sleeps(world, body)) {
        sleep_of(world, body)->is_met = true;
        world->sleeping.is_met = true;
    }
}

void cn_sleep_note_found(CnWorld* world, int body_a, int body_b) {
    if (world->sleeping.bodies == 0) {
        return;
    }
    meet(world, body_a);
    meet(world, body_b);
}

static void bodies_of(const CnWorld* world, const CnPairRecord* record, int bodies[2]) {
    if (record->given >= 0) {
        const CnGivenContact* given = cn_pool_at(&world->given_contacts, record->given);
        bodies[0] = cn_world_body_index(world, given->body_a);
        bodies[1] = cn_world_body_index(world, given->body_b);
    } else {
        bodies[0] = record->body[0];
        bodies[1] = record->body[1];
    }
}

bool cn_sleep_admit_record(CnWorld* world, int record) {
    int bodies[2];
    bodies_of(world, &world->pairs.records.data[record], bodies);
    if (!sleeps(world, bodies[0]) && !sleeps(world, bodies[1])) {
        return true;
    }
    for (int side = 0; side < 2; ++side) {
        if (is_awake_dynamic(world, bodies[side])) {
            meet(world, bodies[1 - side]);
            return true;
        }
    }
    return false;
}

// Rows of constraints between something awake and something asleep: a rope that has come taut.
static void meet_blocks(CnWorld* world) {
    const CnRows* rows = &world->step.rows;
    for (int i = 0; i < rows->blocks.count; ++i) {
        for (int side = 0; side < cn_block_sides(&rows->blocks.data[i]); ++side) {
            meet(world, cn_block_body(&rows->blocks.data[i], side));
        }
    }
}

CnStatus cn_sleep_wake_met(CnWorld* world, bool* is_met) {
    *is_met = false;
    if (world->sleeping.bodies == 0) {
        return CN_OK;
    }
    meet_blocks(world);
    bool ok = true;
    *is_met = world->sleeping.is_met;
    for (int i = 0; *is_met && i < world->bodies.count; ++i) {
        if (sleep_of(world, i)->is_met) {
            ok = wake_ring(world, i) && ok;
        }
    }
    world->sleeping.is_met = false;
    return ok ? CN_OK : CN_NO_MEMORY;
}

// ---- falling asleep ----

// Adds a body to the ring of another; to its own it is a ring alone.
static void put_to_sleep(CnWorld* world, int body, int first) {
    CnSleep* sleep = sleep_of(world, body);
    CnVec3 zero = {0.0, 0.0, 0.0};
    sleep->is_asleep = true;
    sleep->dt = world->whole_dt;
    sleep->part_dt = world->kept_dt;
    sleep->is_placed = sleep->is_met = false;
    sleep->previous = sleep->next = body;
    if (body != first) {
        CnSleep* head = sleep_of(world, first);
        sleep->previous = head->previous;
        sleep->next = first;
        sleep_of(world, head->previous)->next = body;
        head->previous = body;
    }
    world->bodies.data[body].state.velocity = world->bodies.data[body].state.angular_velocity =
        zero;
    ++world->sleeping.bodies;
    cn_body_show_type(world, body);
    cn_body_place(world, body);
}

static bool is_driven(const CnJoint* joint) {
    if (!joint->enabled || joint->broken) {
        return false;
    }
    for (int i = 0; i < joint->axis_count; ++i) {
        const CnJointAxis* axis = &joint->axes[i].settings;
        if (axis->series.index != 0 || (axis->motor != CN_MOTOR_POSITION && axis->target != 0.0)) {
            return true;
        }
    }
    return joint->spring != NULL; // which may depend on time
}

// Whether something other than contacts and gravity acts on a body, or may do so later.
static bool is_held_awake(const CnWorld* world, int body) {
    const CnBodyDetails* details = &world->details.data[body];
    bool held = details->applied != 0 || details->first_link[CN_LINK_FORCE] != 0;
    for (int link = cn_body_first_link(world, body, CN_LINK_JOINT); !held && link != 0;
         link = cn_link_next(world, CN_LINK_JOINT, link)) {
        held = is_driven(cn_pool_at(&world->joints, cn_link_slot(link)));
    }
    for (int link = cn_body_first_link(world, body, CN_LINK_CONSTRAINT); !held && link != 0;
         link = cn_link_next(world, CN_LINK_CONSTRAINT, link)) {
        const CnUserConstraint* own = cn_pool_at(&world->constraints, cn_link_slot(link));
        held = own->joint.index == 0 && own->kind->time_rate != NULL;
    }
    return held;
}

// How long it has been slow: at its centre, and as far out as its radius of gyration.
static void time_bodies(CnWorld* world) {
    CnIndexList moving = cn_active_bodies(world);
    for (int k = 0; k < moving.count; ++k) {
        CnBody* body = &world->bodies.data[cn_index_at(&moving, k)];
        if (body->type != CN_BODY_DYNAMIC) {
            continue;
        }
        double speed = cn_vec3_length(body->state.velocity) +
                       cn_vec3_length(body->state.angular_velocity) * cn_body_gyration_radius(body);
        body->sleep.quiet =
            speed < world->def.step.sleep_speed ? body->sleep.quiet + world->whole_dt : 0.0;
    }
}

static bool may_sleep(const CnWorld* world, int body) {
    const CnBody* own = &world->bodies.data[body];
    if (own->type != CN_BODY_DYNAMIC) {
        return !moves(own);
    }
    return own->sleep.quiet >= world->def.step.sleep_time && !is_held_awake(world, body);
}

static bool has_belt(const CnWorld* world, int island) {
    const CnIslandStore* store = &world->islands;
    for (int k = store->manifold_start.data[island]; k < store->manifold_start.data[island + 1];
         ++k) {
        int manifold = world->step.manifolds.data[store->manifold.data[k]];
        if (cn_manifold_at(&world->pairs, manifold)->is_belt) {
            return true;
        }
    }
    return false;
}

static void settle(CnWorld* world, const int* bodies, int count, CnStepReport* report) {
    int first = -1;
    for (int i = 0; i < count; ++i) {
        if (is_awake_dynamic(world, bodies[i])) {
            first = first < 0 ? bodies[i] : first;
            cn_ledger_stop_body(&world->bodies.data[bodies[i]], &report->energy, &report->momentum);
            put_to_sleep(world, bodies[i], first);
        }
    }
    world->sleeping.islands += first >= 0;
}

static void settle_islands(CnWorld* world, uint8_t* is_joined, CnStepReport* report) {
    const CnIslandStore* store = &world->islands;
    for (int i = 0; i < store->count; ++i) {
        const int* bodies = store->body.data + store->body_start.data[i];
        int count = store->body_start.data[i + 1] - store->body_start.data[i];
        bool rests = true;
        for (int k = 0; k < count; ++k) {
            is_joined[bodies[k]] = 1;
            rests = rests && may_sleep(world, bodies[k]);
        }
        if (rests && !has_belt(world, i)) {
            settle(world, bodies, count, report);
        }
    }
}

CnStatus cn_sleep_end_step(CnWorld* world, CnStepReport* report) {
    CnStatus status = CN_OK;
    if (world->def.step.sleep) {
        CnArenaMark mark = cn_arena_mark(&world->arena);
        CnIndexList moving = cn_active_bodies(world);
        uint8_t* is_joined = CN_ARENA_RAW(&world->arena, uint8_t, world->bodies.count);
        for (int k = 0; is_joined != NULL && k < moving.count; ++k) {
            is_joined[cn_index_at(&moving, k)] = 0;
        }
        status = is_joined == NULL ? CN_NO_MEMORY : CN_OK;
        if (status == CN_OK) {
            time_bodies(world);
            settle_islands(world, is_joined, report);
        }
        for (int k = 0; status == CN_OK && k < moving.count; ++k) { // those without rows
            int i = cn_index_at(&moving, k);
            if (!is_joined[i] && is_awake_dynamic(world, i) && may_sleep(world, i)) {
                settle(world, &i, 1, report);
            }
        }
        cn_arena_release(&world->arena, mark);
    }
    if (status == CN_OK && world->sleeping.bodies > 0 && !cn_soft_reserve_flush(world)) {
        status = CN_NO_MEMORY; // their contacts are in no lane soon
    }
    report->sleeping_bodies = world->sleeping.bodies;
    report->sleeping_islands = world->sleeping.islands;
    return status;
}

// ---- by hand ----

bool cn_body_is_awake(const CnWorld* world, CnBodyId id) {
    int body = cn_world_body_index(world, id);
    return is_awake_dynamic(world, body);
}

static void join_ring(CnWorld* world, int body, void* data) {
    const int* first = data;
    if (is_awake_dynamic(world, body)) {
        put_to_sleep(world, body, *first);
    }
}

CnStatus cn_body_set_awake(CnWorld* world, CnBodyId id, bool awake, CnError* error) {
    int body;
    CnStatus status = cn_body_check_change(world, id, &body, error);
    if (status != CN_OK) {
        return status;
    }
    if (awake) {
        cn_sleep_wake(world, body);
        sleep_of(world, body)->quiet = 0.0;
        return CN_OK;
    }
    if (world->def.step.scheme == CN_SCHEME_ACCELERATION) {
        return cn_error_set(error, CN_UNSUPPORTED, "bodies do not sleep in scheme acceleration");
    }
    if (!cn_soft_reserve_flush(world)) {
        return cn_error_set(error, CN_NO_MEMORY,
                            "no memory for the contacts of a body that sleeps");
    }
    if (is_awake_dynamic(world, body)) {
        int next = body;
        put_to_sleep(world, body, body);
        do { // the ring grows while it is walked
            visit_neighbours(world, next, true, join_ring, &body);
            next = sleep_of(world, next)->next;
        } while (next != body);
        ++world->sleeping.islands;
    }
    return CN_OK;
}

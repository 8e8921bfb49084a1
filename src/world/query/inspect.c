// inspect.c - reading what the last step did: contacts, blocks by name, redundant constraints.
#include "world/bodies/body_links.h"
#include "world/contacts/contact_totals.h"
#include "world/contacts/contacts.h"
#include "world/contacts/manifolds.h"
#include "world/step/solve_step.h"

#include <stdio.h>

// The problem is put together when somebody asks for it: to the caller the world stays the same.
static const CnAssembledStep* assemble(const CnWorld* world) {
    static const CnAssembledStep nothing = {0};
    const CnAssembledStep* whole = cn_step_assemble((CnWorld*)(uintptr_t)world);
    return whole != NULL ? whole : &nothing;
}

const CnProblem* cn_world_problem(const CnWorld* world) {
    return &assemble(world)->problem;
}

const double* cn_world_block_work(const CnWorld* world) {
    return assemble(world)->work.data;
}

// After the solve; of scheme soft_step, which has no velocities but those of bodies, at the end.
static CnVec3 solved_velocity(const CnWorld* world, CnBodyId id, CnVec3 point) {
    int body = cn_world_body_index(world, id);
    if (body < 0) {
        return cn_vec3(0.0, 0.0, 0.0);
    }
    if (body >= world->step.body_count) {
        const CnBodyState* state = &world->bodies.data[body].state;
        return cn_vec3_add(state->velocity, cn_vec3_cross(state->angular_velocity,
                                                          cn_vec3_sub(point, state->center)));
    }
    const double* v = world->step.velocity[body];
    const double* center = world->step.center[body];
    CnVec3 arm = cn_vec3_sub(point, cn_vec3(center[0], center[1], center[2]));
    return cn_vec3_add(cn_vec3(v[0], v[1], v[2]), cn_vec3_cross(cn_vec3(v[3], v[4], v[5]), arm));
}

// Forces and velocities, from impulses.
static CnContactPoint finish_point(const CnWorld* world, CnContactPoint point) {
    point.force = cn_vec3_scale(1.0 / world->whole_dt, point.impulse);
    point.torque = cn_vec3_scale(1.0 / world->whole_dt, point.moment);
    point.velocity = cn_vec3_sub(solved_velocity(world, point.body_b, point.point),
                                 solved_velocity(world, point.body_a, point.point));
    return point;
}

// Writes as long as there is room, and counts all.
typedef struct PointList {
    CnContactPoint* points;
    int count, capacity;
} PointList;

static void list_manifold(const CnWorld* world, int manifold, PointList* list) {
    CnContactPoint points[CN_TILE_POINTS];
    if (list->count < list->capacity) {
        cn_manifold_describe_all(world, manifold, points);
    }
    for (int k = 0; k < cn_manifold_at(&world->pairs, manifold)->count; ++k, ++list->count) {
        if (list->count < list->capacity) {
            list->points[list->count] = finish_point(world, points[k]);
        }
    }
}

// Points between sleepers are those of their last step awake, with the forces of that step; its
// last part stands for the whole of it.
static void list_sleeping(const CnWorld* world, int record, PointList* list) {
    for (int m = world->pairs.records.data[record].manifold; m >= 0;
         m = cn_manifold_at(&world->pairs, m)->next) {
        const CnManifold* manifold = cn_manifold_at(&world->pairs, m);
        int bodies[2];
        double part_dt, dt;
        cn_manifold_bodies(world, manifold, bodies);
        dt = cn_sleep_dt(world, bodies[0], bodies[1], &part_dt);
        for (int k = 0; k < manifold->count; ++k, ++list->count) {
            if (list->count < list->capacity) {
                CnContactPoint point = cn_manifold_describe_kept(world, m, k);
                double rate = part_dt > 0.0 ? 1.0 / part_dt : 0.0;
                point.force = cn_vec3_scale(rate, point.impulse);
                point.torque = cn_vec3_scale(rate, point.moment);
                point.impulse = cn_vec3_scale(dt, point.force);
                point.moment = cn_vec3_scale(dt, point.torque);
                list->points[list->count] = point;
            }
        }
    }
}

static bool sleeps(const CnWorld* world, int record) {
    const CnPairRecord* own = &world->pairs.records.data[record];
    if (world->sleeping.bodies == 0 || own->is_sensor || own->is_gone) {
        return false;
    }
    if (own->given < 0) {
        return cn_sleep_is_pair_idle(world, own);
    }
    const CnGivenContact* given = cn_pool_at(&world->given_contacts, own->given);
    return cn_sleep_are_idle(world, given->body_a, given->body_b);
}

// Not of bodies that the step has put to sleep: their points are those of sleepers.
static void list_total(const CnWorld* world, int index, PointList* list) {
    const CnContactPoint* point = &world->contact_totals.points.data[index];
    if (world->sleeping.bodies > 0 && cn_sleep_are_idle(world, point->body_a, point->body_b)) {
        return;
    }
    if (list->count < list->capacity) {
        list->points[list->count] = finish_point(world, *point);
    }
    ++list->count;
}

// In the order of pairs, which does not depend on when records were made.
static void list_sleepers(const CnWorld* world, PointList* list) {
    const CnPairSet* set = &world->broad_phase.set;
    for (int i = 0; i < set->pairs.count; ++i) {
        int record = set->records.data[i];
        if (record != CN_NO_RECORD && world->pairs.records.data[record].in_use &&
            sleeps(world, record)) {
            list_sleeping(world, record, list);
        }
    }
    for (int i = 0; i < cn_pool_slot_count(&world->given_contacts); ++i) {
        const CnGivenContact* given = cn_pool_at(&world->given_contacts, i);
        if (given != NULL && sleeps(world, given->record)) {
            list_sleeping(world, given->record, list);
        }
    }
}

int cn_world_contacts(const CnWorld* world, CnContactPoint* points, int capacity) {
    const CnContactTotals* totals = &world->contact_totals;
    const CnIntArray* manifolds = &world->step.manifolds;
    PointList list = {points, 0, capacity};
    for (int i = 0; totals->in_use && i < totals->points.count; ++i) {
        list_total(world, i, &list);
    }
    for (int i = 0; !totals->in_use && i < manifolds->count; ++i) {
        // Not those of shapes that were removed since: their memory is free.
        const CnManifold* manifold = cn_manifold_at(&world->pairs, manifolds->data[i]);
        if (manifold->in_use && !sleeps(world, manifold->pair)) {
            list_manifold(world, manifolds->data[i], &list);
        }
    }
    if (world->sleeping.bodies > 0) {
        list_sleepers(world, &list);
    }
    return list.count;
}

static void list_record(const CnWorld* world, int record, PointList* list) {
    if (sleeps(world, record)) {
        list_sleeping(world, record, list);
        return;
    }
    bool is_there = !world->contact_totals.in_use && world->step.manifolds.count > 0;
    for (int m = world->pairs.records.data[record].manifold; is_there && m >= 0;
         m = cn_manifold_at(&world->pairs, m)->next) {
        if (cn_manifold_at(&world->pairs, m)->is_listed) {
            list_manifold(world, m, list);
        }
    }
}

static void list_totals(const CnWorld* world, int body, PointList* list) {
    const CnContactTotals* totals = &world->contact_totals;
    int link = body < totals->heads.count ? totals->heads.data[body] : CN_NONE;
    for (; link >= 0; link = totals->links.data[link / 2].next[link % 2]) {
        list_total(world, link / 2, list);
    }
}

int cn_body_contacts(const CnWorld* world, CnBodyId id, CnContactPoint* points, int capacity) {
    int body = cn_world_body_index(world, id);
    PointList list = {points, 0, capacity};
    if (body < 0) {
        return -1;
    }
    if (world->contact_totals.in_use) {
        list_totals(world, body, &list);
    }
    for (int s = world->details.data[body].first_shape; s >= 0;
         s = cn_world_shape_at(world, s)->next) {
        for (int l = cn_pair_store_first(&world->pairs, s); l >= 0;
             l = cn_pair_store_next(&world->pairs, l)) {
            list_record(world, l / 2, &list);
        }
    }
    for (int l = cn_body_first_link(world, body, CN_LINK_CONTACT); l != 0;
         l = cn_link_next(world, CN_LINK_CONTACT, l)) {
        const CnGivenContact* given = cn_pool_at(&world->given_contacts, cn_link_slot(l));
        list_record(world, given->record, &list);
    }
    return list.count;
}

static const char* body_label(const CnWorld* world, int index, char* buffer, size_t size) {
    if (index < 0) {
        return "world";
    }
    const char* name = world->details.data[index].name;
    if (name[0] != '\0') {
        return name;
    }
    snprintf(buffer, size, "body %d", index);
    return buffer;
}

static void name_pair(const CnWorld* world, const char* kind, int body_a, int body_b, char* name,
                      size_t size) {
    char a[32], b[32];
    snprintf(name, size, "%s %s/%s", kind, body_label(world, body_a, a, sizeof a),
             body_label(world, body_b, b, sizeof b));
}

void cn_world_source_name(const CnWorld* world, const CnContact* contact, int constraint,
                          char* name, size_t size) {
    const char *own = "", *kind = "contact";
    int body_a = -1, body_b = -1;
    if (contact != NULL) {
        const CnGivenContact* given =
            contact->given < 0 ? NULL : cn_pool_at(&world->given_contacts, contact->given);
        own = given == NULL ? "" : given->name;
        body_a = contact->body_a;
        body_b = contact->body_b;
    } else {
        const CnUserConstraint* asked =
            constraint < 0 ? NULL : cn_pool_at(&world->constraints, constraint);
        own = asked == NULL ? "" : asked->name;
        kind = asked == NULL ? "constraint" : asked->kind->name;
        body_a = asked == NULL ? -1 : cn_world_body_index(world, asked->body_a);
        body_b = asked == NULL ? -1 : cn_world_body_index(world, asked->body_b);
    }
    if (own[0] != '\0') {
        snprintf(name, size, "%s", own);
    } else {
        name_pair(world, kind, body_a, body_b, name, size);
    }
}

// Whether the constraint, or the contact given by hand, that posed a block was removed since; its
// slot may be another one's by now.
static bool was_removed(const CnWorld* world, const CnBlockSource* source) {
    const CnPool* pool = &world->constraints;
    int slot = source->constraint;
    if (slot < 0) {
        pool = &world->given_contacts;
        slot = source->given;
    }
    return slot >= 0 && cn_pool_id_at(pool, slot).generation != source->generation;
}

void cn_world_block_name(const CnWorld* world, int block, char* name, size_t size) {
    CnBlockSource source;
    CnContact contact = {0};
    if (!cn_step_find_block(world, block, &source, &contact.body_a, &contact.body_b)) {
        snprintf(name, size, "none");
        return;
    }
    if (was_removed(world, &source)) {
        name_pair(world, source.constraint >= 0 ? "removed constraint" : "removed contact",
                  contact.body_a, contact.body_b, name, size);
        return;
    }
    contact.given = source.given;
    cn_world_source_name(world, source.constraint < 0 ? &contact : NULL, source.constraint, name,
                         size);
}

// inspect.c - reading what the last step did: contacts, blocks by name, redundant constraints.
#include "world/contacts/contact_totals.h"
#include "world/contacts/contacts.h"
#include "world/step/rows.h"

#include <stdio.h>

const CnProblem* cn_world_problem(const CnWorld* world) {
    return &world->step.problem;
}

const double* cn_world_block_work(const CnWorld* world) {
    return world->step.block_work.data;
}

static CnVec3 solved_velocity(const CnWorld* world, CnBodyId id, CnVec3 point) {
    int body = cn_world_body_index(world, id);
    if (body < 0) {
        return cn_vec3(0.0, 0.0, 0.0);
    }
    const double* v = world->step.velocity[body];
    CnVec3 arm = cn_vec3_sub(point, world->step.motions.data[body].center);
    return cn_vec3_add(cn_vec3(v[0], v[1], v[2]), cn_vec3_cross(cn_vec3(v[3], v[4], v[5]), arm));
}

int cn_world_contacts(const CnWorld* world, CnContactPoint* points, int capacity) {
    const CnContactTotals* totals = &world->contact_totals;
    for (int i = 0; i < totals->points.count && i < capacity; ++i) {
        CnContactPoint* point = &points[i];
        *point = totals->points.data[i];
        point->force = cn_vec3_scale(1.0 / world->whole_dt, point->impulse);
        point->torque = cn_vec3_scale(1.0 / world->whole_dt, point->moment);
        point->velocity = cn_vec3_sub(solved_velocity(world, point->body_b, point->point),
                                      solved_velocity(world, point->body_a, point->point));
    }
    return totals->points.count;
}

int cn_world_find_contacts(CnWorld* world, CnContactPoint* points, int capacity) {
    if (cn_world_check_idle(world, NULL) != CN_OK) { // the step is using the memory for this
        return -1;
    }
    CnArenaMark mark = cn_arena_mark(&world->arena);
    CnBodyState* states = CN_ARENA_NEW(&world->arena, CnBodyState, world->order.count);
    CnContactArray* found = &world->correction.contacts;
    int count = -1;
    for (int i = 0; states != NULL && i < world->order.count; ++i) {
        states[i] = cn_world_body_by_index(world, i)->state;
    }
    if (states != NULL && cn_world_collect_contacts(world, states, 0.0, found) == CN_OK) {
        count = found->count;
    }
    for (int i = 0; i < count && i < capacity; ++i) {
        points[i] = cn_contact_describe(world, &found->data[i]);
    }
    cn_arena_release(&world->arena, mark);
    return count;
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
        slot = world->step.contacts.data[source->contact].given;
    }
    return slot >= 0 && cn_pool_id_at(pool, slot).generation != source->generation;
}

void cn_world_block_name(const CnWorld* world, int block, char* name, size_t size) {
    const CnRows* rows = &world->step.rows;
    if (block < 0 || block >= rows->blocks.count) {
        snprintf(name, size, "none");
        return;
    }
    const CnBlockSource* source = &rows->sources.data[block];
    if (was_removed(world, source)) {
        const CnBlock* data = &rows->blocks.data[block];
        name_pair(world, source->contact < 0 ? "removed constraint" : "removed contact",
                  data->body_a, data->body_b, name, size);
        return;
    }
    const CnContact* contact =
        source->contact < 0 ? NULL : &world->step.contacts.data[source->contact];
    cn_world_source_name(world, contact, source->constraint, name, size);
}

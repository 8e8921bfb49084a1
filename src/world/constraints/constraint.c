// constraint.c - user-defined constraints in a world: adding, removing, reading.
#include "base/error.h"
#include "world/bodies/body_links.h"
#include "world/constraints/joint.h"
#include "world/step/rows.h"
#include "world/validate.h"

#include <string.h>

static CnStatus check_new_constraint(const CnWorld* world, const CnConstraintDef* def,
                                     CnError* error) {
    if (def->kind != NULL && def->kind == cn_mimic_kind((def->kind->angular_rows & 1u) != 0)) {
        CnStatus status = cn_validate_keeping(def->kind, &def->keep, NULL, error);
        return status == CN_OK ? cn_world_check_idle(world, error) : status; // joints have bodies
    }
    CnStatus status = cn_validate_constraint(def, NULL, error);
    if (status == CN_OK) {
        status = cn_world_check_idle(world, error);
    }
    if (status != CN_OK) {
        return status;
    }
    const CnBody* a = cn_world_body(world, def->body_a);
    const CnBody* b = cn_world_body(world, def->body_b);
    bool two = def->kind->body_count == 2;
    if ((a == NULL && (!two || def->body_a.index != 0)) ||
        (two && b == NULL && def->body_b.index != 0)) {
        return cn_error_set(error, CN_STALE, "a body of the constraint does not exist");
    }
    if (two && a == b) {
        return cn_error_set(error, CN_INVALID,
                            "a constraint between two bodies needs two "
                            "different ones");
    }
    if (!cn_body_is_movable(a) && (!two || !cn_body_is_movable(b))) {
        return cn_error_set(error, CN_INVALID,
                            "no body of the constraint can be moved: one of "
                            "them must be dynamic");
    }
    return CN_OK;
}

static CnBodyId second_body(const CnConstraintDef* def) {
    return def->kind->body_count >= 2 ? def->body_b : (CnBodyId){0};
}

// Tells its bodies of a constraint. False: no memory, nothing changed.
static bool attach(CnWorld* world, int slot, const CnConstraintDef* def, bool separates) {
    CnBodyId b = second_body(def);
    if (!cn_world_link(world, CN_LINK_CONSTRAINT, slot, def->body_a, b)) {
        return false;
    }
    if (separates && cn_world_separate(world, def->body_a, b) != CN_OK) {
        cn_world_unlink(world, CN_LINK_CONSTRAINT, slot, def->body_a, b);
        return false;
    }
    return true;
}

// Fills the record of a slot, and lists what is no part of a joint. False: no memory, nothing
// changed.
static bool fill(CnWorld* world, CnPoolId id, const CnConstraintDef* def, CnJointId joint,
                 CnUserConstraint* constraint) {
    bool two = def->kind->body_count == 2;
    bool separates = two && def->body_a.index != 0 && def->body_b.index != 0 && !def->collide;
    bool listed = joint.index == 0;
    CnConstraintId public_id = {id.index, id.generation};
    if (listed && !cn_array_push(&world->constraint_order, &world->allocator, public_id)) {
        return false;
    }
    if (!attach(world, (int)id.index - 1, def, separates)) {
        world->constraint_order.count -= listed ? 1 : 0;
        return false;
    }
    *constraint = (CnUserConstraint){
        .kind = def->kind,
        .body_a = def->body_a,
        .body_b = second_body(def),
        .joint = joint,
        .index = listed ? world->constraint_order.count - 1 : -1,
        .separates = separates,
        .keep = def->keep,
        .data_size = def->data_size,
    };
    return true;
}

CnConstraintId cn_world_add_joint_part(CnWorld* world, const CnConstraintDef* def, CnJointId joint,
                                       CnError* error) {
    if (check_new_constraint(world, def, error) != CN_OK) {
        return (CnConstraintId){0};
    }
    CnUserConstraint* constraint = NULL;
    CnPoolId id = {0};
    char* name = cn_world_copy_name(world, def->name);
    void* data = cn_allocate(&world->allocator, def->data_size, 1);
    if (name != NULL && data != NULL) {
        id = cn_pool_add(&world->constraints, (void**)&constraint);
    }
    if (constraint != NULL && !fill(world, id, def, joint, constraint)) {
        cn_pool_undo_add(&world->constraints, id);
        constraint = NULL;
    }
    if (constraint == NULL) {
        cn_name_free(&world->allocator, name);
        cn_release(&world->allocator, data);
        cn_error_set(error, CN_NO_MEMORY, "no memory for a constraint");
        return (CnConstraintId){0};
    }
    if (def->data_size > 0) {
        memcpy(data, def->data, def->data_size);
    }
    constraint->name = name;
    constraint->data = data;
    cn_sleep_wake_two(world, def->body_a, second_body(def));
    cn_active_change(world);
    return (CnConstraintId){id.index, id.generation};
}

CnConstraintId cn_world_add_constraint(CnWorld* world, const CnConstraintDef* def, CnError* error) {
    return cn_world_add_joint_part(world, def, (CnJointId){0}, error);
}

static void free_constraint(CnWorld* world, CnConstraintId id) {
    const CnUserConstraint* constraint = cn_pool_get(&world->constraints, CN_POOL_ID(id));
    cn_sleep_wake_two(world, constraint->body_a, constraint->body_b);
    cn_sleep_wake_two(world, constraint->body_c, constraint->body_d);
    cn_active_change(world);
    cn_world_unlink(world, CN_LINK_CONSTRAINT, (int)id.index - 1, constraint->body_a,
                    constraint->body_b);
    if (constraint->separates) {
        cn_world_unseparate(world, constraint->body_a, constraint->body_b);
    }
    if (constraint->index >= 0) { // the last one of the list takes its place
        CnConstraintId last = world->constraint_order.data[--world->constraint_order.count];
        CnUserConstraint* moved = cn_pool_get(&world->constraints, CN_POOL_ID(last));
        moved->index = constraint->index;
        world->constraint_order.data[constraint->index] = last;
    }
    cn_name_free(&world->allocator, constraint->name);
    cn_release(&world->allocator, constraint->data);
}

void cn_world_undo_add_constraint(CnWorld* world, CnConstraintId id) {
    free_constraint(world, id);
    cn_pool_undo_add(&world->constraints, CN_POOL_ID(id));
}

CnStatus cn_world_remove_constraint(CnWorld* world, CnConstraintId id) {
    if (cn_pool_get(&world->constraints, CN_POOL_ID(id)) == NULL) {
        return CN_STALE;
    }
    if (cn_world_check_idle(world, NULL) != CN_OK) {
        return CN_INVALID;
    }
    free_constraint(world, id);
    return cn_pool_remove(&world->constraints, CN_POOL_ID(id));
}

int cn_world_constraint_count(const CnWorld* world) {
    return world->constraint_order.count;
}

CnConstraintId cn_world_constraint_at(const CnWorld* world, int index) {
    bool inside = index >= 0 && index < world->constraint_order.count;
    return inside ? world->constraint_order.data[index] : (CnConstraintId){0};
}

CnStatus cn_constraint_set_keeping(CnWorld* world, CnConstraintId id, const CnKeeping* keep,
                                   CnError* error) {
    CnUserConstraint* constraint = cn_pool_get(&world->constraints, CN_POOL_ID(id));
    if (constraint == NULL) {
        return cn_error_set(error, CN_STALE, "the constraint does not exist");
    }
    CnStatus status = cn_validate_keeping(constraint->kind, keep, NULL, error);
    if (status == CN_OK) {
        status = cn_world_check_idle(world, error);
    }
    if (status == CN_OK) {
        cn_sleep_wake_two(world, constraint->body_a, constraint->body_b);
        constraint->keep = *keep;
        ++world->joint_changes;
    }
    return status;
}

CnStatus cn_constraint_info(const CnWorld* world, CnConstraintId id, CnConstraintInfo* info) {
    CnUserConstraint* constraint = cn_pool_get(&world->constraints, CN_POOL_ID(id));
    *info = (CnConstraintInfo){0};
    if (constraint == NULL) {
        return CN_STALE;
    }
    const CnConstraintKind* kind = constraint->kind;
    CnBoundConstraint bound;
    cn_world_bind_now(world, constraint, &bound);
    CnRowLimits limits[CN_MAX_ROWS];
    *info = (CnConstraintInfo){
        .name = constraint->name,
        .kind = kind,
        .body_a = constraint->body_a,
        .body_b = constraint->body_b,
        .joint = constraint->joint,
        .active = kind->is_active == NULL ||
                  kind->is_active(bound.a, bound.b, world->time, constraint->data),
        .rows = kind->dimension,
        .keep = constraint->keep,
    };
    cn_world_row_limits(&bound, world->time, limits);
    for (int i = 0; i < kind->dimension; ++i) {
        info->lower[i] = limits[i].lower;
        info->upper[i] = limits[i].upper;
    }
    return CN_OK;
}

int cn_body_constraints(const CnWorld* world, CnBodyId body, CnConstraintId* ids, int capacity) {
    int index = cn_world_body_index(world, body), count = 0;
    if (index < 0) {
        return -1;
    }
    for (int link = cn_body_first_link(world, index, CN_LINK_CONSTRAINT); link != 0;
         link = cn_link_next(world, CN_LINK_CONSTRAINT, link)) {
        int slot = cn_link_slot(link);
        const CnUserConstraint* constraint = cn_pool_at(&world->constraints, slot);
        if (constraint->joint.index != 0) {
            continue;
        }
        if (count < capacity) {
            CnPoolId id = cn_pool_id_at(&world->constraints, slot);
            ids[count] = (CnConstraintId){id.index, id.generation};
        }
        count += 1;
    }
    return count;
}

CnStatus cn_constraint_read(const CnWorld* world, CnConstraintId id, double force[CN_MAX_ROWS],
                            double value[CN_MAX_ROWS]) {
    const CnUserConstraint* constraint = cn_pool_get(&world->constraints, CN_POOL_ID(id));
    double dt = constraint == NULL ? 0.0 : cn_constraint_dt(world, constraint);
    for (int i = 0; i < CN_MAX_ROWS; ++i) {
        force[i] = dt > 0.0 ? constraint->impulse[i] / dt : 0.0;
        value[i] = constraint == NULL ? 0.0 : constraint->value[i];
    }
    return constraint == NULL ? CN_STALE : CN_OK;
}

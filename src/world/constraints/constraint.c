// constraint.c - user-defined constraints in a world: adding, removing, reading.
#include "base/error.h"
#include "world/bodies/body_links.h"
#include "world/validate.h"
#include "world/world.h"

#include <string.h>

static bool is_movable(const CnBody* body) {
    return body != NULL && body->type == CN_BODY_DYNAMIC;
}

static CnStatus check_new_constraint(const CnWorld* world, const CnConstraintDef* def,
                                     CnError* error) {
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
    if (!is_movable(a) && (!two || !is_movable(b))) {
        return cn_error_set(error, CN_INVALID,
                            "no body of the constraint can be moved: one of "
                            "them must be dynamic");
    }
    return CN_OK;
}

static CnBodyId second_body(const CnConstraintDef* def) {
    return def->kind->body_count == 2 ? def->body_b : (CnBodyId){0};
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

CnConstraintId cn_world_add_constraint(CnWorld* world, const CnConstraintDef* def, CnError* error) {
    if (check_new_constraint(world, def, error) != CN_OK) {
        return (CnConstraintId){0};
    }
    CnUserConstraint* constraint = NULL;
    CnPoolId id = {0};
    char* name = cn_world_copy_name(world, def->name);
    void* data = cn_allocate(&world->allocator, def->data_size, 1);
    bool two = def->kind->body_count == 2;
    bool separates = two && def->body_a.index != 0 && def->body_b.index != 0 && !def->collide;
    if (name != NULL && data != NULL) {
        id = cn_pool_add(&world->constraints, (void**)&constraint);
    }
    if (constraint != NULL && !attach(world, (int)id.index - 1, def, separates)) {
        cn_pool_undo_add(&world->constraints, id);
        constraint = NULL;
    }
    if (constraint == NULL) {
        cn_release(&world->allocator, name);
        cn_release(&world->allocator, data);
        cn_error_set(error, CN_NO_MEMORY, "no memory for a constraint");
        return (CnConstraintId){0};
    }
    if (def->data_size > 0) {
        memcpy(data, def->data, def->data_size);
    }
    *constraint = (CnUserConstraint){
        .name = name,
        .kind = def->kind,
        .body_a = def->body_a,
        .body_b = second_body(def),
        .separates = separates,
        .data = data,
        .data_size = def->data_size,
    };
    return (CnConstraintId){id.index, id.generation};
}

static void free_constraint(CnWorld* world, CnConstraintId id) {
    const CnUserConstraint* constraint = cn_pool_get(&world->constraints, CN_POOL_ID(id));
    cn_world_unlink(world, CN_LINK_CONSTRAINT, (int)id.index - 1, constraint->body_a,
                    constraint->body_b);
    if (constraint->separates) {
        cn_world_unseparate(world, constraint->body_a, constraint->body_b);
    }
    cn_release(&world->allocator, constraint->name);
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

CnStatus cn_constraint_read(const CnWorld* world, CnConstraintId id, double force[CN_MAX_ROWS],
                            double value[CN_MAX_ROWS]) {
    const CnUserConstraint* constraint = cn_pool_get(&world->constraints, CN_POOL_ID(id));
    if (constraint == NULL) {
        return CN_STALE;
    }
    double dt = world->whole_dt;
    for (int i = 0; i < CN_MAX_ROWS; ++i) {
        force[i] = dt > 0.0 ? constraint->impulse[i] / dt : 0.0;
        value[i] = constraint->value[i];
    }
    return CN_OK;
}

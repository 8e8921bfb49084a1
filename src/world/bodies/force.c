// force.c - the loads that act on a body.
#include "world/bodies/applied.h"

#include "base/error.h"
#include "world/bodies/body_links.h"
#include "world/validate.h"

#include <string.h>

static CnStatus check_force(const CnWorld* world, const CnForceDef* def, CnError* error) {
    CnStatus status = cn_validate_force(def, NULL, error);
    if (status == CN_OK) {
        status = cn_world_check_idle(world, error);
    }
    if (status == CN_OK && cn_world_body(world, def->body) == NULL) {
        status = cn_error_set(error, CN_STALE, "the body a force should act on does not exist");
    }
    if (status == CN_OK && def->series.index != 0 &&
        cn_pool_get(&world->series, CN_POOL_ID(def->series)) == NULL) {
        status = cn_error_set(error, CN_STALE, "the series of a force does not exist");
    }
    return status;
}

CnForceId cn_world_add_force(CnWorld* world, const CnForceDef* def, CnError* error) {
    if (check_force(world, def, error) != CN_OK) {
        return (CnForceId){0};
    }
    CnForceDef* force = NULL;
    CnPoolId id = cn_pool_add(&world->forces, (void**)&force);
    if (force == NULL) {
        cn_error_set(error, CN_NO_MEMORY, "no memory for a force");
        return (CnForceId){0};
    }
    *force = *def;
    if (!cn_world_link(world, CN_LINK_FORCE, (int)id.index - 1, def->body, (CnBodyId){0})) {
        cn_pool_undo_add(&world->forces, id);
        cn_error_set(error, CN_NO_MEMORY, "no memory for a force");
        return (CnForceId){0};
    }
    cn_sleep_wake_two(world, def->body, (CnBodyId){0});
    return (CnForceId){id.index, id.generation};
}

CnStatus cn_force_read(const CnWorld* world, CnForceId id, CnForceDef* def) {
    const CnForceDef* force = cn_pool_get(&world->forces, CN_POOL_ID(id));
    *def = force == NULL ? cn_force_def_default() : *force;
    return force == NULL ? CN_STALE : CN_OK;
}

CnStatus cn_force_set(CnWorld* world, CnForceId id, const CnForceDef* def, CnError* error) {
    CnForceDef* force = cn_pool_get(&world->forces, CN_POOL_ID(id));
    if (force == NULL) {
        return cn_error_set(error, CN_STALE, "the force does not exist");
    }
    CnStatus status = check_force(world, def, error);
    if (status == CN_OK && def->body.index != force->body.index) {
        status = cn_error_set(error, CN_INVALID,
                              "a force keeps its body: remove it and add one to the other body");
    }
    if (status == CN_OK) {
        *force = *def;
        cn_sleep_wake_two(world, def->body, (CnBodyId){0});
    }
    return status;
}

CnStatus cn_world_remove_force(CnWorld* world, CnForceId id) {
    const CnForceDef* force = cn_pool_get(&world->forces, CN_POOL_ID(id));
    if (cn_world_check_idle(world, NULL) != CN_OK) {
        return CN_INVALID;
    }
    if (force == NULL) {
        return CN_STALE;
    }
    cn_sleep_wake_two(world, force->body, (CnBodyId){0});
    cn_world_unlink(world, CN_LINK_FORCE, (int)id.index - 1, force->body, (CnBodyId){0});
    return cn_pool_remove(&world->forces, CN_POOL_ID(id));
}

static void add_load(const CnWorld* world, const CnForceDef* def, const CnBody* body,
                     const CnBodyState* state, double time, CnVec3* force, CnVec3* torque) {
    const CnSeries* series = cn_pool_get(&world->series, CN_POOL_ID(def->series));
    double factor = series == NULL ? 1.0 : cn_curve_value(&series->curve, time);
    bool carried = def->frame == CN_FORCE_CARRIED;
    CnVec3 f = carried ? cn_quat_rotate(state->rotation, def->force) : def->force;
    CnVec3 t = carried ? cn_quat_rotate(state->rotation, def->torque) : def->torque;
    CnVec3 arm = cn_quat_rotate(state->rotation, cn_vec3_sub(def->point, body->center));

    f = cn_vec3_scale(factor, f);
    t = cn_vec3_scale(factor, t);
    if (def->drag > 0.0) {
        CnVec3 turn = cn_vec3_cross(state->angular_velocity, arm);
        f = cn_vec3_add_scaled(f, -def->drag, cn_vec3_add(state->velocity, turn));
    }
    *force = cn_vec3_add(*force, f);
    *torque = cn_vec3_add(*torque, cn_vec3_add(t, cn_vec3_cross(arm, f)));
    if (def->function != NULL) {
        def->function(state, time, def->data, force, torque);
    }
}

bool cn_world_damps_exactly(const CnWorld* world) {
    return world->def.step.scheme == CN_SCHEME_MOREAU ||
           world->def.step.scheme == CN_SCHEME_QUASI_STATIC ||
           world->def.step.scheme == CN_SCHEME_SOFT_STEP;
}

bool cn_world_has_loads(const CnWorld* world) {
    return world->forces.count > 0 || world->applied.count > 0 || !cn_world_damps_exactly(world);
}

// v' = -c v and W' = -c W where nothing else acts.
static void add_damping(const CnWorld* world, const CnBodyState* states, CnLoad* loads) {
    for (int i = 0; i < world->order.count; ++i) {
        const CnBody* body = &world->bodies.data[i];
        if (body->type != CN_BODY_DYNAMIC || !cn_body_is_damped(body)) {
            continue;
        }
        CnQuat rotation = states[i].rotation;
        CnVec3 spin = cn_quat_unrotate(rotation, states[i].angular_velocity);
        CnVec3 own = cn_quat_rotate(rotation, cn_mat3_apply(&body->mass->inertia, spin));
        loads[i].force = cn_vec3_add_scaled(
            loads[i].force, -body->linear_damping * body->mass->mass, states[i].velocity);
        loads[i].torque = cn_vec3_add_scaled(loads[i].torque, -body->angular_damping, own);
        loads[i].depends_on_velocity = true;
    }
}

void cn_world_loads(const CnWorld* world, const CnBodyState* states, double time, CnLoad* loads) {
    CnIndexList moving = cn_active_bodies_since(world, world->active.listed);
    for (int k = 0; k < moving.count; ++k) {
        loads[cn_index_at(&moving, k)] = (CnLoad){0};
    }
    for (int i = 0; i < cn_pool_slot_count(&world->forces); ++i) {
        const CnForceDef* def = cn_pool_at(&world->forces, i);
        int index = def == NULL ? -1 : cn_world_body_index(world, def->body);
        if (index >= 0 && world->bodies.data[index].type == CN_BODY_DYNAMIC) {
            CnLoad* load = &loads[index];
            add_load(world, def, &world->bodies.data[index], &states[index], time, &load->force,
                     &load->torque);
            load->depends_on_velocity |= def->drag > 0.0 || def->function != NULL;
        }
    }
    cn_world_add_applied(world, loads);
    if (!cn_world_damps_exactly(world)) {
        add_damping(world, states, loads);
    }
}

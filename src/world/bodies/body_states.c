// body_states.c - where bodies are and how they move: read, set, one by one and all at once.
#include "base/error.h"
#include "world/bodies/body_settings.h"
#include "world/bodies/body_shapes.h"
#include "world/constraints/joint.h"
#include "world/validate.h"

CnBodyState cn_world_state_of(const CnWorld* world, int body) {
    CnBodyState state = world->bodies.data[body].state;
    if (world->bodies.data[body].disabled) {
        state.velocity = cn_body_kept(world, body)->velocity;
        state.angular_velocity = cn_body_kept(world, body)->angular_velocity;
    }
    return state;
}

static void put_state(CnWorld* world, int body, const CnBodyState* state) {
    CnBody* changed = &world->bodies.data[body];
    cn_world_count_turns_before_change(world);
    cn_sleep_disturb(world, body);
    cn_loop_forget_body(world, body);
    if (changed->type == CN_BODY_STATIC) {
        cn_active_change_body(world, body);
    }
    changed->state = *state;
    changed->state.rotation = cn_quat_normalize(state->rotation);
    if (changed->disabled) {
        cn_body_keep_velocity(world, body);
    }
    cn_body_place(world, body);
}

static CnTransform pose_of(const CnBody* body) {
    CnVec3 center = cn_quat_rotate(body->state.rotation, body->center);
    return (CnTransform){cn_vec3_sub(body->state.center, center), body->state.rotation};
}

// A state is held to the rules of a def.
static CnStatus check_state(const CnWorld* world, int body, const CnBodyState* state,
                            CnError* error) {
    CnBodyDef probe = cn_body_def_default();
    probe.type =
        world->details.data[body].type == CN_BODY_STATIC ? CN_BODY_STATIC : CN_BODY_KINEMATIC;
    probe.position = state->center;
    probe.rotation = state->rotation;
    probe.velocity = state->velocity;
    probe.angular_velocity = state->angular_velocity;
    return cn_validate_body(&probe, NULL, error);
}

CnStatus cn_body_state(const CnWorld* world, CnBodyId id, CnBodyState* state) {
    int body = cn_world_body_index(world, id);
    *state = body < 0 ? (CnBodyState){0} : cn_world_state_of(world, body);
    return body < 0 ? CN_STALE : CN_OK;
}

CnStatus cn_body_set_state(CnWorld* world, CnBodyId id, const CnBodyState* state, CnError* error) {
    int body;
    CnStatus status = cn_body_check_change(world, id, &body, error);
    if (status == CN_OK) {
        status = check_state(world, body, state, error);
    }
    if (status == CN_OK) {
        put_state(world, body, state);
    }
    return status;
}

CnStatus cn_body_pose(const CnWorld* world, CnBodyId id, CnTransform* pose) {
    const CnBody* body = cn_world_body(world, id);
    *pose = body == NULL ? (CnTransform){0} : pose_of(body);
    return body == NULL ? CN_STALE : CN_OK;
}

CnStatus cn_body_set_pose(CnWorld* world, CnBodyId id, CnTransform pose, CnError* error) {
    int body;
    CnStatus status = cn_body_check_change(world, id, &body, error);
    if (status != CN_OK) {
        return status;
    }
    CnBodyState state = cn_world_state_of(world, body);
    state.center = pose.position;
    state.rotation = pose.rotation;
    status = check_state(world, body, &state, error);
    if (status == CN_OK) {
        state.rotation = cn_quat_normalize(pose.rotation);
        CnVec3 center = cn_quat_rotate(state.rotation, world->bodies.data[body].center);
        state.center = cn_vec3_add(pose.position, center);
        put_state(world, body, &state);
    }
    return status;
}

static void list_ids(const CnWorld* world, CnBodyId* ids, int capacity) {
    for (int i = 0; ids != NULL && i < world->order.count && i < capacity; ++i) {
        ids[i] = world->order.data[i];
    }
}

int cn_world_read_states(const CnWorld* world, CnBodyState* states, CnBodyId* ids, int capacity) {
    for (int i = 0; i < world->order.count && i < capacity; ++i) {
        states[i] = cn_world_state_of(world, i);
    }
    list_ids(world, ids, capacity);
    return world->order.count;
}

int cn_world_read_poses(const CnWorld* world, CnTransform* poses, CnBodyId* ids, int capacity) {
    for (int i = 0; i < world->order.count && i < capacity; ++i) {
        poses[i] = pose_of(&world->bodies.data[i]);
    }
    list_ids(world, ids, capacity);
    return world->order.count;
}

CnStatus cn_world_write_states(CnWorld* world, const CnBodyState* states, const CnBodyId* ids,
                               int count, CnError* error) {
    CnStatus status = cn_world_check_idle(world, error);
    if (status == CN_OK && (count < 0 || (ids == NULL && count != world->order.count))) {
        status = cn_error_set(error, CN_INVALID,
                              "count is %d; without ids it must be the number of bodies, %d", count,
                              world->order.count);
    }
    for (int i = 0; status == CN_OK && i < count; ++i) {
        int body = ids == NULL ? i : cn_world_body_index(world, ids[i]);
        status = body < 0 ? cn_error_set(error, CN_STALE, "body %d of the list does not exist", i)
                          : check_state(world, body, &states[i], error);
    }
    for (int i = 0; status == CN_OK && i < count; ++i) {
        put_state(world, ids == NULL ? i : cn_world_body_index(world, ids[i]), &states[i]);
    }
    return status;
}

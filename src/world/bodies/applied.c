// applied.c - forces and impulses that a body was given for the next step.
#include "world/bodies/applied.h"

#include "base/error.h"

CnApplied cn_body_applied(const CnWorld* world, int body) {
    int place = world->details.data[body].applied;
    return place == 0 ? (CnApplied){.body = body} : world->applied.data[place - 1];
}

void cn_world_add_applied(const CnWorld* world, CnLoad* loads) {
    double rate = 1.0 / world->whole_dt;
    for (int i = 0; i < world->applied.count; ++i) {
        const CnApplied* applied = &world->applied.data[i];
        CnLoad* load = &loads[applied->body];
        load->force = cn_vec3_add(load->force, applied->force);
        load->force = cn_vec3_add_scaled(load->force, rate, applied->impulse);
        load->torque = cn_vec3_add(load->torque, applied->torque);
        load->torque = cn_vec3_add_scaled(load->torque, rate, applied->angular_impulse);
    }
}

// The last one moves into its place.
void cn_body_forget_applied(CnWorld* world, int body) {
    int place = world->details.data[body].applied;
    if (place != 0) {
        CnApplied last = world->applied.data[--world->applied.count];
        world->applied.data[place - 1] = last;
        world->details.data[last.body].applied = place;
        world->details.data[body].applied = 0;
    }
}

void cn_world_forget_applied(CnWorld* world) {
    for (int i = 0; i < world->applied.count; ++i) {
        world->details.data[world->applied.data[i].body].applied = 0;
    }
    world->applied.count = 0;
}

static CnStatus check_vector(CnVec3 v, const char* name, CnError* error) {
    return cn_vec3_is_finite(v)
               ? CN_OK
               : cn_error_set(error, CN_INVALID,
                              "%s is (%g, %g, %g); every part must be a finite number", name, v.x,
                              v.y, v.z);
}

// Adds to what the body, which exists, was given already.
static CnStatus apply(CnWorld* world, CnBodyId id, const CnApplied* more, CnError* error) {
    int body = cn_world_body_index(world, id);
    CnStatus status = cn_world_check_idle(world, error);
    if (status == CN_OK && !cn_body_is_movable(&world->bodies.data[body])) {
        status = cn_error_set(error, CN_INVALID,
                              "forces and impulses move dynamic bodies that are enabled; body "
                              "\"%s\" is not",
                              world->details.data[body].name);
    }
    if (status != CN_OK) {
        return status;
    }
    CnBodyDetails* details = &world->details.data[body];
    if (details->applied == 0) {
        CnApplied fresh = {.body = body};
        if (!cn_array_push(&world->applied, &world->allocator, fresh)) {
            return cn_error_set(error, CN_NO_MEMORY, "no memory for a force");
        }
        details->applied = world->applied.count;
    }
    cn_sleep_wake(world, body);
    CnApplied* sum = &world->applied.data[details->applied - 1];
    sum->force = cn_vec3_add(sum->force, more->force);
    sum->torque = cn_vec3_add(sum->torque, more->torque);
    sum->impulse = cn_vec3_add(sum->impulse, more->impulse);
    sum->angular_impulse = cn_vec3_add(sum->angular_impulse, more->angular_impulse);
    return CN_OK;
}

static CnStatus check_body(const CnWorld* world, CnBodyId id, CnError* error) {
    return cn_world_body(world, id) == NULL
               ? cn_error_set(error, CN_STALE, "the body does not exist")
               : CN_OK;
}

// About the centre of mass, of what acts at a point of the world.
static CnVec3 moment_of(const CnWorld* world, CnBodyId id, CnVec3 push, CnVec3 point) {
    return cn_vec3_cross(cn_vec3_sub(point, cn_world_body(world, id)->state.center), push);
}

bool cn_world_reserve_applied(CnWorld* world, int more) {
    return cn_array_reserve(&world->applied, &world->allocator, world->applied.count + more);
}

CnStatus cn_body_apply_load(CnWorld* world, CnBodyId id, CnVec3 force, CnVec3 torque,
                            CnError* error) {
    return apply(world, id, &(CnApplied){.force = force, .torque = torque}, error);
}

CnStatus cn_body_apply_force(CnWorld* world, CnBodyId id, CnVec3 force, CnVec3 point,
                             CnError* error) {
    CnStatus status = check_body(world, id, error);
    status = status == CN_OK ? check_vector(force, "force", error) : status;
    status = status == CN_OK ? check_vector(point, "point", error) : status;
    if (status != CN_OK) {
        return status;
    }
    CnApplied more = {.force = force, .torque = moment_of(world, id, force, point)};
    return apply(world, id, &more, error);
}

CnStatus cn_body_apply_impulse(CnWorld* world, CnBodyId id, CnVec3 impulse, CnVec3 point,
                               CnError* error) {
    CnStatus status = check_body(world, id, error);
    status = status == CN_OK ? check_vector(impulse, "impulse", error) : status;
    status = status == CN_OK ? check_vector(point, "point", error) : status;
    if (status != CN_OK) {
        return status;
    }
    CnApplied more = {.impulse = impulse, .angular_impulse = moment_of(world, id, impulse, point)};
    return apply(world, id, &more, error);
}

CnStatus cn_body_apply_torque(CnWorld* world, CnBodyId id, CnVec3 torque, CnError* error) {
    CnStatus status = check_body(world, id, error);
    status = status == CN_OK ? check_vector(torque, "torque", error) : status;
    return status == CN_OK ? apply(world, id, &(CnApplied){.torque = torque}, error) : status;
}

CnStatus cn_body_apply_angular_impulse(CnWorld* world, CnBodyId id, CnVec3 impulse,
                                       CnError* error) {
    CnStatus status = check_body(world, id, error);
    status = status == CN_OK ? check_vector(impulse, "impulse", error) : status;
    return status == CN_OK ? apply(world, id, &(CnApplied){.angular_impulse = impulse}, error)
                           : status;
}

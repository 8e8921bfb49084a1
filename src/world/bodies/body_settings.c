// body_settings.c - what a body is: set and read while it is in the world.
#include "world/bodies/body_settings.h"

#include "base/error.h"
#include "world/bodies/applied.h"
#include "world/bodies/body_shapes.h"
#include "world/bodies/mass.h"
#include "world/validate.h"

#include <stdio.h>
#include <string.h>

CnStatus cn_body_check_change(const CnWorld* world, CnBodyId id, int* body, CnError* error) {
    *body = cn_world_body_index(world, id);
    return *body < 0 ? cn_error_set(error, CN_STALE, "the body does not exist")
                     : cn_world_check_idle(world, error);
}

const char* cn_body_name(const CnWorld* world, CnBodyId id) {
    int index = cn_world_body_index(world, id);
    return index < 0 ? "" : world->details.data[index].name;
}

CnBodyType cn_body_type(const CnWorld* world, CnBodyId id) {
    int index = cn_world_body_index(world, id);
    return index < 0 ? CN_BODY_STATIC : world->details.data[index].type;
}

uint64_t cn_body_user(const CnWorld* world, CnBodyId id) {
    int index = cn_world_body_index(world, id);
    return index < 0 ? 0 : world->details.data[index].user;
}

CnStatus cn_body_set_user(CnWorld* world, CnBodyId id, uint64_t user) {
    int body;
    CnStatus status = cn_body_check_change(world, id, &body, NULL);
    if (status == CN_OK) {
        world->details.data[body].user = user;
    }
    return status;
}

static CnMassProperties mass_of(const CnWorld* world, int body) {
    const CnBodyDetails* details = &world->details.data[body];
    return details->type == CN_BODY_DYNAMIC
               ? details->mass->properties
               : (CnMassProperties){.center = world->bodies.data[body].center};
}

CnStatus cn_body_mass_properties(const CnWorld* world, CnBodyId id, CnMassProperties* mass) {
    int index = cn_world_body_index(world, id);
    *mass = index < 0 ? (CnMassProperties){0} : mass_of(world, index);
    return index < 0 ? CN_STALE : CN_OK;
}

CnStatus cn_body_read(const CnWorld* world, CnBodyId id, CnBodyInfo* info) {
    int index = cn_world_body_index(world, id);
    *info = (CnBodyInfo){0};
    if (index < 0) {
        return CN_STALE;
    }
    const CnBody* body = &world->bodies.data[index];
    const CnBodyDetails* details = &world->details.data[index];
    CnApplied applied = cn_body_applied(world, index);
    *info = (CnBodyInfo){
        .name = details->name,
        .type = details->type,
        .enabled = !body->disabled,
        .fast = body->fast,
        .exact = body->exact,
        .user = details->user,
        .material = details->material,
        .state = cn_world_state_of(world, index),
        .has_mass = details->has_mass,
        .mass = mass_of(world, index),
        .gravity_scale = body->gravity_scale,
        .linear_damping = body->linear_damping,
        .angular_damping = body->angular_damping,
        .shape_count = details->shape_count,
        .force = applied.force,
        .torque = applied.torque,
        .impulse = applied.impulse,
        .angular_impulse = applied.angular_impulse,
        .motion = details->drive != NULL ? details->drive->motion : cn_body_def_default().motion,
    };
    return cn_body_pose(world, id, &info->pose);
}

CnStatus cn_body_set_gravity_scale(CnWorld* world, CnBodyId id, double scale, CnError* error) {
    int body;
    CnStatus status = cn_body_check_change(world, id, &body, error);
    if (status == CN_OK) {
        CnBodyDef probe = cn_body_def_default();
        probe.type = CN_BODY_STATIC;
        probe.gravity_scale = scale;
        status = cn_validate_body(&probe, NULL, error);
    }
    if (status == CN_OK) {
        cn_sleep_wake(world, body);
        world->bodies.data[body].gravity_scale = scale;
    }
    return status;
}

CnStatus cn_body_set_damping(CnWorld* world, CnBodyId id, double linear, double angular,
                             CnError* error) {
    int body;
    CnStatus status = cn_body_check_change(world, id, &body, error);
    if (status == CN_OK) {
        CnBodyDef probe = cn_body_def_default();
        probe.type = CN_BODY_STATIC;
        probe.linear_damping = linear;
        probe.angular_damping = angular;
        status = cn_validate_body(&probe, NULL, error);
    }
    if (status == CN_OK) {
        cn_sleep_wake(world, body);
        CnBody* own = &world->bodies.data[body];
        world->damped_count -= cn_body_is_damped(own);
        own->linear_damping = linear;
        own->angular_damping = angular;
        world->damped_count += cn_body_is_damped(own);
        cn_places_disturb(world, body); // tiles of its contacts are of its mass with damping
    }
    return status;
}

// Given mass properties are held to the rules of a def.
static CnStatus check_given(const CnMassProperties* mass, CnError* error) {
    CnBodyDef probe = cn_body_def_default();
    probe.has_mass = true;
    probe.mass = mass->mass;
    probe.center = mass->center;
    memcpy(probe.inertia, mass->inertia, sizeof probe.inertia);
    return cn_validate_body(&probe, NULL, error);
}

CnStatus cn_body_set_mass(CnWorld* world, CnBodyId id, const CnMassProperties* mass,
                          CnError* error) {
    int body;
    CnStatus status = cn_body_check_change(world, id, &body, error);
    if (status == CN_OK && mass != NULL) {
        status = check_given(mass, error);
    }
    if (status != CN_OK) {
        return status;
    }
    CnBodyDetails* details = &world->details.data[body];
    CnBodyDetails before = *details;
    const CnMass *found = NULL,
                 *given =
                     cn_mass_take(&world->masses, mass != NULL ? mass : &before.given->properties);
    details->has_mass = mass != NULL;
    details->given = given;
    status = given == NULL ? cn_error_set(error, CN_NO_MEMORY, "no memory for the mass of a body")
                           : cn_body_find_mass(world, body, -1, &found, error);
    if (status == CN_OK) {
        status = cn_body_check_center(world, body, found->properties.center, error);
    }
    if (status != CN_OK) {
        *details = before;
        cn_mass_drop(&world->masses, given);
        cn_mass_drop(&world->masses, found);
        return status;
    }
    cn_mass_drop(&world->masses, before.given);
    cn_sleep_disturb(world, body);
    cn_body_take_mass(world, body, found);
    cn_body_place(world, body);
    return CN_OK;
}

void cn_body_keep_velocity(CnWorld* world, int body) {
    CnBodyState* state = &world->bodies.data[body].state;
    if (world->details.data[body].kept == 0) {
        world->details.data[body].kept = ++world->kept_velocities.count;
    }
    *cn_body_kept(world, body) = (CnKeptVelocity){body, state->velocity, state->angular_velocity};
    state->velocity = state->angular_velocity = cn_vec3(0.0, 0.0, 0.0);
}

void cn_body_forget_kept(CnWorld* world, int body) {
    int place = world->details.data[body].kept;
    if (place != 0) {
        CnKeptVelocity last = world->kept_velocities.data[--world->kept_velocities.count];
        world->kept_velocities.data[place - 1] = last;
        world->details.data[last.body].kept = place;
        world->details.data[body].kept = 0;
    }
}

void cn_body_show_type(CnWorld* world, int body) {
    CnBody* shown = &world->bodies.data[body];
    CnBodyType type = world->details.data[body].type;
    shown->type = shown->disabled || shown->sleep.is_asleep ? CN_BODY_STATIC : type;
    cn_active_change_body(world, body);
    cn_body_show_mass(world, body);
    if (shown->type != CN_BODY_DYNAMIC) {
        cn_body_forget_applied(world, body);
    }
}

CnStatus cn_body_set_exact(CnWorld* world, CnBodyId id, bool exact, CnError* error) {
    int body;
    CnStatus status = cn_body_check_change(world, id, &body, error);
    if (status == CN_OK && exact && !cn_pair_store_need_rows(&world->pairs)) {
        status = cn_error_set(error, CN_NO_MEMORY, "no memory for the rows of %d manifolds",
                              world->pairs.manifolds.count);
    }
    if (status == CN_OK) {
        cn_sleep_wake(world, body);
        world->exact_count += exact - world->bodies.data[body].exact;
        world->bodies.data[body].exact = exact;
        cn_active_change_body(world, body);
    }
    return status;
}

CnStatus cn_body_set_enabled(CnWorld* world, CnBodyId id, bool enabled, CnError* error) {
    int body;
    CnStatus status = cn_body_check_change(world, id, &body, error);
    CnBody* changed = status == CN_OK ? &world->bodies.data[body] : NULL;
    if (status != CN_OK || changed->disabled != enabled) {
        return status; // it is so already
    }
    CnBodyDetails* details = &world->details.data[body];
    if (enabled && !cn_body_add_proxies(world, body, details->type != CN_BODY_STATIC)) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for the shapes of a body");
    }
    if (!enabled && !cn_array_reserve(&world->kept_velocities, &world->allocator,
                                      world->kept_velocities.count + 1)) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for the velocities of a body");
    }
    cn_sleep_disturb(world, body);
    changed->disabled = !enabled;
    if (enabled) {
        changed->state.velocity = cn_body_kept(world, body)->velocity;
        changed->state.angular_velocity = cn_body_kept(world, body)->angular_velocity;
        cn_body_forget_kept(world, body);
    } else {
        cn_body_remove_proxies(world, body);
        cn_body_keep_velocity(world, body);
    }
    cn_body_show_type(world, body);
    cn_body_place(world, body);
    return CN_OK;
}

static CnStatus check_shapes(const CnWorld* world, int body, CnBodyType type, CnError* error) {
    CnStatus status = CN_OK;
    for (int s = world->details.data[body].first_shape; status == CN_OK && s >= 0;
         s = cn_world_shape_at(world, s)->next) {
        const CnWorldShape* shape = cn_world_shape_at(world, s);
        CnShapeDef probe = cn_shape_def_default(shape->shape->type);
        char name[32];
        snprintf(name, sizeof name, "shapes[%d]", shape->number);
        status = cn_validate_carrier(&probe, type, name, error);
    }
    return status;
}

// Whether the body may be of this type, and the mass that it then has, with one more user.
static CnStatus check_type(CnWorld* world, int body, CnBodyType type, const CnMass** mass,
                           CnError* error) {
    CnBodyDetails* details = &world->details.data[body];
    CnBodyDef probe = cn_body_def_default();
    probe.type = type == CN_BODY_DYNAMIC ? CN_BODY_KINEMATIC : type; // mass is looked at below
    CnStatus status = cn_validate_body(&probe, NULL, error);
    if (status == CN_OK) {
        status = check_shapes(world, body, type, error);
    }
    if (status == CN_OK && type == CN_BODY_DYNAMIC && details->has_mass) {
        status = check_given(&details->given->properties, error);
    }
    if (status == CN_OK) {
        CnBodyType before = details->type;
        details->type = type;
        status = cn_body_find_mass(world, body, -1, mass, error);
        details->type = before;
    }
    return status;
}

CnStatus cn_body_set_type(CnWorld* world, CnBodyId id, CnBodyType type, CnError* error) {
    int body;
    const CnMass* mass;
    CnStatus status = cn_body_check_change(world, id, &body, error);
    if (status == CN_OK) {
        status = check_type(world, body, type, &mass, error);
    }
    if (status != CN_OK) {
        return status;
    }
    CnBodyDetails* details = &world->details.data[body];
    bool stands = type == CN_BODY_STATIC, stood = details->type == CN_BODY_STATIC;
    if (!world->bodies.data[body].disabled && stands != stood &&
        !cn_body_change_proxies(world, body, !stands)) {
        cn_mass_drop(&world->masses, mass);
        return cn_error_set(error, CN_NO_MEMORY, "no memory for the shapes of a body");
    }
    cn_sleep_disturb(world, body);
    details->type = type;
    cn_body_keep_mass(world, body, mass);
    if (stands) {
        CnVec3 zero = {0.0, 0.0, 0.0};
        world->bodies.data[body].state.velocity = zero;
        world->bodies.data[body].state.angular_velocity = zero;
        if (world->bodies.data[body].disabled) {
            cn_body_keep_velocity(world, body);
        }
    }
    cn_body_show_type(world, body);
    cn_body_filter_again(world, body);
    cn_body_place(world, body);
    return CN_OK;
}

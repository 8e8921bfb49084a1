// mass.c - the mass of a body: given, or that of its shapes; and where its centre is in the body.
#include "world/bodies/mass.h"

#include "base/error.h"
#include "geometry/mass_properties.h"
#include "world/bodies/body_settings.h"
#include "world/bodies/body_shapes.h"
#include "world/constraints/anchors.h"

#include <float.h>

static double density_of(const CnWorld* world, const CnWorldShape* shape) {
    CnMaterialId own = shape->shape->material;
    CnMaterialId id = own.index != 0 ? own : world->details.data[shape->body].material;
    const CnMaterial* material = cn_pool_get(&world->materials, CN_POOL_ID(id));
    return material == NULL ? cn_material_def_default().density : material->density;
}

// In the frame of the body's origin. A body without solid shapes keeps the centre it was given.
static CnMassProperties mass_of_shapes(const CnWorld* world, int body, int without) {
    CnMassProperties total = {.center = world->details.data[body].given->properties.center};
    for (int s = world->details.data[body].first_shape; s >= 0;) {
        const CnWorldShape* shape = cn_world_shape_at(world, s);
        CnMassProperties part;
        if (s != without && !shape->shape->sensor &&
            cn_shape_mass_properties(shape->shape, density_of(world, shape), &part)) {
            cn_mass_properties_add(&total, &part);
        }
        s = shape->next;
    }
    return total;
}

// Numbers that are fine one by one may still give a mass that no double can hold.
static CnStatus check_mass(const CnMassProperties* mass, CnError* error) {
    if (!cn_mass_is_finite(mass)) {
        return cn_error_set(error, CN_INVALID,
                            "the body has mass %g kg and moments %g, %g, %g kg m^2; they and their "
                            "inverses must be finite",
                            mass->mass, mass->inertia[0], mass->inertia[1], mass->inertia[2]);
    }
    return CN_OK;
}

// Of shapes that are small and very far apart the moment about the line through them is lost.
static CnStatus check_moments(const CnMassProperties* mass, CnError* error) {
    CnMat3 inertia = cn_mat3_from_symmetric(mass->inertia), axes;
    double moment[3]; // ascending
    if (cn_inertia_is_diagonal(mass->inertia)) {
        return CN_OK;
    }
    cn_mat3_eigen_symmetric(&inertia, moment, &axes);
    if (!(moment[0] > DBL_EPSILON * moment[2])) {
        return cn_error_set(error, CN_INVALID,
                            "the body has principal inertias %g, %g, %g kg m^2; the smallest is "
                            "lost in the round-off of the largest",
                            moment[0], moment[1], moment[2]);
    }
    return CN_OK;
}

CnStatus cn_body_find_mass(CnWorld* world, int body, int without, const CnMass** mass,
                           CnError* error) {
    const CnBodyDetails* details = &world->details.data[body];
    CnMassProperties found =
        details->has_mass ? details->given->properties : mass_of_shapes(world, body, without);
    if (!isfinite(found.mass) || !cn_vec3_is_finite(found.center)) { // of bodies of all types
        return cn_error_set(error, CN_INVALID,
                            "the body would have a mass of %g kg and its centre at %g, %g, %g m; "
                            "these must be finite: look at the sizes and densities of its shapes",
                            found.mass, found.center.x, found.center.y, found.center.z);
    }
    if (details->type == CN_BODY_DYNAMIC) {
        CnStatus status = check_mass(&found, error);
        if (status == CN_OK && !details->has_mass) {
            status = check_moments(&found, error);
        }
        if (status != CN_OK) {
            return status;
        }
    }
    *mass = cn_mass_take(&world->masses, &found);
    return *mass == NULL ? cn_error_set(error, CN_NO_MEMORY, "no memory for the mass of a body")
                         : CN_OK;
}

double cn_body_gyration_radius(const CnBody* body) {
    const double(*inertia)[3] = body->mass->inertia.m;
    double sum = 0.5 * (inertia[0][0] + inertia[1][1] + inertia[2][2]);
    return body->mass->mass > 0.0 ? sqrt(sum * body->mass->inverse_mass) : 1.0;
}

static bool is_same(CnVec3 a, CnVec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

CnStatus cn_body_check_center(const CnWorld* world, int body, CnVec3 center, CnError* error) {
    if (!is_same(center, world->bodies.data[body].center) &&
        cn_body_has_user_constraints(world, body)) {
        return cn_error_set(error, CN_INVALID,
                            "the centre of mass of body \"%s\" would move in the body, and a user "
                            "constraint counts from it: remove the constraint first",
                            world->details.data[body].name);
    }
    return CN_OK;
}

// The new centre is where that point of the body is, and as fast as that point is.
static void move_center(CnWorld* world, int body, CnVec3 center) {
    CnBody* moved = &world->bodies.data[body];
    CnBodyState* state = &moved->state;
    CnKeptVelocity* kept = moved->disabled ? cn_body_kept(world, body) : NULL;
    CnVec3* velocity = kept != NULL ? &kept->velocity : &state->velocity;
    CnVec3 turning = kept != NULL ? kept->angular_velocity : state->angular_velocity;
    CnVec3 shift = cn_vec3_sub(center, moved->center);
    CnVec3 arm = cn_quat_rotate(state->rotation, shift);
    state->center = cn_vec3_add(state->center, arm);
    *velocity = cn_vec3_add(*velocity, cn_vec3_cross(turning, arm));
    cn_body_set_center(world, body, center);
    cn_body_shift_anchors(world, body, shift);
}

void cn_body_keep_mass(CnWorld* world, int body, const CnMass* mass) {
    cn_mass_drop(&world->masses, world->details.data[body].mass);
    world->details.data[body].mass = mass;
}

void cn_body_show_mass(CnWorld* world, int body) {
    CnBody* shown = &world->bodies.data[body];
    const CnMass* mass = world->details.data[body].mass;
    shown->mass = shown->type == CN_BODY_DYNAMIC ? mass : &cn_no_mass;
    cn_places_disturb(world, body);
    cn_active_change_body(world, body); // who is solved with whom may depend on masses
    if (!is_same(mass->properties.center, shown->center)) {
        move_center(world, body, mass->properties.center);
    }
}

void cn_body_take_mass(CnWorld* world, int body, const CnMass* mass) {
    cn_body_keep_mass(world, body, mass);
    cn_body_show_mass(world, body);
}

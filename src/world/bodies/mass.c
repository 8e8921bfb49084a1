// mass.c - the mass of a body: given, or that of its shapes; and where its centre is in the body.
#include "world/bodies/mass.h"

#include "base/error.h"
#include "geometry/mass_properties.h"
#include "world/bodies/body_shapes.h"
#include "world/constraints/anchors.h"

#include <float.h>

static double density_of(const CnWorld* world, const CnWorldShape* shape) {
    CnMaterialId own = shape->shape.material;
    CnMaterialId id = own.index != 0 ? own : world->details.data[shape->body].material;
    const CnMaterial* material = cn_pool_get(&world->materials, CN_POOL_ID(id));
    return material == NULL ? cn_material_def_default().density : material->density;
}

// In the frame of the body's origin. A body without solid shapes keeps the centre it was given.
static CnMassProperties mass_of_shapes(const CnWorld* world, int body, int without) {
    CnMassProperties total = {.center = world->details.data[body].given.center};
    for (int s = world->details.data[body].first_shape; s >= 0;) {
        const CnWorldShape* shape = cn_world_shape_at(world, s);
        CnShape from_origin = shape->shape;
        CnMassProperties part;
        from_origin.local.position = shape->position;
        if (s != without && !shape->shape.sensor &&
            cn_shape_mass_properties(&from_origin, density_of(world, shape), &part)) {
            cn_mass_properties_add(&total, &part);
        }
        s = shape->next;
    }
    return total;
}

// Numbers that are fine one by one may still give a mass that no double can hold.
static CnStatus check_mass(const CnMassProperties* mass, CnError* error) {
    double smallest =
        fmin(mass->mass, fmin(mass->inertia[0], fmin(mass->inertia[1], mass->inertia[2])));
    double largest =
        fmax(mass->mass, fmax(mass->inertia[0], fmax(mass->inertia[1], mass->inertia[2])));
    if (!(isfinite(1.0 / smallest) && isfinite(largest))) {
        return cn_error_set(error, CN_INVALID,
                            "the body has mass %g kg and moments %g, %g, %g kg m^2; they and their "
                            "inverses must be finite",
                            mass->mass, mass->inertia[0], mass->inertia[1], mass->inertia[2]);
    }
    return CN_OK;
}

static bool is_diagonal(const double inertia[6]) {
    return inertia[3] == 0.0 && inertia[4] == 0.0 && inertia[5] == 0.0;
}

// Of shapes that are small and very far apart the moment about the line through them is lost.
static CnStatus check_moments(const CnMassProperties* mass, CnError* error) {
    CnMat3 inertia = cn_mat3_from_symmetric(mass->inertia), axes;
    double moment[3]; // ascending
    if (is_diagonal(mass->inertia)) {
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

CnStatus cn_body_find_mass(const CnWorld* world, int body, int without, CnMassProperties* mass,
                           CnError* error) {
    const CnBodyDetails* details = &world->details.data[body];
    *mass = details->has_mass ? details->given : mass_of_shapes(world, body, without);
    if (details->type != CN_BODY_DYNAMIC) {
        return CN_OK;
    }
    CnStatus status = check_mass(mass, error);
    return status == CN_OK && !details->has_mass ? check_moments(mass, error) : status;
}

// The inverse inertia through the principal axes keeps it symmetric and positive however far apart
// the moments are.
static CnMat3 invert_inertia(const CnMat3* inertia) {
    double moment[3];
    CnMat3 axes;
    cn_mat3_eigen_symmetric(inertia, moment, &axes);
    CnMat3 inverse = {
        .m = {{1.0 / moment[0]}, {0.0, 1.0 / moment[1]}, {0.0, 0.0, 1.0 / moment[2]}}};
    return cn_mat3_rotate_tensor(&axes, &inverse);
}

double cn_body_gyration_radius(const CnBody* body) {
    const double(*inertia)[3] = body->inertia.m;
    double sum = 0.5 * (inertia[0][0] + inertia[1][1] + inertia[2][2]);
    return body->mass > 0.0 ? sqrt(sum * body->inverse_mass) : 1.0;
}

// Only a dynamic body has mass; the others are given none, so that every formula treats them alike.
static void set_mass(CnBody* body, const CnMassProperties* mass) {
    body->mass = body->inverse_mass = 0.0;
    body->inertia = body->inverse_inertia = (CnMat3){0};
    if (body->type != CN_BODY_DYNAMIC) {
        return;
    }
    body->mass = mass->mass;
    body->inverse_mass = 1.0 / mass->mass;
    body->inertia = cn_mat3_from_symmetric(mass->inertia);
    if (is_diagonal(mass->inertia)) {
        for (int i = 0; i < 3; ++i) {
            body->inverse_inertia.m[i][i] = 1.0 / mass->inertia[i];
        }
    } else {
        body->inverse_inertia = invert_inertia(&body->inertia);
    }
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
    CnBodyDetails* details = &world->details.data[body];
    CnBodyState* state = &moved->state;
    CnVec3* velocity = moved->disabled ? &details->kept_velocity : &state->velocity;
    CnVec3 turning = moved->disabled ? details->kept_angular_velocity : state->angular_velocity;
    CnVec3 shift = cn_vec3_sub(center, moved->center);
    CnVec3 arm = cn_quat_rotate(state->rotation, shift);
    state->center = cn_vec3_add(state->center, arm);
    *velocity = cn_vec3_add(*velocity, cn_vec3_cross(turning, arm));
    cn_body_set_center(world, body, center);
    cn_body_shift_anchors(world, body, shift);
}

void cn_body_take_mass(CnWorld* world, int body, const CnMassProperties* mass) {
    set_mass(&world->bodies.data[body], mass);
    cn_places_disturb(world, body);
    cn_active_change_body(world, body); // who is solved with whom may depend on masses
    world->details.data[body].mass = *mass;
    if (!is_same(mass->center, world->bodies.data[body].center)) {
        move_center(world, body, mass->center);
    }
}

// collisions.c - free fall and single impacts, whose answers follow from one line of algebra.
#include "../validation.h"

// Both impacts are one frictionless contact: its normal impulse is p = -(1 + e) u / k, with u the
// approach velocity and k = J M^-1 J^T. The solver is asked for 1e-12 m/s, far below the tolerance.
#define SOLVER_TOLERANCE 1e-12 // [m/s]
#define IMPACT_TOLERANCE 1e-10 // [m/s], [rad/s], [N s], [J]

// One step of an impact; the contact acts at once, so its length does not matter.
#define IMPACT_DT 1e-3 // [s]

static CnWorld* create_world(CnVec3 gravity, CnError* error) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = gravity;
    def.solver.tolerance = SOLVER_TOLERANCE;
    return cn_world_create(&def, error);
}

// Two bodies without shapes that touch at one point given by hand.
typedef struct Impact {
    double mass_a, mass_b;       // [kg]
    double inertia_a, inertia_b; // the same about every axis [kg m^2]
    CnVec3 position_b;           // A is at the origin [m]
    CnVec3 point;                // of contact; the normal is x [m]
    double velocity_a;           // along x [m/s]
    double velocity_b;
    double restitution;
} Impact;

typedef struct ImpactResult {
    CnBodyState a, b; // after
    double impulse;   // on B along the normal [N s]
    double energy_change;
} ImpactResult;

static CnBodyId add_body(CnWorld* world, double mass, double inertia, CnVec3 position,
                         double velocity, CnMaterialId material, CnError* error) {
    CnBodyDef def = cn_body_def_default();
    def.position = position;
    def.velocity = cn_vec3(velocity, 0.0, 0.0);
    def.material = material;
    def.has_mass = true;
    def.mass = mass;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = inertia;
    return cn_world_add_body(world, &def, error);
}

static bool collide(CnWorld* world, const Impact* impact, ImpactResult* result, CnError* error) {
    CnMaterialDef material_def = cn_material_def_default();
    material_def.friction = 0.0;
    material_def.restitution = impact->restitution;
    CnMaterialId material = cn_world_add_material(world, &material_def, error);
    CnContactDef contact = cn_contact_def_default();
    contact.body_a = add_body(world, impact->mass_a, impact->inertia_a, cn_vec3(0.0, 0.0, 0.0),
                              impact->velocity_a, material, error);
    contact.body_b = add_body(world, impact->mass_b, impact->inertia_b, impact->position_b,
                              impact->velocity_b, material, error);
    contact.point = impact->point;
    contact.normal = cn_vec3(1.0, 0.0, 0.0);
    if (contact.body_a.generation == 0 || contact.body_b.generation == 0 ||
        cn_world_add_contact(world, &contact, error).generation == 0) {
        return false;
    }

    double energy = cn_world_energy(world);
    if (cn_world_step(world, IMPACT_DT, NULL, error) != CN_OK) {
        return false;
    }
    CnContactPoint point = {0};
    cn_world_contacts(world, &point, 1);
    cn_body_state(world, contact.body_a, &result->a);
    cn_body_state(world, contact.body_b, &result->b);
    result->impulse = point.impulse.x;
    result->energy_change = cn_world_energy(world) - energy;
    return true;
}

// Runs the impact in a world of its own; a failure becomes a row.
static bool run_impact(Validation* validation, const Impact* impact, ImpactResult* result) {
    CnError error = {0};
    CnWorld* world = create_world(cn_vec3(0.0, 0.0, 0.0), &error);
    bool ok = world != NULL && collide(world, impact, result, &error);
    if (!ok) {
        validation_add_failure(validation, &error);
    }
    cn_world_destroy(world);
    return ok;
}

// k = 1/1 + 1/1, u = -1 - 2: p = 2 * 3 / 2 = 3 N s; equal masses swap their velocities.
static void head_on(Validation* validation) {
    const Impact impact = {.mass_a = 1.0,
                           .mass_b = 1.0,
                           .inertia_a = 0.4,
                           .inertia_b = 0.4,
                           .position_b = {3.0, 0.0, 0.0},
                           .point = {1.5, 0.0, 0.0},
                           .velocity_a = 2.0,
                           .velocity_b = -1.0,
                           .restitution = 1.0};
    ImpactResult result;
    if (!run_impact(validation, &impact, &result)) {
        return;
    }
    double momentum = result.a.velocity.x + result.b.velocity.x; // both 1 kg
    validation_add(validation, "impulse [N s]", 3.0, result.impulse, IMPACT_TOLERANCE);
    validation_add(validation, "velocity of A [m/s]", -1.0, result.a.velocity.x, IMPACT_TOLERANCE);
    validation_add(validation, "velocity of B [m/s]", 2.0, result.b.velocity.x, IMPACT_TOLERANCE);
    validation_add(validation, "momentum [N s]", 1.0, momentum, IMPACT_TOLERANCE);
    validation_add(validation, "change of energy [J]", 0.0, result.energy_change, IMPACT_TOLERANCE);
}

// Lever arms (.5, .5, 0) and (-.5, .5, 0), both crossed with the normal give -.5 about z. With
// inertia m / 6 (unit cubes): k = 1/2 + 1 + .25 / (1/3) + .25 / (1/6) = 3.75, u = -1,
// p = 1.5 / 3.75 = .4; the energy lost is (1 - e) / (1 + e) k p^2 / 2 = .1 J.
static void glancing(Validation* validation) {
    const Impact impact = {.mass_a = 2.0,
                           .mass_b = 1.0,
                           .inertia_a = 2.0 / 6.0,
                           .inertia_b = 1.0 / 6.0,
                           .position_b = {1.0, 0.0, 0.0},
                           .point = {0.5, 0.5, 0.0},
                           .velocity_a = 1.0,
                           .velocity_b = 0.0,
                           .restitution = 0.5};
    ImpactResult result;
    if (!run_impact(validation, &impact, &result)) {
        return;
    }
    validation_add(validation, "impulse [N s]", 0.4, result.impulse, IMPACT_TOLERANCE);
    validation_add(validation, "velocity of A [m/s]", 0.8, result.a.velocity.x, IMPACT_TOLERANCE);
    validation_add(validation, "velocity of B [m/s]", 0.4, result.b.velocity.x, IMPACT_TOLERANCE);
    validation_add(validation, "spin of A [rad/s]", 0.6, result.a.angular_velocity.z,
                   IMPACT_TOLERANCE);
    validation_add(validation, "spin of B [rad/s]", -1.2, result.b.angular_velocity.z,
                   IMPACT_TOLERANCE);
    validation_add(validation, "change of energy [J]", -0.1, result.energy_change,
                   IMPACT_TOLERANCE);
}

// theta = 1/2 moves with the mean velocity of a step, which is exact for constant acceleration.
// What is left is rounding: half a unit in the last place of a number near 10 (9e-16) in each of
// 1000 steps, in the velocity and once more in the height.
#define FALL_TOLERANCE 2e-12 // [m/s], [m]

static void free_fall(Validation* validation) {
    const double dt = 1e-3;
    const int steps = 1000;
    CnError error = {0};
    CnBodyState state = {0};
    CnWorld* world = create_world(cn_vec3(0.0, 0.0, -9.81), &error);
    CnMaterialId no_material = {0};
    bool ok = world != NULL;
    if (ok) {
        CnBodyId ball =
            add_body(world, 1.0, 0.4, cn_vec3(0.0, 0.0, 10.0), 0.0, no_material, &error);
        ok = ball.generation != 0;
        for (int i = 0; i < steps && ok; ++i) {
            ok = cn_world_step(world, dt, NULL, &error) == CN_OK;
        }
        cn_body_state(world, ball, &state);
    }
    if (ok) {
        validation_add(validation, "velocity [m/s]", -9.81, state.velocity.z, FALL_TOLERANCE);
        validation_add(validation, "height [m]", 10.0 - 0.5 * 9.81, state.center.z, FALL_TOLERANCE);
    } else {
        validation_add_failure(validation, &error);
    }
    cn_world_destroy(world);
}

static const ValidationCase cases[] = {
    {"free-fall", "A body falls g t^2 / 2 in a time t", free_fall},
    {"head-on", "Two equal balls collide elastically and swap velocities", head_on},
    {"glancing", "Two cubes collide off centre, e = 0.5, and turn", glancing},
};
const ValidationGroup validation_collisions = VALIDATION_GROUP("collisions", cases);

// world_bits.c - prints hashes of worlds after some time: the same under every compiler.
#include "cairn/world.h"
#include <stdio.h>

static const CnVec3 zero = {0.0, 0.0, 0.0};

// Anything that goes wrong shows as a difference: the status is part of the output.
static void run(const char* what, CnWorld* world, double dt, int steps) {
    CnError error = {0};
    CnStatus status = CN_OK;
    for (int i = 0; i < steps && status == CN_OK; ++i) {
        status = cn_world_step(world, dt, NULL, &error);
    }
    printf("%s %s%s %016llx\n", what, cn_status_name(status), error.message,
           (unsigned long long)cn_world_hash(world));
    cn_world_destroy(world);
}

static CnBodyId add_ball(CnWorld* world, double radius, CnVec3 position, CnVec3 velocity) {
    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    CnBodyDef def = cn_body_def_default();
    sphere.radius = radius;
    def.shapes = &sphere;
    def.shape_count = 1;
    def.position = position;
    def.velocity = velocity;
    return cn_world_add_body(world, &def, NULL);
}

static void add_constraint(CnWorld* world, const CnConstraintKind* kind, CnBodyId a, CnBodyId b,
                           const void* data, size_t size) {
    CnConstraintDef def = cn_constraint_def_default();
    def.kind = kind;
    def.body_a = a;
    def.body_b = b;
    def.data = data;
    def.data_size = size;
    cn_world_add_constraint(world, &def, NULL);
}

// Balls that fall into a heap with friction, two of them tied, one pushed and braked.
static CnWorld* create_heap(const CnWorldDef* def) {
    CnWorld* world = cn_world_create(def, NULL);
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CnBodyDef ground = cn_body_def_default();
    CnBodyId balls[12];
    ground.type = CN_BODY_STATIC;
    ground.shapes = &plane;
    ground.shape_count = 1;
    cn_world_add_body(world, &ground, NULL);
    for (int i = 0; i < 12; ++i) {
        balls[i] =
            add_ball(world, 0.2 + 0.01 * i, cn_vec3(0.3 * (i % 3), 0.35 * (i % 2), 0.3 + 0.25 * i),
                     cn_vec3(0.1 * i, 0.3, -1.0));
    }
    CnDistanceData tie = {cn_vec3(0.05, 0.0, 0.0), zero, 0.7};
    add_constraint(world, cn_distance_kind(), balls[2], balls[5], &tie, sizeof tie);
    CnForceDef force = cn_force_def_default();
    force.body = balls[0];
    force.point = cn_vec3(0.0, 0.1, 0.0);
    force.force = cn_vec3(50.0, 0.0, 0.0);
    force.drag = 3.0;
    force.frame = CN_FORCE_CARRIED;
    cn_world_add_force(world, &force, NULL);
    return world;
}

// Two bodies on a pin and a tie, swinging and spinning.
static CnWorld* create_mechanism(const CnWorldDef* def) {
    CnWorld* world = cn_world_create(def, NULL);
    CnBodyDef arm = cn_body_def_default();
    arm.has_mass = true;
    arm.mass = 2.0;
    const double inertia[6] = {0.3, 0.5, 0.4, 0.02, -0.03, 0.01};
    for (int i = 0; i < 6; ++i) {
        arm.inertia[i] = inertia[i];
    }
    arm.position = cn_vec3(1.0, 0.0, 0.0);
    CnBodyId a = cn_world_add_body(world, &arm, NULL);
    arm.position = cn_vec3(2.5, 0.0, 0.0);
    arm.angular_velocity = cn_vec3(1.0, 2.0, 9.0);
    CnBodyId b = cn_world_add_body(world, &arm, NULL);
    CnPinData pin = {cn_vec3(-1.0, 0.0, 0.0), zero};
    CnDistanceData tie = {cn_vec3(0.5, 0.0, 0.0), cn_vec3(-0.2, 0.0, 0.0), 0.8};
    add_constraint(world, cn_pin_kind(), a, (CnBodyId){0}, &pin, sizeof pin);
    add_constraint(world, cn_distance_kind(), a, b, &tie, sizeof tie);
    return world;
}

int main(void) {
    CnWorldDef def = cn_world_def_default();
    run("heap", create_heap(&def), 2e-3, 500);
    for (int i = 0; i < CN_ROTATION_COUNT; ++i) {
        def.step.rotation = (CnRotationUpdate)i;
        run(cn_rotation_update_name(def.step.rotation), create_mechanism(&def), 1e-3, 500);
    }
    for (int i = 0; i < CN_STABILISATION_COUNT; ++i) {
        def.step.stabilisation = (CnStabilisation)i;
        run(cn_stabilisation_name(def.step.stabilisation), create_heap(&def), 2e-3, 100);
    }
    def.step.scheme = CN_SCHEME_IMPLICIT;
    run("implicit heap", create_heap(&def), 2e-3, 100);
    run("implicit mechanism", create_mechanism(&def), 1e-3, 300);
    def.step.scheme = CN_SCHEME_QUASI_STATIC;
    run("quasi_static", create_heap(&def), 5e-3, 100);
    def.step.scheme = CN_SCHEME_ACCELERATION;
    for (int i = 0; i < CN_INTEGRATOR_COUNT; ++i) {
        def.step.integrator = (CnIntegrator)i;
        run(cn_integrator_name(def.step.integrator), create_mechanism(&def), 1e-3, 300);
    }
    return 0;
}

// test_held_still.c - bodies that their supports hold against a torque.
#include "cairn/cairn.h"
#include "support/run.h"

#define DT 0.01                // [s]
#define SOLVER_TOLERANCE 1e-12 // [m/s]

// A plate on four legs with a load off its centre: the torques of load and legs cancel.
static CnWorld* loaded_plate(CnRotationUpdate rotation, CnBodyId* plate) {
    CnWorldDef def = cn_world_def_default();
    def.step.rotation = rotation;
    def.solver.tolerance = SOLVER_TOLERANCE;
    CnWorld* world = run_create(&def);
    CnBodyDef body = run_body(20.0, cn_vec3(1.0, 2.4, 3.4), cn_vec3(0.0, 0.0, 0.7));
    *plate = run_add(world, &body);
    for (int i = 0; i < 4; ++i) {
        CnContactDef leg = cn_contact_def_default();
        leg.body_b = *plate;
        leg.point = cn_vec3(i % 2 == 0 ? -0.5 : 0.5, i < 2 ? -0.3 : 0.3, 0.0);
        leg.normal = cn_vec3(0.0, 0.0, 1.0);
        ck_assert_uint_ne(cn_world_add_contact(world, &leg, NULL).index, 0);
    }
    CnForceDef load = cn_force_def_default();
    load.body = *plate;
    load.point = cn_vec3(0.2, 0.1, 0.0);
    load.force = cn_vec3(0.0, 0.0, -100.0);
    ck_assert_uint_ne(cn_world_add_force(world, &load, NULL).index, 0);
    return world;
}

// A gyration computed as if the load turned the plate freely for half a step would leave it with
// 7.5e-6 rad/s here, the same for ever, while every leg reports no velocity.
static void no_rotation_update_turns_a_plate_that_its_legs_hold(void) {
    for (int i = 0; i < CN_ROTATION_COUNT; ++i) {
        CnBodyId plate;
        CnWorld* world = loaded_plate((CnRotationUpdate)i, &plate);
        run_steps(world, DT, 100);
        // The nearest leg is .58 m from the axis: an error of the tolerance there.
        CHECK_NEAR(cn_vec3_length(run_state(world, plate).angular_velocity), 0.0,
                   SOLVER_TOLERANCE / 0.58);
        cn_world_destroy(world);
    }
}

TEST_MAIN("physics/joints/held_still", TEST(no_rotation_update_turns_a_plate_that_its_legs_hold))

// test_constraint_kinds.c - constraints as function tables, ours and a user's, at work in a world.
#include "cairn/cairn.h"
#include "support/run.h"

#define GRAVITY 9.81 // [m/s^2]

static CnWorld* new_world(CnScheme scheme, CnVec3 gravity) {
    CnError error = {0};
    CnWorldDef def = cn_world_def_default();
    def.gravity = gravity;
    def.step.scheme = scheme;
    CnWorld* world = cn_world_create(&def, &error);
    ck_assert_msg(world != NULL, "%s", error.message);
    return world;
}

static CnBodyId add_body(CnWorld* world, double mass, CnBodyState state) {
    CnError error = {0};
    CnBodyDef def = cn_body_def_default();
    def.position = state.center;
    def.rotation = state.rotation;
    def.velocity = state.velocity;
    def.angular_velocity = state.angular_velocity;
    def.has_mass = true;
    def.mass = mass;
    def.inertia[0] = 0.3 * mass;
    def.inertia[1] = 0.4 * mass;
    def.inertia[2] = 0.5 * mass;
    CnBodyId body = cn_world_add_body(world, &def, &error);
    ck_assert_msg(body.generation != 0, "%s", error.message);
    return body;
}

static void run(CnWorld* world, double dt, int steps) {
    CnError error = {0};
    for (int i = 0; i < steps; ++i) {
        CnStatus status = cn_world_step(world, dt, NULL, &error);
        ck_assert_msg(status == CN_OK, "%s", error.message);
    }
}

static const CnBodyId none = {0, 0};

// A conical pendulum: length L at the angle a from the vertical goes round at
// sqrt(g / (L cos a)) and pulls with m g / cos a.

typedef struct Cone {
    double missed; // distance from the start after one turn [m]
    double force;  // along the row [N]
    double error;  // of the length [m]
} Cone;

static Cone go_round(CnScheme scheme, const CnConstraintKind* kind, int steps) {
    const double length = 2.0, angle = 0.5; // [m], [rad]
    double turning = sqrt(GRAVITY / (length * cos(angle)));
    double radius = length * sin(angle);
    CnWorld* world = new_world(scheme, cn_vec3(0.0, 0.0, -GRAVITY));
    CnBodyState start = {.center = {radius, 0.0, -length * cos(angle)},
                         .rotation = cn_quat_identity(),
                         .velocity = {0.0, radius * turning, 0.0}};
    CnBodyId bob = add_body(world, 2.0, start);
    CnAnchorDistanceData data = {.length = length};
    CnConstraintId rod = run_add_constraint(world, kind, bob, none, &data, sizeof data);
    double force[CN_MAX_ROWS], value[CN_MAX_ROWS];

    run(world, 2.0 * CN_PI / turning / steps, steps);
    CHECK_INT(cn_constraint_read(world, rod, force, value), CN_OK);
    Cone cone = {cn_vec3_length(cn_vec3_sub(run_state(world, bob).center, start.center)), force[0],
                 value[0]};
    cn_world_destroy(world);
    return cone;
}

static void a_conical_pendulum_returns_with_an_error_of_second_order(void) {
    // Halving the step divides the error by 4, but for terms of relative size (2 pi / 200)^2.
    const CnConstraintKind* kind = cn_anchor_distance_kind();
    double coarse = go_round(CN_SCHEME_MOREAU, kind, 200).missed;
    double fine = go_round(CN_SCHEME_MOREAU, kind, 400).missed;
    CHECK_NEAR(coarse / fine, 4.0, 4.0 * (2.0 * CN_PI / 200.0) * (2.0 * CN_PI / 200.0) * 10.0);
    CHECK(fine < 1e-3); // a turn is 6 m long
}

static void a_conical_pendulum_pulls_with_weight_over_cosine(void) {
    // The row points from the anchor to the bob, the rod pulls inwards: negative. Second order
    // again: relative error of the order of (2 pi / 1000)^2 = 4e-5.
    Cone cone = go_round(CN_SCHEME_MOREAU, cn_anchor_distance_kind(), 1000);
    CHECK_NEAR(cone.force, -2.0 * GRAVITY / cos(0.5), 2.0 * GRAVITY * 4e-5);
    CHECK_NEAR(cone.error, 0.0, 1e-10); // projection stops at 1e-8 m/s times a step of 3 ms
}

static void accelerations_need_the_bias_and_get_fourth_order_with_it(void) {
    // RK4: halving the step divides the error by 16, but for terms of relative size 2 pi / 100. At
    // 200 steps it is still far above round-off and above the 1e-11 of a bias by differences.
    CnConstraintKind without = *cn_anchor_distance_kind();
    without.acceleration_bias = NULL;
    const CnConstraintKind* kinds[] = {cn_anchor_distance_kind(), &without};
    for (int i = 0; i < 2; ++i) {
        double coarse = go_round(CN_SCHEME_ACCELERATION, kinds[i], 100).missed;
        double fine = go_round(CN_SCHEME_ACCELERATION, kinds[i], 200).missed;
        CHECK_NEAR(coarse / fine, 16.0, 16.0 * 2.0 * CN_PI / 100.0);
        CHECK(fine < 1e-5);
    }
}

static void two_tied_bodies_in_free_flight_keep_momentum_and_distance(void) {
    // Linear momentum 5 N s is kept to round-off of 1000 steps; the length to the projection's
    // tolerance of 1e-8 m/s times a step of 1 ms, with room for one more step.
    CnWorld* world = new_world(CN_SCHEME_MOREAU, cn_vec3(0.0, 0.0, 0.0));
    CnBodyState first = {.rotation = cn_quat_identity(),
                         .velocity = {1.0, 0.5, 0.0},
                         .angular_velocity = {0.3, -0.2, 1.0}};
    CnBodyState second = {
        .center = {2.0, 0.0, 0.0}, .rotation = cn_quat_identity(), .velocity = {1.0, -0.5, 0.3}};
    CnBodyId a = add_body(world, 1.0, first), b = add_body(world, 3.0, second);
    CnDistanceData data = {{0.5, 0.0, 0.0}, {-0.25, 0.0, 0.0}, 1.25};
    CnConstraintId tie = run_add_constraint(world, cn_distance_kind(), a, b, &data, sizeof data);
    double force[CN_MAX_ROWS], value[CN_MAX_ROWS];

    run(world, 1e-3, 1000);
    CnVec3 momentum =
        cn_vec3_add_scaled(run_state(world, a).velocity, 3.0, run_state(world, b).velocity);
    CHECK_NEAR(momentum.x, 4.0, 1e-12);
    CHECK_NEAR(momentum.y, -1.0, 1e-12);
    CHECK_NEAR(momentum.z, 0.9, 1e-12);
    CHECK_INT(cn_constraint_read(world, tie, force, value), CN_OK);
    CHECK_NEAR(value[0], 0.0, 2e-11);
    CHECK(fabs(force[0]) > 0.1); // it did something
    cn_world_destroy(world);
}

static void a_pinned_top_keeps_its_point_in_place(void) {
    CnWorld* world = new_world(CN_SCHEME_MOREAU, cn_vec3(0.0, 0.0, -GRAVITY));
    CnBodyState start = {.center = {0.0, 0.0, 1.0},
                         .rotation = cn_quat_from_axis_angle(cn_vec3(1.0, 0.0, 0.0), 0.2),
                         .angular_velocity = {0.0, 0.0, 5.0}};
    CnBodyId top = add_body(world, 1.0, start);
    CnPinData data = {.point_a = {0.0, 0.0, -0.5}};
    data.anchor = cn_vec3_add(start.center, cn_quat_rotate(start.rotation, data.point_a));
    run_add_constraint(world, cn_pin_kind(), top, none, &data, sizeof data);

    run(world, 1e-3, 1000);
    CnBodyState end = run_state(world, top);
    CnVec3 tip = cn_vec3_add(end.center, cn_quat_rotate(end.rotation, data.point_a));
    CHECK_NEAR(cn_vec3_length(cn_vec3_sub(tip, data.anchor)), 0.0, 2e-11);
    CHECK(cn_vec3_length(cn_vec3_sub(end.center, start.center)) > 0.1); // and the rest moved
    cn_world_destroy(world);
}

static void the_unit_quaternion_constraint_takes_no_force_and_changes_nothing(void) {
    CnBodyState start = {.rotation = cn_quat_identity(), .angular_velocity = {1.0, 2.0, 3.0}};
    CnWorld* plain = new_world(CN_SCHEME_MOREAU, cn_vec3(0.0, 0.0, 0.0));
    CnWorld* watched = new_world(CN_SCHEME_MOREAU, cn_vec3(0.0, 0.0, 0.0));
    add_body(plain, 1.0, start);
    CnBodyId body = add_body(watched, 1.0, start);
    CnConstraintId unit =
        run_add_constraint(watched, cn_unit_quaternion_kind(), body, none, NULL, 0);
    double force[CN_MAX_ROWS], value[CN_MAX_ROWS];

    run(plain, 1e-2, 100);
    run(watched, 1e-2, 100);
    CHECK(cn_world_hash(plain) == cn_world_hash(watched));
    CHECK_INT(cn_constraint_read(watched, unit, force, value), CN_OK);
    CHECK(force[0] == 0.0);
    CHECK_NEAR(value[0], 0.0, 1e-14); // round-off of 100 products of unit quaternions, normalised
    cn_world_destroy(plain);
    cn_world_destroy(watched);
}

// A user's kind: the centre of a body follows x = 0.1 sin(3 t), whatever else it does.

static void follow_evaluate(const CnBodyState* a, const CnBodyState* b, double time,
                            const void* data, double* value) {
    (void)b, (void)data;
    value[0] = a->center.x - 0.1 * cn_sin(3.0 * time);
}

static void follow_jacobian(const CnBodyState* a, const CnBodyState* b, double time,
                            const void* data, double* jacobian_a, double* jacobian_b) {
    (void)a, (void)b, (void)time, (void)data, (void)jacobian_b;
    jacobian_a[0] = 1.0;
}

static void follow_time_rate(const CnBodyState* a, const CnBodyState* b, double time,
                             const void* data, double* rate) {
    (void)a, (void)b, (void)data;
    rate[0] = -0.3 * cn_cos(3.0 * time);
}

static const CnConstraintKind follow_kind = {
    .name = "follow",
    .body_count = 1,
    .dimension = 1,
    .evaluate = follow_evaluate,
    .jacobian = follow_jacobian,
    .time_rate = follow_time_rate,
};

static void a_body_follows_a_target_that_moves_with_time(void) {
    CnWorld* world = new_world(CN_SCHEME_MOREAU, cn_vec3(0.0, 0.0, -GRAVITY));
    CnBodyState start = {.rotation = cn_quat_identity(), .velocity = {0.3, 0.0, 0.0}};
    CnBodyId body = add_body(world, 1.0, start);
    run_add_constraint(world, &follow_kind, body, none, NULL, 0);
    for (int i = 0; i < 10; ++i) {
        run(world, 1e-3, 100);
        double target = 0.1 * sin(3.0 * cn_world_time(world));
        CHECK_NEAR(run_state(world, body).center.x, target, 2e-11); // put back by projection
    }
    // Free along z: g t^2 / 2 after 1 s, exact for this scheme but for round-off of 1000 steps.
    CHECK_NEAR(run_state(world, body).center.z, -0.5 * GRAVITY, 1e-11);
    cn_world_destroy(world);
}

TEST_MAIN("physics/joints/constraint_kinds",
          TEST(a_conical_pendulum_returns_with_an_error_of_second_order),
          TEST(a_conical_pendulum_pulls_with_weight_over_cosine),
          TEST(accelerations_need_the_bias_and_get_fourth_order_with_it),
          TEST(two_tied_bodies_in_free_flight_keep_momentum_and_distance),
          TEST(a_pinned_top_keeps_its_point_in_place),
          TEST(the_unit_quaternion_constraint_takes_no_force_and_changes_nothing),
          TEST(a_body_follows_a_target_that_moves_with_time))

// test_pendulum.c - pendulums and a pinned top: constraints over long times.
#include "support/run.h"

static const CnVec3 zero = {0.0, 0.0, 0.0};
static const CnBodyId nobody = {0};

// A point mass on a rod of 1 m, released at 90 degrees, g = pi^2: T = 4/pi K(1/2) = 2.3606812 s.
static CnWorld* create_pendulum(CnStabilisation stabilisation, CnBodyId* bob) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = cn_vec3(0.0, 0.0, -CN_PI * CN_PI);
    def.step.stabilisation = stabilisation;
    CnWorld* world = run_create(&def);
    CnBodyDef body = run_body(1.0, cn_vec3(0.01, 0.01, 0.01), cn_vec3(1.0, 0.0, 0.0));
    *bob = run_add(world, &body);
    CnAnchorDistanceData rod = {zero, zero, 1.0};
    run_add_constraint(world, cn_anchor_distance_kind(), *bob, nobody, &rod, sizeof rod);
    return world;
}

// Ten swings. The time of the 20th passage through the bottom is 9.75 T; each swing is off by the
// order (w dt)^2 / 24 of a leapfrog, 4e-7 of it with w = pi.
static void a_pendulum_keeps_length_energy_and_time(void) {
    const double dt = 1e-3, period = 2.3606812;
    CnBodyId bob;
    CnWorld* world = create_pendulum(CN_STABILISATION_PROJECTION, &bob);
    double before = 1.0, passage = 0.0;
    int passages = 0;
    for (int i = 0; i < 23607; ++i) {
        CnStepReport report = run_step(world, dt);
        double x = run_state(world, bob).center.x;
        if (before * x < 0.0) {
            ++passages;
            passage = report.time - dt + dt * before / (before - x);
        }
        before = x;
        CHECK(report.joint_error < 1e-9);
        CHECK_NEAR(report.energy.end, 0.0, 1e-5 * CN_PI * CN_PI);
    }
    CHECK_INT(passages, 20);
    CHECK_NEAR(passage, 9.75 * period, 5e-6 * 9.75 * period);
    CHECK_NEAR(cn_vec3_length(run_state(world, bob).center), 1.0, 1e-9);
    cn_world_destroy(world);
}

// The mean rate of the rod vanishes, so the solve does no work. At the end of the step it leaves
// the rate r = dt^2 s g sin(phi) at speed s, which the relaxation takes: together they are booked
// with m g cos(phi) r dt / 2, whose largest value, with s^2 = 2 g cos(phi), is 0.432 sqrt(2 g) g^2
// dt^3/2.
static void a_midpoint_rod_does_not_drift_and_hardly_works(void) {
    CnBodyId bob;
    CnWorld* world = create_pendulum(CN_STABILISATION_NONE, &bob);
    double worst_early = 0.0, worst_late = 0.0;
    for (int i = 0; i < 20000; ++i) {
        CnStepReport report = run_step(world, 1e-3);
        CHECK_NEAR(report.energy.work[CN_WORK_CONSTRAINT], 0.0, 1e-7);
        double* worst = i < 5000 ? &worst_early : &worst_late;
        *worst = fmax(*worst, report.joint_error);
    }
    // Within a step the bob runs straight: v^2 dt^2 / 8 with v^2 = 2 g is 2.5e-6 m, and no more
    // after twenty seconds than after five.
    CHECK_NEAR(worst_early, CN_PI * CN_PI * 1e-6 / 4.0, 1e-8);
    CHECK_NEAR(worst_late, worst_early, 1e-8);
    cn_world_destroy(world);
}

// Each way has its price, and none of them runs away: docs/theory/stabilisation.md.
static void every_stabilisation_stays_near_the_rod(void) {
    const double bound[CN_STABILISATION_COUNT] = {
        [CN_STABILISATION_NONE] = 3e-6,
        // Asked back at 0.2 / dt, the share answers what curvature adds a step, v^2 dt^2 / 2.
        [CN_STABILISATION_BAUMGARTE] = 5.5 * CN_PI * CN_PI * 1e-6,
        [CN_STABILISATION_SPLIT_IMPULSE] = 3e-6,
        [CN_STABILISATION_PROJECTION] = 1e-10,
    };
    for (int i = 0; i < CN_STABILISATION_COUNT; ++i) {
        CnBodyId bob;
        CnWorld* world = create_pendulum((CnStabilisation)i, &bob);
        for (int k = 0; k < 10000; ++k) {
            CnStepReport report = run_step(world, 1e-3);
            ck_assert_msg(report.joint_error <= bound[i], "%s: %g m at %g s",
                          cn_stabilisation_name((CnStabilisation)i), report.joint_error,
                          report.time);
            CHECK_NEAR(report.energy.end, 0.0, 1e-3);
        }
        cn_world_destroy(world);
    }
}

// A pinned body that is thrown at 1 m/s nevertheless: the solve makes the mean rate of the step
// vanish, so it goes nowhere, and the relaxation stops it.
static void a_violating_velocity_is_stopped_within_a_step(void) {
    const double thetas[] = {0.5, 0.6, 0.8, 1.0};
    for (int i = 0; i < 4; ++i) {
        CnWorldDef def = cn_world_def_default();
        def.gravity = zero;
        def.step.theta = thetas[i];
        def.step.stabilisation = CN_STABILISATION_NONE;
        CnWorld* world = run_create(&def);
        CnBodyDef body = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), zero);
        body.velocity = cn_vec3(1.0, 0.0, 0.0);
        CnBodyId id = run_add(world, &body);
        CnPinData pin = {zero, zero};
        CnConstraintId held =
            run_add_constraint(world, cn_pin_kind(), id, nobody, &pin, sizeof pin);
        double force[CN_MAX_ROWS], value[CN_MAX_ROWS];
        run_step(world, 1e-3);
        CHECK_NEAR(run_state(world, id).velocity.x, 0.0, 1e-12); // round-off of 1 m/s
        CHECK_NEAR(run_state(world, id).center.x, 0.0, 1e-15);
        CHECK_INT(cn_constraint_read(world, held, force, value), CN_OK);
        CHECK_NEAR(force[0], -1.0 / 1e-3, 1e-9); // m v in one step, solve and relaxation together
        cn_world_destroy(world);
    }
}

// Geradin and Cardona's top: 15 kg, centre 1 m from the pin, spin 150 rad/s.
static CnVec3 top_centre_after(double duration, double dt) {
    CnWorldDef def = cn_world_def_default();
    def.step.scheme = CN_SCHEME_ACCELERATION;
    def.step.stabilisation = CN_STABILISATION_NONE;
    CnWorld* world = run_create(&def);
    CnBodyDef body = run_body(15.0, cn_vec3(0.234375, 0.46875, 0.234375), cn_vec3(0.0, 1.0, 0.0));
    body.angular_velocity = cn_vec3(0.0, 150.0, -4.61538);
    body.velocity = cn_vec3_cross(body.angular_velocity, body.position);
    CnBodyId top = run_add(world, &body);
    CnPinData pin = {cn_vec3(0.0, -1.0, 0.0), zero};
    run_add_constraint(world, cn_pin_kind(), top, nobody, &pin, sizeof pin);
    run_steps(world, dt, (int)lround(duration / dt));
    CnVec3 centre = run_state(world, top).center;
    cn_world_destroy(world);
    return centre;
}

// Fourth order, measured by halving. At 0.25 ms a step is 0.0375 rad of spin and the error is below
// that of the eight printed digits.
static void a_pinned_top_is_followed_to_fourth_order(void) {
    CnVec3 a = top_centre_after(0.2, 1e-3), b = top_centre_after(0.2, 5e-4);
    CnVec3 c = top_centre_after(0.2, 2.5e-4);
    double coarse = cn_vec3_length(cn_vec3_sub(a, b)), fine = cn_vec3_length(cn_vec3_sub(b, c));
    CHECK_NEAR(log2(coarse / fine), 4.0, 0.2);
    CHECK_NEAR(c.x, 0.60555056, 1e-8 + fine);
    CHECK_NEAR(c.y, 0.59895768, 1e-8 + fine);
    CHECK_NEAR(c.z, -0.52398303, 1e-8 + fine);
    CnVec3 later = top_centre_after(1.0, 1.25e-4);
    CHECK_NEAR(later.x, 0.17334396, 1e-7);
    CHECK_NEAR(later.y, 0.64008859, 1e-7);
    CHECK_NEAR(later.z, -0.74849079, 1e-7);
}

TEST_MAIN("physics/joints/pendulum", TEST(a_pendulum_keeps_length_energy_and_time),
          TEST(a_midpoint_rod_does_not_drift_and_hardly_works),
          TEST(every_stabilisation_stays_near_the_rod),
          TEST(a_violating_velocity_is_stopped_within_a_step),
          TEST(a_pinned_top_is_followed_to_fourth_order))

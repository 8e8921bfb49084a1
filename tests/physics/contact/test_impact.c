// test_impact.c - free flight and impacts with known answers.
#include "support/run.h"

static const CnVec3 zero = {0.0, 0.0, 0.0};

// At theta = 1/2 the mean of two velocities is exact for a constant force: only round-off is left,
// 2^-53 times 50 m for each of 1000 steps.
static void free_fall_is_exact(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnBodyDef body = run_body(2.0, cn_vec3(1.0, 1.0, 1.0), cn_vec3(1.0, 2.0, 3.0));
    body.velocity = cn_vec3(1.0, -2.0, 30.0);
    CnBodyId id = run_add(world, &body);
    double energy = cn_world_energy(world);
    run_steps(world, 0.01, 300);
    const double t = 3.0;
    CnBodyState state = run_state(world, id);
    CHECK_NEAR(state.center.x, 1.0 + t, 1e-11);
    CHECK_NEAR(state.center.y, 2.0 - 2.0 * t, 1e-11);
    CHECK_NEAR(state.center.z, 3.0 + 30.0 * t - 0.5 * 9.81 * t * t, 1e-11);
    CHECK_NEAR(state.velocity.z, 30.0 - 9.81 * t, 1e-11);
    CHECK_NEAR(cn_world_energy(world), energy, 1e-10);
    cn_world_destroy(world);
}

typedef struct Line {
    CnWorld* world;
    CnBodyId ball[3];
} Line;

// Balls of radius 0.5 along x without gravity.
static Line create_line(int count, const double* mass, const double* x, const double* v,
                        double restitution) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = zero;
    Line line = {.world = run_create(&def)};
    CnMaterialId material = run_add_material(line.world, 0.3, restitution);
    for (int i = 0; i < count; ++i) {
        line.ball[i] = run_add_ball(line.world, mass[i], 0.5, cn_vec3(x[i], 0.0, 0.0),
                                    cn_vec3(v[i], 0.0, 0.0), material);
    }
    return line;
}

static void elastic_balls_trade_velocities_and_keep_momentum_and_energy(void) {
    Line line =
        create_line(2, (double[]){1.0, 1.0}, (double[]){0.0, 1.05}, (double[]){2.0, -1.0}, 1.0);
    double energy = cn_world_energy(line.world);
    for (int i = 0; i < 100; ++i) {
        CnStepReport report = run_step(line.world, 1e-3);
        CHECK_NEAR(report.momentum.linear_end.x, 1.0, 1e-10);
        CHECK_NEAR(report.energy.end, energy, 1e-10);
    }
    CHECK_NEAR(run_state(line.world, line.ball[0]).velocity.x, -1.0, 1e-10);
    CHECK_NEAR(run_state(line.world, line.ball[1]).velocity.x, 2.0, 1e-10);
    cn_world_destroy(line.world);
}

static void an_elastic_ball_of_ten_kilograms_drives_one_of_one(void) {
    Line line =
        create_line(2, (double[]){10.0, 1.0}, (double[]){0.0, 1.05}, (double[]){1.0, 0.0}, 1.0);
    run_steps(line.world, 1e-3, 100);
    CHECK_NEAR(run_state(line.world, line.ball[0]).velocity.x, 9.0 / 11.0, 1e-8);
    CHECK_NEAR(run_state(line.world, line.ball[1]).velocity.x, 20.0 / 11.0, 1e-8);
    cn_world_destroy(line.world);
}

// Newton's law on all contacts at once, each on the velocity before the step: the balls at rest
// touch, so theirs is zero and stays; the first returns. moreau.md (9).
static void simultaneous_impacts_follow_newtons_law_at_each_contact(void) {
    Line line = create_line(3, (double[]){1.0, 1.0, 1.0}, (double[]){-0.01, 1.0, 2.0},
                            (double[]){1.0, 0.0, 0.0}, 1.0);
    run_steps(line.world, 1e-3, 50);
    CHECK_NEAR(run_state(line.world, line.ball[0]).velocity.x, -1.0 / 3.0, 2e-8);
    CHECK_NEAR(run_state(line.world, line.ball[1]).velocity.x, 2.0 / 3.0, 2e-8);
    CHECK_NEAR(run_state(line.world, line.ball[2]).velocity.x, 2.0 / 3.0, 2e-8);
    cn_world_destroy(line.world);
}

// A point of one block hits a face of another off both centres: k = 1/2 + 1 + .25/(1/3) + .25/(1/6)
// = 3.75, p = 1.5 / 3.75 = 0.4, and 0.1 J of 1 J are lost.
static void a_glancing_impact_turns_both_bodies(void) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = zero;
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.0, 0.5);
    CnBodyDef a = run_body(2.0, cn_vec3(1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0), zero);
    CnBodyDef b = run_body(1.0, cn_vec3(1.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0), cn_vec3(1.0, 0.0, 0.0));
    a.velocity = cn_vec3(1.0, 0.0, 0.0);
    a.material = b.material = material;
    CnContactDef contact = cn_contact_def_default();
    contact.body_a = run_add(world, &a);
    contact.body_b = run_add(world, &b);
    contact.point = cn_vec3(0.5, 0.5, 0.0);
    contact.normal = cn_vec3(1.0, 0.0, 0.0);
    CHECK(cn_world_add_contact(world, &contact, NULL).index != 0);
    // The step is short, so that arms are those of the start: they change by v dt = 1e-7 m.
    CnStepReport report = run_step(world, 1e-7);
    CnContactPoint point;
    CHECK_INT(cn_world_contacts(world, &point, 1), 1);
    CHECK_NEAR(point.impulse.x, 0.4, 1e-7);
    CHECK_NEAR(run_state(world, contact.body_a).velocity.x, 0.8, 1e-7);
    CHECK_NEAR(run_state(world, contact.body_b).velocity.x, 0.4, 1e-7);
    CHECK_NEAR(run_state(world, contact.body_a).angular_velocity.z, 0.6, 1e-6);
    CHECK_NEAR(run_state(world, contact.body_b).angular_velocity.z, -1.2, 1e-6);
    CHECK_NEAR(report.energy.end - report.energy.start, -0.1, 1e-6);
    CHECK_NEAR(report.energy.work[CN_WORK_CONTACT], -0.1, 1e-6);
    cn_world_destroy(world);
}

typedef struct Bounce {
    double first_impact, height, rest; // [s], [m], [s]
} Bounce;

// Dropped from 1 m with e = 1/2. height is the apex after the first impact.
static Bounce drop(double dt) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.5, 0.5);
    run_add_ground(world, material);
    CnBodyId ball = run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 1.5), zero, material);
    Bounce bounce = {0.0, 0.0, 0.0};
    bool apex = false;
    for (int i = 0; i < (int)(1.5 / dt); ++i) {
        CnBodyState before = run_state(world, ball);
        run_step(world, dt);
        CnBodyState after = run_state(world, ball);
        if (bounce.first_impact == 0.0 && after.velocity.z > 0.0) {
            bounce.first_impact = cn_world_time(world);
        }
        if (bounce.first_impact > 0.0 && !apex && after.velocity.z < 0.0) {
            apex = true;
            bounce.height = fmax(before.center.z, after.center.z) - 0.5;
        }
        if (fabs(after.velocity.z) > 1e-6) {
            bounce.rest = cn_world_time(world);
        }
    }
    cn_world_destroy(world);
    return bounce;
}

// An impact is seen up to one step late: v = sqrt(2 g) = 4.43 m/s is wrong by up to g dt, and the
// ball starts its way up as much as v dt too low: 2 e^2 v dt + v dt = 6.7 dt [m]. Times are
// late by a step per impact; after the ninth the next flight is shorter than a few steps.
static void a_ball_bounces_to_e_squared_and_comes_to_rest(void) {
    const double dt = 1e-4;
    Bounce bounce = drop(dt);
    CHECK_NEAR(bounce.first_impact, 0.4515236, 1.5 * dt);
    CHECK_NEAR(bounce.height, 0.25, 6.7 * dt);
    CHECK_NEAR(bounce.rest, 1.3545709, 20.0 * dt);
}

// e = 0: the row lets the ball come down to the surface and not further, at any step.
static void a_ball_without_bounce_lands_without_overlap(void) {
    const double steps[] = {0.1, 0.03, 0.01, 0.001};
    for (int i = 0; i < 4; ++i) {
        CnWorldDef def = cn_world_def_default();
        def.step.stabilisation = CN_STABILISATION_NONE;
        CnWorld* world = run_create(&def);
        run_add_ground(world, (CnMaterialId){0});
        CnBodyId ball =
            run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 1.5), zero, (CnMaterialId){0});
        for (double t = 0.0; t < 1.0; t += steps[i]) {
            CnStepReport report = run_step(world, steps[i]);
            CHECK(report.penetration <= 1e-8 * steps[i] + 1e-15); // the solver's tolerance
        }
        CHECK_NEAR(run_state(world, ball).center.z, 0.5, 2e-8 * steps[i] + 1e-15);
        CHECK_NEAR(run_state(world, ball).velocity.z, 0.0, 1e-8);
        cn_world_destroy(world);
    }
}

// p = m g dt = 0.785 N s; nothing moves, so nothing does work: zero, not almost zero.
static void a_resting_contact_does_exactly_no_work(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    run_add_ground(world, (CnMaterialId){0});
    CnBodyId ball = run_add_ball(world, 5.0, 0.5, cn_vec3(0.0, 0.0, 0.5), zero, (CnMaterialId){0});
    for (int i = 0; i < 1000; ++i) {
        CnStepReport report = run_step(world, 0.016);
        CnContactPoint point;
        CHECK_INT(cn_world_contacts(world, &point, 1), 1);
        CHECK_NEAR(point.impulse.z, 0.7848, 1e-7);
        for (int k = 0; k < CN_WORK_COUNT; ++k) {
            CHECK_NEAR(report.energy.work[k], 0.0, 0.0);
        }
    }
    CHECK_NEAR(run_state(world, ball).center.z, 0.5, 0.0);
    cn_world_destroy(world);
}

TEST_MAIN("physics/contact/impact", TEST(free_fall_is_exact),
          TEST(elastic_balls_trade_velocities_and_keep_momentum_and_energy),
          TEST(an_elastic_ball_of_ten_kilograms_drives_one_of_one),
          TEST(simultaneous_impacts_follow_newtons_law_at_each_contact),
          TEST(a_glancing_impact_turns_both_bodies),
          TEST(a_ball_bounces_to_e_squared_and_comes_to_rest),
          TEST(a_ball_without_bounce_lands_without_overlap),
          TEST(a_resting_contact_does_exactly_no_work))

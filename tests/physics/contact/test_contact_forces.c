// test_contact_forces.c - forces of contacts and joints are means over whole steps, however cut.
#include "cairn/event.h"
#include "cairn/joint.h"
#include "support/run.h"

#define GRAVITY 9.81 // [m/s^2]
#define POINTS 32
static const CnVec3 zero = {0.0, 0.0, 0.0};
static const CnMaterialId no_material = {0};

static CnBodyId add_box(CnWorld* world, CnBodyType type, double mass, CnVec3 size, CnVec3 position,
                        CnMaterialId material) {
    CnShapeDef box = cn_shape_def_default(CN_SHAPE_BOX);
    box.size = size;
    double third = mass / 12.0;
    CnVec3 moments = cn_vec3(third * (size.y * size.y + size.z * size.z),
                             third * (size.x * size.x + size.z * size.z),
                             third * (size.x * size.x + size.y * size.y));
    CnBodyDef def = run_body(mass, moments, position);
    def.type = type;
    def.shapes = &box;
    def.shape_count = 1;
    def.material = material;
    return run_add(world, &def);
}

static CnBodyId add_bullet(CnWorld* world, double mass, double radius, CnVec3 position,
                           CnVec3 velocity, CnMaterialId material) {
    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    sphere.radius = radius;
    double moment = 0.4 * mass * radius * radius;
    CnBodyDef def = run_body(mass, cn_vec3(moment, moment, moment), position);
    def.shapes = &sphere;
    def.shape_count = 1;
    def.velocity = velocity;
    def.material = material;
    def.fast = true;
    return run_add(world, &def);
}

// What all contacts together do to a body, and how many there are.
typedef struct Load {
    CnVec3 force, torque, impulse, moment;
    int count;
} Load;

static Load load_on(const CnWorld* world, CnBodyId body) {
    CnContactPoint points[POINTS];
    Load load = {zero, zero, zero, zero, 0};
    int count = cn_world_contacts(world, points, POINTS);
    CHECK(count <= POINTS);
    for (int i = 0; i < count; ++i) {
        bool is_b = points[i].body_b.index == body.index;
        double sign = is_b ? 1.0 : -1.0;
        if (is_b || points[i].body_a.index == body.index) {
            load.force = cn_vec3_add_scaled(load.force, sign, points[i].force);
            load.torque = cn_vec3_add_scaled(load.torque, sign, points[i].torque);
            load.impulse = cn_vec3_add_scaled(load.impulse, sign, points[i].impulse);
            load.moment = cn_vec3_add_scaled(load.moment, sign, points[i].moment);
            ++load.count;
        }
    }
    return load;
}

// A box of 1000 kg. Each of at most 5 parts is solved to 1e-8 m/s, which in 0.01 s is 5e-3 N.
static void a_box_at_rest_shows_its_weight_whatever_the_substeps(void) {
    const CnScheme schemes[] = {CN_SCHEME_MOREAU, CN_SCHEME_IMPLICIT, CN_SCHEME_QUASI_STATIC};
    for (int s = 0; s < 3; ++s) {
        for (int substeps = 1; substeps <= 5; ++substeps) {
            CnWorldDef def = cn_world_def_default();
            def.step.scheme = schemes[s];
            def.step.substeps = substeps;
            CnWorld* world = run_create(&def);
            run_add_ground(world, no_material);
            CnBodyId box = add_box(world, CN_BODY_DYNAMIC, 1000.0, cn_vec3(1.0, 1.0, 1.0),
                                   cn_vec3(0.0, 0.0, 0.5), no_material);
            for (int i = 0; i < 10; ++i) {
                run_step(world, 0.01);
                Load load = load_on(world, box);
                CHECK_INT(load.count, 4);
                CHECK_NEAR(load.force.z, 1000.0 * GRAVITY, 5e-3);
                CHECK_NEAR(load.impulse.z, 10.0 * GRAVITY, 5e-5);
            }
            cn_world_destroy(world);
        }
    }
}

// Damping takes nothing from what a body at rest presses with: docs/theory/moreau.md (24). Ledgers
// are checked by run_step().
static void damping_takes_nothing_from_the_weight(void) {
    const CnScheme schemes[] = {CN_SCHEME_MOREAU, CN_SCHEME_QUASI_STATIC};
    const double rates[] = {45.0, 0.1, 400.0}; // c h = 0.45, 0.001, 4
    for (int s = 0; s < 2; ++s) {
        for (int substeps = 1; substeps <= 3; substeps += 2) {
            CnWorldDef def = cn_world_def_default();
            def.step.scheme = schemes[s];
            def.step.substeps = substeps;
            CnWorld* world = run_create(&def);
            run_add_ground(world, no_material);
            CnVec3 size = cn_vec3(1.0, 1.0, 1.0);
            CnBodyId lower =
                add_box(world, CN_BODY_DYNAMIC, 1000.0, size, cn_vec3(0.0, 0.0, 0.5), no_material);
            CnBodyId upper =
                add_box(world, CN_BODY_DYNAMIC, 300.0, size, cn_vec3(0.1, 0.0, 1.5), no_material);
            for (int i = 0; i < 30; ++i) {
                if (i % 10 == 0) {
                    double rate = rates[i / 10];
                    CHECK_INT(cn_body_set_damping(world, lower, rate, 30.0, NULL), CN_OK);
                    CHECK_INT(cn_body_set_damping(world, upper, 2.0 * rate, rate, NULL), CN_OK);
                }
                run_step(world, 0.01);
                // 1e-8 m/s of 1300 kg whose mass counts up to 8 times, in 0.01 s and 3 parts.
                CHECK_NEAR(load_on(world, upper).force.z, 300.0 * GRAVITY, 3e-2);
                CHECK_NEAR(load_on(world, lower).force.z, 1000.0 * GRAVITY, 3e-2);
            }
            cn_world_destroy(world);
        }
    }
}

// v' = a - c v with a constant reaction: a body drawn along the ground reaches (F/m - mu g) / c.
static void friction_and_damping_leave_the_terminal_speed(void) {
    const double c = 20.0, mass = 2.0, pull = 30.0, friction = 0.5, dt = 0.01;
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnMaterialId stone = run_add_material(world, friction, 0.0);
    run_add_ground(world, stone);
    CnBodyId box = add_box(world, CN_BODY_DYNAMIC, mass, cn_vec3(4.0, 4.0, 0.1),
                           cn_vec3(0.0, 0.0, 0.05), stone);
    CHECK_INT(cn_body_set_damping(world, box, c, 0.0, NULL), CN_OK);
    double speed = 0.0, gain = pull / mass - friction * GRAVITY;
    for (int i = 1; i <= 300; ++i) {
        CnBodyState state;
        CHECK_INT(cn_body_state(world, box, &state), CN_OK);
        CHECK_INT(cn_body_apply_force(world, box, cn_vec3(pull, 0.0, 0.0), state.center, NULL),
                  CN_OK);
        run_step(world, dt);
        speed = gain / c * (1.0 - exp(-c * dt * i));
        CHECK_INT(cn_body_state(world, box, &state), CN_OK);
        CHECK_NEAR(state.velocity.x, speed, 1e-6); // 1e-8 m/s a step, faded after 5 of them
        CHECK_NEAR(load_on(world, box).force.x, -friction * mass * GRAVITY, 1e-4);
    }
    cn_world_destroy(world);
}

// The bullet meets the wall after 0.099 s, and what is cut there is the step of everyone.
static void a_bullet_in_a_wall_far_away_does_not_change_the_weight_of_a_box(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    run_add_ground(world, no_material);
    CnBodyId box = add_box(world, CN_BODY_DYNAMIC, 1000.0, cn_vec3(1.0, 1.0, 1.0),
                           cn_vec3(0.0, 0.0, 0.5), no_material);
    add_box(world, CN_BODY_STATIC, 0.0, cn_vec3(0.1, 5.0, 5.0), cn_vec3(10.0, 0.0, 5.0),
            no_material);
    add_bullet(world, 0.5, 0.05, cn_vec3(0.0, 0.0, 5.0), cn_vec3(100.0, 0.0, 0.0), no_material);
    int impacts = 0;
    for (int i = 0; i < 20; ++i) {
        impacts += run_step(world, 0.01).impacts;
        CHECK_NEAR(load_on(world, box).force.z, 1000.0 * GRAVITY, 5e-3); // as above
    }
    CHECK(impacts >= 1);
    cn_world_destroy(world);
}

// Two balls, one of them fast, bounce, slide and meet each other on the ground and against a wall:
// in every step of every body m dv = dt (m g + sum of forces), and forces are impulses / dt.
static void forces_of_contacts_change_momentum_by_as_much_as_they_say(void) {
    const double mass[2] = {2.0, 0.7}, dt = 1.0 / 60.0;
    CnWorldDef def = cn_world_def_default();
    def.step.substeps = 3;
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.3, 0.5);
    run_add_ground(world, material);
    add_box(world, CN_BODY_STATIC, 0.0, cn_vec3(0.1, 6.0, 6.0), cn_vec3(3.0, 0.0, 0.0), material);
    CnBodyId balls[2] = {run_add_ball(world, mass[0], 0.2, cn_vec3(0.0, 0.05, 0.9),
                                      cn_vec3(1.0, 0.2, 0.0), material),
                         add_bullet(world, mass[1], 0.1, cn_vec3(-2.0, 0.0, 0.6),
                                    cn_vec3(40.0, 0.0, 1.0), material)};
    int impacts = 0, loaded = 0;
    for (int step = 0; step < 300; ++step) {
        CnVec3 before[2];
        for (int i = 0; i < 2; ++i) {
            before[i] = run_state(world, balls[i]).velocity;
        }
        impacts += run_step(world, dt).impacts;
        for (int i = 0; i < 2; ++i) {
            Load load = load_on(world, balls[i]);
            CnVec3 gained = cn_vec3_sub(run_state(world, balls[i]).velocity, before[i]);
            CnVec3 force = cn_vec3_add_scaled(load.force, mass[i], def.gravity);
            CnVec3 missed = cn_vec3_add_scaled(cn_vec3_scale(mass[i], gained), -dt, force);
            CHECK_NEAR(cn_vec3_length(missed), 0.0, 1e-12); // round-off of some 100 N s
            CnVec3 lasting = cn_vec3_add_scaled(load.impulse, -dt, load.force);
            CHECK_NEAR(cn_vec3_length(lasting), 0.0, 1e-13);
            loaded += cn_vec3_length(load.force) > 0.0;
        }
    }
    CHECK(impacts >= 3 && loaded >= 30);
    cn_world_destroy(world);
}

// I dw = dt (torque - r n x force): a ball that slides, spins and rolls, its inertia the same about
// all axes. Positions are kept to 1e-10 m, so that the arm is r.
static void torsion_and_rolling_change_spin_by_as_much_as_they_say(void) {
    const double radius = 0.25, mass = 2.0, moment = 0.4 * mass * radius * radius, dt = 0.01;
    CnWorldDef def = cn_world_def_default();
    def.step.substeps = 4;
    CnWorld* world = run_create(&def);
    CnError error = {0};
    CnMaterialDef rubber = cn_material_def_default();
    rubber.friction = 0.4;
    rubber.torsion = rubber.rolling = 0.01;
    CnMaterialId material = cn_world_add_material(world, &rubber, &error);
    run_add_ground(world, material);
    CnBodyId ball = run_add_ball(world, mass, radius, cn_vec3(0.0, 0.0, radius),
                                 cn_vec3(1.0, 0.5, 0.0), material);
    CnBodyState state = run_state(world, ball);
    state.angular_velocity = cn_vec3(3.0, 0.0, 20.0);
    CHECK_INT(cn_body_set_state(world, ball, &state, NULL), CN_OK);
    bool has_torsion = false, has_rolling = false;
    for (int step = 0; step < 100; ++step) {
        CnVec3 before = run_state(world, ball).angular_velocity;
        run_step(world, dt);
        Load load = load_on(world, ball);
        CnVec3 gained = cn_vec3_sub(run_state(world, ball).angular_velocity, before);
        CnVec3 turning = cn_vec3_cross(cn_vec3(0.0, 0.0, -radius), load.force);
        turning = cn_vec3_scale(dt, cn_vec3_add(turning, load.torque));
        CnVec3 missed = cn_vec3_sub(cn_vec3_scale(moment, gained), turning);
        CHECK_NEAR(cn_vec3_length(missed), 0.0, 1e-10 * mass * GRAVITY * dt + 1e-14);
        CHECK_NEAR(load.moment.z, dt * load.torque.z, 1e-15);
        has_torsion |= fabs(load.torque.z) > 0.1;
        has_rolling |= hypot(load.torque.x, load.torque.y) > 0.1;
    }
    CHECK(has_torsion && has_rolling);
    cn_world_destroy(world);
}

// The bullet has bounced and is metres away when the step ends.
static void a_contact_of_a_part_of_the_step_is_listed_with_its_impulse(void) {
    const double mass = 0.01, speed = 400.0, dt = 1.0 / 60.0;
    CnWorldDef def = cn_world_def_default();
    def.gravity = zero;
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.0, 0.5);
    add_box(world, CN_BODY_STATIC, 0.0, cn_vec3(0.02, 1.0, 1.0), zero, material);
    CnBodyId bullet =
        add_bullet(world, mass, 0.005, cn_vec3(-3.0, 0.0, 0.0), cn_vec3(speed, 0.0, 0.0), material);
    run_step(world, dt);
    CHECK(run_state(world, bullet).center.x < -1.0);
    CnContactPoint point;
    CHECK_INT(cn_world_contacts(world, &point, 1), 1);
    Load load = load_on(world, bullet);
    CHECK_NEAR(load.impulse.x, -1.5 * mass * speed, 1e-9); // solver 1e-8 m/s
    CHECK_NEAR(load.force.x, -1.5 * mass * speed / dt, 1e-7);
    CHECK_NEAR(fabs(point.velocity.x), 0.5 * speed, 1e-8); // after the step
    CnEvent event[4];
    int hits = 0, count = cn_world_events(world, event, 4);
    for (int i = 0; i < count && i < 4; ++i) {
        if (event[i].type == CN_EVENT_CONTACT_HIT) {
            CHECK_NEAR(event[i].impulse, 1.5 * mass * speed, 1e-9);
            ++hits;
        }
    }
    CHECK_INT(hits, 1);
    run_step(world, dt);
    CHECK_INT(cn_world_contacts(world, NULL, 0), 0);
    cn_world_destroy(world);
}

// A ball of 2 kg falls on the ground at 4 m/s and stays. The surfaces come together in one part of
// the step and stop in the next: one hit with the impulse of both and of the weight that follows.
static void a_hit_counts_all_parts_of_its_step(void) {
    const double mass = 2.0, dt = 0.01;
    CnWorldDef def = cn_world_def_default();
    def.step.substeps = 4;
    CnWorld* world = run_create(&def);
    run_add_ground(world, no_material);
    CnBodyId ball = run_add_ball(world, mass, 0.5, cn_vec3(0.0, 0.0, 0.505),
                                 cn_vec3(0.0, 0.0, -4.0), no_material);
    run_step(world, dt);
    CHECK_NEAR(run_state(world, ball).velocity.z, 0.0, 1e-8);
    CnEvent event[4];
    int hits = 0, count = cn_world_events(world, event, 4);
    for (int i = 0; i < count && i < 4; ++i) {
        if (event[i].type == CN_EVENT_CONTACT_HIT) {
            CHECK_NEAR(event[i].impulse, mass * (4.0 + GRAVITY * dt), 1e-7);
            CHECK_NEAR(event[i].impulse, load_on(world, ball).impulse.z, 1e-14);
            ++hits;
        }
    }
    CHECK_INT(hits, 1);
    cn_world_destroy(world);
}

static CnJointState read_joint(const CnWorld* world, CnJointId joint) {
    CnJointState state;
    CHECK_INT(cn_joint_read(world, joint, &state), CN_OK);
    return state;
}

static CnJointId fasten(CnWorld* world, CnBodyId body, CnVec3 point) {
    CnError error = {0};
    CnJointDef def = cn_joint_def_default(CN_JOINT_WELD);
    def.body_a = body;
    def.point_a = point;
    CnJointId joint = cn_world_add_joint(world, &def, &error);
    ck_assert_msg(joint.index != 0, "%s", error.message);
    return joint;
}

// 7 kg on an arm of 0.3 m: each part within 1e-8 m/s, in 1/4 of 0.01 s.
static void a_joint_carries_the_whole_weight_whatever_the_substeps(void) {
    const CnScheme schemes[] = {CN_SCHEME_MOREAU, CN_SCHEME_IMPLICIT, CN_SCHEME_QUASI_STATIC,
                                CN_SCHEME_ACCELERATION};
    for (int i = 0; i < 4; ++i) {
        CnWorldDef def = cn_world_def_default();
        def.step.scheme = schemes[i];
        def.step.substeps = 4;
        CnWorld* world = run_create(&def);
        CnBodyDef weight = run_body(7.0, cn_vec3(1.0, 1.0, 1.0), zero);
        weight.linear_damping = 45.0; // of what does not move: changes nothing
        weight.angular_damping = 30.0;
        CnBodyId body = run_add(world, &weight);
        CnJointId joint = fasten(world, body, cn_vec3(-0.3, 0.0, 0.0));
        CnPinData pin = {zero, cn_vec3(5.0, 0.0, 0.0)};
        weight.position = cn_vec3(5.0, 0.0, 0.0);
        CnConstraintId held = run_add_constraint(world, cn_pin_kind(), run_add(world, &weight),
                                                 (CnBodyId){0}, &pin, sizeof pin);
        for (int step = 0; step < 3; ++step) {
            run_step(world, 0.01);
            CnJointState state = read_joint(world, joint);
            double force[CN_MAX_ROWS], value[CN_MAX_ROWS];
            CHECK_INT(cn_constraint_read(world, held, force, value), CN_OK);
            CHECK_NEAR(state.force.z, 7.0 * GRAVITY, 3e-5);
            CHECK_NEAR(state.torque.y, -0.3 * 7.0 * GRAVITY, 3e-5);
            CHECK_NEAR(fabs(force[2]), 7.0 * GRAVITY, 3e-5);
        }
        cn_world_destroy(world);
    }
}

// The plate stops the bullet dead, its joint stops the plate, and the step goes on from there.
static void a_joint_counts_the_impact_that_cut_its_step(void) {
    const double mass = 0.05, speed = 300.0, dt = 0.01;
    CnWorldDef def = cn_world_def_default();
    def.gravity = zero;
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.0, 0.0);
    CnBodyId plate = add_box(world, CN_BODY_DYNAMIC, 3.0, cn_vec3(0.02, 1.0, 1.0), zero, material);
    add_bullet(world, mass, 0.01, cn_vec3(-1.5, 0.0, 0.0), cn_vec3(speed, 0.0, 0.0), material);
    CnJointId joint = fasten(world, plate, zero);
    CHECK_INT(run_step(world, dt).impacts, 1);
    CHECK_NEAR(load_on(world, plate).force.x, mass * speed / dt, 1e-5); // 1e-8 m/s, 3 kg, 0.01 s
    CHECK_NEAR(read_joint(world, joint).force.x, -mass * speed / dt, 1e-5);
    run_step(world, dt);
    CHECK_NEAR(read_joint(world, joint).force.x, 0.0, 1e-5);
    cn_world_destroy(world);
}

static void blow_up(const CnBodyState* state, double time, void* data, CnVec3* force,
                    CnVec3* torque) {
    (void)state, (void)torque;
    if (time > *(const double*)data) {
        force->x = (double)NAN;
    }
}

// The force is no number in the second substep of the second step.
static void a_step_that_fails_leaves_the_forces_of_joints(void) {
    CnWorldDef def = cn_world_def_default();
    def.step.substeps = 2;
    CnWorld* world = run_create(&def);
    CnBodyDef weight = run_body(7.0, cn_vec3(1.0, 1.0, 1.0), zero);
    CnBodyId body = run_add(world, &weight);
    CnJointId joint = fasten(world, body, zero);
    CnForceDef force = cn_force_def_default();
    double until = 0.0155; // [s]
    force.body = body;
    force.function = blow_up;
    force.data = &until;
    CHECK(cn_world_add_force(world, &force, NULL).index != 0);
    run_step(world, 0.01);
    double before = read_joint(world, joint).force.z;
    CHECK_NEAR(before, 7.0 * GRAVITY, 3e-5);
    CnError error = {0};
    CHECK(cn_world_step(world, 0.01, NULL, &error) != CN_OK);
    CHECK_NEAR(read_joint(world, joint).force.z, before, 0.0);
    CHECK(cn_world_step(world, 0.02, NULL, &error) != CN_OK);
    CHECK_NEAR(read_joint(world, joint).force.z, before, 0.0);
    cn_world_destroy(world);
}

TEST_MAIN("physics/contact/contact_forces",
          TEST(a_box_at_rest_shows_its_weight_whatever_the_substeps),
          TEST(damping_takes_nothing_from_the_weight),
          TEST(friction_and_damping_leave_the_terminal_speed),
          TEST(a_bullet_in_a_wall_far_away_does_not_change_the_weight_of_a_box),
          TEST(forces_of_contacts_change_momentum_by_as_much_as_they_say),
          TEST(torsion_and_rolling_change_spin_by_as_much_as_they_say),
          TEST(a_contact_of_a_part_of_the_step_is_listed_with_its_impulse),
          TEST(a_hit_counts_all_parts_of_its_step),
          TEST(a_joint_carries_the_whole_weight_whatever_the_substeps),
          TEST(a_joint_counts_the_impact_that_cut_its_step),
          TEST(a_step_that_fails_leaves_the_forces_of_joints))

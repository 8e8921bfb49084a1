// test_sleepers.c - sleep in every scheme, what sleepers show, and that they stay what they are.
#include "cairn/event.h"
#include "cairn/state.h"
#include "support/run.h"

#include <string.h>

#define BOXES 3

static const double dt = 0.01;        // [s]
static const double gravity = 9.81;   // [m/s^2]
static const double mass = 1000.0;    // of a cube of 1 m [kg]
static const double tolerance = 1e-8; // of the solver [m/s]

// sleep_time is 50 steps of 0.01 s; round-off may make it 51.
#define STEPS_TO_SLEEP 51

static CnBodyId add_box(CnWorld* world, CnVec3 position, CnBodyType type) {
    CnShapeDef shape = cn_shape_def_default(CN_SHAPE_BOX);
    CnBodyDef def = cn_body_def_default();
    def.shapes = &shape;
    def.shape_count = 1;
    def.position = position;
    def.type = type;
    return run_add(world, &def);
}

typedef struct Pile {
    CnWorld* world;
    CnBodyId ground, boxes[BOXES];
} Pile;

static Pile create_pile(const CnStepDef* step) {
    CnWorldDef def = cn_world_def_default();
    if (step != NULL) {
        def.step = *step;
    }
    def.step.sleep = true;
    Pile pile = {.world = run_create(&def)};
    pile.ground = run_add_ground(pile.world, (CnMaterialId){0});
    for (int i = 0; i < BOXES; ++i) {
        pile.boxes[i] = add_box(pile.world, cn_vec3(0.0, 0.0, 0.5 + i), CN_BODY_DYNAMIC);
    }
    return pile;
}

static int asleep(const Pile* pile) {
    int count = 0;
    for (int i = 0; i < BOXES; ++i) {
        count += !cn_body_is_awake(pile->world, pile->boxes[i]);
    }
    return count;
}

static int count_events(const CnWorld* world, CnEventType type) {
    CnEvent events[64];
    int count = cn_world_events(world, events, 64), found = 0;
    for (int i = 0; i < count && i < 64; ++i) {
        found += events[i].type == type;
    }
    return found;
}

// ---- schemes ----

// The ball is a metre above the pile: it is there after sqrt(2 / 9.81) = 0.45 s.
static void piles_sleep_and_wake_in_every_scheme_that_has_it(void) {
    const CnScheme schemes[] = {CN_SCHEME_MOREAU, CN_SCHEME_IMPLICIT};
    for (int i = 0; i < 2; ++i) {
        CnStepDef step = cn_world_def_default().step;
        step.scheme = schemes[i];
        Pile pile = create_pile(&step);
        run_steps(pile.world, dt, STEPS_TO_SLEEP);
        CHECK_INT(asleep(&pile), BOXES);
        run_add_ball(pile.world, 200.0, 0.3, cn_vec3(0.0, 0.0, 4.3), cn_vec3(0.0, 0.0, 0.0),
                     (CnMaterialId){0});
        run_steps(pile.world, dt, 40);
        CHECK_INT(asleep(&pile), BOXES);
        run_steps(pile.world, dt, 10);
        CHECK_INT(asleep(&pile), 0);
        run_steps(pile.world, dt, 100);
        CHECK_INT(asleep(&pile), BOXES);
        for (int k = 0; k < BOXES; ++k) { // 2 s of solver tolerance
            CHECK_NEAR(run_state(pile.world, pile.boxes[k]).center.z, 0.5 + k, 2.0 * tolerance);
        }
        cn_world_destroy(pile.world);
    }
}

// A quasi-static box that is pushed creeps, and sleeps once it is left alone.
static void quasi_static_piles_sleep(void) {
    CnStepDef step = cn_world_def_default().step;
    step.scheme = CN_SCHEME_QUASI_STATIC;
    Pile pile = create_pile(&step);
    run_steps(pile.world, dt, STEPS_TO_SLEEP);
    CHECK_INT(asleep(&pile), BOXES);
    CnStepReport report = run_step(pile.world, dt);
    CHECK_INT(report.row_count, 0);
    CnVec3 push = {3e4, 0.0, 0.0}; // more than friction, 0.5 * 3000 kg * 9.81 m/s^2, can hold
    CnVec3 at = run_state(pile.world, pile.boxes[0]).center;
    CHECK_INT(cn_body_apply_force(pile.world, pile.boxes[0], push, at, NULL), CN_OK);
    CHECK_INT(asleep(&pile), 0);
    run_step(pile.world, dt);
    CHECK(run_state(pile.world, pile.boxes[0]).center.x > 1e-5);
    run_steps(pile.world, dt, STEPS_TO_SLEEP);
    CHECK_INT(asleep(&pile), BOXES);
    cn_world_destroy(pile.world);
}

static void scheme_acceleration_refuses_sleep(void) {
    CnWorldDef def = cn_world_def_default();
    CnError error = {0};
    def.step.sleep = true;
    def.step.scheme = CN_SCHEME_ACCELERATION;
    CHECK(cn_world_create(&def, &error) == NULL);
    CHECK(strstr(error.message, "sleep") != NULL && strstr(error.message, "acceleration") != NULL);
    def.step.sleep = false;
    CnWorld* world = run_create(&def);
    CnBodyId box = add_box(world, cn_vec3(0.0, 0.0, 0.0), CN_BODY_DYNAMIC);
    CHECK_INT(cn_body_set_awake(world, box, false, &error), CN_UNSUPPORTED);
    CHECK(strstr(error.message, "acceleration") != NULL);
    cn_world_destroy(world);
}

// ---- what moves them ----

// The platform lifts what sleeps on it: 0.1 m/s for a second.
static void a_kinematic_platform_that_starts_wakes_what_stands_on_it(void) {
    CnWorldDef def = cn_world_def_default();
    def.step.sleep = true;
    CnWorld* world = run_create(&def);
    CnBodyId platform = add_box(world, cn_vec3(0.0, 0.0, -0.5), CN_BODY_KINEMATIC);
    CnBodyId box = add_box(world, cn_vec3(0.0, 0.0, 0.5), CN_BODY_DYNAMIC);
    run_steps(world, dt, STEPS_TO_SLEEP);
    CHECK(!cn_body_is_awake(world, box));
    CnBodyState state = run_state(world, platform);
    state.velocity = cn_vec3(0.0, 0.0, 0.1);
    CHECK_INT(cn_body_set_state(world, platform, &state, NULL), CN_OK);
    CHECK(cn_body_is_awake(world, box));
    run_steps(world, dt, 100);
    CHECK(cn_body_is_awake(world, box)); // slow enough to sleep, but what it stands on moves
    CHECK_NEAR(run_state(world, box).center.z, 0.6, 1e-6); // tolerance of positions and solver
    cn_world_destroy(world);
}

// A door that a position motor holds sleeps; with a new target it wakes and goes there.
static void a_new_joint_target_wakes_and_is_reached(void) {
    CnWorldDef def = cn_world_def_default();
    def.step.sleep = true;
    CnWorld* world = run_create(&def);
    CnBodyId door = add_box(world, cn_vec3(0.0, 0.0, 0.0), CN_BODY_DYNAMIC);
    CnJointDef hinge = cn_joint_def_default(CN_JOINT_HINGE); // about z through its centre
    hinge.body_b = door;
    hinge.axes[CN_AXIS_TURN_Z].motor = CN_MOTOR_POSITION;
    hinge.axes[CN_AXIS_TURN_Z].stiffness = 1e5; // [N m/rad]
    hinge.axes[CN_AXIS_TURN_Z].damping = 1e4;   // [N m s/rad]
    CnJointId joint = cn_world_add_joint(world, &hinge, NULL);
    CHECK(joint.index != 0);
    run_steps(world, dt, STEPS_TO_SLEEP);
    CHECK(!cn_body_is_awake(world, door));
    CHECK_INT(cn_joint_set_target(world, joint, CN_AXIS_TURN_Z, 0.5, NULL), CN_OK);
    CHECK(cn_body_is_awake(world, door));
    run_steps(world, dt, 400);
    CHECK(!cn_body_is_awake(world, door));
    CnJointState state;
    CHECK_INT(cn_joint_read(world, joint, &state), CN_OK);
    // It falls asleep half a second after it came below 0.05 m/s at a radius of gyration of 0.4 m:
    // overdamped, with a time constant of damping / stiffness, 0.1 s, that leaves
    // 0.125 rad/s * 0.1 s * exp(-5) = 8e-5 rad.
    CHECK_NEAR(fabs(state.position[CN_AXIS_TURN_Z]), 0.5, 1e-4);
    cn_world_destroy(world);
}

// ---- what they show ----

// Weight of what is above a contact, from the sum of its points.
static double carried(const CnWorld* world, CnBodyId on, CnBodyId below) {
    CnContactPoint points[32];
    int count = cn_body_contacts(world, on, points, 32);
    double force = 0.0;
    for (int i = 0; i < count && i < 32; ++i) {
        const CnContactPoint* p = &points[i];
        if (memcmp(&p->body_a, &below, sizeof below) == 0) {
            force += p->force.z;
        } else if (memcmp(&p->body_b, &below, sizeof below) == 0) {
            force -= p->force.z;
        }
    }
    return force;
}

// A velocity that is off by the tolerance is a force that is off by mass * tolerance / dt: 1e-3 N
// for each of the boxes above.
static void sleepers_show_the_forces_of_their_last_step(void) {
    for (int substeps = 1; substeps <= 2; ++substeps) {
        CnStepDef step = cn_world_def_default().step;
        step.substeps = substeps;
        Pile pile = create_pile(&step);
        run_steps(pile.world, dt, STEPS_TO_SLEEP);
        CHECK_INT(asleep(&pile), BOXES);
        double bound = BOXES * mass * tolerance / (dt / substeps) + 1e-9 * BOXES * mass * gravity;
        run_steps(pile.world, 0.25 * dt, 3); // steps of another length change nothing
        for (int i = 0; i < BOXES; ++i) {
            CnBodyId below = i == 0 ? pile.ground : pile.boxes[i - 1];
            CHECK_NEAR(carried(pile.world, pile.boxes[i], below), (BOXES - i) * mass * gravity,
                       bound);
        }
        CnContactPoint points[64];
        int count = cn_world_contacts(pile.world, points, 64);
        CHECK_INT(count, 4 * BOXES);
        CHECK_INT(cn_world_find_contacts(pile.world, points, 64), 4 * BOXES);
        CHECK_INT(asleep(&pile), BOXES);
        cn_world_destroy(pile.world);
    }
}

// Each point is one of the last step or one between sleepers, also in the step in which the bodies
// fall asleep. Every point is one of two bodies.
static void points_of_who_falls_asleep_are_listed_once(void) {
    const CnScheme schemes[] = {CN_SCHEME_MOREAU, CN_SCHEME_MOREAU, CN_SCHEME_SOFT_STEP};
    for (int i = 0; i < 3; ++i) {
        CnStepDef step = i < 2 ? cn_world_def_default().step : run_soft_def().step;
        step.scheme = schemes[i];
        step.substeps = i == 1 ? 2 : 1;
        Pile pile = create_pile(&step);
        int steps_awake = 0;
        for (int k = 0; k < 200 && asleep(&pile) == 0; ++k, ++steps_awake) {
            CHECK_INT(cn_world_step(pile.world, dt, NULL, NULL), CN_OK);
            int count = cn_body_contacts(pile.world, pile.ground, NULL, 0);
            for (int b = 0; b < BOXES; ++b) {
                count += cn_body_contacts(pile.world, pile.boxes[b], NULL, 0);
            }
            CHECK_INT(cn_world_contacts(pile.world, NULL, 0), 4 * BOXES);
            CHECK_INT(count, 2 * 4 * BOXES);
        }
        CHECK(steps_awake > 1);
        CHECK_INT(asleep(&pile), BOXES);
        cn_world_destroy(pile.world);
    }
}

static void a_sleeping_joint_shows_its_force(void) {
    CnWorldDef def = cn_world_def_default();
    def.step.sleep = true;
    CnWorld* world = run_create(&def);
    CnBodyDef bob = run_body(2.0, cn_vec3(1.0, 1.0, 1.0), cn_vec3(0.0, 0.0, -1.0));
    CnBodyId body = run_add(world, &bob);
    CnJointDef ball = cn_joint_def_default(CN_JOINT_BALL);
    ball.body_a = body;
    CnJointId joint = cn_world_add_joint(world, &ball, NULL);
    run_steps(world, dt, STEPS_TO_SLEEP);
    CHECK(!cn_body_is_awake(world, body));
    for (int i = 0; i < 2; ++i) {
        CnJointState state;
        CHECK_INT(cn_joint_read(world, joint, &state), CN_OK);
        CHECK_NEAR(state.force.z, 2.0 * gravity, 2.0 * tolerance / dt);
        run_steps(world, 0.2 * dt, 5);
    }
    cn_world_destroy(world);
}

// Woken after steps of another length, a pile stands as before: rows are those of the new length.
static void piles_wake_into_steps_of_another_length(void) {
    Pile pile = create_pile(NULL);
    run_steps(pile.world, dt, STEPS_TO_SLEEP);
    run_steps(pile.world, 0.1 * dt, 10);
    CHECK_INT(asleep(&pile), BOXES);
    CHECK_INT(cn_body_set_awake(pile.world, pile.boxes[0], true, NULL), CN_OK);
    CnStepReport report = run_step(pile.world, 0.1 * dt);
    CHECK_INT(report.kept_islands, 1); // impulses were scaled: they hold
    for (int i = 0; i < BOXES; ++i) {
        double speed = cn_vec3_length(run_state(pile.world, pile.boxes[i]).velocity);
        CHECK_NEAR(speed, 0.0, (i + 1) * tolerance); // a contact below each box, each so far off
        CnBodyId below = i == 0 ? pile.ground : pile.boxes[i - 1];
        CHECK_NEAR(carried(pile.world, pile.boxes[i], below), (BOXES - i) * mass * gravity,
                   BOXES * mass * tolerance / (0.1 * dt));
    }
    cn_world_destroy(pile.world);
}

// ---- books ----

// From step to step energy changes by the sum of its accounts: what is asleep is in it, and what
// falling asleep takes is booked. Round-off: a term for each body and step of the energy there is.
static void energy_adds_up_over_a_life_with_sleep(void) {
    Pile pile = create_pile(NULL);
    run_add_ball(pile.world, 200.0, 0.3, cn_vec3(0.2, 0.1, 7.0), cn_vec3(0.0, 0.0, 0.0),
                 (CnMaterialId){0});
    double start = cn_world_energy(pile.world), work = 0.0;
    int steps = 400, slept = 0;
    for (int i = 0; i < steps; ++i) {
        CnStepReport report = run_step(pile.world, dt);
        for (int k = 0; k < CN_WORK_COUNT; ++k) {
            work += report.energy.work[k];
        }
        slept = report.sleeping_bodies > slept ? report.sleeping_bodies : slept;
        CHECK_NEAR(report.energy.end, cn_world_energy(pile.world), 1e-12 * start);
    }
    CHECK_INT(slept, BOXES + 1);
    CHECK_NEAR(cn_world_energy(pile.world) - start, work, 1e-15 * steps * 10.0 * start);
    cn_world_destroy(pile.world);
}

// The certificate is of what is awake; the report says how many it does not speak of.
static void certificates_are_of_the_rest(void) {
    Pile pile = create_pile(NULL);
    run_steps(pile.world, dt, STEPS_TO_SLEEP);
    CnStepReport report = run_step(pile.world, dt);
    CHECK_INT(report.sleeping_bodies, BOXES);
    CHECK_INT(report.sleeping_islands, 1);
    CHECK_INT(report.block_count, 0);
    CHECK(report.certificate.worst == 0.0);
    CHECK_INT(report.certificate.worst_block, -1);
    CnBodyId apart = add_box(pile.world, cn_vec3(5.0, 0.0, 0.5), CN_BODY_DYNAMIC);
    report = run_step(pile.world, dt);
    CHECK_INT(report.sleeping_bodies, BOXES);
    CHECK_INT(report.contact_count, 4);
    CHECK(cn_body_is_awake(pile.world, apart));
    cn_world_destroy(pile.world);
}

// ---- sensors ----

static CnShapeId add_sensor(CnWorld* world, CnVec3 position, CnBodyType type, CnBodyId* body) {
    CnShapeDef shape = cn_shape_def_default(CN_SHAPE_SPHERE);
    CnBodyDef def = cn_body_def_default();
    shape.radius = 1.0;
    shape.sensor = true;
    def.shapes = &shape;
    def.shape_count = 1;
    def.position = position;
    def.type = type;
    *body = run_add(world, &def);
    CnShapeId id;
    CHECK_INT(cn_body_shapes(world, *body, &id, 1), 1);
    return id;
}

// A gate that passes over sleepers tells of them and leaves them asleep.
static void sensors_see_sleepers_and_do_not_wake_them(void) {
    Pile pile = create_pile(NULL);
    CnBodyId fixed, gate, seen[8];
    CnShapeId here = add_sensor(pile.world, cn_vec3(0.0, 0.0, -0.1), CN_BODY_STATIC, &fixed);
    CnShapeId passing = add_sensor(pile.world, cn_vec3(-5.0, 0.0, 2.5), CN_BODY_KINEMATIC, &gate);
    run_steps(pile.world, dt, STEPS_TO_SLEEP);
    CHECK_INT(asleep(&pile), BOXES);
    CHECK_INT(cn_world_sensor_overlaps(pile.world, here, seen, 8), 1); // reaches to z = 0.9
    CnBodyState state = run_state(pile.world, gate);
    state.velocity = cn_vec3(5.0, 0.0, 0.0);
    CHECK_INT(cn_body_set_state(pile.world, gate, &state, NULL), CN_OK);
    int begins = 0, ends = 0;
    for (int i = 0; i < 200; ++i) { // from x = -5 to 5
        run_step(pile.world, dt);
        begins += count_events(pile.world, CN_EVENT_SENSOR_BEGIN);
        ends += count_events(pile.world, CN_EVENT_SENSOR_END);
        CHECK_INT(asleep(&pile), BOXES);
    }
    CHECK_INT(begins, 2); // the upper two boxes, from z = 1 and from z = 2
    CHECK_INT(ends, 2);
    CHECK_INT(cn_world_sensor_overlaps(pile.world, passing, seen, 8), 0);
    CHECK_INT(cn_world_sensor_overlaps(pile.world, here, seen, 8), 1);
    CHECK_INT(cn_world_remove_body(pile.world, pile.boxes[0]), CN_OK);
    run_step(pile.world, dt);
    CHECK_INT(count_events(pile.world, CN_EVENT_SENSOR_END), 1);
    cn_world_destroy(pile.world);
}

// ---- states ----

static Pile create_pile_under_a_ball(void) {
    Pile pile = create_pile(NULL);
    run_add_ball(pile.world, 200.0, 0.3, cn_vec3(0.1, 0.0, 13.0), cn_vec3(0.0, 0.0, 0.0),
                 (CnMaterialId){0}); // there at 1.41 s
    return pile;
}

static void a_loaded_world_sleeps_and_wakes_with_the_same_bits(void) {
    Pile pile = create_pile_under_a_ball(), other = create_pile_under_a_ball();
    void* bytes;
    size_t size;
    run_steps(pile.world, dt, 2 * STEPS_TO_SLEEP);
    CHECK_INT(asleep(&pile), BOXES);
    CHECK_INT(cn_world_save_state_memory(pile.world, &bytes, &size, NULL), CN_OK);
    run_steps(other.world, dt, 7); // anything
    CHECK_INT(cn_world_load_state_memory(other.world, bytes, size, NULL), CN_OK);
    CHECK_INT(asleep(&other), BOXES);
    CHECK_NEAR(carried(other.world, other.boxes[0], other.ground),
               carried(pile.world, pile.boxes[0], pile.ground), 0.0);
    for (int i = 0; i < 200; ++i) {
        CnStepReport one = run_step(pile.world, dt), two = run_step(other.world, dt);
        CHECK(cn_world_hash(pile.world) == cn_world_hash(other.world));
        CHECK_INT(one.sleeping_bodies, two.sleeping_bodies);
        CHECK_INT(count_events(pile.world, CN_EVENT_WAKE),
                  count_events(other.world, CN_EVENT_WAKE));
        CHECK(one.energy.end == two.energy.end);
    }
    cn_world_release_state(pile.world, bytes);
    cn_world_destroy(pile.world);
    cn_world_destroy(other.world);
}

TEST_MAIN("physics/contact/sleepers", TEST(piles_sleep_and_wake_in_every_scheme_that_has_it),
          TEST(quasi_static_piles_sleep), TEST(scheme_acceleration_refuses_sleep),
          TEST(a_kinematic_platform_that_starts_wakes_what_stands_on_it),
          TEST(a_new_joint_target_wakes_and_is_reached),
          TEST(sleepers_show_the_forces_of_their_last_step),
          TEST(points_of_who_falls_asleep_are_listed_once), TEST(a_sleeping_joint_shows_its_force),
          TEST(piles_wake_into_steps_of_another_length),
          TEST(energy_adds_up_over_a_life_with_sleep), TEST(certificates_are_of_the_rest),
          TEST(sensors_see_sleepers_and_do_not_wake_them),
          TEST(a_loaded_world_sleeps_and_wakes_with_the_same_bits))

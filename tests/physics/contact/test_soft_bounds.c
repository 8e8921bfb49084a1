// test_soft_bounds.c - scheme soft_step: bounds look along the step that is made.
//
// As a step ends, bodies are placed where they are now, without a look ahead: when there are
// sensors, and when somebody asks for contacts. The next step looks ahead all the same.
#include "cairn/shape.h"
#include "cairn/state.h"
#include "support/run.h"

#define DT 0.01     // [s]
#define RADIUS 0.1  // of balls [m]
#define SPEED 8.0   // [m/s]: 80 mm in a step, sixteen times the contact margin
#define HEIGHT 0.97 // at the start, so that no step ends just where the ball touches [m]
#define STEPS 40

static const CnMaterialId none = {0};

// Without gravity a body comes as far in every step: how far it looks ahead stays the same.
static CnWorldDef weightless(void) {
    CnWorldDef def = run_soft_def();
    def.gravity = cn_vec3(0.0, 0.0, 0.0);
    return def;
}

static CnBodyId add_falling_ball(CnWorld* world) {
    return run_add_ball(world, 5.0, RADIUS, cn_vec3(0.0, 0.0, HEIGHT), cn_vec3(0.0, 0.0, -SPEED),
                        none);
}

static CnBodyId add_table(CnWorld* world) {
    return run_add_box(world, CN_BODY_STATIC, cn_vec3(2.0, 2.0, 0.2), cn_vec3(0.0, 0.0, -0.1),
                       none);
}

static void add_sensor(CnWorld* world, CnBodyId body) {
    CnShapeDef sensor = cn_shape_def_default(CN_SHAPE_SPHERE);
    sensor.position = cn_vec3(50.0, 0.0, 0.0);
    sensor.radius = RADIUS;
    sensor.sensor = true;
    CHECK(cn_body_add_shape(world, body, &sensor, NULL).index != 0);
}

// The half space z <= 0, which turns about its normal.
static CnBodyId add_turning_ground(CnWorld* world) {
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CnBodyDef def = cn_body_def_default();
    def.type = CN_BODY_KINEMATIC;
    def.shapes = &plane;
    def.shape_count = 1;
    def.angular_velocity = cn_vec3(0.0, 0.0, 0.1);
    return run_add(world, &def);
}

static void a_ball_lands_on_a_turning_plane_beside_a_sensor(void) {
    CnWorldDef def = run_soft_def();
    CnWorld* world = run_create(&def);
    CnBodyId ground = add_turning_ground(world);
    CnBodyId ball = add_falling_ball(world);
    add_sensor(world, ground);
    run_steps(world, DT, 200);
    // At rest the overlap is of the size of the contact margin or less.
    CHECK_NEAR(run_state(world, ball).center.z, RADIUS, def.step.contact_margin);
    cn_world_destroy(world);
}

static void a_sensor_that_nobody_meets_changes_no_bit(void) {
    CnWorldDef def = weightless();
    CnWorld* worlds[2];
    CnBodyId balls[2];
    for (int i = 0; i < 2; ++i) {
        worlds[i] = run_create(&def);
        CnBodyId table = add_table(worlds[i]);
        balls[i] = add_falling_ball(worlds[i]);
        if (i == 1) {
            add_sensor(worlds[i], table);
        }
    }
    for (int step = 0; step < STEPS; ++step) {
        run_step(worlds[0], DT);
        run_step(worlds[1], DT);
        CnBodyState a = run_state(worlds[0], balls[0]), b = run_state(worlds[1], balls[1]);
        CHECK_NEAR(run_state_distance(&a, &b), 0.0, 0.0);
    }
    cn_world_destroy(worlds[0]);
    cn_world_destroy(worlds[1]);
}

static void asking_for_contacts_changes_no_step(void) {
    CnWorldDef def = weightless();
    CnWorld *asked = run_create(&def), *other = run_create(&def);
    CnContactPoint points[16];
    add_table(asked);
    add_table(other);
    add_falling_ball(asked);
    add_falling_ball(other);
    for (int step = 0; step < STEPS; ++step) {
        CHECK(cn_world_find_contacts(asked, points, 16) >= 0);
        run_step(asked, DT);
        run_step(other, DT);
        CHECK(cn_world_hash(asked) == cn_world_hash(other));
    }
    cn_world_destroy(asked);
    cn_world_destroy(other);
}

// A ball on a table that is moved away, and then by a little more: whether somebody asks for
// contacts in between must not count as the first of the two moves having been a step. By less than
// `little` bodies keep the place that contacts were found at.
static void check_question_between_moves(const CnWorldDef* def, double little) {
    CnWorld* worlds[2];
    for (int i = 0; i < 2; ++i) {
        worlds[i] = run_create(def);
        add_table(worlds[i]);
        CnBodyId ball = run_add_ball(worlds[i], 5.0, RADIUS, cn_vec3(0.0, 0.0, RADIUS),
                                     cn_vec3(0.1, 0.0, 0.0), none);
        run_steps(worlds[i], DT, 10);
        for (int move = 0; move < 2; ++move) {
            CnBodyState state = run_state(worlds[i], ball);
            state.center.x += move == 0 ? 0.3 : 0.5 * little;
            state.rotation = cn_quat_from_axis_angle(cn_vec3(0.0, 1.0, 0.0), 0.02 * move);
            CHECK_INT(cn_body_set_state(worlds[i], ball, &state, NULL), CN_OK);
            if (i == 0) {
                CHECK(cn_world_find_contacts(worlds[i], NULL, 0) > 0);
            }
        }
        run_steps(worlds[i], DT, 3);
    }
    CHECK(cn_world_hash(worlds[0]) == cn_world_hash(worlds[1]));
    cn_world_destroy(worlds[0]);
    cn_world_destroy(worlds[1]);
}

static void asking_between_two_moves_changes_no_step(void) {
    CnWorldDef soft = run_soft_def(), exact = cn_world_def_default();
    exact.step.recycling_distance = 0.01;
    check_question_between_moves(&soft, 0.5 * soft.step.soft.recycling_share * 2.0 * RADIUS);
    check_question_between_moves(&exact, 0.5 * exact.step.recycling_distance);
}

// A shape more moves the placed shapes of a clone in memory, for which it has no spare room, and
// they are placed anew; those of its world stay where they are.
static void a_clone_that_grows_makes_the_bits_of_its_world(void) {
    CnWorldDef def = weightless();
    CnWorld* world = run_create(&def);
    add_turning_ground(world);
    add_falling_ball(world);
    CnBodyId far =
        run_add_box(world, CN_BODY_STATIC, cn_vec3(1.0, 1.0, 1.0), cn_vec3(20.0, 0.0, 5.0), none);
    add_sensor(world, far);
    for (int step = 0; step < STEPS; ++step) {
        CnWorld* clone = cn_world_clone(world, NULL, NULL);
        CHECK(clone != NULL);
        add_sensor(world, far);
        add_sensor(clone, far);
        run_step(world, DT);
        run_step(clone, DT);
        CHECK(cn_world_hash(world) == cn_world_hash(clone));
        CHECK_INT(cn_world_contacts(clone, NULL, 0), cn_world_contacts(world, NULL, 0));
        cn_world_destroy(clone);
    }
    cn_world_destroy(world);
}

TEST_MAIN("physics/contact/soft_bounds", TEST(a_ball_lands_on_a_turning_plane_beside_a_sensor),
          TEST(a_sensor_that_nobody_meets_changes_no_bit),
          TEST(asking_for_contacts_changes_no_step), TEST(asking_between_two_moves_changes_no_step),
          TEST(a_clone_that_grows_makes_the_bits_of_its_world))

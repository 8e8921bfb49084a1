// test_joint_signs.c - which motion of which body is positive: the table of docs/scene.md.
#include "cairn/cairn.h"
#include "support/run.h"

#include <stdio.h>

#define DT 1e-3 // [s]

// A joint's frame that is not the world's: z along `axis`, x along `axis_b`, y = z x x.
#define AXES "\"axis\": [0.6, 0, 0.8], \"axis_b\": [0.8, 0, -0.6]"
static const CnVec3 frame[3] = {{0.8, 0.0, -0.6}, {0.0, 1.0, 0.0}, {0.6, 0.0, 0.8}};

// Bodies a, held still, and b, whose centre is 1 m from a's along z of the frame; no gravity.
#define POINT_A "[0.5, 0.3, 0.1]"
#define POINT_B "[1.1, 0.3, 0.9]"

static CnWorld* build(const char* joints, const char* type_of_a) {
    char text[2000];
    CnError error;
    snprintf(text, sizeof text,
             "{\"cairn\": 1, \"gravity\": [0, 0, 0], \"series\": {\"one\": {\"times\": [0, 1], "
             "\"values\": [0, 1]}, \"still\": {\"times\": [0], \"values\": [0]}}, \"bodies\": ["
             "{\"name\": \"a\", \"type\": \"%s\"%s, \"position\": " POINT_A "},"
             "{\"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": " POINT_B "}], "
             "\"joints\": [%s]}",
             type_of_a, type_of_a[0] == 'd' ? ", \"mass\": 1, \"inertia\": [1, 1, 1]" : "", joints);
    CnScene* scene = cn_scene_parse(text, strlen(text), "signs", &error);
    ck_assert_msg(scene != NULL, "%s: %s", joints, error.message);
    CnWorld* world = cn_scene_build(scene, NULL, NULL);
    CHECK(world != NULL);
    cn_scene_destroy(scene);
    return world;
}

static CnBodyState state_of(const CnWorld* world, const char* name) {
    return run_state(world, cn_world_find_body(world, name));
}

static CnJointState read_joint(const CnWorld* world) {
    CnJointState state;
    CHECK_INT(cn_joint_read(world, cn_world_joint_at(world, 0), &state), CN_OK);
    return state;
}

// ---- the ways to name bodies ----

typedef struct Naming {
    const char* bodies;
    double sign;  // of b's motion for a positive coordinate
    double force; // sign of the force read along b's: +1 when it is the force on b
} Naming;

static const Naming namings[] = {
    {"\"body\": \"b\"", 1.0, 1.0},
    {"\"bodies\": [\"world\", \"b\"]", 1.0, -1.0},
    {"\"bodies\": [\"a\", \"b\"]", 1.0, -1.0},
    {"\"bodies\": [\"b\", \"world\"]", -1.0, 1.0},
    {"\"bodies\": [\"b\", \"a\"]", -1.0, 1.0},
};
#define NAMING_COUNT (sizeof namings / sizeof namings[0])

// ---- coordinates ----

typedef struct Coordinate {
    const char* joint; // its keys but for the bodies
    CnAxis axis;
    bool own_keys; // what the axis does stands among the keys of the joint
} Coordinate;

static const Coordinate coordinates[] = {
    {"\"type\": \"ball\", \"point\": " POINT_B ", " AXES, CN_AXIS_TURN_X, false},
    {"\"type\": \"ball\", \"point\": " POINT_B ", " AXES, CN_AXIS_TURN_Y, false},
    {"\"type\": \"ball\", \"point\": " POINT_B ", " AXES, CN_AXIS_TURN_Z, false},
    {"\"type\": \"hinge\", \"point\": " POINT_B ", \"axis\": [0.6, 0, 0.8]", CN_AXIS_TURN_Z, true},
    {"\"type\": \"slider\", \"point\": " POINT_B ", \"axis\": [0.6, 0, 0.8]", CN_AXIS_Z, true},
    {"\"type\": \"cylindrical\", \"point\": " POINT_B ", \"axis\": [0.6, 0, 0.8]", CN_AXIS_Z,
     false},
    {"\"type\": \"cylindrical\", \"point\": " POINT_B ", \"axis\": [0.6, 0, 0.8]", CN_AXIS_TURN_Z,
     false},
    {"\"type\": \"planar\", \"point\": " POINT_B ", " AXES, CN_AXIS_X, false},
    {"\"type\": \"planar\", \"point\": " POINT_B ", " AXES, CN_AXIS_Y, false},
    {"\"type\": \"planar\", \"point\": " POINT_B ", " AXES, CN_AXIS_TURN_Z, false},
    {"\"type\": \"six_axis\", \"point\": " POINT_B ", " AXES, CN_AXIS_X, false},
    {"\"type\": \"six_axis\", \"point\": " POINT_B ", " AXES, CN_AXIS_Y, false},
    {"\"type\": \"six_axis\", \"point\": " POINT_B ", " AXES, CN_AXIS_Z, false},
    {"\"type\": \"six_axis\", \"point\": " POINT_B ", " AXES, CN_AXIS_TURN_X, false},
    {"\"type\": \"six_axis\", \"point\": " POINT_B ", " AXES, CN_AXIS_TURN_Y, false},
    {"\"type\": \"six_axis\", \"point\": " POINT_B ", " AXES, CN_AXIS_TURN_Z, false},
    {"\"type\": \"universal\", \"point\": " POINT_B ", " AXES, CN_AXIS_TURN_Z, false},
    {"\"type\": \"universal\", \"point\": " POINT_B ", " AXES, CN_AXIS_TURN_X, false},
    {"\"type\": \"screw\", \"point\": " POINT_B ", \"axis\": [0.6, 0, 0.8], \"pitch\": 0.5",
     CN_AXIS_TURN_Z, true},
};
#define COORDINATE_COUNT (sizeof coordinates / sizeof coordinates[0])

static CnWorld* build_axis(const Coordinate* coordinate, const Naming* naming, const char* keys) {
    char joint[600];
    if (coordinate->own_keys) {
        snprintf(joint, sizeof joint, "{%s, %s, %s}", naming->bodies, coordinate->joint, keys);
    } else {
        snprintf(joint, sizeof joint, "{%s, %s, \"axes\": {\"%s\": {%s}}}", naming->bodies,
                 coordinate->joint, cn_axis_name(coordinate->axis), keys);
    }
    return build(joint, "static");
}

static bool is_turn(CnAxis axis) {
    return axis >= CN_AXIS_TURN_X;
}

static CnVec3 direction_of(CnAxis axis) {
    return frame[is_turn(axis) ? axis - CN_AXIS_TURN_X : axis];
}

static double speed_along(const CnWorld* world, CnAxis axis) {
    CnBodyState b = state_of(world, "b");
    return cn_vec3_dot(is_turn(axis) ? b.angular_velocity : b.velocity, direction_of(axis));
}

// A motor at 0.5 from rest: b has that speed after a step, and the force that gave it is m v / dt.
// 1e-8 m/s is the solver's tolerance; a screw has some of the speed along its axis too.
static void check_motor(const Coordinate* coordinate, const Naming* naming) {
    CnWorld* world = build_axis(coordinate, naming, "\"motor\": \"velocity\", \"target\": 0.5");
    run_step(world, DT);
    CnAxis axis = coordinate->axis;
    CnJointState state = read_joint(world);
    CHECK_NEAR(speed_along(world, axis), 0.5 * naming->sign, 1e-7);
    CHECK_NEAR(state.velocity[axis], 0.5, 1e-7);
    CHECK_NEAR(state.position[axis], 0.5 * 0.5 * DT, 1e-7); // (0 + 0.5) / 2 over the step
    CHECK(state.axis_force[axis] > 0.0);
    CnVec3 load = is_turn(axis) ? state.torque : state.force;
    double pull = cn_vec3_dot(load, direction_of(axis)) * naming->sign * naming->force;
    CHECK_NEAR(pull, 0.5 / DT, 1e-4); // 1e-7 m/s over 1 ms
    cn_world_destroy(world);
}

// What pulls to +0.1 from 0 moves b the way a positive motor does.
static void check_pull(const Coordinate* coordinate, const Naming* naming, const char* keys) {
    CnWorld* world = build_axis(coordinate, naming, keys);
    run_steps(world, DT, 10);
    ck_assert_msg(speed_along(world, coordinate->axis) * naming->sign > 1e-3, "%s, %s, %s",
                  naming->bodies, coordinate->joint, keys);
    CHECK(read_joint(world).position[coordinate->axis] > 0.0);
    cn_world_destroy(world);
}

// A speed of 1 in the positive direction is stopped by the upper limit, in the other by the lower.
static void check_limits(const Coordinate* coordinate, const Naming* naming) {
    for (int side = 0; side < 2; ++side) {
        CnWorld* world = build_axis(coordinate, naming,
                                    side == 0 ? "\"limits\": [-3, 0.01], \"friction\": 0"
                                              : "\"limits\": [-0.01, 3], \"friction\": 0");
        CnAxis axis = coordinate->axis;
        double speed = side == 0 ? 1.0 : -1.0;
        CnBodyId b = cn_world_find_body(world, "b");
        CnBodyState state = run_state(world, b);
        CnVec3 motion = cn_vec3_scale(speed * naming->sign, direction_of(axis));
        *(is_turn(axis) ? &state.angular_velocity : &state.velocity) = motion;
        CHECK_INT(cn_body_set_state(world, b, &state, NULL), CN_OK);
        run_steps(world, DT, 50);
        CHECK_NEAR(read_joint(world).position[axis], 0.01 * speed, 1e-6);
        cn_world_destroy(world);
    }
}

static void coordinates_are_those_of_the_second_body_seen_from_the_first(void) {
    for (size_t i = 0; i < COORDINATE_COUNT; ++i) {
        for (size_t k = 0; k < NAMING_COUNT; ++k) {
            check_motor(&coordinates[i], &namings[k]);
            check_pull(&coordinates[i], &namings[k],
                       "\"motor\": \"position\", \"target\": 0.1, \"stiffness\": 100");
            check_pull(&coordinates[i], &namings[k],
                       "\"spring\": {\"stiffness\": 100, \"rest\": 0.1}");
            check_limits(&coordinates[i], &namings[k]);
        }
    }
}

// ---- between two points: longer is positive ----

// Points of the two sides in the order of the names; b's is its own centre.
static const char* points_of(const Naming* naming) {
    return naming->sign > 0.0 ? "\"point\": " POINT_A ", \"point_b\": " POINT_B
                              : "\"point\": " POINT_B ", \"point_b\": " POINT_A;
}

static double speed_apart(const CnWorld* world) {
    return cn_vec3_dot(state_of(world, "b").velocity, frame[2]);
}

static void lengths_and_strokes_grow_as_points_part(void) {
    static const char* const pushers[] = {
        "\"type\": \"distance\", \"motor\": \"velocity\", \"target\": 0.5", // no limits needed
        "\"type\": \"distance\", \"motor\": \"position\", \"target\": 1.1, \"stiffness\": 100",
        "\"type\": \"distance\", \"spring\": {\"stiffness\": 100, \"rest\": 1.1}",
        "\"type\": \"spring\", \"stiffness\": 100, \"rest\": 0.1",
        "\"type\": \"spring\", \"table\": [[-1, 5], [1, 5]]",
        ("\"type\": \"spring\", \"stiffness\": 100, \"rest\": 0.1, "
         "\"direction\": \"carried_a\", \"axis\": [0.6, 0, 0.8]"),
    };
    for (size_t i = 0; i < sizeof pushers / sizeof pushers[0]; ++i) {
        for (size_t k = 0; k < NAMING_COUNT; ++k) {
            // Along a given axis a stroke is positive when b is further along it than a.
            bool along = i == 5;
            char joint[400];
            snprintf(joint, sizeof joint, "{%s, %s, %s}", namings[k].bodies, points_of(&namings[k]),
                     pushers[i]);
            CnWorld* world = build(joint, "static");
            run_steps(world, DT, 10);
            ck_assert_msg(speed_apart(world) * (along ? namings[k].sign : 1.0) > 1e-3, "%s", joint);
            CnJointState state = read_joint(world);
            CHECK(state.velocity[CN_AXIS_Z] > 0.0);
            CHECK(cn_vec3_dot(state.force, frame[2]) * namings[k].force *
                      (along ? namings[k].sign : 1.0) >
                  0.0);
            cn_world_destroy(world);
        }
    }
}

static void a_motor_drives_a_distance_without_limits(void) {
    char joint[400];
    snprintf(joint, sizeof joint,
             "{\"bodies\": [\"a\", \"b\"], \"point\": " POINT_A ", \"point_b\": " POINT_B
             ", \"type\": \"distance\", \"motor\": \"velocity\", \"target\": -0.5}");
    CnWorld* world = build(joint, "static");
    run_steps(world, DT, 1000);
    // 1 m at the start, half a metre in the second, less half a step to get going.
    CHECK_NEAR(read_joint(world).position[CN_AXIS_Z], 0.5 + 0.5 * 0.5 * DT, 1e-6);
    cn_world_destroy(world);
}

// Beyond its length a rope pulls its ends together, a rigid link keeps them: no sign to choose, but
// a force on the body that is read.
static void ropes_and_links_pull_on_the_body_that_is_read(void) {
    static const char* const types[] = {"rope", "rigid_link", "distance"};
    for (int i = 0; i < 3; ++i) {
        for (size_t k = 0; k < NAMING_COUNT; ++k) {
            char joint[400];
            snprintf(joint, sizeof joint, "{%s, %s, \"type\": \"%s\"}", namings[k].bodies,
                     points_of(&namings[k]), types[i]);
            CnWorld* world = build(joint, "static");
            CnBodyId b = cn_world_find_body(world, "b");
            CnBodyState state = run_state(world, b);
            state.velocity = frame[2]; // away at 1 m/s
            CHECK_INT(cn_body_set_state(world, b, &state, NULL), CN_OK);
            run_step(world, DT);
            CnJointState read = read_joint(world);
            CHECK_NEAR(cn_vec3_dot(read.force, frame[2]), -namings[k].force / DT, 1e-4);
            CHECK_NEAR(read.local_force.z, 1.0 / DT, 1e-4); // tension, whoever is first
            cn_world_destroy(world);
        }
    }
}

// ---- prescribed motion ----

// One body and the world, in whichever order: the body moves. Two bodies: the first from the
// second.
static void prescribed_motion_is_that_of_the_body_or_of_the_first_from_the_second(void) {
    static const char* const types[] = {"set_displacement", "set_velocity", "set_acceleration"};
    static const char* const values[] = {"\"axis\": [0.6, 0, 0.8], \"series\": \"one\"",
                                         AXES ", \"series3\": [\"still\", \"still\", \"one\"]"};
    for (int i = 0; i < 6; ++i) {
        for (size_t k = 0; k < NAMING_COUNT; ++k) {
            char joint[400];
            snprintf(joint, sizeof joint, "{%s, \"type\": \"%s\", \"point\": " POINT_B ", %s}",
                     namings[k].bodies, types[i % 3], values[i / 3]);
            bool two_bodies = strstr(namings[k].bodies, "\"a\"") != NULL;
            double sign = two_bodies && namings[k].sign > 0.0 ? -1.0 : 1.0; // b is the second
            CnWorld* world = build(joint, "static");
            run_steps(world, DT, 100);
            ck_assert_msg(speed_apart(world) * sign > 1e-6, "%s", joint);
            CnJointState state = read_joint(world);
            CHECK(cn_vec3_dot(state.force, frame[2]) * sign * namings[k].force > -1e-6);
            cn_world_destroy(world);
        }
    }
}

static void fixed_points_and_directions_push_back_on_the_body_that_is_read(void) {
    static const char* const types[] = {"fix_point", "fix_direction"};
    for (int i = 0; i < 2; ++i) {
        for (size_t k = 0; k < NAMING_COUNT; ++k) {
            char joint[400];
            snprintf(joint, sizeof joint, "{%s, \"type\": \"%s\", \"point\": " POINT_B "%s}",
                     namings[k].bodies, types[i], i == 0 ? "" : ", \"axis\": [0.6, 0, 0.8]");
            CnWorld* world = build(joint, "static");
            CnBodyId b = cn_world_find_body(world, "b");
            CnBodyState state = run_state(world, b);
            state.velocity = frame[2];
            CHECK_INT(cn_body_set_state(world, b, &state, NULL), CN_OK);
            run_step(world, DT);
            CHECK_NEAR(speed_apart(world), 0.0, 1e-7);
            CHECK_NEAR(cn_vec3_dot(read_joint(world).force, frame[2]), -namings[k].force / DT,
                       1e-4);
            cn_world_destroy(world);
        }
    }
}

// ---- what couples two motions ----

static CnWorld* build_pair(const char* keys, const char* first, const char* second) {
    char joint[400];
    snprintf(joint, sizeof joint, "{\"bodies\": [\"%s\", \"%s\"], %s}", first, second, keys);
    return build(joint, "dynamic");
}

static void set_spin(CnWorld* world, const char* name, CnVec3 spin) {
    CnBodyId id = cn_world_find_body(world, name);
    CnBodyState state = run_state(world, id);
    state.angular_velocity = spin;
    CHECK_INT(cn_body_set_state(world, id, &state, NULL), CN_OK);
}

static void a_gear_turns_the_second_against_the_first(void) {
    CnWorld* world = build_pair("\"type\": \"gear\", " AXES ", \"ratio\": 2", "a", "b");
    set_spin(world, "a", frame[2]);
    run_step(world, DT);
    double turn_a = cn_vec3_dot(state_of(world, "a").angular_velocity, frame[2]);
    double turn_b = cn_vec3_dot(state_of(world, "b").angular_velocity, frame[0]);
    CHECK(turn_a > 0.1);
    CHECK(turn_b < -0.1);
    CHECK_NEAR(turn_a + 2.0 * turn_b, 0.0, 1e-6); // axes turn by 1 mrad in the step
    cn_world_destroy(world);
}

static void a_pinion_that_turns_moves_the_rack_along_its_axis(void) {
    CnWorld* world = build_pair("\"type\": \"rack_and_pinion\", \"point\": " POINT_B ", " AXES
                                ", \"ratio\": 0.5",
                                "a", "b");
    set_spin(world, "a", frame[2]);
    run_step(world, DT);
    double turn_a = cn_vec3_dot(state_of(world, "a").angular_velocity, frame[2]);
    double move_b = cn_vec3_dot(state_of(world, "b").velocity, frame[0]);
    CHECK(turn_a > 0.1);
    CHECK_NEAR(move_b, 0.5 * turn_a, 1e-6);
    cn_world_destroy(world);
}

static void a_screw_advances_along_its_axis_as_it_turns_about_it(void) {
    for (size_t k = 0; k < NAMING_COUNT; ++k) {
        char joint[400];
        snprintf(joint, sizeof joint,
                 "{%s, \"type\": \"screw\", \"point\": " POINT_B
                 ", \"axis\": [0.6, 0, 0.8], \"pitch\": 0.5}",
                 namings[k].bodies);
        CnWorld* world = build(joint, "static");
        set_spin(world, "b", frame[2]);
        run_step(world, DT);
        CnBodyState b = state_of(world, "b");
        double turn = cn_vec3_dot(b.angular_velocity, frame[2]);
        CHECK(turn > 0.1);
        CHECK_NEAR(cn_vec3_dot(b.velocity, frame[2]), 0.5 / (2.0 * CN_PI) * turn, 1e-7);
        cn_world_destroy(world);
    }
}

// Anchors 1 m beyond each body along z of the frame: as a goes away from its own, b comes nearer.
static void a_pulley_draws_in_one_side_as_the_other_runs_out(void) {
    CnWorld* world =
        build_pair("\"type\": \"pulley\", \"point\": " POINT_A ", \"point_b\": " POINT_B
                   ", \"anchor_a\": [1.1, 0.3, 0.9], \"anchor_b\": [1.7, 0.3, 1.7], "
                   "\"ratio\": 2",
                   "a", "b");
    CnBodyId a = cn_world_find_body(world, "a");
    CnBodyState state = run_state(world, a);
    state.velocity = cn_vec3_negate(frame[2]);
    CHECK_INT(cn_body_set_state(world, a, &state, NULL), CN_OK);
    run_step(world, DT);
    double out = -cn_vec3_dot(state_of(world, "a").velocity, frame[2]);
    double in = speed_apart(world);
    CHECK(out > 0.1);
    CHECK_NEAR(out - 2.0 * in, 0.0, 1e-6);
    cn_world_destroy(world);
}

static void a_weld_moves_nothing(void) {
    for (size_t k = 0; k < NAMING_COUNT; ++k) {
        char joint[400];
        snprintf(joint, sizeof joint, "{%s, \"type\": \"weld\", \"point\": " POINT_B "}",
                 namings[k].bodies);
        CnWorld* world = build(joint, "static");
        set_spin(world, "b", frame[2]);
        run_step(world, DT);
        CHECK_NEAR(cn_vec3_dot(state_of(world, "b").angular_velocity, frame[2]), 0.0, 1e-7);
        CHECK_NEAR(cn_vec3_dot(read_joint(world).torque, frame[2]), -namings[k].force / DT, 1e-4);
        cn_world_destroy(world);
    }
}

// ---- one body and the world ----

// "body": "b" and ["world", "b"] are the same joint, but for the body whose force is read.
static void one_body_is_short_for_the_world_and_that_body(void) {
    for (size_t i = 0; i < COORDINATE_COUNT; ++i) {
        uint64_t hashes[2];
        for (int k = 0; k < 2; ++k) {
            CnWorld* world = build_axis(&coordinates[i], &namings[k],
                                        "\"motor\": \"velocity\", \"target\": 0.5, \"limits\": "
                                        "[-1, 1], \"friction\": 0.1");
            run_steps(world, DT, 20);
            hashes[k] = cn_world_hash(world);
            cn_world_destroy(world);
        }
        CHECK(hashes[0] == hashes[1]);
    }
}

static void a_joint_of_one_body_has_no_first_body(void) {
    CnWorldDef world_def = cn_world_def_default();
    CnWorld* world = run_create(&world_def);
    CnBodyDef body = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), cn_vec3(0.0, 0.0, 0.0));
    CnJointDef def = cn_joint_def_default(CN_JOINT_HINGE);
    def.one_body = true;
    def.body_a = run_add(world, &body);
    def.body_b = run_add(world, &body);
    CnError error;
    CHECK_INT(cn_world_add_joint(world, &def, &error).index, 0);
    CHECK_CONTAINS(error.message, "side A of a joint with one_body is the world");
    cn_world_destroy(world);
}

TEST_MAIN("physics/joints/joint_signs",
          TEST(coordinates_are_those_of_the_second_body_seen_from_the_first),
          TEST(lengths_and_strokes_grow_as_points_part),
          TEST(a_motor_drives_a_distance_without_limits),
          TEST(ropes_and_links_pull_on_the_body_that_is_read),
          TEST(prescribed_motion_is_that_of_the_body_or_of_the_first_from_the_second),
          TEST(fixed_points_and_directions_push_back_on_the_body_that_is_read),
          TEST(a_gear_turns_the_second_against_the_first),
          TEST(a_pinion_that_turns_moves_the_rack_along_its_axis),
          TEST(a_screw_advances_along_its_axis_as_it_turns_about_it),
          TEST(a_pulley_draws_in_one_side_as_the_other_runs_out), TEST(a_weld_moves_nothing),
          TEST(one_body_is_short_for_the_world_and_that_body),
          TEST(a_joint_of_one_body_has_no_first_body))

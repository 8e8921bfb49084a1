// test_scene_joints.c - joints in scenes: loaded, saved and built, always to the same joints.
#include "support/test.h"

#include "io/scene/scene.h"
#include "io/text/file.h"
#include <stdio.h>
#include <unistd.h>

#define BODIES                                                                                     \
    "{\"cairn\": 1, \"series\": {\"one\": {\"times\": [0], \"values\": [1]},"                      \
    " \"shake\": {\"times\": [0, 1, 2], \"values\": [0, 0.1, 0]}},"                                \
    " \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": [1, 1, 1]},"                        \
    " {\"name\": \"b\", \"position\": [1, 0, 0], \"mass\": 2, \"inertia\": [1, 2, 2]}],"
#define PAIR "\"bodies\": [\"a\", \"b\"], \"point\": [0.5, 0, 0]"
#define ENDS "\"bodies\": [\"a\", \"b\"], \"point\": [0, 0, 0], \"point_b\": [1, 0, 0]"

// One joint of every type, with every key somewhere; each is tried alone.
static const char* const joints[] = {
    "{\"type\": \"ball\", \"name\": \"j\", " PAIR ", \"swing_limit\": {\"degrees\": 30},"
    " \"swing_limit_y\": 0.7, \"axis\": [1, 2, 3], \"axis_b\": [0, 0, 1],"
    " \"axes\": {\"turn_z\": {\"limits\": [-0.2, 0.3], \"restitution\": 0.5}}}",
    "{\"type\": \"hinge\", \"body\": \"a\", \"point\": [0, 0, 1], \"axis\": [0, 3, 4],"
    " \"limits\": {\"degrees\": [-30, 45]}, \"motor\": \"velocity\", \"target\": {\"degrees\": 90},"
    " \"max_force\": 5, \"series\": \"shake\", \"friction\": 0.1}",
    "{\"type\": \"slider\", " PAIR ", \"axis\": [0, 0, 1], \"motor\": \"position\","
    " \"target\": 0.1, \"stiffness\": 100, \"damping\": 3, \"limits\": [\"-inf\", 0.5]}",
    "{\"type\": \"slider\", " PAIR ", \"axis\": [0, 0, 1], \"motor\": \"force\","
    " \"target\": 7, \"max_force\": 5, \"series\": \"shake\", \"enabled\": false}",
    "{\"type\": \"cylindrical\", " PAIR ", \"axis\": [1, 0, 0],"
    " \"axes\": {\"z\": {\"spring\": {\"stiffness\": 50, \"damping\": 1, \"rest\": 0.1}},"
    " \"turn_z\": {\"spring\": {\"hertz\": 2, \"damping\": 0.3, \"rest\": {\"degrees\": 5}}}}}",
    "{\"type\": \"universal\", " PAIR ", \"axis\": [0, 0, 1], \"axis_b\": [0, 1, 0],"
    " \"axes\": {\"turn_x\": {\"friction\": 0.2}, \"turn_z\": {\"limits\": [-1, 1]}}}",
    "{\"type\": \"planar\", " PAIR ", \"axis\": [0, 0, 1], \"axis_b\": [1, 1, 0],"
    " \"axes\": {\"x\": {\"motor\": \"velocity\", \"target\": 0.2, \"max_force\": 3}}}",
    "{\"type\": \"weld\", " PAIR ", \"strength\": 1000, \"strength_torque\": 500,"
    " \"compliance\": 1e-6, \"compliance_turn\": 1e-4, \"alpha\": 25, \"beta\": 7}",
    "{\"type\": \"six_axis\", " PAIR ", \"axes\": {\"x\": {\"motion\": \"locked\"},"
    " \"y\": {\"motion\": \"locked\"}, \"turn_x\": {\"limits\": [-1, 1]}}, \"collide\": true}",
    "{\"type\": \"distance\", " ENDS ", \"length\": 1}",
    "{\"type\": \"distance\", " ENDS ", \"limits\": [0.5, 1.5]}",
    "{\"type\": \"rope\", " ENDS ", \"length\": 1.25}",
    "{\"type\": \"screw\", " PAIR ", \"axis\": [1, 0, 0], \"pitch\": 0.01, \"friction\": 0.1}",
    "{\"type\": \"gear\", \"bodies\": [\"a\", \"b\"], \"axis\": [0, 0, 1], \"axis_b\": [0, 0, 1],"
    " \"ratio\": 2}",
    "{\"type\": \"rack_and_pinion\", " PAIR ", \"axis\": [0, 0, 1], \"axis_b\": [1, 0, 0],"
    " \"ratio\": 0.25}",
    "{\"type\": \"pulley\", " ENDS ", \"anchor_a\": [0, 0, 2], \"anchor_b\": [1, 0, 2],"
    " \"ratio\": 2}",
    "{\"type\": \"fix_point\", \"body\": \"a\", \"point\": [0, 0, 1]}",
    "{\"type\": \"fix_direction\", \"bodies\": [\"a\", \"b\"], \"point\": [0, 0, 1],"
    " \"axis\": [0, 0, 1], \"direction\": \"carried_b\"}",
    "{\"type\": \"set_displacement\", \"body\": \"a\", \"point\": [0, 0, 0], \"axis\": [1, 0, 1],"
    " \"series\": \"shake\"}",
    "{\"type\": \"set_velocity\", \"body\": \"a\", \"point\": [0, 0, 0],"
    " \"series3\": [\"shake\", \"one\", \"shake\"]}",
    "{\"type\": \"set_acceleration\", \"bodies\": [\"world\", \"b\"], \"point\": [0, 0, 0],"
    " \"axis\": [0, 1, 0], \"series\": \"one\", \"from_rest\": true}",
    "{\"type\": \"rigid_link\", " ENDS "}",
    "{\"type\": \"spring\", " ENDS ", \"stiffness\": 100, \"damping\": 2, \"rest\": -0.1,"
    " \"stroke\": [-0.5, 0.25], \"friction\": 0.1}",
    "{\"type\": \"spring\", " ENDS ", \"table\": [[-1, 30], [0, 0], [0.5, -20]], \"damping\": 1}",
    "{\"type\": \"spring\", " ENDS ", \"direction\": \"fixed\", \"axis\": [1, 0, 0],"
    " \"axes\": {\"z\": {\"spring\": {\"stiffness\": 10}}}}",
    "{\"type\": \"cylindrical\", " PAIR ", \"axis\": [1, 0, 0], \"name\": \"c\"},"
    "{\"type\": \"mimic\", \"leader\": \"c\", \"leader_axis\": \"z\", \"follower\": \"c\","
    " \"follower_axis\": \"turn_z\", \"ratio\": 20, \"offset\": {\"degrees\": 10}}",
};
#define JOINT_COUNT (sizeof joints / sizeof joints[0])

static CnScene* scene_with(const char* joint) {
    char text[2000];
    CnError error;
    snprintf(text, sizeof text, BODIES "\"joints\": [%s]}", joint);
    CnScene* scene = cn_scene_parse(text, strlen(text), "joints", &error);
    ck_assert_msg(scene != NULL, "%s", error.message);
    return scene;
}

// A tenth of a second; the world outlives its scene.
static uint64_t hash_of_run(CnScene* scene) {
    CnError error;
    CnWorld* world = cn_scene_build(scene, NULL, &error);
    ck_assert_msg(world != NULL, "%s", error.message);
    cn_scene_destroy(scene);
    for (int i = 0; i < 20; ++i) {
        CHECK_INT(cn_world_step(world, 0.005, NULL, NULL), CN_OK);
    }
    uint64_t hash = cn_world_hash(world);
    cn_world_destroy(world);
    return hash;
}

static const char* path_of(const char* name) {
    static char paths[2][300];
    static int next;
    char* path = paths[next++ % 2];
    snprintf(path, sizeof paths[0], "%s/scene_%ld_%s", TEST_BINARY_DIR, (long)getpid(), name);
    return path;
}

static char* read_file(const char* path, CnArena* arena) {
    CnErrorList errors;
    char* text;
    size_t length;
    cn_error_list_init(&errors, "", NULL, 0);
    CHECK(cn_file_read(path, 1 << 20, arena, &text, &length, &errors));
    return text;
}

static void every_type_of_joint_is_saved_and_loads_to_the_same_run_bit_by_bit(void) {
    bool seen[CN_JOINT_TYPE_COUNT] = {false};
    char first[300], second[300];
    snprintf(first, sizeof first, "%s", path_of("first.json"));
    snprintf(second, sizeof second, "%s", path_of("second.json"));
    for (size_t i = 0; i < JOINT_COUNT; ++i) {
        CnArena arena;
        CnScene* scene = scene_with(joints[i]);
        CHECK_INT(cn_scene_save(scene, first, NULL), CN_OK);
        CnError error;
        CnScene* loaded = cn_scene_open(first, &error);
        ck_assert_msg(loaded != NULL, "%s: %s", joints[i], error.message);
        CHECK_INT(cn_scene_save(loaded, second, NULL), CN_OK);
        cn_arena_init(&arena, NULL);
        CHECK_STRING(read_file(first, &arena), read_file(second, &arena));
        cn_arena_destroy(&arena);
        seen[scene->joints.data[scene->joints.count - 1].type] = true;
        ck_assert_msg(hash_of_run(scene) == hash_of_run(loaded), "%s", joints[i]);
    }
    for (int i = 0; i < CN_JOINT_TYPE_COUNT; ++i) {
        ck_assert_msg(seen[i], "no %s", cn_joint_type_name((CnJointType)i));
    }
    unlink(first);
    unlink(second);
}

// A def has fields for all types; a file has keys for those of its own.
static void what_a_type_does_not_have_is_neither_used_nor_saved(void) {
    char path[300];
    snprintf(path, sizeof path, "%s", path_of("unused.json"));
    CnScene* scene = scene_with(joints[0]);
    CnSeriesDef ramp = {.name = "ramp of all",
                        .count = 2,
                        .times = (double[]){0.0, 1.0},
                        .values = (double[]){0.0, 1.0}};
    CHECK(cn_scene_add_series(scene, &ramp, NULL).index != 0);
    for (int i = 0; i < CN_JOINT_TYPE_COUNT; ++i) {
        CnJointDef joint = cn_joint_def_default((CnJointType)i);
        joint.body_a = scene->joints.data[0].body_a;
        joint.body_b = scene->joints.data[0].body_b;
        joint.point_b = cn_vec3(0.5, 0.5, 0.5);
        joint.axis = cn_vec3(0.8, -0.6, 0.0);
        joint.axis_b = cn_vec3(0.6, 0.8, 0.0);
        joint.swing_limit = 1.0;
        joint.stroke_upper = 0.3;
        joint.series = joint.spring_table = cn_scene_find_series(scene, "ramp of all");
        joint.leader = joint.follower = CN_SCENE_ID(CnJointId, 0); // of a mimic: a ball joint
        joint.leader_axis = CN_AXIS_TURN_Z;
        joint.follower_axis = CN_AXIS_TURN_X;
        CnError error = {0};
        ck_assert_msg(cn_scene_add_joint(scene, &joint, &error).index != 0, "%s: %s",
                      cn_joint_type_name((CnJointType)i), error.message);
        CHECK_INT(cn_scene_save(scene, path, NULL), CN_OK);
        CnScene* loaded = cn_scene_open(path, &error);
        ck_assert_msg(loaded != NULL, "%s: %s", cn_joint_type_name((CnJointType)i), error.message);
        ck_assert_msg(hash_of_run(scene) == hash_of_run(loaded), "%s",
                      cn_joint_type_name((CnJointType)i));
        scene = scene_with(joints[0]);
        CHECK(cn_scene_add_series(scene, &ramp, NULL).index != 0);
    }
    unlink(path);
    cn_scene_destroy(scene);
}

static void keys_of_the_one_free_axis_may_stand_with_those_of_the_joint(void) {
#define HINGE "{\"type\": \"hinge\", \"body\": \"a\", \"point\": [0, 0, 1], \"axis\": [0, 1, 0], "
    CnScene* own = scene_with(HINGE "\"limits\": [-0.1, 0.1], \"motor\": \"velocity\","
                                    " \"target\": 2, \"series\": \"shake\"}");
    CnScene* under = scene_with(HINGE "\"axes\": {\"turn_z\": {\"limits\": [-0.1, 0.1],"
                                      " \"motor\": \"velocity\", \"target\": 2,"
                                      " \"series\": \"shake\"}}}");
    CHECK(memcmp(&own->joints.data[0].axes, &under->joints.data[0].axes,
                 sizeof own->joints.data[0].axes) == 0);
    CnSeriesId shake = cn_scene_find_series(own, "shake");
    CHECK(shake.index != 0);
    CHECK(own->joints.data[0].axes[CN_AXIS_TURN_Z].series.index == shake.index);
    CHECK(own->joints.data[0].series.index == 0);
    CHECK(hash_of_run(own) == hash_of_run(under));
}

static void degrees_are_radians_times_pi_over_180(void) {
    CnScene* scene = scene_with(HINGE "\"limits\": {\"degrees\": [-90, 180]}}");
    const CnJointAxis* axis = &scene->joints.data[0].axes[CN_AXIS_TURN_Z];
    CHECK_NEAR(axis->lower, -CN_PI / 2.0, 1e-15); // one rounding
    CHECK_NEAR(axis->upper, CN_PI, 1e-15);
    cn_scene_destroy(scene);
}

static void an_axis_of_any_length_is_a_direction(void) {
    CnScene* scene = scene_with("{\"type\": \"hinge\", \"body\": \"a\", \"point\": [0, 0, 1],"
                                " \"axis\": [0, 30, 40]}");
    CHECK_NEAR(scene->joints.data[0].axis.y, 0.6, 1e-15);
    CHECK_NEAR(scene->joints.data[0].axis.z, 0.8, 1e-15);
    cn_scene_destroy(scene);
}

// At the stroke s0 of a table the force is on the line between its points. The body starts at rest
// at stroke 0, where the table below pushes with 10 N: a free mass of 2 kg has moved by
// f/m dt^2 = 10/2 * 1e-8 m after the first step of the implicit rule, but for terms of order
// dt^2 k/m = 1e-8 * 40 / 2 relative.
static void a_table_is_the_force_of_a_spring(void) {
    CnError error;
    const char text[] = "{\"cairn\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"a\","
                        " \"position\": [1, 0, 0], \"mass\": 2, \"inertia\": [1, 1, 1]}],"
                        " \"joints\": [{\"type\": \"spring\", \"bodies\": [\"world\", \"a\"],"
                        " \"point\": [0, 0, 0], \"point_b\": [1, 0, 0],"
                        " \"table\": [[-0.5, 30], [0.5, -10]]}]}";
    CnScene* scene = cn_scene_parse(text, sizeof text - 1, "table", &error);
    ck_assert_msg(scene != NULL, "%s", error.message);
    CnWorld* world = cn_scene_build(scene, NULL, &error);
    cn_scene_destroy(scene);
    CnBodyState state;
    CHECK_INT(cn_world_step(world, 1e-4, NULL, NULL), CN_OK);
    CHECK_INT(cn_body_state(world, cn_world_body_at(world, 0), &state), CN_OK);
    CHECK_NEAR(state.velocity.x, 10.0 / 2.0 * 1e-4, 1e-9); // relative 1e-6 of 5e-4 m/s
    cn_world_destroy(world);
}

static void programs_get_the_sentences_files_get(void) {
    CnError error;
    CnScene* scene = scene_with("{\"type\": \"rigid_link\", " ENDS "}");
    CnJointDef joint = cn_joint_def_default(CN_JOINT_HINGE);
    joint.body_a = (CnBodyId){99, 1};
    CHECK_INT(cn_scene_add_joint(scene, &joint, &error).index, 0);
    CHECK_INT(error.status, CN_STALE);
    CHECK_STRING(error.message, "bodies[0] is not the id of a body of this scene");
    joint.body_a = cn_scene_find_body(scene, "a");
    joint.axes[CN_AXIS_X].limited = true;
    CHECK_INT(cn_scene_add_joint(scene, &joint, &error).index, 0);
    CHECK_CONTAINS(error.message, "axis x of a joint of type hinge is not free; free: turn_z");
    joint.axes[CN_AXIS_X].limited = false;
    CHECK(cn_scene_add_joint(scene, &joint, &error).index != 0);
    CHECK_INT(scene->joints.count, 2);
    cn_scene_destroy(scene);
}

TEST_MAIN("io/scene_joints",
          TEST(every_type_of_joint_is_saved_and_loads_to_the_same_run_bit_by_bit),
          TEST(what_a_type_does_not_have_is_neither_used_nor_saved),
          TEST(keys_of_the_one_free_axis_may_stand_with_those_of_the_joint),
          TEST(degrees_are_radians_times_pi_over_180), TEST(an_axis_of_any_length_is_a_direction),
          TEST(a_table_is_the_force_of_a_spring), TEST(programs_get_the_sentences_files_get))

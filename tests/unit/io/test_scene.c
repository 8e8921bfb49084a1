// test_scene.c - scenes: built, loaded, saved and run, always to the same world.
#include "builtin/builtin_scenes.h"
#include "support/test.h"

#include "cairn/scene.h"
#include "io/scene/scene.h"
#include "io/text/file.h"
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

// Everything the format has, with numbers that are not round.
static const char everything[] =
    "{\"cairn\": 1, \"name\": \"all of it\", \"gravity\": [0.1, 0, -9.81], \"duration\": 0.25,\n"
    "\"step\": {\"dt\": 0.002, \"substeps\": 2, \"theta\": 0.75, \"rotation\": \"rig_imp\",\n"
    " \"stabilisation\": \"split_impulse\", \"error_reduction\": 0.3, \"slop\": 1e-5,\n"
    " \"max_correction\": 0.1, \"restitution_threshold\": 0.01, \"contact_margin\": 0.002,\n"
    " \"hit_speed\": 0.7, \"friction_bias\": 0.2, \"speed_limit\": 3e4,\n"
    " \"warm_start\": \"scaled\", \"warm_start_factor\": 0.9, \"scheme\": \"moreau\",\n"
    " \"integrator\": \"rk4\", \"attribution\": true,\n"
    " \"implicit_method\": \"fischer_burmeister\"},\n"
    "\"solver\": {\"name\": \"pgs\", \"tolerance\": 1e-9, \"max_iterations\": 500,\n"
    " \"warm_start\": true, \"friction\": \"exact\", \"pyramid_sides\": 12, \"preconditioner\": "
    "\"none\",\n"
    " \"regularisation\": 0, \"over_relaxation\": 1.1, \"minimum_norm\": true,\n"
    " \"change_tolerance\": 1e-7, \"impulse_limit\": 250,\n"
    " \"shuffle\": 7, \"freeze_after\": 9},\n"
    "\"materials\": {\"stone\": {\"friction\": 0.7, \"density\": 2400},\n"
    " \"ice\": {\"friction\": 0.02, \"restitution\": 0.3, \"torsion\": 0.003,\n"
    "  \"rolling\": 0.001, \"grain\": [0.6, 0, 0.8], \"surface_velocity\": [1, 0, 0], "
    "\"friction_across\": 0.2}},\n"
    "\"material_pairs\": [{\"materials\": [\"stone\", \"ice\"], \"friction\": 0.1}],\n"
    "\"series\": {\"shake\": {\"times\": [0, 0.1, 0.3], \"values\": [0, 1.7, -0.3]}},\n"
    "\"bodies\": [\n"
    " {\"name\": \"floor\", \"type\": \"static\", \"shapes\": [{\"type\": \"plane\",\n"
    "  \"position\": [0, 0, -0.001], \"material\": \"ice\"}]},\n"
    " {\"type\": \"static\", \"position\": [0, -4, -0.5], \"shapes\": [{\"type\": \"mesh\",\n"
    "  \"points\": [[0, 0, 0.1], [2.3, 0, 0], [0, 1.7, 0.2], [-2, -2, 0.3]],\n"
    "  \"triangles\": [[0, 1, 2], [0, 2, 3], [0, 3, 1]]}]},\n"
    " {\"type\": \"kinematic\", \"position\": [9, 9, 8.5], \"velocity\": [0, 0, 0.3],\n"
    "  \"shapes\": [{\"type\": \"height_field\", \"size\": [3, 2.5],\n"
    "  \"heights\": [[0, 0.1, 0.05], [-0.1, 0.15, 0]]}]},\n"
    " {\"name\": \"pair\", \"position\": [0, 0, 0.5], \"rotation\": {\"axis\": [1, 1, 0],\n"
    "  \"degrees\": 33}, \"velocity\": [0.3, 0, 0], \"angular_velocity\": [0, 0.1, 2],\n"
    "  \"material\": \"stone\", \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.3},\n"
    "  {\"type\": \"sphere\", \"radius\": 0.2, \"position\": [0.4, 0, 0],\n"
    "  \"material\": \"ice\"}]},\n"
    " {\"name\": \"plain\", \"position\": [2, 0, 1], \"mass\": 2.5, \"inertia\": [0.1, 0.2, "
    "0.15],\n"
    "  \"center\": [0.01, 0.02, 0]},\n"
    " {\"name\": \"tensor\", \"position\": [3, 0, 1], \"rotation\": [0.8, 0, 0.6, 0],\n"
    "  \"mass\": 1, \"inertia\": [0.1, 0.12, 0.13, 0.01, 0, -0.02]},\n"
    " {\"name\": \"belt\", \"type\": \"kinematic\", \"velocity\": [1, 0, 0],\n"
    "  \"position\": [0, 5, 0], \"enabled\": true},\n"
    " {\"position\": [9, 9, 9], \"mass\": 4, \"shapes\": [{\"type\": \"sphere\",\n"
    "  \"radius\": 0.1}], \"rotation\": {\"axis\": [0, 0, 1], \"radians\": 1.5}},\n"
    " {\"name\": \"tool\", \"position\": [0, -4, 0.6], \"angular_velocity\": [0.5, 0.2, 1],\n"
    "  \"material\": \"stone\", \"fast\": true, \"gravity_scale\": 0.5,\n"
    "  \"linear_damping\": 0.25, \"angular_damping\": 0.125,\n"
    "  \"shapes\": [{\"type\": \"box\", \"size\": [0.3, 0.2, 0.1],\n"
    "  \"category\": 6, \"mask\": 4294967293, \"group\": -3,\n"
    "  \"rotation\": {\"axis\": [1, 2, 0], \"degrees\": 20}},\n"
    "  {\"type\": \"capsule\", \"radius\": 0.05, \"length\": 0.7, \"position\": [0.3, 0, 0]},\n"
    "  {\"type\": \"cylinder\", \"radius\": 0.2, \"length\": 0.1, \"position\": [0, 0, 0.4],\n"
    "  \"rotation\": [0.6, 0.8, 0, 0]},\n"
    "  {\"type\": \"convex\", \"position\": [0, 0.3, 0], \"points\": [[0, 0, 0], [0.1, 0, 0],\n"
    "  [0, 0.2, 0], [0, 0, 0.3], [0.1, 0.2, 0.3]]},\n"
    "  {\"type\": \"sphere\", \"radius\": 0.7, \"sensor\": true}]}],\n"
    "\"contacts\": [{\"name\": \"foot\", \"bodies\": [\"world\", \"plain\"],\n"
    "  \"point\": [2, 0, 0.5], \"normal\": [0, 0, 1], \"gap\": 0.01, \"material\": \"stone\"},\n"
    " {\"bodies\": [\"belt\", \"tensor\"], \"point\": [3, 0, 0.7], \"normal\": [0.6, 0, 0.8],\n"
    "  \"materials\": [null, \"ice\"]}],\n"
    "\"constraints\": [{\"name\": \"rod\", \"kind\": \"distance\",\n"
    "  \"bodies\": [\"plain\", \"tensor\"], \"point_a\": [2.1, 0, 1], \"point_b\": [3, 0, 1.1],\n"
    "  \"collide\": true},\n"
    " {\"kind\": \"anchor_distance\", \"body\": \"pair\", \"point_a\": [0, 0, 0.6],\n"
    "  \"point_b\": [0, 0, 3], \"length\": 2.4, \"compliance\": 1e-7, \"alpha\": 3,\n"
    "  \"beta\": 4},\n"
    " {\"kind\": \"unit_quaternion\", \"body\": \"pair\"}],\n"
    "\"forces\": [{\"body\": \"pair\", \"point\": [0.1, 0, 0.5], \"force\": [1, 2, 3],\n"
    "  \"torque\": [0, 0, 0.3], \"frame\": \"carried\", \"series\": \"shake\", \"drag\": 0.2},\n"
    " {\"body\": \"plain\", \"torque\": [0, 0.1, 0]}],\n"
    "\"collide\": {\"exclude\": [[\"pair\", \"belt\"]]}}";

static CnScene* parse(const char* text) {
    CnError error;
    CnScene* scene = cn_scene_parse(text, strlen(text), "text", &error);
    ck_assert_msg(scene != NULL, "%s", error.message);
    return scene;
}

static CnWorld* build(const CnScene* scene) {
    CnError error;
    CnWorld* world = cn_scene_build(scene, NULL, &error);
    ck_assert_msg(world != NULL, "%s", error.message);
    return world;
}

// The world of a scene that is no longer needed.
static CnWorld* world_of(const char* text) {
    CnScene* scene = parse(text);
    CnWorld* world = build(scene);
    cn_scene_destroy(scene);
    return world;
}

static uint64_t hash_after(const CnScene* scene, int steps) {
    CnWorld* world = build(scene);
    CnError error;
    for (int i = 0; i < steps; ++i) {
        CnStatus status = cn_world_step(world, cn_scene_settings(scene).dt, NULL, &error);
        ck_assert_msg(status == CN_OK, "%s", error.message);
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

static void a_saved_scene_loads_to_the_same_world_bit_by_bit(void) {
    const char* path = path_of("same.json");
    CnScene* scene = parse(everything);
    CHECK_INT(cn_scene_save(scene, path, NULL), CN_OK);
    CnError error;
    CnScene* loaded = cn_scene_open(path, &error);
    ck_assert_msg(loaded != NULL, "%s", error.message);
    CHECK_STRING(cn_scene_name(loaded), "all of it");
    CHECK(hash_after(scene, 0) == hash_after(loaded, 0));
    CHECK(hash_after(scene, 50) == hash_after(loaded, 50)); // forces, contacts, settings count too
    CHECK(hash_after(scene, 0) != hash_after(scene, 50));
    cn_scene_destroy(scene);
    cn_scene_destroy(loaded);
    unlink(path);
}

static void saving_a_loaded_scene_gives_the_same_bytes(void) {
    CnArena arena;
    CnErrorList errors;
    char *a, *b;
    size_t a_length, b_length;
    char first[300], second[300];
    snprintf(first, sizeof first, "%s", path_of("first.json"));
    snprintf(second, sizeof second, "%s", path_of("second.json"));
    CnScene* scene = parse(everything);
    CHECK_INT(cn_scene_save(scene, first, NULL), CN_OK);
    CnScene* loaded = cn_scene_open(first, NULL);
    CHECK_INT(cn_scene_save(loaded, second, NULL), CN_OK);
    cn_arena_init(&arena, NULL);
    cn_error_list_init(&errors, "", NULL, 0);
    CHECK(cn_file_read(first, 1 << 20, &arena, &a, &a_length, &errors));
    CHECK(cn_file_read(second, 1 << 20, &arena, &b, &b_length, &errors));
    CHECK_STRING(a, b);
    cn_arena_destroy(&arena);
    cn_scene_destroy(scene);
    cn_scene_destroy(loaded);
    unlink(first);
    unlink(second);
}

static void a_scene_without_a_name_is_called_after_its_file(void) {
    char path[300];
    snprintf(path, sizeof path, "%s", path_of("tower.v2.json"));
    CHECK_INT(cn_file_write(path, "{\"cairn\": 1}", 12, NULL), CN_OK);
    CnScene* scene = cn_scene_open(path, NULL);
    CHECK_CONTAINS(cn_scene_name(scene), "_tower.v2");
    CHECK(strchr(cn_scene_name(scene), '/') == NULL);
    cn_scene_destroy(scene);
    unlink(path);
}

static void an_almost_empty_scene_has_the_documented_defaults(void) {
    CnScene* scene = parse("{\"cairn\": 1}");
    CnSceneSettings settings = cn_scene_settings(scene);
    CHECK_NEAR(settings.gravity.z, -9.81, 0.0);
    CHECK_NEAR(settings.dt, 0.001, 0.0);
    CHECK_NEAR(settings.duration, 1.0, 0.0);
    CHECK_STRING(settings.solver.name, "auto");
    CHECK_INT(settings.step.stabilisation, CN_STABILISATION_PROJECTION);
    CnWorld* world = build(scene);
    CHECK_INT(cn_world_body_count(world), 0);
    cn_world_destroy(world);
    cn_scene_destroy(scene);
}

static CnMassProperties mass_of(const char* body_json) {
    char text[400];
    CnMassProperties mass;
    snprintf(text, sizeof text, "{\"cairn\": 1, \"bodies\": [%s]}", body_json);
    CnWorld* world = world_of(text);
    CHECK_INT(cn_body_mass_properties(world, cn_world_body_at(world, 0), &mass), CN_OK);
    cn_world_destroy(world);
    return mass;
}

static void a_mass_alone_scales_what_the_shapes_have(void) {
    // A solid ball: 2/5 m r^2 = 0.4 * 3 * 0.25 = 0.3; the rounding of four products.
    CnMassProperties mass =
        mass_of("{\"mass\": 3, \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.5,"
                " \"position\": [0, 0, 1]}]}");
    CHECK_NEAR(mass.mass, 3.0, 0.0);
    CHECK_NEAR(mass.inertia[0], 0.3, 4e-16);
    CHECK_NEAR(mass.inertia[2], 0.3, 4e-16);
    CHECK_NEAR(mass.center.z, 1.0, 4e-16);
}

static void three_moments_lie_along_the_axes(void) {
    CnMassProperties mass = mass_of("{\"mass\": 2, \"inertia\": [0.1, 0.2, 0.25]}");
    CHECK_NEAR(mass.inertia[1], 0.2, 0.0);
    CHECK_NEAR(mass.inertia[2], 0.25, 0.0);
    CHECK_NEAR(mass.inertia[3], 0.0, 0.0);
}

static void degrees_and_radians_turn_the_same(void) {
    CnWorld* world = world_of("{\"cairn\": 1, \"bodies\": ["
                              "{\"mass\": 1, \"inertia\": [1, 1, 1], \"rotation\":"
                              " {\"axis\": [0, 0, 2], \"degrees\": 90}},"
                              "{\"mass\": 1, \"inertia\": [1, 1, 1], \"rotation\":"
                              " {\"axis\": [0, 0, 1], \"radians\": 1.5707963267948966}}]}");
    for (int i = 0; i < 2; ++i) {
        CnTransform pose;
        CHECK_INT(cn_body_pose(world, cn_world_body_at(world, i), &pose), CN_OK);
        CHECK_NEAR(pose.rotation.w, sqrt(0.5), 3e-16); // cos 45 degrees, to its last place
        CHECK_NEAR(pose.rotation.z, sqrt(0.5), 3e-16);
    }
    cn_world_destroy(world);
}

// The body is turned by 90 degrees; force and point are given in world axes as it stands then. In
// one step of dt the velocity becomes dt f / m, whichever frame the force keeps to afterwards.
static void forces_are_given_in_world_axes_at_the_start(void) {
    const char* frames[] = {"spatial", "carried"};
    for (int i = 0; i < 2; ++i) {
        char text[500];
        CnBodyState state;
        snprintf(text, sizeof text,
                 "{\"cairn\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"b\","
                 " \"mass\": 2, \"inertia\": [1, 1, 1], \"position\": [1, 0, 0], \"rotation\":"
                 " {\"axis\": [0, 0, 1], \"degrees\": 90}}], \"forces\": [{\"body\": \"b\","
                 " \"point\": [1, 0.5, 0], \"force\": [4, 0, 0], \"frame\": \"%s\"}]}",
                 frames[i]);
        CnWorld* world = world_of(text);
        CHECK_INT(cn_world_step(world, 1e-3, NULL, NULL), CN_OK);
        CHECK_INT(cn_body_state(world, cn_world_body_at(world, 0), &state), CN_OK);
        CHECK_NEAR(state.velocity.x, 1e-3 * 4.0 / 2.0, 1e-9); // the frame turns by 1e-6 rad
        CHECK_NEAR(state.velocity.y, 0.0, 1e-8);
        CHECK_NEAR(state.angular_velocity.z, -1e-3 * 0.5 * 4.0, 1e-9); // (0, .5, 0) x (4, 0, 0)
        cn_world_destroy(world);
    }
}

static void what_a_material_pair_leaves_out_stays_as_it_was(void) {
    CnWorld* world =
        world_of("{\"cairn\": 1, \"materials\": {\"a\": {\"friction\": 0.4, \"restitution\": 0.9},"
                 " \"b\": {\"friction\": 0.1, \"restitution\": 0.4}},"
                 " \"material_pairs\": [{\"materials\": [\"a\", \"b\"], \"friction\": 0.7}],"
                 " \"bodies\": [{\"name\": \"x\", \"mass\": 1, \"inertia\": [1, 1, 1]}],"
                 " \"contacts\": [{\"bodies\": [\"world\", \"x\"], \"point\": [0, 0, 0],"
                 " \"normal\": [0, 0, 1], \"materials\": [\"a\", \"b\"]}]}");
    CnContactPoint point;
    CHECK_INT(cn_world_find_contacts(world, &point, 1), 1);
    CHECK_NEAR(point.friction, 0.7, 0.0);
    CHECK_NEAR(point.restitution, 0.6, 2e-16); // sqrt(0.9 * 0.4)
    cn_world_destroy(world);
}

static void a_constraint_without_a_length_keeps_the_distance_at_the_start(void) {
    CnWorld* world = world_of("{\"cairn\": 1, \"bodies\": [{\"name\": \"x\", \"mass\": 1,"
                              " \"inertia\": [1, 1, 1], \"position\": [3, 0, 4]}],"
                              " \"constraints\": [{\"kind\": \"anchor_distance\", \"body\": \"x\","
                              " \"point_a\": [3, 0, 4], \"point_b\": [0, 0, 0]}]}");
    CnStepReport report;
    for (int i = 0; i < 100; ++i) {
        CHECK_INT(cn_world_step(world, 1e-3, &report, NULL), CN_OK);
    }
    CnBodyState state;
    CHECK_INT(cn_body_state(world, cn_world_body_at(world, 0), &state), CN_OK);
    CHECK_NEAR(cn_vec3_length(state.center), 5.0, 1e-8); // projection's tolerance
    CHECK(state.velocity.x != 0.0);                      // it swings
    cn_world_destroy(world);
}

static void programs_get_the_sentences_files_get(void) {
    CnError from_file, from_program;
    const char text[] = "{\"cairn\": 1, \"materials\": {\"a\": {\"friction\": -2}}}";
    CHECK(cn_scene_parse(text, strlen(text), "f", &from_file) == NULL);
    CnScene* scene = cn_scene_create("program", NULL);
    CnMaterialDef def = cn_material_def_default();
    def.name = "a";
    def.friction = -2.0;
    CHECK_INT(cn_scene_add_material(scene, &def, &from_program).index, 0);
    CHECK_CONTAINS(from_file.message, from_program.message);
    CHECK_STRING(from_file.message,
                 "f:1: materials.a.friction: friction is -2; it must be zero or positive, and "
                 "finite");
    cn_scene_destroy(scene);
}

static void bad_settings_leave_the_good_ones_in_place(void) {
    CnScene* scene = cn_scene_create(NULL, NULL);
    CnSceneSettings settings = cn_scene_settings(scene);
    CnError error;
    settings.dt = 0.0;
    CHECK_INT(cn_scene_set_settings(scene, &settings, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "dt is 0 s");
    CHECK_NEAR(cn_scene_settings(scene).dt, 0.001, 0.0);
    settings.dt = 0.5;
    char name[] = "nsgs";
    settings.solver.name = name;
    CHECK_INT(cn_scene_set_settings(scene, &settings, &error), CN_OK);
    name[0] = 'x'; // the scene owns its copy
    CHECK_STRING(cn_scene_settings(scene).solver.name, "nsgs");
    cn_scene_destroy(scene);
}

// A file may name a solver that does not support its friction as long as the program names another.
static void solver_and_friction_must_suit_each_other_only_in_the_world(void) {
    CnScene* scene = cn_scene_create("s", NULL);
    CnSceneSettings settings = cn_scene_settings(scene);
    CnError error = {0};
    settings.solver.name = "nsgs";
    settings.solver.friction = CN_FRICTION_PYRAMID;
    CHECK_INT(cn_scene_set_settings(scene, &settings, &error), CN_OK);
    CHECK(cn_scene_build(scene, NULL, &error) == NULL);
    CHECK_INT(error.status, CN_UNSUPPORTED);
    CHECK_CONTAINS(error.message, "solver nsgs does not support \"pyramid\" friction");
    settings.solver.name = "lemke";
    CHECK_INT(cn_scene_set_settings(scene, &settings, &error), CN_OK);
    CnWorld* world = cn_scene_build(scene, NULL, &error);
    CHECK(world != NULL);
    cn_world_destroy(world);
    cn_scene_destroy(scene);
}

// Sanitizers see those that are built in a moment.
static void built_in_scenes_run(void) {
    const int most = UNDER_SANITIZER ? 400 : INT_MAX;
    CHECK(cn_builtin_scene_count() >= 6);
    for (int i = 0; i < cn_builtin_scene_count(); ++i) {
        CnBuiltinScene info = cn_builtin_scene_at(i);
        char argument[64];
        CnError error;
        snprintf(argument, sizeof argument, "@%s:%d", info.name, info.default_size);
        CnScene* scene = cn_open_scene(argument, &error);
        ck_assert_msg(scene != NULL, "%s", error.message);
        snprintf(argument, sizeof argument, "@%s", info.name);
        CnScene* same = cn_open_scene(argument, &error);
        CHECK_STRING(cn_scene_name(scene), info.name);
        if (scene->bodies.count <= most) {
            CHECK(hash_after(scene, 5) == hash_after(same, 5));
        }
        cn_scene_destroy(scene);
        cn_scene_destroy(same);
    }
}

static void the_block_on_the_slope_stays_below_the_angle_of_friction(void) {
    const int size[] = {2600, 2700}; // atan 0.5 = 26.565 degrees
    for (int i = 0; i < 2; ++i) {
        char argument[32];
        CnBodyState state;
        snprintf(argument, sizeof argument, "@incline:%d", size[i]);
        CnScene* scene = cn_open_scene(argument, NULL);
        CnWorld* world = build(scene);
        for (int step = 0; step < 100; ++step) {
            CHECK_INT(cn_world_step(world, 1e-3, NULL, NULL), CN_OK);
        }
        CHECK_INT(cn_body_state(world, cn_world_find_body(world, "block"), &state), CN_OK);
        double angle = size[i] / 100.0 * CN_PI / 180.0;
        double slides = i == 0 ? 0.0 : 9.81 * (sin(angle) - 0.5 * cos(angle)) * 0.1;
        // The solver may leave 1e-8 m/s in each of 100 steps.
        CHECK_NEAR(cn_vec3_length(state.velocity), slides, 1e-6);
        cn_world_destroy(world);
        cn_scene_destroy(scene);
    }
}

static void bodies_have_their_damping_and_gravity(void) {
    CnWorld* world = world_of(everything);
    CnBodyInfo info;
    CHECK_INT(cn_body_read(world, cn_world_find_body(world, "tool"), &info), CN_OK);
    CHECK(info.gravity_scale == 0.5 && info.linear_damping == 0.25);
    CHECK(info.angular_damping == 0.125 && info.enabled && info.fast);
    cn_world_destroy(world);
}

TEST_MAIN("io/scene", TEST(bodies_have_their_damping_and_gravity),
          TEST(a_saved_scene_loads_to_the_same_world_bit_by_bit),
          TEST(saving_a_loaded_scene_gives_the_same_bytes),
          TEST(a_scene_without_a_name_is_called_after_its_file),
          TEST(an_almost_empty_scene_has_the_documented_defaults),
          TEST(a_mass_alone_scales_what_the_shapes_have), TEST(three_moments_lie_along_the_axes),
          TEST(degrees_and_radians_turn_the_same),
          TEST(forces_are_given_in_world_axes_at_the_start),
          TEST(what_a_material_pair_leaves_out_stays_as_it_was),
          TEST(a_constraint_without_a_length_keeps_the_distance_at_the_start),
          TEST(programs_get_the_sentences_files_get),
          TEST(bad_settings_leave_the_good_ones_in_place),
          TEST(solver_and_friction_must_suit_each_other_only_in_the_world),
          TEST(built_in_scenes_run), TEST(the_block_on_the_slope_stays_below_the_angle_of_friction))

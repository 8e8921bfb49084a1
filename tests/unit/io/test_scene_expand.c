// test_scene_expand.c - groups that repeat and files that are included.
#include "support/scene_trips.h"

#include "io/text/file.h"
#include <stdio.h>
#include <unistd.h>

#define BODY(name, members)                                                                        \
    "{\"name\": \"" name "\", \"mass\": 1, \"inertia\": [1, 1, 1]" members "}"

static CnBodyState state_of(const CnScene* scene, const CnWorld* world, const char* name) {
    CnBodyState state = {0};
    CnBodyId id = cn_scene_find_body(scene, name);
    ck_assert_msg(id.index != 0, "there is no %s", name);
    CHECK_INT(cn_body_state(world, id, &state), CN_OK);
    return state;
}

static void check_center(const CnScene* scene, const char* name, double x, double y, double z) {
    CnWorld* world = cn_scene_build(scene, NULL, NULL);
    CnVec3 center = state_of(scene, world, name).center;
    // Numbers of order 1 are rounded once. The angle of a turn comes from a quaternion, with 4e-16
    // of round-off, and is taken up to three times.
    CHECK_NEAR(center.x, x, 2e-15);
    CHECK_NEAR(center.y, y, 2e-15);
    CHECK_NEAR(center.z, z, 2e-15);
    cn_world_destroy(world);
}

// ---- repeat ----

static void copies_are_moved_and_numbered(void) {
    CnScene* scene = scene_from_text(
        "{\"cairn\": 1, \"repeat\": [{\"count\": 3, \"position\": [0.5, 0, 0], \"bodies\": [" BODY(
            "a", ", \"position\": [1, 2, 3]") "]}]}");
    check_center(scene, "a_1", 1.0, 2.0, 3.0);
    check_center(scene, "a_2", 1.5, 2.0, 3.0);
    check_center(scene, "a_3", 2.0, 2.0, 3.0);
    CHECK_INT((int)cn_scene_find_body(scene, "a_4").index, 0);
    cn_scene_destroy(scene);
}

// Four steps of a right angle about z, each 1 m up.
static void copies_are_turned_about_the_origin_and_then_moved(void) {
    CnScene* scene = scene_from_text(
        "{\"cairn\": 1, \"repeat\": [{\"count\": 4, \"position\": [0, 0, 1], \"rotation\": "
        "{\"axis\": [0, 0, 1], \"degrees\": 90}, \"bodies\": [" BODY(
            "a", ", \"position\": [1, 0, 0], \"velocity\": [0, 2, 0]") "]}]}");
    check_center(scene, "a_2", 0.0, 1.0, 1.0);
    check_center(scene, "a_3", -1.0, 0.0, 2.0);
    check_center(scene, "a_4", 0.0, -1.0, 3.0);
    CnWorld* world = cn_scene_build(scene, NULL, NULL);
    CHECK_NEAR(state_of(scene, world, "a_2").velocity.x, -2.0, 1e-15);
    cn_world_destroy(world);
    cn_scene_destroy(scene);
}

static const char chain[] =
    "{\"cairn\": 1, \"step\": {\"dt\": 0.002}, \"materials\": {\"steel\": {\"density\": 7800}},\n"
    "\"repeat\": [{\"count\": 6, \"position\": [0.2, 0, 0.03], \"rotation\": {\"axis\": [0.3, 0.1, "
    "1],\n"
    " \"degrees\": 7}, \"bodies\": [{\"name\": \"link\", \"material\": \"steel\",\n"
    " \"position\": [0.1, 0, 1], \"shapes\": [{\"type\": \"box\", \"size\": [0.18, 0.02, "
    "0.03]}]}],\n"
    " \"joints\": [{\"name\": \"pin\", \"type\": \"hinge\", \"bodies\": [\"link:previous\", "
    "\"link\"],\n"
    "  \"point\": [0, 0, 1], \"axis\": [0, 1, 0], \"friction\": 0.01}],\n"
    " \"forces\": [{\"body\": \"link\", \"point\": [0.1, 0, 1], \"force\": [0, 0.1, 0]}]}],\n"
    "\"joints\": [{\"name\": \"hook\", \"type\": \"ball\", \"bodies\": [\"world\", \"link_1\"],\n"
    " \"point\": [0, 0, 1]}]}";

static void a_chain_refers_to_the_link_before(void) {
    CnScene* scene = scene_from_text(chain);
    CnWorld* world = cn_scene_build(scene, NULL, NULL);
    CHECK_INT(cn_world_joint_count(world), 6); // five pins and the hook
    CHECK_INT((int)cn_scene_find_joint(scene, "pin_1").index, 0);
    CHECK(cn_scene_find_joint(scene, "pin_2").index != 0);
    CHECK(cn_scene_find_joint(scene, "pin_6").index != 0);
    CnJointInfo info;
    CHECK_INT(cn_joint_info(world, cn_scene_find_joint(scene, "pin_3"), &info), CN_OK);
    CHECK(info.body_a.index == cn_scene_find_body(scene, "link_2").index);
    CHECK(info.body_b.index == cn_scene_find_body(scene, "link_3").index);
    cn_world_destroy(world);
    check_scene_trip(scene, 100, TEST_BINARY_DIR);
    cn_scene_destroy(scene);
}

static void groups_repeat_inside_groups_and_know_what_is_around(void) {
    CnScene* scene = scene_from_text(
        "{\"cairn\": 1, \"series\": {\"s\": {\"sine\": {\"amplitude\": 1, \"frequency\": 1}}},\n"
        "\"bodies\": [" BODY(
            "car",
            "") "],\n"
                "\"repeat\": [{\"count\": 2, \"position\": [0, 0, 1], \"bodies\": [],\n"
                " \"repeat\": [{\"count\": 3, \"position\": [1, 0, 0], \"bodies\": [" BODY(
                    "wheel",
                    ", \"position\": [0, 0, 0.5]") "],\n"
                                                   "  \"joints\": [{\"name\": \"hub\", \"type\": "
                                                   "\"hinge\", \"bodies\": [\"car\", \"wheel\"],\n"
                                                   "   \"point\": [0, 0, 0.5], \"axis\": [0, 1, "
                                                   "0], \"motor\": \"velocity\", \"target\": 1,\n"
                                                   "   \"series\": \"s\"}], \"collide\": "
                                                   "{\"exclude\": [[\"wheel\", "
                                                   "\"wheel:previous\"]]}}]}]}");
    check_center(scene, "wheel_3_2", 2.0, 0.0, 1.5);
    CHECK(cn_scene_find_joint(scene, "hub_3_2").index != 0);
    check_scene_trip(scene, 20, TEST_BINARY_DIR);
    cn_scene_destroy(scene);
}

// A group of one is what it would be without the group.
static void one_copy_has_the_bits_of_the_original(void) {
    CnScene* plain = scene_from_text(
        "{\"cairn\": 1, \"bodies\": [" BODY("a", ", \"position\": [0.1, 0.7, 0.3], \"rotation\": "
                                                 "[0.6, 0, 0.8, 0]") "]}");
    CnScene* group = scene_from_text(
        "{\"cairn\": 1, \"repeat\": [{\"count\": 1, \"position\": [9, 9, 9], \"bodies\": [" BODY(
            "a", ", \"position\": [0.1, 0.7, 0.3], \"rotation\": [0.6, 0, 0.8, 0]") "]}]}");
    CHECK(scene_hash_after(plain, 10) == scene_hash_after(group, 10));
    cn_scene_destroy(plain);
    cn_scene_destroy(group);
}

// ---- include ----

static const char* file_with(const char* name, const char* text) {
    static char paths[4][300];
    static int next;
    char* path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/include_%ld_%s", TEST_BINARY_DIR, (long)getpid(), name);
    CHECK_INT(cn_file_write(path, text, strlen(text), NULL), CN_OK);
    return path;
}

static const char arm[] =
    "{\"cairn\": 1, \"gravity\": [1, 2, 3], \"duration\": 99,\n"
    "\"materials\": {\"rubber\": {\"friction\": 0.9}, \"ice\": {\"friction\": 0.01}},\n"
    "\"material_pairs\": [{\"materials\": [\"rubber\", \"ice\"], \"friction\": 0.2}],\n"
    "\"series\": {\"wave\": {\"sine\": {\"amplitude\": 0.3, \"frequency\": 2}}},\n"
    "\"bodies\": [\n"
    " {\"name\": \"base\", \"type\": \"kinematic\", \"motion\": {\"position\": [\"wave\", null, "
    "null]}},\n"
    " {\"name\": \"hand\", \"position\": [1, 0, 0], \"velocity\": [0, 1, 0], \"material\": "
    "\"rubber\",\n"
    "  \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.1, \"material\": \"ice\"}]}],\n"
    "\"contacts\": [{\"bodies\": [\"base\", \"hand\"], \"point\": [5, 0, 0], \"normal\": [1, 0, "
    "0], \"gap\": 0.5,\n"
    " \"materials\": [\"rubber\", null]}],\n"
    "\"constraints\": [{\"name\": \"rod\", \"kind\": \"distance\", \"bodies\": [\"base\", "
    "\"hand\"],\n"
    " \"point_a\": [0, 0, 0], \"point_b\": [1, 0, 0]}],\n"
    "\"joints\": [{\"name\": \"elbow\", \"type\": \"planar\", \"bodies\": [\"base\", \"hand\"],\n"
    " \"point\": [0, 0, 0], \"axis\": [0, 0, 1]}],\n"
    "\"forces\": [{\"body\": \"hand\", \"point\": [1, 0, 0], \"force\": [0, 0.5, 0], \"series\": "
    "\"wave\"},\n"
    " {\"body\": \"hand\", \"point\": [1, 0, 0], \"force\": [0.1, 0, 0], \"frame\": "
    "\"carried\"}],\n"
    "\"collide\": {\"exclude\": [[\"base\", \"hand\"]]}}";

static CnScene* open_with(const char* text) {
    CnError error;
    const char* path = file_with("top.json", text);
    CnScene* scene = cn_scene_open(path, &error);
    ck_assert_msg(scene != NULL, "%s", error.message);
    unlink(path);
    return scene;
}

static const char* slash_after(const char* path) {
    return strrchr(path, '/') + 1;
}

static void included_things_are_moved_renamed_and_written_out(void) {
    char text[900];
    const char* path = file_with("arm.json", arm);
    snprintf(text, sizeof text,
             "{\"cairn\": 1, \"gravity\": [0, 0, 0], \"step\": {\"dt\": 0.002}, \"include\": [\n"
             "{\"file\": \"%s\", \"prefix\": \"left/\", \"position\": [0, 3, 1], \"rotation\":\n"
             " {\"axis\": [0, 0, 1], \"degrees\": 90}},\n"
             "{\"file\": \"%s\", \"prefix\": \"right/\", \"position\": [0, -3, 1]}],\n"
             "\"joints\": [{\"type\": \"spring\", \"bodies\": [\"left/hand\", \"right/hand\"],\n"
             " \"point\": [0, 4, 1], \"point_b\": [1, -3, 1], \"stiffness\": 3}]}",
             slash_after(path), slash_after(path));
    CnScene* scene = open_with(text);
    unlink(path);
    check_center(scene, "left/hand", 0.0, 4.0, 1.0);
    check_center(scene, "right/hand", 1.0, -3.0, 1.0);
    CHECK(cn_scene_find_material(scene, "right/ice").index != 0);
    CHECK_NEAR(cn_scene_settings(scene).gravity.x, 0.0, 0.0);
    CnWorld* world = cn_scene_build(scene, NULL, NULL);
    CHECK_NEAR(state_of(scene, world, "left/hand").velocity.x, -1.0, 1e-15);
    cn_world_destroy(world);
    check_scene_trip(scene, 100, TEST_BINARY_DIR);
    cn_scene_destroy(scene);
}

// What happens to a scene that was turned is what happened to the scene, turned: the same sums with
// other roundings, 1e-16 each, over 200 steps that do not amplify them.
static void a_turned_scene_moves_as_the_scene_does(void) {
    CnScene* part = scene_from_text(arm);
    CnScenePlacement placement = cn_scene_placement_default();
    CnScene* turned = cn_scene_create("turned", NULL);
    CnSceneSettings settings = cn_scene_settings(part);
    CnVec3 axis = cn_vec3_normalize(cn_vec3(1.0, 2.0, 3.0));
    placement.pose = (CnTransform){cn_vec3(0.3, -2.0, 1.0), cn_quat_from_axis_angle(axis, 2.0)};
    settings.gravity = cn_vec3(0.0, 0.0, 0.0);
    CHECK_INT(cn_scene_set_settings(part, &settings, NULL), CN_OK);
    CHECK_INT(cn_scene_set_settings(turned, &settings, NULL), CN_OK);
    CHECK_INT(cn_scene_add_scene(turned, part, &placement, NULL), CN_OK);
    CnWorld* plain_world = cn_scene_build(part, NULL, NULL);
    CnWorld* turned_world = cn_scene_build(turned, NULL, NULL);
    for (int i = 0; i < 200; ++i) {
        CHECK_INT(cn_world_step(plain_world, 0.001, NULL, NULL), CN_OK);
        CHECK_INT(cn_world_step(turned_world, 0.001, NULL, NULL), CN_OK);
    }
    CnVec3 plain = cn_transform_point(placement.pose, state_of(part, plain_world, "hand").center);
    CnVec3 other = state_of(turned, turned_world, "hand").center;
    CHECK_NEAR(cn_vec3_length(cn_vec3_sub(plain, other)), 0.0, 1e-9); // solver tolerance 1e-8 m/s
    cn_world_destroy(plain_world);
    cn_world_destroy(turned_world);
    cn_scene_destroy(part);
    cn_scene_destroy(turned);
}

static void a_name_that_is_taken_leaves_the_scene_as_it_was(void) {
    CnScene* part = scene_from_text(arm);
    CnScene* scene = cn_scene_create("s", NULL);
    CnScenePlacement placement = cn_scene_placement_default();
    CnError error;
    CHECK_INT(cn_scene_add_scene(scene, part, &placement, &error), CN_OK);
    uint64_t hash = scene_hash_after(scene, 0);
    CHECK_INT(cn_scene_add_scene(scene, part, &placement, &error), CN_INVALID);
    ck_assert_msg(strstr(error.message, "already has the name") != NULL, "%s", error.message);
    CHECK(scene_hash_after(scene, 0) == hash);
    placement.suffix = "2";
    CHECK_INT(cn_scene_add_scene(scene, part, &placement, &error), CN_OK);
    CHECK_INT(cn_scene_add_scene(scene, scene, &placement, &error), CN_INVALID);
    placement.pose.rotation = cn_quat(0.0, 0.0, 0.0, 0.0);
    CHECK_INT(cn_scene_add_scene(scene, part, &placement, &error), CN_INVALID);
    cn_scene_destroy(scene);
    cn_scene_destroy(part);
}

static void check_refused(const char* path, const char* words) {
    CnError error;
    CnScene* scene = cn_scene_open(path, &error);
    CHECK(scene == NULL);
    ck_assert_msg(strstr(error.message, words) != NULL, "%s", error.message);
}

static void cycles_are_refused(void) {
    char a[300], b[300], text[400];
    snprintf(a, sizeof a, "%s", file_with("a.json", "{}"));
    snprintf(text, sizeof text, "{\"cairn\": 1, \"include\": [\n{\"file\": \"%s\"}]}",
             slash_after(a));
    snprintf(b, sizeof b, "%s", file_with("b.json", text));
    check_refused(b, "needs the key \"cairn\"");
    snprintf(text, sizeof text, "{\"cairn\": 1, \"include\": [\n{\"file\": \"./%s\"}]}",
             slash_after(b));
    file_with("a.json", text);
    check_refused(a, "includes itself by way of others");
    file_with("b.json", "{\"cairn\": 1}");
    CnScene* scene = cn_scene_open(a, NULL);
    CHECK(scene != NULL);
    cn_scene_destroy(scene);
    snprintf(text, sizeof text, "{\"cairn\": 1, \"include\": [\n{\"file\": \"%s\"}]}",
             slash_after(a));
    file_with("a.json", text);
    check_refused(a, "includes itself");
    unlink(a);
    unlink(b);
}

static void mistakes_in_an_included_file_are_told_with_its_line(void) {
    char text[400];
    const char* path = file_with(
        "bad.json", "{\"cairn\": 1,\n\"bodies\": [\n{\"mass\": -1, \"inertia\": [1, 1, 1]}]}");
    snprintf(text, sizeof text, "{\"cairn\": 1,\n\n\"include\": [{\"file\": \"%s\"}]}",
             slash_after(path));
    const char* top = file_with("top.json", text);
    CnSceneProblem problem;
    CHECK_INT(cn_scene_check(top, &problem, 1, NULL, NULL), 1);
    CHECK_INT(problem.line, 3);
    CHECK_STRING(problem.path, "include[0].file");
    ck_assert_msg(strstr(problem.message, "bad.json:3: bodies[0].mass: mass is -1 kg") != NULL,
                  "%s", problem.message);
    unlink(path);
    unlink(top);
}

TEST_MAIN("unit/io/scene_expand", TEST(copies_are_moved_and_numbered),
          TEST(copies_are_turned_about_the_origin_and_then_moved),
          TEST(a_chain_refers_to_the_link_before),
          TEST(groups_repeat_inside_groups_and_know_what_is_around),
          TEST(one_copy_has_the_bits_of_the_original),
          TEST(included_things_are_moved_renamed_and_written_out),
          TEST(a_turned_scene_moves_as_the_scene_does),
          TEST(a_name_that_is_taken_leaves_the_scene_as_it_was), TEST(cycles_are_refused),
          TEST(mistakes_in_an_included_file_are_told_with_its_line))

// test_scene_check.c - what cn_scene_check finds in scenes, right and wrong.
#include "builtin/builtin_scenes.h"
#include "support/test.h"

#include "cairn/scene.h"
#include "io/text/file.h"
#include <stdio.h>
#include <unistd.h>

#define CAPACITY 8

typedef struct Check {
    int count;
    bool has_scene;
    CnSceneProblem items[CAPACITY];
    CnError error;
} Check;

static Check check_text(const char* text) {
    Check check;
    CnScene* scene;
    char path[300];
    snprintf(path, sizeof path, "%s/check_%ld.json", TEST_BINARY_DIR, (long)getpid());
    CHECK_INT(cn_file_write(path, text, strlen(text), NULL), CN_OK);
    check.count = cn_scene_check(path, check.items, CAPACITY, &scene, &check.error);
    check.has_scene = scene != NULL;
    cn_scene_destroy(scene);
    unlink(path);
    return check;
}

#define MASS "\"mass\": 1, \"inertia\": [1, 1, 1]"
#define SPHERE "\"shapes\": [{\"type\": \"sphere\", \"radius\": 0.5}]"

static void a_good_scene_has_nothing_to_say(void) {
    Check check = check_text("{\"cairn\": 1, \"bodies\": [{\"name\": \"a\", " SPHERE "},\n"
                             "{\"name\": \"b\", \"position\": [1, 0, 0], " SPHERE "}]}");
    CHECK_INT(check.count, 0); // they touch without overlapping
    CHECK(check.has_scene);
    CHECK_INT(check.error.status, CN_OK);
}

static void built_in_scenes_have_no_errors(void) {
    for (int i = 0; i < cn_builtin_scene_count(); ++i) {
        char argument[64];
        CnError error;
        snprintf(argument, sizeof argument, "@%s", cn_builtin_scene_at(i).name);
        CnScene* scene = cn_open_scene(argument, &error);
        ck_assert_msg(scene != NULL, "%s", error.message);
        cn_scene_find_problems(scene, NULL, 0, &error);
        ck_assert_msg(error.status == CN_OK, "%s", error.message);
        cn_scene_destroy(scene);
    }
}

static void overlaps_are_told_by_name_and_depth(void) {
    Check check = check_text("{\"cairn\": 1, \"bodies\": [\n{\"name\": \"a\", " SPHERE "},\n"
                             "{\"name\": \"b\", \"position\": [0.75, 0, 0], " SPHERE "}]}");
    CHECK_INT(check.count, 1);
    CHECK(check.items[0].warning && check.has_scene);
    CHECK_INT(check.items[0].line, 3);
    CHECK_STRING(check.items[0].path, "bodies[1]");
    CHECK_STRING(check.items[0].message, "\"a\" and \"b\" overlap by 0.25 m at the start");
}

static void an_overlap_of_many_points_is_told_once_at_its_deepest(void) {
    Check check =
        check_text("{\"cairn\": 1, \"bodies\": [{\"name\": \"a\", " MASS "}], \"contacts\": [\n"
                   "{\"bodies\": [\"world\", \"a\"], \"point\": [1, 0, 0], \"normal\": [0, 0, 1],"
                   " \"gap\": -0.125},\n{\"bodies\": [\"world\", \"a\"], \"point\": [0, 1, 0],"
                   " \"normal\": [0, 0, 1], \"gap\": -0.5}]}");
    CHECK_INT(check.count, 1);
    CHECK_CONTAINS(check.items[0].message, "\"world\" and \"a\" overlap by 0.5 m");
}

static void bodies_without_names_are_told_by_index(void) {
    Check check = check_text("{\"cairn\": 1, \"bodies\": [{" SPHERE "}, {" SPHERE "}]}");
    CHECK_INT(check.count, 1);
    CHECK_CONTAINS(check.items[0].message, "bodies[0]");
    CHECK_CONTAINS(check.items[0].message, "bodies[1]");
}

// A pyramid that stands on its tip, 9 m below a triangle in the plane z = 0 around the origin.
#define MESH_POINTS "\"points\": [[-9, -9, 0], [9, -9, 0], [0, 9, 0], [0, 0, -9]]"
#define MESH_TRIANGLES "[[0, 1, 2], [0, 3, 1], [0, 2, 3], [2, 1, 3]]"
#define CORNER "[[0, 0, 0], [0, 1, 1], [1, 0, 1], [-1, -1, 1]]"

// Each stands 1/8 m deep in the floor, whose top is at z = 0: its middle is at 3/8 m and its lowest
// point 1/2 m below that. The corner of the convex one is its origin.
static void overlaps_of_every_shape_have_their_depth(void) {
    static const char* const shapes[] = {
        "\"type\": \"sphere\", \"radius\": 0.5",
        "\"type\": \"box\", \"size\": [1, 1, 1]",
        "\"type\": \"capsule\", \"radius\": 0.25, \"length\": 0.5",
        "\"type\": \"cylinder\", \"radius\": 0.25, \"length\": 1",
        ("\"type\": \"convex\", \"position\": [0, 0, -0.5], \"points\": " CORNER),
    };
    static const char* const floors[] = {
        "\"type\": \"plane\"",
        "\"type\": \"box\", \"size\": [9, 9, 9], \"position\": [0, 0, -4.5]",
        ("\"type\": \"mesh\", " MESH_POINTS ", \"triangles\": " MESH_TRIANGLES),
        "\"type\": \"height_field\", \"size\": [9, 9], \"heights\": [[0, 0], [0, 0]]",
    };
    for (size_t f = 0; f < sizeof floors / sizeof floors[0]; ++f) {
        for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
            char text[800];
            snprintf(text, sizeof text,
                     "{\"cairn\": 1, \"bodies\": [{\"name\": \"floor\", \"type\": \"static\","
                     " \"shapes\": [{%s}]},\n{\"name\": \"thing\", \"position\": [0, 0, 0.375],"
                     " \"shapes\": [{%s}]}]}",
                     floors[f], shapes[i]);
            Check check = check_text(text);
            CHECK_INT(check.count, 1);
            CHECK_STRING(check.items[0].message,
                         "\"floor\" and \"thing\" overlap by 0.125 m at the start");
        }
    }
}

static void sensors_overlap_nothing(void) {
    Check check = check_text("{\"cairn\": 1, \"bodies\": [{\"name\": \"a\", " SPHERE "},\n"
                             "{\"name\": \"b\", \"type\": \"static\", \"shapes\": [{\"type\":"
                             " \"box\", \"size\": [1, 1, 1], \"sensor\": true}]}]}");
    CHECK_INT(check.count, 0);
}

static Check check_mesh(const char* members) {
    char text[800];
    snprintf(text, sizeof text,
             "{\"cairn\": 1, \"bodies\": [{\"type\": \"static\", \"shapes\": [\n"
             "{\"type\": \"mesh\", %s}]}]}",
             members);
    return check_text(text);
}

static void a_mesh_with_an_inside_has_nothing_to_say(void) {
    CHECK_INT(check_mesh(MESH_POINTS ", \"triangles\": " MESH_TRIANGLES).count, 0);
    // The same with a point given twice.
    CHECK_INT(check_mesh("\"points\": [[-9, -9, 0], [9, -9, 0], [0, 9, 0], [0, 0, -9], [0, 0, -9]],"
                         " \"triangles\": [[0, 1, 2], [0, 4, 1], [0, 2, 3], [2, 1, 3]]")
                  .count,
              0);
}

static void meshes_without_an_inside_are_told(void) {
    static const struct {
        const char *triangles, *words;
    } rows[] = {
        {"[[0, 1, 2], [0, 3, 1], [0, 2, 3]]",
         "the surface has a hole: triangle 0 has no neighbour"},
        {"[[0, 1, 2], [0, 1, 3], [0, 2, 3], [2, 1, 3]]", "one of them is turned over"},
        {"[[0, 2, 1], [0, 1, 3], [0, 3, 2], [2, 3, 1]]",
         "it must be positive: corners run counter-"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        char members[400];
        snprintf(members, sizeof members, MESH_POINTS ", \"triangles\": %s", rows[i].triangles);
        Check check = check_mesh(members);
        CHECK_INT(check.count, 1);
        CHECK(check.items[0].warning && check.has_scene);
        CHECK_INT(check.items[0].line, 2);
        CHECK_STRING(check.items[0].path, "bodies[0].shapes[0]");
        CHECK_CONTAINS(check.items[0].message, rows[i].words);
    }
}

static void friction_that_the_solver_has_not_is_told_at_its_line(void) {
    Check check = check_text("{\"cairn\": 1, \"solver\": {\"name\": \"nsgs\",\n"
                             "\"friction\": \"pyramid\"}, \"bodies\": [{" SPHERE "}]}");
    CHECK_INT(check.count, 1);
    CHECK(!check.items[0].warning && !check.has_scene);
    CHECK_INT(check.items[0].line, 2);
    CHECK_STRING(check.items[0].path, "solver.friction");
    CHECK_STRING(check.items[0].message,
                 "solver nsgs does not support \"pyramid\" friction; these do: auto, lemke");
}

static void mass_ratios_of_100_are_told_for_solvers_that_suffer(void) {
    static const char text[] =
        "{\"cairn\": 1, \"solver\": {\"name\": \"%s\"}, \"bodies\": [\n{\"name\": \"light\", " MASS
        "},\n{\"name\": \"heavy\","
        " \"mass\": %s, \"inertia\": [1, 1, 1]}],\n\"constraints\": [{\"kind\": \"distance\","
        " \"bodies\": [\"light\", \"heavy\"], \"point_a\": [0, 0, 0], \"point_b\": [1, 0, 0]}]}";
    char scene[600];
    snprintf(scene, sizeof scene, text, "pgs", "99");
    CHECK_INT(check_text(scene).count, 0);
    for (int i = 0; i < cn_solver_count(); ++i) { // warned of exactly where the table says so
        CnSolverInfo info = cn_solver_at(i);
        snprintf(scene, sizeof scene, text, info.name, "100");
        CHECK_INT(check_text(scene).count, info.slow_at_mass_ratios ? 1 : 0);
    }
    snprintf(scene, sizeof scene, text, "pgs", "20000");
    Check check = check_text(scene);
    CHECK_INT(check.count, 1);
    CHECK(check.items[0].warning);
    CHECK_INT(check.items[0].line, 4);
    CHECK_CONTAINS(check.items[0].message,
                   "\"light\" (1 kg) and \"heavy\" (20000 kg) meet with a mass ratio of 2e+04");
}

static void redundant_constraints_are_told(void) {
    Check check = check_text("{\"cairn\": 1, \"bodies\": [{\"name\": \"a\", " MASS "}],\n"
                             "\"constraints\": [\n"
                             "{\"kind\": \"pin\", \"body\": \"a\", \"point_a\": [0, 0, 0]},\n"
                             "{\"kind\": \"pin\", \"body\": \"a\", \"point_a\": [0, 0, 0]}]}");
    CHECK_INT(check.count, 1);
    CHECK(check.items[0].warning && check.has_scene);
    CHECK(check.items[0].line == 3 || check.items[0].line == 4); // either implies the other
    CHECK_CONTAINS(check.items[0].path, "constraints[");
    CHECK_CONTAINS(check.items[0].message, "other constraints already imply");
}

#define TWO_BODIES                                                                                 \
    "{\"cairn\": 1, \"step\": {\"dt\": 0.01}, \"bodies\": [{\"name\": \"a\", " MASS                \
    "}, {\"name\": \"b\", " MASS "}],\n\"joints\": [\n"
#define HINGE "\"type\": \"hinge\", \"body\": \"a\", \"point\": [0, 0, 0], \"axis\": [0, 0, 1]"

// The masses are 1 kg and 1 kg m^2: a spring of 1e4 N m/rad between a and the world swings in
// 2 pi / 100 s, that is in 6.3 steps of 0.01 s.
static void joints_that_look_wrong_are_told(void) {
    static const struct {
        const char *joint, *message;
    } rows[] = {
        {"{\"name\": \"j\", \"type\": \"ball\", \"body\": \"a\", \"point\": [0, 0, 0],"
         " \"point_b\": [0, 0.25, 0]}",
         "the two sides of \"j\" are 0.25 m from where they belong at the start"},
        {"{\"type\": \"universal\", \"body\": \"a\", \"point\": [0, 0, 0], \"axis\": [0, 0, 1],"
         " \"axis_b\": [0, 3, 4]}",
         "the two sides of \"joints[0]\" are turned by"},
        {"{\"type\": \"distance\", \"bodies\": [\"a\", \"b\"], \"point\": [0, 0, 0],"
         " \"point_b\": [0, 0, 2], \"length\": 1.5}",
         "are 0.5 m from where they belong"},
        {"{\"type\": \"rope\", \"bodies\": [\"a\", \"b\"], \"point\": [0, 0, 0],"
         " \"point_b\": [0, 0, 2], \"length\": 1.5}",
         "allows at most 1.5 but starts at 2"},
        {"{" HINGE ", \"limits\": [0.5, 1]}",
         "axis turn_z of \"joints[0]\" starts at 0, outside its limits [0.5, 1]"},
        {"{" HINGE ", \"motor\": \"position\", \"damping\": 1}", "has no stiffness"},
        {"{" HINGE ", \"motor\": \"position\", \"stiffness\": 1e4}",
         "the motor of axis turn_z of \"joints[0]\" is stiff: its period is 6.3 steps of 0.01 "
         "s"},
        {"{" HINGE ", \"spring\": {\"stiffness\": 1e4}}", "its period is 6.3 steps"},
        {"{" HINGE ", \"spring\": {\"hertz\": 20}}", "its period is 5 steps"},
        {"{\"type\": \"spring\", \"body\": \"a\", \"point\": [0, 0, 0], \"point_b\": [0, 0, 2],"
         " \"table\": [[-1, 1e4], [0, 0]]}",
         "the spring of axis z of \"joints[0]\" is stiff: its period is 6.3 steps"},
        {"{\"type\": \"weld\", \"body\": \"a\", \"point\": [0, 0, 0]}, {\"name\": "
         "\"second\", " HINGE "}",
         "other constraints already imply some of its rows"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        char text[1000];
        snprintf(text, sizeof text, TWO_BODIES "%s]}", rows[i].joint);
        Check check = check_text(text);
        ck_assert_msg(check.count == 1, "%s: %d problems, the first is \"%s\"", rows[i].joint,
                      check.count, check.count > 0 ? check.items[0].message : "");
        CHECK(check.items[0].warning && check.has_scene);
        CHECK_INT(check.items[0].line, 3);
        CHECK_CONTAINS(check.items[0].path, "joints[");
        CHECK_CONTAINS(check.items[0].message, rows[i].message);
    }
    CHECK_INT(check_text(TWO_BODIES "{" HINGE ", \"limits\": [-1, 1]}]}").count, 0);
}

static void series_that_nothing_uses_are_told(void) {
    Check check =
        check_text("{\"cairn\": 1, \"series\": {\n\"s\": {\"times\": [0], \"values\": [1]},\n"
                   "\"t\": {\"times\": [0], \"values\": [1]}}, \"bodies\": [{\"name\": \"a\", " MASS
                   "}], \"joints\": [{\"type\": \"set_velocity\", \"body\": \"a\","
                   " \"point\": [0, 0, 0], \"axis\": [0, 0, 1], \"series\": \"s\"}]}");
    CHECK_INT(check.count, 1);
    CHECK_INT(check.items[0].line, 3);
    CHECK_STRING(check.items[0].path, "series.t");
    CHECK_STRING(check.items[0].message, "nothing uses the series \"t\"");
}

static void all_errors_are_told_and_no_scene_is_given(void) {
    Check check =
        check_text("{\"cairn\": 1,\n\"bodies\": [{\"mass\": -1, \"inertia\": [1, 1, 1]},\n"
                   "{\"masss\": 3}],\n\"duration\": -1}");
    CHECK_INT(check.count, 3);
    CHECK(!check.has_scene);
    CHECK_STRING(check.items[0].path, "bodies[0].mass");
    CHECK_STRING(check.items[1].path, "bodies[1].masss");
    CHECK_STRING(check.items[2].path, "duration");
    CHECK_INT(check.items[2].line, 4);
    CHECK(!check.items[0].warning);
    CHECK_INT(check.error.status, CN_INVALID);
    CHECK_CONTAINS(check.error.message, ":2: bodies[0].mass: mass is -1 kg");
}

static void more_problems_than_room_are_counted(void) {
    CnSceneProblem one;
    char path[300];
    snprintf(path, sizeof path, "%s/check_%ld.json", TEST_BINARY_DIR, (long)getpid());
    const char text[] = "{\"cairn\": 1, \"a\": 1, \"b\": 2, \"c\": 3}";
    CHECK_INT(cn_file_write(path, text, strlen(text), NULL), CN_OK);
    CHECK_INT(cn_scene_check(path, &one, 1, NULL, NULL), 3);
    CHECK_STRING(one.path, "a");
    unlink(path);
}

static void a_missing_file_is_a_problem_like_any_other(void) {
    CnSceneProblem items[2];
    CnError error;
    CHECK_INT(cn_scene_check("no/such.json", items, 2, NULL, &error), 1);
    CHECK_INT(items[0].line, 0);
    CHECK_CONTAINS(items[0].message, "cannot be read: No such file");
    CHECK_STRING(error.message, "no/such.json: cannot be read: No such file or directory");
}

static void a_body_that_the_world_refuses_is_named(void) {
    static const char text[] = "{\"cairn\": 1, \"bodies\": [{\"name\": \"moon\", \"type\": "
                               "\"kinematic\", \"shapes\": [{\"type\": \"sphere\", "
                               "\"radius\": 1e200}]}]}";
    CnError error = {0};
    CnScene* scene = cn_scene_parse(text, sizeof text - 1, "sky", &error);
    CHECK(scene != NULL);
    CHECK(cn_scene_build(scene, NULL, &error) == NULL);
    CHECK_INT(error.status, CN_INVALID);
    CHECK_CONTAINS(error.message, "bodies[0] \"moon\": the body would have a mass of inf kg");
    cn_scene_destroy(scene);
}

// A series is known to the world only, when the joint is built.
static void a_joint_that_the_world_refuses_is_named(void) {
    static const char text[] =
        "{\"cairn\": 1, \"series\": {\"lift\": {\"times\": [0, 1], \"values\": [0, 4]}},"
        " \"bodies\": [{\"name\": \"arm\", \"shapes\": [{\"type\": \"sphere\", \"radius\": 1}]}],"
        " \"joints\": [{\"name\": \"elbow\", \"type\": \"ball\", \"bodies\": [\"arm\", \"world\"],"
        " \"point\": [0, 0, 1], \"axes\": {\"turn_x\": {\"motor\": \"position\", \"stiffness\": 1,"
        " \"target\": 1, \"series\": \"lift\"}}}]}";
    CnError error = {0};
    CnScene* scene = cn_scene_parse(text, sizeof text - 1, "arm", &error);
    CHECK(scene != NULL);
    CHECK(cn_scene_build(scene, NULL, &error) == NULL);
    CHECK_INT(error.status, CN_INVALID);
    CHECK_CONTAINS(error.message, "joints[0] \"elbow\": the target of axis turn_x is 4 rad at 1 s");
    cn_scene_destroy(scene);
}

TEST_MAIN("io/scene_check", TEST(a_good_scene_has_nothing_to_say),
          TEST(built_in_scenes_have_no_errors), TEST(overlaps_are_told_by_name_and_depth),
          TEST(an_overlap_of_many_points_is_told_once_at_its_deepest),
          TEST(overlaps_of_every_shape_have_their_depth), TEST(sensors_overlap_nothing),
          TEST(a_mesh_with_an_inside_has_nothing_to_say), TEST(meshes_without_an_inside_are_told),
          TEST(bodies_without_names_are_told_by_index),
          TEST(mass_ratios_of_100_are_told_for_solvers_that_suffer),
          TEST(friction_that_the_solver_has_not_is_told_at_its_line),
          TEST(redundant_constraints_are_told), TEST(joints_that_look_wrong_are_told),
          TEST(series_that_nothing_uses_are_told), TEST(all_errors_are_told_and_no_scene_is_given),
          TEST(more_problems_than_room_are_counted),
          TEST(a_missing_file_is_a_problem_like_any_other),
          TEST(a_body_that_the_world_refuses_is_named),
          TEST(a_joint_that_the_world_refuses_is_named))

// test_joint_misuse.c - every mistake in a joint of a scene is told with its place and a reason.
#include "support/test.h"

#include "io/scene/scene_loader.h"
#include <stdio.h>

#define THINGS                                                                                     \
    "{\"cairn\": 1, \"series\": {\"shake\": {\"times\": [0, 1], \"values\": [0, 1]}},\n"           \
    "\"bodies\": [{\"name\": \"ground\", \"type\": \"static\"},\n"                                 \
    "{\"name\": \"wall\", \"type\": \"kinematic\"},\n"                                             \
    "{\"name\": \"ball\", \"mass\": 1, \"inertia\": [1, 1, 1]},"                                   \
    "{\"name\": \"cube\", \"mass\": 1, \"inertia\": [1, 1, 1]}], \"joints\": [\n"

// On line 5; two joints with one mistake each are told apart by the path.
typedef struct Mistake {
    const char* text;
    const char* path; // in joints[0]
    const char* words;
} Mistake;

#define BALL "\"type\": \"ball\", \"body\": \"ball\", \"point\": [0, 0, 0]"
#define HINGE "\"type\": \"hinge\", \"body\": \"ball\", \"point\": [0, 0, 0], \"axis\": [0, 0, 1]"
#define BOTH "\"bodies\": [\"ball\", \"cube\"], \"point\": [0, 0, 0]"
#define ENDS BOTH ", \"point_b\": [1, 0, 0]"
#define SPRING "\"type\": \"spring\", " ENDS

#define LEFT HINGE ", \"name\": \"left\""
#define RIGHT                                                                                      \
    "\"type\": \"hinge\", \"body\": \"cube\", \"point\": [0, 0, 0], \"axis\": [0, 0, 1],"          \
    " \"name\": \"right\""
#define MIMIC "\"type\": \"mimic\""
#define PAIR MIMIC ", \"leader\": \"left\", \"follower\": \"right\""
#define BACK MIMIC ", \"leader\": \"right\", \"follower\": \"left\""

static const Mistake mistakes[] = {
    {"3", "", "joints[0] is a number; it must be an object"},
    {"{}", "", "a joint needs the key \"type\""},
    {"{\"type\": \"hing\"}", ".type", "did you mean \"hinge\"?"},
    {"{\"type\": 3}", ".type", "type is a number; it must be a string"},
    {"{" BALL ", \"nmae\": \"x\"}", ".nmae", "did you mean \"name\"?"},
    {"{" BALL ", \"name\": \"\"}", ".name", "name is empty"},
    {"{" BALL ", \"name\": \"x\"}, {" BALL ", \"name\": \"x\"}", "1.name",
     "joint 0 already has the name \"x\""},

    // mimics
    {"{\"type\": \"mimic\", \"leader\": \"left\"}", "", "needs the key \"follower\""},
    {"{" LEFT "}, {" MIMIC ", \"leader\": \"lefd\", \"follower\": \"left\"}", "1.leader",
     "there is no joint \"lefd\"; did you mean \"left\"?"},
    {"{" LEFT "}, {" MIMIC ", \"leader\": \"left\", \"follower\": \"right\"}", "1.follower",
     "there is no joint \"right\""},
    {"{" LEFT "}, {" MIMIC ", \"leader\": \"left\", \"follower\": \"left\"}", "1.follower",
     "an axis cannot follow itself"},
    {"{" LEFT "}, {" MIMIC ", \"leader\": \"left\", \"follower\": \"left\","
     " \"leader_axis\": \"trun_z\"}",
     "1.leader_axis", "did you mean \"turn_z\"?"},
    {"{" LEFT "}, {" MIMIC ", \"leader\": \"left\", \"follower\": \"left\","
     " \"leader_axis\": \"x\"}",
     "1.leader_axis", "axis x of a joint of type hinge is not free; free: turn_z"},
    {"{" LEFT "}, {" RIGHT "}, {" PAIR ", \"follower_axis\": \"turn_x\"}", "2.follower_axis",
     "axis turn_x of a joint of type hinge is not free; free: turn_z"},
    {"{" BALL ", \"name\": \"b\"}, {" MIMIC ", \"leader\": \"b\", \"follower\": \"b\"}", "1",
     "joint \"b\" (ball) has 3 free axes; the key \"leader_axis\" says which one"},
    {"{" LEFT "}, {" MIMIC ", \"leader\": \"left\", \"follower\": \"left\", \"body\": \"ball\"}",
     "1.body", "a mimic has no bodies of its own, but a leader and a follower"},
    {"{" LEFT "}, {" RIGHT "}, {" PAIR ", \"ratio\": 0}", "2.ratio", "ratio is 0"},
    {"{" LEFT "}, {" RIGHT "}, {" PAIR ", \"point\": [0, 0, 0]}", "2.point",
     "a joint of type mimic has no point"},
    {"{" LEFT "}, {" RIGHT "}, {" PAIR ", \"offset\": {\"degrees\": \"x\"}}", "2.offset.degrees",
     "degrees is the string \"x\"; it must be a number"},
    {"{" LEFT "}, {" RIGHT "}, {" PAIR ", \"compliance\": 1}", "2.compliance",
     "the follower's axis is an angle: it gives way by compliance_turn"},
    {"{" LEFT "}, {" RIGHT "}, {" PAIR ", \"ratio\": 2}, {" BACK ", \"ratio\": 2}", "3.ratio",
     "contradict the other mimics"},
    {"{" HINGE ", \"offset\": 1}", ".offset", "a joint of type hinge has no offset"},

    // bodies
    {"{\"type\": \"ball\", \"point\": [0, 0, 0]}", "", "a joint has \"bodies\", or \"body\""},
    {"{" BALL ", \"bodies\": [\"ball\", \"cube\"]}", ".bodies", "not both"},
    {"{\"type\": \"ball\", \"point\": [0, 0, 0], \"body\": \"bal\"}", ".body",
     "there is no body \"bal\"; did you mean \"ball\"?"},
    {"{\"type\": \"ball\", \"point\": [0, 0, 0], \"body\": \"world\"}", ".body",
     "\"world\" is on both sides"},
    {"{\"type\": \"ball\", \"point\": [0, 0, 0], \"body\": \"ground\"}", ".body",
     "neither \"world\" nor \"ground\" can be moved"},
    {"{\"type\": \"ball\", \"point\": [0, 0, 0], \"bodies\": [\"ground\", \"wall\"]}", ".bodies",
     "neither \"ground\" nor \"wall\" can be moved"},
    {"{\"type\": \"ball\", \"point\": [0, 0, 0], \"bodies\": [\"ball\", \"ball\"]}", ".bodies",
     "\"ball\" is on both sides"},
    {"{\"type\": \"ball\", \"point\": [0, 0, 0], \"bodies\": [\"ball\"]}", ".bodies",
     "an array of two names"},
    {"{\"type\": \"ball\", \"point\": [0, 0, 0], \"bodies\": [\"ball\", null]}", ".bodies[1]",
     "it must be a string"},
    {"{\"type\": \"ball\", \"point\": [0, 0, 0], \"bodies\": [\"ball\", \"cub\"]}", ".bodies[1]",
     "did you mean \"cube\"?"},

    // points, axes, anchors
    {"{\"type\": \"ball\", \"body\": \"ball\"}", "",
     "a joint of type ball needs the key \"point\""},
    {"{\"type\": \"ball\", \"body\": \"ball\", \"point\": [0, 0]}", ".point", "has length 2"},
    {"{\"type\": \"ball\", \"body\": \"ball\", \"point\": \"0 m\"}", ".point",
     "3 numbers, in m, written without the unit"},
    {"{\"type\": \"ball\", \"body\": \"ball\", \"point\": [0, null, 0]}", ".point[1]", "null"},
    {"{\"type\": \"rope\", " BOTH "}", "", "a joint of type rope needs the key \"point_b\""},
    {"{\"type\": \"hinge\", \"body\": \"ball\", \"point\": [0, 0, 0]}", "",
     "needs the key \"axis\""},
    {"{\"type\": \"hinge\", \"body\": \"ball\", \"point\": [0, 0, 0], \"axis\": [0, 0, 0]}",
     ".axis", "axis has no direction"},
    {"{\"type\": \"hinge\", \"body\": \"ball\", \"point\": [0, 0, 0], \"axis\": \"z\"}", ".axis",
     "the string \"z\""},
    {"{" HINGE ", \"axis_b\": [0, 1, 0]}", ".axis_b", "a joint of type hinge has no axis_b"},
    {"{\"type\": \"universal\", " BOTH ", \"axis\": [0, 0, 1]}", "", "needs the key \"axis_b\""},
    {"{\"type\": \"universal\", " BOTH ", \"axis\": [0, 0, 1], \"axis_b\": [0, 0, 2]}", ".axis_b",
     "parallel"},
    {"{\"type\": \"universal\", " BOTH ", \"axis\": [0, 0, 1], \"axis_b\": [0, 0, 0]}", ".axis_b",
     "axis_b has no direction"},
    {"{\"type\": \"rope\", " ENDS ", \"axis\": [0, 0, 1]}", ".axis", "type rope has no axis"},
    {"{\"type\": \"pulley\", " ENDS ", \"anchor_a\": [0, 0, 1]}", "", "needs the key \"anchor_b\""},
    {"{" BALL ", \"anchor_a\": [0, 0, 1]}", ".anchor_a", "type ball has no anchor_a"},
    {"{\"type\": \"distance\", " BOTH ", \"point_b\": [0, 0, 0]}", ".length",
     "point and point_b coincide; a length is needed"},
    {"{\"type\": \"spring\", " BOTH ", \"point_b\": [0, 0, 0]}", ".point_b", "coincide"},

    // numbers of types
    {"{\"type\": \"rope\", " ENDS ", \"length\": -1}", ".length", "length is -1 m"},
    {"{\"type\": \"rope\", " ENDS ", \"length\": \"1 m\"}", ".length", "without the unit"},
    {"{" BALL ", \"length\": 1}", ".length", "type ball has no length"},
    {"{\"type\": \"gear\", " BOTH ", \"axis\": [0, 0, 1], \"axis_b\": [0, 0, 1], \"ratio\": 0}",
     ".ratio", "ratio is 0"},
    {"{\"type\": \"pulley\", " ENDS ", \"anchor_a\": [0, 0, 1], \"anchor_b\": [1, 0, 1], "
     "\"ratio\": -1}",
     ".ratio", "ratio is -1; it must be positive"},
    {"{\"type\": \"rack_and_pinion\", " BOTH ", \"axis\": [0, 0, 1], \"axis_b\": [1, 0, 0]}", "",
     "needs the key \"ratio\""},
    {"{\"type\": \"screw\", " BOTH ", \"axis\": [0, 0, 1]}", "", "needs the key \"pitch\""},
    {"{" HINGE ", \"pitch\": 1}", ".pitch", "type hinge has no pitch"},
    {"{" BALL ", \"swing_limit\": -1}", ".swing_limit", "swing_limit is -1 rad"},
    {"{" BALL ", \"swing_limit\": {\"degrees\": 200}}", ".swing_limit", "swing_limit is 3.49"},
    {"{" BALL ", \"swing_limit\": {\"degrees\": 20, \"radian\": 1}}", ".swing_limit.radian",
     "unknown key \"radian\"; an angle has degrees"},
    {"{" BALL ", \"swing_limit\": {\"degrees\": \"20\"}}", ".swing_limit.degrees", "in degrees"},
    {"{" BALL ", \"swing_limit\": [1]}", ".swing_limit", "swing_limit is an array"},
    {"{" BALL ", \"swing_limit_y\": 1}", ".swing_limit_y", "without swing_limit"},
    {"{" HINGE ", \"swing_limit\": 1}", ".swing_limit", "type hinge has no swing_limit"},
    {"{" BALL ", \"strength\": -1}", ".strength", "strength is -1 N"},
    {"{" BALL ", \"strength_torque\": -1}", ".strength_torque", "-1 N m"},
    {"{" BALL ", \"compliance\": -1}", ".compliance", "compliance is -1 m/N"},
    {"{" BALL ", \"compliance_turn\": 0.1}", ".compliance_turn", "ball keeps no angle"},
    {"{" BALL ", \"alpha\": -1}", ".alpha", "alpha is -1 1/s^2"},
    {"{" BALL ", \"beta\": -0.5}", ".beta", "beta is -0.5 1/s"},
    {"{" BALL ", \"complience\": 1}", ".complience", "did you mean \"compliance\"?"},
    {"{" BALL ", \"collide\": 1}", ".collide", "true or false"},

    // prescribed motion
    {"{\"type\": \"set_velocity\", \"body\": \"ball\", \"point\": [0, 0, 0], "
     "\"series\": \"shake\"}",
     "", "needs the key \"axis\", or three series"},
    {"{\"type\": \"set_velocity\", \"body\": \"ball\", \"point\": [0, 0, 0], \"axis\": [0, 0, 1]}",
     ".series", "needs one series, or three"},
    {"{\"type\": \"set_velocity\", \"body\": \"ball\", \"point\": [0, 0, 0], \"axis\": [0, 0, 1], "
     "\"series\": \"shak\"}",
     ".series", "there is no series \"shak\"; did you mean \"shake\"?"},
    {"{\"type\": \"set_velocity\", \"body\": \"ball\", \"point\": [0, 0, 0], "
     "\"series3\": [\"shake\", \"shake\"]}",
     ".series3", "three names"},
    {"{\"type\": \"set_velocity\", \"body\": \"ball\", \"point\": [0, 0, 0], "
     "\"series3\": [\"shake\", \"shake\", \"x\"]}",
     ".series3[2]", "there is no series \"x\""},
    {"{\"type\": \"set_velocity\", \"body\": \"ball\", \"point\": [0, 0, 0], \"axis\": [0, 0, 1], "
     "\"series\": \"shake\", \"series3\": [\"shake\", \"shake\", \"shake\"]}",
     ".series3", "not both"},
    {"{\"type\": \"set_acceleration\", \"body\": \"ball\", \"point\": [0, 0, 0], \"axis\": [0, 0, "
     "1], "
     "\"series\": \"shake\", \"from_rest\": 1}",
     ".from_rest", "true or false"},
    {"{\"type\": \"set_velocity\", \"body\": \"ball\", \"point\": [0, 0, 0], \"axis\": [0, 0, 1], "
     "\"series\": \"shake\", \"from_rest\": true}",
     ".from_rest", "from_rest"},
    {"{\"type\": \"fix_point\", \"body\": \"ball\", \"point\": [0, 0, 0], \"series\": \"shake\"}",
     ".series", "type fix_point has no series"},
    {"{\"type\": \"fix_direction\", \"body\": \"ball\", \"point\": [0, 0, 0], "
     "\"axis\": [0, 0, 1], \"direction\": \"follow\"}",
     ".direction", "is for springs"},
    {"{\"type\": \"fix_direction\", \"body\": \"ball\", \"point\": [0, 0, 0], "
     "\"axis\": [0, 0, 1], \"direction\": \"carried\"}",
     ".direction", "direction \"carried\""},
    {"{" HINGE ", \"direction\": \"fixed\"}", ".direction", "type hinge has no direction"},

    // springs
    {"{" SPRING ", \"stiffness\": -1}", ".stiffness", "stiffness is -1"},
    {"{" SPRING ", \"damping\": -1}", ".damping", "damping is -1"},
    {"{" SPRING ", \"friction\": -1}", ".friction", "friction is -1"},
    {"{" SPRING ", \"stroke\": [0.1, 1]}", ".stroke", "that must contain 0"},
    {"{" SPRING ", \"stroke\": 1}", ".stroke", "an array of two numbers"},
    {"{" SPRING ", \"stroke\": {\"degrees\": [-1, 1]}}", ".stroke", "only angles"},
    {"{" SPRING ", \"table\": 3}", ".table", "an array of points [stroke, force]"},
    {"{" SPRING ", \"table\": []}", ".table", "table holds no points"},
    {"{" SPRING ", \"table\": [[0, 1], [0, 2]]}", ".table", "each stroke larger"},
    {"{" SPRING ", \"table\": [[0, 1], [1]]}", ".table[1]", "has length 1"},
    {"{" SPRING ", \"table\": [[0, 1]], \"stiffness\": 1}", ".table", "both a stiffness and"},
    {"{" SPRING ", \"rest\": \"x\"}", ".rest", "a number, in m"},
    {"{" SPRING ", \"direction\": \"fixed\"}", "", "needs the key \"axis\" for a given direction"},
    {"{" SPRING ", \"limits\": [0, 1]}", ".limits", "type spring has no limits"},
    {"{" HINGE ", \"table\": [[0, 1]]}", ".table", "type hinge has no table"},

    // axes
    {"{" HINGE ", \"axes\": []}", ".axes", "axes is an array; it must be an object"},
    {"{" HINGE ", \"axes\": {\"turn\": {}}}", ".axes.turn", "unknown key \"turn\""},
    {"{" HINGE ", \"axes\": {\"turn_z\": 3}}", ".axes.turn_z", "it must be an object"},
    {"{" HINGE ", \"axes\": {\"turn_z\": {\"limit\": [0, 1]}}}", ".axes.turn_z.limit",
     "did you mean \"limits\"?"},
    {"{" HINGE ", \"axes\": {\"x\": {\"limits\": [0, 1]}}}", ".axes.x",
     "axis x of a joint of type hinge is not free; free: turn_z"},
    {"{\"type\": \"weld\", " BOTH ", \"axes\": {\"x\": {\"friction\": 1}}}", ".axes.x",
     "free: none"},
    {"{\"type\": \"distance\", " ENDS ", \"friction\": 1}", ".axes.z",
     "a joint of type distance holds axis z unless"},
    {"{\"type\": \"six_axis\", " BOTH
     ", \"axes\": {\"y\": {\"motion\": \"locked\", \"friction\": 1}}}",
     ".axes.y", "axis y of a joint of type six_axis is not free"},
    {"{" BALL ", \"axes\": {\"turn_x\": {\"motor\": \"position\", \"target\": 4, "
     "\"stiffness\": 1}}}",
     ".axes.turn_x.target", "a lean is within [-pi, pi]"},
    {"{" BALL ", \"axes\": {\"turn_y\": {\"spring\": {\"stiffness\": 1, \"rest\": -4}}}}",
     ".axes.turn_y.spring.rest", "a lean is within [-pi, pi]"},
    {"{\"type\": \"six_axis\", " BOTH ", \"axes\": {\"y\": {\"motion\": \"lock\"}}}",
     ".axes.y.motion", "did you mean \"locked\"?"},
    {"{" HINGE ", \"axes\": {\"x\": {\"motion\": \"locked\"}}}", ".axes.x.motion",
     "only a joint of type six_axis"},
    {"{" HINGE ", \"limits\": [1, 0]}", ".limits", "the limits of axis turn_z are [1, 0]"},
    {"{" HINGE ", \"limits\": [1]}", ".limits", "an array of two numbers, lower and upper, in rad"},
    {"{" HINGE ", \"limits\": [\"nan\", 1]}", ".limits[0]", "\"inf\" or \"-inf\""},
    {"{" HINGE ", \"limits\": {\"degrees\": 3}}", ".limits.degrees", "in degrees"},
    {"{" HINGE ", \"limits\": {\"degrees\": [90, -90]}}", ".limits", "must not be above"},
    {"{" HINGE ", \"axes\": {\"turn_z\": {\"limits\": [1, 0]}}}", ".axes.turn_z.limits",
     "must not be above"},
    {"{" BALL ", \"axes\": {\"turn_x\": {\"limits\": [-4, 0]}}}", ".axes.turn_x.limits",
     "a lean is within [-pi, pi]"},
    {"{" BALL ", \"limits\": [0, 1]}", ".limits", "more than one free axis; write limits under"},
    {"{\"type\": \"weld\", " BOTH ", \"motor\": \"velocity\"}", ".motor", "weld has no motor"},
    {"{" HINGE ", \"restitution\": 0.5}", ".restitution", "restitution is given without limits"},
    {"{" HINGE ", \"limits\": [0, 1], \"restitution\": 2}", ".restitution", "in [0, 1]"},
    {"{" HINGE ", \"target\": 1}", ".target", "target is given without a motor"},
    {"{" HINGE ", \"series\": \"shake\"}", ".series", "series is given without a motor"},
    {"{" HINGE ", \"max_force\": 1}", ".max_force", "max_force is given without a motor"},
    {"{" HINGE ", \"stiffness\": 1}", ".stiffness", "stiffness is given without a motor"},
    {"{" HINGE ", \"damping\": 1}", ".damping", "damping is given without a motor"},
    {"{" HINGE ", \"motor\": \"speed\"}", ".motor", "unknown motor \"speed\""},
    {"{" HINGE ", \"motor\": \"velocity\", \"target\": \"1 rpm\"}", ".target", "in rad"},
    {"{" HINGE ", \"motor\": \"velocity\", \"max_force\": 0}", ".max_force",
     "the motor has no force"},
    {"{" HINGE ", \"motor\": \"velocity\", \"max_force\": -1}", ".max_force", "max_force is -1"},
    {"{" HINGE ", \"motor\": \"position\"}", ".stiffness", "neither stiffness nor damping"},
    {"{" HINGE ", \"motor\": \"position\", \"stiffness\": -1}", ".stiffness", "stiffness is -1"},
    {"{" HINGE ", \"motor\": \"velocity\", \"series\": \"shak\"}", ".series",
     "did you mean \"shake\"?"},
    {"{" HINGE ", \"axes\": {\"turn_z\": {\"motor\": \"velocity\", \"series\": \"x\"}}}",
     ".axes.turn_z.series", "there is no series \"x\""},
    {"{" HINGE ", \"spring\": 3}", ".spring", "spring is a number; it must be an object"},
    {"{" HINGE ", \"spring\": {\"stifness\": 1}}", ".spring.stifness", "did you mean"},
    {"{" HINGE ", \"spring\": {\"stiffness\": 1, \"hertz\": 1}}", ".spring.hertz", "give one"},
    {"{" HINGE ", \"spring\": {\"hertz\": -1}}", ".spring.hertz", "-1 1/s"},
    {"{" HINGE ", \"spring\": {\"stiffness\": 1, \"rest\": true}}", ".spring.rest", "in rad"},
    {"{" HINGE ", \"friction\": -1}", ".friction", "friction is -1"},
    {"{" HINGE ", \"friction\": 1, \"axes\": {\"turn_z\": {\"friction\": 1}}}", ".axes",
     "is given twice: under \"axes\""},
    {"{\"type\": \"slider\", " BOTH ", \"axis\": [0, 0, 1], \"limits\": {\"degrees\": [0, 1]}}",
     ".limits", "limits is a length; only angles are given in degrees"},
};
#define MISTAKE_COUNT (sizeof mistakes / sizeof mistakes[0])

// A path that begins with a digit is of that joint, else of the first.
static void expected_path(const Mistake* mistake, char path[120]) {
    bool numbered = mistake->path[0] >= '0' && mistake->path[0] <= '9';
    snprintf(path, 120, "joints[%c]%s", numbered ? mistake->path[0] : '0',
             mistake->path + (numbered ? 1 : 0));
}

static void every_mistake_is_told_once_with_place_and_reason(void) {
    for (size_t i = 0; i < MISTAKE_COUNT; ++i) {
        CnArena arena;
        CnErrorList errors;
        CnSceneProblem items[4];
        char text[2000], path[120];
        snprintf(text, sizeof text, THINGS "%s]}", mistakes[i].text);
        expected_path(&mistakes[i], path);
        cn_arena_init(&arena, NULL);
        cn_error_list_init(&errors, "s.json", items, 4);
        const CnJson* top = cn_json_parse(text, strlen(text), &arena, &errors);
        CHECK(top != NULL);
        ck_assert_msg(cn_scene_load(top, "", "s", &errors) == NULL, "%s", mistakes[i].text);
        ck_assert_msg(errors.count == 1, "%s: %d errors, \"%s\", \"%s\"", mistakes[i].text,
                      errors.count, items[0].message, items[1].message);
        ck_assert_msg(strcmp(items[0].path, path) == 0, "%s: at %s: %s", mistakes[i].text,
                      items[0].path, items[0].message);
        ck_assert_msg(strstr(items[0].message, mistakes[i].words) != NULL, "%s: %s",
                      mistakes[i].text, items[0].message);
        CHECK_INT(items[0].line, 5);
        cn_arena_destroy(&arena);
    }
}

static void a_joint_of_what_failed_is_passed_over(void) {
    char text[] = "{\"cairn\": 1, \"series\": {\"s\": {\"times\": [], \"values\": []}},"
                  " \"bodies\": [{\"name\": \"a\", \"mass\": -1, \"inertia\": [1, 1, 1]},"
                  " {\"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1]}], \"joints\": ["
                  "{\"type\": \"ball\", \"body\": \"a\", \"point\": [0, 0, 0]},"
                  "{\"type\": \"set_velocity\", \"body\": \"b\", \"point\": [0, 0, 0],"
                  " \"axis\": [0, 0, 1], \"series\": \"s\"}]}";
    CnArena arena;
    CnErrorList errors;
    CnSceneProblem items[4];
    cn_arena_init(&arena, NULL);
    cn_error_list_init(&errors, "s.json", items, 4);
    const CnJson* top = cn_json_parse(text, strlen(text), &arena, &errors);
    CHECK(cn_scene_load(top, "", "s", &errors) == NULL);
    CHECK_INT(errors.count, 2); // the series and the body
    cn_arena_destroy(&arena);
}

TEST_MAIN("misuse/joint", TEST(every_mistake_is_told_once_with_place_and_reason),
          TEST(a_joint_of_what_failed_is_passed_over))

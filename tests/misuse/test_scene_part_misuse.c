// test_scene_part_misuse.c - mistakes in notes, formulas, motions, starts, groups and includes.
#include "support/scene_mistakes.h"

static const Mistake mistakes[] = {
    // Notes to people and editors.
    {TOP, "\"comment\": 3", 2, "comment", "comment is a number; it must be a string"},
    {TOP, "\"$schema\": []", 2, "$schema", "$schema is an array; it must be a string"},
    {TOP, "\"coment\": \"x\"", 2, "coment", "unknown key \"coment\""},
    {MATERIALS, "\"comment\": 1", 5, "materials.comment", "it must be an object"},

    // Motions of kinematic bodies.
    {BODIES, "{\"motion\": {\"position\": [\"shake\", null, null]}, " MASS "}", 5,
     "bodies[4].motion", "a motion is for kinematic bodies; this one is dynamic"},
    {BODIES, "{\"type\": \"kinematic\", \"motion\": {}}", 5, "bodies[4].motion",
     "a motion needs \"position\", \"angle\" or both"},
    {BODIES, "{\"type\": \"kinematic\", \"motion\": {\"position\": [\"shake\"]}}", 5,
     "bodies[4].motion.position", "an array of three names of series"},
    {BODIES, "{\"type\": \"kinematic\", \"motion\": {\"position\": [\"shak\", null, null]}}", 5,
     "bodies[4].motion.position[0]", "there is no series \"shak\"; did you mean \"shake\"?"},
    {BODIES, "{\"type\": \"kinematic\", \"motion\": {\"angle\": \"shake\"}}", 5, "bodies[4].motion",
     "\"axis\" and \"angle\" of a motion go together"},
    {BODIES, "{\"type\": \"kinematic\", \"motion\": {\"axis\": [0, 0, 2],\n\"angle\": \"shake\"}}",
     5, "bodies[4].motion.axis", "it must be a unit vector"},
    {BODIES,
     "{\"type\": \"kinematic\",\n\"velocity\": [1, 0, 0], \"motion\": {\"position\": [null, "
     "\"shake\", null]}}",
     6, "bodies[4].velocity", "the body follows series, which give its velocity"},
    {BODIES, "{\"type\": \"kinematic\", \"motion\": {\"turn\": \"shake\"}}", 5,
     "bodies[4].motion.turn", "a motion has position, axes, axis, angle"},

    // Starts.
    {BODIES, "{" MASS ", \"start\": {\"center\": [0, 0, 0]}}", 5, "bodies[4].start",
     "a start needs the key \"rotation\""},
    {BODIES, "{" MASS ",\n\"start\": {\"center\": [0, 0, 0], \"rotation\": [2, 0, 0, 0]}}", 6,
     "bodies[4].start.rotation", "the quaternion has length 2"},
    {BODIES,
     "{\"type\": \"static\",\n\"start\": {\"center\": [0, 0, 0], \"rotation\": [1, 0, 0, 0]}}", 6,
     "bodies[4].start", "a static body starts where it is"},
    {BODIES,
     "{" MASS ", \"start\": {\"center\": [0, 0, 0], \"rotation\": [1, 0, 0, 0], \"velocty\": 0}}",
     5, "bodies[4].start.velocty", "did you mean \"velocity\"?"},
    {TOP, "\"start_time\": \"1 s\"", 2, "start_time", "it must be a number, in s"},

    // Groups that repeat, files that are included.
    {TOP, "\"repeat\": {}", 2, "repeat", "it must be an array of groups that repeat"},
    {TOP, "\"repeat\": [{\"bodies\": []}]", 2, "repeat[0]", "needs the key \"count\""},
    {TOP, "\"repeat\": [{\"count\": 3}]", 2, "repeat[0]", "needs the key \"bodies\""},
    {TOP, "\"repeat\": [{\"bodies\": [],\n\"count\": 0}]", 3, "repeat[0].count",
     "count is 0; it must be from 1 to 1000000"},
    {TOP, "\"repeat\": [{\"count\": 2, \"bodies\": [], \"step\": [0, 0, 0]}]", 2, "repeat[0].step",
     "unknown key \"step\"; a repeated group has count, position, rotation"},
    {TOP,
     "\"repeat\": [{\"count\": 2, \"bodies\": [{\"name\": \"a\",\n\"mass\": -1, \"inertia\": [1, "
     "1, 1]}]}]",
     3, "repeat[0].bodies[0].mass", "mass is -1 kg"},
    {TOP,
     "\"repeat\": [{\"count\": 2, \"bodies\": [{\"name\": \"a\", " MASS
     "}],\n\"joints\": [{\"type\": "
     "\"ball\", \"bodies\": [\"a:privious\", \"a\"], \"point\": [0, 0, 0]}]}]",
     3, "repeat[0].joints[0].bodies[0]",
     "there is no body \"a:privious\"; did you mean \"a:previous\"?"},
    {TOP,
     "\"bodies\": [{\"name\": \"a_2\", " MASS
     "}],\n\"repeat\": [{\"count\": 2, \"bodies\": [{\"name\": "
     "\"a\", " MASS "}]}]",
     3, "repeat[0]", "body 0 already has the name \"a_2\""},
    {TOP, "\"include\": {}", 2, "include", "it must be an array of files to include"},
    {TOP, "\"include\": [{\"prefix\": \"a\"}]", 2, "include[0]", "needs the key \"file\""},
    {TOP, "\"include\": [{\"file\": \"nowhere.json\"}]", 2, "include[0].file", "nowhere.json"},
    {TOP, "\"include\": [{\"file\": \"-\"}]", 2, "include[0].file",
     "an included scene cannot come from standard input"},
    {TOP, "\"include\": [{\"file\": 3}]", 2, "include[0].file", "it must be a string"},
    {TOP, "\"include\": [{\"file\": \"a.json\", \"prefx\": \"b\"}]", 2, "include[0].prefx",
     "did you mean \"prefix\"?"},

    // Series as formulas.
    {SERIES, "\"s\": {\"sine\": {\"amplitude\": 1, \"frequency\": 1},\n\"ramp\": {}}", 6,
     "series.s.ramp", "it has both sine and ramp"},
    {SERIES, "\"s\": {\"sine\": 3}", 5, "series.s.sine", "it must be an object"},
    {SERIES, "\"s\": {\"sin\": {}}", 5, "series.s.sin", "did you mean \"sine\"?"},
    {SERIES, "\"s\": {\"sine\": {\"amplitude\": 1}}", 5, "series.s.sine",
     "a sine needs the key \"frequency\""},
    {SERIES, "\"s\": {\"sine\": {\"amplitude\": 1,\n\"frequency\": 0}}", 6,
     "series.s.sine.frequency", "sine.frequency is 0 1/s; it must be positive"},
    {SERIES, "\"s\": {\"sine\": {\"amplitude\": 1, \"frequency\": 1, \"phse\": 0}}", 5,
     "series.s.sine.phse", "did you mean \"phase\"?"},
    {SERIES, "\"s\": {\"ramp\": {\"to\": 1}}", 5, "series.s.ramp", "needs the key \"end\""},
    {SERIES, "\"s\": {\"ramp\": {\"to\": 1, \"start\": 2, \"end\": 2}}", 5, "series.s.ramp.end",
     "it must be after ramp.start, 2 s"},
    {SERIES, "\"s\": {\"ramp\": {\"to\": \"1 m\", \"end\": 2}}", 5, "series.s.ramp.to",
     "it must be a number"},
    {SERIES, "\"s\": {\"pulse\": {\"high\": 1}}", 5, "series.s.pulse", "needs the key \"width\""},
    {SERIES, "\"s\": {\"pulse\": {\"high\": 1, \"width\": 0}}", 5, "series.s.pulse.width",
     "give it a width or a rise"},
    {SERIES, "\"s\": {\"pulse\": {\"high\": 1, \"width\": -1}}", 5, "series.s.pulse.width",
     "pulse.width is -1 s"},
    {SERIES, "\"s\": {\"pulse\": {\"high\": 1, \"width\": 1, \"rise\": -1}}", 5,
     "series.s.pulse.rise", "pulse.rise is -1 s"},
    {SERIES, "\"s\": {\"pulse\": {\"high\": 1, \"width\": 1, \"rise\": 0.5, \"period\": 1.5}}", 5,
     "series.s.pulse.period", "it must be 0 or at least 2 s"},
};

static void every_mistake_is_told_with_line_place_and_reason(void) {
    check_mistakes(mistakes, (int)(sizeof mistakes / sizeof mistakes[0]));
}

TEST_MAIN("misuse/scene_part", TEST(every_mistake_is_told_with_line_place_and_reason))

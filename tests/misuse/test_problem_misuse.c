// test_problem_misuse.c - every mistake in a problem file gets its line, its place and a reason.
#include "support/test.h"

#include "cairn/problem.h"
#include "io/text/file.h"
#include <stdio.h>
#include <unistd.h>

typedef enum Place { FILE_KEYS, BODY, BLOCK, ROW, RESPONSE } Place;

// %s is on line 2 of the file, on line 3 as a body, on line 4 as a block, on line 5 as a row;
// behind blocks of two rows without bodies it is on line 3.
static const char* const templates[] = {
    [FILE_KEYS] = "{\n%s}",
    [BODY] = "{\"cairn_problem\": 1, \"blocks\": [],\n\"bodies\": [{\"inverse_mass\": 1},\n%s]}",
    [BLOCK] =
        "{\"cairn_problem\": 1,\n\"bodies\": [{\"inverse_mass\": 1}, {\"inverse_mass\": 2}],\n"
        "\"blocks\": [\n%s]}",
    [ROW] = "{\"cairn_problem\": 1,\n\"bodies\": [{\"inverse_mass\": 1}],\n\"blocks\": [\n"
            "{\"law\": \"bounds\", \"bodies\": [\"world\", 0], \"rows\": [\n%s]}]}",
    [RESPONSE] = "{\"cairn_problem\": 1, \"bodies\": [],\n\"blocks\": [{\"law\": \"bounds\", "
                 "\"bodies\": [-1, -1], \"rows\": [{}, {}]}],\n%s}",
};

typedef struct Mistake {
    Place place;
    const char* text;
    int line;
    const char* path;
    const char* words;
} Mistake;

#define ROW_B "{\"jacobian_b\": [0, 0, 1, 0, 0, 0]}"
#define ROWS "\"rows\": [" ROW_B "]"
#define THREE_ROWS "\"rows\": [" ROW_B ", " ROW_B ", " ROW_B "]"
#define WORLD "\"bodies\": [\"world\", 0], "

#define MATRIX(name, start, column, value)                                                         \
    "\"" name "\": {\"start\": " start ", \"column\": " column ", \"value\": " value "}"

#define IDENTITY(name) MATRIX(name, "[0, 1, 2]", "[0, 1]", "[1, 1]")
#define MASSES(velocity, mass, jacobian)                                                           \
    "\"masses\": {\"free_velocity\": " velocity ", " mass ", " jacobian "}"

static const Mistake mistakes[] = {
    {FILE_KEYS, "", 1, "", "a problem file needs the key \"cairn_problem\""},
    {FILE_KEYS, "\"cairn_problem\": 1, \"bodies\": []", 1, "", "needs the key \"blocks\""},
    {FILE_KEYS, "\"cairn_problem\": 1, \"blocks\": []", 1, "", "needs the key \"bodies\""},
    {FILE_KEYS, "\"cairn_problem\": 2, \"bodies\": [], \"blocks\": []", 2, "cairn_problem",
     "cairn_problem is 2; this version reads format 1"},
    {FILE_KEYS, "\"cairn_problem\": \"1\", \"bodies\": [], \"blocks\": []", 2, "cairn_problem",
     "it must be a whole number"},
    {FILE_KEYS, "\"cairn_problem\": 1, \"bodys\": [], \"bodies\": [], \"blocks\": []", 2, "bodys",
     "did you mean \"bodies\"?"},
    {FILE_KEYS, "\"cairn_problem\": 1, \"bodies\": {}, \"blocks\": []", 2, "bodies",
     "bodies is an object; it must be an array of bodies"},
    {FILE_KEYS, "\"cairn_problem\": 1, \"bodies\": [], \"blocks\": 1000000000", 2, "blocks",
     "blocks is a number; it must be an array of blocks"},
    {FILE_KEYS, "\"cairn\": 1, \"cairn_problem\": 1, \"bodies\": [], \"blocks\": []", 2, "cairn",
     "unknown key \"cairn\"; a problem file has cairn_problem, bodies, blocks"},

    {BODY, "3", 3, "bodies[1]", "it must be an object"},
    {BODY, "{}", 3, "bodies[1]", "a body needs the key \"inverse_mass\""},
    {BODY, "{\"inverse_mas\": 1, \"inverse_mass\": 1}", 3, "bodies[1].inverse_mas", "did you mean"},
    {BODY, "{\"mass\": 1, \"inverse_mass\": 1}", 3, "bodies[1].mass", "a body has inverse_mass"},
    {BODY, "{\"inverse_mass\": \"1\"}", 3, "bodies[1].inverse_mass", "a number, in 1/kg"},
    {BODY, "{\"inverse_mass\": -1}", 3, "bodies[1]", "inverse_mass is -1 1/kg"},
    {BODY, "{\"inverse_mass\": 1,\n\"inverse_inertia\": [1, 2, 3]}", 4, "bodies[1].inverse_inertia",
     "one number, 6 (xx yy zz xy xz yz) or 9"},
    {BODY, "{\"inverse_mass\": 1, \"inverse_inertia\": [1, 2, 3, 0, 0, \"0\"]}", 3,
     "bodies[1].inverse_inertia[5]", "string"},
    {BODY, "{\"inverse_mass\": 1, \"inverse_inertia\": [1, 1, 0, 0, 1, 0, 0, 0, 1]}", 3,
     "bodies[1]", "inverse_inertia is not symmetric"},
    {BODY, "{\"inverse_mass\": 1, \"inverse_inertia\": -2}", 3, "bodies[1]", "negative eigenvalue"},
    {BODY, "{\"inverse_mass\": 1, \"inverse_inertia\": [1, 1, 1, 2, 0, 0]}", 3, "bodies[1]",
     "negative eigenvalue"},
    {BODY, "{\"inverse_mass\": 1, \"free_velocity\": [0, 0, 0]}", 3, "bodies[1].free_velocity",
     "free_velocity has length 3; it must be an array of 6 numbers"},
    {BODY, "{\"inverse_mass\": 1, \"inverse_mass\": 1}", 3, "bodies[1]", "is given twice"},
    {BODY, "{\"inverse_mass\": Infinity}", 3, "bodies[1].inverse_mass", "must be finite"},
    {BODY, "{\"inverse_mass\": \"inf\"}", 3, "bodies[1].inverse_mass", "it must be a number"},

    {BLOCK, "[]", 4, "blocks[0]", "it must be an object"},
    {BLOCK, "{" WORLD ROWS "}", 4, "blocks[0]", "a block needs the key \"law\""},
    {BLOCK, "{\"law\": \"equality\", " ROWS "}", 4, "blocks[0]", "needs the key \"bodies\""},
    {BLOCK, "{\"law\": \"equality\", \"bodies\": [0, 1]}", 4, "blocks[0]",
     "needs the key \"rows\""},
    {BLOCK, "{\"law\": \"equal\", " WORLD ROWS "}", 4, "blocks[0].law",
     "unknown law \"equal\"; this version has equality, bounds, coulomb, force"},
    {BLOCK, "{\"law\": \"columb\", " WORLD ROWS "}", 4, "blocks[0].law",
     "did you mean \"coulomb\"?"},
    {BLOCK, "{\"law\": \"equality\", \"bodies\": [0], " ROWS "}", 4, "blocks[0].bodies",
     "an array of two bodies"},
    {BLOCK, "{\"law\": \"equality\", \"bodies\": 0, " ROWS "}", 4, "blocks[0].bodies",
     "two bodies"},
    {BLOCK, "{\"law\": \"equality\", \"bodies\": [0, 2], " ROWS "}", 4, "blocks[0].bodies[1]",
     "there is no body 2; the 2 bodies count from 0"},
    {BLOCK, "{\"law\": \"equality\", \"bodies\": [-2, 1], " ROWS "}", 4, "blocks[0].bodies[0]",
     "there is no body -2"},
    {BLOCK, "{\"law\": \"equality\", \"bodies\": [0, 0.5], " ROWS "}", 4, "blocks[0].bodies[1]",
     "there is no body 0.5"},
    {BLOCK, "{\"law\": \"equality\", \"bodies\": [0, 1e300], " ROWS "}", 4, "blocks[0].bodies[1]",
     "there is no body 1e+300"},
    {BLOCK, "{\"law\": \"equality\", \"bodies\": [\"ground\", 1], " ROWS "}", 4,
     "blocks[0].bodies[0]", "-1 or \"world\" for the immovable world"},
    {BLOCK, "{\"law\": \"equality\", \"bodies\": [1, 1], " ROWS "}", 4, "blocks[0]",
     "both its bodies"},
    {BLOCK, "{\"law\": \"equality\", \"bodies\": [-1, \"world\"], " ROWS "}", 4, "blocks[0]",
     "both its bodies are -1"},
    {BLOCK, "{\"law\": \"equality\", " WORLD "\"rows\": []}", 4, "blocks[0].rows", "1 to 6 rows"},
    {BLOCK, "{\"law\": \"equality\", " WORLD "\"rows\": [{}, {}, {}, {}, {}, {}, {}]}", 4,
     "blocks[0].rows", "1 to 6 rows"},
    {BLOCK, "{\"law\": \"equality\", " WORLD "\"rows\": 3}", 4, "blocks[0].rows", "1 to 6 rows"},
    {BLOCK, "{\"law\": \"coulomb\", " WORLD ROWS "}", 4, "blocks[0]", "a contact has 2 to 6"},
    {BLOCK, "{\"law\": \"coulomb\", \"friction\": -0.1, " WORLD THREE_ROWS "}", 4, "blocks[0]",
     "friction is -0.1"},
    {BLOCK, "{\"law\": \"coulomb\", \"friction\": true, " WORLD THREE_ROWS "}", 4,
     "blocks[0].friction", "it must be a number"},
    {BLOCK, "{\"law\": \"equality\", \"key\": -1, " WORLD ROWS "}", 4, "blocks[0].key",
     "0 to 2^53"},
    {BLOCK, "{\"law\": \"equality\", \"key\": 1e17, " WORLD ROWS "}", 4, "blocks[0].key",
     "0 to 2^53"},
    {BLOCK, "{\"law\": \"equality\", \"key\": \"12\", " WORLD ROWS "}", 4, "blocks[0].key",
     "\"0x\""},
    {BLOCK, "{\"law\": \"equality\", \"key\": \"0x\", " WORLD ROWS "}", 4, "blocks[0].key",
     "\"0x\""},
    {BLOCK, "{\"law\": \"equality\", \"key\": \"0x12345678123456789\", " WORLD ROWS "}", 4,
     "blocks[0].key", "up to 16 hexadecimal digits"},
    {BLOCK, "{\"law\": \"equality\", \"name\": 3, " WORLD ROWS "}", 4, "blocks[0].name",
     "a string"},
    {BLOCK, "{\"law\": \"equality\", " WORLD "\"rows\": [{}]}", 4, "blocks[0]",
     "no impulse of its rows moves anything"},

    {ROW, "[0]", 5, "blocks[0].rows[0]", "it must be an object"},
    {ROW, "{\"jacobian\": [0, 0, 1, 0, 0, 0]}", 5, "blocks[0].rows[0].jacobian",
     "did you mean \"jacobian_a\"?"},
    {ROW, "{\"jacobian_b\": [0, 0, 1]}", 5, "blocks[0].rows[0].jacobian_b", "has length 3"},
    {ROW, "{\"jacobian_b\": 1}", 5, "blocks[0].rows[0].jacobian_b", "an array of 6 numbers"},
    {ROW, "{\"jacobian_a\": [0, 0, 1, 0, 0, 0], \"jacobian_b\": [0, 0, 1, 0, 0, 0]}", 4,
     "blocks[0]", "body_a is the world; it must be 0"},
    {ROW, "{\"jacobian_b\": [0, 0, 1, 0, 0, 0], \"compliance\": -1}", 4, "blocks[0]",
     "compliance of row 0 is -1"},
    {ROW, "{\"jacobian_b\": [0, 0, 1, 0, 0, 0], \"lower\": 2, \"upper\": 1}", 4, "blocks[0]",
     "no impulse lies between lower 2 and upper 1"},
    {ROW, "{\"jacobian_b\": [0, 0, 1, 0, 0, 0], \"lower\": \"inf\"}", 4, "blocks[0]", "no impulse"},
    {ROW, "{\"jacobian_b\": [0, 0, 1, 0, 0, 0], \"upper\": \"infinity\"}", 5,
     "blocks[0].rows[0].upper", "it must be a number, \"inf\" or \"-inf\""},
    {ROW, "{\"jacobian_b\": [0, 0, 1, 0, 0, 0], \"target\": \"1 m/s\"}", 5,
     "blocks[0].rows[0].target", "in m/s, written without the unit"},
    {ROW, "{\"jacobian_b\": [0, 0, 1, 0, 0, 0],\n\"target\": NaN}", 6, "blocks[0].rows[0].target",
     "every number must be finite"},
    {ROW, "{\"jacobian_b\": [0, 0, 1e200, 0, 0, 0]}", 4, "blocks[0]", "too large"},

    {RESPONSE, "\"response\": 3", 3, "response", "it must be an object"},
    {RESPONSE, "\"response\": {\"start\": [0, 1, 2], \"column\": [0, 1]}", 3, "response",
     "needs the key \"value\""},
    {RESPONSE, MATRIX("response", "[0, 1]", "[0, 1]", "[1, 1]"), 3, "response.start",
     "has length 2"},
    {RESPONSE, MATRIX("response", "[0, 1, 3]", "[0, 1]", "[1, 1]"), 3, "response.start",
     "entry 2 is 3; starts must ascend from 0 to the 2 entries"},
    {RESPONSE, MATRIX("response", "[0, 2, 1]", "[0, 1]", "[1, 1]"), 3, "response.start",
     "entry 2 is 1"},
    {RESPONSE, MATRIX("response", "[1, 1, 2]", "[0, 1]", "[1, 1]"), 3, "response.start",
     "entry 0 is 1"},
    {RESPONSE, MATRIX("response", "[0, 1, 2]", "[0, 0.5]", "[1, 1]"), 3, "response.column",
     "entry 1 is 0.5; it must be an index"},
    {RESPONSE, MATRIX("response", "[0, 1, 2]", "[0, -1]", "[1, 1]"), 3, "response.column",
     "entry 1 is -1; it must be an index"},
    {RESPONSE, MATRIX("response", "[0, 1, 2]", "[0, 2]", "[1, 1]"), 2, "blocks",
     "response: row 1 has column 2 after -1"},
    {RESPONSE, MATRIX("response", "[0, 2, 2]", "[1, 0]", "[1, 1]"), 2, "blocks",
     "response: row 0 has column 0 after 1"},
    {RESPONSE, MATRIX("response", "[0, 1, 2]", "[0, 1]", "[1]"), 3, "response.value",
     "has length 1"},

    {RESPONSE, "\"masses\": []", 3, "masses", "it must be an object"},
    {RESPONSE, "\"masses\": {\"free_velocity\": [0]}", 3, "masses", "needs the key \"mass\""},
    {RESPONSE, MASSES("0", IDENTITY("mass"), IDENTITY("jacobian")), 3, "masses.free_velocity",
     "an array"},
    {RESPONSE, MASSES("[0]", IDENTITY("mass"), IDENTITY("jacobian")), 3, "masses.mass.start",
     "has length 3"},
    {RESPONSE,
     MASSES("[0, 0]", MATRIX("mass", "[0, 1, 2]", "[0, 0]", "[1, 1]"), IDENTITY("jacobian")), 3,
     "masses", "mass is singular (coordinate 0 and those tied to it)"},
    {RESPONSE,
     MASSES("[0, 0]", MATRIX("mass", "[0, 1, 2]", "[0, 2]", "[1, 1]"), IDENTITY("jacobian")), 3,
     "masses", "mass: row 1 has column 2 after -1; columns must ascend and be below 2"},
    {RESPONSE,
     MASSES("[0, 0]", IDENTITY("mass"), MATRIX("jacobian", "[0, 1, 2]", "[0, 2]", "[1, 1]")), 3,
     "masses", "jacobian: row 1 has column 2 after -1; columns must ascend and be below 2"},
    {RESPONSE, MASSES("[0, 0]", IDENTITY("mass"), MATRIX("jacobian", "[0, 0, 0]", "[]", "[]")), 2,
     "blocks[0]", "no impulse of its rows moves anything"},
    {RESPONSE,
     MASSES("[0, 0]", IDENTITY("mass"), MATRIX("jacobian", "[0, 1, 2]", "[0, 1]", "[1, NaN]")), 3,
     "masses.jacobian.value", "every number must be finite"},
    {RESPONSE, IDENTITY("response") ", " MASSES("[0, 0]", IDENTITY("mass"), IDENTITY("jacobian")),
     2, "blocks", "a problem has either masses or a response"},
};

static void every_mistake_is_told_with_line_place_and_reason(void) {
    char path[300];
    snprintf(path, sizeof path, "%s/misuse_%ld.json", TEST_BINARY_DIR, (long)getpid());
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; ++i) {
        const Mistake* m = &mistakes[i];
        const char* hole = strstr(templates[m->place], "%s");
        char text[2048], start[400];
        snprintf(text, sizeof text, "%.*s%s%s", (int)(hole - templates[m->place]),
                 templates[m->place], m->text, hole + 2);
        CHECK_INT(cn_file_write(path, text, strlen(text), NULL), CN_OK);
        CnError error;
        ck_assert_msg(cn_problem_load(path, &error) == NULL, "%s was accepted", m->text);
        snprintf(start, sizeof start, "%s:%d: %s%s", path, m->line, m->path,
                 m->path[0] != 0 ? ": " : "");
        ck_assert_msg(strncmp(error.message, start, strlen(start)) == 0,
                      "%s\n  gave     \"%s\"\n  expected \"%s\"", m->text, error.message, start);
        ck_assert_msg(strstr(error.message, m->words) != NULL, "%s\n  gave \"%s\"", m->text,
                      error.message);
        CHECK_INT(error.status, CN_INVALID);
    }
    unlink(path);
}

static void files_that_cannot_be_read_are_told(void) {
    CnError error;
    CHECK(cn_problem_load("no/such/problem.json", &error) == NULL);
    CHECK_STRING(error.message, "no/such/problem.json: cannot be read: No such file or directory");
    CHECK(cn_problem_load(TEST_BINARY_DIR, &error) == NULL);
    CHECK_CONTAINS(error.message, "cannot be read: Is a directory");
    CHECK(cn_problem_load("/dev/null", &error) == NULL);
    CHECK_STRING(error.message, "/dev/null:1: the file is empty");
    CHECK(cn_problem_load("no/such/problem.json", NULL) == NULL); // nobody listens
}

TEST_MAIN("misuse/problem", TEST(every_mistake_is_told_with_line_place_and_reason),
          TEST(files_that_cannot_be_read_are_told))

// test_hostile_files.c - no bytes, however made, crash a loader or make it accept half a file.
#include "support/test.h"

#include "cairn/random.h"
#include "cairn/scene.h"
#include "io/text/file.h"
#include <stdio.h>
#include <unistd.h>

static const char scene_text[] =
    "{\"cairn\": 1, \"name\": \"caf\\u00e9 \\ud83d\\ude00\", \"gravity\": [0, 0, -9.81e0],\n"
    "\"step\": {\"dt\": 0.001, \"scheme\": \"moreau\"}, \"solver\": {\"warm_start\": true},\n"
    "\"materials\": {\"stone\": {\"friction\": 0.5}, \"ice\": {}},\n"
    "\"material_pairs\": [{\"materials\": [\"stone\", \"ice\"], \"friction\": 0.1}],\n"
    "\"series\": {\"s\": {\"times\": [0, 1], \"values\": [0, 1]}},\n"
    "\"bodies\": [{\"name\": \"g\", \"type\": \"static\", \"shapes\": [{\"type\": \"plane\"}]},\n"
    "{\"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1], \"rotation\": [1, 0, 0, 0]}],\n"
    "\"contacts\": [{\"bodies\": [\"g\", \"b\"], \"point\": [0, 0, 0], \"normal\": [0, 0, 1],\n"
    "\"materials\": [null, \"ice\"]}], \"constraints\": [{\"kind\": \"pin\", \"body\": \"b\",\n"
    "\"point_a\": [0, 0, 0]}], \"forces\": [{\"body\": \"b\", \"torque\": [0, 0, 1],\n"
    "\"series\": \"s\"}], \"collide\": {\"exclude\": [[\"g\", \"b\"]]}}";

static const char problem_text[] =
    "{\"cairn_problem\": 1, \"bodies\": [{\"inverse_mass\": 1, \"inverse_inertia\": 1}],\n"
    "\"blocks\": [{\"name\": \"x\", \"law\": \"bounds\", \"bodies\": [\"world\", 0],\n"
    "\"key\": \"0xff\", \"rows\": [{\"jacobian_b\": [0, 0, 1, 0, 0, 0], \"upper\": \"inf\"}]}]}";

static bool scene_loads(const char* text, size_t length) {
    CnError error = {.status = CN_OK};
    CnScene* scene = cn_scene_parse(text, length, "hostile", &error);
    bool loads = scene != NULL;
    CHECK(loads == (error.status == CN_OK));
    CHECK(loads == (error.message[0] == 0));
    cn_scene_destroy(scene);
    return loads;
}

static bool problem_loads(const char* text, size_t length) {
    char path[300];
    CnError error = {.status = CN_OK};
    snprintf(path, sizeof path, "%s/hostile_%ld.json", TEST_BINARY_DIR, (long)getpid());
    CHECK_INT(cn_file_write(path, text, length, NULL), CN_OK);
    CnOwnedProblem* problem = cn_problem_load(path, &error);
    bool loads = problem != NULL;
    CHECK(loads == (error.status == CN_OK));
    cn_owned_problem_destroy(problem);
    unlink(path);
    return loads;
}

static void a_scene_cut_short_at_any_byte_is_refused(void) {
    size_t length = sizeof scene_text - 1;
    CHECK(scene_loads(scene_text, length));
    for (size_t i = 0; i < length; ++i) {
        ck_assert_msg(!scene_loads(scene_text, i), "accepted after %zu bytes", i);
    }
}

static void a_problem_cut_short_at_any_byte_is_refused(void) {
    size_t length = sizeof problem_text - 1;
    CHECK(problem_loads(problem_text, length));
    for (size_t i = 0; i < length; ++i) {
        ck_assert_msg(!problem_loads(problem_text, i), "accepted after %zu bytes", i);
    }
}

static void a_scene_missing_any_one_byte_does_no_harm(void) {
    char text[sizeof scene_text];
    for (size_t i = 0; i + 1 < sizeof scene_text; ++i) {
        memcpy(text, scene_text, i);
        memcpy(text + i, scene_text + i + 1, sizeof scene_text - i - 1);
        scene_loads(text, sizeof scene_text - 2); // a space less is fine; it must not crash
    }
}

// Bytes changed at random places, from a fixed seed.
static void changed_bytes_do_no_harm(void) {
    CnRandom random = {3};
    char text[sizeof scene_text];
    for (int round = 0; round < 20000; ++round) {
        memcpy(text, scene_text, sizeof text);
        for (uint64_t i = cn_random_next(&random) % 4; i < 4; ++i) {
            size_t place = cn_random_next(&random) % (sizeof text - 1);
            text[place] = (char)cn_random_next(&random);
        }
        scene_loads(text, sizeof text - 1);
    }
}

// Tokens of the format in random order: deeper into the loader than random bytes get.
static void shuffled_tokens_do_no_harm(void) {
    static const char* const tokens[] = {
        "{",          "}",        "[",          "]",         ",",          ":",         "1",
        "-1e300",     "0.5",      "null",       "true",      "\"bodies\"", "\"b\"",     "\"mass\"",
        "\"shapes\"", "\"type\"", "\"sphere\"", "\"cairn\"", "\"world\"",  "\"series\""};
    enum { TOKENS = sizeof tokens / sizeof tokens[0] };
    CnRandom random = {5};
    for (int round = 0; round < 20000; ++round) {
        char text[600] = "{\"cairn\": 1, \"bodies\": [{";
        size_t used = strlen(text);
        for (int i = 0; i < 40; ++i) {
            const char* token = tokens[cn_random_next(&random) % TOKENS];
            used += (size_t)snprintf(text + used, sizeof text - used, "%s", token);
        }
        scene_loads(text, used);
    }
}

static void garbage_is_refused(void) {
    static char noise[10000];
    CnRandom random = {9};
    for (int round = 0; round < 200; ++round) {
        for (size_t i = 0; i < sizeof noise; ++i) {
            noise[i] = (char)cn_random_next(&random);
        }
        CHECK(!scene_loads(noise, sizeof noise));
    }
    memset(noise, 0, sizeof noise);
    CHECK(!scene_loads(noise, sizeof noise));
    CHECK(!scene_loads("\x7f"
                       "ELF\x02\x01\x01",
                       7));
    CHECK(!scene_loads("\xff\xfe{\0}\0", 6)); // UTF-16
    CHECK(!scene_loads("", 0));
}

static void bombs_of_brackets_are_refused(void) {
    enum { BRACKETS = 100000 };
    static char bomb[2 * BRACKETS];
    static const char* const openings[] = {"[", "{\"a\":", "[{\"a\":"};
    for (int kind = 0; kind < 3; ++kind) {
        size_t piece = strlen(openings[kind]), used = 0;
        for (; used + piece <= BRACKETS; used += piece) {
            memcpy(bomb + used, openings[kind], piece);
        }
        CHECK(!scene_loads(bomb, used));
    }
}

static void a_string_of_a_million_letters_is_only_shown_in_part(void) {
    enum { LETTERS = 1000000 };
    static char text[LETTERS + 64];
    CnError error;
    size_t used = (size_t)snprintf(text, sizeof text, "{\"cairn\": 1,\n\"");
    for (int i = 0; i < LETTERS / 2; ++i) { // two bytes each: a cut may fall inside one
        memcpy(text + used, "\xc3\xa9", 2);
        used += 2;
    }
    used += (size_t)snprintf(text + used, sizeof text - used, "\": 1}");
    CHECK(cn_scene_parse(text, used, "s.json", &error) == NULL);
    CHECK_CONTAINS(error.message, "s.json:2: ");
    CHECK_CONTAINS(error.message, "unknown key \"");
    CHECK_CONTAINS(error.message, "...\"");
}

static void many_bodies_with_mistakes_are_counted_in_time(void) {
    enum { BODIES = 200000 };
    char* text = malloc(BODIES * 16 + 64);
    size_t used = (size_t)sprintf(text, "{\"cairn\": 1, \"bodies\": [{}");
    for (int i = 0; i < BODIES; ++i) {
        used += (size_t)sprintf(text + used, ",\n{\"x\": 1}");
    }
    used += (size_t)sprintf(text + used, "]}");
    CHECK(!scene_loads(text, used));
    free(text);
}

static void files_that_are_no_files_are_refused(void) {
    CnError error;
    CHECK(cn_scene_open("no/such/scene.json", &error) == NULL);
    CHECK_STRING(error.message, "no/such/scene.json: cannot be read: No such file or directory");
    CHECK_INT(error.status, CN_INVALID);
    CHECK(cn_scene_open(TEST_BINARY_DIR, &error) == NULL);
    CHECK_CONTAINS(error.message, ": cannot be read: Is a directory");
    CHECK(cn_scene_open("", &error) == NULL);
    CHECK_CONTAINS(error.message, "cannot be read");
    CHECK(cn_scene_open("/dev/null", &error) == NULL);
    CHECK_STRING(error.message, "/dev/null:1: the file is empty");
    CHECK(cn_scene_open("no/such/scene.json", NULL) == NULL);
}

TEST_MAIN("misuse/hostile_files", TEST(a_scene_cut_short_at_any_byte_is_refused),
          TEST(a_problem_cut_short_at_any_byte_is_refused),
          TEST(a_scene_missing_any_one_byte_does_no_harm), TEST(changed_bytes_do_no_harm),
          TEST(shuffled_tokens_do_no_harm), TEST(garbage_is_refused),
          TEST(bombs_of_brackets_are_refused),
          TEST(a_string_of_a_million_letters_is_only_shown_in_part),
          TEST(many_bodies_with_mistakes_are_counted_in_time),
          TEST(files_that_are_no_files_are_refused))

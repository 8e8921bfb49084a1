// test_series_file.c - series are read from plain text, or refused by line.
#include "support/failing_allocator.h"
#include "support/test.h"

#include "cairn/scene.h"
#include "io/text/file.h"
#include "io/text/series_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const CnAllocator plain = {0};

static void lines_may_be_written_in_many_ways(void) {
    static const char* const texts[] = {
        "1 2\n3 4\n",
        "1,2\n3,4",
        "time,value\n1\t2\n3\t4",
        "# a series\n\n t [s]  x [m] # words\r\n 1 , 2\r\n\r\n3 ,4 # the last",
        "+1 2.0\r3e0 .4e1\r",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        CnSeriesDef def;
        CnError error;
        CnStatus status = cn_series_parse(texts[i], strlen(texts[i]), "s", &plain, &def, &error);
        ck_assert_msg(status == CN_OK, "%s", error.message);
        CHECK_INT(def.count, 2);
        for (int k = 0; k < 2; ++k) {
            CHECK_NEAR(def.times[k], 1 + 2 * k, 0.0);
            CHECK_NEAR(def.values[k], 2 + 2 * k, 0.0);
        }
        cn_series_release(&def, &plain);
    }
}

static void every_mistake_is_told_with_its_line(void) {
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"", "s: holds no samples"},
        {"# nothing\n\n", "s: holds no samples"},
        {"words\n", "s: holds no samples"},
        {"words\nmore\n", "s:2: \"more\" is not a time; expected a finite decimal number"},
        {"0 0\nt x\n", "s:2: \"t\" is not a time; expected a finite decimal number"},
        {"0 0\n1\n", "s:2: the value is missing; a line has a time and a value"},
        {"0 0\n1,\n", "s:2: the value is missing; a line has a time and a value"},
        {"0 0\n,1\n", "s:2: the time is missing; a line has a time and a value"},
        {"0 0\n1 2 3\n", "s:2: a line has a time and a value; this one has more"},
        {"0 0\n1,2,\n", "s:2: a line has a time and a value; this one has more"},
        {"0 0\n1 2m\n", "s:2: \"2m\" is not a value; expected a finite decimal number"},
        {"NaN 0\n1 0\n", "s:1: \"NaN\" is not a time; expected a finite decimal number"},
        {"inf 0\n1 0\n", "s:1: \"inf\" is not a time; expected a finite decimal number"},
        {"0 nan\n", "s:1: \"nan\" is not a value; expected a finite decimal number"},
        {"0 inf\n", "s:1: \"inf\" is not a value; expected a finite decimal number"},
        {"0 1e999\n", "s:1: \"1e999\" is not a value; expected a finite decimal number"},
        {"0 0x10\n", "s:1: \"0x10\" is not a value; expected a finite decimal number"},
        {"0x1 0\n", "s:1: \"0x1\" is not a time; expected a finite decimal number"},
        {"0 0\n\n1 0\n1 0\n",
         "s:4: the time is 1 s; it must be larger than the one before it, 1 s"},
        {"0 0\n-1 0\n", "s:2: the time is -1 s; it must be larger than the one before it, 0 s"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        CnSeriesDef def;
        CnError error;
        CHECK_INT(cn_series_parse(rows[i].text, strlen(rows[i].text), "s", &plain, &def, &error),
                  CN_INVALID);
        CHECK_STRING(error.message, rows[i].message);
        CHECK_INT(def.count, 0);
    }
    CnSeriesDef def;
    CnError error;
    CHECK_INT(cn_series_parse("0 0\n\0 1", 7, "s", &plain, &def, &error), CN_INVALID);
    CHECK_STRING(error.message, "s: is not plain text: it holds null characters");
}

// Reading is linear: a million lines take a fraction of a second. Ten are allowed, which something
// quadratic would need for a thousandth of them.
static void a_million_lines_are_read_in_seconds(void) {
    const int count = 1000000;
    const size_t room = 32; // bytes to a line
    char* text = malloc((size_t)count * room + 1);
    size_t length = 0;
    CHECK(text != NULL);
    for (int i = 0; i < count; ++i) {
        length += (size_t)snprintf(text + length, room, "%d.5 %d\n", i, i % 7);
    }
    CnSeriesDef def;
    CnError error;
    clock_t start = clock();
    CnStatus status = cn_series_parse(text, length, "s", &plain, &def, &error);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    ck_assert_msg(status == CN_OK, "%s", error.message);
    CHECK_INT(def.count, count);
    CHECK_NEAR(def.times[count - 1], count - 0.5, 0.0);
    CHECK(seconds < 10.0);
    cn_series_release(&def, &plain);
    free(text);
}

static void memory_that_runs_out_is_told(void) {
    static const char text[] = "0 0\n1 1\n2 2\n3 3\n4 4\n5 5\n6 6\n7 7\n8 8\n9 9\n";
    CnStatus status = CN_NO_MEMORY;
    for (int refused = 1; status != CN_OK; ++refused) {
        FailingAllocator failing = {.refuse_at = refused};
        CnAllocator allocator = failing_allocator(&failing);
        CnSeriesDef def;
        CnError error;
        status = cn_series_parse(text, sizeof text - 1, "s", &allocator, &def, &error);
        CHECK(status == CN_NO_MEMORY || (status == CN_OK && failing.requests < refused));
        cn_series_release(&def, &allocator);
        CHECK_INT(failing.live, 0);
    }
}

static void a_scene_finds_its_series_from_its_own_folder(void) {
    char folder[200], path[300];
    CnError error;
    static const char scene_text[] =
        "{\"cairn\": 1, \"series\": {\"s\": {\n\"file\": \"s.txt\"}}, \"bodies\": ["
        "{\"name\": \"a\", \"mass\": 1, \"inertia\": [1, 1, 1]}], \"joints\": [{\"type\":"
        " \"set_displacement\", \"body\": \"a\", \"point\": [0, 0, 0], \"axis\": [1, 0, 0],"
        " \"series\": \"s\"}]}";
    snprintf(folder, sizeof folder, "%s/series.XXXXXX", TEST_BINARY_DIR);
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/s.txt", folder);
    CHECK_INT(cn_file_write(path, "0 0\n1 2\n", 8, NULL), CN_OK);
    CnSeriesDef def;
    CHECK_INT(cn_series_load(path, &def, &error), CN_OK);
    CHECK_INT(def.count, 2);
    cn_series_free(&def);
    snprintf(path, sizeof path, "%s/scene.json", folder);
    CHECK_INT(cn_file_write(path, scene_text, sizeof scene_text - 1, NULL), CN_OK);
    CnScene* scene = cn_scene_open(path, &error);
    ck_assert_msg(scene != NULL, "%s", error.message);
    CnWorld* world = cn_scene_build(scene, NULL, &error);
    CHECK(world != NULL);
    cn_scene_destroy(scene);
    for (int i = 0; i < 100; ++i) {
        CHECK_INT(cn_world_step(world, 0.001, NULL, NULL), CN_OK);
    }
    CnTransform pose;
    CHECK_INT(cn_body_pose(world, cn_world_body_at(world, 0), &pose), CN_OK);
    CHECK_NEAR(pose.position.x, 0.2, 1e-9); // 2 m/s for 0.1 s, within the tolerance of projection
    cn_world_destroy(world);

    snprintf(path, sizeof path, "%s/s.txt", folder);
    CHECK_INT(cn_file_write(path, "0 0\n0 2\n", 8, NULL), CN_OK);
    snprintf(path, sizeof path, "%s/scene.json", folder);
    CHECK(cn_scene_open(path, &error) == NULL);
    CHECK_CONTAINS(error.message, "scene.json:2: series.s.file: ");
    CHECK_CONTAINS(error.message, "s.txt:2: the time is 0 s; it must be larger");
    unlink(path);
    snprintf(path, sizeof path, "%s/s.txt", folder);
    unlink(path);
    rmdir(folder);
}

// Values 0, 2, 2 at 0, 1, 3 s. The integral is t^2 up to 1 s and 1 + 2 (t - 1) from there: 3 at 2
// s; its own integral is 1/3 up to 1 s, and (1 + 3)/2 more from there to 2 s.
static void a_world_reads_its_series(void) {
    const double times[] = {0.0, 1.0, 3.0}, values[] = {0.0, 2.0, 2.0};
    CnWorldDef world_def = cn_world_def_default();
    CnWorld* world = cn_world_create(&world_def, NULL);
    CnSeriesDef def = {.count = 3, .times = times, .values = values};
    CnSeriesId id = cn_world_add_series(world, &def, NULL);
    CnSeriesReading reading;
    CHECK_INT(cn_world_read_series(world, id, 2.0, &reading), CN_OK);
    CHECK_NEAR(reading.value, 2.0, 1e-15);
    CHECK_NEAR(reading.derivative, 0.0, 1e-15);
    CHECK_NEAR(reading.integral, 3.0, 1e-15);
    CHECK_NEAR(reading.second_integral, 1.0 / 3.0 + 2.0, 1e-15);
    CHECK_INT(cn_world_read_series(world, id, 0.5, &reading), CN_OK);
    CHECK_NEAR(reading.derivative, 2.0, 1e-15);
    CHECK_INT(cn_world_read_series(world, id, NAN, &reading), CN_INVALID);
    CHECK_INT(cn_world_read_series(world, (CnSeriesId){0}, 0.0, &reading), CN_STALE);
    cn_world_destroy(world);
}

TEST_MAIN("io/series_file", TEST(lines_may_be_written_in_many_ways),
          TEST(every_mistake_is_told_with_its_line), TEST(a_million_lines_are_read_in_seconds),
          TEST(memory_that_runs_out_is_told), TEST(a_scene_finds_its_series_from_its_own_folder),
          TEST(a_world_reads_its_series))

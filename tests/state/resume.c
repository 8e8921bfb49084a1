// resume.c - runs that are stopped, copied, saved and restored go on with the same bits.
//
//     resume [--stops N] [--after M] [--seed S] [RUN...]
//
// Every golden run, or those named, is made once without a stop. Then it is made again several
// times, with N random stops, and goes on for M steps after its end, so that each stop has at least
// M steps after it. At a stop a clone takes the world's place, or a fresh world of the same scene
// that its state is loaded into; or the world is only cloned or saved, and goes on itself. Every
// step must end with the same hash.
#include "cairn/cairn.h"
#include "golden/runs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct Settings {
    int stops, after;
    uint64_t seed;
} Settings;

// A run that never stopped.
typedef struct Course {
    const GoldenRun* run;
    double dt;        // [s]
    int count;        // steps that succeeded
    uint64_t* hashes; // after each of them   [count]
} Course;

static bool make_course(const Settings* settings, Course* course, CnError* error) {
    CnWorld* world = golden_run_open(course->run, NULL, &course->dt, error);
    int steps = course->run->steps + settings->after;
    course->hashes = calloc((size_t)steps, sizeof *course->hashes);
    if (world == NULL || course->hashes == NULL) {
        return false;
    }
    while (course->count < steps && cn_world_step(world, course->dt, NULL, NULL) == CN_OK) {
        course->hashes[course->count++] = cn_world_hash(world);
    }
    cn_world_destroy(world);
    return true;
}

// A fresh world of the same scene, with the state of this one; NULL: refused.
static CnWorld* load(const Course* course, const CnWorld* world, CnError* error) {
    void* bytes;
    size_t size;
    double dt;
    if (cn_world_save_state_memory(world, &bytes, &size, error) != CN_OK) {
        return NULL;
    }
    CnWorld* fresh = golden_run_open(course->run, NULL, &dt, error);
    if (fresh != NULL && cn_world_load_state_memory(fresh, bytes, size, error) != CN_OK) {
        cn_world_destroy(fresh);
        fresh = NULL;
    }
    cn_world_release_state(world, bytes);
    return fresh;
}

static CnWorld* clone(const Course* course, const CnWorld* world, CnError* error) {
    (void)course;
    return cn_world_clone(world, NULL, error);
}

// What happens to a world at a stop: a copy takes its place.
typedef struct Way {
    const char* name;
    CnWorld* (*copy)(const Course* course, const CnWorld* world, CnError* error);
    bool goes_on; // the copy is dropped: the world itself goes on, and must not have changed
} Way;

static const Way ways[] = {
    {"clone", clone, false},
    {"load", load, false},
    {"cloned world", clone, true},
    {"saved world", load, true},
};
#define WAY_COUNT ((int)(sizeof ways / sizeof ways[0]))

// Replaces a world at a stop. False, with a sentence: there is no copy.
static bool stop(const Course* course, const Way* way, int step, CnWorld** world) {
    CnError error = {0};
    CnWorld* copy = way->copy(course, *world, &error);
    if (copy == NULL) {
        printf("%s: %s after step %d: %s\n", course->run->name, way->name, step, error.message);
        return false;
    }
    cn_world_destroy(way->goes_on ? copy : *world);
    *world = way->goes_on ? *world : copy;
    return true;
}

// Steps are chosen in increasing order: each with the chance that leaves the right number.
static int choose_stops(const Settings* settings, const Course* course, bool* is_stop) {
    CnRandom random = {settings->seed};
    int steps = course->run->steps < course->count ? course->run->steps : course->count;
    int left = settings->stops < steps ? settings->stops : steps, count = left;
    for (int step = 0; step < steps; ++step) {
        is_stop[step] = cn_random_between(&random, 0.0, steps - step) < left;
        left -= is_stop[step];
    }
    return count - left;
}

// Makes the run again with all stops, one way. The hash of every step must be that of the course.
static bool check_way(const Course* course, const Way* way, const bool* is_stop, int last) {
    CnError error = {0};
    double dt;
    CnWorld* world = golden_run_open(course->run, NULL, &dt, &error);
    bool ok = world != NULL;
    for (int step = 0; ok && step < last; ++step) {
        ok = !is_stop[step] || stop(course, way, step, &world);
        if (ok && (cn_world_step(world, dt, NULL, NULL) != CN_OK ||
                   cn_world_hash(world) != course->hashes[step])) {
            printf("%s: %s: step %d has other bits\n", course->run->name, way->name, step + 1);
            ok = false;
        }
    }
    cn_world_destroy(world);
    return ok;
}

// *stops: how many there were. They are the same for all ways.
static bool check_run(const GoldenRun* run, const Settings* settings, int* stops) {
    Course course = {.run = run};
    CnError error = {0};
    bool ok = make_course(settings, &course, &error);
    bool* is_stop = calloc((size_t)course.count + 1, sizeof *is_stop);
    if (!ok || is_stop == NULL) {
        printf("%s: %s\n", run->name, error.message);
    } else {
        *stops = choose_stops(settings, &course, is_stop);
        for (int i = 0; i < WAY_COUNT; ++i) {
            ok = check_way(&course, &ways[i], is_stop, course.count) && ok;
        }
    }
    free(is_stop);
    free(course.hashes);
    return ok && is_stop != NULL;
}

static bool is_chosen(const GoldenRun* run, int argc, char** argv, int first) {
    bool chosen = first == argc;
    for (int i = first; i < argc; ++i) {
        chosen = chosen || strcmp(argv[i], run->name) == 0;
    }
    return chosen;
}

int main(int argc, char** argv) {
    Settings settings = {.stops = 2, .after = 50, .seed = 1};
    int first = 1, runs = 0, total = 0, wrong = 0;
    for (; first + 1 < argc && argv[first][0] == '-'; first += 2) {
        int value = atoi(argv[first + 1]);
        if (strcmp(argv[first], "--stops") == 0) {
            settings.stops = value;
        } else if (strcmp(argv[first], "--after") == 0) {
            settings.after = value;
        } else {
            settings.seed = (uint64_t)value;
        }
    }
    for (int i = 0; i < golden_run_count; ++i) {
        if (is_chosen(&golden_runs[i], argc, argv, first)) {
            int stops = 0;
            bool ok = check_run(&golden_runs[i], &settings, &stops);
            printf("%-32s %3d stops: %s\n", golden_runs[i].name, stops,
                   ok ? "same bits" : "differs");
            fflush(stdout);
            ++runs;
            total += stops;
            wrong += !ok;
        }
    }
    printf("%d stops of %d runs, at least %d steps after each: %d runs differ\n", total, runs,
           settings.after, wrong);
    return total > 0 && wrong == 0 ? 0 : 1;
}

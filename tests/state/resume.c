// resume.c - runs that are stopped, copied, saved and restored go on with the same bits.
//
//     resume [--stops N] [--after M] [--seed S] [RUN...]
//
// Every golden run, or those named, is made once without a stop. Then it is made again; after N
// random steps of it the world is cloned, and saved and loaded into a fresh world of the same
// scene. Both go on for M steps, and each of these must end with the same hash.
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

// How many steps after the stop have the same bits as those of the course; the world goes.
static int follow(const Course* course, CnWorld* world, int stop, int after) {
    int same = 0;
    while (same < after && stop + same < course->count &&
           cn_world_step(world, course->dt, NULL, NULL) == CN_OK &&
           cn_world_hash(world) == course->hashes[stop + same]) {
        ++same;
    }
    cn_world_destroy(world);
    return same;
}

static bool check(const Course* course, CnWorld* world, int stop, int after, const char* what,
                  const CnError* error) {
    int wanted = stop + after < course->count ? after : course->count - stop;
    if (world == NULL) {
        printf("%s: %s after step %d: %s\n", course->run->name, what, stop, error->message);
        return false;
    }
    int same = follow(course, world, stop, after);
    if (same < wanted) {
        printf("%s: %s after step %d: step %d has other bits\n", course->run->name, what, stop,
               stop + same + 1);
    }
    return same == wanted;
}

// A fresh world of the same scene, with the state of this one; NULL: refused.
static CnWorld* restore(const Course* course, const CnWorld* world, CnError* error) {
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

// Steps are chosen in increasing order: each with the chance that leaves the right number.
static bool check_run(const GoldenRun* run, const Settings* settings) {
    Course course = {.run = run};
    CnError error = {0};
    CnRandom random = {settings->seed};
    bool ok = make_course(settings, &course, &error);
    CnWorld* world = ok ? golden_run_open(run, NULL, &course.dt, &error) : NULL;
    if (world == NULL) {
        printf("%s: %s\n", run->name, error.message);
        free(course.hashes);
        return false;
    }
    int left = settings->stops;
    for (int step = 0; step < run->steps && step < course.count && left > 0; ++step) {
        if (cn_random_between(&random, 0.0, run->steps - step) < left) {
            --left;
            CnWorld* clone = cn_world_clone(world, NULL, &error);
            CnWorld* restored = restore(&course, world, &error);
            ok = check(&course, clone, step, settings->after, "clone", &error) && ok;
            ok = check(&course, restored, step, settings->after, "load", &error) && ok;
        }
        cn_world_step(world, course.dt, NULL, NULL);
    }
    cn_world_destroy(world);
    free(course.hashes);
    return ok;
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
    int first = 1, runs = 0, wrong = 0;
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
            ++runs;
            wrong += !check_run(&golden_runs[i], &settings);
            fflush(stdout);
        }
    }
    printf("%d runs, %d stops each, %d steps after: %d differ\n", runs, settings.stops,
           settings.after, wrong);
    return runs > 0 && wrong == 0 ? 0 : 1;
}

// friction.c - frictional contact problems of a folder, by all solvers of Cairn and Siconos.
//
//     bench_friction [FOLDER [TOLERANCE [LIMIT [SOLVER...]]]]
//
// Every solve has a process of its own, so that one that hangs or crashes costs a row and no more;
// LIMIT is in seconds of processor. All answers are graded by Cairn's certificate.
#include "friction.h"
#include "friction_contender.h"

#include "cairn/fclib.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_FILES 512
#define MOST_CONTENDERS 48
#define REPEATS 9  // of solves that are quick; the least time counts on a busy machine
#define QUICK 0.05 // [s]
#define DEFAULT_TOLERANCE 1e-8
#define DEFAULT_LIMIT 8.0 // [s]

// ---- one solve ----

typedef struct Clocks {
    double wall, processor; // [s]
} Clocks;

static double read_clock(clockid_t id) {
    struct timespec now;
    clock_gettime(id, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static Clocks clocks_now(void) {
    return (Clocks){read_clock(CLOCK_MONOTONIC), read_clock(CLOCK_PROCESS_CPUTIME_ID)};
}

// Processor time, which others on the machine do not change; where it only counts some ticks, the
// wall's.
#define MANY_TICKS 0.04 // [s]; ten ticks of 4 ms

static double seconds_since(Clocks start) {
    Clocks now = clocks_now();
    double processor = now.processor - start.processor;
    return processor >= MANY_TICKS ? processor : now.wall - start.wall;
}

// Seconds of processor, but no more than PATIENCE times as many on the wall; the default action of
// either signal ends the process. Zero takes the clock away.
#define PATIENCE 8.0 // machines are busy

static void set_clock(double seconds) {
    static const int kinds[2] = {ITIMER_PROF, ITIMER_REAL};
    for (int i = 0; i < 2; ++i, seconds *= PATIENCE) {
        struct itimerval timer = {.it_value.tv_sec = (time_t)seconds,
                                  .it_value.tv_usec = (suseconds_t)(1e6 * fmod(seconds, 1.0))};
        setitimer(kinds[i], &timer, NULL);
    }
}

static FrictionEnd grade(const CnProblem* problem, double* impulse, double tolerance,
                         FrictionResult* result) {
    CnCertificate certificate;
    CnSolution solution = {impulse, calloc((size_t)problem->body_count + 1, sizeof(double[6]))};
    cn_problem_certify(problem, &solution, NULL, &certificate);
    free(solution.velocity); // only velocities claimed would be held against it
    result->fclib_error = certificate.fclib_error;
    result->scaled_error = certificate.scaled_error;
    if (result->fclib_error > tolerance) {
        return FRICTION_WRONG;
    }
    return result->scaled_error > tolerance ? FRICTION_PLAIN : FRICTION_SOLVED;
}

static void measure_sweeps(const FrictionContender* contender, const CnProblem* problem,
                           void* state, double* impulse, FrictionResult* result) {
    FrictionResult swept = {0};
    result->sweep_seconds = HUGE_VAL;
    for (int i = 0; i < REPEATS; ++i) {
        memset(impulse, 0, (size_t)problem->row_count * sizeof *impulse);
        Clocks started = clocks_now();
        contender->sweep(contender, state, FRICTION_SWEEPS, impulse);
        result->sweep_seconds = fmin(result->sweep_seconds, seconds_since(started));
    }
    grade(problem, impulse, 0.0, &swept);
    result->sweep_error = swept.fclib_error;
}

static FrictionResult measure(const FrictionContender* contender, const CnProblem* problem,
                              double tolerance, double limit) {
    FrictionResult result = {.seconds = HUGE_VAL};
    double* impulse = calloc((size_t)problem->row_count + 1, sizeof *impulse);
    void* state = contender->prepare(contender, problem);
    for (int i = 0; state != NULL && i < REPEATS && (i == 0 || result.seconds < QUICK); ++i) {
        memset(impulse, 0, (size_t)problem->row_count * sizeof *impulse);
        set_clock(limit);
        Clocks started = clocks_now();
        result.iterations = contender->solve(contender, state, tolerance, impulse);
        result.seconds = fmin(result.seconds, seconds_since(started));
        set_clock(0.0);
        result.end =
            result.iterations < 0 ? FRICTION_ABSENT : grade(problem, impulse, tolerance, &result);
    }
    if (state != NULL && contender->sweep != NULL && result.end != FRICTION_ABSENT) {
        measure_sweeps(contender, problem, state, impulse, &result);
    }
    free(impulse);
    return result;
}

static FrictionResult measure_apart(const FrictionContender* contender, const CnProblem* problem,
                                    double tolerance, double limit) {
    FrictionResult result = {.end = FRICTION_CRASHED};
    int ends[2], status;
    fflush(stdout);
    if (pipe(ends) != 0) {
        return result;
    }
    pid_t child = fork();
    if (child == 0) {
        int nowhere = open("/dev/null", O_WRONLY); // some of Siconos' solvers talk
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        FrictionResult found = measure(contender, problem, tolerance, limit);
        _exit(write(ends[1], &found, sizeof found) == sizeof found ? 0 : 1);
    }
    close(ends[1]);
    bool heard = child > 0 && read(ends[0], &result, sizeof result) == sizeof result;
    close(ends[0]);
    if (child > 0) {
        waitpid(child, &status, 0);
        if (!heard && WIFSIGNALED(status) &&
            (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGALRM)) {
            result.end = FRICTION_LATE;
        }
    }
    return result;
}

// ---- the folder ----

typedef struct Collection {
    int count;
    char* names[MOST_FILES];
    int contacts[MOST_FILES];
    CnOwnedProblem* problems[MOST_FILES];
} Collection;

static int compare_names(const void* a, const void* b) {
    return strcmp(*(char* const*)a, *(char* const*)b);
}

#define ENDING_LENGTH 5

static bool is_problem(const char* name) {
    size_t length = strlen(name);
    return length > ENDING_LENGTH && (strcmp(name + length - ENDING_LENGTH, ".hdf5") == 0 ||
                                      strcmp(name + length - ENDING_LENGTH, ".json") == 0);
}

static bool list_folder(const char* folder, Collection* collection) {
    DIR* open_folder = opendir(folder);
    if (open_folder == NULL) {
        return false;
    }
    for (struct dirent* entry = readdir(open_folder); entry != NULL; entry = readdir(open_folder)) {
        if (is_problem(entry->d_name) && collection->count < MOST_FILES) {
            collection->names[collection->count++] = strdup(entry->d_name);
        }
    }
    closedir(open_folder);
    qsort(collection->names, (size_t)collection->count, sizeof collection->names[0], compare_names);
    return true;
}

static bool load_folder(const char* folder, Collection* collection) {
    if (!list_folder(folder, collection)) {
        return false;
    }
    for (int i = 0; i < collection->count; ++i) {
        char path[4096];
        CnError error = {0};
        snprintf(path, sizeof path, "%s/%s", folder, collection->names[i]);
        CnOwnedProblem* loaded = cn_fclib_load(path, &error);
        if (loaded != NULL) { // all contenders get W
            collection->problems[i] = cn_problem_condense(cn_owned_problem_get(loaded), &error);
        }
        cn_owned_problem_destroy(loaded);
        if (collection->problems[i] == NULL) {
            fprintf(stderr, "%s\n", error.message);
            return false;
        }
        const CnProblem* problem = cn_owned_problem_get(collection->problems[i]);
        for (int k = 0; k < problem->block_count; ++k) {
            collection->contacts[i] += problem->blocks[k].law == CN_LAW_COULOMB;
        }
        collection->names[i][strlen(collection->names[i]) - ENDING_LENGTH] = 0;
    }
    return true;
}

// ---- the bench ----

typedef struct Field {
    int count;
    const FrictionContender* contenders[MOST_CONTENDERS];
    const char* names[MOST_CONTENDERS];
} Field;

static bool is_wanted(const char* name, char** wanted, int wanted_count) {
    for (int i = 0; i < wanted_count; ++i) {
        if (strcmp(wanted[i], name) == 0) {
            return true;
        }
    }
    return wanted_count == 0;
}

static void enter(Field* field, const FrictionContender* contenders, int count, char** wanted,
                  int wanted_count) {
    for (int i = 0; i < count && field->count < MOST_CONTENDERS; ++i) {
        if (is_wanted(contenders[i].name, wanted, wanted_count)) {
            field->contenders[field->count] = &contenders[i];
            field->names[field->count++] = contenders[i].name;
        }
    }
}

static void run(const Collection* collection, const Field* field, double tolerance, double limit) {
    size_t count = (size_t)collection->count * (size_t)field->count;
    FrictionResult* results = calloc(count + 1, sizeof *results);
    FrictionTable table = {.problem_count = collection->count,
                           .contender_count = field->count,
                           .problems = (const char* const*)collection->names,
                           .contacts = collection->contacts,
                           .contenders = field->names,
                           .results = results,
                           .tolerance = tolerance,
                           .limit = limit};
    friction_print_header();
    for (int i = 0; i < collection->count; ++i) {
        const CnProblem* problem = cn_owned_problem_get(collection->problems[i]);
        int dimension = problem->block_count > 0 ? problem->blocks[0].row_count : 3;
        for (int k = 0; k < field->count; ++k) {
            const FrictionContender* contender = field->contenders[k];
            if (contender->dimension == 0 || contender->dimension == dimension) {
                results[i * field->count + k] = measure_apart(contender, problem, tolerance, limit);
                friction_print_result(&table, i, k);
            }
        }
    }
    friction_print_profile(&table);
    friction_print_ratios(&table, false);
    friction_print_ratios(&table, true);
    friction_print_growth(&table);
    friction_print_sweeps(&table, "nsgs", "siconos-nsgs");
    free(results);
}

static const char* default_folder(void) {
    const char* chosen = getenv("CAIRN_FCLIB_DIR");
    return chosen != NULL ? chosen : BENCH_FCLIB_DIR;
}

int main(int argc, char** argv) {
    static Collection collection;
    Field field = {0};
    int count = 0;
    const char* folder = argc > 1 ? argv[1] : default_folder();
    double tolerance = argc > 2 ? atof(argv[2]) : DEFAULT_TOLERANCE;
    double limit = argc > 3 ? atof(argv[3]) : DEFAULT_LIMIT;
    char** wanted = argv + 4;
    int wanted_count = argc > 4 ? argc - 4 : 0;
    if (!load_folder(folder, &collection)) {
        fprintf(stderr,
                "no problems: %s is not a folder of problem files. Name one, or set "
                "CAIRN_FCLIB_DIR.\n",
                folder);
        return 1;
    }
    const FrictionContender* ours = friction_cairn(&count);
    enter(&field, ours, count, wanted, wanted_count);
#ifdef BENCH_SICONOS
    const FrictionContender* theirs = friction_siconos(&count);
    enter(&field, theirs, count, wanted, wanted_count);
#endif
    printf("%s: %d problems, tolerance %g, %g s each\n", folder, collection.count, tolerance,
           limit);
    run(&collection, &field, tolerance, limit);
    return 0;
}

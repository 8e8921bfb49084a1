// golden.c - makes the golden runs and compares them with those kept in a file, or writes the file.
//
//     golden --compare FILE [--threads N] [RUN...]    says which runs changed; 1: some did
//     golden --write FILE [--threads N] [RUN...]
//
// Run in the root folder of the project. Without names: all runs.
#include "runs.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_STORED = 200 };

typedef struct Options {
    const char* compare;
    const char* write;
    int threads;    // 0: as the table says
    char** names;   // of the runs to make   [name_count]
    int name_count; // 0: all
} Options;

typedef struct Stored {
    Record* records; // [count]
    bool* seen;      // a run of that name was made   [count]
    int count;
} Stored;

static bool is_wanted(const Options* options, const char* name) {
    for (int i = 0; i < options->name_count; ++i) {
        if (strcmp(options->names[i], name) == 0) {
            return true;
        }
    }
    return options->name_count == 0;
}

// ---- comparing ----

static bool load(const char* path, Stored* stored) {
    FILE* file = fopen(path, "r");
    if (file == NULL) {
        fprintf(stderr, "golden: %s cannot be read\n", path);
        return false;
    }
    int comment = 0;
    while ((comment = fgetc(file)) == '#') { // the heading
        while (comment != '\n' && comment != EOF) {
            comment = fgetc(file);
        }
    }
    ungetc(comment, file);
    RecordReading reading = RECORD_READ;
    while (stored->count < MAX_STORED) {
        reading = record_read(&stored->records[stored->count], file);
        if (reading != RECORD_READ) {
            break;
        }
        stored->count += 1;
    }
    fclose(file);
    if (reading != RECORD_END) {
        fprintf(stderr, "golden: %s: what follows run %s is not a run; write it anew\n", path,
                stored->count > 0 ? stored->records[stored->count - 1].name : "(none)");
    }
    return reading == RECORD_END;
}

static Record* find(Stored* stored, const char* name) {
    for (int i = 0; i < stored->count; ++i) {
        if (strcmp(stored->records[i].name, name) == 0) {
            stored->seen[i] = true;
            return &stored->records[i];
        }
    }
    return NULL;
}

static void print_sample(const Sample* before, const Sample* after) {
    Distance d = sample_distance(before, after);
    if (before->step != after->step) {
        return;
    }
    if (before->hash == after->hash) {
        printf("    at step %d still the same\n", after->step);
    } else {
        printf("    at step %d: position %.2g m, rotation %.2g rad, velocity %.2g m/s, angular "
               "velocity %.2g rad/s, energy %.2g J\n",
               after->step, d.position, d.rotation, d.velocity, d.angular_velocity, d.energy);
    }
}

// True: the same bits.
static bool compare(const Record* before, const Record* after) {
    int step = record_first_difference(before, after);
    if (step == 0) {
        return true;
    }
    printf("changed  %s: from step %d of %d on\n", after->name, step, after->steps);
    if (before->steps != after->steps || strcmp(before->status, after->status) != 0) {
        printf("    ended after %d steps with %s, before after %d with %s\n", after->steps,
               after->status, before->steps, before->status);
    }
    for (int i = 0; i < before->sample_count && i < after->sample_count; ++i) {
        print_sample(&before->samples[i], &after->samples[i]);
    }
    return false;
}

static bool compare_all(const Options* options, Stored* stored) {
    int made = 0, different = 0;
    for (int i = 0; i < golden_run_count; ++i) {
        const GoldenRun* run = &golden_runs[i];
        if (!is_wanted(options, run->name)) {
            continue;
        }
        Record after;
        CnError error = {0};
        const Record* before = find(stored, run->name);
        made += 1;
        if (!golden_run_make(run, options->threads, &after, &error)) {
            printf("failed   %s: %s\n", run->name, error.message);
            different += 1;
        } else if (before == NULL) {
            printf("new      %s: nothing is stored\n", run->name);
            different += 1;
        } else {
            different += compare(before, &after) ? 0 : 1;
        }
    }
    for (int i = 0; i < stored->count; ++i) {
        if (!stored->seen[i] && is_wanted(options, stored->records[i].name)) {
            printf("gone     %s: stored, but no longer run\n", stored->records[i].name);
            different += 1;
        }
    }
    printf("%d runs, %d different\n", made, different);
    return made > 0 && different == 0;
}

static bool compare_with_file(const Options* options) {
    Stored stored = {.records = calloc(MAX_STORED, sizeof(Record)),
                     .seen = calloc(MAX_STORED, sizeof(bool))};
    bool same = stored.records != NULL && stored.seen != NULL && load(options->compare, &stored) &&
                compare_all(options, &stored);
    free(stored.records);
    free(stored.seen);
    return same;
}

// ---- writing ----

static bool write_all(const Options* options, FILE* file) {
    fputs("# The golden runs of tests/golden/runs.c, written by `make golden-accept`.\n"
          "# run NAME STATUS STEPS SAMPLES; a digest of each step; samples: STEP HASH ENERGY "
          "BODIES;\n"
          "# body INDEX centre rotation velocity angular_velocity.\n",
          file);
    int made = 0;
    for (int i = 0; i < golden_run_count; ++i) {
        Record record;
        CnError error = {0};
        if (!is_wanted(options, golden_runs[i].name)) {
            continue;
        }
        if (!golden_run_make(&golden_runs[i], options->threads, &record, &error)) {
            fprintf(stderr, "golden: %s: %s\n", golden_runs[i].name, error.message);
            return false;
        }
        record_write(&record, file);
        made += 1;
    }
    return made > 0;
}

// Through a second file: one that was not finished must not replace a good one.
static bool write_file(const Options* options) {
    if (strcmp(options->write, "-") == 0) {
        return write_all(options, stdout);
    }
    char partial[1024];
    snprintf(partial, sizeof partial, "%s.new", options->write);
    FILE* file = fopen(partial, "w");
    bool written = file != NULL && write_all(options, file);
    written = file != NULL && fclose(file) == 0 && written;
    if (written && rename(partial, options->write) == 0) {
        return true;
    }
    fprintf(stderr, "golden: %s was not written\n", options->write);
    remove(partial);
    return false;
}

// ---- options ----

static bool read_options(int argc, char** argv, Options* options) {
    *options = (Options){0};
    int i = 1;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        if (strcmp(argv[i], "--compare") == 0) {
            options->compare = argv[i + 1];
        } else if (strcmp(argv[i], "--write") == 0) {
            options->write = argv[i + 1];
        } else if (strcmp(argv[i], "--threads") == 0) {
            options->threads = atoi(argv[i + 1]);
        } else {
            return false;
        }
    }
    options->names = argv + i;
    options->name_count = argc - i;
    return (options->compare == NULL) != (options->write == NULL);
}

int main(int argc, char** argv) {
    Options options;
    if (!read_options(argc, argv, &options)) {
        fputs("usage: golden --compare FILE | --write FILE [--threads N] [RUN...]\n", stderr);
        return 2;
    }
    bool good = options.write != NULL ? write_file(&options) : compare_with_file(&options);
    return good ? 0 : 1;
}

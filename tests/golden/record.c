// record.c - writing, reading and comparing what is kept of runs.
#include "record.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { DIGESTS_PER_LINE = 16 };

// ---- the file: one block of lines to a run ----

static void write_numbers(const double* values, int count, FILE* file) {
    for (int i = 0; i < count; ++i) {
        fprintf(file, " %.17g", values[i]); // 17 digits give every double back
    }
}

static void write_sample(const Sample* sample, FILE* file) {
    fprintf(file, "sample %d %016" PRIx64, sample->step, sample->hash);
    write_numbers(&sample->energy, 1, file);
    fprintf(file, " %d\n", sample->body_count);
    for (int i = 0; i < sample->body_count; ++i) {
        const CnBodyState* s = &sample->states[i];
        const double values[13] = {
            s->center.x,           s->center.y,   s->center.z,           s->rotation.w,
            s->rotation.x,         s->rotation.y, s->rotation.z,         s->velocity.x,
            s->velocity.y,         s->velocity.z, s->angular_velocity.x, s->angular_velocity.y,
            s->angular_velocity.z,
        };
        fprintf(file, "body %d", sample->bodies[i]);
        write_numbers(values, 13, file);
        fputc('\n', file);
    }
}

void record_write(const Record* record, FILE* file) {
    fprintf(file, "\nrun %s %s %d %d\n", record->name, record->status, record->steps,
            record->sample_count);
    for (int i = 0; i < record->steps; ++i) {
        bool is_last = (i + 1) % DIGESTS_PER_LINE == 0 || i + 1 == record->steps;
        fprintf(file, "%04x%c", (unsigned)record->digests[i], is_last ? '\n' : ' ');
    }
    for (int i = 0; i < record->sample_count; ++i) {
        write_sample(&record->samples[i], file);
    }
}

static bool read_numbers(double* values, int count, FILE* file) {
    for (int i = 0; i < count; ++i) {
        if (fscanf(file, "%lf", &values[i]) != 1) {
            return false;
        }
    }
    return true;
}

static bool read_body(Sample* sample, int i, FILE* file) {
    double v[13];
    if (fscanf(file, " body %d", &sample->bodies[i]) != 1 || !read_numbers(v, 13, file)) {
        return false;
    }
    sample->states[i] = (CnBodyState){cn_vec3(v[0], v[1], v[2]),
                                      {v[3], v[4], v[5], v[6]},
                                      cn_vec3(v[7], v[8], v[9]),
                                      cn_vec3(v[10], v[11], v[12])};
    return true;
}

static bool read_sample(Sample* sample, FILE* file) {
    if (fscanf(file, " sample %d %" SCNx64, &sample->step, &sample->hash) != 2 ||
        !read_numbers(&sample->energy, 1, file) || fscanf(file, "%d", &sample->body_count) != 1 ||
        sample->body_count < 0 || sample->body_count > RECORD_BODIES) {
        return false;
    }
    for (int i = 0; i < sample->body_count; ++i) {
        if (!read_body(sample, i, file)) {
            return false;
        }
    }
    return true;
}

RecordReading record_read(Record* record, FILE* file) {
    *record = (Record){0};
    int found = fscanf(file, " run %63s %15s %d %d", record->name, record->status, &record->steps,
                       &record->sample_count);
    if (found == EOF) {
        return RECORD_END;
    }
    if (found != 4 || record->steps < 0 || record->steps > RECORD_STEPS ||
        record->sample_count < 0 || record->sample_count > RECORD_SAMPLES) {
        return RECORD_UNREADABLE;
    }
    for (int i = 0; i < record->steps; ++i) {
        if (fscanf(file, "%" SCNx16, &record->digests[i]) != 1) {
            return RECORD_UNREADABLE;
        }
    }
    for (int i = 0; i < record->sample_count; ++i) {
        if (!read_sample(&record->samples[i], file)) {
            return RECORD_UNREADABLE;
        }
    }
    return RECORD_READ;
}

// ---- differences ----

static double vector_distance(CnVec3 a, CnVec3 b) {
    CnVec3 d = cn_vec3_sub(a, b);
    return sqrt(cn_vec3_dot(d, d));
}

// The angle of the rotation that takes one to the other. With the sign of b for which they are
// nearer, the chord |a - b| is 2 sin(angle / 4).
static double rotation_distance(CnQuat a, CnQuat b) {
    double minus[4] = {a.w - b.w, a.x - b.x, a.y - b.y, a.z - b.z};
    double plus[4] = {a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z};
    double squares[2] = {0.0, 0.0};
    for (int i = 0; i < 4; ++i) {
        squares[0] += minus[i] * minus[i];
        squares[1] += plus[i] * plus[i];
    }
    return 4.0 * asin(fmin(1.0, 0.5 * sqrt(fmin(squares[0], squares[1]))));
}

Distance sample_distance(const Sample* a, const Sample* b) {
    Distance distance = {.energy = fabs(a->energy - b->energy)};
    for (int i = 0; i < a->body_count && i < b->body_count; ++i) {
        const CnBodyState *s = &a->states[i], *t = &b->states[i];
        distance.position = fmax(distance.position, vector_distance(s->center, t->center));
        distance.rotation = fmax(distance.rotation, rotation_distance(s->rotation, t->rotation));
        distance.velocity = fmax(distance.velocity, vector_distance(s->velocity, t->velocity));
        distance.angular_velocity = fmax(distance.angular_velocity,
                                         vector_distance(s->angular_velocity, t->angular_velocity));
    }
    return distance;
}

static int min_int(int a, int b) {
    return a < b ? a : b;
}

int record_first_difference(const Record* a, const Record* b) {
    int common = min_int(a->steps, b->steps);
    for (int i = 0; i < common; ++i) {
        if (a->digests[i] != b->digests[i]) {
            return i + 1;
        }
    }
    for (int i = 0; i < min_int(a->sample_count, b->sample_count); ++i) {
        if (a->samples[i].hash != b->samples[i].hash) { // equal digests by chance
            return a->samples[i].step;
        }
    }
    bool same_end = a->steps == b->steps && a->sample_count == b->sample_count &&
                    strcmp(a->status, b->status) == 0;
    return same_end ? 0 : common + 1;
}

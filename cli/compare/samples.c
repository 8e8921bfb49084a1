// samples.c - where the bodies of a run were, at times that all runs of a comparison have.
#include "compare/samples.h"

#include "cairn/body.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHORTEST_SAMPLE (1.0 / 60.0) // [s]: as often as a recording
#define MOST_STEPS 1000              // of the longest dt, in search of a time that all share
#define WHOLE_SHARE 1e-9             // how far a quotient of two dt may be from a whole number

// ---- when ----

static bool is_whole(double quotient) {
    return fabs(quotient - round(quotient)) <= WHOLE_SHARE * quotient;
}

static bool is_shared(double time, const Schedule* schedules, int count) {
    for (int i = 0; i < count; ++i) {
        if (!is_whole(time / schedules[i].dt)) {
            return false;
        }
    }
    return true;
}

void samples_choose(const Schedule* schedules, int count, int64_t* steps) {
    double longest = 0.0;
    for (int i = 0; i < count; ++i) {
        longest = fmax(longest, schedules[i].dt);
        steps[i] = 0;
    }
    for (int n = 1; n <= MOST_STEPS; ++n) {
        double shared = n * longest;
        if (is_shared(shared, schedules, count)) {
            shared *= fmax(ceil(SHORTEST_SAMPLE / shared - WHOLE_SHARE), 1.0);
            for (int i = 0; i < count; ++i) {
                steps[i] = llround(shared / schedules[i].dt);
            }
            return;
        }
    }
}

// ---- taking them ----

bool samples_begin(Samples* samples, const CnWorld* world, const Schedule* schedule, int64_t every,
                   CnError* error) {
    int64_t count = every > 0 ? (schedule->steps - 1) / every + 1 : 1;
    size_t bodies = (size_t)cn_world_body_count(world);
    *samples = (Samples){.every = every,
                         .steps = schedule->steps,
                         .body_count = (int)bodies,
                         .capacity = schedule->steps > 0 ? (int)count : 0};
    size_t capacity = (size_t)samples->capacity + 1; // one more: none is no special case
    bool fits = count < 1 << 24;
    samples->time = fits ? malloc(capacity * sizeof(double)) : NULL;
    samples->position = fits ? malloc(capacity * (bodies + 1) * sizeof(CnVec3)) : NULL;
    samples->is_dynamic = calloc(bodies + 1, sizeof(bool));
    samples->speed = calloc(bodies + 1, sizeof(double));
    samples->earlier_speed = calloc(bodies + 1, sizeof(double));
    samples->poses = malloc((bodies + 1) * sizeof(CnTransform));
    samples->states = malloc((bodies + 1) * sizeof(CnBodyState));
    if (samples->is_dynamic == NULL || samples->time == NULL || samples->position == NULL ||
        samples->speed == NULL || samples->earlier_speed == NULL || samples->poses == NULL ||
        samples->states == NULL) {
        error->status = CN_NO_MEMORY;
        snprintf(error->message, sizeof error->message,
                 "no memory for the places of %zu bodies at %lld times", bodies, (long long)count);
        return false;
    }
    for (int i = 0; i < samples->body_count; ++i) {
        samples->is_dynamic[i] = cn_body_type(world, cn_world_body_at(world, i)) == CN_BODY_DYNAMIC;
    }
    return true;
}

static double length_of(CnVec3 v) {
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

static void take(Samples* samples, const CnWorld* world) {
    int bodies = samples->body_count;
    CnVec3* place = samples->position + (size_t)samples->count * (size_t)bodies;
    double* older = samples->earlier_speed;
    cn_world_read_poses(world, samples->poses, NULL, bodies);
    cn_world_read_states(world, samples->states, NULL, bodies);
    samples->earlier_speed = samples->speed;
    samples->speed = older;
    for (int i = 0; i < bodies; ++i) {
        place[i] = samples->poses[i].position;
        samples->speed[i] = length_of(samples->states[i].velocity);
    }
    samples->time[samples->count++] = cn_world_time(world);
}

static bool look(void* context, const CnWorld* world, int64_t step, CnError* error) {
    Samples* samples = context;
    (void)error;
    if (step == samples->steps || (samples->every > 0 && step % samples->every == 0)) {
        take(samples, world);
    }
    return true;
}

StepWatch samples_watch(Samples* samples) {
    return (StepWatch){look, samples};
}

void samples_free(Samples* samples) {
    free(samples->is_dynamic);
    free(samples->time);
    free(samples->position);
    free(samples->speed);
    free(samples->earlier_speed);
    free(samples->poses);
    free(samples->states);
    *samples = (Samples){0};
}

bool samples_are_whole(const Samples* samples) {
    return samples->count == samples->capacity;
}

// ---- comparing them ----

double samples_difference(const Samples* samples, const Samples* other, int sample,
                          int* worst_body) {
    size_t first = (size_t)sample * (size_t)samples->body_count;
    const CnVec3 *a = samples->position + first, *b = other->position + first;
    double worst = 0.0;
    *worst_body = -1;
    for (int i = 0; i < samples->body_count; ++i) {
        double distance = length_of((CnVec3){a[i].x - b[i].x, a[i].y - b[i].y, a[i].z - b[i].z});
        if (isnan(distance) || distance > worst) {
            worst = distance;
            *worst_body = i;
        }
    }
    return worst;
}

double samples_creep(const Samples* samples, const Samples* other) {
    double worst = (double)NAN;
    for (int i = 0; i < samples->body_count; ++i) {
        bool rests = other->is_dynamic[i] && other->speed[i] < REST_SPEED &&
                     other->earlier_speed[i] < REST_SPEED;
        if (rests && !(samples->speed[i] <= worst)) {
            worst = samples->speed[i];
        }
    }
    return worst;
}

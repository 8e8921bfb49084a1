// contender_cairn.c - Cairn's own broad phase, measured.
#include "collision/broad/broad_phase.h"
#include "contender.h"

#include <stdlib.h>

typedef struct Self {
    CnBroadPhase phase;
    CnProxyBounds* boxes; // [count]
} Self;

static bool accept(int first, int second, void* data) {
    (void)first, (void)second, (void)data;
    return true;
}

static void* create(const BenchBall* balls, int count) {
    Self* self = calloc(1, sizeof *self);
    (void)balls;
    cn_broad_phase_init(&self->phase, NULL);
    self->boxes = calloc((size_t)count, sizeof *self->boxes);
    for (int i = 0; i < count; ++i) {
        cn_broad_phase_add(&self->phase, i, true);
    }
    return self;
}

static long step(void* data, const BenchBall* balls, int count) {
    Self* self = data;
    for (int i = 0; i < count; ++i) {
        const double* c = balls[i].center;
        double r = balls[i].radius;
        self->boxes[i].proxy = i;
        self->boxes[i].bounds.low = cn_vec3(c[0] - r, c[1] - r, c[2] - r);
        self->boxes[i].bounds.high = cn_vec3(c[0] + r, c[1] + r, c[2] + r);
    }
    if (cn_broad_phase_update(&self->phase, self->boxes, count, accept, NULL) != CN_OK) {
        return -1;
    }
    return cn_broad_phase_pairs(&self->phase)->count;
}

static void destroy(void* data) {
    Self* self = data;
    cn_broad_phase_destroy(&self->phase);
    free(self->boxes);
    free(self);
}

const Contender contender_cairn = {"cairn", 1 << 30, create, step, destroy};

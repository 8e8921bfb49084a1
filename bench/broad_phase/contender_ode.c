// contender_ode.c - the spaces of ODE: hash, sweep and prune, quadtree.
#include "contender.h"

#include <ode/ode.h>
#include <stdlib.h>

typedef struct Self {
    dSpaceID space;
    dGeomID* geoms; // [count]
    long pairs;
} Self;

static void* create_in(dSpaceID space, const BenchBall* balls, int count) {
    Self* self = calloc(1, sizeof *self);
    self->space = space;
    self->geoms = calloc((size_t)count, sizeof(dGeomID));
    for (int i = 0; i < count; ++i) {
        self->geoms[i] = dCreateSphere(self->space, (dReal)balls[i].radius);
    }
    return self;
}

static void* create_hash(const BenchBall* balls, int count) {
    dInitODE2(0);
    return create_in(dHashSpaceCreate(0), balls, count);
}

static void* create_sap(const BenchBall* balls, int count) {
    dInitODE2(0);
    return create_in(dSweepAndPruneSpaceCreate(0, dSAP_AXES_XYZ), balls, count);
}

// Told where the balls are, and as deep as gives some balls per square.
static void* create_quadtree(const BenchBall* balls, int count) {
    double low[3] = {1e30, 1e30, 1e30}, high[3] = {-1e30, -1e30, -1e30};
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            double x = balls[i].center[k];
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
    }
    dVector3 center = {0}, half = {0};
    for (int k = 0; k < 3; ++k) {
        center[k] = (dReal)(0.5 * (low[k] + high[k]));
        half[k] = (dReal)(0.5 * (high[k] - low[k]) + 1.0);
    }
    int depth = 0;
    while (4 << (2 * depth) < count) {
        ++depth;
    }
    dInitODE2(0);
    return create_in(dQuadTreeSpaceCreate(0, center, half, depth < 6 ? depth : 6), balls, count);
}

static void count_pair(void* data, dGeomID a, dGeomID b) {
    (void)a, (void)b;
    ++((Self*)data)->pairs;
}

static long step(void* data, const BenchBall* balls, int count) {
    Self* self = data;
    for (int i = 0; i < count; ++i) {
        const double* c = balls[i].center;
        dGeomSetPosition(self->geoms[i], (dReal)c[0], (dReal)c[1], (dReal)c[2]);
    }
    self->pairs = 0;
    dSpaceCollide(self->space, self, count_pair);
    return self->pairs;
}

static void destroy(void* data) {
    Self* self = data;
    dSpaceDestroy(self->space);
    dCloseODE();
    free(self->geoms);
    free(self);
}

const Contender contender_ode_hash = {"ode hash", 10000, create_hash, step, destroy};
const Contender contender_ode_sap = {"ode sap", 10000, create_sap, step, destroy};
const Contender contender_ode_quadtree = {"ode quad", 10000, create_quadtree, step, destroy};

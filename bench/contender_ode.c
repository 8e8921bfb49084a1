// contender_ode.c - the hash space of ODE.
#include "contender.h"

#include <ode/ode.h>
#include <stdlib.h>

typedef struct Self {
    dSpaceID space;
    dGeomID* geoms; // [count]
    long pairs;
} Self;

static void* create(const BenchBall* balls, int count) {
    Self* self = calloc(1, sizeof *self);
    dInitODE2(0);
    self->space = dHashSpaceCreate(0);
    self->geoms = calloc((size_t)count, sizeof(dGeomID));
    for (int i = 0; i < count; ++i) {
        self->geoms[i] = dCreateSphere(self->space, (dReal)balls[i].radius);
    }
    return self;
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

const Contender contender_ode = {"ode", 10000, create, step, destroy};

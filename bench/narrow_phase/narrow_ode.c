// narrow_ode.c - the narrow phase of ODE: dCollide, up to four contacts.
#include "narrow.h"

#include <ode/ode.h>
#include <stdlib.h>

#define CONTACTS 4

typedef struct Polyhedron {
    dReal* planes;
    dReal* points;
    unsigned* faces;
} Polyhedron;

typedef struct Self {
    dGeomID (*geoms)[2]; // [count]
    Polyhedron polyhedra[2];
    int count;
} Self;

// ODE keeps pointers into these.
static Polyhedron make_polyhedron(const BenchShape* shape) {
    Polyhedron made = {calloc(4 * (size_t)shape->face_count + 1, sizeof(dReal)),
                       calloc(3 * (size_t)shape->vertex_count + 1, sizeof(dReal)), NULL};
    size_t length = 0;
    for (int i = 0; i < shape->face_count; ++i) {
        for (int k = 0; k < 4; ++k) {
            made.planes[4 * i + k] = (dReal)shape->planes[i][k];
        }
        length += 1 + shape->faces[length];
    }
    for (int i = 0; i < shape->vertex_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            made.points[3 * i + k] = (dReal)shape->vertices[i][k];
        }
    }
    made.faces = calloc(length + 1, sizeof *made.faces);
    for (size_t i = 0; i < length; ++i) {
        made.faces[i] = shape->faces[i];
    }
    return made;
}

static dGeomID make_geom(const BenchShape* s, const Polyhedron* p) {
    switch (s->type) {
    case BENCH_SPHERE:
        return dCreateSphere(0, (dReal)s->radius);
    case BENCH_BOX:
        return dCreateBox(0, (dReal)(2.0 * s->half[0]), (dReal)(2.0 * s->half[1]),
                          (dReal)(2.0 * s->half[2]));
    case BENCH_CAPSULE:
        return dCreateCapsule(0, (dReal)s->radius, (dReal)(2.0 * s->half_length));
    case BENCH_CYLINDER:
        return dCreateCylinder(0, (dReal)s->radius, (dReal)(2.0 * s->half_length));
    case BENCH_CONVEX:
        return dCreateConvex(0, p->planes, (unsigned)s->face_count, p->points,
                             (unsigned)s->vertex_count, p->faces);
    case BENCH_PLANE:
        return dCreatePlane(0, 0, 0, 1, 0);
    }
    return 0;
}

static void place(dGeomID geom, const BenchShape* shape, const BenchPose* pose) {
    const double *x = pose->position, *q = pose->rotation;
    const dQuaternion rotation = {(dReal)q[0], (dReal)q[1], (dReal)q[2], (dReal)q[3]};
    if (shape->type != BENCH_PLANE) { // which stays where it is: ODE cannot place it
        dGeomSetPosition(geom, (dReal)x[0], (dReal)x[1], (dReal)x[2]);
        dGeomSetQuaternion(geom, rotation);
    }
}

static void* create(const BenchShape* a, const BenchShape* b, const BenchPair* pairs, int count) {
    Self* self = calloc(1, sizeof *self);
    dInitODE2(0);
    self->geoms = calloc((size_t)count, sizeof *self->geoms);
    self->count = count;
    self->polyhedra[0] = make_polyhedron(a);
    self->polyhedra[1] = make_polyhedron(b);
    for (int i = 0; i < count; ++i) {
        self->geoms[i][0] = make_geom(a, &self->polyhedra[0]);
        self->geoms[i][1] = make_geom(b, &self->polyhedra[1]);
        place(self->geoms[i][0], a, &pairs[i].a);
        place(self->geoms[i][1], b, &pairs[i].b);
    }
    return self;
}

static long collide(void* data) {
    Self* self = data;
    dContactGeom contacts[CONTACTS];
    long total = 0;
    for (int i = 0; i < self->count; ++i) {
        total +=
            dCollide(self->geoms[i][0], self->geoms[i][1], CONTACTS, contacts, sizeof contacts[0]);
    }
    return total;
}

static void destroy(void* data) {
    Self* self = data;
    for (int i = 0; i < self->count; ++i) {
        dGeomDestroy(self->geoms[i][0]);
        dGeomDestroy(self->geoms[i][1]);
    }
    for (int k = 0; k < 2; ++k) {
        free(self->polyhedra[k].planes);
        free(self->polyhedra[k].points);
        free(self->polyhedra[k].faces);
    }
    dCloseODE();
    free(self->geoms);
    free(self);
}

const NarrowContender narrow_ode = {"ode", create, collide, destroy};

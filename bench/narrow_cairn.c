// narrow_cairn.c - Cairn's own narrow phase, measured.
#include "base/memory.h"
#include "collision/box/box_pairs.h"
#include "collision/hull/polyhedron_pairs.h"
#include "narrow.h"

#include <stdlib.h>

#define WINDOW 64 // pairs of boxes at a time, as the world has it

typedef struct Self {
    const CnShape* shapes[2];
    CnTransform (*poses)[2]; // [count]
    int count;

    // Boxes and hulls, as the world keeps them; NULL for others.
    CnPlacedShape (*placed)[2];         // [count]
    CnPlacedPolyhedron (*polyhedra)[2]; // [count]

    // Two boxes, as the world gives them; NULL for others.
    CnBoxPair* pairs; // [count]
    CnBoxContact contacts[WINDOW];
} Self;

static CnTransform make_pose(const BenchPose* pose) {
    const double *x = pose->position, *q = pose->rotation;
    return (CnTransform){cn_vec3(x[0], x[1], x[2]), cn_quat(q[0], q[1], q[2], q[3])};
}

static bool is_polyhedron(const BenchShape* shape) {
    return shape->own->type == CN_SHAPE_BOX || shape->own->type == CN_SHAPE_CONVEX;
}

static void keep_polyhedra(Self* self) {
    size_t count = (size_t)self->count;
    self->placed = calloc(count, sizeof *self->placed);
    self->polyhedra = cn_allocate(NULL, count, sizeof *self->polyhedra);
    for (int i = 0; i < self->count; ++i) {
        for (int k = 0; k < 2; ++k) {
            self->placed[i][k] = (CnPlacedShape){self->shapes[k], self->poses[i][k]};
            cn_polyhedron_place(&self->placed[i][k], &self->polyhedra[i][k]);
        }
    }
}

static void pair_boxes(Self* self) {
    self->pairs = calloc((size_t)self->count, sizeof *self->pairs);
    for (int i = 0; i < self->count; ++i) {
        self->pairs[i] = (CnBoxPair){&self->polyhedra[i][0], &self->polyhedra[i][1], BENCH_MARGIN};
    }
}

static void* create(const BenchShape* a, const BenchShape* b, const BenchPair* pairs, int count) {
    Self* self = calloc(1, sizeof *self);
    self->shapes[0] = a->own;
    self->shapes[1] = b->own;
    self->poses = calloc((size_t)count, sizeof *self->poses);
    self->count = count;
    for (int i = 0; i < count; ++i) {
        self->poses[i][0] = make_pose(&pairs[i].a);
        self->poses[i][1] = make_pose(&pairs[i].b);
    }
    if (is_polyhedron(a) && is_polyhedron(b)) {
        keep_polyhedra(self);
    }
    if (a->type == BENCH_BOX && b->type == BENCH_BOX) {
        pair_boxes(self);
    }
    return self;
}

static long collide_boxes(Self* self) {
    long total = 0;
    for (int begin = 0; begin < self->count; begin += WINDOW) {
        int count = self->count - begin < WINDOW ? self->count - begin : WINDOW;
        cn_collide_boxes(&self->pairs[begin], count, self->contacts);
        for (int i = 0; i < count; ++i) {
            total += self->contacts[i].count;
        }
    }
    return total;
}

static long collide_polyhedra(const Self* self) {
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    long total = 0;
    for (int i = 0; i < self->count; ++i) {
        const CnPlacedPolyhedron* pair = self->polyhedra[i];
        total += cn_collide_polyhedra(&pair[0], &pair[1], BENCH_MARGIN, points);
    }
    return total;
}

static long collide(void* data) {
    Self* self = data;
    if (self->pairs != NULL) {
        return collide_boxes(self);
    }
    if (self->polyhedra != NULL) {
        return collide_polyhedra(self);
    }
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    long total = 0;
    for (int i = 0; i < self->count; ++i) {
        CnPlacedShape a = {self->shapes[0], self->poses[i][0]};
        CnPlacedShape b = {self->shapes[1], self->poses[i][1]};
        total += cn_collide(a, b, BENCH_MARGIN, points);
    }
    return total;
}

static void destroy(void* data) {
    Self* self = data;
    free(self->placed);
    cn_release(NULL, self->polyhedra);
    free(self->pairs);
    free(self->poses);
    free(self);
}

const NarrowContender narrow_cairn = {"cairn", create, collide, destroy};

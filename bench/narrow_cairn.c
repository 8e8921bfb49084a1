// narrow_cairn.c - Cairn's own narrow phase, measured.
#include "collision/collide.h"
#include "narrow.h"

#include <stdlib.h>

typedef struct Self {
    const CnShape* shapes[2];
    CnTransform (*poses)[2]; // [count]
    int count;
} Self;

static CnTransform make_pose(const BenchPose* pose) {
    const double *x = pose->position, *q = pose->rotation;
    return (CnTransform){cn_vec3(x[0], x[1], x[2]), cn_quat(q[0], q[1], q[2], q[3])};
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
    return self;
}

static long collide(void* data) {
    Self* self = data;
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
    free(self->poses);
    free(self);
}

const NarrowContender narrow_cairn = {"cairn", create, collide, destroy};

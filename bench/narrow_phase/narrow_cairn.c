// narrow_cairn.c - Cairn's own narrow phase, measured.
#include "base/memory.h"
#include "collision/narrow_phase.h"
#include "narrow.h"

#include <stdlib.h>

#define RANGE 256 // pairs that go to the narrow phase at a time, as the world has it

// Shapes are placed before, as the world places each once for all its pairs.
typedef struct Self {
    int count;
    CnPlacedShape (*placed)[2];         // [count]
    CnPlacedPolyhedron (*polyhedra)[2]; // [count]
    CnNarrowPair* pairs;                // [count]
    CnNarrowResult results[RANGE];
    CnNarrowScratch scratch;
} Self;

static CnTransform make_pose(const BenchPose* pose) {
    const double *x = pose->position, *q = pose->rotation;
    return (CnTransform){cn_vec3(x[0], x[1], x[2]), cn_quat(q[0], q[1], q[2], q[3])};
}

static void* create(const BenchShape* a, const BenchShape* b, const BenchPair* pairs, int count) {
    Self* self = calloc(1, sizeof *self);
    self->count = count;
    self->placed = calloc((size_t)count, sizeof *self->placed);
    self->polyhedra = cn_allocate(NULL, (size_t)count, sizeof *self->polyhedra);
    self->pairs = calloc((size_t)count, sizeof *self->pairs);
    cn_narrow_scratch_init(&self->scratch, NULL);
    for (int i = 0; i < count; ++i) {
        self->placed[i][0] = (CnPlacedShape){a->own, make_pose(&pairs[i].a)};
        self->placed[i][1] = (CnPlacedShape){b->own, make_pose(&pairs[i].b)};
        cn_narrow_phase_place(&self->placed[i][0], &self->polyhedra[i][0]);
        cn_narrow_phase_place(&self->placed[i][1], &self->polyhedra[i][1]);
        self->pairs[i] = (CnNarrowPair){
            .a = &self->placed[i][0],
            .b = &self->placed[i][1],
            .polyhedron_a = &self->polyhedra[i][0],
            .polyhedron_b = &self->polyhedra[i][1],
            .margin = BENCH_MARGIN,
        };
    }
    return self;
}

static long collide(void* data) {
    Self* self = data;
    long total = 0;
    for (int begin = 0; begin < self->count; begin += RANGE) {
        int count = self->count - begin < RANGE ? self->count - begin : RANGE;
        cn_narrow_phase(&self->pairs[begin], count, &self->scratch, self->results);
        for (int i = 0; i < count; ++i) {
            total += self->results[i].count;
        }
    }
    return total;
}

static void destroy(void* data) {
    Self* self = data;
    cn_narrow_scratch_destroy(&self->scratch);
    cn_release(NULL, self->polyhedra);
    free(self->placed);
    free(self->pairs);
    free(self);
}

const NarrowContender narrow_cairn = {"cairn", create, collide, destroy};

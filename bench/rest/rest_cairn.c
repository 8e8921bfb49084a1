// rest_cairn.c - Cairn as bench_rest measures it: the exact preset, all defaults.
#include "bench/counted_memory.h"
#include "cairn/cairn.h"
#include "rest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Self {
    CnWorld* world;
    CnTaskPool* pool; // NULL: one thread
    CnTasks tasks;    // of the pool; none: ranges run in place
    double in_tasks;  // of this step, wall-clock time of the calling thread [s]
    CnBodyId* ids;    // [count]
    double* masses;   // 0: fixed [kg]   [count]
    int count;
    CountedMemory memory;
    CnStepReport report; // of the last step
    double residual;
    int missed;
} Self;
_Static_assert(CN_STAGE_COUNT + 1 <= REST_STAGES, "a stage has no room");

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// The pool's loop, or one in place, with a watch: what runs here can be shared among threads.
static void timed_for(int count, int grain, CnRangeFunction* body, void* data, void* context) {
    Self* self = context;
    double start = now();
    if (self->pool == NULL) {
        body(0, count, 0, data);
    } else {
        self->tasks.parallel_for(count, grain, body, data, self->tasks.context);
    }
    self->in_tasks += now() - start;
}

static CnBodyId add_body(CnWorld* world, const RestBody* body, CnMaterialId material,
                         CnError* error) {
    const double *half = body->half, *x = body->position;
    CnShapeDef shape =
        cn_shape_def_default(body->shape == REST_BOX ? CN_SHAPE_BOX : CN_SHAPE_SPHERE);
    shape.size = cn_vec3(2.0 * half[0], 2.0 * half[1], 2.0 * half[2]);
    shape.radius = half[0];
    shape.material = material;
    CnBodyDef def = cn_body_def_default();
    def.type = body->fixed ? CN_BODY_STATIC : CN_BODY_DYNAMIC;
    def.position = cn_vec3(x[0], x[1], x[2]);
    def.shapes = &shape;
    def.shape_count = 1;
    return cn_world_add_body(world, &def, error);
}

// Densities differ with mass and shape, one material each.
static CnMaterialId add_material(CnWorld* world, const RestScene* scene, const RestBody* body,
                                 CnError* error) {
    const double* half = body->half;
    double volume = body->shape == REST_BOX
                        ? 8.0 * half[0] * half[1] * half[2]
                        : 4.0 / 3.0 * 3.14159265358979323846 * half[0] * half[0] * half[0];
    CnMaterialDef def = cn_material_def_default();
    def.friction = scene->friction;
    def.density = body->fixed ? 1000.0 : body->mass / volume;
    return cn_world_add_material(world, &def, error);
}

static bool is_same_kind(const RestBody* a, const RestBody* b) {
    return a->shape == b->shape && a->fixed == b->fixed && a->mass == b->mass &&
           memcmp(a->half, b->half, sizeof a->half) == 0;
}

// Materials of the kinds of bodies that were met last, the newest first.
#define KINDS 4

typedef struct Kinds {
    int count;
    const RestBody* body[KINDS]; // the first one of its kind
    CnMaterialId material[KINDS];
} Kinds;

static CnMaterialId material_of(Kinds* kinds, CnWorld* world, const RestScene* scene,
                                const RestBody* body, CnError* error) {
    for (int i = 0; i < kinds->count; ++i) {
        if (is_same_kind(kinds->body[i], body)) {
            return kinds->material[i];
        }
    }
    kinds->count = kinds->count < KINDS ? kinds->count + 1 : KINDS;
    memmove(kinds->body + 1, kinds->body, (KINDS - 1) * sizeof kinds->body[0]);
    memmove(kinds->material + 1, kinds->material, (KINDS - 1) * sizeof kinds->material[0]);
    kinds->body[0] = body;
    kinds->material[0] = add_material(world, scene, body, error);
    return kinds->material[0];
}

static bool fill(Self* self, const RestScene* scene, CnError* error) {
    Kinds kinds = {0};
    for (int i = 0; i < scene->count; ++i) {
        const RestBody* body = &scene->bodies[i];
        CnMaterialId material = material_of(&kinds, self->world, scene, body, error);
        self->ids[i] = add_body(self->world, body, material, error);
        self->masses[i] = body->fixed ? 0.0 : body->mass;
        if (self->ids[i].generation == 0) {
            return false;
        }
    }
    return true;
}

static void destroy(void* data) {
    Self* self = data;
    if (self != NULL) {
        cn_world_destroy(self->world);
        cn_task_pool_destroy(self->pool);
        free(self->ids);
        free(self->masses);
        free(self);
    }
}

static void* create(const RestScene* scene, int threads) {
    CnError error = {0};
    Self* self = calloc(1, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    self->count = scene->count;
    self->ids = calloc((size_t)scene->count, sizeof *self->ids);
    self->masses = calloc((size_t)scene->count, sizeof *self->masses);
    self->pool = threads > 1 ? cn_task_pool_create(threads, &error) : NULL;
    CnWorldDef def = cn_world_def_default();
    def.allocator = counted_memory_allocator(&self->memory);
    def.step.sleep = scene->sleep;
    if (self->pool != NULL) {
        self->tasks = cn_task_pool_tasks(self->pool);
    }
    def.tasks = scene->stages ? (CnTasks){timed_for, threads, self} : self->tasks;
    self->world = cn_world_create(&def, &error);
    if (self->ids == NULL || self->masses == NULL || self->world == NULL ||
        (threads > 1 && self->pool == NULL) || !fill(self, scene, &error)) {
        fprintf(stderr, "bench_rest: %s\n", error.message);
        destroy(self);
        return NULL;
    }
    return self;
}

static bool step(void* data, double* stages) {
    Self* self = data;
    self->in_tasks = 0.0;
    CnError error = {0};
    if (cn_world_step(self->world, REST_DT, &self->report, &error) != CN_OK) {
        fprintf(stderr, "bench_rest: %s\n", error.message);
        return false;
    }
    double residual = self->report.certificate.worst;
    self->residual = residual > self->residual ? residual : self->residual;
    self->missed += self->report.not_converged > 0;
    for (int i = 0; i < CN_STAGE_COUNT; ++i) {
        stages[i] = self->report.stage_seconds[i];
    }
    stages[CN_STAGE_COUNT] = self->in_tasks;
    return true;
}

// Cubes and balls have the same inertia about every axis.
static double kinetic_energy(const Self* self) {
    double sum = 0.0;
    for (int i = 0; i < self->count; ++i) {
        CnBodyState state;
        CnMassProperties mass;
        if (self->masses[i] == 0.0 || cn_body_state(self->world, self->ids[i], &state) != CN_OK ||
            cn_body_mass_properties(self->world, self->ids[i], &mass) != CN_OK) {
            continue;
        }
        sum += 0.5 * mass.mass * cn_vec3_dot(state.velocity, state.velocity) +
               0.5 * mass.inertia[0] * cn_vec3_dot(state.angular_velocity, state.angular_velocity);
    }
    return sum;
}

static void read_state(void* data, RestState* state) {
    Self* self = data;
    state->contacts = self->report.contact_count;
    state->penetration = self->report.penetration;
    state->kinetic_energy = kinetic_energy(self);
    state->residual = self->residual;
    state->missed = self->missed;
    state->sleeping = self->report.sleeping_bodies;
    state->bytes = atomic_load(&self->memory.bytes);
    state->peak = atomic_load(&self->memory.peak);
    state->hash = cn_world_hash(self->world);
    state->stage_count = CN_STAGE_COUNT + 1;
    for (int i = 0; i < CN_STAGE_COUNT; ++i) {
        state->stages[i] = cn_stage_name((CnStage)i);
    }
    state->stages[CN_STAGE_COUNT] = "| in tasks";
}

const RestEngine rest_cairn = {"cairn", create, step, read_state, destroy};

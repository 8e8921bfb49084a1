// real_time_cairn.c - Cairn as bench_real_time measures it: the real-time preset, awake.
#include "builtin/builtin_scenes.h"
#include "real_time.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct Self {
    CnWorld* world;
    CnTaskPool* pool; // NULL: one thread
    double seconds[CN_STAGE_COUNT];
} Self;
_Static_assert(CN_STAGE_COUNT <= RT_STAGES, "a stage has no room");

static void destroy(void* data) {
    Self* self = data;
    cn_world_destroy(self->world);
    cn_task_pool_destroy(self->pool);
    free(self);
}

static void* create(const RtScene* scene) {
    CnError error = {0};
    Self* self = calloc(1, sizeof *self);
    CnScene* opened = cn_open_scene(scene->argument, &error);
    CnWorldDef hooks = cn_world_def_default();
    self->pool = scene->threads > 1 ? cn_task_pool_create(scene->threads, &error) : NULL;
    if (self->pool != NULL) {
        hooks.tasks = cn_task_pool_tasks(self->pool);
    }
    self->world = opened == NULL ? NULL : cn_scene_build(opened, &hooks, &error);
    cn_scene_destroy(opened);
    CnStepDef step = cn_world_def_real_time().step;
    step.sleep = false;
    if (scene->substeps > 0) {
        step.soft.substeps = scene->substeps;
        step.soft.contact_hertz = step.soft.joint_hertz = scene->hertz;
    }
    if (self->world == NULL || cn_world_set_step(self->world, &step, &error) != CN_OK) {
        fprintf(stderr, "bench_real_time: %s\n", error.message);
        destroy(self);
        return NULL;
    }
    return self;
}

static bool step(void* data) {
    Self* self = data;
    CnError error = {0};
    CnStepReport report;
    if (cn_world_step(self->world, RT_DT, &report, &error) != CN_OK) {
        fprintf(stderr, "bench_real_time: %s\n", error.message);
        return false;
    }
    for (int i = 0; i < CN_STAGE_COUNT; ++i) {
        self->seconds[i] += report.stage_seconds[i];
    }
    return true;
}

static void read_states(void* data, CnBodyState* states) {
    const Self* self = data;
    cn_world_read_states(self->world, states, NULL, cn_world_body_count(self->world));
}

static void read_stages(void* data, RtStages* stages) {
    const Self* self = data;
    stages->count = CN_STAGE_COUNT;
    for (int i = 0; i < CN_STAGE_COUNT; ++i) {
        stages->names[i] = cn_stage_name((CnStage)i);
        stages->seconds[i] = self->seconds[i];
    }
}

const RtEngine rt_cairn = {"cairn", create, step, read_states, read_stages, destroy};

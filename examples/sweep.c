// sweep.c - how far a box slides for 16 coefficients of friction, a world each, on two threads.
#include <cairn/cairn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WORLDS 16

static double slide(double friction) {
    CnMaterialDef surface = cn_material_def_default();
    surface.friction = friction;
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CnShapeDef box = cn_shape_def_default(CN_SHAPE_BOX);
    box.size = cn_vec3(0.2, 0.2, 0.1);
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = cn_world_create(&def, NULL);
    CnBodyDef body = cn_body_def_default();
    body.material = cn_world_add_material(world, &surface, NULL);
    body.type = CN_BODY_STATIC;
    body.shapes = &plane;
    body.shape_count = 1;
    cn_world_add_body(world, &body, NULL);
    body.type = CN_BODY_DYNAMIC;
    body.shapes = &box;
    body.position.z = 0.05;
    body.velocity.x = 3.0;
    CnBodyId id = cn_world_add_body(world, &body, NULL);
    for (int i = 0; i < 1500; ++i) {
        cn_world_step(world, 1e-3, NULL, NULL);
    }
    CnTransform pose = {0};
    cn_body_pose(world, id, &pose);
    cn_world_destroy(world);
    return pose.position.x;
}

static double friction_of(int i) {
    return 0.25 + 0.05 * i;
}

// Worlds share nothing: any thread may run any of them.
static void slide_some(int begin, int end, int worker, void* data) {
    double* distance = data;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        distance[i] = slide(friction_of(i));
    }
}

int main(void) {
    CnError error = {0};
    double distance[WORLDS], worst = 0.0;
    CnTaskPool* pool = cn_task_pool_create(2, &error);
    if (pool == NULL) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    CnTasks tasks = cn_task_pool_tasks(pool);
    tasks.parallel_for(WORLDS, 1, slide_some, distance, tasks.context);
    for (int i = 0; i < WORLDS; ++i) {
        worst = fmax(worst, fabs(distance[i] - 9.0 / (2.0 * friction_of(i) * 9.81)));
    }
    printf("%d distances, off v^2/(2 mu g) by at most %.1e m\n", WORLDS, worst);
    cn_task_pool_destroy(pool);
    return worst < 1e-3 ? 0 : 1;
}

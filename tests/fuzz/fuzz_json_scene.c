// fuzz_json_scene.c - any bytes as a scene: refused, or one that builds and steps or says why not.
#include "fuzz.h"

#include "cairn/scene.h"

#define STEPS 2
#define WORK_BUDGET 1e6 // multiplications; what little scenes need, and hostile ones may not exceed

static void make_steps(CnWorld* world, double dt) {
    for (int i = 0; i < STEPS; ++i) {
        CnError error = {.status = CN_OK};
        CnStatus status = cn_world_step(world, dt, NULL, &error);
        PROMISE(status == error.status && (status != CN_OK) == (error.message[0] != 0));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    CnError error = {.status = CN_OK};
    CnScene* scene = cn_scene_parse((const char*)data, size, "fuzz.json", &error);
    PROMISE((scene != NULL) == (error.message[0] == 0));
    if (scene != NULL) {
        CnSceneSettings settings = cn_scene_settings(scene);
        settings.solver.work_budget = WORK_BUDGET;
        PROMISE(cn_scene_set_settings(scene, &settings, NULL) == CN_OK);
        CnWorld* world = cn_scene_build(scene, NULL, &error);
        PROMISE((world != NULL) == (error.status == CN_OK));
        if (world != NULL) {
            make_steps(world, settings.dt);
        }
        cn_world_destroy(world);
    }
    cn_scene_destroy(scene);
    return 0;
}

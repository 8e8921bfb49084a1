// fuzz_json_scene.c - any bytes as a scene: refused, or one that builds or says why not.
#include "fuzz.h"

#include "cairn/scene.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    CnError error = {.status = CN_OK};
    CnScene* scene = cn_scene_parse((const char*)data, size, "fuzz.json", &error);
    PROMISE((scene != NULL) == (error.message[0] == 0));
    if (scene != NULL) {
        CnWorld* world = cn_scene_build(scene, NULL, &error);
        PROMISE((world != NULL) == (error.status == CN_OK));
        cn_world_destroy(world);
    }
    cn_scene_destroy(scene);
    return 0;
}

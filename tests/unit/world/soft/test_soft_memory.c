// test_soft_memory.c - memory of worlds of scheme soft_step is that of what they are made of.
#include "builtin/builtin_scenes.h"
#include "cairn/cairn.h"
#include "support/failing_allocator.h"
#include "support/run.h"
#include "world/soft/soft_look.h"
#include "world/soft/soft_store.h"
#include "world/step/rollback.h"
#include "world/world.h"

// Steps after which the events of the first one, in which all contacts begin, are gone.
#define STEPS 3

static CnWorld* open_pyramids(FailingAllocator* memory) {
    CnError error = {0};
    CnScene* scene = cn_open_scene("@s2:10", &error);
    ck_assert_msg(scene != NULL, "%s", error.message);
    CnSceneSettings settings = cn_scene_settings(scene);
    cn_step_def_use_preset(&settings.step, CN_PRESET_REAL_TIME);
    settings.step.sleep = false;
    CHECK_INT(cn_scene_set_settings(scene, &settings, &error), CN_OK);
    CnWorldDef hooks = cn_world_def_default();
    hooks.allocator = failing_allocator(memory);
    CnWorld* world = cn_scene_build(scene, &hooks, &error);
    ck_assert_msg(world != NULL, "%s", error.message);
    cn_scene_destroy(scene);
    return world;
}

// What bench/README.md names of a body with one shape, and of a contact of two boxes, which has an
// eighth of a tile of two slots.
static size_t bytes_of_body(void) {
    size_t own = sizeof(CnBody) + sizeof(CnBodyDetails) + sizeof(CnBodyId);
    size_t placed = sizeof(CnPlace) + sizeof(CnSoftPlace) + sizeof(CnTransform);
    size_t rows = sizeof(CnSoftBody) + sizeof(CnSoftMass) + sizeof(CnSoftDrift);
    size_t saved = sizeof(CnSavedBody) + sizeof(CnBodyState);
    size_t shape = sizeof(CnWorldShape) + sizeof(CnShapePlace) + sizeof(CnSoftLook) +
                   sizeof(CnTreeNode) + sizeof(CnTreeLeaf);
    return own + placed + rows + saved + shape;
}

static size_t bytes_of_contact(void) {
    size_t kept = CN_MANIFOLD_FRAME + sizeof(CnPairRecord);
    size_t notes = sizeof(CnTileNote) + sizeof(CnSoftNote) + sizeof(CnSoftMember);
    return kept + notes + sizeof(CnIslandLink) + 2 * sizeof(CnSoftSlot) / CN_SOFT_LANES;
}

// Large arrays grow by a quarter. Most are made as large as they must be: what they could leave
// free holds all that is not named here, ids, boxes, pairs and lists of numbers.
static void memory_is_that_of_bodies_and_contacts(void) {
    FailingAllocator memory = {0};
    CnWorld* world = open_pyramids(&memory);
    for (int i = 0; i < STEPS; ++i) {
        CHECK_INT(cn_world_step(world, 1.0 / 60.0, NULL, NULL), CN_OK);
    }
    size_t bodies = (size_t)cn_world_body_count(world);
    size_t contacts = (size_t)world->step.manifolds.count;
    size_t named = bodies * bytes_of_body() + contacts * bytes_of_contact();
    ck_assert_msg(contacts > bodies, "%zu contacts", contacts);
    ck_assert_msg(memory.bytes <= named + named / 4,
                  "%zu bytes for %zu bodies and %zu contacts, which take %zu", (size_t)memory.bytes,
                  bodies, contacts, named);
    cn_world_destroy(world);
    CHECK_INT(memory.live, 0);
}

TEST_MAIN("unit/world/soft/memory", TEST(memory_is_that_of_bodies_and_contacts))

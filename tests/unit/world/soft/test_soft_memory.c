// test_soft_memory.c - memory of worlds of scheme soft_step is that of what they are made of.
#include "cairn/cairn.h"
#include "support/failing_allocator.h"
#include "support/run.h"
#include "world/soft/soft_look.h"
#include "world/soft/soft_store.h"
#include "world/step/rollback.h"
#include "world/world.h"

// Steps after which the events of the first one, in which all contacts begin, are gone.
#define STEPS 3

static CnWorld* open_awake(const char* name, FailingAllocator* memory) {
    CnScene* scene = run_open_scene(name);
    CnSceneSettings settings = cn_scene_settings(scene);
    cn_step_def_use_preset(&settings.step, CN_PRESET_REAL_TIME);
    settings.step.sleep = false;
    return run_build(scene, &settings, failing_allocator(memory));
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
    CnWorld* world = open_awake("@s2:10", &memory);
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

// A body on a joint, solved as a tree as joints of any bodies are.
static CnWorld* open_pendulum(FailingAllocator* memory) {
    CnWorldDef def = run_soft_def();
    def.step.soft.tree_mass_ratio = 1.0;
    def.allocator = failing_allocator(memory);
    CnWorld* world = run_create(&def);
    CnBodyDef bob = run_body(2.0, cn_vec3(1.0, 1.0, 1.0), cn_vec3(0.0, 0.0, -1.0));
    CnJointDef ball = cn_joint_def_default(CN_JOINT_BALL);
    ball.body_a = run_add(world, &bob);
    CHECK(cn_world_add_joint(world, &ball, NULL).index != 0);
    return world;
}

static CnWorld* open_any(const char* name, FailingAllocator* memory) {
    return name[0] == '@' ? open_awake(name, memory) : open_pendulum(memory);
}

// Each request of the first step is refused once: what fails for it is made again, as in a world in
// which none was; few can be done without.
static void first_steps_are_made_again(void) {
    const char* const scenes[] = {"pendulum", "@robot", "@chains:1", "@s2:2"};
    for (int i = 0; i < 4; ++i) {
        FailingAllocator memory = {0};
        CnWorld* world = open_any(scenes[i], &memory);
        int before = memory.requests;
        CHECK_INT(cn_world_step(world, 1.0 / 60.0, NULL, NULL), CN_OK);
        int requests = memory.requests - before;
        uint64_t hash = cn_world_hash(world);
        CHECK(i > 1 || world->soft->links.count > 0); // those of trees
        cn_world_destroy(world);
        int failed = 0;
        for (int k = 1; k <= requests; ++k) {
            FailingAllocator other = {0};
            CnWorld* refused = open_any(scenes[i], &other);
            other.refuse_at = other.requests + k;
            CnStatus status = cn_world_step(refused, 1.0 / 60.0, NULL, NULL);
            if (status != CN_OK) {
                CHECK_INT(status, CN_NO_MEMORY);
                CHECK_INT(cn_world_step(refused, 1.0 / 60.0, NULL, NULL), CN_OK);
                ++failed;
            }
            CHECK(cn_world_hash(refused) == hash);
            cn_world_destroy(refused);
            CHECK_INT(other.live, 0);
        }
        ck_assert_msg(failed > requests / 2, "%d of %d requests", failed, requests);
    }
}

TEST_MAIN("unit/world/soft/memory", TEST(memory_is_that_of_bodies_and_contacts),
          TEST(first_steps_are_made_again))

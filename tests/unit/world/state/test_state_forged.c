// test_state_forged.c - states whose bytes were changed and whose checksum was made right again.
//
// Such a state is refused, or the world that has taken it can be stepped, read and destroyed:
// what sanitizers look at is that nobody leaves an array on the way.
#include "cairn/cairn.h"
#include "support/run.h"
#include "world/state/memory.h"
#include "world/state/structure.h"

#define DT 0.01      // [s]
#define TRIALS 6000  // changes of one state
#define HEAD_SIZE 32 // bytes before the body; the last eight are its checksum

// Bodies in contact, one that was removed, joints with a motor and a limit, a given contact, a
// force, a sensor, bodies that are not to collide.
static CnWorld* make_world(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnMaterialId stone = run_add_material(world, 0.5, 0.0);
    CnBodyId ground = run_add_ground(world, stone);
    CnBodyId balls[4];
    for (int i = 0; i < 4; ++i) {
        CnVec3 position = cn_vec3(0.9 * i, 0.0, 0.5);
        balls[i] = run_add_ball(world, 1.0, 0.5, position, cn_vec3(0.1, 0, 0), stone);
    }
    CnShapeDef gate = cn_shape_def_default(CN_SHAPE_BOX);
    gate.sensor = true;
    CHECK(cn_body_add_shape(world, ground, &gate, NULL).index != 0);
    CnJointDef hinge = cn_joint_def_default(CN_JOINT_HINGE);
    hinge.body_a = balls[0];
    hinge.body_b = balls[1];
    hinge.axes[CN_AXIS_TURN_Z].motor = CN_MOTOR_VELOCITY;
    hinge.axes[CN_AXIS_TURN_Z].target = 1.0;
    CHECK(cn_world_add_joint(world, &hinge, NULL).index != 0);
    CnContactDef foot = cn_contact_def_default();
    foot.body_b = balls[2];
    CHECK(cn_world_add_contact(world, &foot, NULL).index != 0);
    CnForceDef force = cn_force_def_default();
    force.body = balls[2];
    force.force = cn_vec3(0.0, 1.0, 0.0);
    CHECK(cn_world_add_force(world, &force, NULL).index != 0);
    run_steps(world, DT, 3);
    CHECK_INT(cn_world_remove_body(world, balls[3]), CN_OK);
    return world;
}

// A byte, or four that could be a number: small, large, negative.
static void change(CnRandom* random, unsigned char* bytes, size_t from, size_t size) {
    static const int32_t numbers[] = {-2, -1, 0, 1, 2, 3, 7, 1000, 1000000, INT32_MAX, INT32_MIN};
    const int count = (int)(sizeof numbers / sizeof numbers[0]);
    size_t place = from + (size_t)cn_random_between(random, 0.0, (double)(size - from - 4));
    if (cn_random_between(random, 0.0, 1.0) < 0.5) {
        bytes[place] ^= (unsigned char)(1u << (unsigned)cn_random_between(random, 0.0, 8.0));
    } else {
        int chosen = (int)cn_random_between(random, 0.0, count);
        memcpy(bytes + place, &numbers[chosen], sizeof numbers[chosen]);
    }
}

static void use(CnWorld* world) {
    CnContactPoint points[16];
    for (int i = 0; i < 2; ++i) {
        cn_world_step(world, DT, NULL, NULL); // may fail: numbers can be anything
        cn_world_contacts(world, points, 16);
        cn_world_events(world, NULL, 0);
    }
    CHECK_INT(cn_world_remove_body(world, cn_world_body_at(world, 1)), CN_OK);
    cn_world_step(world, DT, NULL, NULL);
}

// Bytes of a state before the memory of the world: head, structure, settings.
static size_t size_before_memory(CnWorld* world) {
    CnStateStream stream = {0};
    CnStructure structure = cn_structure_of(world);
    cn_stream_structure(&stream, &structure);
    CHECK_INT(cn_stream_settings(&stream, world, NULL), CN_OK);
    free(stream.bytes);
    return HEAD_SIZE + stream.size;
}

// Settings are left alone: a million substeps are no damage.
static void forged_states_are_refused_or_harmless(void) {
    CnWorld* world = make_world();
    CnRandom random = {1};
    void* saved;
    size_t size, taken = 0;
    size_t from = size_before_memory(world);
    CHECK_INT(cn_world_save_state_memory(world, &saved, &size, NULL), CN_OK);
    unsigned char* bytes = malloc(size);
    CHECK(bytes != NULL);
    for (int i = 0; i < TRIALS; ++i) {
        memcpy(bytes, saved, size);
        change(&random, bytes, from, size);
        uint64_t checksum = cn_stream_checksum(bytes + HEAD_SIZE, size - HEAD_SIZE);
        memcpy(bytes + HEAD_SIZE - sizeof checksum, &checksum, sizeof checksum);
        CnWorld* other = cn_world_clone(world, NULL, NULL);
        if (cn_world_load_state_memory(other, bytes, size, NULL) == CN_OK) {
            use(other);
            ++taken;
        }
        cn_world_destroy(other);
    }
    CHECK(taken > TRIALS / 4); // most bytes are those of quantities
    CHECK(taken < TRIALS);
    free(bytes);
    cn_world_release_state(world, saved);
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/state/state_forged", TEST(forged_states_are_refused_or_harmless))

// test_state.c - saved states: nothing is left out by accident, and what does not fit is refused.
#include "world/state/stream.h"

#include "cairn/cairn.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t alignment_of(const CnField* field) {
    return field->type == CN_FIELD_LEFT_OUT ? 8 : cn_field_width(field->type);
}

// Between two members there is no more than their alignment asks for.
static void layouts_have_no_gaps(void) {
    for (int i = 0; i < cn_layout_count; ++i) {
        const CnLayout* layout = cn_layouts[i];
        size_t end = 0;
        for (int k = 0; k < layout->field_count; ++k) {
            const CnField* field = &layout->fields[k];
            size_t gap = field->offset - end;
            bool is_next = field->offset >= end && gap < alignment_of(field);
            if (!is_next) {
                printf("%s: a member before field %d is missing\n", layout->name, k);
            }
            CHECK(is_next);
            end = field->offset + field->size;
        }
        CHECK(layout->size - end < 8);
    }
}

#define RECORDS 40
#define MOST_BYTES 4096 // of a struct

// Every third record has random members; the two after it differ from it in few bytes only.
static void fill_records(const CnLayout* layout, CnRandom* random, unsigned char* records) {
    for (int i = 0; i < RECORDS; ++i) {
        unsigned char* record = records + (size_t)i * layout->size;
        if (i > 0) {
            memcpy(record, record - layout->size, layout->size);
        }
        double chance = i % 3 == 0 ? 1.0 : 0.02;
        for (int k = 0; k < layout->field_count; ++k) {
            const CnField* field = &layout->fields[k];
            double most = field->type == CN_FIELD_BOOL ? 2.0 : 256.0;
            for (size_t b = 0; field->type != CN_FIELD_LEFT_OUT && b < field->size; ++b) {
                if (cn_random_between(random, 0.0, 1.0) < chance) {
                    record[field->offset + b] = (unsigned char)cn_random_between(random, 0.0, most);
                }
            }
        }
    }
}

// Members that are left out are zero in both.
static void records_come_back_from_their_differences(void) {
    static unsigned char records[RECORDS * MOST_BYTES], read[RECORDS * MOST_BYTES];
    CnRandom random = {7};
    for (int i = 0; i < cn_layout_count; ++i) {
        const CnLayout* layout = cn_layouts[i];
        size_t size = RECORDS * layout->size;
        CHECK(layout->size <= MOST_BYTES);
        memset(records, 0, sizeof records);
        memset(read, 0, sizeof read);
        fill_records(layout, &random, records);
        CnStateStream out = {0};
        cn_stream_records(&out, layout, records, RECORDS);
        CHECK(cn_stream_is_good(&out));
        CnStateStream in = {.is_reading = true, .bytes = out.bytes, .size = out.size};
        cn_stream_records(&in, layout, read, RECORDS);
        CHECK(cn_stream_is_good(&in) && in.place == in.size);
        CHECK(memcmp(records, read, size) == 0);
        in = (CnStateStream){.is_reading = true, .bytes = out.bytes, .size = out.size - 1};
        cn_stream_records(&in, layout, read, RECORDS);
        CHECK(in.is_damaged);
        free(out.bytes);
    }
}

// Bits of a mask for words that a record does not have.
static void words_beyond_a_record_are_damage(void) {
    CnTransform pose = {.position = {1.0, 2.0, 3.0}, .rotation = {1.0, 0.0, 0.0, 0.0}}; // 7 words
    CnStateStream out = {0};
    cn_stream_records(&out, &cn_layout_transform, &pose, 1);
    out.bytes[0] ^= 0x80;
    CnStateStream in = {.is_reading = true, .bytes = out.bytes, .size = out.size};
    cn_stream_records(&in, &cn_layout_transform, &pose, 1);
    CHECK(in.is_damaged);
    free(out.bytes);
}

// A box that slides on the ground.
static CnWorld* make_world(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = cn_world_create(&def, NULL);
    CnMaterialDef stone = cn_material_def_default();
    stone.friction = 0.5;
    CnMaterialId material = cn_world_add_material(world, &stone, NULL);
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CnShapeDef box = cn_shape_def_default(CN_SHAPE_BOX);
    CnBodyDef ground = cn_body_def_default(), block = cn_body_def_default();
    ground.type = CN_BODY_STATIC;
    ground.shapes = &plane;
    ground.shape_count = 1;
    ground.material = material;
    cn_world_add_body(world, &ground, NULL);
    block.shapes = &box;
    block.shape_count = 1;
    block.material = material;
    block.position = cn_vec3(0.0, 0.0, 0.51);
    block.velocity = cn_vec3(1.0, 0.5, 0.0);
    cn_world_add_body(world, &block, NULL);
    return world;
}

static void steps(CnWorld* world, int count) {
    for (int i = 0; i < count; ++i) {
        CHECK_INT(cn_world_step(world, 0.01, NULL, NULL), CN_OK);
    }
}

static void a_restored_world_goes_on_with_the_same_bits(void) {
    CnWorld *world = make_world(), *other = make_world();
    void* bytes;
    size_t size;
    steps(world, 7);
    CHECK_INT(cn_world_save_state_memory(world, &bytes, &size, NULL), CN_OK);
    CHECK_INT(cn_world_load_state_memory(other, bytes, size, NULL), CN_OK);
    for (int i = 0; i < 50; ++i) {
        steps(world, 1);
        steps(other, 1);
        CHECK(cn_world_hash(world) == cn_world_hash(other));
    }
    // And back: the world goes where it was.
    CHECK_INT(cn_world_load_state_memory(world, bytes, size, NULL), CN_OK);
    CHECK(fabs(cn_world_time(world) - 0.07) < 1e-15);
    steps(world, 50);
    CHECK(cn_world_hash(world) == cn_world_hash(other));
    cn_world_release_state(world, bytes);
    cn_world_destroy(world);
    cn_world_destroy(other);
}

// Every byte counts: one that is flipped is found, and the world stays as it was.
static void damage_is_refused_and_changes_nothing(void) {
    CnWorld *world = make_world(), *other = make_world();
    void* saved;
    size_t size;
    CnError error;
    steps(world, 7);
    CHECK_INT(cn_world_save_state_memory(world, &saved, &size, NULL), CN_OK);
    unsigned char* bytes = saved;
    uint64_t hash = cn_world_hash(other);
    for (size_t i = 0; i < size; i += i < 64 ? 1 : 37) {
        bytes[i] ^= (unsigned char)(1 << i % 8);
        error = (CnError){0};
        CHECK_INT(cn_world_load_state_memory(other, bytes, size, &error), CN_INVALID);
        CHECK(error.message[0] != '\0');
        bytes[i] ^= (unsigned char)(1 << i % 8);
    }
    for (size_t cut = 0; cut < size; cut += 41) {
        CHECK_INT(cn_world_load_state_memory(other, bytes, cut, NULL), CN_INVALID);
    }
    bytes[8] = 99; // the version
    cn_world_load_state_memory(other, bytes, size, &error);
    CHECK(strstr(error.message, "another version") != NULL);
    CHECK(cn_world_hash(other) == hash);
    cn_world_release_state(world, saved);
    steps(other, 7);
    CHECK(cn_world_hash(other) == cn_world_hash(world));
    cn_world_destroy(world);
    cn_world_destroy(other);
}

static void expect_refusal(const CnWorld* from, CnWorld* to, const char* words) {
    CnError error = {0};
    void* bytes;
    size_t size;
    CHECK_INT(cn_world_save_state_memory(from, &bytes, &size, NULL), CN_OK);
    CHECK_INT(cn_world_load_state_memory(to, bytes, size, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, words);
    cn_world_release_state(from, bytes);
}

static bool always(const CnWorld* world, const CnContactPoint* point, void* data) {
    (void)world;
    (void)point;
    (void)data;
    return true;
}

static double half(const CnWorld* world, const CnWarmStartRow* row, void* data) {
    (void)world;
    (void)row;
    (void)data;
    return 0.5;
}

static void the_state_of_another_world_is_refused(void) {
    CnWorld *world = make_world(), *other = make_world();
    CnBodyDef ball = cn_body_def_default();
    ball.has_mass = true;
    ball.mass = 1.0;
    ball.inertia[0] = ball.inertia[1] = ball.inertia[2] = 1.0;
    CnBodyId id = cn_world_add_body(other, &ball, NULL);
    CHECK(id.index != 0);
    expect_refusal(world, other, "it has 2 bodies, this world 3");
    cn_world_destroy(other);

    CnWorldDef def = cn_world_def_default();
    def.contact_hooks.filter = always;
    CnWorld* hooked = cn_world_create(&def, NULL);
    def.contact_hooks.filter = NULL;
    CnWorld* plain = cn_world_create(&def, NULL);
    expect_refusal(hooked, plain, "was made with a contact filter");
    cn_world_destroy(hooked);
    def.warm_start_hook.policy = half;
    hooked = cn_world_create(&def, NULL);
    expect_refusal(hooked, plain, "was made with a warm-start policy: functions are not saved");
    cn_world_destroy(world);
    cn_world_destroy(hooked);
    cn_world_destroy(plain);
}

// A joint that breaks before the state is saved is broken in the world that is loaded into.
static void a_broken_joint_stays_broken(void) {
    CnWorld* worlds[2];
    for (int i = 0; i < 2; ++i) {
        worlds[i] = make_world();
        CnJointDef ball = cn_joint_def_default(CN_JOINT_BALL);
        ball.body_b = cn_world_body_at(worlds[i], 1);
        ball.point_a = cn_vec3(0.0, 0.0, 2.0);
        ball.strength = 1.0;
        CHECK(cn_world_add_joint(worlds[i], &ball, NULL).index != 0);
    }
    void* bytes;
    size_t size;
    CnJointState state;
    steps(worlds[0], 5);
    CHECK_INT(cn_joint_read(worlds[0], cn_world_joint_at(worlds[0], 0), &state), CN_OK);
    CHECK(state.broken);
    expect_refusal(worlds[1], worlds[0], "joints broke"); // back to before it did
    CHECK_INT(cn_world_save_state_memory(worlds[0], &bytes, &size, NULL), CN_OK);
    CHECK_INT(cn_world_load_state_memory(worlds[1], bytes, size, NULL), CN_OK);
    cn_world_release_state(worlds[0], bytes);
    CHECK_INT(cn_joint_read(worlds[1], cn_world_joint_at(worlds[1], 0), &state), CN_OK);
    CHECK(state.broken);
    for (int i = 0; i < 50; ++i) {
        steps(worlds[0], 1);
        steps(worlds[1], 1);
        CHECK(cn_world_hash(worlds[0]) == cn_world_hash(worlds[1]));
    }
    cn_world_destroy(worlds[0]);
    cn_world_destroy(worlds[1]);
}

// A body that touched another one and was removed leaves a free manifold that names its index.
static void a_world_that_lost_a_body_takes_its_state_back(void) {
    CnWorld* world = make_world();
    void* bytes;
    size_t size;
    CnError error = {0};
    steps(world, 7);
    CHECK_INT(cn_world_remove_body(world, cn_world_body_at(world, 1)), CN_OK);
    CHECK_INT(cn_world_save_state_memory(world, &bytes, &size, NULL), CN_OK);
    steps(world, 2);
    CHECK_INT(cn_world_load_state_memory(world, bytes, size, &error), CN_OK);
    CHECK(fabs(cn_world_time(world) - 0.07) < 1e-15);
    cn_world_release_state(world, bytes);
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/state/state", TEST(layouts_have_no_gaps),
          TEST(records_come_back_from_their_differences), TEST(words_beyond_a_record_are_damage),
          TEST(a_restored_world_goes_on_with_the_same_bits),
          TEST(damage_is_refused_and_changes_nothing), TEST(the_state_of_another_world_is_refused),
          TEST(a_broken_joint_stays_broken), TEST(a_world_that_lost_a_body_takes_its_state_back))

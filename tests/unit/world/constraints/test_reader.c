// test_reader.c - constraints read all at once say the same as their functions, one by one.
#include "builtin/builtin_scenes.h"
#include "constraints/joints/user_rows.h"
#include "support/run.h"
#include "world/step/rows.h"

#include <string.h>

enum { ALL = CN_READ_VALUES | CN_READ_JACOBIANS | CN_READ_FORCES };

static void check_constraint(CnReader* reader, const CnBoundConstraint* bound) {
    const CnUserConstraint* constraint = bound->constraint;
    const CnConstraintKind* kind = constraint->kind;
    CnConstraintReading fast = {0}, plain = {0}, partly = {0};
    size_t rows = (size_t)kind->dimension;
    cn_read_constraint(reader, bound, CN_READ_FORCES, &partly);
    cn_read_constraint(reader, bound, CN_READ_JACOBIANS, &partly);
    cn_read_constraint(reader, bound, ALL, &fast);
    cn_kind_read(kind, bound->a, bound->b, reader->time, constraint->data, ALL, &plain);
    CHECK(memcmp(fast.value, plain.value, rows * sizeof(double)) == 0);
    CHECK(memcmp(fast.jacobian_a, plain.jacobian_a, rows * sizeof(double[6])) == 0);
    CHECK(memcmp(fast.jacobian_b, plain.jacobian_b, rows * sizeof(double[6])) == 0);
    CHECK(memcmp(partly.jacobian_b, plain.jacobian_b, rows * sizeof(double[6])) == 0);
    CHECK(memcmp(fast.lower, plain.lower, rows * sizeof(double)) == 0);
    CHECK(memcmp(fast.upper, plain.upper, rows * sizeof(double)) == 0);
    CHECK(memcmp(partly.upper, plain.upper, rows * sizeof(double)) == 0);
    CHECK(memcmp(fast.stiffness, plain.stiffness, rows * sizeof(double)) == 0);
    CHECK(memcmp(fast.damping, plain.damping, rows * sizeof(double)) == 0);
}

static int check_world(const CnWorld* world) {
    int count = cn_world_body_count(world), checked = 0;
    CnBodyState* states = calloc((size_t)count + 1, sizeof *states);
    CnReader reader;
    for (int i = 0; i < count; ++i) {
        states[i] = cn_world_body_by_index(world, i)->state;
    }
    cn_reader_begin(&reader, world, states, cn_world_time(world));
    for (int i = 0; i < cn_pool_slot_count(&world->constraints); ++i) {
        CnBoundConstraint bound, plain;
        bool acts = cn_world_bind_constraint(world, i, states, cn_world_time(world), &plain);
        CHECK(cn_reader_bind(&reader, i, &bound) == acts);
        if (acts) {
            CHECK(bound.a == plain.a && bound.b == plain.b && bound.constraint == plain.constraint);
            check_constraint(&reader, &bound);
            ++checked;
        }
    }
    free(states);
    return checked;
}

// The scene has every type of joint, with limits, motors, springs and friction.
static void all_joints_read_as_their_functions_say(void) {
    static const char* const scenes[] = {TEST_SOURCE_DIR "/tests/golden/joints.json", "@robot:2",
                                         "@stewart", "@chain:3", "@ragdolls:1"};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        CnWorld* world = run_open(scenes[i]);
        for (int step = 0; step < 10; ++step) {
            CHECK(check_world(world) >= 3);
            run_step(world, 2e-3);
        }
        cn_world_destroy(world);
    }
}

TEST_MAIN("unit/world/constraints/reader", TEST(all_joints_read_as_their_functions_say))

// test_failure_values.c - every call about something that is gone says so in the same way.
#include "cairn/event.h"
#include "cairn/joint.h"
#include "cairn/query.h"
#include "cairn/warning.h"
#include "support/run.h"

#include <string.h>

#define POISON 0x5a

typedef union Result {
    CnBodyState state;
    CnTransform pose;
    CnMassProperties mass;
    CnBodyInfo body;
    CnShapeInfo shape;
    CnJointInfo joint;
    CnJointState joint_state;
    CnJointAxis axis;
    CnConstraintInfo constraint;
    CnMaterialPair pair;
    CnSeriesReading reading;
    CnWarning warning;
    double rows[2][CN_MAX_ROWS];
    unsigned char bytes[4096];
} Result;

static const CnBodyId body = {7, 3};
static const CnShapeId shape = {7, 3};
static const CnJointId joint = {7, 3};
static const CnConstraintId constraint = {7, 3};
static const CnMaterialId material = {7, 3};
static const CnSeriesId series = {7, 3};

static CnStatus read_state(const CnWorld* world, Result* result) {
    return cn_body_state(world, body, &result->state);
}

static CnStatus read_pose(const CnWorld* world, Result* result) {
    return cn_body_pose(world, body, &result->pose);
}

static CnStatus read_mass(const CnWorld* world, Result* result) {
    return cn_body_mass_properties(world, body, &result->mass);
}

static CnStatus read_body(const CnWorld* world, Result* result) {
    return cn_body_read(world, body, &result->body);
}

static CnStatus read_shape(const CnWorld* world, Result* result) {
    return cn_shape_read(world, shape, &result->shape);
}

static CnStatus read_joint_info(const CnWorld* world, Result* result) {
    return cn_joint_info(world, joint, &result->joint);
}

static CnStatus read_joint(const CnWorld* world, Result* result) {
    return cn_joint_read(world, joint, &result->joint_state);
}

static CnStatus read_axis(const CnWorld* world, Result* result) {
    return cn_joint_axis(world, joint, CN_AXIS_TURN_Z, &result->axis);
}

static CnStatus read_constraint_info(const CnWorld* world, Result* result) {
    return cn_constraint_info(world, constraint, &result->constraint);
}

static CnStatus read_constraint(const CnWorld* world, Result* result) {
    return cn_constraint_read(world, constraint, result->rows[0], result->rows[1]);
}

static CnStatus read_pair(const CnWorld* world, Result* result) {
    return cn_world_read_material_pair(world, material, material, &result->pair);
}

static CnStatus read_series(const CnWorld* world, Result* result) {
    return cn_world_read_series(world, series, 0.0, &result->reading);
}

typedef struct Reading {
    const char* name;
    CnStatus (*read)(const CnWorld* world, Result* result);
    size_t size; // of what it fills
} Reading;

static const Reading readings[] = {
    {"cn_body_state", read_state, sizeof(CnBodyState)},
    {"cn_body_pose", read_pose, sizeof(CnTransform)},
    {"cn_body_mass_properties", read_mass, sizeof(CnMassProperties)},
    {"cn_body_read", read_body, sizeof(CnBodyInfo)},
    {"cn_shape_read", read_shape, sizeof(CnShapeInfo)},
    {"cn_joint_info", read_joint_info, sizeof(CnJointInfo)},
    {"cn_joint_read", read_joint, sizeof(CnJointState)},
    {"cn_joint_axis", read_axis, sizeof(CnJointAxis)},
    {"cn_constraint_info", read_constraint_info, sizeof(CnConstraintInfo)},
    {"cn_constraint_read", read_constraint, 2 * CN_MAX_ROWS * sizeof(double)},
    {"cn_world_read_material_pair", read_pair, sizeof(CnMaterialPair)},
    {"cn_world_read_series", read_series, sizeof(CnSeriesReading)},
};

// Padding of up to seven bytes may stay as it was; no eight bytes together.
static bool is_filled(const Result* result, size_t size) {
    size_t run = 0;
    for (size_t i = 0; i < size; ++i) {
        run = result->bytes[i] == POISON ? run + 1 : 0;
        if (run == 8) {
            return false;
        }
    }
    return true;
}

static void what_is_gone_reads_as_stale_and_zero(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    for (size_t i = 0; i < sizeof readings / sizeof readings[0]; ++i) {
        Result result;
        memset(&result, POISON, sizeof result);
        CnStatus status = readings[i].read(world, &result);
        ck_assert_msg(status == CN_STALE, "%s gives %s", readings[i].name, cn_status_name(status));
        ck_assert_msg(is_filled(&result, readings[i].size), "%s leaves what was there",
                      readings[i].name);
    }
    CnMaterialDef plain;
    CnForceDef force;
    CnContactDef contact;
    CHECK_INT(cn_material_read(world, material, &plain), CN_STALE);
    CHECK(plain.friction == cn_material_def_default().friction);
    CHECK_INT(cn_force_read(world, (CnForceId){7, 3}, &force), CN_STALE);
    CHECK_INT((int)force.body.index, 0);
    CHECK_INT(cn_contact_read(world, (CnContactId){7, 3}, &contact), CN_STALE);
    CHECK_INT((int)contact.body_b.index, 0);
    cn_world_destroy(world);
}

static void counts_names_and_ids_have_one_failure_each(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CHECK_INT(cn_body_shapes(world, body, NULL, 0), -1);
    CHECK_INT(cn_body_joints(world, body, NULL, 0), -1);
    CHECK_INT(cn_body_constraints(world, body, NULL, 0), -1);
    CHECK_INT(cn_body_contacts(world, body, NULL, 0), -1);
    CHECK_INT(cn_body_given_contacts(world, body, NULL, 0), -1);
    CHECK_INT(cn_world_sensor_overlaps(world, shape, NULL, 0), -1);
    CHECK(strcmp(cn_body_name(world, body), "") == 0);
    CHECK(strcmp(cn_joint_name(world, joint), "") == 0);
    CHECK_INT((int)cn_world_body_at(world, 3).index, 0);
    CHECK_INT((int)cn_world_joint_at(world, -1).index, 0);
    CHECK_INT((int)cn_world_constraint_at(world, 0).index, 0);
    CHECK_INT((int)cn_world_find_body(world, "nobody").index, 0);
    CHECK_INT((int)cn_world_find_joint(world, "nothing").index, 0);
    CHECK(!cn_body_is_awake(world, body));
    CHECK(cn_body_user(world, body) == 0);
    cn_world_destroy(world);
}

static void changes_of_what_is_gone_say_so_in_a_sentence(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnVec3 one = {1.0, 0.0, 0.0};
    CnBodyState state = {.rotation = cn_quat(1.0, 0.0, 0.0, 0.0)};
    CnError errors[12] = {{0}};
    CnStatus statuses[12] = {
        cn_body_set_state(world, body, &state, &errors[0]),
        cn_body_set_pose(world, body, (CnTransform){one, state.rotation}, &errors[1]),
        cn_body_set_mass(world, body, NULL, &errors[2]),
        cn_body_set_type(world, body, CN_BODY_STATIC, &errors[3]),
        cn_body_set_gravity_scale(world, body, 1.0, &errors[4]),
        cn_body_set_damping(world, body, 1.0, 1.0, &errors[5]),
        cn_body_set_enabled(world, body, true, &errors[6]),
        cn_body_set_awake(world, body, true, &errors[7]),
        cn_body_apply_force(world, body, one, one, &errors[8]),
        cn_shape_remove(world, shape, &errors[9]),
        cn_joint_set_target(world, joint, CN_AXIS_TURN_Z, 1.0, &errors[10]),
        cn_shape_set_material(world, shape, (CnMaterialId){0}, &errors[11]),
    };
    for (int i = 0; i < 12; ++i) {
        ck_assert_msg(statuses[i] == CN_STALE, "call %d gives %s", i, cn_status_name(statuses[i]));
        ck_assert_msg(strstr(errors[i].message, "not exist") != NULL, "call %d says \"%s\"", i,
                      errors[i].message);
    }
    CHECK_INT(cn_world_remove_body(world, body), CN_STALE);
    CHECK_INT(cn_world_remove_joint(world, joint), CN_STALE);
    CHECK_INT(cn_world_remove_constraint(world, constraint), CN_STALE);
    CHECK_INT(cn_joint_set_enabled(world, joint, true), CN_STALE);
    CHECK_INT(cn_body_set_user(world, body, 1), CN_STALE);
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/failure_values", TEST(what_is_gone_reads_as_stale_and_zero),
          TEST(counts_names_and_ids_have_one_failure_each),
          TEST(changes_of_what_is_gone_say_so_in_a_sentence))

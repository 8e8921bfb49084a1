// test_constraint_list.c - constraints are listed with their kind, bodies and bounds.
#include "cairn/joint.h"
#include "support/run.h"

#include <string.h>

typedef struct Scene {
    CnWorld* world;
    CnBodyId bodies[2];
    CnConstraintId pins[3];
    CnJointId hinge;
} Scene;

static Scene scene_make(void) {
    CnWorldDef def = cn_world_def_default();
    Scene scene = {.world = run_create(&def)};
    for (int i = 0; i < 2; ++i) {
        CnBodyDef body = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), cn_vec3(i, 0.0, 0.0));
        scene.bodies[i] = run_add(scene.world, &body);
    }
    CnJointDef hinge = cn_joint_def_default(CN_JOINT_HINGE);
    hinge.body_a = scene.bodies[0];
    hinge.body_b = scene.bodies[1];
    hinge.axes[CN_AXIS_TURN_Z] = (CnJointAxis){.limited = true, .lower = -1.0, .upper = 0.0};
    scene.hinge = cn_world_add_joint(scene.world, &hinge, NULL);
    for (int i = 0; i < 3; ++i) {
        CnConstraintDef pin = cn_constraint_def_default();
        const CnPinData data = {.point_a = {0.1 * i, 0.0, 0.0}, .anchor = {0.1 * i, 0.0, 0.0}};
        const char* names[3] = {"first", "second", "third"};
        pin.name = names[i];
        pin.kind = cn_pin_kind();
        pin.body_a = scene.bodies[i == 1 ? 1 : 0];
        pin.data = &data;
        pin.data_size = sizeof data;
        scene.pins[i] = cn_world_add_constraint(scene.world, &pin, NULL);
        CHECK(scene.pins[i].index != 0);
    }
    return scene;
}

static void constraints_are_listed_without_those_of_joints(void) {
    Scene scene = scene_make();
    CHECK_INT(cn_world_constraint_count(scene.world), 3);
    for (int i = 0; i < 3; ++i) {
        CHECK_INT(cn_world_constraint_at(scene.world, i).index, scene.pins[i].index);
    }
    CHECK_INT(cn_world_constraint_at(scene.world, 3).index, 0);
    CHECK_INT(cn_world_constraint_at(scene.world, -1).index, 0);
    CHECK_INT(cn_world_remove_constraint(scene.world, scene.pins[0]), CN_OK);
    CHECK_INT(cn_world_constraint_count(scene.world), 2);
    CHECK_INT(cn_world_constraint_at(scene.world, 0).index, scene.pins[2].index);
    CHECK_INT(cn_world_constraint_at(scene.world, 1).index, scene.pins[1].index);
    CHECK_INT(cn_world_remove_constraint(scene.world, scene.pins[1]), CN_OK); // the last one
    CHECK_INT(cn_world_constraint_at(scene.world, 0).index, scene.pins[2].index);
    cn_world_destroy(scene.world);
}

static void a_body_lists_its_own(void) {
    Scene scene = scene_make();
    CnConstraintId ids[4];
    CHECK_INT(cn_body_constraints(scene.world, scene.bodies[0], ids, 4), 2);
    CHECK_INT(ids[0].index, scene.pins[2].index);
    CHECK_INT(ids[1].index, scene.pins[0].index);
    CHECK_INT(cn_body_constraints(scene.world, scene.bodies[1], NULL, 0), 1);
    CHECK_INT(cn_body_constraints(scene.world, (CnBodyId){9, 9}, ids, 4), -1);
    CHECK_INT(cn_world_remove_body(scene.world, scene.bodies[0]), CN_OK);
    CHECK_INT(cn_world_constraint_count(scene.world), 1);
    CHECK_INT(cn_world_constraint_at(scene.world, 0).index, scene.pins[1].index);
    cn_world_destroy(scene.world);
}

static void a_constraint_says_what_it_is(void) {
    Scene scene = scene_make();
    CnConstraintInfo info;
    CHECK_INT(cn_constraint_info(scene.world, scene.pins[1], &info), CN_OK);
    CHECK(strcmp(info.name, "second") == 0 && info.kind == cn_pin_kind());
    CHECK_INT(info.body_a.index, scene.bodies[1].index);
    CHECK_INT(info.body_b.index, 0);
    CHECK_INT(info.joint.index, 0);
    CHECK_INT(info.rows, 3);
    CHECK(info.active && info.lower[0] == -HUGE_VAL && info.upper[2] == HUGE_VAL);
    CHECK_INT(cn_constraint_info(scene.world, (CnConstraintId){99, 1}, &info), CN_STALE);
    cn_world_destroy(scene.world);
}

// The two bodies are pinned down, so that what the hinge keeps is implied in part. Its parts are
// the first constraints of the world: what it keeps, and the limit, which pushes from the upper
// end.
static void a_part_of_a_joint_says_whose_it_is(void) {
    Scene scene = scene_make();
    CnConstraintInfo info;
    int limits = 0, kept = 0;
    for (uint32_t i = 1; i <= 2; ++i) {
        CHECK_INT(cn_constraint_info(scene.world, (CnConstraintId){i, 1}, &info), CN_OK);
        CHECK_INT(info.joint.index, scene.hinge.index);
        kept += info.rows == 5;
        limits += info.rows == 1 && info.lower[0] == -HUGE_VAL && info.upper[0] == 0.0;
    }
    CHECK_INT(kept, 1);
    CHECK_INT(limits, 1);
    CHECK_INT(cn_joint_set_enabled(scene.world, scene.hinge, false), CN_OK);
    CHECK_INT(cn_constraint_info(scene.world, (CnConstraintId){1, 1}, &info), CN_OK);
    CHECK(!info.active);
    cn_world_destroy(scene.world);
}

TEST_MAIN("unit/world/constraints/constraint_list",
          TEST(constraints_are_listed_without_those_of_joints), TEST(a_body_lists_its_own),
          TEST(a_constraint_says_what_it_is), TEST(a_part_of_a_joint_says_whose_it_is))

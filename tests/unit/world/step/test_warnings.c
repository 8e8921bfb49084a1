// test_warnings.c - what a world tells its log once and counts from then on.
#include "cairn/warning.h"
#include "support/run.h"
#include "support/test.h"

#include <stdio.h>

typedef struct Diary {
    int warnings, infos;
    char last[400];
} Diary;

static void note(CnLogLevel level, const char* sentence, void* context) {
    Diary* diary = context;
    diary->warnings += level == CN_LOG_WARNING;
    diary->infos += level == CN_LOG_INFO;
    snprintf(diary->last, sizeof diary->last, "%s", sentence);
}

static CnWorldDef listened(Diary* diary) {
    CnWorldDef def = cn_world_def_default();
    def.log = (CnLog){note, diary};
    return def;
}

static CnBodyId add_ball(CnWorld* world, const char* name, double z) {
    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    CnBodyDef def = cn_body_def_default();
    def.name = name;
    def.shapes = &sphere;
    def.shape_count = 1;
    def.position = cn_vec3(0.0, 0.0, z);
    CnBodyId id = cn_world_add_body(world, &def, NULL);
    CHECK(id.index != 0);
    return id;
}

// Two balls on top of each other, a solver that is cut short: every step warns.
static CnWorld* stack(CnWorldDef* def) {
    def->solver.name = "pgs";
    def->solver.max_iterations = 1;
    def->solver.tolerance = 1e-12;
    CnWorld* world = cn_world_create(def, NULL);
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CnBodyDef ground = cn_body_def_default();
    ground.name = "ground";
    ground.type = CN_BODY_STATIC;
    ground.shapes = &plane;
    ground.shape_count = 1;
    CHECK(cn_world_add_body(world, &ground, NULL).index != 0);
    add_ball(world, "low", 0.5);
    add_ball(world, "high", 1.5);
    return world;
}

static void a_solver_that_is_cut_short_is_a_warning_that_names_block_and_cause(void) {
    Diary diary = {0};
    CnWorldDef def = listened(&diary);
    CnWorld* world = stack(&def);
    CHECK_INT(cn_world_step(world, 0.01, NULL, NULL), CN_OK);
    CHECK_INT(diary.warnings, 1);
    CHECK_CONTAINS(diary.last, "1 of 1 islands missed the tolerance of 1e-12 m/s: pgs leaves");
    CHECK_CONTAINS(diary.last, "low");
    CHECK_CONTAINS(diary.last, "it ran out of iterations");
    cn_world_destroy(world);
}

static void a_warning_is_told_once_and_counts_steps(void) {
    Diary diary = {0};
    CnWorldDef def = listened(&diary);
    def.step.substeps = 3;
    CnWorld* world = stack(&def);
    CnWarning warning;
    CHECK_INT(cn_world_warning_count(world), 0);
    CHECK_INT(cn_world_warning_at(world, 0, &warning), CN_INVALID);
    for (int i = 0; i < 5; ++i) {
        CHECK_INT(cn_world_step(world, 0.01, NULL, NULL), CN_OK);
    }
    CHECK_INT(diary.warnings, 1);
    CHECK_INT(cn_world_warning_count(world), 1);
    CHECK_INT(cn_world_warning_at(world, 0, &warning), CN_OK);
    CHECK_INT(warning.kind, CN_WARNING_NOT_CONVERGED);
    CHECK_INT(warning.count, 5);
    CHECK_INT(warning.step, 1);
    CHECK_NEAR(warning.time, 0.0, 0.0);
    CHECK_STRING(warning.message, diary.last);
    CHECK_INT(cn_world_warning_at(world, 1, &warning), CN_INVALID);
    CHECK_INT(cn_world_warning_at(world, -1, &warning), CN_INVALID);
    cn_world_destroy(world);
}

static void blow(const CnBodyState* state, double time, void* data, CnVec3* force, CnVec3* torque) {
    const bool* is_bad = data;
    (void)state;
    (void)torque;
    force->x = *is_bad && time > 0.005 ? (double)NAN : 0.0;
}

static void a_step_that_fails_does_not_count(void) {
    Diary diary = {0};
    CnWorldDef def = listened(&diary);
    def.step.substeps = 2; // the first warns, the second fails
    CnWorld* world = stack(&def);
    bool is_bad = true;
    CnForceDef force = cn_force_def_default();
    force.body = cn_world_find_body(world, "high");
    force.function = blow;
    force.data = &is_bad;
    CHECK(cn_world_add_force(world, &force, NULL).index != 0);
    CHECK(cn_world_step(world, 0.01, NULL, NULL) != CN_OK);
    CHECK_INT(diary.warnings, 0);
    CHECK_INT(cn_world_warning_count(world), 0);
    is_bad = false;
    CHECK_INT(cn_world_step(world, 0.01, NULL, NULL), CN_OK);
    CnWarning warning;
    CHECK_INT(cn_world_warning_at(world, 0, &warning), CN_OK);
    CHECK_INT(warning.count, 1);
    CHECK_INT(warning.step, 1);
    cn_world_destroy(world);
}

static void every_kind_has_a_name(void) {
    for (int i = 0; i < CN_WARNING_KIND_COUNT; ++i) {
        CHECK(cn_warning_kind_name((CnWarningKind)i) != NULL);
    }
    CHECK_STRING(cn_warning_kind_name(CN_WARNING_NOT_CONVERGED), "not_converged");
    CHECK_STRING(cn_warning_kind_name(CN_WARNING_KIND_COUNT), "unknown");
}

static void redundant_rows_are_told_once(void) {
    Diary diary = {0};
    CnWorldDef def = listened(&diary);
    def.step.warm_start = CN_WARM_START_OFF; // a guess that fits would be kept without a solve
    CnWorld* world = cn_world_create(&def, NULL);
    CnBodyId ball = add_ball(world, "ball", 5.0);
    CnPinData pin = {{0.0, 0.0, 0.0}, {0.0, 0.0, 5.0}};
    CnConstraintDef constraint = cn_constraint_def_default();
    constraint.kind = cn_pin_kind();
    constraint.body_a = ball;
    constraint.data = &pin;
    constraint.data_size = sizeof pin;
    CHECK(cn_world_add_constraint(world, &constraint, NULL).index != 0);
    CHECK_INT(cn_world_step(world, 0.01, NULL, NULL), CN_OK);
    CHECK_INT(diary.infos, 0);
    CHECK(cn_world_add_constraint(world, &constraint, NULL).index != 0);
    for (int i = 0; i < 3; ++i) {
        CHECK_INT(cn_world_step(world, 0.01, NULL, NULL), CN_OK);
    }
    CHECK_INT(diary.infos, 1);
    CHECK_INT(diary.warnings, 0);
    CHECK_CONTAINS(diary.last, "3 rows are implied by others");
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/step/warnings",
          TEST(a_solver_that_is_cut_short_is_a_warning_that_names_block_and_cause),
          TEST(a_warning_is_told_once_and_counts_steps), TEST(a_step_that_fails_does_not_count),
          TEST(every_kind_has_a_name), TEST(redundant_rows_are_told_once))

// test_log.c - what a world tells its log without being asked.
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

static void a_solver_that_is_cut_short_is_a_warning_that_names_the_block(void) {
    Diary diary = {0};
    CnWorldDef def = listened(&diary);
    def.solver.name = "pgs";
    def.solver.max_iterations = 1;
    def.solver.tolerance = 1e-12;
    CnWorld* world = cn_world_create(&def, NULL);
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CnBodyDef ground = cn_body_def_default();
    ground.name = "ground";
    ground.type = CN_BODY_STATIC;
    ground.shapes = &plane;
    ground.shape_count = 1;
    CHECK(cn_world_add_body(world, &ground, NULL).index != 0);
    add_ball(world, "low", 0.5);
    add_ball(world, "high", 1.5);
    CHECK_INT(cn_world_step(world, 0.01, NULL, NULL), CN_OK);
    CHECK_INT(diary.warnings, 1);
    CHECK_CONTAINS(diary.last, "1 of 1 islands missed the tolerance of 1e-12 m/s: pgs leaves");
    CHECK_CONTAINS(diary.last, "low");
    cn_world_destroy(world);
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

TEST_MAIN("unit/world/log", TEST(a_solver_that_is_cut_short_is_a_warning_that_names_the_block),
          TEST(redundant_rows_are_told_once))

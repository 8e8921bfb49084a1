// test_grade_every.c - certificate and ledgers on demand, in the schemes that solve exactly.
#include "support/test.h"

#include "builtin/builtin_scenes.h"
#include "cairn/cairn.h"

#include <math.h>
#include <string.h>

typedef struct Run {
    CnScene* scene;
    CnWorld* world;
    double dt;
    CnStepReport report;
} Run;

static Run open_run(const char* name, CnScheme scheme, int grade_every) {
    CnError error = {0};
    Run run = {.scene = cn_open_scene(name, &error)};
    ck_assert_msg(run.scene != NULL, "%s", error.message);
    CnSceneSettings settings = cn_scene_settings(run.scene);
    settings.step.scheme = scheme;
    settings.step.grade_every = grade_every;
    CHECK_INT(cn_scene_set_settings(run.scene, &settings, &error), CN_OK);
    run.dt = settings.dt;
    run.world = cn_scene_build(run.scene, NULL, &error);
    ck_assert_msg(run.world != NULL, "%s", error.message);
    return run;
}

static void step(Run* run) {
    CnError error = {0};
    CnStatus status = cn_world_step(run->world, run->dt, &run->report, &error);
    ck_assert_msg(status == CN_OK, "%s", error.message);
}

static void close_run(Run* run) {
    cn_world_destroy(run->world);
    cn_scene_destroy(run->scene);
}

static void check_says_nothing(const CnStepReport* report) {
    const CnCertificate* certificate = &report->certificate;
    const CnEnergyLedger* energy = &report->energy;
    const CnMomentumLedger* momentum = &report->momentum;
    CHECK(!report->is_graded);
    CHECK(isnan(certificate->worst) && isnan(certificate->rms) && isnan(certificate->fclib_error));
    CHECK(isnan(certificate->scaled_error) && isnan(certificate->cone_violation));
    CHECK(isnan(certificate->complementarity) && isnan(certificate->velocity_defect));
    CHECK_INT(certificate->worst_block, -1);
    CHECK(isnan(energy->error) && isnan(energy->start) && isnan(energy->end));
    CHECK(isnan(energy->scale) && isnan(energy->end_parts.potential));
    for (int i = 0; i < CN_WORK_COUNT; ++i) {
        CHECK(isnan(energy->work[i]));
    }
    CHECK(isnan(momentum->error) && isnan(momentum->internal_error));
    CHECK(isnan(momentum->linear_scale) && isnan(momentum->angular_end.z));
}

// Steps that are graded say the same as if all were: a grade needs nothing of the step before.
static void check_same_grade(const CnStepReport* report, const CnStepReport* other) {
    CHECK(report->is_graded && other->is_graded);
    CHECK(report->certificate.worst == other->certificate.worst);
    CHECK(report->certificate.scaled_error == other->certificate.scaled_error);
    CHECK_INT(report->certificate.worst_block, other->certificate.worst_block);
    CHECK(report->energy.error == other->energy.error);
    CHECK(report->energy.end == other->energy.end);
    CHECK(report->momentum.error == other->momentum.error);
}

static void check_scene(const char* name, CnScheme scheme, int steps) {
    Run all = open_run(name, scheme, 1), third = open_run(name, scheme, 3),
        none = open_run(name, scheme, 0);
    for (int i = 1; i <= steps; ++i) {
        step(&all);
        step(&third);
        step(&none);
        CHECK(cn_world_hash(all.world) == cn_world_hash(third.world));
        CHECK(cn_world_hash(all.world) == cn_world_hash(none.world));
        CHECK_INT(none.report.not_converged, all.report.not_converged);
        CHECK(none.report.joint_error == all.report.joint_error);
        CHECK(none.report.penetration == all.report.penetration);
        check_says_nothing(&none.report);
        if (i % 3 == 0) {
            check_same_grade(&third.report, &all.report);
        } else {
            check_says_nothing(&third.report);
        }
    }
    close_run(&all);
    close_run(&third);
    close_run(&none);
}

static void steps_without_grades_have_the_same_states(void) {
    check_scene("@robot", CN_SCHEME_MOREAU, 30);
    check_scene("@stewart", CN_SCHEME_MOREAU, 30);
    check_scene("@grasp", CN_SCHEME_MOREAU, 30);
    check_scene("@net:5", CN_SCHEME_MOREAU, 12);
    check_scene("@s1:4", CN_SCHEME_MOREAU, 90);
    check_scene("@chains:2", CN_SCHEME_MOREAU, 60);
}

static void so_it_is_in_every_scheme(void) {
    check_scene("@robot", CN_SCHEME_IMPLICIT, 9);
    check_scene("@s1:3", CN_SCHEME_IMPLICIT, 12);
    check_scene("@hinges:5", CN_SCHEME_ACCELERATION, 12);
    check_scene("@s1:3", CN_SCHEME_QUASI_STATIC, 12);
}

// A tree is judged by its joints before it is accepted: that is in the report.
static void the_error_that_a_solver_stopped_by_is_told(void) {
    Run run = open_run("@robot", CN_SCHEME_MOREAU, 0);
    step(&run);
    CHECK_STRING(run.report.solver.solver, "tree");
    CHECK(run.report.solver.error >= 0.0 && run.report.solver.error <= 0.5e-8);
    CHECK(isnan(run.report.solver.certificate.worst));
    close_run(&run);
}

// Work is booked with the ledgers: in other steps that of blocks is not a number either, neither of
// contacts nor of joints.
static void check_work(const char* name, int steps) {
    Run run = open_run(name, CN_SCHEME_MOREAU, 2);
    int graded = 0, others = 0;
    for (int i = 0; i < steps; ++i) {
        step(&run);
        const double* work = cn_world_block_work(run.world);
        for (int k = 0; k < run.report.block_count; ++k) {
            CHECK(isnan(work[k]) == !run.report.is_graded);
        }
        *(run.report.is_graded ? &graded : &others) += run.report.block_count;
    }
    CHECK(graded > 0 && others > 0);
    close_run(&run);
}

static void work_of_blocks_is_that_of_graded_steps(void) {
    check_work("@s1:3", 6);
    check_work("@robot", 6);
}

// The sentence of a step that is refused has a residual only where one is known: soft_step has
// none.
static void check_refusal(CnScheme scheme, int grade_every, bool has_residual) {
    Run run = open_run("@robot", scheme, grade_every);
    CnStepDef def = cn_world_read(run.world).step;
    CnError error = {0};
    def.speed_limit = 1e-6;
    CHECK_INT(cn_world_set_step(run.world, &def, NULL), CN_OK);
    CHECK_INT(cn_world_step(run.world, run.dt, NULL, &error), CN_UNSUPPORTED);
    CHECK(strstr(error.message, "faster than speed_limit") != NULL);
    CHECK((strstr(error.message, " left a residual of ") != NULL) == has_residual);
    CHECK(strstr(error.message, "nan") == NULL && strstr(error.message, "none left") == NULL);
    close_run(&run);
}

static void refusals_tell_residuals_of_graded_steps(void) {
    check_refusal(CN_SCHEME_MOREAU, 1, true);
    check_refusal(CN_SCHEME_MOREAU, 0, false);
    check_refusal(CN_SCHEME_SOFT_STEP, 1, false);
}

// Warm start "scaled" weighs the grades of the last step, attribution is a part of the ledgers.
static void steps_whose_grades_are_used_are_graded(void) {
    for (int i = 0; i < 2; ++i) {
        Run run = open_run("@s1:3", CN_SCHEME_MOREAU, 0);
        CnStepDef def = cn_world_read(run.world).step;
        def.warm_start = i == 0 ? CN_WARM_START_SCALED : CN_WARM_START_FULL;
        def.attribution = i == 1;
        CHECK_INT(cn_world_set_step(run.world, &def, NULL), CN_OK);
        step(&run);
        CHECK(run.report.is_graded);
        CHECK(run.report.energy.error >= 0.0);
        close_run(&run);
    }
}

// A body that comes between grades, after motions have been noted without what ledgers ask for.
static void bodies_that_come_between_grades_are_booked(void) {
    Run all = open_run("@hinges:8", CN_SCHEME_MOREAU, 1),
        third = open_run("@hinges:8", CN_SCHEME_MOREAU, 3);
    CnBodyDef def = cn_body_def_default();
    CnShapeDef ball = cn_shape_def_default(CN_SHAPE_SPHERE);
    def.shapes = &ball;
    def.shape_count = 1;
    for (int i = 1; i <= 24; ++i) {
        if (i == 5 || i == 9 || i == 13) {
            def.type = i == 9 ? CN_BODY_DYNAMIC : CN_BODY_STATIC;
            def.position = cn_vec3(100.0, 10.0 * i, 100.0);
            CHECK(cn_world_add_body(all.world, &def, NULL).index != 0);
            CHECK(cn_world_add_body(third.world, &def, NULL).index != 0);
        }
        step(&all);
        step(&third);
        CHECK(third.report.is_graded == (i % 3 == 0));
        if (third.report.is_graded) {
            check_same_grade(&third.report, &all.report);
            CHECK(third.report.energy.error < 1e-12); // round-off of some hundred terms
        }
    }
    close_run(&all);
    close_run(&third);
}

// What a load has left in the motions of a step is none of the next one's.
static void a_load_is_booked_in_its_step_alone(void) {
    Run run = open_run("@hinges:8", CN_SCHEME_MOREAU, 1);
    for (int i = 1; i <= 12; ++i) {
        if (i == 4 || i == 9) {
            CnVec3 force = cn_vec3(3.0, 2.0, 1.0);
            CnBodyId body = cn_world_body_at(run.world, 4);
            CHECK_INT(cn_body_apply_force(run.world, body, force, force, NULL), CN_OK);
        }
        step(&run);
        CHECK((run.report.energy.work[CN_WORK_LOADS] != 0.0) == (i == 4 || i == 9));
        CHECK(run.report.energy.error < 1e-12 && run.report.momentum.error < 1e-12); // round-off
    }
    close_run(&run);
}

TEST_MAIN("world/grade_every", TEST(a_load_is_booked_in_its_step_alone),
          TEST(bodies_that_come_between_grades_are_booked),
          TEST(steps_without_grades_have_the_same_states), TEST(so_it_is_in_every_scheme),
          TEST(the_error_that_a_solver_stopped_by_is_told),
          TEST(work_of_blocks_is_that_of_graded_steps),
          TEST(refusals_tell_residuals_of_graded_steps),
          TEST(steps_whose_grades_are_used_are_graded))

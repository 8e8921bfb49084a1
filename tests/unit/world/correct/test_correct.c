// test_correct.c - errors of position: measured, and put back where asked.
#include "cairn/joint.h"
#include "cairn/warning.h"
#include "support/run.h"
#include "world/correct/correct_limits.h"
#include "world/correct/correct_rows.h"

static const CnVec3 zero = {0.0, 0.0, 0.0};
static const CnMaterialId no_material = {0};

static CnWorld* create(CnStabilisation stabilisation) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = zero;
    def.step.stabilisation = stabilisation;
    return run_create(&def);
}

// Balls of 1 and 3 kg along x that overlap by 40 mm, at rest.
static CnStepReport step_overlap(CnStabilisation stabilisation, double* x_light, double* x_heavy) {
    CnWorld* world = create(stabilisation);
    CnBodyId light = run_add_ball(world, 1.0, 0.5, zero, zero, no_material);
    CnBodyId heavy = run_add_ball(world, 3.0, 0.5, cn_vec3(0.96, 0.0, 0.0), zero, no_material);
    CnStepReport report = run_step(world, 0.01);
    *x_light = run_state(world, light).center.x;
    *x_heavy = run_state(world, heavy).center.x - 0.96;
    if (stabilisation != CN_STABILISATION_BAUMGARTE) {
        CHECK_NEAR(cn_vec3_length(run_state(world, light).velocity), 0.0, 0.0);
    }
    cn_world_destroy(world);
    return report;
}

static void the_lighter_body_moves_the_further(void) {
    double light, heavy;
    CnStepReport report = step_overlap(CN_STABILISATION_PROJECTION, &light, &heavy);
    CHECK_NEAR(light, -0.03, 1e-11);
    CHECK_NEAR(heavy, 0.01, 1e-11);
    CHECK(report.penetration <= 1e-11);

    report = step_overlap(CN_STABILISATION_NONE, &light, &heavy);
    CHECK_NEAR(light, 0.0, 0.0);
    CHECK_NEAR(report.penetration, 0.04, 1e-15);

    double share = 0.2 * (0.04 - 1e-4); // beyond the slop
    report = step_overlap(CN_STABILISATION_SPLIT_IMPULSE, &light, &heavy);
    CHECK_NEAR(light, -0.75 * share, 1e-11);
    CHECK_NEAR(heavy, 0.25 * share, 1e-11);
    CHECK_NEAR(report.penetration, 0.04 - share, 1e-11);

    // As a velocity: half of the step is made with it.
    report = step_overlap(CN_STABILISATION_BAUMGARTE, &light, &heavy);
    CHECK_NEAR(light, -0.75 * 0.5 * share, 1e-10);
    CHECK_NEAR(heavy, 0.25 * 0.5 * share, 1e-10);
}

static void one_pass_moves_no_further_than_the_limit(void) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = zero;
    def.step.stabilisation = CN_STABILISATION_SPLIT_IMPULSE;
    def.step.max_correction = 1e-3;
    CnWorld* world = run_create(&def);
    run_add_ground(world, no_material);
    CnBodyId ball = run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 0.4), zero, no_material);
    run_step(world, 0.01);
    CHECK_NEAR(run_state(world, ball).center.z, 0.401, 1e-11);
    cn_world_destroy(world);
}

// Height after a step of 10 ms of a ball of radius 0.5 m that starts at 0.4 m over the ground, and
// the report.
static double step_out(double restitution, double speed, CnStepReport* report) {
    CnWorld* world = create(CN_STABILISATION_PROJECTION);
    CnMaterialId material = run_add_material(world, 0.0, restitution);
    run_add_ground(world, material);
    CnBodyId ball =
        run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 0.4), cn_vec3(0.0, 0.0, speed), material);
    *report = run_step(world, 0.01);
    double height = run_state(world, ball).center.z;
    cn_world_destroy(world);
    return height;
}

// 40 mm are left at 6 m/s: an approach of 12 m/s makes up to 120 mm in a step.
static void a_bounce_is_left_to_itself(void) {
    CnStepReport report;
    CHECK_NEAR(step_out(0.5, 6.0, &report), 0.46, 1e-15);
    CHECK_NEAR(report.penetration, 0.04, 1e-15);
    CHECK_NEAR(report.energy.work[CN_WORK_STABILISATION], 0.0, 0.0);
    CHECK_INT(report.positions.missed, 0);
}

// 90 mm are left at 1 m/s: no approach of a step that ends with a bounce at this speed makes them,
// and without restitution none does.
static void what_parts_without_a_bounce_is_put_back(void) {
    CnStepReport report;
    CHECK_NEAR(step_out(0.5, 1.0, &report), 0.5, 1e-10); // tolerance 1e-8 m/s * 10 ms
    CHECK_NEAR(step_out(0.0, 1.0, &report), 0.5, 1e-10);
    CHECK(report.penetration <= 1e-10);
}

static CnBodyDef wall_at(const char* name, double z, double up, CnShapeDef* plane) {
    CnBodyDef wall = cn_body_def_default();
    *plane = cn_shape_def_default(CN_SHAPE_PLANE);
    plane->normal = cn_vec3(0.0, 0.0, up);
    plane->position = cn_vec3(0.0, 0.0, z);
    wall.name = name;
    wall.type = CN_BODY_STATIC;
    wall.shapes = plane;
    wall.shape_count = 1;
    return wall;
}

// A ball of 1 m between walls that are 0.9 m apart has no place to go: 50 mm on each side are as
// good as it gets. Two small balls between the same walls overlap by 20 mm and have.
static void what_cannot_be_put_right_is_counted_and_named(void) {
    CnWorld* world = create(CN_STABILISATION_PROJECTION);
    CnShapeDef planes[2];
    CnBodyDef floor = wall_at("floor", 0.0, 1.0, &planes[0]);
    CnBodyDef ceiling = wall_at("ceiling", 0.9, -1.0, &planes[1]);
    run_add(world, &floor);
    run_add(world, &ceiling);
    run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 0.45), zero, no_material);
    CnBodyId left = run_add_ball(world, 1.0, 0.1, cn_vec3(5.0, 0.0, 0.5), zero, no_material);
    CnBodyId right = run_add_ball(world, 1.0, 0.1, cn_vec3(5.18, 0.0, 0.5), zero, no_material);
    CnStepReport report;
    CHECK_INT(cn_world_step(world, 0.01, &report, NULL), CN_OK);
    CHECK_INT(report.positions.missed, 1);
    CHECK_NEAR(report.positions.error, 0.05, 1e-6);
    CHECK_NEAR(report.penetration, 0.05, 1e-6);
    ck_assert_str_eq(report.positions.pair, "contact floor/body 2");
    double apart = run_state(world, right).center.x - run_state(world, left).center.x;
    CHECK_NEAR(apart, 0.2, 1e-10); // tolerance 1e-8 m/s * 10 ms

    CnWarning warning;
    CHECK_INT(cn_world_warning_count(world), 1);
    CHECK_INT(cn_world_warning_at(world, 0, &warning), CN_OK);
    CHECK_INT(warning.kind, CN_WARNING_POSITIONS_MISSED);
    cn_world_destroy(world);
}

// A body held at its centre, 10 mm off: error_reduction leaves 0.8 of it.
static void a_pass_takes_its_share_of_joint_errors(void) {
    CnWorld* world = create(CN_STABILISATION_SPLIT_IMPULSE);
    CnBodyDef body = run_body(2.0, cn_vec3(0.3, 0.5, 0.7), zero);
    CnPinData pin = {zero, cn_vec3(0.01, 0.0, 0.0)};
    CnBodyId id = run_add(world, &body);
    run_add_constraint(world, cn_pin_kind(), id, (CnBodyId){0}, &pin, sizeof pin);
    CnStepReport report = run_step(world, 0.01);
    CHECK_NEAR(report.joint_error, 0.008, 1e-11);
    cn_world_destroy(world);
}

// The first overlaps the second by 20 mm, the second touches the third, which touches a wall: all
// of it has to move to the left.
static void nobody_is_pressed_into_a_neighbour(void) {
    CnWorld* world = create(CN_STABILISATION_PROJECTION);
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CnBodyDef wall = cn_body_def_default();
    plane.normal = cn_vec3(-1.0, 0.0, 0.0);
    plane.position = cn_vec3(3.0, 0.0, 0.0);
    wall.type = CN_BODY_STATIC;
    wall.shapes = &plane;
    wall.shape_count = 1;
    run_add(world, &wall);
    const double x[] = {0.52, 1.5, 2.5}, expected[] = {0.5, 1.5, 2.5};
    CnBodyId ball[3];
    for (int i = 0; i < 3; ++i) {
        ball[i] = run_add_ball(world, 1.0, 0.5, cn_vec3(x[i], 0.0, 0.0), zero, no_material);
    }
    run_step(world, 0.01);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(run_state(world, ball[i]).center.x, expected[i], 1e-10);
    }
    cn_world_destroy(world);
}

// A turning body put back to its pin: it moves and turns, but in its own axes spins as before.
static void kinetic_energy_is_not_touched(void) {
    CnWorld* world = create(CN_STABILISATION_PROJECTION);
    CnBodyDef body = run_body(2.0, cn_vec3(0.3, 0.5, 0.7), zero);
    CnBodyId id = run_add(world, &body);
    CnPinData pin = {cn_vec3(0.5, 0.2, 0.0), cn_vec3(0.52, 0.25, 0.03)}; // off by 62 mm
    CnConstraintId joint =
        run_add_constraint(world, cn_pin_kind(), id, (CnBodyId){0}, &pin, sizeof pin);
    CnStepReport report = run_step(world, 0.01);
    double force[CN_MAX_ROWS], value[CN_MAX_ROWS];
    CHECK_INT(cn_constraint_read(world, joint, force, value), CN_OK);
    CHECK(report.joint_error <= 1e-11);
    CHECK_NEAR(hypot(value[0], hypot(value[1], value[2])), 0.0, 2e-11);
    CHECK(cn_vec3_length(run_state(world, id).center) > 0.01); // it did move, and
    CHECK(run_state(world, id).rotation.w < 1.0 - 1e-6);       // turn
    CHECK_NEAR(report.energy.end, 0.0, 1e-18);
    cn_world_destroy(world);
}

// Two balls on a rod, one thrown square to it: the step is posed where the rod has kept its length,
// in the metric of the masses, and a world that has stepped before must know no more about it.
static void the_first_step_is_posed_like_any_other(void) {
    CnBodyState first[2], again[2];
    for (int later = 0; later < 2; ++later) {
        CnWorld* world = create(CN_STABILISATION_PROJECTION);
        CnBodyId ball[2];
        CnBodyState thrown[2];
        for (int i = 0; i < 2; ++i) {
            ball[i] = run_add_ball(world, 1.0 + 3.0 * i, 0.1, cn_vec3(1.0 * i, 0.0, 0.0),
                                   cn_vec3(0.0, i == 0 ? 5.0 : 0.0, 0.0), no_material);
            thrown[i] = run_state(world, ball[i]);
        }
        CnJointDef rod = cn_joint_def_default(CN_JOINT_DISTANCE);
        rod.body_a = ball[0];
        rod.body_b = ball[1];
        rod.point_b = cn_vec3(1.0, 0.0, 0.0);
        CHECK(cn_world_add_joint(world, &rod, NULL).index != 0);
        if (later == 1) {
            run_step(world, 0.01);
            for (int i = 0; i < 2; ++i) {
                CHECK_INT(cn_body_set_state(world, ball[i], &thrown[i], NULL), CN_OK);
            }
        }
        run_step(world, 0.01);
        for (int i = 0; i < 2; ++i) {
            (later == 1 ? again : first)[i] = run_state(world, ball[i]);
        }
        cn_world_destroy(world);
    }
    for (int i = 0; i < 2; ++i) {
        // The second starts from impulses of its past: equal to the solver's 1e-8 m/s.
        CHECK_NEAR(cn_vec3_length(cn_vec3_sub(first[i].velocity, again[i].velocity)), 0.0, 1e-7);
    }
}

// Of four balls of radius 0.5 m in a row the first two overlap by 0.4 m. The third is 0.15 m away,
// beyond what contacts are looked for within, and touches the fourth: it is no part of the
// correction until it is run into, and then takes the fourth along. Contacts push both sides alike,
// so the centre of the four stays.
static void what_a_correction_runs_into_is_pushed_on(void) {
    const double start[4] = {0.0, 0.6, 1.75, 2.75};
    CnWorld* world = create(CN_STABILISATION_PROJECTION);
    CnBodyId balls[4];
    double x[4], sum = 0.0;
    for (int i = 0; i < 4; ++i) {
        balls[i] = run_add_ball(world, 1.0, 0.5, cn_vec3(start[i], 0.0, 0.0), zero, no_material);
    }
    CnStepReport report = run_step(world, 0.01);
    for (int i = 0; i < 4; ++i) {
        x[i] = run_state(world, balls[i]).center.x;
        sum += x[i] - start[i];
    }
    for (int i = 0; i + 1 < 4; ++i) {
        CHECK(x[i + 1] - x[i] >= 1.0 - 1e-9); // the tolerance is 1e-8 m/s in 10 ms, and some
    }
    CHECK(x[3] > start[3] + 1e-3);
    CHECK_NEAR(sum, 0.0, 1e-12); // round-off of some passes
    CHECK_INT(report.positions.missed, 0);
    CHECK(report.penetration <= 1e-9);
    cn_world_destroy(world);
}

// A ball that overlaps the ground is put back; another one, which overlaps by less than the
// tolerance of 1e-10 m, is not touched, and its overlap is still the one that is reported.
static void who_is_within_the_tolerance_is_left_alone(void) {
    const double shallow = 5e-11; // [m]
    CnWorld* world = create(CN_STABILISATION_PROJECTION);
    run_add_ground(world, no_material);
    CnBodyId deep = run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 0.49), zero, no_material);
    CnBodyId other =
        run_add_ball(world, 1.0, 0.5, cn_vec3(5.0, 0.0, 0.5 - shallow), zero, no_material);
    CnStepReport report = run_step(world, 0.01);
    CHECK_NEAR(run_state(world, deep).center.z, 0.5, 1e-10);
    CHECK_NEAR(run_state(world, other).center.z, 0.5 - shallow, 0.0);
    CHECK_NEAR(report.penetration, shallow, 1e-15); // of coordinates of 0.5 m
    cn_world_destroy(world);
}

// stabilisation.md (13), (14). Rows of the step are those of its velocities, but ahead of it those
// of an earlier step, which a world that was saved and loaded does not have.
static void work_for_positions_does_not_depend_on_earlier_steps(void) {
    CnWorld* world = create(CN_STABILISATION_PROJECTION);
    const CnStepReport nothing = {0}, much = {.work = 1e9};
    double alone = cn_correction_budget(world, true, 100, false, &nothing);
    CHECK_NEAR(alone, 2e7 + 1e4 * 100.0, 0.0);
    world->step.tile_row_count = 3000;
    world->step.rows.row_count = 200;
    CHECK_NEAR(cn_correction_budget(world, true, 100, false, &nothing), alone, 0.0);
    CHECK_NEAR(cn_correction_budget(world, false, 100, false, &nothing),
               2e7 + 1e4 * 3200.0 + 4e4 * 200.0, 0.0);
    CHECK_NEAR(cn_correction_budget(world, false, 5000, false, &nothing),
               2e7 + 1e4 * 5000.0 + 4e4 * 200.0, 0.0);
    CHECK_NEAR(cn_correction_budget(world, false, 5000, true, &nothing), 1e8 + 3e4 * 5000.0, 0.0);
    world->step.tile_row_count = 700;
    world->step.rows.row_count = 2500;
    CHECK_NEAR(cn_correction_budget(world, false, 100, true, &nothing), // of machines is more
               2e7 + 1e4 * 3200.0 + 4e4 * 2500.0, 0.0);
    world->step.rows.row_count = 200;
    CHECK_NEAR(cn_correction_budget(world, false, 5000, false, &much), much.work, 0.0);
    world->def.solver.work_budget = 5.0;
    CHECK_NEAR(cn_correction_budget(world, false, 5000, false, &much), 5.0, 0.0);
    world->step.tile_row_count = world->step.rows.row_count = 0;
    cn_world_destroy(world);
}

// Bodies 0 and 2 are on the world, 1 on 0: two islands, of which the first is asked for 3 and 4 mm
// in one block and 1 mm in another. Displacements give 1 mm of the 3, and too much of the last.
static void what_rows_leave_is_found_island_by_island(void) {
    CnWorld* world = create(CN_STABILISATION_PROJECTION);
    double row_a[4][6] = {{1.0}, {0.0, 1.0}, {1.0}, {1.0}}, row_b[4][6] = {{0.0}};
    double target[4] = {3e-3, 4e-3, 1e-3, 0.5e-3}, zero_rows[4] = {0.0};
    double displacement[3][6] = {{1e-3}, {0.0}, {8e-3}}, left[2] = {0.0};
    const CnBlock blocks[4] = {
        {.body_a = 0, .body_b = -1, .law = CN_LAW_EQUALITY, .first_row = 0, .row_count = 2},
        {.body_a = 1, .body_b = 0, .law = CN_LAW_EQUALITY, .first_row = 2, .row_count = 1},
        {.body_a = -1, .body_b = 2, .law = CN_LAW_EQUALITY, .first_row = 3, .row_count = 1},
        {.body_a = 2, .body_b = -1, .law = CN_LAW_COULOMB, .first_row = 0, .row_count = 1}};
    const int group[3] = {0, 0, 1};
    row_b[3][0] = 1.0;
    world->correction.problem = (CnProblem){.body_count = 3,
                                            .block_count = 4,
                                            .blocks = blocks,
                                            .row_count = 4,
                                            .jacobian_a = (const double(*)[6])row_a,
                                            .jacobian_b = (const double(*)[6])row_b,
                                            .target = target,
                                            .compliance = zero_rows};
    double(*kept)[6] = world->correction.displacement, *impulse = world->correction.rows.impulse;
    world->correction.displacement = displacement;
    world->correction.rows.impulse = zero_rows;
    cn_correction_find_left(world, group, left);
    CHECK_NEAR(left[0], sqrt(4e-6 + 16e-6), 1e-17);
    CHECK_NEAR(left[1], 7.5e-3, 1e-17);
    world->correction.displacement = kept;
    world->correction.rows.impulse = impulse;
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/correct/correct", TEST(what_rows_leave_is_found_island_by_island),
          TEST(what_a_correction_runs_into_is_pushed_on),
          TEST(work_for_positions_does_not_depend_on_earlier_steps),
          TEST(who_is_within_the_tolerance_is_left_alone), TEST(the_lighter_body_moves_the_further),
          TEST(one_pass_moves_no_further_than_the_limit), TEST(a_bounce_is_left_to_itself),
          TEST(what_parts_without_a_bounce_is_put_back),
          TEST(what_cannot_be_put_right_is_counted_and_named),
          TEST(a_pass_takes_its_share_of_joint_errors), TEST(nobody_is_pressed_into_a_neighbour),
          TEST(kinetic_energy_is_not_touched), TEST(the_first_step_is_posed_like_any_other))

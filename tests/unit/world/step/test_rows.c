// test_rows.c - room for rows, and what user constraints write there.
#include "support/run.h"
#include "world/step/rows.h"

static const CnVec3 zero = {0.0, 0.0, 0.0};
static const CnBodyId nobody = {0};

static void rows_grow_and_keep_what_was_written(void) {
    CnAllocator allocator = {0};
    CnRows rows = {0};
    CnBlockSource source = {.manifold = -1, .constraint = -1};
    for (int i = 0; i < 500; ++i) {
        int count = 1 + i % CN_MAX_ROWS;
        CnBlock* block = cn_rows_add(&rows, &allocator, CN_LAW_EQUALITY, count, source);
        CHECK(block != NULL && block->row_count == count && block->body_a == -1);
        for (int k = 0; k < count; ++k) {
            int row = block->first_row + k;
            CHECK_NEAR(rows.target[row] + rows.impulse[row] + rows.jacobian_a[row][5], 0.0, 0.0);
            CHECK(isinf(rows.lower[row]) && isinf(rows.upper[row]));
            rows.target[row] = row;
            rows.jacobian_b[row][3] = -row;
        }
    }
    for (int row = 0; row < rows.row_count; ++row) {
        CHECK_NEAR(rows.target[row], row, 0.0);
        CHECK_NEAR(rows.jacobian_b[row][3], -row, 0.0);
    }
    CnProblem view = cn_rows_view(&rows);
    CHECK_INT(view.block_count, 500);
    CHECK_INT(view.row_count, rows.row_count);
    CHECK_INT(view.blocks[499].first_row + view.blocks[499].row_count, rows.row_count);
    int capacity = rows.row_capacity;
    cn_rows_clear(&rows);
    CHECK_INT(rows.row_count + rows.blocks.count, 0);
    cn_rows_add(&rows, &allocator, CN_LAW_BOUNDS, 3, source);
    CHECK_NEAR(rows.target[2], 0.0, 0.0); // zeroed again
    CHECK_INT(rows.row_capacity, capacity);
    cn_rows_free(&rows, &allocator);
}

static void a_direction_pushes_its_two_bodies_apart(void) {
    CnAllocator allocator = {0};
    CnRows rows = {0};
    CnBlock* block = cn_rows_add(&rows, &allocator, CN_LAW_EQUALITY, 1,
                                 (CnBlockSource){.manifold = -1, .constraint = -1});
    block->body_a = 0;
    block->body_b = 1;
    cn_rows_set_direction(&rows, 0, block, cn_vec3(0.0, 0.0, 1.0), cn_vec3(1.0, 0.0, 0.0),
                          cn_vec3(0.0, 2.0, 0.0));
    const double a[6] = {0.0, 0.0, -1.0, 0.0, 1.0, 0.0}, b[6] = {0.0, 0.0, 1.0, 2.0, 0.0, 0.0};
    for (int i = 0; i < 6; ++i) {
        CHECK_NEAR(rows.jacobian_a[0][i], a[i], 0.0);
        CHECK_NEAR(rows.jacobian_b[0][i], b[i], 0.0);
    }
    cn_rows_free(&rows, &allocator);
}

// A constraint with everything given: C = z - offset - speed t, forces within bounds.
typedef struct Lift {
    double offset, speed, lower, upper;
    bool active;
} Lift;

static void lift_evaluate(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                          double* value) {
    (void)b;
    const Lift* lift = data;
    value[0] = a->center.z - lift->offset - lift->speed * time;
}

static void lift_jacobian(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                          double* jacobian_a, double* jacobian_b) {
    (void)a;
    (void)b;
    (void)time;
    (void)data;
    (void)jacobian_b;
    jacobian_a[2] = 1.0;
}

static void lift_time_rate(const CnBodyState* a, const CnBodyState* b, double time,
                           const void* data, double* rate) {
    (void)a;
    (void)b;
    (void)time;
    rate[0] = -((const Lift*)data)->speed;
}

static void lift_bounds(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                        double* lower, double* upper) {
    (void)a;
    (void)b;
    (void)time;
    lower[0] = ((const Lift*)data)->lower;
    upper[0] = ((const Lift*)data)->upper;
}

static bool lift_active(const CnBodyState* a, const CnBodyState* b, double time, const void* data) {
    (void)a;
    (void)b;
    (void)time;
    return ((const Lift*)data)->active;
}

static const CnConstraintKind lift_kind = {
    .name = "lift",
    .body_count = 1,
    .dimension = 1,
    .evaluate = lift_evaluate,
    .jacobian = lift_jacobian,
    .time_rate = lift_time_rate,
    .force_bounds = lift_bounds,
    .is_active = lift_active,
};

static const double infinite = (double)INFINITY;

static CnRowRole role_of(double lower, double upper) {
    Lift lift = {.lower = lower, .upper = upper, .active = true};
    CnUserConstraint constraint = {.kind = &lift_kind, .data = &lift};
    CnBoundConstraint bound = {.constraint = &constraint};
    CnRowLimits limits[CN_MAX_ROWS];
    cn_world_row_limits(&bound, 0.0, limits);
    return limits[0].role;
}

static void bounds_tell_what_a_row_is_for(void) {
    CHECK_INT(role_of(-infinite, infinite), CN_ROW_KEEPS);
    CHECK_INT(role_of(0.0, infinite), CN_ROW_PUSHES);
    CHECK_INT(role_of(-infinite, 0.0), CN_ROW_PULLS);
    CHECK_INT(role_of(-5.0, infinite), CN_ROW_DRIVES);
    CHECK_INT(role_of(-5.0, 5.0), CN_ROW_DRIVES);
    CHECK_INT(role_of(0.0, 0.0), CN_ROW_DRIVES);
}

// A unit mass at z = 0 that moves up at 3 m/s, posed at theta = 0.75 with dt = 0.01.
static double target_of(CnStabilisation stabilisation, Lift lift, bool position_level) {
    CnWorldDef def = cn_world_def_default();
    def.step.stabilisation = stabilisation;
    CnWorld* world = run_create(&def);
    CnBodyDef body = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), zero);
    body.velocity = cn_vec3(0.0, 0.0, 3.0);
    CnBodyId id = run_add(world, &body);
    lift.active = true;
    run_add_constraint(world, &lift_kind, id, nobody, &lift, sizeof lift);
    CnBodyState state = run_state(world, id);
    CnPosing posing = {.states = &state, .dt = 0.01, .theta = 0.75};
    posing.position_level = position_level;
    CHECK_INT(cn_active_update(world), CN_OK);
    CHECK_INT(cn_world_add_constraint_rows(world, &posing), CN_OK);
    const CnRows* rows = &world->step.rows;
    double target = rows->target[0];
    CHECK_INT(rows->blocks.data[0].law, CN_LAW_BOUNDS);
    if (isfinite(lift.lower)) {
        CHECK_NEAR(rows->lower[0], 0.01 * lift.lower, 1e-15);
    }
    cn_world_destroy(world);
    return target;
}

static void each_case_of_a_constraint_row_asks_for_its_velocity(void) {
    const CnStabilisation none = CN_STABILISATION_NONE, pushing = CN_STABILISATION_BAUMGARTE;
    const struct {
        const char* what;
        CnStabilisation stabilisation;
        Lift lift;
        bool position_level;
        double target;
    } cases[] = {
        // The rate before is 3 - 1 = 2: (1 - theta) 2 + theta rate = 0 gives rate = -2/3.
        {"kept", none, {0.5, 1.0, -infinite, infinite, true}, false, 1.0 - 2.0 / 3.0},
        {"kept, positions", none, {0.5, 1.0, -infinite, infinite, true}, true, 1.0 + 50.0},
        {"kept, share of 0.2", pushing, {0.05, 1.0, -infinite, infinite, true}, false, 1.0 + 1.0},
        {"kept, at most 0.2 m", pushing, {9.0, 1.0, -infinite, infinite, true}, false, 1.0 + 20.0},
        {"pushed, open by 0.5", none, {-0.5, 1.0, 0.0, infinite, true}, false, 1.0 - 50.0},
        {"pushed, closed", none, {0.5, 1.0, 0.0, infinite, true}, false, 1.0},
        {"pushed, share", pushing, {0.0501, 1.0, 0.0, infinite, true}, false, 1.0 + 1.0},
        {"pulled, open by 0.5", none, {0.5, 1.0, -infinite, 0.0, true}, false, 1.0 + 50.0},
        {"pulled, closed", none, {-0.5, 1.0, -infinite, 0.0, true}, false, 1.0},
        {"pulled, share", pushing, {-0.0501, 1.0, -infinite, 0.0, true}, false, 1.0 - 1.0},
        {"driven", pushing, {-0.5, 1.0, -5.0, 5.0, true}, false, 1.0},
        {"driven, half open bounds", pushing, {-0.5, 1.0, -5.0, infinite, true}, true, 1.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        double target = target_of(cases[i].stabilisation, cases[i].lift, cases[i].position_level);
        ck_assert_msg(fabs(target - cases[i].target) <= 1e-12, "%s: %.17g, expected %.17g",
                      cases[i].what, target, cases[i].target);
    }
}

// A lift that runs at 1 m/s with a motor for 20 N under a body of 9.81 N: it takes hold after
// 1 m/s / (10.19 m/s^2), then follows; and no position error is put back.
static void a_drive_reaches_its_speed_as_its_force_allows(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnBodyDef body = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), zero);
    CnBodyId id = run_add(world, &body);
    Lift lift = {0.0, 1.0, 0.0, 20.0, true};
    CnConstraintId motor = run_add_constraint(world, &lift_kind, id, nobody, &lift, sizeof lift);
    double force[CN_MAX_ROWS], value[CN_MAX_ROWS];
    for (int i = 0; i < 50; ++i) {
        run_step(world, 1e-3);
        CHECK_INT(cn_constraint_read(world, motor, force, value), CN_OK);
        CHECK_NEAR(force[0], 20.0, 1e-9);
        CHECK_NEAR(run_state(world, id).velocity.z, (i + 1) * 1e-3 * 10.19, 1e-12);
    }
    run_steps(world, 1e-3, 100);
    CHECK_INT(cn_constraint_read(world, motor, force, value), CN_OK);
    CHECK_NEAR(run_state(world, id).velocity.z, 1.0, 1e-8);
    CHECK_NEAR(force[0], 9.81, 1e-4); // 1e-8 m/s of tolerance, twice, over 1 ms
    CHECK(value[0] < -0.04);          // it lags by about v^2 / (2 a) = 49 mm, and stays so
    cn_world_destroy(world);
}

static void an_inactive_constraint_reads_as_zero(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnBodyDef body = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), zero);
    CnBodyId id = run_add(world, &body);
    Lift lift = {-1.0, 0.0, -infinite, infinite, false};
    CnConstraintId off = run_add_constraint(world, &lift_kind, id, nobody, &lift, sizeof lift);
    CnStepReport report = run_step(world, 1e-3);
    double force[CN_MAX_ROWS], value[CN_MAX_ROWS];
    CHECK_INT(report.row_count, 0);
    CHECK_NEAR(report.joint_error, 0.0, 0.0);
    CHECK_INT(cn_constraint_read(world, off, force, value), CN_OK);
    CHECK_NEAR(force[0] + value[0], 0.0, 0.0);
    cn_world_destroy(world);
}

// A rope that pulls only: C = |x| - 1 <= 0. It is slack for sqrt(2/g) s, then taut.
static void rope_bounds(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                        double* lower, double* upper) {
    (void)a;
    (void)b;
    (void)time;
    (void)data;
    lower[0] = -infinite;
    upper[0] = 0.0;
}

static void a_rope_catches_a_falling_body_without_stretching(void) {
    CnConstraintKind rope = *cn_anchor_distance_kind();
    rope.force_bounds = rope_bounds;
    for (int i = 0; i < CN_STABILISATION_COUNT; ++i) {
        CnWorldDef def = cn_world_def_default();
        def.step.stabilisation = (CnStabilisation)i;
        CnWorld* world = run_create(&def);
        CnBodyDef body = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), cn_vec3(0.0, 0.0, -0.1));
        CnBodyId id = run_add(world, &body);
        CnAnchorDistanceData data = {zero, zero, 1.0};
        CnConstraintId taut = run_add_constraint(world, &rope, id, nobody, &data, sizeof data);
        for (int k = 0; k < 1000; ++k) { // 0.43 s to fall 0.9 m
            CnStepReport report = run_step(world, 1e-3);
            CHECK(report.joint_error <= 1e-10); // 1e-8 m/s of tolerance over 1 ms, a few steps
        }
        double force[CN_MAX_ROWS], value[CN_MAX_ROWS];
        CHECK_INT(cn_constraint_read(world, taut, force, value), CN_OK);
        CHECK_NEAR(run_state(world, id).center.z, -1.0, 1e-9);
        CHECK_NEAR(force[0], -9.81, 2e-5);
        cn_world_destroy(world);
    }
}

TEST_MAIN("unit/world/step/rows", TEST(rows_grow_and_keep_what_was_written),
          TEST(a_direction_pushes_its_two_bodies_apart), TEST(bounds_tell_what_a_row_is_for),
          TEST(each_case_of_a_constraint_row_asks_for_its_velocity),
          TEST(a_drive_reaches_its_speed_as_its_force_allows),
          TEST(an_inactive_constraint_reads_as_zero),
          TEST(a_rope_catches_a_falling_body_without_stretching))

// test_project_trees.c - joints are put right along their trees, nearest in the mass metric.
#include "world/correct/project_trees.h"

#include "builtin/builtin_scenes.h"
#include "support/run.h"
#include "world/trees/tree_store.h"

#include <math.h>
#include <string.h>

#define TOLERANCE 1e-11 // [m or rad]
#define SHIFT 1e-4      // [m]

typedef struct Shaken {
    CnWorld* world;
    CnBodyState *before, *states; // [bodies]
    CnTreeProjection projection;
} Shaken;

// A scene after some steps, its bodies shifted off their joints.
static void shake(Shaken* it, const char* scene, int steps) {
    it->world = run_open(scene);
    size_t count = (size_t)cn_world_body_count(it->world);
    it->before = calloc(count, sizeof *it->before);
    it->states = calloc(count, sizeof *it->states);
    for (int i = 0; i < steps; ++i) {
        run_step(it->world, 1e-3);
    }
    for (size_t i = 0; i < count; ++i) {
        it->states[i] = cn_world_body_by_index(it->world, (int)i)->state;
        it->states[i].center.x += SHIFT * ((double)(i * 7 % 5) - 2.0);
        it->states[i].center.y += SHIFT * ((double)(i * 3 % 7) - 3.0);
    }
    memcpy(it->before, it->states, count * sizeof *it->states);
    it->projection = (CnTreeProjection){.world = it->world,
                                        .instant = {.time = cn_world_time(it->world)},
                                        .tolerance = TOLERANCE,
                                        .states = it->states};
    CnPositionErrors errors;
    cn_positions_evaluate(it->world, it->states, it->projection.instant);
    cn_positions_sum_up(it->world, it->states, it->projection.instant, NULL, &errors);
    CHECK(errors.pending > SHIFT);
}

static void let_go(Shaken* it) {
    cn_world_destroy(it->world);
    free(it->before);
    free(it->states);
}

static void errors_of_trees_vanish(void) {
    static const char* const scenes[] = {"@robot:3", "@chain:9", "@hinges:12", "@ragdolls:1",
                                         "@stewart"};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        Shaken it;
        bool serves = false;
        shake(&it, scenes[i], 5);
        CHECK_INT(cn_project_trees(&it.projection, &serves), CN_OK);
        ck_assert_msg(serves && it.projection.moved, "%s", scenes[i]);
        CHECK(it.projection.left.pending <= TOLERANCE);
        let_go(&it);
    }
}

// Joints push their two bodies alike: the centre of mass of a doll stays where it is. The first
// pass moves by SHIFT and keeps it to round-off, the second by about SHIFT squared.
static void a_doll_that_floats_keeps_its_centre(void) {
    Shaken it;
    bool serves = false;
    CnVec3 sum = {0.0, 0.0, 0.0};
    shake(&it, "@ragdolls:1", 1);
    CHECK_INT(cn_project_trees(&it.projection, &serves), CN_OK);
    CHECK(serves && it.projection.moved);
    for (int i = 0; i < cn_world_body_count(it.world); ++i) {
        CnVec3 shift = cn_vec3_sub(it.states[i].center, it.before[i].center);
        sum = cn_vec3_add_scaled(sum, cn_world_body_by_index(it.world, i)->mass->mass, shift);
    }
    CHECK_NEAR(cn_vec3_length(sum), 0.0, 1e-13); // 70 kg of 1e-4 m with 16 digits
    let_go(&it);
}

// Many loops, and rows of gears, are for the general correction: nothing has moved.
static void many_loops_are_left_alone(void) {
    static const char* const scenes[] = {"@net:8", TEST_SOURCE_DIR "/tests/golden/joints.json"};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        Shaken it;
        bool serves = true;
        shake(&it, scenes[i], 2);
        CHECK_INT(cn_project_trees(&it.projection, &serves), CN_OK);
        CHECK(!serves && !it.projection.moved);
        size_t bytes = (size_t)cn_world_body_count(it.world) * sizeof *it.states;
        CHECK(memcmp(it.states, it.before, bytes) == 0);
        let_go(&it);
    }
}

// Steps of the robot press some of its stops all the time: none is passed at the end of a step.
static void stops_are_not_passed(void) {
    CnWorld* world = run_open("@robot:3");
    int pressed = 0;
    for (int step = 0; step < 600; ++step) {
        CnStepReport report = run_step(world, 1e-3);
        CHECK(report.joint_error <= TOLERANCE && report.joint_angle_error <= TOLERANCE);
    }
    for (int i = 0; i < cn_pool_slot_count(&world->constraints); ++i) {
        const CnUserConstraint* constraint = cn_pool_at(&world->constraints, i);
        bool is_stop = constraint != NULL && (constraint->role[0] == CN_ROW_PUSHES ||
                                              constraint->role[0] == CN_ROW_PULLS);
        pressed += is_stop && fabs(constraint->value[0]) < 1e-9;
    }
    CHECK(pressed > 0);
    cn_world_destroy(world);
}

// A body that is nowhere: joints that hold elsewhere do not hide it.
static void a_body_that_is_nowhere_is_not_served(void) {
    Shaken it;
    bool serves = true;
    shake(&it, "@hinges:12", 5);
    it.projection.tolerance = 1.0; // [m or rad], so that nothing else is to be put right
    it.states[it.world->trees->links[0].body].center.x = NAN;
    CHECK_INT(cn_project_trees(&it.projection, &serves), CN_OK);
    CHECK(!serves);
    let_go(&it);
}

// Values and roles of all constraints at the shaken states.
static void list_values(Shaken* it, double (*value)[CN_MAX_ROWS], uint8_t (*role)[CN_MAX_ROWS]) {
    cn_positions_evaluate(it->world, it->states, it->projection.instant);
    for (int i = 0; i < cn_pool_slot_count(&it->world->constraints); ++i) {
        const CnUserConstraint* constraint = cn_pool_at(&it->world->constraints, i);
        memcpy(value[i], constraint->value, sizeof *value);
        memcpy(role[i], constraint->role, sizeof *role);
    }
}

// Machines with contacts are measured as a whole: along trees, to the bits of their functions.
static void trees_measure_what_functions_do(void) {
    static const char* const scenes[] = {"@robot:3", "@grasp", "@ragdolls:1", "@stewart", "@net:8"};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        Shaken it;
        shake(&it, scenes[i], 20);
        size_t slots = (size_t)cn_pool_slot_count(&it.world->constraints);
        double(*value)[CN_MAX_ROWS] = calloc(2 * slots, sizeof *value);
        uint8_t(*role)[CN_MAX_ROWS] = calloc(2 * slots, sizeof *role);
        list_values(&it, value, role);
        CHECK(cn_trees_are_at(it.world, CN_TREES_AT_END));
        it.world->trees->serves = false;
        list_values(&it, value + slots, role + slots);
        CHECK(memcmp(value, value + slots, slots * sizeof *value) == 0);
        CHECK(memcmp(role, role + slots, slots * sizeof *role) == 0);
        free(value);
        free(role);
        let_go(&it);
    }
}

// ---- constraints that come to act ----

#define LATE 0.1 // when they do [s]

static void late_value(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                       double* value) {
    (void)b;
    (void)time;
    (void)data;
    value[0] = a->center.x - 0.3;
}

static void late_jacobian(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                          double* row_a, double* row_b) {
    (void)a;
    (void)b;
    (void)time;
    (void)data;
    (void)row_b;
    row_a[0] = 1.0;
}

static bool is_late(const CnBodyState* a, const CnBodyState* b, double time, const void* data) {
    (void)a;
    (void)b;
    (void)data;
    return time > LATE;
}

static void no_force(const double* value, const double* rate, double time, const void* data,
                     double* force, double* by_value, double* by_rate) {
    (void)value;
    (void)rate;
    (void)time;
    (void)data;
    force[0] = by_value[0] = by_rate[0] = 0.0;
}

// With a joint elsewhere and with or without a contact: whoever corrects positions sees it.
static void constraints_that_come_to_act_are_measured(void) {
    const CnConstraintKind equality = {.name = "late",
                                       .body_count = 1,
                                       .dimension = 1,
                                       .evaluate = late_value,
                                       .jacobian = late_jacobian,
                                       .is_active = is_late};
    CnConstraintKind force = equality;
    force.force = no_force;
    for (int k = 0; k < 4; ++k) {
        CnWorldDef def = cn_world_def_default();
        CnWorld* world = run_create(&def);
        const CnMaterialId none = {0};
        if (k % 2 == 1) {
            run_add_ground(world, none);
        }
        CnBodyId held = run_add_ball(world, 1.0, 0.5, cn_vec3(5, 0, 0.5), cn_vec3(0, 0, 0), none);
        CnBodyId ball = run_add_ball(world, 1.0, 0.5, cn_vec3(0, 0, 3), cn_vec3(0, 0, 0), none);
        CnJointDef joint = cn_joint_def_default(CN_JOINT_BALL);
        joint.body_a = held;
        CHECK(cn_world_add_joint(world, &joint, NULL).index != 0);
        CnConstraintId late =
            run_add_constraint(world, k < 2 ? &equality : &force, ball, (CnBodyId){0}, NULL, 0);
        for (int i = 0; i < 20; ++i) {
            CHECK_INT(cn_world_step(world, 0.01, NULL, NULL), CN_OK);
        }
        double forces[CN_MAX_ROWS], value[CN_MAX_ROWS];
        CHECK_INT(cn_constraint_read(world, late, forces, value), CN_OK);
        double x = run_state(world, ball).center.x;
        CHECK_NEAR(x, k < 2 ? 0.3 : 0.0,
                   1e-9); // the tolerance of corrections, 1e-10 m, and a reserve
        CHECK_NEAR(value[0], x - 0.3, 1e-12);
        cn_world_destroy(world);
    }
}

TEST_MAIN("unit/world/correct/project_trees", TEST(constraints_that_come_to_act_are_measured),
          TEST(errors_of_trees_vanish), TEST(trees_measure_what_functions_do),
          TEST(a_doll_that_floats_keeps_its_centre), TEST(many_loops_are_left_alone),
          TEST(stops_are_not_passed), TEST(a_body_that_is_nowhere_is_not_served))

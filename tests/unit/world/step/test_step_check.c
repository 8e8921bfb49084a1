// test_step_check.c - steps that leave a body too fast, or numbers that overflow, fail.
#include "cairn/joint.h"
#include "support/run.h"

static const CnVec3 zero = {0.0, 0.0, 0.0};

static CnWorld* create(double speed_limit, const CnBodyDef* body) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = zero;
    def.step.speed_limit = speed_limit;
    CnWorld* world = run_create(&def);
    run_add(world, body);
    return world;
}

static CnBodyDef create_bob(const char* name) {
    CnBodyDef body = run_body(2.0, cn_vec3(1.0, 1.0, 1.0), zero);
    body.name = name;
    return body;
}

// The world stays as it is, and the message has every one of these words.
static void check_refused(CnWorld* world, const char* const words[], int count) {
    uint64_t hash = cn_world_hash(world);
    CnError error;
    CHECK(cn_world_step(world, 0.01, NULL, &error) == CN_UNSUPPORTED);
    CHECK(cn_world_hash(world) == hash);
    CHECK_NEAR(cn_world_time(world), 0.0, 0.0);
    for (int i = 0; i < count; ++i) {
        ck_assert_msg(strstr(error.message, words[i]) != NULL, "%s: no %s", error.message,
                      words[i]);
    }
    cn_world_destroy(world);
}

// 1e9 N on 2 kg for 10 ms: 5e6 m/s.
static CnWorld* create_pushed(double speed_limit) {
    CnBodyDef body = create_bob("bob");
    CnWorld* world = create(speed_limit, &body);
    CnForceDef push = cn_force_def_default();
    push.body = cn_world_body_at(world, 0);
    push.force = cn_vec3(1e9, 0.0, 0.0);
    CHECK(cn_world_add_force(world, &push, NULL).index != 0);
    return world;
}

static void a_step_that_leaves_a_body_too_fast_is_refused_by_name(void) {
    const char* const words[] = {"body 0 \"bob\"", "5e+06 m/s", "speed_limit", "100000 m/s"};
    CHECK_NEAR(cn_world_def_default().step.speed_limit, 1e5, 0.0);
    check_refused(create_pushed(1e5), words, 4);
}

static void a_body_that_starts_too_fast_is_told_so(void) {
    const char* const words[] = {"body 0 \"bob\"", "200000 m/s",
                                 "faster already as the step begins"};
    CnBodyDef body = create_bob("bob");
    body.velocity = cn_vec3(2e5, 0.0, 0.0);
    check_refused(create(1e5, &body), words, 3);
}

static void zero_is_no_limit(void) {
    CnWorld* world = create_pushed(0.0);
    CHECK(cn_world_step(world, 0.01, NULL, NULL) == CN_OK);
    CHECK_NEAR(run_state(world, cn_world_body_at(world, 0)).velocity.x, 5e6, 1e-6);
    cn_world_destroy(world);
}

// Radius of gyration sqrt(1.5 / 2) m: 1.2e5 rad/s are 1.04e5 m/s.
static void turning_counts_at_the_radius_of_gyration(void) {
    const char* const words[] = {"\"top\"", "103923 m/s", "120000 rad/s"};
    CnBodyDef body = create_bob("top");
    body.angular_velocity.z = 1.2e5;
    check_refused(create(1e5, &body), words, 3);
    body.angular_velocity.z = 1.1e5; // 0.95e5 m/s
    CnWorld* world = create(1e5, &body);
    CHECK(cn_world_step(world, 0.01, NULL, NULL) == CN_OK);
    cn_world_destroy(world);
}

static void what_the_user_drives_may_be_faster(void) {
    CnBodyDef body = cn_body_def_default();
    body.type = CN_BODY_KINEMATIC;
    body.velocity.x = 1e7;
    CnWorld* world = create(1e5, &body);
    CHECK(cn_world_step(world, 0.01, NULL, NULL) == CN_OK);
    cn_world_destroy(world);
}

static void a_limit_below_zero_is_refused(void) {
    CnWorldDef def = cn_world_def_default();
    CnError error;
    def.step.speed_limit = -1.0;
    CHECK(cn_world_create(&def, &error) == NULL);
    CHECK(strstr(error.message, "speed_limit") != NULL);
}

// 2 kg at 1e160 m/s: 2e320 J are beyond the largest number, 1.8e308, though every state is one.
static void an_energy_that_overflows_is_a_failure_by_name(void) {
    const char* const words[] = {"overflows", "energy", "body 0 \"comet\"", "1e+160 m/s"};
    CnBodyDef body = create_bob("comet");
    body.velocity.y = 1e160;
    check_refused(create(0.0, &body), words, 4);
}

// 1e200 m away, at 1e110 m/s: only the angular momentum overflows.
static void a_momentum_that_overflows_is_a_failure_by_name(void) {
    const char* const words[] = {"overflows", "momentum", "\"comet\"", "1e+200 m from the origin"};
    CnBodyDef body = create_bob("comet");
    body.position.x = 1e200;
    body.velocity.y = 1e110;
    check_refused(create(0.0, &body), words, 4);
}

// 1e308 m within 10 ms is a speed beyond the largest number, 1.8e308 m/s.
static void a_motion_that_overflows_is_a_failure_by_name(void) {
    const char* const words[] = {"overflows", "leap"};
    CnBodyDef body = create_bob("bob");
    CnWorld* world = create(0.0, &body);
    CnSeriesDef series = {.name = "far",
                          .count = 2,
                          .times = (double[]){0.0, 0.01},
                          .values = (double[]){0.0, 1e308}};
    CnJointDef leap = cn_joint_def_default(CN_JOINT_SET_DISPLACEMENT);
    leap.name = "leap";
    leap.body_a = cn_world_body_at(world, 0);
    leap.series = cn_world_add_series(world, &series, NULL);
    CHECK(cn_world_add_joint(world, &leap, NULL).index != 0);
    check_refused(world, words, 2);
}

// A lever of 1e308 m: the square that its effective mass needs is beyond all numbers.
static void a_lever_that_overflows_is_a_failure_by_name(void) {
    const char* const words[] = {"overflows", "pin"};
    CnBodyDef body = create_bob("bob");
    CnWorld* world = create(0.0, &body);
    CnPinData pin = {cn_vec3(1e308, 0.0, 0.0), zero};
    run_add_constraint(world, cn_pin_kind(), cn_world_body_at(world, 0), (CnBodyId){0}, &pin,
                       sizeof pin);
    check_refused(world, words, 2);
}

TEST_MAIN("unit/world/step/step_check", TEST(a_step_that_leaves_a_body_too_fast_is_refused_by_name),
          TEST(a_body_that_starts_too_fast_is_told_so), TEST(zero_is_no_limit),
          TEST(turning_counts_at_the_radius_of_gyration), TEST(what_the_user_drives_may_be_faster),
          TEST(a_limit_below_zero_is_refused), TEST(an_energy_that_overflows_is_a_failure_by_name),
          TEST(a_momentum_that_overflows_is_a_failure_by_name),
          TEST(a_motion_that_overflows_is_a_failure_by_name),
          TEST(a_lever_that_overflows_is_a_failure_by_name))

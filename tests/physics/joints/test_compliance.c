// test_compliance.c - what joints keep gives way by E times the force, exactly, in every scheme.
#include "cairn/joint.h"
#include "cairn/scene.h"
#include "support/run.h"

#define GRAVITY 10.0
#define MASS 2.0               // [kg]
#define MOMENT 0.5             // [kg m^2]
#define COMPLIANCE 1e-3        // [m/N]: 22 rad/s
#define COMPLIANCE_TURN 0.01   // [rad/(N m)]: 14 rad/s
#define TORQUE 5.0             // [N m]
#define STATIC_TOLERANCE 1e-10 // [m, rad]: E f with f to 1e-12 m/s of 2 kg in 0.01 s is 2e-13

static const CnVec3 zero = {0.0, 0.0, 0.0};

// How a scheme comes to rest. moreau and implicit damp what gives way, as implicit Euler does, at
// 0.05 s by a third or more in a step; quasi_static goes from balance to balance; in acceleration
// dampers that are critical for the body on its compliance take the oscillation away, e^-60.
typedef struct Rest {
    CnScheme scheme;
    double dt;
    int steps;
} Rest;

static const Rest rests[] = {
    {CN_SCHEME_MOREAU, 0.05, 400},
    {CN_SCHEME_IMPLICIT, 0.05, 400},
    {CN_SCHEME_QUASI_STATIC, 0.1, 120},
    {CN_SCHEME_ACCELERATION, 0.01, 600},
};
#define REST_COUNT (sizeof rests / sizeof rests[0])

static CnWorld* create(const Rest* rest) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = cn_vec3(0.0, 0.0, -GRAVITY);
    def.step.scheme = rest->scheme;
    def.solver.tolerance = 1e-12;
    return run_create(&def);
}

static CnBodyDef body_of(const Rest* rest, CnVec3 position) {
    CnBodyDef def = run_body(MASS, cn_vec3(MOMENT, MOMENT, MOMENT), position);
    if (rest->scheme == CN_SCHEME_ACCELERATION) {
        def.linear_damping = 45.0;
        def.angular_damping = 28.0;
    }
    return def;
}

static void come_to_rest(CnWorld* world, const Rest* rest) {
    for (int i = 0; i < rest->steps; ++i) {
        CnStepReport report;
        CnError error = {0};
        CnStatus status = cn_world_step(world, rest->dt, &report, &error);
        ck_assert_msg(status == CN_OK, "%s", error.message);
        CHECK(report.energy.error <= LEDGER_TOLERANCE);
        CHECK_NEAR(report.joint_error, 0.0, 1e-9); // what gives way is no error
    }
}

static CnJointId add(CnWorld* world, const CnJointDef* def) {
    CnError error = {0};
    CnJointId id = cn_world_add_joint(world, def, &error);
    ck_assert_msg(id.index != 0, "%s", error.message);
    return id;
}

// A mass under its joint hangs E m g lower, whatever else the joint keeps or leaves free.
static void a_mass_hangs_lower_by_its_weight_times_the_compliance(void) {
    const CnJointType types[] = {CN_JOINT_BALL,     CN_JOINT_HINGE,      CN_JOINT_WELD,
                                 CN_JOINT_DISTANCE, CN_JOINT_RIGID_LINK, CN_JOINT_FIX_POINT,
                                 CN_JOINT_SLIDER};
    for (size_t i = 0; i < REST_COUNT * (sizeof types / sizeof types[0]); ++i) {
        const Rest* rest = &rests[i % REST_COUNT];
        CnWorld* world = create(rest);
        CnBodyDef body = body_of(rest, cn_vec3(0.0, 0.0, -0.5));
        CnJointDef def = cn_joint_def_default(types[i / REST_COUNT]);
        CnBodyId id = run_add(world, &body);
        *(def.type == CN_JOINT_FIX_POINT ? &def.body_a : &def.body_b) = id;
        def.point_a = cn_vec3(0.0, 0.0, 0.0);
        def.point_b = cn_vec3(0.0, 0.0, -0.5);
        if (def.type == CN_JOINT_SLIDER) { // across its axis
            def.axis = cn_vec3(1.0, 0.0, 0.0);
        }
        def.keep.compliance = COMPLIANCE;
        CnJointId joint = add(world, &def);
        come_to_rest(world, rest);
        double z = run_state(world, id).center.z;
        double expected = -0.5 - COMPLIANCE * MASS * GRAVITY;
        CnJointState state;
        CHECK_INT(cn_joint_read(world, joint, &state), CN_OK);
        ck_assert_msg(fabs(z - expected) <= STATIC_TOLERANCE, "%s in %s: %.17g, off by %g",
                      cn_joint_type_name(def.type), cn_scheme_name(rest->scheme), z, z - expected);
        CHECK_NEAR(fabs(state.force.z), MASS * GRAVITY, 1e-8);
        CHECK_NEAR(state.error, 0.0, 1e-9);
        cn_world_destroy(world);
    }
}

// About one axis a weld turns by E_t T.
static void a_weld_turns_by_its_torque_times_the_compliance(void) {
    for (size_t i = 0; i < REST_COUNT; ++i) {
        CnWorld* world = create(&rests[i]);
        CnBodyDef body = body_of(&rests[i], zero);
        CnJointDef def = cn_joint_def_default(CN_JOINT_WELD);
        CnForceDef load = cn_force_def_default();
        def.body_b = load.body = run_add(world, &body);
        def.keep.compliance_turn = COMPLIANCE_TURN;
        load.torque = cn_vec3(TORQUE, 0.0, 0.0);
        add(world, &def);
        CHECK(cn_world_add_force(world, &load, NULL).index != 0);
        come_to_rest(world, &rests[i]);
        CnQuat q = run_state(world, def.body_b).rotation;
        CHECK_NEAR(2.0 * atan2(q.x, q.w), COMPLIANCE_TURN * TORQUE, STATIC_TOLERANCE);
        CHECK_NEAR(run_state(world, def.body_b).center.z, 0.0, 1e-9); // lengths stay rigid
        cn_world_destroy(world);
    }
}

// Two masses one under the other: the upper joint carries both.
static void deflections_of_a_chain_add_up(void) {
    for (size_t i = 0; i < REST_COUNT; ++i) {
        CnWorld* world = create(&rests[i]);
        CnBodyId above = {0}, below = {0};
        for (int k = 0; k < 2; ++k) {
            CnBodyDef body = body_of(&rests[i], cn_vec3(0.0, 0.0, -0.5 - k));
            CnJointDef def = cn_joint_def_default(CN_JOINT_BALL);
            below = run_add(world, &body);
            def.body_a = above;
            def.body_b = below;
            def.point_a = cn_vec3(0.0, 0.0, -1.0 * k);
            def.keep.compliance = COMPLIANCE / (1.0 + k);
            add(world, &def);
            above = below;
        }
        come_to_rest(world, &rests[i]);
        double expected =
            -1.5 - COMPLIANCE * 2.0 * MASS * GRAVITY - COMPLIANCE / 2.0 * MASS * GRAVITY;
        CHECK_NEAR(run_state(world, below).center.z, expected, STATIC_TOLERANCE);
        cn_world_destroy(world);
    }
}

// A constraint added by itself, whose compliance is set later.
static void a_pin_gives_way_once_it_is_told_to(void) {
    for (size_t i = 0; i < REST_COUNT; ++i) {
        CnWorld* world = create(&rests[i]);
        CnBodyDef body = body_of(&rests[i], zero);
        CnPinData pin = {zero, zero};
        CnBodyId id = run_add(world, &body);
        CnConstraintId constraint =
            run_add_constraint(world, cn_pin_kind(), id, (CnBodyId){0}, &pin, sizeof pin);
        CnConstraintInfo info;
        CHECK_INT(cn_constraint_info(world, constraint, &info), CN_OK);
        CHECK(info.keep.compliance == 0.0 && info.keep.alpha == 10.0 && info.keep.beta == 10.0);
        CHECK_INT(cn_world_step(world, rests[i].dt, NULL, NULL), CN_OK);
        CHECK_NEAR(run_state(world, id).center.z, 0.0, 1e-9);
        info.keep.compliance = COMPLIANCE;
        CHECK_INT(cn_constraint_set_keeping(world, constraint, &info.keep, NULL), CN_OK);
        come_to_rest(world, &rests[i]);
        CHECK_NEAR(run_state(world, id).center.z, -COMPLIANCE * MASS * GRAVITY, STATIC_TOLERANCE);
        cn_world_destroy(world);
    }
}

// C'' + beta C' + alpha C = 0 from rest, overdamped or critical.
static double fading(double start, double alpha, double beta, double t) {
    double root = sqrt(beta * beta / 4.0 - alpha), slow = -beta / 2.0 + root,
           fast = -beta / 2.0 - root;
    return root == 0.0 ? start * (1.0 - slow * t) * exp(slow * t)
                       : start * (slow * exp(fast * t) - fast * exp(slow * t)) / (slow - fast);
}

// An error of 1 cm fades as its gains say: of a pin as they are by default, of a joint as set.
static void errors_fade_by_alpha_and_beta(void) {
    const double gains[][2] = {{10.0, 10.0}, {100.0, 20.0}, {36.0, 15.0}};
    for (int i = 0; i < 3; ++i) {
        CnWorldDef def = cn_world_def_default();
        def.gravity = zero;
        def.step.scheme = CN_SCHEME_ACCELERATION;
        def.step.stabilisation = CN_STABILISATION_NONE;
        CnWorld* world = run_create(&def);
        CnBodyDef body = run_body(MASS, cn_vec3(MOMENT, MOMENT, MOMENT), zero);
        CnBodyId id = run_add(world, &body);
        if (i == 0) {
            CnPinData pin = {zero, zero};
            run_add_constraint(world, cn_pin_kind(), id, (CnBodyId){0}, &pin, sizeof pin);
        } else {
            CnJointDef ball = cn_joint_def_default(CN_JOINT_BALL);
            ball.body_b = id;
            ball.keep.alpha = gains[i][0];
            ball.keep.beta = gains[i][1];
            add(world, &ball);
        }
        CnBodyState state = run_state(world, id);
        state.center.x = 0.01;
        CHECK_INT(cn_body_set_state(world, id, &state, NULL), CN_OK);
        for (int k = 0; k < 500; ++k) {
            CHECK_INT(cn_world_step(world, 1e-3, NULL, NULL), CN_OK);
        }
        // rk4: 0.01 m (20/s 1 ms)^4 / 120 per step, 500 of them
        CHECK_NEAR(run_state(world, id).center.x, fading(0.01, gains[i][0], gains[i][1], 0.5),
                   1e-8);
        cn_world_destroy(world);
    }
}

// Scene keys lead to the same numbers.
static void scenes_say_compliance_and_gains(void) {
    static const char text[] =
        "{\"cairn\": 1, \"gravity\": [0, 0, -10], \"bodies\": [\n"
        " {\"name\": \"a\", \"mass\": 2, \"inertia\": [1, 1, 1]},\n"
        " {\"name\": \"b\", \"mass\": 2, \"inertia\": [1, 1, 1],\n"
        "  \"position\": [3, 0, 0]}],\n"
        "\"joints\": [{\"name\": \"soft\", \"type\": \"weld\", \"bodies\": [\"world\", \"a\"],\n"
        " \"point\": [0, 0, 0], \"compliance\": 1e-3, \"compliance_turn\": 0.5, \"alpha\": 4,\n"
        " \"beta\": 5}],\n"
        "\"constraints\": [{\"kind\": \"pin\", \"body\": \"b\", \"point_a\": [3, 0, 0],\n"
        " \"compliance\": 2e-3, \"alpha\": 6, \"beta\": 7}]}";
    CnError error = {0};
    CnScene* scene = cn_scene_parse(text, sizeof text - 1, "soft", &error);
    ck_assert_msg(scene != NULL, "%s", error.message);
    CnWorld* world = cn_scene_build(scene, NULL, &error);
    ck_assert_msg(world != NULL, "%s", error.message);
    CnJointInfo joint;
    CnConstraintInfo pin;
    CHECK_INT(cn_joint_info(world, cn_world_joint_at(world, 0), &joint), CN_OK);
    CHECK_INT(cn_constraint_info(world, cn_world_constraint_at(world, 0), &pin), CN_OK);
    const CnKeeping expected[2] = {{1e-3, 0.5, 4.0, 5.0}, {2e-3, 0.0, 6.0, 7.0}};
    CHECK(memcmp(&joint.keep, &expected[0], sizeof joint.keep) == 0);
    CHECK(memcmp(&pin.keep, &expected[1], sizeof pin.keep) == 0);
    run_steps(world, 0.05, 400);
    CHECK_NEAR(run_state(world, cn_world_find_body(world, "a")).center.z, -0.02, STATIC_TOLERANCE);
    CHECK_NEAR(run_state(world, cn_world_find_body(world, "b")).center.z, -0.04, STATIC_TOLERANCE);
    cn_world_destroy(world);
    cn_scene_destroy(scene);
}

static void wrong_keeping_is_refused_and_changes_nothing(void) {
    CnWorld* world = create(&rests[0]);
    CnBodyDef body = body_of(&rests[0], zero);
    CnJointDef def = cn_joint_def_default(CN_JOINT_BALL);
    CnError error = {0};
    CnJointInfo info;
    def.body_b = run_add(world, &body);
    CnJointId joint = add(world, &def);
    const struct {
        CnKeeping keep;
        const char* words;
    } wrong[] = {
        {{-1.0, 0.0, 10.0, 10.0}, "compliance is -1 m/N"},
        {{0.0, 1.0, 10.0, 10.0}, "keeps no angle that could give way"},
        {{0.0, 0.0, NAN, 10.0}, "alpha is nan 1/s^2"},
        {{0.0, 0.0, 10.0, -3.0}, "beta is -3 1/s"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        CHECK_INT(cn_joint_set_keeping(world, joint, &wrong[i].keep, &error), CN_INVALID);
        CHECK_CONTAINS(error.message, wrong[i].words);
        def.keep = wrong[i].keep;
        CHECK_INT(cn_world_add_joint(world, &def, &error).index, 0);
    }
    CHECK_INT(cn_joint_info(world, joint, &info), CN_OK);
    CHECK(info.keep.alpha == 10.0 && info.keep.compliance == 0.0);
    CHECK_INT(cn_world_remove_joint(world, joint), CN_OK);
    CHECK_INT(cn_joint_set_keeping(world, joint, &info.keep, &error), CN_STALE);
    def = cn_joint_def_default(CN_JOINT_ROPE);
    def.body_b = cn_world_body_at(world, 0);
    def.point_a = cn_vec3(0.0, 0.0, 1.0);
    def.keep.compliance = 1e-6;
    CHECK_INT(cn_world_add_joint(world, &def, &error).index, 0);
    CHECK_CONTAINS(error.message, "rope keeps no length");
    cn_world_destroy(world);
}

TEST_MAIN("physics/joints/compliance", TEST(a_mass_hangs_lower_by_its_weight_times_the_compliance),
          TEST(a_weld_turns_by_its_torque_times_the_compliance),
          TEST(deflections_of_a_chain_add_up), TEST(a_pin_gives_way_once_it_is_told_to),
          TEST(errors_fade_by_alpha_and_beta), TEST(scenes_say_compliance_and_gains),
          TEST(wrong_keeping_is_refused_and_changes_nothing))

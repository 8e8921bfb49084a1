// test_joint_laws.c - what holds for every type of joint: books, turned scenes, either order.
//
// One small mechanism per type: two tumbling bodies, loaded and in gravity, with the joint between
// them, or one of them and the world; gears, racks and their like get bearings.
#include "cairn/joint.h"
#include "support/run.h"

// Where projection leaves positions [m or rad].
#define POSITION_TOLERANCE 1e-11

typedef struct Setting {
    CnJointType type;
    CnScheme scheme;
    const char* solver;
    CnQuat turn;   // of the whole scene
    bool swapped;  // A and B of the joint
    bool to_world; // one of the bodies is the world
} Setting;

typedef struct Mechanism {
    CnWorld* world;
    CnBodyId bodies[2];
    CnJointId joint;
} Mechanism;

static CnVec3 turned(const Setting* setting, double x, double y, double z) {
    return cn_quat_rotate(setting->turn, cn_vec3(x, y, z));
}

static CnJointId add_joint(CnWorld* world, const CnJointDef* def) {
    CnError error = {0};
    CnJointId joint = cn_world_add_joint(world, def, &error);
    ck_assert_msg(joint.index != 0, "%s: %s", cn_joint_type_name(def->type), error.message);
    return joint;
}

// Joints whose bodies turn and move on bearings, or whose motion is given.
static bool starts_at_rest(CnJointType type) {
    return type == CN_JOINT_GEAR || type == CN_JOINT_RACK_AND_PINION || type == CN_JOINT_PULLEY ||
           type == CN_JOINT_SET_DISPLACEMENT || type == CN_JOINT_SET_VELOCITY ||
           type == CN_JOINT_SET_ACCELERATION;
}

// Both bodies move as one to start with, which every joint between them allows; a joint to the
// world allows rest.
static CnBodyId add_body(CnWorld* world, const Setting* setting, double mass, CnVec3 moments,
                         CnVec3 center) {
    CnBodyDef def = run_body(mass, moments, cn_quat_rotate(setting->turn, center));
    def.rotation = cn_quat_multiply(setting->turn, cn_quat_exp(cn_vec3(0.3, -0.2, 0.5)));
    if (!setting->to_world && !starts_at_rest(setting->type)) {
        CnVec3 spin = cn_vec3(0.6, -0.4, 0.9);
        CnVec3 velocity = cn_vec3_add(cn_vec3(0.2, 0.1, 0.4), cn_vec3_cross(spin, center));
        def.velocity = cn_quat_rotate(setting->turn, velocity);
        def.angular_velocity = cn_quat_rotate(setting->turn, spin);
    }
    return run_add(world, &def);
}

static void add_load(CnWorld* world, CnBodyId body, CnVec3 force, CnVec3 torque) {
    CnError error = {0};
    CnForceDef def = cn_force_def_default();
    def.body = body;
    def.force = force;
    def.torque = torque;
    ck_assert_msg(cn_world_add_force(world, &def, &error).index != 0, "%s", error.message);
}

static const CnVec3 center_a = {0.1, 0.0, 0.05}, center_b = {0.9, 0.2, -0.1};

static void add_bearing(Mechanism* m, const Setting* setting, CnJointType type, bool second,
                        CnVec3 axis) {
    CnJointDef def = cn_joint_def_default(type);
    def.body_a = m->bodies[second];
    def.point_a = cn_quat_rotate(setting->turn, second ? center_b : center_a);
    def.axis = axis;
    add_joint(m->world, &def);
}

static CnSeriesId add_series(CnWorld* world, double scale) {
    const double times[] = {0.0, 0.4, 1.1}, values[] = {0.0, 0.3 * scale, -0.2 * scale};
    CnSeriesDef def = {.count = 3, .times = times, .values = values};
    CnSeriesId id = cn_world_add_series(world, &def, NULL);
    CHECK(id.index != 0);
    return id;
}

static CnJointDef joint_def(Mechanism* m, const Setting* setting) {
    CnJointDef def = cn_joint_def_default(setting->type);
    bool two = def.two_points;
    CnVec3 near_a = turned(setting, two ? 0.2 : 0.5, 0.1, two ? 0.1 : 0.3);
    CnVec3 near_b = two ? turned(setting, 0.8, -0.1, -0.2) : near_a;
    bool own_axes = setting->type == CN_JOINT_UNIVERSAL || setting->type == CN_JOINT_GEAR;
    CnVec3 axes[2] = {turned(setting, 0.36, 0.48, 0.8), turned(setting, 0.8, -0.6, 0.0)};
    int first_axis = setting->swapped && own_axes ? 1 : 0;
    def.axis = axes[first_axis];
    def.axis_b = axes[1 - first_axis];
    def.ratio = setting->swapped ? 1.0 / 1.5 : 1.5;
    def.pitch = 0.3;
    def.anchor_a = turned(setting, setting->swapped ? 0.7 : 0.2, 0.1, 1.3);
    def.anchor_b = turned(setting, setting->swapped ? 0.2 : 0.7, 0.1, 1.3);
    def.swing_limit = 0.4;
    if (setting->type != CN_JOINT_SPRING) {
        def.direction = setting->swapped ? CN_DIRECTION_CARRIED_B : CN_DIRECTION_CARRIED_A;
    }
    def.axes[CN_AXIS_Z].spring_stiffness = setting->type == CN_JOINT_SPRING ? 40.0 : 0.0;
    for (int i = 0; i < CN_AXIS_COUNT; ++i) {
        bool kept = i == CN_AXIS_X || i == CN_AXIS_Z || i == CN_AXIS_TURN_Y;
        def.axes[i].motion = kept ? CN_AXIS_LOCKED : CN_AXIS_FREE;
    }
    if (setting->type >= CN_JOINT_SET_DISPLACEMENT && setting->type <= CN_JOINT_SET_ACCELERATION) {
        for (int i = 0; i < 3; ++i) {
            def.series3[i] =
                add_series(m->world, (setting->swapped ? -1.0 : 1.0) * (1.0 + 0.5 * i));
        }
    }
    CnBodyId none = {0};
    CnBodyId first = m->bodies[0], second = setting->to_world ? none : m->bodies[1];
    def.body_a = setting->swapped ? second : first;
    def.body_b = setting->swapped ? first : second;
    def.point_a = setting->swapped ? near_b : near_a;
    def.point_b = setting->swapped ? near_a : near_b;
    return def;
}

static void add_bearings(Mechanism* m, const Setting* setting, const CnJointDef* def) {
    if (setting->type == CN_JOINT_GEAR || setting->type == CN_JOINT_RACK_AND_PINION) {
        bool rack = setting->type == CN_JOINT_RACK_AND_PINION;
        add_bearing(m, setting, CN_JOINT_HINGE, setting->swapped, def->axis);
        add_bearing(m, setting, rack ? CN_JOINT_SLIDER : CN_JOINT_HINGE, !setting->swapped,
                    def->axis_b);
    }
}

static Mechanism build(const Setting* setting) {
    Mechanism m = {0};
    CnWorldDef def = cn_world_def_default();
    def.gravity = turned(setting, 0.0, 0.0, -9.81);
    def.step.scheme = setting->scheme;
    def.solver.name = setting->solver;
    def.solver.tolerance = 1e-11;
    m.world = run_create(&def);
    m.bodies[0] = add_body(m.world, setting, 2.0, cn_vec3(0.4, 0.5, 0.7), center_a);
    m.bodies[1] = add_body(m.world, setting, 1.5, cn_vec3(0.3, 0.2, 0.4), center_b);
    add_load(m.world, m.bodies[0], turned(setting, 0.5, -1.0, 2.0), turned(setting, 0.3, 0.2, 0.4));
    add_load(m.world, m.bodies[1], turned(setting, -1.0, 0.4, 1.0),
             turned(setting, -0.2, 0.3, 0.1));
    CnJointDef joint = joint_def(&m, setting);
    add_bearings(&m, setting, &joint);
    m.joint = add_joint(m.world, &joint);
    return m;
}

static Setting plain(CnJointType type) {
    return (Setting){.type = type, .solver = "auto", .turn = cn_quat_identity()};
}

static bool can_tie_to_world(CnJointType type) {
    return type != CN_JOINT_GEAR && type != CN_JOINT_RACK_AND_PINION && type != CN_JOINT_PULLEY;
}

// run_step checks both ledgers, and that rows between two bodies cancel, at every step. What a
// joint keeps is at most off by the projection's tolerance.
static void run_books(const Setting* setting, double dt, int steps) {
    Mechanism m = build(setting);
    double error = 0.0, angle = 0.0;
    for (int i = 0; i < steps; ++i) {
        CnStepReport report = run_step(m.world, dt);
        error = fmax(error, report.joint_error);
        angle = fmax(angle, report.joint_angle_error);
    }
    ck_assert_msg(error <= POSITION_TOLERANCE && angle <= POSITION_TOLERANCE, "%s: %g m, %g rad",
                  cn_joint_type_name(setting->type), error, angle);
    cn_world_destroy(m.world);
}

static void books_close_and_joints_hold(void) {
    for (int type = 0; type < CN_JOINT_MIMIC; ++type) {
        for (int way = 0; way < 3; ++way) { // two bodies, A and the world, the world and B
            Setting setting = plain((CnJointType)type);
            setting.to_world = way > 0;
            setting.swapped = way > 1;
            if (!setting.to_world || can_tie_to_world(setting.type)) {
                run_books(&setting, 1e-3, UNDER_SANITIZER ? 100 : 1000);
            }
        }
    }
}

static void books_close_in_every_scheme(void) {
    for (int type = 0; type < CN_JOINT_MIMIC; ++type) {
        Setting setting = plain((CnJointType)type);
        setting.scheme = CN_SCHEME_ACCELERATION;
        run_books(&setting, 1e-3, UNDER_SANITIZER ? 50 : 200);
        setting.scheme = CN_SCHEME_QUASI_STATIC;
        run_books(&setting, 1e-3, UNDER_SANITIZER ? 50 : 200);
        setting.scheme = CN_SCHEME_IMPLICIT;
        run_books(&setting, 1e-3, UNDER_SANITIZER ? 50 : 200);
    }
}

static double distance_between(const Mechanism* one, const Mechanism* other, CnQuat turn) {
    double worst = 0.0;
    for (int i = 0; i < 2; ++i) {
        CnBodyState a = run_state(one->world, one->bodies[i]);
        CnBodyState b = run_state(other->world, other->bodies[i]);
        CnVec3 p = cn_vec3_sub(cn_quat_rotate(turn, a.center), b.center);
        CnVec3 v = cn_vec3_sub(cn_quat_rotate(turn, a.velocity), b.velocity);
        CnVec3 w = cn_vec3_sub(cn_quat_rotate(turn, a.angular_velocity), b.angular_velocity);
        worst = fmax(worst, fmax(cn_vec3_length(p), fmax(cn_vec3_length(v), cn_vec3_length(w))));
    }
    return worst;
}

// How far two settings are apart after half a second [m, m/s or rad/s], the first one turned.
static double difference(const Setting* one, const Setting* other, CnQuat turn, double dt) {
    Mechanism first = build(one), second = build(other);
    run_steps(first.world, dt, (int)(0.5 / dt + 0.5));
    run_steps(second.world, dt, (int)(0.5 / dt + 0.5));
    double distance = distance_between(&first, &second, turn);
    cn_world_destroy(first.world);
    cn_world_destroy(second.world);
    return distance;
}

// Errors of the solver, 1e-11 m/s per step, over 250 steps.
static void a_turned_scene_moves_the_same(void) {
    static const CnScheme schemes[] = {CN_SCHEME_MOREAU, CN_SCHEME_ACCELERATION,
                                       CN_SCHEME_IMPLICIT};
    for (int type = 0; type < CN_JOINT_MIMIC; ++type) {
        for (int i = 0; i < 3; ++i) {
            Setting setting = plain((CnJointType)type);
            setting.scheme = schemes[i];
            Setting other = setting;
            other.turn = cn_quat_exp(cn_vec3(1.1, -0.7, 0.4));
            double found = difference(&setting, &other, other.turn, 2e-3);
            ck_assert_msg(found < 1e-9, "%s, %s: %g", cn_joint_type_name(setting.type),
                          cn_scheme_name(setting.scheme), found);
        }
    }
}

// Locked axes of six_axis are those of A's frame, and a rack is not a pinion.
static bool can_swap(CnJointType type) {
    return type != CN_JOINT_SIX_AXIS && type != CN_JOINT_RACK_AND_PINION;
}

// A joint written from its other end is the same joint. Exactly the same equations of motion, which
// scheme acceleration solves to fourth order; moreau poses its rows halfway through a step, where
// what is kept errs by O(h^2) and the two ways to write it differ by that much. implicit poses them
// at its end, where nothing errs and both ways say the same.
static void either_body_may_come_first(void) {
    for (int type = 0; type < CN_JOINT_MIMIC; ++type) {
        Setting setting = plain((CnJointType)type);
        if (!can_swap(setting.type)) {
            continue;
        }
        Setting other = setting;
        other.swapped = true;
        double coarse = difference(&setting, &other, cn_quat_identity(), 2e-3);
        double fine = difference(&setting, &other, cn_quat_identity(), 1e-3);
        ck_assert_msg(fine < 1e-9 || (fine < 1e-5 && fine < 0.3 * coarse), "%s: %g, %g",
                      cn_joint_type_name(setting.type), coarse, fine);
        setting.scheme = other.scheme = CN_SCHEME_ACCELERATION;
        double smooth = difference(&setting, &other, cn_quat_identity(), 2e-3);
        ck_assert_msg(smooth < 1e-9, "%s: %g", cn_joint_type_name(setting.type), smooth);
        setting.scheme = other.scheme = CN_SCHEME_IMPLICIT;
        double at_end = difference(&setting, &other, cn_quat_identity(), 2e-3);
        ck_assert_msg(at_end < 1e-9, "%s: %g", cn_joint_type_name(setting.type), at_end);
    }
}

// Every solver that meets the laws of a joint moves it the same way.
static void solvers_agree(void) {
    static const char* const names[] = {"direct", "nsgs", "newton_ac"};
    for (int type = 0; type < CN_JOINT_MIMIC; ++type) {
        for (int i = 0; i < 3; ++i) {
            Setting setting = plain((CnJointType)type), other = setting;
            bool rigid = setting.type != CN_JOINT_BALL && setting.type != CN_JOINT_ROPE &&
                         setting.type != CN_JOINT_SPRING;
            other.solver = names[i];
            if (i == 0 && !rigid) {
                continue; // direct knows equalities only
            }
            double found = difference(&setting, &other, cn_quat_identity(), 5e-3);
            ck_assert_msg(found < 1e-9, "%s, %s: %g", cn_joint_type_name(setting.type), names[i],
                          found);
        }
    }
}

TEST_MAIN("physics/joints/joint_laws", TEST(books_close_and_joints_hold),
          TEST(books_close_in_every_scheme), TEST(a_turned_scene_moves_the_same),
          TEST(either_body_may_come_first), TEST(solvers_agree))

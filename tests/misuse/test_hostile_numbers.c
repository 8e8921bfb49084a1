// test_hostile_numbers.c - numbers at the ends of the range end a step soon: refused, or finite.
#include "support/run.h"

#include "cairn/joint.h"
#include <time.h>

// A step of so few bodies takes well under a millisecond, and a second or two where auto tries all
// its solvers on a problem that none can solve; what loops over a number that is not one takes
// minutes. The limit is between the two, wide enough for a sanitizer.
#define LIMIT 60.0 // of the processor [s]
#define STEPS 3

// One number of a world that is out of all proportion.
typedef struct Hostility {
    const char* name;
    double force;   // on the upper body [N]
    double torque;  // on it [N m]
    double speed;   // of it, downwards and sideways [m/s]
    double spin;    // of it [rad/s]
    double mass;    // of it [kg]
    double dt;      // [s]
    double gravity; // downwards [m/s^2]
} Hostility;

#define USUAL .mass = 1.0, .dt = 1e-2, .gravity = 9.81

static const Hostility hostilities[] = {
    {"nothing", USUAL},
    {"a force and a step whose product overflows", .force = 1e308, .mass = 1.0, .dt = 1e6},
    {"a huge force", USUAL, .force = 1e308},
    {"a large force", USUAL, .force = 1e150},
    {"a huge torque", USUAL, .torque = 1e308},
    {"a large torque", USUAL, .torque = 1e100},
    {"a huge velocity", USUAL, .speed = 1e300},
    {"a large velocity", USUAL, .speed = 1e20},
    {"a huge spin", USUAL, .spin = 1e300},
    {"a large spin", USUAL, .spin = 1e12},
    {"a tiny mass", .mass = 1e-300, .dt = 1e-2, .gravity = 9.81},
    {"a small mass", .mass = 1e-100, .dt = 1e-2, .gravity = 9.81},
    {"a large mass", .mass = 1e100, .dt = 1e-2, .gravity = 9.81},
    {"a huge mass", .mass = 1e300, .dt = 1e-2, .gravity = 9.81},
    {"a tiny step", .mass = 1.0, .dt = 1e-300, .gravity = 9.81},
    {"a small step", .mass = 1.0, .dt = 1e-100, .gravity = 9.81},
    {"a long step", .mass = 1.0, .dt = 1e20, .gravity = 9.81},
    {"a huge step", .mass = 1.0, .dt = 1e300, .gravity = 9.81},
    {"huge gravity", .mass = 1.0, .dt = 1e-2, .gravity = 1e308},
    {"a tiny mass under a huge force", .force = 1e308, .mass = 1e-300, .dt = 1e-2},
};

#define HOSTILITIES ((int)(sizeof hostilities / sizeof hostilities[0]))

// How the upper body meets the lower one.
typedef struct Setting {
    const char* name;
    CnShapeType upper, lower;
    bool fast;   // the upper body
    bool hinged; // to the lower one
    CnScheme scheme;
} Setting;

static const Setting settings[] = {
    {"box on plane", CN_SHAPE_BOX, CN_SHAPE_PLANE, .scheme = CN_SCHEME_MOREAU},
    {"ball on plane", CN_SHAPE_SPHERE, CN_SHAPE_PLANE, .scheme = CN_SCHEME_MOREAU},
    {"box on box", CN_SHAPE_BOX, CN_SHAPE_BOX, .scheme = CN_SCHEME_MOREAU},
    {"cylinder on box", CN_SHAPE_CYLINDER, CN_SHAPE_BOX, .scheme = CN_SCHEME_MOREAU},
    {"capsule on cylinder", CN_SHAPE_CAPSULE, CN_SHAPE_CYLINDER, .scheme = CN_SCHEME_MOREAU},
    {"fast ball on plane", CN_SHAPE_SPHERE, CN_SHAPE_PLANE, true, .scheme = CN_SCHEME_MOREAU},
    {"fast ball on box", CN_SHAPE_SPHERE, CN_SHAPE_BOX, true, .scheme = CN_SCHEME_MOREAU},
    {"fast box on box", CN_SHAPE_BOX, CN_SHAPE_BOX, true, .scheme = CN_SCHEME_MOREAU},
    {"fast cylinder on box", CN_SHAPE_CYLINDER, CN_SHAPE_BOX, true, .scheme = CN_SCHEME_MOREAU},
    {"hinged box", CN_SHAPE_BOX, CN_SHAPE_BOX, .hinged = true, .scheme = CN_SCHEME_MOREAU},
    {"hinged, acceleration", CN_SHAPE_BOX, CN_SHAPE_BOX, .hinged = true,
     .scheme = CN_SCHEME_ACCELERATION},
    {"implicit ball", CN_SHAPE_SPHERE, CN_SHAPE_PLANE, .scheme = CN_SCHEME_IMPLICIT},
    {"implicit, hinged", CN_SHAPE_BOX, CN_SHAPE_BOX, .hinged = true, .scheme = CN_SCHEME_IMPLICIT},
    {"quasi-static box", CN_SHAPE_BOX, CN_SHAPE_PLANE, .scheme = CN_SCHEME_QUASI_STATIC},
};

#define SETTINGS ((int)(sizeof settings / sizeof settings[0]))

static CnShapeDef shape_of(CnShapeType type) {
    CnShapeDef shape = cn_shape_def_default(type);
    shape.size = cn_vec3(1.0, 1.0, 1.0);
    shape.radius = 0.5;
    shape.length = type == CN_SHAPE_SPHERE ? shape.length : 1.0;
    return shape;
}

static CnBodyId add_body(CnWorld* world, const Setting* setting, const Hostility* hostility) {
    CnShapeDef shape = shape_of(setting->upper);
    CnBodyDef def = run_body(hostility->mass, cn_vec3(0.1, 0.1, 0.1), cn_vec3(0.1, 0.0, 1.0));
    for (int i = 0; i < 3; ++i) {
        def.inertia[i] *= hostility->mass;
    }
    def.shapes = &shape;
    def.shape_count = 1;
    def.fast = setting->fast;
    def.velocity = cn_vec3(hostility->speed, 0.0, -hostility->speed);
    def.angular_velocity = cn_vec3(hostility->spin, 0.5 * hostility->spin, 0.0);
    return cn_world_add_body(world, &def, NULL);
}

static void add_lower(CnWorld* world, const Setting* setting) {
    CnShapeDef shape = shape_of(setting->lower);
    CnBodyDef def = cn_body_def_default();
    def.type = CN_BODY_STATIC;
    def.shapes = &shape;
    def.shape_count = 1;
    def.position = cn_vec3(0.0, 0.0, setting->lower == CN_SHAPE_PLANE ? 0.5 : 0.0);
    run_add(world, &def);
}

static void load(CnWorld* world, CnBodyId body, const Hostility* hostility) {
    CnForceDef def = cn_force_def_default();
    def.body = body;
    def.force = cn_vec3(hostility->force, 0.0, -hostility->force);
    def.torque = cn_vec3(hostility->torque, 0.0, hostility->torque);
    CHECK(cn_world_add_force(world, &def, NULL).generation != 0);
}

static void hang(CnWorld* world, CnBodyId body) {
    CnJointDef def = cn_joint_def_default(CN_JOINT_HINGE);
    def.body_a = body;
    def.point_a = cn_vec3(0.5, 0.0, 1.5);
    def.axis = cn_vec3(0.0, 1.0, 0.0);
    CHECK(cn_world_add_joint(world, &def, NULL).generation != 0);
}

static bool is_finite_state(const CnBodyState* state) {
    return cn_vec3_is_finite(state->center) && cn_vec3_is_finite(state->velocity) &&
           cn_vec3_is_finite(state->angular_velocity) && isfinite(state->rotation.w);
}

// Steps until one is refused; a body that cannot be made is refused as well.
static void check_end(const Setting* setting, const Hostility* hostility) {
    CnWorldDef def = cn_world_def_default();
    CnError error = {.status = CN_OK};
    def.step.scheme = setting->scheme;
    def.gravity = cn_vec3(0.0, 0.0, -hostility->gravity);
    CnWorld* world = run_create(&def);
    clock_t start = clock();
    add_lower(world, setting);
    CnBodyId body = add_body(world, setting, hostility);
    if (body.generation != 0) {
        load(world, body, hostility);
        if (setting->hinged) {
            hang(world, body);
        }
        CnStatus status = CN_OK;
        for (int i = 0; i < STEPS && status == CN_OK; ++i) {
            status = cn_world_step(world, hostility->dt, NULL, &error);
            CnBodyState state = run_state(world, body);
            ck_assert_msg(is_finite_state(&state), "%s, %s: no finite state", setting->name,
                          hostility->name);
        }
        ck_assert_msg((status == CN_OK) == (error.message[0] == '\0'), "%s, %s: status %d, \"%s\"",
                      setting->name, hostility->name, (int)status, error.message);
    }
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    ck_assert_msg(seconds < LIMIT, "%s, %s: %g s", setting->name, hostility->name, seconds);
    cn_world_destroy(world);
}

static void every_step_ends_soon_with_a_sentence_or_a_finite_state(void) {
    for (int i = 0; i < SETTINGS; ++i) {
        for (int k = 0; k < HOSTILITIES; ++k) {
            check_end(&settings[i], &hostilities[k]);
        }
    }
}

TEST_MAIN("misuse/hostile_numbers", TEST(every_step_ends_soon_with_a_sentence_or_a_finite_state))

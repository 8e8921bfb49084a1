// test_contact_hooks.c - users' functions that let pairs pass, or change materials at a point.
#include "support/run.h"

#define GRAVITY 10.0
#define STEP 0.01

static const CnVec3 zero = {0.0, 0.0, 0.0};

typedef struct Asked {
    int filter, material; // how often
} Asked;

static CnWorldDef hooked_world(CnContactHooks hooks) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = cn_vec3(0.0, 0.0, -GRAVITY);
    def.contact_hooks = hooks;
    return def;
}

// A ball of radius 0.1 m and 1 kg, and a static slab whose top is at z = 0.
static CnBodyId add_slab_and_ball(CnWorld* world, CnVec3 position, CnVec3 velocity, bool fast) {
    CnMaterialId material = run_add_material(world, 0.5, 0.0);
    CnBodyDef slab = cn_body_def_default();
    CnShapeDef box = cn_shape_def_default(CN_SHAPE_BOX);
    box.size = cn_vec3(10.0, 10.0, 0.1);
    slab.type = CN_BODY_STATIC;
    slab.position = cn_vec3(0.0, 0.0, -0.05);
    slab.shapes = &box;
    slab.shape_count = 1;
    slab.material = material;
    run_add(world, &slab);
    CnBodyDef ball = cn_body_def_default();
    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    sphere.radius = 0.1;
    ball.position = position;
    ball.velocity = velocity;
    ball.has_mass = true;
    ball.mass = 1.0;
    ball.inertia[0] = ball.inertia[1] = ball.inertia[2] = 0.004;
    ball.shapes = &sphere;
    ball.shape_count = 1;
    ball.material = material;
    ball.fast = fast;
    return run_add(world, &ball);
}

// Lets pass what comes from below: the ball is B here or A.
static bool one_way(const CnWorld* world, const CnContactPoint* point, void* data) {
    Asked* asked = data;
    CnBodyState state = {0};
    bool b_moves = cn_body_type(world, point->body_b) == CN_BODY_DYNAMIC;
    cn_body_state(world, b_moves ? point->body_b : point->body_a, &state);
    asked->filter += 1;
    return state.velocity.z <= 0.0 && state.center.z > 0.09;
}

// Thrown up through the slab at 4 m/s from 0.5 m below, it is above after 0.6 m, turns at 0.8 m
// above the start, and lands on the slab. Gravity alone acts until then: v = 4 - g t exactly.
static void a_platform_is_passed_from_below_only(void) {
    for (int fast = 0; fast < 2; ++fast) {
        Asked asked = {0};
        CnWorldDef def = hooked_world((CnContactHooks){.filter = one_way, .data = &asked});
        CnWorld* world = run_create(&def);
        CnBodyId ball =
            add_slab_and_ball(world, cn_vec3(0.0, 0.0, -0.5), cn_vec3(0.0, 0.0, 4.0), fast == 1);
        for (int i = 1; i <= 40; ++i) {
            run_step(world, STEP);
            CHECK_NEAR(run_state(world, ball).velocity.z, 4.0 - GRAVITY * STEP * i, 1e-9);
        }
        run_steps(world, STEP, 100);
        CHECK_NEAR(run_state(world, ball).center.z, 0.1, 1e-4); // rests on top
        CHECK_NEAR(run_state(world, ball).velocity.z, 0.0, 1e-7);
        CHECK(asked.filter > 0);
        cn_world_destroy(world);
    }
}

static bool count_and_admit(const CnWorld* world, const CnContactPoint* point, void* data) {
    (void)world, (void)point;
    ((Asked*)data)->filter += 1;
    return true;
}

static void a_pair_is_asked_once_a_step(void) {
    Asked asked = {0};
    CnWorldDef def = hooked_world((CnContactHooks){.filter = count_and_admit, .data = &asked});
    CnWorld* world = run_create(&def);
    CnBodyId ball = add_slab_and_ball(world, cn_vec3(0.0, 0.0, 0.1), zero, false);
    run_steps(world, STEP, 10);
    CHECK_INT(asked.filter, 10);
    CHECK_NEAR(run_state(world, ball).velocity.z, 0.0, 1e-8);
    cn_world_destroy(world);
}

static bool refuse(const CnWorld* world, const CnContactPoint* point, void* data) {
    (void)world, (void)point, (void)data;
    return false;
}

// Contacts given by hand are asked about, and what is refused is neither pushed nor put back.
static void a_refused_contact_does_nothing(void) {
    CnWorldDef def = hooked_world((CnContactHooks){.filter = refuse});
    CnWorld* world = run_create(&def);
    CnBodyDef body = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), zero);
    CnContactDef contact = cn_contact_def_default();
    contact.body_b = run_add(world, &body);
    contact.normal = cn_vec3(0.0, 0.0, 1.0);
    CHECK(cn_world_add_contact(world, &contact, NULL).index != 0);
    run_steps(world, STEP, 10);
    CHECK_NEAR(run_state(world, contact.body_b).velocity.z, -1.0, 1e-12);
    CHECK_INT(cn_world_contacts(world, NULL, 0), 0);
    cn_world_destroy(world);
}

// Another material where x > 0.1.
static void patches(const CnWorld* world, const CnContactPoint* point, CnContactMaterial* material,
                    void* data) {
    (void)world;
    const double* choice = data;
    if (point->point.x > 0.1) {
        material->friction = choice[0];
        material->restitution = choice[1];
        material->surface_velocity = cn_vec3(choice[2], 0.0, 1.0);
    }
}

// A ball that comes with 1 m/s along x and `down` [m/s]; *up is its vertical velocity at the end.
static double speed_after(const double choice[3], double x, double down, int steps, double* up) {
    double copy[3] = {choice[0], choice[1], choice[2]};
    CnWorldDef def = hooked_world((CnContactHooks){.material = patches, .data = copy});
    CnWorld* world = run_create(&def);
    CnBodyId ball = add_slab_and_ball(world, cn_vec3(x, 0.0, 0.1), cn_vec3(1.0, 0.0, -down), false);
    run_steps(world, STEP, steps);
    CnBodyState state = run_state(world, ball);
    *up = state.velocity.z;
    cn_world_destroy(world);
    return state.velocity.x;
}

// A ball that slides at 1 m/s on ice keeps it; where there is friction it rolls with 5/7 of it; on
// a belt of 3 m/s with (1 + 2/5 ...): 5/7 + 2/7 3 = 11/7. With e = 1 it bounces with 0.5 m/s.
static void a_hook_sets_the_material_at_a_point(void) {
    double up;
    const double ice[3] = {0.0, 0.0, 0.0}, belt[3] = {0.5, 0.0, -3.0}, bouncy[3] = {0.0, 1.0, 0.0};
    CHECK_NEAR(speed_after(ice, 1.0, 0.0, 100, &up), 1.0, 1e-6);
    CHECK_NEAR(speed_after(ice, -3.0, 0.0, 100, &up), 5.0 / 7.0, 1e-6); // not on the ice
    CHECK_NEAR(speed_after(belt, 1.0, 0.0, 100, &up), 11.0 / 7.0, 1e-6);
    speed_after(bouncy, 1.0, 0.5, 1, &up);
    CHECK_NEAR(up, 0.5, 1e-6);
}

static void numbers_that_are_not_allowed_do_no_harm(void) {
    double up;
    const double wild[3] = {-1.0, 7.0, NAN}, none[3] = {NAN, INFINITY, 0.0};
    CHECK_NEAR(speed_after(wild, 1.0, 0.5, 1, &up), 1.0, 1e-6); // no friction
    CHECK_NEAR(up, 0.5, 1e-6);                                  // restitution 1
    CHECK_NEAR(speed_after(none, 1.0, 0.0, 100, &up), 5.0 / 7.0, 1e-6);
}

TEST_MAIN("physics/contact/contact_hooks", TEST(a_platform_is_passed_from_below_only),
          TEST(a_pair_is_asked_once_a_step), TEST(a_refused_contact_does_nothing),
          TEST(a_hook_sets_the_material_at_a_point), TEST(numbers_that_are_not_allowed_do_no_harm))

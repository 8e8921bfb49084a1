// test_belts.c - surfaces that move against their bodies drag things along by Coulomb's law.
#include "support/run.h"

#define GRAVITY 10.0
#define STEP 0.01
#define FRICTION 0.5

// Every step may miss its velocity by the solver's tolerance, 1e-8 m/s; a hundred of them.
#define SPEED_TOLERANCE 1e-6

static const CnVec3 zero = {0.0, 0.0, 0.0};

static CnMaterialId add_material(CnWorld* world, CnVec3 surface_velocity) {
    CnMaterialDef def = cn_material_def_default();
    def.friction = FRICTION;
    def.surface_velocity = surface_velocity;
    CnMaterialId id = cn_world_add_material(world, &def, NULL);
    CHECK(id.index != 0);
    return id;
}

static CnWorldDef belt_world(CnScheme scheme) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = cn_vec3(0.0, 0.0, -GRAVITY);
    def.step.scheme = scheme;
    return def;
}

// A flat block, so that it does not tip.
static CnBodyId add_block(CnWorld* world, double mass, CnTransform pose, CnMaterialId material) {
    CnBodyDef def = cn_body_def_default();
    CnShapeDef box = cn_shape_def_default(CN_SHAPE_BOX);
    box.size = cn_vec3(0.4, 0.4, 0.1);
    def.position = pose.position;
    def.rotation = pose.rotation;
    def.has_mass = true;
    def.mass = mass;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.02 * mass;
    def.shapes = &box;
    def.shape_count = 1;
    def.material = material;
    return run_add(world, &def);
}

static const CnTransform on_ground = {{0.0, 0.0, 0.05}, {.w = 1.0}};

// A block at rest learns at once what its material has become: a belt that starts at 1 m/s and
// drags it by mu g, then ice on which it keeps its speed.
static void a_material_changes_under_what_rests(void) {
    CnWorldDef def = belt_world(CN_SCHEME_MOREAU);
    CnWorld* world = run_create(&def);
    CnMaterialId ground = add_material(world, zero);
    run_add_ground(world, ground);
    CnBodyId block = add_block(world, 3.0, on_ground, add_material(world, zero));
    run_steps(world, STEP, 50);
    CHECK_NEAR(run_state(world, block).velocity.x, 0.0, SPEED_TOLERANCE);
    CnMaterialDef belt;
    CHECK_INT(cn_material_read(world, ground, &belt), CN_OK);
    CHECK(belt.friction == FRICTION && belt.density == 1000.0 && belt.static_friction == 0.0);
    belt.surface_velocity.x = 1.0;
    CHECK_INT(cn_material_set(world, ground, &belt, NULL), CN_OK);
    run_step(world, STEP);
    CHECK_NEAR(run_state(world, block).velocity.x, FRICTION * GRAVITY * STEP, SPEED_TOLERANCE);
    belt.friction = 0.0;
    CHECK_INT(cn_material_set(world, ground, &belt, NULL), CN_OK);
    run_steps(world, STEP, 50);
    CHECK_NEAR(run_state(world, block).velocity.x, FRICTION * GRAVITY * STEP, SPEED_TOLERANCE);

    CnError error = {0};
    belt.density = 500.0;
    CHECK_INT(cn_material_set(world, ground, &belt, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "density");
    CHECK_INT(cn_material_set(world, (CnMaterialId){0}, &belt, NULL), CN_STALE);
    CHECK_INT(cn_material_read(world, (CnMaterialId){0}, &belt), CN_STALE);
    cn_world_destroy(world);
}

// mu g = 5 m/s^2 for 0.2 s, then 1 m/s. On the way V^2 / (2 mu g) = 0.1 m.
static void a_block_takes_the_speed_of_its_belt(void) {
    CnWorldDef def = belt_world(CN_SCHEME_MOREAU);
    CnWorld* world = run_create(&def);
    run_add_ground(world, add_material(world, cn_vec3(1.0, 0.0, 0.0)));
    CnBodyId block = add_block(world, 3.0, on_ground, add_material(world, zero));
    double drive = 0.0, friction = 0.0;
    for (int i = 1; i <= 100; ++i) {
        CnStepReport report = run_step(world, STEP);
        CnBodyState state = run_state(world, block);
        drive += report.energy.work[CN_WORK_DRIVE];
        friction += report.energy.work[CN_WORK_FRICTION];
        CHECK_NEAR(state.velocity.x, fmin(1.0, FRICTION * GRAVITY * STEP * i), SPEED_TOLERANCE);
        CHECK_NEAR(state.velocity.y, 0.0, SPEED_TOLERANCE);
    }
    CHECK_NEAR(run_state(world, block).center.x, 0.1 + 0.8, SPEED_TOLERANCE);
    CHECK_NEAR(drive, 3.0, 1e-5);     // m V^2: the impulse m V at the speed of the belt
    CHECK_NEAR(friction, -1.5, 1e-5); // half of it is lost in slip
    cn_world_destroy(world);
}

// Up a slope of angle a: g (mu cos a - sin a) until the speed of the belt is reached. The belt's
// axes are those of its body, which is turned. Schemes that are implicit hit the same velocities,
// since nothing but constant forces acts.
static void a_belt_carries_a_block_uphill(void) {
    const CnScheme schemes[2] = {CN_SCHEME_MOREAU, CN_SCHEME_IMPLICIT};
    const double angle = 0.3, speed = 0.5;
    CnQuat turn = cn_quat_exp(cn_vec3(0.0, -angle, 0.0)); // x goes up
    CnVec3 up = cn_quat_rotate(turn, cn_vec3(1.0, 0.0, 0.0));
    double gain = GRAVITY * (FRICTION * cos(angle) - sin(angle)); // 1.82 m/s^2
    for (int i = 0; i < 2; ++i) {
        CnWorldDef def = belt_world(schemes[i]);
        CnWorld* world = run_create(&def);
        CnBodyDef slope = cn_body_def_default();
        CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
        slope.type = CN_BODY_STATIC;
        slope.rotation = turn;
        slope.shapes = &plane;
        slope.shape_count = 1;
        slope.material = add_material(world, cn_vec3(speed, 0.0, 0.0));
        run_add(world, &slope);
        CnTransform pose = {cn_quat_rotate(turn, cn_vec3(0.0, 0.0, 0.05)), turn};
        CnBodyId block = add_block(world, 1.0, pose, add_material(world, zero));
        for (int k = 1; k <= 50; ++k) {
            run_step(world, STEP);
            double velocity = cn_vec3_dot(up, run_state(world, block).velocity);
            CHECK_NEAR(velocity, fmin(speed, gain * STEP * k), SPEED_TOLERANCE);
        }
        cn_world_destroy(world);
    }
}

// A ball that the belt turns as well: I = 2/5 m r^2, it rolls with 2/7 V once it does not slip.
static void a_ball_rolls_on_a_belt(void) {
    CnWorldDef def = belt_world(CN_SCHEME_MOREAU);
    CnWorld* world = run_create(&def);
    run_add_ground(world, add_material(world, cn_vec3(0.0, 1.4, 0.0)));
    CnBodyId ball =
        run_add_ball(world, 2.0, 0.1, cn_vec3(0.0, 0.0, 0.1), zero, add_material(world, zero));
    run_steps(world, STEP, 100);
    CnBodyState state = run_state(world, ball);
    CHECK_NEAR(state.velocity.y, 0.4, SPEED_TOLERANCE);
    CHECK_NEAR(state.angular_velocity.x, 1.0 / 0.1, 10.0 * SPEED_TOLERANCE); // 0.4 + w r = 1.4
    cn_world_destroy(world);
}

// A cart with a belt on smooth ground: momentum stays zero, and block and cart part with the speed
// of the belt: v_block = s M / (m + M), v_cart = -s m / (m + M).
static void a_belt_on_a_cart_pushes_the_cart_back(void) {
    CnWorldDef def = belt_world(CN_SCHEME_MOREAU);
    CnWorld* world = run_create(&def);
    CnMaterialDef ice = cn_material_def_default();
    ice.friction = 0.0;
    run_add_ground(world, cn_world_add_material(world, &ice, NULL));
    CnBodyId cart = add_block(world, 3.0, on_ground, add_material(world, cn_vec3(1.0, 0.0, 0.0)));
    CnTransform top = {{0.0, 0.0, 0.15}, {.w = 1.0}};
    CnBodyId block = add_block(world, 1.0, top, add_material(world, zero));
    run_steps(world, STEP, 15); // 5 m/s^2 and 5/3 m/s^2: 0.15 s
    CHECK_NEAR(run_state(world, block).velocity.x, 0.75, SPEED_TOLERANCE);
    CHECK_NEAR(run_state(world, cart).velocity.x, -0.25, SPEED_TOLERANCE);
    run_steps(world, STEP, 5);
    CHECK_NEAR(run_state(world, block).velocity.x, 0.75, SPEED_TOLERANCE);
    CHECK_NEAR(run_state(world, cart).velocity.x, -0.25, SPEED_TOLERANCE);
    cn_world_destroy(world);
}

static void a_surface_does_not_move_along_its_normal(void) {
    CnWorldDef def = belt_world(CN_SCHEME_MOREAU);
    CnWorld* world = run_create(&def);
    run_add_ground(world, add_material(world, cn_vec3(0.0, 0.0, 5.0)));
    CnBodyId block = add_block(world, 1.0, on_ground, add_material(world, zero));
    run_steps(world, STEP, 20);
    CHECK_NEAR(cn_vec3_length(run_state(world, block).velocity), 0.0, 1e-8);
    cn_world_destroy(world);
}

// Both surfaces move: at the same velocity nothing slips, and the block stays where it is.
static void two_belts_that_move_alike_do_nothing(void) {
    CnWorldDef def = belt_world(CN_SCHEME_MOREAU);
    CnWorld* world = run_create(&def);
    CnMaterialId moving = add_material(world, cn_vec3(1.0, 0.0, 0.0));
    run_add_ground(world, moving);
    CnBodyId block = add_block(world, 1.0, on_ground, moving);
    run_steps(world, STEP, 20);
    CHECK_NEAR(cn_vec3_length(run_state(world, block).velocity), 0.0, 1e-8);
    cn_world_destroy(world);
}

// What creeps is pulled back, but not what a belt carries off; static friction holds on the belt
// as on the ground: with mu_s = 1 and mu = 0.5 a block that moves with its belt is held against a
// push of 0.8 m g.
static void a_block_sticks_to_its_belt(void) {
    CnWorldDef def = belt_world(CN_SCHEME_MOREAU);
    def.step.friction_bias = 0.5;
    CnWorld* world = run_create(&def);
    CnMaterialDef belt = cn_material_def_default();
    belt.friction = FRICTION;
    belt.static_friction = 1.0;
    belt.surface_velocity = cn_vec3(1.0, 0.0, 0.0);
    CnMaterialDef same = belt;
    same.surface_velocity = zero;
    run_add_ground(world, cn_world_add_material(world, &belt, NULL));
    CnBodyId block = add_block(world, 1.0, on_ground, cn_world_add_material(world, &same, NULL));
    run_steps(world, STEP, 30);
    CHECK_NEAR(run_state(world, block).velocity.x, 1.0, SPEED_TOLERANCE);
    CnForceDef push = cn_force_def_default();
    push.body = block;
    push.force = cn_vec3(-0.8 * GRAVITY, 0.0, 0.0);
    push.point = cn_vec3(0.0, 0.0, -0.05); // at the belt: no moment
    CHECK(cn_world_add_force(world, &push, NULL).index != 0);
    run_steps(world, STEP, 30);
    CHECK_NEAR(run_state(world, block).velocity.x, 1.0, SPEED_TOLERANCE);
    CnContactPoint points[8];
    CHECK(cn_world_contacts(world, points, 8) >= 3);
    CHECK_NEAR(points[0].surface_velocity.x, -1.0, 0.0); // of B, the block, against A
    cn_world_destroy(world);
}

static void a_velocity_must_be_a_number(void) {
    CnWorldDef def = belt_world(CN_SCHEME_MOREAU);
    CnWorld* world = run_create(&def);
    CnMaterialDef belt = cn_material_def_default();
    CnError error = {0};
    belt.surface_velocity.y = NAN;
    CHECK_INT(cn_world_add_material(world, &belt, &error).index, 0);
    CHECK_INT(error.status, CN_INVALID);
    cn_world_destroy(world);
}

TEST_MAIN("physics/contact/belts", TEST(a_block_takes_the_speed_of_its_belt),
          TEST(a_material_changes_under_what_rests), TEST(a_belt_carries_a_block_uphill),
          TEST(a_ball_rolls_on_a_belt), TEST(a_belt_on_a_cart_pushes_the_cart_back),
          TEST(a_surface_does_not_move_along_its_normal),
          TEST(two_belts_that_move_alike_do_nothing), TEST(a_block_sticks_to_its_belt),
          TEST(a_velocity_must_be_a_number))

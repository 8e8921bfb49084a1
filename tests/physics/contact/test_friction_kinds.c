// test_friction_kinds.c - surfaces with a grain, torsion and rolling: known motions, exactly.
#include "cairn/cairn.h"
#include "support/run.h"

#define DT 0.005               // [s]
#define SOLVER_TOLERANCE 1e-12 // [m/s]
#define GRAVITY 9.81           // [m/s^2]
#define RADIUS 0.1             // [m]
#define SLIDING 0.5

static const char* const solvers[] = {"auto", "nsgs", "newton_ac"};
#define SOLVER_COUNT 3

// Gravity tilted by an angle about the y axis instead of the ground: downhill is +x.
static CnWorld* tilted_world(const char* solver, double angle) {
    CnWorldDef def = cn_world_def_default();
    def.solver.name = solver;
    def.solver.tolerance = SOLVER_TOLERANCE;
    def.gravity = cn_vec3(GRAVITY * sin(angle), 0.0, -GRAVITY * cos(angle));
    return run_create(&def);
}

static CnMaterialId add_material(CnWorld* world, double torsion, double rolling) {
    CnMaterialDef def = cn_material_def_default();
    def.friction = SLIDING;
    def.torsion = torsion;
    def.rolling = rolling;
    CnError error;
    CnMaterialId id = cn_world_add_material(world, &def, &error);
    CHECK(id.index != 0);
    return id;
}

static CnBodyId add_spinning_ball(CnWorld* world, CnMaterialId material, CnVec3 velocity,
                                  CnVec3 spin) {
    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    sphere.radius = RADIUS;
    CnBodyDef def = cn_body_def_default();
    def.shapes = &sphere;
    def.shape_count = 1;
    def.position = cn_vec3(0.0, 0.0, RADIUS);
    def.velocity = velocity;
    def.angular_velocity = spin;
    def.material = material;
    return run_add(world, &def);
}

// m v' = -F and 2/5 m r^2 w' = F r - l m g with v = w r: v' = -5/7 g l / r, until it rests.
static void a_rolling_ball_slows_down_without_slipping_and_stops(void) {
    for (int i = 0; i < SOLVER_COUNT; ++i) {
        double arm = 0.007;                                  // [m]
        double slowing = 5.0 / 7.0 * GRAVITY * arm / RADIUS; // 0.4905 m/s^2
        CnWorld* world = tilted_world(solvers[i], 0.0);
        CnMaterialId rubber = add_material(world, 0.0, arm);
        run_add_ground(world, (CnMaterialId){0});
        CnBodyId ball =
            add_spinning_ball(world, rubber, cn_vec3(0.3, 0.4, 0.0), cn_vec3(-4.0, 3.0, 0.0));
        run_steps(world, DT, 100);
        CnBodyState state = run_state(world, ball);
        double speed = 0.5 - 100 * DT * slowing;
        CHECK_NEAR(state.velocity.x, 0.6 * speed, 1e-9); // 100 steps of 1e-12 m/s, amplified by
        CHECK_NEAR(state.velocity.y, 0.8 * speed, 1e-9); // the speed over what is left of it
        CHECK_NEAR(state.angular_velocity.y, state.velocity.x / RADIUS, 1e-8);
        CHECK_NEAR(state.angular_velocity.x, -state.velocity.y / RADIUS, 1e-8);
        run_steps(world, DT, 200); // it stops after 204 steps in all
        CnVec3 place = run_state(world, ball).center;
        run_steps(world, DT, 100);
        CnVec3 moved = cn_vec3_sub(run_state(world, ball).center, place);
        CHECK_NEAR(cn_vec3_length(moved) / (100 * DT), 0.0, 1e-9);
        cn_world_destroy(world);
    }
}

// tan(angle) against l / r = 0.04 decides; beyond it v' = 5/7 g (sin - l / r cos).
static void a_ball_holds_on_a_slope_up_to_its_rolling_arm(void) {
    for (int i = 0; i < SOLVER_COUNT; ++i) {
        for (int rolls = 0; rolls < 2; ++rolls) {
            double angle = rolls ? 0.045 : 0.035; // [rad]
            CnWorld* world = tilted_world(solvers[i], angle);
            CnMaterialId rubber = add_material(world, 0.0, 0.04 * RADIUS);
            run_add_ground(world, (CnMaterialId){0});
            CnBodyId ball =
                add_spinning_ball(world, rubber, cn_vec3(0.0, 0.0, 0.0), cn_vec3(0.0, 0.0, 0.0));
            run_steps(world, DT, 200);
            double drive = rolls ? sin(angle) - 0.04 * cos(angle) : 0.0;
            CHECK_NEAR(run_state(world, ball).velocity.x, 200 * DT * 5.0 / 7.0 * GRAVITY * drive,
                       1e-9);
            cn_world_destroy(world);
        }
    }
}

// 2/5 m r^2 w' = -l m g: 30 rad/s last 30 * 0.4 r^2 / (l g) = 1.223 s.
static void a_spinning_ball_stops_by_torsion(void) {
    for (int i = 0; i < SOLVER_COUNT; ++i) {
        double arm = 0.01;
        double slowing = arm * GRAVITY / (0.4 * RADIUS * RADIUS); // 24.525 rad/s^2
        CnWorld* world = tilted_world(solvers[i], 0.0);
        CnMaterialId rubber = add_material(world, arm, 0.0);
        run_add_ground(world, (CnMaterialId){0});
        CnBodyId ball =
            add_spinning_ball(world, rubber, cn_vec3(0.0, 0.0, 0.0), cn_vec3(0.0, 0.0, 30.0));
        run_steps(world, DT, 200);
        CnContactPoint contact;
        CHECK_INT(cn_world_contacts(world, &contact, 1), 1);
        CHECK_NEAR(contact.moment.z, -arm * contact.impulse.z, 1e-12);
        CHECK_NEAR(run_state(world, ball).angular_velocity.z, 30.0 - 200 * DT * slowing, 1e-8);
        run_steps(world, DT, 100);
        CHECK_NEAR(run_state(world, ball).angular_velocity.z, 0.0, 1e-10);
        cn_world_destroy(world);
    }
}

// A flat box at 0.3, 0.4 m/s over a plank with friction 0.2 along its grain and 0.6 across, the
// grain turned by the plank's own pose. docs/theory/friction.md (4), with the velocity after a
// step.
static void friction_leans_towards_the_slippery_axis(void) {
    CnWorld* world = tilted_world("nsgs", 0.0);
    CnError error;
    CnMaterialDef wood = cn_material_def_default();
    wood.friction = 0.2 * 0.2; // meets 1 as sqrt(a b)
    wood.friction_across = 0.6 * 0.6;
    wood.grain = cn_vec3(0.0, 1.0, 0.0); // along world x once the plank is turned by -90 degrees
    CnMaterialDef plain = cn_material_def_default();
    plain.friction = 1.0;
    CnMaterialId plank = cn_world_add_material(world, &wood, &error);
    CnMaterialId one = cn_world_add_material(world, &plain, &error);
    CHECK(plank.index != 0 && one.index != 0);

    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CnShapeDef brick = cn_shape_def_default(CN_SHAPE_BOX);
    brick.size = cn_vec3(1.0, 1.0, 0.1);
    CnBodyDef def = cn_body_def_default();
    def.type = CN_BODY_STATIC;
    def.shapes = &plane;
    def.shape_count = 1;
    def.material = plank;
    def.rotation = cn_quat(sqrt(0.5), 0.0, 0.0, -sqrt(0.5));
    run_add(world, &def);
    def = cn_body_def_default();
    def.shapes = &brick;
    def.shape_count = 1;
    def.material = one;
    def.position = cn_vec3(0.0, 0.0, 0.05);
    def.velocity = cn_vec3(0.3, 0.4, 0.0);
    CnBodyId box = run_add(world, &def);
    for (int i = 0; i < 10; ++i) {
        CnVec3 before = run_state(world, box).velocity;
        run_step(world, DT);
        CnVec3 after = run_state(world, box).velocity;
        double size = sqrt(0.04 * after.x * after.x + 0.36 * after.y * after.y);
        CHECK_NEAR(after.x - before.x, -GRAVITY * DT * 0.04 * after.x / size, 1e-9);
        CHECK_NEAR(after.y - before.y, -GRAVITY * DT * 0.36 * after.y / size, 1e-9);
    }
    cn_world_destroy(world);
}

// The same slope of 20 degrees holds a box across the grain and lets it slide along it, at
// g (sin - 0.2 cos).
static void a_grained_slope_holds_across_and_slips_along(void) {
    for (int slips = 0; slips < 2; ++slips) {
        double angle = 0.349;
        CnWorld* world = tilted_world("auto", angle);
        CnError error;
        CnMaterialDef wood = cn_material_def_default();
        wood.friction = 0.2;
        wood.friction_across = 0.6;
        wood.grain = slips ? cn_vec3(1.0, 0.0, 0.0) : cn_vec3(0.0, 1.0, 0.0);
        CnMaterialId plank = cn_world_add_material(world, &wood, &error);
        CnMaterialPair pair = {plank, plank, 0.3, 0.0, 0.0};
        run_add_ground(world, plank);
        CnShapeDef brick = cn_shape_def_default(CN_SHAPE_BOX);
        brick.size = cn_vec3(1.0, 1.0, 0.1);
        CnBodyDef def = cn_body_def_default();
        def.shapes = &brick;
        def.shape_count = 1;
        def.material = plank;
        def.position = cn_vec3(0.0, 0.0, 0.05);
        CnBodyId box = run_add(world, &def);
        run_steps(world, DT, 100);
        // Both have a grain of the same contrast: A's counts, B is its mean sqrt(0.2 0.6).
        double mean = sqrt(0.2 * 0.6);
        double mu = sqrt((slips ? 0.2 : 0.6) * mean);
        double drive = fmax(0.0, sin(angle) - mu * cos(angle));
        CHECK_NEAR(run_state(world, box).velocity.x, 100 * DT * GRAVITY * drive, 1e-9);
        CHECK((drive > 0.0) == (slips == 1));
        // A pair has the last word, and no grain: 0.3 slips either way.
        CHECK_INT(cn_world_set_material_pair(world, &pair, &error), CN_OK);
        double speed = run_state(world, box).velocity.x;
        run_steps(world, DT, 100);
        CHECK_NEAR(run_state(world, box).velocity.x - speed,
                   100 * DT * GRAVITY * (sin(angle) - 0.3 * cos(angle)), 1e-9);
        cn_world_destroy(world);
    }
}

TEST_MAIN("physics/contact/friction_kinds",
          TEST(a_rolling_ball_slows_down_without_slipping_and_stops),
          TEST(a_ball_holds_on_a_slope_up_to_its_rolling_arm),
          TEST(a_spinning_ball_stops_by_torsion), TEST(friction_leans_towards_the_slippery_axis),
          TEST(a_grained_slope_holds_across_and_slips_along))

// test_boxes.c - boxes at rest, in stacks and on slopes, found by collision.
#include "support/run.h"

static const double g = 9.81;
static const double dt = 2e-3;                // [s]
static const double solver_tolerance = 1e-11; // [m/s]

#define POINTS 64

static CnWorld* create_world(CnVec3 gravity) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = gravity;
    def.solver.tolerance = solver_tolerance;
    return run_create(&def);
}

static void check_keys(const CnWorld* world, const uint64_t* keys, int count) {
    CnContactPoint points[POINTS];
    CHECK_INT(cn_world_contacts(world, points, POINTS), count);
    for (int i = 0; i < count; ++i) {
        CHECK(points[i].key == keys[i]);
    }
}

// Steps a world that should stand still. Every step may leave the solver's tolerance as speed, so
// the places wander by at most steps * dt * tolerance = 2e-11 m per 1000 steps; the claims are
// wider because errors of four corners lever each other.
static void check_stands_still(CnWorld* world, const CnBodyId* bodies, int count, int contacts,
                               int steps) {
    CnBodyState start[8];
    CnContactPoint points[POINTS];
    uint64_t keys[POINTS];
    for (int i = 0; i < count; ++i) {
        start[i] = run_state(world, bodies[i]);
    }
    run_step(world, dt);
    CHECK_INT(cn_world_contacts(world, points, POINTS), contacts);
    for (int i = 0; i < contacts; ++i) {
        keys[i] = points[i].key;
    }
    for (int k = 1; k < steps; ++k) {
        run_step(world, dt);
        check_keys(world, keys, contacts);
    }
    for (int i = 0; i < count; ++i) {
        CnBodyState state = run_state(world, bodies[i]);
        CHECK(cn_vec3_length(cn_vec3_sub(state.center, start[i].center)) < 1e-9); // drift [m]
        CHECK(cn_vec3_length(state.velocity) < 1e-9);                             // creep [m/s]
        CHECK(cn_vec3_length(state.angular_velocity) < 1e-9);
    }
}

static void a_cube_on_the_ground_keeps_its_four_corners_for_1000_steps(void) {
    CnWorld* world = create_world(cn_vec3(0.0, 0.0, -g));
    CnMaterialId material = run_add_material(world, 0.5, 0.0);
    run_add_ground(world, material);
    CnBodyId cube = run_add_box(world, CN_BODY_DYNAMIC, cn_vec3(1.0, 1.0, 1.0),
                                cn_vec3(0.0, 0.0, 0.5), material);
    check_stands_still(world, &cube, 1, 4, 1000);
    cn_world_destroy(world);
}

static void a_cube_on_a_box_keeps_its_four_corners_for_1000_steps(void) {
    const CnVec3 sizes[2] = {{1.0, 1.0, 1.0}, {4.0, 3.0, 1.0}}; // as large as the cube, and larger
    for (int i = 0; i < 2; ++i) {
        CnWorld* world = create_world(cn_vec3(0.0, 0.0, -g));
        CnMaterialId material = run_add_material(world, 0.5, 0.0);
        run_add_box(world, CN_BODY_STATIC, sizes[i], cn_vec3(0.0, 0.0, -0.5), material);
        CnBodyId cube = run_add_box(world, CN_BODY_DYNAMIC, cn_vec3(1.0, 1.0, 1.0),
                                    cn_vec3(0.0, 0.0, 0.5), material);
        check_stands_still(world, &cube, 1, 4, 1000);
        cn_world_destroy(world);
    }
}

// Corners exactly over corners: the case in which round-off would like to choose.
static void a_stack_of_five_stands_on_the_same_twenty_points(void) {
    CnWorld* world = create_world(cn_vec3(0.0, 0.0, -g));
    CnMaterialId material = run_add_material(world, 0.5, 0.0);
    CnBodyId cubes[5];
    run_add_ground(world, material);
    for (int i = 0; i < 5; ++i) {
        cubes[i] = run_add_box(world, CN_BODY_DYNAMIC, cn_vec3(1.0, 1.0, 1.0),
                               cn_vec3(0.0, 0.0, 0.5 + i), material);
    }
    check_stands_still(world, cubes, 5, 20, 500);
    cn_world_destroy(world);
}

// The block lies on a large slab; gravity leans, which is the same as an inclined slab. mu = 0.5
// holds up to atan(0.5) = 26.565 degrees.
static CnWorld* create_incline(double degrees, CnBodyId* block) {
    double slope = degrees * CN_PI / 180.0;
    CnWorld* world = create_world(cn_vec3(g * sin(slope), 0.0, -g * cos(slope)));
    CnMaterialId material = run_add_material(world, 0.5, 0.0);
    run_add_box(world, CN_BODY_STATIC, cn_vec3(20.0, 20.0, 1.0), cn_vec3(0.0, 0.0, -0.5), material);
    *block = run_add_box(world, CN_BODY_DYNAMIC, cn_vec3(1.0, 1.0, 0.5), cn_vec3(0.0, 0.0, 0.25),
                         material);
    return world;
}

static void a_box_sticks_at_26_degrees(void) {
    CnBodyId block;
    CnWorld* world = create_incline(26.0, &block);
    check_stands_still(world, &block, 1, 4, 500);
    cn_world_destroy(world);
}

// g (sin 27.2 - 0.5 cos 27.2) = 0.121543 m/s^2. Constant, so time stepping is exact for the speed
// and 1 s gives the acceleration.
static void a_box_slides_at_27_2_degrees_as_coulomb_says(void) {
    CnBodyId block;
    CnWorld* world = create_incline(27.2, &block);
    run_steps(world, dt, 500);
    CnBodyState state = run_state(world, block);
    CHECK_NEAR(state.velocity.x, 0.121543, 1e-6);
    CHECK_NEAR(state.velocity.y, 0.0, 1e-9);
    CHECK_NEAR(cn_vec3_length(state.angular_velocity), 0.0, 1e-8);
    CHECK_NEAR(state.center.z, 0.25, 1e-9);
    cn_world_destroy(world);
}

// Dropped flat from 0.2 m onto a smaller box, off centre but balanced: lands on the edges of the
// lower one and stays. 0.2 m of fall take 0.202 s; 1 s is ample.
static void a_falling_box_lands_flat_on_another(void) {
    CnWorld* world = create_world(cn_vec3(0.0, 0.0, -g));
    CnMaterialId material = run_add_material(world, 0.5, 0.0);
    run_add_box(world, CN_BODY_STATIC, cn_vec3(1.0, 1.0, 1.0), cn_vec3(0.0, 0.0, -0.5), material);
    CnBodyId slab = run_add_box(world, CN_BODY_DYNAMIC, cn_vec3(2.0, 2.0, 0.4),
                                cn_vec3(0.25, 0.1, 0.4), material);
    run_steps(world, dt, 500);
    CnBodyState state = run_state(world, slab);
    CHECK_NEAR(state.center.z, 0.2, 1e-7);
    CHECK(cn_vec3_length(state.velocity) < 1e-8);
    CHECK(cn_vec3_length(state.angular_velocity) < 1e-8);
    cn_world_destroy(world);
}

TEST_MAIN("physics/contact/boxes", TEST(a_cube_on_the_ground_keeps_its_four_corners_for_1000_steps),
          TEST(a_cube_on_a_box_keeps_its_four_corners_for_1000_steps),
          TEST(a_stack_of_five_stands_on_the_same_twenty_points), TEST(a_box_sticks_at_26_degrees),
          TEST(a_box_slides_at_27_2_degrees_as_coulomb_says),
          TEST(a_falling_box_lands_flat_on_another))

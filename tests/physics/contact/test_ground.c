// test_ground.c - bodies on meshes and height fields: at rest, sliding, rolling.
#include "support/run.h"
#include "support/shapes/grounds.h"

#define DT (1.0 / 500.0)

// Sizes 0.4 x 0.3 x 0.2 m, mass 24 kg, lying on z = 0.
static CnBodyDef box_def(CnShapeDef* shape) {
    CnBodyDef body = cn_body_def_default();
    *shape = cn_shape_def_default(CN_SHAPE_BOX);
    shape->size = cn_vec3(0.4, 0.3, 0.2);
    body.shapes = shape;
    body.shape_count = 1;
    body.position = cn_vec3(0.0, 0.0, 0.1);
    return body;
}

static CnBodyDef ball_def(CnShapeDef* shape) {
    CnBodyDef body = cn_body_def_default();
    *shape = cn_shape_def_default(CN_SHAPE_SPHERE);
    shape->radius = 0.1;
    body.shapes = shape;
    body.shape_count = 1;
    body.position = cn_vec3(0.0, 0.0, 0.1);
    return body;
}

// Projection leaves a gap of round-off; slow enough solves would let bodies drift apart by their
// tolerance times the time, so it is far below what is claimed.
static CnWorld* world_on(const Ground* ground, double friction) {
    CnWorldDef def = cn_world_def_default();
    def.solver.tolerance = 1e-12;
    CnWorld* world = run_create(&def);
    CnBodyDef body = cn_body_def_default();
    body.type = CN_BODY_STATIC;
    body.shapes = &ground->def;
    body.shape_count = 1;
    body.material = run_add_material(world, friction, 0.0);
    run_add(world, &body);
    return world;
}

// At rest

// Ten thousand steps: four contacts that keep their keys, each with a share of the weight; the box
// does not creep. A share is at least a tenth: any split that balances the weight is right.
static void rest_on(Ground ground) {
    CnWorld* world = world_on(&ground, 0.5);
    CnShapeDef shape;
    CnBodyDef def = box_def(&shape);
    def.position = cn_vec3(0.037, -0.023, 0.1);
    def.rotation = cn_quat_from_axis_angle(cn_vec3(0.0, 0.0, 1.0), 0.3);
    CnBodyId box = run_add(world, &def);
    uint64_t keys[4] = {0};
    CnBodyState start = {0};
    int changed = 0, idle = 0;
    for (int i = 0; i < 10000; ++i) {
        CnContactPoint points[16];
        CHECK(cn_world_step(world, DT, NULL, NULL) == CN_OK);
        int count = cn_world_contacts(world, points, 16);
        changed += count != 4;
        for (int k = 0; k < count && k < 4; ++k) {
            changed += i > 0 && points[k].key != keys[k];
            idle += !(points[k].impulse.z > 0.01 * 24.0 * 9.81 * DT);
            keys[k] = points[k].key;
        }
        start = i == 0 ? run_state(world, box) : start;
    }
    CnBodyState end = run_state(world, box);
    CHECK_INT(changed, 0);
    CHECK_INT(idle, 0);
    double creep = cn_vec3_length(cn_vec3_sub(end.center, start.center)) / (10000.0 * DT);
    CHECK_NEAR(creep, 0.0, 1e-9); // [m/s]
    cn_world_destroy(world);
    ground_free(&ground);
}

static void a_box_at_rest_on_a_mesh_keeps_its_four_keys(void) {
    rest_on(ground_mesh(40, 4.0, NULL));
}

static void a_box_at_rest_on_a_height_field_keeps_its_four_keys(void) {
    rest_on(ground_field(40, 4.0, NULL));
}

// On the move

typedef struct Journey {
    bool rolls;
    double friction;
    double heading; // [rad]
    CnVec3 start;
} Journey;

// The largest difference of two runs on the way, and the largest vertical velocity of the second
// [m, m/s].
static double compare_journeys(const Journey* journey, const Ground* plane, const Ground* ground,
                               double* bump) {
    const Ground* grounds[2] = {plane, ground};
    CnWorld* worlds[2];
    CnBodyId bodies[2];
    for (int i = 0; i < 2; ++i) {
        CnShapeDef shape;
        CnBodyDef def = journey->rolls ? ball_def(&shape) : box_def(&shape);
        CnVec3 along = cn_vec3(cn_cos(journey->heading), cn_sin(journey->heading), 0.0);
        worlds[i] = world_on(grounds[i], journey->friction);
        def.material = run_add_material(worlds[i], journey->friction, 0.0);
        def.position = cn_vec3_add(def.position, journey->start);
        def.rotation = cn_quat_from_axis_angle(cn_vec3(0.0, 0.0, 1.0), 0.5 * journey->heading);
        def.velocity = cn_vec3_scale(8.0, along);
        bodies[i] = run_add(worlds[i], &def);
    }
    double worst = 0.0;
    *bump = 0.0;
    for (int i = 0; i < 700; ++i) { // 1.4 s: 11 m without friction, a stop after 10.9 m with 0.3
        CHECK(cn_world_step(worlds[0], DT, NULL, NULL) == CN_OK);
        CHECK(cn_world_step(worlds[1], DT, NULL, NULL) == CN_OK);
        CnBodyState expected = run_state(worlds[0], bodies[0]);
        CnBodyState state = run_state(worlds[1], bodies[1]);
        worst = fmax(worst, cn_vec3_length(cn_vec3_sub(expected.center, state.center)));
        *bump = fmax(*bump, fabs(state.velocity.z));
    }
    CHECK(cn_vec3_length(run_state(worlds[1], bodies[1]).center) > 5.0);
    cn_world_destroy(worlds[0]);
    cn_world_destroy(worlds[1]);
    return worst;
}

// Along rows of points, along diagonals, and across everything.
static void travel(bool rolls, double friction) {
    static const double headings[5] = {0.0, 0.25, 0.5, 0.123, -0.39}; // of pi
    Ground grounds[3] = {ground_plane(), ground_mesh(120, 30.0, NULL),
                         ground_field(120, 30.0, NULL)};
    for (int i = 0; i < 10; ++i) {
        Journey journey = {rolls, friction, headings[i % 5] * CN_PI, {0.0, 0.0, 0.0}};
        double bump;
        double apart = compare_journeys(&journey, &grounds[0], &grounds[1 + i / 5], &bump);
        CHECK_NEAR(apart, 0.0, 1e-9);
        CHECK_NEAR(bump, 0.0, 1e-9);
    }
    for (int i = 0; i < 3; ++i) {
        ground_free(&grounds[i]);
    }
}

static void a_box_slides_over_triangles_as_over_ice(void) {
    travel(false, 0.0);
}

static void a_box_slides_to_a_stop_over_triangles_as_on_a_plane(void) {
    travel(false, 0.3);
}

static void a_ball_rolls_over_triangles_as_on_a_plane(void) {
    travel(true, 0.3);
}

// Shaped ground

// A bowl of radius 2 m.
static double bowl(double x, double y) {
    return 2.0 - sqrt(4.0 - fmin(x * x + y * y, 3.9));
}

// Dropped beside the middle, a ball rolls to and fro and stays in the bowl, never deeper in it than
// a step's tolerance; with friction in plenty it rolls, so its energy only falls.
static void ride_in(Ground ground) {
    CnWorld* world = world_on(&ground, 0.5);
    CnShapeDef shape;
    CnBodyDef def = ball_def(&shape);
    def.position = cn_vec3(0.7, 0.2, bowl(0.7, 0.2) + 0.11);
    def.material = run_add_material(world, 0.5, 0.0);
    CnBodyId ball = run_add(world, &def);
    double start = cn_world_energy(world), most = -HUGE_VAL, deepest = 0.0, farthest = 0.0;
    for (int i = 0; i < 3000; ++i) { // 6 s
        CnContactPoint points[16];
        CHECK(cn_world_step(world, DT, NULL, NULL) == CN_OK);
        int count = cn_world_find_contacts(world, points, 16);
        for (int k = 0; k < count; ++k) {
            deepest = fmin(deepest, points[k].gap);
        }
        CnVec3 center = run_state(world, ball).center;
        most = fmax(most, cn_world_energy(world));
        farthest = fmax(farthest, sqrt(center.x * center.x + center.y * center.y));
    }
    CHECK(most <= start + 1e-9 * fabs(start));
    CHECK(farthest < 0.8);
    CHECK_NEAR(deepest, 0.0, 1e-6); // projection: round-off and the curvature of a step [m]
    cn_world_destroy(world);
    ground_free(&ground);
}

static void a_ball_stays_in_a_bowl_of_triangles(void) {
    ride_in(ground_mesh(40, 2.4, bowl));
}

static void a_ball_stays_in_a_bowl_of_heights(void) {
    ride_in(ground_field(40, 2.4, bowl));
}

// A tray of 4 x 4 m turns about a corner, 2.8 m away from the box that lies on it: its speed there
// is 2.8 m/s upwards, and the box is carried along instead of being passed.
static void a_turning_mesh_lifts_what_lies_on_it(void) {
    Ground ground = ground_mesh(10, 4.0, NULL);
    CnWorldDef world_def = cn_world_def_default();
    CnWorld* world = run_create(&world_def);
    CnBodyDef tray = cn_body_def_default();
    tray.type = CN_BODY_KINEMATIC;
    ground.def.position = cn_vec3(2.0, 0.0, 0.0); // the body turns about its origin, at one end
    tray.shapes = &ground.def;
    tray.shape_count = 1;
    tray.angular_velocity = cn_vec3(0.0, -1.0, 0.0); // the far end rises
    run_add(world, &tray);
    CnShapeDef shape;
    CnBodyDef def = box_def(&shape);
    def.position = cn_vec3(2.8, 0.1, 0.1);
    CnBodyId box = run_add(world, &def);
    for (int i = 0; i < 200; ++i) { // 0.4 s: 23 degrees
        CHECK(cn_world_step(world, DT, NULL, NULL) == CN_OK);
    }
    CnVec3 center = run_state(world, box).center;
    CnVec3 up = cn_vec3(-sin(0.4), 0.0, cos(0.4));
    CHECK(cn_vec3_dot(up, center) > 0.099); // on the tray or, thrown, above it
    cn_world_destroy(world);
    ground_free(&ground);
}

TEST_MAIN("physics/contact/ground", TEST(a_box_at_rest_on_a_mesh_keeps_its_four_keys),
          TEST(a_box_at_rest_on_a_height_field_keeps_its_four_keys),
          TEST(a_box_slides_over_triangles_as_over_ice),
          TEST(a_box_slides_to_a_stop_over_triangles_as_on_a_plane),
          TEST(a_ball_rolls_over_triangles_as_on_a_plane),
          TEST(a_ball_stays_in_a_bowl_of_triangles), TEST(a_ball_stays_in_a_bowl_of_heights),
          TEST(a_turning_mesh_lifts_what_lies_on_it))

// test_places.c - when a body counts as still, and how far it is from where it was placed.
#include "cairn/random.h"
#include "support/run.h"
#include "world/contacts/contacts.h"
#include "world/contacts/manifolds.h"
#include "world/contacts/places.h"
#include "world/world.h"

static const CnVec3 zero = {0.0, 0.0, 0.0};
static const CnMaterialId no_material = {0};

// Of one body [m]: half of CnStepDef.recycling_distance, which is about two.
#define STILL 0.5e-12

// Bodies: 0 the ground, 1 to 3 boxes of 0.4 m with corners 0.2 sqrt 3 = 0.3464 m from the centre.
typedef struct Fixture {
    CnWorld* world;
    CnBodyId ids[4];
    CnBodyState states[4];
} Fixture;

#define ARM 0.34641016151377546 // [m]

static Fixture create(CnScheme scheme) {
    Fixture fixture;
    CnWorldDef def = cn_world_def_default();
    def.step.scheme = scheme;
    fixture.world = run_create(&def);
    fixture.ids[0] = run_add_ground(fixture.world, no_material);
    for (int i = 1; i < 4; ++i) {
        CnShapeDef shape = cn_shape_def_default(CN_SHAPE_BOX);
        CnBodyDef box = cn_body_def_default();
        shape.size = cn_vec3(0.4, 0.4, 0.4);
        box.shapes = &shape;
        box.shape_count = 1;
        box.position = cn_vec3(0.5 * i, 0.25, 0.25);
        box.rotation = cn_quat_from_axis_angle(cn_vec3(0.6, 0.0, 0.8), 0.3 * i);
        fixture.ids[i] = run_add(fixture.world, &box);
    }
    for (int i = 0; i < 4; ++i) {
        fixture.states[i] = fixture.world->bodies.data[i].state;
    }
    return fixture;
}

static const CnPlace* update(Fixture* fixture, int body) {
    CHECK_INT(cn_places_update(fixture->world, fixture->states, 1e-3), CN_OK);
    return &fixture->world->places.data[body];
}

static void look_at(Fixture* fixture) {
    CnLook look = {.states = fixture->states, .dt = 0.0};
    CHECK_INT(cn_world_find_pairs(fixture->world, look.states, look.dt), CN_OK);
    CHECK_INT(cn_manifolds_update(fixture->world, &look), CN_OK);
}

static void move(CnBodyState* state, CnVec3 way) {
    state->center = cn_vec3_add(state->center, way);
}

static CnPlaceDrift drift_of(const Fixture* fixture, int body) {
    return cn_places_drift(fixture->world, body);
}

static void turn(CnBodyState* state, CnVec3 angle) {
    state->rotation = cn_quat_multiply(cn_quat_exp(angle), state->rotation);
}

static void check_vector(CnVec3 value, CnVec3 expected, double tolerance) {
    CHECK_NEAR(value.x, expected.x, tolerance);
    CHECK_NEAR(value.y, expected.y, tolerance);
    CHECK_NEAR(value.z, expected.z, tolerance);
}

// Round-off of a coordinate of 0.5 m is 1.1e-16 m.
static void a_body_that_moves_by_less_than_the_bound_keeps_its_epoch(void) {
    Fixture fixture = create(CN_SCHEME_MOREAU);
    uint32_t epoch = update(&fixture, 1)->epoch;
    CHECK_INT(epoch, 1);
    CnVec3 way = cn_vec3(0.1e-12, -0.2e-12, 0.3e-12);
    move(&fixture.states[1], way);
    const CnPlace* place = update(&fixture, 1);
    CHECK_INT(place->epoch, epoch);
    check_vector(drift_of(&fixture, 1).moved, way, 1.2e-16);
    check_vector(drift_of(&fixture, 1).turned, zero, 0.0);
    CHECK_INT(fixture.world->shape_places.data[1].epoch, epoch);
    move(&fixture.states[1], way); // 0.75e-12 m in all: counted from the place, not step by step
    place = update(&fixture, 1);
    CHECK_INT(place->epoch, epoch + 1);
    check_vector(drift_of(&fixture, 1).moved, zero, 0.0);
    CHECK(place->pose.position.z == fixture.states[1].center.z);
    CHECK_INT(fixture.world->places.data[2].epoch, 1); // the others stay
    cn_world_destroy(fixture.world);
}

// 0 means that a body was never placed.
static void epochs_begin_again_with_one(void) {
    Fixture fixture = create(CN_SCHEME_MOREAU);
    update(&fixture, 1);
    fixture.world->places.data[1].epoch = fixture.world->shape_places.data[1].epoch = UINT32_MAX;
    CHECK(update(&fixture, 1)->epoch == UINT32_MAX);
    move(&fixture.states[1], cn_vec3(0.0, 0.0, 0.01));
    const CnPlace* place = update(&fixture, 1);
    CHECK_INT(place->epoch, 1);
    CHECK_INT(fixture.world->shape_places.data[1].epoch, 1);
    CHECK(place->pose.position.z == fixture.states[1].center.z);
    fixture.world->places.data[1].epoch = UINT32_MAX;
    cn_places_disturb(fixture.world, 1);
    CHECK_INT(fixture.world->places.data[1].epoch, 1);
    cn_world_destroy(fixture.world);
}

// Parts of a unit quaternion have a round-off of 1.1e-16; a turn is twice their difference, and a
// product of two has four of them.
static void a_small_turn_is_told_in_world_axes(void) {
    Fixture fixture = create(CN_SCHEME_MOREAU);
    update(&fixture, 2);
    CnVec3 angle = cn_vec3(0.4e-12, 0.5e-12, -0.6e-12); // 0.88e-12 rad at 0.35 m: 0.3e-12 m
    turn(&fixture.states[2], angle);
    const CnPlace* place = update(&fixture, 2);
    CHECK_INT(place->epoch, 1);
    check_vector(drift_of(&fixture, 2).turned, angle, 8 * 1.2e-16);
    check_vector(drift_of(&fixture, 2).moved, zero, 0.0);
    cn_world_destroy(fixture.world);
}

// The farthest point of the shapes decides: turns count by the arm.
static void a_turn_counts_by_the_farthest_corner(void) {
    for (int over = 0; over < 2; ++over) {
        Fixture fixture = create(CN_SCHEME_MOREAU);
        update(&fixture, 3);
        double angle = (over ? 1.01 : 0.99) * STILL / ARM;
        turn(&fixture.states[3], cn_vec3(0.0, angle, 0.0));
        CHECK_INT(update(&fixture, 3)->epoch, 1 + over);
        cn_world_destroy(fixture.world);
    }
}

// Far from its foot any turn of a plane is a long way.
static void a_plane_that_turns_is_not_still(void) {
    Fixture fixture = create(CN_SCHEME_MOREAU);
    update(&fixture, 0);
    move(&fixture.states[0], cn_vec3(0.0, 0.0, 0.4e-12));
    CHECK_INT(update(&fixture, 0)->epoch, 1);
    turn(&fixture.states[0], cn_vec3(1e-15, 0.0, 0.0));
    CHECK_INT(update(&fixture, 0)->epoch, 2);
    cn_world_destroy(fixture.world);
}

static void in_scheme_implicit_nothing_may_move(void) {
    Fixture fixture = create(CN_SCHEME_IMPLICIT);
    update(&fixture, 1);
    CHECK_INT(update(&fixture, 1)->epoch, 1);
    move(&fixture.states[1], cn_vec3(0.0, 0.0, 1e-16)); // an ulp or two of 0.25
    CHECK_INT(update(&fixture, 1)->epoch, 2);
    cn_world_destroy(fixture.world);
}

static void a_disturbed_body_is_looked_at_again(void) {
    Fixture fixture = create(CN_SCHEME_MOREAU);
    look_at(&fixture);
    const CnPairRecord* record = &fixture.world->pairs.records.data[0];
    CHECK(cn_pair_is_still(fixture.world, record));
    cn_places_disturb(fixture.world, cn_world_shape_at(fixture.world, record->shape[1])->body);
    CHECK(!cn_pair_is_still(fixture.world, record));
    look_at(&fixture);
    CHECK(cn_pair_is_still(fixture.world, record));
    cn_world_destroy(fixture.world);
}

// A disabled body is not placed. Moved meanwhile and enabled again, it is met where it is.
static void a_disabled_body_keeps_its_place_until_it_is_back(void) {
    Fixture fixture = create(CN_SCHEME_MOREAU);
    CnWorld* world = fixture.world;
    look_at(&fixture);
    uint32_t epoch = world->places.data[1].epoch;
    CHECK_INT(cn_body_set_enabled(world, fixture.ids[1], false, NULL), CN_OK);
    fixture.states[1].center = cn_vec3(0.5, 5.0, 0.1);
    look_at(&fixture);
    CHECK(world->places.data[1].pose.position.y == 0.25);
    CHECK_INT(cn_body_set_enabled(world, fixture.ids[1], true, NULL), CN_OK);
    look_at(&fixture);
    CHECK(world->places.data[1].epoch > epoch);
    CHECK(world->places.data[1].pose.position.y == 5.0);
    bool found = false;
    for (int i = 0; i < world->step.manifolds.count; ++i) {
        const CnManifold* manifold = cn_manifold_at(&world->pairs, world->step.manifolds.data[i]);
        int bodies[2];
        cn_manifold_bodies(world, manifold, bodies);
        if (bodies[0] == 1 || bodies[1] == 1) {
            found = true;
            CHECK(fabs(cn_manifold_point(manifold, 0).y - 5.0) <= ARM);
        }
    }
    CHECK(found);
    cn_world_destroy(world);
}

// The last body takes the index of one that is removed, with its place: it is still.
static void a_removed_body_leaves_its_place_to_the_last(void) {
    Fixture fixture = create(CN_SCHEME_MOREAU);
    CnWorld* world = fixture.world;
    update(&fixture, 1);
    move(&fixture.states[3], cn_vec3(1e-3, 0.0, 0.0));
    CHECK_INT(update(&fixture, 3)->epoch, 2);
    CHECK_INT(cn_world_remove_body(world, fixture.ids[1]), CN_OK);
    CHECK_INT(world->places.count, 3);
    CHECK_INT(world->places.data[1].epoch, 2);
    fixture.states[1] = fixture.states[3];
    CHECK_INT(update(&fixture, 1)->epoch, 2);
    CHECK_INT(world->places.data[2].epoch, 1);
    cn_world_destroy(world);
}

// Three balls of 0.1 m without ground: 0 and 1 fly side by side, 2 is 5 m away. All have 10 m/s, so
// that they come 0.1 m in the 0.01 s looked ahead, and half of it from there to the end.
#define LOOK_AHEAD 0.01 // [s]

static CnWorld* add_three_balls(CnBodyState states[3]) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    const double x[3] = {0.0, 0.25, 5.0};
    for (int i = 0; i < 3; ++i) {
        run_add_ball(world, 1.0, 0.1, cn_vec3(x[i], 0.0, 0.0), cn_vec3(0.0, 10.0, 0.0),
                     no_material);
        states[i] = world->bodies.data[i].state;
    }
    CHECK_INT(cn_world_find_pairs(world, states, LOOK_AHEAD), CN_OK);
    return world;
}

// The box of ball 2 reaches 0.2 m from its middle, its fat box 0.02 m further.
static void a_body_without_pairs_stays_within_its_fat_box(void) {
    CnBodyState states[3];
    CnWorld* world = add_three_balls(states);
    for (int i = 0; i < 3; ++i) {
        move(&states[i], cn_vec3(0.0, 0.05, 0.0));
    }
    CHECK_INT(cn_places_update(world, states, 0.0), CN_OK);
    CHECK(world->places.data[0].pose.position.y == 0.05);
    CHECK(world->places.data[1].pose.position.y == 0.05);
    CHECK(world->places.data[2].pose.position.y == 0.0);
    CHECK_INT(cn_places_update(world, states, 0.1 * LOOK_AHEAD), CN_OK); // up to y = 0.16 m
    CHECK(world->places.data[2].pose.position.y == 0.0);
    CHECK_INT(cn_places_update(world, states, LOOK_AHEAD), CN_OK); // up to y = 0.25 m
    CHECK(world->places.data[2].pose.position.y == 0.05);
    cn_world_destroy(world);
}

static CnWorld* add_alone(CnShapeType type) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnShapeDef shapes[2] = {cn_shape_def_default(type), cn_shape_def_default(CN_SHAPE_SPHERE)};
    CnBodyDef body = cn_body_def_default();
    shapes[0].size = cn_vec3(0.1, 0.2, 0.3);
    shapes[0].radius = 0.1;
    shapes[0].length = 0.4;
    shapes[1].radius = 0.05;
    shapes[1].position = cn_vec3(0.3, -0.1, 0.2); // so that neither has its middle at the centre
    body.shapes = shapes;
    body.shape_count = 2;
    run_add(world, &body);
    return world;
}

// Bounds of a shape as placing at a state makes them, with the least reach that it may choose.
static CnBounds bounds_at(const CnWorld* world, int slot, const CnBodyState* state, double dt) {
    const CnWorldShape* shape = cn_world_shape_at(world, slot);
    double arm = cn_vec3_length(cn_world_shape_offset(world, shape)) + shape->shape->extent;
    double reach =
        dt * (cn_vec3_length(state->velocity) + arm * cn_vec3_length(state->angular_velocity));
    CnTransform pose = {state->center, state->rotation};
    return cn_shape_bounds(cn_world_shape_placed(world, shape, pose),
                           reach + 0.5 * world->def.step.contact_margin);
}

// What stays is where placing would have left its fat box as it is.
static void bounds_of_a_body_that_stays_are_within_its_fat_box(void) {
    const CnShapeType types[] = {CN_SHAPE_SPHERE, CN_SHAPE_BOX, CN_SHAPE_CAPSULE};
    CnRandom random = {3};
    for (int t = 0; t < 3; ++t) {
        CnWorld* world = add_alone(types[t]);
        CnBodyState state = world->bodies.data[0].state;
        int stays = 0;
        for (int i = 0; i < 400; ++i) {
            double dt = i % 2 == 0 ? 0.01 : 0.0;
            double speed = i % 20 == 0 ? 1.0 : 0.1; // [m/s]
            state.velocity = cn_vec3(cn_random_between(&random, -speed, speed), speed, 0.0);
            state.angular_velocity = cn_vec3(0.0, 0.1, cn_random_between(&random, -0.2, 0.2));
            move(&state, cn_vec3_scale(0.005, state.velocity));
            turn(&state, cn_vec3_scale(0.005, state.angular_velocity));
            CHECK_INT(cn_world_find_pairs(world, &state, dt), CN_OK);
            bool stayed = world->places.data[0].pose.position.y != state.center.y;
            stays += stayed;
            for (int s = 0; stayed && s < 2; ++s) {
                CnBounds bounds = bounds_at(world, s, &state, dt);
                CHECK(cn_float_box_contains(&world->broad_phase.fat.data[s], &bounds));
            }
        }
        CHECK(stays > 100 && stays < 390);
        cn_world_destroy(world);
    }
}

// A ball comes further than it could alone, by an impulse, and meets the one that has no pairs.
static void a_body_that_stayed_is_placed_when_another_comes_to_it(void) {
    CnBodyState states[3];
    CnWorld* world = add_three_balls(states);
    move(&states[2], cn_vec3(0.0, 0.05, 0.0));
    move(&states[0], cn_vec3(4.85, 0.05, 0.0));
    CHECK_INT(cn_places_update(world, states, 0.0), CN_OK);
    CHECK(world->places.data[0].pose.position.x == 4.85);
    CHECK(world->places.data[2].pose.position.y == 0.05);
    cn_world_destroy(world);
}

// The same while positions are corrected, when only some bodies move.
static void a_body_that_stayed_is_placed_when_a_correction_comes_to_it(void) {
    CnBodyState states[3];
    CnWorld* world = add_three_balls(states);
    const bool scope[3] = {true, true, false};
    move(&states[2], cn_vec3(0.0, 0.05, 0.0));
    CHECK_INT(cn_places_update(world, states, 0.0), CN_OK);
    CHECK(world->places.data[2].pose.position.y == 0.0);
    world->correction.scope = scope;
    move(&states[0], cn_vec3(4.85, 0.05, 0.0));
    CHECK_INT(cn_places_update(world, states, 0.0), CN_OK);
    world->correction.scope = NULL;
    CHECK(world->places.data[2].pose.position.y == 0.05);
    cn_world_destroy(world);
}

// A body that comes 10 mm in a step is not slow: it may count as still for 5 mm. Where it is told
// to go the other way, from the same place, the bounds of its shapes reach there.
static void bounds_of_a_soft_step_follow_a_velocity_that_turns(void) {
    CnWorldDef def = run_soft_def();
    CnWorld* world = run_create(&def);
    const double radius = 0.1, dt = 0.01; // [m], [s]
    run_add_ball(world, 1.0, radius, cn_vec3(0.0, 0.0, 5.0), zero, no_material);
    for (int sign = 1; sign >= -1; sign -= 2) {
        world->bodies.data[0].state.velocity = cn_vec3(sign, 0.0, 0.0);
        CHECK_INT(cn_places_update(world, NULL, dt), CN_OK);
        const CnBounds* bounds = &world->shape_places.data[0].bounds;
        CHECK(sign > 0 ? bounds->high.x >= radius + dt : bounds->low.x <= -radius - dt);
    }
    CHECK_INT(world->places.data[0].epoch, 1); // it is where it was
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/contacts/places",
          TEST(a_body_that_moves_by_less_than_the_bound_keeps_its_epoch),
          TEST(epochs_begin_again_with_one), TEST(a_small_turn_is_told_in_world_axes),
          TEST(a_turn_counts_by_the_farthest_corner), TEST(a_plane_that_turns_is_not_still),
          TEST(in_scheme_implicit_nothing_may_move), TEST(a_disturbed_body_is_looked_at_again),
          TEST(a_disabled_body_keeps_its_place_until_it_is_back),
          TEST(a_removed_body_leaves_its_place_to_the_last),
          TEST(a_body_without_pairs_stays_within_its_fat_box),
          TEST(bounds_of_a_body_that_stays_are_within_its_fat_box),
          TEST(a_body_that_stayed_is_placed_when_another_comes_to_it),
          TEST(a_body_that_stayed_is_placed_when_a_correction_comes_to_it),
          TEST(bounds_of_a_soft_step_follow_a_velocity_that_turns))

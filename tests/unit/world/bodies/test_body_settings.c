// test_body_settings.c - bodies whose type, mass, pose and states are changed while they are there.
#include "cairn/cairn.h"
#include "support/run.h"

#include <string.h>

static const CnMaterialId no_material = {0};
static const CnVec3 zero = {0.0, 0.0, 0.0};

static CnWorld* create(void) {
    CnWorldDef def = cn_world_def_default();
    return run_create(&def);
}

static CnBodyId add_ball(CnWorld* world, CnVec3 position) {
    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    CnBodyDef def = cn_body_def_default();
    sphere.radius = 0.5;
    def.shapes = &sphere;
    def.shape_count = 1;
    def.position = position;
    def.user = 7;
    return run_add(world, &def);
}

static CnBodyInfo read(const CnWorld* world, CnBodyId body) {
    CnBodyInfo info;
    CHECK_INT(cn_body_read(world, body, &info), CN_OK);
    return info;
}

static double distance(CnVec3 a, CnVec3 b) {
    return cn_vec3_length(cn_vec3_sub(a, b));
}

static void what_is_set_is_read(void) {
    CnWorld* world = create();
    CnBodyDef def = run_body(2.0, cn_vec3(1.0, 2.0, 2.5), cn_vec3(1.0, 2.0, 3.0));
    def.name = "it";
    def.gravity_scale = 0.5;
    def.linear_damping = 0.1;
    def.angular_damping = 0.2;
    def.velocity = cn_vec3(1.0, 0.0, 0.0);
    def.user = 42;
    CnBodyId body = run_add(world, &def);
    CnBodyInfo info = read(world, body);
    CHECK(strcmp(info.name, "it") == 0 && info.type == CN_BODY_DYNAMIC && info.enabled);
    CHECK(info.has_mass && info.mass.mass == 2.0 && info.mass.inertia[2] == 2.5);
    CHECK(info.gravity_scale == 0.5 && info.linear_damping == 0.1 && info.angular_damping == 0.2);
    CHECK(info.user == 42 && cn_body_user(world, body) == 42 && info.state.velocity.x == 1.0);
    CHECK_INT(cn_body_set_user(world, body, 43), CN_OK);
    CHECK(cn_body_user(world, body) == 43);
    CHECK_INT(cn_world_remove_body(world, body), CN_OK);
    CHECK(cn_body_user(world, body) == 0);
    CHECK_INT(cn_body_set_user(world, body, 1), CN_STALE);
    CHECK_INT(cn_body_read(world, body, &info), CN_STALE);
    cn_world_destroy(world);
}

// A frame that is not at the centre of mass.
static void a_pose_is_that_of_the_frame(void) {
    CnWorld* world = create();
    CnBodyDef def = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), zero);
    def.center = cn_vec3(0.3, 0.0, 0.0);
    def.velocity = cn_vec3(1.0, 2.0, 3.0);
    CnBodyId body = run_add(world, &def);
    CnTransform pose = {cn_vec3(5.0, 6.0, 7.0),
                        cn_quat_from_axis_angle(cn_vec3(0.0, 0.0, 1.0), 0.5 * CN_PI)};
    CHECK_INT(cn_body_set_pose(world, body, pose, NULL), CN_OK);
    CnBodyInfo info = read(world, body);
    CHECK_NEAR(distance(info.pose.position, pose.position), 0.0, 1e-15);
    CHECK_NEAR(distance(info.state.center, cn_vec3(5.0, 6.3, 7.0)), 0.0, 1e-15);
    CHECK(info.state.velocity.z == 3.0);
    CnError error;
    pose.rotation.w = 9.0;
    CHECK_INT(cn_body_set_pose(world, body, pose, &error), CN_INVALID);
    CHECK(strstr(error.message, "quaternion") != NULL);
    CHECK_INT(cn_body_set_pose(world, (CnBodyId){0}, pose, &error), CN_STALE);
    cn_world_destroy(world);
}

static void types_can_be_changed(void) {
    CnWorld* world = create();
    run_add_ground(world, no_material);
    CnBodyId low = add_ball(world, cn_vec3(0.0, 0.0, 0.5));
    CnBodyId high = add_ball(world, cn_vec3(0.0, 0.0, 3.0));
    double mass = read(world, high).mass.mass;
    CHECK_INT(cn_body_set_type(world, high, CN_BODY_STATIC, NULL), CN_OK);
    run_steps(world, 1e-2, 10);
    CHECK(read(world, high).state.center.z == 3.0 && read(world, high).mass.mass == 0.0);
    CHECK_INT(cn_body_set_type(world, high, CN_BODY_KINEMATIC, NULL), CN_OK);
    CnBodyState state = run_state(world, high);
    state.velocity = cn_vec3(0.0, 0.0, 1.0);
    CHECK_INT(cn_body_set_state(world, high, &state, NULL), CN_OK);
    run_steps(world, 1e-2, 10);
    CHECK_NEAR(read(world, high).state.center.z, 3.1, 1e-14);
    CHECK_INT(cn_body_set_type(world, high, CN_BODY_DYNAMIC, NULL), CN_OK);
    CHECK(read(world, high).mass.mass == mass && read(world, high).state.velocity.z == 1.0);
    run_steps(world, 1e-2, 300); // falls onto the other
    CHECK(read(world, high).state.center.z < 2.0);
    CHECK(cn_world_find_contacts(world, NULL, 0) >= 2);
    CHECK_INT(cn_body_set_type(world, low, CN_BODY_STATIC, NULL), CN_OK);
    CHECK_INT(cn_body_set_type(world, high, CN_BODY_STATIC, NULL), CN_OK); // moves no more
    CHECK(cn_vec3_length(read(world, high).state.velocity) == 0.0);
    CHECK_INT(cn_world_find_contacts(world, NULL, 0), 0);
    cn_world_destroy(world);
}

static void a_type_that_cannot_be_is_refused(void) {
    CnWorld* world = create();
    CnError error;
    CnBodyId ground = run_add_ground(world, no_material);
    CHECK_INT(cn_body_set_type(world, ground, CN_BODY_DYNAMIC, &error), CN_INVALID);
    CHECK(strstr(error.message, "plane") != NULL);
    CnBodyDef empty = cn_body_def_default();
    empty.type = CN_BODY_STATIC;
    CnBodyId post = run_add(world, &empty);
    CHECK_INT(cn_body_set_type(world, post, CN_BODY_DYNAMIC, &error), CN_INVALID);
    CHECK(strstr(error.message, "mass") != NULL);
    CHECK_INT(cn_body_set_type(world, post, (CnBodyType)9, &error), CN_INVALID);
    CHECK(strstr(error.message, "type") != NULL);
    CnMassProperties mass = {1.0, zero, {1.0, 1.0, 1.0}};
    CHECK_INT(cn_body_set_mass(world, post, &mass, NULL), CN_OK);
    CHECK_INT(cn_body_set_type(world, post, CN_BODY_DYNAMIC, NULL), CN_OK);
    CHECK(read(world, post).mass.mass == 1.0);
    cn_world_destroy(world);
}

// The centre of mass moves in the body; the body does not.
static void a_mass_can_be_given_and_taken_back(void) {
    CnWorld* world = create();
    CnBodyId ball = add_ball(world, cn_vec3(1.0, 2.0, 3.0));
    CnBodyState state = run_state(world, ball);
    state.angular_velocity = cn_vec3(0.0, 0.0, 2.0);
    CHECK_INT(cn_body_set_state(world, ball, &state, NULL), CN_OK);
    CnMassProperties own = read(world, ball).mass;
    CnMassProperties mass = {5.0, cn_vec3(0.1, 0.0, 0.0), {1.0, 1.0, 1.0}};
    CHECK_INT(cn_body_set_mass(world, ball, &mass, NULL), CN_OK);
    CnBodyInfo info = read(world, ball);
    CHECK(info.has_mass && memcmp(&info.mass, &mass, sizeof mass) == 0);
    CHECK_NEAR(distance(info.pose.position, cn_vec3(1.0, 2.0, 3.0)), 0.0, 1e-15);
    CHECK_NEAR(distance(info.state.velocity, cn_vec3(0.0, 0.2, 0.0)), 0.0, 1e-15);
    CHECK_INT(cn_body_set_mass(world, ball, NULL, NULL), CN_OK);
    info = read(world, ball);
    CHECK(!info.has_mass && memcmp(&info.mass, &own, sizeof own) == 0);
    CHECK_NEAR(cn_vec3_length(info.state.velocity), 0.0, 1e-15);
    CnError error;
    mass.mass = -1.0;
    CHECK_INT(cn_body_set_mass(world, ball, &mass, &error), CN_INVALID);
    CHECK(strstr(error.message, "mass") != NULL);
    cn_world_destroy(world);
}

// Nothing meets it, it does not move, its joint does not hold; then all is as it was.
static void a_disabled_body_takes_part_in_nothing(void) {
    CnWorld* world = create();
    run_add_ground(world, no_material);
    CnBodyId low = add_ball(world, cn_vec3(0.0, 0.0, 0.5));
    CnBodyId high = add_ball(world, cn_vec3(0.0, 0.0, 1.5));
    CnBodyId hung = add_ball(world, cn_vec3(4.0, 0.0, 9.0));
    CnJointDef joint = cn_joint_def_default(CN_JOINT_WELD);
    joint.body_a = low;
    joint.body_b = hung;
    CHECK(cn_world_add_joint(world, &joint, NULL).index != 0);
    CnBodyState state = run_state(world, low);
    state.velocity = cn_vec3(0.0, 0.25, 0.0);
    CHECK_INT(cn_body_set_state(world, low, &state, NULL), CN_OK);
    double energy = cn_world_energy(world);
    CHECK_INT(cn_body_set_enabled(world, low, false, NULL), CN_OK);
    CHECK_INT(cn_body_set_enabled(world, low, false, NULL), CN_OK); // as it was
    CHECK(cn_world_energy(world) < energy);
    CHECK(!read(world, low).enabled && read(world, low).type == CN_BODY_DYNAMIC);
    CHECK(read(world, low).mass.mass > 0.0 && read(world, low).state.velocity.y == 0.25);
    CnCastHit hit;
    CHECK_INT(
        cn_world_cast_ray(world, cn_vec3(-3.0, 0.0, 0.4), cn_vec3(6.0, 0.0, 0.0), NULL, &hit, NULL),
        CN_OK);
    CHECK_INT(hit.body.index, 0);
    CnError error;
    CHECK_INT(cn_body_apply_force(world, low, zero, zero, &error), CN_INVALID);
    run_steps(world, 1e-2, 200);
    CHECK_NEAR(read(world, high).state.center.z, 0.5, 1e-6); // fell through where low is
    CHECK(read(world, hung).state.center.z < 1.0);           // nothing held it
    CHECK(run_state_distance(
              &state, &(CnBodyState){read(world, low).state.center, read(world, low).state.rotation,
                                     read(world, low).state.velocity,
                                     read(world, low).state.angular_velocity}) == 0.0);
    state = run_state(world, high);
    state.center = cn_vec3(0.0, 0.0, 3.0);
    CHECK_INT(cn_body_set_state(world, high, &state, NULL), CN_OK);
    CHECK_INT(cn_body_set_enabled(world, low, true, NULL), CN_OK);
    CHECK(cn_world_body_count(world) == 4 && run_state(world, low).velocity.y == 0.25);
    CHECK_INT(
        cn_world_cast_ray(world, cn_vec3(-3.0, 0.0, 0.4), cn_vec3(6.0, 0.0, 0.0), NULL, &hit, NULL),
        CN_OK);
    CHECK_INT(hit.body.index, low.index);
    cn_world_destroy(world);
}

// Shapes added and removed, types changed, the body removed: all while it is disabled.
static void a_disabled_body_can_be_changed(void) {
    CnWorld* world = create();
    CnBodyId body = add_ball(world, cn_vec3(0.0, 0.0, 5.0));
    CHECK_INT(cn_body_set_enabled(world, body, false, NULL), CN_OK);
    CnShapeDef box = cn_shape_def_default(CN_SHAPE_BOX);
    box.size = cn_vec3(1.0, 1.0, 1.0);
    CnShapeId shape = cn_body_add_shape(world, body, &box, NULL);
    CHECK(shape.index != 0);
    CHECK_INT(cn_shape_set_filter(world, shape, 2, 3, 0, NULL), CN_OK);
    run_step(world, 1e-2);
    CHECK_INT(cn_body_set_type(world, body, CN_BODY_STATIC, NULL), CN_OK);
    CHECK_INT(cn_body_set_type(world, body, CN_BODY_DYNAMIC, NULL), CN_OK);
    CHECK_INT(cn_shape_remove(world, shape, NULL), CN_OK);
    CHECK_INT(cn_body_set_enabled(world, body, true, NULL), CN_OK);
    run_step(world, 1e-2);
    CHECK(run_state(world, body).velocity.z < 0.0);
    CHECK_INT(cn_body_set_enabled(world, body, false, NULL), CN_OK);
    CHECK_INT(cn_world_remove_body(world, body), CN_OK);
    run_step(world, 1e-2);
    CnBodyDef def = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), zero);
    def.enabled = false;
    CHECK(!read(world, run_add(world, &def)).enabled);
    cn_world_destroy(world);
}

static void states_are_read_and_written_in_bulk(void) {
    CnWorld* world = create();
    CnBodyId bodies[4];
    for (int i = 0; i < 4; ++i) {
        bodies[i] = add_ball(world, cn_vec3(2.0 * i, 0.0, 5.0));
    }
    CHECK_INT(cn_world_remove_body(world, bodies[1]), CN_OK);
    CnBodyState states[4], read_back[4];
    CnTransform poses[4];
    CnBodyId ids[4];
    CHECK_INT(cn_world_read_states(world, states, ids, 2), 3);
    CHECK_INT(cn_world_read_states(world, states, ids, 4), 3);
    CHECK_INT(cn_world_read_poses(world, poses, NULL, 4), 3);
    for (int i = 0; i < 3; ++i) {
        CHECK(ids[i].index == cn_world_body_at(world, i).index);
        CnBodyState state = run_state(world, ids[i]);
        CHECK(memcmp(&state, &states[i], sizeof state) == 0);
        CHECK_NEAR(distance(poses[i].position, state.center), 0.0, 1e-15);
        states[i].velocity = cn_vec3(i, 1.0, 2.0);
    }
    CHECK_INT(cn_world_write_states(world, states, NULL, 3, NULL), CN_OK);
    CHECK_INT(cn_world_read_states(world, read_back, NULL, 4), 3);
    CHECK(memcmp(states, read_back, 3 * sizeof states[0]) == 0);
    CnBodyId swapped[2] = {ids[2], ids[0]};
    CHECK_INT(cn_world_write_states(world, states, swapped, 2, NULL), CN_OK);
    CHECK(run_state(world, ids[0]).velocity.x == 1.0 && run_state(world, ids[2]).velocity.x == 0.0);
    CnError error;
    CHECK_INT(cn_world_write_states(world, states, NULL, 2, &error), CN_INVALID);
    CHECK(strstr(error.message, "count") != NULL);
    states[1].velocity.x = NAN; // the first is not set either
    states[0].velocity.x = 99.0;
    CHECK_INT(cn_world_write_states(world, states, NULL, 3, &error), CN_INVALID);
    CHECK(run_state(world, ids[0]).velocity.x == 1.0);
    swapped[1] = bodies[1];
    CHECK_INT(cn_world_write_states(world, states, swapped, 2, &error), CN_STALE);
    cn_world_destroy(world);
}

static void settings_of_a_world_can_be_changed(void) {
    CnWorld* world = create();
    CnBodyId ball = add_ball(world, cn_vec3(0.0, 0.0, 5.0));
    CnError error;
    CHECK_INT(cn_world_set_gravity(world, cn_vec3(1.0, 0.0, 0.0), NULL), CN_OK);
    CHECK_INT(cn_world_set_gravity(world, cn_vec3(NAN, 0.0, 0.0), &error), CN_INVALID);
    CHECK(strstr(error.message, "gravity") != NULL);
    CnWorldDef def = cn_world_read(world);
    CHECK(def.gravity.x == 1.0);
    def.step.substeps = 4;
    CHECK_INT(cn_world_set_step(world, &def.step, NULL), CN_OK);
    def.step.theta = 7.0;
    CHECK_INT(cn_world_set_step(world, &def.step, &error), CN_INVALID);
    CHECK(strstr(error.message, "theta") != NULL);
    char name[8] = "nsgs";
    def.solver.name = name;
    CHECK_INT(cn_world_set_solver(world, &def.solver, NULL), CN_OK);
    name[0] = 'x'; // the world has a copy
    CHECK(strcmp(cn_world_read(world).solver.name, "nsgs") == 0);
    CHECK_INT(cn_world_set_solver(world, &def.solver, &error), CN_INVALID);
    CHECK(cn_world_read(world).step.substeps == 4);
    run_step(world, 1e-2);
    CHECK_NEAR(run_state(world, ball).velocity.x, 1e-2, 1e-16);
    cn_world_destroy(world);
}

// From inside a step nothing can be changed.
static void try_changes(const CnBodyState* body, double time, void* data, CnVec3* force,
                        CnVec3* torque) {
    (void)time;
    (void)force;
    (void)torque;
    CnWorld* world = data;
    CnBodyId id = cn_world_body_at(world, 0);
    CnMassProperties mass = {1.0, zero, {1.0, 1.0, 1.0}};
    CnWorldDef def = cn_world_read(world);
    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    CnError error;
    CHECK_INT(cn_body_set_user(world, id, 1), CN_INVALID);
    CHECK_INT(cn_body_set_pose(world, id, (CnTransform){zero, cn_quat_identity()}, NULL),
              CN_INVALID);
    CHECK_INT(cn_body_set_mass(world, id, &mass, NULL), CN_INVALID);
    CHECK_INT(cn_body_set_type(world, id, CN_BODY_STATIC, NULL), CN_INVALID);
    CHECK_INT(cn_body_set_enabled(world, id, false, NULL), CN_INVALID);
    CHECK_INT(cn_body_set_damping(world, id, 1.0, 1.0, NULL), CN_INVALID);
    CHECK_INT(cn_body_set_gravity_scale(world, id, 1.0, NULL), CN_INVALID);
    CHECK_INT(cn_body_apply_force(world, id, zero, zero, NULL), CN_INVALID);
    CHECK_INT(cn_body_apply_torque(world, id, zero, NULL), CN_INVALID);
    CHECK_INT(cn_world_write_states(world, body, NULL, 1, NULL), CN_INVALID);
    CHECK_INT(cn_world_set_gravity(world, zero, NULL), CN_INVALID);
    CHECK_INT(cn_world_set_step(world, &def.step, NULL), CN_INVALID);
    CHECK_INT(cn_world_set_solver(world, &def.solver, NULL), CN_INVALID);
    CHECK(cn_body_add_shape(world, id, &sphere, &error).index == 0 && error.status == CN_INVALID);
    CnShapeId shape;
    CHECK_INT(cn_body_shapes(world, id, &shape, 1), 1);
    CHECK_INT(cn_shape_remove(world, shape, NULL), CN_INVALID);
    CHECK_INT(cn_shape_set_filter(world, shape, 1, 1, 0, NULL), CN_INVALID);
    CHECK_INT(cn_shape_set_material(world, shape, no_material, NULL), CN_INVALID);
}

static void nothing_is_changed_during_a_step(void) {
    CnWorld* world = create();
    CnBodyId ball = add_ball(world, cn_vec3(0.0, 0.0, 5.0));
    CnForceDef force = cn_force_def_default();
    force.body = ball;
    force.function = try_changes;
    force.data = world;
    CHECK(cn_world_add_force(world, &force, NULL).index != 0);
    run_step(world, 1e-2);
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/bodies/body_settings", TEST(what_is_set_is_read),
          TEST(a_pose_is_that_of_the_frame), TEST(types_can_be_changed),
          TEST(a_type_that_cannot_be_is_refused), TEST(a_mass_can_be_given_and_taken_back),
          TEST(a_disabled_body_takes_part_in_nothing), TEST(a_disabled_body_can_be_changed),
          TEST(states_are_read_and_written_in_bulk), TEST(settings_of_a_world_can_be_changed),
          TEST(nothing_is_changed_during_a_step))

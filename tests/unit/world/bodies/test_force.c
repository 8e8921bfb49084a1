// test_force.c - what each way of loading a body adds up to.
#include "support/run.h"
#include "world/bodies/force.h"

static const CnVec3 zero = {0.0, 0.0, 0.0};

// One body turned by 90 degrees about z, its centre of mass at (1, 0, 0) of its frame, and so at
// (0, 1, 0) in the world.
typedef struct Loaded {
    CnWorld* world;
    CnBodyId body;
} Loaded;

static Loaded create(void) {
    CnWorldDef def = cn_world_def_default();
    Loaded loaded = {.world = run_create(&def)};
    CnBodyDef body = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), zero);
    body.center = cn_vec3(1.0, 0.0, 0.0);
    body.rotation = cn_quat_from_axis_angle(cn_vec3(0.0, 0.0, 1.0), 0.5 * CN_PI);
    body.velocity = cn_vec3(0.0, 0.0, 2.0);
    body.angular_velocity = cn_vec3(0.0, 0.0, 3.0);
    loaded.body = run_add(loaded.world, &body);
    return loaded;
}

static CnLoad load_of(const Loaded* loaded, const CnForceDef* def, double time) {
    CnBodyState state = run_state(loaded->world, loaded->body);
    CnLoad load;
    CnForceId id = cn_world_add_force(loaded->world, def, NULL);
    CHECK(id.index != 0);
    cn_world_loads(loaded->world, &state, time, &load);
    CHECK_INT(cn_world_remove_force(loaded->world, id), CN_OK);
    return load;
}

static void check_vector(CnVec3 v, double x, double y, double z) {
    CHECK_NEAR(v.x, x, 1e-14);
    CHECK_NEAR(v.y, y, 1e-14);
    CHECK_NEAR(v.z, z, 1e-14);
}

static void a_spatial_force_keeps_its_direction(void) {
    Loaded loaded = create();
    CnForceDef def = cn_force_def_default();
    def.body = loaded.body;
    def.point = cn_vec3(3.0, 0.0, 0.0); // 2 m beyond the centre: the arm is (0, 2, 0)
    def.force = cn_vec3(1.0, 0.0, 0.0);
    def.torque = cn_vec3(0.0, 0.0, 10.0);
    CnLoad load = load_of(&loaded, &def, 0.0);
    check_vector(load.force, 1.0, 0.0, 0.0);
    check_vector(load.torque, 0.0, 0.0, 10.0 - 2.0);
    CHECK(!load.depends_on_velocity);
    cn_world_destroy(loaded.world);
}

static void a_carried_force_turns_with_the_body(void) {
    Loaded loaded = create();
    CnForceDef def = cn_force_def_default();
    def.body = loaded.body;
    def.frame = CN_FORCE_CARRIED;
    def.point = cn_vec3(1.0, 2.0, 0.0); // the arm is (-2, 0, 0)
    def.force = cn_vec3(1.0, 0.0, 0.0); // becomes (0, 1, 0)
    def.torque = cn_vec3(5.0, 0.0, 0.0);
    CnLoad load = load_of(&loaded, &def, 0.0);
    check_vector(load.force, 0.0, 1.0, 0.0);
    check_vector(load.torque, 0.0, 5.0, -2.0);
    cn_world_destroy(loaded.world);
}

static void drag_opposes_the_velocity_of_its_point(void) {
    Loaded loaded = create();
    CnForceDef def = cn_force_def_default();
    def.body = loaded.body;
    def.point = cn_vec3(2.0, 0.0, 0.0); // arm (0, 1, 0): moves at (-3, 0, 2)
    def.drag = 0.5;
    CnLoad load = load_of(&loaded, &def, 0.0);
    check_vector(load.force, 1.5, 0.0, -1.0);
    check_vector(load.torque, -1.0, 0.0, -1.5);
    CHECK(load.depends_on_velocity);
    cn_world_destroy(loaded.world);
}

static void follow(const CnBodyState* body, double time, void* data, CnVec3* force,
                   CnVec3* torque) {
    force->x += time;
    force->y += body->velocity.z;
    torque->z += *(double*)data;
}

static void a_series_scales_and_a_function_adds(void) {
    Loaded loaded = create();
    double own = 7.0;
    CnSeriesDef ramp = {
        .name = "ramp", .count = 2, .times = (double[]){0.0, 2.0}, .values = (double[]){0.0, 4.0}};
    CnForceDef def = cn_force_def_default();
    def.body = loaded.body;
    def.point = cn_vec3(1.0, 0.0, 0.0); // the centre of mass
    def.force = cn_vec3(0.0, 0.0, 1.0);
    def.torque = cn_vec3(1.0, 0.0, 0.0);
    def.series = cn_world_add_series(loaded.world, &ramp, NULL);
    def.function = follow;
    def.data = &own;
    CnLoad load = load_of(&loaded, &def, 1.5); // the factor is 3; the function is not scaled
    check_vector(load.force, 1.5, 2.0, 3.0);
    check_vector(load.torque, 3.0, 0.0, 7.0);
    CHECK(load.depends_on_velocity);
    cn_world_destroy(loaded.world);
}

static void loads_add_up_and_static_bodies_take_none(void) {
    Loaded loaded = create();
    CnForceDef def = cn_force_def_default();
    CnBodyState states[2] = {run_state(loaded.world, loaded.body)};
    CnLoad loads[2];
    def.body = run_add_ground(loaded.world, (CnMaterialId){0});
    states[1] = run_state(loaded.world, def.body);
    def.force = cn_vec3(1.0, 2.0, 3.0);
    CHECK(cn_world_add_force(loaded.world, &def, NULL).index != 0);
    def.body = loaded.body;
    CHECK(cn_world_add_force(loaded.world, &def, NULL).index != 0);
    CHECK(cn_world_add_force(loaded.world, &def, NULL).index != 0);
    cn_world_loads(loaded.world, states, 0.0, loads);
    check_vector(loads[0].force, 2.0, 4.0, 6.0);
    check_vector(loads[1].force, 0.0, 0.0, 0.0);
    cn_world_destroy(loaded.world);
}

// dv/dt = -k v with k = 1/s and dt = 0.1 s: looked at twice, the first step has the factor
// 1 - k dt + (k dt)^2 / 2 of Heun's rule; once would give 0.9.
static void drag_is_second_order(void) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = zero;
    CnWorld* world = run_create(&def);
    CnBodyDef body = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), zero);
    body.velocity = cn_vec3(1.0, 0.0, 0.0);
    CnForceDef force = cn_force_def_default();
    force.body = run_add(world, &body);
    force.drag = 1.0;
    CHECK(cn_world_add_force(world, &force, NULL).index != 0);
    run_step(world, 0.1);
    CHECK_NEAR(run_state(world, force.body).velocity.x, 0.905, 1e-15);
    cn_world_destroy(world);
}

static void a_force_is_read_and_changed(void) {
    Loaded loaded = create();
    CnForceDef def = cn_force_def_default(), read;
    def.body = loaded.body;
    def.force = cn_vec3(1.0, 2.0, 3.0);
    CnForceId id = cn_world_add_force(loaded.world, &def, NULL);
    CHECK_INT(cn_force_read(loaded.world, id, &read), CN_OK);
    check_vector(read.force, 1.0, 2.0, 3.0);
    read.force.x = 5.0;
    CHECK_INT(cn_force_set(loaded.world, id, &read, NULL), CN_OK);
    CnBodyState state = run_state(loaded.world, loaded.body);
    CnLoad load;
    cn_world_loads(loaded.world, &state, 0.0, &load);
    check_vector(load.force, 5.0, 2.0, 3.0);

    CnError error = {0};
    CnBodyDef other = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), zero);
    read.body = run_add(loaded.world, &other);
    CHECK_INT(cn_force_set(loaded.world, id, &read, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "keeps its body");
    CHECK_INT(cn_world_remove_force(loaded.world, id), CN_OK);
    CHECK_INT(cn_force_read(loaded.world, id, &read), CN_STALE);
    CHECK_INT(cn_force_set(loaded.world, id, &def, &error), CN_STALE);
    cn_world_destroy(loaded.world);
}

TEST_MAIN("unit/world/bodies/force", TEST(a_spatial_force_keeps_its_direction),
          TEST(a_carried_force_turns_with_the_body), TEST(drag_opposes_the_velocity_of_its_point),
          TEST(a_series_scales_and_a_function_adds), TEST(loads_add_up_and_static_bodies_take_none),
          TEST(drag_is_second_order), TEST(a_force_is_read_and_changed))

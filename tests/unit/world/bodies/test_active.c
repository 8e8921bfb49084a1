// test_active.c - a step walks over what moves; what it keeps about the rest is never out of date.
#include "cairn/random.h"
#include "support/run.h"
#include "world/bodies/active.h"
#include "world/world.h"

static const double dt = 0.01; // [s]

static CnBodyId add_box(CnWorld* world, CnVec3 position, CnBodyType type) {
    CnShapeDef shape = cn_shape_def_default(CN_SHAPE_BOX);
    CnBodyDef def = cn_body_def_default();
    def.shapes = &shape;
    def.shape_count = 1;
    def.position = position;
    def.type = type;
    return run_add(world, &def);
}

static CnWorld* create(void) {
    CnWorldDef def = cn_world_def_default();
    def.step.sleep = true;
    def.step.sleep_time = 0.1; // ten steps, so that much falls asleep
    return run_create(&def);
}

static void the_list_holds_what_moves_in_order(void) {
    CnWorld* world = create();
    add_box(world, cn_vec3(0.0, 0.0, 0.0), CN_BODY_STATIC);
    add_box(world, cn_vec3(3.0, 0.0, 0.0), CN_BODY_DYNAMIC);
    add_box(world, cn_vec3(6.0, 0.0, 0.0), CN_BODY_KINEMATIC);
    CnBodyId disabled = add_box(world, cn_vec3(9.0, 0.0, 0.0), CN_BODY_DYNAMIC);
    CnBodyId sleeper = add_box(world, cn_vec3(12.0, 0.0, 1.0), CN_BODY_DYNAMIC); // 1000 kg
    CHECK_INT(cn_body_set_enabled(world, disabled, false, NULL), CN_OK);
    CHECK_INT(cn_body_set_awake(world, sleeper, false, NULL), CN_OK);
    CHECK_INT(cn_active_update(world), CN_OK);
    CHECK_INT(world->active.bodies.count, 2);
    CHECK_INT(world->active.bodies.data[0], 1);
    CHECK_INT(world->active.bodies.data[1], 2);
    CHECK_NEAR(world->active.sleeping_energy, 1000.0 * 9.81 * 1.0, 1e-9); // m g z, rounded once
    CHECK_INT(cn_body_set_awake(world, sleeper, true, NULL), CN_OK);
    CHECK_INT(cn_active_update(world), CN_OK);
    CHECK_INT(world->active.bodies.count, 3);
    CHECK(world->active.sleeping_energy == 0.0);
    cn_world_destroy(world);
}

static void a_buffer_knows_where_a_wall_was_put(void) {
    CnWorld* world = create();
    CnBodyId wall = add_box(world, cn_vec3(0.0, 0.0, 0.0), CN_BODY_STATIC);
    CHECK(cn_world_states(world, CN_STATES_POSED)[0].center.x == 0.0);
    CnTransform pose = {cn_vec3(2.0, 0.0, 0.0), cn_quat(1.0, 0.0, 0.0, 0.0)};
    CHECK_INT(cn_body_set_pose(world, wall, pose, NULL), CN_OK);
    CHECK(cn_world_states(world, CN_STATES_POSED)[0].center.x == 2.0);
    cn_world_destroy(world);
}

// Where the last problem was posed: what a failed step wrote about a body that was put elsewhere is
// taken back.
static void a_failed_step_takes_back_what_it_wrote_about_a_wall(void) {
    CnWorld* world = create();
    CnBodyId wall = add_box(world, cn_vec3(0.0, 0.0, 0.0), CN_BODY_STATIC);
    add_box(world, cn_vec3(5.0, 0.0, 0.0), CN_BODY_DYNAMIC); // falls
    CHECK_INT(cn_world_step(world, dt, NULL, NULL), CN_OK);
    CnTransform pose = {cn_vec3(2.0, 0.0, 0.0), cn_quat(1.0, 0.0, 0.0, 0.0)};
    CHECK_INT(cn_body_set_pose(world, wall, pose, NULL), CN_OK);
    world->def.step.speed_limit = 1e-3;
    CHECK(cn_world_step(world, dt, NULL, NULL) != CN_OK);
    CHECK(world->posed.data[0].position.x == 0.0);
    CHECK(world->places.data[0].pose.position.x == 0.0);
    world->def.step.speed_limit = 0.0;
    CHECK_INT(cn_world_step(world, dt, NULL, NULL), CN_OK);
    CHECK(world->posed.data[0].position.x == 2.0);
    cn_world_destroy(world);
}

// ---- the same bits as when everything is written anew in every step ----

#define BODIES 40
#define WORLDS 2 // the second one forgets before every step

typedef struct Twins {
    CnWorld* worlds[WORLDS];
    CnRandom random;
} Twins;

typedef void Change(CnWorld* world, CnBodyId body, CnVec3 place, int number);

static void put(CnWorld* world, CnBodyId body, CnVec3 place, int number) {
    (void)number;
    CnTransform pose = {place, cn_quat(1.0, 0.0, 0.0, 0.0)};
    cn_body_set_pose(world, body, pose, NULL);
}

static void push(CnWorld* world, CnBodyId body, CnVec3 place, int number) {
    (void)number;
    cn_body_apply_impulse(world, body, cn_vec3_scale(500.0, place), place, NULL);
}

static void set_type(CnWorld* world, CnBodyId body, CnVec3 place, int number) {
    (void)place;
    cn_body_set_type(world, body, (CnBodyType)(number % 3), NULL);
}

static void set_enabled(CnWorld* world, CnBodyId body, CnVec3 place, int number) {
    (void)place;
    cn_body_set_enabled(world, body, number % 2 == 0, NULL);
}

static void set_awake(CnWorld* world, CnBodyId body, CnVec3 place, int number) {
    (void)place;
    cn_body_set_awake(world, body, number % 2 == 0, NULL);
}

static void exchange(CnWorld* world, CnBodyId body, CnVec3 place, int number) {
    cn_world_remove_body(world, body);
    add_box(world, place, number % 4 == 0 ? CN_BODY_STATIC : CN_BODY_DYNAMIC);
}

static void add_shape(CnWorld* world, CnBodyId body, CnVec3 place, int number) {
    CnShapeDef shape = cn_shape_def_default(CN_SHAPE_SPHERE);
    shape.radius = 0.3;
    shape.position = cn_vec3_scale(0.1, place);
    shape.sensor = number % 3 == 0;
    cn_body_add_shape(world, body, &shape, NULL);
}

static void remove_shape(CnWorld* world, CnBodyId body, CnVec3 place, int number) {
    CnShapeId shapes[2];
    (void)place;
    (void)number;
    if (cn_body_shapes(world, body, shapes, 2) > 1) {
        cn_shape_remove(world, shapes[1], NULL);
    }
}

static void tie(CnWorld* world, CnBodyId body, CnVec3 place, int number) {
    CnJointDef def = cn_joint_def_default(CN_JOINT_BALL);
    def.body_a = cn_world_body_at(world, number % cn_world_body_count(world));
    def.body_b = body;
    def.point_a = place;
    cn_world_add_joint(world, &def, NULL);
}

static void untie(CnWorld* world, CnBodyId body, CnVec3 place, int number) {
    (void)body;
    (void)place;
    int count = cn_world_joint_count(world);
    if (count > 0) {
        cn_world_remove_joint(world, cn_world_joint_at(world, number % count));
    }
}

static Change* const changes[] = {put,      push,      set_type,     set_enabled, set_awake, push,
                                  exchange, add_shape, remove_shape, tie,         untie};

static int below(CnRandom* random, size_t limit) {
    return (int)(cn_random_next(random) % limit);
}

static void change(Twins* twins) {
    int kind = below(&twins->random, sizeof changes / sizeof changes[0]);
    int body = below(&twins->random, (size_t)cn_world_body_count(twins->worlds[0]) - 1);
    int number = below(&twins->random, 1000);
    double x = cn_random_between(&twins->random, -5.0, 5.0);
    double y = cn_random_between(&twins->random, -5.0, 5.0);
    double z = cn_random_between(&twins->random, 0.5, 5.0);
    for (int i = 0; i < WORLDS; ++i) { // the ground stays
        changes[kind](twins->worlds[i], cn_world_body_at(twins->worlds[i], body + 1),
                      cn_vec3(x, y, z), number);
    }
}

// A step that fails in the first world, for bodies are faster than the limit, leaves no trace.
static void fail_in_one(Twins* twins) {
    CnStepDef step = cn_world_read(twins->worlds[0]).step, slow = step;
    slow.speed_limit = 1e-3;
    for (int i = 0; i < WORLDS; ++i) {
        CHECK_INT(cn_world_set_step(twins->worlds[i], &slow, NULL), CN_OK);
    }
    if (cn_world_step(twins->worlds[0], dt, NULL, NULL) == CN_OK) { // all were slow
        CHECK_INT(cn_world_step(twins->worlds[1], dt, NULL, NULL), CN_OK);
    }
    for (int i = 0; i < WORLDS; ++i) {
        CHECK_INT(cn_world_set_step(twins->worlds[i], &step, NULL), CN_OK);
    }
}

static void compare_twins(bool sleep) {
    Twins twins = {.random = {7}};
    int slept = 0, steps = UNDER_SANITIZER ? 150 : 600;
    for (int i = 0; i < WORLDS; ++i) {
        twins.worlds[i] = create();
        CnStepDef step = cn_world_read(twins.worlds[i]).step;
        step.sleep = sleep;
        CHECK_INT(cn_world_set_step(twins.worlds[i], &step, NULL), CN_OK);
        run_add_ground(twins.worlds[i], (CnMaterialId){0});
        for (int k = 0; k < BODIES; ++k) {
            add_box(twins.worlds[i], cn_vec3(2.0 * (k % 6) - 5.0, 2.0 * (k / 6) - 5.0, 0.5),
                    k % 8 == 0 ? CN_BODY_STATIC : CN_BODY_DYNAMIC);
        }
    }
    for (int i = 0; i < steps; ++i) {
        if (i % 8 == 7) {
            change(&twins);
        }
        if (i % 48 == 47) {
            fail_in_one(&twins);
        }
        cn_active_change(twins.worlds[1]);
        CnStepReport report;
        CnStatus status = cn_world_step(twins.worlds[0], dt, &report, NULL);
        CHECK_INT(cn_world_step(twins.worlds[1], dt, NULL, NULL), (int)status);
        ck_assert_msg(cn_world_hash(twins.worlds[0]) == cn_world_hash(twins.worlds[1]),
                      "step %d differs", i);
        slept += status == CN_OK && report.sleeping_bodies > 0;
    }
    CHECK(sleep ? slept > steps / 4 : slept == 0); // else little was kept
    cn_world_destroy(twins.worlds[0]);
    cn_world_destroy(twins.worlds[1]);
}

static void nothing_is_kept_too_long(void) {
    compare_twins(true);
    compare_twins(false);
}

// The list follows single changes: of a body in the middle, of the last one, and of so many that
// not all are remembered.
static void the_list_follows_changes_of_single_bodies(void) {
    enum { COUNT = 2 * CN_MOST_CHANGES };
    CnWorld* world = create();
    CnBodyId ids[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        ids[i] = add_box(world, cn_vec3(3.0 * i, 0.0, 0.0), CN_BODY_DYNAMIC);
    }
    CHECK_INT(cn_active_update(world), CN_OK);
    CHECK_INT(world->active.bodies.count, COUNT);
    CHECK_INT(cn_world_remove_body(world, ids[10]), CN_OK); // the last one moves to 10
    CHECK_INT(cn_active_update(world), CN_OK);
    CnIndexList moving = cn_active_bodies(world);
    CnIndexList since = cn_active_bodies_since(world, world->active.version - 1);
    CHECK(since.indices == moving.indices); // all that has changed moves: there is one list
    CHECK_INT(since.count, COUNT - 1);
    CHECK_INT(cn_body_set_type(world, ids[20], CN_BODY_STATIC, NULL), CN_OK);
    CHECK_INT(cn_active_update(world), CN_OK);
    CHECK_INT(world->active.bodies.count, COUNT - 2);
    for (int i = 0; i < COUNT - 2; ++i) {
        CHECK_INT(world->active.bodies.data[i], i < 20 ? i : i + 1);
    }
    since = cn_active_bodies_since(world, world->active.version - 1);
    CHECK(since.indices != NULL);
    CHECK_INT(since.count, COUNT - 1); // with the one that does not move any more
    for (int i = 0; i < COUNT; ++i) {
        cn_body_set_type(world, ids[i], CN_BODY_STATIC, NULL);
    }
    CHECK_INT(cn_active_update(world), CN_OK);
    CHECK_INT(world->active.bodies.count, 0);
    cn_world_destroy(world);
}

static void check_shapes(CnWorld* world) {
    CHECK_INT(cn_active_update(world), CN_OK);
    CnIndexList list = cn_active_bodies(world);
    const int* shapes = cn_active_shapes(world, &list);
    CHECK(shapes != NULL || list.indices == NULL);
    for (int k = 0; shapes != NULL && k < list.count; ++k) {
        const CnBodyDetails* details = &world->details.data[list.indices[k]];
        bool is_dynamic = world->bodies.data[list.indices[k]].type == CN_BODY_DYNAMIC;
        bool has_one = details->shape_count == 1;
        CHECK_INT(shapes[k], is_dynamic && has_one ? details->first_shape : CN_NONE);
    }
}

static void remove_second(CnWorld* world, CnBodyId body) {
    CnShapeId shapes[8];
    if (cn_body_shapes(world, body, shapes, 8) > 1) {
        CHECK_INT(cn_shape_remove(world, shapes[1], NULL), CN_OK);
    }
}

// Bodies that come and go, get a second shape and lose it, and change their type, one at a time.
static void the_list_knows_bodies_with_one_shape(void) {
    enum { COUNT = 40 };
    CnWorld* world = create();
    CnRandom random = {3};
    CnBodyId ids[COUNT];
    CnShapeDef ball = cn_shape_def_default(CN_SHAPE_SPHERE);
    for (int i = 0; i < COUNT; ++i) {
        ids[i] = add_box(world, cn_vec3(3.0 * i, 0.0, 0.0), CN_BODY_DYNAMIC);
    }
    check_shapes(world);
    for (int round = 0; round < 4000; ++round) {
        int i = (int)(cn_random_next(&random) % COUNT);
        switch (cn_random_next(&random) % 4) {
        case 0:
            CHECK_INT(cn_world_remove_body(world, ids[i]), CN_OK);
            ids[i] = add_box(world, cn_vec3(3.0 * i, 0.0, 0.0), CN_BODY_DYNAMIC);
            add_box(world, cn_vec3(3.0 * i, 9.0, round), CN_BODY_DYNAMIC); // lists must grow
            break;
        case 1:
            cn_body_add_shape(world, ids[i], &ball, NULL);
            break;
        case 2:
            remove_second(world, ids[i]);
            break;
        default:
            cn_body_set_type(world, ids[i], (CnBodyType)(cn_random_next(&random) % 3), NULL);
        }
        check_shapes(world);
    }
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/bodies/active", TEST(the_list_knows_bodies_with_one_shape),
          TEST(the_list_holds_what_moves_in_order), TEST(a_buffer_knows_where_a_wall_was_put),
          TEST(a_failed_step_takes_back_what_it_wrote_about_a_wall), TEST(nothing_is_kept_too_long),
          TEST(the_list_follows_changes_of_single_bodies))

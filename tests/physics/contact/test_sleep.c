// test_sleep.c - islands at rest fall asleep, cost no rows, and wake when something meets them.
#include "cairn/event.h"
#include "cairn/state.h"
#include "support/run.h"

#include <string.h>

#define BOXES 3

static const double dt = 0.01;        // [s]
static const double tolerance = 1e-8; // of the solver [m/s]

typedef struct Stack {
    CnBodyId boxes[BOXES];
} Stack;

static CnBodyId add_box(CnWorld* world, CnVec3 position, CnBodyType type) {
    return run_add_box(world, type, cn_vec3(1.0, 1.0, 1.0), position, (CnMaterialId){0});
}

static Stack add_stack(CnWorld* world, double x) {
    Stack stack;
    for (int i = 0; i < BOXES; ++i) {
        stack.boxes[i] = add_box(world, cn_vec3(x, 0.0, 0.5 + i), CN_BODY_DYNAMIC);
    }
    return stack;
}

static CnWorld* create(bool sleep, const CnTasks* tasks) {
    CnWorldDef def = cn_world_def_default();
    def.step.sleep = sleep;
    if (tasks != NULL) {
        def.tasks = *tasks;
    }
    CnWorld* world = run_create(&def);
    run_add_ground(world, (CnMaterialId){0});
    return world;
}

static int asleep(const CnWorld* world, const Stack* stack) {
    int count = 0;
    for (int i = 0; i < BOXES; ++i) {
        count += !cn_body_is_awake(world, stack->boxes[i]);
    }
    return count;
}

static int count_events(const CnWorld* world, CnEventType type) {
    CnEvent events[64];
    int count = cn_world_events(world, events, 64), found = 0;
    for (int i = 0; i < count && i < 64; ++i) {
        found += events[i].type == type;
    }
    return found;
}

// sleep_time is 50 steps of 0.01 s; round-off may make it 51.
#define STEPS_TO_SLEEP 51

static void a_stack_falls_asleep_and_costs_no_rows(void) {
    CnWorld* world = create(true, NULL);
    Stack stack = add_stack(world, 0.0);
    CnStepReport report = {0};
    int told = 0;
    for (int i = 0; i < 49; ++i) {
        report = run_step(world, dt);
        told += count_events(world, CN_EVENT_SLEEP);
    }
    CHECK_INT(asleep(world, &stack), 0);
    CHECK_INT(told, 0);
    CHECK(report.row_count > 0);
    for (int i = 49; i < STEPS_TO_SLEEP; ++i) {
        report = run_step(world, dt);
        told += count_events(world, CN_EVENT_SLEEP);
    }
    CHECK_INT(asleep(world, &stack), BOXES);
    CHECK_INT(told, BOXES);
    CHECK_INT(report.sleeping_bodies, BOXES);
    CHECK_INT(report.sleeping_islands, 1);
    double energy = cn_world_energy(world);
    uint64_t hash[BOXES];
    for (int i = 0; i < BOXES; ++i) {
        CnBodyState state = run_state(world, stack.boxes[i]);
        hash[i] = 0;
        CHECK(cn_vec3_length(state.velocity) == 0.0);
        memcpy(&hash[i], &state.center.z, sizeof hash[i]);
    }
    for (int i = 0; i < 100; ++i) {
        report = run_step(world, dt);
        CHECK_INT(report.row_count, 0);
        CHECK_INT(report.sleeping_bodies, BOXES);
        CHECK(cn_world_energy(world) == energy);
        CHECK(report.energy.start == report.energy.end);
        CHECK_INT(cn_world_events(world, NULL, 0), 0);
    }
    for (int i = 0; i < BOXES; ++i) {
        CnBodyState state = run_state(world, stack.boxes[i]);
        CHECK(memcmp(&hash[i], &state.center.z, sizeof hash[i]) == 0);
    }
    cn_world_destroy(world);
}

// Without bouncing, what a ball that drops on the middle of a stack leaves is the stack with the
// ball on it. Sleeping changes velocities below the solver's tolerance to zero: in t seconds each
// run may drift from the rest by t * tolerance.
static void a_ball_wakes_the_stack_and_comes_to_rest_as_without_sleep(void) {
    CnWorld* worlds[2] = {create(true, NULL), create(false, NULL)};
    CnBodyId balls[2];
    Stack stacks[2];
    int steps = 400, woken = 0, slept = 0;
    for (int k = 0; k < 2; ++k) {
        stacks[k] = add_stack(worlds[k], 0.0);
        balls[k] = run_add_ball(worlds[k], 200.0, 0.3, cn_vec3(0.0, 0.0, 3.3 + 9.81), // 1.41 s
                                cn_vec3(0.0, 0.0, 0.0), (CnMaterialId){0});
        for (int i = 0; i < steps; ++i) {
            run_step(worlds[k], dt);
            woken += count_events(worlds[k], CN_EVENT_WAKE);
            slept += count_events(worlds[k], CN_EVENT_SLEEP);
        }
    }
    CHECK_INT(woken, BOXES);
    CHECK_INT(slept, 2 * BOXES + 1);
    CHECK_INT(asleep(worlds[0], &stacks[0]), BOXES);
    double bound = 2.0 * steps * dt * tolerance;
    for (int i = 0; i <= BOXES; ++i) {
        CnBodyState one = run_state(worlds[0], i < BOXES ? stacks[0].boxes[i] : balls[0]);
        CnBodyState other = run_state(worlds[1], i < BOXES ? stacks[1].boxes[i] : balls[1]);
        double apart = cn_vec3_length(cn_vec3_sub(one.center, other.center));
        ck_assert_msg(apart <= bound, "body %d is %g m from where it rests without sleep", i,
                      apart);
    }
    cn_world_destroy(worlds[0]);
    cn_world_destroy(worlds[1]);
}

// In the step of the meeting the stack is awake: the ball does not hit a wall. It hits the pile of
// three boxes that can be pushed along, so that all four move on together with the momentum it had.
static void what_is_met_moves_in_the_same_step(void) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = cn_vec3(0.0, 0.0, 0.0);
    CnWorld* world = run_create(&def);
    CnBodyId box = add_box(world, cn_vec3(0.0, 0.0, 0.0), CN_BODY_DYNAMIC); // 1000 kg
    CnBodyId ball = run_add_ball(world, 1000.0, 0.5, cn_vec3(1.05, 0.0, 0.0),
                                 cn_vec3(-1.0, 0.0, 0.0), (CnMaterialId){0});
    CHECK_INT(cn_body_set_awake(world, box, false, NULL), CN_OK);
    CHECK(!cn_body_is_awake(world, box));
    for (int i = 0; i < 10; ++i) {
        run_step(world, dt);
    }
    CHECK(cn_body_is_awake(world, box));
    CHECK_NEAR(run_state(world, box).velocity.x, -0.5, tolerance);
    CHECK_NEAR(run_state(world, ball).velocity.x, -0.5, tolerance);
    cn_world_destroy(world);
}

static void two_islands_sleep_and_wake_by_themselves(void) {
    CnWorld* world = create(true, NULL);
    Stack near = add_stack(world, 0.0), far = add_stack(world, 10.0);
    run_steps(world, dt, STEPS_TO_SLEEP);
    CHECK_INT(asleep(world, &near), BOXES);
    CHECK_INT(asleep(world, &far), BOXES);
    CHECK_INT(cn_body_set_awake(world, near.boxes[1], true, NULL), CN_OK);
    CHECK_INT(asleep(world, &near), 0);
    CHECK_INT(asleep(world, &far), BOXES);
    CnStepReport report = run_step(world, dt);
    CHECK_INT(count_events(world, CN_EVENT_WAKE), BOXES);
    CHECK_INT(report.sleeping_islands, 1);
    CHECK(report.kept_islands == 1); // its impulses were still there
    cn_world_destroy(world);
}

// A body that moves over them keeps what it touches awake; one that comes wakes what sleeps.
static void a_moving_kinematic_body_keeps_awake_and_wakes(void) {
    CnWorld* world = create(true, NULL);
    Stack stack = add_stack(world, 0.0);
    CnBodyId pusher = add_box(world, cn_vec3(3.0, 0.0, 1.0), CN_BODY_KINEMATIC);
    run_steps(world, dt, STEPS_TO_SLEEP);
    CHECK_INT(asleep(world, &stack), BOXES);
    CnBodyState state = run_state(world, pusher);
    state.velocity = cn_vec3(-1.0, 0.0, 0.0);
    CHECK_INT(cn_body_set_state(world, pusher, &state, NULL), CN_OK);
    CHECK_INT(asleep(world, &stack), BOXES); // it is not there yet
    run_steps(world, dt, 195);
    CHECK_INT(asleep(world, &stack), BOXES);
    run_steps(world, dt, 15);
    CHECK_INT(asleep(world, &stack), 0);
    CHECK(run_state(world, stack.boxes[0]).center.x < -0.05);
    cn_world_destroy(world);
}

static void a_wall_put_into_sleepers_wakes_them(void) {
    CnWorld* world = create(true, NULL);
    Stack stack = add_stack(world, 0.0);
    run_steps(world, dt, STEPS_TO_SLEEP);
    add_box(world, cn_vec3(0.999, 0.0, 0.5), CN_BODY_STATIC);
    CHECK_INT(asleep(world, &stack), BOXES);
    CHECK_INT(cn_world_step(world, dt, NULL, NULL), CN_OK);
    CHECK_INT(asleep(world, &stack), 0);
    cn_world_destroy(world);
}

// ---- every call that wakes ----

typedef struct Things {
    CnWorld* world;
    Stack stack;
    CnBodyId ground, other; // a static box that the top box touches
    CnJointId joint;        // of the first box and the world
    CnShapeId shape;        // of the first box
    CnMaterialId material;  // of nobody
} Things;

static CnStatus wake(Things* t) {
    return cn_body_set_awake(t->world, t->stack.boxes[0], true, NULL);
}

static CnStatus set_state(Things* t) {
    CnBodyState state = run_state(t->world, t->stack.boxes[1]);
    return cn_body_set_state(t->world, t->stack.boxes[1], &state, NULL);
}

static CnStatus set_pose(Things* t) {
    CnTransform pose;
    cn_body_pose(t->world, t->stack.boxes[2], &pose);
    return cn_body_set_pose(t->world, t->stack.boxes[2], pose, NULL);
}

static CnStatus set_mass(Things* t) {
    return cn_body_set_mass(t->world, t->stack.boxes[0], NULL, NULL);
}

static CnStatus set_type(Things* t) {
    return cn_body_set_type(t->world, t->ground, CN_BODY_KINEMATIC, NULL);
}

static CnStatus set_filter(Things* t) {
    return cn_shape_set_filter(t->world, t->shape, 1, ~0u, 0, NULL);
}

static CnStatus set_material(Things* t) {
    return cn_shape_set_material(t->world, t->shape, (CnMaterialId){0}, NULL);
}

static CnStatus disable(Things* t) {
    return cn_body_set_enabled(t->world, t->other, false, NULL);
}

static CnStatus push(Things* t) {
    CnVec3 one = {1.0, 0.0, 0.0};
    return cn_body_apply_force(t->world, t->stack.boxes[0], one, one, NULL);
}

static CnStatus strike(Things* t) {
    CnVec3 one = {1.0, 0.0, 0.0};
    return cn_body_apply_impulse(t->world, t->stack.boxes[0], one, one, NULL);
}

static CnStatus lighten(Things* t) {
    return cn_body_set_gravity_scale(t->world, t->stack.boxes[2], 0.5, NULL);
}

static CnStatus damp(Things* t) {
    return cn_body_set_damping(t->world, t->stack.boxes[2], 0.5, 0.5, NULL);
}

static CnStatus remove_neighbour(Things* t) {
    return cn_world_remove_body(t->world, t->other);
}

static CnStatus remove_shape(Things* t) {
    CnShapeId shape;
    cn_body_shapes(t->world, t->other, &shape, 1);
    return cn_shape_remove(t->world, shape, NULL);
}

static CnStatus add_shape(Things* t) {
    CnShapeDef shape = cn_shape_def_default(CN_SHAPE_SPHERE);
    shape.radius = 0.1;
    CnShapeId id = cn_body_add_shape(t->world, t->stack.boxes[1], &shape, NULL);
    return id.index != 0 ? CN_OK : CN_INVALID;
}

static CnStatus remove_joint(Things* t) {
    return cn_world_remove_joint(t->world, t->joint);
}

static CnStatus disable_joint(Things* t) {
    return cn_joint_set_enabled(t->world, t->joint, false);
}

static CnStatus set_gravity(Things* t) {
    return cn_world_set_gravity(t->world, cn_vec3(0.0, 0.0, -1.0), NULL);
}

static CnStatus set_solver(Things* t) {
    CnWorldDef def = cn_world_read(t->world);
    return cn_world_set_solver(t->world, &def.solver, NULL);
}

static CnStatus set_step(Things* t) {
    CnWorldDef def = cn_world_read(t->world);
    return cn_world_set_step(t->world, &def.step, NULL);
}

static CnStatus add_force(Things* t) {
    CnForceDef def = cn_force_def_default();
    def.body = t->stack.boxes[0];
    return cn_world_add_force(t->world, &def, NULL).index != 0 ? CN_OK : CN_INVALID;
}

static CnJointId hold(CnWorld* world, CnBodyId body) {
    CnJointDef def = cn_joint_def_default(CN_JOINT_BALL);
    def.body_b = body;
    return cn_world_add_joint(world, &def, NULL);
}

static CnStatus add_joint(Things* t) {
    return hold(t->world, t->stack.boxes[1]).index != 0 ? CN_OK : CN_INVALID;
}

static CnStatus twist(Things* t) {
    return cn_body_apply_torque(t->world, t->stack.boxes[2], cn_vec3(0.0, 0.0, 1.0), NULL);
}

static CnStatus spin(Things* t) {
    return cn_body_apply_angular_impulse(t->world, t->stack.boxes[2], cn_vec3(0.0, 0.0, 1.0), NULL);
}

static CnStatus write_states(Things* t) {
    CnBodyState state = run_state(t->world, t->stack.boxes[1]);
    return cn_world_write_states(t->world, &state, &t->stack.boxes[1], 1, NULL);
}

static CnStatus set_material_of_all(Things* t) {
    CnMaterialDef def = cn_material_def_default();
    def.friction = 0.1;
    return cn_material_set(t->world, t->material, &def, NULL);
}

static CnStatus set_material_pair(Things* t) {
    CnMaterialPair pair = {.a = t->material, .b = t->material, .friction = 0.1};
    return cn_world_set_material_pair(t->world, &pair, NULL);
}

// A body under a force sleeps only when it is put to sleep.
static CnStatus set_force(Things* t) {
    CnForceDef def = cn_force_def_default();
    def.body = t->stack.boxes[0];
    CnForceId id = cn_world_add_force(t->world, &def, NULL);
    CHECK_INT(cn_body_set_awake(t->world, t->stack.boxes[0], false, NULL), CN_OK);
    CHECK_INT(asleep(t->world, &t->stack), BOXES);
    CnStatus status = cn_force_set(t->world, id, &def, NULL);
    CHECK_INT(asleep(t->world, &t->stack), 0);
    CHECK_INT(cn_body_set_awake(t->world, t->stack.boxes[0], false, NULL), CN_OK);
    return status == CN_OK ? cn_world_remove_force(t->world, id) : status;
}

static CnStatus add_contact(Things* t) {
    CnContactDef def = cn_contact_def_default();
    def.body_b = t->stack.boxes[0];
    def.point = cn_vec3(0.5, 0.5, 0.0);
    def.normal = cn_vec3(0.0, 0.0, 1.0);
    CnContactId id = cn_world_add_contact(t->world, &def, NULL);
    CHECK_INT(asleep(t->world, &t->stack), 0);
    CHECK_INT(cn_body_set_awake(t->world, t->stack.boxes[0], false, NULL), CN_OK);
    return cn_world_remove_contact(t->world, id);
}

static CnStatus add_constraint(Things* t) {
    CnConstraintDef def = cn_constraint_def_default();
    def.kind = cn_unit_quaternion_kind();
    def.body_a = t->stack.boxes[0];
    CnConstraintId id = cn_world_add_constraint(t->world, &def, NULL);
    CHECK_INT(asleep(t->world, &t->stack), 0);
    CHECK_INT(cn_body_set_awake(t->world, t->stack.boxes[0], false, NULL), CN_OK);
    return cn_world_remove_constraint(t->world, id);
}

static CnStatus exclude(Things* t) {
    return cn_world_exclude_pair(t->world, t->stack.boxes[0], t->ground, NULL);
}

typedef struct Waking {
    const char* name;
    CnStatus (*call)(Things* things);
} Waking;

static const Waking wakings[] = {
    {"cn_body_set_awake", wake},
    {"cn_body_set_state", set_state},
    {"cn_body_set_pose", set_pose},
    {"cn_body_set_mass", set_mass},
    {"cn_body_set_type", set_type},
    {"cn_shape_set_filter", set_filter},
    {"cn_shape_set_material", set_material},
    {"cn_body_set_enabled", disable},
    {"cn_body_apply_force", push},
    {"cn_body_apply_impulse", strike},
    {"cn_body_set_gravity_scale", lighten},
    {"cn_body_set_damping", damp},
    {"cn_world_remove_body", remove_neighbour},
    {"cn_shape_remove", remove_shape},
    {"cn_body_add_shape", add_shape},
    {"cn_world_remove_joint", remove_joint},
    {"cn_joint_set_enabled", disable_joint},
    {"cn_world_set_gravity", set_gravity},
    {"cn_world_set_solver", set_solver},
    {"cn_world_set_step", set_step},
    {"cn_world_add_force", add_force},
    {"cn_world_add_joint", add_joint},
    {"cn_world_exclude_pair", exclude},
    {"cn_body_apply_torque", twist},
    {"cn_body_apply_angular_impulse", spin},
    {"cn_world_write_states", write_states},
    {"cn_material_set", set_material_of_all},
    {"cn_world_set_material_pair", set_material_pair},
    {"cn_force_set, cn_world_remove_force", set_force},
    {"cn_world_add_contact, cn_world_remove_contact", add_contact},
    {"cn_world_add_constraint, cn_world_remove_constraint", add_constraint},
};

static Things create_things(void) {
    Things t = {.world = create(true, NULL)};
    CnShapeDef low = cn_shape_def_default(CN_SHAPE_BOX);
    CnShapeDef twice[2] = {low, low};
    twice[0].size = twice[1].size = cn_vec3(1.0, 1.0, 1.0);
    CnBodyDef wall = cn_body_def_default();
    wall.type = CN_BODY_STATIC;
    wall.shapes = twice;
    wall.shape_count = 2;
    wall.position = cn_vec3(1.0, 0.0, 2.5); // beside the box on top, touching it
    t.ground = cn_world_body_at(t.world, 0);
    t.stack = add_stack(t.world, 0.0);
    t.other = run_add(t.world, &wall);
    t.joint = hold(t.world, t.stack.boxes[0]);
    t.material = run_add_material(t.world, 0.5, 0.0);
    cn_body_shapes(t.world, t.stack.boxes[0], &t.shape, 1);
    return t;
}

static void every_change_wakes(void) {
    for (size_t i = 0; i < sizeof wakings / sizeof wakings[0]; ++i) {
        Things t = create_things();
        run_steps(t.world, dt, STEPS_TO_SLEEP);
        CHECK_INT(asleep(t.world, &t.stack), BOXES);
        ck_assert_msg(wakings[i].call(&t) == CN_OK, "%s fails", wakings[i].name);
        ck_assert_msg(asleep(t.world, &t.stack) == 0, "%s leaves %d of %d bodies asleep",
                      wakings[i].name, asleep(t.world, &t.stack), BOXES);
        cn_world_step(t.world, dt, NULL, NULL);
        ck_assert_msg(count_events(t.world, CN_EVENT_WAKE) == BOXES, "%s", wakings[i].name);
        cn_world_destroy(t.world);
    }
}

// ---- what holds in every step ----

static void a_load_or_a_drive_keeps_awake(void) {
    CnWorld* world = create(true, NULL);
    Stack loaded = add_stack(world, 0.0), driven = add_stack(world, 10.0);
    CnForceDef force = cn_force_def_default();
    force.body = loaded.boxes[2];
    force.force = cn_vec3(0.0, 0.0, -1.0);
    CHECK(cn_world_add_force(world, &force, NULL).index != 0);
    CnJointDef hinge = cn_joint_def_default(CN_JOINT_HINGE);
    CnBodyId wheel =
        run_add_ball(world, 1.0, 0.1, cn_vec3(10.0, 0.0, 4.0), cn_vec3(0, 0, 0), (CnMaterialId){0});
    hinge.body_a = driven.boxes[2];
    hinge.body_b = wheel;
    hinge.point_a = cn_vec3(10.0, 0.0, 4.0);
    CnJointId joint = cn_world_add_joint(world, &hinge, NULL);
    CnJointAxis axis;
    CHECK_INT(cn_joint_axis(world, joint, CN_AXIS_TURN_Z, &axis), CN_OK);
    axis.motor = CN_MOTOR_VELOCITY;
    axis.target = 1e-3; // slow enough to sleep, but for the motor
    CHECK_INT(cn_joint_set_axis(world, joint, CN_AXIS_TURN_Z, &axis, NULL), CN_OK);
    run_steps(world, dt, 2 * STEPS_TO_SLEEP);
    CHECK_INT(asleep(world, &loaded), 0);
    CHECK_INT(asleep(world, &driven), 0);
    axis.target = 0.0;
    CHECK_INT(cn_joint_set_axis(world, joint, CN_AXIS_TURN_Z, &axis, NULL), CN_OK);
    run_steps(world, dt, 2 * STEPS_TO_SLEEP);
    CHECK_INT(asleep(world, &driven), BOXES);
    cn_world_destroy(world);
}

// A slow body loses what it had, and the ledgers say so: -m v^2 / 2 and -m v.
static void ledgers_book_what_falling_asleep_takes(void) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = cn_vec3(0.0, 0.0, 0.0);
    def.step.sleep = true;
    CnWorld* world = run_create(&def);
    CnBodyId ball = run_add_ball(world, 2.0, 0.1, cn_vec3(0.0, 0.0, 0.0), cn_vec3(0.03, 0.0, 0.0),
                                 (CnMaterialId){0});
    CnStepReport report = {0};
    int steps = 0;
    while (cn_body_is_awake(world, ball) && steps++ < STEPS_TO_SLEEP) {
        report = run_step(world, dt); // which checks the ledgers
    }
    CHECK(!cn_body_is_awake(world, ball));
    CHECK_NEAR(report.energy.work[CN_WORK_INTEGRATION], -0.5 * 2.0 * 0.03 * 0.03, 1e-15);
    CHECK_NEAR(report.momentum.linear_integration.x, -2.0 * 0.03, 1e-15);
    CHECK(report.energy.end == 0.0 || fabs(report.energy.end) < 1e-15);
    cn_world_destroy(world);
}

static uint64_t hash_after(const CnTasks* tasks) {
    CnWorld* world = create(true, tasks);
    for (int i = 0; i < 20; ++i) {
        add_stack(world, 3.0 * i);
        run_add_ball(world, 100.0, 0.3, cn_vec3(3.0 * i, 0.02 * i, 6.0 + i), cn_vec3(0, 0, 0),
                     (CnMaterialId){0});
    }
    run_steps(world, dt, UNDER_SANITIZER ? 150 : 400);
    uint64_t hash = cn_world_hash(world);
    cn_world_destroy(world);
    return hash;
}

static void threads_change_nothing(void) {
    CnTaskPool* pool = cn_task_pool_create(2, NULL);
    CnTasks tasks = cn_task_pool_tasks(pool);
    CHECK(hash_after(NULL) == hash_after(&tasks));
    cn_task_pool_destroy(pool);
}

// A ball that is too fast for the world hits the stack: the step fails, and the stack sleeps on.
static void a_step_that_fails_leaves_sleepers_asleep(void) {
    CnWorld* world = create(true, NULL);
    Stack stack = add_stack(world, 0.0);
    run_steps(world, dt, STEPS_TO_SLEEP);
    CnStepDef slow = cn_world_read(world).step;
    slow.speed_limit = 1.0;
    CHECK_INT(cn_world_set_step(world, &slow, NULL), CN_OK);
    run_steps(world, dt, STEPS_TO_SLEEP);
    CHECK_INT(asleep(world, &stack), BOXES);
    CnBodyId ball = run_add_ball(world, 5000.0, 0.3, cn_vec3(0.0, 0.0, 3.31),
                                 cn_vec3(0.0, 3.0, -3.0), (CnMaterialId){0});
    uint64_t hash = cn_world_hash(world);
    CHECK(cn_world_step(world, dt, NULL, NULL) != CN_OK);
    CHECK_INT(asleep(world, &stack), BOXES);
    CHECK(cn_world_hash(world) == hash);
    CHECK_INT(cn_world_remove_body(world, ball), CN_OK);
    CnStepReport report = run_step(world, dt);
    CHECK_INT(report.row_count, 0);
    CHECK_INT(report.sleeping_bodies, BOXES);
    cn_world_destroy(world);
}

// The last body takes the index of one that goes, in the middle of its ring too.
static void rings_survive_removals(void) {
    CnWorld* world = create(true, NULL);
    Stack first = add_stack(world, 0.0), second = add_stack(world, 10.0);
    run_steps(world, dt, STEPS_TO_SLEEP);
    CHECK_INT(cn_world_remove_body(world, first.boxes[0]), CN_OK);
    CHECK_INT(asleep(world, &second), BOXES);
    CHECK_INT(cn_body_set_awake(world, second.boxes[2], true, NULL), CN_OK);
    CHECK_INT(asleep(world, &second), 0);
    CnStepReport report = run_step(world, dt);
    CHECK_INT(report.sleeping_bodies, 0);
    cn_world_destroy(world);
}

static void sleep_by_hand_takes_the_whole_island(void) {
    CnWorld* world = create(false, NULL);
    Stack first = add_stack(world, 0.0), second = add_stack(world, 10.0);
    run_steps(world, dt, 3);
    CHECK_INT(cn_body_set_awake(world, first.boxes[1], false, NULL), CN_OK);
    CHECK_INT(asleep(world, &first), BOXES);
    CHECK_INT(asleep(world, &second), 0);
    CnStepReport report = run_step(world, dt);
    CHECK_INT(report.sleeping_islands, 1);
    CHECK_INT(count_events(world, CN_EVENT_SLEEP), BOXES);
    CHECK_INT(cn_body_set_awake(world, cn_world_body_at(world, 0), false, NULL), CN_OK);
    CHECK_INT(cn_body_set_awake(world, (CnBodyId){77, 1}, false, NULL), CN_STALE);
    cn_world_destroy(world);
}

// A copy of a world with sleepers goes on as the world does, and wakes as it does.
static void a_clone_sleeps_and_wakes_alike(void) {
    CnWorld* world = create(true, NULL);
    Stack stack = add_stack(world, 0.0);
    run_add_ball(world, 200.0, 0.3, cn_vec3(0.1, 0.0, 13.0), cn_vec3(0.0, 0.0, 0.0),
                 (CnMaterialId){0});
    run_steps(world, dt, 2 * STEPS_TO_SLEEP);
    CHECK_INT(asleep(world, &stack), BOXES);
    CnWorld* copy = cn_world_clone(world, NULL, NULL);
    ck_assert_ptr_nonnull(copy);
    CHECK_INT(asleep(copy, &stack), BOXES);
    for (int i = 0; i < 60; ++i) { // the ball is there at 1.41 s
        run_step(world, dt);
        run_step(copy, dt);
        CHECK(cn_world_hash(world) == cn_world_hash(copy));
    }
    CHECK_INT(asleep(world, &stack), 0);
    CHECK_INT(asleep(copy, &stack), 0);
    cn_world_destroy(copy);
    cn_world_destroy(world);
}

TEST_MAIN("physics/contact/sleep", TEST(a_stack_falls_asleep_and_costs_no_rows),
          TEST(a_ball_wakes_the_stack_and_comes_to_rest_as_without_sleep),
          TEST(what_is_met_moves_in_the_same_step), TEST(two_islands_sleep_and_wake_by_themselves),
          TEST(a_moving_kinematic_body_keeps_awake_and_wakes),
          TEST(a_wall_put_into_sleepers_wakes_them), TEST(every_change_wakes),
          TEST(a_load_or_a_drive_keeps_awake), TEST(ledgers_book_what_falling_asleep_takes),
          TEST(threads_change_nothing), TEST(a_step_that_fails_leaves_sleepers_asleep),
          TEST(rings_survive_removals), TEST(a_clone_sleeps_and_wakes_alike),
          TEST(sleep_by_hand_takes_the_whole_island))

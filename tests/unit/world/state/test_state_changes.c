// test_state_changes.c - what calls change of a running world is part of its state.
#include "cairn/cairn.h"
#include "support/run.h"

#define DT 0.01 // [s]

// A ball that slides on the ground through a sensor, drawn by a force, and a wheel on a hinge.
typedef struct Machine {
    CnWorld* world;
    CnMaterialId stone;
    CnBodyId ball;
    CnForceId force;
    CnJointId hinge;
} Machine;

static void slide(const CnWorld* world, const CnContactPoint* point, CnContactMaterial* material,
                  void* data) {
    (void)world;
    (void)point;
    (void)data;
    material->friction *= 0.5;
}

static Machine make_machine(bool has_hook) {
    CnWorldDef def = cn_world_def_default();
    def.contact_hooks.material = has_hook ? slide : NULL;
    Machine m = {.world = run_create(&def)};
    m.stone = run_add_material(m.world, 0.5, 0.0);
    run_add_ground(m.world, m.stone);
    m.ball = run_add_ball(m.world, 1.0, 0.5, cn_vec3(0, 0, 0.5), cn_vec3(1, 0, 0), m.stone);
    CnBodyId wheel = run_add_ball(m.world, 2.0, 0.5, cn_vec3(0, 5, 3), cn_vec3(0, 0, 0), m.stone);
    CnShapeDef gate = cn_shape_def_default(CN_SHAPE_BOX);
    gate.size = cn_vec3(0.2, 2.0, 2.0);
    gate.position = cn_vec3(0.8, 0.0, 1.0);
    gate.sensor = true;
    CHECK(cn_body_add_shape(m.world, cn_world_body_at(m.world, 0), &gate, NULL).index != 0);
    CnForceDef force = cn_force_def_default();
    force.body = m.ball;
    force.force = cn_vec3(0.0, 1.0, 0.0);
    m.force = cn_world_add_force(m.world, &force, NULL);
    CnJointDef hinge = cn_joint_def_default(CN_JOINT_HINGE);
    hinge.body_b = wheel;
    hinge.point_a = cn_vec3(0, 5, 3);
    m.hinge = cn_world_add_joint(m.world, &hinge, NULL);
    CHECK(m.force.index != 0 && m.hinge.index != 0);
    return m;
}

// The friction, the force, and an axis that gets a motor and so a part that it had not.
static void change(const Machine* m) {
    CnMaterialDef stone;
    CHECK_INT(cn_material_read(m->world, m->stone, &stone), CN_OK);
    stone.friction = 0.1;
    CHECK_INT(cn_material_set(m->world, m->stone, &stone, NULL), CN_OK);
    CnForceDef force;
    CHECK_INT(cn_force_read(m->world, m->force, &force), CN_OK);
    force.force = cn_vec3(3.0, 0.0, 0.0);
    CHECK_INT(cn_force_set(m->world, m->force, &force, NULL), CN_OK);
    CnJointAxis axis;
    CHECK_INT(cn_joint_axis(m->world, m->hinge, CN_AXIS_TURN_Z, &axis), CN_OK);
    axis.motor = CN_MOTOR_VELOCITY;
    axis.target = 2.0;
    axis.limited = true;
    axis.lower = -100.0;
    axis.upper = 100.0;
    CHECK_INT(cn_joint_set_axis(m->world, m->hinge, CN_AXIS_TURN_Z, &axis, NULL), CN_OK);
}

static void load(const Machine* from, const Machine* to) {
    void* bytes;
    size_t size;
    CnError error = {0};
    CHECK_INT(cn_world_save_state_memory(from->world, &bytes, &size, NULL), CN_OK);
    CnStatus status = cn_world_load_state_memory(to->world, bytes, size, &error);
    ck_assert_msg(status == CN_OK, "%s", error.message);
    cn_world_release_state(from->world, bytes);
}

// Both go on: the same bits, and as many events; returns how many events there were.
static int go_on(const Machine* a, const Machine* b, int count) {
    int events = 0;
    for (int i = 0; i < count; ++i) {
        run_step(a->world, DT);
        run_step(b->world, DT);
        CHECK(cn_world_hash(a->world) == cn_world_hash(b->world));
        CHECK_INT(cn_world_events(b->world, NULL, 0), cn_world_events(a->world, NULL, 0));
        events += cn_world_events(a->world, NULL, 0);
    }
    return events;
}

static void end(const Machine* a, const Machine* b) {
    cn_world_destroy(a->world);
    cn_world_destroy(b->world);
}

static void a_fresh_world_takes_what_setters_changed(void) {
    Machine run = make_machine(false), fresh = make_machine(false);
    run_steps(run.world, DT, 5);
    change(&run);
    run_steps(run.world, DT, 5);
    load(&run, &fresh);
    CnMaterialDef stone;
    CnForceDef force;
    CnJointAxis axis;
    CHECK_INT(cn_material_read(fresh.world, fresh.stone, &stone), CN_OK);
    CHECK_INT(cn_force_read(fresh.world, fresh.force, &force), CN_OK);
    CHECK_INT(cn_joint_axis(fresh.world, fresh.hinge, CN_AXIS_TURN_Z, &axis), CN_OK);
    CHECK_NEAR(stone.friction, 0.1, 0.0);
    CHECK_NEAR(force.force.x, 3.0, 0.0);
    CHECK_NEAR(axis.target, 2.0, 0.0);
    go_on(&run, &fresh, 50);
    CnJointState state;
    CHECK_INT(cn_joint_read(fresh.world, fresh.hinge, &state), CN_OK);
    CHECK_NEAR(state.velocity[CN_AXIS_TURN_Z], 2.0, 1e-6); // the motor drives
    end(&run, &fresh);
}

// Back to before the change: the axis loses the parts that it got.
static void a_world_goes_back_to_before_a_change(void) {
    Machine run = make_machine(false), early = make_machine(false);
    run_steps(run.world, DT, 5);
    run_steps(early.world, DT, 5);
    change(&run);
    run_steps(run.world, DT, 5);
    load(&early, &run);
    go_on(&early, &run, 30);
    change(&early);
    change(&run);
    go_on(&early, &run, 30);
    end(&early, &run);
}

// At any step of the ball's way through the gate: it enters once and leaves once.
static void sensors_go_on_within_an_overlap(void) {
    for (int stop = 1; stop < 60; stop += 7) {
        Machine run = make_machine(false), fresh = make_machine(false);
        run_steps(run.world, DT, stop);
        load(&run, &fresh);
        go_on(&run, &fresh, 120);
        end(&run, &fresh);
    }
}

static void hooks_must_be_given_again(void) {
    Machine run = make_machine(true), fresh = make_machine(true), bare = make_machine(false);
    void* bytes;
    size_t size;
    CnError error = {0};
    run_steps(run.world, DT, 10);
    CHECK_INT(cn_world_save_state_memory(run.world, &bytes, &size, NULL), CN_OK);
    CHECK_INT(cn_world_load_state_memory(bare.world, bytes, size, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "was made with a contact material hook");
    cn_world_release_state(run.world, bytes);
    load(&run, &fresh);
    go_on(&run, &fresh, 50);
    cn_world_destroy(bare.world);
    end(&run, &fresh);
}

// Pointers and indices of another process mean nothing here.
static void user_data_stay_those_of_the_world(void) {
    Machine run = make_machine(false), fresh = make_machine(false);
    CHECK_INT(cn_body_set_user(run.world, run.ball, 7), CN_OK);
    CHECK_INT(cn_body_set_user(fresh.world, fresh.ball, 9), CN_OK);
    run_steps(run.world, DT, 3);
    load(&run, &fresh);
    CHECK(cn_body_user(fresh.world, fresh.ball) == 9);
    go_on(&run, &fresh, 5);
    end(&run, &fresh);
}

// A stack whose box `index` is taken away, or switched off: of the pairs that are left a clone
// looks at all, the first world only at those that have moved. The steps that follow have the same
// bits.
static void take_box_away(int index, bool for_good) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnMaterialId stone = run_add_material(world, 0.5, 0.0);
    run_add_ground(world, stone);
    for (int i = 0; i < 5; ++i) {
        run_add_box(world, CN_BODY_DYNAMIC, cn_vec3(1, 1, 1), cn_vec3(0, 0, 0.5 + i), stone);
    }
    run_steps(world, DT, 5);
    CnBodyId box = cn_world_body_at(world, 1 + index);
    CHECK_INT(for_good ? cn_world_remove_body(world, box)
                       : cn_body_set_enabled(world, box, false, NULL),
              CN_OK);
    CnWorld* clone = cn_world_clone(world, NULL, NULL);
    for (int i = 0; i < 5; ++i) {
        run_step(world, DT);
        run_step(clone, DT);
        CHECK(cn_world_hash(clone) == cn_world_hash(world));
    }
    cn_world_destroy(clone);
    cn_world_destroy(world);
}

static void what_is_left_of_a_stack_steps_as_its_clone(void) {
    for (int i = 0; i < 5; ++i) {
        take_box_away(i, true);
        take_box_away(i, false);
    }
}

// Scheme soft_step: a body whose mass has changed is placed anew, also when shapes have moved in
// memory in between, as they have where many were added, and when a step has failed.
static void place_anew(bool adds_bodies, bool fails) {
    CnWorldDef def = cn_world_def_default();
    def.step.scheme = CN_SCHEME_SOFT_STEP;
    CnWorld* world = run_create(&def);
    CnMaterialId stone = run_add_material(world, 0.5, 0.0);
    CnVec3 size = cn_vec3(1.0, 1.0, 1.0);
    CnBodyId top = {0};
    run_add_ground(world, stone);
    for (int i = 0; i < 3; ++i) {
        top = run_add_box(world, CN_BODY_DYNAMIC, size, cn_vec3(0.0, 0.0, 0.5 + i), stone);
    }
    run_steps(world, DT, 8);
    for (int i = 0; adds_bodies && i < 64; ++i) {
        run_add_box(world, CN_BODY_STATIC, size, cn_vec3(10.0 + 2.0 * i, 0.0, 9.0), stone);
    }
    CnMassProperties mass;
    cn_body_mass_properties(world, top, &mass);
    mass.mass *= 1.5;
    CHECK_INT(cn_body_set_mass(world, top, &mass, NULL), CN_OK);
    CnWorld* clone = cn_world_clone(world, NULL, NULL);
    if (fails) { // too fast for any step
        CnVec3 push = cn_vec3(1e9, 0.0, 0.0), at = run_state(world, top).center;
        CHECK_INT(cn_body_apply_impulse(world, top, push, at, NULL), CN_OK);
        CHECK(cn_world_step(world, DT, NULL, NULL) != CN_OK);
        CHECK_INT(cn_body_apply_impulse(world, top, cn_vec3_negate(push), at, NULL), CN_OK);
    }
    for (int i = 0; i < 5; ++i) {
        run_step(world, DT);
        run_step(clone, DT);
        CHECK(cn_world_hash(clone) == cn_world_hash(world));
    }
    cn_world_destroy(clone);
    cn_world_destroy(world);
}

static void a_changed_mass_places_a_soft_body_anew(void) {
    place_anew(true, false);
    place_anew(false, true);
}

TEST_MAIN("unit/world/state/state_changes", TEST(a_changed_mass_places_a_soft_body_anew),
          TEST(what_is_left_of_a_stack_steps_as_its_clone),
          TEST(a_fresh_world_takes_what_setters_changed),
          TEST(a_world_goes_back_to_before_a_change), TEST(sensors_go_on_within_an_overlap),
          TEST(hooks_must_be_given_again), TEST(user_data_stay_those_of_the_world))

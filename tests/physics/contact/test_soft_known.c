// test_soft_known.c - scheme soft_step: what it knows of contacts from the steps before.
//
// Contacts that nothing has happened to are passed over, and impulses stay in tiles until somebody
// asks for them. None of it may be seen: a world that is looked at between steps, or whose places
// for contacts are used again, goes on like one that is not.
#include "cairn/event.h"
#include "cairn/state.h"
#include "support/run.h"

#define DT (1.0 / 60.0)

static void steps(CnWorld* world, int count) {
    for (int i = 0; i < count; ++i) {
        CHECK_INT(cn_world_step(world, DT, NULL, NULL), CN_OK);
    }
}

// A point on a plane that is given by hand, `gap` below the body; `carrier` may be none.
static CnContactId add_given(CnWorld* world, CnBodyId carrier, CnBodyId body, double gap,
                             CnMaterialId material) {
    CnContactDef def = cn_contact_def_default();
    def.body_a = carrier;
    def.body_b = body;
    def.point = run_state(world, body).center;
    def.normal = cn_vec3(0.0, 0.0, 1.0);
    def.gap = gap;
    def.material_a = def.material_b = material;
    CnContactId id = cn_world_add_contact(world, &def, NULL);
    CHECK(id.index != 0);
    return id;
}

// A body on a plane given by hand falls on it while the contact of a ball that was at rest is gone.
static void a_given_contact_acts_in_the_place_of_one_that_was_found(void) {
    CnWorldDef def = run_soft_def();
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.5, 0.0);
    CnVec3 still = cn_vec3(0.0, 0.0, 0.0);
    run_add_ground(world, material);
    CnBodyId ball = run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 0.5), still, material);
    CnBodyDef light = run_body(1.0, cn_vec3(0.1, 0.1, 0.1), cn_vec3(5.0, 0.0, 10.0));
    CnBodyId point = run_add(world, &light);
    add_given(world, (CnBodyId){0}, point, 2.0, material); // it falls 2 m in 38 steps
    steps(world, 20);
    CnBodyState state = run_state(world, ball);
    state.center.z = 100.0; // away from the ground, for the rest of the test
    CHECK_INT(cn_body_set_state(world, ball, &state, NULL), CN_OK);
    steps(world, 40);
    CHECK_NEAR(run_state(world, point).center.z, 8.0, def.step.contact_margin);
    CHECK_NEAR(run_state(world, point).velocity.z, 0.0, 1e-3);
    cn_world_destroy(world);
}

// Whoever saves a world has impulses written from tiles to manifolds.
static void step_both(CnWorld* blind, CnWorld* saved, int count) {
    for (int i = 0; i < count; ++i) {
        void* bytes;
        size_t size;
        steps(blind, 1);
        steps(saved, 1);
        CHECK_INT(cn_world_save_state_memory(saved, &bytes, &size, NULL), CN_OK);
        cn_world_release_state(saved, bytes);
    }
}

static void finish(CnWorld* blind, CnWorld* saved) {
    CHECK(cn_world_hash(blind) == cn_world_hash(saved));
    cn_world_destroy(blind);
    cn_world_destroy(saved);
}

static CnWorld* create_given(void) {
    CnWorldDef def = run_soft_def();
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.5, 0.0);
    CnBodyDef light = run_body(1.0, cn_vec3(0.1, 0.1, 0.1), cn_vec3(0.0, 0.0, 1.0));
    light.velocity = cn_vec3(1.0, 0.0, -1.0);
    add_given(world, (CnBodyId){0}, run_add(world, &light), 0.1, material);
    return world;
}

static void saving_given_contacts_changes_no_bit(void) {
    CnWorld *blind = create_given(), *saved = create_given();
    step_both(blind, saved, 60);
    finish(blind, saved);
}

static bool admit(const CnWorld* world, const CnContactPoint* point, void* data) {
    (void)world;
    (void)point;
    return *(const bool*)data;
}

// A cube at rest on the ground; admits NULL: without a filter. Before it comes a body without
// shapes, and it falls asleep if asked.
static CnWorld* create_cube(bool* admits, bool sleeps) {
    CnWorldDef def = run_soft_def();
    def.step.sleep = sleeps;
    def.contact_hooks.filter = admits == NULL ? NULL : admit;
    def.contact_hooks.data = admits;
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.5, 0.0);
    run_add_ground(world, material);
    CnBodyDef bare = run_body(1.0, cn_vec3(0.1, 0.1, 0.1), cn_vec3(5.0, 0.0, 1.0));
    bare.type = CN_BODY_KINEMATIC;
    run_add(world, &bare);
    run_add_box(world, CN_BODY_DYNAMIC, cn_vec3(0.2, 0.2, 0.2), cn_vec3(0.0, 0.0, 0.1), material);
    return world;
}

static void saving_refused_contacts_changes_no_bit(void) {
    bool admits = true;
    CnWorld *blind = create_cube(&admits, false), *saved = create_cube(&admits, false);
    step_both(blind, saved, 30);
    admits = false;
    step_both(blind, saved, 1);
    admits = true;
    step_both(blind, saved, 5);
    finish(blind, saved);
}

// The changes below have the contacts of the cube built anew.
static void change_material(CnWorld* world) {
    CnShapeId shape;
    CHECK_INT(cn_body_shapes(world, cn_world_body_at(world, 2), &shape, 1), 1);
    CnMaterialId material = run_add_material(world, 0.4, 0.0);
    CHECK_INT(cn_shape_set_material(world, shape, material, NULL), CN_OK);
}

// The cube, which is the last body, gets its index.
static void remove_bare_body(CnWorld* world) {
    CHECK_INT(cn_world_remove_body(world, cn_world_body_at(world, 1)), CN_OK);
}

static void saving_changed_contacts_changes_no_bit(void) {
    void (*const changes[])(CnWorld*) = {change_material, remove_bare_body};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; ++i) {
        CnWorld *blind = create_cube(NULL, false), *saved = create_cube(NULL, false);
        step_both(blind, saved, 30);
        changes[i](blind);
        changes[i](saved);
        step_both(blind, saved, 5);
        finish(blind, saved);
    }
}

static int count_events(const CnWorld* world, CnEventType type) {
    CnEvent events[8];
    int count = cn_world_events(world, events, 8), found = 0;
    for (int i = 0; i < count && i < 8; ++i) {
        found += events[i].type == type;
    }
    return found;
}

// Woken right after the step in which it fell asleep.
static void saving_a_sleeper_changes_no_bit(void) {
    CnWorld *blind = create_cube(NULL, true), *saved = create_cube(NULL, true);
    int asleep = 0;
    for (int i = 0; asleep == 0 && i < 600; ++i) {
        step_both(blind, saved, 1);
        asleep = count_events(blind, CN_EVENT_SLEEP);
        CHECK_INT(count_events(saved, CN_EVENT_SLEEP), asleep);
    }
    CHECK_INT(asleep, 1);
    for (int k = 0; k < 2; ++k) {
        CnWorld* world = k == 0 ? blind : saved;
        CHECK_INT(cn_body_set_awake(world, cn_world_body_at(world, 2), true, NULL), CN_OK);
    }
    step_both(blind, saved, 5);
    finish(blind, saved);
}

// A ball comes to a plate at 3 m/s, 50 mm in a step, and contacts are looked for 55 mm ahead. The
// one given by hand, 30 mm above the plate, is seen at 52 mm, one step before that of the shapes,
// and removed then. That of the shapes takes its place. It stays when the ball has stopped, and
// when it is sent along the plate without a force between them.
static void a_found_contact_takes_the_place_of_a_given_one(void) {
    CnWorldDef def = run_soft_def();
    def.gravity = cn_vec3(0.0, 0.0, 0.0);
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.5, 0.0);
    CnBodyId plate = run_add_box(world, CN_BODY_KINEMATIC, cn_vec3(2.0, 2.0, 0.2),
                                 cn_vec3(0.0, 0.0, -0.1), material);
    CnBodyId ball =
        run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 0.932), cn_vec3(0.0, 0.0, -3.0), material);
    CnContactId given = add_given(world, plate, ball, 0.402, material);
    int begins = 0, ends = 0;
    for (int i = 0; cn_world_contacts(world, NULL, 0) == 0 && i < 20; ++i) {
        steps(world, 1);
    }
    CHECK_INT(cn_world_remove_contact(world, given), CN_OK);
    steps(world, 1); // in which the one given by hand ends
    CHECK_INT(cn_world_contacts(world, NULL, 0), 1);
    for (int i = 0; i < 15; ++i) {
        CnVec3 push = cn_vec3(i == 7 ? 1.0 : 0.0, 0.0, 0.0), at = run_state(world, ball).center;
        CHECK_INT(cn_body_apply_impulse(world, ball, push, at, NULL), CN_OK);
        steps(world, 1);
        begins += count_events(world, CN_EVENT_CONTACT_BEGIN);
        ends += count_events(world, CN_EVENT_CONTACT_END);
    }
    CHECK_INT(begins, 1);
    CHECK_INT(ends, 0);
    cn_world_destroy(world);
}

// A ball at rest overlaps the ground by 10 mm, and may not meet it at first. Once it may, overlap
// fades by 13 % in each of four substeps (docs/theory/soft_step.md (22)): after six steps 0.4 mm
// are left.
static void shapes_that_may_meet_from_now_on_need_not_move(void) {
    CnWorldDef def = run_soft_def();
    def.gravity = cn_vec3(0.0, 0.0, 0.0);
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.5, 0.0);
    CnVec3 still = cn_vec3(0.0, 0.0, 0.0);
    run_add_ground(world, material);
    CnBodyId ball = run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 0.49), still, material);
    CnShapeId shape;
    CHECK_INT(cn_body_shapes(world, ball, &shape, 1), 1);
    CHECK_INT(cn_shape_set_filter(world, shape, 1, 0, 0, NULL), CN_OK);
    steps(world, 5);
    CHECK_NEAR(run_state(world, ball).center.z, 0.49, 0.0);
    CHECK_INT(cn_shape_set_filter(world, shape, 1, UINT32_MAX, 0, NULL), CN_OK);
    steps(world, 6);
    CHECK_NEAR(run_state(world, ball).center.z, 0.5, 1e-3);
    cn_world_destroy(world);
}

// A ball that is thrown up at 1 m/s is 16 mm above the ground after a step, beyond the margin of
// 5 mm, while the next step still looks for it there: it looks as far as bodies come in a step.
static void an_exact_contact_ends_when_its_gap_exceeds_the_margin(void) {
    CnWorldDef def = run_soft_def();
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.5, 0.0);
    CnVec3 still = cn_vec3(0.0, 0.0, 0.0);
    run_add_ground(world, material);
    CnBodyId ball = run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 0.5), still, material);
    CHECK_INT(cn_body_set_exact(world, ball, true, NULL), CN_OK);
    steps(world, 5);
    CnVec3 push = cn_vec3(0.0, 0.0, 1.0 + 9.81 * DT);
    CHECK_INT(cn_body_apply_impulse(world, ball, push, run_state(world, ball).center, NULL), CN_OK);
    steps(world, 1);
    CHECK_NEAR(run_state(world, ball).center.z, 0.5 + DT, 1e-6); // the tolerance of positions
    CHECK_INT(count_events(world, CN_EVENT_CONTACT_END), 1);
    cn_world_destroy(world);
}

TEST_MAIN("physics/contact/soft_known",
          TEST(a_given_contact_acts_in_the_place_of_one_that_was_found),
          TEST(saving_given_contacts_changes_no_bit), TEST(saving_refused_contacts_changes_no_bit),
          TEST(saving_changed_contacts_changes_no_bit), TEST(saving_a_sleeper_changes_no_bit),
          TEST(a_found_contact_takes_the_place_of_a_given_one),
          TEST(shapes_that_may_meet_from_now_on_need_not_move),
          TEST(an_exact_contact_ends_when_its_gap_exceeds_the_margin))

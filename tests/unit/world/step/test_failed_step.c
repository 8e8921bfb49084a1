// test_failed_step.c - a step that fails leaves no trace: in what can be read, and in later steps.
#include "cairn/cairn.h"
#include "support/failing_allocator.h"
#include "support/problems/last_problem.h"
#include "support/run.h"
#include "world/world.h"

#include <stdio.h>

#define POINTS 64
#define JOINTS 64

// All that can be read of a world, as plain numbers.
typedef struct Reading {
    uint64_t hash;
    double time, energy;
    int contact_count, event_count, row_count, warning_count;
    CnContactPoint contacts[POINTS];
    CnJointState joints[JOINTS];
} Reading;

static Reading* read_all(CnWorld* world) {
    Reading* reading = calloc(1, sizeof *reading);
    CHECK(reading != NULL);
    reading->hash = cn_world_hash(world);
    reading->time = cn_world_time(world);
    reading->energy = cn_world_energy(world);
    reading->contact_count = cn_world_contacts(world, reading->contacts, POINTS);
    reading->event_count = cn_world_events(world, NULL, 0);
    reading->row_count = last_problem(world)->problem.row_count;
    reading->warning_count = cn_world_warning_count(world);
    for (int i = 0; i < cn_world_joint_count(world) && i < JOINTS; ++i) {
        cn_joint_read(world, cn_world_joint_at(world, i), &reading->joints[i]);
    }
    return reading;
}

static void check_same(CnWorld* world, const Reading* before) {
    Reading* now = read_all(world);
    CHECK(now->hash == before->hash);
    CHECK_INT(now->contact_count, before->contact_count);
    CHECK_INT(now->event_count, before->event_count);
    CHECK_INT(now->row_count, before->row_count);
    CHECK(memcmp(now, before, sizeof *now) == 0);
    free(now);
}

// ---- memory that runs out ----

#define STEPS 6
#define FAULTY_STEPS 3 // of them, one after the other: cold, then warmer

typedef struct Trial {
    const char* scene;
    double dt; // [s]
    CnScheme scheme;
    int substeps;
    const char* solver;
    bool is_unread; // before the step that fails: impulses stay in the tiles of soft_step
} Trial;

static CnWorld* build(const Trial* trial, FailingAllocator* memory) {
    CnScene* scene = run_open_scene(trial->scene);
    CnSceneSettings settings = cn_scene_settings(scene);
    settings.step.scheme = trial->scheme;
    settings.step.substeps = trial->substeps;
    settings.solver.name = trial->solver;
    return run_build(scene, &settings, failing_allocator(memory));
}

// Returns whether the step made so many requests that one was refused.
static bool step_and_retry(CnWorld* world, const Trial* trial, FailingAllocator* memory) {
    CnError error = {0};
    Reading* before = trial->is_unread ? NULL : read_all(world);
    CnStatus status = cn_world_step(world, trial->dt, NULL, &error);
    bool was_refused = memory->requests >= memory->refuse_at;
    memory->refuse_at = 0;
    if (status != CN_OK) {
        CHECK_INT(status, CN_NO_MEMORY);
        CHECK(error.message[0] != '\0');
        if (before != NULL) {
            check_same(world, before);
        }
        CHECK_INT(cn_world_step(world, trial->dt, NULL, &error), CN_OK);
    }
    free(before);
    return was_refused;
}

// for_good: memory is back only for the second try.
static bool run_with_refusal(const Trial* trial, int step, int request, bool for_good,
                             const uint64_t* hashes) {
    FailingAllocator memory = {.for_good = for_good};
    CnWorld* world = build(trial, &memory);
    bool was_refused = false;
    for (int i = 0; i < STEPS; ++i) {
        if (i == step) {
            memory.refuse_at = memory.requests + request;
            was_refused = step_and_retry(world, trial, &memory);
        } else {
            CHECK_INT(cn_world_step(world, trial->dt, NULL, NULL), CN_OK);
        }
        ck_assert_msg(cn_world_hash(world) == hashes[i],
                      "%s, %s, %s: request %d of step %d refused, step %d has other bits",
                      trial->scene, cn_scheme_name(trial->scheme), trial->solver, request, step + 1,
                      i + 1);
    }
    cn_world_destroy(world);
    CHECK_INT(memory.live, 0);
    return was_refused;
}

// Under sanitizers, where the other builds have found the bits, every third request.
static void bits_do_not_depend_on_refusals(Trial trial) {
    const int stride = UNDER_SANITIZER ? 3 : 1;
    FailingAllocator memory = {0};
    uint64_t hashes[STEPS];
    CnWorld* world = build(&trial, &memory);
    for (int i = 0; i < STEPS; ++i) {
        CHECK_INT(cn_world_step(world, trial.dt, NULL, NULL), CN_OK);
        hashes[i] = cn_world_hash(world);
    }
    cn_world_destroy(world);
    for (int k = 0; k < 2 * FAULTY_STEPS; ++k) {
        int request = 1;
        while (run_with_refusal(&trial, k / 2, request, k % 2 == 1, hashes)) {
            request += stride;
        }
    }
}

static void moreau_retries_with_the_same_bits(void) {
    bits_do_not_depend_on_refusals((Trial){"@stack:3", 1e-2, CN_SCHEME_MOREAU, 3, "auto", false});
    bits_do_not_depend_on_refusals((Trial){"@pile:1", 1e-2, CN_SCHEME_MOREAU, 2, "auto", false});
    bits_do_not_depend_on_refusals((Trial){"@robot:1", 1e-3, CN_SCHEME_MOREAU, 2, "auto", false});
}

static void other_schemes_retry_with_the_same_bits(void) {
    bits_do_not_depend_on_refusals((Trial){"@stack:3", 1e-2, CN_SCHEME_IMPLICIT, 2, "auto", false});
    bits_do_not_depend_on_refusals(
        (Trial){"@stack:3", 1e-2, CN_SCHEME_QUASI_STATIC, 2, "auto", false});
    bits_do_not_depend_on_refusals(
        (Trial){"@stewart:1", 1e-3, CN_SCHEME_ACCELERATION, 2, "auto", false});
}

// Steps also fail before their first stage, when nothing of them can be taken back yet.
static void soft_steps_retry_with_the_same_bits(void) {
    for (int is_unread = 0; is_unread < 2; ++is_unread) {
        for (int substeps = 1; substeps <= 2; ++substeps) {
            bits_do_not_depend_on_refusals((Trial){.scene = "@stack:3",
                                                   .dt = 1e-2,
                                                   .scheme = CN_SCHEME_SOFT_STEP,
                                                   .substeps = substeps,
                                                   .solver = "auto",
                                                   .is_unread = is_unread == 1});
        }
    }
}

// Steps that are cut in two for the first time ask for memory before their first stage has begun.
static bool fails_to_be_cut(int request) {
    Trial trial = {"@stack:3", 1e-2, CN_SCHEME_SOFT_STEP, 1, "auto", true};
    FailingAllocator memory[2] = {{0}, {0}};
    CnWorld* worlds[2];
    bool was_refused = false;
    for (int i = 0; i < 2; ++i) {
        worlds[i] = build(&trial, &memory[i]);
        for (int k = 0; k < 3; ++k) {
            CHECK_INT(cn_world_step(worlds[i], trial.dt, NULL, NULL), CN_OK);
        }
        CnStepDef def = cn_world_read(worlds[i]).step;
        def.substeps = 2;
        CHECK_INT(cn_world_set_step(worlds[i], &def, NULL), CN_OK);
        if (i == 1) {
            memory[i].refuse_at = memory[i].requests + request;
            was_refused = step_and_retry(worlds[i], &trial, &memory[i]);
        } else {
            CHECK_INT(cn_world_step(worlds[i], trial.dt, NULL, NULL), CN_OK);
        }
    }
    ck_assert_msg(cn_world_hash(worlds[0]) == cn_world_hash(worlds[1]),
                  "request %d refused: other bits", request);
    for (int i = 0; i < 2; ++i) {
        cn_world_destroy(worlds[i]);
    }
    return was_refused;
}

static void a_soft_step_that_fails_early_keeps_the_impulses_of_the_last(void) {
    int request = 1;
    while (fails_to_be_cut(request)) {
        ++request;
    }
    CHECK(request > 1);
}

static void solvers_retry_with_the_same_bits(void) {
    for (int i = 0; i < cn_solver_count(); ++i) {
        Trial trial = {"@stack:2", 1e-2, CN_SCHEME_MOREAU, 1, cn_solver_at(i).name, false};
        FailingAllocator memory = {0};
        CnWorld* world = build(&trial, &memory);
        CnStatus status = cn_world_step(world, trial.dt, NULL, NULL);
        cn_world_destroy(world);
        if (status == CN_OK) { // else the solver does not support the laws
            bits_do_not_depend_on_refusals(trial);
        }
    }
}

// ---- steps that fail half way ----

static int seen; // by evaluate(): how often the constraint was advanced

static void evaluate(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                     double* value) {
    (void)b;
    (void)time;
    seen = *(const int*)data;
    value[0] = a->center.z;
}

static void jacobian(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                     double* row_a, double* row_b) {
    (void)a;
    (void)b;
    (void)time;
    (void)data;
    (void)row_b;
    row_a[2] = 1.0;
}

static void advance(const CnBodyState* a, const CnBodyState* b, double time, void* data) {
    (void)a;
    (void)b;
    (void)time;
    ++*(int*)data;
}

static const CnConstraintKind counter = {
    .name = "counter",
    .body_count = 1,
    .dimension = 1,
    .evaluate = evaluate,
    .jacobian = jacobian,
    .advance = advance,
};

typedef struct Saboteur {
    double from, until; // of world time; forces there are no numbers [s]
} Saboteur;

static void sabotage(const CnBodyState* state, double time, void* data, CnVec3* force,
                     CnVec3* torque) {
    const Saboteur* saboteur = data;
    (void)state;
    (void)torque;
    if (time > saboteur->from && time < saboteur->until) {
        force->x = (double)NAN;
    }
}

// A ball on a wheel: contacts, a joint that counts turns, a constraint with a memory, and a force
// that fails.
static CnWorld* fragile_world(CnScheme scheme, Saboteur* saboteur) {
    CnWorldDef def = cn_world_def_default();
    def.step.substeps = 4;
    def.step.scheme = scheme;
    CnWorld* world = run_create(&def);
    const CnMaterialId none = {0};
    if (scheme != CN_SCHEME_ACCELERATION) {
        run_add_ground(world, none);
    }
    CnBodyId ball = run_add_ball(world, 1.0, 0.5, cn_vec3(0, 0, 0.5), cn_vec3(1, 0, 0), none);
    CnBodyId wheel = run_add_ball(world, 2.0, 0.5, cn_vec3(5, 0, 3), cn_vec3(0, 0, 0), none);
    CnBodyId held = run_add_ball(world, 2.0, 0.5, cn_vec3(9, 0, 0), cn_vec3(0, 1, 0), none);
    CnJointDef hinge = cn_joint_def_default(CN_JOINT_HINGE);
    hinge.body_b = wheel;
    hinge.point_a = cn_vec3(5, 0, 3);
    hinge.axes[CN_AXIS_TURN_Z].motor = CN_MOTOR_VELOCITY;
    hinge.axes[CN_AXIS_TURN_Z].target = 100.0;
    CHECK(cn_world_add_joint(world, &hinge, NULL).index != 0);
    int zero = 0;
    run_add_constraint(world, &counter, held, (CnBodyId){0}, &zero, sizeof zero);
    CnForceDef force = cn_force_def_default();
    force.body = ball;
    force.function = sabotage;
    force.data = saboteur;
    CHECK(cn_world_add_force(world, &force, NULL).index != 0);
    return world;
}

static void a_step_that_fails_half_way_leaves_no_trace(void) {
    const double dt = 1e-2;
    for (int scheme = 0; scheme <= CN_SCHEME_SOFT_STEP; ++scheme) {
        Saboteur idle = {1e9, 1e9}, busy = {3.6 * dt, 1e9}; // in the third of four substeps
        CnWorld* smooth = fragile_world((CnScheme)scheme, &idle);
        CnWorld* bumpy = fragile_world((CnScheme)scheme, &busy);
        for (int i = 0; i < 3; ++i) {
            CHECK_INT(cn_world_step(smooth, dt, NULL, NULL), CN_OK);
            CHECK_INT(cn_world_step(bumpy, dt, NULL, NULL), CN_OK);
        }
        Reading* before = read_all(bumpy);
        CHECK_INT(cn_world_step(bumpy, dt, NULL, NULL), CN_UNSUPPORTED);
        check_same(bumpy, before);
        busy = idle;
        for (int i = 0; i < 3; ++i) {
            CHECK_INT(cn_world_step(smooth, dt, NULL, NULL), CN_OK);
            int expected = seen;
            CHECK_INT(cn_world_step(bumpy, dt, NULL, NULL), CN_OK);
            CHECK_INT(seen, expected);
            Reading* reading = read_all(smooth);
            check_same(bumpy, reading);
            free(reading);
        }
        free(before);
        cn_world_destroy(smooth);
        cn_world_destroy(bumpy);
    }
}

// A tilted cylinder falls onto another one. While they are apart but their boxes meet, the search
// for contacts keeps the axis that separates them. A ball carries the force that fails.
static CnWorld* falling_cylinders(Saboteur* saboteur) {
    CnWorldDef plain = cn_world_def_default();
    CnWorld* world = run_create(&plain);
    CnShapeDef shape = cn_shape_def_default(CN_SHAPE_CYLINDER);
    shape.radius = 0.2;
    shape.length = 2.0;
    for (int i = 0; i < 2; ++i) {
        CnBodyDef def = cn_body_def_default();
        def.type = i == 0 ? CN_BODY_STATIC : CN_BODY_DYNAMIC;
        def.position = cn_vec3(0.0, 0.0, 0.8 * i);
        def.rotation = cn_quat_exp(cn_vec3(0.9, i == 0 ? 0.0 : 0.9, 0.0));
        def.shapes = &shape;
        def.shape_count = 1;
        run_add(world, &def);
    }
    CnForceDef force = cn_force_def_default();
    force.body =
        run_add_ball(world, 1.0, 0.5, cn_vec3(9, 0, 0), cn_vec3(0, 0, 0), (CnMaterialId){0});
    force.function = sabotage;
    force.data = saboteur;
    CHECK(cn_world_add_force(world, &force, NULL).index != 0);
    return world;
}

// A step that fails does not give back the axis that its search has kept: contacts are the same to
// the bit whatever it is.
static void axes_kept_by_a_step_that_fails_change_no_contact(void) {
    const double dt = 1e-2;
    int apart = 0, touching = 0;
    for (int failing = 1; failing < 30; ++failing) {
        Saboteur idle = {1e9, 1e9}, busy = {((double)failing - 0.5) * dt, 1e9};
        CnWorld *smooth = falling_cylinders(&idle), *bumpy = falling_cylinders(&busy);
        for (int i = 0; i < failing + 2; ++i) {
            CHECK_INT(cn_world_step(smooth, dt, NULL, NULL), CN_OK);
            if (cn_world_step(bumpy, dt, NULL, NULL) != CN_OK) {
                busy = idle;
                CHECK_INT(cn_world_step(bumpy, dt, NULL, NULL), CN_OK);
            }
            Reading* reading = read_all(smooth);
            check_same(bumpy, reading);
            apart += reading->contact_count == 0;
            touching += reading->contact_count > 0;
            free(reading);
        }
        CHECK(busy.from == idle.from); // it did fail
        cn_world_destroy(smooth);
        cn_world_destroy(bumpy);
    }
    CHECK(apart > 0 && touching > 0);
}

// Scheme soft_step: a step that solves a body exactly for the first time fails in a later part.
static void a_step_that_fails_does_not_count_as_exact(void) {
    const double dt = 1e-2;
    Saboteur idle = {1e9, 1e9}, busy = {3.6 * dt, 1e9}; // in the third of four parts
    CnWorld* worlds[2] = {fragile_world(CN_SCHEME_SOFT_STEP, &idle),
                          fragile_world(CN_SCHEME_SOFT_STEP, &busy)};
    for (int i = 0; i < 2; ++i) {
        CnBodyId ball = cn_world_body_at(worlds[i], 1);
        for (int k = 0; k < 3; ++k) {
            CHECK_INT(cn_world_step(worlds[i], dt, NULL, NULL), CN_OK);
        }
        CHECK_INT(cn_body_set_exact(worlds[i], ball, true, NULL), CN_OK);
        if (i == 1) {
            CHECK_INT(cn_world_step(worlds[i], dt, NULL, NULL), CN_UNSUPPORTED);
        }
        CHECK_INT(cn_body_set_exact(worlds[i], ball, false, NULL), CN_OK);
    }
    busy = idle;
    for (int k = 0; k < 10; ++k) {
        CHECK_INT(cn_world_step(worlds[0], dt, NULL, NULL), CN_OK);
        CHECK_INT(cn_world_step(worlds[1], dt, NULL, NULL), CN_OK);
        CHECK(cn_world_hash(worlds[0]) == cn_world_hash(worlds[1]));
    }
    cn_world_destroy(worlds[0]);
    cn_world_destroy(worlds[1]);
}

// A pair that is excluded, and a contact that is removed, before a step that fails: they do not
// come back, and the problem of the step before can still be read.
static void changes_before_a_step_that_fails_still_hold(void) {
    const double dt = 1e-2;
    Saboteur idle = {1e9, 1e9}, busy = {3.6 * dt, 1e9}; // in the third of four substeps
    CnWorld* worlds[2] = {fragile_world(CN_SCHEME_MOREAU, &idle),
                          fragile_world(CN_SCHEME_MOREAU, &busy)};
    for (int i = 0; i < 2; ++i) {
        CnWorld* world = worlds[i];
        CnContactDef foot = cn_contact_def_default();
        foot.body_b = cn_world_body_at(world, 1);
        CnContactId contact = cn_world_add_contact(world, &foot, NULL);
        CHECK(contact.index != 0);
        for (int k = 0; k < 3; ++k) {
            CHECK_INT(cn_world_step(world, dt, NULL, NULL), CN_OK);
        }
        CHECK_INT(cn_world_contacts(world, NULL, 0), 3); // of two balls, and the foot
        CHECK_INT(cn_world_exclude_pair(world, cn_world_body_at(world, 0),
                                        cn_world_body_at(world, 1), NULL),
                  CN_OK);
        CHECK_INT(cn_world_remove_contact(world, contact), CN_OK);
    }
    Reading* before = read_all(worlds[1]);
    CHECK_INT(cn_world_step(worlds[1], dt, NULL, NULL), CN_UNSUPPORTED);
    check_same(worlds[1], before);
    free(before);
    busy = idle;
    for (int k = 0; k < 3; ++k) {
        CHECK_INT(cn_world_step(worlds[0], dt, NULL, NULL), CN_OK);
        CHECK_INT(cn_world_step(worlds[1], dt, NULL, NULL), CN_OK);
        CHECK(cn_world_hash(worlds[0]) == cn_world_hash(worlds[1]));
        CHECK_INT(cn_world_contacts(worlds[1], NULL, 0), 1); // of the other ball
    }
    cn_world_destroy(worlds[0]);
    cn_world_destroy(worlds[1]);
}

// Boxes that fell asleep in steps of 10 ms, until a ball that falls in steps of 5 ms meets one of
// them: impulses of the contacts of all that touch it are scaled, and saved before in case the step
// fails. There are so many boxes that the log of changes has no room reserved for them, and 300 of
// them, in one row, need more than one of its chunks.
static CnWorld* world_before_a_box_is_met(FailingAllocator* memory, CnWorld** after) {
    CnWorldDef def = cn_world_def_default();
    def.allocator = failing_allocator(memory);
    def.step.sleep = true;
    def.step.sleep_time = 0.05;
    CnWorld *world = run_create(&def), *before = NULL;
    CnMaterialId none = {0};
    CnVec3 zero = {0.0, 0.0, 0.0};
    run_add_ground(world, none);
    for (int i = 0; i < 1100; ++i) {
        CnVec3 place =
            i < 300 ? cn_vec3(i, 0.0, 0.5) : cn_vec3(2.0 * (i % 40), 2.0 * (i / 40), 0.5);
        run_add_box(world, CN_BODY_DYNAMIC, cn_vec3(1.0, 1.0, 1.0), place, none);
    }
    run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 2.0), zero, none);
    run_steps(world, 1e-2, 10);
    CHECK_INT(world->sleeping.bodies, 1100);
    while (world->sleeping.bodies == 1100) {
        cn_world_destroy(before);
        before = cn_world_clone(world, &def, NULL);
        CHECK(before != NULL && world->time < 1.0);
        run_step(world, 5e-3);
    }
    *after = world;
    return before;
}

static void a_step_fails_without_memory_to_wake_a_body(void) {
    FailingAllocator memory = {0};
    CnWorld *after, *before = world_before_a_box_is_met(&memory, &after);
    CnWorldDef hooks = cn_world_def_default();
    hooks.allocator = failing_allocator(&memory);
    CnError error = {0};
    bool was_refused = true, could_not_wake = false;
    for (int request = 1; was_refused; ++request) {
        CnWorld* world = cn_world_clone(before, &hooks, NULL);
        cn_undo_log_destroy(&world->pairs.log, &world->allocator);
        memory.refuse_at = memory.requests + request;
        CnStatus status = cn_world_step(world, 5e-3, NULL, &error);
        was_refused = memory.requests >= memory.refuse_at;
        memory.refuse_at = 0;
        could_not_wake = could_not_wake || strstr(error.message, "wake") != NULL;
        if (status != CN_OK) {
            CHECK(cn_world_hash(world) == cn_world_hash(before));
            CHECK_INT(cn_world_step(world, 5e-3, NULL, &error), CN_OK);
        }
        CHECK(cn_world_hash(world) == cn_world_hash(after));
        cn_world_destroy(world);
    }
    CHECK(could_not_wake);
    cn_world_destroy(before);
    cn_world_destroy(after);
}

static void contacts_that_no_memory_can_hold_are_not_none(void) {
    FailingAllocator memory = {0};
    Trial trial = {"@stack:3", 1e-2, CN_SCHEME_MOREAU, 1, "auto", false};
    CnWorld* world = build(&trial, &memory);
    int refusals = 0, found;
    do {
        memory.refuse_at = memory.requests + 1;
        found = cn_world_find_contacts(world, NULL, 0);
        bool was_refused = memory.requests >= memory.refuse_at;
        CHECK_INT(found < 0, was_refused);
        refusals += was_refused;
        memory.refuse_at = 0;
        if (was_refused) {
            CHECK_INT(cn_world_find_contacts(world, NULL, 0), 12);
        }
    } while (found < 0 && refusals < 100);
    CHECK_INT(refusals > 0, 1);
    CHECK_INT(found, 12); // four under each box
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/step/failed_step", TEST(moreau_retries_with_the_same_bits),
          TEST(other_schemes_retry_with_the_same_bits), TEST(soft_steps_retry_with_the_same_bits),
          TEST(a_soft_step_that_fails_early_keeps_the_impulses_of_the_last),
          TEST(solvers_retry_with_the_same_bits), TEST(a_step_that_fails_half_way_leaves_no_trace),
          TEST(a_step_that_fails_does_not_count_as_exact),
          TEST(axes_kept_by_a_step_that_fails_change_no_contact),
          TEST(changes_before_a_step_that_fails_still_hold),
          TEST(contacts_that_no_memory_can_hold_are_not_none),
          TEST(a_step_fails_without_memory_to_wake_a_body))

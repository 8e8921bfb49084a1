// test_events.c - events come when and as fast as mechanics says, and do not flicker.
#include "base/hash.h"
#include "cairn/event.h"
#include "cairn/random.h"
#include "support/run.h"

static const double g = 9.81; // [m/s^2]
static const double dt = 1e-3;

#define CAPACITY 256

typedef struct Tally {
    int count[CN_EVENT_TYPE_COUNT];
    CnEvent hits[16];
} Tally;

static void tally_step(CnWorld* world, double h, Tally* tally) {
    CnEvent events[CAPACITY];
    CHECK_INT(cn_world_step(world, h, NULL, NULL), CN_OK);
    int count = cn_world_events(world, events, CAPACITY);
    CHECK(count <= CAPACITY);
    for (int i = 0; i < count; ++i) {
        if (events[i].type == CN_EVENT_CONTACT_HIT && tally->count[CN_EVENT_CONTACT_HIT] < 16) {
            tally->hits[tally->count[CN_EVENT_CONTACT_HIT]] = events[i];
        }
        ++tally->count[events[i].type];
    }
}

// Dropped by h, a ball arrives with v = sqrt(2 g h) after v / g, and then every 2 e^k v / g with
// e^k v. A step sees the impact when its middle is in the ground, by d < dt too late, and tells at
// its end: 1.5 dt late at most. The ball was then v d deep and v + g d fast, so that it needs d / e
// to come out, with up to g d / e less, and flies 2 e d longer at most: every bounce may add
// (1 + 1 / e + 2 e) dt to the time and (1 + 1 / e) g dt to the speed. From 2 m with e = 0.7,
// bounces of 6.3, 4.4, 3.1, 2.1, 1.5 and 1.05 m/s are hits, the one of 0.74 m/s is none.
static void a_bouncing_ball_hits_when_and_as_fast_as_newton_says(void) {
    const double e = 0.7, drop = 2.0, radius = 0.25, mass = 3.0;
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.0, e);
    CnBodyId ground = run_add_ground(world, material);
    CnBodyId ball = run_add_ball(world, mass, radius, cn_vec3(0.0, 0.0, radius + drop),
                                 cn_vec3(0.0, 0.0, 0.0), material);
    Tally tally = {0};
    for (int i = 0; i < 6000; ++i) {
        tally_step(world, dt, &tally);
    }
    CHECK_INT(tally.count[CN_EVENT_CONTACT_HIT], 6);
    double speed = sqrt(2.0 * g * drop), time = speed / g;
    for (int k = 0; k < 6; ++k) {
        const CnEvent* hit = &tally.hits[k];
        CHECK_NEAR(hit->time, time, (1.5 + k * (1.0 + 1.0 / e + 2.0 * e)) * dt);
        CHECK_NEAR(hit->speed, speed, (1.0 + k * (1.0 + 1.0 / e)) * g * dt);
        CHECK_NEAR(hit->impulse, mass * (1.0 + e) * hit->speed, 2.0 * mass * g * dt);
        CHECK_NEAR(hit->normal.z, 1.0, 1e-15);
        CHECK_NEAR(hit->point.z, 0.0, speed * dt); // as deep as a step can bring it
        CHECK(hit->body_a.index == ground.index && hit->body_b.index == ball.index);
        time += 2.0 * e * speed / g;
        speed *= e;
    }
    // It has come to rest: whatever began but one has ended.
    CHECK_INT(tally.count[CN_EVENT_CONTACT_BEGIN], tally.count[CN_EVENT_CONTACT_END] + 1);
    cn_world_destroy(world);
}

// Without bounce a contact is closed in two steps: the hit is one, with the speed before both.
static void a_dead_fall_is_one_hit(void) {
    for (int stabilisation = 0; stabilisation < CN_STABILISATION_COUNT; ++stabilisation) {
        CnWorldDef def = cn_world_def_default();
        def.step.stabilisation = (CnStabilisation)stabilisation;
        CnWorld* world = run_create(&def);
        CnMaterialId material = run_add_material(world, 0.3, 0.0);
        CnShapeDef box = cn_shape_def_default(CN_SHAPE_BOX);
        CnBodyDef body = cn_body_def_default();
        body.shapes = &box;
        body.shape_count = 1;
        body.material = material;
        body.position.z = 1.5;
        run_add_ground(world, material);
        run_add(world, &body);
        Tally tally = {0};
        for (int i = 0; i < 1000; ++i) {
            tally_step(world, dt, &tally);
        }
        CHECK_INT(tally.count[CN_EVENT_CONTACT_BEGIN], 1);
        CHECK_INT(tally.count[CN_EVENT_CONTACT_END], 0);
        CHECK_INT(tally.count[CN_EVENT_CONTACT_HIT], 1);
        CHECK_NEAR(tally.hits[0].speed, sqrt(2.0 * g), 2.0 * g * dt); // 1 m; a step or two early
        cn_world_destroy(world);
    }
}

// A ball of radius r falls from rest through a slab from z1 down to z2: in when its lowest point
// has fallen to z1, out when its highest has left z2. Seen at the end of that step.
static void a_ball_falls_through_a_sensor_at_the_computed_times(void) {
    const double start = 5.0, radius = 0.2, top = 3.0, bottom = 2.5;
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnShapeDef slab = cn_shape_def_default(CN_SHAPE_BOX);
    slab.size = cn_vec3(4.0, 4.0, top - bottom);
    slab.sensor = true;
    CnBodyDef gate = cn_body_def_default();
    gate.type = CN_BODY_STATIC;
    gate.shapes = &slab;
    gate.shape_count = 1;
    gate.position.z = 0.5 * (top + bottom);
    run_add(world, &gate);
    run_add_ball(world, 1.0, radius, cn_vec3(0.0, 0.0, start), cn_vec3(0.0, 0.0, 0.0),
                 (CnMaterialId){0});
    double times[2] = {0.0, 0.0};
    for (int i = 0; i < 1000; ++i) {
        CnEvent event;
        CHECK_INT(cn_world_step(world, dt, NULL, NULL), CN_OK);
        if (cn_world_events(world, &event, 1) == 1) {
            CHECK(event.type >= CN_EVENT_SENSOR_BEGIN);
            CHECK(times[event.type - CN_EVENT_SENSOR_BEGIN] == 0.0); // once
            times[event.type - CN_EVENT_SENSOR_BEGIN] = event.time;
        }
    }
    double in = sqrt(2.0 * (start - radius - top) / g);
    double out = sqrt(2.0 * (start + radius - bottom) / g);
    CHECK(times[0] >= in && times[0] < in + dt + 1e-9);
    CHECK(times[1] >= out && times[1] < out + dt + 1e-9);
    cn_world_destroy(world);
}

static void a_box_at_rest_begins_once_and_never_ends(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.5, 0.3);
    CnShapeDef box = cn_shape_def_default(CN_SHAPE_BOX);
    CnBodyDef body = cn_body_def_default();
    body.shapes = &box;
    body.shape_count = 1;
    body.material = material;
    run_add_ground(world, material);
    for (int i = 0; i < 3; ++i) { // a stack, and one that only leans on its side without pressing
        body.position = i < 2 ? cn_vec3(0.0, 0.0, 0.5 + i) : cn_vec3(1.0, 0.0, 0.5);
        run_add(world, &body);
    }
    int steps = UNDER_SANITIZER ? 1000 : 10000;
    Tally tally = {0};
    for (int i = 0; i < steps; ++i) {
        tally_step(world, dt, &tally);
    }
    // Ground and first, ground and third, first and second, first and third at a gap of nothing;
    // second and third meet along an edge only.
    CHECK(tally.count[CN_EVENT_CONTACT_BEGIN] == 4 || tally.count[CN_EVENT_CONTACT_BEGIN] == 5);
    CHECK_INT(tally.count[CN_EVENT_CONTACT_END], 0);
    CHECK_INT(tally.count[CN_EVENT_CONTACT_HIT], 0);
    cn_world_destroy(world);
}

// Down a slope, past its friction angle, over a thousand steps: one touch.
static void a_sliding_box_does_not_flicker(void) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = cn_vec3(g * sin(0.5), 0.0, -g * cos(0.5));
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.3, 0.5);
    CnShapeDef box = cn_shape_def_default(CN_SHAPE_BOX);
    CnBodyDef body = cn_body_def_default();
    body.shapes = &box;
    body.shape_count = 1;
    body.material = material;
    body.position.z = 0.5;
    run_add_ground(world, material);
    CnBodyId id = run_add(world, &body);
    Tally tally = {0};
    for (int i = 0; i < 1000; ++i) {
        tally_step(world, dt, &tally);
    }
    CHECK(run_state(world, id).velocity.x > 2.0); // g (sin - 0.3 cos) t
    CHECK_INT(tally.count[CN_EVENT_CONTACT_BEGIN], 1);
    CHECK_INT(tally.count[CN_EVENT_CONTACT_END], 0);
    CHECK_INT(tally.count[CN_EVENT_CONTACT_HIT], 0);
    cn_world_destroy(world);
}

// Balls that fall on each other through a sensor, in substeps.
static uint64_t hash_of_events(const CnTasks* tasks, int* total) {
    CnWorldDef def = cn_world_def_default();
    def.step.substeps = 2;
    if (tasks != NULL) {
        def.tasks = *tasks;
    }
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.4, 0.4);
    CnRandom random = {17};
    run_add_ground(world, material);
    CnShapeDef slab = cn_shape_def_default(CN_SHAPE_BOX);
    slab.size = cn_vec3(20.0, 20.0, 0.3);
    slab.sensor = true;
    CnBodyDef gate = cn_body_def_default();
    gate.type = CN_BODY_KINEMATIC;
    gate.shapes = &slab;
    gate.shape_count = 1;
    gate.position.z = 1.0;
    run_add(world, &gate);
    for (int i = 0; i < 60; ++i) {
        double x = cn_random_between(&random, -0.1, 0.1);
        double y = cn_random_between(&random, -0.1, 0.1);
        CnVec3 position = cn_vec3(2.0 * (i % 4) + x, 2.0 * (i / 4 % 4) + y, 0.5 + 0.5 * (i / 16));
        run_add_ball(world, 1.0, 0.2, position, cn_vec3(0.0, 0.0, -2.0), material);
    }
    uint64_t hash = CN_HASH_SEED;
    *total = 0;
    for (int step = 0; step < 100; ++step) {
        CnEvent events[CAPACITY];
        CHECK_INT(cn_world_step(world, 5e-3, NULL, NULL), CN_OK);
        int count = cn_world_events(world, events, CAPACITY);
        CHECK(count <= CAPACITY);
        for (int i = 0; i < count; ++i) {
            const CnEvent* e = &events[i];
            const double numbers[] = {e->time,     e->point.x,  e->point.y, e->point.z, e->normal.x,
                                      e->normal.y, e->normal.z, e->speed,   e->impulse};
            const uint32_t ids[] = {(uint32_t)e->type, e->body_a.index, e->body_b.index,
                                    e->shape_a.index, e->shape_b.index};
            hash = cn_hash_bytes(hash, numbers, sizeof numbers);
            hash = cn_hash_bytes(hash, ids, sizeof ids);
        }
        *total += count;
    }
    cn_world_destroy(world);
    return hash;
}

static void events_are_the_same_bits_with_any_number_of_workers(void) {
    int total, other;
    uint64_t serial = hash_of_events(NULL, &total);
    CHECK(total > 200);
    const int threads[] = {1, 2, 4};
    for (int i = 0; i < 3; ++i) {
        CnTaskPool* pool = cn_task_pool_create(threads[i], NULL);
        CnTasks tasks = cn_task_pool_tasks(pool);
        ck_assert_msg(hash_of_events(&tasks, &other) == serial, "%d threads", threads[i]);
        CHECK_INT(other, total);
        cn_task_pool_destroy(pool);
    }
}

TEST_MAIN("physics/contact/events", TEST(a_bouncing_ball_hits_when_and_as_fast_as_newton_says),
          TEST(a_dead_fall_is_one_hit), TEST(a_ball_falls_through_a_sensor_at_the_computed_times),
          TEST(a_box_at_rest_begins_once_and_never_ends), TEST(a_sliding_box_does_not_flicker),
          TEST(events_are_the_same_bits_with_any_number_of_workers))

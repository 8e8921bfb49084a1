// test_soft_changes.c - scheme soft_step: what it keeps from step to step shows in no bit.
//
// A heap is changed at random between its steps: bodies come and go, wake and sleep, change their
// type, surface, filter and damping, are solved exactly, get contacts by hand, and steps fail. A
// second world goes through the same and is replaced by its clone now and then, which knows nothing
// of tiles and calm pairs: events and states of the two must be the same. The first one is stepped
// by three workers, the second one by one.
#include "cairn/event.h"
#include "cairn/random.h"
#include "cairn/state.h"
#include "support/run.h"

#define DT (1.0 / 60.0)
#define STEPS 240
#define SEEDS (UNDER_SANITIZER ? 4 : 16)
#define MOST_EVENTS 2000
#define MOST_GIVEN 32

typedef struct Heap {
    CnWorld* world;
    CnMaterialId materials[3];
    CnContactId given[MOST_GIVEN];
    int given_count;
    bool admits; // what the filter says of a third of the bodies
} Heap;

// One change, drawn before it is made in both worlds.
typedef struct Draw {
    int body; // its place among the bodies; never the ground
    int third;
    double x, y; // [m]
} Draw;

static int pick(CnRandom* random, int count) {
    return (int)cn_random_between(random, 0.0, count - 1e-9);
}

static bool admit(const CnWorld* world, const CnContactPoint* point, void* data) {
    const Heap* heap = data;
    (void)world;
    return point->body_b.index % 3 != 0 || heap->admits;
}

static void add_ball(Heap* heap, const Draw* draw) {
    run_add_ball(heap->world, 5.0, 0.1, cn_vec3(draw->x, draw->y, 1.5), cn_vec3(0.0, 0.0, -2.0),
                 heap->materials[draw->third]);
}

static CnBodyId body_of(const Heap* heap, const Draw* draw) {
    return cn_world_body_at(heap->world, draw->body);
}

static void remove_body(Heap* heap, const Draw* draw) {
    if (cn_world_body_count(heap->world) > 12) {
        cn_world_remove_body(heap->world, body_of(heap, draw));
    }
}

static CnShapeId shape_of(const Heap* heap, const Draw* draw) {
    CnShapeId shape;
    CHECK_INT(cn_body_shapes(heap->world, body_of(heap, draw), &shape, 1), 1);
    return shape;
}

static void set_material(Heap* heap, const Draw* draw) {
    cn_shape_set_material(heap->world, shape_of(heap, draw), heap->materials[draw->third], NULL);
}

static void set_filter(Heap* heap, const Draw* draw) {
    uint32_t mask = draw->third == 0 ? 0 : UINT32_MAX;
    cn_shape_set_filter(heap->world, shape_of(heap, draw), 1, mask, 0, NULL);
}

static void change_mind(Heap* heap, const Draw* draw) {
    (void)draw;
    heap->admits = !heap->admits;
}

static void add_given(Heap* heap, const Draw* draw) {
    CnContactDef def = cn_contact_def_default();
    int other = 1 + draw->body % (cn_world_body_count(heap->world) - 1);
    def.body_b = body_of(heap, draw);
    def.body_a = draw->third == 0 ? (CnBodyId){0} : cn_world_body_at(heap->world, other);
    def.point = run_state(heap->world, def.body_b).center;
    def.normal = cn_vec3(0.0, 0.0, 1.0);
    def.gap = 0.02;
    def.material_a = def.material_b = heap->materials[draw->third];
    if (heap->given_count < MOST_GIVEN && def.body_a.index != def.body_b.index) {
        heap->given[heap->given_count++] = cn_world_add_contact(heap->world, &def, NULL);
    }
}

static void remove_given(Heap* heap, const Draw* draw) { // or one that is gone, or none
    cn_world_remove_contact(heap->world, heap->given[draw->body % MOST_GIVEN]);
}

static void set_exact(Heap* heap, const Draw* draw) {
    cn_body_set_exact(heap->world, body_of(heap, draw), draw->third == 0, NULL);
}

static void set_awake(Heap* heap, const Draw* draw) {
    cn_body_set_awake(heap->world, body_of(heap, draw), draw->third != 0, NULL);
}

static void set_type(Heap* heap, const Draw* draw) {
    CnBodyType type = draw->third == 0 ? CN_BODY_KINEMATIC : CN_BODY_DYNAMIC;
    cn_body_set_type(heap->world, body_of(heap, draw), type, NULL);
}

static void set_enabled(Heap* heap, const Draw* draw) {
    cn_body_set_enabled(heap->world, body_of(heap, draw), draw->third != 0, NULL);
}

static void set_damping(Heap* heap, const Draw* draw) {
    cn_body_set_damping(heap->world, body_of(heap, draw), draw->third == 0 ? 3.0 : 0.0,
                        draw->third == 1 ? 2.0 : 0.0, NULL);
}

static void lift(Heap* heap, const Draw* draw) {
    CnBodyState state = run_state(heap->world, body_of(heap, draw));
    state.center.z += 0.05;
    cn_body_set_state(heap->world, body_of(heap, draw), &state, NULL);
}

static void push(Heap* heap, const Draw* draw) {
    CnBodyId body = body_of(heap, draw);
    cn_body_apply_impulse(heap->world, body, cn_vec3(8.0 * draw->x, 8.0 * draw->y, 8.0),
                          run_state(heap->world, body).center, NULL);
}

// Too fast at the end of the step, unless nothing moves the body.
static void fail_step(Heap* heap, const Draw* draw) {
    CnBodyId body = body_of(heap, draw);
    CnVec3 impulse = cn_vec3(1e9, 0.0, 0.0), at = run_state(heap->world, body).center;
    cn_body_apply_impulse(heap->world, body, impulse, at, NULL);
    cn_world_step(heap->world, DT, NULL, NULL);
    cn_body_apply_impulse(heap->world, body, cn_vec3_negate(impulse), at, NULL);
}

static void (*const changes[])(Heap*, const Draw*) = {
    add_ball,    remove_body,  set_material, set_filter, change_mind,
    add_given,   remove_given, set_exact,    set_awake,  set_type,
    set_enabled, set_damping,  lift,         push,       fail_step,
};
#define CHANGES ((int)(sizeof changes / sizeof changes[0]))

#define WORKERS 3

// Each worker in its turn does one piece, however small: in a heap of this size no worker but one
// would get any work otherwise.
static void deal_out(int count, int grain, CnRangeFunction* body, void* data, void* context) {
    (void)grain;
    (void)context;
    for (int i = 0; i < count; ++i) {
        body(i, i + 1, i % WORKERS, data);
    }
}

// By seed with sleep, a filter, or friction of single points.
static void create(Heap* heap, int seed, bool deals_out) {
    CnWorldDef def = cn_world_def_default();
    def.tasks =
        deals_out ? (CnTasks){.parallel_for = deal_out, .worker_count = WORKERS} : (CnTasks){0};
    CnRandom random = {.state = (uint64_t)seed};
    def.step.scheme = CN_SCHEME_SOFT_STEP;
    def.step.contact_margin = 5e-3;
    def.step.sleep = seed % 2 == 0;
    def.step.soft.friction_per_point = seed % 5 == 3;
    def.contact_hooks.filter = seed % 4 == 1 ? admit : NULL;
    def.contact_hooks.data = heap;
    *heap = (Heap){.world = run_create(&def), .admits = true};
    for (int i = 0; i < 3; ++i) {
        heap->materials[i] = run_add_material(heap->world, 0.1 + 0.4 * i, i == 1 ? 0.3 : 0.0);
    }
    run_add_ground(heap->world, heap->materials[0]);
    for (int i = 0; i < 25; ++i) {
        double x = cn_random_between(&random, -0.4, 0.4), y = cn_random_between(&random, -0.4, 0.4);
        CnVec3 at = cn_vec3(x, y, 0.12 + 0.22 * (i / 4)), side = cn_vec3(0.2, 0.2, 0.2);
        if (i % 2 == 0) {
            run_add_ball(heap->world, 5.0, 0.1, at, cn_vec3(0.0, 0.0, 0.0), heap->materials[i % 3]);
        } else {
            run_add_box(heap->world, CN_BODY_DYNAMIC, side, at, heap->materials[i % 3]);
        }
    }
}

// Returns how many events they have, or -1 where they differ.
static int compare_events(const CnWorld* a, const CnWorld* b) {
    static CnEvent events[2][MOST_EVENTS];
    int count = cn_world_events(a, events[0], MOST_EVENTS);
    bool same = cn_world_events(b, events[1], MOST_EVENTS) == count && count <= MOST_EVENTS;
    for (int i = 0; same && i < count; ++i) {
        same = run_is_same_event(&events[0][i], &events[1][i]);
    }
    return same ? count : -1;
}

static void change_both(Heap heaps[2], CnRandom* random) {
    int change = pick(random, CHANGES), count = cn_world_body_count(heaps[0].world);
    Draw draw = {.body = 1 + pick(random, count - 1), .third = pick(random, 3)};
    draw.x = cn_random_between(random, -0.4, 0.4);
    draw.y = cn_random_between(random, -0.4, 0.4);
    for (int i = 0; i < 2; ++i) {
        changes[change](&heaps[i], &draw);
    }
}

static int run_seed(int seed) {
    Heap heaps[2];
    CnRandom random = {.state = 1000u + (uint64_t)seed};
    int events = 0, found = 0;
    create(&heaps[0], seed, true);
    create(&heaps[1], seed, false);
    for (int i = 0; found >= 0 && i < STEPS; ++i) {
        if (pick(&random, 3) == 0) {
            change_both(heaps, &random);
        }
        double dt = pick(&random, 12) == 0 ? 0.5 * DT : DT;
        CnStatus status = cn_world_step(heaps[0].world, dt, NULL, NULL);
        CHECK_INT(cn_world_step(heaps[1].world, dt, NULL, NULL), status);
        found = compare_events(heaps[0].world, heaps[1].world);
        events += found;
        CHECK(found >= 0);
        CHECK(cn_world_hash(heaps[0].world) == cn_world_hash(heaps[1].world));
        if (pick(&random, 2) == 0) {
            CnWorld* clone = cn_world_clone(heaps[1].world, NULL, NULL);
            cn_world_destroy(heaps[1].world);
            heaps[1].world = clone;
        }
    }
    cn_world_destroy(heaps[0].world);
    cn_world_destroy(heaps[1].world);
    return events;
}

static void a_heap_goes_on_like_its_clones(void) {
    int events = 0;
    for (int seed = 1; seed <= SEEDS; ++seed) {
        events += run_seed(seed);
    }
    CHECK(events > 100 * SEEDS); // contacts do come and go
}

TEST_MAIN("physics/contact/soft_changes", TEST(a_heap_goes_on_like_its_clones))

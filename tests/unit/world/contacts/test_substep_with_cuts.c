// test_substep_with_cuts.c - steps that are cut: their impacts, events, reports and memory.
#include "cairn/event.h"
#include "support/failing_allocator.h"
#include "support/run.h"

static const CnVec3 zero = {0.0, 0.0, 0.0};
#define SPEED 500.0  // [m/s]
#define RADIUS 0.005 // [m]
#define MASS 0.004   // [kg]
#define TOUCH 5e-6   // a two hundredth of the contact margin [m]

static CnBodyDef bullet_def(CnShapeDef* sphere, CnVec3 position, CnMaterialId material) {
    double moment = 0.4 * MASS * RADIUS * RADIUS;
    *sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    sphere->radius = RADIUS;
    CnBodyDef def = run_body(MASS, cn_vec3(moment, moment, moment), position);
    def.shapes = sphere;
    def.shape_count = 1;
    def.velocity = cn_vec3(SPEED, 0.0, 0.0);
    def.material = material;
    def.fast = true;
    return def;
}

static CnBodyId add_bullet(CnWorld* world, CnVec3 position, CnMaterialId material) {
    CnShapeDef sphere;
    CnBodyDef def = bullet_def(&sphere, position, material);
    return run_add(world, &def);
}

static CnBodyDef door_def(CnShapeDef* box, CnBodyType type, CnMaterialId material) {
    *box = cn_shape_def_default(CN_SHAPE_BOX);
    box->size = cn_vec3(0.001, 1.0, 0.2);
    CnBodyDef def = run_body(2.0, cn_vec3(0.2, 0.01, 0.2), zero);
    def.type = type;
    def.shapes = box;
    def.shape_count = 1;
    def.material = material;
    return def;
}

// A door of 2 kg, 0.2 kg m^2 about z, that hangs on a pin at y = -0.5 and is hit at y = 0.3. About
// the pin it has 0.2 + 2 * 0.25 = 0.7 kg m^2, which 0.8 m from it count as 0.7 / 0.64 kg.
static void a_door_on_a_pin_is_hit_as_hard_as_it_is_heavy_there(void) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = zero;
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.0, 1.0);
    CnShapeDef box;
    CnBodyDef body = door_def(&box, CN_BODY_DYNAMIC, material);
    CnBodyId door = run_add(world, &body);
    CnBodyId bullet = add_bullet(world, cn_vec3(-3.0, 0.3, 0.0), material);
    CnPinData pin = {cn_vec3(0.0, -0.5, 0.0), cn_vec3(0.0, -0.5, 0.0)};
    run_add_constraint(world, cn_pin_kind(), door, (CnBodyId){0}, &pin, sizeof pin);
    CnStepReport report = run_step(world, 1.0 / 120.0);
    double heavy = 0.7 / 0.64;
    double expected = SPEED * (MASS - heavy) / (MASS + heavy);
    double driven = SPEED * 2.0 * MASS / (MASS + heavy); // of the point that was hit
    CHECK_INT(report.impacts, 1);
    CHECK_NEAR(run_state(world, bullet).velocity.x, expected, 1e-8); // solver 1e-8
    CHECK_NEAR(run_state(world, door).angular_velocity.z, -driven / 0.8, 1e-7);
    CHECK_NEAR(report.joint_error, 0.0, 1e-10);
    cn_world_destroy(world);
}

static void a_cut_impact_is_an_event_at_its_time(void) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = zero;
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.0, 0.5);
    CnShapeDef box;
    CnBodyDef body = door_def(&box, CN_BODY_STATIC, material);
    run_add(world, &body);
    add_bullet(world, cn_vec3(-3.0, 0.0, 0.0), material);
    run_step(world, 1.0 / 60.0);
    CnEvent events[4];
    int hits = 0, count = cn_world_events(world, events, 4);
    for (int i = 0; i < count && i < 4; ++i) {
        if (events[i].type == CN_EVENT_CONTACT_HIT) {
            ++hits;
            CHECK_NEAR(events[i].time, (3.0 - 0.0005 - RADIUS - TOUCH) / SPEED, 1e-11);
            CHECK_NEAR(events[i].speed, SPEED, 1e-9);
            CHECK_NEAR(events[i].impulse, 1.5 * MASS * SPEED, 1e-9);
        }
    }
    CHECK_INT(hits, 1);
    cn_world_destroy(world);
}

static bool populate(CnWorld* world) {
    CnError error;
    CnShapeDef box, sphere;
    CnMaterialDef elastic = cn_material_def_default();
    elastic.restitution = 1.0;
    CnMaterialId material = cn_world_add_material(world, &elastic, &error);
    CnBodyDef door = door_def(&box, CN_BODY_DYNAMIC, material);
    CnBodyDef bullet = bullet_def(&sphere, cn_vec3(-1.0, 0.0, 0.0), material);
    return material.index != 0 && cn_world_add_body(world, &door, &error).index != 0 &&
           cn_world_add_body(world, &bullet, &error).index != 0;
}

// One cut is made, then bodies are held back, so that every stage asks for its memory.
static void cuts_survive_a_refusal_at_every_request(void) {
    bool finished = false;
    for (int refuse_at = 1; !finished; ++refuse_at) {
        FailingAllocator memory = {.refuse_at = refuse_at};
        CnWorldDef def = cn_world_def_default();
        def.allocator = failing_allocator(&memory);
        def.step.max_impacts = 1;
        CnError error = {0};
        CnWorld* world = cn_world_create(&def, &error);
        if (world != NULL && populate(world)) {
            uint64_t hash = cn_world_hash(world);
            CnStatus status = cn_world_step(world, 1.0 / 60.0, NULL, &error);
            CHECK(status == CN_OK || status == CN_NO_MEMORY);
            CHECK((status == CN_OK) == (cn_world_hash(world) != hash));
            CHECK(status == CN_OK || error.message[0] != '\0');
            finished = memory.requests < refuse_at;
        }
        cn_world_destroy(world);
        CHECK_INT(memory.live, 0);
        CHECK(refuse_at < 2000);
    }
}

// A bullet to and fro between two walls: cut in every step.
static void steps_that_are_cut_ask_for_no_memory_after_the_first_ones(void) {
    FailingAllocator memory = {0};
    CnWorldDef def = cn_world_def_default();
    def.gravity = zero;
    def.allocator = failing_allocator(&memory);
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.0, 1.0);
    for (int i = 0; i < 2; ++i) {
        CnShapeDef box;
        CnBodyDef wall = door_def(&box, CN_BODY_STATIC, material);
        wall.position = cn_vec3(i == 0 ? -1.0 : 1.0, 0.0, 0.0);
        run_add(world, &wall);
    }
    add_bullet(world, zero, material);
    int cuts = 0;
    for (int i = 0; i < 30; ++i) {
        run_step(world, 1.0 / 60.0);
    }
    int requests = memory.requests;
    for (int i = 0; i < 50; ++i) {
        cuts += run_step(world, 1.0 / 60.0).impacts;
    }
    CHECK(cuts >= 150); // 8.3 m a step, 2 m from wall to wall
    CHECK_INT(memory.requests, requests);
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/contacts/substep_with_cuts",
          TEST(a_door_on_a_pin_is_hit_as_hard_as_it_is_heavy_there),
          TEST(a_cut_impact_is_an_event_at_its_time), TEST(cuts_survive_a_refusal_at_every_request),
          TEST(steps_that_are_cut_ask_for_no_memory_after_the_first_ones))

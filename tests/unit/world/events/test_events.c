// test_events.c - who begins to touch, who parts, who is in a sensor: all of it, once, in order.
#include "cairn/event.h"
#include "support/failing_allocator.h"
#include "support/run.h"

static const CnVec3 zero = {0.0, 0.0, 0.0};
static const CnMaterialId no_material = {0};

#define CAPACITY 64

static CnWorld* create_weightless(void) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = zero;
    return run_create(&def);
}

// A static sensor, a ball of radius 0.5 at a place.
static CnBodyId add_sensor(CnWorld* world, CnVec3 position) {
    CnShapeDef shape = cn_shape_def_default(CN_SHAPE_SPHERE);
    shape.sensor = true;
    CnBodyDef def = cn_body_def_default();
    def.type = CN_BODY_STATIC;
    def.position = position;
    def.shapes = &shape;
    def.shape_count = 1;
    return run_add(world, &def);
}

static CnBodyId add_ball(CnWorld* world, double x, double vx) {
    return run_add_ball(world, 1.0, 0.5, cn_vec3(x, 0.0, 0.0), cn_vec3(vx, 0.0, 0.0), no_material);
}

static bool is_same(CnBodyId a, CnBodyId b) {
    return a.index == b.index && a.generation == b.generation;
}

static bool is_same_shape(CnShapeId a, CnShapeId b) {
    return a.index == b.index && a.generation == b.generation;
}

static CnShapeId shape_of(const CnWorld* world, CnBodyId body, int number) {
    CnShapeId shapes[4];
    CHECK(cn_body_shapes(world, body, shapes, 4) > number);
    return shapes[number];
}

// Steps and counts the events of one type.
static int step_and_count(CnWorld* world, CnEventType type) {
    CnEvent events[CAPACITY];
    run_step(world, 1e-3);
    int all = cn_world_events(world, events, CAPACITY), count = 0;
    CHECK(all <= CAPACITY);
    for (int i = 0; i < all; ++i) {
        count += events[i].type == type;
    }
    return count;
}

static void move_to(CnWorld* world, CnBodyId body, double x) {
    CnBodyState state = run_state(world, body);
    state.center = cn_vec3(x, 0.0, 0.0);
    state.velocity = zero;
    CHECK_INT(cn_body_set_state(world, body, &state, NULL), CN_OK);
}

static void a_world_that_has_not_stepped_has_no_events(void) {
    CnWorld* world = create_weightless();
    add_ball(world, 0.0, 0.0);
    add_ball(world, 0.5, 0.0);
    CHECK_INT(cn_world_events(world, NULL, 0), 0);
    cn_world_destroy(world);
}

static void what_is_moved_apart_or_removed_ends(void) {
    CnWorld* world = create_weightless();
    CnBodyId a = add_ball(world, 0.0, 0.0), b = add_ball(world, 0.999, 0.0);
    CHECK_INT(step_and_count(world, CN_EVENT_CONTACT_BEGIN), 1);
    CHECK_INT(step_and_count(world, CN_EVENT_CONTACT_BEGIN), 0);
    move_to(world, b, 3.0);
    CHECK_INT(step_and_count(world, CN_EVENT_CONTACT_END), 1);
    move_to(world, b, 0.9);
    CHECK_INT(step_and_count(world, CN_EVENT_CONTACT_BEGIN), 1);
    CnShapeId shape_a = shape_of(world, a, 0);
    CHECK_INT(cn_world_remove_body(world, a), CN_OK);
    CHECK_INT(cn_world_events(world, NULL, 0), 1); // still those of the last step
    run_step(world, 1e-3);
    CnEvent end;
    CHECK_INT(cn_world_events(world, &end, 1), 1);
    CHECK_INT(end.type, CN_EVENT_CONTACT_END);
    CHECK(is_same(end.body_a, a) && is_same(end.body_b, b)); // a is stale by now
    CHECK_INT(cn_body_state(world, end.body_a, &(CnBodyState){0}), CN_STALE);
    CHECK(is_same_shape(end.shape_a, shape_a)); // stale too
    CHECK(is_same_shape(end.shape_b, shape_of(world, b, 0)));
    CHECK_INT(cn_shape_read(world, end.shape_a, &(CnShapeInfo){0}), CN_STALE);
    run_step(world, 1e-3);
    CHECK_INT(cn_world_events(world, NULL, 0), 0);
    cn_world_destroy(world);
}

// The slot of a removed body is used again; the new one is another body.
static void a_body_in_the_place_of_another_begins_anew(void) {
    CnWorld* world = create_weightless();
    add_ball(world, 0.0, 0.0);
    CnBodyId b = add_ball(world, 0.999, 0.0);
    CHECK_INT(step_and_count(world, CN_EVENT_CONTACT_BEGIN), 1);
    CHECK_INT(cn_world_remove_body(world, b), CN_OK);
    CnBodyId c = add_ball(world, 0.999, 0.0);
    CHECK_INT(c.index, b.index);
    run_step(world, 1e-3);
    CnEvent events[2];
    CHECK_INT(cn_world_events(world, events, 2), 2);
    CHECK_INT(events[0].type, CN_EVENT_CONTACT_BEGIN);
    CHECK_INT(events[1].type, CN_EVENT_CONTACT_END);
    CHECK(is_same(events[0].body_b, c) && is_same(events[1].body_b, b));
    cn_world_destroy(world);
}

// A row of five balls that overlap by 1 mm: four begins. With room for two, two are written.
static void the_count_is_all_and_no_more_than_capacity_is_written(void) {
    CnWorld* world = create_weightless();
    CnBodyId ball[5];
    for (int i = 0; i < 5; ++i) {
        ball[i] = add_ball(world, 0.999 * i, 0.0);
    }
    run_step(world, 1e-3);
    CnEvent events[3] = {[2].time = -7.0};
    CHECK_INT(cn_world_events(world, events, 2), 4);
    CHECK(events[2].time == -7.0);
    for (int i = 0; i < 2; ++i) {
        CHECK_INT(events[i].type, CN_EVENT_CONTACT_BEGIN);
        CHECK(is_same(events[i].body_a, ball[i]) && is_same(events[i].body_b, ball[i + 1]));
        CHECK_NEAR(events[i].normal.x, 1.0, 1e-14);
        CHECK_NEAR(events[i].point.x, 0.999 * i + 0.4995, 1e-3); // in the overlap
        CHECK(events[i].speed == 0.0 && events[i].impulse == 0.0);
    }
    cn_world_destroy(world);
}

// Bodies were added, removed and added again: a shape that takes a free number comes where the old
// one came.
static void events_are_sorted_by_type_and_then_by_shapes(void) {
    CnWorld* world = create_weightless();
    CnBodyId gone = add_ball(world, 40.0, 0.0);
    CnBodyId near = add_ball(world, 0.0, 0.0), sensor = add_sensor(world, zero);
    CHECK_INT(cn_world_remove_body(world, gone), CN_OK);
    CnBodyId late = add_ball(world, 0.999, 0.0); // in the slot of the first
    CHECK(late.index < near.index);
    CnBodyId last = add_ball(world, -0.999, 0.0);
    run_step(world, 1e-3);
    CnEvent events[CAPACITY];
    CHECK_INT(cn_world_events(world, events, CAPACITY), 5);
    const CnBodyId expected[5][2] = {
        {late, near}, {near, last}, {sensor, late}, {sensor, near}, {sensor, last}};
    for (int i = 0; i < 5; ++i) {
        CHECK_INT(events[i].type, i < 2 ? CN_EVENT_CONTACT_BEGIN : CN_EVENT_SENSOR_BEGIN);
        CHECK(is_same(events[i].body_a, expected[i][0]));
        CHECK(is_same(events[i].body_b, expected[i][1]));
    }
    cn_world_destroy(world);
}

// Every contact given by hand counts by itself and says which it is.
static void contacts_given_by_hand_have_events_of_their_own(void) {
    CnWorldDef world_def = cn_world_def_default();
    CnWorld* world = run_create(&world_def);
    CnBodyDef block = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), cn_vec3(0.0, 0.0, 0.5));
    CnBodyId id = run_add(world, &block);
    CnContactId feet[3];
    for (int i = 0; i < 3; ++i) {
        CnContactDef def = cn_contact_def_default();
        def.body_b = id;
        def.point = cn_vec3(cos(2.0 * i), sin(2.0 * i), 0.0);
        feet[i] = cn_world_add_contact(world, &def, NULL);
        CHECK(feet[i].index != 0);
    }
    run_step(world, 1e-3);
    CnEvent events[CAPACITY];
    CHECK_INT(cn_world_events(world, events, CAPACITY), 3);
    for (int i = 0; i < 3; ++i) {
        CHECK_INT(events[i].type, CN_EVENT_CONTACT_BEGIN);
        CHECK_INT(events[i].contact.index, feet[i].index);
        CHECK(events[i].body_a.index == 0 && is_same(events[i].body_b, id));
        CHECK(events[i].shape_a.index == 0 && events[i].shape_b.index == 0);
    }
    CHECK_INT(cn_world_remove_contact(world, feet[1]), CN_OK);
    run_step(world, 1e-3); // on two feet it begins to tip, but does not leave them
    CHECK_INT(cn_world_events(world, events, CAPACITY), 1);
    CHECK_INT(events[0].type, CN_EVENT_CONTACT_END);
    CHECK_INT(events[0].contact.index, feet[1].index);
    CHECK_INT(events[0].contact.generation, feet[1].generation);
    cn_world_destroy(world);
}

// Through a window of 1 mm at 1 m/s: in and out again within one step of 5 ms, cut into 10.
static void events_of_all_substeps_are_there(void) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = zero;
    def.step.substeps = 10;
    CnWorld* world = run_create(&def);
    CnShapeDef thin = cn_shape_def_default(CN_SHAPE_BOX);
    thin.size = cn_vec3(1e-3, 1.0, 1.0);
    thin.sensor = true;
    CnBodyDef window = cn_body_def_default();
    window.type = CN_BODY_STATIC;
    window.shapes = &thin;
    window.shape_count = 1;
    CnBodyId id = run_add(world, &window);
    run_add_ball(world, 1.0, 1e-4, cn_vec3(-1.7e-3, 0.0, 0.0), cn_vec3(1.0, 0.0, 0.0), no_material);
    run_step(world, 5e-3);
    CnEvent events[CAPACITY];
    CHECK_INT(cn_world_events(world, events, CAPACITY), 2);
    // Its front arrives after 1.1 ms, its back leaves after 2.3 ms; substeps end every 0.5 ms.
    CHECK_INT(events[0].type, CN_EVENT_SENSOR_BEGIN);
    CHECK_NEAR(events[0].time, 1.5e-3, 1e-12);
    CHECK_INT(events[1].type, CN_EVENT_SENSOR_END);
    CHECK_NEAR(events[1].time, 2.5e-3, 1e-12);
    CHECK_INT(cn_world_sensor_overlaps(world, shape_of(world, id, 0), NULL, 0), 0);
    cn_world_destroy(world);
}

// The step fails because it is refused the memory for all that was added since the last one.
static void a_failed_step_leaves_the_events_of_the_last_good_one(void) {
    FailingAllocator memory = {0};
    CnWorldDef def = cn_world_def_default();
    def.gravity = zero;
    def.allocator = failing_allocator(&memory);
    CnWorld* world = run_create(&def);
    add_ball(world, 0.0, 0.0);
    add_ball(world, 0.999, 0.0);
    CHECK_INT(step_and_count(world, CN_EVENT_CONTACT_BEGIN), 1);
    for (int i = 0; i < 40; ++i) {
        add_ball(world, 2.0 + 0.999 * i, 0.0);
    }
    int failures = 0;
    for (int more = 1; more < 1000; ++more) { // at a later request each time
        memory.refuse_at = memory.requests + more;
        if (cn_world_step(world, 1e-3, NULL, NULL) == CN_OK) {
            break;
        }
        ++failures;
        CnEvent event;
        CHECK_INT(cn_world_events(world, &event, 1), 1);
        CHECK_INT(event.type, CN_EVENT_CONTACT_BEGIN);
        CHECK_NEAR(event.time, 1e-3, 0.0);
    }
    CHECK(failures > 5);
    CHECK_INT(cn_world_events(world, NULL, 0), 39); // begins of the others; the first two go on
    cn_world_destroy(world);
}

static void a_sensor_touches_nothing_and_has_no_mass(void) {
    CnWorld* world = create_weightless();
    CnShapeDef shapes[2] = {cn_shape_def_default(CN_SHAPE_SPHERE),
                            cn_shape_def_default(CN_SHAPE_BOX)};
    shapes[1].sensor = true;
    shapes[1].position.x = 2.0;
    CnBodyDef def = cn_body_def_default();
    def.shapes = &shapes[1];
    def.shape_count = 1;
    CnError error = {0};
    CHECK(cn_world_add_body(world, &def, &error).index == 0);
    CHECK_CONTAINS(error.message, "needs a shape with volume");
    def.shapes = shapes;
    def.shape_count = 2;
    CnMassProperties mass;
    CnBodyId id = run_add(world, &def);
    CHECK_INT(cn_body_mass_properties(world, id, &mass), CN_OK);
    CHECK_NEAR(mass.center.x, 0.0, 0.0);
    CHECK_NEAR(mass.mass, 1000.0 * 4.0 / 3.0 * CN_PI * 0.125, 1e-10);
    add_ball(world, 2.2, 0.0);
    CHECK_INT(run_step(world, 1e-3).contact_count, 0);
    CHECK_INT(cn_world_find_contacts(world, NULL, 0), 0);
    cn_world_destroy(world);
}

// Sensors see what moves, and what does not if they move themselves; never each other, never
// another shape of their own body, never what the filters keep apart. Exclusions are about
// touching.
static void sensors_see_what_the_filters_let_them(void) {
    CnWorld* world = create_weightless();
    CnShapeDef shapes[2] = {cn_shape_def_default(CN_SHAPE_SPHERE),
                            cn_shape_def_default(CN_SHAPE_SPHERE)};
    shapes[1].sensor = true;
    CnBodyDef def = cn_body_def_default();
    def.shapes = shapes;
    def.type = CN_BODY_STATIC;
    def.shape_count = 1;
    CnBodyId wall = run_add(world, &def);
    CnBodyId still = add_sensor(world, zero);
    def.type = CN_BODY_KINEMATIC;
    def.shape_count = 2;
    CnBodyId carrier = run_add(world, &def);
    shapes[0].category = 2;
    shapes[0].mask = 2;
    def.type = CN_BODY_DYNAMIC;
    def.shape_count = 1;
    run_add(world, &def); // a stranger to all
    CHECK_INT(cn_world_exclude_pair(world, wall, carrier, NULL), CN_OK);
    run_step(world, 1e-3);
    CnBodyId inside[4];
    CHECK_INT(cn_world_sensor_overlaps(world, shape_of(world, still, 0), inside, 4), 1);
    CHECK(is_same(inside[0], carrier));
    CHECK_INT(cn_world_sensor_overlaps(world, shape_of(world, carrier, 1), inside, 4), 1);
    CHECK(is_same(inside[0], wall));
    CnShapeId solid = shape_of(world, carrier, 0), sensor = shape_of(world, carrier, 1);
    CHECK_INT(cn_world_sensor_overlaps(world, solid, inside, 4), -1); // not a sensor
    CHECK_INT(cn_world_sensor_overlaps(world, (CnShapeId){0}, inside, 4), -1);
    CHECK_INT(cn_shape_remove(world, sensor, NULL), CN_OK);
    CHECK_INT(cn_world_sensor_overlaps(world, sensor, inside, 4), -1);
    cn_world_destroy(world);
}

// A body with two shapes in the sensor is one body in it, and two events.
static void overlaps_name_bodies_once_and_leave_out_removed_ones(void) {
    CnWorld* world = create_weightless();
    CnBodyId a = add_ball(world, 0.9, 0.0);
    CnBodyId sensor = add_sensor(world, zero);
    CnShapeDef pair[2] = {cn_shape_def_default(CN_SHAPE_SPHERE),
                          cn_shape_def_default(CN_SHAPE_SPHERE)};
    pair[1].position.y = 0.5;
    CnBodyDef def = cn_body_def_default();
    def.shapes = pair;
    def.shape_count = 2;
    def.position.x = -0.8;
    CnBodyId b = run_add(world, &def);
    CHECK_INT(step_and_count(world, CN_EVENT_SENSOR_BEGIN), 3);
    CnBodyId inside[2] = {{0}};
    CHECK_INT(cn_world_sensor_overlaps(world, shape_of(world, sensor, 0), inside, 1), 2);
    CHECK(is_same(inside[0], a) && inside[1].index == 0);
    CHECK_INT(cn_world_remove_body(world, a), CN_OK);
    CHECK_INT(cn_world_sensor_overlaps(world, shape_of(world, sensor, 0), inside, 2), 1);
    CHECK(is_same(inside[0], b));
    CHECK_INT(step_and_count(world, CN_EVENT_SENSOR_END), 1);
    CHECK_INT(cn_world_remove_body(world, sensor), CN_OK);
    CHECK_INT(step_and_count(world, CN_EVENT_SENSOR_END), 2);
    cn_world_destroy(world);
}

// Smooth motion has sensors too.
static void the_scheme_acceleration_sees_sensors(void) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = zero;
    def.step.scheme = CN_SCHEME_ACCELERATION;
    CnWorld* world = run_create(&def);
    add_sensor(world, zero);
    add_ball(world, -1.0105, 1.0); // touches after 10.5 ms
    CnEvent event = {0};
    int count = 0;
    for (int i = 0; i < 20; ++i) {
        run_step(world, 1e-3);
        count += cn_world_events(world, &event, 1);
    }
    CHECK_INT(count, 1);
    CHECK_INT(event.type, CN_EVENT_SENSOR_BEGIN);
    CHECK_NEAR(event.time, 0.011, 1e-12);
    cn_world_destroy(world);
}

static void names_are_those_of_the_types(void) {
    CHECK_STRING(cn_event_type_name(CN_EVENT_CONTACT_BEGIN), "contact_begin");
    CHECK_STRING(cn_event_type_name(CN_EVENT_SENSOR_END), "sensor_end");
}

TEST_MAIN("unit/world/events/events", TEST(a_world_that_has_not_stepped_has_no_events),
          TEST(what_is_moved_apart_or_removed_ends),
          TEST(a_body_in_the_place_of_another_begins_anew),
          TEST(the_count_is_all_and_no_more_than_capacity_is_written),
          TEST(events_are_sorted_by_type_and_then_by_shapes),
          TEST(contacts_given_by_hand_have_events_of_their_own),
          TEST(events_of_all_substeps_are_there),
          TEST(a_failed_step_leaves_the_events_of_the_last_good_one),
          TEST(a_sensor_touches_nothing_and_has_no_mass),
          TEST(sensors_see_what_the_filters_let_them),
          TEST(overlaps_name_bodies_once_and_leave_out_removed_ones),
          TEST(the_scheme_acceleration_sees_sensors), TEST(names_are_those_of_the_types))

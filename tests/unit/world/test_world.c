// test_world.c - things in a world: ids, names, order, and who goes when a body goes.
#include "support/run.h"
#include "world/world.h"

static const CnVec3 zero = {0.0, 0.0, 0.0};
static const CnBodyId nobody = {0};

static CnBodyId add_named(CnWorld* world, const char* name) {
    CnBodyDef def = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), zero);
    def.name = name;
    return run_add(world, &def);
}

static bool same(CnBodyId a, CnBodyId b) {
    return a.index == b.index && a.generation == b.generation;
}

static void bodies_are_listed_as_they_were_added_and_the_last_takes_a_removed_ones_place(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnBodyId a = add_named(world, "a"), b = add_named(world, "b"), c = add_named(world, "c");
    CHECK_INT(cn_world_body_count(world), 3);
    CHECK(same(cn_world_body_at(world, 0), a) && same(cn_world_body_at(world, 2), c));
    CHECK_INT(cn_world_remove_body(world, a), CN_OK);
    CnBodyId d = add_named(world, "d"); // takes a's slot, but comes last
    CHECK(same(cn_world_body_at(world, 0), c) && same(cn_world_body_at(world, 1), b));
    CHECK(same(cn_world_body_at(world, 2), d));
    CHECK(same(cn_world_body_at(world, 3), nobody) && same(cn_world_body_at(world, -1), nobody));
    CHECK_INT(cn_world_body_index(world, c), 0);
    cn_world_destroy(world);
}

static void names_are_unique_and_found(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnBodyDef body = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), zero);
    CnError error = {0};
    CnBodyId a = add_named(world, "crane");
    add_named(world, NULL); // any number of bodies may have no name
    add_named(world, NULL);
    body.name = "crane";
    CHECK_INT(cn_world_add_body(world, &body, &error).index, 0);
    CHECK_CONTAINS(error.message, "\"crane\"");
    CHECK(same(cn_world_find_body(world, "crane"), a));
    CHECK(same(cn_world_find_body(world, "cran"), nobody));
    CHECK(same(cn_world_find_body(world, ""), nobody));
    CHECK_STRING(cn_body_name(world, a), "crane");
    CHECK_STRING(cn_body_name(world, nobody), "");
    CHECK_INT(cn_world_remove_body(world, a), CN_OK);
    CHECK(same(cn_world_find_body(world, "crane"), nobody));
    CnBodyId again = add_named(world, "crane");
    CHECK(same(cn_world_find_body(world, "crane"), again) && !same(again, a));
    cn_world_destroy(world);
}

static void a_stale_id_is_told_from_the_one_that_took_its_place(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnBodyId a = add_named(world, "a");
    CHECK_INT(cn_world_remove_body(world, a), CN_OK);
    CnBodyId b = add_named(world, "b");
    CHECK_INT(a.index, b.index);
    CnBodyState state;
    CnTransform pose;
    CnMassProperties mass;
    CHECK_INT(cn_world_remove_body(world, a), CN_STALE);
    CHECK_INT(cn_body_state(world, a, &state), CN_STALE);
    CHECK_INT(cn_body_pose(world, a, &pose), CN_STALE);
    CHECK_INT(cn_body_mass_properties(world, a, &mass), CN_STALE);
    CHECK_STRING(cn_body_name(world, a), "");
    CHECK_INT(cn_body_state(world, b, &state), CN_OK);
    CHECK_INT(cn_world_exclude_pair(world, a, b, NULL), CN_STALE);
    cn_world_destroy(world);
}

static void what_hangs_on_a_body_goes_with_it(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnBodyId a = add_named(world, "a"), b = add_named(world, "b"), c = add_named(world, "c");
    CnForceDef force = cn_force_def_default();
    CnContactDef contact = cn_contact_def_default();
    CnDistanceData data = {zero, cn_vec3(1.0, 0.0, 0.0), 1.0};
    double f[CN_MAX_ROWS], value[CN_MAX_ROWS];
    force.body = a;
    CnForceId on_a = cn_world_add_force(world, &force, NULL);
    force.body = c;
    CnForceId on_c = cn_world_add_force(world, &force, NULL);
    contact.body_a = a, contact.body_b = b;
    CnContactId ab = cn_world_add_contact(world, &contact, NULL);
    contact.body_a = b, contact.body_b = c;
    CnContactId bc = cn_world_add_contact(world, &contact, NULL);
    CnConstraintId tie_ab = run_add_constraint(world, cn_distance_kind(), b, a, &data, sizeof data);
    CnConstraintId tie_bc = run_add_constraint(world, cn_distance_kind(), b, c, &data, sizeof data);
    CHECK(on_a.index && on_c.index && ab.index && bc.index);

    CHECK_INT(cn_world_remove_body(world, a), CN_OK);
    CHECK_INT(cn_world_remove_force(world, on_a), CN_STALE);
    CHECK_INT(cn_world_remove_contact(world, ab), CN_STALE);
    CHECK_INT(cn_constraint_read(world, tie_ab, f, value), CN_STALE);
    CHECK_INT(cn_constraint_read(world, tie_bc, f, value), CN_OK);
    CHECK_INT(cn_world_remove_force(world, on_c), CN_OK);
    CHECK_INT(cn_world_remove_contact(world, bc), CN_OK);
    CHECK_INT(cn_world_remove_constraint(world, tie_bc), CN_OK);
    CHECK_INT(cn_world_remove_constraint(world, tie_bc), CN_STALE);
    cn_world_destroy(world);
}

// The problem of the last step named bodies by index; none of that may be looked at any more.
static void removing_a_body_forgets_the_last_step(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    run_add_ground(world, (CnMaterialId){0});
    CnBodyId ball = run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 0.5), zero, (CnMaterialId){0});
    char name[64];
    run_step(world, 1e-3);
    CHECK_INT(cn_world_contacts(world, NULL, 0), 1);
    cn_world_block_name(world, 0, name, sizeof name);
    CHECK_STRING(name, "contact body 0/body 1");
    CHECK_INT(cn_world_remove_body(world, ball), CN_OK);
    CHECK_INT(cn_world_contacts(world, NULL, 0), 0);
    CHECK_INT(cn_world_problem(world)->block_count, 0);
    cn_world_block_name(world, 0, name, sizeof name);
    CHECK_STRING(name, "none");
    run_step(world, 1e-3);
    cn_world_destroy(world);
}

static void wrong_partners_are_refused(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnBodyId ground = run_add_ground(world, (CnMaterialId){0}), a = add_named(world, "a");
    CnBodyId stale = {7, 1};
    CnError error = {0};
    CnContactDef contact = cn_contact_def_default();
    CHECK_INT(cn_world_add_contact(world, &contact, &error).index, 0); // nobody carries the point
    CHECK_INT(error.status, CN_STALE);
    contact.body_a = contact.body_b = a;
    CHECK_INT(cn_world_add_contact(world, &contact, &error).index, 0);
    CHECK_CONTAINS(error.message, "two different bodies");
    contact.body_a = nobody, contact.body_b = ground;
    CHECK_INT(cn_world_add_contact(world, &contact, &error).index, 0);
    CHECK_CONTAINS(error.message, "dynamic");
    contact.body_b = a, contact.material_a = (CnMaterialId){3, 1};
    CHECK_INT(cn_world_add_contact(world, &contact, &error).index, 0);
    CHECK_CONTAINS(error.message, "material");

    CnForceDef force = cn_force_def_default();
    force.body = stale;
    CHECK_INT(cn_world_add_force(world, &force, &error).index, 0);
    CHECK_INT(error.status, CN_STALE);
    force.body = a, force.series = (CnSeriesId){4, 1};
    CHECK_INT(cn_world_add_force(world, &force, &error).index, 0);
    CHECK_CONTAINS(error.message, "series");

    CnDistanceData data = {zero, zero, 1.0};
    CnConstraintDef tie = cn_constraint_def_default();
    tie.kind = cn_distance_kind();
    tie.data = &data;
    tie.data_size = sizeof data;
    tie.body_a = tie.body_b = a;
    CHECK_INT(cn_world_add_constraint(world, &tie, &error).index, 0);
    CHECK_CONTAINS(error.message, "different");
    tie.body_b = stale;
    CHECK_INT(cn_world_add_constraint(world, &tie, &error).index, 0);
    CHECK_INT(error.status, CN_STALE);
    CnPinData pin = {zero, zero};
    tie.kind = cn_pin_kind(), tie.body_a = ground, tie.data = &pin, tie.data_size = sizeof pin;
    CHECK_INT(cn_world_add_constraint(world, &tie, &error).index, 0);
    CHECK_CONTAINS(error.message, "dynamic");
    cn_world_destroy(world);
}

// Two balls, 1 kg at -1 and 3 kg at +1: the centre is at 0.5, which is where the state is; the pose
// stays that of the frame.
static void the_centre_of_mass_carries_the_state(void) {
    CnWorldDef world_def = cn_world_def_default();
    CnWorld* world = run_create(&world_def);
    CnMaterialDef stuff[2] = {cn_material_def_default(), cn_material_def_default()};
    CnShapeDef shapes[2];
    CnBodyDef def = cn_body_def_default();
    const double volume = 4.0 / 3.0 * CN_PI * 0.125;
    for (int i = 0; i < 2; ++i) {
        stuff[i].density = (i == 0 ? 1.0 : 3.0) / volume;
        shapes[i] = cn_shape_def_default(CN_SHAPE_SPHERE);
        shapes[i].position.x = i == 0 ? -1.0 : 1.0;
        shapes[i].material = cn_world_add_material(world, &stuff[i], NULL);
    }
    def.shapes = shapes;
    def.shape_count = 2;
    def.position = cn_vec3(10.0, 0.0, 0.0);
    def.rotation = cn_quat_from_axis_angle(cn_vec3(0.0, 0.0, 1.0), 0.5 * CN_PI);
    CnBodyId id = run_add(world, &def);
    CnMassProperties mass;
    CnTransform pose;
    CHECK_INT(cn_body_mass_properties(world, id, &mass), CN_OK);
    CHECK_INT(cn_body_pose(world, id, &pose), CN_OK);
    CHECK_NEAR(mass.mass, 4.0, 1e-14);
    CHECK_NEAR(mass.center.x, 0.5, 1e-15);
    CHECK_NEAR(mass.inertia[0], 0.4 * 4.0 * 0.25, 1e-14);
    CHECK_NEAR(mass.inertia[1], 0.4 + 1.0 * 2.25 + 3.0 * 0.25, 1e-14); // Steiner
    CHECK_NEAR(run_state(world, id).center.y, 0.5, 1e-14);             // x turned to y
    CHECK_NEAR(pose.position.x, 10.0, 1e-14);
    CHECK_NEAR(pose.position.y, 0.0, 1e-14);
    CHECK_INT(cn_body_type(world, id), CN_BODY_DYNAMIC);
    cn_world_destroy(world);
}

static void a_body_of_an_unknown_material_is_refused(void) {
    CnWorldDef world_def = cn_world_def_default();
    CnWorld* world = run_create(&world_def);
    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    CnBodyDef def = cn_body_def_default();
    CnError error = {0};
    def.shapes = &sphere;
    def.shape_count = 1;
    def.material = (CnMaterialId){1, 1};
    CHECK_INT(cn_world_add_body(world, &def, &error).index, 0);
    CHECK_INT(error.status, CN_STALE);
    def.material = (CnMaterialId){0};
    sphere.material = (CnMaterialId){1, 1};
    CHECK_INT(cn_world_add_body(world, &def, &error).index, 0);
    CHECK_CONTAINS(error.message, "material");
    cn_world_destroy(world);
}

static void combine(const CnWorld* world, CnMaterialId a, CnMaterialId b, double friction,
                    double restitution) {
    CnSurfacePair meeting = cn_world_combine_materials(world, a, b);
    CHECK_NEAR(meeting.friction, friction, 1e-15);
    CHECK_NEAR(meeting.hold, 1.0, 0.0);
    CHECK_NEAR(meeting.restitution, restitution, 1e-15);
}

static void materials_meet_by_geometric_mean_or_as_a_pair_says(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnMaterialId none = {0};
    CnMaterialId ice = run_add_material(world, 0.02, 0.25);
    CnMaterialId rubber = run_add_material(world, 0.98, 0.81);
    combine(world, ice, rubber, 0.14, 0.45);
    combine(world, rubber, ice, 0.14, 0.45);
    combine(world, none, none, 0.5, 0.0);
    combine(world, none, ice, 0.1, 0.0);
    CnMaterialPair pair = {rubber, ice, 0.3, 1.0, 0.0};
    CHECK_INT(cn_world_set_material_pair(world, &pair, NULL), CN_OK);
    combine(world, ice, rubber, 0.3, 1.0);
    combine(world, rubber, rubber, 0.98, 0.81);
    pair = (CnMaterialPair){ice, rubber, 0.4, 0.0, 0.0}; // the same pair, the other way round
    CHECK_INT(cn_world_set_material_pair(world, &pair, NULL), CN_OK);
    combine(world, rubber, ice, 0.4, 0.0);
    CnError error = {0};
    pair.friction = -1.0;
    CHECK_INT(cn_world_set_material_pair(world, &pair, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "friction");
    pair = (CnMaterialPair){ice, none, 0.4, 0.0, 0.0};
    CHECK_INT(cn_world_set_material_pair(world, &pair, &error), CN_STALE);
    cn_world_destroy(world);
}

static void energy_and_hash_read_the_state(void) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = cn_vec3(0.0, 0.0, -10.0);
    CnWorld* world = run_create(&def);
    CnBodyDef body = run_body(2.0, cn_vec3(1.0, 2.0, 3.0), cn_vec3(0.0, 0.0, 5.0));
    body.velocity = cn_vec3(3.0, 0.0, 0.0);
    body.angular_velocity = cn_vec3(0.0, 0.0, 2.0);
    CnBodyId id = run_add(world, &body);
    CHECK_NEAR(cn_world_energy(world), 9.0 + 6.0 + 100.0, 1e-13);
    uint64_t hash = cn_world_hash(world);
    CnBodyState state = run_state(world, id);
    state.center.x = 5e-324; // the smallest change there is
    CHECK_INT(cn_body_set_state(world, id, &state, NULL), CN_OK);
    CHECK(cn_world_hash(world) != hash);
    cn_world_destroy(world);
}

// Products of inertia give I w sums of infinite terms of both signs, which are no numbers.
static void energy_beyond_the_range_of_numbers_is_infinite(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnBodyDef body = run_body(2.0, cn_vec3(10.0, 10.0, 15.0), cn_vec3(0.0, 0.0, 5.0));
    body.inertia[3] = 4.0;
    body.angular_velocity = cn_vec3(1e308, -1e308, 0.0);
    run_add(world, &body);
    CnEnergyParts parts = cn_world_energy_parts(world);
    CHECK(parts.angular == HUGE_VAL && parts.linear == 0.0);
    CHECK(cn_world_energy(world) == HUGE_VAL);
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/world",
          TEST(bodies_are_listed_as_they_were_added_and_the_last_takes_a_removed_ones_place),
          TEST(names_are_unique_and_found),
          TEST(a_stale_id_is_told_from_the_one_that_took_its_place),
          TEST(what_hangs_on_a_body_goes_with_it), TEST(removing_a_body_forgets_the_last_step),
          TEST(wrong_partners_are_refused), TEST(the_centre_of_mass_carries_the_state),
          TEST(a_body_of_an_unknown_material_is_refused),
          TEST(materials_meet_by_geometric_mean_or_as_a_pair_says),
          TEST(energy_and_hash_read_the_state),
          TEST(energy_beyond_the_range_of_numbers_is_infinite))

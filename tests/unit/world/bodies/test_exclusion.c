// test_exclusion.c - bodies that must not collide: excluded by hand, or held by a constraint.
#include "cairn/query.h"
#include "support/run.h"

static const CnMaterialId no_material = {0};

typedef struct Couple {
    CnWorld* world;
    CnBodyId a, b;
} Couple;

// Two balls that overlap by a tenth; weightless, so that nothing else meets.
static Couple create_couple(void) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = cn_vec3(0.0, 0.0, 0.0);
    def.step.stabilisation = CN_STABILISATION_NONE; // they stay where they are
    Couple couple = {.world = run_create(&def)};
    CnVec3 rest = cn_vec3(0.0, 0.0, 0.0);
    couple.a = run_add_ball(couple.world, 1.0, 0.5, rest, rest, no_material);
    couple.b = run_add_ball(couple.world, 1.0, 0.5, cn_vec3(0.9, 0.0, 0.0), rest, no_material);
    return couple;
}

static CnConstraintId tie(const Couple* couple, bool collide) {
    CnDistanceData data = {cn_vec3(0.0, 0.0, 0.0), cn_vec3(0.0, 0.0, 0.0), 0.9};
    CnConstraintDef def = cn_constraint_def_default();
    def.kind = cn_distance_kind();
    def.body_a = couple->a;
    def.body_b = couple->b;
    def.data = &data;
    def.data_size = sizeof data;
    def.collide = collide;
    CnConstraintId id = cn_world_add_constraint(couple->world, &def, NULL);
    CHECK(id.index != 0);
    return id;
}

static int contacts(const Couple* couple) {
    return run_step(couple->world, 1e-3).contact_count;
}

static void bodies_held_by_a_constraint_collide_only_when_asked(void) {
    Couple couple = create_couple();
    CHECK_INT(contacts(&couple), 1);
    CnConstraintId loose = tie(&couple, true);
    CHECK_INT(contacts(&couple), 1);
    CnConstraintId first = tie(&couple, false); // at once, though their boxes have long met
    CHECK_INT(contacts(&couple), 0);
    CHECK_INT(cn_world_remove_constraint(couple.world, loose), CN_OK);
    CHECK_INT(contacts(&couple), 0);
    CHECK_INT(cn_world_remove_constraint(couple.world, first), CN_OK);
    CHECK_INT(contacts(&couple), 1); // and back, though they have not moved
    cn_world_destroy(couple.world);
}

static void several_constraints_count(void) {
    Couple couple = create_couple();
    CnConstraintId first = tie(&couple, false), second = tie(&couple, false);
    CHECK_INT(contacts(&couple), 0);
    CHECK_INT(cn_world_remove_constraint(couple.world, second), CN_OK);
    CHECK_INT(contacts(&couple), 0);
    CHECK_INT(cn_world_remove_constraint(couple.world, first), CN_OK);
    CHECK_INT(contacts(&couple), 1);
    cn_world_destroy(couple.world);
}

static void a_pair_excluded_by_hand_stays_so(void) {
    Couple couple = create_couple();
    CHECK_INT(contacts(&couple), 1);
    CHECK_INT(cn_world_exclude_pair(couple.world, couple.b, couple.a, NULL), CN_OK);
    CHECK_INT(contacts(&couple), 0);
    CnConstraintId id = tie(&couple, false);
    CHECK_INT(cn_world_remove_constraint(couple.world, id), CN_OK);
    CHECK_INT(contacts(&couple), 0);
    cn_world_destroy(couple.world);
}

static void a_body_removed_takes_its_constraints_and_their_exclusions_along(void) {
    Couple couple = create_couple();
    tie(&couple, false);
    CHECK_INT(contacts(&couple), 0);
    CHECK_INT(cn_world_remove_body(couple.world, couple.b), CN_OK);
    CnVec3 rest = cn_vec3(0.0, 0.0, 0.0);
    run_add_ball(couple.world, 1.0, 0.5, cn_vec3(0.9, 0.0, 0.0), rest, no_material);
    CHECK_INT(contacts(&couple), 1);
    cn_world_destroy(couple.world);
}

static void queries_pass_sensors_unless_they_ask_for_them(void) {
    CnWorldDef world_def = cn_world_def_default();
    CnWorld* world = run_create(&world_def);
    CnShapeDef shape = cn_shape_def_default(CN_SHAPE_SPHERE);
    shape.sensor = true;
    CnBodyDef def = cn_body_def_default();
    def.type = CN_BODY_STATIC;
    def.shapes = &shape;
    def.shape_count = 1;
    CnBodyId sensor = run_add(world, &def);
    CnVec3 rest = cn_vec3(0.0, 0.0, 0.0);
    CnBodyId ball = run_add_ball(world, 1.0, 0.5, cn_vec3(3.0, 0.0, 0.0), rest, no_material);
    CnVec3 eye = cn_vec3(-5.0, 0.0, 0.0), along = cn_vec3(10.0, 0.0, 0.0);
    CnCastHit hit;
    CHECK_INT(cn_world_cast_ray(world, eye, along, NULL, &hit, NULL), CN_OK);
    CHECK_INT(hit.body.index, ball.index);
    CnQueryFilter filter = {0};
    CHECK_INT(cn_world_cast_ray_all(world, eye, along, &filter, &hit, 1, NULL), 1);
    filter.sensors = true;
    CHECK_INT(cn_world_cast_ray_all(world, eye, along, &filter, &hit, 1, NULL), 2);
    CHECK_INT(hit.body.index, sensor.index);
    CnTransform here = {rest, cn_quat_identity()};
    CHECK_INT(cn_world_overlap(world, &shape, here, NULL, NULL, 0, NULL), 0);
    CHECK_INT(cn_world_overlap(world, &shape, here, &filter, NULL, 0, NULL), 1);
    CnClosest closest;
    CHECK_INT(cn_world_closest_bodies(world, ball, sensor, &closest, NULL), CN_OK);
    CHECK_INT(closest.body.index, 0);
    CHECK_INT(cn_world_closest_bodies(world, sensor, ball, &closest, NULL), CN_OK);
    CHECK_INT(closest.body.index, 0);
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/bodies/exclusion", TEST(bodies_held_by_a_constraint_collide_only_when_asked),
          TEST(several_constraints_count), TEST(a_pair_excluded_by_hand_stays_so),
          TEST(a_body_removed_takes_its_constraints_and_their_exclusions_along),
          TEST(queries_pass_sensors_unless_they_ask_for_them))

// test_scene_program.c - scenes built by programs: plain defs, and ids that hold in the world.
#include "support/test.h"

#include "cairn/scene.h"
#include <stdio.h>
#include <unistd.h>

// Functions of one kind of owner, so that the same code can fill a scene and a world.
typedef struct Owner {
    CnScene* scene; // NULL: the world
    CnWorld* world;
} Owner;

static CnBodyId add_body(const Owner* owner, const CnBodyDef* def) {
    CnError error = {0};
    CnBodyId id = owner->scene != NULL ? cn_scene_add_body(owner->scene, def, &error)
                                       : cn_world_add_body(owner->world, def, &error);
    ck_assert_msg(id.index != 0, "%s", error.message);
    return id;
}

typedef struct Ids {
    CnMaterialId material;
    CnSeriesId series, table;
    CnBodyId ground, ball, box;
    CnContactId contact;
    CnConstraintId constraint;
    CnJointId hinge, spring;
    CnForceId force;
} Ids;

static void add_bodies(const Owner* owner, Ids* ids) {
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    CnBodyDef def = cn_body_def_default();
    def.type = CN_BODY_STATIC;
    def.shapes = &plane;
    def.shape_count = 1;
    def.material = ids->material;
    ids->ground = add_body(owner, &def);
    sphere.radius = 0.25;
    sphere.material = ids->material;
    def = cn_body_def_default();
    def.shapes = &sphere;
    def.shape_count = 1;
    def.position = cn_vec3(0.0, 0.0, 1.0);
    ids->ball = add_body(owner, &def);
    def.position = cn_vec3(2.0, 0.0, 1.0);
    ids->box = add_body(owner, &def);
}

// Points that lie on the axes through the bodies' centres: no round-off between world and body
// axes.
static void add_links(const Owner* owner, Ids* ids) {
    CnScene* scene = owner->scene;
    CnWorld* world = owner->world;
    CnContactDef contact = cn_contact_def_default();
    contact.body_b = ids->ball;
    contact.normal = cn_vec3(0.0, 0.0, 1.0);
    contact.gap = 0.5;
    ids->contact = scene != NULL ? cn_scene_add_contact(scene, &contact, NULL)
                                 : cn_world_add_contact(world, &contact, NULL);
    CnDistanceData rod = {.length = 2.0};
    CnConstraintDef distance = cn_constraint_def_default();
    distance.kind = cn_distance_kind();
    distance.body_a = ids->ball;
    distance.body_b = ids->box;
    distance.data = &rod;
    distance.data_size = sizeof rod;
    ids->constraint = scene != NULL ? cn_scene_add_constraint(scene, &distance, NULL)
                                    : cn_world_add_constraint(world, &distance, NULL);
    CnJointDef hinge = cn_joint_def_default(CN_JOINT_HINGE);
    hinge.body_b = ids->box;
    hinge.point_a = cn_vec3(2.0, 0.0, 2.0);
    hinge.axis = cn_vec3(0.0, 1.0, 0.0);
    hinge.axes[CN_AXIS_TURN_Z].motor = CN_MOTOR_VELOCITY;
    hinge.axes[CN_AXIS_TURN_Z].target = 1.0;
    hinge.axes[CN_AXIS_TURN_Z].series = ids->series;
    hinge.axes[CN_AXIS_TURN_Z].max_force = 5.0;
    CnJointDef spring = cn_joint_def_default(CN_JOINT_SPRING);
    spring.body_b = ids->ball;
    spring.point_a = cn_vec3(0.0, 0.0, 3.0);
    spring.point_b = cn_vec3(0.0, 0.0, 1.0);
    spring.spring_table = ids->table;
    ids->hinge = scene != NULL ? cn_scene_add_joint(scene, &hinge, NULL)
                               : cn_world_add_joint(world, &hinge, NULL);
    ids->spring = scene != NULL ? cn_scene_add_joint(scene, &spring, NULL)
                                : cn_world_add_joint(world, &spring, NULL);
    CnForceDef force = cn_force_def_default();
    force.body = ids->ball;
    force.force = cn_vec3(0.3, 0.0, 0.0);
    force.series = ids->series;
    force.frame = CN_FORCE_CARRIED;
    ids->force = scene != NULL ? cn_scene_add_force(scene, &force, NULL)
                               : cn_world_add_force(world, &force, NULL);
}

// Nothing has a name.
static Ids fill(const Owner* owner) {
    Ids ids = {0};
    CnMaterialDef material = cn_material_def_default();
    CnSeriesDef ramp = {
        .name = NULL, .count = 2, .times = (double[]){0.0, 1.0}, .values = (double[]){1.0, 2.0}};
    CnSeriesDef table = {.name = NULL,
                         .count = 2,
                         .times = (double[]){-1.0, 1.0},
                         .values = (double[]){40.0, -40.0}};
    material.friction = 0.3;
    ids.material = owner->scene != NULL ? cn_scene_add_material(owner->scene, &material, NULL)
                                        : cn_world_add_material(owner->world, &material, NULL);
    ids.series = owner->scene != NULL ? cn_scene_add_series(owner->scene, &ramp, NULL)
                                      : cn_world_add_series(owner->world, &ramp, NULL);
    ids.table = owner->scene != NULL ? cn_scene_add_series(owner->scene, &table, NULL)
                                     : cn_world_add_series(owner->world, &table, NULL);
    add_bodies(owner, &ids);
    add_links(owner, &ids);
    return ids;
}

static CnWorld* build(const CnScene* scene) {
    CnError error;
    CnWorld* world = cn_scene_build(scene, NULL, &error);
    ck_assert_msg(world != NULL, "%s", error.message);
    return world;
}

static uint64_t hash_after(CnWorld* world) {
    for (int i = 0; i < 50; ++i) {
        CHECK_INT(cn_world_step(world, 1e-3, NULL, NULL), CN_OK);
    }
    return cn_world_hash(world);
}

static void the_same_code_fills_a_scene_and_a_world_with_the_same_ids(void) {
    CnWorldDef def = cn_world_def_default();
    Owner scene = {.scene = cn_scene_create("program", NULL)};
    Owner direct = {.world = cn_world_create(&def, NULL)};
    Ids in_scene = fill(&scene), in_world = fill(&direct);
    CHECK(memcmp(&in_scene, &in_world, sizeof in_scene) == 0);
    CnWorld* built = build(scene.scene);
    CHECK(hash_after(built) == hash_after(direct.world));
    cn_world_destroy(built);
    cn_world_destroy(direct.world);
    cn_scene_destroy(scene.scene);
}

static void ids_of_a_scene_hold_in_its_world(void) {
    Owner scene = {.scene = cn_scene_create("program", NULL)};
    Ids ids = fill(&scene);
    CnWorld* world = build(scene.scene);
    CnBodyState ball, box;
    CnSeriesReading reading;
    CHECK_INT(cn_body_state(world, ids.ball, &ball), CN_OK);
    CHECK_INT(cn_body_state(world, ids.box, &box), CN_OK);
    CHECK(ball.center.x == 0.0 && box.center.x == 2.0);
    CHECK_INT(cn_body_type(world, ids.ground), CN_BODY_STATIC);
    CHECK_INT(cn_joint_type(world, ids.hinge), CN_JOINT_HINGE);
    CHECK_INT(cn_joint_type(world, ids.spring), CN_JOINT_SPRING);
    CHECK_INT(cn_world_read_series(world, ids.table, 0.0, &reading), CN_OK);
    CHECK_NEAR(reading.derivative, -40.0, 0.0);
    CHECK_INT(cn_world_remove_contact(world, ids.contact), CN_OK);
    CHECK_INT(cn_world_remove_constraint(world, ids.constraint), CN_OK);
    CHECK_INT(cn_world_remove_force(world, ids.force), CN_OK);
    cn_world_destroy(world);
    cn_scene_destroy(scene.scene);
}

static CnScene* save_and_open(const CnScene* scene) {
    char path[300];
    CnError error = {0};
    snprintf(path, sizeof path, "%s/program_%ld.json", TEST_BINARY_DIR, (long)getpid());
    CHECK_INT(cn_scene_save(scene, path, &error), CN_OK);
    CnScene* opened = cn_scene_open(path, &error);
    ck_assert_msg(opened != NULL, "%s", error.message);
    unlink(path);
    return opened;
}

// Files refer to things by name: those that are referred to get one, and no two the same.
static void things_without_a_name_are_saved_and_load_to_the_same_world(void) {
    Owner scene = {.scene = cn_scene_create("program", NULL)};
    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    CnBodyDef taken = cn_body_def_default();
    fill(&scene);
    sphere.radius = 0.1;
    taken.name = "body 1"; // what the ball would be called
    taken.position = cn_vec3(9.0, 9.0, 9.0);
    taken.shapes = &sphere;
    taken.shape_count = 1;
    CHECK(cn_scene_add_body(scene.scene, &taken, NULL).index != 0);
    CnScene* opened = save_and_open(scene.scene);
    CHECK(cn_scene_find_body(opened, "body 1.2").index == 2);
    CHECK(cn_scene_find_body(opened, "body 1").index == 4);
    CHECK(cn_scene_find_body(opened, "body 0").index == 0); // nothing refers to the ground
    CHECK(cn_scene_find_series(opened, "series 0").index == 1);
    CHECK(cn_scene_find_series(opened, "series 1").index == 0); // the table is with its joint
    CHECK(cn_scene_find_material(opened, "material 0").index == 1);
    CnWorld *first = build(scene.scene), *second = build(opened);
    CHECK(hash_after(first) == hash_after(second));
    cn_world_destroy(first);
    cn_world_destroy(second);
    cn_scene_destroy(opened);
    cn_scene_destroy(scene.scene);
}

// A turned body whose centre of mass is not its origin. The force pushes along the body's x axis at
// a point of the body; what the scene makes of it differs from the def by round-off: 1e-15 of
// lengths of 3 m and forces of 2 N, over a moment of 1 kg m^2 and 1e-3 s.
static void forces_and_constraints_have_points_in_body_axes(void) {
    CnScene* scene = cn_scene_create("program", NULL);
    CnWorldDef world_def = cn_world_def_default();
    CnWorld* direct = cn_world_create(&world_def, NULL);
    CnBodyDef def = cn_body_def_default();
    def.position = cn_vec3(1.0, -2.0, 0.5);
    def.rotation = cn_quat_from_axis_angle(cn_vec3(0.6, 0.0, 0.8), 1.1);
    def.has_mass = true;
    def.mass = 2.0;
    def.center = cn_vec3(0.1, 0.2, -0.3);
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 1.0;
    CnBodyId body = cn_scene_add_body(scene, &def, NULL);
    CHECK(cn_world_add_body(direct, &def, NULL).index == body.index);
    CnForceDef force = cn_force_def_default();
    force.body = body;
    force.point = cn_vec3(0.3, 1.0, 0.0);
    force.force = cn_vec3(2.0, 0.0, 0.0);
    force.frame = CN_FORCE_CARRIED;
    CHECK(cn_scene_add_force(scene, &force, NULL).index != 0);
    CHECK(cn_world_add_force(direct, &force, NULL).index != 0);
    CnAnchorDistanceData rope = {cn_vec3(0.4, 0.0, 0.2), cn_vec3(1.0, -2.0, 3.0), 2.5};
    CnConstraintDef tie = cn_constraint_def_default();
    tie.kind = cn_anchor_distance_kind();
    tie.body_a = body;
    tie.data = &rope;
    tie.data_size = sizeof rope;
    CHECK(cn_scene_add_constraint(scene, &tie, NULL).index != 0);
    CHECK(cn_world_add_constraint(direct, &tie, NULL).index != 0);
    CnWorld* built = build(scene);
    CnBodyState a, b;
    CHECK_INT(cn_world_step(built, 1e-3, NULL, NULL), CN_OK);
    CHECK_INT(cn_world_step(direct, 1e-3, NULL, NULL), CN_OK);
    CHECK_INT(cn_body_state(built, body, &a), CN_OK);
    CHECK_INT(cn_body_state(direct, body, &b), CN_OK);
    // The rod's impulse is found to the solver's tolerance, 1e-8 m/s.
    CHECK_NEAR(cn_vec3_length(cn_vec3_sub(a.velocity, b.velocity)), 0.0, 2e-8);
    CHECK_NEAR(cn_vec3_length(cn_vec3_sub(a.angular_velocity, b.angular_velocity)), 0.0, 2e-8);
    CHECK(cn_vec3_length(a.angular_velocity) > 1e-4); // the point is not the centre
    cn_world_destroy(built);
    cn_world_destroy(direct);
    cn_scene_destroy(scene);
}

// A ball of mass m has 2/5 m r^2; density and volume cancel to round-off.
static void a_mass_alone_scales_that_of_the_shapes(void) {
    CnScene* scene = cn_scene_create("program", NULL);
    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CnBodyDef def = cn_body_def_default();
    CnError error = {0};
    sphere.radius = 0.5;
    sphere.position = cn_vec3(0.25, 0.0, 0.0);
    def.shapes = &sphere;
    def.shape_count = 1;
    CHECK_INT(cn_scene_scale_mass(scene, &def, 3.0, &error), CN_OK);
    CHECK(def.has_mass && def.mass == 3.0 && def.center.x == 0.25);
    CHECK_NEAR(def.inertia[0], 0.4 * 3.0 * 0.25, 1e-15);
    def = cn_body_def_default();
    def.shapes = &plane;
    def.shape_count = 1;
    CHECK_INT(cn_scene_scale_mass(scene, &def, 3.0, &error), CN_INVALID);
    CHECK_STRING(error.message, "the shapes of the body have no volume to take a mass from");
    CHECK(!def.has_mass);
    sphere.radius = -1.0;
    def.shapes = &sphere;
    CHECK_INT(cn_scene_scale_mass(scene, &def, 3.0, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "radius is -1");
    cn_scene_destroy(scene);
}

static void no_evaluate(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                        double* value) {
    (void)a, (void)b, (void)time, (void)data;
    value[0] = 0.0;
}

static void no_jacobian(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                        double* jacobian_a, double* jacobian_b) {
    (void)a, (void)b, (void)time, (void)data, (void)jacobian_a, (void)jacobian_b;
}

static void what_a_file_cannot_hold_is_refused(void) {
    Owner owner = {.scene = cn_scene_create("program", NULL)};
    Ids ids = fill(&owner);
    const CnConstraintKind own = {.name = "mine",
                                  .body_count = 1,
                                  .dimension = 1,
                                  .evaluate = no_evaluate,
                                  .jacobian = no_jacobian};
    CnPinData pin = {.anchor = cn_vec3(0.0, 0.0, 1.5)};
    CnError error = {0};
    CnConstraintDef def = cn_constraint_def_default();
    def.kind = &own;
    def.body_a = ids.ball;
    CHECK_INT(cn_scene_add_constraint(owner.scene, &def, &error).index, 0);
    CHECK_CONTAINS(error.message, "a scene cannot hold a constraint of your own kind \"mine\"");
    def.kind = cn_pin_kind();
    def.data = &pin;
    def.data_size = 4;
    CHECK_INT(cn_scene_add_constraint(owner.scene, &def, &error).index, 0);
    CHECK_CONTAINS(error.message, "constraint kind \"pin\" needs 48 bytes of data; it was given 4");
    def.data_size = sizeof pin;
    CHECK_INT(cn_scene_add_constraint(owner.scene, &def, &error).index, 0);
    CHECK_CONTAINS(error.message, "point_a of the pin starts 0.5 m from its anchor");
    pin.anchor.z = 1.0;
    CHECK(cn_scene_add_constraint(owner.scene, &def, &error).index != 0);
    CnShapeDef hull = cn_shape_def_default(CN_SHAPE_CONVEX);
    CnBodyDef body = cn_body_def_default();
    hull.geometry = (CnGeometryId){1, 1};
    body.shapes = &hull;
    body.shape_count = 1;
    CHECK_INT(cn_scene_add_body(owner.scene, &body, &error).index, 0);
    CHECK_CONTAINS(error.message, "geometry is of a world");
    CHECK_INT(cn_scene_scale_mass(owner.scene, &body, 1.0, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "geometry is of a world");
    CnMaterialPair pair = {.a = ids.material, .friction = 0.1};
    CHECK_INT(cn_scene_set_material_pair(owner.scene, &pair, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "a pair needs two materials of the scene; materials[1] is none");
    pair.b = (CnMaterialId){7, 1};
    CHECK_INT(cn_scene_set_material_pair(owner.scene, &pair, &error), CN_STALE);
    CHECK_CONTAINS(error.message, "materials[1] is not the id of a material of this scene");
    cn_scene_destroy(owner.scene);
}

static void the_library_opens_no_built_in_scenes(void) {
    CnError error = {0};
    CHECK(cn_scene_open("@pyramid", &error) == NULL);
    CHECK_INT(error.status, CN_INVALID);
    CHECK_CONTAINS(error.message, "built-in scenes (@name) belong to the program");
}

static void problems_of_a_scene_in_memory_are_found(void) {
    CnScene* scene = cn_scene_create("program", NULL);
    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    CnBodyDef def = cn_body_def_default();
    CnSceneProblem problem;
    CnError error = {0};
    sphere.radius = 0.5;
    def.shapes = &sphere;
    def.shape_count = 1;
    def.name = "a";
    CHECK(cn_scene_add_body(scene, &def, NULL).index != 0);
    CHECK_INT(cn_scene_find_problems(scene, &problem, 1, &error), 0);
    def.name = "b";
    def.position.x = 0.75;
    CHECK(cn_scene_add_body(scene, &def, NULL).index != 0);
    CHECK_INT(cn_scene_find_problems(scene, &problem, 1, &error), 1);
    CHECK(problem.warning && problem.line == 0 && error.status == CN_OK);
    CHECK_STRING(problem.message, "\"a\" and \"b\" overlap by 0.25 m at the start");
    cn_scene_destroy(scene);
}

TEST_MAIN("io/scene_program", TEST(the_same_code_fills_a_scene_and_a_world_with_the_same_ids),
          TEST(ids_of_a_scene_hold_in_its_world),
          TEST(things_without_a_name_are_saved_and_load_to_the_same_world),
          TEST(forces_and_constraints_have_points_in_body_axes),
          TEST(a_mass_alone_scales_that_of_the_shapes), TEST(what_a_file_cannot_hold_is_refused),
          TEST(the_library_opens_no_built_in_scenes), TEST(problems_of_a_scene_in_memory_are_found))

// test_shapes.c - shapes added, changed and removed while their body moves; shared geometry.
#include "cairn/random.h"
#include "support/failing_allocator.h"
#include "support/run.h"
#include "world/world.h"

#include <string.h>

static const CnMaterialId no_material = {0};

static CnWorld* create_weightless(void) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = cn_vec3(0.0, 0.0, 0.0);
    return run_create(&def);
}

static CnShapeDef box_at(CnVec3 position, CnVec3 size) {
    CnShapeDef box = cn_shape_def_default(CN_SHAPE_BOX);
    box.position = position;
    box.size = size;
    return box;
}

static CnBodyDef body_of(const CnShapeDef* shapes, int count) {
    CnBodyDef def = cn_body_def_default();
    def.shapes = shapes;
    def.shape_count = count;
    return def;
}

static CnShapeId add_shape(CnWorld* world, CnBodyId body, const CnShapeDef* def) {
    CnError error = {0};
    CnShapeId id = cn_body_add_shape(world, body, def, &error);
    ck_assert_msg(id.index != 0, "%s", error.message);
    return id;
}

// Velocity of the point of a body that is at `point` in its frame.
static CnVec3 velocity_at(const CnWorld* world, CnBodyId body, CnVec3 point) {
    CnBodyState state = run_state(world, body);
    CnTransform pose;
    cn_body_pose(world, body, &pose);
    CnVec3 arm = cn_vec3_sub(cn_transform_point(pose, point), state.center);
    return cn_vec3_add(state.velocity, cn_vec3_cross(state.angular_velocity, arm));
}

// The same body at once and in parts: equal mass properties, and the one in parts has not jumped.
static void a_body_built_in_parts_is_the_body_built_at_once(void) {
    CnWorld* world = create_weightless();
    CnShapeDef parts[3] = {box_at(cn_vec3(0.0, 0.0, 0.0), cn_vec3(1.0, 1.0, 1.0)),
                           box_at(cn_vec3(1.0, 0.2, 0.0), cn_vec3(1.0, 0.5, 0.5)),
                           cn_shape_def_default(CN_SHAPE_SPHERE)};
    parts[2].position = cn_vec3(0.0, -1.0, 0.3);
    CnBodyDef whole = body_of(parts, 3), first = body_of(parts, 1);
    whole.position = first.position = cn_vec3(2.0, 3.0, 4.0);
    whole.rotation = first.rotation = cn_quat_from_axis_angle(cn_vec3(0.0, 0.6, 0.8), 0.7);
    first.angular_velocity = cn_vec3(1.0, 2.0, 3.0);
    first.velocity = cn_vec3(-1.0, 0.5, 0.25);
    CnBodyId at_once = run_add(world, &whole), in_parts = run_add(world, &first);
    const CnVec3 mark = {0.3, 0.1, -0.7};
    CnVec3 speed = velocity_at(world, in_parts, mark);
    CnTransform before, after;
    cn_body_pose(world, in_parts, &before);
    add_shape(world, in_parts, &parts[1]);
    add_shape(world, in_parts, &parts[2]);
    cn_body_pose(world, in_parts, &after);

    CnMassProperties expected, mass;
    cn_body_mass_properties(world, at_once, &expected);
    cn_body_mass_properties(world, in_parts, &mass);
    CHECK(memcmp(&mass, &expected, sizeof mass) == 0);
    CHECK(cn_vec3_length(expected.center) > 0.1);
    // A few roundings of numbers below 10.
    CHECK_NEAR(cn_vec3_length(cn_vec3_sub(after.position, before.position)), 0.0, 1e-14);
    CHECK_NEAR(cn_vec3_length(cn_vec3_sub(velocity_at(world, in_parts, mark), speed)), 0.0, 1e-14);
    CnVec3 apart = cn_vec3_sub(run_state(world, in_parts).center, run_state(world, at_once).center);
    CHECK_NEAR(cn_vec3_length(apart), 0.0, 1e-14);
    cn_world_destroy(world);
}

// Taken away again, the first is left as it was.
static void removing_what_was_added_gives_the_old_body(void) {
    CnWorld* world = create_weightless();
    CnShapeDef box = box_at(cn_vec3(0.0, 0.0, 0.0), cn_vec3(1.0, 2.0, 3.0));
    CnBodyDef def = body_of(&box, 1);
    CnBodyId body = run_add(world, &def);
    CnShapeDef ball = cn_shape_def_default(CN_SHAPE_SPHERE);
    ball.position = cn_vec3(2.0, 0.0, 0.0);
    CnMassProperties before, between, after;
    cn_body_mass_properties(world, body, &before);
    CnShapeId id = add_shape(world, body, &ball);
    cn_body_mass_properties(world, body, &between);
    CHECK(between.mass > before.mass && between.center.x > 0.0);
    CHECK_INT(cn_shape_remove(world, id, NULL), CN_OK);
    cn_body_mass_properties(world, body, &after);
    CHECK(memcmp(&before, &after, sizeof before) == 0);
    CHECK_INT(cn_shape_remove(world, id, NULL), CN_STALE);
    CnShapeId only[2];
    CHECK_INT(cn_body_shapes(world, body, only, 2), 1);
    CnError error;
    CHECK_INT(cn_shape_remove(world, only[0], &error), CN_INVALID); // no mass would be left
    CHECK(strstr(error.message, "mass") != NULL);
    CHECK_INT(cn_body_shapes(world, body, NULL, 0), 1);
    cn_world_destroy(world);
}

// A pendulum whose bob gets a heavy side: the joint holds the same point of the body.
static void joints_and_given_contacts_keep_their_points(void) {
    CnWorldDef world_def = cn_world_def_default();
    CnWorld* world = run_create(&world_def);
    CnShapeDef box = box_at(cn_vec3(0.0, 0.0, 0.0), cn_vec3(0.2, 0.2, 1.0));
    CnBodyDef def = body_of(&box, 1);
    CnBodyId body = run_add(world, &def);
    CnJointDef joint = cn_joint_def_default(CN_JOINT_BALL);
    joint.body_a = body;
    joint.point_a = cn_vec3(0.0, 0.0, 0.5);
    CnError error = {0};
    ck_assert_msg(cn_world_add_joint(world, &joint, &error).index != 0, "%s", error.message);
    run_steps(world, 1e-3, 5);
    CnShapeDef heavy = box_at(cn_vec3(0.5, 0.0, 0.0), cn_vec3(0.6, 0.2, 0.2));
    add_shape(world, body, &heavy);
    for (int i = 0; i < 100; ++i) {
        run_step(world, 1e-3);
        CnTransform pose;
        cn_body_pose(world, body, &pose);
        CnVec3 held = cn_transform_point(pose, cn_vec3(0.0, 0.0, 0.5));
        CHECK_NEAR(cn_vec3_length(cn_vec3_sub(held, cn_vec3(0.0, 0.0, 0.5))), 0.0, 1e-9);
    }
    CHECK(run_state(world, body).angular_velocity.y > 0.1); // towards the heavy side
    cn_world_destroy(world);
}

static void user_constraints_refuse_a_centre_that_moves(void) {
    CnWorld* world = create_weightless();
    CnShapeDef box = box_at(cn_vec3(0.0, 0.0, 0.0), cn_vec3(1.0, 1.0, 1.0));
    CnBodyDef def = body_of(&box, 1);
    CnBodyId body = run_add(world, &def);
    CnPinData data = {.anchor = {0.0, 0.0, 0.0}};
    CnConstraintId pin =
        run_add_constraint(world, cn_pin_kind(), body, (CnBodyId){0}, &data, sizeof data);
    CnShapeDef aside = box_at(cn_vec3(1.0, 0.0, 0.0), cn_vec3(1.0, 1.0, 1.0));
    CnError error;
    CHECK_INT(cn_body_add_shape(world, body, &aside, &error).index, 0);
    CHECK_INT(error.status, CN_INVALID);
    CHECK(strstr(error.message, "centre of mass") != NULL);
    CHECK_INT(cn_body_shapes(world, body, NULL, 0), 1);
    CnShapeDef around = box_at(cn_vec3(0.0, 0.0, 0.0), cn_vec3(2.0, 2.0, 2.0));
    add_shape(world, body, &around); // the centre stays
    CHECK_INT(cn_world_remove_constraint(world, pin), CN_OK);
    add_shape(world, body, &aside);
    cn_world_destroy(world);
}

static void filters_and_materials_can_be_changed(void) {
    CnWorldDef world_def = cn_world_def_default();
    CnWorld* world = run_create(&world_def);
    run_add_ground(world, no_material);
    CnBodyId ball =
        run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 0.5), cn_vec3(0, 0, 0), no_material);
    CnShapeId shape;
    CHECK_INT(cn_body_shapes(world, ball, &shape, 1), 1);
    CHECK_INT(cn_world_find_contacts(world, NULL, 0), 1);
    CHECK_INT(cn_shape_set_filter(world, shape, 1, 0, 0, NULL), CN_OK);
    CHECK_INT(cn_world_find_contacts(world, NULL, 0), 0);
    CHECK_INT(cn_shape_set_filter(world, shape, 1, UINT32_MAX, 0, NULL), CN_OK);
    CnContactPoint point;
    CHECK_INT(cn_world_find_contacts(world, &point, 1), 1);
    CnMaterialDef ice = cn_material_def_default();
    ice.friction = 0.0;
    ice.density = 2000.0;
    CnMaterialId material = cn_world_add_material(world, &ice, NULL);
    CHECK_INT(cn_shape_set_material(world, shape, material, NULL), CN_OK);
    CnShapeInfo info;
    CHECK_INT(cn_shape_read(world, shape, &info), CN_OK);
    CHECK(info.def.material.index == material.index && info.body.index == ball.index);
    CnMassProperties mass;
    cn_body_mass_properties(world, ball, &mass);
    CHECK_NEAR(mass.mass, 1.0, 0.0); // it was given one

    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    sphere.radius = 0.1;
    sphere.position = cn_vec3(9.0, 0.0, 9.0);
    CnBodyDef def = body_of(&sphere, 1);
    CnBodyId free_ball = run_add(world, &def);
    CHECK_INT(cn_body_shapes(world, free_ball, &shape, 1), 1);
    CHECK_INT(cn_shape_set_material(world, shape, material, NULL), CN_OK);
    cn_body_mass_properties(world, free_ball, &mass);
    CHECK_NEAR(mass.mass, 2000.0 * 4.0 / 3.0 * CN_PI * 1e-3, 1e-14);
    cn_world_destroy(world);
}

// What is read back makes an equal shape.
static void what_is_read_makes_the_same_shape(void) {
    CnWorld* world = create_weightless();
    const CnVec3 corners[5] = {
        {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {1.0, 1.0, 0.0}, {0.5, 0.5, 2.0}};
    const double heights[4] = {0.0, 0.1, 0.2, 0.3};
    const int faces[2][3] = {{0, 1, 2}, {1, 3, 2}};
    for (int type = 0; type < CN_SHAPE_TYPE_COUNT; ++type) {
        CnShapeDef def = cn_shape_def_default((CnShapeType)type);
        def.position = cn_vec3(0.1, 0.2, 0.3);
        def.rotation = cn_quat_from_axis_angle(cn_vec3(0.6, 0.8, 0.0), 1.0);
        def.radius = 0.7;
        def.length = 0.9;
        def.size = cn_vec3(0.3, 0.5, 0.7);
        def.normal = cn_vec3(0.0, 0.6, 0.8);
        def.points = type == CN_SHAPE_CONVEX || type == CN_SHAPE_MESH ? corners : NULL;
        def.point_count = 5;
        def.triangles = type == CN_SHAPE_MESH ? faces : NULL;
        def.triangle_count = 2;
        def.heights = type == CN_SHAPE_HEIGHT_FIELD ? heights : NULL;
        def.columns = def.rows = 2;
        def.category = 5;
        def.mask = 6;
        def.group = -3;
        CnBodyDef body = body_of(&def, 1);
        body.type = CN_BODY_STATIC;
        CnBodyId first = run_add(world, &body);
        CnShapeId ids[2];
        CnShapeInfo infos[2];
        CHECK_INT(cn_body_shapes(world, first, ids, 1), 1);
        CHECK_INT(cn_shape_read(world, ids[0], &infos[0]), CN_OK);
        body.shapes = &infos[0].def;
        CnBodyId second = run_add(world, &body);
        CHECK_INT(cn_body_shapes(world, second, ids + 1, 1), 1);
        CHECK_INT(cn_shape_read(world, ids[1], &infos[1]), CN_OK);
        CHECK(memcmp(&infos[0].def, &infos[1].def, sizeof(CnShapeDef)) == 0);
        CHECK(infos[0].def.position.x == 0.1 && infos[0].def.group == -3);
        CnVec3 points[2][3000];
        int triangles[2][3000][3];
        for (int i = 0; i < 2; ++i) {
            CnTriangles out = {points[i], triangles[i], 3000, 3000, 0, 0};
            CHECK_INT(cn_shape_triangles(world, ids[i], 16, 4.0, &out, NULL), CN_OK);
            CHECK(out.triangle_count > 0);
            CHECK(i == 0 ||
                  memcmp(points[0], points[1], (size_t)out.point_count * sizeof(CnVec3)) == 0);
        }
        CHECK_INT(cn_world_remove_body(world, first), CN_OK); // the second keeps the geometry
        CnTriangles out = {points[0], triangles[0], 3000, 3000, 0, 0};
        CHECK_INT(cn_shape_triangles(world, ids[1], 16, 4.0, &out, NULL), CN_OK);
        CHECK_INT(cn_shape_triangles(world, ids[0], 16, 4.0, &out, NULL), CN_STALE);
    }
    cn_world_destroy(world);
}

static const CnVec3 wedge[6] = {{-0.5, -0.5, -0.5}, {0.5, -0.5, -0.5}, {-0.5, 0.5, -0.5},
                                {0.5, 0.5, -0.5},   {-0.5, 0.0, 0.5},  {0.5, 0.0, 0.5}};

static uint64_t hash_of_wedges(bool is_shared, int* geometries) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    run_add_ground(world, no_material);
    CnShapeDef shape = cn_shape_def_default(CN_SHAPE_CONVEX);
    shape.points = wedge;
    shape.point_count = 6;
    if (is_shared) {
        shape.geometry = cn_geometry_create_hull(world, wedge, 6, NULL);
        shape.points = NULL;
        shape.point_count = 0;
    }
    for (int i = 0; i < 6; ++i) {
        CnBodyDef body = body_of(&shape, 1);
        body.position = cn_vec3(0.2 * i, 0.1 * i, 0.8 + 1.1 * i);
        run_add(world, &body);
    }
    *geometries = world->geometries.count;
    run_steps(world, 2e-3, 200);
    uint64_t hash = cn_world_hash(world);
    cn_world_destroy(world);
    return hash;
}

static void results_do_not_depend_on_sharing(void) {
    int shared, own;
    CHECK(hash_of_wedges(true, &shared) == hash_of_wedges(false, &own));
    CHECK_INT(shared, 1);
    CHECK_INT(own, 6);
}

static void geometry_lives_as_long_as_it_is_held_or_used(void) {
    CnWorld* world = create_weightless();
    CnError error;
    CnGeometryId hull = cn_geometry_create_hull(world, wedge, 6, NULL);
    CHECK(hull.index != 0);
    CnShapeDef shape = cn_shape_def_default(CN_SHAPE_CONVEX);
    shape.geometry = hull;
    CnBodyDef def = body_of(&shape, 1);
    CnBodyId body = run_add(world, &def);
    CHECK_INT(cn_geometry_release(world, hull, NULL), CN_OK);
    CHECK_INT(cn_geometry_release(world, hull, &error), CN_INVALID); // in use, but not held
    CHECK(strstr(error.message, "held") != NULL);
    CnBodyId other = run_add(world, &def); // the id is good as long as a shape uses it
    CHECK_INT(cn_world_remove_body(world, body), CN_OK);
    CHECK_INT(world->geometries.count, 1);
    CHECK_INT(cn_world_remove_body(world, other), CN_OK);
    CHECK_INT(world->geometries.count, 0);
    CHECK_INT(cn_geometry_release(world, hull, &error), CN_STALE);
    CHECK_INT(cn_world_add_body(world, &def, &error).index, 0);
    CHECK_INT(error.status, CN_STALE);
    hull = cn_geometry_create_hull(world, wedge, 6, NULL);
    CHECK_INT(cn_geometry_release(world, hull, NULL), CN_OK); // never used
    CHECK_INT(world->geometries.count, 0);
    cn_geometry_create_hull(world, wedge, 6, NULL); // held to the end: freed with the world
    cn_world_destroy(world);
}

static void mistakes_are_told(void) {
    CnWorld* world = create_weightless();
    CnError error;
    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    CnBodyDef def = body_of(&sphere, 1);
    CnBodyId body = run_add(world, &def), gone = run_add(world, &def);
    CHECK_INT(cn_world_remove_body(world, gone), CN_OK);
    CHECK(cn_body_add_shape(world, gone, &sphere, &error).index == 0 && error.status == CN_STALE);
    CHECK_INT(cn_body_shapes(world, gone, NULL, 0), -1);
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CHECK(cn_body_add_shape(world, body, &plane, &error).index == 0 && error.status == CN_INVALID);
    CHECK(strstr(error.message, "plane") != NULL);
    sphere.radius = -1.0;
    CHECK(cn_body_add_shape(world, body, &sphere, &error).index == 0);
    CHECK(strstr(error.message, "radius") != NULL);
    sphere.radius = 1.0;
    sphere.geometry = cn_geometry_create_hull(world, wedge, 6, NULL);
    CHECK(cn_body_add_shape(world, body, &sphere, &error).index == 0);
    CHECK(strstr(error.message, "geometry") != NULL);
    CnShapeDef both = cn_shape_def_default(CN_SHAPE_CONVEX);
    both.geometry = sphere.geometry;
    both.points = wedge;
    both.point_count = 6;
    CHECK(cn_body_add_shape(world, body, &both, &error).index == 0);
    CHECK(strstr(error.message, "geometry") != NULL);
    CnShapeDef mesh = cn_shape_def_default(CN_SHAPE_MESH);
    mesh.geometry = sphere.geometry;
    def.type = CN_BODY_STATIC;
    def.shapes = &mesh;
    CHECK(cn_world_add_body(world, &def, &error).index == 0 && error.status == CN_INVALID);
    CHECK(strstr(error.message, "geometry") != NULL);
    CHECK(cn_geometry_create_hull(world, wedge, 3, &error).index == 0);
    CHECK(strstr(error.message, "points") != NULL);
    CnShapeId none = {0}, shape;
    CHECK_INT(cn_body_shapes(world, body, &shape, 1), 1);
    CHECK_INT(cn_shape_set_filter(world, none, 1, 1, 0, &error), CN_STALE);
    CHECK_INT(cn_shape_set_material(world, none, no_material, &error), CN_STALE);
    CHECK_INT(cn_shape_set_material(world, shape, (CnMaterialId){9, 9}, &error), CN_STALE);
    CnTriangles out = {0};
    CHECK_INT(cn_shape_triangles(world, shape, 2, 1.0, &out, &error), CN_INVALID);
    CHECK(strstr(error.message, "resolution") != NULL);
    CHECK_INT(cn_shape_triangles(world, shape, 3, 0.0, &out, &error), CN_INVALID);
    CHECK(strstr(error.message, "plane_half_size") != NULL);
    out.point_capacity = 1;
    CHECK_INT(cn_shape_triangles(world, shape, 3, 1.0, &out, &error), CN_INVALID);
    cn_world_destroy(world);
}

// Where a body is depends on its centre of mass, also where its mass is never used.
static void shapes_of_no_finite_mass_are_refused_for_all_types(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = cn_world_create(&def, NULL);
    CnShapeDef shape = cn_shape_def_default(CN_SHAPE_SPHERE);
    shape.radius = 1e200;
    CnBodyDef body = cn_body_def_default();
    body.shapes = &shape;
    body.shape_count = 1;
    for (int type = 0; type < 3; ++type) {
        CnError error = {0};
        body.type = (CnBodyType)type;
        CHECK_INT(cn_world_add_body(world, &body, &error).index, 0);
        CHECK_INT(error.status, CN_INVALID);
    }
    CHECK_INT(cn_world_body_count(world), 0);
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/bodies/shapes", TEST(shapes_of_no_finite_mass_are_refused_for_all_types),
          TEST(a_body_built_in_parts_is_the_body_built_at_once),
          TEST(removing_what_was_added_gives_the_old_body),
          TEST(joints_and_given_contacts_keep_their_points),
          TEST(user_constraints_refuse_a_centre_that_moves),
          TEST(filters_and_materials_can_be_changed), TEST(what_is_read_makes_the_same_shape),
          TEST(results_do_not_depend_on_sharing),
          TEST(geometry_lives_as_long_as_it_is_held_or_used), TEST(mistakes_are_told))

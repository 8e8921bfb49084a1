// test_validate.c - every mistake in a def gets a sentence and the name of its field.
#include "support/run.h"
#include "world/validate.h"

static const double not_a_number = (double)NAN;
static const double infinite = (double)INFINITY;

// The def is wrong in exactly one member.
#define REFUSES(call, name, part)                                                                  \
    do {                                                                                           \
        CnError error_ = {0};                                                                      \
        CnError* error = &error_;                                                                  \
        const char* field_ = NULL;                                                                 \
        const char** field = &field_;                                                              \
        CHECK_INT((call), CN_INVALID);                                                             \
        CHECK(field_ != NULL);                                                                     \
        CHECK_STRING(field_, (name));                                                              \
        CHECK_CONTAINS(error_.message, (part));                                                    \
        (void)field;                                                                               \
        (void)error;                                                                               \
    } while (0)

static void a_wrong_material_is_told_its_field(void) {
    CnMaterialDef good = cn_material_def_default(), def = good;
    CHECK_INT(cn_validate_material(&good, NULL, NULL), CN_OK);
    def.guard = 0;
    REFUSES(cn_validate_material(&def, field, error), "guard", "cn_material_def_default");
    def = good, def.friction = -0.1;
    REFUSES(cn_validate_material(&def, field, error), "friction", "-0.1");
    def = good, def.friction = infinite;
    REFUSES(cn_validate_material(&def, field, error), "friction", "finite");
    def = good, def.restitution = 1.5;
    REFUSES(cn_validate_material(&def, field, error), "restitution", "[0, 1]");
    def = good, def.restitution = not_a_number;
    REFUSES(cn_validate_material(&def, field, error), "restitution", "nan");
    def = good, def.density = 0.0;
    REFUSES(cn_validate_material(&def, field, error), "density", "kg/m^3");
}

static void a_wrong_series_is_told_its_field(void) {
    double times[] = {0.0, 1.0, 1.0}, values[] = {0.0, 1.0, 2.0};
    CnSeriesDef def = {.name = NULL, .count = 2, .times = times, .values = values};
    CHECK_INT(cn_validate_series(&def, NULL, NULL), CN_OK);
    def.count = 3;
    REFUSES(cn_validate_series(&def, field, error), "times", "times[2] is 1 s, not after times[1]");
    def.count = 0;
    REFUSES(cn_validate_series(&def, field, error), "times", "at least one");
    def.count = 2, def.values = NULL;
    REFUSES(cn_validate_series(&def, field, error), "times", "at least one");
    def.values = values, values[1] = not_a_number;
    REFUSES(cn_validate_series(&def, field, error), "values", "values[1]");
    values[1] = 0.0, times[0] = -infinite;
    REFUSES(cn_validate_series(&def, field, error), "times", "times[0]");
}

static void a_wrong_shape_is_told_its_field(void) {
    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE), def = sphere;
    CHECK_INT(cn_validate_shape(&sphere, NULL, NULL, NULL), CN_OK);
    CHECK_INT(cn_validate_shape(&plane, NULL, NULL, NULL), CN_OK);
    def.radius = -1.0;
    REFUSES(cn_validate_shape(&def, field, NULL, error), "radius", "-1 m");
    def = sphere, def.position.y = not_a_number;
    REFUSES(cn_validate_shape(&def, field, NULL, error), "position", "finite");
    def = sphere, def.type = (CnShapeType)77;
    REFUSES(cn_validate_shape(&def, field, NULL, error), "type", "77");
    def = plane, def.normal.z = 1.1;
    REFUSES(cn_validate_shape(&def, field, NULL, error), "normal", "length 1.1");
    def = plane, def.normal.x = infinite;
    REFUSES(cn_validate_shape(&def, field, NULL, error), "normal", "finite");
    def.guard = 0;
    REFUSES(cn_validate_shape(&def, field, NULL, error), "guard", "cn_shape_def_default");
}

static void a_wrong_solid_is_told_its_field(void) {
    const CnShapeType types[] = {CN_SHAPE_BOX, CN_SHAPE_CAPSULE, CN_SHAPE_CYLINDER};
    CnShapeDef def;
    for (int i = 0; i < 3; ++i) {
        def = cn_shape_def_default(types[i]);
        CHECK_INT(cn_validate_shape(&def, NULL, NULL, NULL), CN_OK);
        def.rotation.w = 0.0;
        REFUSES(cn_validate_shape(&def, field, NULL, error), "rotation", "length 0");
        def.rotation.w = not_a_number;
        REFUSES(cn_validate_shape(&def, field, NULL, error), "rotation", "unit quaternion");
    }
    def = cn_shape_def_default(CN_SHAPE_BOX), def.size.y = -2.0;
    REFUSES(cn_validate_shape(&def, field, NULL, error), "size", "(1, -2, 1) m");
    def.size.y = not_a_number;
    REFUSES(cn_validate_shape(&def, field, NULL, error), "size", "finite");
    def.size.y = infinite;
    REFUSES(cn_validate_shape(&def, field, NULL, error), "size", "finite");
    for (int i = 1; i < 3; ++i) {
        def = cn_shape_def_default(types[i]), def.length = 0.0;
        REFUSES(cn_validate_shape(&def, field, NULL, error), "length", "0 m");
        def = cn_shape_def_default(types[i]), def.radius = infinite;
        REFUSES(cn_validate_shape(&def, field, NULL, error), "radius", "inf m");
    }
}

static void wrong_triangles_are_told_by_number(void) {
    CnVec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 0}};
    int triangles[2][3] = {{0, 1, 2}, {1, 3, 2}};
    CnShapeDef good = cn_shape_def_default(CN_SHAPE_MESH), def;
    good.points = points;
    good.point_count = 4;
    good.triangles = (const int(*)[3])triangles;
    good.triangle_count = 2;
    CHECK_INT(cn_validate_shape(&good, NULL, NULL, NULL), CN_OK);
    def = good, def.point_count = 2;
    REFUSES(cn_validate_shape(&def, field, NULL, error), "points",
            "has 2 points; it needs at least 3");
    def = good, def.triangle_count = 0;
    REFUSES(cn_validate_shape(&def, field, NULL, error), "triangles", "has 0 triangles");
    def.triangle_count = 200000000;
    REFUSES(cn_validate_shape(&def, field, NULL, error), "triangles", "it may have 1 to 100000000");
    def = good, def.triangles = NULL;
    REFUSES(cn_validate_shape(&def, field, NULL, error), "triangles", "NULL");
    def = good, triangles[1][2] = 4;
    REFUSES(cn_validate_shape(&def, field, NULL, error), "triangles", "triangles[1] names point 4");
    triangles[1][2] = -1;
    REFUSES(cn_validate_shape(&def, field, NULL, error), "triangles",
            "triangles[1] names point -1");
    triangles[1][2] = 0; // three points of one line
    REFUSES(cn_validate_shape(&def, field, NULL, error), "triangles",
            "triangles[1] (points 1, 3, 0) has no area");
    triangles[1][2] = 2, points[3].x = not_a_number;
    REFUSES(cn_validate_shape(&def, field, NULL, error), "points", "points[3] is (nan, 0, 0)");
}

static void wrong_heights_are_told_by_number(void) {
    double heights[6] = {0};
    CnShapeDef good = cn_shape_def_default(CN_SHAPE_HEIGHT_FIELD), def;
    good.heights = heights;
    good.columns = 3;
    good.rows = 2;
    good.size = cn_vec3(1.0, 1.0, 0.0);
    CHECK_INT(cn_validate_shape(&good, NULL, NULL, NULL), CN_OK);
    def = good, def.columns = 1;
    REFUSES(cn_validate_shape(&def, field, NULL, error), "columns", "1 columns and 2 rows");
    def = good, def.rows = -5;
    REFUSES(cn_validate_shape(&def, field, NULL, error), "rows", "-5 rows");
    def = good, def.columns = def.rows = 2000000000;
    REFUSES(cn_validate_shape(&def, field, NULL, error), "columns", "at most 100000000");
    def = good, def.size.y = 0.0;
    REFUSES(cn_validate_shape(&def, field, NULL, error), "size", "size is (1, 0) m");
    def = good, def.heights = NULL;
    REFUSES(cn_validate_shape(&def, field, NULL, error), "heights", "NULL");
    def = good, heights[4] = not_a_number;
    REFUSES(cn_validate_shape(&def, field, NULL, error), "heights",
            "heights[4] (1 of row 1) is nan m");
}

// The sentence says what to do instead.
static void a_mesh_on_a_dynamic_body_is_refused(void) {
    const CnVec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const int triangles[1][3] = {{0, 1, 2}};
    CnShapeDef mesh = cn_shape_def_default(CN_SHAPE_MESH);
    mesh.points = points;
    mesh.point_count = 3;
    mesh.triangles = triangles;
    mesh.triangle_count = 1;
    CnBodyDef def = cn_body_def_default();
    def.shapes = &mesh;
    def.shape_count = 1;
    REFUSES(cn_validate_body(&def, field, error), "shapes", "shapes[0] is a mesh");
    REFUSES(cn_validate_body(&def, field, error), "shapes", "type convex (\"hull\": true");
    def.type = CN_BODY_KINEMATIC;
    CHECK_INT(cn_validate_body(&def, NULL, NULL), CN_OK);
    def.type = CN_BODY_STATIC;
    CHECK_INT(cn_validate_body(&def, NULL, NULL), CN_OK);
}

static void wrong_points_are_told_by_number(void) {
    CnVec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    CnShapeDef good = cn_shape_def_default(CN_SHAPE_CONVEX), def;
    good.points = points;
    good.point_count = 4;
    CHECK_INT(cn_validate_shape(&good, NULL, NULL, NULL), CN_OK);
    def = good, def.point_count = 3;
    REFUSES(cn_validate_shape(&def, field, NULL, error), "points",
            "has 3 points; it needs at least 4");
    def.point_count = -1;
    REFUSES(cn_validate_shape(&def, field, NULL, error), "points", "-1 points");
    def = good, def.points = NULL;
    REFUSES(cn_validate_shape(&def, field, NULL, error), "points", "NULL");
    def = good, points[2].y = not_a_number;
    REFUSES(cn_validate_shape(&def, field, NULL, error), "points", "points[2] is (0, nan, 0)");
}

static void a_wrong_body_is_told_its_field(void) {
    CnBodyDef good = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), cn_vec3(0.0, 0.0, 0.0)), def = good;
    CHECK_INT(cn_validate_body(&good, NULL, NULL), CN_OK);
    def.guard = 0;
    REFUSES(cn_validate_body(&def, field, error), "guard", "cn_body_def_default");
    def = good, def.position.x = not_a_number;
    REFUSES(cn_validate_body(&def, field, error), "position", "finite");
    def = good, def.velocity.x = infinite;
    REFUSES(cn_validate_body(&def, field, error), "velocity", "finite");
    def = good, def.angular_velocity.z = not_a_number;
    REFUSES(cn_validate_body(&def, field, error), "angular_velocity", "finite");
    def = good, def.rotation.w = 1.00001;
    REFUSES(cn_validate_body(&def, field, error), "rotation", "unit quaternion");
    def = good, def.rotation.w = not_a_number;
    REFUSES(cn_validate_body(&def, field, error), "rotation", "unit quaternion");
    def = good, def.type = (CnBodyType)9;
    REFUSES(cn_validate_body(&def, field, error), "type", "9");
    def = good, def.shape_count = 1;
    REFUSES(cn_validate_body(&def, field, error), "shapes", "NULL");
    def = good, def.mass = 0.0;
    REFUSES(cn_validate_body(&def, field, error), "mass", "0 kg");
    def = good, def.has_mass = false;
    REFUSES(cn_validate_body(&def, field, error), "mass", "volume");
    def = good, def.center.x = not_a_number;
    REFUSES(cn_validate_body(&def, field, error), "center", "finite");
    def.type = CN_BODY_STATIC; // also where it is not mass that the centre describes
    REFUSES(cn_validate_body(&def, field, error), "center", "finite");
    def = good, def.type = CN_BODY_STATIC, def.mass = -infinite; // which no scene file can hold
    REFUSES(cn_validate_body(&def, field, error), "mass", "finite");
    def = good, def.type = CN_BODY_STATIC, def.mass = -5.0;
    REFUSES(cn_validate_body(&def, field, error), "mass", "-5 kg; it must not be negative");
    def = good, def.type = CN_BODY_KINEMATIC, def.inertia[5] = not_a_number;
    REFUSES(cn_validate_body(&def, field, error), "inertia", "inertia[5]");
    def = good, def.type = CN_BODY_STATIC, def.mass = 0.0; // it has none to be used
    CHECK_INT(cn_validate_body(&def, NULL, NULL), CN_OK);
    def = good, def.type = CN_BODY_STATIC, def.velocity.x = 1.0;
    REFUSES(cn_validate_body(&def, field, error), "velocity", "kinematic");
}

static void inertia_must_be_that_of_a_body(void) {
    CnBodyDef good = run_body(1.0, cn_vec3(1.0, 1.0, 2.0), cn_vec3(0.0, 0.0, 0.0)), def = good;
    CHECK_INT(cn_validate_body(&good, NULL, NULL), CN_OK); // a thin plate: just so
    def.inertia[2] = 2.0 + 1e-6;
    REFUSES(cn_validate_body(&def, field, error), "inertia", "triangle");
    def = good, def.inertia[0] = -1.0;
    REFUSES(cn_validate_body(&def, field, error), "inertia", "positive");
    def = good, def.inertia[3] = 1.0; // xy = xx = yy: singular
    REFUSES(cn_validate_body(&def, field, error), "inertia", "smallest");
    def = good, def.inertia[4] = infinite;
    REFUSES(cn_validate_body(&def, field, error), "inertia", "inertia[4]");
}

static void a_dynamic_body_cannot_carry_a_plane(void) {
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CnBodyDef def = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), cn_vec3(0.0, 0.0, 0.0));
    def.shapes = &plane;
    def.shape_count = 1;
    REFUSES(cn_validate_body(&def, field, error), "shapes", "boundless");
    plane.guard = 0;
    REFUSES(cn_validate_body(&def, field, error), "shapes", "cn_shape_def_default");
}

// A radius of 1e-120 m is a number, but its cube is not one that has an inverse.
static void a_mass_without_an_inverse_is_refused(void) {
    CnWorldDef world_def = cn_world_def_default();
    CnWorld* world = run_create(&world_def);
    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    CnBodyDef def = cn_body_def_default();
    CnError error = {0};
    def.shapes = &sphere;
    def.shape_count = 1;
    const double radii[] = {1e-120, 1e150};
    for (int i = 0; i < 2; ++i) {
        sphere.radius = radii[i];
        CHECK_INT(cn_world_add_body(world, &def, &error).index, 0);
        CHECK_INT(error.status, CN_INVALID);
        CHECK_CONTAINS(error.message, "mass");
    }
    cn_world_destroy(world);
}

static void a_wrong_force_or_contact_is_told_its_field(void) {
    CnForceDef force = cn_force_def_default();
    CHECK_INT(cn_validate_force(&force, NULL, NULL), CN_OK);
    force.drag = -1.0;
    REFUSES(cn_validate_force(&force, field, error), "drag", "N s/m");
    force = cn_force_def_default(), force.force.x = not_a_number;
    REFUSES(cn_validate_force(&force, field, error), "force", "finite");
    force = cn_force_def_default(), force.torque.x = not_a_number;
    REFUSES(cn_validate_force(&force, field, error), "torque", "finite");
    force = cn_force_def_default(), force.point.x = not_a_number;
    REFUSES(cn_validate_force(&force, field, error), "point", "finite");
    force = cn_force_def_default(), force.frame = (CnForceFrame)5;
    REFUSES(cn_validate_force(&force, field, error), "frame", "5");

    CnContactDef contact = cn_contact_def_default();
    CHECK_INT(cn_validate_contact(&contact, NULL, NULL), CN_OK);
    contact.normal.z = 0.5;
    REFUSES(cn_validate_contact(&contact, field, error), "normal", "0.5");
    contact = cn_contact_def_default(), contact.gap = not_a_number;
    REFUSES(cn_validate_contact(&contact, field, error), "gap", "metres");
    contact = cn_contact_def_default(), contact.point.x = infinite;
    REFUSES(cn_validate_contact(&contact, field, error), "point", "finite");
}

static void a_wrong_constraint_is_told_its_field(void) {
    CnConstraintDef def = cn_constraint_def_default();
    REFUSES(cn_validate_constraint(&def, field, error), "kind", "no kind");
    CnConstraintKind broken = *cn_pin_kind();
    broken.dimension = 7;
    def.kind = &broken;
    REFUSES(cn_validate_constraint(&def, field, error), "kind", "dimension 7");
    def.kind = cn_pin_kind();
    REFUSES(cn_validate_constraint(&def, field, error), "data", "bytes");
    def.data_size = 8;
    REFUSES(cn_validate_constraint(&def, field, error), "data", "NULL");
    CnAnchorDistanceData link = {.length = 0.0};
    def.kind = cn_anchor_distance_kind();
    def.data = &link;
    def.data_size = sizeof link;
    REFUSES(cn_validate_constraint(&def, field, error), "length", "positive");
    def.guard = 1;
    REFUSES(cn_validate_constraint(&def, field, error), "guard", "cn_constraint_def_default");
}

static void a_wrong_step_is_told_its_field(void) {
    CnStepDef good = cn_world_def_default().step, def = good;
    CHECK_INT(cn_validate_step(&good, NULL, NULL), CN_OK);
    def.theta = 0.49;
    REFUSES(cn_validate_step(&def, field, error), "theta", "[0.5, 1]");
    def = good, def.substeps = 0;
    REFUSES(cn_validate_step(&def, field, error), "substeps", "0");
    def = good, def.error_reduction = 1.1;
    REFUSES(cn_validate_step(&def, field, error), "error_reduction", "1.1");
    def = good, def.slop = -1e-4;
    REFUSES(cn_validate_step(&def, field, error), "slop", "m");
    def = good, def.max_correction = not_a_number;
    REFUSES(cn_validate_step(&def, field, error), "max_correction", "nan");
    def = good, def.restitution_threshold = -1.0;
    REFUSES(cn_validate_step(&def, field, error), "restitution_threshold", "m/s");
    def = good, def.max_impacts = 0;
    REFUSES(cn_validate_step(&def, field, error), "max_impacts", "0");
    def = good, def.contact_margin = infinite;
    REFUSES(cn_validate_step(&def, field, error), "contact_margin", "finite");
    def = good, def.scheme = CN_SCHEME_COUNT;
    REFUSES(cn_validate_step(&def, field, error), "scheme", "does not exist");
    def = good, def.rotation = CN_ROTATION_COUNT;
    REFUSES(cn_validate_step(&def, field, error), "rotation", "does not exist");
    def = good, def.integrator = CN_INTEGRATOR_COUNT;
    REFUSES(cn_validate_step(&def, field, error), "integrator", "does not exist");
    def = good, def.stabilisation = CN_STABILISATION_COUNT;
    REFUSES(cn_validate_step(&def, field, error), "stabilisation", "does not exist");
    def = good, def.warm_start_factor = 1.0 + 1e-15;
    REFUSES(cn_validate_step(&def, field, error), "warm_start_factor", "it must be in [0, 1]");
    def = good, def.warm_start_factor = NAN;
    REFUSES(cn_validate_step(&def, field, error), "warm_start_factor", "it must be in [0, 1]");
    def = good, def.warm_start = CN_WARM_START_COUNT;
    REFUSES(cn_validate_step(&def, field, error), "warm_start", "does not exist");
}

static void a_wrong_world_def_makes_no_world(void) {
    CnError error = {0};
    CnWorldDef def = cn_world_def_default();
    def.guard = 0;
    CHECK(cn_world_create(&def, &error) == NULL);
    CHECK_CONTAINS(error.message, "cn_world_def_default");
    def = cn_world_def_default(), def.gravity.x = not_a_number;
    CHECK(cn_world_create(&def, &error) == NULL);
    CHECK_CONTAINS(error.message, "gravity");
    def = cn_world_def_default(), def.step.theta = 2.0;
    CHECK(cn_world_create(&def, &error) == NULL);
    CHECK_CONTAINS(error.message, "theta");
    def = cn_world_def_default(), def.solver.name = "ngss";
    CHECK(cn_world_create(&def, &error) == NULL);
    CHECK_CONTAINS(error.message, "nsgs");
    CHECK(cn_world_create(&def, NULL) == NULL);
}

static void names_are_those_of_scene_files(void) {
    CHECK_STRING(cn_scheme_name(CN_SCHEME_IMPLICIT), "implicit");
    CHECK_STRING(cn_scheme_name(CN_SCHEME_QUASI_STATIC), "quasi_static");
    CHECK_STRING(cn_rotation_update_name(CN_ROTATION_SEMI_IMPLICIT), "semi_implicit");
    CHECK_STRING(cn_integrator_name(CN_INTEGRATOR_RK4), "rk4");
    CHECK_STRING(cn_stabilisation_name(CN_STABILISATION_SPLIT_IMPULSE), "split_impulse");
    CHECK_STRING(cn_warm_start_name(CN_WARM_START_SCALED), "scaled");
    CHECK_STRING(cn_channel_name(CN_CHANNEL_JOINT_TURN_Z), "joint_turn_z");
    CHECK_STRING(cn_channel_name(CN_CHANNEL_COUNT), "unknown");
    CHECK_STRING(cn_work_name(CN_WORK_STABILISATION), "stabilisation");
    CHECK_STRING(cn_stage_name(CN_STAGE_GRADE), "grade");
}

TEST_MAIN("unit/world/validate", TEST(a_wrong_material_is_told_its_field),
          TEST(a_wrong_series_is_told_its_field), TEST(a_wrong_shape_is_told_its_field),
          TEST(a_wrong_solid_is_told_its_field), TEST(wrong_points_are_told_by_number),
          TEST(wrong_triangles_are_told_by_number), TEST(wrong_heights_are_told_by_number),
          TEST(a_mesh_on_a_dynamic_body_is_refused), TEST(a_wrong_body_is_told_its_field),
          TEST(inertia_must_be_that_of_a_body), TEST(a_dynamic_body_cannot_carry_a_plane),
          TEST(a_mass_without_an_inverse_is_refused),
          TEST(a_wrong_force_or_contact_is_told_its_field),
          TEST(a_wrong_constraint_is_told_its_field), TEST(a_wrong_step_is_told_its_field),
          TEST(a_wrong_world_def_makes_no_world), TEST(names_are_those_of_scene_files))

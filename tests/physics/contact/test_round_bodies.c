// test_round_bodies.c - capsules, cylinders and balls at rest on planes, boxes and edges.
#include "cairn/cairn.h"
#include "support/run.h"

#define DT 0.005               // [s]
#define SOLVER_TOLERANCE 1e-12 // [m/s]
#define GRAVITY 9.81           // [m/s^2]
#define MAX_POINTS 16

static CnWorld* tight_world(void) {
    CnWorldDef def = cn_world_def_default();
    def.solver.tolerance = SOLVER_TOLERANCE;
    return run_create(&def);
}

static CnBodyId add_shape(CnWorld* world, CnBodyType type, CnShapeDef shape, CnVec3 position,
                          CnQuat rotation, CnMaterialId material) {
    CnBodyDef def = cn_body_def_default();
    def.type = type;
    def.shapes = &shape;
    def.shape_count = 1;
    def.position = position;
    def.rotation = rotation;
    def.material = material;
    return run_add(world, &def);
}

static CnShapeDef rod(CnShapeType type, double radius, double length) {
    CnShapeDef def = cn_shape_def_default(type);
    def.radius = radius;
    def.length = length;
    return def;
}

static CnShapeDef brick(double x, double y, double z) {
    CnShapeDef def = cn_shape_def_default(CN_SHAPE_BOX);
    def.size = cn_vec3(x, y, z);
    return def;
}

static CnQuat lying(void) { // local z along world x
    return cn_quat(sqrt(0.5), 0.0, sqrt(0.5), 0.0);
}

// Steps count times; the contact points must stay as many and keep their keys, and the body must
// not have moved by more than the solver's tolerance in all that time.
static void check_rests(CnWorld* world, CnBodyId body, int expected, int count) {
    CnContactPoint first[MAX_POINTS], last[MAX_POINTS];
    run_steps(world, DT, 10); // settles what round-off has left of the start
    CnVec3 start = run_state(world, body).center;
    CHECK_INT(cn_world_contacts(world, first, MAX_POINTS), expected);
    run_steps(world, DT, count);
    CHECK_INT(cn_world_contacts(world, last, MAX_POINTS), expected);
    for (int i = 0; i < expected; ++i) {
        CHECK(first[i].key == last[i].key);
    }
    CnVec3 moved = cn_vec3_sub(run_state(world, body).center, start);
    CHECK_NEAR(cn_vec3_length(moved) / (count * DT), 0.0, 1e-9);
}

static void a_capsule_on_a_plane_keeps_its_two_points_and_its_place(void) {
    CnWorld* world = tight_world();
    CnMaterialId material = run_add_material(world, 0.5, 0.0);
    run_add_ground(world, material);
    CnBodyId body = add_shape(world, CN_BODY_DYNAMIC, rod(CN_SHAPE_CAPSULE, 0.25, 1.0),
                              cn_vec3(0.0, 0.0, 0.25), lying(), material);
    check_rests(world, body, 2, 1000);
    cn_world_destroy(world);
}

static void a_capsule_on_a_box_keeps_its_two_points_and_its_place(void) {
    CnWorld* world = tight_world();
    CnMaterialId material = run_add_material(world, 0.5, 0.0);
    add_shape(world, CN_BODY_STATIC, brick(4.0, 4.0, 1.0), cn_vec3(0.0, 0.0, -0.5),
              cn_quat_identity(), material);
    CnBodyId body = add_shape(world, CN_BODY_DYNAMIC, rod(CN_SHAPE_CAPSULE, 0.25, 1.0),
                              cn_vec3(0.1, 0.2, 0.25), lying(), material);
    check_rests(world, body, 2, 1000);
    cn_world_destroy(world);
}

static void a_cylinder_on_a_box_keeps_its_four_points_and_its_place(void) {
    CnWorld* world = tight_world();
    CnMaterialId material = run_add_material(world, 0.5, 0.0);
    add_shape(world, CN_BODY_STATIC, brick(4.0, 4.0, 1.0), cn_vec3(0.0, 0.0, -0.5),
              cn_quat_identity(), material);
    CnBodyId body = add_shape(world, CN_BODY_DYNAMIC, rod(CN_SHAPE_CYLINDER, 0.3, 1.0),
                              cn_vec3(0.1, 0.2, 0.5), cn_quat_identity(), material);
    check_rests(world, body, 4, 500);
    cn_world_destroy(world);
}

// A cylinder of radius .3 and height 1 stands as long as it leans less than atan(.3 / .5) = .54
// rad. Let go on its rim at .3 rad it comes down on its base; every impact there loses energy.
static void a_leaning_cylinder_falls_back_on_its_base(void) {
    CnWorld* world = tight_world();
    CnMaterialId material = run_add_material(world, 0.8, 0.0);
    run_add_ground(world, material);
    double lean = 0.3;
    double height = 0.3 * sin(lean) + 0.5 * cos(lean);
    CnBodyId body = add_shape(world, CN_BODY_DYNAMIC, rod(CN_SHAPE_CYLINDER, 0.3, 1.0),
                              cn_vec3(0.0, 0.0, height),
                              cn_quat_from_axis_angle(cn_vec3(0.6, 0.8, 0.0), lean), material);
    run_steps(world, DT, 1600); // 8 s
    CnBodyState state = run_state(world, body);
    CnVec3 axis = cn_quat_rotate(state.rotation, cn_vec3(0.0, 0.0, 1.0));
    CHECK_NEAR(axis.z, 1.0, 1e-6);
    CHECK_NEAR(state.center.z, 0.5, 1e-4); // contact_margin 1e-3 holds it no higher
    CHECK_NEAR(cn_vec3_length(state.velocity), 0.0, 1e-6);
    cn_world_destroy(world);
}

// A ball of radius 1 in a gap of 1 m between two boxes sits on their edges, sqrt(3)/2 above them;
// either pushes at 30 degrees from the vertical: weight / (2 cos 30).
static void a_ball_on_two_edges_is_carried_by_both(void) {
    CnWorld* world = tight_world();
    CnMaterialId material = run_add_material(world, 0.0, 0.0);
    for (double side = -1.0; side <= 1.0; side += 2.0) {
        add_shape(world, CN_BODY_STATIC, brick(2.0, 4.0, 1.0), cn_vec3(1.5 * side, 0.0, -0.5),
                  cn_quat_identity(), material);
    }
    double mass = 3.0;
    CnBodyId ball = run_add_ball(world, mass, 1.0, cn_vec3(0.0, 0.0, sqrt(0.75)),
                                 cn_vec3(0.0, 0.0, 0.0), material);
    check_rests(world, ball, 2, 200);
    CnContactPoint points[MAX_POINTS];
    cn_world_contacts(world, points, MAX_POINTS);
    for (int i = 0; i < 2; ++i) {
        double force = cn_vec3_length(points[i].impulse) / DT;
        // Rows are solved to 1e-12 m/s: an impulse of mass times that, over the step.
        CHECK_NEAR(force, mass * GRAVITY / sqrt(3.0), 1e-8);
        CHECK_NEAR(fabs(points[i].normal.z), sqrt(0.75), 1e-9);
    }
    cn_world_destroy(world);
}

static void push(CnWorld* world, CnBodyId body, CnVec3 point, CnVec3 force) {
    CnForceDef def = cn_force_def_default();
    def.body = body;
    def.point = point;
    def.force = force;
    ck_assert_uint_ne(cn_world_add_force(world, &def, NULL).index, 0);
}

// A capsule along y between a wall and a block that is pushed against it with 100 N: friction may
// carry 2 x .5 x 100 N, its weight is less. The block's own weight and the half of the capsule's
// that hangs on its face are held by forces, so that nothing but friction holds the capsule.
static void a_capsule_pinched_between_two_boxes_is_held_by_friction(void) {
    CnWorld* world = tight_world();
    CnMaterialId material = run_add_material(world, 0.5, 0.0);
    double mass = 2.0, block_mass = 5.0;
    CnQuat along_y = cn_quat(sqrt(0.5), sqrt(0.5), 0.0, 0.0);
    add_shape(world, CN_BODY_STATIC, brick(1.0, 4.0, 4.0), cn_vec3(-0.75, 0.0, 0.0),
              cn_quat_identity(), material);
    CnShapeDef shape = rod(CN_SHAPE_CAPSULE, 0.25, 1.0);
    CnBodyDef held = run_body(mass, cn_vec3(0.3, 0.3, 0.06), cn_vec3(0.0, 0.0, 0.0));
    held.shapes = &shape;
    held.shape_count = 1;
    held.rotation = along_y;
    held.material = material;
    CnBodyId capsule = run_add(world, &held);
    CnShapeDef block_shape = brick(1.0, 2.0, 2.0);
    CnBodyDef block = run_body(block_mass, cn_vec3(3.0, 2.0, 2.0), cn_vec3(0.75, 0.0, 0.0));
    block.shapes = &block_shape;
    block.shape_count = 1;
    block.material = material;
    CnBodyId pusher = run_add(world, &block);
    push(world, pusher, cn_vec3(0.0, 0.0, 0.0), cn_vec3(-100.0, 0.0, block_mass * GRAVITY));
    push(world, pusher, cn_vec3(-0.5, 0.0, 0.0), cn_vec3(0.0, 0.0, 0.5 * mass * GRAVITY));
    check_rests(world, capsule, 4, 500);
    cn_world_destroy(world);
}

TEST_MAIN("physics/contact/round_bodies",
          TEST(a_capsule_on_a_plane_keeps_its_two_points_and_its_place),
          TEST(a_capsule_on_a_box_keeps_its_two_points_and_its_place),
          TEST(a_cylinder_on_a_box_keeps_its_four_points_and_its_place),
          TEST(a_leaning_cylinder_falls_back_on_its_base),
          TEST(a_ball_on_two_edges_is_carried_by_both),
          TEST(a_capsule_pinched_between_two_boxes_is_held_by_friction))

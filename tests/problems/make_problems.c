// make_problems.c - writes the saved problems that every solver is tried on.
//
//     build/release/tests/make_problems tests/problems
//
// Each is a step of a small scene, posed by a world and saved, or rows built by hand where no
// scene of this library poses them. The files are kept in the repository: a solver must go on
// solving them even if the worlds that once posed them change. The problems in tests/problems/hard
// are kept because not every exact solver reaches 1e-10 m/s on them yet; the piles of 72 balls
// among them were saved from the same box.
#include "cairn/cairn.h"
#include "support/problems/problems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char* folder;

static void fail(const char* what, const CnError* error) {
    fprintf(stderr, "make_problems: %s: %s\n", what, error->message);
    exit(EXIT_FAILURE);
}

static void save(const char* name, const CnProblem* problem) {
    char path[400];
    CnError error = {0};
    snprintf(path, sizeof path, "%s/%s.json", folder, name);
    if (cn_problem_check(problem, &error) != CN_OK ||
        cn_problem_save(problem, path, &error) != CN_OK) {
        fail(name, &error);
    }
}

// ---- scenes ----

// Impulses of a step this short keep the round-off of a mass ratio of 1e6 below 1e-11 m/s.
#define STEP 0.001 // [s]

typedef struct Stage {
    CnWorld* world;
    CnBodyId ground;
    CnMaterialId material;
} Stage;

// As stage_open(), with arms on which the ground and the bodies resist spinning and rolling [m].
static Stage stage_open_resisting(double friction, double restitution, double torsion,
                                  double rolling) {
    CnError error = {0};
    CnWorldDef def = cn_world_def_default();
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CnMaterialDef material = cn_material_def_default();
    CnBodyDef ground = cn_body_def_default();

    // Good enough to get somewhere: what is saved is the question, not the answer.
    def.solver.name = "nsgs";
    def.solver.tolerance = 1e-6;
    def.solver.max_iterations = 200;
    def.step.stabilisation = CN_STABILISATION_BAUMGARTE;
    Stage stage = {.world = cn_world_create(&def, &error)};
    if (stage.world == NULL) {
        fail("world", &error);
    }
    material.friction = friction;
    material.restitution = restitution;
    material.torsion = torsion;
    material.rolling = rolling;
    stage.material = cn_world_add_material(stage.world, &material, &error);
    ground.name = "ground";
    ground.type = CN_BODY_STATIC;
    ground.shapes = &plane;
    ground.shape_count = 1;
    ground.material = stage.material;
    stage.ground = cn_world_add_body(stage.world, &ground, &error);
    return stage;
}

static Stage stage_open(double friction, double restitution) {
    return stage_open_resisting(friction, restitution, 0.0, 0.0);
}

// Steps the scene and keeps the last step's problem.
static void stage_save(Stage* stage, const char* name, int steps) {
    CnError error = {0};
    for (int i = 0; i < steps; ++i) {
        if (cn_world_step(stage->world, STEP, NULL, &error) != CN_OK) {
            fail(name, &error);
        }
    }
    save(name, cn_world_problem(stage->world));
    cn_world_destroy(stage->world);
}

static CnBodyId add_box(Stage* stage, double mass, CnVec3 size, CnVec3 position, CnVec3 velocity) {
    CnError error = {0};
    CnBodyDef def = cn_body_def_default();
    def.has_mass = true;
    def.mass = mass;
    def.inertia[0] = mass / 12.0 * (size.y * size.y + size.z * size.z);
    def.inertia[1] = mass / 12.0 * (size.x * size.x + size.z * size.z);
    def.inertia[2] = mass / 12.0 * (size.x * size.x + size.y * size.y);
    def.position = position;
    def.velocity = velocity;
    def.material = stage->material;
    CnBodyId id = cn_world_add_body(stage->world, &def, &error);
    if (id.index == 0) {
        fail("box", &error);
    }
    return id;
}

static void add_contact(Stage* stage, CnBodyId a, CnBodyId b, CnVec3 point, CnVec3 normal) {
    CnError error = {0};
    CnContactDef def = cn_contact_def_default();
    def.body_a = a;
    def.body_b = b;
    def.point = point;
    def.normal = normal;
    if (cn_world_add_contact(stage->world, &def, &error).index == 0) {
        fail("contact", &error);
    }
}

// Four corners of a face of half width w at height z, pushing up.
static void add_face(Stage* stage, CnBodyId below, CnBodyId above, double x, double z, double w) {
    for (int i = 0; i < 4; ++i) {
        CnVec3 corner = cn_vec3(x + (i & 1 ? w : -w), i & 2 ? w : -w, z);
        add_contact(stage, below, above, corner, cn_vec3(0.0, 0.0, 1.0));
    }
}

static void box_on_plane(const char* name, double friction, CnVec3 velocity) {
    Stage stage = stage_open(friction, 0.0);
    CnVec3 unit = {1.0, 1.0, 1.0};
    CnBodyId box = add_box(&stage, 2.0, unit, cn_vec3(0.0, 0.0, 0.5), velocity);
    add_face(&stage, stage.ground, box, 0.0, 0.0, 0.5);
    stage_save(&stage, name, 1);
}

static void stack(const char* name, int count, double ratio, double friction, int steps) {
    Stage stage = stage_open(friction, 0.0);
    CnVec3 unit = {1.0, 1.0, 1.0}, rest = {0.0, 0.0, 0.0};
    CnBodyId below = stage.ground;
    double mass = 1.0;
    for (int i = 0; i < count; ++i) {
        CnBodyId box = add_box(&stage, mass, unit, cn_vec3(0.0, 0.0, 0.5 + i), rest);
        add_face(&stage, below, box, 0.0, i, 0.5);
        below = box;
        mass *= ratio;
    }
    stage_save(&stage, name, steps);
}

static void incline(const char* name, double degrees, double friction) {
    Stage stage = stage_open(friction, 0.0);
    double angle = degrees * CN_PI / 180.0;
    CnQuat tilt = cn_quat_from_axis_angle(cn_vec3(0.0, 1.0, 0.0), angle);
    CnVec3 normal = cn_quat_rotate(tilt, cn_vec3(0.0, 0.0, 1.0));
    CnError error = {0};
    CnBodyDef def = cn_body_def_default();
    def.has_mass = true;
    def.mass = 10.0;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 10.0 / 6.0;
    def.rotation = tilt;
    def.position = cn_vec3_scale(0.5, normal);
    def.material = stage.material;
    CnBodyId box = cn_world_add_body(stage.world, &def, &error);
    for (int i = 0; i < 4; ++i) {
        CnVec3 corner = cn_vec3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, 0.0);
        add_contact(&stage, stage.ground, box, cn_quat_rotate(tilt, corner), normal);
    }
    stage_save(&stage, name, 1);
}

static CnBodyId add_spinning_ball(Stage* stage, double radius, CnVec3 position, CnVec3 velocity,
                                  CnVec3 spin) {
    CnError error = {0};
    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    CnBodyDef def = cn_body_def_default();
    sphere.radius = radius;
    def.shapes = &sphere;
    def.shape_count = 1;
    def.position = position;
    def.velocity = velocity;
    def.angular_velocity = spin;
    def.material = stage->material;
    CnBodyId id = cn_world_add_body(stage->world, &def, &error);
    if (id.index == 0) {
        fail("ball", &error);
    }
    return id;
}

static CnBodyId add_ball(Stage* stage, double radius, CnVec3 position, CnVec3 velocity) {
    return add_spinning_ball(stage, radius, position, velocity, cn_vec3(0.0, 0.0, 0.0));
}

static void add_wall(Stage* stage, CnVec3 point, CnVec3 normal) {
    CnError error = {0};
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CnBodyDef def = cn_body_def_default();
    plane.normal = normal;
    def.type = CN_BODY_STATIC;
    def.position = point;
    def.shapes = &plane;
    def.shape_count = 1;
    def.material = stage->material;
    if (cn_world_add_body(stage->world, &def, &error).index == 0) {
        fail("wall", &error);
    }
}

// Balls in a box of side 2, dropped in layers that are shifted against each other.
static void pile_resisting(const char* name, int count, double friction, double torsion,
                           double rolling, int steps) {
    Stage stage = stage_open_resisting(friction, 0.0, torsion, rolling);
    add_wall(&stage, cn_vec3(-1.0, 0.0, 0.0), cn_vec3(1.0, 0.0, 0.0));
    add_wall(&stage, cn_vec3(1.0, 0.0, 0.0), cn_vec3(-1.0, 0.0, 0.0));
    add_wall(&stage, cn_vec3(0.0, -1.0, 0.0), cn_vec3(0.0, 1.0, 0.0));
    add_wall(&stage, cn_vec3(0.0, 1.0, 0.0), cn_vec3(0.0, -1.0, 0.0));
    for (int i = 0; i < count; ++i) {
        int layer = i / 9, place = i % 9;
        double shift = 0.03 * (layer % 3) - 0.03;
        CnVec3 position = cn_vec3(0.62 * (place % 3 - 1) + shift,
                                  0.62 * (place / 3 - 1) - 0.7 * shift, 0.31 + 0.6 * layer);
        add_ball(&stage, 0.3, position, cn_vec3(0.0, 0.0, 0.0));
    }
    stage_save(&stage, name, steps);
}

static void pile(const char* name, int count, double friction, int steps) {
    pile_resisting(name, count, friction, 0.0, 0.0, steps);
}

// A ball that slides and spins as it lands, on ground that resists one of them, or both.
static void ball_resisting(const char* name, double torsion, double rolling, CnVec3 velocity,
                           CnVec3 spin) {
    Stage stage = stage_open_resisting(0.4, 0.0, torsion, rolling);
    add_spinning_ball(&stage, 0.5, cn_vec3(0.0, 0.0, 0.5), velocity, spin);
    stage_save(&stage, name, 1);
}

static void add_distance(Stage* stage, CnBodyId a, CnBodyId b, double length) {
    CnError error = {0};
    CnDistanceData data = {.length = length};
    CnConstraintDef def = cn_constraint_def_default();
    def.kind = cn_distance_kind();
    def.body_a = a;
    def.body_b = b;
    def.data = &data;
    def.data_size = sizeof data;
    if (cn_world_add_constraint(stage->world, &def, &error).index == 0) {
        fail("distance", &error);
    }
}

static void add_pin(Stage* stage, CnBodyId body, CnVec3 point, CnVec3 anchor) {
    CnError error = {0};
    CnPinData data = {point, anchor};
    CnConstraintDef def = cn_constraint_def_default();
    def.kind = cn_pin_kind();
    def.body_a = body;
    def.data = &data;
    def.data_size = sizeof data;
    if (cn_world_add_constraint(stage->world, &def, &error).index == 0) {
        fail("pin", &error);
    }
}

// A chain of balls from the origin along x at a height; the last one has another radius.
static void chain(const char* name, int count, double last_radius, double height, int steps) {
    Stage stage = stage_open(0.6, 0.0);
    CnVec3 rest = {0.0, 0.0, 0.0};
    CnBodyId before = {0};
    double x = 0.0;
    for (int i = 0; i < count; ++i) {
        double radius = i == count - 1 ? last_radius : 0.1;
        double length = 0.4 + radius;
        x += length;
        CnBodyId ball = add_ball(&stage, radius, cn_vec3(x, 0.0, height), rest);
        if (i == 0) {
            add_pin(&stage, ball, cn_vec3(-length, 0.0, 0.0), cn_vec3(0.0, 0.0, height));
        } else {
            add_distance(&stage, before, ball, length);
        }
        before = ball;
    }
    stage_save(&stage, name, steps);
}

static void two_balls(const char* name, double restitution, CnVec3 offset, CnVec3 velocity) {
    Stage stage = stage_open(0.3, restitution);
    CnVec3 a = {0.0, 0.0, 5.0};
    add_ball(&stage, 0.5, a, cn_vec3(0.0, 0.0, 0.0));
    add_ball(&stage, 0.5, cn_vec3_add(a, offset), velocity);
    stage_save(&stage, name, 1);
}

// Four balls in a square with both diagonals: six distances, one more than rigidity in the plane
// needs, pinned at one corner.
static void braced_square(const char* name) {
    Stage stage = stage_open(0.5, 0.0);
    CnVec3 rest = {0.0, 0.0, 0.0};
    CnBodyId ball[4];
    for (int i = 0; i < 4; ++i) {
        CnVec3 corner = cn_vec3(i == 1 || i == 2 ? 1.0 : 0.0, 0.0, i >= 2 ? 6.0 : 5.0);
        ball[i] = add_ball(&stage, 0.1, corner, rest);
    }
    add_pin(&stage, ball[0], rest, cn_vec3(0.0, 0.0, 5.0));
    for (int i = 0; i < 4; ++i) {
        add_distance(&stage, ball[i], ball[(i + 1) % 4], 1.0);
    }
    add_distance(&stage, ball[0], ball[2], sqrt(2.0));
    add_distance(&stage, ball[1], ball[3], sqrt(2.0));
    stage_save(&stage, name, 1);
}

static void twice_pinned(const char* name) {
    Stage stage = stage_open(0.5, 0.0);
    CnVec3 size = {1.0, 0.2, 0.2}, rest = {0.0, 0.0, 0.0};
    CnBodyId bar = add_box(&stage, 3.0, size, cn_vec3(0.0, 0.0, 5.0), rest);
    add_pin(&stage, bar, cn_vec3(-0.5, 0.0, 0.0), cn_vec3(-0.5, 0.0, 5.0));
    add_pin(&stage, bar, cn_vec3(0.5, 0.0, 0.0), cn_vec3(0.5, 0.0, 5.0));
    stage_save(&stage, name, 1);
}

static void table_on_four_legs(const char* name) {
    Stage stage = stage_open(0.5, 0.0);
    CnVec3 size = {2.0, 1.0, 0.1}, rest = {0.0, 0.0, 0.0};
    CnBodyId top = add_box(&stage, 20.0, size, cn_vec3(0.0, 0.0, 1.0), rest);
    CnForceDef load = cn_force_def_default();
    CnError error = {0};
    for (int i = 0; i < 4; ++i) {
        CnVec3 leg = cn_vec3(i & 1 ? 0.9 : -0.9, i & 2 ? 0.4 : -0.4, 0.0);
        add_contact(&stage, stage.ground, top, leg, cn_vec3(0.0, 0.0, 1.0));
    }
    load.body = top;
    load.point = cn_vec3(0.3, 0.1, 0.0);
    load.force = cn_vec3(5.0, 0.0, -100.0);
    cn_world_add_force(stage.world, &load, &error);
    stage_save(&stage, name, 1);
}

// A box held between two walls by friction while it is pushed against one of them.
static void pressed_against_wall(const char* name, double push) {
    Stage stage = stage_open(0.5, 0.0);
    CnVec3 unit = {1.0, 1.0, 1.0}, rest = {0.0, 0.0, 0.0};
    CnBodyId box = add_box(&stage, 1.0, unit, cn_vec3(0.0, 0.0, 5.0), rest);
    CnForceDef load = cn_force_def_default();
    CnError error = {0};
    for (int i = 0; i < 4; ++i) {
        CnVec3 corner = cn_vec3(0.5, i & 1 ? 0.5 : -0.5, i & 2 ? 5.5 : 4.5);
        add_contact(&stage, stage.ground, box, corner, cn_vec3(-1.0, 0.0, 0.0));
    }
    load.body = box;
    load.force = cn_vec3(push, 0.0, 0.0);
    cn_world_add_force(stage.world, &load, &error);
    stage_save(&stage, name, 1);
}

// A box on a belt that runs to one side.
static void belt(const char* name, double speed) {
    Stage stage = stage_open(0.4, 0.0);
    CnVec3 unit = {1.0, 1.0, 1.0}, rest = {0.0, 0.0, 0.0};
    CnBodyDef def = cn_body_def_default();
    CnError error = {0};
    def.type = CN_BODY_KINEMATIC;
    def.velocity = cn_vec3(0.0, speed, 0.0);
    def.material = stage.material;
    CnBodyId moving = cn_world_add_body(stage.world, &def, &error);
    CnBodyId box = add_box(&stage, 4.0, unit, cn_vec3(0.0, 0.0, 5.5), rest);
    add_face(&stage, moving, box, 0.0, 5.0, 0.5);
    stage_save(&stage, name, 1);
}

// A body with a shape of its own; a box has the inertia of one, anything else that of a ball of
// 10 cm.
static CnBodyId add_part(Stage* stage, const CnShapeDef* shape, double mass, CnVec3 position,
                         CnVec3 velocity) {
    CnError error = {0};
    CnBodyDef def = cn_body_def_default();
    CnVec3 size = shape->size;
    double ball = 0.4 * mass * 0.01;
    bool box = shape->type == CN_SHAPE_BOX;
    def.shapes = shape;
    def.shape_count = 1;
    def.has_mass = true;
    def.mass = mass;
    def.inertia[0] = box ? mass / 12.0 * (size.y * size.y + size.z * size.z) : ball;
    def.inertia[1] = box ? mass / 12.0 * (size.x * size.x + size.z * size.z) : ball;
    def.inertia[2] = box ? mass / 12.0 * (size.x * size.x + size.y * size.y) : ball;
    def.position = position;
    def.velocity = velocity;
    def.material = stage->material;
    CnBodyId id = cn_world_add_body(stage->world, &def, &error);
    if (id.index == 0) {
        fail("part", &error);
    }
    return id;
}

static void add_joint(Stage* stage, CnJointType type, CnBodyId a, CnBodyId b, CnVec3 point,
                      CnVec3 axis) {
    CnError error = {0};
    CnJointDef def = cn_joint_def_default(type);
    def.body_a = a;
    def.body_b = b;
    def.point_a = point;
    def.axis = axis;
    if (cn_world_add_joint(stage->world, &def, &error).index == 0) {
        fail("joint", &error);
    }
}

// A trunk of 20 kg on four legs of eight hinges each, light towards the feet; every foot is a box.
// Legs are turned about the vertical against the feet's edges [rad]: when all is symmetric,
// contacts between sticking and sliding keep solvers from more than nine digits.
static void standing_robot(const char* name) {
    static const CnVec3 axes[2] = {{0.0, 1.0, 0.0}, {1.0, 0.0, 0.0}};
    Stage stage = stage_open(0.6, 0.0);
    CnVec3 rest = {0.0, 0.0, 0.0};
    CnShapeDef trunk = cn_shape_def_default(CN_SHAPE_BOX), foot = trunk;
    CnShapeDef link = cn_shape_def_default(CN_SHAPE_SPHERE);
    trunk.size = cn_vec3(0.6, 0.6, 0.2);
    foot.size = cn_vec3(0.1, 0.1, 0.04);
    link.radius = 0.04;
    CnBodyId root = add_part(&stage, &trunk, 20.0, cn_vec3(0.0, 0.0, 1.11), rest);
    for (int leg = 0; leg < 4; ++leg) {
        CnBodyId above = root;
        double angle = 0.5 * CN_PI * leg + 0.3; // feet are not in line with them
        double x = 0.28 * cn_cos(angle), y = 0.28 * cn_sin(angle);
        for (int i = 0; i < 8; ++i) {
            double top = 1.01 - 0.12 * i;
            CnVec3 center = cn_vec3(x, y, i < 7 ? top - 0.06 : 0.02);
            CnBodyId part = add_part(&stage, i < 7 ? &link : &foot, 1.0 / (i + 1), center, rest);
            add_joint(&stage, CN_JOINT_HINGE, above, part, cn_vec3(x, y, top), axes[(leg + i) % 2]);
            above = part;
        }
    }
    stage_save(&stage, name, 20);
}

// A ton at the end of thirty links of 1 kg swings into a wall.
static void wrecking_ball(const char* name) {
    Stage stage = stage_open(0.6, 0.0);
    CnShapeDef link = cn_shape_def_default(CN_SHAPE_SPHERE), ball = link;
    CnVec3 up = {0.0, 0.0, 1.0};
    CnBodyId above = {0};
    link.radius = 0.05;
    ball.radius = 0.5;
    add_wall(&stage, cn_vec3(0.501, 0.0, 0.0), cn_vec3(-1.0, 0.0, 0.0));
    for (int i = 0; i < 30; ++i) {
        double top = 9.5 - 0.2 * i;
        CnBodyId part = add_part(&stage, &link, 1.0, cn_vec3(0.0, 0.0, top - 0.1),
                                 cn_vec3((i + 0.5) / 15.0, 0.0, 0.0));
        add_joint(&stage, CN_JOINT_BALL, part, above, cn_vec3(0.0, 0.0, top), up);
        above = part;
    }
    CnBodyId load = add_part(&stage, &ball, 1000.0, cn_vec3(0.0, 0.0, 3.0), cn_vec3(2.0, 0.3, 0.0));
    add_joint(&stage, CN_JOINT_BALL, load, above, cn_vec3(0.0, 0.0, 3.5), up);
    stage_save(&stage, name, 3);
}

// Twenty planks between two banks, two joints between neighbours, of whose six rows one is
// redundant; five boxes on them.
static void rope_bridge(const char* name) {
    Stage stage = stage_open(0.5, 0.0);
    CnShapeDef plank = cn_shape_def_default(CN_SHAPE_BOX), box = plank;
    CnVec3 rest = {0.0, 0.0, 0.0}, up = {0.0, 0.0, 1.0};
    CnBodyId before = {0};
    plank.size = cn_vec3(0.48, 2.0, 0.1);
    box.size = cn_vec3(0.4, 0.4, 0.4);
    for (int i = 0; i <= 20; ++i) {
        CnBodyId next = {0}; // the far bank
        if (i < 20) {
            next = add_part(&stage, &plank, 20.0, cn_vec3(0.5 * i + 0.25, 0.0, 5.0), rest);
        }
        for (int side = -1; side <= 1; side += 2) {
            CnVec3 point = cn_vec3(0.5 * i, 0.9 * side, 5.0);
            add_joint(&stage, CN_JOINT_BALL, i < 20 ? next : before, i < 20 ? before : next, point,
                      up);
        }
        before = next;
    }
    for (int i = 0; i < 5; ++i) {
        CnVec3 center = cn_vec3(2.0 * i + 1.0, 0.1 * (i % 3), 5.255);
        add_part(&stage, &box, 50.0, center, rest);
    }
    stage_save(&stage, name, 60);
}

// ---- rows built by hand ----

static void save_built(const char* name, Problem* problem) {
    save(name, problem_view(problem));
    problem_free(problem);
}

static void matrix(const char* name, CnLaw law, int n, const double* a, const double* b) {
    Problem problem = {0};
    problem_from_matrix(&problem, law, n, a, b);
    save_built(name, &problem);
}

// A box on one point with arms that couple normal and tangent strongly.
static void leaning_rod(const char* name, double friction, double spin) {
    Problem problem = {0};
    int rod = problem_add_body(&problem, 1.0, 12.0);
    CnVec3 none = {0.0, 0.0, 0.0};
    problem.free_velocity[rod][2] = -1.0;
    problem.free_velocity[rod][0] = 0.4;
    problem.free_velocity[rod][4] = spin;
    problem_add_contact(&problem, -1, rod, none, cn_vec3(0.45, 0.1, -0.5), friction);
    save_built(name, &problem);
}

static void planar_contact(const char* name, double friction) {
    Problem problem = {0};
    int disc = problem_add_body(&problem, 0.5, 1.0);
    int block = problem_add_block(&problem, CN_LAW_COULOMB, 2, -1, disc);
    int row = problem.row_count - 2;
    CnVec3 arm = {0.0, 0.0, -0.7}, none = {0.0, 0.0, 0.0};
    problem.blocks[block].friction = friction;
    problem_set_row(&problem, row, cn_vec3(0.0, 0.0, 1.0), none, arm);
    problem_set_row(&problem, row + 1, cn_vec3(1.0, 0.0, 0.0), none, arm);
    problem.free_velocity[disc][0] = 2.0;
    problem.free_velocity[disc][2] = -0.5;
    save_built(name, &problem);
}

static void contact_without_friction(const char* name) {
    Problem problem = {0};
    int ball = problem_add_body(&problem, 1.0, 2.5);
    CnVec3 none = {0.0, 0.0, 0.0};
    problem.free_velocity[ball][0] = 3.0;
    problem.free_velocity[ball][2] = -2.0;
    problem_add_contact(&problem, -1, ball, none, cn_vec3(0.0, 0.0, -1.0), 0.0);
    save_built(name, &problem);
}

// Two bodies welded: six rows between them, one of the two pinned to the world.
static void weld(const char* name) {
    Problem problem = {0};
    int a = problem_add_body(&problem, 1.0, 6.0), b = problem_add_body(&problem, 0.01, 0.04);
    CnVec3 none = {0.0, 0.0, 0.0};
    problem_add_point_joint(&problem, -1, a, none, cn_vec3(-0.5, 0.0, 0.0));
    problem_add_block(&problem, CN_LAW_EQUALITY, 6, a, b);
    int row = problem.row_count - 6;
    CnVec3 axis[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int i = 0; i < 3; ++i) {
        problem_set_row(&problem, row + i, axis[i], cn_vec3(0.5, 0.0, 0.0),
                        cn_vec3(-1.0, 0.0, 0.0));
        problem.jacobian_a[row + 3 + i][3 + i] = -1.0;
        problem.jacobian_b[row + 3 + i][3 + i] = 1.0;
    }
    problem.free_velocity[a][2] = -0.1;
    problem.free_velocity[b][2] = -0.1;
    problem.free_velocity[b][4] = 1.0;
    save_built(name, &problem);
}

// A motor with a force limit, a rope that can only pull, and a stop, on one sliding body.
static void motor_rope_stop(const char* name) {
    Problem problem = {0};
    int cart = problem_add_body(&problem, 0.25, 1.0);
    CnVec3 none = {0.0, 0.0, 0.0}, x = {1.0, 0.0, 0.0};
    problem_add_block(&problem, CN_LAW_BOUNDS, 3, -1, cart);
    int row = problem.row_count - 3;
    for (int i = 0; i < 3; ++i) {
        problem_set_row(&problem, row + i, x, none, none);
    }
    problem.lower[row] = -0.8; // motor: wants 2 m/s, can give 0.8 N s
    problem.upper[row] = 0.8;
    problem.target[row] = 2.0;
    problem.lower[row + 1] = -INFINITY; // rope: pulls back above 1.5 m/s
    problem.upper[row + 1] = 0.0;
    problem.target[row + 1] = 1.5;
    problem.target[row + 2] = -0.2; // stop: not slower than -0.2 m/s
    problem.free_velocity[cart][0] = 1.4;
    save_built(name, &problem);
}

static void springs(const char* name, double slope) {
    Problem problem = {0};
    CnVec3 none = {0.0, 0.0, 0.0};
    int before = -1;
    for (int i = 0; i < 5; ++i) {
        int body = problem_add_body(&problem, 1.0 / (1 + i), 1.0);
        int block = problem_add_block(&problem, CN_LAW_FORCE, 1, before, body);
        int row = problem.blocks[block].first_row;
        problem_set_row(&problem, row, cn_vec3(0.0, 0.0, 1.0), none, none);
        problem.offset[row] = 0.05 * (i + 1);
        problem.slope[row] = i == 2 ? 0.0 : slope;
        problem.free_velocity[body][2] = -0.1;
        before = body;
    }
    save_built(name, &problem);
}

// A joint with compliance under a heavy body, next to a contact.
static void soft_joint_and_contact(const char* name) {
    Problem problem = {0};
    CnVec3 none = {0.0, 0.0, 0.0};
    int light = problem_add_body(&problem, 10.0, 100.0);
    int heavy = problem_add_body(&problem, 0.001, 0.01);
    int joint = problem_add_point_joint(&problem, light, heavy, cn_vec3(0.0, 0.0, 0.2),
                                        cn_vec3(0.0, 0.0, -0.5));
    for (int i = 0; i < 3; ++i) {
        problem.compliance[problem.blocks[joint].first_row + i] = 1e-4;
    }
    problem_add_contact(&problem, -1, light, none, cn_vec3(0.0, 0.0, -0.2), 0.7);
    problem.free_velocity[light][2] = -0.1;
    problem.free_velocity[heavy][2] = -0.1;
    problem.free_velocity[heavy][0] = 0.3;
    save_built(name, &problem);
}

// Two rows of three keep the turns of two bodies about x and y equal: what a hinge along z keeps.
static void add_hinge(Problem* problem, int body_a, int body_b, CnVec3 arm_a, CnVec3 arm_b) {
    problem_add_point_joint(problem, body_a, body_b, arm_a, arm_b);
    int block = problem_add_block(problem, CN_LAW_EQUALITY, 2, body_a, body_b);
    for (int k = 0; k < 2; ++k) {
        int row = problem->blocks[block].first_row + k;
        problem->jacobian_a[row][3 + k] = body_a >= 0 ? -1.0 : 0.0;
        problem->jacobian_b[row][3 + k] = 1.0;
    }
}

// A row that ties the turn of d against c to that of b against a, all about z: w_d - w_c - ratio
// (w_b - w_a). b may be c: then the block has three bodies.
static int tie_turns(Problem* problem, CnLaw law, const int bodies[4], double ratio) {
    bool is_chain = bodies[1] == bodies[2];
    int block = problem_add_block(problem, law, 1, bodies[0], bodies[1]);
    int row = problem->blocks[block].first_row;
    problem_add_second(problem, block, is_chain ? -1 : bodies[2], bodies[3]);
    problem->jacobian_a[row][5] = ratio;
    problem->jacobian_b[row][5] = is_chain ? -ratio - 1.0 : -ratio;
    problem->jacobian_c[row][5] = is_chain ? 0.0 : -1.0;
    problem->jacobian_d[row][5] = 1.0;
    return block;
}

// A palm that flies with two fingers of two links each; every tip is tied to its root, the second
// root to the first. With balls the tips press on what they hold.
static void tied_fingers(const char* name, CnLaw law, bool holds) {
    Problem problem = {0};
    int palm = problem_add_body(&problem, 0.5, 2.0), root[2], tip[2];
    for (int side = 0; side < 2; ++side) {
        double y = side == 0 ? -0.1 : 0.1;
        root[side] = problem_add_body(&problem, 4.0, 300.0);
        tip[side] = problem_add_body(&problem, 8.0, 900.0);
        add_hinge(&problem, palm, root[side], cn_vec3(0.1, y, 0.0), cn_vec3(-0.1, 0.0, 0.0));
        add_hinge(&problem, root[side], tip[side], cn_vec3(0.1, 0.0, 0.0),
                  cn_vec3(-0.05, 0.0, 0.0));
        tie_turns(&problem, law, (int[]){palm, root[side], root[side], tip[side]}, 0.7);
        problem.free_velocity[root[side]][5] = side == 0 ? 2.0 : -0.5;
        problem.free_velocity[tip[side]][1] = 0.3;
    }
    tie_turns(&problem, law, (int[]){root[0], tip[0], root[1], tip[1]}, -1.0);
    if (holds) {
        int ball = problem_add_body(&problem, 10.0, 200.0);
        for (int side = 0; side < 2; ++side) {
            double arm = side == 0 ? -0.05 : 0.05;
            problem_add_contact(&problem, tip[side], ball, cn_vec3(0.02, -arm, arm),
                                cn_vec3(0.0, arm, -arm), 0.5);
        }
        problem.free_velocity[ball][2] = -0.2;
        problem.free_velocity[tip[0]][2] = 0.4;
        problem.free_velocity[tip[1]][2] = -0.1;
    }
    for (int row = 0; row < problem.row_count; ++row) {
        problem.slope[row] = 0.01; // of law force
        problem.offset[row] = law == CN_LAW_FORCE ? 0.002 : 0.0;
    }
    save_built(name, &problem);
}

static void scaled_masses(const char* name, double mass) {
    Problem problem = {0};
    CnVec3 none = {0.0, 0.0, 0.0};
    int body = problem_add_body(&problem, 1.0 / mass, 6.0 / mass);
    for (int i = 0; i < 4; ++i) {
        CnVec3 corner = cn_vec3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, -0.5);
        problem_add_contact(&problem, -1, body, none, corner, 0.5);
    }
    problem.free_velocity[body][0] = 0.02;
    problem.free_velocity[body][2] = -0.1;
    save_built(name, &problem);
}

static void nothing(const char* name) {
    Problem problem = {0};
    problem_add_body(&problem, 1.0, 1.0);
    save_built(name, &problem);
}

static void save_scenes(void) {
    CnVec3 rest = {0.0, 0.0, 0.0};
    box_on_plane("box_at_rest_rank_3", 0.5, rest);
    box_on_plane("box_without_friction", 0.0, rest);
    box_on_plane("box_sliding", 0.3, cn_vec3(2.0, 1.0, 0.0));
    box_on_plane("box_sliding_mu_2", 2.0, cn_vec3(1.0, 0.0, 0.0));
    box_on_plane("box_landing", 0.5, cn_vec3(0.5, 0.0, -3.0));
    box_on_plane("box_lifting_off", 0.5, cn_vec3(0.2, 0.0, 1.0));
    stack("stack_3", 3, 1.0, 0.6, 1);
    stack("stack_10", 10, 1.0, 0.6, 1);
    stack("stack_20_without_friction", 20, 1.0, 0.0, 1);
    stack("stack_heavy_top_1e3", 2, 1e3, 0.6, 1);
    stack("stack_heavy_top_1e6", 2, 1e6, 0.6, 1);
    stack("stack_heavy_top_1e6_without_friction", 2, 1e6, 0.0, 1);
    stack("stack_ladder_1_to_1e6", 7, 10.0, 0.6, 1);
    stack("stack_ladder_1_to_1e6_without_friction", 7, 10.0, 0.0, 1);
    incline("incline_sticks_at_its_limit", 26.56, 0.5);
    incline("incline_slides_at_its_limit", 26.57, 0.5);
    incline("incline_slides", 45.0, 0.3);
    two_balls("pair_head_on_elastic", 1.0, cn_vec3(1.0, 0.0, 0.0), cn_vec3(-3.0, 0.0, 0.0));
    two_balls("pair_glancing", 0.5, cn_vec3(0.8, 0.6, 0.0), cn_vec3(-3.0, 0.0, 0.0));
    two_balls("pair_grazing", 0.0, cn_vec3(1.0, 0.0, 0.0), cn_vec3(0.0, 5.0, 0.0));
    two_balls("pair_separating", 0.0, cn_vec3(1.0, 0.0, 0.0), cn_vec3(2.0, 0.0, 0.0));
    pile("pile_9", 9, 0.5, 300);
    pile("pile_27_landing", 27, 0.5, 400);
    pile("pile_27_settled", 27, 0.5, 3000);
    pile("pile_27_without_friction", 27, 0.0, 400);
    pile("pile_45_landing", 45, 0.3, 300);
    ball_resisting("ball_spins_on_the_spot", 0.01, 0.0, rest, cn_vec3(0.0, 0.0, 3.0));
    ball_resisting("ball_rolls_to_rest", 0.0, 0.02, cn_vec3(0.5, 0.0, 0.0), cn_vec3(0.0, 1.0, 0.0));
    ball_resisting("ball_slides_spins_and_rolls", 0.05, 0.1, cn_vec3(0.3, -0.1, -0.5),
                   cn_vec3(1.0, 0.4, 2.0));
    pile_resisting("pile_9_torsion", 9, 0.5, 0.02, 0.0, 300);
    pile_resisting("pile_27_landing_rolling", 27, 0.5, 0.0, 0.03, 400);
    pile_resisting("pile_27_landing_torsion_and_rolling", 27, 0.3, 0.01, 0.02, 400);
    chain("chain_10", 10, 0.1, 9.0, 1);
    chain("chain_100", 100, 0.1, 99.0, 1);
    chain("chain_30_heavy_end", 30, 1.0, 40.0, 200);
    chain("chain_on_the_ground", 8, 0.1, 0.1, 5);
    chain("chain_falling_on_the_ground", 12, 0.2, 0.5, 400);
    braced_square("square_redundant_brace");
    twice_pinned("bar_pinned_twice_redundant");
    table_on_four_legs("table_on_four_legs");
    pressed_against_wall("wall_holds_by_friction", 30.0);
    pressed_against_wall("wall_slips", 10.0);
    belt("belt_drags_box", 1.0);
    standing_robot("hard/robot_of_32_hinges_stands");
    wrecking_ball("wrecking_ball_hits_wall");
    rope_bridge("hard/rope_bridge_with_boxes");
}

static void save_rows(void) {
    const double a[4] = {2.0, 0.5, 0.5, 3.0}, b[2] = {1.0, 1.5};
    const double flat[9] = {2.0, 2.0, 0.0, 2.0, 2.0, 0.0, 0.0, 0.0, 1.0};
    const double tied[3] = {1.0, 1.0, -1.0};
    matrix("lcp_2x2", CN_LAW_BOUNDS, 2, a, b);
    matrix("lcp_singular", CN_LAW_BOUNDS, 3, flat, tied);
    matrix("equality_2x2", CN_LAW_EQUALITY, 2, a, b);
    leaning_rod("rod_leaning", 0.5, 0.0);
    leaning_rod("rod_leaning_mu_2", 2.0, 3.0);
    leaning_rod("rod_leaning_mu_0", 0.0, -3.0);
    planar_contact("planar_contact_slides", 0.3);
    planar_contact("planar_contact_sticks", 2.0);
    contact_without_friction("contact_three_rows_mu_0");
    weld("weld_six_rows");
    motor_rope_stop("motor_rope_and_stop");
    springs("springs_soft", 0.2);
    springs("springs_stiff", 1e6);
    soft_joint_and_contact("soft_joint_and_contact");
    tied_fingers("tied_fingers", CN_LAW_EQUALITY, false);
    tied_fingers("tied_fingers_hold_a_ball", CN_LAW_EQUALITY, true);
    tied_fingers("fingers_with_stops_hold_a_ball", CN_LAW_BOUNDS, true);
    tied_fingers("fingers_on_springs_hold_a_ball", CN_LAW_FORCE, true);
    scaled_masses("box_of_a_milligram", 1e-6);
    scaled_masses("box_of_a_million_tons", 1e9);
    nothing("nothing_to_solve");
}

int main(int argc, char** argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: make_problems FOLDER\n");
        return 2;
    }
    folder = argv[1];
    save_scenes();
    save_rows();
    return 0;
}

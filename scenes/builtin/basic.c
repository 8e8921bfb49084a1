// basic.c - small scenes: stacks, balls, chains, slopes.
#include "sketch.h"

#include <stdio.h>

#define NAME_SIZE 32

// Cubes of 1 m, each mass_ratio times as heavy as the one below it.
static void draw_tower(CnSketch* sketch, int size, double mass_ratio) {
    double mass = 1.0; // [kg]
    CnMaterialId material = cn_sketch_material(sketch, "cube", 0.6, 0.0, 1.0);
    cn_sketch_floor(sketch, material, cn_quat_identity());
    for (int i = 0; i < size; ++i) {
        CnSketchBody cube = {.what = "cube",
                             .material = material,
                             .shape = cn_box_def(cn_vec3(1.0, 1.0, 1.0)),
                             .pose = cn_at(cn_vec3(0.0, 0.0, i + 0.5)),
                             .mass = mass};
        cn_sketch_body(sketch, &cube);
        mass *= mass_ratio;
    }
}

void cn_builtin_stack(CnSketch* sketch, int size) {
    draw_tower(sketch, size, 1.0);
}

void cn_builtin_heavy_stack(CnSketch* sketch, int size) {
    draw_tower(sketch, size, 10.0);
}

// A cubic grid above the floor; the jitter keeps columns from balancing on their tips.
void cn_builtin_spheres(CnSketch* sketch, int size) {
    const double radius = 0.5, spacing = 1.2, jitter = 0.05; // [m]
    CnRandom random = {1};
    int side = cn_cube_side(size);
    CnMaterialId stone = cn_sketch_material(sketch, "stone", 0.5, 0.0, 1000.0);
    cn_sketch_floor(sketch, stone, cn_quat_identity());
    for (int i = 0; i < size; ++i) {
        int x = i % side, y = i / side % side, z = i / (side * side);
        CnVec3 place = cn_vec3(x, y, z);
        CnVec3 shift;
        shift.x = cn_random_between(&random, -jitter, jitter);
        shift.y = cn_random_between(&random, -jitter, jitter);
        shift.z = radius + jitter + cn_random_between(&random, -jitter, jitter);
        CnSketchBody ball = {.what = "ball",
                             .material = stone,
                             .shape = cn_sphere_def(radius),
                             .pose = cn_at(cn_vec3_add_scaled(shift, spacing, place))};
        cn_sketch_body(sketch, &ball);
    }
    cn_sketch_time(sketch, 0.0, 2.0);
}

// A rod from the middle of a ball to that of the one before; to the world's origin for the first.
static void draw_link(CnSketch* sketch, int number, CnBodyId ball, CnBodyId before, double link) {
    char name[NAME_SIZE];
    CnConstraintDef def = cn_constraint_def_default();
    CnDistanceData to_ball = {.length = link};
    CnAnchorDistanceData to_world = {.length = link};
    bool is_first = before.index == 0;
    snprintf(name, sizeof name, "link %d", number);
    def.name = name;
    def.kind = is_first ? cn_anchor_distance_kind() : cn_distance_kind();
    def.body_a = ball;
    def.body_b = before;
    def.data = is_first ? (const void*)&to_world : (const void*)&to_ball;
    def.data_size = is_first ? sizeof to_world : sizeof to_ball;
    cn_sketch_constraint(sketch, &def);
}

// Balls in a horizontal line, each tied to the one before and the first to the world's origin.
void cn_builtin_chain(CnSketch* sketch, int size) {
    const double radius = 0.1, link = 0.5; // [m]
    CnBodyId before = {0};
    for (int i = 0; i < size; ++i) {
        char name[NAME_SIZE];
        snprintf(name, NAME_SIZE, "ball %d", i);
        CnSketchBody ball = {.shape = cn_sphere_def(radius),
                             .pose = cn_at(cn_vec3(link * (i + 1), 0.0, 0.0)),
                             .name = name};
        CnBodyId id = cn_sketch_body(sketch, &ball);
        draw_link(sketch, i, id, before, link);
        before = id;
    }
    cn_sketch_time(sketch, 0.0, 2.0);
}

// Links laid on the ground in a zigzag, each joined to the one before, and the first thrown away
// from the others: those near it are dragged along, the rest still lie.
void cn_builtin_ground_chain(CnSketch* sketch, int size) {
    const double radius = 0.04, link = 0.3, turn = CN_PI / 6.0; // [m], [m], [rad]
    char name[NAME_SIZE], joint_name[NAME_SIZE];
    CnBodyId before = {0};
    CnVec3 from = cn_vec3(0.0, 0.0, radius);
    CnMaterialId iron = cn_sketch_material(sketch, "iron", 0.5, 0.0, 7800.0);
    cn_sketch_floor(sketch, iron, cn_quat_identity());
    for (int i = 0; i < size; ++i) {
        CnVec3 along = cn_vec3(cn_cos(turn), i % 2 == 0 ? cn_sin(turn) : -cn_sin(turn), 0.0);
        CnVec3 to = cn_vec3_add_scaled(from, link, along);
        CnSketchBody body = cn_rod(radius, from, to);
        snprintf(name, NAME_SIZE, "link %d", i);
        body.name = name;
        body.material = iron;
        body.velocity = cn_vec3(i == 0 ? -1.0 : 0.0, 0.0, 0.0);
        CnBodyId id = cn_sketch_body(sketch, &body);
        if (i > 0) {
            CnJointDef joint = cn_joint_def_default(CN_JOINT_BALL);
            snprintf(joint_name, sizeof joint_name, "joint %d", i);
            joint.name = joint_name;
            joint.body_a = before;
            joint.body_b = id;
            joint.point_a = from;
            cn_sketch_joint(sketch, &joint);
        }
        before = id;
        from = to;
    }
    cn_sketch_time(sketch, 0.0, 2.0);
}

// A block on a slope that falls towards +x; friction 0.5 holds it up to atan 0.5 = 26.57 degrees.
void cn_builtin_incline(CnSketch* sketch, int size) {
    const CnVec3 edges = {1.0, 1.0, 0.4}; // flat enough to slide before it topples [m]
    double angle = size / 100.0 * (CN_PI / 180.0);
    CnQuat tilt = cn_quat_from_axis_angle(cn_vec3(0.0, 1.0, 0.0), angle);
    CnTransform pose = {cn_quat_rotate(tilt, cn_vec3(0.0, 0.0, 0.5 * edges.z)), tilt};
    CnMaterialId wood = cn_sketch_material(sketch, "wood", 0.5, 0.0, 1000.0);
    cn_sketch_floor(sketch, wood, tilt);
    CnSketchBody block = {
        .material = wood, .shape = cn_box_def(edges), .pose = pose, .mass = 1.0, .name = "block"};
    cn_sketch_body(sketch, &block);
}

void cn_builtin_bounce(CnSketch* sketch, int size) {
    const double radius = 0.5, height = 1.0; // [m]
    CnMaterialId rubber = cn_sketch_material(sketch, "rubber", 0.5, size / 100.0, 1000.0);
    cn_sketch_floor(sketch, rubber, cn_quat_identity());
    CnSketchBody ball = {.material = rubber,
                         .shape = cn_sphere_def(radius),
                         .pose = cn_at(cn_vec3(0.0, 0.0, radius + height)),
                         .name = "ball"};
    cn_sketch_body(sketch, &ball);
    cn_sketch_time(sketch, 0.0, 3.0);
}

// engines.c - scenes that other engines are measured on as well: S1 to S10 of bench/README.md.
#include "sketch.h"

#include <stdio.h>

#define NAME_SIZE 32

// Parts of one scene that pass through each other.
#define NO_COLLISION_GROUP (-1)

// A static box with faces along its own axes.
static void draw_block(CnSketch* sketch, const char* name, CnMaterialId material, CnVec3 size,
                       CnTransform pose) {
    CnShapeDef box = cn_box_def(size);
    CnBodyDef block = cn_body_def_default();
    block.name = name;
    block.type = CN_BODY_STATIC;
    block.position = pose.position;
    block.rotation = pose.rotation;
    block.material = material;
    block.shapes = &box;
    block.shape_count = 1;
    cn_sketch_def(sketch, &block);
}

// A box of 2 m thickness below the plane through the origin.
static void draw_ground(CnSketch* sketch, CnMaterialId material, double half, CnQuat tilt) {
    CnVec3 center = cn_quat_rotate(tilt, cn_vec3(0.0, 0.0, -1.0));
    draw_block(sketch, "ground", material, cn_vec3(2.0 * half, 2.0 * half, 2.0),
               (CnTransform){center, tilt});
}

static void draw_cube(CnSketch* sketch, CnMaterialId material, CnTransform pose, double mass) {
    CnSketchBody cube = {.what = "cube",
                         .material = material,
                         .shape = cn_box_def(cn_vec3(1.0, 1.0, 1.0)),
                         .pose = pose,
                         .mass = mass};
    cn_sketch_body(sketch, &cube);
}

// ---- S1, S2: pyramids ----

void cn_builtin_s1(CnSketch* sketch, int size) {
    CnMaterialId stone = cn_sketch_material(sketch, "stone", 0.6, 0.0, 1.0); // cubes of 1 kg
    draw_ground(sketch, stone, 100.0, cn_quat_identity());
    cn_sketch_pyramid(sketch, stone, size, 0.0, 0.0);
    cn_sketch_time(sketch, CN_FRAME, 300 * CN_FRAME);
}

void cn_builtin_s2(CnSketch* sketch, int size) {
    CnMaterialId stone = cn_sketch_material(sketch, "stone", 0.6, 0.0, 1.0);
    draw_ground(sketch, stone, size > 10 ? 10.0 * size : 100.0, cn_quat_identity());
    cn_sketch_pyramids(sketch, stone, size);
    cn_sketch_time(sketch, CN_FRAME, 300 * CN_FRAME);
}

// ---- S3: mixed bodies in a container ----

void cn_builtin_s3(CnSketch* sketch, int size) {
    const double inner = 6.5, thickness = 1.0;                // [m]
    double height = size > 40 ? 8.0 + 1.3 * size : 60.0;      // of the walls [m]
    double out = inner + 0.5 * thickness, length = 2.0 * out; // corners overlap by half of a wall
    CnMaterialId stuff = cn_sketch_material(sketch, "stuff", 0.5, 0.0, 1.0);
    draw_ground(sketch, stuff, 100.0, cn_quat_identity());
    for (int i = 0; i < 4; ++i) {
        char name[NAME_SIZE];
        double side = i % 2 == 0 ? out : -out;
        CnVec3 size_x = cn_vec3(thickness, length, height), at_x = {side, 0.0, 0.5 * height};
        CnVec3 size_y = cn_vec3(length, thickness, height), at_y = {0.0, side, 0.5 * height};
        snprintf(name, sizeof name, "wall %d", i);
        draw_block(sketch, name, stuff, i < 2 ? size_x : size_y, cn_at(i < 2 ? at_x : at_y));
    }
    cn_sketch_pile(sketch, stuff, size);
    cn_sketch_time(sketch, CN_FRAME, 400 * CN_FRAME);
}

// ---- S6: a heavy ball on a light chain ----

// Hung from the origin and released along x; size: mass of the ball [kg].
void cn_builtin_s6(CnSketch* sketch, int size) {
    enum { LINKS = 30 };
    const double radius = 0.05, link = 0.5, ball_radius = 0.5; // [m]
    CnBodyId before = {0};
    for (int i = 0; i <= LINKS; ++i) {
        char name[NAME_SIZE], joint_name[NAME_SIZE];
        CnVec3 from = cn_vec3(link * i, 0.0, 0.0), to = cn_vec3(link * (i + 1), 0.0, 0.0);
        CnSketchBody body = cn_rod(radius, from, to);
        if (i == LINKS) {
            body.shape = cn_sphere_def(ball_radius);
            body.pose = cn_at(cn_vec3(from.x + ball_radius, 0.0, 0.0));
        }
        snprintf(name, sizeof name, i < LINKS ? "link %d" : "ball", i);
        body.name = name;
        body.mass = i < LINKS ? 1.0 : (double)size;
        body.shape.group = NO_COLLISION_GROUP;
        CnBodyId id = cn_sketch_body(sketch, &body);
        CnJointDef joint = cn_joint_def_default(CN_JOINT_BALL);
        snprintf(joint_name, sizeof joint_name, "joint %d", i);
        joint.name = joint_name;
        joint.body_a = before;
        joint.body_b = id;
        joint.point_a = from;
        cn_sketch_joint(sketch, &joint);
        before = id;
    }
    cn_sketch_time(sketch, CN_FRAME, 600 * CN_FRAME);
}

// ---- S7: a heavy cube on light ones ----

void cn_builtin_s7(CnSketch* sketch, int size) {
    enum { CUBES = 30 };
    CnMaterialId stone = cn_sketch_material(sketch, "stone", 0.6, 0.0, 1.0);
    draw_ground(sketch, stone, 100.0, cn_quat_identity());
    for (int i = 0; i < CUBES; ++i) {
        CnTransform pose = cn_at(cn_vec3(0.0, 0.0, 0.5 + i));
        draw_cube(sketch, stone, pose, i < CUBES - 1 ? 1.0 : (double)size);
    }
    cn_sketch_time(sketch, CN_FRAME, 600 * CN_FRAME);
}

// ---- S9: a cube on a slope ----

// Friction 0.5 holds it up to atan 0.5 = 26.57 degrees; at 27.2 it slides with 0.121543 m/s^2.
void cn_builtin_s9(CnSketch* sketch, int size) {
    double angle = size / 100.0 * (CN_PI / 180.0);
    CnQuat tilt = cn_quat_from_axis_angle(cn_vec3(0.0, 1.0, 0.0), angle);
    CnMaterialId wood = cn_sketch_material(sketch, "wood", 0.5, 0.0, 1.0);
    draw_ground(sketch, wood, 100.0, tilt);
    CnVec3 center = cn_quat_rotate(tilt, cn_vec3(0.0, 0.0, 0.5));
    draw_cube(sketch, wood, (CnTransform){center, tilt}, 1.0);
    cn_sketch_time(sketch, CN_FRAME, 300 * CN_FRAME);
}

// ---- S10: balls that fall among fixed ones ----

// One fixed and one falling ball in each cell of a square grid, so that no two overlap at the
// start: the falling ball is up to 1 m beside the middle of its cell, and falls 2 to 20 m.
void cn_builtin_s10(CnSketch* sketch, int size) {
    const double radius = 0.5, cell = 3.0; // [m]
    uint32_t random = 12345;
    int columns = 1;
    while (columns * columns < size) {
        ++columns;
    }
    int middle = columns / 2;
    CnShapeDef ball = cn_sphere_def(radius);
    CnMaterialId stuff = cn_sketch_material(sketch, "stuff", 0.5, 0.0, 1.0);
    draw_ground(sketch, stuff, columns > 99 ? 1.5 * columns + 2.0 : 150.0, cn_quat_identity());
    for (int i = 0; i < size; ++i) {
        char name[NAME_SIZE];
        double x = cell * (i % columns - middle), y = cell * (i / columns - middle);
        double fall_x = x + cn_sketch_xorshift(&random, -1.0, 1.0);
        double fall_y = y + cn_sketch_xorshift(&random, -1.0, 1.0);
        double height = cn_sketch_xorshift(&random, 2.0, 20.0);
        CnBodyDef fixed = cn_body_def_default();
        snprintf(name, sizeof name, "peg %d", i);
        fixed.name = name;
        fixed.type = CN_BODY_STATIC;
        fixed.position = cn_vec3(x, y, radius);
        fixed.material = stuff;
        fixed.shapes = &ball;
        fixed.shape_count = 1;
        cn_sketch_def(sketch, &fixed);
        CnSketchBody falling = {.what = "ball",
                                .material = stuff,
                                .shape = ball,
                                .pose = cn_at(cn_vec3(fall_x, fall_y, radius + height)),
                                .mass = 1.0};
        cn_sketch_body(sketch, &falling);
    }
    cn_sketch_time(sketch, CN_FRAME, 120 * CN_FRAME);
}

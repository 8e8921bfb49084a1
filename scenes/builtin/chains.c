// chains.c - many joints and no motors: chains in the air and on the ground, a net.
#include "sketch.h"

#include <stdio.h>

#define NAME_SIZE 48

// Parts of one chain or net pass through each other.
#define CHAIN_GROUP (-1)

// A joint at a point; the axis matters to hinges only.
static void draw_joint(CnSketch* sketch, CnJointType type, const char* name, CnBodyId a, CnBodyId b,
                       CnVec3 point, CnVec3 axis) {
    CnJointDef def = cn_joint_def_default(type);
    def.name = name;
    def.body_a = a;
    def.body_b = b;
    def.point_a = point;
    def.axis = axis;
    cn_sketch_joint(sketch, &def);
}

// Rods of 1 kg and 0.2 m from the world's origin along x, let go level. The axes of the hinges are
// not parallel, so that the chain leaves its plane.
void cn_builtin_hinges(CnSketch* sketch, int size) {
    static const CnVec3 axes[2] = {{0.0, 1.0, 0.0}, {0.0, 0.6, 0.8}};
    const double link = 0.2, radius = 0.03; // [m]
    char name[NAME_SIZE], joint_name[NAME_SIZE];
    CnBodyId before = {0};
    for (int i = 0; i < size; ++i) {
        CnVec3 from = cn_vec3(link * i, 0.0, 0.0), to = cn_vec3(link * (i + 1), 0.0, 0.0);
        CnSketchBody rod = cn_rod(radius, from, to);
        snprintf(name, NAME_SIZE, "link %d", i);
        snprintf(joint_name, NAME_SIZE, "hinge %d", i);
        rod.name = name;
        rod.mass = 1.0;
        rod.shape.group = CHAIN_GROUP;
        CnBodyId id = cn_sketch_body(sketch, &rod);
        draw_joint(sketch, CN_JOINT_HINGE, joint_name, before, id, from, axes[i % 2]);
        before = id;
    }
    cn_sketch_time(sketch, 1e-3, 2.0);
}

// ---- chains that fall to the ground ----

// Ten capsules in a row that rises gently, joined by ball joints and hinges in turn.
static void draw_chain(CnSketch* sketch, CnMaterialId iron, int number, double x, double y) {
    enum { LINKS = 10 };
    const CnVec3 along_y = {0.0, 1.0, 0.0};
    char name[NAME_SIZE], joint_name[NAME_SIZE];
    CnBodyId before = {0};
    for (int i = 0; i < LINKS; ++i) {
        CnVec3 middle = cn_vec3(x + 0.7 * i, y, 2.0 + 0.1 * i);
        CnTransform pose = {middle, cn_quat_from_axis_angle(along_y, 0.5 * CN_PI)};
        snprintf(name, NAME_SIZE, "chain %d link %d", number, i);
        snprintf(joint_name, NAME_SIZE, "chain %d joint %d", number, i);
        CnSketchBody capsule = {
            .material = iron, .shape = cn_capsule_def(0.15, 0.3), .pose = pose, .name = name};
        CnBodyId id = cn_sketch_body(sketch, &capsule);
        if (i > 0) {
            CnVec3 point = cn_vec3_add(middle, cn_vec3(-0.35, 0.0, -0.05));
            draw_joint(sketch, i % 2 == 1 ? CN_JOINT_BALL : CN_JOINT_HINGE, joint_name, before, id,
                       point, along_y);
        }
        before = id;
    }
}

void cn_builtin_chains(CnSketch* sketch, int size) {
    CnMaterialId iron = cn_sketch_material(sketch, "iron", 0.6, 0.0, 10.0);
    cn_sketch_floor(sketch, iron, cn_quat_identity());
    for (int i = 0; i < size * size; ++i) {
        draw_chain(sketch, iron, i, 8.0 * (i % size), 3.0 * (i / size));
    }
    cn_sketch_time(sketch, CN_FRAME, 200 * CN_FRAME);
}

// ---- a net ----

static CnBodyId draw_knot(CnSketch* sketch, CnMaterialId cork, int column, int row) {
    char name[NAME_SIZE];
    CnShapeDef ball = cn_sphere_def(0.4);
    CnBodyDef def = cn_body_def_default();
    snprintf(name, NAME_SIZE, "knot %d.%d", column, row);
    ball.group = CHAIN_GROUP;
    def.name = name;
    def.type = row == 0 ? CN_BODY_STATIC : CN_BODY_DYNAMIC;
    def.position = cn_vec3(column, 0.0, -row);
    def.material = cork;
    def.shapes = &ball;
    def.shape_count = 1;
    return cn_sketch_def(sketch, &def);
}

// A joint half way between two knots.
static void draw_tie(CnSketch* sketch, const char* what, int column, int row, CnBodyId a,
                     CnBodyId b, CnVec3 middle) {
    char name[NAME_SIZE];
    snprintf(name, NAME_SIZE, "%s %d.%d", what, column, row);
    draw_joint(sketch, CN_JOINT_BALL, name, a, b, middle, cn_vec3(0.0, 0.0, 1.0));
}

// Balls 1 m apart in a square that hangs from its upper edge, each tied to its neighbours below and
// beside it. While the net is flat, many of its rows are redundant.
void cn_builtin_net(CnSketch* sketch, int size) {
    enum { MAX_SIDE = 200 };
    CnBodyId above[MAX_SIDE] = {{0}};
    CnMaterialId cork = cn_sketch_material(sketch, "cork", 0.5, 0.0, 1.0);
    for (int row = 0; row < size; ++row) {
        CnBodyId beside = {0};
        for (int column = 0; column < size; ++column) {
            CnBodyId knot = draw_knot(sketch, cork, column, row);
            if (row > 0) {
                draw_tie(sketch, "down", column, row, above[column], knot,
                         cn_vec3(column, 0.0, 0.5 - row));
            }
            if (row > 0 && column > 0) {
                draw_tie(sketch, "across", column, row, beside, knot,
                         cn_vec3(column - 0.5, 0.0, -row));
            }
            above[column] = beside = knot;
        }
    }
    cn_sketch_time(sketch, CN_FRAME, 200 * CN_FRAME);
}

// ragdolls.c - dolls of fifteen parts that fall into a heap.
#include "sketch.h"

#include <stdio.h>

#define NAME_SIZE 48

// A doll lies on its back, head towards +x, arms beside it; left is +y. 1.6 m long, 35 kg.
enum { PELVIS, CHEST, HEAD, UPPER_ARM, FOREARM, HAND, THIGH, SHIN, FOOT, PART_KINDS };

typedef struct DollPart {
    const char* name;
    bool paired;     // one on each side
    double radius;   // of the capsule [m]
    CnVec3 from, to; // its ends, caps included, of the left one [m]
    int parent;
    CnJointType joint;   // ball or hinge, where it meets its parent
    CnVec3 point;        // of the joint [m]
    double lower, upper; // ball: swing and twist both ways; hinge: stops about y [rad]
} DollPart;

static const DollPart parts[PART_KINDS] = {
    [PELVIS] = {"pelvis",
                false,
                0.11,
                {0.0, -0.16, 0.0},
                {0.0, 0.16, 0.0},
                PELVIS, // has no parent: the joint is not used
                CN_JOINT_BALL,
                {0.0, 0.0, 0.0},
                0.0,
                0.0},
    [CHEST] = {"chest",
               false,
               0.12,
               {0.10, 0.0, 0.0},
               {0.55, 0.0, 0.0},
               PELVIS,
               CN_JOINT_BALL,
               {0.12, 0.0, 0.0},
               -0.3,
               0.4},
    [HEAD] = {"head",
              false,
              0.10,
              {0.57, 0.0, 0.0},
              {0.83, 0.0, 0.0},
              CHEST,
              CN_JOINT_BALL,
              {0.56, 0.0, 0.0},
              -0.5,
              0.5},
    [UPPER_ARM] = {"upper arm",
                   true,
                   0.05,
                   {0.48, 0.20, 0.0},
                   {0.20, 0.20, 0.0},
                   CHEST,
                   CN_JOINT_BALL,
                   {0.48, 0.18, 0.0},
                   -0.8,
                   1.4},
    [FOREARM] = {"forearm",
                 true,
                 0.045,
                 {0.20, 0.20, 0.0},
                 {-0.05, 0.22, 0.0},
                 UPPER_ARM,
                 CN_JOINT_HINGE,
                 {0.20, 0.20, 0.0},
                 0.0,
                 2.4},
    [HAND] = {"hand",
              true,
              0.04,
              {-0.05, 0.22, 0.0},
              {-0.18, 0.22, 0.0},
              FOREARM,
              CN_JOINT_BALL,
              {-0.05, 0.22, 0.0},
              -0.3,
              0.8},
    [THIGH] = {"thigh",
               true,
               0.07,
               {0.0, 0.09, 0.0},
               {-0.42, 0.09, 0.0},
               PELVIS,
               CN_JOINT_BALL,
               {-0.02, 0.09, 0.0},
               -0.4,
               0.9},
    [SHIN] = {"shin",
              true,
              0.055,
              {-0.42, 0.09, 0.0},
              {-0.80, 0.09, 0.0},
              THIGH,
              CN_JOINT_HINGE,
              {-0.42, 0.09, 0.0},
              -2.2,
              0.0},
    [FOOT] = {"foot",
              true,
              0.04,
              {-0.80, 0.09, -0.05},
              {-0.80, 0.09, 0.15},
              SHIN,
              CN_JOINT_HINGE,
              {-0.80, 0.09, 0.0},
              -0.6,
              0.6},
};

// Where a doll lies, and its number.
typedef struct Doll {
    CnTransform pose;
    int number;
    CnMaterialId flesh;
} Doll;

static CnVec3 place(const Doll* doll, CnVec3 point, double side) {
    return cn_transform_point(doll->pose, cn_vec3(point.x, side * point.y, point.z));
}

static void name_part(char name[NAME_SIZE], const Doll* doll, const DollPart* part, double side,
                      const char* suffix) {
    const char* which = part->paired ? (side > 0.0 ? "left " : "right ") : "";
    snprintf(name, NAME_SIZE, "doll %d %s%s%s", doll->number, which, part->name, suffix);
}

// Twist and swing of a ball joint have the same stops; a hinge turns about the doll's y axis.
static void draw_part_joint(CnSketch* sketch, const Doll* doll, const DollPart* part, double side,
                            CnBodyId parent, CnBodyId id) {
    char name[NAME_SIZE];
    bool is_ball = part->joint == CN_JOINT_BALL;
    CnJointDef def = cn_joint_def_default(part->joint);
    CnVec3 along = cn_vec3_sub(place(doll, part->to, side), place(doll, part->from, side));
    name_part(name, doll, part, side, " joint");
    def.name = name;
    def.body_a = parent;
    def.body_b = id;
    def.point_a = place(doll, part->point, side);
    def.axis = is_ball ? cn_vec3_normalize(along)
                       : cn_quat_rotate(doll->pose.rotation, cn_vec3(0.0, 1.0, 0.0));
    def.swing_limit = is_ball ? part->upper : 0.0;
    def.axes[CN_AXIS_TURN_Z].limited = true;
    def.axes[CN_AXIS_TURN_Z].lower = part->lower;
    def.axes[CN_AXIS_TURN_Z].upper = is_ball ? -part->lower : part->upper;
    cn_sketch_joint(sketch, &def);
}

// Parts of one doll pass through each other.
static CnBodyId draw_part(CnSketch* sketch, const Doll* doll, const DollPart* part, double side) {
    char name[NAME_SIZE];
    CnSketchBody body =
        cn_rod(part->radius, place(doll, part->from, side), place(doll, part->to, side));
    name_part(name, doll, part, side, "");
    body.name = name;
    body.material = doll->flesh;
    body.shape.group = -1 - doll->number;
    return cn_sketch_body(sketch, &body);
}

static void draw_doll(CnSketch* sketch, const Doll* doll) {
    CnBodyId ids[PART_KINDS][2]; // left, right; the same of parts that are not paired
    for (int i = 0; i < PART_KINDS; ++i) {
        for (int s = 0; s < (parts[i].paired ? 2 : 1); ++s) {
            double side = s == 0 ? 1.0 : -1.0;
            ids[i][s] = draw_part(sketch, doll, &parts[i], side);
            if (i != PELVIS) {
                draw_part_joint(sketch, doll, &parts[i], side, ids[parts[i].parent][s], ids[i][s]);
            }
        }
        ids[i][1] = parts[i].paired ? ids[i][1] : ids[i][0];
    }
}

// Layers of ten between four walls, each doll turned and shifted a little.
void cn_builtin_ragdolls(CnSketch* sketch, int size) {
    enum { LAYER = 10 };
    const double layer = 0.4, jitter = 0.05; // [m], also [rad]
    CnRandom random = {4};
    CnMaterialId flesh = cn_sketch_material(sketch, "flesh", 0.5, 0.0, 1000.0);
    cn_sketch_container(sketch, flesh, 2.25);
    for (int i = 0; i < size; ++i) {
        int across = i % 2, along = i / 2 % (LAYER / 2), up = i / LAYER;
        double yaw = (across + up) % 2 * CN_PI + cn_random_between(&random, -jitter, jitter);
        CnVec3 at = cn_vec3(2.0 * across - 1.0, 0.8 * along - 1.6, 0.3 + layer * up);
        at.x += cn_random_between(&random, -jitter, jitter);
        at.y += cn_random_between(&random, -jitter, jitter);
        Doll doll = {{at, cn_quat_from_axis_angle(cn_vec3(0.0, 0.0, 1.0), yaw)}, i, flesh};
        draw_doll(sketch, &doll);
    }
    cn_sketch_time(sketch, CN_FRAME, 180 * CN_FRAME);
}

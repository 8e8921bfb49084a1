// builtin_machines.c - mechanisms with motors: a robot's limbs, platforms on legs.
#include "io/builtin_parts.h"

#include <stdio.h>

#define NAME_SIZE 48

// What targets of motors are multiplied by, over the minute that machines run at most.
#define WAVE "wave"
#define WAVE_DURATION 60.0 // [s]
#define WAVE_STEP 0.25     // between its points [s]
#define WAVE_POINTS 241

#define MACHINE_STEP 1e-3 // [s]

// Parts of one machine pass through each other.
#define MACHINE_GROUP (-1)

// Two sines that never repeat within the minute, in straight lines.
static void draw_wave(CnSketch* sketch) {
    double times[WAVE_POINTS], values[WAVE_POINTS];
    for (int i = 0; i < WAVE_POINTS; ++i) {
        times[i] = WAVE_STEP * i;
        values[i] = 0.6 * cn_sin(3.0 * times[i]) + 0.4 * cn_sin(1.7 * times[i]);
    }
    CnSeriesDef def = {.name = WAVE, .count = WAVE_POINTS, .times = times, .values = values};
    if (sketch->status == CN_OK) {
        sketch->status = cn_scene_add_series(sketch->scene, &def, sketch->error);
    }
}

static void draw_joint(CnSketch* sketch, const CnSceneJoint* joint) {
    if (sketch->status == CN_OK) {
        sketch->status = cn_scene_add_joint(sketch->scene, joint, sketch->error);
    }
}

static void draw_part(CnSketch* sketch, const char* name, CnShapeDef shape, double mass,
                      CnTransform pose) {
    CnSketchBody body = {.shape = shape, .pose = pose, .mass = mass, .name = name};
    body.shape.group = MACHINE_GROUP;
    cn_sketch_body(sketch, &body);
}

// A rod as a capsule of 3 cm between two points.
static void draw_rod(CnSketch* sketch, const char* name, double mass, CnVec3 from, CnVec3 to) {
    const double radius = 0.03; // [m]
    CnVec3 along = cn_vec3_sub(to, from), z = {0.0, 0.0, 1.0};
    CnVec3 unit = cn_vec3_normalize(along), axis = cn_vec3_cross(z, unit);
    CnTransform pose = cn_at(cn_vec3_scale(0.5, cn_vec3_add(from, to)));
    double sine = cn_vec3_length(axis), length = cn_vec3_length(along);
    if (sine > 0.0) {
        pose.rotation =
            cn_quat_from_axis_angle(cn_vec3_normalize(axis), cn_atan2(sine, cn_vec3_dot(z, unit)));
    }
    draw_part(sketch, name, cn_capsule_def(radius, length - 2.0 * radius), mass, pose);
}

// ---- a robot ----

#define LIMB_JOINTS 6
#define PART_LENGTH 0.2 // [m]

// A motor that wants to go further than the stops: some of them are always pressed against.
static const CnJointAxis robot_motor = {
    .limited = true,
    .lower = -0.5,
    .upper = 0.5,
    .motor = CN_MOTOR_POSITION,
    .target = 0.7,
    .stiffness = 30.0,
    .damping = 1.0,
    .max_force = 25.0,
};

// Hinges whose axes are square to each other by turns, masses from 2 kg to a third of one.
static void draw_limb(CnSketch* sketch, int limb, CnVec3 out) {
    static const CnVec3 axes[3] = {{0.0, 1.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}};
    const double shoulder = 0.3; // from the middle of the trunk [m]
    char names[2][NAME_SIZE] = {"trunk", "trunk"}, joint_name[NAME_SIZE];
    for (int i = 0; i < LIMB_JOINTS; ++i) {
        const char* before = names[i % 2];
        char* name = names[(i + 1) % 2];
        CnVec3 at = cn_vec3_scale(shoulder + PART_LENGTH * i, out);
        snprintf(name, NAME_SIZE, "limb %d part %d", limb, i);
        snprintf(joint_name, sizeof joint_name, "limb %d joint %d", limb, i);
        draw_rod(sketch, name, 2.0 / (i + 1), at, cn_vec3_add_scaled(at, PART_LENGTH, out));
        CnSceneJoint joint = {.def = cn_joint_def_default(CN_JOINT_HINGE),
                              .body_a = before,
                              .body_b = name,
                              .axis_series[CN_AXIS_TURN_Z] = WAVE};
        joint.def.name = joint_name;
        joint.def.point_a = at;
        joint.def.axis = axes[(limb + i) % 3];
        joint.def.axes[CN_AXIS_TURN_Z] = robot_motor;
        draw_joint(sketch, &joint);
    }
}

// A trunk on a pin through its middle and limbs of six driven hinges all around it.
void cn_builtin_robot(CnSketch* sketch, int size) {
    CnSceneJoint pin = {.def = cn_joint_def_default(CN_JOINT_FIX_POINT), .body_a = "trunk"};
    draw_wave(sketch);
    draw_part(sketch, "trunk", cn_sphere_def(0.25), 20.0, cn_at(cn_vec3(0.0, 0.0, 0.0)));
    pin.def.name = "pin";
    draw_joint(sketch, &pin);
    for (int i = 0; i < size; ++i) {
        double angle = 2.0 * CN_PI * i / size;
        CnVec3 out = cn_vec3(cn_cos(angle), cn_sin(angle), -0.4);
        draw_limb(sketch, i, cn_vec3_normalize(out));
    }
    cn_sketch_time(sketch, MACHINE_STEP, 2.0);
}

// ---- platforms on legs ----

#define LEGS 6
#define STOREY 1.2 // height of a platform above its base [m]

static const CnJointAxis piston_motor = {
    .limited = true,
    .lower = -0.2,
    .upper = 0.2,
    .motor = CN_MOTOR_POSITION,
    .stiffness = 2e5,
    .damping = 4e3,
};

// Where a leg stands on its base and where it holds its platform: in pairs that change partners.
static void leg_ends(int leg, double base, CnVec3* foot, CnVec3* head) {
    const double wide = 1.0, narrow = 0.6; // radii [m]
    double side = leg % 2 == 0 ? 1.0 : -1.0, sixth = CN_PI / 3.0;
    double low = sixth * (leg + 0.3 * side), high = sixth * (leg + 0.8 * side - 0.5);
    *foot = cn_vec3(wide * cn_cos(low), wide * cn_sin(low), base);
    *head = cn_vec3(narrow * cn_cos(high), narrow * cn_sin(high), base + STOREY);
}

// A universal joint at the foot, a piston with a motor, a ball joint at the head.
static void draw_leg(CnSketch* sketch, int storey, int leg, const char* base,
                     const char* platform) {
    const double piston = 0.7; // length of either part, which overlap [m]
    char tube[NAME_SIZE], rod[NAME_SIZE], names[3][NAME_SIZE];
    CnVec3 foot, head, side, other;
    snprintf(tube, sizeof tube, "tube %d.%d", storey, leg);
    snprintf(rod, sizeof rod, "rod %d.%d", storey, leg);
    snprintf(names[0], NAME_SIZE, "foot %d.%d", storey, leg);
    snprintf(names[1], NAME_SIZE, "piston %d.%d", storey, leg);
    snprintf(names[2], NAME_SIZE, "head %d.%d", storey, leg);
    leg_ends(leg, STOREY * storey, &foot, &head);
    CnVec3 along = cn_vec3_normalize(cn_vec3_sub(head, foot));
    cn_tangent_basis(along, &side, &other);
    draw_rod(sketch, tube, 3.0, foot, cn_vec3_add_scaled(foot, piston, along));
    draw_rod(sketch, rod, 2.0, cn_vec3_add_scaled(head, -piston, along), head);

    CnSceneJoint joints[3] = {
        {.def = cn_joint_def_default(CN_JOINT_UNIVERSAL), .body_a = base, .body_b = tube},
        {.def = cn_joint_def_default(CN_JOINT_SLIDER), .body_a = tube, .body_b = rod},
        {.def = cn_joint_def_default(CN_JOINT_BALL), .body_a = rod, .body_b = platform},
    };
    joints[0].def.point_a = foot;
    joints[0].def.axis = side;
    joints[0].def.axis_b = other;
    joints[1].def.point_a = cn_vec3_scale(0.5, cn_vec3_add(foot, head));
    joints[1].def.axis = along;
    joints[1].def.axes[CN_AXIS_Z] = piston_motor;
    joints[1].def.axes[CN_AXIS_Z].target = leg % 2 == 0 ? 0.1 : -0.05; // [m]
    joints[1].axis_series[CN_AXIS_Z] = WAVE;
    joints[2].def.point_a = head;
    for (int i = 0; i < 3; ++i) {
        joints[i].def.name = names[i];
        draw_joint(sketch, &joints[i]);
    }
}

// Stewart's platform: 6 (4 + 5 + 3) = 72 rows on 13 bodies, so six ways to move, all driven.
void cn_builtin_stewart(CnSketch* sketch, int size) {
    char names[2][NAME_SIZE] = {"", ""};
    draw_wave(sketch);
    for (int i = 0; i < size; ++i) {
        const char* base = i == 0 ? NULL : names[i % 2];
        char* platform = names[(i + 1) % 2];
        snprintf(platform, NAME_SIZE, "platform %d", i);
        draw_part(sketch, platform, cn_cylinder_def(0.7, 0.1), 50.0,
                  cn_at(cn_vec3(0.0, 0.0, STOREY * (i + 1))));
        for (int leg = 0; leg < LEGS; ++leg) {
            draw_leg(sketch, i, leg, base, platform);
        }
    }
    cn_sketch_time(sketch, MACHINE_STEP, 2.0);
}

// builtin_machines.c - mechanisms with motors: a robot's limbs, a hand, platforms on legs.
#include "io/builtin/builtin_parts.h"

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

static void draw_part(CnSketch* sketch, const char* name, CnShapeDef shape, double mass,
                      CnTransform pose) {
    CnSketchBody body = {.shape = shape, .pose = pose, .mass = mass, .name = name};
    body.shape.group = MACHINE_GROUP;
    cn_sketch_body(sketch, &body);
}

// A rod of 3 cm between two points.
static void draw_rod(CnSketch* sketch, const char* name, double mass, CnVec3 from, CnVec3 to) {
    CnSketchBody rod = cn_rod(0.03, from, to);
    draw_part(sketch, name, rod.shape, mass, rod.pose);
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
        cn_sketch_joint(sketch, &joint);
    }
}

// A trunk on a pin through its middle and limbs of six driven hinges all around it.
void cn_builtin_robot(CnSketch* sketch, int size) {
    CnSceneJoint pin = {.def = cn_joint_def_default(CN_JOINT_FIX_POINT), .body_a = "trunk"};
    draw_wave(sketch);
    draw_part(sketch, "trunk", cn_sphere_def(0.25), 20.0, cn_at(cn_vec3(0.0, 0.0, 0.0)));
    pin.def.name = "pin";
    cn_sketch_joint(sketch, &pin);
    for (int i = 0; i < size; ++i) {
        double angle = 2.0 * CN_PI * i / size;
        CnVec3 out = cn_vec3(cn_cos(angle), cn_sin(angle), -0.4);
        draw_limb(sketch, i, cn_vec3_normalize(out));
    }
    cn_sketch_time(sketch, MACHINE_STEP, 2.0);
}

// ---- a hand that holds a drum ----

#define ARM_JOINTS 6
#define FINGER_JOINTS 6
#define DRUM_RADIUS 0.1    // [m]
#define FINGER_RADIUS 0.02 // [m]

// How hard each finger presses [N]. The drum weighs 9.81 N; four fingers with friction 0.6 would
// hold 48 N.
#define GRIP 20.0

// Stiff enough that the arm gives way by millimetres under the hand.
static const CnJointAxis arm_motor = {
    .motor = CN_MOTOR_POSITION,
    .target = 0.03,
    .stiffness = 2e4,
    .damping = 500.0,
};

// From the ground up and over to the hand, which hangs from the last joint.
static void draw_arm(CnSketch* sketch) {
    static const CnVec3 points[ARM_JOINTS] = {{-1.0, 0.0, 0.0}, {-1.0, 0.0, 0.3}, {-0.9, 0.0, 0.7},
                                              {-0.5, 0.0, 0.9}, {-0.2, 0.0, 0.9}, {0.0, 0.0, 0.7}};
    static const CnVec3 axes[ARM_JOINTS] = {{0.0, 0.0, 1.0}, {0.0, 1.0, 0.0}, {0.0, 1.0, 0.0},
                                            {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    char names[2][NAME_SIZE] = {"", ""}, joint_name[NAME_SIZE];
    for (int i = 0; i < ARM_JOINTS; ++i) {
        char* name = names[(i + 1) % 2];
        if (i + 1 < ARM_JOINTS) {
            snprintf(name, NAME_SIZE, "arm part %d", i);
            draw_rod(sketch, name, 3.0 - 0.4 * i, points[i], points[i + 1]);
        } else {
            snprintf(name, NAME_SIZE, "palm");
            draw_part(sketch, name, cn_cylinder_def(0.12, 0.05), 1.0,
                      cn_at(cn_vec3(0.0, 0.0, 0.48)));
        }
        snprintf(joint_name, sizeof joint_name, "arm joint %d", i);
        CnSceneJoint joint = {.def = cn_joint_def_default(CN_JOINT_HINGE),
                              .body_a = i == 0 ? NULL : names[i % 2],
                              .body_b = name,
                              .axis_series[CN_AXIS_TURN_Z] = WAVE};
        joint.def.name = joint_name;
        joint.def.point_a = points[i];
        joint.def.axis = axes[i];
        joint.def.axes[CN_AXIS_TURN_Z] = arm_motor;
        cn_sketch_joint(sketch, &joint);
    }
}

// Hinges that bend inwards, from the palm outwards, down, and back to the drum's side, along which
// the last part lies. Each motor wants to go so much further that its torque is the grip times the
// height of its joint above the middle of the drum: the finger is in balance where it is.
static void draw_finger(CnSketch* sketch, int finger, CnVec3 out) {
    static const double bends[FINGER_JOINTS + 1][2] = {
        // distance from the drum's axis, height above its middle [m]
        {0.10, 0.45}, {0.20, 0.40}, {0.26, 0.32}, {0.27, 0.24},
        {0.22, 0.16}, {0.12, 0.10}, {0.12, -0.10}};
    CnVec3 up = {0.0, 0.0, 1.0};
    char names[2][NAME_SIZE] = {"palm", "palm"}, joint_name[NAME_SIZE];
    CnJointAxis motor = {.limited = true,
                         .lower = -0.5,
                         .upper = 0.5,
                         .motor = CN_MOTOR_POSITION,
                         .stiffness = 200.0,
                         .damping = 2.0,
                         .max_force = 25.0};
    for (int i = 0; i < FINGER_JOINTS; ++i) {
        char* name = names[(i + 1) % 2];
        CnVec3 from = cn_vec3_add_scaled(cn_vec3_scale(bends[i][0], out), bends[i][1], up);
        CnVec3 to = cn_vec3_add_scaled(cn_vec3_scale(bends[i + 1][0], out), bends[i + 1][1], up);
        CnSketchBody part = cn_rod(FINGER_RADIUS, from, to);
        snprintf(name, NAME_SIZE, "finger %d part %d", finger, i);
        snprintf(joint_name, sizeof joint_name, "finger %d joint %d", finger, i);
        part.name = name;
        part.material = "rubber";
        part.mass = 0.1;
        part.shape.group = MACHINE_GROUP;
        cn_sketch_body(sketch, &part);
        CnSceneJoint joint = {
            .def = cn_joint_def_default(CN_JOINT_HINGE), .body_a = names[i % 2], .body_b = name};
        joint.def.name = joint_name;
        joint.def.point_a = from;
        joint.def.axis = cn_vec3_cross(up, out);
        joint.def.axes[CN_AXIS_TURN_Z] = motor;
        joint.def.axes[CN_AXIS_TURN_Z].target = GRIP * bends[i][1] / motor.stiffness;
        cn_sketch_joint(sketch, &joint);
    }
}

// An arm of six driven hinges swings a hand whose fingers, of six each, hold a drum by friction
// alone.
void cn_builtin_grasp(CnSketch* sketch, int size) {
    CnSketchBody drum = {.material = "rubber",
                         .shape = cn_cylinder_def(DRUM_RADIUS, 0.3),
                         .pose = cn_at(cn_vec3(0.0, 0.0, 0.0)),
                         .mass = 1.0,
                         .name = "drum"};
    draw_wave(sketch);
    cn_sketch_material(sketch, "rubber", 0.6, 0.0, 1000.0);
    draw_arm(sketch);
    for (int i = 0; i < size; ++i) {
        double angle = 2.0 * CN_PI * i / size;
        draw_finger(sketch, i, cn_vec3(cn_cos(angle), cn_sin(angle), 0.0));
    }
    cn_sketch_body(sketch, &drum);
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
        cn_sketch_joint(sketch, &joints[i]);
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

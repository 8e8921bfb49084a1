// machines.c - mechanisms with motors: a robot's limbs, hands, platforms on legs.
#include "sketch.h"

#include <stdio.h>

#define NAME_SIZE 48

// What targets of motors are multiplied by, over the minute that machines run at most.
#define WAVE_DURATION 60.0 // [s]
#define WAVE_STEP 0.25     // between its points [s]
#define WAVE_POINTS 241

#define MACHINE_STEP 1e-3 // [s]

// Parts of one machine pass through each other.
#define MACHINE_GROUP (-1)

// Two sines that never repeat within the minute, in straight lines.
static CnSeriesId draw_wave(CnSketch* sketch) {
    double times[WAVE_POINTS], values[WAVE_POINTS];
    for (int i = 0; i < WAVE_POINTS; ++i) {
        times[i] = WAVE_STEP * i;
        values[i] = 0.6 * cn_sin(3.0 * times[i]) + 0.4 * cn_sin(1.7 * times[i]);
    }
    CnSeriesDef def = {.name = "wave", .count = WAVE_POINTS, .times = times, .values = values};
    return cn_sketch_series(sketch, &def);
}

static CnBodyId draw_part(CnSketch* sketch, const char* name, CnShapeDef shape, double mass,
                          CnTransform pose) {
    CnSketchBody body = {.shape = shape, .pose = pose, .mass = mass, .name = name};
    body.shape.group = MACHINE_GROUP;
    return cn_sketch_body(sketch, &body);
}

// A rod of 3 cm between two points.
static CnBodyId draw_rod(CnSketch* sketch, const char* name, double mass, CnVec3 from, CnVec3 to) {
    CnSketchBody rod = cn_rod(0.03, from, to);
    return draw_part(sketch, name, rod.shape, mass, rod.pose);
}

// A hinge with a motor whose target the series multiplies; none: the target stays.
static void draw_hinge(CnSketch* sketch, const char* name, CnBodyId a, CnBodyId b, CnVec3 point,
                       CnVec3 axis, const CnJointAxis* motor, CnSeriesId series) {
    CnJointDef def = cn_joint_def_default(CN_JOINT_HINGE);
    def.name = name;
    def.body_a = a;
    def.body_b = b;
    def.point_a = point;
    def.axis = axis;
    def.axes[CN_AXIS_TURN_Z] = *motor;
    def.axes[CN_AXIS_TURN_Z].series = series;
    cn_sketch_joint(sketch, &def);
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
static void draw_limb(CnSketch* sketch, CnBodyId trunk, CnSeriesId wave, int limb, CnVec3 out) {
    static const CnVec3 axes[3] = {{0.0, 1.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}};
    const double shoulder = 0.3; // from the middle of the trunk [m]
    char name[NAME_SIZE], joint_name[NAME_SIZE];
    CnBodyId before = trunk;
    for (int i = 0; i < LIMB_JOINTS; ++i) {
        CnVec3 at = cn_vec3_scale(shoulder + PART_LENGTH * i, out);
        CnVec3 end = cn_vec3_add_scaled(at, PART_LENGTH, out);
        snprintf(name, NAME_SIZE, "limb %d part %d", limb, i);
        snprintf(joint_name, sizeof joint_name, "limb %d joint %d", limb, i);
        CnBodyId part = draw_rod(sketch, name, 2.0 / (i + 1), at, end);
        draw_hinge(sketch, joint_name, before, part, at, axes[(limb + i) % 3], &robot_motor, wave);
        before = part;
    }
}

// A trunk on a pin through its middle and limbs of six driven hinges all around it.
void cn_builtin_robot(CnSketch* sketch, int size) {
    CnSeriesId wave = draw_wave(sketch);
    CnJointDef pin = cn_joint_def_default(CN_JOINT_FIX_POINT);
    pin.name = "pin";
    pin.body_a =
        draw_part(sketch, "trunk", cn_sphere_def(0.25), 20.0, cn_at(cn_vec3(0.0, 0.0, 0.0)));
    cn_sketch_joint(sketch, &pin);
    for (int i = 0; i < size; ++i) {
        double angle = 2.0 * CN_PI * i / size;
        CnVec3 out = cn_vec3(cn_cos(angle), cn_sin(angle), -0.4);
        draw_limb(sketch, pin.body_a, wave, i, cn_vec3_normalize(out));
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

// From the ground up and over to the hand, which hangs from the last joint. Returns the palm.
static CnBodyId draw_arm(CnSketch* sketch, CnSeriesId wave) {
    static const CnVec3 points[ARM_JOINTS] = {{-1.0, 0.0, 0.0}, {-1.0, 0.0, 0.3}, {-0.9, 0.0, 0.7},
                                              {-0.5, 0.0, 0.9}, {-0.2, 0.0, 0.9}, {0.0, 0.0, 0.7}};
    static const CnVec3 axes[ARM_JOINTS] = {{0.0, 0.0, 1.0}, {0.0, 1.0, 0.0}, {0.0, 1.0, 0.0},
                                            {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    char name[NAME_SIZE];
    CnBodyId part = {0}; // the first hinge is on the world
    for (int i = 0; i < ARM_JOINTS; ++i) {
        CnBodyId before = part;
        if (i + 1 < ARM_JOINTS) {
            snprintf(name, NAME_SIZE, "arm part %d", i);
            part = draw_rod(sketch, name, 3.0 - 0.4 * i, points[i], points[i + 1]);
        } else {
            part = draw_part(sketch, "palm", cn_cylinder_def(0.12, 0.05), 1.0,
                             cn_at(cn_vec3(0.0, 0.0, 0.48)));
        }
        snprintf(name, NAME_SIZE, "arm joint %d", i);
        draw_hinge(sketch, name, before, part, points[i], axes[i], &arm_motor, wave);
    }
    return part;
}

// Hinges that bend inwards, from the palm outwards, down, and back to the drum's side, along which
// the last part lies. Each motor wants to go so much further that its torque is the grip times the
// height of its joint above the middle of the drum: the finger is in balance where it is.
static void draw_finger(CnSketch* sketch, CnBodyId palm, CnMaterialId rubber, int finger,
                        CnVec3 out) {
    static const double bends[FINGER_JOINTS + 1][2] = {
        // distance from the drum's axis, height above its middle [m]
        {0.10, 0.45}, {0.20, 0.40}, {0.26, 0.32}, {0.27, 0.24},
        {0.22, 0.16}, {0.12, 0.10}, {0.12, -0.10}};
    CnVec3 up = {0.0, 0.0, 1.0};
    char name[NAME_SIZE], joint_name[NAME_SIZE];
    CnBodyId before = palm;
    CnJointAxis motor = {.limited = true,
                         .lower = -0.5,
                         .upper = 0.5,
                         .motor = CN_MOTOR_POSITION,
                         .stiffness = 200.0,
                         .damping = 2.0,
                         .max_force = 25.0};
    for (int i = 0; i < FINGER_JOINTS; ++i) {
        CnVec3 from = cn_vec3_add_scaled(cn_vec3_scale(bends[i][0], out), bends[i][1], up);
        CnVec3 to = cn_vec3_add_scaled(cn_vec3_scale(bends[i + 1][0], out), bends[i + 1][1], up);
        CnSketchBody part = cn_rod(FINGER_RADIUS, from, to);
        snprintf(name, NAME_SIZE, "finger %d part %d", finger, i);
        snprintf(joint_name, sizeof joint_name, "finger %d joint %d", finger, i);
        part.name = name;
        part.material = rubber;
        part.mass = 0.1;
        part.shape.group = MACHINE_GROUP;
        CnBodyId id = cn_sketch_body(sketch, &part);
        motor.target = GRIP * bends[i][1] / motor.stiffness;
        draw_hinge(sketch, joint_name, before, id, from, cn_vec3_cross(up, out), &motor,
                   (CnSeriesId){0});
        before = id;
    }
}

// An arm of six driven hinges swings a hand whose fingers, of six each, hold a drum by friction
// alone.
void cn_builtin_grasp(CnSketch* sketch, int size) {
    CnSeriesId wave = draw_wave(sketch);
    CnMaterialId rubber = cn_sketch_material(sketch, "rubber", 0.6, 0.0, 1000.0);
    CnSketchBody drum = {.material = rubber,
                         .shape = cn_cylinder_def(DRUM_RADIUS, 0.3),
                         .pose = cn_at(cn_vec3(0.0, 0.0, 0.0)),
                         .mass = 1.0,
                         .name = "drum"};
    CnBodyId palm = draw_arm(sketch, wave);
    for (int i = 0; i < size; ++i) {
        double angle = 2.0 * CN_PI * i / size;
        draw_finger(sketch, palm, rubber, i, cn_vec3(cn_cos(angle), cn_sin(angle), 0.0));
    }
    cn_sketch_body(sketch, &drum);
    cn_sketch_time(sketch, MACHINE_STEP, 2.0);
}

// ---- a hand of many hinges ----

// The wrist and five fingers share the hinges. A finger curls inwards at each of them, up to stops.
static const CnJointAxis hand_motor = {
    .limited = true,
    .lower = -0.3,
    .upper = 0.3,
    .motor = CN_MOTOR_POSITION,
    .target = 0.4,
    .stiffness = 1.5,
    .damping = 0.02,
    .max_force = 2.0,
};

static const CnJointAxis wrist_motor = {
    .motor = CN_MOTOR_POSITION, .target = 0.1, .stiffness = 200.0, .damping = 5.0};

// Fingers hang from the palm's rim; finger f has hinges f + 1, f + 6, ... of the hand.
void cn_builtin_hand(CnSketch* sketch, int size) {
    enum { FINGERS = 5 };
    const double part_length = 0.05, rim = 0.12; // [m]
    CnSeriesId wave = draw_wave(sketch);
    CnBodyId before[FINGERS];
    CnBodyId palm =
        draw_part(sketch, "palm", cn_cylinder_def(rim, 0.05), 1.0, cn_at(cn_vec3(0.0, 0.0, 0.0)));
    draw_hinge(sketch, "wrist", (CnBodyId){0}, palm, cn_vec3(0.0, 0.0, 0.1), cn_vec3(0.0, 1.0, 0.0),
               &wrist_motor, wave);
    for (int i = 0; i + 1 < size; ++i) {
        int finger = i % FINGERS, part = i / FINGERS;
        double angle = 2.0 * CN_PI * finger / FINGERS;
        CnVec3 at = cn_vec3(rim * cn_cos(angle), rim * cn_sin(angle), -part_length * part);
        CnVec3 end = cn_vec3_add(at, cn_vec3(0.0, 0.0, -part_length));
        CnVec3 axis = cn_vec3(-cn_sin(angle), cn_cos(angle), 0.0);
        char name[NAME_SIZE], joint_name[NAME_SIZE];
        CnSketchBody rod = cn_rod(0.01, at, end);
        snprintf(name, NAME_SIZE, "finger %d part %d", finger, part);
        snprintf(joint_name, NAME_SIZE, "finger %d joint %d", finger, part);
        CnBodyId id = draw_part(sketch, name, rod.shape, 0.05, rod.pose);
        draw_hinge(sketch, joint_name, part == 0 ? palm : before[finger], id, at, axis, &hand_motor,
                   wave);
        before[finger] = id;
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
static void draw_leg(CnSketch* sketch, int storey, int leg, CnBodyId base, CnBodyId platform,
                     CnSeriesId wave) {
    const double piston = 0.7; // length of either part, which overlap [m]
    char tube_name[NAME_SIZE], rod_name[NAME_SIZE], names[3][NAME_SIZE];
    CnVec3 foot, head, side, other;
    snprintf(tube_name, NAME_SIZE, "tube %d.%d", storey, leg);
    snprintf(rod_name, NAME_SIZE, "rod %d.%d", storey, leg);
    snprintf(names[0], NAME_SIZE, "foot %d.%d", storey, leg);
    snprintf(names[1], NAME_SIZE, "piston %d.%d", storey, leg);
    snprintf(names[2], NAME_SIZE, "head %d.%d", storey, leg);
    leg_ends(leg, STOREY * storey, &foot, &head);
    CnVec3 along = cn_vec3_normalize(cn_vec3_sub(head, foot));
    cn_tangent_basis(along, &side, &other);
    CnVec3 tube_end = cn_vec3_add_scaled(foot, piston, along);
    CnVec3 rod_start = cn_vec3_add_scaled(head, -piston, along);
    CnBodyId tube = draw_rod(sketch, tube_name, 3.0, foot, tube_end);
    CnBodyId rod = draw_rod(sketch, rod_name, 2.0, rod_start, head);

    CnJointDef joints[3] = {
        cn_joint_def_default(CN_JOINT_UNIVERSAL),
        cn_joint_def_default(CN_JOINT_SLIDER),
        cn_joint_def_default(CN_JOINT_BALL),
    };
    const CnBodyId bodies[4] = {base, tube, rod, platform};
    joints[0].point_a = foot;
    joints[0].axis = side;
    joints[0].axis_b = other;
    joints[1].point_a = cn_vec3_scale(0.5, cn_vec3_add(foot, head));
    joints[1].axis = along;
    joints[1].axes[CN_AXIS_Z] = piston_motor;
    joints[1].axes[CN_AXIS_Z].target = leg % 2 == 0 ? 0.1 : -0.05; // [m]
    joints[1].axes[CN_AXIS_Z].series = wave;
    joints[2].point_a = head;
    for (int i = 0; i < 3; ++i) {
        joints[i].name = names[i];
        joints[i].body_a = bodies[i];
        joints[i].body_b = bodies[i + 1];
        cn_sketch_joint(sketch, &joints[i]);
    }
}

// Stewart's platform: 6 (4 + 5 + 3) = 72 rows on 13 bodies, so six ways to move, all driven.
void cn_builtin_stewart(CnSketch* sketch, int size) {
    CnSeriesId wave = draw_wave(sketch);
    CnBodyId platform = {0}; // the first stands on the world
    for (int i = 0; i < size; ++i) {
        char name[NAME_SIZE];
        CnBodyId base = platform;
        snprintf(name, NAME_SIZE, "platform %d", i);
        platform = draw_part(sketch, name, cn_cylinder_def(0.7, 0.1), 50.0,
                             cn_at(cn_vec3(0.0, 0.0, STOREY * (i + 1))));
        for (int leg = 0; leg < LEGS; ++leg) {
            draw_leg(sketch, i, leg, base, platform, wave);
        }
    }
    cn_sketch_time(sketch, MACHINE_STEP, 2.0);
}

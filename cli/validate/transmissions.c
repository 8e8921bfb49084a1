// transmissions.c - gears, screws, racks, pulleys and universal joints; planes and cylinders.
#include "validate/trial.h"

static const CnVec3 zero = {0.0, 0.0, 0.0};
static const CnVec3 unit_moments = {1.0, 1.0, 1.0};
static const CnVec3 along_z = {0.0, 0.0, 1.0};

// What keeps a ratio is projected to 1e-11; where nothing curves, round-off is all that is left.
#define RATIO_TOLERANCE 1e-12

#define STEP 1e-3 // [s]

static void start(Trial* trial, CnVec3 gravity) {
    trial->settings.gravity = gravity;
    trial->settings.dt = STEP;
    trial->settings.solver.tolerance = 1e-12;
    trial_start(trial);
}

static void add_bearing(Trial* trial, const char* name, CnJointType type, CnBodyId body,
                        CnVec3 point, CnVec3 axis) {
    CnJointDef def = cn_joint_def_default(type);
    def.name = name;
    def.body_b = body; // the world is A: coordinates are those of the body
    def.point_a = point;
    def.axis = axis;
    trial_add_joint(trial, &def);
}

static void push(Trial* trial, const char* body, CnVec3 force, CnVec3 torque) {
    CnForceDef def = cn_force_def_default();
    def.force = force;
    def.torque = torque;
    trial_add_force(trial, body, def);
}

static const CnVec3 apart = {1.0, 0.0, 0.0}; // between the axes of two wheels [m]

// Wheels of 1 kg m^2 on parallel axes, a + 2 b = constant, 3 N m on A: A gains
// T / (I + I / ratio^2) = 2.4 rad/s^2.
static void build_gear(Trial* trial) {
    CnBodyDef driver = trial_body_def("driver", 1.0, unit_moments, zero);
    CnBodyDef driven = trial_body_def("driven", 1.0, unit_moments, apart);
    CnJointDef gear = cn_joint_def_default(CN_JOINT_GEAR);
    gear.body_a = trial_add_body(trial, &driver);
    gear.body_b = trial_add_body(trial, &driven);
    gear.point_b = apart;
    gear.two_points = true;
    gear.axis_b = along_z;
    gear.ratio = 2.0;
    add_bearing(trial, "a", CN_JOINT_HINGE, gear.body_a, zero, along_z);
    add_bearing(trial, "b", CN_JOINT_HINGE, gear.body_b, apart, along_z);
    trial_add_joint(trial, &gear);
    push(trial, "driver", zero, cn_vec3(0.0, 0.0, 3.0));
}

static void gear(Validation* validation) {
    const double t = 4.0, gain = 2.4;
    Trial trial = trial_open_built(validation, build_gear, NULL);
    start(&trial, zero);
    trial_run(&trial, t);
    CnJointState a = trial_joint(&trial, "a"), b = trial_joint(&trial, "b");
    trial_check(&trial, gain * t, a.velocity[CN_AXIS_TURN_Z], 1e-8, "speed of A [rad/s]");
    trial_check(&trial, 0.5 * gain * t * t, a.position[CN_AXIS_TURN_Z], 1e-8, "angle of A [rad]");
    trial_check(&trial, 0.0, a.position[CN_AXIS_TURN_Z] + 2.0 * b.position[CN_AXIS_TURN_Z],
                RATIO_TOLERANCE, "a + 2 b after three turns [rad]");
    trial_check(&trial, 0.0, a.velocity[CN_AXIS_TURN_Z] + 2.0 * b.velocity[CN_AXIS_TURN_Z], 1e-11,
                "its rate [rad/s]");
    trial_close(&trial);
}

// A sun of radius .1 m, three planets of .1 m on a carrier and a ring of .3 m that does not turn:
// the carrier makes a quarter of the sun's turns, and planets turn half as fast the other way. All
// bodies have 1 kg and .01 kg m^2.
static void mesh(Trial* trial, CnBodyId a, CnVec3 at_a, CnBodyId b, CnVec3 at_b, double ratio) {
    CnJointDef gear = cn_joint_def_default(CN_JOINT_GEAR);
    gear.body_a = a;
    gear.body_b = b;
    gear.point_a = at_a;
    gear.point_b = at_b;
    gear.two_points = true;
    gear.axis_b = along_z;
    gear.ratio = ratio;
    trial_add_joint(trial, &gear);
}

static void build_planetary(Trial* trial) {
    const CnVec3 moments = {0.01, 0.01, 0.01};
    CnBodyDef sun = trial_body_def("sun", 1.0, moments, zero);
    CnBodyDef carrier = trial_body_def("carrier", 1.0, moments, zero);
    CnBodyId ring = {0}, center = trial_add_body(trial, &sun);
    CnBodyId arm = trial_add_body(trial, &carrier);
    add_bearing(trial, "sun", CN_JOINT_HINGE, center, zero, along_z);
    add_bearing(trial, "carrier", CN_JOINT_HINGE, arm, zero, along_z);
    for (int i = 0; i < 3; ++i) {
        double angle = 2.0 * CN_PI * i / 3.0;
        CnVec3 at = cn_vec3(0.2 * cn_cos(angle), 0.2 * cn_sin(angle), 0.0);
        CnBodyDef planet = trial_body_def(NULL, 1.0, moments, at);
        CnBodyId wheel = trial_add_body(trial, &planet);
        CnJointDef pin = cn_joint_def_default(CN_JOINT_HINGE);
        pin.body_a = arm;
        pin.body_b = wheel;
        pin.point_a = at;
        trial_add_joint(trial, &pin);
        mesh(trial, center, zero, wheel, at, 1.0);
        mesh(trial, wheel, at, ring, zero, -3.0);
    }
    push(trial, "sun", zero, cn_vec3(0.0, 0.0, 0.5));
}

static double planetary_error(Trial* trial, double dt, double expected) {
    trial->settings.gravity = zero;
    trial->settings.dt = dt;
    trial->settings.solver.tolerance = 1e-12;
    trial_start(trial);
    trial_run(trial, 1.0);
    return fabs(trial_joint(trial, "sun").position[CN_AXIS_TURN_Z] - expected);
}

// .5 N m on .01 + (.01 + 3 . .04) / 16 + 3 . .01 / 4 kg m^2 for 1 s. Planets go along chords, which
// is an error of second order. Angles are projected to 1e-11 rad and have grown to 10 rad.
static void planetary(Validation* validation) {
    const double sum = 0.01 + 0.13 / 16.0 + 0.03 / 4.0, expected = 0.25 / sum;
    Trial trial = trial_open_built(validation, build_planetary, NULL);
    double coarse = planetary_error(&trial, 2.0 * STEP, expected);
    double fine = planetary_error(&trial, STEP, expected);
    double rate = 0.5 / sum / 4.0 * STEP;
    double sun = trial_joint(&trial, "sun").position[CN_AXIS_TURN_Z];
    double carrier = trial_joint(&trial, "carrier").position[CN_AXIS_TURN_Z];
    trial_check(&trial, 0.0, fine, expected * rate * rate, "error of the sun's angle [rad]");
    trial_check(&trial, 2.0, trial_order(coarse, fine), ORDER_TOLERANCE, "order");
    trial_check(&trial, 0.25, carrier / sun, RATIO_TOLERANCE, "turns of the carrier, of the sun's");
    trial_close(&trial);
}

// A nut of 1 kg and 1 kg m^2 sinks on a screw of pitch p: m g p / 2 pi turns m (p / 2 pi)^2 + I.
static void build_screw(Trial* trial) {
    CnBodyDef nut = trial_body_def("nut", 1.0, unit_moments, zero);
    CnJointDef screw = cn_joint_def_default(CN_JOINT_SCREW);
    screw.name = "screw";
    screw.body_b = trial_add_body(trial, &nut);
    screw.pitch = 2.0;
    trial_add_joint(trial, &screw);
}

static void screw(Validation* validation) {
    const double t = 4.0, lead = 2.0 / (2.0 * CN_PI), gain = -9.81 * lead / (1.0 + lead * lead);
    Trial trial = trial_open_built(validation, build_screw, NULL);
    start(&trial, cn_vec3(0.0, 0.0, -9.81));
    trial_run(&trial, t);
    double turned = trial_joint(&trial, "screw").position[CN_AXIS_TURN_Z];
    trial_check(&trial, 0.5 * gain * t * t, turned, 1e-8, "angle after 4 s [rad]");
    trial_check(&trial, lead * turned, trial_state(&trial, "nut").center.z, RATIO_TOLERANCE,
                "advance after four turns [m]");
    trial_close(&trial);
}

// A rack of 2 kg falls and turns a pinion of .5 kg m^2 by 5 rad/m: m g / (m + I / r^2).
static void build_rack(Trial* trial) {
    CnBodyDef pinion = trial_body_def("pinion", 1.0, cn_vec3(0.5, 0.5, 0.5), zero);
    CnBodyDef rack = trial_body_def("rack", 2.0, unit_moments, cn_vec3(0.2, 0.0, 0.0));
    CnJointDef mesh = cn_joint_def_default(CN_JOINT_RACK_AND_PINION);
    mesh.body_a = trial_add_body(trial, &pinion);
    mesh.body_b = trial_add_body(trial, &rack);
    mesh.axis = cn_vec3(0.0, 1.0, 0.0);
    mesh.axis_b = along_z;
    mesh.point_b = cn_vec3(0.2, 0.0, 0.0);
    mesh.two_points = true;
    mesh.ratio = 0.2;
    add_bearing(trial, "wheel", CN_JOINT_HINGE, mesh.body_a, zero, mesh.axis);
    add_bearing(trial, "rail", CN_JOINT_SLIDER, mesh.body_b, mesh.point_b, along_z);
    trial_add_joint(trial, &mesh);
}

static void rack_and_pinion(Validation* validation) {
    const double t = 4.0, fall = -2.0 * 9.81 / (2.0 + 0.5 / 0.04);
    Trial trial = trial_open_built(validation, build_rack, NULL);
    start(&trial, cn_vec3(0.0, 0.0, -9.81));
    trial_run(&trial, t);
    double turned = trial_joint(&trial, "wheel").position[CN_AXIS_TURN_Z];
    double moved = trial_joint(&trial, "rail").position[CN_AXIS_Z];
    trial_check(&trial, 0.5 * fall * t * t, moved, 1e-8, "way of the rack after 4 s [m]");
    trial_check(&trial, 0.2 * turned, moved, RATIO_TOLERANCE, "way by the angle [m]");
    trial_close(&trial);
}

// 3 kg and 1 kg on a rope over two pins, l_a + ratio l_b constant: B falls by
// g (m_b - ratio m_a) / (m_b + ratio^2 m_a), which is Atwood's machine for a ratio of 1. The rope
// pulls A with m_a (g - a_a).
static void build_pulley(Trial* trial) {
    CnBodyDef a = trial_body_def("a", 3.0, unit_moments, cn_vec3(0.0, 0.0, -9.0));
    CnBodyDef b = trial_body_def("b", 1.0, unit_moments, cn_vec3(1.0, 0.0, -9.0));
    CnJointDef pulley = cn_joint_def_default(CN_JOINT_PULLEY);
    pulley.name = "rope";
    pulley.body_a = trial_add_body(trial, &a);
    pulley.body_b = trial_add_body(trial, &b);
    pulley.point_a = a.position;
    pulley.point_b = b.position;
    pulley.anchor_a = zero;
    pulley.anchor_b = apart;
    pulley.ratio = *(const double*)trial->data;
    trial_add_joint(trial, &pulley);
}

static void pulley(Validation* validation) {
    static const double ratios[] = {1.0, 2.0, 0.25};
    const double g = 9.81, t = 1.0;
    for (int i = 0; i < 3; ++i) {
        double ratio = ratios[i], fall = g * (1.0 - 3.0 * ratio) / (1.0 + 3.0 * ratio * ratio);
        Trial trial = trial_open_built(validation, build_pulley, &ratio);
        start(&trial, cn_vec3(0.0, 0.0, -g));
        trial_run(&trial, t);
        trial_check(&trial, -9.0 - 0.5 * fall * t * t, trial_state(&trial, "b").center.z, 1e-9,
                    "ratio %g: place of B after 1 s [m]", ratio);
        trial_check(&trial, 3.0 * (g + ratio * fall), trial_joint(&trial, "rope").force.z, 1e-7,
                    "ratio %g: tension at A [N]", ratio);
        trial_close(&trial);
    }
}

#define SHAFT_ANGLE (CN_PI / 6.0) // between the shafts of a universal joint [rad]
#define SHAFT_SPEED 2.0           // [rad/s]

// A shaft along x drives one that is bent from it by 30 degrees, both on bearings. The cross starts
// with A's arm square to the plane of the shafts.
static void build_universal(Trial* trial) {
    CnVec3 bent = cn_vec3(cn_cos(SHAFT_ANGLE), cn_sin(SHAFT_ANGLE), 0.0);
    CnBodyDef in = trial_body_def("in", 1.0, unit_moments, cn_vec3(-1.0, 0.0, 0.0));
    CnBodyDef out = trial_body_def("out", 1.0, unit_moments, bent);
    in.angular_velocity = cn_vec3(SHAFT_SPEED, 0.0, 0.0);
    out.angular_velocity = cn_vec3_scale(SHAFT_SPEED * cn_cos(SHAFT_ANGLE), bent);
    CnJointDef drive = cn_joint_def_default(CN_JOINT_HINGE);
    CnJointDef cross = cn_joint_def_default(CN_JOINT_UNIVERSAL);
    cross.body_a = trial_add_body(trial, &in);
    cross.body_b = trial_add_body(trial, &out);
    cross.axis_b = cn_vec3(-cn_sin(SHAFT_ANGLE), cn_cos(SHAFT_ANGLE), 0.0);
    drive.name = "in";
    drive.body_b = cross.body_a;
    drive.axis = cn_vec3(1.0, 0.0, 0.0);
    drive.axes[CN_AXIS_TURN_Z] = (CnJointAxis){.motor = CN_MOTOR_VELOCITY, .target = SHAFT_SPEED};
    trial_add_joint(trial, &drive);
    add_bearing(trial, "out", CN_JOINT_HINGE, cross.body_b, bent, bent);
    trial_add_joint(trial, &cross);
}

// tan out = tan in cos b, and w_out / w_in = cos b / (cos^2 in + sin^2 in cos^2 b): between cos b
// and 1 / cos b. Three of the fourteen rows say what others do.
static void universal(Validation* validation) {
    const double c = cn_cos(SHAFT_ANGLE);
    double angle = 0.0, rate = 0.0, least = INFINITY, most = 0.0;
    Trial trial = trial_open_built(validation, build_universal, NULL);
    start(&trial, zero);
    for (int i = 0; i < 4000 && !trial.failed; ++i) {
        trial_step(&trial);
        CnJointState in = trial_joint(&trial, "in"), out = trial_joint(&trial, "out");
        double theta = in.position[CN_AXIS_TURN_Z], phi = out.position[CN_AXIS_TURN_Z];
        double sine = cn_sin(theta), cosine = cn_cos(theta);
        double ratio = c / (cosine * cosine + sine * sine * c * c);
        double speed = out.velocity[CN_AXIS_TURN_Z] / in.velocity[CN_AXIS_TURN_Z];
        angle = fmax(angle, fabs(cn_sin(phi) * cosine - cn_cos(phi) * sine * c));
        rate = fmax(rate, fabs(speed - ratio));
        least = fmin(least, speed);
        most = fmax(most, speed);
    }
    trial_check(&trial, 0.0, angle, 1e-10, "sin out cos in - cos out sin in cos b");
    trial_check(&trial, 0.0, rate, 1e-9, "error of the ratio of speeds");
    // An extreme falls between two steps: the ratio is off by half its curvature, 2 w^2 (1/c - c).
    double between = SHAFT_SPEED * SHAFT_SPEED * STEP * STEP;
    trial_check(&trial, c, least, between, "least ratio");
    trial_check(&trial, 1.0 / c, most, between, "largest ratio");
    trial_close(&trial);
}

// Down a plane of 30 degrees without friction, turning about its normal; and down a vertical rod,
// turning about it.
static void build_smooth(Trial* trial) {
    CnVec3 normal = cn_vec3(cn_sin(CN_PI / 6.0), 0.0, cn_cos(CN_PI / 6.0));
    CnBodyDef disc = trial_body_def("disc", 1.0, unit_moments, zero);
    CnBodyDef ring = trial_body_def("ring", 1.0, unit_moments, apart);
    disc.angular_velocity = cn_vec3_scale(5.0, normal);
    ring.angular_velocity = cn_vec3_scale(5.0, along_z);
    add_bearing(trial, "plane", CN_JOINT_PLANAR, trial_add_body(trial, &disc), zero, normal);
    add_bearing(trial, "rod", CN_JOINT_CYLINDRICAL, trial_add_body(trial, &ring), apart, along_z);
}

static void planar_and_cylindrical(Validation* validation) {
    Trial trial = trial_open_built(validation, build_smooth, NULL);
    start(&trial, cn_vec3(0.0, 0.0, -9.81));
    trial_run(&trial, 1.0);
    CnVec3 center = trial_state(&trial, "disc").center;
    CnJointState plane = trial_joint(&trial, "plane"), rod = trial_joint(&trial, "rod");
    trial_check(&trial, 0.5 * 9.81 * 0.5, cn_vec3_length(center), 1e-9, "way down the plane [m]");
    trial_check(&trial, 5.0, plane.position[CN_AXIS_TURN_Z], 1e-9, "turn on the plane [rad]");
    trial_check(&trial, 9.81 * cn_cos(CN_PI / 6.0), cn_vec3_length(plane.force), 1e-8,
                "force of the plane [N]");
    trial_check(&trial, -0.5 * 9.81, rod.position[CN_AXIS_Z], 1e-9, "way down the rod [m]");
    trial_check(&trial, 5.0, rod.position[CN_AXIS_TURN_Z], 1e-9, "turn on the rod [rad]");
    trial_close(&trial);
}

static const ValidationCase cases[] = {
    {"gear", "Two wheels keep their ratio and gain what their inertia lets them", gear},
    {"planetary", "A planetary gear, whose carrier turns, divides by four", planetary},
    {"screw", "A nut sinks on a screw and keeps its pitch", screw},
    {"rack-and-pinion", "A rack falls and turns a pinion", rack_and_pinion},
    {"pulley", "Atwood's machine, and pulleys of other ratios", pulley},
    {"universal", "A universal joint's uneven speed", universal},
    {"planar-cylindrical", "Sliding and turning on a plane and on a rod", planar_and_cylindrical},
};

const ValidationGroup validation_transmissions = VALIDATION_GROUP("transmissions", cases);

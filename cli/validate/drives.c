// drives.c - motors, limits, friction, springs and prescribed motion of joints.
#include "validate/trial.h"

static const CnVec3 zero = {0.0, 0.0, 0.0};
static const CnVec3 unit_moments = {1.0, 1.0, 1.0};

// Where projection leaves positions [m].
#define POSITION_TOLERANCE 1e-11

#define STEP 1e-3 // [s]

// -- One cart of 1 kg and unit moments on a slider or a hinge along z, with one axis at work.

typedef struct Cart {
    CnJointType type;
    CnAxis axis;
    CnJointAxis settings;
    double velocity; // at the start, along or about z [m/s or rad/s]
} Cart;

static void build_cart(Trial* trial) {
    const Cart* cart = trial->data;
    bool turns = cart->type == CN_JOINT_HINGE;
    CnBodyDef body = trial_body_def("cart", 1.0, unit_moments, zero);
    *(turns ? &body.angular_velocity : &body.velocity) = cn_vec3(0.0, 0.0, cart->velocity);
    CnJointDef joint = cn_joint_def_default(cart->type);
    joint.name = "joint";
    joint.body_b = trial_add_body(trial, &body);
    joint.axes[cart->axis] = cart->settings;
    trial_add_joint(trial, &joint);
}

static Trial open_cart(Validation* validation, const Cart* cart) {
    Trial trial = trial_open_built(validation, build_cart, cart);
    trial.settings.gravity = zero;
    trial.settings.dt = STEP;
    trial.settings.solver.tolerance = 1e-12;
    trial_start(&trial);
    return trial;
}

// What a run of n steps may add up to in place: each errs by the tolerance in velocity.
static double place_tolerance(const Trial* trial, double duration) {
    return POSITION_TOLERANCE + duration * duration / trial->settings.dt * trial->tolerance;
}

// 3 N m on 1 kg m^2 until 6 rad/s: 3 t, then 6; the angle is 3 t^2 / 2, then 6 + 6 (t - 2).
static void motor_speed(Validation* validation) {
    const Cart cart = {
        CN_JOINT_HINGE,
        CN_AXIS_TURN_Z,
        {.motor = CN_MOTOR_VELOCITY, .target = 6.0, .max_force = 3.0},
        0.0,
    };
    Trial trial = open_cart(validation, &cart);
    trial_run(&trial, 1.0);
    CnJointState joint = trial_joint(&trial, "joint");
    trial_check(&trial, 3.0, joint.velocity[CN_AXIS_TURN_Z], 1e-9, "speed after 1 s [rad/s]");
    trial_check(&trial, 1.5, joint.position[CN_AXIS_TURN_Z], place_tolerance(&trial, 1.0),
                "angle after 1 s [rad]");
    trial_check(&trial, 3.0, joint.axis_force[CN_AXIS_TURN_Z], 1e-9, "torque [N m]");
    trial_run(&trial, 2.0);
    joint = trial_joint(&trial, "joint");
    trial_check(&trial, 6.0, joint.velocity[CN_AXIS_TURN_Z], 1e-9, "speed after 3 s [rad/s]");
    trial_check(&trial, 12.0, joint.position[CN_AXIS_TURN_Z], place_tolerance(&trial, 3.0),
                "angle after 3 s [rad]");
    trial_close(&trial);
}

// p = -h (k C+ + d u+) with C+ = C + h u+ where the row is posed, moreau.md (14): the recurrence
// itself, written out for one body.
static void motor_position(Validation* validation) {
    const double k = 400.0, d = 10.0, goal = 0.5, h = STEP;
    const Cart cart = {
        CN_JOINT_SLIDER,
        CN_AXIS_Z,
        {.motor = CN_MOTOR_POSITION, .target = goal, .stiffness = k, .damping = d},
        0.0,
    };
    Trial trial = open_cart(validation, &cart);
    double x = 0.0, v = 0.0;
    for (int i = 0; i < 200; ++i) {
        double halfway = x + 0.5 * h * v;
        v = (v - h * k * (halfway - goal)) / (1.0 + h * d + h * h * k);
        x = halfway + 0.5 * h * v;
    }
    trial_run(&trial, 0.2);
    CnJointState joint = trial_joint(&trial, "joint");
    trial_check(&trial, x, joint.position[CN_AXIS_Z], 1e-11, "place after .2 s [m]");
    trial_check(&trial, v, joint.velocity[CN_AXIS_Z], 1e-10, "speed after .2 s [m/s]");
    trial_run(&trial, 5.8); // exp(-d t / 2) = 1e-13
    joint = trial_joint(&trial, "joint");
    trial_check(&trial, goal, joint.position[CN_AXIS_Z], 1e-10, "place after 6 s [m]");
    trial_close(&trial);
}

// A ramp of 3 rad/s^2 is followed without lag: exact at the ends of steps.
static void build_ramp(Trial* trial) {
    static const double times[] = {0.0, 1.0, 2.0}, values[] = {0.0, 1.0, 1.0};
    Cart cart = *(const Cart*)trial->data;
    cart.settings.series = trial_add_series(trial, 3, times, values);
    const void* data = trial->data;
    trial->data = &cart;
    build_cart(trial);
    trial->data = data;
}

static void motor_ramp(Validation* validation) {
    const Cart cart = {
        CN_JOINT_HINGE, CN_AXIS_TURN_Z, {.motor = CN_MOTOR_VELOCITY, .target = 3.0}, 0.0};
    Trial trial = trial_open_built(validation, build_ramp, &cart);
    trial.settings.gravity = zero;
    trial.settings.dt = STEP;
    trial_start(&trial);
    trial_run(&trial, 0.5);
    CnJointState joint = trial_joint(&trial, "joint");
    trial_check(&trial, 1.5, joint.velocity[CN_AXIS_TURN_Z], 1e-9, "speed after .5 s [rad/s]");
    trial_check(&trial, 0.375, joint.position[CN_AXIS_TURN_Z], 1e-9, "angle after .5 s [rad]");
    trial_check(&trial, 3.0, joint.axis_force[CN_AXIS_TURN_Z], 1e-6, "torque [N m]");
    trial_close(&trial);
}

// 3 m/s between stops at +-1 m with e = .5: at the upper one after 1/3 s, at the lower one after
// 5/3 s, and x(2) = -1 + .75 / 3. Each impact may be one step late, on the way in and out.
static void limit_bounce(Validation* validation) {
    const Cart cart = {
        CN_JOINT_SLIDER,
        CN_AXIS_Z,
        {.limited = true, .lower = -1.0, .upper = 1.0, .restitution = 0.5},
        3.0,
    };
    Trial trial = open_cart(validation, &cart);
    trial_run(&trial, 1.0);
    trial_check(&trial, -1.5, trial_joint(&trial, "joint").velocity[CN_AXIS_Z], 1e-9,
                "speed after the first stop [m/s]");
    trial_run(&trial, 1.0);
    trial_check(&trial, 0.75, trial_joint(&trial, "joint").velocity[CN_AXIS_Z], 1e-9,
                "speed after the second stop [m/s]");
    trial_check(&trial, -0.75, trial_joint(&trial, "joint").position[CN_AXIS_Z],
                STEP * (3.0 + 1.5 + 1.5 + 0.75), "place after 2 s [m]");
    trial_close(&trial);
}

// 2 N against 3 m/s: at rest after 1.5 s and 2.25 m. In the step that stops, a path of a h^2 at
// most is different.
static void dry_friction(Validation* validation) {
    const Cart cart = {CN_JOINT_SLIDER, CN_AXIS_Z, {.friction = 2.0}, 3.0};
    Trial trial = open_cart(validation, &cart);
    trial_run(&trial, 1.0);
    trial_check(&trial, 1.0, trial_joint(&trial, "joint").velocity[CN_AXIS_Z], 1e-9,
                "speed after 1 s [m/s]");
    trial_run(&trial, 2.0);
    CnJointState joint = trial_joint(&trial, "joint");
    trial_check(&trial, 0.0, joint.velocity[CN_AXIS_Z], 1e-11, "speed at rest [m/s]");
    trial_check(&trial, 2.25, joint.position[CN_AXIS_Z], 2.0 * STEP * STEP, "way to rest [m]");
    trial_close(&trial);
}

// -- Springs.

// x = x0 exp(-d t) (cos w t + d / w sin w t), of rate w0 and damping ratio z.
static double oscillator(double x0, double rate, double ratio, double t) {
    double d = ratio * rate, w = rate * sqrt(1.0 - ratio * ratio);
    return x0 * cn_exp(-d * t) * (cn_cos(w * t) + d / w * cn_sin(w * t));
}

// The midpoint rule shifts phases by (w h)^2 / 12 per radian.
static double phase_tolerance(double amplitude, double rate, double t, double h) {
    return amplitude * rate * t * rate * rate * h * h / 12.0 + POSITION_TOLERANCE;
}

// 1 kg and 3 kg on a common slider with 2 Hz and a damping ratio of .1, at rest .1 m off.
static void build_hertz(Trial* trial) {
    CnBodyDef light = trial_body_def("light", 1.0, unit_moments, cn_vec3(0.0, 0.0, 1.0));
    CnBodyDef heavy = trial_body_def("heavy", 3.0, unit_moments, zero);
    CnJointDef joint = cn_joint_def_default(CN_JOINT_SLIDER);
    joint.name = "joint";
    joint.body_a = trial_add_body(trial, &heavy);
    joint.body_b = trial_add_body(trial, &light);
    joint.axes[CN_AXIS_Z] =
        (CnJointAxis){.spring_hertz = 2.0, .spring_damping = 0.1, .spring_rest = 0.1};
    trial_add_joint(trial, &joint);
}

static double stretch_after(Trial* trial, double dt, double duration) {
    trial->settings.dt = dt;
    trial_start(trial);
    trial_run(trial, duration);
    return trial_joint(trial, "joint").position[CN_AXIS_Z];
}

static void spring_hertz(Validation* validation) {
    const double rate = 4.0 * CN_PI, t = 1.0;
    Trial trial = trial_open_built(validation, build_hertz, NULL);
    trial.settings.gravity = zero;
    double expected = 0.1 + oscillator(-0.1, rate, 0.1, t);
    double coarse = stretch_after(&trial, 2.0 * STEP, t), fine = stretch_after(&trial, STEP, t);
    trial_check(&trial, expected, fine, phase_tolerance(0.1, rate, t, STEP), "place after 1 s [m]");
    trial_check(&trial, 2.0, trial_order(fabs(coarse - expected), fabs(fine - expected)),
                ORDER_TOLERANCE, "order");
    trial_close(&trial);
}

// A mass of 1 kg that moves along x on a spring to the world, k = 100 and c = 2, from .1 m.
static void build_spring(Trial* trial) {
    const CnDirection* direction = trial->data;
    CnBodyDef mass = trial_body_def("mass", 1.0, unit_moments, cn_vec3(1.1, 0.0, 0.0));
    CnJointDef joint = cn_joint_def_default(CN_JOINT_SPRING);
    joint.name = "joint";
    joint.body_b = trial_add_body(trial, &mass);
    joint.point_a = zero;
    joint.point_b = cn_vec3(1.1, 0.0, 0.0);
    joint.axis = cn_vec3(1.0, 0.0, 0.0);
    joint.direction = *direction;
    joint.axes[CN_AXIS_Z].spring_stiffness = 100.0;
    joint.axes[CN_AXIS_Z].spring_damping = 2.0;
    joint.axes[CN_AXIS_Z].spring_rest = -0.1; // 1 m long at rest; the stroke is 0 now
    trial_add_joint(trial, &joint);
}

static void spring_directions(Validation* validation) {
    static const char* const names[] = {"follow", "fixed", "carried_a", "carried_b"};
    const double t = 3.0, expected = 1.0 + oscillator(0.1, 10.0, 0.1, 3.0);
    for (int i = CN_DIRECTION_FOLLOW; i <= CN_DIRECTION_CARRIED_B; ++i) {
        const CnDirection direction = (CnDirection)i;
        double found[2];
        Trial trial = trial_open_built(validation, build_spring, &direction);
        trial.settings.gravity = zero;
        trial.settings.solver.tolerance = 1e-12;
        for (int k = 0; k < 2; ++k) {
            trial.settings.dt = (2 - k) * STEP;
            trial_start(&trial);
            trial_run(&trial, t);
            found[k] = trial_state(&trial, "mass").center.x;
        }
        trial_check(&trial, expected, found[1], phase_tolerance(0.1 * cn_exp(-t), 10.0, t, STEP),
                    "%s: place [m]", names[i]);
        trial_check(&trial, 2.0, trial_order(fabs(found[0] - expected), fabs(found[1] - expected)),
                    ORDER_TOLERANCE, "%s: order", names[i]);
        trial_close(&trial);
    }
}

// f = -x^3 by a function: from x = 1 at rest the period is 4 sqrt(2) times the integral of
// 1 / sqrt(1 - x^4) over [0, 1] = 7.4162987092. After it the cart is back, up to the shift of its
// phase; there the speed is 0, so places err by its square and speeds by the force times it.
static double cubic(double stroke, double rate, double time, void* data, double* by_stroke,
                    double* by_rate) {
    (void)rate, (void)time, (void)data;
    double x = 1.0 + stroke; // the stroke counts from the start
    *by_stroke = -3.0 * x * x;
    *by_rate = 0.0;
    return -x * x * x;
}

static void build_cubic(Trial* trial) {
    CnBodyDef mass = trial_body_def("mass", 1.0, unit_moments, cn_vec3(1.0, 0.0, 0.0));
    CnJointDef joint = cn_joint_def_default(CN_JOINT_SPRING);
    joint.body_b = trial_add_body(trial, &mass);
    joint.point_b = cn_vec3(1.0, 0.0, 0.0);
    joint.axis = cn_vec3(1.0, 0.0, 0.0);
    joint.direction = CN_DIRECTION_FIXED;
    joint.spring = cubic;
    trial_add_joint(trial, &joint);
}

static void spring_function(Validation* validation) {
    const double period = 7.4162987092055;
    const int steps = 2048;
    double speed[2];
    Trial trial = trial_open_built(validation, build_cubic, NULL);
    trial.settings.gravity = zero;
    trial.settings.solver.tolerance = 1e-12;
    for (int k = 0; k < 2; ++k) {
        trial.settings.dt = period / (steps << k);
        trial_start(&trial);
        trial_run(&trial, period);
        speed[k] = trial_state(&trial, "mass").velocity.x;
    }
    double h = trial.settings.dt, shift = period * 3.0 * h * h / 12.0; // w^2 = 3 x^2 at most
    trial_check(&trial, 1.0, trial_state(&trial, "mass").center.x, shift, "place [m]");
    trial_check(&trial, 0.0, speed[1], shift, "speed after a period [m/s]");
    trial_check(&trial, 2.0, trial_order(fabs(speed[0]), fabs(speed[1])), ORDER_TOLERANCE, "order");
    trial_close(&trial);
}

// A table of 100 N/m when stretched and 400 N/m when pressed on 1 kg: half a swing takes pi / 10 s,
// the other pi / 20. At 1 m/s through its length at rest it is back there after both. Each half
// shifts its phase by (w h)^2 / 12 per radian, pi of them. In a step that passes the corner of the
// table the mean force is not that of the mean place, by 300 N/m v h / 8 at most.
static void build_table(Trial* trial) {
    static const double strokes[] = {-1.0, 0.0, 1.0}, forces[] = {400.0, 0.0, -100.0};
    CnBodyDef mass = trial_body_def("mass", 1.0, unit_moments, cn_vec3(1.0, 0.0, 0.0));
    CnJointDef joint = cn_joint_def_default(CN_JOINT_SPRING);
    mass.velocity = cn_vec3(1.0, 0.0, 0.0);
    joint.body_b = trial_add_body(trial, &mass);
    joint.point_b = cn_vec3(1.0, 0.0, 0.0);
    joint.spring_table = trial_add_series(trial, 3, strokes, forces);
    trial_add_joint(trial, &joint);
}

static void spring_table(Validation* validation) {
    const double period = CN_PI / 10.0 + CN_PI / 20.0;
    const int steps = 1024;
    double place[2];
    Trial trial = trial_open_built(validation, build_table, NULL);
    trial.settings.gravity = zero;
    trial.settings.solver.tolerance = 1e-12;
    for (int k = 0; k < 2; ++k) {
        trial.settings.dt = period / (steps << k);
        trial_start(&trial);
        trial_run(&trial, period);
        place[k] = trial_state(&trial, "mass").center.x - 1.0;
    }
    double h = trial.settings.dt;
    double shift = CN_PI / 12.0 * h * h * (10.0 + 20.0); // (w h)^2 / 12 pi / w of each half [s]
    double corners = 2.0 * 300.0 * h * h / 8.0;          // of both [m/s]
    trial_check(&trial, 0.0, place[1], shift + corners * period, "place after a swing [m]");
    trial_check(&trial, 1.0, trial_state(&trial, "mass").velocity.x, shift + corners,
                "speed after a swing [m/s]");
    trial_check(&trial, 2.0, trial_order(fabs(place[0]), fabs(place[1])), ORDER_TOLERANCE, "order");
    trial_close(&trial);
}

// 1 kg on a spring of 100 N/m with stops at 50 mm down and 20 mm up. Critically damped it would
// sink 98.1 mm: it comes to rest on the stop, which carries what the spring leaves of the weight.
// With stops at 200 mm it sinks to m g / k.
static void build_stroke(Trial* trial) {
    const double* lower = trial->data;
    CnBodyDef mass = trial_body_def("mass", 1.0, unit_moments, cn_vec3(0.0, 0.0, 1.0));
    CnJointDef joint = cn_joint_def_default(CN_JOINT_SPRING);
    joint.name = "joint";
    joint.body_b = trial_add_body(trial, &mass);
    joint.point_b = cn_vec3(0.0, 0.0, 1.0);
    joint.axes[CN_AXIS_Z].spring_stiffness = 100.0;
    joint.axes[CN_AXIS_Z].spring_damping = 20.0;
    joint.stroke_lower = *lower;
    joint.stroke_upper = 0.02;
    trial_add_joint(trial, &joint);
}

static void spring_stroke(Validation* validation) {
    static const double stops[] = {-0.05, -0.2}, places[] = {0.95, 1.0 - 0.0981};
    for (int i = 0; i < 2; ++i) {
        Trial trial = trial_open_built(validation, build_stroke, &stops[i]);
        trial.settings.solver.tolerance = 1e-12;
        trial.settings.dt = STEP;
        trial_start(&trial);
        trial_run(&trial, 5.0);
        trial_check(&trial, places[i], trial_state(&trial, "mass").center.z, 1e-9,
                    "place on a stroke of %g m [m]", -stops[i]);
        trial_check(&trial, -9.81, trial_joint(&trial, "joint").force.z, 1e-5,
                    "force on the world [N]");
        trial_close(&trial);
    }
}

// -- Prescribed motion.

typedef struct PrescribedMotion {
    CnJointType type;
    bool two_bodies, three;
} PrescribedMotion;

static const double course_times[] = {0.0, 0.5, 1.0, 2.0};
static const double course_values[] = {0.0, 1.0, 1.0, -1.0};

// 2 kg, moved along z (or along x, y and z by 1, 2 and 3 times the series) as seen from the world
// or from 3 kg that nothing else holds.
static void build_course(Trial* trial) {
    const PrescribedMotion* course = trial->data;
    CnBodyDef moved = trial_body_def("moved", 2.0, unit_moments, zero);
    CnBodyDef other = trial_body_def("other", 3.0, unit_moments, zero);
    CnJointDef joint = cn_joint_def_default(course->type);
    joint.name = "joint";
    joint.direction = CN_DIRECTION_FIXED;
    joint.axis_b = cn_vec3(1.0, 0.0, 0.0);
    joint.body_a = trial_add_body(trial, &moved);
    if (course->two_bodies) {
        joint.body_b = trial_add_body(trial, &other);
    }
    for (int i = 0; i < 3; ++i) {
        double values[4];
        for (int k = 0; k < 4; ++k) {
            values[k] = (course->three ? i + 1.0 : 1.0) * course_values[k];
        }
        CnSeriesId series = trial_add_series(trial, 4, course_times, values);
        if (course->three) {
            joint.series3[i] = series;
        } else {
            joint.series = series;
        }
    }
    trial_add_joint(trial, &joint);
}

// Values of the motion at the knots: the series, its integral and the integral of that.
static const double knots[3][3] = {
    {1.0, 1.0, -1.0},
    {0.25, 0.75, 0.75},
    {1.0 / 24.0, 0.125 + 1.0 / 24.0 + 0.125, 1.0 / 24.0 + 0.25 + 0.75 + 0.5 - 1.0 / 3.0},
};

// Force in the middle of the last line of the series, t = 1.25: 0, -2 and 1 - 2 * .25 m/s^2.
static const double last_acceleration[3] = {0.0, -2.0, 0.5};

static void check_course(Validation* validation, const PrescribedMotion* course, const char* name) {
    int order = (int)course->type - (int)CN_JOINT_SET_DISPLACEMENT;
    double share = course->two_bodies ? 3.0 / 5.0 : 1.0; // of the motion, by momentum
    double factor = course->three ? 3.0 : 1.0, mass = course->two_bodies ? 6.0 / 5.0 : 2.0;
    Trial trial = trial_open_built(validation, build_course, course);
    trial.settings.gravity = course->two_bodies ? zero : cn_vec3(0.0, 0.0, -10.0);
    trial.settings.dt = 1.0 / 128.0; // knots fall on ends of steps
    trial.settings.solver.tolerance = 1e-12;
    trial_start(&trial);
    for (int i = 0; i < 3; ++i) {
        if (i == 2) {
            trial_run(&trial, 0.25);
            double load = course->two_bodies ? 0.0 : 20.0;
            // Over a step the force is that in its middle: 1/256 s earlier than its end.
            double lag = order == 2 ? 2.0 / 256.0 : 0.0;
            trial_check(&trial, load + factor * mass * (last_acceleration[order] + lag),
                        trial_joint(&trial, "joint").force.z, 1e-6, "%s: force at 1.25 s [N]",
                        name);
        }
        trial_run(&trial, course_times[i + 1] - course_times[i] - (i == 2 ? 0.25 : 0.0));
        CnVec3 center = trial_state(&trial, "moved").center;
        trial_check(&trial, share * factor * knots[order][i], center.z, POSITION_TOLERANCE,
                    "%s: place at knot %d [m]", name, i + 1);
        if (course->three) {
            trial_check(&trial, share * knots[order][i], center.x, POSITION_TOLERANCE,
                        "%s: x at knot %d [m]", name, i + 1);
        }
    }
    trial_close(&trial);
}

static void prescribed_motion(Validation* validation) {
    static const struct {
        const char* name;
        PrescribedMotion course;
    } courses[] = {
        {"displacement", {CN_JOINT_SET_DISPLACEMENT, false, false}},
        {"velocity", {CN_JOINT_SET_VELOCITY, false, false}},
        {"acceleration", {CN_JOINT_SET_ACCELERATION, false, false}},
        {"displacement of two", {CN_JOINT_SET_DISPLACEMENT, true, false}},
        {"velocity of two", {CN_JOINT_SET_VELOCITY, true, false}},
        {"acceleration of two", {CN_JOINT_SET_ACCELERATION, true, false}},
        {"displacement, 3 components", {CN_JOINT_SET_DISPLACEMENT, false, true}},
        {"velocity, 3 components", {CN_JOINT_SET_VELOCITY, false, true}},
        {"acceleration, 3 components", {CN_JOINT_SET_ACCELERATION, false, true}},
    };
    for (size_t i = 0; i < sizeof courses / sizeof courses[0]; ++i) {
        check_course(validation, &courses[i].course, courses[i].name);
    }
}

// -- A body of unit moments on a six-axis joint with one free turn and a position motor.

static void build_turn(Trial* trial) {
    const CnAxis* axis = trial->data;
    CnBodyDef body = trial_body_def("body", 1.0, unit_moments, zero);
    CnJointDef joint = cn_joint_def_default(CN_JOINT_SIX_AXIS);
    joint.name = "joint";
    joint.body_b = trial_add_body(trial, &body);
    for (int i = 0; i < CN_AXIS_COUNT; ++i) {
        joint.axes[i].motion = CN_AXIS_LOCKED;
    }
    joint.axes[*axis] = (CnJointAxis){
        .motor = CN_MOTOR_POSITION, .target = 5.0, .stiffness = 100.0, .damping = 40.0};
    trial_add_joint(trial, &joint);
}

// The slow root of x'' + 40 x' + 100 x is -2.68 1/s: after 15 s 5 rad have become 2e-17 rad. The
// tolerance of 1e-12 m/s is a torque of 1e-9 N m, 1e-11 rad.
static void turns_beyond_pi(Validation* validation) {
    static const CnAxis turns[] = {CN_AXIS_TURN_X, CN_AXIS_TURN_Y, CN_AXIS_TURN_Z};
    for (int i = 0; i < 3; ++i) {
        Trial trial = trial_open_built(validation, build_turn, &turns[i]);
        trial.settings.gravity = zero;
        trial.settings.dt = STEP;
        trial.settings.solver.tolerance = 1e-12;
        trial_start(&trial);
        trial_run(&trial, 15.0);
        trial_check(&trial, 5.0, trial_joint(&trial, "joint").position[turns[i]], 1e-10,
                    "angle about %s at rest [rad]", cn_axis_name(turns[i]));
        trial_close(&trial);
    }
}

static const ValidationCase cases[] = {
    {"motor-speed", "A motor of limited torque gains speed until it has it", motor_speed},
    {"motor-position", "A position motor does what its implicit rule says", motor_position},
    {"motor-turns", "Position motors about every axis arrive beyond half a turn", turns_beyond_pi},
    {"motor-ramp", "A motor follows a ramp of its target", motor_ramp},
    {"limit-bounce", "A cart between two stops that return half its speed", limit_bounce},
    {"dry-friction", "A cart on a slider with friction stops", dry_friction},
    {"spring-hertz", "Two bodies on a spring given by frequency and damping", spring_hertz},
    {"spring-directions", "A damped oscillator on springs of every direction", spring_directions},
    {"spring-function", "A cubic spring has the period of its quadrature", spring_function},
    {"spring-table", "A spring by a table, stiffer when pressed than when stretched", spring_table},
    {"spring-stroke", "A mass sinks onto the stop of its spring, or to rest", spring_stroke},
    {"prescribed-motion", "Displacement, velocity, acceleration by series", prescribed_motion},
};

const ValidationGroup validation_drives = VALIDATION_GROUP("drives", cases);

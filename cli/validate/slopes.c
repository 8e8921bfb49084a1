// slopes.c - boxes, prisms and balls on inclines, and a ball that comes to roll.
#include "validate/trial.h"

#define COULOMB (1u << CN_LAW_COULOMB)
#define DEGREE (CN_PI / 180.0)
#define G 9.81 // [m/s^2]

// 10 kg on 20 degrees, mu .6: sticks; N = m g cos, F = m g sin.
static void slope_20(Validation* validation) {
    CnVec3 normal = cn_vec3(cn_sin(20.0 * DEGREE), 0.0, cn_cos(20.0 * DEGREE));
    CnVec3 uphill = cn_vec3(-normal.z, 0.0, normal.x);
    Trial trial = trial_open(validation, "slope-20");
    for (int i = 0; trial_next_solver(&trial, COULOMB, &i);) {
        const char* solver = trial.settings.solver.name;
        trial_start(&trial);
        trial_run(&trial, 1.0);
        double dt = trial.settings.dt,
               tolerance = 4.0 * 10.0 * trial_acceleration_tolerance(&trial);
        CnVec3 force = cn_vec3_scale(1.0 / dt, trial_impulse(&trial, "ground", "box"));
        trial_check(&trial, 10.0 * G * normal.z, cn_vec3_dot(force, normal), tolerance,
                    "normal force, %s [N]", solver);
        trial_check(&trial, 10.0 * G * normal.x, cn_vec3_dot(force, uphill), tolerance,
                    "friction, %s [N]", solver);
        trial_check(&trial, 0.0, cn_vec3_length(trial_state(&trial, "box").velocity),
                    trial.settings.solver.tolerance, "creep, %s [m/s]", solver);
    }
    trial_close(&trial);
}

// a = g (sin - mu cos), over one second.
static double sliding_acceleration(double slope, double friction) {
    return G * (cn_sin(slope) - friction * cn_cos(slope));
}

static void slope_45(Validation* validation) {
    Trial trial = trial_open(validation, "slope-45");
    trial_start(&trial);
    trial_run(&trial, 1.0);
    trial_check(&trial, sliding_acceleration(45.0 * DEGREE, 0.3),
                cn_vec3_length(trial_state(&trial, "box").velocity),
                trial_acceleration_tolerance(&trial), "acceleration [m/s^2]");
    trial_close(&trial);
}

// ---- every heading ----

// Boxes and hexagonal prisms, on a plane and on a box. The slope is in gravity, so that one scene
// serves all of them.
static const char* const blocks[] = {"box on plane", "box on slab", "prism on plane",
                                     "prism on slab"};
#define BLOCKS ((int)(sizeof blocks / sizeof blocks[0]))

// Downhill directions, and how far the blocks are turned about the normal [degrees]: along edges,
// along diagonals and neither.
typedef struct Heading {
    double downhill, yaw;
} Heading;
static const Heading headings[] = {
    {0.0, 0.0},    {30.0, 0.0},  {45.0, 45.0},  {77.0, 13.0},
    {135.0, 60.0}, {200.0, 0.0}, {270.0, 30.0}, {333.0, 71.0},
};
#define HEADINGS ((int)(sizeof headings / sizeof headings[0]))

static CnVec3 downhill(const Heading* heading) {
    double angle = heading->downhill * DEGREE;
    return cn_vec3(cn_cos(angle), cn_sin(angle), 0.0);
}

// A second on a slope [rad] that falls towards the heading.
static void run_slope(Trial* trial, double slope, const Heading* heading) {
    CnVec3 across = cn_vec3_scale(G * cn_sin(slope), downhill(heading));
    trial->settings.gravity = cn_vec3_add_scaled(across, -G * cn_cos(slope), cn_vec3(0, 0, 1));
    trial_start(trial);
    for (int i = 0; i < BLOCKS; ++i) {
        trial_turn(trial, blocks[i], cn_vec3(0.0, 0.0, 1.0), heading->yaw * DEGREE);
    }
    trial_run(trial, 1.0);
}

// The largest difference of any block's velocity from `speed` downhill, for all headings [m/s].
static double worst_velocity(Trial* trial, double slope, double speed) {
    double worst = 0.0;
    for (int k = 0; k < HEADINGS; ++k) {
        run_slope(trial, slope, &headings[k]);
        for (int i = 0; i < BLOCKS; ++i) {
            CnVec3 velocity = trial_state(trial, blocks[i]).velocity;
            CnVec3 error = cn_vec3_add_scaled(velocity, -speed, downhill(&headings[k]));
            worst = fmax(worst, cn_vec3_length(error));
        }
    }
    return worst;
}

// Sticks iff tan(slope) <= mu = .5, whatever the heading: an exact cone has no corners.
//
// How four corners share the load is not unique. Just below the limit all of them may lie on their
// cones, each off the line of fall by an angle a with cos a = tan(slope) / mu; the residual of such
// a corner sees only sin a of a creep along that line.
static void incline(Validation* validation) {
    const double critical = cn_atan2(0.5, 1.0), margin = 0.01 * DEGREE; // [rad]
    const double along = cn_sin(critical - margin) / cn_cos(critical - margin) / 0.5;
    const double seen = sqrt(1.0 - along * along);
    const double above = sliding_acceleration(critical + margin, 0.5);
    Trial trial = trial_open(validation, "incline");
    for (int i = 0; trial_next_solver(&trial, COULOMB, &i);) {
        const char* solver = trial.settings.solver.name;
        trial_check(&trial, 0.0, worst_velocity(&trial, critical - margin, 0.0),
                    trial.settings.solver.tolerance / seen, "creep, .01 deg below, %s [m/s]",
                    solver);
        trial_check(&trial, 0.0, worst_velocity(&trial, critical + margin, above),
                    trial_acceleration_tolerance(&trial),
                    "error in velocity, .01 deg above, %s [m/s]", solver);
    }
    trial_close(&trial);
}

// 30 degrees, mu .3: a = 2.3562872 m/s^2.
static void incline_30(Validation* validation) {
    const double slope = 30.0 * DEGREE, expected = sliding_acceleration(slope, 0.3);
    Trial trial = trial_open(validation, "incline-30");
    run_slope(&trial, slope, &headings[0]);
    for (int i = 0; i < BLOCKS; ++i) {
        trial_check(&trial, expected, trial_state(&trial, blocks[i]).velocity.x,
                    trial_acceleration_tolerance(&trial), "acceleration, %s [m/s^2]", blocks[i]);
    }
    for (int i = 0; trial_next_solver(&trial, COULOMB, &i);) {
        trial_check(&trial, 0.0, worst_velocity(&trial, slope, expected),
                    trial_acceleration_tolerance(&trial), "error in velocity after 1 s, %s [m/s]",
                    trial.settings.solver.name);
    }
    trial_close(&trial);
}

static void steep_friction(Validation* validation) {
    Trial trial = trial_open(validation, "steep-friction");
    for (int k = 0; trial_next_solver(&trial, COULOMB, &k);) {
        double creep = 0.0;
        CnVec3 start[BLOCKS];
        trial_start(&trial);
        for (int i = 0; i < BLOCKS; ++i) {
            start[i] = trial_state(&trial, blocks[i]).center;
        }
        trial_run(&trial, 1.0);
        for (int i = 0; i < BLOCKS; ++i) {
            CnVec3 end = trial_state(&trial, blocks[i]).center;
            creep = fmax(creep, cn_vec3_length(cn_vec3_sub(end, start[i])));
        }
        trial_check(&trial, 0.0, creep, trial.settings.solver.tolerance, "creep in 1 s, %s [m]",
                    trial.settings.solver.name);
    }
    trial_close(&trial);
}

// ---- balls ----

// Rolls iff mu >= (2/7) tan(slope) (.165 at 30 degrees): a = (5/7) g sin, w = v / r.
static void rolling_sphere(Validation* validation) {
    Trial trial = trial_open(validation, "rolling-sphere");
    trial_start(&trial);
    trial_run(&trial, 1.0);
    CnBodyState ball = trial_state(&trial, "ball");
    double expected = 5.0 / 7.0 * G * cn_sin(30.0 * DEGREE);
    double tolerance = trial_acceleration_tolerance(&trial);
    trial_check(&trial, expected, ball.velocity.x, tolerance, "acceleration [m/s^2]");
    trial_check(&trial, expected / 0.5, ball.angular_velocity.y, tolerance / 0.5,
                "angular acceleration [rad/s^2]");
    trial_close(&trial);
}

// mu = .1 is not enough: a = g (sin - mu cos), and friction turns it by mu g cos / (2/5 r).
static void slipping_sphere(Validation* validation) {
    Trial trial = trial_open(validation, "slipping-sphere");
    trial_start(&trial);
    trial_run(&trial, 1.0);
    CnBodyState ball = trial_state(&trial, "ball");
    double friction = 0.1 * G * cn_cos(30.0 * DEGREE),
           tolerance = trial_acceleration_tolerance(&trial);
    trial_check(&trial, G * cn_sin(30.0 * DEGREE) - friction, ball.velocity.x, tolerance,
                "acceleration [m/s^2]");
    trial_check(&trial, friction / (0.4 * 0.5), ball.angular_velocity.y, tolerance / 0.2,
                "angular acceleration [rad/s^2]");
    trial_close(&trial);
}

// Slides with v0 = 3 m/s, mu = .3 until v = r w: at 5 v0 / 7, after 2 v0 / (7 mu g) and
// 12 v0^2 / (49 mu g). The slip velocity falls on a straight line, so the event is found exactly
// by the line through the last two; the final speed follows from the angular momentum about the
// contact and does not depend on the step at all.
static void sliding_sphere(Validation* validation) {
    const double start_speed = 3.0, friction = 0.3, radius = 0.5;
    Trial trial = trial_open(validation, "sliding-sphere");
    trial_start(&trial);
    double dt = trial.settings.dt, slip = start_speed, change = 0.0, time = 0.0, place = 0.0;
    CnBodyState ball = trial_state(&trial, "ball");
    while (!trial.failed && time < trial.settings.duration) {
        CnBodyState before = ball;
        trial_step(&trial);
        ball = trial_state(&trial, "ball");
        double now = ball.velocity.x - radius * ball.angular_velocity.y;
        if (now <= trial.settings.solver.tolerance) {
            double rest = slip / change;
            time += rest;
            place = before.center.x + rest * before.velocity.x - 0.5 * friction * G * rest * rest;
            break;
        }
        change = (slip - now) / dt;
        slip = now;
        time = trial.failed ? 0.0 : cn_world_time(trial.world);
    }
    trial_run(&trial, 0.5);
    double expected = 2.0 * start_speed / (7.0 * friction * G);
    double speed_error = expected / dt * trial.settings.solver.tolerance;
    trial_check(&trial, expected, time, 2.0 * speed_error / (friction * G), "time of slip [s]");
    trial_check(&trial, 12.0 * start_speed * start_speed / (49.0 * friction * G), place,
                speed_error * 2.0, "distance of slip [m]");
    trial_check(&trial, 5.0 / 7.0 * start_speed, trial_state(&trial, "ball").velocity.x,
                speed_error, "speed of rolling [m/s]");
    trial_close(&trial);
}

static const ValidationCase cases[] = {
    {"slope-20", "mu .6 holds 10 kg on 20 degrees with m g sin", slope_20},
    {"slope-45", "mu .3 does not hold on 45 degrees", slope_45},
    {"incline", "Boxes and prisms slide from atan mu on, in every direction", incline},
    {"incline-30", "mu .3 does not hold on 30 degrees, in no direction", incline_30},
    {"steep-friction", "mu 1 on 14.5 degrees: no creep", steep_friction},
    {"rolling-sphere", "A ball rolls down with 5/7 of g sin", rolling_sphere},
    {"slipping-sphere", "Below 2/7 tan the ball slips", slipping_sphere},
    {"sliding-sphere", "A ball that slides comes to roll at 5/7 of its speed", sliding_sphere},
};

const ValidationGroup validation_slopes = VALIDATION_GROUP("slopes", cases);

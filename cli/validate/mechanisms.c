// mechanisms.c - flights, springs, pendulums and chains.
#include "validate/trial.h"

#include <stdio.h>

// Where projection leaves positions [m].
#define POSITION_TOLERANCE 1e-11

// -- A projectile whose drag is m k v: Marion and Thornton.

// Time and place of the landing; heights between steps by the parabola of the step's end.
static void fly(Trial* trial, double dt, double* time, double* range) {
    trial->settings.dt = dt;
    trial_start(trial);
    CnBodyState before = trial_state(trial, "ball"), ball = before;
    do {
        before = ball;
        *time = trial->failed ? 0.0 : cn_world_time(trial->world);
        trial_step(trial);
        ball = trial_state(trial, "ball");
    } while (!trial->failed && ball.center.z > 0.0 && *time < trial->settings.duration);
    double acceleration = (ball.velocity.z - before.velocity.z) / dt;
    double v = before.velocity.z;
    double root = sqrt(v * v - 2.0 * acceleration * before.center.z);
    double rest = 2.0 * before.center.z / (root - v);
    double slowing = (ball.velocity.x - before.velocity.x) / dt;
    *time += rest;
    *range = before.center.x + rest * before.velocity.x + 0.5 * rest * rest * slowing;
}

// T solves (v + g / k)(1 - exp(-k T)) = g T, x = v_x / k (1 - exp(-k T)). Second order: what the
// midpoint rule leaves of z''' = k^2 (v + g / k) exp(-k t) over the flight, h^2 / 24 times the
// change of v', and as much time as that height takes at the speed of landing, 6.7 m/s.
static void projectile(Validation* validation) {
    const double time = 1.975994343512, range = 2.187896552805;
    Trial trial = trial_open(validation, "projectile");
    double h = trial.settings.dt, found_time, found_range, coarse_time, fine_time, unused;
    fly(&trial, h, &found_time, &found_range);
    trial_check(&trial, time, found_time, 22.5 * h * h / 6.7, "time of flight [s]");
    trial_check(&trial, range, found_range, 2.54 * h * h, "range [m]");
    fly(&trial, 0.02, &coarse_time, &unused);
    fly(&trial, 0.01, &fine_time, &unused);
    trial_check(&trial, 2.0, trial_order(fabs(coarse_time - time), fabs(fine_time - time)),
                ORDER_TOLERANCE, "order");
    trial_close(&trial);
}

// -- A spring and a damper by a user's function.

#define SPRING_STIFFNESS 100.0 // [N/m]
#define SPRING_DAMPING 2.0     // [N s/m]

static void spring_force(const CnBodyState* body, double time, void* data, CnVec3* force,
                         CnVec3* torque) {
    (void)time, (void)data, (void)torque;
    *force = cn_vec3_add_scaled(*force, -SPRING_STIFFNESS, body->center);
    *force = cn_vec3_add_scaled(*force, -SPRING_DAMPING, body->velocity);
}

static double swing(Trial* trial, double dt) {
    CnForceDef def = cn_force_def_default();
    def.function = spring_force;
    trial->settings.dt = dt;
    trial_start(trial);
    trial_add_force(trial, "mass", def);
    trial_run(trial, trial->settings.duration);
    return trial_state(trial, "mass").center.x;
}

// x = x0 exp(-d t) (cos w t + d / w sin w t) with d = c / 2 m = 1 and w^2 = k / m - d^2 = 99. The
// phase errs by (w h)^2 / 12 per radian at most, and the amplitude is .1 exp(-d t).
static void spring(Validation* validation) {
    const double rate = sqrt(99.0);
    Trial trial = trial_open(validation, "spring");
    double h = trial.settings.dt, t = trial.settings.duration, fade = 0.1 * cn_exp(-t);
    double expected = fade * (cn_cos(rate * t) + cn_sin(rate * t) / rate);
    double step = rate * h;
    trial_check(&trial, expected, swing(&trial, h), fade * step * step / 12.0 * rate * t,
                "place [m]");
    double coarse = fabs(swing(&trial, 0.004) - expected);
    double fine = fabs(swing(&trial, 0.002) - expected);
    trial_check(&trial, 2.0, trial_order(coarse, fine), ORDER_TOLERANCE, "order");
    trial_close(&trial);
}

// -- Pendulums.

// Mean of ten periods. The bob is released at (1, 0, 1) and hangs from (0, 0, 1); it turns back
// where its angular velocity about -y changes sign, along a curve without curvature.
static double period(Trial* trial, double dt) {
    int turns = 0;
    double before = 0.0, time = 0.0;
    trial->settings.dt = dt;
    trial_start(trial);
    while (turns < 20 && !trial->failed && time < trial->settings.duration) {
        double start = cn_world_time(trial->world);
        trial_step(trial);
        CnBodyState bob = trial_state(trial, "bob");
        double rate = bob.center.x * bob.velocity.z - (bob.center.z - 1.0) * bob.velocity.x;
        time = start + dt;
        if (before * rate < 0.0) {
            ++turns;
            time = start + dt * before / (before - rate);
        }
        before = rate;
    }
    return time / 10.0;
}

// l = 1, g = pi^2, from 90 degrees: T = (4 / pi) K(1/2), E = m g l = pi^2. The midpoint rule shifts
// phases by (w h)^2 / 12 per radian, at most with w^2 = 2 g / l, and lets the energy swing by as
// much.
static void pendulum(Validation* validation) {
    const double reference = 2.3606811980322, energy = CN_PI * CN_PI;
    Trial trial = trial_open(validation, "pendulum");
    double h = trial.settings.dt, shift = 2.0 * energy * h * h / 12.0;
    trial_check(&trial, reference, period(&trial, h), reference * shift, "period [s]");
    trial_check(&trial, 0.0, trial.joint_error, POSITION_TOLERANCE, "error in length [m]");
    trial_check(&trial, energy, trial.failed ? 0.0 : cn_world_energy(trial.world), energy * shift,
                "energy [J]");
    // Relaxed velocities lose energy at third order, which still shows at 4 ms.
    double coarse = fabs(period(&trial, 0.002) - reference);
    double fine = fabs(period(&trial, 0.001) - reference);
    trial_check(&trial, 2.0, trial_order(coarse, fine), ORDER_TOLERANCE, "order");
    trial_close(&trial);
}

// IFToMM benchmark A01: a point mass on a rod, released at (-1, 0), after 10 s. Reference by
// extrapolation of the equation of the angle to 13 digits.
static double a01_error(Trial* trial, double dt, CnBodyState* bob) {
    const double x = -0.2750874625785, z = -0.9614192050984; // [m]
    trial->settings.dt = dt;
    trial_start(trial);
    trial_run(trial, 10.0);
    *bob = trial_state(trial, "bob");
    return hypot(bob->center.x - x, bob->center.z - z);
}

static void a01_pendulum(Validation* validation) {
    Trial trial = trial_open(validation, "a01-pendulum");
    CnBodyState bob;
    double h = trial.settings.dt;
    double coarse = a01_error(&trial, 0.005, &bob), fine = a01_error(&trial, 0.0025, &bob);
    double tolerance = trial_expected_error(fine, 0.0025, h);
    trial_check(&trial, 4.0, trial_order(coarse, fine), ORDER_TOLERANCE, "order");
    trial_check(&trial, 0.0, a01_error(&trial, h, &bob), tolerance, "distance from P(10) [m]");
    // An error in place is one in height, and w^2 = 2 g z.
    trial_check(&trial, 4.3431606929, cn_vec3_length(bob.velocity), 9.81 / 4.34 * tolerance,
                "angular velocity [rad/s]");
    trial_check(&trial, 0.0, trial.joint_error, POSITION_TOLERANCE, "error in length [m]");
    trial_close(&trial);
}

// Angles of the two rods from the vertical, towards +x [rad].
static void rod_angles(Trial* trial, double angle[2]) {
    CnVec3 first = trial_state(trial, "first").center, second = trial_state(trial, "second").center;
    CnVec3 lower = cn_vec3_sub(second, first);
    angle[0] = cn_atan2(first.x, -first.z);
    angle[1] = cn_atan2(lower.x, -lower.z);
}

static const double double_pendulum_angles[3][2] = {
    {-0.6250876998, -1.0345850857}, {-0.4829715343, -1.3240487123}, {1.7857955221, 1.1181074612}};

// Largest error of the angles at 3 s [rad].
static double double_pendulum_error(Trial* trial, double dt) {
    double angle[2];
    trial->settings.dt = dt;
    trial_start(trial);
    trial_run(trial, 3.0);
    rod_angles(trial, angle);
    return fmax(fabs(angle[0] - double_pendulum_angles[2][0]),
                fabs(angle[1] - double_pendulum_angles[2][1]));
}

// Two point masses on massless rods of 1 m, released horizontally; angles by extrapolation of the
// two equations of the angles, to 10 digits. Rods act at the centres of mass, so that nothing
// spins.
static void double_pendulum(Validation* validation) {
    static const char* const names[] = {"upper", "lower"};
    Trial trial = trial_open(validation, "double-pendulum");
    double h = trial.settings.dt;
    double coarse = double_pendulum_error(&trial, 0.004);
    double fine = double_pendulum_error(&trial, 0.002);
    double tolerance = trial_expected_error(fine, 0.002, h) + 1e-10;
    trial_check(&trial, 4.0, trial_order(coarse, fine), ORDER_TOLERANCE, "order");
    trial.settings.dt = h;
    trial_start(&trial);
    for (int t = 0; t < 3; ++t) {
        double angle[2];
        trial_run(&trial, 1.0);
        rod_angles(&trial, angle);
        for (int k = 0; k < 2; ++k) {
            trial_check(&trial, double_pendulum_angles[t][k], angle[k], tolerance,
                        "%s angle at %d s [rad]", names[k], t + 1);
        }
    }
    trial_check(&trial, 0.0, trial.joint_error, POSITION_TOLERANCE, "error in length [m]");
    trial_close(&trial);
}

// A bar of 1 m on two pins, which say one thing twice, at .25 m from its centre, from 30 degrees:
// I w^2 / 2 = m g .25 (1 - cos 30) with I = 1/12 + .25^2. The angular velocity is greatest at the
// vertical, so it is enough to take the greater of two neighbouring steps: the error is
// w (w0 h)^2 / 8, w0^2 = m g .25 / I.
static void check_vertical(Trial* trial) {
    const double expected = 2.1216848099666, rate_squared = 9.8 * 0.25 / (1.0 / 12.0 + 0.0625);
    trial_start(trial);
    double h = trial->settings.dt, before = 0.0, spin = 0.0, time = 0.0;
    CnBodyState bar = trial_state(trial, "bar");
    while (!trial->failed && bar.center.x > 0.0 && time < trial->settings.duration) {
        before = spin;
        trial_step(trial);
        bar = trial_state(trial, "bar");
        spin = fabs(bar.angular_velocity.y);
        time += h;
    }
    trial_check(trial, expected, fmax(before, spin), expected * rate_squared * h * h / 8.0,
                "angular velocity at the vertical [rad/s]");
    trial_check(trial, 0.0, trial->joint_error, POSITION_TOLERANCE, "joint error [m]");
}

// The angle of the bar after 1 s is 2 asin(k cd(w0 t, k)), k = sin(15 degrees), w0 as above.
static double bar_error(Trial* trial, double dt) {
    const double angle = -0.33191001113927;
    trial->settings.dt = dt;
    trial_start(trial);
    trial_run(trial, 1.0);
    CnVec3 center = trial_state(trial, "bar").center;
    return fabs(cn_atan2(center.x, -center.z) - angle);
}

static void check_bar_order(Trial* trial, CnScheme scheme, double order, const char* name) {
    trial->settings.step.scheme = scheme;
    double coarse = bar_error(trial, 0.02), fine = bar_error(trial, 0.01);
    trial_check(trial, order, trial_order(coarse, fine), ORDER_TOLERANCE, "%s: order", name);
    trial_check(trial, 0.0, trial->joint_error, POSITION_TOLERANCE, "%s: joint error [m]", name);
}

static void check_bar(Validation* validation, const char* scene) {
    Trial trial = trial_open(validation, scene);
    check_vertical(&trial);
    check_bar_order(&trial, CN_SCHEME_ACCELERATION, 4.0, "rk4");
    check_bar_order(&trial, CN_SCHEME_MOREAU, 2.0, "moreau");
    trial_close(&trial);
}

static void pinned_bar(Validation* validation) {
    check_bar(validation, "pinned-bar");
}

static void hinged_bar(Validation* validation) {
    check_bar(validation, "hinged-bar");
}

// -- A chain of 30 links of 1 kg with a load at its end.

#define LINKS 30

static void link_velocities(Trial* trial, double velocity[LINKS + 1]) {
    for (int i = 0; i < LINKS; ++i) {
        char name[32];
        snprintf(name, sizeof name, "link %d", i + 1);
        velocity[i] = trial_state(trial, name).velocity.z;
    }
    velocity[LINKS] = trial_state(trial, "load").velocity.z;
}

// The tension of a rod is the weight of all that hangs below it and the rate of their momentum. The
// largest share of the latter, over all rods, from the velocities before and after one step.
static double tension_error(const double before[LINKS + 1], const double after[LINKS + 1],
                            double load, double dt) {
    double mass = 0.0, gained = 0.0, worst = 0.0; // of what is below [kg], [N s]
    for (int i = LINKS; i >= 0; --i) {
        double own = i < LINKS ? 1.0 : load;
        mass += own;
        gained += own * (after[i] - before[i]);
        worst = fmax(worst, fabs(gained / dt) / (mass * 9.81));
    }
    return worst;
}

// An error of the solver's tolerance in each of the rods above is one in the velocity of a link,
// before and after a step.
static void check_chain(Validation* validation, const char* scene, double load) {
    double before[LINKS + 1], after[LINKS + 1], mass = LINKS + load;
    Trial trial = trial_open(validation, scene);
    trial_start(&trial);
    trial_run(&trial, trial.settings.duration);
    link_velocities(&trial, before);
    trial_step(&trial);
    link_velocities(&trial, after);
    double dt = trial.settings.dt, tolerance = 2.0 * (LINKS + 1) * trial.settings.solver.tolerance;
    trial_check(&trial, mass * 9.81, trial.report.momentum.linear_external.z / dt,
                mass * tolerance / dt, "tension of the top rod [N]");
    trial_check(&trial, 0.0, tension_error(before, after, load, dt), tolerance / dt / 9.81,
                "worst error of a tension, relative");
    trial_check(&trial, 0.0, trial.joint_error, POSITION_TOLERANCE, "stretch of a rod [m]");
    trial_close(&trial);
}

static void chain_1000(Validation* validation) {
    check_chain(validation, "chain-1000", 1000.0);
}

static void chain_50000(Validation* validation) {
    check_chain(validation, "chain-50000", 50000.0);
}

static const ValidationCase cases[] = {
    {"projectile", "A ball with drag lands when and where the formula says", projectile},
    {"spring", "A damped oscillator by a user's function is of order 2", spring},
    {"pendulum", "Ten swings from 90 degrees: period, energy and length", pendulum},
    {"a01-pendulum", "IFToMM A01: where the pendulum is after 10 s", a01_pendulum},
    {"double-pendulum", "Two point masses after a horizontal release", double_pendulum},
    {"pinned-bar", "A bar on two pins swings through the vertical", pinned_bar},
    {"hinged-bar", "The same bar on one hinge", hinged_bar},
    {"chain-1000", "A chain holds a load a thousand times its links", chain_1000},
    {"chain-50000", "A chain holds a load fifty thousand times its links", chain_50000},
};

const ValidationGroup validation_mechanisms = VALIDATION_GROUP("mechanisms", cases);

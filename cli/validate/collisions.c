// collisions.c - free fall and impacts, whose answers follow from a line of algebra.
#include "validate/trial.h"

// One frictionless impact has p = -(1 + e) u / k, with u the velocity of approach and
// k = J M^-1 J^T. The scenes ask the solver for 1e-12 m/s; with masses up to 10 kg and speeds up to
// 2 m/s this is 4e-11 in impulses and energies.
#define IMPACT_TOLERANCE 1e-10 // [m/s], [rad/s], [N s], [J]

static double kinetic_energy(double mass, CnBodyState state) {
    return 0.5 * mass * cn_vec3_dot(state.velocity, state.velocity);
}

// theta = 1/2 moves with the mean velocity of a step, which is exact for constant acceleration.
// What is left is rounding: half a unit in the last place of a number near 10 (9e-16) in each of
// 1000 steps, in the velocity and once more in the height.
#define FALL_TOLERANCE 2e-12 // [m/s], [m]

static void free_fall(Validation* validation) {
    Trial trial = trial_open(validation, "free-fall");
    trial_start(&trial);
    trial_run(&trial, 1.0);
    CnBodyState ball = trial_state(&trial, "ball");
    trial_check(&trial, -9.81, ball.velocity.z, FALL_TOLERANCE, "velocity [m/s]");
    trial_check(&trial, 10.0 - 0.5 * 9.81, ball.center.z, FALL_TOLERANCE, "height [m]");
    trial_close(&trial);
}

// k = 1/1 + 1/1, u = -1 - 2: p = 2 * 3 / 2 = 3 N s; equal masses swap their velocities.
static void head_on(Validation* validation) {
    Trial trial = trial_open(validation, "head-on");
    trial_start(&trial);
    trial_step(&trial);
    CnBodyState a = trial_state(&trial, "a"), b = trial_state(&trial, "b");
    double change = kinetic_energy(1.0, a) + kinetic_energy(1.0, b) - 0.5 * (4.0 + 1.0);
    trial_check(&trial, 3.0, trial_impulse(&trial, "a", "b").x, IMPACT_TOLERANCE, "impulse [N s]");
    trial_check(&trial, -1.0, a.velocity.x, IMPACT_TOLERANCE, "velocity of A [m/s]");
    trial_check(&trial, 2.0, b.velocity.x, IMPACT_TOLERANCE, "velocity of B [m/s]");
    trial_check(&trial, 1.0, a.velocity.x + b.velocity.x, IMPACT_TOLERANCE, "momentum [N s]");
    trial_check(&trial, 0.0, change, IMPACT_TOLERANCE, "change of energy [J]");
    trial_close(&trial);
}

// Lever arms (.5, .5, 0) and (-.5, .5, 0) crossed with the normal both give -.5 about z. With
// inertia m / 6 (unit cubes): k = 1/2 + 1 + .25 / (1/3) + .25 / (1/6) = 3.75, u = -1,
// p = 1.5 / 3.75 = .4; the energy lost is (1 - e) / (1 + e) k p^2 / 2 = .1 J.
static void glancing(Validation* validation) {
    const double approach = 1.0; // [m/s]
    Trial trial = trial_open(validation, "glancing");
    trial_start(&trial);
    trial_step(&trial);
    CnBodyState a = trial_state(&trial, "a"), b = trial_state(&trial, "b");
    double p = trial_impulse(&trial, "a", "b").x;
    CnContactPoint point = {0};
    if (!trial.failed) {
        cn_world_contacts(trial.world, &point, 1);
    }
    trial_check(&trial, 3.75, (point.velocity.x + approach) / p, IMPACT_TOLERANCE,
                "inverse effective mass [1/kg]");
    trial_check(&trial, 0.4, p, IMPACT_TOLERANCE, "impulse [N s]");
    trial_check(&trial, 0.8, a.velocity.x, IMPACT_TOLERANCE, "velocity of A [m/s]");
    trial_check(&trial, 0.4, b.velocity.x, IMPACT_TOLERANCE, "velocity of B [m/s]");
    trial_check(&trial, 0.6, a.angular_velocity.z, IMPACT_TOLERANCE, "spin of A [rad/s]");
    trial_check(&trial, -1.2, b.angular_velocity.z, IMPACT_TOLERANCE, "spin of B [rad/s]");
    trial_check(&trial, -0.1, trial.report.energy.end - trial.report.energy.start, IMPACT_TOLERANCE,
                "change of energy [J]");
    trial_close(&trial);
}

// v_A = (m_A - m_B) / (m_A + m_B) = 9/11, v_B = 2 m_A / (m_A + m_B) = 20/11.
static void elastic_ten_to_one(Validation* validation) {
    Trial trial = trial_open(validation, "elastic-ten-to-one");
    trial_start(&trial);
    trial_step(&trial);
    CnBodyState a = trial_state(&trial, "a"), b = trial_state(&trial, "b");
    double momentum = 10.0 * a.velocity.x + b.velocity.x;
    double change = kinetic_energy(10.0, a) + kinetic_energy(1.0, b) - 5.0;
    trial_check(&trial, 9.0 / 11.0, a.velocity.x, IMPACT_TOLERANCE, "velocity of A [m/s]");
    trial_check(&trial, 20.0 / 11.0, b.velocity.x, IMPACT_TOLERANCE, "velocity of B [m/s]");
    trial_check(&trial, 10.0, momentum, IMPACT_TOLERANCE, "momentum [N s]");
    trial_check(&trial, 0.0, change, IMPACT_TOLERANCE, "change of energy [J]");
    trial_close(&trial);
}

// Newton's law for each contact on the velocity before the step: v_B - v_A = v0, v_C - v_B = 0, so
// p_1 = 4/3 and p_2 = 2/3. Other laws of simultaneous impact answer otherwise.
static void three_balls(Validation* validation) {
    Trial trial = trial_open(validation, "three-balls");
    trial_start(&trial);
    trial_step(&trial);
    double a = trial_state(&trial, "a").velocity.x, b = trial_state(&trial, "b").velocity.x;
    double c = trial_state(&trial, "c").velocity.x;
    trial_check(&trial, -1.0 / 3.0, a, IMPACT_TOLERANCE, "velocity of A [m/s]");
    trial_check(&trial, 2.0 / 3.0, b, IMPACT_TOLERANCE, "velocity of B [m/s]");
    trial_check(&trial, 2.0 / 3.0, c, IMPACT_TOLERANCE, "velocity of C [m/s]");
    trial_check(&trial, 1.0, a + b + c, IMPACT_TOLERANCE, "momentum [N s]");
    trial_close(&trial);
}

typedef struct Bounces {
    double first_impact;   // [s]
    double height;         // greatest after the first impact [m]
    double last_departure; // end of the last step that left the ground [s]
    int count;
} Bounces;

static Bounces watch_bounces(Trial* trial, const char* name, double radius) {
    Bounces bounces = {0};
    long steps = lround(trial->settings.duration / trial->settings.dt);
    CnBodyState before = trial_state(trial, name);
    for (long i = 0; i < steps && !trial->failed; ++i) {
        double start = cn_world_time(trial->world);
        trial_step(trial);
        CnBodyState after = trial_state(trial, name);
        // What the solver leaves to a body at rest is no departure.
        if (before.velocity.z < 0.0 && after.velocity.z > trial->settings.solver.tolerance) {
            if (bounces.count++ == 0) {
                bounces.first_impact = start - (before.center.z - radius) / before.velocity.z;
            }
            bounces.last_departure = cn_world_time(trial->world);
        }
        if (bounces.count > 0) {
            bounces.height = fmax(bounces.height, after.center.z - radius);
        }
        before = after;
    }
    return bounces;
}

// Drop from H = 1 m, e = 1/2: impact at T = sqrt(2 H / g) with V = g T, then heights fall by e^2
// and flights by e, so that all motion ends at T (1 + e) / (1 - e) = 3 T.
//
// An impact is seen in the step whose middle first overlaps, so what it is given is off by up to
// h / 2 in time (g h / 2 in speed) and V h in height.
//   first impact: a straight line through the last height and speed, wrong by g h^2 / (2 V).
//   height: V h (1 + e / 2) from the place of departure, e^2 V h / 2 from its speed.
//   end: an impact with speed V_i passes on an error of at most 2 g h in speed, which is worth 4 h
//   in its own flight and e, e^2, ... of that in those after it, and V_i h in place, worth h: 9 h
//   for each impact. Those slower than the threshold of restitution are left out: the last flight
//   that counts has 2 v / g, the ones after it would have had as much together.
static void check_bounces(Trial* trial, const char* name) {
    const double radius = 0.1, g = 9.81, e = 0.5; // [m], [m/s^2], [-]
    trial_start(trial);
    Bounces bounces = watch_bounces(trial, name, radius);
    double h = trial->settings.dt, impact = sqrt(2.0 / g), speed = g * impact;
    double left_out = 4.0 * trial->settings.step.restitution_threshold / g;
    trial_check(trial, impact, bounces.first_impact, g * h * h / speed, "first impact, %s [s]",
                name);
    trial_check(trial, e * e, bounces.height, speed * h * (1.0 + e / 2.0 + e * e / 2.0),
                "height of the first bounce, %s [m]", name);
    trial_check(trial, 3.0 * impact, bounces.last_departure, 9.0 * h * bounces.count + left_out,
                "end of bouncing, %s [s]", name);
    trial_check(trial, radius, trial_state(trial, name).center.z, speed * h,
                "height at rest, %s [m]", name);
}

// A cube that falls flat does what a ball does: its corners hit at once, and all with the same law.
// It may tip by what the solver leaves at two corners .2 m apart in each impact.
static void bounce(Validation* validation) {
    Trial trial = trial_open(validation, "bounce");
    check_bounces(&trial, "ball");
    check_bounces(&trial, "cube");
    CnVec3 turn = cn_quat_log(trial_state(&trial, "cube").rotation);
    double spin = 2.0 * trial.settings.solver.tolerance / 0.2; // [rad/s]
    trial_check(&trial, 0.0, cn_vec3_length(turn), spin * trial.settings.duration,
                "turn of the cube [rad]");
    trial_close(&trial);
}

// How exactly the touch is found.
#define FOUND 1e-9 // [m]

// 5 m to the wall take 10 ms of a step of 16.7; then it has e = .8 of its speed. It bounces where
// it is within a 200th of the contact margin of the wall, which is made good 1 + e times in its
// place.
static void shot(Validation* validation) {
    Trial trial = trial_open(validation, "shot");
    const double speed = 500.0, e = 0.8, radius = 0.005, way = 5.0; // [m/s], [-], [m], [m]
    double touch = trial.settings.step.contact_margin / 200.0;
    double back = e * speed * (trial.settings.dt - way / speed);
    trial_start(&trial);
    trial_step(&trial);
    CnBodyState state = trial_state(&trial, "bullet");
    trial_check(&trial, -e * speed, state.velocity.x, IMPACT_TOLERANCE, "velocity [m/s]");
    trial_check(&trial, -radius - back, state.center.x, (1.0 + e) * (touch + FOUND), "place [m]");
    trial_check(&trial, 1.0, trial.report.impacts, 0.0, "cuts of the step");
    trial_close(&trial);
}

// Speed that a ball of the cradle would have at the bottom of its swing.
static double bottom_speed(CnBodyState ball) {
    return sqrt(cn_vec3_dot(ball.velocity, ball.velocity) + 2.0 * 9.81 * ball.center.z);
}

// Five balls on links of .5 m, 1e-10 m apart; the first `released` of them come down from 30
// degrees. Each pair has its own impact, one after the other: with e = 1 equal masses swap their
// velocities, and as many balls leave as came. The leapfrog keeps w^2 x^2 + (1 - (w h)^2 / 4) v^2,
// w^2 = g / l: speeds at the bottom are (w h)^2 / 8 too high, energies twice that. Balls are struck
// a 200th of the contact margin before they meet, and those that stay swing by as much.
static void check_cradle(Validation* validation, const char* scene, int released) {
    const double length = 0.5, rate = sqrt(9.81 / length); // [m], [1/s]
    const double speed = sqrt(2.0 * 9.81 * length * (1.0 - cn_cos(CN_PI / 6.0)));
    Trial trial = trial_open(validation, scene);
    double step = rate * trial.settings.dt, touch = trial.settings.step.contact_margin / 200.0;
    double slowest = HUGE_VAL, staying = 0.0, change = 0.0;
    trial_start(&trial);
    double energy = trial.failed ? 0.0 : cn_world_energy(trial.world);
    for (long i = 0; i < lround(0.45 / trial.settings.dt) && !trial.failed; ++i) {
        trial_step(&trial);
        change = fmax(change, fabs(cn_world_energy(trial.world) - energy));
    }
    for (int i = 1; i <= 5; ++i) {
        char name[] = {'b', 'a', 'l', 'l', ' ', (char)('0' + i), 0};
        CnBodyState ball = trial_state(&trial, name);
        if (i > 5 - released) {
            slowest = fmin(slowest, bottom_speed(ball));
        } else {
            staying = fmax(staying, cn_vec3_length(ball.velocity));
        }
    }
    trial_check(&trial, speed, slowest, speed * step * step / 8.0, "speed of what leaves [m/s]");
    trial_check(&trial, 0.0, staying, rate * touch, "speed of what stays [m/s]");
    trial_check(&trial, 0.0, change, energy * step * step / 4.0, "change of energy [J]");
    trial_check(&trial, 0.0, trial.joint_error, 1e-11, "stretch of a link [m]");
    trial_close(&trial);
}

static void cradle(Validation* validation) {
    check_cradle(validation, "cradle", 1);
}

static void cradle_of_two(Validation* validation) {
    check_cradle(validation, "cradle-two", 2);
}

static const ValidationCase cases[] = {
    {"free-fall", "A body falls g t^2 / 2 in a time t", free_fall},
    {"head-on", "Equal balls swap their velocities in an elastic impact", head_on},
    {"glancing", "An impact off centre slows, turns and loses energy by the book", glancing},
    {"elastic-ten-to-one", "A heavy ball drives a light one away elastically", elastic_ten_to_one},
    {"three-balls", "Newton's law for each of two simultaneous impacts", three_balls},
    {"bounce", "A ball and a cube bounce to e^2 of their height and come to rest in finite time",
     bounce},
    {"cradle", "Newton's cradle: the last of five balls leaves with the speed of the first",
     cradle},
    {"cradle-two", "Newton's cradle: two balls come, two leave", cradle_of_two},
    {"shot", "A ball of 1 cm at 500 m/s bounces off a wall of 1 mm within a step", shot},
};

const ValidationGroup validation_collisions = VALIDATION_GROUP("collisions", cases);

// rotation.c - tops and tumbling bodies.
#include "validate/trial.h"

static const CnRotationUpdate updates[] = {CN_ROTATION_RIG_POS, CN_ROTATION_RIG_NEG,
                                           CN_ROTATION_RIG_IMP, CN_ROTATION_EXACT};
#define UPDATE_COUNT 4
#define STEPPED_COUNT 3 // without the last, which turns a free body exactly

// -- The heavy top of Simo and Wong (1991): J = diag(5, 5, 1), a weight of 20 N at 1 m.

static CnVec3 axis_after(Trial* trial, double dt, double duration) {
    trial->settings.dt = dt;
    trial_start(trial);
    trial_run(trial, duration);
    return cn_quat_rotate(trial_state(trial, "top").rotation, cn_vec3(0.0, 0.0, 1.0));
}

static double top_energy(Trial* trial) {
    CnVec3 axis = cn_quat_rotate(trial_state(trial, "top").rotation, cn_vec3(0.0, 0.0, 1.0));
    double kinetic = trial->failed ? 0.0 : cn_world_energy(trial->world);
    return kinetic + 20.0 * axis.z;
}

// H = W . J W / 2 + 20 cos(.05) = 1269.9750. At h = .009 no more than .1 % is lost in 10 s, and for
// smaller steps by h^2 less. Order: the axis after 1 s, against extrapolation to 14 digits.
static void heavy_top(Validation* validation) {
    static const double steps[] = {0.001, 0.003, 0.009}; // [s]
    const double energy = 1250.0 + 20.0 * cn_cos(0.05);  // [J]
    const CnVec3 axis = {0.02154110497426, -0.05001033548340, 0.99851637299612};
    Trial trial = trial_open(validation, "heavy-top");
    for (int i = 0; i < UPDATE_COUNT; ++i) {
        const char* name = cn_rotation_update_name(updates[i]);
        trial.settings.step.rotation = updates[i];
        for (int k = 0; k < 3; ++k) {
            double share = steps[k] / steps[2];
            axis_after(&trial, steps[k], 10.0);
            trial_check(&trial, energy, top_energy(&trial), 1e-3 * energy * share * share,
                        "energy after 10 s of %g s, %s [J]", steps[k], name);
        }
        double error[2];
        for (int k = 0; k < 2; ++k) {
            CnVec3 found = axis_after(&trial, k == 0 ? 1e-3 : 5e-4, 1.0);
            error[k] = cn_vec3_length(cn_vec3_sub(found, axis));
        }
        trial_check(&trial, 2.0, trial_order(error[0], error[1]), ORDER_TOLERANCE, "order of %s",
                    name);
    }
    trial_close(&trial);
}

// -- A body that turns about its middle axis tumbles: exact answers by elliptic functions.

typedef struct Flips {
    double first, second; // times at which the spin about the middle axis vanishes [s]
} Flips;

// Spin about the middle axis and its rate, by Euler's equation (I3 - I1) / I2 w3 w1.
typedef struct MiddleSpin {
    double value, rate;
} MiddleSpin;

static MiddleSpin middle_spin(Trial* trial) {
    CnBodyState body = trial_state(trial, "body");
    CnVec3 spin = cn_quat_unrotate(body.rotation, body.angular_velocity);
    return (MiddleSpin){spin.y, spin.z * spin.x};
}

// Where the cubic through two values and rates, dt apart, is zero. Newton from the straight line;
// the curve is nearly straight there, so a few steps reach round-off.
static double zero_between(MiddleSpin a, MiddleSpin b, double dt) {
    double s = a.value / (a.value - b.value);
    double bend_a = a.rate * dt - (b.value - a.value), bend_b = b.value - a.value - b.rate * dt;
    for (int i = 0; i < 5; ++i) {
        double r = 1.0 - s, bend = r * bend_a + s * bend_b;
        double value = r * a.value + s * b.value + s * r * bend;
        double slope = b.value - a.value + (r - s) * bend + s * r * (bend_b - bend_a);
        s -= value / slope;
    }
    return s * dt;
}

static Flips watch_flips(Trial* trial, double dt) {
    Flips flips = {0};
    trial->settings.dt = dt;
    trial_start(trial);
    MiddleSpin before = middle_spin(trial);
    long steps = lround(trial->settings.duration / dt);
    for (long i = 0; i < steps && !trial->failed; ++i) {
        double start = cn_world_time(trial->world);
        trial_step(trial);
        MiddleSpin after = middle_spin(trial);
        if (before.value * after.value < 0.0) {
            double time = start + zero_between(before, after, dt);
            *(flips.first == 0.0 ? &flips.first : &flips.second) = time;
        }
        before = after;
    }
    return flips;
}

static const Flips exact_flips = {1.49059388807993, 4.24367794345324};

static Flips flip_errors(Flips flips) {
    return (Flips){fabs(flips.first - exact_flips.first), fabs(flips.second - exact_flips.second)};
}

// Between flips the body passes its unstable axis as closely as L^2 - 2 E I2 = 2e-4 allows, a
// difference of numbers near 400, and the time it stays there grows with the logarithm of that: a
// relative error e of energy or momentum moves the second flip by (400 / 2e-4) e / (2 k), with
// k = 10 / sqrt(3) the rate of the instability. Ten roundings per step add up like sqrt(10 steps).
static double flip_rounding(double time, double dt) {
    const double unit_roundoff = 1.1e-16, conditioning = 400.0 / 2e-4, rate = 10.0 / sqrt(3.0);
    return conditioning / (2.0 * rate) * unit_roundoff * sqrt(10.0 * time / dt);
}

// I = (1, 2, 3), w = (.01, 10, .01). Orders from the first flip, which rounding hardly moves.
static void dzhanibekov(Validation* validation) {
    const double larger = 0.005;
    Trial trial = trial_open(validation, "dzhanibekov");
    double h = trial.settings.dt;
    Flips coarse = flip_errors(watch_flips(&trial, 2.0 * larger));
    Flips fine = flip_errors(watch_flips(&trial, larger));
    Flips flips = watch_flips(&trial, h);
    double first = trial_expected_error(fine.first, larger, h);
    double second =
        trial_expected_error(fine.second, larger, h) + flip_rounding(exact_flips.second, h);
    trial_check(&trial, 4.0, trial_order(coarse.first, fine.first), ORDER_TOLERANCE,
                "order of rk4");
    trial_check(&trial, exact_flips.first, flips.first, first, "first flip, rk4 [s]");
    trial_check(&trial, exact_flips.second, flips.second, second, "second flip, rk4 [s]");
    trial_check(&trial, 2.75308405537332, flips.second - flips.first, first + second,
                "between flips, rk4 [s]");
    trial.settings.step.scheme = CN_SCHEME_MOREAU;
    trial.settings.step.rotation = CN_ROTATION_EXACT;
    flips = watch_flips(&trial, 1e-2);
    // The cubic is off by dt^4 / 384 times the fourth derivative of w2, 2 k^4 10 rad/s at most with
    // k = 10 / sqrt(3), against a slope of 10 k rad/s^2: 1.0e-8 s. Rounding adds 1e-13.
    trial_check(&trial, exact_flips.first, flips.first, 1.1e-8, "first flip, exact at 10 ms [s]");
    for (int i = 0; i < STEPPED_COUNT; ++i) {
        trial.settings.step.rotation = updates[i];
        coarse = flip_errors(watch_flips(&trial, 1e-3));
        fine = flip_errors(watch_flips(&trial, 5e-4));
        trial_check(&trial, 2.0, trial_order(coarse.first, fine.first), ORDER_TOLERANCE,
                    "order of %s", cn_rotation_update_name(updates[i]));
    }
    trial_close(&trial);
}

// -- The heavy top of Geradin and Cardona, held by a pin at its tip.

typedef struct TopPlaces {
    CnVec3 early, late; // of the centre, after .2 s and 1 s [m]
} TopPlaces;

// By extrapolation to 11 digits from the equations of a top about its tip, which know of no pin.
static const TopPlaces top_places = {{0.605550561377, 0.598957681795, -0.523983027430},
                                     {0.173343964097, 0.640088592072, -0.748490791132}};
#define TOP_DIGITS 1e-11 // [m]

static TopPlaces spin_top(Trial* trial, double dt) {
    TopPlaces places;
    trial->settings.dt = dt;
    trial_start(trial);
    trial_run(trial, 0.2);
    places.early = trial_state(trial, "top").center;
    trial_run(trial, 0.8);
    places.late = trial_state(trial, "top").center;
    return places;
}

static TopPlaces top_errors(TopPlaces places) {
    return (TopPlaces){cn_vec3_sub(places.early, top_places.early),
                       cn_vec3_sub(places.late, top_places.late)};
}

static void check_place(Trial* trial, CnVec3 error, double tolerance, const char* when) {
    trial_check(trial, 0.0, error.x, tolerance, "error in x after %s [m]", when);
    trial_check(trial, 0.0, error.y, tolerance, "error in y after %s [m]", when);
    trial_check(trial, 0.0, error.z, tolerance, "error in z after %s [m]", when);
}

// m = 15, com at 1 m, 150 rad/s: the top turns by .075 rad in the step of the order measurement.
static void pinned_top(Validation* validation) {
    const double larger = 5e-4;
    Trial trial = trial_open(validation, "pinned-top");
    double h = trial.settings.dt;
    TopPlaces coarse = top_errors(spin_top(&trial, 2.0 * larger));
    TopPlaces fine = top_errors(spin_top(&trial, larger));
    double early = cn_vec3_length(fine.early), late = cn_vec3_length(fine.late);
    trial_check(&trial, 4.0, trial_order(cn_vec3_length(coarse.early), early), ORDER_TOLERANCE,
                "order of rk4");
    TopPlaces error = top_errors(spin_top(&trial, h));
    check_place(&trial, error.early, trial_expected_error(early, larger, h) + TOP_DIGITS, ".2 s");
    check_place(&trial, error.late, trial_expected_error(late, larger, h) + TOP_DIGITS, "1 s");
    // Where projection leaves positions.
    trial_check(&trial, 0.0, trial.joint_error, 1e-11, "joint error [m]");
    trial_close(&trial);
}

// -- Slender boxes in free flight, where updates that step the gyroscopic term blow up.

typedef struct Slender {
    double thickness, spin, dt; // [m], [rad/s], [s]
} Slender;

// 2 m long, 1000 kg/m^3, turning about all three axes.
static void build_slender(Trial* trial) {
    const Slender* slender = trial->data;
    double a = slender->thickness, mass = 2000.0 * a * a;
    double along = mass * a * a / 6.0, across = mass * (4.0 + a * a) / 12.0;
    CnBodyDef box = trial_body_def("box", mass, cn_vec3(across, across, along), (CnVec3){0});
    box.angular_velocity = cn_vec3(slender->spin, 0.3 * slender->spin, 10.0);
    trial_add_body(trial, &box);
}

// The free turn is exact: what is left is round-off, some dozen units of 2e-16 in a step, which may
// all have one sign.
static void slender_boxes(Validation* validation) {
    static const Slender boxes[] = {
        {0.01, 10.0, 1.0 / 240.0}, {0.2, 30.0, 1.0 / 60.0}, {0.002, 100.0, 1.0 / 100.0}};
    for (int i = 0; i < 3; ++i) {
        Trial trial = trial_open_built(validation, build_slender, &boxes[i]);
        trial.settings.gravity = (CnVec3){0};
        trial.settings.dt = boxes[i].dt;
        trial_start(&trial);
        double start = trial_kinetic_energy(&trial);
        for (int k = 1; k <= 1000; ++k) {
            trial_step(&trial);
            if (k == 2 || k == 1000) {
                trial_check(&trial, start, trial_kinetic_energy(&trial), 4e-15 * k * start,
                            "energy after %d steps, %g m at %g rad/s [J]", k, boxes[i].thickness,
                            boxes[i].spin);
            }
        }
        trial_close(&trial);
    }
}

static const ValidationCase cases[] = {
    {"heavy-top", "A fast top keeps its energy, and every update is of order 2", heavy_top},
    {"dzhanibekov", "A body tumbles about its middle axis at the right times", dzhanibekov},
    {"slender-boxes", "Thin rods that spin fast keep their energy", slender_boxes},
    {"pinned-top", "A top on a pin goes where the equations of a top say", pinned_top},
};

const ValidationGroup validation_rotation = VALIDATION_GROUP("rotation", cases);

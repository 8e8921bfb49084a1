// rotation.c - tops and tumbling bodies.
#include "validate/trial.h"

static const CnRotationUpdate updates[] = {CN_ROTATION_RIG_POS, CN_ROTATION_RIG_NEG,
                                           CN_ROTATION_RIG_IMP};
#define UPDATE_COUNT 3

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

// The spin passes zero on a curve without curvature, so that a straight line errs by h^3 only.
static Flips watch_flips(Trial* trial, double dt) {
    Flips flips = {0};
    trial->settings.dt = dt;
    trial_start(trial);
    double before = 10.0;
    long steps = lround(trial->settings.duration / dt);
    for (long i = 0; i < steps && !trial->failed; ++i) {
        double start = cn_world_time(trial->world);
        trial_step(trial);
        CnBodyState body = trial_state(trial, "body");
        double spin = cn_quat_unrotate(body.rotation, body.angular_velocity).y;
        if (before * spin < 0.0) {
            double time = start + dt * before / (before - spin);
            *(flips.first == 0.0 ? &flips.first : &flips.second) = time;
        }
        before = spin;
    }
    return flips;
}

// I = (1, 2, 3), w = (.01, 10, .01). Runge-Kutta errs by (w h)^4 / 120 per radian of its 42 rad,
// and the straight line by k^2 h^3 / 16, k = 10 / sqrt(3) the rate at which the tumbling grows;
// what comes before a flip is small by .01 / 10 and so weighs more: times at which an error e in w
// leads to e / (.01 k) in time.
static void dzhanibekov(Validation* validation) {
    const double first = 1.4905938880799, second = 4.2436779434532, interval = 2.7530840553733;
    Trial trial = trial_open(validation, "dzhanibekov");
    double h = trial.settings.dt, rate = 10.0 / sqrt(3.0);
    double step = 10.0 * h, tolerance = 42.0 * step * step * step * step / 120.0 / (0.01 * rate) +
                                        rate * rate * h * h * h / 16.0;
    Flips flips = watch_flips(&trial, h);
    trial_check(&trial, first, flips.first, tolerance, "first flip, rk4 [s]");
    trial_check(&trial, second, flips.second, 2.0 * tolerance, "second flip, rk4 [s]");
    trial_check(&trial, interval, flips.second - flips.first, 2.0 * tolerance,
                "between flips, rk4 [s]");
    trial.settings.step.scheme = CN_SCHEME_MOREAU;
    for (int i = 0; i < UPDATE_COUNT; ++i) {
        trial.settings.step.rotation = updates[i];
        double coarse = watch_flips(&trial, 1e-3).first - first;
        double fine = watch_flips(&trial, 5e-4).first - first;
        trial_check(&trial, 2.0, trial_order(fabs(coarse), fabs(fine)), ORDER_TOLERANCE,
                    "order of %s", cn_rotation_update_name(updates[i]));
    }
    trial_close(&trial);
}

// -- The heavy top of Geradin and Cardona, held by a pin at its tip.

static CnVec3 center_after(Trial* trial, double dt, double duration) {
    trial->settings.dt = dt;
    trial_start(trial);
    trial_run(trial, duration);
    return trial_state(trial, "top").center;
}

static void check_center(Trial* trial, CnVec3 reference, CnVec3 value, double tolerance,
                         const char* when) {
    trial_check(trial, reference.x, value.x, tolerance, "x after %s [m]", when);
    trial_check(trial, reference.y, value.y, tolerance, "y after %s [m]", when);
    trial_check(trial, reference.z, value.z, tolerance, "z after %s [m]", when);
}

// m = 15, 150 rad/s; references by extrapolation to 12 digits from the three equations of the top
// about its tip, which know nothing of the pin. Fourth order: with (w h)^4 / 120 per radian.
static void pinned_top(Validation* validation) {
    const CnVec3 early = {0.605550561377, 0.598957681795, -0.523983027430};
    const CnVec3 late = {0.173343964097, 0.640088592072, -0.748490791132};
    Trial trial = trial_open(validation, "pinned-top");
    double h = trial.settings.dt, step = 150.0 * h, per_radian = step * step * step * step / 120.0;
    check_center(&trial, early, center_after(&trial, h, 0.2), 30.0 * per_radian, ".2 s");
    check_center(&trial, late, center_after(&trial, h, 1.0), 150.0 * per_radian, "1 s");
    trial_check(&trial, 0.0, trial.joint_error, 1e-11, "joint error [m]");
    double coarse = cn_vec3_length(cn_vec3_sub(center_after(&trial, 1e-3, 0.2), early));
    double fine = cn_vec3_length(cn_vec3_sub(center_after(&trial, 5e-4, 0.2), early));
    trial_check(&trial, 4.0, trial_order(coarse, fine), ORDER_TOLERANCE, "order of rk4");
    trial_close(&trial);
}

static const ValidationCase cases[] = {
    {"heavy-top", "A fast top keeps its energy, and every update is of order 2", heavy_top},
    {"dzhanibekov", "A body tumbles about its middle axis at the right times", dzhanibekov},
    {"pinned-top", "A top on a pin goes where the equations of a top say", pinned_top},
};

const ValidationGroup validation_rotation = VALIDATION_GROUP("rotation", cases);

// implicit.c - scheme implicit: nothing drifts, sinks or creeps at any step, and it is of order 1.
//
// Positions are never put right afterwards in these cases: stabilisation is none.
#include "validate/trial.h"

#define COULOMB (1u << CN_LAW_COULOMB)

static Trial open_implicit(Validation* validation, const char* scene) {
    Trial trial = trial_open(validation, scene);
    trial.settings.step.scheme = CN_SCHEME_IMPLICIT;
    trial.settings.step.stabilisation = CN_STABILISATION_NONE;
    return trial;
}

// -- 1 kg on a plane, mu .5, so that 4.905 N move it.

// The two failures that the codes this scheme comes from document: creep far below the limit, and
// short steps that are harder than long ones. Solved from zero, so that iterations measure
// hardness.
static void implicit_push(Validation* validation) {
    Trial trial = open_implicit(validation, "push");
    trial.settings.step.warm_start = CN_WARM_START_OFF;
    for (int i = 0; trial_next_solver(&trial, COULOMB, &i);) {
        const char* solver = trial.settings.solver.name;
        const double forces[] = {2.0, 4.900}, steps = 100.0;
        long iterations[2];
        for (int k = 0; k < 2; ++k) {
            trial.settings.dt = k == 0 ? 1e-2 : 1e-3;
            for (int f = 0; f < 2; ++f) {
                CnBodyState box = trial_push_box(&trial, forces[f], steps * trial.settings.dt);
                iterations[k] = trial.iterations;
                trial_check(&trial, 0.0, cn_vec3_length(box.velocity), 1e-9,
                            "creep, %g N, dt %g s, %s [m/s]", forces[f], trial.settings.dt, solver);
            }
        }
        trial_check_short_steps(&trial, iterations, steps);
    }
    trial_close(&trial);
}

// -- A pendulum against scheme acceleration, whose error of order 4 is some 1e-11 m.

static CnVec3 bob_after(Trial* trial, double dt, double duration) {
    trial->settings.dt = dt;
    trial_start(trial);
    trial_run(trial, duration);
    return trial_state(trial, "bob").center;
}

// The rod is asked to keep its length at the end of every step: tolerance times step, however many.
static void implicit_pendulum(Validation* validation) {
    Trial trial = open_implicit(validation, "a01-pendulum");
    double error[2];
    trial.settings.solver.tolerance = 1e-10; // rounding of lengths is 1e-16 m / dt
    trial.settings.step.scheme = CN_SCHEME_ACCELERATION;
    CnVec3 exact = bob_after(&trial, 1e-3, 1.0);
    trial.settings.step.scheme = CN_SCHEME_IMPLICIT;
    for (int k = 0; k < 2; ++k) {
        CnVec3 found = bob_after(&trial, k == 0 ? 1e-3 : 5e-4, 1.0);
        error[k] = cn_vec3_length(cn_vec3_sub(found, exact));
    }
    trial_check(&trial, 1.0, trial_order(error[0], error[1]), ORDER_TOLERANCE, "order");
    bob_after(&trial, 1e-2, 100.0);
    trial_check(&trial, 0.0, trial.joint_error, 1e-10 * 1e-2, "length after 10000 steps [m]");
    trial_close(&trial);
}

// -- Masses of 1 to 1e6 kg in a stack, and 50 t on a chain of 30 kg.

// As in moreau: each contact errs by the tolerance, velocities by the sum over those below; and
// positions by that times a step.
static void implicit_stack(Validation* validation) {
    const int boxes = 7;
    const double weight = 1111111.0 * 9.81; // [N]
    Trial trial = open_implicit(validation, "mass-ratio-stack");
    trial_start(&trial);
    trial_run(&trial, trial.settings.duration);
    double dt = trial.settings.dt, creep = boxes * trial.settings.solver.tolerance;
    double force = trial_impulse(&trial, "ground", "box 1").z / dt;
    double fastest = cn_vec3_length(trial_state(&trial, "box 7").velocity);
    trial_check(&trial, weight, force, weight / 9.81 * creep / dt, "bottom force [N]");
    trial_check(&trial, 0.0, fastest, creep, "creep [m/s]");
    trial_check(&trial, 0.0, trial.penetration, creep * dt, "overlap [m]");
    trial_close(&trial);
}

static void implicit_chain(Validation* validation) {
    Trial trial = open_implicit(validation, "chain-50000");
    trial_start(&trial);
    trial_run(&trial, trial.settings.duration);
    trial_check(&trial, 0.0, trial.joint_error, 1e-9, "stretch [m]");
    trial_close(&trial);
}

// -- A free body about its middle axis, at steps in which it turns by up to 6 rad.

// |J W| is kept: momentum to round-off, 500 steps of 2e-15, and the energy below |m|^2 / (2 J_min).
static void implicit_tumble(Validation* validation) {
    const double steps[] = {0.01, 0.1, 0.6};
    Trial trial = open_implicit(validation, "dzhanibekov");
    for (int k = 0; k < 3; ++k) {
        double most = 0.0;
        trial.settings.dt = steps[k];
        trial_start(&trial);
        trial_step(&trial);
        CnVec3 momentum = trial.report.momentum.angular_start;
        double bound = cn_vec3_dot(momentum, momentum) / 2.0; // the least moment is 1 kg m^2
        for (int i = 1; i < 500; ++i) {
            trial_step(&trial);
            most = fmax(most, trial.report.energy.end);
        }
        CnVec3 lost = cn_vec3_sub(trial.report.momentum.angular_end, momentum);
        trial_check(&trial, 0.0, cn_vec3_length(lost) / cn_vec3_length(momentum), 500 * 2e-15,
                    "momentum lost, dt %g s, relative", steps[k]);
        trial_check(&trial, 0.0, fmax(0.0, most / bound - 1.0), 1e-12,
                    "energy above its bound, dt %g s, relative", steps[k]);
    }
    trial_close(&trial);
}

static const ValidationCase cases[] = {
    {"implicit-push", "A box does not creep, and small steps are no harder", implicit_push},
    {"implicit-pendulum", "Order 1, and a rod that keeps its length for ever", implicit_pendulum},
    {"implicit-stack", "A million times heavier above than below: nothing sinks", implicit_stack},
    {"implicit-chain", "A chain holds a load fifty thousand times its links", implicit_chain},
    {"implicit-tumble", "A free body keeps its momentum at any step", implicit_tumble},
};

const ValidationGroup validation_implicit = VALIDATION_GROUP("implicit", cases);

// trial.h - a scene that is run to be measured, with books kept over all its steps.
//
//     Trial trial = trial_open(validation, "resting");
//     trial_start(&trial);
//     trial_run(&trial, 1.0);
//     trial_check(&trial, 0.0, trial_state(&trial, "box").velocity.z, 1e-12, "velocity [m/s]");
//     trial_close(&trial);
//
// A trial may be started several times, with other settings. When something fails a row says so
// and everything after it is passed over, so that cases need no checks of their own. Closing adds
// four rows that hold for every step of every run: both ledgers, the attribution by channel and the
// certificate.
#pragma once

#include "validate/validation.h"

typedef struct Trial Trial;

// Adds what a scene leaves out to the world of a run that begins.
typedef void TrialBuild(Trial* trial);

struct Trial {
    Validation* validation;
    CnScene* scene;
    TrialBuild* build;        // NULL: the scene has all
    const void* data;         // of whoever builds
    CnSceneSettings settings; // of the next start
    CnWorld* world;           // of the present run, NULL before the first
    CnStepReport report;      // of the last step
    bool failed;              // a row says why
    double energy_error;      // worst relative closing error of all steps
    double momentum_error;    // the same
    double attribution_error; // the same: how far channels are from the ledgers
    double residual;          // worst certificate of all steps [m/s]
    double tolerance;         // the least the solver was asked for in any run [m/s]
    double joint_error;       // worst of the present run, row units
    double penetration;       // the same [m]
    double joint_angle_error; // the same [rad]
    long iterations;          // of the solver in all steps of the present run
};

// scene is the name of a file below scenes/, without its folder and ".json".
Trial trial_open(Validation* validation, const char* scene);

// An empty scene that `build` fills at every start.
Trial trial_open_built(Validation* validation, TrialBuild* build, const void* data);

// For builders, and for what a case adds later: complaints become rows, ids are null then.
CnBodyId trial_add_body(Trial* trial, const CnBodyDef* def);
CnJointId trial_add_joint(Trial* trial, const CnJointDef* def);
CnSeriesId trial_add_series(Trial* trial, int count, const double* times, const double* values);

// A dynamic body without shapes: principal moments [kg m^2], centre of mass at `center`.
CnBodyDef trial_body_def(const char* name, double mass, CnVec3 moments, CnVec3 center);

// By the name it was given.
CnJointState trial_joint(Trial* trial, const char* name);

// A world in the initial state of the scene, with trial->settings.
void trial_start(Trial* trial);

// Steps of settings.dt; trial_run makes the nearest whole number of them.
void trial_step(Trial* trial);
void trial_run(Trial* trial, double duration);

// A body of the present run; a row complains when there is none of this name.
CnBodyId trial_body(Trial* trial, const char* name);
CnBodyState trial_state(Trial* trial, const char* name);

// Turns a body about its centre of mass by an angle [rad].
void trial_turn(Trial* trial, const char* name, CnVec3 axis, double angle);

// Of all bodies that forces move [J].
double trial_kinetic_energy(Trial* trial);

// A load on a body for the rest of the present run; def.body is filled in.
void trial_add_force(Trial* trial, const char* body, CnForceDef def);

// Sum of the impulses of the last step that `below` gave to `above` through contacts [N s].
// below NULL: the immovable world.
CnVec3 trial_impulse(Trial* trial, const char* below, const char* above);

// Chooses the next exact solver that meets the laws (bits 1 << CnLaw), the first one for *next = 0.
// False when there are no more.
bool trial_next_solver(Trial* trial, unsigned laws, int* next);

// One row of the table; format and what follows name the quantity.
void trial_check(Trial* trial, double reference, double value, double tolerance, const char* format,
                 ...) __attribute__((format(printf, 5, 6)));

// The scene from its start: its "box" after `duration` under a force along x at its centre.
CnBodyState trial_push_box(Trial* trial, double force, double duration);

// Short steps are no harder than long ones: iterations of the same number of steps at 1 ms and at
// 10 ms, solved from zero. Round-off may decide the last check of a solve: a hundredth of the
// iterations, or, for a solver that needs next to none, one in ten steps.
void trial_check_short_steps(Trial* trial, const long iterations[2], double steps);

// The rows of the books; releases everything.
void trial_close(Trial* trial);

// A step errs by the solver's tolerance in velocity, and with constant forces by nothing else, so
// an acceleration that is measured over many steps errs by tolerance / dt [m/s^2].
double trial_acceleration_tolerance(const Trial* trial);

// Between two steps that differ by a factor of 2 the measured order is off by as much as the next
// term of the error is smaller than the first: a few hundredths where steps are small enough.
#define ORDER_TOLERANCE 0.1

// Order of convergence from the errors of two runs whose steps differ by a factor of 2.
double trial_order(double coarse_error, double fine_error);

// What a scheme of order 4 should leave at the step dt when it left `error` at a larger one, with a
// factor of 2 for what the order is measured off by.
double trial_expected_error(double error, double larger_dt, double dt);

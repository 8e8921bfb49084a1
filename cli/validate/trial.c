// trial.c - a scene that is run to be measured, with books kept over all its steps.
#include "validate/trial.h"

#include "embedded_scenes.h"
#include "terminal/interrupt.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Both ledgers are sums of some dozen terms per body whose magnitudes make the scale, so they
// should close to a few units in the last place (1e-15); a factor 1000 is left for many bodies.
#define LEDGER_TOLERANCE 1e-12

#define MAX_POINTS 256 // contact points of the largest scene, with room

static void fail(Trial* trial, const CnError* error) {
    if (!trial->failed) {
        validation_add_failure(trial->validation, error);
    }
    trial->failed = true;
}

static const EmbeddedScene* find_scene(const char* name) {
    for (int i = 0; i < embedded_scene_count; ++i) {
        if (strcmp(embedded_scenes[i].name, name) == 0) {
            return &embedded_scenes[i];
        }
    }
    return NULL;
}

Trial trial_open(Validation* validation, const char* scene) {
    Trial trial = {.validation = validation, .tolerance = INFINITY};
    CnError error = {CN_INVALID, ""};
    const EmbeddedScene* file = find_scene(scene);
    if (file != NULL) {
        trial.scene = cn_scene_parse(file->text, file->length, scene, &error);
    } else {
        snprintf(error.message, sizeof error.message, "there is no scene \"%s\"", scene);
    }
    if (trial.scene == NULL) {
        fail(&trial, &error);
    } else {
        trial.settings = cn_scene_settings(trial.scene);
    }
    return trial;
}

Trial trial_open_built(Validation* validation, TrialBuild* build, const void* data) {
    Trial trial = {.validation = validation, .build = build, .data = data, .tolerance = INFINITY};
    CnError error = {0};
    trial.scene = cn_scene_create("built", &error);
    if (trial.scene == NULL) {
        fail(&trial, &error);
    } else {
        trial.settings = cn_scene_settings(trial.scene);
    }
    return trial;
}

void trial_start(Trial* trial) {
    CnError error = {0};
    cn_world_destroy(trial->world);
    trial->world = NULL;
    if (trial->failed) {
        return;
    }
    trial->settings.step.attribution = true;
    if (cn_scene_set_settings(trial->scene, &trial->settings, &error) == CN_OK) {
        trial->world = cn_scene_build(trial->scene, NULL, &error);
    }
    if (trial->world == NULL) {
        fail(trial, &error);
    } else if (trial->build != NULL) {
        trial->build(trial);
    }
    trial->tolerance = fmin(trial->tolerance, trial->settings.solver.tolerance);
    trial->joint_error = trial->joint_angle_error = trial->penetration = 0.0;
    trial->iterations = 0;
}

// How far the channels of the last step are from its ledgers; infinite without memory.
static double attribution_error(const Trial* trial) {
    CnChannelShare totals[CN_CHANNEL_COUNT] = {{0}};
    int count = cn_world_attribution(trial->world, NULL, 0);
    CnAttribution* entries = malloc((size_t)(count > 0 ? count : 1) * sizeof *entries);
    if (entries == NULL || count < 0) {
        free(entries);
        return HUGE_VAL;
    }
    cn_world_attribution(trial->world, entries, count);
    cn_attribution_sum(entries, count, CN_ALL_ISLANDS, totals);
    free(entries);
    return cn_attribution_error(totals, &trial->report);
}

void trial_step(Trial* trial) {
    CnError error = {0};
    CnStepReport* report = &trial->report;
    if (trial->failed) {
        return;
    }
    if (interrupt_asked()) {
        fail(trial, &(CnError){CN_INVALID, "interrupted"});
        return;
    }
    if (cn_world_step(trial->world, trial->settings.dt, report, &error) != CN_OK) {
        fail(trial, &error);
        return;
    }
    trial->energy_error = fmax(trial->energy_error, report->energy.error);
    trial->momentum_error = fmax(trial->momentum_error, report->momentum.error);
    trial->attribution_error = fmax(trial->attribution_error, attribution_error(trial));
    trial->residual = fmax(trial->residual, report->certificate.worst);
    trial->joint_error = fmax(trial->joint_error, report->joint_error);
    trial->joint_angle_error = fmax(trial->joint_angle_error, report->joint_angle_error);
    trial->penetration = fmax(trial->penetration, report->penetration);
    trial->iterations += report->solver.iterations;
}

void trial_run(Trial* trial, double duration) {
    long steps = lround(duration / trial->settings.dt);
    for (long i = 0; i < steps && !trial->failed; ++i) {
        trial_step(trial);
    }
}

CnBodyId trial_add_body(Trial* trial, const CnBodyDef* def) {
    CnError error = {0};
    CnBodyId id = {0};
    if (!trial->failed) {
        id = cn_world_add_body(trial->world, def, &error);
        if (id.index == 0) {
            fail(trial, &error);
        }
    }
    return id;
}

CnJointId trial_add_joint(Trial* trial, const CnJointDef* def) {
    CnError error = {0};
    CnJointId id = {0};
    if (!trial->failed) {
        id = cn_world_add_joint(trial->world, def, &error);
        if (id.index == 0) {
            fail(trial, &error);
        }
    }
    return id;
}

CnSeriesId trial_add_series(Trial* trial, int count, const double* times, const double* values) {
    CnError error = {0};
    CnSeriesId id = {0};
    if (!trial->failed) {
        CnSeriesDef def = {.count = count, .times = times, .values = values};
        id = cn_world_add_series(trial->world, &def, &error);
        if (id.index == 0) {
            fail(trial, &error);
        }
    }
    return id;
}

CnBodyDef trial_body_def(const char* name, double mass, CnVec3 moments, CnVec3 center) {
    CnBodyDef def = cn_body_def_default();
    def.name = name;
    def.has_mass = true;
    def.mass = mass;
    def.inertia[0] = moments.x;
    def.inertia[1] = moments.y;
    def.inertia[2] = moments.z;
    def.position = center;
    return def;
}

CnJointState trial_joint(Trial* trial, const char* name) {
    CnError error = {CN_INVALID, ""};
    CnJointState state = {.frame_a = {.rotation = cn_quat_identity()},
                          .frame_b = {.rotation = cn_quat_identity()}};
    if (!trial->failed) {
        CnJointId joint = cn_world_find_joint(trial->world, name);
        if (cn_joint_read(trial->world, joint, &state) != CN_OK) {
            snprintf(error.message, sizeof error.message, "there is no joint \"%s\"", name);
            fail(trial, &error);
        }
    }
    return state;
}

CnBodyId trial_body(Trial* trial, const char* name) {
    CnError error = {CN_INVALID, ""};
    CnBodyId body = {0};
    if (!trial->failed) {
        body = cn_world_find_body(trial->world, name);
        if (body.index == 0) {
            snprintf(error.message, sizeof error.message, "there is no body \"%s\"", name);
            fail(trial, &error);
        }
    }
    return body;
}

CnBodyState trial_state(Trial* trial, const char* name) {
    CnBodyState state = {.rotation = cn_quat_identity()};
    CnBodyId body = trial_body(trial, name);
    if (!trial->failed) {
        cn_body_state(trial->world, body, &state);
    }
    return state;
}

void trial_turn(Trial* trial, const char* name, CnVec3 axis, double angle) {
    CnError error = {0};
    CnBodyId body = trial_body(trial, name);
    CnBodyState state = trial_state(trial, name);
    state.rotation = cn_quat_multiply(cn_quat_from_axis_angle(axis, angle), state.rotation);
    if (!trial->failed && cn_body_set_state(trial->world, body, &state, &error) != CN_OK) {
        fail(trial, &error);
    }
}

// m v^2 / 2 + w I w / 2, the inertia in body axes.
static double kinetic_energy_of(const CnWorld* world, CnBodyId body) {
    CnMassProperties mass;
    CnBodyState state;
    cn_body_mass_properties(world, body, &mass);
    cn_body_state(world, body, &state);
    CnVec3 w = cn_quat_unrotate(state.rotation, state.angular_velocity);
    const double* i = mass.inertia; // xx yy zz xy xz yz
    CnVec3 spin =
        cn_vec3(i[0] * w.x + i[3] * w.y + i[4] * w.z, i[3] * w.x + i[1] * w.y + i[5] * w.z,
                i[4] * w.x + i[5] * w.y + i[2] * w.z);
    return 0.5 * (mass.mass * cn_vec3_dot(state.velocity, state.velocity) + cn_vec3_dot(w, spin));
}

double trial_kinetic_energy(Trial* trial) {
    double sum = 0.0;
    int count = trial->failed ? 0 : cn_world_body_count(trial->world);
    for (int i = 0; i < count; ++i) {
        CnBodyId body = cn_world_body_at(trial->world, i);
        if (cn_body_type(trial->world, body) == CN_BODY_DYNAMIC) {
            sum += kinetic_energy_of(trial->world, body);
        }
    }
    return sum;
}

void trial_add_force(Trial* trial, const char* body, CnForceDef def) {
    CnError error = {0};
    def.body = trial_body(trial, body);
    if (!trial->failed && cn_world_add_force(trial->world, &def, &error).index == 0) {
        fail(trial, &error);
    }
}

static bool is_same(CnBodyId a, CnBodyId b) {
    return a.index == b.index && a.generation == b.generation;
}

CnVec3 trial_impulse(Trial* trial, const char* below, const char* above) {
    CnVec3 sum = {0.0, 0.0, 0.0};
    CnBodyId none = {0};
    CnBodyId lower = below != NULL ? trial_body(trial, below) : none;
    CnBodyId upper = trial_body(trial, above);
    if (trial->failed) {
        return sum;
    }
    CnContactPoint points[MAX_POINTS];
    int count = cn_world_contacts(trial->world, points, MAX_POINTS);
    if (count > MAX_POINTS) {
        fail(trial, &(CnError){CN_INVALID, "the scene has more contact points than expected"});
        return sum;
    }
    for (int i = 0; i < count; ++i) {
        if (is_same(points[i].body_a, lower) && is_same(points[i].body_b, upper)) {
            sum = cn_vec3_add(sum, points[i].impulse);
        } else if (is_same(points[i].body_b, lower) && is_same(points[i].body_a, upper)) {
            sum = cn_vec3_sub(sum, points[i].impulse);
        }
    }
    return sum;
}

bool trial_next_solver(Trial* trial, unsigned laws, int* next) {
    for (; *next < cn_solver_count(); ++*next) {
        CnSolverInfo info = cn_solver_at(*next);
        if (info.exact && (info.laws & laws) == laws) {
            trial->settings.solver.name = info.name;
            ++*next;
            return true;
        }
    }
    return false;
}

void trial_check(Trial* trial, double reference, double value, double tolerance, const char* format,
                 ...) {
    char quantity[sizeof((ValidationRow){0}.quantity)];
    va_list arguments;
    if (trial->failed) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(quantity, sizeof quantity, format, arguments);
    va_end(arguments);
    validation_add(trial->validation, quantity, reference, value, tolerance);
}

CnBodyState trial_push_box(Trial* trial, double force, double duration) {
    CnForceDef def = cn_force_def_default();
    def.force = cn_vec3(force, 0.0, 0.0);
    trial_start(trial);
    trial_add_force(trial, "box", def);
    trial_run(trial, duration);
    return trial_state(trial, "box");
}

void trial_check_short_steps(Trial* trial, const long iterations[2], double steps) {
    double more = (double)(iterations[1] - iterations[0]) / steps;
    trial_check(trial, 0.0, fmax(0.0, more), fmax(0.01 * (double)iterations[0] / steps, 0.1),
                "iterations per step, 1 ms above 10 ms, %s", trial->settings.solver.name);
}

void trial_close(Trial* trial) {
    trial_check(trial, 0.0, trial->energy_error, LEDGER_TOLERANCE, "energy ledger, relative");
    trial_check(trial, 0.0, trial->momentum_error, LEDGER_TOLERANCE, "momentum ledger, relative");
    trial_check(trial, 0.0, trial->attribution_error, LEDGER_TOLERANCE,
                "attribution by channel, relative");
    trial_check(trial, 0.0, trial->residual, trial->tolerance, "worst residual [m/s]");
    cn_world_destroy(trial->world);
    cn_scene_destroy(trial->scene);
}

double trial_acceleration_tolerance(const Trial* trial) {
    return trial->settings.solver.tolerance / trial->settings.dt;
}

double trial_order(double coarse_error, double fine_error) {
    return log2(coarse_error / fine_error);
}

double trial_expected_error(double error, double larger_dt, double dt) {
    double ratio = dt / larger_dt;
    return 2.0 * error * ratio * ratio * ratio * ratio;
}

// machines.c - runs built-in machines and keeps the worst errors of all steps.
#include "support/machines.h"
#include "builtin/builtin_scenes.h"

#include <math.h>

static void add_step(const CnStepReport* report, MachineRun* run) {
    run->joint_error = fmax(run->joint_error, report->joint_error);
    run->angle_error = fmax(run->angle_error, report->joint_angle_error);
    run->energy_error = fmax(run->energy_error, report->energy.error);
    run->momentum_error = fmax(run->momentum_error, report->momentum.error);
    run->residual = fmax(run->residual, report->certificate.worst);
    run->not_converged += report->not_converged;
}

static void measure_limits(const CnWorld* world, MachineRun* run) {
    for (int i = 0; i < cn_world_joint_count(world); ++i) {
        CnJointId joint = cn_world_joint_at(world, i);
        CnJointState state;
        cn_joint_read(world, joint, &state);
        for (int axis = 0; axis < CN_AXIS_COUNT; ++axis) {
            CnJointAxis settings;
            cn_joint_axis(world, joint, (CnAxis)axis, &settings);
            if (settings.limited) {
                double x = state.position[axis];
                double beyond = fmax(settings.lower - x, x - settings.upper);
                run->limit_error = fmax(run->limit_error, beyond);
            }
        }
    }
}

MachineRun machine_run(const char* name, int steps) {
    MachineRun run = {.scene = name};
    CnScene* scene = cn_open_scene(name, &run.error);
    CnWorld* world = scene == NULL ? NULL : cn_scene_build(scene, NULL, &run.error);
    bool going = world != NULL;
    while (going && run.steps < steps) {
        CnStepReport report;
        going = cn_world_step(world, cn_scene_settings(scene).dt, &report, &run.error) == CN_OK;
        if (going) {
            run.steps += 1;
            add_step(&report, &run);
        }
    }
    if (world != NULL) {
        measure_limits(world, &run);
    }
    cn_world_destroy(world);
    cn_scene_destroy(scene);
    return run;
}

bool machine_run_is_good(const MachineRun* run) {
    return run->error.status == CN_OK && run->not_converged == 0 &&
           run->joint_error <= MACHINE_JOINT_TOLERANCE &&
           run->angle_error <= MACHINE_JOINT_TOLERANCE &&
           run->limit_error <= MACHINE_JOINT_TOLERANCE &&
           run->energy_error < MACHINE_LEDGER_TOLERANCE &&
           run->momentum_error < MACHINE_LEDGER_TOLERANCE;
}

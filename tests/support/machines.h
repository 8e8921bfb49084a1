// machines.h - runs built-in machines and keeps the worst errors of all steps.
#pragma once

#include "cairn/scene.h"

// Positions are projected to this.
#define MACHINE_JOINT_TOLERANCE 1e-11 // [m and rad]

// What both ledgers may miss, relative.
#define MACHINE_LEDGER_TOLERANCE 1e-12

typedef struct MachineRun {
    const char* scene;
    int steps;             // made
    double joint_error;    // [m]
    double angle_error;    // [rad]
    double limit_error;    // how far an axis was beyond its limits at the end [m or rad]
    double energy_error;   // of the ledger, relative
    double momentum_error; // of the ledger, relative
    double residual;       // [m/s]
    int not_converged;     // islands, over all steps
    CnError error;         // CN_OK: nothing went wrong
} MachineRun;

// A built-in scene for so many steps of its own length.
MachineRun machine_run(const char* scene, int steps);

// All steps succeeded and converged, joints hold, ledgers close.
bool machine_run_is_good(const MachineRun* run);

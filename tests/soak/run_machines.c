// run_machines.c - machines of many joints for a minute each: `make soak`.
//
//     run_machines [seconds of simulated time [scene]]
#include "support/machines.h"

#include <stdio.h>
#include <stdlib.h>

#define STEPS_PER_SECOND 1000 // of the built-in machines

static bool run(const char* scene, int seconds) {
    MachineRun run = machine_run(scene, seconds * STEPS_PER_SECOND);
    bool good = machine_run_is_good(&run);
    printf("%-9s %7d %10.1e %10.1e %10.1e %10.1e %10.1e %10.1e %s%s\n", run.scene, run.steps,
           run.joint_error, run.angle_error, run.limit_error, run.energy_error, run.momentum_error,
           run.residual, good ? "ok" : "FAILED ", run.error.message);
    fflush(stdout);
    return good;
}

int main(int argument_count, char** arguments) {
    static const char* const scenes[] = {"@robot", "@stewart"};
    int seconds = argument_count > 1 ? atoi(arguments[1]) : 60;
    bool good = true;
    printf("%-9s %7s %10s %10s %10s %10s %10s %10s\n", "scene", "steps", "joint m", "joint rad",
           "limit", "energy", "momentum", "residual");
    if (argument_count > 2) {
        return run(arguments[2], seconds) ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        good = run(scenes[i], seconds) && good;
    }
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

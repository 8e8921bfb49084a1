// masonry.c - arches on both sides of the thickness at which statics lets them stand.
//
// docs/theory/arch.md derives that thickness, as a share of the mid radius, for half a circle of 27
// voussoirs: .106720904 when blocks touch over their whole joints (arch-edges), .109459817 when the
// outermost contact points lie 1/80 of the thickness inside the edges (arch), as they do in Solfec,
// whose test these cases repeat: it asks for less than 1e-4 J and more than 1e-3 J after .75 s. The
// blocks have unit density and are 5 m deep: 172 kg in all.
#include "validate/trial.h"

#define COULOMB (1u << CN_LAW_COULOMB)

// Each of 28 joints may leave the solver's tolerance, 1e-8 m/s, and a block between two joints is
// about as long as it is thick, so that turning adds as much again: all blocks at
// 2 * 28 * 1e-8 m/s have 3e-11 J.
#define STANDING 3e-11 // [J]

static void check_stands(Trial* trial) {
    trial_start(trial);
    trial_run(trial, trial->settings.duration);
    trial_check(trial, 0.0, trial_kinetic_energy(trial), STANDING, "kinetic energy, %s [J]",
                trial->settings.solver.name);
}

static void check_falls(Validation* validation, const char* scene) {
    const double falling = 1e-3; // [J]
    Trial trial = trial_open(validation, scene);
    trial_start(&trial);
    trial_run(&trial, trial.settings.duration);
    trial_check(&trial, 0.0, fmax(0.0, falling - trial_kinetic_energy(&trial)), 0.0,
                "kinetic energy below 1e-3 J [J]");
    trial_close(&trial);
}

static void arch_1095(Validation* validation) {
    Trial trial = trial_open(validation, "arch-1095");
    for (int i = 0; trial_next_solver(&trial, COULOMB, &i);) {
        check_stands(&trial);
    }
    trial_close(&trial);
}

static void arch_1094(Validation* validation) {
    check_falls(validation, "arch-1094");
}

static void arch_edges_1068(Validation* validation) {
    Trial trial = trial_open(validation, "arch-edges-1068");
    check_stands(&trial);
    trial_close(&trial);
}

static void arch_edges_1066(Validation* validation) {
    check_falls(validation, "arch-edges-1066");
}

static const ValidationCase cases[] = {
    {"arch-1095", "An arch of .1095 of its radius stands", arch_1095},
    {"arch-1094", "An arch of .1094 of its radius falls", arch_1094},
    {"arch-edges-1068", "An arch that touches up to its edges stands at .1068", arch_edges_1068},
    {"arch-edges-1066", "An arch that touches up to its edges falls at .1066", arch_edges_1066},
};

const ValidationGroup validation_masonry = VALIDATION_GROUP("masonry", cases);

// contact_lattice.h - a problem of any size: balls on a cubic grid, each against its neighbours.
#pragma once

#include "cairn/problem.h"

// Unit balls of 1 kg stand on the ground and touch the one below, the one to the left and the one
// behind. All fall for a moment and drift a little sideways, so that some contacts stick, some slip
// and some open.
typedef struct ContactLattice {
    CnProblem problem;
    double* inverse_mass;
    double (*inverse_inertia)[9];
    double (*free_velocity)[6];
    CnBlock* blocks;
    double (*jacobian_a)[6];
    double (*jacobian_b)[6];
    double* zero; // target, compliance and all that contacts do not use   [row_count]
} ContactLattice;

// False when memory runs out. contact_lattice_release() is due in any case.
bool contact_lattice_create(ContactLattice* lattice, int contact_count);
void contact_lattice_release(ContactLattice* lattice);

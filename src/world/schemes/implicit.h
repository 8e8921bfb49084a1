// implicit.h - the search for the end of a step (scheme implicit): docs/theory/implicit.md.
#pragma once

#include "solvers/first_order/anderson.h"
#include "world/schemes/end_slopes.h"
#include "world/step/step.h"

typedef struct CnNewton {
    CnWorld* world;
    CnStepReport* report;
    double (*guess)[6];    // velocities that lead to the poses of the look   [bodies]
    double (*pushed)[6];   // impulses of rows on each body, world axes   [bodies]
    CnBodyState* start;    // [bodies]
    CnBodyState* previous; // poses and velocities of the look before   [bodies]
    CnBodyState *states, *before, *loaded, *reaching; // at the poses of the look   [bodies]
    CnLoad *loads, *other_loads;                      // at the end of the step; scratch   [bodies]
    CnMat3* stiffness;                                // cn_world_turning_stiffness()   [bodies]
    CnResistance* resistance;                         // cn_world_resistance()   [bodies]
    int look;
    double spent;  // share of the step's work budget, by the looks so far
    double change; // of velocities by the last look that counts [m/s]
    bool is_combining, was_combined;
    CnAnderson anderson; // from the first combination on
    double* weight;      // to compare velocities   [6 bodies]
} CnNewton;

static inline CnVec3 cn_linear(const double v[6]) {
    return cn_vec3(v[0], v[1], v[2]);
}

static inline CnVec3 cn_angular(const double v[6]) {
    return cn_vec3(v[3], v[4], v[5]);
}

// Where a body is after h at a velocity, and at that velocity: docs/theory/implicit.md (1).
CnBodyState cn_newton_moved(const CnBodyState* start, const double velocity[6], double h);

// The stages of a look, which pose the problem at the guess: bodies are placed there and loaded,
// and pairs found; contacts are found; rows are built and take over impulses, and masses and free
// velocities are such that what the solver finds is the next guess.
CnStageFunction cn_newton_find_pairs;
CnStageFunction cn_newton_find_contacts;
CnStageFunction cn_newton_build_rows;

// Angular momentum before the step, and what loads and a moment added to it, world axes [N m s].
CnVec3 cn_newton_momentum(const CnNewton* newton, int body, CnVec3 moment);

// What a change of angular velocity costs at the guess, world axes [kg m^2].
CnMat3 cn_newton_inertia(const CnNewton* newton, int body);

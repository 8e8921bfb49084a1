// end_slopes.h - how forces at the end of a step change with where it ends (scheme implicit).
#pragma once

#include "world/bodies/force.h"

// For each body a symmetric matrix without negative eigenvalues [N m s/rad], world axes: how far
// the impulses of constraints, as rows have them now, turn it back when it turns on.
// docs/theory/implicit.md (11). states are the poses the rows were posed at.   [bodies]
void cn_world_turning_stiffness(const CnWorld* world, const CnBodyState* states, double time,
                                CnMat3* stiffness);

// What loads take from a body per velocity.
typedef struct CnResistance {
    double linear;  // [N s/m], >= 0
    double angular; // [N m s/rad], >= 0
} CnResistance;

// Means over all directions, zero for bodies whose loads do not look at velocities; exact for drag
// that acts at the centre of mass. loads are those at states; scratch has room for as many of both.
void cn_world_resistance(const CnWorld* world, const CnBodyState* states, double time,
                         const CnLoad* loads, CnBodyState* scratch_states, CnLoad* scratch_loads,
                         CnResistance* resistance);

// soft_pack.h - scheme soft_step: between the stores of the world and rows and tiles of floats.
#pragma once

#include "world/contacts/manifolds.h"

// Length of a step and of its substeps, and what the impulses of the last step count for.
typedef struct CnSoftTimes {
    double dt;    // [s]
    int substeps; // its parts
    double warm;  // an impulse kept of the last step becomes that of a substep
} CnSoftTimes;

// What contacts of a manifold that was found anew do to islands and readers: it gets its tile.
void cn_soft_pose_manifold(CnWorld* world, int manifold);

// Rows from states and from world->step.free_velocity, for groups from begin to end.
void cn_soft_load_bodies(const CnWorld* world, const CnSoftTimes* times, const CnSoftGroup* group);

// Lanes from manifolds; the kernels prepare them.
void cn_soft_load_tiles(const CnWorld* world, const CnSoftTimes* times, const CnSoftGroup* group);

// States from rows, at the end of a step.
void cn_soft_store_bodies(CnWorld* world, const CnSoftGroup* group);

// Impulses and gaps to manifolds and their records.
void cn_soft_store_tiles(CnWorld* world, const CnSoftTimes* times, const CnSoftGroup* group);

// soft_bodies.h - scheme soft_step: states of bodies as rows of floats, and back.
#pragma once

#include "world/bodies/force.h"
#include "world/soft/soft_store.h"

// What loads and damping add to velocity and spin over a time [s]; load NULL: gravity only.
void cn_soft_find_gain(const CnWorld* world, const CnBody* body, double dt, const CnLoad* load,
                       CnVec3* gain, CnVec3* turn);

// Rows from states, and from loads over the step, of length dt [s]; loads NULL: gravity only.
void cn_soft_load_bodies(const CnWorld* world, double dt, const CnLoad* loads,
                         const CnSoftGroup* group);

// States from rows, at the end of a step; counts them, and tells whether all are sound and within
// their bounds.
void cn_soft_store_bodies(CnWorld* world, CnSoftGroup* group);

// Whether a body came no further than its bounds allow for.
bool cn_soft_is_within_bounds(const CnWorld* world, int body);

// Several dynamic bodies side by side, in rows that may be anywhere. To the same bits as one by
// one; NULL stands for one by one.
typedef struct CnSoftBodyLanes {
    int count;
    // Bodies that no load acts on and nothing damps.
    void (*load)(const CnWorld* world, double dt, const int* rows);
    // Returns a bit for each that is certainly sound, the first the lowest.
    unsigned (*store)(CnWorld* world, const int* rows);
} CnSoftBodyLanes;

#define CN_SOFT_BODY_LANES 4 // at most
extern const CnSoftBodyLanes cn_soft_body_lanes_128, cn_soft_body_lanes_256;

// With the lanes of a caller, for tests.
void cn_soft_load_bodies_by(const CnSoftBodyLanes* lanes, const CnWorld* world, double dt,
                            const CnLoad* loads, const CnSoftGroup* group);
void cn_soft_store_bodies_by(const CnSoftBodyLanes* lanes, CnWorld* world, CnSoftGroup* group);

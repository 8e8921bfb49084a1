// acceleration.h - one step of scheme acceleration: where its bodies are on the way.
#pragma once

#include "world/bodies/force.h"
#include "world/world.h"

// A body on its way: spin is the angular velocity in body axes, whose rate has constant inertia.
typedef struct CnPath {
    CnVec3 center, velocity, spin;
    CnQuat rotation;
} CnPath;

// What moves a path on, per second.
typedef struct CnSlope {
    CnVec3 center, velocity, spin;
    CnQuat rotation;
} CnSlope;

// What the blocks of one user constraint did to its bodies over the step, by side of the block.
typedef struct CnWrench {
    CnVec3 impulse[4]; // world axes [N s]
    CnVec3 moment[4];  // about each centre of mass, axes of the body [N m s]
} CnWrench;

typedef struct CnJourney {
    CnWorld* world;
    CnStepReport* report;
    CnBodyState* states; // where the stage is, as forces and constraints see it   [bodies]
    CnLoad* loads;       // [bodies]
    CnPath *start, *stage, *end;
    CnSlope* slopes;    // of the present stage   [bodies]
    CnWrench* wrenches; // by slot of the constraint
    CnWrench* rows;     // by CN_MAX_ROWS * slot + row, where they are attributed; else NULL
    int look;           // of the integrator at the equations, from 0
    bool on_joints;     // stages are put on the constraints
} CnJourney;

// The constraints as a problem of accelerations at the states of the journey, into the step's rows
// and problem. acceleration_rows.c, docs/theory/acceleration.md (1), (5).
CnStatus cn_acceleration_build_rows(const CnJourney* journey, double time);

// What loads and constraints did at a stage that counts for weight seconds, and the work that came
// of it over the step, into the ledgers. acceleration_ledger.c.
void cn_acceleration_book_loads(const CnJourney* journey, const CnPath* paths, double weight);
void cn_acceleration_book_constraints(const CnJourney* journey, const CnPath* paths, double weight);
void cn_acceleration_book_work(const CnJourney* journey);

// The same by row, into the attribution: momentum at each stage, work at the end. Nothing when it
// is not kept. CN_OK or CN_NO_MEMORY. acceleration_ledger.c.
CnStatus cn_acceleration_attribute(const CnJourney* journey, const CnPath* paths, double weight);
CnStatus cn_acceleration_attribute_work(const CnJourney* journey);

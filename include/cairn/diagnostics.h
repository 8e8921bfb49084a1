// diagnostics.h - what a step says about itself: certificate, ledgers, timings.
//
// Equations: docs/theory/ledger.md. All work is attributed with the mean velocity (v- + v+)/2 of a
// step, so that a resting contact does exactly none and gravity's work is minus the change of its
// potential.
#pragma once

#include "cairn/solver.h"

typedef enum CnWork {
    CN_WORK_LOADS,         // forces and torques other than gravity
    CN_WORK_CONTACT,       // normal rows of contacts: restitution loses, stabilisation may add
    CN_WORK_FRICTION,      // tangent rows of contacts: what slipping loses
    CN_WORK_CONSTRAINT,    // equality, bounds and force blocks
    CN_WORK_DRIVE,         // given by kinematic bodies and belts to what touches them
    CN_WORK_INTEGRATION,   // created or lost by the time discretisation itself
    CN_WORK_STABILISATION, // by moving positions back (split_impulse, projection)
    CN_WORK_COUNT
} CnWork;

// "loads", "contact", ...
CN_API const char* cn_work_name(CnWork work);

// Energy of the dynamic bodies, and of those asleep [J].
typedef struct CnEnergyParts {
    double linear;    // kinetic, of centres of mass
    double angular;   // kinetic, about them
    double potential; // in gravity
} CnEnergyParts;

typedef struct CnEnergyLedger {
    double start, end;         // kinetic + gravitational energy of the dynamic bodies [J]
    CnEnergyParts start_parts; // what they are made of
    CnEnergyParts end_parts;
    double work[CN_WORK_COUNT]; // [J]
    double scale;               // sum of the magnitudes of all terms [J]
    double error;               // |end - start - sum of work| / scale: round-off when it closes
} CnEnergyLedger;

typedef struct CnMomentumLedger {
    CnVec3 linear_start, linear_end;   // of the dynamic bodies [N s]
    CnVec3 angular_start, angular_end; // about the world's origin [N m s]
    CnVec3 linear_gravity, angular_gravity;
    CnVec3 linear_loads, angular_loads;
    CnVec3 linear_external, angular_external;       // rows against what cannot move
    CnVec3 linear_internal, angular_internal;       // rows between dynamic bodies: must cancel
    CnVec3 linear_integration, angular_integration; // by the time discretisation itself
    double linear_scale, angular_scale;             // sums of magnitudes
    double error;          // largest relative failure of the two sums to close
    double internal_error; // |internal| / scale: how far rows are from action = reaction
} CnMomentumLedger;

// What a step does, one after the other. A scheme that has no such stage spends no time there.
typedef enum CnStage {
    CN_STAGE_BEGIN,    // open the ledgers; go to the poses of the problem; loads
    CN_STAGE_PAIRS,    // place shapes, find pairs whose boxes overlap
    CN_STAGE_CONTACTS, // find the contact points of pairs
    CN_STAGE_ROWS,     // build the problem
    CN_STAGE_ISLANDS,  // which bodies rows join
    CN_STAGE_SOLVE,    // solve each island, and grade its answer
    CN_STAGE_MOVE,     // advance poses
    CN_STAGE_CORRECT,  // position-level stabilisation
    CN_STAGE_GRADE,    // certificate, ledgers, events
    CN_STAGE_FINISH,   // memory of constraints, warnings; what is told of the whole step
    CN_STAGE_COUNT
} CnStage;
CN_API const char* cn_stage_name(CnStage stage);

// Positions that `projection` could not put right: no displacement does, or the work it may take is
// used up. docs/theory/stabilisation.md (13).
typedef struct CnPositionReport {
    int missed;    // islands with an error left, 0: none
    double error;  // the largest [m, or rad if it is an angle]
    char pair[96]; // that has it: "contact a/b", or a joint; "" when none
} CnPositionReport;

typedef struct CnStepReport {
    double time; // at the end of the step [s]
    int contact_count, block_count, row_count, island_count;
    int sleeping_bodies, sleeping_islands; // after the step. They have no rows: contacts, blocks,
                                           // certificate, penetration and joint errors are of the
                                           // rest. Energy is of all
    int exact_islands;         // of the islands: solved exactly, in scheme soft_step, because they
                               // have a body that is `exact`
    int kept_islands;          // of the islands: at rest, the impulses of the last step did
    int not_converged;         // islands whose solver.error missed the tolerance
    int out_of_budget;         // of these: islands whose work budget was used up
    CnSolverReport solver;     // of the island with the worst residual, of those that missed the
                               // tolerance if some did; its approximation is that of any
    CnCertificate certificate; // of the whole step; scheme soft_step: `worst`, `worst_block`, `rms`
    bool is_graded;            // the certificate says how wrong the answer is: in the steps that
                               // CnStepDef.grade_every asks for. Else, but in scheme soft_step,
                               // all numbers of certificate, energy and momentum are NaN, and the
                               // certificate in `solver` is what its solver stopped by, if it has
                               // computed one
    int newton_iterations;     // implicit: looks at the end of the step, of the hardest substep
    double newton_residual;    // implicit: what the last look changed in a velocity [m/s]; within
                               // the tolerance unless the step counts as not converged
    double penetration;        // deepest overlap after the step [m], >= 0
    double joint_error;        // largest constraint error after the step, rows in metres [m]
    double joint_angle_error;  // the same, rows in radians [rad]
    CnPositionReport positions;
    double work;            // multiplications of the solves of the step: docs/theory/budget.md
    double correction_work; // besides: of those that put positions and velocities right
    int impacts;            // times the step was cut at an impact of a fast body
    int held_back; // bodies stopped short, at what they were about to hit, because max_impacts cuts
                   // were used up; the rest of their way is lost, their velocity is not
    CnEnergyLedger energy;
    CnMomentumLedger momentum;
    double stage_seconds[CN_STAGE_COUNT];
} CnStepReport;

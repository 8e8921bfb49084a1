// position_errors.h - how deep bodies overlap and how far joints come apart while a scene runs.
//
// Scenes of balls, boxes, capsules, planes, ball joints and hinges are measured from poses and
// shapes alone (plain_scene.h). In other scenes the engine measures itself, and results say so: a
// copy of the world finds contacts anew at each look, joint errors are those of the step's report.
#pragma once

#include "bench/plain_scene.h"

typedef struct PositionErrors {
    double deepest;        // overlap of any look [m]
    double joint_error;    // the largest of any look [m]
    double kinetic_energy; // at the last look [J]
    bool is_independent;   // measured from poses and shapes alone

    PlainScene plain;
    PlainOverlaps overlaps; // of pairs of bodies; of contact points, unless is_independent
    CnBodyState* states;    // [plain.body_count]
    CnContactPoint* points; // [point_capacity]
    int point_capacity;
} PositionErrors;

// False with a sentence when memory runs out. End it in any case.
bool position_errors_begin(PositionErrors* errors, const CnWorld* world, CnError* error);
// After a step, with its report.
bool position_errors_look(PositionErrors* errors, const CnWorld* world, const CnStepReport* report,
                          CnError* error);
// 99 % of the overlaps of all looks are no deeper [m].
double position_errors_deepest_99(PositionErrors* errors);
void position_errors_end(PositionErrors* errors);

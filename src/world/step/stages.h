// stages.h - the stages that schemes share: velocity-level time stepping.
#pragma once

#include "world/step/step.h"

// Opens report and ledgers; cn_motion_begin() must follow.
CnStatus cn_stage_open_books(CnStepRun* run, CnError* error);

// The books opened, then ahead by (1 - theta) of the step to the poses of the problem, on the
// constraints there, and velocities that loads alone lead to. docs/theory/moreau.md (1), (16).
CnStatus cn_stage_begin(CnStepRun* run, double theta, bool from_rest, CnError* error);

CnStageFunction cn_stage_find_pairs;     // run->look; places, pairs and their records
CnStageFunction cn_stage_find_contacts;  // manifolds, listed in world->step.manifolds
CnStageFunction cn_stage_build_rows;     // tiles of contacts, explicit blocks of all others
CnStageFunction cn_stage_update_islands; // world->islands
CnStageFunction cn_stage_solve;          // run->solve: impulses, velocities, certificate
CnStageFunction cn_stage_move;           // to the end of the step
CnStageFunction cn_stage_correct;        // positions, then velocities at the end of the step
CnStageFunction cn_stage_measure;        // positions as they are: instead, where nothing moved
CnStageFunction cn_stage_grade;          // ledgers, certificate, kept impulses, totals, events
CnStageFunction cn_stage_finish;         // constraints remember where they are; warnings

// Ledgers closed, totals and events added: what all schemes do at the end of grading.
CnStatus cn_stage_close_books(CnStepRun* run, CnError* error);

// step.h - a step as a list of stages, over one object that they all work on.
//
//     begin -> pairs -> contacts -> rows -> islands -> solve -> move -> correct -> grade -> finish
//
// A scheme is a table of stages (schemes.h). Rows come before islands: islands join what has rows.
#pragma once

#include "world/contacts/manifolds.h"
#include "world/step/rollback.h"
#include "world/step/rows.h"
#include "world/step/solve_step.h"

typedef struct CnStepRun CnStepRun;

// One stage; it expects what those before it leave behind. On failure bodies may be anywhere: the
// step is undone as a whole.
typedef CnStatus CnStageFunction(CnStepRun* run, CnError* error);

typedef struct CnStageTable {
    CnStageFunction* stage[CN_STAGE_COUNT]; // NULL: there is no such stage
    CnStage repeats_from;                   // where a stage that sets CnStepRun.repeats leads to
} CnStageTable;

typedef struct CnSchemeTable {
    // One (sub)step of length world->step.dt from world->step.time.
    CnStageTable step;

    // Instead, an impact at the present poses: world->step.dt is 0, only velocities change. NULL
    // for a scheme that has no velocities before impact, or no contacts.
    const CnStageTable* impact;

    bool has_contacts;
} CnSchemeTable;

// A step on its way: what stages hand on to each other. Their buffers are in world->step.
struct CnStepRun {
    CnWorld* world;
    const CnSchemeTable* scheme;
    const CnStageTable* table; // whose stages are run
    CnStepReport* report;      // of the present part of the step
    CnPosing posing;           // how the problem is posed
    CnBodyState* states;       // poses of the problem, velocities before the step   [bodies]
    CnBodyState* ahead;        // the same poses, velocities to look for contacts along   [bodies]
    CnBodyState* end_states;   // after the move, in the place of `ahead`   [bodies]
    bool is_sound;             // all of these are finite and within the speed limit
    CnLook look;               // how contacts are looked for
    CnSolverDef solver;        // as it is asked in this step
    CnStepSolve solve;         // how islands are solved, and what came of it
    bool is_checked_later;     // states are checked as they are booked
    int worst_turning;         // the body whose turning made too much energy; CN_NONE
    void* own;                 // of the scheme, for its own stages
    bool is_placed;            // bodies were placed last where they are at the end of the step
    bool repeats;              // set by a stage: go back to repeats_from
    struct CnCutting* cutting; // of a substep that may be cut; or NULL
    CnArenaMark mark;
    CnRollback rollback;
};

// Begins a step of length dt: all stages may follow, in their order, then cn_step_close().
// CN_NO_MEMORY: nothing has changed, and there is nothing to close.
CnStatus cn_step_open(CnWorld* world, double dt, CnStepReport* report, CnStepRun* run,
                      CnError* error);

// Ends it. CN_OK: the step stands; else the world is as it was before. Returns the status.
CnStatus cn_step_close(CnStepRun* run, CnStatus status);

// Runs the stages of the table from first to last, and times each of them into the report.
CnStatus cn_step_run(CnStepRun* run, CnStage first, CnStage last, CnError* error);

// A substep of length world->step.dt from world->step.time in a world with fast bodies, cut at
// their impacts: docs/theory/collision/continuous.md (7).
CnStatus cn_substep_with_cuts(CnStepRun* run, CnError* error);

// Whether CnStepDef.grade_every asks for the grade of the step that follows the last one. In
// schemes other than soft_step one is due as well where the next step uses it.
bool cn_step_grade_is_asked(const CnWorld* world);
bool cn_step_is_due_for_grade(const CnWorld* world);

// An empty report. Of one that is not graded certificate and ledgers are no numbers: zero would say
// that all is well.
CnStepReport cn_step_report_begin(bool is_graded);

// A report speaks of the whole step: the worst grade, the sum of work and time, the last counts.
void cn_step_append(CnStepReport* total, const CnStepReport* next);

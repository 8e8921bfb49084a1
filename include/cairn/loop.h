// loop.h - game loops: steps of one length however long frames are, and poses in between to draw.
//
//     CnAdvanceReport report;
//     cn_world_advance(world, seconds_since_last_frame, NULL, &report, NULL);
//     cn_world_read_poses_at(world, report.fraction, poses, NULL, capacity);
//
// docs/manual/game-loops.md.
#pragma once

#include "cairn/world.h"

typedef struct CnAdvanceSettings {
    double dt;     // length of a step [s], default 1/60
    int max_steps; // in one call, [1, 1000000], default 8. Time beyond them is dropped: the world
                   // runs slower than the clock instead of making the next frame longer still
    uint32_t guard;
} CnAdvanceSettings;
CN_API CnAdvanceSettings cn_advance_settings_default(void);

typedef struct CnAdvanceReport {
    int steps;         // that this call made
    double remainder;  // time that waits for the next call, less than a step [s]
    double fraction;   // the same as a share of a step, [0, 1]: where to draw
    double dropped;    // time of this call that will not be made up for [s]
    CnStepReport last; // of the last step of this call; zero when there was none
} CnAdvanceReport;

// Adds elapsed [s], >= 0, to the time that waits, and makes whole steps of it. Which steps are made
// depends on nothing but the times passed in. settings NULL: the default. When a step fails, its
// status is returned: the steps before it stay made, and the rest of the time waits. CN_INVALID,
// CN_NO_MEMORY before the first step: nothing changed. report and error may be NULL.
CN_API CnStatus cn_world_advance(CnWorld* world, double elapsed, const CnAdvanceSettings* settings,
                                 CnAdvanceReport* report, CnError* error);

// Poses of all bodies' frames, as cn_world_read_poses(), at a fraction of the last step of
// cn_world_advance(): 0 where it began, 1 (and beyond) where bodies are now. Centres of mass move
// on straight lines, rotations on the shorter arc. Bodies that were added or set since, and all if
// cn_world_step() was called since, are where they are now.
CN_API int cn_world_read_poses_at(const CnWorld* world, double fraction, CnTransform* poses,
                                  CnBodyId* ids, int capacity);

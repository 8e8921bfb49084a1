// warm_start.h - carrying impulses from one step to the next by the keys of their blocks.
#pragma once

#include "world/world.h"

// The share of last step's impulse to start from: all of it while small or well solved, down to a
// quarter when its residual or drift was large. impulse [N s], residual [m/s], drift [-].
double cn_warm_start_scale(double impulse, double residual, double drift);

// Fills world->step.rows.impulse from the last step; zero for blocks it did not have.
void cn_warm_start_match(CnWorld* world);

// Keeps this step's impulses and residuals for the next. CN_NO_MEMORY: the next starts cold.
CnStatus cn_warm_start_store(CnWorld* world);

// The next step starts cold.
void cn_warm_start_forget(CnWorld* world);

// The same between two looks at one step, whatever the settings say: impulses of the rows as they
// are now, into the rows that are posed next. CN_NO_MEMORY: they start from zero.
CnStatus cn_warm_start_pause(CnWorld* world);
void cn_warm_start_resume(CnWorld* world);

// Whether the contact of this key stuck in the last step; `otherwise` when it did not press.
bool cn_warm_start_stuck(const CnWorld* world, uint64_t key, bool otherwise);

// Where the contact of this key began to stick: see CnContact. False when it did not stick in the
// last step.
bool cn_warm_start_anchor(const CnWorld* world, uint64_t key, CnVec3 anchor[2]);

// Tells contacts how far they overlapped as the step began, by the last pause; 0 for new ones.
void cn_warm_start_recall_gaps(CnWorld* world);

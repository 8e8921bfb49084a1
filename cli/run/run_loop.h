// run_loop.h - the steps of a run, one after the other, with what they write and say.
#pragma once

#include "run/live_scene.h"
#include "run/run_outputs.h"
#include "run/run_summary.h"
#include "run/schedule.h"

// Up to the end of the schedule, or until a signal asks to stop. False with a sentence when a step
// fails or what it writes cannot be written; summary then holds the steps before.
bool run_steps(const LiveScene* live, const Schedule* schedule, RunOutputs* outputs,
               const Console* console, RunSummary* summary, CnError* error);

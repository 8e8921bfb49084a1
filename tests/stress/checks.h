// checks.h - what must hold after every call, every step and every solve.
#pragma once

#include "session.h"

// A refusal says why, in one sentence, and only a refusal does.
void check_refusal(Session* session, bool refused, const CnError* error);

typedef struct StepBefore {
    double time;   // [s]
    double energy; // [J]
} StepBefore;
StepBefore check_before_step(const Session* session);

// Time has advanced by dt; numbers are finite; ledgers begin and end at the energies of the world
// and add up to the errors they report; the certificate of the last problem, computed again, is not
// above the reported one.
void check_step(Session* session, const StepBefore* before, double dt, const CnStepReport* report);

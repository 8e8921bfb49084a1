// continuous.h - where on their way through a step fast bodies hit something.
//
// docs/theory/collision/continuous.md.
#pragma once

#include "world/world.h"

// Contacts no wider than this act in an impact [m].
double cn_continuous_closed(const CnWorld* world);

// After an impact: has it set bodies moving that are near enough to have one of their own? states:
// those that it has left.
bool cn_continuous_passes_on(const CnWorld* world, const CnBodyState* states);

// CN_UNSUPPORTED, with a sentence, when the settings do not go with fast bodies.
CnStatus cn_continuous_check(const CnWorld* world, bool has_contacts, CnError* error);

// Where a step should have ended.
typedef struct CnCut {
    bool found;       // a fast body gets deeper into something than it may
    double share;     // of the step's length, at which it touches; 0: from the start
    bool is_possible; // false: positions are corrected into something, and no shorter step helps
} CnCut;

// Looks at the motion of the last step, from CnMotion and the bodies' states. had_impact: the
// bodies that touch at the start have had their impact; they may go on for as long as they do not
// get much deeper. CN_NO_MEMORY: nothing has changed.
CnStatus cn_continuous_find(CnWorld* world, bool had_impact, CnCut* cut);

// Puts fast bodies back to where they hit something, and if need be what else hits them then.
// Returns how many bodies were put back, in *held_back.
CnStatus cn_continuous_hold(CnWorld* world, int* held_back);

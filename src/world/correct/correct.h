// correct.h - position errors of a step: measured, and put back where asked.
#pragma once

#include "world/contacts/search.h"

// A look at where a step has brought the bodies.
typedef struct CnEndLook {
    CnArenaMark mark;    // where the arena was before it
    CnBodyState* states; // at the end of the step, as bodies have them too   [bodies]
    CnSearch search;     // of the pairs that have moved
    bool corrected;      // cn_correct_end: bodies were moved, or may have been
    bool is_sound;       // cn_correct_end: those bodies are, cn_step_is_sound()
    bool is_placed;      // cn_correct_end: all bodies are where they were placed last
} CnEndLook;

// Places bodies where they are and lists the pairs to search. The caller does, as with
// cn_search_next(), hands every part of it over, and then ends the look: this moves bodies as
// world->def.step.stabilisation says (split_impulse, projection), if asked, and writes the errors
// that are left into the report: penetration, joint_error, positions, and the values of
// constraints. After a failure there is nothing to end. states: those of bodies now; NULL: to be
// read.
CnStatus cn_correct_begin(CnWorld* world, CnBodyState* states, CnEndLook* look, CnError* error);
CnStatus cn_correct_take(CnWorld* world, CnEndLook* look, CnError* error);
CnStatus cn_correct_end(CnWorld* world, CnEndLook* look, bool corrects, CnStepReport* report,
                        CnError* error);

// All of it.
CnStatus cn_world_correct_positions(CnWorld* world, bool corrects, CnStepReport* report,
                                    CnError* error);

// Under projection, puts predicted states on the constraints that keep, docs/theory/moreau.md (16).
// Where there is nothing to do, or it cannot be done, they stay as they are: *moved is false then.
CnStatus cn_world_correct_ahead(CnWorld* world, double time, CnBodyState* states, bool* moved,
                                CnStepReport* report, CnError* error);

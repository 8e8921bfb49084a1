// warm_start.h - what a solve leaves for the next one: impulses of contact points and constraints.
//
// Impulses of contacts are kept with their points, as vectors of the world, and posed again along
// the rows of the next frame (contact_rows.c). docs/theory/warm_start.md.
#pragma once

#include "world/world.h"

// Keeps the answer of the step: first of contacts, the manifolds of the step from begin to end, by
// any worker; then of explicit blocks. is_final: the step has no further look; contact points learn
// whether they were pressed and whether they stuck, and constraints count the impulses as what they
// did in the step. Points and constraints without rows keep nothing.
void cn_warm_start_keep_contacts(CnWorld* world, int begin, int end, bool is_final);
void cn_warm_start_keep_rows(CnWorld* world, bool is_final);

// The second for the last look of a step, and cn_world_add_late_impulses(), on the same walk over
// constraints.
void cn_warm_start_keep_all_rows(CnWorld* world);

// The guess for the rows of constraints: what was kept, for a step of another length. resumes:
// whatever the settings say, within a step.
void cn_warm_start_constraints(CnWorld* world, bool resumes);

// Whether impulses are used again as they are: no policy, no factor.
bool cn_warm_start_is_full(const CnWorld* world);

// The guess of a row that is used again, row->impulse times the factor that its policy says;
// drift and factor are filled in. docs/theory/warm_start.md (3), (22).
double cn_warm_start_guess(const CnWorld* world, CnWarmStartRow* row);

// The next step starts cold.
void cn_warm_start_forget(CnWorld* world);

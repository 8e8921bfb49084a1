// correct_scope.h - which bodies a correction is about.
//
// Most bodies of a world are within the tolerance. The scope are those that contacts or constraints
// join to one that is not: only their contacts are measured again and only they may move.
#pragma once

#include "world/correct/position_errors.h"

// Bodies that touch, at the poses of the last look or measurement, something that overlaps by more
// than the tolerance [m], directly or through others; and all that constraints and contacts given
// by hand act on. They are added to the scope, which never loses a body: so a correction that grows
// its scope comes to an end. *outside: the deepest overlap of all pairs without a body of the scope
// [m], at most the tolerance. CN_OK or CN_NO_MEMORY.
CnStatus cn_correction_find_scope(CnWorld* world, double tolerance, bool* scope, double* outside);

// Bodies that the contacts found and learned and the constraints join to one with an error above
// the tolerance [m or rad]. The rows of the others would ask for nothing: they are not built.
CnStatus cn_correction_find_wanted(CnWorld* world, const CnBodyState* states, CnInstant instant,
                                   double tolerance, bool* wanted);

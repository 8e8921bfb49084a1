// likely_cause.h - why a step may have missed the tolerance, in words for its warning.
#pragma once

#include "world/world.h"

// A clause that follows a semicolon. Looks at the problem of the last (sub)step around the block
// that is in question; -1: none is.
const char* cn_likely_cause(const CnWorld* world, const CnStepReport* report, int block);

// soft_gaps.h - scheme soft_step: gaps of pairs at the end of a step, for events.
#pragma once

#include "cairn/base.h"

struct CnWorld;

// Writes the least gap of each record that events look at. A record whose lanes are known to be
// calm keeps the one it has. CN_OK or CN_NO_MEMORY.
CnStatus cn_soft_note_gaps(struct CnWorld* world);

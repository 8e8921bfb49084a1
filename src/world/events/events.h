// events.h - who touches whom from step to step, and the events that this makes.
//
// A step begins, adds what each of its substeps did, and commits. Without the last, nothing that
// a user can see has changed. Each returns CN_OK or CN_NO_MEMORY.
#pragma once

#include "world/world.h"

CnStatus cn_events_begin(CnWorld* world);

// After a substep: looks at its contacts and impulses, at the contacts that its last look at
// positions found, and into the sensors.
CnStatus cn_events_add(CnWorld* world);

// A joint that broke in the step; breaks are added in the order of joints.
CnStatus cn_events_add_break(CnWorld* world, const CnEvent* event);

CnStatus cn_events_commit(CnWorld* world);

void cn_events_free(CnEventLog* events, const CnAllocator* allocator);

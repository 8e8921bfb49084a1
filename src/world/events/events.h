// events.h - who touches whom from step to step, and the events that this makes.
#pragma once

#include "world/world.h"

// A step begins.
void cn_events_begin(CnWorld* world);

// After a part of a step that stands. CN_OK or CN_NO_MEMORY.
CnStatus cn_events_add(CnWorld* world);

// Only the ends of what was removed since the last step: where nothing else can have changed.
CnStatus cn_events_add_pending(CnWorld* world);

// A joint has broken. CN_OK or CN_NO_MEMORY.
CnStatus cn_events_add_sleep(CnWorld* world); // who fell asleep or woke since the last step
CnStatus cn_events_add_break(CnWorld* world, const CnEvent* event);

// The step stands: its events can be read. CN_NO_MEMORY: it does not.
CnStatus cn_events_commit(CnWorld* world);

// Room for the ends of so many records, or of all that a shape or a body has, so that
// cn_events_forget_record() needs none. False: no memory.
bool cn_events_reserve_ends(CnWorld* world, int count);
bool cn_events_reserve_ends_of_shape(CnWorld* world, int slot);
bool cn_events_reserve_ends_of_body(CnWorld* world, int body);

// The pair is about to go: if it touches, the next step tells its end.
void cn_events_forget_record(CnWorld* world, int record);

void cn_events_free(CnEventLog* events, const CnAllocator* allocator);

// memory.h - all that the next step of a world reads, to and from bytes.
#pragma once

#include "world/state/stream.h"

// Writes the memory of a world; or reads it into one that is made of the same things, which may be
// left half read when the stream fails. What follows from the rest is not made anew: rebuild.h.
void cn_stream_memory(CnStateStream* stream, CnWorld* world);

// Reading, before it: brings settings of the world to those of the state. CN_OK, or a status with a
// sentence.
CnStatus cn_stream_settings(CnStateStream* stream, CnWorld* world, CnError* error);

// Slots and elements of a pool, free ones too. Reading: those in use must be those of the world.
void cn_stream_pool(CnStateStream* stream, const CnLayout* layout, CnPool* pool);

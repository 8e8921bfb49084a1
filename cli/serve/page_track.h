// page_track.h - a recording as a page carries it: a long one is rounded to what can be seen.
#pragma once

#include "cairn/recording.h"

// The bytes of a recording file in *bytes [*size], to be freed: as they are up to `most` bytes,
// else with coarser frames, which may still be more. False with a sentence.
bool page_track_read(const char* path, size_t most, unsigned char** bytes, size_t* size,
                     CnError* error);

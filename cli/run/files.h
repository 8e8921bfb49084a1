// files.h - files that commands read or write by name: what they are, and whether they can be.
#pragma once

#include "cairn/base.h"

// Whether a file begins like a recording.
bool is_recording(const char* path);

// A name for a file that only this run uses, in the folder for such files; path [size]. False:
// none.
bool make_temporary(char* path, size_t size, CnError* error);

// Whether a file of this name can be written: said before a long run, not behind it. Nothing is
// created. NULL is fine: nothing is to be written.
bool check_writable(const char* path, CnError* error);

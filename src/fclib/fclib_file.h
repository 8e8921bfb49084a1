// fclib_file.h - FCLib's files from bytes in memory.
#pragma once

#include "cairn/problem.h"

// Like cn_fclib_load of an HDF5 file; label is shown instead of the path.
CnOwnedProblem* cn_fclib_parse(const char* bytes, size_t length, const char* label, CnError* error);

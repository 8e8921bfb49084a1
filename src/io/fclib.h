// fclib.h - frictional contact problems in the HDF5 files of FCLib; docs/problem-file.md.
//
// A build without HDF5 has these functions too: they refuse with a sentence.
#pragma once

#include "base/arena.h"
#include "cairn/problem.h"
#include "io/complaints.h"

// A problem from the bytes of a file. NULL after a complaint.
CnOwnedProblem* cn_fclib_parse(const char* bytes, size_t length, CnArena* arena,
                               CnComplaints* complaints);

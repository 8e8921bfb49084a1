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

// Whether a path ends like the name of such a file: .hdf5 or .h5.
bool cn_fclib_names(const char* path);

// The problem as it is, and the answer when it is not NULL. CN_UNSUPPORTED: it has a law that FCLib
// does not know. The problem has passed cn_problem_check().
CnStatus cn_fclib_save(const CnProblem* problem, const CnSolution* solution, const char* path,
                       CnError* error);

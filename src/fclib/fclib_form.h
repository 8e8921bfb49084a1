// fclib_form.h - problems as FCLib lays them out in HDF5 files; docs/problem-file.md.
//
// A build without HDF5 has these functions too; they refuse with an error message.
#pragma once

#include "base/arena.h"
#include "cairn/problem.h"
#include "io/text/error_list.h"

// A problem from the bytes of a file. NULL after an error was reported.
CnOwnedProblem* cn_fclib_read(const char* bytes, size_t length, CnArena* arena,
                              CnErrorList* errors);

// Writes the problem, and the solution if it is not NULL. CN_UNSUPPORTED: it has a law that FCLib
// does not have. Both must be writable: cn_problem_check_writable().
CnStatus cn_fclib_write(const CnProblem* problem, const CnSolution* solution, const char* path,
                        CnError* error);

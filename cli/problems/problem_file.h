// problem_file.h - problems and answers as files: Cairn's own, or FCLib's by their names.
#pragma once

#include "cairn/solver.h"

// The problem, or with a solution the answer to it; as an FCLib file, which holds both, when the
// path ends in .hdf5 or .h5.
CnStatus problem_file_save(const CnProblem* problem, const CnSolution* solution, const char* path,
                           CnError* error);

// Whether a name ends like that of a problem: .json, .hdf5 or .h5.
bool problem_file_has_name(const char* path);

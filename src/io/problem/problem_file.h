// problem_file.h - shared by the readers and writers of problem files.
#pragma once

#include "base/arena.h"
#include "cairn/problem.h"
#include "io/text/error_list.h"

// Like cn_problem_load; label is shown instead of the path.
CnOwnedProblem* cn_problem_parse(const char* text, size_t length, const char* label,
                                 CnError* error);

// From the text of Cairn's own format, which is changed. NULL after an error was reported.
CnOwnedProblem* cn_problem_read(char* text, size_t length, CnArena* arena, CnErrorList* errors);

// Whether a file is HDF5, by its first bytes; and by its name: .hdf5 or .h5.
bool cn_problem_is_hdf5(const char* bytes, size_t length);
bool cn_problem_names_hdf5(const char* path);

// CN_INVALID: the problem is wrong, or has numbers that a file cannot hold.
CnStatus cn_problem_check_writable(const CnProblem* problem, CnError* error);
CnStatus cn_solution_check_writable(const CnProblem* problem, const CnSolution* solution,
                                    CnError* error);

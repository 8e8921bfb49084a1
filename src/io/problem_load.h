// problem_load.h - problems from text in memory.
#pragma once

#include "cairn/problem.h"

// As cn_problem_load; label stands for the path.
CnOwnedProblem* cn_problem_parse(const char* text, size_t length, const char* label,
                                 CnError* error);

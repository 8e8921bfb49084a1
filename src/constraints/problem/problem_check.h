// problem_check.h - where a problem is wrong, for those who can point at it.
#pragma once

#include "cairn/problem.h"

typedef struct CnProblemPlace {
    int body, block; // the one the message is about; -1: it is about neither
} CnProblemPlace;

// cn_problem_check() that also tells the place.
CnStatus cn_problem_check_at(const CnProblem* problem, CnProblemPlace* place, CnError* error);

// Whether pyramids can have so many sides; messages begin with the owner of the number.
CnStatus cn_pyramid_sides_check(int sides, const char* owner, CnError* error);

// What is wrong with a matrix of so many rows and columns, which messages call `name`.
CnStatus cn_matrix_check(const CnResponse* matrix, const char* name, int rows, int columns,
                         CnError* error);

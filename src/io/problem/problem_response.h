// problem_response.h - the matrices of a problem without bodies, in problem files.
#pragma once

#include "constraints/problem/owned_problem.h"
#include "io/text/fields.h"

// {"start": [...], "column": [...], "value": [...]}; for a problem whose row count is known.
bool cn_problem_read_response(const CnJson* value, CnOwnedProblem* owned, CnErrorList* errors);

// The number of coordinates of "masses"; 0 if it is missing or malformed.
int cn_problem_count_coordinates(const CnJson* value);

// {"free_velocity": [...], "mass": matrix, "jacobian": matrix}; for a problem that already has its
// blocks, and bodies for that many coordinates.
bool cn_problem_read_masses(const CnJson* value, CnOwnedProblem* owned, CnErrorList* errors);

// Each if the problem has it.
void cn_problem_write_response(const CnProblem* problem, CnJsonWriter* writer);
void cn_problem_write_masses(const CnProblem* problem, CnJsonWriter* writer);

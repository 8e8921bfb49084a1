// problem_response.h - the response of a problem and what is behind it, in problem files.
#pragma once

#include "constraints/owned_problem.h"
#include "io/fields.h"

// {"start": [...], "column": [...], "value": [...]}; for a problem whose rows are counted.
bool cn_problem_read_response(const CnJson* value, CnOwnedProblem* owned, CnComplaints* complaints);

// The same and "free_velocity": [...].
bool cn_problem_read_coordinates(const CnJson* value, CnOwnedProblem* owned,
                                 CnComplaints* complaints);

// Both, as far as the problem has them.
void cn_problem_write_response(const CnProblem* problem, CnJsonWriter* writer);

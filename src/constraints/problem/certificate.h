// certificate.h - grading an answer with memory that the caller brings.
#pragma once

#include "cairn/problem.h"

// cn_problem_certify() for callers that may not allocate: scratch holds the velocity that the
// impulses alone give [body_count], and is left filled with it.
void cn_certify(const CnProblem* problem, const CnSolution* solution, double (*scratch)[6],
                double* block_residual, CnCertificate* certificate);

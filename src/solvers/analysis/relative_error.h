// relative_error.h - the relative errors of the certificate, for solvers that already have W and u.
#pragma once

#include "cairn/problem.h"

// Quantities independent of the impulses.
typedef struct CnErrorSize {
    double trace;    // of W
    double q_square; // |q|^2
} CnErrorSize;

// The larger of fclib_error and scaled_error of p, whose velocities u are given: certificate.md.
double cn_relative_error(const CnProblem* problem, const CnErrorSize* size, const double* p,
                         const double* u);

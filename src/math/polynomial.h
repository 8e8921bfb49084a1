// polynomial.h - all real roots of a small polynomial on an interval.
#pragma once

#define CN_POLYNOMIAL_MAX_DEGREE 4

// Sign changes of c[0] + c[1] t + ... + c[degree] t^degree in [low, high], then its extrema (so
// that double roots are not lost to round-off): candidates, to be checked by the caller. At most 2
// * degree - 1 of them. Returns how many. degree >= 1.
int cn_polynomial_candidates(const double* c, int degree, double low, double high, double* t);

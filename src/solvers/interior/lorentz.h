// lorentz.h - the cone {|x_T| <= x_N} in two and more dimensions, and its algebra.
//
// With the product x o y = (x . y, x_N y_T + y_N x_T) the cone is that of squares, so an interior
// point can be kept as for numbers. docs/theory/solvers/cone_ip.md (6)-(9).
#pragma once

// x_N - |x_T| and x_N + |x_T|, the eigenvalues of x.
void cn_lorentz_eigenvalues(int n, const double* x, double eigenvalue[2]);

// x o y
void cn_lorentz_multiply(int n, const double* x, const double* y, double* out);

// Arw(x), the matrix of y -> x o y, row-major n x n.
void cn_lorentz_arrow(int n, const double* x, double* matrix);

// The largest step a >= 0 for which x + a d stays in the cone; infinite when all do. x is inside.
double cn_lorentz_longest_step(int n, const double* x, const double* d);

// The element with the directions of x and the eigenvalues (l + sqrt(l^2 + 4 gap)) / 2: inside the
// cone, and lorentz_raise(x) o lorentz_raise(-x) = gap e.
void cn_lorentz_raise(int n, const double* x, double gap, double* out);

// lorentz.c - the cone {|x_T| <= x_N} in two and more dimensions, and its algebra.
#include "solvers/interior/lorentz.h"

#include <math.h>

static double tangent_length(int n, const double* x) {
    double square = 0.0;
    for (int i = 1; i < n; ++i) {
        square += x[i] * x[i];
    }
    return sqrt(square);
}

void cn_lorentz_eigenvalues(int n, const double* x, double eigenvalue[2]) {
    double tangent = tangent_length(n, x);
    eigenvalue[0] = x[0] - tangent;
    eigenvalue[1] = x[0] + tangent;
}

void cn_lorentz_multiply(int n, const double* x, const double* y, double* out) {
    double dot = x[0] * y[0];
    double x_normal = x[0], y_normal = y[0];
    for (int i = 1; i < n; ++i) {
        dot += x[i] * y[i];
        out[i] = x_normal * y[i] + y_normal * x[i];
    }
    out[0] = dot;
}

void cn_lorentz_arrow(int n, const double* x, double* matrix) {
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            matrix[i * n + j] = i == j ? x[0] : (i == 0 ? x[j] : (j == 0 ? x[i] : 0.0));
        }
    }
}

// The boundary is where (x_N + a d_N)^2 - |x_T + a d_T|^2 = A a^2 + 2 B a + C vanishes first; C >
// 0.
double cn_lorentz_longest_step(int n, const double* x, const double* d) {
    double eigenvalue[2], direction[2];
    cn_lorentz_eigenvalues(n, x, eigenvalue);
    cn_lorentz_eigenvalues(n, d, direction);
    double square = direction[0] * direction[1];
    double constant = eigenvalue[0] * eigenvalue[1];
    double half = x[0] * d[0];
    for (int i = 1; i < n; ++i) {
        half -= x[i] * d[i];
    }
    double discriminant = half * half - square * constant;
    if (!(discriminant >= 0.0) || (half >= 0.0 && square >= 0.0)) {
        return HUGE_VAL;
    }
    double root = sqrt(discriminant);
    return half < 0.0 ? constant / (root - half) : (half + root) / -square;
}

// (l + sqrt(l^2 + 4 gap)) / 2, without cancellation where l < 0.
static double raise(double l, double gap) {
    double root = sqrt(l * l + 4.0 * gap);
    return l >= 0.0 ? 0.5 * (l + root) : 2.0 * gap / (root - l);
}

void cn_lorentz_raise(int n, const double* x, double gap, double* out) {
    double eigenvalue[2];
    cn_lorentz_eigenvalues(n, x, eigenvalue);
    double low = raise(eigenvalue[0], gap);
    double high = raise(eigenvalue[1], gap);
    double tangent = 0.5 * (eigenvalue[1] - eigenvalue[0]);
    double scale = tangent > 0.0 ? 0.5 * (high - low) / tangent : 0.0;
    for (int i = 1; i < n; ++i) {
        out[i] = scale * x[i];
    }
    out[0] = 0.5 * (low + high);
}

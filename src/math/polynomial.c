// polynomial.c - all real roots of a small polynomial on an interval.
//
// Between two neighbouring roots of its derivative a polynomial is monotone, so it has at most one
// root there and bisection finds it. The roots of the derivative are found in the same way.
#include "math/polynomial.h"

#include <string.h>

static double evaluate(const double* c, int degree, double t) {
    double value = c[degree];
    for (int i = degree - 1; i >= 0; --i) {
        value = value * t + c[i];
    }
    return value;
}

// The root of a function that is monotone on [low, high] and changes sign there. Halving an
// interval of ordinary size reaches neighbouring doubles in fewer than 64 steps for roots that are
// not themselves tiny; for those the interval is already narrow enough.
#define BISECTIONS 64

static double bisect(const double* c, int degree, double low, double high) {
    double at_low = evaluate(c, degree, low);
    for (int i = 0; i < BISECTIONS; ++i) {
        double middle = 0.5 * (low + high);
        double value = evaluate(c, degree, middle);
        if ((value < 0.0) == (at_low < 0.0)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.5 * (low + high);
}

// Crossings of c between consecutive points of a grid that ends at low and high. Returns how many.
static int crossings(const double* c, int degree, const double* grid, int grid_count,
                     double* root) {
    int count = 0;
    for (int i = 0; i + 1 < grid_count; ++i) {
        double left = evaluate(c, degree, grid[i]);
        double right = evaluate(c, degree, grid[i + 1]);
        if ((left < 0.0) != (right < 0.0)) {
            root[count++] = bisect(c, degree, grid[i], grid[i + 1]);
        }
    }
    return count;
}

int cn_polynomial_candidates(const double* c, int degree, double low, double high, double* t) {
    // derivative[k] is the k-th derivative, of degree - k
    double derivative[CN_POLYNOMIAL_MAX_DEGREE + 1][CN_POLYNOMIAL_MAX_DEGREE + 1];
    memcpy(derivative[0], c, (size_t)(degree + 1) * sizeof(double));
    for (int k = 1; k < degree; ++k) {
        for (int i = 0; i <= degree - k; ++i) {
            derivative[k][i] = (i + 1) * derivative[k - 1][i + 1];
        }
    }

    double grid[CN_POLYNOMIAL_MAX_DEGREE + 2] = {low, high};
    double root[CN_POLYNOMIAL_MAX_DEGREE];
    int turning = 0; // interior points of the grid: extrema of the current polynomial
    int found = 0;
    for (int k = degree - 1; k >= 0; --k) {
        found = crossings(derivative[k], degree - k, grid, turning + 2, root);
        if (k > 0) {
            memcpy(grid + 1, root, (size_t)found * sizeof(double));
            grid[found + 1] = high;
            turning = found;
        }
    }

    memcpy(t, root, (size_t)found * sizeof(double));
    memcpy(t + found, grid + 1, (size_t)turning * sizeof(double));
    return found + turning;
}

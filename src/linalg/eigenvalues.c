// eigenvalues.c - all eigenvalues of a dense symmetric matrix.
//
// Householder reflections make it tridiagonal, implicit QL steps with Wilkinson's shift diagonal.
// docs/theory/linalg.md (24)-(26).
#include "linalg/eigenvalues.h"

#include "linalg/dense.h"
#include <float.h>
#include <math.h>

// QL steps for one eigenvalue: about two on average, never more than ten in practice.
#define MAX_STEPS 60

static double* row_of(double* a, int n, int i) {
    return a + (size_t)i * (size_t)n;
}

// p = A v of the leading m rows, of which the lower triangle is stored.
static void multiply_lower(double* a, int n, int m, const double* v, double* p) {
    for (int i = 0; i < m; ++i) {
        p[i] = 0.0;
    }
    for (int i = 0; i < m; ++i) {
        const double* row = row_of(a, n, i);
        double sum = row[i] * v[i];
        for (int j = 0; j < i; ++j) {
            sum += row[j] * v[j];
            p[j] += row[j] * v[i];
        }
        p[i] += sum;
    }
}

// (24): reflects the last row of the leading m + 1 onto its last entry, and the rest with it.
// Returns that entry.
static double reflect(double* a, int n, int m, double* p) {
    double* v = row_of(a, n, m);
    double size = 0.0;
    for (int j = 0; j < m; ++j) {
        size = fmax(size, fabs(v[j]));
    }
    if (m == 1 || size == 0.0) {
        return v[m - 1];
    }
    for (int j = 0; j < m; ++j) {
        v[j] /= size; // no square of it overflows
    }
    double length = sqrt(cn_dense_dot(m, v, v));
    double beta = v[m - 1] > 0.0 ? -length : length; // away from v: nothing cancels
    double half = length * length - v[m - 1] * beta; // |v - beta e|^2 / 2
    v[m - 1] -= beta;
    multiply_lower(a, n, m, v, p);
    double mean = cn_dense_dot(m, p, v) / (2.0 * half);
    for (int j = 0; j < m; ++j) {
        p[j] = (p[j] - mean * v[j]) / half;
    }
    for (int i = 0; i < m; ++i) {
        double* row = row_of(a, n, i);
        for (int j = 0; j <= i; ++j) {
            row[j] -= v[i] * p[j] + p[i] * v[j];
        }
    }
    return size * beta;
}

// One implicit QL step (25) on rows first .. last of the tridiagonal matrix d, e; e[i] joins i and
// i + 1.
static void ql_step(double* d, double* e, int first, int last) {
    double shift = (d[first + 1] - d[first]) / (2.0 * e[first]);
    double root = sqrt(shift * shift + 1.0);
    double g = d[last] - d[first] + e[first] / (shift + copysign(root, shift));
    double sine = 1.0, cosine = 1.0, moved = 0.0;
    for (int i = last - 1; i >= first; --i) {
        double f = sine * e[i], b = cosine * e[i];
        double r = sqrt(f * f + g * g);
        e[i + 1] = r;
        if (r == 0.0) { // the matrix has come apart here
            d[i + 1] -= moved;
            e[last] = 0.0;
            return;
        }
        sine = f / r;
        cosine = g / r;
        g = d[i + 1] - moved;
        r = (d[i] - g) * sine + 2.0 * cosine * b;
        moved = sine * r;
        d[i + 1] = g + moved;
        g = cosine * r - b;
    }
    d[first] -= moved;
    e[first] = g;
    e[last] = 0.0;
}

// The first row from `first` on that is joined to none after it (26).
static int find_end(int n, const double* d, const double* e, int first) {
    int last = first;
    while (last + 1 < n && fabs(e[last]) > DBL_EPSILON * (fabs(d[last]) + fabs(d[last + 1]))) {
        ++last;
    }
    return last;
}

static void sort(int n, double* value) {
    for (int i = 1; i < n; ++i) {
        double x = value[i];
        int j = i;
        for (; j > 0 && value[j - 1] > x; --j) {
            value[j] = value[j - 1];
        }
        value[j] = x;
    }
}

bool cn_eigenvalues_symmetric(int n, double* a, double* value, double* scratch) {
    double* e = scratch; // [n]
    for (int m = n - 1; m > 0; --m) {
        e[m - 1] = reflect(a, n, m, value); // value is scratch until its entries are final
        value[m] = row_of(a, n, m)[m];
    }
    if (n > 0) {
        value[0] = a[0];
        e[n - 1] = 0.0;
    }
    for (int first = 0; first < n; ++first) {
        int steps = 0;
        for (int last = find_end(n, value, e, first); last > first;
             last = find_end(n, value, e, first)) {
            if (++steps > MAX_STEPS) {
                return false;
            }
            ql_step(value, e, first, last);
        }
    }
    sort(n, value);
    return true;
}

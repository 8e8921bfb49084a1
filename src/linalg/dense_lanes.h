// dense_lanes.h - inner loops of small dense matrices, for one width of registers.
#include "linalg/dense_kernels.h"
#include "math/simd.h"

#include <math.h>

CN_LANE_FUNCTION CnDouble4 four_of(const double* x) {
    CnDouble4 out;
    memcpy(&out, x, sizeof out);
    return out;
}

static CN_LANE_TARGET double dot(int n, const double* a, const double* b) {
    CnDouble4 sum = {0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        sum += four_of(a + i) * four_of(b + i);
    }
    for (; i < n; ++i) {
        sum[0] += a[i] * b[i];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// The largest magnitude; NaN is passed over, as fmax() does.
static CN_LANE_TARGET double largest(int n, const double* a) {
    const CnInt4 all_but_sign = INT64_MAX - (CnInt4){0};
    CnDouble4 most = {0.0};
    double rest = 0.0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        CnDouble4 size = (CnDouble4)((CnInt4)four_of(a + i) & all_but_sign);
        CnInt4 is_larger = size > most;
        most = (CnDouble4)(((CnInt4)size & is_larger) | ((CnInt4)most & ~is_larger));
    }
    for (; i < n; ++i) {
        rest = fabs(a[i]) > rest ? fabs(a[i]) : rest;
    }
    for (int lane = 0; lane < 4; ++lane) {
        rest = most[lane] > rest ? most[lane] : rest;
    }
    return rest;
}

// y += scale x. The last four sums are made first, from numbers that no other group has changed
// yet: so a length that is no multiple of four needs no second loop.
CN_LANE_FUNCTION void add_to_row(int n, double scale, const double* x, double* y) {
    if (n >= 4) {
        CnDouble4 last = four_of(y + n - 4) + scale * four_of(x + n - 4);
        for (int i = 0; i + 4 < n; i += 4) {
            CnDouble4 sum = four_of(y + i) + scale * four_of(x + i);
            memcpy(y + i, &sum, sizeof sum);
        }
        memcpy(y + n - 4, &last, sizeof last);
        return;
    }
    for (; n > 0; --n) {
        y[n - 1] += scale * x[n - 1];
    }
}

static CN_LANE_TARGET void add_scaled(int n, double scale, const double* x, double* y) {
    add_to_row(n, scale, x, y);
}

static CN_LANE_TARGET void eliminate(int n, int k, double* a) {
    for (int i = k + 1; i < n; ++i) {
        double l = a[i * n + k] / a[k * n + k];
        a[i * n + k] = l;
        if (l != 0.0) { // matrices of contacts are full of zeros
            add_to_row(n - k - 1, -l, &a[k * n + k + 1], &a[i * n + k + 1]);
        }
    }
}

#define DENSE_KERNELS                                                                              \
    { .dot = dot, .largest = largest, .add_scaled = add_scaled, .eliminate = eliminate }

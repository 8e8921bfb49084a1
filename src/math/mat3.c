// mat3.c - 3 x 3 matrices: products, inverse, eigenvalues.
#include "math/mat3.h"

#include <float.h>

CnMat3 cn_mat3_multiply(const CnMat3* a, const CnMat3* b) {
    CnMat3 c;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
        }
    }
    return c;
}

CnMat3 cn_mat3_transpose(const CnMat3* a) {
    CnMat3 t;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            t.m[i][j] = a->m[j][i];
        }
    }
    return t;
}

CnMat3 cn_mat3_from_quat(CnQuat q) {
    double xx = 2.0 * q.x * q.x, yy = 2.0 * q.y * q.y, zz = 2.0 * q.z * q.z;
    double xy = 2.0 * q.x * q.y, xz = 2.0 * q.x * q.z, yz = 2.0 * q.y * q.z;
    double wx = 2.0 * q.w * q.x, wy = 2.0 * q.w * q.y, wz = 2.0 * q.w * q.z;
    return (CnMat3){{{1.0 - (yy + zz), xy - wz, xz + wy},
                     {xy + wz, 1.0 - (xx + zz), yz - wx},
                     {xz - wy, yz + wx, 1.0 - (xx + yy)}}};
}

CnMat3 cn_mat3_from_symmetric(const double s[6]) {
    return (CnMat3){{{s[0], s[3], s[4]}, {s[3], s[1], s[5]}, {s[4], s[5], s[2]}}};
}

// Cyclic indices give the cofactor its sign.
static double cofactor(const CnMat3* a, int row, int column) {
    int r1 = (row + 1) % 3, r2 = (row + 2) % 3;
    int c1 = (column + 1) % 3, c2 = (column + 2) % 3;
    return a->m[r1][c1] * a->m[r2][c2] - a->m[r1][c2] * a->m[r2][c1];
}

double cn_mat3_determinant(const CnMat3* a) {
    return a->m[0][0] * cofactor(a, 0, 0) + a->m[0][1] * cofactor(a, 0, 1) +
           a->m[0][2] * cofactor(a, 0, 2);
}

// The determinant's six products added without their signs: what its rounding error is
// measured against.
static double permanent_of_magnitudes(const CnMat3* a) {
    double sum = 0.0;
    for (int c = 0; c < 3; ++c) {
        int c1 = (c + 1) % 3, c2 = (c + 2) % 3;
        sum +=
            fabs(a->m[0][c]) * (fabs(a->m[1][c1] * a->m[2][c2]) + fabs(a->m[1][c2] * a->m[2][c1]));
    }
    return sum;
}

static double largest_magnitude(const CnMat3* a) {
    double largest = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            largest = fmax(largest, fabs(a->m[i][j]));
        }
    }
    return largest;
}

static CnMat3 scale_by_power_of_two(const CnMat3* a, int exponent) {
    CnMat3 scaled;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            scaled.m[i][j] = ldexp(a->m[i][j], exponent);
        }
    }
    return scaled;
}

// Adjugate over determinant, of the matrix scaled by a power of two so that products neither
// overflow nor vanish. Each of the determinant's six products sees at most five roundings of
// DBL_EPSILON / 2, so below 5/2 DBL_EPSILON times their magnitudes even its sign is unknown. The
// test does not change when rows or columns are scaled: diag(1, 1, 1e-20) is not singular.
bool cn_mat3_invert(const CnMat3* a, CnMat3* out) {
    int exponent = 0;
    frexp(largest_magnitude(a), &exponent);
    CnMat3 scaled = scale_by_power_of_two(a, -exponent);
    double determinant = cn_mat3_determinant(&scaled);
    double uncertainty = 2.5 * DBL_EPSILON * permanent_of_magnitudes(&scaled);
    if (!(fabs(determinant) > uncertainty)) { // NaN too
        return false;
    }
    CnMat3 inverse;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            inverse.m[i][j] = cofactor(&scaled, j, i) / determinant;
        }
    }
    *out = scale_by_power_of_two(&inverse, -exponent);
    return true;
}

CnMat3 cn_mat3_rotate_tensor(const CnMat3* rotation, const CnMat3* tensor) {
    CnMat3 half = cn_mat3_multiply(rotation, tensor);
    CnMat3 result;
    for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) {
            const double* r = rotation->m[j];
            result.m[i][j] = half.m[i][0] * r[0] + half.m[i][1] * r[1] + half.m[i][2] * r[2];
            result.m[j][i] = result.m[i][j];
        }
    }
    return result;
}

// One rotation in the plane (p, q) that makes s[p][q] zero (Golub and Van Loan, algorithm 8.4.1):
// t is the smaller root of t^2 + 2 tau t - 1 = 0, so the angle is at most pi/4.
static void jacobi_rotate(CnMat3* s, CnMat3* vectors, int p, int q) {
    double off = s->m[p][q];
    if (off == 0.0) {
        return;
    }
    double tau = (s->m[q][q] - s->m[p][p]) / (2.0 * off);
    double t = (tau >= 0.0 ? 1.0 : -1.0) / (fabs(tau) + sqrt(1.0 + tau * tau));
    double cosine = 1.0 / sqrt(1.0 + t * t);
    double sine = t * cosine;
    int r = 3 - p - q;
    double rp = s->m[r][p], rq = s->m[r][q];

    s->m[p][p] -= t * off;
    s->m[q][q] += t * off;
    s->m[p][q] = s->m[q][p] = 0.0;
    s->m[r][p] = s->m[p][r] = cosine * rp - sine * rq;
    s->m[r][q] = s->m[q][r] = sine * rp + cosine * rq;
    for (int i = 0; i < 3; ++i) {
        double vp = vectors->m[i][p], vq = vectors->m[i][q];
        vectors->m[i][p] = cosine * vp - sine * vq;
        vectors->m[i][q] = sine * vp + cosine * vq;
    }
}

// Negating one column of each swap keeps the determinant +1.
static void swap_eigenpairs(double values[3], CnMat3* vectors, int i, int j) {
    double value = values[i];
    values[i] = values[j];
    values[j] = value;
    for (int k = 0; k < 3; ++k) {
        double component = vectors->m[k][i];
        vectors->m[k][i] = vectors->m[k][j];
        vectors->m[k][j] = -component;
    }
}

// Convergence is quadratic: each sweep squares the ratio of the off-diagonal part to the gaps of
// the diagonal, so ten sweeps pass any double. What is then below the last place of the largest
// entry is zero to working precision.
void cn_mat3_eigen_symmetric(const CnMat3* a, double values[3], CnMat3* vectors) {
    const int max_sweeps = 10;
    int exponent = 0;
    frexp(largest_magnitude(a), &exponent);
    CnMat3 s = scale_by_power_of_two(a, -exponent);
    *vectors = (CnMat3){{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};

    for (int sweep = 0; sweep < max_sweeps; ++sweep) {
        jacobi_rotate(&s, vectors, 0, 1);
        jacobi_rotate(&s, vectors, 0, 2);
        jacobi_rotate(&s, vectors, 1, 2);
    }
    for (int i = 0; i < 3; ++i) {
        values[i] = ldexp(s.m[i][i], exponent);
    }
    for (int pass = 0; pass < 2; ++pass) { // bubble sort
        for (int i = 0; i < 2; ++i) {
            if (values[i + 1] < values[i]) {
                swap_eigenpairs(values, vectors, i, i + 1);
            }
        }
    }
}

// orientation.c - on which side of a plane a point lies, without error.
#include "geometry/hull/orientation.h"

#include "math/double_double.h"

// Six products of three factors, each the sum of four doubles.
#define MAX_TERMS 24

// The sum of doubles as an expansion (Shewchuk 1997): components that do not overlap, smallest
// first, so that the last has the sign of all.
typedef struct Expansion {
    double part[MAX_TERMS];
    int count;
} Expansion;

// Grow-expansion: the new term is pushed through all components, each keeps its rounding error.
static void add_term(Expansion* sum, double term) {
    int kept = 0;
    for (int i = 0; i < sum->count; ++i) {
        CnDoubleDouble step = cn_double_double_sum(term, sum->part[i]);
        term = step.high;
        if (step.low != 0.0) {
            sum->part[kept++] = step.low;
        }
    }
    if (term != 0.0) {
        sum->part[kept++] = term;
    }
    sum->count = kept;
}

static double value_of(const Expansion* sum) {
    double value = 0.0;
    for (int i = 0; i < sum->count; ++i) {
        value += sum->part[i];
    }
    return value;
}

// sum += sign a b
static void add_product2(Expansion* sum, double sign, double a, double b) {
    CnDoubleDouble product = cn_double_double_product(sign * a, b);
    add_term(sum, product.low);
    add_term(sum, product.high);
}

// sum += sign a b c
static void add_product3(Expansion* sum, double sign, double a, double b, double c) {
    CnDoubleDouble product = cn_double_double_product(sign * a, b);
    add_product2(sum, 1.0, product.low, c);
    add_product2(sum, 1.0, product.high, c);
}

static double exact_determinant(CnVec3 u, CnVec3 v, CnVec3 w) {
    Expansion sum = {.count = 0};
    add_product3(&sum, 1.0, u.y, v.z, w.x);
    add_product3(&sum, -1.0, u.z, v.y, w.x);
    add_product3(&sum, 1.0, u.z, v.x, w.y);
    add_product3(&sum, -1.0, u.x, v.z, w.y);
    add_product3(&sum, 1.0, u.x, v.y, w.z);
    add_product3(&sum, -1.0, u.y, v.x, w.z);
    return value_of(&sum);
}

// The plain determinant is off by at most 8 units of round-off (2^-53) of the same sum with all
// signs positive: equation (2). What is 2^8 times larger is right to two digits.
double cn_orientation(CnVec3 a, CnVec3 b, CnVec3 c, CnVec3 d) {
    const double certain = 0x1p-42;
    CnVec3 u = cn_vec3_sub(b, a), v = cn_vec3_sub(c, a), w = cn_vec3_sub(d, a);

    double yz = u.y * v.z, zy = u.z * v.y, zx = u.z * v.x;
    double xz = u.x * v.z, xy = u.x * v.y, yx = u.y * v.x;
    double determinant = (yz - zy) * w.x + (zx - xz) * w.y + (xy - yx) * w.z;
    double size = (fabs(yz) + fabs(zy)) * fabs(w.x) + (fabs(zx) + fabs(xz)) * fabs(w.y) +
                  (fabs(xy) + fabs(yx)) * fabs(w.z);
    return fabs(determinant) > certain * size ? determinant : exact_determinant(u, v, w);
}

static double exact_minor(double a, double b, double c, double d) {
    Expansion sum = {.count = 0};
    add_product2(&sum, 1.0, a, b);
    add_product2(&sum, -1.0, c, d);
    return value_of(&sum);
}

CnVec3 cn_triangle_normal(CnVec3 a, CnVec3 b, CnVec3 c) {
    CnVec3 u = cn_vec3_sub(b, a), v = cn_vec3_sub(c, a);
    return cn_vec3(exact_minor(u.y, v.z, u.z, v.y), exact_minor(u.z, v.x, u.x, v.z),
                   exact_minor(u.x, v.y, u.y, v.x));
}

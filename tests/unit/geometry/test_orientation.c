// test_orientation.c - signs of determinants against integers of any length (GMP).
#include "cairn/random.h"
#include "geometry/hull/orientation.h"
#include "support/test.h"
#include <gmp.h>

#define LARGEST 0x1p52 // coordinates at the end of what is allowed

static void add_product(mpz_t sum, double sign, double a, double b, double c) {
    mpz_t product, factor;
    mpz_init_set_d(product, sign * a);
    mpz_init_set_d(factor, b);
    mpz_mul(product, product, factor);
    mpz_set_d(factor, c);
    mpz_mul(product, product, factor);
    mpz_add(sum, sum, product);
    mpz_clears(product, factor, NULL);
}

static double true_orientation(CnVec3 a, CnVec3 b, CnVec3 c, CnVec3 d) {
    CnVec3 u = cn_vec3_sub(b, a), v = cn_vec3_sub(c, a), w = cn_vec3_sub(d, a);
    mpz_t sum;
    mpz_init(sum);
    add_product(sum, 1.0, u.x, v.y, w.z);
    add_product(sum, 1.0, u.y, v.z, w.x);
    add_product(sum, 1.0, u.z, v.x, w.y);
    add_product(sum, -1.0, u.z, v.y, w.x);
    add_product(sum, -1.0, u.x, v.z, w.y);
    add_product(sum, -1.0, u.y, v.x, w.z);
    double value = mpz_get_d(sum);
    mpz_clear(sum);
    return value;
}

static int sign(double x) {
    return (x > 0.0) - (x < 0.0);
}

static void check_orientation(CnVec3 a, CnVec3 b, CnVec3 c, CnVec3 d) {
    double value = cn_orientation(a, b, c, d), truth = true_orientation(a, b, c, d);
    CHECK_INT(sign(value), sign(truth));
    CHECK_NEAR(value, truth, 0x1p-8 * fabs(truth)); // two digits, as promised
}

static CnVec3 random_place(CnRandom* random, double size) {
    double x = cn_random_between(random, -size, size), y = cn_random_between(random, -size, size);
    return cn_vec3(rint(x), rint(y), rint(cn_random_between(random, -size, size)));
}

static void random_points_have_the_true_orientation(void) {
    CnRandom random = {11};
    for (int i = 0; i < 20000; ++i) {
        double size = ldexp(1.0, 1 + i % 52);
        CnVec3 a = random_place(&random, size), b = random_place(&random, size);
        CnVec3 c = random_place(&random, size), d = random_place(&random, size);
        check_orientation(a, b, c, d);
    }
}

// d = a + i (b - a) + k (c - a) lies in the plane; a step beside it is as near as can be.
static void points_in_a_plane_and_one_step_beside_it_are_told_apart(void) {
    CnRandom random = {12};
    int in_plane = 0;
    for (int i = 0; i < 20000; ++i) {
        CnVec3 a = random_place(&random, LARGEST / 8), b = random_place(&random, LARGEST / 8);
        CnVec3 c = random_place(&random, LARGEST / 8);
        CnVec3 d = cn_vec3_add_scaled(cn_vec3_sub(cn_vec3_add(b, c), a), i % 2 ? -1.0 : 1.0,
                                      cn_vec3_sub(c, a));
        CHECK(cn_orientation(a, b, c, d) == 0.0);
        d.x += i % 3 - 1;
        d.z += i % 5 - 2;
        check_orientation(a, b, c, d);
        in_plane += cn_orientation(a, b, c, d) == 0.0;
    }
    CHECK(in_plane >= 20000 / 15 && in_plane < 20000 / 14); // only where d was not moved
}

static void thin_triangles_have_the_true_normal(void) {
    // Beside the far end of a long edge, one step: the plain cross product has no right digit.
    CnRandom random = {13};
    for (int i = 0; i < 20000; ++i) {
        CnVec3 a = random_place(&random, LARGEST / 4), b = random_place(&random, LARGEST / 4);
        CnVec3 c = cn_vec3_add(cn_vec3_sub(cn_vec3_scale(2.0, b), a), random_place(&random, 2.0));
        CnVec3 n = cn_triangle_normal(a, b, c);
        // A determinant with a unit edge along an axis is a component of the normal.
        CnVec3 x = cn_vec3(a.x + 1.0, a.y, a.z), z = cn_vec3(a.x, a.y, a.z + 1.0);
        double nx = true_orientation(a, b, c, x), nz = true_orientation(a, b, c, z);
        CHECK_NEAR(n.x, nx, 0x1p-51 * fabs(nx));
        CHECK_NEAR(n.z, nz, 0x1p-51 * fabs(nz));
    }
}

TEST_MAIN("geometry/orientation", TEST(random_points_have_the_true_orientation),
          TEST(points_in_a_plane_and_one_step_beside_it_are_told_apart),
          TEST(thin_triangles_have_the_true_normal))

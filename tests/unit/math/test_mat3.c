// test_mat3.c - 3 x 3 matrices: known products, inverses and eigenvalues.
#include "math/mat3.h"
#include "support/shapes/random_poses.h"
#include "support/test.h"

#include <float.h>

static CnMat3 random_matrix(CnRandom* random) {
    CnMat3 a;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            a.m[i][j] = cn_random_between(random, -1.0, 1.0);
        }
    }
    return a;
}

static CnMat3 diagonal(double x, double y, double z) {
    return cn_mat3_from_symmetric((const double[6]){x, y, z, 0.0, 0.0, 0.0});
}

static double largest_difference(const CnMat3* a, const CnMat3* b) {
    double largest = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            largest = fmax(largest, fabs(a->m[i][j] - b->m[i][j]));
        }
    }
    return largest;
}

static double largest_entry(const CnMat3* a) {
    CnMat3 zero = {0};
    return largest_difference(a, &zero);
}

static void products_transposes_and_determinants_of_small_integers_are_exact(void) {
    CnMat3 a = {{{1, 2, 3}, {4, 5, 6}, {7, 8, 10}}}, b = {{{2, 0, 1}, {1, 3, 0}, {0, 1, 4}}};
    CnMat3 product = {{{4, 9, 13}, {13, 21, 28}, {22, 34, 47}}};
    CnMat3 found = cn_mat3_multiply(&a, &b);
    CHECK(largest_difference(&found, &product) == 0.0);
    CnMat3 transpose = cn_mat3_transpose(&a);
    CHECK(transpose.m[0][2] == 7.0 && transpose.m[2][0] == 3.0 && transpose.m[1][2] == 8.0);
    CHECK_NEAR(cn_mat3_determinant(&a), -3.0, 0.0);
    CHECK_NEAR(cn_mat3_determinant(&b), 25.0, 0.0);
    CnVec3 v = cn_mat3_apply(&a, cn_vec3(1, -1, 2));
    CHECK(v.x == 5.0 && v.y == 11.0 && v.z == 19.0);
}

static void symmetric_entries_are_xx_yy_zz_xy_xz_yz(void) {
    CnMat3 a = cn_mat3_from_symmetric((const double[6]){1, 2, 3, 4, 5, 6});
    CnMat3 expected = {{{1, 4, 5}, {4, 2, 6}, {5, 6, 3}}};
    CHECK(largest_difference(&a, &expected) == 0.0);
}

static void a_rotation_matrix_turns_vectors_like_its_quaternion(void) {
    CnRandom random = {1};
    for (int i = 0; i < 1000; ++i) {
        CnQuat q = random_turn(&random);
        CnVec3 v = cn_vec3(cn_random_between(&random, -1.0, 1.0), 0.5, -0.25);
        CnMat3 a = cn_mat3_from_quat(q);
        CnVec3 difference = cn_vec3_sub(cn_mat3_apply(&a, v), cn_quat_rotate(q, v));
        CHECK_NEAR(cn_vec3_length(difference), 0.0, 20 * DBL_EPSILON); // some 20 roundings near 1
    }
}

// A cofactor is wrong by epsilon s1^2 and is divided by s1 s2 s3 (the singular values); times A
// again that is s1^2 / (s2 s3), at most the square of the condition number.
static void a_matrix_times_its_inverse_is_the_identity(void) {
    CnRandom random = {2};
    CnMat3 identity = diagonal(1.0, 1.0, 1.0);
    for (int i = 0; i < 10000; ++i) {
        CnMat3 a = random_matrix(&random), inverse;
        CHECK(cn_mat3_invert(&a, &inverse));
        CnMat3 left = cn_mat3_multiply(&inverse, &a), right = cn_mat3_multiply(&a, &inverse);
        double size = largest_entry(&a) * largest_entry(&inverse);
        CHECK_NEAR(largest_difference(&left, &identity), 0.0, 30 * DBL_EPSILON * size * size);
        CHECK_NEAR(largest_difference(&right, &identity), 0.0, 30 * DBL_EPSILON * size * size);
    }
}

static void the_inverse_of_an_integer_matrix_is_known(void) {
    CnMat3 a = {{{1, 2, 3}, {4, 5, 6}, {7, 8, 10}}}, inverse;
    CnMat3 expected = {{{-2.0 / 3, -4.0 / 3, 1}, {-2.0 / 3, 11.0 / 3, -2}, {1, -2, 1}}};
    CHECK(cn_mat3_invert(&a, &inverse));
    CHECK_NEAR(largest_difference(&inverse, &expected), 0.0, 4 * DBL_EPSILON);
}

static void scale_does_not_make_a_matrix_singular(void) {
    const double scales[] = {1e-300, 1e-20, 1.0, 1e20, 1e300};
    for (int i = 0; i < 5; ++i) {
        CnMat3 a = diagonal(2.0 * scales[i], 4.0 * scales[i], 8.0 * scales[i]), inverse;
        CHECK(cn_mat3_invert(&a, &inverse));
        CHECK_NEAR(inverse.m[0][0] * scales[i], 0.5, DBL_EPSILON);
        CHECK_NEAR(inverse.m[2][2] * scales[i], 0.125, DBL_EPSILON);
    }
    CnMat3 thin = diagonal(1.0, 1.0, 1e-20), inverse;
    CHECK(cn_mat3_invert(&thin, &inverse));
    CHECK_NEAR(inverse.m[2][2], 1e20, 1e20 * 2 * DBL_EPSILON);
}

static void singular_matrices_are_refused_and_leave_the_output_alone(void) {
    CnRandom random = {3};
    CnMat3 untouched = diagonal(7.0, 7.0, 7.0);
    CnMat3 zero = {0}, broken = diagonal(1.0, (double)NAN, 1.0), inverse = untouched;
    CHECK(!cn_mat3_invert(&zero, &inverse));
    CHECK(!cn_mat3_invert(&broken, &inverse));
    for (int i = 0; i < 1000; ++i) { // the third row is the sum of the others, as far as rounding
        CnMat3 a = random_matrix(&random);
        for (int j = 0; j < 3; ++j) {
            a.m[0][j] = floor(a.m[0][j] * 0x1p40);
            a.m[1][j] = floor(a.m[1][j] * 0x1p40);
            a.m[2][j] = a.m[0][j] + a.m[1][j];
        }
        CHECK(!cn_mat3_invert(&a, &inverse));
    }
    CHECK(largest_difference(&inverse, &untouched) == 0.0);
}

static void a_rotated_tensor_is_symmetric_to_the_bit_and_keeps_its_trace(void) {
    CnRandom random = {4};
    CnMat3 inertia = diagonal(1.0, 2.0, 2.5);
    for (int i = 0; i < 1000; ++i) {
        CnMat3 r = cn_mat3_from_quat(random_turn(&random));
        CnMat3 turned = cn_mat3_rotate_tensor(&r, &inertia);
        CnMat3 transpose = cn_mat3_transpose(&turned);
        CHECK(largest_difference(&turned, &transpose) == 0.0);
        double trace = turned.m[0][0] + turned.m[1][1] + turned.m[2][2];
        CHECK_NEAR(trace, 5.5, 5.5 * 20 * DBL_EPSILON);
        CHECK_NEAR(cn_mat3_determinant(&turned), 5.0, 5.0 * 40 * DBL_EPSILON);
    }
    CnMat3 quarter = {{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}}; // about z: x and y change places
    CnMat3 turned = cn_mat3_rotate_tensor(&quarter, &inertia);
    CnMat3 expected = diagonal(2.0, 1.0, 2.5);
    CHECK(largest_difference(&turned, &expected) == 0.0);
}

static void check_eigen(const CnMat3* a, double tolerance) {
    double values[3];
    CnMat3 v;
    cn_mat3_eigen_symmetric(a, values, &v);
    CHECK(values[0] <= values[1] && values[1] <= values[2]);
    CnMat3 spectrum = diagonal(values[0], values[1], values[2]), identity = diagonal(1, 1, 1);
    CnMat3 rebuilt = cn_mat3_rotate_tensor(&v, &spectrum);
    CHECK_NEAR(largest_difference(&rebuilt, a), 0.0, tolerance);
    CnMat3 transpose = cn_mat3_transpose(&v);
    CnMat3 gram = cn_mat3_multiply(&transpose, &v);
    CHECK_NEAR(largest_difference(&gram, &identity), 0.0, 60 * DBL_EPSILON); // 30 rotations
    CHECK_NEAR(cn_mat3_determinant(&v), 1.0, 60 * DBL_EPSILON);
}

static void eigenpairs_rebuild_the_matrix(void) {
    CnRandom random = {5};
    for (int i = 0; i < 10000; ++i) {
        double scale = ldexp(1.0, (int)cn_random_between(&random, -200.0, 200.0));
        double s[6];
        for (int k = 0; k < 6; ++k) {
            s[k] = scale * cn_random_between(&random, -1.0, 1.0);
        }
        CnMat3 a = cn_mat3_from_symmetric(s);
        check_eigen(&a, scale * 100 * DBL_EPSILON);
    }
}

static void equal_zero_and_nearly_equal_eigenvalues_are_no_trouble(void) {
    CnRandom random = {6};
    const double spectra[][3] = {
        {0, 0, 0},     {1, 1, 1}, {0, 0, 1}, {1, 1, 2}, {1, 1 + 1e-14, 1 + 2e-14},
        {1e-16, 1, 1}, {-1, 0, 1}};
    for (int k = 0; k < 7; ++k) {
        CnMat3 d = diagonal(spectra[k][2], spectra[k][0], spectra[k][1]);
        check_eigen(&d, 0.0);
        for (int i = 0; i < 100; ++i) {
            CnMat3 r = cn_mat3_from_quat(random_turn(&random));
            CnMat3 a = cn_mat3_rotate_tensor(&r, &d);
            check_eigen(&a, 100 * DBL_EPSILON);
        }
    }
}

static void the_eigenvalues_of_a_chain_of_springs_are_known(void) {
    // Tridiagonal (-1, 2, -1): 2 - sqrt 2, 2, 2 + sqrt 2.
    CnMat3 chain = {{{2, -1, 0}, {-1, 2, -1}, {0, -1, 2}}}, vectors;
    double values[3];
    cn_mat3_eigen_symmetric(&chain, values, &vectors);
    CHECK_NEAR(values[0], 2.0 - sqrt(2.0), 8 * DBL_EPSILON);
    CHECK_NEAR(values[1], 2.0, 8 * DBL_EPSILON);
    CHECK_NEAR(values[2], 2.0 + sqrt(2.0), 8 * DBL_EPSILON);
    CHECK_NEAR(fabs(vectors.m[0][1]), sqrt(0.5), 8 * DBL_EPSILON);
    CHECK_NEAR(vectors.m[1][1], 0.0, 8 * DBL_EPSILON);
}

TEST_MAIN("math/mat3", TEST(products_transposes_and_determinants_of_small_integers_are_exact),
          TEST(symmetric_entries_are_xx_yy_zz_xy_xz_yz),
          TEST(a_rotation_matrix_turns_vectors_like_its_quaternion),
          TEST(a_matrix_times_its_inverse_is_the_identity),
          TEST(the_inverse_of_an_integer_matrix_is_known),
          TEST(scale_does_not_make_a_matrix_singular),
          TEST(singular_matrices_are_refused_and_leave_the_output_alone),
          TEST(a_rotated_tensor_is_symmetric_to_the_bit_and_keeps_its_trace),
          TEST(eigenpairs_rebuild_the_matrix),
          TEST(equal_zero_and_nearly_equal_eigenvalues_are_no_trouble),
          TEST(the_eigenvalues_of_a_chain_of_springs_are_known))

// test_friction_cone.c - the projection is the nearest point, and splits space in two.
#include "constraints/problem/friction_cone.h"

#include "cairn/random.h"
#include "support/test.h"

static const double frictions[] = {0.0, 0.1, 0.7, 1.0, 3.0};

static double distance(const double* a, const double* b, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sqrt(sum);
}

static void random_point(CnRandom* random, double* p) {
    for (int i = 0; i < 3; ++i) {
        p[i] = cn_random_between(random, -2.0, 2.0);
    }
}

static bool is_inside(double mu, int n, const double* p, double slack) {
    double tangent = n == 2 ? fabs(p[1]) : sqrt(p[1] * p[1] + p[2] * p[2]);
    return tangent <= mu * p[0] + slack && p[0] >= -slack;
}

static void projecting_twice_is_projecting_once(void) {
    CnRandom random = {1};
    for (int k = 0; k < 10000; ++k) {
        double p[3], once[3], twice[3];
        double mu = frictions[k % 5];
        int n = 2 + k % 2;
        random_point(&random, p);
        cn_friction_cone_project(mu, n, p, once);
        cn_friction_cone_project(mu, n, once, twice);
        CHECK(is_inside(mu, n, once, 1e-15 * 10.0)); // |p| < 4: some units in the last place
        CHECK(distance(once, twice, n) <= 1e-15 * 10.0);
    }
}

// Against 20,000 other points of the cone, of which none may be nearer.
static void the_projection_is_the_nearest_point(void) {
    CnRandom random = {2};
    for (int k = 0; k < 20; ++k) {
        double p[3], nearest[3];
        double mu = frictions[1 + k % 4];
        random_point(&random, p);
        cn_friction_cone_project(mu, 3, p, nearest);
        double best = distance(p, nearest, 3);
        for (int i = 0; i < 20000; ++i) {
            double normal = cn_random_between(&random, 0.0, 4.0);
            double radius = mu * normal * cn_random_between(&random, 0.0, 1.0);
            double angle = cn_random_between(&random, 0.0, 2.0 * CN_PI);
            const double other[3] = {normal, radius * cos(angle), radius * sin(angle)};
            CHECK(distance(p, other, 3) >= best - 1e-15);
        }
    }
}

// Moreau: p = P_K(p) + P_polar(p), the parts orthogonal. Points y of the polar satisfy
// mu |y_T| <= -y_N.
static void space_splits_into_the_cone_and_its_polar(void) {
    CnRandom random = {3};
    for (int k = 0; k < 10000; ++k) {
        double p[3], in[3], out[3];
        double mu = frictions[k % 5];
        random_point(&random, p);
        cn_friction_cone_project(mu, 3, p, in);
        for (int i = 0; i < 3; ++i) {
            out[i] = p[i] - in[i];
        }
        double product = in[0] * out[0] + in[1] * out[1] + in[2] * out[2];
        CHECK_NEAR(product, 0.0, 1e-14); // products of numbers below 4
        CHECK(mu * sqrt(out[1] * out[1] + out[2] * out[2]) <= -out[0] + 1e-14);
    }
}

static void output_may_be_input(void) {
    double p[3] = {-1.0, 3.0, 4.0}, q[3];
    cn_friction_cone_project(0.5, 3, p, q);
    cn_friction_cone_project(0.5, 3, p, p);
    CHECK(memcmp(p, q, sizeof p) == 0);
    double u[3] = {1.0, 3.0, 4.0};
    cn_friction_cone_shift(0.5, 3, u, u);
    CHECK_NEAR(u[0], 1.0 + 0.5 * 5.0, 1e-15);
    CHECK(u[1] == 3.0 && u[2] == 4.0);
}

TEST_MAIN("constraints/friction_cone", TEST(projecting_twice_is_projecting_once),
          TEST(the_projection_is_the_nearest_point), TEST(space_splits_into_the_cone_and_its_polar),
          TEST(output_may_be_input))

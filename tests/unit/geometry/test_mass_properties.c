// test_mass_properties.c - mass, centre and inertia against closed forms and against counting.
#include "cairn/random.h"
#include "geometry/mass_properties.h"
#include "support/test.h"

static const CnShape small_ball = {
    .type = CN_SHAPE_SPHERE, .local.position = {-0.5, 0.2, 0.1}, .radius = 0.3};
static const CnShape large_ball = {
    .type = CN_SHAPE_SPHERE, .local.position = {0.7, -0.4, 0.6}, .radius = 0.5};
#define SMALL_DENSITY 3000.0 // [kg/m^3]
#define LARGE_DENSITY 1000.0

static CnMassProperties mass_of(const CnShape* shape, double density) {
    CnMassProperties mass = {0};
    CHECK(cn_shape_mass_properties(shape, density, &mass));
    return mass;
}

static CnMassProperties dumbbell(void) {
    CnMassProperties total = {0};
    CnMassProperties first = mass_of(&small_ball, SMALL_DENSITY);
    CnMassProperties second = mass_of(&large_ball, LARGE_DENSITY);
    cn_mass_properties_add(&total, &first);
    cn_mass_properties_add(&total, &second);
    return total;
}

static void a_ball_has_mass_four_thirds_pi_r3_and_inertia_two_fifths_m_r2(void) {
    // Radius 0.3 m, 3000 kg/m^3: m = 4/3 pi 0.027 * 3000 = 108 pi; I = 0.4 * 0.09 m. Round-off:
    // five operations on 340.
    CnMassProperties ball = mass_of(&small_ball, SMALL_DENSITY);
    CHECK_NEAR(ball.mass, 108.0 * CN_PI, 3e-13);
    CHECK(ball.center.x == -0.5 && ball.center.y == 0.2 && ball.center.z == 0.1);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(ball.inertia[i], 0.036 * 108.0 * CN_PI, 2e-14);
        CHECK(ball.inertia[3 + i] == 0.0);
    }
}

static void a_plane_has_no_mass(void) {
    CnShape plane = {.type = CN_SHAPE_PLANE, .normal = {0.0, 0.0, 1.0}};
    CnMassProperties untouched = {.mass = 7.0};
    CHECK(!cn_shape_mass_properties(&plane, 1000.0, &untouched));
    CHECK(untouched.mass == 7.0);
}

static void two_balls_on_a_line_obey_steiner(void) {
    // Masses m and 3 m at x = 0 and x = 4: centre at 3; about it the distances are 3 and 1, so the
    // transverse moments are I1 + I2 + 9 m + 3 m, and the axial one I1 + I2.
    CnMassProperties total = {.mass = 2.0, .inertia = {0.1, 0.2, 0.3}};
    CnMassProperties part = {.mass = 6.0, .center = {4.0, 0.0, 0.0}, .inertia = {0.4, 0.5, 0.6}};
    cn_mass_properties_add(&total, &part);
    CHECK_NEAR(total.mass, 8.0, 0.0);
    CHECK_NEAR(total.center.x, 3.0, 0.0);
    CHECK_NEAR(total.inertia[0], 0.5, 1e-15);
    CHECK_NEAR(total.inertia[1], 0.7 + 24.0, 1e-14); // round-off of 25
    CHECK_NEAR(total.inertia[2], 0.9 + 24.0, 1e-14);
    CHECK(total.inertia[3] == 0.0 && total.inertia[4] == 0.0 && total.inertia[5] == 0.0);
}

static void products_of_inertia_have_the_sign_of_the_tensor(void) {
    // Equal masses 1 at +-(1, 2, 3): I = 2 (|d|^2 I - d d^T), so xy = -2 * 2, xz = -2 * 3,
    // yz = -2 * 6, exact in small integers.
    CnMassProperties total = {.mass = 1.0, .center = {1.0, 2.0, 3.0}};
    CnMassProperties part = {.mass = 1.0, .center = {-1.0, -2.0, -3.0}};
    const double expected[6] = {26.0, 20.0, 10.0, -4.0, -6.0, -12.0};
    cn_mass_properties_add(&total, &part);
    for (int i = 0; i < 6; ++i) {
        CHECK_NEAR(total.inertia[i], expected[i], 0.0);
    }
}

static bool is_inside(const CnShape* ball, CnVec3 p) {
    CnVec3 d = cn_vec3_sub(p, ball->local.position);
    return cn_vec3_dot(d, d) <= ball->radius * ball->radius;
}

// The six entries of |d|^2 I - d d^T.
static void point_inertia(CnVec3 d, double out[6]) {
    out[0] = d.y * d.y + d.z * d.z;
    out[1] = d.x * d.x + d.z * d.z;
    out[2] = d.x * d.x + d.y * d.y;
    out[3] = -d.x * d.y;
    out[4] = -d.x * d.z;
    out[5] = -d.y * d.z;
}

static void two_balls_agree_with_random_counting(void) {
    // Uniform points in a box around both: a sum over N samples g_k of volume-weighted density
    // estimates an integral with standard deviation V sqrt(mean(g^2) - mean(g)^2) / sqrt(N), which
    // the samples themselves give. Five of those, with a fixed seed; a wrong Steiner sign is
    // hundreds away.
    enum { SAMPLES = 400000, QUANTITIES = 10 };
    CnMassProperties total = dumbbell();
    CnVec3 low = cn_vec3(-0.9, -1.0, -0.3), high = cn_vec3(1.3, 0.6, 1.2);
    double volume = (high.x - low.x) * (high.y - low.y) * (high.z - low.z);
    double sum[QUANTITIES] = {0.0}, square[QUANTITIES] = {0.0};
    CnRandom random = {11};

    for (int k = 0; k < SAMPLES; ++k) {
        double x = cn_random_between(&random, low.x, high.x);
        double y = cn_random_between(&random, low.y, high.y);
        double z = cn_random_between(&random, low.z, high.z);
        CnVec3 p = cn_vec3(x, y, z);
        double density = is_inside(&small_ball, p)   ? SMALL_DENSITY
                         : is_inside(&large_ball, p) ? LARGE_DENSITY
                                                     : 0.0;
        double g[QUANTITIES] = {1.0, p.x, p.y, p.z};
        point_inertia(cn_vec3_sub(p, total.center), &g[4]);
        for (int i = 0; i < QUANTITIES; ++i) {
            sum[i] += density * g[i];
            square[i] += density * g[i] * density * g[i];
        }
    }
    const double expected[QUANTITIES] = {
        total.mass,
        total.mass * total.center.x,
        total.mass * total.center.y,
        total.mass * total.center.z,
        total.inertia[0],
        total.inertia[1],
        total.inertia[2],
        total.inertia[3],
        total.inertia[4],
        total.inertia[5],
    };
    for (int i = 0; i < QUANTITIES; ++i) {
        double mean = sum[i] / SAMPLES;
        double deviation = sqrt((square[i] / SAMPLES - mean * mean) / SAMPLES);
        CHECK_NEAR(volume * mean, expected[i], 5.0 * volume * deviation);
    }
}

static void the_order_of_parts_does_not_matter(void) {
    // Ten balls forwards and backwards: equal but for round-off, about ten additions of numbers of
    // the size of the result.
    enum { BALLS = 10 };
    CnMassProperties balls[BALLS], forward = {0}, backward = {0};
    CnRandom random = {12};

    for (int i = 0; i < BALLS; ++i) {
        double x = cn_random_between(&random, -2.0, 2.0), y = cn_random_between(&random, -2.0, 2.0);
        double z = cn_random_between(&random, -2.0, 2.0);
        CnShape ball = {.type = CN_SHAPE_SPHERE,
                        .local.position = {x, y, z},
                        .radius = cn_random_between(&random, 0.1, 0.5)};
        balls[i] = mass_of(&ball, 1000.0);
    }
    for (int i = 0; i < BALLS; ++i) {
        cn_mass_properties_add(&forward, &balls[i]);
        cn_mass_properties_add(&backward, &balls[BALLS - 1 - i]);
    }
    double scale = forward.inertia[0] + forward.inertia[1] + forward.inertia[2];
    CHECK_NEAR(forward.mass, backward.mass, 1e-14 * forward.mass);
    CHECK_NEAR(cn_vec3_length(cn_vec3_sub(forward.center, backward.center)), 0.0, 1e-14);
    for (int i = 0; i < 6; ++i) {
        CHECK_NEAR(forward.inertia[i], backward.inertia[i], 1e-14 * scale);
    }
}

static void nothing_added_to_nothing_is_nothing(void) {
    CnMassProperties total = {0}, part = {0};
    cn_mass_properties_add(&total, &part);
    CHECK(total.mass == 0.0 && cn_vec3_is_finite(total.center) && total.inertia[0] == 0.0);
}

TEST_MAIN("unit/geometry/mass_properties",
          TEST(a_ball_has_mass_four_thirds_pi_r3_and_inertia_two_fifths_m_r2),
          TEST(a_plane_has_no_mass), TEST(two_balls_on_a_line_obey_steiner),
          TEST(products_of_inertia_have_the_sign_of_the_tensor),
          TEST(two_balls_agree_with_random_counting), TEST(the_order_of_parts_does_not_matter),
          TEST(nothing_added_to_nothing_is_nothing))

// test_kinds.c - the example constraints say what they measure, and the checker catches lies.
//
// Tolerance of the checker at the states drawn here (positions to 3 m, speeds to 3.5 m/s and rad/s,
// points at least 0.5 m apart): differences of C lose (3/2) 2^-53 |C| / h with h = 2^-15, about
// 5e-12 per metre; differences of the rate up to 12 m/s lose as much per m/s with h = 2^-17, about
// 3e-10. Truncation, h^4/30 / 0.5^4, is far below. Roundings of the carried points add a few more.
#include "cairn/random.h"
#include "constraints/joints/kind.h"
#include "constraints/joints/user_rows.h"
#include "support/shapes/random_poses.h"
#include "support/test.h"

#define STATES 500
#define JACOBIAN_TOLERANCE 1e-10 // [1 or m]
#define BIAS_TOLERANCE 2e-9      // [m/s^2]

static CnBodyState random_state(CnRandom* random) {
    return (CnBodyState){
        .center = random_within(random, 1.5),
        .rotation = cn_quat_exp(random_within(random, 3.0)),
        .velocity = random_within(random, 2.0),
        .angular_velocity = random_within(random, 2.0),
    };
}

static CnVec3 carried_point(const CnBodyState* state, CnVec3 point) {
    return cn_vec3_add(state->center, cn_quat_rotate(state->rotation, point));
}

static CnConstraintCheck checked(const CnConstraintKind* kind, const CnBodyState* a,
                                 const CnBodyState* b, double time, const void* data) {
    CnConstraintCheck check;
    CnError error = {0};
    CnStatus status = cn_constraint_check(kind, a, b, time, data, &check, &error);
    ck_assert_msg(status == CN_OK, "%s", error.message);
    return check;
}

static void check_is_right(const CnConstraintKind* kind, const CnBodyState* a, const CnBodyState* b,
                           double time, const void* data) {
    CnConstraintCheck check = checked(kind, a, b, time, data);
    CHECK_NEAR(check.jacobian_error, 0.0, JACOBIAN_TOLERANCE);
    CHECK_NEAR(check.time_rate_error, 0.0, JACOBIAN_TOLERANCE);
    CHECK_NEAR(check.acceleration_bias_error, 0.0, BIAS_TOLERANCE);
}

// The distance kinds

static void distance_derivatives_agree_with_differences(void) {
    CnRandom random = {1};
    for (int i = 0; i < STATES;) {
        CnBodyState a = random_state(&random), b = random_state(&random);
        CnDistanceData data = {random_within(&random, 1.0), random_within(&random, 1.0), 1.2};
        CnVec3 across =
            cn_vec3_sub(carried_point(&b, data.point_b), carried_point(&a, data.point_a));
        if (cn_vec3_length(across) >= 0.5) {
            check_is_right(cn_distance_kind(), &a, &b, 0.7, &data);
            ++i;
        }
    }
}

static void anchor_distance_derivatives_agree_with_differences(void) {
    CnRandom random = {2};
    for (int i = 0; i < STATES;) {
        CnBodyState a = random_state(&random);
        CnAnchorDistanceData data = {random_within(&random, 1.0), random_within(&random, 1.5), 0.8};
        CnVec3 across = cn_vec3_sub(carried_point(&a, data.point_a), data.anchor);
        if (cn_vec3_length(across) >= 0.5) {
            check_is_right(cn_anchor_distance_kind(), &a, NULL, 0.7, &data);
            ++i;
        }
    }
}

static void distance_is_a_hand_computed_number(void) {
    // A quarter turn about z takes A's point (1, 0, 0) to (0, 1, 0); B's point is (3, 5, 0). Across
    // is (3, 4, 0): distance 5, direction (0.6, 0.8, 0). Round-off of a few operations near 5.
    CnBodyState a = {.rotation = cn_quat_from_axis_angle(cn_vec3(0.0, 0.0, 1.0), 0.5 * CN_PI)};
    CnBodyState b = {.center = {3.0, 5.0, 0.0}, .rotation = cn_quat_identity()};
    CnDistanceData data = {.point_a = {1.0, 0.0, 0.0}, .length = 2.0};
    double value, row_a[6], row_b[6];

    cn_distance_kind()->evaluate(&a, &b, 0.0, &data, &value);
    cn_distance_kind()->jacobian(&a, &b, 0.0, &data, row_a, row_b);
    const double expected_a[6] = {-0.6, -0.8, 0.0, 0.0, 0.0, 0.6}; // -(r x n), r = (0, 1, 0)
    const double expected_b[6] = {0.6, 0.8, 0.0, 0.0, 0.0, 0.0};
    CHECK_NEAR(value, 3.0, 4e-15);
    for (int i = 0; i < 6; ++i) {
        CHECK_NEAR(row_a[i], expected_a[i], 1e-15);
        CHECK_NEAR(row_b[i], expected_b[i], 1e-15);
    }
}

static void a_stretched_rod_turning_alone_has_its_centripetal_bias(void) {
    // One body turns at 3 rad/s about its centre with a point at radius 2, the anchor is 1 m
    // further out: d = -1 along x, the point moves at 6 m/s across it. d2C/dt2 = 36 / 1, plus the
    // centripetal -18 along x seen along n = -x: +18. Together 54.
    CnBodyState a = {.rotation = cn_quat_identity(), .angular_velocity = {0.0, 0.0, 3.0}};
    CnAnchorDistanceData data = {{2.0, 0.0, 0.0}, {3.0, 0.0, 0.0}, 1.0};
    double bias;
    cn_anchor_distance_kind()->acceleration_bias(&a, NULL, 0.0, &data, &bias);
    CHECK_NEAR(bias, 54.0, 1e-13); // a few roundings of 54
}

static void coinciding_points_fall_back_to_the_z_direction(void) {
    CnBodyState a = {.center = {1.0, 2.0, 3.0}, .rotation = cn_quat_identity()};
    CnBodyState b = a;
    CnDistanceData data = {.length = 1.0};
    double value, bias, row_a[6], row_b[6];

    a.velocity = cn_vec3(1.0, 2.0, 3.0);
    cn_distance_kind()->evaluate(&a, &b, 0.0, &data, &value);
    cn_distance_kind()->jacobian(&a, &b, 0.0, &data, row_a, row_b);
    cn_distance_kind()->acceleration_bias(&a, &b, 0.0, &data, &bias);
    CHECK(value == -1.0);
    CHECK(bias == 0.0);
    CHECK(row_b[0] == 0.0 && row_b[1] == 0.0 && row_b[2] == 1.0 && row_a[2] == -1.0);
}

static void distance_does_not_change_when_both_bodies_move_together(void) {
    // A rigid motion of the pair: v_i = v + w x x_i. No distance can change: J v is round-off of
    // terms up to 20 m/s.
    CnRandom random = {3};
    for (int i = 0; i < STATES; ++i) {
        CnBodyState a = random_state(&random), b = random_state(&random);
        CnDistanceData data = {random_within(&random, 1.0), random_within(&random, 1.0), 1.0};
        CnVec3 v = random_within(&random, 2.0), w = random_within(&random, 2.0);
        double rate;
        a.angular_velocity = b.angular_velocity = w;
        a.velocity = cn_vec3_add(v, cn_vec3_cross(w, a.center));
        b.velocity = cn_vec3_add(v, cn_vec3_cross(w, b.center));
        cn_constraint_rate(cn_distance_kind(), &a, &b, 0.0, &data, &rate);
        CHECK_NEAR(rate, 0.0, 2e-14);
    }
}

// The pin

static void pin_derivatives_agree_with_differences(void) {
    CnRandom random = {4};
    for (int i = 0; i < STATES; ++i) {
        CnBodyState a = random_state(&random);
        CnPinData data = {random_within(&random, 1.0), random_within(&random, 1.5)};
        check_is_right(cn_pin_kind(), &a, NULL, 0.0, &data);
    }
}

// The unit quaternion

static void unit_quaternion_row_is_zero_in_velocities_to_the_bit(void) {
    CnRandom random = {5};
    for (int i = 0; i < STATES; ++i) {
        CnBodyState a = random_state(&random);
        double row_a[1][6], row_b[1][6] = {{1.0, 1.0, 1.0, 1.0, 1.0, 1.0}};
        cn_constraint_velocity_jacobian(cn_unit_quaternion_kind(), &a, NULL, 0.0, NULL, row_a,
                                        row_b);
        for (int j = 0; j < 6; ++j) {
            CHECK(row_a[0][j] == 0.0);
            CHECK(row_b[0][j] == 0.0); // one body: the other row is cleared
        }
        check_is_right(cn_unit_quaternion_kind(), &a, NULL, 0.0, NULL);
    }
}

static void unit_quaternion_reports_how_far_the_sphere_was_left(void) {
    CnBodyState a = {.rotation = {1.5, 0.0, 0.0, 0.0}};
    double value;
    cn_unit_quaternion_kind()->evaluate(&a, NULL, 0.0, NULL, &value);
    CHECK(value == 1.25); // 1.5^2 - 1, exact
}

// A kind in pose coordinates that velocities do see: the z component of the body's z axis, which
// is 1 - 2 (x^2 + y^2) for a unit quaternion, and the height of the centre, as two rows.

static void upright_evaluate(const CnBodyState* a, const CnBodyState* b, double time,
                             const void* data, double* value) {
    (void)b, (void)time, (void)data;
    CnQuat q = a->rotation;
    value[0] = 1.0 - 2.0 * (q.x * q.x + q.y * q.y);
    value[1] = a->center.z;
}

static void upright_jacobian(const CnBodyState* a, const CnBodyState* b, double time,
                             const void* data, double* jacobian_a, double* jacobian_b) {
    (void)b, (void)time, (void)data, (void)jacobian_b;
    jacobian_a[4] = -4.0 * a->rotation.x; // the rest is zero already
    jacobian_a[5] = -4.0 * a->rotation.y;
    jacobian_a[7 + 2] = 1.0;
}

static const CnConstraintKind upright_kind = {
    .name = "upright",
    .body_count = 1,
    .dimension = 2,
    .coordinates = CN_COORDINATES_POSE,
    .evaluate = upright_evaluate,
    .jacobian = upright_jacobian,
};

static void pose_rows_are_mapped_to_velocities(void) {
    CnRandom random = {6};
    for (int i = 0; i < STATES; ++i) {
        CnBodyState a = random_state(&random);
        check_is_right(&upright_kind, &a, NULL, 0.0, NULL);

        // z_body . e_z changes with w as (z_body x e_z) . w: the map against plain geometry, to
        // a few roundings of numbers below 1.
        CnVec3 axis = cn_quat_rotate(a.rotation, cn_vec3(0.0, 0.0, 1.0));
        CnVec3 expected = cn_vec3_cross(axis, cn_vec3(0.0, 0.0, 1.0));
        double row[2][6];
        cn_constraint_velocity_jacobian(&upright_kind, &a, NULL, 0.0, NULL, row, NULL);
        CHECK_NEAR(row[0][3], expected.x, 4e-15);
        CHECK_NEAR(row[0][4], expected.y, 4e-15);
        CHECK_NEAR(row[0][5], expected.z, 4e-15);
        CHECK(row[1][2] == 1.0 && row[0][0] == 0.0);
    }
}

static void pose_kind_without_bias_gets_it_by_differences(void) {
    // The axis z_body turns with constant w: its second derivative is w x (w x z_body).
    CnRandom random = {7};
    for (int i = 0; i < STATES; ++i) {
        CnBodyState a = random_state(&random);
        CnVec3 w = a.angular_velocity, axis = cn_quat_rotate(a.rotation, cn_vec3(0.0, 0.0, 1.0));
        double bias[2];
        cn_constraint_acceleration_bias(&upright_kind, &a, NULL, 0.0, NULL, bias);
        CHECK_NEAR(bias[0], cn_vec3_cross(w, cn_vec3_cross(w, axis)).z, BIAS_TOLERANCE);
        CHECK_NEAR(bias[1], 0.0, BIAS_TOLERANCE);
    }
}

// A kind that depends on time: the distance of the centre from an anchor that swings along x.

typedef struct Shaker {
    double amplitude, frequency, length; // [m], [rad/s], [m]
} Shaker;

static CnVec3 shaker_across(const CnBodyState* a, double time, const Shaker* shaker) {
    double x = shaker->amplitude * cn_sin(shaker->frequency * time);
    return cn_vec3_sub(a->center, cn_vec3(x, 0.0, 0.0));
}

static void shaker_evaluate(const CnBodyState* a, const CnBodyState* b, double time,
                            const void* data, double* value) {
    (void)b;
    const Shaker* shaker = data;
    value[0] = cn_vec3_length(shaker_across(a, time, shaker)) - shaker->length;
}

static void shaker_jacobian(const CnBodyState* a, const CnBodyState* b, double time,
                            const void* data, double* jacobian_a, double* jacobian_b) {
    (void)b, (void)jacobian_b;
    CnVec3 n = cn_vec3_normalize(shaker_across(a, time, data));
    jacobian_a[0] = n.x;
    jacobian_a[1] = n.y;
    jacobian_a[2] = n.z;
}

static void shaker_time_rate(const CnBodyState* a, const CnBodyState* b, double time,
                             const void* data, double* rate) {
    (void)b;
    const Shaker* shaker = data;
    double speed = shaker->amplitude * shaker->frequency * cn_cos(shaker->frequency * time);
    rate[0] = -speed * cn_vec3_normalize(shaker_across(a, time, shaker)).x;
}

static void shaker_bias(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                        double* bias) {
    (void)b;
    const Shaker* shaker = data;
    CnVec3 across = shaker_across(a, time, shaker);
    CnVec3 n = cn_vec3_normalize(across);
    double w = shaker->frequency, speed = shaker->amplitude * w * cn_cos(w * time);
    CnVec3 rate = cn_vec3_sub(a->velocity, cn_vec3(speed, 0.0, 0.0));
    double along = cn_vec3_dot(n, rate);
    double acceleration = -shaker->amplitude * w * w * cn_sin(w * time);
    bias[0] =
        (cn_vec3_dot(rate, rate) - along * along) / cn_vec3_length(across) - n.x * acceleration;
}

static const CnConstraintKind shaker_kind = {
    .name = "shaker",
    .body_count = 1,
    .dimension = 1,
    .evaluate = shaker_evaluate,
    .jacobian = shaker_jacobian,
    .time_rate = shaker_time_rate,
    .acceleration_bias = shaker_bias,
};

static const Shaker shaker = {.amplitude = 0.5, .frequency = 4.0, .length = 1.0};

static CnBodyState random_shaken_state(CnRandom* random) {
    CnBodyState a = random_state(random);
    a.center.z = 1.0; // at least 1 m from the anchor
    return a;
}

static void a_moving_anchor_agrees_with_differences_in_time(void) {
    CnRandom random = {8};
    for (int i = 0; i < STATES; ++i) {
        CnBodyState a = random_shaken_state(&random);
        check_is_right(&shaker_kind, &a, NULL, cn_random_between(&random, 0.0, 10.0), &shaker);
    }
}

static void the_difference_bias_feels_the_explicit_time(void) {
    CnConstraintKind without = shaker_kind;
    without.acceleration_bias = NULL;
    CnRandom random = {9};
    for (int i = 0; i < STATES; ++i) {
        CnBodyState a = random_shaken_state(&random);
        double time = cn_random_between(&random, 0.0, 10.0), exact, differences;
        cn_constraint_acceleration_bias(&shaker_kind, &a, NULL, time, &shaker, &exact);
        cn_constraint_acceleration_bias(&without, &a, NULL, time, &shaker, &differences);
        CHECK_NEAR(differences, exact, BIAS_TOLERANCE);
        CHECK(checked(&without, &a, NULL, time, &shaker).acceleration_bias_error == 0.0);
    }
}

static void differences_keep_their_digits_at_a_thousand_radians_per_second(void) {
    // w^2 r = 1e6 m/s^2. The step in time shrinks with the speed, so the relative round-off stays
    // that of slow motion, (3/2) 2^-53 / 2^-15 = 5e-12; the rows, a few roundings each, make it
    // some times that. A fixed step would err by (2^-15 * 1000)^4 / 30 = 3e-8.
    CnConstraintKind without = *cn_pin_kind();
    without.acceleration_bias = NULL;
    CnBodyState a = {.rotation = cn_quat_identity(), .angular_velocity = {0.0, 0.0, 1000.0}};
    CnPinData data = {.point_a = {0.6, 0.8, 0.0}};
    double bias[3];
    cn_constraint_acceleration_bias(&without, &a, NULL, 0.0, &data, bias);
    CHECK_NEAR(bias[0], -0.6e6, 5e-11 * 1e6);
    CHECK_NEAR(bias[1], -0.8e6, 5e-11 * 1e6);
    CHECK(bias[2] == 0.0);
}

// Lies

static void wrong_jacobian(const CnBodyState* a, const CnBodyState* b, double time,
                           const void* data, double* jacobian_a, double* jacobian_b) {
    cn_pin_kind()->jacobian(a, b, time, data, jacobian_a, jacobian_b);
    for (int i = 0; i < 3; ++i) { // the lever arm with its sign turned
        for (int j = 3; j < 6; ++j) {
            jacobian_a[6 * i + j] *= -1.0;
        }
    }
}

static void no_rate(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                    double* rate) {
    (void)a, (void)b, (void)time, (void)data;
    rate[0] = rate[1] = rate[2] = 0.0;
}

static void a_turned_sign_in_the_jacobian_is_caught(void) {
    // The arm is (0.3, 0, 0); turning its sign errs by 2 * 0.3.
    CnConstraintKind lying = *cn_pin_kind();
    lying.jacobian = wrong_jacobian;
    lying.dimension = 3;
    CnBodyState a = {.rotation = cn_quat_identity()};
    CnPinData data = {.point_a = {0.3, 0.0, 0.0}};
    CHECK_NEAR(checked(&lying, &a, NULL, 0.0, &data).jacobian_error, 0.6, JACOBIAN_TOLERANCE);
}

static void a_forgotten_time_rate_is_caught(void) {
    // At t = 0 the anchor moves at 0.5 * 4 = 2 m/s straight at the body.
    CnConstraintKind lying = shaker_kind;
    lying.time_rate = NULL;
    CnBodyState a = {.center = {1.0, 0.0, 0.0}, .rotation = cn_quat_identity()};
    CHECK_NEAR(checked(&lying, &a, NULL, 0.0, &shaker).time_rate_error, 2.0, JACOBIAN_TOLERANCE);
}

static void a_forgotten_centripetal_term_is_caught(void) {
    // w^2 r = 9 * 0.3.
    CnConstraintKind lying = *cn_pin_kind();
    lying.acceleration_bias = no_rate;
    CnBodyState a = {.rotation = cn_quat_identity(), .angular_velocity = {0.0, 0.0, 3.0}};
    CnPinData data = {.point_a = {0.3, 0.0, 0.0}};
    CHECK_NEAR(checked(&lying, &a, NULL, 0.0, &data).acceleration_bias_error, 2.7, BIAS_TOLERANCE);
}

static void not_a_number_does_not_hide_behind_finite_errors(void) {
    CnBodyState a = {.rotation = cn_quat_identity()};
    CnPinData data = {.point_a = {NAN, 0.0, 0.0}};
    CHECK(isnan(checked(cn_pin_kind(), &a, NULL, 0.0, &data).jacobian_error));
}

// Misuse

static void refused(const CnConstraintKind* kind, const char* part) {
    CnConstraintCheck check;
    CnBodyState a = {.rotation = cn_quat_identity()};
    CnError error = {0};
    CHECK_INT(cn_constraint_check(kind, &a, NULL, 0.0, NULL, &check, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, part);
    CHECK_INT(cn_constraint_check(kind, &a, NULL, 0.0, NULL, &check, NULL), CN_INVALID);
}

static void a_kind_that_makes_no_sense_is_refused_with_a_sentence(void) {
    CnConstraintKind kind = upright_kind;
    refused(NULL, "needs a kind");
    kind.name = NULL;
    refused(&kind, "needs a name");
    kind = upright_kind, kind.body_count = 3;
    refused(&kind, "body_count 3; it must be 1 or 2");
    kind = upright_kind, kind.dimension = 0;
    refused(&kind, "dimension 0; it must be 1 to 6");
    kind = upright_kind, kind.dimension = 7;
    refused(&kind, "dimension 7; it must be 1 to 6");
    kind = upright_kind, kind.coordinates = (CnConstraintCoordinates)2;
    refused(&kind, "coordinates 2");
    kind = upright_kind, kind.evaluate = NULL;
    refused(&kind, "\"upright\" has no function evaluate");
    kind = upright_kind, kind.jacobian = NULL;
    refused(&kind, "\"upright\" has no function jacobian");
    refused(cn_distance_kind(), "state b is NULL");
}

static void data_of_our_kinds_is_looked_at(void) {
    CnError error = {0};
    const char* field = NULL;
    CnDistanceData data = {.length = 1.0};

    CHECK_INT(cn_constraint_data_validate(cn_distance_kind(), &data, sizeof data, &field, &error),
              CN_OK);
    CHECK_INT(cn_constraint_data_validate(cn_distance_kind(), &data, 8, &field, &error),
              CN_INVALID);
    CHECK_STRING(field, "data");
    CHECK_CONTAINS(error.message, "given 8");
    data.length = 0.0;
    CHECK_INT(cn_constraint_data_validate(cn_distance_kind(), &data, sizeof data, &field, &error),
              CN_INVALID);
    CHECK_STRING(field, "length");
    CHECK_CONTAINS(error.message, "length is 0 m; it must be positive");
    CnPinData pin = {.anchor = {0.0, INFINITY, 0.0}};
    CHECK_INT(cn_constraint_data_validate(cn_pin_kind(), &pin, sizeof pin, &field, NULL),
              CN_INVALID);
    CHECK_STRING(field, "anchor");
    CHECK_INT(cn_constraint_data_validate(&shaker_kind, NULL, 0, &field, NULL), CN_OK);
}

TEST_MAIN("unit/constraints/kinds", TEST(distance_derivatives_agree_with_differences),
          TEST(anchor_distance_derivatives_agree_with_differences),
          TEST(distance_is_a_hand_computed_number),
          TEST(a_stretched_rod_turning_alone_has_its_centripetal_bias),
          TEST(coinciding_points_fall_back_to_the_z_direction),
          TEST(distance_does_not_change_when_both_bodies_move_together),
          TEST(pin_derivatives_agree_with_differences),
          TEST(unit_quaternion_row_is_zero_in_velocities_to_the_bit),
          TEST(unit_quaternion_reports_how_far_the_sphere_was_left),
          TEST(pose_rows_are_mapped_to_velocities),
          TEST(pose_kind_without_bias_gets_it_by_differences),
          TEST(a_moving_anchor_agrees_with_differences_in_time),
          TEST(the_difference_bias_feels_the_explicit_time),
          TEST(differences_keep_their_digits_at_a_thousand_radians_per_second),
          TEST(a_turned_sign_in_the_jacobian_is_caught), TEST(a_forgotten_time_rate_is_caught),
          TEST(a_forgotten_centripetal_term_is_caught),
          TEST(not_a_number_does_not_hide_behind_finite_errors),
          TEST(a_kind_that_makes_no_sense_is_refused_with_a_sentence),
          TEST(data_of_our_kinds_is_looked_at))

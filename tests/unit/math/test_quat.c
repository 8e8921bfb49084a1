// test_quat.c - rotations from and to axes and angles, and frames around a normal.
#include "math/mat3.h"
#include "support/shapes/random_poses.h"
#include "support/test.h"

#include <float.h>

static CnVec3 random_unit(CnRandom* random) {
    for (;;) {
        CnVec3 v = random_within(random, 1.0);
        double length = cn_vec3_length(v);
        if (length > 0.1 && length < 1.0) {
            return cn_vec3_normalize(v);
        }
    }
}

static double distance(CnVec3 a, CnVec3 b) {
    return cn_vec3_length(cn_vec3_sub(a, b));
}

static void a_quarter_turn_about_z_takes_x_to_y(void) {
    const double lengths[] = {1e-300, 1e-160, 1.0, 1e160, 1e300};
    for (int i = 0; i < 5; ++i) {
        CnQuat q = cn_quat_from_axis_angle(cn_vec3(0.0, 0.0, lengths[i]), CN_PI / 2.0);
        CnVec3 turned = cn_quat_rotate(q, cn_vec3(1.0, 0.0, 0.0));
        CHECK_NEAR(distance(turned, cn_vec3(0.0, 1.0, 0.0)), 0.0, 4 * DBL_EPSILON);
        CHECK_NEAR(cn_quat_length(q), 1.0, 2 * DBL_EPSILON);
    }
}

static void a_zero_axis_gives_the_identity(void) {
    CnQuat q = cn_quat_from_axis_angle(cn_vec3(0.0, -0.0, 0.0), 2.0);
    CHECK(q.w == 1.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0);
}

static void exp_agrees_with_axis_and_angle(void) {
    CnRandom random = {1};
    for (int i = 0; i < 10000; ++i) {
        CnVec3 axis = random_unit(&random);
        double angle = cn_random_between(&random, 0.0, 10.0);
        CnQuat a = cn_quat_from_axis_angle(axis, angle),
               b = cn_quat_exp(cn_vec3_scale(angle, axis));
        double dot = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
        CHECK_NEAR(dot, 1.0, 8 * DBL_EPSILON);
        // The length of the turn is rounded: up to 10 rad at half an epsilon, halved again.
        CHECK_NEAR(fabs(a.x - b.x) + fabs(a.y - b.y) + fabs(a.z - b.z), 0.0, 20 * DBL_EPSILON);
    }
}

static void log_undoes_exp_for_turns_up_to_pi(void) {
    CnRandom random = {2};
    for (int e = -1070; e <= 1; ++e) {
        for (int i = 0; i < 20; ++i) {
            double angle = ldexp(cn_random_between(&random, 0.5, CN_PI / 4.0), e + 1);
            CnVec3 turn = cn_vec3_scale(angle, random_unit(&random));
            CnVec3 found = cn_quat_log(cn_quat_exp(turn));
            // Relative: the map keeps small turns; a subnormal keeps its last place twice halved.
            double tolerance = 10 * DBL_EPSILON * angle + 4 * 0x1p-1074;
            CHECK_NEAR(found.x, turn.x, tolerance);
            CHECK_NEAR(found.y, turn.y, tolerance);
            CHECK_NEAR(found.z, turn.z, tolerance);
        }
    }
}

static void log_takes_the_shorter_of_two_turns(void) {
    CnVec3 axis = cn_vec3(0.0, 0.6, 0.8);
    CnQuat q = cn_quat_from_axis_angle(axis, 1.5 * CN_PI); // three quarters is minus one quarter
    CnVec3 turn = cn_quat_log(q);
    CHECK_NEAR(distance(turn, cn_vec3_scale(-CN_PI / 2.0, axis)), 0.0, 20 * DBL_EPSILON);
    CnQuat opposite = cn_quat(-q.w, -q.x, -q.y, -q.z);
    CHECK_NEAR(distance(cn_quat_log(opposite), turn), 0.0, 0.0);
    CHECK_NEAR(cn_vec3_length(cn_quat_log(cn_quat(-1.0, 0.0, 0.0, 0.0))), 0.0, 0.0);
}

static void turns_about_one_axis_add(void) {
    CnVec3 axis = cn_vec3(2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0);
    CnQuat step = cn_quat_exp(cn_vec3_scale(0.01, axis)), q = cn_quat_identity();
    for (int i = 0; i < 100; ++i) {
        q = cn_quat_multiply(step, q);
    }
    // Each product adds a few roundings of size epsilon.
    CHECK_NEAR(distance(cn_quat_log(q), axis), 0.0, 100 * 4 * DBL_EPSILON);
}

static void check_frame(CnVec3 n) {
    CnVec3 t1, t2;
    cn_tangent_basis(n, &t1, &t2);
    CHECK_NEAR(cn_vec3_length(t1), 1.0, 4 * DBL_EPSILON);
    CHECK_NEAR(cn_vec3_length(t2), 1.0, 4 * DBL_EPSILON);
    CHECK_NEAR(cn_vec3_dot(n, t1), 0.0, 4 * DBL_EPSILON);
    CHECK_NEAR(cn_vec3_dot(n, t2), 0.0, 4 * DBL_EPSILON);
    CHECK_NEAR(distance(cn_vec3_cross(n, t1), t2), 0.0, 8 * DBL_EPSILON); // right-handed
}

static void tangents_are_a_right_handed_frame_everywhere(void) {
    CnRandom random = {3};
    for (int i = 0; i < 20000; ++i) {
        check_frame(random_unit(&random));
    }
    for (int e = -60; e < 0; ++e) { // next to the poles, where older formulas break
        double x = ldexp(1.0, e), z = sqrt((1.0 - x) * (1.0 + x));
        check_frame(cn_vec3(x, 0.0, z));
        check_frame(cn_vec3(x, 0.0, -z));
        check_frame(cn_vec3(0.0, -x, -z));
    }
    check_frame(cn_vec3(0.0, 0.0, 1.0));
    check_frame(cn_vec3(0.0, 0.0, -1.0));
    check_frame(cn_vec3(1.0, 0.0, 0.0));
    check_frame(cn_vec3(0.0, 1.0, 0.0));
}

static void equal_normals_have_equal_frames_whatever_the_sign_of_zero(void) {
    CnVec3 a1, a2, b1, b2;
    cn_tangent_basis(cn_vec3(0.6, 0.8, 0.0), &a1, &a2);
    cn_tangent_basis(cn_vec3(0.6, 0.8, -0.0), &b1, &b2);
    CHECK(distance(a1, b1) == 0.0 && distance(a2, b2) == 0.0);
}

static void random_pose(CnRandom* random, CnQuat* rotation, double velocity[6]) {
    CnVec3 axis = random_unit(random);
    *rotation = cn_quat_from_axis_angle(axis, cn_random_between(random, -3.0, 3.0));
    for (int i = 0; i < 6; ++i) {
        velocity[i] = cn_random_between(random, -2.0, 2.0);
    }
}

// The rate of a pose that moves on by the exponential map, by central differences with h = 1e-5:
// errors h^2 / 6 |w|^3 / 8 < 1e-11 and round-off 1e-16 / h.
static void the_kinematic_map_is_the_rate_of_a_pose(void) {
    CnRandom random = {11};
    const double h = 1e-5;
    for (int n = 0; n < 50; ++n) {
        CnQuat q;
        double u[6], rate[7], g[7][6];
        random_pose(&random, &q, u);
        cn_kinematic_map(q, g);
        cn_kinematic_map_apply(q, u, rate);
        CnVec3 turn = cn_vec3(h * u[3], h * u[4], h * u[5]);
        CnQuat after = cn_quat_multiply(cn_quat_exp(turn), q);
        CnQuat before = cn_quat_multiply(cn_quat_exp(cn_vec3_scale(-1.0, turn)), q);
        const double difference[7] = {u[0],
                                      u[1],
                                      u[2],
                                      (after.w - before.w) / (2.0 * h),
                                      (after.x - before.x) / (2.0 * h),
                                      (after.y - before.y) / (2.0 * h),
                                      (after.z - before.z) / (2.0 * h)};
        for (int k = 0; k < 7; ++k) {
            double sum = 0.0;
            for (int i = 0; i < 6; ++i) {
                sum += g[k][i] * u[i];
            }
            CHECK_NEAR(rate[k], difference[k], 3e-10);
            CHECK_NEAR(rate[k], sum, 8 * DBL_EPSILON);
        }
    }
}

// G^T is the adjoint of G: f . G u = u . G^T f; G^T of the quaternion is zero, since a turn does
// not change its length; and a velocity comes back from the rate it makes.
static void the_transpose_and_the_inverse_fit_the_kinematic_map(void) {
    CnRandom random = {12};
    for (int n = 0; n < 50; ++n) {
        CnQuat q;
        double u[6], rate[7], row[6], f[7], back[6], left = 0.0, right = 0.0;
        random_pose(&random, &q, u);
        for (int k = 0; k < 7; ++k) {
            f[k] = cn_random_between(&random, -2.0, 2.0);
        }
        cn_kinematic_map_apply(q, u, rate);
        cn_kinematic_map_transpose(q, f, row);
        cn_kinematic_map_invert(q, rate, back);
        for (int k = 0; k < 7; ++k) {
            left += f[k] * rate[k];
        }
        for (int k = 0; k < 6; ++k) {
            right += u[k] * row[k];
            CHECK_NEAR(back[k], u[k], 30 * DBL_EPSILON);
        }
        CHECK_NEAR(left, right, 60 * DBL_EPSILON);
        const double along[7] = {0.0, 0.0, 0.0, q.w, q.x, q.y, q.z};
        cn_kinematic_map_transpose(q, along, row);
        CHECK(row[3] == 0.0 && row[4] == 0.0 && row[5] == 0.0);
    }
}

// The height of a point of a body, C = e . (x + Q p Q*): its gradient by differences in the seven
// coordinates, times G, is the row (e, r x e).
static void gradients_by_pose_become_rows_by_velocity(void) {
    CnRandom random = {13};
    const CnVec3 p = cn_vec3(0.3, -0.7, 0.5), e = cn_vec3(0.0, 0.6, 0.8);
    const double h = 1e-6; // C is quadratic in Q: central differences err by round-off / h alone
    for (int n = 0; n < 20; ++n) {
        CnQuat q;
        double u[6], gradient[7] = {e.x, e.y, e.z}, row[6];
        random_pose(&random, &q, u);
        for (int k = 0; k < 4; ++k) {
            double value[2];
            for (int side = 0; side < 2; ++side) {
                double c[4] = {q.w, q.x, q.y, q.z};
                c[k] += side == 0 ? -h : h;
                CnQuat moved = cn_quat(c[0], c[1], c[2], c[3]);
                CnQuat turned = cn_quat_multiply(
                    cn_quat_multiply(moved, cn_quat(0.0, p.x, p.y, p.z)), cn_quat_conjugate(moved));
                value[side] = cn_vec3_dot(e, cn_vec3(turned.x, turned.y, turned.z));
            }
            gradient[3 + k] = (value[1] - value[0]) / (2.0 * h);
        }
        cn_kinematic_map_transpose(q, gradient, row);
        CnVec3 wanted = cn_vec3_cross(cn_quat_rotate(q, p), e);
        CHECK_NEAR(distance(cn_vec3(row[3], row[4], row[5]), wanted), 0.0, 2e-9);
    }
}

TEST_MAIN("math/quat", TEST(a_quarter_turn_about_z_takes_x_to_y),
          TEST(a_zero_axis_gives_the_identity), TEST(exp_agrees_with_axis_and_angle),
          TEST(log_undoes_exp_for_turns_up_to_pi), TEST(log_takes_the_shorter_of_two_turns),
          TEST(turns_about_one_axis_add), TEST(tangents_are_a_right_handed_frame_everywhere),
          TEST(equal_normals_have_equal_frames_whatever_the_sign_of_zero),
          TEST(the_kinematic_map_is_the_rate_of_a_pose),
          TEST(the_transpose_and_the_inverse_fit_the_kinematic_map),
          TEST(gradients_by_pose_become_rows_by_velocity))

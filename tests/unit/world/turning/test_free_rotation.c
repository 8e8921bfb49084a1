// test_free_rotation.c - bodies that turn freely, against closed forms.
#include "support/test.h"

#include "cairn/random.h"
#include "world/turning/free_rotation.h"

#include <string.h>

static CnMat3 diagonal(CnVec3 d) {
    return (CnMat3){.m = {{d.x, 0.0, 0.0}, {0.0, d.y, 0.0}, {0.0, 0.0, d.z}}};
}

static CnQuat turn(CnVec3 moments, double h, CnVec3* spin) {
    CnMat3 inertia = diagonal(moments);
    CnMat3 inverse = diagonal(cn_vec3(1.0 / moments.x, 1.0 / moments.y, 1.0 / moments.z));
    return cn_free_rotation(&inertia, &inverse, h, spin);
}

static double apart(CnQuat p, CnQuat q) {
    return cn_vec3_length(cn_quat_log(cn_quat_multiply(p, cn_quat_conjugate(q))));
}

// J = diag(A, A, C) turns by exp(h m / A) exp(h (1 - C/A) w3 e3) with m = J W, and W turns back
// about e3 by the second of these. Each part of half a radian adds some ten roundings, 3e-15.
static void a_round_body_precesses_as_the_textbook_says(void) {
    const CnVec3 start = {0.7, -1.1, 2.0};
    const double turns[] = {1e-9, 1e-3, 0.1, 1.0, 60.0};
    for (int i = 0; i < 5 * 4; ++i) {
        const double thin[] = {2.0, 0.5, 1e-3, 1e-6};
        CnVec3 moments = cn_vec3(3.0, 3.0, 3.0 * thin[i % 4]), spin = start;
        double h = turns[i / 4] / cn_vec3_length(start);
        double back = h * (1.0 - thin[i % 4]) * start.z;
        CnVec3 momentum = cn_vec3(start.x, start.y, thin[i % 4] * start.z);
        CnQuat nutation = cn_quat_exp(cn_vec3(0.0, 0.0, back));
        CnQuat expected = cn_quat_multiply(cn_quat_exp(cn_vec3_scale(h, momentum)), nutation);
        CnQuat found = turn(moments, h, &spin);
        CnVec3 expected_spin = cn_quat_rotate(cn_quat_conjugate(nutation), start);
        double tolerance = 3e-15 * (1.0 + 2.0 * turns[i / 4]);
        CHECK_NEAR(apart(found, expected), 0.0, tolerance);
        CHECK_NEAR(cn_vec3_length(cn_vec3_sub(spin, expected_spin)), 0.0, tolerance);
    }
}

// A body that misses being round by 2^-50 takes the series, not the closed form of round ones. That
// difference of its moments changes W3 at the rate 2^-50 (A/C) W1 W2, and its turn by as much.
static void series_and_closed_form_agree(void) {
    const CnVec3 start = {0.7, -1.1, 2.0};
    const double turns[] = {1e-9, 1e-3, 0.1, 1.0, 60.0};
    for (int i = 0; i < 5 * 4; ++i) {
        const double thin[] = {1.9, 0.5, 0.1, 1e-3};
        double a = 3.0, b = a * (1.0 + 0x1p-50), c = a * thin[i % 4];
        double h = turns[i / 4] / cn_vec3_length(start);
        CnVec3 spin = start, other = start;
        CnQuat found = turn(cn_vec3(a, a, c), h, &spin);
        CnQuat series = turn(cn_vec3(a, b, c), h, &other);
        double change = 0x1p-50 / thin[i % 4] * h * fabs(start.x * start.y);
        double tolerance = 3e-15 * (1.0 + 2.0 * turns[i / 4]) + change * (1.0 + h);
        CHECK_NEAR(apart(found, series), 0.0, tolerance);
        CHECK_NEAR(cn_vec3_length(cn_vec3_sub(spin, other)), 0.0, tolerance);
    }
}

// A sphere and a principal axis: W stays, to the bit.
static void a_steady_spin_is_one_turn_about_it(void) {
    CnVec3 spin = cn_vec3(3.0, -4.0, 5.0), axis = cn_vec3(0.0, 7.0, 0.0);
    CnQuat found = turn(cn_vec3(2.0, 2.0, 2.0), 0.5, &spin);
    CHECK_NEAR(apart(found, cn_quat_exp(cn_vec3(1.5, -2.0, 2.5))), 0.0, 1e-15);
    CHECK(spin.x == 3.0 && spin.y == -4.0 && spin.z == 5.0);
    turn(cn_vec3(1.0, 2.0, 2.5), 0.5, &axis);
    CHECK(axis.x == 0.0 && axis.y == 7.0 && axis.z == 0.0);
}

// Two turns of half the time are one of all of it, and a turn back undoes it: near the middle axis,
// where errors grow like exp(0.45 * 12) = 210, from 24 parts of a few roundings each.
static void turns_follow_each_other_and_can_be_undone(void) {
    const CnVec3 moments = {1.0, 2.0, 2.5}, start = {0.01, 1.0, -0.02};
    CnVec3 once = start, twice = start;
    CnQuat whole = turn(moments, 12.0, &once);
    CnQuat half = turn(moments, 6.0, &twice);
    half = cn_quat_multiply(half, turn(moments, 6.0, &twice));
    CHECK_NEAR(apart(whole, half), 0.0, 1e-12);
    CHECK_NEAR(cn_vec3_length(cn_vec3_sub(once, twice)), 0.0, 1e-12);
    CnVec3 reversed = cn_vec3_negate(once);
    CnQuat back = turn(moments, 12.0, &reversed);
    CHECK_NEAR(apart(cn_quat_multiply(whole, back), cn_quat_identity()), 0.0, 1e-12);
    CHECK_NEAR(cn_vec3_length(cn_vec3_add(reversed, start)), 0.0, 1e-12);
}

// However far it turns: 256 parts and then about its angular momentum, which costs a rounding of
// the angle, but the direction of the momentum is kept as far as the axis of that turn is exact.
static void no_turn_is_too_long(void) {
    for (int i = 2; i < 14; ++i) {
        const CnVec3 moments = {1.0, 1.0 + 1e-3, 2e-3}, start = {0.6, 0.5, 0.3};
        CnVec3 spin = start, before = {start.x, moments.y * start.y, moments.z * start.z};
        CnQuat found = turn(moments, pow(10.0, i), &spin);
        CnVec3 after = cn_vec3(spin.x, moments.y * spin.y, moments.z * spin.z);
        double energy = cn_vec3_dot(spin, after) / cn_vec3_dot(start, before);
        CnVec3 seen = cn_quat_rotate(found, after);
        CHECK_NEAR(energy, 1.0, 1e-12);
        CHECK_NEAR(cn_vec3_length(cn_vec3_sub(seen, before)), 0.0, 1e-12);
    }
}

// Bodies side by side turn to the bits of one alone, whatever stands next to them: slender and
// round ones, spheres, some at rest, some that turn fast, for times from nanoseconds to seconds.
static void turns_side_by_side_have_the_same_bits(void) {
    enum { COUNT = 23 };
    static const double moments[][3] = {{1.0, 2.0, 2.5}, {3.0, 3.0, 3.0}, {1.0, 1.0, 1e-3},
                                        {0.2, 0.3, 0.4}, {2.0, 2.0, 1.0}, {1e-6, 1e-3, 1e-3}};
    static const double times[] = {1e-9, 5e-4, 1e-2, 0.3, 2.0};
    CnRandom random = {.state = 7};
    for (int round = 0; round < 60; ++round) {
        CnMat3 inertia[COUNT], inverse[COUNT];
        CnFreeTurn turns[COUNT];
        double h = times[round % 5];
        for (int i = 0; i < COUNT; ++i) {
            const double* m = moments[round % 7 == 6 ? 1 : (i + round) % 6]; // or spheres alone
            double size = i % 7 == 3 ? 0.0 : i % 5 == 4 ? 100.0 : 4.0;
            double x = cn_random_between(&random, -size, size);
            double y = i % 4 == 1 ? 0.0 : cn_random_between(&random, -size, size);
            double z = cn_random_between(&random, -size, size);
            inertia[i] = diagonal(cn_vec3(m[0], m[1], m[2]));
            inverse[i] = diagonal(cn_vec3(1.0 / m[0], 1.0 / m[1], 1.0 / m[2]));
            turns[i] = (CnFreeTurn){&inertia[i], &inverse[i], {x, y, z}, {0.0, 0.0, 0.0, 0.0}};
        }
        for (int wide = 0; wide < 2; ++wide) {
            CnFreeTurn found[COUNT];
            memcpy(found, turns, sizeof found);
            (wide ? cn_free_rotations : cn_free_rotations_128)(COUNT - round % 4, h, found);
            for (int i = 0; i < COUNT - round % 4; ++i) {
                CnVec3 spin = turns[i].spin;
                CnQuat alone = cn_free_rotation(&inertia[i], &inverse[i], h, &spin);
                CHECK(memcmp(&alone, &found[i].turn, sizeof alone) == 0);
                CHECK(memcmp(&spin, &found[i].spin, sizeof spin) == 0);
            }
        }
    }
}

TEST_MAIN("unit/world/turning/free_rotation", TEST(turns_side_by_side_have_the_same_bits),
          TEST(a_round_body_precesses_as_the_textbook_says), TEST(series_and_closed_form_agree),
          TEST(a_steady_spin_is_one_turn_about_it), TEST(turns_follow_each_other_and_can_be_undone),
          TEST(no_turn_is_too_long))

// test_spin.c - the spin of a body whose angular momentum is given where that spin takes it.
#include "support/test.h"
#include "world/turning/spin.h"

#include "cairn/math.h"
#include "cairn/random.h"

// |exp(h W) J W - m|, relative.
static double defect(const CnMat3* inertia, CnVec3 spin, CnVec3 momentum, double h) {
    CnVec3 now = cn_quat_rotate(cn_quat_exp(cn_vec3_scale(h, spin)), cn_mat3_apply(inertia, spin));
    return cn_vec3_length(cn_vec3_sub(now, momentum)) / cn_vec3_length(momentum);
}

// Inertias from flat to round and turns of up to three revolutions per step:
// docs/theory/implicit.md says that there is always an answer.
static void every_momentum_has_a_spin(void) {
    CnRandom random = {11};
    double worst = 0.0;
    for (int i = 0; i < 2000; ++i) {
        double a = cn_random_between(&random, 0.1, 1.0);
        double b = cn_random_between(&random, 0.1, 1.0);
        double share = cn_random_between(&random, 0.01, 1.0);
        double c = share * (a + b); // no body has more than the sum
        CnMat3 inertia = {.m = {{a, 0.0, 0.0}, {0.0, b, 0.0}, {0.0, 0.0, c}}};
        double x = cn_random_between(&random, -1.0, 1.0);
        double y = cn_random_between(&random, -1.0, 1.0);
        double z = cn_random_between(&random, -1.0, 1.0);
        double turn = cn_random_between(&random, 0.0, 8.0); // [rad]
        CnVec3 momentum = cn_vec3(x, y, z);
        CnVec3 guess = cn_vec3(x / a, y / b, z / c);
        double h = turn / cn_vec3_length(guess);
        worst = fmax(worst, defect(&inertia, cn_spin_of_momentum(&inertia, guess, momentum, h),
                                   momentum, h));
    }
    CHECK(worst < 1e-13); // a few dozen operations of 1e-16
}

static void about_a_principal_axis_nothing_changes(void) {
    CnMat3 inertia = {.m = {{1.0, 0.0, 0.0}, {0.0, 2.0, 0.0}, {0.0, 0.0, 3.0}}};
    CnVec3 spin =
        cn_spin_of_momentum(&inertia, cn_vec3(0.0, 0.0, 0.0), cn_vec3(0.0, 4.0, 0.0), 0.1);
    CHECK_NEAR(spin.x, 0.0, 1e-15);
    CHECK_NEAR(spin.y, 2.0, 1e-15);
    CHECK_NEAR(spin.z, 0.0, 1e-15);
}

TEST_MAIN("unit/world/turning/spin", TEST(every_momentum_has_a_spin),
          TEST(about_a_principal_axis_nothing_changes))

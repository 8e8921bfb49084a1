// soft_rates.c - soft constraints by frequency and damping, and the choice of kernels.
#include "solvers/soft/soft_joint.h"

#include "cairn/math.h"

// Contacts with what does not give way are twice as stiff, so that overlap goes to the top of a
// pile rather than into the ground; half the damping ratio keeps the rate of the damping.
#define FIXED_STIFFNESS 2.0

static void set_rates(double h, double hertz, double damping_ratio, int kind, CnSoftRates* rates) {
    double omega = 2.0 * CN_PI * hertz;
    double a1 = 2.0 * damping_ratio + h * omega;
    double a2 = h * omega * a1;
    double a3 = 1.0 / (1.0 + a2);
    rates->bias[kind] = (float)(a1 > 0.0 ? omega / a1 * a2 * a3 : 0.0);
    rates->mass_scale[kind] = (float)(a2 * a3);
    rates->impulse_scale[kind] = (float)a3;
}

CnSoftRates cn_soft_rates(double h, double hertz, double damping_ratio, double push_speed,
                          double bounce_speed) {
    CnSoftRates rates = {
        .h = (float)h,
        .inverse_h = (float)(1.0 / h),
        .push_speed = (float)push_speed,
        .bounce_speed = (float)bounce_speed,
    };
    set_rates(h, hertz, damping_ratio, 0, &rates);
    set_rates(h, FIXED_STIFFNESS * hertz, damping_ratio / FIXED_STIFFNESS, 1, &rates);
    return rates;
}

const CnSoftKernels* cn_soft_kernels(void) {
    return CN_WIDEST(cn_soft_kernels);
}

const CnSoftJointKernels* cn_soft_joint_kernels(void) {
    return CN_WIDEST(cn_soft_joint_kernels);
}

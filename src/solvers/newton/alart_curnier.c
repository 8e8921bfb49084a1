// alart_curnier.c - Alart and Curnier's equations: Coulomb's law without a shifted velocity.
#include "constraints/problem/friction_cone.h"
#include "solvers/newton/linearised.h"

// Rows of a group that slides: Phi_g = p_g - mu d_N e with e = d_g / |d_g|, d = p - rho u.
static void linearise_slide(double mu, CnFrictionGroup group, const double rho[2], double normal,
                            const double* d, const double* p, CnLinearised* law) {
    double length = cn_friction_group_length(group, d);
    double turn = length > 0.0 ? mu * normal / length : 0.0; // how e turns with d_g
    for (int i = group.first; i < group.first + group.count; ++i) {
        double e = length > 0.0 ? d[i] / length : 0.0;
        law->phi[i] = p[i] - mu * normal * e;
        law->b[i][0] = -mu * e;
        law->a[i][0] = mu * e * rho[0];
        for (int j = group.first; j < group.first + group.count; ++j) {
            double across = (i == j ? 1.0 : 0.0) - (length > 0.0 ? e * d[j] / length : 0.0);
            law->b[i][j] = (i == j ? 1.0 : 0.0) - turn * across;
            law->a[i][j] = turn * across * rho[1];
        }
    }
}

static void linearise_group(double mu, CnFrictionGroup group, const double rho[2], double normal,
                            const double* u, const double* p, CnLinearised* law) {
    double d[CN_MAX_ROWS] = {0.0};
    for (int i = group.first; i < group.first + group.count; ++i) {
        d[i] = p[i] - rho[1] * u[i];
    }
    if (mu == 0.0 || cn_friction_group_length(group, d) > mu * normal) {
        linearise_slide(mu, group, rho, normal, d, p, law);
        return;
    }
    for (int i = group.first; i < group.first + group.count; ++i) { // sticks
        law->phi[i] = rho[1] * u[i];
        law->a[i][i] = rho[1];
    }
}

static void linearise_coulomb(const CnBlock* block, const double rho[2], const double* u,
                              const double* p, CnLinearised* law) {
    int n = block->row_count;
    double normal = p[0] - rho[0] * u[0]; // d_N
    if (normal <= 0.0) {                  // open
        for (int i = 0; i < n; ++i) {
            law->phi[i] = p[i];
            law->b[i][i] = 1.0;
        }
        return;
    }
    CnFrictionGroup groups[CN_MAX_FRICTION_GROUPS];
    int count = cn_friction_groups(n, groups);
    law->phi[0] = rho[0] * u[0];
    law->a[0][0] = rho[0];
    for (int g = 0; g < count; ++g) {
        linearise_group(block->friction, groups[g], rho, normal, u, p, law);
    }
}

void cn_linearise_alart_curnier(const CnProblem* problem, const CnBlock* block, const double* w,
                                double rho, const double* u, const double* p, CnLinearised* law) {
    if (block->law == CN_LAW_COULOMB) {
        const double steps[2] = {1.0 / w[0], rho}; // of the normal, of the tangents
        linearise_coulomb(block, steps, u, p, law);
    } else { // a clamp or an equation: the natural map is the same
        cn_linearise_natural(problem, block, w, rho, u, p, law);
    }
}

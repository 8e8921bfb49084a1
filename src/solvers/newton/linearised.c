// linearised.c - the law of a block as an equation Phi(u, p) = 0, with its derivatives.
#include "solvers/newton/linearised.h"

#include "constraints/problem/block.h"
#include "constraints/problem/friction_cone.h"
#include <string.h>

// Phi = rho u
static void linearise_equality(const CnProblem* problem, const CnBlock* block, const double* w,
                               double rho, const double* u, const double* p, CnLinearised* law) {
    (void)problem;
    (void)w;
    (void)p;
    for (int i = 0; i < block->row_count; ++i) {
        law->phi[i] = rho * u[i];
        law->a[i][i] = rho;
    }
}

// Phi = (p - offset + slope u) rho / (rho + slope)
static void linearise_force(const CnProblem* problem, const CnBlock* block, const double* w,
                            double rho, const double* u, const double* p, CnLinearised* law) {
    (void)w;
    for (int i = 0; i < block->row_count; ++i) {
        double slope = problem->slope[block->first_row + i];
        double share = rho / (rho + slope);
        law->phi[i] = share * (p[i] - problem->offset[block->first_row + i] + slope * u[i]);
        law->a[i][i] = share * slope;
        law->b[i][i] = share;
    }
}

// The derivative of a clamp: Phi follows either the impulse or the velocity.
static void linearise_clamp(const CnProblem* problem, const CnBlock* block, const double* w,
                            double rho, const double* u, const double* p, CnLinearised* law) {
    (void)w;
    for (int i = 0; i < block->row_count; ++i) {
        double lower = problem->lower[block->first_row + i];
        double upper = problem->upper[block->first_row + i];
        double wanted = p[i] - rho * u[i];
        if (wanted > lower && wanted < upper) {
            law->phi[i] = rho * u[i];
            law->a[i][i] = rho;
        } else {
            law->phi[i] = p[i] - (wanted <= lower ? lower : upper);
            law->b[i][i] = 1.0;
        }
    }
}

// Rows of a group that the projection shortens to mu x, with x the projected normal and its
// derivative share (1, mu e_1, mu e_2 ..) over the shortened groups: (4).
static void differentiate_cut(double mu, CnFrictionGroup group, double x, const double* s,
                              double slope[CN_MAX_ROWS][CN_MAX_ROWS]) {
    double length = cn_friction_group_length(group, s);
    double turn = mu * x / length;
    for (int i = group.first; i < group.first + group.count; ++i) {
        double e = s[i] / length;
        for (int j = 0; j < CN_MAX_ROWS; ++j) {
            slope[i][j] = mu * e * slope[0][j];
        }
        for (int j = group.first; j < group.first + group.count; ++j) {
            slope[i][j] += turn * ((i == j ? 1.0 : 0.0) - e * s[j] / length);
        }
    }
}

// dP/ds of the projection onto the friction cone, whose normal is x:
// docs/theory/solvers/newton_projected.md (4).
static void differentiate_projection(double mu, int n, const double* s, double x,
                                     double slope[CN_MAX_ROWS][CN_MAX_ROWS]) {
    CnFrictionGroup groups[CN_MAX_FRICTION_GROUPS];
    double length[CN_MAX_FRICTION_GROUPS], weight = 1.0;
    int count = mu > 0.0 ? cn_friction_groups(n, groups) : 0; // without friction P_T = 0
    memset(slope, 0, sizeof(double[CN_MAX_ROWS][CN_MAX_ROWS]));
    if (x <= 0.0) { // the tip
        return;
    }
    for (int g = 0; g < count; ++g) {
        length[g] = cn_friction_group_length(groups[g], s);
        weight += length[g] > mu * x ? mu * mu : 0.0;
    }
    slope[0][0] = 1.0 / weight;
    for (int g = 0; g < count; ++g) {
        for (int i = groups[g].first; i < groups[g].first + groups[g].count; ++i) {
            slope[0][i] = length[g] > mu * x ? mu * (s[i] / length[g]) / weight : 0.0;
        }
    }
    for (int g = 0; g < count; ++g) {
        if (length[g] > mu * x) {
            differentiate_cut(mu, groups[g], x, s, slope);
            continue;
        }
        for (int i = groups[g].first; i < groups[g].first + groups[g].count; ++i) { // inside
            slope[i][i] = 1.0;
        }
    }
}

// y <- y dF with dF = 1 + mu e_N (0, t_1, t_2 ..)^T, the derivative of the shift; for a group that
// does not slip any t is a subgradient, and 0 is used: (5).
static void chain_shift(double mu, int n, const double* u, double y[CN_MAX_ROWS][CN_MAX_ROWS]) {
    CnFrictionGroup groups[CN_MAX_FRICTION_GROUPS];
    int count = cn_friction_groups(n, groups);
    for (int g = 0; g < count; ++g) {
        double length = cn_friction_group_length(groups[g], u);
        for (int j = groups[g].first; j < groups[g].first + groups[g].count && length > 0.0; ++j) {
            for (int i = 0; i < n; ++i) {
                y[i][j] += y[i][0] * mu * (u[j] / length);
            }
        }
    }
}

static void linearise_projection(const CnProblem* problem, const CnBlock* block, const double* w,
                                 double rho, const double* u, const double* p, CnLinearised* law) {
    (void)problem;
    (void)w;
    int n = block->row_count;
    double mu = block->friction;
    double s[CN_MAX_ROWS], projected[CN_MAX_ROWS];
    cn_friction_cone_shift(mu, n, u, s);
    for (int i = 0; i < n; ++i) {
        s[i] = p[i] - rho * s[i];
    }
    cn_friction_cone_project(mu, n, s, projected);
    differentiate_projection(mu, n, s, projected[0], law->a);
    for (int i = 0; i < n; ++i) {
        law->phi[i] = p[i] - projected[i];
        for (int j = 0; j < n; ++j) {
            law->b[i][j] = (i == j ? 1.0 : 0.0) - law->a[i][j];
            law->a[i][j] *= rho;
        }
    }
    chain_shift(mu, n, u, law->a);
}

static CnLinearise* const natural[CN_LAW_COUNT] = {
    [CN_LAW_EQUALITY] = linearise_equality,
    [CN_LAW_BOUNDS] = linearise_clamp,
    [CN_LAW_COULOMB] = linearise_projection,
    [CN_LAW_FORCE] = linearise_force,
};

void cn_linearise_natural(const CnProblem* problem, const CnBlock* block, const double* w,
                          double rho, const double* u, const double* p, CnLinearised* law) {
    natural[block->law](problem, block, w, rho, u, p, law);
}

// linearised.c - the law of a block as an equation Phi(u, p) = 0, with its derivatives.
#include "solvers/linearised.h"

#include "constraints/block.h"
#include "constraints/friction_cone.h"
#include <float.h>
#include <math.h>
#include <string.h>

static double tangent_length(int n, const double* x) {
    double square = 0.0;
    for (int i = 1; i < n; ++i) {
        square += x[i] * x[i];
    }
    return sqrt(square);
}

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

// A clamp passes on either the impulse or the velocity.
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

// dP/ds of the projection onto the friction cone, docs/theory/newton_projected.md (4).
static void differentiate_projection(double mu, int n, const double* s,
                                     double slope[CN_MAX_ROWS][CN_MAX_ROWS]) {
    double length = tangent_length(n, s);
    memset(slope, 0, sizeof(double[CN_MAX_ROWS][CN_MAX_ROWS]));
    if (mu * length <= -s[0]) { // the tip
        return;
    }
    if (length <= mu * s[0]) { // inside
        for (int i = 0; i < n; ++i) {
            slope[i][i] = 1.0;
        }
        return;
    }
    double share = 1.0 / (1.0 + mu * mu);
    double turn = mu * (s[0] + mu * length) * share / length;
    slope[0][0] = share;
    for (int i = 1; i < n; ++i) {
        double e = s[i] / length;
        slope[0][i] = slope[i][0] = share * mu * e;
        for (int j = 1; j < n; ++j) {
            double along = e * s[j] / length;
            slope[i][j] = share * mu * mu * along + turn * ((i == j ? 1.0 : 0.0) - along);
        }
    }
}

// x <- x dF with dF = 1 + mu e_N (0, t)^T, the derivative of the shift; where the contact does not
// slip t = 0 is as good as any: (5).
static void chain_shift(double mu, int n, const double* u, double x[CN_MAX_ROWS][CN_MAX_ROWS]) {
    double length = tangent_length(n, u);
    for (int i = 0; i < n && length > 0.0; ++i) {
        for (int j = 1; j < n; ++j) {
            x[i][j] += x[i][0] * mu * (u[j] / length);
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
    differentiate_projection(mu, n, s, law->a);
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

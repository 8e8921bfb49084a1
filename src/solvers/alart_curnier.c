// alart_curnier.c - the laws of blocks as equations F(p, u) = 0, with their generalised
// derivatives.
#include "solvers/alart_curnier.h"

#include <math.h>
#include <string.h>

// F_i = rho u_i: the row is held.
static void hold(CnAlartCurnier* out, int n, int i, double rho, double u) {
    out->f[i] = rho * u;
    out->a[i * n + i] = rho;
}

// F_i = p_i - value: the impulse is given.
static void give(CnAlartCurnier* out, int n, int i, double p, double value) {
    out->f[i] = p - value;
    out->b[i * n + i] = 1.0;
}

// docs/theory/newton_ac.md (2)
static void bounded_rows(const CnProblem* problem, const CnBlock* block, double rho,
                         const double* u, const double* p, CnAlartCurnier* out) {
    int n = block->row_count;
    for (int i = 0; i < n; ++i) {
        double lower = problem->lower[block->first_row + i];
        double upper = problem->upper[block->first_row + i];
        double trial = p[i] - rho * u[i];
        if (trial <= lower) {
            give(out, n, i, p[i], lower);
        } else if (trial >= upper) {
            give(out, n, i, p[i], upper);
        } else {
            hold(out, n, i, rho, u[i]);
        }
    }
}

// docs/theory/newton_ac.md (3): F = p - offset + slope u, scaled so that a stiff row counts like a
// held one.
static void force_rows(const CnProblem* problem, const CnBlock* block, double rho, const double* u,
                       const double* p, CnAlartCurnier* out) {
    int n = block->row_count;
    for (int i = 0; i < n; ++i) {
        double slope = problem->slope[block->first_row + i];
        double scale = rho / (rho + slope);
        out->f[i] = scale * (p[i] - problem->offset[block->first_row + i] + slope * u[i]);
        out->a[i * n + i] = scale * slope;
        out->b[i * n + i] = scale;
    }
}

// docs/theory/newton_ac.md (5)-(7): the tangent impulse is the point of the disc of radius
// mu (p_N - rho u_N) nearest to p_T - rho u_T; here on its rim.
static void sliding_rows(double mu, int n, double rho, const double* trial, double tangent,
                         const double* p, CnAlartCurnier* out) {
    double radius = mu * trial[0];
    double share = radius / tangent;
    double t[3] = {0.0, trial[1] / tangent, n == 3 ? trial[2] / tangent : 0.0};
    for (int i = 1; i < n; ++i) {
        out->f[i] = p[i] - radius * t[i];
        out->a[i * n] = rho * mu * t[i];
        out->b[i * n] = -mu * t[i];
        for (int k = 1; k < n; ++k) {
            double identity = i == k ? 1.0 : 0.0;
            double turn = share * (identity - t[i] * t[k]); // d(radius t) / d trial_T
            out->a[i * n + k] = rho * turn;
            out->b[i * n + k] = identity - turn;
        }
    }
}

static void contact_rows(const CnBlock* block, double rho, const double* u, const double* p,
                         CnAlartCurnier* out) {
    int n = block->row_count;
    double trial[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < n; ++i) {
        trial[i] = p[i] - rho * u[i];
    }
    if (trial[0] <= 0.0) { // open
        for (int i = 0; i < n; ++i) {
            give(out, n, i, p[i], 0.0);
        }
        return;
    }
    hold(out, n, 0, rho, u[0]);
    double tangent = sqrt(trial[1] * trial[1] + trial[2] * trial[2]);
    if (tangent <= block->friction * trial[0]) { // sticks
        for (int i = 1; i < n; ++i) {
            hold(out, n, i, rho, u[i]);
        }
    } else {
        sliding_rows(block->friction, n, rho, trial, tangent, p, out);
    }
}

void cn_alart_curnier(const CnProblem* problem, const CnBlock* block, double rho, const double* u,
                      const double* p, CnAlartCurnier* out) {
    memset(out, 0, sizeof *out);
    switch (block->law) {
    case CN_LAW_BOUNDS:
        bounded_rows(problem, block, rho, u, p, out);
        break;
    case CN_LAW_COULOMB:
        contact_rows(block, rho, u, p, out);
        break;
    case CN_LAW_FORCE:
        force_rows(problem, block, rho, u, p, out);
        break;
    default:
        for (int i = 0; i < block->row_count; ++i) {
            hold(out, block->row_count, i, rho, u[i]);
        }
    }
}

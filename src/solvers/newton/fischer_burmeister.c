// fischer_burmeister.c - Fischer and Burmeister's function of numbers and of the second-order cone.
#include "constraints/problem/friction_cone.h"
#include "solvers/newton/linearised.h"

#include <math.h>
#include <string.h>

// A value and its two partial derivatives.
typedef struct PairDerivative {
    double value, da, db;
} PairDerivative;

// phi(a, b) = a + b - sqrt(a^2 + b^2), zero exactly when a >= 0, b >= 0 and a b = 0. Written as a
// quotient where the difference would cancel. At the kink a = b = 0 any subgradient is valid: (2).
static PairDerivative scalar(double a, double b) {
    double root = sqrt(a * a + b * b);
    double sum = a + b;
    if (root == 0.0) {
        return (PairDerivative){0.0, 1.0 - sqrt(0.5), 1.0 - sqrt(0.5)};
    }
    double value = sum > 0.0 ? 2.0 * a * (b / (sum + root)) : sum - root;
    return (PairDerivative){value, 1.0 - a / root, 1.0 - b / root};
}

static void set_row(CnLinearised* law, int row, double value, double du, double dp) {
    law->phi[row] = value;
    law->a[row][row] = du;
    law->b[row][row] = dp;
}

// One row of bounds: an infinite bound drops out of (3).
static void linearise_row(double lower, double upper, double rho, double u, double p, int row,
                          CnLinearised* law) {
    double f = rho * u, df = rho, dp = 0.0; // the second argument, complementary to p - lower
    if (isfinite(upper)) {
        PairDerivative above = scalar(upper - p, -f);
        f = -above.value;
        df = above.db * rho;
        dp = above.da;
    }
    if (isfinite(lower)) {
        PairDerivative below = scalar(p - lower, f);
        set_row(law, row, below.value, below.db * df, below.da + below.db * dp);
    } else {
        set_row(law, row, f, df, dp);
    }
}

static void linearise_bounds(const CnProblem* problem, const CnBlock* block, double rho,
                             const double* u, const double* p, CnLinearised* law) {
    for (int i = 0; i < block->row_count; ++i) {
        int row = block->first_row + i;
        linearise_row(problem->lower[row], problem->upper[row], rho, u[i], p[i], i, law);
    }
}

// The square root of x^2 + y^2 in the Jordan algebra of the cone, and its inverse as an operator:
// (5)-(7).
typedef struct Root {
    double w[CN_MAX_ROWS];
    double inverse[CN_MAX_ROWS][CN_MAX_ROWS]; // of L_w
} Root;

// Lower limit of the smallest spectral value of w, relative to the largest, in the derivative:
// where x and y both are at the tip or on the same ray of the boundary, L_w is singular and a
// regular one close to it is used.
#define LEAST_SPECTRAL_VALUE 1e-8

static void invert_arrow(int n, Root* root, double small, double large) {
    const double* w = root->w;
    double determinant = small * large; // of the 2 x 2 part
    double first = 0.5 * (small + large);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double value = w[i] * w[j] / (determinant * first);
            if (i == 0 || j == 0) {
                value = (i == j ? first : -(i == 0 ? w[j] : w[i])) / determinant;
            } else if (i == j) {
                value += 1.0 / first;
            }
            root->inverse[i][j] = value;
        }
    }
}

// |x|^2 - 2 x_0 (e . x_T) of one vector: its share of the smaller spectral value of z when e is the
// direction of z_T. As a sum of squares it keeps its digits where x lies on the edge of the cone.
static double smaller_share(int n, const double* x, const double* e) {
    double along = 0.0;
    for (int i = 1; i < n; ++i) {
        along += e[i] * x[i];
    }
    double sum = (x[0] - along) * (x[0] - along);
    for (int i = 1; i < n; ++i) {
        sum += (x[i] - along * e[i]) * (x[i] - along * e[i]);
    }
    return sum;
}

static double tangent_length(int n, const double* x) {
    double square = 0.0;
    for (int i = 1; i < n; ++i) {
        square += x[i] * x[i];
    }
    return sqrt(square);
}

static void find_root(int n, const double* x, const double* y, Root* root) {
    double e[CN_MAX_ROWS] = {0.0}, square = x[0] * x[0] + y[0] * y[0], length = 0.0;
    for (int i = 1; i < n; ++i) {
        square += x[i] * x[i] + y[i] * y[i];
        e[i] = 2.0 * (x[0] * x[i] + y[0] * y[i]); // z_T
        length += e[i] * e[i];
    }
    length = sqrt(length);
    for (int i = 1; i < n; ++i) {
        e[i] = length > 0.0 ? e[i] / length : 0.0;
    }
    double large = sqrt(square + length);
    double small = sqrt(smaller_share(n, x, e) + smaller_share(n, y, e));
    root->w[0] = 0.5 * (large + small);
    for (int i = 1; i < n; ++i) {
        root->w[i] = 0.5 * (large - small) * e[i];
    }
    invert_arrow(n, root, fmax(small, LEAST_SPECTRAL_VALUE * large), large);
}

// slope = 1 - L_w^-1 L_x
static void differentiate(int n, const Root* root, const double* x,
                          double slope[CN_MAX_ROWS][CN_MAX_ROWS]) {
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double sum = root->inverse[i][j] * x[0];
            for (int k = 0; k < n && j == 0; ++k) {
                sum += k > 0 ? root->inverse[i][k] * x[k] : 0.0;
            }
            if (j > 0) {
                sum += root->inverse[i][0] * x[j];
            }
            slope[i][j] = (i == j ? 1.0 : 0.0) - sum;
        }
    }
}

// dPhi/du = dPhi/dy dy/du with y = rho (u_N + mu |u_g|, mu u_g), and dPhi/dp = dPhi/dx dx/dp with
// x = (mu p_N, p_g): (9), (10).
static void chain(double mu, double rho, int n, const double* u, CnLinearised* law) {
    double length = tangent_length(n, u);
    for (int i = 0; i < n; ++i) {
        law->b[i][0] *= mu;
        for (int j = 1; j < n; ++j) {
            double slip = length > 0.0 ? u[j] / length : 0.0;
            law->a[i][j] = rho * mu * (law->a[i][j] + law->a[i][0] * slip);
        }
        law->a[i][0] *= rho;
    }
}

// The normal and one group of friction rows, n in all: a second-order cone. (5)-(10)
static void linearise_cone(double mu, double rho, int n, const double* u, const double* p,
                           CnLinearised* law) {
    double x[CN_MAX_ROWS], y[CN_MAX_ROWS];
    for (int i = 1; i < n; ++i) {
        x[i] = p[i];
        y[i] = rho * mu * u[i];
    }
    x[0] = mu * p[0];
    y[0] = rho * (u[0] + mu * tangent_length(n, u));
    Root root;
    find_root(n, x, y, &root);
    if (root.w[0] == 0.0) { // x = y = 0: as if both lay on the axis
        for (int i = 0; i < n; ++i) {
            law->a[i][i] = law->b[i][i] = 1.0 - sqrt(0.5);
        }
    } else {
        differentiate(n, &root, y, law->a);
        differentiate(n, &root, x, law->b);
    }
    for (int i = 0; i < n; ++i) {
        law->phi[i] = x[i] + y[i] - root.w[i];
    }
    chain(mu, rho, n, u, law);
}

// The friction rows of a group are those of its cone. The normal has an equation of its own: (11).
static void linearise_group(double mu, CnFrictionGroup group, double rho, const double* u,
                            const double* p, CnLinearised* law) {
    CnLinearised cone = {.phi = {0.0}};
    double own_u[CN_MAX_ROWS] = {u[0]}, own_p[CN_MAX_ROWS] = {p[0]};
    int n = 1 + group.count, before = group.first - 1; // row i of the cone is i + before here
    for (int i = 1; i < n; ++i) {
        own_u[i] = u[before + i];
        own_p[i] = p[before + i];
    }
    linearise_cone(mu, rho, n, own_u, own_p, &cone);
    for (int i = 1; i < n; ++i) {
        law->phi[before + i] = cone.phi[i];
        law->a[before + i][0] = cone.a[i][0];
        law->b[before + i][0] = cone.b[i][0];
        for (int j = 1; j < n; ++j) {
            law->a[before + i][before + j] = cone.a[i][j];
            law->b[before + i][before + j] = cone.b[i][j];
        }
    }
}

static void linearise_coulomb(const CnBlock* block, double rho, const double* u, const double* p,
                              CnLinearised* law) {
    CnFrictionGroup groups[CN_MAX_FRICTION_GROUPS];
    int count = cn_friction_groups(block->row_count, groups);
    double mu = block->friction;
    linearise_row(0.0, HUGE_VAL, rho, u[0], p[0], 0, law);
    for (int g = 0; g < count && mu > 0.0; ++g) {
        linearise_group(mu, groups[g], rho, u, p, law);
    }
    for (int i = 1; i < block->row_count && mu == 0.0; ++i) { // the cone is a ray
        set_row(law, i, p[i], 0.0, 1.0);
    }
}

void cn_linearise_fischer_burmeister(const CnProblem* problem, const CnBlock* block,
                                     const double* w, double rho, const double* u, const double* p,
                                     CnLinearised* law) {
    if (block->law == CN_LAW_COULOMB) {
        linearise_coulomb(block, rho, u, p, law);
    } else if (block->law == CN_LAW_BOUNDS) {
        linearise_bounds(problem, block, rho, u, p, law);
    } else { // equations already
        cn_linearise_natural(problem, block, w, rho, u, p, law);
    }
}

// tile_newton.c - Newton's method for a few contact points on their tiles.
//
// Where one body has two contacts that slide or stick together, sweeps hand the same error to and
// fro. The equations of all points are few enough to be solved at once.
#include "solvers/solve/tile_newton.h"

#include "linalg/dense.h"
#include "math/worse.h"
#include "solvers/newton/linearised.h"

#include <math.h>

// More points that are closed take longer than the sweeps they save.
#define MOST_POINTS 8
#define MOST_ROWS (3 * MOST_POINTS)

// From the right set of statuses Newton converges in two or three steps; each further one tries
// another set.
#define STEPS 6

// Share of its diagonal that is added to W, which is singular where points hold more than their
// bodies can move: docs/theory/solvers/newton_ac.md (2), (3). Motions of eigenvalue lambda,
// relative to the diagonal, lose all but this / lambda of their error in a step.
#define PROXIMAL 1e-10

// Multiplications for W of two points on one body.
#define WORK_OF_COUPLING 54.0

typedef struct Newton {
    const CnSweptPoint* points[MOST_POINTS]; // that are closed   [count]
    int count, rows;
    double w[MOST_ROWS * MOST_ROWS];      // W of all points, row-major   [rows * rows]
    double matrix[MOST_ROWS * MOST_ROWS]; // A W + B, then its factor   [rows * rows]
    double x[MOST_ROWS];                  // -Phi, then dp   [rows]
    int pivot[MOST_ROWS];                 // [rows]
} Newton;

// Impulses and velocities of a point before the first step.
typedef struct Start {
    double impulse[3], velocity[2][6];
} Start;

// W of two points, from the sides that have a body in common.
static void find_coupling(Newton* newton, int i, int j) {
    for (int s = 0; s < 4; ++s) {
        const CnSweptSide* a = &newton->points[i]->side[s / 2];
        const CnSweptSide* b = &newton->points[j]->side[s % 2];
        for (int k = 0; a->velocity != NULL && a->velocity == b->velocity && k < 3; ++k) {
            double push[6];
            memcpy(push, b->push[k], sizeof push);
            CnDouble4 u = a->column[0] * push[0];
            for (int l = 1; l < 6; ++l) {
                u += a->column[l] * push[l];
            }
            for (int r = 0; r < 3; ++r) {
                newton->w[(3 * i + r) * newton->rows + 3 * j + k] += u[r];
            }
        }
    }
}

static double* impulse_of(const CnSweptPoint* point, int row) {
    return &point->tile->impulse[row][point->place];
}

// The rows of one point in (A W + B) dp = -Phi. Returns lambda_max |Phi| [m/s].
static double linearise(Newton* newton, int i) {
    const CnSweptPoint* point = newton->points[i];
    int n = newton->rows;
    const double* w = &newton->w[3 * i * n]; // of its three rows
    CnBlock block = {.law = CN_LAW_COULOMB, .row_count = 3, .friction = point->contact.friction};
    CnLinearised law = {0};
    CnDouble4 velocity = cn_swept_velocity(point);
    double u[3], p[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = velocity[k];
        p[k] = *impulse_of(point, k);
    }
    cn_linearise_alart_curnier(NULL, &block, point->contact.w, 1.0 / point->contact.lambda_max, u,
                               p, &law);
    for (int r = 0; r < 3; ++r) {
        double* row = &newton->matrix[(3 * i + r) * n];
        newton->x[3 * i + r] = -law.phi[r];
        for (int c = 0; c < n; ++c) {
            row[c] = law.a[r][0] * w[c] + law.a[r][1] * w[n + c] + law.a[r][2] * w[2 * n + c];
        }
        for (int k = 0; k < 3; ++k) {
            row[3 * i + k] += law.b[r][k] + PROXIMAL * law.a[r][k] * w[k * n + 3 * i + k];
        }
    }
    return point->contact.lambda_max *
           sqrt(law.phi[0] * law.phi[0] + law.phi[1] * law.phi[1] + law.phi[2] * law.phi[2]);
}

// The equations of all points. Returns the largest of their errors [m/s].
static double linearise_all(Newton* newton) {
    double most = 0.0;
    for (int i = 0; i < newton->count; ++i) {
        most = cn_worse(most, linearise(newton, i));
    }
    return most;
}

// Impulses and velocities change by x.
static void take_step(Newton* newton) {
    for (int i = 0; i < newton->count; ++i) {
        const CnSweptPoint* point = newton->points[i];
        const double* dp = newton->x + 3 * i;
        for (int k = 0; k < 3; ++k) {
            *impulse_of(point, k) += dp[k];
        }
        cn_swept_push(point, dp);
    }
}

// start <- what points and bodies have; back: the other way.
static void copy_start(const Newton* newton, Start* start, bool back) {
    for (int i = 0; i < newton->count; ++i) {
        const CnSweptPoint* point = newton->points[i];
        for (int k = 0; k < 3; ++k) {
            double *own = impulse_of(point, k), *copy = &start[i].impulse[k];
            *(back ? own : copy) = *(back ? copy : own);
        }
        for (int s = 0; s < 2; ++s) {
            double *own = point->side[s].velocity, *copy = start[i].velocity[s];
            if (own != NULL) {
                memcpy(back ? own : copy, back ? copy : own, sizeof start[i].velocity[s]);
            }
        }
    }
}

// Open points stay open: if Newton closes one, the next sweep sees it. False: too few, or too many.
static bool list_closed(const CnSweptPoint* points, int count, Newton* newton) {
    newton->count = 0;
    for (int i = 0; i < count; ++i) {
        if (*impulse_of(&points[i], 0) > 0.0) {
            if (newton->count == MOST_POINTS) {
                return false;
            }
            newton->points[newton->count++] = &points[i];
        }
    }
    newton->rows = 3 * newton->count;
    return newton->count > 1;
}

bool cn_tile_newton(const CnSweptPoint* points, int count, double tolerance, double* work) {
    Newton newton;
    Start start[MOST_POINTS];
    if (!list_closed(points, count, &newton)) {
        return false;
    }
    copy_start(&newton, start, false);
    memset(newton.w, 0, (size_t)(newton.rows * newton.rows) * sizeof newton.w[0]);
    for (int i = 0; i < newton.count * newton.count; ++i) {
        find_coupling(&newton, i / newton.count, i % newton.count);
    }
    *work += WORK_OF_COUPLING * newton.count * newton.count;
    double error = linearise_all(&newton);
    for (int step = 0; step < STEPS && error > tolerance; ++step) {
        if (!cn_dense_lu_factor(newton.rows, newton.matrix, newton.pivot)) {
            break;
        }
        cn_dense_lu_solve(newton.rows, newton.matrix, newton.pivot, newton.x);
        take_step(&newton);
        error = linearise_all(&newton);
        *work += newton.rows * newton.rows * (4.0 + newton.rows / 3.0);
    }
    bool converged = error <= tolerance;
    if (!converged) {
        copy_start(&newton, start, true);
    }
    return converged;
}

// pivoting.c - shared by the pivoting solvers: a dense box LCP and its refinement.
#include "solvers/pivot/pivoting.h"

#include "base/error.h"
#include "constraints/problem/block.h"
#include "linalg/dense.h"
#include "solvers/solve/refusal.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Elements of W are off by some epsilons of their size, which the scaling makes at most 1.
#define ROUND_OFF (8.0 * DBL_EPSILON)

#define NAME_SIZE 80   // of a block, in a remark
#define POLISH_STEPS 4 // each gains the digits of the factor: ten at condition 1e6

CnStatus cn_pivoting_prepare(CnPivoting* pivoting, const CnSolverInfo* solver,
                             const CnProblem* problem, CnArena* arena, CnError* error) {
    CnStatus status = cn_refuse_laws(problem, solver, error);
    if (status == CN_OK && problem->row_count > CN_PIVOTING_MAX_ROWS) {
        return cn_error_set(error, CN_UNSUPPORTED,
                            "solver %s works on dense matrices of at most %d rows, and the problem "
                            "has %d",
                            solver->name, CN_PIVOTING_MAX_ROWS, problem->row_count);
    }
    if (status == CN_OK) {
        status = cn_box_lcp_build(problem, true, arena, &pivoting->box);
    }
    if (status != CN_OK) {
        return status;
    }
    int n = pivoting->box.n;
    pivoting->w = CN_ARENA_NEW(arena, double, (size_t)n*(size_t)n);
    pivoting->x = CN_ARENA_NEW(arena, double, n);
    pivoting->u = CN_ARENA_NEW(arena, double, n);
    pivoting->step = CN_ARENA_NEW(arena, double, n);
    pivoting->kept = CN_ARENA_NEW(arena, double, n);
    if (pivoting->w == NULL || pivoting->x == NULL || pivoting->u == NULL ||
        pivoting->step == NULL || pivoting->kept == NULL) {
        return CN_NO_MEMORY;
    }
    cn_sparse_to_dense(&pivoting->box.w, pivoting->w);
    return CN_OK;
}

CnStatus cn_pivoting_refuse_asymmetry(const CnPivoting* pivoting, const char* solver,
                                      const char* unless, CnError* error) {
    return pivoting->box.asymmetry <= CN_SYMMETRIC
               ? CN_OK
               : cn_error_set(error, CN_UNSUPPORTED,
                              "solver %s needs a symmetric W%s; this one differs from its "
                              "transpose by %.1e of its diagonal",
                              solver, unless, pivoting->box.asymmetry);
}

bool cn_pivoting_depends(const CnCholesky* free, int i, double* remainder, double* direction) {
    double size = 1.0;
    *remainder = cn_cholesky_remainder(free, i, direction);
    for (int k = 0; k < free->count; ++k) {
        size += fabs(direction[k]);
    }
    return !(*remainder > ROUND_OFF * size * size);
}

bool cn_pivoting_add(CnPivoting* pivoting, CnCholesky* free, int i) {
    double remainder;
    bool depends = cn_pivoting_depends(free, i, &remainder, pivoting->kept);
    return !depends && cn_cholesky_add(free, i, 0.0);
}

// An LDL^T to find the order, then three triangular solutions for each row that joins.
double cn_pivoting_placing_work(const CnPivoting* pivoting) {
    double n = pivoting->box.n;
    return 2.0 / 3.0 * n * n * n + 2.0 * n * n;
}

CnStatus cn_pivoting_free_rows(CnPivoting* pivoting, const int* rows, int count, CnArena* arena,
                               CnCholesky* free) {
    size_t n = (size_t)pivoting->box.n;
    CnDenseLdlt ldlt;
    CnArenaMark mark = cn_arena_mark(arena);
    double* a = CN_ARENA_NEW(arena, double, (size_t)count*(size_t)count);
    bool complete = a != NULL && cn_dense_ldlt_init(&ldlt, count, arena) == CN_OK;
    if (complete) {
        for (int i = 0; i < count; ++i) {
            for (int j = 0; j <= i; ++j) {
                a[(size_t)i * (size_t)count + (size_t)j] =
                    pivoting->w[(size_t)rows[i] * n + (size_t)rows[j]];
            }
        }
        cn_dense_ldlt_factor(&ldlt, a);
        for (int k = 0; k < count; ++k) {
            cn_pivoting_add(pivoting, free, rows[ldlt.order[k]]);
        }
    }
    cn_arena_release(arena, mark);
    return complete ? CN_OK : CN_NO_MEMORY;
}

void cn_pivoting_correct(CnPivoting* pivoting, const CnCholesky* free) {
    const CnBoxLcp* box = &pivoting->box;
    for (int k = 0; k < free->count; ++k) {
        pivoting->step[k] = pivoting->u[free->row[k]];
    }
    cn_cholesky_solve(free, pivoting->step);
    for (int k = 0; k < free->count; ++k) {
        int i = free->row[k];
        pivoting->x[i] =
            fmin(fmax(pivoting->x[i] - pivoting->step[k], box->lower[i]), box->upper[i]);
    }
}

// Keeps correcting while the residual falls; returns it in row units.
static double polish(CnPivoting* pivoting, const CnCholesky* free, int* worst) {
    const CnBoxLcp* box = &pivoting->box;
    size_t size = (size_t)box->n * sizeof(double);
    cn_box_lcp_velocity(box, pivoting->x, pivoting->u);
    double residual = cn_box_lcp_residual(box, pivoting->x, pivoting->u, worst);

    for (int i = 0; i < POLISH_STEPS; ++i) {
        int new_worst;
        memcpy(pivoting->kept, pivoting->x, size);
        cn_pivoting_correct(pivoting, free);
        cn_box_lcp_velocity(box, pivoting->x, pivoting->u);
        double new_residual = cn_box_lcp_residual(box, pivoting->x, pivoting->u, &new_worst);
        if (!(new_residual < residual)) {
            memcpy(pivoting->x, pivoting->kept, size);
            return residual;
        }
        residual = new_residual;
        *worst = new_worst;
    }
    return residual;
}

// Remarks for each outcome: name of the worst block, residual [m/s].
static const char* const remarks[] = {
    [CN_PIVOTING_SOLVED] = "round-off leaves %s with %.3g m/s",
    [CN_PIVOTING_CONTRADICTION] = "%s contradicts the other rows by %.3g m/s",
    [CN_PIVOTING_EXHAUSTED] = "out of pivots; the worst is %s with %.3g m/s",
};

static const CnOutcome outcomes[] = {
    [CN_PIVOTING_SOLVED] = CN_STALLED,
    [CN_PIVOTING_CONTRADICTION] = CN_STALLED,
    [CN_PIVOTING_EXHAUSTED] = CN_OUT_OF_ITERATIONS,
};

void cn_pivoting_finish(CnPivoting* pivoting, const CnCholesky* free, CnPivotingEnd end,
                        const CnSolverDef* def, const CnProblem* problem, CnSolution* solution,
                        CnSolverReport* report) {
    int worst;
    double residual = polish(pivoting, free, &worst);
    cn_box_lcp_write(&pivoting->box, problem, pivoting->x, solution);
    report->outcome = CN_CONVERGED;
    if (!(residual <= def->tolerance)) {
        char name[NAME_SIZE];
        cn_block_describe(problem, pivoting->box.block[worst], name, sizeof name);
        report->outcome = outcomes[end];
        snprintf(report->remark, sizeof report->remark, remarks[end], name, residual);
    }
}

// krylov.c - conjugate residuals for symmetric systems.
#include "linalg/krylov.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

// z . A z / r . z is a mean of the eigenvalues weighted by r. When it has fallen to this share of
// its first value, r lies in the null space of A up to round-off and the next quotients would be
// noise: linalg.md (13).
#define OUT_OF_REACH 1e-14

// Names as in linalg.md (10)-(11).
typedef struct KrylovVectors {
    double* r;  // residual b - A x
    double* z;  // preconditioned residual
    double* p;  // direction
    double* ap; // A p
    double* az; // A z
    double* q;  // preconditioned A p
} KrylovVectors;

static bool allocate(KrylovVectors* v, int n, CnArena* arena) {
    v->r = CN_ARENA_NEW(arena, double, n);
    v->z = CN_ARENA_NEW(arena, double, n);
    v->p = CN_ARENA_NEW(arena, double, n);
    v->ap = CN_ARENA_NEW(arena, double, n);
    v->az = CN_ARENA_NEW(arena, double, n);
    v->q = CN_ARENA_NEW(arena, double, n);
    return v->r != NULL && v->z != NULL && v->p != NULL && v->ap != NULL && v->az != NULL &&
           v->q != NULL;
}

static void copy(int n, const double* from, double* to) {
    memcpy(to, from, (size_t)n * sizeof *to);
}

static double norm(int n, const double* x) {
    return sqrt(cn_dense_dot(n, x, x));
}

// y = x + scale y
static void scale_and_add(int n, double scale, const double* x, double* y) {
    for (int i = 0; i < n; ++i) {
        y[i] = x[i] + scale * y[i];
    }
}

static void precondition(const CnLinearSystem* system, const double* x, double* y) {
    if (system->precondition != NULL) {
        system->precondition(x, y, system->context);
    } else {
        copy(system->n, x, y);
    }
}

// Returns z . A z.
static double start(const CnLinearSystem* system, const double* x, KrylovVectors* v) {
    system->apply(x, v->ap, system->context);
    for (int i = 0; i < system->n; ++i) {
        v->r[i] = system->right[i] - v->ap[i];
    }
    precondition(system, v->r, v->z);
    copy(system->n, v->z, v->p);
    system->apply(v->z, v->ap, system->context); // p = z at first, so this is A z and A p
    return cn_dense_dot(system->n, v->z, v->ap);
}

// One step from the state in v; *measure is z . A z. False: it broke down and changed nothing.
static bool advance(const CnLinearSystem* system, double* x, KrylovVectors* v, double* measure) {
    int n = system->n;
    precondition(system, v->ap, v->q);
    double size = cn_dense_dot(n, v->ap, v->q);
    double alpha = *measure / size;
    if (!(size > 0.0) || *measure == 0.0 || !isfinite(alpha)) {
        return false;
    }
    cn_dense_add_scaled(n, alpha, v->p, x);
    cn_dense_add_scaled(n, -alpha, v->ap, v->r);
    cn_dense_add_scaled(n, -alpha, v->q, v->z);
    system->apply(v->z, v->az, system->context);
    double next = cn_dense_dot(n, v->z, v->az);
    double beta = next / *measure;
    scale_and_add(n, beta, v->z, v->p);
    scale_and_add(n, beta, v->az, v->ap);
    *measure = next;
    return true;
}

static void iterate(const CnLinearSystem* system, const CnKrylovSettings* settings, double* x,
                    KrylovVectors* v, CnKrylovReport* report) {
    double goal = settings->absolute_tolerance +
                  settings->relative_tolerance * norm(system->n, system->right);
    double measure = start(system, x, v);
    double first = fabs(measure) / cn_dense_dot(system->n, v->r, v->z);
    report->end = CN_KRYLOV_OUT_OF_ITERATIONS;
    report->residual = norm(system->n, v->r);
    while (report->residual > goal && report->iterations < settings->max_iterations) {
        if (fabs(measure) <= OUT_OF_REACH * first * cn_dense_dot(system->n, v->r, v->z)) {
            report->end = CN_KRYLOV_STATIONARY;
            return;
        }
        if (!advance(system, x, v, &measure)) {
            report->end = CN_KRYLOV_BROKE_DOWN;
            return;
        }
        ++report->iterations;
        report->residual = norm(system->n, v->r);
    }
    if (!isfinite(report->residual)) {
        report->end = CN_KRYLOV_BROKE_DOWN;
    } else if (report->residual <= goal) {
        report->end = CN_KRYLOV_CONVERGED;
    }
}

CnStatus cn_krylov_cr(const CnLinearSystem* system, const CnKrylovSettings* settings,
                      CnArena* arena, double* x, CnKrylovReport* report) {
    *report = (CnKrylovReport){0};
    CnArenaMark mark = cn_arena_mark(arena);
    KrylovVectors v;
    bool complete = allocate(&v, system->n, arena);
    if (complete) {
        iterate(system, settings, x, &v, report);
    }
    cn_arena_release(arena, mark);
    return complete ? CN_OK : CN_NO_MEMORY;
}

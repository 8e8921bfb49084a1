// gmres.c - generalised minimal residuals, for systems without symmetry.
#include "linalg/gmres.h"

#include "linalg/dense.h"
#include <math.h>
#include <string.h>

// A new direction shortened to less than this share is round-off: the Krylov space is complete.
#define EXHAUSTED 1e-14

CnStatus cn_gmres_init(CnGmres* gmres, int n, int size, CnArena* arena) {
    size_t steps = (size_t)size;
    *gmres = (CnGmres){
        .n = n,
        .size = size,
        .basis = CN_ARENA_NEW(arena, double, (steps + 1) * (size_t)n),
        .hessenberg = CN_ARENA_NEW(arena, double, steps*(steps + 1)),
        .cosine = CN_ARENA_NEW(arena, double, steps),
        .sine = CN_ARENA_NEW(arena, double, steps),
        .right = CN_ARENA_NEW(arena, double, steps + 1),
        .work = CN_ARENA_NEW(arena, double, 2 * (size_t)n),
    };
    bool complete = gmres->basis != NULL && gmres->hessenberg != NULL && gmres->cosine != NULL &&
                    gmres->sine != NULL && gmres->right != NULL && gmres->work != NULL;
    return complete ? CN_OK : CN_NO_MEMORY;
}

static double* direction(const CnGmres* gmres, int k) {
    return gmres->basis + (size_t)k * (size_t)gmres->n;
}

static double* column(const CnGmres* gmres, int k) {
    return gmres->hessenberg + (size_t)k * ((size_t)gmres->size + 1);
}

static void precondition(const CnLinearSystem* system, const double* x, double* y) {
    if (system->precondition != NULL) {
        system->precondition(x, y, system->context);
    } else {
        memcpy(y, x, (size_t)system->n * sizeof(double));
    }
}

// The next direction, A P v_k made orthogonal to all before: (1), (2). Returns its length before
// it was normalised; zero when nothing new is left.
static double extend(CnGmres* gmres, const CnLinearSystem* system, int k) {
    int n = gmres->n;
    double* next = direction(gmres, k + 1);
    double* h = column(gmres, k);
    precondition(system, direction(gmres, k), gmres->work);
    system->apply(gmres->work, next, system->context);
    double before = sqrt(cn_dense_dot(n, next, next));
    for (int pass = 0; pass < 2; ++pass) { // twice is enough (Kahan and Parlett)
        for (int j = 0; j <= k; ++j) {
            double share = cn_dense_dot(n, next, direction(gmres, j));
            h[j] = pass == 0 ? share : h[j] + share;
            cn_dense_add_scaled(n, -share, direction(gmres, j), next);
        }
    }
    double length = sqrt(cn_dense_dot(n, next, next));
    if (!(length > EXHAUSTED * before)) {
        return isnan(length) ? length : 0.0;
    }
    for (int i = 0; i < n; ++i) {
        next[i] /= length;
    }
    return length;
}

// Keeps H upper triangular and the right side in step with it: (3).
static void rotate(CnGmres* gmres, int k, double length) {
    double* h = column(gmres, k);
    for (int j = 0; j < k; ++j) {
        double upper = h[j];
        h[j] = gmres->cosine[j] * upper + gmres->sine[j] * h[j + 1];
        h[j + 1] = gmres->cosine[j] * h[j + 1] - gmres->sine[j] * upper;
    }
    double size = sqrt(h[k] * h[k] + length * length);
    gmres->cosine[k] = size > 0.0 ? h[k] / size : 1.0;
    gmres->sine[k] = size > 0.0 ? length / size : 0.0;
    h[k] = size;
    gmres->right[k + 1] = -gmres->sine[k] * gmres->right[k];
    gmres->right[k] *= gmres->cosine[k];
}

// x = P V y with H y = right: (4). Columns without a pivot are skipped.
static void combine(CnGmres* gmres, const CnLinearSystem* system, int steps, double* x) {
    double* sum = gmres->work + gmres->n;
    for (int k = steps - 1; k >= 0; --k) {
        double y = column(gmres, k)[k] > 0.0 ? gmres->right[k] / column(gmres, k)[k] : 0.0;
        gmres->right[k] = y;
        for (int j = 0; j < k; ++j) {
            gmres->right[j] -= column(gmres, k)[j] * y;
        }
    }
    memset(sum, 0, (size_t)gmres->n * sizeof(double));
    for (int k = 0; k < steps; ++k) {
        cn_dense_add_scaled(gmres->n, gmres->right[k], direction(gmres, k), sum);
    }
    precondition(system, sum, x);
}

void cn_gmres_solve(CnGmres* gmres, const CnLinearSystem* system, const CnKrylovSettings* settings,
                    double* x, CnKrylovReport* report) {
    int n = gmres->n, steps = 0;
    int limit = settings->max_iterations < gmres->size ? settings->max_iterations : gmres->size;
    double size = sqrt(cn_dense_dot(n, system->right, system->right));
    double wanted = settings->absolute_tolerance + settings->relative_tolerance * size;
    *report = (CnKrylovReport){CN_KRYLOV_OUT_OF_ITERATIONS, 0, size};
    memset(x, 0, (size_t)n * sizeof(double));
    if (!isfinite(size)) {
        report->end = CN_KRYLOV_BROKE_DOWN;
        return;
    }
    gmres->right[0] = size;
    for (int i = 0; i < n && size > 0.0; ++i) {
        gmres->basis[i] = system->right[i] / size;
    }
    bool exhausted = false;
    while (report->residual > wanted && steps < limit && !exhausted) {
        double length = extend(gmres, system, steps);
        if (!isfinite(length)) {
            report->end = CN_KRYLOV_BROKE_DOWN;
            break;
        }
        rotate(gmres, steps++, length);
        report->residual = fabs(gmres->right[steps]);
        exhausted = length == 0.0;
    }
    if (report->residual <= wanted) {
        report->end = CN_KRYLOV_CONVERGED;
    } else if (exhausted) {
        report->end = CN_KRYLOV_BROKE_DOWN;
    }
    report->iterations = steps;
    combine(gmres, system, steps, x);
}

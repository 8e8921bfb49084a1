// anderson.c - Anderson acceleration (type II) of a fixed-point iteration.
#include "solvers/first_order/anderson.h"

#include <math.h>
#include <string.h>

CnStatus cn_anderson_init(CnAnderson* anderson, int n, CnArena* arena) {
    size_t window = CN_ANDERSON_WINDOW;
    *anderson = (CnAnderson){
        .n = n,
        .last_f = CN_ARENA_NEW(arena, double, n),
        .last_g = CN_ARENA_NEW(arena, double, n),
        .delta_f = CN_ARENA_NEW(arena, double, window*(size_t)n),
        .delta_g = CN_ARENA_NEW(arena, double, window*(size_t)n),
        .gram = CN_ARENA_NEW(arena, double, window* window),
        .system = CN_ARENA_NEW(arena, double, window* window),
        .rhs = CN_ARENA_NEW(arena, double, window),
    };
    if (anderson->last_f == NULL || anderson->last_g == NULL || anderson->delta_f == NULL ||
        anderson->delta_g == NULL || anderson->gram == NULL || anderson->system == NULL ||
        anderson->rhs == NULL) {
        return CN_NO_MEMORY;
    }
    return cn_dense_ldlt_init(&anderson->ldlt, CN_ANDERSON_WINDOW, arena);
}

void cn_anderson_reset(CnAnderson* anderson) {
    anderson->count = 0;
    anderson->next = 0;
    anderson->has_last = false;
}

// Puts the differences to the last step into the window and their products into the Gram matrix;
// f becomes the last one.
static void remember(CnAnderson* anderson, const double* f, const double* g) {
    int n = anderson->n;
    if (anderson->has_last) {
        int slot = anderson->next;
        double* delta_f = anderson->delta_f + (size_t)slot * (size_t)n;
        double* delta_g = anderson->delta_g + (size_t)slot * (size_t)n;
        for (int i = 0; i < n; ++i) {
            delta_f[i] = f[i] - anderson->last_f[i];
            delta_g[i] = g[i] - anderson->last_g[i];
        }
        anderson->next = (slot + 1) % CN_ANDERSON_WINDOW;
        anderson->count += anderson->count < CN_ANDERSON_WINDOW ? 1 : 0;
        for (int k = 0; k < anderson->count; ++k) {
            double product = cn_dense_dot(n, delta_f, anderson->delta_f + (size_t)k * (size_t)n);
            anderson->gram[slot * CN_ANDERSON_WINDOW + k] = product;
            anderson->gram[k * CN_ANDERSON_WINDOW + slot] = product;
        }
    }
    memcpy(anderson->last_f, f, (size_t)n * sizeof(double));
    memcpy(anderson->last_g, g, (size_t)n * sizeof(double));
    anderson->has_last = true;
}

// The weights gamma that make |f - delta_f gamma| least, left in rhs: the normal equations, scaled
// to a unit diagonal so that their rank can be judged. Dependent directions get 0.
static void fit(CnAnderson* anderson) {
    int m = anderson->count;
    double scale[CN_ANDERSON_WINDOW];
    for (int i = 0; i < m; ++i) {
        double square = anderson->gram[i * CN_ANDERSON_WINDOW + i];
        scale[i] = square > 0.0 ? 1.0 / sqrt(square) : 0.0;
        anderson->rhs[i] =
            scale[i] * cn_dense_dot(anderson->n, anderson->last_f,
                                    anderson->delta_f + (size_t)i * (size_t)anderson->n);
    }
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < m; ++j) {
            anderson->system[i * m + j] =
                scale[i] * anderson->gram[i * CN_ANDERSON_WINDOW + j] * scale[j];
        }
    }
    anderson->ldlt.n = m;
    cn_dense_ldlt_factor(&anderson->ldlt, anderson->system);
    cn_dense_ldlt_solve(&anderson->ldlt, anderson->rhs, anderson->rhs);
    for (int i = 0; i < m; ++i) {
        anderson->rhs[i] *= scale[i];
    }
}

double cn_anderson_step(CnAnderson* anderson, const double* x, const double* g,
                        const double* weight, double* next) {
    int n = anderson->n;
    for (int i = 0; i < n; ++i) {
        next[i] = weight[i] * (g[i] - x[i]);
    }
    double size = sqrt(cn_dense_dot(n, next, next));
    remember(anderson, next, g);
    fit(anderson);
    memcpy(next, g, (size_t)n * sizeof(double));
    for (int k = 0; k < anderson->count; ++k) {
        cn_dense_add_scaled(n, -anderson->rhs[k], anderson->delta_g + (size_t)k * (size_t)n, next);
    }
    return size;
}

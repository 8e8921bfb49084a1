// ldlt.c - sparse LDL^T of a symmetric semidefinite or quasi-definite matrix.
//
// Up-looking, after T. A. Davis, "Algorithm 849: a concise sparse Cholesky factorization package"
// (2005), which skips redundant rows.
#include "linalg/ldlt.h"

#include "linalg/ordering.h"
#include <limits.h>
#include <math.h>

// Both triangles, without the diagonal. start [n + 1] and length [n] are zero at first.
static void spread_pattern(const CnSparse* a, int* start, int* length, int* row) {
    for (int j = 0; j < a->n; ++j) {
        for (int e = a->start[j]; e < a->start[j + 1]; ++e) {
            if (a->row[e] != j) {
                ++start[j + 1];
                ++start[a->row[e] + 1];
            }
        }
    }
    for (int j = 0; j < a->n; ++j) {
        start[j + 1] += start[j];
    }
    for (int j = 0; j < a->n; ++j) {
        for (int e = a->start[j]; e < a->start[j + 1]; ++e) {
            int i = a->row[e];
            if (i != j) {
                row[start[j] + length[j]++] = i;
                row[start[i] + length[i]++] = j;
            }
        }
    }
}

static CnStatus find_order(CnLdlt* ldlt, const CnSparse* a, CnArena* arena) {
    size_t entries = 2 * (size_t)a->start[a->n];
    if (entries > INT_MAX) {
        return CN_NO_MEMORY;
    }
    CnArenaMark mark = cn_arena_mark(arena);
    int* start = CN_ARENA_NEW(arena, int, (size_t)a->n + 1);
    int* length = CN_ARENA_NEW(arena, int, a->n);
    int* row = CN_ARENA_NEW(arena, int, entries);
    CnStatus status = CN_NO_MEMORY;
    if (start != NULL && length != NULL && row != NULL) {
        spread_pattern(a, start, length, row);
        status = cn_minimum_degree(a->n, start, row, arena, ldlt->order, ldlt->inverse);
    }
    cn_arena_release(arena, mark);
    return status;
}

// Column of P A P^T's upper triangle to which entry (i, j) of A belongs; *row is its row there.
static int permuted_place(const CnLdlt* ldlt, int i, int j, int* row) {
    int a = ldlt->inverse[i];
    int b = ldlt->inverse[j];
    *row = a < b ? a : b;
    return a < b ? b : a;
}

static void permute_pattern(CnLdlt* ldlt, const CnSparse* a) {
    int row;
    int* start = ldlt->column_start;
    for (int j = 0; j < a->n; ++j) {
        for (int e = a->start[j]; e < a->start[j + 1]; ++e) {
            ++start[permuted_place(ldlt, a->row[e], j, &row) + 1];
        }
    }
    for (int j = 0; j < a->n; ++j) {
        start[j + 1] += start[j];
        ldlt->mark[j] = start[j];
    }
    for (int j = 0; j < a->n; ++j) {
        for (int e = a->start[j]; e < a->start[j + 1]; ++e) {
            int column = permuted_place(ldlt, a->row[e], j, &row);
            ldlt->slot[e] = ldlt->mark[column]++;
            ldlt->column_row[ldlt->slot[e]] = row;
        }
    }
}

// Row k of L is found by walking from each entry of column k up the tree (linalg.md (6)); every
// walk ends where an earlier one passed. l_start[j + 1] counts the entries of column j.
static void find_tree(CnLdlt* ldlt) {
    for (int k = 0; k < ldlt->n; ++k) {
        ldlt->parent[k] = -1;
        ldlt->mark[k] = k;
        for (int e = ldlt->column_start[k]; e < ldlt->column_start[k + 1]; ++e) {
            for (int i = ldlt->column_row[e]; ldlt->mark[i] != k; i = ldlt->parent[i]) {
                if (ldlt->parent[i] < 0) {
                    ldlt->parent[i] = k;
                }
                ++ldlt->l_start[i + 1];
                ldlt->mark[i] = k;
            }
        }
    }
    for (int j = 0; j < ldlt->n; ++j) {
        double entries = (double)ldlt->l_start[j + 1];
        ldlt->multiplications += 0.5 * entries * (entries + 3.0);
        ldlt->l_start[j + 1] += ldlt->l_start[j];
    }
    ldlt->factor_count = ldlt->l_start[ldlt->n];
}

static CnStatus allocate_symbolic(CnLdlt* ldlt, int n, int entries, CnArena* arena) {
    ldlt->redundant = CN_ARENA_NEW(arena, bool, n);
    ldlt->order = CN_ARENA_NEW(arena, int, n);
    ldlt->inverse = CN_ARENA_NEW(arena, int, n);
    ldlt->parent = CN_ARENA_NEW(arena, int, n);
    ldlt->pattern = CN_ARENA_NEW(arena, int, n);
    ldlt->mark = CN_ARENA_NEW(arena, int, n);
    ldlt->column_start = CN_ARENA_NEW(arena, int, (size_t)n + 1);
    ldlt->column_row = CN_ARENA_NEW(arena, int, entries);
    ldlt->slot = CN_ARENA_NEW(arena, int, entries);
    ldlt->permuted = CN_ARENA_NEW(arena, double, entries);
    ldlt->l_start = CN_ARENA_NEW(arena, size_t, (size_t)n + 1);
    ldlt->l_end = CN_ARENA_NEW(arena, size_t, n);
    ldlt->inverse_d = CN_ARENA_NEW(arena, double, n);
    ldlt->work = CN_ARENA_NEW(arena, double, n);
    bool complete = ldlt->redundant != NULL && ldlt->order != NULL && ldlt->inverse != NULL &&
                    ldlt->parent != NULL && ldlt->pattern != NULL && ldlt->mark != NULL &&
                    ldlt->column_start != NULL && ldlt->column_row != NULL && ldlt->slot != NULL &&
                    ldlt->permuted != NULL && ldlt->l_start != NULL && ldlt->l_end != NULL &&
                    ldlt->inverse_d != NULL && ldlt->work != NULL;
    return complete ? CN_OK : CN_NO_MEMORY;
}

CnStatus cn_ldlt_analyze(CnLdlt* ldlt, const CnSparse* a, CnArena* arena) {
    *ldlt = (CnLdlt){.n = a->n};
    CnStatus status = allocate_symbolic(ldlt, a->n, a->start[a->n], arena);
    if (status == CN_OK) {
        status = find_order(ldlt, a, arena);
    }
    if (status != CN_OK) {
        return status;
    }
    permute_pattern(ldlt, a);
    find_tree(ldlt);
    ldlt->l_row = CN_ARENA_NEW(arena, int, ldlt->factor_count);
    ldlt->l = CN_ARENA_NEW(arena, double, ldlt->factor_count);
    return ldlt->l_row != NULL && ldlt->l != NULL ? CN_OK : CN_NO_MEMORY;
}

// Scatters column k of P A P^T into work and lists the rows that reach k, in an order in which
// each comes after those it depends on: pattern[first .. n). Returns first.
static int gather_row(CnLdlt* ldlt, int k) {
    int first = ldlt->n;
    ldlt->mark[k] = k;
    for (int e = ldlt->column_start[k]; e < ldlt->column_start[k + 1]; ++e) {
        int i = ldlt->column_row[e];
        int length = 0;
        ldlt->work[i] += ldlt->permuted[e];
        for (; ldlt->mark[i] != k; i = ldlt->parent[i]) {
            ldlt->pattern[length++] = i;
            ldlt->mark[i] = k;
        }
        while (length > 0) {
            ldlt->pattern[--first] = ldlt->pattern[--length];
        }
    }
    return first;
}

// Row k of L solves a triangular system with the rows above it; its pivot is the remaining
// diagonal, linalg.md (5). `terms` sums the magnitudes of what is subtracted from what.
static double compute_row(CnLdlt* ldlt, int k, double* terms) {
    int first = gather_row(ldlt, k);
    double pivot = ldlt->work[k];
    ldlt->work[k] = 0.0;
    *terms = fabs(pivot);

    for (; first < ldlt->n; ++first) {
        int i = ldlt->pattern[first];
        double y = ldlt->work[i];
        ldlt->work[i] = 0.0;
        for (size_t e = ldlt->l_start[i]; e < ldlt->l_end[i]; ++e) {
            ldlt->work[ldlt->l_row[e]] -= ldlt->l[e] * y;
        }
        double l = y * ldlt->inverse_d[i];
        pivot -= l * y;
        *terms += fabs(l * y);
        ldlt->l_row[ldlt->l_end[i]] = k;
        ldlt->l[ldlt->l_end[i]++] = l;
    }
    return pivot;
}

bool cn_ldlt_factor(CnLdlt* ldlt, const CnSparse* a, double round_off) {
    for (int e = 0; e < a->start[a->n]; ++e) {
        ldlt->permuted[ldlt->slot[e]] = a->value[e];
    }
    for (int k = 0; k < ldlt->n; ++k) {
        ldlt->l_end[k] = ldlt->l_start[k];
        ldlt->mark[k] = -1;
        ldlt->work[k] = 0.0;
    }
    ldlt->rank = 0;
    for (int k = 0; k < ldlt->n; ++k) {
        double terms;
        double pivot = compute_row(ldlt, k, &terms);
        bool redundant = fabs(pivot) <= round_off * terms;
        if (!isfinite(pivot)) {
            return false;
        }
        ldlt->inverse_d[k] = redundant ? 0.0 : 1.0 / pivot; // 0 keeps the row out: linalg.md (8)
        ldlt->redundant[ldlt->order[k]] = redundant;
        ldlt->rank += redundant ? 0 : 1;
    }
    return true;
}

void cn_ldlt_solve(const CnLdlt* ldlt, const double* b, double* x) {
    double* z = ldlt->work;
    for (int k = 0; k < ldlt->n; ++k) {
        z[k] = b[ldlt->order[k]];
    }
    for (int k = 0; k < ldlt->n; ++k) {
        for (size_t e = ldlt->l_start[k]; e < ldlt->l_end[k]; ++e) {
            z[ldlt->l_row[e]] -= ldlt->l[e] * z[k];
        }
    }
    for (int k = ldlt->n - 1; k >= 0; --k) {
        z[k] *= ldlt->inverse_d[k];
        for (size_t e = ldlt->l_start[k]; e < ldlt->l_end[k]; ++e) {
            z[k] -= ldlt->l[e] * z[ldlt->l_row[e]];
        }
    }
    for (int k = 0; k < ldlt->n; ++k) {
        x[ldlt->order[k]] = z[k];
    }
}

// L^T z = weights: columns of L that belong to redundant rows are zero, so these keep theirs.
void cn_ldlt_dependencies(const CnLdlt* ldlt, const double* weight, double* z) {
    double* y = ldlt->work;
    for (int k = ldlt->n - 1; k >= 0; --k) {
        y[k] = ldlt->redundant[ldlt->order[k]] ? weight[ldlt->order[k]] : 0.0;
        for (size_t e = ldlt->l_start[k]; e < ldlt->l_end[k]; ++e) {
            y[k] -= ldlt->l[e] * y[ldlt->l_row[e]];
        }
    }
    for (int k = 0; k < ldlt->n; ++k) {
        z[ldlt->order[k]] = y[k];
    }
}

void cn_ldlt_dependency(const CnLdlt* ldlt, int row, double* z) {
    for (int i = 0; i < ldlt->n; ++i) {
        z[i] = i == row ? 1.0 : 0.0;
    }
    cn_ldlt_dependencies(ldlt, z, z);
}

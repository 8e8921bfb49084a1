// block_cholesky.c - sparse Cholesky factor of a positive definite matrix of 6 x 6 blocks.
#include "linalg/blocks/block_cholesky.h"

#include "linalg/blocks/block_graph.h"
#include "linalg/ordering.h"
#include "math/simd.h"
#include <math.h>
#include <string.h>

#define ROWS CN_CHOLESKY_ROWS
#define NUMBERS CN_CHOLESKY_NUMBERS

// Both triangles of the pattern, for the ordering.
static CnStatus find_order(const CnBlockGraph* graph, CnArena* arena, int* order, int* place) {
    int n = graph->block_count;
    int* start = CN_ARENA_NEW(arena, int, (size_t)n + 2);
    int* column = CN_ARENA_NEW(arena, int, 2 * (size_t)graph->start[n]);
    if (start == NULL || column == NULL) {
        return CN_NO_MEMORY;
    }
    for (int b = 0; b < n; ++b) {
        start[b + 2] += graph->start[b + 1] - graph->start[b];
        for (int e = graph->start[b]; e < graph->start[b + 1]; ++e) {
            ++start[graph->neighbor[e] + 2];
        }
    }
    for (int b = 0; b < n; ++b) {
        start[b + 2] += start[b + 1];
    }
    for (int b = 0; b < n; ++b) { // start[b + 1] is where row b goes on
        for (int e = graph->start[b]; e < graph->start[b + 1]; ++e) {
            column[start[b + 1]++] = graph->neighbor[e];
            column[start[graph->neighbor[e] + 1]++] = b;
        }
    }
    return cn_minimum_degree(n, start, column, arena, order, place);
}

// The columns of L, one after the other: those of A and what columns whose first entry is this one
// hand over. Marks make each entry come once; lists are sorted by insertion, since they are short.
typedef struct Pattern {
    int* start;  // [n + 1]
    int* mark;   // the column that an entry was last seen in   [n]
    int* child;  // first column that hands its entries to this one, -1: none   [n]
    int* sister; // the next one of the same   [n]
    int* row;
    int capacity;
    double multiplications; // of the columns so far
} Pattern;

static bool reserve(Pattern* pattern, int used, int n, CnArena* arena) {
    if (used + n <= pattern->capacity) {
        return true;
    }
    int capacity = 2 * (used + n);
    int* row = CN_ARENA_NEW(arena, int, capacity);
    if (row != NULL && used > 0) {
        memcpy(row, pattern->row, (size_t)used * sizeof(int));
    }
    pattern->row = row;
    pattern->capacity = capacity;
    return row != NULL;
}

static int insert(Pattern* pattern, int begin, int end, int k, int entry) {
    if (entry <= k || pattern->mark[entry] == k) {
        return end;
    }
    pattern->mark[entry] = k;
    int at = end;
    for (; at > begin && pattern->row[at - 1] > entry; --at) {
        pattern->row[at] = pattern->row[at - 1];
    }
    pattern->row[at] = entry;
    return end + 1;
}

// Entries of A below the diagonal in the order of elimination, by columns.
static void permute(const CnBlockGraph* graph, const int* place, int* start, int* row, int* next) {
    int n = graph->block_count;
    for (int b = 0; b < n; ++b) {
        for (int e = graph->start[b]; e < graph->start[b + 1]; ++e) {
            int i = place[b], j = place[graph->neighbor[e]];
            ++start[(i < j ? i : j) + 1];
        }
    }
    for (int k = 0; k < n; ++k) {
        start[k + 1] += start[k];
        next[k] = start[k];
    }
    for (int b = 0; b < n; ++b) {
        for (int e = graph->start[b]; e < graph->start[b + 1]; ++e) {
            int i = place[b], j = place[graph->neighbor[e]];
            row[next[i < j ? i : j]++] = i < j ? j : i;
        }
    }
}

// A column with m blocks below its diagonal: 56 and 91 multiplications of its diagonal block, 126
// of each below it, 216 of each pair of those; and 21 and 36 twice in a solution.
static double column_work(double m) {
    return 147.0 + 126.0 * m + 108.0 * m * (m + 1.0) + 2.0 * (21.0 + 36.0 * m);
}

// CN_UNSUPPORTED: it takes more than the limit.
static CnStatus fill_in(Pattern* pattern, int n, const int* start, const int* row, double limit,
                        CnArena* arena) {
    int used = 0;
    for (int k = 0; k < n; ++k) {
        pattern->mark[k] = pattern->child[k] = pattern->sister[k] = -1;
    }
    for (int k = 0; k < n; ++k) {
        int begin = used;
        if (!reserve(pattern, used, n, arena)) {
            return CN_NO_MEMORY;
        }
        for (int e = start[k]; e < start[k + 1]; ++e) {
            used = insert(pattern, begin, used, k, row[e]);
        }
        for (int child = pattern->child[k]; child >= 0; child = pattern->sister[child]) {
            for (int e = pattern->start[child]; e < pattern->start[child + 1]; ++e) {
                used = insert(pattern, begin, used, k, pattern->row[e]);
            }
        }
        pattern->start[k + 1] = used;
        pattern->multiplications += column_work(used - begin);
        if (pattern->multiplications > limit) {
            return CN_UNSUPPORTED;
        }
        if (used > begin) {
            int parent = pattern->row[begin];
            pattern->sister[k] = pattern->child[parent];
            pattern->child[parent] = k;
        }
    }
    return CN_OK;
}

// With scratch of its own, below the memory that is kept.
static CnStatus plan(CnBlockCholesky* factor, int n, int pair_count, const int* first,
                     const int* second, double limit, CnArena* scratch, Pattern* pattern) {
    CnBlockGraph graph;
    CnStatus status = cn_block_graph_from_pairs(n, pair_count, first, second, scratch, &graph);
    int* order = CN_ARENA_NEW(scratch, int, n);
    int* start = CN_ARENA_NEW(scratch, int, (size_t)n + 1);
    int* next = CN_ARENA_NEW(scratch, int, n);
    if (status != CN_OK || order == NULL || start == NULL || next == NULL) {
        return CN_NO_MEMORY;
    }
    int* row = CN_ARENA_NEW(scratch, int, graph.start[n]);
    *pattern = (Pattern){
        .start = CN_ARENA_NEW(scratch, int, (size_t)n + 1),
        .mark = CN_ARENA_NEW(scratch, int, n),
        .child = CN_ARENA_NEW(scratch, int, n),
        .sister = CN_ARENA_NEW(scratch, int, n),
    };
    if (row == NULL || pattern->start == NULL || pattern->mark == NULL || pattern->child == NULL ||
        pattern->sister == NULL) {
        return CN_NO_MEMORY;
    }
    status = find_order(&graph, scratch, order, factor->place);
    if (status == CN_OK) {
        permute(&graph, factor->place, start, row, next);
        status = fill_in(pattern, n, start, row, limit, scratch);
    }
    return status;
}

CnStatus cn_block_cholesky_plan(CnBlockCholesky* factor, int block_count, int pair_count,
                                const int* first, const int* second, double limit, CnArena* scratch,
                                CnArena* arena) {
    Pattern pattern;
    int n = block_count;
    *factor = (CnBlockCholesky){.block_count = n,
                                .place = CN_ARENA_NEW(arena, int, n),
                                .start = CN_ARENA_NEW(arena, int, (size_t)n + 1)};
    if (factor->place == NULL || factor->start == NULL) {
        return CN_NO_MEMORY;
    }
    CnStatus status = plan(factor, n, pair_count, first, second, limit, scratch, &pattern);
    if (status == CN_OK) {
        size_t entries = (size_t)pattern.start[n];
        factor->row = CN_ARENA_NEW(arena, int, entries);
        factor->diagonal = cn_arena_allocate(arena, (size_t)n, sizeof *factor->diagonal);
        factor->below = cn_arena_allocate(arena, entries, sizeof *factor->below);
        factor->work = cn_arena_allocate(arena, (size_t)n, sizeof *factor->work);
        if (factor->row == NULL || factor->diagonal == NULL || factor->below == NULL ||
            factor->work == NULL) {
            status = CN_NO_MEMORY;
        } else {
            memcpy(factor->start, pattern.start, ((size_t)n + 1) * sizeof(int));
            for (size_t e = 0; e < entries; ++e) {
                factor->row[e] = pattern.row[e];
            }
            factor->multiplications = pattern.multiplications;
        }
    }
    return status;
}

void cn_block_cholesky_clear(CnBlockCholesky* factor) {
    size_t n = (size_t)factor->block_count, entries = (size_t)factor->start[n];
    memset(factor->diagonal, 0, n * sizeof *factor->diagonal);
    for (size_t e = 0; e < entries; ++e) {
        memset(factor->below[e], 0, sizeof *factor->below);
    }
}

// The entry of row i in column k, which is there.
static int find(const CnBlockCholesky* factor, int k, int i) {
    int low = factor->start[k], high = factor->start[k + 1] - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (factor->row[middle] < i) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void cn_block_cholesky_add(CnBlockCholesky* factor, int a, int b, const double x[NUMBERS]) {
    int i = factor->place[a], k = factor->place[b];
    double* to = i == k ? factor->diagonal[k]
                        : factor->below[i > k ? find(factor, k, i) : find(factor, i, k)];
    for (int c = 0; c < ROWS; ++c) {
        for (int r = 0; r < ROWS; ++r) {
            to[c * ROWS + r] += i >= k ? x[c * ROWS + r] : x[r * ROWS + c];
        }
    }
}

// The inverse of the lower Cholesky factor of a block, in its place, column-major. False when it is
// singular.
static bool invert_root(double* block, const double* size, double round_off) {
    double l[NUMBERS] = {0.0}; // row-major
    for (int i = 0; i < ROWS; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = block[j * ROWS + i];
            for (int k = 0; k < j; ++k) {
                sum -= l[i * ROWS + k] * l[j * ROWS + k];
            }
            if (i == j && !(sum > round_off * size[i])) {
                return false;
            }
            l[i * ROWS + j] = i == j ? sqrt(sum) : sum / l[j * ROWS + j];
        }
    }
    memset(block, 0, sizeof(double[NUMBERS]));
    for (int c = 0; c < ROWS; ++c) {
        for (int i = c; i < ROWS; ++i) {
            double sum = i == c ? 1.0 : 0.0;
            for (int k = c; k < i; ++k) {
                sum -= l[i * ROWS + k] * block[c * ROWS + k];
            }
            block[c * ROWS + i] = sum / l[i * ROWS + i];
        }
    }
    return true;
}

// block <- block inverse^T, with inverse lower triangular; all column-major.
static void divide(double* block, const double* inverse) {
    double out[NUMBERS] = {0.0};
    for (int c = 0; c < ROWS; ++c) {
        for (int k = 0; k <= c; ++k) {
            for (int r = 0; r < ROWS; ++r) {
                out[c * ROWS + r] += block[k * ROWS + r] * inverse[k * ROWS + c];
            }
        }
    }
    memcpy(block, out, sizeof out);
}

bool cn_block_cholesky_factor(CnBlockCholesky* factor, double round_off) {
    for (int k = 0; k < factor->block_count; ++k) {
        for (int i = 0; i < ROWS; ++i) {
            factor->work[k][i] = factor->diagonal[k][i * (ROWS + 1)];
        }
    }
    const CnCholeskyPasses* passes = CN_WIDEST(cn_cholesky_passes);
    for (int k = 0; k < factor->block_count; ++k) {
        if (!invert_root(factor->diagonal[k], factor->work[k], round_off)) {
            return false;
        }
        for (int e = factor->start[k]; e < factor->start[k + 1]; ++e) {
            divide(factor->below[e], factor->diagonal[k]);
        }
        passes->eliminate(factor, k);
    }
    return true;
}

void cn_block_cholesky_solve(const CnBlockCholesky* factor, double* x) {
    const CnCholeskyPasses* passes = CN_WIDEST(cn_cholesky_passes);
    int n = factor->block_count;
    for (int b = 0; b < n; ++b) {
        memcpy(factor->work[factor->place[b]], x + b * ROWS, sizeof(double[ROWS]));
    }
    passes->solve_lower(factor);
    passes->solve_upper(factor);
    for (int b = 0; b < n; ++b) {
        memcpy(x + b * ROWS, factor->work[factor->place[b]], sizeof(double[ROWS]));
    }
}

// kkt.c - linear systems with W = J M^-1 J^T that never form W.
#include "solvers/matrix/kkt.h"

#include "linalg/blocks/block_graph.h"
#include <math.h>
#include <string.h>

// ---- the blocks ----

// Blocks of the matrix while they are counted: coordinates first, with the bare rows merged into
// them, then contacts, then single rows.
typedef struct KktLayout {
    int count;
    int* rows;      // of each block   [coordinate_count + row_count]
    int* node;      // block of each row   [row_count]
    int* place;     // of each row inside its block   [row_count]
    int pair_count; // of coupled blocks
    int *first, *second;
} KktLayout;

// The coordinate with room that a row acts on most strongly; -1: there is none.
static int find_host(const CnMasses* masses, const double* size, int row, const int* rows) {
    const CnSparseRows* jacobian = &masses->jacobian;
    int host = -1;
    double strongest = 0.0;
    for (int e = jacobian->start[row]; e < jacobian->start[row + 1]; ++e) {
        int i = jacobian->column[e];
        double strength = fabs(jacobian->value[e]) * size[i];
        if (rows[i] < CN_MAX_ROWS && strength > strongest) {
            strongest = strength;
            host = i;
        }
    }
    return host;
}

static void place_rows(const CnProblem* problem, const CnKktRow* kind, const double* size,
                       KktLayout* layout) {
    for (int i = 0; i < problem->masses->coordinate_count; ++i) {
        layout->rows[layout->count++] = 1;
    }
    for (int b = 0; b < problem->block_count; ++b) {
        const CnBlock* block = &problem->blocks[b];
        bool is_contact = block->law == CN_LAW_COULOMB;
        for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
            int host =
                kind[row] == CN_KKT_BARE ? find_host(problem->masses, size, row, layout->rows) : -1;
            bool follows = is_contact && row > block->first_row;
            layout->node[row] = host >= 0 ? host : follows ? layout->count - 1 : layout->count++;
            layout->place[row] = layout->rows[layout->node[row]]++;
        }
    }
}

static void add_pair(KktLayout* layout, int a, int b) {
    layout->first[layout->pair_count] = a;
    layout->second[layout->pair_count++] = b;
}

static CnStatus lay_out(const CnProblem* problem, const CnKktRow* kind, const double* size,
                        CnArena* arena, KktLayout* layout, CnBlockRows* matrix) {
    const CnSparseRows* mass = &problem->masses->mass;
    const CnSparseRows* jacobian = &problem->masses->jacobian;
    size_t most = (size_t)mass->rows + (size_t)jacobian->rows;
    size_t pairs = (size_t)mass->start[mass->rows] + (size_t)jacobian->start[jacobian->rows];
    *layout = (KktLayout){
        .rows = CN_ARENA_NEW(arena, int, most),
        .node = CN_ARENA_NEW(arena, int, jacobian->rows),
        .place = CN_ARENA_NEW(arena, int, jacobian->rows),
        .first = CN_ARENA_NEW(arena, int, pairs),
        .second = CN_ARENA_NEW(arena, int, pairs),
    };
    if (layout->rows == NULL || layout->node == NULL || layout->place == NULL ||
        layout->first == NULL || layout->second == NULL) {
        return CN_NO_MEMORY;
    }
    place_rows(problem, kind, size, layout);
    for (int i = 0; i < mass->rows; ++i) {
        for (int e = mass->start[i]; e < mass->start[i + 1]; ++e) {
            add_pair(layout, i, mass->column[e]);
        }
    }
    for (int row = 0; row < jacobian->rows; ++row) {
        for (int e = jacobian->start[row]; e < jacobian->start[row + 1]; ++e) {
            add_pair(layout, layout->node[row], jacobian->column[e]);
        }
    }
    CnBlockGraph graph;
    CnStatus status = cn_block_graph_from_pairs(layout->count, layout->pair_count, layout->first,
                                                layout->second, arena, &graph);
    return status == CN_OK ? cn_block_rows_init(matrix, &graph, layout->rows, arena) : status;
}

// ---- values ----

// 1 / sqrt of the diagonal, or of the largest entry of a row that has none.
static void find_size(const CnSparseRows* mass, double* size) {
    for (int i = 0; i < mass->rows; ++i) {
        double diagonal = 0.0, largest = 0.0;
        for (int e = mass->start[i]; e < mass->start[i + 1]; ++e) {
            largest = fmax(largest, fabs(mass->value[e]));
            diagonal = mass->column[e] == i ? fabs(mass->value[e]) : diagonal;
        }
        size[i] = 1.0 / sqrt(diagonal > 0.0 ? diagonal : largest);
    }
}

// The entry of the matrix for two unknowns.
static double* number_at(const CnKkt* kkt, double* values, int row, int column) {
    const CnBlockRows* matrix = &kkt->matrix;
    int a = kkt->node[row], b = kkt->node[column];
    int width = matrix->first_row[b + 1] - matrix->first_row[b];
    return &values[matrix->position[cn_block_rows_find(matrix, a, b)]] +
           (row - matrix->first_row[a]) * width + column - matrix->first_row[b];
}

static void fill_fixed(CnKkt* kkt, const CnKktRow* kind) {
    const CnSparseRows* mass = &kkt->masses->mass;
    const CnSparseRows* jacobian = &kkt->masses->jacobian;
    for (int i = 0; i < mass->rows; ++i) {
        for (int e = mass->start[i]; e < mass->start[i + 1]; ++e) {
            int j = mass->column[e];
            *number_at(kkt, kkt->fixed, kkt->coordinate_place[i], kkt->coordinate_place[j]) =
                kkt->size[i] * mass->value[e] * kkt->size[j];
        }
    }
    for (int row = 0; row < jacobian->rows; ++row) {
        int place = kkt->row_place[row];
        double unit = kkt->scale != NULL ? kkt->scale[row] : 1.0;
        if (kind[row] == CN_KKT_HELD) {
            *number_at(kkt, kkt->fixed, place, place) = 1.0;
            continue;
        }
        for (int e = jacobian->start[row]; e < jacobian->start[row + 1]; ++e) {
            int i = jacobian->column[e], other = kkt->coordinate_place[i];
            double value = unit * jacobian->value[e] * kkt->size[i];
            *number_at(kkt, kkt->fixed, place, other) = value;
            *number_at(kkt, kkt->fixed, other, place) = -value;
        }
    }
}

static CnStatus allocate(CnKkt* kkt, CnArena* arena) {
    size_t unknowns = (size_t)kkt->matrix.row_count;
    const CnBlockRows* matrix = &kkt->matrix;
    kkt->fixed = CN_ARENA_NEW(arena, double, matrix->position[matrix->start[matrix->block_count]]);
    kkt->coordinate_place = CN_ARENA_NEW(arena, int, kkt->masses->coordinate_count);
    kkt->row_place = CN_ARENA_NEW(arena, int, kkt->masses->row_count);
    kkt->node = CN_ARENA_NEW(arena, int, unknowns);
    kkt->b = CN_ARENA_NEW(arena, double, unknowns);
    kkt->x = CN_ARENA_NEW(arena, double, unknowns);
    kkt->defect = CN_ARENA_NEW(arena, double, unknowns);
    bool complete = kkt->fixed != NULL && kkt->coordinate_place != NULL && kkt->row_place != NULL &&
                    kkt->node != NULL && kkt->b != NULL && kkt->x != NULL && kkt->defect != NULL;
    return complete ? CN_OK : CN_NO_MEMORY;
}

static void find_places(CnKkt* kkt, const KktLayout* layout) {
    const CnBlockRows* matrix = &kkt->matrix;
    for (int b = 0; b < matrix->block_count; ++b) {
        for (int i = matrix->first_row[b]; i < matrix->first_row[b + 1]; ++i) {
            kkt->node[i] = b;
        }
    }
    for (int i = 0; i < kkt->masses->coordinate_count; ++i) {
        kkt->coordinate_place[i] = matrix->first_row[i];
    }
    for (int row = 0; row < kkt->masses->row_count; ++row) {
        kkt->row_place[row] = matrix->first_row[layout->node[row]] + layout->place[row];
    }
}

CnStatus cn_kkt_init(CnKkt* kkt, const CnProblem* problem, const CnKktRow* kind,
                     const double* scale, CnArena* arena) {
    KktLayout layout;
    *kkt = (CnKkt){
        .masses = problem->masses,
        .scale = scale,
        .size = CN_ARENA_NEW(arena, double, problem->masses->coordinate_count),
    };
    if (kkt->size == NULL) {
        return CN_NO_MEMORY;
    }
    find_size(&problem->masses->mass, kkt->size);
    CnStatus status = lay_out(problem, kind, kkt->size, arena, &layout, &kkt->matrix);
    if (status == CN_OK) {
        status = allocate(kkt, arena);
    }
    if (status != CN_OK) {
        return status;
    }
    find_places(kkt, &layout);
    fill_fixed(kkt, kind);
    return cn_lu_analyze(&kkt->lu, &kkt->matrix, arena);
}

CnStatus cn_kkt_cost(const CnProblem* problem, CnArena* arena, double* multiplications) {
    CnArenaMark mark = cn_arena_mark(arena);
    const CnMasses* masses = problem->masses;
    double* size = CN_ARENA_NEW(arena, double, masses->coordinate_count);
    CnKktRow* kind = CN_ARENA_NEW(arena, CnKktRow, masses->row_count);
    KktLayout layout;
    CnBlockRows matrix;
    CnLuPlan plan = {0};
    CnStatus status = size == NULL || kind == NULL
                          ? CN_NO_MEMORY
                          : lay_out(problem, kind, size, arena, &layout, &matrix);
    if (status == CN_OK) {
        status = cn_lu_plan(&plan, &matrix, arena);
    }
    *multiplications = plan.multiplications;
    cn_arena_release(arena, mark);
    return status;
}

void cn_kkt_begin(CnKkt* kkt) {
    const CnBlockRows* matrix = &kkt->matrix;
    memcpy(matrix->value, kkt->fixed,
           matrix->position[matrix->start[matrix->block_count]] * sizeof(double));
}

void cn_kkt_add(CnKkt* kkt, int row, int n, const double* c) {
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            *number_at(kkt, kkt->matrix.value, kkt->row_place[row + i], kkt->row_place[row + j]) +=
                c[i * n + j];
        }
    }
}

bool cn_kkt_factor(CnKkt* kkt) {
    bool factored = cn_lu_factor(&kkt->lu, &kkt->matrix);
    kkt->determinant_sign = kkt->lu.determinant_sign * kkt->masses->lu->determinant_sign;
    return factored;
}

void cn_kkt_solve(CnKkt* kkt, const double* right, double* x) {
    memset(kkt->b, 0, (size_t)kkt->matrix.row_count * sizeof(double));
    for (int i = 0; i < kkt->masses->row_count; ++i) {
        kkt->b[kkt->row_place[i]] = right[i];
    }
    cn_lu_solve(&kkt->lu, kkt->b, kkt->x);
    cn_lu_refine(&kkt->lu, &kkt->matrix, kkt->b, kkt->x, kkt->defect);
    for (int i = 0; i < kkt->masses->row_count; ++i) {
        x[i] = kkt->x[kkt->row_place[i]];
    }
}

void cn_kkt_response(const CnKkt* kkt, double* y) {
    const CnSparseRows* jacobian = &kkt->masses->jacobian;
    for (int row = 0; row < jacobian->rows; ++row) {
        double sum = 0.0;
        for (int e = jacobian->start[row]; e < jacobian->start[row + 1]; ++e) {
            int i = jacobian->column[e];
            sum += jacobian->value[e] * kkt->size[i] * kkt->x[kkt->coordinate_place[i]];
        }
        y[row] = kkt->scale != NULL ? kkt->scale[row] * sum : sum;
    }
}

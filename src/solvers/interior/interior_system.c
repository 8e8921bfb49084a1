// interior_system.c - the linear systems of the interior point, in the sparser of two forms.
#include "solvers/interior/interior_system.h"

#include "linalg/dense.h"
#include <math.h>
#include <string.h>

// The form by bodies needs bodies, small blocks and no rows with u = 0, whose C is not invertible.
static bool may_go_by_bodies(const CnProblem* problem, const CnInterior* point) {
    for (int i = 0; i < point->item_count; ++i) {
        if (point->items[i].kind == CN_INTERIOR_FREE) {
            return false;
        }
    }
    return problem->response == NULL;
}

static CnStatus prepare_bodies(CnInteriorSystem* system, const CnInterior* point, CnArena* arena) {
    const CnProblem* problem = system->problem;
    system->inverse = cn_arena_allocate(arena, (size_t)point->item_count, sizeof *system->inverse);
    system->momentum = CN_ARENA_NEW(arena, double, system->matrix.row_count);
    if (system->inverse == NULL || system->momentum == NULL) {
        return CN_NO_MEMORY;
    }
    int pairs = problem->jacobian_c != NULL ? 2 : 1;
    for (int i = 0; i < pairs * problem->row_count; ++i) { // those of second pairs follow
        double* g = system->bodies.jacobian[i];
        for (int k = 0; k < 12; ++k) {
            g[k] *= point->scaled.scale[i % problem->row_count];
        }
    }
    return CN_OK;
}

// Rows with u = 0 have no C of their own.
static CnStatus prepare_masses(CnInteriorSystem* system, const CnInterior* point, double most,
                               CnArena* arena) {
    CnKktRow* kind = CN_ARENA_NEW(arena, CnKktRow, system->problem->row_count);
    system->kkt = CN_ARENA_NEW(arena, CnKkt, 1);
    if (kind == NULL || system->kkt == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < point->item_count; ++i) {
        const CnInteriorItem* item = &point->items[i];
        for (int row = item->row; row < item->row + item->n; ++row) {
            kind[row] = item->kind == CN_INTERIOR_FREE    ? CN_KKT_BARE
                        : item->kind == CN_INTERIOR_GIVEN ? CN_KKT_HELD
                                                          : CN_KKT_PLAIN;
        }
    }
    CnStatus status = cn_kkt_init(system->kkt, system->problem, kind, point->scaled.scale, arena);
    if (status == CN_OK) {
        system->unknown_name = "coordinates and rows";
        system->multiplications = system->kkt->lu.plan.multiplications;
        system->numbers = (double)system->kkt->lu.plan.factor_size;
        system->factor_work = cn_lu_factor_work(&system->kkt->lu.plan);
        system->solve_work = 2.0 * cn_lu_solve_work(&system->kkt->lu.plan);
        system->unknowns = system->kkt->lu.row_count;
        system->is_too_large = system->factor_work > most;
    }
    return status;
}

// Which of the two forms needs fewer multiplications.
static CnStatus choose_form(CnInteriorSystem* system, const CnInterior* point, CnArena* arena) {
    CnLuPlan by_rows, by_bodies = {.multiplications = HUGE_VAL};
    CnArenaMark mark = cn_arena_mark(arena);
    CnStatus status = cn_lu_plan(&by_rows, &point->scaled.w, arena);
    if (status == CN_OK && may_go_by_bodies(system->problem, point)) {
        status = cn_body_matrix_lay_out(&system->bodies, system->problem, arena);
        status = status == CN_OK ? cn_lu_plan(&by_bodies, &system->bodies.matrix, arena) : status;
    }
    cn_arena_release(arena, mark);
    if (status == CN_OK) {
        system->by_bodies = by_bodies.multiplications < by_rows.multiplications;
        const CnLuPlan* chosen = system->by_bodies ? &by_bodies : &by_rows;
        system->multiplications = chosen->multiplications;
        system->numbers = (double)chosen->factor_size;
        system->factor_work = cn_lu_factor_work(chosen);
        system->solve_work = 2.0 * cn_lu_solve_work(chosen);
    }
    return status;
}

CnStatus cn_interior_system_init(CnInteriorSystem* system, const CnProblem* problem,
                                 const CnInterior* point, double most, CnArena* arena) {
    *system = (CnInteriorSystem){
        .problem = problem,
        .unknowns = problem->row_count,
        .unknown_name = "rows",
        .spread = CN_ARENA_NEW(arena, double, problem->row_count),
        .defect = CN_ARENA_NEW(arena, double, problem->row_count),
        .correction = CN_ARENA_NEW(arena, double, problem->row_count),
    };
    if (system->spread == NULL || system->defect == NULL || system->correction == NULL) {
        return CN_NO_MEMORY;
    }
    if (problem->masses != NULL) {
        return prepare_masses(system, point, most, arena);
    }
    CnStatus status = choose_form(system, point, arena);
    system->is_too_large = system->factor_work > most;
    if (status != CN_OK || system->is_too_large) {
        return status;
    }
    status = system->by_bodies ? cn_body_matrix_init(&system->bodies, problem, arena)
                               : cn_block_rows_copy(&point->scaled.w, arena, &system->matrix);
    if (status == CN_OK && system->by_bodies) {
        system->matrix = system->bodies.matrix;
        system->unknowns = system->matrix.block_count;
        system->unknown_name = "bodies";
        status = prepare_bodies(system, point, arena);
    }
    return status == CN_OK ? cn_lu_analyze(&system->lu, &system->matrix, arena) : status;
}

// C of one item plus the diagonal of A - G G^T: compliance and the proximal weight.
static void whole_c(const CnInterior* point, const CnInteriorItem* item, double* c) {
    int n = item->n;
    memcpy(c, item->c, (size_t)(n * n) * sizeof(double));
    for (int i = 0; i < n; ++i) {
        c[i * n + i] += point->alpha + point->scaled.extra[item->row + i];
    }
}

// Gauss-Jordan with the largest pivot of each column; a is used up.
static bool invert(int n, double* a, double* inverse) {
    for (int i = 0; i < n * n; ++i) {
        inverse[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
    }
    for (int k = 0; k < n; ++k) {
        int pivot = k;
        for (int i = k + 1; i < n; ++i) {
            pivot = fabs(a[i * n + k]) > fabs(a[pivot * n + k]) ? i : pivot;
        }
        if (!(fabs(a[pivot * n + k]) > 0.0)) {
            return false;
        }
        for (int j = 0; j < n; ++j) {
            double kept = a[k * n + j], other = inverse[k * n + j];
            a[k * n + j] = a[pivot * n + j];
            a[pivot * n + j] = kept;
            inverse[k * n + j] = inverse[pivot * n + j];
            inverse[pivot * n + j] = other;
        }
        double scale = 1.0 / a[k * n + k];
        for (int j = 0; j < n; ++j) {
            a[k * n + j] *= scale;
            inverse[k * n + j] *= scale;
        }
        for (int i = 0; i < n; ++i) {
            double factor = i == k ? 0.0 : a[i * n + k];
            for (int j = 0; j < n; ++j) {
                a[i * n + j] -= factor * a[k * n + j];
                inverse[i * n + j] -= factor * inverse[k * n + j];
            }
        }
    }
    return true;
}

// 1 + G^T C^-1 G. Given impulses do not change: their rows are left out.
static bool fill_bodies(CnInteriorSystem* system, const CnInterior* point) {
    cn_body_matrix_reset(&system->bodies, 1.0);
    for (int i = 0; i < point->item_count; ++i) {
        const CnInteriorItem* item = &point->items[i];
        double c[CN_MAX_ROWS * CN_MAX_ROWS];
        memset(system->inverse[i], 0, sizeof system->inverse[i]);
        if (item->kind == CN_INTERIOR_GIVEN) {
            continue;
        }
        whole_c(point, item, c);
        if (!invert(item->n, c, system->inverse[i])) {
            return false;
        }
        cn_body_matrix_add(&system->bodies, item->block, item->row, item->n, system->inverse[i]);
    }
    return true;
}

static bool factor_masses(CnInteriorSystem* system, const CnInterior* point) {
    cn_kkt_begin(system->kkt);
    for (int i = 0; i < point->item_count; ++i) {
        const CnInteriorItem* item = &point->items[i];
        double c[CN_MAX_ROWS * CN_MAX_ROWS];
        if (item->kind != CN_INTERIOR_GIVEN) {
            whole_c(point, item, c);
            cn_kkt_add(system->kkt, item->row, item->n, c);
        }
    }
    bool factored = cn_kkt_factor(system->kkt);
    system->determinant_sign = system->kkt->determinant_sign;
    return factored;
}

// The blocks C have positive determinants, so that of the matrix of bodies has the sign of A + C's.
bool cn_interior_system_factor(CnInteriorSystem* system, const CnInterior* point) {
    if (system->kkt != NULL) {
        return factor_masses(system, point);
    }
    if (!system->by_bodies) {
        cn_interior_matrix(point, &system->matrix);
    } else if (!fill_bodies(system, point)) {
        return false;
    }
    bool factored = cn_lu_factor(&system->lu, &system->matrix);
    system->determinant_sign = system->lu.determinant_sign;
    return factored;
}

// out = C^-1 x, item by item.
static void apply_inverse(const CnInteriorSystem* system, const CnInterior* point, const double* x,
                          double* out) {
    for (int i = 0; i < point->item_count; ++i) {
        const CnInteriorItem* item = &point->items[i];
        for (int j = 0; j < item->n; ++j) {
            double sum = 0.0;
            for (int k = 0; k < item->n; ++k) {
                sum += system->inverse[i][j * item->n + k] * x[item->row + k];
            }
            out[item->row + j] = sum;
        }
    }
}

// With z = G^T x: (1 + G^T C^-1 G) z = G^T C^-1 right, x = C^-1 (right - G z).
static void solve_by_bodies(CnInteriorSystem* system, const CnInterior* point, const double* right,
                            double* x) {
    int rows = system->problem->row_count;
    apply_inverse(system, point, right, x);
    cn_body_matrix_push(&system->bodies, x, system->momentum);
    cn_lu_solve(&system->lu, system->momentum, system->momentum);
    cn_body_matrix_feel(&system->bodies, system->momentum, system->spread);
    for (int i = 0; i < rows; ++i) {
        system->spread[i] = right[i] - system->spread[i];
    }
    apply_inverse(system, point, system->spread, x);
}

// defect = right - (A + C) x; nothing for given impulses, which do not change.
static void find_defect(CnInteriorSystem* system, const CnInterior* point, const double* right,
                        const double* x) {
    cn_scaled_multiply(&point->scaled, x, system->defect);
    for (int i = 0; i < point->item_count; ++i) {
        const CnInteriorItem* item = &point->items[i];
        for (int j = 0; j < item->n; ++j) {
            int row = item->row + j;
            double sum = system->defect[row] + point->alpha * x[row];
            for (int k = 0; k < item->n; ++k) {
                sum += item->c[j * item->n + k] * x[item->row + k];
            }
            system->defect[row] = item->kind == CN_INTERIOR_GIVEN ? 0.0 : right[row] - sum;
        }
    }
}

void cn_interior_system_solve(CnInteriorSystem* system, const CnInterior* point,
                              const double* right, double* x) {
    if (system->kkt != NULL) {
        cn_kkt_solve(system->kkt, right, x);
        return;
    }
    if (!system->by_bodies) {
        cn_lu_solve(&system->lu, right, x);
        cn_lu_refine(&system->lu, &system->matrix, right, x, system->defect);
        return;
    }
    solve_by_bodies(system, point, right, x);
    find_defect(system, point, right, x);
    solve_by_bodies(system, point, system->defect, system->correction);
    cn_dense_add_scaled(system->problem->row_count, 1.0, system->correction, x);
}

// With masses the last solution contains the motion, so that no further M^-1 is needed.
void cn_interior_system_multiply(const CnInteriorSystem* system, const CnInterior* point,
                                 const double* x, double* y) {
    if (system->kkt == NULL) {
        cn_scaled_multiply(&point->scaled, x, y);
        return;
    }
    cn_kkt_response(system->kkt, y);
    for (int i = 0; i < system->problem->row_count; ++i) {
        y[i] += point->scaled.extra[i] * x[i];
    }
}

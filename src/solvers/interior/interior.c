// interior.c - a point strictly inside all laws of a problem, and Newton's equations there.
#include "solvers/interior/interior.h"

#include "solvers/interior/interior_cone.h"
#include <math.h>
#include <string.h>

// A force row whose slope is below this fraction of 1 / W_ii has p = offset to the last digit.
#define GIVEN_SLOPE 1e-15

// The starting impulses: scaled impulses of 1 carry single bodies, but at the bottom of a stack
// they are hundreds. Starting too high costs an iteration or two, starting too low many.
#define START 1e3

// Rows of redundant joints make A singular. Raising their unit diagonal by so much selects one of
// many directions; the residuals stay those of the exact equations.
#define DIAGONAL_RAISE 1e-12

static void add_item(CnInterior* point, CnInteriorKind kind, int block, int row, int n,
                     double lower, double upper) {
    point->items[point->item_count++] = (CnInteriorItem){
        .kind = kind, .block = block, .row = row, .n = n, .lower = lower, .upper = upper};
}

static void add_bounds(CnInterior* point, const CnProblem* problem, int block, int row) {
    double unit = point->scaled.unit * point->scaled.scale[row];
    double lower = problem->lower[row] / unit;
    double upper = problem->upper[row] / unit;
    CnInteriorKind kind = CN_INTERIOR_LIMIT;
    if (!(lower < upper)) {
        kind = CN_INTERIOR_GIVEN;
    } else if (!isfinite(lower) && !isfinite(upper)) {
        kind = CN_INTERIOR_FREE;
    }
    add_item(point, kind, block, row, 1, lower, upper);
}

// p = offset - slope u is u + (p - offset) / slope = 0: a free row with compliance and a target.
static void add_force(CnInterior* point, const CnProblem* problem, int block, int row) {
    CnScaled* scaled = &point->scaled;
    double scale = scaled->scale[row];
    double offset = problem->offset[row];
    double slope = problem->slope[row];
    if (slope <= GIVEN_SLOPE * scale * scale) {
        double given = offset / (scaled->unit * scale);
        add_item(point, CN_INTERIOR_GIVEN, block, row, 1, given, given);
        return;
    }
    cn_scaled_add(scaled, block, row, scale * scale / slope);
    scaled->q[row] -= scale * offset / (slope * scaled->unit);
    add_item(point, CN_INTERIOR_FREE, block, row, 1, 0.0, 0.0);
}

static void add_contact(CnInterior* point, const CnBlock* block, int index) {
    if (block->friction > 0.0) {
        CnInteriorItem* item = &point->items[point->item_count];
        add_item(point, CN_INTERIOR_CONE, index, block->first_row, block->row_count, 0.0, HUGE_VAL);
        item->group_count = cn_friction_groups(block->row_count, item->groups);
        return;
    }
    add_item(point, CN_INTERIOR_LIMIT, index, block->first_row, 1, 0.0, HUGE_VAL);
    for (int i = 1; i < block->row_count; ++i) {
        add_item(point, CN_INTERIOR_GIVEN, index, block->first_row + i, 1, 0.0, 0.0);
    }
}

static void add_block(CnInterior* point, const CnProblem* problem, int index) {
    const CnBlock* block = &problem->blocks[index];
    if (block->law == CN_LAW_COULOMB) {
        add_contact(point, block, index);
        return;
    }
    for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
        if (block->law == CN_LAW_BOUNDS) {
            add_bounds(point, problem, index, row);
        } else if (block->law == CN_LAW_FORCE) {
            add_force(point, problem, index, row);
        } else {
            add_item(point, CN_INTERIOR_FREE, index, row, 1, 0.0, 0.0);
        }
    }
}

static int pairs_of(const CnInteriorItem* item) {
    if (item->kind == CN_INTERIOR_LIMIT) {
        return (isfinite(item->lower) ? 1 : 0) + (isfinite(item->upper) ? 1 : 0);
    }
    return item->group_count;
}

// A cone is one item, every other row is one of its own.
static int count_items(const CnProblem* problem) {
    int count = 0;
    for (int b = 0; b < problem->block_count; ++b) {
        const CnBlock* block = &problem->blocks[b];
        bool is_cone = block->law == CN_LAW_COULOMB && block->friction > 0.0;
        count += is_cone ? 1 : block->row_count;
    }
    return count;
}

CnStatus cn_interior_init(CnInterior* point, const CnAssembled* assembled, CnArena* arena) {
    const CnProblem* problem = assembled->problem;
    *point = (CnInterior){.is_associated = problem->friction_model == CN_FRICTION_ASSOCIATED};
    double** vectors[] = {&point->r,        &point->y,        &point->z,     &point->dr,
                          &point->dy,       &point->dz,       &point->u,     &point->residual,
                          &point->second_y, &point->second_z, &point->center};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
        *vectors[i] = CN_ARENA_NEW(arena, double, problem->row_count);
        if (*vectors[i] == NULL) {
            return CN_NO_MEMORY;
        }
    }
    point->items = CN_ARENA_NEW(arena, CnInteriorItem, count_items(problem));
    if (point->items == NULL || cn_assembled_scale(assembled, arena, &point->scaled) != CN_OK) {
        return CN_NO_MEMORY;
    }
    for (int b = 0; b < problem->block_count; ++b) {
        add_block(point, problem, b);
    }
    for (int i = 0; i < point->item_count; ++i) {
        point->pair_count += pairs_of(&point->items[i]);
    }
    return CN_OK;
}

// A place between limits with room to both sides, near a wanted one.
static double between(double lower, double upper, double wanted) {
    double room = fmin(START, 0.1 * (upper - lower)); // START where a limit is infinite
    return fmin(fmax(wanted, lower + room), upper - room);
}

void cn_interior_start(CnInterior* point) {
    for (int i = 0; i < point->item_count; ++i) {
        const CnInteriorItem* item = &point->items[i];
        double* r = point->r + item->row;
        double* y = point->y + item->row;
        double* z = point->z + item->row;
        for (int k = 0; k < item->n; ++k) {
            r[k] = y[k] = z[k] = 0.0;
        }
        if (item->kind == CN_INTERIOR_CONE) {
            cn_interior_cone_start(point, item, START);
        } else if (item->kind == CN_INTERIOR_LIMIT) {
            r[0] = between(item->lower, item->upper, 0.0);
            y[0] = isfinite(item->lower) ? START / (r[0] - item->lower) : 0.0;
            z[0] = isfinite(item->upper) ? START / (item->upper - r[0]) : 0.0;
        } else if (item->kind == CN_INTERIOR_GIVEN) {
            r[0] = item->lower;
        }
    }
}

// With x = a - y, a the distance to the limit and y its multiplier, raising x and -x gives both.
static void center_limit(const CnInteriorItem* item, double u, double gap, double* r, double* y,
                         double* z) {
    double limit = isfinite(item->lower) ? item->lower : item->upper;
    double sign = isfinite(item->lower) ? 1.0 : -1.0;
    double x = sign * (*r - limit) - fmax(sign * u, 0.0);
    double root = sqrt(x * x + 4.0 * gap);
    double distance = 0.5 * (x + root);
    *y = 0.0;
    *z = 0.0;
    if (isfinite(item->lower) && isfinite(item->upper)) {
        double margin = fmin(sqrt(gap), 0.25 * (item->upper - item->lower));
        *r = fmin(fmax(*r, item->lower + margin), item->upper - margin);
        *y = gap / (*r - item->lower);
        *z = gap / (item->upper - *r);
        return;
    }
    *r = limit + sign * distance;
    *(sign > 0.0 ? y : z) = gap / distance;
}

void cn_interior_start_near(CnInterior* point, const double* r, const double* u, double gap) {
    for (int i = 0; i < point->item_count; ++i) {
        const CnInteriorItem* item = &point->items[i];
        int row = item->row;
        point->r[row] = r[row];
        if (item->kind == CN_INTERIOR_CONE) {
            cn_interior_cone_start_near(point, item, r, u, gap);
        } else if (item->kind == CN_INTERIOR_LIMIT) {
            center_limit(item, u[row], gap, &point->r[row], &point->y[row], &point->z[row]);
        } else if (item->kind == CN_INTERIOR_GIVEN) {
            point->r[row] = item->lower;
        }
    }
}

void cn_interior_evaluate(CnInterior* point) {
    int rows = point->scaled.w.row_count;
    cn_scaled_multiply(&point->scaled, point->r, point->u);
    for (int i = 0; i < rows; ++i) {
        point->u[i] += point->scaled.q[i];
        point->residual[i] = point->u[i] + point->alpha * (point->r[i] - point->center[i]);
    }
    for (int i = 0; i < point->item_count; ++i) {
        const CnInteriorItem* item = &point->items[i];
        double* residual = point->residual + item->row;
        if (item->kind == CN_INTERIOR_CONE) {
            cn_interior_cone_subtract(point, item);
        } else if (item->kind == CN_INTERIOR_LIMIT) {
            residual[0] -= point->y[item->row] - point->z[item->row];
        } else if (item->kind == CN_INTERIOR_GIVEN) {
            residual[0] = 0.0;
        }
    }
}

// The sum of an item's products at r + step dr, y + step dy, z + step dz.
static double item_products(const CnInterior* point, const CnInteriorItem* item, double step) {
    double sum = 0.0;
    int row = item->row;
    if (item->kind == CN_INTERIOR_CONE) {
        sum = cn_interior_cone_products(point, item, step);
    } else if (item->kind == CN_INTERIOR_LIMIT) {
        double r = point->r[row] + step * point->dr[row];
        if (isfinite(item->lower)) {
            sum += (r - item->lower) * (point->y[row] + step * point->dy[row]);
        }
        if (isfinite(item->upper)) {
            sum += (item->upper - r) * (point->z[row] + step * point->dz[row]);
        }
    }
    return sum;
}

double cn_interior_gap_after(const CnInterior* point, double step) {
    double sum = 0.0;
    for (int i = 0; i < point->item_count; ++i) {
        sum += item_products(point, &point->items[i], step);
    }
    return point->pair_count > 0 ? sum / point->pair_count : 0.0;
}

double cn_interior_gap(const CnInterior* point) {
    return cn_interior_gap_after(point, 0.0);
}

double cn_interior_defect(const CnInterior* point) {
    double sum = 0.0;
    for (int i = 0; i < point->item_count; ++i) {
        const CnInteriorItem* item = &point->items[i];
        double largest = 0.0;
        for (int k = item->row; k < item->row + item->n; ++k) {
            largest = fmax(largest, fabs(point->residual[k]));
        }
        if (item->kind == CN_INTERIOR_CONE) {
            sum += largest * point->r[item->row];
        }
    }
    return point->pair_count > 0 ? sum / point->pair_count : 0.0;
}

void cn_interior_linearise(CnInterior* point, double coupling) {
    for (int i = 0; i < point->item_count; ++i) {
        CnInteriorItem* item = &point->items[i];
        int row = item->row;
        if (item->kind == CN_INTERIOR_CONE) {
            cn_interior_cone_linearise(point, item, point->is_associated ? 0.0 : coupling);
        } else if (item->kind == CN_INTERIOR_LIMIT) {
            item->c[0] = 0.0;
            if (isfinite(item->lower)) {
                item->c[0] += point->y[row] / (point->r[row] - item->lower);
            }
            if (isfinite(item->upper)) {
                item->c[0] += point->z[row] / (item->upper - point->r[row]);
            }
        } else {
            item->c[0] = DIAGONAL_RAISE;
        }
    }
}

// The row of an impulse that does not change: dr = 0.
static void fix_row(CnBlockRows* matrix, int block, int place, int rows) {
    for (int e = matrix->start[block]; e < matrix->start[block + 1]; ++e) {
        int b = matrix->column[e];
        int columns = matrix->first_row[b + 1] - matrix->first_row[b];
        double* value = &matrix->value[matrix->position[e]] + place * columns;
        memset(value, 0, (size_t)columns * sizeof(double));
    }
    cn_block_rows_diagonal(matrix, block)[place * rows + place] = 1.0;
}

void cn_interior_matrix(const CnInterior* point, CnBlockRows* matrix) {
    const CnBlockRows* a = &point->scaled.w;
    memcpy(matrix->value, a->value, a->position[a->start[a->block_count]] * sizeof(double));
    for (int i = 0; i < point->item_count; ++i) {
        const CnInteriorItem* item = &point->items[i];
        int first = a->first_row[item->block];
        int rows = a->first_row[item->block + 1] - first;
        int place = item->row - first;
        double* own = cn_block_rows_diagonal(matrix, item->block);
        if (item->kind == CN_INTERIOR_GIVEN) {
            fix_row(matrix, item->block, place, rows);
            continue;
        }
        for (int j = 0; j < item->n; ++j) {
            own[(place + j) * rows + place + j] += point->alpha;
            for (int k = 0; k < item->n; ++k) {
                own[(place + j) * rows + place + k] += item->c[j * item->n + k];
            }
        }
    }
}

void cn_interior_keep_products(CnInterior* point) {
    for (int i = 0; i < point->item_count; ++i) {
        const CnInteriorItem* item = &point->items[i];
        int row = item->row;
        if (item->kind == CN_INTERIOR_CONE) {
            cn_interior_cone_keep_products(point, item);
        } else {
            point->second_y[row] = point->dr[row] * point->dy[row];
            point->second_z[row] = -point->dr[row] * point->dz[row];
        }
    }
}

void cn_interior_forget_products(CnInterior* point) {
    size_t bytes = (size_t)point->scaled.w.row_count * sizeof(double);
    memset(point->second_y, 0, bytes);
    memset(point->second_z, 0, bytes);
}

// The residual of the products of a lower and of an upper limit: target - r y - second.
static double missing_lower(const CnInterior* point, const CnInteriorItem* item, double target) {
    int row = item->row;
    return target - (point->r[row] - item->lower) * point->y[row] - point->second_y[row];
}

static double missing_upper(const CnInterior* point, const CnInteriorItem* item, double target) {
    int row = item->row;
    return target - (item->upper - point->r[row]) * point->z[row] - point->second_z[row];
}

void cn_interior_right(const CnInterior* point, double target, double* right) {
    for (int i = 0; i < point->item_count; ++i) {
        const CnInteriorItem* item = &point->items[i];
        int row = item->row;
        double* own = right + row;
        own[0] = 0.0;
        if (item->kind == CN_INTERIOR_CONE) {
            cn_interior_cone_right(point, item, target, own);
        } else if (item->kind == CN_INTERIOR_LIMIT) {
            if (isfinite(item->lower)) {
                own[0] += missing_lower(point, item, target) / (point->r[row] - item->lower);
            }
            if (isfinite(item->upper)) {
                own[0] -= missing_upper(point, item, target) / (item->upper - point->r[row]);
            }
        }
        for (int k = 0; k < item->n; ++k) {
            own[k] -= point->residual[row + k];
        }
    }
}

void cn_interior_complete(CnInterior* point, const double* moved, double target) {
    for (int i = 0; i < point->item_count; ++i) {
        const CnInteriorItem* item = &point->items[i];
        int row = item->row;
        if (item->kind == CN_INTERIOR_CONE) {
            cn_interior_cone_complete(point, item, moved, target);
        } else if (item->kind == CN_INTERIOR_LIMIT) {
            double dr = point->dr[row];
            point->dy[row] = isfinite(item->lower)
                                 ? (missing_lower(point, item, target) - point->y[row] * dr) /
                                       (point->r[row] - item->lower)
                                 : 0.0;
            point->dz[row] = isfinite(item->upper)
                                 ? (missing_upper(point, item, target) + point->z[row] * dr) /
                                       (item->upper - point->r[row])
                                 : 0.0;
        }
    }
}

// The largest step that keeps a number positive.
static double longest(double x, double d) {
    return d < 0.0 ? -x / d : HUGE_VAL;
}

double cn_interior_longest_step(const CnInterior* point) {
    double step = HUGE_VAL;
    for (int i = 0; i < point->item_count; ++i) {
        const CnInteriorItem* item = &point->items[i];
        int row = item->row;
        if (item->kind == CN_INTERIOR_CONE) {
            step = fmin(step, cn_interior_cone_longest_step(point, item));
        } else if (item->kind == CN_INTERIOR_LIMIT) {
            double r = point->r[row], dr = point->dr[row];
            step = fmin(step, longest(r - item->lower, dr));
            step = fmin(step, longest(item->upper - r, -dr));
            step = fmin(step, longest(point->y[row], point->dy[row]));
            step = fmin(step, longest(point->z[row], point->dz[row]));
        }
    }
    return step;
}

// The least of an item's products.
static double least_product(const CnInterior* point, const CnInteriorItem* item, double step) {
    int row = item->row;
    if (item->kind == CN_INTERIOR_CONE) {
        return cn_interior_cone_least_product(point, item, step);
    }
    double least = HUGE_VAL;
    if (item->kind == CN_INTERIOR_LIMIT) {
        double at = point->r[row] + step * point->dr[row];
        if (isfinite(item->lower)) {
            least = (at - item->lower) * (point->y[row] + step * point->dy[row]);
        }
        if (isfinite(item->upper)) {
            least = fmin(least, (item->upper - at) * (point->z[row] + step * point->dz[row]));
        }
    }
    return least;
}

bool cn_interior_is_central(const CnInterior* point, double step, double share) {
    double wanted = share * cn_interior_gap_after(point, step);
    for (int i = 0; i < point->item_count; ++i) {
        if (least_product(point, &point->items[i], step) < wanted) {
            return false;
        }
    }
    return true;
}

void cn_interior_move(CnInterior* point, double step) {
    for (int i = 0; i < point->scaled.w.row_count; ++i) {
        point->r[i] += step * point->dr[i];
        point->y[i] += step * point->dy[i];
        point->z[i] += step * point->dz[i];
    }
}

// lemke_pairs.c - the rows of a problem as the complementary pairs that Lemke's method works on.
#include "solvers/pivot/lemke_pairs.h"

#include "linalg/dense.h"
#include <float.h>
#include <math.h>
#include <string.h>

// Sums have errors of some epsilons of their terms; smaller values count as zero.
#define ROUND_OFF (64.0 * DBL_EPSILON)

static const double up = 1.0, down = -1.0; // the weights of limits

static bool has_limits(const CnBoxLcp* box, int i) {
    return box->lower[i] > -HUGE_VAL || box->upper[i] < HUGE_VAL;
}

static bool has_both_limits(const CnBoxLcp* box, int i) {
    return box->lower[i] > -HUGE_VAL && box->upper[i] < HUGE_VAL;
}

int cn_pairs_bound(const CnPairs* pairs) {
    const CnBoxLcp* box = &pairs->pivoting.box;
    int count = 0;
    for (int i = 0; i < box->n; ++i) {
        count += (has_limits(box, i) ? 1 : 0) + (has_both_limits(box, i) ? 1 : 0);
    }
    for (int i = 0; i < pairs->pyramids.count; ++i) {
        count += pairs->pyramids.item[i].corners + 1;
    }
    return count;
}

CnStatus cn_pairs_allocate(CnPairs* pairs, CnArena* arena) {
    int n = pairs->pivoting.box.n;
    pairs->rows = CN_ARENA_NEW(arena, CnRowPairs, n);
    pairs->upper_pair = CN_ARENA_NEW(arena, int, n);
    pairs->reduced = CN_ARENA_NEW(arena, double, (size_t)(n + 1) * (size_t)n);
    bool complete = pairs->rows != NULL && pairs->upper_pair != NULL && pairs->reduced != NULL;
    return complete ? cn_cholesky_init(&pairs->free, pairs->pivoting.w, n, arena) : CN_NO_MEMORY;
}

// ---- W that is not symmetric ----

static bool is_eliminated(const CnPairs* pairs, int i) {
    return !has_limits(&pairs->pivoting.box, i) && pairs->pyramids.of_row[i] < 0;
}

bool cn_pairs_take_response(CnPairs* pairs, const CnProblem* problem) {
    const CnBoxLcp* box = &pairs->pivoting.box;
    const CnResponse* response = problem->response;
    size_t n = (size_t)box->n;
    for (int i = 0; i < box->n; ++i) {
        if (is_eliminated(pairs, i)) {
            return false;
        }
    }
    for (int row = 0; row < problem->row_count; ++row) {
        if (box->impulse[row] != 0.0) {
            return false;
        }
    }
    memset(pairs->pivoting.w, 0, n * n * sizeof(double));
    for (int i = 0; i < box->n; ++i) {
        double* row = &pairs->pivoting.w[(size_t)i * n];
        int j = 0; // both the columns and the rows of the box ascend
        for (int e = response->start[box->row[i]]; e < response->start[box->row[i] + 1]; ++e) {
            while (j < box->n && box->row[j] < response->column[e]) {
                ++j;
            }
            if (j < box->n && box->row[j] == response->column[e]) {
                row[j] = response->value[e] * box->scale[i] * box->scale[j];
            }
        }
        double own = problem->compliance[box->row[i]] + box->softness[i];
        row[i] += own * box->scale[i] * box->scale[i];
    }
    pairs->is_asymmetric = true;
    return true;
}

// u = W x - b
static void find_velocity(CnPairs* pairs) {
    CnPivoting* pivoting = &pairs->pivoting;
    const CnBoxLcp* box = &pivoting->box;
    if (!pairs->is_asymmetric) {
        cn_box_lcp_velocity(box, pivoting->x, pivoting->u);
        return;
    }
    for (int i = 0; i < box->n; ++i) {
        const double* row = &pivoting->w[(size_t)i * (size_t)box->n];
        pivoting->u[i] = cn_dense_dot(box->n, row, pivoting->x) - box->right[i];
    }
}

// ---- pairs ----

static double* reduced_row(const CnPairs* pairs, int i) {
    return &pairs->reduced[(size_t)i * (size_t)pairs->pivoting.box.n];
}

// lemke.md (1): the rows without limits, as far as they are independent, are eliminated.
static CnStatus eliminate_unlimited(CnPairs* pairs, CnArena* arena) {
    const CnBoxLcp* box = &pairs->pivoting.box;
    int* unlimited = pairs->upper_pair; // not in use yet
    int count = 0;
    for (int i = 0; i < box->n; ++i) {
        if (is_eliminated(pairs, i)) {
            unlimited[count++] = i;
        }
    }
    CnStatus status =
        cn_pivoting_free_rows(&pairs->pivoting, unlimited, count, arena, &pairs->free);
    for (int i = 0; i <= box->n; ++i) {
        const double* source =
            i < box->n ? &pairs->pivoting.w[(size_t)i * (size_t)box->n] : box->right;
        double* reduced = reduced_row(pairs, i);
        for (int k = 0; k < pairs->free.count; ++k) {
            reduced[k] = source[pairs->free.row[k]];
        }
        cn_dense_solve_lower(pairs->free.count, pairs->free.l, box->n, reduced);
    }
    return status;
}

// Elements of the reduced matrix and right-hand side, lemke.md (2).
static double reduced_matrix(const CnPairs* pairs, int i, int j) {
    int n = pairs->pivoting.box.n;
    return pairs->pivoting.w[(size_t)i * (size_t)n + (size_t)j] -
           cn_dense_dot(pairs->free.count, reduced_row(pairs, i), reduced_row(pairs, j));
}

static double reduced_right(const CnPairs* pairs, int i) {
    int n = pairs->pivoting.box.n;
    return pairs->pivoting.box.right[i] -
           cn_dense_dot(pairs->free.count, reduced_row(pairs, i), reduced_row(pairs, n));
}

// A limited row that depends on the eliminated ones, along `direction`, has a u that no
// impulse can change. It is set to the limit that the sign of u selects, and eliminated.
static void place_fixed_row(CnPairs* pairs, int i, const double* direction) {
    const CnBoxLcp* box = &pairs->pivoting.box;
    double u = -box->right[i];
    double terms = fabs(u);
    for (int k = 0; k < pairs->free.count; ++k) {
        double share = direction[k] * box->right[pairs->free.row[k]];
        u += share;
        terms += fabs(share);
    }
    double limit = u > 0.0 ? box->lower[i] : box->upper[i];
    double nearest = fmin(fmax(0.0, box->lower[i]), box->upper[i]);
    bool felt = fabs(u) > ROUND_OFF * terms;
    pairs->pivoting.x[i] = felt && isfinite(limit) ? limit : nearest;
}

// Where x starts: at the lower limit, or at the only one.
static double base(const CnBoxLcp* box, int i) {
    if (!has_limits(box, i)) {
        return 0.0;
    }
    return box->lower[i] > -HUGE_VAL ? box->lower[i] : box->upper[i];
}

static void number_limits(CnPairs* pairs) {
    const CnBoxLcp* box = &pairs->pivoting.box;
    pairs->count = 0;
    for (int i = 0; i < box->n; ++i) {
        pairs->pivoting.x[i] = 0.0;
        pairs->rows[i] = (CnRowPairs){0};
        pairs->upper_pair[i] = -1;
        if (!has_limits(box, i)) {
            continue;
        }
        double remainder;
        double* direction = pairs->pivoting.step;
        if (cn_pivoting_depends(&pairs->free, i, &remainder, direction)) {
            place_fixed_row(pairs, i, direction);
        } else {
            const double* weight = box->lower[i] > -HUGE_VAL ? &up : &down;
            pairs->rows[i] = (CnRowPairs){pairs->count++, 1, weight};
            pairs->pivoting.x[i] = base(box, i);
        }
    }
    for (int i = 0; i < box->n; ++i) {
        if (pairs->rows[i].count > 0 && has_both_limits(box, i)) {
            pairs->upper_pair[i] = pairs->count++;
        }
    }
}

// A contact whose normal was set to zero has no friction either.
static void number_corners(CnPairs* pairs) {
    for (int i = 0; i < pairs->pyramids.count; ++i) {
        CnPyramid* pyramid = &pairs->pyramids.item[i];
        if (pairs->rows[pyramid->normal].count == 0) {
            continue;
        }
        pyramid->pair = pairs->count;
        pairs->count += pyramid->corners + 1;
        for (int r = 0; r < pyramid->row_count; ++r) {
            pairs->rows[pyramid->first + r] = (CnRowPairs){pyramid->pair, pyramid->corners,
                                                           pyramid->weight + r * pyramid->corners};
        }
    }
}

CnStatus cn_pairs_make(CnPairs* pairs, CnArena* arena) {
    CnStatus status = eliminate_unlimited(pairs, arena);
    if (status != CN_OK) {
        return status;
    }
    number_limits(pairs);
    number_corners(pairs);
    pairs->z = CN_ARENA_NEW(arena, double, pairs->count);
    pairs->w = CN_ARENA_NEW(arena, double, pairs->count);
    return pairs->z != NULL && pairs->w != NULL ? cn_lcp_init(&pairs->lcp, pairs->count, arena)
                                                : CN_NO_MEMORY;
}

// ---- cost ----

static int count_eliminated(const CnPairs* pairs) {
    int count = 0;
    for (int i = 0; i < pairs->pivoting.box.n; ++i) {
        count += is_eliminated(pairs, i) ? 1 : 0;
    }
    return count;
}

// Placing the eliminated rows, and a triangular solution with them for each row, twice: once for
// the reduced matrix, once to tell whether it depends on them.
double cn_pairs_making_work(const CnPairs* pairs) {
    double n = pairs->pivoting.box.n, eliminated = count_eliminated(pairs);
    return 2.0 * n * n + eliminated * eliminated * (2.0 / 3.0 * eliminated + 1.5 * n);
}

double cn_pairs_filling_work(const CnPairs* pairs) {
    double n = pairs->pivoting.box.n, count = pairs->count;
    return n * n * (1.0 + pairs->free.count) + 2.0 * count * count;
}

double cn_pairs_reading_work(const CnPairs* pairs) {
    double count = pairs->count, eliminated = pairs->free.count;
    return count * count + eliminated * eliminated +
           2.0 * pairs->pivoting.box.w.start[pairs->pivoting.box.n];
}

// ---- to the complementarity problem and back ----

// Couples every pair of row i with every pair of row j.
static void add_to_lcp(const CnPairs* pairs, int i, int j, double s) {
    const CnRowPairs *own = &pairs->rows[i], *others = &pairs->rows[j];
    for (int a = 0; a < own->count; ++a) {
        double* row = cn_lcp_row(&pairs->lcp, own->first + a) + 1 + others->first;
        cn_dense_add_scaled(others->count, own->weight[a] * s, others->weight, row);
    }
}

// lemke.md (3), pyramid.md (7); with a proximal term (11) around the current x, on the diagonal.
static void fill_rows(CnPairs* pairs, double proximity) {
    const CnBoxLcp* box = &pairs->pivoting.box;
    for (int i = 0; i < box->n; ++i) {
        const CnRowPairs* own = &pairs->rows[i];
        double u = own->count > 0 ? -reduced_right(pairs, i) : 0.0;
        for (int j = 0; j < box->n && own->count > 0; ++j) {
            if (pairs->rows[j].count > 0) {
                double s = reduced_matrix(pairs, i, j);
                add_to_lcp(pairs, i, j, s);
                u += s * base(box, j);
            }
        }
        if (proximity > 0.0) {
            add_to_lcp(pairs, i, i, proximity);
            u -= proximity * (pairs->pivoting.x[i] - base(box, i));
        }
        for (int a = 0; a < own->count; ++a) {
            cn_lcp_row(&pairs->lcp, own->first + a)[0] += own->weight[a] * u;
        }
    }
}

static int normal_pair(const CnPairs* pairs, const CnPyramid* pyramid) {
    return pairs->rows[pyramid->normal].first;
}

void cn_pairs_fill(CnPairs* pairs, double proximity) {
    const CnBoxLcp* box = &pairs->pivoting.box;
    cn_lcp_clear(&pairs->lcp);
    fill_rows(pairs, proximity);
    for (int i = 0; i < box->n; ++i) {
        int pair = pairs->rows[i].first, upper_pair = pairs->upper_pair[i];
        if (upper_pair >= 0) { // lemke.md (4)
            double* upper_row = cn_lcp_row(&pairs->lcp, upper_pair);
            cn_lcp_row(&pairs->lcp, pair)[1 + upper_pair] = 1.0;
            upper_row[1 + pair] = -1.0;
            upper_row[0] = box->upper[i] - box->lower[i];
        }
    }
    for (int i = 0; i < pairs->pyramids.count; ++i) {
        const CnPyramid* pyramid = &pairs->pyramids.item[i];
        if (pyramid->pair >= 0) {
            cn_pyramid_couple(pyramid, normal_pair(pairs, pyramid), &pairs->lcp);
        }
    }
}

static double z_of(const CnPairs* pairs, int pair) {
    return fmax(0.0, cn_lcp_z(&pairs->lcp, pair));
}

void cn_pairs_clear_x(CnPairs* pairs) {
    for (int i = 0; i < pairs->pivoting.box.n; ++i) {
        if (pairs->rows[i].count > 0) {
            pairs->pivoting.x[i] = 0.0;
        }
    }
}

void cn_pairs_read(CnPairs* pairs) {
    CnPivoting* pivoting = &pairs->pivoting;
    const CnBoxLcp* box = &pivoting->box;
    for (int i = 0; i < box->n; ++i) {
        const CnRowPairs* own = &pairs->rows[i];
        if (own->count > 0) {
            double x = base(box, i);
            for (int a = 0; a < own->count; ++a) {
                x += own->weight[a] * z_of(pairs, own->first + a);
            }
            pivoting->x[i] = fmin(fmax(x, box->lower[i]), box->upper[i]);
        }
    }
    find_velocity(pairs);
    cn_pivoting_correct(pivoting, &pairs->free);
}

// w = M z + q of all pairs for the current z, from W itself rather than the reduced one: u is that
// of x, with which the rows without limits hold.
static void find_w(CnPairs* pairs) {
    const CnBoxLcp* box = &pairs->pivoting.box;
    double *z = pairs->z, *w = pairs->w;
    memset(w, 0, (size_t)pairs->count * sizeof *w);
    find_velocity(pairs);
    for (int i = 0; i < box->n; ++i) {
        const CnRowPairs* own = &pairs->rows[i];
        int upper_pair = pairs->upper_pair[i];
        cn_dense_add_scaled(own->count, pairs->pivoting.u[i], own->weight, w + own->first);
        if (upper_pair >= 0) {
            w[own->first] += z[upper_pair];
            w[upper_pair] = box->upper[i] - box->lower[i] - z[own->first];
        }
    }
    for (int i = 0; i < pairs->pyramids.count; ++i) {
        const CnPyramid* pyramid = &pairs->pyramids.item[i];
        if (pyramid->pair >= 0) {
            cn_pyramid_add_ties(pyramid, normal_pair(pairs, pyramid), z, w);
        }
    }
}

void cn_pairs_correct(CnPairs* pairs) {
    for (int k = 0; k < pairs->count; ++k) {
        pairs->z[k] = z_of(pairs, k);
    }
    find_w(pairs);
    cn_lcp_correct(&pairs->lcp, pairs->w);
}

bool cn_pairs_is_between(const CnPairs* pairs, int row) {
    int upper_pair = pairs->upper_pair[row];
    bool is_below = upper_pair < 0 || !cn_lcp_z_is_basic(&pairs->lcp, upper_pair);
    return pairs->rows[row].count > 0 && is_below &&
           cn_lcp_z_is_basic(&pairs->lcp, pairs->rows[row].first);
}

// box_lcp.c - frictionless problems as a box LCP: every impulse lies between two limits.
#include "solvers/pivot/box_lcp.h"

#include "constraints/problem/block.h"
#include "solvers/matrix/assembled.h"
#include "solvers/matrix/delassus.h"
#include <float.h>
#include <math.h>

// One row as the laws give it, before rows with a known impulse are taken out.
typedef struct RowLimits {
    double lower, upper;
    double compliance; // beyond the problem's own [1/kg]
    double target;     // beyond the problem's own [m/s]
} RowLimits;

static RowLimits read_equality(const CnProblem* problem, const CnBlock* block, int place) {
    (void)problem, (void)block, (void)place;
    return (RowLimits){.lower = -HUGE_VAL, .upper = HUGE_VAL};
}

static RowLimits read_bounds(const CnProblem* problem, const CnBlock* block, int place) {
    int row = block->first_row + place;
    return (RowLimits){.lower = problem->lower[row],
                       .upper = cn_limited_upper(problem, problem->upper[row])};
}

// Without friction the cone is a ray: the normal impulse is >= 0, the tangents are 0.
static RowLimits read_contact(const CnProblem* problem, const CnBlock* block, int place) {
    bool is_open = place > 0 && block->friction > 0.0;
    double most = place == 0 ? cn_limited_upper(problem, HUGE_VAL) : is_open ? HUGE_VAL : 0.0;
    return (RowLimits){.lower = is_open ? -HUGE_VAL : 0.0, .upper = most};
}

// p = offset - slope u is u + p / slope = offset / slope: direct.md (2); or p = offset.
static RowLimits read_force(const CnProblem* problem, const CnBlock* block, int place) {
    int row = block->first_row + place;
    double offset = problem->offset[row];
    double slope = problem->slope[row];
    if (!(slope > 0.0) || !isfinite(1.0 / slope)) {
        return (RowLimits){.lower = offset, .upper = offset};
    }
    return (RowLimits){
        .lower = -HUGE_VAL, .upper = HUGE_VAL, .compliance = 1.0 / slope, .target = offset / slope};
}

typedef RowLimits ReadRow(const CnProblem* problem, const CnBlock* block, int place);

static ReadRow* const readers[CN_LAW_COUNT] = {
    [CN_LAW_EQUALITY] = read_equality,
    [CN_LAW_BOUNDS] = read_bounds,
    [CN_LAW_COULOMB] = read_contact,
    [CN_LAW_FORCE] = read_force,
};

// What cn_box_lcp_build works with, all by row of the problem.
typedef struct Draft {
    CnBlockMatrix w;
    RowLimits* limits;
    bool* unknown;
    double *right, *known_effect;
} Draft;

static CnStatus start_draft(const CnProblem* problem, CnArena* arena, Draft* draft, CnBoxLcp* box) {
    draft->limits = CN_ARENA_NEW(arena, RowLimits, problem->row_count);
    draft->unknown = CN_ARENA_NEW(arena, bool, problem->row_count);
    draft->right = CN_ARENA_NEW(arena, double, problem->row_count);
    draft->known_effect = CN_ARENA_NEW(arena, double, problem->row_count);
    box->impulse = CN_ARENA_NEW(arena, double, problem->row_count);
    box->row = CN_ARENA_NEW(arena, int, problem->row_count);
    box->block = CN_ARENA_NEW(arena, int, problem->row_count);
    bool complete = draft->limits != NULL && draft->unknown != NULL && draft->right != NULL &&
                    draft->known_effect != NULL && box->impulse != NULL && box->row != NULL &&
                    box->block != NULL;
    if (!complete || problem->response == NULL) {
        return complete ? cn_delassus_assemble(problem, arena, &draft->w) : CN_NO_MEMORY;
    }
    CnAssembled assembled;
    CnStatus status = cn_assemble(problem, arena, &assembled);
    return status == CN_OK
               ? cn_block_rows_to_symmetric(&assembled.w, arena, &draft->w, &box->asymmetry)
               : status;
}

// Reads every row's limits; those of a known impulse are set aside, the others numbered.
static void read_rows(const CnProblem* problem, Draft* draft, CnBoxLcp* box) {
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        for (int place = 0; place < block->row_count; ++place) {
            int row = block->first_row + place;
            RowLimits limits = readers[block->law](problem, block, place);
            draft->limits[row] = limits;
            draft->unknown[row] = limits.lower < limits.upper;
            if (draft->unknown[row]) {
                box->row[box->n] = row;
                box->block[box->n++] = i;
            } else {
                box->impulse[row] = limits.lower;
            }
        }
    }
}

static CnStatus allocate(CnBoxLcp* box, CnArena* arena) {
    box->right = CN_ARENA_NEW(arena, double, box->n);
    box->lower = CN_ARENA_NEW(arena, double, box->n);
    box->upper = CN_ARENA_NEW(arena, double, box->n);
    box->scale = CN_ARENA_NEW(arena, double, box->n);
    box->softness = CN_ARENA_NEW(arena, double, box->n);
    box->shift = CN_ARENA_NEW(arena, double, box->n);
    bool complete = box->right != NULL && box->lower != NULL && box->upper != NULL &&
                    box->scale != NULL && box->softness != NULL && box->shift != NULL;
    return complete ? CN_OK : CN_NO_MEMORY;
}

// direct.md (3)-(5): known impulses move to the right-hand side, then rows and columns are scaled.
static void fill(const Draft* draft, bool unit_diagonal, CnBoxLcp* box) {
    cn_block_matrix_multiply(&draft->w, box->impulse, draft->known_effect);
    for (int j = 0; j < box->n; ++j) {
        const RowLimits* limits = &draft->limits[box->row[j]];
        double* diagonal = &box->w.value[box->w.start[j]]; // the first of its column
        *diagonal += limits->compliance;
        box->softness[j] = limits->compliance;
        box->shift[j] = limits->target;
        box->scale[j] = unit_diagonal && *diagonal > 0.0 ? 1.0 / sqrt(*diagonal) : 1.0;
        box->right[j] =
            draft->right[box->row[j]] + limits->target - draft->known_effect[box->row[j]];
        box->right[j] *= box->scale[j];
        box->lower[j] = limits->lower / box->scale[j];
        box->upper[j] = limits->upper / box->scale[j];
    }
    for (int j = 0; j < box->n; ++j) {
        for (int e = box->w.start[j]; e < box->w.start[j + 1]; ++e) {
            box->w.value[e] *= box->scale[box->w.row[e]] * box->scale[j];
        }
    }
}

CnStatus cn_box_lcp_build(const CnProblem* problem, bool unit_diagonal, CnArena* arena,
                          CnBoxLcp* box) {
    Draft draft;
    *box = (CnBoxLcp){0};
    CnStatus status = start_draft(problem, arena, &draft, box);
    if (status != CN_OK) {
        return status;
    }
    cn_delassus_right(problem, draft.right);
    read_rows(problem, &draft, box);
    status = cn_block_matrix_to_sparse(&draft.w, draft.unknown, arena, &box->w);
    if (status == CN_OK) {
        status = allocate(box, arena);
    }
    if (status == CN_OK) {
        fill(&draft, unit_diagonal, box);
    }
    return status;
}

static double clamp(double x, double lower, double upper) {
    return x < lower ? lower : (x > upper ? upper : x);
}

// Scaling and unscaling round twice; a guess within that of a limit is set to the limit.
static double snap(double guess, double limit) {
    bool equal = isfinite(limit) && fabs(guess - limit) <= 4.0 * DBL_EPSILON * fabs(limit);
    return equal ? limit : guess;
}

void cn_box_lcp_read_guess(const CnBoxLcp* box, const CnSolution* solution, double* x) {
    for (int i = 0; i < box->n; ++i) {
        double guess = solution->impulse[box->row[i]] / box->scale[i];
        guess = snap(snap(guess, box->lower[i]), box->upper[i]);
        x[i] = clamp(guess, box->lower[i], box->upper[i]);
    }
}

void cn_box_lcp_impulse(const CnBoxLcp* box, const CnProblem* problem, const double* x,
                        double* impulse) {
    for (int row = 0; row < problem->row_count; ++row) {
        impulse[row] = box->impulse[row];
    }
    for (int i = 0; i < box->n; ++i) {
        if (box->row[i] < problem->row_count) {
            impulse[box->row[i]] = box->scale[i] * x[i];
        }
    }
}

void cn_box_lcp_write(const CnBoxLcp* box, const CnProblem* problem, const double* x,
                      CnSolution* solution) {
    cn_box_lcp_impulse(box, problem, x, solution->impulse);
    cn_problem_velocity(problem, solution->impulse, solution->velocity);
}

void cn_box_lcp_velocity(const CnBoxLcp* box, const double* x, double* u) {
    cn_sparse_multiply(&box->w, x, u);
    for (int i = 0; i < box->n; ++i) {
        u[i] -= box->right[i];
    }
}

double cn_box_lcp_residual(const CnBoxLcp* box, const double* x, const double* u, int* worst) {
    double largest = 0.0;
    *worst = -1;
    for (int i = 0; i < box->n; ++i) {
        // x - P(x - u), written so that a small u is not lost beside a large x
        double map = clamp(u[i], x[i] - box->upper[i], x[i] - box->lower[i]);
        double residual = fabs(map) / box->scale[i];
        if (*worst < 0 || !(residual <= largest)) {
            largest = residual;
            *worst = i;
        }
    }
    return largest;
}

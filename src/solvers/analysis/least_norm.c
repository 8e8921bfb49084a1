// least_norm.c - of all forces with the same motion, those of least norm.
//
// The dual of a projection: bodies, or whatever a given W moves, get a fictitious motion z, the
// forces are y = P(G z), and Newton's method finds the z whose forces have the given momentum. The
// merit function is convex and smooth, which allows a line search. docs/theory/least_norm.md
// (4)-(7).
#include "solvers/analysis/least_norm.h"

#include "linalg/dense.h"
#include "solvers/analysis/free_forces.h"
#include "solvers/matrix/motion_matrix.h"
#include "solvers/newton/linearised.h"
#include <math.h>
#include <string.h>

#define MAX_STEPS 100 // most problems take 1 to 25
#define PATIENCE 10   // steps without halving the momentum error
#define MAX_HALVINGS 40
#define LEAST_DESCENT 1e-4 // share of the descent that the slope promises

// Momentum that is wrong by this share of itself is round-off.
#define ROUND_OFF 1e-15

// Bodies free in some direction make the matrix singular. Its diagonal is raised by
// the square of the share of momentum that is missing, within these limits, in units of its largest
// entry.
#define LEAST_RAISE 1e-13
#define MOST_RAISE 1e-2

typedef struct Dual {
    const CnProblem* reduced;
    CnMotionMatrix motions;
    CnLinearised* laws;            // at x   [block_count]
    double *x, *y, *trial_y;       // rows
    double *z, *step, *trial;      // bodies
    double *wanted, *missing;      // momentum: G^T y_0, and what y falls short of it
    double *scratch, *trial_short; // bodies
    double size;                   // of the momentum, were every row's to add up
    const CnBudget* budget;
    double work_to_step, work_to_evaluate; // multiplications
} Dual;

// Costs of a block, in multiplications: its law, and its part of the matrix.
#define WORK_OF_LAW 200.0
#define WORK_OF_BLOCK 500.0

static void count_work(Dual* dual) {
    const CnProblem* reduced = dual->reduced;
    dual->work_to_evaluate =
        cn_motion_matrix_product_work(&dual->motions) + WORK_OF_LAW * reduced->block_count;
    dual->work_to_step =
        cn_motion_matrix_step_work(&dual->motions) + WORK_OF_BLOCK * reduced->block_count;
}

static double norm(int n, const double* x) {
    return sqrt(cn_dense_dot(n, x, x));
}

static CnStatus prepare(Dual* dual, const CnProblem* problem, const CnFreeForces* forces,
                        const CnBudget* budget, CnArena* arena) {
    *dual = (Dual){.reduced = &forces->reduced.problem, .budget = budget};
    CnStatus status =
        problem->response == NULL
            ? cn_motion_matrix_of_bodies(&dual->motions, dual->reduced, arena)
            : cn_motion_matrix_of_response(&dual->motions, problem, dual->reduced->row_count,
                                           forces->from, forces->factor, arena);
    if (status != CN_OK) {
        return CN_NO_MEMORY;
    }
    double** rows[] = {&dual->x, &dual->y, &dual->trial_y};
    double** motions[] = {&dual->z,       &dual->step,    &dual->trial,      &dual->wanted,
                          &dual->missing, &dual->scratch, &dual->trial_short};
    bool enough = true;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        *rows[i] = CN_ARENA_NEW(arena, double, dual->reduced->row_count);
        enough = enough && *rows[i] != NULL;
    }
    for (size_t i = 0; i < sizeof motions / sizeof motions[0]; ++i) {
        *motions[i] = CN_ARENA_NEW(arena, double, dual->motions.motion_count);
        enough = enough && *motions[i] != NULL;
    }
    dual->laws = CN_ARENA_NEW(arena, CnLinearised, dual->reduced->block_count);
    if (!enough || dual->laws == NULL) {
        return CN_NO_MEMORY;
    }
    count_work(dual);
    cn_motion_matrix_push(&dual->motions, forces->y, dual->wanted);
    for (int i = 0; i < dual->reduced->row_count; ++i) {
        double push = forces->y[i] * cn_motion_matrix_row_length(&dual->motions, i);
        dual->size = sqrt(dual->size * dual->size + push * push);
    }
    return CN_OK;
}

// y = P(G z) and the momentum that is missing; returns the merit (5). With u = 0 the natural map of
// a law is x - P(x), and nothing of De Saxce's shift is left in it.
static double evaluate(Dual* dual, const double* z, double* y, double* missing) {
    const double still[CN_MAX_ROWS] = {0.0};
    int n = dual->motions.motion_count;
    double merit = -cn_dense_dot(n, dual->wanted, z);
    cn_budget_spend(dual->budget, dual->work_to_evaluate);
    cn_motion_matrix_feel(&dual->motions, z, dual->x);
    for (int b = 0; b < dual->reduced->block_count; ++b) {
        const CnBlock* block = &dual->reduced->blocks[b];
        CnLinearised* law = &dual->laws[b];
        const double* x = dual->x + block->first_row;
        memset(law, 0, sizeof *law);
        cn_linearise_natural(dual->reduced, block, NULL, 1.0, still, x, law);
        for (int i = 0; i < block->row_count; ++i) {
            double inside = x[i] - law->phi[i];
            y[block->first_row + i] = inside;
            merit += inside * (x[i] - 0.5 * inside); // (|x|^2 - |x - P|^2) / 2
        }
    }
    cn_motion_matrix_push(&dual->motions, y, missing);
    for (int i = 0; i < n; ++i) {
        missing[i] = dual->wanted[i] - missing[i];
    }
    return merit;
}

// step = (G^T DP G + raise)^-1 missing, with DP of the laws evaluated last; as if nothing were at a
// limit when is_free.
static bool find_step(Dual* dual, bool is_free) {
    if (!cn_budget_allows(dual->budget, dual->work_to_step)) {
        return false;
    }
    cn_budget_spend(dual->budget, dual->work_to_step);
    double share = norm(dual->motions.motion_count, dual->missing) / dual->size;
    cn_motion_matrix_reset(&dual->motions);
    for (int b = 0; b < dual->reduced->block_count; ++b) {
        int n = dual->reduced->blocks[b].row_count, row = dual->reduced->blocks[b].first_row;
        double slope[CN_MAX_ROWS * CN_MAX_ROWS];
        for (int i = 0; i < n * n; ++i) {
            double held = is_free ? 0.0 : dual->laws[b].b[i / n][i % n]; // 1 - DP
            slope[i] = (i / n == i % n ? 1.0 : 0.0) - held;
        }
        cn_motion_matrix_add(&dual->motions, b, row, n, slope);
    }
    double raise = is_free ? LEAST_RAISE : fmin(fmax(share * share, LEAST_RAISE), MOST_RAISE);
    if (!cn_motion_matrix_factor(&dual->motions, raise)) {
        return false;
    }
    cn_motion_matrix_solve(&dual->motions, dual->missing, dual->step, dual->scratch);
    return true;
}

// The first of 1, 1/2, 1/4 .. that lowers the merit as its slope promises, or halves the
// momentum error: near the solution the merit is lost in round-off. Returns the merit, infinite:
// none.
static double move(Dual* dual, double merit) {
    int n = dual->motions.motion_count;
    double slope = -cn_dense_dot(n, dual->missing, dual->step);
    double missing = norm(n, dual->missing), t = 1.0;
    for (int i = 0; i < MAX_HALVINGS; ++i, t *= 0.5) {
        memcpy(dual->trial, dual->z, (size_t)n * sizeof(double));
        cn_dense_add_scaled(n, t, dual->step, dual->trial);
        double tried = evaluate(dual, dual->trial, dual->trial_y, dual->trial_short);
        if (tried <= merit + LEAST_DESCENT * t * slope ||
            norm(n, dual->trial_short) <= 0.5 * missing) {
            memcpy(dual->z, dual->trial, (size_t)n * sizeof(double));
            memcpy(dual->y, dual->trial_y, (size_t)dual->reduced->row_count * sizeof(double));
            memcpy(dual->missing, dual->trial_short, (size_t)n * sizeof(double));
            return tried;
        }
    }
    return HUGE_VAL;
}

// From the solution without limits, until round-off or until progress ends.
static bool run(Dual* dual) {
    int n = dual->motions.motion_count, idle = 0;
    memcpy(dual->missing, dual->wanted, (size_t)n * sizeof(double));
    if (!find_step(dual, true)) {
        return false;
    }
    memcpy(dual->z, dual->step, (size_t)n * sizeof(double));
    double merit = evaluate(dual, dual->z, dual->y, dual->missing);
    double mark = norm(n, dual->missing); // to halve
    for (int i = 0; i < MAX_STEPS && idle < PATIENCE && mark > ROUND_OFF * dual->size; ++i) {
        merit = find_step(dual, false) ? move(dual, merit) : HUGE_VAL;
        if (!isfinite(merit)) {
            break;
        }
        double left = norm(n, dual->missing);
        idle = left < 0.5 * mark ? 0 : idle + 1;
        mark = left < 0.5 * mark ? left : mark;
    }
    return isfinite(norm(n, dual->missing));
}

CnStatus cn_least_norm(const CnProblem* problem, double slow, const CnBudget* budget,
                       CnArena* arena, double* impulse, bool* found) {
    CnArenaMark mark = cn_arena_mark(arena);
    CnFreeForces forces;
    Dual dual;
    *found = false;
    CnStatus status = cn_free_forces_init(&forces, problem, impulse, slow, arena);
    if (status == CN_OK) {
        status = prepare(&dual, problem, &forces, budget, arena);
    }
    if (status == CN_OK) {
        *found = dual.size == 0.0 || run(&dual);
        if (*found && dual.size > 0.0) { // else all impulses are zero
            cn_free_forces_expand(&forces, problem->row_count, dual.y, impulse);
        }
    }
    cn_arena_release(arena, mark);
    return status;
}

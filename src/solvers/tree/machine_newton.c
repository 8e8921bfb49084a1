// machine_newton.c - a few rows outside a machine, by Newton steps on all of them at once.
//
// From the impulses of the step before, most states of contacts are right, and a handful of steps
// on the dense W leads to round-off. docs/theory/mechanisms.md (37)-(39).
#include "solvers/newton/linearised.h"
#include "solvers/tree/machine_parts.h"

#include <math.h>
#include <string.h>

// More rows are not tried: a step costs their number cubed.
#define MOST_ROWS 60

// Steps; the residual falls with the square of itself once the states are found. Guesses that know
// nothing, as at an impact, lead to no tenth of it within the first few: other solvers do better.
#define FIRST_STEPS 5
#define FIRST_GAIN 0.1
#define MOST_STEPS 16
#define CAREFUL_STEPS 32 // of those whose length is chosen

// Of the tolerance, what steps aim at: rows are graded by what bodies alone would let them move,
// which is more than what joints leave, and another step costs less than a second round. Contacts
// that cannot all stick leave no more than they must, which may be within the tolerance.
#define GOAL_SHARE 0.1

// Of a step that makes matters worse: shares that are tried, each a part of the one before.
#define SHORTER 0.25
#define SHORTEST 0x1p-10

// A step that leaves more than this share stalls: contacts that cannot all stick ask for impulses
// that the raised diagonal holds back. The next one raises it less. mechanisms.md (43).
#define STALLED 0.5
#define EASE 0.1

// What is added to the diagonal of W, as a share of it: motors make machines so stiff that contacts
// which seem to stick ask for impulses without bounds, and a small share holds them near their own
// size until the states are right. It vanishes with the residual. mechanisms.md (39).
#define RAISED_SHARE 100.0
#define LEAST_RAISE 1e-12
#define LARGEST_RAISE 1e-2

// W of a block itself, with compliance, and the mean of its diagonal: they stay.
typedef struct OwnResponse {
    double scale;
    double w[CN_MAX_ROWS * CN_MAX_ROWS];
} OwnResponse;

typedef struct OuterNewton {
    const CnProblem* problem;
    const CnOuterRows* outer;
    int n;               // rows that are no equalities
    bool has_friction;   // without it rows are solved by pivots alone
    double raise;        // of the diagonal of W, as a share of it
    CnLinearised* laws;  // [blocks]
    OwnResponse* own;    // [blocks]
    double* p;           // [n]
    double* u;           // [n]
    double* row;         // of the whole matrix   [n]
    double* change;      // of the impulses; of rows that are sought it is zero   [n]
    double *from, *way;  // a step: where it begins, and all of it   [n]
    double* best;        // the impulses with the least residual   [n]
    double* matrix;      // of the rows that are sought   [n * n]
    double* step;        // right side, then solution   [n]
    int *sought, *pivot; // [n]
} OuterNewton;

static CnStatus allocate(OuterNewton* it, int blocks, CnArena* arena) {
    size_t n = (size_t)it->n;
    double** const numbers[] = {&it->p,    &it->u,   &it->row,  &it->change,
                                &it->from, &it->way, &it->best, &it->step};
    bool has_memory = true;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        *numbers[i] = CN_ARENA_RAW(arena, double, n);
        has_memory = has_memory && *numbers[i] != NULL;
    }
    it->laws = CN_ARENA_RAW(arena, CnLinearised, blocks);
    it->own = CN_ARENA_RAW(arena, OwnResponse, blocks);
    it->matrix = CN_ARENA_RAW(arena, double, n* n);
    it->sought = CN_ARENA_RAW(arena, int, n);
    it->pivot = CN_ARENA_RAW(arena, int, n);
    return has_memory && it->laws != NULL && it->own != NULL && it->matrix != NULL &&
                   it->sought != NULL && it->pivot != NULL
               ? CN_OK
               : CN_NO_MEMORY;
}

// Row i of W, among the rows that are no equalities.
static const double* response_row(const OuterNewton* it, int i) {
    int e = it->outer->equalities;
    return it->outer->w + (size_t)(e + i) * (size_t)it->outer->n + e;
}

// u = b + W (p - p_0), with compliance.
static void find_velocities(OuterNewton* it) {
    const CnOuterRows* outer = it->outer;
    int e = outer->equalities, i = 0;
    for (int k = 0; k < it->n; ++k) {
        it->change[k] = it->p[k] - outer->before[e + k];
    }
    for (int k = outer->first_law; k < outer->block_count; ++k) {
        const CnBlock* block = &it->problem->blocks[outer->block[k]];
        for (int row = block->first_row; row < block->first_row + block->row_count; ++row, ++i) {
            it->u[i] = outer->b[e + i] + cn_dense_dot(it->n, response_row(it, i), it->change) +
                       it->problem->compliance[row] * it->change[i];
        }
    }
}

static void find_own_responses(OuterNewton* it) {
    const CnOuterRows* outer = it->outer;
    int first = 0;
    for (int k = outer->first_law; k < outer->block_count; ++k) {
        const CnBlock* block = &it->problem->blocks[outer->block[k]];
        OwnResponse* own = &it->own[k - outer->first_law];
        int rows = block->row_count;
        double trace = 0.0;
        for (int i = 0; i < rows; ++i) {
            memcpy(own->w + i * rows, response_row(it, first + i) + first,
                   (size_t)rows * sizeof(double));
            own->w[i * rows + i] += it->problem->compliance[block->first_row + i];
            trace += own->w[i * rows + i];
        }
        own->scale = trace / rows;
        first += rows;
    }
}

// The laws at the present impulses, and the largest residual [m/s].
static double linearise(OuterNewton* it) {
    const CnOuterRows* outer = it->outer;
    double worst = 0.0;
    int first = 0;
    for (int k = outer->first_law; k < outer->block_count; ++k) {
        const CnBlock* block = &it->problem->blocks[outer->block[k]];
        CnLinearised* law = &it->laws[k - outer->first_law];
        const OwnResponse* own = &it->own[k - outer->first_law];
        memset(law, 0, sizeof *law);
        cn_linearise_alart_curnier(it->problem, block, own->w, 1.0 / own->scale, it->u + first,
                                   it->p + first, law);
        for (int i = 0; i < block->row_count; ++i) {
            double size = own->scale * fabs(law->phi[i]);
            bool is_number = isfinite(size) && isfinite(it->u[first + i]); // bounds could hide it
            size = is_number ? size : HUGE_VAL;
            worst = size > worst ? size : worst;
        }
        first += block->row_count;
    }
    return worst;
}

static double diagonal_raise(const OuterNewton* it, double residual) {
    double size = 0.0; // of the velocities that impulses make
    for (int i = 0; i < it->n; ++i) {
        double own = fabs(it->p[i]) * response_row(it, i)[i];
        size = own > size ? own : size;
    }
    double raise = RAISED_SHARE * residual;
    if (!it->has_friction || raise <= LEAST_RAISE * size) {
        return LEAST_RAISE;
    }
    return raise >= LARGEST_RAISE * size ? LARGEST_RAISE : raise / size;
}

// Whether the change of a row's impulse is known: the law asks for an impulse.
static bool is_known(const CnLinearised* law, int rows, int i) {
    bool is_known = true;
    for (int k = 0; k < rows; ++k) {
        is_known = is_known && law->a[i][k] == 0.0 && law->b[i][k] == (i == k ? 1.0 : 0.0);
    }
    return is_known;
}

// Lists the rows whose changes are sought, and notes the changes of the others.
static int list_sought(OuterNewton* it) {
    const CnOuterRows* outer = it->outer;
    int first = 0, count = 0;
    for (int k = outer->first_law; k < outer->block_count; ++k) {
        int rows = it->problem->blocks[outer->block[k]].row_count;
        const CnLinearised* law = &it->laws[k - outer->first_law];
        for (int i = 0; i < rows; ++i) {
            bool has_change = is_known(law, rows, i);
            it->change[first + i] = has_change ? -law->phi[i] : 0.0;
            if (!has_change) {
                it->sought[count++] = first + i;
            }
        }
        first += rows;
    }
    return count;
}

// Row i of A (W + r D) + B of a block, whose rows begin with `first`.
static void set_row(const OuterNewton* it, const CnLinearised* law, const CnBlock* block, int first,
                    int i, double* row) {
    memset(row, 0, (size_t)it->n * sizeof(double));
    for (int k = 0; k < block->row_count; ++k) {
        double a = law->a[i][k];
        if (a != 0.0) {
            const double* w = response_row(it, first + k);
            cn_dense_add_scaled(it->n, a, w, row);
            row[first + k] +=
                a * (it->problem->compliance[block->first_row + k] + it->raise * w[first + k]);
        }
        row[first + k] += law->b[i][k];
    }
}

// A row of the matrix, with the right side -Phi less what the known changes do.
static void fill_row(OuterNewton* it, const CnLinearised* law, const CnBlock* block, int first,
                     int i, int place, int count) {
    it->step[place] = -law->phi[i];
    if (count == it->n) { // none is known
        set_row(it, law, block, first, i, it->matrix + place * count);
        return;
    }
    set_row(it, law, block, first, i, it->row);
    it->step[place] -= cn_dense_dot(it->n, it->row, it->change);
    for (int k = 0; k < count; ++k) {
        it->matrix[place * count + k] = it->row[it->sought[k]];
    }
}

// One step. False: the matrix is singular.
static bool make_step(OuterNewton* it) {
    const CnOuterRows* outer = it->outer;
    int first = 0, place = 0, count = list_sought(it);
    for (int k = outer->first_law; k < outer->block_count; ++k) {
        const CnBlock* block = &it->problem->blocks[outer->block[k]];
        for (int i = 0; i < block->row_count; ++i) {
            if (place < count && it->sought[place] == first + i) {
                fill_row(it, &it->laws[k - outer->first_law], block, first, i, place++, count);
            }
        }
        first += block->row_count;
    }
    if (!cn_dense_lu_factor(count, it->matrix, it->pivot)) {
        return false;
    }
    cn_dense_lu_solve(count, it->matrix, it->pivot, it->step);
    for (int k = 0; k < count; ++k) {
        it->change[it->sought[k]] = it->step[k];
    }
    memcpy(it->from, it->p, (size_t)it->n * sizeof(double));
    memcpy(it->way, it->change, (size_t)it->n * sizeof(double));
    return true;
}

// Where a share of the step leads: the largest residual there.
static double go(OuterNewton* it, double share) {
    for (int i = 0; i < it->n; ++i) {
        it->p[i] = it->from[i] + share * it->way[i];
    }
    find_velocities(it);
    return linearise(it);
}

// All of a step, or the best of smaller shares where that leads to more than there was: states of
// contacts change on the way. mechanisms.md (43).
static double advance(OuterNewton* it, double residual) {
    double best = go(it, 1.0), share = 1.0, last = 1.0;
    for (double less = SHORTER; best > residual && less >= SHORTEST; less *= SHORTER) {
        double reached = go(it, less);
        last = less;
        if (reached < best) {
            best = reached;
            share = less;
        }
    }
    return last == share ? best : go(it, share);
}

// Steps from the impulses in p, whole ones or as `advance` has it; least: the residual of the best
// so far.
static double make_steps(OuterNewton* it, const CnSolverDef* def, bool whole, double least,
                         CnSolverReport* report) {
    double goal = GOAL_SHARE * def->tolerance, cubed = (double)it->n * it->n * it->n, ease = 1.0;
    int most = it->outer->is_near ? FIRST_STEPS : whole ? MOST_STEPS : CAREFUL_STEPS;
    double residual = go(it, 0.0), first = residual, lowest = residual;
    for (int step = 0; step <= most; ++step) {
        lowest = residual < lowest ? residual : lowest;
        if (residual < least) {
            least = residual;
            memcpy(it->best, it->p, (size_t)it->n * sizeof(double));
        }
        bool gains = step < FIRST_STEPS || lowest <= FIRST_GAIN * first;
        bool goes_on = residual > goal && gains && step < most && isfinite(residual) &&
                       report->work + cubed < def->work_budget;
        it->raise = fmax(LEAST_RAISE, ease * diagonal_raise(it, residual));
        if (!goes_on || !make_step(it)) {
            break;
        }
        double reached = whole ? go(it, 1.0) : advance(it, residual);
        ease = !whole && reached > STALLED * residual ? EASE * ease : 1.0;
        residual = reached;
        ++report->iterations;
        report->work += cubed;
    }
    return least;
}

CnStatus cn_outer_newton(const CnProblem* problem, const CnSolverDef* def, CnOuterRows* outer,
                         CnArena* arena, CnSolverReport* report, bool* found) {
    OuterNewton it = {.problem = problem, .outer = outer, .n = outer->n - outer->equalities};
    size_t bytes = (size_t)it.n * sizeof(double);
    *found = false;
    if (it.n > MOST_ROWS) {
        return CN_OK;
    }
    if (allocate(&it, outer->block_count - outer->first_law, arena) != CN_OK) {
        return CN_NO_MEMORY;
    }
    for (int k = outer->first_law; k < outer->block_count; ++k) {
        const CnBlock* block = &problem->blocks[outer->block[k]];
        it.has_friction = it.has_friction || block->law == CN_LAW_COULOMB;
    }
    find_own_responses(&it);
    double least = HUGE_VAL;
    for (int run = 0; run < 2 && !*found; ++run) { // whole steps, then with care
        memcpy(it.from, outer->p + outer->equalities, bytes);
        memset(it.way, 0, bytes);
        least = make_steps(&it, def, run == 0, least, report);
        *found = least <= def->tolerance;
    }
    if (*found) {
        memcpy(outer->p + outer->equalities, it.best, bytes);
    }
    return CN_OK;
}

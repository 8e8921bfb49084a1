// active_set.c - bounds and equalities exactly, one violated row at a time.
//
// Dantzig's principal pivoting in Baraff's form, extended to two-sided limits and singular W:
// satisfied rows stay satisfied while one violated row is driven until it is satisfied too.
// docs/theory/solvers/active_set.md derives what is cited here.
#include "linalg/dense.h"
#include "solvers/pivot/pivoting.h"
#include "solvers/solve/budget.h"
#include <float.h>
#include <math.h>

// In exact arithmetic a satisfied row is never violated again, so none is driven twice. Round-off
// may make a second drive necessary; a row that needs a third is cycling.
#define MAX_DRIVES 3

// A drive needs about as many pivots as rows that enter or leave the active set; many more is
// cycling.
#define PIVOTS_PER_ROW 50
#define PIVOTS_AT_LEAST 100

// Cost of testing a row (limits, sign, violation), in multiplications.
#define WORK_OF_LOOKING 20.0

// Round-off of u_i is some epsilons of the terms it sums.
#define ROUND_OFF (8.0 * DBL_EPSILON)

// Along a direction in which no u changes, entries below this share of its norm count as zero:
// those rows would reach a limit only when other impulses are 1e9 times as large as that limit.
#define STANDS_STILL 1e-9

typedef enum Place {
    AT_LOWER,
    AT_UPPER,
    FREE,    // in the factor: u is 0 and stays 0
    RESTING, // between its limits; its u depends on those of the free rows
} Place;

typedef struct ActiveSet {
    CnPivoting pivoting;
    CnCholesky free;
    Place* place;     // [n]
    bool* given_up;   // too nearly dependent on the free rows to be added during this drive   [n]
    bool* implied;    // satisfied as well as the free rows that imply it   [n]
    int* drives;      // how often the row was driven   [n]
    int* rows;        // a list, while placing them   [n]
    double* d;        // direction: change of x per unit step   [n]
    double* rate;     // change of u per unit step   [n]
    double size_of_x; // sum of |x| at the start of the drive
    double noise;     // elements of d and rate up to this are round-off
    int pivots, max_pivots;
    CnBudget budget; // no pivot after it
} ActiveSet;

static CnStatus prepare(void* memory, const CnSolverDef* def, const CnProblem* problem,
                        CnArena* arena, CnError* error) {
    ActiveSet* state = memory;
    CnStatus status =
        cn_pivoting_prepare(&state->pivoting, &cn_solver_active_set.info, problem, arena, error);
    if (status == CN_OK) {
        status = cn_pivoting_refuse_asymmetry(&state->pivoting, "active_set", "", error);
    }
    if (status != CN_OK) {
        return status;
    }
    int n = state->pivoting.box.n;
    state->max_pivots =
        def->max_iterations > 0 ? def->max_iterations : PIVOTS_PER_ROW * n + PIVOTS_AT_LEAST;
    state->place = CN_ARENA_NEW(arena, Place, n);
    state->given_up = CN_ARENA_NEW(arena, bool, n);
    state->implied = CN_ARENA_NEW(arena, bool, n);
    state->drives = CN_ARENA_NEW(arena, int, n);
    state->rows = CN_ARENA_NEW(arena, int, n);
    state->d = CN_ARENA_NEW(arena, double, n);
    state->rate = CN_ARENA_NEW(arena, double, n);
    bool complete = state->place != NULL && state->given_up != NULL && state->implied != NULL &&
                    state->drives != NULL && state->rows != NULL && state->d != NULL &&
                    state->rate != NULL;
    return complete ? cn_cholesky_init(&state->free, state->pivoting.w, n, arena) : CN_NO_MEMORY;
}

static bool has_pivots(const ActiveSet* state) {
    return state->pivots < state->max_pivots && !cn_budget_is_over(&state->budget);
}

// A pivot changes the factor of the free rows by one row and multiplies with W; a direction solves
// with the factor. docs/theory/budget.md (6).
static void begin_pivot(ActiveSet* state) {
    double rows = state->free.count, n = state->pivoting.box.n;
    double numbers = state->pivoting.box.w.start[state->pivoting.box.n];
    cn_budget_spend(&state->budget, 4.0 * rows * rows + 2.0 * numbers + WORK_OF_LOOKING * n);
    ++state->pivots;
}

static void begin_direction(ActiveSet* state) {
    double rows = state->free.count;
    cn_budget_spend(&state->budget, rows * rows + state->pivoting.box.n);
}

static double sum_of_magnitudes(int n, const double* x) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += fabs(x[i]);
    }
    return sum;
}

static bool add_free(ActiveSet* state, int i) {
    bool joined = cn_pivoting_add(&state->pivoting, &state->free, i);
    if (joined) {
        state->place[i] = FREE;
    }
    return joined;
}

// active_set.md (7): the error of u_i below which no pivot is made.
static double slack(const ActiveSet* state, int i) {
    return ROUND_OFF * (state->size_of_x + fabs(state->pivoting.box.right[i]));
}

// Row i leaves the free rows and stays at the limit it has reached.
static void send_to_limit(ActiveSet* state, int i, Place limit) {
    const CnBoxLcp* box = &state->pivoting.box;
    int at = 0;
    while (state->free.row[at] != i) {
        ++at;
    }
    cn_cholesky_remove(&state->free, at);
    state->place[i] = limit;
    state->pivoting.x[i] = limit == AT_LOWER ? box->lower[i] : box->upper[i];
}

// A resting row that depended on a row which left the free set must become free to stay satisfied.
// One row has left, so at most one can be added.
static void free_a_resting_row(ActiveSet* state) {
    for (int i = 0; i < state->pivoting.box.n; ++i) {
        bool holds = fabs(state->pivoting.u[i]) <= slack(state, i);
        if (state->place[i] == RESTING && holds && add_free(state, i)) {
            return;
        }
    }
}

// The violation of row i; negative when it is satisfied strictly.
static double violation(const ActiveSet* state, int i) {
    double u = state->pivoting.u[i];
    if (state->place[i] == RESTING) {
        return fabs(u);
    }
    return state->place[i] == FREE ? 0.0 : (state->place[i] == AT_LOWER ? -u : u);
}

// Recomputes x and u for the next drive, which removes small errors of the last one.
static void refresh(ActiveSet* state) {
    CnPivoting* pivoting = &state->pivoting;
    cn_box_lcp_velocity(&pivoting->box, pivoting->x, pivoting->u);
    cn_pivoting_correct(pivoting, &state->free);
    cn_box_lcp_velocity(&pivoting->box, pivoting->x, pivoting->u);
    state->size_of_x = sum_of_magnitudes(pivoting->box.n, pivoting->x);
    for (int i = 0; i < pivoting->box.n; ++i) {
        state->given_up[i] = false;
        state->implied[i] = false;
    }
}

// The most violated row, beyond round-off; -1 when all others than the given-up ones are satisfied.
static int find_violated(const ActiveSet* state) {
    int found = -1;
    double most = 0.0;
    for (int i = 0; i < state->pivoting.box.n; ++i) {
        double amount = violation(state, i);
        bool given_enough = state->implied[i] || state->drives[i] >= MAX_DRIVES;
        if (amount > most && amount > slack(state, i) && !given_enough) {
            most = amount;
            found = i;
        }
    }
    return found;
}

// What ends a step: row i reaches a limit or (row at a limit) u_i reaches 0.
typedef struct Event {
    double length;
    int row;     // -1: nothing does
    Place place; // where the row goes
} Event;

static void consider(Event* event, double length, int row, Place place) {
    if (length < event->length) { // ties go to the lowest index
        *event = (Event){.length = fmax(length, 0.0), .row = row, .place = place};
    }
}

static void consider_limits(const ActiveSet* state, int i, Event* event) {
    const CnBoxLcp* box = &state->pivoting.box;
    double x = state->pivoting.x[i];
    if (state->d[i] < -state->noise) {
        consider(event, (x - box->lower[i]) / -state->d[i], i, AT_LOWER);
    } else if (state->d[i] > state->noise) {
        consider(event, (box->upper[i] - x) / state->d[i], i, AT_UPPER);
    }
}

// A row at a limit must keep the sign of its u, if it is correct now.
static void consider_sign(const ActiveSet* state, int i, Event* event) {
    double u = state->pivoting.u[i];
    double sign = state->place[i] == AT_LOWER ? 1.0 : -1.0;
    bool holds = sign * u >= -slack(state, i);
    if (holds && sign * state->rate[i] < -state->noise && !state->given_up[i]) {
        consider(event, fmax(sign * u, 0.0) / (-sign * state->rate[i]), i, FREE);
    }
}

// d_F = factor * step, and 0 elsewhere.
static void spread_step(ActiveSet* state, double factor) {
    for (int i = 0; i < state->pivoting.box.n; ++i) {
        state->d[i] = 0.0;
    }
    for (int j = 0; j < state->free.count; ++j) {
        state->d[state->free.row[j]] = factor * state->pivoting.step[j];
    }
}

// The row being driven.
typedef struct Drive {
    int row;
    double sign;      // x of the row grows or falls
    double remainder; // rate of its u when the free rows keep theirs: linalg.md (14)
    bool dependent;   // the remainder is round-off
    double size;      // sum of |d|
} Drive;

// active_set.md (3): x_k moves by `sign`, and the free rows so that their u stay 0.
static void find_direction(ActiveSet* state, Drive* drive) {
    begin_direction(state);
    drive->dependent =
        cn_pivoting_depends(&state->free, drive->row, &drive->remainder, state->pivoting.step);
    spread_step(state, -drive->sign);
    state->d[drive->row] = drive->sign;
    drive->size = sum_of_magnitudes(state->pivoting.box.n, state->d);
    state->noise = drive->size * (drive->dependent ? STANDS_STILL : ROUND_OFF);
}

// The first event on the way. When the row depends on the free ones no u changes,
// active_set.md (4).
static Event find_event(ActiveSet* state, const Drive* drive) {
    const CnBoxLcp* box = &state->pivoting.box;
    Event event = {.length = HUGE_VAL, .row = -1};
    if (!drive->dependent) {
        double u = state->pivoting.u[drive->row];
        cn_sparse_multiply(&box->w, state->d, state->rate);
        consider(&event, fabs(u) / drive->remainder, drive->row, FREE);
    }
    consider_limits(state, drive->row, &event);
    for (int i = 0; i < box->n; ++i) {
        if (state->place[i] == FREE) {
            consider_limits(state, i, &event);
        } else if (i != drive->row && state->place[i] != RESTING && !drive->dependent) {
            consider_sign(state, i, &event);
        }
    }
    return event;
}

static void advance(ActiveSet* state, const Drive* drive, double length) {
    CnPivoting* pivoting = &state->pivoting;
    cn_dense_add_scaled(pivoting->box.n, length, state->d, pivoting->x);
    if (!drive->dependent) {
        cn_dense_add_scaled(pivoting->box.n, length, state->rate, pivoting->u);
    }
}

static void change_sides(ActiveSet* state, const Event* event) {
    const CnBoxLcp* box = &state->pivoting.box;
    int i = event->row;
    if (event->place == FREE) {
        state->given_up[i] = !add_free(state, i);
    } else if (state->place[i] == FREE) {
        send_to_limit(state, i, event->place);
        free_a_resting_row(state);
    } else { // the driven row itself
        state->place[i] = event->place;
        state->pivoting.x[i] = event->place == AT_LOWER ? box->lower[i] : box->upper[i];
    }
}

typedef enum DriveEnd {
    HOLDS,
    IMPLIED,  // the free rows imply it; its error is their round-off
    HOPELESS, // x_k is unbounded: the rows contradict each other, active_set.md (5)
} DriveEnd;

static Place place_of(const CnBoxLcp* box, const double* x, int i) {
    if (x[i] <= box->lower[i]) {
        return AT_LOWER;
    }
    return x[i] >= box->upper[i] ? AT_UPPER : RESTING;
}

// d = the step of the free rows that would make their u 0.
static void find_newton_step(ActiveSet* state) {
    CnPivoting* pivoting = &state->pivoting;
    begin_direction(state);
    cn_box_lcp_velocity(&pivoting->box, pivoting->x, pivoting->u);
    for (int j = 0; j < state->free.count; ++j) {
        pivoting->step[j] = pivoting->u[state->free.row[j]];
    }
    cn_cholesky_solve(&state->free, pivoting->step);
    spread_step(state, -1.0);
    state->noise = 0.0;
}

// Moves x_k until row k is satisfied, with pivots on other rows on the way.
static DriveEnd drive_row(ActiveSet* state, int k) {
    const CnPivoting* pivoting = &state->pivoting;
    Drive drive = {.row = k, .sign = pivoting->u[k] < 0.0 ? 1.0 : -1.0};
    while (has_pivots(state)) {
        find_direction(state, &drive);
        if (drive.dependent && fabs(pivoting->u[k]) <= slack(state, k) * drive.size) {
            return IMPLIED;
        }
        Event event = find_event(state, &drive);
        if (event.row < 0) {
            return HOPELESS;
        }
        begin_pivot(state);
        advance(state, &drive, event.length);
        state->place[k] = place_of(&pivoting->box, pivoting->x, k);
        change_sides(state, &event);
        if (event.row == k || state->place[k] == FREE) {
            return HOLDS;
        }
    }
    return HOLDS;
}

// Rows between their limits are made free, as far as they are independent.
static CnStatus place_rows(ActiveSet* state, CnArena* arena) {
    const CnBoxLcp* box = &state->pivoting.box;
    int count = 0;
    for (int i = 0; i < box->n; ++i) {
        state->place[i] = place_of(box, state->pivoting.x, i);
        if (state->place[i] == RESTING) {
            state->rows[count++] = i;
        }
    }
    CnStatus status =
        cn_pivoting_free_rows(&state->pivoting, state->rows, count, arena, &state->free);
    for (int k = 0; k < state->free.count; ++k) {
        state->place[state->free.row[k]] = FREE;
    }
    return status;
}

// active_set.md (6): moves x to where u of the free rows is 0, or to the first limit on the way,
// which takes its row out of the free set; repeated until no limit is reached.
static void solve_free_rows(ActiveSet* state) {
    CnPivoting* pivoting = &state->pivoting;
    const CnBoxLcp* box = &pivoting->box;
    while (has_pivots(state)) {
        Event event = {.length = 1.0, .row = -1};
        begin_pivot(state);
        find_newton_step(state);
        for (int i = 0; i < box->n; ++i) {
            consider_limits(state, i, &event);
        }
        cn_dense_add_scaled(box->n, event.length, state->d, pivoting->x);
        if (event.row < 0) {
            return;
        }
        send_to_limit(state, event.row, event.place);
        for (int i = 0; i < box->n; ++i) {
            if (state->place[i] == RESTING) {
                add_free(state, i); // rows that depended on the removed one
            }
        }
    }
}

// Drives rows until all are satisfied that can be.
static CnPivotingEnd drive_all(ActiveSet* state) {
    CnPivotingEnd end = CN_PIVOTING_SOLVED;
    refresh(state);
    for (int k = find_violated(state); k >= 0; k = find_violated(state)) {
        int pivots = state->pivots;
        if (!has_pivots(state)) {
            return CN_PIVOTING_EXHAUSTED;
        }
        DriveEnd drive_end = drive_row(state, k);
        if (state->pivots > pivots) {
            refresh(state);
        }
        state->implied[k] = drive_end == IMPLIED;
        state->drives[k] += drive_end == HOLDS ? 1 : 0;
        if (drive_end == HOPELESS) {
            state->drives[k] = MAX_DRIVES;
            end = CN_PIVOTING_CONTRADICTION;
        }
    }
    return end;
}

static CnStatus solve(void* memory, const CnSolverDef* def, const CnProblem* problem,
                      CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    ActiveSet* state = memory;
    state->budget = cn_budget_of(def, report);
    double placing = cn_pivoting_placing_work(&state->pivoting);
    if (!cn_budget_allows(&state->budget, placing)) {
        report->outcome = CN_OUT_OF_BUDGET;
        return CN_OK;
    }
    cn_budget_spend(&state->budget, placing);
    cn_box_lcp_read_guess(&state->pivoting.box, solution, state->pivoting.x);
    CnStatus status = place_rows(state, arena);
    if (status != CN_OK) {
        return status;
    }
    solve_free_rows(state);
    CnPivotingEnd end = drive_all(state);
    report->iterations = state->pivots;
    cn_pivoting_finish(&state->pivoting, &state->free, end, def, problem, solution, report);
    return CN_OK;
}

const CnSolver cn_solver_active_set = {
    .info = {.name = "active_set",
             .summary = "principal pivoting on bounds, equalities and contacts without friction",
             .laws = 1u << CN_LAW_EQUALITY | 1u << CN_LAW_BOUNDS | 1u << CN_LAW_FORCE,
             .limits_impulses = true,
             .exact = true},
    .state_size = sizeof(ActiveSet),
    .prepare = prepare,
    .solve = solve,
};

// solver_cost.c - what an iteration of a solver costs per contact, and how that grows.
#include "bench/solver_cost.h"

#include "bench/contact_lattice.h"
#include "terminal/console.h"
#include "terminal/interrupt.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Preparing and grading cost the same whatever the iterations: the difference of a long and a short
// solve is iterations alone.
#define SHORT_ITERATIONS 5
#define LONG_ITERATIONS 25

// The fastest of several tries is the one the rest of the machine disturbed least. Small problems
// are repeated until they have been timed for this long.
#define LEAST_SECONDS 0.2
#define LEAST_TRIES 5

static CnStatus fail_no_memory(int contacts, CnError* error) {
    error->status = CN_NO_MEMORY;
    snprintf(error->message, sizeof error->message, "no memory for a problem of %d contacts",
             contacts);
    return error->status;
}

// One problem with room for its answer.
typedef struct SolverTrial {
    ContactLattice lattice;
    CnWorkspace* workspace;
    CnSolution solution;
} SolverTrial;

static CnStatus trial_begin(SolverTrial* trial, int contacts, CnError* error) {
    *trial = (SolverTrial){.workspace = NULL};
    if (!contact_lattice_create(&trial->lattice, contacts)) {
        return fail_no_memory(contacts, error);
    }
    const CnProblem* problem = &trial->lattice.problem;
    trial->solution.impulse = calloc((size_t)problem->row_count, sizeof(double));
    trial->solution.velocity = calloc((size_t)problem->body_count, sizeof(double[6]));
    trial->workspace = cn_workspace_create(NULL, error);
    if (trial->solution.impulse == NULL || trial->solution.velocity == NULL ||
        trial->workspace == NULL) {
        return fail_no_memory(contacts, error);
    }
    return CN_OK;
}

static void trial_end(SolverTrial* trial) {
    cn_workspace_destroy(trial->workspace);
    free(trial->solution.impulse);
    free(trial->solution.velocity);
    contact_lattice_release(&trial->lattice);
}

// ---- the yardstick ----

// The sum keeps the compiler from leaving the work out.
static double pass_over_rows(const CnProblem* problem, const double (*velocity)[6]) {
    static const double at_rest[6] = {0};
    double sum = 0.0;
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        const double* a = block->body_a >= 0 ? velocity[block->body_a] : at_rest;
        const double* b = block->body_b >= 0 ? velocity[block->body_b] : at_rest;
        for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
            double u = 0.0;
            for (int k = 0; k < 6; ++k) {
                u += problem->jacobian_a[row][k] * a[k] + problem->jacobian_b[row][k] * b[k];
            }
            sum += fabs(u);
        }
    }
    return sum;
}

double solver_cost_yardstick(const CnProblem* problem) {
    const double(*velocity)[6] = problem->free_velocity;
    volatile double kept = 0.0;
    double best = INFINITY;
    double spent = 0.0;
    for (int tries = 0; tries < LEAST_TRIES || spent < LEAST_SECONDS; ++tries) {
        double started = console_clock();
        kept = pass_over_rows(problem, velocity);
        double seconds = console_clock() - started;
        best = fmin(best, seconds);
        spent += seconds;
    }
    (void)kept;
    return best;
}

// ---- the solver ----

typedef struct Timing {
    double seconds; // of the fastest try
    int iterations;
} Timing;

static CnStatus time_solve(SolverTrial* trial, const char* solver, int iterations, Timing* timing,
                           CnError* error) {
    CnSolverDef def = cn_solver_def_default();
    def.name = solver;
    def.tolerance = DBL_MIN; // never met: all iterations are made
    def.max_iterations = iterations;
    def.warm_start = false;
    *timing = (Timing){.seconds = INFINITY};
    double spent = 0.0;
    for (int tries = 0; (tries < LEAST_TRIES || spent < LEAST_SECONDS) && !interrupt_asked();
         ++tries) {
        CnSolverReport report;
        double started = console_clock();
        CnStatus status = cn_solve(&trial->lattice.problem, &def, trial->workspace,
                                   &trial->solution, &report, error);
        double seconds = console_clock() - started;
        if (status != CN_OK) {
            return status;
        }
        timing->seconds = fmin(timing->seconds, seconds);
        timing->iterations = report.iterations;
        spent += seconds;
    }
    return CN_OK;
}

static CnStatus measure_row(const char* solver, int contacts, CostRow* row, CnError* error) {
    SolverTrial trial;
    Timing few, many;
    CnStatus status = trial_begin(&trial, contacts, error);
    if (status == CN_OK) {
        status = time_solve(&trial, solver, SHORT_ITERATIONS, &few, error);
    }
    if (status == CN_OK) {
        status = time_solve(&trial, solver, LONG_ITERATIONS, &many, error);
    }
    if (status == CN_OK) {
        int iterations = many.iterations - few.iterations; // 0 when it ended early: not a number
        double nanoseconds = 1e9 * (many.seconds - few.seconds) / ((double)iterations * contacts);
        double yardstick = 1e9 * solver_cost_yardstick(&trial.lattice.problem) / contacts;
        *row = (CostRow){.solver = solver,
                         .contacts = contacts,
                         .bodies = trial.lattice.problem.body_count,
                         .iterations = iterations,
                         .nanoseconds = nanoseconds,
                         .yardstick = yardstick,
                         .ratio = nanoseconds / yardstick};
    }
    trial_end(&trial);
    return status;
}

double solver_cost_growth(const double* contacts, const double* cost, int count) {
    double mean_x = 0.0, mean_y = 0.0, xx = 0.0, xy = 0.0;
    for (int i = 0; i < count; ++i) {
        mean_x += log(contacts[i]) / count;
        mean_y += log(cost[i]) / count;
    }
    for (int i = 0; i < count; ++i) {
        double x = log(contacts[i]) - mean_x;
        xx += x * x;
        xy += x * (log(cost[i]) - mean_y);
    }
    return xy / xx;
}

CnStatus solver_cost_measure(const char* solver, int max_contacts, SolverCost* cost,
                             CnError* error) {
    double sizes[COST_MAX_ROWS], costs[COST_MAX_ROWS];
    *cost = (SolverCost){.row_count = 0};
    int last = max_contacts < COST_LAST_SIZE ? max_contacts : COST_LAST_SIZE;
    for (int contacts = COST_FIRST_SIZE; contacts <= last && !interrupt_asked(); contacts *= 10) {
        CostRow* row = &cost->rows[cost->row_count];
        CnStatus status = measure_row(solver, contacts, row, error);
        if (status != CN_OK) {
            return status;
        }
        if (interrupt_asked()) {
            break; // of half a measurement there is nothing to say
        }
        sizes[cost->row_count] = contacts;
        costs[cost->row_count++] = row->ratio * contacts;
    }
    cost->growth = solver_cost_growth(sizes, costs, cost->row_count);
    return CN_OK;
}

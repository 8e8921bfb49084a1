// nsgs_run.c - one run of nsgs: sweeps, acceleration and bursts of Newton steps, graded.
//
// Sweeps alone converge at a rate that falls with stack height and mass ratio. So after
// some sweeps Anderson acceleration is applied to them, and small problems that are still not
// solved get bursts of Newton steps on all blocks at once. Both are safeguarded: an accelerated
// step after which the sweep changes more than before is undone; a burst is kept only if it lowers
// the residual. docs/theory/solvers/nsgs.md.
#include "solvers/sweep/nsgs_run.h"

#include "constraints/problem/block.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Grading costs about as much as a sweep. It is due after the first sweep, when the change that the
// last sweep made says that the tolerance may have been met, and after so many sweeps anyway.
#define SWEEPS_BETWEEN_GRADES 10

// Easy problems are solved before acceleration starts and do not allocate its memory.
#define SWEEPS_BEFORE_ACCELERATION 20

// Multiplications per row of one accelerated step: products with the window, twice, and y computed
// anew.
#define WORK_OF_ACCELERATION (3.0 * CN_ANDERSON_WINDOW + 24.0)

// An accelerated step is undone when the next sweep changes more than the last by this factor. Some
// growth must be allowed: contacts that open or close lengthen good steps too.
#define ALLOWED_GROWTH 2.0

// Newton's method needs an approximate active set: which contacts are open, sticking or sliding.
#define ITERATIONS_BEFORE_NEWTON 40
#define ITERATIONS_BETWEEN_BURSTS 100
#define BURST_STEPS 200

// The regularisation of W's diagonal, relative to it: such that it contributes this share of the
// residual if impulses change by their own size. The lower limit is far above round-off and far
// below any eigenvalue that matters (a mass ratio of 1e6 makes eigenvalues of 1e-6); the upper one
// keeps the matrix close to W.
#define RAISED_SHARE 0.1
#define LEAST_RAISE 1e-12
#define LARGEST_RAISE 1e-2

// The share of a Newton step's cost that the work budget counts: half of its operations are
// additions, and half of the rest multiply zeros.
#define WORK_OF_NEWTON 0.25

// The residual is not monotone while contacts change state; a burst ends after so many steps
// without a new minimum.
#define BURST_PATIENCE 10

// The solution is at round-off when its residual is within this factor of the round-off in the
// terms of u, and this many iterations have not improved it.
#define NOISE_FACTOR 16.0
#define NOISE_PATIENCE 200

// Stops problems without a solution (contradicting joints), which would use up all iterations.
#define PATIENCE 3000

CnStatus cn_nsgs_run_begin(CnNsgsRun* run, const CnBlockSweep* whole, const CnSolverDef* def,
                           CnArena* arena) {
    run->whole = whole;
    run->arena = arena;
    run->measure = def->measure;
    run->tolerance = def->tolerance;
    run->work_of_sweep = cn_cost_of_sweep(run->sweep.problem);
    run->work_of_grade = cn_cost_of_certificate(whole->problem);
    run->best_residual = HUGE_VAL;
    run->next_burst = ITERATIONS_BEFORE_NEWTON;
    run->patience = PATIENCE;
    run->budget = HUGE_VAL;
    run->best = CN_ARENA_NEW(arena, double, run->sweep.problem->row_count);
    if (whole != &run->sweep) {
        run->impulse = CN_ARENA_NEW(arena, double, whole->problem->row_count);
    }
    bool is_ordered = def->shuffle != 0 || def->freeze_after != 0;
    if (is_ordered &&
        cn_sweep_set_order(&run->sweep, def->shuffle, def->freeze_after, arena) != CN_OK) {
        return CN_NO_MEMORY;
    }
    bool failed = run->best == NULL || (whole != &run->sweep && run->impulse == NULL);
    return failed ? CN_NO_MEMORY : CN_OK;
}

// Memory for acceleration and Newton steps, on first use.
static CnStatus prepare_steps(CnNsgsRun* run) {
    const CnProblem* problem = run->sweep.problem;
    if (run->weight != NULL) {
        return CN_OK;
    }
    run->weight = CN_ARENA_NEW(run->arena, double, problem->row_count);
    run->start = CN_ARENA_NEW(run->arena, double, problem->row_count);
    run->plain = CN_ARENA_NEW(run->arena, double, problem->row_count);
    if (run->weight == NULL || run->start == NULL || run->plain == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        for (int k = 0; k < block->row_count; ++k) {
            double diagonal = run->sweep.blocks[i].w[k * block->row_count + k];
            run->weight[block->first_row + k] = diagonal > 0.0 ? sqrt(diagonal) : 1.0;
        }
    }
    return CN_OK;
}

bool cn_nsgs_run_expand(CnNsgsRun* run, const double* p) {
    const CnJointSplit* split = &run->sweep.mechanisms->split;
    bool held;
    for (int i = 0; i < split->others.row_count; ++i) {
        run->impulse[split->row[i]] = p[i];
    }
    CnStatus status = cn_joint_split_solve(split, run->tolerance, &run->total, run->arena,
                                           run->impulse, run->velocity, NULL, &held);
    run->out_of_memory = status != CN_OK;
    return held;
}

static double certified_residual(CnNsgsRun* run, const double* p) {
    if (run->sweep.mechanisms != NULL) {
        if (!cn_nsgs_run_expand(run, p)) {
            return HUGE_VAL;
        }
        p = run->impulse;
    }
    return cn_sweep_certified_residual(run->whole, p, run->velocity);
}

double cn_nsgs_run_grade(CnNsgsRun* run, const double* p, int iteration) {
    cn_budget_spend(&run->total, run->work_of_grade);
    cn_sweep_set_impulse(&run->sweep, p);
    double residual = run->measure == CN_ERROR_VELOCITY
                          ? cn_sweep_residual(&run->sweep, p)
                          : cn_sweep_relative_error(&run->sweep, p, run->arena);
    if (residual <= run->tolerance && run->measure == CN_ERROR_VELOCITY) {
        residual = certified_residual(run, p);
    }
    if (residual < run->best_residual) {
        run->best_residual = residual;
        run->best_iteration = iteration;
        memcpy(run->best, p, (size_t)run->sweep.problem->row_count * sizeof(double));
    }
    return residual;
}

// The change made by the last sweep, in the unit of the error measure: [N s] or [m/s].
static double last_change(const CnNsgsRun* run) {
    return sqrt(run->measure == CN_ERROR_VELOCITY ? run->sweep.largest_square
                                                  : run->sweep.step_square);
}

// The residual is estimated as the change made by the last sweep times the ratio found at the last
// grade. A full grade is done when the estimate meets the tolerance, and every few sweeps.
static bool is_grade_due(const CnNsgsRun* run, int iteration, int limit) {
    double expected = run->grade_ratio * last_change(run);
    return run->last_grade == 0 || iteration == limit ||
           iteration - run->last_grade >= SWEEPS_BETWEEN_GRADES || expected <= run->tolerance;
}

static double grade_sweep(CnNsgsRun* run, const double* p, int iteration) {
    double residual = cn_nsgs_run_grade(run, p, iteration);
    double change = last_change(run);
    run->last_grade = iteration;
    run->grade_ratio = change > 0.0 ? residual / change : 0.0;
    return residual;
}

static double step_length(const CnNsgsRun* run, const double* p) {
    double sum = 0.0;
    for (int i = 0; i < run->sweep.problem->row_count; ++i) {
        double change = run->weight[i] * (p[i] - run->start[i]);
        sum += change * change;
    }
    return sqrt(sum);
}

// Replaces the step from start to p by an Anderson combination with earlier steps, or undoes the
// last combination.
static CnStatus accelerate(CnNsgsRun* run, double* p) {
    int rows = run->sweep.problem->row_count;
    size_t bytes = (size_t)rows * sizeof(double);
    if (!run->is_accelerating) {
        run->is_accelerating = true;
        if (cn_anderson_init(&run->anderson, rows, run->arena) != CN_OK) {
            return CN_NO_MEMORY;
        }
    }
    cn_budget_spend(&run->total, WORK_OF_ACCELERATION * rows);
    double length = step_length(run, p);
    if (run->was_combined && length > ALLOWED_GROWTH * run->last_length) {
        cn_anderson_reset(&run->anderson);
        memcpy(p, run->plain, bytes);
        run->was_combined = false;
    } else {
        run->last_length = length;
        memcpy(run->plain, p, bytes);
        cn_anderson_step(&run->anderson, run->start, run->plain, run->weight, p);
        run->was_combined = run->anderson.count > 0;
    }
    cn_sweep_set_impulse(&run->sweep, p);
    return CN_OK;
}

double cn_nsgs_newton_cost(double rows) {
    return 2.0 / 3.0 * rows * rows * rows;
}

double cn_nsgs_burst_cost(double rows) {
    return BURST_PATIENCE * cn_nsgs_newton_cost(rows);
}

// What is added to the diagonal of W, as a fraction of it: nsgs.md (17).
static double diagonal_raise(const CnNsgsRun* run, const double* p, double residual) {
    double size =
        run->measure == CN_ERROR_VELOCITY ? cn_sweep_noise(&run->sweep, p) / DBL_EPSILON : 1.0;
    return fmin(fmax(RAISED_SHARE * residual / size, LEAST_RAISE), LARGEST_RAISE);
}

// Newton steps from p until the tolerance is met or the residual has no new minimum. Afterwards p
// is the result of the burst if that is the best so far, else unchanged.
static CnStatus burst(CnNsgsRun* run, int limit, double* p, int* iterations) {
    CnBlockSweep* sweep = &run->sweep;
    size_t bytes = (size_t)sweep->problem->row_count * sizeof(double);
    if (!run->has_newton) {
        run->has_newton = true;
        if (cn_block_newton_init(&run->newton, sweep, run->weight, run->arena) != CN_OK) {
            return CN_NO_MEMORY;
        }
    }
    double work_of_step = WORK_OF_NEWTON * cn_nsgs_newton_cost(sweep->problem->row_count);
    double lowest = HUGE_VAL;
    double before = run->best_residual;
    double residual = before;
    memcpy(run->start, p, bytes);
    cn_sweep_set_impulse(sweep, p);
    for (int step = 0, low_step = 0; step < BURST_STEPS && step - low_step <= BURST_PATIENCE &&
                                     lowest > run->tolerance && *iterations < limit;
         ++step) {
        if (!cn_budget_allows(&run->total, work_of_step)) {
            break;
        }
        cn_budget_spend(&run->total, work_of_step);
        run->spent += cn_nsgs_newton_cost(sweep->problem->row_count);
        double raise = diagonal_raise(run, p, residual);
        if (!cn_block_newton_step(&run->newton, sweep, raise, p)) {
            break;
        }
        ++*iterations;
        ++run->newton_steps;
        residual = cn_nsgs_run_grade(run, p, *iterations);
        if (residual < lowest) {
            lowest = residual;
            low_step = step;
        }
    }
    memcpy(p, run->best_residual < before ? run->best : run->start, bytes);
    cn_sweep_set_impulse(sweep, p);
    if (run->is_accelerating) { // its window belongs to other impulses
        cn_anderson_reset(&run->anderson);
        run->was_combined = false;
    }
    run->next_burst = *iterations + ITERATIONS_BETWEEN_BURSTS;
    return CN_OK;
}

// Whether to stop, and the outcome: converged, at round-off, without progress, out of budget.
static bool is_finished(const CnNsgsRun* run, CnSolverReport* report) {
    if (run->best_residual <= run->tolerance) {
        report->outcome = CN_CONVERGED;
        return true;
    }
    int idle = report->iterations - run->best_iteration;
    bool at_noise = idle >= NOISE_PATIENCE && run->measure == CN_ERROR_VELOCITY &&
                    run->best_residual <= NOISE_FACTOR * cn_sweep_noise(&run->sweep, run->best);
    if (idle >= run->patience || at_noise) {
        report->outcome = CN_STALLED;
        snprintf(report->remark, sizeof report->remark, "%s; ",
                 at_noise ? "stopped at round-off" : "no progress");
        return true;
    }
    if (cn_budget_is_over(&run->total)) {
        report->outcome = CN_OUT_OF_BUDGET; // or of time: cn_solve() tells
        return true;
    }
    return false;
}

// One sweep, a grade when due, then a burst of Newton steps or an acceleration.
static CnStatus advance(CnNsgsRun* run, int limit, double* p, CnSolverReport* report) {
    int rows = run->sweep.problem->row_count;
    if (report->iterations >= SWEEPS_BEFORE_ACCELERATION) {
        if (prepare_steps(run) != CN_OK) {
            return CN_NO_MEMORY;
        }
        memcpy(run->start, p, (size_t)rows * sizeof(double));
    }
    double extra = run->sweep.extra_work;
    cn_sweep_run(&run->sweep, p);
    cn_budget_spend(&run->total, run->work_of_sweep + run->sweep.extra_work - extra);
    ++report->iterations;
    run->spent += run->sweep_cost;
    bool is_due = is_grade_due(run, report->iterations, limit);
    if (is_due && grade_sweep(run, p, report->iterations) <= run->tolerance) {
        return CN_OK;
    }
    bool affordable =
        cn_budget_allows(&run->total, WORK_OF_NEWTON * cn_nsgs_newton_cost(rows)) &&
        (run->sweep.mechanisms == NULL || run->spent + cn_nsgs_burst_cost(rows) <= run->budget);
    if (report->iterations >= run->next_burst && rows <= CN_NSGS_NEWTON_ROWS && affordable) {
        return burst(run, limit, p, &report->iterations);
    }
    if (report->iterations > SWEEPS_BEFORE_ACCELERATION) {
        return accelerate(run, p);
    }
    return CN_OK;
}

CnStatus cn_nsgs_run_advance(CnNsgsRun* run, int limit, double* p, CnSolverReport* report) {
    CnStatus status = CN_OK;
    int away = report->iterations - run->last_iteration; // in phases of the other run
    run->best_iteration += away;
    run->next_burst += away;
    run->last_grade += run->last_grade > 0 ? away : 0;
    report->outcome = CN_OUT_OF_ITERATIONS;
    report->remark[0] = '\0';
    cn_sweep_set_impulse(&run->sweep, p);
    while (status == CN_OK && report->iterations < limit && run->spent < run->budget) {
        status = advance(run, limit, p, report);
        if (run->out_of_memory || is_finished(run, report)) {
            break;
        }
    }
    run->last_iteration = report->iterations;
    return run->out_of_memory ? CN_NO_MEMORY : status;
}

// nsgs_course.c - one course of nsgs: sweeps, acceleration and bursts of Newton steps, graded.
//
// Sweeps alone converge at a rate that falls with stack height and mass ratio. So from some point
// on they count as steps of a fixed-point iteration that is accelerated, and small problems that
// are still not solved get bursts of Newton steps on all blocks at once. Neither is trusted: a
// combination that makes the sweeps work harder is taken back, a burst counts only if it ends with
// a smaller residual. docs/theory/nsgs.md.
#include "solvers/sweep/nsgs_course.h"

#include "constraints/problem/block.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Grading costs about as much as a sweep. It is due after the first sweep, when the change that the
// last sweep made says that the tolerance may have been met, and after so many sweeps anyway.
#define SWEEPS_BETWEEN_GRADES 10

// Easy problems are done by then and are spared the memory of the acceleration.
#define SWEEPS_BEFORE_ACCELERATION 20

// Multiplications for each row of a step of the acceleration: products with the window, twice, and
// what y is made of anew.
#define WORK_OF_ACCELERATION (3.0 * CN_ANDERSON_WINDOW + 24.0)

// A combination is taken back when the next step is longer than the last by this factor. Some
// growth must be allowed: contacts that open or close on the way make good steps look bad.
#define ALLOWED_GROWTH 2.0

// Newton needs the contacts to have roughly sorted themselves into open, sticking and sliding.
#define ITERATIONS_BEFORE_NEWTON 40
#define ITERATIONS_BETWEEN_BURSTS 100
#define BURST_STEPS 200

// What the raised diagonal may leave of the residual when impulses change by as much as they are.
// The least is far above round-off and far below any eigenvalue that matters (a mass ratio of 1e6
// makes eigenvalues of 1e-6); at most W still has to be what it is.
#define RAISED_SHARE 0.1
#define LEAST_RAISE 1e-12
#define LARGEST_RAISE 1e-2

// Of the cost of a Newton step, as turns compare it, what the budget counts: half of it is
// additions, and as much is zeros.
#define WORK_OF_NEWTON 0.25

// The residual rises and falls while contacts change state; a burst is given up after so many steps
// without a new low.
#define BURST_PATIENCE 10

// The answer is at round-off when its residual is within this factor of what round-off leaves of
// the terms of u, and this many iterations have not improved it.
#define NOISE_FACTOR 16.0
#define NOISE_PATIENCE 200

// Problems without an answer (joints that contradict each other) would be swept to the end.
#define PATIENCE 3000

CnStatus cn_course_begin(CnCourse* course, const CnSweep* whole, const CnSolverDef* def,
                         CnArena* arena) {
    course->whole = whole;
    course->arena = arena;
    course->measure = def->measure;
    course->tolerance = def->tolerance;
    course->work_of_sweep = cn_cost_of_sweep(course->sweep.problem);
    course->work_of_grade = cn_cost_of_certificate(whole->problem);
    course->best_residual = HUGE_VAL;
    course->next_burst = ITERATIONS_BEFORE_NEWTON;
    course->patience = PATIENCE;
    course->budget = HUGE_VAL;
    course->best = CN_ARENA_NEW(arena, double, course->sweep.problem->row_count);
    if (whole != &course->sweep) {
        course->impulse = CN_ARENA_NEW(arena, double, whole->problem->row_count);
    }
    bool is_ordered = def->shuffle != 0 || def->freeze_after != 0;
    if (is_ordered &&
        cn_sweep_set_order(&course->sweep, def->shuffle, def->freeze_after, arena) != CN_OK) {
        return CN_NO_MEMORY;
    }
    bool failed = course->best == NULL || (whole != &course->sweep && course->impulse == NULL);
    return failed ? CN_NO_MEMORY : CN_OK;
}

// What acceleration and Newton need, on first use.
static CnStatus prepare_steps(CnCourse* course) {
    const CnProblem* problem = course->sweep.problem;
    if (course->weight != NULL) {
        return CN_OK;
    }
    course->weight = CN_ARENA_NEW(course->arena, double, problem->row_count);
    course->start = CN_ARENA_NEW(course->arena, double, problem->row_count);
    course->plain = CN_ARENA_NEW(course->arena, double, problem->row_count);
    if (course->weight == NULL || course->start == NULL || course->plain == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        for (int k = 0; k < block->row_count; ++k) {
            double diagonal = course->sweep.blocks[i].w[k * block->row_count + k];
            course->weight[block->first_row + k] = diagonal > 0.0 ? sqrt(diagonal) : 1.0;
        }
    }
    return CN_OK;
}

bool cn_course_expand(CnCourse* course, const double* p) {
    const CnJointSplit* split = &course->sweep.mechanisms->split;
    bool held;
    for (int i = 0; i < split->others.row_count; ++i) {
        course->impulse[split->row[i]] = p[i];
    }
    CnStatus status = cn_joint_split_answer(split, course->tolerance, &course->total, course->arena,
                                            course->impulse, course->velocity, NULL, &held);
    course->out_of_memory = status != CN_OK;
    return held;
}

static double certified_residual(CnCourse* course, const double* p) {
    if (course->sweep.mechanisms != NULL) {
        if (!cn_course_expand(course, p)) {
            return HUGE_VAL;
        }
        p = course->impulse;
    }
    return cn_sweep_certified_residual(course->whole, p, course->velocity);
}

double cn_course_grade(CnCourse* course, const double* p, int iteration) {
    cn_budget_spend(&course->total, course->work_of_grade);
    cn_sweep_set_impulse(&course->sweep, p);
    double residual = course->measure == CN_ERROR_VELOCITY
                          ? cn_sweep_residual(&course->sweep, p)
                          : cn_sweep_relative_error(&course->sweep, p, course->arena);
    if (residual <= course->tolerance && course->measure == CN_ERROR_VELOCITY) {
        residual = certified_residual(course, p);
    }
    if (residual < course->best_residual) {
        course->best_residual = residual;
        course->best_iteration = iteration;
        memcpy(course->best, p, (size_t)course->sweep.problem->row_count * sizeof(double));
    }
    return residual;
}

// How much the last sweep changed, in what the measure counts: [N s] or [m/s].
static double last_change(const CnCourse* course) {
    return sqrt(course->measure == CN_ERROR_VELOCITY ? course->sweep.largest_square
                                                     : course->sweep.step_square);
}

// Sweeps that contract change p by about as much as it is wrong, times a factor that the last grade
// has told: only when that promises the tolerance, or after a while, is the full price paid.
static bool is_grade_due(const CnCourse* course, int iteration, int limit) {
    double expected = course->grade_ratio * last_change(course);
    return course->last_grade == 0 || iteration == limit ||
           iteration - course->last_grade >= SWEEPS_BETWEEN_GRADES || expected <= course->tolerance;
}

static double grade_sweep(CnCourse* course, const double* p, int iteration) {
    double residual = cn_course_grade(course, p, iteration);
    double change = last_change(course);
    course->last_grade = iteration;
    course->grade_ratio = change > 0.0 ? residual / change : 0.0;
    return residual;
}

static double step_length(const CnCourse* course, const double* p) {
    double sum = 0.0;
    for (int i = 0; i < course->sweep.problem->row_count; ++i) {
        double change = course->weight[i] * (p[i] - course->start[i]);
        sum += change * change;
    }
    return sqrt(sum);
}

// Turns the step from start to p into a combination with those before it, or takes the last
// combination back.
static CnStatus accelerate(CnCourse* course, double* p) {
    int rows = course->sweep.problem->row_count;
    size_t bytes = (size_t)rows * sizeof(double);
    if (!course->is_accelerating) {
        course->is_accelerating = true;
        if (cn_anderson_init(&course->anderson, rows, course->arena) != CN_OK) {
            return CN_NO_MEMORY;
        }
    }
    cn_budget_spend(&course->total, WORK_OF_ACCELERATION * rows);
    double length = step_length(course, p);
    if (course->was_combined && length > ALLOWED_GROWTH * course->last_length) {
        cn_anderson_reset(&course->anderson);
        memcpy(p, course->plain, bytes);
        course->was_combined = false;
    } else {
        course->last_length = length;
        memcpy(course->plain, p, bytes);
        cn_anderson_step(&course->anderson, course->start, course->plain, course->weight, p);
        course->was_combined = course->anderson.count > 0;
    }
    cn_sweep_set_impulse(&course->sweep, p);
    return CN_OK;
}

double cn_course_newton_cost(double rows) {
    return 2.0 / 3.0 * rows * rows * rows;
}

double cn_course_burst_cost(double rows) {
    return BURST_PATIENCE * cn_course_newton_cost(rows);
}

// What is added to the diagonal of W, as a fraction of it: nsgs.md (17).
static double diagonal_raise(const CnCourse* course, const double* p, double residual) {
    double size = course->measure == CN_ERROR_VELOCITY
                      ? cn_sweep_noise(&course->sweep, p) / DBL_EPSILON
                      : 1.0;
    return fmin(fmax(RAISED_SHARE * residual / size, LEAST_RAISE), LARGEST_RAISE);
}

// Newton steps from p until the tolerance is met or the residual finds no new low. Afterwards p is
// what the burst has found if that is the best so far, else what it was.
static CnStatus burst(CnCourse* course, int limit, double* p, int* iterations) {
    CnSweep* sweep = &course->sweep;
    size_t bytes = (size_t)sweep->problem->row_count * sizeof(double);
    if (!course->has_newton) {
        course->has_newton = true;
        if (cn_block_newton_init(&course->newton, sweep, course->weight, course->arena) != CN_OK) {
            return CN_NO_MEMORY;
        }
    }
    double work_of_step = WORK_OF_NEWTON * cn_course_newton_cost(sweep->problem->row_count);
    double lowest = HUGE_VAL;
    double before = course->best_residual;
    double residual = before;
    memcpy(course->start, p, bytes);
    cn_sweep_set_impulse(sweep, p);
    for (int step = 0, low_step = 0; step < BURST_STEPS && step - low_step <= BURST_PATIENCE &&
                                     lowest > course->tolerance && *iterations < limit;
         ++step) {
        if (!cn_budget_allows(&course->total, work_of_step)) {
            break;
        }
        cn_budget_spend(&course->total, work_of_step);
        course->spent += cn_course_newton_cost(sweep->problem->row_count);
        double raise = diagonal_raise(course, p, residual);
        if (!cn_block_newton_step(&course->newton, sweep, raise, p)) {
            break;
        }
        ++*iterations;
        ++course->newton_steps;
        residual = cn_course_grade(course, p, *iterations);
        if (residual < lowest) {
            lowest = residual;
            low_step = step;
        }
    }
    memcpy(p, course->best_residual < before ? course->best : course->start, bytes);
    cn_sweep_set_impulse(sweep, p);
    if (course->is_accelerating) { // what it remembers belongs to another place
        cn_anderson_reset(&course->anderson);
        course->was_combined = false;
    }
    course->next_burst = *iterations + ITERATIONS_BETWEEN_BURSTS;
    return CN_OK;
}

// Whether to stop, and how: converged, or nothing more to gain from these digits.
static bool is_finished(const CnCourse* course, CnSolverReport* report) {
    if (course->best_residual <= course->tolerance) {
        report->outcome = CN_CONVERGED;
        return true;
    }
    int idle = report->iterations - course->best_iteration;
    bool at_noise =
        idle >= NOISE_PATIENCE && course->measure == CN_ERROR_VELOCITY &&
        course->best_residual <= NOISE_FACTOR * cn_sweep_noise(&course->sweep, course->best);
    if (idle >= course->patience || at_noise) {
        report->outcome = CN_STALLED;
        snprintf(report->remark, sizeof report->remark, "%s; ",
                 at_noise ? "stopped at round-off" : "no progress");
        return true;
    }
    if (cn_budget_is_over(&course->total)) {
        report->outcome = CN_OUT_OF_BUDGET; // or of time: cn_solve() tells
        return true;
    }
    return false;
}

// One sweep, and when due a grade; then a burst of Newton steps or an acceleration.
static CnStatus advance(CnCourse* course, int limit, double* p, CnSolverReport* report) {
    int rows = course->sweep.problem->row_count;
    if (report->iterations >= SWEEPS_BEFORE_ACCELERATION) {
        if (prepare_steps(course) != CN_OK) {
            return CN_NO_MEMORY;
        }
        memcpy(course->start, p, (size_t)rows * sizeof(double));
    }
    double extra = course->sweep.extra_work;
    cn_sweep_run(&course->sweep, p);
    cn_budget_spend(&course->total, course->work_of_sweep + course->sweep.extra_work - extra);
    ++report->iterations;
    course->spent += course->sweep_cost;
    bool is_due = is_grade_due(course, report->iterations, limit);
    if (is_due && grade_sweep(course, p, report->iterations) <= course->tolerance) {
        return CN_OK;
    }
    bool affordable =
        cn_budget_allows(&course->total, WORK_OF_NEWTON * cn_course_newton_cost(rows)) &&
        (course->sweep.mechanisms == NULL ||
         course->spent + cn_course_burst_cost(rows) <= course->budget);
    if (report->iterations >= course->next_burst && rows <= CN_COURSE_NEWTON_ROWS && affordable) {
        return burst(course, limit, p, &report->iterations);
    }
    if (report->iterations > SWEEPS_BEFORE_ACCELERATION) {
        return accelerate(course, p);
    }
    return CN_OK;
}

CnStatus cn_course_run(CnCourse* course, int limit, double* p, CnSolverReport* report) {
    CnStatus status = CN_OK;
    int away = report->iterations - course->last_iteration; // in turns of the other course
    course->best_iteration += away;
    course->next_burst += away;
    course->last_grade += course->last_grade > 0 ? away : 0;
    report->outcome = CN_OUT_OF_ITERATIONS;
    report->remark[0] = '\0';
    cn_sweep_set_impulse(&course->sweep, p);
    while (status == CN_OK && report->iterations < limit && course->spent < course->budget) {
        status = advance(course, limit, p, report);
        if (course->out_of_memory || is_finished(course, report)) {
            break;
        }
    }
    course->last_iteration = report->iterations;
    return course->out_of_memory ? CN_NO_MEMORY : status;
}

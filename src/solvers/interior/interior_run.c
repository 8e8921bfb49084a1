// interior_run.c - one run of the interior point: predictor, corrector, step, until it stops.
#include "solvers/interior/interior_run.h"

#include "constraints/problem/certificate.h"
#include <math.h>
#include <string.h>

// A step takes this share of the way to the boundary, and more the better the prediction was.
#define STEP_SHARE 0.9
#define STEP_SHARE_MORE 0.09

// Products of pairs stay above this share of their mean; steps shrink until they do.
#define CENTRAL_SHARE 1e-3
#define STEP_SHRINK 0.8
#define MAX_SHRINKS 30

// The gap aimed at, relative to the present one: the cube of what the prediction leaves of it,
// within these limits.
#define LEAST_TARGET 1e-6
#define LARGEST_TARGET 10.0

// After a step shorter than the first, directions with a larger target gap are tried; one shorter
// than the second reduces the coupling for some iterations; so many shorter than the third end the
// run.
#define SHORT_STEP 0.3
#define BLOCKED_STEP 0.1
#define HOLD_ITERATIONS 3
#define DEAD_STEP 1e-3
#define MAX_DEAD_STEPS 6

// Costs in multiplications: of evaluating, grading and linearising a block, and of a block in one
// direction.
#define WORK_OF_POINT 1000.0
#define WORK_OF_DIRECTION 600.0

// If the gap grows by so much, a nearly singular matrix has moved the point far away: the count of
// iterations without progress starts again.
#define GAP_JUMP 10.0

// docs/theory/budget.md (4).
static void count_work(CnInteriorRun* run) {
    const CnProblem* problem = run->assembled.problem;
    double w = (double)cn_block_rows_numbers(&run->assembled.w), blocks = problem->block_count;
    run->work_to_set_up = 2.0 * run->assembled.work; // scaling and symbolic analysis included
    run->work_to_grade = 4.0 * w + WORK_OF_POINT * blocks;
    run->work_to_solve = run->system.solve_work + 4.0 * w + WORK_OF_DIRECTION * blocks;
}

CnStatus cn_interior_run_init(CnInteriorRun* run, const CnProblem* problem, double most,
                              CnArena* arena) {
    *run = (CnInteriorRun){.best_error = HUGE_VAL};
    double** vectors[] = {&run->right,  &run->moved, &run->kept_r, &run->kept_y,
                          &run->kept_z, &run->p,     &run->u,      &run->best};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
        *vectors[i] = CN_ARENA_NEW(arena, double, problem->row_count);
        if (*vectors[i] == NULL) {
            return CN_NO_MEMORY;
        }
    }
    size_t bodies = (size_t)problem->body_count;
    run->velocity = cn_arena_allocate(arena, bodies, sizeof *run->velocity);
    run->scratch = cn_arena_allocate(arena, bodies, sizeof *run->scratch);
    if (run->velocity == NULL || run->scratch == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < problem->block_count; ++i) {
        run->has_force = run->has_force || problem->blocks[i].law == CN_LAW_FORCE;
    }
    CnStatus status = cn_assemble(problem, arena, &run->assembled);
    if (status == CN_OK) {
        status = cn_interior_init(&run->point, &run->assembled, arena);
    }
    if (status == CN_OK) {
        status = cn_interior_system_init(&run->system, problem, &run->point, most, arena);
    }
    if (status == CN_OK) {
        count_work(run);
    }
    return status;
}

// Of one factorisation, four solutions and as many products with W.
CnStatus cn_interior_cost(const CnProblem* problem, CnArena* arena, double* multiplications,
                          double* work) {
    CnInteriorRun run;
    CnStatus status = cn_interior_run_init(&run, problem, 0.0, arena);
    *multiplications = *work = 0.0;
    if (status == CN_OK) {
        *work = run.work_to_set_up;
        double numbers = run.system.numbers + (double)cn_block_rows_numbers(&run.assembled.w);
        *multiplications = run.system.multiplications + 4.0 * numbers;
    }
    return status;
}

static void keep_best(CnInteriorRun* run, const double* p, double error) {
    if (error < run->best_error) {
        run->best_error = error;
        memcpy(run->best, p, (size_t)run->point.scaled.w.row_count * sizeof(double));
    }
}

static double certified_error(CnInteriorRun* run, const double* p) {
    const CnProblem* problem = run->assembled.problem;
    CnCertificate certificate;
    if (p != run->moved) {
        memcpy(run->moved, p, (size_t)problem->row_count * sizeof(double));
    }
    CnSolution solution = {run->moved, run->velocity}; // free between directions
    cn_problem_velocity(problem, solution.impulse, run->velocity);
    cn_certify(problem, &solution, run->scratch, NULL, &certificate);
    return cn_certificate_error(&certificate, run->measure);
}

double cn_interior_offer(CnInteriorRun* run, const double* p) {
    double error = certified_error(run, p);
    keep_best(run, p, error);
    return error;
}

// The error of the point's impulses on the problem as posed, the best of which are kept; returns
// the error on the current problem, which may have a proximal term. W and bodies differ by
// round-off, so errors within the tolerance are computed again by the certificate.
static double grade(CnInteriorRun* run) {
    const CnInterior* point = &run->point;
    int rows = point->scaled.w.row_count;
    for (int i = 0; i < rows; ++i) {
        run->p[i] = point->scaled.unit * point->scaled.scale[i] * point->r[i];
        run->u[i] = point->scaled.unit / point->scaled.scale[i] * point->u[i];
    }
    if (run->has_force) {
        cn_assembled_velocity(&run->assembled, run->p, run->u);
    }
    double error = cn_assembled_error(&run->assembled, run->measure, run->p, run->u);
    if (error <= run->tolerance) {
        error = certified_error(run, run->p);
    }
    keep_best(run, run->p, error);
    if (point->alpha == 0.0) {
        return error;
    }
    for (int i = 0; i < rows; ++i) {
        run->u[i] += point->scaled.unit / point->scaled.scale[i] * point->alpha *
                     (point->r[i] - point->center[i]);
    }
    return cn_assembled_error(&run->assembled, run->measure, run->p, run->u);
}

bool cn_interior_may_go_on(const CnInteriorRun* run) {
    double work = run->work_to_grade + run->system.factor_work + 2.0 * run->work_to_solve;
    return run->iterations < run->limit && !run->system.is_too_large &&
           !cn_budget_is_over(&run->budget) && cn_budget_allows(&run->budget, work);
}

static bool factor(CnInteriorRun* run, double coupling) {
    if (!cn_budget_allows(&run->budget, run->system.factor_work)) {
        return false;
    }
    cn_budget_spend(&run->budget, run->system.factor_work);
    cn_interior_linearise(&run->point, coupling);
    ++run->iterations;
    return cn_interior_system_factor(&run->system, &run->point);
}

// Inside the cones the determinant is positive without coupling. A negative one means that the
// central path has folded; then the coupling is reduced until it is positive again: cone_ip.md
// (15).
static bool factor_guarded(CnInteriorRun* run) {
    static const double couplings[] = {1.0, 0.9, 0.5, 0.0};
    double most = run->hold > 0 ? run->coupling : 1.0;
    run->hold -= run->hold > 0 ? 1 : 0;
    for (size_t i = 0; i < sizeof couplings / sizeof couplings[0]; ++i) {
        if (couplings[i] > most) {
            continue;
        }
        if (!factor(run, couplings[i])) {
            return false;
        }
        if (run->system.determinant_sign > 0) {
            if (couplings[i] < most) {
                run->coupling = couplings[i];
                run->hold = HOLD_ITERATIONS;
            }
            return true;
        }
    }
    return true; // W is not semidefinite: use the direction anyway
}

// Newton's direction towards products of `target`.
static void find_direction(CnInteriorRun* run, double target) {
    CnInterior* point = &run->point;
    cn_budget_spend(&run->budget, run->work_to_solve);
    cn_interior_right(point, target, run->right);
    cn_interior_system_solve(&run->system, point, run->right, point->dr);
    cn_interior_system_multiply(&run->system, point, point->dr, run->moved);
    for (int i = 0; i < point->scaled.w.row_count; ++i) {
        run->moved[i] += point->alpha * point->dr[i];
    }
    cn_interior_complete(point, run->moved, target);
}

// The longest step that stays inside and near the central path.
static double find_step(const CnInteriorRun* run, double share) {
    double step = fmin(1.0, share * cn_interior_longest_step(&run->point));
    for (int i = 0; i < MAX_SHRINKS; ++i) {
        if (cn_interior_is_central(&run->point, step, CENTRAL_SHARE)) {
            break;
        }
        step *= STEP_SHRINK;
    }
    return step;
}

static void copy_direction(const CnInteriorRun* run, double* const from[3], double* const to[3]) {
    for (int i = 0; i < 3; ++i) {
        memcpy(to[i], from[i], (size_t)run->point.scaled.w.row_count * sizeof(double));
    }
}

// If the corrected direction allows only a short step, tries directions without correction and with
// a larger target gap; keeps the one with the longest step.
static double try_again(CnInteriorRun* run, double target, double gap, double share, double step) {
    CnInterior* point = &run->point;
    double* const own[3] = {point->dr, point->dy, point->dz};
    double* const kept[3] = {run->kept_r, run->kept_y, run->kept_z};
    const double chances[2] = {fmax(target, SHORT_STEP), 1.0};
    copy_direction(run, own, kept);
    cn_interior_forget_products(point);
    for (int i = 0; i < 2 && step < SHORT_STEP; ++i) {
        find_direction(run, chances[i] * gap);
        double other = find_step(run, share);
        if (other > step) {
            step = other;
            copy_direction(run, own, kept);
        }
    }
    copy_direction(run, kept, own);
    return step;
}

// Mehrotra: predict with target 0, find the largest step, then aim at the gap it predicts and
// add the second-order terms: cone_ip.md (12)-(14).
static double advance(CnInteriorRun* run, const CnInteriorPlan* plan) {
    CnInterior* point = &run->point;
    double gap = cn_interior_gap(point);
    cn_interior_forget_products(point);
    find_direction(run, 0.0);
    double predicted = fmin(1.0, cn_interior_longest_step(point));
    double left = gap > 0.0 ? cn_interior_gap_after(point, predicted) / gap : 0.0;
    double target = fmin(1.0, fmax(LEAST_TARGET, left * left * left));
    if (plan->centring > 0.0 && gap > 0.0) {
        double floor = plan->centring * cn_interior_defect(point) / gap;
        target = fmax(target, fmin(LARGEST_TARGET, floor));
    }
    double share = STEP_SHARE + STEP_SHARE_MORE * predicted;
    cn_interior_keep_products(point);
    find_direction(run, target * gap);
    double step = find_step(run, share);
    if (step < SHORT_STEP) {
        step = try_again(run, target, gap, share, step);
    }
    cn_interior_move(point, step);
    return step;
}

// The error to be halved, and the iteration of the last halving.
typedef struct HalvingProgress {
    double error, gap;
    int iteration;
    int dead_steps;
} HalvingProgress;

static bool is_progressing(HalvingProgress* progress, const CnInteriorPlan* plan, int iteration,
                           double error, double gap) {
    bool error_halved = error < 0.5 * progress->error;
    bool gap_halved = gap < 0.5 * progress->gap;
    if (error_halved || gap_halved) {
        progress->iteration = iteration;
    }
    if (error_halved) {
        progress->error = error;
    }
    if (gap_halved || gap > GAP_JUMP * progress->gap) {
        progress->gap = gap;
    }
    return iteration - progress->iteration < plan->patience &&
           progress->dead_steps < MAX_DEAD_STEPS;
}

bool cn_interior_run(CnInteriorRun* run, const CnInteriorPlan* plan) {
    HalvingProgress progress = {.error = HUGE_VAL, .gap = HUGE_VAL};
    run->hold = 0;
    for (int i = 0; i <= plan->limit && cn_interior_may_go_on(run); ++i) {
        cn_budget_spend(&run->budget, run->work_to_grade);
        cn_interior_evaluate(&run->point);
        double error = grade(run);
        double gap = cn_interior_gap(&run->point);
        if (run->best_error <= run->tolerance ||
            (run->point.alpha > 0.0 && error <= plan->tolerance)) {
            return true;
        }
        if (!(error < HUGE_VAL) || !is_progressing(&progress, plan, i, error, gap) ||
            !(plan->is_guarded ? factor_guarded(run) : factor(run, 1.0))) {
            return false;
        }
        double step = advance(run, plan);
        progress.dead_steps += step < DEAD_STEP ? 1 : 0;
        if (step < BLOCKED_STEP) {
            run->coupling = 0.0;
            run->hold = HOLD_ITERATIONS;
        }
    }
    return false;
}

// cone_ip.c - interior point on the exact friction law, coupling of slip and normal included.
//
// Three stages, each slower and more robust: Newton on the full coupling from the axes of the
// cones; the same with the coupling reduced where the central path folds; and a proximal-point loop
// around the best solution so far. Associated friction, chosen by name, has no coupling.
// docs/theory/solvers/cone_ip.md.
#include "constraints/problem/friction_cone.h"
#include "solvers/interior/interior_run.h"
#include "solvers/solve/report_parts.h"
#include "solvers/solve/solver.h"
#include "solvers/sweep/block_sweep.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_ITERATIONS 1500 // factorisations, in all

// Limits of one run from the axes of the cones. Easy problems take 10 to 25 iterations.
#define RUN_LIMIT 80
#define RUN_PATIENCE 14
#define RUN_CENTRING 0.3

// Limits of one proximal problem, started near its solution.
#define PROXIMAL_LIMIT 35
#define PROXIMAL_PATIENCE 8
#define PROXIMAL_CENTRING 0.2

// A proximal problem is solved to this share of the error it is to remove, but no better than this
// share of the tolerance.
#define PROXIMAL_SHARE 0.1
#define PROXIMAL_FLOOR 3e-3

// The proximal weight, relative to the unit diagonal of the scaled W: where it starts, what solving
// and failing do to it, how many problems are solved after a failure before it may fall again, and
// the round-off of W, below which it has no effect.
#define FIRST_WEIGHT 1e-4
#define WEIGHT_DECREASE 0.2
#define WEIGHT_INCREASE 3.0
#define REST 5
#define LEAST_WEIGHT 1e-14
#define MAX_FAILURES 20

// Proximal problems without halving the error before giving up: the error may stay constant for
// a dozen of them and then fall by powers of ten.
#define PROXIMAL_PROBLEMS 25

// Gauss-Seidel sweeps that improve the last digits, which round-off of nearly singular matrices
// spoils: between two grades, and in all; and how close to the tolerance the error must be to try
// them.
#define POLISH_SWEEPS 10
#define MAX_POLISH_SWEEPS 100
#define POLISH_RANGE 1e3

typedef struct ConeIpState {
    CnInteriorRun run;
    double* u; // at the proximal center; impulses while polishing   [row_count]
    CnBlockSweep sweep;
    bool has_sweep;
    int sweeps;
    double sweeping_work; // multiplications
} ConeIpState;

static CnStatus prepare(void* memory, const CnSolverDef* def, const CnProblem* problem,
                        CnArena* arena, CnError* error) {
    (void)error;
    ConeIpState* state = memory;
    state->u = CN_ARENA_NEW(arena, double, problem->row_count);
    return state->u == NULL ? CN_NO_MEMORY
                            : cn_interior_run_init(&state->run, problem, def->work_budget, arena);
}

// The square of an item's natural map r - P(r - u~).
static double natural_map_square(const CnInterior* point, const CnInteriorItem* item,
                                 const double* r, const double* u) {
    double x[CN_MAX_ROWS] = {0.0}, sum = 0.0;
    if (item->kind == CN_INTERIOR_CONE) {
        if (point->is_associated) {
            memcpy(x, u, (size_t)item->n * sizeof(double));
        } else {
            cn_friction_cone_shift(1.0, item->n, u, x);
        }
        for (int k = 0; k < item->n; ++k) {
            x[k] = r[k] - x[k];
        }
        cn_friction_cone_project(1.0, item->n, x, x);
    } else {
        x[0] = fmin(fmax(r[0] - u[0], item->lower), item->upper);
    }
    for (int k = 0; k < item->n; ++k) {
        sum += (r[k] - x[k]) * (r[k] - x[k]);
    }
    return sum;
}

// An estimate of the gap at the center: the rms of its natural map times that of its normal
// impulses.
static double natural_gap(const ConeIpState* state) {
    const CnInterior* point = &state->run.point;
    double map = 0.0, size = 0.0;
    for (int i = 0; i < point->item_count; ++i) {
        const CnInteriorItem* item = &point->items[i];
        if (item->kind == CN_INTERIOR_CONE || item->kind == CN_INTERIOR_LIMIT) {
            const double* r = point->center + item->row;
            map += natural_map_square(point, item, r, state->u + item->row);
            size += r[0] * r[0];
        }
    }
    return sqrt(map * size) / point->pair_count;
}

// The problem with weight (r - center) added to u: cone_ip.md (16). It is tried from the centred
// point (17) nearest to the center, with three guesses of the gap.
static bool solve_proximal(ConeIpState* state) {
    static const double factors[] = {1e-2, 1.0, 10.0};
    CnInteriorRun* run = &state->run;
    CnInterior* point = &run->point;
    const CnInteriorPlan plan = {
        PROXIMAL_CENTRING, true, PROXIMAL_LIMIT, PROXIMAL_PATIENCE,
        fmax(PROXIMAL_SHARE * run->best_error, PROXIMAL_FLOOR * run->tolerance)};
    cn_scaled_multiply(&point->scaled, point->center, state->u);
    for (int i = 0; i < point->scaled.w.row_count; ++i) {
        state->u[i] += point->scaled.q[i];
    }
    double gap = natural_gap(state);
    for (size_t i = 0; i < sizeof factors / sizeof factors[0] && gap > 0.0; ++i) {
        cn_interior_start_near(point, point->center, state->u, factors[i] * gap);
        if (cn_interior_run(run, &plan)) {
            return true;
        }
    }
    return false;
}

// Sweeps from the best solution, if it is close; they need W and the exact friction law. True:
// solved.
static bool polish(ConeIpState* state, CnArena* arena) {
    CnInteriorRun* run = &state->run;
    const CnProblem* problem = run->assembled.problem;
    if (problem->masses != NULL || run->point.is_associated ||
        !(run->best_error <= POLISH_RANGE * run->tolerance)) {
        return false;
    }
    if (!state->has_sweep) {
        if (cn_sweep_prepare(&state->sweep, problem, 1.0, arena) != CN_OK) {
            return false; // optional
        }
        state->has_sweep = true;
    }
    memcpy(state->u, run->best, (size_t)problem->row_count * sizeof(double));
    cn_sweep_set_impulse(&state->sweep, state->u);
    double work = cn_cost_of_sweep(problem) + cn_cost_of_certificate(problem) / POLISH_SWEEPS;
    for (int i = 0; i < MAX_POLISH_SWEEPS && run->best_error > run->tolerance &&
                    !cn_budget_is_over(&run->budget);
         ++i) {
        double extra = state->sweep.extra_work;
        cn_sweep_run(&state->sweep, state->u);
        extra = state->sweep.extra_work - extra;
        cn_budget_spend(&run->budget, work + extra);
        state->sweeping_work += work + extra;
        ++state->sweeps;
        if (i % POLISH_SWEEPS == POLISH_SWEEPS - 1) {
            cn_interior_offer(run, state->u);
        }
    }
    return run->best_error <= run->tolerance;
}

// The scaled form of the best impulses so far.
static void center_on_best(ConeIpState* state) {
    CnInterior* point = &state->run.point;
    for (int i = 0; i < point->scaled.w.row_count; ++i) {
        point->center[i] = state->run.best[i] / (point->scaled.unit * point->scaled.scale[i]);
    }
}

// Returns how many proximal problems were posed.
static int run_proximal(ConeIpState* state) {
    CnInteriorRun* run = &state->run;
    CnInterior* point = &run->point;
    int posed = 0, failures = 0, rest = 0, halved = 0;
    double mark = run->best_error; // to halve
    center_on_best(state);
    point->alpha = FIRST_WEIGHT;
    while (run->best_error > run->tolerance && failures < MAX_FAILURES &&
           posed - halved < PROXIMAL_PROBLEMS && point->alpha > LEAST_WEIGHT &&
           cn_interior_may_go_on(run)) {
        double before = run->best_error;
        bool solved = solve_proximal(state);
        ++posed;
        if (run->best_error < 0.5 * mark) {
            mark = run->best_error;
            halved = posed;
        }
        if (solved) {
            memcpy(point->center, point->r, (size_t)point->scaled.w.row_count * sizeof(double));
        } else if (run->best_error < 0.5 * before) {
            center_on_best(state);
        } else {
            point->alpha *= WEIGHT_INCREASE;
            rest = REST;
            ++failures;
            continue;
        }
        point->alpha *= rest > 0 ? 1.0 : WEIGHT_DECREASE;
        rest -= rest > 0 ? 1 : 0;
    }
    point->alpha = 0.0;
    return posed;
}

static CnStatus solve(void* memory, const CnSolverDef* def, const CnProblem* problem,
                      CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    ConeIpState* state = memory;
    CnInteriorRun* run = &state->run;
    const CnInteriorPlan plain = {0.0, false, RUN_LIMIT, RUN_PATIENCE, def->tolerance};
    const CnInteriorPlan guarded = {RUN_CENTRING, true, RUN_LIMIT, RUN_PATIENCE, def->tolerance};
    size_t bytes = (size_t)problem->row_count * sizeof(double);
    int posed = 0;
    const char* stage = "plain";
    run->measure = def->measure;
    run->tolerance = def->tolerance;
    run->budget = cn_budget_of(def, report);
    cn_budget_spend(&run->budget, run->work_to_set_up);
    run->limit = def->max_iterations > 0 ? def->max_iterations : DEFAULT_ITERATIONS;
    memcpy(run->best, solution->impulse, bytes);
    cn_interior_start(&run->point);
    bool solved = cn_interior_run(run, &plain) || polish(state, arena);
    if (!solved && !cn_budget_is_over(&run->budget)) {
        stage = "guarded";
        cn_interior_start(&run->point);
        solved = cn_interior_run(run, &guarded) || polish(state, arena);
    }
    if (!solved && run->point.pair_count > 0 && !cn_budget_is_over(&run->budget)) {
        stage = "proximal";
        posed = run_proximal(state);
        solved = run->best_error <= run->tolerance || polish(state, arena);
    }
    memcpy(solution->impulse, run->best, bytes);
    report->iterations = run->iterations + state->sweeps;
    cn_report_add_part(report, cn_solver_cone_ip.info.name, run->iterations,
                       report->work - state->sweeping_work);
    report->outcome = solved                          ? CN_CONVERGED
                      : run->iterations >= run->limit ? CN_OUT_OF_ITERATIONS
                      : !cn_interior_may_go_on(run)   ? CN_OUT_OF_BUDGET
                                                      : CN_STALLED;
    snprintf(report->remark, sizeof report->remark, "%s stage, %d factorisations of %d %s", stage,
             run->iterations, run->system.unknowns, run->system.unknown_name);
    if (state->sweeps > 0) {
        cn_report_add_part(report, cn_solver_nsgs.info.name, state->sweeps, state->sweeping_work);
        size_t used = strlen(report->remark);
        snprintf(report->remark + used, sizeof report->remark - used, ", %d sweeps", state->sweeps);
    }
    if (posed > 0) {
        size_t used = strlen(report->remark);
        snprintf(report->remark + used, sizeof report->remark - used, ", %d proximal problems",
                 posed);
    }
    return CN_OK;
}

const CnSolver cn_solver_cone_ip = {
    .info =
        {
            .name = "cone_ip",
            .summary = "interior point with the friction coupling inside Newton, sparse LU",
            .laws = CN_ALL_LAWS,
            .frictions = 1u << CN_FRICTION_ASSOCIATED,
            .wide_contacts = true,
            .takes_masses = true,
            .exact = true,
        },
    .state_size = sizeof(ConeIpState),
    .prepare = prepare,
    .solve = solve,
};

// nsgs_momentum.c - sweeps with momentum over active contacts; solves clusters where they stall.
//
// For piles of thousands of contacts: it may be stopped after any amount of work and returns the
// best impulses that it has graded. docs/theory/solvers/nsgs_momentum.md.
#include "solvers/solve/budget.h"
#include "solvers/solve/deadline.h"
#include "solvers/solve/solver.h"
#include "solvers/sweep/contact_clusters.h"
#include "solvers/sweep/momentum_sweep.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_ITERATIONS 1000000 // sweeps; the work budget ends first

// Sweeps between grades (a round): few at first, while contacts still become active, then more.
// Where large residuals are local, longer rounds only delay the clusters.
#define FIRST_ROUND 5.0
#define LONGEST_ROUND 20.0
#define ROUND_GROWTH 1.25

// The largest extrapolation, as a share of the last change of an impulse.
#define MOST_MOMENTUM 0.97

// Sweeps have stalled when neither the worst residual nor the rms has halved within so many rounds.
#define STALL_ROUNDS 2
#define STALL_SHARE 0.5

// Active blocks: all at first, then those on a body with a residual above a share of the worst
// residual, a tenth of that share unless large residuals are local; never those below a share of
// the tolerance.
#define FULL_ROUNDS 6
#define ACTIVE_SHARE 0.03
#define ACTIVE_WIDELY 0.003
#define LOCAL_SHARE 0.02 // large residuals are local below this: rms / worst
#define ACTIVE_TOLERANCE 0.05

// Sliding directions need not be more precise than the present residual, relative to the velocities
// without impulses; nor can they be more precise than round-off.
#define PRECISION_SHARE 1e-3
#define LEAST_PRECISION 1e-4
#define BEST_PRECISION 1e-13

// Gives up after so many sweeps without halving the best error.
#define PATIENCE 4000

typedef struct MomentumState {
    CnMomentumSweep momentum;
    CnClusters clusters;
    CnArena* arena;
    double (*velocity)[6];           // scratch of grades   [body_count]
    double* best;                    // impulses with the least error   [row_count]
    double best_error, halved_error; // theirs, and the last that halved the one before
    int halved_at;                   // sweeps until then
    double free_rms;                 // of the velocities of blocks without impulses [m/s]
    double round_length;             // of the next round, in sweeps
    double worst[STALL_ROUNDS], rms[STALL_ROUNDS]; // of the last rounds [m/s]
    int watched;                                   // rounds since the last stall
} MomentumState;

static CnStatus prepare(void* memory, const CnSolverDef* def, const CnProblem* problem,
                        CnArena* arena, CnError* error) {
    MomentumState* state = memory;
    (void)def;
    (void)error;
    state->arena = arena;
    state->best = CN_ARENA_NEW(arena, double, problem->row_count);
    CnStatus status = cn_momentum_prepare(&state->momentum, problem, arena);
    if (status == CN_OK) {
        status = cn_clusters_init(&state->clusters, problem, arena);
        state->free_rms = sqrt(state->momentum.sweep.size.q_square / fmax(problem->block_count, 1));
    }
    return state->best == NULL ? CN_NO_MEMORY : status;
}

// ---- grading ----

static double measured_error(MomentumState* state, const CnSolverDef* def, const double* p) {
    CnMomentumSweep* momentum = &state->momentum;
    if (def->measure != CN_ERROR_VELOCITY) {
        return cn_sweep_relative_error(&momentum->sweep, p, state->arena);
    }
    return momentum->worst <= def->tolerance
               ? cn_sweep_certified_residual(&momentum->sweep, p, state->velocity)
               : momentum->worst;
}

static void grade(MomentumState* state, const CnSolverDef* def, const double* p,
                  CnSolverReport* report) {
    const CnProblem* problem = state->momentum.sweep.problem;
    report->work += CN_MOMENTUM_GRADE * problem->block_count;
    cn_momentum_grade(&state->momentum, p);
    double error = measured_error(state, def, p);
    if (error < state->best_error) {
        state->best_error = error;
        memcpy(state->best, p, (size_t)problem->row_count * sizeof(double));
    }
    if (error < 0.5 * state->halved_error) {
        state->halved_error = error;
        state->halved_at = report->iterations;
    }
}

// ---- rounds ----

static bool is_over(const MomentumState* state, const CnSolverDef* def, int limit,
                    const CnSolverReport* report) {
    return state->best_error <= def->tolerance || report->iterations >= limit ||
           cn_budget_is_spent(def, report) || cn_deadline_is_over(def->deadline) ||
           report->iterations - state->halved_at > PATIENCE;
}

static bool has_stalled(MomentumState* state) {
    const CnMomentumSweep* momentum = &state->momentum;
    int oldest = state->watched % STALL_ROUNDS;
    bool stalled = state->watched > STALL_ROUNDS &&
                   momentum->worst > STALL_SHARE * state->worst[oldest] &&
                   momentum->rms > STALL_SHARE * state->rms[oldest];
    state->worst[oldest] = momentum->worst;
    state->rms[oldest] = momentum->rms;
    state->watched = stalled ? 0 : state->watched + 1;
    return stalled;
}

static double active_above(const MomentumState* state, const CnSolverDef* def, int round) {
    const CnMomentumSweep* momentum = &state->momentum;
    bool is_local = momentum->rms < LOCAL_SHARE * momentum->worst;
    double share = is_local ? ACTIVE_SHARE : ACTIVE_WIDELY;
    double least = def->measure == CN_ERROR_VELOCITY ? ACTIVE_TOLERANCE * def->tolerance : 0.0;
    return round < FULL_ROUNDS ? 0.0 : fmax(least, share * momentum->worst);
}

static double slide_precision(const MomentumState* state) {
    double left = state->momentum.rms / state->free_rms;
    return fmax(BEST_PRECISION, fmin(LEAST_PRECISION, PRECISION_SHARE * left));
}

// Impulses are graded after a visit, before the extrapolation, which is the first thing in the next
// round. The round after a stall has no extrapolation (plain): with it some piles cycle.
static void run_round(MomentumState* state, const CnSolverDef* def, int round, bool is_plain,
                      int limit, double* p, CnSolverReport* report) {
    CnMomentumSweep* momentum = &state->momentum;
    double precision = slide_precision(state);
    int sweeps = (int)state->round_length;
    state->round_length = fmin(LONGEST_ROUND, ROUND_GROWTH * state->round_length);
    cn_momentum_choose(momentum, active_above(state, def, round), p);
    for (int i = 0; i < sweeps && report->iterations < limit && !cn_budget_is_spent(def, report);
         ++i) {
        double extra = momentum->sweep.extra_work;
        ++report->iterations;
        cn_momentum_extrapolate(momentum, is_plain ? 0.0 : MOST_MOMENTUM, p);
        cn_momentum_visit(momentum, precision, p);
        report->work += cn_momentum_cost(momentum) + momentum->sweep.extra_work - extra;
    }
    cn_momentum_collect(momentum, p);
}

// The first round from given impulses.
static CnStatus begin(MomentumState* state, const CnSolverDef* def, int limit, double* p,
                      CnSolverReport* report) {
    grade(state, def, p, report);
    CnStatus status = cn_momentum_join(&state->momentum, p, state->arena);
    cn_momentum_restart(&state->momentum, p);
    if (status == CN_OK && !is_over(state, def, limit, report)) {
        run_round(state, def, 0, false, limit, p, report);
        grade(state, def, p, report);
    }
    return status;
}

// Starts from the warm start, or from zero if that is better after a few sweeps. While bodies fall,
// the impulses of the last step are worse than zero; at rest they are nearly right except at
// contacts that are new or gone, which have large residuals at first that a few sweeps remove.
static CnStatus choose_start(MomentumState* state, const CnSolverDef* def, int limit, double* p,
                             CnSolverReport* report) {
    int rows = state->momentum.sweep.problem->row_count;
    double* zero = CN_ARENA_NEW(state->arena, double, rows);
    if (zero == NULL) {
        return CN_NO_MEMORY;
    }
    grade(state, def, p, report);
    double guess_rms = state->momentum.rms;
    grade(state, def, zero, report);
    if (guess_rms <= state->momentum.rms) { // the warm start is zero, or better without a sweep
        return begin(state, def, limit, p, report);
    }
    CnStatus status = begin(state, def, limit, zero, report);
    double rms = state->momentum.rms;
    if (status == CN_OK) {
        status = begin(state, def, limit, p, report);
    }
    if (status == CN_OK && rms < state->momentum.rms) {
        memcpy(p, zero, (size_t)rows * sizeof(double));
        grade(state, def, p, report);
        cn_momentum_restart(&state->momentum, p);
    }
    return status;
}

// Solves clusters if sweeps have stalled, then runs a round.
static CnStatus advance(MomentumState* state, const CnSolverDef* def, int round, int limit,
                        double* p, CnSolverReport* report) {
    CnMomentumSweep* momentum = &state->momentum;
    CnStatus status = CN_OK;
    bool stalled = has_stalled(state);
    if (stalled) {
        status = cn_clusters_solve(&state->clusters, momentum, def, state->arena, p, report);
        grade(state, def, p, report);
    }
    if (status == CN_OK) {
        status = cn_momentum_join(momentum, p, state->arena);
    }
    if (stalled) {
        cn_momentum_restart(momentum, p);
    }
    if (status == CN_OK && !is_over(state, def, limit, report)) {
        run_round(state, def, round, stalled, limit, p, report);
        grade(state, def, p, report);
    }
    return status;
}

static CnStatus solve(void* memory, const CnSolverDef* def, const CnProblem* problem,
                      CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    MomentumState* state = memory;
    double* p = solution->impulse;
    int limit = def->max_iterations > 0 ? def->max_iterations : DEFAULT_ITERATIONS;
    (void)arena; // the one it was prepared with
    state->velocity = solution->velocity;
    state->best_error = state->halved_error = HUGE_VAL;
    state->round_length = FIRST_ROUND;
    CnStatus status = choose_start(state, def, limit, p, report);
    for (int round = 1; status == CN_OK && !is_over(state, def, limit, report); ++round) {
        status = advance(state, def, round, limit, p, report);
    }
    if (state->best_error < HUGE_VAL) {
        memcpy(p, state->best, (size_t)problem->row_count * sizeof(double));
    }
    report->outcome = state->best_error <= def->tolerance ? CN_CONVERGED
                      : report->iterations >= limit       ? CN_OUT_OF_ITERATIONS
                                                          : CN_STALLED;
    snprintf(report->remark, sizeof report->remark,
             "%d sweeps, %d clusters, %d of %d blocks active; contacts not solved %d",
             report->iterations, state->clusters.solved, cn_momentum_size(&state->momentum),
             problem->block_count, state->momentum.failed);
    return status;
}

const CnSolver cn_solver_nsgs_momentum = {
    .info =
        {
            .name = "nsgs_momentum",
            .summary = "sweeps of four contacts at once with momentum, exact clusters; for piles",
            .laws = CN_ALL_LAWS,
            .needs_bodies = true,
            .wide_contacts = true,
            .exact = true,
        },
    .state_size = sizeof(MomentumState),
    .prepare = prepare,
    .solve = solve,
};

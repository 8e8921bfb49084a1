// auto.c - chooses a solver by the problem, grades its solution, tries the next if it failed.
#include "base/error.h"
#include "constraints/problem/certificate.h"
#include "solvers/analysis/infeasible.h"
#include "solvers/interior/interior_run.h"
#include "solvers/solve/budget.h"
#include "solvers/solve/refusal.h"
#include "solvers/solve/report_parts.h"
#include "solvers/solve/solver.h"
#include "solvers/tree/machine.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// Up to so many rows pivoting on a dense W, of cubic cost, is cheaper than sweeping to many digits.
#define ACTIVE_SET_ROWS 300

// Sweeps that easy problems need, and most problems between two steps of a world. Beyond them nsgs
// turns to Newton steps with a dense matrix, up to the first number of rows: cheap up to the
// second, where it gets more time; above, the interior point does better with a sparse matrix.
#define FIRST_SWEEPS 40
#define DENSE_NEWTON_ROWS 450
#define CHEAP_NEWTON_ROWS 60
#define SMALL_SWEEPS 200

// Sweeps go on while they cost less than this share of what the interior point is expected to.
#define SWEEPING_SHARE 0.5
#define INTERIOR_ITERATIONS 25

// Multiplications of one visit to a block (reading, one contact, writing), and how many of a
// factorisation take as long as one of these: they run on whole tiles of dense fronts.
#define VISIT_COST 150.0
#define FACTOR_SPEED 6.0

// If the interior point costs less than so many sweeps, no sweeps are tried.
#define LEAST_SWEEPS 100

// Steps of newton_ac before the interior point's robust stages: heaps and chains, whose path
// folds, take 10 to 84, towers up to 105, and what takes more seldom ends.
#define NEWTON_STEPS 120

// Iterations of the last attempt: twice the default of nsgs. It starts from the best solution.
#define MOST_SWEEPS 10000
#define PATIENT_SWEEPS 20000

// Iterations of the interior point on an infeasible problem whose conflicting blocks are made
// compliant, and the largest error, relative to the best so far, with which its solution is
// accepted.
#define YIELDING_ITERATIONS 80
#define YIELDED_SHARE 0.01

// The share of the remaining budget for each attempt; the last one may use all of it.
#define ATTEMPT_SHARE 0.5

// Equalities that `direct` does not meet are nearly dependent: others gain a digit or two at best,
// and may take so many times the work that it took.
#define AFTER_DIRECT 10.0

// Sweeps with momentum before the distribution of the residual is examined: in a stack it is spread
// over all blocks, its rms more than this share of the worst (0.10 to 0.37 in pyramids, walls and
// towers, 0.03 to 0.07 in falling piles), and a matrix knows more than sweeps. It needs some ten
// factorisations, which must fit into the share of an attempt: those of a settled pile of 8,000
// contacts do not.
#define MOMENTUM_SWEEPS 200
#define GLOBAL_SHARE 0.08

// Sweeps carry information slowly through a stack: after these sweeps its rms residual is still 0.2
// to 0.9 of that without impulses, in piles 0.01 to 0.05. Above so many rows this is tested first,
// because planning the factorisation costs as much as some fifty sweeps.
#define STILL_SHARE 0.1
#define COSTLY_PLAN_ROWS 3000

// Factorisations that a stack needs.
#define STACK_ITERATIONS 10

// Bodies that move by fewer tolerances, and whose guess misses by fewer, are at rest. The interior
// point answers with impulses inside all cones, which hold for many steps; sweeps with momentum end
// on the surface of some, and have to be called again soon.
#define RESTING 100.0

// With fewer contacts per block of another law, joints may be the reason for slow sweeps. Half as
// many suffice in problems so large that the interior point is too costly (COSTLY_PLAN_ROWS).
#define CONTACTS_PER_JOINT 4

#define MAX_ATTEMPTS 12
#define BY_COST (-1)

typedef enum Occasion {
    ALWAYS,
    ON_STACKS, // the residual is spread over all blocks, and a factorisation is affordable
    AT_REST,   // the warm start is nearly right, and a factorisation is affordable
} Occasion;

typedef struct Attempt {
    const CnSolver* solver;
    int max_iterations; // 0: as the caller said; BY_COST: what is cheaper than the interior point
    Occasion occasion;
} Attempt;

// The errors left by the attempts before the one kept.
typedef struct Story {
    char text[80]; // "nsgs left 2e-05, "
    size_t used;
} Story;

typedef struct AutoState {
    int count[CN_LAW_COUNT]; // blocks of each law
    int rough_contacts;      // contacts with friction; those without are bounds
    Attempt attempts[MAX_ATTEMPTS];
    int attempt_count;
    double (*scratch)[6]; // of the certificate   [body_count]
    double* best;         // the best impulses so far   [row_count]
    double* zero;         // no impulses; NULL where sweeps with momentum are not planned
    double best_error;    // in the requested measure; infinite: unknown
    int tried;            // attempts so far
    bool keeps_last;      // the best impulses are those of the last attempt
    bool sweeps_stalled;
    bool is_stack;    // sweeps have left a residual spread over all blocks
    bool is_resting;  // the warm start was nearly right
    bool is_examined; // infeasibility was tested
    Story story;
} AutoState;

static void plan_on(Occasion occasion, AutoState* state, const CnSolver* solver,
                    int max_iterations) {
    CN_ASSERT(state->attempt_count < MAX_ATTEMPTS);
    state->attempts[state->attempt_count++] = (Attempt){solver, max_iterations, occasion};
}

static void plan(AutoState* state, const CnSolver* solver, int max_iterations) {
    plan_on(ALWAYS, state, solver, max_iterations);
}

// Few solvers support a friction approximation chosen by name; the cheaper one comes first.
static void plan_for_friction(AutoState* state, CnFrictionModel friction) {
    static const CnSolver* const solvers[CN_FRICTION_COUNT][2] = {
        [CN_FRICTION_BOX] = {&cn_solver_pgs, &cn_solver_lemke},
        [CN_FRICTION_PYRAMID] = {&cn_solver_lemke, NULL},
        [CN_FRICTION_ASSOCIATED] = {&cn_solver_cone_ip, &cn_solver_admm},
    };
    for (int i = 0; i < 2 && solvers[friction][i] != NULL; ++i) {
        plan(state, solvers[friction][i], 0);
    }
}

// Many contacts of bodies, and not many joints among them.
static bool is_pile(const AutoState* state, const CnProblem* problem) {
    int contacts = state->count[CN_LAW_COULOMB] + state->count[CN_LAW_BOUNDS];
    int joints = problem->block_count - contacts;
    int wanted = CONTACTS_PER_JOINT * joints;
    return problem->response == NULL && problem->masses == NULL &&
           problem->row_count > DENSE_NEWTON_ROWS &&
           (contacts >= wanted ||
            (problem->row_count > COSTLY_PLAN_ROWS && 2 * contacts >= wanted));
}

// A few sweeps tell a stack from a pile. Stacks go to the interior point; piles to sweeps, until
// the budget is spent or they stall.
static void plan_sweeps_with_momentum(AutoState* state, bool has_limit) {
    if (!has_limit) {
        plan_on(AT_REST, state, &cn_solver_cone_ip, INTERIOR_ITERATIONS);
        plan(state, &cn_solver_nsgs_momentum, MOMENTUM_SWEEPS);
        plan_on(ON_STACKS, state, &cn_solver_cone_ip, INTERIOR_ITERATIONS);
        plan_on(ON_STACKS, state, &cn_solver_newton_ac, NEWTON_STEPS);
    }
    plan(state, &cn_solver_nsgs_momentum, 0);
}

// The solver specialised for the laws of the problem, then a few sweeps, more of them while they
// are cheap; the interior point and Newton with their usual number of iterations, then with the
// largest; at last sweeps up to their limit.
static void plan_attempts(AutoState* state, const CnSolverDef* def, const CnProblem* problem) {
    bool has_limit = def->max_iterations > 0;
    if (cn_machine_suits(problem, def)) {
        plan(state, &cn_solver_tree, 0);
    }
    if (state->count[CN_LAW_COULOMB] + state->count[CN_LAW_BOUNDS] == 0) {
        plan(state, &cn_solver_direct, 0);
    } else if (state->rough_contacts == 0 && problem->row_count <= ACTIVE_SET_ROWS) {
        plan(state, &cn_solver_active_set, 0);
    }
    if (is_pile(state, problem)) {
        plan_sweeps_with_momentum(state, has_limit);
    } else {
        int first = problem->row_count <= CHEAP_NEWTON_ROWS ? SMALL_SWEEPS : FIRST_SWEEPS;
        plan(state, &cn_solver_nsgs, has_limit ? 0 : first);
        if (!has_limit && problem->row_count > DENSE_NEWTON_ROWS) {
            plan(state, &cn_solver_nsgs, BY_COST);
        }
    }
    if (!has_limit && problem->masses == NULL && problem->row_count > CHEAP_NEWTON_ROWS) {
        plan(state, &cn_solver_cone_ip, INTERIOR_ITERATIONS);
        plan(state, &cn_solver_newton_ac, NEWTON_STEPS);
    }
    plan(state, &cn_solver_cone_ip, 0);
    plan(state, &cn_solver_newton_ac, 0);
    if (problem->masses != NULL) { // else what comes next needs less
        plan(state, &cn_solver_admm, 0);
    }
    if (!has_limit) {
        plan(state, &cn_solver_nsgs, PATIENT_SWEEPS);
    }
}

static CnStatus prepare(void* memory, const CnSolverDef* def, const CnProblem* problem,
                        CnArena* arena, CnError* error) {
    AutoState* state = memory;
    (void)error;
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        ++state->count[block->law];
        state->rough_contacts += block->law == CN_LAW_COULOMB && block->friction > 0.0;
    }
    if (problem->friction_model == CN_FRICTION_EXACT) {
        plan_attempts(state, def, problem);
    } else {
        plan_for_friction(state, problem->friction_model);
    }
    state->scratch = cn_arena_allocate(arena, (size_t)problem->body_count, sizeof(double[6]));
    state->best = CN_ARENA_NEW(arena, double, problem->row_count);
    if (is_pile(state, problem)) {
        state->zero = CN_ARENA_NEW(arena, double, problem->row_count);
    }
    bool failed = state->scratch == NULL || state->best == NULL ||
                  (is_pile(state, problem) && state->zero == NULL);
    return failed ? CN_NO_MEMORY : CN_OK;
}

static void tell(Story* story, const char* solver, double error) {
    char part[40];
    int length = snprintf(part, sizeof part, "%s left %.1e, ", solver, error);
    if (length > 0 && story->used + (size_t)length < sizeof story->text) {
        memcpy(story->text + story->used, part, (size_t)length + 1);
        story->used += (size_t)length;
    }
}

// "cone_ip: 12 frictional contacts, 3 equality blocks; nsgs left 2e-05; <what the solver said>"
static void write_remark(const AutoState* state, const char* said, CnSolverReport* report) {
    const Story* before = &state->story;
    const char* const nouns[CN_LAW_COUNT] = {
        [CN_LAW_EQUALITY] = "equality block",
        [CN_LAW_BOUNDS] = "bounds block",
        [CN_LAW_COULOMB] =
            state->rough_contacts > 0 ? "frictional contact" : "frictionless contact",
        [CN_LAW_FORCE] = "force block",
    };
    char text[sizeof report->remark];
    int used = snprintf(text, sizeof text, "%s", report->solver);
    const char* separator = ": ";
    for (int i = 0; i < CN_LAW_COUNT; ++i) {
        if (state->count[i] > 0 && used < (int)sizeof text) {
            used += snprintf(text + used, sizeof text - (size_t)used, "%s%d %s%s", separator,
                             state->count[i], nouns[i], state->count[i] == 1 ? "" : "s");
            separator = ", ";
        }
    }
    if (before->used > 0 && used < (int)sizeof text) {
        used += snprintf(text + used, sizeof text - (size_t)used, "; %.*s", (int)before->used - 2,
                         before->text);
    }
    if (said[0] != '\0' && used < (int)sizeof text) {
        snprintf(text + used, sizeof text - (size_t)used, "; %s", said);
    }
    memcpy(report->remark, text, sizeof text);
}

// The number of sweeps that cost less than the interior point; 0: too few to try.
static CnStatus affordable_sweeps(const CnProblem* problem, const CnBudget* budget, CnArena* arena,
                                  int* sweeps) {
    double iteration, work, sweep = VISIT_COST * problem->block_count;
    CnArenaMark mark = cn_arena_mark(arena);
    CnStatus status = cn_interior_cost(problem, arena, &iteration, &work);
    cn_arena_release(arena, mark);
    cn_budget_spend(budget, work);
    if (problem->response != NULL) {
        sweep += problem->response->start[problem->row_count];
    }
    double affordable =
        SWEEPING_SHARE * INTERIOR_ITERATIONS * iteration / FACTOR_SPEED / fmax(sweep, 1.0);
    *sweeps = affordable < LEAST_SWEEPS ? 0 : (int)fmin(affordable, MOST_SWEEPS);
    return status;
}

// Runs one solver from the impulses in solution with a part of the budget. The report is that of
// the attempt.
static CnStatus run(const Attempt* attempt, const CnSolverDef* def, double budget,
                    const CnProblem* problem, CnArena* arena, CnSolution* solution,
                    CnSolverReport* report) {
    CnSolverDef own = *def;
    own.work_budget = budget;
    own.name = attempt->solver->info.name;
    if (attempt->max_iterations > 0) {
        own.max_iterations = attempt->max_iterations;
    }
    *report = (CnSolverReport){.solver = own.name, .redundant_block = -1};
    CnArenaMark mark = cn_arena_mark(arena);
    CnError error = {0};
    void* memory = cn_arena_allocate(arena, 1, attempt->solver->state_size);
    CnStatus status = memory == NULL ? CN_NO_MEMORY : CN_OK;
    if (status == CN_OK) {
        status = attempt->solver->prepare(memory, &own, problem, arena, &error);
    }
    if (status == CN_OK) {
        status = attempt->solver->solve(memory, &own, problem, arena, solution, report);
    }
    if (status == CN_UNSUPPORTED) {
        report->outcome = CN_REFUSED;
        snprintf(report->remark, sizeof report->remark, "%.*s", (int)sizeof report->remark - 1,
                 error.message);
    }
    cn_arena_release(arena, mark);
    return status;
}

// The certificate of some impulses goes to the report, their velocities to the solution.
static double grade(const AutoState* state, const CnSolverDef* def, const CnProblem* problem,
                    double* impulse, const CnSolution* solution, CnSolverReport* report) {
    CnSolution graded = {impulse, solution->velocity};
    cn_problem_velocity(problem, impulse, solution->velocity);
    cn_certify(problem, &graded, state->scratch, NULL, &report->certificate);
    return cn_certificate_error(&report->certificate, def->measure);
}

// Whether the factorisations that a stack needs fit into an attempt.
static CnStatus interior_is_affordable(const CnProblem* problem, const CnBudget* budget,
                                       CnArena* arena, bool* affordable) {
    double iteration, work;
    CnArenaMark mark = cn_arena_mark(arena);
    CnStatus status = cn_interior_cost(problem, arena, &iteration, &work);
    cn_arena_release(arena, mark);
    cn_budget_spend(budget, work);
    double left = budget->limit - *budget->work;
    *affordable = status == CN_OK && STACK_ITERATIONS * iteration <= ATTEMPT_SHARE * left;
    return status;
}

// Skips solvers that do not support the problem, further sweeps after sweeps have stalled, and
// attempts that cost more than the next one.
static CnStatus is_worth_trying(const AutoState* state, const CnProblem* problem,
                                const CnBudget* budget, CnArena* arena, Attempt* attempt,
                                bool* worth) {
    CnStatus status = CN_OK;
    const CnSolverInfo* info = &attempt->solver->info;
    *worth = (problem->masses == NULL || info->takes_masses) &&
             cn_refuse_laws(problem, info, NULL) == CN_OK &&
             (attempt->occasion != ON_STACKS || state->is_stack) &&
             (attempt->occasion != AT_REST || state->is_resting) &&
             !(attempt->solver == &cn_solver_nsgs && state->sweeps_stalled);
    if (*worth && attempt->max_iterations == BY_COST) {
        status = affordable_sweeps(problem, budget, arena, &attempt->max_iterations);
        *worth = attempt->max_iterations > 0;
    }
    if (*worth && attempt->occasion != ALWAYS) {
        status = interior_is_affordable(problem, budget, arena, worth);
    }
    return status;
}

// Tests for infeasibility before the expensive attempts. Without friction the first attempt was an
// exact solver, which rarely fails on feasible problems. Half of the remaining budget is kept for
// the attempts that follow.
static CnStatus examine(AutoState* state, const Attempt* attempt, const CnSolverDef* def,
                        const CnProblem* problem, const CnBudget* budget, CnArena* arena,
                        CnInfeasibility* found) {
    bool is_unlimited =
        attempt->max_iterations == 0 &&
        (attempt->solver == &cn_solver_cone_ip || attempt->solver == &cn_solver_nsgs_momentum);
    bool is_patient =
        is_unlimited || attempt->solver == &cn_solver_newton_ac || state->rough_contacts == 0;
    if (state->is_examined || state->tried == 0 || !is_patient ||
        def->measure != CN_ERROR_VELOCITY || problem->friction_model != CN_FRICTION_EXACT) {
        return CN_OK;
    }
    state->is_examined = true;
    CnBudget own = *budget;
    own.limit = *budget->work + ATTEMPT_SHARE * fmax(0.0, budget->limit - *budget->work);
    return cn_infeasible_find(problem, def->tolerance, &own, arena, found);
}

// Classifies the problem by the residuals that sweeps have left.
static bool looks_like_stack(const AutoState* state, const CnSolverDef* def,
                             const CnProblem* problem, const CnSolution* solution,
                             const CnSolverReport* said) {
    CnSolverReport still;
    bool is_everywhere = said->certificate.rms > GLOBAL_SHARE * said->certificate.worst;
    if (!is_everywhere || state->zero == NULL || problem->row_count <= COSTLY_PLAN_ROWS) {
        return is_everywhere;
    }
    grade(state, def, problem, state->zero, solution, &still);
    return said->certificate.rms > STILL_SHARE * still.certificate.rms;
}

// Keeps the solution of an attempt if it is the best so far. The error of the start is computed
// only after an attempt has failed.
static void judge(AutoState* state, const CnSolverDef* def, const CnProblem* problem, double error,
                  CnSolution* solution, CnSolverReport* said, CnSolverReport* kept) {
    size_t bytes = (size_t)problem->row_count * sizeof(double);
    if (error > def->tolerance && state->tried == 0) {
        CnSolverReport start;
        state->best_error = grade(state, def, problem, state->best, solution, &start);
    }
    state->keeps_last = error < state->best_error;
    if (state->keeps_last || kept->outcome == CN_BROKE_DOWN || kept->outcome == CN_REFUSED) {
        char words[sizeof said->remark];
        memcpy(words, said->remark, sizeof words);
        *kept = *said;
        if (said->outcome != CN_REFUSED) {
            write_remark(state, words, kept);
        }
    }
    if (state->keeps_last) {
        state->best_error = error;
        memcpy(state->best, solution->impulse, bytes);
    } else {
        memcpy(solution->impulse, state->best, bytes);
    }
    if (error > def->tolerance && said->outcome != CN_REFUSED) {
        tell(&state->story, said->solver, error);
    }
    state->is_stack =
        error > def->tolerance && looks_like_stack(state, def, problem, solution, said);
    state->sweeps_stalled |=
        said->solver == cn_solver_nsgs.info.name && said->outcome == CN_STALLED;
    ++state->tried;
}

// The share of the remaining budget. Sweeps on piles keep improving, and so do those along trees,
// which end by themselves where they stall or cost more than the interior point; other attempts do
// not.
static double share_of(const AutoState* state, int attempt) {
    const Attempt* own = &state->attempts[attempt];
    bool is_last = attempt == state->attempt_count - 1;
    bool lasts = own->solver == &cn_solver_tree ||
                 (own->solver == &cn_solver_nsgs_momentum && own->max_iterations == 0);
    return is_last || lasts ? 1.0 : ATTEMPT_SHARE;
}

// The result of the attempts so far.
typedef struct AutoProgress {
    const CnSolverDef* def;
    const CnProblem* problem;
    CnArena* arena;
    CnBudget budget;
    double work;
    int iterations;
    CnSolverReport kept; // of the best attempt
    CnSolverReport all;  // parts of all
    CnInfeasibility infeasible;
} AutoProgress;

// The next solver, and whether to try it.
static CnStatus choose(AutoState* state, AutoProgress* session, int index, Attempt* attempt,
                       bool* worth) {
    *attempt = state->attempts[index];
    CnStatus status =
        is_worth_trying(state, session->problem, &session->budget, session->arena, attempt, worth);
    if (status == CN_OK && *worth) {
        status = examine(state, attempt, session->def, session->problem, &session->budget,
                         session->arena, &session->infeasible);
    }
    return status;
}

static void book(AutoProgress* session, const Attempt* attempt, CnSolverReport* said) {
    session->iterations += said->iterations;
    cn_budget_spend(&session->budget, said->work + cn_cost_of_certificate(session->problem));
    cn_report_own_part(said, attempt->solver->info.name);
    cn_report_add_parts(&session->all, said);
}

// An infeasible problem is solved with its conflicting blocks made compliant, while all others
// hold. That is the last attempt.
static CnStatus yield(AutoState* state, AutoProgress* session, CnSolution* solution) {
    const Attempt attempt = {&cn_solver_cone_ip, YIELDING_ITERATIONS, ALWAYS};
    CnSolverReport said, softly;
    CnProblem softened;
    CnStatus status = cn_infeasible_soften(session->problem, session->arena, &softened);
    if (status == CN_OK) {
        double left = fmax(0.0, session->budget.limit - session->work);
        status = run(&attempt, session->def, left, &softened, session->arena, solution, &said);
    }
    if (status != CN_OK) {
        return status;
    }
    book(session, &attempt, &said);
    if (grade(state, session->def, &softened, solution->impulse, solution, &softly) <=
        YIELDED_SHARE * state->best_error) {
        // Other solutions may have a smaller worst residual but violate more rows.
        state->best_error = HUGE_VAL;
    }
    double error = grade(state, session->def, session->problem, solution->impulse, solution, &said);
    judge(state, session->def, session->problem, error, solution, &said, &session->kept);
    state->attempt_count = 0;
    return CN_OK;
}

// One attempt from the best solution so far; only a better one replaces it.
static CnStatus make_attempt(AutoState* state, AutoProgress* session, int index,
                             CnSolution* solution) {
    CnSolverReport said;
    Attempt attempt;
    bool worth;
    CnStatus status = choose(state, session, index, &attempt, &worth);
    if (status != CN_OK || !worth) {
        return status;
    }
    if (session->infeasible.block_count > 0) {
        return yield(state, session, solution);
    }
    double left = fmax(0.0, session->budget.limit - session->work);
    status = run(&attempt, session->def, share_of(state, index) * left, session->problem,
                 session->arena, solution, &said);
    if (status == CN_NO_MEMORY) {
        return status;
    }
    book(session, &attempt, &said);
    if (status == CN_UNSUPPORTED && attempt.solver == &cn_solver_tree) {
        return CN_OK; // too much is outside its trees
    }
    if (attempt.solver == &cn_solver_direct && said.outcome == CN_STALLED) {
        session->budget.limit = fmin(session->budget.limit, AFTER_DIRECT * session->work);
    }
    double error = status == CN_OK ? grade(state, session->def, session->problem, solution->impulse,
                                           solution, &said)
                                   : HUGE_VAL;
    judge(state, session->def, session->problem, error, solution, &said, &session->kept);
    return CN_OK;
}

static void conclude(const AutoState* state, AutoProgress* session, CnSolverReport* report) {
    const char* approximation = report->approximation; // of the request, not of the solver
    *report = session->kept;
    if (state->tried == 0) { // only with friction by name: its solvers need bodies, or W
        report->outcome = CN_REFUSED;
        snprintf(report->remark, sizeof report->remark,
                 "no solver of %s friction takes this form of the problem",
                 cn_friction_model_name(session->problem->friction_model));
    }
    if (session->infeasible.block_count > 0) {
        cn_infeasible_report(session->problem, &session->infeasible, report);
        report->outcome = CN_STALLED;
    }
    report->approximation = approximation;
    report->iterations = session->iterations;
    report->work = session->work;
    report->part_count = session->all.part_count;
    memcpy(report->parts, session->all.parts, sizeof report->parts);
}

// From the velocities and the error of the graded warm start; without a grade there is no error.
static bool is_at_rest(const CnProblem* problem, const CnSolution* guess, double error,
                       double tolerance) {
    if (!(error > tolerance && error <= RESTING * tolerance)) {
        return false;
    }
    for (int i = 0; i < problem->body_count; ++i) {
        for (int k = 0; k < 6 && problem->inverse_mass[i] > 0.0; ++k) {
            if (fabs(guess->velocity[i][k]) > RESTING * tolerance) {
                return false;
            }
        }
    }
    return true;
}

static CnStatus solve(void* memory, const CnSolverDef* def, const CnProblem* problem,
                      CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    AutoState* state = memory;
    AutoProgress session = {.def = def, .problem = problem, .arena = arena, .kept = *report};
    session.budget = (CnBudget){def->work_budget, &session.work, def->deadline};
    session.kept.outcome = CN_BROKE_DOWN;
    state->best_error = HUGE_VAL;
    state->is_resting =
        is_pile(state, problem) && is_at_rest(problem, solution, report->error, def->tolerance);
    memcpy(state->best, solution->impulse, (size_t)problem->row_count * sizeof(double));
    for (int i = 0; i < state->attempt_count && state->best_error > def->tolerance; ++i) {
        if (state->tried > 0 && cn_budget_is_over(&session.budget)) {
            break;
        }
        CnStatus status = make_attempt(state, &session, i, solution);
        if (status != CN_OK) {
            return status;
        }
    }
    conclude(state, &session, report);
    if (!state->keeps_last || state->best_error > def->tolerance) { // velocities of another attempt
        grade(state, def, problem, solution->impulse, solution, report);
    }
    return report->outcome == CN_REFUSED ? CN_UNSUPPORTED : CN_OK;
}

const CnSolver cn_solver_auto = {
    .info =
        {
            .name = "auto",
            .summary = "picks a solver, or goes along trees of joints (tree in reports), grades, "
                       "escalates",
            .laws = CN_ALL_LAWS,
            .frictions =
                1u << CN_FRICTION_BOX | 1u << CN_FRICTION_PYRAMID | 1u << CN_FRICTION_ASSOCIATED,
            .wide_contacts = true,
            .takes_masses = true,
            .exact = true,
        },
    .grades = true,
    .state_size = sizeof(AutoState),
    .prepare = prepare,
    .solve = solve,
};

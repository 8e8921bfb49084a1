// solve.c - the one door to all solvers: checks, warm start, solve, grade, honest report.
#include "base/error.h"
#include "base/memory.h"
#include "base/timer.h"
#include "constraints/problem/block.h"
#include "constraints/problem/certificate.h"
#include "constraints/problem/masses.h"
#include "solvers/analysis/infeasible.h"
#include "solvers/analysis/least_norm.h"
#include "solvers/matrix/joint_split.h"
#include "solvers/rest/refine_rest.h"
#include "solvers/rest/rest_rules.h"
#include "solvers/solve/budget.h"
#include "solvers/solve/deadline.h"
#include "solvers/solve/problem_form.h"
#include "solvers/solve/refusal.h"
#include "solvers/solve/report_parts.h"
#include "solvers/solve/solver.h"
#include "solvers/solve/zero_start.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// What rests in an answer moves at most about this many times its residual.
#define SLOW_SHARE 2.0

// Of the budget, on top of it: to find out whether there is an answer.
#define EXAMINATION_SHARE 0.1

// Bodies at rest, in steps that are to be refined, are solved to the first number, with so much
// work per row and in all at most.
#define REFINED_REST 1e-8    // [m/s]
#define REFINING_PER_ROW 1e5 // [multiplications]
#define REFINING_BUDGET 1e8  // [multiplications]

static const char* const outcome_names[] = {
    [CN_CONVERGED] = "converged",
    [CN_OUT_OF_ITERATIONS] = "out_of_iterations",
    [CN_STALLED] = "stalled",
    [CN_BROKE_DOWN] = "broke_down",
    [CN_REFUSED] = "refused",
    [CN_OUT_OF_TIME] = "out_of_time",
    [CN_OUT_OF_BUDGET] = "out_of_budget",
};

const char* cn_outcome_name(CnOutcome outcome) {
    bool known = (size_t)outcome < sizeof outcome_names / sizeof outcome_names[0];
    return known ? outcome_names[outcome] : "unknown";
}

CnWorkspace* cn_workspace_create(const CnAllocator* allocator, CnError* error) {
    CnWorkspace* workspace = cn_allocate(allocator, 1, sizeof *workspace);
    if (workspace == NULL) {
        cn_error_set(error, CN_NO_MEMORY, "no memory for a solver workspace");
        return NULL;
    }
    cn_arena_init(&workspace->arena, allocator);
    return workspace;
}

void cn_workspace_destroy(CnWorkspace* workspace) {
    if (workspace != NULL) {
        CnAllocator allocator = workspace->arena.allocator;
        cn_arena_destroy(&workspace->arena);
        cn_release(&allocator, workspace);
    }
}

static CnStatus check_guess(const CnProblem* problem, const CnSolution* solution, CnError* error) {
    for (int i = 0; i < problem->row_count; ++i) {
        if (!isfinite(solution->impulse[i])) {
            return cn_error_set(error, CN_INVALID,
                                "impulse %d of the guess is %g; set it to 0 or turn warm_start off",
                                i, solution->impulse[i]);
        }
    }
    return CN_OK;
}

// What was asked for that is not the exact law; NULL when nothing was.
static const char* name_approximation(CnFrictionModel friction, const CnSolverDef* def) {
    static const char* const names[CN_FRICTION_COUNT][4] = {
        [CN_FRICTION_EXACT] = {NULL, "regularised", "limited impulses",
                               "limited impulses, regularised"},
        [CN_FRICTION_BOX] = {"box friction", "box friction, regularised",
                             "box friction, limited impulses",
                             "box friction, limited impulses, regularised"},
        [CN_FRICTION_PYRAMID] = {"pyramid friction", "pyramid friction, regularised",
                                 "pyramid friction, limited impulses",
                                 "pyramid friction, limited impulses, regularised"},
        [CN_FRICTION_ASSOCIATED] = {"associated friction: what slides lifts",
                                    "associated friction: what slides lifts, regularised",
                                    "associated friction, limited impulses",
                                    "associated friction, limited impulses, regularised"},
    };
    return names[friction][(def->regularisation > 0.0) + 2 * (def->impulse_limit > 0.0)];
}

static bool has_friction(const CnProblem* problem) {
    for (int i = 0; i < problem->block_count; ++i) {
        if (problem->blocks[i].law == CN_LAW_COULOMB && problem->blocks[i].friction > 0.0) {
            return true;
        }
    }
    return false;
}

// Regularising W is the same as making every row compliant, so solvers need not know of it.
static CnStatus regularise(const CnProblem* problem, double fraction, CnArena* arena,
                           CnProblem* out) {
    double* compliance = CN_ARENA_NEW(arena, double, problem->row_count);
    if (compliance == NULL) {
        return CN_NO_MEMORY;
    }
    double trace = 0.0;
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        double w[CN_MAX_ROWS * CN_MAX_ROWS];
        cn_block_delassus(problem, block, w);
        for (int k = 0; k < block->row_count; ++k) {
            trace += w[k * block->row_count + k];
        }
    }
    for (int i = 0; i < problem->row_count; ++i) {
        compliance[i] = problem->compliance[i] + fraction * trace / problem->row_count;
    }
    *out = *problem;
    out->compliance = compliance;
    return CN_OK;
}

// One call of cn_solve(): what its steps share.
typedef struct Job {
    const CnProblem* problem; // with the friction that was asked for
    CnSolverDef def;          // as the solver sees it
    const CnSolver* solver;
    CnArena* arena;
    CnSolution* solution;
    CnSolverReport* report;
    CnError* error;
    CnPast past;
    double* guess;        // the impulses to return when the solver breaks down   [row_count]
    double (*scratch)[6]; // of the certificate   [body_count]
} Job;

// What the outcome goes by: friction that was asked for by name is held against its own law.
static void find_error(Job* job) {
    CnCertificate named, *certificate = &job->report->certificate;
    bool is_exact =
        job->problem->friction_model == CN_FRICTION_EXACT && job->problem->impulse_limit == 0.0;
    if (!is_exact) {
        cn_certify(job->problem, job->solution, job->scratch, NULL, &named);
        certificate = &named;
    }
    job->report->error = cn_certificate_error(certificate, job->def.measure);
}

static void grade(Job* job) {
    CnProblem exact = *job->problem;
    exact.friction_model = CN_FRICTION_EXACT;
    exact.impulse_limit = 0.0;
    job->report->work += cn_cost_of_certificate(job->problem);
    cn_problem_velocity(job->problem, job->solution->impulse, job->solution->velocity);
    cn_certify(&exact, job->solution, job->scratch, NULL, &job->report->certificate);
    find_error(job);
}

static bool is_finite(const double* x, int count) {
    for (int i = 0; i < count; ++i) {
        if (!isfinite(x[i])) {
            return false;
        }
    }
    return true;
}

static bool is_good_enough(const Job* job) {
    return job->report->error <= job->def.tolerance;
}

// The grade has the last word on what a solver says of itself.
static void conclude(Job* job) {
    CnSolverReport* report = job->report;
    if (!is_finite(job->solution->impulse, job->problem->row_count)) {
        report->outcome = CN_BROKE_DOWN;
    }
    if (report->outcome == CN_BROKE_DOWN) {
        memcpy(job->solution->impulse, job->guess,
               (size_t)job->problem->row_count * sizeof(double));
    }
    if (!(job->solver->grades && report->outcome != CN_BROKE_DOWN &&
          report->approximation == NULL)) {
        grade(job);
    } else {
        find_error(job);
    }
    bool converged = is_good_enough(job);
    if (report->outcome != CN_BROKE_DOWN) {
        if (converged) {
            report->outcome = CN_CONVERGED;
        } else if (cn_deadline_is_over(job->def.deadline)) {
            report->outcome = CN_OUT_OF_TIME;
        } else if (cn_budget_is_spent(&job->def, report)) {
            report->outcome = CN_OUT_OF_BUDGET;
        } else if (report->outcome == CN_CONVERGED) {
            report->outcome = CN_STALLED;
        }
    }
}

static bool has_bodies(const CnProblem* problem) {
    return problem->response == NULL && problem->masses == NULL;
}

// Redundant joints leave the answer open; of all answers the one is given that `direct` gives where
// there is nothing but joints: direct.md (10). What the other rows do stays as it is.
static CnStatus share_redundant(Job* job) {
    CnJointSplit split;
    CnBudget budget = cn_budget_of(&job->def, job->report);
    bool loops = false, held = false;
    size_t bytes = (size_t)job->problem->row_count * sizeof(double);
    bool is_shared = strcmp(job->report->solver, cn_solver_direct.info.name) == 0 ||
                     strcmp(job->report->solver, cn_solver_tree.info.name) == 0;
    CnStatus status = is_shared || !has_bodies(job->problem)
                          ? CN_OK
                          : cn_joints_have_loops(job->problem, job->arena, &loops);
    if (status != CN_OK || !loops) {
        return status;
    }
    memcpy(job->guess, job->solution->impulse, bytes);
    status = cn_joint_split(job->problem, job->arena, &split);
    if (status == CN_OK) {
        status = cn_joint_split_solve(&split, job->def.tolerance, &budget, job->arena,
                                      job->solution->impulse, job->solution->velocity, job->report,
                                      &held);
    }
    grade(job);
    if (!is_good_enough(job)) {
        memcpy(job->solution->impulse, job->guess, bytes);
        grade(job);
    }
    return status;
}

// The solver counts from zero against what is left of the budget; what was done before is added.
static void begin_part(const Job* job, CnSolverDef* def, CnSolverReport* before) {
    CnSolverReport* report = job->report;
    *before = *report;
    def->work_budget = fmax(0.0, def->work_budget - report->work);
    report->work = 0.0;
    report->iterations = report->part_count = 0;
}

static void end_part(const Job* job, const CnSolverReport* before) {
    CnSolverReport* report = job->report;
    cn_report_own_part(report, job->solver->info.name);
    CnSolverReport own = *report;
    report->work += before->work;
    report->iterations += before->iterations;
    report->part_count = before->part_count;
    memcpy(report->parts, before->parts, sizeof before->parts);
    cn_report_add_parts(report, &own);
}

static CnStatus run_solver(Job* job) {
    const CnProblem* problem = job->problem;
    CnProblem regularised;
    CnSolverReport before;
    CnSolverDef def = job->def;
    def.regularisation = 0.0;
    begin_part(job, &def, &before);
    if (job->def.regularisation > 0.0) {
        if (regularise(problem, job->def.regularisation, job->arena, &regularised) != CN_OK) {
            return CN_NO_MEMORY;
        }
        problem = &regularised;
    }
    void* state = cn_arena_allocate(job->arena, 1, job->solver->state_size);
    if (state == NULL) {
        return CN_NO_MEMORY;
    }
    CnStatus status = job->solver->prepare(state, &def, problem, job->arena, job->error);
    if (status == CN_OK) {
        status = job->solver->solve(state, &def, problem, job->arena, job->solution, job->report);
    }
    end_part(job, &before);
    return status;
}

typedef enum Start { START_OVERFLOWS, START_WRONG, START_GRADED } Start;

// Sets the impulses to start from and grades them, unless they are zero and plainly wrong.
// Overflow: not even impulses of zero leave a finite residual, and no solver could make sense of
// the problem's numbers.
static Start start(Job* job) {
    int rows = job->problem->row_count;
    double* impulse = job->solution->impulse; // may be NULL when there are no rows
    const CnCertificate* certificate = &job->report->certificate;
    for (int i = 0; i < rows && !job->def.warm_start; ++i) {
        impulse[i] = 0.0;
    }
    if (!job->def.warm_start && cn_zero_is_wrong(job->problem, &job->def)) {
        return START_WRONG; // the guess is zero as the arena gave it
    }
    grade(job);
    if (!isfinite(certificate->worst) && job->def.warm_start) {
        for (int i = 0; i < rows; ++i) {
            impulse[i] = 0.0;
        }
        grade(job);
    }
    for (int i = 0; i < rows; ++i) {
        job->guess[i] = impulse[i];
    }
    return isfinite(certificate->worst) ? START_GRADED : START_OVERFLOWS;
}

// The most the guess changes a velocity since the problem before.
static double gain(const Job* job) {
    double most = 0.0;
    for (int i = 0; i < job->problem->body_count; ++i) {
        for (int k = 0; k < 6; ++k) {
            most = fmax(most, fabs(job->solution->velocity[i][k] - job->past.velocity[i][k]));
        }
    }
    return most;
}

// Whether the bodies are at rest, and the guess does not keep them there.
static bool is_restless(const Job* job) {
    return job->past.velocity != NULL &&
           cn_rest_is_restless(job->report->error, gain(job), job->def.tolerance);
}

bool cn_guess_may_be_kept(const CnSolverDef* def) {
    const CnSolver* solver = cn_solver_find(def->name);
    return def->warm_start && def->measure == CN_ERROR_VELOCITY &&
           def->friction == CN_FRICTION_EXACT && def->regularisation == 0.0 &&
           def->impulse_limit == 0.0 && !def->minimum_norm &&
           (solver->info.laws >> CN_LAW_COULOMB & 1u) != 0;
}

bool cn_guess_holds(const CnSolverDef* def, double error, double gain, bool refines) {
    bool is_fresh = !refines || error <= cn_rest_tolerance(def->tolerance);
    return error <= def->tolerance && is_fresh && !cn_rest_is_restless(error, gain, def->tolerance);
}

// Takes the velocities away that the guess has left; the guess comes back unless that is better.
static CnStatus refine_guess(Job* job) {
    double tolerance = job->def.tolerance, error = job->report->error;
    double wanted = cn_rest_wanted(error, tolerance);
    CnRestRefinement refinement = {.goal = CN_REST_GOAL * cn_rest_tolerance(tolerance),
                                   .closing = cn_rest_closes(error, tolerance)};
    CnBudget budget = cn_budget_of(&job->def, job->report);
    CnStatus status =
        cn_refine_rest(job->problem, &refinement, &budget, job->arena, job->solution->impulse);
    if (status != CN_OK) {
        return status;
    }
    grade(job);
    if (job->report->error <= wanted) {
        job->report->iterations = refinement.iterations;
        const char* part = refinement.by_bodies ? "rest_factor" : "conjugate_residuals";
        const char* name = refinement.by_bodies ? "corrections by bodies" : "conjugate residuals";
        cn_report_add_part(job->report, part, refinement.iterations, refinement.work);
        snprintf(job->report->remark, sizeof job->report->remark,
                 "at rest: %d %s on %d rows that hold", refinement.iterations, name,
                 refinement.held_rows);
    } else {
        memcpy(job->solution->impulse, job->guess,
               (size_t)job->problem->row_count * sizeof(double));
        grade(job);
    }
    return CN_OK;
}

// Whether this is the step, and its bodies are those, to be solved more exactly than asked.
static bool refines_rest(const Job* job) {
    const CnProblem* problem = job->problem;
    double fastest = 0.0;
    if (!job->past.refines || job->past.velocity == NULL || job->def.tolerance <= CN_REST_LOOSEST) {
        return false;
    }
    for (int i = 0; i < problem->body_count; ++i) {
        for (int k = 0; problem->inverse_mass[i] > 0.0 && k < 6; ++k) {
            fastest = fmax(fastest, fabs(job->past.velocity[i][k]));
        }
    }
    return fastest <= cn_rest_slow(job->def.tolerance);
}

// Whether the guess, as it is or refined, needs no solver.
static CnStatus keep_guess(Job* job, bool* kept) {
    CnStatus status = CN_OK;
    if (is_restless(job)) {
        status = refine_guess(job);
    }
    bool is_fresh = job->report->error <= cn_rest_tolerance(job->def.tolerance);
    *kept = is_good_enough(job) && (is_fresh || !refines_rest(job));
    if (*kept) {
        job->report->outcome = CN_CONVERGED;
    }
    return status;
}

// Why a solver gave up: perhaps there is no answer. auto has looked already.
static CnStatus examine(Job* job) {
    CnSolverReport* report = job->report;
    CnInfeasibility found;
    bool gave_up = report->outcome == CN_STALLED || report->outcome == CN_OUT_OF_BUDGET;
    if (!gave_up || job->solver == &cn_solver_auto || report->approximation != NULL ||
        job->def.measure != CN_ERROR_VELOCITY || !job->solver->info.exact) {
        return CN_OK;
    }
    CnBudget budget = cn_budget_of(&job->def, report);
    budget.limit = fmax(budget.limit, report->work) + EXAMINATION_SHARE * budget.limit;
    CnStatus status =
        cn_infeasible_find(job->problem, job->def.tolerance, &budget, job->arena, &found);
    if (status == CN_OK && found.block_count > 0) {
        cn_infeasible_report(job->problem, &found, report);
    }
    return status;
}

// An answer that is as rough as its tolerance leaves bodies at rest with velocities of that size,
// and every step has to be solved anew. One that is better lets the next steps keep it.
static CnStatus solve_rest(Job* job) {
    CnSolverDef asked = job->def;
    job->def.tolerance = REFINED_REST;
    double most = fmin(REFINING_BUDGET, REFINING_PER_ROW * job->problem->row_count);
    job->def.work_budget = fmin(asked.work_budget, job->report->work + most);
    CnStatus status = run_solver(job);
    job->def = asked;
    return status;
}

static CnStatus start_and_solve(Job* job) {
    int rows = job->problem->row_count;
    CnSolverReport* report = job->report;
    bool kept = false;
    job->guess = CN_ARENA_NEW(job->arena, double, rows);
    job->scratch =
        cn_arena_allocate(job->arena, (size_t)job->problem->body_count, sizeof(double[6]));
    if (job->guess == NULL || job->scratch == NULL) {
        return CN_NO_MEMORY;
    }
    CnStatus status = CN_OK;
    Start found = start(job);
    if (found == START_OVERFLOWS) {
        report->outcome = CN_BROKE_DOWN;
        snprintf(report->remark, sizeof report->remark, "the problem's velocities overflow");
        return CN_OK;
    }
    if (found == START_GRADED && job->def.regularisation == 0.0) {
        status = keep_guess(job, &kept);
    }
    if (kept || status != CN_OK) {
        return status;
    }
    bool refines = refines_rest(job);
    status = refines ? solve_rest(job) : run_solver(job);
    if (status == CN_OK && refines) {
        conclude(job);
        if (!is_good_enough(job)) {
            status = run_solver(job);
        }
    }
    if (status == CN_OK) {
        conclude(job);
        if (report->outcome != CN_CONVERGED) {
            status = examine(job);
        } else if (report->approximation == NULL) {
            status = share_redundant(job);
        }
    } else if (status == CN_UNSUPPORTED) {
        report->outcome = CN_REFUSED;
        grade(job);
    }
    return status;
}

// Of all answers with the same motion the one of least norm, if it is as good: least_norm.md.
static CnStatus choose_least_norm(Job* job) {
    CnSolverReport* report = job->report;
    double slow = job->def.measure == CN_ERROR_VELOCITY ? job->def.tolerance
                                                        : SLOW_SHARE * report->certificate.worst;
    size_t bytes = (size_t)job->problem->row_count * sizeof(double);
    if (report->outcome != CN_CONVERGED || report->approximation != NULL) {
        return CN_OK;
    }
    CnProblem condensed;
    const CnProblem* problem = job->problem;
    if (problem->masses != NULL) {
        if (cn_condense(problem, job->arena, &condensed) != CN_OK) {
            return CN_NO_MEMORY;
        }
        problem = &condensed;
    }
    memcpy(job->guess, job->solution->impulse, bytes);
    CnBudget budget = cn_budget_of(&job->def, report);
    CnStatus status = cn_least_norm(problem, slow, &budget, job->arena, job->solution->impulse,
                                    &report->has_least_norm);
    grade(job);
    if (!is_good_enough(job)) {
        memcpy(job->solution->impulse, job->guess, bytes);
        report->has_least_norm = false;
        grade(job);
    }
    return status;
}

// Where the masses were kept and auto came to no end, W offers it all the other solvers. The status
// of the first try stands where that cannot be.
static CnStatus solve_again_condensed(Job* job, CnForm* form, CnStatus status) {
    bool helps = job->problem->masses != NULL && job->solver == &cn_solver_auto &&
                 job->report->outcome != CN_CONVERGED;
    if (!helps || cn_form_condense(form, job->arena) != CN_OK) {
        return status;
    }
    job->def.warm_start = true;
    return start_and_solve(job);
}

// The solver sees the form of the problem that suits it; velocities are those of the problem given.
static CnStatus solve_form(Job* job) {
    const CnProblem* given = job->problem;
    CnForm form;
    CnStatus status = cn_form_choose(given, &job->solver->info, job->arena, &form, job->error);
    job->problem = &form.problem;
    if (status == CN_OK) {
        status = start_and_solve(job);
    }
    if (status == CN_OK || (status == CN_UNSUPPORTED && form.problem.masses != NULL)) {
        status = solve_again_condensed(job, &form, status);
    }
    bool is_told = status != CN_UNSUPPORTED || job->report->remark[0] == '\0';
    if (!is_told && job->solver == &cn_solver_auto) { // what those that it chose had to say
        cn_error_set(job->error, CN_UNSUPPORTED, "%s", job->report->remark);
    }
    if (status == CN_OK && given->masses != NULL) {
        cn_problem_velocity(given, job->solution->impulse, job->solution->velocity);
        cn_form_describe(&form, job->report);
    }
    job->problem = given;
    return status;
}

CnStatus cn_solve_on(const CnProblem* problem, const CnSolverDef* def, const CnPast* past,
                     CnWorkspace* workspace, CnSolution* solution, CnSolverReport* report,
                     CnError* error) {
    double start = cn_timer_now();
    *report = (CnSolverReport){.outcome = CN_REFUSED, .redundant_block = -1};
    CnStatus status = cn_solver_def_check(def, NULL, error);
    if (status != CN_OK) {
        return status;
    }
    CnProblem asked = *problem;
    asked.friction_model = def->friction;
    asked.pyramid_sides = def->pyramid_sides;
    asked.impulse_limit = def->impulse_limit;
    const CnSolver* solver = cn_solver_find(def->name);
    report->solver = solver->info.name;
    status = cn_refuse_options(def, &solver->info, NULL, error);
    if (status == CN_OK) {
        status = cn_refuse_laws(&asked, &solver->info, error);
    }
    if (!has_friction(problem)) { // nothing is left to approximate
        asked.friction_model = CN_FRICTION_EXACT;
    }
    report->approximation = name_approximation(asked.friction_model, def);
    bool is_dense = def->minimum_norm && !has_bodies(problem);
    if (status == CN_OK && is_dense && problem->row_count > CN_MAX_DENSE_ROWS) {
        status = cn_error_set(error, CN_UNSUPPORTED,
                              "forces of least norm without bodies need a dense W of at most %d "
                              "rows; this problem has %d",
                              CN_MAX_DENSE_ROWS, problem->row_count);
    }
    if (status == CN_OK && def->warm_start) {
        status = check_guess(problem, solution, error);
    }
    if (status != CN_OK) {
        return status;
    }

    Job job = {.problem = &asked,
               .def = *def,
               .solver = solver,
               .arena = &workspace->arena,
               .solution = solution,
               .report = report,
               .error = error};
    if (def->warm_start && def->measure == CN_ERROR_VELOCITY && has_bodies(problem) &&
        report->approximation == NULL) {
        job.past = *past;
    }
    CnArenaMark mark = cn_arena_mark(&workspace->arena);
    job.def.deadline = def->deadline > 0.0 ? start + def->deadline : 0.0;
    job.def.work_budget = cn_budget_resolve(problem, def->work_budget);
    status = solve_form(&job);
    if (status == CN_OK && def->minimum_norm) {
        status = choose_least_norm(&job);
    }
    cn_arena_release(&workspace->arena, mark);
    if (status == CN_NO_MEMORY) {
        cn_error_set(error, CN_NO_MEMORY, "no memory to solve %d rows with %s", problem->row_count,
                     solver->info.name);
    }
    report->seconds = cn_timer_now() - start;
    return status;
}

CnStatus cn_solve(const CnProblem* problem, const CnSolverDef* def, CnWorkspace* workspace,
                  CnSolution* solution, CnSolverReport* report, CnError* error) {
    const CnPast nothing = {0};
    return cn_solve_on(problem, def, &nothing, workspace, solution, report, error);
}

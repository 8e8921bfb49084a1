// calls_solve.c - the problem of the last step, copied, saved, condensed and solved by any solver.
#include "calls.h"
#include "support/problems/last_problem.h"

#include "checks.h"
#include <math.h>
#include <stdio.h>

// The grade that cn_solve reports is computed as cn_problem_certify does it.
#define CERTIFICATE_TOLERANCE 1e-9 // relative

static CnSolution create_solution(const CnProblem* problem) {
    size_t rows = (size_t)problem->row_count, bodies = (size_t)problem->body_count;
    return (CnSolution){calloc(rows + 1, sizeof(double)), calloc(bodies + 1, 6 * sizeof(double))};
}

static void free_solution(CnSolution* solution) {
    free(solution->impulse);
    free(solution->velocity);
}

static void check_answer(Session* session, const CnProblem* problem, const CnSolution* solution,
                         const CnSolverDef* def, const CnSolverReport* report) {
    CnCertificate again;
    cn_problem_certify(problem, solution, NULL, &again);
    if (!(again.worst <= report->certificate.worst * (1.0 + CERTIFICATE_TOLERANCE))) {
        session_find(session, "%s: certificate %g computed again, %g reported", def->name,
                     again.worst, report->certificate.worst);
    }
    if (report->outcome == CN_CONVERGED && !(report->error <= def->tolerance)) {
        session_find(session, "%s converged with error %g, tolerance %g", def->name, report->error,
                     def->tolerance);
    }
    if (cn_certificate_error(&again, def->measure) < 0.0 ||
        cn_outcome_name(report->outcome) == NULL) {
        session_find(session, "an error below zero, or an outcome without a name");
    }
}

static void solve(Session* session, const CnProblem* problem, CnWorkspace* workspace) {
    Dice* dice = &session->dice;
    CnError error = {0};
    CnSolverReport report = {0};
    CnSolution solution = create_solution(problem);
    CnSolverDef def = cn_solver_def_default();
    def.name = cn_solver_at(dice_below(dice, cn_solver_count())).name;
    def.max_iterations = 1 + dice_below(dice, 100);
    def.measure = (CnErrorMeasure)dice_below(dice, CN_ERROR_COUNT);
    def.work_budget = 1e7;
    CnStatus status = cn_solve(problem, &def, workspace, &solution, &report, &error);
    check_refusal(session, status != CN_OK, &error);
    if (status == CN_OK) {
        check_answer(session, problem, &solution, &def, &report);
        bool* open = calloc((size_t)problem->block_count + 1, sizeof *open);
        CnDeterminacy determinacy;
        CnError refusal = {0};
        status = cn_problem_determinacy(problem, &solution, def.tolerance, workspace, open,
                                        &determinacy, &refusal);
        check_refusal(session, status != CN_OK, &refusal);
        free(open);
    }
    free_solution(&solution);
}

CallResult call_solve(Session* session) {
    CnError error = {0};
    last_problem(session->world); // now it is there
    const CnProblem* problem = cn_world_problem(session->world);
    if (problem->row_count == 0 || cn_problem_check(problem, NULL) != CN_OK) {
        return CALL_READ;
    }
    const double* work = cn_world_block_work(session->world);
    for (int i = 0; i < problem->block_count; ++i) {
        if (isnan(work[i]) != !session->world->step.is_graded) {
            session_find(session, "the work of block %d is %g", i, work[i]);
        }
    }
    CnAllocator allocator = failing_allocator(&session->memory);
    CnWorkspace* workspace = cn_workspace_create(&allocator, &error);
    solve(session, problem, workspace);
    cn_workspace_destroy(workspace);
    return CALL_READ;
}

static bool same_numbers(const double* a, const double* b, int count) {
    return memcmp(a, b, (size_t)count * sizeof(double)) == 0;
}

// A and b, and the condition number of A: refused or numbers.
static void check_response(Session* session, const CnProblem* problem) {
    CnError error = {0};
    CnCondition condition;
    CnAllocator allocator = failing_allocator(&session->memory);
    CnWorkspace* workspace = cn_workspace_create(&allocator, &error);
    size_t rows = (size_t)problem->row_count;
    double* a = calloc(rows * rows + 1, sizeof *a);
    double* b = calloc(rows + 1, sizeof *b);
    CnError refusal = {0};
    CnStatus status = cn_problem_response(problem, workspace, a, b, &refusal);
    check_refusal(session, status != CN_OK, &refusal);
    refusal = (CnError){0};
    status = cn_problem_condition(problem, workspace, &condition, &refusal);
    check_refusal(session, status != CN_OK, &refusal);
    cn_workspace_destroy(workspace);
    free(a);
    free(b);
}

// A problem that was saved and loaded is the same to the bit.
CallResult call_problem_file(Session* session) {
    CnError error = {0};
    last_problem(session->world); // now it is there
    const CnProblem* problem = cn_world_problem(session->world);
    if (problem->row_count == 0 || cn_problem_check(problem, NULL) != CN_OK) {
        return CALL_READ;
    }
    char path[300];
    session_path("problem.json", path, sizeof path);
    CnStatus status = cn_problem_save(problem, path, &error);
    check_refusal(session, status != CN_OK, &error);
    CnOwnedProblem* loaded = cn_problem_load(path, &error);
    CnOwnedProblem* copy = cn_problem_copy(problem, &error);
    if (loaded == NULL || copy == NULL) {
        session_find(session, "what was saved is refused: %s", error.message);
    } else {
        const CnProblem* same = cn_owned_problem_get(loaded);
        int rows = problem->row_count;
        if (same->row_count != rows || !same_numbers(same->target, problem->target, rows) ||
            !same_numbers(same->jacobian_a[0], problem->jacobian_a[0], 6 * rows) ||
            !same_numbers(same->jacobian_b[0], problem->jacobian_b[0], 6 * rows)) {
            session_find(session, "what was saved is not what is loaded");
        }
        CnSolution solution = create_solution(same);
        cn_problem_velocity(same, solution.impulse, solution.velocity);
        status = cn_solution_save(same, &solution, path, &error);
        check_refusal(session, status != CN_OK, &error);
        free_solution(&solution);
        CnOwnedProblem* condensed = cn_problem_condense(same, &error);
        check_refusal(session, condensed == NULL, &error);
        cn_owned_problem_destroy(condensed);
        if (same->row_count <= 60) { // a dense matrix
            check_response(session, same);
        }
    }
    remove(path);
    cn_owned_problem_destroy(loaded);
    cn_owned_problem_destroy(copy);
    return CALL_READ;
}

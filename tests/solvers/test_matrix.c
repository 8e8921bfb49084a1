// test_matrix.c - every solver on every saved problem: solved, or refused with a sentence.
#include "cairn/cairn.h"
#include "support/test.h"

#include <dirent.h>
#include <stdio.h>

#define TOLERANCE 1e-10 // [m/s]: what an exact solver must reach on every problem it accepts
#define MAX_PROBLEMS 200
#define LEAST_PROBLEMS 40

static char names[MAX_PROBLEMS][80];
static int name_count;

static int by_name(const void* a, const void* b) {
    return strcmp(a, b);
}

// The best that sweeps with bursts of Newton do within their default number of them; newton_ac,
// newton_fb and auto solve these. A solver that learns to solve one is taken off the list.
static const struct {
    const char* solver;
    const char* problem;
} too_slow[] = {
    {"nsgs", "pile_27_settled.json"}, // 5e-8 m/s after 10000 sweeps
};

static bool is_too_slow(const char* solver, const char* problem) {
    for (size_t i = 0; i < sizeof too_slow / sizeof too_slow[0]; ++i) {
        if (strcmp(too_slow[i].solver, solver) == 0 && strcmp(too_slow[i].problem, problem) == 0) {
            return true;
        }
    }
    return false;
}

static void list_problems(const char* subfolder) {
    char path[400];
    snprintf(path, sizeof path, "%s/tests/problems%s", TEST_SOURCE_DIR, subfolder);
    DIR* folder = opendir(path);
    ck_assert_ptr_nonnull(folder);
    name_count = 0;
    for (struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        size_t length = strlen(entry->d_name);
        if (length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0) {
            ck_assert_int_lt(name_count, MAX_PROBLEMS);
            snprintf(names[name_count++], sizeof names[0], "%.79s", entry->d_name);
        }
    }
    closedir(folder);
    qsort(names, (size_t)name_count, sizeof names[0], by_name);
}

static CnOwnedProblem* load(const char* subfolder, const char* name) {
    char path[400];
    CnError error = {0};
    snprintf(path, sizeof path, "%s/tests/problems%s/%.79s", TEST_SOURCE_DIR, subfolder, name);
    CnOwnedProblem* owned = cn_problem_load(path, &error);
    ck_assert_msg(owned != NULL, "%s", error.message);
    return owned;
}

typedef struct Attempt {
    CnStatus status;
    CnSolverReport report;
    CnError error;
    double worst; // certificate computed once more, here, from the impulses alone [m/s]
} Attempt;

static Attempt attempt(const CnProblem* problem, const char* solver, int max_iterations) {
    Attempt result = {0};
    CnSolverDef def = cn_solver_def_default();
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CnSolution solution = {
        .impulse = calloc((size_t)problem->row_count + 1, sizeof(double)),
        .velocity = calloc((size_t)problem->body_count + 1, sizeof *solution.velocity),
    };
    CnCertificate certificate;

    def.name = solver;
    def.tolerance = TOLERANCE;
    def.max_iterations = max_iterations;
    result.status = cn_solve(problem, &def, workspace, &solution, &result.report, &result.error);
    cn_problem_velocity(problem, solution.impulse, solution.velocity);
    cn_problem_certify(problem, &solution, NULL, &certificate);
    result.worst = certificate.worst;
    free(solution.impulse);
    free(solution.velocity);
    cn_workspace_destroy(workspace);
    return result;
}

static void check_refusal(const char* name, const char* solver, const Attempt* result) {
    ck_assert_msg(result->status == CN_UNSUPPORTED, "%s on %s: status %s, %s", solver, name,
                  cn_status_name(result->status), result->error.message);
    ck_assert_int_eq(result->report.outcome, CN_REFUSED);
    ck_assert_msg(strlen(result->error.message) > 10, "%s refuses %s without a sentence", solver,
                  name);
}

static void check_answer(const char* name, CnSolverInfo info, const Attempt* result,
                         bool may_be_asked_for) {
    bool converged = result->report.outcome == CN_CONVERGED;
    // Nobody may claim what the certificate denies.
    ck_assert_msg(converged == (result->worst <= TOLERANCE), "%s on %s says %s at %g m/s",
                  info.name, name, cn_outcome_name(result->report.outcome), result->worst);
    if (info.exact && may_be_asked_for) {
        ck_assert_msg(converged, "%s on %s: %s, residual %g m/s after %d iterations (%s)",
                      info.name, name, cn_outcome_name(result->report.outcome), result->worst,
                      result->report.iterations, result->report.remark);
    }
}

static void every_solver_solves_or_refuses_every_problem(void) {
    list_problems("");
    CHECK(name_count >= LEAST_PROBLEMS);
    for (int i = 0; i < name_count; ++i) {
        CnOwnedProblem* owned = load("", names[i]);
        for (int k = 0; k < cn_solver_count(); ++k) {
            CnSolverInfo info = cn_solver_at(k);
            Attempt result = attempt(cn_owned_problem_get(owned), info.name, 0);
            if (result.report.outcome == CN_REFUSED) {
                check_refusal(names[i], info.name, &result);
            } else {
                ck_assert_msg(result.status == CN_OK, "%s on %s: %s", info.name, names[i],
                              result.error.message);
                check_answer(names[i], info, &result, !is_too_slow(info.name, names[i]));
            }
        }
        cn_owned_problem_destroy(owned);
    }
}

static void every_problem_is_solved_by_somebody(void) {
    list_problems("");
    for (int i = 0; i < name_count; ++i) {
        CnOwnedProblem* owned = load("", names[i]);
        Attempt result = attempt(cn_owned_problem_get(owned), "auto", 0);
        ck_assert_msg(result.worst <= TOLERANCE, "auto on %s: %g m/s (%s)", names[i], result.worst,
                      result.report.remark);
        cn_owned_problem_destroy(owned);
    }
}

// Most solvers leave these unsolved; everybody must say so.
static void hard_problems_are_never_called_solved(void) {
    list_problems("/hard");
    CHECK(name_count > 0);
    for (int i = 0; i < name_count; ++i) {
        CnOwnedProblem* owned = load("/hard", names[i]);
        for (int k = 0; k < cn_solver_count(); ++k) {
            CnSolverInfo info = cn_solver_at(k);
            // A taste of each: enough to be wrong in, short enough for every test run.
            Attempt result = attempt(cn_owned_problem_get(owned), info.name, 20);
            if (result.report.outcome != CN_REFUSED) {
                check_answer(names[i], info, &result, false);
            }
        }
        cn_owned_problem_destroy(owned);
    }
}

TEST_MAIN("solvers/matrix", TEST(hard_problems_are_never_called_solved),
          TEST(every_solver_solves_or_refuses_every_problem),
          TEST(every_problem_is_solved_by_somebody))

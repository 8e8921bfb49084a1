// test_responses.c - solvers that need no bodies: given only W, they find the same answers.
#include "cairn/cairn.h"
#include "support/problems/problems.h"
#include "support/test.h"

#include <dirent.h>
#include <stdio.h>

#define MAX_ROWS 150   // dense W of a saved problem: larger ones would only take longer
#define TOLERANCE 1e-9 // [m/s]
#define LEAST_PROBLEMS 30

// A problem of bodies and the same one with W and q alone.
typedef struct Pair {
    CnOwnedProblem* owned;
    CnProblem alone;
    CnResponse response;
    CnBlock* blocks;
    int *start, *column;
    double *value, *target, *no_compliance;
} Pair;

// Column j of W is what a unit impulse of row j does. The problem's free motion goes into -target.
static void fill_response(Pair* pair, const CnProblem* problem) {
    int n = problem->row_count;
    double* p = calloc((size_t)n + 1, sizeof(double));
    double* u = calloc((size_t)n + 1, sizeof(double));
    double* q = calloc((size_t)n + 1, sizeof(double));
    problem_row_velocity(problem, p, q);
    for (int j = 0; j < n; ++j) {
        p[j] = 1.0;
        problem_row_velocity(problem, p, u);
        p[j] = 0.0;
        for (int i = 0; i < n; ++i) {
            pair->value[(size_t)i * (size_t)n + (size_t)j] = u[i] - q[i];
            pair->column[i * n + j] = j;
        }
        pair->start[j + 1] = n * (j + 1);
        pair->target[j] = -q[j];
    }
    free(p);
    free(u);
    free(q);
}

static void make_pair(Pair* pair, CnOwnedProblem* owned) {
    const CnProblem* problem = cn_owned_problem_get(owned);
    size_t n = (size_t)problem->row_count;
    *pair = (Pair){
        .owned = owned,
        .alone = *problem,
        .blocks = calloc((size_t)problem->block_count + 1, sizeof(CnBlock)),
        .start = calloc(n + 1, sizeof(int)),
        .column = calloc(n * n + 1, sizeof(int)),
        .value = calloc(n * n + 1, sizeof(double)),
        .target = calloc(n + 1, sizeof(double)),
        .no_compliance = calloc(n + 1, sizeof(double)),
    };
    for (int b = 0; b < problem->block_count; ++b) {
        pair->blocks[b] = problem->blocks[b];
        pair->blocks[b].body_a = pair->blocks[b].body_b = -1;
        pair->blocks[b].second[0] = pair->blocks[b].second[1] = 0;
    }
    fill_response(pair, problem);
    pair->response = (CnResponse){pair->start, pair->column, pair->value};
    pair->alone.body_count = 0;
    pair->alone.blocks = pair->blocks;
    pair->alone.target = pair->target;
    pair->alone.compliance = pair->no_compliance;
    pair->alone.response = &pair->response;
}

static void free_pair(Pair* pair) {
    cn_owned_problem_destroy(pair->owned);
    free(pair->blocks);
    free(pair->start);
    free(pair->column);
    free(pair->value);
    free(pair->target);
    free(pair->no_compliance);
}

static CnSolverReport solve(const CnProblem* problem, const char* solver, double* impulse) {
    CnSolverDef def = cn_solver_def_default();
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CnSolverReport report;
    CnError error = {0};
    double none[1][6];
    CnSolution solution = {impulse, none};
    def.name = solver;
    def.tolerance = TOLERANCE;
    CnStatus status = cn_solve(problem, &def, workspace, &solution, &report, &error);
    ck_assert_msg(status == CN_OK, "%s: %s", solver, error.message);
    cn_workspace_destroy(workspace);
    return report;
}

// The residual of an answer, judged with the bodies it was found without [m/s].
static double judge_with_bodies(const Pair* pair, double* impulse) {
    const CnProblem* problem = cn_owned_problem_get(pair->owned);
    CnCertificate certificate;
    CnSolution solution = {impulse,
                           calloc((size_t)problem->body_count + 1, sizeof *solution.velocity)};
    cn_problem_velocity(problem, impulse, solution.velocity);
    cn_problem_certify(problem, &solution, NULL, &certificate);
    free(solution.velocity);
    return certificate.worst;
}

static void check_solvers(const Pair* pair, const char* name) {
    double impulse[MAX_ROWS] = {0.0};
    for (int k = 0; k < cn_solver_count(); ++k) {
        CnSolverInfo info = cn_solver_at(k);
        if (info.needs_bodies || info.laws != (1u << CN_LAW_COUNT) - 1u) {
            continue;
        }
        memset(impulse, 0, sizeof impulse);
        CnSolverReport report = solve(&pair->alone, info.name, impulse);
        double worst = judge_with_bodies(pair, impulse);
        // W has the round-off of sums of the bodies' numbers: 1e-14 of velocities up to 10 m/s.
        ck_assert_msg(report.outcome != CN_CONVERGED || worst <= TOLERANCE + 1e-12,
                      "%s on %s says %s at %g m/s", info.name, name,
                      cn_outcome_name(report.outcome), worst);
        ck_assert_msg(!info.exact || report.outcome == CN_CONVERGED,
                      "%s on %s without bodies: %g m/s after %d iterations", info.name, name, worst,
                      report.iterations);
    }
}

// Solvers of bounds: whatever they accept they solve, from W as from bodies, to the same forces
// where these are unique; here both are graded with the bodies.
static int check_pivoting(const Pair* pair, const char* name) {
    static const char* const solvers[] = {"active_set", "lemke"};
    int solved = 0;
    for (int k = 0; k < 2; ++k) {
        double impulse[MAX_ROWS] = {0.0}, none[1][6];
        CnSolverDef def = cn_solver_def_default();
        CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
        CnSolution solution = {impulse, none};
        CnSolverReport report;
        CnError error = {0};
        def.name = solvers[k];
        def.tolerance = TOLERANCE;
        CnStatus status = cn_solve(&pair->alone, &def, workspace, &solution, &report, &error);
        ck_assert_msg(status == CN_OK || status == CN_UNSUPPORTED, "%s", error.message);
        if (status == CN_OK) {
            ck_assert_msg(report.outcome == CN_CONVERGED, "%s on %s: %s", solvers[k], name,
                          report.remark);
            CHECK(judge_with_bodies(pair, impulse) <= TOLERANCE + 1e-12);
            ++solved;
        }
        cn_workspace_destroy(workspace);
    }
    return solved;
}

// A and b by cn_problem_response() are those found column by column; the bodies' sums are taken in
// another order: round-off of their terms.
static void check_matrix(const Pair* pair) {
    const CnProblem* problem = cn_owned_problem_get(pair->owned);
    size_t n = (size_t)problem->row_count;
    double* a = calloc(n * n + 1, sizeof(double));
    double* b = calloc(n + 1, sizeof(double));
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CHECK_INT(cn_problem_response(problem, workspace, a, b, NULL), CN_OK);
    for (size_t i = 0; i < n; ++i) {
        CHECK_NEAR(b[i], pair->target[i], 1e-13 * (1.0 + fabs(b[i])));
        for (size_t j = 0; j < n; ++j) {
            double size = sqrt(a[i * n + i] * a[j * n + j]);
            CHECK_NEAR(a[i * n + j], pair->value[i * n + j], 1e-12 * (1.0 + size));
        }
    }
    CHECK_INT(cn_problem_response(&pair->alone, workspace, a, NULL, NULL), CN_OK);
    for (size_t i = 0; i < n * n; ++i) {
        CHECK(a[i] == pair->value[i]); // as given
    }
    cn_workspace_destroy(workspace);
    free(a);
    free(b);
}

static void answers_without_bodies_satisfy_the_problem_with_bodies(void) {
    char path[600];
    int count = 0, solved = 0;
    DIR* folder = opendir(TEST_SOURCE_DIR "/tests/problems");
    ck_assert_ptr_nonnull(folder);
    for (struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        size_t length = strlen(entry->d_name);
        if (length < 5 || strcmp(entry->d_name + length - 5, ".json") != 0) {
            continue;
        }
        CnError error = {0};
        snprintf(path, sizeof path, "%s/tests/problems/%.200s", TEST_SOURCE_DIR, entry->d_name);
        CnOwnedProblem* owned = cn_problem_load(path, &error);
        ck_assert_msg(owned != NULL, "%s", error.message);
        if (cn_owned_problem_get(owned)->row_count > MAX_ROWS) {
            cn_owned_problem_destroy(owned);
            continue;
        }
        Pair pair;
        make_pair(&pair, owned);
        check_solvers(&pair, entry->d_name);
        check_matrix(&pair);
        solved += check_pivoting(&pair, entry->d_name);
        free_pair(&pair);
        ++count;
    }
    closedir(folder);
    CHECK(count >= LEAST_PROBLEMS);
    CHECK(solved >= 20); // of ten problems without friction, by two solvers
}

// Two contacts whose W is not symmetric by a fraction, as inertias taken at two configurations make
// it. The answer is known because both stick: W p = -q.
static void a_response_need_not_be_symmetric(void) {
    enum { N = 6 };
    int start[N + 1], column[N * N];
    double value[N * N], target[N] = {0.0}, zero[N] = {0.0}, p[N];
    const double wanted[N] = {1.0, 0.1, -0.2, 2.0, 0.3, 0.1}; // inside cones of friction 0.5
    for (int i = 0; i < N; ++i) {
        start[i] = i * N;
        for (int j = 0; j < N; ++j) {
            column[i * N + j] = j;
            value[i * N + j] = (i == j ? 2.0 : 0.1) + (i > j ? 0.05 : 0.0);
            target[i] += value[i * N + j] * wanted[j];
        }
    }
    start[N] = N * N;
    CnResponse response = {start, column, value};
    CnBlock blocks[2] = {
        {.law = CN_LAW_COULOMB,
         .first_row = 0,
         .row_count = 3,
         .body_a = -1,
         .body_b = -1,
         .friction = 0.5},
        {.law = CN_LAW_COULOMB,
         .first_row = 3,
         .row_count = 3,
         .body_a = -1,
         .body_b = -1,
         .friction = 0.5},
    };
    CnProblem problem = {.block_count = 2,
                         .row_count = N,
                         .blocks = blocks,
                         .target = target,
                         .compliance = zero,
                         .lower = zero,
                         .upper = zero,
                         .offset = zero,
                         .slope = zero,
                         .response = &response};
    for (int k = 0; k < cn_solver_count(); ++k) {
        CnSolverInfo info = cn_solver_at(k);
        if (info.needs_bodies || !info.exact || (info.laws & 1u << CN_LAW_COULOMB) == 0) {
            continue;
        }
        memset(p, 0, sizeof p);
        CHECK_INT(solve(&problem, info.name, p).outcome, CN_CONVERGED);
        for (int i = 0; i < N; ++i) {
            CHECK_NEAR(p[i], wanted[i], TOLERANCE); // W >= 1: |dp| <= |du|
        }
    }
}

TEST_MAIN("solvers/responses", TEST(answers_without_bodies_satisfy_the_problem_with_bodies),
          TEST(a_response_need_not_be_symmetric))

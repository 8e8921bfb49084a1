// test_fclib_collection.c - problems of other codes: solved, and never claimed to be when not.
//
// The kept files are ours. A larger collection is used when it is there: CAIRN_FCLIB_DIR, or
// ../shared/fclib next to the sources.
#include "support/test.h"

#include "cairn/fclib.h"
#include "cairn/solver.h"
#include <dirent.h>
#include <stdio.h>

typedef struct Claim {
    const char* solver;
    double tolerance;
    int files, solved, refused;
    char unsolved[400]; // names
} Claim;

// The larger of both errors, recomputed: whoever says "converged" must be right.
static void solve_file(const char* path, const char* name, Claim* claim) {
    CnError error = {0};
    CnOwnedProblem* owned = cn_fclib_load(path, &error);
    ck_assert_msg(owned != NULL, "%s", error.message);
    const CnProblem* problem = cn_owned_problem_get(owned);
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CnSolution solution = {calloc((size_t)problem->row_count + 1, sizeof(double)),
                           calloc((size_t)problem->body_count + 1, sizeof(double[6]))};
    CnSolverDef def = cn_solver_def_default();
    CnSolverReport report = {0};
    CnCertificate certificate;
    def.name = claim->solver;
    def.tolerance = claim->tolerance;
    def.measure = CN_ERROR_RELATIVE;
    CnStatus status = cn_solve(problem, &def, workspace, &solution, &report, &error);
    claim->files += 1;
    if (status == CN_UNSUPPORTED) {
        claim->refused += 1;
    } else {
        ck_assert_msg(status == CN_OK, "%s: %s", name, error.message);
        cn_problem_certify(problem, &solution, NULL, &certificate);
        bool is_good = fmax(certificate.fclib_error, certificate.scaled_error) <= def.tolerance;
        ck_assert_msg(is_good == (report.outcome == CN_CONVERGED),
                      "%s says %s of %s, whose errors are %g and %g", claim->solver,
                      cn_outcome_name(report.outcome), name, certificate.fclib_error,
                      certificate.scaled_error);
        claim->solved += is_good;
        if (!is_good) {
            size_t used = strlen(claim->unsolved);
            snprintf(claim->unsolved + used, sizeof claim->unsolved - used, " %s", name);
        }
    }
    free(solution.impulse);
    free(solution.velocity);
    cn_workspace_destroy(workspace);
    cn_owned_problem_destroy(owned);
}

// False when there is no such folder.
static bool solve_folder(const char* folder, Claim* claim) {
    DIR* entries = opendir(folder);
    if (entries == NULL) {
        return false;
    }
    for (struct dirent* entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        char path[1024];
        const char* ending = strrchr(entry->d_name, '.');
        if (ending != NULL && strcmp(ending, ".hdf5") == 0) {
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            solve_file(path, entry->d_name, claim);
        }
    }
    closedir(entries);
    return true;
}

static const char* kept_folder(void) {
    return TEST_SOURCE_DIR "/tests/problems/fclib";
}

static const char* large_folder(void) {
    const char* chosen = getenv("CAIRN_FCLIB_DIR");
    return chosen != NULL ? chosen : TEST_SOURCE_DIR "/../shared/fclib";
}

static void the_kept_problems_are_solved_to_eight_digits(void) {
    static const char* const solvers[] = {"auto", "cone_ip"};
    for (int i = 0; i < 2; ++i) {
        Claim claim = {.solver = solvers[i], .tolerance = 1e-8};
        CHECK(solve_folder(kept_folder(), &claim));
        ck_assert_msg(claim.solved == 3, "%s does not solve%s", solvers[i], claim.unsolved);
    }
}

static void no_solver_claims_what_is_not_so(void) {
    for (int i = 0; i < cn_solver_count(); ++i) {
        Claim claim = {.solver = cn_solver_at(i).name, .tolerance = 1e-4};
        CHECK(solve_folder(kept_folder(), &claim));
        CHECK_INT(claim.files, 3);
    }
}

static void the_collection_is_solved_to_four_digits(void) {
    Claim claim = {.solver = "auto", .tolerance = 1e-4};
    if (!solve_folder(large_folder(), &claim)) {
        printf("%s is not there: its problems were not tried\n", large_folder());
        return;
    }
    printf("%s: %d of %d solved\n", large_folder(), claim.solved, claim.files);
    ck_assert_msg(claim.solved == claim.files, "not solved:%s", claim.unsolved);
}

TEST_MAIN("solvers/fclib_collection", TEST(the_kept_problems_are_solved_to_eight_digits),
          TEST(no_solver_claims_what_is_not_so), TEST(the_collection_is_solved_to_four_digits))

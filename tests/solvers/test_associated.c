// test_associated.c - associated friction by name: convex, unique, and what slides lifts.
#include "cairn/cairn.h"
#include "cairn/fclib.h"
#include "support/problems/piles.h"
#include "support/test.h"

#include <dirent.h>
#include <stdio.h>

#define LAW CN_FRICTION_ASSOCIATED

static const CnVec3 none = {0.0, 0.0, 0.0};

static CnSolverDef def_of(const char* solver, CnFrictionModel friction, double tolerance) {
    CnSolverDef def = cn_solver_def_default();
    def.name = solver;
    def.friction = friction;
    def.tolerance = tolerance;
    return def;
}

static CnSolverReport solve(const CnProblem* problem, const CnSolverDef* def,
                            CnSolution* solution) {
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CnSolverReport report;
    CnError error = {0};
    CnStatus status = cn_solve(problem, def, workspace, solution, &report, &error);
    ck_assert_msg(status == CN_OK, "%s", error.message);
    cn_workspace_destroy(workspace);
    return report;
}

// Against the associated law, recomputed from the impulses.
static double named_error(const CnProblem* problem, const CnSolution* solution,
                          CnErrorMeasure measure) {
    CnProblem named = *problem;
    CnCertificate certificate;
    named.friction_model = LAW;
    cn_problem_certify(&named, solution, NULL, &certificate);
    return cn_certificate_error(&certificate, measure);
}

// A point of so many 1/kg that approaches the ground at `down` and slides along it at `along`.
static Problem sliding_point(double inverse_mass, double down, double along, double friction) {
    Problem problem = {0};
    int point = problem_add_body(&problem, inverse_mass, 0.0);
    problem.free_velocity[point][0] = along;
    problem.free_velocity[point][2] = -down;
    problem_add_contact(&problem, -1, point, none, none, friction);
    return problem;
}

// The velocity nearest to (along, -down) on the line v_N = mu v_T: with W = w in all directions
// p_N = (down + mu along) / (w (1 + mu^2)), p_T = mu p_N. Exactly, p_N would be down / w.
static void a_sliding_point_lifts_at_mu_times_its_slip(void) {
    static const struct {
        double w, down, along, mu;
    } cases[] = {{2.0, 30.0, 20.0, 0.3}, {2.0, 0.001, 10.0, 0.3}, {1.0, 1.0, 5.0, 1.5}};
    static const char* const solvers[] = {"cone_ip", "admm", "extragradient", "auto"};
    for (int i = 0; i < 12; ++i) {
        double w = cases[i % 3].w, mu = cases[i % 3].mu, tolerance = 1e-11; // [m/s]
        double normal =
            (cases[i % 3].down + mu * cases[i % 3].along) / (w * (1.0 + mu * mu)); // [N s]
        Problem problem = sliding_point(w, cases[i % 3].down, cases[i % 3].along, mu);
        CnSolution solution = problem_solution(&problem);
        CnSolverDef def = def_of(solvers[i / 3], LAW, tolerance);
        CnSolverReport report = solve(problem_view(&problem), &def, &solution);
        CHECK_INT(report.outcome, CN_CONVERGED);
        CHECK_NEAR(solution.impulse[0], normal, 10.0 * tolerance);
        CHECK_NEAR(hypot(solution.impulse[1], solution.impulse[2]), mu * normal, 10.0 * tolerance);
        double lift = solution.velocity[0][2], slip = solution.velocity[0][0];
        CHECK_NEAR(lift, mu * slip, 10.0 * tolerance);
        CHECK(slip > 0.1);
        problem_free(&problem);
    }
}

static void the_report_names_it_and_shows_the_price(void) {
    Problem problem = sliding_point(0.5, 1.0, 3.0, 0.5);
    CnSolution solution = problem_solution(&problem);
    CnSolverDef def = def_of("cone_ip", LAW, 1e-12);
    CnSolverReport report = solve(problem_view(&problem), &def, &solution);
    CHECK_STRING(report.approximation, "associated friction: what slides lifts");
    // p = (4, 2), u~ = (2, 2) and 2 kg: test_certificate.c has the same by hand.
    CHECK_NEAR(report.certificate.worst, sqrt(1.6 * 1.6 + 0.8 * 0.8) / 2.0, 1e-11);
    def.regularisation = 1e-3;
    report = solve(problem_view(&problem), &def, &solution);
    CHECK_CONTAINS(report.approximation, "regularised");
    problem_free(&problem);
    Problem without = {0}; // nothing to approximate
    pile_add_chain(&without, 3, 1.0);
    solution = problem_solution(&without);
    def = def_of("auto", LAW, 1e-10);
    report = solve(problem_view(&without), &def, &solution);
    CHECK(report.approximation == NULL && report.outcome == CN_CONVERGED);
    problem_free(&without);
}

// Where nothing slides the two laws are one: u = 0 of every contact that pushes.
static void what_sticks_is_the_exact_answer(void) {
    Problem problem = {0};
    const double mass[5] = {1.0, 10.0, 3.0, 100.0, 1.0};
    pile_add_stack(&problem, 5, mass, 0.8, 1.0);
    CnSolution solution = problem_solution(&problem);
    double velocity[5][6];
    CnSolverDef def = def_of("cone_ip", CN_FRICTION_EXACT, 1e-11);
    CnSolverReport exact = solve(problem_view(&problem), &def, &solution);
    CHECK_INT(exact.outcome, CN_CONVERGED);
    memcpy(velocity, solution.velocity, sizeof velocity);
    def.friction = LAW;
    def.warm_start = false;
    solution = problem_solution(&problem);
    CnSolverReport report = solve(problem_view(&problem), &def, &solution);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK(report.certificate.worst <= 1e-10); // both laws at once
    double worst = 0.0;
    for (int i = 0; i < 30; ++i) {
        worst = fmax(worst, fabs(solution.velocity[i / 6][i % 6] - velocity[i / 6][i % 6]));
    }
    CHECK(worst <= 1e-9); // five levels of 1e-11 m/s each, and arms of half a metre
    problem_free(&problem);
}

static void fill_wild_pile(Problem* problem, uint64_t seed) {
    CnRandom random = {seed};
    pile_add_random(problem, &random, 12, 24, 2.0, -1.0);
    for (int i = 0; i < problem->body_count; ++i) {
        for (int k = 0; k < 6; ++k) {
            problem->free_velocity[i][k] = cn_random_between(&random, -1.0, 1.0);
        }
    }
}

// The answer is the nearest of all velocities with u in the dual cones, and these are cones:
// |v_free|^2 = |v|^2 + |v - v_free|^2 in the metric of the masses, so energy never rises, and what
// it falls by is known. friction.md (20).
static void energy_falls_by_that_of_the_change(void) {
    double worst = 0.0, least_loss = HUGE_VAL;
    for (uint64_t seed = 1; seed <= (UNDER_SANITIZER ? 5 : 20); ++seed) {
        Problem problem = {0};
        double change[32][6];
        fill_wild_pile(&problem, seed);
        const CnProblem* view = problem_view(&problem);
        CnSolution solution = problem_solution(&problem);
        CnSolverDef def = def_of("cone_ip", LAW, 1e-10);
        CnSolverReport report = solve(view, &def, &solution);
        ck_assert_msg(report.outcome == CN_CONVERGED, "pile %d: %g m/s (%s)", (int)seed,
                      named_error(view, &solution, CN_ERROR_VELOCITY), report.remark);
        CHECK(problem.body_count <= 32);
        for (int i = 0; i < 6 * problem.body_count; ++i) {
            change[i / 6][i % 6] =
                solution.velocity[i / 6][i % 6] - problem.free_velocity[i / 6][i % 6];
        }
        double before = pile_energy(view, view->free_velocity);
        double after = pile_energy(view, (const double(*)[6])solution.velocity);
        double given = pile_energy(view, (const double(*)[6])change);
        worst = fmax(worst, fabs(before - after - given) / before);
        least_loss = fmin(least_loss, before - after);
        problem_free(&problem);
    }
    CHECK(worst <= 1e-8); // p . u: impulses of the size of the momentum, 24 of 1e-10 m/s
    CHECK(least_loss > 0.0);
}

// Strictly convex in velocities: whoever solves it, from wherever, finds the same. Starts at zero,
// and at impulses that have nothing to do with the problem.
static void every_solver_from_every_start_finds_one_motion(void) {
    static const char* const solvers[] = {"cone_ip", "admm", "extragradient"};
    double worst = 0.0;
    for (uint64_t seed = 1; seed <= (UNDER_SANITIZER ? 1 : 5); ++seed) {
        Problem problem = {0};
        double velocity[32][6];
        fill_wild_pile(&problem, seed);
        CnRandom random = {seed + 100};
        for (int i = 0; i < 6; ++i) {
            CnSolution solution = problem_solution(&problem);
            CnSolverDef def = def_of(solvers[i / 2], LAW, 1e-10);
            for (int row = 0; row < problem.row_count && i % 2 == 1; ++row) {
                solution.impulse[row] = cn_random_between(&random, -1.0, 1.0);
            }
            CnSolverReport report = solve(problem_view(&problem), &def, &solution);
            ck_assert_msg(report.outcome == CN_CONVERGED, "%s, pile %d: %s", solvers[i / 2],
                          (int)seed, report.remark);
            for (int k = 0; k < 6 * problem.body_count; ++k) {
                double v = solution.velocity[k / 6][k % 6];
                velocity[k / 6][k % 6] = i == 0 ? v : velocity[k / 6][k % 6];
                worst = fmax(worst, fabs(v - velocity[k / 6][k % 6]));
            }
        }
        problem_free(&problem);
    }
    CHECK(worst <= 1e-7); // 1e-10 m/s, and masses over two powers of ten
}

static void an_answer_is_kept_as_a_guess(void) {
    Problem problem = sliding_point(1.0, 1.0, 5.0, 0.3);
    CnSolution solution = problem_solution(&problem);
    CnSolverDef def = def_of("auto", LAW, 1e-8);
    CHECK(solve(problem_view(&problem), &def, &solution).iterations > 0);
    CnSolverReport report = solve(problem_view(&problem), &def, &solution);
    CHECK_INT(report.iterations, 0);
    CHECK_INT(report.outcome, CN_CONVERGED);
    def.friction = CN_FRICTION_EXACT; // the guess of one law is not the answer of another
    report = solve(problem_view(&problem), &def, &solution);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK_NEAR(solution.impulse[0], 1.0, 1e-7);
    CHECK(report.approximation == NULL);
    problem_free(&problem);
}

// There is nothing that this would minimise, but the law stands. Both slide at 1 m/s with mu = 1/2
// and W_TT = 1: p_T = -mu p_N, u_T = 1 - p_N / 2, u_N = mu u_T, so with W_NN = (2 1; 1.5 2) it is
// (2.25 1; 1.5 2.25) p_N = 1 + 1/2.
static void a_response_without_symmetry_meets_the_law_too(void) {
    Problem problem = {0};
    CnProblem view = problem_without_symmetry(&problem);
    problem.target[1] = problem.target[3] = -1.0;
    double impulse[4] = {0.0}, det = 2.25 * 2.25 - 1.5;
    CnSolution solution = {impulse, NULL};
    CnSolverDef def = def_of("cone_ip", LAW, 1e-12);
    def.measure = CN_ERROR_RELATIVE;
    CHECK_INT(solve(&view, &def, &solution).outcome, CN_CONVERGED);
    CHECK_NEAR(impulse[0], 1.5 * (2.25 - 1.0) / det, 1e-11); // condition 4
    CHECK_NEAR(impulse[2], 1.5 * (2.25 - 1.5) / det, 1e-11);
    problem_free(&problem);
}

static void solvers_without_it_refuse_and_name_those_that_have_it(void) {
    static const char* const solvers[] = {"nsgs",      "pgs",     "newton_ac",
                                          "newton_fb", "penalty", "newton_projected"};
    Problem problem = sliding_point(1.0, 1.0, 1.0, 0.5);
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    for (int i = 0; i < 6; ++i) {
        CnSolution solution = problem_solution(&problem);
        CnSolverDef def = def_of(solvers[i], LAW, 1e-8);
        CnSolverReport report;
        CnError error = {0};
        CHECK_INT(cn_solve(problem_view(&problem), &def, workspace, &solution, &report, &error),
                  CN_UNSUPPORTED);
        CHECK_INT(report.outcome, CN_REFUSED);
        CHECK_CONTAINS(error.message, solvers[i]);
        CHECK_CONTAINS(error.message, "does not support \"associated\" friction; these do: auto,");
        CHECK_CONTAINS(error.message, "cone_ip");
    }
    cn_workspace_destroy(workspace);
    problem_free(&problem);
}

typedef struct Collection {
    int files, solved;
    int compared;       // with admm, which solved it too
    double difference;  // of their velocities, the largest, relative to their size
    char unsolved[400]; // names
} Collection;

// Alternating directions, as far as they get in some hundred iterations.
static void compare_with_admm(const CnProblem* problem, const CnSolution* answer,
                              Collection* collection) {
    CnSolution solution = {calloc((size_t)problem->row_count + 1, sizeof(double)),
                           calloc((size_t)problem->body_count + 1, sizeof(double[6]))};
    CnSolverDef def = def_of("admm", LAW, 1e-8);
    def.max_iterations = 300;
    double size = 1.0, worst = 0.0; // [m/s]
    if (solve(problem, &def, &solution).outcome == CN_CONVERGED) {
        for (int i = 0; i < 6 * problem->body_count; ++i) {
            double v = solution.velocity[i / 6][i % 6];
            size = fmax(size, fabs(v));
            worst = fmax(worst, fabs(v - answer->velocity[i / 6][i % 6]));
        }
        collection->compared += 1;
        collection->difference = fmax(collection->difference, worst / size);
    }
    free(solution.impulse);
    free(solution.velocity);
}

static void solve_file(const char* path, const char* name, Collection* collection) {
    CnError error = {0};
    CnOwnedProblem* owned = cn_fclib_load(path, &error);
    ck_assert_msg(owned != NULL, "%s", error.message);
    const CnProblem* problem = cn_owned_problem_get(owned);
    CnSolution solution = {calloc((size_t)problem->row_count + 1, sizeof(double)),
                           calloc((size_t)problem->body_count + 1, sizeof(double[6]))};
    CnSolverDef def = def_of("cone_ip", LAW, 1e-8);
    bool has_bodies = problem->response == NULL && problem->masses == NULL;
    def.measure = has_bodies ? CN_ERROR_VELOCITY : CN_ERROR_RELATIVE;
    CnSolverReport report = solve(problem, &def, &solution);
    bool is_good = named_error(problem, &solution, def.measure) <= def.tolerance;
    CHECK(is_good == (report.outcome == CN_CONVERGED));
    collection->files += 1;
    collection->solved += is_good;
    if (is_good && has_bodies) {
        compare_with_admm(problem, &solution, collection);
    }
    if (!is_good) {
        size_t used = strlen(collection->unsolved);
        snprintf(collection->unsolved + used, sizeof collection->unsolved - used, " %s", name);
    }
    free(solution.impulse);
    free(solution.velocity);
    cn_owned_problem_destroy(owned);
}

// Convex, so none is hard: all are solved, whatever the exact law costs on them, and where admm
// solves one too the motion is the same.
static Collection solve_folder(const char* folder, int least) {
    Collection collection = {0};
    DIR* entries = opendir(folder);
    if (entries == NULL) {
        printf("%s is not there: its problems were not tried\n", folder);
        return collection;
    }
    for (struct dirent* entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        char path[1024];
        const char* ending = strrchr(entry->d_name, '.');
        if (ending != NULL && (strcmp(ending, ".hdf5") == 0 || strcmp(ending, ".json") == 0)) {
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            solve_file(path, entry->d_name, &collection);
        }
    }
    closedir(entries);
    printf("%s: %d of %d solved\n", folder, collection.solved, collection.files);
    ck_assert_msg(collection.solved == collection.files, "not solved:%s", collection.unsolved);
    CHECK(collection.files >= least);
    CHECK(collection.difference <= 1e-7); // 1e-8 m/s of each, and what joints and stacks make of it
    return collection;
}

static void every_saved_problem_is_solved(void) {
    CHECK(solve_folder(TEST_SOURCE_DIR "/tests/problems", 40).compared >= 40);
    if (!UNDER_SANITIZER) {
        solve_folder(TEST_SOURCE_DIR "/tests/problems/hard", 5);
    }
}

static void the_problems_of_other_codes_are_solved(void) {
    const char* chosen = getenv("CAIRN_FCLIB_DIR");
    if (!TEST_HDF5) {
        return; // their files cannot be read
    }
    solve_folder(TEST_SOURCE_DIR "/tests/problems/fclib", 3);
    solve_folder(chosen != NULL ? chosen : TEST_SOURCE_DIR "/../shared/fclib", 1);
}

TEST_MAIN("solvers/associated", TEST(a_sliding_point_lifts_at_mu_times_its_slip),
          TEST(the_report_names_it_and_shows_the_price), TEST(what_sticks_is_the_exact_answer),
          TEST(energy_falls_by_that_of_the_change),
          TEST(every_solver_from_every_start_finds_one_motion), TEST(an_answer_is_kept_as_a_guess),
          TEST(a_response_without_symmetry_meets_the_law_too),
          TEST(solvers_without_it_refuse_and_name_those_that_have_it),
          TEST(every_saved_problem_is_solved), TEST(the_problems_of_other_codes_are_solved))

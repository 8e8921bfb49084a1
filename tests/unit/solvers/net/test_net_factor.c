// test_net_factor.c - nets of joints, solved by a kept factor, have the answers of `direct`.
#include "solvers/net/net_factor.h"

#include "support/failing_allocator.h"
#include "support/problems/solving.h"
#include "support/shapes/random_poses.h"
#include "support/test.h"

enum { WIDTH = 12, HEIGHT = 10, BODIES = WIDTH * HEIGHT, MOST_ROWS = 700 };

// Answers are to half of this [m/s]; velocities of `direct` are to round-off.
#define TOLERANCE 1e-10

#define LITTLE 0.05 // [m]

typedef struct Net {
    Problem problem;
    CnVec3 center[BODIES];
} Net;

static void add_ball(Net* it, int a, int b, CnVec3 point) {
    CnVec3 arm_a = a < 0 ? point : cn_vec3_sub(point, it->center[a]);
    problem_add_point_joint(&it->problem, a, b, arm_a, cn_vec3_sub(point, it->center[b]));
}

// Bodies on a grid, each on ball joints to the one above and beside it; the first row hangs on the
// world. rough: how far bodies and joints are from their places [m]. Where that is 0, the net is
// flat and 100 of its rows at least depend on others: 460 for 360 velocities in its plane. Where it
// is not little, every other row has no joints beside it: nearly as many rows as velocities would
// leave some of these all but undetermined.
static void build_net(Net* it, uint64_t seed, double rough) {
    CnRandom random = {seed};
    *it = (Net){.problem = {0}};
    for (int i = 0; i < BODIES; ++i) {
        double mass = cn_random_between(&random, 0.5, 2.0);
        double inertia = cn_random_between(&random, 5.0, 9.0);
        CnVec3 off = random_within(&random, rough), v = random_within(&random, 1.0);
        int body = problem_add_body(&it->problem, mass, inertia);
        it->center[i] = cn_vec3(i % WIDTH + off.x, off.y, -1.0 - i / WIDTH + off.z);
        const double velocity[6] = {v.x, v.y, v.z - 0.2, v.y, v.z, v.x};
        memcpy(it->problem.free_velocity[body], velocity, sizeof velocity);
    }
    for (int i = 0; i < BODIES; ++i) {
        CnVec3 center = cn_vec3(i % WIDTH, 0.0, -1.0 - i / WIDTH);
        CnVec3 off = random_within(&random, rough);
        CnVec3 above = cn_vec3_add(cn_vec3_add(center, off), cn_vec3(0.0, 0.0, 0.5));
        CnVec3 beside = cn_vec3_add(cn_vec3_add(center, off), cn_vec3(-0.5, 0.0, 0.0));
        add_ball(it, i < WIDTH ? -1 : i - WIDTH, i, above);
        if (i % WIDTH > 0 && (rough < LITTLE || i / WIDTH % 2 == 1)) {
            add_ball(it, i - 1, i, beside);
        }
    }
}

static CnSolverDef def_of_net(void) {
    CnSolverDef def = cn_solver_def_default();
    def.tolerance = TOLERANCE;
    return def;
}

// From the impulses that the problem has.
static bool solve_from(CnNetFactor* factor, Net* it, const CnSolverDef* def, const CnPast* past,
                       bool damps, CnSolverReport* report) {
    CnArena arena;
    bool found = false;
    CnSolution solution = {it->problem.impulse, it->problem.velocity};
    cn_arena_init(&arena, NULL);
    CHECK(cn_net_suits(problem_view(&it->problem), def));
    CHECK_INT(cn_net_solve(factor, problem_view(&it->problem), def, past, damps, &arena, &solution,
                           report, &found),
              CN_OK);
    cn_arena_destroy(&arena);
    return found;
}

// Nothing is known of the past.
static bool solve_net(CnNetFactor* factor, Net* it, const CnSolverDef* def,
                      CnSolverReport* report) {
    CnPast past = {0};
    return solve_from(factor, it, def, &past, false, report);
}

// Bodies move as they would without impulses.
static bool solve_moving(Net* it, const CnSolverDef* def, CnSolverReport* report) {
    CnNetFactor* factor = cn_net_factor_create(NULL);
    CnPast past = {.velocity = (const double(*)[6])it->problem.free_velocity};
    bool found = solve_from(factor, it, def, &past, false, report);
    cn_net_factor_destroy(factor);
    return found;
}

// The solution of `direct` into the problem's own arrays.
static void solve_directly(Net* it) {
    CnSolution solution = problem_solution(&it->problem);
    CHECK(run_solver(&cn_solver_direct, &it->problem, TOLERANCE, &solution).certificate.worst <=
          TOLERANCE);
}

static void nets_are_those_of_direct(void) {
    CnSolverDef def = def_of_net();
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        Net it;
        CnSolverReport report;
        double velocity[BODIES][6];
        CnNetFactor* factor = cn_net_factor_create(NULL);
        build_net(&it, seed, seed == 6 ? 0.0 : 0.2);
        CHECK(solve_net(factor, &it, &def, &report));
        CHECK(report.iterations > 0);
        memcpy(velocity, it.problem.velocity, sizeof velocity);
        solve_directly(&it);
        for (int i = 0; i < BODIES; ++i) {
            for (int k = 0; k < 6; ++k) {
                CHECK_NEAR(velocity[i][k], it.problem.velocity[i][k], 10.0 * TOLERANCE);
            }
        }
        cn_net_factor_destroy(factor);
        problem_free(&it.problem);
    }
}

// From the impulses of `direct`, for velocities that are a little off: the change is as small, so
// that rows which depend on each other go on sharing as they did.
static void small_changes_keep_the_shares(void) {
    const double change = 1e-7;
    Net it;
    CnSolverReport report;
    CnSolverDef def = def_of_net();
    double impulse[MOST_ROWS];
    CnNetFactor* factor = cn_net_factor_create(NULL);
    build_net(&it, 7, 0.0);
    solve_directly(&it);
    memcpy(impulse, it.problem.impulse, (size_t)it.problem.row_count * sizeof(double));
    for (int i = 0; i < BODIES; ++i) {
        it.problem.free_velocity[i][i % 6] += change;
    }
    CHECK(solve_net(factor, &it, &def, &report));
    for (int i = 0; i < it.problem.row_count; ++i) {
        CHECK_NEAR(it.problem.impulse[i], impulse[i], 100.0 * change);
    }
    cn_net_factor_destroy(factor);
    problem_free(&it.problem);
}

// Flat ones too, whose rows share as with `direct`, whose impulses have the least norm: round-off
// of 2^-33 of them is all that the factor adds along rows that depend on others (33), here of a few
// N s.
static void moving_nets_are_those_of_direct(void) {
    CnSolverDef def = def_of_net();
    for (uint64_t seed = 8; seed <= 11; ++seed) {
        Net it;
        CnSolverReport report;
        double velocity[BODIES][6], impulse[MOST_ROWS];
        build_net(&it, seed, seed % 2 == 0 ? 0.2 : 0.0);
        for (int i = 0; i < it.problem.row_count; ++i) {
            it.problem.impulse[i] = 0.5; // of no use
        }
        CHECK(solve_moving(&it, &def, &report));
        CHECK_INT(report.outcome, CN_CONVERGED);
        memcpy(velocity, it.problem.velocity, sizeof velocity);
        memcpy(impulse, it.problem.impulse, (size_t)it.problem.row_count * sizeof(double));
        solve_directly(&it);
        for (int i = 0; i < BODIES; ++i) {
            for (int k = 0; k < 6; ++k) {
                CHECK_NEAR(velocity[i][k], it.problem.velocity[i][k], 10.0 * TOLERANCE);
            }
        }
        for (int i = 0; i < it.problem.row_count; ++i) {
            CHECK_NEAR(impulse[i], it.problem.impulse[i], 1e-7);
        }
        problem_free(&it.problem);
    }
}

// Twice the kinetic energy [J].
static double energy_of(const Net* it, const double (*velocity)[6]) {
    double sum = 0.0;
    for (int i = 0; i < BODIES; ++i) {
        double mass = 1.0 / it->problem.inverse_mass[i];
        double inertia = 1.0 / it->problem.inverse_inertia[i][0];
        for (int k = 0; k < 6; ++k) {
            sum += (k < 3 ? mass : inertia) * velocity[i][k] * velocity[i][k];
        }
    }
    return sum;
}

// Bodies off their plane by e leave rows that were dependent with eigenvalues of e^2 and less. A
// step leaves w / (s + w) of an eigenvalue s: of a row at most sqrt(w) / 2 of the whitened
// velocities, with a root of W_aa below 4 m/s for one of these. What is left has kept its velocity,
// all else has lost it, so that no energy is gained, mechanisms.md (64).
static void nearly_dependent_rows_are_answered_without_energy(void) {
    static const double roughness[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7};
    CnSolverDef def = def_of_net();
    def.tolerance = 1e-8;
    for (int r = 0; r < 5; ++r) {
        Net it;
        CnSolverReport report;
        build_net(&it, 12, roughness[r]);
        CHECK(solve_moving(&it, &def, &report));
        const double(*before)[6] = (const double(*)[6])it.problem.free_velocity;
        double free = energy_of(&it, before);
        double energy = energy_of(&it, (const double(*)[6])it.problem.velocity);
        CHECK(report.error <= fmax(def.tolerance, 0.5 * 0x1p-20 * sqrt(free) * 4.0));
        CHECK((report.error <= def.tolerance) == (report.outcome == CN_CONVERGED));
        const char* steps = strstr(report.remark, "dependent: ");
        CHECK((steps != NULL) == (report.outcome == CN_STALLED));
        CHECK(steps == NULL || atoi(steps + strlen("dependent: ")) <= 32); // of least norm alone
        CHECK(energy <= free * (1.0 + 1e-9));
        problem_free(&it.problem);
    }
}

static void ask_for_contradictions(Net* it) {
    CnRandom random = {13};
    for (int i = 0; i < it->problem.row_count; ++i) {
        it->problem.target[i] = cn_random_between(&random, -0.1, 0.1);
    }
}

// Dependent rows with targets of their own: whoever names them takes over, from the same impulses.
static void contradictions_are_left_to_others(void) {
    Net it;
    CnSolverReport report;
    CnSolverDef def = def_of_net();
    build_net(&it, 13, 0.0);
    ask_for_contradictions(&it);
    it.problem.impulse[5] = 0.125;
    CHECK(!solve_moving(&it, &def, &report));
    CHECK(it.problem.impulse[5] == 0.125);
    CHECK(it.problem.impulse[6] == 0.0);
    problem_free(&it.problem);
}

// As a problem of positions it has one damped step, which brings rows nearer to what they ask for,
// and no body farther than 1 / (2 sqrt(w)) of it, w = 2^-10 of the largest over arms of 0.5 m.
static void a_damped_step_does_not_go_far(void) {
    Net it;
    CnSolverReport report;
    CnPast past = {0};
    CnSolverDef def = def_of_net();
    def.warm_start = false;
    CnNetFactor* factor = cn_net_factor_create(NULL);
    build_net(&it, 14, 1e-4);
    memset(it.problem.free_velocity, 0, BODIES * sizeof *it.problem.free_velocity);
    ask_for_contradictions(&it);
    double asked = 0.0, moved = 0.0; // squares
    for (int i = 0; i < it.problem.row_count; ++i) {
        asked += it.problem.target[i] * it.problem.target[i];
    }
    CHECK(solve_from(factor, &it, &def, &past, true, &report));
    CHECK_INT(report.iterations, 1);
    CHECK(report.error < sqrt(3.0) * 0.1);
    moved = energy_of(&it, (const double(*)[6])it.problem.velocity);
    double weight = 0x1p-10 * 0.1 / 1.0; // at least: arms are below 1 m, errors above 0.1
    CHECK(moved > 0.0 && sqrt(moved) <= sqrt(asked) * 1.5 / (2.0 * sqrt(weight)));
    cn_net_factor_destroy(factor);
    problem_free(&it.problem);
}

// The factor of other places, of hardly other ones, or none: the same bits.
static void a_kept_factor_changes_no_bit(void) {
    static const double moves[] = {1e-9, 1e-3};
    CnSolverDef def = def_of_net();
    for (int m = 0; m < 2; ++m) {
        Net first, again, other;
        CnSolverReport kept, made;
        CnNetFactor* factor = cn_net_factor_create(NULL);
        CnNetFactor* fresh = cn_net_factor_create(NULL);
        build_net(&first, 3, 0.1);
        build_net(&again, 3, 0.1 + moves[m]);
        build_net(&other, 3, 0.1 + moves[m]);
        CHECK(solve_net(factor, &first, &def, &kept));
        CHECK(solve_net(factor, &again, &def, &kept));
        CHECK(solve_net(fresh, &other, &def, &made));
        CHECK(memcmp(again.problem.impulse, other.problem.impulse,
                     (size_t)again.problem.row_count * sizeof(double)) == 0);
        CHECK(memcmp(again.problem.velocity, other.problem.velocity, sizeof(double[BODIES][6])) ==
              0);
        CHECK(kept.work == made.work);
        CHECK_INT(kept.iterations, made.iterations);
        cn_net_factor_destroy(factor);
        cn_net_factor_destroy(fresh);
        problem_free(&first.problem);
        problem_free(&again.problem);
        problem_free(&other.problem);
    }
}

static void impulses_that_hold_are_kept(void) {
    Net it;
    CnSolverReport report;
    CnSolverDef def = def_of_net();
    double impulse[MOST_ROWS];
    CnNetFactor* factor = cn_net_factor_create(NULL);
    build_net(&it, 4, 0.1);
    CHECK(solve_net(factor, &it, &def, &report));
    memcpy(impulse, it.problem.impulse, (size_t)it.problem.row_count * sizeof(double));
    CHECK(solve_net(factor, &it, &def, &report));
    CHECK_INT(report.iterations, 0);
    CHECK(memcmp(impulse, it.problem.impulse, (size_t)it.problem.row_count * sizeof(double)) == 0);
    cn_net_factor_destroy(factor);
    problem_free(&it.problem);
}

// A row twice within a joint, a contact, a soft row, few loops, a budget too small for a factor.
static void what_is_no_net_is_left_alone(void) {
    Net it;
    CnSolverReport report;
    CnSolverDef def = def_of_net();
    CnNetFactor* factor = cn_net_factor_create(NULL);
    build_net(&it, 5, 0.1);
    CnSolverDef poor = def;
    poor.work_budget = 1000.0;
    CHECK(!solve_net(factor, &it, &poor, &report));
    memcpy(it.problem.jacobian_a[1], it.problem.jacobian_a[0], sizeof(double[6]));
    memcpy(it.problem.jacobian_b[1], it.problem.jacobian_b[0], sizeof(double[6]));
    it.problem.impulse[3] = 0.25;
    CHECK(!solve_net(factor, &it, &def, &report));
    CHECK(it.problem.impulse[3] == 0.25);
    it.problem.compliance[7] = 1e-6;
    CHECK(!cn_net_suits(problem_view(&it.problem), &def));
    it.problem.compliance[7] = 0.0;
    problem_add_contact(&it.problem, -1, 0, cn_vec3(0.0, 0.0, 0.0), cn_vec3(0.0, 0.0, -0.5), 0.4);
    CHECK(!cn_net_suits(problem_view(&it.problem), &def));
    cn_net_factor_destroy(factor);
    problem_free(&it.problem);
}

static void memory_may_run_out_anywhere(void) {
    Net it;
    build_net(&it, 6, 0.1);
    const CnProblem* problem = problem_view(&it.problem);
    CnSolverDef def = def_of_net();
    CnPast past = {0};
    CnStatus status = CN_NO_MEMORY;
    for (int n = 1; status == CN_NO_MEMORY; ++n) {
        FailingAllocator failing = {.refuse_at = n};
        CnAllocator allocator = failing_allocator(&failing);
        CnSolution solution = problem_solution(&it.problem);
        CnSolverReport report;
        CnArena arena;
        bool found = false;
        CnNetFactor* factor = cn_net_factor_create(&allocator);
        cn_arena_init(&arena, &allocator);
        status = factor == NULL ? CN_NO_MEMORY
                                : cn_net_solve(factor, problem, &def, &past, false, &arena,
                                               &solution, &report, &found);
        CHECK(found == (status == CN_OK));
        cn_arena_destroy(&arena);
        cn_net_factor_destroy(factor);
        CHECK_INT(failing.live, 0);
    }
    CHECK_INT(status, CN_OK);
    problem_free(&it.problem);
}

TEST_MAIN("unit/solvers/net/net_factor", TEST(nets_are_those_of_direct),
          TEST(small_changes_keep_the_shares), TEST(moving_nets_are_those_of_direct),
          TEST(nearly_dependent_rows_are_answered_without_energy),
          TEST(contradictions_are_left_to_others), TEST(a_damped_step_does_not_go_far),
          TEST(a_kept_factor_changes_no_bit), TEST(impulses_that_hold_are_kept),
          TEST(what_is_no_net_is_left_alone), TEST(memory_may_run_out_anywhere))

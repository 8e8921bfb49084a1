// test_pyramid.c - friction pyramids and boxes by name: known answers, their own law, their price.
#include "cairn/solver.h"
#include "support/failing_allocator.h"
#include "support/problems/piles.h"
#include "support/test.h"

#define TOLERANCE 1e-10 // [m/s]

typedef struct Answer {
    CnStatus status;
    CnSolverReport report;
    CnSolution solution; // owned by the problem
    CnError error;
} Answer;

static CnSolverDef named(const char* solver, CnFrictionModel friction, int sides) {
    CnSolverDef def = cn_solver_def_default();
    def.name = solver;
    def.tolerance = TOLERANCE;
    def.warm_start = false;
    def.friction = friction;
    def.pyramid_sides = sides;
    return def;
}

static Answer try_to_solve(Problem* problem, CnSolverDef def) {
    Answer answer = {.solution = problem_solution(problem)};
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CHECK_INT(cn_problem_check(problem_view(problem), NULL), CN_OK);
    answer.status = cn_solve(problem_view(problem), &def, workspace, &answer.solution,
                             &answer.report, &answer.error);
    cn_workspace_destroy(workspace);
    return answer;
}

static Answer solve(Problem* problem, CnSolverDef def) {
    Answer answer = try_to_solve(problem, def);
    ck_assert_msg(answer.status == CN_OK, "%s", answer.error.message);
    return answer;
}

static Answer solve_pyramid(Problem* problem, int sides) {
    return solve(problem, named("lemke", CN_FRICTION_PYRAMID, sides));
}

// ---- the law, from its definition ----

static double larger(double a, double b) {
    return a > b || isnan(a) ? a : b;
}

// How far the impulses of a group of two rows are from doing the most work against the motion that
// a polygon of radius R allows: they must lie inside it, n . p <= R cos(pi / sides) for the normal
// n of every side, and no corner may do better, p . u = R min c . u. Divided by R: [1], [m/s].
static double polygon_violation(int sides, double radius, const double* p, const double* u) {
    double least = HUGE_VAL, outside = 0.0;
    for (int k = 0; k < sides; ++k) {
        double corner = 2.0 * CN_PI * k / sides, side = CN_PI * (2 * k + 1) / sides;
        least = fmin(least, cos(corner) * u[0] + sin(corner) * u[1]);
        outside =
            larger(cos(side) * p[0] + sin(side) * p[1] - radius * cos(CN_PI / sides), outside);
    }
    double lost = fabs(p[0] * u[0] + p[1] * u[1] - radius * least);
    return radius > 0.0 ? larger(outside, lost) / radius : hypot(p[0], p[1]);
}

static double interval_violation(double radius, double p, double u) {
    double outside = larger(fabs(p) - radius, 0.0);
    return radius > 0.0 ? larger(outside, fabs(p * u + radius * fabs(u))) / radius : fabs(p);
}

// Of a contact of 2 to 6 rows: (normal; slide, slide; spin; roll, roll).
static double contact_violation(const CnBlock* block, CnFrictionModel model, int sides,
                                const double* p, const double* u) {
    static const bool starts_pair[7][6] = {[3] = {[1] = true},
                                           [4] = {[1] = true},
                                           [5] = {[1] = true, [3] = true},
                                           [6] = {[1] = true, [4] = true}};
    double radius = block->friction * p[0];
    double worst = larger(larger(-p[0], -u[0]), p[0] > 0.0 ? fabs(u[0]) : 0.0);
    for (int i = 1; i < block->row_count; ++i) {
        if (model == CN_FRICTION_PYRAMID && starts_pair[block->row_count][i]) {
            worst = larger(polygon_violation(sides, radius, p + i, u + i), worst);
            ++i;
        } else {
            worst = larger(interval_violation(radius, p[i], u[i]), worst);
        }
    }
    return worst;
}

static double row_violation(const CnProblem* problem, CnLaw law, int row, double p, double u) {
    if (law == CN_LAW_EQUALITY) {
        return fabs(u);
    }
    double lower = problem->lower[row], upper = problem->upper[row];
    double outside = larger(larger(lower - p, p - upper), 0.0);
    bool up = p > lower, down = p < upper; // may push either way: u must not
    return larger(outside, larger(up ? u : 0.0, down ? -u : 0.0));
}

// The worst of all rows of an answer.
static double violation(Problem* builder, CnSolverDef def, const double* p) {
    const CnProblem* problem = problem_view(builder);
    double* u = calloc((size_t)problem->row_count, sizeof(double));
    double worst = 0.0;
    problem_row_velocity(problem, p, u);
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        int first = block->first_row;
        if (block->law == CN_LAW_COULOMB) {
            worst = larger(
                contact_violation(block, def.friction, def.pyramid_sides, p + first, u + first),
                worst);
        } else {
            for (int row = first; row < first + block->row_count; ++row) {
                worst = larger(row_violation(problem, block->law, row, p[row], u[row]), worst);
            }
        }
    }
    free(u);
    return worst;
}

// The law holds by our own account and by the report's.
static Answer solve_and_check(Problem* problem, CnSolverDef def, double tolerance) {
    Answer answer = solve(problem, def);
    ck_assert_msg(answer.report.outcome == CN_CONVERGED, "%s", answer.report.remark);
    CHECK(answer.report.error <= def.tolerance);
    double worst = violation(problem, def, answer.solution.impulse);
    ck_assert_msg(worst <= tolerance, "violation %g", worst);
    return answer;
}

// ---- one contact ----

// A point mass of 1 kg comes down at 2 m/s and slides at 5 m/s, at an angle from its first tangent:
// p_N = 2, friction up to mu p_N = 0.8.
#define FALL 2.0
#define SPEED 5.0
#define FRICTION 0.4
#define LIMIT (FRICTION * FALL)

static Problem sliding_point(double angle) {
    Problem problem = {0};
    int body = problem_add_body(&problem, 1.0, 0.0);
    problem_add_contact(&problem, -1, body, cn_vec3(0, 0, 0), cn_vec3(0, 0, 0), FRICTION);
    for (int k = 0; k < 3; ++k) { // J of a point: its rows are the normal and the tangents
        problem.free_velocity[body][k] = SPEED * cos(angle) * problem.jacobian_b[1][k] +
                                         SPEED * sin(angle) * problem.jacobian_b[2][k] -
                                         FALL * problem.jacobian_b[0][k];
    }
    return problem;
}

static void along_a_corner_friction_is_mu_times_the_weight(void) {
    for (int sides = 4; sides <= 64; sides *= 2) {
        for (int k = 0; k < sides; ++k) {
            double angle = 2.0 * CN_PI * k / sides;
            Problem problem = sliding_point(angle);
            Answer answer = solve_pyramid(&problem, sides);
            CHECK_INT(answer.report.outcome, CN_CONVERGED);
            CHECK_STRING(answer.report.approximation, "pyramid friction");
            CHECK(answer.report.certificate.worst <= 1e-14); // there the pyramid is the cone
            CHECK_NEAR(answer.solution.impulse[0], FALL, 1e-14);
            CHECK_NEAR(answer.solution.impulse[1], -LIMIT * cos(angle), 1e-14);
            CHECK_NEAR(answer.solution.impulse[2], -LIMIT * sin(angle), 1e-14);
            problem_free(&problem);
        }
    }
}

// Half way between two corners the impulse is in the middle of a side, cos(pi / sides) of the
// limit. The exact law wants 1 - cos more; W = 1, so that is the residual up to the slope of the
// cone.
static void between_corners_friction_is_too_weak_by_what_is_told(void) {
    for (int sides = 4; sides <= 64; sides *= 2) {
        double angle = 3.0 * CN_PI / sides, share = cos(CN_PI / sides);
        Problem problem = sliding_point(angle);
        Answer answer = solve_pyramid(&problem, sides);
        CHECK_INT(answer.report.outcome, CN_CONVERGED);
        CHECK(answer.report.error <= TOLERANCE);
        CHECK_NEAR(answer.solution.impulse[1], -LIMIT * share * cos(angle), 1e-13);
        CHECK_NEAR(answer.solution.impulse[2], -LIMIT * share * sin(angle), 1e-13);
        double lost = LIMIT * (1.0 - share);
        CHECK(answer.report.certificate.worst <= lost);
        CHECK(answer.report.certificate.worst >= lost / (1.0 + FRICTION * FRICTION) - 1e-13);
        problem_free(&problem);
    }
}

// Motion 0.1 rad off a corner of eight: after the blow at the corner the velocity is still nearest
// to it, atan(5 sin 0.1 / (5 cos 0.1 - 0.8)) = 0.119 < pi / 8, so friction acts along the corner,
// at an angle to the motion: the path bends.
static void friction_acts_along_the_nearest_corner(void) {
    Problem problem = sliding_point(0.1);
    Answer answer = solve_pyramid(&problem, 8);
    CHECK_NEAR(answer.solution.impulse[1], -LIMIT, 1e-14);
    CHECK_NEAR(answer.solution.impulse[2], 0.0, 1e-14);
    problem_free(&problem);
}

// The work that friction does, per speed, is least half way between corners, 1 - cos(pi / sides) =
// pi^2 / (2 sides^2) below the exact: doubling the sides leaves a quarter, less by pi^2 / (4
// sides^2), 4 % at 8.
static void the_loss_falls_with_the_square_of_the_sides(void) {
    enum { ANGLES = 90 };
    double before = 0.0;
    for (int sides = 4; sides <= 64; sides *= 2) {
        double worst = 0.0;
        for (int i = 0; i < ANGLES; ++i) {
            double angle = 0.5 * CN_PI * i / ANGLES;
            Problem problem = sliding_point(angle);
            const double* p = solve_pyramid(&problem, sides).solution.impulse;
            worst = fmax(worst, LIMIT + p[1] * cos(angle) + p[2] * sin(angle));
            problem_free(&problem);
        }
        if (sides > 8) {
            CHECK_NEAR(before / worst, 4.0, 0.1);
        }
        before = worst;
    }
}

// 0.5 m/s can be stopped: p = -m v, as with the exact cone.
static void what_sticks_is_exact(void) {
    for (int sides = 4; sides <= 64; sides += 6) {
        Problem problem = sliding_point(0.3);
        for (int k = 0; k < 3; ++k) {
            problem.free_velocity[0][k] = 0.3 * problem.jacobian_b[1][k] +
                                          0.4 * problem.jacobian_b[2][k] -
                                          FALL * problem.jacobian_b[0][k];
        }
        Answer answer = solve_pyramid(&problem, sides);
        CHECK_INT(answer.report.outcome, CN_CONVERGED);
        CHECK(answer.report.certificate.worst <= 1e-14);
        CHECK_NEAR(answer.solution.impulse[0], FALL, 1e-14);
        CHECK_NEAR(answer.solution.impulse[1], -0.3, 1e-14);
        CHECK_NEAR(answer.solution.impulse[2], -0.4, 1e-14);
        problem_free(&problem);
    }
}

static void what_leaves_the_ground_feels_nothing(void) {
    Problem problem = sliding_point(0.7);
    problem.free_velocity[0][2] = 1.0;
    Answer answer = solve_pyramid(&problem, 8);
    CHECK_INT(answer.report.outcome, CN_CONVERGED);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(answer.solution.impulse[i], 0.0, 0.0);
    }
    problem_free(&problem);
}

// mu_2 = mu_1 / 2: friction.md (3) scales the second row of J by a half, and the polygon becomes
// that of an ellipse. Along the second axis the row's impulse is its limit, the force half of it.
static void a_grain_makes_the_pyramid_elliptic(void) {
    const double angles[2] = {0.0, 0.5 * CN_PI};
    const double velocity_lost[2] = {LIMIT, 0.5 * LIMIT};
    for (int i = 0; i < 2; ++i) {
        Problem problem = sliding_point(angles[i]);
        for (int k = 0; k < 6; ++k) {
            problem.jacobian_b[2][k] *= 0.5;
        }
        Answer answer = solve_and_check(&problem, named("lemke", CN_FRICTION_PYRAMID, 8), 1e-13);
        const double* v = answer.solution.velocity[0];
        CHECK_NEAR(hypot(v[0], v[1]), SPEED - velocity_lost[i], 1e-13);
        problem_free(&problem);
    }
}

// Two rows are a contact in the plane: its cone is a pyramid.
static void contacts_in_the_plane_are_exact(void) {
    Problem problem = {0};
    int body = problem_add_body(&problem, 1.0, 0.0);
    int block = problem_add_block(&problem, CN_LAW_COULOMB, 2, -1, body);
    int row = problem.blocks[block].first_row;
    problem.blocks[block].friction = FRICTION;
    problem_set_row(&problem, row, cn_vec3(0, 0, 1), cn_vec3(0, 0, 0), cn_vec3(0, 0, 0));
    problem_set_row(&problem, row + 1, cn_vec3(1, 0, 0), cn_vec3(0, 0, 0), cn_vec3(0, 0, 0));
    problem.free_velocity[body][0] = SPEED;
    problem.free_velocity[body][2] = -FALL;
    Answer answer = solve_pyramid(&problem, 4);
    CHECK_INT(answer.report.outcome, CN_CONVERGED);
    CHECK(answer.report.certificate.worst <= 1e-14);
    CHECK_NEAR(answer.solution.impulse[1], -LIMIT, 1e-14);
    problem_free(&problem);
}

// Torsion is an interval, rolling a polygon of its own: all at their limits at once. Rows of unit
// W (mass and inertia 1, no arm), so p = limit against each motion.
static void torsion_and_rolling_have_their_own_limits(void) {
    static const CnVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    Problem problem = {0};
    int body = problem_add_body(&problem, 1.0, 1.0);
    int block = problem_add_block(&problem, CN_LAW_COULOMB, 6, -1, body);
    int row = problem.blocks[block].first_row;
    problem.blocks[block].friction = FRICTION;
    problem_set_row(&problem, row, axes[2], cn_vec3(0, 0, 0), cn_vec3(0, 0, 0));
    problem_set_row(&problem, row + 1, axes[0], cn_vec3(0, 0, 0), cn_vec3(0, 0, 0));
    problem_set_row(&problem, row + 2, axes[1], cn_vec3(0, 0, 0), cn_vec3(0, 0, 0));
    problem.jacobian_b[row + 3][5] = 1.0; // spin
    problem.jacobian_b[row + 4][3] = 1.0; // roll
    problem.jacobian_b[row + 5][4] = 1.0;
    const double free_velocity[6] = {SPEED, 0.0, -FALL, 0.0, -SPEED, SPEED};
    memcpy(problem.free_velocity[body], free_velocity, sizeof free_velocity);
    const double expected[6] = {FALL, -LIMIT, 0.0, -LIMIT, 0.0, LIMIT};
    for (int model = CN_FRICTION_BOX; model <= CN_FRICTION_PYRAMID; ++model) {
        CnSolverDef def = named("lemke", (CnFrictionModel)model, 8);
        const double* p = solve_and_check(&problem, def, 1e-13).solution.impulse;
        for (int i = 0; i < 6; ++i) {
            CHECK_NEAR(p[i], expected[i], 1e-13);
        }
    }
    problem_free(&problem);
}

// ---- many ----

// Pushed at 1 m/s^2 cubes of friction 0.5 stick: their velocities are those of the exact law.
static void a_stack_that_sticks_moves_as_with_the_exact_law(void) {
    const double mass[5] = {1.0, 2.0, 0.5, 3.0, 1.0};
    Problem problem = {0};
    pile_add_stack(&problem, 5, mass, 0.5, 1.0);
    for (int sides = 4; sides <= 16; sides *= 2) {
        Answer answer =
            solve_and_check(&problem, named("lemke", CN_FRICTION_PYRAMID, sides), 1e-12);
        CHECK(answer.report.certificate.worst <= 1e-12); // velocities of 0.1 m/s, condition < 1e3
        for (int i = 0; i < 30; ++i) {
            CHECK_NEAR(answer.solution.velocity[i / 6][i % 6], 0.0, 1e-12);
        }
    }
    problem_free(&problem);
}

// Contacts of random friction between bodies of masses over two powers of ten, half of which hang
// in chains; the pairs are degenerate wherever a body sticks.
static void random_piles_with_joints_meet_the_law(void) {
    int count = UNDER_SANITIZER ? 6 : 40;
    for (int seed = 0; seed < count; ++seed) {
        Problem problem = {0};
        CnRandom random = {(uint64_t)seed + 1};
        pile_add_chain(&problem, 1 + seed % 4, 2.0);
        pile_add_random(&problem, &random, 3 + seed % 4, 4 + seed % 9, 2.0, -1.0);
        for (int sides = 4; sides <= 16; sides *= 2) {
            solve_and_check(&problem, named("lemke", CN_FRICTION_PYRAMID, sides), 1e-9);
        }
        solve_and_check(&problem, named("lemke", CN_FRICTION_BOX, 8), 1e-9);
        problem_free(&problem);
    }
}

// A box of friction is met by sweeps and by pivots alike; what the bodies do is the same where few
// contacts leave no choice.
static void box_friction_is_that_of_pgs(void) {
    const double mass[2] = {1.0, 2.0};
    Problem problem = {0};
    pile_add_stack(&problem, 2, mass, 0.1, 30.0);
    double velocity[2][6];
    CnSolverDef sweeps = named("pgs", CN_FRICTION_BOX, 8);
    sweeps.max_iterations = 100000;
    Answer answer = solve_and_check(&problem, sweeps, 1e-8);
    memcpy(velocity, answer.solution.velocity, sizeof velocity);
    answer = solve_and_check(&problem, named("lemke", CN_FRICTION_BOX, 8), 1e-12);
    CHECK_STRING(answer.report.approximation, "box friction");
    for (int i = 0; i < 12; ++i) { // residuals of 1e-10 m/s through a stack of two
        CHECK_NEAR(answer.solution.velocity[i / 6][i % 6], velocity[i / 6][i % 6], 1e-8);
    }
    problem_free(&problem);
}

// ---- W that is given ----

// W = [2 0.5 0; 0.3 1 0; 0 0 1], not symmetric; the first tangent slides against target -5, so
// p_T = -mu p_N, and u_N = 2 p_N + 0.5 p_T - 1 = 0: p_N = 1 / (2 - 0.5 mu) = 1 / 1.8.
static const int w_start[5] = {0, 2, 4, 5, 6}, w_column[6] = {0, 1, 0, 1, 2, 3};
static const double w_value[6] = {2.0, 0.5, 0.3, 1.0, 1.0, 1.0};
static const CnResponse lopsided = {w_start, w_column, w_value};

static CnStatus solve_response(Problem* builder, const CnResponse* response, double* impulse,
                               CnSolverReport* report, CnError* error) {
    CnProblem problem = *problem_view(builder);
    CnSolverDef def = named("lemke", CN_FRICTION_PYRAMID, 8);
    CnSolution solution = {.impulse = impulse};
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    problem.response = response;
    CHECK_INT(cn_problem_check(&problem, error), CN_OK);
    CnStatus status = cn_solve(&problem, &def, workspace, &solution, report, error);
    cn_workspace_destroy(workspace);
    return status;
}

static void contacts_of_a_w_that_is_not_symmetric_are_solved(void) {
    Problem problem = {0};
    double p[3] = {0.0};
    CnSolverReport report;
    CnError error = {0};
    problem_add_block(&problem, CN_LAW_COULOMB, 3, -1, -1);
    problem.blocks[0].friction = FRICTION;
    problem.target[0] = 1.0;
    problem.target[1] = -5.0;
    CHECK_INT(solve_response(&problem, &lopsided, p, &report, &error), CN_OK);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK_NEAR(p[0], 1.0 / 1.8, 1e-15);
    CHECK_NEAR(p[1], -FRICTION / 1.8, 1e-15);
    CHECK_NEAR(p[2], 0.0, 1e-15);
    problem_free(&problem);
}

static void joints_of_a_w_that_is_not_symmetric_are_refused(void) {
    Problem problem = {0};
    double p[4] = {0.0};
    CnSolverReport report;
    CnError error = {0};
    problem_add_block(&problem, CN_LAW_COULOMB, 3, -1, -1);
    problem_add_block(&problem, CN_LAW_EQUALITY, 1, -1, -1);
    problem.blocks[0].friction = FRICTION;
    problem.target[0] = 1.0;
    CHECK_INT(solve_response(&problem, &lopsided, p, &report, &error), CN_UNSUPPORTED);
    CHECK_CONTAINS(error.message, "needs a symmetric W");
    CHECK_CONTAINS(error.message, "1.4e-01 of its diagonal"); // 0.2 / sqrt(2 1)
    problem_free(&problem);
}

// The same W made symmetric, with a joint: u_joint = p_joint + 0.2 p_T1 - target. Sliding along the
// first tangent: p_N = 1 / (2 - 0.4 mu), p_T = -mu p_N, p_joint = 1 - 0.2 p_T.
static void joints_of_a_symmetric_w_are_solved(void) {
    static const int start[5] = {0, 2, 5, 6, 8}, column[8] = {0, 1, 0, 1, 3, 2, 1, 3};
    static const double value[8] = {2.0, 0.4, 0.4, 1.0, 0.2, 1.0, 0.2, 1.0};
    const CnResponse response = {start, column, value};
    Problem builder = {0};
    problem_add_block(&builder, CN_LAW_COULOMB, 3, -1, -1);
    problem_add_block(&builder, CN_LAW_EQUALITY, 1, -1, -1);
    builder.blocks[0].friction = FRICTION;
    builder.target[0] = builder.target[3] = 1.0;
    builder.target[1] = -5.0;
    double p[4] = {0.0}, normal = 1.0 / (2.0 - 0.4 * FRICTION);
    CnSolverReport report;
    CnError error = {0};
    CHECK_INT(solve_response(&builder, &response, p, &report, &error), CN_OK);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK_NEAR(p[0], normal, 1e-15);
    CHECK_NEAR(p[1], -FRICTION * normal, 1e-15);
    CHECK_NEAR(p[3], 1.0 + 0.2 * FRICTION * normal, 1e-15);
    problem_free(&builder);
}

// ---- who has it, and what is refused ----

static void auto_takes_the_solver_that_has_it(void) {
    Problem problem = sliding_point(0.2);
    Answer answer = solve(&problem, named("auto", CN_FRICTION_PYRAMID, 8));
    CHECK_STRING(answer.report.solver, "lemke");
    CHECK_CONTAINS(answer.report.remark, "8 sides: friction up to 7.6 % too weak");
    answer = solve(&problem, named("auto", CN_FRICTION_BOX, 8));
    CHECK_STRING(answer.report.solver, "pgs");
    problem_free(&problem);
}

// 64 contacts that sweeps do not solve in a thousand rounds; with 64 sides they are 64 x 66 pairs.
static void auto_goes_on_to_pivoting_and_says_when_that_is_too_large(void) {
    CnError error = {0};
    CnOwnedProblem* owned =
        cn_problem_load(TEST_SOURCE_DIR "/tests/problems/pile_27_settled.json", &error);
    ck_assert_msg(owned != NULL, "%s", error.message);
    const CnProblem* problem = cn_owned_problem_get(owned);
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CnSolution solution = {calloc((size_t)problem->row_count, sizeof(double)),
                           calloc((size_t)problem->body_count, sizeof(double[6]))};
    CnSolverDef def = named("auto", CN_FRICTION_BOX, 8);
    CnSolverReport report;
    CHECK_INT(cn_solve(problem, &def, workspace, &solution, &report, &error), CN_OK);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK_STRING(report.solver, "lemke");
    CHECK_CONTAINS(report.remark, "pgs left");
    CHECK_STRING(report.approximation, "box friction");
    def = named("auto", CN_FRICTION_PYRAMID, 64);
    CHECK_INT(cn_solve(problem, &def, workspace, &solution, &report, &error), CN_UNSUPPORTED);
    CHECK_INT(report.outcome, CN_REFUSED);
    CHECK_STRING(
        error.message,
        "solver lemke works on at most 4000 limits, and with pyramid friction the contacts "
        "have 4224; pyramid_sides makes most of them");
    free(solution.impulse);
    free(solution.velocity);
    cn_workspace_destroy(workspace);
    cn_owned_problem_destroy(owned);
}

static void others_refuse_and_name_those_that_have_it(void) {
    Problem problem = sliding_point(0.2);
    int refused = 0;
    for (int i = 0; i < cn_solver_count(); ++i) {
        const char* name = cn_solver_at(i).name;
        Answer answer = try_to_solve(&problem, named(name, CN_FRICTION_PYRAMID, 8));
        if (answer.status == CN_UNSUPPORTED) {
            CHECK_INT(answer.report.outcome, CN_REFUSED);
            CHECK_CONTAINS(answer.error.message, name);
            CHECK_CONTAINS(answer.error.message, "\"pyramid\" friction; these do: auto, lemke");
            ++refused;
        }
    }
    CHECK_INT(refused, cn_solver_count() - 2); // all but lemke and auto
    Answer answer = try_to_solve(&problem, named("nsgs", CN_FRICTION_BOX, 8));
    CHECK_CONTAINS(answer.error.message, "these do: auto, pgs, lemke");
    problem_free(&problem);
}

static void a_number_of_sides_that_makes_no_pyramid_is_refused(void) {
    static const int wrong[] = {-8, 0, 2, 3, 5, 63, 66, 1 << 30};
    Problem problem = sliding_point(0.2);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        Answer answer = try_to_solve(&problem, named("lemke", CN_FRICTION_PYRAMID, wrong[i]));
        CHECK_INT(answer.status, CN_INVALID);
        CHECK_CONTAINS(answer.error.message, "pyramid_sides");
        CHECK_CONTAINS(answer.error.message, "even number from 4 to 64");
    }
    problem_free(&problem);
}

static void too_many_corners_are_refused_with_a_sentence(void) {
    Problem problem = {0};
    CnRandom random = {3};
    pile_add_random(&problem, &random, 400, 1000, 1.0, 0.5);
    Answer answer = try_to_solve(&problem, named("lemke", CN_FRICTION_PYRAMID, 8));
    CHECK_INT(answer.status, CN_UNSUPPORTED);
    CHECK_CONTAINS(answer.error.message, "at most 4000 limits");
    CHECK_CONTAINS(answer.error.message, "have 10000"); // 1 + 8 + 1 for each contact
    problem_free(&problem);
}

// Out of pivots or of time an answer is given, graded, and not called converged.
static void half_an_answer_is_not_called_converged(void) {
    Problem problem = {0};
    CnRandom random = {3};
    pile_add_random(&problem, &random, 20, 60, 1.0, 0.5);
    CnSolverDef def = named("lemke", CN_FRICTION_PYRAMID, 8);
    def.max_iterations = 3;
    Answer answer = solve(&problem, def);
    CHECK_INT(answer.report.outcome, CN_OUT_OF_ITERATIONS);
    CHECK(answer.report.error > TOLERANCE);
    CHECK_CONTAINS(answer.report.remark, "out of pivots");
    def.max_iterations = 0;
    def.deadline = 1e-9;
    CHECK_INT(solve(&problem, def).report.outcome, CN_OUT_OF_TIME);
    problem_free(&problem);
}

static void running_out_of_memory_is_reported(void) {
    const double mass[3] = {1.0, 1.0, 1.0};
    Problem problem = {0};
    pile_add_stack(&problem, 3, mass, 0.5, 1.0);
    CnSolverDef def = named("lemke", CN_FRICTION_PYRAMID, 16);
    CnStatus status = CN_NO_MEMORY;
    int tries = 0;
    while (status != CN_OK) {
        FailingAllocator state = {.refuse_at = ++tries};
        CnAllocator allocator = failing_allocator(&state);
        CnWorkspace* workspace = cn_workspace_create(&allocator, NULL);
        if (workspace != NULL) {
            CnSolution solution = problem_solution(&problem);
            CnSolverReport report;
            status = cn_solve(problem_view(&problem), &def, workspace, &solution, &report, NULL);
            CHECK(status == CN_OK || status == CN_NO_MEMORY);
        }
        cn_workspace_destroy(workspace);
        CHECK_INT(state.live, 0);
    }
    CHECK(tries > 2);
    problem_free(&problem);
}

TEST_MAIN("solvers/pyramid", TEST(along_a_corner_friction_is_mu_times_the_weight),
          TEST(between_corners_friction_is_too_weak_by_what_is_told),
          TEST(friction_acts_along_the_nearest_corner),
          TEST(the_loss_falls_with_the_square_of_the_sides), TEST(what_sticks_is_exact),
          TEST(what_leaves_the_ground_feels_nothing), TEST(a_grain_makes_the_pyramid_elliptic),
          TEST(contacts_in_the_plane_are_exact), TEST(torsion_and_rolling_have_their_own_limits),
          TEST(a_stack_that_sticks_moves_as_with_the_exact_law),
          TEST(random_piles_with_joints_meet_the_law), TEST(box_friction_is_that_of_pgs),
          TEST(contacts_of_a_w_that_is_not_symmetric_are_solved),
          TEST(joints_of_a_w_that_is_not_symmetric_are_refused),
          TEST(joints_of_a_symmetric_w_are_solved), TEST(auto_takes_the_solver_that_has_it),
          TEST(auto_goes_on_to_pivoting_and_says_when_that_is_too_large),
          TEST(others_refuse_and_name_those_that_have_it),
          TEST(a_number_of_sides_that_makes_no_pyramid_is_refused),
          TEST(too_many_corners_are_refused_with_a_sentence),
          TEST(half_an_answer_is_not_called_converged), TEST(running_out_of_memory_is_reported))

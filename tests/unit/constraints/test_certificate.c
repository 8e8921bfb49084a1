// test_certificate.c - right answers pass, wrong ones get the number they deserve.
#include "constraints/problem/block.h"
#include "constraints/problem/certificate.h"

#include "cairn/random.h"
#include "support/problems/piles.h"
#include "support/test.h"

// A point mass of 2 kg touching the ground: W = 1/2 in every direction, u = v.
static Problem point_on_ground(double friction, double vx, double vy, double vz) {
    Problem problem = {0};
    int body = problem_add_body(&problem, 0.5, 0.0);
    problem.free_velocity[body][0] = vx;
    problem.free_velocity[body][1] = vy;
    problem.free_velocity[body][2] = vz;
    problem_add_contact(&problem, -1, body, cn_vec3(0, 0, 0), cn_vec3(0, 0, 0), friction);
    return problem;
}

static CnCertificate certify_by(CnFrictionModel friction, Problem* problem, const double* impulse) {
    CnSolution solution = problem_solution(problem);
    CnProblem view = *problem_view(problem);
    CnCertificate certificate;
    view.friction_model = friction;
    view.pyramid_sides = 4;
    memcpy(solution.impulse, impulse, (size_t)problem->row_count * sizeof(double));
    cn_problem_velocity(&view, solution.impulse, solution.velocity);
    cn_problem_certify(&view, &solution, NULL, &certificate);
    return certificate;
}

static CnCertificate certify(Problem* problem, const double* impulse) {
    return certify_by(CN_FRICTION_EXACT, problem, impulse);
}

// Impulse along world axes, written in the contact's own tangents.
static void in_contact_axes(const Problem* problem, double x, double y, double z, double p[3]) {
    for (int i = 0; i < 3; ++i) {
        const double* row = problem->jacobian_b[i];
        p[i] = row[0] * x + row[1] * y + row[2] * z;
    }
}

static void a_separating_contact_without_impulse_is_right(void) {
    Problem problem = point_on_ground(0.5, 1.0, 2.0, 3.0);
    const double p[3] = {0.0, 0.0, 0.0};
    CnCertificate certificate = certify(&problem, p);
    CHECK(certificate.worst == 0.0 && certificate.fclib_error == 0.0);
    CHECK_INT(certificate.worst_block, 0);
    problem_free(&problem);
}

// Falls at 1 m/s and drifts at 0.3: sticking takes (0.6, 0, 2) N s, within mu = 0.5.
static void a_sticking_contact_is_right(void) {
    Problem problem = point_on_ground(0.5, -0.3, 0.0, -1.0);
    double p[3];
    in_contact_axes(&problem, 0.6, 0.0, 2.0, p);
    CnCertificate certificate = certify(&problem, p);
    CHECK_NEAR(certificate.worst, 0.0, 1e-15);
    CHECK_NEAR(certificate.scaled_error, 0.0, 1e-15);
    CHECK_NEAR(certificate.complementarity, 0.0, 1e-15);
    problem_free(&problem);
}

// The contact above as numbers: W = 1/2 and q = v_free in the contact's axes. Same certificate to
// round-off.
static void a_response_is_graded_like_the_bodies_it_stands_for(void) {
    Problem problem = point_on_ground(0.5, 3.0, 4.0, -1.0);
    const int start[4] = {0, 1, 2, 3}, column[3] = {0, 1, 2};
    const double value[3] = {0.5, 0.5, 0.5}, p[3] = {1.0, -0.2, 0.4};
    CnCertificate bodies = certify(&problem, p), numbers;
    CnBlock block = problem.blocks[0];
    double target[3], zero[3] = {0.0};
    cn_block_free_velocity(problem_view(&problem), &block, target);
    for (int i = 0; i < 3; ++i) {
        target[i] = -target[i];
    }
    block.body_a = block.body_b = -1;
    CnProblem given = {
        .block_count = 1,
        .row_count = 3,
        .blocks = &block,
        .target = target,
        .compliance = zero,
        .lower = zero,
        .upper = zero,
        .offset = zero,
        .slope = zero,
        .response = &(CnResponse){start, column, value},
    };
    CnSolution solution = problem_solution(&problem);
    memcpy(solution.impulse, p, sizeof p);
    CHECK_INT(cn_problem_check(&given, NULL), CN_OK);
    cn_problem_certify(&given, &solution, NULL, &numbers);
    CHECK(bodies.worst > 0.1 && bodies.fclib_error > 0.1);
    CHECK_NEAR(numbers.worst, bodies.worst, 1e-15);
    CHECK_NEAR(numbers.fclib_error, bodies.fclib_error, 1e-15);
    CHECK_NEAR(numbers.scaled_error, bodies.scaled_error, 1e-15);
    problem_free(&problem);
}

static void a_response_that_is_no_matrix_is_refused(void) {
    const int start[2] = {0, 1}, ascending[1] = {0}, beyond[1] = {1};
    const double value[1] = {1.0}, undefined[1] = {NAN}, zero[1] = {0.0};
    CnBlock block = {.law = CN_LAW_EQUALITY, .row_count = 1, .body_a = -1, .body_b = -1};
    CnResponse response = {start, ascending, value};
    CnProblem problem = {.block_count = 1, .row_count = 1, .blocks = &block, .response = &response};
    problem.target = problem.compliance = problem.lower = zero;
    problem.upper = problem.offset = problem.slope = zero;
    CHECK_INT(cn_problem_check(&problem, NULL), CN_OK);
    response.column = beyond;
    CHECK_INT(cn_problem_check(&problem, NULL), CN_INVALID);
    response.column = ascending;
    response.value = undefined;
    CHECK_INT(cn_problem_check(&problem, NULL), CN_INVALID);
    response.value = zero; // moves nothing
    CHECK_INT(cn_problem_check(&problem, NULL), CN_INVALID);
}

// Drifts at 5 m/s along (3, 4)/5: friction is mu p_N = 1 N s against it.
static void a_sliding_contact_is_right(void) {
    Problem problem = point_on_ground(0.5, 3.0, 4.0, -1.0);
    double p[3];
    in_contact_axes(&problem, -0.6, -0.8, 2.0, p);
    CnCertificate certificate = certify(&problem, p);
    CHECK_NEAR(certificate.worst, 0.0, 4e-15); // cancels numbers of size 5
    CHECK_NEAR(certificate.cone_violation, 0.0, 1e-15);
    problem_free(&problem);
}

// 3 m/s forward and 1 m/s down with mu = 1/2: the velocity nearest to that with v_N >= v_T / 2 is
// along (2, 0, 1), (3, 0, -1) . (2, 0, 1) / 5 = 1 times it. So p = 2 kg ((2, 0, 1) - (3, 0, -1)),
// on the edge of its cone and square to u. Exactly, p would be (-1, 0, 2) and u (2.5, 0, 0); what p
// is away from the nearest point of the cone to p - 2 kg u~, u~ = (2, 0, 2), is the price in m/s.
static void an_associated_contact_lifts_at_mu_times_its_slip(void) {
    Problem problem = point_on_ground(0.5, 3.0, 0.0, -1.0);
    double p[3];
    in_contact_axes(&problem, -2.0, 0.0, 4.0, p);
    CnCertificate named = certify_by(CN_FRICTION_ASSOCIATED, &problem, p);
    CHECK_NEAR(named.worst, 0.0, 1e-15);
    CHECK_NEAR(named.scaled_error, 0.0, 1e-15);
    CHECK_NEAR(named.fclib_error, 0.0, 1e-15);
    CHECK_NEAR(named.complementarity, 0.0, 1e-14); // terms of 4 J
    // p - 2 u~ = (-6, 0, 0) is beside the cone; nearest: p_N = 0.5 * 6 / 1.25 = 2.4, p_T = -1.2.
    CnCertificate exact = certify(&problem, p);
    CHECK_NEAR(exact.worst, sqrt(1.6 * 1.6 + 0.8 * 0.8) / 2.0, 1e-14);
    CHECK_NEAR(exact.complementarity, 4.0, 1e-14); // mu |u_T| p_N = 0.5 * 2 * 4
    // And the exact answer misses the associated law: p - 2 u = (-6, 0, 2), nearest p_N =
    // (2 + 0.5 * 6) / 1.25 = 4, p_T = -2; it is at (-1, 0, 2).
    in_contact_axes(&problem, -1.0, 0.0, 2.0, p);
    named = certify_by(CN_FRICTION_ASSOCIATED, &problem, p);
    CHECK_NEAR(named.worst, sqrt(2.0 * 2.0 + 1.0) / 2.0, 1e-14);
    problem_free(&problem);
}

// 2 kg fall at 1 m/s and slide along the tangents at s_1 and s_2.
static Problem point_sliding(double friction, double s_1, double s_2) {
    Problem problem = point_on_ground(friction, 0.0, 0.0, 0.0);
    for (int k = 0; k < 3; ++k) {
        problem.free_velocity[0][k] = -problem.jacobian_b[0][k] + s_1 * problem.jacobian_b[1][k] +
                                      s_2 * problem.jacobian_b[2][k];
    }
    return problem;
}

// mu p_N = 1: aslant the box takes 1 N s along each tangent, sqrt(2) in all. Of the cone it is
// sqrt(2) - 1 too far out, at right angles to its side. A square inside the disc allows only the
// middle of its side, (1/2, 1/2): sqrt(1/2) N s away, over 2 kg.
static void a_box_is_graded_by_its_own_law(void) {
    Problem problem = point_sliding(0.5, 2.0, 2.0);
    const double p[3] = {2.0, -1.0, -1.0};
    CnCertificate box = certify_by(CN_FRICTION_BOX, &problem, p);
    CHECK_NEAR(box.worst, 0.0, 1e-15);
    CHECK_NEAR(box.fclib_error, 0.0, 1e-15);
    CHECK_NEAR(certify(&problem, p).cone_violation, (sqrt(2.0) - 1.0) / sqrt(1.25), 1e-15);
    CHECK(certify(&problem, p).worst > 0.1);
    CHECK_NEAR(certify_by(CN_FRICTION_PYRAMID, &problem, p).worst, sqrt(0.5) / 2.0, 1e-15);
    problem_free(&problem);
}

// Friction of a square goes to the corner that is nearest to the motion; the box, whose second row
// is at its limit too, would be off by 1 N s, and 2 kg.
static void a_pyramid_is_graded_by_its_own_law(void) {
    Problem problem = point_sliding(0.5, 2.4, 1.8);
    const double p[3] = {2.0, -1.0, 0.0};
    CnCertificate pyramid = certify_by(CN_FRICTION_PYRAMID, &problem, p);
    CHECK_NEAR(pyramid.worst, 0.0, 1e-15);
    CHECK_NEAR(pyramid.fclib_error, 0.0, 1e-15);
    CHECK_NEAR(certify_by(CN_FRICTION_BOX, &problem, p).worst, 0.5, 1e-15);
    CHECK(certify(&problem, p).worst > 0.1);
    problem_free(&problem);
}

// No impulse at all while falling at 1 m/s: the map is p - P_K(0 - rho u~) with rho = 2 kg and
// u~ = -1 in the normal: P_K = 2 N s, so the residual is 2 / rho = 1 m/s. FCLib's error has rho =
// 1: 1 over max(|q| = 1, |p| = 0, |u| = 1).
static void a_contact_that_does_not_push_is_wrong_by_its_approach_speed(void) {
    Problem problem = point_on_ground(0.0, 0.0, 0.0, -1.0);
    const double p[3] = {0.0, 0.0, 0.0};
    CnCertificate certificate = certify(&problem, p);
    CHECK_NEAR(certificate.worst, 1.0, 1e-15);
    CHECK_NEAR(certificate.rms, 1.0, 1e-15);
    CHECK_NEAR(certificate.fclib_error, 1.0, 1e-15);
    problem_free(&problem);
}

// A contact that pulls with 1 N s: outside its cone by 1; P_K(p - rho u~) with u = -1/2 m/s,
// rho = 2: p - rho u = 0, so the map is -1 and the residual 1/2 m/s.
static void a_contact_that_pulls_is_outside_its_cone(void) {
    Problem problem = point_on_ground(0.0, 0.0, 0.0, 0.0);
    const double p[3] = {-1.0, 0.0, 0.0};
    CnCertificate certificate = certify(&problem, p);
    CHECK_NEAR(certificate.cone_violation, 1.0, 1e-15);
    CHECK_NEAR(certificate.worst, 0.5, 1e-15);
    CHECK_NEAR(certificate.complementarity, 0.5, 1e-15);
    problem_free(&problem);
}

// A spring p = offset - slope u with k = W: an error e in p is k e / (1 + slope k) as a velocity.
static void a_force_row_is_measured_as_a_velocity(void) {
    const double slopes[3] = {0.0, 3.0, 1e9};
    for (int i = 0; i < 3; ++i) {
        Problem problem = {0};
        int body = problem_add_body(&problem, 0.5, 0.0);
        problem_add_block(&problem, CN_LAW_FORCE, 1, -1, body);
        problem.jacobian_b[0][0] = 1.0;
        problem.offset[0] = 4.0;
        problem.slope[0] = slopes[i];
        double right = 4.0 / (1.0 + slopes[i] * 0.5); // u = p / 2
        CHECK_NEAR(certify(&problem, &right).worst, 0.0, 1e-15);
        double wrong = right + 0.1; // moves u by 0.05, so Phi by 0.1 + slope 0.05
        CHECK_NEAR(certify(&problem, &wrong).worst, 0.05, 1e-15);
        problem_free(&problem);
    }
}

static void bounds_are_measured_on_both_sides(void) {
    Problem problem = {0};
    int body = problem_add_body(&problem, 1.0, 0.0);
    problem_add_block(&problem, CN_LAW_BOUNDS, 1, -1, body);
    problem.jacobian_b[0][0] = 1.0;
    problem.lower[0] = -1.0;
    problem.upper[0] = 2.0;
    double p = 2.0;
    problem.target[0] = 5.0; // u = 2 - 5 < 0 at the upper bound: right
    CHECK(certify(&problem, &p).worst == 0.0);
    problem.target[0] = 1.5; // u = 0.5 > 0 at the upper bound: wrong by 0.5 m/s
    CHECK_NEAR(certify(&problem, &p).worst, 0.5, 1e-15);
    p = 2.25; // above the bound: u = 0.75, wrong by max(|u|) of the map: 2.25 - clamp(1.5) = 0.75
    CHECK_NEAR(certify(&problem, &p).worst, 0.75, 1e-15);
    CHECK_NEAR(certify(&problem, &p).cone_violation, 0.25, 1e-15);
    problem_free(&problem);
}

// Velocities are recomputed from impulses: claiming others does not help.
static void a_claimed_velocity_does_not_count(void) {
    Problem problem = point_on_ground(0.0, 0.0, 0.0, -1.0);
    CnSolution solution = problem_solution(&problem); // velocity zero: a contact at rest, it claims
    CnCertificate certificate;
    cn_problem_certify(problem_view(&problem), &solution, NULL, &certificate);
    CHECK_NEAR(certificate.worst, 1.0, 1e-15);
    CHECK_NEAR(certificate.velocity_defect, 1.0, 1e-15);
    solution.impulse[0] = 2.0; // now the impulse is right and the velocity a lie
    solution.velocity[0][4] = 7.0;
    cn_problem_certify(problem_view(&problem), &solution, NULL, &certificate);
    CHECK_NEAR(certificate.worst, 7.0, 1e-15);
    problem_free(&problem);
}

static void what_is_not_a_number_never_passes(void) {
    for (int kind = 0; kind < CN_LAW_COUNT; ++kind) {
        Problem problem = {0};
        int body = problem_add_body(&problem, 1.0, 1.0);
        problem_add_block(&problem, (CnLaw)kind, kind == CN_LAW_COULOMB ? 3 : 1, -1, body);
        problem.jacobian_b[0][0] = 1.0;
        CnSolution solution = problem_solution(&problem);
        CnCertificate certificate;
        solution.impulse[0] = (double)NAN;
        cn_problem_certify(problem_view(&problem), &solution, NULL, &certificate);
        CHECK(certificate.worst == HUGE_VAL);
        CHECK(!(certificate.fclib_error < 1.0) && !(certificate.scaled_error < 1.0));
        solution.impulse[0] = 0.0;
        solution.velocity[0][5] = (double)NAN;
        cn_problem_certify(problem_view(&problem), &solution, NULL, &certificate);
        CHECK(certificate.worst == HUGE_VAL);
        problem_free(&problem);
    }
}

// A ball at rest on the ground, under a press that comes down at 1 m/s. Impulses of 1e16 N s cancel
// in its velocity, and next to them 1 m/s is less than their last digit, which is 2.
static void impulses_without_bound_do_not_hide_a_velocity(void) {
    Problem problem = {0};
    const double p[6] = {1e16, 0.0, 0.0, 1e16, 0.0, 0.0};
    int ball = problem_add_body(&problem, 1.0, 0.0), press = problem_add_body(&problem, 0.0, 0.0);
    problem.free_velocity[press][2] = -1.0;
    problem_add_contact(&problem, -1, ball, cn_vec3(0, 0, 0), cn_vec3(0, 0, 0), 0.5);
    problem_add_contact(&problem, ball, press, cn_vec3(0, 0, 0), cn_vec3(0, 0, 0), 0.5);
    CHECK_NEAR(certify(&problem, p).worst, 1.0, 1e-15);
    problem_free(&problem);
}

static void the_worst_block_is_named(void) {
    Problem problem = {0};
    const double mass[3] = {1.0, 2.0, 3.0};
    pile_add_stack(&problem, 3, mass, 0.5, 1.0);
    CnSolution solution = problem_solution(&problem);
    cn_problem_velocity(problem_view(&problem), solution.impulse, solution.velocity);
    double residual[12];
    CnCertificate certificate;
    cn_problem_certify(problem_view(&problem), &solution, residual, &certificate);
    double worst = 0.0, square = 0.0;
    for (int i = 0; i < 12; ++i) {
        worst = fmax(worst, residual[i]);
        square += residual[i] * residual[i];
    }
    CHECK(certificate.worst == worst);
    CHECK(residual[certificate.worst_block] == worst);
    CHECK_NEAR(certificate.rms, sqrt(square / 12.0), 1e-15);
    problem_free(&problem);
}

// v' = R v: what a turned observer sees.
static void turn(const double r[9], double* v) {
    const double x = v[0], y = v[1], z = v[2];
    for (int i = 0; i < 3; ++i) {
        v[i] = r[3 * i] * x + r[3 * i + 1] * y + r[3 * i + 2] * z;
    }
}

// Rows and velocities turned together; the inertia is a ball's and stays.
static void the_certificate_does_not_depend_on_the_observer(void) {
    CnRandom random = {4};
    Problem problem = {0};
    pile_add_random(&problem, &random, 6, 15, 1.0, 0.4);
    double p[45];
    for (int i = 0; i < 45; ++i) {
        p[i] = cn_random_between(&random, -1.0, 1.0);
    }
    CnCertificate before = certify(&problem, p);
    const double c = 0.6, s = 0.8;
    const double r[9] = {c, -s * c, s * s, s, c * c, -s * c, 0.0, s, c}; // Rz(a) Rx(a)
    for (int i = 0; i < problem.row_count; ++i) {
        turn(r, problem.jacobian_a[i]);
        turn(r, problem.jacobian_a[i] + 3);
        turn(r, problem.jacobian_b[i]);
        turn(r, problem.jacobian_b[i] + 3);
    }
    for (int i = 0; i < problem.body_count; ++i) {
        turn(r, problem.free_velocity[i]);
        turn(r, problem.free_velocity[i] + 3);
    }
    CnCertificate after = certify(&problem, p);
    double size = before.worst * 1e-14; // sums of some ten products
    CHECK_NEAR(after.worst, before.worst, size);
    CHECK_NEAR(after.rms, before.rms, size);
    CHECK_NEAR(after.fclib_error, before.fclib_error, 1e-14);
    CHECK_NEAR(after.scaled_error, before.scaled_error, 1e-14);
    CHECK_INT(after.worst_block, before.worst_block);
    problem_free(&problem);
}

// In grams and millimetres per second all impulses, masses and velocities get other numbers; the
// scaled error does not, FCLib's does.
static void the_scaled_error_has_no_unit(void) {
    CnRandom random = {5};
    Problem problem = {0};
    pile_add_random(&problem, &random, 6, 15, 1.0, 0.4);
    double p[45];
    for (int i = 0; i < 45; ++i) {
        p[i] = cn_random_between(&random, -1.0, 1.0);
    }
    CnCertificate before = certify(&problem, p);
    for (int i = 0; i < problem.body_count; ++i) {
        problem.inverse_mass[i] *= 1e-3;
        for (int k = 0; k < 9; ++k) {
            problem.inverse_inertia[i][k] *= 1e-3;
        }
    }
    for (int i = 0; i < 45; ++i) {
        p[i] *= 1e3;
    }
    CnCertificate after = certify(&problem, p);
    CHECK_NEAR(after.scaled_error, before.scaled_error, 1e-13);
    CHECK_NEAR(after.worst, before.worst, 1e-13 * before.worst); // metres per second still
    CHECK(fabs(after.fclib_error - before.fclib_error) > 1e-3);
    problem_free(&problem);
}

// lambda_max of random semidefinite matrices against the power method.
static void the_largest_eigenvalue_is_that_of_the_power_method(void) {
    CnRandom random = {6};
    for (int k = 0; k < 300; ++k) {
        int n = 1 + k % 6;
        double g[36], w[36], x[6];
        for (int i = 0; i < n * n; ++i) {
            g[i] = cn_random_between(&random, -1.0, 1.0);
        }
        for (int i = 0; i < n; ++i) {
            x[i] = 1.0;
            for (int j = 0; j < n; ++j) {
                w[i * n + j] = 0.0;
                for (int l = 0; l < n; ++l) {
                    w[i * n + j] += g[i * n + l] * g[j * n + l];
                }
            }
        }
        double lambda = 0.0;
        for (int sweep = 0; sweep < 20000; ++sweep) {
            double y[6], square = 0.0;
            for (int i = 0; i < n; ++i) {
                y[i] = 0.0;
                for (int j = 0; j < n; ++j) {
                    y[i] += w[i * n + j] * x[j];
                }
                square += y[i] * y[i];
            }
            lambda = sqrt(square);
            for (int i = 0; i < n; ++i) {
                x[i] = y[i] / lambda;
            }
        }
        CHECK_NEAR(cn_block_largest_eigenvalue(w, n), lambda, 1e-9 * lambda); // the slower method
    }
}

// Equalities and open stops are graded in short where the common step is known to be a number; with
// a step of zero every block is graded in full. The step is in the scaled error alone.
static void short_ways_have_the_grades_of_the_long_one(void) {
    static const double some[] = {-2.0, -1.0, -0.0, 0.0, 1.0, 2.0, HUGE_VAL, NAN};
    static const double bounds[][2] = {{0.0, HUGE_VAL}, {-HUGE_VAL, 0.0}, {0.0, 0.0}, {-1.0, 1.0}};
    for (int i = 0; i < 2 * 4 * 64; ++i) {
        Problem problem = {0};
        int body = problem_add_body(&problem, 0.5, 0.0), from = i % 64;
        double q = 0.5, residual[2], u = some[from % 8];
        int block =
            problem_add_block(&problem, i < 256 ? CN_LAW_BOUNDS : CN_LAW_EQUALITY, 1, -1, body);
        int row = problem.blocks[block].first_row;
        problem.jacobian_b[row][0] = 1.0;
        problem.lower[row] = bounds[i / 64 % 4][0];
        problem.upper[row] = bounds[i / 64 % 4][1];
        problem.impulse[row] = some[from / 8];
        CnGradeSums sums[2];
        for (int k = 0; k < 2; ++k) {
            cn_grade_begin(&sums[k]);
            cn_grade_block(problem_view(&problem), 0, 0, &u, &q, problem.impulse,
                           k == 0 ? 2.0 : 0.0, &residual[k], &sums[k]);
            sums[k].scaled = 0.0;
        }
        CHECK(residual[0] == residual[1]);
        CHECK(sums[0].worst == sums[1].worst && sums[0].worst_block == sums[1].worst_block);
        CHECK(sums[0].cone_violation == sums[1].cone_violation);
        CHECK(sums[0].complementarity == sums[1].complementarity);
        CHECK(memcmp(&sums[0].plain, &sums[1].plain, sizeof(double)) == 0);
        problem_free(&problem);
    }
}

// A ball joint between two bodies that turn, with compliance in one row.
static void set_joint(Problem* problem, CnRandom* random, double (*velocity)[6]) {
    int a = problem_add_body(problem, 0.5, 0.7), b = problem_add_body(problem, 0.3, 0.9);
    int block = problem_add_block(problem, CN_LAW_EQUALITY, 3, a, b);
    int first = problem->blocks[block].first_row;
    for (int k = 0; k < 6; ++k) {
        for (int row = first; row < first + 3; ++row) {
            problem->jacobian_a[row][k] = cn_random_between(random, -1.0, 1.0);
            problem->jacobian_b[row][k] = cn_random_between(random, -1.0, 1.0);
        }
        problem->free_velocity[a][k] = cn_random_between(random, -1.0, 1.0);
        problem->free_velocity[b][k] = cn_random_between(random, -1.0, 1.0);
        velocity[a][k] = cn_random_between(random, -1.0, 1.0);
        velocity[b][k] = cn_random_between(random, -1.0, 1.0);
    }
    for (int row = first; row < first + 3; ++row) {
        problem->target[row] = cn_random_between(random, -1.0, 1.0);
        problem->impulse[row] = cn_random_between(random, -1.0, 1.0);
    }
    problem->compliance[first] = 0.25;
}

// Equalities are graded in one pass: to the bits of their velocities and laws one after the other.
// What is not a number is the worst there is in both.
static void equalities_are_graded_alike_in_one_pass(void) {
    CnRandom random = {7};
    for (int i = 0; i < 40; ++i) {
        Problem problem = {0};
        double velocity[2][6], u[3], q[3], residual[2];
        CnGradeSums sums[2];
        set_joint(&problem, &random, velocity);
        if (i % 4 == 3) {
            problem.impulse[i % 3] = i % 8 == 3 ? (double)NAN : HUGE_VAL;
        }
        const CnProblem* view = problem_view(&problem);
        const double(*v)[6] = (const double(*)[6])velocity;
        cn_grade_begin(&sums[0]);
        cn_grade_begin(&sums[1]);
        cn_grade_blocks(view, 5, v, problem.impulse, 0.3, &residual[0], &sums[0]);
        cn_block_velocity(view, &view->blocks[0], v, problem.impulse, u);
        cn_block_free_velocity(view, &view->blocks[0], q);
        cn_grade_block(view, 0, 5, u, q, problem.impulse, 0.3, &residual[1], &sums[1]);
        CHECK(residual[0] == residual[1]);
        CHECK(sums[0].worst == sums[1].worst && sums[0].worst_block == sums[1].worst_block);
        CHECK(i % 4 == 3 ? residual[0] == HUGE_VAL
                         : memcmp(&sums[0], &sums[1], sizeof sums[0]) == 0);
        problem_free(&problem);
    }
}

TEST_MAIN("constraints/certificate", TEST(equalities_are_graded_alike_in_one_pass),
          TEST(short_ways_have_the_grades_of_the_long_one),
          TEST(a_response_is_graded_like_the_bodies_it_stands_for),
          TEST(a_response_that_is_no_matrix_is_refused),
          TEST(a_separating_contact_without_impulse_is_right), TEST(a_sticking_contact_is_right),
          TEST(a_sliding_contact_is_right), TEST(an_associated_contact_lifts_at_mu_times_its_slip),
          TEST(a_box_is_graded_by_its_own_law), TEST(a_pyramid_is_graded_by_its_own_law),
          TEST(a_contact_that_does_not_push_is_wrong_by_its_approach_speed),
          TEST(a_contact_that_pulls_is_outside_its_cone),
          TEST(a_force_row_is_measured_as_a_velocity), TEST(bounds_are_measured_on_both_sides),
          TEST(a_claimed_velocity_does_not_count), TEST(what_is_not_a_number_never_passes),
          TEST(impulses_without_bound_do_not_hide_a_velocity), TEST(the_worst_block_is_named),
          TEST(the_certificate_does_not_depend_on_the_observer), TEST(the_scaled_error_has_no_unit),
          TEST(the_largest_eigenvalue_is_that_of_the_power_method))

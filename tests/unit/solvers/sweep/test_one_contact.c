// test_one_contact.c - one contact with dry friction has a known answer, and we find it.
#include "solvers/sweep/one_contact.h"

#include "cairn/random.h"
#include "constraints/problem/block.h"
#include "support/test.h"

static double norm(const double* x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

static double gaussian(CnRandom* random) { // a sum of 12 uniforms has variance 1
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) {
        sum += cn_random_between(random, 0.0, 1.0);
    }
    return sum;
}

// W = Q diag(e) Q^T with eigenvalues spread over `decades` powers of ten and random axes Q.
static void random_spd(CnRandom* random, int n, double decades, double* w) {
    double q[3][3], e[3];
    for (int i = 0; i < n; ++i) { // Gram-Schmidt on random vectors
        for (int k = 0; k < n; ++k) {
            q[i][k] = gaussian(random);
        }
        for (int j = 0; j < i; ++j) {
            double dot = 0.0;
            for (int k = 0; k < n; ++k) {
                dot += q[i][k] * q[j][k];
            }
            for (int k = 0; k < n; ++k) {
                q[i][k] -= dot * q[j][k];
            }
        }
        double size = norm(q[i], n);
        for (int k = 0; k < n; ++k) {
            q[i][k] /= size;
        }
        e[i] = pow(10.0, cn_random_between(random, -decades, 0.0));
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = 0.0;
            for (int k = 0; k < n; ++k) {
                sum += e[k] * q[k][i] * q[k][j];
            }
            w[i * n + j] = w[j * n + i] = sum;
        }
    }
}

// The Coulomb law in words, without projections: the largest violation of any of its sentences,
// each as a velocity relative to the terms that cancel in it.
static double law_violation(int n, double mu, const double* w, const double* q, const double* p) {
    double u[3];
    for (int i = 0; i < n; ++i) {
        u[i] = q[i];
        for (int j = 0; j < n; ++j) {
            u[i] += w[i * n + j] * p[j];
        }
    }
    double lambda = cn_block_largest_eigenvalue(w, n);
    double pt = norm(p + 1, n - 1);
    double ut = norm(u + 1, n - 1);
    double worst = fmax(-u[0], lambda * fmax(pt - mu * p[0], -p[0])); // no approach, p in its cone
    if (p[0] > 0.0) {
        worst = fmax(worst, fabs(u[0])); // a pushing contact is closed
        double gap = mu * p[0] - pt;     // inside the cone nothing slides
        worst = fmax(worst, fmin(lambda * gap, ut));
        double along = 0.0; // a sliding contact is opposed: u_T . p_T = -|u_T| |p_T|
        for (int i = 1; i < n; ++i) {
            along += u[i] * p[i];
        }
        worst = fmax(worst, pt > 0.0 ? fmin(lambda * pt, (along + ut * pt) / pt) : 0.0);
    }
    return worst / (norm(q, n) + lambda * norm(p, n));
}

static const double frictions[] = {0.0, 0.1, 0.5, 1.0, 2.0};

// Law violations are of the size of the residual; both are 1e-13 of the terms that cancel.
static void solve_random(int n, double decades, int count, uint64_t seed) {
    CnRandom random = {seed};
    int routes[CN_ROUTE_FAILED + 1] = {0};
    for (int i = 0; i < count; ++i) {
        double w[9], q[3], p[3];
        random_spd(&random, n, decades, w);
        for (int k = 0; k < n; ++k) {
            q[k] = gaussian(&random);
            p[k] = gaussian(&random); // any guess will do
        }
        q[0] = i % 8 == 0 ? q[0] : -fabs(q[0]);
        double mu = frictions[i % 5];
        double lambda = cn_block_largest_eigenvalue(w, n);
        CnOneContact contact;
        cn_one_contact_init(&contact, n, mu, w, lambda);
        CnContactRoute route = cn_one_contact_solve(&contact, q, p);
        ++routes[route];
        double size = norm(q, n) + lambda * norm(p, n);
        ck_assert_msg(route != CN_ROUTE_FAILED, "case %d: no answer", i);
        ck_assert_msg(cn_one_contact_residual(&contact, q, p) <= 1e-13 * size,
                      "case %d, route %d: residual %g", i, (int)route,
                      cn_one_contact_residual(&contact, q, p) / size);
        ck_assert_msg(law_violation(n, mu, w, q, p) <= 1e-12, "case %d, route %d: violation %g", i,
                      (int)route, law_violation(n, mu, w, q, p));
    }
    for (int i = 0; i <= CN_ROUTE_SLIDE; ++i) {
        CHECK(routes[i] > count / 100); // the battery exercises every ordinary route
    }
}

static void a_hundred_thousand_random_contacts_meet_the_law_to_round_off(void) {
    solve_random(3, 1.0, 50000, 1);
    solve_random(3, 6.0, 50000, 2); // condition up to 1e6, mu |W_NT| > W_NN in many
}

static void random_plane_contacts_meet_the_law_to_round_off(void) {
    solve_random(2, 1.0, 20000, 3);
    solve_random(2, 6.0, 20000, 4);
}

// W = 2 I, q = -(30, 20), mu = 0.3: normal 30/2 = 15, friction 0.3 * 15 = 4.5. The associated law
// (a cone program without De Saxce's shift) would give 16.51 and 4.95.
static void sliding_does_not_invent_normal_impulse(void) {
    const double w3[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
    const double w2[4] = {2, 0, 0, 2};
    const double q[3] = {-30, -20, 0};
    double p[3] = {0};
    CnOneContact contact;
    cn_one_contact_init(&contact, 3, 0.3, w3, 2.0);
    CHECK(cn_one_contact_solve(&contact, q, p) == CN_ROUTE_SLIDE);
    CHECK_NEAR(p[0], 15.0, 1e-14);
    CHECK_NEAR(p[1], 4.5, 1e-14);
    CHECK_NEAR(p[2], 0.0, 1e-14);
    memset(p, 0, sizeof p);
    cn_one_contact_init(&contact, 2, 0.3, w2, 2.0);
    CHECK(cn_one_contact_solve(&contact, q, p) == CN_ROUTE_SLIDE);
    CHECK_NEAR(p[0], 15.0, 1e-14);
    CHECK_NEAR(p[1], 4.5, 1e-14);
}

// q = -(0.001, 10), mu = 0.3: normal 0.0005, where the associated law gives 1.377.
static void a_grazing_contact_pushes_as_little_as_it_must(void) {
    const double w[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
    const double q[3] = {-0.001, -10, 0};
    double p[3] = {0};
    CnOneContact contact;
    cn_one_contact_init(&contact, 3, 0.3, w, 2.0);
    cn_one_contact_solve(&contact, q, p);
    CHECK_NEAR(p[0], 0.0005, 1e-17);
}

// Turning the tangent axes by an angle turns the impulse with them and changes nothing else.
static void friction_is_isotropic(void) {
    CnRandom random = {5};
    for (int k = 0; k < 2000; ++k) {
        double w[9], q[3], p[3] = {0}, turned_w[9], turned_q[3], turned_p[3] = {0};
        random_spd(&random, 3, 0.5, w);
        for (int i = 0; i < 3; ++i) {
            q[i] = gaussian(&random);
        }
        double angle = cn_random_between(&random, 0.0, 2.0 * CN_PI);
        double c = cos(angle), s = sin(angle);
        const double r[9] = {1, 0, 0, 0, c, -s, 0, s, c};
        for (int i = 0; i < 3; ++i) {
            turned_q[i] = r[3 * i] * q[0] + r[3 * i + 1] * q[1] + r[3 * i + 2] * q[2];
            for (int j = 0; j < 3; ++j) {
                turned_w[3 * i + j] = 0.0;
                for (int a = 0; a < 3; ++a) {
                    for (int b = 0; b < 3; ++b) {
                        turned_w[3 * i + j] += r[3 * i + a] * w[3 * a + b] * r[3 * j + b];
                    }
                }
            }
        }
        double lambda = cn_block_largest_eigenvalue(w, 3);
        CnOneContact contact, turned;
        cn_one_contact_init(&contact, 3, 0.3, w, lambda);
        cn_one_contact_init(&turned, 3, 0.3, turned_w, lambda);
        cn_one_contact_solve(&contact, q, p);
        cn_one_contact_solve(&turned, turned_q, turned_p);
        for (int i = 0; i < 3; ++i) { // W is well conditioned (10^0.5): 1e-12 of |p|
            double expected = r[3 * i] * p[0] + r[3 * i + 1] * p[1] + r[3 * i + 2] * p[2];
            CHECK_NEAR(turned_p[i], expected, 1e-12 * (1.0 + norm(p, 3)));
        }
    }
}

// The work of one contact is p . (u + q) / 2 = p . q + p . W p / 2; friction and an inelastic
// normal can only take energy away.
static void a_contact_never_gains_energy(void) {
    CnRandom random = {6};
    for (int k = 0; k < 20000; ++k) {
        double w[9], q[3], p[3] = {0};
        random_spd(&random, 3, 3.0, w);
        for (int i = 0; i < 3; ++i) {
            q[i] = gaussian(&random);
        }
        CnOneContact contact;
        double lambda = cn_block_largest_eigenvalue(w, 3);
        cn_one_contact_init(&contact, 3, frictions[k % 5], w, lambda);
        cn_one_contact_solve(&contact, q, p);
        double work = 0.0, size = 0.0;
        for (int i = 0; i < 3; ++i) {
            double wp = w[3 * i] * p[0] + w[3 * i + 1] * p[1] + w[3 * i + 2] * p[2];
            work += p[i] * (q[i] + 0.5 * wp);
            size += fabs(p[i]) * (fabs(q[i]) + lambda * norm(p, 3));
        }
        CHECK(work <= 1e-13 * size);
    }
}

// A point on a frictionless plane: p = (-q_N / W_NN, 0, 0), whatever couples it to the tangents.
static void without_friction_only_the_normal_acts(void) {
    const double w[9] = {2, 0.5, -0.3, 0.5, 1, 0.1, -0.3, 0.1, 1};
    const double q[3] = {-3, 5, 7};
    double p[3] = {9, 9, 9};
    CnOneContact contact;
    cn_one_contact_init(&contact, 3, 0.0, w, cn_block_largest_eigenvalue(w, 3));
    cn_one_contact_solve(&contact, q, p);
    CHECK_NEAR(p[0], 1.5, 1e-15);
    CHECK(p[1] == 0.0 && p[2] == 0.0);
}

// A rod held so that its end can move in one tangent direction only: W has a zero row. Motion along
// the free direction sticks; a push that cannot be resisted is left, with the cone respected.
static void a_direction_without_mass_is_no_trouble(void) {
    const double w[9] = {2, 0, 0, 0, 1, 0, 0, 0, 0};
    const double q[3] = {-4, 0.5, 0};
    double p[3] = {0};
    CnOneContact contact;
    cn_one_contact_init(&contact, 3, 0.5, w, 2.0);
    CHECK(cn_one_contact_solve(&contact, q, p) == CN_ROUTE_STICK);
    CHECK_NEAR(p[0], 2.0, 1e-15);
    CHECK_NEAR(p[1], -0.5, 1e-15);
    CHECK(p[2] == 0.0);
    const double pushed[3] = {-4, 0.5, 1}; // u_T2 = 1 whatever p is: it slides, fully opposed
    CHECK(cn_one_contact_solve(&contact, pushed, p) != CN_ROUTE_FAILED);
    CHECK_NEAR(norm(p + 1, 2), 0.5 * p[0], 1e-14);
    CHECK(p[2] < 0.0);
}

// A contact that slides, its velocity changed by a hundredth: one step lands on the cone and leaves
// nothing of the normal velocity; a few that go on from each other end at the exact answer. Newton
// squares an error below 0.03 in each of them: three lead to round-off, of which the answer has
// some hundred units as a share of q and W p, amplified by up to W's condition of 100.
static void single_steps_of_a_sliding_contact_end_at_the_answer(void) {
    CnRandom random = {11};
    const double mu = 0.5;
    int steps = 0;
    for (int i = 0; i < 2000; ++i) {
        double w[9], q[3], p[3] = {0.0}, exact[3], slip[2] = {0.0};
        CnOneContact contact;
        random_spd(&random, 3, 2.0, w);
        cn_one_contact_init(&contact, 3, mu, w, cn_block_largest_eigenvalue(w, 3));
        for (int k = 0; k < 3; ++k) {
            q[k] = gaussian(&random);
        }
        cn_one_contact_approach(&contact, q, p, slip);
        bool slides = slip[0] != 0.0 || slip[1] != 0.0;
        CHECK(slides == (p[0] > 0.0 && fabs(norm(p + 1, 2) - mu * p[0]) <= 1e-14 * p[0]));
        for (int k = 0; k < 3; ++k) {
            q[k] *= 1.0 + cn_random_between(&random, -0.01, 0.01);
        }
        CnContactRoute route = cn_one_contact_approach(&contact, q, p, slip);
        if (!slides || route != CN_ROUTE_SLIDE) {
            continue;
        }
        double u = q[0] + w[0] * p[0] + w[1] * p[1] + w[2] * p[2], size = norm(p, 3);
        CHECK_NEAR(norm(p + 1, 2), mu * p[0], 1e-14 * size);
        CHECK_NEAR(u, 0.0, 1e-13 * (norm(q, 3) + contact.lambda_max * size));
        for (int k = 0; k < 4; ++k) {
            cn_one_contact_approach(&contact, q, p, slip);
        }
        memcpy(exact, p, sizeof exact);
        CHECK(cn_one_contact_solve(&contact, q, exact) == CN_ROUTE_SLIDE);
        for (int k = 0; k < 3; ++k) {
            CHECK_NEAR(p[k], exact[k], 1e-11 * size);
        }
        ++steps;
    }
    CHECK(steps > 200);
}

TEST_MAIN("unit/solvers/sweep/one_contact",
          TEST(a_hundred_thousand_random_contacts_meet_the_law_to_round_off),
          TEST(random_plane_contacts_meet_the_law_to_round_off),
          TEST(sliding_does_not_invent_normal_impulse),
          TEST(a_grazing_contact_pushes_as_little_as_it_must), TEST(friction_is_isotropic),
          TEST(a_contact_never_gains_energy), TEST(without_friction_only_the_normal_acts),
          TEST(a_direction_without_mass_is_no_trouble),
          TEST(single_steps_of_a_sliding_contact_end_at_the_answer))

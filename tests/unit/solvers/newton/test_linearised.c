// test_linearised.c - laws as equations: right derivatives, and roots that are the laws' answers.
#include "solvers/newton/linearised.h"

#include "cairn/random.h"
#include "constraints/problem/block.h"
#include "constraints/problem/friction_cone.h"
#include "support/problems/problems.h"
#include "support/test.h"

typedef struct Form {
    const char* name;
    CnLinearise* linearise;
} Form;

static const Form forms[] = {
    {"natural", cn_linearise_natural},
    {"fischer_burmeister", cn_linearise_fischer_burmeister},
    {"alart_curnier", cn_linearise_alart_curnier},
};
static const int form_count = (int)(sizeof forms / sizeof forms[0]);

#define STEP 1e-6 // of central differences: their error is STEP^2 times a third derivative

// Points closer than this to a kink are left out: next to it third derivatives are 1 / KINK^2.
#define KINK 0.05

static void random_vector(CnRandom* random, int n, double* x) {
    for (int i = 0; i < n; ++i) {
        x[i] = cn_random_between(random, -1.0, 1.0);
    }
}

static CnLinearised evaluate(const Form* form, const Problem* problem, const double* w, double rho,
                             const double* u, const double* p) {
    CnLinearised law = {0};
    form->linearise(&problem->view, &problem->blocks[0], w, rho, u, p, &law);
    return law;
}

// The largest difference between the derivatives and central differences, in u and in p.
static double worst_difference(const Form* form, const Problem* problem, const double* w,
                               double rho, const double* u, const double* p) {
    int n = problem->row_count;
    double worst = 0.0;
    CnLinearised at = evaluate(form, problem, w, rho, u, p);
    for (int j = 0; j < 2 * n; ++j) {
        double point[2][2][CN_MAX_ROWS]; // side, then u or p
        for (int side = 0; side < 2; ++side) {
            memcpy(point[side][0], u, (size_t)n * sizeof(double));
            memcpy(point[side][1], p, (size_t)n * sizeof(double));
            point[side][j / n][j % n] += side == 0 ? -STEP : STEP;
        }
        CnLinearised before = evaluate(form, problem, w, rho, point[0][0], point[0][1]);
        CnLinearised after = evaluate(form, problem, w, rho, point[1][0], point[1][1]);
        for (int i = 0; i < n; ++i) {
            double slope = (after.phi[i] - before.phi[i]) / (2.0 * STEP);
            double exact = j < n ? at.a[i][j] : at.b[i][j - n];
            worst = fmax(worst, fabs(slope - exact));
        }
    }
    return worst;
}

// True when a kink of the natural map, of Alart and Curnier's or of a slip is near.
static bool is_near_kink(double mu, int n, double rho, const double* w, const double* u,
                         const double* p) {
    CnFrictionGroup groups[CN_MAX_FRICTION_GROUPS];
    double s[CN_MAX_ROWS], projected[CN_MAX_ROWS];
    int count = cn_friction_groups(n, groups);
    double d_n = p[0] - u[0] / w[0], weight = 1.0;
    cn_friction_cone_shift(mu, n, u, s);
    for (int i = 0; i < n; ++i) {
        s[i] = p[i] - rho * s[i];
    }
    cn_friction_cone_project(mu, n, s, projected);
    bool near = fabs(d_n) < KINK;
    double tip = s[0]; // what the normal of the nearest point would be, were it negative
    for (int g = 0; g < count; ++g) {
        double s_g = cn_friction_group_length(groups[g], s);
        tip += mu * s_g;
        weight += mu * mu;
        near = near || s_g < KINK || fabs(s_g - mu * projected[0]) < KINK ||
               fabs(s_g - mu * d_n) < KINK || cn_friction_group_length(groups[g], u) < KINK;
    }
    return near || fabs(tip / weight) < KINK;
}

static void derivatives_of_contacts_are_those_of_finite_differences(void) {
    CnRandom random = {5};
    for (int f = 0; f < form_count; ++f) {
        for (int n = 2; n <= CN_MAX_ROWS; ++n) {
            double worst = 0.0;
            int compared = 0;
            for (int trial = 0; trial < 500; ++trial) {
                Problem problem = {0};
                double u[CN_MAX_ROWS], p[CN_MAX_ROWS], w[CN_MAX_ROWS * CN_MAX_ROWS] = {0.0};
                problem_add_body(&problem, 1.0, 1.0);
                problem_add_block(&problem, CN_LAW_COULOMB, n, -1, 0);
                problem.blocks[0].friction = cn_random_between(&random, 0.05, 1.5);
                problem_view(&problem);
                random_vector(&random, n, u);
                random_vector(&random, n, p);
                double rho = cn_random_between(&random, 0.2, 2.0);
                for (int i = 0; i < n; ++i) {
                    w[i * n + i] = 1.0 / rho;
                }
                w[0] = cn_random_between(&random, 0.2, 1.0) / rho;
                p[0] += trial % 2; // half of them deep in the cone
                if (!is_near_kink(problem.blocks[0].friction, n, rho, w, u, p)) {
                    worst = fmax(worst, worst_difference(&forms[f], &problem, w, rho, u, p));
                    ++compared;
                }
                problem_free(&problem);
            }
            // Differences lose epsilon / STEP = 1e-10 to round-off and some 400 STEP^2 to
            // curvature.
            ck_assert_msg(worst < 1e-7, "%s, %d rows: off by %g", forms[f].name, n, worst);
            ck_assert_msg(compared > 100, "%s, %d rows: %d compared", forms[f].name, n, compared);
        }
    }
}

// Bounds that are finite below, above, on both sides and nowhere; springs; equalities.
static void derivatives_of_rows_are_those_of_finite_differences(void) {
    static const struct {
        CnLaw law;
        double lower, upper;
    } kinds[] = {
        {CN_LAW_BOUNDS, 0.0, HUGE_VAL},   {CN_LAW_BOUNDS, -HUGE_VAL, 0.1},
        {CN_LAW_BOUNDS, -0.4, 0.5},       {CN_LAW_BOUNDS, -HUGE_VAL, HUGE_VAL},
        {CN_LAW_EQUALITY, 0.0, HUGE_VAL}, {CN_LAW_FORCE, 0.0, HUGE_VAL},
    };
    CnRandom random = {6};
    const double w[1] = {1.3}, rho = 1.0 / 1.3;
    for (int f = 0; f < form_count; ++f) {
        for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; ++kind) {
            double worst = 0.0;
            Problem problem = {0};
            problem_add_body(&problem, 1.0, 1.0);
            problem_add_block(&problem, kinds[kind].law, 1, -1, 0);
            problem.lower[0] = kinds[kind].lower;
            problem.upper[0] = kinds[kind].upper;
            problem.offset[0] = 0.2;
            problem.slope[0] = 3.0;
            problem_view(&problem);
            for (int trial = 0; trial < 200; ++trial) {
                double u[1], p[1];
                random_vector(&random, 1, u);
                random_vector(&random, 1, p);
                double wanted = p[0] - rho * u[0];
                if (fabs(wanted - problem.lower[0]) > KINK &&
                    fabs(wanted - problem.upper[0]) > KINK && fabs(u[0]) > KINK) {
                    worst = fmax(worst, worst_difference(&forms[f], &problem, w, rho, u, p));
                }
            }
            ck_assert_msg(worst < 1e-7, "%s, kind %d: off by %g", forms[f].name, (int)kind, worst);
            problem_free(&problem);
        }
    }
}

typedef struct Known {
    const char* state;
    double u[CN_MAX_ROWS], p[CN_MAX_ROWS]; // normal; slide, slide; spin; roll, roll; friction 0.5
} Known;

static double size_of(const CnLinearised* law, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += law->phi[i] * law->phi[i];
    }
    return sqrt(sum);
}

// The states on the right are roots of every form, with any step; those that are wrong of none.
static void check_roots(int rows, const Known* right, int right_count, const Known* wrong,
                        int wrong_count) {
    double w[CN_MAX_ROWS * CN_MAX_ROWS] = {0.0};
    Problem problem = {0};
    for (int i = 0; i < rows; ++i) {
        w[i * (rows + 1)] = i == 0 ? 1.0 : 2.0;
    }
    problem_add_body(&problem, 1.0, 1.0);
    problem_add_block(&problem, CN_LAW_COULOMB, rows, -1, 0);
    problem.blocks[0].friction = 0.5;
    problem_view(&problem);
    for (int f = 0; f < form_count; ++f) {
        for (double rho = 0.1; rho < 11.0; rho *= 10.0) {
            for (int i = 0; i < right_count; ++i) {
                CnLinearised law = evaluate(&forms[f], &problem, w, rho, right[i].u, right[i].p);
                // Round-off of a few operations on numbers up to 20.
                ck_assert_msg(size_of(&law, rows) < 1e-14, "%s, %s: %g", forms[f].name,
                              right[i].state, size_of(&law, rows));
            }
            for (int i = 0; i < wrong_count; ++i) {
                CnLinearised law = evaluate(&forms[f], &problem, w, rho, wrong[i].u, wrong[i].p);
                ck_assert_msg(size_of(&law, rows) > 1e-3, "%s calls \"%s\" an answer",
                              forms[f].name, wrong[i].state);
            }
        }
    }
    problem_free(&problem);
}

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

// Velocities and impulses that satisfy Coulomb's law are roots of every form, with any step; the
// same with a wrong sign, too much friction or friction across the slip are roots of none.
static void roots_are_the_answers_of_the_law(void) {
    static const Known right[] = {
        {"open", {0.3, 0.2, -0.1}, {0.0, 0.0, 0.0}},
        {"stick", {0.0, 0.0, 0.0}, {1.0, 0.2, -0.3}},
        {"slide", {0.0, 0.6, -0.8}, {1.0, -0.3, 0.4}},
        {"graze", {0.0, 0.6, -0.8}, {0.0, 0.0, 0.0}},
    };
    static const Known wrong[] = {
        {"pulls", {0.0, 0.0, 0.0}, {-1.0, 0.0, 0.0}},
        {"penetrates", {-0.1, 0.0, 0.0}, {0.0, 0.0, 0.0}},
        {"pushes while open", {0.1, 0.0, 0.0}, {1.0, 0.0, 0.0}},
        {"too much friction", {0.0, 0.0, 0.0}, {1.0, 0.6, 0.0}},
        {"slides while it could stick", {0.0, 0.6, -0.8}, {1.0, -0.15, 0.2}},
        {"friction across the slip", {0.0, 0.6, -0.8}, {1.0, 0.4, 0.3}},
        {"dilates", {0.5, 0.6, -0.8}, {1.0, -0.3, 0.4}}, // the convex law would like this one
    };
    check_roots(3, right, COUNT(right), wrong, COUNT(wrong));
}

// The same with torsion and rolling: each group sticks or slips on its own.
static void roots_of_wide_contacts_are_the_answers_of_the_law(void) {
    static const Known right[] = {
        {"open", {0.3, 0.2, -0.1, 0.4, 0.1, 0.7}, {0.0}},
        {"open at rest", {0.3, 0.0, 0.0, 0.0, 0.0, 0.0}, {0.0}},
        {"all stick", {0.0}, {1.0, 0.2, -0.3, 0.4, 0.1, 0.1}},
        {"slides, does not roll", {0.0, 0.6, -0.8}, {1.0, -0.3, 0.4, -0.4, 0.1, 0.1}},
        {"rolls and spins", {0.0, 0.0, 0.0, 2.0, 0.6, 0.8}, {1.0, 0.1, 0.2, -0.5, -0.3, -0.4}},
        {"grazes", {0.0, 0.6, -0.8, 1.0, 0.1, 0.2}, {0.0}},
    };
    static const Known wrong[] = {
        {"pulls", {0.0}, {-1.0}},
        {"penetrates", {-0.1}, {0.0}},
        {"pushes while open", {0.1}, {1.0}},
        {"open, yet rubs", {0.3}, {0.0, 0.1, 0.0, 0.0, 0.0, 0.0}},
        {"too much torsion", {0.0}, {1.0, 0.0, 0.0, 0.6, 0.0, 0.0}},
        {"torsion drives", {0.0, 0.0, 0.0, 1.0}, {1.0, 0.0, 0.0, 0.5}},
        {"rolls for nothing", {0.0, 0.0, 0.0, 0.0, 1.0, 0.0}, {1.0}},
        {"rolling resists across", {0.0, 0.0, 0.0, 0.0, 1.0, 0.0}, {1.0, 0.0, 0.0, 0.0, 0.0, 0.5}},
        {"dilates", {0.5, 0.0, 0.0, 1.0}, {1.0, 0.0, 0.0, -0.5}}, // the convex law likes it
    };
    check_roots(CN_MAX_ROWS, right, COUNT(right), wrong, COUNT(wrong));
}

TEST_MAIN("unit/solvers/newton/linearised",
          TEST(derivatives_of_contacts_are_those_of_finite_differences),
          TEST(derivatives_of_rows_are_those_of_finite_differences),
          TEST(roots_are_the_answers_of_the_law),
          TEST(roots_of_wide_contacts_are_the_answers_of_the_law))

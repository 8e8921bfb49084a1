// test_interior.c - the cone's algebra, and Newton's equations against finite differences.
#include "solvers/interior/interior.h"

#include "cairn/random.h"
#include "linalg/lu/lu.h"
#include "solvers/interior/interior_system.h"
#include "solvers/interior/lorentz.h"
#include "support/problems/problems.h"
#include "support/test.h"

static double sample(CnRandom* random) {
    return cn_random_between(random, -1.0, 1.0);
}

// A random element strictly inside the cone, eigenvalues between 0.1 and 2.
static void sample_inside(CnRandom* random, int n, double* x) {
    double square = 0.0;
    for (int i = 1; i < n; ++i) {
        x[i] = 0.6 * sample(random);
        square += x[i] * x[i];
    }
    double margin = cn_random_between(random, 0.1, 1.0);
    x[0] = sqrt(square) + margin;
}

// The step ends where the smaller eigenvalue vanishes; before, both are positive.
static void the_longest_step_ends_on_the_boundary(void) {
    CnRandom random = {5};
    double worst = 0.0, least = 1.0;
    int infinite = 0;
    for (int round = 0; round < 2000; ++round) {
        int n = 2 + round % 5;
        double x[6], d[6] = {0.0}, end[6], middle[6], value[2];
        sample_inside(&random, n, x);
        for (int i = 0; i < n; ++i) {
            d[i] = sample(&random);
        }
        double step = cn_lorentz_longest_step(n, x, d);
        if (!isfinite(step)) {
            ++infinite;
            step = 1e3; // anywhere
        } else {
            for (int i = 0; i < n; ++i) {
                end[i] = x[i] + step * d[i];
            }
            cn_lorentz_eigenvalues(n, end, value);
            worst = fmax(worst, fabs(value[0]) / (1.0 + step));
        }
        for (int i = 0; i < n; ++i) {
            middle[i] = x[i] + 0.999 * step * d[i];
        }
        cn_lorentz_eigenvalues(n, middle, value);
        least = fmin(least, value[0]);
    }
    CHECK(worst <= 1e-12); // numbers of size 1 + step, square roots of cancelling terms
    CHECK(least > 0.0);
    CHECK(infinite > 100 &&
          infinite < 1000); // some directions point into the cone, fewer as n grows
}

static void raised_elements_multiply_to_the_gap(void) {
    CnRandom random = {9};
    double worst = 0.0;
    for (int round = 0; round < 1000; ++round) {
        int n = 2 + round % 5;
        double x[6], opposite[6], r[6], y[6], product[6];
        for (int i = 0; i < n; ++i) {
            x[i] = sample(&random);
            opposite[i] = -x[i];
        }
        cn_lorentz_raise(n, x, 1e-6, r);
        cn_lorentz_raise(n, opposite, 1e-6, y);
        cn_lorentz_multiply(n, r, y, product);
        worst = fmax(worst, fabs(product[0] - 1e-6));
        for (int i = 1; i < n; ++i) {
            worst = fmax(worst, fabs(product[i]));
        }
        for (int i = 0; i < n; ++i) {
            worst = fmax(worst, fabs(r[i] - y[i] - x[i])); // and they differ by x
        }
    }
    CHECK(worst <= 1e-15); // some epsilons of numbers below 2
}

// Bodies with every kind of row: contacts of two to six rows, one without friction, limits on one
// side, on two and on none, equality, force rows with and without slope.
static void fill_mixed_problem(Problem* problem, CnRandom* random) {
    for (int i = 0; i < 4; ++i) {
        int body = problem_add_body(problem, 1.0 + 0.5 * i, 2.0);
        for (int k = 0; k < 6; ++k) {
            problem->free_velocity[body][k] = sample(random);
        }
    }
    problem_add_block(problem, CN_LAW_COULOMB, 3, 0, 1);
    problem_add_block(problem, CN_LAW_COULOMB, 3, 1, 2);
    problem_add_block(problem, CN_LAW_COULOMB, 2, 2, 3);
    problem_add_block(problem, CN_LAW_COULOMB, 3, -1, 0);
    problem_add_block(problem, CN_LAW_BOUNDS, 4, 3, 0);
    problem_add_block(problem, CN_LAW_EQUALITY, 2, 1, 3);
    problem_add_block(problem, CN_LAW_FORCE, 2, 0, 2);
    const double friction[4] = {0.5, 0.9, 0.3, 0.0};
    for (int i = 0; i < 4; ++i) {
        problem->blocks[i].friction = friction[i];
    }
    for (int row = 0; row < problem->row_count; ++row) {
        for (int k = 0; k < 6; ++k) {
            problem->jacobian_a[row][k] = row >= 8 && row < 11 ? 0.0 : sample(random);
            problem->jacobian_b[row][k] = sample(random);
        }
    }
    int six = problem_add_block(problem, CN_LAW_COULOMB, 6, 2, 0); // with torsion and rolling
    int four = problem_add_block(problem, CN_LAW_COULOMB, 4, 1, 3);
    problem->blocks[six].friction = 0.7;
    problem->blocks[four].friction = 0.4;
    for (int row = problem->blocks[six].first_row; row < problem->row_count; ++row) {
        for (int k = 0; k < 6; ++k) {
            problem->jacobian_a[row][k] = sample(random);
            problem->jacobian_b[row][k] = sample(random);
        }
    }
    int bounds = problem->blocks[4].first_row; // [0, inf), (-inf, 2], [-1, 1], free
    problem->lower[bounds + 1] = problem->lower[bounds + 3] = -HUGE_VAL;
    problem->upper[bounds + 1] = 2.0;
    problem->lower[bounds + 2] = -1.0;
    problem->upper[bounds + 2] = 1.0;
    int force = problem->blocks[6].first_row;
    problem->offset[force] = 0.3;
    problem->slope[force] = 0.7;
    problem->offset[force + 1] = -0.2; // no slope: given
}

// The pair of one group: x = (r_N, r_g), y = (lift, y_g).
static int gather(const CnInterior* point, const CnInteriorItem* item, int group, double x[3],
                  double y[3]) {
    int first = item->row + item->groups[group].first;
    x[0] = point->r[item->row];
    y[0] = group == 0 ? point->y[item->row] : point->z[first];
    for (int i = 0; i < item->groups[group].count; ++i) {
        x[1 + i] = point->r[first + i];
        y[1 + i] = point->y[first + i];
    }
    return 1 + item->groups[group].count;
}

// x o y - target e of each group, where y and z of the point have theirs.
static void cone_products(const CnInterior* point, const CnInteriorItem* item, double target,
                          double* products) {
    int rows = point->scaled.w.row_count;
    for (int g = 0; g < item->group_count; ++g) {
        double x[3], y[3], product[3];
        int n = gather(point, item, g, x, y), first = item->row + item->groups[g].first;
        cn_lorentz_multiply(n, x, y, product);
        products[g == 0 ? item->row : rows + first] = product[0] - target;
        for (int i = 1; i < n; ++i) {
            products[first + i - 1] = product[i];
        }
    }
}

// The equations at r + h dr, y + h dy, z + h dz: the residual, and the products less the target.
static void equations(const CnInterior* at, double h, double target, CnInterior* moved,
                      double* residual, double* products) {
    int rows = at->scaled.w.row_count;
    for (int i = 0; i < rows; ++i) {
        moved->r[i] = at->r[i] + h * at->dr[i];
        moved->y[i] = at->y[i] + h * at->dy[i];
        moved->z[i] = at->z[i] + h * at->dz[i];
        moved->center[i] = at->center[i];
    }
    moved->alpha = at->alpha;
    cn_interior_evaluate(moved);
    memcpy(residual, moved->residual, (size_t)rows * sizeof(double));
    memset(products, 0, 2 * (size_t)rows * sizeof(double));
    for (int i = 0; i < moved->item_count; ++i) {
        const CnInteriorItem* item = &moved->items[i];
        int row = item->row;
        if (item->kind == CN_INTERIOR_CONE) {
            cone_products(moved, item, target, products);
        } else if (item->kind == CN_INTERIOR_LIMIT) {
            if (isfinite(item->lower)) {
                products[row] = (moved->r[row] - item->lower) * moved->y[row] - target;
            }
            if (isfinite(item->upper)) {
                products[rows + row] = (item->upper - moved->r[row]) * moved->z[row] - target;
            }
        }
    }
}

enum { MOST_ROWS = 32 };

static void scatter_cone(CnInterior* point, const CnInteriorItem* item, CnRandom* random) {
    double normal = 0.0;
    for (int g = 0; g < item->group_count; ++g) {
        int first = item->row + item->groups[g].first, n = 1 + item->groups[g].count;
        double x[3], y[3];
        sample_inside(random, n, x);
        sample_inside(random, n, y);
        *(g == 0 ? &point->y[item->row] : &point->z[first]) = y[0];
        memcpy(point->r + first, x + 1, (size_t)(n - 1) * sizeof(double));
        memcpy(point->y + first, y + 1, (size_t)(n - 1) * sizeof(double));
        normal = fmax(normal, x[0]);
    }
    point->r[item->row] = normal;
}

// Moves to a random place inside, so that nothing is special.
static void scatter(CnInterior* point, CnRandom* random) {
    cn_interior_start(point);
    for (int i = 0; i < point->item_count; ++i) {
        const CnInteriorItem* item = &point->items[i];
        int row = item->row;
        if (item->kind == CN_INTERIOR_CONE) {
            scatter_cone(point, item, random);
        } else if (item->kind == CN_INTERIOR_LIMIT) {
            bool both = isfinite(item->lower) && isfinite(item->upper);
            double limit = isfinite(item->lower) ? item->lower : item->upper - 1.4;
            point->r[row] = both ? 0.3 * item->lower + 0.7 * item->upper : limit + 0.7;
            point->y[row] = isfinite(item->lower) ? 0.4 : 0.0;
            point->z[row] = isfinite(item->upper) ? 0.3 : 0.0;
        } else if (item->kind == CN_INTERIOR_FREE) {
            point->r[row] = sample(random);
        }
    }
    for (int i = 0; i < point->scaled.w.row_count; ++i) {
        point->center[i] = sample(random);
    }
}

// Along Newton's direction every equation falls at the rate of its own value: dF/dh = -F at h = 0.
// A central difference with h = 1e-5 is good to h^2 = 1e-10 times third derivatives of size 10,
// plus round-off 1e-15 / h.
static void check_newtons_direction(CnFrictionModel friction) {
    CnRandom random = {11};
    Problem problem = {0};
    CnArena arena;
    CnAssembled assembled;
    CnInterior point, moved;
    CnBlockRows matrix;
    CnLu lu;
    double right[MOST_ROWS], scratch[MOST_ROWS], push[MOST_ROWS];
    double residual[3][MOST_ROWS], products[3][2 * MOST_ROWS];
    fill_mixed_problem(&problem, &random);
    CnProblem view = *problem_view(&problem);
    view.friction_model = friction;
    int rows = view.row_count;
    CHECK(rows <= MOST_ROWS);
    cn_arena_init(&arena, NULL);
    CHECK_INT(cn_assemble(&view, &arena, &assembled), CN_OK);
    CHECK_INT(cn_interior_init(&point, &assembled, &arena), CN_OK);
    CHECK_INT(cn_interior_init(&moved, &assembled, &arena), CN_OK);
    CHECK_INT(cn_block_rows_copy(&point.scaled.w, &arena, &matrix), CN_OK);
    CHECK_INT(cn_lu_analyze(&lu, &matrix, &arena), CN_OK);
    for (int round = 0; round < 20; ++round) {
        const double target = 0.1, h = 1e-5;
        scatter(&point, &random);
        point.alpha = round % 2 == 0 ? 0.0 : 0.3;
        cn_interior_evaluate(&point);
        cn_interior_linearise(&point, 1.0);
        cn_interior_matrix(&point, &matrix);
        CHECK(cn_lu_factor(&lu, &matrix));
        cn_interior_forget_products(&point);
        cn_interior_right(&point, target, right);
        cn_lu_solve(&lu, right, point.dr);
        cn_lu_refine(&lu, &matrix, right, point.dr, scratch);
        cn_block_rows_multiply(&point.scaled.w, point.dr, push);
        double size = 1.0;
        for (int i = 0; i < rows; ++i) {
            push[i] += point.alpha * point.dr[i];
        }
        cn_interior_complete(&point, push, target);
        for (int i = 0; i < rows; ++i) {
            size = fmax(size, fmax(fabs(point.dr[i]), fabs(point.dy[i])));
        }
        equations(&point, 0.0, target, &moved, residual[0], products[0]);
        equations(&point, h / size, target, &moved, residual[1], products[1]);
        equations(&point, -h / size, target, &moved, residual[2], products[2]);
        double worst = 0.0;
        for (int i = 0; i < rows; ++i) {
            double slope = (residual[1][i] - residual[2][i]) / (2.0 * h);
            worst = fmax(worst, fabs(slope + residual[0][i] / size));
        }
        for (int i = 0; i < 2 * rows; ++i) {
            double slope = (products[1][i] - products[2][i]) / (2.0 * h);
            worst = fmax(worst, fabs(slope + products[0][i] / size));
        }
        CHECK(worst <= 2e-9);
    }
    cn_arena_destroy(&arena);
    problem_free(&problem);
}

static void newtons_direction_makes_every_equation_fall(void) {
    check_newtons_direction(CN_FRICTION_EXACT);
}

static void newtons_direction_is_right_for_associated_friction(void) {
    check_newtons_direction(CN_FRICTION_ASSOCIATED);
}

// Without coupling, and W semidefinite, the matrix has a positive determinant anywhere inside.
static void without_coupling_the_determinant_is_positive(void) {
    CnRandom random = {13};
    Problem problem = {0};
    CnArena arena;
    CnAssembled assembled;
    CnInterior point;
    CnBlockRows matrix;
    CnLu lu;
    fill_mixed_problem(&problem, &random);
    cn_arena_init(&arena, NULL);
    CHECK_INT(cn_assemble(problem_view(&problem), &arena, &assembled), CN_OK);
    CHECK_INT(cn_interior_init(&point, &assembled, &arena), CN_OK);
    CHECK_INT(cn_block_rows_copy(&point.scaled.w, &arena, &matrix), CN_OK);
    CHECK_INT(cn_lu_analyze(&lu, &matrix, &arena), CN_OK);
    int positive = 0;
    for (int round = 0; round < 100; ++round) {
        scatter(&point, &random);
        cn_interior_linearise(&point, 0.0);
        cn_interior_matrix(&point, &matrix);
        CHECK(cn_lu_factor(&lu, &matrix));
        positive += lu.determinant_sign > 0;
    }
    CHECK_INT(positive, 100);
    cn_arena_destroy(&arena);
    problem_free(&problem);
}

// A tower of five boxes on four points each: 66 rows, but five bodies. Random points inside have
// condition numbers of some 1e4, so the defect that is left is 1e4 epsilon of the terms, refined.
static void going_by_bodies_solves_the_same_system(void) {
    enum { LEVELS = 5, ROWS = 12 * LEVELS + 6 };
    CnRandom random = {17};
    Problem problem = {0};
    CnArena arena;
    CnAssembled assembled;
    CnInterior point;
    CnInteriorSystem system;
    CnBlockRows matrix;
    CnLu lu;
    for (int i = 0; i < LEVELS; ++i) {
        int box = problem_add_body(&problem, 1.0 / (1 + i), 6.0);
        for (int k = 0; k < 4; ++k) {
            double x = k & 1 ? 0.5 : -0.5, y = k & 2 ? 0.5 : -0.5;
            problem_add_contact(&problem, box - 1, box, cn_vec3(x, y, 0.5), cn_vec3(x, y, -0.5),
                                i == 2 ? 0.0 : 0.6);
        }
        problem.free_velocity[box][2] = -1.0;
    }
    int wide = problem_add_block(&problem, CN_LAW_COULOMB, 6, 2, 4); // torsion and rolling, too
    problem.blocks[wide].friction = 0.5;
    for (int row = 12 * LEVELS; row < ROWS; ++row) {
        for (int k = 0; k < 6; ++k) {
            problem.jacobian_a[row][k] = sample(&random);
            problem.jacobian_b[row][k] = sample(&random);
        }
    }
    problem.compliance[3] = 0.2;
    const CnProblem* view = problem_view(&problem);
    cn_arena_init(&arena, NULL);
    CHECK_INT(cn_assemble(view, &arena, &assembled), CN_OK);
    CHECK_INT(cn_interior_init(&point, &assembled, &arena), CN_OK);
    CHECK_INT(cn_interior_system_init(&system, view, &point, HUGE_VAL, &arena), CN_OK);
    CHECK_INT(cn_block_rows_copy(&point.scaled.w, &arena, &matrix), CN_OK);
    CHECK_INT(cn_lu_analyze(&lu, &matrix, &arena), CN_OK);
    CHECK(system.by_bodies);
    double right[ROWS], x[ROWS], product[ROWS], worst = 0.0;
    for (int round = 0; round < 20; ++round) {
        scatter(&point, &random);
        point.alpha = round % 2 == 0 ? 0.0 : 0.1;
        cn_interior_evaluate(&point);
        cn_interior_linearise(&point, 1.0);
        cn_interior_forget_products(&point);
        cn_interior_right(&point, 0.1, right);
        CHECK(cn_interior_system_factor(&system, &point));
        cn_interior_system_solve(&system, &point, right, x);
        cn_interior_matrix(&point, &matrix);
        CHECK(cn_lu_factor(&lu, &matrix));
        CHECK_INT(system.determinant_sign, lu.determinant_sign);
        cn_block_rows_multiply(&matrix, x, product);
        for (int i = 0; i < ROWS; ++i) {
            worst = fmax(worst, fabs(product[i] - right[i]));
        }
    }
    CHECK(worst <= 1e-10);
    cn_arena_destroy(&arena);
    problem_free(&problem);
}

// From any r, u every group ends up centred, x o y = gap e, with the normal that all share.
static void starting_near_a_point_centres_every_group(void) {
    CnRandom random = {19};
    Problem problem = {0};
    CnArena arena;
    CnAssembled assembled;
    CnInterior point;
    double r[MOST_ROWS], u[MOST_ROWS], products[2 * MOST_ROWS] = {0.0}, worst = 0.0;
    const double gap = 1e-3;
    fill_mixed_problem(&problem, &random);
    cn_arena_init(&arena, NULL);
    CHECK_INT(cn_assemble(problem_view(&problem), &arena, &assembled), CN_OK);
    CHECK_INT(cn_interior_init(&point, &assembled, &arena), CN_OK);
    for (int round = 0; round < 200; ++round) {
        for (int i = 0; i < problem.row_count; ++i) {
            r[i] = sample(&random);
            u[i] = sample(&random);
        }
        cn_interior_start_near(&point, r, u, gap);
        for (int i = 0; i < point.item_count; ++i) {
            if (point.items[i].kind == CN_INTERIOR_CONE) {
                cone_products(&point, &point.items[i], gap, products);
            }
        }
        for (int i = 0; i < 2 * problem.row_count; ++i) {
            worst = fmax(worst, fabs(products[i]));
        }
    }
    // Eigenvalues of 3, 1e-3 / 3 and their sums: epsilon of 3 in the small one, times 3.
    CHECK(worst <= 5e-15);
    cn_arena_destroy(&arena);
    problem_free(&problem);
}

TEST_MAIN("unit/solvers/interior/interior", TEST(the_longest_step_ends_on_the_boundary),
          TEST(raised_elements_multiply_to_the_gap),
          TEST(newtons_direction_makes_every_equation_fall),
          TEST(newtons_direction_is_right_for_associated_friction),
          TEST(without_coupling_the_determinant_is_positive),
          TEST(going_by_bodies_solves_the_same_system),
          TEST(starting_near_a_point_centres_every_group))

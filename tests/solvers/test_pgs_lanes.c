// test_pgs_lanes.c - sweeps over tiles: known answers, equal bits, and agreement with pgs.
#include "cairn/random.h"
#include "cairn/solver.h"
#include "solvers/soft/row_tile.h"
#include "support/problems/solving.h"
#include "support/test.h"

#include <stdlib.h>

static CnSolverReport solve(Problem* problem, CnSolverDef def, double* impulse) {
    CnSolverReport report = solve_problem(problem, def);
    memcpy(impulse, problem->impulse, (size_t)problem->row_count * sizeof(double));
    return report;
}

static CnSolverDef named(const char* name, double tolerance) {
    CnSolverDef def = cn_solver_def_default();
    def.name = name;
    def.tolerance = tolerance;
    return def;
}

// W = [2 0.5; 0.5 3], b = (1, 1.5): p = (9, 10) / 23 by Cramer's rule; in double precision although
// sweeps are in single.
static void two_bounded_rows_have_a_known_answer_to_fourteen_digits(void) {
    const double a[4] = {2.0, 0.5, 0.5, 3.0}, b[2] = {1.0, 1.5};
    Problem problem = {0};
    problem_from_matrix(&problem, CN_LAW_BOUNDS, 2, a, b);
    double p[2];
    CnSolverReport report = solve(&problem, named("pgs_lanes", 1e-14), p);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK_NEAR(p[0], 9.0 / 23.0, 1e-14);
    CHECK_NEAR(p[1], 10.0 / 23.0, 1e-14);
    problem_free(&problem);
}

// 1 kg falls at 2 m/s and slides at 5 m/s: p_N = 2, friction 0.4 * 2 against the motion.
static void a_sliding_point_feels_mu_times_its_weight_against_its_motion(void) {
    Problem problem = {0};
    int body = problem_add_body(&problem, 1.0, 0.0);
    const double v[6] = {3.0, 4.0, -2.0, 0.0, 0.0, 0.0};
    memcpy(problem.free_velocity[body], v, sizeof v);
    problem_add_contact(&problem, -1, body, cn_vec3(0, 0, 0), cn_vec3(0, 0, 0), 0.4);
    double p[3];
    CnSolverReport report = solve(&problem, named("pgs_lanes", 1e-6), p);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK_NEAR(p[0], 2.0, 1e-12);
    CHECK_NEAR(sqrt(p[1] * p[1] + p[2] * p[2]), 0.8, 1e-12); // the disc, in double precision
    problem_free(&problem);
}

// m dv = p with p = offset - slope v from rest: v = offset / (m + slope).
static void a_damper_slows_down_what_a_force_drives(void) {
    Problem problem = {0};
    int body = problem_add_body(&problem, 0.5, 0.0); // 2 kg
    int block = problem_add_block(&problem, CN_LAW_FORCE, 1, -1, body);
    problem_set_row(&problem, problem.blocks[block].first_row, cn_vec3(1, 0, 0), cn_vec3(0, 0, 0),
                    cn_vec3(0, 0, 0));
    problem.offset[0] = 10.0;
    problem.slope[0] = 3.0;
    double p[1];
    CnSolverReport report = solve(&problem, named("pgs_lanes", 1e-14), p);
    CHECK_INT(report.outcome, CN_CONVERGED);
    CHECK_NEAR(p[0], 2.0 * 10.0 / (2.0 + 3.0), 1e-14); // m v
    problem_free(&problem);
}

// Unique answers: residuals are within 1e-8 and 1e-10 m/s, and W of one contact per body has no
// eigenvalue below the least inverse mass, 0.5 / kg: impulses differ by some 2e-8 N s. The bound
// leaves a factor of 10 for the projection onto the cone.
static void many_single_contacts_are_those_of_pgs(void) {
    enum { BODIES = 37 };
    static double p[3 * BODIES], expected[3 * BODIES];
    Problem problem = {0};
    CnRandom random = {11};
    for (int i = 0; i < BODIES; ++i) {
        double inverse_mass = cn_random_between(&random, 0.5, 2.0);
        double inverse_inertia = cn_random_between(&random, 1.0, 4.0);
        int body = problem_add_body(&problem, inverse_mass, inverse_inertia);
        for (int k = 0; k < 6; ++k) {
            problem.free_velocity[body][k] = cn_random_between(&random, -2.0, 1.0);
        }
        problem_add_contact(&problem, -1, body, cn_vec3(0, 0, 0),
                            cn_vec3(0.1, cn_random_between(&random, -0.2, 0.2), -0.5), 0.3);
    }
    CnSolverReport report = solve(&problem, named("pgs_lanes", 1e-8), p);
    CHECK_INT(report.outcome, CN_CONVERGED);
    solve(&problem, named("pgs", 1e-10), expected);
    for (int i = 0; i < 3 * BODIES; ++i) {
        CHECK_NEAR(p[i], expected[i], 2e-7);
    }
    problem_free(&problem);
}

// Sweeps cut short name the row they left most in.
static void the_remark_names_the_worst_row(void) {
    const double a[4] = {2.0, -1.9, -1.9, 2.0}, b[2] = {1.0, 1.5};
    Problem problem = {0};
    double p[2];
    problem_from_matrix(&problem, CN_LAW_EQUALITY, 2, a, b);
    CnSolverDef def = named("pgs_lanes", 1e-12);
    def.max_iterations = 1;
    CnSolverReport report = solve(&problem, def, p);
    // After one sweep p = (1/2, 1.225): row 0 misses by 1.9 * 1.225, row 1 by nothing.
    CHECK_INT(report.outcome, CN_OUT_OF_ITERATIONS);
    CHECK_CONTAINS(report.remark, "rows: worst 2.3 m/s (row 0 of");
    CHECK_NEAR(report.certificate.worst, 1.9 * 1.225, 1e-6);
    problem_free(&problem);
}

static void problems_without_bodies_are_refused(void) {
    const int start[2] = {0, 1}, column[1] = {0};
    const double value[1] = {2.0}, target[1] = {1.0};
    const CnResponse response = {start, column, value};
    Problem problem = {0};
    problem_from_matrix(&problem, CN_LAW_BOUNDS, 1, value, target);
    CnProblem given = *problem_view(&problem);
    CnBlock block = problem.blocks[0];
    block.body_a = block.body_b = -1;
    given.blocks = &block;
    given.body_count = 0;
    given.response = &response;
    double p[1] = {0.0};
    CnSolution solution = {p, NULL};
    CnSolverReport report;
    CnError error = {0};
    CnSolverDef def = named("pgs_lanes", 1e-8);
    CnWorkspace* workspace = cn_workspace_create(NULL, &error);
    CHECK_INT(cn_solve(&given, &def, workspace, &solution, &report, &error), CN_UNSUPPORTED);
    CHECK_CONTAINS(error.message, "pgs_lanes works on bodies");
    cn_workspace_destroy(workspace);
    problem_free(&problem);
}

// ---- widths ----

#define TILES 6
#define BODIES 24
#define MOST_ROWS 6

typedef struct Field {
    CnSoftBody bodies[BODIES];
    CnRowTile tiles[TILES];
    CnRowLanes rows[TILES][MOST_ROWS];
    CnRowSide sides[TILES][MOST_ROWS * 4];
} Field;

static void fill_lanes(CnRandom* random, double low, double high, float* to) {
    for (int lane = 0; lane < CN_SOFT_LANES; ++lane) {
        to[lane] = (float)cn_random_between(random, low, high);
    }
}

static void fill_row(CnRandom* random, CnRowTile* tile, int row) {
    CnRowLanes* lanes = &tile->rows[row];
    fill_lanes(random, 0.1, 0.5, lanes->step);
    fill_lanes(random, 0.0, 0.1, lanes->compliance);
    fill_lanes(random, 0.5, 1.0, lanes->gain);
    fill_lanes(random, 0.0, tile->law == CN_LAW_FORCE ? 1.0 : 0.0, lanes->keep);
    fill_lanes(random, -1.0, 2.0, lanes->wanted);
    fill_lanes(random, -1.0, 0.0, lanes->least);
    fill_lanes(random, 0.0, 1.0, lanes->most);
    fill_lanes(random, 0.0, 0.5, lanes->impulse);
    for (int side = 0; side < tile->side_count; ++side) {
        for (int k = 0; k < 6; ++k) {
            fill_lanes(random, -1.0, 1.0, tile->sides[row * tile->side_count + side].jacobian[k]);
            fill_lanes(random, -1.0, 1.0, tile->sides[row * tile->side_count + side].response[k]);
        }
    }
}

// All laws, wide contacts, a second pair; lanes of a tile share no body but the first.
static void fill(Field* field) {
    const struct {
        CnLaw law;
        int rows, sides;
    } kinds[TILES] = {{CN_LAW_EQUALITY, 5, 2}, {CN_LAW_BOUNDS, 1, 2},  {CN_LAW_FORCE, 2, 2},
                      {CN_LAW_COULOMB, 3, 2},  {CN_LAW_COULOMB, 6, 2}, {CN_LAW_EQUALITY, 1, 4}};
    CnRandom random = {5};
    memset(field, 0, sizeof *field);
    for (int t = 0; t < TILES; ++t) {
        CnRowTile* tile = &field->tiles[t];
        *tile = (CnRowTile){.law = kinds[t].law,
                            .row_count = kinds[t].rows,
                            .side_count = kinds[t].sides,
                            .rows = field->rows[t],
                            .sides = field->sides[t]};
        fill_lanes(&random, 0.2, 0.8, tile->friction);
        for (int lane = 0; lane < CN_SOFT_LANES; ++lane) {
            tile->offset[0][lane] = (int32_t)((1 + (lane + t) % 8) * (int)sizeof(CnSoftBody));
            tile->offset[1][lane] = (int32_t)((9 + (lane + 3 * t) % 8) * (int)sizeof(CnSoftBody));
        }
        for (int row = 0; row < tile->row_count; ++row) {
            fill_row(&random, tile, row);
        }
        for (int i = 0; i < tile->row_count * tile->side_count; ++i) { // nothing moves the world
            CnRowSide* side = &field->sides[t][i];
            for (int k = 0; i % tile->side_count > 1 && k < 6; ++k) {
                memset(side->response[k], 0, sizeof side->response[k]);
            }
        }
    }
}

static void every_width_gives_the_same_bits(void) {
    static Field field[3];
    const CnRowKernels* kernels[3] = {&cn_row_kernels_plain, &cn_row_kernels_128,
                                      CN_WIDEST(cn_row_kernels)};
    float moved[3][4];
    for (int i = 0; i < 3; ++i) {
        fill(&field[i]);
        for (int k = 0; k < 4; ++k) {
            moved[i][k] = kernels[i]->sweep(field[i].tiles, TILES, field[i].bodies);
        }
    }
    CHECK(moved[0][0] > 0.1f);
    for (int i = 1; i < 3; ++i) {
        CHECK(memcmp(field[0].rows, field[i].rows, sizeof field[0].rows) == 0);
        CHECK(memcmp(field[0].bodies, field[i].bodies, sizeof field[0].bodies) == 0);
        CHECK(memcmp(moved[0], moved[i], sizeof moved[0]) == 0);
    }
}

// The twin: one lane, one row at a time, in plain words. Sums are in the order of the kernels.
static void visit_plainly(CnRowTile* tile, int row, int lane, CnSoftBody* bodies) {
    CnRowLanes* rows = &tile->rows[row];
    float change = rows->change[lane], u = rows->compliance[lane] * change;
    for (int side = 0; side < 2; ++side) {
        const CnRowSide* part = &tile->sides[2 * row + side];
        const CnSoftBody* body = &bodies[(size_t)tile->offset[side][lane] / sizeof(CnSoftBody)];
        for (int k = 0; k < 6; ++k) {
            float v = k < 3 ? body->velocity[k] : body->spin[k - 3];
            u = u + part->jacobian[k][lane] * v;
        }
    }
    float left = rows->wanted[lane] - rows->gain[lane] * u - rows->keep[lane] * change;
    float now = change + rows->step[lane] * left;
    now = now < rows->least[lane] ? rows->least[lane] : now;
    now = now > rows->most[lane] ? rows->most[lane] : now;
    rows->change[lane] = now;
    for (int side = 0; side < 2; ++side) {
        const CnRowSide* part = &tile->sides[2 * row + side];
        CnSoftBody* body = &bodies[(size_t)tile->offset[side][lane] / sizeof(CnSoftBody)];
        for (int k = 0; k < 6; ++k) {
            float* v = k < 3 ? &body->velocity[k] : &body->spin[k - 3];
            *v = *v + part->response[k][lane] * (now - change);
        }
    }
}

static void rows_are_those_of_a_plain_loop(void) {
    static Field field[2];
    fill(&field[0]);
    fill(&field[1]);
    for (int t = 0; t < 3; ++t) { // equalities, bounds and forces
        for (int lane = 0; lane < CN_SOFT_LANES; ++lane) {
            for (int row = 0; row < field[0].tiles[t].row_count; ++row) {
                visit_plainly(&field[0].tiles[t], row, lane, field[0].bodies);
            }
        }
    }
    CN_WIDEST(cn_row_kernels)->sweep(field[1].tiles, 3, field[1].bodies);
    CHECK(memcmp(field[0].rows, field[1].rows, sizeof field[0].rows) == 0);
    CHECK(memcmp(field[0].bodies, field[1].bodies, sizeof field[0].bodies) == 0);
}

TEST_MAIN("solvers/pgs_lanes", TEST(two_bounded_rows_have_a_known_answer_to_fourteen_digits),
          TEST(a_sliding_point_feels_mu_times_its_weight_against_its_motion),
          TEST(a_damper_slows_down_what_a_force_drives),
          TEST(many_single_contacts_are_those_of_pgs), TEST(the_remark_names_the_worst_row),
          TEST(problems_without_bodies_are_refused), TEST(every_width_gives_the_same_bits),
          TEST(rows_are_those_of_a_plain_loop))

// test_linkage.c - a tree of bodies in linear time against dense linear algebra.
#include "solvers/tree/linkage.h"

#include "cairn/random.h"
#include "linalg/dense.h"
#include "math/simd.h"
#include "solvers/tree/linkage_joint.h"
#include "solvers/tree/linkage_plan.h"
#include "support/test.h"

enum { LINKS = 12, ROWS = 6 * LINKS, SIZE = 2 * ROWS, OUTER = 7 };

// Masses, lengths and rows are between 1/4 and 4, so that the dense matrix of 144 unknowns has a
// condition below 1e5: 144 * 1e5 * 2^-53 = 2e-9 at worst, and errors that do not all add up are a
// root of 144 smaller.
#define TOLERANCE 2e-10

typedef struct Machine {
    CnArena arena;
    CnLinkage links;
    int parent[LINKS], first_axis[LINKS + 1], first_row[LINKS + 1];
    CnLinkageJoint joints[LINKS];
    double frame[LINKS][6][6]; // unit twists square to each other: of the rows, then of the axes
    double jacobian[ROWS][6];  // of the rows kept, at the child
    double wanted[ROWS];
    double momentum[LINKS][6], twist[LINKS][6], offset[ROWS], slope[ROWS];
    double matrix[SIZE * SIZE]; // dense: (M + G^T s G) V - J^T p = P + G^T o, J V = wanted
    int pivot[SIZE];
    double x[SIZE]; // V, then p
} Machine;

static double draw(CnRandom* random) {
    return cn_random_between(random, -1.0, 1.0);
}

// Six twists at random, made square to each other one after the other, twice.
static void draw_frame(double frame[6][6], CnRandom* random) {
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < 6; ++k) {
            frame[i][k] = draw(random);
        }
        for (int pass = 0; pass < 2; ++pass) {
            for (int j = 0; j <= i; ++j) {
                double part = cn_dense_dot(6, frame[i], frame[j]);
                double length = sqrt(cn_dense_dot(6, frame[i], frame[i]));
                for (int k = 0; k < 6; ++k) {
                    frame[i][k] = j < i ? frame[i][k] - part * frame[j][k] : frame[i][k] / length;
                }
            }
        }
    }
}

// Rows of a joint: sums of twists square to each other, with lengths from a half to three.
static void draw_joint(Machine* it, int link, int rows, CnRandom* random) {
    CnLinkageJoint* joint = &it->joints[link];
    const double(*frame)[6] = (const double(*)[6])it->frame[link];
    draw_frame(it->frame[link], random);
    for (int i = 0; i < rows; ++i) {
        int row = it->first_row[link] + i;
        double length = cn_random_between(random, 0.5, 2.0);
        for (int k = 0; k < 6; ++k) {
            it->jacobian[row][k] = length * (frame[i][k] + (i > 0 ? frame[i - 1][k] : 0.0));
        }
        it->wanted[row] = draw(random);
    }
    const double(*own)[6] = (const double(*)[6])it->jacobian + it->first_row[link];
    CHECK(cn_linkage_joint_factor(rows, own, joint));
}

static void draw_link(Machine* it, int link, CnRandom* random) {
    CnLinkage* links = &it->links;
    double spread[3] = {draw(random), draw(random), draw(random)};
    links->mass[link] = cn_random_between(random, 0.5, 2.0);
    for (int k = 0; k < 3; ++k) {
        links->arm[link][k] = draw(random);
    }
    const double inertia[6] = {1.5, 0.2 * spread[0], 0.2 * spread[1], 1.0, 0.2 * spread[2], 0.8};
    memcpy(links->inertia[link], inertia, sizeof inertia);
    int rows = it->joints[link].row_count;
    for (int i = it->first_axis[link]; i < it->first_axis[link + 1]; ++i) {
        memcpy(links->axis[i], it->frame[link][rows + i - it->first_axis[link]], sizeof(double[6]));
        it->offset[i] = draw(random);
        it->slope[i] = fmax(0.0, draw(random));
        links->slope[i][i - it->first_axis[link]] = it->slope[i];
    }
    for (int k = 0; k < 6; ++k) {
        it->momentum[link][k] = draw(random);
    }
    cn_linkage_joint_twist(&it->joints[link], it->wanted + it->first_row[link], it->twist[link]);
    for (int i = it->first_axis[link]; i < it->first_axis[link + 1]; ++i) { // square to the axes
        const double* axis = links->axis[i];
        double part = cn_dense_dot(6, axis, it->twist[link]);
        for (int k = 0; k < 6; ++k) {
            it->twist[link][k] -= part * axis[k];
        }
    }
}

// Adds a row's part at a link and at its parent to a row of the dense matrix.
static void spread_row(const Machine* it, int link, const double row[6], double* out) {
    int parent = it->parent[link];
    for (int k = 0; k < 6; ++k) {
        out[6 * link + k] += row[k];
    }
    if (parent >= 0) { // -row X
        double moved[6] = {0.0};
        cn_linkage_to_parent(it->links.arm[link], row, moved);
        for (int k = 0; k < 6; ++k) {
            out[6 * parent + k] -= moved[k];
        }
    }
}

static void fill_dense(Machine* it) {
    int bodies = 6 * LINKS, size = bodies + it->first_row[LINKS];
    memset(it->matrix, 0, sizeof it->matrix);
    memset(it->x, 0, sizeof it->x);
    for (int i = 0; i < LINKS; ++i) {
        static const int place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
        for (int k = 0; k < 3; ++k) {
            it->matrix[(6 * i + k) * size + 6 * i + k] = it->links.mass[i];
            for (int j = 0; j < 3; ++j) {
                it->matrix[(6 * i + 3 + k) * size + 6 * i + 3 + j] =
                    it->links.inertia[i][place[k][j]];
            }
        }
        for (int k = 0; k < 6; ++k) {
            it->x[6 * i + k] = it->momentum[i][k];
        }
    }
    for (int i = 0; i < LINKS; ++i) {
        for (int a = it->first_axis[i]; a < it->first_axis[i + 1]; ++a) {
            double g[6 * LINKS] = {0.0};
            spread_row(it, i, it->links.axis[a], g);
            for (int k = 0; k < bodies; ++k) {
                it->x[k] += g[k] * it->offset[a];
                for (int j = 0; j < bodies; ++j) {
                    it->matrix[k * size + j] += it->slope[a] * g[k] * g[j];
                }
            }
        }
        for (int row = it->first_row[i]; row < it->first_row[i + 1]; ++row) {
            double j[6 * LINKS] = {0.0};
            spread_row(it, i, it->jacobian[row], j);
            for (int k = 0; k < bodies; ++k) {
                it->matrix[(bodies + row) * size + k] = j[k];
                it->matrix[k * size + bodies + row] = -j[k];
            }
            it->x[bodies + row] = it->wanted[row];
        }
    }
    CHECK(cn_dense_lu_factor(size, it->matrix, it->pivot));
}

// Odd seeds: every link has a parent of a lower number at random, some the world, and joints of 0
// to 6 rows. Even seeds: up to five limbs of different lengths on one link, or on the world, with
// joints of 5 or 6 rows.
static void build(Machine* it, uint64_t seed) {
    CnRandom random = {seed};
    int rows[LINKS], limbs = 2 + (int)(seed / 2 % 4);
    cn_arena_init(&it->arena, NULL);
    it->first_row[0] = it->first_axis[0] = 0;
    for (int i = 0; i < LINKS; ++i) {
        it->parent[i] = (int)cn_random_between(&random, 0.0, i + 1.0) - 1;
        rows[i] = (int)cn_random_between(&random, 0.0, 7.0);
        if (seed % 2 == 0) {
            it->parent[i] = i > limbs ? i - limbs : i == 0 || seed % 3 == 0 ? -1 : 0;
            rows[i] = i == 0 ? rows[i] : 5 + (rows[i] == 0);
        }
        it->first_row[i + 1] = it->first_row[i] + rows[i];
        it->first_axis[i + 1] = it->first_axis[i] + 6 - rows[i];
    }
    CHECK_INT(cn_linkage_init(&it->links, LINKS, it->parent, it->first_axis, &it->arena), CN_OK);
    it->links.has_slopes = true;
    for (int i = 0; i < LINKS; ++i) {
        draw_joint(it, i, rows[i], &random);
        draw_link(it, i, &random);
    }
    fill_dense(it);
    CHECK(cn_linkage_factor(&it->links));
}

static void velocities_are_those_of_the_dense_system(void) {
    static Machine it;
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        double momentum[LINKS][6], velocity[LINKS][6], rate[ROWS];
        build(&it, seed);
        memcpy(momentum, it.momentum, sizeof momentum);
        cn_dense_lu_solve(6 * LINKS + it.first_row[LINKS], it.matrix, it.pivot, it.x);
        cn_linkage_solve(&it.links, momentum, (const double(*)[6])it.twist, it.offset, velocity,
                         rate);
        for (int i = 0; i < LINKS; ++i) {
            double y[6] = {0.0};
            for (int k = 0; k < 6; ++k) {
                CHECK_NEAR(velocity[i][k], it.x[6 * i + k], TOLERANCE);
            }
            if (it.parent[i] >= 0) {
                cn_linkage_to_child(it.links.arm[i], velocity[it.parent[i]], y);
            }
            for (int a = it.first_axis[i]; a < it.first_axis[i + 1]; ++a) {
                double relative = 0.0;
                for (int k = 0; k < 6; ++k) {
                    relative += it.links.axis[a][k] * (velocity[i][k] - y[k] - it.twist[i][k]);
                }
                CHECK_NEAR(rate[a], relative, TOLERANCE);
            }
        }
        cn_arena_destroy(&it.arena);
    }
}

static void impulses_are_those_of_the_dense_system(void) {
    static Machine it;
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        double momentum[LINKS][6], velocity[LINKS][6], wrench[LINKS][6], rate[ROWS], p[6];
        build(&it, seed);
        memcpy(momentum, it.momentum, sizeof momentum);
        cn_dense_lu_solve(6 * LINKS + it.first_row[LINKS], it.matrix, it.pivot, it.x);
        cn_linkage_solve(&it.links, momentum, (const double(*)[6])it.twist, it.offset, velocity,
                         rate);
        cn_linkage_wrenches(&it.links, (const double(*)[6])it.momentum,
                            (const double(*)[6])velocity, wrench);
        for (int i = 0; i < LINKS; ++i) {
            for (int a = it.first_axis[i]; a < it.first_axis[i + 1]; ++a) { // what its drives give
                for (int k = 0; k < 6; ++k) {
                    wrench[i][k] -= (it.offset[a] - it.slope[a] * rate[a]) * it.links.axis[a][k];
                }
            }
            cn_linkage_joint_impulses(&it.joints[i], wrench[i], p);
            for (int row = it.first_row[i]; row < it.first_row[i + 1]; ++row) {
                CHECK_NEAR(p[row - it.first_row[i]], it.x[6 * LINKS + row], TOLERANCE);
            }
        }
        cn_arena_destroy(&it.arena);
    }
}

// Rows from outside, each between two links: W = Y Y^T and the velocities of Y^T p.
static void further_rows_see_the_response_of_the_dense_system(void) {
    static Machine it;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        CnRandom random = {seed + 1000};
        double g[OUTER][2][6], y[OUTER][ROWS] = {{0.0}}, sum[ROWS] = {0.0};
        double velocity[LINKS][6];
        build(&it, seed);
        int size = 6 * LINKS + it.first_row[LINKS];
        for (int i = 0; i < OUTER; ++i) {
            for (int k = 0; k < 12; ++k) {
                g[i][k / 6][k % 6] = draw(&random);
            }
            cn_linkage_push(&it.links, i, g[i][0], y[i]);
            cn_linkage_push(&it.links, LINKS - 1 - i, g[i][1], y[i]);
        }
        for (int j = 0; j < OUTER; ++j) {
            memset(it.x, 0, sizeof it.x);
            for (int k = 0; k < 6; ++k) {
                it.x[6 * j + k] += g[j][0][k];
                it.x[6 * (LINKS - 1 - j) + k] += g[j][1][k];
            }
            cn_dense_lu_solve(size, it.matrix, it.pivot, it.x);
            for (int i = 0; i < OUTER; ++i) {
                double w = 0.0;
                for (int k = 0; k < 6; ++k) {
                    w += g[i][0][k] * it.x[6 * i + k] + g[i][1][k] * it.x[6 * (LINKS - 1 - i) + k];
                }
                CHECK_NEAR(cn_dense_dot(it.links.axis_count, y[i], y[j]), w, TOLERANCE);
            }
        }
        for (int a = 0; a < it.links.axis_count; ++a) { // the last row alone, still in x
            sum[a] = y[OUTER - 1][a];
        }
        cn_linkage_respond(&it.links, sum, velocity);
        for (int k = 0; k < 6 * LINKS; ++k) {
            CHECK_NEAR(velocity[k / 6][k % 6], it.x[k], TOLERANCE);
        }
        cn_arena_destroy(&it.arena);
    }
}

// Rows pushed side by side have the bits of each pushed alone, at any stride and width.
static void rows_are_pushed_alike_side_by_side(void) {
    static Machine it;
    const CnLinkagePasses* passes[2] = {&cn_linkage_passes_128, CN_WIDEST(cn_linkage_passes)};
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        CnRandom random = {seed + 2000};
        int count = 1 + (int)(seed % CN_LINKAGE_ROWS), stride = CN_LINKAGE_ROWS + (int)(seed % 3);
        double g[CN_LINKAGE_ROWS][6], alone[ROWS], all[(CN_LINKAGE_ROWS + 2) * ROWS];
        build(&it, seed);
        for (int k = 0; k < 6 * CN_LINKAGE_ROWS; ++k) {
            g[k / 6][k % 6] = draw(&random);
        }
        for (int link = 0; link < LINKS; ++link) {
            for (int w = 0; w < 2; ++w) {
                memset(all, 0, sizeof all);
                passes[w]->push_rows(&it.links, link, count, (const double(*)[6])g, stride, all);
                for (int i = 0; i < count; ++i) {
                    memset(alone, 0, sizeof alone);
                    cn_linkage_push(&it.links, link, g[i], alone);
                    for (int a = 0; a < it.links.axis_count; ++a) {
                        CHECK_NEAR(all[a * stride + i], alone[a], 0.0);
                    }
                }
            }
        }
        cn_arena_destroy(&it.arena);
    }
}

// NULL stands for momenta of zero, and no slopes for slopes of zero, to the bit.
static void check_without_momenta(const CnLinkagePasses* passes, Machine* it) {
    static const double zero[LINKS][6];
    CnLinkage* links = &it->links;
    double velocity[2][LINKS][6], wrench[2][LINKS][6];
    memset(links->slope, 0, (size_t)links->axis_count * sizeof *links->slope);
    for (int k = 0; k < 2; ++k) {
        const double(*momentum)[6] = k == 0 ? zero : NULL;
        links->has_slopes = k == 0;
        CHECK(passes->factor_and_solve(links, momentum, (const double(*)[6])it->twist, it->offset,
                                       velocity[k]));
        passes->find_wrenches(links, momentum, (const double(*)[6])velocity[k], wrench[k]);
    }
    CHECK(memcmp(velocity[0], velocity[1], sizeof velocity[0]) == 0);
    CHECK(memcmp(wrench[0], wrench[1], sizeof wrench[0]) == 0);
}

// Narrow registers give the bits of wide ones.
static void all_widths_have_the_same_bits(void) {
    static Machine it, other;
    const CnLinkagePasses *narrow = &cn_linkage_passes_128, *wide = CN_WIDEST(cn_linkage_passes);
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        const CnLinkagePasses* passes[2] = {narrow, wide};
        Machine* machines[2] = {&it, &other};
        double velocity[2][LINKS][6], rate[2][ROWS], wrench[2][LINKS][6], y[2][ROWS];
        double answer[2][LINKS][6], at_once[2][LINKS][6];
        memset(rate, 0, sizeof rate);
        memset(y, 0, sizeof y);
        for (int k = 0; k < 2; ++k) {
            double momentum[LINKS][6];
            build(machines[k], seed);
            CnLinkage* links = &machines[k]->links;
            memcpy(momentum, machines[k]->momentum, sizeof momentum);
            CHECK(passes[k]->factor(links));
            passes[k]->solve(links, momentum, (const double(*)[6])machines[k]->twist,
                             machines[k]->offset, velocity[k], rate[k]);
            passes[k]->find_wrenches(links, (const double(*)[6])machines[k]->momentum,
                                     (const double(*)[6])velocity[k], wrench[k]);
            passes[k]->push(links, LINKS - 1, machines[k]->momentum[0], y[k]);
            passes[k]->respond(links, y[k], answer[k]);
            memcpy(momentum, machines[k]->momentum, sizeof momentum);
            CHECK(passes[k]->factor_and_solve(links, (const double(*)[6])momentum,
                                              (const double(*)[6])machines[k]->twist,
                                              machines[k]->offset, at_once[k]));
            CHECK(memcmp(at_once[k], velocity[k], sizeof velocity[k]) == 0);
            check_without_momenta(passes[k], machines[k]);
        }
        CHECK(memcmp(velocity[0], velocity[1], sizeof velocity[0]) == 0);
        CHECK(memcmp(rate[0], rate[1], sizeof rate[0]) == 0);
        CHECK(memcmp(wrench[0], wrench[1], sizeof wrench[0]) == 0);
        CHECK(memcmp(y[0], y[1], sizeof y[0]) == 0);
        CHECK(memcmp(answer[0], answer[1], sizeof answer[0]) == 0);
        cn_arena_destroy(&it.arena);
        cn_arena_destroy(&other.arena);
    }
}

static void a_massless_axis_is_refused(void) {
    static Machine it;
    build(&it, 1);
    for (int i = 0; i < LINKS; ++i) {
        it.links.mass[i] = 0.0;
        memset(it.links.inertia[i], 0, sizeof it.links.inertia[i]);
    }
    memset(it.links.slope, 0, (size_t)it.links.axis_count * sizeof *it.links.slope);
    double velocity[LINKS][6];
    CHECK(!cn_linkage_factor(&it.links));
    CHECK(!cn_linkage_factor_and_solve(&it.links, (const double(*)[6])it.momentum,
                                       (const double(*)[6])it.twist, it.offset, velocity));
    cn_arena_destroy(&it.arena);
}

// J S = 0 and J c = wanted, for joints of 0 to 6 rows.
static void no_row_feels_the_free_axes(void) {
    static Machine it;
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        build(&it, seed);
        for (int i = 0; i < LINKS; ++i) {
            for (int row = it.first_row[i]; row < it.first_row[i + 1]; ++row) {
                for (int a = 0; a < 6 - it.joints[i].row_count; ++a) { // entries up to 100
                    CHECK_NEAR(cn_dense_dot(6, it.jacobian[row], it.joints[i].axis[a]), 0.0, 1e-12);
                }
                CHECK_NEAR(cn_dense_dot(6, it.jacobian[row], it.twist[i]), it.wanted[row], 1e-12);
            }
        }
        cn_arena_destroy(&it.arena);
    }
}

static void dependent_rows_are_found(void) {
    double rows[3][6] = {{1.0, 2.0, 3.0, 0.0, 0.0, 1.0}, {0.0, 1.0, 0.0, 2.0, 0.0, 0.0}};
    CnLinkageJoint joint;
    for (int k = 0; k < 6; ++k) {
        rows[2][k] = 0.3 * rows[0][k] - 0.1 * rows[1][k];
    }
    CHECK(cn_linkage_joint_factor(2, (const double(*)[6])rows, &joint));
    CHECK(!cn_linkage_joint_factor(3, (const double(*)[6])rows, &joint));
}

// 0 - 1 - 2 - 0 with the weakest joint 1 - 2, the world at 2; 3 floats with 4; 5 is a lone body.
static void the_forest_takes_the_joints_with_most_rows(void) {
    static const CnLinkageEdge edges[] = {{0, 1, 5}, {1, 2, 3}, {2, 0, 5}, {-1, 2, 3}, {4, 3, 6}};
    static const bool moves[] = {true, true, true, true, true, true};
    static const int bodies[] = {2, 3, 5, 0, 4, 1}, parents[] = {-1, -1, -1, 0, 1, 3};
    static const int used[] = {3, -1, -1, 2, 4, 0};
    CnArena arena;
    CnLinkagePlan plan;
    cn_arena_init(&arena, NULL);
    CHECK_INT(cn_linkage_plan(6, moves, 5, edges, &arena, &plan), CN_OK);
    CHECK_INT(plan.link_count, 6);
    CHECK_INT(plan.depth, 3);
    CHECK_INT(plan.loop_count, 1);
    CHECK_INT(plan.loops[0], 1);
    for (int i = 0; i < 6; ++i) {
        CHECK_INT(plan.body[i], bodies[i]);
        CHECK_INT(plan.parent[i], parents[i]);
        CHECK_INT(plan.edge[i], used[i]);
        CHECK_INT(plan.link[bodies[i]], i);
    }
    cn_arena_destroy(&arena);
}

// Two joints on the ground through a body that does not move are no loop.
static void bodies_that_do_not_move_are_the_world(void) {
    static const CnLinkageEdge edges[] = {{0, 1, 5}, {1, 2, 5}, {1, -1, 5}};
    static const bool moves[] = {true, false, true};
    CnArena arena;
    CnLinkagePlan plan;
    cn_arena_init(&arena, NULL);
    CHECK_INT(cn_linkage_plan(3, moves, 3, edges, &arena, &plan), CN_OK);
    CHECK_INT(plan.link_count, 2);
    CHECK_INT(plan.link[1], -1);
    CHECK_INT(plan.loop_count, 1); // between the world and itself
    CHECK_INT(plan.loops[0], 2);
    CHECK_INT(plan.parent[0], -1);
    CHECK_INT(plan.parent[1], -1);
    cn_arena_destroy(&arena);
}

TEST_MAIN("unit/solvers/tree/linkage", TEST(velocities_are_those_of_the_dense_system),
          TEST(impulses_are_those_of_the_dense_system),
          TEST(further_rows_see_the_response_of_the_dense_system),
          TEST(rows_are_pushed_alike_side_by_side), TEST(all_widths_have_the_same_bits),
          TEST(a_massless_axis_is_refused), TEST(no_row_feels_the_free_axes),
          TEST(dependent_rows_are_found), TEST(the_forest_takes_the_joints_with_most_rows),
          TEST(bodies_that_do_not_move_are_the_world))

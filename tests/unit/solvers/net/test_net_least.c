// test_net_least.c - rows of nets with a weight: their factor solves what it was made of.
#include "solvers/net/net_least.h"

#include "cairn/random.h"
#include "support/failing_allocator.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

enum { NODES = 30, JOINTS = 70, MOST_ROWS = 6 * JOINTS };

typedef struct Net {
    CnNetJoint joints[JOINTS];
    double jacobian[MOST_ROWS][12];
    CnNetRows rows;
} Net;

// Rows of one joint, made orthonormal one after the other.
static void fill_rows(CnRandom* random, const CnNetJoint* joint, double (*rows)[12]) {
    for (int r = 0; r < joint->row_count; ++r) {
        double size = 0.0;
        for (int k = 0; k < 12; ++k) {
            bool moves = joint->node[k / 6] >= 0;
            rows[r][k] = moves ? cn_random_between(random, -1.0, 1.0) : 0.0;
        }
        for (int before = 0; before < r; ++before) {
            double along = 0.0;
            for (int k = 0; k < 12; ++k) {
                along += rows[r][k] * rows[before][k];
            }
            for (int k = 0; k < 12; ++k) {
                rows[r][k] -= along * rows[before][k];
            }
        }
        for (int k = 0; k < 12; ++k) {
            size += rows[r][k] * rows[r][k];
        }
        for (int k = 0; k < 12; ++k) {
            rows[r][k] /= sqrt(size);
        }
    }
}

// Joints of one to five rows between nodes in any order, some on the world, some twice between the
// same nodes, some on the world first; more rows than velocities, so that they are dependent.
static void build_net(Net* it, uint64_t seed) {
    CnRandom random = {seed};
    *it = (Net){.rows = {.joint_count = JOINTS, .node_count = NODES}};
    for (int i = 0; i < JOINTS; ++i) {
        int a = i < NODES ? i : (int)(cn_random_next(&random) % NODES);
        int b = i % 9 == 0 ? -1 : (a + 1 + (int)(cn_random_next(&random) % 3)) % NODES;
        CnNetJoint* joint = &it->joints[i];
        *joint = (CnNetJoint){.node = {a, b}, .row_count = 1 + i % 5};
        if (i % 18 == 0) {
            joint->node[0] = -1;
            joint->node[1] = a;
        }
        fill_rows(&random, joint, it->jacobian + it->rows.row_count);
        it->rows.row_count += joint->row_count;
    }
    it->rows.joints = it->joints;
    it->rows.jacobian = (const double(*)[12])it->jacobian;
}

// out = (G G^T + weight) x
static void multiply(const Net* it, double weight, const double* x, double* out) {
    double y[NODES][6] = {{0.0}};
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0, row = 0; i < JOINTS; row += it->joints[i++].row_count) {
            for (int r = row; r < row + it->joints[i].row_count; ++r) {
                double sum = weight * x[r];
                for (int k = 0; k < 12; ++k) {
                    int node = it->joints[i].node[k / 6];
                    if (node >= 0 && pass == 0) {
                        y[node][k % 6] += it->jacobian[r][k] * x[r];
                    } else if (node >= 0) {
                        sum += it->jacobian[r][k] * y[node][k % 6];
                    }
                }
                out[r] = sum;
            }
        }
    }
}

// Blocks of up to 19 others add up to round-off of some 2^-48 in what is multiplied back.
static void the_factor_is_that_of_the_rows(void) {
    static const double weights[] = {1.0, 0x1p-20, 0x1p-40};
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        Net it;
        CnArena arena;
        CnNetLeast least;
        build_net(&it, seed);
        cn_arena_init(&arena, NULL);
        CHECK_INT(cn_net_least_plan(&it.rows, 1e9, &arena, &arena, &least), CN_OK);
        CHECK(least.group_count < JOINTS); // some share a block
        for (int w = 0; w < 3; ++w) {
            CnRandom random = {seed + 10};
            double x[MOST_ROWS], right[MOST_ROWS], back[MOST_ROWS], size = 0.0;
            CHECK(cn_net_least_factor(&it.rows, weights[w], &least));
            for (int r = 0; r < it.rows.row_count; ++r) {
                x[r] = right[r] = cn_random_between(&random, -1.0, 1.0);
            }
            cn_net_least_solve(&it.rows, &least, x);
            multiply(&it, weights[w], x, back);
            for (int r = 0; r < it.rows.row_count; ++r) {
                size = fmax(size, fabs(x[r]));
            }
            for (int r = 0; r < it.rows.row_count; ++r) {
                CHECK_NEAR(back[r], right[r], 0x1p-44 * fmax(size, 1.0));
            }
        }
        cn_arena_destroy(&arena);
    }
}

// In what the factor takes, and in pairs that are listed before it is known.
static void what_takes_too_much_is_refused(void) {
    Net it;
    CnArena arena;
    CnNetLeast least;
    build_net(&it, 7);
    cn_arena_init(&arena, NULL);
    CHECK_INT(cn_net_least_plan(&it.rows, 10.0, &arena, &arena, &least), CN_UNSUPPORTED);
    CHECK_INT(cn_net_least_plan(&it.rows, 5000.0, &arena, &arena, &least), CN_UNSUPPORTED);
    cn_arena_destroy(&arena);
}

// A body with 3000 joints of a row on the world: their factor is dense and takes 3000^3 / 6 = 4.5e9
// multiplications. It is refused before its 4.5e6 pairs are listed, in 36 MB.
static void a_hub_is_refused_before_its_pairs_are_listed(void) {
    enum { SPOKES = 3000 };
    static CnNetJoint joints[SPOKES];
    static double jacobian[SPOKES][12];
    CnArena arena;
    CnNetLeast least;
    for (int i = 0; i < SPOKES; ++i) {
        joints[i] = (CnNetJoint){.node = {0, -1}, .row_count = 1};
        jacobian[i][i % 6] = 1.0;
    }
    const CnNetRows rows = {SPOKES, SPOKES, 1, joints, (const double(*)[12])jacobian};
    cn_arena_init(&arena, NULL);
    CHECK_INT(cn_net_least_plan(&rows, 4e9, &arena, &arena, &least), CN_UNSUPPORTED);
    CHECK(arena.used < 1000000);
    cn_arena_destroy(&arena);
}

static void memory_may_run_out_anywhere(void) {
    Net it;
    build_net(&it, 8);
    CnStatus status = CN_NO_MEMORY;
    for (int n = 1; status == CN_NO_MEMORY; ++n) {
        FailingAllocator failing = {.refuse_at = n};
        CnAllocator allocator = failing_allocator(&failing);
        CnArena arena;
        CnNetLeast least;
        cn_arena_init(&arena, &allocator);
        status = cn_net_least_plan(&it.rows, 1e9, &arena, &arena, &least);
        cn_arena_destroy(&arena);
        CHECK_INT(failing.live, 0);
    }
    CHECK_INT(status, CN_OK);
}

TEST_MAIN("unit/solvers/net/net_least", TEST(the_factor_is_that_of_the_rows),
          TEST(what_takes_too_much_is_refused), TEST(a_hub_is_refused_before_its_pairs_are_listed),
          TEST(memory_may_run_out_anywhere))

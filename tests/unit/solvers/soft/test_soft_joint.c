// test_soft_joint.c - soft joints: the same bits for every number of lanes, errors that vanish.
#include "cairn/random.h"
#include "solvers/soft/soft_joint.h"
#include "solvers/soft/soft_rows.h"
#include "support/test.h"

#include <stdlib.h>

#define TILES 4   // balls and hinges by turns
#define BODIES 72 // rows: 64 are used, and the first

typedef struct Net {
    CnSoftBody rows[BODIES];
    CnSoftMass masses[BODIES];
    CnSoftDrift drifts[BODIES];
    CnSoftJointTile tiles[TILES];
    CnSoftBodies bodies;
} Net;

static float between(CnRandom* random, double low, double high) {
    return (float)cn_random_between(random, low, high);
}

// Inertia of a diagonal form plus a little of everything, so that it is positive.
static void fill_body(Net* net, CnRandom* random, int row) {
    static const float diagonal[6] = {1.0f, 0.0f, 0.0f, 1.0f, 0.0f, 1.0f};
    CnSoftBody* body = &net->rows[row];
    CnSoftMass* mass = &net->masses[row];
    float turn[4] = {between(random, -0.1, 0.1), between(random, -0.1, 0.1),
                     between(random, -0.1, 0.1), 1.0f};
    float length = sqrtf(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] + 1.0f);
    mass->inverse_mass = body->inverse_mass = row == 0 ? 0.0f : between(random, 0.5, 2.0);
    for (int k = 0; k < 6; ++k) {
        mass->inertia[k] = row == 0 ? 0.0f : between(random, -0.1, 0.1);
        mass->inertia[k] += row == 0 ? 0.0f : diagonal[k] * between(random, 1.0, 9.0);
    }
    for (int k = 0; k < 4; ++k) {
        body->turned[k] = row == 0 ? (k == 3 ? 1.0f : 0.0f) : turn[k] / length;
    }
    for (int k = 0; row > 0 && k < 3; ++k) {
        body->velocity[k] = between(random, -1.0, 1.0);
        body->spin[k] = between(random, -2.0, 2.0);
        body->moved[k] = between(random, -0.01, 0.01);
    }
}

// Each lane has two bodies of its own; A of the first lane of a tile is what does not move.
static void fill_lane(Net* net, CnRandom* random, int t, int lane) {
    CnSoftJointTile* tile = &net->tiles[t];
    static const float axes[3][3] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    int first = 1 + 2 * (CN_SOFT_LANES * t + lane);
    const int rows[2] = {lane == 0 ? 0 : first, first + 1};
    for (int side = 0; side < 2; ++side) {
        tile->offset[side][lane] = rows[side] * (int)sizeof(CnSoftBody);
        for (int k = 0; k < 3; ++k) {
            tile->arm[side][k][lane] = rows[side] == 0 ? 0.0f : between(random, -0.5, 0.5);
            tile->axis[side][k][lane] = axes[2][k];
            tile->side[side][k][lane] = axes[side][k];
        }
        for (int k = 0; k < 6; ++k) {
            tile->inertia[side][k][lane] = net->masses[rows[side]].inertia[k];
        }
        tile->moment[side][lane] = tile->is_hinge ? between(random, -0.1, 0.1) : 0.0f;
    }
    tile->frame[0][lane] = 0.6f; // a turn about x
    tile->frame[3][lane] = 0.8f;
    for (int k = 0; k < 3; ++k) {
        tile->gap[k][lane] = between(random, -0.01, 0.01);
        tile->impulse[k][lane] = between(random, -0.2, 0.2);
    }
}

static void fill(Net* net) {
    CnRandom random = {3};
    memset(net, 0, sizeof *net);
    for (int i = 0; i < BODIES; ++i) {
        fill_body(net, &random, i);
    }
    for (int t = 0; t < TILES; ++t) {
        net->tiles[t].is_hinge = t % 2 == 1;
        for (int lane = 0; lane < CN_SOFT_LANES; ++lane) {
            fill_lane(net, &random, t, lane);
        }
    }
    net->bodies = (CnSoftBodies){net->rows, net->masses, net->drifts, BODIES};
}

static void run(Net* net, const CnSoftJointKernels* kernels, const CnSoftKernels* bodies) {
    CnSoftRates rates = cn_soft_rates(1.0 / 240.0, 60.0, 1.0, 3.0, 0.5);
    fill(net);
    kernels->open(net->tiles, TILES, &net->bodies);
    kernels->refresh(net->tiles, TILES, &net->bodies);
    bodies->begin(&net->bodies);
    kernels->warm_start(net->tiles, TILES, &net->bodies);
    for (int i = 0; i < 8; ++i) {
        kernels->push(net->tiles, TILES, &net->bodies, &rates);
        bodies->advance(&net->bodies, &rates);
        kernels->shift(net->tiles, TILES, &net->bodies);
        kernels->relax(net->tiles, TILES, &net->bodies);
        bodies->go_on(&net->bodies);
    }
    kernels->close(net->tiles, TILES, &net->bodies);
}

static void every_number_of_lanes_gives_the_same_bits(void) {
    Net *plain = aligned_alloc(64, sizeof *plain), *wide = aligned_alloc(64, sizeof *wide);
    CHECK(plain != NULL && wide != NULL);
    run(plain, &cn_soft_joint_kernels_plain, &cn_soft_kernels_plain);
    run(wide, &cn_soft_joint_kernels_128, &cn_soft_kernels_128);
    CHECK(memcmp(plain->rows, wide->rows, sizeof plain->rows) == 0);
    CHECK(memcmp(plain->tiles, wide->tiles, sizeof plain->tiles) == 0);
    run(wide, cn_soft_joint_kernels(), cn_soft_kernels());
    CHECK(memcmp(plain->rows, wide->rows, sizeof plain->rows) == 0);
    CHECK(memcmp(plain->tiles, wide->tiles, sizeof plain->tiles) == 0);
    free(plain);
    free(wide);
}

// The frame of each joint is turned by 2 atan(0.6 / 0.8) about x: y becomes 0.28 y + 0.96 z. Floats
// of order 0.1 through two rotations: 1e-7.
static void impulses_are_kept_along_the_axes_of_the_frame(void) {
    Net* net = aligned_alloc(64, sizeof *net);
    const CnSoftJointKernels* kernels = cn_soft_joint_kernels();
    fill(net);
    for (int i = 0; i < BODIES; ++i) {
        memset(net->rows[i].turned, 0, sizeof net->rows[i].turned);
        net->rows[i].turned[3] = 1.0f;
    }
    CnSoftJointTile before = net->tiles[0];
    kernels->open(net->tiles, 1, &net->bodies);
    for (int lane = 0; lane < CN_SOFT_LANES; ++lane) {
        double y = (double)before.impulse[1][lane], z = (double)before.impulse[2][lane];
        CHECK_NEAR((double)net->tiles[0].impulse[0][lane], (double)before.impulse[0][lane], 1e-7);
        CHECK_NEAR((double)net->tiles[0].impulse[1][lane], 0.28 * y - 0.96 * z, 1e-7);
        CHECK_NEAR((double)net->tiles[0].impulse[2][lane], 0.96 * y + 0.28 * z, 1e-7);
    }
    kernels->close(net->tiles, 1, &net->bodies);
    for (int lane = 0; lane < CN_SOFT_LANES; ++lane) {
        for (int k = 0; k < 3; ++k) {
            CHECK_NEAR((double)net->tiles[0].impulse[k][lane], (double)before.impulse[k][lane],
                       1e-7);
        }
    }
    free(net);
}

// No two joints share a body, so that one visit is exact: points move together afterwards, and
// axes turn together. Velocities of order 1 in floats: 1e-6 each, some ten operations.
static void one_visit_makes_points_and_axes_move_together(void) {
    Net* net = aligned_alloc(64, sizeof *net);
    const CnSoftJointKernels* kernels = cn_soft_joint_kernels();
    fill(net);
    kernels->refresh(net->tiles, TILES, &net->bodies);
    kernels->relax(net->tiles, TILES, &net->bodies);
    for (int t = 0; t < TILES; t += 2) {
        const CnSoftJointTile* tile = &net->tiles[t];
        for (int lane = 0; lane < CN_SOFT_LANES; ++lane) {
            float relative[3] = {0.0f, 0.0f, 0.0f};
            for (int side = 0; side < 2; ++side) {
                const CnSoftBody* body =
                    &net->rows[tile->offset[side][lane] / (int)sizeof(CnSoftBody)];
                float sign = side == 0 ? -1.0f : 1.0f;
                for (int k = 0; k < 3; ++k) {
                    int i = (k + 1) % 3, j = (k + 2) % 3;
                    relative[k] +=
                        sign * (body->velocity[k] + body->spin[i] * tile->arm_now[side][j][lane] -
                                body->spin[j] * tile->arm_now[side][i][lane]);
                }
            }
            for (int k = 0; k < 3; ++k) {
                CHECK_NEAR((double)relative[k], 0.0, 1e-5);
            }
        }
    }
    free(net);
}

// A row between what does not move and a body of 2 kg along x.
static CnSoftBlock one_row(CnSoftRowType type) {
    CnSoftBlock block = {.body = {0, 1}, .row_count = 1};
    block.row[0].type = type;
    block.row[0].jacobian[1][0] = 1.0f;
    block.row[0].lower = type == CN_SOFT_ROW_PUSHES ? 0.0f : -INFINITY;
    block.row[0].upper = type == CN_SOFT_ROW_PULLS ? 0.0f : INFINITY;
    return block;
}

static float velocity_after(CnSoftBlock block, float velocity) {
    static CnSoftBody rows[2];
    static CnSoftMass masses[2];
    static CnSoftDrift drifts[2];
    CnSoftBodies bodies = {rows, masses, drifts, 2};
    CnSoftRates rates = cn_soft_rates(0.01, 10.0, 1.0, 3.0, 0.5);
    masses[1].inverse_mass = 0.5f;
    rows[1].velocity[0] = velocity;
    cn_soft_block_prepare(&block, &bodies);
    cn_soft_block_note_approach(&block, &bodies);
    cn_soft_block_push(&block, &bodies, &rates);
    cn_soft_block_relax(&block, &bodies, &rates);
    cn_soft_block_bounce(&block, &bodies, &rates);
    return rows[1].velocity[0];
}

static void rows_do_what_their_type_says(void) {
    CHECK_NEAR((double)velocity_after(one_row(CN_SOFT_ROW_KEEPS), 3.0f), 0.0, 1e-6);
    CHECK_NEAR((double)velocity_after(one_row(CN_SOFT_ROW_PUSHES), 3.0f), 3.0, 0.0);
    CHECK_NEAR((double)velocity_after(one_row(CN_SOFT_ROW_PUSHES), -3.0f), 0.0, 1e-6);
    CHECK_NEAR((double)velocity_after(one_row(CN_SOFT_ROW_PULLS), -3.0f), -3.0, 0.0);
    CHECK_NEAR((double)velocity_after(one_row(CN_SOFT_ROW_PULLS), 3.0f), 0.0, 1e-6);

    CnSoftBlock open = one_row(CN_SOFT_ROW_PUSHES); // 0.02 m in 0.01 s: 2 m/s are allowed
    open.row[0].value = 0.02f;
    CHECK_NEAR((double)velocity_after(open, -3.0f), -2.0, 1e-6);

    CnSoftBlock bouncy = one_row(CN_SOFT_ROW_PUSHES);
    bouncy.row[0].restitution = 0.5f;
    CHECK_NEAR((double)velocity_after(bouncy, -3.0f), 1.5, 1e-6);
    CHECK_NEAR((double)velocity_after(bouncy, -0.4f), 0.0, 1e-6); // slower than the threshold

    CnSoftBlock weak = one_row(CN_SOFT_ROW_DRIVES); // at most 1 N s on 2 kg
    weak.row[0].lower = -1.0f;
    weak.row[0].upper = 1.0f;
    CHECK_NEAR((double)velocity_after(weak, 3.0f), 2.5, 1e-6);

    CnSoftBlock damper = one_row(CN_SOFT_ROW_YIELDS); // p = -6 v+: v+ = 3 - 3 v+
    damper.row[0].next_slope = 6.0f;
    CHECK_NEAR((double)velocity_after(damper, 3.0f), 0.75, 1e-6);
}

// Two rows that say the same share no impulse twice: the second is left out.
static void rows_that_depend_on_others_are_left_out(void) {
    CnSoftBlock twice = one_row(CN_SOFT_ROW_KEEPS);
    twice.row_count = 2;
    twice.row[1] = twice.row[0];
    CHECK_NEAR((double)velocity_after(twice, 3.0f), 0.0, 1e-6);
}

TEST_MAIN("unit/solvers/soft/soft_joint", TEST(every_number_of_lanes_gives_the_same_bits),
          TEST(impulses_are_kept_along_the_axes_of_the_frame),
          TEST(one_visit_makes_points_and_axes_move_together), TEST(rows_do_what_their_type_says),
          TEST(rows_that_depend_on_others_are_left_out))

// test_tile_sweep.c - islands of a few contacts, swept on their tiles.
#include "solvers/solve/tile_sweep.h"

#include "cairn/random.h"
#include "support/test.h"
#include <string.h>

#define MOST 16 // points that are taken
#define TOLERANCE 1e-8
#define FALL 0.1 // velocity that gravity gives in a step [m/s]

// A ball of 1 kg and 0.5 m, body 1, and the ground, body 0, which may move along x. Each contact is
// a tile of one point.
typedef struct Ball {
    CnContactTile tile[MOST + 1];
    CnContactTile* list[MOST + 1];
    bool is_dynamic[2];
    double inverse_mass[2], inverse_inertia[2][9], center[2][3];
    double free_velocity[2][6], momentum[2][6], velocity[2][6];
    CnTileBodies bodies;
    CnTileSet set;
} Ball;

static void make(Ball* ball) {
    *ball = (Ball){.is_dynamic = {false, true}, .inverse_mass = {0.0, 1.0}};
    ball->bodies = (CnTileBodies){
        .is_dynamic = ball->is_dynamic,
        .inverse_mass = ball->inverse_mass,
        .inverse_inertia = (const double(*)[9])ball->inverse_inertia,
        .center = (const double(*)[3])ball->center,
        .free_velocity = (const double(*)[6])ball->free_velocity,
        .momentum = ball->momentum,
        .velocity = ball->velocity,
    };
    for (int k = 0; k < 3; ++k) {
        ball->inverse_inertia[1][4 * k] = 10.0; // 2/5 m r^2 = 0.1 kg m^2
    }
    ball->free_velocity[1][2] = -FALL;
}

// A contact at the end of -n of the ball; as B of it, or as A.
static void touch(Ball* ball, const double n[3], const double t[3], double friction, bool is_b) {
    CnContactTile* tile = &ball->tile[ball->set.count];
    double sign = is_b ? 1.0 : -1.0;
    *tile = (CnContactTile){.body_a = is_b ? 0 : 1, .body_b = is_b ? 1 : 0, .acting = 1};
    tile->row_count = 3;
    tile->friction[0] = friction;
    const double s[3] = {n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2],
                         n[0] * t[1] - n[1] * t[0]};
    for (int k = 0; k < 3; ++k) {
        tile->direction[0][k] = sign * n[k];
        tile->direction[1][k] = t[k];
        tile->direction[2][k] = s[k];
        tile->center[is_b ? 1 : 0][k] = 0.5 * n[k]; // the point is in the origin
    }
    cn_tile_prepare(tile, &ball->bodies);
    ball->list[ball->set.count++] = tile;
    ball->set.tiles = ball->list;
}

static int solve(Ball* ball, CnGradeSums* grades) {
    int body = 1;
    memset(ball->momentum, 0, sizeof ball->momentum);
    memcpy(ball->velocity[0], ball->free_velocity[0], sizeof ball->velocity[0]);
    cn_tiles_push(&ball->set, &ball->bodies);
    cn_bodies_respond(&ball->bodies, 1, &body);
    CnTileIsland island = {&ball->set, &ball->bodies, 1, &body};
    double work;
    return cn_tile_sweep_solve(&island, TOLERANCE, 1.0, grades, &work);
}

static const double up[3] = {0, 0, 1}, along[3] = {1, 0, 0};

// A ball that slides at 1 m/s: friction mu m g dt slows it by mu * 0.1 m/s and turns it; the ground
// carries 0.1 N s. One sweep, to round-off of numbers below 1.
static void a_sliding_ball_takes_one_sweep(void) {
    for (int is_b = 0; is_b < 2; ++is_b) {
        Ball ball;
        CnGradeSums grades;
        make(&ball);
        ball.free_velocity[1][0] = 1.0;
        touch(&ball, up, along, 0.3, is_b != 0);
        CHECK_INT(solve(&ball, &grades), 1);
        CHECK_NEAR(ball.tile[0].impulse[0][0], FALL, 1e-15);
        CHECK_NEAR(ball.velocity[1][0], 1.0 - 0.3 * FALL, 1e-15);
        CHECK_NEAR(ball.velocity[1][2], 0.0, 1e-16);
        CHECK_NEAR(ball.velocity[1][4], 10.0 * 0.5 * 0.3 * FALL, 1e-15); // moment about y
        CHECK_INT(grades.block_count, 1);
    }
}

// On a belt at 0.05 m/s with much friction the point of contact takes its velocity: 2/7 of it goes
// into the centre, 5/7 into turning.
static void a_ball_on_a_belt_rolls(void) {
    Ball ball;
    CnGradeSums grades;
    make(&ball);
    ball.free_velocity[0][0] = 0.05;
    touch(&ball, up, along, 1.0, true);
    CHECK_INT(solve(&ball, &grades), 1);
    CHECK_NEAR(ball.velocity[1][0], 2.0 / 7.0 * 0.05, 1e-16);
}

// Between two walls that lean outwards the answer is the same from all sides: it lies still, each
// wall carries the same, and the grade is that of the certificate.
static void a_ball_in_a_groove_meets_the_tolerance(void) {
    Ball ball;
    CnGradeSums grades;
    const double left[3] = {0.6, 0, 0.8}, right[3] = {-0.6, 0, 0.8}, side[3] = {0, 1, 0};
    make(&ball);
    touch(&ball, left, side, 0.4, true);
    touch(&ball, right, side, 0.4, false);
    int sweeps = solve(&ball, &grades);
    CHECK(sweeps > 1);
    CHECK(grades.worst <= TOLERANCE);
    CHECK_NEAR(grades.worst, cn_tiles_worst(&ball.set, &ball.bodies), 1e-15);
    // A residual of the tolerance in each of two contacts, and walls at 37 degrees.
    CHECK_NEAR(ball.velocity[1][2], 0.0, 10.0 * TOLERANCE);
    CHECK_NEAR(ball.tile[0].impulse[0][0], ball.tile[1].impulse[0][0], 10.0 * TOLERANCE);
}

// More points than are taken, or no friction: impulses stay to the bit.
static void what_does_not_suit_stays_as_it_was(void) {
    for (int smooth = 0; smooth < 2; ++smooth) {
        Ball ball;
        CnGradeSums grades;
        make(&ball);
        for (int i = 0; i < (smooth == 1 ? 2 : MOST + 1); ++i) {
            touch(&ball, up, along, smooth == 1 ? 0.0 : 0.5, true);
            ball.tile[i].impulse[0][0] = 0.01 * (i + 1);
        }
        CHECK_INT(solve(&ball, &grades), 0);
        for (int i = 0; i < ball.set.count; ++i) {
            CHECK(ball.tile[i].impulse[0][0] == 0.01 * (i + 1));
        }
    }
}

// Two walls that squeeze the ball at a slope have sweeps that gain little: of 2000 random pairs all
// are solved within the tolerance, most of them by Newton's method.
static void random_pairs_are_solved(void) {
    CnRandom random = {7};
    for (int i = 0; i < 2000; ++i) {
        Ball ball;
        CnGradeSums grades;
        double angle[2] = {cn_random_between(&random, 0.0, 1.5),
                           cn_random_between(&random, -1.5, 0.0)};
        make(&ball);
        for (int k = 0; k < 2; ++k) {
            const double n[3] = {sin(angle[k]), 0.0, cos(angle[k])}, side[3] = {0, 1, 0};
            touch(&ball, n, side, cn_random_between(&random, 0.05, 1.0), k == 0);
            ball.tile[k].impulse[0][0] = cn_random_between(&random, 0.0, 0.1);
        }
        CHECK(solve(&ball, &grades) > 0);
        CHECK(cn_tiles_worst(&ball.set, &ball.bodies) <= TOLERANCE);
    }
}

// Four points hold a body in twelve rows, so that W is singular. With friction 0.5 they stop a
// slide of 0.02 m/s and a turn of 0.01 rad/s, for which a fall of 0.1 m/s leaves enough normal
// impulse. Sweeps hand the load from point to point; all points at once leave nothing of the
// motion: two sweeps, Newton's method, and one more.
static void four_points_take_three_sweeps(void) {
    Ball ball;
    CnGradeSums grades;
    make(&ball);
    ball.free_velocity[1][0] = 0.02;
    ball.free_velocity[1][5] = 0.01;
    touch(&ball, up, along, 0.5, true);
    CnContactTile* tile = &ball.tile[0];
    tile->acting = 15;
    for (int k = 0; k < 4; ++k) {
        tile->friction[k] = 0.5;
        tile->point[0][k] = (k & 1) != 0 ? 0.5 : -0.5;
        tile->point[1][k] = (k & 2) != 0 ? 0.5 : -0.5;
        tile->impulse[0][k] = 0.01 * k;
    }
    cn_tile_prepare(tile, &ball.bodies);
    CHECK_INT(solve(&ball, &grades), 3);
    for (int k = 0; k < 6; ++k) {
        CHECK_NEAR(ball.velocity[1][k], 0.0, TOLERANCE);
    }
    double load =
        tile->impulse[0][0] + tile->impulse[0][1] + tile->impulse[0][2] + tile->impulse[0][3];
    CHECK_NEAR(load, FALL, TOLERANCE);
}

static void the_def_may_ask_for_something_else(void) {
    CnSolverDef def = cn_solver_def_default();
    CHECK(cn_tile_sweep_suits_def(&def));
    def.work_budget = 1e6;
    CHECK(!cn_tile_sweep_suits_def(&def));
    def = cn_solver_def_default();
    def.name = "nsgs";
    CHECK(!cn_tile_sweep_suits_def(&def));
}

TEST_MAIN("unit/solvers/sweep/tile_sweep", TEST(a_sliding_ball_takes_one_sweep),
          TEST(a_ball_on_a_belt_rolls), TEST(a_ball_in_a_groove_meets_the_tolerance),
          TEST(what_does_not_suit_stays_as_it_was), TEST(random_pairs_are_solved),
          TEST(four_points_take_three_sweeps), TEST(the_def_may_ask_for_something_else))

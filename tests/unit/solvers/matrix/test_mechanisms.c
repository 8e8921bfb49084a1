// test_mechanisms.c - joints eliminated: what is left is the problem with its joints holding.
#include "solvers/matrix/mechanisms.h"

#include "cairn/random.h"
#include "constraints/problem/block.h"
#include "linalg/dense.h"
#include "solvers/sweep/block_sweep.h"
#include "support/problems/budget.h"
#include "support/problems/problems.h"
#include "support/shapes/random_poses.h"
#include "support/test.h"

#define TOLERANCE 1e-12 // of the joints [m/s]

// A row that ties two bodies of the chain, one of the pair and the body alone, between bounds.
static void add_row_on_four_bodies(Problem* problem, CnRandom* random) {
    int block = problem_add_block(problem, CN_LAW_BOUNDS, 1, 2, 6);
    int row = problem->blocks[block].first_row;
    problem_add_second(problem, block, 7, 4);
    for (int k = 0; k < 6; ++k) {
        problem->jacobian_a[row][k] = cn_random_between(random, -1.0, 1.0);
        problem->jacobian_b[row][k] = cn_random_between(random, -1.0, 1.0);
        problem->jacobian_c[row][k] = cn_random_between(random, -1.0, 1.0);
        problem->jacobian_d[row][k] = cn_random_between(random, -1.0, 1.0);
    }
}

// A chain of five bodies on the world, a pair tied by a spring, and a body alone; contacts within
// the chain, between the chain and the others, and with the world; a row on four bodies.
static void add_machines(Problem* problem) {
    CnRandom random = {5};
    const int contacts[6][2] = {{-1, 1}, {4, 6}, {0, 3}, {5, 7}, {6, 2}, {-1, 7}};
    for (int i = 0; i < 8; ++i) {
        int body = problem_add_body(problem, 0.2 + 0.3 * i, 1.0 + 0.1 * i);
        for (int k = 0; k < 6; ++k) {
            problem->free_velocity[body][k] = cn_random_between(&random, -1.0, 1.0);
        }
    }
    for (int i = 0; i < 5; ++i) {
        CnVec3 a = random_within(&random, 1.0), b = random_within(&random, 1.0);
        problem_add_point_joint(problem, i - 1, i, a, b);
        problem->target[problem->row_count - 1] = 0.1 * i;
        problem->compliance[problem->row_count - 2] = 0.01 * i;
    }
    problem_add_block(problem, CN_LAW_FORCE, 1, 5, 6);
    CnVec3 along = random_within(&random, 1.0), none = {0.0, 0.0, 0.0};
    problem_set_row(problem, problem->row_count - 1, along, none, none);
    problem->slope[problem->row_count - 1] = 3.0;
    problem->offset[problem->row_count - 1] = 0.4;
    for (int i = 0; i < 6; ++i) {
        CnVec3 a = random_within(&random, 1.0), b = random_within(&random, 1.0);
        problem_add_contact(problem, contacts[i][0], contacts[i][1], a, b, 0.5);
    }
    add_row_on_four_bodies(problem, &random);
}

static void build(Problem* problem, CnArena* arena, CnMechanisms* mechanisms) {
    CnMechanismCost cost;
    bool found = false;
    add_machines(problem);
    CHECK_INT(cn_mechanisms_plan(mechanisms, problem_view(problem), arena, &cost), CN_OK);
    CHECK(cost.set_up > 0.0 && cost.set_up < HUGE_VAL);
    CHECK_INT(cn_mechanisms_build(mechanisms, TOLERANCE, &no_budget, arena, &found), CN_OK);
    CHECK(found);
}

static void bodies_tied_by_joints_are_one_mechanism(void) {
    Problem problem = {0};
    CnArena arena;
    CnMechanisms mechanisms;
    cn_arena_init(&arena, NULL);
    build(&problem, &arena, &mechanisms);
    CHECK_INT(mechanisms.islands.count, 2);
    for (int i = 0; i < 8; ++i) {
        CHECK_INT(mechanisms.mechanism[i], i < 5 ? 0 : (i < 7 ? 1 : -1));
    }
    CHECK_INT(mechanisms.row_count[0], 3 * 4 + 1); // contacts 0, 1, 2 and 4; contact 2 counts once
    CHECK_INT(mechanisms.row_count[1], 3 * 3 + 1); // contacts 1, 3 and 4; the row on four bodies
    cn_arena_destroy(&arena);
    problem_free(&problem);
}

// What the rows that are left feel for random impulses of theirs must be what they feel in the
// whole problem when the joints' impulses are the answer to them: by sweeps on one side, by
// `direct` on the other. All numbers are of order one; W_ee has a condition of some hundred.
static void what_is_left_feels_the_joints_answer(void) {
    enum { ROWS = 19 };
    Problem problem = {0};
    CnArena arena;
    CnMechanisms mechanisms;
    CnBlockSweep sweep;
    CnRandom random = {17};
    double p[ROWS], u[CN_MAX_ROWS], whole[64] = {0}, felt[64], velocity[8][6], worst = 0.0;
    bool held = false;
    cn_arena_init(&arena, NULL);
    build(&problem, &arena, &mechanisms);
    const CnJointSplit* split = &mechanisms.split;
    CHECK_INT(split->others.row_count, ROWS);
    for (int i = 0; i < ROWS; ++i) {
        p[i] = cn_random_between(&random, -1.0, 1.0);
        whole[split->row[i]] = p[i];
    }
    CHECK_INT(
        cn_joint_split_solve(split, TOLERANCE, &no_budget, &arena, whole, velocity, NULL, &held),
        CN_OK);
    CHECK(held);
    problem_row_velocity(problem_view(&problem), whole, felt);
    CHECK_INT(cn_sweep_prepare_mechanisms(&sweep, &mechanisms, 1.0, &arena), CN_OK);
    cn_sweep_set_impulse(&sweep, p);
    for (int i = 0; i < sweep.problem->block_count; ++i) {
        const CnBlock* block = &sweep.problem->blocks[i];
        cn_sweep_row_velocity(&sweep, &sweep.blocks[i], p + block->first_row, u);
        for (int k = 0; k < block->row_count; ++k) {
            worst = fmax(worst, fabs(u[k] - felt[split->row[block->first_row + k]]));
        }
    }
    CHECK_NEAR(worst, 0.0, 1e-11);
    for (int i = 0; i < 15; ++i) { // equalities hold; the spring's law holds too
        CHECK_NEAR(felt[i], 0.0, TOLERANCE);
    }
    CHECK_NEAR(whole[15], 0.4 - 3.0 * felt[15], 1e-11);
    cn_arena_destroy(&arena);
    problem_free(&problem);
}

// W_aa of a block that is left is the effect of its own impulses.
static void own_blocks_are_those_of_the_matrix(void) {
    Problem problem = {0};
    CnArena arena;
    CnMechanisms mechanisms;
    CnBlockSweep sweep;
    double worst = 0.0;
    cn_arena_init(&arena, NULL);
    build(&problem, &arena, &mechanisms);
    CHECK_INT(cn_sweep_prepare_mechanisms(&sweep, &mechanisms, 1.0, &arena), CN_OK);
    for (int i = 0; i < sweep.problem->block_count; ++i) {
        int n = sweep.problem->blocks[i].row_count;
        for (int j = 0; j < n; ++j) {
            double p[19] = {0}, at_rest[3], u[3];
            cn_sweep_set_impulse(&sweep, p);
            cn_sweep_row_velocity(&sweep, &sweep.blocks[i], p + 3 * i, at_rest);
            p[3 * i + j] = 1.0;
            cn_sweep_set_impulse(&sweep, p);
            cn_sweep_row_velocity(&sweep, &sweep.blocks[i], p + 3 * i, u);
            for (int k = 0; k < n; ++k) {
                worst = fmax(worst, fabs(u[k] - at_rest[k] - sweep.blocks[i].w[n * k + j]));
            }
        }
    }
    CHECK_NEAR(worst, 0.0, 1e-13); // the same numbers, added up in another order
    cn_arena_destroy(&arena);
    problem_free(&problem);
}

// Two joints that want different speeds of one point.
static void contradictions_are_found(void) {
    Problem problem = {0};
    CnArena arena;
    CnMechanisms mechanisms;
    CnMechanismCost cost;
    bool found = true;
    CnVec3 none = {0.0, 0.0, 0.0};
    int body = problem_add_body(&problem, 1.0, 1.0);
    problem_add_point_joint(&problem, -1, body, none, none);
    problem_add_point_joint(&problem, -1, body, none, none);
    problem_add_contact(&problem, -1, body, none, none, 0.5);
    problem.target[4] = 1.0;
    cn_arena_init(&arena, NULL);
    CHECK_INT(cn_mechanisms_plan(&mechanisms, problem_view(&problem), &arena, &cost), CN_OK);
    CHECK_INT(cn_mechanisms_build(&mechanisms, TOLERANCE, &no_budget, &arena, &found), CN_OK);
    CHECK(!found);
    cn_arena_destroy(&arena);
    problem_free(&problem);
}

static void without_joints_there_is_nothing_to_gain(void) {
    Problem problem = {0};
    CnArena arena;
    CnMechanisms mechanisms;
    CnMechanismCost cost;
    CnVec3 none = {0.0, 0.0, 0.0};
    int body = problem_add_body(&problem, 1.0, 1.0);
    problem_add_contact(&problem, -1, body, none, none, 0.5);
    cn_arena_init(&arena, NULL);
    CHECK_INT(cn_mechanisms_plan(&mechanisms, problem_view(&problem), &arena, &cost), CN_OK);
    CHECK(cost.set_up == HUGE_VAL);
    cn_arena_destroy(&arena);
    problem_free(&problem);
}

TEST_MAIN("unit/solvers/matrix/mechanisms", TEST(bodies_tied_by_joints_are_one_mechanism),
          TEST(what_is_left_feels_the_joints_answer), TEST(own_blocks_are_those_of_the_matrix),
          TEST(contradictions_are_found), TEST(without_joints_there_is_nothing_to_gain))

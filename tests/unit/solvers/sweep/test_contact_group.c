// test_contact_group.c - contacts side by side get what they would get one after the other.
#include "solvers/sweep/contact_group.h"

#include "math/simd.h"
#include "support/problems/problems.h"
#include "support/shapes/random_poses.h"
#include "support/test.h"

enum { PAIRS = 6, BODIES = 2 * PAIRS, CONTACTS = 200, SWEEPS = 30 };

// Contacts between random bodies at random arms: some open, stick and slide; some without friction,
// some soft, some of one row.
static void fill(Problem* problem, CnRandom* random) {
    for (int i = 0; i < BODIES; ++i) {
        double inverse_mass = cn_random_between(random, 0.1, 1.0);
        double inverse_inertia = cn_random_between(random, 0.1, 5.0);
        int body = problem_add_body(problem, inverse_mass, inverse_inertia);
        for (int k = 0; k < 6; ++k) {
            problem->free_velocity[body][k] = cn_random_between(random, -1.0, 1.0);
        }
    }
    for (int i = 0; i < CONTACTS; ++i) {
        int a = (int)cn_random_between(random, -1.0, BODIES - 0.01);
        int b = (a + 1 + (int)cn_random_between(random, 0.0, BODIES - 1.01)) % BODIES;
        CnVec3 arms[2];
        for (int k = 0; k < 2; ++k) {
            arms[k] = random_within(random, 1.0);
        }
        if (i % 9 == 8) {
            problem_add_block(problem, CN_LAW_BOUNDS, 1, a, b);
            problem_set_row(problem, problem->row_count - 1, cn_vec3(0.0, 0.6, 0.8), arms[0],
                            arms[1]);
        } else {
            double friction = i % 7 == 6 ? 0.0 : cn_random_between(random, 0.0, 1.2);
            problem_add_contact(problem, a, b, arms[0], arms[1], friction);
            problem->compliance[problem->row_count - 3] = i % 5 == 4 ? 0.1 : 0.0;
        }
    }
}

typedef struct Bench {
    Problem problem;
    CnArena arena;
    CnBlockSweep sweep;
    CnContactGroups groups;
    double* p;
} Bench;

static void set_up(Bench* bench) {
    CnRandom random = {7};
    *bench = (Bench){0};
    fill(&bench->problem, &random);
    cn_arena_init(&bench->arena, NULL);
    const CnProblem* view = problem_view(&bench->problem);
    bench->p = CN_ARENA_NEW(&bench->arena, double, view->row_count);
    CHECK_INT(cn_sweep_prepare(&bench->sweep, view, 1.0, &bench->arena), CN_OK);
    CHECK_INT(cn_contact_groups_init(&bench->groups, view->block_count, &bench->arena), CN_OK);
    for (int i = 0; i < view->block_count; ++i) {
        CHECK(cn_contact_fits_lane(&bench->sweep, i));
        CHECK_INT(cn_contact_groups_add(&bench->groups, &bench->sweep, i, bench->p, &bench->arena),
                  CN_OK);
    }
}

static void tear_down(Bench* bench) {
    cn_arena_destroy(&bench->arena);
    problem_free(&bench->problem);
}

static void run(Bench* bench, const CnGroupFunctions* functions, int sweeps, unsigned* missed) {
    for (int s = 0; s < sweeps; ++s) {
        for (int i = 0; i < bench->groups.count; ++i) {
            *missed |= functions->visit(bench->groups.group[i], bench->sweep.y, 1e-12);
        }
        for (int i = 0; s + 1 < sweeps && i < bench->groups.count; ++i) {
            functions->extrapolate(bench->groups.group[i], bench->sweep.y, 0.9);
        }
    }
    for (int i = 0; i < bench->groups.count; ++i) {
        cn_contact_group_get(bench->groups.group[i], &bench->sweep, bench->p);
    }
}

static void no_body_is_twice_in_a_group(void) {
    Bench bench;
    int lanes = 0, world = BODIES;
    set_up(&bench);
    for (int i = 0; i < bench.groups.count; ++i) {
        const CnContactGroup* group = bench.groups.group[i];
        int seen[BODIES + 1] = {0};
        lanes += group->count;
        for (int lane = 0; lane < group->count; ++lane) {
            ++seen[group->slot_a[lane]];
            ++seen[group->slot_b[lane]];
        }
        for (int b = 0; b < world; ++b) {
            CHECK(seen[b] <= 1);
        }
    }
    CHECK_INT(lanes, CONTACTS);
    tear_down(&bench);
}

// Sums of thirty sweeps with momentum, bit by bit.
static void check_same_bits(const CnGroupFunctions* functions) {
    Bench plain, fast;
    unsigned missed_plain = 0, missed_fast = 0;
    set_up(&plain);
    set_up(&fast);
    run(&plain, &cn_group_functions_plain, SWEEPS, &missed_plain);
    run(&fast, functions, SWEEPS, &missed_fast);
    CHECK_INT(missed_plain, missed_fast);
    size_t rows = (size_t)plain.sweep.problem->row_count;
    CHECK(memcmp(plain.p, fast.p, rows * sizeof(double)) == 0);
    CHECK(memcmp(plain.sweep.y, fast.sweep.y, (BODIES + 1) * sizeof *plain.sweep.y) == 0);
    tear_down(&plain);
    tear_down(&fast);
}

static void lanes_of_two_give_the_bits_of_one(void) {
    check_same_bits(&cn_group_functions_128);
}

static void widest_lanes_give_the_bits_of_one(void) {
    check_same_bits(CN_WIDEST(cn_group_functions));
}

// A contact that was just visited is left where it is by the routes of block_solve.h, to the
// precision of the direction times what the contact feels. Directions that were not found (arms
// that couple normal and tangents more than friction allows) are theirs.
static void a_visit_answers_what_one_contact_answers(void) {
    Bench bench;
    unsigned missed = 0;
    set_up(&bench);
    run(&bench, &cn_group_functions_plain, 3, &missed);
    for (int i = 0; i < bench.groups.count; ++i) {
        CnContactGroup* group = bench.groups.group[i];
        missed = cn_group_functions_plain.visit(group, bench.sweep.y, 1e-12);
        for (int lane = 0; lane < group->count; ++lane) {
            if ((missed >> lane & 1u) != 0) {
                continue;
            }
            double before[3] = {group->p[0][lane], group->p[1][lane], group->p[2][lane]};
            cn_contact_group_answer(group, lane, &bench.sweep);
            for (int k = 0; k < 3; ++k) { // velocities are below 10 m/s, W is above 0.1 / kg
                CHECK_NEAR(group->p[k][lane], before[k], 1e-9);
            }
        }
    }
    tear_down(&bench);
}

TEST_MAIN("unit/solvers/sweep/contact_group", TEST(no_body_is_twice_in_a_group),
          TEST(lanes_of_two_give_the_bits_of_one), TEST(widest_lanes_give_the_bits_of_one),
          TEST(a_visit_answers_what_one_contact_answers))

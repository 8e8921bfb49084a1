// test_masses.c - general masses: products with W, its blocks, W itself, and what is refused.
#include "constraints/problem/masses.h"

#include "cairn/random.h"
#include "constraints/problem/block.h"
#include "support/problems/problems.h"
#include "support/test.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { COORDINATES = 130, BLOCKS = 4, ROWS = 10 };

// Two chains that share no entry, one too large for a dense factor, not symmetric, and rows that
// act on two or three coordinates of one or both.
typedef struct Fixture {
    int mass_start[COORDINATES + 1], mass_column[3 * COORDINATES];
    double mass[3 * COORDINATES];
    int row_start[ROWS + 1], row_column[3 * ROWS];
    double row[3 * ROWS];
    CnBlock blocks[BLOCKS];
    double zeros[ROWS];
    double free_velocity[(COORDINATES + 5) / 6][6];
    CnMassesDef def;
    CnProblem problem;
} Fixture;

static void fill_mass(Fixture* fixture, CnRandom* random) {
    int used = 0;
    for (int i = 0; i < COORDINATES; ++i) {
        for (int j = i - 1; j <= i + 1; ++j) {
            bool is_cut = (i < 20) != (j < 20); // the first part has 20 coordinates
            if (j >= 0 && j < COORDINATES && !is_cut) {
                fixture->mass_column[used] = j;
                fixture->mass[used++] = i == j ? 4.0 : cn_random_between(random, -1.0, 1.0);
            }
        }
        fixture->mass_start[i + 1] = used;
    }
}

static void fill(Fixture* fixture) {
    CnRandom random = {11};
    memset(fixture, 0, sizeof *fixture);
    fill_mass(fixture, &random);
    for (int i = 0; i < ROWS; ++i) {
        const int places[3] = {i, 15 + 2 * i, 60 + 7 * i};
        for (int k = 0; k < 3; ++k) {
            fixture->row_column[3 * i + k] = places[k];
            fixture->row[3 * i + k] = cn_random_between(&random, -1.0, 1.0);
        }
        fixture->row_start[i + 1] = 3 * (i + 1);
    }
    const int rows[BLOCKS] = {3, 1, 3, 3};
    for (int b = 0, first = 0; b < BLOCKS; first += rows[b++]) {
        fixture->blocks[b] = (CnBlock){.law = CN_LAW_EQUALITY,
                                       .first_row = first,
                                       .row_count = rows[b],
                                       .body_a = -1,
                                       .body_b = -1};
    }
    fixture->def = (CnMassesDef){
        .coordinate_count = COORDINATES,
        .mass = {fixture->mass_start, fixture->mass_column, fixture->mass},
        .jacobian = {fixture->row_start, fixture->row_column, fixture->row},
        .blocks = fixture->blocks,
        .block_count = BLOCKS,
    };
    fixture->problem = (CnProblem){
        .body_count = (COORDINATES + 5) / 6,
        .block_count = BLOCKS,
        .row_count = ROWS,
        .free_velocity = (const double(*)[6])fixture->free_velocity,
        .blocks = fixture->blocks,
        .target = fixture->zeros,
        .compliance = fixture->zeros,
        .lower = fixture->zeros,
        .upper = fixture->zeros,
        .offset = fixture->zeros,
        .slope = fixture->zeros,
    };
}

// One matrix, three ways to it. Sums of some products of numbers below 1, of a matrix whose
// condition is below (4 + 2) / (4 - 2).
static void products_blocks_and_w_agree(void) {
    static Fixture fixture;
    CnError error = {0};
    fill(&fixture);
    CnMasses* masses = cn_masses_create(&fixture.def, &error);
    ck_assert_msg(masses != NULL, "%s", error.message);
    fixture.problem.masses = masses;
    CHECK_INT(cn_problem_check(&fixture.problem, &error), CN_OK);
    CnOwnedProblem* owned = cn_problem_condense(&fixture.problem, &error);
    const CnProblem* condensed = cn_owned_problem_get(owned);
    CHECK_INT(cn_problem_check(condensed, &error), CN_OK);
    double worst = 0.0;
    for (int j = 0; j < ROWS; ++j) {
        double unit[ROWS] = {0.0}, motion[COORDINATES], column[ROWS];
        unit[j] = 1.0;
        cn_masses_multiply(masses, unit, motion, column);
        for (int i = 0; i < ROWS; ++i) {
            worst = fmax(worst, fabs(column[i] - problem_response_at(condensed, i, j)));
        }
    }
    for (int b = 0; b < BLOCKS; ++b) {
        const CnBlock* block = &fixture.blocks[b];
        int n = block->row_count;
        double w[CN_MAX_ROWS * CN_MAX_ROWS];
        cn_block_delassus(&fixture.problem, block, w);
        for (int i = 0; i < n * n; ++i) {
            worst = fmax(worst, fabs(w[i] - problem_response_at(condensed, block->first_row + i / n,
                                                                block->first_row + i % n)));
        }
    }
    CHECK(worst <= 100 * DBL_EPSILON);
    cn_owned_problem_destroy(owned);
    cn_masses_destroy(masses);
}

static void refuse_def(Fixture* fixture, const char* words) {
    CnError error = {0};
    CHECK(cn_masses_create(&fixture->def, &error) == NULL);
    CHECK_INT(error.status, CN_INVALID);
    CHECK_CONTAINS(error.message, words);
    fill(fixture);
}

static void masses_that_make_no_sense_are_refused(void) {
    static Fixture fixture;
    fill(&fixture);
    fixture.def.coordinate_count = -1;
    refuse_def(&fixture, "cannot have -1 coordinates");
    fixture.blocks[2].first_row = 5;
    refuse_def(&fixture, "block 2 has 3 rows from row 5 on");
    fixture.mass[3] = nan("");
    refuse_def(&fixture, "mass: row 1, column 1 is nan");
    fixture.row_column[5] = COORDINATES;
    refuse_def(&fixture, "jacobian: row 1 has column 130 after 17");
    fixture.mass_start[1] = 6;
    refuse_def(&fixture, "mass: row 1 ends before it starts");
    memset(fixture.mass + fixture.mass_start[25], 0, 3 * sizeof(double));
    refuse_def(&fixture, "mass is singular (coordinate ");
}

static void refuse_problem(const CnProblem* problem, const char* words) {
    CnError error = {0};
    CHECK_INT(cn_problem_check(problem, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, words);
}

static void a_problem_must_fit_its_masses(void) {
    static Fixture fixture;
    fill(&fixture);
    CnMasses* masses = cn_masses_create(&fixture.def, NULL);
    CHECK(masses != NULL);
    fixture.problem.masses = masses;
    CnProblem other = fixture.problem;
    other.body_count = 1;
    refuse_problem(&other, "130 coordinates are 22 bodies of six; body_count is 1");
    other = fixture.problem;
    other.block_count = 3;
    refuse_problem(&other, "made for 4 blocks of 10 rows; the problem has 3 of 10");
    const int rows[BLOCKS] = {1, 3, 3, 3}; // as many in all, but the second block starts earlier
    for (int b = 0, first = 0; b < BLOCKS; first += rows[b++]) {
        fixture.blocks[b].first_row = first;
        fixture.blocks[b].row_count = rows[b];
    }
    refuse_problem(&fixture.problem,
                   "block 1 starts at row 1; they were made for one that starts at 3");
    fixture.blocks[0].row_count = 3;
    fixture.blocks[1].first_row = 3;
    fixture.blocks[1].row_count = 1;
    fixture.blocks[1].body_a = 0;
    refuse_problem(&fixture.problem, "block 1 names bodies 0 and -1");
    fixture.blocks[1].body_a = -1;
    fixture.free_velocity[21][5] = 1.0;
    refuse_problem(&fixture.problem, "free_velocity of place 131 is 1; no coordinate is there");
    fixture.free_velocity[21][5] = 0.0;
    fixture.free_velocity[2][1] = HUGE_VAL;
    refuse_problem(&fixture.problem, "free_velocity of coordinate 13 is inf");
    cn_masses_destroy(masses);
}

TEST_MAIN("unit/constraints/masses", TEST(products_blocks_and_w_agree),
          TEST(masses_that_make_no_sense_are_refused), TEST(a_problem_must_fit_its_masses))

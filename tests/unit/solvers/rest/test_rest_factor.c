// test_rest_factor.c - tiles at rest: what a guess that is nearly right becomes, by a kept factor.
#include "solvers/rest/keep_guess.h"

#include "cairn/random.h"
#include "support/failing_allocator.h"
#include "support/test.h"

#define CUBES 10
#define WEIGHT 0.1 // impulse of a step: 1 kg that gains 0.1 m/s [N s]
#define NOISE 1e-8 // how far the guess is off [N s]
#define GOAL 1e-13 // [m/s]

// What bodies may be left with: the goal, and round-off of 1 m/s, which the lowest cube would gain
// by what lies on it, in ten terms.
#define STILL (GOAL + 10.0 * 2.3e-16)

// A column of cubes of 1 m and 1 kg on a plate that moves as it is told, body 0.
typedef struct Column {
    CnContactTile tile[CUBES];
    CnContactTile* list[CUBES];
    int body[CUBES];
    bool is_dynamic[CUBES + 1];
    double inverse_mass[CUBES + 1], inverse_inertia[CUBES + 1][9], center[CUBES + 1][3];
    double free_velocity[CUBES + 1][6], before[CUBES + 1][6];
    double momentum[CUBES + 1][6], velocity[CUBES + 1][6];
    CnTileBodies bodies;
    CnRestIsland island;
} Column;

static void set_tile(Column* column, int i, double friction) {
    static const double corner[4][2] = {{0.5, 0.5}, {-0.5, 0.5}, {-0.5, -0.5}, {0.5, -0.5}};
    CnContactTile* tile = &column->tile[i];
    *tile = (CnContactTile){.direction = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}},
                            .center = {{0, 0, 0}, {0, 0, 1}},
                            .body_a = i,
                            .body_b = i + 1,
                            .acting = 15,
                            .row_count = 3};
    for (int j = 0; j < CN_TILE_POINTS; ++j) {
        tile->point[0][j] = corner[j][0];
        tile->point[1][j] = corner[j][1];
        tile->point[2][j] = 0.5;
        tile->friction[j] = friction;
        tile->impulse[0][j] = 0.25 * WEIGHT * (CUBES - i);
    }
    column->list[i] = tile;
    cn_tile_prepare(tile, &column->bodies);
}

static void make(Column* column, double friction) {
    *column = (Column){0};
    column->bodies = (CnTileBodies){
        .is_dynamic = column->is_dynamic,
        .inverse_mass = column->inverse_mass,
        .inverse_inertia = (const double(*)[9])column->inverse_inertia,
        .center = (const double(*)[3])column->center,
        .free_velocity = (const double(*)[6])column->free_velocity,
        .before = (const double(*)[6])column->before,
        .momentum = column->momentum,
        .velocity = column->velocity,
    };
    column->island =
        (CnRestIsland){{CUBES, column->list, NULL}, &column->bodies, CUBES, column->body};
    for (int i = 0; i < CUBES; ++i) {
        column->body[i] = i + 1;
        column->is_dynamic[i + 1] = true;
        column->inverse_mass[i + 1] = 1.0;
        column->free_velocity[i + 1][2] = -WEIGHT;
        for (int k = 0; k < 3; ++k) {
            column->inverse_inertia[i + 1][4 * k] = 6.0;
        }
    }
    for (int i = 0; i < CUBES; ++i) {
        set_tile(column, i, friction);
    }
}

static void disturb(Column* column, uint64_t seed) {
    CnRandom random = {seed};
    for (int i = 0; i < CUBES; ++i) {
        for (int k = 0; k < 3; ++k) {
            for (int j = 0; j < CN_TILE_POINTS; ++j) {
                column->tile[i].impulse[k][j] += cn_random_between(&random, -NOISE, NOISE);
            }
        }
    }
}

static double respond(Column* column) {
    memset(column->momentum, 0, sizeof column->momentum);
    cn_tiles_push(&column->island.set, &column->bodies);
    return cn_bodies_respond(&column->bodies, CUBES, column->body);
}

static double fastest(const Column* column, const double velocity[6]) {
    double most = 0.0;
    for (int i = 1; i <= CUBES; ++i) {
        for (int k = 0; k < 6; ++k) {
            most = fmax(most, fabs(column->velocity[i][k] - velocity[k]));
        }
    }
    return most;
}

static CnRefining refine(CnRestFactor* factor, Column* column, bool closing) {
    CnRefining refining = {.goal = GOAL, .closing = closing};
    CnArena scratch;
    cn_arena_init(&scratch, NULL);
    respond(column);
    CHECK_INT(cn_rest_factor_refine(factor, &column->island, &scratch, &refining), CN_OK);
    CHECK_INT(scratch.used, 0);
    cn_arena_destroy(&scratch);
    return refining;
}

static const double still[6] = {0.0};

// All rows stick, and no impulse changes by more than the noise of some 100 of them.
static void a_column_comes_to_rest_in_one_correction(void) {
    Column column;
    CnRestFactor* factor = cn_rest_factor_create(NULL, NULL);
    make(&column, 0.5);
    disturb(&column, 1);
    Column noisy = column;
    CnRefining refining = refine(factor, &column, true);
    CHECK(refining.is_held && !refining.was_kept);
    CHECK_INT(refining.held_rows, 12 * CUBES);
    CHECK(refining.rounds >= 1 && refining.rounds <= 2);
    CHECK(fastest(&column, still) <= STILL);
    CHECK(cn_tiles_worst(&column.island.set, &column.bodies) <= 10.0 * STILL);
    for (int i = 0; i < CUBES; ++i) {
        for (int j = 0; j < CN_TILE_POINTS; ++j) {
            CHECK_NEAR(column.tile[i].impulse[0][j], noisy.tile[i].impulse[0][j], 100.0 * NOISE);
        }
    }
    cn_rest_factor_destroy(factor);
}

// A kept factor is the one that would be made: bits of one that is new, whatever it was used for.
static void a_kept_factor_has_the_bits_of_a_new_one(void) {
    Column column, other;
    CnRestFactor* kept = cn_rest_factor_create(NULL, NULL);
    make(&column, 0.5);
    disturb(&column, 1);
    refine(kept, &column, true);
    size_t bytes = cn_rest_factor_bytes(kept);
    for (uint64_t seed = 2; seed < 10; ++seed) {
        CnRestFactor* made = cn_rest_factor_create(NULL, NULL);
        make(&column, 0.5);
        make(&other, 0.5);
        disturb(&column, seed);
        disturb(&other, seed);
        if (seed == 5) { // a contact that is open: another factor of the same plan
            column.tile[3].impulse[0][2] = other.tile[3].impulse[0][2] = 0.0;
            column.tile[3].target[2] = other.tile[3].target[2] = -100.0;
        }
        CnRefining with_kept = refine(kept, &column, true), with_new = refine(made, &other, true);
        CHECK(with_kept.was_kept == (seed != 5 && seed != 6));
        CHECK(!with_new.was_kept);
        CHECK(with_kept.work == with_new.work);
        CHECK_INT(with_kept.rounds, with_new.rounds);
        CHECK(memcmp(column.tile, other.tile, sizeof column.tile) == 0);
        CHECK(memcmp(column.velocity, other.velocity, sizeof column.velocity) == 0);
        cn_rest_factor_destroy(made);
    }
    CHECK_INT(cn_rest_factor_bytes(kept), bytes); // one plan, one memory
    cn_rest_factor_destroy(kept);
}

// What the factor is made of changes in its last bit: it is made anew.
static void a_factor_knows_what_it_was_made_of(void) {
    for (int i = 0; i < 5; ++i) {
        Column column;
        CnRestFactor* factor = cn_rest_factor_create(NULL, NULL);
        make(&column, 0.5);
        refine(factor, &column, true);
        CHECK(refine(factor, &column, true).was_kept);
        CnContactTile* tile = &column.tile[4];
        double* parts[4] = {&tile->direction[1][0], &tile->point[0][1], &tile->center[1][2],
                            &tile->step_bound[2]};
        if (i < 4) {
            *parts[i] = nextafter(*parts[i], 2.0);
        } else {
            tile->acting = 7;
        }
        CHECK(!refine(factor, &column, true).was_kept);
        cn_rest_factor_destroy(factor);
    }
}

// Without friction nothing keeps the cubes from sliding; those that slip are not held either.
static void what_is_not_held_is_left_alone(void) {
    for (int slips = 0; slips < 2; ++slips) {
        Column column;
        CnRestFactor* factor = cn_rest_factor_create(NULL, NULL);
        make(&column, slips == 1 ? 0.5 : 0.0);
        disturb(&column, 1);
        for (int i = 1; slips == 1 && i <= CUBES; ++i) {
            column.free_velocity[i][0] = 100.0;
        }
        Column before = column;
        CnRefining refining = refine(factor, &column, true);
        CHECK(!refining.is_held);
        CHECK_INT(refining.rounds, 0);
        CHECK_INT(refining.held_rows, slips == 1 ? 12 * CUBES - 12 : 4 * CUBES);
        CHECK(memcmp(before.tile, column.tile, sizeof column.tile) == 0);
        cn_rest_factor_destroy(factor);
    }
}

// A gap of 1e-12 m under one corner of the lowest cube, in a step of 1 ms, is to close at 1e-9 m/s.
// It stays open or, asked to close, all four corners and the tangents give way by least squares:
// what they are left with is at most what one corner was.
static void gaps_are_left_open_or_closed_as_asked(void) {
    const double gap_rate = 1e-9; // [m/s]
    Column column;
    CnRestFactor* factor = cn_rest_factor_create(NULL, NULL);
    make(&column, 0.5);
    column.tile[0].target[0] = -gap_rate;
    disturb(&column, 3);
    refine(factor, &column, false);
    CHECK(fastest(&column, still) <= STILL);
    CnRefining refining = refine(factor, &column, true);
    double worst = cn_tiles_worst(&column.island.set, &column.bodies);
    CHECK(refining.rounds >= 1 && worst < gap_rate && worst > 0.1 * gap_rate);
    Column closed = column; // and nothing is left to gain
    refine(factor, &column, true);
    CHECK_NEAR(cn_tiles_worst(&column.island.set, &column.bodies), worst, STILL);
    CHECK_NEAR(column.velocity[1][2], closed.velocity[1][2], STILL);
    cn_rest_factor_destroy(factor);
}

// On a plate that moves and a belt that runs on it, rest is to move along.
static void cubes_move_with_what_they_stand_on(void) {
    const double plate[6] = {0.3, -0.2, 0.0, 0.0, 0.0, 0.0}, sum[6] = {0.5, -0.2};
    Column column;
    CnRestFactor* factor = cn_rest_factor_create(NULL, NULL);
    make(&column, 0.5);
    memcpy(column.velocity[0], plate, sizeof plate);
    for (int i = 1; i <= CUBES; ++i) {
        memcpy(column.free_velocity[i], sum, sizeof(double[2]));
    }
    CnTileSlide belt = {{{0.2, 0.2, 0.2, 0.2}}}; // it runs along x, which is the first tangent
    column.tile[0].slide = &belt;
    disturb(&column, 4);
    refine(factor, &column, true);
    CHECK(fastest(&column, sum) <= STILL);
    cn_rest_factor_destroy(factor);
}

// Impulses that hold are kept; those that are off by less than the tolerance are refined, since
// they would push the cubes off; those of another state are left to a solver, to the bit.
static void guesses_are_kept_refined_or_left(void) {
    const double off[3] = {0.0, 0.9e-8, 1e-3}; // of the weight that the plate carries [m/s of 1 kg]
    const CnGuessRules rules = {.tolerance = 1e-8};
    CnRestFactor* factor = NULL;
    CnArena scratch;
    cn_arena_init(&scratch, NULL);
    for (int i = 0; i < 3; ++i) {
        Column column;
        CnGuess guess;
        make(&column, 0.5);
        for (int j = 0; j < CN_TILE_POINTS; ++j) {
            column.tile[CUBES - 1].impulse[0][j] += 0.25 * off[i];
        }
        Column before = column;
        CHECK_INT(cn_keep_guess(&column.island, &rules, &factor, &scratch, &guess), CN_OK);
        CHECK_INT(guess.is_kept, i < 2);
        CHECK_INT(guess.refining.rounds > 0, i == 1);
        CHECK_INT(factor != NULL, i > 0);
        CHECK(i == 2 || guess.error <= 10.0 * STILL);
        CHECK(i < 2 || guess.error >= off[i]);
        if (i != 1) {
            CHECK(memcmp(before.tile, column.tile, sizeof column.tile) == 0);
        }
    }
    CHECK_INT(scratch.used, 0);
    cn_rest_factor_destroy(factor);
    cn_arena_destroy(&scratch);
}

// A loose tolerance takes anything below it, but not in the steps that refine what is slow.
static void refining_steps_ask_for_more_at_rest(void) {
    CnRestFactor* factor = NULL;
    CnArena scratch;
    cn_arena_init(&scratch, NULL);
    for (int i = 0; i < 4; ++i) {
        const CnGuessRules rules = {.tolerance = 1e-2, .refines = i % 2 == 1};
        Column column;
        CnGuess guess;
        make(&column, 0.5);
        column.tile[CUBES - 1].impulse[0][1] += 1e-3;
        column.before[1][0] = i < 2 ? 0.0 : 0.2; // faster than what rests
        CHECK_INT(cn_keep_guess(&column.island, &rules, &factor, &scratch, &guess), CN_OK);
        CHECK(guess.error > 1e-4 && guess.error < 1e-2);
        CHECK_INT(guess.is_kept, i != 1);
    }
    cn_rest_factor_destroy(factor);
    cn_arena_destroy(&scratch);
}

// Wherever memory ends, nothing has changed, and the next call does it.
static void without_memory_nothing_changes(void) {
    Column column;
    make(&column, 0.5);
    disturb(&column, 1);
    Column before = column;
    int failures = 0;
    for (int request = 1; request < 100; ++request) {
        FailingAllocator failing = {.refuse_at = request};
        CnAllocator allocator = failing_allocator(&failing);
        CnRestFactor* factor = cn_rest_factor_create(&allocator, NULL);
        CnRefining refining = {.goal = GOAL};
        CnArena scratch;
        cn_arena_init(&scratch, &allocator);
        column = before;
        respond(&column);
        CnStatus status = factor == NULL
                              ? CN_NO_MEMORY
                              : cn_rest_factor_refine(factor, &column.island, &scratch, &refining);
        if (status == CN_NO_MEMORY) {
            ++failures;
            CHECK(memcmp(before.tile, column.tile, sizeof column.tile) == 0);
        } else {
            CHECK(refining.is_held);
        }
        cn_rest_factor_destroy(factor);
        cn_arena_destroy(&scratch);
        CHECK_INT(atomic_load(&failing.live), 0);
        if (status == CN_OK) {
            break;
        }
    }
    CHECK(failures >= 3 && failures < 99);
}

// Factors that find no room are made in scratch memory: same bits, and nothing is kept.
static void factors_without_room_are_made_each_time(void) {
    CnRestMemory full = {CN_REST_MEMORY}, free_memory = {0};
    CnRestFactor* kept = cn_rest_factor_create(NULL, &free_memory);
    CnRestFactor* made = cn_rest_factor_create(NULL, &full);
    size_t empty = cn_rest_factor_bytes(made);
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        Column one, other;
        make(&one, 0.5);
        disturb(&one, seed);
        make(&other, 0.5);
        disturb(&other, seed);
        CnRefining a = refine(kept, &one, false), b = refine(made, &other, false);
        CHECK(a.is_held && b.is_held && a.rounds == b.rounds && a.work == b.work);
        CHECK(memcmp(one.velocity, other.velocity, sizeof one.velocity) == 0);
        CHECK_INT(cn_rest_factor_bytes(made), empty);
        CHECK_INT(full.bytes, CN_REST_MEMORY);
        CHECK(cn_rest_factor_bytes(kept) == empty + free_memory.bytes);
    }
    cn_rest_factor_destroy(kept);
    cn_rest_factor_destroy(made);
    CHECK_INT(free_memory.bytes, 0);
}

// Beside others a factor is kept if it fits in what they leave of their share.
static void a_factor_is_kept_where_others_leave_room(void) {
    const size_t taken[] = {0, 1, CN_REST_SHARE - 1};
    for (int i = 0; i < 3; ++i) {
        Column column;
        CnRestMemory shared = {taken[i]};
        CnRestFactor* factor = cn_rest_factor_create(NULL, &shared);
        make(&column, 0.5);
        CHECK(refine(factor, &column, false).is_held);
        CHECK((shared.bytes > taken[i]) == (i < 2));
        cn_rest_factor_destroy(factor);
        CHECK_INT(shared.bytes, taken[i]);
    }
}

TEST_MAIN("unit/solvers/rest/rest_factor", TEST(a_column_comes_to_rest_in_one_correction),
          TEST(a_kept_factor_has_the_bits_of_a_new_one), TEST(a_factor_knows_what_it_was_made_of),
          TEST(what_is_not_held_is_left_alone), TEST(gaps_are_left_open_or_closed_as_asked),
          TEST(cubes_move_with_what_they_stand_on), TEST(guesses_are_kept_refined_or_left),
          TEST(refining_steps_ask_for_more_at_rest), TEST(factors_without_room_are_made_each_time),
          TEST(a_factor_is_kept_where_others_leave_room), TEST(without_memory_nothing_changes))

// tiles.c - cost of grading a contact: vector tiles, their plain twin, and cn_problem_certify().
//
// 100 pyramids of 55 cubes at rest on the ground: 5500 bodies, 10,000 tiles of four points, with
// the impulses that hold them, off by some nanometres per second. Best of many rounds, one thread.
#include "base/timer.h"
#include "cairn/random.h"
#include "constraints/tiles/tile_functions.h"
#include "math/simd.h"
#include "solvers/rest/keep_guess.h"
#include "solvers/rest/refine_rest.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ISLANDS 100
#define BASE 10 // cubes of the lowest row
#define BODIES_OF_ISLAND (BASE * (BASE + 1) / 2)
#define TILES_OF_ISLAND (BASE * BASE)
#define BODIES (ISLANDS * BODIES_OF_ISLAND)
#define TILES (ISLANDS * TILES_OF_ISLAND)
#define POINTS (TILES * CN_TILE_POINTS)

#define MASS 1.0          // [kg]
#define STEP (1.0 / 60.0) // [s]
#define GRAVITY 9.81      // [m/s^2]
#define ROUGHNESS 1e-9    // of the guess [N s]
#define TOLERANCE 1e-8    // [m/s]
#define ROUNDS 100

static CnContactTile tile[TILES];
static CnContactTile* list[TILES];
static bool is_dynamic[BODIES];
static int dynamic[BODIES];
static double inverse_mass[BODIES], inverse_inertia[BODIES][9], center[BODIES][3];
static double free_velocity[BODIES][6], before[BODIES][6], mean_velocity[BODIES][6];
static double momentum[BODIES][6], velocity[BODIES][6];
static const CnTileBodies bodies = {
    .is_dynamic = is_dynamic,
    .inverse_mass = inverse_mass,
    .inverse_inertia = (const double (*)[9])inverse_inertia,
    .center = (const double (*)[3])center,
    .free_velocity = (const double (*)[6])free_velocity,
    .before = (const double (*)[6])before,
    .mean_velocity = (const double (*)[6])mean_velocity,
    .momentum = momentum,
    .velocity = velocity,
};

static void set_body(int index, double x, double z) {
    const double at[3] = {x, 0.0, z}, still[6] = {0.0, 0.0, -GRAVITY * STEP};
    is_dynamic[index] = true;
    dynamic[index] = index;
    inverse_mass[index] = 1.0 / MASS;
    memcpy(center[index], at, sizeof at);
    memcpy(free_velocity[index], still, sizeof still);
    for (int k = 0; k < 3; ++k) {
        inverse_inertia[index][4 * k] = 6.0 / MASS; // of a cube of 1 m
    }
}

// A patch of half the width of the upper cube, or all of it on the ground; each corner has its
// share of the load, and more by `tilt` on the right than on the left.
static void set_tile(int index, int a, int b, double x, double width, double load, double tilt,
                     CnRandom* random) {
    static const double corner[4][2] = {{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}};
    CnContactTile* t = &tile[index];
    *t = (CnContactTile){.direction = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}},
                         .body_a = a,
                         .body_b = b,
                         .acting = 15,
                         .row_count = 3};
    for (int j = 0; j < CN_TILE_POINTS; ++j) {
        const double point[3] = {x + width * corner[j][0], corner[j][1], center[b][2] - 0.5};
        for (int k = 0; k < 3; ++k) {
            t->point[k][j] = point[k];
            t->center[0][k] = a >= 0 ? center[a][k] : 0.0;
            t->center[1][k] = center[b][k];
        }
        t->friction[j] = 0.6;
        t->impulse[0][j] = 0.25 * load + corner[j][0] * tilt;
        for (int k = 0; k < 3; ++k) {
            t->impulse[k][j] += cn_random_between(random, -ROUGHNESS, ROUGHNESS);
        }
    }
    list[index] = t;
}

// Rows from the top: each cube hands half of its weight and what lies on it to the left and right.
static void set_pyramid(int island, CnRandom* random) {
    double above[BASE + 1][2] = {{0.0}}; // loads from the left and right [N s]
    int body = island * BODIES_OF_ISLAND, index = island * TILES_OF_ISLAND;
    for (int row = 0; row < BASE; ++row) {
        int count = row + 1, below = body + count;
        double next[BASE + 1][2] = {{0.0}}, z = BASE - row - 0.5;
        for (int i = 0; i < count + 1 && row + 1 < BASE; ++i) {
            set_body(below + i, 2.0 * BASE * island + i - 0.5 * count, z - 1.0);
        }
        for (int i = 0; i < count; ++i) {
            double x = 2.0 * BASE * island + i - 0.5 * row, own = 0.5 * MASS * GRAVITY * STEP;
            double left = above[i][0] + own, right = above[i][1] + own;
            if (row == 0) {
                set_body(body, x, z);
            }
            if (row + 1 == BASE) {
                set_tile(index++, -1, body + i, x, 1.0, left + right, 0.25 * (right - left),
                         random);
            } else {
                set_tile(index++, below + i, body + i, x - 0.25, 0.5, left, 0.0, random);
                set_tile(index++, below + i + 1, body + i, x + 0.25, 0.5, right, 0.0, random);
                next[i][1] = left;
                next[i + 1][0] = right;
            }
        }
        memcpy(above, next, sizeof above);
        body += count;
    }
}

// What is timed: one call does it for all islands.
typedef struct Kernels {
    const char* name;
    const CnTileFunctions* functions;
} Kernels;

static CnTileSet island_set(int island) {
    return (CnTileSet){TILES_OF_ISLAND, list + island * TILES_OF_ISLAND, NULL};
}

static void prepare(const CnTileFunctions* functions) {
    for (int i = 0; i < TILES; ++i) {
        functions->prepare(list[i], &bodies);
    }
}

static double gain;

static void accept(const CnTileFunctions* functions) {
    gain = 0.0;
    for (int i = 0; i < ISLANDS; ++i) {
        CnTileSet set = island_set(i);
        int first = i * BODIES_OF_ISLAND;
        memset(momentum[first], 0, BODIES_OF_ISLAND * sizeof momentum[0]);
        functions->push(&set, &bodies);
        gain = fmax(gain, cn_bodies_respond(&bodies, BODIES_OF_ISLAND, dynamic + first));
        gain = fmax(gain, functions->worst(&set, &bodies));
    }
}

static CnTileGrades grades;

static void grade(const CnTileFunctions* functions) {
    for (int i = 0; i < ISLANDS; ++i) {
        CnTileSet set = island_set(i);
        functions->grade(&set, &bodies, 0.3, &grades);
    }
}

static CnTileWorks works;
static CnTileLedger ledger;

static void book(const CnTileFunctions* functions) {
    for (int i = 0; i < ISLANDS; ++i) {
        CnTileSet set = island_set(i);
        functions->book(&set, &bodies, &works, &ledger);
    }
}

static double best(void (*run)(const CnTileFunctions*), const CnTileFunctions* functions) {
    double least = HUGE_VAL;
    for (int i = 0; i < ROUNDS; ++i) {
        double start = cn_timer_now();
        run(functions);
        least = fmin(least, cn_timer_now() - start);
    }
    return 1e9 * least / POINTS;
}

// The tiles as a problem of the first count of them; all bodies are in it.
static CnProblem write_problem(int count, CnSolution* solution) {
    static CnBlock blocks[POINTS];
    static double jacobian_a[3 * POINTS][6], jacobian_b[3 * POINTS][6], numbers[7][3 * POINTS];
    CnTileRows rows = {.blocks = blocks,
                       .jacobian_a = jacobian_a,
                       .jacobian_b = jacobian_b,
                       .target = numbers[0],
                       .compliance = numbers[1],
                       .lower = numbers[2],
                       .upper = numbers[3],
                       .offset = numbers[4],
                       .slope = numbers[5],
                       .impulse = numbers[6]};
    CnTileSet set = {count, list, NULL};
    cn_tiles_write_blocks(&set, NULL, &rows);
    *solution = (CnSolution){rows.impulse, velocity};
    return (CnProblem){.body_count = BODIES * (count / TILES_OF_ISLAND) / ISLANDS,
                       .block_count = rows.block_count,
                       .row_count = rows.row_count,
                       .inverse_mass = inverse_mass,
                       .inverse_inertia = (const double(*)[9])inverse_inertia,
                       .free_velocity = (const double(*)[6])free_velocity,
                       .blocks = blocks,
                       .jacobian_a = (const double(*)[6])jacobian_a,
                       .jacobian_b = (const double(*)[6])jacobian_b,
                       .target = rows.target,
                       .compliance = rows.compliance,
                       .lower = rows.lower,
                       .upper = rows.upper,
                       .offset = rows.offset,
                       .slope = rows.slope};
}

// The whole certificate of the same contacts as one problem, its velocities included.
static double time_certify(CnCertificate* certificate) {
    static double scratch[BODIES][6];
    CnSolution solution;
    CnProblem problem = write_problem(TILES, &solution);
    double least = HUGE_VAL;
    for (int i = 0; i < ROUNDS / 10; ++i) {
        double start = cn_timer_now();
        cn_certify(&problem, &solution, scratch, NULL, certificate);
        least = fmin(least, cn_timer_now() - start);
    }
    return 1e9 * least / POINTS;
}

static double guess[TILES][3][CN_TILE_POINTS];

static void restore_guess(void) {
    for (int i = 0; i < TILES; ++i) {
        memcpy(tile[i].impulse, guess[i], sizeof guess[i]);
    }
}

// Keeping the guess of all islands, which takes refining: ms for all.
static double time_refining(bool keeps, CnRestFactor** factors, CnGuess* last) {
    const CnGuessRules rules = {.tolerance = TOLERANCE};
    CnArena scratch;
    double least = HUGE_VAL;
    cn_arena_init(&scratch, NULL);
    for (int round = 0; round < ROUNDS / 5; ++round) {
        restore_guess();
        for (int i = 0; !keeps && i < ISLANDS; ++i) {
            cn_rest_factor_destroy(factors[i]);
            factors[i] = NULL;
        }
        double start = cn_timer_now();
        for (int i = 0; i < ISLANDS; ++i) {
            CnRestIsland island = {island_set(i), &bodies, BODIES_OF_ISLAND,
                                   dynamic + i * BODIES_OF_ISLAND};
            cn_keep_guess(&island, &rules, &factors[i], &scratch, last);
        }
        least = fmin(least, cn_timer_now() - start);
    }
    cn_arena_destroy(&scratch);
    return 1e3 * least;
}

// By rows of a problem: ms for all, from one island.
static double time_rows(CnRestRefinement* settling) {
    CnArena arena;
    CnSolution solution;
    double work = 0.0, least = HUGE_VAL;
    const CnBudget budget = {HUGE_VAL, &work, 0.0};
    cn_arena_init(&arena, NULL);
    for (int round = 0; round < ROUNDS / 5; ++round) {
        restore_guess();
        CnProblem problem = write_problem(TILES_OF_ISLAND, &solution);
        double start = cn_timer_now();
        cn_refine_rest(&problem, settling, &budget, &arena, solution.impulse);
        least = fmin(least, cn_timer_now() - start);
    }
    cn_arena_destroy(&arena);
    return 1e3 * ISLANDS * least;
}

static void compare_refining(void) {
    static CnRestFactor* factors[ISLANDS];
    CnRestRefinement settling = {.goal = 1e-5 * TOLERANCE, .closing = true};
    CnGuess last;
    size_t bytes = 0;
    for (int i = 0; i < TILES; ++i) {
        memcpy(guess[i], tile[i].impulse, sizeof guess[i]);
    }
    double anew = time_refining(false, factors, &last), kept = time_refining(true, factors, &last);
    double by_rows = time_rows(&settling);
    for (int i = 0; i < ISLANDS; ++i) {
        bytes += cn_rest_factor_bytes(factors[i]);
        cn_rest_factor_destroy(factors[i]);
    }
    printf(
        "refining %d islands: %.2f ms by kept factors (%.1f MB), %.2f ms by new ones, %.2f ms by "
        "rows (%s)\nresidual %.1e m/s after %d rounds, kept: %d\n",
        ISLANDS, kept, 1e-6 * (double)bytes, anew, by_rows,
        settling.by_bodies ? "a factor" : "conjugate residuals", last.error, last.refining.rounds,
        last.is_kept);
}

int main(void) {
    const Kernels kernels[] = {
        {"plain", &cn_tile_functions_plain},
        {"128 bits", &cn_tile_functions_128},
#if defined(__x86_64__)
        {"256 bits", cn_has_avx2() ? &cn_tile_functions_256 : NULL},
#endif
    };
    CnRandom random = {1};
    for (int i = 0; i < ISLANDS; ++i) {
        set_pyramid(i, &random);
    }
    printf("%d bodies, %d tiles of %zu bytes, %d points, %d islands; ns per point\n", BODIES, TILES,
           sizeof tile[0], POINTS, ISLANDS);
    printf("%-10s %9s %9s %9s %9s %22s\n", "", "prepare", "accept", "grade", "book",
           "accept + grade + book");
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; ++i) {
        const CnTileFunctions* functions = kernels[i].functions;
        if (functions != NULL) {
            double made = best(prepare, functions), accepted = best(accept, functions);
            double graded = best(grade, functions), booked = best(book, functions);
            printf("%-10s %9.1f %9.1f %9.1f %9.1f %22.1f\n", kernels[i].name, made, accepted,
                   graded, booked, accepted + graded + booked);
        }
    }
    CnCertificate certificate;
    CnGradeSums sums;
    double certified = time_certify(&certificate);
    CnTileSet all = {TILES, list, NULL};
    cn_grade_begin(&sums);
    cn_tiles_grade(&all, &bodies, 0.3, &sums);
    printf("cn_certify %9.1f\nworst %.6e m/s by tiles, %.6e by cn_certify; gain %.1e m/s\n",
           certified, sums.worst, certificate.worst, gain);
    compare_refining();
    return 0;
}

// test_soft_tile.c - soft contacts: the same bits for every number of lanes, and momentum.
#include "cairn/random.h"
#include "solvers/soft/soft_tile.h"
#include "support/test.h"

#include <stdlib.h>

#define TILES 3
#define BODIES 64 // rows: 48 are used, and the first

typedef struct Pile {
    CnSoftBody rows[BODIES];
    CnSoftMass masses[BODIES];
    CnSoftDrift drifts[BODIES];
    CnSoftTile tiles[TILES];
    CnSoftBodies bodies;
} Pile;

static float between(CnRandom* random, double low, double high) {
    return (float)cn_random_between(random, low, high);
}

static void unit_vector(CnRandom* random, float v[3]) {
    float square = 0.0f;
    for (int k = 0; k < 3; ++k) {
        v[k] = between(random, -1.0, 1.0);
        square += v[k] * v[k];
    }
    for (int k = 0; k < 3; ++k) {
        v[k] /= sqrtf(square);
    }
}

// Each lane has two bodies of its own; the first lane of a tile leans on what does not move.
static void fill_lane(Pile* pile, CnRandom* random, int t, int lane) {
    CnSoftTile* tile = &pile->tiles[t];
    float n[3], other[3], t1[3], t2[3], length = 0.0f;
    unit_vector(random, n);
    unit_vector(random, other);
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        t1[k] = n[i] * other[j] - n[j] * other[i];
        length += t1[k] * t1[k];
    }
    for (int k = 0; k < 3; ++k) {
        t1[k] /= sqrtf(length);
    }
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        t2[k] = n[i] * t1[j] - n[j] * t1[i];
    }
    for (int k = 0; k < 3; ++k) {
        tile->normal[k][lane] = n[k];
        tile->tangent[0][k][lane] = t1[k];
        tile->tangent[1][k][lane] = t2[k];
        tile->arm[0][k][lane] = between(random, -0.5, 0.5);
        tile->arm[1][k][lane] = between(random, -0.5, 0.5);
    }
    int first = 1 + 2 * (CN_SOFT_LANES * t + lane);
    tile->offset[0][lane] = lane == 0 ? 0 : first * (int)sizeof(CnSoftBody);
    tile->offset[1][lane] = (first + 1) * (int)sizeof(CnSoftBody);
    tile->is_fixed[lane] = lane == 0 ? 1.0f : 0.0f;
    for (int j = 0; j < CN_SOFT_POINTS; ++j) {
        tile->exists[j][lane] = j <= lane % CN_SOFT_POINTS ? 1.0f : 0.0f;
        tile->u[j][lane] = between(random, -0.4, 0.4);
        tile->w[j][lane] = between(random, -0.4, 0.4);
        tile->gap[j][lane] = between(random, -0.02, 0.005);
        tile->now.push[j][lane] = tile->exists[j][lane] * between(random, 0.0, 0.1);
    }
    tile->friction[lane] = 0.5f;
    tile->across[lane] = 0.8f;
    tile->torsion[lane] = 0.01f;
    tile->rolling[lane] = lane % 2 == 0 ? 0.02f : 0.0f;
    tile->belt[0][lane] = 0.1f;
    tile->restitution[lane] = 0.3f;
    tile->has_belt = tile->has_bounce = tile->has_rolling = 1;
}

static void fill_body(Pile* pile, CnRandom* random, int i) {
    CnSoftBody* row = &pile->rows[i];
    CnSoftMass* mass = &pile->masses[i];
    float turn[3];
    unit_vector(random, turn);
    row->turned[3] = 1.0f;
    if (i == 0 || i > 2 * CN_SOFT_LANES * TILES) {
        return;
    }
    mass->inverse_mass = row->inverse_mass = between(random, 0.5, 2.0);
    mass->inertia[0] = between(random, 3.0, 6.0);
    mass->inertia[3] = between(random, 3.0, 6.0);
    mass->inertia[5] = between(random, 3.0, 6.0);
    mass->inertia[1] = between(random, -1.0, 1.0);
    for (int k = 0; k < 3; ++k) {
        row->velocity[k] = between(random, -1.0, 1.0);
        row->spin[k] = between(random, -1.0, 1.0);
        row->moved[k] = between(random, -0.001, 0.001);
        row->turned[k] = 0.02f * turn[k];
    }
    row->turned[3] = sqrtf(1.0f - 0.0004f);
    pile->drifts[i].gain[2] = -0.04f;
}

// One point in each lane, at the centroid, without resistance to spinning and rolling.
static void make_single(Pile* pile) {
    for (int t = 0; t < TILES; ++t) {
        CnSoftTile* tile = &pile->tiles[t];
        tile->has_rolling = 0;
        for (int lane = 0; lane < CN_SOFT_LANES; ++lane) {
            tile->torsion[lane] = tile->rolling[lane] = 0.0f;
            for (int j = 0; j < CN_SOFT_POINTS; ++j) {
                tile->exists[j][lane] = j == 0 ? 1.0f : 0.0f;
                tile->u[j][lane] = tile->w[j][lane] = 0.0f;
                tile->now.push[j][lane] *= tile->exists[j][lane];
            }
        }
    }
}

static void set_single(Pile* pile) {
    for (int t = 0; t < TILES; ++t) {
        pile->tiles[t].is_single = 1;
    }
}

static Pile* create(void) {
    Pile* pile = aligned_alloc(64, sizeof(Pile));
    CnRandom random = {7};
    memset(pile, 0, sizeof *pile);
    for (int i = 0; i < BODIES; ++i) {
        fill_body(pile, &random, i);
    }
    for (int i = 0; i < TILES * CN_SOFT_LANES; ++i) {
        fill_lane(pile, &random, i / CN_SOFT_LANES, i % CN_SOFT_LANES);
    }
    pile->bodies = (CnSoftBodies){pile->rows, pile->masses, pile->drifts, BODIES};
    return pile;
}

static void run(Pile* pile, const CnSoftKernels* kernels) {
    CnSoftRates rates = cn_soft_rates(1.0 / 240.0, 30.0, 10.0, 3.0, 0.1);
    kernels->prepare(pile->tiles, TILES, &pile->bodies);
    kernels->note_approach(pile->tiles, TILES, &pile->bodies);
    for (int i = 0; i < 4; ++i) {
        if (i == 0) {
            kernels->begin(&pile->bodies);
            kernels->warm_start(pile->tiles, TILES, &pile->bodies);
        } else {
            kernels->go_on(&pile->bodies);
        }
        kernels->push(pile->tiles, TILES, &pile->bodies, &rates);
        kernels->advance(&pile->bodies, &rates);
        kernels->relax(pile->tiles, TILES, &pile->bodies, &rates);
    }
    kernels->bounce(pile->tiles, TILES, &pile->bodies, &rates);
}

// Bits of everything but pointers; no number may be NaN, whose bits differ between processors.
static void check_same(const Pile* a, const Pile* b) {
    CHECK(memcmp(a->rows, b->rows, sizeof a->rows) == 0);
    CHECK(memcmp(a->tiles, b->tiles, sizeof a->tiles) == 0);
    for (int i = 0; i < BODIES; ++i) {
        CHECK(isfinite(a->rows[i].velocity[0]) && isfinite(a->rows[i].turned[3]));
    }
}

static void every_width_gives_the_same_bits(void) {
    Pile *plain = create(), *wide = create(), *widest = create();
    run(plain, &cn_soft_kernels_plain);
    run(wide, &cn_soft_kernels_128);
    run(widest, cn_soft_kernels());
    check_same(plain, wide);
    check_same(plain, widest);
    free(plain);
    free(wide);
    free(widest);
}

static void every_width_gives_the_same_bits_for_single_points(void) {
    Pile* piles[3] = {create(), create(), create()};
    const CnSoftKernels* kernels[3] = {&cn_soft_kernels_plain, &cn_soft_kernels_128,
                                       cn_soft_kernels()};
    for (int i = 0; i < 3; ++i) {
        make_single(piles[i]);
        set_single(piles[i]);
        run(piles[i], kernels[i]);
        check_same(piles[0], piles[i]);
    }
    for (int i = 0; i < 3; ++i) {
        free(piles[i]);
    }
}

// Sweeps of single points leave out what is 0 for them: velocities are equal, impulses too.
static void single_points_are_swept_as_any_manifold(void) {
    Pile *any = create(), *single = create();
    make_single(any);
    make_single(single);
    set_single(single);
    run(any, cn_soft_kernels());
    run(single, cn_soft_kernels());
    for (int i = 0; i < BODIES; ++i) {
        for (int k = 0; k < 3; ++k) {
            CHECK(any->rows[i].velocity[k] == single->rows[i].velocity[k]);
            CHECK(any->rows[i].spin[k] == single->rows[i].spin[k]);
            CHECK(any->rows[i].moved[k] == single->rows[i].moved[k]);
        }
    }
    for (int i = 0; i < TILES * CN_SOFT_LANES; ++i) {
        const CnSoftTile *a = &any->tiles[i / CN_SOFT_LANES],
                         *b = &single->tiles[i / CN_SOFT_LANES];
        int lane = i % CN_SOFT_LANES;
        CHECK(a->now.total_push[0][lane] == b->now.total_push[0][lane]);
        CHECK(a->now.total_slide[1][lane] == b->now.total_slide[1][lane]);
        CHECK(a->separation[0][lane] == b->separation[0][lane]);
    }
    free(any);
    free(single);
}

// Impulses on A and B are opposite: lanes between two movable bodies keep linear momentum. Each
// number is rounded to 2^-24 of about 1 m/s, some fifty times.
static void contacts_keep_momentum(void) {
    Pile* pile = create();
    for (int i = 0; i < BODIES; ++i) {
        pile->drifts[i].gain[2] = 0.0f;
    }
    double before[3] = {0.0, 0.0, 0.0}, after[3] = {0.0, 0.0, 0.0};
    for (int pass = 0; pass < 2; ++pass) {
        for (int lane = 1; lane < CN_SOFT_LANES; ++lane) {
            for (int i = 1 + 2 * lane; i < 3 + 2 * lane; ++i) {
                for (int k = 0; k < 3; ++k) {
                    double p =
                        (double)pile->rows[i].velocity[k] / (double)pile->rows[i].inverse_mass;
                    (pass == 0 ? before : after)[k] += p;
                }
            }
        }
        if (pass == 0) {
            run(pile, cn_soft_kernels());
        }
    }
    for (int k = 0; k < 3; ++k) {
        CHECK_NEAR(after[k], before[k], 14.0 * 50.0 * 6e-8 * 2.0);
    }
    free(pile);
}

TEST_MAIN("unit/solvers/soft/soft_tile", TEST(every_width_gives_the_same_bits),
          TEST(every_width_gives_the_same_bits_for_single_points),
          TEST(single_points_are_swept_as_any_manifold), TEST(contacts_keep_momentum))

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
    CnSoftSlot slots[CN_SOFT_MOST_SLOTS * TILES]; // of tiles, one after the other
    int slot_count;
    CnSoftBodies bodies;
} Pile;

// While all tiles are of one size.
static CnSoftTile* tile_at(const Pile* pile, int t) {
    return (CnSoftTile*)(uintptr_t)&pile->slots[t * pile->slot_count / TILES];
}

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
    CnSoftTile* tile = tile_at(pile, t);
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
    for (int j = 0; j < CN_SOFT_POINTS; ++j) {
        bool exists = j <= lane % CN_SOFT_POINTS;
        float push = between(random, 0.0, 0.1);
        tile->exists[j] = (uint8_t)(tile->exists[j] | (exists ? 1u << lane : 0u));
        tile->u[j][lane] = between(random, -0.4, 0.4);
        tile->w[j][lane] = between(random, -0.4, 0.4);
        tile->point[j].gap[lane] = between(random, -0.02, 0.005);
        tile->point[j].push.now[lane] = exists ? push : 0.0f;
    }
    tile->friction[lane] = 0.5f;
    tile->across[lane] = 0.8f;
    tile->torsion[lane] = 0.01f;
    tile->rolling[lane] = lane % 2 == 0 ? 0.02f : 0.0f;
    tile->belt[0][lane] = 0.1f;
    tile->restitution[lane] = 0.3f;
    tile->has_belt = tile->has_bounce = tile->has_rolling = 1;
    tile->slots = CN_SOFT_MOST_SLOTS;
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
        CnSoftTile* tile = tile_at(pile, t);
        tile->has_rolling = 0;
        for (int lane = 0; lane < CN_SOFT_LANES; ++lane) {
            tile->torsion[lane] = tile->rolling[lane] = 0.0f;
            for (int j = 0; j < CN_SOFT_POINTS; ++j) {
                tile->exists[j] = j == 0 ? 0xff : 0;
                tile->u[j][lane] = tile->w[j][lane] = 0.0f;
                tile->point[j].push.now[lane] *= j == 0 ? 1.0f : 0.0f;
            }
        }
    }
}

// Tiles of single points have one slot each: what is in the others is overwritten.
static void set_single(Pile* pile) {
    for (int t = 0; t < TILES; ++t) {
        CnSoftTile* tile = tile_at(pile, t);
        tile->is_single = tile->slots = 1;
        memmove(&pile->slots[t], tile, sizeof(CnSoftSlot));
    }
    memset(&pile->slots[TILES], 0xff, sizeof pile->slots - TILES * sizeof(CnSoftSlot)); // no number
    pile->slot_count = TILES;
}

static Pile* create(void) {
    Pile* pile = aligned_alloc(64, sizeof(Pile));
    CnRandom random = {7};
    memset(pile, 0, sizeof *pile);
    pile->slot_count = CN_SOFT_MOST_SLOTS * TILES;
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
    CnSoftTiles tiles = {pile->slots, pile->slot_count};
    CnSoftRates rates = cn_soft_rates(1.0 / 240.0, 30.0, 10.0, 3.0, 0.1);
    kernels->prepare(tiles, &pile->bodies);
    kernels->note_approach(tiles, &pile->bodies);
    for (int i = 0; i < 4; ++i) {
        if (i == 0) {
            kernels->begin(&pile->bodies);
            kernels->warm_start(tiles, &pile->bodies);
        } else {
            kernels->go_on(&pile->bodies);
        }
        kernels->push(tiles, &pile->bodies, &rates);
        kernels->advance(&pile->bodies, &rates);
        kernels->relax(tiles, &pile->bodies, &rates);
    }
    kernels->bounce(tiles, &pile->bodies, &rates);
}

// Bits of everything but pointers; no number may be NaN, whose bits differ between processors.
static void check_same(const Pile* a, const Pile* b) {
    CHECK(memcmp(a->rows, b->rows, sizeof a->rows) == 0);
    CHECK(memcmp(a->slots, b->slots, sizeof a->slots) == 0);
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
        const CnSoftTile *a = tile_at(any, i / CN_SOFT_LANES),
                         *b = tile_at(single, i / CN_SOFT_LANES);
        int lane = i % CN_SOFT_LANES;
        CHECK(a->point[0].push.total[lane] == b->point[0].push.total[lane]);
        CHECK(a->slide.total[1][lane] == b->slide.total[1][lane]);
        CHECK(a->point[0].separation[lane] == b->point[0].separation[lane]);
    }
    free(any);
    free(single);
}

// Manifolds that resist neither spinning nor rolling do without the third slot.
static void plain_manifolds_need_two_slots(void) {
    Pile *whole = create(), *plain = create();
    for (int t = 0; t < TILES; ++t) {
        Pile* piles[2] = {whole, plain};
        for (int k = 0; k < 2; ++k) {
            CnSoftTile* tile = tile_at(piles[k], t);
            tile->has_rolling = 0;
            memset(tile->torsion, 0, sizeof tile->torsion);
            memset(tile->rolling, 0, sizeof tile->rolling);
        }
    }
    for (int t = 0; t < TILES; ++t) {
        CnSoftTile* tile = tile_at(plain, t);
        tile->slots = 2;
        memmove(&plain->slots[2 * t], tile, 2 * sizeof(CnSoftSlot));
    }
    memset(&plain->slots[2 * TILES], 0xff, TILES * sizeof(CnSoftSlot)); // no number
    plain->slot_count = 2 * TILES;
    run(whole, cn_soft_kernels());
    run(plain, cn_soft_kernels());
    CHECK(memcmp(whole->rows, plain->rows, sizeof whole->rows) == 0);
    for (int i = 0; i < TILES * CN_SOFT_LANES; ++i) {
        const CnSoftTile *a = tile_at(whole, i / CN_SOFT_LANES),
                         *b = tile_at(plain, i / CN_SOFT_LANES);
        int lane = i % CN_SOFT_LANES;
        CHECK(a->point[3].push.total[lane] == b->point[3].push.total[lane]);
        CHECK(a->twist.total[lane] == b->twist.total[lane]);
    }
    free(whole);
    free(plain);
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
          TEST(single_points_are_swept_as_any_manifold), TEST(plain_manifolds_need_two_slots),
          TEST(contacts_keep_momentum))

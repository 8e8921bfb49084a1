// soft_bits.c - prints a hash of what the kernels of scheme soft_step do to random tiles.
//
// Built for two processors by tools/neon.sh, which compares the hashes: those of one lane, of four,
// and of the widest registers must be the same number, on every machine.
#include "cairn/random.h"
#include "solvers/soft/soft_joint.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TILES 6
#define ROWS (8 * (2 * TILES + 1))
#define FRAMES 20
#define SUBSTEPS 4

typedef struct Pile {
    CnSoftBody rows[ROWS];
    CnSoftMass masses[ROWS];
    CnSoftDrift drifts[ROWS];
    CnSoftTile contacts[TILES];
    CnSoftJointTile joints[TILES];
    CnSoftBodies bodies;
} Pile;

static _Alignas(64) Pile pile;

static float between(CnRandom* random, double low, double high) {
    return (float)cn_random_between(random, low, high);
}

static void fill_body(CnRandom* random, int row) {
    CnSoftBody* body = &pile.rows[row];
    body->turned[3] = 1.0f;
    if (row % 8 == 0) { // the first of each group does not move
        return;
    }
    for (int k = 0; k < 3; ++k) {
        body->velocity[k] = between(random, -1.0, 1.0);
        body->spin[k] = between(random, -2.0, 2.0);
        pile.drifts[row].gain[k] = k == 2 ? -0.04f : 0.0f;
    }
    body->inverse_mass = pile.masses[row].inverse_mass = between(random, 0.5, 2.0);
    for (int k = 0; k < 6; ++k) {
        bool is_diagonal = k == 0 || k == 3 || k == 5;
        pile.masses[row].inertia[k] = between(random, -0.2, 0.2) + (is_diagonal ? 4.0f : 0.0f);
    }
}

// Lane i of tile t lies between bodies 16 t + i and 16 t + 8 + i.
static int offset_of(int tile, int side, int lane) {
    return (16 * tile + 8 * side + lane) % ROWS * (int)sizeof(CnSoftBody);
}

// The frame is that of the axes, turned by a quarter for every lane.
static void fill_contact(CnRandom* random, int t, int lane) {
    CnSoftTile* tile = &pile.contacts[t];
    tile->normal[lane % 3][lane] = 1.0f;
    tile->tangent[0][(lane + 1) % 3][lane] = 1.0f;
    tile->tangent[1][(lane + 2) % 3][lane] = 1.0f;
    tile->friction[lane] = between(random, 0.1, 0.9);
    tile->across[lane] = 1.0f;
    tile->restitution[lane] = 0.3f;
    tile->has_bounce = 1;
    for (int side = 0; side < 2; ++side) {
        tile->offset[side][lane] = offset_of(t, side, lane);
        for (int k = 0; k < 3; ++k) {
            tile->arm[side][k][lane] = between(random, -0.5, 0.5);
        }
    }
    tile->is_single = t % 2;
    tile->slots = CN_SOFT_MOST_SLOTS;
    for (int i = 0; i < CN_SOFT_POINTS; ++i) {
        int most = tile->is_single ? 0 : lane % CN_SOFT_POINTS;
        tile->exists[i] = (uint8_t)(tile->exists[i] | (i <= most ? 1u << lane : 0u));
        tile->u[i][lane] = between(random, -0.5, 0.5);
        tile->w[i][lane] = between(random, -0.5, 0.5);
        tile->point[i].gap[lane] = between(random, -0.01, 0.002);
    }
}

static void fill_joint(CnRandom* random, int t, int lane) {
    CnSoftJointTile* tile = &pile.joints[t];
    tile->is_hinge = t % 2;
    for (int side = 0; side < 2; ++side) {
        int offset = offset_of(t, side, lane);
        tile->offset[side][lane] = offset;
        tile->axis[side][2][lane] = tile->side[side][side][lane] = 1.0f;
        for (int k = 0; k < 3; ++k) {
            tile->arm[side][k][lane] = between(random, -0.5, 0.5);
        }
        for (int k = 0; k < 6; ++k) {
            tile->inertia[side][k][lane] = pile.masses[offset / (int)sizeof(CnSoftBody)].inertia[k];
        }
    }
    tile->frame[0][lane] = 0.6f; // a turn about x
    tile->frame[3][lane] = 0.8f;
    for (int k = 0; k < 3; ++k) {
        tile->gap[k][lane] = between(random, -0.01, 0.01);
    }
}

static void fill(void) {
    CnRandom random = {17};
    memset(&pile, 0, sizeof pile);
    for (int i = 0; i < ROWS; ++i) {
        fill_body(&random, i);
    }
    for (int t = 0; t < TILES; ++t) {
        for (int lane = 0; lane < CN_SOFT_LANES; ++lane) {
            fill_contact(&random, t, lane);
            fill_joint(&random, t, lane);
        }
    }
    pile.bodies = (CnSoftBodies){pile.rows, pile.masses, pile.drifts, ROWS};
}

static void run_frame(const CnSoftKernels* contacts, const CnSoftJointKernels* joints) {
    CnSoftRates rates = cn_soft_rates(1.0 / 240.0, 30.0, 10.0, 3.0, 0.5);
    CnSoftRates joint_rates = cn_soft_rates(1.0 / 240.0, 70.0, 1.0, 3.0, 0.5);
    const CnSoftBodies* bodies = &pile.bodies;
    CnSoftTiles tiles = {(CnSoftSlot*)(void*)pile.contacts, CN_SOFT_MOST_SLOTS * TILES};
    contacts->prepare(tiles, bodies);
    joints->refresh(pile.joints, TILES, bodies);
    contacts->note_approach(tiles, bodies);
    for (int i = 0; i < SUBSTEPS; ++i) {
        if (i == 0) {
            contacts->begin(bodies);
            joints->warm_start(pile.joints, TILES, bodies);
            contacts->warm_start(tiles, bodies);
        } else {
            contacts->go_on(bodies);
        }
        joints->push(pile.joints, TILES, bodies, &joint_rates);
        contacts->push(tiles, bodies, &rates);
        contacts->advance(bodies, &rates);
        joints->shift(pile.joints, TILES, bodies);
        joints->relax(pile.joints, TILES, bodies);
        contacts->relax(tiles, bodies, &rates);
    }
    contacts->bounce(tiles, bodies, &rates);
}

// FNV-1a over the rows of all bodies.
static uint64_t hash_rows(void) {
    uint64_t hash = UINT64_C(14695981039346656037);
    const unsigned char* bytes = (const unsigned char*)pile.rows;
    for (size_t i = 0; i < sizeof pile.rows; ++i) {
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

static bool is_finite(void) {
    bool ok = true;
    for (int i = 0; i < ROWS; ++i) {
        for (int k = 0; k < 3; ++k) {
            ok = ok && isfinite(pile.rows[i].velocity[k]) && isfinite(pile.rows[i].spin[k]);
        }
    }
    return ok;
}

// False: a number is not finite, which would say nothing.
static bool print_hash(const char* name, const CnSoftKernels* contacts,
                       const CnSoftJointKernels* joints) {
    fill();
    for (int i = 0; i < FRAMES; ++i) {
        run_frame(contacts, joints);
    }
    printf("%s %016" PRIx64 "\n", name, hash_rows());
    return is_finite();
}

int main(void) {
    bool ok = print_hash("one lane", &cn_soft_kernels_plain, &cn_soft_joint_kernels_plain);
    ok = print_hash("four lanes", &cn_soft_kernels_128, &cn_soft_joint_kernels_128) && ok;
    ok = print_hash("widest", cn_soft_kernels(), cn_soft_joint_kernels()) && ok;
    return ok ? 0 : 1;
}

// test_saved_manifold.c - a manifold comes back from the undo log to the bit.
#include "support/shapes/random_poses.h"
#include "support/test.h"
#include "world/contacts/saved_manifold.h"

#define DT 0.01 // [s]

// Bodies where the last problem was posed: body 1 is where the tiles below have it.
static const CnTransform posed[2] = {{.position = {9.0, 9.0, 9.0}}, {.position = {1.0, 2.0, 3.0}}};
static const CnManifoldHints hints = {.dt = DT, .posed = posed, .posed_count = 2};

static void fill(CnRandom* random, void* memory, size_t size) {
    unsigned char* bytes = memory;
    for (size_t i = 0; i < size; ++i) {
        bytes[i] = (unsigned char)cn_random_next(random);
    }
}

// What the step leaves in places of points that a manifold has not is of no interest: as prepared.
static void clear_unused(CnManifold* manifold) {
    CnContactTile* tile = &manifold->tile;
    for (int i = manifold->count; i < CN_TILE_POINTS; ++i) {
        memset(&manifold->points[i], 0, sizeof manifold->points[i]); // padding too
        manifold->approach[i] = tile->residual[i] = 0.0f;
        tile->friction[i] = 0.0;
        tile->step_bound[i] = tile->row_count > 0 ? 1.0 : 0.0;
        tile->target[i] = 0.0;
        for (int k = 0; k < 3; ++k) {
            tile->point[k][i] = tile->impulse[k][i] = 0.0;
        }
    }
}

// Packs it, spoils it, and unpacks it; returns how many numbers it took.
static int check_returns(CnRandom* random, const CnManifoldHints* known,
                         const CnManifold* manifold) {
    CnManifold copy = *manifold;
    uint64_t packed[CN_SAVED_MANIFOLD_WORDS];
    int count = cn_manifold_pack(&copy, known, true, packed);
    CHECK(count <= (int)CN_SAVED_MANIFOLD_WORDS);
    CHECK(memcmp(&copy, manifold, sizeof copy) == 0);
    fill(random, &copy, sizeof copy);
    cn_manifold_unpack(packed, known, true, &copy);
    copy.tile.slide = manifold->tile.slide;
    copy.pair = manifold->pair; // these are not packed
    copy.saved = manifold->saved;
    copy.saved_impulses = manifold->saved_impulses;
    copy.saved_targets = manifold->saved_targets;
    clear_unused(&copy);
    CHECK(memcmp(&copy, manifold, sizeof copy) == 0);
    return count;
}

// The same of a frame, in a block of memory that ends where it does, as sanitizers see. Returns how
// many numbers it took.
static int check_frame_returns(CnRandom* random, const CnManifold* manifold) {
    CnManifold* copy = malloc(CN_MANIFOLD_FRAME);
    CHECK(copy != NULL);
    memcpy(copy, manifold, CN_MANIFOLD_FRAME);
    uint64_t packed[CN_SAVED_MANIFOLD_WORDS];
    int count = cn_manifold_pack(copy, &hints, false, packed);
    CHECK(memcmp(copy, manifold, CN_MANIFOLD_FRAME) == 0);
    fill(random, copy, CN_MANIFOLD_FRAME);
    cn_manifold_unpack(packed, &hints, false, copy);
    CnManifold whole = *manifold;
    memcpy(&whole, copy, CN_MANIFOLD_FRAME);
    whole.pair = manifold->pair; // these are not packed
    whole.saved = manifold->saved;
    whole.saved_impulses = manifold->saved_impulses;
    whole.saved_targets = manifold->saved_targets;
    clear_unused(&whole);
    CHECK(memcmp(&whole, manifold, sizeof whole) == 0);
    free(copy);
    return count;
}

// Numbers of which none is what it is predicted to be, infinite ones and NaN among them.
static void random_bits_come_back(void) {
    CnRandom random = {1};
    for (int round = 0; round < 1000; ++round) {
        CnManifold manifold;
        fill(&random, &manifold, sizeof manifold);
        manifold.count = round % (CN_TILE_POINTS + 1);
        manifold.tile.row_count = round % 2 == 0 ? 3 : 1;
        clear_unused(&manifold);
        check_returns(&random, &hints, &manifold);
        check_frame_returns(&random, &manifold);
    }
}

// Contacts as steps make them.
static void set_point(CnRandom* random, CnManifold* manifold, int i) {
    CnContactTile* tile = &manifold->tile;
    CnTouchPoint* point = &manifold->points[i];
    cn_manifold_set_point(manifold, i, random_within(random, 100.0));
    point->gap = cn_random_between(random, -1e-9, 1e-9);
    for (int k = 0; k < 3; ++k) {
        tile->impulse[k][i] = cn_random_between(random, 0.0, 1.0);
    }
    point->feature = (uint32_t)i + 1;
    manifold->approach[i] = (float)cn_random_between(random, -1.0, 0.0);
    tile->residual[i] = (float)cn_random_between(random, 0.0, 1e-8);
    tile->target[i] = point->gap > 0.0 ? -point->gap / DT : 0.0;
    tile->friction[i] = 0.5;
    tile->step_bound[i] = cn_random_between(random, 1.0, 2.0);
    tile->acting |= 1u << i;
}

// Of four points: 2 numbers of flags, one of bodies, trace, 3 of the normal; of each
// point step bound, 3 impulses, 3 of its place, gap, feature, and half a number each of approach
// and residual; the first friction.
static void what_follows_from_the_rest_is_left_out(void) {
    CnRandom random = {2};
    for (int round = 0; round < 1000; ++round) {
        CnManifold manifold;
        memset(&manifold, 0, sizeof manifold); // padding too
        manifold.count = CN_TILE_POINTS;
        manifold.pair = 1;
        manifold.next = CN_NONE;
        manifold.in_use = manifold.is_listed = manifold.has_tile = manifold.is_framed = true;
        manifold.tile.row_count = 3;
        manifold.tile.body_a = manifold.tile.body_b = 1;
        manifold.tile.trace = 1.0;
        CnVec3 frame[3] = {cn_vec3_normalize(random_within(&random, 1.0))};
        cn_tangent_basis(frame[0], &frame[1], &frame[2]);
        for (int k = 0; k < 3; ++k) {
            CnVec3 d = frame[k];
            manifold.tile.direction[k][0] = d.x;
            manifold.tile.direction[k][1] = d.y;
            manifold.tile.direction[k][2] = d.z;
            manifold.tile.center[0][k] = manifold.tile.center[1][k] = 1.0 + k;
        }
        for (int i = 0; i < CN_TILE_POINTS; ++i) {
            set_point(&random, &manifold, i);
        }
        int most = 2 + 1 + 1 + 3 + CN_TILE_POINTS * 10 + 1;
        CHECK(check_returns(&random, &hints, &manifold) <= most);
        // Without trace, friction and step bounds.
        CHECK(check_frame_returns(&random, &manifold) <= most - 2 - CN_TILE_POINTS);
        // One that is like a typical one: without trace, normal, features and friction.
        CnManifoldHints like_it = hints;
        like_it.typical = manifold;
        CHECK(check_returns(&random, &like_it, &manifold) <= most - 1 - 3 - CN_TILE_POINTS - 1);
    }
}

TEST_MAIN("unit/world/contacts/saved_manifold", TEST(random_bits_come_back),
          TEST(what_follows_from_the_rest_is_left_out))

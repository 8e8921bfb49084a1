// test_boxes.c - many pairs of boxes at once: the same bits in any company and width.
#include "cairn/random.h"
#include "collision/box/box_block.h"
#include "collision/box/box_box_plain.h"
#include "collision/hull/reduce.h"
#include "collision/sat/sat.h"
#include "math/simd.h"
#include "support/shapes/regimes.h"
#include "support/test.h"

#define PAIRS (UNDER_SANITIZER ? 4000 : 40000)
#define MARGIN 0.05 // [m]

static CnVec3 random_vector(CnRandom* random, double low, double high) {
    double x = cn_random_between(random, low, high), y = cn_random_between(random, low, high);
    return cn_vec3(x, y, cn_random_between(random, low, high));
}

static CnQuat random_turn(CnRandom* random, double angle) {
    return cn_quat_exp(random_vector(random, -angle, angle));
}

typedef struct Pair {
    CnShape shapes[2];
    CnPlacedShape placed[2];
    CnPlacedPolyhedron a, b;
} Pair;

// Of every four one anyhow, one of equal boxes, one stacked a hair out of true, one exactly square:
// the last two have ties everywhere.
static void draw_pair(CnRandom* random, int kind, Pair* pair) {
    CnVec3 half[2] = {random_vector(random, 0.1, 1.0), random_vector(random, 0.1, 1.0)};
    half[1] = kind % 4 == 0 ? half[1] : half[0];
    double angle = kind % 4 < 2 ? 3.0 : kind % 4 == 2 ? 1e-4 : 0.0; // [rad]
    for (int i = 0; i < 2; ++i) {
        pair->shapes[i] = (CnShape){
            .type = CN_SHAPE_BOX, .half_size = half[i], .extent = cn_vec3_length(half[i])};
    }
    CnTransform pose_a = {random_vector(random, -1.0, 1.0), random_turn(random, angle)};
    CnTransform pose_b = {random_vector(random, -1.0, 1.0), random_turn(random, angle)};
    if (kind % 4 >= 2) {
        double beside = 0.2 * pose_b.position.x;
        pose_b.position = cn_vec3_add(pose_a.position, cn_vec3(beside, 0.0, 2.0 * half[0].z));
    }
    pair->placed[0] = (CnPlacedShape){&pair->shapes[0], pose_a};
    pair->placed[1] = (CnPlacedShape){&pair->shapes[1], pose_b};
    cn_polyhedron_place(&pair->placed[0], &pair->a);
    cn_polyhedron_place(&pair->placed[1], &pair->b);
}

#define COMPANY 64

// A contact with room for its points.
typedef struct Contact {
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    int count;
} Contact;

static void collide(const CnBoxPair* pairs, int count, Contact* contacts) {
    static CnBoxContact found[COMPANY];
    for (int i = 0; i < count; ++i) {
        found[i].points = contacts[i].points;
    }
    cn_collide_boxes(pairs, count, found);
    for (int i = 0; i < count; ++i) {
        contacts[i].count = found[i].count;
    }
}

// To the bit; normals times sign.
static bool are_equal(const Contact* one, const Contact* other, double sign) {
    bool equal = one->count == other->count;
    for (int i = 0; equal && i < one->count; ++i) {
        CnManifoldPoint turned = other->points[i];
        turned.normal = cn_vec3_scale(sign, turned.normal);
        const CnManifoldPoint* p = &one->points[i];
        equal = p->point.x == turned.point.x && p->point.y == turned.point.y &&
                p->point.z == turned.point.z && p->normal.x == turned.normal.x &&
                p->normal.y == turned.normal.y && p->normal.z == turned.normal.z &&
                p->gap == turned.gap && p->feature == turned.feature;
    }
    return equal;
}

static Contact collide_alone(const Pair* pair) {
    CnBoxPair alone = {&pair->a, &pair->b, MARGIN};
    Contact contact;
    collide(&alone, 1, &contact);
    return contact;
}

// Batches of 1 to 64 against one pair at a time.
static void a_pair_gets_the_same_bits_in_any_company(void) {
    static Pair pairs[COMPANY];
    static CnBoxPair asked[COMPANY];
    static Contact contacts[COMPANY];
    CnRandom random = {1};
    int different = 0, met = 0;
    for (int round = 0; round < PAIRS / COMPANY; ++round) {
        int count = 1 + round % COMPANY;
        for (int i = 0; i < count; ++i) {
            draw_pair(&random, i + round, &pairs[i]);
            asked[i] = (CnBoxPair){&pairs[i].a, &pairs[i].b, MARGIN};
        }
        collide(asked, count, contacts);
        for (int i = 0; i < count; ++i) {
            Contact alone = collide_alone(&pairs[i]);
            different += !are_equal(&alone, &contacts[i], 1.0);
            met += alone.count > 0;
        }
    }
    CHECK_INT(different, 0);
    CHECK(met > PAIRS / 8);
}

static void swapping_two_boxes_only_turns_the_normals_round(void) {
    CnRandom random = {2};
    int different = 0;
    for (int i = 0; i < PAIRS; ++i) {
        Pair pair;
        draw_pair(&random, i, &pair);
        CnBoxPair both[2] = {{&pair.a, &pair.b, MARGIN}, {&pair.b, &pair.a, MARGIN}};
        Contact contacts[2];
        collide(both, 2, contacts);
        different += !are_equal(&contacts[0], &contacts[1], -1.0);
    }
    CHECK_INT(different, 0);
}

// What is done with registers of one width.
typedef struct Width {
    void (*collide)(CnBoxBlock* block, CnBoxBlock* waiting);
    void (*settle)(CnBoxBlock* waiting);
    unsigned (*find_apart)(const CnBoxPair pairs[CN_ROUGH_BLOCK]);
} Width;

// Those that this machine has, the narrowest first; returns how many.
static int find_widths(Width widths[2]) {
    int count = 0;
    widths[count++] = (Width){cn_box_block_128, cn_box_flush_128, cn_boxes_apart_128};
#if defined(__x86_64__)
    if (cn_has_avx2()) {
        widths[count++] = (Width){cn_box_block_256, cn_box_flush_256, cn_boxes_apart_256};
    }
#endif
    return count;
}

static void collide_block(const Width* width, const Pair pairs[CN_BLOCK], CnBoxBlock* block,
                          Contact contacts[CN_BLOCK]) {
    static CnBoxBlock waiting;
    CnBoxContact found[CN_BLOCK];
    cn_box_block_start(block);
    cn_box_block_start(&waiting);
    block->count = CN_BLOCK;
    for (int i = 0; i < CN_BLOCK; ++i) {
        block->boxes[0][i] = &pairs[i].a;
        block->boxes[1][i] = &pairs[i].b;
        block->margin[i] = MARGIN;
        found[i].points = contacts[i].points;
        block->contacts[i] = &found[i];
    }
    width->collide(block, &waiting);
    width->settle(&waiting);
    for (int i = 0; i < CN_BLOCK; ++i) {
        contacts[i].count = found[i].count;
    }
}

static void every_width_of_registers_finds_the_same_bits(void) {
    Width widths[2];
    int width_count = find_widths(widths), different = 0;
    CnRandom random = {4};
    for (int round = 0; round < PAIRS / CN_BLOCK; ++round) {
        static Pair pairs[CN_BLOCK];
        static CnBoxBlock block;
        Contact narrow[CN_BLOCK], wide[CN_BLOCK];
        for (int i = 0; i < CN_BLOCK; ++i) {
            draw_pair(&random, i + round / 2, &pairs[i]);
        }
        collide_block(&widths[0], pairs, &block, narrow);
        for (int w = 1; w < width_count; ++w) {
            collide_block(&widths[w], pairs, &block, wide);
            for (int i = 0; i < CN_BLOCK; ++i) {
                different += !are_equal(&narrow[i], &wide[i], 1.0);
            }
        }
    }
    CHECK_INT(different, 0);
}

// Of sizes from 1e-30 to 1e30 m, up to a million sizes from the origin, and with all margins. The
// first pair is drawn as above, the others are further and further apart.
static void draw_scaled(CnRandom* random, int kind, Pair* pair, double* margin) {
    double scale = pow(10.0, cn_random_between(random, -30.0, 30.0));
    double far = kind % 3 == 0 ? 1e6 * scale : 0.0;
    draw_pair(random, kind, pair);
    for (int i = 0; i < 2; ++i) {
        CnVec3* position = &pair->placed[i].pose.position;
        pair->shapes[i].half_size = cn_vec3_scale(scale, pair->shapes[i].half_size);
        pair->shapes[i].extent *= scale;
        *position = cn_vec3_add(cn_vec3_scale(scale * (1.0 + 0.1 * (kind % 8)), *position),
                                cn_vec3(far, -far, far));
    }
    cn_polyhedron_place(&pair->placed[0], &pair->a);
    cn_polyhedron_place(&pair->placed[1], &pair->b);
    *margin = kind % 2 == 0 ? 0.0 : scale * cn_random_between(random, 0.0, 1.0);
}

// Pairs alone are not looked at in single precision.
static void pairs_that_are_surely_apart_have_no_contact(void) {
    Width widths[2];
    int width_count = find_widths(widths), wrong = 0, different = 0, apart = 0, parted = 0;
    CnRandom random = {3};
    for (int round = 0; round < PAIRS / CN_ROUGH_BLOCK; ++round) {
        static Pair pairs[CN_ROUGH_BLOCK];
        CnBoxPair asked[CN_ROUGH_BLOCK];
        for (int i = 0; i < CN_ROUGH_BLOCK; ++i) {
            double margin;
            draw_scaled(&random, i + round, &pairs[i], &margin);
            asked[i] = (CnBoxPair){&pairs[i].a, &pairs[i].b, margin};
        }
        unsigned surely = widths[0].find_apart(asked);
        for (int w = 1; w < width_count; ++w) {
            different += widths[w].find_apart(asked) != surely;
        }
        for (int i = 0; i < CN_ROUGH_BLOCK; ++i) {
            Contact alone;
            collide(&asked[i], 1, &alone);
            bool is_apart = (surely >> i & 1) != 0;
            wrong += is_apart && alone.count > 0;
            parted += is_apart;
            apart += alone.count == 0;
        }
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(different, 0);
    CHECK(parted > apart / 2 && apart > PAIRS / 8); // it has to find some
}

// How pairs of one kind differ from the plain code: none may.
static void compare_with_plain(const Pair* pair, double margin, int* different, int tally[5]) {
    Contact lanes, plain;
    CnBoxPair asked = {&pair->a, &pair->b, margin};
    collide(&asked, 1, &lanes);
    plain.count = cn_collide_box_box_plain(&pair->a, &pair->b, margin, plain.points);
    *different += !are_equal(&lanes, &plain, 1.0);
    ++tally[lanes.count];
}

static void the_lanes_find_the_bits_of_the_plain_code(void) {
    CnRandom random = {8};
    int different = 0, tally[5] = {0};
    for (int i = 0; i < 4 * PAIRS; ++i) {
        static Pair pair;
        double margin = MARGIN;
        if (i % 2 == 0) {
            draw_pair(&random, i / 2, &pair);
        } else {
            draw_scaled(&random, i / 2, &pair, &margin);
        }
        compare_with_plain(&pair, margin, &different, tally);
    }
    CHECK_INT(different, 0);
    for (int k = 0; k < 5; ++k) {
        CHECK(tally[k] > PAIRS / 50); // contacts of every number of points, and none
    }
}

// Right angles, equal sizes, equal coordinates; touching; one inside the other; far from the
// origin.
static void the_lanes_find_the_bits_of_the_plain_code_in_hard_cases(void) {
    CnRandom random = {9};
    int boxes = 0, different = 0, tally[5] = {0};
    regime_start();
    while (regime_kinds[boxes][0] != CN_SHAPE_BOX || regime_kinds[boxes][1] != CN_SHAPE_BOX) {
        ++boxes;
    }
    for (int i = 0; i < 4 * PAIRS; ++i) {
        KnownPair known;
        static Pair pair;
        regime_pair((Regime)(i % REGIME_COUNT), boxes, &random, &known);
        pair.placed[0] = known.a;
        pair.placed[1] = known.b;
        cn_polyhedron_place(&pair.placed[0], &pair.a);
        cn_polyhedron_place(&pair.placed[1], &pair.b);
        compare_with_plain(&pair, 0.02 * regime_size(&known), &different, tally);
        regime_release(&known);
    }
    CHECK_INT(different, 0);
    CHECK(tally[4] > PAIRS / 8 && tally[1] > PAIRS / 50);
}

// Rods, of which edges along the longest axis part some better than faces and all other edges do.
static void make_thin(Pair* pair) {
    for (int i = 0; i < 2; ++i) {
        CnVec3* half = &pair->shapes[i].half_size;
        *half = cn_vec3(0.1 * half->x, 0.1 * half->y, half->z);
        pair->shapes[i].extent = cn_vec3_length(*half);
    }
    CnVec3* b = &pair->placed[1].pose.position;
    *b = cn_vec3_add(pair->placed[0].pose.position, cn_vec3_scale(0.2, *b));
    cn_polyhedron_place(&pair->placed[0], &pair->a);
    cn_polyhedron_place(&pair->placed[1], &pair->b);
}

// The gap along the best axis in closed form is what the arcs of the Gauss map give. Positions and
// sizes are below 4 m, and pairs of edges nearer to parallel than a milliradian, whose axes are a
// thousand times less certain, are rare: 1e-15 times some tens.
static void the_closed_form_finds_the_axis_that_hulls_find(void) {
    Width widths[2];
    find_widths(widths);
    CnRandom random = {5};
    double worst = 0.0;
    for (int round = 0; round < PAIRS / CN_BLOCK; ++round) {
        static Pair pairs[CN_BLOCK];
        static CnBoxBlock block;
        Contact contacts[CN_BLOCK];
        for (int i = 0; i < CN_BLOCK; ++i) {
            draw_pair(&random, i % 2, &pairs[i]);
            if (round % 2 == 1) {
                make_thin(&pairs[i]);
            }
        }
        collide_block(&widths[0], pairs, &block, contacts);
        for (int i = 0; i < CN_BLOCK; ++i) {
            CnBoxHull storage[2];
            CnSatAxes axes;
            CnRelativePose seen[2];
            cn_relative_poses(&pairs[i].placed[0].pose, &pairs[i].placed[1].pose, seen);
            CHECK(cn_sat_hulls(cn_box_hull(pairs[i].shapes[0].half_size, &storage[0]),
                               cn_box_hull(pairs[i].shapes[1].half_size, &storage[1]), seen,
                               INFINITY, 0.0, &axes));
            double faces = fmax(axes.face_a.separation, axes.face_b.separation);
            double best = fmax(faces, axes.edges.separation);
            bool apart = block.meeting[i] == CN_BOXES_APART;
            CHECK(apart == (best > MARGIN) || fabs(best - MARGIN) < 1e-12);
            worst = fmax(worst, apart ? 0.0 : fabs(block.least_gap[i] - best));
        }
    }
    CHECK_NEAR(worst, 0.0,
               CN_TIE_TOLERANCE); // the better face stands for edges that are better by a tie
}

// A cube on another, 5/8 off its middle, both turned by up to `angle`: they share a rectangle of
// 3/8 by 1 m. Four points of it are asked for, none beside it by more than the turns move its
// corners and the tie; the widest four, but for one that is the deepest to within the tie and may
// be any of a side.
static void check_corners(CnRandom* random, double angle) {
    Pair pair;
    for (int i = 0; i < 2; ++i) {
        pair.shapes[i] = (CnShape){
            .type = CN_SHAPE_BOX, .half_size = cn_vec3(0.5, 0.5, 0.5), .extent = 0.5 * sqrt(3.0)};
        CnVec3 off = random_vector(random, -angle, angle);
        CnTransform pose = {cn_vec3_add(cn_vec3(0.625 * i, 0.0, 1.0 * i), off),
                            random_turn(random, angle)};
        pair.placed[i] = (CnPlacedShape){&pair.shapes[i], pose};
    }
    cn_polyhedron_place(&pair.placed[0], &pair.a);
    cn_polyhedron_place(&pair.placed[1], &pair.b);
    Contact contact = collide_alone(&pair);
    CHECK_INT(contact.count, 4);
    double least = HUGE_VAL, most = -HUGE_VAL, beside = 4.0 * angle + 2.0 * CN_TIE_TOLERANCE;
    for (int i = 0; i < 4; ++i) {
        CnVec3 p = contact.points[i].point;
        CHECK(p.x >= 0.125 - beside && p.x <= 0.5 + beside && fabs(p.y) <= 0.5 + beside);
        least = fmin(least, p.y);
        most = fmax(most, p.y);
    }
    CHECK_NEAR(most - least, 1.0, beside);
}

static void corners_of_faces_are_kept_at_any_small_angle(void) {
    CnRandom random = {7};
    for (double angle = 1e-12; angle < 1e-4; angle *= 3.0) {
        for (int i = 0; i < 500; ++i) {
            check_corners(&random, angle);
        }
    }
}

TEST_MAIN("unit/collision/box/boxes", TEST(corners_of_faces_are_kept_at_any_small_angle),
          TEST(a_pair_gets_the_same_bits_in_any_company),
          TEST(swapping_two_boxes_only_turns_the_normals_round),
          TEST(pairs_that_are_surely_apart_have_no_contact),
          TEST(every_width_of_registers_finds_the_same_bits),
          TEST(the_lanes_find_the_bits_of_the_plain_code),
          TEST(the_lanes_find_the_bits_of_the_plain_code_in_hard_cases),
          TEST(the_closed_form_finds_the_axis_that_hulls_find))

// test_boxes.c - many pairs of boxes at once: the same bits in any company, width and memory.
#include "collision/box_block.h"
#include "collision/reduce.h"
#include "collision/sat.h"
#include "math/random.h"
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
    CnPlacedBox a, b;
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
    pair->a = cn_box_place((CnPlacedShape){&pair->shapes[0], pose_a});
    pair->b = cn_box_place((CnPlacedShape){&pair->shapes[1], pose_b});
}

// To the bit; normals times sign.
static bool are_equal(const CnBoxContact* one, const CnBoxContact* other, double sign) {
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

static CnBoxContact collide_alone(const Pair* pair, CnPairMemory* memory) {
    CnBoxPair alone = {&pair->a, &pair->b, MARGIN, memory};
    CnBoxContact contact;
    cn_collide_boxes(&alone, 1, &contact);
    return contact;
}

#define COMPANY 64

// Batches of 1 to 64 against one pair at a time.
static void a_pair_gets_the_same_bits_in_any_company(void) {
    static Pair pairs[COMPANY];
    static CnBoxPair asked[COMPANY];
    static CnBoxContact contacts[COMPANY];
    CnRandom random = {1};
    int different = 0, met = 0;
    for (int round = 0; round < PAIRS / COMPANY; ++round) {
        int count = 1 + round % COMPANY;
        for (int i = 0; i < count; ++i) {
            draw_pair(&random, i + round, &pairs[i]);
            asked[i] = (CnBoxPair){&pairs[i].a, &pairs[i].b, MARGIN, NULL};
        }
        cn_collide_boxes(asked, count, contacts);
        for (int i = 0; i < count; ++i) {
            CnBoxContact alone = collide_alone(&pairs[i], NULL);
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
        CnBoxPair both[2] = {{&pair.a, &pair.b, MARGIN, NULL}, {&pair.b, &pair.a, MARGIN, NULL}};
        CnBoxContact contacts[2];
        cn_collide_boxes(both, 2, contacts);
        different += !are_equal(&contacts[0], &contacts[1], -1.0);
    }
    CHECK_INT(different, 0);
}

// Any direction of any length, and what the pair remembered where it was before.
static void what_a_pair_remembers_changes_no_bit(void) {
    CnRandom random = {3};
    int different = 0, remembered = 0;
    for (int i = 0; i < PAIRS; ++i) {
        Pair pair;
        draw_pair(&random, i, &pair);
        CnVec3 any = random_vector(&random, -2.0, 2.0);
        CnPairMemory memory = {{(float)any.x, (float)any.y, (float)any.z}};
        for (int step = 0; step < 3; ++step) {
            CnBoxContact cold = collide_alone(&pair, NULL), warm = collide_alone(&pair, &memory);
            different += !are_equal(&cold, &warm, 1.0);
            remembered += step > 0 && memory.axis[0] != 0.0f;
            CnTransform pose = pair.b.placed.pose;
            pose.position = cn_vec3_add(pose.position, random_vector(&random, -0.1, 0.1));
            pair.b = cn_box_place((CnPlacedShape){&pair.shapes[1], pose});
        }
    }
    CHECK_INT(different, 0);
    CHECK(remembered > PAIRS / 10);
}

static bool same_numbers(double one, double other) {
    return memcmp(&one, &other, sizeof one) == 0;
}

// All that is defined of lane i.
static bool same_findings(const CnBoxBlock* one, const CnBoxBlock* other, int i) {
    bool same = same_numbers(one->reversed[i], other->reversed[i]) &&
                same_numbers(one->meeting[i], other->meeting[i]);
    if (!same || one->meeting[i] == CN_BOXES_APART) {
        return same && same_numbers(one->axis[i], other->axis[i]);
    }
    same = same_numbers(one->least_gap[i], other->least_gap[i]) &&
           same_numbers(one->crossed[i], other->crossed[i]);
    for (int x = 0; x < 3 && one->crossed[i] != 0.0; ++x) {
        same = same && same_numbers(one->normal[x][i], other->normal[x][i]) &&
               same_numbers(one->point[x][i], other->point[x][i]) &&
               same_numbers(one->lean[i], other->lean[i]) &&
               same_numbers(one->key[i], other->key[i]);
    }
    if (!same || one->meeting[i] != CN_BOXES_ON_FACES) {
        return same;
    }
    same = same_numbers(one->reference[i], other->reference[i]) &&
           same_numbers(one->corners[i], other->corners[i]);
    for (int k = 0; same && k < CN_BOX_CORNERS; ++k) {
        if (((unsigned)one->corners[i] >> k & 1) != 0) {
            same = same_numbers(one->u[k][i], other->u[k][i]) &&
                   same_numbers(one->v[k][i], other->v[k][i]) &&
                   same_numbers(one->height[k][i], other->height[k][i]) &&
                   same_numbers(one->keys[k][i], other->keys[k][i]);
        }
    }
    return same;
}

static void ask(const Pair pairs[CN_BLOCK], CnBoxBlock* block) {
    block->count = CN_BLOCK;
    for (int i = 0; i < CN_BLOCK; ++i) {
        block->a[i] = &pairs[i].a;
        block->b[i] = &pairs[i].b;
        block->margin[i] = MARGIN;
    }
}

static void every_width_of_registers_finds_the_same_bits(void) {
#if defined(__x86_64__)
    CnRandom random = {4};
    int different = 0;
    if (!__builtin_cpu_supports("avx2")) {
        return;
    }
    for (int round = 0; round < PAIRS / CN_BLOCK; ++round) {
        static Pair pairs[CN_BLOCK];
        static CnBoxBlock narrow, wide;
        for (int i = 0; i < CN_BLOCK; ++i) {
            draw_pair(&random, i + round / 2, &pairs[i]);
        }
        ask(pairs, &narrow);
        ask(pairs, &wide);
        cn_box_block_128(&narrow);
        cn_box_block_256(&wide);
        for (int i = 0; i < CN_BLOCK; ++i) {
            different += !same_findings(&narrow, &wide, i);
        }
    }
    CHECK_INT(different, 0);
#endif
}

// The gap along the best axis in closed form is what the arcs of the Gauss map give. Positions and
// sizes are below 4 m, and pairs of edges nearer to parallel than a milliradian, whose axes are a
// thousand times less certain, are rare: 1e-15 times some tens.
static void the_closed_form_finds_the_axis_that_hulls_find(void) {
    CnRandom random = {5};
    double worst = 0.0;
    for (int round = 0; round < PAIRS / CN_BLOCK; ++round) {
        static Pair pairs[CN_BLOCK];
        static CnBoxBlock block;
        for (int i = 0; i < CN_BLOCK; ++i) {
            draw_pair(&random, i % 2, &pairs[i]);
        }
        ask(pairs, &block);
        cn_box_block_128(&block);
        for (int i = 0; i < CN_BLOCK; ++i) {
            CnBoxHull storage[2];
            CnSatAxes axes;
            CnRelativePose pose = cn_relative_pose(pairs[i].a.placed.pose, pairs[i].b.placed.pose);
            CHECK(cn_sat_hulls(cn_box_hull(pairs[i].a.half, &storage[0]),
                               cn_box_hull(pairs[i].b.half, &storage[1]), &pose, INFINITY, 0.0,
                               &axes));
            double faces = fmax(axes.face_a.separation, axes.face_b.separation);
            double best = fmax(faces, axes.edges.separation);
            bool apart = block.meeting[i] == CN_BOXES_APART;
            CHECK(apart == (best > MARGIN) || fabs(best - MARGIN) < 1e-12);
            worst = fmax(worst, apart ? 0.0 : fabs(block.least_gap[i] - best));
        }
    }
    CHECK_NEAR(worst, 0.0, CN_TIE); // the better face stands for edges that are better by a tie
}

TEST_MAIN("unit/collision/boxes", TEST(a_pair_gets_the_same_bits_in_any_company),
          TEST(swapping_two_boxes_only_turns_the_normals_round),
          TEST(what_a_pair_remembers_changes_no_bit),
          TEST(every_width_of_registers_finds_the_same_bits),
          TEST(the_closed_form_finds_the_axis_that_hulls_find))

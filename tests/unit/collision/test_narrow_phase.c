// test_narrow_phase.c - the narrow phase gives each pair its own points, however the list is cut.
#include "cairn/random.h"
#include "collision/narrow_phase.h"
#include "support/shapes/regimes.h"
#include "support/test.h"

#define PAIRS 400 // of every kind among convex shapes, in random order of kinds

static const CnAllocator heap = {0};

typedef struct List {
    KnownPair known[PAIRS];
    CnPlacedPolyhedron polyhedra[PAIRS][2];
    CnPairMemory memory[PAIRS];
    CnNarrowPair pairs[PAIRS];
    CnNarrowResult results[PAIRS];
} List;

// Half of the pairs are boxes, so that batches hold more than one.
static void fill(List* list) {
    static const Regime regimes[3] = {REGIME_RANDOM, REGIME_TOUCHING, REGIME_DEGENERATE};
    CnRandom random = {.state = 5};
    regime_start();
    int boxes = 0;
    while (regime_kinds[boxes][0] != CN_SHAPE_BOX || regime_kinds[boxes][1] != CN_SHAPE_BOX) {
        ++boxes;
    }
    for (int i = 0; i < PAIRS; ++i) {
        int any = (int)cn_random_between(&random, 0.0, REGIME_KINDS - 1e-9);
        KnownPair* known = &list->known[i];
        regime_pair(regimes[i % 3], i % 2 == 0 ? boxes : any, &random, known);
        cn_narrow_phase_place(&known->a, &list->polyhedra[i][0]);
        cn_narrow_phase_place(&known->b, &list->polyhedra[i][1]);
        list->memory[i] = (CnPairMemory){0};
        list->pairs[i] = (CnNarrowPair){.a = &known->a,
                                        .b = &known->b,
                                        .polyhedron_a = &list->polyhedra[i][0],
                                        .polyhedron_b = &list->polyhedra[i][1],
                                        .margin = 0.02 * regime_size(known),
                                        .memory = &list->memory[i]};
    }
}

static void release(List* list) {
    for (int i = 0; i < PAIRS; ++i) {
        regime_release(&list->known[i]);
    }
}

static bool are_same(const CnManifoldPoint* a, const CnManifoldPoint* b) {
    return cn_vec3_length(cn_vec3_sub(a->point, b->point)) == 0.0 &&
           cn_vec3_length(cn_vec3_sub(a->normal, b->normal)) == 0.0 && a->gap == b->gap &&
           a->feature == b->feature;
}

// How many pairs of results[begin, end) differ from what cn_collide() says of the pair alone.
static int count_different(const List* list, int begin, int end, const CnNarrowScratch* scratch,
                           int* touching) {
    int different = 0;
    for (int i = begin; i < end; ++i) {
        CnManifoldPoint alone[CN_MANIFOLD_POINTS];
        const CnNarrowPair* pair = &list->pairs[i];
        int count = cn_collide(*pair->a, *pair->b, pair->margin, alone);
        bool same = count == list->results[i].count;
        bool one_normal = true;
        for (int k = 0; k < count && same; ++k) {
            same = are_same(&scratch->points.data[list->results[i].first + k], &alone[k]);
            one_normal =
                one_normal && cn_vec3_length(cn_vec3_sub(alone[k].normal, alone[0].normal)) == 0.0;
        }
        different += !same || one_normal != list->results[i].has_one_normal;
        *touching += count > 0;
    }
    return different;
}

// Ranges of 1 to 97 pairs; more than once, so that axes are remembered. Pairs that are said to be
// near have no points either if they are apart.
static void points_do_not_depend_on_the_range_or_the_memory(void) {
    static List list;
    CnNarrowScratch scratch;
    CnRandom random = {.state = 9};
    int different = 0, touching = 0, remembered = 0;
    fill(&list);
    cn_narrow_scratch_init(&scratch, &heap);
    for (int round = 0; round < 6; ++round) {
        for (int i = 0; i < PAIRS; ++i) {
            list.pairs[i].is_near = round >= 3;
        }
        for (int begin = 0, end; begin < PAIRS; begin = end) {
            end = begin + 1 + (int)cn_random_between(&random, 0.0, 97.0 - 1e-9);
            end = round == 0 || end > PAIRS ? PAIRS : end;
            CHECK(cn_narrow_phase(&list.pairs[begin], end - begin, &scratch,
                                  &list.results[begin]) == CN_OK);
            different += count_different(&list, begin, end, &scratch, &touching);
        }
    }
    for (int i = 0; i < PAIRS; ++i) {
        const float* axis = list.memory[i].axis;
        remembered += axis[0] != 0.0f || axis[1] != 0.0f || axis[2] != 0.0f;
    }
    CHECK_INT(different, 0);
    CHECK(touching > 6 * PAIRS / 4); // most margins are wide enough
    CHECK(remembered > 10);
    cn_narrow_scratch_destroy(&scratch);
    release(&list);
}

// A remembered axis along which they are still apart is not searched for again; one that no longer
// separates them is replaced, or forgotten where they meet.
static void a_pair_remembers_what_separates_it(void) {
    CnShape one = {.type = CN_SHAPE_CYLINDER, .radius = 1.0, .half_length = 1.0, .extent = 1.5};
    CnPlacedShape a = {&one, {{0.0, 0.0, 0.0}, cn_quat_identity()}};
    CnPlacedShape b = {&one, {{0.0, 0.0, 3.0}, cn_quat_identity()}};
    CnPairMemory memory = {0};
    CnNarrowPair pair = {.a = &a, .b = &b, .margin = 0.1, .memory = &memory};
    CnNarrowResult result;
    CnNarrowScratch scratch;
    cn_narrow_scratch_init(&scratch, &heap);
    CHECK(cn_narrow_phase(&pair, 1, &scratch, &result) == CN_OK);
    CHECK_INT(result.count, 0);
    CHECK(memory.axis[0] == 0.0f && memory.axis[1] == 0.0f && memory.axis[2] == 1.0f);
    memory.axis[0] = 0.25f; // any axis that still separates the two stays as it is
    CHECK(cn_narrow_phase(&pair, 1, &scratch, &result) == CN_OK);
    CHECK(memory.axis[0] == 0.25f);
    b.pose.position = cn_vec3(3.0, 0.0, 0.0); // now beside it
    CHECK(cn_narrow_phase(&pair, 1, &scratch, &result) == CN_OK);
    CHECK_INT(result.count, 0);
    CHECK(memory.axis[0] == 1.0f && memory.axis[2] == 0.0f);
    b.pose.position = cn_vec3(2.05, 0.0, 0.0); // within the margin: no axis separates them
    CHECK(cn_narrow_phase(&pair, 1, &scratch, &result) == CN_OK);
    CHECK(result.count > 0);
    CHECK(memory.axis[0] == 0.0f && memory.axis[1] == 0.0f && memory.axis[2] == 0.0f);
    cn_narrow_scratch_destroy(&scratch);
}

// Four slopes of 45 degrees that meet along the y axis.
static CnShape make_valley(void) {
    static const CnVec3 valley[6] = {{-1.0, -1.0, 1.0}, {0.0, -1.0, 0.0}, {1.0, -1.0, 1.0},
                                     {-1.0, 1.0, 1.0},  {0.0, 1.0, 0.0},  {1.0, 1.0, 1.0}};
    static const int triangles[4][3] = {{0, 1, 4}, {0, 4, 3}, {1, 2, 5}, {1, 5, 4}};
    CnShapeDef def = cn_shape_def_default(CN_SHAPE_MESH);
    def.points = valley;
    def.point_count = 6;
    def.triangles = triangles;
    def.triangle_count = 4;
    CnShape surface;
    CHECK(cn_shape_make(&def, &heap, &surface, NULL) == CN_OK);
    return surface;
}

// A ball in a valley has two points with normals of their own, and so has the pair the other way
// round, with opposite normals.
static void a_surface_has_a_normal_for_each_direction(void) {
    CnShape surface = make_valley(), ball = {.type = CN_SHAPE_SPHERE, .radius = 0.5, .extent = 0.5};
    CnPlacedShape a = {&surface, {{0.0, 0.0, 0.0}, cn_quat_identity()}};
    CnPlacedShape b = {&ball, {{0.0, 0.1, sqrt(0.5)}, cn_quat_identity()}};
    CnNarrowPair pairs[2] = {{.a = &a, .b = &b, .margin = 1e-3},
                             {.a = &b, .b = &a, .margin = 1e-3}};
    CnNarrowResult results[2];
    CnNarrowScratch scratch;
    cn_narrow_scratch_init(&scratch, &heap);
    CHECK(cn_narrow_phase(pairs, 2, &scratch, results) == CN_OK);
    for (int i = 0; i < 2; ++i) {
        CHECK_INT(results[i].count, 2);
        CHECK(!results[i].has_one_normal);
    }
    for (int i = 0; i < 2; ++i) {
        CnVec3 out = scratch.points.data[results[0].first + i].normal;
        CnVec3 in = scratch.points.data[results[1].first + i].normal;
        CHECK_NEAR(out.z, sqrt(0.5), 1e-15); // slopes of 45 degrees; two roundings
        CHECK(cn_vec3_length(cn_vec3_add(out, in)) == 0.0);
    }
    cn_narrow_scratch_destroy(&scratch);
    cn_shape_free(&surface, &heap);
}

// Boxes wait for others while points of surfaces are appended, two for each ball in the valley,
// which moves all points in memory.
static void boxes_that_wait_get_their_points_beside_surfaces(void) {
    enum { COUNT = 16 };
    CnShape surface = make_valley(), ball = {.type = CN_SHAPE_SPHERE, .radius = 0.5, .extent = 0.5};
    CnShape box = {.type = CN_SHAPE_BOX, .half_size = {0.5, 0.5, 0.5}, .extent = sqrt(0.75)};
    CnPlacedShape valley = {&surface, {{0.0, 0.0, 0.0}, cn_quat_identity()}};
    CnPlacedShape inside = {&ball, {{0.0, 0.1, sqrt(0.5)}, cn_quat_identity()}};
    CnPlacedShape low = {&box, {{0.0, 0.0, 0.0}, cn_quat_identity()}};
    CnPlacedShape high = {&box, {{0.1, 0.0, 0.99}, cn_quat_identity()}};
    CnPlacedPolyhedron placed[2];
    cn_narrow_phase_place(&low, &placed[0]);
    cn_narrow_phase_place(&high, &placed[1]);
    CnNarrowPair pairs[COUNT] = {{&low, &high, &placed[0], &placed[1], 1e-3, NULL, false}};
    for (int i = 1; i < COUNT; ++i) {
        pairs[i] = (CnNarrowPair){.a = &valley, .b = &inside, .margin = 1e-3};
    }
    CnNarrowResult results[COUNT];
    CnNarrowScratch scratch;
    CnManifoldPoint expected[CN_MANIFOLD_POINTS];
    cn_narrow_scratch_init(&scratch, &heap);
    CHECK(cn_narrow_phase(pairs, COUNT, &scratch, results) == CN_OK);
    CHECK_INT(cn_collide(low, high, 1e-3, expected), 4);
    CHECK_INT(results[0].count, 4);
    for (int i = 0; i < 4; ++i) {
        CHECK(are_same(&scratch.points.data[results[0].first + i], &expected[i]));
    }
    cn_narrow_scratch_destroy(&scratch);
    cn_shape_free(&surface, &heap);
}

TEST_MAIN("unit/collision/narrow_phase", TEST(points_do_not_depend_on_the_range_or_the_memory),
          TEST(a_pair_remembers_what_separates_it), TEST(a_surface_has_a_normal_for_each_direction),
          TEST(boxes_that_wait_get_their_points_beside_surfaces))

// test_hull_search.c - what searches through a hull rely on, and what they find.
#include "cairn/random.h"
#include "geometry/hull/hull_search_table.h"
#include "math/simd.h"
#include "support/test.h"

#include <float.h>
#include <string.h>

#define POINTS 200 // faces fill two blocks and part of a third
#define DIRECTIONS 2000

static CnVec3 random_vector(CnRandom* random) {
    double x = cn_random_between(random, -1.0, 1.0);
    double y = cn_random_between(random, -1.0, 1.0);
    double z = cn_random_between(random, -1.0, 1.0);
    return cn_vec3(x, y, z);
}

// On a sphere off its origin, so that all are vertices.
static CnHull* build_of(int count, CnRandom* random) {
    CnVec3 points[POINTS];
    CnHull* hull = NULL;
    for (int i = 0; i < count; ++i) {
        points[i] = cn_vec3_add(cn_vec3(3.0, -2.0, 1.0), cn_vec3_normalize(random_vector(random)));
    }
    CHECK_INT(cn_hull_build(points, count, NULL, &hull, NULL), CN_OK);
    return hull;
}

static CnHull* build(CnRandom* random) {
    return build_of(POINTS, random);
}

static void check_sides(const CnHull* hull) {
    for (int i = 0; i < hull->face_count; ++i) {
        const CnHullFace* face = &hull->faces[i];
        for (int k = 0; k < face->count; ++k) {
            const CnHullEdge* edge = &hull->edges[hull->side[face->first + k]];
            int from = hull->loop[face->first + k];
            int to = hull->loop[face->first + (k + 1) % face->count];
            bool along = edge->from == from && edge->to == to && edge->left == i;
            bool against = edge->from == to && edge->to == from && edge->right == i;
            CHECK(along || against);
        }
    }
}

static void every_side_of_a_face_knows_its_edge(void) {
    CnRandom random = {1};
    CnBoxHull storage;
    CnHull* hull = build(&random);
    check_sides(hull);
    check_sides(cn_box_hull(cn_vec3(1.0, 2.0, 3.0), &storage));
    cn_hull_free(hull, NULL);
}

// Sets that name other edges than those of the face; those that pad them have none.
static int wrong_sets(const CnHull* hull) {
    int sets = cn_hull_edge_sets(hull->edge_count), wrong = 0;
    for (int i = 0; i < cn_hull_padded(hull->face_count); ++i) {
        for (int k = 0; k < 64 * sets; ++k) {
            bool is_edge =
                k < hull->edge_count && (hull->edges[k].left == i || hull->edges[k].right == i);
            wrong += (hull->edge_sets[i * sets + k / 64] >> k % 64 & 1) != is_edge;
        }
    }
    return wrong;
}

// A pyramid over n sides has 2 n edges.
static CnHull* pyramid_of(int sides) {
    CnVec3 points[POINTS] = {{0.0, 0.0, 1.0}};
    CnHull* hull = NULL;
    for (int i = 0; i < sides; ++i) {
        double angle = 6.28 * i / sides; // [rad]
        points[i + 1] = cn_vec3(cn_cos(angle), cn_sin(angle), 0.0);
    }
    CHECK_INT(cn_hull_build(points, sides + 1, NULL, &hull, NULL), CN_OK);
    CHECK_INT(hull->edge_count, 2 * sides);
    return hull;
}

static void every_face_knows_its_edges_as_a_set(void) {
    static const int sides[6] = {3, 32, 33, 64, 128, 129};
    static const int sets[6] = {1, 1, 4, 4, 4, 0};
    CnBoxHull storage;
    CHECK_INT(wrong_sets(cn_box_hull(cn_vec3(1.0, 2.0, 3.0), &storage)), 0);
    for (int i = 0; i < 6; ++i) {
        CnHull* hull = pyramid_of(sides[i]);
        CHECK_INT(cn_hull_edge_sets(hull->edge_count), sets[i]);
        CHECK((hull->edge_sets != NULL) == (sets[i] > 0));
        CHECK_INT(wrong_sets(hull), 0);
        cn_hull_free(hull, NULL);
    }
}

// Vertices are 1 m from a point and their mean is near it; 1e-14 is some units of round-off of 4 m.
static void one_ball_is_inside_and_one_is_around(void) {
    CnRandom random = {2};
    CnHull* hull = build(&random);
    double least = 1.0, farthest = 0.0;
    for (int i = 0; i < hull->face_count; ++i) {
        const CnHullFace* face = &hull->faces[i];
        least = fmin(least, face->offset - cn_vec3_dot(face->normal, hull->center));
    }
    for (int i = 0; i < hull->vertex_count; ++i) {
        farthest = fmax(farthest, cn_vec3_length(cn_vec3_sub(hull->vertices[i], hull->center)));
    }
    CHECK_NEAR(hull->inner, least, 1e-14);
    CHECK_NEAR(hull->outer, farthest, 1e-14);
    CHECK(hull->inner > 0.5);
    CHECK_NEAR(hull->reach, 6.0 + 1.0, 0.5); // 3 + 2 + 1, and a radius: the mean is off by 0.1
    for (int i = 0; i < hull->vertex_count; ++i) {
        CHECK(cn_vec3_length(hull->vertices[i]) <= hull->reach);
    }
    cn_hull_free(hull, NULL);
}

// To the bit, and the first of equals: the same products and sums as one by one.
static void searches_find_what_looking_at_one_after_the_other_finds(void) {
    CnRandom random = {3};
    CnHull* hull = build(&random);
    int wrong = 0;
    for (int i = 0; i < DIRECTIONS; ++i) {
        CnVec3 d = random_vector(&random);
        int expected = 0, found = -1;
        for (int k = 1; k < hull->vertex_count; ++k) {
            bool is_lower =
                cn_vec3_dot(d, hull->vertices[k]) < cn_vec3_dot(d, hull->vertices[expected]);
            expected = is_lower ? k : expected;
        }
        double low = cn_hull_lowest(hull, d, &found);
        wrong += found != expected || low != cn_vec3_dot(d, hull->vertices[expected]);
        int first = i % 3 * CN_HULL_BLOCK;
        double facings[CN_HULL_BLOCK];
        cn_hull_facings(hull, first, d, facings);
        int last = hull->face_count - first < CN_HULL_BLOCK ? hull->face_count - first - 1
                                                            : CN_HULL_BLOCK - 1;
        wrong += facings[last] != cn_vec3_dot(hull->faces[first + last].normal, d);
    }
    CHECK(hull->face_count > 2 * CN_HULL_BLOCK);
    CHECK_INT(wrong, 0);
    cn_hull_free(hull, NULL);
}

// Halfway between two faces, to within ties of all sizes, and anywhere.
static void the_first_face_within_a_tie_of_the_most_is_found(void) {
    CnRandom random = {7};
    CnHull* hull = build(&random);
    int wrong = 0;
    for (int i = 0; i < DIRECTIONS; ++i) {
        double tie = ldexp(1.0, -i % 40);
        const CnHullEdge* edge = &hull->edges[i % hull->edge_count];
        CnVec3 between =
            cn_vec3_add(hull->faces[edge->left].normal, hull->faces[edge->right].normal);
        CnVec3 d = i % 2 ? between : random_vector(&random);
        double facings[3 * CN_HULL_BLOCK + CN_HULL_BLOCK], most = -HUGE_VAL;
        int expected = 0;
        for (int first = 0; first < hull->face_count; first += CN_HULL_BLOCK) {
            double here = facings[first + cn_hull_facings(hull, first, d, facings + first)];
            if (here > most + tie) { // blocks of faces that are alike do not take turns
                most = here;
                for (expected = first; facings[expected] < most - tie;) {
                    ++expected;
                }
            }
        }
        wrong += cn_hull_first_facing(hull, d, tie) != expected;
    }
    CHECK_INT(wrong, 0);
    cn_hull_free(hull, NULL);
}

// Normals of a dodecahedron are acos(1 / sqrt(5)) apart at least; of a box 90 degrees.
static void half_the_least_angle_between_faces_is_known(void) {
    const double phi = 0.5 * (1.0 + sqrt(5.0));
    CnVec3 points[20];
    CnHull* hull = NULL;
    CnBoxHull storage;
    for (int i = 0; i < 8; ++i) {
        points[i] = cn_vec3(i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0);
    }
    for (int i = 0; i < 4; ++i) {
        double a = (i & 1 ? 1.0 : -1.0) / phi, b = (i & 2 ? 1.0 : -1.0) * phi;
        points[8 + 3 * i] = cn_vec3(0.0, a, b);
        points[9 + 3 * i] = cn_vec3(a, b, 0.0);
        points[10 + 3 * i] = cn_vec3(b, 0.0, a);
    }
    CHECK_INT(cn_hull_build(points, 20, NULL, &hull, NULL), CN_OK);
    CHECK_NEAR(hull->alike, sqrt(0.5 * (1.0 + 1.0 / sqrt(5.0))), 1e-15); // half of that angle
    CHECK_NEAR(cn_box_hull(cn_vec3(1.0, 2.0, 3.0), &storage)->alike, sqrt(0.5), 1e-15);
    cn_hull_free(hull, NULL);
}

// Copies of face 0, moved out to infinity, fill the last block: of 394 faces, two.
static void what_pads_a_block_is_never_found(void) {
    CnRandom random = {5};
    CnHull* hull = build_of(POINTS - 1, &random);
    int beyond = 0, near = 0;
    for (int i = 0; i < DIRECTIONS; ++i) {
        beyond += cn_hull_first_facing(hull, random_vector(&random), 0.0) >= hull->face_count;
    }
    for (int i = hull->face_count; i < cn_hull_padded(hull->face_count); ++i) {
        near += !(hull->columns.offset[i] > DBL_MAX);
    }
    beyond += cn_hull_first_facing(hull, hull->faces[0].normal, 0.0) != 0;
    CHECK(hull->face_count % CN_HULL_LANES != 0);
    CHECK_INT(beyond, 0);
    CHECK_INT(near, 0);
    cn_hull_free(hull, NULL);
}

typedef struct Found {
    double lowest;
    int vertex, facing, first_facing;
    double facings[CN_HULL_BLOCK];
} Found;

static Found find_all(const CnHullSearch* search, const CnHull* hull, CnVec3 d) {
    Found found;
    memset(&found, 0, sizeof found);
    found.lowest = search->lowest(hull, d, &found.vertex);
    found.facing = search->facings(hull, 0, d, found.facings);
    found.first_facing = search->facing(hull, d, 1e-2);
    return found;
}

static void every_width_of_registers_finds_the_same_bits(void) {
#if defined(__x86_64__)
    CnRandom random = {6};
    CnHull* hull = build(&random);
    int different = 0;
    for (int i = 0; i < DIRECTIONS && cn_has_avx2(); ++i) {
        CnVec3 d = random_vector(&random);
        Found narrow = find_all(&cn_hull_search_128, hull, d);
        Found wide = find_all(&cn_hull_search_256, hull, d);
        different += memcmp(&narrow, &wide, sizeof narrow) != 0;
    }
    CHECK_INT(different, 0);
    cn_hull_free(hull, NULL);
#endif
}

static void directions_that_are_no_numbers_end_the_search(void) {
    CnBoxHull storage;
    const CnHull* hull = cn_box_hull(cn_vec3(1.0, 1.0, 1.0), &storage);
    CnVec3 nothing = cn_vec3(NAN, 0.0, 0.0);
    double facings[CN_HULL_BLOCK];
    int vertex = -1;
    cn_hull_lowest(hull, nothing, &vertex);
    CHECK_INT(vertex, 0);
    CHECK_INT(cn_hull_facings(hull, 0, nothing, facings), 0);
    CHECK(isnan(facings[0]));
}

TEST_MAIN("geometry/hull_search", TEST(every_side_of_a_face_knows_its_edge),
          TEST(every_face_knows_its_edges_as_a_set), TEST(one_ball_is_inside_and_one_is_around),
          TEST(searches_find_what_looking_at_one_after_the_other_finds),
          TEST(the_first_face_within_a_tie_of_the_most_is_found),
          TEST(half_the_least_angle_between_faces_is_known), TEST(what_pads_a_block_is_never_found),
          TEST(every_width_of_registers_finds_the_same_bits),
          TEST(directions_that_are_no_numbers_end_the_search))

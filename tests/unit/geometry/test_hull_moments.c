// test_hull_moments.c - moments of polyhedra against closed forms, and the box as a polyhedron.
#include "geometry/hull/hull.h"
#include "support/shapes/hulls.h"
#include "support/test.h"
#include <float.h>

typedef struct Moments {
    double volume;
    CnVec3 center;
    double inertia[6];
} Moments;

static Moments moments_of(const CnHull* hull) {
    Moments moments;
    cn_hull_moments(hull, &moments.volume, &moments.center, moments.inertia);
    return moments;
}

static void a_box_has_six_faces_twelve_edges_and_eight_vertices(void) {
    CnBoxHull storage;
    const CnHull* hull = cn_box_hull(cn_vec3(0.5, 2.0, 3.0), &storage);
    CHECK_INT(hull->vertex_count, 8);
    CHECK_INT(hull->face_count, 6);
    CHECK_INT(hull->edge_count, 12);
    check_hull_topology(hull);
    check_hull_convexity(hull, 0.0); // all numbers are exact
}

static void a_box_has_the_moments_of_the_textbook(void) {
    // Half edges a b c: V = 8abc, Ixx = V (b^2 + c^2) / 3. 48 tetrahedra add up with relative error
    // of at most about 60 roundings.
    const double a = 0.5, b = 2.0, c = 3.0, v = 8.0 * a * b * c;
    CnBoxHull storage;
    Moments box = moments_of(cn_box_hull(cn_vec3(a, b, c), &storage));
    const double tolerance = 60.0 * DBL_EPSILON;
    CHECK_NEAR(box.volume, v, tolerance * v);
    CHECK_NEAR(cn_vec3_length(box.center), 0.0, tolerance * c);
    CHECK_NEAR(box.inertia[0], v * (b * b + c * c) / 3.0, tolerance * v * c * c);
    CHECK_NEAR(box.inertia[1], v * (a * a + c * c) / 3.0, tolerance * v * c * c);
    CHECK_NEAR(box.inertia[2], v * (a * a + b * b) / 3.0, tolerance * v * c * c);
    for (int i = 3; i < 6; ++i) {
        CHECK_NEAR(box.inertia[i], 0.0, tolerance * v * c * c);
    }
}

// The corner 0 and the unit vectors, scaled and moved. Normals play no part in moments.
static void make_corner(double scale, CnVec3 at, CnHull* hull, CnVec3 vertices[4]) {
    static CnHullFace faces[4] = {{.first = 0, .count = 3},
                                  {.first = 3, .count = 3},
                                  {.first = 6, .count = 3},
                                  {.first = 9, .count = 3}};
    static int loop[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    vertices[0] = at;
    vertices[1] = cn_vec3_add(at, cn_vec3(scale, 0.0, 0.0));
    vertices[2] = cn_vec3_add(at, cn_vec3(0.0, scale, 0.0));
    vertices[3] = cn_vec3_add(at, cn_vec3(0.0, 0.0, scale));
    *hull = (CnHull){.vertex_count = 4,
                     .face_count = 4,
                     .loop_count = 12,
                     .vertices = vertices,
                     .faces = faces,
                     .loop = loop};
}

static void check_corner(double scale, CnVec3 at, double position_error) {
    // V = 1/6, centre 1/4, int x^2 = 1/60, int x y = 1/120, so about the centre Ixx = 2 (1/60 -
    // 1/96) = 1/80 and Ixy = -(1/120 - 1/96) = 1/480. Powers 3 and 5 of the scale; a vertex that is
    // off by position_error changes them by less than 6 and 10 times its share.
    CnVec3 vertices[4];
    CnHull hull;
    make_corner(scale, at, &hull, vertices);
    Moments m = moments_of(&hull);
    double volume = scale * scale * scale / 6.0, fifth = 6.0 * volume * scale * scale;
    double relative = 20.0 * DBL_EPSILON + 10.0 * position_error / scale;
    CHECK_NEAR(m.volume, volume, relative * volume);
    CHECK_NEAR(m.center.x, at.x + scale / 4.0, relative * scale + position_error);
    CHECK_NEAR(m.center.y, at.y + scale / 4.0, relative * scale + position_error);
    CHECK_NEAR(m.center.z, at.z + scale / 4.0, relative * scale + position_error);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(m.inertia[i], fifth / 80.0, relative * fifth);
        CHECK_NEAR(m.inertia[3 + i], fifth / 480.0, relative * fifth);
    }
}

static void a_tetrahedron_has_the_moments_of_its_integrals(void) {
    check_corner(1.0, cn_vec3(0.0, 0.0, 0.0), 0.0);
    check_corner(1e-3, cn_vec3(0.0, 0.0, 0.0), 0.0);
    check_corner(1e3, cn_vec3(0.0, 0.0, 0.0), 0.0);
}

static void a_tetrahedron_far_away_keeps_its_moments(void) {
    // A million metres away, where 0.5 is exact: nothing is lost but the last bits of the centre.
    check_corner(0.5, cn_vec3(1048576.0, -2097152.0, 1048576.0), 2097152.0 * DBL_EPSILON);
}

static void a_hexagonal_prism_has_the_moments_of_the_textbook(void) {
    // Regular, radius r, height h: area A = 3 sqrt(3) r^2 / 2, int x^2 over it 5 A r^2 / 24, so
    // Izz = 5 V r^2 / 12 and Ixx = V (5 r^2 / 24 + h^2 / 12).
    const double r = 0.7, h = 0.3, s = sqrt(3.0) / 2.0;
    const double x[6] = {1.0, 0.5, -0.5, -1.0, -0.5, 0.5}, y[6] = {0.0, s, s, 0.0, -s, -s};
    CnVec3 vertices[12];
    CnHullFace faces[8] = {{.first = 0, .count = 6}, {.first = 6, .count = 6}};
    int loop[36];
    for (int i = 0; i < 6; ++i) {
        int next = (i + 1) % 6, side = 12 + 4 * i;
        vertices[i] = cn_vec3(r * x[i], r * y[i], 0.0);
        vertices[6 + i] = cn_vec3(r * x[i], r * y[i], h);
        loop[i] = 5 - i;
        loop[6 + i] = 6 + i;
        loop[side] = i;
        loop[side + 1] = next;
        loop[side + 2] = 6 + next;
        loop[side + 3] = 6 + i;
        faces[2 + i] = (CnHullFace){.first = side, .count = 4};
    }
    CnHull prism = {.vertex_count = 12,
                    .face_count = 8,
                    .loop_count = 36,
                    .vertices = vertices,
                    .faces = faces,
                    .loop = loop};
    Moments m = moments_of(&prism);
    double v = 1.5 * sqrt(3.0) * r * r * h, tolerance = 60.0 * DBL_EPSILON * v;
    CHECK_NEAR(m.volume, v, tolerance);
    CHECK_NEAR(m.center.z, h / 2.0, 60.0 * DBL_EPSILON);
    CHECK_NEAR(m.inertia[0], v * (5.0 * r * r / 24.0 + h * h / 12.0), tolerance);
    CHECK_NEAR(m.inertia[1], v * (5.0 * r * r / 24.0 + h * h / 12.0), tolerance);
    CHECK_NEAR(m.inertia[2], v * 5.0 * r * r / 12.0, tolerance);
    for (int i = 3; i < 6; ++i) {
        CHECK_NEAR(m.inertia[i], 0.0, tolerance);
    }
}

TEST_MAIN("geometry/hull_moments", TEST(a_box_has_six_faces_twelve_edges_and_eight_vertices),
          TEST(a_box_has_the_moments_of_the_textbook),
          TEST(a_tetrahedron_has_the_moments_of_its_integrals),
          TEST(a_tetrahedron_far_away_keeps_its_moments),
          TEST(a_hexagonal_prism_has_the_moments_of_the_textbook))

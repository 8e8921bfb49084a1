// test_triangulate.c - triangles of shapes close, face outwards and hold the volume.
#include "geometry/triangulate.h"
#include "support/shapes/random_poses.h"
#include "support/shapes/solids.h"
#include "support/test.h"

#include <stdlib.h>

static const CnAllocator heap = {0};
static const CnTransform still = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};

static CnShape make(const CnShapeDef* def) {
    CnShape shape;
    CHECK_INT(cn_shape_make(def, &heap, &shape, NULL), CN_OK);
    return shape;
}

// First counts, then writes.
static CnTriangles triangles_of(const CnShape* shape, CnTransform frame, int resolution) {
    CnTriangles out = {0};
    cn_shape_triangulate(shape, frame, resolution, 10.0, &out);
    out.points = malloc((size_t)out.point_count * sizeof *out.points);
    out.triangles = malloc((size_t)out.triangle_count * sizeof *out.triangles);
    out.point_capacity = out.point_count;
    out.triangle_capacity = out.triangle_count;
    CHECK(out.points != NULL && out.triangles != NULL);
    cn_shape_triangulate(shape, frame, resolution, 10.0, &out);
    CHECK_INT(out.point_count, out.point_capacity);
    CHECK_INT(out.triangle_count, out.triangle_capacity);
    return out;
}

static void release(CnTriangles* triangles) {
    free(triangles->points);
    free(triangles->triangles);
}

// Positive when they face outwards.
static double volume_of(const CnTriangles* t) {
    double volume = 0.0;
    for (int i = 0; i < t->triangle_count; ++i) {
        CnVec3 a = t->points[t->triangles[i][0]], b = t->points[t->triangles[i][1]];
        CnVec3 c = t->points[t->triangles[i][2]];
        volume += cn_vec3_dot(a, cn_vec3_cross(b, c)) / 6.0;
    }
    return volume;
}

// Every side of a closed surface is there once in each direction.
static void check_closed(const CnTriangles* t) {
    int* count = calloc((size_t)t->point_count * (size_t)t->point_count, sizeof(int));
    CHECK(count != NULL);
    for (int i = 0; i < t->triangle_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            int from = t->triangles[i][k], to = t->triangles[i][(k + 1) % 3];
            CHECK(from >= 0 && from < t->point_count && from != to);
            ++count[from * t->point_count + to];
        }
    }
    for (int i = 0; i < t->point_count; ++i) {
        for (int k = 0; k < t->point_count; ++k) {
            CHECK(count[i * t->point_count + k] <= 1);
            CHECK_INT(count[i * t->point_count + k], count[k * t->point_count + i]);
        }
    }
    free(count);
}

static double triangulated_volume(const CnShape* shape, int resolution) {
    CnTransform frame = {{0.3, -2.0, 1.0}, cn_quat_from_axis_angle(cn_vec3(0.6, 0.0, 0.8), 1.1)};
    CnTriangles t = triangles_of(shape, frame, resolution);
    double volume = volume_of(&t);
    if (resolution <= 32) {
        check_closed(&t);
    }
    release(&t);
    return volume;
}

// Flat ones are exact. Of round ones a polygon of n sides has sin(2 pi / n) / (2 pi / n) of the
// area of its circle, 1 - 6.6 / n^2, and so many bands lose the like of it along the axis: in all
// below 20 / n^2, a quarter of it with twice the sides.
static void volumes_are_those_of_the_shapes(void) {
    const double r = 0.4, l = 1.1;
    const CnVec3 corners[5] = {
        {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {1.0, 1.0, 0.0}, {0.5, 0.5, 2.0}};
    CnShapeDef defs[5] = {cn_shape_def_default(CN_SHAPE_BOX), cn_shape_def_default(CN_SHAPE_CONVEX),
                          cn_shape_def_default(CN_SHAPE_SPHERE),
                          cn_shape_def_default(CN_SHAPE_CAPSULE),
                          cn_shape_def_default(CN_SHAPE_CYLINDER)};
    defs[0].size = cn_vec3(1.0, 2.0, 3.0);
    defs[1].points = corners;
    defs[1].point_count = 5;
    double ball = 4.0 / 3.0 * CN_PI * r * r * r, rod = CN_PI * r * r * l;
    const double volumes[5] = {6.0, 2.0 / 3.0, ball, ball + rod, rod};
    for (int i = 0; i < 5; ++i) {
        defs[i].radius = r;
        defs[i].length = l;
        CnShape shape = make(&defs[i]);
        if (i < 2) {
            CHECK_NEAR(triangulated_volume(&shape, 3), volumes[i], 1e-13);
        } else {
            CHECK(triangulated_volume(&shape, 3) > 0.0);
            double coarse = 1.0 - triangulated_volume(&shape, 32) / volumes[i];
            double fine = 1.0 - triangulated_volume(&shape, 64) / volumes[i];
            CHECK(fine > 0.0 && coarse < 20.0 / (32.0 * 32.0));
            CHECK_NEAR(coarse / fine, 4.0, 0.05);
        }
        cn_shape_free(&shape, &heap);
    }
}

static CnVec3 normal_of(const CnTriangles* t, int i) {
    CnVec3 a = t->points[t->triangles[i][0]], b = t->points[t->triangles[i][1]];
    CnVec3 c = t->points[t->triangles[i][2]];
    return cn_vec3_normalize(cn_vec3_cross(cn_vec3_sub(b, a), cn_vec3_sub(c, a)));
}

static void a_plane_is_a_square_that_faces_along_its_normal(void) {
    CnRandom random = {5};
    for (int i = 0; i < 50; ++i) {
        CnShapeDef def = cn_shape_def_default(CN_SHAPE_PLANE);
        def.normal = cn_vec3_normalize(random_within(&random, 1.0));
        CnShape plane = make(&def);
        CnTriangles t = triangles_of(&plane, still, 3);
        CHECK_INT(t.point_count, 4);
        CHECK_INT(t.triangle_count, 2);
        for (int k = 0; k < 4; ++k) {
            CHECK_NEAR(cn_vec3_length(t.points[k]), 10.0 * sqrt(2.0), 1e-13);
            CHECK_NEAR(cn_vec3_dot(t.points[k], def.normal), 0.0, 1e-13);
        }
        for (int k = 0; k < 2; ++k) {
            CHECK_NEAR(cn_vec3_dot(normal_of(&t, k), def.normal), 1.0, 1e-13);
        }
        release(&t);
    }
}

// Points and triangles of a mesh come back as they were; a height field is its two triangles a
// cell, the same that collision knows.
static void surfaces_come_back(void) {
    const CnVec3 corners[4] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    CnShapeDef def = cn_shape_def_default(CN_SHAPE_MESH);
    def.points = corners;
    def.point_count = 4;
    def.triangles = faces;
    def.triangle_count = 4;
    CnShape mesh = make(&def);
    CnTriangles t = triangles_of(&mesh, still, 3);
    CHECK(memcmp(t.points, corners, sizeof corners) == 0);
    CHECK(memcmp(t.triangles, faces, sizeof faces) == 0);
    CHECK_NEAR(volume_of(&t), 1.0 / 6.0, 1e-16);
    release(&t);
    cn_shape_free(&mesh, &heap);

    const double heights[6] = {0.0, 0.1, 0.2, 0.3, -0.1, 0.5};
    def = cn_shape_def_default(CN_SHAPE_HEIGHT_FIELD);
    def.heights = heights;
    def.columns = 3;
    def.rows = 2;
    def.size = cn_vec3(4.0, 2.0, 0.0);
    CnShape field = make(&def);
    t = triangles_of(&field, still, 3);
    CHECK_INT(t.point_count, 6);
    CHECK_INT(t.triangle_count, 4);
    for (int i = 0; i < 4; ++i) {
        CnVec3 expected[3];
        cn_height_field_corners(field.field, i, expected);
        CnVec3 up = cn_vec3_cross(cn_vec3_sub(expected[1], expected[0]),
                                  cn_vec3_sub(expected[2], expected[0]));
        CHECK_NEAR(cn_vec3_dot(normal_of(&t, i), cn_vec3_normalize(up)), 1.0, 1e-14);
    }
    release(&t);
    cn_shape_free(&field, &heap);
}

static void no_more_is_written_than_fits(void) {
    CnShapeDef def = cn_shape_def_default(CN_SHAPE_BOX);
    CnShape box = make(&def);
    CnVec3 points[4] = {[3] = {7.0, 7.0, 7.0}};
    int triangles[3][3] = {[2] = {-7, -7, -7}};
    CnTriangles t = {points, triangles, 3, 2, 0, 0};
    cn_shape_triangulate(&box, still, 3, 1.0, &t);
    CHECK(t.point_count == 8 && t.triangle_count == 12);
    CHECK(points[3].x == 7.0 && triangles[2][0] == -7);
    CHECK(cn_vec3_length(points[2]) > 0.1);
}

TEST_MAIN("unit/geometry/triangulate", TEST(volumes_are_those_of_the_shapes),
          TEST(a_plane_is_a_square_that_faces_along_its_normal), TEST(surfaces_come_back),
          TEST(no_more_is_written_than_fits))

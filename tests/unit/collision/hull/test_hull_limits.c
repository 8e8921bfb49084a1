// test_hull_limits.c - hulls at the ends of what can be: poses that are no numbers, many faces.
#include "cairn/random.h"
#include "collision/collide_pairs.h"
#include "collision/mesh/surface_triangle.h"
#include "support/shapes/hull_shapes.h"
#include "support/shapes/random_poses.h"
#include "support/test.h"

#include <stdlib.h>

// Poses out of all proportion

#define UPRIGHT                                                                                    \
    { 1.0, 0.0, 0.0, 0.0 }

static const CnTransform poses[] = {
    {{0.0, 0.0, 0.0}, UPRIGHT},
    {{0.1, 0.2, 0.3}, {0.8, 0.0, 0.6, 0.0}},
    {{NAN, 0.0, 0.0}, UPRIGHT},
    {{0.0, NAN, NAN}, UPRIGHT},
    {{0.0, 0.0, INFINITY}, UPRIGHT},
    {{-INFINITY, INFINITY, 0.0}, UPRIGHT},
    {{1e308, 0.0, 0.0}, UPRIGHT},
    {{-1e308, 1e308, -1e308}, {0.8, 0.0, 0.6, 0.0}},
    {{0.0, 0.0, 1.0}, {NAN, 0.0, 0.0, 0.0}},
    {{0.0, 0.0, 0.5}, {1.0, 0.0, NAN, 0.0}},
    {{0.0, 0.0, 0.5}, {INFINITY, 0.0, 0.0, 0.0}},
    {{0.0, 0.0, 0.5}, {0.0, -INFINITY, INFINITY, 0.0}},
    {{0.0, 0.0, 0.5}, {1e308, 0.0, 0.0, 1e308}},
    {{NAN, NAN, NAN}, {NAN, NAN, NAN, NAN}},
};

#define POSES ((int)(sizeof poses / sizeof poses[0]))

static bool is_finite_point(const CnManifoldPoint* point) {
    return cn_vec3_is_finite(point->point) && cn_vec3_is_finite(point->normal) &&
           isfinite(point->gap);
}

// How many pairs of poses give a point that is not finite, or a number of points that cannot be.
static int count_flaws(CnCollideFunction* collide, const CnShape* a, const CnShape* b) {
    const double margins[] = {0.0, 1.0, HUGE_VAL};
    int flaws = 0;
    for (int i = 0; i < 3 * POSES * POSES; ++i) {
        CnPlacedShape placed_a = {a, poses[i % POSES]}, placed_b = {b, poses[i / POSES % POSES]};
        CnManifoldPoint points[CN_MANIFOLD_POINTS];
        int count = collide(placed_a, placed_b, margins[i / (POSES * POSES)], points);
        bool flawed = count < 0 || count > CN_MANIFOLD_POINTS;
        for (int k = 0; k < count && !flawed; ++k) {
            flawed = !is_finite_point(&points[k]);
        }
        flaws += flawed;
    }
    return flaws;
}

// A tetrahedron, a pebble of few faces, and a rock of more than 64 faces and edges: what is
// searched in different ways.
static void make_stones(CnShape stones[3]) {
    static const int counts[3] = {4, 12, 120};
    CnRandom random = {31};
    for (int i = 0; i < 3; ++i) {
        CnVec3 points[120];
        for (int k = 0; k < counts[i]; ++k) {
            points[k] = cn_vec3_normalize(random_between(&random, -1.0, 1.0));
        }
        stones[i] = hull_shape(points, counts[i]);
    }
}

static void free_stones(CnShape stones[3]) {
    for (int i = 0; i < 3; ++i) {
        hull_shape_free(&stones[i]);
    }
}

static void hulls_at_poses_that_are_no_numbers_give_finite_points_or_none(void) {
    CnShape stones[3];
    make_stones(stones);
    for (int i = 0; i < 9; ++i) {
        CHECK_INT(count_flaws(cn_collide, &stones[i / 3], &stones[i % 3]), 0);
    }
    free_stones(stones);
}

static void triangles_at_poses_that_are_no_numbers_give_finite_points_or_none(void) {
    const CnTriangle triangle = {
        .points = {{-1.0, -1.0, 0.0}, {1.0, -1.0, 0.0}, {0.0, 1.0, 0.0}},
        .normal = {0.0, 0.0, 1.0},
        .neighbours = {-1, -1, -1},
    };
    CnTriangleShape storage;
    CnShape stones[3];
    make_stones(stones);
    const CnShape* shape = cn_triangle_place(&triangle, &storage).shape;
    for (int i = 0; i < 3; ++i) {
        CHECK_INT(count_flaws(cn_collide_polyhedron_polyhedron, shape, &stones[i]), 0);
        CHECK_INT(count_flaws(cn_collide_polyhedron_polyhedron, &stones[i], shape), 0);
    }
    free_stones(stones);
}

// Many faces

// About 24,000 triangles: too many sides for outlines.
#define BALL_POINTS (UNDER_SANITIZER ? 1000 : 12000)

// Points on the unit sphere in a spiral whose turns are the golden angle apart.
static CnShape ball_of(int count) {
    CnVec3* points = calloc((size_t)count, sizeof *points);
    for (int i = 0; i < count; ++i) {
        double z = 1.0 - (2.0 * i + 1.0) / count, angle = CN_PI * (3.0 - sqrt(5.0)) * i;
        double radius = sqrt(1.0 - z * z);
        points[i] = cn_vec3(radius * cos(angle), radius * sin(angle), z);
    }
    CnShape ball = hull_shape(points, count);
    free(points);
    return ball;
}

static CnShape cube_of(double edge) {
    CnVec3 corners[8];
    for (int i = 0; i < 8; ++i) {
        corners[i] = cn_vec3_scale(
            edge, cn_vec3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5));
    }
    return hull_shape(corners, 8);
}

// A cube of this edge whose lower side covers the face and is parallel to it, a gap away. The
// rotation takes (0, 0, 1) to the normal, which must not be near (0, 0, -1).
static CnTransform over_face(const CnHull* hull, const CnHullFace* face, double edge, double gap) {
    CnVec3 n = face->normal, middle = {0.0, 0.0, 0.0};
    for (int i = 0; i < face->count; ++i) {
        middle = cn_vec3_add_scaled(middle, 1.0 / face->count,
                                    hull->vertices[hull->loop[face->first + i]]);
    }
    return (CnTransform){cn_vec3_add_scaled(middle, 0.5 * edge + gap, n),
                         cn_quat_normalize((CnQuat){1.0 + n.z, -n.y, n.x, 0.0})};
}

// Face on face: the corners of the smaller one. Neighbours of the faces tried lean by 3e-5 rad and
// more, so that along their normals a cube of 0.4 m is at least 6e-6 m deeper in the ball. Places
// are below 2 m, normals of faces 1e-2 m across carry 1e-14: times 0.2 m of cube, and round-off.
static void a_cube_rests_on_a_face_of_a_hull_of_thousands(void) {
    const double edge = 0.4, tolerance = 1e-13; // [m]
    const double gaps[] = {-1e-6, 0.0, 1e-6};
    CnShape ball = ball_of(BALL_POINTS), cube = cube_of(edge);
    CHECK(UNDER_SANITIZER || ball.hull->outlines == NULL);
    const CnPlacedShape still = {&ball, {{0.0, 0.0, 0.0}, UPRIGHT}};
    for (int i = 0; i < 30; ++i) {
        const CnHullFace* face = &ball.hull->faces[(i / 3) * (ball.hull->face_count / 10)];
        if (face->normal.z < -0.9) {
            continue;
        }
        const CnPlacedShape resting = {&cube, over_face(ball.hull, face, edge, gaps[i % 3])};
        CnManifoldPoint points[CN_MANIFOLD_POINTS];
        CHECK_INT(cn_collide(still, resting, 2e-6, points), face->count);
        for (int k = 0; k < face->count; ++k) {
            CHECK_NEAR(points[k].gap, gaps[i % 3], tolerance);
            CHECK_NEAR(cn_vec3_dot(points[k].normal, face->normal), 1.0, tolerance);
        }
    }
    hull_shape_free(&ball);
    hull_shape_free(&cube);
}

TEST_MAIN("unit/collision/hull/hull_limits",
          TEST(hulls_at_poses_that_are_no_numbers_give_finite_points_or_none),
          TEST(triangles_at_poses_that_are_no_numbers_give_finite_points_or_none),
          TEST(a_cube_rests_on_a_face_of_a_hull_of_thousands))

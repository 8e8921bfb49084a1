// test_hull.c - hulls of points: valid, tight, repeatable, and honest about what has none.
#include "geometry/mass_properties.h"
#include "support/failing_allocator.h"
#include "support/shapes/clouds.h"
#include "support/shapes/hulls.h"
#include "support/shapes/random_poses.h"
#include "support/test.h"
#include <float.h>

#define SEEDS (UNDER_SANITIZER ? 2 : 6)

static CnHull* hull_of(const CnVec3* points, int count) {
    CnHull* hull = NULL;
    CnError error = {0};
    CnStatus status = cn_hull_build(points, count, NULL, &hull, &error);
    ck_assert_msg(status == CN_OK, "%s", error.message);
    return hull;
}

static void check_hull(const CnHull* hull, const CnVec3* points, int count) {
    double tolerance = hull_tolerance(points, count);
    check_hull_topology(hull);
    check_hull_convexity(hull, tolerance);
    CHECK(greatest_height(hull, points, count) <= tolerance);
}

static void hulls_of_clouds_are_convex_polyhedra_that_hold_all_points(void) {
    static CnVec3 points[CLOUD_MAX_POINTS];
    for (int c = 0; c < cloud_count; ++c) {
        for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
            cloud_points(&clouds[c], seed, points);
            CnHull* hull = hull_of(points, clouds[c].count);
            check_hull(hull, points, clouds[c].count);
            cn_hull_free(hull, NULL);
        }
    }
}

// The corners of a box, then points on its edges and faces, in it, and again its corners.
static void box_points(CnVec3 half_size, CnTransform pose, CnVec3* points, int count) {
    static const double steps[5] = {-1.0, -0.5, 0.0, 0.3, 1.0};
    CnRandom random = {5};
    for (int i = 0; i < count; ++i) {
        double u[3];
        for (int k = 0; k < 3; ++k) {
            u[k] = i < 8 ? ((i >> k) & 1 ? 1.0 : -1.0) : steps[cn_random_next(&random) % 5];
        }
        CnVec3 p = cn_vec3(half_size.x * u[0], half_size.y * u[1], half_size.z * u[2]);
        points[i] = cn_transform_point(pose, p);
    }
}

static void check_is_a_box(const CnHull* hull) {
    CHECK_INT(hull->vertex_count, 8);
    CHECK_INT(hull->edge_count, 12);
    CHECK_INT(hull->face_count, 6);
    for (int f = 0; f < 6; ++f) {
        CHECK_INT(hull->faces[f].count, 4);
    }
}

static void a_box_of_many_points_has_six_faces_wherever_it_is(void) {
    static CnVec3 points[800];
    CnRandom random = {3};
    for (int trial = 0; trial < 200; ++trial) {
        double far = trial % 4 == 0 ? 0.0 : ldexp(1.0, trial % 24); // [m]
        CnVec3 axis = cn_vec3(cn_random_between(&random, -1.0, 1.0), 0.3, -0.4);
        CnTransform pose = {
            cn_vec3(far, cn_random_between(&random, -far, far), -0.5 * far),
            cn_quat_from_axis_angle(axis, trial % 5 == 0 ? 0.0 : 0.1 * trial),
        };
        int count = trial % 2 ? 8 : 800;
        box_points(cn_vec3(0.5, 1.0, 0.1), pose, points, count);
        CnHull* hull = hull_of(points, count);
        check_is_a_box(hull);
        check_hull(hull, points, count);
        cn_hull_free(hull, NULL);
    }
}

// Layers that are rough by a part or a multiple of what counts as flat (32 grid steps, 2^-47 at
// size 1): every decision of the merge is a close one.
static void rough_faces_give_valid_polyhedra_at_any_roughness(void) {
    static CnVec3 points[300];
    CnRandom random = {21};
    CnQuat turn = cn_quat_from_axis_angle(cn_vec3(1.0, 2.0, 3.0), 0.7);
    for (int trial = 0; trial < (UNDER_SANITIZER ? 100 : 600); ++trial) {
        double rough = ldexp(1.0, -54 + trial % 16);                        // [m]
        double thick = trial % 3 == 0 ? 1.0 : ldexp(1.0, -46 + trial % 11); // [m]
        int count = 8 + trial % 290;
        for (int i = 0; i < count; ++i) {
            CnVec3 p = clouds[3].draw(&random); // on a cube
            CnVec3 q = cn_vec3(0.5 * p.x, 0.5 * p.y, 0.5 * thick * p.z);
            CnVec3 shake = random_within(&random, rough);
            points[i] = cn_vec3_add(trial % 2 ? cn_quat_rotate(turn, q) : q, shake);
        }
        CnHull* hull = NULL;
        CnStatus status = cn_hull_build(points, count, NULL, &hull, NULL);
        CHECK(status == CN_OK || thick + rough < 0x1p-44); // thinner may count as flat
        if (status == CN_OK) {
            check_hull(hull, points, count);
        }
        cn_hull_free(hull, NULL);
    }
}

// Few places for many points, so that most are on a line or in a plane with others, and small steps
// beside them.
static void points_on_a_coarse_grid_give_valid_polyhedra(void) {
    static CnVec3 points[40];
    CnRandom random = {22};
    for (int trial = 0; trial < (UNDER_SANITIZER ? 500 : 5000); ++trial) {
        int count = 5 + trial % 36, side = 2 + trial % 4;
        double step = trial % 2 ? 0.0 : ldexp(1.0, -52 + trial % 12);
        for (int i = 0; i < count; ++i) {
            double u[3];
            for (int k = 0; k < 3; ++k) {
                u[k] = (double)(cn_random_next(&random) % (uint64_t)side);
                u[k] += step * ((double)(cn_random_next(&random) % 3) - 1.0);
            }
            points[i] = cn_vec3(u[0], u[1], u[2]);
        }
        CnHull* hull = NULL;
        if (cn_hull_build(points, count, NULL, &hull, NULL) == CN_OK) {
            check_hull(hull, points, count);
        }
        cn_hull_free(hull, NULL);
    }
}

// Extents from a few grid steps, where hardly anything is flat or thick for certain, to all of the
// grid; each axis its own, and slanted. Here the merge sometimes has to do with less tolerance.
static void slivers_of_a_few_grid_steps_give_valid_polyhedra(void) {
    static CnVec3 points[64];
    CnRandom random = {99};
    for (int trial = 0; trial < (UNDER_SANITIZER ? 1000 : 8000); ++trial) {
        int count = 4 + trial % 60;
        double size[3], far = trial % 2 ? 0x1p51 : 0.0; // [grid], the grid's step being 1 m
        for (int k = 0; k < 3; ++k) {
            size[k] = ldexp(1.0, 6 + (int)(cn_random_next(&random) % (trial % 2 ? 8 : 44)));
        }
        double slant = trial % 3 ? 0.0 : cn_random_between(&random, -3.0, 3.0);
        for (int i = 0; i < count; ++i) {
            double x = cn_random_between(&random, -size[0], size[0]);
            double y = cn_random_between(&random, -size[1], size[1]);
            double z = cn_random_between(&random, -size[2], size[2]);
            points[i] = cn_vec3(rint(x + slant * y) + far, rint(y - slant * z) + far, rint(z));
        }
        CnHull* hull = NULL;
        if (cn_hull_build(points, count, NULL, &hull, NULL) == CN_OK) {
            check_hull_topology(hull);
            CHECK(greatest_height(hull, points, count) <= hull_tolerance(points, count));
        }
        cn_hull_free(hull, NULL);
    }
}

static void vertices_keep_the_order_of_the_points(void) {
    static CnVec3 points[CLOUD_MAX_POINTS];
    cloud_points(&clouds[0], 9, points);
    CnHull* hull = hull_of(points, clouds[0].count);
    int at = 0;
    for (int i = 0; i < clouds[0].count && at < hull->vertex_count; ++i) {
        at += memcmp(&points[i], &hull->vertices[at], sizeof(CnVec3)) == 0;
    }
    CHECK_INT(at, hull->vertex_count);
    cn_hull_free(hull, NULL);
}

static bool same_place(CnVec3 a, CnVec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// Same faces in the same order with the same numbers; vertices may be numbered differently.
static void check_same(const CnHull* a, const CnHull* b) {
    CHECK_INT(a->vertex_count, b->vertex_count);
    CHECK_INT(a->face_count, b->face_count);
    CHECK_INT(a->edge_count, b->edge_count);
    for (int f = 0; f < a->face_count; ++f) {
        CHECK(same_place(a->faces[f].normal, b->faces[f].normal));
        CHECK(a->faces[f].offset == b->faces[f].offset);
        CHECK_INT(a->faces[f].count, b->faces[f].count);
    }
    for (int i = 0; i < a->loop_count; ++i) {
        CHECK(same_place(a->vertices[a->loop[i]], b->vertices[b->loop[i]]));
    }
}

static void the_order_of_the_points_does_not_change_the_polyhedron(void) {
    static CnVec3 points[CLOUD_MAX_POINTS];
    CnRandom random = {31};
    for (int c = 0; c < cloud_count; ++c) {
        int count = clouds[c].count;
        cloud_points(&clouds[c], 4, points);
        CnHull* first = hull_of(points, count);
        for (int i = count - 1; i > 0; --i) {
            int k = (int)(cn_random_next(&random) % (uint64_t)(i + 1));
            CnVec3 swap = points[i];
            points[i] = points[k];
            points[k] = swap;
        }
        CnHull* second = hull_of(points, count);
        check_same(first, second);
        cn_hull_free(first, NULL);
        cn_hull_free(second, NULL);
    }
}

static void a_power_of_two_scales_the_hull_without_error(void) {
    static CnVec3 points[CLOUD_MAX_POINTS];
    cloud_points(&clouds[4], 4, points);
    CnHull* first = hull_of(points, clouds[4].count);
    for (int i = 0; i < clouds[4].count; ++i) {
        points[i] = cn_vec3_scale(0x1p-300, points[i]);
    }
    CnHull* small = hull_of(points, clouds[4].count);
    CHECK_INT(first->loop_count, small->loop_count);
    CHECK(memcmp(first->loop, small->loop, (size_t)first->loop_count * sizeof(int)) == 0);
    for (int f = 0; f < first->face_count; ++f) {
        CHECK(same_place(first->faces[f].normal, small->faces[f].normal));
        CHECK(0x1p-300 * first->faces[f].offset == small->faces[f].offset);
    }
    cn_hull_free(first, NULL);
    cn_hull_free(small, NULL);
}

static void a_turned_box_has_the_moments_of_the_textbook(void) {
    // Principal moments V (b^2 + c^2) / 3 in axes turned by q: their sum and each axis's own. The
    // corners are off by some 4 epsilon, the result by some 10 times that and its own 60 roundings.
    const CnVec3 h = {0.5, 1.0, 0.25};
    const double v = 8.0 * h.x * h.y * h.z, tolerance = 100.0 * DBL_EPSILON;
    CnTransform pose = {{0.0, 0.0, 0.0}, cn_quat_from_axis_angle(cn_vec3(1.0, 2.0, 3.0), 0.7)};
    CnVec3 points[800], center;
    double volume, inertia[6];
    box_points(h, pose, points, 800);
    CnHull* hull = hull_of(points, 800);
    cn_hull_moments(hull, &volume, &center, inertia);
    CHECK_NEAR(volume, v, tolerance * v);
    CHECK_NEAR(cn_vec3_length(center), 0.0, tolerance);
    CnVec3 axis = cn_quat_rotate(pose.rotation, cn_vec3(0.0, 1.0, 0.0));
    CnVec3 turned = cn_vec3(inertia[0] * axis.x + inertia[3] * axis.y + inertia[4] * axis.z,
                            inertia[3] * axis.x + inertia[1] * axis.y + inertia[5] * axis.z,
                            inertia[4] * axis.x + inertia[5] * axis.y + inertia[2] * axis.z);
    double own = v * (h.x * h.x + h.z * h.z) / 3.0;
    CHECK_NEAR(cn_vec3_length(cn_vec3_sub(turned, cn_vec3_scale(own, axis))), 0.0, tolerance * v);
    cn_hull_free(hull, NULL);
}

// Points on both sides of z = 0 and on it: the hull is cut by that plane into the hulls of the two
// sides with the outline of the cut, which all of them share.
static CnMassProperties mass_of_hull(const CnVec3* points, int count) {
    CnMassProperties mass = {0};
    CnHull* hull = hull_of(points, count);
    cn_hull_moments(hull, &mass.mass, &mass.center, mass.inertia);
    cn_hull_free(hull, NULL);
    return mass;
}

static void the_halves_of_a_double_pyramid_make_the_whole(void) {
    CnVec3 points[12];
    for (int i = 0; i < 10; ++i) {
        double angle = 0.2 * i * CN_PI;
        points[1 + i] = cn_vec3(2.0 * cn_cos(angle), cn_sin(angle), 0.0);
    }
    points[0] = cn_vec3(0.1, 0.2, 1.5);
    points[11] = cn_vec3(-0.3, 0.1, -0.5);
    CnMassProperties whole = mass_of_hull(points, 12), sum = mass_of_hull(points, 11);
    CnMassProperties lower = mass_of_hull(points + 1, 11);
    cn_mass_properties_add(&sum, &lower);
    // About 40 tetrahedra of size 2: round-off of 60 operations on numbers below 10.
    CHECK_NEAR(sum.mass, whole.mass, 600.0 * DBL_EPSILON);
    CHECK_NEAR(cn_vec3_length(cn_vec3_sub(sum.center, whole.center)), 0.0, 60.0 * DBL_EPSILON);
    for (int i = 0; i < 6; ++i) {
        CHECK_NEAR(sum.inertia[i], whole.inertia[i], 600.0 * DBL_EPSILON);
    }
}

static void the_volume_of_a_cloud_is_what_counting_finds(void) {
    // Of n samples in the cube of 8 m^3 a share p is inside: standard deviation 8 sqrt(p q / n),
    // below 8 * 0.5 / sqrt(n); five of them.
    static CnVec3 points[CLOUD_MAX_POINTS];
    const int samples = 40000;
    CnRandom random = {77};
    CnVec3 center;
    double volume, inertia[6];
    cloud_points(&clouds[0], 2, points);
    CnHull* hull = hull_of(points, 60);
    cn_hull_moments(hull, &volume, &center, inertia);
    int inside = 0;
    for (int i = 0; i < samples; ++i) {
        CnVec3 p = clouds[2].draw(&random); // in the cube
        inside += greatest_height(hull, &p, 1) <= 0.0;
    }
    CHECK_NEAR(8.0 * inside / samples, volume, 5.0 * 4.0 / sqrt(samples));
    cn_hull_free(hull, NULL);
}

static void check_refused(const CnVec3* points, int count, const char* part) {
    CnHull* hull = NULL;
    CnError error = {0};
    CHECK(cn_hull_build(points, count, NULL, &hull, &error) == CN_INVALID);
    CHECK(hull == NULL);
    CHECK_CONTAINS(error.message, "points");
    CHECK_CONTAINS(error.message, part);
}

static void what_has_no_hull_is_refused_with_a_sentence(void) {
    CnVec3 p[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    check_refused(p, 3, "at least 4");
    check_refused(p, 0, "at least 4");
    check_refused(p, -1, "at least 4");
    check_refused(p, CN_HULL_POINT_LIMIT + 1, "at most");
    p[2].y = NAN;
    check_refused(p, 5, "points[2] is not finite");
    p[2].y = INFINITY;
    check_refused(p, 5, "points[2] is not finite");
    p[2].y = 1e101;
    check_refused(p, 5, "1e+101 m");
}

static void flat_straight_and_single_points_are_refused(void) {
    CnVec3 points[100] = {{0}};
    CnRandom random = {8};
    check_refused(points, 100, "the same");
    CnVec3 u = cn_vec3(0.3, -0.7, 0.9), v = cn_vec3(1.1, 0.2, -0.4);
    for (int i = 0; i < 100; ++i) {
        double s = cn_random_between(&random, -1.0, 1.0);
        points[i] = cn_vec3_add(cn_vec3_scale(s, u), cn_vec3(10.0, 20.0, 30.0));
    }
    check_refused(points, 100, "line");
    for (int i = 0; i < 100; ++i) {
        double s = cn_random_between(&random, -1.0, 1.0);
        points[i] = cn_vec3_add_scaled(points[i], s, v);
    }
    check_refused(points, 100, "plane");
}

static void a_refused_allocation_is_reported_and_nothing_leaks(void) {
    static CnVec3 points[CLOUD_MAX_POINTS];
    cloud_points(&clouds[4], 1, points);
    int refused = 0;
    for (CnStatus status = CN_NO_MEMORY; status != CN_OK; ++refused) {
        FailingAllocator state = {.refuse_at = refused + 1};
        CnAllocator allocator = failing_allocator(&state);
        CnHull* hull = NULL;
        CnError error = {0};
        status = cn_hull_build(points, clouds[4].count, &allocator, &hull, &error);
        CHECK(status == CN_OK || status == CN_NO_MEMORY);
        CHECK((hull != NULL) == (status == CN_OK));
        if (status != CN_OK) {
            CHECK_CONTAINS(error.message, "points");
        }
        CHECK_INT(state.live, status == CN_OK ? 1 : 0); // one block for all
        cn_hull_free(hull, &allocator);
        CHECK_INT(state.live, 0);
    }
    CHECK(refused >= 3); // at least scratch memory twice and the hull
}

static void a_sphere_of_as_many_points_as_allowed_is_built(void) {
    const int count = UNDER_SANITIZER ? CN_HULL_POINT_LIMIT / 16 : CN_HULL_POINT_LIMIT;
    CnVec3* points = calloc((size_t)count, sizeof *points);
    CnRandom random = {41};
    for (int i = 0; i < count; ++i) {
        points[i] = clouds[1].draw(&random);
    }
    CnHull* hull = hull_of(points, count);
    CHECK_INT(hull->vertex_count - hull->edge_count + hull->face_count, 2);
    CHECK_INT(hull->vertex_count, count); // all are extreme, hardly any two within 1e-14
    CnVec3 center;
    double volume, inertia[6];
    cn_hull_moments(hull, &volume, &center, inertia);
    // Triangles of area 4 pi / 2n lack caps of height about area / 4 each: 1 - V / V_ball is about
    // 3 pi / n for random points, with a constant below 3.
    CHECK_NEAR(volume, 4.0 * CN_PI / 3.0, 4.0 * CN_PI / 3.0 * 9.0 * CN_PI / count);
    cn_hull_free(hull, NULL);
    free(points);
}

TEST_MAIN("geometry/hull", TEST(hulls_of_clouds_are_convex_polyhedra_that_hold_all_points),
          TEST(a_box_of_many_points_has_six_faces_wherever_it_is),
          TEST(rough_faces_give_valid_polyhedra_at_any_roughness),
          TEST(points_on_a_coarse_grid_give_valid_polyhedra),
          TEST(slivers_of_a_few_grid_steps_give_valid_polyhedra),
          TEST(vertices_keep_the_order_of_the_points),
          TEST(the_order_of_the_points_does_not_change_the_polyhedron),
          TEST(a_power_of_two_scales_the_hull_without_error),
          TEST(a_turned_box_has_the_moments_of_the_textbook),
          TEST(the_halves_of_a_double_pyramid_make_the_whole),
          TEST(the_volume_of_a_cloud_is_what_counting_finds),
          TEST(what_has_no_hull_is_refused_with_a_sentence),
          TEST(flat_straight_and_single_points_are_refused),
          TEST(a_refused_allocation_is_reported_and_nothing_leaks),
          TEST(a_sphere_of_as_many_points_as_allowed_is_built))

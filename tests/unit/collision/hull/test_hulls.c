// test_hulls.c - convex hulls against each other and against boxes.
#include "cairn/random.h"
#include "collision/collide_pairs.h"
#include "collision/hull/hull_hull_plain.h"
#include "collision/hull/manifold.h"
#include "collision/hull/polyhedron_pairs.h"
#include "geometry/hull/hull_search.h"
#include "support/shapes/hull_shapes.h"
#include "support/shapes/random_poses.h"
#include "support/shapes/regimes.h"
#include "support/test.h"

#include <string.h>

#define PAIRS (UNDER_SANITIZER ? 300 : 3000)
#define MOST_POINTS 240

static CnShape random_convex(CnRandom* random) {
    CnVec3 points[16];
    int count = 4 + (int)(cn_random_next(random) % 13);
    for (int i = 0; i < count; ++i) {
        points[i] = random_between(random, -1.0, 1.0);
    }
    return hull_shape(points, count);
}

// A prism of 2 * sides vertices, radius and half height 1 m.
static CnShape prism_of(int sides) {
    CnVec3 points[MOST_POINTS];
    for (int i = 0; i < sides; ++i) {
        double angle = 2.0 * CN_PI * i / sides;
        points[i] = cn_vec3(cos(angle), sin(angle), -1.0);
        points[sides + i] = cn_vec3(cos(angle), sin(angle), 1.0);
    }
    return hull_shape(points, 2 * sides);
}

typedef struct Scene {
    CnShape a, b;
    CnTransform pose_a, pose_b;
} Scene;

static Scene random_scene(CnRandom* random) {
    Scene scene = {.a = random_convex(random), .b = random_convex(random)};
    scene.pose_a = (CnTransform){random_between(random, -1.0, 1.0), random_turn(random)};
    CnVec3 apart = random_between(random, -1.5, 1.5);
    scene.pose_b = (CnTransform){cn_vec3_add(scene.pose_a.position, apart), random_turn(random)};
    return scene;
}

static void release_scene(Scene* scene) {
    hull_shape_free(&scene->a);
    hull_shape_free(&scene->b);
}

static int collide(const Scene* scene, double margin, CnManifoldPoint* points) {
    CnPlacedShape a = {&scene->a, scene->pose_a}, b = {&scene->b, scene->pose_b};
    return cn_collide(a, b, margin, points);
}

// The better way round of the shadows on an axis.
static double separation_along(const Scene* scene, CnVec3 axis) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    const CnShape* shapes[2] = {&scene->a, &scene->b};
    const CnTransform poses[2] = {scene->pose_a, scene->pose_b};
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < shapes[k]->hull->vertex_count; ++i) {
            double at =
                cn_vec3_dot(axis, cn_transform_point(poses[k], shapes[k]->hull->vertices[i]));
            low[k] = fmin(low[k], at);
            high[k] = fmax(high[k], at);
        }
    }
    return fmax(low[1] - high[0], low[0] - high[1]);
}

static CnVec3 edge_of(const CnHull* hull, CnTransform pose, int i) {
    CnVec3 along =
        cn_vec3_sub(hull->vertices[hull->edges[i].to], hull->vertices[hull->edges[i].from]);
    return cn_vec3_normalize(cn_quat_rotate(pose.rotation, along));
}

// Every face normal and every cross product of edges, by projection of every vertex.
static double brute_force(const Scene* scene) {
    const CnHull *a = scene->a.hull, *b = scene->b.hull;
    double best = -INFINITY;
    for (int i = 0; i < a->face_count; ++i) {
        CnVec3 normal = cn_quat_rotate(scene->pose_a.rotation, a->faces[i].normal);
        best = fmax(best, separation_along(scene, normal));
    }
    for (int i = 0; i < b->face_count; ++i) {
        CnVec3 normal = cn_quat_rotate(scene->pose_b.rotation, b->faces[i].normal);
        best = fmax(best, separation_along(scene, normal));
    }
    for (int i = 0; i < a->edge_count; ++i) {
        for (int j = 0; j < b->edge_count; ++j) {
            CnVec3 axis = cn_vec3_cross(edge_of(a, scene->pose_a, i), edge_of(b, scene->pose_b, j));
            if (cn_vec3_length(axis) > CN_PARALLEL_TOLERANCE) {
                best = fmax(best, separation_along(scene, cn_vec3_normalize(axis)));
            }
        }
    }
    return best;
}

// Places below 4 m, axes from edges that may be a milliradian from parallel, faces of hulls whose
// normals carry the round-off of slim triangles.
static const double tolerance = 1e-12; // [m]

// The facets of the Minkowski difference give the depth of an overlap. Of disjoint hulls they tell
// that they are disjoint; a cross product that is no facet may show more, see
// docs/theory/collision/sat.md.
static void depths_of_hulls_agree_with_brute_force(void) {
    CnRandom random = {21};
    int overlapping = 0;
    for (int i = 0; i < PAIRS; ++i) {
        Scene scene = random_scene(&random);
        CnRelativePose seen[2];
        cn_relative_poses(&scene.pose_a, &scene.pose_b, seen);
        CnSatAxes axes;
        CHECK(cn_sat_hulls(scene.a.hull, scene.b.hull, seen, INFINITY, 0.0, &axes));
        double best =
            fmax(axes.face_a.separation, fmax(axes.face_b.separation, axes.edges.separation));
        double most = brute_force(&scene);
        if (most < 0.0) {
            CHECK_NEAR(best, most, tolerance);
            ++overlapping;
        } else {
            CHECK(best > -tolerance && best <= most + tolerance);
        }
        release_scene(&scene);
    }
    CHECK(overlapping > PAIRS / 5 && overlapping < PAIRS * 4 / 5);
}

// Of 8 to 128 points on an ellipsoid, round or flat: 12 faces to more than one block of them.
static CnShape pebble(int points, double thickness, CnRandom* random) {
    CnVec3 corners[MOST_POINTS];
    for (int i = 0; i < points; ++i) {
        CnVec3 p = cn_vec3_normalize(random_within(random, 1.0));
        corners[i] = cn_vec3(p.x, p.y, thickness * p.z);
    }
    return hull_shape(corners, points);
}

// docs/theory/collision/sat.md (2) for every face in turn; the first of equals.
static CnSatAxis every_face(const CnHull* a, const CnHull* b, const CnRelativePose* pose) {
    CnSatAxis best = cn_sat_no_axis;
    for (int i = 0; i < a->face_count; ++i) {
        const CnHullFace* face = &a->faces[i];
        int vertex;
        CnVec3 down = cn_mat3_apply_transposed(&pose->turn, face->normal);
        double separation = cn_vec3_dot(face->normal, pose->offset) - face->offset +
                            cn_hull_lowest(b, down, &vertex);
        if (separation > best.separation) {
            best = (CnSatAxis){face->normal, separation, i, -1};
        }
    }
    return best;
}

// What is left out cannot be best, so no bit hangs on it.
static void the_best_face_is_the_one_that_trying_all_finds(void) {
    CnRandom random = {31};
    int different = 0;
    for (int i = 0; i < PAIRS / 3; ++i) {
        CnShape a = pebble(8 << i % 5, i % 3 ? 1.0 : 0.1, &random);
        CnShape b = pebble(8 << i / 5 % 5, i % 7 ? 1.0 : 0.01, &random);
        CnTransform still = {{0.0, 0.0, 0.0}, cn_quat_identity()};
        CnTransform placed = {random_within(&random, 1.5), random_turn(&random)};
        CnRelativePose seen[2];
        cn_relative_poses(&still, &placed, seen);
        CnSatAxis expected = every_face(a.hull, b.hull, &seen[0]);
        CnSatAxes axes;
        CHECK(cn_sat_hulls(a.hull, b.hull, seen, INFINITY, 0.0, &axes));
        different += axes.face_a.a != expected.a ||
                     memcmp(&axes.face_a.separation, &expected.separation, sizeof(double)) != 0;
        hull_shape_free(&a);
        hull_shape_free(&b);
    }
    CHECK_INT(different, 0);
}

// Directions all over, and near to where two faces are as likely.
static void a_guess_of_the_face_never_changes_which_it_is(void) {
    CnRandom random = {32};
    int wrong = 0, clear = 0;
    for (int i = 0; i < PAIRS; ++i) {
        CnShape shape = pebble(8 + i % 8, 1.0, &random);
        const CnHull* hull = shape.hull;
        const CnHullEdge* edge = &hull->edges[i % hull->edge_count];
        CnVec3 left = hull->faces[edge->left].normal, right = hull->faces[edge->right].normal;
        CnVec3 aside = cn_vec3_scale(i % 3 ? 1e-7 : 0.3, random_within(&random, 1.0));
        CnVec3 d = cn_vec3_normalize(cn_vec3_add(i % 2 ? cn_vec3_add(left, right) : left, aside));
        int face = cn_hull_facing(hull, d);
        for (int k = 0; k < hull->face_count; ++k) {
            wrong += cn_hull_facing_likely(hull, d, k) != face;
        }
        clear += cn_vec3_dot(hull->faces[face].normal, d) > hull->alike + 1e-7;
        hull_shape_free(&shape);
    }
    CHECK_INT(wrong, 0);
    CHECK(clear > PAIRS / 4 && clear < PAIRS * 3 / 4);
}

static bool has_point(const CnManifoldPoint* points, int count, const CnManifoldPoint* wanted) {
    for (int i = 0; i < count; ++i) {
        if (cn_vec3_length(cn_vec3_sub(points[i].point, wanted->point)) <= 10.0 * tolerance &&
            fabs(points[i].gap - wanted->gap) <= 10.0 * tolerance) {
            return true;
        }
    }
    return false;
}

static void the_order_of_the_hulls_only_turns_the_normal(void) {
    CnRandom random = {22};
    for (int i = 0; i < 3 * PAIRS; ++i) {
        Scene scene = random_scene(&random);
        Scene swapped = {scene.b, scene.a, scene.pose_b, scene.pose_a};
        CnManifoldPoint points[CN_MANIFOLD_POINTS], others[CN_MANIFOLD_POINTS];
        int count = collide(&scene, 0.05, points);
        CHECK_INT(collide(&swapped, 0.05, others), count);
        for (int k = 0; k < count; ++k) {
            CHECK(has_point(others, count, &points[k]));
            CHECK_NEAR(cn_vec3_dot(points[k].normal, others[0].normal), -1.0, tolerance);
        }
        release_scene(&scene);
    }
}

static bool are_same(const CnManifoldPoint* a, const CnManifoldPoint* b, int count, double sign) {
    bool same = true;
    for (int k = 0; k < count; ++k) {
        CnVec3 normal = cn_vec3_scale(sign, b[k].normal);
        same &= memcmp(&a[k].point, &b[k].point, sizeof a[k].point) == 0;
        same &= memcmp(&a[k].normal, &normal, sizeof normal) == 0;
        same &= a[k].gap == b[k].gap && a[k].feature == b[k].feature;
    }
    return same;
}

// Placed once and met twice, in either order: to the bit.
static void placed_hulls_meet_as_those_that_are_not(void) {
    CnRandom random = {24};
    int different = 0;
    for (int i = 0; i < PAIRS; ++i) {
        Scene scene = random_scene(&random);
        CnPlacedShape a = {&scene.a, scene.pose_a}, b = {&scene.b, scene.pose_b};
        CnPlacedPolyhedron placed_a, placed_b;
        cn_polyhedron_place(&a, &placed_a);
        cn_polyhedron_place(&b, &placed_b);
        CnManifoldPoint points[CN_MANIFOLD_POINTS], others[CN_MANIFOLD_POINTS];
        int count = cn_collide(a, b, 0.01, points);
        different += cn_collide_polyhedra(&placed_a, &placed_b, 0.01, others) != count;
        different += !are_same(points, others, count, 1.0);
        different += cn_collide_polyhedra(&placed_b, &placed_a, 0.01, others) != count;
        different += !are_same(points, others, count, -1.0);
        release_scene(&scene);
    }
    CHECK_INT(different, 0);
}

typedef struct PlainTally {
    int pairs, touching;
    int counts;      // pairs with another number of points
    int choices;     // pairs with another point
    double worst[3]; // of least gaps and common points, relative to the coordinates; of normals
} PlainTally;

static double least_gap(const CnManifoldPoint* points, int count) {
    double least = HUGE_VAL;
    for (int i = 0; i < count; ++i) {
        least = fmin(least, points[i].gap);
    }
    return least;
}

static void compare_with_plain(CnPlacedShape a, CnPlacedShape b, double size, PlainTally* tally) {
    CnManifoldPoint lanes[CN_MANIFOLD_POINTS], plain[CN_MANIFOLD_POINTS];
    double margin = 0.02 * size;
    int count = cn_collide(a, b, margin, lanes);
    int plain_count = cn_collide_hull_hull_plain(a, b, margin, plain), common = 0;
    ++tally->pairs;
    tally->counts += count != plain_count;
    if (count == 0 || plain_count == 0) {
        return;
    }
    ++tally->touching;
    double scale = size + cn_vec3_length(a.pose.position);
    double gap = fabs(least_gap(lanes, count) - least_gap(plain, plain_count)) / scale;
    double normal = cn_vec3_length(cn_vec3_sub(lanes[0].normal, plain[0].normal));
    tally->worst[0] = fmax(tally->worst[0], gap);
    tally->worst[2] = fmax(tally->worst[2], normal);
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < plain_count; ++k) {
            if (lanes[i].feature == plain[k].feature) {
                CnVec3 apart = cn_vec3_sub(lanes[i].point, plain[k].point);
                tally->worst[1] = fmax(tally->worst[1], cn_vec3_length(apart) / scale);
                ++common;
            }
        }
    }
    tally->choices += common < count;
}

static int kind_of(CnShapeType a, CnShapeType b) {
    int kind = 0;
    while (regime_kinds[kind][0] != a || regime_kinds[kind][1] != b) {
        ++kind;
    }
    return kind;
}

static void the_lanes_find_the_points_of_the_plain_code(void) {
    CnRandom random = {31};
    PlainTally tally = {0};
    regime_start();
    int kinds[2] = {kind_of(CN_SHAPE_CONVEX, CN_SHAPE_CONVEX),
                    kind_of(CN_SHAPE_BOX, CN_SHAPE_CONVEX)};
    for (int i = 0; i < 4 * PAIRS; ++i) {
        KnownPair pair;
        Regime regime = (Regime)(i / 2 % REGIME_COUNT);
        regime_pair(regime, kinds[i % 2], &random, &pair);
        compare_with_plain(pair.a, pair.b, regime_size(&pair), &tally);
        regime_release(&pair);
    }
    CHECK_INT(tally.counts, 0);
    CHECK(tally.touching > PAIRS);
    CHECK(tally.choices <= tally.touching / 1000); // candidates within 1e-7 of as good
    CHECK(tally.worst[0] <= 1e-14);                // some ten products and sums
    CHECK(tally.worst[1] <= 1e-13);                // and a division by the sine between two sides
    CHECK(tally.worst[2] <= 1e-14);
}

// A cube given by its corners is a box: the same points as the closed form gives, but for equals
// among more than four.
static void a_cube_of_points_touches_like_a_box(void) {
    CnRandom random = {23};
    int met = 0, different = 0;
    CnVec3 corners[8];
    for (int i = 0; i < 8; ++i) {
        corners[i] = cn_vec3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5);
    }
    CnShape cube = hull_shape(corners, 8);
    CnShape box = {.type = CN_SHAPE_BOX, .half_size = {0.5, 0.5, 0.5}, .extent = 0.5 * sqrt(3.0)};
    CHECK_INT(cube.hull->face_count, 6);
    for (int i = 0; i < 3 * PAIRS; ++i) {
        CnTransform pose = {random_between(&random, -0.9, 0.9), random_turn(&random)};
        CnPlacedShape still = {&box, {{0.0, 0.0, 0.0}, random_turn(&random)}};
        CnPlacedShape as_box = {&box, pose}, as_hull = {&cube, pose};
        CnManifoldPoint points[CN_MANIFOLD_POINTS], others[CN_MANIFOLD_POINTS];
        int count = cn_collide(still, as_box, 0.05, points);
        CHECK_INT(cn_collide(still, as_hull, 0.05, others), count);
        int same = 0;
        for (int k = 0; k < count; ++k) {
            same += has_point(others, count, &points[k]);
        }
        met += count > 0;
        different += same < count;
        CHECK(same == count || count == CN_MANIFOLD_POINTS);
    }
    CHECK(different < met / 100);
    hull_shape_free(&cube);
}

// Faces of 100 corners are thinned to 32 and cut each other in up to 64. The four points left are
// exact in height and span what four points of a circle can, 2 m^2, but for thinning: 5 %.
static void prisms_of_100_sides_stand_on_each_other(void) {
    CnQuat yaw = cn_quat_from_axis_angle(cn_vec3(0.0, 0.0, 1.0), 0.123);
    Scene scene = {.a = prism_of(100),
                   .b = prism_of(100),
                   .pose_a = {{0.0, 0.0, 0.0}, cn_quat_identity()},
                   .pose_b = {{0.0, 0.0, 2.0 - 0x1p-6}, yaw}};
    CnManifoldPoint p[CN_MANIFOLD_POINTS];
    CHECK_INT(collide(&scene, 1e-3, p), 4);
    double area = 0.0;
    for (int i = 0; i < 4; ++i) {
        CnVec3 here = p[i].point, next = p[(i + 1) % 4].point;
        CHECK_NEAR(p[i].gap, -0x1p-6, 1e-15);
        CHECK_NEAR(p[i].normal.z, 1.0, 1e-15);
        area += 0.5 * (here.x * next.y - next.x * here.y);
    }
    CHECK(fabs(area) > 1.9);
    release_scene(&scene);
}

// The same prism on the ground: 100 vertices in touch, more than are held at a time.
static void a_prism_of_100_sides_stands_on_the_ground(void) {
    CnShape prism = prism_of(100), plane = {.type = CN_SHAPE_PLANE, .normal = {0.0, 0.0, 1.0}};
    CnPlacedShape ground = {&plane, {{0.0, 0.0, 0.0}, cn_quat_identity()}};
    CnPlacedShape standing = {&prism, {{0.0, 0.0, 1.0}, cn_quat_identity()}};
    CnManifoldPoint p[CN_MANIFOLD_POINTS];
    CHECK_INT(cn_collide(ground, standing, 1e-3, p), 4);
    CnVec3 middle = cn_vec3(0.0, 0.0, 0.0);
    for (int i = 0; i < 4; ++i) {
        CHECK(p[i].gap == 0.0);
        middle = cn_vec3_add_scaled(middle, 0.25, p[i].point);
    }
    CHECK(cn_vec3_length(middle) < 0.1); // all round, or the prism would fall over
    hull_shape_free(&prism);
}

TEST_MAIN("unit/collision/hull/hulls", TEST(depths_of_hulls_agree_with_brute_force),
          TEST(the_best_face_is_the_one_that_trying_all_finds),
          TEST(a_guess_of_the_face_never_changes_which_it_is),
          TEST(the_order_of_the_hulls_only_turns_the_normal),
          TEST(placed_hulls_meet_as_those_that_are_not), TEST(a_cube_of_points_touches_like_a_box),
          TEST(the_lanes_find_the_points_of_the_plain_code),
          TEST(prisms_of_100_sides_stand_on_each_other),
          TEST(a_prism_of_100_sides_stands_on_the_ground))

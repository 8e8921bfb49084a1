// test_polyhedra.c - contact points of boxes and half spaces: known answers and symmetries.
#include "cairn/random.h"
#include "collision/collide_pairs.h"
#include "collision/convex/pair_order.h"
#include "collision/hull/manifold.h"
#include "collision/hull/nearest_edges.h"
#include "collision/hull/reduce.h"
#include "support/shapes/random_poses.h"
#include "support/test.h"

#define PAIRS (UNDER_SANITIZER ? 5000 : 50000)

static CnShape box_of(double x, double y, double z) { // full edges [m]
    CnVec3 half = cn_vec3(0.5 * x, 0.5 * y, 0.5 * z);
    return (CnShape){.type = CN_SHAPE_BOX, .half_size = half, .extent = cn_vec3_length(half)};
}

static CnShape ground(void) {
    return (CnShape){.type = CN_SHAPE_PLANE, .normal = {0.0, 0.0, 1.0}};
}

static CnTransform at(double x, double y, double z) {
    return (CnTransform){{x, y, z}, {1.0, 0.0, 0.0, 0.0}};
}

static CnTransform turned(CnTransform pose, CnVec3 axis, double angle) {
    pose.rotation = cn_quat_multiply(cn_quat_from_axis_angle(axis, angle), pose.rotation);
    return pose;
}

static CnPlacedShape placed(const CnShape* shape, CnTransform pose) {
    return (CnPlacedShape){shape, pose};
}

typedef struct Scene {
    CnShape a, b;
    CnTransform pose_a, pose_b;
} Scene;

// Boxes of 0.2 to 2 m, some nested, most near enough to touch.
static Scene random_scene(CnRandom* random) {
    CnVec3 size_a = random_between(random, 0.2, 2.0), size_b = random_between(random, 0.2, 2.0);
    Scene scene = {
        .a = box_of(size_a.x, size_a.y, size_a.z),
        .b = box_of(size_b.x, size_b.y, size_b.z),
        .pose_a = {random_between(random, -1.0, 1.0), random_turn(random)},
        .pose_b = {{0.0, 0.0, 0.0}, random_turn(random)},
    };
    double nearness = cn_random_between(random, 0.0, 1.5);
    CnVec3 apart = cn_vec3_scale(nearness, random_between(random, -1.0, 1.0));
    scene.pose_b.position = cn_vec3_add(scene.pose_a.position, apart);
    return scene;
}

static int collide(const Scene* scene, double margin, CnManifoldPoint* points) {
    return cn_collide(placed(&scene->a, scene->pose_a), placed(&scene->b, scene->pose_b), margin,
                      points);
}

static void check_vector(CnVec3 value, CnVec3 expected, double tolerance) {
    CHECK_NEAR(value.x, expected.x, tolerance);
    CHECK_NEAR(value.y, expected.y, tolerance);
    CHECK_NEAR(value.z, expected.z, tolerance);
}

// One of the points is the given one, to within tolerance.
static bool has_point(const CnManifoldPoint* points, int count, CnVec3 point, double gap,
                      double tolerance) {
    for (int i = 0; i < count; ++i) {
        if (cn_vec3_length(cn_vec3_sub(points[i].point, point)) <= tolerance &&
            fabs(points[i].gap - gap) <= tolerance) {
            return true;
        }
    }
    return false;
}

// Half spaces

// Sunk by 2^-6 m: corners at +-1/2, halfway up the overlap. All numbers are exact in binary.
static void a_cube_on_the_ground_touches_with_four_corners(void) {
    CnShape cube = box_of(1.0, 1.0, 1.0), plane = ground();
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    double depth = 0x1p-6;
    CHECK_INT(
        cn_collide(placed(&plane, at(0, 0, 0)), placed(&cube, at(0, 0, 0.5 - depth)), 0.0, points),
        4);
    for (int i = 0; i < 4; ++i) {
        check_vector(points[i].normal, cn_vec3(0.0, 0.0, 1.0), 0.0);
        CHECK(points[i].gap == -depth);
        CHECK_INT(points[i].feature, i); // the lower vertices of a box come first
        CnVec3 corner = cn_vec3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, -0.5 * depth);
        check_vector(points[i].point, corner, 0.0);
    }
}

// A cube on its corner: (1, 1, 1) down, sqrt(3)/2 below the centre.
static void a_cube_on_its_corner_touches_with_one(void) {
    CnShape cube = box_of(1.0, 1.0, 1.0), plane = ground();
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    CnVec3 axis = cn_vec3(-1.0, 1.0, 0.0); // turns (1, 1, 1) down
    double angle = CN_PI / 2.0 + atan(1.0 / sqrt(2.0));
    CnTransform pose = turned(at(0.0, 0.0, 0.5 * sqrt(3.0) + 1e-4), axis, angle);
    CHECK_INT(cn_collide(placed(&plane, at(0, 0, 0)), placed(&cube, pose), 1e-3, points), 1);
    CHECK_NEAR(points[0].gap, 1e-4, 1e-15);
    CHECK_INT(points[0].feature, 7);
    check_vector(points[0].point, cn_vec3(0.0, 0.0, 5e-5), 1e-15);
}

// Box on box: faces

// Unit cubes, B shifted by (1/4, 1/8) and sunk by 2^-6: the overlap is [-1/4, 1/2] x [-3/8, 1/2].
static void a_cube_on_a_cube_touches_at_the_corners_of_the_overlap(void) {
    CnShape cube = box_of(1.0, 1.0, 1.0);
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    double depth = 0x1p-6, z = 0.5 - 0.5 * depth;
    CnTransform top = at(0.25, 0.125, 1.0 - depth);
    CHECK_INT(cn_collide(placed(&cube, at(0, 0, 0)), placed(&cube, top), 0.0, points), 4);
    CHECK(has_point(points, 4, cn_vec3(-0.25, -0.375, z), -depth, 1e-15));
    CHECK(has_point(points, 4, cn_vec3(0.5, -0.375, z), -depth, 1e-15));
    CHECK(has_point(points, 4, cn_vec3(-0.25, 0.5, z), -depth, 1e-15));
    CHECK(has_point(points, 4, cn_vec3(0.5, 0.5, z), -depth, 1e-15));
    for (int i = 0; i < 4; ++i) {
        check_vector(points[i].normal, cn_vec3(0.0, 0.0, 1.0), 0.0);
        CHECK(points[i].gap == -depth);
    }
}

static void gaps_up_to_the_margin_are_reported_as_they_are(void) {
    CnShape cube = box_of(1.0, 1.0, 1.0);
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    CnTransform top = at(0.25, 0.125, 1.0 + 0x1p-6);
    CHECK_INT(cn_collide(placed(&cube, at(0, 0, 0)), placed(&cube, top), 0x1p-6, points), 4);
    for (int i = 0; i < 4; ++i) {
        CHECK(points[i].gap == 0x1p-6);
        CHECK(points[i].point.z == 0.5 + 0x1p-7);
    }
    CHECK_INT(cn_collide(placed(&cube, at(0, 0, 0)), placed(&cube, top), 0.015, points), 0);
}

// A small box leans on a large one by 0.05 rad, lowest edge 1 mm above: two points there, two at
// the other end, sin(0.05) higher.
static void a_leaning_box_keeps_its_far_corners_while_they_are_near(void) {
    CnShape large = box_of(4.0, 4.0, 1.0), small = box_of(1.0, 1.0, 1.0);
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    double lean = 0.05, low = 0.5 * (cos(lean) + sin(lean));
    CnTransform pose = turned(at(0.0, 0.0, 0.5 + low + 1e-3), cn_vec3(0.0, 1.0, 0.0), lean);
    CHECK_INT(cn_collide(placed(&large, at(0, 0, 0)), placed(&small, pose), 0.1, points), 4);
    int near = 0;
    for (int i = 0; i < 4; ++i) {
        near += fabs(points[i].gap - 1e-3) < 1e-14;
        CHECK(fabs(points[i].gap - 1e-3) < 1e-14 || fabs(points[i].gap - 1e-3 - sin(lean)) < 1e-14);
    }
    CHECK_INT(near, 2);
    CHECK_INT(cn_collide(placed(&large, at(0, 0, 0)), placed(&small, pose), 0.01, points), 2);
}

// Edges

// A cube turned by 45 degrees about y carries one turned about x: the edges cross over the centre,
// 1/sqrt(2) from each.
static void crossed_edges_touch_in_one_point(void) {
    CnShape cube = box_of(1.0, 1.0, 1.0);
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    CnTransform low = turned(at(0, 0, 0), cn_vec3(0.0, 1.0, 0.0), CN_PI / 4.0);
    CnTransform high = turned(at(0.1, 0.2, sqrt(2.0) - 0.01), cn_vec3(1.0, 0.0, 0.0), CN_PI / 4.0);
    CHECK_INT(cn_collide(placed(&cube, low), placed(&cube, high), 0.0, points), 1);
    CHECK_NEAR(points[0].gap, -0.01, 1e-15);
    check_vector(points[0].normal, cn_vec3(0.0, 0.0, 1.0), 1e-15);
    check_vector(points[0].point, cn_vec3(0.0, 0.2, sqrt(0.5) - 0.005), 1e-15);
}

// Symmetries

// Numbers below 4 m through some dozens of operations; cut points divide by sines that are rarely
// below 1e-3.
static const double tolerance = 1e-12;

static void check_same_points(const CnManifoldPoint* points, int count,
                              const CnManifoldPoint* others, int other_count, CnTransform move,
                              double normal_sign) {
    CHECK_INT(other_count, count);
    for (int i = 0; i < count; ++i) {
        CnVec3 point = cn_transform_point(move, points[i].point);
        CnVec3 normal = cn_quat_rotate(move.rotation, points[i].normal);
        CHECK(has_point(others, other_count, point, points[i].gap, tolerance));
        check_vector(others[0].normal, cn_vec3_scale(normal_sign, normal), tolerance);
    }
}

static void the_order_of_the_boxes_only_turns_the_normal(void) {
    CnRandom random = {11};
    int met = 0;
    for (int i = 0; i < PAIRS; ++i) {
        Scene scene = random_scene(&random);
        Scene swapped = {scene.b, scene.a, scene.pose_b, scene.pose_a};
        CnManifoldPoint points[CN_MANIFOLD_POINTS], others[CN_MANIFOLD_POINTS];
        int count = collide(&scene, 0.05, points);
        check_same_points(points, count, others, collide(&swapped, 0.05, others), at(0, 0, 0),
                          -1.0);
        met += count > 0;
    }
    CHECK(met > PAIRS / 4);
}

static void points_move_and_turn_with_the_scene(void) {
    CnRandom random = {12};
    for (int i = 0; i < PAIRS; ++i) {
        Scene scene = random_scene(&random), moved = scene;
        CnTransform move = {random_between(&random, -2.0, 2.0), random_turn(&random)};
        CnManifoldPoint points[CN_MANIFOLD_POINTS], others[CN_MANIFOLD_POINTS];
        moved.pose_a = (CnTransform){cn_transform_point(move, scene.pose_a.position),
                                     cn_quat_multiply(move.rotation, scene.pose_a.rotation)};
        moved.pose_b = (CnTransform){cn_transform_point(move, scene.pose_b.position),
                                     cn_quat_multiply(move.rotation, scene.pose_b.rotation)};
        int count = collide(&scene, 0.05, points);
        check_same_points(points, count, others, collide(&moved, 0.05, others), move, 1.0);
    }
}

// Of four points in convex position, seen along their normal: the diagonals are the pair of lines
// that span most.
static double area_of(const CnManifoldPoint points[4]) {
    double most = 0.0;
    for (int i = 1; i < 4; ++i) {
        CnVec3 one = cn_vec3_sub(points[i].point, points[0].point);
        CnVec3 other = cn_vec3_sub(points[1 + i % 3].point, points[1 + (i + 1) % 3].point);
        double area = 0.5 * fabs(cn_vec3_dot(cn_vec3_cross(one, other), points[0].normal));
        most = fmax(most, area);
    }
    return most;
}

static bool are_same(const CnManifoldPoint* points, const CnManifoldPoint* others, int count) {
    int same = 0;
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < count; ++k) {
            same += points[i].feature == others[k].feature &&
                    has_point(&others[k], 1, points[i].point, points[i].gap, tolerance);
        }
    }
    return same == count;
}

// The same points, named alike, in any order. Of more than four, equals are chosen by order: sides
// of parallelograms are parallel, so that triangles over one of them are equal to the last bit.
// That happens in less than 1 of 100 contacts, and the four span about as much then.
static void boxes_as_hulls_touch_like_boxes(void) {
    CnRandom random = {13};
    int met = 0, different = 0, worse = 0;
    for (int i = 0; i < PAIRS; ++i) {
        Scene scene = random_scene(&random);
        CnPlacedShape a = placed(&scene.a, scene.pose_a), b = placed(&scene.b, scene.pose_b);
        CnManifoldPoint points[CN_MANIFOLD_POINTS], others[CN_MANIFOLD_POINTS];
        bool reversed = cn_pair_is_reversed(a, b);
        CnPlacedShape first = reversed ? b : a, second = reversed ? a : b;
        int count = cn_collide(first, second, 0.05, points);
        CHECK_INT(cn_collide_polyhedron_polyhedron(first, second, 0.05, others), count);
        met += count > 0;
        if (count > 0) {
            check_vector(points[0].normal, others[0].normal, tolerance);
        }
        if (!are_same(points, others, count)) {
            ++different;
            CHECK_INT(count, CN_MANIFOLD_POINTS);
            worse += area_of(points) < 0.9 * area_of(others);
        }
    }
    CHECK(different < met / 100);
    CHECK(worse <= different / 10);
}

// Depth

// Moved along the normal by the depth of the axis the points were made on, boxes part: they overlap
// by no more than round-off, along the best axis of all.
static void moving_by_the_depth_parts_overlapping_boxes(void) {
    CnRandom random = {14};
    for (int i = 0; i < PAIRS; ++i) {
        Scene scene = random_scene(&random);
        CnRelativePose seen[2];
        cn_relative_poses(&scene.pose_a, &scene.pose_b, seen);
        CnSatAxes axes;
        CnBoxHull storage[2];
        const CnHull* a = cn_box_hull(scene.a.half_size, &storage[0]);
        const CnHull* b = cn_box_hull(scene.b.half_size, &storage[1]);
        if (!cn_sat_hulls(a, b, seen, 0.0, 0.0, &axes)) {
            continue;
        }
        const CnSatAxis* axis = cn_manifold_axis(&axes, fmin(scene.a.extent, scene.b.extent));
        CnVec3 normal = cn_quat_rotate(scene.pose_a.rotation, axis->normal);
        scene.pose_b.position =
            cn_vec3_add_scaled(scene.pose_b.position, -axis->separation, normal);
        cn_relative_poses(&scene.pose_a, &scene.pose_b, seen);
        CHECK(cn_sat_hulls(a, b, seen, INFINITY, 0.0, &axes));
        CHECK(fmax(axes.face_a.separation, fmax(axes.face_b.separation, axes.edges.separation)) >=
              -tolerance);
    }
}

// Distance

static double outside(double x, double half) {
    return fmax(fabs(x) - half, 0.0);
}

static double distance_to_box(const CnShape* box, CnTransform pose, CnVec3 point) {
    CnVec3 local = cn_quat_unrotate(pose.rotation, cn_vec3_sub(point, pose.position));
    return cn_vec3_length(cn_vec3(outside(local.x, box->half_size.x),
                                  outside(local.y, box->half_size.y),
                                  outside(local.z, box->half_size.z)));
}

static CnSegment world_edge(const CnHull* hull, int edge, CnTransform pose) {
    CnSegment local = cn_hull_edge(hull, edge, NULL);
    return (CnSegment){cn_transform_point(pose, local.start), cn_transform_point(pose, local.end)};
}

// Of two disjoint boxes: every vertex to the other box, every edge to every edge.
static double true_distance(const Scene* scene) {
    CnBoxHull storage[2];
    const CnHull* a = cn_box_hull(scene->a.half_size, &storage[0]);
    const CnHull* b = cn_box_hull(scene->b.half_size, &storage[1]);
    double best = INFINITY;
    for (int i = 0; i < 8; ++i) {
        CnVec3 of_a = cn_transform_point(scene->pose_a, a->vertices[i]);
        CnVec3 of_b = cn_transform_point(scene->pose_b, b->vertices[i]);
        best = fmin(best, distance_to_box(&scene->b, scene->pose_b, of_a));
        best = fmin(best, distance_to_box(&scene->a, scene->pose_a, of_b));
    }
    for (int i = 0; i < 144; ++i) {
        CnNearest nearest = cn_closest_segments(world_edge(a, i / 12, scene->pose_a),
                                                world_edge(b, i % 12, scene->pose_b));
        best = fmin(best, nearest.distance);
    }
    return best;
}

static bool are_disjoint(const Scene* scene) {
    CnRelativePose seen[2];
    CnBoxHull storage[2];
    CnSatAxes axes;
    cn_relative_poses(&scene->pose_a, &scene->pose_b, seen);
    return !cn_sat_hulls(cn_box_hull(scene->a.half_size, &storage[0]),
                         cn_box_hull(scene->b.half_size, &storage[1]), seen, 0.0, 0.0, &axes);
}

// There are points exactly when the distance is within the margin. The least gap is the distance,
// to within CN_TIE_TOLERANCE of the size; to round-off in nearly all cases.
static void disjoint_boxes_touch_when_their_distance_is_within_the_margin(void) {
    CnRandom random = {17};
    const double margin = 0.3;
    int exact = 0, met = 0;
    for (int i = 0; i < PAIRS; ++i) {
        Scene scene = random_scene(&random);
        CnManifoldPoint points[CN_MANIFOLD_POINTS];
        if (!are_disjoint(&scene)) {
            continue;
        }
        double distance = true_distance(&scene);
        double size = fmin(scene.a.extent, scene.b.extent);
        int count = collide(&scene, margin, points);
        CHECK_INT(count > 0, distance <= margin);
        if (count == 0) {
            continue;
        }
        double gap = INFINITY;
        for (int k = 0; k < count; ++k) {
            gap = fmin(gap, points[k].gap);
        }
        CHECK_NEAR(gap, distance, CN_TIE_TOLERANCE * size);
        exact += fabs(gap - distance) < tolerance;
        ++met;
    }
    CHECK(met > PAIRS / 50);
    CHECK(exact > met * 99 / 100);
}

// Unit cubes apart by (0.03, 0.04, 0) beyond touching: parallel edges 0.05 m apart, though the best
// axis says 0.04; and by 0.03 more along z, two corners sqrt(0.0034) apart.
static void corners_and_parallel_edges_are_as_far_apart_as_they_are(void) {
    CnShape cube = box_of(1.0, 1.0, 1.0);
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    CnTransform beside = at(1.03, 1.04, 0.0), corner = at(1.03, 1.04, 1.03);
    CHECK_INT(cn_collide(placed(&cube, at(0, 0, 0)), placed(&cube, beside), 0.1, points), 1);
    CHECK_NEAR(points[0].gap, 0.05, 1e-15);
    check_vector(points[0].normal, cn_vec3(0.6, 0.8, 0.0), 1e-14);
    CHECK_INT(cn_collide(placed(&cube, at(0, 0, 0)), placed(&cube, beside), 0.045, points), 0);
    CHECK_INT(cn_collide(placed(&cube, at(0, 0, 0)), placed(&cube, corner), 0.1, points), 1);
    CHECK_NEAR(points[0].gap, sqrt(0.0034), 1e-15);
    check_vector(points[0].point, cn_vec3(0.515, 0.52, 0.515), 1e-15);
}

// Keys

static void check_keys_stay(Scene scene, CnVec3 step, double yaw, int steps) {
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    uint32_t keys[CN_MANIFOLD_POINTS];
    for (int i = 0; i < steps; ++i) {
        CHECK_INT(collide(&scene, 1e-3, points), 4);
        for (int k = 0; k < CN_MANIFOLD_POINTS; ++k) {
            keys[k] = i == 0 ? points[k].feature : keys[k];
            CHECK_INT(points[k].feature, keys[k]);
            for (int other = 0; other < k; ++other) {
                CHECK(points[other].feature != points[k].feature);
            }
        }
        scene.pose_b.position = cn_vec3_add(scene.pose_b.position, step);
        scene.pose_b = turned(scene.pose_b, cn_vec3(0.0, 0.0, 1.0), yaw);
    }
}

// A cube wanders over a table by 0.5 m and 0.5 rad; and over an edge of it, where two of its
// corners are crossings of sides.
static void keys_stay_while_a_box_slides_and_turns(void) {
    Scene scene = {box_of(4.0, 4.0, 1.0), box_of(1.0, 1.0, 1.0), at(0, 0, 0), at(0, 0, 1.0)};
    check_keys_stay(scene, cn_vec3(5e-4, 3e-4, 0.0), 5e-4, 1000);
    scene.pose_b = at(2.0, 0.0, 1.0);
    check_keys_stay(scene, cn_vec3(2e-4, 3e-4, 0.0), 2e-4, 1000);
}

// Equal cubes, corner over corner, nudged by what a resting body creeps: the reference may change,
// the keys may not.
static void keys_stay_while_equal_boxes_creep(void) {
    Scene scene = {box_of(1.0, 1.0, 1.0), box_of(1.0, 1.0, 1.0), at(0, 0, 0), at(0, 0, 1.0)};
    const double creep = 1e-11; // [m], [rad]
    for (int i = 0; i < 8; ++i) {
        CnVec3 step =
            cn_vec3(i & 1 ? creep : -creep, i & 2 ? creep : -creep, i & 4 ? creep : -creep);
        check_keys_stay(scene, step, i & 1 ? creep : -creep, 1000);
    }
}

static void keys_stay_through_random_tilts_of_a_billionth(void) {
    CnRandom random = {15};
    Scene scene = {box_of(1.0, 1.0, 1.0), box_of(1.0, 1.0, 1.0), at(0, 0, 0), at(0, 0, 1.0)};
    CnManifoldPoint first[CN_MANIFOLD_POINTS], points[CN_MANIFOLD_POINTS];
    CHECK_INT(collide(&scene, 1e-3, first), 4);
    for (int i = 0; i < 10000; ++i) {
        CnVec3 tilt = random_between(&random, -1e-9, 1e-9);
        scene.pose_b = (CnTransform){random_between(&random, -1e-9, 1e-9), cn_quat_exp(tilt)};
        scene.pose_b.position.z += 1.0;
        CHECK_INT(collide(&scene, 1e-3, points), 4);
        for (int k = 0; k < 4; ++k) {
            CHECK_INT(points[k].feature, first[k].feature);
        }
    }
}

// Hard cases

static void check_sane(const Scene* scene, double margin) {
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    int count = collide(scene, margin, points);
    CHECK(count >= 0 && count <= CN_MANIFOLD_POINTS);
    for (int i = 0; i < count; ++i) {
        CHECK(cn_vec3_is_finite(points[i].point) && isfinite(points[i].gap));
        CHECK_NEAR(cn_vec3_length(points[i].normal), 1.0, 1e-14);
        CHECK(points[i].gap <= margin);
    }
}

// Coincident cubes: every axis has 1 m to go; the first is taken, with the four corners of a face.
static void coincident_boxes_part_by_a_full_edge(void) {
    Scene scene = {box_of(1.0, 1.0, 1.0), box_of(1.0, 1.0, 1.0), at(0, 0, 0), at(0, 0, 0)};
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    CHECK_INT(collide(&scene, 0.0, points), 4);
    for (int i = 0; i < 4; ++i) {
        CHECK(points[i].gap == -1.0);
    }
}

// A cube of 0.5 m in the middle of one of 2 m must travel 1 + 0.25 m to get out.
static void a_box_inside_another_leaves_by_the_shortest_way(void) {
    Scene scene = {box_of(2.0, 2.0, 2.0), box_of(0.5, 0.5, 0.5), at(0, 0, 0), at(0, 0.1, 0)};
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    CHECK_INT(collide(&scene, 0.0, points), 4);
    for (int i = 0; i < 4; ++i) {
        CHECK_NEAR(points[i].gap, -1.15, 1e-15);
        check_vector(points[i].normal, cn_vec3(0.0, 1.0, 0.0), 0.0);
    }
}

// From a millimetre to a kilometre, needles and plates, turned by nothing, a hair or at will, a
// million metres out.
static void no_size_or_place_gives_nonsense(void) {
    CnRandom random = {16};
    for (int i = 0; i < PAIRS; ++i) {
        double size[6];
        for (int k = 0; k < 6; ++k) {
            size[k] = pow(10.0, cn_random_between(&random, -3.0, 3.0));
        }
        Scene scene = {box_of(size[0], size[1], size[2]), box_of(size[3], size[4], size[5]),
                       at(0, 0, 0), at(0, 0, 0)};
        double reach = scene.a.extent + scene.b.extent;
        double turn = i % 3 == 0 ? 0.0 : i % 3 == 1 ? 1e-9 : 2.0;
        CnVec3 far = i % 2 ? cn_vec3(1e6, -1e6, 1e6) : cn_vec3(0.0, 0.0, 0.0);
        CnVec3 apart = cn_vec3_scale(reach, random_between(&random, -0.6, 0.6));
        scene.pose_a = (CnTransform){far, cn_quat_exp(random_between(&random, -turn, turn))};
        scene.pose_b = (CnTransform){cn_vec3_add(far, apart),
                                     cn_quat_exp(random_between(&random, -turn, turn))};
        check_sane(&scene, 1e-3);
    }
}

static void poses_that_are_not_finite_give_no_points(void) {
    Scene scene = {box_of(1.0, 1.0, 1.0), box_of(1.0, 1.0, 1.0), at(0, 0, 0), at(NAN, 0, 0)};
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    CHECK_INT(collide(&scene, 1.0, points), 0);
    scene.pose_b = (CnTransform){{0.0, 0.0, 1.0}, {NAN, 0.0, 0.0, 0.0}};
    CHECK_INT(collide(&scene, 1.0, points), 0);
}

TEST_MAIN("unit/collision/hull/polyhedra", TEST(a_cube_on_the_ground_touches_with_four_corners),
          TEST(a_cube_on_its_corner_touches_with_one),
          TEST(a_cube_on_a_cube_touches_at_the_corners_of_the_overlap),
          TEST(gaps_up_to_the_margin_are_reported_as_they_are),
          TEST(a_leaning_box_keeps_its_far_corners_while_they_are_near),
          TEST(crossed_edges_touch_in_one_point),
          TEST(the_order_of_the_boxes_only_turns_the_normal),
          TEST(points_move_and_turn_with_the_scene), TEST(boxes_as_hulls_touch_like_boxes),
          TEST(moving_by_the_depth_parts_overlapping_boxes),
          TEST(disjoint_boxes_touch_when_their_distance_is_within_the_margin),
          TEST(corners_and_parallel_edges_are_as_far_apart_as_they_are),
          TEST(keys_stay_while_a_box_slides_and_turns), TEST(keys_stay_while_equal_boxes_creep),
          TEST(keys_stay_through_random_tilts_of_a_billionth),
          TEST(coincident_boxes_part_by_a_full_edge),
          TEST(a_box_inside_another_leaves_by_the_shortest_way),
          TEST(no_size_or_place_gives_nonsense), TEST(poses_that_are_not_finite_give_no_points))

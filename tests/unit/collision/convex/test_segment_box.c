// test_segment_box.c - nearest points of a box and a segment, in closed form, against GJK.
#include "cairn/random.h"
#include "collision/collide_pairs.h"
#include "collision/convex/gjk.h"
#include "collision/convex/segment_box.h"
#include "support/test.h"

#include <string.h>

#define PAIRS 20000
#define LEAST 1e-3 // [m]

static CnVec3 random_vector(CnRandom* random, double most) {
    double x = cn_random_between(random, -most, most);
    double y = cn_random_between(random, -most, most);
    return cn_vec3(x, y, cn_random_between(random, -most, most));
}

// A capsule along z, placed so that its segment is the given one; every third segment is along an
// axis of the box, where nearest points are not unique.
static CnCorePair random_pair(CnRandom* random, int i, const CnShape* box, CnShape* capsule) {
    CnVec3 turn =
        i % 3 == 0 ? cn_vec3(i % 2 == 0 ? 0.5 * CN_PI : 0.0, 0.0, 0.0) : random_vector(random, 2.0);
    capsule->half_length = cn_random_between(random, 0.0, 1.5);
    CnPlacedShape a = {box, {{0.0, 0.0, 0.0}, {.w = 1.0}}};
    CnPlacedShape b = {capsule, {random_vector(random, 2.0), cn_quat_exp(turn)}};
    return cn_core_pair(a, b);
}

// GJK knows distances to 1e-12 of its square, relative to the sizes: 1e-6 of 4 m would be the worst
// at touching; at LEAST and more it is 1e-9. Both points are on their shapes, and the normal
// separates the two by the distance, which proves it.
static void distances_are_those_of_gjk(void) {
    CnShape box = {.type = CN_SHAPE_BOX, .half_size = {0.4, 0.7, 1.0}, .extent = 1.3};
    CnShape capsule = {.type = CN_SHAPE_CAPSULE, .radius = 0.1, .extent = 1.6};
    CnRandom random = {5};
    int apart = 0;
    for (int i = 0; i < PAIRS; ++i) {
        CnCorePair pair = random_pair(&random, i, &box, &capsule);
        CnVec3 axis = cn_vec3_scale(capsule.half_length,
                                    cn_mat3_apply(&pair.rotation, cn_vec3(0.0, 0.0, 1.0)));
        CnSegment segment = {cn_vec3_sub(pair.offset, axis), cn_vec3_add(pair.offset, axis)};
        CnNearest nearest = cn_segment_box_nearest(box.half_size, segment);
        bool is_apart = nearest.distance > LEAST;
        CnGjk gjk = cn_gjk(&pair, 1e-12);
        double distance = gjk.end == CN_GJK_OVERLAP ? 0.0 : gjk.nearest.distance;
        CHECK(is_apart == (distance > LEAST) || fabs(distance - LEAST) < 1e-9);
        if (is_apart) {
            CnVec3 across = cn_vec3_sub(nearest.point_b, nearest.point_a);
            CHECK_NEAR(nearest.distance, distance, 1e-9);
            CHECK_NEAR(cn_vec3_length(across), nearest.distance, 1e-15);
            CHECK_NEAR(cn_core_separation(&pair, nearest.normal), nearest.distance, 1e-13);
            ++apart;
        }
    }
    CHECK(apart > PAIRS / 2);
}

// The other components are exactly 0, so that contacts of a flat face have its normal to the bit.
static void the_normal_over_a_face_is_that_of_the_face(void) {
    CnSegment lying = {{-0.3, 0.1, 1.25}, {0.2, 0.3, 1.25}}, leaning = {{0.1, 0.2, 1.5}, {5, 5, 9}};
    CnVec3 half = cn_vec3(1.0, 1.0, 1.0);
    CnNearest nearest = cn_segment_box_nearest(half, lying);
    CHECK(nearest.normal.x == 0.0 && nearest.normal.y == 0.0 && nearest.normal.z == 1.0);
    CHECK_NEAR(nearest.distance, 0.25, 0.0);
    nearest = cn_segment_box_nearest(half, leaning);
    CHECK(nearest.normal.x == 0.0 && nearest.normal.y == 0.0 && nearest.normal.z == 1.0);
    CHECK_NEAR(nearest.distance, 0.5, 0.0);
}

static bool is_same_point(const CnManifoldPoint* a, const CnManifoldPoint* b) {
    return memcmp(&a->point, &b->point, sizeof a->point) == 0 &&
           memcmp(&a->normal, &b->normal, sizeof a->normal) == 0 && a->gap == b->gap &&
           a->feature == b->feature;
}

// Capsules in all directions, and nearly upright or lying on a box that stands anywhere.
static void contacts_are_those_of_any_two_convex_shapes(void) {
    CnShape box = {
        .type = CN_SHAPE_BOX, .half_size = {0.4, 0.7, 1.0}, .extent = 1.2845232578665129};
    CnShape capsule = {.type = CN_SHAPE_CAPSULE, .radius = 0.3};
    CnRandom random = {9};
    int with[3] = {0, 0, 0}, wrong = 0;
    for (int i = 0; i < PAIRS; ++i) {
        CnTransform pose = {random_vector(&random, 9.0), cn_quat_exp(random_vector(&random, 2.0))};
        double tilt = i % 4 < 2 ? 1.0 : i % 4 == 2 ? 1e-3 : 1e-7;
        CnVec3 about = i % 3 == 0   ? cn_vec3(0.5 * CN_PI, 0.0, 0.0)
                       : i % 3 == 1 ? cn_vec3(0.0, 0.5 * CN_PI, 0.0)
                                    : cn_vec3(0.0, 0.0, 0.0);
        about = cn_vec3_add_scaled(about, tilt, random_vector(&random, 1.0));
        capsule.half_length = i % 50 == 0 ? 0.0 : cn_random_between(&random, 0.1, 0.6);
        capsule.extent = capsule.half_length + capsule.radius;
        CnTransform seen = {random_vector(&random, 1.5), cn_quat_exp(about)};
        CnPlacedShape a = {&box, pose};
        CnPlacedShape b = {&capsule,
                           {cn_transform_point(pose, seen.position),
                            cn_quat_multiply(pose.rotation, seen.rotation)}};
        CnManifoldPoint own[CN_MANIFOLD_POINTS], points[CN_MANIFOLD_POINTS];
        int count = cn_collide_convex(a, b, 0.1, points);
        bool is_same = cn_collide_box_capsule(a, b, 0.1, own) == count;
        for (int k = 0; is_same && k < count; ++k) {
            is_same = is_same_point(&own[k], &points[k]);
        }
        wrong += !is_same;
        ++with[count < 2 ? count : 2];
    }
    CHECK_INT(wrong, 0);
    CHECK(with[0] > 1000 && with[1] > 1000 && with[2] > 1000);
}

TEST_MAIN("unit/collision/convex/segment_box", TEST(distances_are_those_of_gjk),
          TEST(contacts_are_those_of_any_two_convex_shapes),
          TEST(the_normal_over_a_face_is_that_of_the_face))
